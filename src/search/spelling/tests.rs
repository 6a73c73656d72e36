//! Tests of how values are spelled.

use super::*;

fn text(text: &str) -> Described {
    Described::Literal(Literal::String(text.into()))
}

fn amount() -> Described {
    Described::Text(ClassName::new("java/math/BigDecimal"), "3.00".into())
}

/// `Money.of(BigDecimal, String)`, `Money.euros(String)`, `new BigDecimal(String)`, `Money.ZERO`, and `equals`.
fn speller() -> Speller {
    let (money, decimal) = (ClassName::new("p/Money"), ClassName::new("java/math/BigDecimal"));
    let of = |kind, owner: &ClassName, name: &str, parameters: Vec<Type>, returns: Option<Type>| {
        Operation::new(kind, owner.clone(), name, MethodDescriptor { parameters, returns })
    };
    let both = vec![Type::Class(decimal.clone()), Type::string()];
    let one = Some(Type::Class(money.clone()));
    let operations = [
        of(OperationKind::StaticMethod, &money, "of", both, one.clone()),
        of(OperationKind::StaticMethod, &money, "euros", vec![Type::string()], one),
        of(OperationKind::Constructor, &decimal, "<init>", vec![Type::string()], None),
        of(OperationKind::GetStatic, &money, "ZERO", Vec::new(), Some(Type::Class(money.clone()))),
    ];
    Speller { writer: Writer::new(&operations), equals: OperationId(4), known: Mutex::default() }
}

/// Makes what it is told to, by the operation of the first call that is neither `BigDecimal` nor `equals`.
struct Fake {
    makes: fn(OperationId) -> Described,
    runs: usize,
}

impl Executor for Fake {
    fn execute(&mut self, sequences: &[Sequence], _: Detail) -> Result<Vec<Execution>, ExecutorError> {
        self.runs += sequences.len();
        let run = |sequence: &Sequence| {
            let maker = sequence.calls().find(|id| ![2, 4].contains(&id.0)).unwrap();
            let observed = Observed::Value((self.makes)(maker));
            let made = Value::Object { class: Type::class("p/Money"), observed };
            let values = vec![made, Value::Literal(Literal::Boolean(true))];
            Execution { values, ..Execution::ended(Outcome::Completed) }
        };
        Ok(sequences.iter().map(run).collect())
    }

    fn restart(&mut self) -> Result<(), ExecutorError> {
        Ok(())
    }
}

fn money(fields: &[Described]) -> Described {
    Described::Object(ClassName::new("p/Money"), fields.to_vec(), Spelling::default())
}

fn spelled(content: &Described, makes: fn(OperationId) -> Described) -> Option<(String, Vec<Described>)> {
    let Described::Object(.., Spelling(made)) = speller().spelled(content, &mut Fake { makes, runs: 0 }).unwrap()
    else {
        panic!("another object")
    };
    made.map(|made| (made.name.to_string(), made.arguments.clone()))
}

#[test]
fn shortest_call_that_makes_the_same_object_is_taken() {
    let object = money(&[amount(), text("EUR")]);
    let all: fn(OperationId) -> Described = |_| money(&[amount(), text("EUR")]);
    assert_eq!(spelled(&object, all), Some(("ZERO".to_string(), Vec::new())), "a constant before all calls");
    let both: fn(OperationId) -> Described =
        |maker| money(&[amount(), text(if maker == OperationId(3) { "USD" } else { "EUR" })]);
    assert_eq!(spelled(&object, both), Some(("euros".to_string(), vec![text("EUR")])));
    let only_of: fn(OperationId) -> Described = |maker| match maker {
        OperationId(0) => money(&[amount(), text("EUR")]),
        _ => money(&[amount(), text("USD")]),
    };
    assert_eq!(spelled(&object, only_of), Some(("of".to_string(), vec![amount(), text("EUR")])));
    assert_eq!(spelled(&object, |_| money(&[])), None);
}

