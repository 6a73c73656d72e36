//! The classes under test and the operations they offer.

mod annotated;
mod asked;
#[cfg(test)]
mod compiled;
mod documents;
mod existing_tests;
mod implementation;
mod instantiation;
mod platform;
mod reading;
mod told;

use model::execution::{StackFrame, Thrown, Value};
use model::jvm::types::TypeTable;
use model::jvm::{ClassName, Literal, MethodDescriptor, Type};
use model::sequence::{CheckOperations, Operation, OperationId, OperationKind, Operations, Sequence};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bytecode::analysis::caller_obligations::CallerObligations;
use bytecode::analysis::purity::Effects;
use bytecode::classfile::MethodMember;
pub use existing_tests::ExistingTests;
pub use platform::{PlainValue, is_newer_than_8};
pub use reading::{ClassSource, Classes, Selection, classes_left_out, read};
pub use told::{DO_NOT_TEST, GivenValue, Limit, Told};

/// Everything that the search knows before the first execution. It depends on the class files alone.
#[derive(Clone, Debug)]
pub struct Program {
    /// All that statements can do; the other fields name them by index.
    pub operations: Operations,
    /// The classes under test and those that their signatures lead to.
    pub types: TypeTable,
    /// Sorted by name.
    pub targets: Vec<Target>,
    /// Members and classes that no test can use, with the reason.
    pub skipped: Vec<Skipped>,
    /// Casts to the types that some operation takes.
    pub casts: BTreeMap<Type, OperationId>,
    /// Creation of the array types that some operation takes.
    pub arrays: BTreeMap<Type, OperationId>,
    /// What a person would write for types of the platform that operations take.
    pub plain_values: Vec<PlainValue>,
    /// The operations of `Object`, `Comparable` and `Comparator`, which are there in every program.
    pub checks: CheckOperations,
    /// Methods of code under test that say whether an object is as its class wants it (`@CheckRep`). They are checks and
    /// no operations of their class.
    pub contract_methods: Vec<OperationId>,
    /// Getters of libraries' classes of which code under test returns objects, in order: they show results and make nothing.
    pub result_getters: Vec<OperationId>,
    /// What a call may change, by operation.
    pub effects: Vec<Effects>,
    /// What is behind the operations that only tests in the package can use.
    pub back_doors: BTreeMap<OperationId, BackDoor>,
    /// Classes under test with a field that a container sets and no test can: the name of the first one.
    pub closed_fields: BTreeMap<ClassName, Arc<str>>,
    /// What the code under test asserts of its arguments, and which fields it expects to be set.
    pub caller_obligations: CallerObligations,
    /// What annotations of the project say.
    pub told: Told,
    /// What the project's own tests call; empty without tests.
    pub existing_tests: ExistingTests,
}

/// A class under test.
#[derive(Clone, Debug)]
pub struct Target {
    /// Tests of it are in its package.
    pub name: ClassName,
    /// Its members that a test in its package can use.
    pub operations: Vec<OperationId>,
    /// Those that make objects with annotations which code of its package looks at.
    pub annotated: Vec<OperationId>,
    /// Constants of its code in order of first occurrence, and how often each occurs.
    pub constants: Vec<(Literal, u32)>,
    /// If members take any object: the types that its code tests for or casts to.
    pub tested: Vec<Type>,
}

/// What is behind an operation that only tests in the package can use.
#[derive(Clone, Debug, Default)]
pub struct BackDoor {
    /// Whether code that any caller can use may call it.
    pub is_called: bool,
    /// Its own method, and those that no other operation runs and that it leads to.
    pub code: Vec<MethodMember>,
}

/// Something no test can use.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Skipped {
    /// The class, or the one that declares the member.
    pub class: ClassName,
    /// As reports name operations; `None` for the whole class.
    pub member: Option<String>,
    /// The first one found, if there are several.
    pub reason: SkipReason,
}

/// One operation for each member among `own`: the first choice of type arguments.
pub fn first_choices(operations: &[Operation], own: &[OperationId]) -> Vec<OperationId> {
    let mut known = BTreeSet::new();
    let is_first = |id: &OperationId| {
        let operation = &operations[id.0 as usize];
        known.insert((operation.kind, &operation.owner, &operation.name, &operation.descriptor))
    };
    own.iter().copied().filter(is_first).collect()
}

/// Why no test can use a member or class.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SkipReason {
    /// Source cannot write its name (JLS §3.8).
    NameNotJava,
    /// It, a class around it, or a type in its signature cannot be named from its package.
    NotAccessible,
    /// Its class file cannot be read.
    Unreadable(String),
    /// A class that its signature names is on no class path.
    MissingClass(ClassName),
    /// It starts a container.
    StartsContainer,
}

impl Program {
    /// What a call of the operation may change.
    pub fn effects(&self, operation: OperationId) -> Effects {
        self.effects[operation.0 as usize]
    }

