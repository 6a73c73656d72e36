//! Methods' bodies as steps whose operands are resolved.
//!
//! Decoded on demand: most classes are read for what they declare alone. Names take the place of numbers in the constant pool,
//! and jumps lead to steps.

use super::decode::{Located, instructions};
use super::encoded::{EncodedArray, EncodedConstant, EncodedSwitch};
use super::instruction::{Form, Instruction, Number};
use super::names::Names;
use super::reader::{ConstantPool, tag};
use super::{ClassFile, ClassFileError, Code};
use model::jvm::{ClassName, Literal, MethodDescriptor, Primitive, Type};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A method's instructions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Body {
    /// In the order of the code.
    pub steps: Vec<Step>,
    /// In the order in which the JVM tries them.
    pub handlers: Vec<Handler>,
}

/// One instruction of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Where it begins in the code.
    pub pc: u16,
    /// What it does.
    pub instruction: Instruction,
}

/// The form of instructions whose operands are resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resolved;

impl Form for Resolved {
    type Constant = Constant;
    /// Its number.
    type Local = u16;
    /// Index of the step that is next if the jump is taken.
    type Target = usize;
    type Switch = Switch;
    type Field = Arc<FieldMember>;
    type Method = Arc<MethodMember>;
    type CallSite = Arc<CallSite>;
    type Class = Type;
    /// The type of the array itself.
    type Array = Type;
}

/// A constant that is pushed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Constant {
    /// A number, string or class.
    Literal(Literal),
    /// A method handle or type, or a dynamic constant.
    Dynamic {
        /// Whether it takes two slots.
        is_wide: bool,
    },
}

/// Where a switch leads to, by steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switch {
    /// For keys without a case.
    pub default: usize,
    /// Key and step, without those that lead where unknown keys do.
    pub cases: Vec<(i32, usize)>,
}

impl Switch {
    /// The steps that it leads to, the default's last.
    pub fn targets(&self) -> impl Iterator<Item = usize> {
        self.cases.iter().map(|case| case.1).chain([self.default])
    }
}

impl Instruction {
    /// The steps that it may jump to.
    pub fn targets(&self) -> impl Iterator<Item = usize> {
        let switch = match self {
            Instruction::Switch(switch) => Some(switch.targets()),
            _ => None,
        };
        switch.into_iter().flatten().chain(self.jump().copied())
    }

    /// The literal that it pushes.
    pub fn literal(&self) -> Option<&Literal> {
        match self {
            Instruction::Constant(Constant::Literal(literal)) => Some(literal),
            _ => None,
        }
    }
}

/// A field as instructions name it; a superclass of its owner may declare it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldMember {
    /// The class that the instruction names.
    pub owner: ClassName,
    /// The field's name.
    pub name: Arc<str>,
    /// The field's type.
    pub field_type: Type,
}

/// A method as instructions name it; a superclass of its owner may declare it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MethodMember {
    /// A class's internal name, or an array's descriptor (of `clone`).
    pub owner: ClassName,
    /// The method's name.
    pub name: Arc<str>,
    /// The method's parameters and what it returns.
    pub descriptor: MethodDescriptor,
}

/// What `invokedynamic` calls (JVMS §4.7.23).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallSite {
    /// The class of the bootstrap method.
    pub bootstrap: ClassName,
    /// The name that the bootstrap method is told.
    pub name: Arc<str>,
    /// What the call takes and returns.
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
    /// The step where it begins.
    pub target: usize,
    /// `None` for `finally`.
    pub catches: Option<ClassName>,
}

/// Decodes the bodies of one class; what they name is resolved once.
pub struct Decoder<'a> {
    class: &'a ClassFile,
    pool: ConstantPool<'a>,
    names: Names,
    fields: FxHashMap<u16, Arc<FieldMember>>,
    methods: FxHashMap<u16, Arc<MethodMember>>,
    sites: FxHashMap<u16, Arc<CallSite>>,
}

