//! Which calls go before which instructions of a body.

use super::body::Body;
use super::class::Class;
use super::compared;
use super::hook::{Hook, Operands};
use super::readers;
use super::{MACHINE, PROBES, ProbeKind, QUESTIONS};
use crate::classfile::decode::Located;
use crate::classfile::instruction::{Comparison, Condition, FieldAccess, InvokeKind, Order, StackOperation};
use crate::classfile::reader::ConstantPool;
use crate::classfile::writer::PoolWriter;
use crate::classfile::{EncodedInstruction, EncodedLocal, Instruction, Kind};
use model::jvm::{ClassName, JavaString};

impl Hook {
    fn hit(kind: ProbeKind) -> Hook {
        Hook { kind: Some(kind), owner: PROBES, method: "hit", descriptor: "(I)V", operands: Operands::None }
    }

    fn site(method: &'static str, descriptor: &'static str, operands: Operands) -> Hook {
        Hook { kind: Some(ProbeKind::Site), owner: PROBES, method, descriptor, operands }
    }

    const ENVIRONMENT: Hook =
        Hook { kind: None, owner: PROBES, method: "environment", descriptor: "()V", operands: Operands::None };

    /// Before a number is drawn from a generator that all code shares, or one is made that tells nothing of draws.
    const RANDOM: Hook =
        Hook { kind: None, owner: PROBES, method: "random", descriptor: "()V", operands: Operands::None };

    /// After a variable of the environment was read, whose text is on top of the stack: another one takes its place.
    const OF_VARIABLE: Hook = Hook {
        kind: None,
        owner: MACHINE,
        method: Hook::VARIABLE.0,
        descriptor: Hook::VARIABLE.1,
        operands: Operands::None,
    };

    /// Before the name or address of the machine is looked up.
    const LOCAL_HOST: Hook =
        Hook { kind: None, owner: PROBES, method: "localHost", descriptor: "()V", operands: Operands::None };

    /// Before an array is made, whose length is on top of the stack.
    const ELEMENTS: Hook =
        Hook { kind: None, owner: PROBES, method: "elements", descriptor: "(I)V", operands: Operands::One };

    /// Before a call of the platform that reads or fills an array, which is on top of the stack.
    const ELEMENTS_OF: Hook = Hook {
        kind: None,
        owner: PROBES,
        method: "elementsOf",
        descriptor: "(Ljava/lang/Object;)V",
        operands: Operands::One,
    };

    /// After a generator of random numbers was made, which is on top of the stack.
    const OF_UNSEEDED: Hook = Hook {
        kind: None,
        owner: PROBES,
        method: Hook::UNSEEDED,
        descriptor: "(Ljava/lang/Object;)V",
        operands: Operands::One,
    };

    /// After the platform has made a text, or moved the characters of one, which is on top of the stack.
    const OF_TEXT: Hook = Hook {
        kind: None,
        owner: PROBES,
        method: Hook::TEXT,
        descriptor: "(Ljava/lang/Object;)V",
        operands: Operands::One,
    };

    /// After a call of `Runtime` that asks for a number of the machine, which is on top of the stack: another one takes its place.
    fn of_machine(asked: &str) -> Option<Hook> {
        let (method, descriptor) = Hook::OF_MACHINE.into_iter().find(|(method, _)| *method == asked)?;
        Some(Hook { kind: None, owner: MACHINE, method, descriptor, operands: Operands::None })
    }

    /// Before a static field is written whose name, with its class, the pool has under the index.
    fn static_write(field: u16) -> Hook {
        Hook {
            kind: None,
            owner: PROBES,
            method: "staticWrite",
            descriptor: "(Ljava/lang/String;)V",
            operands: Operands::Text(field),
        }
    }
}

