//! Texts that parsers accept: parser-directed generation (Mathis et al., docs/bibliography.md) without tags on characters.
//!
//! A text is run once as it is, and once with a character behind it that hardly any language has. An operand that equals this
//! character was read at the end of the text, so what it is compared with is what may stand there; and if none is, the parser has
//! rejected something before. The place in the code that read the character tells the states of the parser apart: each step from
//! each state is tried, shortest texts first, the steps that lead to an accepted text are remembered to end others, and accepted
//! texts are cut and joined where their states are the same. It hurts where a text is read but means nothing, as all of its
//! characters are then tried; texts that lead nowhere new soon have few turns.
//!
//! See docs/design/parsers.md.

mod expected;
mod front;
mod joined;
mod templates;
#[cfg(test)]
mod tests;

use super::program_model::ProgramModel;
use front::Front;
use model::execution::{Execution, Outcome, Value};
use model::jvm::{JavaString, Literal};
use model::seed::Seed;
use model::sequence::{OperationId, Sequence};
use rand_chacha::ChaCha8Rng;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;
use templates::Wrappers;

/// Places for texts that are looked at.
const FRONTS: usize = 2_000;
/// What is around a list of words, at one place.
const SURROUNDINGS: u32 = 8;
/// Sequences of one operation that are looked at for places.
const LOOKS: u32 = 100;
/// The share of the room that texts have at least and at most.
const SHARES: (f64, f64) = (1.0 / 16.0, 1.0 / 2.0);
/// What was gained by earlier candidates than about so many counts half.
const MEMORY: u32 = 2_000;
/// Texts without anything new after which they are taken to be fruitless.
const FRUITFUL: u32 = 2_000;
/// Longer texts are not made.
const LONGEST: usize = 80;

/// A text of a front, by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextId {
    front: u32,
    text: u32,
}

/// A text that is to run: in a sequence as it is, and in one with the marker behind it.
pub struct Planned {
    pub id: TextId,
    pub sequence: Sequence,
    pub probe: Sequence,
}

/// Where a text goes: the call that takes it, at which input, and the call whose end says whether it was accepted.
type Place = (OperationId, usize, OperationId);

/// The texts of a search.
pub struct Texts {
    fronts: Vec<Front>,
    /// By what is around a list of words.
    of_place: FxHashMap<(Place, u64), usize>,
    /// How many fronts the place has.
    at_place: FxHashMap<Place, u32>,
    /// The place that leads to the code which reads the beginning of a text in the state.
    of_reader: FxHashMap<u64, usize>,
    /// How many sequences that end in the operation were looked at.
    looked_at: FxHashMap<OperationId, u32>,
    wrappers: Wrappers,
    rng: ChaCha8Rng,
    /// What texts gained, and what all other candidates did.
    own: Yield,
    others: Yield,
    /// Texts since the last one that reached something new.
    fruitless: u32,
}

/// How many of the candidates tried of late reached something new.
#[derive(Default)]
struct Yield {
    tried: u32,
    gained: u32,
}

impl Yield {
    fn note(&mut self, is_new: bool) {
        if self.tried == 2 * MEMORY {
            (self.tried, self.gained) = (self.tried / 2, self.gained / 2);
        }
        self.tried += 1;
        self.gained += u32::from(is_new);
    }

    /// How much the next candidate promises.
    fn promise(&self) -> f64 {
        f64::from(1 + self.gained) / f64::from(20 + self.tried)
    }
}

impl Texts {
    pub fn new(model: &ProgramModel, seed: Seed) -> Texts {
        Texts {
            fronts: Vec::new(),
            of_place: FxHashMap::default(),
            at_place: FxHashMap::default(),
            of_reader: FxHashMap::default(),
            looked_at: FxHashMap::default(),
            wrappers: Wrappers::of(&model.program.operations),
            rng: seed.rng(),
            own: Yield::default(),
            others: Yield::default(),
            fruitless: 0,
        }
    }

