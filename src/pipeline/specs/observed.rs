//! What specifications are inferred from: the calls of the project's own tests, of a search's sequences, and of small
//! states that are made on purpose.

use crate::budget::{Budget, Portion};
use crate::engine::EngineError;
use crate::subject::{self, ClassFiles, Numbered, Source, Subject};
use crate::suites::TestTarget;
use crate::task::Task;
use crate::{PipelineError, suites, task};
use bytecode::classfile;
use host::classpath::ClassPath;
use host::scratch::Scratch;
use host::supervisor::following::Follower;
use host::supervisor::{Launch, WorkerExecutor, suite_tracing};
use model::execution::trace::TracedMethod;
use model::execution::{Detail, Edge, Execution, Executor, ExecutorError};
use model::jvm::types::access;
use model::jvm::{ClassName, MethodDescriptor, Type};
use model::options::{Origin, StateRepresentation};
use model::progress::{Event, Stage};
use model::seed::Seed;
use model::sequence::{Operation, OperationId, OperationKind, Sequence};
use rustc_hash::FxHashSet;
use search::generator::{SHARDS, Search, SearchLimits};
use specification::SpecifiedMethod;
use specification::algebraic::{Aspect, Equation, Right};
use specification::growth::{Grown, Growth};
use specification::observations::{CallId, Ending, Observations, ObservedTest, ValueId};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Sequences that are searched where no limit is given.
const SEQUENCES: u64 = 10_000;

/// Levels of small states that are learnt from. What the search keeps has rare cases in it, and what these do wrong would
/// be learnt as right.
const LEARNT_LEVELS: usize = 4;

/// Memory of the JVM that runs the project's own tests, and what each may take: somebody may have written it by hand.
const TEST_MEMORY: &str = "-Xmx1g";
const TEST_TIMEOUT: Duration = Duration::from_secs(20);

/// The classes under test, and workers that trace their calls.
pub struct Opened {
    /// The classes, instrumented to trace calls.
    pub subject: Subject,
    /// What tests of the module may look like.
    pub target: TestTarget,
    /// By the numbers that traces have for them.
    pub methods: Vec<SpecifiedMethod>,
    /// Workers that describe what they trace.
    pub launch: Launch,
    /// Names of the classes that may hold tests of the project's own.
    test_classes: Vec<String>,
    /// Goes with the workers.
    scratch: Scratch,
}

/// Reads the classes of a module; `None` if the settings select none.
pub fn open(task: &Task) -> Result<Option<Opened>, PipelineError> {
    let Task { module, options, jdk, listener, interrupt } = *task;
    let class_path = ClassPath::open(&module.classes, &module.dependencies, jdk.feature_version)?;
    let (classes, beside) = subject::select(class_path.read_own()?, options);
    if classes.is_empty() {
        return Ok(None);
    }
    // Everything that can be refused is refused before code under test runs.
    sandbox::attainable(options.sandbox)?;
    for warning in class_path.warnings() {
        listener.announce(Event::Warned(warning));
    }
    listener.announce(Event::ModuleStarted { module: module.name.clone(), classes: classes.len() });
    listener.announce(Event::StageStarted(Stage::Reading));
    let scratch = task::scratch()?;
    let target = suites::target(task, &class_path, &classes, scratch.path())?;
    let level = u16::from(target.style.source_level);
    let (own_tests, unread) = subject::read_tests(module, options, jdk);
    unread.into_iter().for_each(|warning| listener.announce(Event::Warned(warning)));
    let source =
        Source { classes: &classes, beside: &beside, tests: &own_tests, level, class_path: module.class_path() };
    let (subject, mut launch) = subject::open(source, options, jdk, scratch.path(), interrupt)?;
    launch.class_methods = subject.numbered.iter().flatten().map(|class| class.first_method).collect();
    launch.describes = true;
    launch.observers = observers(&subject);
    let methods = methods(&subject, &classes);
    Ok(Some(Opened { target, methods, launch, test_classes: concrete(&own_tests), scratch, subject }))
}

/// What was observed, and by which sequences.
#[derive(Default)]
pub struct Observed {
    /// All traced calls, with the states around them.
    pub observations: Observations,
    /// What was run, in order; indices of tests count from the first.
    pub sequences: Vec<Sequence>,
    /// The calls of each sequence; none of one that did not end by itself.
    pub tests: Vec<ObservedTest>,
    ended: Vec<bool>,
    edges: FxHashSet<Edge>,
    /// Methods of which no call ran some part.
    pub partly_run: BTreeSet<TracedMethod>,
    /// What is learnt from first: the calls of the project's own tests; for classes that these do not call, those of the
    /// first small states, and of the sequences that the search keeps where methods are not called there.
    pub base: BTreeSet<CallId>,
    /// Tests of the project's own that were traced.
    pub own_tests: usize,
    /// Calls in all, repeated ones counted each time.
    pub method_executions: u64,
}

