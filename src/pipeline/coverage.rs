//! What of the classes under test the written tests run: edges, methods and lines.

use crate::engine::Engine;
use crate::reporting::ClassTests;
use crate::sources::Sources;
use crate::subject::{Numbered, Subject};
use bytecode::instrument::{self, LineState, Plan, ProbeKind};
use model::execution::Edge;
use model::jvm::{ClassName, MethodDescriptor, Type};
use report::{EdgeKind, LineCoverage, MethodReport, NotTested, UncoveredEdge, WhyUncovered};
use rustc_hash::FxHashSet;
use search::generator::SearchResult;
use search::generator::suite::TestCandidate;
use std::collections::BTreeMap;

/// The edges that the written tests reach together, in whatever order they run.
pub fn covered_edges(engine: &Engine, tests: &BTreeMap<ClassName, ClassTests>) -> FxHashSet<Edge> {
    let written = tests.values().flat_map(|tests| &tests.written).flat_map(|test| &test.selected);
    let written: Vec<&TestCandidate> = written.map(|&index| &engine.selection.tests[index]).collect();
    let orders = written.iter().map(|one| one.beside_others.len()).max().unwrap_or_default();
    let reached = (0..orders).map(|order| {
        let edges = written.iter().filter_map(|one| one.beside_others.get(order)).flatten();
        edges.copied().collect::<FxHashSet<Edge>>()
    });
    reached.reduce(|all, one| all.intersection(&one).copied().collect()).unwrap_or_default()
}

/// A class with probes, and the edges that the tests cover.
pub struct ClassCoverage<'a> {
    plan: &'a Plan,
    /// The number of its first probe.
    first: Edge,
    /// Whether the probe counts, by its number among those of all classes.
    is_edge: &'a [bool],
    covered: &'a FxHashSet<Edge>,
}

impl<'a> ClassCoverage<'a> {
    /// `None` of a class that could not be instrumented.
    pub fn of(subject: &'a Subject, class: usize, covered: &'a FxHashSet<Edge>) -> Option<ClassCoverage<'a>> {
        let Numbered { plan, .. } = subject.numbered[class].as_ref()?;
        let (first, is_edge) = (subject.probes.first_of_class[class], &subject.probes.is_edge);
        Some(ClassCoverage { plan, first, is_edge, covered })
    }

    /// The edges that no test covers, by what the search saw of them.
    pub fn uncovered_edges(&self, SearchResult { seen, only_implicitly, .. }: &SearchResult) -> Vec<UncoveredEdge> {
        let ClassCoverage { plan, first, is_edge, covered } = *self;
        let probes = || plan.probes.iter().zip(first..);
        let entered: FxHashSet<u16> =
            probes().filter(|(_, edge)| seen[*edge as usize]).map(|(probe, _)| probe.method).collect();
        let uncovered = probes().filter(|(_, edge)| is_edge[*edge as usize] && !covered.contains(edge)).filter_map(
            |(probe, edge)| {
                let kind = match probe.kind {
                    ProbeKind::Entry => EdgeKind::MethodEntry,
                    ProbeKind::Handler => EdgeKind::ExceptionHandler,
                    ProbeKind::SwitchTarget => EdgeKind::SwitchTarget,
                    ProbeKind::Loop => EdgeKind::LoopBody,
                    ProbeKind::NotTaken => EdgeKind::FallsThrough,
                    ProbeKind::Taken => EdgeKind::Jumps,
                    ProbeKind::Boundary | ProbeKind::Site => return None,
                };
                let why = match seen[edge as usize] {
                    true if only_implicitly[edge as usize] => WhyUncovered::ImplicitException,
                    true => WhyUncovered::NoTest,
                    false if entered.contains(&probe.method) => WhyUncovered::NotReached,
                    false => WhyUncovered::MethodNotEntered,
                };
                let (name, descriptor) = &plan.methods[usize::from(probe.method)];
                Some(UncoveredEdge { method: format!("{name}{descriptor}"), line: probe.line, kind, why })
            },
        );
        uncovered.collect()
    }

    /// The methods that have edges.
    pub fn methods(&self, not_tested: &[NotTested]) -> Vec<MethodReport> {
        let ClassCoverage { plan, first, is_edge, covered } = *self;
        let mut methods: BTreeMap<u16, MethodReport> = BTreeMap::new();
        for (probe, edge) in plan.probes.iter().zip(first..).filter(|(_, edge)| is_edge[*edge as usize]) {
            let method = methods.entry(probe.method).or_default();
            method.edges.total += 1;
            method.edges.covered += u64::from(covered.contains(&edge));
            method.line = [method.line, probe.line].into_iter().flatten().min();
        }
        let named = |(index, method): (u16, MethodReport)| {
            let (name, descriptor) = &plan.methods[usize::from(index)];
            let parameters =
                MethodDescriptor::parse(descriptor).map(|descriptor| descriptor.parameters).unwrap_or_default();
            let parameters: Vec<String> = parameters.iter().map(Type::to_string).collect();
            let parameters = parameters.join(", ");
            let (binary, simple) = (plan.class.binary(), plan.class.simple().rsplit('$').next().unwrap_or_default());
            let (name, operation) = match &**name {
                "<init>" => (format!("{simple}({parameters})"), format!("{binary}({parameters})")),
                "<clinit>" => ("static { }".to_string(), String::new()),
                name => (format!("{name}({parameters})"), format!("{binary}.{name}({parameters})")),
            };
            let untested = not_tested.iter().find(|member| member.operation == operation);
            MethodReport { name, not_tested: untested.map(|member| member.reason), ..method }
        };
        methods.into_iter().map(named).collect()
    }

    /// The lines by what the tests run of them.
    pub fn lines(&self, sources: Sources) -> LineCoverage {
        let ClassCoverage { plan, first, covered, .. } = *self;
        let mut coverage = LineCoverage::default();
        let lines = instrument::lines(&sources.classes[&plan.class], plan, &|n| covered.contains(&(first + n as Edge)));
        for (line, state) in lines {
            match state {
                LineState::Covered => &mut coverage.covered,
                LineState::Partly => &mut coverage.partly,
                LineState::Missed => &mut coverage.missed,
            }
            .push(line);
        }
        coverage
    }
}
