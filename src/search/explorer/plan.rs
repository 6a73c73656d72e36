//! What is explored of a class: the operations that make an object, those that are called on it, and their arguments.

use super::PlannedCall;
use super::given::{ArgumentLists, MethodPattern};
use super::values::Values;
use model::jvm::{ClassName, Type};
use model::sequence::{Operation, OperationId, OperationKind, Sequence};
use program::Program;
use std::collections::BTreeMap;

/// Argument lists of an operation for which the user gives none.
const MOST_LISTS: usize = 32;
/// Argument lists that the user may give for one.
const MOST_GIVEN_LISTS: usize = 10_000;

/// What the user asks for.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExplorationRequest<'a> {
    /// Names, or names with types, such as `remove(int)`; all methods if there are none.
    pub methods: &'a [String],
    /// Such as `put=1..4,null`, for methods or types.
    pub arguments: &'a [String],
}

/// The calls of an exploration.
#[derive(Clone, Debug, Default)]
pub struct ExplorationPlan {
    /// Calls that make the object.
    pub starts: Vec<PlannedCall>,
    /// Calls that are made on it.
    pub calls: Vec<PlannedCall>,
    /// The operations of the calls, each once.
    pub methods: Vec<OperationId>,
    /// Operations that are called with a part of the argument lists that their types' values give.
    pub shortened: Vec<OperationId>,
}

/// Why there is nothing to explore as it was asked for.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// A method that the user chose does not exist, or no test may call it.
    #[error("{class} has no method {wanted} that a test can call; it has {}", known.join(", "))]
    UnknownMethod {
        /// The explored class.
        class: ClassName,
        /// As the user wrote it.
        wanted: String,
        /// Methods that can be chosen.
        known: Vec<String>,
    },
    /// All of its methods are static, private, or of the platform.
    #[error("{class} has no method that a test can call on an object of it")]
    NoMethod {
        /// The explored class.
        class: ClassName,
    },
    /// Exploration starts with an object of the class.
    #[error(
        "no object of {class} can be made: a test can call no constructor of it, and no static method that returns one"
    )]
    NoObject {
        /// The explored class.
        class: ClassName,
    },
    /// The text as the user wrote it.
    #[error("the arguments '{0}' are not of the form METHOD=VALUES, such as 'push=1;2;3'")]
    NotArguments(String),
    /// A list of values is for an operation that the plan does not have.
    #[error("the arguments '{text}' are for nothing that is called; there is {}", known.join(", "))]
    UnknownKey {
        /// As the user wrote it.
        text: String,
        /// Operations and types that take values.
        known: Vec<String>,
    },
    /// A list of values does not fit the parameters.
    #[error("'{list}' has {found} of the {expected} arguments that {operation} takes")]
    WrongCount {
        /// As the user wrote it.
        list: String,
        /// What takes the values.
        operation: String,
        /// Number of its parameters.
        expected: usize,
        /// Number of values in the list.
        found: usize,
    },
    /// A value is no literal of the type.
    #[error("'{text}' is no {of} to give to {operation}")]
    WrongValue {
        /// As the user wrote it.
        text: String,
        /// The type of the parameter.
        of: String,
        /// What takes the value.
        operation: String,
    },
    /// More combinations than an exploration tries.
    #[error("{operation} is given more than {MOST_GIVEN_LISTS} lists of arguments")]
    TooManyLists {
        /// What takes the values.
        operation: String,
    },
}

/// Chooses the calls for a class under test.
pub fn plan(program: &Program, class: &ClassName, wanted: &ExplorationRequest) -> Result<ExplorationPlan, PlanError> {
    let starts = starts(program, class);
    if starts.is_empty() {
        return Err(PlanError::NoObject { class: class.clone() });
    }
    let methods = chosen(program, class, wanted.methods)?;
    let of = |id: &OperationId| &program.operations[id.0 as usize];
    let all: Vec<OperationId> = starts.iter().chain(&methods).copied().collect();

    let mut values = Values::new(program, class);
    let mut lists: BTreeMap<OperationId, Vec<Vec<Sequence>>> = BTreeMap::new();
    for text in wanted.arguments {
        let given = ArgumentLists::read(text).ok_or_else(|| PlanError::NotArguments(text.clone()))?;
        let called: Vec<OperationId> = all.iter().copied().filter(|id| given.of.matches(of(id))).collect();
        if !called.is_empty() {
            lists.extend(given_lists(&given, &called, program, &values)?);
            continue;
        }
        let taken = || all.iter().flat_map(|id| &of(id).descriptor.parameters);
        let Some(taken) = taken().find(|taken| given.of.is_type(taken)) else {
            let known = all.iter().map(|id| short(of(id))).collect();
            return Err(PlanError::UnknownKey { text: text.clone(), known });
        };
        let of_type =
            given.lists.iter().map(|list| given_values(list, std::slice::from_ref(taken), "an argument", &values));
        let of_type = of_type.collect::<Result<Vec<_>, _>>()?;
        values.give(taken.clone(), of_type.into_iter().flatten().flatten().collect());
    }

    let mut plan = ExplorationPlan { methods, ..ExplorationPlan::default() };
    for (ids, calls) in [(&starts, &mut plan.starts), (&plan.methods, &mut plan.calls)] {
        for &id in ids {
            let lists = lists.remove(&id).unwrap_or_else(|| {
                let operation = of(&id);
                let parameters = &operation.inputs[usize::from(operation.has_receiver())..];
                let mut of_inputs: Vec<_> = parameters.iter().map(|of| values.of(of)).collect();
                if operation.is_equals() && operation.descriptor.parameters == [Type::object()] {
                    // Other objects are of little interest to it.
                    of_inputs[0].truncate(1);
                    of_inputs[0].extend(values.of(&Type::Class(class.clone())));
                }
                let (lists, is_short) = limited(of_inputs);
                plan.shortened.extend(is_short.then_some(id));
                lists
            });
            calls.extend(lists.into_iter().map(|arguments| PlannedCall { operation: id, arguments }));
        }
    }
    Ok(plan)
}

