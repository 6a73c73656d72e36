//! Generates the class that an implementation makes an object of, as javac would compile the lambda or anonymous class
//! that a test has instead.
//!
//! Each method first says that it was called: where answers keep a loop of the platform going for ever, nothing else
//! counts.

use super::stub::{MAJOR, StubError, class_constant, slots};
use bytecode::classfile::instruction::{Element, FieldAccess, InvokeKind, Number, StackOperation};
use bytecode::classfile::writer::{ClassWriter, NewCode, Reflected};
use bytecode::classfile::{
    EncodedArray, EncodedConstant, EncodedInstruction, EncodedLocal, EncodedMethod, Instruction, Kind, encode,
};
use bytecode::instrument::PROBES;
use model::jvm::types::access;
use model::jvm::{MethodDescriptor, Primitive, Type};
use model::sequence::{Accessor, Answer, DeclaredField, FAILURE, HOLDER, Implemented, Recorded, Recording};
use protocol::setup::Target;

/// The types of the operation's inputs: what the constructor takes, then what methods answer and fields hold.
pub fn inputs(target: &Target) -> Result<Vec<Type>, StubError> {
    let mut inputs = super_descriptor(target)?.parameters;
    inputs.extend(held(target).into_iter().map(|field| field.of));
    Ok(inputs)
}

/// The bytes of the class called `name`.
pub fn generate(name: &str, target: &Target) -> Result<Vec<u8>, StubError> {
    let (super_class, interfaces) =
        if target.owner_is_interface { ("java/lang/Object", vec![target.owner]) } else { (target.owner, vec![]) };
    let mut class = ClassWriter::new(name, super_class, &interfaces, 0x1030, MAJOR);
    // Some look whether a class is anonymous; that of a lambda is not.
    let is_lambda = target.owner_is_interface && matches!(&target.implemented[..], [method] if !method.generic);
    class.annotate(&target.declared.annotations, (!is_lambda).then_some(PROBES));
    // Who makes an object without a constructor sets its fields later.
    let constant = if is_class_mock(target) { 0 } else { access::FINAL };
    for (index, of) in answered(target) {
        class.add_field(constant | access::SYNTHETIC, &answer(index), &of.descriptor(), None, &[]);
    }
    if Recording::list_of(&target.implemented).is_some() {
        let list = Type::class(Recording::LIST).descriptor();
        class.add_field(constant | access::SYNTHETIC, CALLS, &list, None, &[]);
    }
    for field in &target.declared.fields {
        let (of, signature) = (field.of.descriptor(), field.signature());
        let annotations = if field.accessor.is_none() { &field.annotations[..] } else { &[] };
        class.add_field(access::PUBLIC, &field.name, &of, signature.as_deref(), annotations);
    }
    match is_class_mock(target) {
        true => add_factory(&mut class, name, target)?,
        false => add_constructor(&mut class, name, super_class, target)?,
    }
    for field in &target.declared.fields {
        if let Some(accessor) = field.accessor {
            add_accessor(&mut class, name, field, accessor);
        }
    }
    for (number, method) in target.implemented.iter().enumerate() {
        for linked in &method.linked {
            let reported = target.mock.then_some(number);
            add_method(&mut class, name, (method, reported), linked).ok_or_else(|| broken(target))?;
        }
    }
    Ok(class.finish()?)
}

fn broken(target: &Target) -> StubError {
    StubError::Descriptor(target.descriptor.to_string())
}

fn super_descriptor(target: &Target) -> Result<MethodDescriptor, StubError> {
    MethodDescriptor::parse(target.descriptor).ok_or_else(|| broken(target))
}

/// The inputs that methods answer, that hold their answers or that they add to a list, with their types.
fn answered(target: &Target) -> impl Iterator<Item = (u32, Type)> {
    let answers = target.implemented.iter().filter_map(|method| match method.answer {
        Answer::Input(index) => Some((index, method.descriptor.returns.clone()?)),
        Answer::Held(index) => Some((index, Type::class(HOLDER))),
        Answer::Thrown(index) => Some((index, Type::class(THROWABLE))),
        Answer::Default | Answer::Parameter(_) | Answer::Throws => None,
    });
    let labels = target.implemented.iter().filter_map(Implemented::label);
    answers.chain(labels.map(|label| (label, Type::string())))
}

