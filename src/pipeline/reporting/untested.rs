//! Why code is not tested: reasons for classes, members and operations.

use crate::engine::Engine;
use crate::subject::Subject;
use model::execution::{Denial, KillReason};
use model::jvm::types::{TypeTable, access};
use model::jvm::{ClassName, Type};
use model::sequence::{Operation, OperationId};
use program::SkipReason;
use report::{Coverage, NotTested, Obstacle, Reason};
use search::generator::{QuarantineReason, Trials};
use std::collections::BTreeMap;

/// What became of an operation.
#[derive(Clone, Copy, Default)]
pub struct Fate<'a> {
    /// Those of its body, and which of them tests cover.
    pub edges: Coverage,
    /// Why the search gave it up.
    pub quarantined: Option<&'a QuarantineReason>,
    /// What ended runs in it most often.
    pub kill: Option<KillReason>,
    /// Outcomes of its calls.
    pub trials: Trials,
    /// What it threw most often if it never returned.
    pub always_thrown: Option<&'a ClassName>,
    /// A written test calls it.
    pub called: bool,
    /// A sequence that was chosen for a test calls it.
    pub chosen: bool,
    /// What sound tests show of it is not worth a test.
    pub unworthy: bool,
    /// A reported finding calls it.
    pub shown_by_finding: bool,
    /// A finding whose confidence is below the threshold of the settings shows it.
    pub below_threshold: bool,
    /// It is a constructor of a class that has no methods for its objects.
    pub is_all_there_is: bool,
    /// It needs an instance of an abstract class.
    pub lacks_instance: bool,
    /// A field of its class that a container sets and no test can.
    pub closed_field: Option<&'a str>,
    /// The run ended before its limits.
    pub ended_early: bool,
}

impl Fate<'_> {
    /// Why it never returned, if all that was seen of it is exceptions.
    pub fn never_returned(&self) -> Option<(Reason, String)> {
        let is_null = |thrown: &&ClassName| thrown.internal() == "java/lang/NullPointerException";
        if let (Some(field), Some(_)) = (self.closed_field, self.always_thrown.filter(is_null)) {
            return Some((Reason::NeedsInjection, injection_hint(field)));
        }
        self.always_thrown.map(|thrown| (reason_of_exception(thrown), thrown.binary()))
    }

    /// Why no test asserts what it did when it returned.
    pub fn without_normal_outcome(&self) -> (Reason, String) {
        let Trials { tries, completed, denied, .. } = self.trials;
        let reason = match denied {
            // What a test shows once can be asserted again, unless the environment has a part in it.
            Some(denied) => reason_of_denial(denied),
            None if completed > 0 && self.ended_early => Reason::NotReached,
            None if completed > 0 && self.chosen && !self.called => Reason::TestLeftOut,
            None if completed > 0 => Reason::NothingToAssert,
            None if tries > 0 && self.quarantined.is_none() => {
                return self.never_returned().unwrap_or((Reason::AlwaysThrows, String::new()));
            }
            None => {
                let untried =
                    Fate { called: false, shown_by_finding: false, edges: Coverage { covered: 0, total: 1 }, ..*self };
                return untried.reason().unwrap_or((Reason::NoInput, String::new()));
            }
        };
        (reason, String::new())
    }

    /// Why no test runs it, or why those that do leave parts of it out; `None` if there is nothing to explain.
    pub fn reason(&self) -> Option<(Reason, String)> {
        let Coverage { covered, total } = self.edges;
        if covered > 0 && covered == total {
            return None;
        }
        match self.quarantined {
            Some(QuarantineReason::Killed(reason)) => return Some((Reason::from(reason), String::new())),
            Some(QuarantineReason::Unlinkable(message)) => return Some((link_reason(message), message.clone())),
            None => {}
        }
        // What has no edges, a field's use or a native method, is a means to test others and not an end.
        if total == 0 || covered > 0 || self.called || self.shown_by_finding {
            return None;
        }
        let Trials { tries, completed, illegal, denied } = self.trials;
        let reason = match self.kill {
            _ if self.ended_early => Reason::NotReached,
            _ if self.chosen => Reason::TestLeftOut,
            Some(reason) if completed == 0 => Reason::from(&reason),
            _ if denied.is_some() => denied.map_or(Reason::NotReproducible, reason_of_denial),
            _ if tries == 0 && self.lacks_instance => Reason::NoInstance,
            _ if tries == 0 => Reason::NoInput,
            _ if self.below_threshold => Reason::LessSure,
            _ if completed == 0 && self.closed_field.is_some() => {
                return self.closed_field.map(|field| (Reason::NeedsInjection, injection_hint(field)));
            }
            _ if illegal == tries => Reason::OnlyIllegal,
            // That there is an object is no test.
            _ if completed > 0 && (self.is_all_there_is || self.unworthy) => Reason::NothingToAssert,
            _ => return self.never_returned().or(Some((Reason::NotReproducible, String::new()))),
        };
        Some((reason, String::new()))
    }
}

