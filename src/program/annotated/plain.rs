//! Objects without annotations, for code that asks the classes of its callers' objects which members they have: mappers,
//! serializers and what compares or describes objects field by field.

use super::field_types::{FIELD_TYPES, FieldType, field};
use super::{Family, operation};
use bytecode::classfile::{ClassFile, bodies};
use model::jvm::{ClassName, Type};
use model::sequence::{Accessor, Declared, DeclaredField};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What asks a class for all of its members of a kind.
const QUERIES: [(&str, &str); 6] = [
    ("java/lang/Class", "getFields"),
    ("java/lang/Class", "getDeclaredFields"),
    ("java/lang/Class", "getMethods"),
    ("java/lang/Class", "getDeclaredMethods"),
    ("java/lang/Class", "getRecordComponents"),
    ("java/beans/Introspector", "getBeanInfo"),
];

/// The objects, by their kinds of field: each alone, then a few together.
const TOGETHER: [&[usize]; 4] = [&[0, 1], &[0, 2, 3], &[1, 4, 5], &[0, 1, 6, 7]];

/// The classes that ask others for their members.
pub(crate) fn asking(targets: &BTreeMap<ClassName, ClassFile>) -> BTreeSet<&ClassName> {
    let asks = |file: &ClassFile| {
        let invoked = bodies(file);
        let mut invoked = invoked.iter().flat_map(|body| &body.steps).filter_map(|step| step.instruction.invoked());
        invoked.any(|method| QUERIES.contains(&(method.owner.internal(), &*method.name)))
    };
    let may_ask = |file: &ClassFile| {
        let mentioned = file.mentioned_classes();
        mentioned.iter().any(|class| matches!(class.internal(), "java/lang/Class" | "java/beans/Introspector"))
    };
    targets.iter().filter(|(_, file)| may_ask(file) && asks(file)).map(|(name, _)| name).collect()
}

/// Objects for the packages of these classes, one family for each; their fields are public, and some have getters or setters.
pub(super) fn families(asking: BTreeSet<&ClassName>) -> Vec<Family> {
    let mut of_package: BTreeMap<String, &ClassName> = BTreeMap::new();
    for name in asking {
        of_package.entry(name.package()).or_insert(name);
    }
    let kinds = kinds();
    let alone: Vec<Vec<usize>> = (0..kinds.len()).map(|kind| vec![kind]).collect();
    let chosen: Vec<Vec<usize>> = alone.into_iter().chain(TOGETHER.map(<[usize]>::to_vec)).collect();
    let accessors = [None, Some(Accessor::Getter), Some(Accessor::Setter)];
    let family = |(package, beside): (String, &ClassName)| {
        let operations = chosen.iter().enumerate().map(|(number, chosen)| {
            let fields = chosen.iter().enumerate().map(|(at, &kind)| {
                let FieldType { of, arguments, name, .. } = kinds[kind].clone();
                DeclaredField {
                    annotations: Vec::new(),
                    accessor: accessors[(number + at) % accessors.len()],
                    of,
                    arguments,
                    name: Arc::from(name),
                    input: Some(at as u32),
                }
            });
            operation(Declared { fields: fields.collect(), beside: Some(beside.clone()), ..Declared::default() })
        });
        Family { operations: operations.collect(), readers: BTreeSet::from([package]) }
    };
    of_package.into_iter().map(family).collect()
}

/// The kinds of field: texts, numbers, containers, an enum, and other objects.
fn kinds() -> Vec<FieldType> {
    let [list, map, rounding] = FIELD_TYPES.map(Type::class);
    vec![
        field(Type::string(), 0, "name", true),
        field(Type::INT, 0, "count", true),
        field(list, 1, "items", true),
        field(Type::object(), 0, "part", true),
        field(map, 2, "map", true),
        field(Type::BOOLEAN, 0, "flag", true),
        field(rounding, 0, "choice", true),
        field(Type::array(Type::string()), 0, "array", true),
    ]
}
