//! The forms of axioms over the variables of one call, printed as Java would almost have them.

use model::execution::trace::Datum;
use model::jvm::ClassName;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// When a variable is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Moment {
    /// Where the method begins.
    Entry,
    /// Where it ends.
    Exit,
}

/// A variable of a call: `this.size`, `element`, `size(this.elements)`, `$result`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Variable {
    /// Of which state it is read.
    pub moment: Moment,
    /// How it is reached, as text: `this.size`.
    pub path: Arc<str>,
}

impl Variable {
    /// The name of what a call returns.
    pub const RESULT: &'static str = "$result";

    /// Whether it is what the call returns, or read of that.
    pub fn is_result(&self) -> bool {
        self.path.contains(Variable::RESULT)
    }

    /// Of the receiver.
    pub fn is_of_this(&self) -> bool {
        ["this.", "size(this", "length(this"].iter().any(|start| self.path.starts_with(start))
    }
}

/// One side of a relation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum AxiomTerm {
    /// What a variable holds.
    Variable(Variable),
    /// A value.
    Constant(Datum),
}

/// How two values compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Relation {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
}

impl Relation {
    /// All of them, in the order of the enum.
    pub const ALL: [Relation; 6] =
        [Relation::Equal, Relation::NotEqual, Relation::Less, Relation::AtMost, Relation::Greater, Relation::AtLeast];

    /// As Java writes it.
    pub fn symbol(self) -> &'static str {
        match self {
            Relation::Equal => "==",
            Relation::NotEqual => "!=",
            Relation::Less => "<",
            Relation::AtMost => "<=",
            Relation::Greater => ">",
            Relation::AtLeast => ">=",
        }
    }

    /// Whether it holds of values that compare so.
    pub fn holds(self, ordering: std::cmp::Ordering) -> bool {
        match self {
            Relation::Equal => ordering.is_eq(),
            Relation::NotEqual => ordering.is_ne(),
            Relation::Less => ordering.is_lt(),
            Relation::AtMost => ordering.is_le(),
            Relation::Greater => ordering.is_gt(),
            Relation::AtLeast => ordering.is_ge(),
        }
    }
}

/// What holds of all rows.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Axiom {
    /// The relation holds between the terms.
    Compare(AxiomTerm, Relation, AxiomTerm),
    /// The variable holds one of these values.
    OneOf(Variable, Vec<Datum>),
    /// `variable % modulus == remainder`, the remainder never negative.
    Modulus(Variable, i64, i64),
    /// The sum of the variables, each times its factor, is the constant.
    Linear(Vec<(i64, Variable)>, i64),
    /// Each element is at most the next, or less than it.
    Sorted(Variable, Relation),
    /// So of each element.
    Each(Variable, Relation, Datum),
    /// The first variable is an element of the second.
    Member(Variable, Variable),
    /// An exception of the class leaves the method.
    Throws(ClassName),
    /// Where the first holds, so does the second.
    Implies(Box<Axiom>, Box<Axiom>),
    /// Both or none.
    Same(Box<Axiom>, Box<Axiom>),
}

impl Axiom {
    /// Both variables hold the same.
    pub fn equal(left: Variable, right: Variable) -> Axiom {
        Axiom::Compare(AxiomTerm::Variable(left), Relation::Equal, AxiomTerm::Variable(right))
    }

    /// The variable compares so with a value.
    pub fn compare(left: Variable, relation: Relation, right: Datum) -> Axiom {
        Axiom::Compare(AxiomTerm::Variable(left), relation, AxiomTerm::Constant(right))
    }

    /// The same of other variables.
    pub fn map(&self, to: &dyn Fn(&Variable) -> Variable) -> Axiom {
        let term = |term: &AxiomTerm| match term {
            AxiomTerm::Variable(variable) => AxiomTerm::Variable(to(variable)),
            AxiomTerm::Constant(datum) => AxiomTerm::Constant(datum.clone()),
        };
        match self {
            Axiom::Compare(left, relation, right) => Axiom::Compare(term(left), *relation, term(right)),
            Axiom::OneOf(variable, values) => Axiom::OneOf(to(variable), values.clone()),
            Axiom::Modulus(variable, modulus, remainder) => Axiom::Modulus(to(variable), *modulus, *remainder),
            Axiom::Linear(terms, constant) => {
                Axiom::Linear(terms.iter().map(|(factor, variable)| (*factor, to(variable))).collect(), *constant)
            }
            Axiom::Sorted(variable, relation) => Axiom::Sorted(to(variable), *relation),
            Axiom::Each(variable, relation, bound) => Axiom::Each(to(variable), *relation, bound.clone()),
            Axiom::Member(element, elements) => Axiom::Member(to(element), to(elements)),
            Axiom::Throws(class) => Axiom::Throws(class.clone()),
            Axiom::Implies(left, right) => Axiom::Implies(Box::new(left.map(to)), Box::new(right.map(to))),
            Axiom::Same(left, right) => Axiom::Same(Box::new(left.map(to)), Box::new(right.map(to))),
        }
    }