impl Opened {
    /// Workers that run sequences and trace nothing.
    pub fn plain(&self) -> Launch {
        let mut launch = self.launch.clone();
        (launch.class_methods, launch.observers, launch.describes) = (Vec::new(), Vec::new(), false);
        launch
    }

    /// A directory that goes with the workers.
    pub fn scratch(&self) -> &Path {
        self.scratch.path()
    }

    /// Runs the project's own tests, a search and a small exploration, and traces all of their calls.
    pub fn observe(&self, task: &Task) -> Result<Observed, PipelineError> {
        let mut observed = Observed::default();
        self.run_own_tests(task, &mut observed)?;
        let Searched { kept, executed, given_up } = search(task, &self.subject, self.plain())?;
        task.listener.announce(Event::StageStarted(Stage::Tracing));
        let kept_count = kept.len();
        self.follow(task, kept, &mut observed)?;
        self.follow(task, executed, &mut observed)?;
        let first_small = observed.tests.len();
        let mut first_others = first_small;
        let mut growth = Growth::new(&self.subject.program.operations, &self.subject.program.targets, &given_up);
        // A counter has hundreds of levels, each of a few sequences.
        let mut follower = Follower::new(&self.launch);
        for number in 0.. {
            let level = growth.next_level();
            if level.is_empty() {
                break;
            }
            let first = observed.tests.len();
            observed.follow(&mut follower, task, level)?;
            for index in first..observed.tests.len() {
                let sequence = &observed.sequences[index];
                let grown = || grown(&observed.observations, &self.methods, &observed.tests[index], sequence);
                growth.note(index - first, sequence, observed.ended[index].then(grown));
            }
            if number < LEARNT_LEVELS {
                first_others = observed.tests.len();
            }
        }
        let method_of = |call: CallId| observed.observations.call(call).method;
        let class_of = |call: CallId| self.methods.get(method_of(call) as usize).map(|method| &method.class);
        let tested: BTreeSet<Option<&ClassName>> = observed.base.iter().map(|call| class_of(*call)).collect();
        let of_others = |tests: &[ObservedTest]| -> BTreeSet<CallId> {
            let calls = tests.iter().flatten().map(|(call, _)| *call);
            calls.filter(|call| !tested.contains(&class_of(*call))).collect()
        };
        let small = of_others(&observed.tests[first_small..first_others]);
        let methods: BTreeSet<u32> = small.iter().map(|call| method_of(*call)).collect();
        let mut more = of_others(&observed.tests[..kept_count]);
        more.retain(|call| !methods.contains(&method_of(*call)));
        observed.base.extend(small.into_iter().chain(more));
        observed.partly_run = partly_run(&self.subject, &observed.edges);
        Ok(observed)
    }

    fn run_own_tests(&self, task: &Task, observed: &mut Observed) -> Result<(), PipelineError> {
        if self.test_classes.is_empty() {
            return Ok(());
        }
        task.listener.announce(Event::StageStarted(Stage::Tracing));
        let mut launch = self.launch.clone();
        // Tests may do as much as they like while there is time.
        launch.probe_budget = i32::MAX as u64;
        launch.call_timeout = TEST_TIMEOUT;
        launch.jvm_args.insert(0, TEST_MEMORY.to_string());
        let progress = &mut |done, total| task.listener.announce(Event::TestRun { done, total });
        let traced = suite_tracing::trace(&launch, &self.test_classes, progress).map_err(EngineError::from)?;
        observed.observations.describe(traced.descriptions);
        for (_, trace) in &traced.tests {
            observed.method_executions += trace.executions.len() as u64;
            observed.edges.extend(trace.edges.iter().map(|hit| hit.edge));
            observed.base.extend(observed.observations.record(trace).into_iter().map(|(call, _)| call));
        }
        observed.own_tests = traced.tests.len();
        Ok(())
    }

    /// Runs further sequences in a worker of their own.
    pub fn follow(&self, task: &Task, sequences: Vec<Sequence>, observed: &mut Observed) -> Result<(), EngineError> {
        observed.follow(&mut Follower::new(&self.launch), task, sequences)
    }
}

