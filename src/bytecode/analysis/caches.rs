//! Fields that keep what `hashCode` or `toString` computed: no state, as what they hold follows from the rest.
//!
//! A private field is one if such a method alone reads it, and nothing writes it but that method, constructors, and what
//! brings objects back (`clone`, `readObject`). A field that `equals` reads is none.

use crate::classfile::instruction::FieldAccess;
use crate::classfile::{ClassFile, Decoder, Instruction};
use model::jvm::ClassName;
use model::jvm::types::access;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A field by its class and name.
pub type FieldName = (ClassName, Arc<str>);

/// Methods without parameters that compute the same each time.
const COMPUTED: [&str; 2] = ["hashCode", "toString"];

const RESTORING: [&str; 3] = ["<init>", "clone", "readObject"];

/// The caches among the fields of the classes.
pub fn caches<'a>(classes: impl IntoIterator<Item = &'a ClassFile>) -> BTreeSet<FieldName> {
    let (mut private, mut others) = (BTreeSet::new(), BTreeSet::new());
    // Readers by field; a method that is none of those above spoils the field.
    let mut read: BTreeMap<FieldName, BTreeSet<&str>> = BTreeMap::new();
    for class in classes {
        let candidates = class.fields.iter().filter(|field| {
            field.access & access::PRIVATE != 0 && field.access & (access::STATIC | access::FINAL) == 0
        });
        private.extend(candidates.map(|field| (class.name.clone(), field.name.clone())));
        let mut decoder = Decoder::new(class);
        for method in &class.methods {
            let computed = COMPUTED.into_iter().find(|name| **name == *method.name);
            let computed = computed.filter(|_| method.descriptor.parameters.is_empty());
            let Some(body) = method.code.as_ref().and_then(|code| decoder.body(code).ok()) else { continue };
            for step in &body.steps {
                let Instruction::Field { access, field } = &step.instruction else { continue };
                let name = (field.owner.clone(), field.name.clone());
                match (access, computed) {
                    (FieldAccess::Get | FieldAccess::Put, Some(computed)) => {
                        read.entry(name).or_default().insert(computed);
                    }
                    (FieldAccess::Put, None) if RESTORING.contains(&&*method.name) => {}
                    _ => drop(others.insert(name)),
                }
            }
        }
    }
    let is_cache =
        |field: &FieldName| !others.contains(field) && read.get(field).is_some_and(|readers| readers.len() == 1);
    private.into_iter().filter(is_cache).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classfile::testing::compile_and_parse;

    #[test]
    fn field_written_by_a_single_computation_is_a_cache() {
        let classes = compile_and_parse(
            "class C {
                private int hash, compared, counted, shared, kept;
                private String text;
                int visible;
                C() { hash = 0; }
                public int hashCode() { if (hash == 0) hash = 7; shared++; visible++; compared++; return hash; }
                public String toString() { if (text == null) text = \"C\" + shared; return text; }
                public boolean equals(Object o) { return o instanceof C && ((C) o).compared == compared; }
                int count() { return counted++; }
                void keep(int kept) { this.kept = kept; }
            }",
            &[],
        );
        let found: Vec<String> = caches(classes.values()).into_iter().map(|(_, name)| name.to_string()).collect();
        assert_eq!(found, ["hash", "text"]);
    }
}
