//! From what a search kept to the tests worth writing: observe, cover greedily, minimize.
//!
//! A test earns its place by a goal that no other test reaches: an edge, a first normal return of an operation, or a
//! type of exception it throws. Sequences are run in two orders in fresh workers; what differs between the two is no
//! ground for a test.

use super::model::call_count;
use super::{Goal, Kept, ProbeMap};
use crate::execution::{Detail, Execution, Executor, ExecutorError, Observed, Outcome, Value};
use crate::jvm::Type;
use crate::minimizer::minimize;
use crate::oracle::{Finding, violation_of};
use crate::sequence::{Action, Operation, Sequence};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::sync::Mutex;

/// Sequences sent to an executor at once.
const BATCH: usize = 128;

/// A test in the making.
#[derive(Clone, Debug)]
pub struct Selected {
    pub sequence: Sequence,
    pub execution: Execution,
    /// What the test is there for.
    pub goals: BTreeSet<Goal>,
}

/// What selection gave.
#[derive(Debug, Default)]
pub struct Selection {
    pub selected: Vec<Selected>,
    /// Kept sequences that did something else when they ran in another order.
    pub unstable: usize,
}

struct Observation {
    sequence: Sequence,
    execution: Execution,
    goals: BTreeSet<Goal>,
}

/// Chooses and minimizes tests from the kept sequences. `go_on` is asked between steps of work that may be left out.
pub fn select(
    kept: &[Kept],
    operations: &[Operation],
    probes: &ProbeMap,
    executors: &mut [Box<dyn Executor>],
    threads: usize,
    go_on: &(dyn Fn() -> bool + Sync),
) -> Result<Selection, ExecutorError> {
    let sequences: Vec<Sequence> = kept.iter().map(|kept| (*kept.sequence).clone()).collect();
    let (observed, unstable) = observe(&sequences, operations, probes, executors, threads)?;
    let covering = cover(observed);
    let minimized = minimize_all(covering, operations, probes, executors, threads, go_on)?;
    let sequences: Vec<Sequence> = minimized.into_iter().map(|selected| selected.sequence).collect();
    let (observed, later_unstable) = observe(&sequences, operations, probes, executors, threads)?;
    let selected = cover(observed);
    Ok(Selection { selected, unstable: unstable + later_unstable })
}

/// Minimizes findings; those that a fresh worker does not show again are left out.
pub fn minimize_findings(
    findings: Vec<Finding>,
    operations: &[Operation],
    executors: &mut [Box<dyn Executor>],
) -> Result<Vec<Finding>, ExecutorError> {
    let executor = executors[0].as_mut();
    executor.restart()?;
    let mut minimized: Vec<Finding> = Vec::new();
    for finding in findings {
        let violation = |sequence: &Sequence, execution: &Execution| {
            violation_of(finding.violation.contract, finding.checks, sequence, execution, operations)
        };
        let place = |violation: &crate::oracle::Violation| {
            violation.thrown.as_ref().map(|thrown| (thrown.class.clone(), thrown.stack.first().cloned()))
        };
        let same = |sequence: &Sequence, execution: &Execution| {
            violation(sequence, execution).is_some_and(|seen| place(&seen) == place(&finding.violation))
        };
        let again = executor.execute(std::slice::from_ref(&finding.sequence), Detail::Observe)?;
        let Some(execution) = again.into_iter().next().filter(|execution| same(&finding.sequence, execution)) else {
            continue;
        };
        let fixed = finding.checks.max(1);
        let (sequence, execution) = minimize(&finding.sequence, execution, fixed, executor, &same)?;
        let violation = violation(&sequence, &execution).expect("the minimizer keeps the violation");
        match minimized
            .iter_mut()
            .find(|known| known.sequence == sequence && known.violation.contract == violation.contract)
        {
            Some(known) => known.witnesses += finding.witnesses,
            None => minimized.push(Finding { sequence, execution, violation, ..finding }),
        }
    }
    Ok(minimized)
}