impl Observed {
    fn follow(&mut self, follower: &mut Follower, task: &Task, sequences: Vec<Sequence>) -> Result<(), EngineError> {
        let Observed { observations, tests, ended, edges, method_executions, .. } = self;
        follower.follow(&sequences, &mut |done, trace, descriptions| {
            observations.describe(descriptions);
            *method_executions += trace.as_ref().map_or(0, |trace| trace.executions.len() as u64);
            ended.push(trace.is_some());
            edges.extend(trace.iter().flat_map(|trace| &trace.edges).map(|hit| hit.edge));
            tests.push(trace.map(|trace| observations.record(&trace)).unwrap_or_default());
            if done.is_multiple_of(1_000) {
                task.listener.announce(Event::TestRun { done, total: sequences.len() });
            }
        })?;
        self.sequences.extend(sequences);
        Ok(())
    }

    /// What a method returned whatever it was called with says little if no call ran all of it.
    pub fn is_doubtful(&self, equation: &Equation) -> bool {
        let is_partly_run = self.partly_run.contains(&equation.outer.unwrap_or(equation.inner));
        let is_same_always =
            matches!(equation.right, Right::Constant(_) | Right::InnerArgument(_) | Right::OuterArgument(_));
        is_partly_run && is_same_always && equation.aspect == Aspect::Result
    }
}

fn partly_run(subject: &Subject, seen: &FxHashSet<Edge>) -> BTreeSet<TracedMethod> {
    let of_class = |Numbered { first_probe, first_method, plan }: &Numbered| -> Vec<TracedMethod> {
        let probes = plan.probes.iter().zip(*first_probe..);
        let unseen = probes.filter(|(probe, edge)| probe.kind.is_edge() && !seen.contains(edge));
        unseen.map(|(probe, _)| first_method + TracedMethod::from(probe.method)).collect()
    };
    subject.numbered.iter().flatten().flat_map(of_class).collect()
}

/// What the last call of a sequence led to.
fn grown(observations: &Observations, methods: &[SpecifiedMethod], test: &ObservedTest, sequence: &Sequence) -> Grown {
    let Some(&(call, _)) = test.last().filter(|(_, statement)| *statement as usize + 1 == sequence.len()) else {
        return Grown::default();
    };
    let call = observations.call(call);
    let class = methods.get(call.method as usize).map(|method| &method.class);
    let own = |value: Option<ValueId>| {
        let (id, state) = observations.state_of(value?)?;
        (Some(&state.class) == class).then_some((id, state.monitored))
    };
    match &call.ending {
        Ending::Threw(_) => Grown::default(),
        Ending::Returned(result) if call.has_receiver => {
            Grown { left: own(call.after.first().copied()), returned: own(*result) }
        }
        Ending::Returned(result) => Grown { left: own(*result), returned: None },
    }
}

/// Methods without parameters that change nothing and tell something of their object.
fn observers(subject: &Subject) -> Vec<String> {
    let program = &subject.program;
    let tells = |of: &Type| match of {
        Type::Primitive(_) => true,
        of if of.is_string() => true,
        Type::Class(class) => program.types.get(class).is_some_and(|facts| facts.is_enum()),
        Type::Array(_) | Type::Parameterized(_) => false,
    };
    let is_observer = |operation: &Operation| {
        operation.kind == OperationKind::InstanceMethod
            && operation.descriptor.parameters.is_empty()
            && operation.output.as_ref().is_some_and(tells)
            && !["hashCode", "toString", "clone", "getClass"].contains(&&*operation.name)
            && program.is_target(&operation.owner)
    };
    let operations = program.operations.iter().zip(&program.effects);
    let observers = operations.filter(|(operation, effects)| effects.is_pure() && is_observer(operation));
    let named = observers.map(|(operation, _)| format!("{}.{}", operation.owner.binary(), operation.name));
    named.collect::<BTreeSet<_>>().into_iter().collect()
}

/// All methods of the classes under test, by the numbers that traces have for them.
fn methods(subject: &Subject, classes: &ClassFiles) -> Vec<SpecifiedMethod> {
    let of_class = |Numbered { plan, .. }: &Numbered| -> Vec<SpecifiedMethod> {
        let file = classes.get(&plan.class).and_then(|bytes| classfile::parse(bytes).ok());
        let of_method = |(name, descriptor): &(Arc<str>, Arc<str>)| {
            let known = file.iter().flat_map(|file| &file.methods);
            let known = known
                .into_iter()
                .find(|method| method.name == *name && MethodDescriptor::to_string(&method.descriptor) == **descriptor);
            let descriptor = MethodDescriptor::parse(descriptor);
            let parameters = descriptor.iter().flat_map(|descriptor| &descriptor.parameters);
            let simple = |of: &Type| of.to_string().rsplit('.').next().unwrap_or_default().to_string();
            SpecifiedMethod {
                class: plan.class.clone(),
                name: name.clone(),
                parameters: parameters.map(simple).collect(),
                parameter_names: known.map(|method| method.parameter_names.clone()).unwrap_or_default(),
            }
        };
        plan.methods.iter().map(of_method).collect()
    };
    subject.numbered.iter().flatten().flat_map(of_class).collect()
}

