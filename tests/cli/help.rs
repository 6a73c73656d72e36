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

/// The commands that both plugins run with arguments besides settings.
const OF_PLUGINS: [&str; 7] = ["assess", "select", "minimize", "explore", "specs", "replay", "explain"];

/// The module and its class path are in the request, and the plugin chooses how progress is shown.
const OF_NO_PLUGIN: [&str; 11] = [
    "module",
    "classes",
    "tests",
    "classpath",
    "test_classes",
    "source_level",
    "request",
    "directory",
    "quiet",
    "progress",
    "log",
];

#[test]
fn both_plugins_have_the_arguments_of_their_commands() {
    use clap::CommandFactory;
    let read = |path: &str| {
        let walk = walkdir::WalkDir::new(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(path));
        let files = walk.into_iter().map(|entry| entry.unwrap().into_path()).filter(|path| path.is_file());
        files.map(|path| std::fs::read_to_string(path).unwrap()).collect::<String>()
    };
    let maven = read("maven-plugin/src/main/java");
    let gradle = read("gradle-plugin/src/main/java");
    let randgen = cli::args::Arguments::command();
    for name in OF_PLUGINS {
        let command = randgen.find_subcommand(name).unwrap();
        assert!(maven.contains(&format!("@Mojo(name = \"{name}\"")), "{name}");
        assert!(gradle.contains(&format!("\n    {}(", name.to_uppercase())), "{name}");
        for argument in command.get_arguments() {
            let flag = argument.get_long().unwrap_or(argument.get_id().as_str());
            let is_setting = model::options::SETTINGS.iter().any(|setting| setting.key == flag);
            if is_setting || OF_NO_PLUGIN.contains(&&*flag.replace('-', "_")) || flag == "help" {
                continue;
            }
            let words = flag.split('-').enumerate();
            let camel: String = words
                .map(|(at, word)| if at == 0 { word.to_string() } else { word[..1].to_uppercase() + &word[1..] })
                .collect();
            assert!(maven.contains(&format!("\"randgen.{camel}\"")), "{name}: {camel} in the Maven plugin");
            assert!(gradle.contains(&format!("\"{camel}\"")), "{name}: {camel} in the Gradle plugin");
        }
    }
}
