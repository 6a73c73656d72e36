//! Outcomes on their way from a worker, in the form that the class `Executor` inside the JVM writes.
//!
//! Names of classes and methods travel once: a number that was not used before is followed by its text. So a
//! [`Names`] belongs to one life of one worker.

use super::described::decode_described;
use super::{BrokenMessage, Decoder, Encoder};
use model::execution::{
    Comparison, Denial, EdgeHit, Execution, KillReason, MOCK_CALLS, MockArgument, MockCall, Observed, Outcome,
    StackFrame, Thrown, Value,
};
use model::jvm::{ClassName, JavaString, Literal, Primitive, Type};
use model::sequence::{Action, Operation, Sequence};
use std::sync::Arc;

/// What `Executor`, and `Operands` or `Texts`, report at most of one sequence: frames of a stack, comparisons.
const FRAMES: usize = 32;
const COMPARISONS: usize = 256;

/// No method has more parameters (JVMS §4.3.3).
const MOCK_ARGUMENTS: usize = 255;

/// More superclasses no class has.
const SUPERCLASSES: usize = 1024;

/// A sequence that is not known here has no more statements.
const STATEMENTS: usize = 1 << 16;

/// The most names that a worker uses in its life, and the most characters in them.
const NAMES: usize = 1 << 18;
const NAME_UNITS: usize = 16 << 20;

/// The names that a worker has announced so far.
#[derive(Default)]
pub struct Names {
    known: Vec<Name>,
    units: usize,
}

/// A name as text, and read as a class name or as an array's descriptor.
pub(super) struct Name {
    pub(super) text: Arc<str>,
    pub(super) class: ClassName,
    pub(super) seen_as: Type,
}

impl Names {
    pub(super) fn read(&mut self, decoder: &mut Decoder) -> Result<&Name, BrokenMessage> {
        let number = decoder.u32()? as usize;
        if number == self.known.len() {
            let units = decoder.units()?;
            self.units += units.len();
            if number >= NAMES || self.units > NAME_UNITS {
                return Err(BrokenMessage);
            }
            let text = String::from_utf16_lossy(&units);
            let internal = text.replace('.', "/");
            let seen_as = Type::from_class_constant(&internal).ok_or(BrokenMessage)?;
            self.known.push(Name { class: ClassName::new(&internal), seen_as, text: text.into() });
        }
        self.known.get(number).ok_or(BrokenMessage)
    }
}

/// Bits of an outcome's second byte.
const ENVIRONMENT: u8 = 1;
/// The worker runs nothing more after this outcome.
pub const SPENT: u8 = 2;

/// The run was cut short where no static initialiser was running.
const UNHARMED: u8 = 4;

/// The run read a clock that the worker sets.
const TIMED: u8 = 64;

/// The run was denied something.
const DENIALS: [(u8, Denial); 3] = [(8, Denial::File), (16, Denial::Network), (32, Denial::Process)];

/// Notes that threads were started: when these read a clock is up to the machine.
pub fn note_threads(outcome: &mut [u8]) {
    if outcome[1] & TIMED != 0 {
        outcome[1] |= ENVIRONMENT;
    }
}

/// What one sequence did, and whether the worker must start over because of it.
#[derive(Debug)]
pub struct Report {
    /// What the sequence did.
    pub execution: Execution,
    /// The JVM is no longer what it was: the worker runs nothing more.
    pub spent: bool,
}

/// Set in the tag of a value that holds null; mirrored by `Executor.HOLDS_NULL`.
const HOLDS_NULL: u8 = 0x80;

/// How an outcome's first byte says that the run did not end by itself.
pub(super) const THREW: u8 = 1;
pub(super) const KILLED: u8 = 2;

/// Whether the run did not end by itself, and a class that it was about to initialise may have come to harm.
pub fn may_have_done_harm(outcome: &[u8]) -> bool {
    outcome.first() == Some(&KILLED) && outcome.get(1).is_some_and(|flags| flags & UNHARMED == 0)
}

/// Whether the worker ends after this report, of a sequence or of a test.
pub fn is_spent(report: &[u8]) -> bool {
    report.get(1).is_some_and(|flags| flags & SPENT != 0)
}

/// The outcome of a sequence that the watchdog stopped; the worker is spent.
pub fn stopped() -> Vec<u8> {
    spent(0, TIMEOUT)
}

/// The outcome of a sequence after which there was not enough memory to report another one; the worker is spent. Its last
/// statement is blamed: those before it ran in other sequences.
pub fn out_of_memory(statements: usize) -> Vec<u8> {
    spent(statements.saturating_sub(1) as u32, OUT_OF_MEMORY)
}

