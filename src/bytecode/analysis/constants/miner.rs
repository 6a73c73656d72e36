//! Follows constants through one body.

use super::statics::Statics;
use crate::analysis::STRING_LIMIT;
use crate::analysis::fold;
use crate::analysis::interpret::{AbstractFrame, Domain, Evaluate, is_wide};
use crate::classfile::instruction::{
    Arithmetic, Condition, Conversion, Element, FieldAccess, InvokeKind, StackOperation,
};
use crate::classfile::{
    Body, CallSite, Constant, FieldMember, Instruction, Method, MethodMember, Step, Switch, constant_of_type,
};
use model::jvm::types::access;
use model::jvm::{JavaString, Literal, MethodDescriptor, Primitive, Type};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Marks in the recipe of a string concatenation: an argument, a constant (`StringConcatFactory`).
const ARGUMENT: u16 = 1;
const CONSTANT: u16 = 2;

/// What is known of a value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum MinedValue {
    /// A constant as the stack has it, where `boolean`, `byte`, `char` and `short` are `int`; and the step it is from.
    Known(Literal, usize),
    /// A string builder by the step that created it, with its text once it is initialized.
    Builder(usize, Option<Arc<[u16]>>),
    /// 0 or 1, and the steps they are from: what javac makes of a condition.
    Bit(usize, usize),
    /// A `char`, of which no more is known.
    Char,
    /// The hash of a string.
    Hash,
    Unknown,
}

/// How an int constant is used.
mod usage {
    pub(super) const NUMBER: u8 = 1;
    pub(super) const CHAR: u8 = 2;
    /// As an index, a boolean, the length of an array initializer, or in a switch or a comparison with zero: not useful as
    /// an argument.
    pub(super) const IGNORED: u8 = 4;
}

pub(super) struct Miner<'a> {
    body: &'a Body,
    statics: &'a Statics<'a>,
    descriptor: &'a MethodDescriptor,
    settled: bool,
    /// Constants and the steps they are from.
    found: Vec<(usize, Literal)>,
    /// How the ints of steps are used.
    uses: FxHashMap<usize, u8>,
    /// Static fields set, to what if that is known.
    pub(super) stored: Vec<(Arc<FieldMember>, Option<Literal>)>,
}

