//! Breadth-first exploration of the symbolic states of a class's objects.
//!
//! In each iteration every method is run on every state that the last one found, with arguments that were not there
//! before, along every path that the solver allows. A path that leaves the receiver in a new state is where the next
//! iteration goes on.

use super::classes::MethodId;
use super::heap::{Heap, Reference, Value};
use super::interpreter::{End, Jump, Machine, Stop, World};
use super::path::Path;
use super::solver::{Answer, Conjunction, Oracle, Query};
use super::state::{self, Seen};
use super::term::{Model, Relation, Terms, Truth};
use crate::jvm::types::access;
use crate::jvm::{ClassName, Literal, Primitive, Type};
use std::collections::{BTreeMap, BTreeSet};

/// How far an exploration goes.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub iterations: usize,
    /// Instructions of one run.
    pub steps: u64,
    /// Paths of one call on one state.
    pub paths: usize,
    /// States that are kept, which bounds the memory.
    pub states: usize,
}

/// An argument of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    Known(Literal),
    Symbol(super::term::Term, Primitive),
}

/// A constructor or method, and the arguments it was called with.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub method: MethodId,
    pub arguments: Vec<Argument>,
}

/// How the last call of a path ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Returned(Option<Value>),
    Threw(ClassName),
}

/// One way through a sequence of calls.
#[derive(Clone, Debug)]
pub struct Explored {
    /// A constructor's first.
    pub calls: Vec<Call>,
    /// All that arguments must fulfil.
    pub conditions: Conjunction,
    pub outcome: Outcome,
    pub iteration: usize,
    pub is_new_state: bool,
    /// Conditional jumps that no path before it took.
    pub new_jumps: BTreeSet<(MethodId, usize, usize)>,
}

/// What one iteration did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Iteration {
    pub paths: usize,
    /// Found in it.
    pub new_states: usize,
}

/// What an exploration found.
#[derive(Debug, Default)]
pub struct Exploration {
    /// The first is that of the constructors.
    pub iterations: Vec<Iteration>,
    pub paths: Vec<Explored>,
    /// Runs that said nothing, by why.
    pub stopped: BTreeMap<Stop, usize>,
    /// Numbers that were made known although they need not be, by why.
    pub narrowed: BTreeMap<&'static str, usize>,
    /// The solver gave no answer to some question.
    pub is_unsure: bool,
    /// States were too many to go on.
    pub is_full: bool,
}

/// A state that the next iteration goes on from.
struct Open {
    heap: Heap,
    receiver: Reference,
    calls: Vec<Call>,
    /// What matters of them for the state.
    relevant: Conjunction,
    all: Conjunction,
}

struct Explorer<'e, 'w, 's> {
    world: &'e mut World<'w>,
    oracle: &'e mut Oracle<'s>,
    limits: Limits,
    seen: Seen,
    jumps: BTreeSet<(MethodId, usize, usize)>,
    found: Exploration,
}

/// Explores what the methods make of objects that the constructors make.
pub fn explore(
    world: &mut World,
    oracle: &mut Oracle,
    constructors: &[MethodId],
    methods: &[MethodId],
    limits: Limits,
) -> Exploration {
    let found = Exploration::default();
    let mut explorer = Explorer { world, oracle, limits, seen: Seen::default(), jumps: BTreeSet::new(), found };
    let mut frontier = Vec::new();
    explorer.found.iterations.push(Iteration::default());
    for &constructor in constructors {
        for arguments in explorer.arguments(constructor) {
            explorer.run(None, Call { method: constructor, arguments }, &mut frontier);
        }
    }
    for _ in 0..limits.iterations {
        let states = std::mem::take(&mut frontier);
        if states.is_empty() || explorer.found.is_full {
            break;
        }
        explorer.found.iterations.push(Iteration::default());
        for state in &states {
            for &method in methods {
                for arguments in explorer.arguments(method) {
                    explorer.run(Some(state), Call { method, arguments }, &mut frontier);
                }
            }
        }
    }
    explorer.found
}

