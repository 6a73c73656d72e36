//! The search: feedback-directed random generation in rounds of shards.
//!
//! A round gives each of a fixed number of shards its own seed and a fixed number of candidates; every shard builds
//! them from what all knew at the round's start, executes them in its own executor, and the executions are recorded in the order of the shards. So the number of threads never shows in the result, and a limit of time stops between rounds.

pub mod suite;

mod build;
mod checks;
mod corpus;
mod discovery;
mod doors;
mod endless;
mod findings;
mod guidance;
mod literals;
mod outcomes;
mod pool;
mod probe_map;
mod program_model;
mod record;
mod result;
mod round;
mod samples;
mod seeds;
mod select;
mod texts;
mod turns;
mod vocabulary;
mod weighted;

pub use endless::find_endless;
pub use findings::Identity;
pub use guidance::ConcolicSolver;
pub use outcomes::is_to_return;
pub use probe_map::ProbeMap;
pub use result::{
    ArchiveEntry, Goal, Merit, QuarantineReason, Quarantined, Rank, SearchLimits, SearchResult, SearchStatistics,
    Trials,
};
pub use select::Focus;
pub use vocabulary::Vocabulary;

use crate::redundancy;
use crate::redundancy::representation::{self, Representation};
use checks::ContractCheck;
use corpus::Corpus;
use discovery::Discovery;
use doors::{Door, Doors};
use endless::Suspects;
use findings::Findings;
use guidance::{ConcolicSeeds, ConstantMining, Guidance, Operands};
use literals::LiteralSources;
use model::execution::{Edge, Executor, ExecutorError, KillReason};
use model::jvm::{ClassName, Type};
use model::options::{Access, Component, StateRepresentation};
use model::seed::Seed;
use model::sequence::{OperationId, Sequence};
use oracle::Judge;
use oracle::contract::Promises;
use oracle::rules::RuleHits;
use pool::{Pool, PoolValue};
use program_model::ProgramModel;
use round::Given;
use rustc_hash::{FxHashMap, FxHashSet};
use samples::Samples;
use seeds::Seeds;
use select::{OperationStatistics, Weights};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use texts::{TextId, Texts};
use turns::Families;

/// Shards of a round; each has its own executor. Part of what a seed means, so it never depends on the machine.
pub const SHARDS: usize = 4;
/// Weight beyond which an operation promises new edges: without any left it weighs at most 0.15.
const PROMISING: f64 = 0.2;
/// Candidates that may wait to be tried first: operand substitutions, contract checks.
const PENDING_LIMIT: usize = 8_000;
/// Most archive entries for one goal: the first may behave differently in a fresh worker…
const ENTRIES_PER_GOAL: u8 = 3;
/// …beside those that came later and cost a reader less than all before.
const CHEAPER_ENTRIES_PER_GOAL: u8 = 3;

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
    check: Option<ContractCheck>,
    /// The text that the sequence is about.
    text: Option<TextId>,
    /// The project's existing tests do the same.
    is_of_tests: bool,
}

impl Candidate {
    fn new(sequence: Sequence, used: Vec<u32>) -> Candidate {
        let hash = redundancy::sequence_hash(&sequence);
        Candidate { sequence, about: About { hash, used, check: None, text: None, is_of_tests: false } }
    }

    /// A candidate that was enqueued, not drawn from the pool.
    fn enqueued(sequence: Sequence) -> Candidate {
        Candidate::new(sequence, Vec::new())
    }
}

/// The archive entries of a goal, those through back doors apart.
#[derive(Clone, Copy, Debug, Default)]
struct WitnessesOfGoal {
    front: EntriesOfGoal,
    back: EntriesOfGoal,
}

impl WitnessesOfGoal {
    /// Whether one more is wanted; none through a back door where the front door leads to the goal. If so, it is counted.
    fn wants(&mut self, Rank { through_back_door, merit, cost }: Rank) -> bool {
        match through_back_door {
            true => self.front.least_cost.is_none() && self.back.wants(merit, cost),
            false => self.front.wants(merit, cost),
        }
    }
}

/// The archive entries of a goal at one of its doors.
#[derive(Clone, Copy, Debug, Default)]
struct EntriesOfGoal {
    /// How many there are, by their merit.
    of_merit: [u8; 6],
    /// How many were added because they cost a reader less.
    cheaper: u8,
    /// What the cheapest of those costs that completed or were rejected, and read no clock.
    least_cost: Option<u32>,
}

