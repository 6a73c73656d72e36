//! Which cases of a class are one test method, in which order, and what it is called.
//!
//! A test is about one behaviour: cases share a method only if they call the same method and differ in literals alone, as
//! the rows of a parameterized test, or if no words tell them apart. The methods of a class stand in the order of what they
//! test, normal outcomes before exceptions.

use super::literal::literal_text;
use super::method::{ClassContext, TestMethod, write};
use super::names::Names;
use super::naming::{self, TestName};
use super::parameterization::{self, ValueTypes, table};
use super::purpose::{Purpose, purpose};
use super::variables::{Variables, capitalized};
use super::{Role, SkippedCase, TestCase};
use model::options::TestNames;
use model::sequence::{Action, Operation, OperationKind};
use std::collections::{BTreeMap, BTreeSet};

/// A parameterized test has so many rows at most.
const MOST_ROWS: usize = 30;

/// Cases of one test method.
pub(super) struct Group {
    /// Positions, at least one.
    pub cases: Vec<usize>,
    pub name: TestName,
    /// Follows the name where another test of the class has it that this one must not be joined with.
    pub number: usize,
}

impl Group {
    /// The name of its method.
    pub fn method(&self, form: TestNames) -> String {
        let number = if self.number == 0 { String::new() } else { format!("_{}", self.number + 1) };
        self.name.method(form) + &number
    }
}

/// The test methods of the written cases, in order; none has a name that is taken.
pub(super) fn grouped(
    cases: &[(&TestCase, TestMethod)],
    context: &ClassContext<'_>,
    names: &mut Names<'_>,
    taken: &BTreeSet<String>,
) -> Vec<Group> {
    let about = |(case, method): &(&TestCase, TestMethod)| {
        let asserted = method.checks.iter().map(|(_, statement)| *statement).collect();
        purpose(case, &asserted, context)
    };
    let purposes: Vec<Purpose> = cases.iter().map(about).collect();
    let mut first_of_subject: BTreeMap<&str, usize> = BTreeMap::new();
    for purpose in &purposes {
        let first = first_of_subject.entry(&purpose.subject).or_insert(purpose.order);
        *first = (*first).min(purpose.order);
    }
    let mut order: Vec<usize> = (0..cases.len()).collect();
    order.sort_by_key(|&at| {
        let purpose = &purposes[at];
        (first_of_subject[&*purpose.subject], &purpose.subject, purpose.throws, purpose.order, at)
    });
    let rows = rows(&order, cases, &purposes, context, names);
    let tests: Vec<Purpose> = rows.iter().map(|row| row.purpose.clone()).collect();
    let form = context.style.names;
    let is_taken = |name: &TestName| taken.contains(&name.method(form));
    let chosen = naming::choose(&tests, &is_taken);
    let mut groups: Vec<Group> = Vec::new();
    for (row, name) in rows.into_iter().zip(chosen) {
        let same = |group: &&mut Group| group.name == name;
        let is_alone = |at: &usize| cases[*at].0.alone || matches!(cases[*at].0.role, Role::Finding(_));
        let number = groups.iter().filter(|group| group.name == name).count();
        match groups.iter_mut().find(same) {
            Some(group) if !row.cases.iter().chain(&group.cases).any(is_alone) => group.cases.extend(row.cases),
            _ => {
                let mut group = Group { cases: row.cases, name, number };
                while taken.contains(&group.method(form))
                    || groups.iter().any(|of| of.method(form) == group.method(form))
                {
                    group.number += 1;
                }
                groups.push(group);
            }
        }
    }
    groups
}

/// Cases that differ in literals alone, or one case.
struct Rows {
    cases: Vec<usize>,
    purpose: Purpose,
}

/// The cases in this order; those that are rows of one test stand where the first of them stood.
fn rows(
    order: &[usize],
    cases: &[(&TestCase, TestMethod)],
    purposes: &[Purpose],
    context: &ClassContext<'_>,
    names: &mut Names<'_>,
) -> Vec<Rows> {
    let body = |at: usize| cases[at].1.body.join("\n");
    let values = value_types(context, names);
    // More may be imported when the method is written.
    let imported = values.with_platform();
    let mut alike: BTreeMap<(usize, bool, String), Vec<usize>> = BTreeMap::new();
    for &at in order {
        let case = cases[at].0;
        if !case.alone && matches!(case.role, Role::Regression) && case.unasserted.is_empty() {
            let key = (purposes[at].order, case.implicit, parameterization::shape(&body(at), &values));
            alike.entry(key).or_default().push(at);
        }
    }
    let mut together: BTreeMap<usize, (Vec<usize>, String)> = BTreeMap::new();
    for mut alike in alike.into_values() {
        let bodies: Vec<String> = alike.iter().map(|&at| body(at)).collect();
        // One text that no row can hold keeps the others from being rows.
        if table(&bodies, names, &imported, &[]).is_none() {
            alike.retain(|&at| parameterization::can_be_row(&body(at), &imported));
        }
        for chunk in alike.chunks(MOST_ROWS) {
            let bodies: Vec<String> = chunk.iter().map(|&at| body(at)).collect();
            let given = given(cases[chunk[0]].0, context, names);
            let Some(with_platform) = table(&bodies, names, &imported, &given) else { continue };
            if table(&bodies, names, &values, &given).is_none() {
                continue;
            }
            let has_one_line = bodies.iter().all(|body| !body.contains('\n'));
            if can_parameterize(context, names) || has_one_line {
                together.insert(chunk[0], (chunk.to_vec(), varied(&with_platform.parameters)));
            }
        }
    }
    let inner: Vec<usize> = together.values().flat_map(|(cases, _)| &cases[1..]).copied().collect();
    let leading = order.iter().filter(|at| !inner.contains(at));
    let rows = leading.map(|&at| match together.remove(&at) {
        Some((cases, varied)) => {
            let purpose = of_rows(cases.iter().map(|&at| &purposes[at]), &varied);
            Rows { cases, purpose }
        }
        None => Rows { cases: vec![at], purpose: purposes[at].clone() },
    });
    rows.collect()
}

