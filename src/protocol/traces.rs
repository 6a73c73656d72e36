//! Tests of a user's suite on their way to a worker, and what they did on its way back, as the class `Traces` inside the
//! JVM reads and writes it.
//!
//! They travel as sequences and outcomes do, in the same frames.

use super::outcomes::{self, KILLED, Names, UNLINKABLE};
use super::{BrokenMessage, Decoder, Encoder, sequences};
use model::execution::mutant::Mutant;
use model::execution::trace::{Datum, Description, Descriptions, End, Input, MethodExecution, State, TestTrace};
use model::execution::{KillReason, Outcome};
use model::sequence::Sequence;

/// What stands where a sequence has its detail.
mod tag {
    pub const LIST: u8 = 4;
    pub const TRACE: u8 = 5;
    pub const JUDGE: u8 = 6;
    pub const FOLLOW: u8 = 7;
}

/// The most states that a worker tells in its life.
const STATES: usize = 4 << 20;

/// Inputs of a call: its receiver and as many arguments as a method can have (JVMS §4.3.3).
const INPUTS: usize = 256;

/// Elements of a collection that `Descriptions` shows at most.
const ELEMENTS: usize = 32;

/// How a test ends.
mod end {
    pub const PASSED: u8 = 0;
    pub const FAILED: u8 = 1;
    pub const LEFT_CHANGES: u8 = 4;
    pub const SKIPPED: u8 = 5;
}

/// The calls of the test were too many to report.
const TRUNCATED: u8 = 8;

/// A test as its class shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Name of its method.
    pub method: String,
    /// Why it cannot be run without JUnit's own engine.
    pub obstacle: Option<String>,
}

/// What a test came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Report {
    /// It passed, with the calls that it made.
    Passed(TestTrace),
    /// It failed, with what was thrown.
    Failed(String),
    /// It did not take place, by its own will.
    Skipped(String),
    /// It passed, and left this changed, which other tests see.
    LeftChanges(String),
    /// It passed, and its calls were too many to report.
    TooLong,
    /// It ended the worker, or was ended with it.
    Killed(KillReason),
}

/// Asks for the tests of a class, by its binary name.
pub fn encode_list(class: &str) -> Vec<u8> {
    encode(tag::LIST, &[class], None).bytes
}

/// Asks for a run of a test, which may execute so many probes.
pub fn encode_trace(class: &str, method: &str, budget: u32) -> Vec<u8> {
    let mut encoder = encode(tag::TRACE, &[class, method], None);
    encoder.u32(budget);
    encoder.bytes
}

/// Asks for a run of a test, of which only counts whether it passes with the mutant, if there is one.
pub fn encode_judge(class: &str, method: &str, budget: u32, mutant: Option<Mutant>) -> Vec<u8> {
    let mut encoder = encode(tag::JUDGE, &[class, method], mutant);
    encoder.u32(budget);
    encoder.bytes
}

/// Asks for a run of a sequence, as of a test; `number` is its own.
pub fn encode_follow(sequence: &Sequence, number: u32) -> Vec<u8> {
    let mut encoder = Encoder::default();
    encoder.u8(tag::FOLLOW);
    encoder.u32(number);
    sequences::encode_statements(&mut encoder, sequence);
    encoder.bytes
}

fn encode(tag: u8, texts: &[&str], mutant: Option<Mutant>) -> Encoder {
    let mut encoder = Encoder::default();
    if let Some(mutant) = mutant {
        sequences::encode_mutant(&mut encoder, mutant);
    }
    encoder.u8(tag);
    for text in texts {
        encoder.units(&text.encode_utf16().collect::<Vec<_>>());
    }
    encoder
}

/// Whether a test that was judged passes. One that is skipped did not fail, nor one whose mutant the JVM does not take.
pub fn decode_judged(bytes: &[u8]) -> Result<bool, BrokenMessage> {
    match bytes.first() {
        Some(&(end::PASSED | end::LEFT_CHANGES | end::SKIPPED | UNLINKABLE)) => Ok(true),
        Some(&(end::FAILED | KILLED)) => Ok(false),
        _ => Err(BrokenMessage),
    }
}

/// Reads the tests of a class; the inner error says why it cannot be loaded.
pub fn decode_list(bytes: &[u8]) -> Result<Result<Vec<Listed>, String>, BrokenMessage> {
    let mut decoder = Decoder::new(bytes);
    let end = decoder.u8()?;
    decoder.u8()?;
    match end {
        end::PASSED => {}
        end::FAILED => return Ok(Err(text(&mut decoder)?)),
        KILLED => return Ok(Err(format!("{:?}", decode_killed(bytes)?))),
        _ => return Err(BrokenMessage),
    }
    let mut tests = Vec::new();
    for _ in 0..decoder.count(5)? {
        let method = text(&mut decoder)?;
        let obstacle = if decoder.u8()? == 0 { None } else { Some(text(&mut decoder)?) };
        tests.push(Listed { method, obstacle });
    }
    Ok(Ok(tests))
}

