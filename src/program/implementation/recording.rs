//! Implementations that note in a list what they are told.

use super::{Maker, list_of};
use model::jvm::Type;
use model::sequence::{Implemented, Operation, Recorded, Recording};
use std::sync::Arc;

impl Maker<'_> {
    /// The operation whose only method, a void one, adds a text to a list; `None` if it has other methods.
    pub(super) fn labelled(&self, operation: &Operation) -> Option<Operation> {
        let mut labelled = operation.clone();
        let [method] = &mut labelled.implemented[..] else { return None };
        if self.constructor.is_some() || method.generic || method.descriptor.returns.is_some() {
            return None;
        }
        method.recording = Some(Recording { list: 0, of: Recorded::Label(1) });
        labelled.inputs = vec![list_of(Type::string()), Type::string()];
        labelled.parameter_names = vec![Arc::from("calls"), Arc::from("name")];
        Some(labelled)
    }

    /// The operation whose void methods add what they are called with to a list; `None` if it has no such methods, or the list
    /// would not show what was passed.
    pub(super) fn recording(&self, operation: &Operation) -> Option<Operation> {
        let mut recording = operation.clone();
        let input = recording.inputs.len() as u32;
        let silent = || operation.implemented.iter().filter(|method| method.descriptor.returns.is_none());
        let is_shown = |method: &Implemented| {
            method.descriptor.parameters.iter().all(|of| !matches!(of, Type::Array(_))) && !method.generic
        };
        let element =
            match (operation.implemented.len(), silent().next().map(|method| &method.descriptor.parameters[..])) {
                (_, None) => return None,
                (1, Some([one])) => Some(one),
                _ if silent().all(is_shown) => None,
                _ => return None,
            };
        let of = if element.is_some() { Recorded::Parameter } else { Recorded::Call };
        for method in recording.implemented.iter_mut().filter(|method| method.descriptor.returns.is_none()) {
            method.recording = Some(Recording { list: input, of });
        }
        let element = match element {
            Some(Type::Primitive(primitive)) => Type::Class(primitive.wrapper()),
            Some(other) => other.clone(),
            None => Type::string(),
        };
        recording.inputs.push(list_of(element));
        recording.parameter_names.resize(input as usize, Arc::from(""));
        recording.parameter_names.push(Arc::from(if of == Recorded::Call { "calls" } else { "received" }));
        Some(recording)
    }
}