    /// The variables that it speaks of.
    pub fn variables(&self) -> Vec<&Variable> {
        match self {
            Axiom::Compare(left, _, right) => [left, right].into_iter().filter_map(AxiomTerm::variable).collect(),
            Axiom::OneOf(variable, _)
            | Axiom::Modulus(variable, ..)
            | Axiom::Sorted(variable, _)
            | Axiom::Each(variable, ..) => vec![variable],
            Axiom::Linear(terms, _) => terms.iter().map(|(_, variable)| variable).collect(),
            Axiom::Member(element, elements) => vec![element, elements],
            Axiom::Throws(_) => Vec::new(),
            Axiom::Implies(left, right) | Axiom::Same(left, right) => {
                left.variables().into_iter().chain(right.variables()).collect()
            }
        }
    }

    /// Whether it says something that only the end of a call shows.
    pub fn is_of_exit(&self) -> bool {
        self.throws() || self.variables().iter().any(|variable| variable.moment == Moment::Exit)
    }

    /// Whether it speaks of exceptions.
    pub fn throws(&self) -> bool {
        match self {
            Axiom::Throws(_) => true,
            Axiom::Implies(left, right) | Axiom::Same(left, right) => left.throws() || right.throws(),
            _ => false,
        }
    }
}

impl AxiomTerm {
    /// The variable, if it is one.
    pub fn variable(&self) -> Option<&Variable> {
        match self {
            AxiomTerm::Variable(variable) => Some(variable),
            AxiomTerm::Constant(_) => None,
        }
    }
}

/// `orig(this.size)` is what a variable of the receiver was at entry; arguments stand as they are.
impl fmt::Display for Variable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.moment == Moment::Entry && self.path.contains("this") {
            write!(formatter, "orig({})", self.path)
        } else {
            formatter.write_str(&self.path)
        }
    }
}

impl fmt::Display for AxiomTerm {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AxiomTerm::Variable(variable) => variable.fmt(formatter),
            AxiomTerm::Constant(datum) => formatter.write_str(&shown(datum)),
        }
    }
}

/// A value as source has it.
pub fn shown(datum: &Datum) -> String {
    match datum {
        Datum::Null => "null".to_string(),
        Datum::Boolean(value) => value.to_string(),
        Datum::Integer(i64::MAX) => "Long.MAX_VALUE".to_string(),
        Datum::Integer(i64::MIN) => "Long.MIN_VALUE".to_string(),
        Datum::Integer(value) => value.to_string(),
        Datum::Real(bits) => format!("{:?}", f64::from_bits(*bits)),
        Datum::Text(text) => format!("{text:?}"),
        Datum::Constant(name) => name.to_string(),
        Datum::Object(class) => format!("an object of {class}"),
        Datum::Elements { all: Some(all), .. } => {
            format!("[{}]", all.iter().map(shown).collect::<Vec<_>>().join(", "))
        }
        Datum::Elements { size, .. } => format!("{size} elements"),
    }
}

impl fmt::Display for Axiom {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Axiom::Compare(AxiomTerm::Variable(variable), relation, AxiomTerm::Constant(Datum::Boolean(value))) => {
                let is_true = *value == (*relation == Relation::Equal);
                write!(formatter, "{}{variable}", if is_true { "" } else { "!" })
            }
            Axiom::Compare(left, relation, right) => write!(formatter, "{left} {} {right}", relation.symbol()),
            Axiom::OneOf(variable, values) => {
                let values: Vec<String> = values.iter().map(shown).collect();
                write!(formatter, "{variable} in {{{}}}", values.join(", "))
            }
            Axiom::Modulus(variable, modulus, remainder) => write!(formatter, "{variable} % {modulus} == {remainder}"),
            Axiom::Linear(terms, constant) => linear(terms, *constant, formatter),
            Axiom::Sorted(variable, relation) => {
                write!(formatter, "{variable}[i] {} {variable}[i + 1]", relation.symbol())
            }
            Axiom::Each(variable, relation, bound) => {
                write!(formatter, "{variable}[i] {} {}", relation.symbol(), shown(bound))
            }
            Axiom::Member(element, elements) => write!(formatter, "{element} in {elements}"),
            Axiom::Throws(class) => write!(formatter, "throws {}", class.binary()),
            Axiom::Implies(left, right) => write!(formatter, "({left}) ==> ({right})"),
            Axiom::Same(left, right) => write!(formatter, "({left}) == ({right})"),
        }
    }
}

/// The last variable of a sum by the others: `$result == orig(this.size) + 1`.
fn linear(terms: &[(i64, Variable)], constant: i64, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
    let (factor, variable) = terms.last().expect("a sum has variables");
    // factor · variable == constant − the others.
    match factor {
        1 | -1 => write!(formatter, "{variable} ==")?,
        _ => write!(formatter, "{} * {variable} ==", factor.abs())?,
    }
    let sign = factor.signum();
    let mut is_first = true;
    for (factor, variable) in &terms[..terms.len() - 1] {
        let factor = -sign * factor;
        let times = if factor.abs() == 1 { String::new() } else { format!("{} * ", factor.abs()) };
        match (is_first, factor < 0) {
            (true, true) => write!(formatter, " -{times}{variable}")?,
            (true, false) => write!(formatter, " {times}{variable}")?,
            (false, true) => write!(formatter, " - {times}{variable}")?,
            (false, false) => write!(formatter, " + {times}{variable}")?,
        }
        is_first = false;
    }
    match i128::from(sign) * i128::from(constant) {
        0 => Ok(()),
        more @ 1.. => write!(formatter, " + {more}"),
        less => write!(formatter, " - {}", less.unsigned_abs()),
    }
}
