//! Runs a method's body over abstract values: stack and local variables, joined where control flow meets, or along one
//! path.
//!
//! A domain says what values there are and what instructions make of them; moving values between stack and local
//! variables is done here. Frames are kept at the first step of each basic block alone.

use crate::classfile::instruction::{Element, FieldAccess, InvokeKind, StackOperation};
use crate::classfile::{Body, Constant, Instruction, Step};
use model::jvm::{Literal, MethodDescriptor, Primitive, Type};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// Steps executed per step of the body before it is given up; loops settle after a few rounds.
const ROUNDS: usize = 64;

/// Values in the frames that are kept of a body, and values that are looked at, before it is given up: a method of 64 KB can have
/// 20,000 blocks that each begin with 65,536 variables.
const MOST_KEPT: usize = 1 << 20;
const MOST_READ: usize = 1 << 23;

/// Abstract values and what instructions make of them.
pub(super) trait Evaluate {
    type Value: Clone + PartialEq;

    /// The value that step `at` makes of its operands, the first pushed first (of `iinc`: of the variable); anything,
    /// where the step makes none. The operands are off the frame already.
    fn evaluate(
        &mut self,
        at: usize,
        step: &Step,
        operands: &[Self::Value],
        frame: &mut AbstractFrame<Self::Value>,
    ) -> Self::Value;
}

/// Values that can be joined where control flow meets.
pub(super) trait Domain: Evaluate {
    /// What stands for either of the two; repeated joins must come to an end.
    fn join(&mut self, one: &Self::Value, other: &Self::Value) -> Self::Value;

    /// The exception that a handler finds.
    fn caught(&mut self) -> Self::Value;

    /// Frames will not change any more: each step that can be reached is now evaluated once more, in order.
    fn settled(&mut self);
}

/// Local variables and operand stack. A value of two slots is followed by an empty one.
#[derive(Clone, PartialEq)]
pub(super) struct AbstractFrame<V> {
    locals: Vec<Option<V>>,
    stack: Vec<Option<V>>,
}

impl<V: Clone + PartialEq> AbstractFrame<V> {
    /// The frame at a method's entry.
    pub(super) fn at_entry(receiver: Option<V>, parameters: impl Iterator<Item = (V, bool)>) -> AbstractFrame<V> {
        let mut locals: Vec<Option<V>> = receiver.map(Some).into_iter().collect();
        for (value, wide) in parameters {
            locals.push(Some(value));
            locals.extend(wide.then_some(None));
        }
        AbstractFrame { locals, stack: Vec::new() }
    }

    /// All values, wherever they are.
    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.locals.iter_mut().chain(&mut self.stack).flatten()
    }

    fn len(&self) -> usize {
        self.locals.len() + self.stack.len()
    }

    fn push(&mut self, value: V, wide: bool) {
        self.stack.push(Some(value));
        self.stack.extend(wide.then_some(None));
    }

    fn pop(&mut self) -> Option<V> {
        match self.stack.pop()? {
            Some(value) => Some(value),
            None => self.stack.pop()?,
        }
    }

    fn store(&mut self, local: u16, value: V, wide: bool) {
        let local = usize::from(local);
        let end = local + 1 + usize::from(wide);
        if self.locals.len() < end {
            self.locals.resize(end, None);
        }
        self.locals[local] = Some(value);
        if wide {
            self.locals[local + 1] = None;
        }
    }
}

/// Whether values of the type take two slots.
pub(super) fn is_wide(of: &Type) -> bool {
    matches!(of, Type::Primitive(Primitive::Long | Primitive::Double))
}

/// Runs the body from `entry` until nothing changes. `None` if it cannot be run: it has subroutines (class files before
/// Java 6), is malformed, or takes too long.
pub(super) fn interpret<D: Domain>(body: &Body, entry: AbstractFrame<D::Value>, domain: &mut D) -> Option<()> {
    let (frames, waiting) = Default::default();
    let mut run = Run { body, leaders: leaders(body), frames, waiting, may_keep: MOST_KEPT, may_read: MOST_READ };
    let mut left = body.steps.len() * ROUNDS + 1_000;
    run.flow_to(0, &entry, domain)?;
    while let Some(leader) = run.waiting.pop_first() {
        let frame = run.frames[&leader].clone();
        let steps = run.block(leader, frame, domain, true)?;
        left = left.checked_sub(steps)?;
    }
    domain.settled();
    for (leader, frame) in std::mem::take(&mut run.frames) {
        run.block(leader, frame, domain, false)?;
    }
    Some(())
}

