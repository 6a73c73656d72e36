//! Runs bytecode over values that may be symbolic, on a concrete heap (JVMS §6.5).
//!
//! A machine runs one call on one [`Path`]. Where a condition is not known, the path decides. Exceptions are objects; what
//! cannot be interpreted ends the run with a reason, and says nothing.

mod calls;
mod instructions;
mod lambdas;
mod memory;
mod natives;
mod strings;

use super::classes::{ClassId, Classes, MethodId};
use super::heap::{Heap, HeapObject, Reference, SymbolicValue};
use super::path::Path;
use super::solver::Oracle;
use super::term::{TermRelation, Terms};
use bytecode::classfile::{Body, Instruction};
use model::jvm::types::access;
use model::jvm::{ClassName, JavaString, Literal, Primitive, Type};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::Arc;

/// Most nested calls. The JVM limits the bytes of its stack instead, so the result of deeper recursion is not known.
const DEEPEST: usize = 600;

/// The longest array that is made.
const LONGEST: usize = 1 << 16;

/// Objects that a run may make: its heap stays within some tens of MB.
const MOST_OBJECTS: usize = 1 << 20;

/// Why a call has no result.
#[derive(Clone, Debug, PartialEq)]
pub enum AbruptEnd {
    /// The exception, an object of the heap.
    Threw(Reference),
    /// The run ended before the program did.
    Stopped(Stop),
}

/// Why a run ended before the program did.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum Stop {
    /// An instruction, a native method or a value that the interpreter does not know.
    #[error("{0} is not interpreted")]
    Unsupported(String),
    /// The budget of instructions is used up, as by a loop without end.
    #[error("more steps than a run may have")]
    Endless,
    /// The call branched more often than paths are followed.
    #[error("more paths than a call may have")]
    Paths,
    /// Nested calls are limited, because deep recursion would exhaust the stack of this process.
    #[error("calls within calls are too deep")]
    Deep,
    /// Memory is limited, as code may allocate in a loop.
    #[error("arrays or objects are too many")]
    Large,
    /// A condition could not be decided, so that neither of its branches can be taken.
    #[error("the solver gave no answer")]
    Undecided,
}

/// What a call returns, or how it ended.
pub type RunResult<T> = Result<T, AbruptEnd>;

type Native = fn(&mut Interpreter, &[SymbolicValue]) -> RunResult<Option<SymbolicValue>>;

/// What answers a method in place of its body.
#[derive(Clone, Copy)]
struct Natives {
    always: Option<Native>,
    /// Where the first argument is not known.
    of_symbol: Option<Native>,
}

/// What outlives a run: linked classes and terms.
pub struct InterpreterWorld<'a> {
    /// Classes as they are linked.
    pub classes: Classes<'a>,
    /// All terms of its runs.
    pub terms: Terms,
    /// Methods that are answered here, by the method.
    natives: FxHashMap<MethodId, Natives>,
}

impl<'a> InterpreterWorld<'a> {
    /// Nothing is linked yet.
    pub fn new(classes: Classes<'a>) -> InterpreterWorld<'a> {
        InterpreterWorld { classes, terms: Terms::default(), natives: FxHashMap::default() }
    }
}

/// One run.
pub struct Interpreter<'r, 'w, 's> {
    /// What outlives the run.
    pub world: &'r mut InterpreterWorld<'w>,
    /// Decides what is not known.
    pub oracle: &'r mut Oracle<'s>,
    /// The objects of the run.
    pub heap: Heap,
    /// What the run decided, or is to decide.
    pub path: Path,
    /// Instructions that it may still execute.
    pub steps: u64,
    /// Records the outcome of each branch, if it is `Some`.
    pub branch_events: Option<Vec<BranchEvent>>,
    /// Conditions that its path may have.
    pub conditions: usize,
    depth: usize,
}

/// Branch event: a conditional jump or a switch that a run executed, and its outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BranchEvent {
    /// The method that has the instruction.
    pub method: MethodId,
    /// Index of the branch instruction.
    pub from: usize,
    /// Index of the instruction that was executed next.
    pub to: usize,
    /// Number of path conditions at this point.
    pub conditions: usize,
}

/// A method's local variables and operands. A value of two slots is one here, and leaves the next variable unused.
struct InterpreterFrame {
    method: MethodId,
    body: Rc<Body>,
    at: usize,
    locals: Vec<SymbolicValue>,
    stack: Vec<SymbolicValue>,
}

