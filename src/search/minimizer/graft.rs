//! Objects made without detours: `new Order().total()` becomes `Money.euros("0")` where any amount will do.

use super::{At, Best, Knowledge, SUBSTITUTES, StatementChange};
use crate::reader_cost;
use model::jvm::Type;
use model::jvm::types::TypeTable;
use model::sequence::{Action, Operation, OperationKind, Sequence};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// How objects are made: for each type the sequences that make one, the cheapest to read first, each with its cost.
#[derive(Debug, Default)]
pub struct Makers {
    of_type: BTreeMap<Type, Vec<Maker>>,
    /// For types that were asked for, what fits them.
    fitting: Mutex<FxHashMap<Type, Arc<[Maker]>>>,
}

/// The cost of a sequence and the sequence.
type Maker = (u32, Arc<Sequence>);

impl Makers {
    /// The cheapest makers of what is assignable to the type.
    fn fitting(&self, need: &Type, types: &TypeTable) -> Arc<[Maker]> {
        let mut fitting = self.fitting.lock().expect("no pass panics");
        let find = || {
            let all = self.of_type.iter().filter(|(made, _)| types.is_assignable(made, need));
            let mut all: Vec<Maker> = all.flat_map(|(_, makers)| makers.iter().cloned()).collect();
            all.sort_by_key(|(cost, _)| *cost);
            all.truncate(SUBSTITUTES);
            all.into()
        };
        fitting.entry(need.clone()).or_insert_with(find).clone()
    }
}

/// The makers that the sequences contain. The last statement of a sequence may have thrown, so it makes nothing.
pub(super) fn makers<'s>(sequences: impl Iterator<Item = &'s Sequence>, operations: &[Operation]) -> Makers {
    let mut makers: BTreeMap<Type, Vec<Maker>> = BTreeMap::new();
    for sequence in sequences {
        for at in 0..sequence.len().saturating_sub(1) {
            let Action::Call(operation) = sequence.statements()[at].action else { continue };
            let is_made = !matches!(operations[operation.0 as usize].kind, OperationKind::Array | OperationKind::Cast);
            let Some(of) = operations[operation.0 as usize].output.as_ref().filter(|of| is_made && !of.is_primitive())
            else {
                continue;
            };
            let cost = cost_of_value(sequence, at, operations);
            let known = makers.entry(of.clone()).or_default();
            if known.len() == SUBSTITUTES && known.last().is_some_and(|(most, _)| *most <= cost) {
                continue;
            }
            let needed = sequence.needed_by(|index| index == at);
            let Some(maker) = sequence.prefix(at + 1).retain(|index| needed[index]) else { continue };
            let is_public = maker.calls().all(|call| operations[call.0 as usize].public);
            if is_public && !known.iter().any(|(_, other)| **other == maker) {
                let place = known.partition_point(|(other, _)| *other <= cost);
                known.insert(place, (cost, Arc::new(maker)));
                known.truncate(SUBSTITUTES);
            }
        }
    }
    Makers { of_type: makers, ..Makers::default() }
}

/// What a reader pays for the value of a statement and all that it is made of.
fn cost_of_value(sequence: &Sequence, at: usize, operations: &[Operation]) -> u32 {
    let needed = sequence.needed_by(|index| index == at);
    let cost = |index: usize| reader_cost::of_action(&sequence.statements()[index].action, operations);
    (0..=at).filter(|index| needed[*index]).map(cost).sum()
}

/// A cheaper maker of the same type in place of a call among the first `end` statements, where that takes less than what is
/// needed for the call alone.
pub(super) fn plainer_makers(best: &Best, end: usize, knowledge: &Knowledge) -> Vec<At> {
    let Some(makers) = knowledge.makers.get() else { return Vec::new() };
    let sequence = &best.sequence;
    let mut changes = Vec::new();
    for at in (0..end).rev() {
        let Action::Call(operation) = sequence.statements()[at].action else { continue };
        let is_value = |made: &Type| !made.is_primitive();
        let needs = knowledge.needs_of(sequence, at);
        let Some(need) = needs.first().filter(|need| is_value(need)) else { continue };
        let kind = knowledge.operations[operation.0 as usize].kind;
        if matches!(kind, OperationKind::Implementation | OperationKind::Cast) {
            continue;
        }
        let plainer = makers.fitting(need, knowledge.types);
        let needed = sequence.needed_by(|index| index == at);
        let otherwise = sequence.needed_by(|index| index != at && !needed[index]);
        let own = (0..=at).filter(|index| needed[*index] && !(otherwise[*index] && *index != at));
        let cost: u32 =
            own.map(|index| reader_cost::of_action(&sequence.statements()[index].action, knowledge.operations)).sum();
        let fits = |maker: &Sequence| {
            maker.output_of(maker.len() - 1, knowledge.operations).is_some_and(|made| knowledge.fits_all(&made, &needs))
        };
        let cheaper = plainer.iter().take_while(|(other, _)| *other < cost).filter(|(_, maker)| fits(maker));
        changes.extend(cheaper.map(|(_, maker)| (at, StatementChange::Graft(maker.clone()))));
    }
    changes
}
