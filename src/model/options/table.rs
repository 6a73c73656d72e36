//! The table of all settings, and the types that hold their values.
//!
//! A new setting is a new entry of [`settings!`], and `UPDATE=1 cargo test --test tidy`, which writes it to the README
//! and to both plugins.

use super::setting::{Heading, SettingInfo};
use super::value::SettingValue;
use super::{
    Accept, Access, Assertions, Component, Confidence, FailOn, Glob, ImplicitExceptions, Junit, Origin, OutputFormat,
    Percent, RuleId, Sandbox, Shard, StateRepresentation, TestComments, TestNames,
};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

macro_rules! settings {
    ($($name:ident: $kind:ty = $default:expr => {
        key: $key:literal,
        build_name: $build_name:literal,
        help: $help:literal,
        $($field:ident: $value:expr,)*
    })*) => {
        /// Every setting, in the order of the documentation.
        pub static SETTINGS: &[SettingInfo] = &[$(SettingInfo {
            key: $key,
            build_name: $build_name,
            help: $help,
            kind: <$kind as SettingValue>::KIND,
            expected: <$kind as SettingValue>::EXPECTED,
            choices: <$kind as SettingValue>::choices,
            shown_default: || <$kind as SettingValue>::show(&$default),
            assign: |partial, raw| {
                partial.$name = Some(<$kind as SettingValue>::read(raw)?);
                Some(())
            },
            is_set: |partial| partial.$name.is_some(),
            $($field: $value,)*
            ..SettingInfo::BARE
        }),*];

        /// Every setting with a value.
        #[derive(Clone, Debug, PartialEq)]
        pub struct Options {
            $(#[doc = $help] pub $name: $kind,)*
            pub(super) origins: BTreeMap<&'static str, Origin>,
            pub(super) renamed: BTreeSet<(&'static str, &'static str)>,
        }

        /// The settings that one source gives.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct PartialOptions {
            $(#[doc = $help] pub $name: Option<$kind>,)*
            /// Earlier keys that the source uses, each with its present one.
            pub(super) renamed: BTreeSet<(&'static str, &'static str)>,
        }

        impl Options {
            /// Takes each value from the first layer that has it.
            pub fn resolve(layers: &[(Origin, PartialOptions)]) -> Options {
                let mut origins = BTreeMap::new();
                $(
                    let found = layers.iter().find_map(|(origin, layer)| Some((*origin, layer.$name.clone()?)));
                    let (origin, $name) = found.unwrap_or_else(|| (Origin::Default, $default));
                    origins.insert($key, origin);
                )*
                let renamed = layers.iter().flat_map(|(_, layer)| layer.renamed.iter().copied()).collect();
                Options { $($name,)* origins, renamed }
            }

            /// Each setting with its value as text and its origin, for `--verbose`.
            pub fn describe(&self) -> Vec<(&'static str, String, Origin)> {
                vec![$(($key, SettingValue::show(&self.$name), self.origins[$key])),*]
            }
        }
    };
}

settings! {
    skip: bool = false => {
        key: "skip",
        build_name: "skip",
        help: "Skip this run: neither generate nor check anything",
        changes_results: false,
    }
    target_classes: Vec<Glob> = Vec::new() => {
        key: "target-classes",
        build_name: "targetClasses",
        help: "Test only these classes, with their nested classes: globs such as `com.shop.*`",
        help_for_suites: Some("Trace only calls of these classes, with their nested classes: globs such as `com.shop.*`"),
        heading: Heading::Classes,
        value_name: "GLOBS",
        unset: Some("all"),
    }
    excluded_classes: Vec<Glob> = Vec::new() => {
        key: "excluded-classes",
        build_name: "excludedClasses",
        help: "Exclude these classes, with their nested classes: globs such as `com.shop.internal.*`",
        help_for_suites: Some("Exclude calls of these classes, with their nested classes, from the trace"),
        heading: Heading::Classes,
        value_name: "GLOBS",
        unset: Some("none"),
    }
    excluded_methods: Vec<Glob> = Vec::new() => {
        key: "excluded-methods",
        build_name: "excludedMethods",
        help: "Do not call these methods: globs for a name or for `package.Class.name`, such as `main,com.shop.Db.drop*`",
        heading: Heading::Classes,
        value_name: "GLOBS",
        unset: Some("none"),
    }
    contract_methods: Vec<Glob> = Vec::new() => {
        key: "contract-methods",
        build_name: "contractMethods",
        help: "Check after every call that these methods of the changed objects return true, or nothing without throwing, like those marked `@CheckRep`: globs such as `repOk,com.shop.*.check*`",
        heading: Heading::Classes,
        value_name: "GLOBS",
        unset: Some("none"),
        page: Some(("Contracts", "docs/contracts.md#contracts-of-your-own")),
    }
    access: Access = Access::Public => {
        key: "access",
        build_name: "access",
        help: "Test through `public` and protected members, others only where these do not lead, or through all of the `package`",
        heading: Heading::Classes,
        value_name: "CHOICE",
        page: Some(("The front door", "docs/design/keepable.md#the-front-door")),
    }
    output_directory: PathBuf = PathBuf::from("src/test/generated") => {
        key: "output-directory",
        build_name: "outputDirectory",
        help: "Write tests to this directory of the module",
        heading: Heading::Output,
        value_name: "DIR",
        alias: Some("output"),
        changes_results: false,
    }
    reports_directory: Option<PathBuf> = None => {
        key: "reports-directory",
        build_name: "reportsDirectory",
        help: "Write reports to this directory of the module",
        help_for_suites: Some("Write reports to this directory of the module"),
        heading: Heading::Output,
        value_name: "DIR",
        unset: Some("`target/randgen`"),
        changes_results: false,
    }
    seed: u64 = 0 => {
        key: "seed",
        build_name: "seed",
        help: "Derive all random choices from this number",
        heading: Heading::Search,
        value_name: "N",
    }
    time_limit: Duration = Duration::from_secs(10) => {
        key: "time-limit",
        build_name: "timeLimit",
        help: "Limit the search to this many seconds per class",
        heading: Heading::Search,
        value_name: "SECONDS",
    }
    total_time_limit: Option<Duration> = None => {
        key: "total-time-limit",
        build_name: "totalTimeLimit",
        help: "Limit the search to this many seconds per module, instead of per class",
        heading: Heading::Search,
        value_name: "SECONDS",
        unset: Some("none"),
    }
    sequence_limit: Option<u64> = None => {
        key: "sequence-limit",
        build_name: "sequenceLimit",
        help: "Limit the search to this many sequences per module; seed and limit then determine every byte of the output",
        heading: Heading::Search,
        value_name: "N",
        unset: Some("none"),
    }
    incremental: bool = true => {
        key: "incremental",
        build_name: "incremental",
        help: "Search only classes that changed since the last run",
        heading: Heading::Classes,
        changes_results: false,
        page: Some(("Incremental runs", "docs/design/incremental.md")),
    }
    accept: Accept = Accept::Nothing => {
        key: "accept",
        build_name: "accept",
        help: "Accept what is there now: `generate` replaces tests of earlier runs that fail, of all classes or of these, such as `com.shop.Cart`; `specs` writes `randgen-specs.toml`, which `specs` and `check` then hold the code to",
        heading: Heading::Output,
        value_name: "CLASSES",
        unset: Some("none"),
        changes_results: false,
        page: Some(("Incremental runs", "docs/design/incremental.md")),
    }
    shard: Option<Shard> = None => {
        key: "shard",
        build_name: "shard",
        help: "Test only this part of each module's classes, such as `3/8`; `randgen merge` merges the parts",
        heading: Heading::Classes,
        value_name: "N/COUNT",
        unset: Some("all"),
        // Which classes are searched is known from the record of each class.
        changes_results: false,
        page: Some(("In CI", "docs/ci.md")),
    }
    mocks: bool = true => {
        key: "mocks",
        build_name: "mocks",
        help: "Write collaborators as mocks if the tests have Mockito",
        heading: Heading::Output,
        page: Some(("Mocks", "docs/design/emission.md#mocks")),
    }
    disable: Vec<Component> = Vec::new() => {
        key: "disable",
        build_name: "disable",
        help: "Disable these components of the search, such as `bloodhound,detective`; `mutants` disables mutation analysis",
        old_keys: &["without"],
        heading: Heading::Search,
        value_name: "COMPONENTS",
        unset: Some("none"),
        page: Some(("Guidance", "docs/design/guidance.md")),
    }
    state_abstraction: StateRepresentation = StateRepresentation::WholeState => {
        key: "state-abstraction",
        build_name: "stateAbstraction",
        help: "Compare object states by `whole-seq`, `modifying-seq`, `whole-state`, `monitor-equals` or `pairwise-equals`",
        old_keys: &["state"],
        heading: Heading::Search,
        value_name: "ABSTRACTION",
        page: Some(("Guidance", "docs/design/guidance.md")),
    }
    threads: Option<usize> = None => {
        key: "threads",
        build_name: "threads",
        help: "Run this many workers in parallel",
        heading: Heading::Search,
        value_name: "N",
        short: Some('j'),
        unset: Some("one per processor"),
        // With a limit of sequences every number of workers finds the same, and reports are the same bytes.
        changes_results: false,
    }
    junit: Junit = Junit::Auto => {
        key: "junit",
        build_name: "junit",
        help: "Write tests for this version of JUnit: `auto`, `4` or `5`",
        heading: Heading::Output,
        value_name: "VERSION",
    }
    assertions: Assertions = Assertions::Auto => {
        key: "assertions",
        build_name: "assertions",
        help: "Write assertions of this library: `junit`, `assertj`, or with `auto` AssertJ where the project's own tests use it",
        heading: Heading::Output,
        value_name: "LIBRARY",
        page: Some(("Emission", "docs/design/emission.md#assertj")),
    }
    test_names: TestNames = TestNames::MethodConditionResult => {
        key: "test-names",
        build_name: "testNames",
        help: "Name test methods in this form: `method-condition-result`, `camel-case` or `sentences` (with `@DisplayName`)",
        heading: Heading::Output,
        value_name: "FORM",
        page: Some(("Readable tests", "docs/design/readability.md")),
    }
    test_comments: TestComments = TestComments::None => {
        key: "test-comments",
        build_name: "testComments",
        help: "Write comments above the paragraphs of a test: `none` or `given-when-then`",
        heading: Heading::Output,
        value_name: "CHOICE",
        page: Some(("Readable tests", "docs/design/readability.md#given-when-then")),
    }
    implicit_exceptions: ImplicitExceptions = ImplicitExceptions::Drop => {
        key: "implicit-exceptions",
        build_name: "implicitExceptions",
        help: "Write tests of exceptions that the code does not throw on purpose, in classes of their own: `drop` or `keep`",
        heading: Heading::Output,
        value_name: "CHOICE",
        page: Some(("Emission", "docs/design/emission.md#exceptions")),
    }
    jvm_args: Vec<String> = Vec::new() => {
        key: "jvm-args",
        build_name: "jvmArgs",
        help: "Pass these arguments, separated by spaces, to the JVM that runs the code under test",
        help_for_suites: Some("Pass these arguments, separated by spaces, to the JVM that runs the tests"),
        heading: Heading::Jvm,
        value_name: "ARGS",
        unset: Some("none"),
    }
    sandbox: Sandbox = Sandbox::Strict => {
        key: "sandbox",
        build_name: "sandbox",
        help: "Set the isolation level of the code under test: `strict`, `reduced` or `off`",
        help_for_suites: Some("Set the isolation level of the tests: `strict`, `reduced` or `off`"),
        heading: Heading::Jvm,
        value_name: "LEVEL",
        page: Some(("Reliability", "docs/design/reliability.md")),
    }
    min_confidence: Confidence = Confidence::Likely => {
        key: "min-confidence",
        build_name: "minConfidence",
        help: "Report only findings with at least this confidence: `certain`, `likely` or `possible`",
        heading: Heading::Output,
        value_name: "LEVEL",
        page: Some(("Contracts", "docs/contracts.md")),
    }
    disabled_rules: Vec<RuleId> = Vec::new() => {
        key: "disabled-rules",
        build_name: "disabledRules",
        help: "Disable these finding rules, such as `null-argument,deprecated-code`; `randgen explain RULE` explains a rule",
        heading: Heading::Output,
        value_name: "RULES",
        unset: Some("none"),
        page: Some(("Contracts", "docs/contracts.md#suppression-rules")),
    }
    fail_when_no_tests: bool = false => {
        key: "fail-when-no-tests",
        build_name: "failWhenNoTests",
        help: "Fail if no class of the module has a test",
    }
    output_formats: Vec<OutputFormat> = OutputFormat::ALL.to_vec() => {
        key: "output-formats",
        build_name: "outputFormats",
        help: "Write reports in these formats: `junit-xml`, `json`, `markdown`, `sarif`, `html`",
        heading: Heading::Output,
        value_name: "FORMATS",
        unset: Some("all"),
    }
    baseline: Option<PathBuf> = None => {
        key: "baseline",
        build_name: "baseline",
        help: "Let `check` read known findings from this file of the module",
        heading: Heading::Gate,
        value_name: "FILE",
        unset: Some("`randgen-baseline.toml`"),
        changes_results: false,
    }
    update_baseline: bool = false => {
        key: "update-baseline",
        build_name: "updateBaseline",
        help: "Let `check` write the current findings to the baseline",
        heading: Heading::Gate,
        changes_results: false,
    }
    fail_on: FailOn = FailOn::New => {
        key: "fail-on",
        build_name: "failOn",
        help: "Let `check` fail on findings outside the baseline: `new`, unless the last version that passed shows them too, or `any`",
        heading: Heading::Gate,
        value_name: "FINDINGS",
        page: Some(("The gate", "docs/design/gate.md#caused-or-found")),
        changes_results: false,
    }
    strict: bool = false => {
        key: "strict",
        build_name: "strict",
        help: "Let `check` fail if a finding of the baseline no longer occurs",
        heading: Heading::Gate,
        changes_results: false,
    }
    coverage_threshold: Option<Percent> = None => {
        key: "coverage-threshold",
        build_name: "coverageThreshold",
        help: "Let `check` fail if the tests cover less than this percentage of the edges",
        heading: Heading::Gate,
        value_name: "PERCENT",
        unset: Some("none"),
        changes_results: false,
    }
    mutation_threshold: Option<Percent> = None => {
        key: "mutation-threshold",
        build_name: "mutationThreshold",
        help: "Let `check` fail if the tests kill less than this percentage of the mutants",
        heading: Heading::Gate,
        value_name: "PERCENT",
        unset: Some("none"),
        changes_results: false,
    }
    max_redundancy: Option<Percent> = None => {
        key: "max-redundancy",
        build_name: "maxRedundancy",
        help: "Let `check` fail if more than this percentage of the module's compiled tests is redundant",
        heading: Heading::Gate,
        value_name: "PERCENT",
        unset: Some("none"),
        changes_results: false,
    }
    fetch_junit: bool = true => {
        key: "fetch-junit",
        build_name: "fetchJunit",
        help: "Let Maven download JUnit or AssertJ, whose published SHA-256 is checked, if neither `--classpath` nor the local Maven repository has what the tests use",
        page: Some(("Security", "SECURITY.md")),
        changes_results: false,
    }
    executable: Option<PathBuf> = None => {
        key: "executable",
        build_name: "executable",
        help: "Let the Maven or Gradle plugin start this binary instead of its own",
        value_name: "FILE",
        unset: Some("found by the plugin"),
        is_for_plugins: true,
        changes_results: false,
    }
    verbose: bool = false => {
        key: "verbose",
        build_name: "verbose",
        help: "Print the value and the origin of each setting",
        short: Some('v'),
        changes_results: false,
    }
    dry_run: bool = false => {
        key: "dry-run",
        build_name: "dryRun",
        help: "Do everything except writing into the project",
        changes_results: false,
    }
}
