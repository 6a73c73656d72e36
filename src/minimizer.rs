//! The smallest sequence with the same verdict.
//!
//! A list of passes over the current best. A pass proposes candidates that are smaller in its own sense, in an order
//! that depends on the sequence alone, and runs them in one batch; what is accepted one by one is tried together, and
//! if that fails the first alone becomes the best. A pass runs until it makes no progress, then the next one does.
//! Writing a pass means: propose changes of single statements, each strictly smaller by the size of a literal or by a
//! statement, so that every pass ends.

use crate::execution::{Detail, Execution, Executor, ExecutorError};
use crate::jvm::{JavaString, Literal, Type};
use crate::sequence::{Action, Operation, Sequence};
use rustc_hash::FxHashSet;

/// Rounds of one pass at most; each is a batch or two.
const ROUND_LIMIT: usize = 25;

/// Earlier values tried in place of a statement's.
const SUBSTITUTES: usize = 3;

/// What a pass does to one statement.
#[derive(Clone, Debug)]
enum Change {
    Drop,
    Replace(Literal),
    /// Those that took its value take that of the earlier statement.
    Bypass(usize),
}

/// A change of one statement, by its index.
type At = (usize, Change);

type Accepts<'a> = &'a dyn Fn(&Sequence, &Execution) -> bool;

/// Minimizes a sequence while `accepts` holds of its run. The last `fixed` statements stay. `first` is the run of
/// the sequence itself; the run of the result is handed back.
pub fn minimize(
    sequence: &Sequence,
    first: Execution,
    fixed: usize,
    operations: &[Operation],
    executor: &mut dyn Executor,
    accepts: Accepts,
) -> Result<(Sequence, Execution), ExecutorError> {
    let mut best = (sequence.clone(), first);
    // Most of a sequence grown by the search has nothing to do with its last statements: one try may drop it all.
    let needed = needed_by_last(sequence, fixed.max(1));
    if needed.contains(&false) {
        let slice: Vec<At> =
            needed.iter().enumerate().filter(|(_, needed)| !**needed).map(|(at, _)| (at, Change::Drop)).collect();
        if let Some(candidate) = apply(sequence, &slice)
            && let Some((_, smaller, execution)) = run(vec![(slice[0].clone(), candidate)], executor, accepts)?.pop()
        {
            best = (smaller, execution);
        }
    }
    // What made a value that is not needed any more goes after it.
    for pass in [drop_statements, bypass_calls, drop_statements, shrink_literals] {
        for _ in 0..ROUND_LIMIT {
            let end = best.0.len() - fixed.min(best.0.len());
            let Some(smaller) = step(&best.0, pass(&best.0, end, operations), executor, accepts)? else { break };
            best = smaller;
        }
    }
    Ok(best)
}

/// Leaves out a call among the first `end` statements; the last ones first, as others may be there for them. Literals
/// go with the calls that use them.
fn drop_statements(sequence: &Sequence, end: usize, _: &[Operation]) -> Vec<At> {
    let is_call = |at: &usize| matches!(sequence.statements()[*at].action, Action::Call(_));
    (0..end).rev().filter(is_call).map(|at| (at, Change::Drop)).collect()
}

/// Takes an earlier value of the same type in place of a call's among the first `end` statements: `years.plus(days)`
/// becomes `years`. The call's own inputs come first, then the values made first.
fn bypass_calls(sequence: &Sequence, end: usize, operations: &[Operation]) -> Vec<At> {
    let outputs: Vec<Option<Type>> = (0..end).map(|at| sequence.output_of(at, operations)).collect();
    let mut changes = Vec::new();
    for at in (0..end).rev().filter(|&at| matches!(sequence.statements()[at].action, Action::Call(_))) {
        let is_same = |&other: &usize| outputs[at].is_some() && outputs[other] == outputs[at];
        let own: Vec<usize> = sequence.inputs_of(at).filter(is_same).collect();
        let others = (0..at).filter(is_same).filter(|other| !own.contains(other));
        let substitutes = own.iter().copied().chain(others).take(SUBSTITUTES);
        changes.extend(substitutes.map(|substitute| (at, Change::Bypass(substitute))));
    }
    changes
}

/// For each statement, whether one of the last `count` needs its value.
fn needed_by_last(sequence: &Sequence, count: usize) -> Vec<bool> {
    let mut needed = vec![false; sequence.len()];
    for last in sequence.len() - count.min(sequence.len())..sequence.len() {
        for (at, by_last) in sequence.needed_by(last).into_iter().enumerate() {
            needed[at] |= by_last;
        }
    }
    needed
}

