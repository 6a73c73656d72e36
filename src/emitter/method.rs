//! One case as the body of a test method: which statements are written, what is inlined, which values are asserted.

mod checks;
mod expression;
mod mocks;
mod paragraphs;
mod throwing;
mod variable;

pub use throwing::is_message_asserted;

use super::assertion::{ValueCheck, same_statement};
use super::call::{JavaExpression, Shape, result_is_inferred};
use super::contract_assertion;
use super::fixture::DIRECTORY;
use super::literal::literal_text;
use super::names::Names;
use super::parameterization::ParameterTable;
use super::variables::Variables;
use super::{JUnitVersion, Role, Style, TestCase};
pub(super) use checks::checks;
pub(super) use mocks::mock_of_list;
use model::execution::described::Described;
use model::execution::{Outcome, Thrown, Value};
use model::jvm::types::{TypeTable, is_java_identifier};
use model::jvm::{ClassName, Literal, Type};
use model::sequence::{Action, Operation, OperationKind, TEMPORARY_FILES};
use model::unseen::is_unseen;
use oracle::Violation;
use oracle::contract::{self, Relation};
use paragraphs::{Act, Paragraph};
use std::ops::RangeInclusive;
use throwing::Throws;

/// A line has so many columns, without the indentation of the method's body.
const COLUMNS: usize = 112;

/// What is the same for all cases of a class.
pub(super) struct ClassContext<'a> {
    pub class: &'a ClassName,
    pub operations: &'a [Operation],
    pub types: &'a TypeTable,
    pub style: &'a Style,
}

impl<'a> ClassContext<'a> {
    /// The operation of a statement that is a call.
    pub fn operation(&self, case: &TestCase, index: usize) -> Option<&'a Operation> {
        match &case.sequence.statements()[index].action {
            Action::Call(id) => self.operations.get(id.0 as usize),
            Action::Literal(_) => None,
        }
    }
}