impl<'a> Miner<'a> {
    pub(super) fn new(body: &'a Body, statics: &'a Statics, descriptor: &'a MethodDescriptor) -> Miner<'a> {
        Miner {
            body,
            statics,
            descriptor,
            settled: false,
            found: Vec::new(),
            uses: FxHashMap::default(),
            stored: Vec::new(),
        }
    }

    /// All constants in the order of the code, each as what it is used for.
    pub(super) fn constants(&self) -> impl Iterator<Item = Literal> {
        self.found
            .iter()
            .flat_map(|(at, literal)| {
                let Literal::Int(value) = literal else { return [Some(literal.clone()), None] };
                let uses = self.uses.get(at).copied().unwrap_or(usage::NUMBER);
                let unit = u16::try_from(*value).ok().filter(|_| uses & usage::CHAR != 0);
                [(uses & usage::NUMBER != 0).then_some(Literal::Int(*value)), unit.map(Literal::Char)]
            })
            .flatten()
    }

    /// The value of a constant that step `at` makes.
    fn known(&mut self, at: usize, literal: Literal) -> MinedValue {
        if self.settled {
            self.found.push((at, literal.clone()));
        }
        MinedValue::Known(on_stack(literal), at)
    }

    fn uses(&mut self, value: &MinedValue, how: u8) {
        let from = match *value {
            MinedValue::Known(_, from) => [from, from],
            MinedValue::Bit(zero, one) => [zero, one],
            _ => return,
        };
        if self.settled {
            from.into_iter().for_each(|at| *self.uses.entry(at).or_default() |= how);
        }
    }

    fn uses_as(&mut self, value: &MinedValue, of: &Type) {
        self.uses(
            value,
            match of {
                Type::Primitive(Primitive::Boolean) => usage::IGNORED,
                Type::Primitive(Primitive::Char) => usage::CHAR,
                _ => usage::NUMBER,
            },
        );
    }

    fn call(
        &mut self,
        at: usize,
        method: &MethodMember,
        receiver: Option<&MinedValue>,
        operands: &[MinedValue],
        frame: &mut AbstractFrame<MinedValue>,
    ) -> MinedValue {
        let parameters = &method.descriptor.parameters;
        let arguments = &operands[operands.len() - parameters.len()..];
        let (owner, name) = (method.owner.internal(), &*method.name);
        let takes_unit = owner == "java/lang/String" && matches!(name, "indexOf" | "lastIndexOf");
        for (at, (argument, of)) in arguments.iter().zip(parameters).enumerate() {
            if takes_unit && at == 0 {
                self.uses(argument, usage::CHAR);
            } else {
                self.uses_as(argument, of);
            }
            escape(argument, frame);
        }
        if let Some(MinedValue::Builder(id, text)) = receiver {
            let text = match (name, arguments, parameters.as_slice()) {
                ("<init>", [], _) => Some(Arc::from([])),
                ("<init>", [MinedValue::Known(Literal::String(text), _)], _) => Some(Arc::from(text.units())),
                ("append", [MinedValue::Known(literal, _)], [of]) => text.as_ref().and_then(|text| {
                    let joined = [&**text, &fold::text_of(literal, of)?].concat();
                    (joined.len() <= STRING_LIMIT).then(|| Arc::from(joined))
                }),
                ("toString", [], _) => {
                    let literal = text.as_ref().and_then(|text| fold::string(text));
                    return literal.map_or(MinedValue::Unknown, |literal| self.known(at, literal));
                }
                _ => None,
            };
            let builder = text.map_or(MinedValue::Unknown, |text| MinedValue::Builder(*id, Some(text)));
            replace_builder(frame, *id, &builder);
            return builder;
        }
        let literals: Option<Vec<Literal>> = arguments.iter().map(literal_of).collect();
        let folded = match (owner, name, receiver, literals.as_deref()) {
            ("java/lang/String", _, Some(MinedValue::Known(Literal::String(text), _)), Some(arguments)) => {
                fold::string_method(name, text.units(), arguments)
            }
            ("java/lang/String", "valueOf", None, Some([literal])) => {
                fold::text_of(literal, &parameters[0]).and_then(|units| fold::string(&units))
            }
            ("java/lang/Class", "forName", None, Some([Literal::String(name), ..]))
            // What compilers before Java 5 make of a class literal.
            | (_, "class$", None, Some([Literal::String(name), ..])) => class_called(name),
            _ => None,
        };
        match folded {
            Some(literal) => self.known(at, literal),
            None if owner == "java/lang/String" && name == "hashCode" => MinedValue::Hash,
            None => method.descriptor.returns.as_ref().map_or(MinedValue::Unknown, unknown),
        }
    }

    fn arithmetic(&mut self, at: usize, arithmetic: Arithmetic, operands: &[MinedValue]) -> MinedValue {
        let makes_char = arithmetic == Arithmetic::Convert(Conversion::IntToChar);
        let with_char = makes_char || operands.contains(&MinedValue::Char);
        operands.iter().for_each(|operand| {
            self.uses(operand, if with_char { usage::NUMBER | usage::CHAR } else { usage::NUMBER });
        });
        let literals: Option<Vec<Literal>> = operands.iter().map(literal_of).collect();
        match literals.and_then(|literals| fold::arithmetic(arithmetic, &literals)) {
            Some(literal) => self.known(at, literal),
            None if makes_char => MinedValue::Char,
            None => MinedValue::Unknown,
        }
    }

    /// The keys are constants of the type that is switched on.
    fn switch(&mut self, at: usize, switch: &Switch, operand: &MinedValue) {
        self.uses(operand, usage::IGNORED);
        for (key, _) in &switch.cases {
            match (operand, u16::try_from(*key)) {
                (MinedValue::Hash, _) => {}
                (MinedValue::Char, Ok(unit)) => drop(self.known(at, Literal::Char(unit))),
                _ => drop(self.known(at, Literal::Int(*key))),
            }
        }
    }

    fn field(
        &mut self,
        at: usize,
        access: FieldAccess,
        field: &Arc<FieldMember>,
        operands: &[MinedValue],
        frame: &mut AbstractFrame<MinedValue>,
    ) -> MinedValue {
        match access {
            FieldAccess::GetStatic => match self.statics.get(field).cloned() {
                // A static field with a known value stands for that constant. Booleans are not mined.
                Some(Literal::Boolean(_)) | None => unknown(&field.field_type),
                Some(literal) => self.known(at, literal),
            },
            FieldAccess::Get => unknown(&field.field_type),
            FieldAccess::PutStatic | FieldAccess::Put => {
                let value = operands.last().expect("a field is set to something");
                self.uses_as(value, &field.field_type);
                escape(value, frame);
                if access == FieldAccess::PutStatic && self.settled {
                    let literal = literal_of(value).and_then(|literal| constant_of_type(literal, &field.field_type));
                    self.stored.push((field.clone(), literal));
                }
                MinedValue::Unknown
            }
        }
    }

    /// `invokedynamic`: string concatenation, or labels of a switch over patterns.
    fn call_site(&mut self, at: usize, site: &CallSite, operands: &[MinedValue]) -> MinedValue {
        for (argument, of) in operands.iter().zip(&site.descriptor.parameters) {
            self.uses_as(argument, of);
        }
        if site.bootstrap.internal() != "java/lang/invoke/StringConcatFactory" {
            for literal in site.arguments.iter().flatten() {
                self.known(at, literal.clone());
            }
            return MinedValue::Unknown;
        }
        let mut constants = site.arguments.iter();
        let recipe = match constants.next() {
            Some(Some(Literal::String(recipe))) => recipe.units().to_vec(),
            _ => vec![ARGUMENT; operands.len()],
        };
        let mut arguments = operands.iter().zip(&site.descriptor.parameters);
        let mut whole = Some(Vec::new());
        let mut pieces = vec![Vec::new()];
        for unit in recipe {
            let (text, is_piece) = match unit {
                ARGUMENT => {
                    let argument = arguments.next().and_then(|(value, of)| fold::text_of(&literal_of(value)?, of));
                    pieces.push(Vec::new());
                    (argument, false)
                }
                CONSTANT => {
                    let constant = constants.next().cloned().flatten();
                    (constant.and_then(|literal| fold::text_of(&literal, &literal.literal_type())), true)
                }
                unit => (Some(vec![unit]), true),
            };
            if let (Some(text), true) = (&text, is_piece) {
                pieces.last_mut().expect("there is a piece").extend_from_slice(text);
            }
            whole = whole.zip(text).map(|(whole, text)| [whole, text].concat());
        }
        for piece in pieces.iter().filter(|piece| !piece.is_empty()) {
            if let Some(literal) = fold::string(piece) {
                self.known(at, literal);
            }
        }
        let whole = whole.and_then(|whole| fold::string(&whole));
        whole.map_or(MinedValue::Unknown, |literal| self.known(at, literal))
    }
}

impl Evaluate for Miner<'_> {
    type Value = MinedValue;

