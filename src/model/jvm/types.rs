//! What is known of classes: their hierarchy, nesting, accessibility and methods.
//!
//! A plain table, filled by `program` from class files; the search asks it for subtypes, the emitter for names and
//! overloads.

use super::ancestors::Ancestors;
use super::generics::{Bindings, GenericClass, GenericType};
use super::{ClassName, MethodDescriptor, Parameterized, Primitive, Type, TypeArgument};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Access flags used here (JVMS tables 4.1-B, 4.6-A, 4.7.6-A).
pub mod access {
    /// Code of any package may use it.
    pub const PUBLIC: u16 = 0x0001;
    /// Of members: only classes of the same nest may use it (JVMS §5.4.4).
    pub const PRIVATE: u16 = 0x0002;
    /// Of members: its package and its subclasses may use it.
    pub const PROTECTED: u16 = 0x0004;
    /// Of members: it needs no instance; of member classes: no enclosing instance.
    pub const STATIC: u16 = 0x0008;
    /// Not extended, overridden, or assigned after construction.
    pub const FINAL: u16 = 0x0010;
    /// Of methods: added by the compiler to override what has another descriptor after erasure.
    pub const BRIDGE: u16 = 0x0040;
    /// Of methods.
    pub const VARARGS: u16 = 0x0080;
    /// Of fields.
    pub const TRANSIENT: u16 = 0x0080;
    /// Of methods: the body is not bytecode.
    pub const NATIVE: u16 = 0x0100;
    /// Of classes: an interface, annotation interfaces included.
    pub const INTERFACE: u16 = 0x0200;
    /// Of classes: not instantiated; of methods: without a body.
    pub const ABSTRACT: u16 = 0x0400;
    /// Added by the compiler: source does not declare it, and cannot name it.
    pub const SYNTHETIC: u16 = 0x1000;
    /// Of interfaces: an annotation interface.
    pub const ANNOTATION: u16 = 0x2000;
    /// Of classes: an enum, or the body of a constant; of fields: an enum constant.
    pub const ENUM: u16 = 0x4000;
    /// The class file declares a module and no class (JVMS §4.1).
    pub const MODULE: u16 = 0x8000;
}

/// One method as callers see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodFacts {
    /// `<init>` for constructors.
    pub name: Arc<str>,
    /// Erased types; with the name, it tells the method from others of the class.
    pub descriptor: MethodDescriptor,
    /// Flags of JVMS table 4.6-A, as [`access`] has them.
    pub access: u16,
    /// Those that it declares (JVMS §4.7.5).
    pub exceptions: Vec<ClassName>,
}

/// One class or interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassFacts {
    /// What class files and descriptors call it.
    pub name: ClassName,
    /// Of a member class: the flags of its InnerClasses entry (JVMS §4.7.6), else the class's own.
    pub access: u16,
    /// `None` for `java/lang/Object`.
    pub super_class: Option<ClassName>,
    /// Direct superinterfaces, in the order of the class file.
    pub interfaces: Vec<ClassName>,
    /// The class it is a member of.
    pub outer: Option<ClassName>,
    /// The name in its source; `None` for local and anonymous classes.
    pub source_simple_name: Option<Arc<str>>,
    /// The generic signature (JVMS §4.7.9.1).
    pub signature: Option<Arc<str>>,
    /// Declared methods and constructors, without synthetic ones.
    pub methods: Vec<MethodFacts>,
    /// Names and values of its public static fields of the type `int` that are constants (JVMS §4.7.2).
    pub constants: Vec<(Arc<str>, i32)>,
}

impl ClassFacts {
    /// Whether it is an interface; annotation interfaces are too.
    pub fn is_interface(&self) -> bool {
        self.access & access::INTERFACE != 0
    }

    /// Whether it cannot be instantiated itself; holds for every interface.
    pub fn is_abstract(&self) -> bool {
        self.access & access::ABSTRACT != 0
    }

    /// Whether it is an enum, or the class of a constant with a body.
    pub fn is_enum(&self) -> bool {
        self.access & access::ENUM != 0
    }

    /// Whether it declares type parameters (JVMS §4.7.9.1).
    pub fn is_generic(&self) -> bool {
        self.signature.as_deref().is_some_and(|signature| signature.starts_with('<'))
    }

