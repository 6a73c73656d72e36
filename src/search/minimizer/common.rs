//! What texts of a test have in common, in place of one of them: a pattern of eleven letters, of which an argument names one.

use super::{At, Best, Knowledge, StatementChange};
use model::jvm::{JavaString, Literal};
use model::sequence::Action;

/// The longest run of letters and digits that a text among the first `end` statements shares with another text of the sequence, in place
/// of the text.
pub(super) fn common_texts(best: &Best, end: usize, _: &Knowledge) -> Vec<At> {
    let text = |at: usize| match best.sequence.literal_at(at) {
        Some(Literal::String(text)) => Some((at, text)),
        _ => None,
    };
    let texts: Vec<(usize, &JavaString)> = (0..best.sequence.len()).filter_map(text).collect();
    let mut changes = Vec::new();
    for (at, long) in texts.iter().filter(|(at, _)| *at < end) {
        let others = texts.iter().filter(|(_, other)| other != long && other.units().len() < long.units().len());
        let mut shared: Vec<&[u16]> = others.filter_map(|(_, other)| in_common(long.units(), other.units())).collect();
        shared.sort_by_key(|run| std::cmp::Reverse(run.len()));
        shared.dedup();
        let replace = |run: &[u16]| Action::Literal(Literal::String(JavaString::from_units(run)));
        changes.extend(shared.into_iter().map(|run| (*at, StatementChange::Replace(replace(run)))));
    }
    changes
}

/// The first of the longest runs of letters and digits of the one that are also in the other.
fn in_common<'a>(long: &'a [u16], other: &[u16]) -> Option<&'a [u16]> {
    let is_word = |unit: &u16| u8::try_from(*unit).is_ok_and(|unit| unit.is_ascii_alphanumeric());
    let runs = long.split(|unit| !is_word(unit));
    let parts =
        runs.flat_map(|run| (0..run.len()).flat_map(move |from| (from + 1..=run.len()).map(move |to| &run[from..to])));
    let is_shared =
        |part: &&[u16]| part.len() <= other.len() && other.windows(part.len()).any(|window| window == *part);
    parts.filter(is_shared).reduce(|best, next| if next.len() > best.len() { next } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared(long: &str, other: &str) -> Option<String> {
        let units = |text: &str| text.encode_utf16().collect::<Vec<u16>>();
        in_common(&units(long), &units(other)).map(String::from_utf16_lossy)
    }

    #[test]
    fn longest_run_of_letters_is_shared() {
        assert_eq!(shared("mplemented", "-d").as_deref(), Some("d"));
        assert_eq!(shared("a name", "--name=name").as_deref(), Some("name"));
        assert_eq!(shared("<:!", "<:"), None);
        assert_eq!(shared("abc", "xyz"), None);
    }
}
