//! The search: feedback-directed random generation in rounds of shards.
//!
//! A round gives each of a fixed number of shards its own seed and a fixed number of candidates; every shard builds
//! them from what all knew at the round's start, runs them in its own executor, and the results are taken in in shard
//! order. So the number of threads never shows in the result, and a limit of time stops between rounds.

pub mod suite;

mod build;
mod checks;
mod findings;
mod guidance;
mod literals;
mod model;
mod pool;
mod round;
mod samples;
mod select;
mod weighted;

pub use findings::Identity;
pub use guidance::Advisor;

use crate::execution::{Comparison, Denial, Edge, Execution, Executor, ExecutorError, KillReason, Outcome, Value};
use crate::jvm::{ClassName, Literal, Type};
use crate::options::{Component, StateRepresentation};
use crate::oracle::contract::Promises;
use crate::oracle::{Finding, Verdict, is_on_null, judge};
use crate::program::Program;
use crate::redundancy::representation::{self, Representation};
use crate::redundancy::{self, Made};
use crate::seed::Seed;
use crate::sequence::{Action, OperationId, Sequence};
use checks::Check;
use findings::Findings;
use guidance::{Advice, ConstantMining, Guidance, Nearest, OVERHEAD, Operands, operands};
use literals::LiteralSources;
use model::{Model, call_count};
use pool::{Pool, PoolValue};
use rustc_hash::{FxHashMap, FxHashSet};
use samples::Samples;
use select::{Standing, Weights};
use std::collections::BTreeMap;
use std::collections::VecDeque;
use std::sync::Arc;

/// Shards of a round; each has its own executor. Part of what a seed means, so it never depends on the machine.
pub const SHARDS: usize = 4;
/// Candidates that may wait to be tried first: sequences of existing tests, operand substitutions, contract checks.
const PENDING_LIMIT: usize = 8_000;
/// Environment-dependent values in the pool per operation: their states are all new and all alike.
const VOLATILE_VALUES_PER_OPERATION: u32 = 3;
/// Sequences kept for one goal: the first may turn out to do something else in a fresh worker.
const KEEPERS_PER_GOAL: u8 = 3;
/// Sequences that cost more probes than this are not built upon.
const COST_LIMIT: u64 = 100_000;

/// Which probes belong to what.
#[derive(Clone, Debug, Default)]
pub struct ProbeMap {
    /// Probes in all.
    pub count: u32,
    /// Whether the probe is an edge; the others only name a comparison's place.
    pub is_edge: Vec<bool>,
    /// For each operation, the probes of its body.
    pub of_operation: Vec<Vec<Edge>>,
    /// First probe of each class under test, ascending, in the order of `Program::targets`.
    pub first_of_class: Vec<Edge>,
}

impl ProbeMap {
    /// The class under test a probe lies in.
    fn class_of(&self, probe: Edge) -> Option<usize> {
        self.first_of_class.partition_point(|&first| first <= probe).checked_sub(1)
    }
}

/// When a search ends.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Sequences to run, to the next end of a round.
    pub sequences: Option<u64>,
    /// Threads that drive executors.
    pub threads: usize,
}

/// How far a search is, after a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standings {
    pub rounds: u64,
    pub sequences: u64,
    pub covered_edges: u32,
    pub edges: u32,
    pub findings: usize,
}

/// What a kept sequence is kept for.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Goal {
    Edge(Edge),
    /// An operation of the class under test (an index into `Program::targets`) threw the class of exception.
    Throws(u32, ClassName),
    /// A mutant is killed, by the number of its site.
    Mutant(u32),
}

/// A sequence that reached a goal first.
#[derive(Clone, Debug)]
pub struct Kept {
    /// Ends with the statement that threw, if one did.
    pub sequence: Arc<Sequence>,
    pub goals: Vec<Goal>,
}

/// An operation that is no longer tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quarantined {
    pub operation: OperationId,
    pub why: QuarantineReason,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QuarantineReason {
    Killed(KillReason),
    Unlinkable(String),
}