impl<'a> Decoder<'a> {
    /// A decoder that has decoded nothing yet.
    pub fn new(class: &'a ClassFile) -> Decoder<'a> {
        let pool = class.constants.pool();
        let (fields, methods, sites) = Default::default();
        Decoder { class, pool, names: Names::new(), fields, methods, sites }
    }

    /// Decodes a body of the class.
    pub fn body(&mut self, code: &Code) -> Result<Body, ClassFileError> {
        let offset = code.bytes.start;
        let malformed = |at: usize| ClassFileError::Malformed { what: "instruction", offset: offset + at };
        let bytes = &self.class.constants.file[code.bytes.clone()];
        let located: Vec<Located> = instructions(bytes).collect::<Result<_, usize>>().map_err(malformed)?;
        let targets = Targets { located: &located, code_start: offset };
        let mut body = Body { steps: Vec::with_capacity(located.len()), handlers: Vec::new() };
        for located in &located {
            let instruction = self.resolved(located, &targets)?;
            body.steps.push(Step { pc: located.pc as u16, instruction });
        }
        for handler in &code.handlers {
            let range = &handler.range;
            let end = if range.end == bytes.len() { located.len() } else { targets.step_at(range.end, 0)? };
            body.handlers.push(Handler {
                steps: targets.step_at(range.start, 0)?..end,
                target: targets.step_at(range.handler, 0)?,
                catches: handler.catches.clone(),
            });
        }
        Ok(body)
    }

    fn resolved(&mut self, located: &Located, targets: &Targets) -> Result<Instruction, ClassFileError> {
        let pc = located.pc;
        Ok(match located.instruction {
            Instruction::Nop => Instruction::Nop,
            Instruction::Null => Instruction::Null,
            Instruction::Constant(constant) => Instruction::Constant(self.constant(constant)?),
            Instruction::Load { kind, local } => Instruction::Load { kind, local: local.index },
            Instruction::Store { kind, local } => Instruction::Store { kind, local: local.index },
            Instruction::Increment { local, by } => Instruction::Increment { local: local.index, by },
            Instruction::ArrayLoad(element) => Instruction::ArrayLoad(element),
            Instruction::ArrayStore(element) => Instruction::ArrayStore(element),
            Instruction::ArrayLength => Instruction::ArrayLength,
            Instruction::Stack(operation) => Instruction::Stack(operation),
            Instruction::Arithmetic(arithmetic) => Instruction::Arithmetic(arithmetic),
            Instruction::Compare(comparison) => Instruction::Compare(comparison),
            Instruction::Branch { condition, target } => {
                Instruction::Branch { condition, target: targets.step(pc, target.by)? }
            }
            Instruction::Goto { target } => Instruction::Goto { target: targets.step(pc, target.by)? },
            Instruction::JumpSubroutine { target } => {
                Instruction::JumpSubroutine { target: targets.step(pc, target.by)? }
            }
            Instruction::ReturnSubroutine { local } => Instruction::ReturnSubroutine { local: local.index },
            Instruction::Switch(switch) => Instruction::Switch(targets.switch(pc, &switch)?),
            Instruction::Return(kind) => Instruction::Return(kind),
            Instruction::Field { access, field } => Instruction::Field { access, field: self.field(field)? },
            Instruction::Invoke { kind, method } => Instruction::Invoke { kind, method: self.method(method.index)? },
            Instruction::InvokeDynamic(site) => Instruction::InvokeDynamic(self.call_site(site)?),
            Instruction::New(class) => Instruction::New(self.class_type(class)?),
            Instruction::NewArray(array) => Instruction::NewArray(Type::array(self.element_type(array, pc)?)),
            Instruction::NewMultiArray { array, dimensions } => {
                Instruction::NewMultiArray { array: self.class_type(array)?, dimensions }
            }
            Instruction::CheckCast(class) => Instruction::CheckCast(self.class_type(class)?),
            Instruction::InstanceOf(class) => Instruction::InstanceOf(self.class_type(class)?),
            Instruction::Throw => Instruction::Throw,
            Instruction::MonitorEnter => Instruction::MonitorEnter,
            Instruction::MonitorExit => Instruction::MonitorExit,
        })
    }

    fn constant(&mut self, constant: EncodedConstant) -> Result<Constant, ClassFileError> {
        let (index, is_wide) = match constant {
            EncodedConstant::Implicit(number, value) => {
                return Ok(Constant::Literal(match number {
                    Number::Int => Literal::Int(value.into()),
                    Number::Long => Literal::Long(value.into()),
                    Number::Float => Literal::float(value.into()),
                    Number::Double => Literal::double(value.into()),
                }));
            }
            EncodedConstant::Byte(value) => return Ok(Constant::Literal(Literal::Int(value.into()))),
            EncodedConstant::Short(value) => return Ok(Constant::Literal(Literal::Int(value.into()))),
            EncodedConstant::Pool(index) => (index.into(), false),
            EncodedConstant::PoolWide(index) => (index, false),
            EncodedConstant::PoolTwoSlots(index) => (index, true),
        };
        Ok(self.names.literal(&self.pool, index)?.map_or(Constant::Dynamic { is_wide }, Constant::Literal))
    }

    fn element_type(&mut self, array: EncodedArray, pc: usize) -> Result<Type, ClassFileError> {
        // The array type codes of JVMS table 6.5.newarray-A, which begin with 4.
        const ELEMENTS: [Primitive; 8] = [
            Primitive::Boolean,
            Primitive::Char,
            Primitive::Float,
            Primitive::Double,
            Primitive::Byte,
            Primitive::Short,
            Primitive::Int,
            Primitive::Long,
        ];
        let code = match array {
            EncodedArray::Primitive(code) => code,
            EncodedArray::Reference(class) => return self.class_type(class),
        };
        let element = code.checked_sub(4).and_then(|at| ELEMENTS.get(usize::from(at)));
        let malformed = ClassFileError::Malformed { what: "array type", offset: pc };
        element.map(|element| Type::Primitive(*element)).ok_or(malformed)
    }

    fn class_type(&mut self, index: u16) -> Result<Type, ClassFileError> {
        self.names.class_type(&self.pool, index)?.ok_or(ClassFileError::BadConstant { index })
    }

    fn field(&mut self, index: u16) -> Result<Arc<FieldMember>, ClassFileError> {
        if let Some(known) = self.fields.get(&index) {
            return Ok(known.clone());
        }
        let member = self.pool.member_indices(index)?;
        let broken = ClassFileError::BadConstant { index };
        let field = Arc::new(FieldMember {
            owner: self.names.class(&self.pool, member.class)?,
            name: self.names.text(&self.pool, member.name)?,
            field_type: self.names.field_type(&self.pool, member.descriptor)?.ok_or(broken)?,
        });
        self.fields.insert(index, field.clone());
        Ok(field)
    }

    fn method(&mut self, index: u16) -> Result<Arc<MethodMember>, ClassFileError> {
        if let Some(known) = self.methods.get(&index) {
            return Ok(known.clone());
        }
        let method = Arc::new(self.named_method(index)?.ok_or(ClassFileError::BadConstant { index })?);
        self.methods.insert(index, method.clone());
        Ok(method)
    }

    /// The method that a constant names; `None` if it names a field.
    fn named_method(&mut self, index: u16) -> Result<Option<MethodMember>, ClassFileError> {
        let member = self.pool.member_indices(index)?;
        let owner = self.names.class(&self.pool, member.class)?;
        let name = self.names.text(&self.pool, member.name)?;
        let descriptor = self.names.descriptor(&self.pool, member.descriptor)?;
        Ok(descriptor.map(|descriptor| MethodMember { owner, name, descriptor }))
    }

    fn call_site(&mut self, index: u16) -> Result<Arc<CallSite>, ClassFileError> {
        if let Some(known) = self.sites.get(&index) {
            return Ok(known.clone());
        }
        let broken = || ClassFileError::BadConstant { index };
        let [bootstrap, name, descriptor] = self.pool.dynamic_indices(index)?;
        let bootstraps = &self.class.constants.bootstraps;
        let (handle, arguments) = bootstraps.get(usize::from(bootstrap)).ok_or_else(broken)?;
        self.names.count(arguments.len())?;
        let bootstrap = self.pool.member_indices(self.pool.handle_index(*handle)?)?.class;
        let mut site = CallSite {
            bootstrap: self.names.class(&self.pool, bootstrap)?,
            name: self.names.text(&self.pool, name)?,
            descriptor: self.names.descriptor(&self.pool, descriptor)?.ok_or_else(broken)?,
            arguments: Vec::with_capacity(arguments.len()),
            handles: Vec::new(),
        };
        for &argument in arguments {
            if self.pool.tag(argument) == tag::METHOD_HANDLE {
                // Handles of fields have a field's descriptor.
                let handle = self.pool.handle_index(argument)?;
                site.handles.extend(self.named_method(handle)?);
            }
            site.arguments.push(self.names.literal(&self.pool, argument)?);
        }
        let site = Arc::new(site);
        self.sites.insert(index, site.clone());
        Ok(site)
    }
}

/// Finds the steps that offsets in a body lead to.
struct Targets<'a> {
    located: &'a [Located<'a>],
    /// Where the code begins in the file, which errors tell.
    code_start: usize,
}