impl Explorer<'_, '_, '_> {
    /// Lists of arguments: numbers are symbols, of what else there is a few values.
    fn arguments(&mut self, method: MethodId) -> Vec<Vec<Argument>> {
        let parameters = self.world.classes.method(method).descriptor.parameters.clone();
        let mut lists = vec![Vec::new()];
        for of in &parameters {
            let choices: Vec<Argument> = match of {
                Type::Primitive(Primitive::Float) => [0.0, 1.5].map(|of| Argument::Known(Literal::float(of))).into(),
                Type::Primitive(Primitive::Double) => [0.0, 1.5].map(|of| Argument::Known(Literal::double(of))).into(),
                Type::Primitive(primitive) => {
                    let term = self.world.terms.fresh(*primitive == Primitive::Long);
                    vec![Argument::Symbol(term, *primitive)]
                }
                of if of.is_string() => ["", "a"].map(|text| Argument::Known(Literal::String(text.into()))).into(),
                of => vec![Argument::Known(Literal::Null(of.clone()))],
            };
            lists = lists
                .iter()
                .flat_map(|list: &Vec<Argument>| {
                    choices.iter().map(move |choice| list.iter().cloned().chain([choice.clone()]).collect())
                })
                .collect();
        }
        lists
    }

    /// Runs the call on the state along all its paths.
    fn run(&mut self, from: Option<&Open>, call: Call, frontier: &mut Vec<Open>) {
        let ranges = ranges(&mut self.world.terms, &call.arguments);
        let begin: Conjunction = from.map_or(&[][..], |state| &state.relevant).iter().copied().chain(ranges).collect();
        let known = from.map_or(&[][..], |state| &state.all).to_vec();
        let mut next = Some(Path::new(begin.clone()));
        let mut count = 0;
        while let Some(path) = next {
            count += 1;
            if count > self.limits.paths {
                *self.found.stopped.entry(Stop::Endless).or_default() += 1;
                return;
            }
            let heap = from.map_or_else(Heap::default, |state| state.heap.clone());
            let mut machine = Machine::new(self.world, self.oracle, heap, path, self.limits.steps);
            machine.jumps = Some(Vec::new());
            let (receiver, result) = machine.apply(from.map(|state| state.receiver), &call);
            let Machine { heap, path, jumps, .. } = machine;
            next = path.next(&begin);
            self.found.is_unsure |= path.unsure;
            for why in &path.narrowed {
                *self.found.narrowed.entry(why).or_default() += 1;
            }
            let mut all = known.clone();
            all.extend(path.conditions.iter().filter(|condition| !known.contains(condition)));
            let calls = from.map_or(&[][..], |state| &state.calls).iter().cloned().chain([call.clone()]).collect();
            let jumps = jumps.unwrap_or_default();
            let outcome = match result {
                Ok(value) => Outcome::Returned(value),
                Err(End::Threw(exception)) => match heap.object(exception) {
                    super::heap::Object::Instance { class, .. } => {
                        Outcome::Threw(self.world.classes.name(*class).clone())
                    }
                    _ => continue,
                },
                Err(End::Stopped(stop)) => {
                    *self.found.stopped.entry(stop).or_default() += 1;
                    continue;
                }
            };
            self.take(Taken { calls, all, outcome, receiver, heap, path, jumps }, frontier);
            if self.found.is_full {
                return;
            }
        }
    }

    fn take(&mut self, taken: Taken, frontier: &mut Vec<Open>) {
        let Taken { calls, all, outcome, receiver, heap, path, jumps } = taken;
        let iteration = self.found.iterations.len() - 1;
        let is_over = matches!(outcome, Outcome::Threw(_));
        let mut is_new_state = false;
        // What a constructor that threw has made is nobody's; a method that threw may have changed its receiver.
        if let Some(receiver) = receiver.filter(|_| !(is_over && calls.len() == 1)) {
            let symbols = state::symbols(&heap, receiver);
            let relevant = state::relevant(&mut self.world.terms, self.oracle, &path.conditions, &symbols);
            is_new_state = self.seen.insert(&mut self.world.terms, self.oracle, &heap, receiver, &relevant);
            // A sequence that throws is at its end.
            if is_new_state && !is_over {
                frontier.push(Open { heap, receiver, calls: calls.clone(), relevant, all: all.clone() });
            }
        }
        let jumps = jumps.iter().map(|jump| (jump.method, jump.from, jump.to));
        let new_jumps = jumps.filter(|&jump| self.jumps.insert(jump)).collect();
        let count = &mut self.found.iterations[iteration];
        count.paths += 1;
        count.new_states += usize::from(is_new_state);
        self.found.is_full = frontier.len() >= self.limits.states;
        self.found.paths.push(Explored { calls, conditions: all, outcome, iteration, is_new_state, new_jumps });
    }
}

