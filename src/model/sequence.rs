//! Operations, statements and sequences; joining, slicing, printing.
//!
//! A sequence is a list of statements; a statement is an action and its inputs, which are values of earlier
//! statements, kept as distances backwards (Randoop heuristics, docs/bibliography.md: "relative negative indices"), so
//! that sequences join without renumbering. A literal is a statement without inputs.

mod declared;
mod implemented;
mod injected;
mod own;

use crate::jvm::annotations::Annotation;
use crate::jvm::types::unboxed;
use crate::jvm::{ClassName, Literal, MethodDescriptor, Type};
use crate::words::{SETTERS, property};
use std::fmt;
use std::sync::Arc;

pub use implemented::{Answer, FAILURE, HOLDER, Implemented, Recorded, Recording};
pub use injected::{Injected, REFLECTION_TEST_UTILS};
pub use own::{CheckOperations, TEMPORARY_FILES};

/// What kind of member or expression an operation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OperationKind {
    /// Makes an object of its owner with `new`.
    Constructor,
    /// A method of a class or interface without a receiver.
    StaticMethod,
    /// A virtual or interface method; the first input is the receiver.
    InstanceMethod,
    /// Reads a static field; enum constants are read so too.
    GetStatic,
    /// Writes a static field; the one input is the value.
    SetStatic,
    /// Reads an instance field; the first input is the receiver.
    GetField,
    /// Writes an instance field; the inputs are receiver and value.
    SetField,
    /// A new array that holds its inputs; any number of them.
    Array,
    /// The one input as a value of the output type (checkcast).
    Cast,
    /// A new object of an anonymous class that implements or extends the owner.
    Implementation,
}

impl OperationKind {
    fn has_receiver(self) -> bool {
        matches!(self, OperationKind::InstanceMethod | OperationKind::GetField | OperationKind::SetField)
    }
}

/// What the anonymous class of an [`OperationKind::Implementation`] declares for code that looks at it by reflection.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Declared {
    /// On the class itself.
    pub annotations: Vec<Annotation>,
    /// Public ones alone, as reflection finds no others.
    pub fields: Vec<DeclaredField>,
    /// Where the class is annotated, or a member: a worker declares it in the package of this class.
    pub beside: Option<ClassName>,
}

/// A public field of such a class, and a method that accesses it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DeclaredField {
    /// On the accessor if there is one, else on the field.
    pub annotations: Vec<Annotation>,
    /// The method that accesses it.
    pub accessor: Option<Accessor>,
    /// The erased type.
    pub of: Type,
    /// The type arguments, none of raw types.
    pub arguments: Vec<Type>,
    /// Differs from those of the other fields.
    pub name: Arc<str>,
    /// The operation's input that it holds first; else it is null or zero.
    pub input: Option<u32>,
}

/// A public method of the class, named and typed as those of JavaBeans.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Accessor {
    /// Returns the field.
    Getter,
    /// Assigns its parameter to the field.
    Setter,
}

/// Something that a statement can do: a member of a class, array creation, a cast, or an implementation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Operation {
    /// Which of the other fields mean something depends on it.
    pub kind: OperationKind,
    /// The class that source code names; the array or cast type's class is in `output` instead.
    pub owner: ClassName,
    /// The owner is an interface (`invokeinterface`, and interface static methods).
    pub owner_is_interface: bool,
    /// Name of the method or field; `<init>` for constructors and implementations, empty for arrays and casts.
    pub name: Arc<str>,
    /// Erased types as the JVM links them: of a field `()T` to read and `(T)V` to write, of array creation `(E)[E`
    /// where E may occur any number of times, of a cast from anything `(Ljava/lang/Object;)T`, of an implementation
    /// the superclass's constructor.
    pub descriptor: MethodDescriptor,
    /// Types of the inputs, the receiver first. For an array: the one element type. Of an implementation, what its
    /// methods answer and fields hold stands behind what the constructor takes.
    pub inputs: Vec<Type>,
    /// Type of the value made; `None` for void.
    pub output: Option<Type>,
    /// The last parameter may be written as any number of elements (`ACC_VARARGS`).
    pub varargs: bool,
    /// Declared checked or unchecked exceptions (JVMS §4.7.5).
    pub exceptions: Vec<ClassName>,
    /// The generic signature (JVMS §4.7.9.1), if the member has one.
    pub signature: Option<Arc<str>>,
    /// Names of the parameters where the class file has them, or those of a method under test that overrides this one.
    pub parameter_names: Vec<Arc<str>>,
    /// Inputs that annotations allow to be null, or whose null code under test looks for.
    pub nullable: Vec<usize>,
    /// Member and all its classes are public, so that code of any package may use it.
    pub public: bool,
    /// It exists only for the surrounding code, such as a non-public member of a public class.
    pub internal: bool,
    /// It is code under test that only tests in its package can use: the member is neither public nor protected, or its
    /// class is not and callers elsewhere get no object of it.
    pub back_door: bool,
    /// It is deprecated code under test.
    pub deprecated: bool,
    /// It reads a constant of an enum, and no other static field of it (JVMS §4.5, `ACC_ENUM`).
    pub is_enum_constant: bool,
    /// The methods of an implementation, none of other operations.
    pub implemented: Vec<Implemented>,
    /// What an implementation declares beside them.
    pub declared: Declared,
    /// Tests write the implementation as a mock, which answers the calls that were made of it.
    pub mock: bool,
    /// Fields of the object that a constructor makes, which a container would set: the operation sets them as soon as it is
    /// made, to the inputs behind those of the constructor.
    pub injected: Vec<Injected>,
}

