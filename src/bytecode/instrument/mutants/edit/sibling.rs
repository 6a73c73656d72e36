//! Methods that are taken for one another: of the platform, and a class's own.

use super::{Made, MethodShape, call, drop_value};
use crate::classfile::instruction::{InvokeKind, Kind, Number};
use crate::classfile::reader::MemberRef;
use crate::classfile::writer::PoolWriter;
use crate::classfile::{EncodedConstant, EncodedMethod, Instruction};
use crate::instrument::{MethodParts, SUBSTITUTES};
use model::jvm::types::access;

/// Classes, by how their names begin, and pairs of their methods; the first that fits a class counts.
const SIBLINGS: [(&str, &[[&str; 2]]); 13] = [
    ("java/util/stream/", &[["allMatch", "anyMatch"], ["min", "max"], ["limit", "skip"], ["takeWhile", "dropWhile"]]),
    ("java/lang/Math", &[["min", "max"], ["floor", "ceil"], ["floorDiv", "floorMod"], ["addExact", "subtractExact"]]),
    ("java/math/", &[["min", "max"], ["add", "subtract"], ["movePointLeft", "movePointRight"]]),
    ("java/lang/Integer", &[["min", "max"]]),
    ("java/lang/Long", &[["min", "max"]]),
    ("java/lang/Double", &[["min", "max"]]),
    ("java/lang/Character", &[["toLowerCase", "toUpperCase"], ["isLowerCase", "isUpperCase"], ["isLetter", "isDigit"]]),
    (
        "java/lang/String",
        &[
            ["toLowerCase", "toUpperCase"],
            ["startsWith", "endsWith"],
            ["indexOf", "lastIndexOf"],
            ["equalsIgnoreCase", "equals"],
            ["replaceFirst", "replaceAll"],
            ["isEmpty", "isBlank"],
            ["stripLeading", "stripTrailing"],
        ],
    ),
    (
        "java/time/LocalDate",
        &[["plusDays", "minusDays"], ["plusMonths", "minusMonths"], ["getDayOfMonth", "getDayOfYear"]],
    ),
    ("java/time/Duration", &[["toHours", "toMinutes"], ["toSeconds", "toMillis"], ["plus", "minus"]]),
    ("java/util/Comparator", &[["naturalOrder", "reverseOrder"]]),
    ("java/time/", &[["plus", "minus"], ["plusMinutes", "minusMinutes"], ["plusHours", "minusHours"]]),
    (
        "java/util/",
        &[
            ["min", "max"],
            ["first", "last"],
            ["firstKey", "lastKey"],
            ["floor", "ceiling"],
            ["floorKey", "ceilingKey"],
            ["floorEntry", "ceilingEntry"],
            ["lower", "higher"],
            ["headMap", "tailMap"],
            ["addFirst", "addLast"],
            ["getFirst", "getLast"],
            ["pollFirst", "pollLast"],
            ["removeFirst", "removeLast"],
            ["peekFirst", "peekLast"],
            ["retainAll", "removeAll"],
            ["put", "putIfAbsent"],
        ],
    ),
];

/// The call of the method that is taken for the one called, with the same arguments; all elements are removed instead of one, and
/// entries that are put into a map do not replace those with their keys.
pub(super) fn edit(
    kind: InvokeKind,
    method: EncodedMethod,
    member: &MemberRef,
    shape: &MethodShape,
    pool: &mut PoolWriter,
) -> Option<Vec<Made>> {
    if *member.name == *"remove"
        && *member.descriptor == *"(Ljava/lang/Object;)Z"
        && member.class.starts_with("java/util/")
    {
        let index = match kind {
            InvokeKind::Interface => pool.interface_method_ref(&member.class, "clear", "()V"),
            _ => pool.method_ref(&member.class, "clear", "()V"),
        };
        return Some(vec![
            drop_value(Kind::Reference),
            Instruction::Invoke { kind, method: EncodedMethod { index, slots: 1 } },
            Instruction::Constant(EncodedConstant::Implicit(Number::Int, 1)),
        ]);
    }
    let is_of_map = member.class.starts_with("java/util/") && member.class.ends_with("Map");
    if is_of_map && *member.name == *"putAll" && kind != InvokeKind::Special {
        let kept = pool.method_ref(SUBSTITUTES, "putAllIfAbsent", "(Ljava/util/Map;Ljava/util/Map;)V");
        return Some(vec![call(kept)]);
    }
    let own = || Some((own_sibling(kind, member, shape)?, &*member.descriptor));
    let (other, descriptor) = sibling(member).or_else(own)?;
    let is_own_interface = *member.class == *shape.class.name.internal() && shape.class.access & access::INTERFACE != 0;
    let is_interface = kind == InvokeKind::Interface || is_own_interface || *member.class == *"java/util/Comparator";
    let index = match is_interface {
        true => pool.interface_method_ref(&member.class, other, descriptor),
        false => pool.method_ref(&member.class, other, descriptor),
    };
    Some(vec![Instruction::Invoke { kind, method: EncodedMethod { index, ..method } }])
}

/// The next method of the class itself that takes nothing and returns the same type: `rows()` for `columns()`.
fn own_sibling<'a>(kind: InvokeKind, member: &MemberRef, shape: &'a MethodShape) -> Option<&'a str> {
    const LEFT_OUT: u16 = access::STATIC | access::SYNTHETIC | access::BRIDGE;
    let is_getter = member.descriptor.starts_with("()") && *member.descriptor != *"()V" && kind != InvokeKind::Static;
    if *member.class != *shape.class.name.internal() || !is_getter {
        return None;
    }
    let is_like = |one: &&MethodParts| {
        *one.descriptor == *member.descriptor
            && one.access & LEFT_OUT == 0
            && !matches!(&*one.name, "hashCode" | "toString" | "clone")
            // It would call itself.
            && (one.name != shape.name || *one.name == *member.name)
    };
    let same: Vec<&MethodParts> = shape.class.methods.iter().filter(is_like).collect();
    let at = same.iter().position(|one| *one.name == *member.name)?;
    Some(&*same[(at + 1) % same.len()].name).filter(|other| **other != *member.name)
}

/// Name and descriptor of the other method.
fn sibling<'a>(member: &'a MemberRef) -> Option<(&'static str, &'a str)> {
    let descriptor = &*member.descriptor;
    let (_, pairs) = SIBLINGS.iter().find(|(prefix, _)| member.class.starts_with(prefix))?;
    let other = pairs.iter().find_map(|pair| match &*member.name {
        name if name == pair[0] => Some(pair[1]),
        // What takes an object cannot take it for a string.
        name if name == pair[1] && name != "equals" => Some(pair[0]),
        _ => None,
    })?;
    Some(match (&*member.name, descriptor) {
        ("equalsIgnoreCase", _) => (other, "(Ljava/lang/Object;)Z"),
        // Of the overloads that only one of the two has.
        ("startsWith", "(Ljava/lang/String;I)Z") | ("floorDiv" | "floorMod", "(JI)J" | "(JI)I") => return None,
        ("put", described) if !described.starts_with("(Ljava/lang/Object;Ljava/lang/Object;)") => return None,
        _ => (other, descriptor),
    })
}
