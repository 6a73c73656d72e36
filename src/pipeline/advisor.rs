//! Lets the search ask the interpreter of symbolic exploration for literals.

use crate::interpreted::Interpreted;
use crate::subject::{Numbered, Subject};
use bytecode::instrument::ProbeKind;
use host::supervisor::{Launch, SupervisorError};
use model::execution::{Edge, ExecutorError};
use model::jvm::ClassName;
use model::sequence::Sequence;
use rustc_hash::FxHashMap;
use search::generator::{self, Goal, Kept};
use std::rc::Rc;
use symbolic::detour::{self, Way, WayKind};

/// Instructions for one sequence: some tenths of a second.
const LIMIT: u64 = 5_000_000;

/// Where a way is: the class's method, and the offset in its code.
type Place = (u16, WayKind, u16);

/// Interprets kept sequences that came near an edge that was not seen. Nothing is prepared before the first question, as
/// short searches ask none.
pub struct Advisor<'a> {
    subject: &'a Subject,
    launch: &'a Launch,
    branches: Option<Branches>,
    interpreted: Option<Interpreted>,
}

impl<'a> Advisor<'a> {
    pub fn new(subject: &'a Subject, launch: &'a Launch) -> Advisor<'a> {
        Advisor { subject, launch, branches: None, interpreted: None }
    }
}

/// The edges that jumps and switches lead to.
#[derive(Default)]
struct Branches {
    /// Of each class, by their places.
    edges: FxHashMap<ClassName, FxHashMap<Place, Edge>>,
    /// Of each edge, those of its jump, or of its method's switches.
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
                ProbeKind::NotTaken => WayKind::NotTaken,
                ProbeKind::Taken => WayKind::Taken,
                ProbeKind::SwitchTarget => WayKind::Case,
                _ => continue,
            };
            of_class.insert((probe.method, kind, probe.pc), edge);
            match kind {
                WayKind::NotTaken => drop(self.others.insert(edge, Rc::new([edge + 1]))),
                WayKind::Taken => drop(self.others.insert(edge, Rc::new([edge - 1]))),
                // Of which switch, the probe does not say.
                WayKind::Case => cases.entry(probe.method).or_default().push(edge),
            }
        }
        for cases in cases.into_values().map(Rc::<[Edge]>::from) {
            self.others.extend(cases.iter().map(|&case| (case, Rc::clone(&cases))));
        }
    }
}

impl generator::Advisor for Advisor<'_> {
    fn advise(&mut self, kept: &Kept, is_seen: &dyn Fn(Edge) -> bool) -> Result<(Vec<Sequence>, u64), ExecutorError> {
        let Branches { edges, others } =
            self.branches.get_or_insert_with(|| Branches::of(self.subject.numbered.iter().flatten()));
        let is_beside_unseen = |goal: &Goal| {
            let Goal::Edge(edge) = goal else { return false };
            others.get(edge).is_some_and(|others| others.iter().any(|&other| !is_seen(other)))
        };
        if !kept.goals.iter().any(is_beside_unseen) {
            return Ok((Vec::new(), 0));
        }
        let wanted = &mut |way: &Way| {
            let edge = *edges.get(way.class)?.get(&(way.method, way.kind, way.pc))?;
            (!is_seen(edge)).then_some(edge)
        };
        let interpreted = match &mut self.interpreted {
            Some(interpreted) => interpreted,
            none => none.insert(Interpreted::open(self.launch).map_err(failed)?),
        };
        let operations = &self.subject.program.operations;
        let advice = detour::detours(&mut interpreted.world, operations, &kept.sequence, wanted, LIMIT);
        interpreted.is_whole().map_err(failed)?;
        Ok(advice)
    }
}

fn failed(error: SupervisorError) -> ExecutorError {
    match error {
        SupervisorError::Interrupted => ExecutorError::Interrupted,
        error => ExecutorError::Unavailable(error.to_string()),
    }
}
