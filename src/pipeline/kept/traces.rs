//! What the tests of earlier runs reach: each runs alone in a worker, first as it is, then with mutants.
//!
//! A test earns its place if no test before it does all that it does. Where this cannot be told, as a test or a mutant could not
//! be run, the test stays.

use super::code::TestCode;
use super::standing::StandingSuite;
use super::{Fate, Kept, KeptTest, OldTest, Request, TEST_TIMEOUT, called_edges, mutants};
use crate::engine::EngineError;
use crate::subject::{Numbered, Subject};
use crate::{PipelineError, kept};
use bytecode::classfile::MethodMember;
use host::supervisor::Launch;
use host::supervisor::suite_tracing::{self, TestName};
use host::supervisor::verification::VerificationRequest;
use model::execution::Edge;
use model::execution::trace::{End, TestTrace, TracedMethod};
use model::progress::Event;
use model::sequence::{OperationId, OperationKind};
use program::Program;
use report::RemovalReason;
use rustc_hash::{FxHashMap, FxHashSet};
use search::generator::Goal;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Runs the tests that pass, removes those of them that add nothing, and notes what the others reach.
pub(super) fn take(
    request: &Request,
    (verification, others): (&VerificationRequest, Option<&StandingSuite>),
    compiled: Option<&Path>,
    code: &TestCode,
    tests: &mut [OldTest],
    kept: &mut Kept,
) -> Result<(), PipelineError> {
    let Request { task, subject, .. } = *request;
    let passes = |test: &&OldTest| matches!(test.fate, Fate::Passes);
    let mut names: BTreeSet<String> = tests.iter().filter(passes).map(|test| test.file.binary_name()).collect();
    names.extend(others.iter().flat_map(|others| &others.names).cloned());
    if names.is_empty() {
        return Ok(());
    }
    let class_path = compiled.into_iter().chain(others.map(|others| &*others.compiled));
    let launch = launch(request, verification, class_path.map(Path::to_path_buf).collect());
    let names: Vec<String> = names.into_iter().collect();
    let progress = &mut |done, total| task.listener.announce(Event::TestRun { done, total });
    let traced = suite_tracing::trace(&launch, &names, progress).map_err(EngineError::from)?;
    let mut by_name: BTreeMap<TestName, TestTrace> = traced.tests.into_iter().collect();
    // In the order of the tests; those that could not be traced are not among them.
    let (mut order, mut traces) = (Vec::new(), Vec::new());
    for (number, test) in tests.iter().enumerate().filter(|(_, test)| passes(test)) {
        let name = TestName { class: test.file.binary_name(), method: test.test.method.clone() };
        if let Some(trace) = by_name.remove(&name) {
            order.push(number);
            traces.push((name, trace));
        }
    }
    // Then those of other classes, which all stay.
    traces.extend(by_name);
    let goals = Goals::new(subject);
    let reached: Vec<FxHashSet<Goal>> = traces.iter().map(|trace| goals.of(trace, code)).collect();
    let accepted = |test: &&OldTest| matches!(test.fate, Fate::Removed(RemovalReason::Accepted, _));
    let released = tests.iter().filter(accepted).flat_map(|test| called_edges(test, code, subject)).collect();
    let (killed, is_complete) = mutants::run(request, &launch, &traces, &released, kept)?;
    // Where behaviour changed, a test may do what another did before: it is not the time to remove any.
    let is_settled = |test: &OldTest| !matches!(test.fate, Fate::Fails(..) | Fate::Unknown);
    let unsettled: BTreeSet<usize> = tests.iter().filter(|test| !is_settled(test)).map(|test| test.class).collect();
    let mut staying: Vec<usize> = Vec::new();
    for at in 0..order.len() {
        let test = &tests[order[at]];
        let is_like = |before: &&usize| {
            let other = &tests[order[**before]];
            other.class == test.class && reached[at].is_subset(&reached[**before])
        };
        let before = staying.iter().find(is_like).map(|before| tests[order[*before]].test.method.clone());
        let is_known = request.is_whole && is_complete && !unsettled.contains(&test.class);
        match before.filter(|_| is_known && !killed.contains(&at) && !reached[at].is_empty()) {
            Some(before) => {
                let detail = format!("{before} does all that it does");
                tests[order[at]].fate = Fate::Removed(RemovalReason::Redundant, detail);
            }
            None => staying.push(at),
        }
    }
    staying.extend(order.len()..traces.len());
    for &at in &staying {
        kept.held.goals.extend(reached[at].iter().cloned());
        kept.edges.extend(traces[at].1.edges.iter().map(|hit| hit.edge));
        goals.note(&traces[at].1, kept);
    }
    let of_trace = |trace: &TestTrace| -> Vec<Edge> { trace.edges.iter().map(|hit| hit.edge).collect() };
    let edges = order.iter().zip(&traces).map(|(number, (_, trace))| (*number, of_trace(trace)));
    let mut edges: BTreeMap<usize, Vec<Edge>> = edges.collect();
    for (number, test) in tests.iter().enumerate().filter(|(_, test)| passes(test)) {
        let program = &subject.program;
        let calls = code.calls(&test.file.binary_name(), &test.test.method);
        let mut operations = calls.iter().flat_map(|call| operations_of(call, program));
        let back_door = operations.any(|id| program.operations[id.0 as usize].back_door);
        let (method, file) = (test.test.method.clone(), test.file.relative_path());
        let edges = edges.remove(&number).unwrap_or_default();
        let of_class = kept.classes.entry(program.targets[test.class].name.clone()).or_default();
        of_class.tests.push(KeptTest { method, file, edges, back_door });
    }
    Ok(())
}

