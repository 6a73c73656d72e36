//! What became of the mutants: which test noticed each, and by which assertion.

use serde::{Deserialize, Serialize};

/// The mutants of a module's classes, and their sums.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mutants {
    pub total: usize,
    pub killed: usize,
    pub survived: usize,
    pub not_reached: usize,
    pub not_run: usize,
    /// Killed of all, in hundredths of a per cent; `None` without mutants.
    pub score: Option<u32>,
    /// By class, method and place in the code.
    pub mutants: Vec<Mutant>,
}

/// One mutant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mutant {
    /// Binary name.
    pub class: String,
    /// Name and descriptor, as class files have them.
    pub method: String,
    pub line: Option<u16>,
    /// PIT's name for what was changed.
    pub operator: String,
    pub status: MutantStatus,
    /// The first test that notices it, as class and method.
    pub killed_by: Option<String>,
    /// The assertion that fails; `None` where the test ends otherwise already.
    pub assertion: Option<String>,
}

/// What became of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MutantStatus {
    Killed,
    /// Tests run it, and none notices.
    Survived,
    /// No test runs it.
    NotReached,
    /// Time was up before.
    NotRun,
}

impl Mutants {
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
    fn the_score_counts_what_no_test_runs() {
        let mutant = |status| Mutant {
            class: "p.A".to_string(),
            method: "m()V".to_string(),
            line: Some(1),
            operator: "MATH".to_string(),
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
