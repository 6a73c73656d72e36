//! A directed search for tests of mutants that survive all samples.
//!
//! For each mutant, sequences that reach it are changed as the search changes those of its corpus, and run without and with
//! the mutant. Where only the state that a run leaves differs, the mutant has infected it (Voas, "PIE", 1992), though no
//! assertion shows it yet: such sequences are changed further, as another call may show it.

use super::fresh::Task;
use super::mutation::{ENDLESS, MutantSite, MutationSubject, endless_share};
use super::strengthen::at_home;
use super::with_mutants::{Noticing, Wanted, WithMutants};
use super::{SelectionContext, TestCandidate, outcomes};
use crate::generator::Vocabulary;
use crate::generator::build::Uses;
use crate::generator::guidance::operands;
use crate::generator::program_model::STATEMENT_LIMIT;
use crate::minimizer::{Effort, minimize};
use crate::reader_cost;
use crate::redundancy::sequence_hash;
use model::execution::{Comparison, Detail, Execution, Executor, ExecutorError, Outcome};
use model::jvm::Literal;
use model::sequence::{Action, Sequence};
use program::Program;
use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use rustc_hash::{FxHashSet, FxHasher};
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::ops::RangeInclusive;

/// Most sequences that are tried for one mutant in the first rounds, the last number also in each later one.
const EFFORTS: [u64; 3] = [256, 1_024, 4_096];
/// Fewest sequences that are worth trying for a mutant: if the search was short, few mutants are searched for.
const LEAST_EFFORT: u64 = 64;
/// Share of the search's sequences that one round may run.
const ROUND_SHARE: u64 = 4;
/// Sequences that are built from what those before showed: with few the search learns sooner, with many a worker is asked less
/// often.
const GENERATION: RangeInclusive<u64> = 64..=256;
/// A search has so many generations, unless they are too small or large.
const GENERATIONS: u64 = 8;
/// Sequences that are run with a mutant before it is asked whether they end.
const BATCH: usize = 32;
/// Most changes of one sequence.
const MOST_CHANGES: usize = 3;
/// Most sequences of each kind that are changed further.
const MOST_MEMBERS: usize = 24;
/// Share of sequences that are built from one which leaves an infected state, if there is any.
const P_INFECTED: f64 = 0.75;
/// Share of sequences without infection that are changed further, though they take the edges of another one.
const P_DRIFT: f64 = 0.25;
/// Share of changes that replace an operand by the other one, where the run compared any.
const P_OPERANDS: f64 = 0.4;
/// Share of replacements of whole numbers that are one off.
const P_ONE_OFF: f64 = 0.4;
/// Share of changes by operands that do a call for the other operand, too, where calls take both.
const P_REPETITION: f64 = 0.5;
/// Share of sequences that first repeat their last call: faults in sums, limits and tables often need two calls of one method.
const P_AGAIN: f64 = 0.15;
/// Share of the sequences without either that first lose a statement: what has nothing to do with the mutant is
/// changed in vain.
const P_LESS: f64 = 0.15;
/// Share of sequences to which is added what another one does with an object of the same type.
const P_GRAFT: f64 = 0.03;
/// The same share for sequences that leave an infected state, which another call may show.
const P_GRAFT_INFECTED: f64 = 0.12;
/// Share of sequences that are tried once more with several collaborators that add their names to one list, which shows their
/// order.
const P_LABELS: f64 = 0.1;
/// Share of draws in which the shorter one of two sequences is taken.
const P_SHORTER: f64 = 0.5;
/// Most sequences with an infected state that are proposed if no assertion shows one.
const MOST_INFECTED: usize = 3;

/// A mutant that survives, and sequences that reach it.
pub(super) struct Target {
    pub(super) mutant: u32,
    pub(super) reaching: Vec<Sequence>,
}