fn spent(statement: u32, reason: u8) -> Vec<u8> {
    let mut encoder = Encoder::default();
    encoder.u8(KILLED);
    encoder.u8(SPENT);
    encoder.u32(statement);
    encoder.u64(0);
    // No values, edges, comparisons; the reason; no states, no calls of mocks; no residual state, no decisions.
    encoder.u32(0);
    encoder.u32(0);
    encoder.u32(0);
    encoder.u8(reason);
    encoder.u32(0);
    encoder.u32(0);
    encoder.u64(0);
    encoder.u64(0);
    encoder.bytes
}

/// How an outcome's first byte says that a class or member does not link.
pub(super) const UNLINKABLE: u8 = 3;

/// The outcome of a sequence that did not begin, as the code that it was to run with cannot be had.
pub fn unlinkable(message: &str) -> Vec<u8> {
    let mut encoder = Encoder::default();
    encoder.u8(UNLINKABLE);
    encoder.u8(0);
    encoder.u32(0);
    encoder.u64(0);
    // No values, edges, comparisons; the message; no states, no calls of mocks; no residual state, no decisions.
    encoder.u32(0);
    encoder.u32(0);
    encoder.u32(0);
    encoder.units(&message.encode_utf16().collect::<Vec<_>>());
    encoder.u32(0);
    encoder.u32(0);
    encoder.u64(0);
    encoder.u64(0);
    encoder.bytes
}

/// Reads the outcome of `sequence`. Without one, which is enough where only the names count, values lose the
/// difference between primitives and their boxes.
pub fn decode(
    bytes: &[u8],
    sequence: Option<&Sequence>,
    operations: &[Operation],
    probe_count: u32,
    names: &mut Names,
) -> Result<Report, BrokenMessage> {
    let mut decoder = Decoder::new(bytes);
    let decoder = &mut decoder;
    let end = decoder.u8()?;
    let flags = decoder.u8()?;
    let statement = decoder.u32()? as usize;
    let cost = decoder.u64()?;
    let most = sequence.map_or(STATEMENTS, Sequence::len);
    let completed = decoder.count_to(1, most)?;
    if let Some(sequence) = sequence {
        let length = sequence.len();
        let expected = match end {
            0 => length..=length,
            KILLED => 0..=0,
            // What stands behind may throw, too.
            THREW if sequence.rejected() == Some(statement) => statement + 1..=length,
            _ => statement..=statement,
        };
        if !expected.contains(&completed) || end != 0 && statement >= length {
            return Err(BrokenMessage);
        }
    }
    let mut values = Vec::with_capacity(completed);
    let mut holding_null = Vec::new();
    for index in 0..completed {
        let tag = decoder.u8()?;
        if tag & HOLDS_NULL != 0 {
            holding_null.push(index);
        }
        values.push(decode_value(tag & !HOLDS_NULL, decoder, sequence, index, operations, names)?);
    }
    let edges = decode_edges(decoder, probe_count)?;
    let mut comparisons = Vec::new();
    for _ in 0..decoder.count_to(6, COMPARISONS)? {
        let site = decode_probe(decoder, probe_count)?;
        let left = decode_literal(decoder)?;
        let right = decode_literal(decoder)?;
        comparisons.push(Comparison { site, left, right });
    }
    let outcome = match end {
        0 => Outcome::Completed,
        THREW => Outcome::Threw { statement, exception: decode_thrown(decoder, names)? },
        KILLED => Outcome::Killed { statement: Some(statement), reason: decode_reason(decoder.u8()?)? },
        UNLINKABLE => Outcome::Unlinkable { statement, message: String::from_utf16_lossy(&decoder.units()?) },
        _ => return Err(BrokenMessage),
    };
    let mut states = Vec::new();
    for _ in 0..decoder.count_to(1, most_states(sequence, end, statement))? {
        states.push(if decoder.u8()? == 0 { None } else { Some(decoder.u64()?) });
    }
    let mock_calls = decode_mock_calls(decoder, sequence, operations, names)?;
    let residual_state = Some(decoder.u64()?).filter(|left| *left != 0);
    let decisions = decoder.u64()?;
    let execution = Execution {
        outcome,
        values,
        holding_null,
        edges,
        comparisons,
        cost,
        states,
        environment_dependent: flags & ENVIRONMENT != 0,
        timed: flags & TIMED != 0,
        denied: DENIALS.iter().find(|(flag, _)| flags & flag != 0).map(|(_, denial)| *denial),
        residual_state,
        decisions,
        mock_calls,
    };
    Ok(Report { execution, spent: flags & SPENT != 0 })
}

