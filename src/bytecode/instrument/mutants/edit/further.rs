//! Mutators that are not among PIT's default ones.

use super::{Made, MethodShape, call, drop_value, empty, sibling, zero};
use crate::classfile::instruction::{
    Arithmetic, Bitwise, Condition, FieldAccess, Integral, InvokeKind, Kind, Number, StackOperation,
};
use crate::classfile::reader::{ConstantPool, MemberRef};
use crate::classfile::writer::PoolWriter;
use crate::classfile::{EncodedConstant, EncodedInstruction, EncodedLocal, EncodedMethod, Instruction};
use crate::instrument::class::FieldParts;
use crate::instrument::{Class, SUBSTITUTES};
use model::execution::mutant::Mutator;
use model::jvm::{JavaString, Literal, MethodDescriptor, Primitive, Type};

/// How the mutator changes the instruction; `None` if it does not.
pub(super) fn edit(
    mutator: Mutator,
    (instruction, pc): (&EncodedInstruction, usize),
    shape: &MethodShape,
    constants: &ConstantPool,
    pool: &mut PoolWriter,
) -> Option<Vec<Made>> {
    match (mutator, *instruction) {
        (Mutator::NonVoidMethodCalls, Instruction::Invoke { kind, method }) => {
            Call::read(kind, method, constants)?.with_default_result()
        }
        (Mutator::NakedReceiver, Instruction::Invoke { kind, method }) => {
            Call::read(kind, method, constants)?.with_receiver_as_result()
        }
        (Mutator::ArgumentPropagation, Instruction::Invoke { kind, method }) => {
            Call::read(kind, method, constants)?.with_argument_as_result()
        }
        (Mutator::LastArgument, Instruction::Invoke { kind, method }) => {
            Call::read(kind, method, constants)?.with_last_argument_as_result()
        }
        (Mutator::MemberVariable, Instruction::Field { access: FieldAccess::Put, field }) => {
            let member = constants.member(field).ok()?;
            let of = Type::parse(&member.descriptor)?;
            Some(vec![drop_value(Kind::of(&of)), drop_value(Kind::Reference)])
        }
        (Mutator::InlineConstants, Instruction::Constant(constant)) => next_constant(constant, constants, pool),
        (Mutator::TextConstant, Instruction::Constant(constant)) => shorter_text(constant, constants, pool),
        (Mutator::FirstOperand, Instruction::Arithmetic(Arithmetic::Binary(_, number))) => {
            Some(vec![drop_value(kind_of(number))])
        }
        (Mutator::SecondOperand, Instruction::Arithmetic(Arithmetic::Binary(_, number))) => {
            // Two wide values change places only with more room on the stack than the method may have.
            let moved = [StackOperation::Swap, StackOperation::Pop].map(Instruction::Stack);
            (!kind_of(number).is_wide()).then(|| moved.to_vec())
        }
        (Mutator::Rounding | Mutator::Truncation, Instruction::Field { access: FieldAccess::GetStatic, field }) => {
            let member = constants.member(field).ok()?;
            let other = match (mutator, member.class == ROUNDING_MODE) {
                (Mutator::Rounding, true) => other_rounding(&member.name)?,
                (Mutator::Truncation, true) => Some("DOWN").filter(|_| member.name.starts_with("HALF_"))?,
                _ => return None,
            };
            let field = pool.field_ref(ROUNDING_MODE, other, &member.descriptor);
            Some(vec![Instruction::Field { access: FieldAccess::GetStatic, field }])
        }
        (Mutator::WrongVariable, Instruction::Load { kind, local }) => {
            let local = shape.other_variable(local.index, pc)?;
            Some(vec![Instruction::Load { kind, local: EncodedLocal::wide(local) }])
        }
        (Mutator::TrueCalls, Instruction::Invoke { kind, method }) => {
            Call::read(kind, method, constants)?.with_true_as_result()
        }
        (Mutator::WrongField, Instruction::Field { access, field }) => {
            let other = other_field(&constants.member(field).ok()?, access, shape.class)?;
            let field = pool.field_ref(shape.class.name.internal(), &other.name, &other.descriptor);
            Some(vec![Instruction::Field { access, field }])
        }
        (Mutator::EmptyField, Instruction::Field { access: FieldAccess::Get, field }) => {
            empty_field(field, constants, pool)
        }
        (Mutator::EnumField, Instruction::Field { access: FieldAccess::Get, field }) => {
            let of = Type::parse(&constants.member(field).ok()?.descriptor)?;
            let class = of.class_name().filter(|class| shape.class.may_be_enum(class.internal()))?;
            let first = pool.method_ref(SUBSTITUTES, "firstConstant", "(Ljava/lang/Object;)Ljava/lang/Object;");
            let read = Instruction::Field { access: FieldAccess::Get, field };
            Some(vec![read, call(first), Instruction::CheckCast(pool.class(class.internal()))])
        }
        (Mutator::ForgottenCondition, Instruction::Branch { condition, .. }) => Some(match condition {
            Condition::Zero(_) => vec![drop_value(Kind::Int)],
            Condition::Ints(_) => vec![drop_value(Kind::Int); 2],
            Condition::Null | Condition::NonNull => vec![drop_value(Kind::Reference)],
            Condition::Same | Condition::NotSame => vec![drop_value(Kind::Reference); 2],
        }),
        (Mutator::TimeBoundary, Instruction::Invoke { kind, method }) => {
            other_side(kind, method, &constants.member(method.index).ok()?, pool)
        }
        (Mutator::SiblingCalls, Instruction::Invoke { kind, method }) => {
            sibling::edit(kind, method, &constants.member(method.index).ok()?, shape, pool)
        }
        _ => None,
    }
}

