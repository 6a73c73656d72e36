//! Symbolic states: an object graph with terms in it, and what is known of them; which of them are new.
//!
//! A state is new unless one with the same graph holds for every value that it holds for: then its condition implies the
//! other's (subsumption, Symstra §3). Conditions on values that are no longer in the graph are dropped; graphs are
//! compared with their variables numbered as they are met.

use super::classes::ClassId;
use super::heap::{Heap, HeapObject, Reference, SymbolicValue};
use super::solver::{Conjunction, Oracle, Query, SatisfiableCase, SolverAnswer};
use super::term::{Node, PathCondition, SymbolicVariable, Term, TermRelation, Terms, Truth};
use bytecode::classfile::MethodMember;
use model::jvm::Type;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The numbers of variables in graphs that are compared begin here.
const RENAMED: u32 = 1 << 24;

/// More conditions than this are not looked through for those that follow from others.
const LOOKED_THROUGH: usize = 32;

/// One step of the walk through a graph.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum GraphToken {
    Value(SymbolicValue),
    /// An object that was met before, by its turn.
    Again(usize),
    Instance(ClassId),
    Array(Type, usize),
    Mirror(Type),
    Lambda(ClassId, Arc<MethodMember>),
}

/// A graph up to isomorphism and the numbers of its variables.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StateGraph(Vec<GraphToken>);

/// The graph of what can be reached from the object.
pub fn graph(terms: &mut Terms, heap: &Heap, object: Reference) -> StateGraph {
    walked(terms, heap, object).0
}

/// The graph, and the terms that stand for its variables.
fn walked(terms: &mut Terms, heap: &Heap, object: Reference) -> (StateGraph, FxHashMap<SymbolicVariable, Term>) {
    let mut walk =
        GraphWalk { terms, heap, turns: FxHashMap::default(), names: FxHashMap::default(), graph: Vec::new() };
    walk.value(SymbolicValue::Reference(object));
    (StateGraph(walk.graph), walk.names)
}

/// The states that were seen.
#[derive(Default)]
pub struct Seen {
    /// Of each graph the conditions that it was seen with: it is known where one of them holds.
    graphs: FxHashMap<StateGraph, Vec<SatisfiableCase>>,
}

impl Seen {
    /// Remembers the state of the object; says whether it is new.
    pub fn insert(
        &mut self,
        terms: &mut Terms,
        oracle: &mut Oracle,
        heap: &Heap,
        object: Reference,
        conditions: &[PathCondition],
    ) -> bool {
        let (graph, mut names) = walked(terms, heap, object);
        // Other names make nothing known that was not.
        let mut conditions: Conjunction =
            conditions.iter().filter_map(|condition| renamed(terms, condition, &mut names)).collect();
        conditions.sort_unstable();
        let own = variables(terms, &conditions);
        let of_graph: BTreeSet<SymbolicVariable> = graph
            .0
            .iter()
            .filter_map(
                |token| if let GraphToken::Value(SymbolicValue::Symbol(term)) = token { Some(*term) } else { None },
            )
            .flat_map(|term| variables_of(terms, term))
            .collect();
        let own = own.difference(&of_graph).copied().collect();
        let cases = self.graphs.entry(graph).or_default();
        let is_known = !cases.is_empty()
            && oracle.answer(terms, Query { all: conditions.clone(), none_of: cases.clone() })
                == SolverAnswer::Unsatisfiable;
        if !is_known {
            cases.push(SatisfiableCase { conditions, own });
        }
        !is_known
    }
}

/// Walks through a graph depth first, in the order of fields and elements.
struct GraphWalk<'a> {
    terms: &'a mut Terms,
    heap: &'a Heap,
    turns: FxHashMap<Reference, usize>,
    names: FxHashMap<SymbolicVariable, Term>,
    graph: Vec<GraphToken>,
}

impl GraphWalk<'_> {
    fn value(&mut self, value: SymbolicValue) {
        // A list of a thousand elements is as deep: no recursion.
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            let SymbolicValue::Reference(reference) = value else {
                let value = match value {
                    SymbolicValue::Symbol(term) => {
                        SymbolicValue::Symbol(rename(self.terms, term, &mut self.names).unwrap_or(term))
                    }
                    value => value,
                };
                self.graph.push(GraphToken::Value(value));
                continue;
            };
            if let Some(&turn) = self.turns.get(&reference) {
                self.graph.push(GraphToken::Again(turn));
                continue;
            }
            self.turns.insert(reference, self.turns.len());
            match self.heap.object(reference) {
                HeapObject::Instance { class, fields } => {
                    self.graph.push(GraphToken::Instance(*class));
                    open.extend(fields.iter().rev());
                }
                HeapObject::Array { of, elements } => {
                    self.graph.push(GraphToken::Array(of.clone(), elements.len()));
                    open.extend(elements.iter().rev());
                }
                HeapObject::Mirror(of) => self.graph.push(GraphToken::Mirror(of.clone())),
                HeapObject::Lambda { interface, method, captured } => {
                    self.graph.push(GraphToken::Lambda(*interface, method.clone()));
                    open.extend(captured.iter().rev());
                }
            }
        }
    }
}