/// What comes after an instruction.
enum Next {
    Step(usize),
    Return(Option<SymbolicValue>),
}

impl<'r, 'w, 's> Interpreter<'r, 'w, 's> {
    /// A run over this heap, of at most so many steps.
    pub fn new(
        world: &'r mut InterpreterWorld<'w>,
        oracle: &'r mut Oracle<'s>,
        heap: Heap,
        path: Path,
        steps: u64,
    ) -> Self {
        Interpreter { world, oracle, heap, path, steps, branch_events: None, conditions: usize::MAX, depth: 0 }
    }

    /// Runs the method itself, whatever overrides it.
    pub fn invoke(&mut self, method: MethodId, arguments: &[SymbolicValue]) -> RunResult<Option<SymbolicValue>> {
        let natives = self.natives(method);
        let is_symbolic = matches!(arguments.first(), Some(SymbolicValue::Symbol(_)));
        if let Some(native) = natives.always.or(natives.of_symbol.filter(|_| is_symbolic)) {
            let answer = native(self, arguments)?;
            return self.as_declared(method, answer);
        }
        let declared = self.world.classes.method(method);
        let is_static = declared.access & access::STATIC != 0;
        if is_static {
            if natives::STATE_OF_THE_JVM.contains(&self.world.classes.name(method.class).internal()) {
                return Err(self.unsupported(method));
            }
            self.initialise(method.class)?;
        }
        let Some(body) = self.world.classes.body(method) else {
            return Err(self.unsupported(method));
        };
        if self.depth == DEEPEST {
            return Err(AbruptEnd::Stopped(Stop::Deep));
        }
        let mut locals = Vec::with_capacity(arguments.len() + 8);
        for &argument in arguments {
            locals.push(argument);
            if self.is_wide(argument) {
                locals.push(SymbolicValue::Int(0));
            }
        }
        self.depth += 1;
        let result = self.run(InterpreterFrame { method, body, at: 0, locals, stack: Vec::new() });
        self.depth -= 1;
        result
    }

    /// A native's answer as the method declares it: of `Unsafe`, JDK 25 has longs where 17 has ints.
    fn as_declared(&self, method: MethodId, answer: Option<SymbolicValue>) -> RunResult<Option<SymbolicValue>> {
        let returns = &self.world.classes.method(method).descriptor.returns;
        let primitive = match returns {
            Some(Type::Primitive(primitive)) => Some(*primitive),
            _ => None,
        };
        let fits = match (answer, primitive) {
            (None, _) => returns.is_none(),
            (Some(SymbolicValue::Int(value)), Some(Primitive::Long)) => {
                return Ok(Some(SymbolicValue::Long(value.into())));
            }
            (Some(SymbolicValue::Long(_)), _) => primitive == Some(Primitive::Long),
            (Some(SymbolicValue::Float(_)), _) => primitive == Some(Primitive::Float),
            (Some(SymbolicValue::Double(_)), _) => primitive == Some(Primitive::Double),
            (Some(SymbolicValue::Symbol(term)), Some(_)) => {
                self.world.terms.is_wide(term) == (primitive == Some(Primitive::Long))
            }
            (Some(SymbolicValue::Int(_)), _) => {
                primitive.is_some_and(|it| !matches!(it, Primitive::Float | Primitive::Double))
            }
            (Some(SymbolicValue::Null | SymbolicValue::Reference(_)), _) => returns.is_some() && primitive.is_none(),
            (Some(SymbolicValue::Symbol(_)), None) => false,
        };
        if fits { Ok(answer) } else { Err(self.unsupported(method)) }
    }

    fn run(&mut self, mut frame: InterpreterFrame) -> RunResult<Option<SymbolicValue>> {
        let body = frame.body.clone();
        loop {
            if self.steps == 0 {
                return Err(AbruptEnd::Stopped(Stop::Endless));
            }
            self.steps -= 1;
            let at = frame.at;
            let Some(step) = body.steps.get(at) else { return Err(self.unsupported(frame.method)) };
            match self.step(&mut frame, step) {
                Ok(Next::Step(next)) => {
                    if let Some(events) = &mut self.branch_events
                        && matches!(step.instruction, Instruction::Branch { .. } | Instruction::Switch(_))
                    {
                        let conditions = self.path.conditions.len();
                        events.push(BranchEvent { method: frame.method, from: at, to: next, conditions });
                    }
                    frame.at = next;
                }
                Ok(Next::Return(value)) => return Ok(value),
                Err(AbruptEnd::Threw(exception)) => match self.handler(&body, at, exception)? {
                    Some(target) => {
                        frame.stack.clear();
                        frame.stack.push(SymbolicValue::Reference(exception));
                        frame.at = target;
                    }
                    None => return Err(AbruptEnd::Threw(exception)),
                },
                Err(stopped) => return Err(stopped),
            }
        }
    }