/// A test method without its name.
pub(super) struct TestMethod {
    pub comment: Option<String>,
    /// Lines without indentation of their own level; blank ones are empty.
    pub body: Vec<String>,
    /// What the method has to declare.
    pub throws: Option<&'static str>,
    pub assertions: usize,
    /// Lines of the body, counted from 0, that assert the value of a statement.
    pub checks: Vec<(RangeInclusive<usize>, usize)>,
    /// Comments above lines of the body, which are counted from 0.
    pub headings: Vec<(usize, &'static str)>,
    /// It shows a call that does not return, which ends it after a time.
    pub is_endless: bool,
    /// What the body is run with, row by row.
    pub table: Option<ParameterTable>,
}

impl TestMethod {
    /// The element of JUnit 4's annotation that ends a call which does not return.
    pub fn time_limit(&self, junit: JUnitVersion) -> String {
        match self.is_endless && junit != JUnitVersion::Five {
            true => format!("(timeout = {ENDLESS_SECONDS}000)"),
            false => String::new(),
        }
    }
}

/// Seconds after which a test takes a call for one that does not return.
const ENDLESS_SECONDS: u32 = 2;

/// Statements that ran: the number that completed, and what the next one threw.
pub(super) fn extent(case: &TestCase) -> Result<(usize, Option<&Thrown>), String> {
    match &case.execution.outcome {
        Outcome::Completed => Ok((case.sequence.len(), None)),
        Outcome::Threw { statement, exception } if *statement < case.sequence.len() => {
            Ok((*statement, Some(exception)))
        }
        Outcome::Threw { .. } => Err("the exception is of no statement".to_string()),
        Outcome::Killed { reason, .. } => Err(format!("the run was ended: {reason:?}")),
        Outcome::Unlinkable { message, .. } => Err(format!("a class or member does not link: {message}")),
    }
}

/// The last statement that ran (threw, perhaps); behind a rejected call others may run.
fn last(case: &TestCase) -> Result<usize, String> {
    let (completed, thrown) = extent(case)?;
    if thrown.is_some() && case.sequence.rejected() == Some(completed) {
        return Ok(case.execution.values.len().saturating_sub(1).max(completed));
    }
    (completed + usize::from(thrown.is_some())).checked_sub(1).ok_or("nothing ran".to_string())
}

/// The statement that the test is about: the last one but for those that only show what it did.
pub(super) fn subject(case: &TestCase) -> Result<usize, String> {
    let (completed, thrown) = extent(case)?;
    let subject = if thrown.is_some() { completed } else { last(case)?.saturating_sub(case.observers) };
    // A contract method only judges what the call before it did.
    let is_judged = matches!(&case.role, Role::Finding(violation) if violation.contract == contract::CONTRACT_METHOD);
    let judged = || (0..subject).rev().find(|at| case.sequence.call_at(*at).is_some());
    Ok(is_judged.then(judged).flatten().unwrap_or(subject))
}

/// Writes the body of a case, whose variables are not to be called as those before it in the method.
pub(super) fn write(
    case: &TestCase,
    context: &ClassContext<'_>,
    names: &mut Names<'_>,
    variables: &mut Variables,
) -> Result<TestMethod, String> {
    Writer::new(case, context, names, variables)?.run()
}

struct Writer<'w, 'n> {
    case: &'w TestCase,
    context: &'w ClassContext<'w>,
    names: &'w mut Names<'n>,
    completed: usize,
    thrown: Option<&'w Thrown>,
    last: usize,
    /// What is asserted of each statement's value.
    checks: Vec<Option<ValueCheck>>,
    /// Statements that the test needs.
    written: Vec<bool>,
    /// How many inputs of written statements each value is.
    uses: Vec<usize>,
    expressions: Vec<Option<JavaExpression>>,
    /// Statements whose values exactly one later statement uses, in order, and which are not written yet. They become part of
    /// that statement's expression if Java evaluates it in this order (JLS §15.7), and variables otherwise.
    pending: Vec<usize>,
    /// Statements whose results the assertions of a broken contract use.
    asserted_results: Vec<usize>,
    variables: &'w mut Variables,
    throws: Throws,
    parts: Vec<(Paragraph, String)>,
    /// Indices into `parts` that assert the value of a statement.
    checked_parts: Vec<(usize, usize)>,
    /// The statement whose expression has the call that the test is about.
    holder: usize,
    /// The part that has that call.
    act: Option<Act>,
    assertions: usize,
}

impl<'w, 'n> Writer<'w, 'n> {
    fn new(
        case: &'w TestCase,
        context: &'w ClassContext<'w>,
        names: &'w mut Names<'n>,
        variables: &'w mut Variables,
    ) -> Result<Writer<'w, 'n>, String> {
        let (completed, thrown) = extent(case)?;
        let last = last(case)?;
        if case.execution.values.len() < completed {
            return Err("the execution lacks values".to_string());
        }
        let declared = case.sequence.calls().filter_map(|id| context.operations.get(id.0 as usize));
        let fields = declared.flat_map(|operation| &operation.declared.fields);
        fields.for_each(|field| variables.reserve(&field.name));
        let makes_files = |operation: &Operation| operation.owner.internal() == TEMPORARY_FILES;
        if case.sequence.calls().filter_map(|id| context.operations.get(id.0 as usize)).any(makes_files) {
            variables.reserve(DIRECTORY);
        }
        Ok(Writer {
            case,
            context,
            names,
            completed,
            thrown,
            last,
            checks: vec![None; case.sequence.len()],
            written: vec![false; case.sequence.len()],
            uses: vec![0; case.sequence.len()],
            expressions: vec![None; case.sequence.len()],
            pending: Vec::new(),
            asserted_results: Vec::new(),
            variables,
            throws: Throws::Nothing,
            parts: Vec::new(),
            checked_parts: Vec::new(),
            holder: subject(case)?,
            act: None,
            assertions: 0,
        })
    }

