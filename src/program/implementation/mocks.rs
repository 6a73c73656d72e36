//! Operations that make mocks: they answer what the code under test asks of its collaborators, and nothing else.

mod collaborator;

use super::{ANSWERED, Inherited, Known, METHODS, Maker, abstract_methods, is_open, list_of};
use crate::asked::{Asked, CalledMethod};
use crate::reading::names_are_java;
use bytecode::classfile::{ClassFile, Method};
pub(crate) use collaborator::is_collaborator;
use model::jvm::generics::{GenericMethod, GenericType};
use model::jvm::types::access;
use model::jvm::{ClassName, Type};
use model::sequence::{Answer, Implemented, Operation, Recorded, Recording};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Mocks of one interface that answer what different classes ask.
const MOCKS: usize = 8;
/// Mocks of one interface with a method that throws.
const FAILING: usize = 12;

/// The operations that make mocks of the interface or collaborator, which answer what code under test asks, and the same that note
/// what they are told, and those that throw what code under test catches; of what a lambda does better only these, and none where
/// the platform does, or of a class that nobody asks.
pub(crate) fn mocks<'a>(of: &'a ClassFile, root: &Type, asked: &Asked, known: &Known<'a>) -> Vec<Operation> {
    let is_interface = of.access & access::INTERFACE != 0;
    let is_platform = of.name.internal().starts_with("java/");
    let is_mocked = if is_interface { !is_platform && is_open(of, known) } else { is_collaborator(of, asked, known) };
    if !is_mocked || root.class_name() != Some(&of.name) {
        return Vec::new();
    }
    let Some(mut methods) = abstract_methods(of, root, known, Inherited::Mocked) else { return Vec::new() };
    for method in &mut methods {
        narrow(method, &of.name, asked, known);
    }
    let is_asked = |class: &BTreeMap<CalledMethod, bool>, method: &Implemented| {
        let called = method.linked.iter().map(|linked| class.get(&(method.name.clone(), linked.clone())));
        called.flatten().copied().reduce(|one, other| one || other)
    };
    let of_classes = match is_interface {
        true => asked.of(&of.name, known.types),
        false => asked.by_others(&of.name, known.types),
    };
    let mut sets: BTreeSet<Vec<(usize, bool)>> = of_classes
        .iter()
        .map(|class| {
            let found = methods.iter().enumerate().filter_map(|(at, method)| Some((at, is_asked(class, method)?)));
            found.collect::<Vec<_>>()
        })
        .filter(|set| !set.is_empty())
        .collect();
    let own = abstract_methods(of, root, known, Inherited::ImplementedElsewhere);
    // A lambda answers as well as a mock; what it is told only the mock verifies.
    let is_lambda = is_interface
        && matches!(own.as_deref(), Some([one]) if !one.generic && one.descriptor.returns.is_some()
            && sets.iter().flatten().all(|(at, _)| methods[*at].name == one.name));
    // What is only passed on is called by other code, which a small implementation may answer.
    let is_small = own.is_some_and(|own| own.len() <= METHODS);
    let maker = Maker { of, root, constructor: None, types: known.types, mock: true };
    if is_lambda {
        return maker.failing_for(&methods, &sets, asked);
    }
    if sets.is_empty() && (is_small || !is_interface) {
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
    let failing = maker.failing_for(&methods, &sets, asked);
    let mut operations: Vec<Operation> = Vec::new();
    for set in sets.into_iter().take(MOCKS) {
        for operation in maker.mocks_for(&methods, &set) {
            if !operations.contains(&operation) {
                operations.push(operation);
            }
        }
    }
    operations.extend(failing);
    operations
}

/// Lets a method that returns an object of any type, as `<T> T find(Class<T>, Object)` does, return what all callers cast its
/// results to.
fn narrow(method: &mut Implemented, of: &ClassName, asked: &Asked, known: &Known) {
    let Some(returns) = &method.descriptor.returns else { return };
    if !(method.generic || *returns == Type::object()) {
        return;
    }
    let linked = method.linked.iter().map(|linked| (method.name.clone(), linked.clone()));
    let cast: BTreeSet<Type> = linked.flat_map(|called| asked.cast(of, &called, known.types)).collect();
    let is_narrower = |to: &&Type| known.types.is_assignable(to, returns);
    if let Some(to) = cast.first().filter(|_| cast.len() == 1).filter(is_narrower) {
        method.descriptor.returns = Some(to.clone());
    }
}