/// Sequences that may kill mutants, each with the mutant for which it was made; each mutant is tried for at most so many sequences.
pub(super) fn search(
    targets: &[Target],
    round: usize,
    uses: &Uses,
    task: &Task,
    executors: &mut [Box<dyn Executor>],
) -> Result<Vec<(u32, Sequence)>, ExecutorError> {
    let vocabulary = task.mutation.vocabulary;
    let total = vocabulary.sequences / ROUND_SHARE;
    let most = EFFORTS[round.min(EFFORTS.len() - 1)];
    let effort = (total / targets.len().max(1) as u64).clamp(LEAST_EFFORT, most);
    let seed = vocabulary.seed.nth(round as u64);
    let found = at_home(executors, &mut |home| {
        let hunt = |target: &Target, executor: &mut dyn Executor| {
            let rng = seed.nth(target.mutant.into()).rng();
            let found = DirectedSearch::new(target, uses, task, rng, effort).run(executor)?;
            Ok(found.into_iter().map(|sequence| (target.mutant, sequence)).collect::<Vec<_>>())
        };
        let targets: Vec<&Target> = targets.iter().take((total / effort) as usize).collect();
        task.context.on_shards(targets, home, &hunt)
    })?;
    let mut known = FxHashSet::default();
    Ok(found.into_iter().flatten().filter(|(_, one)| known.insert(sequence_hash(one))).collect())
}

/// The search for one mutant.
struct DirectedSearch<'a> {
    target: &'a Target,
    site: &'a MutantSite,
    vocabulary: &'a Vocabulary<'a>,
    /// What is known to be done with objects.
    uses: &'a Uses<'a>,
    task: &'a Task<'a>,
    rng: ChaCha8Rng,
    tried: FxHashSet<u64>,
    /// Sequences that reach the mutant.
    members: Vec<Member>,
    /// Those of them that leave another state with the mutant.
    infected: Vec<Member>,
    /// The combinations of edges in the mutant's class that were taken.
    paths: FxHashSet<u64>,
    /// How many sequences are built from what those before showed.
    generation: usize,
    /// How many sequences may yet be tried.
    left: u64,
}

/// A sequence, what it compared, and its path: the edges that it takes in the class of the mutant.
struct Member {
    sequence: Sequence,
    comparisons: Vec<Comparison>,
    path: u64,
    /// Whether it ran to its end, so that something can follow.
    has_completed: bool,
}