/// The name of the field that holds what a method answers, or adds to a list.
fn answer(input: u32) -> String {
    format!("input{input}")
}

/// The field with the list to which methods add what they are called with.
const CALLS: &str = "calls";

/// A field that holds an input from the beginning.
struct InputField {
    input: u32,
    name: String,
    of: Type,
}

fn held(target: &Target) -> Vec<InputField> {
    let answers = answered(target).map(|(input, of)| InputField { input, name: answer(input), of });
    let declared = target.declared.fields.iter();
    let declared = declared.filter_map(|field| {
        Some(InputField { input: field.input?, name: field.name.to_string(), of: field.of.clone() })
    });
    let list = Recording::list_of(&target.implemented);
    let list = list.map(|input| InputField { input, name: CALLS.to_string(), of: Type::class(Recording::LIST) });
    let mut all: Vec<InputField> = answers.chain(list).chain(declared).collect();
    all.sort_by_key(|field| field.input);
    all
}

/// Whether objects are mocks of a class, which Mockito makes without a call of its constructors.
pub fn is_class_mock(target: &Target) -> bool {
    target.mock && !target.owner_is_interface
}

/// The static method that makes a mock of a class, as a constructor would.
pub const FACTORY: &str = "make";

/// Makes an object without a constructor, and sets its fields.
fn add_factory(class: &mut ClassWriter, name: &str, target: &Target) -> Result<(), StubError> {
    let inputs = inputs(target)?;
    let mut code = Vec::new();
    let own = class.pool.class(name);
    encode(&Instruction::Constant(EncodedConstant::PoolWide(own)), &mut code);
    let make = class.pool.method_ref(MOCKS, "make", "(Ljava/lang/Class;)Ljava/lang/Object;");
    call(&mut code, InvokeKind::Static, make);
    encode(&Instruction::CheckCast(own), &mut code);
    let (_, local) =
        set_fields(class, &mut code, (name, target), &inputs, 0, &Instruction::Stack(StackOperation::Dup))?;
    encode(&Instruction::Return(Some(Kind::Reference)), &mut code);
    let descriptor = MethodDescriptor { parameters: inputs, returns: Some(Type::object()) };
    let code = NewCode { max_stack: 4, max_locals: local, bytes: &code };
    class.add_method(access::PUBLIC | access::STATIC, FACTORY, &descriptor.to_string(), &code);
    Ok(())
}

/// Sets the fields of an object, which the instruction puts on the stack, to inputs that are in local variables from the first one
/// on; the variable of each input, and the next one that is free.
fn set_fields(
    class: &mut ClassWriter,
    code: &mut Vec<u8>,
    (name, target): (&str, &Target),
    inputs: &[Type],
    mut local: u16,
    object: &EncodedInstruction,
) -> Result<(Vec<u16>, u16), StubError> {
    let mut locals = Vec::new();
    for of in inputs {
        locals.push(local);
        local += slots(of);
    }
    for held in held(target) {
        let at = *locals.get(held.input as usize).ok_or_else(|| broken(target))?;
        encode(object, code);
        load(code, &held.of, at);
        let field = class.pool.field_ref(name, &held.name, &held.of.descriptor());
        encode(&Instruction::Field { access: FieldAccess::Put, field }, code);
    }
    Ok((locals, local))
}

/// As javac does, fields come before the superclass's constructor, which may call the methods.
fn add_constructor(class: &mut ClassWriter, name: &str, super_class: &str, target: &Target) -> Result<(), StubError> {
    let taken = super_descriptor(target)?.parameters;
    let inputs = inputs(target)?;
    let mut code = Vec::new();
    let (locals, local) = set_fields(class, &mut code, (name, target), &inputs, 1, &LOAD_THIS)?;
    encode(&LOAD_THIS, &mut code);
    for (of, at) in taken.iter().zip(&locals) {
        load(&mut code, of, *at);
    }
    let parent = class.pool.method_ref(super_class, "<init>", target.descriptor);
    call(&mut code, InvokeKind::Special, parent);
    encode(&Instruction::Return(None), &mut code);
    let deepest = 1 + taken.iter().map(slots).sum::<u16>().max(2);
    let descriptor = MethodDescriptor { parameters: inputs, returns: None };
    let code = NewCode { max_stack: deepest, max_locals: local, bytes: &code };
    class.add_method(access::PUBLIC, "<init>", &descriptor.to_string(), &code);
    Ok(())
}