#[test]
fn spelling_is_looked_for_once() {
    let (speller, object) = (speller(), Described::elements(ElementsKind::List, vec![money(&[amount()]); 3]));
    let mut fake = Fake { makes: |_| money(&[amount()]), runs: 0 };
    assert!(speller.spelled(&object, &mut fake).unwrap().can_be_made());
    assert_eq!(fake.runs, 3, "the constant and both calls, once");
    speller.spelled(&object, &mut fake).unwrap();
    assert_eq!(fake.runs, 3);
}

#[test]
fn fields_are_given_as_they_are_and_as_text() {
    let number = Described::Literal(Literal::Int(7));
    let fields = [amount(), number.clone(), text("EUR")];
    assert_eq!(arguments(&fields, &Type::string()), [text("3.00"), text("7"), text("EUR")]);
    assert_eq!(arguments(&fields, &Type::INT), [number]);
    assert_eq!(arguments(&fields, &Type::class("java/math/BigDecimal")), [amount()]);
    assert_eq!(arguments(&fields, &Type::BOOLEAN), []);
}

#[test]
fn array_in_a_field_is_given_to_a_parameter_of_its_type() {
    let (ints, table) = (Type::array(Type::INT), Type::array(Type::array(Type::INT)));
    let array = |of: &Type| Operation {
        output: Some(of.clone()),
        ..Operation::new(
            OperationKind::Array,
            ClassName::new("java/lang/Object"),
            "new",
            MethodDescriptor { parameters: Vec::new(), returns: None },
        )
    };
    let number = |value| Described::Literal(Literal::Int(value));
    let row = Described::Array(ints.clone(), vec![number(1), number(0)]);
    let rows = Described::Array(table.clone(), vec![row; 2]);
    let of_rows = |of: &Type| arguments(std::slice::from_ref(&rows), of);
    assert_eq!([&table, &ints].map(of_rows), [vec![rows.clone()], Vec::new()]);
    let of_length = |length| Described::Array(ints.clone(), vec![number(1); length]);
    assert_eq!(arguments(&[of_length(MOST_ELEMENTS)], &ints).len(), 1);
    assert_eq!(arguments(&[of_length(MOST_ELEMENTS + 1)], &ints), [], "too long to read");
    let writer = Writer::new(&[array(&ints), array(&table)]);
    let sequence = writer.sequence_of(&rows).unwrap();
    assert_eq!(sequence.calls().map(|call| call.0).collect::<Vec<_>>(), [0, 0, 1]);
    assert!(Writer::new(&[array(&table)]).sequence_of(&rows).is_none(), "nothing makes the rows");
}

#[test]
fn durations_and_dates_are_made_of_numbers() {
    let of = |class: &str, name: &str, of: Type, count: usize| {
        let descriptor = MethodDescriptor { parameters: vec![of; count], returns: Some(Type::class(class)) };
        Operation::new(OperationKind::StaticMethod, ClassName::new(class), name, descriptor)
    };
    let operations = [
        of(DURATION, "ofMillis", Type::Primitive(Primitive::Long), 1),
        of("java/time/LocalDate", "of", Type::INT, 3),
        of("java/time/LocalDateTime", "of", Type::INT, 5),
    ];
    let writer = Writer::new(&operations);
    let made = |class: &str, text: &str| {
        let sequence = writer.sequence_of(&Described::Text(ClassName::new(class), text.into()))?;
        let literals: Vec<Literal> = (0..sequence.len()).filter_map(|at| sequence.literal_at(at).cloned()).collect();
        Some((sequence.calls().next()?.0, literals))
    };
    assert_eq!(made(DURATION, "PT0.1S"), Some((0, vec![Literal::Long(100)])));
    assert_eq!(made("java/time/LocalDate", "2024-02-29"), Some((1, [2024, 2, 29].map(Literal::Int).to_vec())));
    let numbers = [2024, 1, 1, 10, 30].map(Literal::Int).to_vec();
    assert_eq!(made("java/time/LocalDateTime", "2024-01-01T10:30"), Some((2, numbers)));
    // Of other units, with seconds or a sign there is none.
    assert_eq!(made(DURATION, "PT1M"), None);
    assert_eq!(made("java/time/LocalDateTime", "2024-01-01T10:30:05"), None);
    assert_eq!(made("java/time/LocalDate", "-2024-01-01"), None);
}
