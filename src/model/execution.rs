//! What a run of a sequence did: outcomes, values, state fingerprints, probes hit; and the [`Executor`] trait.

pub mod described;
pub mod duration;
pub mod mutant;
pub mod trace;

use crate::jvm::{ClassName, JavaString, Literal, Type};
use crate::sequence::{Operation, Sequence};
use described::Described;
use mutant::Mutant;

/// How much an execution reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// For the search: values of statements as kinds and fingerprints, and only the probes that are new to the
    /// worker since it started (a fresh worker reports all again).
    Search,
    /// For selection, oracles and emission: all probes hit, the content of values, exception messages.
    Observe,
    /// As `Observe`, but the residual state in static fields and in the JVM's defaults is not reset before the next sequence,
    /// as between tests that share a JVM.
    SharedJvm,
    /// As `Observe`, with the operands of comparisons whether or not they are new to the worker.
    Compared,
    /// For a sequence with a text that ends in [`MARKER`]: what that is compared with, and the last comparisons of strings, in
    /// place of other operands; no probes. The one state says which code read the marker first, and is 0 if none did.
    Probed,
    /// As `Observe`, of the program with this fault in it.
    Mutated(Mutant),
    /// As `Observe`, at another time, one of [`TIMES`], and with other random identifiers: what differs is no outcome of the code
    /// alone.
    AnotherTime(u8),
}

/// The last UTF-16 units of a probed text: one that hardly any language has, is no letter, digit or blank, and fits in a byte.
pub const MARKER: u16 = 0x7f;

/// At how many times a sequence can run beside that of the search. Each is of another year, month and hour, and several are of
/// each day of the week; clocks move at different speeds.
pub const TIMES: u8 = 16;

/// A probe: an edge of the control flow graph of an instrumented method. Its number depends on the program alone.
pub type Edge = u32;

/// One edge and how often it was taken, as a bucket: bit n of 1, 2, 3, 4–7, 8–15, 16–31, 32–127, 128+ (saturating).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EdgeHit {
    /// Which edge.
    pub edge: Edge,
    /// 0–7
    pub bucket: u8,
}

/// Both operands of a comparison that the code under test made, seen by a hook.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Comparison {
    /// Number of the comparison's place in the program; depends on the program alone.
    pub site: u32,
    /// The operand that the code computed first.
    pub left: Literal,
    /// The other operand, of the same type.
    pub right: Literal,
}

/// What an executed sequence did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Execution {
    /// How the run ended, and at which statement.
    pub outcome: Outcome,
    /// One value per statement that completed, in order; null for a call that was to throw, if others ran behind it.
    pub values: Vec<Value>,
    /// Statements that made an array, or a collection or map of the JDK, which in the end holds null; only with
    /// [`Detail::Observe`].
    pub holding_null: Vec<usize>,
    /// Probes hit, sorted; which of them are listed depends on [`Detail`].
    pub edges: Vec<EdgeHit>,
    /// Comparison operands: those that are new in the worker's span of sequences ([`Detail::Search`]), or of the run
    /// ([`Detail::Compared`]); bounded per sequence.
    pub comparisons: Vec<Comparison>,
    /// Probes executed: the cost that decisions may use (never nanoseconds).
    pub cost: u64,
    /// States, after the sequence ended, of the inputs and the output of its last executed statement: input states
    /// in order, then the output's. Empty entries (`None`) for null, primitives and unreachable states.
    /// After an exception those of the inputs, and none if the sequence went on.
    pub states: Vec<Option<Fingerprint>>,
    /// The run read something that differs between runs: randomness, environment, identity hash.
    pub environment_dependent: bool,
    /// The run read a clock or made a random identifier, which are the same in each run but [at another time](Detail::AnotherTime).
    pub timed: bool,
    /// What the run was denied by the sandbox or the system; it is environment-dependent then, and nothing that it did is
    /// the code's doing.
    pub denied: Option<Denial>,
    /// Fingerprint of the changes that the run left in static fields and in the JVM's defaults, equal for equal changes as
    /// far as the worker knows the classes; `None` if it left none. Only with [`Detail::Observe`].
    pub residual_state: Option<Fingerprint>,
    /// Hash of what conditions compared after a random number was drawn; 0 if none was. Runs that draw other numbers and have the
    /// same one do the same with them.
    pub decisions: u64,
    /// The calls that the sequence's mocks got, in order, at most [`MOCK_CALLS`]; only with [`Detail::Observe`] and its kind.
    pub mock_calls: Vec<MockCall>,
}

