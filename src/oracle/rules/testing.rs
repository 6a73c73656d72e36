//! A program of one class, and failures in it, for the unit tests of rules.

use super::NULL_POINTER;
use crate::contract::NO_NULL_POINTER;
use crate::{Finding, Judge, Violation};
use bytecode::analysis::caller_obligations::CallerObligations;
use bytecode::analysis::null_provenance::{By, Provenance, Use};
use bytecode::analysis::purity::Effects;
use model::execution::{Execution, Outcome, StackFrame, Thrown};
use model::jvm::types::TypeTable;
use model::jvm::{ClassName, Literal, MethodDescriptor, Type};
use model::options::Confidence;
use model::sequence::{CheckOperations, Operation, OperationId, OperationKind, Sequence};
use program::{ExistingTests, Program, Target};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// `p.A.run`: public, takes an object that must not be null.
pub const RUN: u32 = 0;
/// `p.A.prepare`: internal.
pub const PREPARE: u32 = 1;
/// `p.A.runWithNullable`: public, takes an object or null.
pub const RUN_WITH_NULLABLE: u32 = 2;

/// The class `p.A` with these operations; it has `assert` statements and a setter of its field `given`.
pub fn program() -> Program {
    let class = ClassName::new("p/A");
    let operation = |name: &str, internal: bool| {
        let descriptor = MethodDescriptor { parameters: vec![Type::object()], returns: None };
        let operation = Operation::new(OperationKind::StaticMethod, class.clone(), name, descriptor);
        Operation { internal, ..operation }
    };
    let id = OperationId(0);
    Program {
        operations: [
            operation("run", false),
            operation("prepare", true),
            Operation { nullable: vec![0], ..operation("runWithNullable", false) },
        ]
        .into(),
        types: TypeTable::default(),
        targets: vec![Target {
            annotated: Vec::new(),
            tested: Vec::new(),
            name: class.clone(),
            operations: vec![OperationId(0), OperationId(1)],
            constants: Vec::new(),
        }],
        skipped: Vec::new(),
        casts: BTreeMap::new(),
        arrays: BTreeMap::new(),
        checks: CheckOperations {
            equals: id,
            hash_code: id,
            to_string: id,
            compare_to: id,
            compare: id,
            content: id,
            file_content: None,
            message: None,
            described: None,
        },
        contract_methods: Vec::new(),
        result_getters: Vec::new(),
        effects: vec![Effects::ALL; 3],
        caller_obligations: caller_obligations(),
        told: Default::default(),
        back_doors: Default::default(),
        closed_fields: Default::default(),
        existing_tests: ExistingTests::default(),
        plain_values: Vec::new(),
    }
}

/// The program whose operation `run` is changed.
pub fn program_with(change: impl FnOnce(&mut Operation)) -> Program {
    let mut program = program();
    let mut operations = program.operations.to_vec();
    change(&mut operations[RUN as usize]);
    program.operations = operations.into();
    program
}

