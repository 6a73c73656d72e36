//! Which probes lead to an instruction.

use crate::instrument::body::Body;
use crate::instrument::{ProbeInfo, ProbeKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Where the control flow of a body comes from, as far as probes see it.
pub(super) struct Paths<'a> {
    body: &'a Body<'a>,
    /// Probes by pc.
    probes: FxHashMap<usize, Vec<(ProbeKind, u32)>>,
    /// Jumps by the pc that they lead to.
    jumps: FxHashMap<usize, Vec<usize>>,
    /// Handlers that no probe marks.
    unseen: FxHashSet<usize>,
}

impl<'a> Paths<'a> {
    pub(super) fn new<'p>(body: &'a Body<'a>, probes: impl Iterator<Item = (usize, &'p ProbeInfo)>) -> Paths<'a> {
        let mut by_pc: FxHashMap<usize, Vec<(ProbeKind, u32)>> = FxHashMap::default();
        for (number, probe) in probes {
            by_pc.entry(usize::from(probe.pc)).or_default().push((probe.kind, number as u32));
        }
        let mut jumps: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        for (at, instruction) in body.instructions.iter().enumerate() {
            instruction.jump_target().into_iter().for_each(|to| jumps.entry(to).or_default().push(at));
        }
        let is_seen = |pc: &usize| by_pc.get(pc).is_some_and(|all| all.iter().any(|one| one.0 == ProbeKind::Handler));
        let unseen = body.exceptions.iter().map(|range| range.handler).filter(|pc| !is_seen(pc)).collect();
        Paths { body, probes: by_pc, jumps, unseen }
    }

    fn probe(&self, at: usize, kind: ProbeKind) -> Option<u32> {
        let probes = self.probes.get(&self.body.instructions[at].pc)?;
        probes.iter().find(|probe| probe.0 == kind).map(|probe| probe.1)
    }

    /// The probes of which one is hit before the instruction runs.
    pub(super) fn leading_to(&self, at: usize) -> Vec<u32> {
        let code = &self.body.instructions;
        let mut found = BTreeSet::new();
        let mut seen = FxHashSet::default();
        let mut waiting = vec![at];
        while let Some(at) = waiting.pop() {
            if !seen.insert(at) {
                continue;
            }
            let own = [ProbeKind::Entry, ProbeKind::Handler, ProbeKind::SwitchTarget];
            let own: Vec<u32> = own.into_iter().filter_map(|kind| self.probe(at, kind)).collect();
            let is_counted_whole = !own.is_empty() && at > 0;
            found.extend(own);
            if is_counted_whole {
                continue;
            }
            if self.unseen.contains(&code[at].pc) {
                found.extend(self.probe(0, ProbeKind::Entry));
            }
            for &jump in self.jumps.get(&code[at].pc).into_iter().flatten() {
                match self.probe(jump, ProbeKind::Taken) {
                    Some(probe) => drop(found.insert(probe)),
                    None => waiting.push(jump),
                }
            }
            if let Some(before) = at.checked_sub(1).filter(|&before| !code[before].instruction.ends_block()) {
                match self.probe(before, ProbeKind::NotTaken) {
                    Some(probe) => drop(found.insert(probe)),
                    None => waiting.push(before),
                }
            }
        }
        found.into_iter().collect()
    }
}
