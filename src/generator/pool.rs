//! The pool: values that sequences made, by the types that operations need.
//!
//! A value is a sequence and the index of a statement in it. It is found under every needed type that its declared
//! type is assignable to, and, behind a cast, under those that only its run-time type is (GRT's elephant brain, text 5
//! of the papers, §3.3). A value whose state was seen before is redundant (text 2) and replaces its equal only where
//! its sequence is shorter.

use crate::execution::Fingerprint;
use crate::jvm::Type;
use crate::jvm::types::TypeTable;
use crate::sequence::Sequence;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Values kept per needed type. Beyond it new values replace old ones in turn.
const NEED_LIMIT: usize = 800;

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
    /// The package whose non-public members the sequence uses, as an index; `None` when all are public.
    pub package: Option<u16>,
}

/// A value with the number of lists it stands in; its sequence is let go with the last.
#[derive(Clone, Debug)]
struct Slot {
    value: Option<PoolValue>,
    lists: u32,
}

#[derive(Clone, Copy, Debug)]
struct Candidate {
    value: u32,
    /// Declared type does not suffice: the value needs a cast to the needed type.
    cast: bool,
}

/// The needs that a pair of declared and run-time type serves, and whether behind a cast.
type Fitting = Arc<[(Need, bool)]>;

/// The values of a run.
#[derive(Clone, Debug)]
pub struct Pool {
    needs: Arc<[Type]>,
    values: Vec<Slot>,
    candidates: Vec<Vec<Candidate>>,
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
        value: PoolValue,
        declared: &Type,
        runtime: &Type,
        state: Fingerprint,
    ) -> bool {
        let key = (declared.clone(), state);
        if let Some(&known) = self.by_state.get(&key) {
            let Some(known) = &mut self.values[known as usize].value else { return false };
            let unlocks = known.package.is_some() && value.package.is_none();
            if unlocks || (value.calls < known.calls && (known.package.is_some() || value.package.is_none())) {
                *known = value;
            }
            return false;
        }
        let id = self.values.len() as u32;
        self.by_state.insert(key, id);
        let fitting = self.fitting(types, declared, runtime);
        let lists = fitting.len() as u32;
        self.values.push(Slot { value: (lists > 0).then_some(value), lists });
        for &(need, cast) in fitting.iter() {
            let (list, added) = (&mut self.candidates[need.0 as usize], &mut self.added[need.0 as usize]);
            let candidate = Candidate { value: id, cast };
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

    fn fitting(&mut self, types: &TypeTable, declared: &Type, runtime: &Type) -> Fitting {
        let key = (declared.clone(), runtime.clone());
        if let Some(known) = self.fitting.get(&key) {
            return known.clone();
        }
        let fits = |need: &Type| {
            if types.is_assignable(declared, need) {
                Some(false)
            } else {
                types.is_assignable(runtime, need).then_some(true)
            }
        };
        let found: Fitting = (self.needs.iter().enumerate())
            .filter_map(|(index, need)| fits(need).map(|cast| (Need(index as u32), cast)))
            .collect();
        self.fitting.insert(key, found.clone());
        found
    }

    /// A value for the need that tests in `package` can make, and whether it needs a cast. Of two drawn at random the
    /// one with fewer calls is preferred, so that sequences stay short.
    pub fn choose(&self, need: Need, package: Option<u16>, rng: &mut ChaCha8Rng) -> Option<(&PoolValue, bool)> {
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
            let candidate = list[at];
            let value = self.values[candidate.value as usize].value.as_ref()?;
            let usable = value.package.is_none() || package.is_none() || value.package == package;
            usable.then_some((value, candidate.cast))
        };
        match (draw().or_else(&mut draw), draw()) {
            (Some(first), Some(second)) => {
                let prefer_second = second.0.calls < first.0.calls && rng.random_bool(0.6);
                Some(if prefer_second { second } else { first })
            }
            (first, second) => first.or(second),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::Seed;

    fn value(calls: u32) -> PoolValue {
        PoolValue { sequence: Arc::new(Sequence::new()), index: 0, calls, package: None }
    }

    #[test]
    fn an_equal_state_is_redundant_and_the_shorter_sequence_stays() {
        let stack = Type::class("p/Stack");
        let types = TypeTable::default();
        let mut pool = Pool::new(Arc::from([stack.clone()]));
        assert!(pool.add(&types, value(3), &stack, &stack, 7));
        assert!(!pool.add(&types, value(2), &stack, &stack, 7));
        assert!(!pool.add(&types, value(5), &stack, &stack, 7));
        let (kept, _) = pool.choose(Need(0), None, &mut Seed::root(1).rng()).unwrap();
        assert_eq!((pool.values.len(), kept.calls), (1, 2));
    }

    #[test]
    fn a_value_of_a_wider_declared_type_is_found_behind_a_cast() {
        let (object, stack) = (Type::object(), Type::class("p/Stack"));
        let mut pool = Pool::new(Arc::from([stack.clone()]));
        pool.add(&TypeTable::default(), value(1), &object, &stack, 1);
        assert!(pool.choose(Need(0), None, &mut Seed::root(1).rng()).unwrap().1);
    }

    #[test]
    fn values_of_another_package_are_not_offered() {
        let stack = Type::class("p/Stack");
        let mut pool = Pool::new(Arc::from([stack.clone()]));
        let foreign = PoolValue { package: Some(1), ..value(1) };
        pool.add(&TypeTable::default(), foreign, &stack, &stack, 1);
        assert!(pool.choose(Need(0), Some(2), &mut Seed::root(1).rng()).is_none());
    }
}
