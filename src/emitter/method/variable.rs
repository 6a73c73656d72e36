//! Variables: which type they are declared with, and what they are called.

use super::{Paragraph, Writer, subject};
use crate::purpose::called_on;
use crate::variables::{base_name, is_platform_value};
use model::jvm::types::ClassFacts;
use model::jvm::{ClassName, Type};
use model::sequence::OperationKind;

impl Writer<'_, '_> {
    /// Declares a variable that holds the expression.
    pub(super) fn declare(
        &mut self,
        index: usize,
        of: &Type,
        part: Paragraph,
        expression: &str,
    ) -> Result<String, String> {
        let wanted = self.variable_base(index, of);
        let parameter = self.parameter_of(index).map(|name| name.to_string());
        let is_beside = self.is_beside_receiver(index, &wanted);
        let variable = self.variables.add_object(&wanted, parameter.as_deref(), is_beside, self.names);
        let type_text = self.names.type_name(of)?;
        let expression = &match self.makes_new_object(index) {
            true => with_diamond(expression, &type_text, self.context.style.source_level),
            false => expression.to_string(),
        };
        // `int[] a = new int[] {1}` says its type twice.
        let short = expression.strip_prefix("new ").and_then(|rest| rest.strip_prefix(&type_text));
        let value = match short.map(str::trim_start) {
            Some(elements) if matches!(of, Type::Array(_)) && elements.starts_with('{') => elements,
            _ => expression,
        };
        let finality = if self.is_captured(index) && !self.context.style.has_lambdas() { "final " } else { "" };
        self.parts.push((part, format!("{finality}{type_text} {variable} = {value};")));
        if index == self.holder {
            self.note_act(self.parts.len() - 1);
        }
        Ok(variable)
    }

    /// Whether the object on which the method is called is declared later, by the same name.
    fn is_beside_receiver(&self, index: usize, wanted: &str) -> bool {
        let Ok(subject) = subject(self.case) else { return false };
        let on = called_on(self.case, subject, self.context);
        // What is used once may have no variable.
        let later = on.filter(|&on| on > index && self.written[on] && self.uses[on] > 1);
        later.is_some_and(|on| self.output(on).is_some_and(|of| self.variable_base(on, &of) == wanted))
    }

    /// Whether the statement's expression is `new`, a class and its arguments, and no call follows: in
    /// `new Box<String>().iterator()` the type argument says of what type the iterator is. An inner object may be made of such
    /// a call (`new Outer<String>().new Inner()`).
    fn makes_new_object(&self, index: usize) -> bool {
        let is_inner = |class: &ClassName| self.context.types.get(class).is_some_and(ClassFacts::is_inner);
        self.operation(index)
            .is_some_and(|operation| operation.kind == OperationKind::Constructor && !is_inner(&operation.owner))
    }

    /// The type to declare a variable with: that of the value, or the nearest that the test can name and that still
    /// serves all uses.
    pub(super) fn declared_type(&self, index: usize, output: &Type) -> Result<Type, String> {
        if self.names.can_name(output) {
            let plain = self.collection(index, output).filter(|plain| self.serves_all(index, plain));
            return Ok(plain.unwrap_or_else(|| output.clone()));
        }
        let class = output.class_name().ok_or_else(|| format!("{output} is not accessible"))?;
        let types = self.context.types;
        let candidates = types.ancestry(class).into_iter().filter_map(|facts| types.as_super(output, &facts.name));
        candidates
            .chain([Type::object()])
            .filter(|candidate| self.names.can_name(candidate))
            .find(|candidate| self.serves_all(index, candidate))
            .ok_or_else(|| format!("{output} is not accessible from the test's package"))
    }

    /// `List` for a new `ArrayList`, as people declare it.
    fn collection(&self, index: usize, output: &Type) -> Option<Type> {
        let made = self.operation(index).filter(|operation| operation.kind == OperationKind::Constructor)?;
        let interface = match made.owner.internal() {
            "java/util/ArrayList" | "java/util/LinkedList" => "java/util/List",
            "java/util/HashMap" | "java/util/LinkedHashMap" => "java/util/Map",
            "java/util/HashSet" | "java/util/LinkedHashSet" => "java/util/Set",
            _ => return None,
        };
        self.context
            .types
            .as_super(output, &ClassName::new(interface))
            .filter(|interface| self.names.can_name(interface))
    }

    fn serves_all(&self, index: usize, of: &Type) -> bool {
        (index + 1..=self.last).all(|user| self.serves(index, of, user))
    }

    /// Whether a variable of the type can be what `user` takes of statement `index`.
    fn serves(&self, index: usize, of: &Type, user: usize) -> bool {
        if !self.written[user] {
            return true;
        }
        let Some(operation) = self.operation(user) else { return true };
        let inputs: Vec<usize> = self.case.sequence.inputs_of(user).collect();
        inputs.iter().enumerate().filter(|&(_, input)| *input == index).all(|(slot, _)| {
            let asked = if operation.kind == OperationKind::Array {
                operation.inputs.first()
            } else {
                operation.inputs.get(slot)
            };
            let assignable = asked.is_some_and(|asked| self.context.types.is_assignable(of, asked));
            let inherits = || match of {
                Type::Class(class) => self
                    .context
                    .types
                    .overloads(class, &operation.name, operation.descriptor.parameters.len())
                    .iter()
                    .any(|method| method.descriptor == operation.descriptor),
                _ => false,
            };
            assignable || (slot == 0 && operation.kind == OperationKind::InstanceMethod && inherits())
        })
    }

    pub(super) fn variable_base(&self, index: usize, of: &Type) -> String {
        let is_value = of.class_name().is_some_and(is_platform_value);
        let parameter = self.parameter_of(index).filter(|name| {
            // An amount that is a price and a limit is called neither.
            !is_value || self.parameters_of(index).all(|other| other == *name)
        });
        base_name(self.operation(index), of, parameter)
    }

    /// The first parameter that takes the value of a statement.
    fn parameter_of(&self, index: usize) -> Option<&str> {
        self.parameters_of(index).next()
    }

    /// The parameters that take the value of a statement.
    fn parameters_of(&self, index: usize) -> impl Iterator<Item = &str> {
        (index + 1..=self.last).filter(|&user| self.written[user]).flat_map(move |user| {
            let operation = self.operation(user);
            let inputs = self.case.sequence.inputs_of(user).enumerate().filter(move |(_, input)| *input == index);
            inputs.filter_map(move |(slot, _)| {
                let operation = operation?;
                let slot = slot.checked_sub(usize::from(operation.has_receiver()))?;
                operation.parameter_names.get(slot).map(|name| &**name)
            })
        })
    }
}

/// The expression with `<>` for the type arguments of a new object that a variable of the type has too (JLS §15.9).
fn with_diamond(expression: &str, type_text: &str, source_level: u8) -> String {
    let arguments = type_text.find('<').map(|begin| &type_text[begin..]);
    let short = arguments.filter(|arguments| !arguments.contains('?')).and_then(|arguments| {
        let rest = expression.strip_prefix("new ")?;
        let name = &rest[..rest.find('<')?];
        let call = rest[name.len()..].strip_prefix(arguments)?;
        // Before Java 8 arguments alone say what it stands for.
        let is_said = source_level >= 8 || call == "()";
        (is_said && call.starts_with('(') && !call.contains('\n')).then(|| format!("new {name}<>{call}"))
    });
    short.unwrap_or_else(|| expression.to_string())
}
