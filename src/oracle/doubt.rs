//! Broken contracts for which the caller is more likely to blame than the code.
//!
//! A finding must be worth a developer's time. Of what tools report without such rules about every second is none (GRT: 41 %
//! true): tests stand in the package of the class and can do what no user of the class can, and code may rely on what it
//! tells its callers.

use super::contract::NO_NULL_POINTER;
use super::{Violation, is_a, null, uses_null};
use crate::execution::{Execution, Frame, Thrown};
use crate::jvm::signatures::{ClassSignature, class_bounds};
use crate::jvm::{ClassName, Literal};
use crate::options::Confidence;
use crate::program::{FieldName, MethodName, Program};
use crate::sequence::{Action, Operation, OperationKind, Sequence};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Why a broken contract is no finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// The run was denied a file, the network, a process or a member of another module: it is not the code that failed.
    Denied,
    /// The sequence uses what no user is to call ([`Operation::internal`](crate::sequence::Operation::internal)).
    Internal,
    /// An input that is null explains the exception.
    NullGiven,
    /// The code that failed reads a field which the sequence had set to a number or a text, as it is.
    ValueGiven,
    /// The field that is null is one that others set, and the sequence did not, or to null.
    NotConfigured,
    /// The code under test itself decided to throw.
    Deliberate,
    /// An `assert` in the called method, or where another begins: of Java's checks of arguments the one that may be
    /// switched off.
    Precondition,
    /// Elements of a class, or a class, that raw types let in.
    WrongElements,
    /// A class that code refers to is on no class path, or does not load.
    Missing,
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
    let of_null = is_a(thrown, NULL_POINTER);
    let of_assertion = is_a(thrown, ASSERTION);
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
            Doubt::ValueGiven,
            OF_NUMBERS.iter().any(|of| is_a(thrown, of)) && takes_any_value(sequence, thrown, false, program),
        ),
        (
            Doubt::ValueGiven,
            is_a(thrown, "java/lang/IllegalArgumentException") && takes_any_value(sequence, thrown, true, program),
        ),
        (Doubt::WrongElements, gives_wrong_class(sequence, program)),
        (Doubt::Missing, is_a(thrown, "java/lang/LinkageError")),
        (Doubt::Denied, is_a(thrown, "java/lang/reflect/InaccessibleObjectException")),
        (Doubt::Deliberate, is_a(thrown, "java/lang/UnsupportedOperationException")),
        (
            Doubt::WrongElements,
            is_a(thrown, "java/lang/ClassCastException") && !is_thrown_by_comparison(thrown, program),
        ),
        (Doubt::Stale, is_a(thrown, "java/util/ConcurrentModificationException")),
    ];
    doubts.into_iter().find(|(_, holds)| *holds).map(|(doubt, _)| doubt)
}

const NULL_POINTER: &str = "java/lang/NullPointerException";
const ASSERTION: &str = "java/lang/AssertionError";

/// What follows where a position, a size or a count is not what it says.
const OF_NUMBERS: [&str; 2] = ["java/lang/IndexOutOfBoundsException", "java/lang/NegativeArraySizeException"];

/// How the JVM begins its own messages (JEP 358).
const OF_JVM: [&str; 4] = ["Cannot ", "Because ", "because ", "The return value "];

