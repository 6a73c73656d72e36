//! Settings in the README and in both plugins are those of the table. `UPDATE=1 cargo test --test tidy` writes them.

use model::options::{Kind, SETTINGS, SettingInfo};
use std::fmt::Write;
use std::path::Path;

const MAVEN: &str = "maven-plugin/src/main/java/dev/randgen/maven/AbstractRandgenMojo.java";
const GRADLE: &str = "gradle-plugin/src/main/java/dev/randgen/gradle/RandgenExtension.java";

/// Longer lines of Java are wrapped.
const LONGEST_LINE: usize = 120;

#[test]
fn the_readme_lists_every_setting_with_its_default_and_meaning() {
    let mut table = String::new();
    for setting in SETTINGS {
        let SettingInfo { key, help, .. } = setting;
        let page = setting.page.map(|(title, path)| format!(" ([{title}]({path}))")).unwrap_or_default();
        let _ = writeln!(table, "| `{key}` | {} | {help}{page} |", setting.default());
    }
    expect("README.md", "| Setting | Default | Meaning |\n| --- | --- | --- |\n", "\n\n", table.trim_end());
}

#[test]
fn the_maven_plugin_has_every_setting_as_a_parameter() {
    let mut fields = String::new();
    let mut entries = String::new();
    for setting in SETTINGS {
        let list = matches!(setting.kind, Kind::List | Kind::Arguments);
        let kind = if list { "List<String>" } else { "String" };
        // The plugin itself reads this one, and has to know what holds without it.
        let default = match setting.key {
            "output-directory" => format!(", defaultValue = \"{}\"", setting.default().replace('`', "")),
            _ => String::new(),
        };
        for name in setting.build_names() {
            let is_old = name != setting.build_name;
            fields.push_str(&if is_old { renamed(setting) } else { comment(&sentence(setting)) });
            let _ = writeln!(
                fields,
                "    @Parameter(property = \"randgen.{name}\"{default})\n    private {kind} {name};\n"
            );
            let value = if list { format!("members(\"{name}\", {name})") } else { name.clone() };
            // The plugin starts the binary; it is no business of that.
            if setting.key != "executable" {
                let _ = writeln!(entries, "        settings.put(\"{name}\", {value});");
            }
        }
    }
    expect_between(MAVEN, "parameters", &format!("{}\n", fields.trim_end()));
    expect_between(MAVEN, "entries", &entries);
}

#[test]
fn the_gradle_plugin_has_every_setting_as_a_property() {
    let mut names = String::new();
    let mut getters = String::new();
    for setting in SETTINGS {
        for name in setting.build_names() {
            let _ = writeln!(names, "            \"{name}\",");
            let getter = name[..1].to_uppercase() + &name[1..];
            let is_old = name != setting.build_name;
            let text = in_words_of_gradle(&sentence(setting));
            getters.push_str(&if is_old { renamed(setting) } else { comment(&text) });
            let _ = writeln!(
                getters,
                "    public Property<Object> get{getter}() {{\n        return settings.get(\"{name}\");\n    }}\n"
            );
        }
    }
    let names = names.trim_end().trim_end_matches(',');
    let list = format!("    private static final List<String> NAMES = Arrays.asList(\n{names});\n");
    expect_between(GRADLE, "names", &list);
    expect_between(GRADLE, "properties", &format!("{}\n", getters.trim_end()));
}

/// What a setting does and its default, as Javadoc.
fn sentence(setting: &SettingInfo) -> String {
    let text = format!("{}. Default: {}.", setting.help, setting.default());
    let parts = text.split('`').enumerate();
    parts.map(|(index, part)| if index % 2 == 1 { format!("{{@code {part}}}") } else { part.to_string() }).collect()
}

/// Gradle has projects instead of modules, another directory for what it builds, and a `check` of its own.
fn in_words_of_gradle(text: &str) -> String {
    text.replace("{@code check}", "{@code randgenCheck}")
        .replace("{@code target/", "{@code build/")
        .replace("module", "project")
}

/// A Javadoc comment of a member.
fn comment(text: &str) -> String {
    let single = format!("    /** {text} */\n");
    if single.trim_end().chars().count() <= LONGEST_LINE {
        return single;
    }
    let mut lines = vec![String::new()];
    // A word ends at a space that is in no braces.
    let mut depth = 0;
    let words = text.split(|letter| {
        depth += i32::from(letter == '{') - i32::from(letter == '}');
        letter == ' ' && depth == 0
    });
    for word in words {
        let line = lines.last_mut().expect("there is a line from the start");
        if line.is_empty() {
            line.push_str(word);
        } else if "     * ".len() + line.chars().count() + 1 + word.chars().count() > LONGEST_LINE {
            lines.push(word.to_string());
        } else {
            *line += &format!(" {word}");
        }
    }
    format!("    /**\n{}     */\n", lines.iter().map(|line| format!("     * {line}\n")).collect::<String>())
}

/// The comment and annotation of a setting's old name.
fn renamed(setting: &SettingInfo) -> String {
    let name = setting.build_name;
    format!(
        "    /**\n     * The old name of {{@code {name}}}.\n     *\n     * @deprecated use {{@code {name}}}\n     */\n    @Deprecated\n"
    )
}

/// Expects text between two comments that name it.
fn expect_between(path: &str, name: &str, expected: &str) {
    let (begin, end) = (format!("// begin: {name}"), format!("// end: {name}"));
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
    let line = |mark: &str| {
        let line = text.lines().find(|line| line.trim_start().starts_with(mark));
        line.unwrap_or_else(|| panic!("{path} has no line {mark:?}"))
    };
    let (begin, end) = (format!("{}\n", line(&begin)), format!("{}\n", line(&end)));
    expect(path, &begin, &end, expected);
}

/// Expects text between two others, or writes it there if `UPDATE` is set.
fn expect(path: &str, begin: &str, end: &str, expected: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let text = std::fs::read_to_string(&file).unwrap();
    let start = text.find(begin).unwrap_or_else(|| panic!("{path} has no {begin:?}")) + begin.len();
    let length = text[start..].find(end).unwrap_or_else(|| panic!("{path} has no {end:?} after {begin:?}"));
    let found = &text[start..start + length];
    if found != expected && std::env::var_os("UPDATE").is_some() {
        std::fs::write(&file, format!("{}{expected}{}", &text[..start], &text[start + length..])).unwrap();
        return;
    }
    for (found, expected) in found.lines().zip(expected.lines()) {
        assert_eq!(found, expected, "{path} differs from the settings: run `UPDATE=1 cargo test --test tidy`");
    }
    assert!(found == expected, "{path} lacks settings: run `UPDATE=1 cargo test --test tidy`");
}
