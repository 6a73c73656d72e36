//! Broken contracts for which the caller is more likely to blame than the code.
//!
//! A finding must be worth a developer's time. Of what tools report without such rules about every second is none (GRT: 41 %
//! true): tests stand in the package of the class and can do what no user of the class can, and code may rely on what it
//! tells its callers.

use super::contract::NO_NULL_POINTER;
use super::{Violation, is_a, uses_null};
use crate::execution::{Execution, Frame, Thrown};
use crate::jvm::ClassName;
use crate::program::{FieldName, MethodName, Origin, Parameter, Program};
use crate::sequence::{Operation, Sequence};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Why a broken contract is no finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// The run was denied a file, the network or a process: it is not the code that failed.
    Denied,
    /// The sequence uses what no user is to call ([`Operation::internal`](crate::sequence::Operation::internal)).
    Internal,
    /// An input that is null explains the exception.
    NullGiven,
    /// The code that failed reads a field which the sequence had set to a number, as it is.
    NumberGiven,
    /// The field that is null is one that the sequence did not set, though there is a way to, or set to null.
    NotConfigured,
    /// The code under test itself decided to throw.
    Deliberate,
    /// An `assert` in the called method, or where another begins: of Java's checks of arguments the one that may be
    /// switched off.
    Precondition,
    /// Elements of a class that raw types let in.
    WrongElements,
    /// What was looked at changed behind its view.
    Stale,
}

/// Why the violation that a run shows is no finding, if it is none; the statements from `first_check` on are the check
/// calls of the contract.
pub fn doubt(
    violation: &Violation,
    sequence: &Sequence,
    first_check: usize,
    execution: &Execution,
    program: &Program,
) -> Option<Doubt> {
    if execution.denied.is_some() {
        return Some(Doubt::Denied);
    }
    if calls(sequence, program).any(|operation| operation.internal) {
        return Some(Doubt::Internal);
    }
    let thrown = violation.thrown.as_ref()?;
    let of_null = is_a(thrown, "java/lang/NullPointerException");
    let of_assertion = is_a(thrown, "java/lang/AssertionError");
    let doubts = [
        // The check calls pass null on to `equals`, which may not throw for it.
        (
            Doubt::NullGiven,
            (of_null || of_assertion) && uses_null(&sequence.prefix(first_check), execution, &program.operations),
        ),
        (Doubt::Deliberate, of_null && is_thrown_by_requirement(thrown, program)),
        (Doubt::Deliberate, of_assertion && is_thrown_by_assertion_method(thrown, program)),
        (Doubt::Precondition, of_assertion && (is_thrown_at_once(thrown, program) || is_demanded(thrown, program))),
        (
            Doubt::NumberGiven,
            OF_NUMBERS.iter().any(|of| is_a(thrown, of)) && takes_any_number(sequence, thrown, program),
        ),
        (Doubt::Deliberate, is_a(thrown, "java/lang/UnsupportedOperationException")),
        (
            Doubt::WrongElements,
            is_a(thrown, "java/lang/ClassCastException") && !is_thrown_by_comparison(thrown, program),
        ),
        (Doubt::Stale, is_a(thrown, "java/util/ConcurrentModificationException")),
    ];
    doubts.into_iter().find(|(_, holds)| *holds).map(|(doubt, _)| doubt)
}

/// What follows where a position, a size or a count is not what it says.
const OF_NUMBERS: [&str; 2] = ["java/lang/IndexOutOfBoundsException", "java/lang/NegativeArraySizeException"];

/// How the JVM begins its own messages (JEP 358).
const OF_JVM: [&str; 4] = ["Cannot ", "Because ", "because ", "The return value "];

