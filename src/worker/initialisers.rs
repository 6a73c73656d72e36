//! Which methods read what a static initialiser left that was denied something.

use bytecode::analysis::initialised::{FieldName, readers, written_from};
use bytecode::classfile::parse;
use bytecode::instrument;
use std::collections::BTreeSet;

/// The probes of a class, counted from its first, whose methods read such a field; all if the class cannot be read.
pub struct ReadingProbes(Option<BTreeSet<usize>>);

impl ReadingProbes {
    /// Of the class file `reader`; `initialised` is that of the class whose initialiser was denied something in `line`.
    pub fn of(reader: &[u8], initialised: &[u8], line: Option<u16>) -> ReadingProbes {
        let found = || {
            let fields: BTreeSet<FieldName> = written_from(&parse(initialised).ok()?, line);
            let methods = readers(&parse(reader).ok()?, &fields);
            let probes = instrument::plan(reader).ok()?.probes.into_iter().enumerate();
            Some(probes.filter(|(_, probe)| methods.contains(&probe.method)).map(|(number, _)| number).collect())
        };
        ReadingProbes(found())
    }

    /// Whether the probe is one of them.
    pub fn has(&self, probe: usize) -> bool {
        self.0.as_ref().is_none_or(|probes| probes.contains(&probe))
    }
}