/// The states that a worker has announced so far.
#[derive(Default)]
pub struct States {
    known: Vec<State>,
    /// Where the worker describes states and values, those that were not taken yet.
    descriptions: Option<Descriptions>,
}

impl States {
    /// Of a worker that describes states and values, or not.
    pub fn new(describes: bool) -> States {
        States { known: Vec::new(), descriptions: describes.then(Descriptions::default) }
    }

    /// What was described since this was asked last.
    pub fn take_descriptions(&mut self) -> Descriptions {
        self.descriptions.as_mut().map(std::mem::take).unwrap_or_default()
    }
}

/// Reads what a test that was traced did; `names` and `states` are the worker's.
pub fn decode_trace(
    bytes: &[u8],
    probe_count: u32,
    names: &mut Names,
    states: &mut States,
) -> Result<Report, BrokenMessage> {
    let mut decoder = Decoder::new(bytes);
    let decoder = &mut decoder;
    let end = decoder.u8()?;
    let flags = decoder.u8()?;
    if end == KILLED {
        return Ok(Report::Killed(decode_killed(bytes)?));
    }
    let mut executions = Vec::new();
    for _ in 0..decoder.count(14)? {
        executions.push(decode_execution(decoder, names)?);
    }
    let edges = outcomes::decode_edges(decoder, probe_count)?;
    let cost = decoder.u64()?;
    let reason = if end == end::PASSED { String::new() } else { text(decoder)? };
    let first = states.known.len();
    let room = STATES - first;
    for _ in 0..decoder.count_to(24, room)? {
        let (whole, monitored, equal) = (decoder.u64()?, decoder.u64()?, decoder.u64()?);
        states.known.push(State { whole, monitored, equal });
    }
    if let Some(descriptions) = &mut states.descriptions {
        for state in &states.known[first..] {
            descriptions.states.insert(state.whole, decode_description(decoder, names)?);
        }
        for _ in 0..decoder.count(9)? {
            descriptions.values.insert(decoder.u64()?, decode_datum(decoder, names, 0)?);
        }
    }
    match end {
        end::PASSED if flags & TRUNCATED != 0 => Ok(Report::TooLong),
        end::PASSED => {
            let executions =
                executions.into_iter().map(|raw| raw.resolve(&states.known)).collect::<Result<_, BrokenMessage>>()?;
            Ok(Report::Passed(TestTrace { executions, edges, cost }))
        }
        end::FAILED => Ok(Report::Failed(reason)),
        end::SKIPPED => Ok(Report::Skipped(reason)),
        end::LEFT_CHANGES => Ok(Report::LeftChanges(reason)),
        _ => Err(BrokenMessage),
    }
}

/// A method execution whose states are numbers still: they are announced behind it.
struct RawExecution {
    execution: MethodExecution,
    /// Of the inputs that are objects: before and after.
    inputs: Vec<(u32, u32)>,
    made: u32,
}

/// Stands where a state is not known yet.
const UNRESOLVED: State = State { whole: 0, monitored: 0, equal: 0 };

impl RawExecution {
    fn resolve(mut self, known: &[State]) -> Result<MethodExecution, BrokenMessage> {
        let state = |number: u32| known.get(number as usize).copied().ok_or(BrokenMessage);
        let mut numbers = self.inputs.iter();
        for input in &mut self.execution.inputs {
            if let Input::Object { before, after, .. } = input {
                let &(number_before, number_after) = numbers.next().ok_or(BrokenMessage)?;
                (*before, *after) = (state(number_before)?, state(number_after)?);
            }
        }
        if let End::Made { state: made, .. } = &mut self.execution.end {
            *made = state(self.made)?;
        }
        Ok(self.execution)
    }
}

fn decode_execution(decoder: &mut Decoder, names: &mut Names) -> Result<RawExecution, BrokenMessage> {
    let (method, statement) = (decoder.u32()?, decoder.u32()?);
    let has_receiver = decoder.u8()? != 0;
    let mut states = Vec::new();
    let mut inputs = Vec::new();
    for _ in 0..decoder.count_to(1, INPUTS)? {
        let (input, state) = decode_input(decoder)?;
        states.extend(state.map(|before| (before, before)));
        inputs.push(input);
    }
    if has_receiver && inputs.is_empty() {
        return Err(BrokenMessage);
    }
    let mut made = 0;
    let end = match decoder.u8()? {
        0 => End::Returned(None),
        1 => match decode_input(decoder)? {
            (Input::Object { object, .. }, state) => {
                made = state.unwrap_or_default();
                End::Made { object, state: UNRESOLVED }
            }
            (value, _) => End::Returned(Some(value)),
        },
        2 => End::Threw(names.read(decoder)?.class.clone()),
        _ => return Err(BrokenMessage),
    };
    for (_, after) in &mut states {
        *after = decoder.u32()?;
    }
    Ok(RawExecution {
        execution: MethodExecution { method, statement, has_receiver, inputs, end },
        inputs: states,
        made,
    })
}

