//! The loop of the commands that run existing tests: `assess`, `select` and `minimize`.

use super::CommandError;
use super::args::{ConsoleArgs, SuiteArgs};
use super::console::{Console, Display};
use super::exit::ExitCode;
use super::modules::is_asked_in_part;
use super::settings;
use host::classpath::Module;
use model::options::Options;
use model::progress::{Event, Listener, Stage};
use pipeline::PipelineError;
use pipeline::traced::{Answer, Context};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Does the command's work for every module that the arguments select, and says what came of it.
pub fn each(
    args: &SuiteArgs,
    console: ConsoleArgs,
    interrupt: &Arc<AtomicBool>,
    work: &dyn Fn(&Context, &Module, &Options) -> Result<Answer, PipelineError>,
) -> Result<ExitCode, CommandError> {
    let console = Console::new(Display::chosen(console));
    let project = args.project();
    let request = settings::request(&project)?;
    let jdk = settings::jdk(request.as_ref())?;
    let context = Context { tracing: args.tracing(), jdk, listener: &console, interrupt };
    console.announce(Event::StageStarted(Stage::Resolving));
    let modules = settings::modules(&project, &args.settings.layer, request, interrupt, &mut |module| {
        console.announce(Event::Warned(format!("the module {} has no classes", module.name)));
    })?;
    settings::warn_of_old_names(&modules, &console);
    for (module, options) in modules {
        let answer = match work(&context, &module, &options) {
            Err(refusal @ PipelineError::NoTests { .. }) if is_asked_in_part(&project, &module) => {
                console.announce(Event::Warned(format!("the module {} is skipped: {refusal}", module.name)));
                continue;
            }
            answer => answer?,
        };
        console.finish();
        println!("{}\nReport: {}", answer.text.trim_end(), answer.files[0].display());
        for file in &answer.files[1..] {
            println!("Tests: {}", file.display());
        }
    }
    Ok(ExitCode::Clean)
}