/// As [`doubt`], for what only messages tell and what values hold; of a run for the search neither is known.
pub fn doubt_of_message(
    violation: &Violation,
    sequence: &Sequence,
    execution: &Execution,
    program: &Program,
) -> Option<Doubt> {
    let thrown = violation.thrown.as_ref().filter(|thrown| is_a(thrown, NULL_POINTER))?;
    let message = thrown.message.as_ref().map(|message| message.to_string()).unwrap_or_default();
    let thrower = thrown.stack.first()?;
    if gives_elements_of_null(sequence, execution, program) {
        return Some(Doubt::NullGiven);
    }
    let is_settable = |(class, field): FieldName| {
        family(&class, program).any(|class| program.duties.settable.contains(&(class.clone(), field.clone())))
    };
    if null::sources(thrown, program).into_iter().filter_map(|source| source.field).any(is_settable) {
        return Some(Doubt::NotConfigured);
    }
    if let Some((_, culprit)) = message.rsplit_once("because ")
        && (culprit.contains('[') || culprit.contains("(int)"))
        && takes_any_value(sequence, thrown, false, program)
    {
        return Some(Doubt::ValueGiven);
    }
    let is_of_jvm = OF_JVM.iter().any(|start| message.starts_with(start));
    (!is_of_jvm && program.is_target(&thrower.class)).then_some(Doubt::Deliberate)
}

/// Whether a method failed because of what an object did not hold (yet, or any more), be it another object than that whose
/// contract is broken; or for want of what the caller's number stands for.
fn is_of_state(violation: &Violation, program: &Program) -> bool {
    let Some(thrown) = violation.thrown.as_ref().filter(|thrown| is_a(thrown, NULL_POINTER)) else { return false };
    let checked = thrown.stack.iter().rfind(|frame| program.is_target(&frame.class));
    let is_other = |class: &ClassName| checked.is_none_or(|frame| !are_related(class, &frame.class, program));
    let sources = null::sources(thrown, program);
    sources.iter().any(|source| violation.contract == NO_NULL_POINTER || is_other(&source.taken_by))
}

/// How sure it is that the code under test is to blame for a violation that a sequence shows.
pub fn confidence(violation: &Violation, sequence: &Sequence, program: &Program) -> Confidence {
    let is_made_up =
        |operation: &Operation| matches!(operation.kind, OperationKind::Implementation | OperationKind::SetField);
    let Some(thrown) = &violation.thrown else {
        let is_possible = calls(sequence, program).any(is_made_up);
        return if is_possible { Confidence::Possible } else { Confidence::Certain };
    };
    let is_of_package = |operation: &Operation| {
        let is_own = violation.contract == NO_NULL_POINTER && !operation.public;
        program.is_target(&operation.owner) && (is_own || is_named_internal(&operation.owner))
    };
    let is_unsure = calls(sequence, program).any(|operation| is_made_up(operation) || is_of_package(operation))
        || is_a(thrown, ASSERTION)
        || is_of_state(violation, program);
    if is_unsure { Confidence::Possible } else { Confidence::Likely }
}

/// Whether the class is in a package that by its name is there for others of the module.
fn is_named_internal(class: &ClassName) -> bool {
    class.internal().rsplit_once('/').is_some_and(|(package, _)| package.split('/').any(|part| part == "internal"))
}

/// Of a `NullPointerException`: whether `Objects.requireNonNull` made it for code under test.
fn is_thrown_by_requirement(thrown: &Thrown, program: &Program) -> bool {
    let is_requirement =
        |frame: &&Frame| frame.class.internal() == "java/util/Objects" && frame.method.starts_with("requireNonNull");
    let mut frames = thrown.stack.iter().skip_while(is_requirement);
    let starts_so = thrown.stack.first().is_some_and(|frame| is_requirement(&frame));
    starts_so && frames.next().is_some_and(|frame| program.is_target(&frame.class))
}

fn calls<'a>(sequence: &'a Sequence, program: &'a Program) -> impl Iterator<Item = &'a Operation> {
    sequence.calls().map(|operation| &program.operations[operation.0 as usize])
}

pub(super) fn name_of(frame: &Frame) -> MethodName {
    (frame.class.clone(), frame.method.as_str().into())
}

/// Whether objects of one class may be of the other.
fn are_related(one: &ClassName, other: &ClassName, program: &Program) -> bool {
    family(one, program).any(|class| class == other) || family(other, program).any(|class| class == one)
}

