//! The JDK's own access to fields and elements by their offset, which its concurrent collections are written in.
//!
//! There is one thread, so that what compares and sets always sees what was set last. The offset of a field is its slot,
//! that of an element its index.

use super::{AbruptEnd, Interpreter, Native, RunResult, Stop};
use crate::heap::{HeapObject, Reference, SymbolicValue};
use crate::term::TermRelation;
use model::jvm::Type;

/// What answers the method of `jdk.internal.misc.Unsafe`.
pub(super) fn find(name: &str) -> Option<Native> {
    const KINDS: [&str; 4] = ["Int", "Long", "Reference", "Boolean"];
    let of_kind = |prefix: &str, suffixes: &[&str]| {
        let rest = name.strip_prefix(prefix);
        let kind = rest.and_then(|rest| KINDS.iter().find_map(|kind| rest.strip_prefix(kind)));
        kind.is_some_and(|suffix| suffixes.contains(&suffix))
    };
    const MODES: [&str; 4] = ["", "Volatile", "Acquire", "Opaque"];
    let native: Native = match name {
        "registerNatives" | "fullFence" | "loadFence" | "storeFence" => |_, _| Ok(None),
        "arrayBaseOffset" | "arrayBaseOffset0" => |_, _| Ok(Some(SymbolicValue::Int(0))),
        "arrayIndexScale" | "arrayIndexScale0" => |_, _| Ok(Some(SymbolicValue::Int(1))),
        "addressSize0" => |_, _| Ok(Some(SymbolicValue::Int(8))),
        "isBigEndian0" => |_, _| Ok(Some(SymbolicValue::FALSE)),
        "objectFieldOffset" => offset_of_field,
        _ if of_kind("get", &MODES) => |machine, arguments| {
            let (object, at) = place(machine, arguments)?;
            Ok(Some(slots(machine, object)[at]))
        },
        _ if of_kind("put", &["", "Volatile", "Release", "Opaque"]) => |machine, arguments| {
            let (object, at) = place(machine, arguments)?;
            set(machine, object, at, arguments[3]);
            Ok(None)
        },
        _ if of_kind("compareAndSet", &[""]) || of_kind("weakCompareAndSet", &["", "Plain", "Acquire", "Release"]) => {
            |machine, arguments| {
                let (object, at) = place(machine, arguments)?;
                let (value, expected) = (slots(machine, object)[at], arguments[3]);
                let is_as_expected = match (value, expected) {
                    (SymbolicValue::Symbol(_), _) | (_, SymbolicValue::Symbol(_)) => {
                        machine.holds(TermRelation::Equal, value, expected)?
                    }
                    _ => value == expected,
                };
                if is_as_expected {
                    set(machine, object, at, arguments[4]);
                }
                Ok(Some(SymbolicValue::boolean(is_as_expected)))
            }
        }
        _ => return None,
    };
    Some(native)
}

/// By class and name; the variant for a `Field` is reflection's.
fn offset_of_field(machine: &mut Interpreter, arguments: &[SymbolicValue]) -> RunResult<Option<SymbolicValue>> {
    let unsupported =
        || AbruptEnd::Stopped(Stop::Unsupported("jdk.internal.misc.Unsafe.objectFieldOffset".to_string()));
    let &[_, SymbolicValue::Reference(class), SymbolicValue::Reference(name)] = arguments else {
        return Err(unsupported());
    };
    let HeapObject::Mirror(Type::Class(class)) = machine.heap.object(class).clone() else { return Err(unsupported()) };
    let name = String::from_utf16_lossy(&machine.known_units(name)?.ok_or_else(unsupported)?);
    let class = machine.link(&class)?;
    let slot = machine.world.classes.get(class).slot(&name).ok_or_else(unsupported)?;
    Ok(Some(SymbolicValue::Long(slot as i64)))
}

/// The object and the slot or index that the second and third argument name.
fn place(machine: &mut Interpreter, arguments: &[SymbolicValue]) -> RunResult<(Reference, usize)> {
    let unsupported = || AbruptEnd::Stopped(Stop::Unsupported("memory outside of objects".to_string()));
    let (SymbolicValue::Reference(object), SymbolicValue::Long(at)) = (arguments[1], arguments[2]) else {
        return Err(unsupported());
    };
    let at = usize::try_from(at).map_err(|_| unsupported())?;
    if let HeapObject::Array { of: Type::Array(element), .. } = machine.heap.object(object)
        && element.is_primitive()
    {
        // Several elements may be read as one number.
        return Err(unsupported());
    }
    if at < slots(machine, object).len() { Ok((object, at)) } else { Err(unsupported()) }
}

fn slots<'h>(machine: &'h Interpreter, object: Reference) -> &'h [SymbolicValue] {
    match machine.heap.object(object) {
        HeapObject::Instance { fields, .. } => fields,
        _ => machine.heap.elements(object),
    }
}

fn set(machine: &mut Interpreter, object: Reference, at: usize, value: SymbolicValue) {
    match machine.heap.object_mut(object) {
        HeapObject::Instance { fields: slots, .. } | HeapObject::Array { elements: slots, .. } => slots[at] = value,
        HeapObject::Mirror(_) | HeapObject::Lambda { .. } => {}
    }
}