impl<'a> DirectedSearch<'a> {
    fn new(target: &'a Target, uses: &'a Uses<'a>, task: &'a Task, rng: ChaCha8Rng, effort: u64) -> DirectedSearch<'a> {
        let site = &task.mutation.sites[target.mutant as usize];
        let generation = (effort / GENERATIONS).clamp(*GENERATION.start(), *GENERATION.end()) as usize;
        DirectedSearch {
            target,
            site,
            vocabulary: task.mutation.vocabulary,
            uses,
            task,
            rng,
            tried: FxHashSet::default(),
            members: Vec::new(),
            infected: Vec::new(),
            paths: FxHashSet::default(),
            generation,
            left: effort,
        }
    }

    fn run(mut self, executor: &mut dyn Executor) -> Result<Vec<Sequence>, ExecutorError> {
        let mut next = self.target.reaching.clone();
        next.extend(self.target.reaching.iter().filter_map(|one| self.vocabulary.with_recording(one)));
        next.extend(self.target.reaching.iter().filter_map(|one| self.vocabulary.with_labels(one)));
        while !next.is_empty() && (self.task.mutation.should_continue_search)() {
            self.left = self.left.saturating_sub(next.len() as u64);
            if let Some(killer) = self.attempt(next, executor)? {
                return Ok(vec![self.minimized(killer, executor)?]);
            }
            if self.members.is_empty() && self.infected.is_empty() {
                // What they leave behind keeps them from being tests; a change may not.
                let member = |one: &Sequence| Member {
                    sequence: one.clone(),
                    comparisons: Vec::new(),
                    path: 0,
                    has_completed: true,
                };
                self.members = self.target.reaching.iter().map(member).collect();
            }
            next = if self.left == 0 { Vec::new() } else { self.variants() };
        }
        let program = self.task.context.program;
        let infected = self.infected.into_iter().map(|one| without_looks(one.sequence, program));
        let mut infected: Vec<Sequence> = infected.collect();
        infected.sort_by_cached_key(|one| reader_cost::of(one, None, &program.operations));
        infected.truncate(MOST_INFECTED);
        Ok(infected)
    }

    /// Sequences that were not tried yet.
    fn variants(&mut self) -> Vec<Sequence> {
        let mut variants = Vec::new();
        for _ in 0..2 * self.generation {
            let is_wanted = self.members.is_empty() || self.rng.random_bool(P_INFECTED);
            let is_from_infected = is_wanted && !self.infected.is_empty();
            let bases = if is_from_infected { &self.infected } else { &self.members };
            let Some(base) = shorter(bases, &mut self.rng) else { break };
            let mut variant = base.sequence.clone();
            let mut changes = 1..=MOST_CHANGES;
            let p_graft = if is_from_infected { P_GRAFT_INFECTED } else { P_GRAFT };
            if base.has_completed
                && self.rng.random_bool(p_graft)
                && let Some(grafted) = self.vocabulary.graft(&variant, self.uses, &mut self.rng)
            {
                variant = grafted;
                changes = 0..=1;
            } else if self.rng.random_bool(P_AGAIN) {
                call_again(&mut variant);
            } else if self.rng.random_bool(P_LESS) {
                variant = without_a_statement(&variant, &mut self.rng).unwrap_or(variant);
            }
            for _ in 0..self.rng.random_range(changes) {
                let changed = match !base.comparisons.is_empty() && self.rng.random_bool(P_OPERANDS) {
                    true => with_operand(&variant, &base.comparisons, self.task.context.program, &mut self.rng),
                    false => {
                        let other = self.members.choose(&mut self.rng).unwrap_or(base);
                        self.vocabulary.vary(&variant, &other.sequence, &mut self.rng)
                    }
                };
                variant = changed.unwrap_or(variant);
            }
            let labelled = self.rng.random_bool(P_LABELS).then(|| self.vocabulary.with_labels(&variant)).flatten();
            for variant in [Some(variant), labelled].into_iter().flatten() {
                if self.tried.insert(sequence_hash(&variant)) {
                    variants.push(variant);
                }
            }
            if variants.len() >= self.generation {
                break;
            }
        }
        variants
    }

    /// Runs sequences without and with the mutant; the one among those that notice it which is the cheapest to read.
    fn attempt(
        &mut self,
        sequences: Vec<Sequence>,
        executor: &mut dyn Executor,
    ) -> Result<Option<TestCandidate>, ExecutorError> {
        let context = self.task.context;
        let runs = executor.execute(&sequences, Detail::Compared)?;
        let tests = sequences.into_iter().zip(runs).filter_map(|(sequence, run)| as_test(sequence, run, context));
        let is_of_target = |one: &TestCandidate| self.reaches(&one.execution) && context.counts(one)(self.site);
        let tests: Vec<TestCandidate> = tests.filter(is_of_target).collect();
        let runs = self.mutated(&tests, executor)?;
        let mut infected = Vec::new();
        for (one, run) in tests.into_iter().zip(runs) {
            if is_infected(&one.execution, &run) {
                infected.push((one, run));
            } else {
                let member = self.member(one);
                if self.paths.insert(member.path) || self.rng.random_bool(P_DRIFT) {
                    add(&mut self.members, member, &mut self.rng);
                }
            }
        }
        let mut killers = Vec::new();
        let (infected, unsteady) = steady(infected, executor)?;
        for one in unsteady {
            let member = self.member(one);
            add(&mut self.members, member, &mut self.rng);
        }
        for (one, run) in infected {
            if self.notices(&one, &run) {
                killers.push(one);
            } else {
                let member = self.member(one);
                add(&mut self.infected, member, &mut self.rng);
            }
        }
        killers.sort_by_cached_key(|one| cost(one, context));
        for one in killers {
            if self.is_confirmed(&one, executor)? {
                return Ok(Some(one));
            }
            let member = self.member(one);
            add(&mut self.infected, member, &mut self.rng);
        }
        Ok(None)
    }

    /// Whether the test notices the mutant once more: what ran before may have left something else in static fields.
    fn is_confirmed(&self, one: &TestCandidate, executor: &mut dyn Executor) -> Result<bool, ExecutorError> {
        let runs = executor.execute(std::slice::from_ref(&one.sequence), Detail::Mutated(self.site.mutant))?;
        Ok(runs.first().is_some_and(|run| self.notices(one, run)))
    }

    /// The runs with the mutant; fewer than tests if many do not end.
    fn mutated(&self, tests: &[TestCandidate], executor: &mut dyn Executor) -> Result<Vec<Execution>, ExecutorError> {
        let (mut runs, mut endless): (Vec<Execution>, usize) = (Vec::new(), 0);
        for batch in tests.chunks(BATCH) {
            let sequences: Vec<Sequence> = batch.iter().map(|one| one.sequence.clone()).collect();
            runs.extend(executor.execute(&sequences, Detail::Mutated(self.site.mutant))?);
            endless += runs[runs.len() - batch.len()..].iter().map(endless_share).sum::<usize>();
            if endless >= ENDLESS {
                break;
            }
        }
        Ok(runs)
    }

    fn reaches(&self, run: &Execution) -> bool {
        run.edges.iter().any(|hit| self.site.reached_by.contains(&hit.edge))
    }

    fn member(&self, one: TestCandidate) -> Member {
        let probes = self.task.context.probes;
        let class = probes.class_of(self.site.reached_by[0]);
        let mut hasher = FxHasher::default();
        let of_class = one.execution.edges.iter().filter(|hit| probes.class_of(hit.edge) == class);
        of_class.for_each(|hit| hit.edge.hash(&mut hasher));
        let has_completed = one.execution.outcome == Outcome::Completed;
        Member { sequence: one.sequence, comparisons: one.execution.comparisons, path: hasher.finish(), has_completed }
    }

    fn notices(&self, one: &TestCandidate, mutated: &Execution) -> bool {
        MutationSubject::new(one, self.task.mutation).notices(mutated).is_some()
    }

    /// The test without what it does not need to kill the mutant.
    fn minimized(&self, killer: TestCandidate, executor: &mut dyn Executor) -> Result<Sequence, ExecutorError> {
        let context = self.task.context;
        let mutants = [self.site.mutant];
        let as_whole = |sequence: &Sequence, run: &Execution| {
            as_test(sequence.clone(), run.clone(), context).filter(|one| one.sequence.len() == sequence.len())
        };
        let is_sound = |sequence: &Sequence, run: &Execution| {
            as_whole(sequence, run).is_some_and(|one| context.counts(&one)(self.site))
        };
        let notices = |sequence: &Sequence, run: &Execution, mutated: &Execution| {
            as_whole(sequence, run).is_some_and(|one| self.notices(&one, mutated))
        };
        let noticing = Noticing::default();
        let wanted = Wanted { sound: &is_sound, notices: &notices };
        let mut both = WithMutants::new(executor, &mutants, wanted, &noticing);
        let kills = |sequence: &Sequence, _: &Execution| noticing.has(sequence);
        let TestCandidate { sequence, execution, .. } = killer;
        let least = minimize((&sequence, execution), 1, Effort::Least, &context.knowledge, &mut both, &kills)?;
        Ok(without_looks(least.0, context.program))
    }
}

