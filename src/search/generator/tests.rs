//! The search against a class in the head: no JVM, so that a whole search takes milliseconds.

use super::program_model::call_count;
use super::*;
use model::execution::{Comparison, Detail, EdgeHit, Execution, Observed, Outcome, StackFrame, Thrown, Value};
use model::jvm::Literal;
use model::jvm::MethodDescriptor;
use model::jvm::types::TypeTable;
use model::options::{Access, ImplicitExceptions};
use model::sequence::{Action, CheckOperations, Operation, OperationKind};
use oracle::{Finding, Judge};
use program::Program;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A counter class in the head: `new Counter()`, `add(int)`, `isLarge()`, `fail()`; edges as its code would have.
struct CounterJvm {
    delay: bool,
}

const NEW: OperationId = OperationId(0);
const ADD: OperationId = OperationId(1);
const IS_LARGE: OperationId = OperationId(2);
const FAIL: OperationId = OperationId(3);

impl Executor for CounterJvm {
    fn execute(&mut self, sequences: &[Sequence], _: Detail) -> Result<Vec<Execution>, ExecutorError> {
        if self.delay {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        Ok(sequences.iter().map(run).collect())
    }

    fn restart(&mut self) -> Result<(), ExecutorError> {
        Ok(())
    }
}

fn run(sequence: &Sequence) -> Execution {
    let mut counts: Vec<i64> = vec![0; sequence.len()];
    let mut object_of: Vec<usize> = (0..sequence.len()).collect();
    let mut execution = Execution {
        outcome: Outcome::Completed,
        values: Vec::new(),
        edges: Vec::new(),
        comparisons: Vec::new(),
        cost: 1,
        states: Vec::new(),
        environment_dependent: false,
        timed: false,
        denied: None,
        residual_state: None,
        decisions: 0,
        mock_calls: Vec::new(),
        holding_null: Vec::new(),
    };
    let mut edges = std::collections::BTreeSet::new();
    for (at, statement) in sequence.statements().iter().enumerate() {
        let inputs: Vec<usize> = sequence.inputs_of(at).collect();
        let value = match &statement.action {
            Action::Literal(Literal::Null(_)) => Value::Null,
            Action::Literal(literal) => Value::Literal(literal.clone()),
            Action::Call(operation) => {
                let receiver = inputs.first().map_or(at, |&input| object_of[input]);
                match *operation {
                    NEW => {
                        edges.insert(0);
                        object()
                    }
                    ADD => {
                        edges.insert(1);
                        if let Action::Literal(Literal::Int(value)) = &sequence.statements()[inputs[1]].action {
                            counts[receiver] += i64::from(*value);
                        }
                        Value::Void
                    }
                    IS_LARGE => {
                        let large = counts[receiver] == 4711;
                        edges.insert(if large { 3 } else { 2 });
                        execution.comparisons.push(Comparison {
                            site: 2,
                            left: Literal::Int(counts[receiver].clamp(-9999, 9999) as i32),
                            right: Literal::Int(4711),
                        });
                        Value::Literal(Literal::Boolean(large))
                    }
                    FAIL => {
                        edges.insert(4);
                        execution.outcome = Outcome::Threw { statement: at, exception: null_pointer_exception() };
                        break;
                    }
                    _ => {
                        if let Some(&input) = inputs.first() {
                            object_of[at] = object_of[input];
                        }
                        object()
                    }
                }
            }
        };
        execution.values.push(value);
    }
    if execution.outcome == Outcome::Completed {
        let last = sequence.len() - 1;
        let state = |at: usize| match &execution.values[at] {
            Value::Object { .. } => Some(counts[object_of[at]] as u64),
            _ => None,
        };
        execution.states = sequence.inputs_of(last).map(state).chain([state(last)]).collect();
    }
    execution.edges = edges.into_iter().map(|edge| EdgeHit { edge, bucket: 0 }).collect();
    execution
}

fn object() -> Value {
    Value::Object { class: Type::class("p/Counter"), observed: Observed::Nothing }
}

fn null_pointer_exception() -> Thrown {
    let class = ClassName::new("java/lang/NullPointerException");
    Thrown {
        class: class.clone(),
        nameable: class.clone(),
        superclasses: vec![class],
        message: None,
        stack: Vec::new(),
    }
}

fn operation(kind: OperationKind, name: &str, inputs: Vec<Type>, output: Option<Type>) -> Operation {
    let is_instance = kind == OperationKind::InstanceMethod;
    let descriptor = MethodDescriptor { parameters: inputs[usize::from(is_instance)..].to_vec(), returns: output };
    Operation { inputs, ..Operation::new(kind, ClassName::new("p/Counter"), name, descriptor) }
}

fn counter_program() -> Program {
    let counter = Type::class("p/Counter");
    let method = OperationKind::InstanceMethod;
    program_of(vec![
        operation(OperationKind::Constructor, "<init>", vec![], Some(counter.clone())),
        operation(method, "add", vec![counter.clone(), Type::INT], None),
        operation(method, "isLarge", vec![counter.clone()], Some(Type::BOOLEAN)),
        operation(method, "fail", vec![counter], None),
    ])
}

#[test]
fn methods_of_mocks_are_not_called() {
    let counter = Type::class("p/Counter");
    let mock = operation(OperationKind::Implementation, "<init>", vec![], Some(counter.clone()));
    let add = operation(OperationKind::InstanceMethod, "add", vec![counter.clone(), counter.clone()], None);
    let program = program_of(vec![
        operation(OperationKind::Constructor, "<init>", vec![], Some(counter)),
        add,
        Operation { mock: true, ..mock },
    ]);
    let model = ProgramModel::new(&program, &Guidance::without(&[]));
    let makers_of = |input: usize, is_receiver| model.makers(model.inputs(ADD)[input].need, is_receiver);
    assert_eq!(makers_of(0, true), [NEW]);
    assert_eq!(makers_of(1, false), [NEW, OperationId(2)]);
    let mut sequence = Sequence::new();
    let real = sequence.push_call(NEW, &[]);
    let mock = sequence.push_call(OperationId(2), &[]);
    sequence.push_call(ADD, &[real, mock]);
    assert!(!model.calls_mock(&sequence));
    sequence.push_call(ADD, &[mock, real]);
    assert!(model.calls_mock(&sequence));
}

/// A program of one class.
pub(super) fn program_of(operations: Vec<Operation>) -> Program {
    let check = OperationId(2);
    let effects = vec![bytecode::analysis::purity::Effects::ALL; operations.len()];
    Program {
        types: TypeTable::default(),
        targets: vec![program::Target {
            annotated: Vec::new(),
            tested: Vec::new(),
            name: ClassName::new("p/Counter"),
            operations: (0..operations.len()).map(|at| OperationId(at as u32)).collect(),
            constants: Vec::new(),
        }],
        operations: operations.into(),
        skipped: Vec::new(),
        back_doors: BTreeMap::new(),
        closed_fields: BTreeMap::new(),
        casts: BTreeMap::new(),
        arrays: BTreeMap::new(),
        checks: CheckOperations {
            equals: check,
            hash_code: check,
            to_string: check,
            compare_to: check,
            compare: check,
            content: check,
            file_content: None,
            message: None,
            described: None,
        },
        contract_methods: Vec::new(),
        result_getters: Vec::new(),
        effects,
        caller_obligations: Default::default(),
        told: Default::default(),
        existing_tests: program::ExistingTests::default(),
        plain_values: Vec::new(),
    }
}

fn counter_probes() -> ProbeMap {
    ProbeMap {
        count: 5,
        is_edge: vec![true; 5],
        is_boundary: vec![false; 5],
        of_operation: vec![vec![0], vec![1], vec![2, 3], vec![4]],
        first_of_class: vec![0],
        ..ProbeMap::default()
    }
}

fn search(seed: u64, threads: usize) -> SearchResult {
    let (program, probes) = (counter_program(), counter_probes());
    let mut executors: Vec<Box<dyn Executor>> =
        (0..SHARDS).map(|shard| Box::new(CounterJvm { delay: shard == 0 }) as Box<dyn Executor>).collect();
    let limits = SearchLimits { sequences: Some(2_000), threads };
    let (found, _, error) =
        Search::new(Judge::new(&program, &[]), &probes, Seed::root(seed), &[], StateRepresentation::WholeState).run(
            &mut executors,
            &limits,
            &mut |_| true,
        );
    assert!(error.is_none());
    found
}

#[test]
fn result_is_independent_of_the_number_of_threads() {
    let describe = |found: SearchResult| {
        let kept: Vec<_> = found
            .archive
            .iter()
            .map(|kept| (kept.sequence.describe(&counter_program().operations), kept.goals.clone()))
            .collect();
        (kept, found.statistics)
    };
    let one = describe(search(1, 1));
    assert_eq!(one, describe(search(1, 2)));
    assert_eq!(one, describe(search(1, 4)));
    assert_ne!(one, describe(search(2, 4)));
}

#[test]
fn observed_comparison_operand_leads_to_the_guarded_branch() {
    for seed in 0..5 {
        assert_eq!(search(seed, 4).statistics.covered_edges, 5, "seed {seed}");
    }
}

#[test]
fn sequences_of_existing_tests_run_first() {
    let mut opened = Sequence::new();
    let counter = opened.push_call(NEW, &[]);
    let amount = opened.push_literal(Literal::Int(4711));
    opened.push_call(ADD, &[counter, amount]);
    opened.push_call(IS_LARGE, &[counter]);
    let mut program = counter_program();
    program.existing_tests.sequences.push(opened);
    let probes = counter_probes();
    let covers_large = |disabled: &[Component]| {
        let mut executors: Vec<Box<dyn Executor>> =
            (0..SHARDS).map(|_| Box::new(CounterJvm { delay: false }) as Box<dyn Executor>).collect();
        let search =
            Search::new(Judge::new(&program, &[]), &probes, Seed::root(1), disabled, StateRepresentation::WholeState);
        let (found, ..) = search.run(&mut executors, &SearchLimits { sequences: Some(1), threads: 1 }, &mut |_| true);
        found.archive.iter().any(|kept| kept.goals.contains(&Goal::Edge(3)))
    };
    assert!(covers_large(&[]));
    assert!(!covers_large(&[Component::ExistingTests]));
}

#[test]
fn what_another_sequence_does_with_an_object_is_done_with_one_of_its_type() {
    let (program, probes) = (counter_program(), counter_probes());
    let mut executors: Vec<Box<dyn Executor>> =
        (0..SHARDS).map(|_| Box::new(CounterJvm { delay: false }) as Box<dyn Executor>).collect();
    let limits = SearchLimits { sequences: Some(1), threads: 1 };
    let (_, vocabulary, _) =
        Search::new(Judge::new(&program, &[]), &probes, Seed::root(1), &[], StateRepresentation::WholeState).run(
            &mut executors,
            &limits,
            &mut |_| true,
        );
    let added = |amount: i32| {
        let mut sequence = Sequence::new();
        let counter = sequence.push_call(NEW, &[]);
        let amount = sequence.push_literal(Literal::Int(amount));
        sequence.push_call(ADD, &[counter, amount]);
        sequence
    };
    let base = added(7);
    let mut other = added(4711);
    other.push_call(IS_LARGE, &[0]);
    let known = [other];
    let uses = vocabulary.uses(&known);
    let mut rng = Seed::root(1).rng();
    let mut grafted = std::collections::BTreeSet::new();
    for one in (0..100).filter_map(|_| vocabulary.graft(&base, &uses, &mut rng)) {
        assert_eq!(one.prefix(base.len()), base);
        assert_eq!(one.inputs_of(one.len() - 1).collect::<Vec<_>>(), [0], "the object is that of the base");
        grafted.insert(one.calls().collect::<Vec<_>>());
    }
    assert_eq!(grafted, [vec![NEW, ADD, IS_LARGE], vec![NEW, ADD, ADD, IS_LARGE]].into());
}

/// How often `isLarge` is called in so many sequences, as a back door before the edges.
fn calls_of_back_door(is_called: bool, behind: &[Edge], access: Access, sequences: u64) -> u64 {
    let mut operations = counter_program().operations.to_vec();
    operations[IS_LARGE.0 as usize].back_door = true;
    let mut program = program_of(operations);
    program.back_doors.insert(IS_LARGE, program::BackDoor { is_called, code: Vec::new() });
    let probes = ProbeMap { behind: [(IS_LARGE, behind.to_vec())].into(), ..counter_probes() };
    let mut executors: Vec<Box<dyn Executor>> =
        (0..SHARDS).map(|_| Box::new(CounterJvm { delay: false }) as Box<dyn Executor>).collect();
    let search = Search::new(Judge::new(&program, &[]), &probes, Seed::root(1), &[], StateRepresentation::WholeState);
    let limits = SearchLimits { sequences: Some(sequences), threads: 1 };
    let (found, ..) = search.with_access(access).run(&mut executors, &limits, &mut |_| true);
    found.trials[IS_LARGE.0 as usize].tries
}

#[test]
fn back_door_is_opened_for_code_that_the_front_door_does_not_reach() {
    let own = [2, 3];
    assert!(calls_of_back_door(false, &own, Access::Public, 500) > 0, "nothing else calls it");
    assert_eq!(calls_of_back_door(true, &own, Access::Public, 500), 0);
    assert!(calls_of_back_door(true, &own, Access::Public, 5_000) > 0, "the front door had its chance");
    assert_eq!(calls_of_back_door(true, &[0, 1], Access::Public, 5_000), 0, "the front door reaches it all");
    assert!(calls_of_back_door(true, &own, Access::Package, 500) > 0);
}

#[test]
fn occurrences_of_one_cause_are_one_finding() {
    let found = search(3, 4);
    let contracts: Vec<_> = found.findings.iter().map(|finding| finding.violation.contract).collect();
    assert_eq!(contracts, ["no-null-pointer"]);
    assert!(found.findings[0].occurrences > 1);
    assert_eq!(call_count(&found.findings[0].sequence), 2);
}

#[test]
fn findings_are_minimized_on_all_shards_while_there_is_time() {
    let program = counter_program();
    let found = search(3, 4).findings.remove(0);
    let mut longer = Vec::new();
    for index in 0..6 {
        let mut sequence = Sequence::new();
        for _ in 0..=index {
            sequence.push_call(NEW, &[]);
        }
        sequence.append(&found.sequence);
        let mut execution = found.execution.clone();
        let made = execution.values[0].clone();
        execution.values.splice(0..0, (0..=index).map(|_| made.clone()));
        longer.push(Finding { sequence, execution, ..found.clone() });
    }
    let mut harmless = Sequence::new();
    harmless.push_call(NEW, &[]);
    longer.push(Finding { sequence: harmless, ..found.clone() });
    let minimize = |threads: usize, should_continue: bool| {
        let mut executors: Vec<Box<dyn Executor>> =
            (0..3).map(|shard| Box::new(CounterJvm { delay: shard == 0 }) as Box<dyn Executor>).collect();
        let probes = counter_probes();
        let task = suite::SelectionTask {
            program: &program,
            probes: &probes,
            threads,
            implicit_exceptions: ImplicitExceptions::Keep,
            access: Access::Package,
            held: &suite::Held::default(),
            observed_for_goal: 2,
            should_continue: &|| should_continue,
        };
        let minimized = suite::minimize_findings(longer.clone(), Judge::new(&program, &[]), task, &mut executors);
        let minimized = minimized.unwrap();
        assert_eq!(minimized.not_repeated, 1);
        minimized
            .findings
            .iter()
            .map(|finding| (call_count(&finding.sequence), finding.occurrences))
            .collect::<Vec<_>>()
    };
    let occurrences = found.occurrences;
    assert_eq!(minimize(1, true), [(2, occurrences * 6)]);
    assert_eq!(minimize(3, true), [(2, occurrences * 6)]);
    assert_eq!(minimize(3, false), [3, 4, 5, 6, 7, 8].map(|calls| (calls, occurrences)));
}

/// A class in the head with a static switch: `on()`, `off()`, `isOn()`, `work(int)` that fails while it is on.
#[derive(Default)]
struct SwitchJvm {
    on: bool,
}

const ON: OperationId = OperationId(0);
const OFF: OperationId = OperationId(1);
const IS_ON: OperationId = OperationId(2);
const WORK: OperationId = OperationId(3);

impl Executor for SwitchJvm {
    fn execute(&mut self, sequences: &[Sequence], detail: Detail) -> Result<Vec<Execution>, ExecutorError> {
        Ok(sequences.iter().map(|sequence| self.run(sequence, detail)).collect())
    }

