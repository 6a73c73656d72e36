//! Which calls go before which instructions of a body.

use super::relocate::Body;
use super::{PROBES, ProbeKind};
use crate::classfile::code::Instruction;
use crate::classfile::opcode::*;
use crate::classfile::reader::ConstantPool;

/// A call inserted before an instruction.
#[derive(Clone, Copy)]
pub(super) struct Hook {
    /// `None` for a call without a number; [`ProbeKind::NotTaken`] stands for both numbers of a jump.
    pub(super) kind: Option<ProbeKind>,
    /// The class whose static method is called.
    pub(super) owner: &'static str,
    pub(super) method: &'static str,
    pub(super) descriptor: &'static str,
    pub(super) operands: Operands,
}

/// How the operands of the instruction are handed to the hook and kept for the instruction.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Operands {
    None,
    /// One slot, by `dup`.
    One,
    /// Two slots, by `dup2`.
    Two,
    /// Two longs: the upper is kept in a fresh local variable.
    Longs,
    /// Two doubles, likewise.
    Doubles,
    /// A local variable instead, by this instruction and the variable's number.
    Local(u8, u16),
    /// Two local variables instead, a reference and an int, by their numbers.
    ReferenceAndInt(u16, u16),
    /// A number instead.
    Number(u32),
    /// One slot by `dup`, and the string that the pool has under the index.
    OneAndText(u16),
    /// The string that the pool has under the index instead.
    Text(u16),
}

impl Hook {
    fn hit(kind: ProbeKind) -> Hook {
        Hook { kind: Some(kind), owner: PROBES, method: "hit", descriptor: "(I)V", operands: Operands::None }
    }

    fn site(method: &'static str, descriptor: &'static str, operands: Operands) -> Hook {
        Hook { kind: Some(ProbeKind::Site), owner: PROBES, method, descriptor, operands }
    }

    const ENVIRONMENT: Hook =
        Hook { kind: None, owner: PROBES, method: "environment", descriptor: "()V", operands: Operands::None };
}

/// The hooks of a body in the order of their instructions; those of one instruction in the order of execution.
///
/// An entry hook runs once per call, even where pc 0 is a jump target: `relocate` sees to that.
pub(super) fn hooks(body: &Body, constants: &ConstantPool, method_name: &str) -> Vec<(usize, Hook)> {
    let mut switch_targets: Vec<usize> = Vec::new();
    for instruction in &body.instructions {
        if let Some(switch) = instruction.switch() {
            let offsets = switch.cases.iter().map(|case| case.1).chain([switch.default]);
            switch_targets.extend(offsets.filter_map(|offset| instruction.pc.checked_add_signed(offset as isize)));
        }
    }
    switch_targets.sort_unstable();
    let mut handlers: Vec<usize> = body.exceptions.iter().map(|range| range.handler).collect();
    handlers.sort_unstable();

    let mut hooks = Vec::new();
    for (index, instruction) in body.instructions.iter().enumerate() {
        let at = &mut |hook| hooks.push((instruction.pc, hook));
        if index == 0 {
            at(Hook::hit(ProbeKind::Entry));
        }
        if handlers.binary_search(&instruction.pc).is_ok() && !unlocks(&body.instructions[index..]) {
            at(Hook::hit(ProbeKind::Handler));
        }
        if switch_targets.binary_search(&instruction.pc).is_ok() {
            at(Hook::hit(ProbeKind::SwitchTarget));
        }
        if loops_without_condition(&body.instructions[..=index]) {
            at(Hook::hit(ProbeKind::Loop));
        }
        match instruction.opcode {
            INVOKEVIRTUAL..=INVOKEINTERFACE => call_hook(instruction, constants).into_iter().for_each(at),
            _ if sees_uninitialized(&body.instructions[..=index], method_name) => {}
            _ => operand_hook(instruction.opcode).into_iter().for_each(at),
        }
    }
    hooks
}

/// The handler releases a monitor first: `synchronized` blocks have one. A probe that throws there would leave the
/// monitor locked.
fn unlocks(handler: &[Instruction]) -> bool {
    handler.iter().take(3).any(|instruction| instruction.opcode == MONITOREXIT)
}

/// The last instruction jumps back unconditionally, over no instruction that could leave the loop: no other probe
/// would count its rounds.
fn loops_without_condition(until: &[Instruction]) -> bool {
    let Some((last, before)) = until.split_last() else { return false };
    if !matches!(last.opcode, GOTO | GOTO_W) {
        return false;
    }
    let Some(target) = last.jump().and_then(|offset| last.pc.checked_add_signed(offset as isize)) else { return false };
    let conditional = |instruction: &Instruction| instruction.is_conditional_jump() || instruction.switch().is_some();
    target <= last.pc && !before.iter().rev().take_while(|instruction| instruction.pc >= target).any(conditional)
}

