//! Names of test methods: the method tested, the condition, what happens.
//!
//! `push_nullItem_throwsNullPointerException`: of the conditions of a test, the first is taken that no other test of the same
//! method and outcome has. Tests for which there are no different words share a name, and with it a method; a number follows
//! the name only if one of them must stand alone.

use super::purpose::Purpose;
use super::variables::capitalized;
use model::options::TestNames;
use std::collections::BTreeMap;

/// Longer conditions are not taken as long as a shorter one tells the test apart.
const CONDITION_SHOWN: usize = 90;

/// A name in its parts, each in camel case; the condition or the outcome may be empty.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TestName {
    pub subject: String,
    pub condition: String,
    pub outcome: String,
}

impl TestName {
    /// As the name of a method.
    pub fn method(&self, form: TestNames) -> String {
        let parts = || [&self.subject, &self.condition, &self.outcome].into_iter().filter(|part| !part.is_empty());
        match form {
            TestNames::CamelCase => parts().fold("test".to_string(), |name, part| name + &capitalized(part)),
            TestNames::MethodConditionResult | TestNames::Sentences => {
                parts().map(String::as_str).collect::<Vec<_>>().join("_")
            }
        }
    }

    /// As a sentence: `push: null item, throws NullPointerException`.
    pub fn sentence(&self) -> String {
        let outcome = match self.outcome.strip_prefix("throws") {
            Some(exception) => format!("throws {exception}"),
            None => words(&self.outcome),
        };
        let rest: Vec<String> = [words(&self.condition), outcome].into_iter().filter(|part| !part.is_empty()).collect();
        match rest.is_empty() {
            true => self.subject.clone(),
            false => format!("{}: {}", self.subject, rest.join(", ")),
        }
    }
}

/// `afterPushAndPop` → `after push and pop`
fn words(name: &str) -> String {
    let mut words = String::new();
    let mut before = ' ';
    for letter in name.chars() {
        let begins = letter.is_uppercase() && !before.is_uppercase()
            || letter.is_ascii_digit() && !before.is_ascii_digit() && !words.is_empty();
        if begins && !words.is_empty() {
            words.push(' ');
        }
        words.extend(letter.to_lowercase());
        before = letter;
    }
    words
}

/// What a test says by its name: one purpose, or that of the rows of a parameterized test.
pub(super) fn choose(tests: &[Purpose]) -> Vec<TestName> {
    let name = |test: &Purpose, level: usize| TestName {
        subject: test.subject.clone(),
        condition: test.conditions[level].clone(),
        outcome: test.outcome.clone(),
    };
    let mut levels = vec![0; tests.len()];
    let most = tests.iter().map(|test| test.conditions.len()).max().unwrap_or_default();
    // Whoever shares a name moves on to its next, more telling condition, until nobody can.
    for _ in 0..most {
        let mut shared: BTreeMap<TestName, usize> = BTreeMap::new();
        for (test, &level) in tests.iter().zip(&levels) {
            *shared.entry(name(test, level)).or_default() += 1;
        }
        for (test, level) in tests.iter().zip(&mut levels) {
            let next = test.conditions.get(*level + 1);
            if shared[&name(test, *level)] > 1 && next.is_some_and(|next| next.len() <= CONDITION_SHOWN) {
                *level += 1;
            }
        }
    }
    tests.iter().zip(levels).map(|(test, level)| name(test, level)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn purpose(subject: &str, conditions: &[&str], outcome: &str) -> Purpose {
        Purpose {
            subject: subject.to_string(),
            order: 0,
            conditions: conditions.iter().map(|condition| condition.to_string()).collect(),
            outcome: outcome.to_string(),
            throws: false,
        }
    }

    fn check(tests: &[Purpose], expected: &[&str]) {
        let names: Vec<String> =
            choose(tests).iter().map(|name| name.method(TestNames::MethodConditionResult)).collect();
        assert_eq!(names, expected);
    }

    #[test]
    fn tests_of_equal_names_take_more_telling_conditions() {
        check(&[purpose("pop", &["onNewStack", "afterPush"], "returns3")], &["pop_onNewStack_returns3"]);
        check(
            &[
                purpose("pop", &["onNewStack", "ofSize3"], "returns3"),
                purpose("pop", &["onNewStack", "ofSize4"], "returns3"),
                purpose("pop", &["onNewStack"], "throwsIllegalStateException"),
            ],
            &["pop_ofSize3_returns3", "pop_ofSize4_returns3", "pop_onNewStack_throwsIllegalStateException"],
        );
        check(
            &[purpose("pop", &[""], "returns3"), purpose("pop", &[""], "returns3")],
            &["pop_returns3", "pop_returns3"],
        );
    }

    #[test]
    fn name_has_the_form_of_the_setting() {
        let name = TestName {
            subject: "pop".to_string(),
            condition: "afterPushAndClear".to_string(),
            outcome: "throwsIllegalStateException".to_string(),
        };
        let method = |form| name.method(form);
        assert_eq!(method(TestNames::MethodConditionResult), "pop_afterPushAndClear_throwsIllegalStateException");
        assert_eq!(method(TestNames::CamelCase), "testPopAfterPushAndClearThrowsIllegalStateException");
        assert_eq!(name.sentence(), "pop: after push and clear, throws IllegalStateException");
    }
}
