//! Broken contracts for which the caller is more likely to blame than the code.
//!
//! A finding must be worth a developer's time. Of what tools report without such rules about every second is none (GRT: 41 %
//! true): tests stand in the package of the class and can do what no user of the class can, and code may rely on what it
//! tells its callers.

use super::contract::NO_NULL_POINTER;
use super::{Violation, is_a, uses_null};
use crate::execution::{Execution, Frame, Thrown};
use crate::jvm::ClassName;
use crate::program::Program;
use crate::sequence::Sequence;

/// Why a broken contract is no finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// The run was denied a file, the network or a process: it is not the code that failed.
    Denied,
    /// The sequence uses what no user is to call ([`Operation::internal`](crate::sequence::Operation::internal)).
    Internal,
    /// An input that is null explains the exception.
    NullGiven,
    /// The field that is null is one that the sequence did not set, though there is a way to.
    NotConfigured,
    /// The code under test itself decided to throw.
    Deliberate,
    /// An `assert` in the called method: of Java's checks of arguments the one that may be switched off.
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
    if sequence.calls().any(|operation| program.operations[operation.0 as usize].internal) {
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
        (Doubt::Precondition, of_assertion && is_thrown_at_once(thrown, program)),
        (Doubt::Deliberate, is_a(thrown, "java/lang/UnsupportedOperationException")),
        (
            Doubt::WrongElements,
            is_a(thrown, "java/lang/ClassCastException") && !is_thrown_by_comparison(thrown, program),
        ),
        (Doubt::Stale, is_a(thrown, "java/util/ConcurrentModificationException")),
    ];
    doubts.into_iter().find(|(_, holds)| *holds).map(|(doubt, _)| doubt)
}

/// How the JVM begins its own messages (JEP 358).
const OF_JVM: [&str; 4] = ["Cannot ", "Because ", "because ", "The return value "];

/// As [`doubt`], for what only messages tell; a run for the search has none.
pub fn doubt_of_message(violation: &Violation, program: &Program) -> Option<Doubt> {
    let thrown = violation.thrown.as_ref().filter(|thrown| is_a(thrown, "java/lang/NullPointerException"))?;
    let message = thrown.message.as_ref().map(|message| message.to_string()).unwrap_or_default();
    let thrower = thrown.stack.first()?;
    if is_not_configured(violation.contract, &message, thrower, program) {
        return Some(Doubt::NotConfigured);
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

/// Whether the JVM says that it is because of a field, one of `this` or one that a getter returns, that a setter would set.
/// Where a method may throw, its callers may also have to choose another constructor, or call another method before.
fn is_not_configured(contract: &str, message: &str, thrower: &Frame, program: &Program) -> bool {
    let Some(culprit) = message.rsplit_once("because ").and_then(|(_, rest)| rest.strip_suffix("\" is null")) else {
        return false;
    };
    let duties = &program.duties;
    let may_throw = contract == NO_NULL_POINTER;
    let is_settable = |class: &ClassName, field: &str| {
        let mut fields = family(class, program).map(|class| (class.clone(), field.into()));
        fields.any(|field| duties.settable.contains(&field) || may_throw && duties.late.contains(&field))
    };
    let ancestry = |class: &ClassName| family(class, program).cloned().collect();
    let comes_from_settable =
        |getter| duties.field_behind(getter, &ancestry).is_some_and(|(owner, field)| is_settable(owner, field));
    if let Some(field) = culprit.strip_prefix("\"this.") {
        return is_settable(&thrower.class, field);
    }
    if let Some(call) = culprit.strip_prefix("the return value of \"").and_then(|call| call.strip_suffix("()")) {
        let getter = call.rsplit_once('.');
        return getter.is_some_and(|(class, name)| comes_from_settable((class_named(class), name.into())));
    }
    // A variable, of the class whose method could not be invoked.
    let variable = culprit.strip_prefix('"').filter(|variable| !variable.contains(['.', '(', '[']));
    // Without names in the class file, the message has the number.
    let local = variable.and_then(|name| name.strip_prefix("<local")?.strip_suffix('>')?.parse::<u16>().ok());
    let invoked = message.strip_prefix("Cannot invoke \"").and_then(|call| call.split_once('('));
    let class = invoked.and_then(|(method, _)| method.rsplit_once('.')).map(|(class, _)| class_named(class));
    let kept = duties.kept.get(&(thrower.class.clone(), thrower.method.as_str().into()));
    let mut kept = kept.into_iter().flatten().filter(|kept| Some(&kept.class) == class.as_ref());
    variable.is_some()
        && kept.any(|kept| local.is_none_or(|local| kept.local == local) && comes_from_settable(kept.getter.clone()))
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

/// Whether a method that takes any object, and must not fail for its class, threw.
fn is_thrown_by_comparison(thrown: &Thrown, program: &Program) -> bool {
    program.own_frame(thrown).is_some_and(|frame| frame.method == "equals")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::duties::{Duties, Kept, Source};
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
            duties: Duties {
                asserting: BTreeSet::from([class.clone()]),
                settable: BTreeSet::from([(class.clone(), "given".into())]),
                late: BTreeSet::from([(class.clone(), "opened".into())]),
                getters: BTreeMap::from([
                    ((class.clone(), "getGiven".into()), Source::Field((class.clone(), "given".into()))),
                    ((class.clone(), "other".into()), Source::Getter((class.clone(), "getGiven".into()))),
                    ((class.clone(), "self".into()), Source::Getter((class.clone(), "self".into()))),
                ]),
                kept: BTreeMap::from([(
                    (class.clone(), "keep".into()),
                    vec![Kept { getter: (class, "other".into()), class: ClassName::new("p/B"), local: 4 }],
                )]),
            },
            existing_tests: ExistingTests::default(),
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
        doubt(&violation, &sequence, sequence.len(), &execution, &program).or(doubt_of_message(&violation, &program))
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
        assert_eq!(failed(&["p/A.step", "p/A.run"]), None);
        assert_eq!(failed(&["p/A.<init>", "p/A.<init>"]), Some(Doubt::Precondition));
        assert_eq!(failed(&["p/A.assertThat"]), Some(Doubt::Deliberate));
        assert_eq!(failed(&["org/junit/Assert.fail", "p/A.run"]), Some(Doubt::Deliberate));
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
