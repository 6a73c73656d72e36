//! What each mutator makes of an instruction.

mod further;
mod sibling;

use crate::classfile::decode::{Located, instructions};
use crate::classfile::instruction::{
    Arithmetic, BinaryOperator, Bitwise, Condition, InvokeKind, Kind, Number, Order, Shift, StackOperation,
};
use crate::classfile::reader::ConstantPool;
use crate::classfile::writer::PoolWriter;
use crate::classfile::{EncodedConstant, EncodedInstruction, EncodedLocal, EncodedMethod, Instruction, encode};
use crate::instrument::body::Body;
use crate::instrument::{Class, MethodParts};
use model::execution::mutant::Mutator;
use model::jvm::types::access;
use model::jvm::{JavaString, MethodDescriptor, Primitive, Type};
use std::ops::Range;
use std::sync::Arc;

/// What becomes of an instruction.
pub(in crate::instrument) enum Edit {
    /// The jump has another condition.
    Condition(Condition),
    /// Other instructions, which do not jump, take its place.
    Code(Vec<u8>),
    /// The jump has other operands: those that the code leaves on the stack.
    Operands(Vec<u8>),
}

impl Edit {
    /// Makes the change in a body whose hooks are planned already.
    pub(in crate::instrument) fn apply<'a>(&'a self, located: &mut Located<'a>) {
        match self {
            Edit::Condition(other) => {
                if let Instruction::Branch { condition, .. } = &mut located.instruction {
                    *condition = *other;
                }
            }
            // The first instruction stands for all of them: from here on it only matters whether one jumps, and none does.
            Edit::Code(code) => {
                if let Some(Ok(first)) = instructions(code).next() {
                    *located = Located { bytes: code, instruction: first.instruction, ..*located };
                }
            }
            Edit::Operands(code) => located.before = code,
        }
    }
}

type Made = EncodedInstruction<'static>;

/// What a mutator has to know of the method.
pub(in crate::instrument) struct MethodShape<'a> {
    class: &'a Class<'a>,
    name: Arc<str>,
    descriptor: MethodDescriptor,
    /// The parameters without the receiver, and the local variables that debugging information tells of.
    variables: Vec<Variable>,
}

/// A local variable and where in the code it has a value.
struct Variable {
    slot: u16,
    of: Type,
    scope: Range<usize>,
}

impl<'a> MethodShape<'a> {
    /// `None` if the descriptor is none.
    pub(in crate::instrument) fn of(
        class: &'a Class<'a>,
        method: &MethodParts,
        body: &Body,
    ) -> Option<MethodShape<'a>> {
        let descriptor = MethodDescriptor::parse(&method.descriptor)?;
        let first = u16::from(method.access & access::STATIC == 0);
        let parameters = descriptor.parameters.iter().scan(first, |next, of| {
            let slot = *next;
            *next += if Kind::of(of).is_wide() { 2 } else { 1 };
            Some(Variable { slot, of: of.clone(), scope: 0..body.code_length })
        });
        // What has a value from the start is a parameter, or the receiver.
        let others = body.variables(&class.pool).into_iter().filter(|(scope, ..)| scope.start > 0);
        let others = others
            .filter_map(|(scope, slot, descriptor)| Some(Variable { slot, of: Type::parse(&descriptor)?, scope }));
        let variables = parameters.chain(others).collect();
        Some(MethodShape { class, name: method.name.clone(), descriptor, variables })
    }

    /// The variable after that in the slot, among those of the same type that have a value there; or else the first one.
    fn other_variable(&self, slot: u16, pc: usize) -> Option<u16> {
        let has_value = |one: &&Variable| one.scope.contains(&pc);
        let own = self.variables.iter().find(|one| one.slot == slot && one.scope.contains(&pc))?;
        let same: Vec<u16> =
            self.variables.iter().filter(has_value).filter(|one| one.of == own.of).map(|one| one.slot).collect();
        let at = same.iter().position(|other| *other == slot)?;
        (same.len() > 1).then(|| same[(at + 1) % same.len()])
    }
}

