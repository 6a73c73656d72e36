//! Cases that share a test method: calls of one operation that are rejected, and small values of one static method.
//!
//! A method of its own for each would be mostly frame. What another test of the method may spoil is found by
//! `supervisor::verification`; such cases are emitted alone.

use super::method::{Context, Method, extent, subject};
use super::{Role, TestCase};
use crate::jvm::ClassName;
use crate::sequence::OperationKind;
use std::collections::BTreeMap;

/// A method has so many cases at most…
const CASES: usize = 6;

/// …each of so many lines.
const LINES: usize = 3;

/// What the cases of one method have in common.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Subject<'a> {
    throws: bool,
    owner: &'a ClassName,
    name: &'a str,
}

/// Positions in `cases`, those of one test method together; methods and cases in the order of the first ones.
pub(super) fn grouped(cases: &[(&TestCase, Method)], context: &Context<'_>) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut open: BTreeMap<Subject<'_>, usize> = BTreeMap::new();
    for (index, (case, method)) in cases.iter().enumerate() {
        let Some(subject) = shared_subject(case, method, context) else {
            groups.push(vec![index]);
            continue;
        };
        match open.get(&subject) {
            Some(&group) if groups[group].len() < CASES => groups[group].push(index),
            _ => {
                open.insert(subject, groups.len());
                groups.push(vec![index]);
            }
        }
    }
    groups
}

/// What a case can share a method for, if it is small enough.
fn shared_subject<'a>(case: &TestCase, method: &Method, context: &Context<'a>) -> Option<Subject<'a>> {
    if case.alone || matches!(case.role, Role::Finding(_)) || !case.unasserted.is_empty() || method.assertions != 1 {
        return None;
    }
    let (subject, last) = subject(case).ok()?;
    let operation = context.operation(case, subject)?;
    let throws = extent(case).ok()?.1.is_some();
    let lines = method.body.iter().filter(|line| !line.is_empty()).count();
    let fits = match throws {
        true => subject == last && method.checks.is_empty() && lines <= LINES && context.style.has_assert_throws(),
        false => operation.kind == OperationKind::StaticMethod && lines == 1,
    };
    fits.then_some(Subject { throws, owner: &operation.owner, name: &operation.name })
}

/// The bodies of cases as one.
pub(super) fn joined(methods: Vec<Method>) -> Option<Method> {
    let mut methods = methods.into_iter();
    let mut joined = methods.next()?;
    let rest: Vec<Method> = methods.collect();
    if rest.is_empty() {
        return Some(joined);
    }
    let statements = |body: Vec<String>| body.into_iter().filter(|line| !line.is_empty()).collect::<Vec<String>>();
    joined.body = statements(joined.body);
    joined.checks.clear();
    let mut long = joined.body.len() > 1;
    for method in rest {
        let body = statements(method.body);
        if long || body.len() > 1 {
            joined.body.push(String::new());
        }
        long = body.len() > 1;
        joined.body.extend(body);
        joined.assertions += method.assertions;
        joined.throws = joined.throws.max(method.throws);
    }
    Some(joined)
}
