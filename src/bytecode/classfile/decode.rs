//! Decodes the instructions of a method's code: the one place that knows what an opcode means.

use super::encoded::{EncodedArray, EncodedConstant, EncodedInstruction, EncodedLocal, EncodedMethod};
use super::encoded::{EncodedSwitch, LocalForm, Offset, padding};
use super::instruction::*;
use super::opcode::*;

/// An instruction where it is in the code of a method.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Located<'a> {
    /// Where its opcode is.
    pub(crate) pc: usize,
    /// Code that a mutant inserts before it, and that jumps to it run first; it does not jump. Empty where it was read.
    pub(crate) before: &'a [u8],
    /// Opcode and operands.
    pub(crate) bytes: &'a [u8],
    pub(crate) instruction: EncodedInstruction<'a>,
}

impl Located<'_> {
    /// Where a jump leads to, unless it is no jump or leads before the code.
    pub(crate) fn jump_target(&self) -> Option<usize> {
        self.at_offset(self.instruction.jump()?.by)
    }

    /// The places that it may jump to: of a jump, or all of a switch; those before the code are left out.
    pub(crate) fn targets(&self) -> impl Iterator<Item = usize> {
        let switch = match &self.instruction {
            Instruction::Switch(switch) => Some(switch.offsets()),
            _ => None,
        };
        let jump = self.instruction.jump().map(|offset| offset.by);
        switch.into_iter().flatten().chain(jump).filter_map(|by| self.at_offset(by))
    }

    /// The place so far from the instruction, unless that is before the code.
    pub(crate) fn at_offset(&self, by: i32) -> Option<usize> {
        self.pc.checked_add_signed(by as isize)
    }
}

/// The instructions of a method's code in order; an `Err` holds the pc of what is no instruction, and is the last.
pub(crate) fn instructions(code: &[u8]) -> impl Iterator<Item = Result<Located<'_>, usize>> {
    let mut pc = 0;
    std::iter::from_fn(move || {
        if pc >= code.len() {
            return None;
        }
        let at = pc;
        let decoded = decode(code, at);
        pc = decoded.map_or(code.len(), |(_, length)| at + length);
        Some(
            decoded
                .map(|(instruction, _)| Located { pc: at, before: &[], bytes: &code[at..pc], instruction })
                .ok_or(at),
        )
    })
}

/// The operands of an instruction, read front to back.
struct Operands<'a> {
    rest: &'a [u8],
}

impl Operands<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.rest.split_first_chunk::<N>()?;
        self.rest = rest;
        Some(*taken)
    }

    fn u1(&mut self) -> Option<u8> {
        self.take::<1>().map(|[byte]| byte)
    }

    fn i1(&mut self) -> Option<i8> {
        self.u1().map(|byte| byte as i8)
    }

    fn u2(&mut self) -> Option<u16> {
        self.take().map(u16::from_be_bytes)
    }

    fn i2(&mut self) -> Option<i16> {
        self.take().map(i16::from_be_bytes)
    }

    /// The number of a local variable.
    fn local(&mut self, form: LocalForm) -> Option<EncodedLocal> {
        let index = if form == LocalForm::Wide { self.u2()? } else { self.u1()?.into() };
        Some(EncodedLocal { index, form })
    }

    fn offset(&mut self) -> Option<Offset> {
        self.i2().map(|by| Offset { by: by.into(), is_wide: false })
    }

    fn wide_offset(&mut self) -> Option<Offset> {
        self.take().map(|bytes| Offset { by: i32::from_be_bytes(bytes), is_wide: true })
    }
}

/// The instruction at `pc`, which is in the code, and how many bytes it has.
fn decode(code: &[u8], pc: usize) -> Option<(EncodedInstruction<'_>, usize)> {
    let (&opcode, rest) = code[pc..].split_first()?;
    let mut operands = Operands { rest };
    let instruction = match opcode {
        NOP..=LDC2_W => constant(opcode, &mut operands)?,
        ILOAD..=SASTORE => variable_or_element(opcode, &mut operands)?,
        POP..=SWAP => Instruction::Stack(STACK_OPERATIONS[from(opcode, POP)]),
        IADD..=LXOR | I2L..=I2S => Instruction::Arithmetic(arithmetic(opcode)),
        IINC => increment(LocalForm::Byte, &mut operands)?,
        LCMP..=DCMPG => Instruction::Compare(COMPARISONS[from(opcode, LCMP)]),
        IFEQ..=JSR | IFNULL..=JSR_W => jump(opcode, &mut operands)?,
        RET => Instruction::ReturnSubroutine { local: operands.local(LocalForm::Byte)? },
        TABLESWITCH | LOOKUPSWITCH => {
            let content = rest.get(padding(pc)..)?;
            let switch = EncodedSwitch::read(opcode == TABLESWITCH, content)?;
            operands.rest = &content[switch.length()..];
            Instruction::Switch(switch)
        }
        IRETURN..=ARETURN => Instruction::Return(Some(KINDS[from(opcode, IRETURN)])),
        RETURN => Instruction::Return(None),
        GETSTATIC..=INVOKEDYNAMIC => member(opcode, &mut operands)?,
        NEW..=MONITOREXIT | MULTIANEWARRAY => object(opcode, &mut operands)?,
        WIDE => wide(&mut operands)?,
        _ => return None,
    };
    Some((instruction, code.len() - pc - operands.rest.len()))
}

