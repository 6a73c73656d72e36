//! Exceptions: those that a test expects, and those that its method has to declare.

use super::{Paragraph, Writer};
use model::execution::Thrown;
use model::jvm::{ClassName, Type};

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
        let widest = operation.exceptions.iter().map(|declared| self.widest(declared)).max();
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

    /// The call that must throw.
    pub(super) fn write_throwing(&mut self, index: usize, expression: &str, thrown: &Thrown) -> Result<(), String> {
        let class = self.nameable(thrown)?;
        let variables = self.variables.count() - self.first_variable;
        let statement = self.bare_statement(index, expression)?;
        let class_text = self.names.class_name(&class)?;
        self.assertions += 1;
        if self.context.style.has_assert_throws() {
            let body = match statement.strip_suffix(';') {
                Some(call) if call == expression => call.to_string(),
                _ => format!("{{ {statement} }}"),
            };
            let method = self.names.assertion("assertThrows");
            self.prepared = Some((self.parts.len(), variables));
            self.parts.push((Paragraph::Act, format!("{method}({class_text}.class, () -> {body});")));
            return Ok(());
        }
        let statement = statement.replace('\n', "\n    ");
        let lines = if self.can_be_caught(index, &class, thrown) {
            self.declare_throws(index);
            let fail = self.names.assertion("fail");
            vec![
                "try {".to_string(),
                format!("    {statement}"),
                format!("    {fail}(\"{} expected\");", class.simple().replace('$', ".")),
                format!("}} catch ({class_text} expected) {{"),
                "    // As it should.".to_string(),
                "}".to_string(),
            ]
        } else {
            let throwable = self.names.java_lang("Throwable");
            let assert_true = self.names.assertion("assertTrue");
            vec![
                format!("{throwable} thrown = null;"),
                "try {".to_string(),
                format!("    {statement}"),
                format!("}} catch ({throwable} throwable) {{"),
                "    thrown = throwable;".to_string(),
                "}".to_string(),
                format!("{assert_true}(thrown instanceof {class_text});"),
            ]
        };
        self.parts.extend(lines.into_iter().map(|line| (Paragraph::Act, line)));
        Ok(())
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
