//! Choosing assertions: of all that a test can assert, what shows most for least reading.
//!
//! Assertions are chosen greedily: one is kept if it kills mutants that no other kept one kills, the most readable first,
//! together with its observer call. A call that would be pointless without its assertion keeps it, as does a call with an
//! unused result that a reader would expect to be checked, and every test keeps an assertion on what it is about, if there is
//! one.

use super::mutation::{Assertion, Kill, KillsBySite, MutantSite, MutationAnalysis};
use super::refine::repeats_input;
use super::{SelectionContext, TestCandidate, detach, read_back};
use crate::redundancy::may_change;
use model::execution::described::Described;
use model::execution::{Edge, Observed, Outcome, Value};
use model::sequence::{Action, Operation, OperationId, OperationKind, Sequence};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// Most effort of an assertion for a reader if its kills are unknown; of these the most specific assertion is taken.
const MOST_EFFORT: u32 = 4;
/// Most effort of an assertion on the result of a call that the test makes anyway: it takes no line of its own.
const LITTLE_EFFORT: u32 = 3;

/// What shows an object as a whole must kill so many mutants that nothing else kills: it changes with each detail.
const WORTH_A_LOOK: usize = 2;

/// An assertion, and the properties by which it is chosen.
struct AssertionCandidate {
    test: usize,
    statement: usize,
    effort: u32,
    is_bare: bool,
    tier: Tier,
    kills: Vec<u32>,
}

/// What an assertion is about; later ones are chosen for what earlier ones do not kill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Tier {
    /// What the test is about.
    Subject,
    /// Something else, or what says little of it.
    Other,
    /// An object as a whole, or only that there is one.
    Whole,
}

/// Decides what each test asserts; observer calls without assertion are removed. A test that reaches mutants for which
/// there was no time keeps the assertion on the call that it is about, or else one that says more than that there is a value.
pub(super) fn choose(
    tests: &mut [TestCandidate],
    tried: &BTreeSet<u32>,
    mutation: &MutationAnalysis,
    context: &SelectionContext,
) {
    let is_untried =
        |(number, site): &(usize, &MutantSite)| site.mutant.mutator.is_default() && !tried.contains(&(*number as u32));
    let sites = mutation.sites.iter().enumerate().filter(is_untried);
    let untried: FxHashSet<Edge> = sites.flat_map(|(_, site)| &site.reached_by).copied().collect();
    let is_killed_anyway = |(_, kill): &(&u32, &Kill)| !matches!(kill, Kill::Values(_));
    let killed = tests.iter().flat_map(|one| one.kills.iter().filter(is_killed_anyway).map(|(mutant, _)| *mutant));
    let killed: FxHashSet<u32> = killed.collect();
    let candidates = candidates(tests, mutation, context);
    let kept = cheapest_cover(&candidates, killed);
    let mut killers = killers(&candidates, &kept);
    let changed = changed_by_methods(tests, context);
    for (test, one) in tests.iter_mut().enumerate() {
        let own = || candidates.iter().zip(&kept).filter(move |(candidate, _)| candidate.test == test);
        let subject = one.subject();
        let used = used(one);
        let is_pointless_without = |at: usize| {
            at < subject.len() && !used.contains(&at) && !may_change(&subject, at, &context.program.effects)
        };
        let unused = &unused_results(&subject, context) - &used;
        // What leads to a rejection has tests of its own.
        let is_accepted = one.execution.outcome == Outcome::Completed;
        let is_asked_for =
            |it: &AssertionCandidate| is_accepted && it.effort <= LITTLE_EFFORT && unused.contains(&it.statement);
        let is_half_known = one.execution.edges.iter().any(|hit| untried.contains(&hit.edge));
        let kept_observers =
            || own().filter(|(it, kept)| **kept && it.statement >= subject.len()).map(|(it, _)| it.statement);
        let shown: BTreeSet<usize> = kept_observers().flat_map(|at| one.sequence.inputs_of(at)).collect();
        let stays = |(candidate, kept): &(&AssertionCandidate, &bool)| {
            let is_expected = candidate.statement < subject.len() && !candidate.is_bare;
            // Where mutants do not tell, the call that the test is about does.
            let is_about = candidate.statement + 1 == subject.len();
            **kept
                || is_pointless_without(candidate.statement)
                    && !(candidate.is_bare && shown.contains(&candidate.statement))
                || is_expected && (is_half_known && is_about || is_asked_for(candidate))
        };
        let mut asserted: BTreeSet<usize> = own().filter(stays).map(|(candidate, _)| candidate.statement).collect();
        let telling = subject.len()..subject.len() + one.telling;
        if asserted.range(telling.clone()).next().is_none() {
            let shows = |it: &&AssertionCandidate| {
                telling.contains(&it.statement) && !it.is_bare && !hands_back(one, it.statement)
            };
            let mut shown: Vec<_> = own().map(|(candidate, _)| candidate).filter(shows).collect();
            shown.sort_by_key(|it| (Reverse(it.kills.len()), it.effort, it.statement));
            asserted.extend(shown.iter().take(most_looks(one, context)).map(|it| it.statement));
        }
        let all = own().map(|(candidate, _)| candidate);
        if is_accepted && all.clone().all(|it| it.is_bare || !asserted.contains(&it.statement)) {
            add_telling(&mut asserted, all, is_half_known, &one.sequence, subject.len());
        }
        let mut is_outcome = false;
        if asserted.is_empty() && one.execution.outcome == Outcome::Completed {
            // What the method changes elsewhere shows that it does not do so here.
            let of_subject = subject.needed_by(|at| at + 1 == subject.len());
            let is_unchanged = |it: &AssertionCandidate| {
                it.statement >= subject.len()
                    && !it.is_bare
                    && shown_change(one, it.statement).is_some_and(|shown| changed.contains(&shown))
                    && one.sequence.inputs_of(it.statement).all(|input| of_subject.get(input) == Some(&true))
            };
            let tells = |it: &&AssertionCandidate| !detach::is_by_the_way(one, it.statement) || is_unchanged(it);
            let is_named = |it: &AssertionCandidate| is_getter_of(one, it.statement, context);
            let rank =
                |it: &&AssertionCandidate| (is_named(it), it.kills.len(), Reverse(it.effort), Reverse(it.statement));
            if let Some(most) = own().map(|(candidate, _)| candidate).filter(tells).max_by_key(rank) {
                asserted.insert(most.statement);
                is_outcome = is_unchanged(most);
            }
        }
        let bare = own().map(|(candidate, _)| candidate).filter(|it| it.is_bare).map(|it| it.statement).collect();
        drop_what_is_looked_into(&mut asserted, &bare, &one.sequence, subject.len());
        drop_repeated(&mut asserted, one, subject.len(), &context.program.operations);
        let own: Vec<(&AssertionCandidate, bool)> = own().map(|(candidate, kept)| (candidate, *kept)).collect();
        show_as_a_whole(&mut asserted, one, &own, &mut killers, &context.program.operations);
        assert_only(one, asserted, &|sequence, at| is_foreign_value(sequence, at, context), &|one, at| {
            only_makes(one, at, context)
        });
        if is_outcome {
            one.shows_no_change = true;
            one.telling = one.observers;
        }
    }
}

