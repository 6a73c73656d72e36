//! The texts of one place, and the states of the code that reads them there.

use super::LONGEST;
use super::expected::{self, Step};
use super::joined::{Joined, Places};
use super::templates::{SEPARATOR, Template};
use crate::generator::literals::is_in_word;
use model::execution::Comparison;
use rand_chacha::ChaCha8Rng;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::hash::BuildHasher;
use std::sync::Arc;

/// Templates that are tried until one reads.
const TEMPLATES: usize = 5;
/// Texts of one place.
const TEXTS: usize = 150_000;
/// Visits of a state after which only a few steps from it are taken again.
const VISITS: u32 = 8;
const STEPS_AGAIN: usize = 4;
/// Steps that were seen anywhere and are tried from each state.
const ALPHABET: usize = 120;
/// How much later these are tried than those that comparisons name.
const BEYOND: u32 = 30;
/// How much later a step is tried for each time that it was taken from the state.
const AGAIN: u32 = 8;
/// How much later a text is extended that is read in the same state as before its last step, and how much sooner one that reached
/// something new.
const STAYING: u32 = 12;
const NEW: u32 = 12;
/// So many words that a rejected one was compared with are what the parser wants instead.
const FEW: usize = 6;
/// Behind a word that was read for the first time, so many characters that are in no word are tried: what else may be there, the parser
/// says of them. The others come so much later.
const BEHIND_WORD: usize = 3;
const REST: u32 = 10;
/// After so many steps that led nowhere, and none that led elsewhere, the others from a text come last: a parser rejects a token when
/// it asks for the next one.
const DEAD: u32 = 3;
const LAST: u32 = 1_000;
/// Steps to the end of a text.
const CLOSING: u8 = 24;
/// Texts that wait for a way to the end.
const UNCLOSED: usize = 16;
/// One in so many texts is joined from accepted ones.
const JOINED: u32 = 6;

type Units = Arc<[u16]>;
/// A state of the code that reads; the lower half is the same for states of which only farther callers differ.
pub(super) type StateId = u64;

/// What states have in common of which only farther callers differ.
fn nearest(state: StateId) -> u32 {
    state as u32
}

/// A text.
struct Text {
    units: Units,
    /// The text before the last step.
    before: Option<u32>,
    step: Units,
    depth: u32,
    /// The state in which its end was read, if it was.
    state: Option<StateId>,
    /// The state as the worker told it.
    told: Option<u64>,
    /// How many steps from it led nowhere, and how many somewhere else.
    dead: u32,
    alive: u32,
    /// The states at earlier places, if it was not made by steps.
    inherited: Places,
    is_accepted: bool,
    is_new: bool,
    has_run: bool,
    /// Its last step was not taken before from a state much like this one, or leads to the end of such a text.
    is_fresh: bool,
    /// Its last step is one of few words that the parser asked for.
    is_asked_for: bool,
    /// How many steps were made to end it.
    closing: u8,
}

/// A step that waits, the soonest first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Waiting {
    later: u32,
    number: u32,
    /// The text, and how much of it is before the step.
    text: u32,
    at: usize,
    /// Without one it is the next step of the alphabet, behind so many.
    step: Option<Units>,
    behind: usize,
    is_fresh: bool,
    is_asked_for: bool,
}

/// How many steps lead to an accepted text, and the first of them.
type Distance = Option<(u32, Units)>;

#[derive(Default)]
struct State {
    visits: u32,
    distance: Distance,
    /// Texts that ended here before a way was known.
    unclosed: Vec<u32>,
}

/// States of which only farther callers differ.
#[derive(Default)]
struct Group {
    visits: u32,
    /// How often each step was taken.
    steps: FxHashMap<Units, u32>,
    distance: Distance,
}

fn is_word(step: &[u16]) -> bool {
    step.len() > 1 && step.iter().all(|&unit| is_in_word(unit))
}

/// A place for texts.
pub struct Front {
    templates: Vec<Template>,
    /// The templates that were tried, the last of which reads if there are texts.
    tried: usize,
    reads: bool,
    /// A template is being tried.
    is_asked: bool,
    /// Another place leads to the same code by a shorter way.
    is_detour: bool,
    texts: Vec<Text>,
    known: FxHashMap<Units, u32>,
    waiting: BinaryHeap<Reverse<Waiting>>,
    /// How many steps were enqueued.
    enqueued: u32,
    closing: VecDeque<u32>,
    states: FxHashMap<StateId, State>,
    groups: FxHashMap<u32, Group>,
    alphabet: Vec<Units>,
    joined: Joined,
    spent: u32,
    gained: u32,
}