/// Reads the field, and takes an empty collection, map or optional instead of what it holds.
fn empty_field(field: u16, constants: &ConstantPool, pool: &mut PoolWriter) -> Option<Vec<Made>> {
    let of = Type::parse(&constants.member(field).ok()?.descriptor)?;
    let class = of.class_name().filter(|class| class.internal().starts_with("java/util/"))?;
    let read = Instruction::Field { access: FieldAccess::Get, field };
    if class.internal() == SET {
        let empty = call(pool.method_ref(SUBSTITUTES, "emptySet", "(Ljava/util/Set;)Ljava/util/Set;"));
        return Some(vec![read, empty]);
    }
    if CONTAINERS.contains(&class.internal()) {
        let empty = call(pool.method_ref(SUBSTITUTES, "emptied", "(Ljava/lang/Object;)Ljava/lang/Object;"));
        return Some(vec![read, empty, Instruction::CheckCast(pool.class(class.internal()))]);
    }
    Some([vec![drop_value(Kind::Reference)], empty(class.internal(), pool)?].concat())
}

/// The opposite question negated: both are false of equal times.
fn other_side(kind: InvokeKind, method: EncodedMethod, member: &MemberRef, pool: &mut PoolWriter) -> Option<Vec<Made>> {
    let is_time =
        member.class.starts_with("java/time/") || matches!(&*member.class, "java/util/Date" | "java/util/Calendar");
    let other = match &*member.name {
        "isAfter" => "isBefore",
        "isBefore" => "isAfter",
        "after" => "before",
        "before" => "after",
        _ => return None,
    };
    let index = match kind {
        _ if !is_time => return None,
        InvokeKind::Interface => pool.interface_method_ref(&member.class, other, &member.descriptor),
        _ => pool.method_ref(&member.class, other, &member.descriptor),
    };
    // The receiver and the argument leave room for the result and the constant.
    let method = EncodedMethod { index, ..method };
    Some(vec![
        Instruction::Invoke { kind, method },
        Instruction::Constant(EncodedConstant::Implicit(Number::Int, 1)),
        Instruction::Arithmetic(Arithmetic::Bitwise(Bitwise::Xor, Integral::Int)),
    ])
}

/// Types for which an immutable empty collection or map does not fit.
const CONTAINERS: [&str; 15] = [
    "java/util/ArrayDeque",
    "java/util/ArrayList",
    "java/util/Deque",
    "java/util/HashMap",
    "java/util/HashSet",
    "java/util/LinkedHashMap",
    "java/util/LinkedHashSet",
    "java/util/LinkedList",
    "java/util/NavigableMap",
    "java/util/NavigableSet",
    "java/util/Queue",
    "java/util/SortedMap",
    "java/util/SortedSet",
    "java/util/TreeMap",
    "java/util/TreeSet",
];