impl Maker<'_> {
    /// A mock that answers the methods at the indices, and the same with a list of what is told.
    /// With each index, whether the code under test has no use for what is returned.
    fn mocks_for(&self, methods: &[Implemented], set: &[(usize, bool)]) -> Vec<Operation> {
        let plain = asked_alone(methods, set);
        let passes_on = |at: usize| matches!(plain[at].answer, Answer::Parameter(_));
        let answers = answers(&plain, set, None);
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

    /// Mocks that fail, for what different classes ask.
    fn failing_for(
        &self,
        methods: &[Implemented],
        sets: &BTreeSet<Vec<(usize, bool)>>,
        asked: &Asked,
    ) -> Vec<Operation> {
        let mut operations: Vec<Operation> = Vec::new();
        for operation in sets.iter().take(MOCKS).flat_map(|set| self.failing(methods, set, asked)) {
            if operations.len() < FAILING && !operations.contains(&operation) {
                operations.push(operation);
            }
        }
        operations
    }

    /// Mocks of which one method throws what code under test catches around its call.
    fn failing(&self, methods: &[Implemented], set: &[(usize, bool)], asked: &Asked) -> Vec<Operation> {
        let plain = asked_alone(methods, set);
        let mut operations = Vec::new();
        for (at, _) in set {
            let linked = plain[*at].linked.iter().map(|linked| (plain[*at].name.clone(), linked.clone()));
            let caught: BTreeSet<ClassName> =
                linked.flat_map(|called| asked.caught(&self.of.name, &called, self.types)).collect();
            let thrown: BTreeSet<ClassName> =
                caught.iter().flat_map(|caught| self.thrown_by(&plain[*at], caught)).collect();
            for exception in thrown {
                let mut answers = answers(&plain, set, Some(*at));
                answers.push((*at, Answer::Thrown(answers.len() as u32)));
                if let Some(mut operation) = self.operation(&plain, &answers) {
                    operation.public &= self.types.is_public(&exception);
                    operation.inputs.push(Type::Class(exception));
                    operations.push(operation);
                }
            }
        }
        operations
    }

    /// Exceptions that the method may throw and that who catches `caught` catches; of all unchecked ones that of a collaborator in
    /// a bad state, as others look like faults of the code under test.
    fn thrown_by(&self, method: &Implemented, caught: &ClassName) -> Vec<ClassName> {
        let types = self.types;
        let is_a = |of: &ClassName, other: &ClassName| {
            types.is_assignable(&Type::Class(of.clone()), &Type::Class(other.clone()))
        };
        let [unchecked, null_pointer, state] = ["RuntimeException", "NullPointerException", "IllegalStateException"]
            .map(|name| ClassName::new(&format!("java/lang/{name}")));
        let is_broad = |of: &ClassName| is_a(&unchecked, of);
        let overloads = types.overloads(&self.of.name, &method.name, method.descriptor.parameters.len());
        let declared: Vec<&ClassName> = overloads
            .iter()
            .filter(|overload| method.linked.contains(&overload.descriptor))
            .flat_map(|overload| &overload.exceptions)
            .collect();
        let may_be_thrown = is_a(caught, &unchecked) || declared.iter().any(|declared| is_a(caught, declared));
        let thrown: Vec<&ClassName> = match may_be_thrown && !is_broad(caught) {
            true => vec![caught],
            false => declared.into_iter().chain([&state]).filter(|thrown| is_a(thrown, caught)).collect(),
        };
        let package = self.of.name.package();
        let is_writable = |of: &&ClassName| {
            names_are_java(types, of) && types.is_type_accessible(&Type::Class((*of).clone()), &package)
        };
        let is_meant = |of: &&ClassName| !is_broad(of) && !is_a(of, &null_pointer);
        thrown.into_iter().filter(is_writable).filter(is_meant).cloned().collect()
    }
}

/// The methods, of which those that nobody asks answer nothing.
fn asked_alone(methods: &[Implemented], set: &[(usize, bool)]) -> Vec<Implemented> {
    let mut plain = methods.to_vec();
    for (at, method) in plain.iter_mut().enumerate() {
        if !set.iter().any(|(asked, _)| *asked == at) {
            method.answer = Answer::Default;
        }
    }
    plain
}

/// What methods answer with inputs, but for the one at the index `without`.
fn answers(plain: &[Implemented], set: &[(usize, bool)], without: Option<usize>) -> Vec<(usize, Answer)> {
    let returns = |at: usize| {
        plain[at].descriptor.returns.is_some()
            && !matches!(plain[at].answer, Answer::Parameter(_))
            && Some(at) != without
    };
    let returning = set.iter().filter(|(at, is_discarded)| returns(*at) && !is_discarded).take(ANSWERED).enumerate();
    returning.map(|(input, (at, _))| (*at, Answer::Input(input as u32))).collect()
}

/// Whether objects have the method, and none of its bodies is the interface's own affair.
pub(super) fn is_abstract_or_default(method: &Method) -> bool {
    method.access & (access::STATIC | access::PRIVATE | access::SYNTHETIC) == 0 && !method.name.starts_with('<')
}

/// Whether a mock of the class `of` answers in place of the method of a class that it is or extends.
pub(super) fn is_overridable(method: &Method, declaring: &ClassFile, of: &ClassFile) -> bool {
    let is_open = method.access & (access::PUBLIC | access::PROTECTED) != 0;
    // Mockito leaves the first two alone, and says of the third what it likes.
    let is_of_objects = matches!(&*method.name, "equals" | "hashCode" | "toString" | "finalize" | "clone");
    of.access & access::INTERFACE == 0
        && method.access & access::FINAL == 0
        && (is_open || declaring.name.package() == of.name.package())
        && !is_of_objects
        && declaring.name.internal() != "java/lang/Object"
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