impl EntriesOfGoal {
    /// Whether one more is wanted; if so, it is counted.
    fn wants(&mut self, merit: Merit, cost: u32) -> bool {
        let as_good: u8 = self.of_merit[..=merit as usize].iter().sum();
        let wanted = match merit {
            // Wanted only until there is another entry.
            Merit::Volatile => as_good == 0,
            _ if as_good < ENTRIES_PER_GOAL => true,
            Merit::Failed => false,
            Merit::TimedCompleted | Merit::TimedRejected if self.least_cost.is_some() => false,
            _ => {
                let is_cheaper =
                    self.least_cost.is_none_or(|least| cost < least) && self.cheaper < CHEAPER_ENTRIES_PER_GOAL;
                self.cheaper += u8::from(is_cheaper);
                is_cheaper
            }
        };
        self.of_merit[merit as usize] += u8::from(wanted);
        if wanted && merit <= Merit::Rejected {
            self.least_cost = Some(self.least_cost.map_or(cost, |least| least.min(cost)));
        }
        wanted
    }
}

/// One search.
pub struct Search<'a> {
    judge: Judge<'a>,
    model: ProgramModel<'a>,
    guidance: Guidance,
    families: Families,
    concolic_seeds: Option<ConcolicSeeds<'a>>,
    texts: Option<Texts>,
    doors: Doors,
    probes: &'a ProbeMap,
    seed: Seed,
    pool: Pool,
    representation: Box<dyn Representation>,
    literals: LiteralSources,
    operation_statistics: Vec<OperationStatistics>,
    operations_of_edge: FxHashMap<Edge, Vec<OperationId>>,
    /// By operations that have not returned yet, and how often.
    thrown: FxHashMap<OperationId, BTreeMap<ClassName, u64>>,
    /// Buckets seen, as bits, per probe.
    seen: Vec<u8>,
    /// Probes that were hit by a run which did not end in an implicit exception.
    seen_otherwise: Vec<bool>,
    covered_edges: u32,
    executed: FxHashSet<u64>,
    corpus: Corpus,
    archive: Vec<ArchiveEntry>,
    samples: Samples,
    entries_of_goal: FxHashMap<Goal, WitnessesOfGoal>,
    discovery: Discovery,
    pending: VecDeque<Candidate>,
    seeds: Seeds,
    promises: FxHashMap<Type, Promises>,
    checked_states: FxHashMap<Type, u32>,
    /// Checks of objects by contract methods after calls of an operation that did not take them.
    checked_others: FxHashMap<(OperationId, Type), u32>,
    checked_values_of_class: FxHashMap<Type, Vec<PoolValue>>,
    volatile_values: FxHashMap<OperationId, u32>,
    findings: Findings,
    rule_hits: RuleHits,
    kills: FxHashMap<(OperationId, KillReason), u64>,
    endless: Suspects,
    quarantined: Vec<Quarantined>,
    enqueued: FxHashSet<u64>,
    rounds: u64,
    sequences: u64,
    sequences_of_class: Vec<u64>,
}