/// The constructors; of a class without any that tests can call, its static methods and fields that give an object of it.
fn starts(program: &Program, class: &ClassName) -> Vec<OperationId> {
    let own = Type::Class(class.clone());
    let of_kind = |kinds: &[OperationKind]| -> Vec<OperationId> {
        let makes = |id: &OperationId| {
            let operation = &program.operations[id.0 as usize];
            let output = operation.output.as_ref();
            kinds.contains(&operation.kind) && output.is_some_and(|output| program.types.is_assignable(output, &own))
        };
        operations_of(program, class).into_iter().filter(makes).collect()
    };
    let constructors = of_kind(&[OperationKind::Constructor]);
    if constructors.is_empty() {
        of_kind(&[OperationKind::StaticMethod, OperationKind::GetStatic])
    } else {
        constructors
    }
}

/// The methods of the names, or all.
fn chosen(program: &Program, class: &ClassName, names: &[String]) -> Result<Vec<OperationId>, PlanError> {
    let all = methods(program, class);
    let of = |id: &OperationId| &program.operations[id.0 as usize];
    if all.is_empty() {
        return Err(PlanError::NoMethod { class: class.clone() });
    }
    let mut patterns = Vec::new();
    for name in names {
        let pattern = MethodPattern::read(name).filter(|pattern| all.iter().any(|id| pattern.matches(of(id))));
        patterns.push(pattern.ok_or_else(|| PlanError::UnknownMethod {
            class: class.clone(),
            wanted: name.clone(),
            known: all.iter().map(|id| short(of(id))).collect(),
        })?);
    }
    let is_chosen = |id: &OperationId| patterns.is_empty() || patterns.iter().any(|pattern| pattern.matches(of(id)));
    Ok(all.into_iter().filter(is_chosen).collect())
}

/// Methods that are called on an object of the class: its own, and those of its ancestors under test that it does not
/// override.
fn methods(program: &Program, class: &ClassName) -> Vec<OperationId> {
    let mut found: Vec<OperationId> = Vec::new();
    let of = |id: &OperationId| &program.operations[id.0 as usize];
    for ancestor in program.types.ancestry(class) {
        for id in operations_of(program, &ancestor.name) {
            let operation = of(&id);
            let overrides = |known: &OperationId| {
                let known = of(known);
                known.name == operation.name && known.descriptor.parameters == operation.descriptor.parameters
            };
            let is_usable = program.package_of(id).is_none_or(|package| package == class.package());
            if operation.kind == OperationKind::InstanceMethod && is_usable && !found.iter().any(overrides) {
                found.push(id);
            }
        }
    }
    found
}

/// Methods that only look at an object, and show what a test can compare: numbers, truth values and texts.
pub fn observers(program: &Program, class: &ClassName) -> Vec<OperationId> {
    let observes = |id: &OperationId| {
        let operation = &program.operations[id.0 as usize];
        let is_comparable = |output: &Type| output.is_primitive() || output.is_string();
        operation.descriptor.parameters.is_empty()
            && operation.output.as_ref().is_some_and(is_comparable)
            && &*operation.name != "hashCode"
            && program.effects(*id).is_pure()
    };
    methods(program, class).into_iter().filter(observes).collect()
}

/// None of a class that is not under test.
fn operations_of(program: &Program, class: &ClassName) -> Vec<OperationId> {
    let at = program.targets.binary_search_by(|target| target.name.cmp(class)).ok();
    at.map_or_else(Vec::new, |at| program::first_choices(&program.operations, &program.targets[at].operations))
}