    fn run(mut self) -> Result<TestMethod, String> {
        let violation = match &self.case.role {
            Role::Finding(violation) => Some(violation),
            Role::Regression => None,
        };
        let assertions = match violation {
            Some(violation) if self.thrown.is_none() => self.violated_relations(violation),
            _ => Vec::new(),
        };
        self.asserted_results = assertions.iter().flat_map(|assertion| assertion.results()).collect();
        if violation.is_none() {
            self.choose_checks();
        }
        self.choose_written();
        self.count_arguments_of_mocks();
        let mut deferred: Vec<(usize, String)> = Vec::new();
        for index in 0..=self.last {
            if !self.written[index] {
                continue;
            }
            if self.asserted_results.contains(&index) && self.uses[index] == 0 {
                self.declare_pending(0)?;
                let expression = self.expression(index)?.text;
                self.declare_throws(index);
                let static_type = self.output(index).ok_or("a check without a result")?;
                self.expressions[index] = Some(JavaExpression::simple(expression, static_type, Shape::Plain));
                continue;
            }
            let before = self.parts.len();
            if let Some(statement) = self.write_statement(index, violation.is_some())? {
                deferred.push((index, statement));
            }
            if index == self.holder && self.parts.len() > before && !self.pending.contains(&index) {
                self.note_act(self.parts.len() - 1);
            }
        }
        for (index, statement) in deferred {
            self.push_check(index, Paragraph::Assert, statement);
        }
        for assertion in assertions {
            let value = |index: usize| self.expressions[index].as_ref();
            let statement = contract_assertion::statement(assertion, value, self.context.style, self.names);
            self.parts.push((Paragraph::Assert, statement));
            self.assertions += 1;
        }
        let headings = self.headings();
        let (body, checks, headings) = self.paragraphs(&headings);
        Ok(TestMethod {
            comment: violation
                .map(|violation| &violation.message)
                .or(self.case.note.as_ref())
                .map(|text| comment_text(text)),
            body,
            checks,
            headings,
            throws: match self.throws {
                Throws::Nothing => None,
                Throws::Exception => Some("Exception"),
                Throws::Throwable => Some("Throwable"),
            },
            assertions: self.assertions,
            is_endless: self.is_endless(),
            table: None,
        })
    }

    /// Whether the statement is the one that throws.
    fn is_thrower(&self, index: usize) -> bool {
        self.thrown.is_some() && index == self.completed
    }

    fn operation(&self, index: usize) -> Option<&Operation> {
        self.context.operation(self.case, index)
    }

    fn output(&self, index: usize) -> Option<Type> {
        self.case.sequence.output_of(index, self.context.operations)
    }

    /// The value, if it is stable enough to be asserted.
    fn stable_value(&self, index: usize) -> Option<&Value> {
        let execution = &self.case.execution;
        let is_flaky = self.case.unasserted.contains(&index) || execution.environment_dependent;
        execution.values.get(index).filter(|_| !is_flaky && !self.is_thrower(index))
    }

    /// What the violated contract says of the calls at the end.
    fn violated_relations(&self, violation: &Violation) -> Vec<Relation> {
        let calls: Vec<usize> = (0..=self.last).filter(|&index| self.operation(index).is_some()).collect();
        let receiver = self.case.sequence.inputs_of(self.last).next();
        contract::relations(violation.contract, &calls, receiver, &self.case.execution)
    }