/// Workers that trace tests, with the probes and mutants of the search.
fn launch(request: &Request, verification: &VerificationRequest, mut class_path: Vec<PathBuf>) -> Launch {
    let kept::Request { task, subject, scratch, .. } = *request;
    class_path.extend(verification.class_path.iter().cloned());
    let mut launch = Launch::new(task.jdk.home.clone(), class_path, scratch.join("traced"));
    launch.class_probes = subject.numbered.iter().flatten().map(Numbered::class_probe).collect();
    launch.class_methods = subject.numbered.iter().flatten().map(|class| class.first_method).collect();
    launch.probe_count = subject.probes.count;
    // Tests that pass end by themselves.
    launch.probe_budget = i32::MAX as u64;
    launch.call_timeout = TEST_TIMEOUT;
    launch.jvm_args = task.options.jvm_args.clone();
    launch.read_paths_of(task.options.typed_jvm_args());
    launch.sandbox = task.options.sandbox;
    launch.interrupt = task.interrupt.clone();
    launch
}

/// What traces say of the search's goals.
struct Goals<'a> {
    subject: &'a Subject,
    /// The operations that are calls of a method: they differ in type arguments.
    operations: FxHashMap<TracedMethod, Vec<OperationId>>,
    /// Static fields that are read.
    constants: Vec<OperationId>,
}

impl<'a> Goals<'a> {
    fn new(subject: &'a Subject) -> Goals<'a> {
        let program = &subject.program;
        let mut operations: FxHashMap<TracedMethod, Vec<OperationId>> = FxHashMap::default();
        for (target, numbered) in program.targets.iter().zip(&subject.numbered) {
            let Some(Numbered { first_method, plan, .. }) = numbered else { continue };
            for (method, (name, descriptor)) in (*first_method..).zip(&plan.methods) {
                let is_same = |id: &&OperationId| {
                    let operation = &program.operations[id.0 as usize];
                    operation.is_code() && *operation.name == **name && operation.descriptor.to_string() == **descriptor
                };
                operations.insert(method, target.operations.iter().filter(is_same).copied().collect());
            }
        }
        let is_constant = |id: &OperationId| program.operations[id.0 as usize].kind == OperationKind::GetStatic;
        let constants = program.targets.iter().flat_map(|target| &target.operations).copied().filter(is_constant);
        Goals { subject, operations, constants: constants.collect() }
    }

    fn operations(&self, method: TracedMethod) -> impl Iterator<Item = OperationId> {
        self.operations.get(&method).into_iter().flatten().copied()
    }

    /// What a test reaches, without the mutants that it kills.
    fn of(&self, (name, trace): &(TestName, TestTrace), code: &TestCode) -> FxHashSet<Goal> {
        let program = &self.subject.program;
        let of_operation = |id: &OperationId| &program.operations[id.0 as usize];
        let is_read = |id: &&OperationId| {
            let operation = of_operation(id);
            code.reads(&name.class, &name.method, (&operation.owner, &operation.name))
        };
        let constants: Vec<OperationId> = self.constants.iter().filter(is_read).copied().collect();
        let mut goals: FxHashSet<Goal> = trace.edges.iter().map(|hit| Goal::Edge(hit.edge)).collect();
        for execution in &trace.executions {
            for id in self.operations(execution.method) {
                if let End::Threw(exception) = &execution.end {
                    goals.insert(Goal::Throws(id, exception.clone()));
                    continue;
                }
                goals.insert(Goal::Returns(id));
                // The trace does not say which constant was which input.
                for input in 0..of_operation(&id).inputs.len() as u32 {
                    goals.extend(constants.iter().map(|constant| Goal::ReturnsFor(id, input, *constant)));
                }
            }
        }
        goals
    }

    /// Notes what a test calls.
    fn note(&self, trace: &TestTrace, kept: &mut Kept) {
        for execution in &trace.executions {
            kept.called.extend(self.operations(execution.method));
            if !matches!(execution.end, End::Threw(_)) {
                kept.returned.extend(self.operations(execution.method));
            }
        }
    }
}

/// The operations that call a method of a class under test, which may inherit it.
pub(super) fn operations_of(member: &MethodMember, program: &Program) -> Vec<OperationId> {
    let ancestry = program.types.ancestry(&member.owner);
    let owners = [&member.owner].into_iter().chain(ancestry.iter().map(|facts| &facts.name));
    for owner in owners {
        let target = program.targets.iter().find(|target| target.name == *owner);
        let is_called = |id: &&OperationId| {
            let operation = &program.operations[id.0 as usize];
            operation.is_code() && operation.name == member.name && operation.descriptor == member.descriptor
        };
        let found: Vec<OperationId> =
            target.into_iter().flat_map(|target| &target.operations).filter(is_called).copied().collect();
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}