/// Runs each step of the body at most once, in order. Conditional jumps and jumps backwards are not taken. After a return
/// or a throw, it continues at the next step to which an earlier jump leads. Ends early if the body is malformed.
pub(super) fn run_straight<E: Evaluate>(body: &Body, entry: AbstractFrame<E::Value>, domain: &mut E) {
    let mut frame = entry;
    let mut passed_by: BTreeMap<usize, AbstractFrame<E::Value>> = BTreeMap::new();
    let mut may_keep = MOST_KEPT;
    let mut at = 0;
    while let Some(step) = body.steps.get(at) {
        if step_over(at, step, &mut frame, domain).is_none() {
            return;
        }
        for target in step.instruction.targets().filter(|target| *target > at) {
            if let Entry::Vacant(entry) = passed_by.entry(target) {
                let Some(left) = may_keep.checked_sub(frame.len()) else { return };
                may_keep = left;
                entry.insert(frame.clone());
            }
        }
        // After a jump backwards comes the code after the loop.
        let is_loop = step.instruction.jump().is_some_and(|target| *target <= at);
        if !step.instruction.ends_block() || is_loop {
            at += 1;
        } else if let Instruction::Goto { target } = step.instruction {
            at = target;
        } else {
            passed_by = passed_by.split_off(&(at + 1));
            let Some((target, there)) = passed_by.pop_first() else { return };
            (at, frame) = (target, there);
        }
    }
}

struct Run<'a, V> {
    body: &'a Body,
    leaders: Vec<bool>,
    frames: BTreeMap<usize, AbstractFrame<V>>,
    waiting: BTreeSet<usize>,
    /// What is left of [`MOST_KEPT`] and [`MOST_READ`].
    may_keep: usize,
    may_read: usize,
}

impl<V: Clone + PartialEq> Run<'_, V> {
    /// Joins the frame into that of a block, which waits if that changed it.
    fn flow_to<D: Domain<Value = V>>(&mut self, leader: usize, frame: &AbstractFrame<V>, domain: &mut D) -> Option<()> {
        self.may_read = self.may_read.checked_sub(frame.len())?;
        let Some(known) = self.frames.get_mut(&leader) else {
            self.may_keep = self.may_keep.checked_sub(frame.len())?;
            self.frames.insert(leader, frame.clone());
            self.waiting.insert(leader);
            return Some(());
        };
        if known.stack.len() != frame.stack.len() {
            return None;
        }
        let mut changed = known.locals.len() > frame.locals.len();
        known.locals.truncate(frame.locals.len());
        let locals = known.locals.iter_mut().zip(&frame.locals);
        for (known, new) in locals.chain(known.stack.iter_mut().zip(&frame.stack)) {
            let joined = match (known.as_ref(), new) {
                (Some(known), Some(new)) => Some(domain.join(known, new)),
                // No use in code that the JVM accepts.
                _ => None,
            };
            if *known != joined {
                *known = joined;
                changed = true;
            }
        }
        if changed {
            self.waiting.insert(leader);
        }
        Some(())
    }

    /// Runs one block, and the blocks after it get its frame if `flows`; the number of steps.
    fn block<D: Domain<Value = V>>(
        &mut self,
        leader: usize,
        mut frame: AbstractFrame<V>,
        domain: &mut D,
        flows: bool,
    ) -> Option<usize> {
        let body = self.body;
        let mut locals_changed = true;
        for at in leader..body.steps.len() {
            let step = &body.steps[at];
            if at > leader && self.leaders[at] {
                if flows {
                    self.flow_to(at, &frame, domain)?;
                }
                return Some(at - leader);
            }
            self.may_read = self.may_read.checked_sub(body.handlers.len() + 1)?;
            let enters = |range: &std::ops::Range<usize>| range.contains(&at) && (locals_changed || range.start == at);
            if flows && body.handlers.iter().any(|handler| enters(&handler.steps)) {
                for handler in body.handlers.iter().filter(|handler| enters(&handler.steps)) {
                    let caught = vec![Some(domain.caught())];
                    self.flow_to(
                        handler.target,
                        &AbstractFrame { locals: frame.locals.clone(), stack: caught },
                        domain,
                    )?;
                }
            }
            locals_changed = step_over(at, step, &mut frame, domain)?;
            if flows {
                for target in step.instruction.targets() {
                    self.flow_to(target, &frame, domain)?;
                }
            }
            if step.instruction.ends_block() {
                return Some(at + 1 - leader);
            }
        }
        None // Runs off the end of the code.
    }
}