    /// Marks the statements that act, throw or are asserted, and their inputs.
    fn choose_written(&mut self) {
        for index in (0..=self.last).rev() {
            let acts = self.operation(index).is_some_and(|operation| {
                matches!(
                    operation.kind,
                    OperationKind::Constructor
                        | OperationKind::StaticMethod
                        | OperationKind::InstanceMethod
                        | OperationKind::SetStatic
                        | OperationKind::SetField
                ) || (operation.kind == OperationKind::Implementation
                    && !operation.owner_is_interface
                    && !operation.mock)
            });
            // A mock stands for the list of its calls, and does without the answers to calls that it did not get.
            if self.is_list_of_mock(index) || self.is_for_mocks_alone(index) {
                continue;
            }
            if acts || self.is_thrower(index) || self.checks[index].is_some() || self.uses[index] > 0 {
                self.written[index] = true;
                let is_compared = self.uses[index] == 0 && self.returns_receiver(index);
                for (slot, input) in self.needed_inputs(index).into_iter().enumerate() {
                    self.uses[input] += 1 + usize::from(is_compared && slot == 0);
                }
            }
        }
    }

    /// Counts what mocks are told to expect, or are verified to have got, as uses of the objects that were passed, so that these
    /// have names.
    fn count_arguments_of_mocks(&mut self) {
        for made in self.arguments_of_mocks() {
            self.uses[made] += 1;
        }
    }

    /// Whether nothing else is known of what the call returns than that it is the object on which it is called.
    fn returns_receiver(&self, index: usize) -> bool {
        self.checks[index] == Some(ValueCheck::NotNull) && self.case.fluent.contains(&index)
    }

    /// The operation that takes the value, if no other one does.
    fn taker_of(&self, index: usize) -> Option<&Operation> {
        let mut takers = (index + 1..=self.last)
            .filter(|&user| self.written[user] && self.case.sequence.inputs_of(user).any(|input| input == index));
        let taker = takers.next().filter(|_| takers.next().is_none())?;
        self.operation(taker)
    }

    /// The literal, where constants of the class whose method takes it stand for numbers.
    fn literal_text(&mut self, index: usize, literal: &Literal) -> Result<String, String> {
        let class = self.taker_of(index).map(|taker| taker.owner.clone());
        self.names.with_constants_of(class, |names| literal_text(literal, names))
    }

    /// The check of what a call returned, where constants of the class that declares the method stand for numbers.
    fn check_text(&mut self, index: usize, check: &ValueCheck, actual: &str, of: &Type) -> Result<String, String> {
        let class = self.operation(index).map(|operation| operation.owner.clone());
        let style = self.context.style;
        self.names.with_constants_of(class, |names| check.statement(actual, of, style, names))
    }

    /// Writes one statement; returns its assertion if that belongs at the end.
    fn write_statement(&mut self, index: usize, finding: bool) -> Result<Option<String>, String> {
        if let Action::Literal(literal) = &self.case.sequence.statements()[index].action {
            if self.uses[index] > 0 {
                let shape = match literal {
                    Literal::Null(_) => Shape::Null,
                    _ => Shape::Plain,
                };
                let text = self.literal_text(index, literal)?;
                self.expressions[index] = Some(JavaExpression::simple(text, literal.literal_type(), shape));
            }
            return Ok(None);
        }
        if self.write_collaboration(index)? {
            return Ok(None);
        }
        let part = self.part_of(index);
        let thrown = self.thrown.filter(|_| self.is_thrower(index));
        if self.is_unneeded_cast(index) {
            return self.leave_out_cast(index);
        }
        if thrown.is_some() && !finding {
            // Only the call itself may throw the expected exception, so its arguments become variables, except calls without
            // arguments, which have nothing to reject.
            let is_given_nothing = |index: &&usize| self.case.sequence.inputs_of(**index).next().is_none();
            self.declare_pending(self.pending.iter().rev().take_while(is_given_nothing).count())?;
        }
        let expression = self.expression(index)?;
        if let Some(thrown) = thrown {
            self.declare_pending(0)?;
            if finding {
                self.declare_throws(index);
                let statement = self.bare_statement(index, &expression.text)?;
                let statement = if self.is_endless() { self.within_time(&statement) } else { statement };
                self.parts.push((part, statement));
            } else {
                self.write_throwing(index, &expression.text, thrown)?;
            }
            return Ok(None);
        }
        let check = self.checks[index].clone();
        let Some(output) = self.output(index) else {
            return self.write_without_result(index, &expression.text, finding).map(|()| None);
        };
        self.declare_throws(index);
        if check.is_none() && self.uses[index] > 0 {
            let shape = match self.operation(index).map(|operation| operation.kind) {
                Some(OperationKind::Array | OperationKind::Cast) => Shape::Compound,
                _ => Shape::Plain,
            };
            let value = JavaExpression {
                text: expression.text.clone(),
                static_type: output.clone(),
                shape,
                nesting: expression.nesting,
            };
            if self.is_constant(index, &expression) {
                self.expressions[index] = Some(value);
                return Ok(None);
            }
            let is_for_one = self.uses[index] == 1 && !self.asserted_results.contains(&index);
            let is_exact = expression.exact || self.is_typed_by_place(index);
            if is_for_one && is_exact && self.names.can_name(&output) {
                self.expressions[index] = Some(value);
                self.pending.push(index);
                return Ok(None);
            }
        }
        self.declare_pending(0)?;
        if self.uses[index] == 0 {
            return self.write_unused(index, part, expression.text, &output, check).map(|()| None);
        }
        let static_type = self.declared_type(index, &output)?;
        let variable = self.declare(index, &static_type, part, &expression.text)?;
        self.expressions[index] = Some(JavaExpression::simple(variable.clone(), static_type.clone(), Shape::Plain));
        let Some(check) = check else { return Ok(None) };
        let statement = self.check_text(index, &check, &variable, &static_type)? + ";";
        self.assertions += 1;
        if self.thrown.is_some() || (check.is_of_mutable_state() && index != self.last) {
            let part = if index < self.last { part } else { Paragraph::Assert };
            self.push_check(index, part, statement);
            return Ok(None);
        }
        Ok(Some(statement))
    }

