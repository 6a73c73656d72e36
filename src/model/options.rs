//! Settings as resolved, and how flag, configuration file, build and default values layer.
//!
//! The table [`SETTINGS`] is the only list of them: flags, the keys of `randgen.toml`, the README's table and the parameters of
//! both plugins come from it. No file and no command line is read here; `cli` and `project` hand over values.

mod accept;
mod component;
mod gate;
mod glob;
mod setting;
mod shard;
mod suite_form;
mod table;
mod value;

pub use accept::Accept;
pub use component::Component;
pub use gate::FailOn;
pub use glob::Glob;
pub use setting::{Heading, Kind, SettingInfo};
pub use shard::Shard;
pub use suite_form::{Access, Assertions, ImplicitExceptions, TestComments, TestNames};
pub use table::{Options, PartialOptions, SETTINGS};
pub use value::{
    Confidence, Junit, OutputFormat, Percent, Raw, RuleId, Sandbox, SettingValue, StateRepresentation, from_text,
};

use std::fmt;
use std::path::Path;
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
    /// The default of the settings table.
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
    /// No setting has this name, now or earlier.
    #[error("unknown setting `{name}`{}", suggestion.map(|known| format!(", did you mean `{known}`?")).unwrap_or_default())]
    Unknown {
        /// As the source wrote it.
        name: String,
        /// The setting with the nearest name, if one is near enough.
        suggestion: Option<&'static str>,
    },
    /// The setting does not take this value.
    #[error("`{name}`: expected {expected}, found {found}")]
    BadValue {
        /// As the source wrote it: a flag, a key, or a property.
        name: String,
        /// The values that it takes, as a noun phrase.
        expected: &'static str,
        /// The value refused, as the source wrote it.
        found: String,
    },
}

/// A setting that a file of a project may not choose: such a file comes with the code under test.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "{origin}: `{key} = {value}` {}, which the files of a project may not; if that is intended, pass `--{key} {value}` on the command line",
    .reach.says()
)]
pub struct Overreach {
    /// Of the setting.
    pub key: &'static str,
    /// As the file has it.
    pub value: String,
    /// The file.
    pub origin: Origin,
    /// What the file would have.
    pub reach: Reach,
}

/// What only the user may choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// A lower level of isolation.
    Isolation,
    /// A path outside of the project.
    Path,
}

impl Reach {
    fn says(self) -> &'static str {
        match self {
            Reach::Isolation => "lowers the isolation of the code under test",
            Reach::Path => "leads out of the project",
        }
    }
}

impl Options {
    /// Where the value of the setting with this key came from.
    ///
    /// # Panics
    /// If no setting has the key.
    pub fn origin(&self, key: &str) -> Origin {
        self.origins[key]
    }

    /// The arguments for the JVM, if the user gave them; those that a file of the project gives are not among them.
    pub fn typed_jvm_args(&self) -> &[String] {
        if self.origin("jvm-args") == Origin::Flag { &self.jvm_args } else { &[] }
    }

    /// The first setting that a file of the project chose and that only the user may choose so: a lower level of isolation
    /// than the default, or a path for which `leads_out` is true.
    pub fn overreach(&self, leads_out: impl Fn(&Path) -> bool) -> Option<Overreach> {
        let is_of_project = |key: &str| matches!(self.origin(key), Origin::ConfigFile | Origin::Build);
        let paths = [
            ("output-directory", Some(&self.output_directory)),
            ("reports-directory", self.reports_directory.as_ref()),
            ("baseline", self.baseline.as_ref()),
        ];
        let paths = paths.into_iter().filter_map(|(key, path)| Some((key, path?.as_path())));
        let paths = paths.filter(|(_, path)| leads_out(path)).map(|(key, _)| (key, Reach::Path));
        let lowered = (self.sandbox != Sandbox::Strict).then_some(("sandbox", Reach::Isolation));
        let mut all = lowered.into_iter().chain(paths);
        let (key, reach) = all.find(|(key, _)| is_of_project(key))?;
        let value = self.describe().into_iter().find_map(|(name, value, _)| (name == key).then_some(value));
        Some(Overreach { key, value: value.unwrap_or_default(), origin: self.origin(key), reach })
    }

