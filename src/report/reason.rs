//! The closed lists of reasons: why code is not tested, and why a test was left out.

use model::execution::KillReason;
use serde::{Deserialize, Serialize};
use std::fmt;
/// The closed list of reasons for which code stays untested. The codes are stable; `docs/reports.md` explains each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// It calls `System.exit` or `Runtime.halt`.
    Exit,
    /// It did not return in time, more than once.
    Timeout,
    /// It executed more probes than a sequence may.
    ProbeBudget,
    /// It exhausted the heap.
    OutOfMemory,
    /// It overflowed the stack.
    StackOverflow,
    /// The worker died of a signal in it.
    Signal,
    /// The worker process ended while executing it, without a message.
    WorkerExit,
    /// The static initialiser threw.
    InitialiserThrows,
    /// A class that it needs is not on the class path.
    MissingDependency,
    /// It does not link or verify.
    DoesNotLink,
    /// The class file cannot be read.
    Unreadable,
    /// Its name, or that of a class in its signature, is no Java identifier.
    NameNotWritable,
    /// No code in its package may name it.
    NotAccessible,
    /// A local or anonymous class: it has no name in source.
    LocalOrAnonymous,
    /// An interface or abstract class that nothing in the program implements.
    NoInstance,
    /// No value of a parameter's or the receiver's type could be made.
    NoInput,
    /// A container sets a private field of its class, and the tests have no library that does.
    NeedsInjection,
    /// Every call threw an exception that a suppression rule blames on the caller.
    OnlyIllegal,
    /// Whatever it was called with, it threw.
    AlwaysThrows,
    /// Whatever it was called with, it did not find or could not use a file.
    NeedsFile,
    /// Whatever it was called with, it failed to use the network.
    NeedsNetwork,
    /// It starts or ends other processes.
    NeedsProcess,
    /// It starts a container or a server, which no test does.
    StartsContainer,
    /// What it does differs between runs.
    NotReproducible,
    /// It returned, and showed nothing that is worth a test: nothing to assert, or what a constructor took.
    NothingToAssert,
    /// The tests that call it are among those left out.
    TestLeftOut,
    /// It broke a contract whatever it was called with, and the confidence of the finding is below `min-confidence`.
    // Part of schema 1 as `less-sure`.
    LessSure,
    /// `excludedClasses` or `excludedMethods` names it, or its annotation `@DoNotTest` leaves it out.
    Excluded,
    /// The limits ended the run before a test for it was found.
    NotReached,
}

impl Reason {
    /// All of them, in the order of the enum.
    pub const ALL: [Reason; 29] = [
        Reason::Exit,
        Reason::Timeout,
        Reason::ProbeBudget,
        Reason::OutOfMemory,
        Reason::StackOverflow,
        Reason::Signal,
        Reason::WorkerExit,
        Reason::InitialiserThrows,
        Reason::MissingDependency,
        Reason::DoesNotLink,
        Reason::Unreadable,
        Reason::NameNotWritable,
        Reason::NotAccessible,
        Reason::LocalOrAnonymous,
        Reason::NoInstance,
        Reason::NoInput,
        Reason::NeedsInjection,
        Reason::OnlyIllegal,
        Reason::AlwaysThrows,
        Reason::NeedsFile,
        Reason::NeedsNetwork,
        Reason::NeedsProcess,
        Reason::StartsContainer,
        Reason::NotReproducible,
        Reason::NothingToAssert,
        Reason::TestLeftOut,
        Reason::LessSure,
        Reason::Excluded,
        Reason::NotReached,
    ];

    /// The predicate of a sentence whose subject is the code that is not tested.
    pub fn explanation(self) -> &'static str {
        match self {
            Reason::Exit => "ends the JVM",
            Reason::Timeout => "did not return in time",
            Reason::ProbeBudget => "exceeded the probe budget",
            Reason::OutOfMemory => "exhausts the heap",
            Reason::StackOverflow => "overflows the stack",
            Reason::Signal => "crashes the JVM",
            Reason::WorkerExit => "ended the worker process",
            Reason::InitialiserThrows => "has a static initialiser that throws",
            Reason::MissingDependency => "needs a class that is not on the class path",
            Reason::DoesNotLink => "does not link",
            Reason::Unreadable => "has a class file that cannot be read",
            Reason::NameNotWritable => "has a name that Java source cannot write",
            Reason::NotAccessible => "is not accessible from its package",
            Reason::LocalOrAnonymous => "is a local or anonymous class",
            Reason::NoInstance => "has no instance: nothing implements it",
            Reason::NoInput => "has a parameter or receiver for which no value could be created",
            Reason::NeedsInjection => "needs a field that a container sets",
            Reason::OnlyIllegal => "accepted none of the arguments tried",
            Reason::AlwaysThrows => "throws whatever it is called with",
            Reason::NeedsFile => "needs a file that is not there or that it may not use",
            Reason::NeedsNetwork => "needs the network",
            Reason::NeedsProcess => "needs other processes",
            Reason::StartsContainer => "starts a container",
            Reason::NotReproducible => "behaves differently from run to run",
            Reason::NothingToAssert => "shows nothing that is worth a test",
            Reason::TestLeftOut => "is called by tests that were left out",
            Reason::LessSure => "shows a finding below `min-confidence`",
            Reason::Excluded => "is excluded by the configuration or an annotation",
            Reason::NotReached => "was not reached within the limits",
        }
    }
}

impl From<&KillReason> for Reason {
    fn from(reason: &KillReason) -> Reason {
        match reason {
            KillReason::ProbeBudget => Reason::ProbeBudget,
            KillReason::Timeout => Reason::Timeout,
            KillReason::Exit => Reason::Exit,
            KillReason::OutOfMemory => Reason::OutOfMemory,
            KillReason::StackOverflow => Reason::StackOverflow,
            KillReason::Signal(_) => Reason::Signal,
            KillReason::WorkerExit(_) => Reason::WorkerExit,
        }
    }
}

/// Why a generated test was left out. Each is a defect of randgen's, not of the code under test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum DropReason {
    /// The compiler refuses it.
    DoesNotCompile,
    /// It fails in every verification run.
    Fails,
    /// It passed in one verification run and failed in another.
    Flaky,
    /// It does not return in time.
    TimesOut,
    /// The JVM that ran it ended.
    KillsTheJvm,
    /// The emitter could not write it in Java.
    NotExpressible,
}

/// The code, such as `missing-dependency`.
impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&code(self))
    }
}

/// The code, such as `does-not-compile`.
impl fmt::Display for DropReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&code(self))
    }
}

/// The name under which serde writes a variant, so that text and JSON never differ.
fn code(variant: &impl Serialize) -> String {
    match serde_json::to_value(variant) {
        Ok(serde_json::Value::String(code)) => code,
        _ => unreachable!("a variant without data is written as a string"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reason_codes_equal_their_json_names() {
        assert_eq!(Reason::MissingDependency.to_string(), "missing-dependency");
        assert_eq!(DropReason::KillsTheJvm.to_string(), "kills-the-jvm");
    }

    #[test]
    fn every_reason_is_documented() {
        let page = include_str!("../../docs/reports.md");
        for reason in Reason::ALL {
            assert!(page.contains(&format!("| `{reason}` | ")), "{reason}");
        }
    }
}
