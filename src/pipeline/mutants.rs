//! From what tests kill to the report on mutants.

use crate::engine::Engine;
use crate::kept::Kept;
use crate::reporting::Written;
use crate::subject::{KnownMutant, Subject};
use crate::suites::Suites;
use model::execution::Edge;
use report::{Mutant, MutantStatus, Mutants};
use rustc_hash::FxHashSet;
use search::generator::suite::mutation::Kill;

/// What the tests that are written kill.
pub fn report(subject: &Subject, engine: &Engine, suites: &Suites, kept: &Kept) -> Mutants {
    let selected = &engine.selection.tests;
    let written: Vec<&Written> = suites.tests.values().flat_map(|tests| &tests.written).collect();
    let of_tests = || written.iter().flat_map(|test| &test.selected).map(|&index| &selected[index]);
    let edges: FxHashSet<Edge> =
        of_tests().flat_map(|one| &one.execution.edges).map(|hit| hit.edge).chain(kept.edges.iter().copied()).collect();
    let told = |(number, mutant): (usize, &KnownMutant)| {
        let number = number as u32;
        let killer = written.iter().find_map(|test| {
            let kill = test.selected.iter().find_map(|&index| selected[index].kills.get(&number))?;
            Some((test, assertion(kill, test)?))
        });
        let killer = killer.map(|(test, assertion)| (test.full_name(), assertion));
        let killer = kept.killers.get(&number).map(|test| (test.clone(), None)).or(killer);
        let status = match &killer {
            Some(_) => MutantStatus::Killed,
            None if !mutant.site.reached_by.iter().any(|edge| edges.contains(edge)) => MutantStatus::NotReached,
            None if kept.not_run.contains(&number) => MutantStatus::NotRun,
            None if engine.selection.tried.contains(&number) || kept.tried.contains(&number) => MutantStatus::Survived,
            None => MutantStatus::NotRun,
        };
        let (killed_by, assertion) = killer.unzip();
        Mutant { status, killed_by, assertion: assertion.flatten(), ..described(mutant) }
    };
    let reported = subject.mutants.iter().enumerate().filter(|(_, mutant)| mutant.site.mutant.mutator.is_default());
    Mutants::new(reported.map(told).collect())
}

/// A mutant of which is not known yet what became of it.
pub fn described(mutant: &KnownMutant) -> Mutant {
    let (name, descriptor) = &mutant.method;
    Mutant {
        class: mutant.class.binary(),
        method: format!("{name}{descriptor}"),
        line: mutant.line,
        mutator: mutant.site.mutant.mutator.name().to_string(),
        status: MutantStatus::NotRun,
        killed_by: None,
        assertion: None,
    }
}

/// The assertion of a written test that kills; `Some(None)` if it takes none, `None` if verification took them.
fn assertion(kill: &Kill, test: &Written) -> Option<Option<String>> {
    match kill {
        Kill::Values(statements) if test.selected.len() == 1 => {
            statements.iter().find_map(|statement| test.assertions.get(statement)).map(|text| Some(text.clone()))
        }
        // Of the assertions of a test of several sequences is not known where they are.
        Kill::End | Kill::Stopped | Kill::Values(_) => Some(None),
    }
}
