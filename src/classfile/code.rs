//! Decoding of instructions: opcodes, lengths, switch tables (JVMS §6.5).

/// Opcodes that are named somewhere.
pub mod opcode {
    pub const NOP: u8 = 0;
    pub const ACONST_NULL: u8 = 1;
    pub const ICONST_M1: u8 = 2;
    pub const ICONST_0: u8 = 3;
    pub const ICONST_5: u8 = 8;
    pub const LCONST_0: u8 = 9;
    pub const LCONST_1: u8 = 10;
    pub const FCONST_0: u8 = 11;
    pub const FCONST_2: u8 = 13;
    pub const DCONST_0: u8 = 14;
    pub const DCONST_1: u8 = 15;
    pub const BIPUSH: u8 = 16;
    pub const SIPUSH: u8 = 17;
    pub const LDC: u8 = 18;
    pub const LDC_W: u8 = 19;
    pub const LDC2_W: u8 = 20;
    pub const ILOAD: u8 = 21;
    pub const LLOAD: u8 = 22;
    pub const FLOAD: u8 = 23;
    pub const DLOAD: u8 = 24;
    pub const ALOAD: u8 = 25;
    pub const ILOAD_0: u8 = 26;
    pub const ALOAD_0: u8 = 42;
    pub const IALOAD: u8 = 46;
    pub const LALOAD: u8 = 47;
    pub const AALOAD: u8 = 50;
    pub const BALOAD: u8 = 51;
    pub const CALOAD: u8 = 52;
    pub const SALOAD: u8 = 53;
    pub const ISTORE: u8 = 54;
    pub const LSTORE: u8 = 55;
    pub const FSTORE: u8 = 56;
    pub const DSTORE: u8 = 57;
    pub const ASTORE: u8 = 58;
    pub const ISTORE_0: u8 = 59;
    pub const ASTORE_0: u8 = 75;
    pub const ASTORE_3: u8 = 78;
    pub const IASTORE: u8 = 79;
    pub const AASTORE: u8 = 83;
    pub const BASTORE: u8 = 84;
    pub const CASTORE: u8 = 85;
    pub const SASTORE: u8 = 86;
    pub const POP: u8 = 87;
    pub const POP2: u8 = 88;
    pub const DUP: u8 = 89;
    pub const DUP_X1: u8 = 90;
    pub const DUP_X2: u8 = 91;
    pub const DUP2: u8 = 92;
    pub const DUP2_X1: u8 = 93;
    pub const DUP2_X2: u8 = 94;
    pub const SWAP: u8 = 95;
    pub const IADD: u8 = 96;
    pub const INEG: u8 = 116;
    pub const ISHL: u8 = 120;
    pub const IINC: u8 = 132;
    pub const I2L: u8 = 133;
    pub const I2F: u8 = 134;
    pub const I2D: u8 = 135;
    pub const L2I: u8 = 136;
    pub const L2F: u8 = 137;
    pub const L2D: u8 = 138;
    pub const F2L: u8 = 140;
    pub const F2D: u8 = 141;
    pub const D2L: u8 = 143;
    pub const I2B: u8 = 145;
    pub const I2C: u8 = 146;
    pub const I2S: u8 = 147;
    pub const LCMP: u8 = 148;
    pub const FCMPL: u8 = 149;
    pub const FCMPG: u8 = 150;
    pub const DCMPL: u8 = 151;
    pub const DCMPG: u8 = 152;
    pub const IFEQ: u8 = 153;
    pub const IFNE: u8 = 154;
    pub const IFLT: u8 = 155;
    pub const IFGE: u8 = 156;
    pub const IFGT: u8 = 157;
    pub const IFLE: u8 = 158;
    pub const IF_ICMPEQ: u8 = 159;
    pub const IF_ICMPNE: u8 = 160;
    pub const IF_ICMPLT: u8 = 161;
    pub const IF_ICMPGE: u8 = 162;
    pub const IF_ICMPGT: u8 = 163;
    pub const IF_ICMPLE: u8 = 164;
    pub const IF_ACMPEQ: u8 = 165;
    pub const IF_ACMPNE: u8 = 166;
    pub const GOTO: u8 = 167;
    pub const JSR: u8 = 168;
    pub const RET: u8 = 169;
    pub const TABLESWITCH: u8 = 170;
    pub const LOOKUPSWITCH: u8 = 171;
    pub const IRETURN: u8 = 172;
    pub const ARETURN: u8 = 176;
    pub const RETURN: u8 = 177;
    pub const GETSTATIC: u8 = 178;
    pub const PUTSTATIC: u8 = 179;
    pub const GETFIELD: u8 = 180;
    pub const PUTFIELD: u8 = 181;
    pub const INVOKEVIRTUAL: u8 = 182;
    pub const INVOKESPECIAL: u8 = 183;
    pub const INVOKESTATIC: u8 = 184;
    pub const INVOKEINTERFACE: u8 = 185;
    pub const INVOKEDYNAMIC: u8 = 186;
    pub const NEW: u8 = 187;
    pub const NEWARRAY: u8 = 188;
    pub const ANEWARRAY: u8 = 189;
    pub const ARRAYLENGTH: u8 = 190;
    pub const ATHROW: u8 = 191;
    pub const CHECKCAST: u8 = 192;
    pub const INSTANCEOF: u8 = 193;
    pub const MONITORENTER: u8 = 194;
    pub const MONITOREXIT: u8 = 195;
    pub const WIDE: u8 = 196;
    pub const MULTIANEWARRAY: u8 = 197;
    pub const IFNULL: u8 = 198;
    pub const IFNONNULL: u8 = 199;
    pub const GOTO_W: u8 = 200;
    pub const JSR_W: u8 = 201;
}

