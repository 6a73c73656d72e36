//! How the time that a user gives is spent.
//!
//! A share of it is reserved for selecting, minimizing and verifying the tests: `--total-time-limit 60` means that the
//! whole run should be over by then.

use model::options::{Component, Options};
use std::time::{Duration, Instant};

/// Share of the time for the search.
const SEARCH_SHARE: f64 = 0.5;
/// The rest is never less than this…
const LEAST_REST: Duration = Duration::from_secs(4);
/// …nor more than this: verification does not grow without bounds with the search.
const MOST_REST: Duration = Duration::from_secs(60);
/// Least share of the time for mutants, which decide what tests assert.
const MUTATION_SHARE: f64 = 0.25;
/// Where a large archive has left less than this share of the time until the mutants' end, and less than this time, none are
/// run: until the first one runs, most of it passes.
const LEAST_MUTATION_SHARE: f64 = 0.125;
const LEAST_MUTATION: Duration = Duration::from_millis(7_500);
/// Share that mutants get of the time that a long run has beyond twice [`MOST_REST`], if that is more: the search has found
/// most by then.
const LATER_MUTATION_SHARE: f64 = 0.75;
/// Share of the time, before the end of the mutants' time, in which no further tests are searched for: those that were chosen
/// are made plainer…
const REFINEMENT_SHARE: f64 = 0.3;
/// …and the most that this is of the mutants' time.
const MOST_REFINEMENT: f64 = 0.8;
/// The most time in which the tests of a small archive are made plainer: as much as this, and so much for each sequence. What is left is
/// spent on further tests.
const REFINEMENT_OF_ANY: Duration = Duration::from_secs(4);
const REFINEMENT_OF_ENTRY: Duration = Duration::from_millis(8);
/// Share of that time in which calls are tried alone that tests make by the way.
const DETACHMENT_SHARE: f64 = 0.25;
/// Share of the time between the selection and the refinement after which no further tests are searched for mutants.
const DIRECTED_SEARCH_SHARE: f64 = 0.85;
/// Share of the time for the selection after which the first tests are run only with mutants of PIT's default mutators, and
/// with none that three of them kill. Half of what mutants get beyond [`MUTATION_SHARE`] comes on top.
const ALL_KILLS_SHARE: f64 = 0.75;
/// What checking and verifying tests takes for each archived sequence, beside this share of the usual rest.
const REST_OF_ENTRY: Duration = Duration::from_micros(1_200);
const REST_OF_ANY_SHARE: f64 = 0.2;
/// The most that it takes for a small archive: as much as this, and so much for each sequence.
const MOST_REST_OF_ANY: Duration = Duration::from_secs(4);
const MOST_REST_OF_ENTRY: Duration = Duration::from_millis(2);
/// Share of the time that a large archive may take from the search and the mutants.
const MOST_OF_ENTRIES: f64 = 0.25;
/// Share of the time that running all archived sequences twice may take, each run this long; if it takes more, fewer are run.
const OBSERVATION_SHARE: f64 = 0.2;
const OBSERVATION: Duration = Duration::from_micros(500);
/// Share of the time in which loops are watched that seem to have no end.
const WATCH_SHARE: f64 = 0.05;
/// Share of the search's time that mutants of tests of earlier runs get of it, if there is no time beside it…
const EARLIER_TESTS_SHARE: f64 = 0.4;
/// …and the share that they leave to the search, however late they begin.
const LEAST_SEARCH_SHARE: f64 = 0.2;

/// How many of a module's classes are searched. Limits are for all classes of a module, so a search gets a share of them.
#[derive(Clone, Copy, Debug)]
pub struct Portion {
    /// Classes that are searched.
    pub searched: usize,
    /// Classes that the settings select.
    pub of: usize,
}

impl Portion {
    /// The share of a sequence limit.
    pub fn of_sequences(self, limit: u64) -> u64 {
        let sequences = u128::from(limit) * self.searched as u128;
        sequences.div_ceil(self.of.max(1) as u128) as u64
    }

    /// The share of a time limit, but at least the time for one class.
    fn of_time(self, total: Duration, for_one: Duration) -> Duration {
        total.mul_f64(self.searched as f64 / self.of.max(1) as f64).max(for_one.min(total))
    }
}

/// The moments at which the stages of a module's run have to be over. `None` when only sequences count.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// When the run started.
    pub started: Instant,
    /// When the search ends; `None` without a time limit.
    pub search_end: Option<Instant>,
    /// After this, what may be left out of selection is left out.
    selection_end: Option<Instant>,
    /// After this, the first tests are run with no mutant that three of them kill, and with none of other than default mutators.
    all_kills_end: Option<Instant>,
    /// After this, no further tests are searched for mutants: what was found has to be run with them.
    directed_search_end: Option<Instant>,
    /// After this, no further tests are run with mutants.
    addition_end: Option<Instant>,
    /// After this, no call that a test makes by the way is tried alone.
    detachment_end: Option<Instant>,
    /// After this, no mutant is run.
    mutation_end: Option<Instant>,
    /// The whole run should be over.
    pub end: Option<Instant>,
    total: Option<Duration>,
    /// How much later all of this may be if tests of earlier runs are run first.
    spare: Duration,
    /// The archive is so large that its tests take from the time of search and mutants.
    is_short_of_time: bool,
}

