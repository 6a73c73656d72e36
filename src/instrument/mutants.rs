//! Finds the mutants of a class, and makes the code of one.
//!
//! The operators are PIT's default ones, and so is what they spare: code that a compiler made, calls of loggers, and
//! changes that no test could notice (PIT's filters that are on by default, as far as patterns of a few instructions
//! know them). Where each probe goes is decided on the code as it was, so that a mutant has the numbers of the class.

use super::relocate::Body;
use super::{Class, InstrumentError, MethodParts, ProbeInfo, ProbeKind, plan, still};
use crate::classfile::code::Instruction;
use crate::classfile::opcode::*;
use crate::classfile::reader::ConstantPool;
use crate::classfile::writer::PoolWriter;
use crate::execution::mutant::Operator;
use crate::jvm::types::access;
use crate::jvm::{JavaString, Literal, MethodDescriptor, Primitive, Type};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// A mutant of one class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutation {
    /// Index among the methods of the class file.
    pub method: u16,
    /// The instruction that is changed, by its offset in the unchanged code.
    pub pc: u16,
    pub operator: Operator,
    pub line: Option<u16>,
    /// The probes, counted from the class's first, behind which the instruction lies: a run that hit none of them did
    /// not get to it.
    pub reached_by: Vec<u32>,
}

/// The mutants of a class, in the order of their instructions.
pub fn mutants(bytes: &[u8]) -> Result<Vec<Mutation>, InstrumentError> {
    let plan = plan(bytes)?;
    let bytes = &still(bytes)?;
    let class = Class::read(bytes)?;
    let bodies: Vec<Option<Body>> =
        class.methods.iter().map(|method| Body::read(method.code?, &class.pool).ok()).collect();
    let logging = logging_lines(&bodies, &class.pool);
    let initialising = initialising(&class, &bodies);
    let is_enum = class.super_name.as_deref() == Some("java/lang/Enum");
    let mut mutations = Vec::new();
    for (index, (method, body)) in class.methods.iter().zip(&bodies).enumerate() {
        let Some(body) = body
            .as_ref()
            .filter(|body| !initialising.contains(&index) && !is_made_by_compiler(method, body, &class, is_enum))
        else {
            continue;
        };
        let Some(descriptor) = MethodDescriptor::parse(&method.descriptor) else { continue };
        let probes = plan.probes.iter().enumerate().filter(|(_, probe)| usize::from(probe.method) == index);
        let paths = Paths::new(body, probes);
        let spared = spared(body, &class.pool);
        let mut found = Vec::new();
        for (at, instruction) in body.instructions.iter().enumerate() {
            let line = body.line_at(instruction.pc);
            if spared.contains(&at) || line.is_some_and(|line| logging.contains(&line)) {
                continue;
            }
            let mut scratch = PoolWriter::starting_at(class.pool.count());
            for operator in Operator::ALL {
                if is_equivalent(operator, &body.instructions[..at], &class.pool)
                    || edit(operator, instruction, descriptor.returns.as_ref(), &class.pool, &mut scratch).is_none()
                {
                    continue;
                }
                let (method, pc) = (index as u16, instruction.pc as u16);
                found.push((at, Mutation { method, pc, operator, line, reached_by: paths.leading_to(at) }));
            }
        }
        mutations.extend(without_copies(found, body));
    }
    Ok(mutations)
}

/// What becomes of an instruction.
pub(super) enum Edit {
    /// The jump has another condition.
    Jump(u8),
    Code(Vec<u8>),
}

impl Edit {
    /// Makes the change in a body whose hooks are planned already.
    pub(super) fn apply<'a>(&'a self, instruction: &mut Instruction<'a>) {
        match self {
            Edit::Jump(opcode) => instruction.opcode = *opcode,
            Edit::Code(code) => {
                *instruction = Instruction { pc: instruction.pc, opcode: code[0], bytes: code };
            }
        }
    }
}