impl Operation {
    /// A public operation that takes and makes what its descriptor and owner say.
    pub fn new(
        kind: OperationKind,
        owner: ClassName,
        name: impl Into<Arc<str>>,
        descriptor: MethodDescriptor,
    ) -> Operation {
        let of_owner = || Type::Class(owner.clone());
        let receiver = kind.has_receiver().then(of_owner);
        let output = match kind {
            OperationKind::Constructor | OperationKind::Implementation => Some(of_owner()),
            _ => descriptor.returns.clone(),
        };
        Operation {
            kind,
            owner,
            owner_is_interface: false,
            name: name.into(),
            inputs: receiver.into_iter().chain(descriptor.parameters.iter().cloned()).collect(),
            output,
            descriptor,
            varargs: false,
            exceptions: Vec::new(),
            signature: None,
            parameter_names: Vec::new(),
            nullable: Vec::new(),
            public: true,
            internal: false,
            back_door: false,
            deprecated: false,
            is_enum_constant: false,
            implemented: Vec::new(),
            declared: Declared::default(),
            mock: false,
            injected: Vec::new(),
        }
    }

    /// The name of the parameter that takes the input of the index, if the class file has it.
    pub fn name_of_input(&self, index: usize) -> Option<&str> {
        let parameter = index.checked_sub(usize::from(self.has_receiver()))?;
        self.parameter_names.get(parameter).map(|name| &**name).filter(|name| !name.is_empty())
    }

    /// Whether it is named after the property that the other one sets: `getTrim` after `setTrim` or `withTrim`, `getQuoteCharacter`
    /// after `withQuote` of a character.
    pub fn reads_what_is_set_by(&self, set: &Operation) -> bool {
        let names = property(&set.name, &SETTERS).zip(property(&self.name, &["get", "is", "has"]));
        names.is_some_and(|(written, read)| match read.strip_prefix(written) {
            Some("") => true,
            Some(rest) => self.output.as_ref().is_some_and(|read| {
                let unboxed = |of: &Type| of.class_name().and_then(unboxed).map_or(of.clone(), Type::Primitive);
                let names_type = match unboxed(read) {
                    Type::Primitive(primitive) => {
                        rest == primitive.wrapper().simple() || rest.eq_ignore_ascii_case(primitive.keyword())
                    }
                    of => of.class_name().is_some_and(|class| rest == class.simple()),
                };
                names_type && set.descriptor.parameters.iter().map(unboxed).eq([unboxed(read)])
            }),
            None => false,
        })
    }

    /// It asks an object whether it equals another one.
    pub fn is_equals(&self) -> bool {
        &*self.name == "equals" && self.has_receiver() && self.inputs.len() == 2
    }

    /// The first input is a receiver.
    pub fn has_receiver(&self) -> bool {
        self.kind.has_receiver()
    }

    /// It runs a method's body: one of a class, not one that randgen wrote.
    pub fn is_code(&self) -> bool {
        matches!(self.kind, OperationKind::Constructor | OperationKind::StaticMethod | OperationKind::InstanceMethod)
    }

    /// It reads a static field of its class that holds an object of the class, as enum constants are.
    pub fn reads_own_constant(&self) -> bool {
        self.kind == OperationKind::GetStatic && self.output.as_ref().and_then(Type::class_name) == Some(&self.owner)
    }

