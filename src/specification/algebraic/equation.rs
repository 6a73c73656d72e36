//! An equation as a value, and as text.

use crate::SpecifiedMethod;
use crate::axiom::shown;
use model::execution::trace::{Datum, TracedMethod};
use model::jvm::ClassName;
use serde::{Deserialize, Serialize};

/// What an equation is about: the state that the outer call leaves its object in, or what it returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Aspect {
    /// The state that the outer call leaves its object in.
    State,
    /// What the outer call returns.
    Result,
}

/// The right side of an equation, without what is added to it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Right {
    /// Always the same value.
    Constant(Datum),
    /// The argument of the inner call, or of the outer one, by its index.
    InnerArgument(usize),
    /// The argument of the outer call, by its index.
    OuterArgument(usize),
    /// The state that all begins in.
    Start,
    /// What the inner call leaves or returns.
    Inner,
    /// What the outer call leaves or returns in the state that all begins in.
    Outer,
    /// The calls in the other order.
    Commuted,
}

/// When an equation is to hold.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum EquationCondition<M = TracedMethod> {
    /// The first arguments of both calls are the same, or are not.
    SameArguments(bool),
    /// The observer returns this in the state that all begins in.
    Observer(M, bool),
}

/// `outer(inner(S, …), …) == right + difference`; without an outer call, `inner(S, …) == right`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Equation<M = TracedMethod> {
    /// The class whose objects it is about.
    pub class: ClassName,
    /// The call that comes second, if there are two.
    pub outer: Option<M>,
    /// The call that comes first.
    pub inner: M,
    /// What the left side is.
    pub aspect: Aspect,
    /// The right side without what is added to it.
    pub right: Right,
    /// What is added to the right side.
    pub difference: i64,
    /// When it is to hold; `None` for always.
    pub condition: Option<EquationCondition<M>>,
}

impl<M> Equation<M> {
    /// The same with methods named otherwise; `None` if one has no such name.
    pub fn map<N>(&self, to: &dyn Fn(&M) -> Option<N>) -> Option<Equation<N>> {
        Some(Equation {
            class: self.class.clone(),
            outer: self.outer.as_ref().map(|outer| to(outer).ok_or(())).transpose().ok()?,
            inner: to(&self.inner)?,
            aspect: self.aspect,
            right: self.right.clone(),
            difference: self.difference,
            condition: match &self.condition {
                None => None,
                Some(EquationCondition::SameArguments(same)) => Some(EquationCondition::SameArguments(*same)),
                Some(EquationCondition::Observer(method, value)) => {
                    Some(EquationCondition::Observer(to(method)?, *value))
                }
            },
        })
    }
}

impl Equation {
    /// As text: `top(push(S, element)).result == element`.
    pub fn text(&self, methods: &[SpecifiedMethod]) -> String {
        let names = |method: TracedMethod| methods[method as usize].argument_names();
        let (mut inner_names, mut outer_names) = (names(self.inner), self.outer.map(names).unwrap_or_default());
        // Arguments of both calls that have one name are told apart.
        if inner_names.iter().any(|name| outer_names.contains(name)) {
            inner_names.iter_mut().for_each(|name| name.push('1'));
            outer_names.iter_mut().for_each(|name| name.push('2'));
        }
        let call = |method: TracedMethod, on: &str, arguments: &[String]| {
            let method = &methods[method as usize];
            if method.is_constructor() {
                let class = method.class.binary();
                let name = class.rsplit(['.', '$']).next().unwrap_or(&class);
                return format!("{name}({})", arguments.join(", "));
            }
            let arguments: Vec<&str> = [on].into_iter().chain(arguments.iter().map(String::as_str)).collect();
            format!("{}({})", method.name, arguments.join(", "))
        };
        let inner = |on: &str| call(self.inner, on, &inner_names);
        let outer = |on: &str| self.outer.map_or_else(|| on.to_string(), |outer| call(outer, on, &outer_names));
        let aspect = if self.aspect == Aspect::State { "state" } else { "result" };
        let condition = match &self.condition {
            Some(EquationCondition::SameArguments(same)) => {
                format!("({} {} {}) ==> ", inner_names[0], if *same { "==" } else { "!=" }, outer_names[0])
            }
            Some(EquationCondition::Observer(method, value)) => {
                format!("({}{}(S)) ==> ", if *value { "" } else { "!" }, methods[*method as usize].name)
            }
            None => String::new(),
        };
        let right = match &self.right {
            Right::Constant(datum) => shown(datum),
            Right::InnerArgument(index) => inner_names[*index].clone(),
            Right::OuterArgument(index) => outer_names[*index].clone(),
            Right::Start => "S".to_string(),
            Right::Inner => format!("{}.{aspect}", inner("S")),
            Right::Outer => format!("{}.{aspect}", outer("S")),
            Right::Commuted => format!("{}.{aspect}", inner(&outer("S"))),
        };
        let difference = match self.difference {
            0 => String::new(),
            more @ 1.. => format!(" + {more}"),
            less => format!(" - {}", less.unsigned_abs()),
        };
        format!("{condition}{}.{aspect} == {right}{difference}", outer(&inner("S")))
    }
}