/// Whether the reference that the last instruction compares may be an object before its constructor ran, which cannot
/// be an argument (JVMS §4.10.1.9, `invokestatic`). The verifier allows such code, no compiler makes it; only what was
/// pushed right before is looked at.
fn sees_uninitialized(until: &[Instruction], method_name: &str) -> bool {
    let Some((last, before)) = until.split_last() else { return false };
    let operands = match last.opcode {
        IFNULL | IFNONNULL => 1,
        IF_ACMPEQ | IF_ACMPNE => 2,
        _ => return false,
    };
    let this_is_uninitialized =
        || method_name == "<init>" && !before.iter().any(|instruction| instruction.opcode == INVOKESPECIAL);
    (1..=operands.min(before.len())).any(|back| match before[before.len() - back].opcode {
        NEW => true,
        DUP => before.len() > back && before[before.len() - back - 1].opcode == NEW,
        ALOAD_0 => this_is_uninitialized(),
        _ => false,
    })
}

fn operand_hook(opcode: u8) -> Option<Hook> {
    let branch = |method, descriptor, operands| Hook {
        kind: Some(ProbeKind::NotTaken),
        owner: PROBES,
        method,
        descriptor,
        operands,
    };
    let int = |method| branch(method, "(II)V", Operands::One);
    let ints = |method| branch(method, "(III)V", Operands::Two);
    let object = |method| branch(method, "(Ljava/lang/Object;I)V", Operands::One);
    let objects = |method| branch(method, "(Ljava/lang/Object;Ljava/lang/Object;I)V", Operands::Two);
    Some(match opcode {
        IFEQ => int("ifeq"),
        IFNE => int("ifne"),
        IFLT => int("iflt"),
        IFGE => int("ifge"),
        IFGT => int("ifgt"),
        IFLE => int("ifle"),
        IF_ICMPEQ => ints("icmpeq"),
        IF_ICMPNE => ints("icmpne"),
        IF_ICMPLT => ints("icmplt"),
        IF_ICMPGE => ints("icmpge"),
        IF_ICMPGT => ints("icmpgt"),
        IF_ICMPLE => ints("icmple"),
        IF_ACMPEQ => objects("acmpeq"),
        IF_ACMPNE => objects("acmpne"),
        IFNULL => object("ifnull"),
        IFNONNULL => object("ifnonnull"),
        LCMP => Hook::site("longs", "(JJI)V", Operands::Longs),
        FCMPL | FCMPG => Hook::site("floats", "(FFI)V", Operands::Two),
        DCMPL | DCMPG => Hook::site("doubles", "(DDI)V", Operands::Doubles),
        TABLESWITCH | LOOKUPSWITCH => Hook::site("switchOn", "(II)V", Operands::One),
        _ => return None,
    })
}

fn call_hook(instruction: &Instruction, constants: &ConstantPool) -> Option<Hook> {
    let member = constants.member(instruction.u2(1)).ok()?;
    let (class, name, descriptor) = (&*member.class, &*member.name, &*member.descriptor);
    if compares_strings(instruction.opcode, class, name, descriptor) {
        return Some(Hook::site("strings", "(Ljava/lang/Object;Ljava/lang/Object;I)V", Operands::Two));
    }
    if finds_resource(class, name, descriptor) {
        return Some(Hook::site("resource", "(Ljava/lang/Object;Ljava/lang/Object;I)V", Operands::Two));
    }
    let listed = ENVIRONMENT_CALLS.iter().find(|(listed, _)| *listed == class);
    // `super.hashCode()` and `super.toString()`; a virtual call may well lead to a method that overrides them.
    let identity =
        instruction.opcode == INVOKESPECIAL && class == "java/lang/Object" && matches!(name, "hashCode" | "toString");
    let reads_environment = identity
        || listed.is_some_and(|(_, methods)| {
            methods.iter().any(|method| match method.split_once('(') {
                Some((simple, _)) => simple == name && method[simple.len()..] == *descriptor,
                None => *method == name,
            })
        });
    reads_environment.then_some(Hook::ENVIRONMENT)
}

