//! The constants of classes, propagated and folded (GRT's constant mining, text 5 of the papers, §3.1).
//!
//! A constant that the code pushes counts where it is pushed, a computed one where it is computed, a static one where
//! it is read or declared. What only indexes arrays, is only a truth value, or is the hash behind a `switch` over
//! strings is left out: no argument was ever compared with it. An int that is used as a `char` is one. Beyond the paper, code
//! that has the platform parse a text gets one that it can parse.

use super::STRING_LIMIT;
use super::fold;
use super::interpret::{Domain, Evaluate, Frame, interpret, is_wide};
use crate::classfile::{
    Body, CallSite, ClassFile, Decoder, Field, FieldMember, Method, MethodMember, Operand, Step, constant_of_type,
    opcode,
};
use crate::jvm::types::access;
use crate::jvm::{ClassName, JavaString, Literal, MethodDescriptor, Primitive, Type};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Distinct constants kept of one class; a table of a generated parser has tens of thousands.
const CLASS_LIMIT: usize = 4_000;
/// How far constants follow static fields that are set from other static fields.
const STATIC_ROUNDS: usize = 3;
/// Marks in the recipe of a string concatenation: an argument, a constant (`StringConcatFactory`).
const ARGUMENT: u16 = 1;
const CONSTANT: u16 = 2;

/// The constants of each class in order of first occurrence, and how often each occurs.
pub fn mine(classes: &BTreeMap<ClassName, ClassFile>) -> BTreeMap<ClassName, Vec<(Literal, u32)>> {
    let statics = Statics::of(classes);
    let texts = texts_of_platform();
    let mut mined = BTreeMap::new();
    for (name, class) in classes {
        let mut tally = Tally::default();
        class.fields.iter().filter_map(|field| field.constant_value.clone()).for_each(|literal| tally.add(literal));
        let mut decoder = Decoder::new(class);
        for method in &class.methods {
            let Some(body) = method.code.as_ref().and_then(|code| decoder.body(code).ok()) else { continue };
            let mut miner = Miner::new(&body, &statics, &method.descriptor);
            match interpret(&body, entry_frame(method), &mut miner) {
                Some(()) => miner.constants().for_each(|literal| tally.add(literal)),
                None => pushed(&body).for_each(|literal| tally.add(literal)),
            }
            parsed(&body, &texts).for_each(|text| tally.add(text));
        }
        mined.insert(name.clone(), tally.literals);
    }
    mined
}

#[derive(Default)]
struct Tally {
    literals: Vec<(Literal, u32)>,
    index: FxHashMap<Literal, usize>,
}

impl Tally {
    fn add(&mut self, literal: Literal) {
        if matches!(&literal, Literal::String(text) if text.units().len() > STRING_LIMIT) {
            return;
        }
        if let Some(&at) = self.index.get(&literal) {
            self.literals[at].1 += 1;
        } else if self.literals.len() < CLASS_LIMIT {
            self.index.insert(literal.clone(), self.literals.len());
            self.literals.push((literal, 1));
        }
    }
}

/// The constants of a body that cannot be interpreted.
fn pushed(body: &Body) -> impl Iterator<Item = Literal> {
    body.steps.iter().flat_map(|step| match &step.operand {
        Operand::Constant(literal) => vec![literal.clone()],
        Operand::Switch { cases, .. } => cases.iter().map(|case| Literal::Int(case.0)).collect(),
        _ => Vec::new(),
    })
}

/// By class and member, the texts that a method of the platform can read.
type Texts = BTreeMap<(&'static str, &'static str), Vec<&'static str>>;

fn texts_of_platform() -> Texts {
    let mut texts = Texts::new();
    for line in include_str!("platform_texts.txt").lines().filter(|line| !line.starts_with('#')) {
        let mut parts = line.splitn(3, ' ');
        let mut part = || parts.next().expect("three parts in each line");
        texts.entry((part(), part())).or_default().push(part());
    }
    texts
}

