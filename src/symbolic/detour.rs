//! Other literals for a sequence, with which it goes where no run went yet (concolic execution: DART, and SAGE's search by
//! generations).
//!
//! The sequence is interpreted with the literals that it has, while what they decide is noted. Before a turn of which
//! another way is wanted, some condition is turned round, literals are looked for with which it is, and the sequence is
//! interpreted again with these; what it decides then may be turned round in its turn. Nothing is believed: what comes out
//! are sequences to be run.

use super::classes::MethodId;
use super::heap::{Heap, Value};
use super::interpreter::{Machine, Run, Turn, World};
use super::nearby::nearby;
use super::path::Path;
use super::solver::{Answer, Conjunction, NoSolver, Oracle, Query};
use super::term::{Model, Term, Terms, Variable, number, range};
use bytecode::classfile::{Body, Instruction};
use model::execution::Edge;
use model::jvm::{ClassName, JavaString, Literal, Primitive, Type};
use model::sequence::{Action, Operation, Sequence};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::iter;

/// Runs for one edge.
const RUNS: usize = 16;

/// Instructions of one run.
const STEPS: u64 = 100_000;

/// Conditions before a turn that are turned round, the last first.
const NEAR: usize = 6;

/// Edges that one sequence is asked for, those that it came by last.
const AIMS: usize = 8;

/// Conditions of one run; later ones depend on too much.
const CONDITIONS: usize = 400;

/// What a search for literals costs, in instructions.
const SOLVING: u64 = 2_000;

/// And for each condition that is to hold still.
const PER_CONDITION: u64 = 100;

/// Texts are made as long as this.
const LONGER: usize = 6;

/// Texts that are made longer, one at a time.
const VARIANTS: usize = 4;

/// Longer texts are left as they are.
const LONGEST: usize = 24;

/// Where a turn may lead: which instruction of the class's method, by its offset in the code, and which way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way<'a> {
    /// The class that has the instruction.
    pub class: &'a ClassName,
    /// Index among the methods of the class file.
    pub method: u16,
    /// Which way.
    pub kind: WayKind,
    /// Of the jump, or of where the switch leads.
    pub pc: u16,
}

/// How a run goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WayKind {
    /// The conditional jump falls through.
    NotTaken,
    /// The conditional jump jumps.
    Taken,
    /// The switch leads there.
    Case,
}

/// Sequences that go ways for which `wanted` has an edge, and what finding them cost, in instructions; nothing more is tried
/// when that has reached `limit`.
pub fn detours(
    world: &mut World,
    operations: &[Operation],
    sequence: &Sequence,
    wanted: &mut dyn FnMut(&Way) -> Option<Edge>,
    limit: u64,
) -> (Vec<Sequence>, u64) {
    let (mut found, mut reached, mut cost) = (Vec::new(), BTreeSet::new(), 0);
    for (number, sequence) in with_longer_texts(sequence).iter().enumerate() {
        if cost >= limit {
            break;
        }
        let mut search = Search { world, operations, wanted, reached: &mut reached, cost: &mut cost, limit };
        found.extend(search.from(sequence, number > 0));
    }
    (found, cost)
}

/// The sequence, and it with each of its short texts in turn made longer, as the length of a text is nothing that is looked for.
fn with_longer_texts(sequence: &Sequence) -> Vec<Sequence> {
    let mut sequences = vec![sequence.clone()];
    for (at, statement) in sequence.statements().iter().enumerate() {
        let Action::Literal(Literal::String(text)) = &statement.action else { continue };
        if text.units().len() < LONGER && sequences.len() <= VARIANTS {
            let units = text.units().iter().copied().cycle().chain(iter::repeat(u16::from(b'a')));
            let longer: Vec<u16> = units.take(LONGER).collect();
            sequences.push(sequence.with_literal(at, Literal::String(JavaString::from_units(&longer))));
        }
    }
    sequences
}

/// A search for other literals.
struct Search<'s, 'w> {
    world: &'s mut World<'w>,
    operations: &'s [Operation],
    wanted: &'s mut dyn FnMut(&Way) -> Option<Edge>,
    /// Of the wanted edges those that some run covered.
    reached: &'s mut BTreeSet<Edge>,
    cost: &'s mut u64,
    limit: u64,
}

impl Search<'_, '_> {
    /// From the sequence on; `is_new` if it is itself a detour.
    fn from(&mut self, sequence: &Sequence, is_new: bool) -> Vec<Sequence> {
        self.world.terms = Terms::default();
        let inputs = Inputs::of(sequence, &mut self.world.terms);
        if inputs.of_statement.is_empty() {
            return Vec::new();
        }
        let mut found = Vec::new();
        let begun = self.run(&inputs, sequence, inputs.model.clone());
        if self.reaches_new(&begun) && is_new {
            found.push(sequence.clone());
        }
        for aim in self.missed(&begun) {
            if *self.cost < self.limit && !self.reached.contains(&aim.edge) {
                self.aim_at(aim, &inputs, sequence, &begun, &mut found);
            }
        }
        found
    }