/// What a search found.
#[derive(Debug)]
pub struct Found {
    pub kept: Vec<Kept>,
    /// For each operation a few that end in a call of it, where mutants choose tests.
    pub samples: Vec<Arc<Sequence>>,
    /// Not minimized yet; one per distinct cause, in order of the cause.
    pub findings: Vec<Finding>,
    pub quarantined: Vec<Quarantined>,
    /// How often each operation was ended from outside, by reason; sorted.
    pub kills: Vec<(OperationId, KillReason, u64)>,
    pub standings: Standings,
    /// Sequences run per class under test, in the order of `Program::targets`.
    pub sequences_of_class: Vec<u64>,
    /// Of each operation.
    pub trials: Vec<Trials>,
    /// What operations that never returned threw most often.
    pub always_thrown: FxHashMap<OperationId, ClassName>,
    /// Of each probe, whether it was seen.
    pub seen: Vec<bool>,
}

/// How the sequences went that ended in a call of an operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trials {
    pub tries: u64,
    pub completed: u64,
    /// An input explained the exception.
    pub illegal: u64,
    /// What one of them was denied first.
    pub denied: Option<Denial>,
}

/// A sequence to try.
#[derive(Clone, Debug)]
struct Candidate {
    sequence: Sequence,
    about: About,
}

/// What is known of a candidate beside its sequence.
#[derive(Clone, Debug)]
struct About {
    /// Of the sequence.
    hash: u64,
    /// Values of the pool that it is built upon.
    used: Vec<u32>,
    check: Option<Check>,
}

impl Candidate {
    fn new(sequence: Sequence, used: Vec<u32>) -> Candidate {
        let hash = redundancy::sequence_hash(&sequence);
        Candidate { sequence, about: About { hash, used, check: None } }
    }

    /// One that was written down, not drawn.
    fn written(sequence: Sequence) -> Candidate {
        Candidate::new(sequence, Vec::new())
    }
}

/// How many sequences are kept for a goal.
#[derive(Clone, Copy, Debug, Default)]
struct Keepers {
    stable: u8,
    /// Of runs that read what differs from run to run: wanted only until there is another.
    volatile: u8,
}

impl Keepers {
    /// Whether one more is wanted; if so, it is counted.
    fn wants(&mut self, volatile: bool) -> bool {
        if volatile {
            let wanted = self.stable == 0 && self.volatile == 0;
            self.volatile += u8::from(wanted);
            wanted
        } else {
            let wanted = self.stable < KEEPERS_PER_GOAL;
            self.stable += u8::from(wanted);
            wanted
        }
    }
}

/// One search.
pub struct Search<'a> {
    model: Model<'a>,
    guidance: Guidance,
    nearest: Option<Nearest>,
    advice: Option<Advice<'a>>,
    probes: &'a ProbeMap,
    seed: Seed,
    pool: Pool,
    representation: Box<dyn Representation>,
    literals: LiteralSources,
    standings: Vec<Standing>,
    operations_of_edge: FxHashMap<Edge, Vec<OperationId>>,
    /// By operations that have not returned yet, and how often.
    thrown: FxHashMap<OperationId, BTreeMap<ClassName, u64>>,
    /// Buckets seen, as bits, per probe.
    seen: Vec<u8>,
    covered_edges: u32,
    executed: FxHashSet<u64>,
    corpus: Vec<Arc<Sequence>>,
    kept: Vec<Kept>,
    samples: Samples,
    keepers: FxHashMap<Goal, Keepers>,
    pending: VecDeque<Candidate>,
    promises: FxHashMap<Type, Promises>,
    checked_states: FxHashMap<Type, u32>,
    witnesses_of_class: FxHashMap<Type, Vec<PoolValue>>,
    volatile_values: FxHashMap<OperationId, u32>,
    findings: Findings,
    kills: FxHashMap<(OperationId, KillReason), u64>,
    quarantined: Vec<Quarantined>,
    written_down: FxHashSet<u64>,
    rounds: u64,
    sequences: u64,
    sequences_of_class: Vec<u64>,
}