/// Whether code on the stack reads a field which the sequence had set to a number without a look at it, or with `or_texts`
/// to a text.
fn takes_any_value(sequence: &Sequence, thrown: &Thrown, or_texts: bool, program: &Program) -> bool {
    let duties = &program.duties;
    // Operations may be those of an interface, fields named as those of a subclass.
    let is_called = |class: &ClassName, operation: &Operation| match &*operation.name {
        "<init>" => operation.owner == *class,
        _ => are_related(&operation.owner, class, program),
    };
    let kept_of = |class: &ClassName| {
        let called = calls(sequence, program).filter(|operation| is_called(class, operation));
        let kept = called.filter_map(|operation| duties.unchecked.get(&(class.clone(), operation.name.clone())));
        let kept = kept.flatten().filter(|field| or_texts || !duties.texts.contains(field));
        kept.map(|(_, field)| field.clone()).collect::<BTreeSet<_>>()
    };
    thrown.stack.iter().filter(|frame| program.is_target(&frame.class)).any(|frame| {
        let classes: Vec<&ClassName> = family(&frame.class, program).collect();
        let kept: BTreeSet<Arc<str>> = classes.iter().flat_map(|class| kept_of(class)).collect();
        let mut fields = kept.iter().flat_map(|name| classes.iter().map(move |class| ((*class).clone(), name.clone())));
        fields.any(|field| duties.reads.contains(&(name_of(frame), field)))
    })
}

/// Whether code under test is given a collection or an array that holds null.
fn gives_elements_of_null(sequence: &Sequence, execution: &Execution, program: &Program) -> bool {
    (0..sequence.len()).any(|at| {
        let Action::Call(operation) = sequence.statements()[at].action else { return false };
        let operation = &program.operations[operation.0 as usize];
        let mut arguments = sequence.inputs_of(at).skip(usize::from(operation.has_receiver()));
        program.is_target(&operation.owner) && arguments.any(|argument| execution.holding_null.contains(&argument))
    })
}

/// Whether a class is given for another than the method's signature asks for, as raw types allow.
fn gives_wrong_class(sequence: &Sequence, program: &Program) -> bool {
    let is_wrong = |at: usize| {
        let Action::Call(operation) = sequence.statements()[at].action else { return false };
        let operation = &program.operations[operation.0 as usize];
        let owner = program.types.get(&operation.owner).and_then(|facts| facts.signature.as_deref());
        let bindings = owner.and_then(ClassSignature::parse).map(|of| of.erasures()).unwrap_or_default();
        let signature = operation.signature.as_deref();
        let bounds = signature.and_then(|of| class_bounds(of, &bindings)).unwrap_or_default();
        let arguments = sequence.inputs_of(at).skip(usize::from(operation.has_receiver()));
        arguments.zip(bounds).any(|(argument, bound)| match (&sequence.statements()[argument].action, bound) {
            (Action::Literal(Literal::Class(given)), Some(bound)) => !program.types.is_assignable(given, &bound),
            _ => false,
        })
    };
    (0..sequence.len()).any(is_wrong)
}

