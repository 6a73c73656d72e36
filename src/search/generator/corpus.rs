//! The corpus: sequences that reached new edges, from which others are made by a change.
//!
//! A class whose edges are all covered has the most sequences and needs them least, so most draws that fall on one are
//! drawn again. So are most that fall on one whose run costs much: there is time for many others.

use model::sequence::Sequence;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// How often another sequence is drawn for one of a class that promises nothing, and then for one that costs much.
const REDRAWS: usize = 3;
/// A sequence whose run costs so many probes is drawn again half of the time.
const COSTLY: u64 = 5_000;

/// Sequences in the order in which they came.
#[derive(Default)]
pub struct Corpus {
    members: Vec<Member>,
    /// By family of classes, the places of its members.
    of_family: FxHashMap<usize, Vec<usize>>,
}

struct Member {
    sequence: Arc<Sequence>,
    /// What it is about, if that is under test.
    subject: Option<Subject>,
    /// Of its run, in probes.
    cost: u64,
}

/// The class that a sequence is about, and its family.
#[derive(Clone, Copy)]
pub struct Subject {
    pub class: usize,
    pub family: usize,
}

impl Corpus {
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Adds a sequence whose run cost so many probes.
    pub fn push(&mut self, sequence: Arc<Sequence>, subject: Option<Subject>, cost: u64) {
        if let Some(Subject { family, .. }) = subject {
            self.of_family.entry(family).or_default().push(self.members.len());
        }
        self.members.push(Member { sequence, subject, cost });
    }

    pub fn retain(&mut self, stays: impl Fn(&Sequence) -> bool) {
        for Member { sequence, subject, cost } in std::mem::take(self).members {
            if stays(&sequence) {
                self.push(sequence, subject, cost);
            }
        }
    }

    /// A sequence to change, of a class that promises something where it can be had. Half of the choices fall on the newest
    /// eighth: it stands at the frontier.
    ///
    /// # Panics
    /// If the corpus is empty.
    pub fn base(&self, is_promising: &[bool], rng: &mut ChaCha8Rng) -> &Sequence {
        let promises = |member: &Member| member.subject.is_none_or(|subject| is_promising[subject.class]);
        &self.draw(self.members.len(), |place| place, promises, rng).sequence
    }

    /// A sequence of the family to change, late ones first as above; `None` if it has none.
    pub fn base_of(&self, family: usize, rng: &mut ChaCha8Rng) -> Option<&Sequence> {
        let own = self.of_family.get(&family)?;
        Some(&self.draw(own.len(), |place| own[place], |_| true, rng).sequence)
    }

    /// One of so many members.
    fn draw(
        &self,
        count: usize,
        member: impl Fn(usize) -> usize,
        promises: impl Fn(&Member) -> bool,
        rng: &mut ChaCha8Rng,
    ) -> &Member {
        let draw = |rng: &mut ChaCha8Rng| {
            let mut drawn = &self.members[member(draw_late(count, rng))];
            for _ in 0..REDRAWS {
                if promises(drawn) {
                    break;
                }
                drawn = &self.members[member(draw_late(count, rng))];
            }
            drawn
        };
        let mut drawn = draw(rng);
        for _ in 0..REDRAWS {
            if rng.random_bool(COSTLY as f64 / (COSTLY + drawn.cost) as f64) {
                break;
            }
            drawn = draw(rng);
        }
        drawn
    }

    /// Any sequence.
    ///
    /// # Panics
    /// If the corpus is empty.
    pub fn any(&self, rng: &mut ChaCha8Rng) -> &Sequence {
        &self.members[rng.random_range(0..self.members.len())].sequence
    }
}

/// One of so many places; half of the draws fall on the last eighth.
fn draw_late(count: usize, rng: &mut ChaCha8Rng) -> usize {
    let span = if rng.random_bool(0.5) { count.div_ceil(8) } else { count };
    count - 1 - rng.random_range(0..span)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::seed::Seed;
    use model::sequence::OperationId;

    #[test]
    fn sequence_that_costs_much_is_seldom_drawn() {
        let mut corpus = Corpus::default();
        for (id, cost) in [(0, 10), (1, 95_000)] {
            let mut sequence = Sequence::new();
            sequence.push_call(OperationId(id), &[]);
            corpus.push(Arc::new(sequence), None, cost);
        }
        let mut rng = Seed::root(1).rng();
        let mut costly = || corpus.base(&[], &mut rng).call_at(0) == Some(OperationId(1));
        let drawn = (0..1000).filter(|_| costly()).count();
        assert!((200..500).contains(&drawn), "{drawn}");
    }

    #[test]
    fn sequences_of_a_promising_class_are_drawn_more_often_than_their_number_says() {
        let mut corpus = Corpus::default();
        let call = |id| {
            let mut sequence = Sequence::new();
            sequence.push_call(OperationId(id), &[]);
            Arc::new(sequence)
        };
        for number in 0..100 {
            let class = usize::from(number % 10 == 0);
            corpus.push(call(class as u32), Some(Subject { class, family: class }), 0);
        }
        let mut rng = Seed::root(1).rng();
        let mut share = |is_promising: [bool; 2]| {
            let drawn = (0..1000).map(|_| corpus.base(&is_promising, &mut rng).call_at(0));
            drawn.filter(|first| *first == Some(OperationId(1))).count()
        };
        let share_alone = share([false, true]);
        assert!(share_alone > 300, "{share_alone}");
        assert!(share([true, true]) < 200 && share([false, false]) < 200);
        let first = |drawn: Option<&Sequence>| drawn.and_then(|sequence| sequence.call_at(0));
        assert_eq!(first(corpus.base_of(1, &mut rng)), Some(OperationId(1)));
        corpus.retain(|sequence| sequence.call_at(0) == Some(OperationId(0)));
        assert_eq!([0, 1].map(|family| first(corpus.base_of(family, &mut rng))), [Some(OperationId(0)), None]);
        assert_eq!(corpus.any(&mut rng).call_at(0), Some(OperationId(0)));
    }
}