/// Runs all sequences forwards and backwards in fresh workers; what both runs agree on.
fn observe(
    sequences: &[Sequence],
    operations: &[Operation],
    probes: &ProbeMap,
    executors: &mut [Box<dyn Executor>],
    threads: usize,
) -> Result<(Vec<Observation>, usize), ExecutorError> {
    let backwards: Vec<Sequence> = sequences.iter().rev().cloned().collect();
    let forwards = sequences.to_vec();
    let (one, two) = executors.split_at_mut(1);
    let mut runs = Vec::new();
    let (first, second) = (Mutex::new((&mut one[0], forwards)), Mutex::new((&mut two[0], backwards)));
    let run = |side: &Mutex<(&mut Box<dyn Executor>, Vec<Sequence>)>| {
        let mut side = side.lock().expect("no side panics");
        let (executor, sequences) = &mut *side;
        executor.restart()?;
        let mut executions = Vec::with_capacity(sequences.len());
        for batch in sequences.chunks(BATCH) {
            executions.extend(executor.execute(batch, Detail::Observe)?);
        }
        Ok::<_, ExecutorError>(executions)
    };
    if threads > 1 {
        std::thread::scope(|scope| {
            let other = scope.spawn(|| run(&second));
            runs.push(run(&first));
            runs.push(other.join().expect("observation does not panic"));
        });
    } else {
        runs.push(run(&first));
        runs.push(run(&second));
    }
    let mut backwards = runs.pop().expect("two runs")?;
    backwards.reverse();
    let forwards = runs.pop().expect("two runs")?;

    let (mut observed, mut unstable) = (Vec::new(), 0);
    for ((sequence, execution), other) in sequences.iter().zip(forwards).zip(backwards) {
        match agree(execution, &other) {
            Some(execution) => {
                let sequence = match &execution.outcome {
                    Outcome::Threw { statement, .. } => sequence.prefix(statement + 1),
                    _ => sequence.clone(),
                };
                let goals = goals_of(&sequence, &execution, operations, probes);
                observed.push(Observation { sequence, execution, goals });
            }
            None => unstable += 1,
        }
    }
    Ok((observed, unstable))
}

/// What two runs of a sequence agree on; `None` if they ended differently, or not by themselves.
fn agree(mut one: Execution, two: &Execution) -> Option<Execution> {
    let same_end = match (&one.outcome, &two.outcome) {
        (Outcome::Completed, Outcome::Completed) => true,
        (Outcome::Threw { statement: a, exception: x }, Outcome::Threw { statement: b, exception: y }) => {
            a == b && x.class == y.class
        }
        _ => false,
    };
    if !same_end || one.values.len() != two.values.len() {
        return None;
    }
    for (value, other) in one.values.iter_mut().zip(&two.values) {
        if value != other {
            // A class that says nothing more: there is nothing to assert.
            *value = Value::Object { class: Type::object(), observed: Observed::Nothing };
        }
    }
    let others: FxHashSet<u32> = two.edges.iter().map(|hit| hit.edge).collect();
    one.edges.retain(|hit| others.contains(&hit.edge));
    one.environment_dependent |= two.environment_dependent;
    Some(one)
}

fn goals_of(sequence: &Sequence, execution: &Execution, operations: &[Operation], probes: &ProbeMap) -> BTreeSet<Goal> {
    let edges = execution.edges.iter().map(|hit| hit.edge);
    let mut goals: BTreeSet<Goal> = edges.filter(|&edge| probes.is_edge[edge as usize]).map(Goal::Edge).collect();
    let calls = sequence.statements().iter().enumerate().filter_map(|(at, statement)| match statement.action {
        Action::Call(operation) => Some((at, operation)),
        Action::Literal(_) => None,
    });
    for (at, operation) in calls {
        if probes.of_operation[operation.0 as usize].is_empty() {
            continue; // Not of a class under test, or without a body.
        }
        debug_assert!((operation.0 as usize) < operations.len());
        match &execution.outcome {
            Outcome::Threw { statement, exception } if *statement == at => {
                goals.insert(Goal::Throws(operation, exception.class.clone()));
            }
            Outcome::Completed | Outcome::Threw { .. } => {
                goals.insert(Goal::Returns(operation));
            }
            _ => {}
        }
    }
    goals
}

/// Greedy set cover: the sequence with the most new goals per call first; then what became redundant goes.
fn cover(observed: Vec<Observation>) -> Vec<Selected> {
    let mut covered: FxHashSet<Goal> = FxHashSet::default();
    let mut remaining: Vec<(usize, &Observation)> = observed.iter().enumerate().collect();
    let mut chosen: Vec<(usize, BTreeSet<Goal>)> = Vec::new();
    loop {
        let score =
            |gain: usize, observation: &Observation| gain as f64 / (2.0 + f64::from(call_count(&observation.sequence)));
        let mut best: Option<(f64, usize, usize)> = None;
        remaining.retain(|(_, observation)| observation.goals.iter().any(|goal| !covered.contains(goal)));
        for (position, (index, observation)) in remaining.iter().enumerate() {
            let gain = observation.goals.iter().filter(|goal| !covered.contains(goal)).count();
            let score = score(gain, observation);
            if best.is_none_or(|(known, at, _)| score > known || (score == known && *index < at)) {
                best = Some((score, *index, position));
            }
        }
        let Some((_, index, position)) = best else { break };
        let (_, observation) = remaining.swap_remove(position);
        let gained: BTreeSet<Goal> = observation.goals.iter().filter(|goal| !covered.contains(goal)).cloned().collect();
        covered.extend(gained.iter().cloned());
        chosen.push((index, gained));
    }
    // A test chosen early may be covered by those after it.
    let mut kept: Vec<(usize, BTreeSet<Goal>)> = Vec::new();
    let mut counts: rustc_hash::FxHashMap<&Goal, u32> = rustc_hash::FxHashMap::default();
    for (index, _) in &chosen {
        for goal in &observed[*index].goals {
            *counts.entry(goal).or_default() += 1;
        }
    }
    for (index, _) in &chosen {
        let goals = &observed[*index].goals;
        if goals.iter().all(|goal| counts[goal] > 1) {
            for goal in goals {
                *counts.get_mut(goal).expect("counted above") -= 1;
            }
        } else {
            kept.push((*index, BTreeSet::new()));
        }
    }
    // Each goal is assigned to the first kept test that reaches it.
    let mut assigned: FxHashSet<&Goal> = FxHashSet::default();
    for (index, goals) in &mut kept {
        for goal in &observed[*index].goals {
            if assigned.insert(goal) {
                goals.insert(goal.clone());
            }
        }
    }
    kept.into_iter()
        .map(|(index, goals)| Selected {
            sequence: observed[index].sequence.clone(),
            execution: observed[index].execution.clone(),
            goals,
        })
        .collect()
}

