//! The instructions of the JVM with their typed operands, grouped as chapter 6.5 of the JVMS describes them.
//!
//! The many opcodes for one operation are one variant here: `iload_1`, `iload 1` and `wide iload 1` are each a
//! [`Load`](Instruction::Load). What operands are depends on the [`Form`]: as the class file [encodes](super::Encoded) them, by
//! numbers of constants and distances, or [resolved](super::Resolved), by names and numbers of steps. Opcodes appear in
//! `decode.rs` and `encode.rs` alone.

use model::jvm::{Primitive, Type};
use std::fmt::Debug;

/// What the operands of instructions are.
pub trait Form {
    /// A constant that is pushed.
    type Constant: Clone + Debug + PartialEq + Eq;
    /// A local variable.
    type Local: Clone + Debug + PartialEq + Eq;
    /// Where a jump leads to.
    type Target: Clone + Debug + PartialEq + Eq;
    /// The targets of a `tableswitch` or `lookupswitch`.
    type Switch: Clone + Debug + PartialEq + Eq;
    /// A field that is read or written.
    type Field: Clone + Debug + PartialEq + Eq;
    /// A method that is called.
    type Method: Clone + Debug + PartialEq + Eq;
    /// What `invokedynamic` calls.
    type CallSite: Clone + Debug + PartialEq + Eq;
    /// A class, interface or array type.
    type Class: Clone + Debug + PartialEq + Eq;
    /// The type of a new array of one dimension.
    type Array: Clone + Debug + PartialEq + Eq;
}

/// One instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instruction<F: Form = super::Resolved> {
    /// `nop`
    Nop,
    /// `aconst_null`
    Null,
    /// Pushes a constant: `iconst_0`, `bipush`, `ldc` and their like.
    Constant(F::Constant),
    /// `iload` and its like
    Load {
        /// What is loaded.
        kind: Kind,
        /// From where.
        local: F::Local,
    },
    /// `istore` and its like
    Store {
        /// What is stored.
        kind: Kind,
        /// Where to.
        local: F::Local,
    },
    /// `iinc`
    Increment {
        /// An int.
        local: F::Local,
        /// What is added to it.
        by: i16,
    },
    /// `iaload` and its like
    ArrayLoad(Element),
    /// `iastore` and its like
    ArrayStore(Element),
    /// `arraylength`
    ArrayLength,
    /// `pop`, `dup`, `swap` and their like
    Stack(StackOperation),
    /// Calculates, or converts a number: `iadd` and its like, `i2l` and its like.
    Arithmetic(Arithmetic),
    /// `lcmp`, `fcmpl` and their like
    Compare(Comparison),
    /// A conditional jump: `ifeq`, `if_icmpeq`, `ifnull` and their like.
    Branch {
        /// When it jumps.
        condition: Condition,
        /// Where to.
        target: F::Target,
    },
    /// `goto` and `goto_w`
    Goto {
        /// Where to.
        target: F::Target,
    },
    /// `jsr` and `jsr_w`, of class files before Java 7
    JumpSubroutine {
        /// Where to.
        target: F::Target,
    },
    /// `ret`, of class files before Java 7
    ReturnSubroutine {
        /// The local variable that has the address to return to.
        local: F::Local,
    },
    /// `tableswitch` and `lookupswitch`
    Switch(F::Switch),
    /// `return`, `ireturn` and its like; with what is returned.
    Return(Option<Kind>),
    /// `getstatic`, `putfield` and their like
    Field {
        /// What is done with the field.
        access: FieldAccess,
        /// Which it is.
        field: F::Field,
    },
    /// `invokevirtual` and its like
    Invoke {
        /// How the method is selected.
        kind: InvokeKind,
        /// Which it is.
        method: F::Method,
    },
    /// `invokedynamic`
    InvokeDynamic(F::CallSite),
    /// `new`
    New(F::Class),
    /// `newarray` and `anewarray`
    NewArray(F::Array),
    /// `multianewarray`
    NewMultiArray {
        /// The type of the array.
        array: F::Class,
        /// How many of its dimensions are created.
        dimensions: u8,
    },
    /// `checkcast`
    CheckCast(F::Class),
    /// `instanceof`
    InstanceOf(F::Class),
    /// `athrow`
    Throw,
    /// `monitorenter`
    MonitorEnter,
    /// `monitorexit`
    MonitorExit,
}

impl<F: Form> Instruction<F> {
    /// Where a jump leads to, conditional or not; `None` for anything else, switches included.
    pub fn jump(&self) -> Option<&F::Target> {
        match self {
            Instruction::Branch { target, .. }
            | Instruction::Goto { target }
            | Instruction::JumpSubroutine { target } => Some(target),
            _ => None,
        }
    }

