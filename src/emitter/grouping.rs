//! Small cases of a class that share a test method: calls that are rejected, and values.
//!
//! A method of its own for each would be mostly frame. Rejected calls that need the same preparation share that too. What
//! another case of the method spoils is found by `supervisor::verification`; such cases are emitted alone.

use super::literal::literal_text;
use super::method::{ClassContext, TestMethod, extent, subject, write};
use super::names::Names;
use super::parameterization::table;
use super::variables::Variables;
use super::{Role, SkippedCase, TestCase};
use model::jvm::ClassName;
use model::sequence::Action;

/// A method has so many cases at most…
const CASES: usize = 8;

/// …and so many lines…
const LINES: usize = 20;

/// …of which each case has so many if it ends with an expected exception, half of that if in another operation and of
/// another class than those of the method…
const REJECTED_LINES: usize = 6;

/// …so many if it is about the same operation as another one of the method, and else one less.
const VALUE_LINES: usize = 5;

/// Cases of one test method.
struct Group<'a> {
    /// Positions; those with the same preparation stand together.
    cases: Vec<usize>,
    candidates: Vec<GroupableCase<'a>>,
    lines: usize,
}

/// A case that can share a method.
#[derive(Clone)]
struct GroupableCase<'a> {
    owner: &'a ClassName,
    name: &'a str,
    throws: Option<&'a ClassName>,
    /// Of an expected exception: the lines before the call.
    preparation: Option<Vec<&'a String>>,
    lines: usize,
}

/// Positions in `cases`, those of one test method together; methods in the order of their first cases.
pub(super) fn grouped(cases: &[(&TestCase, TestMethod)], context: &ClassContext<'_>) -> Vec<Vec<usize>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for (index, (case, method)) in cases.iter().enumerate() {
        let candidate = candidate(case, method, context);
        let found = candidate.as_ref().and_then(|candidate| {
            let joins = |(at, group): (usize, &Group<'_>)| Some((closeness(candidate, group)?, at));
            groups.iter().enumerate().filter_map(joins).min()
        });
        match (found, candidate) {
            (Some((_, at)), Some(candidate)) => groups[at].add(index, candidate),
            (_, candidate) => {
                let lines = method.lines().count();
                groups.push(Group { cases: vec![index], candidates: candidate.into_iter().collect(), lines });
            }
        }
    }
    groups.into_iter().map(|group| group.cases).collect()
}

impl<'a> Group<'a> {
    /// How many lines the candidate adds to the method.
    fn added_lines(&self, candidate: &GroupableCase<'a>) -> usize {
        match (&candidate.preparation, self.prepared_like(candidate)) {
            (Some(preparation), Some(_)) => candidate.lines - preparation.len(),
            _ => candidate.lines,
        }
    }

    /// Position of the last candidate with the same preparation.
    fn prepared_like(&self, candidate: &GroupableCase<'a>) -> Option<usize> {
        let preparation = candidate.preparation.as_ref()?;
        self.candidates.iter().rposition(|other| other.preparation.as_ref() == Some(preparation))
    }

    fn add(&mut self, case: usize, candidate: GroupableCase<'a>) {
        self.lines += self.added_lines(&candidate);
        let at = self.prepared_like(&candidate).map_or(self.cases.len(), |at| at + 1);
        self.cases.insert(at, case);
        self.candidates.insert(at, candidate);
    }
}

/// What a case can share a method for.
fn candidate<'a>(case: &'a TestCase, method: &'a TestMethod, context: &ClassContext<'a>) -> Option<GroupableCase<'a>> {
    if case.alone || matches!(case.role, Role::Finding(_)) || !case.unasserted.is_empty() {
        return None;
    }
    let operation = context.operation(case, subject(case).ok()?)?;
    let thrown = extent(case).ok()?.1;
    let preparation = match (thrown, method.prepared) {
        (Some(_), Some(prepared)) => Some(method.lines().take(prepared.lines).collect()),
        (Some(_), _) => return None,
        (None, _) => None,
    };
    let throws = thrown.map(|thrown| &thrown.nameable);
    let lines = method.lines().count();
    Some(GroupableCase { owner: &operation.owner, name: &operation.name, throws, preparation, lines })
}