/// What was given for operations: of several with one name those that it fits.
fn given_lists(
    given: &ArgumentLists,
    called: &[OperationId],
    program: &Program,
    values: &Values,
) -> Result<BTreeMap<OperationId, Vec<Vec<Sequence>>>, PlanError> {
    let mut found = BTreeMap::new();
    let mut first_error = None;
    for &id in called {
        let operation = &program.operations[id.0 as usize];
        let of_list = |list: &Vec<String>| {
            let of_inputs = given_values(list, &operation.descriptor.parameters, &short(operation), values)?;
            combined(of_inputs).ok_or_else(|| PlanError::TooManyLists { operation: short(operation) })
        };
        match given.lists.iter().map(of_list).collect::<Result<Vec<_>, _>>() {
            Ok(lists) => drop(found.insert(id, lists.concat())),
            Err(error) => first_error = first_error.or(Some(error)),
        }
    }
    match first_error {
        Some(error) if found.is_empty() => Err(error),
        _ => Ok(found),
    }
}

/// The values for each input that one list of arguments has.
fn given_values(
    list: &[String],
    inputs: &[Type],
    operation: &str,
    values: &Values,
) -> Result<Vec<Vec<Sequence>>, PlanError> {
    if list.len() != inputs.len() {
        let (expected, found) = (inputs.len(), list.len());
        return Err(PlanError::WrongCount { list: list.join(","), operation: operation.to_string(), expected, found });
    }
    let value = |(text, of): (&String, &Type)| {
        let wrong =
            || PlanError::WrongValue { text: text.clone(), of: short_type(of), operation: operation.to_string() };
        values.read(text, of).ok_or_else(wrong)
    };
    list.iter().zip(inputs).map(value).collect()
}

/// All combinations of the inputs' values, or, if these are many, of a part of them; whether it is a part.
fn limited(mut of_inputs: Vec<Vec<Sequence>>) -> (Vec<Vec<Sequence>>, bool) {
    let mut is_short = false;
    while of_inputs.iter().map(Vec::len).product::<usize>() > MOST_LISTS {
        // Of equally long lists the last: what a method is about tends to come first.
        let longest = of_inputs.iter_mut().max_by_key(|values| values.len()).expect("one has several values");
        longest.pop();
        is_short = true;
    }
    (combined(of_inputs).expect("there are few"), is_short)
}

/// All combinations of the inputs' values; `None` if there are too many.
fn combined(of_inputs: Vec<Vec<Sequence>>) -> Option<Vec<Vec<Sequence>>> {
    let count = of_inputs.iter().try_fold(1usize, |count, values| count.checked_mul(values.len()))?;
    let with = |lists: Vec<Vec<Sequence>>, values: Vec<Sequence>| {
        let longer = |list: &Vec<Sequence>, value: &Sequence| list.iter().chain([value]).cloned().collect();
        lists.iter().flat_map(|list| values.iter().map(|value| longer(list, value))).collect()
    };
    (count <= MOST_GIVEN_LISTS).then(|| of_inputs.into_iter().fold(vec![Vec::new()], with))
}

/// `put(int, Object)`, of a constructor `new(int)`.
pub fn short(operation: &Operation) -> String {
    let types: Vec<String> = operation.descriptor.parameters.iter().map(short_type).collect();
    let name = if operation.kind == OperationKind::Constructor { "new" } else { &operation.name };
    match operation.kind {
        OperationKind::GetStatic => name.to_string(),
        _ => format!("{name}({})", types.join(", ")),
    }
}

/// Without its package and the classes around it.
pub(super) fn short_type(of: &Type) -> String {
    let shown = of.to_string();
    shown.rsplit(['.', '$']).next().unwrap_or_default().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::jvm::Literal;

    fn numbers(count: i32) -> Vec<Sequence> {
        let number = |number| {
            let mut sequence = Sequence::new();
            sequence.push_literal(Literal::Int(number));
            sequence
        };
        (0..count).map(number).collect()
    }

    #[test]
    fn argument_lists_are_all_combinations_in_lexicographic_order() {
        let (lists, is_short) = limited(vec![numbers(2), numbers(3)]);
        assert!(!is_short);
        assert_eq!(lists.len(), 6);
        assert_eq!(lists[1], [numbers(1)[0].clone(), numbers(2)[1].clone()]);
        assert_eq!(limited(Vec::new()), (vec![Vec::new()], false));
    }

    #[test]
    fn too_many_combinations_shrink_the_largest_input_first() {
        let (lists, is_short) = limited(vec![numbers(5), numbers(2), numbers(5)]);
        assert!(is_short);
        assert_eq!(lists.len(), 4 * 2 * 4);
        assert_eq!(combined(vec![numbers(101), numbers(100)]), None);
    }
}