/// What would let tests set the field.
fn injection_hint(field: &str) -> String {
    format!(
        "a container sets the private field `{field}`: let a constructor take it, or add org.springframework:spring-test \
         with scope test, whose ReflectionTestUtils sets it"
    )
}

fn link_reason(message: &str) -> Reason {
    if message.contains("ExceptionInInitializerError") || message.contains("Could not initialize class") {
        Reason::InitialiserThrows
    } else if message.contains("NoClassDefFoundError") || message.contains("ClassNotFoundException") {
        Reason::MissingDependency
    } else {
        Reason::DoesNotLink
    }
}

/// The first type among the inputs of an operation of which nothing that ran made a value.
pub fn missing_input(subject: &Subject, engine: &Engine, id: OperationId) -> String {
    let program = &subject.program;
    let makers = Makers { operations: &program.operations, trials: &engine.result.trials, types: &program.types };
    let mut known = BTreeMap::new();
    let inputs = program.operations[id.0 as usize].inputs.iter();
    let missing = inputs.filter(|input| !input.is_primitive()).find(|input| !makers.can_make(input, &mut known));
    missing.map_or_else(String::new, |missing| format!("nothing makes a {missing}"))
}

/// The operations of a program, and what became of their calls.
struct Makers<'a> {
    operations: &'a [Operation],
    trials: &'a [Trials],
    types: &'a TypeTable,
}

impl Makers<'_> {
    /// Whether something has made an object of the type, or would have, had the search come to it. `known` keeps the answers.
    fn can_make(&self, needed: &Type, known: &mut BTreeMap<Type, bool>) -> bool {
        loop {
            // That nothing makes a type may have been said while it was asked for itself.
            known.retain(|_, is_made| *is_made);
            let before = known.len();
            let is_made = self.make(needed, known);
            if is_made || known.values().filter(|is_made| **is_made).count() == before {
                return is_made;
            }
        }
    }

    fn make(&self, needed: &Type, known: &mut BTreeMap<Type, bool>) -> bool {
        if let Some(answer) = known.get(needed) {
            return *answer;
        }
        known.insert(needed.clone(), false);
        let makes =
            |maker: &Operation| maker.output.as_ref().is_some_and(|output| self.types.is_assignable(output, needed));
        let makers = || self.operations.iter().zip(self.trials).filter(|(maker, _)| makes(maker));
        let may_make = |(maker, trials): (&Operation, &Trials)| {
            trials.tries == 0
                && maker.inputs.iter().filter(|input| !input.is_primitive()).all(|input| self.make(input, known))
        };
        let is_made = makers().any(|(_, trials)| trials.completed > 0) || makers().any(may_make);
        known.insert(needed.clone(), is_made);
        is_made
    }
}

/// Why an operation that always threw did, as far as its exception tells.
fn reason_of_exception(thrown: &ClassName) -> Reason {
    match thrown.internal() {
        // Of the text that it was given, not of the network.
        "java/net/MalformedURLException" | "java/net/URISyntaxException" => Reason::AlwaysThrows,
        "java/io/FileNotFoundException" => Reason::NeedsFile,
        name if name.starts_with("java/nio/file/") => Reason::NeedsFile,
        name if name.starts_with("java/net/") || name.starts_with("javax/net/") => Reason::NeedsNetwork,
        _ => Reason::AlwaysThrows,
    }
}

fn reason_of_denial(denial: Denial) -> Reason {
    match denial {
        Denial::File => Reason::NeedsFile,
        Denial::Network => Reason::NeedsNetwork,
        Denial::Process => Reason::NeedsProcess,
    }
}

