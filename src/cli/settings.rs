//! Which modules a command is about, and the options of each.

use super::CommandError;
use super::args::{ProjectArgs, SettingFlags};
use super::config;
use crate::classpath::{self, Module};
use crate::options::{Options, Origin, PartialOptions};
use std::path::{Path, PathBuf};

/// The modules that the arguments select, each with its resolved options.
pub fn modules(project: &ProjectArgs, flags: &SettingFlags) -> Result<Vec<(Module, Options)>, CommandError> {
    let here = std::env::current_dir().map_err(CommandError::CurrentDirectory)?;
    let directory = project.directory.as_ref().map_or(here.clone(), |directory| here.join(directory));
    let classes: Vec<PathBuf> = project.classes.iter().map(|path| here.join(path)).collect();
    let mut modules = vec![classpath::of_classes(&directory, &classes, project.classpath.as_deref())];
    if let Some(level) = project.source_level {
        modules.iter_mut().for_each(|module| module.source_level = Some(level));
    }
    modules.into_iter().map(|module| with_options(module, &flags.to_partial())).collect()
}

/// Flags win over `randgen.toml` (the module's over the project's), that over the build file.
fn with_options(module: Module, flags: &PartialOptions) -> Result<(Module, Options), CommandError> {
    let mut layers = vec![(Origin::Flag, flags.clone())];
    let own = config::load(&module.basedir)?;
    let shared = if module.project_root == module.basedir { None } else { config::load(&module.project_root)? };
    layers.extend(own.into_iter().chain(shared).map(|layer| (Origin::ConfigFile, layer)));
    layers.push((Origin::Build, module.settings.clone()));
    let options = Options::resolve(&layers);
    Ok((module, options))
}

/// The directory that nothing written to `directory` may leave: the project, or the directory itself where the user
/// names one outside without a build.
pub fn writable_root<'a>(module: &'a Module, directory: &'a Path) -> &'a Path {
    let without_build = module.source_roots.is_empty() && module.test_source_roots.is_empty();
    if without_build && !directory.starts_with(&module.project_root) { directory } else { &module.project_root }
}