/// So many calls of mocks are reported of one run.
pub const MOCK_CALLS: usize = 64;

/// A call of a method of an object that tests write as a mock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MockCall {
    /// The statement that made the mock.
    pub statement: usize,
    /// Which of the methods that its operation implements.
    pub method: usize,
    /// What was passed.
    pub arguments: Vec<MockArgument>,
}

/// What a mock was passed as one argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MockArgument {
    /// The first statement that made the object; `None` for values of primitives, texts, and what the code under test made.
    pub statement: Option<usize>,
    /// Its value when the run was over.
    pub value: Value,
}

impl Execution {
    /// A run of which nothing but its end is known.
    pub fn ended(outcome: Outcome) -> Execution {
        Execution {
            outcome,
            values: Vec::new(),
            holding_null: Vec::new(),
            edges: Vec::new(),
            comparisons: Vec::new(),
            cost: 0,
            states: Vec::new(),
            environment_dependent: false,
            timed: false,
            denied: None,
            residual_state: None,
            decisions: 0,
            mock_calls: Vec::new(),
        }
    }

    /// Tells the calls of mocks by where the statements stand now; `place` is `None` of one that the sequence lost.
    pub fn move_mocks(&mut self, place: impl Fn(usize) -> Option<usize>) {
        self.mock_calls.retain_mut(|call| match place(call.statement) {
            Some(now) => {
                call.statement = now;
                call.arguments.iter_mut().for_each(|argument| argument.statement = argument.statement.and_then(&place));
                true
            }
            None => false,
        });
    }

    /// Whether a test that does the same may come to see something else.
    pub fn may_vary(&self) -> bool {
        self.environment_dependent || self.timed
    }
}

/// Those of the JVM's defaults on which a run depends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Defaults {
    /// Of formatting, parsing and changing case.
    pub locale: bool,
    /// Of dates and times without one of their own.
    pub time_zone: bool,
}

impl Defaults {
    /// None of them.
    pub const NONE: Defaults = Defaults { locale: false, time_zone: false };
    /// All of them.
    pub const ALL: Defaults = Defaults { locale: true, time_zone: true };
}

/// What a run may not use, the first if there is more than one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Denial {
    /// A file or directory that the sandbox does not open to code under test.
    File,
    /// A socket, local or remote, or a host name to resolve.
    Network,
    /// Another program to start.
    Process,
}

/// A hash of an object graph up to isomorphism, bounded in size; equal graphs have equal fingerprints in every worker.
pub type Fingerprint = u64;

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Every statement completed.
    Completed,
    /// Statement `statement` threw; later ones did not run, unless the sequence goes on behind it.
    Threw {
        /// Index in the sequence.
        statement: usize,
        /// What it threw, as tests may name and compare it.
        exception: Thrown,
    },
    /// The run was ended or took its worker with it; `statement` was running, if that is known.
    Killed {
        /// Index in the sequence; `None` where the worker died without saying.
        statement: Option<usize>,
        /// What ended it; only some reasons come again in every run.
        reason: KillReason,
    },
    /// A statement cannot run at all: its class or member does not link or load.
    Unlinkable {
        /// Index in the sequence.
        statement: usize,
        /// The linkage error as the JVM words it.
        message: String,
    },
}

/// An exception as it left the code under test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thrown {
    /// Its run-time class.
    pub class: ClassName,
    /// The nearest superclass (or itself) that is public and on no hidden path, which a test can name.
    pub nameable: ClassName,
    /// Its superclasses from itself to `java/lang/Throwable`.
    pub superclasses: Vec<ClassName>,
    /// `None` if it has none or `getMessage` itself failed.
    pub message: Option<JavaString>,
    /// Frames from the top, those of randgen's own classes left out; at most 32.
    pub stack: Vec<StackFrame>,
}

