//! The components of the guidance that a run can switch off.

use super::value::{ListMember, SettingValue};

/// A part of what guides the search; a run can do without it, to see what it is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Component {
    /// Constants of the classes under test as arguments.
    ConstantMining,
    /// Small changes of inputs: of numbers and strings, and of objects by methods that change them.
    Impurity,
    /// Values by their run-time types.
    ElephantBrain,
    /// Producers of a type anywhere on the class path.
    Detective,
    /// Cheap sequences first.
    Orienteering,
    /// Operations with uncovered edges first.
    Bloodhound,
    /// Changes of sequences that reached something new.
    Corpus,
    /// Operands that comparisons saw as arguments.
    Operands,
    /// Literals of a sequence again as later arguments, and plain values of platform types.
    Reuse,
    /// Lambdas and anonymous classes for what operations take.
    Implementations,
    /// Objects with annotated members for code that reads annotations.
    AnnotatedObjects,
    /// What the project's own tests call, and with which constants.
    ExistingTests,
    /// Texts that code which reads them accepts.
    Parsers,
    /// Literals that an interpreter of the code finds for edges that stay uncovered.
    Symbolic,
    /// Assertions and tests chosen by the mutants that they kill.
    Mutants,
}

impl Component {
    /// In the order of the enum, which help and documents follow.
    pub const ALL: [Component; 15] = [
        Component::ConstantMining,
        Component::Impurity,
        Component::ElephantBrain,
        Component::Detective,
        Component::Orienteering,
        Component::Bloodhound,
        Component::Corpus,
        Component::Operands,
        Component::Reuse,
        Component::Implementations,
        Component::AnnotatedObjects,
        Component::ExistingTests,
        Component::Parsers,
        Component::Symbolic,
        Component::Mutants,
    ];
}

impl SettingValue for Component {
    const EXPECTED: &'static str = "a component of the search, such as bloodhound";

    fn all() -> Vec<Component> {
        Component::ALL.to_vec()
    }

    fn show(&self) -> String {
        match self {
            Component::ConstantMining => "constant-mining",
            Component::Impurity => "impurity",
            Component::ElephantBrain => "elephant-brain",
            Component::Detective => "detective",
            Component::Orienteering => "orienteering",
            Component::Bloodhound => "bloodhound",
            Component::Corpus => "corpus",
            Component::Operands => "operands",
            Component::Reuse => "reuse",
            Component::Implementations => "implementations",
            Component::AnnotatedObjects => "annotated-objects",
            Component::ExistingTests => "existing-tests",
            Component::Parsers => "parsers",
            Component::Symbolic => "symbolic",
            Component::Mutants => "mutants",
        }
        .to_string()
    }
}

impl ListMember for Component {
    const EXPECTED_LIST: &'static str = "a list of \"constant-mining\", \"impurity\", \"elephant-brain\", \"detective\", \
        \"orienteering\", \"bloodhound\", \"corpus\", \"operands\", \"reuse\", \"implementations\", \
        \"annotated-objects\", \"existing-tests\", \"parsers\", \"symbolic\", \"mutants\"";
}
