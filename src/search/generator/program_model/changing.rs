//! Which collaborators can be made so that a test changes what they answer.

use super::{FxHashMap, Operation, OperationId, OperationKind, Program, ids};
use model::jvm::ClassName;
use model::sequence::{Answer, HOLDER, Recording};

/// How to make a collaborator that answers what a holder holds, instead of one that always answers the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changing {
    /// Which input of the operation is the answer.
    pub answer: usize,
    /// Makes the holder of an answer.
    pub holder: OperationId,
    /// Puts another answer into it.
    pub set: OperationId,
    /// The implementation that answers what its holder holds.
    pub implementation: OperationId,
    /// What makes the collaborator of the implementation and the other inputs: a clock of a source of instants.
    pub view: Option<OperationId>,
}

/// The collaborators that have one, by the operation that makes them or that makes what holds their answer.
pub(super) fn changing(program: &Program) -> FxHashMap<OperationId, Changing> {
    let mut found = FxHashMap::default();
    let all = || ids(program).map(|id| (id, &program.operations[id.0 as usize]));
    for (implementation, operation) in all().filter(|(_, operation)| is_held(operation)) {
        let Some(held) = operation.inputs.first() else { continue };
        let is_holder =
            |maker: &Operation| maker.kind == OperationKind::Constructor && maker.output.as_ref() == Some(held);
        let holder = all().find(|(_, maker)| is_holder(maker) && maker.inputs.len() == 1);
        let set = all().find(|(_, one)| &*one.name == "set" && one.inputs.first() == Some(held));
        let (Some((holder, _)), Some((set, _))) = (holder, set) else { continue };
        let changing = Changing { answer: 0, holder, set, implementation, view: None };
        let answers_alike = |(_, plain): &(OperationId, &Operation)| {
            plain.kind == OperationKind::Implementation
                && plain.output == operation.output
                && matches!(&plain.implemented[..], [method] if method.answer == Answer::Input(0))
        };
        if let Some((plain, _)) = all().find(answers_alike) {
            found.insert(plain, changing.clone());
        }
        if operation.owner == ClassName::new("java/time/InstantSource") {
            found.extend(clock(program, &changing));
        }
        found.insert(holder, changing);
    }
    found
}

/// The fixed clock, which a clock of a source of instants replaces.
fn clock(program: &Program, changing: &Changing) -> Option<(OperationId, Changing)> {
    let called = |owner: &str, name: &str| {
        ids(program).find(|id| {
            let operation = &program.operations[id.0 as usize];
            operation.owner == ClassName::new(owner) && &*operation.name == name
        })
    };
    let view = called("java/time/InstantSource", "withZone")?;
    Some((called("java/time/Clock", "fixed")?, Changing { view: Some(view), ..changing.clone() }))
}

/// Whether the implementation answers what a holder holds.
fn is_held(operation: &Operation) -> bool {
    operation.implemented.iter().any(|method| method.holder().is_some())
}

/// Whether the operation is there for collaborators whose answer changes, or whose order shows, and for nothing else: a plain
/// one is better where neither has to.
pub(super) fn is_for_changes_alone(operation: &Operation) -> bool {
    is_held(operation)
        || Recording::label_of(&operation.implemented).is_some()
        || operation.owner == ClassName::new("java/time/InstantSource")
            && operation.kind == OperationKind::InstanceMethod
        || operation.owner == ClassName::new(HOLDER) && operation.has_receiver()
}