/// The symbolic values that can be reached from the object.
pub fn symbols(heap: &Heap, object: Reference) -> BTreeSet<Term> {
    let mut found = BTreeSet::new();
    let mut met = BTreeSet::from([object]);
    let mut open = vec![object];
    while let Some(reference) = open.pop() {
        for &value in heap.fields(reference).iter().chain(heap.elements(reference)) {
            match value {
                SymbolicValue::Symbol(term) => drop(found.replace(term)),
                SymbolicValue::Reference(reference) if met.insert(reference) => open.push(reference),
                _ => {}
            }
        }
    }
    found
}

/// What the conditions say of the terms, in as few conditions as can be had.
///
/// A variable that equals a term and is not looked at is replaced by it. What has nothing to do with the terms is
/// dropped: it can hold, whatever they are. What follows from other conditions goes too.
pub fn relevant(
    terms: &mut Terms,
    oracle: &mut Oracle,
    conditions: &[PathCondition],
    symbols: &BTreeSet<Term>,
) -> Conjunction {
    let shown: BTreeSet<SymbolicVariable> = symbols.iter().flat_map(|&term| variables_of(terms, term)).collect();
    let mut conditions = eliminated(terms, conditions.to_vec(), &shown);
    let mut reached = shown;
    let mut kept = Vec::new();
    loop {
        let touches = |condition: &PathCondition| !variables(terms, &[*condition]).is_disjoint(&reached);
        let (more, rest): (Vec<_>, Vec<_>) = conditions.into_iter().partition(touches);
        conditions = rest;
        if more.is_empty() {
            break;
        }
        reached.extend(variables(terms, &more));
        kept.extend(more);
    }
    kept.sort_unstable();
    kept.dedup();
    if kept.len() <= LOOKED_THROUGH {
        for index in (0..kept.len()).rev() {
            let mut others = kept.clone();
            let condition = others.remove(index);
            let against = others.iter().copied().chain([condition.negated()]).collect();
            if oracle.answer(terms, Query { all: against, none_of: Vec::new() }) == SolverAnswer::Unsatisfiable {
                kept = others;
            }
        }
    }
    kept
}

/// Puts terms in the place of variables that equal them and are not shown.
fn eliminated(terms: &mut Terms, mut conditions: Conjunction, shown: &BTreeSet<SymbolicVariable>) -> Conjunction {
    let definition = |terms: &Terms, condition: &PathCondition| {
        let PathCondition { relation: TermRelation::Equal, left, right } = *condition else { return None };
        [(left, right), (right, left)].into_iter().find_map(|(variable, term)| match terms.node(variable) {
            Node::Variable(variable) if !shown.contains(variable) && !variables_of(terms, term).contains(variable) => {
                Some((*variable, term))
            }
            _ => None,
        })
    };
    while let Some((index, (variable, term))) =
        conditions.iter().enumerate().find_map(|(index, condition)| Some((index, definition(terms, condition)?)))
    {
        let definition = conditions.remove(index);
        let replaced: Option<Vec<Truth>> = conditions
            .iter()
            .map(|condition| {
                let mut side = |of| terms.replaced(of, &|other| (other == variable).then_some(term));
                let (left, right) = (side(condition.left)?, side(condition.right)?);
                Some(terms.compare(condition.relation, left, right))
            })
            .collect();
        let Some(replaced) = replaced else {
            conditions.push(definition);
            break;
        };
        conditions = replaced
            .into_iter()
            .filter_map(|truth| if let Truth::Open(condition) = truth { Some(condition) } else { None })
            .collect();
    }
    conditions
}

fn rename(terms: &mut Terms, term: Term, names: &mut FxHashMap<SymbolicVariable, Term>) -> Option<Term> {
    for variable in variables_of(terms, term) {
        let number = RENAMED + names.len() as u32;
        names.entry(variable).or_insert_with(|| terms.variable(SymbolicVariable { number, ..variable }));
    }
    terms.replaced(term, &|variable| names.get(&variable).copied())
}

fn renamed(
    terms: &mut Terms,
    condition: &PathCondition,
    names: &mut FxHashMap<SymbolicVariable, Term>,
) -> Option<PathCondition> {
    let (left, right) = (rename(terms, condition.left, names)?, rename(terms, condition.right, names)?);
    match terms.compare(condition.relation, left, right) {
        Truth::Open(condition) => Some(condition),
        Truth::Known(_) => None,
    }
}

fn variables(terms: &Terms, conditions: &[PathCondition]) -> BTreeSet<SymbolicVariable> {
    conditions
        .iter()
        .flat_map(|condition| [condition.left, condition.right])
        .flat_map(|term| variables_of(terms, term))
        .collect()
}

/// In the order in which the term has them.
fn variables_of(terms: &Terms, term: Term) -> Vec<SymbolicVariable> {
    let mut found = Vec::new();
    terms.for_each_variable(term, &mut |variable| {
        if !found.contains(&variable) {
            found.push(variable);
        }
    });
    found
}