impl Front {
    pub fn new() -> Front {
        Front {
            templates: Vec::new(),
            tried: 0,
            reads: false,
            is_asked: false,
            is_detour: false,
            texts: Vec::new(),
            known: FxHashMap::default(),
            waiting: BinaryHeap::new(),
            enqueued: 0,
            closing: VecDeque::new(),
            states: FxHashMap::default(),
            groups: FxHashMap::default(),
            alphabet: [" ", "\n", "a", "1"].map(|text| text.encode_utf16().collect()).to_vec(),
            joined: Joined::default(),
            spent: 0,
            gained: 0,
        }
    }

    /// Takes another template, unless one reads or enough were tried.
    pub fn offer(&mut self, template: Template) {
        if !self.reads && self.templates.len() < TEMPLATES && !self.templates.contains(&template) {
            self.templates.push(template);
        }
    }

    /// The template in use.
    pub fn template(&self) -> &Template {
        &self.templates[self.tried - 1]
    }

    /// Leaves the texts to another place.
    pub fn give_up(&mut self) {
        self.is_detour = true;
        (self.waiting, self.closing) = (BinaryHeap::new(), VecDeque::new());
    }

    /// Whether code reads the texts.
    pub fn is_read(&self) -> bool {
        self.reads && !self.is_detour
    }

    /// Whether the text is the empty one, with which texts begin.
    pub fn is_first(&self, text: u32) -> bool {
        self.reads && text == 0
    }

    pub fn units(&self, text: u32) -> &[u16] {
        &self.texts[text as usize].units
    }

    /// How much the next text promises.
    pub fn promise(&self) -> u64 {
        (1 + 8 * u64::from(self.gained)) * 1_000_000 / (20 + u64::from(self.spent))
    }

    /// The text to run next.
    pub fn next(&mut self, rng: &mut ChaCha8Rng) -> Option<u32> {
        if self.is_asked || self.is_detour {
            return None;
        }
        if !self.reads {
            if self.tried == self.templates.len() {
                return None;
            }
            self.tried += 1;
            self.is_asked = true;
            (self.texts, self.known) = (Vec::new(), FxHashMap::default());
            let empty = self.add(Arc::from([]), None, Arc::from([]))?;
            return self.run(empty);
        }
        while let Some(text) = self.closing.pop_front() {
            if !self.texts[text as usize].has_run {
                return self.run(text);
            }
        }
        if self.spent.is_multiple_of(JOINED)
            && let Some(text) = self.join(rng)
        {
            return self.run(text);
        }
        while let Some(Reverse(waiting)) = self.waiting.pop() {
            if let Some(text) = self.step(waiting) {
                return self.run(text);
            }
        }
        let text = self.join(rng)?;
        self.run(text)
    }

    fn run(&mut self, text: u32) -> Option<u32> {
        self.texts[text as usize].has_run = true;
        self.spent += 1;
        Some(text)
    }

    /// The new text that the step leads to; `None` if it is known.
    fn step(&mut self, waiting: Waiting) -> Option<u32> {
        let Waiting { later, text, at, behind, is_fresh, is_asked_for, .. } = waiting;
        let Text { dead, alive, .. } = self.texts[text as usize];
        if dead >= DEAD && alive == 0 && later < LAST {
            self.wait(Waiting { later: later + LAST, ..waiting });
            return None;
        }
        let units = self.texts[text as usize].units.clone();
        let step = match waiting.step.clone() {
            Some(step) => step,
            None => {
                let step = self.alphabet.get(behind)?.clone();
                self.wait(Waiting { later: later + 1, behind: behind + 1, step: None, ..waiting });
                step
            }
        };
        let joined: Units = [&units[..at], &step].concat().into();
        if self.known.contains_key(&joined) {
            return None;
        }
        let before = self.known.get(&units[..at]).copied();
        let made = self.add(joined, before, step)?;
        let of = &mut self.texts[made as usize];
        (of.is_fresh, of.is_asked_for) = (is_fresh, is_asked_for);
        Some(made)
    }

    fn wait(&mut self, waiting: Waiting) {
        self.enqueued += 1;
        self.waiting.push(Reverse(Waiting { number: self.enqueued, ..waiting }));
    }

    /// A new text of accepted ones.
    fn join(&mut self, rng: &mut ChaCha8Rng) -> Option<u32> {
        let (units, inherited) = self.joined.draw(rng, |units| self.known.contains_key(units))?;
        let text = self.add(units.into(), None, Arc::from([]))?;
        self.texts[text as usize].inherited = inherited;
        Some(text)
    }

