//! Which mutants an existing suite kills, and which the first part of it kills.

use crate::PipelineError;
use crate::engine::EngineError;
use crate::mutants::described;
use crate::subject::KnownMutant;
use crate::traced::{self, Context, Suites, Traced};
use host::supervisor::kills::{Fate, Judge};
use model::execution::Edge;
use model::progress::{Event, Stage};
use report::{Mutant, MutantStatus, Mutants};
use rustc_hash::FxHashMap;
use std::time::Instant;

/// What became of the mutants with some tests, of which each ran until one noticed it.
pub struct Kills<'a> {
    mutants: &'a [KnownMutant],
    tests: Vec<&'a Traced>,
    fates: Vec<Fate>,
}

/// Runs the tests, in this order, with the mutants that they reach; `None` unless that was asked for.
pub fn judge<'a>(
    context: &Context,
    suites: &'a Suites,
    tests: Vec<&'a Traced>,
) -> Result<Option<Kills<'a>>, PipelineError> {
    let Some(limit) = context.tracing.mutants else { return Ok(None) };
    let started = Instant::now();
    let should_continue = || started.elapsed() < limit;
    let mut by_edge: FxHashMap<Edge, Vec<usize>> = FxHashMap::default();
    for (index, (_, trace)) in tests.iter().enumerate() {
        trace.edges.iter().for_each(|hit| by_edge.entry(hit.edge).or_default().push(index));
    }
    context.listener.announce(Event::StageStarted(Stage::Mutating));
    let mut judge = Judge::new(&suites.launch, tests.clone());
    let mut fates = Vec::with_capacity(suites.mutants.len());
    for (done, known) in suites.mutants.iter().enumerate() {
        context.listener.announce(Event::MutantRun { done, total: suites.mutants.len() });
        let edges = known.site.reached_by.iter();
        let mut reaching: Vec<usize> = edges.filter_map(|edge| by_edge.get(edge)).flatten().copied().collect();
        reaching.sort_unstable();
        reaching.dedup();
        fates.push(judge.fate(known.site.mutant, reaching, &should_continue).map_err(EngineError::from)?);
    }
    Ok(Some(Kills { mutants: &suites.mutants, tests, fates }))
}

impl Kills<'_> {
    /// What the first so many of the tests do.
    pub fn of_first(&self, count: usize) -> Mutants {
        let tests = &self.tests[..count];
        let edges = traced::edges(tests.iter().map(|(_, trace)| trace));
        let told = |(known, fate): (&KnownMutant, &Fate)| {
            let (status, killed_by) = match *fate {
                Fate::Killed(test) if test < count => (MutantStatus::Killed, Some(tests[test].0.to_string())),
                _ if !known.site.reached_by.iter().any(|edge| edges.contains(edge)) => (MutantStatus::NotReached, None),
                Fate::Killed(_) | Fate::Survived => (MutantStatus::Survived, None),
                Fate::NotRun => (MutantStatus::NotRun, None),
            };
            Mutant { status, killed_by, ..described(known) }
        };
        Mutants::new(self.mutants.iter().zip(&self.fates).map(told).collect())
    }

    /// Mutants that only tests behind the first so many kill, for people.
    pub fn lost_behind(&self, count: usize) -> Vec<String> {
        let lost = self.mutants.iter().zip(&self.fates);
        let lost = lost.filter(|(_, fate)| matches!(fate, Fate::Killed(test) if *test >= count));
        lost.map(|(known, _)| {
            let line = known.line.map_or_else(String::new, |line| format!(", line {line}"));
            format!("{}.{}{line}: {}", known.class.binary(), known.method.0, known.site.mutant.mutator.name())
        })
        .collect()
    }
}
