//! Collections written down as a whole: `List.of("a")` in place of `new ArrayList<>()` and calls of `add`.

use super::{At, Best, Knowledge, StatementChange};
use model::execution::Value;
use model::jvm::Type;
use model::sequence::{Operation, OperationId, OperationKind, Sequence};

/// Methods that put elements into a collection or a map, one after the other.
const FILLERS: [&str; 2] = ["add", "put"];
/// Factories of `Collections`, and the interface that has one that does the same. For `emptySet` the vocabulary has none.
const SIBLINGS: [(&str, &str); 5] = [
    ("emptyList", "java/util/List"),
    ("emptyMap", "java/util/Map"),
    ("singletonList", "java/util/List"),
    ("singleton", "java/util/Set"),
    ("singletonMap", "java/util/Map"),
];

/// A factory with its elements in place of a constructor and the calls that fill what it made, all among the first `end`
/// statements, before others take it.
pub(super) fn gather_elements(best: &Best, end: usize, knowledge: &Knowledge) -> Vec<At> {
    (0..end).rev().filter_map(|made| gathered(best, made, end, knowledge)).collect()
}

fn gathered(best: &Best, made: usize, end: usize, knowledge: &Knowledge) -> Option<At> {
    let sequence = &best.sequence;
    let operation_at = |at: usize| knowledge.called(sequence, at);
    let is_of_platform = |operation: &&Operation| operation.owner.internal().starts_with("java/util/");
    operation_at(made)
        .filter(is_of_platform)
        .filter(|it| it.kind == OperationKind::Constructor && it.inputs.is_empty())?;
    let users: Vec<usize> =
        (made + 1..sequence.len()).filter(|&at| sequence.inputs_of(at).any(|it| it == made)).collect();
    let is_used = |at: usize| (at + 1..sequence.len()).any(|user| sequence.inputs_of(user).any(|it| it == at));
    let fills = |at: &&usize| {
        let operation = operation_at(**at).filter(is_of_platform);
        operation.is_some_and(|it| it.has_receiver() && FILLERS.contains(&&*it.name))
            && sequence.inputs_of(**at).next() == Some(made)
            && sequence.inputs_of(**at).skip(1).all(|input| input != made)
            && !is_used(**at)
    };
    let fillers: Vec<usize> = users.iter().take_while(fills).copied().collect();
    let takers = &users[fillers.len()..];
    let is_receiver = |&at: &usize| {
        operation_at(at).is_some_and(Operation::has_receiver) && sequence.inputs_of(at).next() == Some(made)
    };
    let last = fillers.last().copied().unwrap_or(made);
    if takers.is_empty() || takers.iter().any(is_receiver) || last >= end {
        return None;
    }
    let elements: Vec<usize> = fillers.iter().flat_map(|&at| sequence.inputs_of(at).skip(1)).collect();
    let is_null = |&at: &usize| matches!(best.execution.values.get(at), None | Some(Value::Null));
    if elements.iter().any(is_null) {
        return None;
    }
    let kind = Type::Class(operation_at(made)?.owner.clone());
    let maker = maker(sequence, &elements, (&kind, &knowledge.needs_of_after(sequence, made, last)), knowledge)?;
    Some((last, StatementChange::Gather { made, fillers, maker, elements }))
}

/// The factory of `List`, `Set` or `Map`, whichever the collection is, that takes just these elements and makes what is needed.
fn maker(
    sequence: &Sequence,
    elements: &[usize],
    (kind, needs): (&Type, &[&Type]),
    knowledge: &Knowledge,
) -> Option<OperationId> {
    let outputs: Option<Vec<Type>> = elements.iter().map(|&at| sequence.output_of(at, knowledge.operations)).collect();
    let outputs = outputs?;
    let is_of = |factory: &str| knowledge.fits_all(kind, &[&Type::class(factory)]);
    // What takes any collection takes a list in place of a queue.
    let is_queue = is_of("java/util/Queue") && !is_of("java/util/List");
    let makes = |operation: &Operation| {
        factory_of(operation).is_some_and(|of| if is_queue { of == "java/util/List" } else { is_of(of) })
            && operation.inputs.len() == outputs.len()
            && outputs.iter().zip(&operation.inputs).all(|(output, input)| knowledge.fits_all(output, &[input]))
            && operation.output.as_ref().is_some_and(|output| knowledge.fits_all(output, needs))
    };
    knowledge.operations.iter().position(makes).map(|id| OperationId(id as u32))
}

/// What the operation is a factory of: `List.of` and `Collections.singletonList` of lists.
fn factory_of(operation: &Operation) -> Option<&str> {
    if is_factory(operation) { Some(operation.owner.internal()) } else { made_by_sibling(operation) }
}

/// The interface that has a factory which does the same as this one of `Collections`.
fn made_by_sibling(operation: &Operation) -> Option<&'static str> {
    let of_collections = Some(operation).filter(|it| it.owner.internal() == "java/util/Collections")?;
    SIBLINGS.iter().find(|(name, _)| *name == &*of_collections.name).map(|(_, of)| *of)
}

