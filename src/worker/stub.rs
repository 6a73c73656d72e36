//! Generates the class that calls one operation: casts and unboxes the arguments, invokes, boxes.
//!
//! The code is straight-line, so it needs no stack map frames, and its checked casts and links are the JVM's own: what
//! raw JNI would let pass, a wrong argument or an inaccessible member, throws here as it would in a test.

use super::implementation;
use bytecode::classfile::instruction::{Element, FieldAccess, InvokeKind, StackOperation};
use bytecode::classfile::writer::{ClassTooLarge, ClassWriter, NewCode};
use bytecode::classfile::{
    EncodedConstant, EncodedInstruction, EncodedLocal, EncodedMethod, Instruction, Kind, encode,
};
use model::jvm::{MethodDescriptor, Primitive, Type};
use model::sequence::OperationKind;
use protocol::setup::Target;

/// Java 8: invokes static methods of interfaces, and is read by every JVM of interest.
pub const MAJOR: u16 = 52;

const STUB: &str = "randgen/runtime/Stub";
const CALL: &str = "([Ljava/lang/Object;)Ljava/lang/Object;";

/// How stubs' simple names begin; `Executor.isOwn` knows it too.
const NAME: &str = "RandgenStub";

/// Whether the class with the name is a stub.
pub fn is_stub(name: &str) -> bool {
    name.rsplit('/').next().is_some_and(|simple| simple.starts_with(NAME))
}

/// Why an operation has no stub.
#[derive(Debug, thiserror::Error)]
pub enum StubError {
    #[error("the descriptor {0:?} makes no sense")]
    Descriptor(String),
    #[error(transparent)]
    TooLarge(#[from] ClassTooLarge),
}

/// The classes for the operation with the number, the stub last: their names, in the owner's package where only that
/// may call the member, and their bytes.
pub fn generate(number: u32, target: &Target) -> Result<Vec<(String, Vec<u8>)>, StubError> {
    // A cast has no owner; the class it names may be one that only its package can name. In `java` nothing can be
    // defined, and there is no need to.
    let descriptor = target.descriptor.trim_start_matches('[').trim_start_matches('L').trim_end_matches(';');
    let (owner, free) = match target.kind {
        OperationKind::Implementation if target.declared.shows() => {
            (target.declared.beside.as_ref().map_or(target.owner, |class| class.internal()), false)
        }
        // A mock of a class overrides what only its package may.
        OperationKind::Implementation if implementation::is_class_mock(target) => (target.owner, false),
        OperationKind::Cast => (descriptor, descriptor.starts_with("java/") || !descriptor.contains('/')),
        _ => (target.owner, target.public),
    };
    let name = match owner.rsplit_once('/') {
        _ if free => format!("randgen/stubs/{NAME}{number}"),
        Some((package, _)) => format!("{package}/{NAME}{number}"),
        None => format!("{NAME}{number}"),
    };
    let mut stub =
        Writer { class: ClassWriter::new(&name, STUB, &[], 0x1031, MAJOR), code: Vec::new(), depth: 0, deepest: 0 };
    let mut classes = Vec::new();
    if target.kind == OperationKind::Implementation {
        let implementation = format!("{name}$Implementation");
        let inputs = implementation::inputs(target)?;
        match implementation::is_class_mock(target) {
            true => stub.make_mock(&implementation, inputs),
            false => stub.construct(&implementation, &inputs),
        }
        let bytes = implementation::generate(&implementation, target)?;
        classes.push((implementation, bytes));
    } else {
        stub.write(target)?;
    }
    let Writer { mut class, code, deepest, .. } = stub;
    class.add_method(0x1001, "call", CALL, &NewCode { max_stack: deepest, max_locals: 2, bytes: &code });
    classes.push((name, class.finish()?));
    Ok(classes)
}

struct Writer {
    class: ClassWriter,
    code: Vec<u8>,
    depth: u16,
    deepest: u16,
}

pub fn slots(of: &Type) -> u16 {
    match of {
        Type::Primitive(Primitive::Long | Primitive::Double) => 2,
        _ => 1,
    }
}

pub fn class_constant(of: &Type) -> String {
    match of {
        Type::Class(name) => name.internal().to_string(),
        _ => of.descriptor(),
    }
}

impl Writer {
    fn write(&mut self, target: &Target) -> Result<(), StubError> {
        let broken = || StubError::Descriptor(target.descriptor.to_string());
        let method = || MethodDescriptor::parse(target.descriptor).ok_or_else(broken);
        let field = || Type::parse(target.descriptor).ok_or_else(broken);
        let owner = Type::class(target.owner);
        match target.kind {
            OperationKind::Constructor => {
                let method = method()?;
                self.make(target.owner, &method.parameters);
                for (at, (class, name)) in (method.parameters.len() as u16..).zip(&target.injected) {
                    self.inject(at, class, name);
                }
                self.instruction(Instruction::Return(Some(Kind::Reference)));
            }
            OperationKind::StaticMethod => {
                let method = method()?;
                let taken = self.arguments(0, &method.parameters);
                self.invoke(InvokeKind::Static, target, taken);
                self.give(method.returns.as_ref());
            }
            OperationKind::InstanceMethod => {
                let method = method()?;
                self.argument(0, &owner);
                let taken = self.arguments(1, &method.parameters) + 1;
                let call = if target.owner_is_interface { InvokeKind::Interface } else { InvokeKind::Virtual };
                self.invoke(call, target, taken);
                self.give(method.returns.as_ref());
            }
            OperationKind::GetStatic => {
                let of = field()?;
                self.access(FieldAccess::GetStatic, target, 0);
                self.give(Some(&of));
            }
            OperationKind::SetStatic => {
                let of = field()?;
                self.argument(0, &of);
                self.access(FieldAccess::PutStatic, target, slots(&of));
                self.give(None);
            }
            OperationKind::GetField => {
                let of = field()?;
                self.argument(0, &owner);
                self.access(FieldAccess::Get, target, 1);
                self.give(Some(&of));
            }
            OperationKind::SetField => {
                let of = field()?;
                self.argument(0, &owner);
                self.argument(1, &of);
                self.access(FieldAccess::Put, target, 1 + slots(&of));
                self.give(None);
            }
            OperationKind::Cast => {
                let of = field()?;
                self.argument(0, &of);
                self.give(Some(&of));
            }
            // Arrays take any number of inputs, which straight-line code cannot.
            OperationKind::Array | OperationKind::Implementation => return Err(broken()),
        }
        Ok(())
    }