fn can_parameterize(context: &ClassContext<'_>, names: &Names<'_>) -> bool {
    context.style.parameterized && !names.parameterized_annotations_are_hidden()
}

/// The parameters of a table in words, those of expected values apart: `String text, int width` → `TextAndWidth`.
fn varied(parameters: &str) -> String {
    let names = parameters.split(", ").filter_map(|parameter| parameter.rsplit(' ').next());
    let names: Vec<String> = names
        .filter(|name| !name.starts_with("expected"))
        .map(|name| capitalized(name.trim_end_matches(|letter: char| letter.is_ascii_digit())))
        .collect();
    let mut distinct: Vec<&String> = Vec::new();
    names.iter().for_each(|name| {
        if !distinct.contains(&name) {
            distinct.push(name)
        }
    });
    distinct.into_iter().cloned().collect::<Vec<_>>().join("And")
}

/// What the rows of a test are about: `variousTextAndWidth`, and the outcome if all have the same.
fn of_rows<'p>(mut rows: impl Iterator<Item = &'p Purpose>, varied: &str) -> Purpose {
    let first = rows.next().expect("a test has a row");
    let mut more: Vec<&String> = first.conditions.iter().filter(|more| !more.is_empty()).collect();
    let (mut outcome, mut condition) = (Some(&first.outcome), Some(&first.conditions[0]));
    let mut branches = first.branches.clone();
    for row in rows {
        branches.retain(|side| row.branches.contains(side));
        more.retain(|condition| row.conditions.contains(condition));
        outcome = outcome.filter(|outcome| **outcome == row.outcome);
        condition = condition.filter(|condition| **condition == row.conditions[0]);
    }
    let condition = condition.filter(|condition| !condition.is_empty());
    let is_special = first.is_special && condition.is_some();
    if outcome.is_none() {
        branches.clear();
    }
    let (condition, outcome) = match (condition, outcome) {
        (Some(condition), Some(outcome)) => (condition.clone(), outcome.clone()),
        (_, Some(outcome)) => (format!("various{varied}"), outcome.clone()),
        (_, None) => (String::new(), format!("dependsOn{varied}")),
    };
    let more = more
        .into_iter()
        .map(|more| if condition.is_empty() { more.clone() } else { format!("{condition}{}", capitalized(more)) });
    let conditions = [condition.clone()].into_iter().chain(more).collect();
    Purpose { conditions, branches, is_special, outcome, ..first.clone() }
}

/// The cases that can be written and the one method that they make, and those that cannot with the reason.
pub(super) fn write_together(
    group: &[usize],
    cases: &[TestCase],
    context: &ClassContext<'_>,
    names: &mut Names<'_>,
) -> (Option<(Vec<usize>, TestMethod)>, Vec<SkippedCase>) {
    let (mut written, mut skipped) = (Vec::new(), Vec::new());
    let mut bodies = Vec::new();
    for &case in group {
        match write(&cases[case], context, names, &mut Variables::default()) {
            Ok(method) => {
                bodies.push(method.body.join("\n"));
                written.push((case, method));
            }
            Err(reason) => skipped.push(SkippedCase { case, reason }),
        }
    }
    if written.len() < 2 {
        return (written.pop().map(|(case, method)| (vec![case], method)), skipped);
    }
    let kept: Vec<usize> = written.iter().map(|(case, _)| *case).collect();
    if can_parameterize(context, names)
        && let Some(parameterized) = parameterized(&mut written, &bodies, cases, context, names)
    {
        return (Some((kept, parameterized)), skipped);
    }
    // One after the other, with different variables.
    let mut variables = Variables::shared();
    let mut joined: Option<TestMethod> = None;
    let is_long = written.iter().any(|(_, method)| method.body.len() > 1);
    for &case in &kept {
        let Ok(mut method) = write(&cases[case], context, names, &mut variables) else { continue };
        method.checks.clear();
        match &mut joined {
            None => joined = Some(method),
            Some(joined) => {
                drop_repeated(&mut method, joined);
                joined.assertions += method.assertions;
                joined.throws = joined.throws.max(method.throws);
                if is_long && !method.body.is_empty() {
                    joined.body.push(String::new());
                    let first = joined.body.len();
                    joined.headings.extend(method.headings.iter().map(|(line, heading)| (first + line, *heading)));
                }
                joined.body.extend(method.body);
            }
        }
    }
    (joined.map(|joined| (kept, joined)), skipped)
}