    /// It is an implementation that Java can write as a lambda.
    pub fn is_functional(&self) -> bool {
        self.owner_is_interface && !self.mock && matches!(&self.implemented[..], [method] if !method.generic)
    }
}

/// `java.util.List.add(java.lang.Object)`: for reports and messages.
impl fmt::Display for Operation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parameters = || {
            let shown: Vec<String> = self.descriptor.parameters.iter().map(Type::to_string).collect();
            shown.join(", ")
        };
        match self.kind {
            OperationKind::Constructor => write!(formatter, "{}({})", self.owner, parameters()),
            OperationKind::StaticMethod | OperationKind::InstanceMethod => {
                write!(formatter, "{}.{}({})", self.owner, self.name, parameters())
            }
            OperationKind::GetStatic | OperationKind::GetField => write!(formatter, "{}.{}", self.owner, self.name),
            OperationKind::SetStatic | OperationKind::SetField => write!(formatter, "{}.{} =", self.owner, self.name),
            OperationKind::Array | OperationKind::Cast => {
                let output = self.output.as_ref().expect("arrays and casts make a value");
                let word = if self.kind == OperationKind::Array { "new" } else { "cast to" };
                write!(formatter, "{word} {output}")
            }
            OperationKind::Implementation => {
                for annotation in &self.declared.annotations {
                    write!(formatter, "{annotation} ")?;
                }
                let word = if self.mock { "mock" } else { "new" };
                write!(formatter, "{word} {}({}) {{", self.owner, parameters())?;
                for method in &self.implemented {
                    write!(formatter, " {}: {}", method.name, method.answer)?;
                    match method.recording {
                        Some(Recording { list, of: Recorded::Parameter }) => {
                            write!(formatter, ", adds to input {list};")?
                        }
                        Some(Recording { list, of: Recorded::Call }) => write!(formatter, ", call to input {list};")?,
                        Some(Recording { list, of: Recorded::Label(label) }) => {
                            write!(formatter, ", adds input {label} to input {list};")?
                        }
                        None => formatter.write_str(";")?,
                    }
                }
                for field in &self.declared.fields {
                    write!(formatter, " {field};")?;
                }
                formatter.write_str(" }")
            }
        }
    }
}

/// Index of an operation in the table of the run's program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OperationId(pub u32);

/// The run's operations, in an order that depends on the program alone.
pub type Operations = Arc<[Operation]>;

/// What one statement does.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Action {
    /// Makes a value that source writes down.
    Literal(Literal),
    /// Performs an operation on the statement's inputs.
    Call(OperationId),
}

/// One step of a sequence.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Statement {
    /// What it makes its value from.
    pub action: Action,
    /// How many statements back each input was made: 1 is the statement before. Never 0.
    pub inputs: Vec<u32>,
}

/// Statements in order of execution. Each statement's inputs exist and come before it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sequence {
    statements: Vec<Statement>,
    /// A statement that is to throw, and does not end the run: what stands behind it looks at what the rejected call left.
    rejected: Option<usize>,
}

impl Sequence {
    /// Without statements.
    pub fn new() -> Sequence {
        Sequence::default()
    }

    /// In order of execution; indices elsewhere count from the first.
    pub fn statements(&self) -> &[Statement] {
        &self.statements
    }

    /// Number of statements, literals included.
    pub fn len(&self) -> usize {
        self.statements.len()
    }

    /// Whether it does nothing when it runs.
    pub fn is_empty(&self) -> bool {
        self.statements.is_empty()
    }

    /// Appends a literal; returns its index.
    pub fn push_literal(&mut self, literal: Literal) -> usize {
        self.statements.push(Statement { action: Action::Literal(literal), inputs: Vec::new() });
        self.statements.len() - 1
    }

    /// Appends a call of `operation` on the values of the statements at `inputs`; returns its index.
    ///
    /// # Panics
    /// If an input is not an earlier statement.
    pub fn push_call(&mut self, operation: OperationId, inputs: &[usize]) -> usize {
        self.push(Action::Call(operation), inputs)
    }

    /// Appends any action on the values of the statements at `inputs`; returns its index.
    ///
    /// # Panics
    /// If an input is not an earlier statement.
    pub fn push(&mut self, action: Action, inputs: &[usize]) -> usize {
        let at = self.statements.len();
        let inputs = inputs
            .iter()
            .map(|&input| {
                assert!(input < at, "input {input} of statement {at} is not an earlier statement");
                (at - input) as u32
            })
            .collect();
        self.statements.push(Statement { action, inputs });
        at
    }

