//! Operations that make an array or a container of just their inputs, by how many these are.

use model::jvm::{ClassName, Type};
use model::sequence::{Operation, OperationId, OperationKind};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Most elements of an array that is changed element by element.
const MOST_ELEMENTS: usize = 8;

/// Methods of the platform such as `List.of`, overloaded by the number of elements.
#[derive(Debug, Default)]
pub struct ElementMakers {
    arrays: Vec<OperationId>,
    /// By method and type of the container: for each number of elements the operation, if there is one.
    families: Vec<Vec<Option<OperationId>>>,
    /// Of the operations with an overload for one element and for another number.
    family_of: FxHashMap<OperationId, usize>,
}

impl ElementMakers {
    pub fn new(operations: &[Operation]) -> ElementMakers {
        let mut makers = ElementMakers::default();
        let mut known: FxHashMap<(&ClassName, &Arc<str>, &Type), usize> = FxHashMap::default();
        for (number, operation) in operations.iter().enumerate() {
            let id = OperationId(number as u32);
            if operation.kind == OperationKind::Array {
                makers.arrays.push(id);
            }
            let Some(output) = operation.output.as_ref().filter(|_| is_of_elements(operation)) else { continue };
            let family = *known.entry((&operation.owner, &operation.name, output)).or_insert_with(|| {
                makers.families.push(Vec::new());
                makers.families.len() - 1
            });
            let (by_count, count) = (&mut makers.families[family], operation.inputs.len());
            by_count.resize(by_count.len().max(count + 1), None);
            by_count[count] = Some(id);
            makers.family_of.insert(id, family);
        }
        // `Optional.of` takes one element, and nothing takes another number of them.
        let ElementMakers { families, family_of, .. } = &mut makers;
        let counts_of = |family: usize| families[family].iter().flatten().count();
        family_of.retain(|_, family| matches!(families[*family].get(1), Some(Some(_))) && counts_of(*family) > 1);
        makers
    }

    /// The operation that makes the same kind of container of so many elements.
    pub fn with_count(&self, of: OperationId, count: usize) -> Option<OperationId> {
        if self.is_array(of) {
            return (count <= MOST_ELEMENTS).then_some(of);
        }
        *self.families[*self.family_of.get(&of)?].get(count)?
    }

    /// Whether the operation makes an array or a container of just its inputs, and something makes one of more or fewer.
    pub fn has(&self, operation: OperationId) -> bool {
        self.is_array(operation) || self.family_of.contains_key(&operation)
    }

    fn is_array(&self, operation: OperationId) -> bool {
        self.arrays.binary_search(&operation).is_ok()
    }
}

fn is_of_elements(operation: &Operation) -> bool {
    operation.kind == OperationKind::StaticMethod
        && &*operation.name == "of"
        && operation.owner.internal().starts_with("java/util/")
        && operation.inputs.windows(2).all(|pair| pair[0] == pair[1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::jvm::MethodDescriptor;

    fn operation(kind: OperationKind, owner: &str, name: &str, descriptor: &str) -> Operation {
        Operation::new(kind, ClassName::new(owner), name, MethodDescriptor::parse(descriptor).unwrap())
    }

    #[test]
    fn container_of_more_elements_is_made_by_its_overload_and_an_array_by_itself() {
        let (list, element) = ("java/util/List", "Ljava/lang/Object;");
        let operations = [
            operation(OperationKind::StaticMethod, list, "of", "()Ljava/util/List;"),
            operation(OperationKind::StaticMethod, list, "of", &format!("({element})Ljava/util/List;")),
            operation(OperationKind::StaticMethod, "p/A", "of", &format!("({element})Lp/A;")),
            operation(OperationKind::Array, "p/A", "", &format!("({element})[{element}")),
            operation(OperationKind::StaticMethod, list, "of", &format!("({element}{element})Ljava/util/List;")),
            operation(
                OperationKind::StaticMethod,
                "java/util/Optional",
                "of",
                &format!("({element})Ljava/util/Optional;"),
            ),
        ];
        let makers = ElementMakers::new(&operations);
        let with_count = |of, count| makers.with_count(OperationId(of), count).map(|id| id.0);
        assert_eq!([0, 1, 2, 3].map(|count| with_count(1, count)), [Some(0), Some(1), Some(4), None]);
        assert_eq!([with_count(3, MOST_ELEMENTS), with_count(3, MOST_ELEMENTS + 1)], [Some(3), None]);
        let is_maker = [0, 1, 2, 3, 4, 5].map(|of| makers.has(OperationId(of)));
        assert_eq!(is_maker, [true, true, false, true, true, false]);
    }
}