/// How the operator changes the instruction, of a method that returns the type; `None` if it does not. What is left on the
/// stack, and how much of it is needed, stays the same.
pub(super) fn edit(
    operator: Operator,
    instruction: &Instruction,
    returns: Option<&Type>,
    constants: &ConstantPool,
    pool: &mut PoolWriter,
) -> Option<Edit> {
    let opcode = instruction.opcode;
    let code = match operator {
        Operator::ConditionalsBoundary => return boundary(opcode).map(Edit::Jump),
        Operator::NegateConditionals => return negated(opcode).map(Edit::Jump),
        Operator::Math => vec![opposite(opcode)?],
        Operator::Increments => counted_back(instruction)?,
        Operator::InvertNegs => {
            // `ineg`, `lneg`, `fneg`, `dneg`
            (INEG..INEG + 4).contains(&opcode).then_some(vec![NOP])?
        }
        Operator::VoidMethodCalls => without_call(instruction, constants)?,
        returned => returning(returned, opcode, returns?, pool)?,
    };
    Some(Edit::Code(code))
}

fn boundary(opcode: u8) -> Option<u8> {
    Some(match opcode {
        IFLT => IFLE,
        IFLE => IFLT,
        IFGT => IFGE,
        IFGE => IFGT,
        IF_ICMPLT => IF_ICMPLE,
        IF_ICMPLE => IF_ICMPLT,
        IF_ICMPGT => IF_ICMPGE,
        IF_ICMPGE => IF_ICMPGT,
        _ => return None,
    })
}

/// Opposite conditions are neighbours.
fn negated(opcode: u8) -> Option<u8> {
    match opcode {
        IFEQ..=IF_ACMPNE => Some(IFEQ + ((opcode - IFEQ) ^ 1)),
        IFNULL => Some(IFNONNULL),
        IFNONNULL => Some(IFNULL),
        _ => None,
    }
}

/// Arithmetic comes in groups of int, long, float and double, shifts and logic in pairs of int and long.
fn opposite(opcode: u8) -> Option<u8> {
    let group = opcode.checked_sub(IADD)? / 4;
    Some(match (group, opcode.checked_sub(ISHL).map(|from| from / 2)) {
        // Addition and multiplication become their inverses…
        (0 | 2, _) => opcode + 4,
        (1 | 3, _) => opcode - 4,
        // …a remainder a product…
        (4, _) => opcode - 8,
        // …and `<<`, `>>`, `>>>`, `&`, `|`, `^` become `>>`, `<<`, `<<`, `|`, `&`, `&`.
        (_, Some(0 | 3)) => opcode + 2,
        (_, Some(1 | 4)) => opcode - 2,
        (_, Some(2 | 5)) => opcode - 4,
        _ => return None,
    })
}

fn counted_back(instruction: &Instruction) -> Option<Vec<u8>> {
    let (variable, by) = match *instruction.bytes {
        [IINC, variable, by] => (u16::from(variable), i16::from(by as i8)),
        [WIDE, IINC, ..] => (instruction.u2(2), instruction.u2(4) as i16),
        _ => return None,
    };
    let ([high, low], [by_high, by_low]) = (variable.to_be_bytes(), by.checked_neg()?.to_be_bytes());
    Some(vec![WIDE, IINC, high, low, by_high, by_low])
}

/// The arguments and the receiver go.
fn without_call(instruction: &Instruction, constants: &ConstantPool) -> Option<Vec<u8>> {
    if !(INVOKEVIRTUAL..=INVOKEINTERFACE).contains(&instruction.opcode) {
        return None;
    }
    let member = constants.member(instruction.u2(1)).ok()?;
    let descriptor = MethodDescriptor::parse(&member.descriptor)?;
    if descriptor.returns.is_some() || member.name == "<init>" {
        return None;
    }
    let pop = |of: &Type| if is_wide(of) { POP2 } else { POP };
    let mut code: Vec<u8> = descriptor.parameters.iter().rev().map(pop).collect();
    if instruction.opcode != INVOKESTATIC {
        code.push(POP);
    }
    // Two frames may not be in one place.
    Some(if code.is_empty() { vec![NOP] } else { code })
}

fn is_wide(of: &Type) -> bool {
    matches!(of, Type::Primitive(Primitive::Long | Primitive::Double))
}