/// Whether the call returned what it was given, which says nothing of what it does: `codec.encode("a")` that is `"a"`.
fn hands_back(one: &TestCandidate, statement: usize) -> bool {
    repeats_input(&one.sequence, &one.execution, one.sequence.len() - statement)
}

/// At most so many observers show the outcome of a test that no mutant tells apart: of a new object two.
fn most_looks(one: &TestCandidate, context: &SelectionContext) -> usize {
    let subject = super::subject_of(one).map(|id| &context.program.operations[id.0 as usize]);
    1 + usize::from(subject.is_some_and(|subject| subject.kind == OperationKind::Constructor))
}

/// Adds one that says more to assertions which only say that there is a value: where not all mutants were run, any that a reader takes
/// in, else an observer of these values.
fn add_telling<'a>(
    asserted: &mut BTreeSet<usize>,
    all: impl Iterator<Item = &'a AssertionCandidate>,
    is_half_known: bool,
    sequence: &Sequence,
    first_observer: usize,
) {
    let takes = |at: usize| sequence.inputs_of(at).any(|input| asserted.contains(&input));
    let telling = all.filter(|it| !it.is_bare);
    let most = match is_half_known {
        true => telling.filter(|it| it.effort <= MOST_EFFORT).max_by_key(|it| (it.effort, it.statement)),
        false => {
            let looks = telling.filter(|it| it.statement >= first_observer && takes(it.statement));
            looks.max_by_key(|it| (it.kills.len(), Reverse(it.effort), Reverse(it.statement)))
        }
    };
    if let Some(most) = most {
        asserted.retain(|&bare| !sequence.inputs_of(most.statement).any(|input| input == bare));
        asserted.insert(most.statement);
    }
}