/// How the mutator changes the instruction of a method; `None` if it does not. The new instructions pop and push values of
/// the same types.
pub(in crate::instrument) fn edit(
    mutator: Mutator,
    located: &Located,
    method: &MethodShape,
    constants: &ConstantPool,
    pool: &mut PoolWriter,
) -> Option<Edit> {
    let made = match (mutator, located.instruction) {
        (Mutator::ConditionalsBoundary, Instruction::Branch { condition, .. }) => {
            return boundary(condition).map(Edit::Condition);
        }
        (Mutator::NegateConditionals, Instruction::Branch { condition, .. }) => {
            return Some(Edit::Condition(condition.negated()));
        }
        (Mutator::ForgottenCase, Instruction::Branch { condition, .. }) => {
            return Some(Edit::Operands(encoded(&operands_that_jump(condition, pool))));
        }
        (Mutator::Math, Instruction::Arithmetic(arithmetic)) => {
            vec![Instruction::Arithmetic(opposite(arithmetic)?)]
        }
        (Mutator::Increments, Instruction::Increment { local, by }) => {
            vec![Instruction::Increment { local: EncodedLocal::wide(local.index), by: by.checked_neg()? }]
        }
        (Mutator::InvertNegs, Instruction::Arithmetic(Arithmetic::Negate(_))) => vec![Instruction::Nop],
        (Mutator::VoidMethodCalls, Instruction::Invoke { kind, method }) => without_call(kind, method, constants)?,
        (mutator, Instruction::Return(Some(kind))) => {
            returning(mutator, kind, method.descriptor.returns.as_ref()?, pool)?
        }
        (mutator, instruction) if !mutator.is_default() => {
            further::edit(mutator, (&instruction, located.pc), method, constants, pool)?
        }
        _ => return None,
    };
    Some(Edit::Code(encoded(&made)))
}

fn encoded(made: &[Made]) -> Vec<u8> {
    let mut code = Vec::new();
    made.iter().for_each(|instruction| encode(instruction, &mut code));
    code
}

/// Drops the operands of a jump, and leaves others with which it happens.
fn operands_that_jump(condition: Condition, pool: &mut PoolWriter) -> Vec<Made> {
    let int = |value| Instruction::Constant(EncodedConstant::Implicit(Number::Int, value));
    let against_zero = |order| match order {
        Order::Equal | Order::LessOrEqual | Order::GreaterOrEqual => 0,
        Order::NotEqual | Order::Greater => 1,
        Order::Less => -1,
    };
    let mut object = || Instruction::Constant(EncodedConstant::PoolWide(pool.string(&JavaString::from_units(&[]))));
    let dropped = |count, kind| vec![drop_value(kind); count];
    match condition {
        Condition::Zero(order) => [dropped(1, Kind::Int), vec![int(against_zero(order))]].concat(),
        Condition::Ints(order) => [dropped(2, Kind::Int), vec![int(against_zero(order)), int(0)]].concat(),
        Condition::Null => [dropped(1, Kind::Reference), vec![Instruction::Null]].concat(),
        Condition::NonNull => [dropped(1, Kind::Reference), vec![object()]].concat(),
        Condition::Same => [dropped(2, Kind::Reference), vec![Instruction::Null; 2]].concat(),
        Condition::NotSame => [dropped(2, Kind::Reference), vec![Instruction::Null, object()]].concat(),
    }
}

fn boundary(condition: Condition) -> Option<Condition> {
    let other = |order| {
        Some(match order {
            Order::Less => Order::LessOrEqual,
            Order::LessOrEqual => Order::Less,
            Order::Greater => Order::GreaterOrEqual,
            Order::GreaterOrEqual => Order::Greater,
            Order::Equal | Order::NotEqual => return None,
        })
    };
    match condition {
        Condition::Zero(order) => other(order).map(Condition::Zero),
        Condition::Ints(order) => other(order).map(Condition::Ints),
        _ => None,
    }
}

fn opposite(arithmetic: Arithmetic) -> Option<Arithmetic> {
    Some(match arithmetic {
        Arithmetic::Binary(operator, number) => Arithmetic::Binary(
            match operator {
                BinaryOperator::Add => BinaryOperator::Subtract,
                BinaryOperator::Subtract => BinaryOperator::Add,
                BinaryOperator::Multiply => BinaryOperator::Divide,
                BinaryOperator::Divide | BinaryOperator::Remainder => BinaryOperator::Multiply,
            },
            number,
        ),
        Arithmetic::Shift(shift, integral) => Arithmetic::Shift(
            match shift {
                Shift::Left => Shift::Right,
                Shift::Right | Shift::UnsignedRight => Shift::Left,
            },
            integral,
        ),
        Arithmetic::Bitwise(bitwise, integral) => Arithmetic::Bitwise(
            match bitwise {
                Bitwise::And => Bitwise::Or,
                Bitwise::Or | Bitwise::Xor => Bitwise::And,
            },
            integral,
        ),
        Arithmetic::Negate(_) | Arithmetic::Convert(_) => return None,
    })
}

/// The arguments and the receiver are dropped.
fn without_call(kind: InvokeKind, method: EncodedMethod, constants: &ConstantPool) -> Option<Vec<Made>> {
    let member = constants.member(method.index).ok()?;
    let descriptor = MethodDescriptor::parse(&member.descriptor)?;
    if descriptor.returns.is_some() || member.name == "<init>" {
        return None;
    }
    let mut made: Vec<Made> = descriptor.parameters.iter().rev().map(|of| drop_value(Kind::of(of))).collect();
    if kind != InvokeKind::Static {
        made.push(drop_value(Kind::Reference));
    }
    // Two frames may not be in one place.
    Some(if made.is_empty() { vec![Instruction::Nop] } else { made })
}

