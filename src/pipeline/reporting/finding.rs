//! Findings as reports tell them: an id that outlives edits, the place in the source, the exception.

use super::FindingTest;
use crate::sources::Sources;
use model::execution::Outcome;
use model::jvm::ClassName;
use model::sequence::{Action, Operation};
use oracle::contract::is_loop;
use oracle::{Finding, Judge};
use program::Program;
use report::{self, ExceptionReport, Position};
use search::generator::Identity;
use std::collections::BTreeMap;

/// The operation that broke the contract; if check calls show that, the last one before them.
pub fn operation_of(finding: &Finding, operations: &[Operation]) -> String {
    let last = finding.sequence.len().saturating_sub(finding.checks + 1);
    match finding.sequence.statements()[last].action {
        Action::Call(id) => operations[id.0 as usize].to_string(),
        Action::Literal(_) => finding.class.binary(),
    }
}

/// The report on a finding, with the source of its test.
pub fn finding_report(test: &FindingTest, judge: Judge, sources: Sources) -> report::Finding {
    let finding = test.finding;
    let program = judge.program();
    let operations = &program.operations;
    let operation = operation_of(finding, operations);
    let described = finding.sequence.describe(operations);
    let thrown = match &finding.execution.outcome {
        Outcome::Threw { exception, .. } => Some(exception),
        _ => finding.violation.thrown.as_ref(),
    };
    let Identity { cause, stack, calls } = Identity::of(finding, program);
    let id = report::finding_id([
        &finding.class.binary(),
        finding.violation.contract,
        &cause,
        &stack.join("\n"),
        &calls.join("\n"),
    ]);
    let (test, file, source) = match &test.source {
        Some(found) => (found.method.clone(), found.file.clone(), found.text.clone()),
        None => (String::new(), String::new(), described),
    };
    report::Finding {
        id,
        contract: finding.violation.contract.to_string(),
        confidence: judge.confidence(finding).0,
        message: finding.violation.message.clone(),
        cause,
        operation,
        position: position(finding, program, sources),
        test,
        file,
        source,
        // A loop is ended by its test's assertion.
        exception: thrown.filter(|thrown| !is_loop(thrown)).map(ExceptionReport::from),
        occurrences: finding.occurrences,
        shown_by: finding.shown_by.iter().map(ClassName::binary).collect(),
    }
}

/// Where an exception left code under test first, or else the methods that were called last.
fn position(finding: &Finding, program: &Program, sources: Sources) -> Option<Position> {
    let frame = finding.violation.thrown.as_ref().and_then(|thrown| program.own_frame(thrown));
    if let Some(frame) = frame
        && let Ok(line @ 1..) = u32::try_from(frame.line)
    {
        return sources.line(&frame.class, line);
    }
    let last = finding.sequence.len() - finding.checks.max(1);
    let calls = finding.sequence.statements()[last..].iter().filter_map(|statement| match statement.action {
        Action::Call(id) => Some(&*program.operations[id.0 as usize].name),
        Action::Literal(_) => None,
    });
    sources.method(&finding.class, &calls.collect::<Vec<_>>())
}

