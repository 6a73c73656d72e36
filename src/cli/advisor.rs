//! Lets the search ask the interpreter of symbolic exploration for literals.

use super::subject::{Numbered, Subject};
use crate::execution::{Edge, ExecutorError};
use crate::generator::{self, Goal, Kept};
use crate::instrument::ProbeKind;
use crate::jvm::ClassName;
use crate::sequence::{Operation, Sequence};
use crate::supervisor::{ClassReader, Launch, SupervisorError};
use crate::symbolic::classes::Classes;
use crate::symbolic::detour::{self, WayKind};
use crate::symbolic::interpreter::World;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// Instructions for one sequence: some tenths of a second.
const LIMIT: u64 = 5_000_000;

/// Where a way is: the class's method, and the offset in its code.
type Place = (u16, WayKind, u16);

/// Interprets kept sequences that came near an edge that was not seen.
pub struct Advisor<'a> {
    launch: &'a Launch,
    operations: &'a [Operation],
    /// Of each class, the edges by their places.
    edges: FxHashMap<ClassName, FxHashMap<Place, Edge>>,
    /// Of each edge, those that other outcomes of its jump or switch are.
    others: FxHashMap<Edge, Vec<Edge>>,
    /// Classes as far as they were needed; none before the first question.
    world: Option<World<'a>>,
    /// Why classes could not be read any more.
    broken: Rc<RefCell<Option<SupervisorError>>>,
}

impl<'a> Advisor<'a> {
    pub fn new(subject: &'a Subject, launch: &'a Launch) -> Advisor<'a> {
        let operations = &subject.program.operations;
        let mut advisor = Advisor {
            launch,
            operations,
            edges: FxHashMap::default(),
            others: FxHashMap::default(),
            world: None,
            broken: Rc::default(),
        };
        for numbered in subject.numbered.iter().flatten() {
            advisor.add(numbered);
        }
        advisor
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
                WayKind::NotTaken => drop(self.others.insert(edge, vec![edge + 1])),
                WayKind::Taken => drop(self.others.insert(edge, vec![edge - 1])),
                // Of which switch, the probe does not say.
                WayKind::Case => cases.entry(probe.method).or_default().push(edge),
            }
        }
        for cases in cases.into_values() {
            self.others.extend(cases.iter().map(|&case| (case, cases.clone())));
        }
    }
}

impl generator::Advisor for Advisor<'_> {
    fn advise(&mut self, kept: &Kept, is_seen: &dyn Fn(Edge) -> bool) -> Result<(Vec<Sequence>, u64), ExecutorError> {
        let is_beside_unseen = |goal: &Goal| {
            let Goal::Edge(edge) = goal else { return false };
            self.others.get(edge).is_some_and(|others| others.iter().any(|&other| !is_seen(other)))
        };
        if !kept.goals.iter().any(is_beside_unseen) {
            return Ok((Vec::new(), 0));
        }
        let world = self.world.get_or_insert_with(|| {
            let broken = Rc::clone(&self.broken);
            let mut reader = ClassReader::open(self.launch).map_err(|error| broken.replace(Some(error))).ok();
            World::new(Classes::new(move |name: &ClassName| {
                let read = reader.as_mut()?.read(std::slice::from_ref(name));
                read.map_err(|error| broken.replace(Some(error))).ok()?.pop()?
            }))
        });
        let edges = &self.edges;
        let advice = detour::detours(
            world,
            self.operations,
            &kept.sequence,
            &mut |way| {
                let edge = *edges.get(way.class)?.get(&(way.method, way.kind, way.pc))?;
                (!is_seen(edge)).then_some(edge)
            },
            LIMIT,
        );
        match self.broken.take() {
            None => Ok(advice),
            Some(SupervisorError::Interrupted) => Err(ExecutorError::Interrupted),
            Some(error) => Err(ExecutorError::Unavailable(error.to_string())),
        }
    }
}
