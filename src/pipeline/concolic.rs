//! Concolic seeds for the search, from the interpreter of symbolic exploration.

use crate::interpreted::Interpreted;
use crate::subject::{Numbered, Subject};
use bytecode::instrument::ProbeKind;
use host::supervisor::{Launch, SupervisorError};
use model::execution::{Edge, ExecutorError};
use model::jvm::ClassName;
use model::sequence::Sequence;
use rustc_hash::FxHashMap;
use search::generator::{self, ArchiveEntry, Goal};
use std::rc::Rc;
use symbolic::concolic::{self, BranchKind, BranchTarget};

/// Instruction budget for one sequence: some tenths of a second.
const LIMIT: u64 = 5_000_000;

/// A branch target within a class: method, outcome and code offset.
type Place = (u16, BranchKind, u16);

/// Interprets archived sequences that execute a branch with an uncovered edge. The interpreter is opened for the first such
/// sequence, as short searches have none.
pub struct BranchSolver<'a> {
    subject: &'a Subject,
    launch: &'a Launch,
    branches: Option<Branches>,
    interpreted: Option<Interpreted>,
}

impl<'a> BranchSolver<'a> {
    /// A solver for this program; its interpreter uses a worker of the launch.
    pub fn new(subject: &'a Subject, launch: &'a Launch) -> BranchSolver<'a> {
        BranchSolver { subject, launch, branches: None, interpreted: None }
    }
}

/// The edges of conditional jumps and switches.
#[derive(Default)]
struct Branches {
    /// By class and branch target.
    edges: FxHashMap<ClassName, FxHashMap<Place, Edge>>,
    /// For each edge, the other edges of its jump, or of all switches of its method.
    others: FxHashMap<Edge, Rc<[Edge]>>,
}

impl Branches {
    fn of<'n>(classes: impl Iterator<Item = &'n Numbered>) -> Branches {
        let mut branches = Branches::default();
        classes.for_each(|class| branches.add(class));
        branches
    }

    fn add(&mut self, Numbered { first_probe, plan, .. }: &Numbered) {
        let of_class = self.edges.entry(plan.class.clone()).or_default();
        let mut cases: FxHashMap<u16, Vec<Edge>> = FxHashMap::default();
        for (edge, probe) in (*first_probe..).zip(&plan.probes) {
            let kind = match probe.kind {
                ProbeKind::NotTaken => BranchKind::NotTaken,
                ProbeKind::Taken => BranchKind::Taken,
                ProbeKind::SwitchTarget => BranchKind::Case,
                _ => continue,
            };
            of_class.insert((probe.method, kind, probe.pc), edge);
            match kind {
                BranchKind::NotTaken => drop(self.others.insert(edge, Rc::new([edge + 1]))),
                BranchKind::Taken => drop(self.others.insert(edge, Rc::new([edge - 1]))),
                // The probe does not identify its switch.
                BranchKind::Case => cases.entry(probe.method).or_default().push(edge),
            }
        }
        for cases in cases.into_values().map(Rc::<[Edge]>::from) {
            self.others.extend(cases.iter().map(|&case| (case, Rc::clone(&cases))));
        }
    }
}

impl generator::ConcolicSolver for BranchSolver<'_> {
    fn seeds(
        &mut self,
        entry: &ArchiveEntry,
        is_seen: &dyn Fn(Edge) -> bool,
    ) -> Result<(Vec<Sequence>, u64), ExecutorError> {
        let Branches { edges, others } =
            self.branches.get_or_insert_with(|| Branches::of(self.subject.numbered.iter().flatten()));
        let is_beside_unseen = |goal: &Goal| {
            let Goal::Edge(edge) = goal else { return false };
            others.get(edge).is_some_and(|others| others.iter().any(|&other| !is_seen(other)))
        };
        if !entry.goals.iter().any(is_beside_unseen) {
            return Ok((Vec::new(), 0));
        }
        let wanted = &mut |target: &BranchTarget| {
            let edge = *edges.get(target.class)?.get(&(target.method, target.kind, target.pc))?;
            (!is_seen(edge)).then_some(edge)
        };
        let interpreted = match &mut self.interpreted {
            Some(interpreted) => interpreted,
            none => none.insert(Interpreted::open(self.launch).map_err(failed)?),
        };
        let operations = &self.subject.program.operations;
        let seeds = concolic::seeds(&mut interpreted.world, operations, &entry.sequence, wanted, LIMIT);
        interpreted.is_whole().map_err(failed)?;
        Ok(seeds)
    }
}

fn failed(error: SupervisorError) -> ExecutorError {
    match error {
        SupervisorError::Interrupted => ExecutorError::Interrupted,
        error => ExecutorError::Unavailable(error.to_string()),
    }
}
