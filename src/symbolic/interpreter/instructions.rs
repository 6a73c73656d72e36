//! What each instruction does (JVMS §6.5), calls aside.

use super::{AbruptEnd, Interpreter, InterpreterFrame, Next, RunResult, Stop};
use crate::heap::{HeapObject, Reference, SymbolicValue};
use crate::term::{Term, TermOperation, TermRelation};
use bytecode::classfile::instruction::{
    Arithmetic, BinaryOperator, Bitwise, Comparison, Condition, Conversion, Element, FieldAccess, Integral, Number,
    Order, StackOperation,
};
use bytecode::classfile::{Constant, FieldMember, Instruction, Step};
use model::jvm::{Literal, Primitive, Type};
use std::sync::Arc;

/// Arrays up to this length are read and written at an unknown index by a case for each element.
const CASES: usize = 64;

/// Most nodes of a term. Larger ones are not built, because every use traverses them.
const LARGEST: u32 = 500;

impl InterpreterFrame {
    fn pop(&mut self) -> SymbolicValue {
        self.stack.pop().expect("the class file was verified, or the worker would not run it")
    }

    /// The last `count` values, the first pushed first.
    pub(super) fn pop_all(&mut self, count: usize) -> Vec<SymbolicValue> {
        self.stack.split_off(self.stack.len() - count)
    }

    fn store(&mut self, local: u16, value: SymbolicValue) {
        let local = usize::from(local);
        if self.locals.len() <= local {
            self.locals.resize(local + 1, SymbolicValue::Int(0));
        }
        self.locals[local] = value;
    }
}

