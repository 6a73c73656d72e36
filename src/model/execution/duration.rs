//! Durations as a person says them.

/// The largest unit of which the duration is a whole number, as the factories of `Duration` name it, and that number; `text` is
/// what `Duration.toString` writes.
pub fn in_largest_unit(text: &str) -> Option<(&'static str, i32)> {
    const UNITS: [(&str, i128); 6] = [
        ("Days", 86_400_000_000_000),
        ("Hours", 3_600_000_000_000),
        ("Minutes", 60_000_000_000),
        ("Seconds", 1_000_000_000),
        ("Millis", 1_000_000),
        ("Nanos", 1),
    ];
    let nanos = nanos(text)?;
    let (unit, size) = UNITS.into_iter().find(|(_, size)| nanos % size == 0)?;
    Some((unit, i32::try_from(nanos / size).ok()?))
}

/// `PT8H6M12.345S`, each number with its own sign; a fraction has the sign of its seconds, which may be `-0`.
fn nanos(text: &str) -> Option<i128> {
    let mut rest = text.strip_prefix("PT")?;
    let mut nanos = 0;
    while !rest.is_empty() {
        let end = rest.find(|letter: char| letter.is_ascii_uppercase())?;
        let (number, unit) = (&rest[..end], &rest[end..=end]);
        rest = &rest[end + 1..];
        let size: i128 = match unit {
            "H" => 3_600_000_000_000,
            "M" => 60_000_000_000,
            "S" => 1_000_000_000,
            _ => return None,
        };
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if fraction.len() > 9 {
            return None;
        }
        let part: i128 = format!("{fraction:0<9}").parse().ok()?;
        let sign = if whole.starts_with('-') { -1 } else { 1 };
        nanos += i128::from(whole.parse::<i64>().ok()?) * size + sign * part;
    }
    Some(nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn largest_unit_of_which_it_is_a_whole_number_is_said() {
        let texts = ["PT0S", "PT48H", "PT1H30M", "PT-1.5S", "PT-0.000000001S", "P1D", "PT2562047788015215H30M7S"];
        let expected = [
            Some(("Days", 0)),
            Some(("Days", 2)),
            Some(("Minutes", 90)),
            Some(("Millis", -1500)),
            Some(("Nanos", -1)),
            None,
            None,
        ];
        assert_eq!(texts.map(in_largest_unit), expected);
    }
}
