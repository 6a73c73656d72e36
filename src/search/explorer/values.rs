//! Values to call methods with: a small list of each type, and those that users write.

use super::given::unquoted;
use model::jvm::{ClassName, JavaString, Literal, Primitive, Type};
use model::sequence::{Operation, OperationId, OperationKind, Sequence};
use program::Program;
use std::collections::BTreeMap;

/// Constants of the class beside the values that every class is tried with.
const MOST_CONSTANTS: usize = 2;
/// Longer texts are not tried.
const LONGEST_TEXT: usize = 20;
/// Objects of a type that has no literals.
const MOST_OBJECTS: usize = 3;
/// How deep calls that make an argument are nested in one another.
const DEPTH: usize = 2;
/// Values of a range.
const LONGEST_RANGE: i64 = 10_000;

/// Makes values; each is a sequence that ends with the statement which makes it.
pub(super) struct Values<'a> {
    program: &'a Program,
    /// The package that tests of the class are in.
    package: String,
    constants: &'a [(Literal, u32)],
    given: BTreeMap<Type, Vec<Sequence>>,
}

impl<'a> Values<'a> {
    pub(super) fn new(program: &'a Program, class: &ClassName) -> Values<'a> {
        let target = program.targets.iter().find(|target| target.name == *class);
        let constants = target.map_or(&[][..], |target| &target.constants);
        Values { program, package: class.package(), constants, given: BTreeMap::new() }
    }

    /// From now on these are the values of the type.
    pub(super) fn give(&mut self, of: Type, values: Vec<Sequence>) {
        self.given.insert(of, values);
    }

    /// At least one value of the type, null if there is no other.
    pub(super) fn of(&self, of: &Type) -> Vec<Sequence> {
        self.nested(of, DEPTH).unwrap_or_else(|| vec![literal(Literal::Null(of.clone()))])
    }

    fn nested(&self, of: &Type, depth: usize) -> Option<Vec<Sequence>> {
        if let Some(given) = self.given.get(of) {
            return Some(given.clone());
        }
        let literals = self.literals(of);
        if !literals.is_empty() {
            return Some(literals.into_iter().map(literal).collect());
        }
        let objects = match of {
            Type::Array(element) => self.arrays(of, element, depth.checked_sub(1)?),
            _ => self.objects(of, depth),
        };
        (!objects.is_empty()).then_some(objects)
    }

    /// What every class is tried with, then constants of this one; nothing for a type that no text or number fits.
    fn literals(&self, of: &Type) -> Vec<Literal> {
        let text = |text: &str| Literal::String(text.into());
        let mut found: Vec<Literal> = match of {
            Type::Primitive(Primitive::Boolean) => return vec![Literal::Boolean(false), Literal::Boolean(true)],
            Type::Primitive(Primitive::Char) => vec![Literal::Char(u16::from(b'a')), Literal::Char(u16::from(b' '))],
            Type::Primitive(primitive) => [0, 1, -1].iter().filter_map(|&value| number(*primitive, value)).collect(),
            of if of.class_name().is_some_and(|name| name.internal() == "java/lang/Class") => {
                let literals = [Type::object(), Type::string()].map(Literal::Class).into_iter();
                let fits = |literal: &Literal| self.program.types.is_assignable(&literal.literal_type(), of);
                return literals.filter(fits).take(1).collect();
            }
            _ if self.is_text(of) => vec![text(""), text("a")],
            _ => return Vec::new(),
        };
        let is_like = |constant: &Literal| match (constant, &found[0]) {
            (Literal::String(text), Literal::String(_)) => text.units().len() <= LONGEST_TEXT,
            (constant, first) => std::mem::discriminant(constant) == std::mem::discriminant(first),
        };
        let constants = self.constants.iter().map(|(constant, _)| constant);
        let constants = constants.filter(|constant| is_like(constant) && !found.contains(constant));
        let constants: Vec<Literal> = constants.take(MOST_CONSTANTS).cloned().collect();
        found.extend(constants);
        found
    }

    /// Whether a string is a value of the type.
    fn is_text(&self, of: &Type) -> bool {
        self.program.types.is_assignable(&Type::string(), of)
    }

    /// An array without elements, and one with some.
    fn arrays(&self, of: &Type, element: &Type, depth: usize) -> Vec<Sequence> {
        let Some(&operation) = self.program.arrays.get(of) else { return Vec::new() };
        let mut elements = self.nested(element, depth).unwrap_or_default();
        elements.truncate(MOST_OBJECTS);
        let mut found = vec![made(operation, &[])];
        if !elements.is_empty() {
            found.push(made(operation, &elements));
        }
        found
    }

    /// Objects of the type by operations that take the least; of those that take more only where these make less than two.
    fn objects(&self, of: &Type, depth: usize) -> Vec<Sequence> {
        let mut found = Vec::new();
        let mut least = 0;
        for id in self.makers(of) {
            let inputs = &self.program.operations[id.0 as usize].inputs;
            if inputs.len() > least && found.len() > 1 {
                break;
            }
            least = inputs.len();
            let values: Option<Vec<Vec<Sequence>>> = match depth.checked_sub(1) {
                Some(depth) => inputs.iter().map(|input| self.nested(input, depth)).collect(),
                None => inputs.is_empty().then(Vec::new),
            };
            // One input varies, the others have their first value.
            let Some(values) = values else { continue };
            let most = values.iter().map(Vec::len).max().unwrap_or(1);
            for at in 0..most {
                if found.len() == MOST_OBJECTS {
                    return found;
                }
                let arguments: Vec<Sequence> = values.iter().map(|of| of[at.min(of.len() - 1)].clone()).collect();
                found.push(made(id, &arguments));
            }
        }
        found
    }

    /// Operations that make a value of the type and need no object for it, those that take the least first.
    fn makers(&self, of: &Type) -> Vec<OperationId> {
        use OperationKind::{Constructor, GetStatic, StaticMethod};
        let ids = (0..self.program.operations.len() as u32).map(OperationId);
        let makes = |id: &OperationId| {
            let operation = &self.program.operations[id.0 as usize];
            let output = operation.output.as_ref();
            matches!(operation.kind, Constructor | StaticMethod | GetStatic)
                && !(operation.internal || operation.deprecated)
                && output.is_some_and(|output| self.program.types.is_assignable(output, of))
                && self.program.package_of(*id).is_none_or(|package| package == self.package)
        };
        let mut found: Vec<OperationId> = ids.filter(makes).collect();
        found.sort_by_key(|id| self.program.operations[id.0 as usize].inputs.len());
        found
    }

    /// The value that a text stands for, or the values of a range; `None` if it is none of the type.
    pub(super) fn read(&self, text: &str, of: &Type) -> Option<Vec<Sequence>> {
        let one = |value: Literal| Some(vec![literal(value)]);
        match of {
            Type::Primitive(primitive) => Some(read_primitive(text, *primitive)?.into_iter().map(literal).collect()),
            _ if text == "null" => one(Literal::Null(of.clone())),
            _ if text == "new" => self
                .call_of(of, |operation| operation.kind == OperationKind::Constructor && operation.inputs.is_empty()),
            _ => {
                let quoted = unquoted(text, '"').filter(|_| self.is_text(of));
                let bare = || of.is_string().then(|| text.to_string());
                if let Some(text) = quoted.or_else(bare) {
                    return one(Literal::String(JavaString::from(&*text)));
                }
                let constant =
                    |operation: &Operation| operation.kind == OperationKind::GetStatic && &*operation.name == text;
                self.call_of(of, constant).or_else(|| self.boxed(text, of))
            }
        }
    }

    /// By the operation that makes a value of the type and is the one.
    fn call_of(&self, of: &Type, is_wanted: impl Fn(&Operation) -> bool) -> Option<Vec<Sequence>> {
        let makers = self.makers(of);
        let found = makers.into_iter().find(|id| is_wanted(&self.program.operations[id.0 as usize]))?;
        Some(vec![made(found, &[])])
    }

    /// A boxed primitive, of the first type that the text is of, where that is a value of the type.
    fn boxed(&self, text: &str, of: &Type) -> Option<Vec<Sequence>> {
        let makers = self.makers(of);
        let boxes = |primitive: Primitive| {
            let boxes = |id: &OperationId| {
                let operation = &self.program.operations[id.0 as usize];
                operation.owner == primitive.wrapper()
                    && &*operation.name == "valueOf"
                    && operation.inputs == [Type::Primitive(primitive)]
            };
            let operation = makers.iter().copied().find(boxes)?;
            let values = read_primitive(text, primitive)?;
            Some(values.into_iter().map(|value| made(operation, &[literal(value)])).collect())
        };
        use Primitive::{Boolean, Byte, Char, Double, Float, Int, Long, Short};
        [Boolean, Int, Long, Double, Char, Byte, Short, Float].into_iter().find_map(boxes)
    }
}

fn literal(literal: Literal) -> Sequence {
    let mut sequence = Sequence::new();
    sequence.push_literal(literal);
    sequence
}

/// A call of the operation with the arguments.
fn made(operation: OperationId, arguments: &[Sequence]) -> Sequence {
    let mut sequence = Sequence::new();
    let inputs: Vec<usize> = arguments.iter().map(|argument| sequence.append(argument) + argument.len() - 1).collect();
    sequence.push_call(operation, &inputs);
    sequence
}

/// A number of the type; `None` if it has none such.
fn number(primitive: Primitive, value: i64) -> Option<Literal> {
    Some(match primitive {
        Primitive::Boolean => return None,
        Primitive::Byte => Literal::Byte(value.try_into().ok()?),
        Primitive::Char => Literal::Char(value.try_into().ok()?),
        Primitive::Short => Literal::Short(value.try_into().ok()?),
        Primitive::Int => Literal::Int(value.try_into().ok()?),
        Primitive::Long => Literal::Long(value),
        Primitive::Float => Literal::float(value as f32),
        Primitive::Double => Literal::double(value as f64),
    })
}

/// One value, or those of a range.
fn read_primitive(text: &str, primitive: Primitive) -> Option<Vec<Literal>> {
    let one = |value: Literal| Some(vec![value]);
    match primitive {
        Primitive::Boolean => one(Literal::Boolean(text.parse().ok()?)),
        Primitive::Float => one(Literal::float(text.trim_end_matches(['f', 'F']).parse().ok()?)),
        Primitive::Double => one(Literal::double(text.parse().ok()?)),
        _ => {
            let whole = |text: &str| read_whole(text.trim(), primitive);
            let (first, last) = match text.split_once("..") {
                Some((first, last)) => (whole(first)?, whole(last)?),
                None => (whole(text)?, whole(text)?),
            };
            let is_range = first <= last && last.checked_sub(first)? < LONGEST_RANGE;
            is_range.then(|| (first..=last).map(|value| number(primitive, value)).collect())?
        }
    }
}

/// A whole number, or a character's.
fn read_whole(text: &str, primitive: Primitive) -> Option<i64> {
    if primitive == Primitive::Char {
        let text = unquoted(text, '\'').unwrap_or_else(|| text.to_string());
        let mut units = text.encode_utf16();
        return units.next().filter(|_| units.next().is_none()).map(i64::from);
    }
    let digits = if primitive == Primitive::Long { text.trim_end_matches(['l', 'L']) } else { text };
    digits.parse().ok()
}