/// Drops the assertions that there is an object of which an observer shows something: it would fail, too.
fn drop_what_is_looked_into(
    asserted: &mut BTreeSet<usize>,
    bare: &BTreeSet<usize>,
    sequence: &Sequence,
    first_observer: usize,
) {
    let receivers = asserted.range(first_observer..).filter_map(|at| sequence.inputs_of(*at).next());
    let shown: BTreeSet<usize> = receivers.collect();
    asserted.retain(|at| !(bare.contains(at) && shown.contains(at)));
}

/// Drops the assertions on observers that show what the same observers showed before.
fn drop_repeated(asserted: &mut BTreeSet<usize>, one: &TestCandidate, first_observer: usize, operations: &[Operation]) {
    // A method that another one overrides is called by the same name.
    let call = |at: usize| {
        let called = one.sequence.call_at(at).map(|id| &operations[id.0 as usize]);
        (called.map(|called| (&called.name, &called.descriptor)), one.sequence.inputs_of(at).collect::<Vec<usize>>())
    };
    let looks: Vec<usize> = asserted.range(first_observer..).copied().collect();
    let is_repeated = |at: &usize| {
        let shows_same = |earlier: &usize| {
            call(*earlier) == call(*at) && one.execution.values.get(*earlier) == one.execution.values.get(*at)
        };
        looks.iter().take_while(|earlier| *earlier < at).any(shows_same)
    };
    asserted.retain(|at| !is_repeated(at));
}

/// For each mutant, how many of the kept assertions kill it.
type Killers = FxHashMap<u32, usize>;

fn killers(candidates: &[AssertionCandidate], kept: &[bool]) -> Killers {
    let mut killers = Killers::default();
    for (candidate, _) in candidates.iter().zip(kept).filter(|(_, kept)| **kept) {
        for kill in &candidate.kills {
            *killers.entry(*kill).or_default() += 1;
        }
    }
    killers
}

/// Asserts the text of an object in place of looks that say less: two or more of them, a number of elements, or true or false. The
/// text must show what the test put in, and kill all that only they kill. `own` are the assertions of the test and whether each counts
/// among the killers.
fn show_as_a_whole(
    asserted: &mut BTreeSet<usize>,
    one: &TestCandidate,
    own: &[(&AssertionCandidate, bool)],
    killers: &mut Killers,
    operations: &[Operation],
) {
    let first_observer = one.sequence.len() - one.observers;
    let object = |at: usize| one.sequence.inputs_of(at).next();
    let operation = |at: usize| one.sequence.call_at(at).map(|id| &operations[id.0 as usize]);
    let is_text = |at: usize| operation(at).is_some_and(read_back::is_text) && shows_inputs(one, at);
    for (text, _) in own.iter().filter(|(it, _)| it.statement >= first_observer && is_text(it.statement)) {
        if asserted.contains(&text.statement) {
            continue;
        }
        let mut needless = Vec::new();
        let mut lost = Killers::default();
        for (look, counts) in own {
            let is_other_look = look.statement >= first_observer
                && asserted.contains(&look.statement)
                && object(look.statement) == object(text.statement);
            let is_killed_without = |kill: &u32| {
                let left = killers.get(kill).map(|all| all - lost.get(kill).copied().unwrap_or(0));
                text.kills.contains(kill) || left.unwrap_or(1) > usize::from(*counts)
            };
            if is_other_look && look.kills.iter().all(is_killed_without) {
                needless.push(look.statement);
                look.kills.iter().filter(|_| *counts).for_each(|kill| *lost.entry(*kill).or_default() += 1);
            }
        }
        if needless.len() > 1 || needless.iter().any(|at| read_back::is_faint(one, *at, operations)) {
            lost.into_iter().for_each(|(kill, count)| *killers.entry(kill).or_insert(count) -= count);
            text.kills.iter().for_each(|kill| *killers.entry(*kill).or_default() += 1);
            asserted.retain(|at| !needless.contains(at));
            asserted.insert(text.statement);
        }
    }
}

/// Whether a reader sees in the text, which the statement returns, what the test put in.
fn shows_inputs(one: &TestCandidate, statement: usize) -> bool {
    let first_observer = one.sequence.len() - one.observers;
    let literals = (0..first_observer).filter_map(|at| one.sequence.literal_at(at));
    one.execution.values.get(statement).is_some_and(|value| read_back::shows(value, literals))
}