    fn construct(&mut self, owner: &str, parameters: &[Type]) {
        self.make(owner, parameters);
        self.instruction(Instruction::Return(Some(Kind::Reference)));
    }

    /// Returns what the static method of a generated class makes.
    fn make_mock(&mut self, class: &str, parameters: Vec<Type>) {
        let taken = self.arguments(0, &parameters);
        let descriptor = MethodDescriptor { parameters, returns: Some(Type::object()) };
        let index = self.class.pool.method_ref(class, implementation::FACTORY, &descriptor.to_string());
        let method = EncodedMethod { index, slots: 0 };
        self.instruction(Instruction::Invoke { kind: InvokeKind::Static, method });
        self.depth -= taken;
        self.push(1);
        self.instruction(Instruction::Return(Some(Kind::Reference)));
    }

    /// Sets a field of the object on the stack, whatever its access, to an argument.
    fn inject(&mut self, argument: u16, class: &str, name: &str) {
        self.instruction(Instruction::Stack(StackOperation::Dup));
        self.push(1);
        for text in [class, name] {
            let text = self.class.pool.string(&text.into());
            self.instruction(Instruction::Constant(EncodedConstant::PoolWide(text)));
            self.push(1);
        }
        self.argument(argument, &Type::object());
        let set = "(Ljava/lang/Object;Ljava/lang/String;Ljava/lang/String;Ljava/lang/Object;)V";
        let index = self.class.pool.method_ref("randgen/runtime/Injection", "set", set);
        let method = EncodedMethod { index, slots: 0 };
        self.instruction(Instruction::Invoke { kind: InvokeKind::Static, method });
        self.depth -= 4;
    }

    /// Leaves a new object on the stack.
    fn make(&mut self, owner: &str, parameters: &[Type]) {
        let class = self.class.pool.class(owner);
        self.instruction(Instruction::New(class));
        self.instruction(Instruction::Stack(StackOperation::Dup));
        self.push(2);
        let taken = self.arguments(0, parameters) + 1;
        let descriptor = MethodDescriptor { parameters: parameters.to_vec(), returns: None };
        let constructor = self.class.pool.method_ref(owner, "<init>", &descriptor.to_string());
        let method = EncodedMethod { index: constructor, slots: 0 };
        self.instruction(Instruction::Invoke { kind: InvokeKind::Special, method });
        self.depth -= taken;
    }

    fn push(&mut self, slots: u16) {
        self.depth += slots;
        self.deepest = self.deepest.max(self.depth);
    }

    fn instruction(&mut self, instruction: EncodedInstruction) {
        encode(&instruction, &mut self.code);
    }

    /// Loads an argument as the type wants it.
    fn argument(&mut self, index: u16, of: &Type) {
        self.instruction(Instruction::Load { kind: Kind::Reference, local: EncodedLocal::implicit(1) });
        self.push(1);
        self.instruction(Instruction::Constant(EncodedConstant::Short(index as i16)));
        self.push(1);
        self.instruction(Instruction::ArrayLoad(Element::Reference));
        self.depth -= 2;
        self.push(slots(of));
        match of {
            Type::Primitive(primitive) => {
                let wrapper = primitive.wrapper();
                let class = self.class.pool.class(wrapper.internal());
                self.instruction(Instruction::CheckCast(class));
                let name = format!("{}Value", primitive.keyword());
                let descriptor = format!("(){}", primitive.descriptor());
                let index = self.class.pool.method_ref(wrapper.internal(), &name, &descriptor);
                let method = EncodedMethod { index, slots: 0 };
                self.instruction(Instruction::Invoke { kind: InvokeKind::Virtual, method });
            }
            _ => {
                let class = self.class.pool.class(&class_constant(of));
                self.instruction(Instruction::CheckCast(class));
            }
        }
    }