    /// Earlier keys that some source uses, each with its present one.
    pub fn renamed(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.renamed.iter().copied()
    }

    /// Whether the class with this binary name is to be tested. What is said of a class is said of those nested in it.
    pub fn selects_class(&self, binary: &str) -> bool {
        let around = || binary.match_indices('$').map(|(at, _)| &binary[..at]).chain([binary]);
        let fits = |glob: &Glob| around().any(|name| glob.matches(name));
        (self.target_classes.is_empty() || self.target_classes.iter().any(fits))
            && !self.excluded_classes.iter().any(fits)
    }

    /// Whether the method may be called: excluded are globs for its name, or with a dot for class and name.
    pub fn selects_method(&self, class: &str, method: &str) -> bool {
        !names_method(&self.excluded_methods, class, method)
    }

    /// Whether the method says if an object is as its class wants it: by globs as those of excluded methods.
    pub fn is_contract_method(&self, class: &str, method: &str) -> bool {
        names_method(&self.contract_methods, class, method)
    }
}

impl PartialOptions {
    /// Sets the setting called `name`, in either spelling, to what a source says. An earlier name is accepted too, and
    /// gives way to the present one if the source uses both.
    pub fn set(&mut self, name: &str, raw: &Raw) -> Result<(), SettingError> {
        let called = |setting: &&SettingInfo| setting.key == name || setting.build_name == name;
        let renamed = || SETTINGS.iter().find_map(|setting| Some((setting, Some(setting.old_key(name)?))));
        let found = SETTINGS.iter().find(called).map(|setting| (setting, None));
        let Some((setting, old_key)) = found.or_else(renamed) else { return Err(unknown(name)) };
        let mut given = PartialOptions::default();
        (setting.assign)(&mut given, raw).ok_or_else(|| SettingError::BadValue {
            name: name.to_string(),
            expected: setting.expected,
            found: raw.to_string(),
        })?;
        if let Some(old_key) = old_key {
            let is_new = self.renamed.insert((old_key, setting.key));
            if is_new && (setting.is_set)(self) {
                return Ok(());
            }
        }
        (setting.assign)(self, raw);
        Ok(())
    }

    /// Sets from text without a type of its own: a POM's element, a property.
    pub fn set_text(&mut self, name: &str, text: &str) -> Result<(), SettingError> {
        self.set(name, &Raw::Bare(text.trim().to_string()))
    }
}

/// Whether a glob matches the name of the method, or one with a dot its class and name.
fn names_method(globs: &[Glob], class: &str, method: &str) -> bool {
    let qualified = format!("{class}.{method}");
    globs.iter().any(|glob| glob.matches(method) || (glob.as_str().contains('.') && glob.matches(&qualified)))
}

fn unknown(name: &str) -> SettingError {
    let is_of_build = name.contains(|letter: char| letter.is_ascii_uppercase());
    let names = SETTINGS.iter().map(|setting| if is_of_build { setting.build_name } else { setting.key });
    SettingError::Unknown { name: name.to_string(), suggestion: closest(name, names) }
}

