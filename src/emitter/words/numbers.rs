//! Numbers and amounts as words in the names of tests.

/// `PT30S` → `30Seconds`, `P1D` → `1Day`: an amount of time in one unit.
pub(super) fn amount_word(text: &str) -> Option<String> {
    let (digits, unit) = match text.strip_prefix("PT") {
        Some(time) => (time.strip_suffix('H').map(|digits| (digits, "Hour")))
            .or_else(|| time.strip_suffix('M').map(|digits| (digits, "Minute")))
            .or_else(|| time.strip_suffix('S').map(|digits| (digits, "Second")))?,
        None => {
            let days = text.strip_prefix('P')?;
            (days.strip_suffix('D').map(|digits| (digits, "Day")))
                .or_else(|| days.strip_suffix('M').map(|digits| (digits, "Month")))
                .or_else(|| days.strip_suffix('Y').map(|digits| (digits, "Year")))?
        }
    };
    let number = number_word(digits)?;
    Some(if number == "1" { format!("1{unit}") } else { format!("{number}{unit}s") })
}

/// Digits behind the point that are said in full.
const MOST_DIGITS: usize = 4;

/// `0.00` → `0`, `-3.92` → `Minus3Point92`, `0.6613118653236518` → `About0Point66`
pub(super) fn number_word(text: &str) -> Option<String> {
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |digits| ("Minus", digits));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let fraction = fraction.trim_end_matches('0');
    let are_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !are_digits(whole) || !are_digits(fraction) {
        return None;
    }
    Some(match fraction {
        "" => format!("{sign}{whole}"),
        _ if fraction.len() > MOST_DIGITS => {
            let fraction = fraction[..2].trim_end_matches('0');
            let point = if fraction.is_empty() { "" } else { "Point" };
            format!("About{sign}{whole}{point}{fraction}")
        }
        _ => format!("{sign}{whole}Point{fraction}"),
    })
}