    /// Loads arguments from index `first` on; returns the slots they take.
    fn arguments(&mut self, first: u16, types: &[Type]) -> u16 {
        let mut taken = 0;
        for (index, of) in (first..).zip(types) {
            self.argument(index, of);
            taken += slots(of);
        }
        taken
    }

    fn invoke(&mut self, kind: InvokeKind, target: &Target, taken: u16) {
        let index = if target.owner_is_interface {
            self.class.pool.interface_method_ref(target.owner, target.name, target.descriptor)
        } else {
            self.class.pool.method_ref(target.owner, target.name, target.descriptor)
        };
        let slots = if kind == InvokeKind::Interface { taken as u8 } else { 0 };
        self.instruction(Instruction::Invoke { kind, method: EncodedMethod { index, slots } });
        self.depth -= taken;
    }

    fn access(&mut self, access: FieldAccess, target: &Target, taken: u16) {
        let field = self.class.pool.field_ref(target.owner, target.name, target.descriptor);
        self.instruction(Instruction::Field { access, field });
        self.depth -= taken;
    }

    /// Boxes what is on the stack and returns it.
    fn give(&mut self, of: Option<&Type>) {
        match of {
            None => {
                let field = self.class.pool.field_ref(STUB, "VOID", "Ljava/lang/Object;");
                self.instruction(Instruction::Field { access: FieldAccess::GetStatic, field });
                self.push(1);
            }
            Some(Type::Primitive(primitive)) => {
                self.push(slots(&Type::Primitive(*primitive)));
                let wrapper = primitive.wrapper();
                let descriptor = format!("({})L{};", primitive.descriptor(), wrapper.internal());
                let index = self.class.pool.method_ref(wrapper.internal(), "valueOf", &descriptor);
                let method = EncodedMethod { index, slots: 0 };
                self.instruction(Instruction::Invoke { kind: InvokeKind::Static, method });
            }
            Some(_) => self.push(1),
        }
        self.instruction(Instruction::Return(Some(Kind::Reference)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytecode::classfile::Decoder;
    use model::sequence::Declared;

    fn name_of(kind: OperationKind, owner: &str, descriptor: &str, public: bool) -> String {
        let target = Target {
            kind,
            owner,
            owner_is_interface: false,
            public,
            name: "member",
            descriptor,
            implemented: Vec::new(),
            declared: Declared::default(),
            mock: false,
            injected: Vec::new(),
        };
        generate(7, &target).unwrap().remove(0).0
    }

    #[test]
    fn stub_is_defined_in_a_package_that_can_access_the_member() {
        let static_method = OperationKind::StaticMethod;
        assert_eq!(name_of(static_method, "sample/Point", "()V", true), "randgen/stubs/RandgenStub7");
        assert_eq!(name_of(static_method, "sample/Point", "()V", false), "sample/RandgenStub7");
        assert_eq!(name_of(static_method, "Point", "()V", false), "RandgenStub7");
        let cast = OperationKind::Cast;
        assert_eq!(name_of(cast, "java/lang/Object", "[Lsample/Point;", true), "sample/RandgenStub7");
        assert_eq!(name_of(cast, "java/lang/Object", "Ljava/util/List;", true), "randgen/stubs/RandgenStub7");
        assert_eq!(name_of(cast, "java/lang/Object", "[I", true), "randgen/stubs/RandgenStub7");
    }

    #[test]
    fn generated_stub_class_parses() {
        let descriptor = "(IJLjava/lang/String;[D)J";
        let target = Target {
            kind: OperationKind::InstanceMethod,
            owner: "java/util/List",
            owner_is_interface: true,
            public: true,
            name: "member",
            descriptor,
            implemented: Vec::new(),
            declared: Declared::default(),
            mock: false,
            injected: Vec::new(),
        };
        let class = bytecode::classfile::parse(&generate(1, &target).unwrap()[0].1).unwrap();
        assert_eq!(class.methods.len(), 1);
        let body = Decoder::new(&class).body(class.methods[0].code.as_ref().unwrap()).unwrap();
        let last = body.steps.iter().rev().find_map(|step| step.instruction.invoked());
        assert_eq!(last.map(|method| &*method.name), Some("valueOf"));
    }

    #[test]
    fn stub_of_a_malformed_descriptor_is_an_error() {
        let target = Target {
            kind: OperationKind::StaticMethod,
            owner: "A",
            owner_is_interface: false,
            public: true,
            name: "member",
            descriptor: "(",
            implemented: Vec::new(),
            declared: Declared::default(),
            mock: false,
            injected: Vec::new(),
        };
        assert!(matches!(generate(1, &target), Err(StubError::Descriptor(_))));
    }
}
