//! Encodes instructions: the inverse of `decode`.

use super::encoded::padding;
use super::encoded::{
    EncodedArray, EncodedConstant, EncodedInstruction, EncodedLocal, EncodedSwitch, LocalForm, Offset,
};
use super::instruction::*;
use super::opcode::*;

/// Appends the instruction to code that begins with `code`.
pub fn encode(instruction: &EncodedInstruction, code: &mut Vec<u8>) {
    match *instruction {
        Instruction::Nop => code.push(NOP),
        Instruction::Null => code.push(ACONST_NULL),
        Instruction::Constant(constant) => encode_constant(constant, code),
        Instruction::Load { kind, local } => encode_variable([ILOAD, ILOAD_0], kind, local, code),
        Instruction::Store { kind, local } => encode_variable([ISTORE, ISTORE_0], kind, local, code),
        Instruction::Increment { local, by } => {
            encode_local(IINC, local, code);
            match local.form {
                LocalForm::Wide => code.extend(by.to_be_bytes()),
                _ => code.push(by as u8),
            }
        }
        Instruction::ArrayLoad(element) => code.push(IALOAD + element as u8),
        Instruction::ArrayStore(element) => code.push(IASTORE + element as u8),
        Instruction::ArrayLength => code.push(ARRAYLENGTH),
        Instruction::Stack(operation) => code.push(POP + operation as u8),
        Instruction::Arithmetic(arithmetic) => code.push(match arithmetic {
            Arithmetic::Binary(operator, number) => IADD + 4 * operator as u8 + number as u8,
            Arithmetic::Negate(number) => INEG + number as u8,
            Arithmetic::Shift(shift, integral) => ISHL + 2 * shift as u8 + integral as u8,
            Arithmetic::Bitwise(bitwise, integral) => IAND + 2 * bitwise as u8 + integral as u8,
            Arithmetic::Convert(conversion) => I2L + conversion as u8,
        }),
        Instruction::Compare(comparison) => code.push(LCMP + comparison as u8),
        Instruction::Branch { condition, target } => {
            let opcode = match condition {
                Condition::Zero(order) => IFEQ + order as u8,
                Condition::Ints(order) => IF_ICMPEQ + order as u8,
                Condition::Same => IF_ACMPEQ,
                Condition::NotSame => IF_ACMPNE,
                Condition::Null => IFNULL,
                Condition::NonNull => IFNONNULL,
            };
            encode_jump([opcode, opcode], Offset { is_wide: false, ..target }, code);
        }
        Instruction::Goto { target } => encode_jump([GOTO, GOTO_W], target, code),
        Instruction::JumpSubroutine { target } => encode_jump([JSR, JSR_W], target, code),
        Instruction::ReturnSubroutine { local } => encode_local(RET, local, code),
        Instruction::Switch(switch) => encode_switch(&switch, code.len(), |offset| offset, code),
        Instruction::Return(None) => code.push(RETURN),
        Instruction::Return(Some(kind)) => code.push(IRETURN + kind as u8),
        Instruction::Field { access, field } => with_index(GETSTATIC + access as u8, field, code),
        Instruction::Invoke { kind, method } => {
            with_index(INVOKEVIRTUAL + kind as u8, method.index, code);
            if kind == InvokeKind::Interface {
                code.extend([method.slots, 0]);
            }
        }
        Instruction::InvokeDynamic(site) => {
            with_index(INVOKEDYNAMIC, site, code);
            code.extend([0; 2]);
        }
        Instruction::New(class) => with_index(NEW, class, code),
        Instruction::NewArray(EncodedArray::Primitive(of)) => code.extend([NEWARRAY, of]),
        Instruction::NewArray(EncodedArray::Reference(class)) => with_index(ANEWARRAY, class, code),
        Instruction::NewMultiArray { array, dimensions } => {
            with_index(MULTIANEWARRAY, array, code);
            code.push(dimensions);
        }
        Instruction::CheckCast(class) => with_index(CHECKCAST, class, code),
        Instruction::InstanceOf(class) => with_index(INSTANCEOF, class, code),
        Instruction::Throw => code.push(ATHROW),
        Instruction::MonitorEnter => code.push(MONITORENTER),
        Instruction::MonitorExit => code.push(MONITOREXIT),
    }
}

