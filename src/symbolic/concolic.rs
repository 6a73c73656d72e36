//! Concolic execution: other literals for a sequence, with which it takes branches that no run took yet (DART, and SAGE's
//! search by generations).
//!
//! The sequence is interpreted with its own literals, and its path condition is recorded. For each wanted edge beside the
//! path, one of the last conditions before the branch is negated, a solver looks for literals that fulfil the negated
//! condition, and the sequence is interpreted again with them; conditions of that run may be negated in turn. The results
//! are seeds: sequences to be executed, not facts.

use super::classes::MethodId;
use super::heap::{Heap, SymbolicValue};
use super::interpreter::{BranchEvent, Interpreter, InterpreterWorld, RunResult};
use super::nearby::nearby;
use super::path::Path;
use super::solver::{Conjunction, NoSolver, Oracle, Query, SolverAnswer};
use super::term::{Model, SymbolicVariable, Term, Terms, number, range};
use bytecode::classfile::{Body, Instruction};
use model::execution::Edge;
use model::jvm::{ClassName, JavaString, Literal, Primitive, Type};
use model::sequence::{Action, Operation, Sequence};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::iter;

/// RunResult runs for one goal.
const RUNS: usize = 16;

/// Instructions that one run may execute.
const STEPS: u64 = 100_000;

/// Conditions before a branch that are negated, the last first.
const NEGATED_CONDITIONS: usize = 6;

/// Goals per sequence: those of the branches that it executed last.
const GOALS: usize = 8;

/// Recorded conditions of one run; later ones depend on too many others.
const CONDITIONS: usize = 400;

/// Cost of one search for literals, in instructions.
const SOLVING: u64 = 2_000;

/// Additional cost for each condition that must still hold.
const PER_CONDITION: u64 = 100;

/// Length to which short strings are extended.
const EXTENDED_LENGTH: usize = 6;

/// Strings of a sequence that are extended, one at a time.
const VARIANTS: usize = 4;

/// Longer strings are not solved for.
const LONGEST: usize = 24;

/// One outcome of a conditional jump or switch, identified by class, method and code offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BranchTarget<'a> {
    /// The class that has the instruction.
    pub class: &'a ClassName,
    /// Index among the methods of the class file.
    pub method: u16,
    /// Which outcome.
    pub kind: BranchKind,
    /// Code offset of the jump, or of the switch's target.
    pub pc: u16,
}

/// The outcome of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BranchKind {
    /// The conditional jump falls through.
    NotTaken,
    /// The conditional jump jumps.
    Taken,
    /// The switch jumps to this offset.
    Case,
}

/// Sequences like `sequence` that take branches for which `wanted` returns an edge, and the cost of the search in
/// instructions; the search stops when the cost reaches `limit`.
pub fn seeds(
    world: &mut InterpreterWorld,
    operations: &[Operation],
    sequence: &Sequence,
    wanted: &mut dyn FnMut(&BranchTarget) -> Option<Edge>,
    limit: u64,
) -> (Vec<Sequence>, u64) {
    let (mut found, mut covered, mut cost) = (Vec::new(), BTreeSet::new(), 0);
    for (number, sequence) in with_extended_strings(sequence).iter().enumerate() {
        if cost >= limit {
            break;
        }
        let mut search = ConcolicSearch { world, operations, wanted, covered: &mut covered, cost: &mut cost, limit };
        found.extend(search.seeds_from(sequence, number > 0));
    }
    (found, cost)
}

/// The sequence and variants in which one short string is extended: the solver does not change the length of strings.
fn with_extended_strings(sequence: &Sequence) -> Vec<Sequence> {
    let mut sequences = vec![sequence.clone()];
    for (at, statement) in sequence.statements().iter().enumerate() {
        let Action::Literal(Literal::String(text)) = &statement.action else { continue };
        if text.units().len() < EXTENDED_LENGTH && sequences.len() <= VARIANTS {
            let units = text.units().iter().copied().cycle().chain(iter::repeat(u16::from(b'a')));
            let longer: Vec<u16> = units.take(EXTENDED_LENGTH).collect();
            sequences.push(sequence.with_literal(at, Literal::String(JavaString::from_units(&longer))));
        }
    }
    sequences
}

/// A search for other literals of one sequence.
struct ConcolicSearch<'s, 'w> {
    world: &'s mut InterpreterWorld<'w>,
    operations: &'s [Operation],
    wanted: &'s mut dyn FnMut(&BranchTarget) -> Option<Edge>,
    /// Wanted edges that some run covered.
    covered: &'s mut BTreeSet<Edge>,
    cost: &'s mut u64,
    limit: u64,
}

impl ConcolicSearch<'_, '_> {
    /// Seeds that start from the sequence; with `is_seed`, it may be one itself.
    fn seeds_from(&mut self, sequence: &Sequence, is_seed: bool) -> Vec<Sequence> {
        self.world.terms = Terms::default();
        let inputs = SymbolicInputs::of(sequence, &mut self.world.terms);
        if inputs.of_statement.is_empty() {
            return Vec::new();
        }
        let mut found = Vec::new();
        let first = self.run(&inputs, sequence, inputs.model.clone());
        if self.covers_new_edge(&first) && is_seed {
            found.push(sequence.clone());
        }
        for goal in self.uncovered_goals(&first) {
            if *self.cost < self.limit && !self.covered.contains(&goal.edge) {
                self.pursue(goal, &inputs, sequence, &first, &mut found);
            }
        }
        found
    }