/// Lengths by opcode; 0 where the length varies or no such instruction exists.
const LENGTHS: [u8; 202] = {
    let mut lengths = [1u8; 202];
    lengths[opcode::BIPUSH as usize] = 2;
    lengths[opcode::SIPUSH as usize] = 3;
    lengths[opcode::LDC as usize] = 2;
    lengths[opcode::LDC_W as usize] = 3;
    lengths[opcode::LDC2_W as usize] = 3;
    let mut at = opcode::ILOAD as usize;
    while at <= opcode::ALOAD as usize {
        lengths[at] = 2;
        lengths[at - opcode::ILOAD as usize + opcode::ISTORE as usize] = 2;
        at += 1;
    }
    lengths[opcode::IINC as usize] = 3;
    at = opcode::IFEQ as usize;
    while at <= opcode::JSR as usize {
        lengths[at] = 3;
        at += 1;
    }
    lengths[opcode::RET as usize] = 2;
    lengths[opcode::TABLESWITCH as usize] = 0;
    lengths[opcode::LOOKUPSWITCH as usize] = 0;
    at = opcode::GETSTATIC as usize;
    while at <= opcode::INVOKESTATIC as usize {
        lengths[at] = 3;
        at += 1;
    }
    lengths[opcode::INVOKEINTERFACE as usize] = 5;
    lengths[opcode::INVOKEDYNAMIC as usize] = 5;
    lengths[opcode::NEW as usize] = 3;
    lengths[opcode::NEWARRAY as usize] = 2;
    lengths[opcode::ANEWARRAY as usize] = 3;
    lengths[opcode::CHECKCAST as usize] = 3;
    lengths[opcode::INSTANCEOF as usize] = 3;
    lengths[opcode::WIDE as usize] = 0;
    lengths[opcode::MULTIANEWARRAY as usize] = 4;
    lengths[opcode::IFNULL as usize] = 3;
    lengths[opcode::IFNONNULL as usize] = 3;
    lengths[opcode::GOTO_W as usize] = 5;
    lengths[opcode::JSR_W as usize] = 5;
    lengths
};

/// One instruction of a method, whole within its code.
#[derive(Clone, Copy)]
pub(crate) struct Instruction<'a> {
    pub(crate) pc: usize,
    pub(crate) opcode: u8,
    /// Opcode and operands.
    pub(crate) bytes: &'a [u8],
}