/// The hooks of a body in the order of their instructions; those of one instruction in the order of execution.
///
/// An entry hook runs once per call, even where pc 0 is a jump target: `relocate` sees to that.
/// Names of static fields, and enums that are asked for a constant, are added to `pool`.
pub(super) fn hooks(body: &Body, class: &Class, method_name: &str, pool: &mut PoolWriter) -> Vec<(usize, Hook)> {
    let constants = &class.pool;
    let switches = body.instructions.iter().filter(|located| matches!(located.instruction, Instruction::Switch(_)));
    let mut switch_targets: Vec<usize> = switches.flat_map(Located::targets).collect();
    switch_targets.sort_unstable();
    let mut handlers: Vec<usize> = body.exceptions.iter().map(|range| range.handler).collect();
    handlers.sort_unstable();

    let mut hooks = Vec::new();
    let mut behind_call = None;
    for (index, instruction) in body.instructions.iter().enumerate() {
        let at = &mut |hook| hooks.push((instruction.pc, hook));
        if index == 0 {
            at(Hook::hit(ProbeKind::Entry));
        }
        // Before all others: jumps pass it by.
        behind_call.take().into_iter().for_each(&mut *at);
        behind_call = hook_behind(&body.instructions[..=index], constants);
        if handlers.binary_search(&instruction.pc).is_ok() && !unlocks(&body.instructions[index..]) {
            at(Hook::hit(ProbeKind::Handler));
        }
        if switch_targets.binary_search(&instruction.pc).is_ok() {
            at(Hook::hit(ProbeKind::SwitchTarget));
        }
        if loops_without_condition(&body.instructions[..=index]) {
            at(Hook::hit(ProbeKind::Loop));
        }
        match instruction.instruction {
            Instruction::Invoke { .. } if behind_call.is_some_and(|hook| hook.method != Hook::TEXT) => {}
            Instruction::Invoke { kind, method } => {
                let of_enum = enum_hook(kind, method.index, class, pool);
                let told = of_enum.or_else(|| call_hook(kind, method.index, constants));
                told.or_else(|| readers::hook(method.index, constants, pool)).into_iter().for_each(at);
            }
            // What a static initialiser leaves is remembered.
            Instruction::Field { access: FieldAccess::PutStatic, field } if method_name != "<clinit>" => {
                static_write(field, constants, pool).into_iter().for_each(at);
            }
            // What a static initialiser makes is made once.
            Instruction::NewArray(_) if method_name == "<clinit>" => {}
            _ if sees_uninitialized(&body.instructions[..=index], method_name) => {}
            Instruction::Switch(_) => {
                let keys = pool.string(&JavaString::from_units(&compared::keys(instruction, body, constants)));
                at(Hook::site("switchOn", "(ILjava/lang/String;I)V", Operands::OneAndConstant(keys)));
            }
            other => operand_hook(&other).into_iter().for_each(at),
        }
    }
    hooks
}

fn static_write(field: u16, constants: &ConstantPool, pool: &mut PoolWriter) -> Option<Hook> {
    let field = constants.member(field).ok()?;
    let name = format!("{}.{}", ClassName::new(&field.class).binary(), field.name);
    Some(Hook::static_write(pool.string(&name.as_str().into())))
}

/// The handler releases a monitor first: `synchronized` blocks have one. A probe that throws there would leave the
/// monitor locked.
fn unlocks(handler: &[Located]) -> bool {
    handler.iter().take(3).any(|instruction| instruction.instruction == Instruction::MonitorExit)
}

/// The last instruction jumps back unconditionally, over no instruction that could leave the loop: no other probe
/// would count its rounds.
fn loops_without_condition(until: &[Located]) -> bool {
    let Some((last, before)) = until.split_last() else { return false };
    let Instruction::Goto { target } = last.instruction else { return false };
    let Some(target) = last.at_offset(target.by) else { return false };
    let conditional =
        |located: &Located| matches!(located.instruction, Instruction::Branch { .. } | Instruction::Switch(_));
    target <= last.pc && !before.iter().rev().take_while(|instruction| instruction.pc >= target).any(conditional)
}

/// The hook behind the last instruction, if that is a call of which something is told, or another result taken.
fn hook_behind(until: &[Located], constants: &ConstantPool) -> Option<Hook> {
    if makes_unseeded_generator(until, constants) {
        return Some(Hook::OF_UNSEEDED);
    }
    let last = until.last()?.instruction;
    if makes_text(&last, constants) {
        return Some(Hook::OF_TEXT);
    }
    let Instruction::Invoke { kind, method } = last else { return None };
    let member = constants.member(method.index).ok()?;
    match (kind, &*member.class) {
        (InvokeKind::Virtual, "java/lang/Runtime") => Hook::of_machine(&member.name),
        (InvokeKind::Static, "java/lang/System") => {
            let is_read = (&*member.name, &*member.descriptor) == Hook::VARIABLE;
            is_read.then_some(Hook::OF_VARIABLE)
        }
        (InvokeKind::Static, "java/security/SecureRandom") => {
            member.name.starts_with("getInstance").then_some(Hook::OF_UNSEEDED)
        }
        _ => None,
    }
}