    /// The class under test that an operation belongs to, as an index into `targets`.
    pub fn class_of(&self, operation: OperationId) -> Option<usize> {
        self.targets.iter().position(|target| {
            // A target's operations stand side by side in the table.
            let range = target.operations.first().zip(target.operations.last());
            range.is_some_and(|(first, last)| (*first..=*last).contains(&operation))
        })
    }

    /// The contract methods of objects of the class: where a class overrides one, its own.
    pub fn contract_methods_of(&self, class: &ClassName) -> Vec<OperationId> {
        let mut found: Vec<OperationId> = Vec::new();
        if self.contract_methods.is_empty() {
            return found;
        }
        let operation = |id: &OperationId| &self.operations[id.0 as usize];
        for facts in self.types.ancestry(class) {
            for id in self.contract_methods.iter().filter(|id| operation(id).owner == facts.name) {
                if !found.iter().any(|known| operation(known).name == operation(id).name) {
                    found.push(*id);
                }
            }
        }
        found
    }

    /// Whether the method is a contract method, or overridden by one.
    pub fn is_contract_method(&self, class: &ClassName, name: &str, descriptor: &MethodDescriptor) -> bool {
        self.contract_methods_of(class).iter().any(|id| {
            let operation = &self.operations[id.0 as usize];
            &*operation.name == name && operation.descriptor == *descriptor
        })
    }

    /// Where code under test failed, or called what failed; `None` if none of it was running.
    pub fn own_frame<'a>(&self, thrown: &'a Thrown) -> Option<&'a StackFrame> {
        thrown.stack.iter().find(|frame| self.is_target(&frame.class))
    }

    /// Whether the class is under test.
    pub fn is_target(&self, class: &ClassName) -> bool {
        self.target(class).is_some()
    }

    /// The class of the name, if it is under test.
    pub fn target(&self, class: &ClassName) -> Option<&Target> {
        self.targets.binary_search_by(|target| target.name.cmp(class)).ok().map(|at| &self.targets[at])
    }

    /// The package whose tests alone can use the operation, with dots; `None` when any can.
    pub fn package_of(&self, operation: OperationId) -> Option<String> {
        let operation = &self.operations[operation.0 as usize];
        if matches!(operation.kind, OperationKind::Array | OperationKind::Cast) {
            operation.output.as_ref().and_then(|output| self.hidden_package(output))
        } else if !operation.public {
            Some(operation.owner.package())
        } else {
            // What a public member takes and returns may have type arguments that only one package can name.
            operation.inputs.iter().chain(&operation.output).find_map(|of| self.hidden_package(of))
        }
    }

    /// Whether each value is of the type that its call is declared to return. Code with unchecked casts can hand out a text as
    /// a number (JLS §4.12.2, heap pollution): the cast that the compiler adds to a test fails then.
    pub fn are_as_declared(&self, sequence: &Sequence, values: &[Value]) -> bool {
        values.iter().enumerate().all(|(at, value)| self.is_as_declared(sequence, at, value))
    }

    fn is_as_declared(&self, sequence: &Sequence, at: usize, value: &Value) -> bool {
        let Some(id) = sequence.call_at(at) else { return true };
        let operation = &self.operations[id.0 as usize];
        let (Some(declared), Some(erased)) = (&operation.output, &operation.descriptor.returns) else { return true };
        // Asked of each statement of each run: few calls have another type than the one that they are linked by.
        if declared == erased {
            return true;
        }
        let declared = declared.erased();
        let seen = match value {
            _ if declared == *erased => return true,
            Value::Null | Value::Void => return true,
            Value::Literal(literal) => literal.literal_type().erased(),
            // Where runs differ, nothing more is known of the value.
            Value::Object { class, .. } if *class == Type::object() => return true,
            Value::Object { class, .. } => class.clone(),
        };
        let is_known = |class: &ClassName| self.types.get(class).is_some();
        !seen.classes().iter().all(is_known) || self.types.is_assignable(&seen, &declared)
    }

    /// The package of a type that not every package may name.
    fn hidden_package(&self, of: &Type) -> Option<String> {
        match of {
            Type::Primitive(_) => None,
            Type::Array(element) => self.hidden_package(element),
            Type::Class(_) | Type::Parameterized(_) => {
                let is_hidden = |name: &&ClassName| self.types.get(name).is_some() && !self.types.is_public(name);
                of.classes().iter().find(is_hidden).map(ClassName::package)
            }
        }
    }

    /// The package whose tests alone can run the sequence, with dots; `None` when any can.
    pub fn package_of_sequence(&self, sequence: &Sequence) -> Option<String> {
        sequence.calls().rev().find_map(|operation| self.package_of(operation))
    }

    /// The class under test whose tests a sequence belongs to, as an index into `targets`: that of its last call of
    /// such a class, in the package that its operations need if they need one.
    pub fn class_of_sequence(&self, sequence: &Sequence) -> Option<usize> {
        let package = self.package_of_sequence(sequence);
        let mut classes = sequence.calls().rev().filter_map(|operation| self.class_of(operation));
        classes.find(|&class| package.as_ref().is_none_or(|package| self.targets[class].name.package() == *package))
    }
}