/// Replaces a literal among the first `end` statements by a simpler one.
fn shrink_literals(sequence: &Sequence, end: usize, _: &[Operation]) -> Vec<At> {
    let mut changes = Vec::new();
    for at in 0..end {
        if let Action::Literal(literal) = &sequence.statements()[at].action {
            changes.extend(simpler_literals(literal).into_iter().map(|simpler| (at, Change::Replace(simpler))));
        }
    }
    changes
}

/// Tries each change alone, then the accepted ones together: for each statement its first.
fn step(
    sequence: &Sequence,
    changes: Vec<At>,
    executor: &mut dyn Executor,
    accepts: Accepts,
) -> Result<Option<(Sequence, Execution)>, ExecutorError> {
    let candidate = |change: &At| Some((change.clone(), apply(sequence, std::slice::from_ref(change))?));
    let candidates: Vec<_> = changes.iter().filter_map(candidate).collect();
    let mut accepted = run(candidates, executor, accepts)?;
    accepted.dedup_by_key(|((at, _), ..)| *at);
    let together: Vec<At> = accepted.iter().map(|(change, ..)| change.clone()).collect();
    if together.len() > 1
        && let Some(all) = apply(sequence, &together)
        && let Some((_, all, execution)) = run(vec![(together[0].clone(), all)], executor, accepts)?.pop()
    {
        return Ok(Some((all, execution)));
    }
    Ok(accepted.into_iter().next().map(|(_, smaller, execution)| (smaller, execution)))
}

/// The sequence with the changes, at most one for each statement; `None` if nothing or an orphan is left.
fn apply(sequence: &Sequence, changes: &[At]) -> Option<Sequence> {
    let change_of = |index: usize| changes.iter().find(|(at, _)| *at == index).map(|(_, change)| change);
    let source_of = |mut index: usize| {
        while let Some(Change::Bypass(substitute)) = change_of(index) {
            index = *substitute;
        }
        index
    };
    let mut changed = Sequence::new();
    for (index, statement) in sequence.statements().iter().enumerate() {
        let inputs: Vec<usize> = sequence.inputs_of(index).map(source_of).collect();
        let action = match change_of(index) {
            Some(Change::Replace(literal)) => Action::Literal(literal.clone()),
            _ => statement.action.clone(),
        };
        changed.push(action, &inputs);
    }
    let dropped = |index| matches!(change_of(index), Some(Change::Drop | Change::Bypass(_)));
    let kept = changed.retain(|index| !dropped(index))?;
    let used: FxHashSet<usize> = (0..kept.len()).flat_map(|user| kept.inputs_of(user).collect::<Vec<_>>()).collect();
    let is_literal = |at: usize| matches!(kept.statements()[at].action, Action::Literal(_));
    kept.retain(|at| !is_literal(at) || used.contains(&at)).filter(|kept| !kept.is_empty())
}

/// A change, the sequence with it, and what that did.
type Accepted = (At, Sequence, Execution);

/// Candidates whose run is accepted, with the run.
fn run(
    candidates: Vec<(At, Sequence)>,
    executor: &mut dyn Executor,
    accepts: Accepts,
) -> Result<Vec<Accepted>, ExecutorError> {
    let sequences: Vec<Sequence> = candidates.iter().map(|(_, sequence)| sequence.clone()).collect();
    let executions = executor.execute(&sequences, Detail::Observe)?;
    Ok(candidates
        .into_iter()
        .zip(executions)
        .filter(|((_, sequence), execution)| accepts(sequence, execution))
        .map(|((change, sequence), execution)| (change, sequence, execution))
        .collect())
}

/// Literals of the same type that read more easily, simplest first; each has a smaller weight than the given one.
fn simpler_literals(literal: &Literal) -> Vec<Literal> {
    let simpler = match literal {
        // Small numbers read as easily as 0.
        Literal::Int(value) if value.unsigned_abs() > 10 => [0, 1, -1].map(Literal::Int).to_vec(),
        Literal::Long(value) if value.unsigned_abs() > 10 => [0, 1, -1].map(Literal::Long).to_vec(),
        Literal::Short(value) if value.unsigned_abs() > 10 => [0, 1, -1].map(Literal::Short).to_vec(),
        Literal::Byte(value) if value.unsigned_abs() > 10 => [0, 1, -1].map(Literal::Byte).to_vec(),
        Literal::Float(_) => [0.0, 1.0, -1.0].map(Literal::float).to_vec(),
        Literal::Double(_) => [0.0, 1.0, -1.0].map(Literal::double).to_vec(),
        Literal::Char(_) => vec![Literal::Char(u16::from(b'a'))],
        Literal::String(text) if text.units().len() > 1 => {
            let units = text.units();
            let middle = units.len() / 2;
            let part = |units: &[u16]| Literal::String(JavaString::from_units(units));
            vec![part(&[]), Literal::String("a".into()), part(&units[..middle]), part(&units[middle..])]
        }
        _ => Vec::new(),
    };
    simpler.into_iter().filter(|candidate| weight(candidate) < weight(literal)).collect()
}