/// Whether the instruction has the platform copy the characters of a text, and leaves the text on the stack: it is joined of others,
/// or a part of another one.
fn makes_text(instruction: &EncodedInstruction, constants: &ConstantPool) -> bool {
    match *instruction {
        Instruction::InvokeDynamic(site) => {
            constants.dynamic(site).is_ok_and(|(.., descriptor)| descriptor.ends_with(")Ljava/lang/String;"))
        }
        Instruction::Invoke { method, .. } => constants.member(method.index).is_ok_and(|member| match &*member.class {
            "java/lang/String" => member.descriptor.ends_with(")Ljava/lang/String;"),
            "java/lang/StringBuilder" | "java/lang/StringBuffer" => {
                matches!(
                    &*member.name,
                    "toString" | "substring" | "insert" | "delete" | "deleteCharAt" | "replace" | "reverse"
                )
            }
            _ => false,
        }),
        _ => false,
    }
}

/// The last instructions make an object of a class whose numbers differ between runs if nobody gives them a seed, and leave it
/// on the stack.
fn makes_unseeded_generator(until: &[Located], constants: &ConstantPool) -> bool {
    let [.., new, copy, call] = until else { return false };
    let Instruction::Invoke { kind: InvokeKind::Special, method } = call.instruction else { return false };
    matches!(new.instruction, Instruction::New(_))
        && copy.instruction == Instruction::Stack(StackOperation::Dup)
        && constants.member(method.index).is_ok_and(|member| {
            matches!(&*member.class, "java/util/Random" | "java/security/SecureRandom")
                && (&*member.name, &*member.descriptor) == ("<init>", "()V")
        })
}

/// Whether the reference that the last instruction compares may be an object before its constructor ran, which cannot
/// be an argument (JVMS §4.10.1.9, `invokestatic`). The verifier allows such code, no compiler makes it; only what was
/// pushed right before is looked at.
fn sees_uninitialized(until: &[Located], method_name: &str) -> bool {
    let Some((last, before)) = until.split_last() else { return false };
    let operands = match last.instruction {
        Instruction::Branch { condition: Condition::Null | Condition::NonNull, .. } => 1,
        Instruction::Branch { condition: Condition::Same | Condition::NotSame, .. } => 2,
        _ => return false,
    };
    let is_new = |located: &Located| matches!(located.instruction, Instruction::New(_));
    let is_special =
        |located: &Located| matches!(located.instruction, Instruction::Invoke { kind: InvokeKind::Special, .. });
    let this_is_uninitialized = || method_name == "<init>" && !before.iter().any(is_special);
    (1..=operands.min(before.len())).any(|back| match before[before.len() - back].instruction {
        Instruction::New(_) => true,
        Instruction::Stack(StackOperation::Dup) => before.len() > back && is_new(&before[before.len() - back - 1]),
        Instruction::Load { kind: Kind::Reference, local } if local == EncodedLocal::implicit(0) => {
            this_is_uninitialized()
        }
        _ => false,
    })
}

fn operand_hook(instruction: &EncodedInstruction) -> Option<Hook> {
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
    Some(match instruction {
        Instruction::Branch { condition, .. } => match condition {
            Condition::Zero(Order::Equal) => int("ifeq"),
            Condition::Zero(Order::NotEqual) => int("ifne"),
            Condition::Zero(Order::Less) => int("iflt"),
            Condition::Zero(Order::GreaterOrEqual) => int("ifge"),
            Condition::Zero(Order::Greater) => int("ifgt"),
            Condition::Zero(Order::LessOrEqual) => int("ifle"),
            Condition::Ints(Order::Equal) => ints("icmpeq"),
            Condition::Ints(Order::NotEqual) => ints("icmpne"),
            Condition::Ints(Order::Less) => ints("icmplt"),
            Condition::Ints(Order::GreaterOrEqual) => ints("icmpge"),
            Condition::Ints(Order::Greater) => ints("icmpgt"),
            Condition::Ints(Order::LessOrEqual) => ints("icmple"),
            Condition::Same => objects("acmpeq"),
            Condition::NotSame => objects("acmpne"),
            Condition::Null => object("ifnull"),
            Condition::NonNull => object("ifnonnull"),
        },
        Instruction::Compare(comparison) => match comparison {
            Comparison::Long => Hook::site("longs", "(JJI)V", Operands::Longs),
            Comparison::FloatLess | Comparison::FloatGreater => Hook::site("floats", "(FFI)V", Operands::Two),
            Comparison::DoubleLess | Comparison::DoubleGreater => Hook::site("doubles", "(DDI)V", Operands::Doubles),
        },
        Instruction::NewArray(_) => Hook::ELEMENTS,
        _ => return None,
    })
}

