//! The values that an annotation gives, for an argument itself or for the elements of an array or a collection.

use crate::PlainValue;
use model::jvm::types::{TypeTable, unboxed};
use model::jvm::{JavaString, Literal, Parameterized, Primitive, Type, TypeArgument};
use model::sequence::{Operation, OperationId, OperationKind, Sequence};

/// A value that an annotation gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GivenValue {
    /// A text, or a value of a primitive type.
    Literal(Literal),
    /// A number in its box, a constant of an enum, or what is made of a text.
    Made(PlainValue),
}

/// The values that an argument, or each of its elements, is limited to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    values: Vec<GivenValue>,
    /// How the argument is made, if the values are its elements.
    container: Option<Container>,
}

/// How an array or a container of the platform is made of its elements.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Container {
    /// Operations that make it of elements, which are all their inputs.
    pub makers: Vec<OperationId>,
    /// Operations that add the element which is their last input to the container, their first.
    pub fillers: Vec<OperationId>,
    /// Those that may put something else into it.
    others: Vec<OperationId>,
}

impl Limit {
    /// The limit that the texts mean for an input of the type; `None` if they mean no value of it.
    pub(super) fn new(of: &Type, texts: &[Literal], all: &[Operation], types: &TypeTable) -> Option<Limit> {
        let values_of = |of: &Type| -> Vec<GivenValue> {
            texts.iter().filter_map(|text| given_value(of, text.clone(), all)).collect()
        };
        let values = values_of(of);
        if !values.is_empty() {
            return Some(Limit { values, container: None });
        }
        let element = element_type(of)?;
        let (values, container) = (values_of(element), Container::new(of, element, all, types));
        (!values.is_empty() && !container.makers.is_empty()).then_some(Limit { values, container: Some(container) })
    }

    /// The values, at least one.
    pub fn values(&self) -> &[GivenValue] {
        &self.values
    }

    /// How the argument is made of the values, if it is not one of them.
    pub fn container(&self) -> Option<&Container> {
        self.container.as_ref()
    }

    /// Whether the value of the statement `given` is within the limit when the statement `at` takes it.
    pub(super) fn allows(&self, sequence: &Sequence, given: usize, at: usize) -> bool {
        let is_value = |statement: usize| self.values.iter().any(|value| value.is_at(sequence, statement));
        let Some(container) = &self.container else { return is_value(given) };
        let puts_values_alone = |user: usize| {
            let Some(called) = sequence.call_at(user) else { return true };
            if sequence.inputs_of(user).next() != Some(given) || user == given {
                return true;
            }
            !container.others.contains(&called)
                && (!container.fillers.contains(&called) || sequence.inputs_of(user).skip(1).all(is_value))
        };
        sequence.call_at(given).is_some_and(|maker| container.makers.contains(&maker))
            && sequence.inputs_of(given).all(is_value)
            && (given + 1..at).all(puts_values_alone)
    }
}

impl Container {
    fn new(of: &Type, element: &Type, all: &[Operation], types: &TypeTable) -> Container {
        let mut container = Container::default();
        for (id, operation) in (0..).map(OperationId).zip(all) {
            let is_platform = operation.owner.internal().starts_with("java/util/");
            let makes = |output: &Type| types.is_assignable(output, of);
            let is_maker = match operation.kind {
                OperationKind::Array => operation.output.as_ref() == Some(of),
                OperationKind::Constructor | OperationKind::StaticMethod => {
                    is_platform
                        && operation.output.as_ref().is_some_and(makes)
                        && operation.inputs.iter().all(|input| input == element)
                }
                _ => false,
            };
            if is_maker {
                container.makers.push(id);
            } else if is_platform && operation.has_receiver() && element_type(&operation.inputs[0]) == Some(element) {
                match &operation.inputs[1..] {
                    [added] if added == element => container.fillers.push(id),
                    more if more.iter().any(|input| !input.is_primitive()) => container.others.push(id),
                    _ => {}
                }
            }
        }
        container
    }
}

