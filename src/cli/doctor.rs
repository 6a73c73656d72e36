//! `randgen doctor`.

use super::args::DoctorArgs;
use super::console::{Console, Display};
use super::exit::ExitCode;
use super::{CommandError, settings};
use model::progress::{Event, Listener, Stage};
use pipeline::doctor;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Shows what was found; the first thing that a run would refuse is the error.
pub fn run(args: &DoctorArgs, interrupt: &Arc<AtomicBool>) -> Result<ExitCode, CommandError> {
    let console = Console::new(Display::chosen(args.modules.console));
    let request = settings::request(&args.modules.project)?;
    let jdk = settings::jdk(request.as_ref())?;
    println!("randgen {}", env!("CARGO_PKG_VERSION"));
    println!("JDK     {} in {}", jdk.feature_version, jdk.home.display());
    match doctor::solver() {
        Ok(()) => println!("z3      found"),
        Err(error) => println!("z3      for explore --symbolic: {error}"),
    }
    console.announce(Event::StageStarted(Stage::Resolving));
    let modules =
        settings::modules(&args.modules.project, &args.modules.settings.layer, request, interrupt, &mut |module| {
            println!("\n{}\n  no classes", module.name);
        })?;
    settings::warn_of_old_names(&modules, &console);
    let mut testable = 0;
    for (module, options) in &modules {
        let (text, classes) = doctor::examine(module, options, &jdk, interrupt)?;
        print!("{text}");
        testable += classes;
    }
    Ok(if testable == 0 { ExitCode::NothingTestable } else { ExitCode::Clean })
}