/// How far an opcode is from the first of its group.
fn from(opcode: u8, first: u8) -> usize {
    usize::from(opcode - first)
}

fn constant<'a>(opcode: u8, operands: &mut Operands) -> Option<EncodedInstruction<'a>> {
    let implicit = |number, zero| Some(EncodedConstant::Implicit(number, (i16::from(opcode) - i16::from(zero)) as i8));
    let constant = match opcode {
        NOP => return Some(Instruction::Nop),
        ACONST_NULL => return Some(Instruction::Null),
        ICONST_M1..LCONST_0 => implicit(Number::Int, ICONST_0),
        LCONST_0..FCONST_0 => implicit(Number::Long, LCONST_0),
        FCONST_0..DCONST_0 => implicit(Number::Float, FCONST_0),
        DCONST_0..BIPUSH => implicit(Number::Double, DCONST_0),
        BIPUSH => operands.i1().map(EncodedConstant::Byte),
        SIPUSH => operands.i2().map(EncodedConstant::Short),
        LDC => operands.u1().map(EncodedConstant::Pool),
        LDC_W => operands.u2().map(EncodedConstant::PoolWide),
        _ => operands.u2().map(EncodedConstant::PoolTwoSlots),
    };
    constant.map(Instruction::Constant)
}

/// Of each kind there is one instruction with an explicit variable, and four for the first variables.
fn variable_or_element<'a>(opcode: u8, operands: &mut Operands) -> Option<EncodedInstruction<'a>> {
    let implicit = |first| (KINDS[from(opcode, first) / 4], EncodedLocal::implicit((opcode - first) % 4));
    Some(match opcode {
        ILOAD..ILOAD_0 => {
            Instruction::Load { kind: KINDS[from(opcode, ILOAD)], local: operands.local(LocalForm::Byte)? }
        }
        ILOAD_0..IALOAD => {
            let (kind, local) = implicit(ILOAD_0);
            Instruction::Load { kind, local }
        }
        IALOAD..ISTORE => Instruction::ArrayLoad(ELEMENTS[from(opcode, IALOAD)]),
        ISTORE..ISTORE_0 => {
            Instruction::Store { kind: KINDS[from(opcode, ISTORE)], local: operands.local(LocalForm::Byte)? }
        }
        ISTORE_0..IASTORE => {
            let (kind, local) = implicit(ISTORE_0);
            Instruction::Store { kind, local }
        }
        _ => Instruction::ArrayStore(ELEMENTS[from(opcode, IASTORE)]),
    })
}

fn arithmetic(opcode: u8) -> Arithmetic {
    match opcode {
        IADD..INEG => {
            let at = from(opcode, IADD);
            Arithmetic::Binary(BINARY_OPERATORS[at / 4], NUMBERS[at % 4])
        }
        INEG..ISHL => Arithmetic::Negate(NUMBERS[from(opcode, INEG)]),
        ISHL..IAND => {
            let at = from(opcode, ISHL);
            Arithmetic::Shift(SHIFTS[at / 2], INTEGRALS[at % 2])
        }
        IAND..IINC => {
            let at = from(opcode, IAND);
            Arithmetic::Bitwise(BITWISE[at / 2], INTEGRALS[at % 2])
        }
        _ => Arithmetic::Convert(CONVERSIONS[from(opcode, I2L)]),
    }
}

fn increment<'a>(form: LocalForm, operands: &mut Operands) -> Option<EncodedInstruction<'a>> {
    let local = operands.local(form)?;
    let by = if form == LocalForm::Wide { operands.i2()? } else { operands.i1()?.into() };
    Some(Instruction::Increment { local, by })
}

fn jump<'a>(opcode: u8, operands: &mut Operands) -> Option<EncodedInstruction<'a>> {
    let condition = match opcode {
        IFEQ..IF_ICMPEQ => Condition::Zero(ORDERS[from(opcode, IFEQ)]),
        IF_ICMPEQ..IF_ACMPEQ => Condition::Ints(ORDERS[from(opcode, IF_ICMPEQ)]),
        IF_ACMPEQ => Condition::Same,
        IF_ACMPNE => Condition::NotSame,
        IFNULL => Condition::Null,
        IFNONNULL => Condition::NonNull,
        GOTO => return Some(Instruction::Goto { target: operands.offset()? }),
        GOTO_W => return Some(Instruction::Goto { target: operands.wide_offset()? }),
        JSR => return Some(Instruction::JumpSubroutine { target: operands.offset()? }),
        _ => return Some(Instruction::JumpSubroutine { target: operands.wide_offset()? }),
    };
    Some(Instruction::Branch { condition, target: operands.offset()? })
}

