//! Methods that the compiler adds to records and enums, and classes that it adds. They have no edges, as JaCoCo does not count them either: nobody
//! wrote them, so no test is about them.

use super::body::Body;
use super::class::{Class, MethodParts};
use crate::classfile::Instruction;
use model::jvm::types::access;

/// Whether the method is `equals`, `hashCode` or `toString` of a record that does not declare it, `values` or `valueOf` of
/// an enum (JLS §8.10.3, §8.9.3), or of a class that no source declares, such as that of a switch over an enum.
pub(super) fn is_generated(class: &Class, method: &MethodParts) -> bool {
    if class.access & access::SYNTHETIC != 0 {
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

/// The compiler has them call `java.lang.runtime.ObjectMethods` by `invokedynamic`, under the name of the method.
fn calls_bootstrap_of_itself(class: &Class, method: &MethodParts) -> bool {
    let Some(Ok(body)) = method.code.map(|code| Body::read(code, &class.pool)) else { return false };
    body.instructions.iter().any(|located| match located.instruction {
        Instruction::InvokeDynamic(site) => class.pool.dynamic(site).is_ok_and(|(_, name, _)| name == *method.name),
        _ => false,
    })
}
