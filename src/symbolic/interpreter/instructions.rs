//! What each instruction does (JVMS §6.5), calls aside.

use super::{End, Frame, Machine, Next, Run, Stop};
use crate::classfile::opcode::*;
use crate::classfile::{Operand, Step};
use crate::jvm::{Literal, Primitive, Type};
use crate::symbolic::heap::{Object, Reference, Value};
use crate::symbolic::term::{Relation, Term};

/// Arrays up to this length are read and written at an unknown index by a case for each element.
const CASES: usize = 64;

/// Terms of more nodes are not made: they are looked at again and again, as trees.
const LARGEST: u32 = 500;

impl Frame {
    fn pop(&mut self) -> Value {
        self.stack.pop().expect("the class file was verified, or the worker would not run it")
    }

    /// The last `count` values, the first pushed first.
    pub(super) fn pop_all(&mut self, count: usize) -> Vec<Value> {
        self.stack.split_off(self.stack.len() - count)
    }

    fn store(&mut self, local: u16, value: Value) {
        let local = usize::from(local);
        if self.locals.len() <= local {
            self.locals.resize(local + 1, Value::Int(0));
        }
        self.locals[local] = value;
    }
}

impl Machine<'_, '_, '_> {
    pub(super) fn step(&mut self, frame: &mut Frame, step: &Step) -> Run<Next> {
        let next = Next::Step(frame.at + 1);
        match (step.opcode, &step.operand) {
            (NOP, _) => {}
            (ACONST_NULL, _) => frame.stack.push(Value::Null),
            (LDC, Operand::Constant(literal)) => {
                let value = self.constant(literal)?;
                frame.stack.push(value);
            }
            (ILOAD..=ALOAD, &Operand::Local(local)) => {
                let value = frame.locals.get(usize::from(local)).copied();
                frame.stack.push(value.expect("a variable is written before it is read"));
            }
            (ISTORE..=ASTORE, &Operand::Local(local)) => {
                let value = frame.pop();
                frame.store(local, value);
            }
            (IINC, &Operand::Increment { local, by }) => {
                let value = frame.locals[usize::from(local)];
                let sum = self.arithmetic(IADD, &[value, Value::Int(by)])?;
                frame.store(local, sum);
            }
            (IALOAD..=SALOAD, _) => {
                let index = frame.pop();
                let (array, index) = self.element(frame.pop(), index)?;
                frame.stack.push(self.heap.elements(array)[index]);
            }
            (IASTORE..=SASTORE, _) => {
                let (value, index) = (frame.pop(), frame.pop());
                let (array, index) = self.element(frame.pop(), index)?;
                let value = self.stored(step.opcode, array, value)?;
                self.heap.elements_mut(array)[index] = value;
            }
            (POP..=SWAP, _) => self.rearrange(frame, step.opcode),
            (IADD..IINC, _) => {
                let count = if (INEG..ISHL).contains(&step.opcode) { 1 } else { 2 };
                let operands = frame.pop_all(count);
                let value = self.arithmetic(step.opcode, &operands)?;
                frame.stack.push(value);
            }
            (I2L..=I2S, _) => {
                let operand = frame.pop();
                let value = self.arithmetic(step.opcode, &[operand])?;
                frame.stack.push(value);
            }
            (LCMP, _) => {
                let operands = frame.pop_all(2);
                let value = self.arithmetic(LCMP, &operands)?;
                frame.stack.push(value);
            }
            (FCMPL..=DCMPG, _) => {
                let operands = frame.pop_all(2);
                frame.stack.push(compare_floating(step.opcode, operands[0], operands[1]));
            }
            (IFEQ..=IFLE, &Operand::Jump(target)) => {
                let value = frame.pop();
                return self.jump(step.opcode - IFEQ, value, Value::Int(0), target, next);
            }
            (IF_ICMPEQ..=IF_ICMPLE, &Operand::Jump(target)) => {
                let (right, left) = (frame.pop(), frame.pop());
                return self.jump(step.opcode - IF_ICMPEQ, left, right, target, next);
            }
            (IF_ACMPEQ | IF_ACMPNE, &Operand::Jump(target)) => {
                let is_same = frame.pop() == frame.pop();
                return Ok(if is_same == (step.opcode == IF_ACMPEQ) { Next::Step(target) } else { next });
            }
            (IFNULL | IFNONNULL, &Operand::Jump(target)) => {
                let is_null = frame.pop() == Value::Null;
                return Ok(if is_null == (step.opcode == IFNULL) { Next::Step(target) } else { next });
            }
            (GOTO, &Operand::Jump(target)) => return Ok(Next::Step(target)),
            (TABLESWITCH | LOOKUPSWITCH, Operand::Switch { default, cases }) => {
                let key = frame.pop();
                for &(case, target) in cases {
                    if self.holds(Relation::Equal, key, Value::Int(case))? {
                        return Ok(Next::Step(target));
                    }
                }
                return Ok(Next::Step(*default));
            }
            (IRETURN..=ARETURN, _) => return Ok(Next::Return(Some(frame.pop()))),
            (RETURN, _) => return Ok(Next::Return(None)),
            (GETSTATIC..=PUTFIELD, Operand::Field(member)) => {
                let Some((field, is_static)) = self.world.classes.field(member) else {
                    return Err(End::Stopped(Stop::Unsupported(format!("the missing field {}", member.name))));
                };
                if is_static {
                    self.initialise(field.class)?;
                }
                match step.opcode {
                    GETSTATIC => {
                        let values = self.heap.statics(field.class).expect("it was initialised");
                        frame.stack.push(values[field.slot]);
                    }
                    PUTSTATIC => {
                        let value = self.narrowed(&member.field_type, frame.pop())?;
                        self.heap.set_static(field.class, field.slot, value);
                    }
                    GETFIELD => {
                        let object = self.object(frame.pop())?;
                        let Some(&value) = self.heap.fields(object).get(field.slot) else {
                            return Err(self.unsupported(frame.method));
                        };
                        frame.stack.push(value);
                    }
                    _ => {
                        let value = self.narrowed(&member.field_type, frame.pop())?;
                        let object = self.object(frame.pop())?;
                        self.heap.set_field(object, field.slot, value);
                    }
                }
            }
            (INVOKEVIRTUAL..=INVOKEINTERFACE, Operand::Method(member)) => self.call(frame, step.opcode, member)?,
            (INVOKEDYNAMIC, Operand::CallSite(site)) => self.call_dynamic(frame, site)?,
            (NEW, Operand::Type(Type::Class(name))) => {
                let class = self.link(name)?;
                let object = self.instantiate(class)?;
                frame.stack.push(Value::Reference(object));
            }
            (NEWARRAY | ANEWARRAY, Operand::Type(of)) => {
                let length = frame.pop();
                let length = self.length(length)?;
                let array = self.new_array(of, length)?;
                frame.stack.push(Value::Reference(array));
            }
            (MULTIANEWARRAY, Operand::Dimensions(of, count)) => {
                let mut lengths = Vec::new();
                for length in frame.pop_all(usize::from(*count)) {
                    lengths.push(self.length(length)?);
                }
                let array = self.nested_array(of, &lengths)?;
                frame.stack.push(Value::Reference(array));
            }
            (ARRAYLENGTH, _) => {
                let array = self.object(frame.pop())?;
                frame.stack.push(Value::Int(self.heap.elements(array).len() as i32));
            }
            (ATHROW, _) => {
                let exception = self.object(frame.pop())?;
                return Err(End::Threw(exception));
            }
            (CHECKCAST, Operand::Type(of)) => {
                let value = *frame.stack.last().expect("what is cast is on the stack");
                self.cast(value, of)?;
            }
            (INSTANCEOF, Operand::Type(of)) => {
                let is_instance = match frame.pop() {
                    Value::Reference(object) => self.is_instance(object, of)?,
                    _ => false,
                };
                frame.stack.push(Value::boolean(is_instance));
            }
            (MONITORENTER | MONITOREXIT, _) => drop(self.object(frame.pop())?),
            // Subroutines, dynamic constants, method handles.
            _ => return Err(self.unsupported(frame.method)),
        }
        Ok(next)
    }

    /// Duplicates, drops and swaps, by the forms of JVMS §6.5.
    fn rearrange(&mut self, frame: &mut Frame, opcode: u8) {
        let top = frame.pop();
        match opcode {
            POP => {}
            POP2 => {
                if !self.is_wide(top) {
                    frame.pop();
                }
            }
            SWAP => {
                let below = frame.pop();
                frame.stack.extend([top, below]);
            }
            DUP..=DUP_X2 => self.insert(frame, &[top], opcode - DUP),
            _ if self.is_wide(top) => self.insert(frame, &[top], opcode - DUP2),
            _ => {
                let below = frame.pop();
                self.insert(frame, &[below, top], opcode - DUP2);
            }
        }
    }

    /// Puts the values below so many slots, and on top.
    fn insert(&mut self, frame: &mut Frame, values: &[Value], slots: u8) {
        let mut above = Vec::new();
        let mut left = slots;
        while left > 0 {
            let value = frame.pop();
            left -= if self.is_wide(value) { 2 } else { 1 };
            above.push(value);
        }
        frame.stack.extend_from_slice(values);
        frame.stack.extend(above.into_iter().rev());
        frame.stack.extend_from_slice(values);
    }

    pub(super) fn arithmetic(&mut self, opcode: u8, operands: &[Value]) -> Run<Value> {
        let is_division = matches!(opcode, IDIV | LDIV | IREM | LREM);
        if is_division {
            let zero = if self.is_wide(operands[1]) { Value::Long(0) } else { Value::Int(0) };
            if self.holds(Relation::Equal, operands[1], zero)? {
                return self.throw("java/lang/ArithmeticException", Some("/ by zero"));
            }
        }
        if operands.iter().any(|operand| matches!(operand, Value::Symbol(_))) {
            return self.symbolic(opcode, operands);
        }
        Ok(match (opcode, operands) {
            (IADD, &[Value::Int(left), Value::Int(right)]) => Value::Int(left.wrapping_add(right)),
            (LCMP, &[Value::Long(left), Value::Long(right)]) => Value::Int(left.cmp(&right) as i32),
            _ => {
                let known: Option<Vec<Literal>> = operands.iter().map(|operand| operand.literal()).collect();
                let result = known.and_then(|known| crate::analysis::fold::arithmetic(opcode, &known));
                let Some(result) = result else {
                    unreachable!("{opcode} of {operands:?}: the class file was verified")
                };
                Value::of_literal(&result).expect("arithmetic makes numbers")
            }
        })
    }

    fn symbolic(&mut self, opcode: u8, operands: &[Value]) -> Run<Value> {
        if matches!(opcode, I2F | I2D | L2F | L2D) {
            let known = self.narrow(operands[0], "floating-point arithmetic")?;
            return self.arithmetic(opcode, &[known]);
        }
        let operands: Vec<Term> = operands.iter().map(|&operand| self.term(operand)).collect();
        if operands.iter().map(|&operand| self.world.terms.size(operand)).sum::<u32>() > LARGEST {
            let mut known = Vec::new();
            for operand in operands {
                known.push(self.narrow(Value::Symbol(operand), "a long calculation")?);
            }
            return self.arithmetic(opcode, &known);
        }
        let term = self.world.terms.operation(opcode, operands).expect("no divisor is zero here");
        Ok(match self.world.terms.literal(term) {
            Some(literal) => Value::of_literal(&literal).expect("terms are numbers"),
            None => Value::Symbol(term),
        })
    }

    /// The six conditions of jumps, in the order of their opcodes.
    fn jump(&mut self, condition: u8, left: Value, right: Value, target: usize, next: Next) -> Run<Next> {
        let holds = match condition {
            0 => self.holds(Relation::Equal, left, right)?,
            1 => self.holds(Relation::NotEqual, left, right)?,
            2 => self.holds(Relation::Less, left, right)?,
            3 => self.holds(Relation::LessOrEqual, right, left)?,
            4 => self.holds(Relation::Less, right, left)?,
            _ => self.holds(Relation::LessOrEqual, left, right)?,
        };
        Ok(if holds { Next::Step(target) } else { next })
    }

    pub(super) fn holds(&mut self, relation: Relation, left: Value, right: Value) -> Run<bool> {
        match (left, right) {
            (Value::Int(left), Value::Int(right)) => Ok(relation.holds(left.into(), right.into())),
            _ => self.decide(relation, left, right),
        }
    }

    pub(super) fn object(&mut self, value: Value) -> Run<Reference> {
        match value {
            Value::Reference(reference) => Ok(reference),
            _ => self.null_pointer(),
        }
    }

    /// The array, and an index that it has.
    fn element(&mut self, array: Value, index: Value) -> Run<(Reference, usize)> {
        let array = self.object(array)?;
        let length = self.heap.elements(array).len();
        if let Value::Int(known) = index {
            return match usize::try_from(known).ok().filter(|&index| index < length) {
                Some(index) => Ok((array, index)),
                None => {
                    let message = format!("Index {known} out of bounds for length {length}");
                    self.throw("java/lang/ArrayIndexOutOfBoundsException", Some(&message))
                }
            };
        }
        let end = Value::Int(length as i32);
        if self.holds(Relation::Less, index, Value::Int(0))? || self.holds(Relation::LessOrEqual, end, index)? {
            return self.throw("java/lang/ArrayIndexOutOfBoundsException", None);
        }
        if length > CASES {
            let Value::Int(known) = self.narrow(index, "an index of a long array")? else {
                unreachable!("it is an int")
            };
            return Ok((array, known as usize));
        }
        for case in 0..length - 1 {
            if self.holds(Relation::Equal, index, Value::Int(case as i32))? {
                return Ok((array, case));
            }
        }
        Ok((array, length - 1))
    }

    /// The value as an array of the type keeps it.
    fn stored(&mut self, opcode: u8, array: Reference, value: Value) -> Run<Value> {
        let Object::Array { of: Type::Array(element), .. } = self.heap.object(array) else { return Ok(value) };
        let element = (**element).clone();
        if opcode == AASTORE
            && let Value::Reference(object) = value
            && !self.is_instance(object, &element)?
        {
            let name = self.type_of(object).to_string();
            return self.throw("java/lang/ArrayStoreException", Some(&name));
        }
        self.narrowed(&element, value)
    }

    /// The value as a field or an element of the type keeps it: ints lose what does not fit.
    fn narrowed(&mut self, of: &Type, value: Value) -> Run<Value> {
        match of {
            Type::Primitive(Primitive::Byte) => self.arithmetic(I2B, &[value]),
            Type::Primitive(Primitive::Char) => self.arithmetic(I2C, &[value]),
            Type::Primitive(Primitive::Short) => self.arithmetic(I2S, &[value]),
            Type::Primitive(Primitive::Boolean) => self.arithmetic(IAND, &[value, Value::Int(1)]),
            _ => Ok(value),
        }
    }

    /// A length as a number.
    pub(super) fn length(&mut self, length: Value) -> Run<usize> {
        if self.holds(Relation::Less, length, Value::Int(0))? {
            let message =
                length.literal().map(|length| format!("{}", crate::symbolic::term::number(&length).unwrap_or(0)));
            return self.throw("java/lang/NegativeArraySizeException", message.as_deref());
        }
        match self.narrow(length, "the length of an array")? {
            Value::Int(length) if length as usize <= super::LONGEST => Ok(length as usize),
            _ => Err(End::Stopped(Stop::Large)),
        }
    }

    pub(super) fn new_array(&mut self, of: &Type, length: usize) -> Run<Reference> {
        let Type::Array(element) = of else { unreachable!("{of} is an array's type") };
        self.array(of.clone(), vec![Value::zero(element); length])
    }

    fn nested_array(&mut self, of: &Type, lengths: &[usize]) -> Run<Reference> {
        let (&length, inner) = lengths.split_first().expect("an array has a dimension");
        let array = self.new_array(of, length)?;
        if let (Type::Array(element), false) = (of, inner.is_empty()) {
            for index in 0..length {
                let nested = self.nested_array(element, inner)?;
                self.heap.elements_mut(array)[index] = Value::Reference(nested);
            }
        }
        Ok(array)
    }

    /// Throws unless the value is of the type, or null.
    pub(in crate::symbolic) fn cast(&mut self, value: Value, of: &Type) -> Run<()> {
        match value {
            Value::Reference(object) if !self.is_instance(object, of)? => {
                self.throw("java/lang/ClassCastException", None)
            }
            _ => Ok(()),
        }
    }

    pub(super) fn is_instance(&mut self, object: Reference, of: &Type) -> Run<bool> {
        let from = self.type_of(object);
        let missing = || End::Stopped(Stop::Unsupported(format!("the missing class {of}")));
        self.world.classes.is_assignable(&from, of).ok_or_else(missing)
    }
}

const IDIV: u8 = IADD + 12;
const LDIV: u8 = IADD + 13;
const IREM: u8 = IADD + 16;
const LREM: u8 = IADD + 17;
const IAND: u8 = IADD + 30;

/// −1, 0 or 1; of NaN what the instruction says.
fn compare_floating(opcode: u8, left: Value, right: Value) -> Value {
    let number = |value| match value {
        Value::Float(bits) => f64::from(f32::from_bits(bits)),
        Value::Double(bits) => f64::from_bits(bits),
        _ => unreachable!("no floating-point number is symbolic"),
    };
    let of_nan = if matches!(opcode, FCMPL | DCMPL) { -1 } else { 1 };
    Value::Int(number(left).partial_cmp(&number(right)).map_or(of_nan, |order| order as i32))
}
