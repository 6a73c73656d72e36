//! Expressions: the call of a statement with what it takes, as far as that may be written in place.

use super::{COLUMNS, Writer};
use crate::call::{JavaExpression, Shape, call_text, has_overload, is_of_exact_type, result_is_inferred};
use crate::fixture::directory_text;
use crate::implementation::{implementation_text, local_class_text};
use crate::layout::wrapped;
use crate::variables::is_platform_value;
use model::jvm::generics::{GenericMethod, GenericType};
use model::jvm::types::{access, unboxed};
use model::jvm::{Type, TypeArgument};
use model::sequence::{Answer, Implemented, Operation, OperationKind, TEMPORARY_FILES};

/// Calls are nested in arguments of others at most so deep.
const NESTING_SHOWN: usize = 2;

/// What a local class is called.
const LOCAL_CLASS: &str = "Annotated";

/// The text of a call.
pub(super) struct Expression {
    pub text: String,
    pub nesting: usize,
    /// It is of the static type that a variable for it would have.
    pub exact: bool,
    /// Other calls are part of it, so that it matters when it is evaluated.
    pub calls: bool,
}

impl Writer<'_, '_> {
    /// A cast to a type that the input has anyway, or to a class whose methods are called that it inherits from the
    /// input's type.
    pub(super) fn is_unneeded_cast(&self, index: usize) -> bool {
        let Some(operation) = self.operation(index).filter(|operation| operation.kind == OperationKind::Cast) else {
            return false;
        };
        let input = self.case.sequence.inputs_of(index).next().and_then(|input| self.expressions[input].as_ref());
        let types = input.zip(operation.output.as_ref());
        !self.is_thrower(index)
            && types.is_some_and(|(input, to)| {
                self.context.types.is_assignable(&input.static_type, to)
                    || (input.shape != Shape::Null && self.serves_as_receiver(index, &input.static_type))
            })
    }

    /// Whether statement `index` is a receiver only of calls of methods that the type has too, and is given otherwise only to methods
    /// that take the type as well.
    fn serves_as_receiver(&self, index: usize, of: &Type) -> bool {
        let Some(class) = of.class_name() else { return false };
        let is_method_of = |operation: &Operation| {
            let arity = operation.descriptor.parameters.len();
            self.context.types.overloads(class, &operation.name, arity).iter().any(|method| {
                method.descriptor == operation.descriptor
                    && method.exceptions == operation.exceptions
                    && method.access & (access::PUBLIC | access::STATIC) == access::PUBLIC
            })
        };
        let users = || (index + 1..=self.last).filter(|&user| self.written[user]);
        let slots = |user: usize| {
            let inputs = self.case.sequence.inputs_of(user).enumerate();
            inputs.filter(move |(_, input)| *input == index).map(move |(slot, _)| (user, slot))
        };
        users().flat_map(slots).all(|(user, slot)| {
            let Some(call) = self.operation(user).filter(|operation| operation.kind == OperationKind::InstanceMethod)
            else {
                return false;
            };
            let arity = call.descriptor.parameters.len();
            let takes = |taken: &Type| self.context.types.is_assignable(of, taken);
            match slot {
                0 => is_method_of(call),
                slot => {
                    self.context.types.overloads(&call.owner, &call.name, arity).len() == 1
                        && call.inputs.get(slot).is_some_and(takes)
                }
            }
        })
    }

    /// Uses the input's expression in place of the cast; the assertion of its value, if there is one that belongs at the end.
    pub(super) fn leave_out_cast(&mut self, index: usize) -> Result<Option<String>, String> {
        let Some(input) = self.case.sequence.inputs_of(index).next() else { return Ok(None) };
        if let Some(at) = self.pending.iter().position(|pending| *pending == input) {
            if self.uses[index] == 1 {
                self.pending[at] = index;
                self.holder = if self.holder == input { index } else { self.holder };
            } else {
                self.declare_pending(self.pending.len() - at - 1)?;
            }
        }
        self.expressions[index] = self.expressions[input].clone();
        let (Some(check), Some(shown)) = (self.checks[index].clone(), self.expressions[index].clone()) else {
            return Ok(None);
        };
        self.assertions += 1;
        let statement = check.statement(&shown.text, &shown.static_type, self.context.style, self.names)?;
        Ok(Some(statement + ";"))
    }

