//! What search, selection and minimizer make of the fixtures: suites as sequences, before they are written as Java.

use crate::fixture::Fixture;
use bytecode::instrument::{self, ProbeKind};
use host::supervisor::{Launch, WorkerExecutor};
use model::execution::Executor;
use model::options::{Access, ImplicitExceptions, StateRepresentation};
use model::seed::Seed;
use search::generator::suite::{self, TestCandidate, idle_statements};
use search::generator::{ProbeMap, SHARDS, Search, SearchLimits};
use std::path::Path;
use std::sync::Arc;

#[test]
fn generated_tests_have_no_dead_pure_unasserted_statements() {
    for name in ["int-stack", "ring-buffer"] {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name).join("src/main/java");
        let files = walkdir::WalkDir::new(sources).into_iter().map(|entry| entry.unwrap().into_path());
        let files: Vec<_> =
            files.filter(|path| path.extension().is_some_and(|extension| extension == "java")).collect();
        let Some(fixture) = Fixture::compile_files(&files, 8, tempfile::tempdir().unwrap()) else { return };
        let suite = suite_of(&fixture);
        assert!(!suite.is_empty(), "{name}");
        for one in suite {
            let idle = idle_statements(&one.sequence, &one.execution, &fixture.program);
            assert!(idle.is_empty(), "{name}: {idle:?} of\n{}", one.sequence.describe(&fixture.program.operations));
        }
    }
}

/// The suite of a search of 4,000 sequences.
fn suite_of(fixture: &Fixture) -> Vec<TestCandidate> {
    let classes = fixture.directory.path().join("classes");
    let scratch = fixture.directory.path().join("workers");
    let mut launch = Launch::new(fixture.jdk.home.clone(), vec![classes.clone()], scratch);
    launch.command[0] = env!("CARGO_BIN_EXE_randgen").into();
    launch.operations = fixture.program.operations.clone();
    let mut probes = ProbeMap { of_operation: vec![Vec::new(); launch.operations.len()], ..ProbeMap::default() };
    for target in &fixture.program.targets {
        let bytes = std::fs::read(classes.join(format!("{}.class", target.name.internal()))).unwrap();
        let plan = instrument::plan(&bytes).unwrap();
        launch.class_probes.push((target.name.clone(), probes.count));
        probes.first_of_class.push(probes.count);
        probes.is_edge.extend(plan.probes.iter().map(|probe| probe.kind.is_edge()));
        probes.is_boundary.extend(plan.probes.iter().map(|probe| probe.kind == ProbeKind::Boundary));
        for operation in &target.operations {
            let of_operation = &launch.operations[operation.0 as usize];
            let of_body = plan.probes.iter().zip(probes.count..).filter(|(probe, _)| {
                let (name, descriptor) = &plan.methods[probe.method as usize];
                **name == *of_operation.name && **descriptor == *of_operation.descriptor.to_string()
            });
            probes.of_operation[operation.0 as usize] = of_body.map(|(_, number)| number).collect();
        }
        probes.count += plan.probes.len() as u32;
    }
    launch.probe_count = probes.count;
    let launch = Arc::new(launch);
    let start = |shard| WorkerExecutor::start(launch.clone(), &format!("shard-{shard}")).unwrap();
    let mut executors: Vec<Box<dyn Executor>> =
        (0..SHARDS).map(|shard| Box::new(start(shard)) as Box<dyn Executor>).collect();
    let limits = SearchLimits { sequences: Some(4_000), threads: 2 };
    let search = Search::new(
        oracle::Judge::new(&fixture.program, &[]),
        &probes,
        Seed::root(1),
        &[],
        StateRepresentation::WholeState,
    );
    let (found, _, error) = search.run(&mut executors, &limits, &mut |_| true);
    assert!(error.is_none());
    let task = suite::SelectionTask {
        program: &fixture.program,
        probes: &probes,
        threads: 2,
        implicit_exceptions: ImplicitExceptions::Keep,
        access: Access::Package,
        held: &suite::Held::default(),
        observed_for_goal: 2,
        should_continue: &|| true,
    };
    let selection = suite::select(&found.archive, task, &mut executors, None);
    selection.unwrap().tests
}