impl<'a> Search<'a> {
    /// A search with all of guidance but the components named, that tells values apart by `state`.
    pub fn new(
        judge: Judge<'a>,
        probes: &'a ProbeMap,
        seed: Seed,
        disabled: &[Component],
        state: StateRepresentation,
    ) -> Search<'a> {
        let program = judge.program();
        let guidance = Guidance::without(disabled);
        let model = ProgramModel::new(program, &guidance);
        let existing_tests = guidance.existing_tests(program);
        let mined = guidance.has(Component::ConstantMining).then(|| {
            let of_tests =
                |class: usize| existing_tests.and_then(|tests| tests.constants.get(class)).into_iter().flatten();
            let own = program.targets.iter().map(|target| &target.constants).enumerate();
            ConstantMining::new(own.map(|(class, own)| own.iter().chain(of_tests(class))))
        });
        let mut seeds = Seeds::default();
        seeds.extend(existing_tests.into_iter().flat_map(|tests| tests.sequences.iter().cloned()));
        let compared = guidance.has(Component::Operands).then(|| Operands::new(program.targets.len()));
        let mut operation_statistics = vec![OperationStatistics::default(); program.operations.len()];
        let mut operations_of_edge: FxHashMap<Edge, Vec<OperationId>> = FxHashMap::default();
        for (at, edges) in probes.of_operation.iter().enumerate() {
            for &edge in edges.iter().filter(|&&edge| probes.is_edge[edge as usize]) {
                operation_statistics[at].edges += 1;
                operations_of_edge.entry(edge).or_default().push(OperationId(at as u32));
            }
        }
        let pool = Pool::new(model.needs.clone());
        Search {
            judge,
            probes,
            seed,
            pool,
            representation: representation::of(state),
            literals: LiteralSources::new(mined, compared),
            families: Families::new(program),
            concolic_seeds: None,
            texts: guidance.has(Component::Parsers).then(|| Texts::new(&model, seed.child("texts"))),
            doors: Doors::default(),
            model,
            guidance,
            operation_statistics,
            operations_of_edge,
            thrown: FxHashMap::default(),
            seen: vec![0; probes.count as usize],
            seen_otherwise: vec![false; probes.count as usize],
            covered_edges: 0,
            executed: FxHashSet::default(),
            corpus: Corpus::default(),
            archive: Vec::new(),
            samples: Samples::default(),
            entries_of_goal: FxHashMap::default(),
            discovery: Discovery::default(),
            pending: VecDeque::new(),
            seeds,
            promises: FxHashMap::default(),
            checked_states: FxHashMap::default(),
            checked_others: FxHashMap::default(),
            checked_values_of_class: FxHashMap::default(),
            volatile_values: FxHashMap::default(),
            findings: Findings::default(),
            rule_hits: RuleHits::default(),
            kills: FxHashMap::default(),
            endless: Suspects::default(),
            quarantined: Vec::new(),
            enqueued: FxHashSet::default(),
            rounds: 0,
            sequences: 0,
            sequences_of_class: vec![0; program.targets.len()],
        }
    }

    /// The search, with concolic seeds after rounds that cover nothing new.
    pub fn with_concolic_seeds(self, solver: Box<dyn ConcolicSolver + 'a>) -> Search<'a> {
        Search { concolic_seeds: Some(ConcolicSeeds::new(solver)), ..self }
    }

    /// The search, which calls each operation as often as it matters to the effects of a change; `focus` has an entry for each.
    pub fn with_focus(mut self, focus: &[Focus]) -> Search<'a> {
        for (statistics, focus) in self.operation_statistics.iter_mut().zip(focus) {
            statistics.focus = *focus;
        }
        self
    }

    /// The search, which calls the members that only the package may use as `access` says; else all of them.
    pub fn with_access(mut self, access: Access) -> Search<'a> {
        if access == Access::Package || self.model.program.back_doors.is_empty() {
            return self;
        }
        self.model.mark_back_doors();
        let (doors, open) = Doors::new(&self.model, self.probes);
        self.doors = doors;
        for (at, statistics) in self.operation_statistics.iter_mut().enumerate() {
            let is_back_door = self.model.is_back_door(OperationId(at as u32));
            statistics.door = if is_back_door { Door::Closed } else { Door::Front };
        }
        self.doors.keep_back(self.seeds.take());
        self.open(open);
        self
    }

    /// Searches until a limit is reached, or until `should_continue`, called after each round, returns false.
    ///
    /// A failing executor ends the search early; the result up to then is returned with the error. The vocabulary is for
    /// stages that build further sequences.
    pub fn run(
        mut self,
        executors: &mut [Box<dyn Executor>],
        limits: &SearchLimits,
        should_continue: &mut dyn FnMut(&SearchStatistics) -> bool,
    ) -> (SearchResult, Vocabulary<'a>, Option<ExecutorError>) {
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
            if !should_continue(&self.statistics()) {
                break;
            }
        }
        let (result, vocabulary) = self.into_result();
        (result, vocabulary, error)
    }

    fn statistics(&self) -> SearchStatistics {
        SearchStatistics {
            rounds: self.rounds,
            sequences: self.sequences,
            covered_edges: self.covered_edges,
            edges: self.probes.is_edge.iter().filter(|&&is_edge| is_edge).count() as u32,
            findings: self.findings.len(),
            archived: self.archive.len(),
            is_saturated: self.is_saturated(),
        }
    }

    fn into_result(self) -> (SearchResult, Vocabulary<'a>) {
        let (statistics, weights) = (self.statistics(), self.weights());
        // Of equally frequent ones, the first.
        let most = |thrown: &BTreeMap<ClassName, u64>| {
            thrown.iter().rev().max_by_key(|(_, times)| **times).map(|(class, _)| class.clone())
        };
        let always_thrown = self.thrown.iter().filter_map(|(id, thrown)| Some((*id, most(thrown)?))).collect();
        let mut kills: Vec<_> =
            self.kills.iter().map(|((operation, reason), times)| (*operation, *reason, *times)).collect();
        kills.sort();
        let result = SearchResult {
            kills,
            archive: self.archive,
            samples: self.samples.into_sequences(),
            findings: self.findings.into_vec(),
            endless: self.endless.into_sequences(),
            rule_hits: self.rule_hits,
            quarantined: self.quarantined,
            statistics,
            sequences_of_class: self.sequences_of_class,
            trials: self.operation_statistics.iter().map(|statistics| statistics.trials).collect(),
            always_thrown,
            seen: self.seen.iter().map(|&buckets| buckets != 0).collect(),
            only_implicitly: (self.seen.iter().zip(&self.seen_otherwise))
                .map(|(&buckets, &otherwise)| buckets != 0 && !otherwise)
                .collect(),
        };
        let vocabulary = Vocabulary {
            model: self.model,
            pool: self.pool,
            literals: self.literals,
            weights,
            guidance: self.guidance,
            seed: self.seed.child("mutants"),
            sequences: self.sequences,
        };
        (result, vocabulary)
    }

    /// One round; whether there is anything left to try.
    fn round(&mut self, executors: &mut [Box<dyn Executor>], threads: usize) -> Result<bool, ExecutorError> {
        let weights = self.weights();
        if weights.is_exhausted() {
            return Ok(self.open_doors(true));
        }
        // Small rounds first: in the beginning every result changes what is worth trying. Later on the shards wait less
        // for one another in large ones.
        let size = match self.rounds {
            0..20 => 16,
            20..100 => 96,
            _ => 384,
        };
        let mut given: Vec<Given> = std::iter::repeat_with(Given::default).take(SHARDS).collect();
        let of_tests = self.seeds.next(size * SHARDS);
        let waiting = (size * SHARDS / 2 - of_tests.len()).min(self.pending.len());
        for (at, candidate) in of_tests.into_iter().chain(self.pending.drain(..waiting)).enumerate() {
            given[at % SHARDS].candidates.push(candidate);
        }
        let room = size * SHARDS - given.iter().map(|given| given.candidates.len()).sum::<usize>();
        self.plan_texts(room, &mut given);
        let sources = build::BuildSources {
            model: &self.model,
            pool: &self.pool,
            literals: &self.literals,
            weights: &weights,
            guidance: &self.guidance,
        };
        let is_promising = self.promising(&weights);
        let turns = match self.guidance.has(Component::Bloodhound) {
            true => self.families.in_turn(&self.operation_statistics, &weights, self.rounds),
            false => None,
        };
        let (corpus, executed) = (&self.corpus, &self.executed);
        let view = round::View { sources: &sources, corpus, is_promising: &is_promising, turns, executed, size };
        let seed = self.seed.child("round").nth(self.rounds);
        let mut results = round::run(&view, seed, given, executors, threads)?;
        let nothing_new = results.iter().all(|shard| shard.candidates.is_empty());
        self.rounds += 1;
        let covered = self.covered_edges;
        let of_shards = results.iter_mut().enumerate();
        for (shard, (candidate, execution)) in
            of_shards.flat_map(|(at, ran)| ran.candidates.drain(..).map(move |ran| (at, ran)))
        {
            if let (Some(id), Some(texts)) = (candidate.about.text, &mut self.texts) {
                texts.ran(id, &execution);
            }
            self.record_execution(candidate, execution, shard);
        }
        self.discovery.end_round(self.sequences);
        if let Some(texts) = &mut self.texts {
            results.iter().flat_map(|shard| &shard.probes).for_each(|(id, execution)| texts.probed(*id, execution));
        }
        if self.covered_edges == covered && !self.texts.as_ref().is_some_and(Texts::are_fruitful) {
            self.enqueue_concolic_seeds()?;
        }
        if nothing_new {
            self.seeds.lift_limit();
        }
        let is_over = nothing_new && self.pending.is_empty() && self.seeds.is_empty();
        let has_opened = self.open_doors(is_over);
        Ok(!is_over || has_opened)
    }

    /// Gives texts to the shards: sequences with them, and those that say what else they could be.
    fn plan_texts(&mut self, room: usize, given: &mut [Given]) {
        let planned = self.texts.iter_mut().flat_map(|texts| texts.next(room));
        for (at, text) in planned.enumerate() {
            let mut candidate = Candidate::enqueued(text.sequence);
            candidate.about.text = Some(text.id);
            given[at % SHARDS].candidates.push(candidate);
            given[at % SHARDS].probes.push((text.id, text.probe));
        }
    }

    /// By class, whether an operation of it, or one that takes what it makes, weighs more than one that has nothing left.
    fn promising(&self, weights: &Weights) -> Vec<bool> {
        let promises = |id: OperationId| weights.of(id) > PROMISING;
        let program = self.model.program;
        let is_promising = |id: &OperationId| {
            let made = program.operations[id.0 as usize].output.as_ref();
            let takers = made.and_then(|of| self.model.consumers.get(of)).into_iter().flatten();
            promises(*id) || takers.into_iter().any(|(taker, _)| promises(*taker))
        };
        program.targets.iter().map(|target| target.operations.iter().any(is_promising)).collect()
    }

    /// Opens the doors whose time has come; whether there are some.
    fn open_doors(&mut self, is_over: bool) -> bool {
        let is_reached = |edge: Edge| self.seen_otherwise[edge as usize];
        let open = self.doors.after(self.sequences, is_over, &is_reached, &self.model);
        let has_some = !open.is_empty();
        self.open(open);
        has_some
    }

    /// Opens the doors, and enqueues the sequences that waited for them.
    fn open(&mut self, doors: BTreeSet<OperationId>) {
        for door in doors {
            self.operation_statistics[door.0 as usize].door = Door::Open;
        }
        let is_closed = |called: OperationId| self.operation_statistics[called.0 as usize].door == Door::Closed;
        self.seeds.extend(self.doors.admitted(&is_closed));
    }

    fn enqueue_concolic_seeds(&mut self) -> Result<(), ExecutorError> {
        let Some(seeds) = self.concolic_seeds.as_mut().filter(|_| self.pending.len() < PENDING_LIMIT) else {
            return Ok(());
        };
        let proposed = seeds.after_round(&self.archive, &|edge| self.seen[edge as usize] != 0)?;
        proposed.into_iter().for_each(|sequence| self.enqueue(sequence));
        Ok(())
    }

    /// Adds the sequence to the candidates that are executed first, unless it was added before.
    fn enqueue(&mut self, sequence: Sequence) {
        let candidate = Candidate::enqueued(sequence);
        if self.enqueued.insert(candidate.about.hash) {
            self.pending.push_back(candidate);
        }
    }

    /// The weights of this round's operations.
    fn weights(&self) -> Weights {
        Weights::new(&self.model.under_test, &self.operation_statistics, self.guidance.methods.as_ref())
    }
}