    /// A member class whose instances have an enclosing instance.
    pub fn is_inner(&self) -> bool {
        self.outer.is_some() && self.access & access::STATIC == 0
    }
}

/// All classes that a run knows.
#[derive(Clone, Debug, Default)]
pub struct TypeTable {
    classes: FxHashMap<ClassName, Arc<ClassFacts>>,
    /// The declarations of classes with a signature.
    generics: FxHashMap<ClassName, Arc<GenericClass>>,
    /// With dots.
    known_packages: BTreeSet<String>,
    /// The exported classes below `java` of the release that tests are compiled for; `None` where that is the JDK's.
    release: Option<FxHashSet<ClassName>>,
    ancestors: Ancestors,
}

impl TypeTable {
    /// Adds a class; it replaces what the table had under the same name.
    ///
    /// Class files may say that a class is its own ancestor, or lies in itself. No JVM loads such a class; here it loses what leads
    /// back to it, so that all ways up come to an end.
    pub fn insert(&mut self, mut facts: ClassFacts) {
        let name = facts.name.clone();
        let names_it = |one: &&ClassFacts| one.super_class.iter().chain(&one.interfaces).any(|parent| *parent == name);
        let leads_back = |parent: &ClassName| *parent == name || self.ancestry(parent).iter().any(names_it);
        let is_circular = facts.super_class.iter().chain(&facts.interfaces).any(leads_back);
        if is_circular {
            facts.super_class = facts.super_class.filter(|parent| !leads_back(parent));
            facts.interfaces.retain(|parent| !leads_back(parent));
            facts.signature = None;
        }
        let around = |outer: &ClassName| self.get(outer).and_then(|facts| facts.outer.clone());
        let mut outers = std::iter::successors(facts.outer.clone(), around);
        if outers.any(|outer| outer == name) {
            facts.outer = None;
        }
        match facts.signature.as_deref().and_then(GenericClass::parse) {
            Some(mut generic) => {
                // A signature may name other supertypes than the class has, and so lead back as well.
                let is_parent =
                    |class: &ClassName| facts.super_class.iter().chain(&facts.interfaces).any(|one| one == class);
                generic.supertypes.retain(|of| matches!(of, GenericType::Class(class, _) if is_parent(class)));
                drop(self.generics.insert(facts.name.clone(), Arc::new(generic)));
            }
            None => drop(self.generics.remove(&facts.name)),
        }
        self.classes.insert(facts.name.clone(), Arc::new(facts));
        self.ancestors.forget();
    }

    /// Says that the table has all classes of the packages.
    pub fn know_packages(&mut self, packages: impl IntoIterator<Item = String>) {
        self.known_packages.extend(packages);
    }

    /// Whether a class of the package that is not in the table does not exist.
    pub fn knows_package(&self, package: &str) -> bool {
        self.known_packages.contains(package)
    }

    /// Says which classes below `java` the release has that tests are compiled for, in the table or not.
    pub fn know_release(&mut self, classes: impl IntoIterator<Item = ClassName>) {
        self.release = Some(classes.into_iter().collect());
    }

    /// Whether the release that tests are compiled for may export the class below `java`.
    pub fn may_export(&self, class: &ClassName) -> bool {
        self.release.as_ref().is_none_or(|classes| classes.contains(class))
    }

    /// `None` for a class that the run has not read.
    pub fn get(&self, name: &ClassName) -> Option<&ClassFacts> {
        self.classes.get(name).map(|facts| &**facts)
    }

    /// The type parameters and supertypes of a class that has a signature.
    pub fn generic(&self, name: &ClassName) -> Option<&GenericClass> {
        self.generics.get(name).map(|generic| &**generic)
    }

    /// Whether the class has type parameters, so that it is raw without arguments.
    pub fn is_generic(&self, name: &ClassName) -> bool {
        self.generic(name).is_some_and(|generic| !generic.parameters.is_empty())
    }

    /// The class, each of its parameters bound to a wildcard; the class itself if it has none.
    pub fn of_any(&self, name: &ClassName) -> Type {
        match self.generic(name).map_or(0, |generic| generic.parameters.len()) {
            0 => Type::Class(name.clone()),
            count => Type::parameterized(name.clone(), vec![TypeArgument::Any; count]),
        }
    }