pub(super) fn decode_edges(decoder: &mut Decoder, probe_count: u32) -> Result<Vec<EdgeHit>, BrokenMessage> {
    // Each probe at most once.
    let count = decoder.count_to(5, probe_count as usize)?;
    let mut edges = Vec::with_capacity(count);
    for _ in 0..count {
        let edge = decode_probe(decoder, probe_count)?;
        edges.push(EdgeHit { edge, bucket: bucket_of(decoder.u8()?) });
    }
    edges.sort_unstable();
    Ok(edges)
}

fn decode_probe(decoder: &mut Decoder, probe_count: u32) -> Result<u32, BrokenMessage> {
    let probe = decoder.u32()?;
    if probe < probe_count { Ok(probe) } else { Err(BrokenMessage) }
}

/// The bucket of a saturating 8-bit count; mirrored by `Probes.BUCKETS`.
pub fn bucket_of(count: u8) -> u8 {
    match count {
        0..=3 => count.saturating_sub(1),
        4..=7 => 3,
        8..=15 => 4,
        16..=31 => 5,
        32..=127 => 6,
        128..=255 => 7,
    }
}

const TIMEOUT: u8 = 1;
const OUT_OF_MEMORY: u8 = 3;

fn decode_reason(number: u8) -> Result<KillReason, BrokenMessage> {
    Ok(match number {
        0 => KillReason::ProbeBudget,
        TIMEOUT => KillReason::Timeout,
        2 => KillReason::Exit,
        OUT_OF_MEMORY => KillReason::OutOfMemory,
        4 => KillReason::StackOverflow,
        // An error of the worker's own, as its exit status would say.
        5 => KillReason::WorkerExit(70),
        _ => return Err(BrokenMessage),
    })
}

/// As many states as the last executed statement has inputs, and that of its output. A statement may take one value twice, so
/// there may be more of them than statements.
fn most_states(sequence: Option<&Sequence>, end: u8, statement: usize) -> usize {
    let Some(sequence) = sequence else { return STATEMENTS };
    let last = if end == 0 { sequence.len().checked_sub(1) } else { Some(statement) };
    last.map_or(0, |last| sequence.inputs_of(last).count() + 1)
}

fn decode_value(
    tag: u8,
    decoder: &mut Decoder,
    sequence: Option<&Sequence>,
    index: usize,
    operations: &[Operation],
    names: &mut Names,
) -> Result<Value, BrokenMessage> {
    Ok(match tag {
        0 => Value::Void,
        1 => Value::Null,
        // A primitive, boxed for the journey or by the code under test: the type of the statement tells which.
        2 => {
            let literal = decode_literal(decoder)?;
            let primitive = match sequence.map(|sequence| &sequence.statements()[index].action) {
                None | Some(Action::Literal(_)) => true,
                Some(Action::Call(operation)) => {
                    let operation = operations.get(operation.0 as usize).ok_or(BrokenMessage)?;
                    operation.output.as_ref().is_some_and(Type::is_primitive)
                }
            };
            if primitive { Value::Literal(literal) } else { boxed(literal)? }
        }
        3 => Value::Object { class: names.read(decoder)?.seen_as.clone(), observed: Observed::Nothing },
        4 => {
            let class = names.read(decoder)?.seen_as.clone();
            Value::Object { class, observed: Observed::Value(decode_described(decoder, names)?) }
        }
        6 => {
            let class = names.read(decoder)?.seen_as.clone();
            Value::Object { class, observed: Observed::Size(decoder.u32()?) }
        }
        7 => Value::Literal(decode_literal(decoder)?),
        _ => return Err(BrokenMessage),
    })
}

/// The calls of mocks. A call of a statement that makes no mock, or of a method that the mock has not, is a forgery.
fn decode_mock_calls(
    decoder: &mut Decoder,
    sequence: Option<&Sequence>,
    operations: &[Operation],
    names: &mut Names,
) -> Result<Vec<MockCall>, BrokenMessage> {
    let length = sequence.map_or(STATEMENTS, Sequence::len);
    let mut calls = Vec::new();
    for _ in 0..decoder.count_to(12, MOCK_CALLS)? {
        let statement = decoder.u32()? as usize;
        let method = decoder.u32()? as usize;
        let count = decoder.count_to(5, MOCK_ARGUMENTS)?;
        if let Some(sequence) = sequence {
            let made = Some(statement).filter(|at| *at < length).and_then(|at| sequence.call_at(at));
            let mock = made.and_then(|made| operations.get(made.0 as usize)).filter(|made| made.mock);
            let called = mock.and_then(|mock| mock.implemented.get(method)).ok_or(BrokenMessage)?;
            if called.descriptor.parameters.len() != count {
                return Err(BrokenMessage);
            }
        }
        let mut arguments = Vec::new();
        for _ in 0..count {
            let made_by = decoder.u32()? as usize;
            let tag = decoder.u8()?;
            let value = decode_value(tag, decoder, None, 0, operations, names)?;
            arguments.push(MockArgument { statement: Some(made_by).filter(|at| *at < length), value });
        }
        calls.push(MockCall { statement, method, arguments });
    }
    Ok(calls)
}