/// As [`doubt`], for what only messages tell; a run for the search has none.
pub fn doubt_of_message(violation: &Violation, sequence: &Sequence, program: &Program) -> Option<Doubt> {
    let thrown = violation.thrown.as_ref().filter(|thrown| is_a(thrown, "java/lang/NullPointerException"))?;
    let message = thrown.message.as_ref().map(|message| message.to_string()).unwrap_or_default();
    let thrower = thrown.stack.first()?;
    if let Some(culprit) = message.rsplit_once("because ").and_then(|(_, rest)| rest.strip_suffix(" is null")) {
        // Where a method may throw, its callers may also have to choose another constructor, or call another method before.
        let fields = Fields { program, sequence, may_be_late: violation.contract == NO_NULL_POINTER };
        if fields.are_to_be_set(culprit, &message, thrown) || fields.are_to_be_filled(culprit, thrower) {
            return Some(Doubt::NotConfigured);
        }
        if (culprit.contains('[') || culprit.contains("(int)")) && takes_any_number(sequence, thrown, program) {
            return Some(Doubt::NumberGiven);
        }
    }
    let is_of_jvm = OF_JVM.iter().any(|start| message.starts_with(start));
    (!is_of_jvm && program.is_target(&thrower.class)).then_some(Doubt::Deliberate)
}

/// Of a `NullPointerException`: whether `Objects.requireNonNull` made it for code under test.
fn is_thrown_by_requirement(thrown: &Thrown, program: &Program) -> bool {
    let is_requirement =
        |frame: &&Frame| frame.class.internal() == "java/util/Objects" && frame.method.starts_with("requireNonNull");
    let mut frames = thrown.stack.iter().skip_while(is_requirement);
    let starts_so = thrown.stack.first().is_some_and(|frame| is_requirement(&frame));
    starts_so && frames.next().is_some_and(|frame| program.is_target(&frame.class))
}

/// Fields that are up to those who use an object.
struct Fields<'a> {
    program: &'a Program,
    sequence: &'a Sequence,
    /// Whether those count that only some constructors set, or none but a method.
    may_be_late: bool,
}