    /// The number of the text, which may be known.
    fn add(&mut self, units: Units, before: Option<u32>, step: Units) -> Option<u32> {
        if let Some(&known) = self.known.get(&units) {
            return Some(known);
        }
        if units.len() > LONGEST || self.texts.len() == TEXTS {
            return None;
        }
        let number = self.texts.len() as u32;
        self.known.insert(units.clone(), number);
        let depth = before.map_or(0, |before| self.texts[before as usize].depth + 1);
        let text = Text {
            units,
            before,
            step,
            depth,
            state: None,
            told: None,
            dead: 0,
            alive: 0,
            inherited: Vec::new(),
            is_accepted: false,
            is_new: false,
            has_run: false,
            is_fresh: false,
            is_asked_for: false,
            closing: 0,
        };
        self.texts.push(text);
        Some(number)
    }

    /// Notes how a text ended.
    pub fn ran(&mut self, text: u32, is_accepted: bool) {
        self.texts[text as usize].is_accepted = is_accepted;
    }

    /// Notes that a text reached something new.
    pub fn gained(&mut self, text: u32) {
        self.texts[text as usize].is_new = true;
        self.gained += 1;
    }

    /// Notes which state read the end of a text, and what it was compared with.
    pub fn probed(&mut self, text: u32, state: Option<u64>, comparisons: &[Comparison]) {
        self.is_asked = false;
        let units = self.texts[text as usize].units.clone();
        let mut steps = expected::steps(&units, comparisons);
        self.reads |= state.is_some() || !steps.is_empty();
        if !self.reads {
            return;
        }
        if self.template().words.is_some() && units.last().is_some_and(|&last| last != SEPARATOR) {
            steps.push(Step { at: units.len(), units: vec![SEPARATOR] });
        }
        self.note_end(text, state);
        let state = state.map(|state| self.state_of(text, state, &steps));
        self.texts[text as usize].state = state;
        let is_first = state.is_some_and(|state| {
            let state = self.states.entry(state).or_default();
            state.visits += 1;
            state.visits == 1
        });
        self.note_distance(text, state);
        self.extend(text, state, steps, is_first);
        let Text { is_accepted, is_new, is_fresh, closing, .. } = self.texts[text as usize];
        if is_accepted {
            if is_new || is_fresh {
                let places = self.places(text);
                self.joined.add(&units, places, is_new);
            }
        } else if is_new || is_first || closing > 0 {
            self.close(text);
        }
    }

    /// Notes at the text before whether the last step led somewhere else.
    fn note_end(&mut self, text: u32, told: Option<u64>) {
        let of = &mut self.texts[text as usize];
        of.told = told;
        let (is_accepted, before) = (of.is_accepted, of.before);
        let Some(before) = before.map(|before| &mut self.texts[before as usize]) else { return };
        before.dead += u32::from(told.is_none() && !is_accepted);
        before.alive += u32::from(told.is_some() && told != before.told || told.is_none() && is_accepted);
    }

    /// The state, told apart by the characters that are expected, and by a word that was read last: a lexer has read one token more
    /// than the parser.
    fn state_of(&self, text: u32, state: u64, steps: &[Step]) -> StateId {
        let of = &self.texts[text as usize];
        let mut expected: Vec<u16> =
            steps.iter().filter(|step| step.at == of.units.len()).map(|step| step.units[0]).collect();
        expected.sort_unstable();
        let word = Some(&of.step).filter(|step| is_word(step));
        let all = FxBuildHasher.hash_one((state, &expected, word));
        let nearest = FxBuildHasher.hash_one((nearest(state), &expected, word.is_some()));
        all << 32 | u64::from(nearest as u32)
    }

    /// The places of a text where the state is known, from the first on.
    fn places(&self, text: u32) -> Places {
        let mut places = Vec::new();
        let mut at = Some(text);
        while let Some(text) = at {
            let of = &self.texts[text as usize];
            places.extend(of.state.map(|state| (of.units.len(), state)));
            places.extend(of.inherited.iter().rev());
            at = of.before;
        }
        places.reverse();
        places.dedup_by_key(|(place, _)| *place);
        places
    }