    fn handler(&mut self, body: &Body, at: usize, exception: Reference) -> RunResult<Option<usize>> {
        let HeapObject::Instance { class, .. } = *self.heap.object(exception) else { return Ok(None) };
        for handler in body.handlers.iter().filter(|handler| handler.steps.contains(&at)) {
            let catches = match &handler.catches {
                None => true,
                Some(name) => {
                    let caught = self.link(name)?;
                    self.world.classes.is_subclass(class, caught)
                }
            };
            if catches {
                return Ok(Some(handler.target));
            }
        }
        Ok(None)
    }

    /// Whether the relation holds on this path.
    fn decide(&mut self, relation: TermRelation, left: SymbolicValue, right: SymbolicValue) -> RunResult<bool> {
        if self.path.conditions.len() >= self.conditions {
            return Err(AbruptEnd::Stopped(Stop::Paths));
        }
        let (left, right) = (self.term(left), self.term(right));
        Ok(self.path.decide(&self.world.terms, self.oracle, relation, left, right))
    }

    fn term(&mut self, value: SymbolicValue) -> super::term::Term {
        match value {
            SymbolicValue::Symbol(term) => term,
            value => self.world.terms.known(value.literal().expect("only numbers are compared with symbols")),
        }
    }

    /// The value as one number, if need be one of those that it can have.
    fn narrow(&mut self, value: SymbolicValue, why: &'static str) -> RunResult<SymbolicValue> {
        let SymbolicValue::Symbol(term) = value else { return Ok(value) };
        match self.path.narrow(&mut self.world.terms, self.oracle, term, why) {
            Some(literal) => Ok(SymbolicValue::of_literal(&literal).expect("terms are numbers")),
            None => Err(AbruptEnd::Stopped(Stop::Undecided)),
        }
    }

    fn is_wide(&self, value: SymbolicValue) -> bool {
        match value {
            SymbolicValue::Long(_) | SymbolicValue::Double(_) => true,
            SymbolicValue::Symbol(term) => self.world.terms.is_wide(term),
            _ => false,
        }
    }

    /// The class, linked with those above it.
    pub fn link(&mut self, name: &ClassName) -> RunResult<ClassId> {
        let missing = || AbruptEnd::Stopped(Stop::Unsupported(format!("the missing class {name}")));
        self.world.classes.link(name).ok_or_else(missing)
    }

    fn unsupported(&self, method: MethodId) -> AbruptEnd {
        let class = self.world.classes.name(method.class);
        let name = &self.world.classes.method(method).name;
        AbruptEnd::Stopped(Stop::Unsupported(format!("{class}.{name}")))
    }

    /// Initialises the class, if it is not yet (JVMS §5.5).
    pub fn initialise(&mut self, class: ClassId) -> RunResult<()> {
        if self.heap.statics(class).is_some() {
            return Ok(());
        }
        let name = self.world.classes.name(class).internal().to_string();
        if natives::STATE_OF_THE_JVM.contains(&&*name) {
            return Err(AbruptEnd::Stopped(Stop::Unsupported(format!(
                "the static state of {}",
                name.replace('/', ".")
            ))));
        }
        let linked = self.world.classes.get(class);
        let fields: Vec<(Type, Option<Literal>)> =
            linked.static_fields().map(|field| (field.field_type.clone(), field.constant_value.clone())).collect();
        let (super_class, is_interface) = (linked.super_class, linked.is_interface());
        let mut values = Vec::with_capacity(fields.len());
        for (of, constant) in fields {
            values.push(match constant {
                Some(constant) => self.constant(&constant)?,
                None => SymbolicValue::zero(&of),
            });
        }
        self.heap.begin_statics(class, values);
        if let Some(super_class) = super_class.filter(|_| !is_interface) {
            self.initialise(super_class)?;
        }
        if natives::UNINITIALISED.contains(&&*name) {
            return Ok(());
        }
        let descriptor = model::jvm::MethodDescriptor::parse("()V").expect("a descriptor");
        let Some(initialiser) =
            self.world.classes.find_method(&ClassName::new(&name), &Arc::from("<clinit>"), &descriptor)
        else {
            return Ok(());
        };
        if initialiser.class != class {
            return Ok(());
        }
        match self.invoke(initialiser, &[]) {
            Ok(_) => Ok(()),
            Err(AbruptEnd::Threw(_)) => Err(AbruptEnd::Stopped(Stop::Unsupported(format!(
                "the failing initialiser of {}",
                name.replace('/', ".")
            )))),
            Err(stopped) => Err(stopped),
        }
    }

