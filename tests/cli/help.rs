//! `--help` of every command as users see it, in `snapshots/`.

use std::process::Command;

fn check(command: &str) {
    let mut randgen = Command::new(env!("CARGO_BIN_EXE_randgen"));
    if command != "randgen" {
        randgen.arg(command);
    }
    // Nowhere near a terminal, texts have one width.
    let output = randgen.arg("--help").env_remove("COLUMNS").output().unwrap();
    assert!(output.status.success(), "{}", super::stderr(&output));
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let help = String::from_utf8(output.stdout).unwrap();
    settings.bind(|| insta::assert_snapshot!(format!("help_{command}"), help));
}

#[test]
fn help_of_every_command_is_reviewed() {
    use clap::CommandFactory;
    check("randgen");
    let randgen = cli::args::Arguments::command();
    let commands = randgen.get_subcommands().filter(|command| !command.is_hide_set());
    commands.for_each(|command| check(command.get_name()));
}
