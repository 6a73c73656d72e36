//! Where the null of a `NullPointerException` came from, by the JVM's own words for it (JEP 358) and what lines use.

use super::doubt::{family, name_of};
use crate::execution::{Frame, Thrown};
use crate::jvm::ClassName;
use crate::program::nulls::{By, Origin};
use crate::program::{FieldName, MethodName, Program};
use std::collections::BTreeSet;

/// Where a null came from, as far as that can be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Source {
    /// The field that was null; `None` of what was looked for by a number or a key that the caller gave or by what an object
    /// held, or where the class file does not say.
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
    fn is_of(&self, by: &By, origin: &Origin) -> bool {
        let is_source = match (&self.culprit, origin) {
            (Culprit::Field(name), Origin::Field((_, field))) => **field == **name,
            (
                Culprit::Returned { method },
                Origin::Got((_, name))
                | Origin::Derived((_, name))
                | Origin::Found((_, name))
                | Origin::Asked((_, name)),
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
    let origins: Vec<Origin> = match (first, &message) {
        (0, None) => return Vec::new(),
        (0, Some(message)) => used_by(&frames[0], program, |by, origin| message.is_of(by, origin)),
        // What failed, or found that it was given null, is not under test.
        _ => {
            let called = &*thrown.stack[first - 1].method;
            let is_call = |by: &By, _: &Origin| matches!(by, By::Argument { method, .. } if **method == *called);
            used_by(&frames[0], program, is_call)
        }
    };
    let is_field = message.is_some_and(|message| matches!(message.culprit, Culprit::Field(_)));
    if is_field && (first > 0 || origins.is_empty()) {
        return vec![Source { field: None, taken_by: thrown.stack[0].class.clone() }];
    }
    follow(origins, frames, program)
}

/// From the first frame's method to those that called it, as long as it is a parameter.
fn follow(mut origins: Vec<Origin>, frames: &[Frame], program: &Program) -> Vec<Source> {
    let mut sources = Vec::new();
    for (at, frame) in frames.iter().enumerate() {
        let caller = frames.get(at + 1);
        let source = |field| Source { field, taken_by: frame.class.clone() };
        let mut passed = Vec::new();
        for origin in origins {
            match origin {
                Origin::Field(field) => sources.push(source(Some(field))),
                Origin::Got(getter) => {
                    sources.extend(fields_behind(&getter, LINKS, program).into_iter().map(|field| source(Some(field))));
                }
                Origin::Derived(_) => sources.push(source(None)),
                Origin::Found(_) if caller.is_none() => sources.push(source(None)),
                Origin::Asked(method) if caller.is_none() && is_lookup(&method, program) => sources.push(source(None)),
                Origin::Found(_) | Origin::Asked(_) => {}
                Origin::Parameter(parameter) => passed.extend(caller.into_iter().flat_map(|caller| {
                    let is_it = |by: &By, _: &Origin| {
                        matches!(by, By::Argument { method, local } if **method == *frame.method && *local == parameter)
                    };
                    used_by(caller, program, is_it)
                })),
            }
        }
        origins = passed;
    }
    sources
}

/// Of what the frame's line uses.
fn used_by(frame: &Frame, program: &Program, is_it: impl Fn(&By, &Origin) -> bool) -> Vec<Origin> {
    let used = program.duties.uses.get(&(name_of(frame), frame.line)).into_iter().flatten();
    used.filter(|used| is_it(&used.by, &used.origin)).map(|used| used.origin.clone()).collect()
}

/// Whether the method returns what it looks for in a map.
fn is_lookup(method: &MethodName, program: &Program) -> bool {
    returned(method, program).is_some_and(|origins| origins.iter().any(|origin| matches!(origin, Origin::Found(_))))
}

/// Getters that a value may have come through.
const LINKS: usize = 4;

/// The fields that a getter's value may be from, through other getters.
fn fields_behind(getter: &MethodName, links: usize, program: &Program) -> BTreeSet<FieldName> {
    let origins = returned(getter, program).into_iter().flatten();
    let fields = origins.flat_map(|origin| match origin {
        Origin::Field(field) => BTreeSet::from([field.clone()]),
        Origin::Got(next) if links > 0 => fields_behind(next, links - 1, program),
        _ => BTreeSet::new(),
    });
    fields.collect()
}

/// What the method returns, be it that of a class which inherits it.
fn returned<'a>((class, method): &MethodName, program: &'a Program) -> Option<&'a BTreeSet<Origin>> {
    let returns = &program.duties.returns;
    let inherited = family(class, program).find_map(|class| returns.get(&(class.clone(), method.clone())));
    inherited.or_else(|| {
        let is_heir = |heir: &ClassName| family(heir, program).any(|ancestor| ancestor == class);
        returns.iter().find(|((heir, name), _)| name == method && is_heir(heir)).map(|(_, origins)| origins)
    })
}