impl<'a> Search<'a> {
    /// A search with all of guidance but the components named, that tells values apart by `state`.
    pub fn new(
        program: &'a Program,
        probes: &'a ProbeMap,
        seed: Seed,
        without: &[Component],
        state: StateRepresentation,
    ) -> Search<'a> {
        let guidance = Guidance::without(without);
        let model = Model::new(program, &guidance);
        let existing_tests = guidance.existing_tests(program);
        let mined = guidance.has(Component::ConstantMining).then(|| {
            let of_tests =
                |class: usize| existing_tests.and_then(|tests| tests.constants.get(class)).into_iter().flatten();
            let own = program.targets.iter().map(|target| &target.constants).enumerate();
            ConstantMining::new(own.map(|(class, own)| own.iter().chain(of_tests(class))))
        });
        let seeds = existing_tests.into_iter().flat_map(|tests| tests.sequences.iter().cloned());
        let compared = guidance.has(Component::Operands).then(|| Operands::new(program.targets.len()));
        let mut standings = vec![Standing::default(); program.operations.len()];
        let mut operations_of_edge: FxHashMap<Edge, Vec<OperationId>> = FxHashMap::default();
        for (at, edges) in probes.of_operation.iter().enumerate() {
            for &edge in edges.iter().filter(|&&edge| probes.is_edge[edge as usize]) {
                standings[at].edges += 1;
                operations_of_edge.entry(edge).or_default().push(OperationId(at as u32));
            }
        }
        let pool = Pool::new(model.needs.clone());
        Search {
            model,
            probes,
            seed,
            pool,
            representation: representation::of(state),
            literals: LiteralSources::new(mined, compared),
            nearest: guidance.has(Component::BranchDistance).then(Nearest::default),
            advice: None,
            guidance,
            standings,
            operations_of_edge,
            thrown: FxHashMap::default(),
            seen: vec![0; probes.count as usize],
            covered_edges: 0,
            executed: FxHashSet::default(),
            corpus: Vec::new(),
            kept: Vec::new(),
            samples: Samples::default(),
            keepers: FxHashMap::default(),
            pending: seeds.map(Candidate::written).collect(),
            promises: FxHashMap::default(),
            checked_states: FxHashMap::default(),
            witnesses_of_class: FxHashMap::default(),
            volatile_values: FxHashMap::default(),
            findings: Findings::default(),
            kills: FxHashMap::default(),
            quarantined: Vec::new(),
            written_down: FxHashSet::default(),
            rounds: 0,
            sequences: 0,
            sequences_of_class: vec![0; program.targets.len()],
        }
    }

    /// The search, with someone to ask where it finds nothing new.
    pub fn advised_by(self, advisor: Box<dyn Advisor + 'a>) -> Search<'a> {
        Search { advice: Some(Advice::new(advisor)), ..self }
    }

    /// Searches until a limit, or until `go_on`, asked after each round, says no.
    ///
    /// Executors that fail end the search early; what was found until then stands, and the error is handed back.
    pub fn run(
        mut self,
        executors: &mut [Box<dyn Executor>],
        limits: &Limits,
        go_on: &mut dyn FnMut(&Standings) -> bool,
    ) -> (Found, Option<ExecutorError>) {
        assert_eq!(executors.len(), SHARDS, "each shard has its executor");
        let mut error = None;
        while limits.sequences.is_none_or(|limit| self.sequences < limit) {
            match self.round(executors, limits.threads) {
                Ok(false) => break,
                Ok(true) => {}
                Err(failed) => {
                    error = Some(failed);
                    break;
                }
            }
            if !go_on(&self.standings()) {
                break;
            }
        }
        (self.found(), error)
    }

    fn standings(&self) -> Standings {
        Standings {
            rounds: self.rounds,
            sequences: self.sequences,
            covered_edges: self.covered_edges,
            edges: self.probes.is_edge.iter().filter(|&&is_edge| is_edge).count() as u32,
            findings: self.findings.len(),
        }
    }

    fn found(self) -> Found {
        let standings = self.standings();
        // Of equals the first.
        let most = |thrown: &BTreeMap<ClassName, u64>| {
            thrown.iter().rev().max_by_key(|(_, times)| **times).map(|(class, _)| class.clone())
        };
        let always_thrown = self.thrown.iter().filter_map(|(id, thrown)| Some((*id, most(thrown)?))).collect();
        let mut kills: Vec<_> =
            self.kills.iter().map(|((operation, reason), times)| (*operation, *reason, *times)).collect();
        kills.sort();
        Found {
            kills,
            kept: self.kept,
            samples: self.samples.into_sequences(),
            findings: self.findings.into_vec(),
            quarantined: self.quarantined,
            standings,
            sequences_of_class: self.sequences_of_class,
            trials: self.standings.iter().map(|standing| standing.trials).collect(),
            always_thrown,
            seen: self.seen.iter().map(|&buckets| buckets != 0).collect(),
        }
    }

    /// One round; whether there is anything left to try.
    fn round(&mut self, executors: &mut [Box<dyn Executor>], threads: usize) -> Result<bool, ExecutorError> {
        let weights = self.weights();
        if weights.is_exhausted() {
            return Ok(false);
        }
        // Small rounds first: in the beginning every result changes what is worth trying. Later on the shards wait less
        // for one another in large ones.
        let size = match self.rounds {
            0..20 => 16,
            20..100 => 96,
            _ => 384,
        };
        let mut written: Vec<Vec<Candidate>> = vec![Vec::new(); SHARDS];
        for at in 0..(size * SHARDS / 2).min(self.pending.len()) {
            written[at % SHARDS].extend(self.pending.pop_front());
        }
        let sources = build::Sources {
            model: &self.model,
            pool: &self.pool,
            literals: &self.literals,
            weights: &weights,
            guidance: &self.guidance,
        };
        let view = round::View { sources: &sources, corpus: &self.corpus, executed: &self.executed, size };
        let seed = self.seed.child("round").nth(self.rounds);
        let results = round::run(&view, seed, written, executors, threads)?;
        let nothing_new = results.iter().all(Vec::is_empty);
        self.rounds += 1;
        let covered = self.covered_edges;
        for (candidate, execution) in results.into_iter().flatten() {
            self.take_in(candidate, execution);
        }
        if self.covered_edges == covered {
            self.take_advice()?;
        }
        Ok(!nothing_new || !self.pending.is_empty())
    }

    fn take_advice(&mut self) -> Result<(), ExecutorError> {
        let Some(advice) = self.advice.as_mut().filter(|_| self.pending.len() < PENDING_LIMIT) else { return Ok(()) };
        let proposed = advice.after_round(&self.kept, &|edge| self.seen[edge as usize] != 0)?;
        proposed.into_iter().for_each(|sequence| self.write_down(sequence));
        Ok(())
    }

    /// The sequence is tried, once.
    fn write_down(&mut self, sequence: Sequence) {
        let candidate = Candidate::written(sequence);
        if self.written_down.insert(candidate.about.hash) {
            self.pending.push_back(candidate);
        }
    }

    /// The weights of this round's operations; those of all if none is left after thinning.
    fn weights(&self) -> Weights {
        let choice = self.guidance.methods.as_ref();
        let of = |operations: &[OperationId]| Weights::new(operations, &self.standings, choice);
        if self.guidance.thinning.is_thinned(self.rounds) {
            let mut rng = self.seed.child("thinning").nth(self.rounds).rng();
            let kept = self.model.under_test.iter().filter(|_| self.guidance.thinning.keeps(&mut rng)).copied();
            let weights = of(&kept.collect::<Vec<_>>());
            if !weights.is_exhausted() {
                return weights;
            }
        }
        of(&self.model.under_test)
    }

    fn take_in(&mut self, candidate: Candidate, execution: Execution) {
        self.sequences += 1;
        candidate.about.used.iter().for_each(|&id| self.pool.note_use(id));
        self.executed.insert(candidate.about.hash);
        if let Some(check) = candidate.about.check {
            self.take_in_check(&candidate.sequence, check, &execution);
            return;
        }
        // What ran after all is the sequence up to the statement that threw.
        let sequence = match &execution.outcome {
            Outcome::Threw { statement, .. } => candidate.sequence.prefix(statement + 1),
            _ => candidate.sequence,
        };
        let Some(Action::Call(last)) = sequence.statements().last().map(|statement| statement.action.clone()) else {
            return;
        };
        let verdict = judge(&sequence, &execution, self.model.program);
        let sequence = Arc::new(sequence);
        let (edges, buckets) = self.note_edges(&execution, last);
        let nearer = self.note_comparisons(&sequence, &execution.comparisons);

        let standing = &mut self.standings[last.0 as usize];
        standing.trials.tries += 1;
        standing.trials.denied = standing.trials.denied.or(execution.denied);
        standing.fruitless = if edges.is_empty() { standing.fruitless + OVERHEAD + execution.cost } else { 0 };

        let mut goals: Vec<Goal> = execution.edges.iter().map(|hit| Goal::Edge(hit.edge)).collect();
        let class = self.model.class_of(last);
        if let Some(class) = class {
            self.sequences_of_class[class] += 1;
        }
        if !matches!(verdict, Verdict::Killed(_) | Verdict::Unlinkable(_)) {
            for operation in sequence.calls() {
                self.standings[operation.0 as usize].survived = true;
            }
        }
        if let Outcome::Threw { exception, .. } = &execution.outcome
            && self.standings[last.0 as usize].trials.completed == 0
        {
            *self.thrown.entry(last).or_default().entry(exception.class.clone()).or_default() += 1;
        }
        match &verdict {
            Verdict::Normal => {
                self.standings[last.0 as usize].trials.completed += 1;
                self.thrown.remove(&last);
                self.add_values(&sequence, &execution, last);
                if self.guidance.has(Component::Mutants) && class.is_some() && execution.cost <= COST_LIMIT {
                    self.samples.note(last, &sequence, &execution);
                }
            }
            Verdict::ExpectedException(thrown) | Verdict::Illegal(thrown) => {
                if let Verdict::Illegal(_) = verdict {
                    self.standings[last.0 as usize].trials.illegal += 1;
                }
                let at = sequence.len() - 1;
                let called = class.filter(|_| !is_on_null(&sequence, at, &execution, &self.model.program.operations));
                goals.extend(called.map(|class| Goal::Throws(class as u32, thrown.class.clone())));
            }
            Verdict::ErrorRevealing(violation) => {
                self.findings.note(&sequence, 0, &execution, violation.clone(), self.model.program);
            }
            Verdict::Killed(reason) => self.note_kill(&sequence, &execution, *reason),
            Verdict::Unlinkable(message) => {
                // None is to blame for the name of a class that does not load.
                if let Some(operation) = failing_operation(&sequence, &execution) {
                    self.quarantine(operation, QuarantineReason::Unlinkable(message.clone()));
                }
            }
        }
        let buildable = execution.cost <= COST_LIMIT
            && matches!(verdict, Verdict::Normal | Verdict::ExpectedException(_) | Verdict::Illegal(_));
        if buildable {
            if self.guidance.has(Component::Corpus) && (buckets || nearer || !edges.is_empty()) {
                self.corpus.push(sequence.clone());
            }
            goals.retain(|goal| self.keepers.entry(goal.clone()).or_default().wants(execution.environment_dependent));
            if !goals.is_empty() {
                self.kept.push(Kept { sequence, goals });
            }
        }
    }

    /// Edges that are new, and whether any counter bucket is. A run that no test can repeat covers nothing.
    fn note_edges(&mut self, execution: &Execution, last: OperationId) -> (Vec<Edge>, bool) {
        let usable = !matches!(execution.outcome, Outcome::Killed { .. }) && !execution.environment_dependent;
        let (mut new_edges, mut new_bucket) = (Vec::new(), false);
        for hit in execution.edges.iter().filter(|_| usable) {
            let seen = &mut self.seen[hit.edge as usize];
            if *seen == 0 {
                self.covered_edges += 1;
                new_edges.push(hit.edge);
                for operation in self.operations_of_edge.get(&hit.edge).into_iter().flatten() {
                    self.standings[operation.0 as usize].covered += 1;
                    self.standings[operation.0 as usize].fruitless = 0;
                }
            }
            if *seen & (1 << hit.bucket) == 0 {
                *seen |= 1 << hit.bucket;
                new_bucket = true;
            }
        }
        if !new_edges.is_empty() {
            self.standings[last.0 as usize].fruitless = 0;
        }
        (new_edges, new_bucket)
    }

    /// Offers operands to the class that compared them, and tries each where the sequence had the other. Returns whether
    /// a comparison came nearer to its other outcome.
    fn note_comparisons(&mut self, sequence: &Arc<Sequence>, comparisons: &[Comparison]) -> bool {
        let mut nearer = false;
        for comparison in comparisons {
            let Some(class) = self.probes.class_of(comparison.site) else { continue };
            if let Some(nearest) = &mut self.nearest {
                nearer |= nearest.is_nearer(comparison, self.probes, &self.seen);
            }
            if !self.guidance.has(Component::Operands) {
                continue;
            }
            self.literals.add_compared(class, &comparison.left);
            self.literals.add_compared(class, &comparison.right);
            if operands::is_settled(comparison, self.probes, &self.seen) {
                continue;
            }
            for (from, to) in [(&comparison.left, &comparison.right), (&comparison.right, &comparison.left)] {
                self.substitute(sequence, from, to);
            }
        }
        nearer
    }

    /// Writes down the sequence with literal `from` replaced by `to`.
    fn substitute(&mut self, sequence: &Sequence, from: &Literal, to: &Literal) {
        for (at, statement) in sequence.statements().iter().enumerate() {
            let Action::Literal(literal) = &statement.action else { continue };
            let Some(replacement) = operands::substituted(literal, from, to) else { continue };
            if self.pending.len() >= PENDING_LIMIT {
                return;
            }
            self.write_down(sequence.with_literal(at, replacement));
        }
    }

    /// Adds the values whose states the last statement made or changed.
    fn add_values(&mut self, sequence: &Arc<Sequence>, execution: &Execution, last: OperationId) {
        if execution.cost > COST_LIMIT {
            return;
        }
        let Ok(package) = self.model.package_of_sequence(sequence) else { return };
        let end = sequence.len() - 1;
        let calls = call_count(sequence);
        let mut statements: Vec<usize> = sequence.inputs_of(end).collect();
        statements.push(end);
        if execution.environment_dependent {
            let count = self.volatile_values.entry(last).or_default();
            *count += 1;
            if *count > VOLATILE_VALUES_PER_OPERATION {
                return;
            }
        }
        for (at, state) in statements.into_iter().zip(&execution.states) {
            let (Some(state), Action::Call(_)) = (state, &sequence.statements()[at].action) else { continue };
            let Some(Value::Object { class: runtime, .. }) = execution.values.get(at) else { continue };
            let Some(declared) = sequence.output_of(at, &self.model.program.operations) else { continue };
            if declared.is_primitive() {
                continue;
            }
            let value =
                PoolValue { sequence: sequence.clone(), index: at as u32, calls, cost: execution.cost, package };
            let (types, typing) = (&self.model.program.types, self.guidance.typing.as_ref());
            let program = self.model.program;
            let made =
                Made { sequence, at, reported: *state, operations: &program.operations, effects: &program.effects };
            let state = self.representation.state_of(&made);
            if self.pool.add(types, typing, value.clone(), &declared, runtime, state) {
                self.plan_checks(&value, &runtime.clone());
            }
        }
    }

    fn note_kill(&mut self, sequence: &Sequence, execution: &Execution, reason: KillReason) {
        let Some(operation) = self.guilty_operation(sequence, execution) else { return };
        let kills = self.kills.entry((operation, reason)).or_default();
        *kills += 1;
        let kills = *kills;
        let standing = &mut self.standings[operation.0 as usize];
        standing.kills += 1;
        let tries = standing.trials.tries.max(1);
        let deadly = match reason {
            // Some arguments make a good method loop or fill the heap; only one that nearly always does is given up.
            KillReason::ProbeBudget | KillReason::OutOfMemory | KillReason::StackOverflow => {
                kills >= 20 && kills * 3 > tries
            }
            KillReason::Timeout => kills >= 6 || (kills >= 2 && kills * 4 > tries),
            KillReason::Exit | KillReason::Signal(_) | KillReason::WorkerExit(_) => kills >= 2,
        };
        if deadly {
            self.quarantine(operation, QuarantineReason::Killed(reason));
        }
    }

    /// The operation that ended a run: where a crash left no word of its statement, the only one that no run survived.
    fn guilty_operation(&self, sequence: &Sequence, execution: &Execution) -> Option<OperationId> {
        if let Outcome::Killed { statement: None, .. } = execution.outcome {
            let mut suspects = sequence.calls().filter(|operation| !self.standings[operation.0 as usize].survived);
            if let (Some(suspect), None) = (suspects.next(), suspects.next()) {
                return Some(suspect);
            }
        }
        failing_operation(sequence, execution)
    }

    fn quarantine(&mut self, operation: OperationId, why: QuarantineReason) {
        let standing = &mut self.standings[operation.0 as usize];
        if !standing.quarantined {
            standing.quarantined = true;
            self.quarantined.push(Quarantined { operation, why });
            let calls = |sequence: &Sequence| sequence.calls().any(|called| called == operation);
            self.corpus.retain(|sequence| !calls(sequence));
            self.pending.retain(|candidate| !calls(&candidate.sequence));
        }
    }
}

/// The operation that was running when a run ended early.
fn failing_operation(sequence: &Sequence, execution: &Execution) -> Option<OperationId> {
    let at = match &execution.outcome {
        Outcome::Killed { statement, .. } => statement.unwrap_or(sequence.len() - 1),
        Outcome::Unlinkable { statement, .. } | Outcome::Threw { statement, .. } => *statement,
        Outcome::Completed => return None,
    };
    match sequence.statements().get(at)?.action {
        Action::Call(operation) => Some(operation),
        Action::Literal(_) => None,
    }
}

#[cfg(test)]
mod tests;