/// The class and all that it inherits from.
pub(super) fn family<'a>(class: &'a ClassName, program: &'a Program) -> impl Iterator<Item = &'a ClassName> {
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
    use crate::analysis::duties::Duties;
    use crate::execution::{Denial, Outcome};
    use crate::jvm::types::TypeTable;
    use crate::jvm::{Literal, MethodDescriptor, Type};
    use crate::program::nulls::{By, Origin, Use};
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
        let line = |method: &str, used: Vec<Use>| ((name(method), 1), used);
        let access = |of: &str, origin| Use { by: By::Access(of.into()), origin };
        let passed = |method: &str, local, origin| Use { by: By::Argument { method: method.into(), local }, origin };
        let field = |of: &str| Origin::Field(name(of));
        Duties {
            asserting: BTreeSet::from([class.clone()]),
            demands: BTreeSet::from([(name("step"), 1)]),
            settable: BTreeSet::from([name("given")]),
            unchecked: BTreeMap::from([(name("run"), BTreeSet::from([name("count"), name("text")]))]),
            texts: BTreeSet::from([name("text")]),
            reads: ["toString", "pick"]
                .into_iter()
                .flat_map(|by| [(name(by), name("count")), (name("parse"), name("text"))])
                .collect(),
            uses: BTreeMap::from([
                line("run", vec![access("hashCode", field("made")), access("call", field("given"))]),
                line("keep", vec![access("call", Origin::Got(name("other")))]),
                line("derive", vec![access("call", Origin::Derived(name("at")))]),
                line("find", vec![access("call", Origin::Found(name("at")))]),
                line("ask", vec![access("call", Origin::Asked(name("of")))]),
                line("read", vec![access("call", Origin::Asked(name("parse")))]),
                line("step", vec![access("call", Origin::Parameter(1)), access("end", Origin::Parameter(2))]),
                line("start", vec![passed("step", 1, field("given")), passed("step", 2, field("made"))]),
                line("parse", vec![passed("parseInt", 0, field("made"))]),
            ]),
            returns: [
                ("getGiven", field("given")),
                ("other", Origin::Got(name("getGiven"))),
                ("self", Origin::Got(name("self"))),
                ("of", Origin::Found(name("get"))),
            ]
            .map(|(of, origin)| (name(of), BTreeSet::from([origin])))
            .into(),
        }
    }

    /// Of `A.run("a")`, or of another method or argument, that threw.
    fn failure(
        operation: u32,
        argument: Literal,
        class: &str,
        message: Option<&str>,
        stack: &[&str],
    ) -> (Violation, Sequence, Execution) {
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
        (violation, sequence, Execution::ended(Outcome::Threw { statement: 1, exception: thrown }))
    }

    fn doubt_of(
        operation: u32,
        argument: Literal,
        class: &str,
        message: Option<&str>,
        stack: &[&str],
    ) -> Option<Doubt> {
        let (violation, sequence, execution) = failure(operation, argument, class, message, stack);
        let program = program();
        doubt(&violation, &sequence, sequence.len(), &execution, &program)
            .or(doubt_of_message(&violation, &sequence, &execution, &program))
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

    fn text() -> Literal {
        Literal::String("a".into())
    }

    fn null_pointer(message: Option<&str>, stack: &[&str]) -> Option<Doubt> {
        doubt_of(0, text(), NULL_POINTER, message, stack)
    }

    /// What the JVM says of a null that `call()` was to be called on.
    fn because(culprit: &str) -> String {
        format!("Cannot invoke \"p.B.call(int, p.C)\" because {culprit} is null")
    }

    #[test]
    fn null_pointers_that_the_jvm_saw_are_findings_unless_a_setter_or_a_null_explains_them() {
        let invoked = |culprit: &str, stack: &[&str]| null_pointer(Some(&because(culprit)), stack);
        assert_eq!(invoked("\"<local4>\"", &["p/A.find"]), None);
        assert_eq!(invoked("\"this.made\"", &["p/A.run"]), None);
        assert_eq!(invoked("\"this.given\"", &["p/A.run"]), Some(Doubt::NotConfigured));
        assert_eq!(invoked("\"this.made.given\"", &["p/A.run"]), Some(Doubt::NotConfigured));
        assert_eq!(invoked("the return value of \"p.A.other()\"", &["p/A.keep"]), Some(Doubt::NotConfigured));
        assert_eq!(invoked("the return value of \"p.A.self()\"", &["p/A.keep"]), None);
        assert_eq!(invoked("\"kept\"", &["p/A.keep"]), Some(Doubt::NotConfigured));
        // Of another line or method nothing is known, nor of another call.
        assert_eq!(invoked("\"kept\"", &["p/A.start"]), None);
        assert_eq!(null_pointer(Some("Cannot invoke \"p.B.end()\" because \"kept\" is null"), &["p/A.keep"]), None);
        let local = because("\"<local4>\"");
        let null = Literal::Null(Type::object());
        let with_null = |operation, of: &[&str]| doubt_of(operation, null.clone(), NULL_POINTER, Some(&local), of);
        assert_eq!(with_null(0, &["p/A.find"]), Some(Doubt::NullGiven));
        assert_eq!(with_null(2, &["p/A.find"]), None);
        assert_eq!(doubt_of(1, text(), NULL_POINTER, Some(&local), &["p/A.prepare"]), Some(Doubt::Internal));
    }

    #[test]
    fn null_that_was_passed_on_is_followed_to_the_field_that_it_was() {
        let stack = ["p/A.step", "p/A.start"];
        assert_eq!(null_pointer(Some(&because("\"s\"")), &stack), Some(Doubt::NotConfigured));
        assert_eq!(null_pointer(Some(&because("\"s\"")), &stack[..1]), None);
        assert_eq!(null_pointer(Some("Cannot invoke \"p.B.end()\" because \"s\" is null"), &stack), None);
    }

    #[test]
    fn what_objects_did_not_hold_makes_findings_less_sure() {
        let of_contract = |contract, message: &str, stack: &[&str]| {
            let (violation, sequence, _) = failure(0, text(), NULL_POINTER, Some(message), stack);
            confidence(&Violation { contract, ..violation }, &sequence, &program())
        };
        let of = |message: &str, stack: &[&str]| of_contract(NO_NULL_POINTER, message, stack);
        let made = "Cannot invoke \"Object.hashCode()\" because \"this.made\" is null";
        assert_eq!(of(made, &["p/A.run"]), Confidence::Possible);
        assert_eq!(of_contract("to-string", made, &["p/A.run"]), Confidence::Likely);
        assert_eq!(of_contract("to-string", made, &["p/A.run", "p/B.toString"]), Confidence::Likely, "B is of the JDK");
        assert_eq!(of(made, &["p/A.unknown"]), Confidence::Possible, "the message says enough");
        assert_eq!(of(&because("\"found\""), &["p/A.find"]), Confidence::Possible);
        assert_eq!(of(&because("\"found\""), &["p/A.find", "p/A.start"]), Confidence::Likely);
        assert_eq!(of(&because("the return value of \"p.A.at(int)\""), &["p/A.find"]), Confidence::Possible);
        assert_eq!(of(&because("\"asked\""), &["p/A.ask"]), Confidence::Possible);
        assert_eq!(of(&because("\"asked\""), &["p/A.ask", "p/A.start"]), Confidence::Likely);
        assert_eq!(of(&because("\"asked\""), &["p/A.read"]), Confidence::Likely);
        assert_eq!(of(&because("\"derived\""), &["p/A.derive", "p/A.start"]), Confidence::Possible);
        assert_eq!(of(&because("the return value of \"p.A.make()\""), &["p/A.find"]), Confidence::Likely);
        let within = "Cannot invoke \"String.trim()\" because \"in\" is null";
        assert_eq!(
            of(within, &["java/lang/Double.parseDouble", "java/lang/Integer.parseInt", "p/A.parse"]),
            Confidence::Possible
        );
        assert_eq!(of(within, &["java/lang/Double.parseDouble", "p/A.parse"]), Confidence::Likely);
        let required = ["java/util/Objects.requireNonNull", "java/lang/Integer.parseInt", "p/A.parse"];
        assert_eq!(of("text", &required), Confidence::Possible);
        assert_eq!(of(made, &["q/Base.run", "p/A.unknown"]), Confidence::Possible);
    }

    #[test]
    fn assertions_and_packages_that_are_internal_make_findings_less_sure() {
        let (violation, sequence, _) = failure(0, text(), ASSERTION, None, &["p/A.settle", "p/A.run"]);
        assert_eq!(confidence(&violation, &sequence, &program()), Confidence::Possible);
        let (violation, sequence, _) = failure(0, text(), NULL_POINTER, None, &["p/A.run"]);
        assert_eq!(confidence(&violation, &sequence, &program()), Confidence::Likely);
        let none = Violation { thrown: None, ..violation.clone() };
        assert_eq!(confidence(&none, &sequence, &program()), Confidence::Certain);
        let mut program = program();
        let mut operations = program.operations.to_vec();
        operations[0].public = false;
        program.operations = operations.into();
        assert_eq!(confidence(&violation, &sequence, &program), Confidence::Possible);
        let of_check = Violation { contract: "to-string", ..violation };
        assert_eq!(confidence(&of_check, &sequence, &program), Confidence::Likely);
        for (name, is_internal) in [("p/internal/A", true), ("p/internals/A", false), ("p/A$internal", false)] {
            assert_eq!(is_named_internal(&ClassName::new(name)), is_internal, "{name}");
        }
    }

    #[test]
    fn null_in_a_collection_is_given_too() {
        let (violation, sequence, mut execution) =
            failure(0, text(), NULL_POINTER, Some(&because("\"it\"")), &["p/A.find"]);
        assert_eq!(doubt_of_message(&violation, &sequence, &execution, &program()), None);
        execution.holding_null = vec![0];
        assert_eq!(doubt_of_message(&violation, &sequence, &execution, &program()), Some(Doubt::NullGiven));
    }

    #[test]
    fn classes_must_be_what_the_signature_asks_for() {
        let mut program = program();
        let mut operations = program.operations.to_vec();
        operations[0].signature = Some("(Ljava/lang/Class<+Ljava/lang/Number;>;)V".into());
        program.operations = operations.into();
        let given = |class: &str| {
            let mut sequence = Sequence::new();
            let class = sequence.push_literal(Literal::Class(Type::Class(ClassName::new(class))));
            sequence.push_call(OperationId(0), &[class]);
            gives_wrong_class(&sequence, &program)
        };
        assert!(given("java/lang/String") && !given("java/lang/Number"));
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
    fn numbers_that_are_kept_as_they_are_explain_positions_that_are_not_there() {
        let failed = |operation, class: &str, stack: &[&str]| doubt_of(operation, text(), class, None, stack);
        let bounds = "java/lang/IndexOutOfBoundsException";
        let stack = ["java/lang/String.charAt", "p/A.toString"];
        assert_eq!(failed(0, bounds, &stack), Some(Doubt::ValueGiven));
        assert_eq!(failed(2, bounds, &stack), None);
        assert_eq!(failed(0, bounds, &["p/A.hashCode", "p/A.toString"]), Some(Doubt::ValueGiven));
        // Nothing on the stack reads what was set.
        assert_eq!(failed(0, bounds, &["p/A.hashCode"]), None);
        assert_eq!(failed(0, bounds, &["p/B.toString"]), None);
        assert_eq!(failed(0, "java/lang/ArithmeticException", &stack), None);
        // A text is no position, but may be none that can be read.
        assert_eq!(failed(0, bounds, &["p/A.parse"]), None);
        assert_eq!(failed(0, "java/lang/IllegalArgumentException", &["p/A.parse"]), Some(Doubt::ValueGiven));
        let element = Some("Cannot invoke \"p.B.run()\" because \"this.other[1]\" is null");
        assert_eq!(null_pointer(element, &["p/A.pick"]), Some(Doubt::ValueGiven));
    }

    #[test]
    fn classes_that_are_not_there_are_no_faults() {
        let missing = "java/lang/LinkageError";
        assert_eq!(doubt_of(0, text(), missing, None, &["p/A.toString"]), Some(Doubt::Missing));
        let closed = "java/lang/reflect/InaccessibleObjectException";
        assert_eq!(doubt_of(0, text(), closed, None, &["p/A.toString"]), Some(Doubt::Denied));
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
