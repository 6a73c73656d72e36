//! Which modules a command is about, and the options of each.

use super::CommandError;
use super::args::ProjectArgs;
use super::config;
use host::classpath::request::{self, Request};
use host::classpath::{self, ClassPathError, Jdk, Module, ResolveError};
use host::output;
use host::project::Project;
use model::options::{Options, Origin, PartialOptions};
use model::progress::{Event, Listener};
use oracle::rules;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// The plugin's request, if a plugin started this run.
pub fn request(project: &ProjectArgs) -> Result<Option<Request>, CommandError> {
    Ok(project.request.as_deref().map(request::load).transpose()?)
}

/// The JDK of the build that asks, or that of the environment.
pub fn jdk(request: Option<&Request>) -> Result<Jdk, CommandError> {
    let java_home = request.and_then(|request| request.java_home.clone()).map(PathBuf::into_os_string);
    let java_home = java_home.or_else(|| std::env::var_os("JAVA_HOME"));
    Ok(Jdk::discover(java_home.as_deref(), std::env::var_os("PATH").as_deref())?)
}

/// The modules that the arguments select, each with its resolved options; those without any class are named to `skipped`.
pub fn modules(
    project: &ProjectArgs,
    flags: &PartialOptions,
    request: Option<Request>,
    interrupt: &AtomicBool,
    skipped: &mut dyn FnMut(&Module),
) -> Result<Vec<(Module, Options)>, CommandError> {
    let mut flags = vec![flags.clone()];
    let mut modules = match request {
        Some(request) => {
            flags.push(request.flags);
            classpath::refuse_linked_classes(&request.module)?;
            vec![request.module]
        }
        None => named(project, interrupt)?,
    };
    if let Some(level) = project.source_level {
        modules.iter_mut().for_each(|module| module.source_level = Some(level));
    }
    // Jars that the user names are opened in any case, for the message about what is wrong with them.
    if project.classes.is_empty() {
        let names = modules.iter().map(|module| module.name.clone()).collect();
        modules.retain(|module| {
            let kept = module.has_classes();
            if !kept {
                skipped(module);
            }
            kept
        });
        if modules.is_empty() {
            return Err(CommandError::NoClasses { names });
        }
    }
    modules.into_iter().map(|module| with_options(module, &flags)).collect()
}

/// The modules of `--classes`, or of the project in the directory that the arguments name.
fn named(project: &ProjectArgs, interrupt: &AtomicBool) -> Result<Vec<Module>, CommandError> {
    let here = std::env::current_dir().map_err(CommandError::CurrentDirectory)?;
    let directory = project.directory.as_ref().map_or(here.clone(), |directory| here.join(directory));
    if !project.classes.is_empty() {
        let classes: Vec<PathBuf> = project.classes.iter().map(|path| here.join(path)).collect();
        let test_classes = project.test_classes.as_ref().map(|path| here.join(path));
        // A build may not have compiled its tests yet; what the user names is there.
        if let Some(path) = &test_classes {
            let unreadable = |source| ClassPathError::Unreadable { path: path.clone(), source };
            std::fs::metadata(path).map_err(unreadable)?;
        }
        return Ok(vec![classpath::of_classes(
            &directory,
            &classes,
            test_classes.as_ref(),
            project.classpath.as_deref(),
        )]);
    }
    let found = Project::read(&directory)?;
    // Before the build runs: a slip in it would only show minutes later.
    config::load(found.root())?;
    let modules = resolve(&found, interrupt)?;
    let is_called = |module: &Module, name: &str| {
        module.name == name || module.basedir.strip_prefix(found.root()).is_ok_and(|path| path == Path::new(name))
    };
    if let Some(name) = project.modules.iter().find(|name| !modules.iter().any(|module| is_called(module, name))) {
        let known = modules.into_iter().map(|module| module.name).collect();
        return Err(CommandError::UnknownModule { name: name.clone(), known });
    }
    let is_selected =
        |module: &Module| project.modules.is_empty() || project.modules.iter().any(|name| is_called(module, name));
    Ok(modules.into_iter().filter(is_selected).collect())
}

/// Asks the build tool; where a module alone does not build, as it needs its siblings, for the project around it.
fn resolve(found: &Project, interrupt: &AtomicBool) -> Result<Vec<Module>, ResolveError> {
    let refusal = match classpath::resolve(found, interrupt) {
        Err(refusal @ ResolveError::BuildFailed { .. }) => refusal,
        other => return other,
    };
    let Some(enclosing) = found.enclosing() else { return Err(refusal) };
    let mut modules = classpath::resolve(&enclosing, interrupt)?;
    modules.retain(|module| module.basedir.starts_with(found.root()));
    Ok(modules)
}

/// Warns once of each old name of a setting that `randgen.toml` or a build file uses.
pub fn warn_of_old_names(modules: &[(Module, Options)], listener: &dyn Listener) {
    let renamed: BTreeSet<_> = modules.iter().flat_map(|(_, options)| options.renamed()).collect();
    for (old, present) in renamed {
        let warning = format!("the setting `{old}` is now `{present}`; the next version will not accept the old name");
        listener.announce(Event::Warned(warning));
    }
}

/// Flags win over `randgen.toml` (the module's over the project's), that over the build file.
fn with_options(module: Module, flags: &[PartialOptions]) -> Result<(Module, Options), CommandError> {
    let mut layers: Vec<_> = flags.iter().map(|layer| (Origin::Flag, layer.clone())).collect();
    let own = config::load(&module.basedir)?;
    let shared = if module.project_root == module.basedir { None } else { config::load(&module.project_root)? };
    layers.extend(own.into_iter().chain(shared).map(|layer| (Origin::ConfigFile, layer)));
    layers.push((Origin::Build, module.settings.clone()));
    let options = Options::resolve(&layers);
    let leads_out = |path: &Path| !output::is_below(&module.basedir.join(path), &module.project_root);
    if let Some(overreach) = options.overreach(leads_out) {
        return Err(CommandError::Overreach(overreach));
    }
    rules::find_all(&options.disabled_rules)?;
    Ok((module, options))
}