/// Numbers findings with the same id: two faults in one method may agree in everything that the id depends on.
pub fn number_equal_ids(findings: &mut [report::Finding]) {
    let mut times: BTreeMap<String, u32> = BTreeMap::new();
    for finding in findings {
        let number = times.entry(finding.id.clone()).or_default();
        *number += 1;
        if *number > 1 {
            finding.id = format!("{}-{number}", finding.id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reporting::FindingSource;
    use crate::subject::ClassFiles;
    use bytecode::analysis::purity::Effects;
    use host::classpath;
    use model::execution::{Execution, StackFrame, Thrown};
    use model::jvm::types::TypeTable;
    use model::jvm::{Literal, MethodDescriptor, Type};
    use model::sequence::{CheckOperations, OperationId, OperationKind, Sequence};
    use oracle::Violation;
    use program::{ExistingTests, Target};
    use std::collections::BTreeSet;
    use std::path::Path;

    /// Static methods `run` of `p.A`, with one parameter each: their tests would have the same name.
    fn overloads() -> Program {
        let operation = |parameter: Type| {
            let descriptor = MethodDescriptor { parameters: vec![parameter], returns: None };
            Operation::new(OperationKind::StaticMethod, ClassName::new("p/A"), "run", descriptor)
        };
        let [class, object] = ["p/A", "java/lang/Object"].map(ClassName::new);
        Program {
            operations: [Type::INT, Type::Class(object)].map(operation).into(),
            types: TypeTable::default(),
            targets: vec![Target {
                annotated: Vec::new(),
                tested: Vec::new(),
                name: class,
                operations: vec![OperationId(0), OperationId(1)],
                constants: Vec::new(),
            }],
            skipped: Vec::new(),
            casts: BTreeMap::new(),
            arrays: BTreeMap::new(),
            checks: CheckOperations {
                equals: OperationId(0),
                hash_code: OperationId(0),
                to_string: OperationId(0),
                compare_to: OperationId(0),
                compare: OperationId(0),
                content: OperationId(0),
                file_content: None,
                message: None,
                described: None,
            },
            contract_methods: Vec::new(),
            result_getters: Vec::new(),
            effects: vec![Effects::ALL; 2],
            caller_obligations: Default::default(),
            told: Default::default(),
            back_doors: Default::default(),
            closed_fields: Default::default(),
            existing_tests: ExistingTests::default(),
            plain_values: Vec::new(),
        }
    }

    /// `run` throws, in a class of the JDK that it calls.
    fn finding(overload: u32, literal: Literal) -> Finding {
        let mut sequence = Sequence::new();
        let argument = sequence.push_literal(literal);
        sequence.push_call(OperationId(overload), &[argument]);
        let frame = |class, line| StackFrame { class: ClassName::new(class), method: "run".to_string(), line };
        let exception = Thrown {
            class: ClassName::new("java/lang/NullPointerException"),
            nameable: ClassName::new("java/lang/NullPointerException"),
            superclasses: Vec::new(),
            message: None,
            stack: vec![frame("java/util/Objects", 209), frame("p/A", 7)],
        };
        Finding {
            class: ClassName::new("p/A"),
            sequence,
            checks: 0,
            execution: Execution::ended(Outcome::Threw { statement: 1, exception: exception.clone() }),
            violation: Violation { contract: "no-null-pointer", message: String::new(), thrown: Some(exception) },
            occurrences: 1,
            shown_by: BTreeSet::new(),
        }
    }

    #[test]
    fn finding_id_survives_renamed_test_and_moved_line() {
        let program = overloads();
        let id = |finding: &Finding, name: &str| {
            let text = format!("void {name}() {{ A.run(0); }}");
            let source =
                Some(FindingSource { method: name.to_string(), file: "p/AFindingTest.java".to_string(), text });
            report_of(finding, source, &program).id
        };
        let first = finding(0, Literal::Int(0));
        let second = finding(1, Literal::String("".into()));
        let (alone, beside) = ("run_throwsNullPointerException", "run_throwsNullPointerException2");
        assert_ne!(id(&first, alone), id(&second, beside));
        assert_eq!(id(&second, alone), id(&second, beside));
        assert_ne!(id(&first, alone), id(&second, alone));

        let mut moved = finding(0, Literal::Int(0));
        own_frame(&mut moved).line += 5;
        assert_eq!(id(&moved, alone), id(&first, alone));
        own_frame(&mut moved).method = "step".to_string();
        assert_ne!(id(&moved, alone), id(&first, alone));
        assert_eq!(id(&finding(0, Literal::Int(7)), alone), id(&first, alone));
    }

    /// Of a project without class files.
    fn report_of(finding: &Finding, source: Option<FindingSource>, program: &Program) -> report::Finding {
        let module = classpath::of_classes(Path::new("/p"), &[], None, None);
        let sources = Sources { classes: &ClassFiles::new(), module: &module };
        finding_report(&FindingTest { finding, source }, Judge::new(program, &[]), sources)
    }

    #[test]
    fn equal_findings_of_a_class_get_numbered_ids() {
        let program = overloads();
        let report = || report_of(&finding(0, Literal::Int(0)), None, &program);
        let mut findings = [report(), report()];
        number_equal_ids(&mut findings);
        assert_eq!(findings[1].id, format!("{}-2", findings[0].id));
    }

    fn own_frame(finding: &mut Finding) -> &mut StackFrame {
        &mut finding.violation.thrown.as_mut().unwrap().stack[1]
    }
}