impl Interpreter<'_, '_, '_> {
    pub(super) fn step(&mut self, frame: &mut InterpreterFrame, step: &Step) -> RunResult<Next> {
        let next = Next::Step(frame.at + 1);
        match &step.instruction {
            Instruction::Nop => {}
            Instruction::Null => frame.stack.push(SymbolicValue::Null),
            Instruction::Constant(Constant::Literal(literal)) => {
                let value = self.constant(literal)?;
                frame.stack.push(value);
            }
            Instruction::Load { local, .. } => {
                let value = frame.locals.get(usize::from(*local)).copied();
                frame.stack.push(value.expect("a variable is written before it is read"));
            }
            Instruction::Store { local, .. } => {
                let value = frame.pop();
                frame.store(*local, value);
            }
            Instruction::Increment { local, by } => {
                let value = frame.locals[usize::from(*local)];
                let by = SymbolicValue::Int((*by).into());
                let sum = self.operation(TermOperation::Arithmetic(Arithmetic::INT_ADDITION), &[value, by])?;
                frame.store(*local, sum);
            }
            Instruction::Stack(operation) => self.rearrange(frame, *operation),
            Instruction::Arithmetic(arithmetic) => {
                let operands = frame.pop_all(arithmetic.operands());
                let value = self.operation(TermOperation::Arithmetic(*arithmetic), &operands)?;
                frame.stack.push(value);
            }
            Instruction::Compare(comparison) => {
                let operands = frame.pop_all(2);
                let value = self.compare(*comparison, &operands)?;
                frame.stack.push(value);
            }
            Instruction::Branch { condition, target } => {
                let is_taken = self.is_taken(frame, *condition)?;
                return Ok(if is_taken { Next::Step(*target) } else { next });
            }
            Instruction::Goto { target } => return Ok(Next::Step(*target)),
            Instruction::Switch(switch) => {
                let key = frame.pop();
                for &(case, target) in &switch.cases {
                    if self.holds(TermRelation::Equal, key, SymbolicValue::Int(case))? {
                        return Ok(Next::Step(target));
                    }
                }
                return Ok(Next::Step(switch.default));
            }
            Instruction::Return(Some(_)) => return Ok(Next::Return(Some(frame.pop()))),
            Instruction::Return(None) => return Ok(Next::Return(None)),
            Instruction::Field { access, field } => self.access(frame, *access, field)?,
            Instruction::Invoke { kind, method } => self.call(frame, *kind, method)?,
            Instruction::InvokeDynamic(site) => self.call_dynamic(frame, site)?,
            Instruction::Throw => {
                let exception = self.object(frame.pop())?;
                return Err(AbruptEnd::Threw(exception));
            }
            Instruction::MonitorEnter | Instruction::MonitorExit => drop(self.object(frame.pop())?),
            Instruction::Constant(Constant::Dynamic { .. })
            | Instruction::JumpSubroutine { .. }
            | Instruction::ReturnSubroutine { .. } => return Err(self.unsupported(frame.method)),
            _ => self.object_step(frame, step)?,
        }
        Ok(next)
    }

    /// Instructions on objects and arrays: those that [`Machine::step`] does not do itself.
    fn object_step(&mut self, frame: &mut InterpreterFrame, step: &Step) -> RunResult<()> {
        match &step.instruction {
            Instruction::New(Type::Class(name)) => {
                let class = self.link(name)?;
                let object = self.instantiate(class)?;
                frame.stack.push(SymbolicValue::Reference(object));
            }
            Instruction::NewArray(of) => {
                let length = frame.pop();
                let length = self.length(length)?;
                let array = self.new_array(of, length)?;
                frame.stack.push(SymbolicValue::Reference(array));
            }
            Instruction::NewMultiArray { array, dimensions } => {
                let mut lengths = Vec::new();
                for length in frame.pop_all(usize::from(*dimensions)) {
                    lengths.push(self.length(length)?);
                }
                let array = self.nested_array(array, &lengths)?;
                frame.stack.push(SymbolicValue::Reference(array));
            }
            Instruction::ArrayLoad(_) => {
                let index = frame.pop();
                let (array, index) = self.element(frame.pop(), index)?;
                frame.stack.push(self.heap.elements(array)[index]);
            }
            Instruction::ArrayStore(element) => {
                let (value, index) = (frame.pop(), frame.pop());
                let (array, index) = self.element(frame.pop(), index)?;
                let value = self.stored(*element, array, value)?;
                self.heap.elements_mut(array)[index] = value;
            }
            Instruction::ArrayLength => {
                let array = self.object(frame.pop())?;
                frame.stack.push(SymbolicValue::Int(self.heap.elements(array).len() as i32));
            }
            Instruction::CheckCast(of) => {
                let value = *frame.stack.last().expect("what is cast is on the stack");
                self.cast(value, of)?;
            }
            Instruction::InstanceOf(of) => {
                let is_instance = match frame.pop() {
                    SymbolicValue::Reference(object) => self.is_instance(object, of)?,
                    _ => false,
                };
                frame.stack.push(SymbolicValue::boolean(is_instance));
            }
            _ => return Err(self.unsupported(frame.method)),
        }
        Ok(())
    }

    fn access(
        &mut self,
        frame: &mut InterpreterFrame,
        access: FieldAccess,
        member: &Arc<FieldMember>,
    ) -> RunResult<()> {
        let Some((field, is_static)) = self.world.classes.field(member) else {
            return Err(AbruptEnd::Stopped(Stop::Unsupported(format!("the missing field {}", member.name))));
        };
        if is_static {
            self.initialise(field.class)?;
        }
        match access {
            FieldAccess::GetStatic => {
                let values = self.heap.statics(field.class).expect("it was initialised");
                frame.stack.push(values[field.slot]);
            }
            FieldAccess::PutStatic => {
                let value = self.narrowed(&member.field_type, frame.pop())?;
                self.heap.set_static(field.class, field.slot, value);
            }
            FieldAccess::Get => {
                let object = self.object(frame.pop())?;
                let Some(&value) = self.heap.fields(object).get(field.slot) else {
                    return Err(self.unsupported(frame.method));
                };
                frame.stack.push(value);
            }
            FieldAccess::Put => {
                let value = self.narrowed(&member.field_type, frame.pop())?;
                let object = self.object(frame.pop())?;
                self.heap.set_field(object, field.slot, value);
            }
        }
        Ok(())
    }

    /// Takes the operands of a conditional jump off the stack.
    fn is_taken(&mut self, frame: &mut InterpreterFrame, condition: Condition) -> RunResult<bool> {
        match condition {
            Condition::Zero(order) => {
                let value = frame.pop();
                self.compares(order, value, SymbolicValue::Int(0))
            }
            Condition::Ints(order) => {
                let (right, left) = (frame.pop(), frame.pop());
                self.compares(order, left, right)
            }
            Condition::Same => Ok(frame.pop() == frame.pop()),
            Condition::NotSame => Ok(frame.pop() != frame.pop()),
            Condition::Null => Ok(frame.pop() == SymbolicValue::Null),
            Condition::NonNull => Ok(frame.pop() != SymbolicValue::Null),
        }
    }

    fn compare(&mut self, comparison: Comparison, operands: &[SymbolicValue]) -> RunResult<SymbolicValue> {
        let of_nan = match comparison {
            Comparison::Long => return self.operation(TermOperation::CompareLongs, operands),
            Comparison::FloatLess | Comparison::DoubleLess => -1,
            Comparison::FloatGreater | Comparison::DoubleGreater => 1,
        };
        Ok(compare_floating(operands[0], operands[1], of_nan))
    }

    /// Duplicates, drops and swaps, by the forms of JVMS §6.5.
    fn rearrange(&mut self, frame: &mut InterpreterFrame, operation: StackOperation) {
        let top = frame.pop();
        // Below how many slots the copy goes.
        let below = match operation {
            StackOperation::Pop => return,
            StackOperation::Pop2 => {
                if !self.is_wide(top) {
                    frame.pop();
                }
                return;
            }
            StackOperation::Swap => {
                let below = frame.pop();
                return frame.stack.extend([top, below]);
            }
            StackOperation::Dup => return self.insert(frame, &[top], 0),
            StackOperation::DupX1 => return self.insert(frame, &[top], 1),
            StackOperation::DupX2 => return self.insert(frame, &[top], 2),
            StackOperation::Dup2 => 0,
            StackOperation::Dup2X1 => 1,
            StackOperation::Dup2X2 => 2,
        };
        if self.is_wide(top) {
            self.insert(frame, &[top], below);
        } else {
            let second = frame.pop();
            self.insert(frame, &[second, top], below);
        }
    }

    /// Puts the values below so many slots, and on top.
    fn insert(&mut self, frame: &mut InterpreterFrame, values: &[SymbolicValue], slots: u8) {
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

    pub(super) fn operation(&mut self, of: TermOperation, operands: &[SymbolicValue]) -> RunResult<SymbolicValue> {
        if is_integer_division(of) {
            let zero = if self.is_wide(operands[1]) { SymbolicValue::Long(0) } else { SymbolicValue::Int(0) };
            if self.holds(TermRelation::Equal, operands[1], zero)? {
                return self.throw("java/lang/ArithmeticException", Some("/ by zero"));
            }
        }
        if operands.iter().any(|operand| matches!(operand, SymbolicValue::Symbol(_))) {
            return self.symbolic(of, operands);
        }
        Ok(match (of, operands) {
            (
                TermOperation::Arithmetic(Arithmetic::INT_ADDITION),
                &[SymbolicValue::Int(left), SymbolicValue::Int(right)],
            ) => SymbolicValue::Int(left.wrapping_add(right)),
            (TermOperation::CompareLongs, &[SymbolicValue::Long(left), SymbolicValue::Long(right)]) => {
                SymbolicValue::Int(left.cmp(&right) as i32)
            }
            (TermOperation::Arithmetic(arithmetic), _) => {
                let known: Option<Vec<Literal>> = operands.iter().map(|operand| operand.literal()).collect();
                let result = known.and_then(|known| bytecode::analysis::fold::arithmetic(arithmetic, &known));
                let Some(result) = result else {
                    unreachable!("{arithmetic:?} of {operands:?}: the class file was verified")
                };
                SymbolicValue::of_literal(&result).expect("arithmetic makes numbers")
            }
            (TermOperation::CompareLongs, _) => unreachable!("lcmp of {operands:?}: the class file was verified"),
        })
    }

    fn symbolic(&mut self, of: TermOperation, operands: &[SymbolicValue]) -> RunResult<SymbolicValue> {
        if let TermOperation::Arithmetic(Arithmetic::Convert(conversion)) = of
            && matches!(conversion.result(), Number::Float | Number::Double)
        {
            let known = self.narrow(operands[0], "floating-point arithmetic")?;
            return self.operation(of, &[known]);
        }
        let operands: Vec<Term> = operands.iter().map(|&operand| self.term(operand)).collect();
        if operands.iter().map(|&operand| self.world.terms.size(operand)).sum::<u32>() > LARGEST {
            let mut known = Vec::new();
            for operand in operands {
                known.push(self.narrow(SymbolicValue::Symbol(operand), "a long calculation")?);
            }
            return self.operation(of, &known);
        }
        let term = self.world.terms.operation(of, operands).expect("no divisor is zero here");
        Ok(match self.world.terms.literal(term) {
            Some(literal) => SymbolicValue::of_literal(&literal).expect("terms are numbers"),
            None => SymbolicValue::Symbol(term),
        })
    }

    fn compares(&mut self, order: Order, left: SymbolicValue, right: SymbolicValue) -> RunResult<bool> {
        match order {
            Order::Equal => self.holds(TermRelation::Equal, left, right),
            Order::NotEqual => self.holds(TermRelation::NotEqual, left, right),
            Order::Less => self.holds(TermRelation::Less, left, right),
            Order::GreaterOrEqual => self.holds(TermRelation::LessOrEqual, right, left),
            Order::Greater => self.holds(TermRelation::Less, right, left),
            Order::LessOrEqual => self.holds(TermRelation::LessOrEqual, left, right),
        }
    }

    pub(super) fn holds(
        &mut self,
        relation: TermRelation,
        left: SymbolicValue,
        right: SymbolicValue,
    ) -> RunResult<bool> {
        match (left, right) {
            (SymbolicValue::Int(left), SymbolicValue::Int(right)) => Ok(relation.holds(left.into(), right.into())),
            _ => self.decide(relation, left, right),
        }
    }

    pub(super) fn object(&mut self, value: SymbolicValue) -> RunResult<Reference> {
        match value {
            SymbolicValue::Reference(reference) => Ok(reference),
            _ => self.null_pointer(),
        }
    }

    /// The array, and an index that it has.
    fn element(&mut self, array: SymbolicValue, index: SymbolicValue) -> RunResult<(Reference, usize)> {
        let array = self.object(array)?;
        let length = self.heap.elements(array).len();
        if let SymbolicValue::Int(known) = index {
            return match usize::try_from(known).ok().filter(|&index| index < length) {
                Some(index) => Ok((array, index)),
                None => {
                    let message = format!("Index {known} out of bounds for length {length}");
                    self.throw("java/lang/ArrayIndexOutOfBoundsException", Some(&message))
                }
            };
        }
        let end = SymbolicValue::Int(length as i32);
        if self.holds(TermRelation::Less, index, SymbolicValue::Int(0))?
            || self.holds(TermRelation::LessOrEqual, end, index)?
        {
            return self.throw("java/lang/ArrayIndexOutOfBoundsException", None);
        }
        if length > CASES {
            let SymbolicValue::Int(known) = self.narrow(index, "an index of a long array")? else {
                unreachable!("it is an int")
            };
            return Ok((array, known as usize));
        }
        for case in 0..length - 1 {
            if self.holds(TermRelation::Equal, index, SymbolicValue::Int(case as i32))? {
                return Ok((array, case));
            }
        }
        Ok((array, length - 1))
    }

    /// The value as an array of the type keeps it.
    fn stored(&mut self, kind: Element, array: Reference, value: SymbolicValue) -> RunResult<SymbolicValue> {
        let HeapObject::Array { of: Type::Array(element), .. } = self.heap.object(array) else { return Ok(value) };
        let element = (**element).clone();
        if kind == Element::Reference
            && let SymbolicValue::Reference(object) = value
            && !self.is_instance(object, &element)?
        {
            let name = self.type_of(object).to_string();
            return self.throw("java/lang/ArrayStoreException", Some(&name));
        }
        self.narrowed(&element, value)
    }

    /// The value as a field or an element of the type keeps it: ints lose what does not fit.
    fn narrowed(&mut self, of: &Type, value: SymbolicValue) -> RunResult<SymbolicValue> {
        let convert = |conversion| TermOperation::Arithmetic(Arithmetic::Convert(conversion));
        match of {
            Type::Primitive(Primitive::Byte) => self.operation(convert(Conversion::IntToByte), &[value]),
            Type::Primitive(Primitive::Char) => self.operation(convert(Conversion::IntToChar), &[value]),
            Type::Primitive(Primitive::Short) => self.operation(convert(Conversion::IntToShort), &[value]),
            Type::Primitive(Primitive::Boolean) => {
                let and = Arithmetic::Bitwise(Bitwise::And, Integral::Int);
                self.operation(TermOperation::Arithmetic(and), &[value, SymbolicValue::Int(1)])
            }
            _ => Ok(value),
        }
    }

    /// A length as a number.
    pub(super) fn length(&mut self, length: SymbolicValue) -> RunResult<usize> {
        if self.holds(TermRelation::Less, length, SymbolicValue::Int(0))? {
            let message = length.literal().map(|length| format!("{}", crate::term::number(&length).unwrap_or(0)));
            return self.throw("java/lang/NegativeArraySizeException", message.as_deref());
        }
        match self.narrow(length, "the length of an array")? {
            SymbolicValue::Int(length) if length as usize <= super::LONGEST => Ok(length as usize),
            _ => Err(AbruptEnd::Stopped(Stop::Large)),
        }
    }

    pub(super) fn new_array(&mut self, of: &Type, length: usize) -> RunResult<Reference> {
        let Type::Array(element) = of else { unreachable!("{of} is an array's type") };
        self.array(of.clone(), vec![SymbolicValue::zero(element); length])
    }

    fn nested_array(&mut self, of: &Type, lengths: &[usize]) -> RunResult<Reference> {
        let (&length, inner) = lengths.split_first().expect("an array has a dimension");
        let array = self.new_array(of, length)?;
        if let (Type::Array(element), false) = (of, inner.is_empty()) {
            for index in 0..length {
                let nested = self.nested_array(element, inner)?;
                self.heap.elements_mut(array)[index] = SymbolicValue::Reference(nested);
            }
        }
        Ok(array)
    }

    /// Throws unless the value is of the type, or null.
    pub(crate) fn cast(&mut self, value: SymbolicValue, of: &Type) -> RunResult<()> {
        match value {
            SymbolicValue::Reference(object) if !self.is_instance(object, of)? => {
                self.throw("java/lang/ClassCastException", None)
            }
            _ => Ok(()),
        }
    }

    pub(super) fn is_instance(&mut self, object: Reference, of: &Type) -> RunResult<bool> {
        let from = self.type_of(object);
        let missing = || AbruptEnd::Stopped(Stop::Unsupported(format!("the missing class {of}")));
        self.world.classes.is_assignable(&from, of).ok_or_else(missing)
    }
}

/// Whether it throws where the divisor is zero.
fn is_integer_division(of: TermOperation) -> bool {
    use BinaryOperator::{Divide, Remainder};
    matches!(of, TermOperation::Arithmetic(Arithmetic::Binary(Divide | Remainder, Number::Int | Number::Long)))
}

/// −1, 0 or 1.
fn compare_floating(left: SymbolicValue, right: SymbolicValue, of_nan: i32) -> SymbolicValue {
    let number = |value| match value {
        SymbolicValue::Float(bits) => f64::from(f32::from_bits(bits)),
        SymbolicValue::Double(bits) => f64::from_bits(bits),
        _ => unreachable!("no floating-point number is symbolic"),
    };
    SymbolicValue::Int(number(left).partial_cmp(&number(right)).map_or(of_nan, |order| order as i32))
}