fn member<'a>(opcode: u8, operands: &mut Operands) -> Option<EncodedInstruction<'a>> {
    let index = operands.u2()?;
    Some(match opcode {
        GETSTATIC..=PUTFIELD => Instruction::Field { access: FIELD_ACCESSES[from(opcode, GETSTATIC)], field: index },
        INVOKEDYNAMIC => {
            operands.take::<2>()?;
            Instruction::InvokeDynamic(index)
        }
        _ => {
            let kind = INVOKE_KINDS[from(opcode, INVOKEVIRTUAL)];
            let [slots, _] = if kind == InvokeKind::Interface { operands.take()? } else { [0; 2] };
            Instruction::Invoke { kind, method: EncodedMethod { index, slots } }
        }
    })
}

fn object<'a>(opcode: u8, operands: &mut Operands) -> Option<EncodedInstruction<'a>> {
    Some(match opcode {
        NEW => Instruction::New(operands.u2()?),
        NEWARRAY => Instruction::NewArray(EncodedArray::Primitive(operands.u1()?)),
        ANEWARRAY => Instruction::NewArray(EncodedArray::Reference(operands.u2()?)),
        ARRAYLENGTH => Instruction::ArrayLength,
        ATHROW => Instruction::Throw,
        CHECKCAST => Instruction::CheckCast(operands.u2()?),
        INSTANCEOF => Instruction::InstanceOf(operands.u2()?),
        MONITORENTER => Instruction::MonitorEnter,
        MONITOREXIT => Instruction::MonitorExit,
        _ => Instruction::NewMultiArray { array: operands.u2()?, dimensions: operands.u1()? },
    })
}

/// What follows `wide` is the opcode of an instruction with a local variable.
fn wide<'a>(operands: &mut Operands) -> Option<EncodedInstruction<'a>> {
    Some(match operands.u1()? {
        opcode @ ILOAD..=ALOAD => {
            Instruction::Load { kind: KINDS[from(opcode, ILOAD)], local: operands.local(LocalForm::Wide)? }
        }
        opcode @ ISTORE..=ASTORE => {
            Instruction::Store { kind: KINDS[from(opcode, ISTORE)], local: operands.local(LocalForm::Wide)? }
        }
        RET => Instruction::ReturnSubroutine { local: operands.local(LocalForm::Wide)? },
        IINC => increment(LocalForm::Wide, operands)?,
        _ => return None,
    })
}

// What instructions of one group differ in, in the order of their opcodes.
const KINDS: [Kind; 5] = [Kind::Int, Kind::Long, Kind::Float, Kind::Double, Kind::Reference];
const NUMBERS: [Number; 4] = [Number::Int, Number::Long, Number::Float, Number::Double];
const INTEGRALS: [Integral; 2] = [Integral::Int, Integral::Long];
const ELEMENTS: [Element; 8] = {
    use Element::*;
    [Int, Long, Float, Double, Reference, Byte, Char, Short]
};
const STACK_OPERATIONS: [StackOperation; 9] = {
    use StackOperation::*;
    [Pop, Pop2, Dup, DupX1, DupX2, Dup2, Dup2X1, Dup2X2, Swap]
};
const BINARY_OPERATORS: [BinaryOperator; 5] = {
    use BinaryOperator::*;
    [Add, Subtract, Multiply, Divide, Remainder]
};
const SHIFTS: [Shift; 3] = [Shift::Left, Shift::Right, Shift::UnsignedRight];
const BITWISE: [Bitwise; 3] = [Bitwise::And, Bitwise::Or, Bitwise::Xor];
const CONVERSIONS: [Conversion; 15] = {
    use Conversion::*;
    [
        IntToLong,
        IntToFloat,
        IntToDouble,
        LongToInt,
        LongToFloat,
        LongToDouble,
        FloatToInt,
        FloatToLong,
        FloatToDouble,
        DoubleToInt,
        DoubleToLong,
        DoubleToFloat,
        IntToByte,
        IntToChar,
        IntToShort,
    ]
};
const COMPARISONS: [Comparison; 5] = {
    use Comparison::*;
    [Long, FloatLess, FloatGreater, DoubleLess, DoubleGreater]
};
const ORDERS: [Order; 6] = {
    use Order::*;
    [Equal, NotEqual, Less, GreaterOrEqual, Greater, LessOrEqual]
};
const FIELD_ACCESSES: [FieldAccess; 4] = {
    use FieldAccess::*;
    [GetStatic, PutStatic, Get, Put]
};
const INVOKE_KINDS: [InvokeKind; 4] =
    [InvokeKind::Virtual, InvokeKind::Special, InvokeKind::Static, InvokeKind::Interface];
