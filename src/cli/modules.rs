//! The loop of every command that does its work module by module.

use super::CommandError;
use super::args::{ModuleArgs, ProjectArgs};
use super::console::{Console, Display};
use super::exit::ExitCode;
use super::settings;
use host::classpath::Module;
use host::process::share_arenas;
use model::options::{Options, Origin};
use model::progress::{Event, Listener, Stage};
use pipeline::PipelineError;
use pipeline::task::Task;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a command does for a module: its exit code, or `None` if the settings select no class of the module.
pub type Work<'a> = dyn FnMut(&Task, &Console) -> Result<Option<ExitCode>, CommandError> + 'a;

/// Does the command's work for every module that the arguments select; `None` of it if the settings select no class of the
/// module. The worst exit code is the command's.
pub fn each(
    ModuleArgs { project, settings: flags, console }: &ModuleArgs,
    interrupt: &Arc<AtomicBool>,
    work: &mut Work,
) -> Result<ExitCode, CommandError> {
    share_arenas();
    let console = Console::new(Display::chosen(*console));
    let request = settings::request(project)?;
    let jdk = settings::jdk(request.as_ref())?;
    console.announce(Event::StageStarted(Stage::Resolving));
    let modules = settings::modules(project, &flags.layer, request, interrupt, &mut |module| {
        console.announce(Event::Warned(format!("the module {} has no classes", module.name)));
    })?;
    settings::warn_of_old_names(&modules, &console);
    let mut worst = ExitCode::Clean;
    let mut unselected = Vec::new();
    // In a reactor, a plugin asks for one module after another, and the settings may select classes of the others only.
    let is_part = |module: &Module| is_asked_in_part(project, module);
    // Some module was tested, is skipped, or may be without selected classes.
    let mut is_answered = false;
    // Why the first module was skipped whose build could not compile tests.
    let mut refused = None;
    for (module, options) in &modules {
        if options.verbose {
            for (name, value, origin) in options.describe() {
                eprintln!("{name} = {value} ({origin})");
            }
        }
        if options.skip {
            is_answered = true;
            continue;
        }
        let done = work(&Task { module, options, jdk: &jdk, listener: &console, interrupt }, &console);
        let done = match done {
            Err(CommandError::Pipeline(
                refusal @ (PipelineError::MissingLibraries { .. } | PipelineError::AmongMainSources { .. }),
            )) if (is_part(module) || modules.len() > 1) && !options.fail_when_no_tests => {
                console.announce(Event::Warned(format!("the module {} is skipped: {refusal}", module.name)));
                is_answered |= is_part(module);
                refused = refused.or(Some(refusal));
                continue;
            }
            done => done?,
        };
        let Some(exit_code) = done else {
            unselected.push(nothing_selected(module, options));
            is_answered |= is_part(module) && !options.fail_when_no_tests;
            continue;
        };
        is_answered = true;
        worst = worst.max(exit_code);
        if interrupt.load(Ordering::Relaxed) {
            return Ok(ExitCode::Interrupted);
        }
    }
    if let Some(refusal) = refused.filter(|_| !is_answered) {
        return Err(refusal.into());
    }
    if !is_answered {
        return Err(CommandError::NothingSelected(unselected.join("; ")));
    }
    unselected.into_iter().for_each(|sentence| console.announce(Event::Warned(sentence)));
    Ok(worst)
}

/// Whether a plugin asks for one module after another of a project, of which this is one: what it lacks the others may have.
pub fn is_asked_in_part(project: &ProjectArgs, module: &Module) -> bool {
    project.request.is_some() && module.basedir != module.project_root
}

fn nothing_selected(module: &Module, options: &Options) -> String {
    let is_about_classes = |name: &str| ["target-classes", "excluded-classes"].contains(&name);
    let settings = options.describe().into_iter();
    let set = settings.filter(|(name, _, origin)| is_about_classes(name) && *origin != Origin::Default);
    let set: Vec<String> = set.map(|(name, value, _)| format!("{name} = {value}")).collect();
    format!("no class of {} is selected by {}", module.name, set.join(" and "))
}
