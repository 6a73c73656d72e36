//! Calls that compare: `equals_objectOfOtherClass_returnsFalse`.

use super::TestCase;
use super::method::ClassContext;
use super::variables::capitalized;
use super::words::type_word;
use model::execution::Value;
use model::jvm::{Literal, Type};
use model::sequence::Operation;

/// Whether the method is to return a number below zero, zero or one above it, however large.
pub(super) fn is_comparison(operation: &Operation) -> bool {
    matches!(&*operation.name, "compareTo" | "compare") && operation.output == Some(Type::INT)
}

/// `null`, `sameObject`, `equalObject`, `objectOfOtherClass`, `differentMoney`: what `equals` is given.
pub(super) fn compared_word(case: &TestCase, statement: usize, context: &ClassContext<'_>) -> Option<String> {
    let operation = context.operation(case, statement)?;
    let is_equals = &*operation.name == "equals" && operation.inputs.len() == 2 && operation.has_receiver();
    let mut inputs = case.sequence.inputs_of(statement).filter(|_| is_equals);
    let (own, other) = (inputs.next()?, inputs.next()?);
    let value = |at: usize| case.execution.values.get(at);
    let class = |at: usize| match value(at)? {
        Value::Object { class, .. } => Some(class.clone()),
        Value::Literal(literal) => Some(literal.literal_type()),
        Value::Null | Value::Void => None,
    };
    Some(match (value(other)?, value(statement)?) {
        (Value::Null, _) => "null".to_string(),
        _ if own == other => "sameObject".to_string(),
        (_, Value::Literal(Literal::Boolean(true))) => "equalObject".to_string(),
        _ if class(own)? != class(other)? => "objectOfOtherClass".to_string(),
        _ => format!("different{}", capitalized(&type_word(Some(&class(own)?)))),
    })
}