/// What an empty set is depends on the set: one of enum constants says of which enum it is.
const SET: &str = "java/util/Set";
const ROUNDING_MODE: &str = "java/math/RoundingMode";

/// The mode that people take by mistake.
fn other_rounding(mode: &str) -> Option<&'static str> {
    Some(match mode {
        "HALF_UP" => "HALF_EVEN",
        "HALF_EVEN" | "HALF_DOWN" | "FLOOR" => "HALF_UP",
        "UP" => "DOWN",
        "DOWN" => "UP",
        "CEILING" => "FLOOR",
        _ => return None,
    })
}

fn kind_of(number: Number) -> Kind {
    match number {
        Number::Int => Kind::Int,
        Number::Long => Kind::Long,
        Number::Float => Kind::Float,
        Number::Double => Kind::Double,
    }
}

/// The text without its last UTF-16 unit.
fn shorter_text(constant: EncodedConstant, constants: &ConstantPool, pool: &mut PoolWriter) -> Option<Vec<Made>> {
    let index = match constant {
        EncodedConstant::Pool(index) => u16::from(index),
        EncodedConstant::PoolWide(index) => index,
        _ => return None,
    };
    let Literal::String(text) = constants.literal(index).ok()?? else { return None };
    let (_, shorter) = text.units().split_last()?;
    let text = pool.string(&JavaString::from_units(shorter));
    Some(vec![Instruction::Constant(EncodedConstant::PoolWide(text))])
}

/// A call of a method with a result.
struct Call<'a> {
    member: MemberRef<'a>,
    parameters: Vec<Type>,
    returns: Type,
    has_receiver: bool,
}

