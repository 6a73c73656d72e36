//! Equations between what calls do to objects (Xie and Notkin, docs/bibliography.md: "Algebraic specification
//! inference"), such as `top(push(S, element)) == element`.
//!
//! Two calls compose if the state that the first leaves is the one that the second begins in, as far as `equals` reads it;
//! so a few thousand calls of different tests say what happens in very many sequences that nobody ran. States on both sides
//! of an equation are the same if `equals` says so. What a constructor makes is a state to begin in like any other:
//! `isEmpty(Stack()) == true`. An equation that holds in nearly all compositions is *common*: what
//! breaks it are special cases.

mod equation;
mod steps;

pub use equation::{Aspect, Equation, EquationCondition, Right};
pub use steps::made;

use super::SpecifiedMethod;
use super::axiomatic::Tables;
use super::observations::{CallId, Observations, StateId};
use model::execution::trace::{Datum, TracedMethod};
use model::jvm::ClassName;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use steps::{CallStep, ComparedValue, Pair, Steps, steps};

/// Compositions of one pair of methods that are looked at, spread over the calls of the first.
const COMPOSITIONS: usize = 20_000;

/// Distinct compositions, and states that they begin in, without which nothing is believed; more of what is true or false.
const FEWEST: usize = 4;
const FEWEST_STATES: usize = 2;
const FEWEST_BOOLEANS: usize = 7;

/// Share of compositions, or of the states that they begin in, that an equation holds in to be common.
const COMMON: f64 = 0.9;

/// A call, and one that begins where it ends.
pub type Composition = (CallId, Option<CallId>);

/// An equation, and how it fared.
#[derive(Clone, Debug, PartialEq)]
pub struct Supported {
    /// What was counted.
    pub equation: Equation,
    /// Compositions that keep it.
    pub holds: usize,
    /// Compositions that break it; 0 of an axiom.
    pub fails: usize,
    /// States that compositions begin in, and those of them where some break it. A search calls a method on its first states
    /// with far more arguments than on others.
    pub states: usize,
    /// Those of them where some composition breaks it.
    pub failing_states: usize,
    /// The first that keeps it, and the first that breaks it, each as the inner and the outer call.
    pub example: Option<Composition>,
    /// The first that breaks it.
    pub special: Option<Composition>,
}

impl Supported {
    fn is_common(&self) -> bool {
        let share = |all: usize, fails: usize| (all - fails) as f64 / all as f64;
        let (of_compositions, of_states) =
            (share(self.holds + self.fails, self.fails), share(self.states, self.failing_states));
        of_compositions.max(of_states) >= COMMON
    }
}

/// The equations that hold in all compositions of these calls, then the common ones.
pub fn infer(tables: &Tables, methods: &[SpecifiedMethod], calls: &BTreeSet<CallId>) -> Vec<Supported> {
    let observations = tables.observations;
    let by_class = steps(observations, methods, calls);
    let mut found = Vec::new();
    for (class, steps) in &by_class {
        let of_class = Class { observations, class, steps };
        let singles = of_class.singles();
        let changing = steps.by_method.keys().filter(|method| !steps.pure.contains(method));
        for &inner in changing.chain(steps.by_constructor.keys()) {
            for &outer in steps.by_method.keys() {
                let is_constant = singles.iter().any(|single| {
                    single.fails == 0 && single.equation.inner == outer && single.equation.aspect == Aspect::Result
                });
                found.extend(of_class.pairs(inner, outer, is_constant));
            }
        }
        found.extend(singles);
    }
    // That a method changes nothing comes last.
    let order =
        |found: &Supported| (found.fails > 0, found.equation.right == Right::Start && found.equation.outer.is_none());
    found.sort_by(|left, right| (order(left), &left.equation).cmp(&(order(right), &right.equation)));
    found
}

/// The equations that compositions of these calls break, each with the first that does.
pub fn broken(
    tables: &Tables,
    methods: &[SpecifiedMethod],
    calls: &BTreeSet<CallId>,
    equations: &[Equation],
) -> Vec<Supported> {
    let by_class = steps(tables.observations, methods, calls);
    let judged = |equation: &Equation| {
        let steps = by_class.get(&equation.class)?;
        let of_class = Class { observations: tables.observations, class: &equation.class, steps };
        let mut pairs = of_class.compositions(equation.inner, equation.outer);
        if let Some(condition) = &equation.condition {
            pairs.retain(|pair| of_class.is_met(condition, pair) == Some(true));
        }
        // However little keeps it: a method may do something else now whatever it is called with.
        Some(of_class.counted(equation.clone(), &pairs).0).filter(|found| found.fails > 0)
    };
    equations.iter().filter_map(judged).collect()
}