    /// Searches depth-first: a comparison in a loop, such as that of strings, needs one branch after the other to change.
    fn pursue(
        &mut self,
        goal: BranchGoal,
        inputs: &SymbolicInputs,
        sequence: &Sequence,
        first: &ConcolicRun,
        found: &mut Vec<Sequence>,
    ) {
        let mut known: FxHashSet<Vec<i64>> = FxHashSet::from_iter([inputs.values(&first.model)]);
        let mut waiting = Vec::new();
        self.negate_conditions(&goal, inputs, first, &mut known, &mut waiting);
        for _ in 0..RUNS {
            let Some(model) = waiting.pop().filter(|_| *self.cost < self.limit) else { break };
            let run = self.run(inputs, sequence, model);
            if self.covers_new_edge(&run) {
                found.push(inputs.sequence(sequence, &run.model));
            }
            if self.covered.contains(&goal.edge) {
                break;
            }
            self.negate_conditions(&goal, inputs, &run, &mut known, &mut waiting);
        }
    }

    fn run(&mut self, inputs: &SymbolicInputs, sequence: &Sequence, model: Model) -> ConcolicRun {
        let run = inputs.run(self.world, self.operations, sequence, model);
        *self.cost += run.steps;
        run
    }

    /// Whether the run covers a wanted edge that no earlier run covered.
    fn covers_new_edge(&mut self, run: &ConcolicRun) -> bool {
        let mut is_new = false;
        for event in &run.branch_events {
            is_new |= self.wanted_edge(event, event.to).is_some_and(|edge| self.covered.insert(edge));
        }
        is_new
    }

    /// The wanted edges at branches of the run that the run did not take.
    fn uncovered_goals(&mut self, run: &ConcolicRun) -> Vec<BranchGoal> {
        let mut goals: Vec<BranchGoal> = Vec::new();
        for event in run.branch_events.iter().rev() {
            let Some(body) = self.world.classes.body(event.method) else { continue };
            for to in branch_targets(&body, event.from) {
                let edge = self.wanted_edge(event, to).filter(|edge| !self.covered.contains(edge));
                let edge = edge.filter(|&edge| goals.iter().all(|goal| goal.edge != edge));
                goals.extend(edge.map(|edge| BranchGoal { edge, method: event.method, from: event.from }));
            }
        }
        goals.truncate(GOALS);
        goals
    }

    fn wanted_edge(&mut self, event: &BranchEvent, to: usize) -> Option<Edge> {
        let body = self.world.classes.body(event.method)?;
        (self.wanted)(&branch_target(self.world.classes.name(event.method.class), event, &body, to))
    }

    /// Adds models in which one of the last conditions before the goal's branch is negated; the last condition is tried first.
    fn negate_conditions(
        &mut self,
        goal: &BranchGoal,
        inputs: &SymbolicInputs,
        run: &ConcolicRun,
        known: &mut FxHashSet<Vec<i64>>,
        waiting: &mut Vec<Model>,
    ) {
        let is_at_goal = |event: &&BranchEvent| event.method == goal.method && event.from == goal.from;
        let Some(event) = run.branch_events.iter().rev().find(is_at_goal) else { return };
        let mut models = Vec::new();
        for index in (inputs.ranges.len()..event.conditions).rev().take(NEGATED_CONDITIONS) {
            *self.cost += SOLVING + PER_CONDITION * index as u64;
            let (others, wanted) = (&run.conditions[..index], run.conditions[index].negated());
            let model = nearby(&self.world.terms, others, wanted, &run.model).or_else(|| {
                let all = others.iter().copied().chain([wanted]).collect();
                match Oracle::new(&mut NoSolver).answer(&self.world.terms, Query { all, none_of: Vec::new() }) {
                    SolverAnswer::Satisfiable(values) => Some(values),
                    SolverAnswer::Unsatisfiable | SolverAnswer::Unknown => None,
                }
            });
            models.extend(model.filter(|model| known.insert(inputs.values(model))));
        }
        waiting.extend(models.into_iter().rev());
    }
}

/// A wanted edge and the branch instruction that may take it.
struct BranchGoal {
    edge: Edge,
    method: MethodId,
    from: usize,
}

/// One interpreted run.
struct ConcolicRun {
    model: Model,
    branch_events: Vec<BranchEvent>,
    /// The path condition.
    conditions: Conjunction,
    /// Executed instructions.
    steps: u64,
}

/// Indices of the instructions that may follow a branch instruction.
fn branch_targets(body: &Body, from: usize) -> Vec<usize> {
    let instruction = &body.steps[from].instruction;
    let mut targets: Vec<usize> = instruction.targets().collect();
    if instruction.jump().is_some() {
        targets.push(from + 1);
    }
    targets.sort_unstable();
    targets.dedup();
    targets
}