fn boxed(literal: Literal) -> Result<Value, BrokenMessage> {
    match literal.literal_type() {
        Type::Primitive(primitive) => {
            let class = Type::Class(Primitive::wrapper(primitive));
            Ok(Value::Object { class, observed: Observed::boxed(literal) })
        }
        _ => Err(BrokenMessage),
    }
}

pub(super) fn decode_literal(decoder: &mut Decoder) -> Result<Literal, BrokenMessage> {
    decode_optional_literal(decoder)?.ok_or(BrokenMessage)
}

/// The same tags as for literals of sequences, except that null has no type here, and no class literal arrives.
pub(super) fn decode_optional_literal(decoder: &mut Decoder) -> Result<Option<Literal>, BrokenMessage> {
    let tag = decoder.u8()?;
    Ok(Some(match tag {
        1 => Literal::Boolean(decoder.u64()? != 0),
        2 => Literal::Byte(decoder.u64()? as i8),
        3 => Literal::Char(decoder.u64()? as u16),
        4 => Literal::Short(decoder.u64()? as i16),
        5 => Literal::Int(decoder.u64()? as i32),
        6 => Literal::Long(decoder.u64()? as i64),
        7 => Literal::Float(decoder.u64()? as u32),
        8 => Literal::Double(decoder.u64()?),
        9 => Literal::String(JavaString::from_units(&decoder.units()?)),
        11 => return Ok(None),
        _ => return Err(BrokenMessage),
    }))
}