/// The entry of `known` that `name` is most likely meant to be: at most a third of its letters differ.
pub fn closest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase().replace('_', "-");
    let distance = |candidate: &str| strsim::osa_distance(&name, &candidate.to_lowercase());
    let best = known.into_iter().min_by_key(|candidate| distance(candidate))?;
    (distance(best) <= name.chars().count().max(3) / 3).then_some(best)
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
    fn first_layer_with_a_value_wins() {
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
    fn project_files_cannot_lower_the_sandbox_or_lead_out() {
        let leads_out = |path: &Path| path.starts_with("..");
        let check = |origin: Origin, settings: &[(&str, &str)], expected: Option<&str>| {
            let options = Options::resolve(&[(origin, partial(settings))]);
            assert_eq!(options.overreach(leads_out).map(|overreach| overreach.key), expected, "{settings:?}");
        };
        for (key, value) in
            [("sandbox", "off"), ("sandbox", "reduced"), ("output-directory", "../x"), ("baseline", "../x")]
        {
            check(Origin::Flag, &[(key, value)], None);
            check(Origin::ConfigFile, &[(key, value)], Some(key));
            check(Origin::Build, &[(key, value)], Some(key));
        }
        check(Origin::ConfigFile, &[("sandbox", "strict"), ("reportsDirectory", "out")], None);
        check(Origin::Default, &[], None);
    }

    #[test]
    fn only_typed_jvm_arguments_are_trusted() {
        let options = |origin| Options::resolve(&[(origin, partial(&[("jvm-args", "-Da=/secret")]))]);
        assert_eq!(options(Origin::Flag).typed_jvm_args(), ["-Da=/secret"]);
        assert!(options(Origin::ConfigFile).typed_jvm_args().is_empty());
        assert!(options(Origin::Build).typed_jvm_args().is_empty());
    }

    #[test]
    fn kebab_case_and_camel_case_name_the_same_setting() {
        for setting in SETTINGS {
            assert_eq!(setting::camel_case(setting.key), setting.build_name);
        }
    }

    #[test]
    fn setting_names_are_unique() {
        let names =
            SETTINGS.iter().flat_map(|setting| setting.alias.iter().chain(setting.old_keys).chain([&setting.key]));
        let mut names: Vec<&str> = names.copied().collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
    }

    #[test]
    fn settings_are_documented_in_one_imperative_sentence() {
        for SettingInfo { key, help, help_for_suites, .. } in SETTINGS {
            for help in [Some(*help), *help_for_suites].into_iter().flatten() {
                assert!(help.starts_with(|letter: char| letter.is_ascii_uppercase()), "{key}: {help}");
                assert!(!help.ends_with('.') && help.matches('`').count() % 2 == 0, "{key}: {help}");
            }
        }
    }

    #[test]
    fn old_setting_name_is_accepted_and_overridden_by_the_current_one() {
        for settings in [
            [("state", "whole-seq"), ("stateAbstraction", "monitor-equals")],
            [("state-abstraction", "monitor-equals"), ("state", "whole-seq")],
        ] {
            let partial = partial(&settings);
            assert_eq!(partial.state_abstraction, Some(StateRepresentation::MonitorEquals));
            let options = Options::resolve(&[(Origin::ConfigFile, partial)]);
            assert_eq!(options.renamed().collect::<Vec<_>>(), [("state", "state-abstraction")]);
        }
        let repeated = partial(&[("without", "operands"), ("without", "corpus")]);
        assert_eq!(repeated.disable, Some(vec![Component::Corpus]));
        let error = PartialOptions::default().set_text("without", "luck").unwrap_err().to_string();
        assert!(error.starts_with("`without`: expected a list of "), "{error}");
    }

    #[test]
    fn unknown_setting_is_refused_with_a_suggestion_for_a_similar_name() {
        let refusal = |name: &str| PartialOptions::default().set_text(name, "1").unwrap_err().to_string();
        assert_eq!(refusal("time-limt"), "unknown setting `time-limt`, did you mean `time-limit`?");
        assert_eq!(refusal("targetClass"), "unknown setting `targetClass`, did you mean `targetClasses`?");
        assert_eq!(refusal("sead"), "unknown setting `sead`, did you mean `seed`?");
        assert_eq!(refusal("colour"), "unknown setting `colour`");
    }

    #[test]
    fn class_filter_selects_nested_classes() {
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
        let options = Options::resolve(&[(Origin::Flag, partial(&[("contract-methods", "repOk,a.*.check*")]))]);
        assert!(options.is_contract_method("b.C", "repOk") && options.is_contract_method("a.C", "checkSize"));
        assert!(!options.is_contract_method("b.C", "checkSize") && !options.is_contract_method("a.C", "size"));
    }
}