impl Targets<'_> {
    fn step(&self, from: usize, by: i32) -> Result<usize, ClassFileError> {
        let malformed = ClassFileError::Malformed { what: "instruction", offset: self.code_start + from };
        self.step_at(from.checked_add_signed(by as isize).ok_or(malformed)?, from)
    }

    /// The step at `pc`, which is named at `from`.
    fn step_at(&self, pc: usize, from: usize) -> Result<usize, ClassFileError> {
        let step = self.located.binary_search_by_key(&pc, |located| located.pc);
        step.map_err(|_| ClassFileError::Malformed { what: "instruction", offset: self.code_start + from })
    }

    fn switch(&self, pc: usize, switch: &EncodedSwitch) -> Result<Switch, ClassFileError> {
        let own = switch.cases().filter(|case| case.1 != switch.default());
        let cases = own.map(|(key, by)| Ok((key, self.step(pc, by)?))).collect::<Result<_, _>>()?;
        Ok(Switch { default: self.step(pc, switch.default())?, cases })
    }
}

/// The bodies of all methods that can be decoded.
pub fn bodies(file: &ClassFile) -> Vec<Body> {
    let mut decoder = Decoder::new(file);
    let codes = file.methods.iter().filter_map(|method| method.code.as_ref());
    codes.filter_map(|code| decoder.body(code).ok()).collect()
}
