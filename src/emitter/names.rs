//! How one source file names types: imports, clashes, and what its package cannot name.

mod constants;

use super::PARAMETERIZED;
use model::jvm::types::{TypeTable, is_java_identifier};
use model::jvm::{ClassName, Type, TypeArgument};
use std::collections::{BTreeMap, BTreeSet};

/// So many methods of JUnit's class of assertions are imported as all its members…
const STATICS: usize = 3;

/// …and so many classes of a package as all its classes.
const CLASSES: usize = 5;

/// The names of one file, filled as its tests are written.
pub(super) struct Names<'a> {
    pub types: &'a TypeTable,
    /// Package of the file, with dots.
    pub package: String,
    test_class: String,
    /// Top-level classes that the file imports, by simple name.
    imports: BTreeMap<String, ClassName>,
    /// Names of local classes, which hide what is imported.
    local_classes: BTreeSet<String>,
    /// Methods imported from JUnit's class of assertions.
    assertions: BTreeSet<&'static str>,
    /// Methods imported from classes of Mockito, with the classes.
    mockito: BTreeSet<(&'static str, &'static str)>,
    /// Simple names of classes of `java.lang` that the file uses.
    platform: BTreeSet<String>,
    /// A generic type is named without arguments.
    raw: bool,
    /// A test makes files.
    directory: bool,
    /// The file has tests of earlier runs, so that each class is imported by its name.
    one_by_one: bool,
    /// The class whose constants stand for numbers.
    constants_of: Option<ClassName>,
}

impl<'a> Names<'a> {
    pub fn new(types: &'a TypeTable, package: &str, test_class: &str) -> Names<'a> {
        Names {
            types,
            package: package.to_string(),
            test_class: test_class.to_string(),
            imports: BTreeMap::new(),
            local_classes: BTreeSet::new(),
            assertions: BTreeSet::new(),
            mockito: BTreeSet::new(),
            platform: BTreeSet::new(),
            raw: false,
            directory: false,
            one_by_one: false,
            constants_of: None,
        }
    }

    /// Lets simple names mean what they mean in the tests that the file has already, given the classes that it imports, with
    /// dots. A whole package is imported no more, as it might hide one of them.
    pub fn keep_imports<'n>(&mut self, classes: impl Iterator<Item = &'n str>) {
        for class in classes {
            let simple = class.rsplit('.').next().unwrap_or(class).to_string();
            self.imports.insert(simple, ClassName::new(&class.replace('.', "/")));
            self.one_by_one = true;
        }
    }