/// Before the call of `valueOf` that an enum has, unless it is one of `java.lang`: the class goes along, as it knows the names.
fn enum_hook(kind: InvokeKind, method: u16, class: &Class, pool: &mut PoolWriter) -> Option<Hook> {
    let member = class.pool.member(method).ok()?;
    let returned = member.descriptor.strip_prefix("(Ljava/lang/String;)L")?.strip_suffix(';')?;
    let may_be_enum = kind == InvokeKind::Static && &*member.name == "valueOf" && returned == &*member.class;
    let is_hooked = may_be_enum && !returned.starts_with("java/lang/") && class.has_class_literals();
    let operands = is_hooked.then(|| Operands::OneAndConstant(pool.class(returned)))?;
    Some(Hook::site("enumName", "(Ljava/lang/Object;Ljava/lang/Class;I)V", operands))
}

fn call_hook(kind: InvokeKind, method: u16, constants: &ConstantPool) -> Option<Hook> {
    let member = constants.member(method).ok()?;
    let (class, name, descriptor) = (&*member.class, &*member.name, &*member.descriptor);
    let both = |method| Some(Hook::site(method, "(Ljava/lang/Object;Ljava/lang/Object;I)V", Operands::Two));
    if compares_strings(kind, class, name, descriptor) {
        return both("strings");
    }
    if looks_up(kind, class, name, descriptor) {
        return both("lookup");
    }
    if let Some((method, descriptor, operands)) = compared::call(class, name, descriptor) {
        return Some(Hook { owner: QUESTIONS, ..Hook::site(method, descriptor, operands) });
    }
    if kind == InvokeKind::Virtual && VALUES.contains(&class) {
        match compares_values(name, descriptor) {
            Some(true) => return both(Hook::ORDER_OF_VALUES),
            Some(false) => return both("values"),
            None => {}
        }
    }
    if finds_resource(class, name, descriptor) {
        return both("resource");
    }
    if class == "java/util/Arrays" && name == "copyOf" && descriptor.contains("I)") {
        return Some(Hook::ELEMENTS);
    }
    if class == "java/net/InetAddress" && name == "getLocalHost" {
        return Some(Hook::LOCAL_HOST);
    }
    let of_elements = elements_hook(class, name, descriptor);
    // `super.hashCode()` and `super.toString()`; a virtual call may well lead to a method that overrides them.
    let identity =
        kind == InvokeKind::Special && class == "java/lang/Object" && matches!(name, "hashCode" | "toString");
    let is_among = |calls: &[(&str, &[&str])]| {
        let listed = calls.iter().find(|(listed, _)| *listed == class);
        listed.is_some_and(|(_, methods)| {
            methods.iter().any(|method| match method.split_once('(') {
                Some((simple, _)) => simple == name && method[simple.len()..] == *descriptor,
                None => *method == name,
            })
        })
    };
    if is_among(RANDOM_CALLS) {
        return Some(Hook::RANDOM);
    }
    (identity || is_among(ENVIRONMENT_CALLS)).then_some(Hook::ENVIRONMENT).or(of_elements)
}

/// Before a call of the platform that takes bytes or characters: it has no probes, and a digest of a large array takes longer than all
/// that code under test does around it.
fn elements_hook(class: &str, name: &str, descriptor: &str) -> Option<Hook> {
    let (parameters, _) = descriptor.strip_prefix('(')?.split_once(')')?;
    let takes_array = parameters.contains("[B") || parameters.contains("[C");
    let takes_part = takes_array || (class, name) == ("java/lang/System", "arraycopy");
    match class.starts_with("java/") || class.starts_with("javax/") {
        true if takes_array && (parameters.ends_with("[B") || parameters.ends_with("[C")) => Some(Hook::ELEMENTS_OF),
        // Behind an array its offset and the number of its elements.
        true if takes_part && parameters.ends_with("II") => Some(Hook::ELEMENTS),
        _ => None,
    }
}

/// The call takes two references on top of the stack, the receiver included, and asks whether one text is, or has
/// something to do with, the other.
fn compares_strings(kind: InvokeKind, class: &str, name: &str, descriptor: &str) -> bool {
    match (kind, class) {
        (InvokeKind::Static, "java/util/Objects") => name == "equals",
        (InvokeKind::Static, "kotlin/jvm/internal/Intrinsics") => {
            name == "areEqual" && descriptor == "(Ljava/lang/Object;Ljava/lang/Object;)Z"
        }
        (InvokeKind::Virtual, "java/lang/String") => matches!(
            (name, descriptor),
            ("equals", "(Ljava/lang/Object;)Z")
                | ("equalsIgnoreCase" | "startsWith" | "endsWith", "(Ljava/lang/String;)Z")
                | ("contains" | "contentEquals", "(Ljava/lang/CharSequence;)Z")
                | ("indexOf" | "lastIndexOf" | "compareTo" | "compareToIgnoreCase", "(Ljava/lang/String;)I")
        ),
        (InvokeKind::Virtual | InvokeKind::Interface, _) => match (name, descriptor) {
            ("equals", "(Ljava/lang/Object;)Z") => {
                matches!(class, "java/lang/Object" | "java/lang/CharSequence" | "java/lang/Comparable")
            }
            ("compareTo", "(Ljava/lang/Object;)I") => class == "java/lang/Comparable",
            _ => false,
        },
        _ => false,
    }
}