/// The method with one of its descriptors, and with its number where calls are reported; `None` if its answer makes no sense.
fn add_method(
    class: &mut ClassWriter,
    name: &str,
    (method, reported): (&Implemented, Option<usize>),
    linked: &MethodDescriptor,
) -> Option<()> {
    let mut code = Vec::new();
    let called = class.pool.method_ref(PROBES, "called", "()V");
    call(&mut code, InvokeKind::Static, called);
    let mut local = 1;
    let mut locals = Vec::new();
    for (of, declared) in linked.parameters.iter().zip(&method.descriptor.parameters) {
        locals.push(local);
        if of != declared {
            // A bridge of javac's refuses what the declared method cannot take.
            load(&mut code, of, local);
            let declared = class.pool.class(&class_constant(declared));
            encode(&Instruction::CheckCast(declared), &mut code);
            encode(&Instruction::Stack(StackOperation::Pop), &mut code);
        }
        local += slots(of);
    }
    if let Some(number) = reported {
        add_report(class, name, (method, number), (linked, &locals), &mut code)?;
    } else if let Some(recording) = method.recording {
        add_recording(class, name, (method, recording), (linked, &locals), &mut code)?;
    }
    let returns = linked.returns.as_ref();
    match (method.answer, returns) {
        (Answer::Throws, _) => {
            add_throw(class, &mut code);
            let code = NewCode { max_stack: 3, max_locals: local, bytes: &code };
            class.add_method(method.access | access::SYNTHETIC, &method.name, &linked.to_string(), &code);
            return Some(());
        }
        (Answer::Thrown(index), _) => {
            encode(&LOAD_THIS, &mut code);
            let field = class.pool.field_ref(name, &answer(index), &Type::class(THROWABLE).descriptor());
            encode(&Instruction::Field { access: FieldAccess::Get, field }, &mut code);
            encode(&Instruction::Throw, &mut code);
            let code = NewCode { max_stack: 9, max_locals: local, bytes: &code };
            class.add_method(method.access | access::SYNTHETIC, &method.name, &linked.to_string(), &code);
            return Some(());
        }
        (_, None) => {}
        (Answer::Default, Some(of)) if reported.is_some() && !of.is_primitive() => {
            add_empty(class, method.descriptor.returns.as_ref()?, of, &mut code)
        }
        (Answer::Default, Some(_)) if method.descriptor.returns.as_ref().is_some_and(Type::is_string) => {
            let empty = class.pool.string(&"".into());
            encode(&Instruction::Constant(EncodedConstant::PoolWide(empty)), &mut code);
        }
        (Answer::Default, Some(of)) => encode(&zero(of), &mut code),
        (Answer::Input(index), Some(_)) => {
            let of = method.descriptor.returns.as_ref()?;
            encode(&LOAD_THIS, &mut code);
            let field = class.pool.field_ref(name, &answer(index), &of.descriptor());
            encode(&Instruction::Field { access: FieldAccess::Get, field }, &mut code);
        }
        (Answer::Held(index), Some(_)) => {
            let holder = Type::class(HOLDER);
            encode(&LOAD_THIS, &mut code);
            let field = class.pool.field_ref(name, &answer(index), &holder.descriptor());
            encode(&Instruction::Field { access: FieldAccess::Get, field }, &mut code);
            let get = class.pool.method_ref(HOLDER, "get", "()Ljava/lang/Object;");
            call(&mut code, InvokeKind::Virtual, get);
            let held = class.pool.class(&class_constant(method.descriptor.returns.as_ref()?));
            encode(&Instruction::CheckCast(held), &mut code);
        }
        (Answer::Parameter(index), Some(returns)) => {
            let of = linked.parameters.get(index as usize)?;
            load(&mut code, of, *locals.get(index as usize)?);
            if of != returns && !of.is_primitive() {
                let returns = class.pool.class(&class_constant(returns));
                encode(&Instruction::CheckCast(returns), &mut code);
            }
        }
    }
    encode(&Instruction::Return(returns.map(Kind::of)), &mut code);
    let max_stack = match (reported, method.recording) {
        (Some(_), _) => 9,
        (None, Some(_)) => 5,
        (None, None) => 2,
    };
    let code = NewCode { max_stack, max_locals: local, bytes: &code };
    class.add_method(method.access | access::SYNTHETIC, &method.name, &linked.to_string(), &code);
    Some(())
}