    fn evaluate(
        &mut self,
        at: usize,
        step: &Step,
        operands: &[MinedValue],
        frame: &mut AbstractFrame<MinedValue>,
    ) -> MinedValue {
        match &step.instruction {
            Instruction::Constant(Constant::Literal(literal)) => self.known(at, literal.clone()),
            Instruction::Increment { by, .. } => match operands[0] {
                MinedValue::Known(Literal::Int(value), _) => {
                    self.known(at, Literal::Int(value.wrapping_add(i32::from(*by))))
                }
                ref other => other.clone(),
            },
            Instruction::ArrayLoad(element) => {
                self.uses(&operands[1], usage::IGNORED);
                if *element == Element::Char { MinedValue::Char } else { MinedValue::Unknown }
            }
            Instruction::ArrayStore(element) => {
                self.uses(&operands[1], usage::IGNORED);
                self.uses(&operands[2], if *element == Element::Char { usage::CHAR } else { usage::NUMBER });
                escape(&operands[2], frame);
                MinedValue::Unknown
            }
            Instruction::Arithmetic(arithmetic) => self.arithmetic(at, *arithmetic, operands),
            Instruction::Branch { condition: Condition::Zero(_), .. } => {
                self.uses(&operands[0], usage::IGNORED);
                MinedValue::Unknown
            }
            Instruction::Compare(_) | Instruction::Branch { condition: Condition::Ints(_), .. } => {
                for (operand, other) in [(&operands[0], &operands[1]), (&operands[1], &operands[0])] {
                    self.uses(operand, if *other == MinedValue::Char { usage::CHAR } else { usage::NUMBER });
                }
                MinedValue::Unknown
            }
            Instruction::Switch(switch) => {
                self.switch(at, switch, &operands[0]);
                MinedValue::Unknown
            }
            Instruction::Return(Some(_)) => {
                let descriptor = self.descriptor;
                descriptor.returns.iter().for_each(|of| self.uses_as(&operands[0], of));
                MinedValue::Unknown
            }
            Instruction::Field { access, field } => self.field(at, *access, field, operands, frame),
            Instruction::Invoke { kind, method } => {
                let receiver = (*kind != InvokeKind::Static).then(|| &operands[0]);
                self.call(at, method, receiver, operands, frame)
            }
            Instruction::InvokeDynamic(site) => {
                operands.iter().for_each(|operand| escape(operand, frame));
                self.call_site(at, site, operands)
            }
            Instruction::New(Type::Class(name))
                if matches!(name.internal(), "java/lang/StringBuilder" | "java/lang/StringBuffer") =>
            {
                // In a loop, a builder from the previous iteration has the same id: forget it.
                replace_builder(frame, at, &MinedValue::Unknown);
                MinedValue::Builder(at, None)
            }
            Instruction::NewArray(_) => {
                let next = self.body.steps.get(at + 1).map(|next| &next.instruction);
                let is_listed = next == Some(&Instruction::Stack(StackOperation::Dup));
                self.uses(&operands[0], if is_listed { usage::IGNORED } else { usage::NUMBER });
                MinedValue::Unknown
            }
            Instruction::CheckCast(_) => operands[0].clone(),
            _ => {
                operands.iter().for_each(|operand| self.uses(operand, usage::NUMBER));
                MinedValue::Unknown
            }
        }
    }
}

