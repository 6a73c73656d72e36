//! One round: shards build candidates from common knowledge and execute them, each in its own executor.

use super::build::{BuildSources, extend, mutate};
use super::guidance::MethodChoice;
use super::select::Weights;
use super::texts::TextId;
use super::turns::Turn;
use super::{About, Candidate, Corpus, SHARDS};
use model::execution::{Detail, Execution, Executor, ExecutorError};
use model::seed::Seed;
use model::sequence::{OperationId, Sequence};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Mutex;

/// Share of candidates that change a corpus sequence instead of extending pool values.
const P_MUTATE: f64 = 0.5;
/// Share of candidates that are about the family whose turn it is.
const P_TURN: f64 = 0.5;

/// The common knowledge of all shards of a round.
pub(super) struct View<'a> {
    pub sources: &'a BuildSources<'a>,
    pub corpus: &'a Corpus,
    /// By class, whether its operations, or those that take what they make, promise new edges.
    pub is_promising: &'a [bool],
    /// By shard, the family of classes whose turn it is.
    pub turns: Option<[Turn; SHARDS]>,
    pub executed: &'a FxHashSet<u64>,
    /// Candidates per shard.
    pub size: usize,
}

/// What a shard ran.
pub(super) struct Ran {
    /// The candidates, enqueued ones first.
    pub candidates: Vec<(Candidate, Execution)>,
    pub probes: Vec<(TextId, Execution)>,
}

/// What a shard is given to run.
#[derive(Default)]
pub(super) struct Given {
    pub candidates: Vec<Candidate>,
    /// Sequences with probed texts.
    pub probes: Vec<(TextId, Sequence)>,
}

/// Runs a round, with what each shard is given. Returns what each shard ran, in their order.
pub(super) fn run(
    view: &View,
    seed: Seed,
    given: Vec<Given>,
    executors: &mut [Box<dyn Executor>],
    threads: usize,
) -> Result<Vec<Ran>, ExecutorError> {
    let shards: Vec<_> = (given.into_iter().zip(executors.iter_mut()).enumerate())
        .map(|(shard, (given, executor))| Mutex::new(Some((seed.nth(shard as u64), given, executor))))
        .collect();
    let results: Vec<Mutex<Option<Result<_, ExecutorError>>>> = shards.iter().map(|_| Mutex::new(None)).collect();
    let next = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, shards.len()) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    let Some(shard) = shards.get(at) else { break };
                    let taken = shard.lock().expect("no shard panics holding its lock").take();
                    let (seed, given, executor) = taken.expect("each shard is taken once");
                    let result = run_shard(view, at, (seed, given), executor.as_mut());
                    *results[at].lock().expect("no shard panics holding its lock") = Some(result);
                }
            });
        }
    });
    (results.into_iter())
        .map(|result| result.into_inner().expect("threads are joined").expect("every shard ran"))
        .collect()
}

/// The operations that a shard chose in this round.
struct Choices<'a> {
    weights: &'a Weights,
    choice: &'a dyn MethodChoice,
    times: FxHashMap<OperationId, u32>,
}

impl Choices<'_> {
    /// An operation by what remains of its weight.
    fn next(&mut self, rng: &mut ChaCha8Rng) -> OperationId {
        loop {
            let operation = self.weights.choose(rng);
            let times = self.times.entry(operation).or_default();
            if rng.random_bool(self.choice.remains(*times, self.weights.len())) {
                *times += 1;
                return operation;
            }
        }
    }
}

fn run_shard(
    view: &View,
    shard: usize,
    (seed, given): (Seed, Given),
    executor: &mut dyn Executor,
) -> Result<Ran, ExecutorError> {
    let mut rng = seed.rng();
    let mut own = FxHashSet::default();
    // How a text ends is to be known, whether or not its sequence ran before.
    let mut is_new = |candidate: &Candidate| {
        let is_allowed = view.sources.model.program.told.allows(&candidate.sequence);
        is_allowed && candidate.about.text.is_some()
            || is_allowed && !view.executed.contains(&candidate.about.hash) && own.insert(candidate.about.hash)
    };
    let mut chosen = Choices {
        weights: view.sources.weights,
        choice: view.sources.guidance.methods.as_ref(),
        times: FxHashMap::default(),
    };
    let p_mutate = if view.corpus.is_empty() { 0.0 } else { P_MUTATE };
    let mut candidates: Vec<Candidate> = given.candidates.into_iter().filter(&mut is_new).collect();
    // Attempts are bounded: a small program runs out of new sequences.
    for _ in 0..view.size * 4 {
        if candidates.len() >= view.size {
            break;
        }
        let turn = view.turns.as_ref().map(|turns| &turns[shard]).filter(|_| rng.random_bool(P_TURN));
        let built = if rng.random_bool(p_mutate) {
            let of_family = turn.and_then(|turn| view.corpus.base_of(turn.family, &mut rng));
            let base = of_family.unwrap_or_else(|| view.corpus.base(view.is_promising, &mut rng));
            mutate(view.sources, base, view.corpus.any(&mut rng), &mut rng)
        } else {
            let operation = match turn {
                Some(turn) => *turn.operations.draw(&mut rng),
                None => chosen.next(&mut rng),
            };
            extend(view.sources, operation, &mut rng)
        };
        candidates.extend(built.map(|built| Candidate::new(built.sequence, built.used)).filter(&mut is_new));
    }
    let (sequences, abouts): (Vec<Sequence>, Vec<About>) =
        candidates.into_iter().map(|candidate| (candidate.sequence, candidate.about)).unzip();
    let executions = executor.execute(&sequences, Detail::Search)?;
    let candidates = sequences.into_iter().zip(abouts).map(|(sequence, about)| Candidate { sequence, about });
    let candidates = candidates.zip(executions).collect();
    let (ids, probed): (Vec<TextId>, Vec<Sequence>) = given.probes.into_iter().unzip();
    let executions = if probed.is_empty() { Vec::new() } else { executor.execute(&probed, Detail::Probed)? };
    Ok(Ran { candidates, probes: ids.into_iter().zip(executions).collect() })
}
