//! The methods of the platform whose effects are known: a list that ships with randgen.

use model::jvm::ClassName;
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// What a listed method may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// Nothing; it may return its inputs or what they lead to.
    Pure,
    /// Nothing; what it returns is new, or cannot be changed, and may lead to its inputs.
    Fresh,
    /// The receiver (of static methods the first argument) itself, which may lead to the other inputs afterwards.
    First,
    /// As `All`, but for the first input.
    Rest,
    /// All its inputs themselves, which may lead to each other afterwards.
    All,
}

/// Whether a class is the platform's by its name.
pub(super) fn is_platform(class: &ClassName) -> bool {
    ["java/", "javax/", "jdk/", "sun/", "com/sun/", "org/w3c/dom/", "org/xml/sax/"]
        .iter()
        .any(|package| class.internal().starts_with(package))
}

/// The effect of a method by the first of its classes that is listed with it. All objects have the methods of `Object`;
/// a constructor is one of its own class alone.
pub(super) fn effect<'a>(mut classes: impl Iterator<Item = &'a ClassName>, method: &str) -> Option<Effect> {
    static LIST: LazyLock<List> = LazyLock::new(|| List::read(include_str!("pure-jdk.txt")));
    if method == "<init>" {
        return LIST.get(classes.next()?.internal(), method);
    }
    classes.map(ClassName::internal).chain(["java/lang/Object"]).find_map(|class| LIST.get(class, method))
}

/// The list, by class. A name that begins or ends with `*` stands for all with that ending or beginning.
struct List {
    classes: FxHashMap<&'static str, Vec<(&'static str, Effect)>>,
    /// Classes by the ends of their names.
    endings: Vec<&'static str>,
}

impl List {
    /// Lines are `[class …]` or `effect method …` for the classes above.
    fn read(text: &'static str) -> List {
        let mut list = List { classes: FxHashMap::default(), endings: Vec::new() };
        let mut classes = Vec::new();
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if let Some(names) = line.strip_prefix('[') {
                classes = names.trim_end_matches(']').split(' ').collect();
                list.endings.extend(classes.iter().filter(|name| name.starts_with('*')));
                continue;
            }
            let mut words = line.split(' ');
            let effect = match words.next() {
                Some("pure") => Effect::Pure,
                Some("fresh") => Effect::Fresh,
                Some("first") => Effect::First,
                Some("rest") => Effect::Rest,
                _ => Effect::All,
            };
            for method in words {
                for class in &classes {
                    list.classes.entry(class).or_default().push((method, effect));
                }
            }
        }
        list
    }

    fn get(&self, class: &str, method: &str) -> Option<Effect> {
        let find = |class: &str| {
            let matches = |pattern: &str| match pattern.strip_suffix('*') {
                Some(beginning) => method.starts_with(beginning),
                None => method == pattern,
            };
            self.classes.get(class)?.iter().find(|(pattern, _)| matches(pattern)).map(|(_, effect)| *effect)
        };
        let by_ending =
            || self.endings.iter().filter(|ending| class.ends_with(&ending[1..])).find_map(|ending| find(ending));
        find(class).or_else(by_ending)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn platform_effects_list_is_well_formed() {
        for line in include_str!("pure-jdk.txt").lines() {
            let is_entry = ["pure ", "fresh ", "first ", "rest ", "all "].iter().any(|effect| line.starts_with(effect));
            let is_classes = line.starts_with('[') && line.ends_with(']');
            assert!(line.is_empty() || line.starts_with("# ") || is_classes || is_entry, "{line}");
            assert!(!line.contains("  ") && !line.ends_with(' '), "{line}");
        }
    }

    #[test]
    fn platform_method_is_matched_by_name_prefix_and_suffix() {
        let found = |class: &str, method: &str| effect(std::iter::once(&ClassName::new(class)), method);
        assert_eq!(found("java/util/ArrayList", "add"), Some(Effect::First));
        assert_eq!(found("java/lang/Class", "getSuperclass"), Some(Effect::Pure));
        assert_eq!(found("java/util/NoSuchElementException", "<init>"), Some(Effect::First));
        assert_eq!(found("java/util/Properties", "hashCode"), Some(Effect::Pure));
        assert_eq!(found("java/lang/System", "exit"), None);
    }
}
