//! Doors: members that only tests in the package can use are called only for code that the other members do not reach.
//!
//! With `access = public` every such back door is closed at first. It is opened when code behind it is not reached though
//! the front door had its chance: at once if nothing at the front door calls it, else after a number of sequences in which
//! no more of that code was reached. With it is opened what makes its inputs, where nothing at the front door does; if
//! that does not help either, all that makes them. An operation at the front door that takes objects which only back doors
//! make gets these in the same way. Sequences are counted, not seconds, so that a seed gives the same search everywhere.

use super::ProbeMap;
use super::program_model::ProgramModel;
use model::execution::Edge;
use model::sequence::{OperationId, Sequence};
use std::collections::BTreeSet;

/// Sequences without further code for which the front door has its chance…
const PATIENCE: u64 = 1_000;
/// …and further ones for each operation under test, as these share the sequences.
const PATIENCE_PER_OPERATION: u64 = 10;

/// Who may use an operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Door {
    /// Any caller.
    #[default]
    Front,
    /// Nobody now.
    Closed,
    /// Tests in the package; an operation at the front door may be given objects that back doors make.
    Open,
}

/// How far the doors before some code are open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Opened {
    Not,
    /// The operation, and what makes inputs that nothing at the front door makes.
    Itself,
}

/// An operation before code that is not all reached.
#[derive(Debug)]
struct Watched {
    operation: OperationId,
    /// Of the code behind it.
    edges: Vec<Edge>,
    reached: usize,
    /// The number of sequences when more was reached for the last time.
    since: u64,
    opened: Opened,
}

/// The doors of a search. Without any, every operation may be called.
#[derive(Debug, Default)]
pub(super) struct Doors {
    watched: Vec<Watched>,
    patience: u64,
    /// Sequences of existing tests that call closed doors.
    waiting: Vec<Sequence>,
}

impl Doors {
    /// All that can be watched, and the operations that are open from the beginning.
    pub(super) fn new(model: &ProgramModel, probes: &ProbeMap) -> (Doors, BTreeSet<OperationId>) {
        let patience = PATIENCE + PATIENCE_PER_OPERATION * model.under_test.len() as u64;
        let mut doors = Doors { patience, ..Doors::default() };
        let mut open = BTreeSet::new();
        for &operation in &model.under_test {
            let behind = probes.behind.get(&operation).unwrap_or(&probes.of_operation[operation.0 as usize]);
            let edges = behind.iter().copied().filter(|&edge| probes.is_edge[edge as usize]).collect();
            let mut watched = Watched { operation, edges, reached: 0, since: 0, opened: Opened::Not };
            let is_called = match model.program.back_doors.get(&operation) {
                Some(door) => door.is_called,
                None if lacks_makers(model, operation) => true,
                None => continue,
            };
            if watched.edges.is_empty() {
                continue;
            }
            if !is_called {
                watched.opened = Opened::Itself;
                open_with_makers(model, operation, &mut open);
            }
            doors.watched.push(watched);
        }
        (doors, open)
    }

    /// Keeps the sequences back until the doors are open that they call.
    pub(super) fn keep_back(&mut self, sequences: impl IntoIterator<Item = Sequence>) {
        self.waiting.extend(sequences);
    }

    /// Takes the sequences that were kept back and that call no closed door.
    pub(super) fn admitted(&mut self, is_closed: &dyn Fn(OperationId) -> bool) -> Vec<Sequence> {
        self.waiting.extract_if(.., |sequence| !sequence.calls().any(is_closed)).collect()
    }

    /// The operations to open after so many sequences. `is_over` says that there is nothing left to try at the front door.
    pub(super) fn after(
        &mut self,
        sequences: u64,
        is_over: bool,
        is_reached: &dyn Fn(Edge) -> bool,
        model: &ProgramModel,
    ) -> BTreeSet<OperationId> {
        let mut open = BTreeSet::new();
        let patience = self.patience;
        self.watched.retain_mut(|watched| {
            let reached = watched.edges.iter().filter(|edge| is_reached(**edge)).count();
            if reached > watched.reached {
                (watched.reached, watched.since) = (reached, sequences);
            }
            if reached == watched.edges.len() {
                return false;
            }
            if !is_over && sequences - watched.since < patience {
                return true;
            }
            watched.since = sequences;
            match watched.opened {
                Opened::Not => {
                    watched.opened = Opened::Itself;
                    open_with_makers(model, watched.operation, &mut open);
                    true
                }
                Opened::Itself => {
                    let inputs = model.inputs(watched.operation).iter();
                    let makers = inputs.flat_map(|input| &model.producers[input.need.0 as usize]);
                    let makers: Vec<OperationId> = makers.copied().filter(|maker| model.is_back_door(*maker)).collect();
                    makers.into_iter().for_each(|maker| open_with_makers(model, maker, &mut open));
                    false
                }
            }
        });
        open
    }
}

/// Whether an input of the operation is made by back doors alone.
fn lacks_makers(model: &ProgramModel, operation: OperationId) -> bool {
    model.inputs(operation).iter().any(|input| {
        let makers = &model.producers[input.need.0 as usize];
        !makers.is_empty() && makers.iter().all(|maker| model.is_back_door(*maker))
    })
}

/// Adds the operation, and the back doors that alone make its inputs, with what these take.
fn open_with_makers(model: &ProgramModel, operation: OperationId, open: &mut BTreeSet<OperationId>) {
    let mut waiting = vec![operation];
    while let Some(next) = waiting.pop() {
        if !open.insert(next) {
            continue;
        }
        for input in model.inputs(next) {
            let makers = &model.producers[input.need.0 as usize];
            if makers.iter().all(|maker| model.is_back_door(*maker)) {
                waiting.extend(makers);
            }
        }
    }
}