fn branch_target<'a>(class: &'a ClassName, event: &BranchEvent, body: &Body, to: usize) -> BranchTarget<'a> {
    let (kind, at) = match &body.steps[event.from].instruction {
        Instruction::Switch(_) => (BranchKind::Case, to),
        jump if jump.jump() == Some(&to) => (BranchKind::Taken, event.from),
        _ => (BranchKind::NotTaken, event.from),
    };
    let pc = body.steps.get(at).map_or(0, |step| step.pc);
    BranchTarget { class, method: event.method.index, kind, pc }
}

/// The literals of a sequence as symbolic variables.
struct SymbolicInputs {
    /// With the index of the statement.
    of_statement: Vec<(usize, SymbolicInput)>,
    /// In the order of the statements.
    variables: Vec<SymbolicVariable>,
    /// The ranges of their types.
    ranges: Conjunction,
    /// The literals of the sequence.
    model: Model,
}

enum SymbolicInput {
    Number(Primitive, InputVariable),
    /// Its characters, all ASCII.
    String(Vec<InputVariable>),
}

#[derive(Clone, Copy)]
struct InputVariable {
    variable: SymbolicVariable,
    term: Term,
}

impl SymbolicInputs {
    fn of(sequence: &Sequence, terms: &mut Terms) -> SymbolicInputs {
        let mut inputs = SymbolicInputs {
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
                    SymbolicInput::String(
                        units.into_iter().map(|unit| inputs.add(terms, false, unit.into(), Some((0, 127)))).collect(),
                    )
                }
                literal => {
                    let Type::Primitive(primitive) = literal.literal_type() else { continue };
                    let Some(value) = SymbolicValue::of_literal(literal).and_then(SymbolicValue::literal) else {
                        continue;
                    };
                    let Some(value) = number(&value) else { continue };
                    let is_wide = primitive == Primitive::Long;
                    SymbolicInput::Number(primitive, inputs.add(terms, is_wide, value, range(primitive)))
                }
            };
            inputs.of_statement.push((at, input));
        }
        inputs
    }

    fn add(&mut self, terms: &mut Terms, is_wide: bool, value: i64, range: Option<(i32, i32)>) -> InputVariable {
        let variable = SymbolicVariable { number: self.variables.len() as u32, wide: is_wide };
        let term = terms.variable(variable);
        self.variables.push(variable);
        self.model.insert(variable, value);
        self.ranges.extend(range.into_iter().flat_map(|range| terms.within(term, range)));
        InputVariable { variable, term }
    }

    /// The values of the model, which identify it.
    fn values(&self, model: &Model) -> Vec<i64> {
        self.variables.iter().map(|variable| model.get(variable).copied().unwrap_or(0)).collect()
    }

    /// Interprets the sequence with these values.
    fn run(
        &self,
        world: &mut InterpreterWorld,
        operations: &[Operation],
        sequence: &Sequence,
        model: Model,
    ) -> ConcolicRun {
        let path = Path::along(self.ranges.clone(), model.clone());
        let (mut solver, heap) = (NoSolver, Heap::default());
        let oracle = &mut Oracle::new(&mut solver);
        let mut machine = Interpreter::new(world, oracle, heap, path, STEPS);
        machine.branch_events = Some(Vec::new());
        machine.conditions = self.ranges.len() + CONDITIONS;
        let mut literal = |machine: &mut Interpreter, at: usize, literal: &Literal| -> RunResult<SymbolicValue> {
            match self.of_statement.iter().find(|(statement, _)| *statement == at) {
                None => machine.constant(literal),
                Some((_, SymbolicInput::Number(_, number))) => Ok(SymbolicValue::Symbol(number.term)),
                Some((_, SymbolicInput::String(units))) => {
                    let units = units.iter().map(|unit| SymbolicValue::Symbol(unit.term)).collect();
                    machine.text_of_bytes(units, true).map(SymbolicValue::Reference)
                }
            }
        };
        // The branch events count however the run ends.
        let _ = machine.run_all(operations, sequence, &mut Vec::new(), &mut literal, &mut |_, _, _| {});
        let Interpreter { path, branch_events, steps, .. } = machine;
        let branch_events = branch_events.unwrap_or_default();
        ConcolicRun { model, branch_events, conditions: path.conditions, steps: STEPS - steps }
    }

    /// The sequence with the values of the model as literals.
    fn sequence(&self, sequence: &Sequence, model: &Model) -> Sequence {
        let value = |input: &InputVariable| model.get(&input.variable).copied().unwrap_or(0);
        let mut changed = sequence.clone();
        for (at, input) in &self.of_statement {
            let literal = match input {
                SymbolicInput::Number(primitive, number) => Literal::of_number(value(number), *primitive),
                SymbolicInput::String(units) => {
                    let units: Vec<u16> = units.iter().map(|unit| value(unit) as u16).collect();
                    Literal::String(JavaString::from_units(&units))
                }
            };
            changed = changed.with_literal(*at, literal);
        }
        changed
    }
}