    fn write_without_result(&mut self, index: usize, expression: &str, finding: bool) -> Result<(), String> {
        self.declare_pending(0)?;
        let statement = match self.is_all_that_is_shown(index) && !finding {
            true => self.accepted(expression),
            false => {
                self.declare_throws(index);
                format!("{expression};")
            }
        };
        self.parts.push((self.part_of(index), statement));
        Ok(())
    }

    fn part_of(&self, index: usize) -> Paragraph {
        match self.thrown {
            Some(_) if index == self.completed => Paragraph::Act,
            Some(_) if index > self.completed => Paragraph::Assert,
            _ if index < self.last => Paragraph::Arrange,
            _ => Paragraph::Act,
        }
    }

    /// Declares variables for pending values, the earliest first, until only `kept` values are pending.
    fn declare_pending(&mut self, kept: usize) -> Result<(), String> {
        while self.pending.len() > kept {
            let index = self.pending.remove(0);
            let Some(pending) = self.expressions[index].take() else { continue };
            let static_type = self.declared_type(index, &pending.static_type)?;
            let variable = self.declare(index, &static_type, self.part_of(index), &pending.text)?;
            self.expressions[index] = Some(JavaExpression::simple(variable, static_type, Shape::Plain));
        }
        Ok(())
    }

    /// Writes a statement whose value is used by an assertion at most.
    fn write_unused(
        &mut self,
        index: usize,
        part: Paragraph,
        expression: String,
        output: &Type,
        check: Option<ValueCheck>,
    ) -> Result<(), String> {
        let Some(check) = check else {
            let is_made = self.operation(index).is_some_and(|operation| operation.kind == OperationKind::Constructor);
            let is_finding = matches!(self.case.role, Role::Finding(_));
            let statement = match is_made && !is_finding && self.is_all_that_is_shown(index) {
                true => self.accepted(&expression),
                false => self.bare_statement(index, &expression)?,
            };
            self.parts.push((part, statement));
            return Ok(());
        };
        let inferred = self.operation(index).is_some_and(result_is_inferred);
        let in_place = match self.same_as_receiver(index, &expression, output) {
            Some(statement) => statement,
            None => self.check_text(index, &check, &expression, output)?,
        } + ";";
        let is_array = matches!(check, ValueCheck::Value(Described::Array(..)));
        // A line of AssertJ has a place to be broken at.
        let is_wide = is_array && in_place.len() > COLUMNS && !self.context.style.uses_assertj();
        let statement = if (inferred || is_wide) && self.names.can_name(output) {
            let variable = self.declare(index, output, part, &expression)?;
            self.check_text(index, &check, &variable, output)? + ";"
        } else {
            in_place
        };
        self.assertions += 1;
        self.push_check(index, if index < self.last { part } else { Paragraph::Assert }, statement);
        Ok(())
    }

