//! Which mutants the tests of earlier runs kill.
//!
//! A changed class has many tests, and each mutant is reached by many of them. The tests that killed the last mutants of the
//! same method come first, then those that run the least code besides.

use super::{Kept, Request};
use crate::PipelineError;
use crate::engine::EngineError;
use crate::subject::KnownMutant;
use host::supervisor::Launch;
use host::supervisor::kills::{Fate, Judge};
use host::supervisor::suite_tracing::TestName;
use model::execution::Edge;
use model::execution::trace::TestTrace;
use model::options::Component;
use model::progress::{Event, Stage};
use rustc_hash::{FxHashMap, FxHashSet};
use search::generator::Goal;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

/// A method by its class, name and descriptor.
type Method<'a> = (&'a str, &'a (Arc<str>, Arc<str>));

/// Runs the tests with the mutants that they reach, those of the released edges first. Which tests kill one, and whether all
/// mutants were run.
pub(super) fn run(
    request: &Request,
    launch: &Launch,
    traces: &[(TestName, TestTrace)],
    released: &FxHashSet<Edge>,
    kept: &mut Kept,
) -> Result<(FxHashSet<usize>, bool), PipelineError> {
    let Request { task, subject, budget, .. } = *request;
    let mut killers = FxHashSet::default();
    if task.options.disable.contains(&Component::Mutants) {
        return Ok((killers, false));
    }
    task.listener.announce(Event::StageStarted(Stage::Mutating));
    let reaching = Reaching::new(traces);
    let mut judge = Judge::new(launch, traces.iter().collect());
    let end = budget.end_of_earlier_tests();
    let should_continue = || end.is_none_or(|end| Instant::now() < end);
    let is_released = |mutant: &KnownMutant| mutant.site.reached_by.iter().any(|edge| released.contains(edge));
    let mut numbers: Vec<usize> = (0..subject.mutants.len()).collect();
    numbers.sort_by_key(|&number| {
        let mutant = &subject.mutants[number];
        (!is_released(mutant), !mutant.site.mutant.mutator.is_default())
    });
    // Of each method, the latest last.
    let mut latest: BTreeMap<Method, Vec<usize>> = BTreeMap::new();
    let mut is_complete = true;
    for (done, &number) in numbers.iter().enumerate() {
        task.listener.announce(Event::MutantRun { done, total: numbers.len() });
        let mutant = &subject.mutants[number];
        let latest = latest.entry((mutant.class.internal(), &mutant.method)).or_default();
        let order = reaching.in_order(&mutant.site.reached_by, latest);
        if order.is_empty() {
            continue;
        }
        let goal = Goal::Mutant(number as u32);
        match judge.fate(mutant.site.mutant, order, &should_continue).map_err(EngineError::from)? {
            Fate::Killed(at) => {
                killers.insert(at);
                latest.retain(|other| *other != at);
                latest.push(at);
                let TestName { class, method } = &traces[at].0;
                kept.killers.insert(number as u32, format!("{class}.{method}"));
                kept.held.goals.insert(goal);
                kept.tried.insert(number as u32);
            }
            Fate::Survived => drop(kept.tried.insert(number as u32)),
            Fate::NotRun => {
                is_complete = false;
                kept.not_run.insert(number as u32);
                // That no test is chosen for it is the lesser evil: some test of an earlier run probably kills it.
                if !is_released(mutant) {
                    kept.held.goals.insert(goal);
                }
            }
        }
    }
    tracing::info!(killed = kept.killers.len(), not_run = kept.not_run.len(), "earlier tests run with mutants");
    Ok((killers, is_complete))
}

/// Which tests run an edge.
struct Reaching {
    by_edge: FxHashMap<Edge, Vec<usize>>,
    /// How many edges each test runs.
    edges: Vec<usize>,
}

impl Reaching {
    fn new(traces: &[(TestName, TestTrace)]) -> Reaching {
        let mut by_edge: FxHashMap<Edge, Vec<usize>> = FxHashMap::default();
        for (at, (_, trace)) in traces.iter().enumerate() {
            trace.edges.iter().for_each(|hit| by_edge.entry(hit.edge).or_default().push(at));
        }
        Reaching { by_edge, edges: traces.iter().map(|(_, trace)| trace.edges.len()).collect() }
    }

    /// The tests that run one of the edges: the latest killers first, then by what else they run.
    fn in_order(&self, edges: &[Edge], latest: &[usize]) -> Vec<usize> {
        let all: BTreeSet<usize> = edges.iter().filter_map(|edge| self.by_edge.get(edge)).flatten().copied().collect();
        let mut order: Vec<usize> = all.into_iter().collect();
        let rank = |test: &usize| latest.iter().rev().position(|killer| killer == test).unwrap_or(latest.len());
        order.sort_by_key(|test| (rank(test), self.edges[*test], *test));
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latest_killers_come_first_then_tests_that_run_least() {
        let by_edge = [(1, vec![0, 1, 2]), (2, vec![1, 3])].into_iter().collect();
        let reaching = Reaching { by_edge, edges: vec![9, 4, 5, 4] };
        assert_eq!(reaching.in_order(&[1], &[]), [1, 2, 0]);
        assert_eq!(reaching.in_order(&[1, 2], &[3, 0]), [0, 3, 1, 2]);
        assert_eq!(reaching.in_order(&[3], &[3]), [0; 0]);
    }
}
