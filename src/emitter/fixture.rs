//! What a test class has for its tests: a directory for files, and the default locale and time zone, where values depend on
//! them, which it sets before each test and sets back after it.

use super::names::Names;
use super::platform_value::locale_expression;
use super::{JUnitVersion, Style, TestCase};
use model::execution::Defaults;

/// The field that holds the directory.
pub(super) const DIRECTORY: &str = "directory";

/// The names of the methods that set defaults.
pub(super) const METHODS: [&str; 2] = ["setDefaults", "restoreDefaults"];

/// The members of a test class that are no tests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Fixture {
    /// The lines of the field that holds the directory.
    directory: Option<[String; 2]>,
    defaults: Option<SetDefaults>,
}

/// What sets defaults.
#[derive(Clone, Debug, PartialEq, Eq)]
struct SetDefaults {
    locale: Option<Setting>,
    time_zone: Option<Setting>,
    /// The annotations of what runs before a test and after it.
    annotations: [String; 2],
    /// `public `, where JUnit asks for that.
    modifier: &'static str,
}

/// One default.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Setting {
    /// `Locale`
    class: String,
    /// `Locale.US`
    value: String,
}

impl Fixture {
    /// What the cases need; names are imported for that alone.
    pub fn of<'c>(cases: impl Iterator<Item = &'c TestCase>, style: &Style, names: &mut Names<'_>) -> Fixture {
        let mut needed = Defaults::NONE;
        for case in cases {
            needed.locale |= case.defaults.locale;
            needed.time_zone |= case.defaults.time_zone;
        }
        let locale = style.locale.as_deref().filter(|_| needed.locale);
        let time_zone = style.time_zone.as_deref().filter(|_| needed.time_zone);
        let is_set = locale.is_some() || time_zone.is_some();
        let defaults = is_set.then(|| SetDefaults::new(locale, time_zone, style, names));
        Fixture { directory: names.uses_directory().then(|| directory(style, names)), defaults }
    }

    /// The lines of the members, between the head of the class and its first test.
    pub fn lines(&self) -> Vec<String> {
        let directory = self.directory.iter().map(|lines| lines.to_vec());
        let members: Vec<Vec<String>> = directory.chain(self.defaults.iter().map(SetDefaults::lines)).collect();
        members.join(&String::new())
    }

    /// Reads the members back from the lines after the head of a class; nothing where they do not begin with them.
    pub fn read(lines: &[&str]) -> Fixture {
        let is_field =
            |line: &str| line.ends_with(&format!(" {DIRECTORY};")) || line.contains(&format!(" {DIRECTORY} = "));
        let (directory, rest) = match lines {
            [annotation, field, rest @ ..] if annotation.starts_with("    @") && is_field(field) => {
                let rest = rest.strip_prefix(&[""]).unwrap_or(rest);
                (Some([annotation.to_string(), field.to_string()]), rest)
            }
            _ => (None, lines),
        };
        Fixture { directory, defaults: SetDefaults::read(rest) }
    }

    /// The members of both; those of the first one stay as they are.
    pub fn joined(&self, other: &Fixture) -> Fixture {
        let defaults = match (&self.defaults, &other.defaults) {
            (Some(one), Some(other)) => Some(SetDefaults {
                locale: one.locale.clone().or(other.locale.clone()),
                time_zone: one.time_zone.clone().or(other.time_zone.clone()),
                ..one.clone()
            }),
            (one, other) => one.clone().or(other.clone()),
        };
        Fixture { directory: self.directory.clone().or(other.directory.clone()), defaults }
    }
}

/// The lines of the field that holds the directory, which JUnit makes for each test and removes.
fn directory(style: &Style, names: &mut Names<'_>) -> [String; 2] {
    match style.junit {
        JUnitVersion::Five => {
            let annotation = names.platform_name("org.junit.jupiter.api.io", "TempDir");
            [format!("    @{annotation}"), format!("    {} {DIRECTORY};", names.platform_name("java.nio.file", "Path"))]
        }
        JUnitVersion::Four { .. } => {
            let annotation = names.platform_name("org.junit", "Rule");
            let class = names.platform_name("org.junit.rules", "TemporaryFolder");
            [format!("    @{annotation}"), format!("    public {class} {DIRECTORY} = new {class}();")]
        }
    }
}

/// The expression of the directory as a path.
pub(super) fn directory_text(style: &Style) -> String {
    match style.junit {
        JUnitVersion::Five => DIRECTORY.to_string(),
        JUnitVersion::Four { .. } => format!("{DIRECTORY}.getRoot().toPath()"),
    }
}

impl SetDefaults {
    fn new(locale: Option<&str>, time_zone: Option<&str>, style: &Style, names: &mut Names<'_>) -> SetDefaults {
        let (package, annotations) = match style.junit {
            JUnitVersion::Five => ("org.junit.jupiter.api", ["BeforeEach", "AfterEach"]),
            JUnitVersion::Four { .. } => ("org.junit", ["Before", "After"]),
        };
        let annotations = annotations.map(|simple| names.platform_name(package, simple));
        let locale = locale.map(|tag| {
            let class = names.platform_name("java.util", "Locale");
            Setting { value: locale_expression(&class, tag), class }
        });
        let time_zone = time_zone.map(|zone| {
            let class = names.platform_name("java.util", "TimeZone");
            Setting { value: format!("{class}.getTimeZone(\"{zone}\")"), class }
        });
        SetDefaults { locale, time_zone, annotations, modifier: style.modifier() }
    }