#[cfg(test)]
mod entries_tests {
    use super::*;

    fn check(entries: &[(Merit, u32)], expected: &[bool]) {
        let mut of_goal = EntriesOfGoal::default();
        let wanted: Vec<bool> = entries.iter().map(|&(merit, cost)| of_goal.wants(merit, cost)).collect();
        assert_eq!(wanted, expected, "{entries:?}");
    }

    #[test]
    fn completed_run_is_wanted_beside_those_that_threw() {
        use Merit::{Completed, Failed, Rejected, TimedCompleted, TimedRejected, Volatile};
        check(&[(Failed, 1), (Failed, 1), (Failed, 1), (Failed, 1), (Rejected, 1)], &[true, true, true, false, true]);
        check(
            &[(Rejected, 9), (Rejected, 9), (Rejected, 9), (Rejected, 9), (Completed, 9)],
            &[true, true, true, false, true],
        );
        check(&[(Completed, 1), (Completed, 1), (Rejected, 1), (Rejected, 2)], &[true, true, true, false]);
        check(&[(Volatile, 1), (Volatile, 1), (Completed, 1), (Volatile, 1)], &[true, false, true, false]);
        // Those that read a clock may turn out to be no tests.
        check(&[(TimedCompleted, 1), (Rejected, 9), (Completed, 9), (TimedRejected, 9)], &[true, true, true, false]);
        let steady = [(Completed, 9), (Completed, 9), (Completed, 9), (Completed, 2)];
        check(&[&[(TimedCompleted, 1)], &steady[..]].concat(), &[true; 5]);
    }

    #[test]
    fn back_door_is_wanted_until_the_front_door_leads_to_the_goal() {
        let mut of_goal = WitnessesOfGoal::default();
        let rank = |through_back_door, merit, cost| Rank { through_back_door, merit, cost };
        assert!(of_goal.wants(rank(true, Merit::Completed, 1)));
        assert!(of_goal.wants(rank(false, Merit::Failed, 9)) && of_goal.wants(rank(true, Merit::Completed, 1)));
        assert!(of_goal.wants(rank(false, Merit::Completed, 9)) && !of_goal.wants(rank(true, Merit::Completed, 1)));
    }

    #[test]
    fn later_run_is_wanted_if_it_costs_less() {
        let completed = |cost| (Merit::Completed, cost);
        check(&[9, 9, 9, 9, 8, 8, 7].map(completed), &[true, true, true, false, true, false, true]);
    }
}

#[cfg(test)]
mod tests;