    /// What the parameters of the type's class stand for in it; `None` for raw types.
    pub fn bindings(&self, of: &Type) -> Option<Bindings> {
        match of {
            Type::Parameterized(of) => {
                let generic = self.generic(&of.class)?;
                (generic.parameters.len() == of.arguments.len()).then(|| {
                    let mut bindings = generic.bindings(&of.arguments);
                    // What is not said of a type argument is what its parameter says (JLS §5.1.10).
                    for parameter in &generic.parameters {
                        let unknown = matches!(bindings.get(&parameter.name), Some(TypeArgument::Any));
                        let bound = parameter.bounds[0].bind(&bindings).filter(|_| unknown);
                        if let Some(bound) = bound.filter(|bound| *bound != Type::object()) {
                            bindings.insert(parameter.name.clone(), TypeArgument::Extends(bound));
                        }
                    }
                    bindings
                })
            }
            Type::Class(class) if !self.is_generic(class) => Some(Bindings::new()),
            _ => None,
        }
    }

    /// The type as one of its superclass or superinterface `class`, with type arguments where they are known (JLS
    /// §4.10.2); `None` if it is no subtype.
    pub fn as_super(&self, of: &Type, class: &ClassName) -> Option<Type> {
        let own = of.class_name()?;
        if own == class {
            return Some(of.clone());
        }
        if !self.is_descendant(own, class) {
            return None;
        }
        let raw = || Some(Type::Class(class.clone()));
        let (Some(generic), Some(bindings)) = (self.generic(own), self.bindings(of)) else {
            // Supertypes of a raw type are raw; those of a class without signature have no arguments.
            let facts = self.get(own)?;
            let mut parents = facts.super_class.iter().chain(&facts.interfaces);
            return match self.is_generic(own) {
                true => raw(),
                false => parents.find_map(|parent| self.as_super(&Type::Class(parent.clone()), class)),
            };
        };
        let mut supertypes = generic.supertypes.iter().filter_map(|supertype| supertype.bind(&bindings));
        supertypes.find_map(|supertype| self.as_super(&supertype, class)).or_else(raw)
    }