/// Why no member of the class can be used.
pub fn obstacle(subject: &Subject, class: &ClassName) -> Option<Obstacle> {
    let skipped = subject.program.skipped.iter().find(|skipped| skipped.class == *class && skipped.member.is_none())?;
    let (reason, detail) = of_skip(&skipped.reason);
    Some(Obstacle { reason, detail })
}

/// The reason of what the program has left out, and its detail.
pub fn of_skip(reason: &SkipReason) -> (Reason, String) {
    match reason {
        SkipReason::NameNotJava => (Reason::NameNotWritable, String::new()),
        SkipReason::NotAccessible => (Reason::NotAccessible, String::new()),
        SkipReason::Unreadable(message) => (Reason::Unreadable, message.clone()),
        SkipReason::StartsContainer => (Reason::StartsContainer, String::new()),
        SkipReason::MissingClass(class) => (Reason::MissingDependency, class.binary()),
    }
}

/// The members of a class that the search did not offer to use.
pub fn skipped_members(subject: &Subject, class: &ClassName) -> Vec<NotTested> {
    let of_class = subject.program.skipped.iter().filter(|skipped| skipped.class == *class);
    let members = of_class.filter_map(|skipped| {
        let operation = skipped.member.clone()?;
        let (reason, detail) = of_skip(&skipped.reason);
        Some(NotTested { operation, reason, detail })
    });
    members.collect()
}

/// Whether source cannot name the class.
pub fn is_unnamed(subject: &Subject, class: &ClassName) -> bool {
    subject.program.types.get(class).is_some_and(|facts| facts.source_simple_name.is_none())
}