/// How long each stage of a run may take, one after the other; what is left is verification's.
struct Shares {
    total: Duration,
    search: Duration,
    selection: Duration,
    mutation: Duration,
    /// What refinement gets of the others at least.
    refinement: Duration,
}

impl Shares {
    fn of(total: Duration, mutates: bool) -> Shares {
        let rest = total.mul_f64(1.0 - SEARCH_SHARE).clamp(LEAST_REST, MOST_REST).min(total * 3 / 4);
        let of_rest = rest * 3 / 20;
        let more = if mutates {
            let beyond = total.saturating_sub(2 * MOST_REST).mul_f64(LATER_MUTATION_SHARE);
            beyond.max(total.mul_f64(MUTATION_SHARE).saturating_sub(of_rest))
        } else {
            Duration::ZERO
        };
        let mutation = of_rest + more;
        let refinement = total.mul_f64(REFINEMENT_SHARE).min(mutation.mul_f64(MOST_REFINEMENT));
        Shares { total, search: total - rest - more, selection: rest / 2, mutation, refinement }
    }

    /// From the start until the first tests are run with fewer mutants.
    fn all_kills(&self) -> Duration {
        let beyond = self.mutation.saturating_sub(self.total.mul_f64(MUTATION_SHARE));
        self.search + self.selection.mul_f64(ALL_KILLS_SHARE) + beyond / 2
    }

    /// From the start until no further tests are added for mutants.
    fn addition(&self) -> Duration {
        (self.search + self.selection + self.mutation).saturating_sub(self.refinement)
    }
}

fn times(one: Duration, count: usize) -> Duration {
    one.saturating_mul(u32::try_from(count).unwrap_or(u32::MAX))
}

impl Budget {
    /// From the options, for so many classes that can be tested. A sequence limit without a time limit takes what it takes.
    pub fn new(
        options: &Options,
        classes: usize,
        portion: Portion,
        started: Instant,
        time_limit_is_set: bool,
    ) -> Budget {
        let total = match (options.total_time_limit, options.sequence_limit) {
            (Some(total), _) => Some(portion.of_time(total, options.time_limit)),
            (None, Some(_)) if !time_limit_is_set => None,
            (None, _) => Some(options.time_limit * classes.max(1) as u32),
        };
        let shares = total.map(|total| Shares::of(total, !options.disable.contains(&Component::Mutants)));
        let after = |stages: &dyn Fn(&Shares) -> Duration| shares.as_ref().map(|shares| started + stages(shares));
        // Where few classes are searched, the limit for the module leaves time beside theirs.
        let spare = match (total, options.total_time_limit) {
            (Some(total), Some(limit)) => limit.saturating_sub(total),
            (total, _) => total.unwrap_or_default(),
        };
        Budget {
            started,
            search_end: after(&|shares| shares.search),
            selection_end: after(&|shares| shares.search + shares.selection),
            all_kills_end: after(&Shares::all_kills),
            directed_search_end: after(&|shares| {
                let adding = shares.addition().saturating_sub(shares.search + shares.selection);
                shares.addition() - adding.mul_f64(1.0 - DIRECTED_SEARCH_SHARE)
            }),
            addition_end: after(&Shares::addition),
            detachment_end: after(&|shares| shares.addition() + shares.refinement.mul_f64(DETACHMENT_SHARE)),
            mutation_end: after(&|shares| shares.search + shares.selection + shares.mutation),
            end: total.map(|total| started + total),
            total,
            spare,
            is_short_of_time: false,
        }
    }

    /// What is left after tests of earlier runs were run: the search gets its whole time if there is enough.
    pub fn after_earlier_tests(self) -> Budget {
        let late = self.started.elapsed().min(self.spare);
        let later = |moment: Option<Instant>| moment.map(|moment| moment + late);
        Budget {
            started: self.started + late,
            search_end: later(self.search_end),
            selection_end: later(self.selection_end),
            all_kills_end: later(self.all_kills_end),
            directed_search_end: later(self.directed_search_end),
            addition_end: later(self.addition_end),
            detachment_end: later(self.detachment_end),
            mutation_end: later(self.mutation_end),
            end: later(self.end),
            ..self
        }
    }