/// Texts for the calls of a body that read one.
fn parsed<'a>(body: &'a Body, texts: &'a Texts) -> impl Iterator<Item = Literal> + 'a {
    let called = body.steps.iter().filter_map(|step| match &step.operand {
        Operand::Method(method) if method.descriptor.parameters.first() == Some(&Type::string()) => Some(method),
        _ => None,
    });
    let known = called.filter_map(|method| texts.get(&(method.owner.internal(), &*method.name)));
    known.flatten().map(|text| Literal::String((*text).into()))
}

/// A static field by the class that declares it.
type StaticField = (ClassName, Arc<str>);

/// Static fields that hold one constant from when their class is initialized.
struct Statics<'a> {
    classes: &'a BTreeMap<ClassName, ClassFile>,
    values: BTreeMap<StaticField, Literal>,
}

impl<'a> Statics<'a> {
    fn of(classes: &'a BTreeMap<ClassName, ClassFile>) -> Statics<'a> {
        let mut declared = BTreeMap::new();
        let mut setters = Vec::new();
        for class in classes.values() {
            for field in &class.fields {
                let constant = field.constant_value.iter();
                declared.extend(constant.map(|literal| ((class.name.clone(), field.name.clone()), literal.clone())));
            }
            let settable: BTreeSet<&str> =
                class.fields.iter().filter(|field| is_set_once(field)).map(|field| &*field.name).collect();
            if settable.is_empty() {
                continue;
            }
            let mut decoder = Decoder::new(class);
            for method in &class.methods {
                let Some(body) = method.code.as_ref().and_then(|code| decoder.body(code).ok()) else { continue };
                if body.steps.iter().any(|step| set_by(step).is_some_and(|field| settable.contains(&*field.name))) {
                    setters.push((class, method, body));
                }
            }
        }
        let mut statics = Statics { classes, values: declared.clone() };
        for _ in 0..STATIC_ROUNDS {
            let mut stored: BTreeMap<StaticField, Option<Literal>> = BTreeMap::new();
            for (class, method, body) in &setters {
                let mut miner = Miner::new(body, &statics, &method.descriptor);
                if interpret(body, entry_frame(method), &mut miner).is_none() {
                    miner.stored = body.steps.iter().filter_map(set_by).map(|field| (field, None)).collect();
                }
                for (field, literal) in miner.stored {
                    let set_once = class.fields.iter().any(|own| own.name == field.name && is_set_once(own));
                    if field.owner == class.name && set_once {
                        let known =
                            stored.entry((field.owner.clone(), field.name.clone())).or_insert_with(|| literal.clone());
                        if *known != literal {
                            *known = None;
                        }
                    }
                }
            }
            let mut values = declared.clone();
            values.extend(stored.into_iter().filter_map(|(field, literal)| Some((field, literal?))));
            if std::mem::replace(&mut statics.values, values) == statics.values {
                break;
            }
        }
        statics
    }

    /// What the field that an instruction names holds.
    fn get(&self, member: &FieldMember) -> Option<&Literal> {
        let declared = |class: &ClassName| self.values.get(&(class.clone(), member.name.clone()));
        let mut owner = Some(&member.owner);
        while let Some(class) = owner.and_then(|owner| self.classes.get(owner)) {
            let found = declared(&class.name).or_else(|| class.interfaces.iter().find_map(declared));
            if found.is_some() {
                return found;
            }
            owner = class.super_class.as_ref();
        }
        None
    }
}

/// Final, or where compilers before Java 5 keep a class literal.
fn is_set_once(field: &Field) -> bool {
    field.access & access::STATIC != 0
        && (field.access & access::FINAL != 0
            || (field.access & access::SYNTHETIC != 0 && field.field_type == Type::class("java/lang/Class")))
}

fn set_by(step: &Step) -> Option<Arc<FieldMember>> {
    match &step.operand {
        Operand::Field(field) if step.opcode == opcode::PUTSTATIC => Some(field.clone()),
        _ => None,
    }
}

/// What is known of a value.
#[derive(Clone, Debug, PartialEq)]
enum Value {
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
    /// In a way that no argument is worth.
    pub(super) const IGNORED: u8 = 4;
}

struct Miner<'a> {
    body: &'a Body,
    statics: &'a Statics<'a>,
    descriptor: &'a MethodDescriptor,
    settled: bool,
    /// Constants and the steps they are from.
    found: Vec<(usize, Literal)>,
    /// How the ints of steps are used.
    uses: FxHashMap<usize, u8>,
    /// Static fields set, to what if that is known.
    stored: Vec<(Arc<FieldMember>, Option<Literal>)>,
}