    /// The class itself, its superclasses and all superinterfaces, nearest first, each once.
    pub fn ancestry<'a>(&'a self, name: &ClassName) -> Vec<&'a ClassFacts> {
        let mut found: Vec<&ClassFacts> = self.get(name).into_iter().collect();
        let mut next = 0;
        while next < found.len() {
            let facts = found[next];
            next += 1;
            for parent in facts.super_class.iter().chain(&facts.interfaces) {
                if let Some(parent) = self.get(parent)
                    && !found.iter().any(|known| known.name == parent.name)
                {
                    found.push(parent);
                }
            }
        }
        found
    }

    /// Whether a value of type `from` can be assigned to `to` without a cast, by reference or identity conversion
    /// only (JLS §5.1.1, §5.1.5): no boxing, no widening of primitives, no unchecked conversion.
    pub fn is_assignable(&self, from: &Type, to: &Type) -> bool {
        match (from, to) {
            _ if from == to => true,
            (Type::Primitive(_), _) | (_, Type::Primitive(_)) => false,
            (_, Type::Class(name)) if name.internal() == "java/lang/Object" => true,
            (Type::Array(from), Type::Array(to)) => self.is_assignable(from, to),
            (Type::Array(_), to) => {
                let to = to.class_name().map(ClassName::internal);
                matches!(to, Some("java/lang/Cloneable" | "java/io/Serializable"))
            }
            (_, Type::Array(_)) => false,
            (Type::Class(from), Type::Class(to)) => self.is_descendant(from, to),
            (Type::Parameterized(from), Type::Class(to)) => from.class == *to || self.is_descendant(&from.class, to),
            (from, Type::Parameterized(to)) => self.is_parameterization(from, to),
        }
    }

    /// Whether the type's parameterization of `to`'s class is contained in `to` (JLS §4.5.1, §4.10.2).
    fn is_parameterization(&self, from: &Type, to: &Parameterized) -> bool {
        match self.as_super(from, &to.class) {
            Some(Type::Parameterized(from)) => {
                let arguments = from.arguments.iter().zip(&to.arguments);
                from.arguments.len() == to.arguments.len()
                    && arguments.into_iter().all(|(from, to)| self.contains(to, from))
            }
            // Of a raw type nothing is known, so only `?` takes it.
            Some(_) => to.arguments.iter().all(|argument| *argument == TypeArgument::Any),
            None => false,
        }
    }

    /// Whether what `argument` may stand for, `by` may stand for too (JLS §4.5.1).
    fn contains(&self, by: &TypeArgument, argument: &TypeArgument) -> bool {
        match (by, argument) {
            (TypeArgument::Any, _) => true,
            (TypeArgument::Exact(by), TypeArgument::Exact(of)) => by == of,
            (TypeArgument::Extends(by), TypeArgument::Exact(of) | TypeArgument::Extends(of)) => {
                self.is_assignable(of, by)
            }
            (TypeArgument::Extends(by), _) => *by == Type::object(),
            (TypeArgument::Super(by), TypeArgument::Exact(of) | TypeArgument::Super(of)) => self.is_assignable(by, of),
            _ => false,
        }
    }

    /// Whether the class is a subtype of another one, both known.
    fn is_descendant(&self, class: &ClassName, of: &ClassName) -> bool {
        self.ancestors.of(class, || self.known_ancestors(class)).contains(of)
    }

    /// All supertypes of the class that are known.
    fn known_ancestors(&self, class: &ClassName) -> FxHashSet<ClassName> {
        // A hierarchy of forty levels can have 2^40 ways up.
        let mut found = FxHashSet::default();
        let mut waiting: Vec<&ClassFacts> = self.get(class).into_iter().collect();
        while let Some(facts) = waiting.pop() {
            for parent in facts.super_class.iter().chain(&facts.interfaces) {
                if let Some(facts) = self.get(parent)
                    && found.insert(parent.clone())
                {
                    waiting.push(facts);
                }
            }
        }
        found
    }

    /// Whether code in `package` (dots) may name the class: it and all classes around it are public, or in the
    /// package and not private; none is local, anonymous or unknown.
    pub fn is_accessible(&self, class: &ClassName, package: &str) -> bool {
        let Some(facts) = self.get(class) else { return false };
        let visible = facts.access & access::PUBLIC != 0
            || (facts.access & access::PRIVATE == 0 && facts.name.package() == package);
        visible
            && facts.source_simple_name.is_some()
            && facts.outer.as_ref().is_none_or(|outer| self.is_accessible(outer, package))
    }

    /// Whether any code may name the class.
    pub fn is_public(&self, class: &ClassName) -> bool {
        // No package is called "\0": only what is public everywhere is accessible from it.
        self.is_accessible(class, "\0")
    }

    /// Whether any code may name the type.
    pub fn is_type_public(&self, of: &Type) -> bool {
        self.is_type_accessible(of, "\0")
    }

    /// Whether code in `package` may name the type.
    pub fn is_type_accessible(&self, of: &Type, package: &str) -> bool {
        match of {
            Type::Primitive(_) => true,
            Type::Class(name) => self.is_accessible(name, package),
            Type::Array(element) => self.is_type_accessible(element, package),
            Type::Parameterized(of) => {
                let bounds = || of.arguments.iter().filter_map(TypeArgument::bound);
                self.is_accessible(&of.class, package) && bounds().all(|bound| self.is_type_accessible(bound, package))
            }
        }
    }

    /// Whether code of some package may name all the types.
    pub fn are_accessible_together(&self, types: &[&Type]) -> bool {
        let classes = types.iter().flat_map(|of| of.classes());
        let package = classes.into_iter().find(|class| !self.is_public(class)).map(|class| class.package());
        package.is_none_or(|package| types.iter().all(|of| self.is_type_accessible(of, &package)))
    }

    /// The name as source writes it after its package: `Map.Entry`; `None` for classes that source cannot name.
    pub fn nested_source_name(&self, class: &ClassName) -> Option<String> {
        let facts = self.get(class)?;
        let simple = facts.source_simple_name.as_deref()?;
        match &facts.outer {
            Some(outer) => Some(format!("{}.{simple}", self.nested_source_name(outer)?)),
            None => Some(simple.to_string()),
        }
    }

    /// Methods called `name` with `arity` parameters (or varargs) in the class and its ancestry, overridden ones once.
    pub fn overloads<'a>(&'a self, class: &ClassName, name: &str, arity: usize) -> Vec<&'a MethodFacts> {
        let ancestry = if name == "<init>" { self.get(class).into_iter().collect() } else { self.ancestry(class) };
        let mut found: Vec<&MethodFacts> = Vec::new();
        for method in ancestry.iter().flat_map(|facts| &facts.methods) {
            let fits = method.descriptor.parameters.len() == arity || method.access & access::VARARGS != 0;
            let known = |other: &&MethodFacts| other.descriptor.parameters == method.descriptor.parameters;
            if &*method.name == name && fits && !found.iter().any(known) {
                found.push(method);
            }
        }
        found
    }
}

