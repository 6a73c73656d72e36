//! What a test class sets before each of its tests, and sets back: the default locale and time zone, where values depend on them.

use super::names::Names;
use super::platform_value::locale_expression;
use super::{JUnitVersion, Style, TestCase};

/// The names of its methods that do so.
pub(super) const METHODS: [&str; 2] = ["setDefaults", "restoreDefaults"];

/// The members of a test class that set defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SetDefaults {
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
    /// `Locale.ENGLISH`
    value: String,
}

impl SetDefaults {
    /// What the cases need; names are imported for that alone.
    pub fn of<'c>(cases: impl Iterator<Item = &'c TestCase>, style: &Style, names: &mut Names<'_>) -> SetDefaults {
        let (mut locale, mut time_zone) = (false, false);
        for case in cases {
            locale |= case.defaults.locale;
            time_zone |= case.defaults.time_zone;
        }
        if !locale && !time_zone {
            return SetDefaults::default();
        }
        let (package, annotations) = match style.junit {
            JUnitVersion::Five => ("org.junit.jupiter.api", ["BeforeEach", "AfterEach"]),
            JUnitVersion::Four { .. } => ("org.junit", ["Before", "After"]),
        };
        let annotations = annotations.map(|simple| names.platform_name(package, simple));
        let locale = locale.then(|| {
            let class = names.platform_name("java.util", "Locale");
            Setting { value: locale_expression(&class, &style.locale), class }
        });
        let time_zone = time_zone.then(|| {
            let class = names.platform_name("java.util", "TimeZone");
            Setting { value: format!("{class}.getTimeZone(\"{}\")", style.time_zone), class }
        });
        SetDefaults { locale, time_zone, annotations, modifier: style.modifier() }
    }

    /// The lines of the members, between the head of the class and its first test.
    pub fn lines(&self) -> Vec<String> {
        let settings = || [(&self.locale, "defaultLocale"), (&self.time_zone, "defaultTimeZone")].into_iter();
        let settings = || settings().filter_map(|(setting, field)| Some((setting.as_ref()?, field)));
        if settings().next().is_none() {
            return Vec::new();
        }
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

    /// Reads the members back from the lines after the head of a class; nothing where they do not begin with them.
    pub fn read(lines: &[&str]) -> SetDefaults {
        let annotation = |at: usize| Some(lines.get(at)?.strip_prefix("    @")?.to_string());
        let set_of = |line: &&str| {
            let (class, value) = line.strip_prefix("        ")?.strip_suffix(");")?.split_once(".setDefault(")?;
            Some(Setting { class: class.to_string(), value: value.to_string() })
        };
        let read = || {
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
        };
        read().unwrap_or_default()
    }

    /// The members of both; those of the first one stay as they are.
    pub fn joined(&self, other: &SetDefaults) -> SetDefaults {
        let base = if self.lines().is_empty() { other } else { self };
        SetDefaults {
            locale: self.locale.clone().or(other.locale.clone()),
            time_zone: self.time_zone.clone().or(other.time_zone.clone()),
            ..base.clone()
        }
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

    #[test]
    fn members_read_back_as_they_were_written() {
        let locale = setting("Locale", "Locale.US");
        let time_zone = setting("java.util.TimeZone", "java.util.TimeZone.getTimeZone(\"UTC\")");
        let both = of(locale.clone(), time_zone.clone());
        let annotations = ["org.junit.Before", "After"].map(str::to_string);
        let four = SetDefaults { annotations, modifier: "public ", ..both.clone() };
        for written in [of(locale, None), of(None, time_zone), both, four] {
            let mut lines = written.lines();
            lines.extend(["", "    @Test"].map(str::to_string));
            assert_eq!(SetDefaults::read(&lines.iter().map(String::as_str).collect::<Vec<_>>()), written);
        }
        for other in [&["    @Test", "    void add_1() {", "    }"][..], &["    private final int a = 1;"], &[]] {
            assert_eq!(SetDefaults::read(other), SetDefaults::default());
        }
    }

    #[test]
    fn class_that_sets_one_default_takes_over_the_other() {
        let (locale, time_zone) =
            (setting("Locale", "Locale.US"), setting("TimeZone", "TimeZone.getTimeZone(\"UTC\")"));
        let (first, second) = (of(locale.clone(), None), of(None, time_zone.clone()));
        assert_eq!(first.joined(&second), of(locale, time_zone));
        assert_eq!(first.joined(&SetDefaults::default()), first);
        assert_eq!(SetDefaults::default().joined(&second), second);
        assert!(SetDefaults::default().joined(&SetDefaults::default()).lines().is_empty());
    }
}