fn caller_obligations() -> CallerObligations {
    let class = ClassName::new("p/A");
    let name = |name: &str| (class.clone(), Arc::from(name));
    let line = |method: &str, used: Vec<Use>| ((name(method), 1), used);
    let access = |of: &str, provenance| Use { by: By::Access(of.into()), provenance };
    let passed =
        |method: &str, local, provenance| Use { by: By::Argument { method: method.into(), local }, provenance };
    let field = |of: &str| Provenance::Field(name(of));
    CallerObligations {
        asserting: BTreeSet::from([class.clone()]),
        preconditions: BTreeSet::from([(name("step"), 1)]),
        settable: BTreeSet::from([name("given")]),
        unchecked: BTreeMap::from([(name("run"), BTreeSet::from([name("count"), name("text")]))]),
        stored: BTreeMap::from([(name("run"), BTreeSet::from([name("count"), name("text")]))]),
        string_fields: BTreeSet::from([name("text")]),
        reads: ["toString", "pick"]
            .into_iter()
            .flat_map(|by| [(name(by), name("count")), (name("parse"), name("text"))])
            .collect(),
        uses: BTreeMap::from([
            line("run", vec![access("hashCode", field("made")), access("call", field("given"))]),
            line("keep", vec![access("call", Provenance::Getter(name("other")))]),
            line("derive", vec![access("call", Provenance::FromState(name("at")))]),
            line("find", vec![access("call", Provenance::Lookup(name("at")))]),
            line("ask", vec![access("call", Provenance::FromParameter(name("of")))]),
            line("read", vec![access("call", Provenance::FromParameter(name("parse")))]),
            line("step", vec![access("call", Provenance::Parameter(1)), access("end", Provenance::Parameter(2))]),
            line("start", vec![passed("step", 1, field("given")), passed("step", 2, field("made"))]),
            line("parse", vec![passed("parseInt", 0, field("made"))]),
        ]),
        rejections: BTreeSet::new(),
        rethrows: Default::default(),
        returns: [
            ("getGiven", field("given")),
            ("other", Provenance::Getter(name("getGiven"))),
            ("self", Provenance::Getter(name("self"))),
            ("of", Provenance::Lookup(name("get"))),
        ]
        .map(|(of, provenance)| (name(of), BTreeSet::from([provenance])))
        .into(),
    }
}

/// A call of an operation that throws; a finding unless a rule suppresses it.
pub fn failure(operation: u32, argument: Literal, class: &str, message: Option<&str>, stack: &[&str]) -> Finding {
    let mut sequence = Sequence::new();
    let argument = sequence.push_literal(argument);
    sequence.push_call(OperationId(operation), &[argument]);
    let frame = |place: &&str| {
        let (class, method) = place.split_once('.').unwrap();
        StackFrame { class: ClassName::new(class), method: method.to_string(), line: 1 }
    };
    let thrown = Thrown {
        class: ClassName::new(class),
        nameable: ClassName::new(class),
        superclasses: vec![ClassName::new(class)],
        message: message.map(Into::into),
        stack: stack.iter().map(frame).collect(),
    };
    let violation = Violation { contract: NO_NULL_POINTER, message: String::new(), thrown: Some(thrown.clone()) };
    let execution = Execution::ended(Outcome::Threw { statement: 1, exception: thrown });
    let shown_by = Default::default();
    Finding { class: ClassName::new("p/A"), sequence, checks: 0, execution, violation, occurrences: 1, shown_by }
}

/// `p.A.run("a")` with a `NullPointerException`.
pub fn null_pointer(message: Option<&str>, stack: &[&str]) -> Finding {
    failure(RUN, string(), NULL_POINTER, message, stack)
}

/// A string as an argument.
pub fn string() -> Literal {
    Literal::String("a".into())
}

/// The message of the JVM about a null on which `call()` was to be called.
pub fn because(culprit: &str) -> String {
    format!("Cannot invoke \"p.B.call(int, p.C)\" because {culprit} is null")
}

/// The id of the rule that suppresses the failure; `None` if it is a finding.
pub fn suppressed_by(finding: &Finding, program: &Program) -> Option<&'static str> {
    let judge = Judge::new(program, &[]);
    let first_check = finding.sequence.len() - finding.checks;
    let in_search = judge.suppressing_rule(&finding.violation, &finding.sequence, first_check, &finding.execution);
    let rule = in_search.or_else(|| {
        judge.suppressing_rule_of_details(&finding.violation, &finding.sequence, first_check, &finding.execution)
    });
    rule.map(|rule| rule.id)
}

/// The confidence of the finding, and the id of the rule that lowered it.
pub fn confidence(finding: &Finding, program: &Program) -> (Confidence, Option<&'static str>) {
    let (confidence, rule) = Judge::new(program, &[]).confidence(finding);
    (confidence, rule.map(|rule| rule.id))
}
