//! The pool: values that sequences made, by the types that operations need.
//!
//! A value is a sequence and the index of a statement in it. It is found under every needed type that it serves
//! (`guidance::Typing`), and drawn by its weight (`guidance::ValueChoice`). A value whose state was seen before is
//! redundant (feedback-directed random generation, docs/bibliography.md) and replaces its equal only where its
//! sequence is shorter.

use super::guidance::{Typing, ValueChoice};
use model::execution::Fingerprint;
use model::jvm::Type;
use model::jvm::types::{ClassFacts, TypeTable};
use model::sequence::Sequence;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Most values per needed type. Beyond it, new values replace old ones in turn.
const NEED_LIMIT: usize = 700;

/// Values that are examined for one choice.
const DRAWS: usize = 3;

/// Index of a type that some operation takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Need(pub u32);

/// One value.
#[derive(Clone, Debug)]
pub struct PoolValue {
    pub sequence: Arc<Sequence>,
    /// The statement that makes it.
    pub index: u32,
    /// Calls in the sequence, literals left out.
    pub calls: u32,
    /// Probes that its run executed.
    pub cost: u64,
    /// The package whose non-public members the sequence uses, as an index; `None` when all are public.
    pub package: Option<u16>,
    /// Whether the sequence calls back doors.
    pub back_door: bool,
}

impl PoolValue {
    /// How many tests can make it, and at what cost: the least is the best.
    fn rank(&self) -> (bool, bool, u32) {
        (self.back_door, self.package.is_some(), self.calls)
    }
}

/// A value drawn from the pool.
#[derive(Clone, Copy, Debug)]
pub struct Drawn<'a> {
    pub value: &'a PoolValue,
    /// It fits the need only behind a cast.
    pub cast: bool,
    /// What [`Pool::note_use`] knows it by.
    pub id: u32,
}

/// A value and the number of lists that contain it; its sequence is dropped with the last.
#[derive(Clone, Debug)]
struct Slot {
    value: Option<PoolValue>,
    lists: u32,
    uses: u32,
}

#[derive(Clone, Copy, Debug)]
struct UsableValue {
    value: u32,
    /// Declared type does not suffice: the value needs a cast to the needed type.
    cast: bool,
}

/// The needs that a pair of declared and run-time type serves, and whether with a cast.
type Fitting = Arc<[(Need, bool)]>;

/// The values of a run.
#[derive(Clone, Debug)]
pub struct Pool {
    needs: Arc<[Type]>,
    values: Vec<Slot>,
    candidates: Vec<Vec<UsableValue>>,
    added: Vec<u32>,
    by_state: FxHashMap<(Type, Fingerprint), u32>,
    fitting: FxHashMap<(Type, Type), Fitting>,
}

impl Pool {
    pub fn new(needs: Arc<[Type]>) -> Pool {
        let count = needs.len();
        Pool {
            needs,
            values: Vec::new(),
            candidates: vec![Vec::new(); count],
            added: vec![0; count],
            by_state: FxHashMap::default(),
            fitting: FxHashMap::default(),
        }
    }

    /// Adds a value of the declared and run-time types. Returns whether its state is new.
    pub fn add(
        &mut self,
        types: &TypeTable,
        typing: &dyn Typing,
        value: PoolValue,
        (declared, runtime): (&Type, &Type),
        state: Fingerprint,
    ) -> bool {
        let key = (declared.clone(), state);
        if let Some(&known) = self.by_state.get(&key) {
            let Some(known) = &mut self.values[known as usize].value else { return false };
            if value.rank() < known.rank() {
                *known = value;
            }
            return false;
        }
        let id = self.values.len() as u32;
        self.by_state.insert(key, id);
        let fitting = self.fitting(types, typing, declared, runtime);
        let lists = fitting.len() as u32;
        self.values.push(Slot { value: (lists > 0).then_some(value), lists, uses: 0 });
        for &(need, cast) in fitting.iter() {
            let (list, added) = (&mut self.candidates[need.0 as usize], &mut self.added[need.0 as usize]);
            let candidate = UsableValue { value: id, cast };
            if list.len() < NEED_LIMIT {
                list.push(candidate);
            } else {
                let old = std::mem::replace(&mut list[*added as usize % NEED_LIMIT], candidate);
                let slot = &mut self.values[old.value as usize];
                slot.lists -= 1;
                if slot.lists == 0 {
                    slot.value = None;
                }
            }
            *added += 1;
        }
        true
    }