/// Runs one step; whether local variables may have changed.
fn step_over<E: Evaluate>(at: usize, step: &Step, frame: &mut AbstractFrame<E::Value>, domain: &mut E) -> Option<bool> {
    match &step.instruction {
        Instruction::Load { kind, local } => {
            let value = frame.locals.get(usize::from(*local))?.clone()?;
            frame.push(value, kind.is_wide());
            return Some(false);
        }
        Instruction::Store { kind, local } => {
            let value = frame.pop()?;
            frame.store(*local, value, kind.is_wide());
            return Some(true);
        }
        Instruction::Increment { local, .. } => {
            let value = frame.locals.get(usize::from(*local))?.clone()?;
            let value = domain.evaluate(at, step, &[value], frame);
            frame.store(*local, value, false);
            return Some(true);
        }
        Instruction::Stack(operation) => {
            shuffle(*operation, &mut frame.stack)?;
            return Some(false);
        }
        _ => {}
    }
    let (takes, makes) = effect(&step.instruction)?;
    let mut operands = (0..takes).map(|_| frame.pop()).collect::<Option<Vec<E::Value>>>()?;
    operands.reverse();
    let value = domain.evaluate(at, step, &operands, frame);
    if let Some(wide) = makes {
        frame.push(value, wide);
    }
    Some(match &step.instruction {
        Instruction::Invoke { .. } | Instruction::InvokeDynamic(_) | Instruction::New(_) => true,
        Instruction::Field { access, .. } => access.is_write(),
        Instruction::ArrayStore(element) => *element == Element::Reference,
        _ => false,
    })
}

fn leaders(body: &Body) -> Vec<bool> {
    let mut leaders = vec![false; body.steps.len() + 1];
    for (at, step) in body.steps.iter().enumerate() {
        step.instruction.targets().for_each(|target| leaders[target] = true);
        if step.instruction.jump().is_some() {
            leaders[at + 1] = true;
        }
    }
    body.handlers.iter().for_each(|handler| leaders[handler.target] = true);
    leaders
}

/// Moves slots of the stack, whatever is in them.
fn shuffle<V: Clone>(operation: StackOperation, stack: &mut Vec<Option<V>>) -> Option<()> {
    let length = stack.len();
    // How many slots are copied, and below how many others.
    let (slots, below) = match operation {
        StackOperation::Pop => return stack.pop().map(drop),
        StackOperation::Pop2 => {
            stack.truncate(length.checked_sub(2)?);
            return Some(());
        }
        StackOperation::Swap => {
            stack.swap(length.checked_sub(1)?, length.checked_sub(2)?);
            return Some(());
        }
        StackOperation::Dup => (1, 0),
        StackOperation::DupX1 => (1, 1),
        StackOperation::DupX2 => (1, 2),
        StackOperation::Dup2 => (2, 0),
        StackOperation::Dup2X1 => (2, 1),
        StackOperation::Dup2X2 => (2, 2),
    };
    let top = stack.get(length.checked_sub(slots)?..)?.to_vec();
    let at = length.checked_sub(slots + below)?;
    stack.splice(at..at, top);
    Some(())
}

/// How many values an instruction takes off the stack, and the width of the one it pushes; `None` of subroutines and of those
/// that [`step_over`] does itself.
fn effect(instruction: &Instruction) -> Option<(usize, Option<bool>)> {
    let made = |of: &Type| Some(is_wide(of));
    let call = |descriptor: &MethodDescriptor, receiver: bool| {
        (descriptor.parameters.len() + usize::from(receiver), descriptor.returns.as_ref().and_then(made))
    };
    Some(match instruction {
        Instruction::Nop | Instruction::Goto { .. } | Instruction::Return(None) => (0, None),
        Instruction::Null | Instruction::New(_) => (0, Some(false)),
        Instruction::Constant(Constant::Literal(literal)) => {
            (0, Some(matches!(literal, Literal::Long(_) | Literal::Double(_))))
        }
        Instruction::Constant(Constant::Dynamic { is_wide }) => (0, Some(*is_wide)),
        Instruction::ArrayLoad(element) => (2, Some(element.is_wide())),
        Instruction::ArrayStore(_) => (3, None),
        Instruction::Arithmetic(arithmetic) => (arithmetic.operands(), Some(arithmetic.result().is_wide())),
        Instruction::Compare(_) => (2, Some(false)),
        Instruction::Branch { condition, .. } => (condition.operands(), None),
        Instruction::Switch(_)
        | Instruction::Return(Some(_))
        | Instruction::Throw
        | Instruction::MonitorEnter
        | Instruction::MonitorExit => (1, None),
        Instruction::Field { access: FieldAccess::GetStatic, field } => (0, made(&field.field_type)),
        Instruction::Field { access: FieldAccess::PutStatic, .. } => (1, None),
        Instruction::Field { access: FieldAccess::Get, field } => (1, made(&field.field_type)),
        Instruction::Field { access: FieldAccess::Put, .. } => (2, None),
        Instruction::Invoke { kind, method } => call(&method.descriptor, *kind != InvokeKind::Static),
        Instruction::InvokeDynamic(site) => call(&site.descriptor, false),
        Instruction::NewArray(_)
        | Instruction::ArrayLength
        | Instruction::CheckCast(_)
        | Instruction::InstanceOf(_) => (1, Some(false)),
        Instruction::NewMultiArray { dimensions, .. } => (usize::from(*dimensions), Some(false)),
        Instruction::Load { .. }
        | Instruction::Store { .. }
        | Instruction::Increment { .. }
        | Instruction::Stack(_)
        | Instruction::JumpSubroutine { .. }
        | Instruction::ReturnSubroutine { .. } => return None,
    })
}
