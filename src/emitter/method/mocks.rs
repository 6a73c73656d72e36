//! Collaborators as mocks of Mockito's: what they are told to answer are the calls that they got, and what is verified are
//! those that tell them something.

use super::{ClassContext, Paragraph, TestCase, Writer};
use crate::call::{JavaExpression, Shape};
use crate::literal::literal_text;
use crate::value_text::{differs_between_runs, value_text};
use model::execution::described::Described;
use model::execution::{MOCK_CALLS, MockArgument, MockCall, Observed, Value};
use model::jvm::{ClassName, Literal, Primitive, Type};
use model::sequence::{Answer, Implemented, Operation, OperationKind, REFLECTION_TEST_UTILS, Recording};
use std::collections::{BTreeMap, BTreeSet};

/// So many calls of one method with different arguments are told one by one what to answer.
const TOLD_APART: usize = 3;

/// Whether the arguments of a call have a matcher among them, such as `any()` or `anyString()`.
fn matches_any(arguments: &str) -> bool {
    arguments.split(|letter: char| !letter.is_ascii_alphanumeric()).any(|word| word.starts_with("any"))
}

/// The mock, made before the end, whose calls are noted in the list that the statement makes.
pub(crate) fn mock_of_list(case: &TestCase, list: usize, end: usize, context: &ClassContext<'_>) -> Option<usize> {
    (list + 1..end).find(|&user| {
        let operation = context.operation(case, user).filter(|operation| operation.mock);
        let slot = operation.and_then(|operation| Recording::list_of(&operation.implemented));
        slot.is_some_and(|slot| case.sequence.inputs_of(user).nth(slot as usize) == Some(list))
    })
}

impl Writer<'_, '_> {
    /// Whether the statement makes a mock.
    pub(super) fn is_mock(&self, index: usize) -> bool {
        self.operation(index).is_some_and(|operation| operation.mock)
    }

    /// The mock whose calls are noted in the list that the statement makes.
    fn mock_of_list(&self, list: usize) -> Option<usize> {
        mock_of_list(self.case, list, self.last + 1, self.context)
    }

    /// Whether the statement makes a list that a mock stands for.
    pub(super) fn is_list_of_mock(&self, index: usize) -> bool {
        self.mock_of_list(index).is_some()
    }

    /// Whether nothing takes what the statement makes but mocks that do without it, and what is made for these; of statements
    /// whose users are chosen already.
    pub(super) fn is_for_mocks_alone(&self, index: usize) -> bool {
        let mut users = (index + 1..=self.last)
            .filter(|&user| self.case.sequence.inputs_of(user).any(|input| input == index))
            .peekable();
        users.peek().is_some()
            && self.uses[index] == 0
            && self.checks[index].is_none()
            && !self.is_thrower(index)
            && users.all(|user| self.is_mock(user) || !self.written[user] && self.output(user).is_some())
    }

    /// The mock whose calls the statement looks at.
    pub(super) fn verified_mock(&self, index: usize) -> Option<usize> {
        let is_look = self.operation(index).is_some_and(|operation| operation.kind == OperationKind::Cast);
        self.case.sequence.inputs_of(index).next().filter(|_| is_look).and_then(|list| self.mock_of_list(list))
    }

    /// The statements whose values a statement needs: of a mock those that it was asked for, of a look at calls the mock.
    pub(super) fn needed_inputs(&self, index: usize) -> Vec<usize> {
        let inputs: Vec<usize> = self.case.sequence.inputs_of(index).collect();
        if self.operation(index).is_some_and(|operation| !operation.injected.is_empty()) && !self.is_injected(index) {
            let own = self.operation(index).map_or(0, Operation::own_inputs);
            return inputs.into_iter().take(own).collect();
        }
        let Some(operation) = self.operation(index).filter(|operation| operation.mock) else {
            return self.verified_mock(index).map_or(inputs, |mock| vec![mock]);
        };
        let answered =
            self.answered(index).into_iter().filter_map(|method| match operation.implemented[method].answer {
                Answer::Input(input) | Answer::Thrown(input) => inputs.get(input as usize).copied(),
                _ => None,
            });
        answered.collect()
    }