    /// A new object of an anonymous class, or of a local one that is declared before.
    fn implementation(
        &mut self,
        operation: &Operation,
        expressions: &[JavaExpression],
        index: usize,
    ) -> Result<String, String> {
        if operation.declared.annotations.is_empty() {
            return implementation_text(operation, expressions, self.context.style.has_lambdas(), self.names);
        }
        let name = self.variables.add(LOCAL_CLASS, self.names);
        self.names.reserve(&name);
        let declaration = local_class_text(&name, operation, expressions, self.names)?;
        self.parts.push((self.part_of(index), declaration));
        Ok(format!("new {name}()"))
    }

    /// What makes a file in the directory of the test, by the name that it has in the worker, or the directory.
    fn file_text(&mut self, index: usize, operation: &Operation, inputs: &[JavaExpression]) -> Result<String, String> {
        let style = self.context.style;
        if !style.has_directories {
            return Err("JUnit on the class path makes no directories".to_string());
        }
        self.names.use_directory();
        let directory = directory_text(style);
        let is_before = |other: &usize| {
            self.operation(*other).is_some_and(|other| other.owner == operation.owner && other.name == operation.name)
        };
        let named = |stem: &str| match (0..index).filter(is_before).count() {
            0 => format!("{directory}.resolve(\"{stem}.txt\")"),
            before => format!("{directory}.resolve(\"{stem}{}.txt\")", before + 1),
        };
        let given = match (&*operation.name, inputs) {
            ("directory", _) => return Ok(directory),
            ("missing", _) => return Ok(named("new")),
            (_, [given]) if given.shape == Shape::Plain => &given.text,
            _ => return Err("a file without a text".to_string()),
        };
        let path = named("input");
        let files = self.names.platform_name("java.nio.file", "Files");
        let is_read = &*operation.name == "read";
        if style.source_level >= 11 {
            let call = if is_read { format!("readString({given})") } else { format!("writeString({path}, {given})") };
            return Ok(format!("{files}.{call}"));
        }
        let utf_8 = format!("{}.UTF_8", self.names.platform_name("java.nio.charset", "StandardCharsets"));
        Ok(match is_read {
            true => format!("new {}({files}.readAllBytes({given}), {utf_8})", self.names.java_lang("String")),
            false => format!("{files}.write({path}, {given}.getBytes({utf_8}))"),
        })
    }

    /// The expression of a statement. Pending values that it uses become part of it as far as the order of evaluation and the
    /// length of lines allow; the others, and those to be evaluated before them, become variables.
    pub(super) fn expression(&mut self, index: usize) -> Result<Expression, String> {
        let operation = self.operation(index).ok_or("an operation that is not in the table")?.clone();
        let inputs: Vec<usize> = self.case.sequence.inputs_of(index).take(self.own_inputs(&operation)).collect();
        if operation.kind == OperationKind::Implementation {
            self.declare_all_but_new(index)?;
        }
        loop {
            let mut expressions = Vec::new();
            for &input in &inputs {
                expressions.push(self.expressions[input].clone().ok_or("a value that no statement makes")?);
            }
            if operation.kind == OperationKind::Implementation {
                let text = self.implementation(&operation, &expressions, index)?;
                return Ok(Expression { text, nesting: 0, exact: false, calls: true });
            }
            let taken = self.taken_last(&inputs);
            let first_left = self.pending.len() - taken;
            let left = self.pending[..first_left].iter().rposition(|pending| inputs.contains(pending));
            if let Some(left) = left {
                self.declare_pending(self.pending.len() - left - 1)?;
                continue;
            }
            let text = match operation.owner.internal() == TEMPORARY_FILES {
                true => self.file_text(index, &operation, &expressions)?,
                false => call_text(&operation, &expressions, self.names)?,
            };
            let receivers = usize::from(operation.has_receiver());
            let of_receiver = expressions.iter().take(receivers).map(|expression| expression.nesting);
            let pending = &self.pending[first_left..];
            let of_arguments = inputs.iter().zip(&expressions).skip(receivers);
            let of_arguments =
                of_arguments.filter(|(input, _)| pending.contains(input)).map(|(_, expression)| expression.nesting + 1);
            let nesting = of_receiver.chain(of_arguments).max().unwrap_or(0);
            if taken > 0 && (nesting > NESTING_SHOWN || !self.is_short(index, &text)) {
                self.declare_pending(taken - 1)?;
                continue;
            }
            if self.pending[first_left..].contains(&self.holder) {
                self.holder = index;
            }
            self.pending.truncate(first_left);
            let exact = is_of_exact_type(&operation, &expressions, self.context.types);
            return Ok(Expression { text, nesting, exact, calls: taken > 0 });
        }
    }

