//! `randgen man`.

use super::CommandError;
use super::args::{Arguments, ManArgs};
use super::exit::ExitCode;
use clap::CommandFactory;
use clap_mangen::Man;
use model::options::closest;

/// Prints the page of a command, or of all of them.
pub fn run(args: &ManArgs) -> Result<ExitCode, CommandError> {
    let mut command = Arguments::command();
    // Gives commands their full names, such as `randgen-generate`.
    command.build();
    let described = match &args.command {
        None => &command,
        Some(name) => command.find_subcommand(name).filter(|known| !known.is_hide_set()).ok_or_else(|| {
            let known = command.get_subcommands().filter(|known| !known.is_hide_set()).map(clap::Command::get_name);
            CommandError::UnknownCommand { name: name.clone(), suggestion: closest(name, known).map(str::to_string) }
        })?,
    };
    let mut page = Vec::new();
    Man::new(described.clone()).render(&mut page).expect("memory can be written to");
    print!("{}", String::from_utf8_lossy(&page));
    Ok(ExitCode::Clean)
}
