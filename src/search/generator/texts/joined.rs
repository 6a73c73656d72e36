//! Accepted texts, cut and joined where the code that read them was in the same state, as grammars are mined (Mimid,
//! docs/bibliography.md): what is nested or repeated in one text gets there in another one, too.

use super::LONGEST;
use super::front::StateId;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rustc_hash::FxHashMap;

/// Accepted texts kept; later ones replace the oldest if they reached something new.
const ACCEPTED: usize = 400;
/// Places kept for one state.
const PLACES: usize = 100;
/// Draws until a text is new.
const DRAWS: usize = 8;

/// Places in a text, and the states there.
pub(super) type Places = Vec<(usize, StateId)>;

/// A text, and the places where the state is known.
#[derive(Default)]
struct Accepted {
    units: Vec<u16>,
    places: Places,
}

/// The accepted texts of one place.
#[derive(Default)]
pub struct Joined {
    texts: Vec<Accepted>,
    /// By state, texts and places in them.
    of_state: FxHashMap<StateId, Vec<(usize, usize)>>,
    oldest: usize,
}

impl Joined {
    pub fn add(&mut self, units: &[u16], places: Places, is_new: bool) {
        let at = if self.texts.len() < ACCEPTED {
            self.texts.push(Accepted::default());
            self.texts.len() - 1
        } else if is_new {
            self.oldest = (self.oldest + 1) % ACCEPTED;
            self.oldest
        } else {
            return;
        };
        for (number, (_, state)) in places.iter().enumerate() {
            let known = self.of_state.entry(*state).or_default();
            if known.len() < PLACES {
                known.push((at, number));
            }
        }
        self.texts[at] = Accepted { units: units.to_vec(), places };
    }

    /// A text that is not known yet, and its places; `None` if there are few to draw from.
    pub fn draw(&self, rng: &mut ChaCha8Rng, is_known: impl Fn(&[u16]) -> bool) -> Option<(Vec<u16>, Places)> {
        if self.texts.len() < 2 {
            return None;
        }
        let joined = (0..DRAWS).filter_map(|_| self.joined(rng));
        joined.into_iter().find(|(units, _)| units.len() <= LONGEST && !is_known(units))
    }

    /// The beginning of a text, a part of another one that was read in the same state, and either all that is behind it there or
    /// what is behind the state at its end in the first text.
    fn joined(&self, rng: &mut ChaCha8Rng) -> Option<(Vec<u16>, Places)> {
        let one = &self.texts[rng.random_range(0..self.texts.len())];
        if one.places.is_empty() {
            return None;
        }
        let from = rng.random_range(0..one.places.len());
        let same = self.of_state.get(&one.places[from].1)?;
        let (other, begin) = same[rng.random_range(0..same.len())];
        let other = &self.texts[other];
        // A text that took the place of an older one may have fewer places, or another state there.
        if other.places.get(begin)?.1 != one.places[from].1 {
            return None;
        }
        let mut made =
            Accepted { units: one.units[..one.places[from].0].to_vec(), places: one.places[..=from].to_vec() };
        if rng.random_bool(0.5) {
            made.append_rest(other, begin);
            return Some((made.units, made.places));
        }
        let end = rng.random_range(begin..other.places.len());
        let fitting: Vec<usize> =
            (from..one.places.len()).filter(|&at| one.places[at].1 == other.places[end].1).collect();
        if fitting.is_empty() {
            return None;
        }
        made.append(other, begin, end);
        made.append_rest(one, fitting[rng.random_range(0..fitting.len())]);
        Some((made.units, made.places))
    }
}

impl Accepted {
    /// Appends what is between two places of a text.
    fn append(&mut self, from: &Accepted, begin: usize, end: usize) {
        let (first, last) = (from.places[begin].0, from.places[end].0);
        let moved = self.units.len();
        self.units.extend_from_slice(&from.units[first..last]);
        self.places.extend(from.places[begin + 1..=end].iter().map(|(place, state)| (moved + place - first, *state)));
    }

    /// Appends what is behind a place of a text.
    fn append_rest(&mut self, from: &Accepted, begin: usize) {
        let last = from.places.len() - 1;
        self.append(from, begin, last);
        self.units.extend_from_slice(&from.units[from.places[last].0..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::seed::Seed;
    use std::collections::BTreeSet;

    #[test]
    fn nested_text_gets_where_the_state_is_the_same() {
        let units = |text: &str| text.encode_utf16().collect::<Vec<u16>>();
        let mut joined = Joined::default();
        // A value is expected in state 1, and over in state 2.
        joined.add(&units("[a]"), vec![(0, 1), (1, 1), (2, 2), (3, 2)], false);
        joined.add(&units("b"), vec![(0, 1), (1, 2)], false);
        let mut rng = Seed::root(1).rng();
        let drawn = (0..200).filter_map(|_| joined.draw(&mut rng, |_| false));
        let drawn: BTreeSet<String> = drawn.map(|(units, _)| String::from_utf16(&units).unwrap()).collect();
        assert!(drawn.contains("[b]") && drawn.contains("[[a]]"), "{drawn:?}");
        assert!(drawn.iter().all(|text| text.matches('[').count() <= 2), "{drawn:?}");
    }
}