/// The call takes a collection or map, most of them declared as those of the platform, or the class of an enum, and, on top of the
/// stack, a key that may be in it. What it is at run time, the hook looks at.
fn looks_up(kind: InvokeKind, class: &str, name: &str, descriptor: &str) -> bool {
    const MAPS: [&str; 8] = [
        "java/util/Map",
        "java/util/HashMap",
        "java/util/LinkedHashMap",
        "java/util/TreeMap",
        "java/util/SortedMap",
        "java/util/NavigableMap",
        "java/util/concurrent/ConcurrentMap",
        "java/util/concurrent/ConcurrentHashMap",
    ];
    const COLLECTIONS: [&str; 10] = [
        "java/util/Collection",
        "java/util/Set",
        "java/util/List",
        "java/util/HashSet",
        "java/util/LinkedHashSet",
        "java/util/TreeSet",
        "java/util/SortedSet",
        "java/util/ArrayList",
        "java/util/Deque",
        "java/util/Queue",
    ];
    if kind == InvokeKind::Static {
        return class == "java/lang/Enum" && name == "valueOf";
    }
    matches!(kind, InvokeKind::Virtual | InvokeKind::Interface)
        && match (name, descriptor) {
            ("get" | "remove", "(Ljava/lang/Object;)Ljava/lang/Object;") | ("containsKey", "(Ljava/lang/Object;)Z") => {
                MAPS.contains(&class)
            }
            ("contains" | "remove", "(Ljava/lang/Object;)Z") | ("indexOf", "(Ljava/lang/Object;)I") => {
                COLLECTIONS.contains(&class)
            }
            ("add", "(Ljava/lang/Object;)Z") => class.ends_with("Set"),
            _ => false,
        }
}

/// Classes of the platform whose objects are compared by what their texts say. None has a subclass but `BigDecimal` and
/// `BigInteger`, of which the hook sees to that.
const VALUES: [&str; 9] = [
    "java/math/BigDecimal",
    "java/math/BigInteger",
    "java/time/Instant",
    "java/time/LocalDate",
    "java/time/LocalDateTime",
    "java/time/LocalTime",
    "java/time/OffsetDateTime",
    "java/time/YearMonth",
    "java/time/ZonedDateTime",
];

/// Whether the call on a value compares it with another one: by order, `Some(true)`, or whether they are equal.
fn compares_values(name: &str, descriptor: &str) -> Option<bool> {
    let takes_one = descriptor.starts_with("(L") && descriptor.matches(';').count() == 1;
    match name {
        "compareTo" | "isBefore" | "isAfter" if takes_one => Some(true),
        "equals" | "isEqual" if takes_one => Some(false),
        _ => None,
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
/// configurations, and assertions that depend on one go. Nor are clocks, which notice themselves that they are read ([`still`](super::still)),
/// memory and processors, which another number stands in for ([`Hook::OF_MACHINE`]), nor identity hashes: caches are indexed by them, and the
/// workers that a test is observed in have different ones. Of `new Random()` only what is left is here, such as `super()`: one that is
/// made and kept counts once it is drawn from ([`makes_unseeded_generator`]). For what a variable of the environment has, another text stands in.
const ENVIRONMENT_CALLS: &[(&str, &[&str])] = &[
    ("java/lang/System", &["getenv()Ljava/util/Map;"]),
    ("java/lang/Thread", &["activeCount", "getAllStackTraces"]),
    ("java/lang/ProcessHandle", &["current"]),
    ("java/util/Random", &["<init>()V"]),
    ("java/security/SecureRandom", &["<init>"]),
    ("java/io/File", &["createTempFile"]),
    ("java/nio/file/Files", &["createTempFile", "createTempDirectory"]),
];

/// Calls that draw a random number, or make a generator that tells nothing of its draws: the worker decides what is drawn.
const RANDOM_CALLS: &[(&str, &[&str])] = &[
    ("java/lang/Math", &["random"]),
    ("java/lang/StrictMath", &["random"]),
    ("java/util/SplittableRandom", &["<init>()V"]),
    ("java/util/concurrent/ThreadLocalRandom", &["current"]),
];