/// One line of a stack trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StackFrame {
    /// The class that declares the method.
    pub class: ClassName,
    /// Its name alone, as `StackTraceElement` has it: overloads look the same.
    pub method: String,
    /// −1 when unknown.
    pub line: i32,
}

/// Why a run did not end by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum KillReason {
    /// It executed more probes than a sequence may; deterministic.
    ProbeBudget,
    /// It did not return in time and was stopped.
    Timeout,
    /// It called `System.exit` or `Runtime.halt`.
    Exit,
    /// The heap was exhausted, which depends on what else the JVM holds.
    OutOfMemory,
    /// Calls nested too deeply; how deep that is depends on the JVM and its compilers.
    StackOverflow,
    /// The worker died of the signal.
    Signal(i32),
    /// The worker ended with the status, or without a word.
    WorkerExit(i32),
}

impl Outcome {
    /// Whether it took seconds, or the worker.
    pub fn is_costly(&self) -> bool {
        let Outcome::Killed { reason, .. } = self else { return false };
        match reason {
            KillReason::Timeout | KillReason::OutOfMemory | KillReason::Signal(_) | KillReason::WorkerExit(_) => true,
            KillReason::ProbeBudget | KillReason::Exit | KillReason::StackOverflow => false,
        }
    }
}

/// The value a statement made.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// The statement makes no value: a void method, or a write of a field.
    Void,
    /// A null reference.
    Null,
    /// A primitive; a string only with [`Detail::Observe`] and at most 1,000 units long.
    Literal(Literal),
    /// Any other reference, which only the worker holds.
    Object {
        /// Run-time class.
        class: Type,
        /// What assertions may say of it, if the run was observed.
        observed: Observed,
    },
}

/// What else is known of an object, when the statement returned it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Observed {
    /// Its class is all that is known.
    Nothing,
    /// Number of elements of an array, or of a collection, map or optional of the JDK, whose elements are too many or
    /// unknown, or of units of a text that is too long to be kept; only with [`Detail::Observe`].
    Size(u32),
    /// Its content: of boxed primitives and enum constants always, otherwise only with [`Detail::Observe`].
    Value(Described),
}

impl Observed {
    /// A boxed primitive.
    pub fn boxed(literal: Literal) -> Observed {
        Observed::Value(Described::literal(literal))
    }

    /// Whether a test can compare the object, which the operation returned, with one that is made of its content.
    pub fn is_comparable(&self, returned_by: Option<&Operation>) -> bool {
        let Observed::Value(content) = self else { return false };
        content.can_be_made() && !returned_by.is_some_and(|operation| content.is_spelled_by(operation))
    }

    /// The number of elements of an array, a collection or a map, of values in an optional, or of units in a long text.
    pub fn size(&self) -> Option<usize> {
        match self {
            Observed::Nothing => None,
            Observed::Size(size) => Some(*size as usize),
            Observed::Value(described) => described.size(),
        }
    }
}

/// Runs sequences. The search is handed one per shard and never learns about processes.
pub trait Executor: Send {
    /// Runs the sequences in order; one execution for each, whatever the code under test did.
    fn execute(&mut self, sequences: &[Sequence], detail: Detail) -> Result<Vec<Execution>, ExecutorError>;

    /// Starts over with a fresh JVM, in which no code under test has run.
    fn restart(&mut self) -> Result<(), ExecutorError>;

    /// Starts over if what ran before may make a difference to what runs next: sequences that shared the JVM, or so many that
    /// running them again, should the JVM die, takes long.
    fn freshen(&mut self) -> Result<(), ExecutorError> {
        self.restart()
    }
}

/// No worker can be had any more: the run as a whole must end.
#[derive(Debug, thiserror::Error)]
pub enum ExecutorError {
    /// The user asked for the end of the run, by a signal.
    #[error("the run was interrupted")]
    Interrupted,
    /// Several new workers in a row failed; the text is the last one's reason.
    #[error("no worker could be started: {0}")]
    Unavailable(String),
}