    /// What is left after a search with so many archived sequences: many take long to be checked and verified as tests, and few
    /// leave time for mutants.
    pub fn after_search(self, archived: usize) -> Budget {
        let shortened_by = self.taken_by(archived);
        let most_rest = MOST_REST_OF_ANY.saturating_add(times(MOST_REST_OF_ENTRY, archived));
        let extended_by = self.usual_rest().saturating_sub(most_rest);
        let earlier = |moment: Option<Instant>| {
            moment.map(|moment| moment.checked_sub(shortened_by).unwrap_or(self.started).max(self.started))
        };
        let most_refinement = REFINEMENT_OF_ANY.saturating_add(times(REFINEMENT_OF_ENTRY, archived));
        let refinement = |(end, begin): (Instant, Instant)| end.duration_since(begin).saturating_sub(most_refinement);
        let of_refinement = self.mutation_end.zip(self.addition_end).map_or(Duration::ZERO, refinement);
        let moved = |moment: Option<Instant>| earlier(moment).map(|moment| moment + extended_by);
        let searching = of_refinement.mul_f64(DIRECTED_SEARCH_SHARE);
        let detaching = of_refinement.mul_f64(1.0 - DETACHMENT_SHARE);
        Budget {
            selection_end: earlier(self.selection_end),
            all_kills_end: moved(self.all_kills_end),
            directed_search_end: moved(self.directed_search_end).map(|moment| moment + searching),
            addition_end: moved(self.addition_end).map(|moment| moment + of_refinement),
            detachment_end: moved(self.detachment_end).map(|moment| moment + detaching),
            mutation_end: moved(self.mutation_end),
            is_short_of_time: !shortened_by.is_zero(),
            ..self
        }
    }

    /// What is reserved for checking and verifying the tests, whatever their number.
    fn usual_rest(&self) -> Duration {
        self.end.zip(self.mutation_end).map_or(Duration::ZERO, |(end, mutation)| end.duration_since(mutation))
    }

    /// How much earlier the search and the mutants end because so many sequences are archived.
    fn taken_by(&self, archived: usize) -> Duration {
        let usual = self.usual_rest();
        let needed = usual.mul_f64(REST_OF_ANY_SHARE).saturating_add(times(REST_OF_ENTRY, archived));
        needed.saturating_sub(usual).min(self.total.unwrap_or_default().mul_f64(MOST_OF_ENTRIES))
    }

    /// Of a large archive, how many entries are observed for each goal.
    pub fn observed_for_goal(&self, archived: usize) -> usize {
        let takes_long = |total: Duration| times(2 * OBSERVATION, archived) > total.mul_f64(OBSERVATION_SHARE);
        if self.total.is_some_and(takes_long) { 1 } else { 2 }
    }

    /// How much of the time of a search that has archived so many sequences is used, in thousandths.
    pub fn used(&self, archived: usize) -> u16 {
        let (Some(end), Some(_)) = (self.search_end, self.total) else { return 0 };
        let whole = end.duration_since(self.started).saturating_sub(self.taken_by(archived)).as_secs_f64().max(0.001);
        (self.started.elapsed().as_secs_f64() / whole * 1000.0).clamp(0.0, 1000.0) as u16
    }

    /// When tests of earlier runs have been run with as many mutants as there is time for, if they begin now.
    pub fn end_of_earlier_tests(&self) -> Option<Instant> {
        let search = self.search_end?.duration_since(self.started);
        let share = |share| search.mul_f64(share);
        let beside = self.started + self.spare + share(EARLIER_TESTS_SHARE);
        let of_search = Instant::now() + share(EARLIER_TESTS_SHARE);
        let latest = self.started + self.spare + share(1.0 - LEAST_SEARCH_SHARE);
        Some(beside.max(of_search.min(latest)))
    }

    /// Whether there is time left for the search, which has archived so many sequences.
    pub fn should_continue_search(&self, archived: usize) -> bool {
        self.search_end.is_none_or(|end| Instant::now() + self.taken_by(archived) < end)
    }

    /// Whether there is time left to look for all mutants that the first tests kill.
    pub fn should_find_all_kills(&self) -> bool {
        self.all_kills_end.is_none_or(|end| Instant::now() < end)
    }

    /// Whether loops that seem to have no end may still be watched, which began then.
    pub fn should_continue_watch(&self, watch_started: Instant) -> bool {
        self.total.is_none_or(|total| watch_started.elapsed() < total.mul_f64(WATCH_SHARE))
    }

    /// Whether enough time is left to begin with mutants.
    pub fn should_begin_mutation(&self) -> bool {
        let least = self.total.unwrap_or_default().mul_f64(LEAST_MUTATION_SHARE).min(LEAST_MUTATION);
        !self.is_short_of_time || self.mutation_end.is_none_or(|end| Instant::now() + least < end)
    }