    /// How many of the last pending values occur in the same order among the inputs.
    fn taken_last(&self, inputs: &[usize]) -> usize {
        let mut rest = inputs;
        let is_next = |pending: &&usize| {
            let found = rest.iter().rposition(|input| input == *pending);
            rest = &rest[..found.unwrap_or(0)];
            found.is_some()
        };
        self.pending.iter().rev().take_while(is_next).count()
    }

    /// Whether two lines suffice for the expression of a statement and what stands around it.
    fn is_short(&self, index: usize, expression: &str) -> bool {
        let line = match (&self.checks[index], self.output(index)) {
            (Some(_), _) if self.uses[index] == 0 => format!("assertEquals(0, {expression});"),
            (_, Some(output)) if self.uses[index] > 0 => {
                let type_length = match &output {
                    Type::Primitive(_) | Type::Array(_) => "boolean".len(),
                    of => of
                        .to_string()
                        .split(['<', ','])
                        .map(|name| name.len() - name.rfind('.').map_or(0, |dot| dot + 1))
                        .sum(),
                };
                let name_length = self.variable_base(index, &output).len();
                format!("{} {}2 = {expression};", "X".repeat(type_length), "x".repeat(name_length))
            }
            _ => format!("{expression};"),
        };
        let lines = wrapped(&line, COLUMNS);
        lines.len() <= 2 && lines.iter().all(|line| line.chars().count() <= COLUMNS)
    }

    /// What no call can tell when it was made stands where it is used: constants, and where there is one such place,
    /// short arrays, boxed values, casts, and objects of the platform made of literals.
    pub(super) fn is_constant(
        &self,
        index: usize,
        Expression { text: expression, exact, calls, .. }: &Expression,
    ) -> bool {
        let Some(operation) = self.operation(index).filter(|_| !calls) else { return false };
        if operation.is_enum_constant || (*exact && is_named_constant(operation) && expression.len() <= 40) {
            return true;
        }
        if self.is_captured(index) || expression.len() > 60 {
            return false;
        }
        if self.uses[index] <= 2
            && expression.len() <= 30
            && self.is_written_value(index)
            && !self.is_taken_twice_at_once(index)
        {
            return true;
        }
        if self.uses[index] != 1 {
            return false;
        }
        match operation.kind {
            OperationKind::Array | OperationKind::Cast => true,
            // `Integer.valueOf(3)`
            OperationKind::StaticMethod => &*operation.name == "valueOf" && unboxed(&operation.owner).is_some(),
            OperationKind::Constructor => self.is_made_of_literals(index),
            _ => false,
        }
    }

