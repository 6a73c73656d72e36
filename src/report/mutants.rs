//! What became of the mutants: which test noticed each, and by which assertion.

use serde::{Deserialize, Serialize};

/// The mutants of a module's classes, and their sums.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Mutants {
    /// All but those that the filters of docs/design/mutants.md exclude.
    pub total: usize,
    /// Those that some test notices.
    pub killed: usize,
    /// Those that tests run and none notices.
    pub survived: usize,
    /// Those that no test runs.
    pub not_reached: usize,
    /// Those for which no time was left.
    pub not_run: usize,
    /// Killed of all, in hundredths of a per cent; `None` without mutants.
    pub score: Option<u32>,
    /// By class, method and place in the code.
    pub mutants: Vec<Mutant>,
}

/// One mutant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Mutant {
    /// Binary name.
    pub class: String,
    /// Name and descriptor, as class files have them.
    pub method: String,
    /// `None` if the class was compiled without lines.
    pub line: Option<u16>,
    /// PIT's name of the mutator, such as `NEGATE_CONDITIONALS`.
    // Part of schema 1 as `operator`.
    #[serde(rename = "operator")]
    pub mutator: String,
    /// What became of it.
    pub status: MutantStatus,
    /// The first test that notices it, as class and method.
    pub killed_by: Option<String>,
    /// The assertion that fails; `None` where the test ends otherwise already.
    pub assertion: Option<String>,
}

/// What became of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum MutantStatus {
    /// A test notices it.
    Killed,
    /// Tests run it, and none notices.
    Survived,
    /// No test runs it.
    NotReached,
    /// Time was up before.
    NotRun,
}

impl Mutants {
    /// Counts the mutants.
    pub fn new(mutants: Vec<Mutant>) -> Mutants {
        let count = |status| mutants.iter().filter(|mutant| mutant.status == status).count();
        let (total, killed) = (mutants.len(), count(MutantStatus::Killed));
        Mutants {
            total,
            killed,
            survived: count(MutantStatus::Survived),
            not_reached: count(MutantStatus::NotReached),
            not_run: count(MutantStatus::NotRun),
            score: (killed * 10_000).checked_div(total).map(|score| score as u32),
            mutants,
        }
    }

    /// Whole per cent of the mutants that are killed, rounded down.
    pub fn percent(&self) -> Option<u32> {
        self.score.map(|score| score / 100)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mutation_score_includes_mutants_without_coverage() {
        let mutant = |status| Mutant {
            class: "p.A".to_string(),
            method: "m()V".to_string(),
            line: Some(1),
            mutator: "MATH".to_string(),
            status,
            killed_by: None,
            assertion: None,
        };
        let statuses = [MutantStatus::Killed, MutantStatus::Killed, MutantStatus::Survived, MutantStatus::NotReached];
        let mutants = Mutants::new(statuses.map(mutant).to_vec());
        assert_eq!((mutants.killed, mutants.survived, mutants.not_reached, mutants.not_run), (2, 1, 1, 0));
        assert_eq!((mutants.score, mutants.percent()), (Some(5_000), Some(50)));
        assert_eq!(Mutants::new(Vec::new()).score, None);
    }
}