/// Drops the lines of a test that only asserts which another one in the same method has: what stands beside several rows stands there
/// once.
fn drop_repeated(method: &mut TestMethod, joined: &TestMethod) {
    let is_assertion = |line: &String| line.starts_with("assert") && line.ends_with(");");
    if !method.headings.is_empty() || !method.body.iter().all(is_assertion) {
        return;
    }
    let before = method.body.len();
    method.body.retain(|line| !joined.body.contains(line));
    method.assertions = method.assertions.saturating_sub(before - method.body.len());
}

/// The parameterized test of cases that differ in literals alone.
fn parameterized(
    written: &mut Vec<(usize, TestMethod)>,
    bodies: &[String],
    cases: &[TestCase],
    context: &ClassContext<'_>,
    names: &mut Names<'_>,
) -> Option<TestMethod> {
    let given = given(&cases[written[0].0], context, names);
    let values = value_types(context, names);
    let table = table(bodies, names, &values, &given)?;
    let (_, mut method) = written.swap_remove(0);
    method.throws = written.iter().map(|(_, other)| other.throws).fold(method.throws, Option::max);
    method.body = table.body.split('\n').map(str::to_string).collect();
    method.checks.clear();
    method.table = Some(table);
    Some(method)
}

/// The values that a file writes like literals, as far as it names their types.
fn value_types(context: &ClassContext<'_>, names: &Names<'_>) -> ValueTypes {
    let constants = context.operations.iter().filter(|operation| operation.is_enum_constant);
    let named = |operation: &Operation| Some(format!("{}.{}", names.known_name(&operation.owner)?, operation.name));
    ValueTypes::new(constants.filter_map(named).collect(), names)
}

/// The literals that the calls of a case take, in order, and the parameters that they take them for.
fn given(case: &TestCase, context: &ClassContext<'_>, names: &mut Names<'_>) -> Vec<(String, String)> {
    let mut given = Vec::new();
    for at in 0..case.sequence.len() {
        let Some(operation) = context.operation(case, at) else { continue };
        let arguments = case.sequence.inputs_of(at).skip(usize::from(operation.has_receiver()));
        for (input, name) in arguments.zip(&operation.parameter_names) {
            given.extend(value_text(case, input, context, names).map(|text| (text, name.to_string())));
        }
    }
    given
}

/// The source of a literal, or of a call that makes a value of literals.
fn value_text(case: &TestCase, at: usize, context: &ClassContext<'_>, names: &mut Names<'_>) -> Option<String> {
    let Action::Literal(literal) = &case.sequence.statements()[at].action else {
        let operation = context.operation(case, at)?;
        let owner = names.known_name(&operation.owner)?;
        if operation.kind == OperationKind::GetStatic {
            return Some(format!("{owner}.{}", operation.name));
        }
        let inputs = case.sequence.inputs_of(at);
        let given: Option<Vec<String>> = inputs.map(|input| value_text(case, input, context, names)).collect();
        let given = given?.join(", ");
        return match operation.kind {
            OperationKind::StaticMethod => Some(format!("{owner}.{}({given})", operation.name)),
            OperationKind::Constructor => Some(format!("new {owner}({given})")),
            _ => None,
        };
    };
    literal_text(literal, names).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_named_after_what_they_share_and_what_differs() {
        let purpose = |condition: &str, outcome: &str| Purpose {
            subject: "abs".to_string(),
            order: 0,
            conditions: vec![condition.to_string()],
            facts: Vec::new(),
            branches: vec![format!("{condition}Only"), "positiveWidth".to_string()],
            is_special: false,
            outcome: outcome.to_string(),
            throws: false,
        };
        let check = |rows: &[Purpose], expected: (&str, &str)| {
            let of_rows = of_rows(rows.iter(), &varied("int expected, int width, String text, String text2"));
            assert_eq!((of_rows.conditions[0].as_str(), of_rows.outcome.as_str()), expected);
            of_rows.branches
        };
        let (one, two) = (purpose("withWidth1", "returns1"), purpose("withWidth2", "returns2"));
        let shared = check(&[one.clone(), purpose("withWidth2", "returns1")], ("variousWidthAndText", "returns1"));
        assert_eq!(shared, ["positiveWidth"]);
        check(&[one.clone(), purpose("withWidth1", "returns1")], ("withWidth1", "returns1"));
        check(&[one, two], ("", "dependsOnWidthAndText"));
    }
}