    /// The method that it calls by name.
    pub fn invoked(&self) -> Option<&F::Method> {
        match self {
            Instruction::Invoke { method, .. } => Some(method),
            _ => None,
        }
    }

    /// Whether it is a jump with a condition.
    pub fn is_branch(&self) -> bool {
        matches!(self, Instruction::Branch { .. })
    }

    /// Whether it ends the method, by a return or an exception.
    pub fn leaves_method(&self) -> bool {
        matches!(self, Instruction::Return(_) | Instruction::Throw)
    }

    /// Whether the instruction after it can run only by way of a jump. A subroutine returns to behind its call.
    pub fn ends_block(&self) -> bool {
        self.leaves_method() || matches!(self, Instruction::Goto { .. } | Instruction::Switch(_))
    }
}

/// What the stack tells apart (JVMS table 2.11.1-B), in the order of the opcodes. Booleans, bytes, chars and shorts are ints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// One slot.
    Int,
    /// Two slots.
    Long,
    /// One slot.
    Float,
    /// Two slots.
    Double,
    /// One slot.
    Reference,
}

impl Kind {
    /// How values of the type lie on the stack.
    pub fn of(of: &Type) -> Kind {
        match of {
            Type::Primitive(Primitive::Long) => Kind::Long,
            Type::Primitive(Primitive::Float) => Kind::Float,
            Type::Primitive(Primitive::Double) => Kind::Double,
            Type::Primitive(_) => Kind::Int,
            Type::Class(_) | Type::Array(_) | Type::Parameterized(_) => Kind::Reference,
        }
    }

    /// Whether it takes two slots.
    pub fn is_wide(self) -> bool {
        matches!(self, Kind::Long | Kind::Double)
    }
}

/// What arithmetic tells apart, in the order of the opcodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Number {
    /// 32 bits, signed.
    Int,
    /// 64 bits, signed.
    Long,
    /// 32 bits, IEEE 754.
    Float,
    /// 64 bits, IEEE 754.
    Double,
}

impl Number {
    /// Whether it takes two slots.
    pub fn is_wide(self) -> bool {
        matches!(self, Number::Long | Number::Double)
    }
}

/// What shifts and bitwise operations tell apart, in the order of the opcodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Integral {
    /// 32 bits.
    Int,
    /// 64 bits.
    Long,
}

/// Elements of arrays, in the order of the opcodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Element {
    /// Of `int[]`.
    Int,
    /// Of `long[]`.
    Long,
    /// Of `float[]`.
    Float,
    /// Of `double[]`.
    Double,
    /// Of arrays of objects or arrays.
    Reference,
    /// Of `byte[]` and `boolean[]`.
    Byte,
    /// Of `char[]`.
    Char,
    /// Of `short[]`.
    Short,
}

impl Element {
    /// Whether it takes two slots.
    pub fn is_wide(self) -> bool {
        matches!(self, Element::Long | Element::Double)
    }
}

/// Moves slots of the stack, in the order of the opcodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StackOperation {
    /// Drops one slot.
    Pop,
    /// Drops two slots.
    Pop2,
    /// Copies the top slot.
    Dup,
    /// Copies the top slot below the one under it.
    DupX1,
    /// Copies the top slot below the two under it.
    DupX2,
    /// Copies the top two slots.
    Dup2,
    /// Copies the top two slots below the one under them.
    Dup2X1,
    /// Copies the top two slots below the two under them.
    Dup2X2,
    /// Exchanges the top two slots.
    Swap,
}

/// Makes a number of one or two others (JVMS §2.11.3, §2.11.4). Comparisons of numbers are [`Comparison`]s.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arithmetic {
    /// `iadd` to `drem`
    Binary(BinaryOperator, Number),
    /// `ineg` and its like
    Negate(Number),
    /// `ishl` to `lushr`; the distance is an int.
    Shift(Shift, Integral),
    /// `iand` to `lxor`
    Bitwise(Bitwise, Integral),
    /// `i2l` to `i2s`
    Convert(Conversion),
}

impl Arithmetic {
    /// `iadd`
    pub const INT_ADDITION: Arithmetic = Arithmetic::Binary(BinaryOperator::Add, Number::Int);

    /// How many numbers it takes.
    pub fn operands(self) -> usize {
        match self {
            Arithmetic::Negate(_) | Arithmetic::Convert(_) => 1,
            Arithmetic::Binary(..) | Arithmetic::Shift(..) | Arithmetic::Bitwise(..) => 2,
        }
    }

    /// What it makes.
    pub fn result(self) -> Number {
        match self {
            Arithmetic::Binary(_, number) | Arithmetic::Negate(number) => number,
            Arithmetic::Shift(_, Integral::Int) | Arithmetic::Bitwise(_, Integral::Int) => Number::Int,
            Arithmetic::Shift(_, Integral::Long) | Arithmetic::Bitwise(_, Integral::Long) => Number::Long,
            Arithmetic::Convert(conversion) => conversion.result(),
        }
    }
}