    /// Whether the expression may stand where its one user takes it although javac infers its type arguments: they do not
    /// matter to a method that is called on it, or, from Java 8 on, follow from the parameter that takes it (JLS §15.12.2.6).
    pub(super) fn is_typed_by_place(&self, index: usize) -> bool {
        let Some(maker) = self.operation(index).filter(|maker| maker.is_code()) else { return false };
        let made = maker.signature.as_deref().and_then(GenericMethod::parse).and_then(|made| made.output);
        if !matches!(made, Some(GenericType::Class(..))) {
            return false;
        }
        let of_platform = maker.owner.internal().starts_with("java/");
        let is_factory = of_platform && maker.kind == OperationKind::StaticMethod;
        let serves = |user: &Operation, slot: usize| {
            // `when(orders.findById(1L)).thenReturn(Optional.empty())`: what the method returns types it.
            if user.mock {
                let is_answer = |method: &&Implemented| method.answer == Answer::Input(slot as u32);
                let answering = user.implemented.iter().find(is_answer).filter(|method| !method.generic);
                let returns = answering.and_then(|method| method.descriptor.returns.as_ref());
                return is_factory && returns.is_some_and(|of| self.is_of_exact_arguments(of));
            }
            if user.kind == OperationKind::InstanceMethod && slot == 0 {
                return user.signature.is_none();
            }
            let may_infer = is_factory && !result_is_inferred(user) || !of_platform && self.takes_class(user, slot);
            user.is_code()
                && may_infer
                && self.context.style.has_lambdas()
                && !has_overload(user, &user.owner, self.context.types)
        };
        let serves_at = |user: usize| {
            let slot = self.case.sequence.inputs_of(user).position(|input| input == index)?;
            Some(self.operation(user).is_some_and(|operation| serves(operation, slot)))
        };
        (index + 1..=self.last).filter(|&user| self.written[user]).find_map(serves_at) == Some(true)
    }

    /// Whether all type arguments are types that a value can have, not wildcards or type variables; raw types say nothing.
    fn is_of_exact_arguments(&self, of: &Type) -> bool {
        match of {
            Type::Parameterized(of) => of.arguments.iter().all(|it| matches!(it, TypeArgument::Exact(_))),
            Type::Class(class) => !self.context.types.is_generic(class),
            _ => true,
        }
    }

    /// Whether the parameter for an input is declared to be of a class, not of a type variable.
    fn takes_class(&self, user: &Operation, slot: usize) -> bool {
        let Some(slot) = slot.checked_sub(usize::from(user.has_receiver())) else { return false };
        let generic = user.signature.as_deref().and_then(GenericMethod::parse);
        generic.is_some_and(|method| matches!(method.inputs.get(slot), Some(GenericType::Class(..))))
    }

    /// Methods of an implementation answer the value, who knows when and how often; a cast between may be left out.
    pub(super) fn is_captured(&self, index: usize) -> bool {
        let captures = |user: usize| match self.operation(user).map(|operation| operation.kind) {
            Some(OperationKind::Implementation) => true,
            Some(OperationKind::Cast) => self.is_captured(user),
            _ => false,
        };
        (index + 1..=self.last)
            .filter(|&user| self.written[user] && self.case.sequence.inputs_of(user).any(|input| input == index))
            .any(captures)
    }

    /// `new BigDecimal("5")`, `Duration.ofMinutes(1)`: a value of the platform made of literals.
    fn is_written_value(&self, index: usize) -> bool {
        let is_literal = |input: usize| self.case.sequence.literal_at(input).is_some();
        self.operation(index).is_some_and(|operation| {
            is_platform_value(&operation.owner)
                && matches!(operation.kind, OperationKind::Constructor | OperationKind::StaticMethod)
                && operation.output.as_ref().and_then(Type::class_name) == Some(&operation.owner)
                && self.case.sequence.inputs_of(index).len() > 0
                && self.case.sequence.inputs_of(index).all(is_literal)
        })
    }

    /// Whether one call takes the value as two of its inputs, which may be compared by identity.
    fn is_taken_twice_at_once(&self, index: usize) -> bool {
        let times = |user: usize| self.case.sequence.inputs_of(user).filter(|input| *input == index).count();
        (index + 1..=self.last).any(|user| times(user) > 1)
    }

    /// A new object of the platform: `new BufferedReader(new StringReader("a"))`.
    fn is_made_of_literals(&self, index: usize) -> bool {
        self.operation(index).is_none_or(|operation| {
            operation.kind == OperationKind::Constructor
                && operation.owner.internal().starts_with("java/")
                && self.uses[index] == 1
                && self.case.sequence.inputs_of(index).all(|input| self.is_made_of_literals(input))
        })
    }
}

/// A static field that by its name is final: `Locale.GERMANY`.
fn is_named_constant(operation: &Operation) -> bool {
    let is_capital = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    operation.kind == OperationKind::GetStatic && operation.name.bytes().all(is_capital)
}