    fn lines(&self) -> Vec<String> {
        let settings = || [(&self.locale, "defaultLocale"), (&self.time_zone, "defaultTimeZone")].into_iter();
        let settings = || settings().filter_map(|(setting, field)| Some((setting.as_ref()?, field)));
        let ([before, after], [set, restore]) = (&self.annotations, METHODS);
        let modifier = self.modifier;
        let mut lines: Vec<String> = settings()
            .map(|(setting, field)| format!("    private final {0} {field} = {0}.getDefault();", setting.class))
            .collect();
        lines.extend([String::new(), format!("    @{before}"), format!("    {modifier}void {set}() {{")]);
        lines.extend(settings().map(|(it, _)| format!("        {}.setDefault({});", it.class, it.value)));
        lines.extend(["    }".to_string(), String::new()]);
        lines.extend([format!("    @{after}"), format!("    {modifier}void {restore}() {{")]);
        lines.extend(settings().map(|(it, field)| format!("        {}.setDefault({field});", it.class)));
        lines.push("    }".to_string());
        lines
    }

    fn read(lines: &[&str]) -> Option<SetDefaults> {
        let annotation = |at: usize| Some(lines.get(at)?.strip_prefix("    @")?.to_string());
        let set_of = |line: &&str| {
            let (class, value) = line.strip_prefix("        ")?.strip_suffix(");")?.split_once(".setDefault(")?;
            Some(Setting { class: class.to_string(), value: value.to_string() })
        };
        let fields = lines.iter().take_while(|line| line.starts_with("    private final ")).count();
        let modifier = match *lines.get(fields + 2)? {
            "    void setDefaults() {" => "",
            "    public void setDefaults() {" => "public ",
            _ => return None,
        };
        let settings: Vec<Setting> = lines[fields + 3..].iter().map_while(set_of).collect();
        let annotations = [annotation(fields + 1)?, annotation(2 * fields + 5)?];
        let of = |simple: &str| settings.iter().find(|setting| setting.class.ends_with(simple)).cloned();
        Some(SetDefaults { locale: of("Locale"), time_zone: of("TimeZone"), annotations, modifier })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting(class: &str, value: &str) -> Option<Setting> {
        Some(Setting { class: class.to_string(), value: value.to_string() })
    }

    fn of(locale: Option<Setting>, time_zone: Option<Setting>) -> SetDefaults {
        let annotations = ["BeforeEach", "AfterEach"].map(str::to_string);
        SetDefaults { locale, time_zone, annotations, modifier: "" }
    }

    fn with(defaults: SetDefaults) -> Fixture {
        Fixture { directory: None, defaults: Some(defaults) }
    }

    fn with_directory() -> Fixture {
        let lines = ["    @TempDir", "    Path directory;"].map(str::to_string);
        Fixture { directory: Some(lines), defaults: None }
    }

    #[test]
    fn members_read_back_as_they_were_written() {
        let locale = setting("Locale", "Locale.US");
        let time_zone = setting("java.util.TimeZone", "java.util.TimeZone.getTimeZone(\"UTC\")");
        let both = of(locale.clone(), time_zone.clone());
        let annotations = ["org.junit.Before", "After"].map(str::to_string);
        let four = SetDefaults { annotations, modifier: "public ", ..both.clone() };
        let folder = ["    @Rule", "    public TemporaryFolder directory = new TemporaryFolder();"].map(str::to_string);
        let all = Fixture { directory: Some(folder), defaults: Some(four.clone()) };
        let each = [of(locale, None), of(None, time_zone), both, four].map(with);
        for written in each.into_iter().chain([with_directory(), all]) {
            let mut lines = written.lines();
            lines.extend(["", "    @Test"].map(str::to_string));
            assert_eq!(Fixture::read(&lines.iter().map(String::as_str).collect::<Vec<_>>()), written);
        }
        for other in [&["    @Test", "    void add_1() {", "    }"][..], &["    private final int a = 1;"], &[]] {
            assert_eq!(Fixture::read(other), Fixture::default());
        }
    }

    #[test]
    fn class_that_has_one_member_takes_over_the_other() {
        let (locale, time_zone) =
            (setting("Locale", "Locale.US"), setting("TimeZone", "TimeZone.getTimeZone(\"UTC\")"));
        let (first, second) = (with(of(locale.clone(), None)), with(of(None, time_zone.clone())));
        assert_eq!(first.joined(&second), with(of(locale, time_zone)));
        assert_eq!(first.joined(&Fixture::default()), first);
        assert_eq!(Fixture::default().joined(&second), second);
        let all = Fixture { directory: with_directory().directory, ..second.clone() };
        assert_eq!((with_directory().joined(&second), second.joined(&with_directory())), (all.clone(), all));
        assert!(Fixture::default().joined(&Fixture::default()).lines().is_empty());
    }
}
