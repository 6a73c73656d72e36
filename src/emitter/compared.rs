//! Calls that compare: `equals_objectOfOtherClass_returnsFalse`.

use super::TestCase;
use super::method::ClassContext;
use super::outcome::true_for;
use super::variables::capitalized;
use super::words::type_word;
use model::execution::Value;
use model::jvm::{Literal, Type};
use model::sequence::{Operation, Sequence};
use model::words::{SETTERS, property};
use std::collections::BTreeSet;

/// Whether the method is to return a number below zero, zero or one above it, however large.
pub(super) fn is_comparison(operation: &Operation) -> bool {
    matches!(&*operation.name, "compareTo" | "compare") && operation.output == Some(Type::INT)
}

/// `null`, `sameObject`, `equalObject`, `objectOfOtherClass`, `differentMoney`: what `equals` is given.
pub(super) fn compared_word(case: &TestCase, statement: usize, context: &ClassContext<'_>) -> Option<String> {
    Some(match compared(case, statement, context)? {
        Compared::Null => "null".to_string(),
        Compared::Same => "sameObject".to_string(),
        Compared::Equal => "equalObject".to_string(),
        Compared::OfOtherClass => "objectOfOtherClass".to_string(),
        Compared::Different(Difference::In(property)) => format!("different{}", capitalized(&property)),
        Compared::Different(_) => {
            let own = case.sequence.inputs_of(statement).next()?;
            format!("different{}", capitalized(&type_word(Some(&class_of(case, own)?))))
        }
    })
}

/// What two calls of `equals` show, the first of which said so and the second one the opposite: `comparesQuote` where one of the asserted
/// calls is of an equal object, `returnsTrueForEqualObjectButNotForNull`.
pub(super) fn compared_pair(
    case: &TestCase,
    (one, other): (usize, usize),
    said: bool,
    asserted: &BTreeSet<usize>,
    context: &ClassContext<'_>,
) -> Option<String> {
    let unequal = compared(case, if said { other } else { one }, context)?;
    let shows_equal = || asserted.iter().any(|at| matches!(compared(case, *at, context), Some(Compared::Equal)));
    Some(match unequal {
        Compared::Different(difference) if shows_equal() => match difference {
            Difference::In(property) => format!("compares{}", capitalized(&property)),
            _ => "comparesContent".to_string(),
        },
        _ => {
            let words = [one, other].map(|at| compared_word(case, at, context));
            let [Some(one), Some(other)] = words else { return None };
            true_for(said, &capitalized(&one), &capitalized(&other))
        }
    })
}

/// What `equals` is given.
enum Compared {
    Null,
    Same,
    Equal,
    OfOtherClass,
    Different(Difference),
}

fn compared(case: &TestCase, statement: usize, context: &ClassContext<'_>) -> Option<Compared> {
    let operation = context.operation(case, statement)?;
    let mut inputs = case.sequence.inputs_of(statement).filter(|_| operation.is_equals());
    let (own, other) = (inputs.next()?, inputs.next()?);
    let value = |at: usize| case.execution.values.get(at);
    Some(match (value(other)?, value(statement)?) {
        (Value::Null, _) => Compared::Null,
        _ if own == other => Compared::Same,
        (_, Value::Literal(Literal::Boolean(true))) => Compared::Equal,
        _ if class_of(case, own)? != class_of(case, other)? => Compared::OfOtherClass,
        _ => {
            let makers = Makers { sequence: &case.sequence, operations: context.operations };
            Compared::Different(makers.difference(own, other))
        }
    })
}

fn class_of(case: &TestCase, statement: usize) -> Option<Type> {
    match case.execution.values.get(statement)? {
        Value::Object { class, .. } => Some(class.clone()),
        Value::Literal(literal) => Some(literal.literal_type()),
        Value::Null | Value::Void => None,
    }
}

/// What two objects differ in, going by how they were made.
#[derive(Debug, PartialEq, Eq)]
enum Difference {
    None,
    /// The property that only one of them was given, or both with another value: `quote` of `withQuote` or of a parameter.
    In(String),
    /// Several things, or one that has no name.
    Other,
}

/// The calls that made the objects of a test.
struct Makers<'a> {
    sequence: &'a Sequence,
    operations: &'a [Operation],
}