/// Drops what was to be returned and returns something else.
fn returning(operator: Operator, opcode: u8, returns: &Type, pool: &mut PoolWriter) -> Option<Vec<u8>> {
    if !(IRETURN..=ARETURN).contains(&opcode) {
        return None;
    }
    let class = match returns {
        Type::Class(class) => class.internal(),
        _ => "",
    };
    let mut code = vec![if is_wide(returns) { POP2 } else { POP }];
    match operator {
        Operator::TrueReturns | Operator::FalseReturns => {
            code.push(ICONST_0 + u8::from(operator == Operator::TrueReturns));
            match (returns, class) {
                (Type::Primitive(Primitive::Boolean), _) => {}
                (_, "java/lang/Boolean") => call(&mut code, class, "valueOf", "(Z)Ljava/lang/Boolean;", pool),
                _ => return None,
            }
        }
        Operator::PrimitiveReturns => code.push(match returns {
            Type::Primitive(Primitive::Boolean) => return None,
            Type::Primitive(primitive) => zero(*primitive),
            _ => return None,
        }),
        Operator::NullReturns => {
            let is_replaced_otherwise =
                returns.is_primitive() || class == "java/lang/Boolean" || empty_of(class).is_some();
            code.push((!is_replaced_otherwise).then_some(ACONST_NULL)?);
        }
        Operator::EmptyReturns => match empty_of(class)? {
            Empty::Text => {
                code.push(LDC_W);
                code.extend(pool.string(&JavaString::from("")).to_be_bytes());
            }
            Empty::Zero(primitive) => {
                code.push(zero(primitive));
                call(&mut code, class, "valueOf", &format!("({})L{class};", primitive.descriptor()), pool);
            }
            Empty::Of(owner, name, descriptor) => call(&mut code, owner, name, descriptor, pool),
            Empty::Stream => {
                code.push(INVOKESTATIC);
                let method = pool.interface_method_ref(class, "empty", "()Ljava/util/stream/Stream;");
                code.extend(method.to_be_bytes());
            }
        },
        _ => return None,
    }
    code.push(opcode);
    Some(code)
}

fn call(code: &mut Vec<u8>, owner: &str, name: &str, descriptor: &str, pool: &mut PoolWriter) {
    code.push(INVOKESTATIC);
    code.extend(pool.method_ref(owner, name, descriptor).to_be_bytes());
}

