//! The assertions of a finding's test on what its contract says of the calls at its end.

use super::names::Names;
use oracle::contract::Relation;

/// The assertion, given the expressions of statements.
pub(super) fn statement(relation: Relation, text: impl Fn(usize) -> String, names: &mut Names<'_>) -> String {
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