    /// The assertion that a call returns its receiver, where that has a name and nothing else is known of what is returned.
    fn same_as_receiver(&mut self, index: usize, call: &str, of: &Type) -> Option<String> {
        let receiver = self.case.sequence.inputs_of(index).next()?;
        let receiver = self.expressions[receiver].as_ref().filter(|it| is_java_identifier(&it.text))?.text.clone();
        let is_it = self.returns_receiver(index);
        is_it.then(|| same_statement(&receiver, call, of, self.context.style, self.names))
    }

    /// Whether the test shows a call that does not return.
    fn is_endless(&self) -> bool {
        matches!(self.case.role, Role::Finding(_)) && self.thrown.is_some_and(contract::is_loop)
    }

    /// The statement with the time that it may take, where an assertion can say so: in JUnit 4 the annotation does.
    fn within_time(&mut self, statement: &str) -> String {
        if self.context.style.junit != JUnitVersion::Five {
            return statement.to_string();
        }
        let duration = self.names.platform_name("java.time", "Duration");
        let assertion = match self.context.style.uses_assertj() {
            true => format!("{}.{PREEMPTIVELY}", self.names.platform_name("org.junit.jupiter.api", "Assertions")),
            false => self.names.assertion(PREEMPTIVELY).to_string(),
        };
        self.assertions += 1;
        let call = match statement.contains(" = ") {
            true => format!("{{ {statement} }}"),
            false => statement.trim_end_matches(';').to_string(),
        };
        format!("{assertion}({duration}.ofSeconds({ENDLESS_SECONDS}), () -> {call});")
    }

    /// The expression as a statement of its own.
    fn bare_statement(&mut self, index: usize, expression: &str) -> Result<String, String> {
        let kind = self.operation(index).map(|operation| operation.kind);
        match (kind, self.output(index)) {
            (
                Some(OperationKind::GetField | OperationKind::GetStatic | OperationKind::Array | OperationKind::Cast),
                Some(output),
            ) => {
                let of = if self.names.can_name(&output) { output } else { Type::object() };
                let wanted = self.variable_base(index, &of);
                let variable = self.variables.add_object(&wanted, None, false, self.names);
                Ok(format!("{} {variable} = {expression};", self.names.type_name(&of)?))
            }
            _ => Ok(format!("{expression};")),
        }
    }
}

/// What JUnit 5 calls the assertion that stops a call which takes too long.
const PREEMPTIVELY: &str = "assertTimeoutPreemptively";

/// A message as one line comment: a backslash before `u` would be read as an escape even there (JLS §3.3), and marks of direction
/// would show code as a comment or the other way round.
fn comment_text(message: &str) -> String {
    let shown: String = message.chars().map(|letter| if is_unseen(letter) { ' ' } else { letter }).collect();
    format!("// {}", shown.replace("\\u", "\\ u").trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_stays_in_its_comment_and_shows_as_it_is_read() {
        let check = |message: &str, expected: &str| assert_eq!(comment_text(message), expected);
        check("one\r\ntwo", "// one  two");
        check("\\u000a evil();", "// \\ u000a evil();");
        check("a\u{202e}b\u{2066}c\u{200b}d\u{2028}e", "// a b c d e");
        check("caf\u{e9} \u{20ac}", "// caf\u{e9} \u{20ac}");
    }
}