    /// Depth-first, as what is compared piece by piece needs one turn after the other to be another one.
    fn aim_at(&mut self, aim: Aim, inputs: &Inputs, sequence: &Sequence, begun: &Ran, found: &mut Vec<Sequence>) {
        let mut known: FxHashSet<Vec<i64>> = FxHashSet::from_iter([inputs.values(&begun.model)]);
        let mut waiting = Vec::new();
        self.turned_round(&aim, inputs, begun, &mut known, &mut waiting);
        for _ in 0..RUNS {
            let Some(model) = waiting.pop().filter(|_| *self.cost < self.limit) else { break };
            let ran = self.run(inputs, sequence, model);
            if self.reaches_new(&ran) {
                found.push(inputs.sequence(sequence, &ran.model));
            }
            if self.reached.contains(&aim.edge) {
                break;
            }
            self.turned_round(&aim, inputs, &ran, &mut known, &mut waiting);
        }
    }

    fn run(&mut self, inputs: &Inputs, sequence: &Sequence, model: Model) -> Ran {
        let ran = inputs.run(self.world, self.operations, sequence, model);
        *self.cost += ran.steps;
        ran
    }

    /// Whether the run reaches a wanted edge that none did before.
    fn reaches_new(&mut self, ran: &Ran) -> bool {
        let mut is_new = false;
        for turn in &ran.turns {
            is_new |= self.edge(turn, turn.to).is_some_and(|edge| self.reached.insert(edge));
        }
        is_new
    }

    /// The wanted edges that the run went past.
    fn missed(&mut self, ran: &Ran) -> Vec<Aim> {
        let mut missed: Vec<Aim> = Vec::new();
        for turn in ran.turns.iter().rev() {
            let Some(body) = self.world.classes.body(turn.method) else { continue };
            for to in targets(&body, turn.from) {
                let edge = self.edge(turn, to).filter(|edge| !self.reached.contains(edge));
                let edge = edge.filter(|&edge| missed.iter().all(|aim| aim.edge != edge));
                missed.extend(edge.map(|edge| Aim { edge, method: turn.method, from: turn.from }));
            }
        }
        missed.truncate(AIMS);
        missed
    }

    fn edge(&mut self, turn: &Turn, to: usize) -> Option<Edge> {
        let body = self.world.classes.body(turn.method)?;
        (self.wanted)(&way(self.world.classes.name(turn.method.class), turn, &body, to))
    }

    /// Adds values for which one of the last conditions before the aim is turned round; the last is tried first.
    fn turned_round(
        &mut self,
        aim: &Aim,
        inputs: &Inputs,
        ran: &Ran,
        known: &mut FxHashSet<Vec<i64>>,
        waiting: &mut Vec<Model>,
    ) {
        let is_there = |turn: &&Turn| turn.method == aim.method && turn.from == aim.from;
        let Some(turn) = ran.turns.iter().rev().find(is_there) else { return };
        let mut models = Vec::new();
        for flip in (inputs.ranges.len()..turn.conditions).rev().take(NEAR) {
            *self.cost += SOLVING + PER_CONDITION * flip as u64;
            let (others, wanted) = (&ran.conditions[..flip], ran.conditions[flip].negated());
            let model = nearby(&self.world.terms, others, wanted, &ran.model).or_else(|| {
                let all = others.iter().copied().chain([wanted]).collect();
                match Oracle::new(&mut NoSolver).answer(&self.world.terms, Query { all, none_of: Vec::new() }) {
                    Answer::Satisfiable(values) => Some(values),
                    Answer::Unsatisfiable | Answer::Unknown => None,
                }
            });
            models.extend(model.filter(|model| known.insert(inputs.values(model))));
        }
        waiting.extend(models.into_iter().rev());
    }
}

/// A wanted edge, and the instruction that may lead to it.
struct Aim {
    edge: Edge,
    method: MethodId,
    from: usize,
}

/// A run that was interpreted.
struct Ran {
    model: Model,
    turns: Vec<Turn>,
    /// What holds where it went.
    conditions: Conjunction,
    /// Instructions.
    steps: u64,
}

/// Where the instruction may lead to.
fn targets(body: &Body, from: usize) -> Vec<usize> {
    let instruction = &body.steps[from].instruction;
    let mut targets: Vec<usize> = instruction.targets().collect();
    if instruction.jump().is_some() {
        targets.push(from + 1);
    }
    targets.sort_unstable();
    targets.dedup();
    targets
}