impl Fields<'_> {
    /// Whether the JVM says that what is null is one that a setter would set: of `this`, of what such fields refer to, what
    /// a getter returns, or what came from there in a local variable or by parameters.
    fn are_to_be_set(&self, culprit: &str, message: &str, thrown: &Thrown) -> bool {
        let duties = &self.program.duties;
        let thrower = &thrown.stack[0];
        let Some(culprit) = culprit.strip_prefix('"').and_then(|culprit| culprit.strip_suffix('"')) else {
            let call = culprit.strip_prefix("the return value of \"").and_then(|call| call.strip_suffix("()\""));
            let getter = call.and_then(|call| call.rsplit_once('.'));
            return getter.is_some_and(|(class, name)| self.gets((class_named(class), name.into())));
        };
        if let Some(path) = culprit.strip_prefix("this.") {
            let mut links: Vec<&str> = path.split('.').collect();
            let field = links.pop().unwrap_or_default();
            let owner = links.into_iter().try_fold(thrower.class.clone(), |owner, link| {
                self.declared(&owner, link).find_map(|field| duties.types.get(&field)).cloned()
            });
            return owner.is_some_and(|owner| self.is_to_be_set(&owner, field));
        }
        if culprit.contains(['.', '(', '[']) {
            return false;
        }
        // A variable, of the class whose method could not be invoked.
        let invoked = message.strip_prefix("Cannot invoke \"").and_then(|call| call.split_once('('));
        let Some((class, _)) = invoked.and_then(|(method, _)| method.rsplit_once('.')) else { return false };
        let class = class_named(class);
        let local = local_named(culprit);
        let mut kept = duties.kept.get(&name_of(thrower)).into_iter().flatten().filter(|kept| kept.class == class);
        kept.any(|kept| local.is_none_or(|local| kept.local == local) && self.gets(kept.getter.clone()))
            || self.was_passed(&thrown.stack, culprit)
    }

    /// Whether a parameter of the first frame's method is such a field of one that called it, directly or through others.
    fn was_passed(&self, stack: &[Frame], parameter: &str) -> bool {
        let local = local_named(parameter);
        let parameters = self.program.duties.parameters.get(&name_of(&stack[0])).into_iter().flatten();
        let is_it = |one: &&Parameter| match local {
            Some(local) => local == one.local,
            None => one.name.as_deref() == Some(parameter),
        };
        let mut locals: Vec<u16> = parameters.filter(is_it).map(|one| one.local).collect();
        for frames in stack.windows(2) {
            let passed = self.program.duties.passed.get(&name_of(&frames[1])).into_iter().flatten();
            let passed = passed.filter(|passed| {
                let (owner, method) = &passed.to;
                **method == *frames[0].method
                    && locals.contains(&passed.local)
                    && are_related(owner, &frames[0].class, self.program)
            });
            let mut next = Vec::new();
            for passed in passed {
                match &passed.origin {
                    Origin::Field((owner, field)) if self.is_to_be_set(owner, field) => return true,
                    Origin::Parameter(local) => next.push(*local),
                    _ => {}
                }
            }
            if next.is_empty() {
                return false;
            }
            locals = next;
        }
        false
    }

    /// Whether the JVM says that it is an element of an array that methods fill, and the sequence calls none of these.
    fn are_to_be_filled(&self, culprit: &str, thrower: &Frame) -> bool {
        let duties = &self.program.duties;
        let element = culprit.strip_prefix("\"this.").and_then(|path| path.split_once('['));
        let returned = culprit.strip_prefix("the return value of \"").and_then(|call| call.split_once('('));
        let arrays: Vec<FieldName> = match (element, returned.and_then(|(method, _)| method.rsplit_once('.'))) {
            (Some((field, rest)), _) if !field.contains('.') && rest.ends_with("]\"") => {
                let is_indexed = |array: &FieldName| duties.indexed.contains(&(name_of(thrower), array.clone()));
                self.declared(&thrower.class, field).filter(is_indexed).collect()
            }
            // The elements of a collection of the JDK may be of any.
            (_, Some((class, name))) if self.program.is_target(&class_named(class)) => {
                let class = class_named(class);
                // The class is often one that others implement.
                let of_class =
                    |method: &MethodName| *method.1 == *name && self.family(&method.0).any(|it| *it == class);
                let arrays = duties.elements.iter().filter(|(method, _)| of_class(method));
                arrays.map(|(_, array)| array.clone()).collect()
            }
            _ => return false,
        };
        let mut fillers = arrays.iter().filter_map(|array| Some((&array.0, duties.filled.get(array)?))).peekable();
        fillers.peek().is_some() && fillers.all(|(class, names)| !self.calls_one(class, names))
    }

    /// Whether the sequence calls a method of the class that has one of the names.
    fn calls_one(&self, class: &ClassName, names: &BTreeSet<Arc<str>>) -> bool {
        calls(self.sequence, self.program)
            .any(|operation| names.contains(&operation.name) && are_related(&operation.owner, class, self.program))
    }

    /// Whether there is a way to set it, or it was given and the sequence gave it up.
    fn is_to_be_set(&self, class: &ClassName, field: &str) -> bool {
        let duties = &self.program.duties;
        let is_given_up =
            |field: &FieldName| duties.given_up.get(field).is_some_and(|names| self.calls_one(class, names));
        self.declared(class, field).any(|field| {
            duties.settable.contains(&field) || is_given_up(&field) || self.may_be_late && duties.late.contains(&field)
        })
    }

    /// The fields of that name that objects of the class may have.
    fn declared<'b>(&'b self, class: &'b ClassName, field: &'b str) -> impl Iterator<Item = FieldName> + use<'b> {
        self.family(class).map(move |class| (class.clone(), field.into()))
    }

    /// Whether a getter returns one that is to be set.
    fn gets(&self, getter: MethodName) -> bool {
        let ancestry = |class: &ClassName| self.family(class).cloned().collect();
        let field = self.program.duties.field_behind(getter, &ancestry);
        field.is_some_and(|(owner, field)| self.is_to_be_set(owner, field))
    }

    fn family<'b>(&'b self, class: &'b ClassName) -> impl Iterator<Item = &'b ClassName> {
        family(class, self.program)
    }
}

