//! Where the null of a `NullPointerException` came from, by the JVM's own words for it (JEP 358) and what lines use.

use super::ancestry::{family, method_of};
use bytecode::analysis::caches::FieldName;
use bytecode::analysis::caller_obligations::MethodName;
use bytecode::analysis::null_provenance::{By, Provenance};
use model::execution::{StackFrame, Thrown};
use model::jvm::ClassName;
use program::Program;
use std::collections::BTreeSet;

/// Where a null came from, as far as that can be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Source {
    /// The field that was null; `None` if the null was looked up, by a number or a key from the caller or from an object's
    /// state, or if the class file does not say.
    pub field: Option<FieldName>,
    /// The class of the method that took it from there.
    pub taken_by: ClassName,
}

/// What the JVM says: `Cannot invoke "p.A.run()" because "this.given" is null`.
struct Message<'a> {
    /// The method or field that was to be used on the null, empty for arrays and monitors.
    accessed: &'a str,
    culprit: Culprit<'a>,
}

enum Culprit<'a> {
    /// A field or an element of one, by its last name.
    Field(&'a str),
    Returned {
        method: &'a str,
    },
    /// A local variable, an element of one, or something else.
    Other,
}

impl<'a> Message<'a> {
    fn read(message: &'a str) -> Option<Message<'a>> {
        let (what, culprit) = message.split_once("because ")?;
        let culprit = culprit.strip_suffix(" is null")?;
        let method =
            |call: &'a str| call.split_once('(').and_then(|(path, _)| path.rsplit_once('.')).map(|(_, name)| name);
        let accessed = match what.strip_prefix("Cannot invoke \"") {
            Some(call) => method(call)?,
            None => {
                what.split_once(" field \"").and_then(|(_, rest)| rest.split_once('"')).map_or("", |(name, _)| name)
            }
        };
        let culprit = match culprit.strip_prefix("the return value of \"") {
            Some(call) => Culprit::Returned { method: method(call)? },
            None => {
                let path = culprit.trim_matches('"').split('[').next().unwrap_or_default();
                path.rsplit_once('.').map_or(Culprit::Other, |(_, field)| Culprit::Field(field))
            }
        };
        Some(Message { accessed, culprit })
    }

    /// Whether this may be the use that it tells of.
    fn is_of(&self, by: &By, provenance: &Provenance) -> bool {
        let is_source = match (&self.culprit, provenance) {
            (Culprit::Field(name), Provenance::Field((_, field))) => **field == **name,
            (
                Culprit::Returned { method },
                Provenance::Getter((_, name))
                | Provenance::FromState((_, name))
                | Provenance::Lookup((_, name))
                | Provenance::FromParameter((_, name)),
            ) => **name == **method,
            (Culprit::Other, _) => true,
            _ => false,
        };
        is_source && matches!(by, By::Access(name) if **name == *self.accessed)
    }
}

/// The sources that the null may have; none where it was made, found or returned in the code that failed.
pub(super) fn sources(thrown: &Thrown, program: &Program) -> Vec<Source> {
    let text = thrown.message.as_ref().map(|message| message.to_string()).unwrap_or_default();
    let message = Message::read(&text);
    let Some(first) = thrown.stack.iter().position(|frame| program.is_target(&frame.class)) else { return Vec::new() };
    let frames = &thrown.stack[first..];
    let provenances: Vec<Provenance> = match (first, &message) {
        (0, None) => return Vec::new(),
        (0, Some(message)) => used_by(&frames[0], program, |by, provenance| message.is_of(by, provenance)),
        // What failed, or found that it was given null, is not under test.
        _ => {
            let called = &*thrown.stack[first - 1].method;
            let is_call = |by: &By, _: &Provenance| matches!(by, By::Argument { method, .. } if **method == *called);
            used_by(&frames[0], program, is_call)
        }
    };
    let is_field = message.is_some_and(|message| matches!(message.culprit, Culprit::Field(_)));
    if is_field && (first > 0 || provenances.is_empty()) {
        return vec![Source { field: None, taken_by: thrown.stack[0].class.clone() }];
    }
    follow(provenances, frames, program)
}

/// From the first frame's method to those that called it, as long as it is a parameter.
fn follow(mut provenances: Vec<Provenance>, frames: &[StackFrame], program: &Program) -> Vec<Source> {
    let mut sources = Vec::new();
    for (at, frame) in frames.iter().enumerate() {
        let caller = frames.get(at + 1);
        let source = |field| Source { field, taken_by: frame.class.clone() };
        let mut passed = Vec::new();
        for provenance in provenances {
            match provenance {
                Provenance::Field(field) => sources.push(source(Some(field))),
                Provenance::Getter(getter) => {
                    sources.extend(fields_behind(&getter, LINKS, program).into_iter().map(|field| source(Some(field))));
                }
                Provenance::FromState(_) => sources.push(source(None)),
                Provenance::Lookup(_) if caller.is_none() => sources.push(source(None)),
                Provenance::FromParameter(method) if caller.is_none() && is_lookup(&method, program) => sources.push(source(None)),
                Provenance::Lookup(_) | Provenance::FromParameter(_) => {}
                Provenance::Parameter(parameter) => passed.extend(caller.into_iter().flat_map(|caller| {
                    let is_it = |by: &By, _: &Provenance| {
                        matches!(by, By::Argument { method, local } if **method == *frame.method && *local == parameter)
                    };
                    used_by(caller, program, is_it)
                })),
            }
        }
        provenances = passed;
    }
    sources
}

/// Of what the frame's line uses.
fn used_by(frame: &StackFrame, program: &Program, is_it: impl Fn(&By, &Provenance) -> bool) -> Vec<Provenance> {
    let used = program.caller_obligations.uses.get(&(method_of(frame), frame.line)).into_iter().flatten();
    used.filter(|used| is_it(&used.by, &used.provenance)).map(|used| used.provenance.clone()).collect()
}

/// Whether the method returns what it looks for in a map.
fn is_lookup(method: &MethodName, program: &Program) -> bool {
    returned(method, program)
        .is_some_and(|provenances| provenances.iter().any(|provenance| matches!(provenance, Provenance::Lookup(_))))
}

/// Getters that a value may have come through.
const LINKS: usize = 4;

/// The fields that a getter's value may be from, through other getters.
fn fields_behind(getter: &MethodName, links: usize, program: &Program) -> BTreeSet<FieldName> {
    let provenances = returned(getter, program).into_iter().flatten();
    let fields = provenances.flat_map(|provenance| match provenance {
        Provenance::Field(field) => BTreeSet::from([field.clone()]),
        Provenance::Getter(next) if links > 0 => fields_behind(next, links - 1, program),
        _ => BTreeSet::new(),
    });
    fields.collect()
}

/// What the method returns, be it that of a class which inherits it.
fn returned<'a>((class, method): &MethodName, program: &'a Program) -> Option<&'a BTreeSet<Provenance>> {
    let returns = &program.caller_obligations.returns;
    let inherited = family(class, program).find_map(|class| returns.get(&(class.clone(), method.clone())));
    inherited.or_else(|| {
        let is_heir = |heir: &ClassName| family(heir, program).any(|ancestor| ancestor == class);
        returns.iter().find(|((heir, name), _)| name == method && is_heir(heir)).map(|(_, provenances)| provenances)
    })
}