    /// Enqueues the steps from the text.
    fn extend(&mut self, text: u32, state: Option<StateId>, mut steps: Vec<Step>, is_first: bool) {
        let Text { depth, ref units, is_new, is_fresh, is_asked_for, before, told, .. } = self.texts[text as usize];
        let units = units.clone();
        let stays = told.is_some() && before.is_some_and(|before| self.texts[before as usize].told == told);
        let is_told = state.is_none() && steps.len() <= FEW;
        let soon = 2 * depth + if stays { STAYING } else { 0 };
        let is_elsewhere = state.is_some_and(|state| {
            let group = self.groups.entry(nearest(state)).or_default();
            group.visits += 1;
            group.visits == 1
        });
        let is_wanted = is_new || is_told || is_asked_for;
        let soon = soon.saturating_sub(if is_wanted || is_elsewhere { NEW } else { 0 });
        let length = units.len();
        for step in &steps {
            let step: Units = step.units.as_slice().into();
            if self.alphabet.len() < ALPHABET && !self.alphabet.contains(&step) {
                self.alphabet.push(step);
            }
        }
        let waiting = |later| Waiting {
            later,
            number: 0,
            text,
            at: length,
            step: None,
            behind: 0,
            is_fresh: false,
            is_asked_for: is_told,
        };
        if is_first {
            self.wait(waiting(soon + BEYOND));
        }
        match state {
            Some(state) if !is_wanted && self.states.entry(state).or_default().visits > VISITS => {
                let group = self.groups.entry(nearest(state)).or_default();
                steps.sort_by_key(|step| group.steps.get(step.units.as_slice()).copied().unwrap_or(0));
                steps.truncate(STEPS_AGAIN);
            }
            Some(state) if is_word(&self.texts[text as usize].step) => {
                // What the word itself could go on with was compared first.
                steps.reverse();
                let group = self.groups.entry(nearest(state)).or_default();
                steps.sort_by_key(|step| group.steps.get(step.units.as_slice()).copied().unwrap_or(0));
            }
            // The text was rejected; another word in place of its last one may not be.
            None if !is_fresh => return,
            _ => {}
        }
        let mut behind_word = if is_word(&self.texts[text as usize].step) { BEHIND_WORD } else { 0 };
        let is_behind_word = behind_word > 0;
        for step in steps {
            let before = if step.at < length { self.known.get(&units[..step.at]) } else { None };
            let taken_from = before.and_then(|&before| self.texts[before as usize].state).or(state);
            let Some(taken_from) = taken_from else { continue };
            let (at, step): (usize, Units) = (step.at, step.units.into());
            let times = self.groups.entry(nearest(taken_from)).or_default().steps.entry(step.clone()).or_default();
            *times += 1;
            let again = AGAIN * (*times - 1).min(2);
            let is_first_behind = behind_word > 0 && at == length && !is_in_word(step[0]);
            behind_word -= usize::from(is_first_behind);
            let later = match is_behind_word {
                _ if is_first_behind || is_wanted => 0,
                true => again + REST,
                false => again,
            };
            let is_fresh = later == 0;
            self.wait(Waiting { at, step: Some(step), is_fresh, ..waiting(soon + later) });
        }
    }

    /// Notes from which states the text, if it was accepted or a way to the end is known, can be ended.
    fn note_distance(&mut self, text: u32, state: Option<StateId>) {
        let known = state.and_then(|state| self.states.get(&state)?.distance.as_ref().map(|(distance, _)| *distance));
        let Some(mut distance) = (if self.texts[text as usize].is_accepted { Some(0) } else { known }) else { return };
        let mut at = text;
        while let Some(before) = self.texts[at as usize].before {
            distance += 1;
            let step = self.texts[at as usize].step.clone();
            at = before;
            let Some(state) = self.texts[at as usize].state.filter(|_| !self.texts[at as usize].is_accepted) else {
                break;
            };
            let is_farther = |of: &Distance| of.as_ref().is_none_or(|(known, _)| *known > distance);
            let group = self.groups.entry(nearest(state)).or_default();
            if is_farther(&group.distance) {
                group.distance = Some((distance, step.clone()));
            }
            let state = self.states.entry(state).or_default();
            if !is_farther(&state.distance) {
                break;
            }
            state.distance = Some((distance, step));
            for unclosed in std::mem::take(&mut state.unclosed) {
                self.close(unclosed);
            }
        }
    }

    /// Enqueues the text with a step towards the end.
    fn close(&mut self, text: u32) {
        let Text { state: Some(id), closing, .. } = self.texts[text as usize] else { return };
        if closing == CLOSING {
            return;
        }
        let state = self.states.entry(id).or_default();
        let of_group = || self.groups.get(&nearest(id))?.distance.clone();
        let Some((_, step)) = state.distance.clone().or_else(of_group) else {
            if state.unclosed.len() < UNCLOSED {
                state.unclosed.push(text);
            }
            return;
        };
        let units: Units = [&*self.texts[text as usize].units, &*step].concat().into();
        let Some(next) = self.add(units, Some(text), step) else { return };
        let next_text = &mut self.texts[next as usize];
        if !next_text.has_run {
            next_text.closing = closing + 1;
            next_text.is_fresh = true;
            self.closing.push_back(next);
        }
    }
}