/// Returns what a mock returns that nobody told what to answer: something empty of the type, or null.
fn add_empty(class: &mut ClassWriter, declared: &Type, linked: &Type, code: &mut Vec<u8>) {
    let of = class.pool.string(&class_constant(declared).as_str().into());
    encode(&Instruction::Constant(EncodedConstant::PoolWide(of)), code);
    let empty = class.pool.method_ref(MOCKS, "empty", "(Ljava/lang/String;)Ljava/lang/Object;");
    call(code, InvokeKind::Static, empty);
    if linked.class_name().is_none_or(|class| class.internal() != "java/lang/Object") {
        let linked = class.pool.class(&class_constant(linked));
        encode(&Instruction::CheckCast(linked), code);
    }
}

/// Reports the call with its arguments, and the list to which a text of it is added, or null.
fn add_report(
    class: &mut ClassWriter,
    name: &str,
    (method, number): (&Implemented, usize),
    (linked, locals): (&MethodDescriptor, &[u16]),
    code: &mut Vec<u8>,
) -> Option<()> {
    let short = |number: usize| Some(Instruction::Constant(EncodedConstant::Short(i16::try_from(number).ok()?)));
    encode(&LOAD_THIS, code);
    encode(&short(number)?, code);
    let text = class.pool.string(&(&*method.name).into());
    encode(&Instruction::Constant(EncodedConstant::PoolWide(text)), code);
    encode(&short(linked.parameters.len())?, code);
    let object = class.pool.class("java/lang/Object");
    encode(&Instruction::NewArray(EncodedArray::Reference(object)), code);
    for (at, (of, local)) in linked.parameters.iter().zip(locals).enumerate() {
        encode(&Instruction::Stack(StackOperation::Dup), code);
        encode(&short(at)?, code);
        load_boxed(class, code, of, *local);
        encode(&Instruction::ArrayStore(Element::Reference), code);
    }
    match method.recording {
        None => encode(&Instruction::Null, code),
        Some(_) => load_list(class, name, code),
    }
    let descriptor = "(Ljava/lang/Object;ILjava/lang/String;[Ljava/lang/Object;Ljava/util/ArrayList;)V";
    let called = class.pool.method_ref(MOCKS, "called", descriptor);
    call(code, InvokeKind::Static, called);
    Some(())
}

/// Loads an argument as an object.
fn load_boxed(class: &mut ClassWriter, code: &mut Vec<u8>, of: &Type, local: u16) {
    load(code, of, local);
    if let Type::Primitive(primitive) = of {
        let boxed = primitive.wrapper();
        let descriptor = format!("({})L{};", of.descriptor(), boxed.internal());
        let value_of = class.pool.method_ref(boxed.internal(), "valueOf", &descriptor);
        call(code, InvokeKind::Static, value_of);
    }
}

/// Loads the list of the object to which calls are added.
fn load_list(class: &mut ClassWriter, name: &str, code: &mut Vec<u8>) {
    encode(&LOAD_THIS, code);
    let field = class.pool.field_ref(name, CALLS, &Type::class(Recording::LIST).descriptor());
    encode(&Instruction::Field { access: FieldAccess::Get, field }, code);
}

/// What the fields are that hold what a mock throws.
const THROWABLE: &str = "java/lang/Throwable";

/// The class that is told of the calls of mocks.
const MOCKS: &str = "randgen/runtime/Mocks";

/// Throws a new exception as the source of a test does.
fn add_throw(class: &mut ClassWriter, code: &mut Vec<u8>) {
    const EXCEPTION: &str = "java/lang/IllegalStateException";
    let exception = class.pool.class(EXCEPTION);
    encode(&Instruction::New(exception), code);
    encode(&Instruction::Stack(StackOperation::Dup), code);
    let message = class.pool.string(&FAILURE.into());
    encode(&Instruction::Constant(EncodedConstant::PoolWide(message)), code);
    let constructor = class.pool.method_ref(EXCEPTION, "<init>", "(Ljava/lang/String;)V");
    call(code, InvokeKind::Special, constructor);
    encode(&Instruction::Throw, code);
}