/// Whether the operation is `List.of`, `Set.of` or `Map.of`, of single elements.
fn is_factory(operation: &Operation) -> bool {
    matches!(operation.owner.internal(), "java/util/List" | "java/util/Set" | "java/util/Map")
        && operation.kind == OperationKind::StaticMethod
        && &*operation.name == "of"
        && !operation.descriptor.parameters.iter().any(|of| matches!(of, Type::Array(_)))
}

/// `List.of("a")` in place of `Collections.singletonList("a")`, and so on, among the first `end` statements.
pub(super) fn usual_factories(best: &Best, end: usize, knowledge: &Knowledge) -> Vec<At> {
    let usual = |at: usize| {
        let operation = knowledge.called(&best.sequence, at)?;
        let of = made_by_sibling(operation)?;
        let is_usual = |it: &Operation| {
            is_factory(it)
                && it.owner.internal() == of
                && (&it.inputs, &it.output) == (&operation.inputs, &operation.output)
        };
        let usual = knowledge.operations.iter().position(is_usual)?;
        Some((at, StatementChange::Recall { operation: OperationId(usual as u32), omitted: Vec::new() }))
    };
    (0..end).filter_map(usual).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::minimizer::apply;
    use bytecode::analysis::purity::Effects;
    use model::execution::{Execution, Outcome};
    use model::jvm::types::{ClassFacts, TypeTable, access};
    use model::jvm::{ClassName, Literal, MethodDescriptor};

    /// `new ArrayList()`, `add`, `List.of(Object)`, `take(ArrayList)`, `Collections.singletonList`, `new HashSet()` and `new ArrayDeque()`.
    fn operations() -> Vec<Operation> {
        let list = Type::class("java/util/ArrayList");
        let of = |kind, owner: &str, name: &str, parameters: Vec<Type>, returns: Option<Type>| {
            Operation::new(kind, ClassName::new(owner), name, MethodDescriptor { parameters, returns })
        };
        let (string, made) = (Type::string(), Some(list.clone()));
        vec![
            of(OperationKind::Constructor, "java/util/ArrayList", "<init>", Vec::new(), None),
            of(OperationKind::InstanceMethod, "java/util/ArrayList", "add", vec![string.clone()], Some(Type::BOOLEAN)),
            of(OperationKind::StaticMethod, "java/util/List", "of", vec![string.clone()], made.clone()),
            of(OperationKind::StaticMethod, "p/A", "take", vec![list], None),
            of(OperationKind::StaticMethod, "java/util/Collections", "singletonList", vec![string], made),
            of(OperationKind::Constructor, "java/util/HashSet", "<init>", Vec::new(), None),
            of(OperationKind::Constructor, "java/util/ArrayDeque", "<init>", Vec::new(), None),
        ]
    }

    fn check(pass: fn(&Best, usize, &Knowledge) -> Vec<At>, calls: &[(u32, &[usize])], expected: Option<&[u32]>) {
        let operations = operations();
        let mut types = TypeTable::default();
        for (name, interfaces) in [
            ("java/util/List", &[][..]),
            ("java/util/Queue", &[]),
            ("java/util/ArrayList", &["java/util/List"]),
            ("java/util/ArrayDeque", &["java/util/Queue"]),
        ] {
            types.insert(ClassFacts {
                name: ClassName::new(name),
                access: access::PUBLIC,
                super_class: None,
                interfaces: interfaces.iter().copied().map(ClassName::new).collect(),
                outer: None,
                source_simple_name: None,
                signature: None,
                methods: Vec::new(),
                constants: Vec::new(),
            });
        }
        let effects = vec![Effects::ALL; operations.len()];
        let knowledge = Knowledge::new(&operations, &effects, &types);
        let mut sequence = Sequence::new();
        sequence.push_literal(Literal::String("a".into()));
        for (call, inputs) in calls {
            sequence.push_call(OperationId(*call), inputs);
        }
        let values = vec![Value::Void; sequence.len()];
        let best = Best { sequence, execution: Execution { values, ..Execution::ended(Outcome::Completed) } };
        let changes = pass(&best, best.sequence.len() - 1, &knowledge);
        let changed = (!changes.is_empty()).then(|| apply(&best.sequence, &changes).unwrap());
        let calls = changed.map(|it| it.calls().map(|call| call.0).collect::<Vec<u32>>());
        assert_eq!(calls.as_deref(), expected);
    }

    #[test]
    fn list_that_is_filled_and_passed_on_is_written_down() {
        check(gather_elements, &[(0, &[]), (1, &[1, 0]), (3, &[1])], Some(&[2, 3]));
        // There is no factory of two elements, and what is filled again later has to be a list of its own.
        check(gather_elements, &[(0, &[]), (1, &[1, 0]), (1, &[1, 0]), (3, &[1])], None);
        check(gather_elements, &[(0, &[]), (1, &[1, 0]), (3, &[1]), (1, &[1, 0]), (3, &[1])], None);
        check(gather_elements, &[(6, &[]), (1, &[1, 0]), (3, &[1])], Some(&[2, 3]));
        // A set is no list, whatever takes it.
        check(gather_elements, &[(5, &[]), (1, &[1, 0]), (3, &[1])], None);
    }

    #[test]
    fn factory_of_the_interface_is_the_usual_one() {
        check(usual_factories, &[(4, &[0]), (3, &[1])], Some(&[2, 3]));
        check(usual_factories, &[(2, &[0]), (3, &[1])], None);
    }
}