    /// The methods of the mock that were called and whose answers source says, in their order.
    fn answered(&self, mock: usize) -> Vec<usize> {
        let Some(operation) = self.operation(mock) else { return Vec::new() };
        let is_said = |method: &usize| {
            self.case.execution.mock_calls.iter().any(|it| it.statement == mock && it.method == *method)
        };
        let answers = |method: &usize| match operation.implemented[*method].answer {
            Answer::Default | Answer::Held(_) | Answer::Throws => false,
            // So a mock answers by itself.
            Answer::Input(input) => {
                let input = self.case.sequence.inputs_of(mock).nth(input as usize);
                let is_null = |input| matches!(self.case.execution.values.get(input), Some(Value::Null));
                let returns = operation.implemented[*method].descriptor.returns.as_ref();
                !(input.is_some_and(is_null) && returns.is_some_and(is_null_by_itself))
            }
            Answer::Parameter(_) | Answer::Thrown(_) => true,
        };
        (0..operation.implemented.len()).filter(answers).filter(is_said).collect()
    }

    /// Written statements whose objects are arguments of calls that source names: of those that a mock answers if they were made
    /// before it, of those that are verified in any case.
    pub(super) fn arguments_of_mocks(&self) -> BTreeSet<usize> {
        let is_verified = |mock: usize| {
            (mock + 1..=self.last).any(|at| self.checks[at].is_some() && self.verified_mock(at) == Some(mock))
        };
        let mocks = (0..=self.last).filter(|&at| self.written[at] && self.is_mock(at));
        let arguments = mocks.flat_map(|mock| {
            let (answered, verified) = (self.answered(mock), is_verified(mock));
            let is_recorded = move |method: usize| {
                let operation = self.operation(mock);
                verified && operation.is_some_and(|operation| operation.implemented[method].recording.is_some())
            };
            let calls = self.case.execution.mock_calls.iter().filter(move |call| call.statement == mock);
            calls.flat_map(move |call| {
                let (is_told, is_shown) = (answered.contains(&call.method), is_recorded(call.method));
                let named = call.arguments.iter().filter(|argument| !is_known_value(&argument.value));
                let made = named.filter_map(|argument| argument.statement);
                made.filter(move |&made| is_shown || is_told && made < mock)
            })
        });
        arguments.filter(|&made| self.written[made] && !self.is_mock(made)).collect()
    }

