//! Runs over parts of a module's classes, as one.

use super::{ClassReport, FileChanges, Mutant, Mutants, RunReport, WorkerDeath};
use std::collections::BTreeMap;

impl RunReport {
    /// What the run says of these classes alone, for a later one that does not search them again.
    pub fn of_classes(self, is_kept: &dyn Fn(&str) -> bool) -> RunReport {
        let kept = self.classes.into_iter().filter(|class| is_kept(&class.name));
        let classes: Vec<ClassReport> =
            kept.map(|class| ClassReport { reused: true, removed: Vec::new(), ..class }).collect();
        let mutants = self.mutants.into_iter().flat_map(|all| all.mutants);
        let mutants: Vec<Mutant> = mutants.filter(|mutant| is_kept(&mutant.class)).collect();
        RunReport {
            sequences: classes.iter().map(|class| class.sequences).sum(),
            classes,
            // Whether the later run has any is for that to say.
            mutants: (!mutants.is_empty()).then(|| Mutants::new(mutants)),
            ..RunReport::default()
        }
    }

    /// Adds what another run says of other classes of the module. Seed and limits stay those of this one.
    pub fn join(mut self, other: RunReport) -> RunReport {
        self.ended_early = self.ended_early.or(other.ended_early);
        self.sequences += other.sequences;
        self.rounds += other.rounds;
        // As if the one had searched after the other.
        let (sequences, edges) = self.progress.last().copied().unwrap_or_default();
        self.progress.extend(other.progress.iter().map(|(more, covered)| (sequences + more, edges + covered)));
        self.existing_tests.classes = self.existing_tests.classes.max(other.existing_tests.classes);
        self.existing_tests.sequences = self.existing_tests.sequences.max(other.existing_tests.sequences);
        self.classes.extend(other.classes);
        self.classes.sort_by(|one, two| one.name.cmp(&two.name));
        // One that the settings exclude is in every part.
        self.classes.dedup_by(|one, two| one.name == two.name);
        self.unstable_sequences += other.unstable_sequences;
        self.unrefined_tests += other.unrefined_tests;
        self.findings_not_repeated += other.findings_not_repeated;
        for (rule, hits) in other.rule_hits {
            *self.rule_hits.entry(rule).or_default() += hits;
        }
        self.mutants = joined_mutants(self.mutants, other.mutants);
        self.worker_deaths = joined_deaths(self.worker_deaths, other.worker_deaths);
        self.files = self.files.join(other.files);
        let is_new = |warning: &String| !self.warnings.contains(warning);
        let warnings: Vec<String> = other.warnings.into_iter().filter(is_new).collect();
        self.warnings.extend(warnings);
        self.outcome = self.outcome.max(other.outcome);
        self
    }
}

impl FileChanges {
    fn join(mut self, other: FileChanges) -> FileChanges {
        for (list, more) in [
            (&mut self.written, other.written),
            (&mut self.unchanged, other.unchanged),
            (&mut self.kept, other.kept),
            (&mut self.removed, other.removed),
        ] {
            list.extend(more);
            list.sort();
            list.dedup();
        }
        self
    }
}

fn joined_mutants(one: Option<Mutants>, two: Option<Mutants>) -> Option<Mutants> {
    let (Some(one), Some(two)) = (&one, &two) else { return one.or(two) };
    let mut mutants: Vec<Mutant> = one.mutants.iter().chain(&two.mutants).cloned().collect();
    mutants.sort_by(|one, two| one.class.cmp(&two.class));
    Some(Mutants::new(mutants))
}

fn joined_deaths(one: Vec<WorkerDeath>, two: Vec<WorkerDeath>) -> Vec<WorkerDeath> {
    let mut times = BTreeMap::new();
    for death in one.into_iter().chain(two) {
        *times.entry((death.reason, death.operation)).or_insert(0) += death.times;
    }
    times.into_iter().map(|((reason, operation), times)| WorkerDeath { reason, operation, times }).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{MutantStatus, Reason};
    use super::*;
    use crate::example;

    fn mutants(classes: &[&str]) -> Option<Mutants> {
        let mutant = |class: &&str| Mutant {
            class: class.to_string(),
            method: "m()V".to_string(),
            line: None,
            mutator: "MATH".to_string(),
            status: MutantStatus::Killed,
            killed_by: None,
            assertion: None,
        };
        Some(Mutants::new(classes.iter().map(mutant).collect()))
    }

    #[test]
    fn joined_shards_equal_the_whole_report() {
        let whole = RunReport {
            mutants: mutants(&["buffer.Broken", "buffer.RingBuffer"]),
            rule_hits: [("null-argument".to_string(), 4)].into(),
            ..example::run()
        };
        let part = |number: usize| {
            let mut part = whole.clone();
            part.classes = vec![whole.classes[number].clone()];
            part.sequences = part.classes[0].sequences;
            part.mutants = mutants(&[&part.classes[0].name]);
            part.rounds = whole.rounds / 2;
            part.unrefined_tests = whole.unrefined_tests / 2;
            part.progress = if number == 1 { whole.progress.clone() } else { Vec::new() };
            part.worker_deaths[0].times = 1;
            part.rule_hits = [("null-argument".to_string(), 2)].into();
            part
        };
        let (one, two) = (part(0), part(1));
        assert_eq!(one.clone().join(two.clone()), whole);
        assert_eq!(two.join(one), whole);
    }

    #[test]
    fn reused_classes_are_marked_and_counted() {
        let run = RunReport { mutants: mutants(&["buffer.Broken", "buffer.RingBuffer"]), ..example::run() };
        let kept = run.clone().of_classes(&|name| name == "buffer.Broken");
        assert!(kept.classes.len() == 1 && kept.classes[0].reused);
        assert_eq!((kept.sequences, kept.mutants.unwrap().total, kept.rounds), (0, 1, 0));
        assert_eq!(run.of_classes(&|_| false).mutants, None);
        assert_eq!(kept.classes[0].unusable.as_ref().unwrap().reason, Reason::InitialiserThrows);
    }
}
