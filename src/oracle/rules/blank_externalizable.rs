//! Objects that wait for their content to be read.

use super::{Condition, Effect, Evidence, Rule};
use model::jvm::types::ClassFacts;
use model::options::Confidence;
use model::sequence::{Operation, OperationKind};
use program::Program;

/// An object of an `Externalizable` class that was made as deserialization makes it: the interface demands a public constructor
/// without parameters, and `readExternal` sets the fields.
pub static BLANK_EXTERNALIZABLE: Rule = Rule {
    id: "blank-externalizable",
    sentence: "the sequence makes an object of an `Externalizable` class with the constructor without parameters, which has others beside it",
    effect: Effect::LowerTo(Confidence::Possible),
    evidence: Evidence::DetailedRun,
    condition: Condition::Exception(&[], |case, _| case.calls().any(|operation| makes_blank(operation, case.program))),
};

fn makes_blank(made: &Operation, program: &Program) -> bool {
    let is_externalizable =
        |facts: &&ClassFacts| facts.interfaces.iter().any(|interface| interface.internal() == "java/io/Externalizable");
    let is_other = |other: &Operation| {
        other.kind == OperationKind::Constructor && other.owner == made.owner && !other.inputs.is_empty()
    };
    made.kind == OperationKind::Constructor
        && made.inputs.is_empty()
        && program.is_target(&made.owner)
        && program.types.ancestry(&made.owner).iter().any(is_externalizable)
        && program.operations.iter().any(is_other)
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use model::jvm::ClassName;
    use model::sequence::{OperationId, Sequence};

    fn found(interface: &str, has_other: bool) -> (Confidence, Option<&'static str>) {
        let mut program = program();
        let class = ClassName::new("p/A");
        let mut operations = program.operations.to_vec();
        for (at, operation) in operations.iter_mut().enumerate().take(1 + usize::from(has_other)) {
            operation.kind = OperationKind::Constructor;
            operation.internal = false;
            operation.inputs.truncate(at);
        }
        program.operations = operations.into();
        program.types.insert(ClassFacts {
            name: class,
            access: 1,
            super_class: None,
            interfaces: vec![ClassName::new(interface)],
            outer: None,
            source_simple_name: Some("A".into()),
            signature: None,
            methods: Vec::new(),
            constants: Vec::new(),
        });
        let mut finding = null_pointer(None, &["p/A.run"]);
        finding.sequence = Sequence::new();
        finding.sequence.push_literal(string());
        finding.sequence.push_call(OperationId(RUN), &[]);
        confidence(&finding, &program)
    }

    #[test]
    fn object_that_waits_to_be_read_lowers_confidence() {
        let lowered = (Confidence::Possible, Some("blank-externalizable"));
        assert_eq!(found("java/io/Externalizable", true), lowered);
        assert_ne!(found("java/io/Serializable", true), lowered);
        assert_ne!(found("java/io/Externalizable", false), lowered, "callers have no other constructor");
    }
}