/// All that the tests may assert.
fn candidates(
    tests: &[TestCandidate],
    mutation: &MutationAnalysis,
    context: &SelectionContext,
) -> Vec<AssertionCandidate> {
    let mut candidates = Vec::new();
    for (test, one) in tests.iter().enumerate() {
        let assertions = (mutation.assertions)(one);
        let is_accepted = one.execution.outcome == Outcome::Completed;
        let reads_what_is_set = assertions.iter().any(|it| !it.is_bare && is_getter_of(one, it.statement, context));
        for Assertion { statement, effort, is_bare, .. } in assertions {
            // That there is an object on the way, the rest of the test shows.
            if is_bare && detach::is_by_the_way(one, statement) {
                continue;
            }
            let kills =
                one.kills.iter().filter(|(_, kill)| matches!(kill, Kill::Values(of) if of.contains(&statement)));
            let kills: Vec<u32> = kills.map(|(mutant, _)| *mutant).collect();
            let reached_by = kills.iter().map(|mutant| &mutation.sites[*mutant as usize].reached_by);
            let only_itself = read_back::shows_only_itself(one, statement, reached_by, &context.probes.of_operation);
            if only_itself && !is_accepted {
                continue;
            }
            let is_look = statement >= one.sequence.len() - one.observers;
            let tier = match tier(one, statement, context) {
                _ if is_bare => Tier::Whole,
                Tier::Subject if only_itself || is_look && hands_back(one, statement) => Tier::Other,
                Tier::Subject if is_look && reads_what_is_set && !is_getter_of(one, statement, context) => Tier::Other,
                tier => tier,
            };
            candidates.push(AssertionCandidate { is_bare, tier, test, statement, effort, kills });
        }
    }
    candidates
}

/// A method that changes an object, by the position at which it takes it, and an observer that shows that.
type Change = (OperationId, usize, OperationId);

/// The changes that tests of methods without a result show.
fn changed_by_methods(tests: &[TestCandidate], context: &SelectionContext) -> FxHashSet<Change> {
    let is_void = |one: &TestCandidate| {
        super::subject_of(one)
            .map(|id| &context.program.operations[id.0 as usize])
            .is_some_and(|subject| subject.kind == OperationKind::InstanceMethod && subject.output.is_none())
    };
    let shown = |one: &TestCandidate| {
        let first = one.sequence.len() - one.observers;
        (first..first + one.telling).filter_map(|at| shown_change(one, at)).collect::<Vec<_>>()
    };
    tests.iter().filter(|one| is_void(one)).flat_map(shown).collect()
}

/// What the observer shows of an object that the test's subject took, if it does.
fn shown_change(one: &TestCandidate, observer: usize) -> Option<Change> {
    let subject = (one.sequence.len() - one.observers).checked_sub(1)?;
    let observed = one.sequence.inputs_of(observer).next()?;
    let position = one.sequence.inputs_of(subject).position(|input| input == observed)?;
    Some((one.sequence.call_at(subject)?, position, one.sequence.call_at(observer)?))
}

/// Whether the observer reads the property that the call sets which the test is about: `isRequired` of `setRequired`.
fn is_getter_of(one: &TestCandidate, observer: usize, context: &SelectionContext) -> bool {
    let operation = |id: OperationId| &context.program.operations[id.0 as usize];
    let (set, read) = (super::subject_of(one).map(operation), one.sequence.call_at(observer).map(operation));
    set.zip(read).is_some_and(|(set, read)| read.reads_what_is_set_by(set))
}

/// What the calls of the test take, also the second one of its subject, which shows the opposite.
fn used(one: &TestCandidate) -> BTreeSet<usize> {
    let first_observer = one.sequence.len() - one.observers;
    let is_again = |at: &usize| one.sequence.call_at(*at) == super::subject_of(one);
    let again = (first_observer..first_observer + one.telling).filter(is_again);
    (0..first_observer).chain(again).flat_map(|at| one.sequence.inputs_of(at)).collect()
}

/// Calls of code under test that stand alone.
fn unused_results(sequence: &Sequence, context: &SelectionContext) -> BTreeSet<usize> {
    let used: BTreeSet<usize> = (0..sequence.len()).flat_map(|at| sequence.inputs_of(at)).collect();
    let is_own = |at: &usize| match sequence.statements()[*at].action {
        Action::Call(operation) => context.program.is_target(&context.program.operations[operation.0 as usize].owner),
        Action::Literal(_) => false,
    };
    (0..sequence.len()).filter(|at| !used.contains(at)).filter(is_own).collect()
}

