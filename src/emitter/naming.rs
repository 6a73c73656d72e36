//! Names of test methods: the method tested, the condition, what happens.
//!
//! `push_nullItem_throwsNullPointerException`: of the conditions of a test that are short enough, the first is taken that no other
//! test of the same method and outcome has, otherwise a few [facts](super::facts) that tell it apart. Tests for which there are
//! no different words share a name, and with it a method; a number follows the name only if one of them must stand alone.

use super::facts::telling;
use super::purpose::Purpose;
use super::variables::{capitalized, has_word};
use model::options::TestNames;
use std::collections::{BTreeMap, BTreeSet};

/// Longer names are not taken as long as a shorter one tells the test apart.
const NAME_SHOWN: usize = 60;
/// A condition may be so long, however long the method and the outcome are.
const CONDITION_SHOWN: usize = 24;
/// So much longer may a name be that says what is wrong with an input.
const REASON_SHOWN: usize = 12;
/// Longer conditions are not taken.
const LONGEST_CONDITION: usize = 64;
/// So many conditions are tried before facts.
const SHORT_TRIED: usize = 2;

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

/// What a test says by its name: one purpose, or that of the rows of a parameterized test. Other tests of the class may have
/// taken names.
pub(super) fn choose(tests: &[Purpose], is_taken: &dyn Fn(&TestName) -> bool) -> Vec<TestName> {
    let mut alike: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
    for (at, test) in tests.iter().enumerate() {
        alike.entry((&test.subject, &test.outcome)).or_default().push(at);
    }
    let branches = Branches::of(tests);
    let conditions = |(at, test): (usize, &Purpose)| {
        let others = alike[&(&*test.subject, &*test.outcome)].iter().filter(|other| **other != at);
        let others = others.map(|other| &*tests[*other].facts).collect::<Vec<&[String]>>();
        conditions(test, branches.rarest(test), &others)
    };
    let conditions: Vec<Vec<String>> = tests.iter().enumerate().map(conditions).collect();
    let name = |at: usize, level: usize| TestName {
        subject: tests[at].subject.clone(),
        condition: conditions[at][level].clone(),
        outcome: tests[at].outcome.clone(),
    };
    let mut levels = vec![0; tests.len()];
    let most = conditions.iter().map(Vec::len).max().unwrap_or_default();
    // Whoever shares a name moves on to its next, more telling condition, until nobody can.
    for _ in 0..most {
        let mut shared: BTreeMap<TestName, usize> = BTreeMap::new();
        for (at, &level) in levels.iter().enumerate() {
            *shared.entry(name(at, level)).or_default() += 1;
        }
        for (at, level) in levels.iter_mut().enumerate() {
            let name = name(at, *level);
            if (shared[&name] > 1 || is_taken(&name)) && *level + 1 < conditions[at].len() {
                *level += 1;
            }
        }
    }
    let mut names: Vec<TestName> = levels.into_iter().enumerate().map(|(at, level)| name(at, level)).collect();
    shorten(&mut names, tests, is_taken);
    names
}

/// How many of the tests of a method ran each side of its branches.
struct Branches<'a> {
    tests: BTreeMap<&'a str, usize>,
    sides: BTreeMap<(&'a str, &'a str), usize>,
}

impl<'a> Branches<'a> {
    fn of(tests: &'a [Purpose]) -> Branches<'a> {
        let mut branches = Branches { tests: BTreeMap::new(), sides: BTreeMap::new() };
        for test in tests {
            *branches.tests.entry(&test.subject).or_default() += 1;
            for side in test.branches.iter().collect::<BTreeSet<&String>>() {
                *branches.sides.entry((&test.subject, side)).or_default() += 1;
            }
        }
        branches
    }

    /// The side that the fewest of the method's tests ran, and not all; of several the last one of the code.
    fn rarest<'t>(&self, test: &'t Purpose) -> Option<&'t String> {
        let count = |side: &String| self.sides.get(&(&*test.subject, &**side)).copied().unwrap_or_default();
        let all = self.tests.get(&*test.subject).copied().unwrap_or_default();
        // What is so says more than what is not so, unless far more tests say it.
        let rank = |side: &&String| if is_negative(side) { (2 * count(side), true) } else { (count(side), false) };
        test.branches.iter().rev().min_by_key(rank).filter(|side| count(side) < all)
    }
}

/// Whether the side of a branch says what is not so, or what is usual.
fn is_negative(side: &str) -> bool {
    let is_led_by = |word: &str| side.strip_prefix(word).is_some_and(|rest| rest.starts_with(char::is_uppercase));
    has_word(side, "Not") || has_word(side, "HasNo") || is_led_by("non") || is_led_by("with") || is_led_by("without")
}

/// What stands for the exception's class in a long name.
const REJECTED: &str = "isRejected";

/// Long names say that something is rejected, and names that would say twice what is wrong, where that tells the tests apart: what is thrown
/// stands in the test.
fn shorten(names: &mut [TestName], tests: &[Purpose], is_taken: &dyn Fn(&TestName) -> bool) {
    for at in 0..names.len() {
        let is_long = names[at].method(TestNames::MethodConditionResult).len() > NAME_SHOWN;
        let thrown = names[at].outcome.strip_prefix("throws").and_then(|class| class.strip_suffix("Exception"));
        let is_twice = thrown.is_some_and(|thrown| capitalized(&names[at].condition).starts_with(thrown));
        let short = TestName { outcome: REJECTED.to_string(), ..names[at].clone() };
        let same = names.iter().filter(|name| **name == names[at]).count();
        let is_free = !names.contains(&short) && !is_taken(&short);
        if tests[at].throws && (is_long || is_twice) && same == 1 && is_free && !short.condition.is_empty() {
            names[at] = short;
        }
    }
}