fn decode_thrown(decoder: &mut Decoder, names: &mut Names) -> Result<Thrown, BrokenMessage> {
    let nameable = names.read(decoder)?.class.clone();
    let mut superclasses = Vec::new();
    for _ in 0..decoder.count_to(4, SUPERCLASSES)? {
        superclasses.push(names.read(decoder)?.class.clone());
    }
    let class = superclasses.first().ok_or(BrokenMessage)?.clone();
    let message = if decoder.u8()? == 0 { None } else { Some(JavaString::from_units(&decoder.units()?)) };
    let mut stack = Vec::new();
    for _ in 0..decoder.count_to(12, FRAMES)? {
        let class = names.read(decoder)?.class.clone();
        let method = names.read(decoder)?.text.to_string();
        stack.push(StackFrame { class, method, line: decoder.u32()? as i32 });
    }
    Ok(Thrown { class, nameable, superclasses, message, stack })
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::execution::Detail;
    use model::sequence::OperationId;

    #[test]
    fn hit_counts_are_bucketed_at_the_documented_bounds() {
        let bounds = [(1, 0), (2, 1), (3, 2), (4, 3), (7, 3), (8, 4), (15, 4), (16, 5), (32, 6), (127, 6), (128, 7)];
        for (count, bucket) in bounds {
            assert_eq!(bucket_of(count), bucket, "{count}");
        }
    }

    #[test]
    fn outcome_without_memory_blames_the_last_statement() {
        let mut sequence = Sequence::new();
        sequence.push_call(OperationId(0), &[]);
        sequence.push_call(OperationId(1), &[0]);
        let encoded = crate::sequences::encode(&sequence, Detail::Search);
        let statements = crate::sequences::statements(&encoded).unwrap();
        let report = decode(&out_of_memory(statements), Some(&sequence), &[], 0, &mut Names::default()).unwrap();
        let expected = Outcome::Killed { statement: Some(1), reason: KillReason::OutOfMemory };
        assert_eq!((report.execution.outcome, report.spent), (expected, true));
    }

    /// A sequence of one literal, and the outcome of a run of it that hit probe 7 and compared two numbers there.
    fn example() -> (Sequence, Vec<u8>) {
        let mut sequence = Sequence::new();
        sequence.push_literal(Literal::Int(1));
        let mut encoder = Encoder::default();
        encoder.u8(0);
        encoder.u8(0);
        encoder.u32(0);
        encoder.u64(9);
        // One value: an object of class number 0, which is announced as `A`.
        encoder.u32(1);
        encoder.u8(3);
        encoder.u32(0);
        encoder.units(&[65]);
        // One edge, hit three times.
        encoder.u32(1);
        encoder.u32(7);
        encoder.u8(3);
        // One comparison.
        encoder.u32(1);
        encoder.u32(7);
        for number in [1, 2] {
            encoder.u8(5);
            encoder.u64(number);
        }
        // No states, no calls of mocks, no residual state, no decisions.
        encoder.u32(0);
        encoder.u32(0);
        encoder.u64(0);
        encoder.u64(0);
        (sequence, encoder.bytes)
    }

    fn decode_example(bytes: &[u8], probe_count: u32) -> Result<Report, BrokenMessage> {
        decode(bytes, Some(&example().0), &[], probe_count, &mut Names::default())
    }

    #[test]
    fn probes_that_the_program_does_not_have_are_refused() {
        let (_, mut bytes) = example();
        assert_eq!(decode_example(&bytes, 8).unwrap().execution.edges, [EdgeHit { edge: 7, bucket: 2 }]);
        assert_eq!(decode_example(&bytes, 7).err(), Some(BrokenMessage));
        let edge = bytes.windows(5).position(|window| window == [7, 0, 0, 0, 3]).unwrap();
        bytes[edge] = 6;
        assert_eq!(decode_example(&bytes, 7).err(), Some(BrokenMessage), "the comparison's site");
    }

    #[test]
    fn class_literal_in_an_outcome_is_refused() {
        let mut encoder = Encoder::default();
        crate::sequences::encode_literal(&mut encoder, &Literal::Class(Type::INT));
        assert_eq!(decode_literal(&mut Decoder::new(&encoder.bytes)), Err(BrokenMessage));
    }

    #[test]
    fn outcome_with_more_states_than_statements_is_refused() {
        let (_, mut bytes) = example();
        let states = bytes.len() - 24;
        bytes.splice(states..states + 4, [2, 0, 0, 0, 0, 0]);
        assert_eq!(decode_example(&bytes, 8).err(), Some(BrokenMessage));
        bytes.splice(states..states + 6, [1, 0, 0, 0, 0]);
        assert_eq!(decode_example(&bytes, 8).unwrap().execution.states, [None]);
    }

    #[test]
    fn call_of_a_mock_that_no_statement_makes_is_refused() {
        let (sequence, mut bytes) = example();
        let calls = bytes.len() - 20;
        // The first method of what the first statement made, without arguments.
        bytes.splice(calls..calls + 4, [1u32, 0, 0, 0].iter().flat_map(|number| number.to_le_bytes()));
        assert_eq!(decode_example(&bytes, 8).err(), Some(BrokenMessage));
        let decoded = decode(&bytes, None, &[], 8, &mut Names::default()).unwrap().execution.mock_calls;
        assert_eq!(decoded, [MockCall { statement: 0, method: 0, arguments: Vec::new() }], "{sequence:?}");
    }

    #[test]
    fn state_of_a_value_that_a_statement_takes_twice_is_told_twice() {
        let mut sequence = Sequence::new();
        let one = sequence.push_call(OperationId(0), &[]);
        sequence.push_call(OperationId(1), &[one, one]);
        assert_eq!(most_states(Some(&sequence), 0, 0), 3);
        assert_eq!(most_states(Some(&sequence), 1, 0), 1);
        assert_eq!(most_states(Some(&Sequence::new()), 0, 0), 0);
    }

    #[test]
    fn names_of_a_worker_are_bounded() {
        let mut encoder = Encoder::default();
        encoder.u32(0);
        encoder.units(&vec![65; 9 << 20]);
        let mut names = Names::default();
        assert!(names.read(&mut Decoder::new(&encoder.bytes)).is_ok());
        encoder.bytes[0] = 1;
        assert!(names.read(&mut Decoder::new(&encoder.bytes)).is_err());
    }

    #[test]
    fn outcome_with_missing_values_is_refused() {
        let mut sequence = example().0;
        sequence.push_literal(Literal::Int(2));
        let decoded = decode(&example().1, Some(&sequence), &[], 8, &mut Names::default());
        assert_eq!(decoded.err(), Some(BrokenMessage));
    }

    #[test]
    fn forged_outcome_never_panics() {
        let (_, mut bytes) = example();
        for at in 0..bytes.len() {
            for value in [0u8, 1, 2, 5, 127, 255] {
                let kept = std::mem::replace(&mut bytes[at], value);
                let forged = decode_example(&bytes, 8);
                assert!(forged.is_err() || forged.unwrap().execution.edges.iter().all(|hit| hit.edge < 8));
                bytes[at] = kept;
            }
            assert_eq!(decode_example(&bytes[..at], 8).err(), Some(BrokenMessage));
        }
    }
}