/// How often something holds.
#[derive(Default)]
struct Count {
    holds: usize,
    fails: usize,
    example: Option<Composition>,
    special: Option<Composition>,
    states: BTreeSet<StateId>,
    failing: BTreeSet<StateId>,
}

struct Class<'a> {
    observations: &'a Observations,
    class: &'a ClassName,
    steps: &'a Steps,
}

impl Class<'_> {
    fn singles(&self) -> Vec<Supported> {
        let mut found = Vec::new();
        for &method in self.steps.by_method.keys() {
            let pairs = self.compositions(method, None);
            let rights = |aspect| match aspect {
                Aspect::State => vec![Right::Start],
                Aspect::Result => {
                    let arguments = 0..pairs[0].inner.arguments.len();
                    self.constant(&pairs).into_iter().chain(arguments.map(Right::InnerArgument)).collect()
                }
            };
            for aspect in [Aspect::State, Aspect::Result] {
                for right in rights(aspect) {
                    let equation = self.equation(method, None, aspect, right);
                    found.extend(self.supported(equation, &pairs).filter(|found| found.fails == 0));
                }
            }
        }
        found
    }

    /// Those of the methods, or the calls of the one.
    fn compositions(&self, inner: TracedMethod, outer: Option<TracedMethod>) -> Vec<Pair<'_>> {
        let by_kind = [&self.steps.by_method, &self.steps.by_constructor].into_iter();
        let inners = by_kind.filter_map(|steps| steps.get(&inner)).flatten().map(|&at| &self.steps.all[at]);
        let Some(outer) = outer else {
            return inners.map(|inner| Pair { inner, outer: None }).take(COMPOSITIONS).collect();
        };
        inners
            .flat_map(|inner| self.steps.from(outer, inner.after).map(move |outer| Pair { inner, outer: Some(outer) }))
            .take(COMPOSITIONS)
            .collect()
    }

    /// The equations of two methods, with conditions where none holds without.
    fn pairs(&self, inner: TracedMethod, outer: TracedMethod, is_constant: bool) -> Vec<Supported> {
        let pairs = self.compositions(inner, Some(outer));
        let mut found = Vec::new();
        if pairs.first().is_none_or(|first| pairs.len() < FEWEST && !first.is_all_there_is()) {
            return found;
        }
        let is_pure = self.steps.pure.contains(&outer);
        for aspect in [Aspect::State, Aspect::Result] {
            // What holds of the outer method whatever came before is no equation of two.
            if aspect == Aspect::State && is_pure || aspect == Aspect::Result && is_constant {
                continue;
            }
            found.extend(self.best(inner, outer, aspect, &pairs));
        }
        found
    }

    fn best(&self, inner: TracedMethod, outer: TracedMethod, aspect: Aspect, pairs: &[Pair]) -> Vec<Supported> {
        let tried = |condition: Option<EquationCondition>, pairs: &[Pair]| -> Vec<Supported> {
            let rights = self.rights(inner, outer, aspect, pairs);
            let equation = |(right, difference)| Equation {
                difference,
                condition: condition.clone(),
                ..self.equation(inner, Some(outer), aspect, right)
            };
            rights.into_iter().map(equation).filter_map(|equation| self.supported(equation, pairs)).collect()
        };
        let plain = tried(None, pairs);
        if let Some(axiom) = plain.iter().find(|found| found.fails == 0) {
            return vec![axiom.clone()];
        }
        let mut found = Vec::new();
        for condition in self.conditions(inner, outer, pairs) {
            let met: Vec<Pair> =
                pairs.iter().filter(|pair| self.is_met(&condition, pair) == Some(true)).copied().collect();
            if met.len() < FEWEST || met.len() == pairs.len() {
                continue;
            }
            // Equal calls commute in any case.
            let is_idle = |found: &Supported| {
                inner == outer
                    && found.equation.right == Right::Commuted
                    && condition == EquationCondition::SameArguments(true)
            };
            let of_condition = tried(Some(condition.clone()), &met);
            found.extend(of_condition.into_iter().find(|found| found.fails == 0 && !is_idle(found)));
        }
        let common = plain.into_iter().max_by_key(|found| (found.holds, found.states - found.failing_states));
        found.extend(common.filter(Supported::is_common));
        found
    }

    fn equation(&self, inner: TracedMethod, outer: Option<TracedMethod>, aspect: Aspect, right: Right) -> Equation {
        Equation { class: self.class.clone(), outer, inner, aspect, right, difference: 0, condition: None }
    }

    /// The right sides that the first of the compositions allows, simple ones first, each with what is added to it.
    fn rights(&self, inner: TracedMethod, outer: TracedMethod, aspect: Aspect, pairs: &[Pair]) -> Vec<(Right, i64)> {
        let Some(first) = pairs.first() else { return Vec::new() };
        let plain: Vec<Right> = match aspect {
            Aspect::State => {
                let arguments = (0..first.inner.arguments.len()).map(Right::InnerArgument);
                // The same call twice commutes with itself.
                let commutes = inner != outer || !first.inner.arguments.is_empty();
                let commuted = commutes.then_some(Right::Commuted);
                let first = [Right::Start, Right::Inner].into_iter().chain(arguments);
                first.chain(commuted).chain([Right::Outer]).collect()
            }
            Aspect::Result => {
                let inners = (0..first.inner.arguments.len()).map(Right::InnerArgument);
                let outers = (0..first.last().arguments.len()).map(Right::OuterArgument);
                let others = [Right::Inner, Right::Outer];
                self.constant(pairs).into_iter().chain(inners).chain(outers).chain(others).collect()
            }
        };
        let of = |right| self.equation(inner, Some(outer), aspect, right);
        let mut rights = Vec::new();
        // Nothing is there before a constructor.
        let needs_start = |right: &Right| matches!(right, Right::Start | Right::Outer | Right::Commuted);
        for right in plain.into_iter().filter(|right| !first.inner.is_constructor || !needs_start(right)) {
            let difference = match aspect {
                Aspect::Result => pairs.iter().find_map(|pair| self.difference(&of(right.clone()), pair)),
                Aspect::State => None,
            };
            rights.push((right.clone(), 0));
            let is_variable = !matches!(right, Right::Constant(_));
            rights.extend(difference.filter(|by| *by != 0 && is_variable).map(|by| (right, by)));
        }
        rights
    }

    /// What most of them return, if that has a name.
    fn constant(&self, pairs: &[Pair]) -> Option<Right> {
        let mut counts: BTreeMap<ComparedValue, usize> = BTreeMap::new();
        for result in pairs.iter().filter_map(|pair| pair.left(Aspect::Result)) {
            *counts.entry(result).or_default() += 1;
        }
        match counts.into_iter().max_by_key(|(key, count)| (*count, Reverse(*key)))? {
            (ComparedValue::Value(most), _) => self.observations.datum(most).cloned().map(Right::Constant),
            (ComparedValue::State(_), _) => None,
        }
    }

    fn number(&self, key: ComparedValue) -> Option<i64> {
        match key {
            ComparedValue::Value(value) => match self.observations.datum(value) {
                Some(Datum::Integer(number)) => Some(*number),
                _ => None,
            },
            ComparedValue::State(_) => None,
        }
    }

    fn difference(&self, equation: &Equation, pair: &Pair) -> Option<i64> {
        let left = self.number(pair.left(equation.aspect)?)?;
        left.checked_sub(self.number(self.right(equation, pair)?)?)
    }

    /// The right side; `None` where it was not observed.
    fn right(&self, equation: &Equation, pair: &Pair) -> Option<ComparedValue> {
        let of = |step: &CallStep| match equation.aspect {
            Aspect::State => Some(ComparedValue::State(step.end)),
            Aspect::Result => step.result,
        };
        match &equation.right {
            Right::Constant(_) => None,
            Right::InnerArgument(index) => pair.inner.arguments.get(*index).copied(),
            Right::OuterArgument(index) => pair.outer?.arguments.get(*index).copied(),
            Right::Start => Some(ComparedValue::State(pair.inner.start)),
            Right::Inner => of(pair.inner),
            Right::Outer => of(self.steps.step(pair.outer?.method, pair.inner.before, &pair.outer?.arguments)?),
            Right::Commuted => {
                let first = self.steps.step(pair.outer?.method, pair.inner.before, &pair.outer?.arguments)?;
                of(self.steps.step(pair.inner.method, first.after, &pair.inner.arguments)?)
            }
        }
    }

    /// Whether the equation holds of the composition; `None` if one side was not observed.
    fn holds(&self, equation: &Equation, pair: &Pair) -> Option<bool> {
        let left = pair.left(equation.aspect)?;
        if let Right::Constant(constant) = &equation.right {
            let ComparedValue::Value(value) = left else { return Some(false) };
            return Some(self.observations.datum(value) == Some(constant));
        }
        let right = self.right(equation, pair)?;
        if equation.difference == 0 {
            return Some(left == right);
        }
        Some(self.number(left)? == self.number(right)?.wrapping_add(equation.difference))
    }

    fn conditions(&self, inner: TracedMethod, outer: TracedMethod, pairs: &[Pair]) -> Vec<EquationCondition> {
        let mut conditions = Vec::new();
        let has_both = |pair: &Pair| !pair.inner.arguments.is_empty() && !pair.last().arguments.is_empty();
        if pairs.first().is_some_and(has_both) {
            conditions.extend([true, false].map(EquationCondition::SameArguments));
        }
        if pairs.first().is_some_and(|pair| pair.inner.is_constructor) {
            return conditions;
        }
        for (&method, steps) in self.steps.by_method.iter().filter(|(method, _)| self.steps.pure.contains(method)) {
            let first = &self.steps.all[steps[0]];
            let is_boolean = first.arguments.is_empty() && first.result.is_some_and(|key| self.boolean(key).is_some());
            if is_boolean && method != inner && method != outer {
                conditions.extend([true, false].map(|value| EquationCondition::Observer(method, value)));
            }
        }
        conditions
    }

    fn boolean(&self, key: ComparedValue) -> Option<bool> {
        match key {
            ComparedValue::Value(value) => match self.observations.datum(value) {
                Some(Datum::Boolean(value)) => Some(*value),
                _ => None,
            },
            ComparedValue::State(_) => None,
        }
    }

    fn is_met(&self, condition: &EquationCondition, pair: &Pair) -> Option<bool> {
        match condition {
            EquationCondition::SameArguments(same) => {
                Some((pair.inner.arguments.first()? == pair.outer?.arguments.first()?) == *same)
            }
            EquationCondition::Observer(method, value) => {
                let observed = self.steps.step(*method, pair.inner.before, &[])?;
                Some(self.boolean(observed.result?)? == *value)
            }
        }
    }

    /// The equation with its count, if there is enough to say so.
    fn supported(&self, equation: Equation, pairs: &[Pair]) -> Option<Supported> {
        let is_boolean = matches!(equation.right, Right::Constant(Datum::Boolean(_)));
        let is_all = pairs.first().is_some_and(Pair::is_all_there_is);
        let fewest = match is_boolean {
            _ if is_all => 1,
            true => FEWEST_BOOLEANS,
            false => FEWEST,
        };
        // A condition may pick out one state, and a constructor without arguments makes one.
        let is_of_one = |pair: &Pair| pair.inner.is_constructor && pair.inner.arguments.is_empty();
        let has_one_state = equation.condition.is_some() || pairs.first().is_some_and(is_of_one);
        let fewest_states = if has_one_state { 1 } else { FEWEST_STATES };
        let (found, holding_states) = self.counted(equation, pairs);
        (found.holds >= fewest && holding_states >= fewest_states).then_some(found)
    }

    /// The equation with its count, and the number of states that it holds in.
    fn counted(&self, equation: Equation, pairs: &[Pair]) -> (Supported, usize) {
        let mut count = Count::default();
        for pair in pairs {
            match self.holds(&equation, pair) {
                Some(true) => {
                    count.holds += 1;
                    count.example.get_or_insert(pair.calls());
                    count.states.insert(pair.inner.start);
                }
                Some(false) => {
                    count.fails += 1;
                    count.failing.insert(pair.inner.start);
                    count.special.get_or_insert(pair.calls());
                }
                None => {}
            }
        }
        let Count { holds, fails, example, special, failing, mut states } = count;
        let (holding_states, failing_states) = (states.len(), failing.len());
        states.extend(failing);
        let states = states.len();
        (Supported { equation, holds, fails, states, failing_states, example, special }, holding_states)
    }
}

#[cfg(test)]
mod tests;