/// Names of the classes that may hold tests.
fn concrete(tests: &ClassFiles) -> Vec<String> {
    let is_concrete = |bytes: &Vec<u8>| {
        classfile::parse(bytes)
            .is_ok_and(|file| file.access & (access::ABSTRACT | access::INTERFACE) == 0 && !file.enclosing_method)
    };
    let mut names: Vec<String> =
        tests.iter().filter(|(_, bytes)| is_concrete(bytes)).map(|(name, _): (&ClassName, _)| name.binary()).collect();
    names.sort();
    names
}

/// An executor that also keeps what it was given.
struct Keeping {
    executor: WorkerExecutor,
    sequences: Arc<Mutex<Vec<Sequence>>>,
}

impl Executor for Keeping {
    fn execute(&mut self, sequences: &[Sequence], detail: Detail) -> Result<Vec<Execution>, ExecutorError> {
        self.sequences.lock().unwrap_or_else(PoisonError::into_inner).extend(sequences.iter().cloned());
        self.executor.execute(sequences, detail)
    }

    fn restart(&mut self) -> Result<(), ExecutorError> {
        self.executor.restart()
    }

    fn freshen(&mut self) -> Result<(), ExecutorError> {
        self.executor.freshen()
    }
}

/// What a search leaves.
struct Searched {
    kept: Vec<Sequence>,
    /// All but those with calls of what was given up.
    executed: Vec<Sequence>,
    /// Operations that hang, exit or crash.
    given_up: Vec<OperationId>,
}

fn search(task: &Task, subject: &Subject, launch: Launch) -> Result<Searched, PipelineError> {
    let Task { options, listener, interrupt, .. } = *task;
    listener.announce(Event::StageStarted(Stage::Generating));
    let testable = subject.program.targets.iter().filter(|target| !target.operations.is_empty()).count();
    let portion = Portion { searched: testable, of: testable };
    let is_timed = options.origin("time-limit") != Origin::Default;
    let budget = Budget::new(options, testable, portion, Instant::now(), is_timed);
    let launch = Arc::new(launch);
    let all: Vec<Arc<Mutex<Vec<Sequence>>>> = (0..SHARDS).map(|_| Arc::default()).collect();
    let mut executors: Vec<Box<dyn Executor>> = Vec::with_capacity(SHARDS);
    for (shard, sequences) in all.iter().enumerate() {
        let executor = WorkerExecutor::start(launch.clone(), &format!("shard-{shard}")).map_err(EngineError::from)?;
        executors.push(Box::new(Keeping { executor, sequences: sequences.clone() }));
    }
    let threads = options.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let limits = SearchLimits { sequences: Some(options.sequence_limit.unwrap_or(SEQUENCES)), threads };
    let state = StateRepresentation::WholeState;
    let search = Search::new(subject.judge(), &subject.probes, Seed::root(options.seed), &options.disable, state);
    let mut should_continue =
        |_: &_| (!is_timed || budget.should_continue_search(0)) && !interrupt.load(Ordering::Relaxed);
    let (found, _, error) = search.run(&mut executors, &limits, &mut should_continue);
    if let Some(error) = error {
        return Err(EngineError::from(error).into());
    }
    let kept = found.archive.iter().map(|kept| &kept.sequence).chain(&found.samples);
    let kept: Vec<Sequence> = kept.map(|sequence| Sequence::clone(sequence)).collect();
    let given_up: Vec<OperationId> = found.quarantined.iter().map(|given_up| given_up.operation).collect();
    let take =
        |shard: &Arc<Mutex<Vec<Sequence>>>| std::mem::take(&mut *shard.lock().unwrap_or_else(PoisonError::into_inner));
    let is_harmless = |sequence: &Sequence| !sequence.calls().any(|called| given_up.contains(&called));
    let executed = all.iter().flat_map(take).filter(is_harmless).collect();
    Ok(Searched { kept, executed, given_up })
}