    /// The operations called, in order.
    pub fn calls(&self) -> impl DoubleEndedIterator<Item = OperationId> + '_ {
        (0..self.len()).filter_map(|index| self.call_at(index))
    }

    /// The statement whose exception does not end the run, if there is one; others stand behind it.
    pub fn rejected(&self) -> Option<usize> {
        self.rejected
    }

    /// The sequence with `length` of its statements before the others, of which the last is to throw; the run goes on with the
    /// others all the same.
    ///
    /// # Panics
    /// If there are not so many statements.
    pub fn going_on_after(mut self, length: usize) -> Sequence {
        assert!(0 < length && length <= self.len(), "statement {length} of {}", self.len());
        self.rejected = (length < self.len()).then_some(length - 1);
        self
    }

    /// The sequence if no call of it is to throw.
    pub fn without_rejection(mut self) -> Sequence {
        self.rejected = None;
        self
    }

    /// The statement with which a run ends that throws: the last one, or the one that is rejected.
    pub fn throwing(&self) -> Option<usize> {
        self.rejected.or(self.len().checked_sub(1))
    }

    /// Indices of the statements whose values statement `index` takes.
    pub fn inputs_of(&self, index: usize) -> impl DoubleEndedIterator<Item = usize> + ExactSizeIterator + '_ {
        self.statements[index].inputs.iter().map(move |&back| index - back as usize)
    }

    /// The operation that a statement calls.
    pub fn call_at(&self, index: usize) -> Option<OperationId> {
        let Action::Call(operation) = self.statements[index].action else { return None };
        Some(operation)
    }

    /// The literal that a statement is.
    pub fn literal_at(&self, index: usize) -> Option<&Literal> {
        let Action::Literal(literal) = &self.statements[index].action else { return None };
        Some(literal)
    }

    /// Whether both are the same statement, or equal literals.
    pub fn has_same_value(&self, one: usize, other: usize) -> bool {
        one == other || self.literal_at(one).is_some_and(|literal| self.literal_at(other) == Some(literal))
    }

    /// Appends all statements of `other`; returns by how much its indices moved.
    pub fn append(&mut self, other: &Sequence) -> usize {
        let offset = self.statements.len();
        self.statements.extend_from_slice(&other.statements);
        offset
    }

    /// The first `length` statements.
    pub fn prefix(&self, length: usize) -> Sequence {
        let rejected = self.rejected.filter(|at| at + 1 < length);
        Sequence { statements: self.statements[..length].to_vec(), rejected }
    }

    /// The statements for which `keep` holds, or `None` when a kept one needs a dropped one.
    pub fn retain(&self, keep: impl Fn(usize) -> bool) -> Option<Sequence> {
        let mut moved = vec![usize::MAX; self.len()];
        let mut kept = Sequence::new();
        for index in (0..self.len()).filter(|&index| keep(index)) {
            let inputs: Vec<usize> = self.inputs_of(index).map(|input| moved[input]).collect();
            if inputs.contains(&usize::MAX) {
                return None;
            }
            moved[index] = kept.push(self.statements[index].action.clone(), &inputs);
        }
        kept.rejected = self.rejected.map(|at| moved[at]).filter(|at| at.saturating_add(1) < kept.len());
        Some(kept)
    }

    /// The sequence with another literal as statement `index`.
    pub fn with_literal(&self, index: usize, literal: Literal) -> Sequence {
        let mut changed = self.clone();
        changed.statements[index] = Statement { action: Action::Literal(literal), inputs: Vec::new() };
        changed
    }

    /// For each statement, whether it is wanted or a wanted one depends on its value by inputs.
    pub fn needed_by(&self, is_wanted: impl Fn(usize) -> bool) -> Vec<bool> {
        let mut needed: Vec<bool> = (0..self.len()).map(is_wanted).collect();
        for at in (0..self.len()).rev() {
            if needed[at] {
                for input in self.inputs_of(at) {
                    needed[input] = true;
                }
            }
        }
        needed
    }

    /// Type of the value that statement `index` makes; `None` for void.
    pub fn output_of(&self, index: usize, operations: &[Operation]) -> Option<Type> {
        match &self.statements[index].action {
            Action::Literal(literal) => Some(literal.literal_type()),
            Action::Call(operation) => operations[operation.0 as usize].output.clone(),
        }
    }

    /// One line per statement, for messages and tests: `v2 = java.util.List.add(java.lang.Object)(v0, v1)`.
    pub fn describe(&self, operations: &[Operation]) -> String {
        let mut text = String::new();
        for (index, statement) in self.statements.iter().enumerate() {
            let inputs: Vec<String> = self.inputs_of(index).map(|input| format!("v{input}")).collect();
            let shown = match &statement.action {
                Action::Literal(literal) => format!("{literal:?}"),
                Action::Call(operation) => format!("{} <- ({})", operations[operation.0 as usize], inputs.join(", ")),
            };
            let end = if self.rejected == Some(index) { " throws" } else { "" };
            text.push_str(&format!("v{index} = {shown}{end}\n"));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jvm::Primitive;

    fn call(operation: u32) -> OperationId {
        OperationId(operation)
    }

    #[test]
    fn an_appended_sequence_keeps_its_own_inputs() {
        let mut first = Sequence::new();
        first.push_literal(Literal::Int(1));
        let mut second = Sequence::new();
        let one = second.push_literal(Literal::Int(2));
        second.push_call(call(0), &[one]);
        let offset = first.append(&second);
        assert_eq!(first.inputs_of(offset + 1).collect::<Vec<_>>(), [offset]);
    }

    #[test]
    fn an_accessor_is_named_as_that_of_a_java_bean() {
        for (of, name, getter, setter) in [
            (Type::INT, "number2", "getNumber2", "setNumber2"),
            (Type::Primitive(Primitive::Boolean), "flag", "isFlag", "setFlag"),
            (Type::string(), "état", "getÉtat", "setÉtat"),
        ] {
            let (annotations, arguments) = (Vec::new(), Vec::new());
            let field = DeclaredField { annotations, accessor: None, of, arguments, name: name.into(), input: None };
            assert_eq!([Accessor::Getter, Accessor::Setter].map(|of| field.accessor_name(of)), [getter, setter]);
        }
    }

    #[test]
    fn statements_behind_a_rejected_call_stay_behind_it() {
        let mut sequence = Sequence::new();
        let one = sequence.push_literal(Literal::Int(1));
        let stack = sequence.push_call(call(0), &[]);
        sequence.push_call(call(1), &[stack]);
        sequence.push_call(call(2), &[stack]);
        assert_eq!(sequence.throwing(), Some(3));
        let sequence = sequence.going_on_after(3);
        assert_eq!((sequence.rejected(), sequence.throwing()), (Some(2), Some(2)));
        let kept = sequence.retain(|index| index != one).unwrap();
        assert_eq!(kept.rejected(), Some(1));
        assert_eq!(sequence.retain(|index| index != 3).unwrap(), sequence.prefix(3));
        assert_eq!(sequence.prefix(3).rejected(), None, "nothing stands behind it");
        assert_eq!(sequence.going_on_after(4).rejected(), None);
    }

    #[test]
    fn input_has_the_name_of_the_parameter_behind_the_receiver() {
        let descriptor = MethodDescriptor::parse("(II)V").unwrap();
        let names = ["width", ""].map(Arc::from).to_vec();
        let method = Operation::new(OperationKind::InstanceMethod, ClassName::new("A"), "m", descriptor);
        let method = Operation { parameter_names: names, ..method };
        assert_eq!([0, 1, 2, 3].map(|index| method.name_of_input(index)), [None, Some("width"), None, None]);
    }

    #[test]
    fn getter_reads_what_the_setter_of_its_name_and_type_sets() {
        let method = |name: &str, descriptor: &str| {
            let descriptor = MethodDescriptor::parse(descriptor).unwrap();
            Operation::new(OperationKind::InstanceMethod, ClassName::new("A"), name, descriptor)
        };
        let with_quote = method("withQuote", "(C)LA;");
        let reads = |name: &str, descriptor: &str| method(name, descriptor).reads_what_is_set_by(&with_quote);
        assert!(reads("getQuote", "()LMode;") && reads("getQuoteCharacter", "()Ljava/lang/Character;"));
        assert!(reads("getQuoteChar", "()C") && !reads("getQuoteLimit", "()C") && !reads("getQuotes", "()C"));
        assert!(!reads("getQuoteMode", "()LMode;") && !reads("getTrim", "()C"));
    }

    #[test]
    fn retain_without_a_needed_input_returns_none() {
        let mut sequence = Sequence::new();
        let one = sequence.push_literal(Literal::Int(1));
        let two = sequence.push_literal(Literal::Int(2));
        sequence.push_call(call(0), &[two]);
        assert_eq!(sequence.retain(|index| index != two), None);
        let kept = sequence.retain(|index| index != one).unwrap();
        assert_eq!(kept.inputs_of(1).collect::<Vec<_>>(), [0]);
    }
}
