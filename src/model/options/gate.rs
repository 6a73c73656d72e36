//! Settings of the gate.

use super::SettingValue;

/// Which findings that are not in the baseline fail the gate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FailOn {
    /// Those that the last version without new findings does not show.
    #[default]
    New,
    /// All of them.
    Any,
}

impl FailOn {
    /// All of them.
    pub const ALL: [FailOn; 2] = [FailOn::New, FailOn::Any];
}

impl SettingValue for FailOn {
    const EXPECTED: &'static str = "new or any";

    fn all() -> Vec<FailOn> {
        FailOn::ALL.to_vec()
    }

    fn show(&self) -> String {
        match self {
            FailOn::New => "new",
            FailOn::Any => "any",
        }
        .to_string()
    }
}