fn drop_value(kind: Kind) -> Made {
    Instruction::Stack(if kind.is_wide() { StackOperation::Pop2 } else { StackOperation::Pop })
}

/// Drops what was to be returned and returns something else.
fn returning(mutator: Mutator, kind: Kind, returns: &Type, pool: &mut PoolWriter) -> Option<Vec<Made>> {
    let class = match returns {
        Type::Class(class) => class.internal(),
        _ => "",
    };
    let mut made = vec![drop_value(Kind::of(returns))];
    match mutator {
        Mutator::TrueReturns | Mutator::FalseReturns => {
            let value = i8::from(mutator == Mutator::TrueReturns);
            made.push(Instruction::Constant(EncodedConstant::Implicit(Number::Int, value)));
            match (returns, class) {
                (Type::Primitive(Primitive::Boolean), _) => {}
                (_, "java/lang/Boolean") => {
                    made.push(call(pool.method_ref(class, "valueOf", "(Z)Ljava/lang/Boolean;")))
                }
                _ => return None,
            }
        }
        Mutator::PrimitiveReturns => made.push(match returns {
            Type::Primitive(Primitive::Boolean) => return None,
            Type::Primitive(primitive) => zero(*primitive),
            _ => return None,
        }),
        Mutator::NullReturns => {
            let is_replaced_otherwise =
                returns.is_primitive() || class == "java/lang/Boolean" || empty_of(class).is_some();
            made.push((!is_replaced_otherwise).then_some(Instruction::Null)?);
        }
        Mutator::EmptyReturns => made.extend(empty(class, pool)?),
        _ => return None,
    }
    made.push(Instruction::Return(Some(kind)));
    Some(made)
}

/// Pushes what is empty of the class; `None` if nothing is.
fn empty(class: &str, pool: &mut PoolWriter) -> Option<Vec<Made>> {
    Some(match empty_of(class)? {
        Empty::Text => {
            let text = pool.string(&JavaString::from(""));
            vec![Instruction::Constant(EncodedConstant::PoolWide(text))]
        }
        Empty::Zero(primitive) => {
            let descriptor = format!("({})L{class};", primitive.descriptor());
            vec![zero(primitive), call(pool.method_ref(class, "valueOf", &descriptor))]
        }
        Empty::Of(owner, name, descriptor) => vec![call(pool.method_ref(owner, name, descriptor))],
        Empty::Stream => vec![call(pool.interface_method_ref(class, "empty", "()Ljava/util/stream/Stream;"))],
    })
}

fn call(index: u16) -> Made {
    Instruction::Invoke { kind: InvokeKind::Static, method: EncodedMethod { index, slots: 0 } }
}

fn zero(primitive: Primitive) -> Made {
    let number = match primitive {
        Primitive::Long => Number::Long,
        Primitive::Float => Number::Float,
        Primitive::Double => Number::Double,
        _ => Number::Int,
    };
    Instruction::Constant(EncodedConstant::Implicit(number, 0))
}

/// What is returned for an object of some classes.
enum Empty {
    Text,
    /// Boxed.
    Zero(Primitive),
    /// The result of a static method.
    Of(&'static str, &'static str, &'static str),
    Stream,
}

fn empty_of(class: &str) -> Option<Empty> {
    const COLLECTIONS: &str = "java/util/Collections";
    Some(match class {
        "java/lang/String" => Empty::Text,
        "java/lang/Integer" => Empty::Zero(Primitive::Int),
        "java/lang/Short" => Empty::Zero(Primitive::Short),
        "java/lang/Character" => Empty::Zero(Primitive::Char),
        "java/lang/Long" => Empty::Zero(Primitive::Long),
        "java/lang/Float" => Empty::Zero(Primitive::Float),
        "java/lang/Double" => Empty::Zero(Primitive::Double),
        "java/util/Optional" => Empty::Of("java/util/Optional", "empty", "()Ljava/util/Optional;"),
        "java/util/stream/Stream" => Empty::Stream,
        "java/util/List" | "java/util/Collection" | "java/lang/Iterable" => {
            Empty::Of(COLLECTIONS, "emptyList", "()Ljava/util/List;")
        }
        "java/util/Set" => Empty::Of(COLLECTIONS, "emptySet", "()Ljava/util/Set;"),
        "java/util/Map" => Empty::Of(COLLECTIONS, "emptyMap", "()Ljava/util/Map;"),
        _ => return None,
    })
}
