//! Settings as flags: each is made from its entry in the table of `options`, and read back as a layer of settings.

use clap::builder::{PossibleValue, TypedValueParser, ValueHint};
use clap::error::Error;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use model::options::{Kind, PartialOptions, Raw, RuleId, SETTINGS, SettingInfo, from_text};
use oracle::rules;
use std::ffi::OsStr;

/// Every setting as a flag, for the commands that generate tests.
#[derive(Clone, Debug, Default)]
pub struct SettingFlags {
    /// The layer that wins over all others.
    pub layer: PartialOptions,
}

/// The settings that the commands for existing suites have as flags.
#[derive(Clone, Debug, Default)]
pub struct SuiteSettingFlags {
    /// The layer that wins over all others.
    pub layer: PartialOptions,
}

impl Args for SettingFlags {
    fn augment_args(command: Command) -> Command {
        with_flags(command, |setting| Some(setting.help))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl Args for SuiteSettingFlags {
    fn augment_args(command: Command) -> Command {
        with_flags(command, |setting| setting.help_for_suites)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for SettingFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<SettingFlags, Error> {
        Ok(SettingFlags { layer: layer(matches) })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.layer = layer(matches);
        Ok(())
    }
}

impl FromArgMatches for SuiteSettingFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<SuiteSettingFlags, Error> {
        Ok(SuiteSettingFlags { layer: layer(matches) })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.layer = layer(matches);
        Ok(())
    }
}

/// Adds a flag for each setting that has a sentence of help, heading by heading. Old names are hidden aliases.
fn with_flags(command: Command, help: fn(&SettingInfo) -> Option<&'static str>) -> Command {
    let mut shown: Vec<_> = SETTINGS.iter().filter_map(|setting| Some((setting, help(setting)?))).collect();
    shown.sort_by_key(|(setting, _)| setting.heading);
    command.args(shown.into_iter().map(|(setting, help)| flag(setting, help)))
}

fn flag(setting: &'static SettingInfo, help: &str) -> Arg {
    let mut flag = Arg::new(setting.key)
        .long(setting.key)
        .aliases(setting.old_keys)
        .value_name(setting.value_name)
        .value_parser(SettingParser(setting))
        .help(with_default(help, setting))
        .help_heading(setting.heading.title())
        .hide_possible_values(true)
        .hide(setting.is_for_plugins);
    if let Some(short) = setting.short {
        flag = flag.short(short);
    }
    if let Some(alias) = setting.alias {
        flag = flag.visible_alias(alias);
    }
    if setting.key == "verbose" {
        flag = flag.conflicts_with("quiet");
    }
    match setting.kind {
        Kind::Truth => flag.num_args(0..=1).require_equals(true).default_missing_value("true"),
        Kind::Arguments => flag.allow_hyphen_values(true),
        Kind::Path if setting.value_name == "DIR" => flag.value_hint(ValueHint::DirPath),
        Kind::Path => flag.value_hint(ValueHint::FilePath),
        Kind::Text | Kind::List => flag,
    }
}

/// A sentence of help with the default, unless that is to do nothing.
fn with_default(help: &str, setting: &SettingInfo) -> String {
    let default = setting.default().replace('`', "");
    if ["none", "false"].contains(&default.as_str()) {
        help.to_string()
    } else {
        format!("{help} [default: {default}]")
    }
}

/// The settings that the command line gives.
fn layer(matches: &ArgMatches) -> PartialOptions {
    let mut layer = PartialOptions::default();
    for setting in SETTINGS {
        // A command lacks the flags of settings that it does not have.
        if let Ok(Some(text)) = matches.try_get_one::<String>(setting.key) {
            layer.set(setting.key, &Raw::Bare(text.clone())).expect("clap has checked the value");
        }
    }
    layer
}

/// Checks a value, and names the possible ones to completion scripts.
#[derive(Clone)]
struct SettingParser(&'static SettingInfo);

impl TypedValueParser for SettingParser {
    type Value = String;

    fn parse_ref(&self, command: &Command, argument: Option<&Arg>, value: &OsStr) -> Result<String, Error> {
        let setting = self.0;
        let check = move |text: &str| {
            setting.check(text)?;
            // Which rules there are is not for the table to know.
            if setting.key == "disabled-rules" {
                rules::find_all(&from_text::<Vec<RuleId>>(text)?).map_err(|error| error.to_string())?;
            }
            Ok::<_, String>(text.to_string())
        };
        check.parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let choices = match self.0.key {
            "disabled-rules" => rules::ALL.iter().map(|rule| rule.id.to_string()).collect(),
            _ => (self.0.choices)(),
        };
        (!choices.is_empty()).then(|| Box::new(choices.into_iter().map(PossibleValue::new)) as Box<_>)
    }
}