fn way<'a>(class: &'a ClassName, turn: &Turn, body: &Body, to: usize) -> Way<'a> {
    let (kind, at) = match &body.steps[turn.from].instruction {
        Instruction::Switch(_) => (WayKind::Case, to),
        jump if jump.jump() == Some(&to) => (WayKind::Taken, turn.from),
        _ => (WayKind::NotTaken, turn.from),
    };
    let pc = body.steps.get(at).map_or(0, |step| step.pc);
    Way { class, method: turn.method.index, kind, pc }
}

/// The literals of a sequence as unknowns.
struct Inputs {
    /// By the statement.
    of_statement: Vec<(usize, Input)>,
    /// In the order of the statements.
    variables: Vec<Variable>,
    /// What their types say of them.
    ranges: Conjunction,
    /// The values that the sequence has.
    model: Model,
}

enum Input {
    Number(Primitive, Unknown),
    /// Its units, in one byte each.
    Text(Vec<Unknown>),
}

#[derive(Clone, Copy)]
struct Unknown {
    variable: Variable,
    term: Term,
}

impl Inputs {
    fn of(sequence: &Sequence, terms: &mut Terms) -> Inputs {
        let mut inputs = Inputs {
            of_statement: Vec::new(),
            variables: Vec::new(),
            ranges: Conjunction::new(),
            model: Model::default(),
        };
        for (at, statement) in sequence.statements().iter().enumerate() {
            let Action::Literal(literal) = &statement.action else { continue };
            let input = match literal {
                Literal::String(text) if text.units().len() <= LONGEST => {
                    let units = text.units().iter().map(|&unit| u8::try_from(unit).ok().filter(u8::is_ascii));
                    let Some(units) = units.collect::<Option<Vec<u8>>>() else { continue };
                    Input::Text(
                        units.into_iter().map(|unit| inputs.add(terms, false, unit.into(), Some((0, 127)))).collect(),
                    )
                }
                literal => {
                    let Type::Primitive(primitive) = literal.literal_type() else { continue };
                    let Some(value) = Value::of_literal(literal).and_then(Value::literal) else { continue };
                    let Some(value) = number(&value) else { continue };
                    let is_wide = primitive == Primitive::Long;
                    Input::Number(primitive, inputs.add(terms, is_wide, value, range(primitive)))
                }
            };
            inputs.of_statement.push((at, input));
        }
        inputs
    }

    fn add(&mut self, terms: &mut Terms, is_wide: bool, value: i64, range: Option<(i32, i32)>) -> Unknown {
        let variable = Variable { number: self.variables.len() as u32, wide: is_wide };
        let term = terms.variable(variable);
        self.variables.push(variable);
        self.model.insert(variable, value);
        self.ranges.extend(range.into_iter().flat_map(|range| terms.within(term, range)));
        Unknown { variable, term }
    }

    /// The values that the model gives, which tell it from others.
    fn values(&self, model: &Model) -> Vec<i64> {
        self.variables.iter().map(|variable| model.get(variable).copied().unwrap_or(0)).collect()
    }

    /// Interprets the sequence with these values.
    fn run(&self, world: &mut World, operations: &[Operation], sequence: &Sequence, model: Model) -> Ran {
        let path = Path::along(self.ranges.clone(), model.clone());
        let (mut solver, heap) = (NoSolver, Heap::default());
        let oracle = &mut Oracle::new(&mut solver);
        let mut machine = Machine::new(world, oracle, heap, path, STEPS);
        machine.turns = Some(Vec::new());
        machine.conditions = self.ranges.len() + CONDITIONS;
        let mut literal = |machine: &mut Machine, at: usize, literal: &Literal| -> Run<Value> {
            match self.of_statement.iter().find(|(statement, _)| *statement == at) {
                None => machine.constant(literal),
                Some((_, Input::Number(_, number))) => Ok(Value::Symbol(number.term)),
                Some((_, Input::Text(units))) => {
                    let units = units.iter().map(|unit| Value::Symbol(unit.term)).collect();
                    machine.text_of_bytes(units, true).map(Value::Reference)
                }
            }
        };
        // However it ends, it came by these turns.
        let _ = machine.run_all(operations, sequence, &mut Vec::new(), &mut literal);
        let Machine { path, turns, steps, .. } = machine;
        let turns = turns.unwrap_or_default();
        Ran { model, turns, conditions: path.conditions, steps: STEPS - steps }
    }

    /// The sequence with the values.
    fn sequence(&self, sequence: &Sequence, model: &Model) -> Sequence {
        let value = |unknown: &Unknown| model.get(&unknown.variable).copied().unwrap_or(0);
        let mut changed = sequence.clone();
        for (at, input) in &self.of_statement {
            let literal = match input {
                Input::Number(primitive, number) => Literal::of_number(value(number), *primitive),
                Input::Text(units) => {
                    let units: Vec<u16> = units.iter().map(|unit| value(unit) as u16).collect();
                    Literal::String(JavaString::from_units(&units))
                }
            };
            changed = changed.with_literal(*at, literal);
        }
        changed
    }
}
