//! How a run over one module ended.

use serde::{Deserialize, Serialize};

/// How a run over one module ended; a later variant is worse. Written as the number that `report.json` publishes, with
/// which the process ends if no other module ends worse and no gate fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "u8", try_from = "u8")]
pub enum Outcome {
    /// The run reached its limits.
    #[default]
    Complete = 0,
    /// Tests of an earlier run fail, and the user has not accepted the new behaviour.
    Changed = 1,
    /// There are no tests, and the settings call that a failure.
    WithoutTests = 4,
    /// The run broke off because of a defect of randgen, or of the machine.
    Failed = 70,
    /// The user ended the run.
    Interrupted = 130,
}

/// A report says an outcome that this version does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} is not the exit code of a run")]
pub struct UnknownOutcome(u8);

impl From<Outcome> for u8 {
    fn from(outcome: Outcome) -> u8 {
        outcome as u8
    }
}

impl TryFrom<u8> for Outcome {
    type Error = UnknownOutcome;

    fn try_from(number: u8) -> Result<Outcome, UnknownOutcome> {
        let all = [Outcome::Complete, Outcome::Changed, Outcome::WithoutTests, Outcome::Failed, Outcome::Interrupted];
        all.into_iter().find(|outcome| *outcome as u8 == number).ok_or(UnknownOutcome(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcome_is_read_as_it_is_written() {
        for outcome in
            [Outcome::Complete, Outcome::Changed, Outcome::WithoutTests, Outcome::Failed, Outcome::Interrupted]
        {
            let text = serde_json::to_string(&outcome).expect("a number");
            assert_eq!(serde_json::from_str::<Outcome>(&text).ok(), Some(outcome));
        }
        assert_eq!(Outcome::try_from(2), Err(UnknownOutcome(2)));
    }
}
