//! Methods' bodies as steps whose operands are resolved.
//!
//! Decoded on demand: most classes are read for what they declare alone. The many encodings of one thing become one:
//! `iload_1` and `wide iload` are `iload`, everything that pushes a constant is `ldc`, jumps lead to steps.

use super::code::{Instruction, instructions, opcode};
use super::reader::{ConstantPool, tag};
use super::{ClassFile, ClassFileError, Code};
use crate::jvm::{ClassName, Literal, MethodDescriptor, Primitive, Type};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A method's instructions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Body {
    pub steps: Vec<Step>,
    /// In the order in which the JVM tries them.
    pub handlers: Vec<Handler>,
}

/// One instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// See [`opcode`].
    pub opcode: u8,
    /// Where it begins in the code.
    pub pc: u16,
    pub operand: Operand,
}

/// What an instruction's operands mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    None,
    /// Of `ldc`, which stands for all that push a constant (`aconst_null` is itself).
    Constant(Literal),
    /// Of `ldc`: a method handle or type, or a dynamic constant that takes two slots if `wide`.
    Dynamic {
        wide: bool,
    },
    Local(u16),
    /// Of `iinc`.
    Increment {
        local: u16,
        by: i32,
    },
    /// Index of the step that is next if the jump is taken.
    Jump(usize),
    Switch {
        default: usize,
        /// Key and step, without those that go where unknown keys go.
        cases: Vec<(i32, usize)>,
    },
    Field(Arc<FieldMember>),
    Method(Arc<MethodMember>),
    CallSite(Arc<CallSite>),
    /// Of `new`, `checkcast` and `instanceof` the type itself, of array creation that of the array.
    Type(Type),
    /// Of `multianewarray`: the array's type and how many dimensions are created.
    Dimensions(Type, u8),
}

/// A field as instructions name it; a superclass of its owner may declare it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldMember {
    pub owner: ClassName,
    pub name: Arc<str>,
    pub field_type: Type,
}

/// A method as instructions name it; a superclass of its owner may declare it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MethodMember {
    /// A class's internal name, or an array's descriptor (of `clone`).
    pub owner: ClassName,
    pub name: Arc<str>,
    pub descriptor: MethodDescriptor,
}

/// What `invokedynamic` calls (JVMS §4.7.23).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallSite {
    /// The class of the bootstrap method.
    pub bootstrap: ClassName,
    pub name: Arc<str>,
    pub descriptor: MethodDescriptor,
    /// Static arguments; `None` for method handles and types and dynamic constants.
    pub arguments: Vec<Option<Literal>>,
    /// The methods among the static arguments.
    pub handles: Vec<MethodMember>,
}

/// Where exceptions of some steps go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handler {
    /// The first step it is for, and the one after the last.
    pub steps: std::ops::Range<usize>,
    pub target: usize,
    /// `None` for `finally`.
    pub catches: Option<ClassName>,
}

/// Decodes the bodies of one class; what they name is resolved once.
pub struct Decoder<'a> {
    class: &'a ClassFile,
    pool: ConstantPool<'a>,
    fields: FxHashMap<u16, Arc<FieldMember>>,
    methods: FxHashMap<u16, Arc<MethodMember>>,
}