    /// Notes where an executed sequence, which ends in a call of code under test, has room for a text.
    pub fn note(&mut self, sequence: &Arc<Sequence>, model: &ProgramModel) {
        let Some(last) = sequence.calls().next_back() else { return };
        let times = self.looked_at.entry(last).or_default();
        *times += 1;
        if *times > LOOKS {
            return;
        }
        let is_open = |(called, input, _): Place| model.program.told.limit_of(called, input).is_none();
        for template in templates::of(sequence, &self.wrappers, model).into_iter().filter(|it| is_open(it.place)) {
            let place = (template.place, template.surroundings());
            let fronts = self.at_place.entry(template.place).or_default();
            let at = match self.of_place.get(&place) {
                Some(&at) => at,
                None if self.fronts.len() < FRONTS && *fronts < SURROUNDINGS => {
                    *fronts += 1;
                    self.of_place.insert(place, self.fronts.len());
                    self.fronts.push(Front::new());
                    self.fronts.len() - 1
                }
                None => continue,
            };
            self.fronts[at].offer(template);
        }
    }

    /// The next texts, of at most `room` candidates: the larger a share of them, the more texts gain beside other candidates.
    pub fn next(&mut self, room: usize) -> Vec<Planned> {
        let share = self.own.promise() / (self.own.promise() + self.others.promise());
        let most = (room as f64 * share.clamp(SHARES.0, SHARES.1)) as usize;
        let mut planned = Vec::new();
        // The most promising one first, and of equal ones the first.
        let mut waiting: BinaryHeap<(u64, Reverse<usize>)> =
            self.fronts.iter().enumerate().map(|(at, front)| (front.promise(), Reverse(at))).collect();
        while planned.len() < most
            && let Some((_, Reverse(at))) = waiting.pop()
        {
            let Some(text) = self.fronts[at].next(&mut self.rng) else { continue };
            planned.push(self.planned(TextId { front: at as u32, text }));
            waiting.push((self.fronts[at].promise(), Reverse(at)));
        }
        planned
    }

    /// Whether texts reach something new at present.
    pub fn are_fruitful(&self) -> bool {
        self.fronts.iter().any(Front::is_read) && self.fruitless < FRUITFUL
    }

    fn planned(&self, id: TextId) -> Planned {
        let front = &self.fronts[id.front as usize];
        let (units, template) = (front.units(id.text), front.template());
        Planned { id, sequence: template.with(units), probe: template.probing(units) }
    }

    /// Notes how the text ended.
    pub fn ran(&mut self, id: TextId, execution: &Execution) {
        self.fruitless += 1;
        self.fronts[id.front as usize].ran(id.text, is_accepted(execution));
    }

    /// Notes whether the text, or a candidate without one, reached something new.
    pub fn gained(&mut self, id: Option<TextId>, is_new: bool) {
        let Some(id) = id else { return self.others.note(is_new) };
        self.own.note(is_new);
        if is_new {
            self.fruitless = 0;
            self.fronts[id.front as usize].gained(id.text);
        }
    }

    /// Notes what the marker behind the text was compared with.
    pub fn probed(&mut self, id: TextId, execution: &Execution) {
        let state = execution.states.first().copied().flatten().filter(|&state| state != 0);
        let front = &mut self.fronts[id.front as usize];
        front.probed(id.text, state, &execution.comparisons);
        if let Some(state) = state.filter(|_| front.is_first(id.text) && front.template().words.is_none()) {
            self.note_reader(id.front as usize, state);
        }
    }

    /// Of the places that lead to the same code the one with the shortest sequence remains, and of such the first.
    fn note_reader(&mut self, at: usize, state: u64) {
        let length = |at: usize| self.fronts[at].template().sequence.len();
        let Some(known) = self.of_reader.insert(state, at) else { return };
        let (kept, left) = if length(at) < length(known) { (at, known) } else { (known, at) };
        if kept != left {
            self.of_reader.insert(state, kept);
            self.fronts[left].give_up();
        }
    }

    /// Where the text goes, and the text, unless its words are given one by one.
    pub fn accepted(&self, id: TextId) -> Option<((OperationId, usize), Literal)> {
        let front = &self.fronts[id.front as usize];
        let (taker, input, _) = front.template().place;
        let text = || Literal::String(JavaString::from_units(front.units(id.text)));
        front.template().words.is_none().then(|| ((taker, input), text()))
    }
}

/// Whether the call took the text: what returns `null` or `false` for a text that it rejects throws nothing.
pub fn is_accepted(execution: &Execution) -> bool {
    execution.outcome == Outcome::Completed
        && !matches!(execution.values.last(), Some(Value::Null | Value::Literal(Literal::Boolean(false))))
}