/// Whether the class has no instances of its own.
pub fn is_abstract(subject: &Subject, class: &ClassName) -> bool {
    let facts = subject.program.types.get(class);
    facts.is_some_and(|facts| facts.access & (access::ABSTRACT | access::INTERFACE) != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::jvm::MethodDescriptor;
    use model::sequence::OperationKind;

    fn check(fate: Fate, expected: Option<Reason>) {
        assert_eq!(fate.reason().map(|(reason, _)| reason), expected);
    }

    /// Of an operation with three edges, called twenty times, that no test runs.
    fn fate() -> Fate<'static> {
        Fate {
            edges: Coverage { covered: 0, total: 3 },
            trials: Trials { tries: 20, completed: 20, ..Trials::default() },
            ..Fate::default()
        }
    }

    #[test]
    fn operation_that_tests_call_has_no_reason() {
        check(Fate { called: true, ..fate() }, None);
        check(Fate { shown_by_finding: true, ..fate() }, None);
        check(Fate { edges: Coverage { covered: 1, total: 3 }, ..fate() }, None);
        check(Fate { edges: Coverage::default(), ..fate() }, None);
    }

    #[test]
    fn quarantined_operation_has_a_reason_unless_fully_covered() {
        let why = QuarantineReason::Killed(KillReason::Exit);
        let fate = |covered| Fate { edges: Coverage { covered, total: 3 }, quarantined: Some(&why), ..fate() };
        check(fate(0), Some(Reason::Exit));
        check(Fate { called: true, ..fate(2) }, Some(Reason::Exit));
        check(fate(3), None);
        check(Fate { edges: Coverage::default(), ..fate(0) }, Some(Reason::Exit));
        let why = QuarantineReason::Unlinkable("java.lang.NoClassDefFoundError: p/Gone".to_string());
        check(Fate { quarantined: Some(&why), ..fate(0) }, Some(Reason::MissingDependency));
    }

    #[test]
    fn killed_operation_that_never_returned_has_the_kill_as_reason() {
        let trials = Trials { completed: 0, ..fate().trials };
        let kill = Some(KillReason::ProbeBudget);
        check(Fate { kill, trials, ..fate() }, Some(Reason::ProbeBudget));
        check(Fate { kill, ..fate() }, Some(Reason::NotReproducible));
    }

    #[test]
    fn what_shows_nothing_has_nothing_to_assert() {
        check(Fate { is_all_there_is: true, ..fate() }, Some(Reason::NothingToAssert));
        check(Fate { unworthy: true, ..fate() }, Some(Reason::NothingToAssert));
        check(fate(), Some(Reason::NotReproducible));
    }

    #[test]
    fn untried_operation_and_operation_that_refuses_arguments_have_different_reasons() {
        let untried = Fate { trials: Trials::default(), ..fate() };
        check(untried, Some(Reason::NoInput));
        check(Fate { lacks_instance: true, ..untried }, Some(Reason::NoInstance));
        check(
            Fate { trials: Trials { tries: 9, illegal: 9, ..Trials::default() }, ..fate() },
            Some(Reason::OnlyIllegal),
        );
        let mostly_illegal = Trials { tries: 9, illegal: 8, ..Trials::default() };
        check(Fate { trials: mostly_illegal, ..fate() }, Some(Reason::NotReproducible));
        check(Fate { below_threshold: true, ..fate() }, Some(Reason::LessSure));
        let denied = Trials { denied: Some(Denial::Process), ..mostly_illegal };
        check(Fate { trials: denied, ..fate() }, Some(Reason::NeedsProcess));
    }

    #[test]
    fn operation_that_always_throws_has_a_reason_by_exception() {
        for (name, reason) in [
            ("java/lang/IllegalStateException", Reason::AlwaysThrows),
            ("java/io/FileNotFoundException", Reason::NeedsFile),
            ("java/nio/file/NoSuchFileException", Reason::NeedsFile),
            ("java/net/ConnectException", Reason::NeedsNetwork),
            ("java/net/MalformedURLException", Reason::AlwaysThrows),
        ] {
            let thrown = ClassName::new(name);
            let trials = Trials { completed: 0, ..fate().trials };
            let fate = Fate { always_thrown: Some(&thrown), trials, ..fate() };
            assert_eq!(fate.reason(), Some((reason, thrown.binary())));
            assert_eq!(Fate { called: true, ..fate }.never_returned(), Some((reason, thrown.binary())));
        }
    }

    #[test]
    fn operation_without_normal_outcome_has_a_reason() {
        let check = |fate: Fate, expected: Reason| assert_eq!(fate.without_normal_outcome().0, expected);
        let thrown = ClassName::new("java/lang/IllegalStateException");
        let trials = |completed| Trials { completed, ..fate().trials };
        check(Fate { called: true, ..fate() }, Reason::NothingToAssert);
        check(Fate { chosen: true, ..fate() }, Reason::TestLeftOut);
        check(Fate { trials: trials(0), always_thrown: Some(&thrown), called: true, ..fate() }, Reason::AlwaysThrows);
        check(Fate { trials: Trials::default(), called: true, ..fate() }, Reason::NoInput);
        check(Fate { trials: Trials::default(), lacks_instance: true, ..fate() }, Reason::NoInstance);
        check(Fate { trials: Trials { denied: Some(Denial::File), ..trials(0) }, ..fate() }, Reason::NeedsFile);
    }

    #[test]
    fn dropped_test_and_early_end_take_precedence_as_reasons() {
        check(Fate { chosen: true, ..fate() }, Some(Reason::TestLeftOut));
        check(Fate { chosen: true, ended_early: true, ..fate() }, Some(Reason::NotReached));
    }

    #[test]
    fn type_can_be_made_where_its_makers_were_not_tried_and_need_nothing_that_cannot() {
        let maker = |of: &str, inputs: &[&str]| {
            let parameters = inputs.iter().map(|input| Type::class(input)).collect();
            let descriptor = MethodDescriptor { parameters, returns: Some(Type::class(of)) };
            Operation::new(OperationKind::StaticMethod, ClassName::new("p/Makers"), "make", descriptor)
        };
        let operations = [
            maker("p/Made", &[]),
            maker("p/Waiting", &["p/Circle"]),
            maker("p/Circle", &["p/Waiting"]),
            maker("p/Circle", &["p/Made"]),
            maker("p/Failed", &[]),
            maker("p/OfNothing", &["p/Nothing"]),
        ];
        let trial = |tries, completed| Trials { tries, completed, ..Trials::default() };
        let trials = [trial(3, 3), trial(0, 0), trial(0, 0), trial(0, 0), trial(5, 0), trial(0, 0)];
        let types = TypeTable::default();
        let makers = Makers { operations: &operations, trials: &trials, types: &types };
        for (of, expected) in [
            ("p/Made", true),
            ("p/Waiting", true),
            ("p/Circle", true),
            ("p/Failed", false),
            ("p/OfNothing", false),
            ("p/Nothing", false),
        ] {
            assert_eq!(makers.can_make(&Type::class(of), &mut BTreeMap::new()), expected, "{of}");
        }
    }
}