/// The type of the elements of an array, or of what a container of the platform has one type argument for.
fn element_type(of: &Type) -> Option<&Type> {
    match of {
        Type::Array(element) => Some(element),
        Type::Parameterized(of) => match &**of {
            Parameterized { class, arguments } if class.internal().starts_with("java/") => match &arguments[..] {
                [TypeArgument::Exact(element) | TypeArgument::Extends(element)] => Some(element),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

impl GivenValue {
    /// Whether the statement makes this value.
    fn is_at(&self, sequence: &Sequence, statement: usize) -> bool {
        match self {
            GivenValue::Literal(literal) => sequence.literal_at(statement) == Some(literal),
            GivenValue::Made(PlainValue { operation, arguments }) => {
                sequence.call_at(statement) == Some(*operation)
                    && sequence
                        .inputs_of(statement)
                        .map(|input| sequence.literal_at(input))
                        .eq(arguments.iter().map(Some))
            }
        }
    }
}

/// The value of the type that the text says: the text itself, a number or truth value, a constant of an enum, or what one of the
/// operations makes of the text.
fn given_value(of: &Type, literal: Literal, all: &[Operation]) -> Option<GivenValue> {
    let Literal::String(text) = &literal else { return None };
    if of.is_string()
        || of.is_any_object()
        || of.class_name().is_some_and(|it| it.internal() == "java/lang/CharSequence")
    {
        return Some(GivenValue::Literal(literal));
    }
    if let Type::Primitive(primitive) = of {
        return parsed(text, *primitive).map(GivenValue::Literal);
    }
    let class = of.class_name()?;
    let boxed = unboxed(class).and_then(|primitive| parsed(text, primitive));
    let is_maker = |operation: &&Operation| {
        let takes = |taken: &Type| operation.inputs.len() == 1 && operation.inputs[0] == *taken;
        let is_static = matches!(operation.kind, OperationKind::Constructor | OperationKind::StaticMethod);
        operation.owner == *class
            && operation.output.as_ref().is_some_and(|output| output.erased() == of.erased())
            && match &boxed {
                Some(number) => &*operation.name == "valueOf" && is_static && takes(&number.literal_type()),
                None if operation.is_enum_constant => *operation.name == *text.to_string(),
                None => is_static && takes(&Type::string()),
            }
    };
    let at = all.iter().position(|operation| is_maker(&operation))?;
    let arguments = match boxed {
        Some(number) => vec![number],
        None if all[at].is_enum_constant => Vec::new(),
        None => vec![literal],
    };
    Some(GivenValue::Made(PlainValue { operation: OperationId(at as u32), arguments }))
}

/// The value of the primitive type that the text says, if it fits.
fn parsed(text: &JavaString, of: Primitive) -> Option<Literal> {
    let said = text.to_string();
    match of {
        Primitive::Boolean => said.parse().ok().map(Literal::Boolean),
        Primitive::Char => (text.units().len() == 1).then(|| Literal::Char(text.units()[0])),
        Primitive::Float => said.parse().ok().map(Literal::float),
        Primitive::Double => said.parse().ok().map(Literal::double),
        Primitive::Byte => said.parse().ok().map(Literal::Byte),
        Primitive::Short => said.parse().ok().map(Literal::Short),
        Primitive::Int => said.parse().ok().map(Literal::Int),
        Primitive::Long => said.parse().ok().map(Literal::Long),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::jvm::{ClassName, MethodDescriptor};

    #[test]
    fn elements_of_a_list_have_no_other_values() {
        let class = ClassName::new("java/util/ArrayList");
        let list = Type::Parameterized(
            Parameterized { class: class.clone(), arguments: vec![TypeArgument::Exact(Type::string())] }.into(),
        );
        let operation = |kind, name: &str, inputs: &[Type], output: Option<&Type>| {
            let descriptor = MethodDescriptor { parameters: Vec::new(), returns: None };
            let operation = Operation::new(kind, class.clone(), name, descriptor);
            Operation { inputs: inputs.to_vec(), output: output.cloned(), ..operation }
        };
        let [new, add, add_all, clear] = [0, 1, 2, 3].map(OperationId);
        let all = [
            operation(OperationKind::Constructor, "<init>", &[], Some(&list)),
            operation(OperationKind::InstanceMethod, "add", &[list.clone(), Type::string()], None),
            operation(OperationKind::InstanceMethod, "addAll", &[list.clone(), list.clone()], None),
            operation(OperationKind::InstanceMethod, "clear", std::slice::from_ref(&list), None),
        ];
        let text = |text: &str| Literal::String(text.into());
        let limit = Limit::new(&list, &[text("a")], &all, &TypeTable::default()).expect("a list of texts is limited");
        let allows = |called: OperationId, inputs: &[&str]| {
            let mut sequence = Sequence::new();
            let given = sequence.push_call(new, &[]);
            let literals = inputs.iter().map(|input| text(input));
            let literals: Vec<usize> = literals.map(|literal| sequence.push_literal(literal)).collect();
            sequence.push_call(called, &[&[given][..], &literals].concat());
            limit.allows(&sequence, given, sequence.len())
        };
        assert!(allows(add, &["a"]) && allows(clear, &[]));
        assert!(!allows(add, &["b"]), "b is no value of the annotation");
        assert!(!allows(add_all, &["a"]), "nothing is known of what it adds");
    }
}
