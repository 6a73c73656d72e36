//! What a reader pays for a test, in hundredths of a statement: the measure by which witnesses of a goal are compared.
//!
//! Statements count most. A member that is not open to callers, and an exception that nobody throws on purpose, cost more
//! than a test can be long: such a test is written only where nothing else reaches the goal.

use model::jvm::{Literal, Type};
use model::sequence::{Action, Answer, Implemented, Operation, OperationKind, Sequence};
use oracle::Intent;

/// One statement.
const STATEMENT: u32 = 100;
/// A method in an anonymous class.
const METHOD: u32 = 400;
/// A line that tells a mock what to answer.
const ANSWER: u32 = 200;
/// A field in an anonymous class.
const FIELD: u32 = 200;
/// A member that is not public or protected.
const BACK_DOOR: u32 = 1_500;
/// A protected member, where a public one may lead to the same.
const PROTECTED: u32 = 400;
/// An exception that is not thrown on purpose.
const IMPLICIT: u32 = 10_000;
/// An exception that is.
const REJECTED: u32 = 100;
/// A collaborator that fails.
const FAILING: u32 = 150;
/// A collaborator that notes its calls, beside the list for them.
const RECORDING: u32 = 50;
/// A collaborator whose answer changes, beside what holds it.
const HOLDING: u32 = 50;
/// Null where a value could be.
const NULL: u32 = 50;
/// A large number, or twelve letters of a text.
const ODD: u32 = 25;
/// A sign in a text: a person takes words where they will do.
const SIGN: u32 = 6;
/// Signs that count.
const MOST_SIGNS: u32 = 4;
/// The clock of the machine, where a fixed one would do: more than what makes that.
const MACHINE_CLOCK: u32 = 300;
/// A call that a person would hardly write.
const ODD_CALL: u32 = 60;

/// The cost of a sequence that ends in an exception of this intent, or in none.
pub(crate) fn of(sequence: &Sequence, intent: Option<Intent>, operations: &[Operation]) -> u32 {
    let end = match intent {
        None => 0,
        Some(Intent::Deliberate) => REJECTED,
        Some(Intent::Implicit) => IMPLICIT,
    };
    end + sequence.statements().iter().map(|one| of_action(&one.action, operations)).sum::<u32>()
}

/// The cost of one statement.
pub(crate) fn of_action(action: &Action, operations: &[Operation]) -> u32 {
    match action {
        Action::Call(operation) => of_call(&operations[operation.0 as usize]),
        Action::Literal(literal) => of_literal(literal),
    }
}

fn of_call(operation: &Operation) -> u32 {
    let door = match (operation.internal, operation.back_door) {
        (true, true) => BACK_DOOR,
        (true, false) => PROTECTED,
        (false, _) => 0,
    };
    let unusual = operation.implemented.iter().map(of_behaviour).sum::<u32>();
    let declared = if operation.is_functional() {
        unusual
    } else if operation.mock {
        ANSWER * operation.inputs.len() as u32
    } else {
        let fields = &operation.declared.fields;
        let accessors = fields.iter().filter(|field| field.accessor.is_some()).count();
        METHOD * (operation.implemented.len() + accessors) as u32 + FIELD * fields.len() as u32
    };
    let odd = if is_odd(operation) { ODD_CALL } else { 0 };
    let clock = if returns_clock(operation) { MACHINE_CLOCK } else { 0 };
    STATEMENT + door + declared + odd + clock
}

/// The class of the platform's clocks.
pub(crate) const CLOCK: &str = "java/time/Clock";

/// Whether a member of other code than the platform's says that it returns some clock, which is mostly the machine's.
pub(crate) fn returns_clock(operation: &Operation) -> bool {
    let is_clock = |of: &Type| matches!(of, Type::Class(class) if class.internal() == CLOCK);
    operation.output.as_ref().is_some_and(is_clock)
        && operation.kind != OperationKind::Implementation
        && !operation.owner.internal().starts_with("java/")
}

/// Now, where a given time would do; or a value of the platform by a number that says nothing to a person: `Instant.ofEpochMilli(7)`
/// for a time, `ZoneOffset.ofHours(0)` for UTC.
fn is_odd(operation: &Operation) -> bool {
    if &*operation.name == "now" && operation.kind == OperationKind::StaticMethod {
        return true;
    }
    operation.owner.internal().starts_with("java/time/")
        && (operation.name.starts_with("ofEpoch")
            || matches!(&*operation.name, "ofYearDay" | "ofTotalSeconds" | "ofNanos")
            || &*operation.name == "ofHours" && operation.owner.internal() == "java/time/ZoneOffset")
}

