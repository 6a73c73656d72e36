//! Exceptions: those that a test expects, and those that its method has to declare.

use super::{Act, COLUMNS, Paragraph, Writer};
use crate::assertion::assertj;
use crate::literal::literal_text;
use crate::value_text::differs_between_runs;
use model::execution::Thrown;
use model::jvm::{ClassName, JavaString, Literal, Type};
use model::sequence::OperationKind;

/// Longer messages are not asserted.
const MESSAGE_SHOWN: usize = 200;

/// The widest exception that calls outside of assertions declare.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Throws {
    Nothing,
    Exception,
    Throwable,
}

impl Writer<'_, '_> {
    pub(super) fn declare_throws(&mut self, index: usize) {
        let Some(operation) = self.operation(index) else { return };
        let exceptions = operation.exceptions.clone();
        self.declare_exceptions(&exceptions);
    }

    /// Lets the test's method declare what a call may throw.
    pub(super) fn declare_exceptions(&mut self, exceptions: &[ClassName]) {
        let widest = exceptions.iter().map(|declared| self.widest(declared)).max();
        self.throws = self.throws.max(widest.unwrap_or(Throws::Nothing));
    }

    fn widest(&self, declared: &ClassName) -> Throws {
        let ancestry = self.context.types.ancestry(declared);
        let is = |name: &str| declared.internal() == name || ancestry.iter().any(|facts| facts.name.internal() == name);
        if is("java/lang/RuntimeException") || is("java/lang/Error") {
            Throws::Nothing
        } else if is("java/lang/Exception") {
            Throws::Exception
        } else if is("java/lang/Throwable") || !declared.internal().ends_with("Exception") {
            Throws::Throwable
        } else {
            Throws::Exception
        }
    }

    /// Whether a call without result, or one that makes an object, is what the test is about, and nothing shows what it did.
    pub(super) fn is_all_that_is_shown(&self, index: usize) -> bool {
        let kind = self.operation(index).map(|operation| operation.kind);
        matches!(kind, Some(OperationKind::Constructor | OperationKind::InstanceMethod | OperationKind::StaticMethod))
            && index == self.last
            && self.context.style.has_assert_does_not_throw()
            && self.checks.iter().all(Option::is_none)
    }

    /// That the call does not throw, said outright.
    pub(super) fn accepted(&mut self, call: &str) -> String {
        self.assertions += 1;
        self.act = Some(Act { part: self.parts.len(), asserts: true });
        match self.context.style.uses_assertj() {
            true => assertj::acceptance(call, self.names),
            false => format!("{}(() -> {call});", self.names.assertion("assertDoesNotThrow")),
        }
    }

    /// The call that must throw.
    pub(super) fn write_throwing(&mut self, index: usize, expression: &str, thrown: &Thrown) -> Result<(), String> {
        let class = self.nameable(thrown)?;
        let statement = self.bare_statement(index, expression)?;
        let class_text = self.names.class_name(&class)?;
        self.assertions += 1;
        self.act = Some(Act { part: self.parts.len(), asserts: true });
        if self.context.style.has_assert_throws() {
            let body = match statement.strip_suffix(';') {
                Some(call) if call == expression => call.to_string(),
                _ => format!("{{ {statement} }}"),
            };
            if self.context.style.uses_assertj() {
                return self.push_rejection(index, &class_text, &body);
            }
            let method = self.names.assertion("assertThrows");
            let call = format!("{method}({class_text}.class, () -> {body});");
            let Some(message) = self.message(index)? else {
                self.parts.push((Paragraph::Act, call));
                return Ok(());
            };
            self.act = Some(Act { part: self.parts.len(), asserts: false });
            let exception = self.variables.add("exception", self.names);
            self.parts.push((Paragraph::Act, format!("{class_text} {exception} = {call}")));
            self.push_message_check(index, &message, &exception);
            return Ok(());
        }
        let message = self.message(index)?;
        let mut assertion = "// As it should.".to_string();
        let statement = statement.replace('\n', "\n    ");
        let lines = if self.can_be_caught(index, &class, thrown) {
            self.declare_throws(index);
            let fail = self.names.assertion("fail");
            if let Some(message) = &message {
                self.assertions += 1;
                assertion = match self.context.style.uses_assertj() {
                    true => format!("{}(expected).hasMessage({message});", self.names.assertion("assertThat")),
                    false => format!("{}({message}, expected.getMessage());", self.names.assertion("assertEquals")),
                };
            }
            vec![
                "try {".to_string(),
                format!("    {statement}"),
                format!("    {fail}(\"{} expected\");", class.simple().replace('$', ".")),
                format!("}} catch ({class_text} expected) {{"),
                format!("    {assertion}"),
                "}".to_string(),
            ]
        } else {
            let throwable = self.names.java_lang("Throwable");
            let is_expected = match self.context.style.uses_assertj() {
                true => format!("{}(thrown).isInstanceOf({class_text}.class);", self.names.assertion("assertThat")),
                false => format!("{}(thrown instanceof {class_text});", self.names.assertion("assertTrue")),
            };
            vec![
                format!("{throwable} thrown = null;"),
                "try {".to_string(),
                format!("    {statement}"),
                format!("}} catch ({throwable} throwable) {{"),
                "    thrown = throwable;".to_string(),
                "}".to_string(),
                is_expected,
            ]
        };
        self.parts.extend(lines.into_iter().map(|line| (Paragraph::Act, line)));
        Ok(())
    }