/// What shrinking makes smaller.
fn weight(literal: &Literal) -> (usize, u64) {
    let number = |value: i64| match value {
        0 => 0,
        1 => 1,
        -1 => 2,
        _ => 3,
    };
    match literal {
        Literal::Int(value) => (0, number(i64::from(*value))),
        Literal::Long(value) => (0, number(*value)),
        Literal::Short(value) => (0, number(i64::from(*value))),
        Literal::Byte(value) => (0, number(i64::from(*value))),
        Literal::Float(bits) => (0, if *bits == 0 { 0 } else { 1 + number(f32::from_bits(*bits) as i64) }),
        Literal::Double(bits) => (0, if *bits == 0 { 0 } else { 1 + number(f64::from_bits(*bits) as i64) }),
        Literal::Char(unit) => (
            0,
            match *unit {
                0x61 => 0,
                0x30 => 1,
                _ => 2,
            },
        ),
        Literal::String(text) => (text.units().len(), u64::from(text.units() != [u16::from(b'a')])),
        _ => (0, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execution::Outcome;
    use crate::jvm::{ClassName, MethodDescriptor};
    use crate::sequence::{OperationId, OperationKind};

    /// Runs anything at once; what is accepted is up to the test.
    struct NoOperation;

    impl Executor for NoOperation {
        fn execute(&mut self, sequences: &[Sequence], _: Detail) -> Result<Vec<Execution>, ExecutorError> {
            Ok(sequences.iter().map(|_| execution()).collect())
        }

        fn restart(&mut self) -> Result<(), ExecutorError> {
            Ok(())
        }
    }

    /// Static methods that make a value of one type.
    fn operations(count: u32) -> Vec<Operation> {
        let years = ClassName::new("sample/Years");
        let operation = |number: u32| {
            let descriptor = MethodDescriptor { parameters: Vec::new(), returns: Some(Type::Class(years.clone())) };
            Operation::new(OperationKind::StaticMethod, years.clone(), format!("m{number}"), descriptor)
        };
        (0..count).map(operation).collect()
    }

    fn execution() -> Execution {
        Execution::ended(Outcome::Completed)
    }

    #[test]
    fn only_what_the_verdict_needs_is_left() {
        let mut sequence = Sequence::new();
        for call in 0..3 {
            let literal = sequence.push_literal(Literal::String("abcxdef".into()));
            sequence.push_call(OperationId(call), &[literal]);
        }
        let holds = |sequence: &Sequence, _: &Execution| {
            let calls = |call: u32| {
                sequence.statements().iter().any(|statement| statement.action == Action::Call(OperationId(call)))
            };
            let has_x = |statement: &crate::sequence::Statement| matches!(&statement.action, Action::Literal(Literal::String(text)) if text.to_string().contains('x'));
            calls(1) && sequence.statements().iter().any(has_x)
        };
        let (smallest, _) = minimize(&sequence, execution(), 0, &operations(3), &mut NoOperation, &holds).unwrap();
        assert_eq!(smallest.len(), 2);
        assert_eq!(smallest.statements()[0].action, Action::Literal(Literal::String("x".into())));
    }

    #[test]
    fn a_call_gives_way_to_an_earlier_value_of_its_type() {
        let mut sequence = Sequence::new();
        let mut years = sequence.push_call(OperationId(0), &[]);
        for _ in 0..3 {
            years = sequence.push_call(OperationId(1), &[years]);
        }
        sequence.push_call(OperationId(2), &[years]);
        let holds = |sequence: &Sequence, _: &Execution| {
            sequence.statements().last().is_some_and(|last| last.action == Action::Call(OperationId(2)))
        };
        let (smallest, _) = minimize(&sequence, execution(), 1, &operations(3), &mut NoOperation, &holds).unwrap();
        assert_eq!(smallest.len(), 2);
        assert_eq!(smallest.statements()[0].action, Action::Call(OperationId(0)));
    }

    #[test]
    fn fixed_statements_stay() {
        let mut sequence = Sequence::new();
        sequence.push_call(OperationId(0), &[]);
        sequence.push_call(OperationId(1), &[]);
        let (smallest, _) =
            minimize(&sequence, execution(), 1, &operations(2), &mut NoOperation, &|_, _| true).unwrap();
        assert_eq!(smallest.len(), 1);
        assert_eq!(smallest.statements()[0].action, Action::Call(OperationId(1)));
    }
}
