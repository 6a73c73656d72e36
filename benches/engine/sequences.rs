//! Random sequences without guidance, for benches of what runs them.

use model::jvm::{Literal, Primitive, Type};
use model::sequence::{Action, OperationId, Operations, Sequence};
use rand::RngExt;
use std::collections::BTreeSet;

/// Operations whose inputs are there or easily had, but those that end workers, until the sequence is long enough.
pub fn random(operations: &Operations, length: usize, bad: &BTreeSet<String>, rng: &mut impl rand::Rng) -> Sequence {
    let mut sequence = Sequence::new();
    let mut made: Vec<(Type, usize)> = Vec::new();
    let mut tries = 0;
    while sequence.len() < length && tries < 200 {
        tries += 1;
        let index = rng.random_range(0..operations.len());
        let operation = &operations[index];
        let action = Action::Call(OperationId(index as u32));
        if bad.contains(&format!("{action:?}")) {
            continue;
        }
        let mut plan = Vec::new();
        for input in &operation.inputs {
            let fitting: Vec<usize> = made.iter().filter(|(of, _)| of == input).map(|(_, at)| *at).collect();
            match literal(input, rng) {
                _ if !fitting.is_empty() => plan.push(Err(fitting[rng.random_range(0..fitting.len())])),
                Some(literal) => plan.push(Ok(literal)),
                None => break,
            }
        }
        if plan.len() < operation.inputs.len() {
            continue;
        }
        let inputs: Vec<usize> = plan
            .into_iter()
            .map(|input| match input {
                Ok(literal) => sequence.push_literal(literal),
                Err(at) => at,
            })
            .collect();
        let at = sequence.push(action, &inputs);
        if let Some(output) = &operation.output {
            made.push((output.clone(), at));
        }
    }
    sequence
}

fn literal(of: &Type, rng: &mut impl rand::Rng) -> Option<Literal> {
    let number = [0, 1, 2, 10, -1, 65][rng.random_range(0..6)];
    Some(match of {
        Type::Primitive(primitive) => match primitive {
            Primitive::Boolean => Literal::Boolean(number > 1),
            primitive => Literal::of_number(number, *primitive),
        },
        _ if of.is_string() => Literal::String(["", "a", "-v", "hello world"][rng.random_range(0..4)].into()),
        _ => return None,
    })
}
