//! Tools that tests use where the machine has them.

use std::env;
use std::fmt::Display;

/// Says that a test goes without the tool, such as `jmods` or `z3`, and why.
///
/// # Panics
/// If the machine must have the tool: the variable `RANDGEN_TEST_TOOLS` lists such tools, separated by commas.
pub fn skip(tool: &str, reason: impl Display) {
    let required = env::var("RANDGEN_TEST_TOOLS").unwrap_or_default();
    assert!(!required.split(',').any(|name| name == tool), "RANDGEN_TEST_TOOLS requires {tool}: {reason}");
    eprintln!("skipped: {reason}");
}