impl<'a> Decoder<'a> {
    pub fn new(class: &'a ClassFile) -> Decoder<'a> {
        let pool = class.constants.pool();
        Decoder { class, pool, fields: FxHashMap::default(), methods: FxHashMap::default() }
    }

    /// Decodes a body of the class.
    pub fn body(&mut self, code: &Code) -> Result<Body, ClassFileError> {
        let offset = code.bytes.start;
        let malformed = |at: usize| ClassFileError::Malformed { what: "instruction", offset: offset + at };
        let bytes = &self.class.constants.file[code.bytes.clone()];
        let decoded: Vec<Instruction> = instructions(bytes).collect::<Result<_, usize>>().map_err(malformed)?;
        let step_at = |from: usize, by: i32| {
            let pc = usize::try_from(from as i64 + i64::from(by)).ok();
            let step = pc.and_then(|pc| decoded.binary_search_by_key(&pc, |instruction| instruction.pc).ok());
            step.ok_or_else(|| malformed(from))
        };
        let mut body = Body { steps: Vec::with_capacity(decoded.len()), handlers: Vec::new() };
        for instruction in &decoded {
            body.steps.push(self.step(instruction, &step_at)?);
        }
        for handler in &code.handlers {
            let end = if handler.end as usize == bytes.len() { decoded.len() } else { step_at(0, handler.end.into())? };
            body.handlers.push(Handler {
                steps: step_at(0, handler.start.into())?..end,
                target: step_at(0, handler.target.into())?,
                catches: handler.catches.clone(),
            });
        }
        Ok(body)
    }

    fn step(
        &mut self,
        instruction: &Instruction,
        step_at: &impl Fn(usize, i32) -> Result<usize, ClassFileError>,
    ) -> Result<Step, ClassFileError> {
        use opcode::*;
        let small = |first: u8| i32::from(instruction.opcode) - i32::from(first);
        let constant = |literal: Literal| (LDC, Operand::Constant(literal));
        let (opcode, operand) = match instruction.opcode {
            ICONST_M1..=ICONST_5 => constant(Literal::Int(small(ICONST_0))),
            LCONST_0..=LCONST_1 => constant(Literal::Long(small(LCONST_0).into())),
            FCONST_0..=FCONST_2 => constant(Literal::float(small(FCONST_0) as f32)),
            DCONST_0..=DCONST_1 => constant(Literal::double(small(DCONST_0).into())),
            BIPUSH => constant(Literal::Int((instruction.bytes[1] as i8).into())),
            SIPUSH => constant(Literal::Int((instruction.u2(1) as i16).into())),
            LDC => (LDC, self.loadable(instruction.bytes[1].into(), false)?),
            LDC_W => (LDC, self.loadable(instruction.u2(1), false)?),
            LDC2_W => (LDC, self.loadable(instruction.u2(1), true)?),
            // Four instructions each, for the first four local variables, in the order of the general ones.
            ILOAD_0..IALOAD => (ILOAD + small(ILOAD_0) as u8 / 4, Operand::Local(small(ILOAD_0) as u16 % 4)),
            ISTORE_0..=ASTORE_3 => (ISTORE + small(ISTORE_0) as u8 / 4, Operand::Local(small(ISTORE_0) as u16 % 4)),
            ILOAD..=ALOAD | ISTORE..=ASTORE | RET => (instruction.opcode, Operand::Local(instruction.bytes[1].into())),
            IINC => {
                let by = i32::from(instruction.bytes[2] as i8);
                (IINC, Operand::Increment { local: instruction.bytes[1].into(), by })
            }
            WIDE if instruction.bytes[1] == IINC => {
                (IINC, Operand::Increment { local: instruction.u2(2), by: i32::from(instruction.u2(4) as i16) })
            }
            WIDE => (instruction.bytes[1], Operand::Local(instruction.u2(2))),
            TABLESWITCH | LOOKUPSWITCH => {
                let switch = instruction.switch().expect("a switch instruction has a table");
                let cases = switch.cases.iter().filter(|case| case.1 != switch.default);
                let cases = cases.map(|&(key, by)| Ok((key, step_at(instruction.pc, by)?)));
                let default = step_at(instruction.pc, switch.default)?;
                (instruction.opcode, Operand::Switch { default, cases: cases.collect::<Result<_, _>>()? })
            }
            GETSTATIC..=PUTFIELD => (instruction.opcode, Operand::Field(self.field(instruction.u2(1))?)),
            INVOKEVIRTUAL..=INVOKEINTERFACE => (instruction.opcode, Operand::Method(self.method(instruction.u2(1))?)),
            INVOKEDYNAMIC => (INVOKEDYNAMIC, Operand::CallSite(Arc::new(self.call_site(instruction.u2(1))?))),
            NEW | CHECKCAST | INSTANCEOF => (instruction.opcode, Operand::Type(self.class_type(instruction.u2(1))?)),
            ANEWARRAY => (ANEWARRAY, Operand::Type(Type::array(self.class_type(instruction.u2(1))?))),
            MULTIANEWARRAY => {
                (MULTIANEWARRAY, Operand::Dimensions(self.class_type(instruction.u2(1))?, instruction.bytes[3]))
            }
            NEWARRAY => {
                // The array type codes of JVMS table 6.5.newarray-A.
                let element = [
                    Primitive::Boolean,
                    Primitive::Char,
                    Primitive::Float,
                    Primitive::Double,
                    Primitive::Byte,
                    Primitive::Short,
                    Primitive::Int,
                    Primitive::Long,
                ];
                let element = instruction.bytes[1].checked_sub(4).and_then(|at| element.get(usize::from(at)));
                let element =
                    *element.ok_or(ClassFileError::Malformed { what: "array type", offset: instruction.pc })?;
                (NEWARRAY, Operand::Type(Type::array(Type::Primitive(element))))
            }
            opcode => match instruction.jump() {
                Some(by) => {
                    let narrow = match opcode {
                        GOTO_W => GOTO,
                        JSR_W => JSR,
                        opcode => opcode,
                    };
                    (narrow, Operand::Jump(step_at(instruction.pc, by)?))
                }
                None => (opcode, Operand::None),
            },
        };
        Ok(Step { opcode, pc: instruction.pc as u16, operand })
    }

    fn loadable(&self, index: u16, wide: bool) -> Result<Operand, ClassFileError> {
        Ok(self.pool.literal(index)?.map_or(Operand::Dynamic { wide }, Operand::Constant))
    }

    fn class_type(&self, index: u16) -> Result<Type, ClassFileError> {
        Type::from_class_constant(&self.pool.class_name(index)?).ok_or(ClassFileError::BadConstant { index })
    }

    fn field(&mut self, index: u16) -> Result<Arc<FieldMember>, ClassFileError> {
        if let Some(known) = self.fields.get(&index) {
            return Ok(known.clone());
        }
        let member = self.pool.member(index)?;
        let field_type = Type::parse(&member.descriptor).ok_or(ClassFileError::BadConstant { index })?;
        let field =
            Arc::new(FieldMember { owner: ClassName::new(&member.class), name: Arc::from(&*member.name), field_type });
        self.fields.insert(index, field.clone());
        Ok(field)
    }

    fn method(&mut self, index: u16) -> Result<Arc<MethodMember>, ClassFileError> {
        if let Some(known) = self.methods.get(&index) {
            return Ok(known.clone());
        }
        let member = self.pool.member(index)?;
        let descriptor = MethodDescriptor::parse(&member.descriptor).ok_or(ClassFileError::BadConstant { index })?;
        let method =
            Arc::new(MethodMember { owner: ClassName::new(&member.class), name: Arc::from(&*member.name), descriptor });
        self.methods.insert(index, method.clone());
        Ok(method)
    }

    fn call_site(&self, index: u16) -> Result<CallSite, ClassFileError> {
        let (bootstrap, name, descriptor) = self.pool.dynamic(index)?;
        let broken = || ClassFileError::BadConstant { index };
        let (handle, arguments) = self.class.constants.bootstraps.get(usize::from(bootstrap)).ok_or_else(broken)?;
        let mut site = CallSite {
            bootstrap: ClassName::new(&self.pool.handle(*handle)?.class),
            name: Arc::from(&*name),
            descriptor: MethodDescriptor::parse(&descriptor).ok_or_else(broken)?,
            arguments: Vec::with_capacity(arguments.len()),
            handles: Vec::new(),
        };
        for &argument in arguments {
            if self.pool.tag(argument) == tag::METHOD_HANDLE {
                let member = self.pool.handle(argument)?;
                // Handles of fields have a field's descriptor.
                site.handles.extend(MethodDescriptor::parse(&member.descriptor).map(|descriptor| MethodMember {
                    owner: ClassName::new(&member.class),
                    name: Arc::from(&*member.name),
                    descriptor,
                }));
            }
            site.arguments.push(self.pool.literal(argument)?);
        }
        Ok(site)
    }
}