impl<'a> Call<'a> {
    fn read(kind: InvokeKind, method: EncodedMethod, constants: &'a ConstantPool) -> Option<Call<'a>> {
        let member = constants.member(method.index).ok()?;
        let descriptor = MethodDescriptor::parse(&member.descriptor)?;
        let (parameters, returns) = (descriptor.parameters, descriptor.returns?);
        Some(Call { member, parameters, returns, has_receiver: kind != InvokeKind::Static })
    }

    fn drop_arguments(&self) -> impl Iterator<Item = Made> {
        self.parameters.iter().rev().map(|of| drop_value(Kind::of(of)))
    }

    fn is_of_receiver(&self) -> bool {
        self.has_receiver && self.returns.class_name().is_some_and(|class| *class.internal() == *self.member.class)
    }

    fn with_default_result(&self) -> Option<Vec<Made>> {
        // Without the call, boxes and texts are null at once, and chains are broken, which every test shows.
        let is_plain = self.member.class.starts_with("java/lang/") && !self.returns.is_primitive();
        if is_plain || self.is_of_receiver() {
            return None;
        }
        Some(self.replaced_by(match &self.returns {
            Type::Primitive(primitive) => zero(*primitive),
            _ => Instruction::Null,
        }))
    }

    fn replaced_by(&self, result: Made) -> Vec<Made> {
        let receiver = self.has_receiver.then(|| drop_value(Kind::Reference));
        self.drop_arguments().chain(receiver).chain([result]).collect()
    }

    fn with_true_as_result(&self) -> Option<Vec<Made>> {
        let is_boolean = self.returns == Type::Primitive(Primitive::Boolean);
        is_boolean.then(|| self.replaced_by(Instruction::Constant(EncodedConstant::Implicit(Number::Int, 1))))
    }

    fn with_receiver_as_result(&self) -> Option<Vec<Made>> {
        let made: Vec<Made> = self.drop_arguments().collect();
        // Two frames may not be in one place.
        self.is_of_receiver().then(|| if made.is_empty() { vec![Instruction::Nop] } else { made })
    }

    /// The first argument of a static method, or the only one of another method, where moving it takes little.
    fn with_argument_as_result(&self) -> Option<Vec<Made>> {
        let first = self.parameters.first().filter(|first| **first == self.returns)?;
        if !self.has_receiver {
            let others = self.parameters[1..].iter().rev().map(|of| drop_value(Kind::of(of)));
            let made: Vec<Made> = others.collect();
            // Two frames may not be in one place.
            return match made.is_empty() {
                true if keeps_value(&self.member) => None,
                true => Some(vec![Instruction::Nop]),
                false => Some(made),
            };
        }
        let is_alone = self.parameters.len() == 1 && !Kind::of(first).is_wide();
        is_alone.then(without_next_to_last)
    }

    /// The second of the two arguments of a static method, which are alike and of one slot each.
    fn with_last_argument_as_result(&self) -> Option<Vec<Made>> {
        let [first, last] = &self.parameters[..] else { return None };
        let are_alike = *first == self.returns && *last == self.returns && !Kind::of(last).is_wide();
        (are_alike && !self.has_receiver).then(without_next_to_last)
    }
}

/// Leaves the last of two values of one slot each.
fn without_next_to_last() -> Vec<Made> {
    [StackOperation::Swap, StackOperation::Pop].map(Instruction::Stack).to_vec()
}

/// Whether the static method checks the object that it is given, or makes a view of it: without it the same values show.
fn keeps_value(member: &MemberRef) -> bool {
    matches!(&*member.class, "java/util/Objects" | "java/util/Collections")
}

/// The number after this one; 0 instead of 1, as that may be true.
fn next_constant(constant: EncodedConstant, constants: &ConstantPool, pool: &mut PoolWriter) -> Option<Vec<Made>> {
    let next = |value: i32| if value == 1 { Some(0) } else { value.checked_add(1) };
    let made = match constant {
        EncodedConstant::Implicit(Number::Int, value) => small(next(value.into())?)?,
        EncodedConstant::Byte(value) => small(next(value.into())?)?,
        EncodedConstant::Short(value) => small(next(value.into())?)?,
        EncodedConstant::Implicit(number, 0) => EncodedConstant::Implicit(number, 1),
        EncodedConstant::Implicit(number, _) => EncodedConstant::Implicit(number, 0),
        EncodedConstant::Pool(_) | EncodedConstant::PoolWide(_) | EncodedConstant::PoolTwoSlots(_) => {
            pooled(constant, constants, pool)?
        }
    };
    Some(vec![Instruction::Constant(made)])
}

fn small(value: i32) -> Option<EncodedConstant> {
    Some(match value {
        -1..=5 => EncodedConstant::Implicit(Number::Int, value as i8),
        -128..=127 => EncodedConstant::Byte(value as i8),
        _ => EncodedConstant::Short(i16::try_from(value).ok()?),
    })
}

fn pooled(constant: EncodedConstant, constants: &ConstantPool, pool: &mut PoolWriter) -> Option<EncodedConstant> {
    let index = match constant {
        EncodedConstant::Pool(index) => u16::from(index),
        EncodedConstant::PoolWide(index) | EncodedConstant::PoolTwoSlots(index) => index,
        EncodedConstant::Implicit(..) | EncodedConstant::Byte(_) | EncodedConstant::Short(_) => return None,
    };
    Some(match constants.literal(index).ok()?? {
        Literal::Int(value) => EncodedConstant::PoolWide(pool.int(value.checked_add(1)?)),
        Literal::Long(value) => EncodedConstant::PoolTwoSlots(pool.long(value.checked_add(1)?)),
        Literal::Double(bits) => EncodedConstant::PoolTwoSlots(pool.double((f64::from_bits(bits) + 1.0).to_bits())),
        _ => return None,
    })
}

/// The field after this one of the class that has the same type and is as static, or else the first one.
fn other_field<'a>(member: &MemberRef, access: FieldAccess, class: &'a Class) -> Option<&'a FieldParts> {
    let is_static = match access {
        FieldAccess::Get | FieldAccess::Put => false,
        FieldAccess::GetStatic | FieldAccess::PutStatic => return None,
    };
    let is_like = |field: &&FieldParts| field.is_static == is_static && *field.descriptor == *member.descriptor;
    let same: Vec<&FieldParts> = class.fields.iter().filter(is_like).collect();
    let at = same
        .iter()
        .position(|field| *field.name == *member.name)
        .filter(|_| *member.class == *class.name.internal())?;
    (same.len() > 1).then(|| same[(at + 1) % same.len()])
}
