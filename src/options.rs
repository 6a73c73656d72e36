//! Settings as resolved, and how flag, configuration file, build and default values layer.
//!
//! The list in [`settings!`] is the only one: the keys of `randgen.toml` are its names with hyphens, the Maven and Gradle
//! parameters its names in camel case. No file and no command line is read here; `cli` and `project` hand over values.

mod glob;
mod shard;
mod value;

pub use glob::Glob;
pub use shard::Shard;
pub use value::{Component, Confidence, Junit, OutputFormat, Percent, Raw, Sandbox, StateRepresentation, Value};

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;
use thiserror::Error;

/// Where a value came from, the strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Origin {
    /// A flag, or a plugin's user property (`-Drandgen.seed=1`).
    Flag,
    /// `randgen.toml`.
    ConfigFile,
    /// The configuration of the plugin in the build file.
    Build,
    Default,
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Origin::Flag => "flag",
            Origin::ConfigFile => "randgen.toml",
            Origin::Build => "build file",
            Origin::Default => "default",
        })
    }
}

/// Why a setting was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SettingError {
    #[error("unknown setting `{name}`{}", suggestion.map(|known| format!(", did you mean `{known}`?")).unwrap_or_default())]
    Unknown { name: String, suggestion: Option<&'static str> },
    #[error("`{name}`: expected {expected}, found {found}")]
    BadValue { name: &'static str, expected: &'static str, found: String },
}