impl Instruction<'_> {
    /// The operand at `offset` from the opcode.
    pub(crate) fn u2(&self, offset: usize) -> u16 {
        u16::from_be_bytes([self.bytes[offset], self.bytes[offset + 1]])
    }

    fn i4(&self, offset: usize) -> i32 {
        let bytes = &self.bytes[offset..offset + 4];
        i32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
    }

    pub(crate) fn is_conditional_jump(&self) -> bool {
        matches!(self.opcode, opcode::IFEQ..=opcode::IF_ACMPNE | opcode::IFNULL | opcode::IFNONNULL)
    }

    /// The offset of a jump, relative to the instruction; `None` for anything else, switches included.
    pub(crate) fn jump(&self) -> Option<i32> {
        match self.opcode {
            opcode::IFEQ..=opcode::JSR | opcode::IFNULL | opcode::IFNONNULL => Some(i32::from(self.u2(1) as i16)),
            opcode::GOTO_W | opcode::JSR_W => Some(self.i4(1)),
            _ => None,
        }
    }

    /// The decoded table of a switch; `None` for other instructions.
    pub(crate) fn switch(&self) -> Option<Switch> {
        let start = 4 - self.pc % 4;
        let cases = match self.opcode {
            opcode::TABLESWITCH => {
                let low = self.i4(start + 4);
                let entries = (self.bytes.len() - start - 12) / 4;
                (0..entries).map(|at| (low.wrapping_add(at as i32), self.i4(start + 12 + 4 * at))).collect()
            }
            opcode::LOOKUPSWITCH => {
                let entries = (self.bytes.len() - start - 8) / 8;
                (0..entries).map(|at| (self.i4(start + 8 + 8 * at), self.i4(start + 12 + 8 * at))).collect()
            }
            _ => return None,
        };
        Some(Switch { default: self.i4(start), cases })
    }
}

/// Where a switch goes; offsets are relative to the instruction.
pub(crate) struct Switch {
    pub(crate) default: i32,
    /// Key and offset, in order of the keys.
    pub(crate) cases: Vec<(i32, i32)>,
}

/// The instructions of a method's code in order; an `Err` holds the pc of what is no instruction, and is the last.
pub(crate) fn instructions(code: &[u8]) -> impl Iterator<Item = Result<Instruction<'_>, usize>> {
    let mut pc = 0;
    std::iter::from_fn(move || {
        if pc >= code.len() {
            return None;
        }
        let at = pc;
        let bytes = length_at(code, at).and_then(|length| code.get(at..at.checked_add(length)?));
        pc = bytes.map_or(code.len(), |bytes| at + bytes.len());
        Some(bytes.map(|bytes| Instruction { pc: at, opcode: bytes[0], bytes }).ok_or(at))
    })
}

fn length_at(code: &[u8], pc: usize) -> Option<usize> {
    let fixed = *LENGTHS.get(usize::from(code[pc]))?;
    if fixed != 0 {
        return Some(usize::from(fixed));
    }
    let i4 = |at: usize| Some(i64::from(i32::from_be_bytes(code.get(at..at + 4)?.try_into().ok()?)));
    let table = (pc + 4) & !3;
    let length = match code[pc] {
        opcode::TABLESWITCH => {
            let entries = i4(table + 8)? - i4(table + 4)? + 1;
            (table - pc) as i64 + 12 + 4 * (entries > 0).then_some(entries)?
        }
        opcode::LOOKUPSWITCH => {
            let entries = i4(table + 4)?;
            (table - pc) as i64 + 8 + 8 * (entries >= 0).then_some(entries)?
        }
        _ => match *code.get(pc + 1)? {
            opcode::IINC => 6,
            opcode::ILOAD..=opcode::ALOAD | opcode::ISTORE..=opcode::ASTORE | opcode::RET => 4,
            _ => return None,
        },
    };
    usize::try_from(length).ok()
}
