//! Calls that make a difference of states visible: what a caller can ask of each object of a sequence.

use super::versions::Versions;
use model::jvm::{Literal, Type};
use model::options::Access;
use model::sequence::{Operation, OperationId, OperationKind, Sequence};
use rustc_hash::FxHashMap;

/// Extended sequences that are made of one.
const MOST: usize = 48;
/// Choices of an argument.
const ARGUMENTS: usize = 2;
/// Methods with more inputs, the receiver among them, are not called.
const MOST_INPUTS: usize = 3;

/// The methods that tell something of their object.
pub struct Observers {
    asking: Vec<OperationId>,
    /// Methods of the JDK that take an object of a class under test out of another: the content of an optional, and the first
    /// element of a list.
    unwrapping: Vec<OperationId>,
    /// Those that ask and fit a type.
    of_type: FxHashMap<Type, Vec<OperationId>>,
}

impl Observers {
    /// Those of the older version that tests may call.
    pub fn new(versions: &Versions, access: Access) -> Observers {
        let program = &versions.older.program;
        let asks = |operation: &Operation| {
            operation.kind == OperationKind::InstanceMethod
                && operation.output.is_some()
                && operation.inputs.len() <= MOST_INPUTS
                && (access == Access::Package || !operation.back_door)
                && program.is_target(&operation.owner)
        };
        let unwraps = |operation: &Operation| {
            let is_own = |of: &Type| of.class_name().is_some_and(|name| program.is_target(name));
            operation.output.as_ref().is_some_and(is_own)
                && match (operation.owner.internal(), &*operation.name) {
                    ("java/util/Optional", "get") => operation.inputs.len() == 1,
                    ("java/util/List", "get") => operation.inputs.get(1) == Some(&Type::INT),
                    _ => false,
                }
        };
        let those = |wanted: &dyn Fn(&Operation) -> bool| {
            let ids = (0..).map(OperationId).zip(program.operations.iter());
            ids.filter(|(_, operation)| wanted(operation)).map(|(id, _)| id).collect()
        };
        Observers { asking: those(&asks), unwrapping: those(&unwraps), of_type: FxHashMap::default() }
    }

    /// The sequence, each time with one more call: of the latest objects first, and of each object its own methods before
    /// `toString`.
    pub fn extend(&mut self, sequence: &Sequence, versions: &Versions) -> Vec<Sequence> {
        let operations = &versions.older.program.operations;
        let mut extended = Vec::new();
        for at in (0..sequence.len()).rev() {
            let Some(of) = sequence.output_of(at, operations) else { continue };
            if of.is_primitive() || of.is_string() {
                continue;
            }
            self.ask(sequence, at, &of, versions, &mut extended);
            for (unwrapped, content) in self.unwrapped(sequence, at, &of, versions) {
                self.ask(&unwrapped, unwrapped.len() - 1, &content, versions, &mut extended);
            }
            extended.push(with_call(sequence, versions.older.program.checks.to_string, &[at]));
            if extended.len() >= MOST {
                break;
            }
        }
        extended.truncate(MOST);
        extended
    }

    /// Adds the sequence with each call on the value.
    fn ask(&mut self, sequence: &Sequence, at: usize, of: &Type, versions: &Versions, extended: &mut Vec<Sequence>) {
        for operation in self.fitting(of, versions) {
            let receivers = arguments(sequence, at, operation, versions);
            extended.extend(receivers.into_iter().map(|inputs| with_call(sequence, operation, &inputs)));
        }
    }

    /// The sequence with a call that takes an object of a class under test out of the value, and the type of that object.
    fn unwrapped(&self, sequence: &Sequence, at: usize, of: &Type, versions: &Versions) -> Vec<(Sequence, Type)> {
        let program = &versions.older.program;
        let take_out = |&id: &OperationId| {
            let operation = &program.operations[id.0 as usize];
            let content = operation.output.clone()?;
            if !program.types.is_assignable(of, &operation.inputs[0]) {
                return None;
            }
            let mut unwrapped = sequence.clone();
            let mut inputs = vec![at];
            if operation.inputs.len() > 1 {
                inputs.push(unwrapped.push_literal(Literal::Int(0)));
            }
            unwrapped.push_call(id, &inputs);
            Some((unwrapped, content))
        };
        self.unwrapping.iter().filter_map(take_out).collect()
    }

    fn fitting(&mut self, of: &Type, versions: &Versions) -> Vec<OperationId> {
        let program = &versions.older.program;
        let takes = |id: &&OperationId| {
            let receiver = &program.operations[id.0 as usize].inputs[0];
            program.types.is_assignable(of, receiver)
        };
        let fitting = || self.asking.iter().filter(takes).copied().collect();
        self.of_type.entry(of.clone()).or_insert_with(fitting).clone()
    }
}

/// The inputs of a call on the value: its arguments are values of the sequence, the latest and the first that fit.
fn arguments(sequence: &Sequence, receiver: usize, operation: OperationId, versions: &Versions) -> Vec<Vec<usize>> {
    let program = &versions.older.program;
    let operations = &program.operations;
    let mut choices: Vec<Vec<usize>> = vec![vec![receiver]];
    for wanted in &operations[operation.0 as usize].inputs[1..] {
        let fits = |at: &usize| {
            let output = sequence.output_of(*at, operations);
            output.is_some_and(|output| program.types.is_assignable(&output, wanted))
        };
        let fitting: Vec<usize> = (0..sequence.len()).rev().filter(fits).collect();
        let mut some: Vec<usize> = fitting.first().into_iter().chain(fitting.last()).copied().collect();
        some.dedup();
        some.truncate(ARGUMENTS);
        let with = |inputs: &Vec<usize>| {
            let more = some.iter().map(|&at| inputs.iter().copied().chain([at]).collect());
            more.collect::<Vec<Vec<usize>>>()
        };
        choices = choices.iter().flat_map(with).collect();
    }
    choices
}

fn with_call(sequence: &Sequence, operation: OperationId, inputs: &[usize]) -> Sequence {
    let mut extended = sequence.clone();
    extended.push_call(operation, inputs);
    extended
}