impl<'a> Makers<'a> {
    fn operation(&self, statement: usize) -> Option<&'a Operation> {
        self.sequence.call_at(statement).map(|id| &self.operations[id.0 as usize])
    }

    fn difference(&self, one: usize, other: usize) -> Difference {
        if self.sequence.has_same_value(one, other) {
            return Difference::None;
        }
        if let Some(property) = self.changed(one, other).or_else(|| self.changed(other, one)) {
            return Difference::In(property.to_string());
        }
        let Some(maker) = self.operation(one).filter(|_| self.sequence.call_at(one) == self.sequence.call_at(other))
        else {
            return Difference::Other;
        };
        let inputs = self.sequence.inputs_of(one).zip(self.sequence.inputs_of(other)).enumerate();
        let given = inputs.map(|(at, (one, other))| match self.difference(one, other) {
            Difference::None => Difference::None,
            of_receiver if at == 0 && maker.has_receiver() => of_receiver,
            _ => match maker.name_of_input(at).filter(|name| name.len() > 1) {
                Some(name) => Difference::In(name.to_string()),
                None => Difference::Other,
            },
        });
        let set = self.only_set(one, other).into_iter().chain(self.only_set(other, one));
        let all = given.chain(set.map(|property| Difference::In(property.to_string())));
        let mut all: Vec<Difference> = all.filter(|difference| *difference != Difference::None).collect();
        all.dedup();
        match all.len() {
            0 => Difference::None,
            1 => all.remove(0),
            _ => Difference::Other,
        }
    }

    /// The property that a call sets which makes one object of the other.
    fn changed(&self, one: usize, other: usize) -> Option<&'a str> {
        let property = set_property(self.operation(one)?)?;
        let receiver = self.sequence.inputs_of(one).next()?;
        self.are_made_alike(receiver, other).then_some(property)
    }

    /// The properties that are set in the object, but not to the same values in the other one.
    fn only_set(&self, object: usize, other: usize) -> Vec<&'a str> {
        let calls = |on: usize| {
            let is_on = move |at: &usize| self.sequence.inputs_of(*at).next() == Some(on);
            (on + 1..self.sequence.len()).filter(is_on)
        };
        let is_alike = |at: usize, in_other: usize| {
            self.sequence.call_at(at) == self.sequence.call_at(in_other)
                && self.inputs_are_alike(self.sequence.inputs_of(at).skip(1), self.sequence.inputs_of(in_other).skip(1))
        };
        let is_only_here = |at: &usize| !calls(other).any(|in_other| is_alike(*at, in_other));
        calls(object).filter(is_only_here).filter_map(|at| set_property(self.operation(at)?)).collect()
    }

    /// Whether the statements make their values by the same calls with the same literals.
    fn are_made_alike(&self, one: usize, other: usize) -> bool {
        let call = self.sequence.call_at(one);
        self.sequence.has_same_value(one, other)
            || call.is_some()
                && call == self.sequence.call_at(other)
                && self.inputs_are_alike(self.sequence.inputs_of(one), self.sequence.inputs_of(other))
    }

    fn inputs_are_alike(&self, ones: impl Iterator<Item = usize>, others: impl Iterator<Item = usize>) -> bool {
        ones.zip(others).all(|(one, other)| self.are_made_alike(one, other))
    }
}

/// `Quote` of `setQuote` and `withQuote`.
fn set_property(operation: &Operation) -> Option<&str> {
    property(&operation.name, &SETTERS).filter(|_| operation.has_receiver())
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::jvm::{ClassName, MethodDescriptor};
    use model::sequence::{OperationId, OperationKind};

    const FORMAT: OperationId = OperationId(0);
    const WITH_QUOTE: OperationId = OperationId(1);
    const SET_TRIM: OperationId = OperationId(2);
    const NEXT: OperationId = OperationId(3);

    fn operations() -> [Operation; 4] {
        let of = |kind, name: &str, parameter: &str| {
            let descriptor = MethodDescriptor::parse("(C)V").unwrap();
            let operation = Operation::new(kind, ClassName::new("p/Format"), name, descriptor);
            Operation { parameter_names: vec![parameter.into()], ..operation }
        };
        [
            of(OperationKind::StaticMethod, "format", "delimiter"),
            of(OperationKind::InstanceMethod, "withQuote", "sign"),
            of(OperationKind::InstanceMethod, "setTrim", "trim"),
            of(OperationKind::InstanceMethod, "next", "step"),
        ]
    }

    fn difference(build: impl Fn(&mut Sequence) -> (usize, usize)) -> Difference {
        let mut sequence = Sequence::new();
        let (one, other) = build(&mut sequence);
        Makers { sequence: &sequence, operations: &operations() }.difference(one, other)
    }

    fn call(sequence: &mut Sequence, operation: OperationId, receiver: Option<usize>, argument: u16) -> usize {
        let argument = sequence.push_literal(Literal::Char(argument));
        let inputs: Vec<usize> = receiver.into_iter().chain([argument]).collect();
        sequence.push_call(operation, &inputs)
    }

    #[test]
    fn difference_is_what_only_one_was_given() {
        let of_name = |name: &str| Difference::In(name.to_string());
        let made = |sequence: &mut Sequence, sign| call(sequence, FORMAT, None, sign);
        assert_eq!(difference(|it| (made(it, 1), made(it, 2))), of_name("delimiter"));
        assert_eq!(difference(|it| (made(it, 1), made(it, 1))), Difference::None);
        let quoted = |sequence: &mut Sequence| {
            let format = made(sequence, 1);
            (call(sequence, WITH_QUOTE, Some(format), 3), format)
        };
        assert_eq!(difference(quoted), of_name("Quote"));
        let next = |sequence: &mut Sequence| {
            let format = made(sequence, 1);
            (call(sequence, NEXT, Some(format), 3), format)
        };
        assert_eq!(difference(next), Difference::Other);
        let trimmed = |second: Option<u16>| {
            difference(move |sequence| {
                let (one, other) = (made(sequence, 1), made(sequence, 1));
                call(sequence, SET_TRIM, Some(one), 3);
                second.map(|sign| call(sequence, SET_TRIM, Some(other), sign));
                (one, other)
            })
        };
        assert_eq!([trimmed(None), trimmed(Some(4))], [of_name("Trim"), of_name("Trim")]);
        assert_eq!(trimmed(Some(3)), Difference::None);
        let both = |sequence: &mut Sequence| {
            let (one, other) = (made(sequence, 1), made(sequence, 2));
            call(sequence, SET_TRIM, Some(one), 3);
            (one, other)
        };
        assert_eq!(difference(both), Difference::Other);
    }
}
