//! The constants of classes, propagated and folded (GRT §3.1, docs/bibliography.md).
//!
//! A constant that the code pushes counts where it is pushed, a computed one where it is computed, a static one where
//! it is read or declared. What only indexes arrays, is only a truth value, or is the hash behind a `switch` over
//! strings is left out: no argument was ever compared with it. An int that is used as a `char` is one. Beyond the paper, code
//! that has the platform parse a text gets one that it can parse.

mod configured;
mod miner;
mod statics;
#[cfg(test)]
mod tests;

use super::STRING_LIMIT;
use super::interpret::interpret;
use crate::classfile::{Body, ClassFile, Constant, Decoder, Instruction};
use miner::{Miner, entry_frame};
use model::jvm::types::access;
use model::jvm::{ClassName, Literal, Type};
use rustc_hash::FxHashMap;
use statics::Statics;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Distinct constants kept of one class; a table of a generated parser has tens of thousands.
const CLASS_LIMIT: usize = 4_000;

/// Occurrences that a default of a field or parameter counts for, as its annotation has it but once.
const DEFAULT_TIMES: u32 = 3;

/// The constants of each class in order of first occurrence, and how often each occurs. Those of a class that no test can name are
/// the enclosing class's, whose methods lead to them.
pub fn mine(classes: &BTreeMap<ClassName, ClassFile>) -> BTreeMap<ClassName, Vec<(Literal, u32)>> {
    let statics = Statics::of(classes);
    let mut mined = BTreeMap::new();
    for (name, class) in classes {
        let mut tally = Tally::default();
        class.fields.iter().filter_map(|field| field.constant_value.clone()).for_each(|literal| tally.add(literal));
        configured::defaults(class).for_each(|literal| tally.add_often(literal, DEFAULT_TIMES));
        let mut decoder = Decoder::new(class);
        for method in &class.methods {
            let Some(body) = method.code.as_ref().and_then(|code| decoder.body(code).ok()) else { continue };
            let mut miner = Miner::new(&body, &statics, &method.descriptor);
            match interpret(&body, entry_frame(method), &mut miner) {
                Some(()) => miner.constants().for_each(|literal| tally.add(literal)),
                None => pushed(&body).for_each(|literal| tally.add(literal)),
            }
            parsed(&body).for_each(|text| tally.add(text));
        }
        mined.insert(name.clone(), tally);
    }
    // Of classes within each other, the inner one comes later.
    for class in classes.values().rev() {
        let Some(around) = is_hidden(class).then(|| enclosing(&class.name, classes)).flatten() else { continue };
        let hidden = mined.insert(class.name.clone(), Tally::default()).unwrap_or_default();
        let tally = mined.entry(around.clone()).or_default();
        hidden.literals.into_iter().for_each(|(literal, times)| tally.add_often(literal, times));
    }
    mined.into_iter().map(|(name, tally)| (name, tally.literals)).collect()
}

/// Whether the class is local, anonymous or private.
fn is_hidden(class: &ClassFile) -> bool {
    class.enclosing_method || class.own_entry().is_some_and(|entry| entry.access & access::PRIVATE != 0)
}

/// The class around one that is not a class of its own, by its name (JLS §13.1).
fn enclosing<'a>(class: &ClassName, classes: &'a BTreeMap<ClassName, ClassFile>) -> Option<&'a ClassName> {
    let mut name = class.internal();
    while let Some((around, _)) = name.rsplit_once('$') {
        if let Some((found, _)) = classes.get_key_value(&ClassName::new(around)) {
            return Some(found);
        }
        name = around;
    }
    None
}

#[derive(Default)]
struct Tally {
    literals: Vec<(Literal, u32)>,
    index: FxHashMap<Literal, usize>,
}

impl Tally {
    fn add(&mut self, literal: Literal) {
        self.add_often(literal, 1);
    }

    fn add_often(&mut self, literal: Literal, times: u32) {
        if matches!(&literal, Literal::String(text) if text.units().len() > STRING_LIMIT) {
            return;
        }
        if let Some(&at) = self.index.get(&literal) {
            self.literals[at].1 += times;
        } else if self.literals.len() < CLASS_LIMIT {
            self.index.insert(literal.clone(), self.literals.len());
            self.literals.push((literal, times));
        }
    }
}

/// The constants of a body that cannot be interpreted.
fn pushed(body: &Body) -> impl Iterator<Item = Literal> {
    body.steps.iter().flat_map(|step| match &step.instruction {
        Instruction::Constant(Constant::Literal(literal)) => vec![literal.clone()],
        Instruction::Switch(switch) => switch.cases.iter().map(|case| Literal::Int(case.0)).collect(),
        _ => Vec::new(),
    })
}

/// By class and member, the strings that a method of the platform can read.
type PlatformStrings = BTreeMap<&'static str, BTreeMap<&'static str, Vec<&'static str>>>;

static PLATFORM_STRINGS: LazyLock<PlatformStrings> = LazyLock::new(|| {
    let mut strings = PlatformStrings::new();
    for line in include_str!("platform_strings.txt").lines().filter(|line| !line.starts_with('#')) {
        let mut parts = line.splitn(3, ' ');
        let mut part = || parts.next().expect("three parts in each line");
        strings.entry(part()).or_default().entry(part()).or_default().push(part());
    }
    strings
});

/// Strings that the member of the platform's class can read, if it is known to read any.
pub(crate) fn read_by(class: &str, member: &str) -> Option<&'static [&'static str]> {
    Some(PLATFORM_STRINGS.get(class)?.get(member)?)
}

/// Whether the type is one of a text, or of what is made of one to be read.
fn may_be_text(of: &Type) -> bool {
    const TEXTS: [&str; 6] = [
        "java/lang/String",
        "java/lang/CharSequence",
        "java/io/InputStream",
        "java/io/Reader",
        "java/io/StringReader",
        "org/xml/sax/InputSource",
    ];
    of.class_name().is_some_and(|class| TEXTS.contains(&class.internal()))
}

/// Strings for the calls of a body that read one.
fn parsed(body: &Body) -> impl Iterator<Item = Literal> {
    let called = body.steps.iter().filter_map(|step| step.instruction.invoked());
    let called = called.filter(|method| method.descriptor.parameters.first().is_some_and(may_be_text));
    let known = called.filter_map(|method| read_by(method.owner.internal(), &method.name));
    known.flatten().map(|text| Literal::String((*text).into()))
}