impl Domain for Miner<'_> {
    fn join(&mut self, one: &MinedValue, other: &MinedValue) -> MinedValue {
        match (one, other) {
            (MinedValue::Known(a, first), MinedValue::Known(b, second)) if a == b => {
                MinedValue::Known(a.clone(), *first.min(second))
            }
            (MinedValue::Char, MinedValue::Known(Literal::Int(_), _))
            | (MinedValue::Known(Literal::Int(_), _), MinedValue::Char) => MinedValue::Char,
            (one, other) if one == other => one.clone(),
            (one, other) => match (bit(one), bit(other)) {
                (Some((zero, one)), Some((other_zero, other_one))) => {
                    MinedValue::Bit(zero.min(other_zero), one.min(other_one))
                }
                _ => MinedValue::Unknown,
            },
        }
    }

    fn caught(&mut self) -> MinedValue {
        MinedValue::Unknown
    }

    fn settled(&mut self) {
        self.settled = true;
    }
}

pub(super) fn entry_frame(method: &Method) -> AbstractFrame<MinedValue> {
    let receiver = (method.access & access::STATIC == 0).then_some(MinedValue::Unknown);
    AbstractFrame::at_entry(receiver, method.descriptor.parameters.iter().map(|of| (unknown(of), is_wide(of))))
}

fn unknown(of: &Type) -> MinedValue {
    if *of == Type::Primitive(Primitive::Char) { MinedValue::Char } else { MinedValue::Unknown }
}

/// The steps that made a value 0 and 1, if it is one of these; `usize::MAX` where there is none.
fn bit(value: &MinedValue) -> Option<(usize, usize)> {
    match *value {
        MinedValue::Known(Literal::Int(0), at) => Some((at, usize::MAX)),
        MinedValue::Known(Literal::Int(1), at) => Some((usize::MAX, at)),
        MinedValue::Bit(zero, one) => Some((zero, one)),
        _ => None,
    }
}

fn literal_of(value: &MinedValue) -> Option<Literal> {
    match value {
        MinedValue::Known(literal, _) => Some(literal.clone()),
        _ => None,
    }
}

/// What the stack has for a constant of a field's type.
fn on_stack(literal: Literal) -> Literal {
    match literal {
        Literal::Byte(value) => Literal::Int(value.into()),
        Literal::Char(value) => Literal::Int(value.into()),
        Literal::Short(value) => Literal::Int(value.into()),
        other => other,
    }
}

/// Forgets a builder that is passed to code which is not interpreted, because that code may change it.
fn escape(value: &MinedValue, frame: &mut AbstractFrame<MinedValue>) {
    if let MinedValue::Builder(id, _) = value {
        replace_builder(frame, *id, &MinedValue::Unknown);
    }
}

fn replace_builder(frame: &mut AbstractFrame<MinedValue>, id: usize, with: &MinedValue) {
    for value in frame.values_mut() {
        if matches!(value, MinedValue::Builder(known, _) if *known == id) {
            *value = with.clone();
        }
    }
}

/// The class of a name as `Class.forName` takes it.
fn class_called(name: &JavaString) -> Option<Literal> {
    let name = name.to_string().replace('.', "/");
    let is_name = !name.is_empty() && !name.contains([';', ' ']) || name.starts_with('[');
    Type::from_class_constant(&name).filter(|_| is_name).map(Literal::Class)
}
