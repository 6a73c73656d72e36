//! Calls that never return, as findings: sequences that did not end within their limits run again in a worker that watches loops.

use crate::budget::Budget;
use host::supervisor::{Launch, WorkerExecutor};
use model::execution::{Executor, ExecutorError};
use model::sequence::Sequence;
use oracle::Judge;
use protocol::setup::State;
use search::generator::find_endless;
use search::generator::suite::{MinimizedFindings, SelectionTask, minimize_findings};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Probes that a sequence may execute there: where memory grows, more than in a search.
const PROBES: u64 = 2_000_000;

/// How long one may take there: a few hundred rounds tell a loop.
const PATIENCE: Duration = Duration::from_secs(1);

/// The findings among sequences that did not end, minimized, as far as they were watched within the budget. Where no worker can be
/// had, there are none.
pub fn find(
    suspects: &[Sequence],
    judge: Judge,
    task: SelectionTask,
    launch: &Launch,
    budget: &Budget,
) -> Result<MinimizedFindings, ExecutorError> {
    if suspects.is_empty() {
        return Ok(MinimizedFindings::default());
    }
    let mut launch = launch.clone();
    launch.watches_loops = true;
    launch.class_methods.clear();
    launch.state = State::Whole;
    launch.probe_budget = PROBES.max(launch.probe_budget);
    launch.call_timeout = launch.call_timeout.min(PATIENCE);
    let Ok(worker) = WorkerExecutor::start(Arc::new(launch), "loops") else { return Ok(MinimizedFindings::default()) };
    let mut executor: Box<dyn Executor> = Box::new(worker);
    let started = Instant::now();
    let should_continue = || budget.should_continue_watch(started) && (task.should_continue)();
    let findings = find_endless(suspects, judge, executor.as_mut(), &should_continue)?;
    tracing::info!(suspects = suspects.len(), findings = findings.len(), "loops watched");
    minimize_findings(findings, judge, task, &mut [executor])
}