/// The sequence without looks at its end at what collections contain by then, which no test is about: observers look again.
fn without_looks(mut sequence: Sequence, program: &Program) -> Sequence {
    while let Some(last) = sequence.len().checked_sub(1).filter(|last| *last > 0)
        && sequence.call_at(last) == Some(program.checks.content)
    {
        sequence = sequence.prefix(last);
    }
    sequence
}

/// The test that a run can become, up to what it threw.
pub(super) fn as_test(sequence: Sequence, run: Execution, context: &SelectionContext) -> Option<TestCandidate> {
    let sequence = match run.outcome {
        Outcome::Completed => sequence.without_rejection(),
        Outcome::Threw { statement, .. } if statement + 1 < sequence.len() => sequence.prefix(statement + 1),
        Outcome::Threw { .. } => sequence,
        _ => return None,
    };
    let is_test = !run.environment_dependent
        && run.residual_state.is_none()
        && context.is_wanted(&run)
        && context.program.are_as_declared(&sequence, &run.values);
    is_test.then(|| TestCandidate::new(sequence, run, BTreeSet::new()))
}

/// A test, and its run with the mutant.
type WithMutant = (TestCandidate, Execution);

/// Those that do the same once more without the mutant, as observed then, and the others. The hash code of an identity differs
/// from run to run, so that it, and each text with it, would look like the mutant's doing.
fn steady(
    infected: Vec<WithMutant>,
    executor: &mut dyn Executor,
) -> Result<(Vec<WithMutant>, Vec<TestCandidate>), ExecutorError> {
    let (mut steady, mut others) = (Vec::new(), Vec::new());
    if infected.is_empty() {
        return Ok((steady, others));
    }
    let sequences: Vec<Sequence> = infected.iter().map(|(one, _)| one.sequence.clone()).collect();
    let again = executor.execute(&sequences, Detail::Observe)?;
    for ((one, mutated), again) in infected.into_iter().zip(again) {
        if is_infected(&one.execution, &again) {
            others.push(one);
        } else {
            let comparisons = one.execution.comparisons;
            steady.push((TestCandidate { execution: Execution { comparisons, ..again }, ..one }, mutated));
        }
    }
    Ok((steady, others))
}