fn zero(primitive: Primitive) -> u8 {
    match primitive {
        Primitive::Long => LCONST_0,
        Primitive::Float => FCONST_0,
        Primitive::Double => DCONST_0,
        _ => ICONST_0,
    }
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

/// Whether the method is one that compilers write, and no person did.
fn is_made_by_compiler(method: &MethodParts, body: &Body, class: &Class, is_enum: bool) -> bool {
    let is_lambda = method.name.starts_with("lambda$");
    let of_record = |instruction: &Instruction| {
        instruction.opcode == INVOKEDYNAMIC
            && class.pool.dynamic(instruction.u2(1)).is_ok_and(|(_, name, _)| name == *method.name)
    };
    method.access & access::SYNTHETIC != 0 && !is_lambda
        || is_enum && matches!(&*method.name, "<init>" | "values" | "valueOf")
        || class.super_name.as_deref() == Some("java/lang/Record") && body.instructions.iter().any(of_record)
}

/// The static initialiser and the private methods that it calls, by their indices: they have run before a mutant is there.
fn initialising(class: &Class, bodies: &[Option<Body>]) -> FxHashSet<usize> {
    let mut found = FxHashSet::default();
    let mut waiting: Vec<usize> =
        class.methods.iter().position(|method| &*method.name == "<clinit>").into_iter().collect();
    while let Some(at) = waiting.pop() {
        let Some(body) = bodies[at].as_ref().filter(|_| found.insert(at)) else { continue };
        for instruction in body.instructions.iter().filter(|one| (INVOKEVIRTUAL..=INVOKESTATIC).contains(&one.opcode)) {
            let Ok(member) = class.pool.member(instruction.u2(1)) else { continue };
            let is_called = |method: &MethodParts| {
                method.access & access::PRIVATE != 0
                    && *member.class == *class.name.internal()
                    && *member.name == *method.name
                    && *member.descriptor == *method.descriptor
            };
            waiting.extend(class.methods.iter().position(is_called));
        }
    }
    found
}

/// Lines with a call of a logger.
fn logging_lines(bodies: &[Option<Body>], constants: &ConstantPool) -> FxHashSet<u16> {
    const LOGGERS: [&str; 4] = ["java/util/logging", "org/apache/log4j", "org/slf4j", "org/apache/commons/logging"];
    let logs = |instruction: &Instruction| {
        (INVOKEVIRTUAL..=INVOKEINTERFACE).contains(&instruction.opcode)
            && constants
                .member(instruction.u2(1))
                .is_ok_and(|member| LOGGERS.iter().any(|logger| member.class.starts_with(logger)))
    };
    let lines = |body: &Body| -> Vec<u16> {
        let calls = body.instructions.iter().filter(|instruction| logs(instruction));
        calls.filter_map(|call| body.line_at(call.pc)).collect()
    };
    bodies.iter().flatten().flat_map(lines).collect()
}

/// Whether the change makes no difference after the instructions before it.
fn is_equivalent(operator: Operator, before: &[Instruction], constants: &ConstantPool) -> bool {
    let Some((last, earlier)) = before.split_last() else { return false };
    let names = |instruction: &Instruction, opcode: u8, wanted: &[(&str, &str)]| {
        instruction.opcode == opcode
            && constants
                .member(instruction.u2(1))
                .is_ok_and(|member| wanted.iter().any(|(class, name)| *class == member.class && *name == member.name))
    };
    let zeros = [ICONST_0, LCONST_0, FCONST_0, DCONST_0];
    let boxed = |constants_before: &[u8]| {
        last.opcode == INVOKESTATIC
            && constants.member(last.u2(1)).is_ok_and(|member| member.name == "valueOf")
            && earlier.last().is_some_and(|constant| constants_before.contains(&constant.opcode))
    };
    match operator {
        // `* -1` and `/ -1` are the same.
        Operator::Math => last.opcode == ICONST_M1,
        Operator::PrimitiveReturns => zeros.contains(&last.opcode),
        Operator::FalseReturns => {
            last.opcode == ICONST_0 || boxed(&[ICONST_0]) || names(last, GETSTATIC, &[("java/lang/Boolean", "FALSE")])
        }
        Operator::TrueReturns => {
            last.opcode == ICONST_0 + 1
                || boxed(&[ICONST_0 + 1])
                || names(last, GETSTATIC, &[("java/lang/Boolean", "TRUE")])
        }
        Operator::NullReturns => last.opcode == ACONST_NULL,
        Operator::EmptyReturns => {
            let text = match last.opcode {
                LDC => Some(u16::from(last.bytes[1])),
                LDC_W => Some(last.u2(1)),
                _ => None,
            };
            let is_empty = |literal| matches!(literal, Ok(Some(Literal::String(text))) if text.units().is_empty());
            let makers = [
                ("java/util/Optional", "empty"),
                ("java/util/stream/Stream", "empty"),
                ("java/util/Collections", "emptyList"),
                ("java/util/Collections", "emptyMap"),
                ("java/util/Collections", "emptySet"),
            ];
            boxed(&zeros)
                || text.is_some_and(|index| is_empty(constants.literal(index)))
                || names(last, INVOKESTATIC, &makers)
        }
        _ => false,
    }
}

/// Instructions that a compiler made for a loop, an assertion or a switch, by their indices.
fn spared(body: &Body, constants: &ConstantPool) -> FxHashSet<usize> {
    let code = &body.instructions;
    let index_of: FxHashMap<usize, usize> = code.iter().enumerate().map(|(at, one)| (one.pc, at)).collect();
    let target = |at: usize| {
        let to = code[at].pc.checked_add_signed(code[at].jump()? as isize)?;
        index_of.get(&to).copied()
    };
    let names = |at: usize, class: &str, name: &str| {
        let is_call = code.get(at).is_some_and(|one| (INVOKEVIRTUAL..=INVOKEINTERFACE).contains(&one.opcode));
        is_call && constants.member(code[at].u2(1)).is_ok_and(|member| member.class == class && member.name == name)
    };
    let gives_iterator = |at: usize| {
        let is_call = (INVOKEVIRTUAL..=INVOKEINTERFACE).contains(&code[at].opcode);
        is_call
            && constants.member(code[at].u2(1)).is_ok_and(|member| member.descriptor.ends_with(")Ljava/util/Iterator;"))
    };
    let is_opcode = |at: usize, opcode: u8| code.get(at).is_some_and(|one| one.opcode == opcode);
    let mut spared = FxHashSet::default();
    for at in 0..code.len() {
        let conditional = code[at].is_conditional_jump();
        if conditional && at >= 2 && names(at - 1, "java/util/Iterator", "hasNext") {
            let at_start = at >= 4
                && is_reference(&code[at - 3], ASTORE, ASTORE_0)
                && gives_iterator(at - 4)
                && names(at + 2, "java/util/Iterator", "next");
            let at_end = || {
                target(at).is_some_and(|start| {
                    start >= 3
                        && names(start + 1, "java/util/Iterator", "next")
                        && is_opcode(start - 1, GOTO)
                        && is_reference(&code[start - 2], ASTORE, ASTORE_0)
                        && gives_iterator(start - 3)
                })
            };
            if at_start || at_end() {
                spared.insert(at);
            }
        }
        if let Some(variable) = int_variable(&code[at], IINC, None) {
            let loads =
                |at: usize| code.get(at).and_then(|one| int_variable(one, ILOAD, Some(ILOAD_0))) == Some(variable);
            let at_start = is_opcode(at + 1, GOTO) && target(at + 1).is_some_and(|start| start <= at && loads(start));
            let from_before = |jump: usize| {
                is_opcode(jump, GOTO)
                    && target(jump) == Some(at + 1)
                    && jump > 0
                    && int_variable(&code[jump - 1], ISTORE, Some(ISTORE_0)) == Some(variable)
            };
            if at_start || loads(at + 1) && (0..at).any(from_before) {
                spared.insert(at);
            }
        }
        // `arraylength; istore; iconst_0; istore; iload; iload; if_icmpge`
        let is_array_loop = at + 6 < code.len()
            && code[at].opcode == ARRAYLENGTH
            && int_variable(&code[at + 1], ISTORE, Some(ISTORE_0)).is_some()
            && code[at + 2].opcode == ICONST_0;
        if is_array_loop && int_variable(&code[at + 3], ISTORE, Some(ISTORE_0)).is_some() {
            let compared = if code[at + 4].opcode == GOTO { target(at + 4) } else { Some(at + 4) };
            let is_load = |at: usize| code.get(at).is_some_and(|one| int_variable(one, ILOAD, Some(ILOAD_0)).is_some());
            let compared = compared.filter(|&first| is_load(first) && is_load(first + 1));
            let compares = compared.map(|first| first + 2);
            spared.extend(compares.filter(|&at| code.get(at).is_some_and(Instruction::is_conditional_jump)));
        }
        // `getstatic $assertionsDisabled; ifne`
        let asks_assertions = code[at].opcode == GETSTATIC
            && constants.member(code[at].u2(1)).is_ok_and(|member| member.name == "$assertionsDisabled");
        if asks_assertions && is_opcode(at + 1, IFNE) {
            spared.extend(at..target(at + 1).unwrap_or(at + 2));
        }
        // The strings of a switch are compared, and the index of the case is stored.
        let compares_case = code[at].opcode == IFEQ
            && at >= 2
            && names(at - 1, "java/lang/String", "equals")
            && matches!(code[at - 2].opcode, LDC | LDC_W)
            && code.get(at + 1).is_some_and(|one| (ICONST_M1..=SIPUSH).contains(&one.opcode))
            && code.get(at + 2).is_some_and(|one| int_variable(one, ISTORE, Some(ISTORE_0)).is_some());
        if compares_case || names(at, "java/lang/Throwable", "addSuppressed") {
            spared.insert(at);
        }
    }
    spared
}

/// The variable of an instruction on ints; `short` is the first of those that hold the variable's number themselves.
fn int_variable(instruction: &Instruction, opcode: u8, short: Option<u8>) -> Option<u16> {
    match instruction.bytes {
        [own, variable, ..] if *own == opcode => Some(u16::from(*variable)),
        [WIDE, own, high, low, ..] if *own == opcode => Some(u16::from_be_bytes([*high, *low])),
        [own] => short.and_then(|first| own.checked_sub(first)).filter(|number| *number < 4).map(u16::from),
        _ => None,
    }
}

fn is_reference(instruction: &Instruction, opcode: u8, short: u8) -> bool {
    instruction.opcode == opcode || (short..short + 4).contains(&instruction.opcode)
}

/// A `finally` block is compiled once for each way into it. Of mutants of one operator on a line one stays where exactly one
/// of them is in the copy for exceptions.
fn without_copies(found: Vec<(usize, Mutation)>, body: &Body) -> Vec<Mutation> {
    let mut by_line: FxHashMap<(u16, Operator), Vec<usize>> = FxHashMap::default();
    for (number, (_, mutation)) in found.iter().enumerate() {
        if let Some(line) = mutation.line {
            by_line.entry((line, mutation.operator)).or_default().push(number);
        }
    }
    let mut in_handler = vec![false; body.instructions.len()];
    let mut handling = false;
    for (at, instruction) in body.instructions.iter().enumerate() {
        handling |= body.exceptions.iter().any(|range| range.catches_all() && range.handler == instruction.pc);
        in_handler[at] = handling;
        handling &= !leaves(instruction);
    }
    let mut dropped = BTreeSet::new();
    for numbers in by_line.into_values().filter(|numbers| numbers.len() > 1) {
        if numbers.iter().filter(|&&number| in_handler[found[number].0]).count() == 1 {
            dropped.extend(numbers.into_iter().skip(1));
        }
    }
    let kept = found.into_iter().enumerate().filter(|(number, _)| !dropped.contains(number));
    kept.map(|(_, (_, mutation))| mutation).collect()
}

/// The method is left.
fn leaves(instruction: &Instruction) -> bool {
    (IRETURN..=RETURN).contains(&instruction.opcode) || instruction.opcode == ATHROW
}

/// The next instruction is not run after this one, but by a jump.
fn is_end(instruction: &Instruction) -> bool {
    leaves(instruction) || matches!(instruction.opcode, GOTO | GOTO_W | TABLESWITCH | LOOKUPSWITCH)
}

/// Where the control flow of a body comes from, as far as probes see it.
struct Paths<'a> {
    body: &'a Body<'a>,
    /// Probes by pc.
    probes: FxHashMap<usize, Vec<(ProbeKind, u32)>>,
    /// Jumps by the pc that they lead to.
    jumps: FxHashMap<usize, Vec<usize>>,
    /// Handlers that no probe marks.
    unseen: FxHashSet<usize>,
}