/// A path at its end.
struct Taken {
    calls: Vec<Call>,
    all: Conjunction,
    outcome: Outcome,
    receiver: Option<Reference>,
    heap: Heap,
    path: Path,
    jumps: Vec<Jump>,
}

impl Machine<'_, '_, '_> {
    /// Makes the call on the receiver; a constructor makes its own.
    pub fn apply(
        &mut self,
        receiver: Option<Reference>,
        call: &Call,
    ) -> (Option<Reference>, Result<Option<Value>, End>) {
        let mut values = Vec::new();
        let method = self.world.classes.method(call.method);
        let (is_static, is_constructor) = (method.access & access::STATIC != 0, &*method.name == "<init>");
        let receiver = match receiver.filter(|_| !is_constructor) {
            Some(receiver) => Some(receiver),
            None if is_constructor => {
                match self.initialise(call.method.class).and_then(|()| self.allocate(call.method.class)) {
                    Ok(made) => Some(made),
                    Err(end) => return (None, Err(end)),
                }
            }
            None => None,
        };
        values.extend(receiver.filter(|_| !is_static).map(Value::Reference));
        for argument in &call.arguments {
            match argument {
                Argument::Symbol(term, _) => values.push(Value::Symbol(*term)),
                Argument::Known(literal) => match self.constant(literal) {
                    Ok(value) => values.push(value),
                    Err(end) => return (receiver, Err(end)),
                },
            }
        }
        (receiver, self.invoke(call.method, &values))
    }
}

/// What the types of arguments say of their values.
fn ranges(terms: &mut Terms, arguments: &[Argument]) -> Conjunction {
    let mut conditions = Vec::new();
    for argument in arguments {
        let Argument::Symbol(term, primitive) = *argument else { continue };
        let (least, greatest) = match primitive {
            Primitive::Boolean => (0, 1),
            Primitive::Byte => (i8::MIN.into(), i8::MAX.into()),
            Primitive::Short => (i16::MIN.into(), i16::MAX.into()),
            Primitive::Char => (0, u16::MAX.into()),
            _ => continue,
        };
        let (least, greatest) = (terms.known(Literal::Int(least)), terms.known(Literal::Int(greatest)));
        for (left, right) in [(least, term), (term, greatest)] {
            if let Truth::Open(condition) = terms.compare(Relation::LessOrEqual, left, right) {
                conditions.push(condition);
            }
        }
    }
    conditions
}

/// The calls with arguments that lead along the path; `None` if the solver has none.
pub fn concrete(world: &World, oracle: &mut Oracle, path: &Explored) -> Option<Vec<(MethodId, Vec<Literal>)>> {
    let query = Query { all: path.conditions.clone(), none_of: Vec::new() };
    let Answer::Satisfiable(model) = oracle.answer(&world.terms, query) else { return None };
    let calls = path.calls.iter().map(|call| {
        let arguments = call.arguments.iter().map(|argument| literal(&world.terms, argument, &model));
        Some((call.method, arguments.collect::<Option<_>>()?))
    });
    calls.collect()
}

fn literal(terms: &Terms, argument: &Argument, model: &Model) -> Option<Literal> {
    let (term, primitive) = match argument {
        Argument::Known(literal) => return Some(literal.clone()),
        Argument::Symbol(term, primitive) => (*term, *primitive),
    };
    let value = terms.evaluate(term, model)?;
    let number = super::term::number(&value)?;
    Some(match primitive {
        Primitive::Boolean => Literal::Boolean(number != 0),
        Primitive::Byte => Literal::Byte(number as i8),
        Primitive::Char => Literal::Char(number as u16),
        Primitive::Short => Literal::Short(number as i16),
        _ => value,
    })
}