fn calls<'a>(sequence: &'a Sequence, program: &'a Program) -> impl Iterator<Item = &'a Operation> {
    sequence.calls().map(|operation| &program.operations[operation.0 as usize])
}

fn name_of(frame: &Frame) -> MethodName {
    (frame.class.clone(), frame.method.as_str().into())
}

/// Whether objects of one class may be of the other.
fn are_related(one: &ClassName, other: &ClassName, program: &Program) -> bool {
    family(one, program).any(|class| class == other) || family(other, program).any(|class| class == one)
}

/// Whether code on the stack reads a field which the sequence had set to a number without a look at it.
fn takes_any_number(sequence: &Sequence, thrown: &Thrown, program: &Program) -> bool {
    let duties = &program.duties;
    // Operations may be those of an interface, fields named as those of a subclass.
    let is_called = |class: &ClassName, operation: &Operation| match &*operation.name {
        "<init>" => operation.owner == *class,
        _ => are_related(&operation.owner, class, program),
    };
    let kept_of = |class: &ClassName| {
        let called = calls(sequence, program).filter(|operation| is_called(class, operation));
        let kept = called.filter_map(|operation| duties.unchecked.get(&(class.clone(), operation.name.clone())));
        kept.flatten().map(|(_, field)| field.clone()).collect::<BTreeSet<_>>()
    };
    thrown.stack.iter().filter(|frame| program.is_target(&frame.class)).any(|frame| {
        let classes: Vec<&ClassName> = family(&frame.class, program).collect();
        let kept: BTreeSet<Arc<str>> = classes.iter().flat_map(|class| kept_of(class)).collect();
        let mut fields = kept.iter().flat_map(|name| classes.iter().map(move |class| ((*class).clone(), name.clone())));
        fields.any(|field| duties.reads.contains(&(name_of(frame), field)))
    })
}

/// The variable that the JVM names by its number, as there are no names in the class file.
fn local_named(variable: &str) -> Option<u16> {
    variable.strip_prefix("<local")?.strip_suffix('>')?.parse().ok()
}

/// As messages name it.
fn class_named(name: &str) -> ClassName {
    ClassName::new(&name.replace('.', "/"))
}

/// The class and all that it inherits from.
fn family<'a>(class: &'a ClassName, program: &'a Program) -> impl Iterator<Item = &'a ClassName> {
    std::iter::once(class).chain(program.types.ancestry(class).into_iter().map(|facts| &facts.name))
}

/// Of an `AssertionError`: whether it is the answer of a method that is there to give it.
fn is_thrown_by_assertion_method(thrown: &Thrown, program: &Program) -> bool {
    let is_named_so =
        |frame: &Frame| ["assert", "check", "fail", "verify"].iter().any(|verb| frame.method.starts_with(verb));
    let is_library = thrown.stack.first().is_some_and(|frame| !program.is_target(&frame.class));
    is_library || thrown.stack.iter().any(is_named_so)
}

/// Of an `AssertionError`: whether an `assert` failed in the method that the sequence called, a constructor for another.
fn is_thrown_at_once(thrown: &Thrown, program: &Program) -> bool {
    let is_assert = thrown.stack.first().is_some_and(|frame| program.duties.asserting.contains(&frame.class));
    is_assert && (thrown.stack.len() == 1 || thrown.stack.iter().all(|frame| frame.method == "<init>"))
}

/// Of an `AssertionError`: whether it is the first thing that a method did, so what it asks of who calls it.
fn is_demanded(thrown: &Thrown, program: &Program) -> bool {
    thrown.stack.first().is_some_and(|frame| program.duties.demands.contains(&(name_of(frame), frame.line)))
}