fn outcome_length(test: &Purpose) -> usize {
    if test.throws { REJECTED.len() } else { test.outcome.len() }
}

/// The conditions that a name may have, in the order in which they are tried: the side of a branch, unless the natural condition says
/// more; the natural one if it is short, what tells the test apart, and the rest.
fn conditions(test: &Purpose, branch: Option<&String>, others: &[&[String]]) -> Vec<String> {
    let left = NAME_SHOWN.saturating_sub(test.subject.len() + outcome_length(test) + 2).max(CONDITION_SHOWN);
    let reason = test.conditions.first().filter(|_| test.is_special && test.throws);
    let fits = |condition: &str| {
        let more = if reason.is_some_and(|reason| reason == condition) { REASON_SHOWN } else { 0 };
        condition.len() <= left + more
    };
    let (short, long): (Vec<&String>, Vec<&String>) = test.conditions.iter().partition(|one| fits(one));
    let telling = telling(&test.facts, test.throws, others, &fits);
    let long = long.into_iter().filter(|one| one.len() <= LONGEST_CONDITION);
    let mut all: Vec<String> = Vec::new();
    let branch = branch.filter(|branch| !test.is_special && fits(branch));
    // That an object is new says least of all.
    let says_little = test.conditions[0].is_empty() || test.conditions[0].starts_with("onNew");
    let says_more = |branch: &&String| !is_negative(branch) || says_little;
    let short = branch.filter(says_more).into_iter().chain(short.into_iter().take(SHORT_TRIED)).chain(branch);
    for condition in short.cloned().chain(telling).chain(long.cloned()) {
        if !all.contains(&condition) {
            all.push(condition);
        }
    }
    if all.is_empty() {
        all.extend(test.facts.iter().min_by_key(|fact| fact.len()).cloned());
    }
    if all.is_empty() {
        all.push(String::new());
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn purpose(subject: &str, conditions: &[&str], outcome: &str) -> Purpose {
        Purpose {
            subject: subject.to_string(),
            order: 0,
            conditions: conditions.iter().map(|condition| condition.to_string()).collect(),
            facts: Vec::new(),
            branches: Vec::new(),
            is_special: false,
            outcome: outcome.to_string(),
            throws: false,
        }
    }

    fn check(tests: &[Purpose], expected: &[&str]) {
        let names: Vec<String> =
            choose(tests, &|_| false).iter().map(|name| name.method(TestNames::MethodConditionResult)).collect();
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
    fn condition_is_the_side_of_a_branch_that_few_other_tests_ran() {
        let of = |branches: &[&str], condition: &str, outcome: &str| Purpose {
            branches: branches.iter().map(|side| side.to_string()).collect(),
            ..purpose("fee", &[condition], outcome)
        };
        check(
            &[
                of(&["hoursAbove2", "hoursAbove24"], "withHours30", "returns9"),
                of(&["hoursAbove2", "hoursAtMost24"], "withHours3", "returns4"),
                of(&["hoursAtMost2", "carIsNotElectric"], "withHours1", "returns0"),
                Purpose { is_special: true, ..of(&["hoursAtMost2"], "negativeHours", "throwsException") },
            ],
            &[
                "fee_hoursAbove24_returns9",
                "fee_hoursAtMost24_returns4",
                "fee_hoursAtMost2_returns0",
                "fee_negativeHours_throwsException",
            ],
        );
        check(&[of(&["hoursAbove2"], "withHours3", "returns4")], &["fee_withHours3_returns4"]);
        check(
            &[of(&["carIsNotElectric"], "onNewTariff", "returns4"), of(&["carIsElectric"], "onNewTariff", "returns2")],
            &["fee_carIsNotElectric_returns4", "fee_carIsElectric_returns2"],
        );
        check(
            &[of(&["carIsNotElectric"], "withVan", "returns4"), of(&["carIsElectric"], "withCar", "returns2")],
            &["fee_withVan_returns4", "fee_carIsElectric_returns2"],
        );
    }

    #[test]
    fn long_name_says_that_something_is_rejected() {
        let check = |outcome: &str, throws: bool, expected: &str| {
            let long = Purpose { throws, ..purpose("printHelp", &["emptySyntaxWithHeaderA"], outcome) };
            check(&[long], &[expected]);
        };
        check("throwsIllegalArgumentException", true, "printHelp_emptySyntaxWithHeaderA_isRejected");
        check("throwsIOException", true, "printHelp_emptySyntaxWithHeaderA_throwsIOException");
    }

    #[test]
    fn taken_name_is_avoided_by_a_more_telling_condition() {
        let is_taken = |name: &TestName| name.condition == "onNewStack";
        let chosen = choose(&[purpose("pop", &["onNewStack", "afterPush"], "returns3")], &is_taken);
        assert_eq!(chosen[0].condition, "afterPush");
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