/// A collaborator that fails, or that notes what it is told, is there for a reason.
fn of_behaviour(method: &Implemented) -> u32 {
    match (method.answer, method.recording) {
        (Answer::Throws | Answer::Thrown(_), _) => FAILING,
        (Answer::Held(_), _) => HOLDING,
        (_, Some(_)) => RECORDING,
        (_, None) => 0,
    }
}

fn of_literal(literal: &Literal) -> u32 {
    let of_number = |magnitude: u64| match magnitude {
        0..=100 => 0,
        101..=10_000 => ODD / 2,
        _ => ODD,
    };
    match literal {
        Literal::Null(_) => NULL,
        Literal::String(text) => {
            let units = text.units();
            let is_plain = |unit: &u16| {
                char::from_u32(u32::from(*unit)).is_some_and(|letter| letter.is_ascii_alphanumeric() || letter == ' ')
            };
            let signs = units.iter().filter(|unit| !is_plain(unit)).count() as u32;
            signs.min(MOST_SIGNS) * SIGN + (units.len() as u32 / 12).min(4) * ODD
        }
        Literal::Int(value) => of_number(u64::from(value.unsigned_abs())),
        Literal::Long(value) => of_number(value.unsigned_abs()),
        Literal::Short(value) => of_number(u64::from(value.unsigned_abs())),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::jvm::{ClassName, MethodDescriptor};
    use model::sequence::OperationId;

    fn cost(literal: Literal, internal: bool, intent: Option<Intent>) -> u32 {
        let descriptor = MethodDescriptor { parameters: vec![literal.literal_type()], returns: None };
        let operation = Operation::new(OperationKind::StaticMethod, ClassName::new("p/A"), "run", descriptor);
        let mut sequence = Sequence::new();
        let argument = sequence.push_literal(literal);
        sequence.push_call(OperationId(0), &[argument]);
        of(&sequence, intent, &[Operation { internal, back_door: internal, ..operation }])
    }

    #[test]
    fn plain_witness_costs_less_than_an_odd_one_and_a_back_door_or_implicit_exception_most() {
        let text = |text: &str| Literal::String(text.into());
        let ascending = [
            cost(text("abc"), false, None),
            cost(text("!a b"), false, None),
            cost(text("!a? -b"), false, None),
            cost(Literal::Null(Type::object()), false, None),
            cost(text("abc"), false, Some(Intent::Deliberate)),
            cost(text("abc"), true, None),
            cost(text("abc"), false, Some(Intent::Implicit)),
        ];
        assert!(ascending.is_sorted_by(|one, next| one < next), "{ascending:?}");
        assert!(cost(Literal::Int(3), false, None) < cost(Literal::Int(i32::MAX), false, None));
    }

    #[test]
    fn clock_of_a_configuration_costs_more_than_a_fixed_one() {
        let of = |kind: OperationKind, owner: &str, name: &str, takes: &[&str], returns: Option<&str>| {
            let parameters = takes.iter().map(|name| Type::class(name)).collect();
            let descriptor = MethodDescriptor { parameters, returns: returns.map(Type::class) };
            Operation::new(kind, ClassName::new(owner), name, descriptor)
        };
        let operations = [
            of(OperationKind::Constructor, "p/Beans", "<init>", &[], None),
            of(OperationKind::InstanceMethod, "p/Beans", "clock", &[], Some(CLOCK)),
            of(
                OperationKind::StaticMethod,
                "java/time/Instant",
                "parse",
                &["java/lang/CharSequence"],
                Some("java/time/Instant"),
            ),
            of(OperationKind::StaticMethod, "java/time/ZoneId", "of", &["java/lang/String"], Some("java/time/ZoneId")),
            of(OperationKind::StaticMethod, CLOCK, "fixed", &["java/time/Instant", "java/time/ZoneId"], Some(CLOCK)),
        ];
        let mut machine = Sequence::new();
        let beans = machine.push_call(OperationId(0), &[]);
        machine.push_call(OperationId(1), &[beans]);
        let mut fixed = Sequence::new();
        let text = fixed.push_literal(Literal::String("2024-01-01T12:00:00Z".into()));
        let instant = fixed.push_call(OperationId(2), &[text]);
        let text = fixed.push_literal(Literal::String("UTC".into()));
        let zone = fixed.push_call(OperationId(3), &[text]);
        fixed.push_call(OperationId(4), &[instant, zone]);
        assert!(super::of(&machine, None, &operations) > super::of(&fixed, None, &operations));
    }

    #[test]
    fn now_costs_more_than_a_given_day() {
        let of = |name: &str, parameters: Vec<Type>| {
            let descriptor = MethodDescriptor { parameters, returns: None };
            of_call(&Operation::new(OperationKind::StaticMethod, ClassName::new("p/Day"), name, descriptor))
        };
        assert!(of("now", Vec::new()) > of("of", vec![Type::INT; 3]));
    }
}