    fn fitting(&mut self, types: &TypeTable, typing: &dyn Typing, declared: &Type, runtime: &Type) -> Fitting {
        let key = (declared.clone(), runtime.clone());
        if let Some(known) = self.fitting.get(&key) {
            return known.clone();
        }
        // No object is of an abstract class: an implementation shows under the name of what it implements. Where any
        // object will do there are better ones.
        let is_implementation =
            matches!(runtime, Type::Class(class) if types.get(class).is_some_and(ClassFacts::is_abstract));
        let is_misplaced = |need: &Type| is_implementation && *need == Type::object();
        let serves = |need: &Type| typing.serves(types, declared, runtime, need).filter(|_| !is_misplaced(need));
        let found: Fitting = (self.needs.iter().enumerate())
            .filter_map(|(index, need)| serves(need).map(|cast| (Need(index as u32), cast)))
            .collect();
        self.fitting.insert(key, found.clone());
        found
    }

    /// A value for the need that tests in the package can make, through back doors only if those may be used: of a few drawn
    /// at random, one by weight, or the one that took most calls if `is_deep`.
    pub fn choose(
        &self,
        need: Need,
        (package, back_doors): (Option<u16>, bool),
        choice: &dyn ValueChoice,
        is_deep: bool,
        rng: &mut ChaCha8Rng,
    ) -> Option<Drawn<'_>> {
        let list = &self.candidates[need.0 as usize];
        if list.is_empty() {
            return None;
        }
        let mut draw = || {
            // A third of the draws look at the newest values alone: they are what the last rounds found.
            let newest = list.len().min(64);
            let at = if rng.random_bool(0.33) {
                list.len() - 1 - rng.random_range(0..newest)
            } else {
                rng.random_range(0..list.len())
            };
            let UsableValue { value: id, cast } = list[at];
            let slot = &self.values[id as usize];
            let value = slot.value.as_ref()?;
            let usable = value.package.is_none() || package.is_none() || value.package == package;
            (usable && (back_doors || !value.back_door))
                .then(|| (Drawn { value, cast, id }, choice.weigh(value, slot.uses)))
        };
        let drawn: [Option<(Drawn, f64)>; DRAWS] = std::array::from_fn(|_| draw());
        let mut ticket = rng.random_range(0.0..1.0) * drawn.iter().flatten().map(|(_, weight)| weight).sum::<f64>();
        if is_deep {
            return drawn.iter().flatten().map(|(drawn, _)| *drawn).max_by_key(|drawn| drawn.value.calls);
        }
        let by_weight = drawn.iter().flatten().find(|(_, weight)| {
            ticket -= weight;
            ticket < 0.0
        });
        by_weight.or(drawn.iter().flatten().last()).map(|(drawn, _)| *drawn)
    }

    /// Notes that a candidate was built upon the value.
    pub fn note_use(&mut self, id: u32) {
        self.values[id as usize].uses += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generator::guidance::{ElephantBrain, Orienteering};
    use model::jvm::ClassName;
    use model::jvm::types::access;
    use model::seed::Seed;

    fn value(calls: u32) -> PoolValue {
        PoolValue { sequence: Arc::new(Sequence::new()), index: 0, calls, cost: 1, package: None, back_door: false }
    }

    fn draw(pool: &Pool, package: Option<u16>) -> Option<Drawn<'_>> {
        pool.choose(Need(0), (package, false), &Orienteering, false, &mut Seed::root(1).rng())
    }

    #[test]
    fn cheap_values_are_drawn_more_often_than_expensive_or_often_used_ones() {
        let stack = Type::class("p/Stack");
        let mut pool = Pool::new(Arc::from([stack.clone()]));
        for (state, cost) in [(1, 10), (2, 50_000), (3, 10)] {
            let value = PoolValue { cost, ..value(1) };
            pool.add(&TypeTable::default(), &ElephantBrain, value, (&stack, &stack), state);
        }
        (0..9).for_each(|_| pool.note_use(2));
        let mut rng = Seed::root(1).rng();
        let mut counts = [0; 3];
        for _ in 0..1000 {
            counts[pool.choose(Need(0), (None, false), &Orienteering, false, &mut rng).unwrap().id as usize] += 1;
        }
        assert!(counts[0] > counts[2] && counts[2] > counts[1] && counts[1] > 0, "{counts:?}");
    }

    #[test]
    fn value_that_took_many_calls_is_drawn_more_often_where_it_is_to_be_deep() {
        let bank = Type::class("p/Bank");
        let mut pool = Pool::new(Arc::from([bank.clone()]));
        for state in 1..=3 {
            pool.add(&TypeTable::default(), &ElephantBrain, value(state), (&bank, &bank), state.into());
        }
        let mut rng = Seed::root(1).rng();
        let mut drawn = |is_deep| {
            let draws = (0..1000).filter_map(|_| pool.choose(Need(0), (None, false), &Orienteering, is_deep, &mut rng));
            draws.filter(|drawn| drawn.value.calls == 3).count()
        };
        let (any, deep) = (drawn(false), drawn(true));
        assert!(deep > 3 * any / 2, "{any}, {deep}");
    }

    #[test]
    fn pool_of_a_million_states_takes_at_most_200_mb() {
        use model::jvm::Literal;
        use model::sequence::OperationId;
        const STATES: u64 = 1_000_000;
        let stack = Type::class("p/Stack");
        let types = TypeTable::default();
        let mut pool = Pool::new(Arc::from([stack.clone()]));
        for state in 0..STATES {
            let mut sequence = Sequence::new();
            let made = sequence.push_call(OperationId(0), &[]);
            let number = sequence.push_literal(Literal::Int(state as i32));
            sequence.push_call(OperationId(1), &[made, number]);
            let value = PoolValue { sequence: Arc::new(sequence), ..value(2) };
            // As hashes are spread.
            pool.add(&types, &ElephantBrain, value, (&stack, &stack), state.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        }
        // Hash tables are full to seven eighths at most, of a power of two, with a byte of their own for each entry.
        let buckets = (pool.by_state.capacity() * 8 / 7).next_power_of_two();
        let table = buckets * (size_of::<((Type, Fingerprint), u32)>() + 1);
        let slots = pool.values.capacity() * size_of::<Slot>();
        // A table that grows is there twice, once half as large.
        let bytes = table + table / 2 + slots;
        assert!(pool.by_state.len() == STATES as usize && bytes <= 200_000_000, "{bytes} bytes");
        let sequences = pool.values.iter().filter(|slot| slot.value.is_some()).count();
        assert_eq!(sequences, NEED_LIMIT, "of the others the sequences are let go");
    }

    #[test]
    fn equal_state_keeps_only_the_shorter_sequence() {
        let stack = Type::class("p/Stack");
        let types = TypeTable::default();
        let mut pool = Pool::new(Arc::from([stack.clone()]));
        assert!(pool.add(&types, &ElephantBrain, value(3), (&stack, &stack), 7));
        assert!(!pool.add(&types, &ElephantBrain, value(2), (&stack, &stack), 7));
        assert!(!pool.add(&types, &ElephantBrain, value(5), (&stack, &stack), 7));
        let kept = draw(&pool, None).unwrap();
        assert_eq!((pool.values.len(), kept.value.calls), (1, 2));
    }

    #[test]
    fn value_through_a_back_door_is_replaced_by_an_equal_one_and_offered_to_those_who_may_use_it() {
        let stack = Type::class("p/Stack");
        let mut pool = Pool::new(Arc::from([stack.clone()]));
        let types = TypeTable::default();
        pool.add(&types, &ElephantBrain, PoolValue { back_door: true, ..value(1) }, (&stack, &stack), 1);
        assert!(draw(&pool, None).is_none());
        assert!(pool.choose(Need(0), (None, true), &Orienteering, false, &mut Seed::root(1).rng()).is_some());
        pool.add(&types, &ElephantBrain, value(3), (&stack, &stack), 1);
        assert_eq!(draw(&pool, None).map(|drawn| drawn.value.calls), Some(3));
    }

    #[test]
    fn value_of_a_wider_declared_type_is_offered_with_a_cast() {
        let (object, stack) = (Type::object(), Type::class("p/Stack"));
        let mut pool = Pool::new(Arc::from([stack.clone()]));
        pool.add(&TypeTable::default(), &ElephantBrain, value(1), (&object, &stack), 1);
        assert!(draw(&pool, None).unwrap().cast);
    }

    #[test]
    fn values_of_another_package_are_not_offered() {
        let stack = Type::class("p/Stack");
        let mut pool = Pool::new(Arc::from([stack.clone()]));
        let foreign = PoolValue { package: Some(1), ..value(1) };
        pool.add(&TypeTable::default(), &ElephantBrain, foreign, (&stack, &stack), 1);
        assert!(draw(&pool, Some(2)).is_none());
    }

    #[test]
    fn implementation_is_not_offered_for_type_object() {
        let (object, shape) = (Type::object(), ClassName::new("p/Shape"));
        let mut types = TypeTable::default();
        types.insert(ClassFacts {
            name: shape.clone(),
            access: access::PUBLIC | access::ABSTRACT,
            super_class: None,
            interfaces: Vec::new(),
            outer: None,
            source_simple_name: None,
            signature: None,
            methods: Vec::new(),
            constants: Vec::new(),
        });
        let shape = Type::Class(shape);
        let mut pool = Pool::new(Arc::from([object, shape.clone()]));
        pool.add(&types, &ElephantBrain, value(1), (&shape, &shape), 1);
        assert_eq!(pool.candidates.iter().map(Vec::len).collect::<Vec<_>>(), [0, 1]);
    }
}