    /// Whether there is time left for mutants.
    pub fn should_continue_mutation(&self) -> bool {
        self.mutation_end.is_none_or(|end| Instant::now() < end)
    }

    /// Whether there is time left to run further tests with mutants.
    pub fn should_continue_addition(&self) -> bool {
        self.addition_end.is_none_or(|end| Instant::now() < end)
    }

    /// Whether there is time left to try calls alone that tests make by the way.
    pub fn should_continue_detachment(&self) -> bool {
        self.detachment_end.is_none_or(|end| Instant::now() < end)
    }

    /// Whether there is time left to search for further tests of mutants.
    pub fn should_continue_directed_search(&self) -> bool {
        self.directed_search_end.is_none_or(|end| Instant::now() < end)
    }

    /// Whether there is time left for the selection of tests.
    pub fn should_continue_selection(&self) -> bool {
        self.selection_end.is_none_or(|end| Instant::now() < end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(total: u64, mutates: bool, expected: [u64; 3]) {
        let shares = Shares::of(Duration::from_secs(total), mutates);
        assert_eq!([shares.search, shares.selection, shares.mutation], expected.map(Duration::from_millis));
    }

    #[test]
    fn mutation_budget_grows_with_the_time_limit() {
        check(6, true, [1_100, 2_000, 1_500]);
        check(60, true, [19_500, 15_000, 15_000]);
        check(60, false, [30_000, 15_000, 4_500]);
        check(520, true, [160_000, 30_000, 309_000]);
        check(520, false, [460_000, 30_000, 9_000]);
    }

    fn budget(total: Option<Duration>) -> Budget {
        let mut options = Options::resolve(&[]);
        (options.total_time_limit, options.sequence_limit) = (total, Some(9));
        Budget::new(&options, 1, Portion { searched: 1, of: 1 }, Instant::now(), false)
    }

    #[test]
    fn large_archive_leaves_more_time_for_what_follows() {
        let rest = |total: u64, archived| {
            let budget = budget(Some(Duration::from_secs(total)));
            let left = budget.after_search(archived);
            assert_eq!(left.end, budget.end);
            assert_eq!(left.is_short_of_time, !budget.taken_by(archived).is_zero());
            left.usual_rest().as_millis()
        };
        assert_eq!([500, 5_000].map(|archived| rest(10, archived)), [1_750, 4_250]);
        assert_eq!([1_000, 7_000, 9_000, 99_000].map(|archived| rest(60, archived)), [6_000, 10_500, 12_900, 25_500]);
        assert_eq!([1_000, 9_000, 99_000].map(|archived| rest(3_600, archived)), [6_000, 21_000, 123_000]);
        // What making plainer will hardly take is spent on further tests.
        let refinement = |archived| {
            let left = budget(Some(Duration::from_secs(360))).after_search(archived);
            left.mutation_end.unwrap().duration_since(left.addition_end.unwrap()).as_millis()
        };
        assert_eq!([500, 5_000, 50_000].map(refinement), [8_000, 44_000, 108_000]);
        let unlimited = budget(None).after_search(99_000);
        assert!(unlimited.mutation_end.is_none() && !unlimited.is_short_of_time);
        assert!(unlimited.should_begin_mutation() && unlimited.should_find_all_kills());
    }

    #[test]
    fn large_archive_is_observed_in_part_if_the_time_is_short() {
        let observed = |total: Option<u64>| budget(total.map(Duration::from_secs)).observed_for_goal(20_000);
        assert_eq!([Some(60), Some(600), None].map(observed), [1, 2, 2]);
    }

    #[test]
    fn long_run_has_time_for_all_mutants() {
        let until = |total: u64| Shares::of(Duration::from_secs(total), true).all_kills();
        assert_eq!([60, 600].map(until), [30_750, 312_000].map(Duration::from_millis));
    }

    #[test]
    fn refinement_has_time_left_when_no_more_tests_are_added() {
        let added_for = |total: u64| Shares::of(Duration::from_secs(total), true).addition();
        assert_eq!([6, 60, 300].map(added_for), [3_400, 37_500, 189_000].map(Duration::from_millis));
    }

    #[test]
    fn budget_of_a_partial_search_is_proportional_to_its_classes() {
        let seconds = Duration::from_secs;
        let all = Portion { searched: 7, of: 7 };
        assert_eq!((all.of_sequences(1000), all.of_time(seconds(60), seconds(10))), (1000, seconds(60)));
        let some = Portion { searched: 1, of: 3 };
        assert_eq!((some.of_sequences(1000), some.of_time(seconds(60), seconds(10))), (334, seconds(20)));
        assert_eq!(some.of_time(seconds(12), seconds(10)), seconds(10));
        assert_eq!(some.of_time(seconds(6), seconds(10)), seconds(6));
        assert_eq!(all.of_sequences(u64::MAX), u64::MAX);
    }
}
