//! Operands that are dates or times: the call that made one is given the numbers of the other.

use model::jvm::Literal;
use model::sequence::{Action, Operation, Sequence};

/// The sequence with the date or time that the call `at` makes replaced by `to`, if it is `from`; both are texts as
/// `toString` writes them. The call is a static method `of` of a class of java.time that takes years, months, days, hours
/// and minutes as ints.
pub fn substituted(
    sequence: &Sequence,
    (at, maker): (usize, &Operation),
    from: &Literal,
    to: &Literal,
) -> Option<Sequence> {
    let (Literal::String(from), Literal::String(to)) = (from, to) else { return None };
    if &*maker.name != "of" || maker.has_receiver() {
        return None;
    }
    let inputs: Vec<usize> = sequence.inputs_of(at).collect();
    let numbers: Option<Vec<i32>> = inputs.iter().map(|&input| number(&sequence.statements()[input].action)).collect();
    let shape = Shape::of(maker.owner.internal())?;
    let (numbers, from) = (numbers?, shape.numbers(&String::from_utf16(from.units()).ok()?)?);
    let to = shape.numbers(&String::from_utf16(to.units()).ok()?)?;
    if numbers != from || to == from {
        return None;
    }
    let changed = inputs.into_iter().zip(to);
    Some(changed.fold(sequence.clone(), |sequence, (input, number)| sequence.with_literal(input, Literal::Int(number))))
}

fn number(action: &Action) -> Option<i32> {
    match action {
        Action::Literal(Literal::Int(value)) => Some(*value),
        _ => None,
    }
}

/// Which characters separate the numbers of a text in ISO 8601, in their order.
struct Shape(&'static [u8]);

impl Shape {
    fn of(class: &str) -> Option<Shape> {
        Some(Shape(match class {
            "java/time/LocalDate" => b"--",
            "java/time/LocalDateTime" => b"--T:",
            "java/time/LocalTime" => b":",
            "java/time/YearMonth" => b"-",
            _ => return None,
        }))
    }

    /// The numbers of the text; `None` if it has others, such as seconds, or a year that is not of four digits.
    fn numbers(&self, text: &str) -> Option<Vec<i32>> {
        let is_digit = |character: char| character.is_ascii_digit();
        let separators: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_digit()).collect();
        let parts: Vec<&str> = text.split(|character| !is_digit(character)).collect();
        let is_written_so = separators == self.0 && parts.iter().all(|part| matches!(part.len(), 2 | 4));
        is_written_so.then(|| parts.into_iter().map(|part| part.parse().ok()).collect())?
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_class() {
        assert_eq!(Shape(b"--").numbers("2024-01-15"), Some(vec![2024, 1, 15]));
        assert_eq!(Shape(b"--T:").numbers("2024-01-15T09:30"), Some(vec![2024, 1, 15, 9, 30]));
        assert_eq!(Shape(b"--T:").numbers("2024-01-15T09:30:10"), None);
        assert_eq!(Shape(b"--").numbers("-999999999-01-01"), None);
        assert_eq!(Shape(b"--").numbers("2024-01-15T09:30"), None);
    }
}