/// The primitive that a wrapper class boxes.
pub fn unboxed(class: &ClassName) -> Option<Primitive> {
    Primitive::ALL.into_iter().find(|primitive| primitive.wrapper() == *class)
}

/// Whether source can write `name` as an identifier: Java's letters and digits, no keyword (JLS §3.8, §3.9).
pub fn is_java_identifier(name: &str) -> bool {
    const KEYWORDS: [&str; 54] = [
        "_",
        "abstract",
        "assert",
        "boolean",
        "break",
        "byte",
        "case",
        "catch",
        "char",
        "class",
        "const",
        "continue",
        "default",
        "do",
        "double",
        "else",
        "enum",
        "extends",
        "false",
        "final",
        "finally",
        "float",
        "for",
        "goto",
        "if",
        "implements",
        "import",
        "instanceof",
        "int",
        "interface",
        "long",
        "native",
        "new",
        "null",
        "package",
        "private",
        "protected",
        "public",
        "return",
        "short",
        "static",
        "strictfp",
        "super",
        "switch",
        "synchronized",
        "this",
        "throw",
        "throws",
        "transient",
        "true",
        "try",
        "void",
        "volatile",
        "while",
    ];
    let starts = |letter: char| letter.is_alphabetic() || letter == '_' || letter == '$';
    name.chars().next().is_some_and(starts)
        && name.chars().all(|letter| starts(letter) || letter.is_numeric())
        && !KEYWORDS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(name: &str, parent: Option<&str>, outer: Option<&str>) -> ClassFacts {
        ClassFacts {
            name: ClassName::new(name),
            access: access::PUBLIC,
            super_class: parent.map(ClassName::new),
            interfaces: Vec::new(),
            outer: outer.map(ClassName::new),
            source_simple_name: name.rsplit(['/', '$']).next().map(Arc::from),
            signature: None,
            methods: Vec::new(),
            constants: Vec::new(),
        }
    }

    #[test]
    fn supertype_that_becomes_known_later_is_one() {
        let mut types = TypeTable::default();
        types.insert(facts("p/Late", Some("p/Middle"), None));
        types.insert(facts("p/Base", None, None));
        let is_base = |types: &TypeTable| types.is_assignable(&Type::class("p/Late"), &Type::class("p/Base"));
        assert!(!is_base(&types), "what lies between is unknown");
        types.insert(facts("p/Middle", Some("p/Base"), None));
        assert!(is_base(&types) && is_base(&types.clone()));
    }

    #[test]
    fn subtypes_are_assignable_to_their_ancestors_only() {
        let mut table = TypeTable::default();
        table.insert(facts("p/A", Some("java/lang/Object"), None));
        table.insert(facts("p/B", Some("p/A"), None));
        let (a, b) = (Type::class("p/A"), Type::class("p/B"));
        assert!(table.is_assignable(&b, &a) && !table.is_assignable(&a, &b));
        assert!(table.is_assignable(&Type::array(b.clone()), &Type::array(a)));
        assert!(table.is_assignable(&Type::array(b), &Type::object()));
        assert!(!table.is_assignable(&Type::INT, &Type::object()));
    }

    #[test]
    fn classes_that_are_their_own_ancestors_or_in_themselves_lead_nowhere() {
        let mut table = TypeTable::default();
        table.insert(facts("p/A", Some("p/B"), Some("p/B")));
        table.insert(facts("p/B", Some("p/A"), Some("p/A")));
        table.insert(facts("p/C", Some("p/C"), Some("p/C")));
        table.insert(facts("p/D", None, None));
        let names = ["p/A", "p/B", "p/C", "p/D"];
        let own = |name: &str| ClassName::new(name);
        for (from, to) in names.iter().flat_map(|from| names.map(|to| (*from, to))) {
            let expected = from == to || (from, to) == ("p/A", "p/B");
            assert_eq!(table.is_assignable(&Type::class(from), &Type::class(to)), expected, "{from} {to}");
            assert_eq!(table.as_super(&Type::class(from), &own(to)).is_some(), expected, "{from} {to}");
        }
        assert!(names.iter().all(|name| table.nested_source_name(&own(name)).is_some()));
        assert!(names.iter().all(|name| table.is_public(&own(name))));
    }

    #[test]
    fn signature_that_names_other_supertypes_than_the_class_has_leads_nowhere() {
        let mut table = TypeTable::default();
        let own = "<T:Ljava/lang/Object;>Lp/A<Lp/A<TT;>;>;Lp/B<TT;>;";
        table.insert(ClassFacts { signature: Some(own.into()), ..facts("p/A", Some("p/B"), None) });
        table.insert(ClassFacts {
            signature: Some("<T:Ljava/lang/Object;>Ljava/lang/Object;".into()),
            ..facts("p/B", Some("p/C"), None)
        });
        table.insert(facts("p/C", None, None));
        let of_string = |class: &str| {
            Type::parameterized(ClassName::new(class), vec![TypeArgument::Exact(Type::class("java/lang/String"))])
        };
        let up = |class: &str| table.as_super(&of_string("p/A"), &ClassName::new(class));
        assert_eq!((up("p/B"), up("p/C")), (Some(of_string("p/B")), Some(Type::class("p/C"))));
    }

    #[test]
    fn ancestors_with_many_ways_to_them_are_found_at_once() {
        let mut table = TypeTable::default();
        let level = |name: String, parents: Vec<String>| ClassFacts {
            interfaces: parents.iter().map(|parent| ClassName::new(parent)).collect(),
            ..facts(&name, None, None)
        };
        for number in 0..40 {
            let above = vec![format!("p/A{}", number + 1), format!("p/B{}", number + 1)];
            table.insert(level(format!("p/A{number}"), above.clone()));
            table.insert(level(format!("p/B{number}"), above));
        }
        table.insert(facts("p/Other", None, None));
        table.insert(facts("p/A40", None, None));
        let is_below = |of: &str| table.is_assignable(&Type::class("p/A0"), &Type::class(of));
        assert!(is_below("p/A40") && !is_below("p/Other"));
    }

    #[test]
    fn nested_classes_are_named_through_their_outer_class() {
        let mut table = TypeTable::default();
        table.insert(facts("p/A", None, None));
        table.insert(facts("p/A$B", None, Some("p/A")));
        assert_eq!(table.nested_source_name(&ClassName::new("p/A$B")).as_deref(), Some("A.B"));
    }

    #[test]
    fn types_that_two_packages_hide_are_not_accessible_together() {
        let mut table = TypeTable::default();
        table.insert(facts("p/Open", None, None));
        let hidden = |name: &str, access: u16| ClassFacts { access, ..facts(name, None, None) };
        table.insert(hidden("p/Hidden", 0));
        table.insert(hidden("q/Hidden", 0));
        table.insert(hidden("p/Secret", access::PRIVATE));
        let [open, here, there, secret] = ["p/Open", "p/Hidden", "q/Hidden", "p/Secret"].map(Type::class);
        assert!(table.are_accessible_together(&[&open]) && table.are_accessible_together(&[&open, &here]));
        assert!(!table.are_accessible_together(&[&here, &there]) && !table.are_accessible_together(&[&secret]));
    }

    #[test]
    fn keywords_and_names_with_foreign_characters_are_not_identifiers() {
        assert!(is_java_identifier("größe") && is_java_identifier("a$1"));
        assert!(!is_java_identifier("foo-bar") && !is_java_identifier("class") && !is_java_identifier(""));
    }
}