    /// Writes a statement that makes a mock or sets fields, or what mocks were told; whether it is one.
    pub(super) fn write_collaboration(&mut self, index: usize) -> Result<bool, String> {
        if self.is_mock(index) {
            self.write_mock(index)?;
        } else if self.is_injected(index) {
            self.write_injected(index)?;
        } else if let Some(mock) = self.verified_mock(index) {
            self.write_verification(index, mock)?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// Writes the statement that makes a mock, and what it answers.
    pub(super) fn write_mock(&mut self, index: usize) -> Result<(), String> {
        let operation = self.operation(index).ok_or("an operation that is not in the table")?.clone();
        let output = operation.output.clone().ok_or("a mock without a type")?;
        let class = self.names.class_literal(&output.erased())?;
        let text = format!("{}({class})", self.names.mockito("mock"));
        // The literal says no type arguments, so a variable has to.
        let is_generic = matches!(output, Type::Parameterized(_));
        if is_generic {
            self.names.note_unchecked();
        }
        let answered = self.answered(index);
        let is_verified =
            (index + 1..=self.last).any(|at| self.checks[at].is_some() && self.verified_mock(at) == Some(index));
        if answered.is_empty() && !is_verified && !is_generic && self.uses[index] == 1 {
            self.expressions[index] = Some(JavaExpression::simple(text, output, Shape::Plain));
            return Ok(());
        }
        let in_place = self.answers_in_place(index, &operation, &answered)?;
        self.pending.retain(|pending| !in_place.contains(pending));
        self.declare_all_but_new(index)?;
        let part = self.part_of(index);
        let variable = self.declare(index, &output, part, &text)?;
        self.expressions[index] = Some(JavaExpression::simple(variable.clone(), output, Shape::Plain));
        for method in answered {
            for line in self.answer_lines(index, &operation, method, &variable)? {
                self.parts.push((part, line));
            }
        }
        Ok(())
    }

    /// The pending values that are written where the mock is told to answer them: each once, and none that asks a mock, which
    /// Mockito does not allow there.
    fn answers_in_place(
        &mut self,
        mock: usize,
        operation: &Operation,
        answered: &[usize],
    ) -> Result<Vec<usize>, String> {
        let mut found = Vec::new();
        for &method in answered {
            let implemented = &operation.implemented[method];
            let (Answer::Input(input) | Answer::Thrown(input)) = implemented.answer else { continue };
            let made = self.case.sequence.inputs_of(mock).nth(input as usize).ok_or("an input is missing")?;
            if self.pending.contains(&made) && self.asks_nothing(made) {
                let calls = self.calls_of(mock, method);
                if self.patterns(operation, implemented, &calls)?.len() == 1 {
                    found.push(made);
                }
            }
        }
        Ok(found)
    }

    /// Declares the pending values but for those that may as well be made after the collaborator which the statement makes: it does
    /// not take them, and nobody has asked it yet.
    pub(super) fn declare_all_but_new(&mut self, index: usize) -> Result<(), String> {
        let is_later = |pending: &usize| {
            self.asks_nothing(*pending) && !self.case.sequence.inputs_of(index).any(|input| input == *pending)
        };
        let (later, now): (Vec<usize>, Vec<usize>) = self.pending.iter().partition(|pending| is_later(pending));
        self.pending = now;
        self.declare_pending(0)?;
        self.pending = later;
        Ok(())
    }

    /// Whether the expression of the value is made of literals, variables, new objects and values of the platform.
    fn asks_nothing(&self, index: usize) -> bool {
        let is_variable = |made: &JavaExpression| model::jvm::types::is_java_identifier(&made.text);
        if self.expressions[index].as_ref().is_some_and(is_variable) {
            return true;
        }
        let is_plain = self.operation(index).is_none_or(|operation| match operation.kind {
            OperationKind::Constructor => operation.injected.is_empty(),
            OperationKind::StaticMethod | OperationKind::GetStatic => operation.owner.internal().starts_with("java/"),
            OperationKind::Array => true,
            _ => false,
        });
        is_plain && self.case.sequence.inputs_of(index).all(|input| self.asks_nothing(input))
    }

    /// What the mock is told to answer to the calls of one method.
    fn answer_lines(
        &mut self,
        mock: usize,
        operation: &Operation,
        method: usize,
        variable: &str,
    ) -> Result<Vec<String>, String> {
        let implemented = &operation.implemented[method];
        self.declare_throws_of_mock(operation, implemented);
        let calls: Vec<MockCall> = self.calls_of(mock, method);
        let mut lines = Vec::new();
        for arguments in self.patterns(operation, implemented, &calls)? {
            let called = format!("{}({})", implemented.name, arguments.text);
            if let Answer::Thrown(input) = implemented.answer {
                let input = self.case.sequence.inputs_of(mock).nth(input as usize).ok_or("an input is missing")?;
                let thrown = self.expressions[input].clone().ok_or("an exception that no statement makes")?.text;
                lines.push(match implemented.descriptor.returns {
                    Some(_) => format!("{}({variable}.{called}).thenThrow({thrown});", self.names.mockito("when")),
                    None => format!("{}({thrown}).when({variable}).{called};", self.names.mockito("doThrow")),
                });
                continue;
            }
            let answer = match implemented.answer {
                Answer::Input(input) => {
                    let input = self.case.sequence.inputs_of(mock).nth(input as usize).ok_or("an input is missing")?;
                    let held = self.expressions[input].clone().ok_or("a value that no statement makes")?;
                    let returns = implemented.descriptor.returns.as_ref().filter(|of| !of.is_primitive());
                    let fits =
                        |of: &Type| held.shape == Shape::Null || self.names.types.is_assignable(&held.static_type, of);
                    match returns.filter(|of| !implemented.generic && !fits(of)) {
                        Some(of) => format!("thenReturn(({}) {})", self.names.type_name(of)?, held.text),
                        None => format!("thenReturn({})", held.text),
                    }
                }
                Answer::Parameter(at) => match arguments.variables.get(at as usize).cloned().flatten() {
                    Some(argument) => format!("thenReturn({argument})"),
                    None if at == 0 => format!("thenAnswer({}())", self.names.mockito_answer("returnsFirstArg")),
                    None => format!("thenAnswer({}({at}))", self.names.mockito_answer("returnsArgAt")),
                },
                _ => return Err("a mock's method without an answer".to_string()),
            };
            lines.push(format!("{}({variable}.{called}).{answer};", self.names.mockito("when")));
        }
        Ok(lines)
    }

    /// The inputs that the expression of an operation takes: fields are set by statements of their own.
    pub(super) fn own_inputs(&self, operation: &Operation) -> usize {
        if operation.injected.is_empty() { usize::MAX } else { operation.own_inputs() }
    }

    /// Whether the statement makes an object whose fields are set before anything uses it.
    pub(super) fn is_injected(&self, index: usize) -> bool {
        self.uses[index] > 0
            && !self.is_thrower(index)
            && self.operation(index).is_some_and(|operation| !operation.injected.is_empty())
    }

    /// Writes the statement that makes an object, and those that set its fields as a container does.
    pub(super) fn write_injected(&mut self, index: usize) -> Result<(), String> {
        self.declare_pending(0)?;
        let operation = self.operation(index).ok_or("an operation that is not in the table")?.clone();
        let output = self.output(index).ok_or("a constructor without an object")?;
        let expression = self.expression(index)?;
        self.declare_throws(index);
        let of = self.declared_type(index, &output)?;
        let part = self.part_of(index);
        let variable = self.declare(index, &of, part, &expression.text)?;
        let fields: Vec<usize> = self.case.sequence.inputs_of(index).skip(operation.own_inputs()).collect();
        for (field, input) in operation.injected.iter().zip(fields) {
            let value = self.expressions[input].clone().ok_or("a value that no statement makes")?;
            if value.shape == Shape::Null {
                continue;
            }
            let line = match field.is_open {
                true => format!("{variable}.{} = {};", field.name, value.text),
                false => {
                    let class = self.names.class_name(&ClassName::new(REFLECTION_TEST_UTILS))?;
                    format!("{class}.setField({variable}, \"{}\", {});", field.name, value.text)
                }
            };
            self.parts.push((part, line));
        }
        self.expressions[index] = Some(JavaExpression::simple(variable, of, Shape::Plain));
        Ok(())
    }

    /// The calls of one method of the mock, in order.
    fn calls_of(&self, mock: usize, method: usize) -> Vec<MockCall> {
        let calls = self.case.execution.mock_calls.iter();
        calls.filter(|call| call.statement == mock && call.method == method).cloned().collect()
    }

    /// The arguments of the calls as source writes them: each list of arguments once, where all are known and few; else one list
    /// with matchers.
    fn patterns(
        &mut self,
        operation: &Operation,
        method: &Implemented,
        calls: &[MockCall],
    ) -> Result<Vec<Arguments>, String> {
        let mut known: Vec<Arguments> = Vec::new();
        let mut is_known = true;
        for call in calls {
            let taken = call.arguments.iter().zip(&method.descriptor.parameters);
            let texts: Vec<Option<String>> =
                taken.map(|(argument, of)| self.argument_text(argument, of)).collect::<Result<_, _>>()?;
            let Some(all) = texts.iter().cloned().collect::<Option<Vec<String>>>() else {
                is_known = false;
                break;
            };
            let text = all.join(", ");
            if !known.iter().any(|other| other.text == text) {
                let variables = call.arguments.iter().zip(&all);
                let variables = variables.map(|(argument, text)| argument.statement.map(|_| text.clone())).collect();
                known.push(Arguments { text, variables });
            }
        }
        if is_known && known.len() <= TOLD_APART {
            return Ok(known);
        }
        let first = calls.first().ok_or("a mock's method that was not called")?;
        let same = |at: usize| calls.iter().all(|call| call.arguments[at] == first.arguments[at]);
        let mut texts = Vec::new();
        for (at, argument) in first.arguments.iter().enumerate() {
            let of = &method.descriptor.parameters[at];
            let exact = if same(at) { self.argument_text(argument, of)? } else { None };
            texts.push(match exact {
                Some(text) if text != "null" => format!("{}({text})", self.names.mockito_matcher("eq")),
                _ => self.any_text(operation, method, at, calls)?,
            });
        }
        Ok(vec![Arguments { variables: vec![None; texts.len()], text: texts.join(", ") }])
    }

    /// The argument as source writes it where the type is taken; `None` where source does not know it, or has another one in the next
    /// run.
    fn argument_text(&mut self, argument: &MockArgument, of: &Type) -> Result<Option<String>, String> {
        if let Some(made) = argument.statement {
            let expression = self.expressions.get(made).cloned().flatten();
            let fits = |made: &JavaExpression| {
                self.names.types.is_assignable(&made.static_type, of) && !is_empty_collection(&argument.value)
            };
            let expression = expression.filter(fits);
            let variable = expression.map(|made| made.text).filter(|text| model::jvm::types::is_java_identifier(text));
            if variable.is_some() || !is_known_value(&argument.value) {
                return Ok(variable);
            }
        }
        match &argument.value {
            Value::Literal(Literal::String(text)) if differs_between_runs(text) => Ok(None),
            Value::Literal(literal) => literal_text(literal, self.names).map(Some),
            Value::Null => Ok(Some("null".to_string())),
            Value::Object { observed: Observed::Value(content), .. } if content.can_be_made() => {
                Ok(value_text(content, self.context.style.source_level, self.names).ok())
            }
            Value::Object { .. } | Value::Void => Ok(None),
        }
    }

    /// A matcher that takes any argument.
    fn any_text(
        &mut self,
        operation: &Operation,
        method: &Implemented,
        at: usize,
        calls: &[MockCall],
    ) -> Result<String, String> {
        let arity = method.descriptor.parameters.len();
        let of = &method.descriptor.parameters[at];
        let may_be_null = calls.iter().any(|call| call.arguments[at].value == Value::Null);
        let is_overloaded = self.context.types.overloads(&operation.owner, &method.name, arity).len() > 1;
        Ok(match of {
            Type::Primitive(primitive) => {
                let matcher = match primitive {
                    Primitive::Boolean => "anyBoolean",
                    Primitive::Byte => "anyByte",
                    Primitive::Char => "anyChar",
                    Primitive::Short => "anyShort",
                    Primitive::Int => "anyInt",
                    Primitive::Long => "anyLong",
                    Primitive::Float => "anyFloat",
                    Primitive::Double => "anyDouble",
                };
                format!("{}()", self.names.mockito_matcher(matcher))
            }
            of if of.is_string() && !may_be_null => format!("{}()", self.names.mockito_matcher("anyString")),
            of if is_overloaded && !may_be_null => {
                format!("{}({})", self.names.mockito_matcher("any"), self.names.class_literal(of)?)
            }
            _ => format!("{}()", self.names.mockito_matcher("any")),
        })
    }

    /// Asserts what the mock was told, in place of the content of a list.
    pub(super) fn write_verification(&mut self, index: usize, mock: usize) -> Result<(), String> {
        let operation = self.operation(mock).ok_or("an operation that is not in the table")?.clone();
        let variable = self.expressions[mock].as_ref().ok_or("a mock that no statement makes")?.text.clone();
        let mut lines: Vec<String> = Vec::new();
        let verify = |names: &mut crate::names::Names<'_>| names.mockito("verify");
        let told = (0..operation.implemented.len()).filter(|&at| operation.implemented[at].recording.is_some());
        let told: Vec<usize> = told.collect();
        // In the order in which they were made; equal ones once, with their number.
        let mut counts: Vec<(usize, String, usize)> = Vec::new();
        let calls: Vec<MockCall> =
            self.case.execution.mock_calls.iter().filter(|call| call.statement == mock).cloned().collect();
        for call in calls.iter().filter(|call| told.contains(&call.method)) {
            let method = &operation.implemented[call.method];
            let pattern = self.patterns(&operation, method, std::slice::from_ref(call))?;
            let text = pattern.first().map(|arguments| arguments.text.clone()).unwrap_or_default();
            match counts.iter_mut().find(|(at, known, _)| *at == call.method && *known == text) {
                Some((_, _, count)) => *count += 1,
                None => counts.push((call.method, text, 1)),
            }
        }
        if calls.is_empty() {
            lines.push(format!("{}({variable});", self.names.mockito("verifyNoInteractions")));
        }
        let by_method: BTreeMap<usize, usize> = counts.iter().fold(BTreeMap::new(), |mut all, (at, ..)| {
            *all.entry(*at).or_default() += 1;
            all
        });
        for (at, text, count) in &counts {
            let method = &operation.implemented[*at];
            self.declare_throws_of_mock(&operation, method);
            // What matches several calls is not to count them.
            let is_one_of_several = by_method[at] > 1 && counts.iter().any(|it| it.0 == *at && matches_any(&it.1));
            let times = match count {
                _ if is_one_of_several || calls.len() >= MOCK_CALLS => {
                    format!(", {}()", self.names.mockito("atLeastOnce"))
                }
                1 => String::new(),
                count => format!(", {}({count})", self.names.mockito("times")),
            };
            lines.push(format!("{}({variable}{times}).{}({text});", verify(self.names), method.name));
        }
        // Of more calls than are noted, none is known not to have been made.
        let is_known = !calls.is_empty() && calls.len() < MOCK_CALLS;
        for &at in told.iter().filter(|at| is_known && !by_method.contains_key(at)) {
            let method = &operation.implemented[at];
            self.declare_throws_of_mock(&operation, method);
            let mut matchers = Vec::new();
            for parameter in 0..method.descriptor.parameters.len() {
                matchers.push(self.any_text(&operation, method, parameter, &[])?);
            }
            let never = self.names.mockito("never");
            let verify = verify(self.names);
            lines.push(format!("{verify}({variable}, {never}()).{}({});", method.name, matchers.join(", ")));
        }
        for line in lines {
            self.assertions += 1;
            self.push_check(index, Paragraph::Assert, line);
        }
        Ok(())
    }

    /// A call that tells a mock what to answer is a call of the method, with its checked exceptions.
    fn declare_throws_of_mock(&mut self, operation: &Operation, method: &Implemented) {
        let overloads =
            self.context.types.overloads(&operation.owner, &method.name, method.descriptor.parameters.len());
        let is_it = |linked: &model::jvm::MethodDescriptor| method.linked.contains(linked);
        let exceptions: Vec<ClassName> =
            overloads.iter().filter(|it| is_it(&it.descriptor)).flat_map(|it| it.exceptions.clone()).collect();
        self.declare_exceptions(&exceptions);
    }
}

/// Arguments as source writes them.
struct Arguments {
    /// Separated by commas.
    text: String,
    /// Which of them are variables of the test.
    variables: Vec<Option<String>>,
}

/// Whether it is an empty collection or map: one object may be that of all element types, as `List.of()` is.
fn is_empty_collection(value: &Value) -> bool {
    let Value::Object { observed: Observed::Value(content), .. } = value else { return false };
    match content {
        Described::Elements(_, elements) => elements.is_empty(),
        Described::Map(entries) => entries.is_empty(),
        _ => false,
    }
}

/// Whether source writes an equal object that no call changes, such as a date.
fn is_known_value(value: &Value) -> bool {
    matches!(value, Value::Object { observed: Observed::Value(content), .. } if content.can_be_made() && !content.is_mutable())
}

/// Whether a mock that is told nothing returns null where the type is declared.
fn is_null_by_itself(of: &Type) -> bool {
    let Some(class) = of.class_name() else { return !of.is_primitive() };
    let name = class.internal();
    let is_value = model::jvm::types::unboxed(class).is_some();
    let is_empty = name.starts_with("java/util/") || name == "java/lang/Iterable";
    !is_value && !is_empty && !matches!(name, "java/time/Duration" | "java/time/Period")
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::execution::described::ElementsKind;

    #[test]
    fn empty_list_may_be_that_of_any_type() {
        let list = |elements| Value::Object {
            class: Type::class("java/util/List"),
            observed: Observed::Value(Described::Elements(ElementsKind::List, elements)),
        };
        assert!(is_empty_collection(&list(Vec::new())));
        assert!(!is_empty_collection(&list(vec![Described::Null])));
        assert!(!is_empty_collection(&Value::Null));
    }
}