fn is_infected(run: &Execution, mutated: &Execution) -> bool {
    run.outcome != mutated.outcome || run.values != mutated.values || run.states != mutated.states
}

fn cost(one: &TestCandidate, context: &SelectionContext) -> u32 {
    let intent = outcomes::intent_of(&one.execution, context.program);
    reader_cost::of(&one.sequence, intent, &context.program.operations)
}

/// The sequence with an operand that is drawn replaced by the one that it was compared with, or by the number next to that.
fn with_operand(
    sequence: &Sequence,
    comparisons: &[Comparison],
    program: &Program,
    rng: &mut ChaCha8Rng,
) -> Option<Sequence> {
    // A loop compares often in one place; each place counts once.
    let sites: BTreeSet<u32> = comparisons.iter().map(|comparison| comparison.site).collect();
    let site = *sites.iter().nth(rng.random_range(0..sites.len().max(1)))?;
    let of_site: Vec<&Comparison> = comparisons.iter().filter(|comparison| comparison.site == site).collect();
    let Comparison { left, right, .. } = of_site.choose(rng)?;
    let (from, to) = if rng.random_bool(0.5) { (left, right) } else { (right, left) };
    if rng.random_bool(P_REPETITION)
        && let Some(again) = operands::with_repetition(sequence, from, to).choose(rng)
    {
        return Some(again.clone());
    }
    let step = if rng.random_bool(P_ONE_OFF) { [-1, 1][rng.random_range(0..2)] } else { 0 };
    let to = match to {
        Literal::Int(value) => Literal::Int(value.wrapping_add(step)),
        Literal::Long(value) => Literal::Long(value.wrapping_add(step.into())),
        other => other.clone(),
    };
    let mut changed = operands::with_substitution(sequence, program, from, &to);
    (!changed.is_empty()).then(|| changed.swap_remove(rng.random_range(0..changed.len())))
}

/// Repeats the last call with copies of its literals, unless the sequence would become too long.
fn call_again(sequence: &mut Sequence) {
    let Some(last) = sequence.len().checked_sub(1) else { return };
    let Some(operation) = sequence.call_at(last) else { return };
    let mut inputs: Vec<usize> = sequence.inputs_of(last).collect();
    if sequence.len() + inputs.len() >= STATEMENT_LIMIT {
        return;
    }
    for input in &mut inputs {
        if let Action::Literal(literal) = &sequence.statements()[*input].action {
            *input = sequence.push_literal(literal.clone());
        }
    }
    sequence.push_call(operation, &inputs);
}

/// The sequence without one statement, what depends on it, and the literals that nothing takes then; `None` if the last statement
/// would go with it, or is a literal.
fn without_a_statement(sequence: &Sequence, rng: &mut ChaCha8Rng) -> Option<Sequence> {
    let last = sequence.len().checked_sub(1).filter(|last| sequence.call_at(*last).is_some())?;
    let mut is_kept = vec![true; sequence.len()];
    if last > 0 {
        is_kept[rng.random_range(0..last)] = false;
    }
    for at in 0..sequence.len() {
        is_kept[at] &= sequence.inputs_of(at).all(|input| is_kept[input]);
    }
    for at in (0..last).rev().filter(|at| sequence.call_at(*at).is_none()) {
        is_kept[at] &= (at + 1..=last).any(|user| is_kept[user] && sequence.inputs_of(user).any(|input| input == at));
    }
    if is_kept[last] { sequence.retain(|at| is_kept[at]) } else { None }
}