/// Minimizes each test while it reaches the goals it is there for; spread over the shards' executors by index.
fn minimize_all(
    selected: Vec<Selected>,
    operations: &[Operation],
    probes: &ProbeMap,
    executors: &mut [Box<dyn Executor>],
    threads: usize,
    go_on: &(dyn Fn() -> bool + Sync),
) -> Result<Vec<Selected>, ExecutorError> {
    let shards = executors.len();
    let mut parts: Vec<Vec<(usize, Selected)>> = vec![Vec::new(); shards];
    for (index, one) in selected.into_iter().enumerate() {
        parts[index % shards].push((index, one));
    }
    let work: Vec<_> = parts.into_iter().zip(executors.iter_mut()).map(|part| Mutex::new(Some(part))).collect();
    let done = Mutex::new(Vec::new());
    let next = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, shards) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    let Some(part) = work.get(at) else { break };
                    let (part, executor) = part.lock().expect("unpoisoned").take().expect("taken once");
                    let result = minimize_part(part, operations, probes, executor.as_mut(), go_on);
                    done.lock().expect("unpoisoned").push(result);
                }
            });
        }
    });
    let mut all = Vec::new();
    for part in done.into_inner().expect("threads are joined") {
        all.extend(part?);
    }
    all.sort_by_key(|(index, _)| *index);
    Ok(all.into_iter().map(|(_, selected)| selected).collect())
}

fn minimize_part(
    part: Vec<(usize, Selected)>,
    operations: &[Operation],
    probes: &ProbeMap,
    executor: &mut dyn Executor,
    go_on: &(dyn Fn() -> bool + Sync),
) -> Result<Vec<(usize, Selected)>, ExecutorError> {
    executor.restart()?;
    let mut minimized = Vec::with_capacity(part.len());
    for (index, one) in part {
        if !go_on() {
            minimized.push((index, one));
            continue;
        }
        let reaches = |sequence: &Sequence, execution: &Execution| {
            let end = matches!(execution.outcome, Outcome::Completed)
                || matches!(&execution.outcome, Outcome::Threw { statement, .. } if statement + 1 == sequence.len());
            end && same_kind_of_end(&execution.outcome, &one.execution.outcome)
                && one.goals.is_subset(&goals_of(sequence, execution, operations, probes))
        };
        let (sequence, execution) = minimize(&one.sequence, one.execution.clone(), 0, executor, &reaches)?;
        minimized.push((index, Selected { sequence, execution, goals: one.goals }));
    }
    Ok(minimized)
}

fn same_kind_of_end(one: &Outcome, two: &Outcome) -> bool {
    match (one, two) {
        (Outcome::Completed, Outcome::Completed) => true,
        (Outcome::Threw { exception: a, .. }, Outcome::Threw { exception: b, .. }) => a.class == b.class,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn observation(edges: &[u32], calls: u32) -> Observation {
        let mut sequence = Sequence::new();
        for call in 0..calls {
            sequence.push_call(crate::sequence::OperationId(call), &[]);
        }
        let execution = Execution {
            outcome: Outcome::Completed,
            values: Vec::new(),
            edges: Vec::new(),
            comparisons: Vec::new(),
            cost: 0,
            states: Vec::new(),
            environment_dependent: false,
        };
        Observation { sequence, execution, goals: edges.iter().map(|&edge| Goal::Edge(edge)).collect() }
    }

    #[test]
    fn a_test_whose_goals_others_reach_is_left_out() {
        let observed = vec![observation(&[1, 2], 1), observation(&[2], 1), observation(&[3], 1)];
        let selected = cover(observed);
        let goals: Vec<usize> = selected.iter().map(|one| one.goals.len()).collect();
        assert_eq!(goals, [2, 1]);
    }

    #[test]
    fn every_goal_stays_reached() {
        let observed =
            vec![observation(&[1, 2, 3, 4], 9), observation(&[1, 2], 1), observation(&[3, 5], 1), observation(&[4], 2)];
        let all: BTreeSet<Goal> = observed.iter().flat_map(|one| one.goals.clone()).collect();
        let selected = cover(observed);
        assert_eq!(selected.iter().flat_map(|one| one.goals.clone()).collect::<BTreeSet<_>>(), all);
    }
}
