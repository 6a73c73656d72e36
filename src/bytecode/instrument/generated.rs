//! Methods that the compiler adds to records and enums, classes that it adds, and what other tools wrote, such as Lombok. They have no
//! edges, as JaCoCo does not count them either: nobody wrote them, so no test is about them.

use super::body::Body;
use super::class::{Class, MethodParts};
use crate::classfile::reader::{ConstantPool, Reader};
use crate::classfile::structure::Attribute;
use crate::classfile::{ClassFileError, Instruction};
use model::jvm::types::access;

/// Whether the method is `equals`, `hashCode` or `toString` of a record that does not declare it, `values` or `valueOf` of
/// an enum (JLS §8.10.3, §8.9.3), or of a class that no source declares, such as that of a switch over an enum; or whether it is
/// annotated as generated, or fills in Kotlin's default arguments, which no other language can call.
pub(super) fn is_generated(class: &Class, method: &MethodParts) -> bool {
    let is_default = || method.name.ends_with("$default") || method.descriptor.ends_with(DEFAULTS);
    if class.access & access::SYNTHETIC != 0
        || class.is_marked
        || method.is_marked
        || method.access & access::SYNTHETIC != 0 && is_default()
    {
        return true;
    }
    match class.super_name.as_deref() {
        Some("java/lang/Enum") => {
            let of_enum = format!("L{};", class.name.internal());
            match &*method.name {
                "values" | "$values" => method.descriptor.strip_prefix("()[") == Some(&of_enum),
                "valueOf" => method.descriptor.strip_prefix("(Ljava/lang/String;)") == Some(&of_enum),
                _ => false,
            }
        }
        Some("java/lang/Record") => {
            matches!(&*method.name, "equals" | "hashCode" | "toString") && calls_bootstrap_of_itself(class, method)
        }
        _ => false,
    }
}

/// How the descriptors of Kotlin's constructors with default arguments end.
const DEFAULTS: &str = "Lkotlin/jvm/internal/DefaultConstructorMarker;)V";

/// Whether an annotation whose simple name has `Generated` in it, as JaCoCo wants it, is among the attributes. What is broken
/// says nothing.
pub(super) fn is_marked(attributes: &[Attribute], pool: &ConstantPool) -> bool {
    let lists = attributes
        .iter()
        .filter(|attribute| matches!(attribute.name, b"RuntimeVisibleAnnotations" | b"RuntimeInvisibleAnnotations"));
    lists.into_iter().any(|list| names_generated(list.content, pool).unwrap_or(false))
}

fn names_generated(mut reader: Reader, pool: &ConstantPool) -> Result<bool, ClassFileError> {
    for _ in 0..reader.u2()? {
        let of = pool.utf8(reader.u2()?)?;
        let simple = of.rsplit(['/', '$']).next().unwrap_or_default();
        if simple.contains("Generated") {
            return Ok(true);
        }
        skip_elements(&mut reader, 0)?;
    }
    Ok(false)
}

/// Skips the elements of an annotation (JVMS §4.7.16).
fn skip_elements(reader: &mut Reader, depth: u32) -> Result<(), ClassFileError> {
    for _ in 0..reader.u2()? {
        reader.u2()?;
        skip_value(reader, depth)?;
    }
    Ok(())
}

fn skip_value(reader: &mut Reader, depth: u32) -> Result<(), ClassFileError> {
    // Deeper than any source nests annotations, far from the end of the stack.
    if depth > 64 {
        return Err(reader.malformed("nesting of annotations"));
    }
    match reader.u1()? {
        b'e' => reader.u4().map(drop),
        b'@' => {
            reader.u2()?;
            skip_elements(reader, depth + 1)
        }
        b'[' => {
            for _ in 0..reader.u2()? {
                skip_value(reader, depth + 1)?;
            }
            Ok(())
        }
        _ => reader.u2().map(drop),
    }
}

/// The compiler has them call `java.lang.runtime.ObjectMethods` by `invokedynamic`, under the name of the method.
fn calls_bootstrap_of_itself(class: &Class, method: &MethodParts) -> bool {
    let Some(Ok(body)) = method.code.map(|code| Body::read(code, &class.pool)) else { return false };
    body.instructions.iter().any(|located| match located.instruction {
        Instruction::InvokeDynamic(site) => class.pool.dynamic(site).is_ok_and(|(_, name, _)| name == *method.name),
        _ => false,
    })
}