/// Whether the candidate fits to those of a group: 0 if they share their preparation, more if they have less in common.
fn closeness<'a>(candidate: &GroupableCase<'a>, group: &Group<'a>) -> Option<usize> {
    let others = || group.candidates.iter();
    if others().next()?.throws.is_some() != candidate.throws.is_some() || group.cases.len() == CASES {
        return None;
    }
    let needs_preparation = candidate.preparation.as_ref().is_some_and(|preparation| !preparation.is_empty());
    if needs_preparation && group.prepared_like(candidate).is_some() {
        return Some(0);
    }
    let same_operation = others().all(|other| other.owner == candidate.owner && other.name == candidate.name);
    let same_exception = others().all(|other| other.throws == candidate.throws);
    let (most, closeness) = match (candidate.throws, same_operation, same_exception) {
        (Some(_), true, _) => (REJECTED_LINES, 1),
        (Some(_), false, true) => (REJECTED_LINES, 2),
        (Some(_), false, false) => (REJECTED_LINES / 2, 3),
        (None, true, _) => (VALUE_LINES, 1),
        (None, false, _) => (VALUE_LINES - 1, 2),
    };
    let small = others().chain([candidate]).all(|each| each.lines <= most);
    (small && group.lines + candidate.lines <= LINES).then_some(closeness)
}

/// The cases that can be written and the one method that they make, and those that cannot with the reason.
pub(super) fn write_together(
    group: &[usize],
    cases: &[TestCase],
    context: &ClassContext<'_>,
    names: &mut Names<'_>,
) -> (Option<(Vec<usize>, TestMethod)>, Vec<SkippedCase>) {
    let mut variables = Variables::default();
    let (mut together, mut skipped) = (None::<(Vec<usize>, TestMethod)>, Vec::new());
    // The last preparation as it reads in a method of its own, and which variable is its first.
    let mut before: Option<(Vec<String>, usize)> = None;
    let mut long = false;
    for &case in group {
        let mut write = |variables: &mut Variables| write(&cases[case], context, names, variables);
        let written = write(&mut Variables::default()).and_then(|alone| {
            let prepared = alone.prepared.filter(|prepared| prepared.lines > 0);
            let preparation = prepared.map(|prepared| alone.lines().take(prepared.lines).cloned().collect());
            match (&before, prepared) {
                (Some((shared, first)), Some(prepared)) if Some(shared) == preparation.as_ref() => {
                    variables.repeat(*first..first + prepared.variables);
                    Ok((write(&mut variables)?, prepared.lines))
                }
                _ => {
                    before = preparation.map(|preparation| (preparation, variables.count()));
                    Ok((write(&mut variables)?, 0))
                }
            }
        });
        let (mut method, shared) = match written {
            Ok(written) => written,
            Err(reason) => {
                skipped.push(SkippedCase { case, reason });
                continue;
            }
        };
        if group.len() > 1 {
            method.body.retain(|line| !line.is_empty());
            method.checks.clear();
        }
        let Some((cases, joined)) = &mut together else {
            long = method.body.len() > 1;
            together = Some((vec![case], method));
            continue;
        };
        cases.push(case);
        joined.assertions += if shared > 0 { 1 } else { method.assertions };
        joined.throws = joined.throws.max(method.throws);
        if shared == 0 && (long || method.body.len() > 1) {
            joined.body.push(String::new());
        }
        long = method.body.len() > 1;
        joined.body.extend(method.body.drain(shared..));
    }
    if let Some((written, joined)) = &mut together
        && written.len() == joined.body.len()
        && context.style.parameterized
        && !names.parameterized_annotations_are_hidden()
    {
        parameterize(joined, &cases[written[0]], context, names);
    }
    (together, skipped)
}

/// Turns a method with one line per case into a parameterized test, if the lines differ in literals alone.
fn parameterize(method: &mut TestMethod, first: &TestCase, context: &ClassContext<'_>, names: &mut Names<'_>) {
    let given = given(first, context, names).unwrap_or_default();
    let called = |literal: &str| given.iter().find(|(text, _)| text == literal).map(|(_, name)| name.clone());
    if let Some(table) = table(&method.body, names, &called) {
        method.body = vec![table.line.clone()];
        method.table = Some(table);
    }
}

/// The literals that the call of a case takes, and the parameters that it takes them for.
fn given(case: &TestCase, context: &ClassContext<'_>, names: &mut Names<'_>) -> Option<Vec<(String, String)>> {
    let subject = subject(case).ok()?;
    let operation = context.operation(case, subject)?;
    let arguments = case.sequence.inputs_of(subject).skip(usize::from(operation.has_receiver()));
    let named = arguments.zip(&operation.parameter_names).filter_map(|(input, name)| {
        let Action::Literal(literal) = &case.sequence.statements()[input].action else { return None };
        Some((literal_text(literal, names).ok()?, name.to_string()))
    });
    Some(named.collect())
}