impl<'a> Paths<'a> {
    fn new<'p>(body: &'a Body<'a>, probes: impl Iterator<Item = (usize, &'p ProbeInfo)>) -> Paths<'a> {
        let mut by_pc: FxHashMap<usize, Vec<(ProbeKind, u32)>> = FxHashMap::default();
        for (number, probe) in probes {
            by_pc.entry(usize::from(probe.pc)).or_default().push((probe.kind, number as u32));
        }
        let mut jumps: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        for (at, instruction) in body.instructions.iter().enumerate() {
            let to = instruction.jump().and_then(|by| instruction.pc.checked_add_signed(by as isize));
            to.into_iter().for_each(|to| jumps.entry(to).or_default().push(at));
        }
        let is_seen = |pc: &usize| by_pc.get(pc).is_some_and(|all| all.iter().any(|one| one.0 == ProbeKind::Handler));
        let unseen = body.exceptions.iter().map(|range| range.handler).filter(|pc| !is_seen(pc)).collect();
        Paths { body, probes: by_pc, jumps, unseen }
    }

    fn probe(&self, at: usize, kind: ProbeKind) -> Option<u32> {
        let probes = self.probes.get(&self.body.instructions[at].pc)?;
        probes.iter().find(|probe| probe.0 == kind).map(|probe| probe.1)
    }

    /// The probes of which one is hit before the instruction runs.
    fn leading_to(&self, at: usize) -> Vec<u32> {
        let code = &self.body.instructions;
        let mut found = BTreeSet::new();
        let mut seen = FxHashSet::default();
        let mut waiting = vec![at];
        while let Some(at) = waiting.pop() {
            if !seen.insert(at) {
                continue;
            }
            let own = [ProbeKind::Entry, ProbeKind::Handler, ProbeKind::SwitchTarget];
            let own: Vec<u32> = own.into_iter().filter_map(|kind| self.probe(at, kind)).collect();
            let is_counted_whole = !own.is_empty() && at > 0;
            found.extend(own);
            if is_counted_whole {
                continue;
            }
            if self.unseen.contains(&code[at].pc) {
                found.extend(self.probe(0, ProbeKind::Entry));
            }
            for &jump in self.jumps.get(&code[at].pc).into_iter().flatten() {
                match self.probe(jump, ProbeKind::Taken) {
                    Some(probe) => drop(found.insert(probe)),
                    None => waiting.push(jump),
                }
            }
            if let Some(before) = at.checked_sub(1).filter(|&before| !is_end(&code[before])) {
                match self.probe(before, ProbeKind::NotTaken) {
                    Some(probe) => drop(found.insert(probe)),
                    None => waiting.push(before),
                }
            }
        }
        found.into_iter().collect()
    }
}