    /// The call and what it throws, as one statement; the message is what may turn out to be unstable.
    fn push_rejection(&mut self, index: usize, class: &str, body: &str) -> Result<(), String> {
        let message = self.message(index)?;
        let statement = assertj::rejection(body, class, message.as_deref(), COLUMNS, self.names);
        match message {
            Some(_) => {
                self.assertions += 1;
                self.push_check(index, Paragraph::Act, statement);
            }
            None => self.parts.push((Paragraph::Act, statement)),
        }
        Ok(())
    }

    /// The literal of the message that the exception of a statement is to have.
    fn message(&mut self, index: usize) -> Result<Option<String>, String> {
        let message = self.case.message.as_ref().filter(|_| !self.case.unasserted.contains(&index));
        let message = message.filter(|_| self.thrown.is_none_or(is_message_asserted));
        message.map(|message| literal_text(&Literal::String(message.clone()), self.names)).transpose()
    }

    /// Asserts the message of the exception in a variable.
    fn push_message_check(&mut self, index: usize, message: &str, exception: &str) {
        let method = self.names.assertion("assertEquals");
        self.assertions += 1;
        self.push_check(index, Paragraph::Assert, format!("{method}({message}, {exception}.getMessage());"));
    }

    /// The nearest class of the exception that the test can name.
    fn nameable(&self, thrown: &Thrown) -> Result<ClassName, String> {
        let start = thrown.superclasses.iter().position(|class| *class == thrown.nameable).unwrap_or(0);
        thrown.superclasses[start..]
            .iter()
            .chain([&thrown.nameable])
            .find(|class| self.names.can_name(&Type::Class((*class).clone())))
            .cloned()
            .ok_or_else(|| format!("{} is not accessible from the test's package", thrown.class))
    }

    /// Whether `catch (class)` compiles (JLS §11.2.3) and does not catch what `fail` throws.
    fn can_be_caught(&self, index: usize, class: &ClassName, thrown: &Thrown) -> bool {
        if matches!(class.internal(), "java/lang/Throwable" | "java/lang/Error" | "java/lang/AssertionError") {
            return false;
        }
        let above = thrown.superclasses.iter().skip_while(|above| *above != class);
        let unchecked =
            above.into_iter().any(|above| matches!(above.internal(), "java/lang/RuntimeException" | "java/lang/Error"));
        let declared = self.operation(index).is_some_and(|operation| {
            operation.exceptions.iter().any(|declared| thrown.superclasses.contains(declared))
        });
        unchecked || class.internal() == "java/lang/Exception" || declared
    }
}

/// Whether tests can assert the message of the exception: it is short, and the same in each run and after each edit.
pub fn is_message_asserted(thrown: &Thrown) -> bool {
    thrown.message.as_ref().is_some_and(|message| {
        let is_known = message.units().len() <= MESSAGE_SHOWN && !differs_between_runs(message);
        is_known && !names_its_line(message, thrown)
    })
}

/// Whether the message has the number of a line that the exception came through, which changes with every edit.
fn names_its_line(message: &JavaString, thrown: &Thrown) -> bool {
    let text = message.to_string();
    let mut numbers =
        text.split(|letter: char| !letter.is_ascii_digit()).filter_map(|number| number.parse::<i32>().ok());
    text.to_lowercase().contains("line") && numbers.any(|number| thrown.stack.iter().any(|frame| frame.line == number))
}