/// The operators that numbers of all four kinds have, in the order of the opcodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOperator {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
}

/// The shift operators, in the order of the opcodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shift {
    /// `<<`
    Left,
    /// `>>`
    Right,
    /// `>>>`
    UnsignedRight,
}

/// The bitwise operators, in the order of the opcodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bitwise {
    /// `&`
    And,
    /// `|`
    Or,
    /// `^`
    Xor,
}

/// From one kind of number to another, in the order of the opcodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Conversion {
    /// `i2l`
    IntToLong,
    /// `i2f`
    IntToFloat,
    /// `i2d`
    IntToDouble,
    /// `l2i`
    LongToInt,
    /// `l2f`
    LongToFloat,
    /// `l2d`
    LongToDouble,
    /// `f2i`
    FloatToInt,
    /// `f2l`
    FloatToLong,
    /// `f2d`
    FloatToDouble,
    /// `d2i`
    DoubleToInt,
    /// `d2l`
    DoubleToLong,
    /// `d2f`
    DoubleToFloat,
    /// `i2b`
    IntToByte,
    /// `i2c`
    IntToChar,
    /// `i2s`
    IntToShort,
}

impl Conversion {
    /// What it makes.
    pub fn result(self) -> Number {
        use Conversion::*;
        match self {
            LongToInt | FloatToInt | DoubleToInt | IntToByte | IntToChar | IntToShort => Number::Int,
            IntToLong | FloatToLong | DoubleToLong => Number::Long,
            IntToFloat | LongToFloat | DoubleToFloat => Number::Float,
            IntToDouble | LongToDouble | FloatToDouble => Number::Double,
        }
    }
}

/// Makes −1, 0 or 1 of two numbers, in the order of the opcodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// `lcmp`
    Long,
    /// `fcmpl`: −1 where one is not a number.
    FloatLess,
    /// `fcmpg`: 1 where one is not a number.
    FloatGreater,
    /// `dcmpl`: −1 where one is not a number.
    DoubleLess,
    /// `dcmpg`: 1 where one is not a number.
    DoubleGreater,
}

/// When a conditional jump is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Condition {
    /// An int has this relation to zero: `ifeq` and its like.
    Zero(Order),
    /// Two ints have this relation: `if_icmpeq` and its like.
    Ints(Order),
    /// `if_acmpeq`
    Same,
    /// `if_acmpne`
    NotSame,
    /// `ifnull`
    Null,
    /// `ifnonnull`
    NonNull,
}

impl Condition {
    /// The condition that holds exactly where this one does not.
    pub fn negated(self) -> Condition {
        match self {
            Condition::Zero(order) => Condition::Zero(order.negated()),
            Condition::Ints(order) => Condition::Ints(order.negated()),
            Condition::Same => Condition::NotSame,
            Condition::NotSame => Condition::Same,
            Condition::Null => Condition::NonNull,
            Condition::NonNull => Condition::Null,
        }
    }

    /// How many values it takes.
    pub fn operands(self) -> usize {
        match self {
            Condition::Zero(_) | Condition::Null | Condition::NonNull => 1,
            Condition::Ints(_) | Condition::Same | Condition::NotSame => 2,
        }
    }
}

/// How two ints compare, in the order of the opcodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `>=`
    GreaterOrEqual,
    /// `>`
    Greater,
    /// `<=`
    LessOrEqual,
}

impl Order {
    /// What holds exactly where this does not.
    pub fn negated(self) -> Order {
        match self {
            Order::Equal => Order::NotEqual,
            Order::NotEqual => Order::Equal,
            Order::Less => Order::GreaterOrEqual,
            Order::GreaterOrEqual => Order::Less,
            Order::Greater => Order::LessOrEqual,
            Order::LessOrEqual => Order::Greater,
        }
    }
}

/// What is done with a field, in the order of the opcodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FieldAccess {
    /// `getstatic`
    GetStatic,
    /// `putstatic`
    PutStatic,
    /// `getfield`
    Get,
    /// `putfield`
    Put,
}

impl FieldAccess {
    /// Whether the field is written.
    pub fn is_write(self) -> bool {
        matches!(self, FieldAccess::PutStatic | FieldAccess::Put)
    }

    /// Whether the field is static.
    pub fn is_static(self) -> bool {
        matches!(self, FieldAccess::GetStatic | FieldAccess::PutStatic)
    }
}

/// How a call selects the method, in the order of the opcodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InvokeKind {
    /// By the class of the receiver.
    Virtual,
    /// By the name alone: constructors, private methods and those of the superclass.
    Special,
    /// Without a receiver.
    Static,
    /// By the class of the receiver, which implements an interface.
    Interface,
}