    /// The same file before anything was named in it.
    pub fn unused(&self) -> Names<'a> {
        Names::new(self.types, &self.package, &self.test_class)
    }

    /// The name of a type, or why the file cannot name it. A raw type has unbounded wildcards.
    pub fn type_name(&mut self, of: &Type) -> Result<String, String> {
        match of {
            Type::Primitive(primitive) => Ok(primitive.keyword().to_string()),
            Type::Class(class) => {
                let name = self.class_name(class)?;
                self.raw |= self.is_inside_generic(class);
                match self.types.generic(class).map_or(0, |generic| generic.parameters.len()) {
                    0 => Ok(name),
                    count => Ok(format!("{name}<{}>", vec!["?"; count].join(", "))),
                }
            }
            Type::Array(element) => Ok(self.type_name(element)? + "[]"),
            Type::Parameterized(of) => {
                let name = self.class_name(&of.class)?;
                let arguments: Vec<String> =
                    of.arguments.iter().map(|argument| self.argument_name(argument)).collect::<Result<_, _>>()?;
                Ok(format!("{name}<{}>", arguments.join(", ")))
            }
        }
    }

    /// Whether instances belong to one of a generic class, whose type arguments are missing then (JLS §4.8).
    fn is_inside_generic(&self, class: &ClassName) -> bool {
        let facts = self.types.get(class).filter(|facts| facts.is_inner());
        facts.and_then(|facts| facts.outer.as_ref()).is_some_and(|outer| self.types.is_generic(outer))
    }

    fn argument_name(&mut self, argument: &TypeArgument) -> Result<String, String> {
        match argument {
            TypeArgument::Any => Ok("?".to_string()),
            TypeArgument::Exact(of) => self.type_name(of),
            TypeArgument::Extends(of) => Ok(format!("? extends {}", self.type_name(of)?)),
            TypeArgument::Super(of) => Ok(format!("? super {}", self.type_name(of)?)),
        }
    }

    /// `Foo.class`, which has no type arguments (JLS §15.8.2).
    pub fn class_literal(&mut self, of: &Type) -> Result<String, String> {
        let mut element = of;
        let mut dimensions = String::new();
        while let Type::Array(inner) = element {
            element = inner;
            dimensions.push_str("[]");
        }
        let name = match element.class_name() {
            Some(class) => self.class_name(class)?,
            None => self.type_name(element)?,
        };
        Ok(format!("{name}{dimensions}.class"))
    }

    /// The name of an erased type, with raw types for generic classes.
    pub fn erased_name(&mut self, of: &Type) -> Result<String, String> {
        match of {
            Type::Array(element) => Ok(self.erased_name(element)? + "[]"),
            of => match of.class_name() {
                Some(class) => self.raw_name(class),
                None => self.type_name(of),
            },
        }
    }

    /// The name of a class as a raw type (JLS §4.8), which javac's lint would mention.
    pub fn raw_name(&mut self, class: &ClassName) -> Result<String, String> {
        self.raw |= self.types.is_generic(class);
        self.class_name(class)
    }

    /// The name of a class: simple where that is unambiguous, else with its package.
    pub fn class_name(&mut self, class: &ClassName) -> Result<String, String> {
        let (top, nested) = self.accessible(class)?;
        let simple = nested.split('.').next().unwrap_or_default().to_string();
        let package = top.package();
        let plain = if package == self.package {
            !self.imports.contains_key(&simple)
        } else if package == "java.lang" {
            self.java_lang_is_plain(&simple)
        } else if self.imports.get(&simple) == Some(&top) {
            true
        } else {
            self.import(&simple, top)
        };
        match (plain, package.as_str()) {
            (true, _) => Ok(nested),
            (false, "") => Err(format!("{class} is hidden by another class of that name")),
            (false, package) => Ok(format!("{package}.{nested}")),
        }
    }

    /// Imports a class if nothing else has its simple name.
    fn import(&mut self, simple: &str, class: ClassName) -> bool {
        let free = !self.imports.contains_key(simple)
            && !self.local_classes.contains(simple)
            && !self.in_own_package(simple)
            && !self.in_java_lang(simple)
            && simple != self.test_class
            && simple != "Test";
        if free {
            self.imports.insert(simple.to_string(), class);
        }
        free
    }

    /// The name of a class that is public everywhere, whether the program knows it or not, by its package with dots.
    pub fn platform_name(&mut self, package: &str, simple: &str) -> String {
        let class = ClassName::new(&format!("{}/{simple}", package.replace('.', "/")));
        match self.imports.get(simple) == Some(&class) || self.import(simple, class) {
            true => simple.to_string(),
            false => format!("{package}.{simple}"),
        }
    }

    /// Whether the simple name means the class of the package, with slashes, because the file imports that.
    pub fn imports(&self, package: &str, simple: &str) -> bool {
        self.imports.get(simple).is_some_and(|class| class.internal() == format!("{package}/{simple}"))
    }

    /// The simple name of a class, `Map.Entry`, if it is of the own package or imported already.
    pub fn known_name(&self, class: &ClassName) -> Option<String> {
        let (top, nested) = self.accessible(class).ok()?;
        let imported = self.imports.get(nested.split('.').next()?);
        imported.map_or(top.package() == self.package, |other| *other == top).then_some(nested)
    }

    /// The name of a class of `java.lang`, which every file can name.
    pub fn java_lang(&mut self, simple: &str) -> String {
        if self.java_lang_is_plain(simple) { simple.to_string() } else { format!("java.lang.{simple}") }
    }

    fn java_lang_is_plain(&mut self, simple: &str) -> bool {
        let hidden = self.in_own_package(simple) || simple == self.test_class || self.imports.contains_key(simple);
        if !hidden {
            self.platform.insert(simple.to_string());
        }
        !hidden
    }

    /// Keeps the name of a local class from being imported.
    pub fn reserve(&mut self, local_class: &str) {
        self.local_classes.insert(local_class.to_string());
    }

    /// Whether the file can name the type.
    pub fn can_name(&self, of: &Type) -> bool {
        match of {
            Type::Primitive(_) => true,
            Type::Class(class) => self.accessible(class).is_ok(),
            Type::Array(element) => self.can_name(element),
            Type::Parameterized(_) => of.classes().iter().all(|class| self.accessible(class).is_ok()),
        }
    }

    /// Imports a method of JUnit's assertions.
    pub fn assertion(&mut self, method: &'static str) -> &'static str {
        self.assertions.insert(method);
        method
    }

    /// Imports a method of Mockito.
    pub fn mockito(&mut self, method: &'static str) -> &'static str {
        self.mockito.insert(("org.mockito.Mockito", method));
        method
    }

    /// Imports a matcher of Mockito's for arguments.
    pub fn mockito_matcher(&mut self, method: &'static str) -> &'static str {
        self.mockito.insert(("org.mockito.ArgumentMatchers", method));
        method
    }

    /// Imports an answer of Mockito's.
    pub fn mockito_answer(&mut self, method: &'static str) -> &'static str {
        self.mockito.insert(("org.mockito.AdditionalAnswers", method));
        method
    }

    /// `@Test` would name a class of the own package, so it must be qualified and cannot be imported.
    pub fn test_annotation_is_hidden(&self) -> bool {
        self.in_own_package("Test") || self.test_class == "Test"
    }

    /// The same as [`Names::test_annotation_is_hidden`] for the annotations of parameterized tests.
    pub fn parameterized_annotations_are_hidden(&self) -> bool {
        let is_used = |simple: &str| self.imports.contains_key(simple) || self.test_class == simple;
        PARAMETERIZED.iter().any(|(simple, _)| self.in_own_package(simple) || is_used(simple))
    }

    /// Import declarations, sorted: of assertions and of classes, given JUnit's annotations and its class of assertions.
    pub fn import_lines(&self, annotations: &[&str], assertions: &str) -> (Vec<String>, Vec<String>) {
        let mut statics = match self.assertions.len() {
            STATICS.. => vec![format!("import static {assertions}.*;")],
            _ => self.assertions.iter().map(|method| format!("import static {assertions}.{method};")).collect(),
        };
        statics.extend(self.mockito.iter().map(|(class, method)| format!("import static {class}.{method};")));
        let whole = if self.one_by_one { BTreeSet::new() } else { self.packages_on_demand() };
        let mut classes: BTreeSet<String> = BTreeSet::new();
        for (simple, class) in &self.imports {
            let package = class.package();
            let elsewhere = |other: &String| *other != package && self.types.get(&class_of(other, simple)).is_some();
            classes.insert(match whole.contains(&package) && !whole.iter().any(elsewhere) {
                true => format!("import {package}.*;"),
                false => format!("import {};", class.binary()),
            });
        }
        classes.extend(annotations.iter().map(|annotation| format!("import {annotation};")));
        (statics, classes.into_iter().collect())
    }

    /// Packages to import on demand: classes of the own package and single imports shadow their classes (JLS §6.4.1),
    /// so what is left to fear is a namesake in `java.lang` or in another of them, in a package that is not known.
    fn packages_on_demand(&self) -> BTreeSet<String> {
        let mut uses: BTreeMap<String, usize> = BTreeMap::new();
        for class in self.imports.values() {
            *uses.entry(class.package()).or_default() += 1;
        }
        let own = ["SuppressWarnings".to_string()];
        let fits = |package: &String| {
            let has = |simple: &String| self.types.get(&class_of(package, simple)).is_some();
            self.types.knows_package(package) && !self.platform.iter().chain(&own).any(has)
        };
        uses.into_iter()
            .filter(|(package, uses)| *uses >= CLASSES && fits(package))
            .map(|(package, _)| package)
            .collect()
    }

    /// Notes that a test makes files.
    pub fn use_directory(&mut self) {
        self.directory = true;
    }

    /// Some test makes files.
    pub fn uses_directory(&self) -> bool {
        self.directory
    }

    /// Notes what javac's lint calls unchecked.
    pub fn note_unchecked(&mut self) {
        self.raw = true;
    }

    /// Some generic type is used raw, or something is unchecked, which javac's lint would mention.
    pub fn has_raw_types(&self) -> bool {
        self.raw
    }

    /// Whether a variable of the name could hide a class or package in an expression (JLS §6.4.2).
    pub fn is_taken(&self, variable: &str) -> bool {
        const PACKAGES: [&str; 12] =
            ["java", "javax", "jakarta", "org", "com", "net", "io", "dev", "edu", "de", "kotlin", "scala"];
        PACKAGES.contains(&variable)
            || self.package.split('.').next() == Some(variable)
            || self.imports.contains_key(variable)
            || self.in_own_package(variable)
    }

    /// The outermost class and the name below its package, if the file may and can write it.
    fn accessible(&self, class: &ClassName) -> Result<(ClassName, String), String> {
        let Some(facts) = self.types.get(class) else {
            // The program's table holds what its members mention; of the rest only the JDK's exported, top-level
            // classes are known to be public. Who asks for such a class met an exception.
            let is_exported = class.internal().starts_with("java/")
                && !class.internal().contains('$')
                && self.types.may_export(class);
            return if is_exported {
                Ok((class.clone(), class.simple().to_string()))
            } else {
                Err(format!("{class} is not on the class path"))
            };
        };
        let mut top = facts;
        while let Some(outer) = top.outer.as_ref().and_then(|outer| self.types.get(outer)) {
            top = outer;
        }
        let package = top.name.package();
        if !self.types.is_accessible(class, &self.package) {
            return Err(format!("{class} is not accessible from {}", described_package(&self.package)));
        }
        if package.is_empty() && !self.package.is_empty() {
            return Err(format!("{class} is in the unnamed package"));
        }
        let nested = self.types.nested_source_name(class).unwrap_or_default();
        let writable = |name: &str| name.split('.').all(is_java_identifier);
        if !writable(&nested) || !(package.is_empty() || writable(&package)) {
            return Err(format!("{class} has a name that Java cannot write"));
        }
        Ok((top.name.clone(), nested))
    }

    fn in_own_package(&self, simple: &str) -> bool {
        self.types.get(&class_of(&self.package, simple)).is_some()
    }

    fn in_java_lang(&self, simple: &str) -> bool {
        JAVA_LANG.binary_search(&simple).is_ok() || self.types.get(&class_of("java.lang", simple)).is_some()
    }
}

/// The top-level class of a package, which is given with dots.
fn class_of(package: &str, simple: &str) -> ClassName {
    match package {
        "" => ClassName::new(simple),
        package => ClassName::new(&format!("{}/{simple}", package.replace('.', "/"))),
    }
}

fn described_package(package: &str) -> String {
    if package.is_empty() { "the unnamed package".to_string() } else { format!("package {package}") }
}

/// Simple names of `java.lang` that other libraries like to use too (JDK 25), sorted; classes that the program
/// mentions are found in its table.
const JAVA_LANG: [&str; 52] = [
    "Appendable",
    "AutoCloseable",
    "Boolean",
    "Byte",
    "CharSequence",
    "Character",
    "Class",
    "ClassLoader",
    "ClassValue",
    "Cloneable",
    "Comparable",
    "Compiler",
    "Deprecated",
    "Double",
    "Enum",
    "Error",
    "Exception",
    "Float",
    "FunctionalInterface",
    "IO",
    "Integer",
    "Iterable",
    "Long",
    "Math",
    "Module",
    "ModuleLayer",
    "Number",
    "Object",
    "Override",
    "Package",
    "Process",
    "ProcessBuilder",
    "ProcessHandle",
    "Readable",
    "Record",
    "Runnable",
    "Runtime",
    "RuntimeException",
    "ScopedValue",
    "SecurityManager",
    "Short",
    "StackWalker",
    "StrictMath",
    "String",
    "StringBuffer",
    "StringBuilder",
    "System",
    "Thread",
    "ThreadGroup",
    "ThreadLocal",
    "Throwable",
    "Void",
];

#[cfg(test)]
mod tests {
    use super::*;
    use model::jvm::types::{ClassFacts, access};
    use std::sync::Arc;

    pub(super) fn table(classes: &[(&str, Option<&str>)]) -> TypeTable {
        let mut table = TypeTable::default();
        for (name, outer) in classes {
            table.insert(ClassFacts {
                name: ClassName::new(name),
                access: access::PUBLIC,
                super_class: None,
                interfaces: Vec::new(),
                outer: outer.map(ClassName::new),
                source_simple_name: name.rsplit(['/', '$']).next().map(Arc::from),
                signature: None,
                methods: Vec::new(),
                constants: Vec::new(),
            });
        }
        table
    }

    fn check(own: &[(&str, Option<&str>)], package: &str, asked: &[(&str, &str)]) {
        let types = table(own);
        let mut names = Names::new(&types, package, "ATest");
        for (class, expected) in asked {
            let given = names.class_name(&ClassName::new(class)).unwrap_or_else(|reason| format!("! {reason}"));
            assert_eq!(given, *expected);
        }
    }

    #[test]
    fn java_lang_names_are_sorted() {
        assert!(JAVA_LANG.is_sorted());
    }

    #[test]
    fn first_class_of_a_simple_name_is_imported_and_the_second_is_qualified() {
        check(
            &[("a/List", None)],
            "p",
            &[("java/util/List", "List"), ("a/List", "a.List"), ("java/util/List", "List")],
        );
    }

    #[test]
    fn class_with_the_name_of_a_class_in_the_package_is_not_imported() {
        let types = table(&[("q/Annotated", None)]);
        let mut names = Names::new(&types, "p", "ATest");
        names.reserve("Annotated");
        assert_eq!(names.class_name(&ClassName::new("q/Annotated")).unwrap(), "q.Annotated");
    }

    #[test]
    fn only_exported_platform_classes_of_the_release_can_be_named() {
        let mut types = TypeTable::default();
        types.know_release([ClassName::new("java/lang/ThreadDeath")]);
        let mut names = Names::new(&types, "p", "ATest");
        assert_eq!(names.class_name(&ClassName::new("java/lang/ThreadDeath")).unwrap(), "ThreadDeath");
        assert!(names.class_name(&ClassName::new("java/lang/MatchException")).is_err());
    }

    #[test]
    fn class_in_own_package_shadows_java_lang_and_imports() {
        let own = [("p/String", None), ("p/List", None)];
        check(&own, "p", &[("java/lang/String", "java.lang.String"), ("java/util/List", "java.util.List")]);
        check(&own, "p", &[("p/String", "String"), ("java/lang/Object", "Object")]);
    }

    #[test]
    fn nested_classes_are_named_through_an_imported_outer_class() {
        let types = table(&[("q/A", None), ("q/A$B", Some("q/A"))]);
        let mut names = Names::new(&types, "p", "ATest");
        assert_eq!(names.class_name(&ClassName::new("q/A$B")).unwrap(), "A.B");
        let (_, imports) = names.import_lines(&["org.junit.Test"], "org.junit.Assert");
        assert_eq!(imports, ["import org.junit.Test;", "import q.A;"]);
    }

    /// The imports of a file of package `own` that names the classes, where `p` and `q` are known.
    fn check_imports(classes: &[&str], named: &[&str], expected: &[&str]) {
        let pairs: Vec<_> = classes.iter().chain(named).map(|name| (*name, None)).collect();
        let mut types = table(&pairs);
        types.know_packages(["p".to_string(), "q".to_string()]);
        let mut names = Names::new(&types, "own", "ATest");
        for class in named {
            assert_eq!(names.class_name(&ClassName::new(class)).unwrap(), ClassName::new(class).simple());
        }
        let (_, imports) = names.import_lines(&["t.Test"], "t.Assert");
        assert_eq!(imports, [expected, &["import t.Test;"]].concat());
    }

    #[test]
    fn five_classes_of_a_known_package_are_imported_on_demand() {
        let five = ["p/A", "p/B", "p/C", "p/D", "p/E"];
        check_imports(&[], &five, &["import p.*;"]);
        check_imports(&[], &five[1..], &["import p.B;", "import p.C;", "import p.D;", "import p.E;"]);
        let unknown = ["r/A", "r/B", "r/C", "r/D", "r/E"];
        check_imports(&[], &unknown, &["import r.A;", "import r.B;", "import r.C;", "import r.D;", "import r.E;"]);
    }

    #[test]
    fn no_import_on_demand_makes_a_name_ambiguous() {
        let named = ["p/A", "p/B", "p/C", "p/D", "p/E", "q/F", "q/G", "q/H", "q/I", "q/J"];
        check_imports(&["q/A"], &named, &["import p.*;", "import p.A;", "import q.*;"]);
        let named = ["java/lang/Long", "p/A", "p/B", "p/C", "p/D", "p/E"];
        check_imports(&["p/Short"], &named, &["import p.*;"]);
        let single = ["import p.A;", "import p.B;", "import p.C;", "import p.D;", "import p.E;"];
        check_imports(&["p/Long"], &named, &single);
    }

    #[test]
    fn three_assertions_are_imported_on_demand() {
        let types = TypeTable::default();
        let mut names = Names::new(&types, "p", "ATest");
        names.assertion("assertTrue");
        names.assertion("assertEquals");
        let two = ["import static t.Assert.assertEquals;", "import static t.Assert.assertTrue;"];
        assert_eq!(names.import_lines(&["t.Test"], "t.Assert").0, two);
        names.assertion("fail");
        assert_eq!(names.import_lines(&["t.Test"], "t.Assert").0, ["import static t.Assert.*;"]);
    }

    #[test]
    fn class_in_unnamed_package_cannot_be_named_from_a_package() {
        check(&[("A", None)], "p", &[("A", "! A is in the unnamed package")]);
        check(&[("A", None)], "", &[("A", "A")]);
    }

    #[test]
    fn name_that_is_no_java_identifier_is_refused() {
        check(&[("p/foo-bar", None)], "p", &[("p/foo-bar", "! p.foo-bar has a name that Java cannot write")]);
    }
}