macro_rules! settings {
    ($($(#[$doc:meta])* $name:ident: $kind:ty = $default:expr, $key:literal, $camel:literal;)*) => {
        /// Every setting with a value.
        #[derive(Clone, Debug, PartialEq)]
        pub struct Options {
            $($(#[$doc])* pub $name: $kind,)*
            origins: BTreeMap<&'static str, Origin>,
        }

        /// The settings that one source gives.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct PartialOptions {
            $(pub $name: Option<$kind>,)*
        }

        /// Keys of all settings as `randgen.toml` and flags write them, in the order of the documentation.
        pub const KEYS: &[&str] = &[$($key),*];

        /// Names of all settings as Maven and Gradle write them, in the order of [`KEYS`].
        pub const BUILD_NAMES: &[&str] = &[$($camel),*];

        impl Options {
            /// Takes each value from the first layer that has it.
            pub fn resolve(layers: &[(Origin, PartialOptions)]) -> Options {
                let mut origins = BTreeMap::new();
                $(
                    let found = layers.iter().find_map(|(origin, layer)| Some((*origin, layer.$name.clone()?)));
                    let (origin, $name) = found.unwrap_or_else(|| (Origin::Default, $default));
                    origins.insert($key, origin);
                )*
                Options { $($name,)* origins }
            }

            /// Where the value of the setting with this key came from.
            ///
            /// # Panics
            /// If no setting has the key.
            pub fn origin(&self, key: &str) -> Origin {
                self.origins[key]
            }

            /// Each setting with its value as text and its origin, for `--verbose`.
            pub fn describe(&self) -> Vec<(&'static str, String, Origin)> {
                vec![$(($key, Value::show(&self.$name), self.origins[$key])),*]
            }
        }

        impl PartialOptions {
            /// Sets the setting called `name`, in either spelling, to what a source says.
            pub fn set(&mut self, name: &str, raw: &Raw) -> Result<(), SettingError> {
                match name {
                    $(_ if name == $key || name == $camel => {
                        let value = <$kind as Value>::read(raw).ok_or_else(|| SettingError::BadValue {
                            name: if name == $camel { $camel } else { $key },
                            expected: <$kind as Value>::EXPECTED,
                            found: raw.to_string(),
                        })?;
                        self.$name = Some(value);
                    })*
                    _ => {
                        let names = if name.contains(|letter: char| letter.is_ascii_uppercase()) { BUILD_NAMES } else { KEYS };
                        let suggestion = closest(name, names);
                        return Err(SettingError::Unknown { name: name.to_string(), suggestion });
                    }
                }
                Ok(())
            }
        }
    };
}

settings! {
    /// Generate nothing.
    skip: bool = false, "skip", "skip";
    /// Classes to test; empty means all of the module.
    target_classes: Vec<Glob> = Vec::new(), "target-classes", "targetClasses";
    /// Classes not to test, even if they are targets.
    excluded_classes: Vec<Glob> = Vec::new(), "excluded-classes", "excludedClasses";
    /// Methods not to call, by name or by `package.Class.name`.
    excluded_methods: Vec<Glob> = Vec::new(), "excluded-methods", "excludedMethods";
    /// Where tests go, relative to the module.
    output_directory: PathBuf = PathBuf::from("src/test/generated"), "output-directory", "outputDirectory";
    /// Where reports go, relative to the module; `randgen` in the module's build directory unless set.
    reports_directory: Option<PathBuf> = None, "reports-directory", "reportsDirectory";
    /// Root of all random choices.
    seed: u64 = 0, "seed", "seed";
    /// Time for each class under test.
    time_limit: Duration = Duration::from_secs(10), "time-limit", "timeLimit";
    /// Time for the whole search of a module, instead of the time per class.
    total_time_limit: Option<Duration> = None, "total-time-limit", "totalTimeLimit";
    /// How many sequences a module's search runs; with it the result depends on seed and limit alone.
    sequence_limit: Option<u64> = None, "sequence-limit", "sequenceLimit";
    /// Search those classes alone that changed since the last run.
    incremental: bool = true, "incremental", "incremental";
    /// The part of the module's classes that this run is about.
    shard: Option<Shard> = None, "shard", "shard";
    /// Parts of guidance to do without.
    without: Vec<Component> = Vec::new(), "without", "without";
    /// What makes a value redundant that the search made.
    state: StateRepresentation = StateRepresentation::WholeState, "state", "state";
    /// Workers; as many as there are processors unless set.
    threads: Option<usize> = None, "threads", "threads";
    /// Version of JUnit to write for.
    junit: Junit = Junit::Auto, "junit", "junit";
    /// Additional arguments of the JVM that runs the code under test.
    jvm_args: Vec<String> = Vec::new(), "jvm-args", "jvmArgs";
    /// How much the code under test is kept from.
    sandbox: Sandbox = Sandbox::Strict, "sandbox", "sandbox";
    /// Report the findings that are at least so sure.
    min_confidence: Confidence = Confidence::Likely, "min-confidence", "minConfidence";
    /// Fail when no class of the module could be tested.
    fail_when_no_tests: bool = false, "fail-when-no-tests", "failWhenNoTests";
    /// Reports to write.
    output_formats: Vec<OutputFormat> = OutputFormat::ALL.to_vec(), "output-formats", "outputFormats";
    /// The file of known failures, relative to the module; `randgen-baseline.toml` unless set.
    baseline: Option<PathBuf> = None, "baseline", "baseline";
    /// Let `check` write the baseline.
    update_baseline: bool = false, "update-baseline", "updateBaseline";
    /// Let `check` fail when known failures are gone.
    strict: bool = false, "strict", "strict";
    /// Let `check` fail when the tests cover less of the edges.
    coverage_threshold: Option<Percent> = None, "coverage-threshold", "coverageThreshold";
    /// Let `check` fail when the tests notice less of the mutants.
    mutation_threshold: Option<Percent> = None, "mutation-threshold", "mutationThreshold";
    /// Let `check` fail when more of the module's compiled tests are redundant.
    max_redundancy: Option<Percent> = None, "max-redundancy", "maxRedundancy";
    /// The randgen binary that a plugin starts; means nothing to the binary itself.
    executable: Option<PathBuf> = None, "executable", "executable";
    /// Say where each setting came from, and more of what happens.
    verbose: bool = false, "verbose", "verbose";
    /// Do everything but write into the project.
    dry_run: bool = false, "dry-run", "dryRun";
}

impl Options {
    /// Whether the class with this binary name is to be tested. What is said of a class is said of those nested in it.
    pub fn selects_class(&self, binary: &str) -> bool {
        let around = || binary.match_indices('$').map(|(at, _)| &binary[..at]).chain([binary]);
        let fits = |glob: &Glob| around().any(|name| glob.matches(name));
        (self.target_classes.is_empty() || self.target_classes.iter().any(fits))
            && !self.excluded_classes.iter().any(fits)
    }

    /// Whether the method may be called: excluded are globs for its name, or with a dot for class and name.
    pub fn selects_method(&self, class: &str, method: &str) -> bool {
        let qualified = format!("{class}.{method}");
        !self
            .excluded_methods
            .iter()
            .any(|glob| glob.matches(method) || (glob.as_str().contains('.') && glob.matches(&qualified)))
    }
}

impl PartialOptions {
    /// Sets from text without a type of its own: a POM's element, a property.
    pub fn set_text(&mut self, name: &str, text: &str) -> Result<(), SettingError> {
        self.set(name, &Raw::Bare(text.trim().to_string()))
    }
}

/// The entry of `known` that `name` is most likely meant to be: at most a third of its letters differ.
pub fn closest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let name = name.to_lowercase().replace('_', "-");
    let distance = |candidate: &str| edit_distance(&name, &candidate.to_lowercase());
    let best = known.iter().copied().min_by_key(|candidate| distance(candidate))?;
    (distance(best) <= name.chars().count().max(3) / 3).then_some(best)
}

/// Insertions, deletions, substitutions and swaps of neighbours that turn one text into the other.
fn edit_distance(left: &str, right: &str) -> usize {
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    let mut rows = vec![vec![0; right.len() + 1]; left.len() + 1];
    for i in 0..=left.len() {
        for j in 0..=right.len() {
            if i == 0 || j == 0 {
                rows[i][j] = i + j;
                continue;
            }
            let substituted = rows[i - 1][j - 1] + usize::from(left[i - 1] != right[j - 1]);
            let mut best = substituted.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            if i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    rows[left.len()][right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn partial(settings: &[(&str, &str)]) -> PartialOptions {
        let mut partial = PartialOptions::default();
        for (name, text) in settings {
            partial.set_text(name, text).unwrap();
        }
        partial
    }

    #[test]
    fn the_first_layer_that_has_a_value_wins() {
        let options = Options::resolve(&[
            (Origin::Flag, partial(&[("seed", "1")])),
            (Origin::ConfigFile, partial(&[("seed", "2"), ("time-limit", "3")])),
            (Origin::Build, partial(&[("seed", "4"), ("timeLimit", "5"), ("junit", "4")])),
        ]);
        assert_eq!((options.seed, options.time_limit.as_secs(), options.junit), (1, 3, Junit::Four));
        let origins = options.describe();
        let origin = |key: &str| origins.iter().find(|(name, ..)| *name == key).unwrap().2;
        assert_eq!(origin("seed"), Origin::Flag);
        assert_eq!(origin("time-limit"), Origin::ConfigFile);
        assert_eq!(origin("junit"), Origin::Build);
        assert_eq!(origin("threads"), Origin::Default);
    }

    #[test]
    fn both_spellings_name_the_same_settings() {
        for (key, name) in KEYS.iter().zip(BUILD_NAMES) {
            let mut camel = String::new();
            for (index, word) in key.split('-').enumerate() {
                let (first, rest) = word.split_at(1);
                camel += &if index == 0 { first.to_string() } else { first.to_uppercase() };
                camel += rest;
            }
            assert_eq!(camel, *name);
        }
    }

    #[test]
    fn unknown_names_come_with_a_suggestion_when_one_is_near() {
        let refusal = |name: &str| PartialOptions::default().set_text(name, "1").unwrap_err().to_string();
        assert_eq!(refusal("time-limt"), "unknown setting `time-limt`, did you mean `time-limit`?");
        assert_eq!(refusal("targetClass"), "unknown setting `targetClass`, did you mean `targetClasses`?");
        assert_eq!(refusal("sead"), "unknown setting `sead`, did you mean `seed`?");
        assert_eq!(refusal("colour"), "unknown setting `colour`");
    }

    #[test]
    fn a_class_is_selected_with_those_nested_in_it() {
        let options = |key, glob| Options::resolve(&[(Origin::Flag, partial(&[(key, glob)]))]);
        let targets = options("target-classes", "a.B");
        assert!(targets.selects_class("a.B") && targets.selects_class("a.B$C$D"));
        assert!(!targets.selects_class("a.BC") && !targets.selects_class("a.C$B"));
        let nested = options("target-classes", "a.B$C");
        assert!(nested.selects_class("a.B$C") && nested.selects_class("a.B$C$D"));
        assert!(!nested.selects_class("a.B") && !nested.selects_class("a.B$E"));
        let others = options("excluded-classes", "a.B");
        assert!(!others.selects_class("a.B$C") && others.selects_class("a.C"));
    }

    #[test]
    fn excluded_classes_and_methods_are_not_selected() {
        let options = Options::resolve(&[(
            Origin::Flag,
            partial(&[
                ("target-classes", "a.*, b.C"),
                ("excluded-classes", "*$*"),
                ("excluded-methods", "main,a.B.ru?"),
            ]),
        )]);
        assert!(options.selects_class("a.b.C") && options.selects_class("b.C"));
        assert!(!options.selects_class("a.b.C$D") && !options.selects_class("c.D"));
        assert!(!options.selects_class("b.C$D"));
        assert!(!options.selects_method("a.B", "main") && !options.selects_method("a.B", "run"));
        assert!(options.selects_method("a.C", "run"));
    }
}