/// The call takes two references on top of the stack, the receiver included, and asks whether one text is, or has
/// something to do with, the other; or whether a collection has a key.
fn compares_strings(opcode: u8, class: &str, name: &str, descriptor: &str) -> bool {
    match (opcode, class) {
        (INVOKESTATIC, "java/util/Objects") => name == "equals",
        (INVOKESTATIC, "kotlin/jvm/internal/Intrinsics") => {
            name == "areEqual" && descriptor == "(Ljava/lang/Object;Ljava/lang/Object;)Z"
        }
        (INVOKEVIRTUAL, "java/lang/String") => matches!(
            (name, descriptor),
            ("equals", "(Ljava/lang/Object;)Z")
                | ("equalsIgnoreCase" | "startsWith" | "endsWith", "(Ljava/lang/String;)Z")
                | ("contains" | "contentEquals", "(Ljava/lang/CharSequence;)Z")
                | ("indexOf" | "lastIndexOf" | "compareTo" | "compareToIgnoreCase", "(Ljava/lang/String;)I")
        ),
        (INVOKEVIRTUAL | INVOKEINTERFACE, _) => match (name, descriptor) {
            ("equals", "(Ljava/lang/Object;)Z") => {
                matches!(class, "java/lang/Object" | "java/lang/CharSequence" | "java/lang/Comparable")
            }
            ("compareTo", "(Ljava/lang/Object;)I") => class == "java/lang/Comparable",
            ("get", "(Ljava/lang/Object;)Ljava/lang/Object;") | ("containsKey", "(Ljava/lang/Object;)Z") => {
                matches!(
                    class,
                    "java/util/Map"
                        | "java/util/HashMap"
                        | "java/util/LinkedHashMap"
                        | "java/util/TreeMap"
                        | "java/util/SortedMap"
                        | "java/util/Hashtable"
                        | "java/util/concurrent/ConcurrentMap"
                        | "java/util/concurrent/ConcurrentHashMap"
                )
            }
            ("contains", "(Ljava/lang/Object;)Z") => matches!(
                class,
                "java/util/Collection"
                    | "java/util/Set"
                    | "java/util/List"
                    | "java/util/HashSet"
                    | "java/util/LinkedHashSet"
                    | "java/util/TreeSet"
                    | "java/util/SortedSet"
                    | "java/util/ArrayList"
            ),
            _ => false,
        },
        _ => false,
    }
}

/// The call takes a class or a class loader and the name of a resource.
fn finds_resource(class: &str, name: &str, descriptor: &str) -> bool {
    matches!(class, "java/lang/Class" | "java/lang/ClassLoader")
        && matches!(name, "getResource" | "getResourceAsStream")
        && descriptor.starts_with("(Ljava/lang/String;)")
}

/// Calls whose result differs between runs: class, and methods by name, or by name and descriptor where overloads differ.
///
/// What a configuration decides (system properties, default locale, time zone and charset) is not among them: it is the
/// same in all workers, and libraries read a property in every second constructor. Emitted tests are run under several
/// configurations, and assertions that depend on one go. Nor are identity hashes: caches are indexed by them, and the
/// workers that a test is observed in have different ones.
const ENVIRONMENT_CALLS: &[(&str, &[&str])] = &[
    // The clocks, as `still` left them.
    (PROBES, &["currentTimeMillis", "nanoTime"]),
    ("java/lang/System", &["getenv"]),
    ("java/lang/Math", &["random"]),
    ("java/lang/StrictMath", &["random"]),
    ("java/lang/Runtime", &["availableProcessors", "freeMemory", "totalMemory", "maxMemory"]),
    ("java/lang/Thread", &["activeCount", "getAllStackTraces"]),
    ("java/lang/ProcessHandle", &["current"]),
    ("java/util/Date", &["<init>()V"]),
    ("java/util/Random", &["<init>()V"]),
    ("java/util/SplittableRandom", &["<init>()V"]),
    ("java/util/concurrent/ThreadLocalRandom", &["current"]),
    ("java/security/SecureRandom", &["<init>", "getInstance", "getInstanceStrong"]),
    ("java/util/UUID", &["randomUUID"]),
    ("java/util/Calendar", &["getInstance"]),
    ("java/util/GregorianCalendar", &["<init>()V"]),
    ("java/time/Clock", &["systemUTC", "systemDefaultZone"]),
    ("java/time/Instant", &["now"]),
    ("java/time/LocalDate", &["now"]),
    ("java/time/LocalTime", &["now"]),
    ("java/time/LocalDateTime", &["now"]),
    ("java/time/OffsetDateTime", &["now"]),
    ("java/time/OffsetTime", &["now"]),
    ("java/time/ZonedDateTime", &["now"]),
    ("java/time/Year", &["now"]),
    ("java/time/YearMonth", &["now"]),
    ("java/time/MonthDay", &["now"]),
    ("java/net/InetAddress", &["getLocalHost"]),
    ("java/io/File", &["createTempFile"]),
    ("java/nio/file/Files", &["createTempFile", "createTempDirectory"]),
];
