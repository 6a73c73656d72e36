//! Simpler objects of the types that are needed: `new TreeSet(comparator)` becomes `new ArrayList()` where any collection
//! will do, an object of a subclass one of the class itself.

use super::{At, Best, Knowledge, SUBSTITUTES, StatementChange};
use model::jvm::types::TypeTable;
use model::jvm::{Literal, Type};
use model::sequence::{Action, Operation, OperationId, OperationKind};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// Operations of any package that make an object of nothing, by the types that it fits; simplest first.
pub(super) type Simplest = FxHashMap<Type, Vec<OperationId>>;

/// The constructor of the type itself, then those of the platform's classes, then others; of equals the first.
pub(super) fn simplest(operations: &[Operation], types: &TypeTable) -> Simplest {
    let mut makers: Vec<(OperationId, &Operation)> = Vec::new();
    for (index, operation) in operations.iter().enumerate() {
        let is_concrete = || types.get(&operation.owner).is_some_and(|facts| !facts.is_abstract());
        if operation.kind == OperationKind::Constructor
            && operation.inputs.is_empty()
            && operation.public
            && is_concrete()
        {
            makers.push((OperationId(index as u32), operation));
        }
    }
    makers.sort_by_key(|(id, operation)| (Reverse(operation.owner.internal().starts_with("java/")), *id));
    let mut simplest = Simplest::default();
    // What makes the type itself comes first.
    for (id, operation) in &makers {
        let made = operation.output.clone().unwrap_or_else(|| Type::Class(operation.owner.clone()));
        simplest.entry(made).or_default().push(*id);
    }
    for (id, operation) in &makers {
        for ancestor in types.ancestry(&operation.owner).into_iter().skip(1) {
            let made = operation.output.as_ref().and_then(|made| types.as_super(made, &ancestor.name));
            let Some(made) = made else { continue };
            let known = simplest.entry(made).or_default();
            if known.len() < SUBSTITUTES {
                known.push(*id);
            }
        }
    }
    simplest
}

/// Another object in place of one that a call among the first `end` statements made: a text, or what a constructor
/// without parameters makes.
pub(super) fn simplify_types(best: &Best, end: usize, knowledge: &Knowledge) -> Vec<At> {
    let sequence = &best.sequence;
    let mut changes = Vec::new();
    for at in 0..end {
        let Action::Call(operation) = sequence.statements()[at].action else { continue };
        let needs = knowledge.needs_of(sequence, at);
        let Some(need) = needs.first().filter(|need| !need.is_primitive()) else { continue };
        let simplest = knowledge.simplest().get(need).map_or(&[][..], Vec::as_slice);
        // Each change is to something simpler, so that there is an end to them.
        let rank = simplest.iter().position(|&maker| maker == operation).unwrap_or(simplest.len());
        let text = Literal::String("a".into());
        let texts = knowledge.fits_all(&text.literal_type(), &needs).then_some(Action::Literal(text));
        let makers = simplest[..rank].iter().map(|&maker| Action::Call(maker));
        let fits = |action: &Action| match action {
            Action::Call(maker) => {
                let made = knowledge.operations[maker.0 as usize].output.as_ref();
                made.is_some_and(|made| knowledge.fits_all(made, &needs))
            }
            Action::Literal(_) => true,
        };
        changes.extend(
            texts.into_iter().chain(makers.filter(fits)).map(|simpler| (at, StatementChange::Replace(simpler))),
        );
    }
    changes
}