/// The code that consists of the instructions.
pub fn encode_all(instructions: &[EncodedInstruction]) -> Vec<u8> {
    let mut code = Vec::new();
    instructions.iter().for_each(|instruction| encode(instruction, &mut code));
    code
}

/// Appends a switch that is at `pc` of its method; `moved` says what becomes of its distances.
pub(crate) fn encode_switch(switch: &EncodedSwitch, pc: usize, moved: impl Fn(i32) -> i32, code: &mut Vec<u8>) {
    if !switch.is_table() {
        let cases: Vec<(i32, i32)> = switch.cases().map(|(key, offset)| (key, moved(offset))).collect();
        return encode_lookup(pc, moved(switch.default()), &cases, code);
    }
    code.push(TABLESWITCH);
    code.extend(std::iter::repeat_n(0, padding(pc)));
    code.extend(moved(switch.default()).to_be_bytes());
    code.extend(switch.bounds());
    for (_, offset) in switch.cases() {
        code.extend(moved(offset).to_be_bytes());
    }
}

/// Appends a `lookupswitch` that is at `pc` of its method: its distances for other keys, and for each key, in their order.
pub(crate) fn encode_lookup(pc: usize, default: i32, cases: &[(i32, i32)], code: &mut Vec<u8>) {
    code.push(LOOKUPSWITCH);
    code.extend(std::iter::repeat_n(0, padding(pc)));
    code.extend(default.to_be_bytes());
    code.extend((cases.len() as u32).to_be_bytes());
    for (key, distance) in cases {
        code.extend(key.to_be_bytes());
        code.extend(distance.to_be_bytes());
    }
}

fn encode_constant(constant: EncodedConstant, code: &mut Vec<u8>) {
    match constant {
        EncodedConstant::Implicit(number, value) => {
            let zero = match number {
                Number::Int => ICONST_0,
                Number::Long => LCONST_0,
                Number::Float => FCONST_0,
                Number::Double => DCONST_0,
            };
            code.push(zero.wrapping_add_signed(value));
        }
        EncodedConstant::Byte(value) => code.extend([BIPUSH, value as u8]),
        EncodedConstant::Short(value) => with_index(SIPUSH, value as u16, code),
        EncodedConstant::Pool(index) => code.extend([LDC, index]),
        EncodedConstant::PoolWide(index) => with_index(LDC_W, index, code),
        EncodedConstant::PoolTwoSlots(index) => with_index(LDC2_W, index, code),
    }
}

/// A load or a store; the opcodes are those for ints, with an explicit variable and with variable 0.
fn encode_variable([explicit, implicit]: [u8; 2], kind: Kind, local: EncodedLocal, code: &mut Vec<u8>) {
    match local.form {
        LocalForm::Implicit => code.push(implicit + 4 * kind as u8 + local.index as u8),
        LocalForm::Byte | LocalForm::Wide => encode_local(explicit + kind as u8, local, code),
    }
}

fn encode_local(opcode: u8, local: EncodedLocal, code: &mut Vec<u8>) {
    match local.form {
        LocalForm::Wide => {
            code.push(WIDE);
            with_index(opcode, local.index, code);
        }
        LocalForm::Implicit | LocalForm::Byte => code.extend([opcode, local.index as u8]),
    }
}

/// The opcodes are for distances of two and of four bytes.
fn encode_jump([narrow, wide]: [u8; 2], Offset { by, is_wide }: Offset, code: &mut Vec<u8>) {
    if is_wide {
        code.push(wide);
        code.extend(by.to_be_bytes());
    } else {
        with_index(narrow, by as u16, code);
    }
}

/// An opcode and an operand of two bytes.
fn with_index(opcode: u8, index: u16, code: &mut Vec<u8>) {
    code.push(opcode);
    code.extend(index.to_be_bytes());
}