/// Whether a method that takes any object, and must not fail for its class, threw.
fn is_thrown_by_comparison(thrown: &Thrown, program: &Program) -> bool {
    program.own_frame(thrown).is_some_and(|frame| frame.method == "equals")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::duties::{Duties, Kept, Passed, Source};
    use crate::execution::{Denial, Outcome};
    use crate::jvm::types::TypeTable;
    use crate::jvm::{Literal, MethodDescriptor, Type};
    use crate::program::{Effects, ExistingTests, Target};
    use crate::sequence::{CheckOperations, Operation, OperationId, OperationKind};
    use std::collections::{BTreeMap, BTreeSet};

    /// Of `p.A` public methods that take an object, one of them also null, and one for the package; the class asserts, and has a setter of `given`.
    fn program() -> Program {
        let class = ClassName::new("p/A");
        let operation = |name: &str, internal: bool| {
            let descriptor = MethodDescriptor { parameters: vec![Type::object()], returns: None };
            let operation = Operation::new(OperationKind::StaticMethod, class.clone(), name, descriptor);
            Operation { internal, ..operation }
        };
        let id = OperationId(0);
        Program {
            operations: [
                operation("run", false),
                operation("prepare", true),
                Operation { nullable: vec![0], ..operation("runWithNullable", false) },
            ]
            .into(),
            types: TypeTable::default(),
            targets: vec![Target {
                annotated: Vec::new(),
                name: class.clone(),
                operations: vec![OperationId(0), OperationId(1)],
                constants: Vec::new(),
            }],
            skipped: Vec::new(),
            casts: BTreeMap::new(),
            arrays: BTreeMap::new(),
            checks: CheckOperations { equals: id, hash_code: id, to_string: id, compare_to: id, compare: id },
            effects: vec![Effects::ALL; 3],
            duties: duties(),
            existing_tests: ExistingTests::default(),
        }
    }

    /// What the class leaves to its callers.
    fn duties() -> Duties {
        let class = ClassName::new("p/A");
        let name = |name: &str| (class.clone(), Arc::from(name));
        let passed =
            |class: &str, to: &str, local, origin| Passed { to: (ClassName::new(class), to.into()), local, origin };
        let of_c = |name: &str| (ClassName::new("p/C"), Arc::from(name));
        let parameter = |name: &str| Parameter { name: Some(name.into()), local: u16::from(name == "t") };
        Duties {
            asserting: BTreeSet::from([class.clone()]),
            demands: BTreeSet::from([(name("step"), 1)]),
            settable: BTreeSet::from([name("given")]),
            unchecked: BTreeMap::from([(name("run"), BTreeSet::from([name("count")]))]),
            reads: BTreeSet::from([(name("toString"), name("count")), (name("pick"), name("count"))]),
            late: BTreeSet::from([name("opened")]),
            given_up: BTreeMap::from([(name("wrapped"), BTreeSet::from(["run".into()]))]),
            types: BTreeMap::from([(name("made"), class.clone())]),
            getters: BTreeMap::from([
                (name("getGiven"), Source::Field(name("given"))),
                (name("other"), Source::Getter(name("getGiven"))),
                (name("self"), Source::Getter(name("self"))),
            ]),
            elements: BTreeMap::from([(name("at"), name("slots")), (name("of"), name("filled"))]),
            indexed: BTreeSet::from([(name("go"), name("slots")), (name("go"), name("filled"))]),
            filled: BTreeMap::from([
                (name("slots"), BTreeSet::from(["put".into()])),
                (name("filled"), BTreeSet::from(["run".into(), "put".into()])),
            ]),
            kept: BTreeMap::from([(
                name("keep"),
                vec![Kept { getter: name("other"), class: ClassName::new("p/B"), local: 4 }],
            )]),
            passed: BTreeMap::from([
                (
                    name("start"),
                    vec![
                        passed("p/A", "go", 1, Origin::Field(name("given"))),
                        passed("p/A", "go", 2, Origin::Other),
                        passed("p/B", "end", 0, Origin::Field(name("given"))),
                    ],
                ),
                (
                    name("go"),
                    vec![passed("p/C", "end", 0, Origin::Parameter(1)), passed("p/C", "end", 1, Origin::Parameter(2))],
                ),
            ]),
            parameters: BTreeMap::from([(of_c("end"), ["s", "t"].map(parameter).into())]),
        }
    }

    /// Of `A.run("a")`, or of another method or argument, that threw.
    fn doubt_of(
        operation: u32,
        argument: Literal,
        class: &str,
        message: Option<&str>,
        stack: &[&str],
    ) -> Option<Doubt> {
        let mut sequence = Sequence::new();
        let argument = sequence.push_literal(argument);
        sequence.push_call(OperationId(operation), &[argument]);
        let frame = |place: &&str| {
            let (class, method) = place.split_once('.').unwrap();
            Frame { class: ClassName::new(class), method: method.to_string(), line: 1 }
        };
        let thrown = Thrown {
            class: ClassName::new(class),
            nameable: ClassName::new(class),
            superclasses: vec![ClassName::new(class)],
            message: message.map(Into::into),
            stack: stack.iter().map(frame).collect(),
        };
        let violation = Violation { contract: NO_NULL_POINTER, message: String::new(), thrown: Some(thrown.clone()) };
        let execution = Execution::ended(Outcome::Threw { statement: 1, exception: thrown });
        let program = program();
        doubt(&violation, &sequence, sequence.len(), &execution, &program)
            .or(doubt_of_message(&violation, &sequence, &program))
    }

    #[test]
    fn what_was_denied_something_shows_no_fault() {
        let mut execution = Execution::ended(Outcome::Completed);
        let violation = Violation { contract: NO_NULL_POINTER, message: String::new(), thrown: None };
        let sequence = Sequence::new();
        assert_eq!(doubt(&violation, &sequence, 0, &execution, &program()), None);
        execution.denied = Some(Denial::File);
        assert_eq!(doubt(&violation, &sequence, 0, &execution, &program()), Some(Doubt::Denied));
    }

    const NULL_POINTER: &str = "java/lang/NullPointerException";

    fn text() -> Literal {
        Literal::String("a".into())
    }

    fn null_pointer(message: Option<&str>, stack: &[&str]) -> Option<Doubt> {
        doubt_of(0, text(), NULL_POINTER, message, stack)
    }

    #[test]
    fn null_pointers_that_the_jvm_saw_are_findings_unless_a_setter_or_a_null_explains_them() {
        let local = Some("Cannot invoke \"Object.hashCode()\" because \"<local4>\" is null");
        assert_eq!(null_pointer(local, &["p/A.run"]), None);
        let made = Some("Cannot invoke \"Object.hashCode()\" because \"this.made\" is null");
        assert_eq!(null_pointer(made, &["p/A.run"]), None);
        let given = Some("Cannot invoke \"Object.hashCode()\" because \"this.given\" is null");
        assert_eq!(null_pointer(given, &["p/A.run"]), Some(Doubt::NotConfigured));
        let opened = Some("Cannot invoke \"Object.hashCode()\" because \"this.opened\" is null");
        assert_eq!(null_pointer(opened, &["p/A.run"]), Some(Doubt::NotConfigured));
        let wrapped = Some("Cannot invoke \"Object.hashCode()\" because \"this.wrapped\" is null");
        assert_eq!(null_pointer(wrapped, &["p/A.read"]), Some(Doubt::NotConfigured));
        assert_eq!(doubt_of(2, text(), NULL_POINTER, wrapped, &["p/A.read"]), None);
        let got = Some("Cannot invoke \"Object.hashCode()\" because the return value of \"p.A.getGiven()\" is null");
        assert_eq!(null_pointer(got, &["p/B.run"]), Some(Doubt::NotConfigured));
        let further = Some("Cannot invoke \"Object.hashCode()\" because the return value of \"p.A.other()\" is null");
        assert_eq!(null_pointer(further, &["p/B.run"]), Some(Doubt::NotConfigured));
        let endless = Some("Cannot invoke \"Object.hashCode()\" because the return value of \"p.A.self()\" is null");
        assert_eq!(null_pointer(endless, &["p/B.run"]), None);
        let kept = Some("Cannot invoke \"p.B.run(int, p.C)\" because \"<local4>\" is null");
        assert_eq!(null_pointer(kept, &["p/A.keep"]), Some(Doubt::NotConfigured));
        assert_eq!(null_pointer(kept, &["p/A.run"]), None);
        let another = Some("Cannot invoke \"p.B.run(int, p.C)\" because \"<local5>\" is null");
        assert_eq!(null_pointer(another, &["p/A.keep"]), None);
        assert_eq!(null_pointer(local, &["p/A.keep"]), None);
        let found = Some("Cannot invoke \"Object.hashCode()\" because the return value of \"p.A.find()\" is null");
        assert_eq!(null_pointer(found, &["p/A.run"]), None);
        let null = Literal::Null(Type::object());
        assert_eq!(doubt_of(0, null.clone(), NULL_POINTER, local, &["p/A.run"]), Some(Doubt::NullGiven));
        assert_eq!(doubt_of(2, null, NULL_POINTER, local, &["p/A.runWithNullable"]), None);
        assert_eq!(doubt_of(1, text(), NULL_POINTER, local, &["p/A.prepare"]), Some(Doubt::Internal));
    }

    #[test]
    fn null_pointers_that_the_code_made_are_its_behaviour() {
        assert_eq!(null_pointer(None, &["p/A.run"]), Some(Doubt::Deliberate));
        assert_eq!(
            null_pointer(Some("no key"), &["java/util/Objects.requireNonNull", "p/A.run"]),
            Some(Doubt::Deliberate)
        );
        // The code did not look; what it called did.
        let stack = ["java/util/Objects.requireNonNull", "java/util/TreeMap.get", "p/A.run"];
        assert_eq!(null_pointer(None, &stack), None);
    }

    #[test]
    fn assertions_are_findings_where_they_look_at_more_than_arguments() {
        let failed = |stack: &[&str]| doubt_of(0, text(), "java/lang/AssertionError", None, stack);
        assert_eq!(failed(&["p/A.run"]), Some(Doubt::Precondition));
        assert_eq!(failed(&["p/A.check0", "p/A.run"]), Some(Doubt::Deliberate));
        assert_eq!(failed(&["p/A.settle", "p/A.run"]), None);
        assert_eq!(failed(&["p/A.step", "p/A.run"]), Some(Doubt::Precondition));
        assert_eq!(failed(&["p/A.<init>", "p/A.<init>"]), Some(Doubt::Precondition));
        assert_eq!(failed(&["p/A.<init>", "p/A.run"]), None);
        assert_eq!(failed(&["p/A.assertThat"]), Some(Doubt::Deliberate));
        assert_eq!(failed(&["org/junit/Assert.fail", "p/A.run"]), Some(Doubt::Deliberate));
    }

    #[test]
    fn null_that_was_passed_on_is_followed_to_the_field_that_it_was() {
        let invoked = |variable: &str| format!("Cannot invoke \"p.B.run()\" because \"{variable}\" is null");
        let stack = ["p/C.end", "p/A.go", "p/A.start"];
        assert_eq!(null_pointer(Some(&invoked("s")), &stack), Some(Doubt::NotConfigured));
        assert_eq!(null_pointer(Some(&invoked("<local0>")), &stack), Some(Doubt::NotConfigured));
        assert_eq!(null_pointer(Some(&invoked("t")), &stack), None);
        assert_eq!(null_pointer(Some(&invoked("<local1>")), &stack), None);
        // No parameter.
        assert_eq!(null_pointer(Some(&invoked("u")), &stack), None);
        assert_eq!(null_pointer(Some(&invoked("s")), &["p/C.end", "p/A.go"]), None);
        // What is passed is passed to another class's method of that name.
        assert_eq!(null_pointer(Some(&invoked("s")), &["p/C.end", "p/A.start"]), None);
        let through_fields = |path: &str| format!("Cannot invoke \"p.B.run()\" because \"this.{path}\" is null");
        assert_eq!(null_pointer(Some(&through_fields("made.given")), &["p/A.go"]), Some(Doubt::NotConfigured));
        assert_eq!(null_pointer(Some(&through_fields("made.made")), &["p/A.go"]), None);
        assert_eq!(null_pointer(Some(&through_fields("unknown.given")), &["p/A.go"]), None);
    }

    #[test]
    fn elements_are_to_be_put_in_first() {
        let element = |of: &str| format!("Cannot invoke \"p.B.run()\" because \"this.{of}[<local2>]\" is null");
        assert_eq!(null_pointer(Some(&element("slots")), &["p/A.go"]), Some(Doubt::NotConfigured));
        // At a position that the method finds itself.
        assert_eq!(null_pointer(Some(&element("slots")), &["p/A.find"]), None);
        assert_eq!(null_pointer(Some(&element("unknown")), &["p/A.go"]), None);
        let got =
            |by: &str| format!("Cannot invoke \"p.B.run()\" because the return value of \"p.A.{by}(long)\" is null");
        assert_eq!(null_pointer(Some(&got("at")), &["p/B.go"]), Some(Doubt::NotConfigured));
        // `run` puts some in, `runWithNullable` does not.
        let of_filled =
            |operation, message: &str, thrower| doubt_of(operation, text(), NULL_POINTER, Some(message), &[thrower]);
        assert_eq!(of_filled(0, &element("filled"), "p/A.go"), None);
        assert_eq!(of_filled(2, &element("filled"), "p/A.go"), Some(Doubt::NotConfigured));
        assert_eq!(of_filled(0, &got("of"), "p/B.go"), None);
        assert_eq!(of_filled(2, &got("of"), "p/B.go"), Some(Doubt::NotConfigured));
    }

    #[test]
    fn numbers_that_are_kept_as_they_are_explain_positions_that_are_not_there() {
        let failed = |operation, class: &str, stack: &[&str]| doubt_of(operation, text(), class, None, stack);
        let bounds = "java/lang/IndexOutOfBoundsException";
        let stack = ["java/lang/String.charAt", "p/A.toString"];
        assert_eq!(failed(0, bounds, &stack), Some(Doubt::NumberGiven));
        assert_eq!(failed(2, bounds, &stack), None);
        assert_eq!(failed(0, bounds, &["p/A.hashCode", "p/A.toString"]), Some(Doubt::NumberGiven));
        // Nothing on the stack reads what was set.
        assert_eq!(failed(0, bounds, &["p/A.hashCode"]), None);
        assert_eq!(failed(0, bounds, &["p/B.toString"]), None);
        assert_eq!(failed(0, "java/lang/ArithmeticException", &stack), None);
        let element = Some("Cannot invoke \"p.B.run()\" because \"this.other[1]\" is null");
        assert_eq!(null_pointer(element, &["p/A.pick"]), Some(Doubt::NumberGiven));
    }

    #[test]
    fn casts_fail_for_elements_but_must_not_in_equals() {
        let failed = |stack: &[&str]| doubt_of(0, text(), "java/lang/ClassCastException", None, stack);
        assert_eq!(failed(&["p/A.equals"]), None);
        assert_eq!(failed(&["p/A.sum", "p/A.toString"]), Some(Doubt::WrongElements));
        let stale = doubt_of(0, text(), "java/util/ConcurrentModificationException", None, &["p/A.run"]);
        assert_eq!(stale, Some(Doubt::Stale));
    }
}