fn tier(one: &TestCandidate, statement: usize, context: &SelectionContext) -> Tier {
    let is_observer = statement >= one.sequence.len() - one.observers;
    let is_whole = |operation: OperationId| {
        let operation = &context.program.operations[operation.0 as usize];
        context.program.is_target(&operation.owner) && read_back::is_last_resort(operation)
    };
    let is_faint = read_back::is_faint(one, statement, &context.program.operations);
    match detach::is_by_the_way(one, statement) || is_faint || read_back::is_as_before(one, statement) {
        _ if is_observer && one.sequence.call_at(statement).is_some_and(is_whole) => Tier::Whole,
        true => Tier::Other,
        false => Tier::Subject,
    }
}

/// For each assertion, whether it belongs to a subset that kills what all of them kill, beyond what is killed anyway, tier after
/// tier.
fn cheapest_cover(candidates: &[AssertionCandidate], mut killed: FxHashSet<u32>) -> Vec<bool> {
    let gain =
        |at: usize, killed: &FxHashSet<u32>| candidates[at].kills.iter().filter(|kill| !killed.contains(kill)).count();
    let mut kept = vec![false; candidates.len()];
    let entry = |at: usize, gain: usize| (gain, Reverse(candidates[at].effort), Reverse(at));
    for tier in [Tier::Subject, Tier::Other, Tier::Whole] {
        let own = (0..candidates.len()).filter(|at| candidates[*at].tier == tier);
        let mut queue: BinaryHeap<_> = own.map(|at| entry(at, gain(at, &killed))).collect();
        while let Some((known, _, Reverse(at))) = queue.pop() {
            let now = gain(at, &killed);
            if now < if tier == Tier::Whole { WORTH_A_LOOK } else { 1 } {
                continue;
            }
            if now == known {
                kept[at] = true;
                killed.extend(&candidates[at].kills);
            } else {
                queue.push(entry(at, now));
            }
        }
    }
    kept
}

/// Whether the statement makes a value of the platform or of a dependency.
fn is_foreign_value(sequence: &Sequence, at: usize, context: &SelectionContext) -> bool {
    match sequence.statements()[at].action {
        Action::Literal(_) => true,
        Action::Call(operation) => !context.program.is_target(&context.program.operations[operation.0 as usize].owner),
    }
}

/// Whether the statement only makes a value. Making a date or another plain value of the JDK changes nothing that a test could show, even
/// where that fills a cache.
fn only_makes(one: &TestCandidate, at: usize, context: &SelectionContext) -> bool {
    let Some(id) = one.sequence.call_at(at) else { return true };
    let is_plain = || {
        matches!(
            one.execution.values.get(at),
            Some(Value::Object { observed: Observed::Value(Described::Text(..)), .. })
        ) && !context.program.operations[id.0 as usize].has_receiver()
    };
    !may_change(&one.sequence, at, &context.program.effects) || is_plain()
}

/// Restricts the test to the assertions on these statements, and to what they kill.
fn assert_only(
    one: &mut TestCandidate,
    asserted: BTreeSet<usize>,
    is_foreign: &dyn Fn(&Sequence, usize) -> bool,
    only_makes: &dyn Fn(&TestCandidate, usize) -> bool,
) {
    let first_observer = one.sequence.len() - one.observers;
    let mut is_kept: Vec<bool> =
        (0..one.sequence.len()).map(|at| at < first_observer || asserted.contains(&at)).collect();
    // What only an observer took that is gone now.
    let last = first_observer.saturating_sub(1);
    for at in (0..last).rev().filter(|at| !asserted.contains(at)) {
        let is_used =
            (at + 1..is_kept.len()).any(|user| is_kept[user] && one.sequence.inputs_of(user).any(|it| it == at));
        let was_looked_at =
            (first_observer..one.sequence.len()).any(|user| one.sequence.inputs_of(user).any(|it| it == at));
        is_kept[at] = is_used || !(was_looked_at || is_foreign(&one.sequence, at)) || !only_makes(one, at);
    }
    let is_kept = |at: usize| is_kept[at];
    let kept: Vec<usize> = (0..one.sequence.len()).filter(|&at| is_kept(at)).collect();
    let moved = |at: &usize| kept.binary_search(at).ok();
    one.sequence = one.sequence.retain(is_kept).expect("no call needs an observer");
    one.keep_run_of(&kept);
    one.observers = kept.iter().filter(|at| **at >= first_observer).count();
    one.only_observed.clear();
    let place = |at: usize| asserted.get(&at).and_then(moved);
    let by_assertion = |(mutant, kill): (&u32, &Kill)| Some((*mutant, kill.moved(place)?));
    one.kills = one.kills.iter().filter_map(by_assertion).collect::<KillsBySite>();
    one.asserted = Some(asserted.iter().filter_map(moved).collect());
}

#[cfg(test)]
mod tests;
