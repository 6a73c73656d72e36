//! The assertions of a finding's test on what its contract says of the calls at its end.

use super::assertion::assertj;
use super::call::JavaExpression;
use super::names::Names;
use super::{AssertionLibrary, Style};
use oracle::contract::Relation;

/// The assertion, given the expressions of statements.
pub(super) fn statement<'e>(
    relation: Relation,
    value: impl Fn(usize) -> Option<&'e JavaExpression>,
    style: &Style,
    names: &mut Names<'_>,
) -> String {
    let text = |index: usize| value(index).map(|value| value.text.clone()).unwrap_or_default();
    match style.assertions {
        AssertionLibrary::JUnit => of_junit(relation, text, names),
        AssertionLibrary::AssertJ { .. } => {
            let subject = |index: usize, names: &mut Names<'_>| {
                value(index).map(|value| assertj::subject(&value.text, &value.static_type, style, names))
            };
            of_assertj(relation, text, |index, names| subject(index, names).unwrap_or_default(), names)
        }
    }
}

fn of_junit(relation: Relation, text: impl Fn(usize) -> String, names: &mut Names<'_>) -> String {
    match relation {
        Relation::True(x) => format!("{}({});", names.assertion("assertTrue"), text(x)),
        Relation::False(x) => format!("{}({});", names.assertion("assertFalse"), text(x)),
        Relation::Positive(x) => format!("{}({} > 0);", names.assertion("assertTrue"), text(x)),
        Relation::Zero(x) => format!("{}(0, {});", names.assertion("assertEquals"), text(x)),
        Relation::NotNull(x) => format!("{}({});", names.assertion("assertNotNull"), text(x)),
        Relation::Equal(x, y) => format!("{}({}, {});", names.assertion("assertEquals"), text(x), text(y)),
        Relation::SameSign(x, y) | Relation::OppositeSigns(x, y) => {
            let sign = if matches!(relation, Relation::SameSign(..)) { "" } else { "-" };
            let signum = names.java_lang("Integer") + ".signum";
            let equals = names.assertion("assertEquals");
            format!("{equals}({signum}({}), {sign}{signum}({}));", text(x), text(y))
        }
        Relation::SameClass { result, of } => {
            format!("{}({}.getClass(), {}.getClass());", names.assertion("assertSame"), text(of), text(result))
        }
    }
}

/// `subject` makes `assertThat(…)` of the expression of a statement.
fn of_assertj<'n>(
    relation: Relation,
    text: impl Fn(usize) -> String,
    subject: impl Fn(usize, &mut Names<'n>) -> String,
    names: &mut Names<'n>,
) -> String {
    match relation {
        Relation::True(x) => format!("{}.isTrue();", subject(x, names)),
        Relation::False(x) => format!("{}.isFalse();", subject(x, names)),
        Relation::Positive(x) => format!("{}.isPositive();", subject(x, names)),
        Relation::Zero(x) => format!("{}.isZero();", subject(x, names)),
        Relation::NotNull(x) => format!("{}.isNotNull();", subject(x, names)),
        Relation::Equal(x, y) => format!("{}.isEqualTo({});", subject(y, names), text(x)),
        Relation::SameSign(x, y) | Relation::OppositeSigns(x, y) => {
            let sign = if matches!(relation, Relation::SameSign(..)) { "" } else { "-" };
            let signum = names.java_lang("Integer") + ".signum";
            let assert_that = names.assertion("assertThat");
            format!("{assert_that}({sign}{signum}({})).isEqualTo({signum}({}));", text(y), text(x))
        }
        Relation::SameClass { result, of } => format!("{}.hasSameClassAs({});", subject(result, names), text(of)),
    }
}