impl<'a> Miner<'a> {
    fn new(body: &'a Body, statics: &'a Statics, descriptor: &'a MethodDescriptor) -> Miner<'a> {
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
    fn constants(&self) -> impl Iterator<Item = Literal> {
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
    fn known(&mut self, at: usize, literal: Literal) -> Value {
        if self.settled {
            self.found.push((at, literal.clone()));
        }
        Value::Known(on_stack(literal), at)
    }

    fn uses(&mut self, value: &Value, how: u8) {
        let from = match *value {
            Value::Known(_, from) => [from, from],
            Value::Bit(zero, one) => [zero, one],
            _ => return,
        };
        if self.settled {
            from.into_iter().for_each(|at| *self.uses.entry(at).or_default() |= how);
        }
    }

    fn uses_as(&mut self, value: &Value, of: &Type) {
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
        step: &Step,
        method: &MethodMember,
        operands: &[Value],
        frame: &mut Frame<Value>,
    ) -> Value {
        let parameters = &method.descriptor.parameters;
        let arguments = &operands[operands.len() - parameters.len()..];
        let receiver = (step.opcode != opcode::INVOKESTATIC).then(|| &operands[0]);
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
        if let Some(Value::Builder(id, text)) = receiver {
            let text = match (name, arguments, parameters.as_slice()) {
                ("<init>", [], _) => Some(Arc::from([])),
                ("<init>", [Value::Known(Literal::String(text), _)], _) => Some(Arc::from(text.units())),
                ("append", [Value::Known(literal, _)], [of]) => text.as_ref().and_then(|text| {
                    let joined = [&**text, &fold::text_of(literal, of)?].concat();
                    (joined.len() <= STRING_LIMIT).then(|| Arc::from(joined))
                }),
                ("toString", [], _) => {
                    let literal = text.as_ref().and_then(|text| fold::string(text));
                    return literal.map_or(Value::Unknown, |literal| self.known(at, literal));
                }
                _ => None,
            };
            let builder = text.map_or(Value::Unknown, |text| Value::Builder(*id, Some(text)));
            replace_builder(frame, *id, &builder);
            return builder;
        }
        let literals: Option<Vec<Literal>> = arguments.iter().map(literal_of).collect();
        let folded = match (owner, name, receiver, literals.as_deref()) {
            ("java/lang/String", _, Some(Value::Known(Literal::String(text), _)), Some(arguments)) => {
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
            None if owner == "java/lang/String" && name == "hashCode" => Value::Hash,
            None => method.descriptor.returns.as_ref().map_or(Value::Unknown, unknown),
        }
    }

    /// `invokedynamic`: string concatenation, or labels of a switch over patterns.
    fn call_site(&mut self, at: usize, site: &CallSite, operands: &[Value]) -> Value {
        for (argument, of) in operands.iter().zip(&site.descriptor.parameters) {
            self.uses_as(argument, of);
        }
        if site.bootstrap.internal() != "java/lang/invoke/StringConcatFactory" {
            for literal in site.arguments.iter().flatten() {
                self.known(at, literal.clone());
            }
            return Value::Unknown;
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
        whole.map_or(Value::Unknown, |literal| self.known(at, literal))
    }
}

impl Evaluate for Miner<'_> {
    type Value = Value;

    fn evaluate(&mut self, at: usize, step: &Step, operands: &[Value], frame: &mut Frame<Value>) -> Value {
        use opcode::*;
        match (step.opcode, &step.operand) {
            (LDC, Operand::Constant(literal)) => self.known(at, literal.clone()),
            (IINC, Operand::Increment { by, .. }) => match operands[0] {
                Value::Known(Literal::Int(value), _) => self.known(at, Literal::Int(value.wrapping_add(*by))),
                ref other => other.clone(),
            },
            (IALOAD..ISTORE, _) => {
                self.uses(&operands[1], usage::IGNORED);
                if step.opcode == CALOAD { Value::Char } else { Value::Unknown }
            }
            (IASTORE..POP, _) => {
                self.uses(&operands[1], usage::IGNORED);
                self.uses(&operands[2], if step.opcode == CASTORE { usage::CHAR } else { usage::NUMBER });
                escape(&operands[2], frame);
                Value::Unknown
            }
            (IADD..LCMP, _) => {
                let with_char = step.opcode == I2C || operands.contains(&Value::Char);
                operands.iter().for_each(|operand| {
                    self.uses(operand, if with_char { usage::NUMBER | usage::CHAR } else { usage::NUMBER });
                });
                let literals: Option<Vec<Literal>> = operands.iter().map(literal_of).collect();
                match literals.and_then(|literals| fold::arithmetic(step.opcode, &literals)) {
                    Some(literal) => self.known(at, literal),
                    None if step.opcode == I2C => Value::Char,
                    None => Value::Unknown,
                }
            }
            (IFEQ..IF_ICMPEQ, _) => {
                self.uses(&operands[0], usage::IGNORED);
                Value::Unknown
            }
            (LCMP..IFEQ | IF_ICMPEQ..IF_ACMPEQ, _) => {
                for (operand, other) in [(&operands[0], &operands[1]), (&operands[1], &operands[0])] {
                    self.uses(operand, if *other == Value::Char { usage::CHAR } else { usage::NUMBER });
                }
                Value::Unknown
            }
            (_, Operand::Switch { cases, .. }) => {
                self.uses(&operands[0], usage::IGNORED);
                for (key, _) in cases {
                    match (&operands[0], u16::try_from(*key)) {
                        (Value::Hash, _) => {}
                        (Value::Char, Ok(unit)) => drop(self.known(at, Literal::Char(unit))),
                        _ => drop(self.known(at, Literal::Int(*key))),
                    }
                }
                Value::Unknown
            }
            (IRETURN..=ARETURN, _) => {
                let descriptor = self.descriptor;
                descriptor.returns.iter().for_each(|of| self.uses_as(&operands[0], of));
                Value::Unknown
            }
            (GETSTATIC, Operand::Field(field)) => match self.statics.get(field).cloned() {
                // As a constant of its own type: a truth value is none.
                Some(Literal::Boolean(_)) | None => unknown(&field.field_type),
                Some(literal) => self.known(at, literal),
            },
            (PUTSTATIC | PUTFIELD, Operand::Field(field)) => {
                let value = operands.last().expect("a field is set to something");
                self.uses_as(value, &field.field_type);
                escape(value, frame);
                if step.opcode == PUTSTATIC && self.settled {
                    let literal = literal_of(value).and_then(|literal| constant_of_type(literal, &field.field_type));
                    self.stored.push((field.clone(), literal));
                }
                Value::Unknown
            }
            (GETFIELD, Operand::Field(field)) => unknown(&field.field_type),
            (_, Operand::Method(method)) => self.call(at, step, method, operands, frame),
            (_, Operand::CallSite(site)) => {
                operands.iter().for_each(|operand| escape(operand, frame));
                self.call_site(at, site, operands)
            }
            (NEW, Operand::Type(Type::Class(name)))
                if matches!(name.internal(), "java/lang/StringBuilder" | "java/lang/StringBuffer") =>
            {
                // One of an earlier round of a loop would be taken for this one.
                replace_builder(frame, at, &Value::Unknown);
                Value::Builder(at, None)
            }
            (NEWARRAY | ANEWARRAY, _) => {
                let is_listed = self.body.steps.get(at + 1).is_some_and(|next| next.opcode == DUP);
                self.uses(&operands[0], if is_listed { usage::IGNORED } else { usage::NUMBER });
                Value::Unknown
            }
            (CHECKCAST, _) => operands[0].clone(),
            _ => {
                operands.iter().for_each(|operand| self.uses(operand, usage::NUMBER));
                Value::Unknown
            }
        }
    }
}

impl Domain for Miner<'_> {
    fn join(&mut self, one: &Value, other: &Value) -> Value {
        match (one, other) {
            (Value::Known(a, first), Value::Known(b, second)) if a == b => Value::Known(a.clone(), *first.min(second)),
            (Value::Char, Value::Known(Literal::Int(_), _)) | (Value::Known(Literal::Int(_), _), Value::Char) => {
                Value::Char
            }
            (one, other) if one == other => one.clone(),
            (one, other) => match (bit(one), bit(other)) {
                (Some((zero, one)), Some((other_zero, other_one))) => {
                    Value::Bit(zero.min(other_zero), one.min(other_one))
                }
                _ => Value::Unknown,
            },
        }
    }

    fn caught(&mut self) -> Value {
        Value::Unknown
    }

    fn settled(&mut self) {
        self.settled = true;
    }
}

fn entry_frame(method: &Method) -> Frame<Value> {
    let receiver = (method.access & access::STATIC == 0).then_some(Value::Unknown);
    Frame::at_entry(receiver, method.descriptor.parameters.iter().map(|of| (unknown(of), is_wide(of))))
}

fn unknown(of: &Type) -> Value {
    if *of == Type::Primitive(Primitive::Char) { Value::Char } else { Value::Unknown }
}

/// The steps that made a value 0 and 1, if it is one of these; `usize::MAX` where there is none.
fn bit(value: &Value) -> Option<(usize, usize)> {
    match *value {
        Value::Known(Literal::Int(0), at) => Some((at, usize::MAX)),
        Value::Known(Literal::Int(1), at) => Some((usize::MAX, at)),
        Value::Bit(zero, one) => Some((zero, one)),
        _ => None,
    }
}

fn literal_of(value: &Value) -> Option<Literal> {
    match value {
        Value::Known(literal, _) => Some(literal.clone()),
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

/// Code may change the builder that is not followed.
fn escape(value: &Value, frame: &mut Frame<Value>) {
    if let Value::Builder(id, _) = value {
        replace_builder(frame, *id, &Value::Unknown);
    }
}

fn replace_builder(frame: &mut Frame<Value>, id: usize, with: &Value) {
    for value in frame.values_mut() {
        if matches!(value, Value::Builder(known, _) if *known == id) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classfile::testing::{compile_and_parse, jdk_classes};
    use crate::classfile::{opcode::*, parse, writer::ClassWriter};

    /// The constants of class `C` with the members.
    fn mined(members: &str, options: &[&str]) -> Vec<(Literal, u32)> {
        let classes = compile_and_parse(&format!("class C {{ {members} }}"), options);
        mine(&classes).remove(&ClassName::new("C")).unwrap()
    }

    fn check(members: &str, expected: &[Literal]) {
        let found: Vec<Literal> = mined(members, &[]).into_iter().map(|(literal, _)| literal).collect();
        assert_eq!(found, expected, "{members}");
    }

    fn string(text: &str) -> Literal {
        Literal::String(text.into())
    }

    #[test]
    fn code_that_parses_a_text_gets_one() {
        check(
            "Object m(String name) throws Exception { return new java.net.URI(name); }",
            &[string("http://localhost:80/a/b.c?d=e#f")],
        );
        check("int m(byte number) { return Integer.valueOf(number); }", &[]);
    }

    #[test]
    fn arithmetic_of_constants_is_folded() {
        let [six, seven] = [6, 7].map(Literal::Int);
        check("int m() { int a = 6, b = 7; return a * b; }", &[six.clone(), seven, Literal::Int(42)]);
        check(
            "long m() { int a = 6; return (long) a << 40; }",
            &[six, Literal::Long(6), Literal::Int(40), Literal::Long(6 << 40)],
        );
        check("double m() { double a = 1.5; return -a; }", &[Literal::double(1.5), Literal::double(-1.5)]);
        check("int m() { int a = 6; a += 1; return a; }", &[Literal::Int(6), Literal::Int(7)]);
    }

    #[test]
    fn what_would_throw_is_not_folded() {
        check("int m() { int a = 6, b = 0; return a / b; }", &[6, 0].map(Literal::Int));
        check("int m() { String a = \"x\"; return a.substring(2).length(); }", &[string("x"), Literal::Int(2)]);
    }

    #[test]
    fn a_variable_that_a_loop_changes_is_not_constant() {
        check(
            "int m(int n) { int a = 6; while (n > 100) { a += n; n -= 9; } return a * 7; }",
            &[6, 100, 7].map(Literal::Int),
        );
        check("int m(boolean b) { int a; if (b) a = 6; else a = 8; return a + 20; }", &[6, 8, 20].map(Literal::Int));
        check(
            "int m(boolean b) { int a; if (b) a = 6; else a = 6; return a + 20; }",
            &[Literal::Int(6), Literal::Int(20), Literal::Int(26)],
        );
    }

    #[test]
    fn concatenation_is_folded_by_recipe_and_by_builder() {
        let source = "String m() { String a = \"--\"; int b = 4; return a + \"size=\" + b; }";
        for release in ["8", "17"] {
            let found: Vec<Literal> = mined(source, &["--release", release]).into_iter().map(|found| found.0).collect();
            assert!(found.contains(&string("--size=4")), "{found:?}");
            assert!(found.contains(&string("size=")), "{found:?}");
        }
    }

    #[test]
    fn a_builder_that_other_code_gets_is_not_followed() {
        let appended = |between: &str| {
            let source = format!(
                "void change(StringBuilder b) {{ b.append('!'); }}
                 String m() {{ StringBuilder b = new StringBuilder(\"a\"); {between} b.append(\"b\"); return b.toString(); }}"
            );
            mined(&source, &[]).contains(&(string("ab"), 1))
        };
        assert!(appended(""));
        assert!(!appended("change(b);") && !appended("if (b.length() > 7) b.append('x');"));
    }

    #[test]
    fn methods_of_constant_strings_are_folded() {
        check(
            "String m() { String a = \" Ab \"; return a.trim().toLowerCase(); }",
            &[string(" Ab "), string("Ab"), string("ab")],
        );
        check(
            "String m() { return \"ab\".concat(String.valueOf('c')).replace('a', 'x'); }",
            &[
                string("ab"),
                Literal::Char(99),
                string("c"),
                string("abc"),
                Literal::Char(97),
                Literal::Char(120),
                string("xbc"),
            ],
        );
    }

    #[test]
    fn keys_of_switches_are_constants_of_the_type_switched_on() {
        check(
            "boolean m(int a) { switch (a) { case 7: case 700: return true; default: return false; } }",
            &[7, 700].map(Literal::Int),
        );
        check(
            "boolean m(String a) { switch (a.charAt(3)) { case 'x': return true; default: return false; } }",
            &[Literal::Int(3), Literal::Char(120)],
        );
        let found = mined("int m(String a) { switch (a) { case \"on\": return 50; default: return 60; } }", &[]);
        let hashes = |literal: &Literal| matches!(literal, Literal::Int(value) if *value > 1_000);
        assert!(found.contains(&(string("on"), 1)) && !found.iter().any(|found| hashes(&found.0)), "{found:?}");
    }

    #[test]
    fn ints_used_as_chars_are_chars() {
        check("boolean m(String a) { return a.indexOf('=') > 300; }", &[Literal::Char(61), Literal::Int(300)]);
        check("boolean m(String a) { return a.charAt(0) == '-'; }", &[Literal::Int(0), Literal::Char(45)]);
        check("void m(char[] a, int i) { a[i] = ';'; }", &[Literal::Char(59)]);
        check("void p(char a) { p('#'); }", &[Literal::Char(35)]);
    }

    #[test]
    fn elements_of_arrays_are_constants_but_their_indices_are_not() {
        check("int[] m() { return new int[] {50, 60}; }", &[50, 60].map(Literal::Int));
        check("byte[] m() { return new byte[4096]; }", &[Literal::Int(4096)]);
    }

    #[test]
    fn truth_values_are_no_constants() {
        check("boolean b; void m() { b = true; n(false); } boolean n(boolean a) { return true; }", &[]);
    }

    #[test]
    fn static_fields_set_by_an_initializer_are_constants_where_they_are_read() {
        let source = "class A extends D { static final String KEY = make(); static final int SIZE = B.HALF * 2;
                static String make() { return null; } }
            class B { static final int HALF; static { int five = 5; HALF = five * 10; } static int changed = 7; }
            class D { static final Class<?> KIND = Number.class; }
            class C { Object m(int a, Object b) { return a == A.SIZE ? A.KEY : b == A.KIND ? b : B.changed; } }";
        let classes = compile_and_parse(source, &[]);
        let found = mine(&classes).remove(&ClassName::new("C")).unwrap();
        assert_eq!(found, [(Literal::Int(100), 1), (Literal::Class(Type::class("java/lang/Number")), 1)]);
    }

    #[test]
    fn class_literals_of_old_compilers_are_class_literals() {
        let mut writer = ClassWriter::new("C", "java/lang/Object", &[], 0x21, 48);
        let name = writer.pool.string(&"java.util.Date".into()).to_be_bytes();
        let called = writer.pool.method_ref("C", "class$", "(Ljava/lang/String;)Ljava/lang/Class;").to_be_bytes();
        let code = [LDC_W, name[0], name[1], INVOKESTATIC, called[0], called[1], ARETURN];
        writer.add_method(access::STATIC, "m", "()Ljava/lang/Class;", 1, 0, &code);
        let class = parse(&writer.finish().unwrap()).unwrap();
        let found = mine(&BTreeMap::from([(class.name.clone(), class)])).remove(&ClassName::new("C")).unwrap();
        assert_eq!(found, [(string("java.util.Date"), 1), (Literal::Class(Type::class("java/util/Date")), 1)]);
    }

    #[test]
    fn each_occurrence_counts() {
        let found =
            mined("static final int LIMIT = 99; boolean m(int a) { return a > 99 || a == -99 || a < -99; }", &[]);
        assert_eq!(found, [(Literal::Int(99), 2), (Literal::Int(-99), 2)]);
    }

    #[test]
    fn constants_of_a_body_with_a_subroutine_are_those_it_pushes() {
        let mut writer = ClassWriter::new("C", "java/lang/Object", &[], 0x21, 48);
        let code = [BIPUSH, 77, POP, JSR, 0, 4, RETURN, ASTORE, 1, RET, 1];
        writer.add_method(access::STATIC, "m", "()V", 1, 2, &code);
        let class = parse(&writer.finish().unwrap()).unwrap();
        let found = mine(&BTreeMap::from([(class.name.clone(), class)])).remove(&ClassName::new("C")).unwrap();
        assert_eq!(found, [(Literal::Int(77), 1)]);
    }

    #[test]
    fn almost_every_body_of_the_jdk_can_be_interpreted() {
        let Some(classes) = jdk_classes("java.logging") else { return };
        let (statics, mut bodies) = (BTreeMap::new(), 0);
        let statics = Statics { classes: &statics, values: BTreeMap::new() };
        for (name, bytes) in classes {
            let class = parse(&bytes).unwrap();
            let mut decoder = Decoder::new(&class);
            for method in &class.methods {
                let Some(code) = &method.code else { continue };
                let body = decoder.body(code).unwrap();
                bodies += 1;
                let mut miner = Miner::new(&body, &statics, &method.descriptor);
                assert!(interpret(&body, entry_frame(method), &mut miner).is_some(), "{name} {}", method.name);
            }
        }
        assert!(bodies > 500);
    }
}