/// Adds a member. If there are too many, one of the same path goes, or else one of a path that several have, so that the only
/// one of its path stays: what is accepted is rarer than what is rejected. Of two that are drawn the longer one goes.
fn add(members: &mut Vec<Member>, one: Member, rng: &mut ChaCha8Rng) {
    if members.len() < MOST_MEMBERS {
        members.push(one);
        return;
    }
    let sharing = |path: u64| members.iter().filter(|other| other.path == path).count();
    let places_where = |is_wanted: &dyn Fn(u64) -> bool| -> Vec<usize> {
        (0..members.len()).filter(|at| is_wanted(members[*at].path)).collect()
    };
    let same = places_where(&|path| path == one.path);
    let mut places = if same.is_empty() { places_where(&|path| sharing(path) > 1) } else { same };
    if places.is_empty() {
        places = places_where(&|_| true);
    }
    let draw = |rng: &mut ChaCha8Rng| places[rng.random_range(0..places.len())];
    let place = [draw(rng), draw(rng)].into_iter().max_by_key(|at| members[*at].sequence.len());
    members[place.unwrap_or(0)] = one;
}

/// The shorter one of two members that are drawn, mostly: of what has nothing to do with the mutant, a change leads nowhere.
fn shorter<'m>(members: &'m [Member], rng: &mut ChaCha8Rng) -> Option<&'m Member> {
    let (first, second) = (members.choose(rng)?, members.choose(rng)?);
    let is_shorter = second.sequence.len() < first.sequence.len() && rng.random_bool(P_SHORTER);
    Some(if is_shorter { second } else { first })
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::execution::Value;
    use model::jvm::Literal;
    use model::sequence::OperationId;

    #[test]
    fn state_that_differs_is_infected_though_the_values_are_the_same() {
        let run = |state: u64| Execution {
            values: vec![Value::Literal(Literal::Int(1))],
            states: vec![Some(state)],
            ..Execution::ended(Outcome::Completed)
        };
        assert!(!is_infected(&run(1), &run(1)));
        assert!(is_infected(&run(1), &run(2)));
    }

    #[test]
    fn the_last_call_is_done_again_with_literals_of_its_own() {
        let mut sequence = Sequence::new();
        let bank = sequence.push_call(OperationId(0), &[]);
        let amount = sequence.push_literal(Literal::Int(60));
        sequence.push_call(OperationId(1), &[bank, amount]);
        call_again(&mut sequence);
        assert_eq!(sequence.inputs_of(4).collect::<Vec<_>>(), [bank, 3]);
        assert_eq!(sequence.statements()[3], sequence.statements()[amount]);
        assert_eq!(sequence.calls().collect::<Vec<_>>(), [0, 1, 1].map(OperationId));
        (0..STATEMENT_LIMIT).for_each(|_| call_again(&mut sequence));
        assert!((STATEMENT_LIMIT - 1..=STATEMENT_LIMIT).contains(&sequence.len()), "{}", sequence.len());
    }

    #[test]
    fn statement_goes_with_what_depends_on_it_and_what_only_it_takes() {
        let mut sequence = Sequence::new();
        let amount = sequence.push_literal(Literal::Int(60));
        let other = sequence.push_call(OperationId(0), &[amount]);
        sequence.push_call(OperationId(1), &[other]);
        let bank = sequence.push_call(OperationId(2), &[]);
        sequence.push_call(OperationId(3), &[bank]);
        let mut rng = model::seed::Seed::root(1).rng();
        let left: BTreeSet<Vec<u32>> = (0..100)
            .filter_map(|_| without_a_statement(&sequence, &mut rng))
            .map(|one| one.calls().map(|call| call.0).collect())
            .collect();
        assert_eq!(left, BTreeSet::from([vec![2, 3], vec![0, 2, 3]]));
    }

    #[test]
    fn members_stay_few() {
        let mut rng = model::seed::Seed::root(1).rng();
        let mut members = Vec::new();
        for number in 0..100 {
            let mut sequence = Sequence::new();
            sequence.push_call(OperationId(number), &[]);
            add(
                &mut members,
                Member { sequence, comparisons: Vec::new(), path: number.min(1).into(), has_completed: true },
                &mut rng,
            );
        }
        assert_eq!(members.len(), MOST_MEMBERS);
        assert!(
            members.iter().any(|one| one.sequence.calls().any(|call| call.0 >= 50)),
            "later ones replace earlier ones"
        );
        assert!(members.iter().any(|one| one.path == 0), "the only one of its path stays");
    }
}