    /// The value of a constant.
    pub fn constant(&mut self, literal: &Literal) -> RunResult<SymbolicValue> {
        match literal {
            Literal::String(text) => self.interned(text),
            Literal::Class(of) => Ok(SymbolicValue::Reference(self.heap.mirror(of))),
            literal => Ok(SymbolicValue::of_literal(literal).expect("all other literals are numbers")),
        }
    }

    fn interned(&mut self, text: &JavaString) -> RunResult<SymbolicValue> {
        if let Some(known) = self.heap.interned(text) {
            return Ok(SymbolicValue::Reference(known));
        }
        let reference = self.text(text.units())?;
        self.heap.intern(text.clone(), reference);
        Ok(SymbolicValue::Reference(reference))
    }

    /// A new object of the class, which is initialised first, as `new` makes it.
    pub fn instantiate(&mut self, class: ClassId) -> RunResult<Reference> {
        self.initialise(class)?;
        self.allocate(class)
    }

    /// A new object of the class, its fields zero.
    pub fn allocate(&mut self, class: ClassId) -> RunResult<Reference> {
        if self.heap.len() > MOST_OBJECTS {
            return Err(AbruptEnd::Stopped(Stop::Large));
        }
        let fields = self.world.classes.get(class).layout.iter().map(|(_, of)| SymbolicValue::zero(of)).collect();
        Ok(self.heap.add(HeapObject::Instance { class, fields }))
    }

    /// A new array of the type with the elements.
    pub fn array(&mut self, of: Type, elements: Vec<SymbolicValue>) -> RunResult<Reference> {
        if elements.len() > LONGEST || self.heap.len() > MOST_OBJECTS {
            return Err(AbruptEnd::Stopped(Stop::Large));
        }
        Ok(self.heap.add(HeapObject::Array { of, elements }))
    }

    /// Throws what the JVM itself throws.
    fn throw<T>(&mut self, class: &str, message: Option<&str>) -> RunResult<T> {
        let class = self.link(&ClassName::new(class))?;
        let exception = self.allocate(class)?;
        let class = self.world.classes.get(class);
        let (text, cause) = (class.slot("detailMessage"), class.slot("cause"));
        if let (Some(slot), Some(message)) = (text, message) {
            let units: Vec<u16> = message.encode_utf16().collect();
            let message = self.text(&units)?;
            self.heap.set_field(exception, slot, SymbolicValue::Reference(message));
        }
        // Its own cause is none (`Throwable.cause`).
        if let Some(slot) = cause {
            self.heap.set_field(exception, slot, SymbolicValue::Reference(exception));
        }
        Err(AbruptEnd::Threw(exception))
    }

    fn null_pointer<T>(&mut self) -> RunResult<T> {
        self.throw("java/lang/NullPointerException", None)
    }

    /// The run-time type of an object.
    pub fn type_of(&self, reference: Reference) -> Type {
        match self.heap.object(reference) {
            HeapObject::Instance { class, .. } => Type::Class(self.world.classes.name(*class).clone()),
            HeapObject::Array { of, .. } => of.clone(),
            HeapObject::Mirror(_) => Type::class("java/lang/Class"),
            HeapObject::Lambda { interface, .. } => Type::Class(self.world.classes.name(*interface).clone()),
        }
    }

    /// The class whose methods an object has.
    fn class_of(&mut self, reference: Reference) -> RunResult<ClassId> {
        match self.heap.object(reference) {
            HeapObject::Instance { class, .. } => Ok(*class),
            HeapObject::Array { .. } => self.link(&ClassName::new("java/lang/Object")),
            HeapObject::Mirror(_) => self.link(&ClassName::new("java/lang/Class")),
            HeapObject::Lambda { interface, .. } => Ok(*interface),
        }
    }
}
