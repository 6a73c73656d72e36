//! Operations that make mocks: they answer what the code under test asks of its collaborators, and nothing else.

use super::{ANSWERED, Inherited, Known, METHODS, Maker, abstract_methods, is_open, list_of};
use crate::asked::{Asked, CalledMethod};
use bytecode::classfile::{ClassFile, Method};
use model::jvm::Type;
use model::jvm::generics::{GenericMethod, GenericType};
use model::jvm::types::access;
use model::sequence::{Answer, Implemented, Operation, Recorded, Recording};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Mocks of one interface that answer what different classes ask.
const MOCKS: usize = 8;

/// The operations that make mocks of the interface, which answer what code under test asks, and the same that note what they
/// are told; none where a lambda or the platform does better.
pub(crate) fn mocks<'a>(of: &'a ClassFile, root: &Type, asked: &Asked, known: &Known<'a>) -> Vec<Operation> {
    let is_interface = of.access & access::INTERFACE != 0;
    let is_platform = of.name.internal().starts_with("java/");
    if !is_interface || is_platform || !is_open(of, known) || *root != Type::Class(of.name.clone()) {
        return Vec::new();
    }
    let Some(methods) = abstract_methods(of, root, known, Inherited::Mocked) else { return Vec::new() };
    let is_asked = |class: &BTreeMap<CalledMethod, bool>, method: &Implemented| {
        let called = method.linked.iter().map(|linked| class.get(&(method.name.clone(), linked.clone())));
        called.flatten().copied().reduce(|one, other| one || other)
    };
    let of_classes = asked.of(&of.name, known.types);
    let mut sets: BTreeSet<Vec<(usize, bool)>> = of_classes
        .iter()
        .map(|class| {
            let found = methods.iter().enumerate().filter_map(|(at, method)| Some((at, is_asked(class, method)?)));
            found.collect::<Vec<_>>()
        })
        .filter(|set| !set.is_empty())
        .collect();
    let own = abstract_methods(of, root, known, Inherited::ImplementedElsewhere);
    let is_lambda = matches!(own.as_deref(), Some([one]) if !one.generic
        && sets.iter().flatten().all(|(at, _)| methods[*at].name == one.name));
    // What is only passed on is called by other code, which a small implementation may answer.
    let is_small = own.is_some_and(|own| own.len() <= METHODS);
    if is_lambda || sets.is_empty() && is_small {
        return Vec::new();
    }
    if sets.is_empty() {
        sets.insert(Vec::new());
    }
    // One that answers whoever asks, as objects are handed on; where that is too much, one for each class that asks.
    let mut all: BTreeMap<usize, bool> = BTreeMap::new();
    for (at, is_discarded) in sets.iter().flatten() {
        *all.entry(*at).or_insert(true) &= is_discarded;
    }
    let returns = |at: &&usize| methods[**at].descriptor.returns.is_some() && methods[**at].answer == Answer::Default;
    if all.keys().filter(returns).count() <= ANSWERED {
        sets = BTreeSet::from([all.into_iter().collect()]);
    }
    let maker = Maker { of, root, constructor: None, types: known.types, mock: true };
    let mut operations: Vec<Operation> = Vec::new();
    for set in sets.into_iter().take(MOCKS) {
        for operation in maker.mocks_for(&methods, &set) {
            if !operations.contains(&operation) {
                operations.push(operation);
            }
        }
    }
    operations
}

impl Maker<'_> {
    /// A mock that answers the methods at the indices, and the same with a list of what is told.
    /// With each index, whether the code under test has no use for what is returned.
    fn mocks_for(&self, methods: &[Implemented], set: &[(usize, bool)]) -> Vec<Operation> {
        let mut plain = methods.to_vec();
        for (at, method) in plain.iter_mut().enumerate() {
            if !set.iter().any(|(asked, _)| *asked == at) {
                method.answer = Answer::Default;
            }
        }
        let passes_on = |at: usize| matches!(plain[at].answer, Answer::Parameter(_));
        let returning = set.iter().filter(|(at, _)| plain[*at].descriptor.returns.is_some() && !passes_on(*at));
        let returning = returning.filter(|(_, is_discarded)| !is_discarded).take(ANSWERED).enumerate();
        let answers: Vec<(usize, Answer)> =
            returning.map(|(input, (at, _))| (*at, Answer::Input(input as u32))).collect();
        let Some(answering) = self.operation(&plain, &answers) else { return Vec::new() };
        // What returns nothing that is used is called for what it does.
        let tells = |(at, is_discarded): &&(usize, bool)| {
            *is_discarded || plain[*at].descriptor.returns.is_none() || passes_on(*at)
        };
        let told: Vec<usize> = set.iter().filter(tells).map(|(at, _)| *at).collect();
        let mut operations = vec![answering.clone()];
        if !told.is_empty() {
            let mut recording = answering;
            let list = recording.inputs.len() as u32;
            for at in told {
                recording.implemented[at].recording = Some(Recording { list, of: Recorded::Call });
            }
            recording.inputs.push(list_of(Type::string()));
            recording.parameter_names = vec![Arc::from(""); list as usize];
            recording.parameter_names.push(Arc::from("calls"));
            operations.push(recording);
        }
        operations
    }
}

/// Whether objects have the method, and none of its bodies is the interface's own affair.
pub(super) fn is_abstract_or_default(method: &Method) -> bool {
    method.access & (access::STATIC | access::PRIVATE | access::SYNTHETIC) == 0 && !method.name.starts_with('<')
}

/// The answer of a method that is declared to return what it is given, such as `save`.
pub(super) fn passed_on(method: &Method) -> Option<Answer> {
    let returns = method.descriptor.returns.as_ref()?;
    let generic = method.signature.as_deref().and_then(GenericMethod::parse);
    let at = match generic.filter(|generic| generic.inputs.len() == method.descriptor.parameters.len()) {
        Some(generic) => {
            let of = generic.output.filter(|of| matches!(of, GenericType::Variable(_)))?;
            generic.inputs.iter().position(|input| *input == of)?
        }
        None => {
            let is_plain = returns.class_name().is_none_or(|class| class.internal().starts_with("java/"));
            let at = method.descriptor.parameters.iter().position(|of| of == returns);
            at.filter(|_| !is_plain)?
        }
    };
    Some(Answer::Parameter(at as u32))
}