    fn restart(&mut self) -> Result<(), ExecutorError> {
        self.on = false;
        Ok(())
    }
}

impl SwitchJvm {
    fn run(&mut self, sequence: &Sequence, detail: Detail) -> Execution {
        let mut execution = Execution::ended(Outcome::Completed);
        let mut edges = std::collections::BTreeSet::new();
        for (at, statement) in sequence.statements().iter().enumerate() {
            let Action::Call(operation) = statement.action else {
                execution.values.push(Value::Void);
                continue;
            };
            if operation == WORK && self.on {
                execution.outcome = Outcome::Threw { statement: at, exception: null_pointer_exception() };
                break;
            }
            edges.insert(operation.0);
            self.on = operation == ON || self.on && operation != OFF;
            if operation == ON {
                edges.insert(9);
            }
            // Work reaches an edge of its own for each argument.
            if let (WORK, Some(input)) = (operation, sequence.inputs_of(at).next())
                && let Action::Literal(Literal::Int(value)) = sequence.statements()[input].action
            {
                edges.insert(value as u32);
            }
            execution.values.push(match operation {
                IS_ON => Value::Literal(Literal::Boolean(self.on)),
                _ => Value::Void,
            });
        }
        execution.edges = edges.into_iter().map(|edge| EdgeHit { edge, bucket: 0 }).collect();
        if detail != Detail::SharedJvm {
            execution.residual_state = self.on.then_some(1);
            self.on = false;
        }
        execution
    }
}

#[test]
fn null_rejected_by_a_callee_is_no_outcome_of_its_caller() {
    let method = OperationKind::StaticMethod;
    let program = program_of(vec![
        operation(method, "of", vec![Type::object()], None),
        operation(method, "make", vec![Type::object()], None),
    ]);
    let probes = ProbeMap {
        count: 2,
        is_edge: vec![true; 2],
        is_boundary: vec![false; 2],
        of_operation: vec![vec![0], vec![1]],
        first_of_class: vec![0],
        ..ProbeMap::default()
    };
    let frame = |class: &str, method: &str| StackFrame { class: ClassName::new(class), method: method.into(), line: 1 };
    let goals = |methods: &[&str]| {
        let own = methods.iter().map(|method| frame("p/Counter", method));
        let stack = [frame("java/util/Objects", "requireNonNull")].into_iter().chain(own).collect();
        let exception = Thrown { stack, ..null_pointer_exception() };
        let mut sequence = Sequence::new();
        sequence.push_call(OperationId(0), &[]);
        let run = Execution::ended(Outcome::Threw { statement: 0, exception });
        outcomes::goals_of(&sequence, &run, &program, &probes).len()
    };
    assert_eq!(goals(&["of"]), 1);
    assert_eq!(goals(&["make", "of"]), 0);
    // What is private has no test of its own.
    assert_eq!(goals(&["check", "of"]), 1);
}

#[test]
fn a_member_has_the_same_outcomes_whatever_its_type_arguments() {
    let method = OperationKind::StaticMethod;
    let program = program_of(vec![
        operation(method, "of", vec![Type::object()], None),
        operation(method, "of", vec![Type::object()], None),
        operation(method, "other", vec![], None),
    ]);
    let mut probes = ProbeMap { count: 2, is_edge: vec![true; 2], is_boundary: vec![false; 2], ..ProbeMap::default() };
    probes.set_bodies(vec![vec![0], vec![0], vec![1]]);
    let goals = |called: u32| {
        let mut sequence = Sequence::new();
        let inputs = vec![sequence.push_literal(Literal::Int(1)); program.operations[called as usize].inputs.len()];
        sequence.push_call(OperationId(called), &inputs);
        outcomes::goals_of(&sequence, &Execution::ended(Outcome::Completed), &program, &probes)
    };
    assert_eq!(goals(1), [Goal::Returns(OperationId(0))]);
    assert_eq!(goals(0), goals(1));
    assert_eq!(goals(2), [Goal::Returns(OperationId(2))]);
}

/// What is selected of sequences of calls, as text; `work` has the numbers of its edges.
fn selected_of_switch(kept: &[&[(OperationId, &[i32])]]) -> Vec<String> {
    let method = OperationKind::StaticMethod;
    let program = program_of(vec![
        operation(method, "on", vec![], None),
        operation(method, "off", vec![], None),
        operation(method, "isOn", vec![], Some(Type::BOOLEAN)),
        operation(method, "work", vec![Type::INT], None),
    ]);
    let probes = ProbeMap {
        count: 10,
        is_edge: vec![true; 10],
        is_boundary: vec![false; 10],
        of_operation: vec![vec![0], vec![1], vec![2], (3..10).collect()],
        first_of_class: vec![0],
        ..ProbeMap::default()
    };
    let sequence = |calls: &&[(OperationId, &[i32])]| {
        let mut sequence = Sequence::new();
        for (operation, arguments) in *calls {
            let inputs: Vec<usize> =
                arguments.iter().map(|&value| sequence.push_literal(Literal::Int(value))).collect();
            sequence.push_call(*operation, &inputs);
        }
        let rank = Rank { through_back_door: false, merit: Merit::Completed, cost: 0 };
        ArchiveEntry { sequence: Arc::new(sequence), goals: Vec::new(), rank }
    };
    let kept: Vec<ArchiveEntry> = kept.iter().map(sequence).collect();
    let mut executors: Vec<Box<dyn Executor>> =
        (0..SHARDS).map(|_| Box::new(SwitchJvm::default()) as Box<dyn Executor>).collect();
    let task = suite::SelectionTask {
        program: &program,
        probes: &probes,
        threads: 2,
        implicit_exceptions: ImplicitExceptions::Keep,
        access: Access::Package,
        held: &suite::Held::default(),
        observed_for_goal: 2,
        should_continue: &|| true,
    };
    let selection = suite::select(&kept, task, &mut executors, None).unwrap();
    assert_eq!(selection.unstable, 0);
    let calls = |one: suite::TestCandidate| {
        let names = one.sequence.calls().map(|operation| program.operations[operation.0 as usize].name.to_string());
        let text = names.collect::<Vec<_>>().join(" ");
        let is_silenced = |value: &Value| matches!(value, Value::Object { observed: Observed::Nothing, .. });
        if one.execution.values.iter().any(is_silenced) { text + " without its value" } else { text }
    };
    selection.tests.into_iter().map(calls).collect()
}

#[test]
fn polluter_is_followed_by_its_cleaner() {
    let selected = selected_of_switch(&[&[(ON, &[])], &[(OFF, &[])], &[(WORK, &[5])]]);
    assert_eq!(selected, ["on off", "work"]);
}

#[test]
fn polluter_with_more_victims_than_goals_is_dropped() {
    let selected = selected_of_switch(&[&[(ON, &[])], &[(WORK, &[5])]]);
    assert_eq!(selected, ["work"]);
    // What puts it back does not help where the test that leaves it ends by an exception: it stays without that end.
    let selected = selected_of_switch(&[&[(ON, &[]), (WORK, &[4])], &[(OFF, &[])], &[(WORK, &[5])], &[(WORK, &[6])]]);
    assert_eq!(selected, ["on off", "work", "work"]);
}

#[test]
fn victims_of_a_valuable_polluter_lose_their_assertions() {
    let selected = selected_of_switch(&[&[(ON, &[])], &[(IS_ON, &[])]]);
    assert_eq!(selected, ["isOn without its value", "on"]);
}