/// Adds what the method was called with to the list, as the source of a test does.
fn add_recording(
    class: &mut ClassWriter,
    name: &str,
    (method, recording): (&Implemented, Recording),
    (linked, locals): (&MethodDescriptor, &[u16]),
    code: &mut Vec<u8>,
) -> Option<()> {
    load_list(class, name, code);
    match recording.of {
        Recorded::Parameter => {
            let of = linked.parameters.first()?;
            load_boxed(class, code, of, *locals.first()?);
        }
        Recorded::Call => {
            let text = |text: String, is_first: bool, class: &mut ClassWriter, code: &mut Vec<u8>| {
                let constant = class.pool.string(&text.as_str().into());
                encode(&Instruction::Constant(EncodedConstant::PoolWide(constant)), code);
                if !is_first {
                    concatenate(class, code);
                }
            };
            text(format!("{}(", method.name), true, class, code);
            for (at, (of, local)) in linked.parameters.iter().zip(locals).enumerate() {
                if at > 0 {
                    text(", ".to_string(), false, class, code);
                }
                load(code, of, *local);
                let shown = match of {
                    Type::Primitive(Primitive::Byte | Primitive::Short) => "I".to_string(),
                    Type::Primitive(_) => of.descriptor(),
                    _ => Type::object().descriptor(),
                };
                let value_of =
                    class.pool.method_ref("java/lang/String", "valueOf", &format!("({shown})Ljava/lang/String;"));
                call(code, InvokeKind::Static, value_of);
                concatenate(class, code);
            }
            text(")".to_string(), false, class, code);
        }
        Recorded::Label(label) => {
            encode(&LOAD_THIS, code);
            let field = class.pool.field_ref(name, &answer(label), &Type::string().descriptor());
            encode(&Instruction::Field { access: FieldAccess::Get, field }, code);
        }
    }
    let add = class.pool.method_ref(Recording::LIST, "add", "(Ljava/lang/Object;)Z");
    call(code, InvokeKind::Virtual, add);
    encode(&Instruction::Stack(StackOperation::Pop), code);
    Some(())
}

fn concatenate(class: &mut ClassWriter, code: &mut Vec<u8>) {
    let concat = class.pool.method_ref("java/lang/String", "concat", "(Ljava/lang/String;)Ljava/lang/String;");
    call(code, InvokeKind::Virtual, concat);
}

fn add_accessor(class: &mut ClassWriter, name: &str, of: &DeclaredField, accessor: Accessor) {
    let mut code = Vec::new();
    let called = class.pool.method_ref(PROBES, "called", "()V");
    call(&mut code, InvokeKind::Static, called);
    encode(&LOAD_THIS, &mut code);
    let field = class.pool.field_ref(name, &of.name, &of.of.descriptor());
    let descriptor = of.accessor_descriptor(accessor);
    if accessor == Accessor::Setter {
        load(&mut code, &of.of, 1);
    }
    let access = if accessor == Accessor::Setter { FieldAccess::Put } else { FieldAccess::Get };
    encode(&Instruction::Field { access, field }, &mut code);
    encode(&Instruction::Return(descriptor.returns.as_ref().map(Kind::of)), &mut code);
    let signature = of.signature().map(|of| match accessor {
        Accessor::Getter => format!("(){of}"),
        Accessor::Setter => format!("({of})V"),
    });
    class.add_reflected_method(
        access::PUBLIC,
        &of.accessor_name(accessor),
        &descriptor.to_string(),
        &Reflected { signature: signature.as_deref(), annotations: &of.annotations },
        &NewCode { max_stack: 3, max_locals: 3, bytes: &code },
    );
}

const LOAD_THIS: EncodedInstruction = Instruction::Load { kind: Kind::Reference, local: EncodedLocal::implicit(0) };

fn call(code: &mut Vec<u8>, kind: InvokeKind, index: u16) {
    encode(&Instruction::Invoke { kind, method: EncodedMethod { index, slots: 0 } }, code);
}

/// Loads a local variable.
fn load(code: &mut Vec<u8>, of: &Type, local: u16) {
    encode(&Instruction::Load { kind: Kind::of(of), local: EncodedLocal::wide(local) }, code);
}

/// Pushes zero, or null.
fn zero(of: &Type) -> EncodedInstruction<'static> {
    let number = match Kind::of(of) {
        Kind::Int => Number::Int,
        Kind::Long => Number::Long,
        Kind::Float => Number::Float,
        Kind::Double => Number::Double,
        Kind::Reference => return Instruction::Null,
    };
    Instruction::Constant(EncodedConstant::Implicit(number, 0))
}