/// An input, and the number of its state if it is an object.
fn decode_input(decoder: &mut Decoder) -> Result<(Input, Option<u32>), BrokenMessage> {
    Ok(match decoder.u8()? {
        0 => (Input::Null, None),
        1 => (Input::Primitive { letter: decoder.u8()?, bits: decoder.u64()? }, None),
        2 => (Input::Value(decoder.u64()?), None),
        3 => {
            let input = Input::Object { object: decoder.u32()?, before: UNRESOLVED, after: UNRESOLVED };
            (input, Some(decoder.u32()?))
        }
        _ => return Err(BrokenMessage),
    })
}

fn decode_description(decoder: &mut Decoder, names: &mut Names) -> Result<Description, BrokenMessage> {
    let class = names.read(decoder)?.class.clone();
    let mut variables = Vec::new();
    for _ in 0..decoder.count(5)? {
        variables.push((names.read(decoder)?.text.clone(), decode_datum(decoder, names, 0)?));
    }
    Ok(Description { class, variables })
}

fn decode_datum(decoder: &mut Decoder, names: &mut Names, depth: u8) -> Result<Datum, BrokenMessage> {
    Ok(match decoder.u8()? {
        0 => outcomes::decode_optional_literal(decoder)?.map_or(Datum::Null, |literal| Datum::from(&literal)),
        1 => {
            let class = names.read(decoder)?.class.binary();
            Datum::Constant(
                format!("{}.{}", class.rsplit('.').next().unwrap_or(&class), names.read(decoder)?.text).into(),
            )
        }
        2 => Datum::Object(names.read(decoder)?.class.binary().into()),
        3 if depth == 0 => {
            let size = decoder.u32()?;
            let mut all = None;
            if decoder.u8()? != 0 {
                let mut elements = Vec::new();
                for _ in 0..decoder.count_to(2, ELEMENTS)? {
                    elements.push(decode_datum(decoder, names, 1)?);
                }
                all = Some(elements.into());
            }
            Datum::Elements { size, all }
        }
        _ => return Err(BrokenMessage),
    })
}

fn decode_killed(bytes: &[u8]) -> Result<KillReason, BrokenMessage> {
    match outcomes::decode(bytes, None, &[], 0, &mut Names::default())?.execution.outcome {
        Outcome::Killed { reason, .. } => Ok(reason),
        _ => Err(BrokenMessage),
    }
}

fn text(decoder: &mut Decoder) -> Result<String, BrokenMessage> {
    Ok(String::from_utf16_lossy(&decoder.units()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A passing test with one call of method 7 on an object of state 0, which leaves it in state 1.
    fn example() -> Vec<u8> {
        let mut encoder = Encoder::default();
        encoder.u8(0);
        encoder.u8(0);
        encoder.u32(1);
        encoder.u32(7);
        encoder.u32(0);
        encoder.u8(1);
        encoder.u32(2);
        encoder.u8(3);
        encoder.u32(0);
        encoder.u32(0);
        encoder.u8(1);
        encoder.u8(b'I');
        encoder.u64(3);
        // It throws an exception whose name is new, number 0.
        encoder.u8(2);
        encoder.u32(0);
        encoder.units(&[65]);
        encoder.u32(1);
        // One edge, hit once.
        encoder.u32(1);
        encoder.u32(4);
        encoder.u8(1);
        // Its cost, and two states.
        encoder.u64(9);
        encoder.u32(2);
        for state in 0..6 {
            encoder.u64(state);
        }
        encoder.bytes
    }

    fn decode(bytes: &[u8]) -> Result<Report, BrokenMessage> {
        decode_trace(bytes, 5, &mut Names::default(), &mut States::default())
    }

    #[test]
    fn trace_states_are_resolved_by_number() {
        let Ok(Report::Passed(trace)) = decode(&example()) else { panic!("{:?}", decode(&example())) };
        let execution = &trace.executions[0];
        let state = |first| State { whole: first, monitored: first + 1, equal: first + 2 };
        assert_eq!(execution.inputs[0], Input::Object { object: 0, before: state(0), after: state(3) });
        assert_eq!(execution.inputs[1], Input::Primitive { letter: b'I', bits: 3 });
        assert!(matches!(&execution.end, End::Threw(class) if class.internal() == "A"));
    }

    #[test]
    fn forged_trace_never_panics() {
        let mut bytes = example();
        for at in 0..bytes.len() {
            assert_eq!(decode(&bytes[..at]), Err(BrokenMessage));
            for value in [0, 1, 2, 3, 127, 255] {
                let kept = std::mem::replace(&mut bytes[at], value);
                let edges = |report: &Report| match report {
                    Report::Passed(trace) => trace.edges.iter().all(|hit| hit.edge < 5),
                    _ => true,
                };
                assert!(decode(&bytes).as_ref().map_or(true, edges));
                bytes[at] = kept;
            }
        }
    }
}
