//! Operations that implement an interface or extend an abstract class where a test may: what its abstract methods are
//! (JVMS §5.4.5, §5.4.6), and what they are made to answer.
//!
//! The answers are few and plain, so that a reader sees at once what the code under test was told: an input of the
//! operation, a parameter, or nothing. What a real implementation would have to remember is not for these.

mod mocks;
mod recording;

pub(super) use mocks::{is_collaborator, mocks};

use super::reading::names_are_java;
use bytecode::classfile::{ClassFile, Method};
use mocks::{is_abstract_or_default, is_overridable, passed_on};
use model::jvm::generics::{Bindings, GenericMethod};
use model::jvm::types::{TypeTable, access, is_java_identifier};
use model::jvm::{ClassName, MethodDescriptor, Type, TypeArgument};
use model::sequence::{Answer, Declared, HOLDER, Implemented, Operation, OperationKind, Recording};
use std::sync::Arc;

/// Types with more abstract methods than this have better implementations, or none that is worth reading.
const METHODS: usize = 8;
/// Methods of one object that answer inputs.
const ANSWERED: usize = 6;
/// Parameters that a method may have; more have no names.
const PARAMETERS: usize = 12;
/// Constructors of a class under test that are called.
const CONSTRUCTORS: usize = 3;
/// Parameters that a constructor may have.
const CONSTRUCTOR_PARAMETERS: usize = 4;

/// What the platform has implementations of that a person would take, and that show what was written.
const SERVED: [&str; 4] = ["java/io/InputStream", "java/io/OutputStream", "java/io/Reader", "java/io/Writer"];

/// Where the class files and facts of a program are.
pub(super) struct Known<'a> {
    pub file: &'a dyn Fn(&ClassName) -> Option<&'a ClassFile>,
    pub types: &'a TypeTable,
}

/// The operations that implement or extend the class as `root`, the class with type arguments or the class itself; none
/// where that is not for tests to do.
pub(super) fn operations<'a>(of: &'a ClassFile, root: &Type, is_under_test: bool, known: &Known<'a>) -> Vec<Operation> {
    if !is_open(of, known) || SERVED.contains(&of.name.internal()) {
        return Vec::new();
    }
    let Some(methods) = abstract_methods(of, root, known, Inherited::ImplementedElsewhere) else { return Vec::new() };
    let maker = |constructor| Maker { of, root, constructor, types: known.types, mock: false };
    let is_platform = of.name.internal().starts_with("java/");
    let is_interface = of.access & access::INTERFACE != 0;
    if methods.len() > METHODS || (methods.is_empty() && is_interface && is_platform) {
        return Vec::new();
    }
    if is_interface {
        return maker(None).operations(&methods, true);
    }
    let mut constructors: Vec<&Method> = (of.methods.iter())
        .filter(|method| &*method.name == "<init>" && method.access & (access::PRIVATE | access::SYNTHETIC) == 0)
        .filter(|method| method.descriptor.parameters.len() <= CONSTRUCTOR_PARAMETERS)
        .collect();
    constructors.sort_by_key(|constructor| constructor.descriptor.parameters.len());
    let makers = constructors.into_iter().map(|constructor| maker(Some(constructor)));
    let all = makers.enumerate().map(|(at, maker)| maker.operations(&methods, at == 0));
    all.filter(|operations| !operations.is_empty())
        .take(if is_under_test { CONSTRUCTORS } else { 1 })
        .flatten()
        .collect()
}

/// Whether code outside of it may implement or extend the class, and source can say so.
fn is_open(of: &ClassFile, known: &Known) -> bool {
    let Some(facts) = known.types.get(&of.name) else { return false };
    let closed = access::ANNOTATION | access::ENUM | access::SYNTHETIC | access::FINAL;
    facts.is_abstract()
        && facts.access & closed == 0
        && of.permitted_subclasses.is_empty()
        && !facts.is_inner()
        && known.types.is_accessible(&of.name, &of.name.package())
        && names_are_java(known.types, &of.name)
}

/// What an anonymous subclass of `root` has to implement, in the order in which the ancestry declares it; `None` if it
/// cannot be said, or no class outside can do it.
fn abstract_methods<'a>(
    of: &'a ClassFile,
    root: &Type,
    known: &Known<'a>,
    defaults: Inherited,
) -> Option<Vec<Implemented>> {
    let ancestry = Ancestry::of(of, root, known)?;
    let is_raw = matches!(root, Type::Class(class) if known.types.is_generic(class));
    let mut found: Vec<Implemented> = Vec::new();
    for (at, ancestor) in ancestry.classes.iter().enumerate() {
        let is_default = |method: &&Method| {
            let of_mock = at >= ancestry.chain || is_overridable(method, ancestor.file, of);
            defaults == Inherited::Mocked && of_mock && is_abstract_or_default(method)
        };
        for method in ancestor.file.methods.iter().filter(|method| is_abstract(method) || is_default(method)) {
            if let Some(by) = ancestry.implementing(method, at, known) {
                // Of a raw type all members are erased (JLS §4.8), so what the bridge leads to is not overridden.
                if is_raw && by.access & access::SYNTHETIC != 0 {
                    return None;
                }
                continue;
            }
            let visibility = method.access & (access::PUBLIC | access::PROTECTED);
            if visibility == 0 && ancestor.file.name.package() != of.name.package() {
                return None;
            }
            let generic = method.signature.as_deref().is_some_and(|signature| signature.starts_with('<'));
            let declared = match is_raw || generic {
                // What has type parameters of its own is implemented by the erasure of its signature (JLS §8.4.2).
                true => method.descriptor.clone(),
                false => ancestor.declared(method),
            };
            let same = found
                .iter_mut()
                .find(|other| other.name == method.name && other.descriptor.parameters == declared.parameters);
            let found_here = Implemented {
                name: method.name.clone(),
                descriptor: declared.clone(),
                linked: vec![method.descriptor.clone()],
                access: visibility,
                generic,
                answer: passed_on(method).filter(|_| defaults == Inherited::Mocked).unwrap_or(Answer::Default),
                recording: None,
            };
            match same {
                Some(other) => merge_declaration(other, found_here, known.types)?,
                None => found.push(found_here),
            }
        }
    }
    Some(found)
}

/// Adds to `method` another declaration that the same method implements; `None` if no result suits both.
fn merge_declaration(method: &mut Implemented, other: Implemented, types: &TypeTable) -> Option<()> {
    let narrows = |one: &MethodDescriptor, other: &MethodDescriptor| match (&one.returns, &other.returns) {
        (Some(one), Some(other)) => types.is_assignable(one, other),
        (one, other) => one == other,
    };
    if !narrows(&method.descriptor, &other.descriptor) {
        if !narrows(&other.descriptor, &method.descriptor) {
            return None;
        }
        method.descriptor = other.descriptor;
    }
    for linked in other.linked {
        if !method.linked.contains(&linked) {
            method.linked.push(linked);
        }
    }
    method.access = if other.access & access::PUBLIC != 0 { other.access } else { method.access | other.access };
    method.generic |= other.generic;
    Some(())
}

fn is_abstract(method: &Method) -> bool {
    method.access & access::ABSTRACT != 0
}

/// What becomes of the default methods of interfaces.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inherited {
    /// They run as they are.
    ImplementedElsewhere,
    /// They answer as a mock's methods do, whose bodies do not run.
    Mocked,
}

/// The superclasses of an anonymous class, nearest first, then all interfaces, each with what its type parameters stand
/// for.
struct Ancestry<'a> {
    classes: Vec<Ancestor<'a>>,
    /// How many of them are classes.
    chain: usize,
}

struct Ancestor<'a> {
    file: &'a ClassFile,
    bindings: Bindings,
}

impl<'a> Ancestry<'a> {
    /// `None` where an ancestor is missing.
    fn of(of: &'a ClassFile, root: &Type, known: &Known<'a>) -> Option<Ancestry<'a>> {
        let is_interface = of.access & access::INTERFACE != 0;
        let nearest = if is_interface { (known.file)(&ClassName::new("java/lang/Object"))? } else { of };
        let ancestor = |file| Ancestor::new(file, root, known.types);
        let mut classes = vec![ancestor(nearest)];
        while let Some(parent) = &classes.last()?.file.super_class {
            // It claims to be its own ancestor.
            if classes.iter().any(|below| below.file.name == *parent) {
                return None;
            }
            classes.push(ancestor((known.file)(parent)?));
        }
        let chain = classes.len();
        if is_interface {
            classes.push(ancestor(of));
        }
        let mut at = 0;
        while let Some(child) = classes.get(at) {
            let mut new = Vec::new();
            for interface in &child.file.interfaces {
                if !classes.iter().chain(&new).any(|ancestor| ancestor.file.name == *interface) {
                    new.push(ancestor((known.file)(interface)?));
                }
            }
            classes.extend(new);
            at += 1;
        }
        Some(Ancestry { classes, chain })
    }

    /// What implements the abstract method that the ancestor at the index declares: the superclasses decide, else an
    /// interface that overrides it.
    fn implementing(&self, method: &Method, at: usize, known: &Known) -> Option<&'a Method> {
        let declared_by = |ancestor: &Ancestor<'a>| {
            ancestor.file.methods.iter().find(|other| {
                other.name == method.name
                    && other.descriptor == method.descriptor
                    && other.access & (access::STATIC | access::PRIVATE) == 0
            })
        };
        if !is_abstract(method) {
            // A mock's method stands for the body, unless a nearer class or interface, or `Object`, has another one.
            let below = self.chain.min(at);
            let nearer = self.classes[..below].iter().find_map(declared_by);
            return nearer.or_else(|| self.classes[self.chain.min(at)..at].iter().find_map(declared_by));
        }
        if let Some(nearest) = self.classes[..self.chain].iter().find_map(declared_by) {
            // `Object.clone` implements no interface's.
            let suffices = at < self.chain || nearest.access & access::PUBLIC != 0;
            return Some(nearest).filter(|nearest| suffices && !is_abstract(nearest));
        }
        let declaring = Type::Class(self.classes[at].file.name.clone());
        let overrides = |other: &&Ancestor<'a>| {
            let other = Type::Class(other.file.name.clone());
            other != declaring && known.types.is_assignable(&other, &declaring)
        };
        self.classes[self.chain..].iter().filter(overrides).filter_map(declared_by).find(|other| !is_abstract(other))
    }
}

impl<'a> Ancestor<'a> {
    /// With the type arguments that `root` gives to it.
    fn new(file: &'a ClassFile, root: &Type, types: &TypeTable) -> Ancestor<'a> {
        let bindings = types.as_super(root, &file.name).and_then(|seen| types.bindings(&seen));
        Ancestor { file, bindings: bindings.unwrap_or_default() }
    }

    /// The types of a method of it that has no type parameters of its own.
    fn declared(&self, method: &Method) -> MethodDescriptor {
        let generic = method.signature.as_deref().and_then(GenericMethod::parse);
        let Some(generic) = generic.filter(|of| of.inputs.len() == method.descriptor.parameters.len()) else {
            return method.descriptor.clone();
        };
        let parameters = generic.inputs.iter().zip(&method.descriptor.parameters);
        let returns = generic.output.as_ref().zip(method.descriptor.returns.as_ref());
        MethodDescriptor {
            parameters: parameters
                .map(|(of, erased)| of.bind(&self.bindings).unwrap_or_else(|| erased.clone()))
                .collect(),
            returns: returns.map(|(of, erased)| of.bind(&self.bindings).unwrap_or_else(|| erased.clone())),
        }
    }
}

/// Makes operations of one class and, unless it is an interface, one of its constructors.
struct Maker<'a> {
    of: &'a ClassFile,
    /// The class with type arguments, or the class itself.
    root: &'a Type,
    constructor: Option<&'a Method>,
    types: &'a TypeTable,
    /// Tests write the objects as mocks.
    mock: bool,
}

impl Maker<'_> {
    /// The operation whose methods answer inputs, and, if `others`, those with other answers.
    fn operations(&self, methods: &[Implemented], others: bool) -> Vec<Operation> {
        let returning: Vec<usize> = (0..methods.len()).filter(|&at| methods[at].descriptor.returns.is_some()).collect();
        let first_input = self.constructor.map_or(0, |constructor| constructor.descriptor.parameters.len());
        let inputs = returning.iter().take(ANSWERED).enumerate();
        let inputs = inputs.map(|(input, &at)| (at, Answer::Input((first_input + input) as u32)));
        let mut all: Vec<Vec<(usize, Answer)>> = vec![inputs.collect()];
        // Where the answers that need no input are null, callers hardly expect them.
        let is_null = |&at: &usize| methods[at].answers_null();
        if let ([_, _, ..], [_, ..], true) = (methods, &returning[..], others && !returning.iter().any(is_null)) {
            all.push(Vec::new());
        }
        if let ([method], [_], true) = (methods, &returning[..], others) {
            let returns = method.descriptor.returns.as_ref();
            let fits = |of: &Type| returns.is_some_and(|returns| self.types.is_assignable(of, returns));
            let parameters = &method.descriptor.parameters;
            let (first, last) = (parameters.iter().position(fits), parameters.iter().rposition(fits));
            let distinct = [first, last.filter(|_| last != first)];
            all.extend(distinct.into_iter().flatten().map(|at| vec![(0, Answer::Parameter(at as u32))]));
        }
        let mut operations: Vec<Operation> =
            all.into_iter().filter_map(|answers| self.operation(methods, &answers)).collect();
        if let ([_], true, None) = (methods, others, self.constructor) {
            operations.extend(self.operation(methods, &[(0, Answer::Throws)]));
        }
        if let ([method], [_], true, None) = (methods, &returning[..], others, self.constructor)
            && matches!(method.descriptor.returns, Some(Type::Class(_) | Type::Parameterized(_)))
        {
            operations.extend(self.operation(methods, &[(0, Answer::Held(0))]));
        }
        let recording = operations.first().filter(|_| others).and_then(|first| self.recording(first));
        let labelled = operations.first().filter(|_| others).and_then(|first| self.labelled(first));
        operations.extend(recording.into_iter().chain(labelled));
        operations
    }

    /// The operation whose methods at the indices have the answers; `None` where no test can write it.
    fn operation(&self, methods: &[Implemented], answers: &[(usize, Answer)]) -> Option<Operation> {
        let mut implemented = methods.to_vec();
        let constructor = self.constructor;
        let declared = |constructor| Ancestor::new(self.of, self.root, self.types).declared(constructor).parameters;
        let taken = constructor.map_or_else(Vec::new, declared);
        let mut inputs = taken.clone();
        for &(at, answer) in answers {
            implemented[at].answer = answer;
            match (answer, implemented[at].descriptor.returns.clone()) {
                (Answer::Input(_), returns) => inputs.extend(returns),
                (Answer::Held(_), Some(returns)) => {
                    let held = vec![TypeArgument::Exact(returns)];
                    inputs.push(Type::parameterized(ClassName::new(HOLDER), held));
                }
                _ => {}
            }
        }
        // Of a mock source names only what it answers.
        let is_named = |method: &&Implemented| !self.mock || method.answer != Answer::Default;
        let mentioned = || {
            let of_methods = implemented.iter().filter(is_named).map(|method| &method.descriptor);
            let all = of_methods.flat_map(|descriptor| descriptor.parameters.iter().chain(&descriptor.returns));
            all.chain(&taken).chain([self.root])
        };
        let types = self.types;
        let package = self.of.name.package();
        let writable = |of: &Type| {
            of.classes().iter().all(|class| names_are_java(types, class)) && types.is_type_accessible(of, &package)
        };
        let named = implemented
            .iter()
            .filter(is_named)
            .all(|method| is_java_identifier(&method.name) && method.descriptor.parameters.len() <= PARAMETERS);
        if !named || !mentioned().all(writable) {
            return None;
        }
        // Of a mock's methods source also names those that tell it something.
        let is_mentioned = |method: &&Implemented| is_named(method) || method.descriptor.returns.is_none();
        let accessible = |member: u16| member & (access::PUBLIC | access::PROTECTED) != 0;
        let public = types.is_public(&self.of.name)
            && mentioned().all(|of| types.is_type_public(of))
            && implemented.iter().filter(is_mentioned).all(|method| accessible(method.access))
            && constructor.is_none_or(|constructor| accessible(constructor.access));
        let mut parameter_names = constructor.map_or_else(Vec::new, |constructor| constructor.parameter_names.clone());
        if let Some(holder) = implemented.iter().find_map(Implemented::holder) {
            parameter_names.resize(holder as usize, Arc::from(""));
            let tells_time = self.of.name == ClassName::new("java/time/InstantSource");
            parameter_names.push(Arc::from(if tells_time { "now" } else { "current" }));
        }
        Some(Operation {
            kind: OperationKind::Implementation,
            owner: self.of.name.clone(),
            owner_is_interface: self.of.access & access::INTERFACE != 0,
            name: Arc::from("<init>"),
            descriptor: MethodDescriptor {
                parameters: constructor.map_or_else(Vec::new, |constructor| constructor.descriptor.parameters.clone()),
                returns: None,
            },
            inputs,
            output: Some(self.root.clone()),
            varargs: constructor.is_some_and(|constructor| constructor.access & access::VARARGS != 0),
            exceptions: constructor.map_or_else(Vec::new, |constructor| constructor.exceptions.clone()),
            signature: constructor.and_then(|constructor| constructor.signature.clone()),
            parameter_names,
            nullable: Vec::new(),
            public,
            internal: false,
            back_door: false,
            deprecated: false,
            is_enum_constant: false,
            implemented,
            declared: Declared::default(),
            mock: self.mock,
            injected: Vec::new(),
        })
    }
}

/// The type of a list to which methods add what they are called with.
fn list_of(element: Type) -> Type {
    Type::parameterized(ClassName::new(Recording::LIST), vec![TypeArgument::Exact(element)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytecode::classfile;
    use std::collections::BTreeMap;

    const TYPES: &str = "
        package p;
        interface Plain { int size(); default int twice() { return 2 * size(); } boolean equals(Object other); }
        interface Overridden extends Plain { default int size() { return 1; } }
        interface Narrowing extends java.util.function.Supplier<Object> { String get(); }
        interface Words extends java.util.function.Function<String, Integer[]> { }
        interface Bound<T> extends java.util.function.Function<String, T> { }
        interface Bridged<T extends Number> extends java.util.function.Function<String, T> {
            String text();
            default T apply(String of) { return null; }
        }
        interface Both<T extends Number & Runnable> extends java.util.function.Function<String, T> { }
        interface Self<T extends Comparable<T>> extends java.util.function.Function<String, T> { }
        interface Copied { Object clone(); }
        interface Own { <T extends Number> T own(T of); void other(java.util.List<String> of); }
        abstract class Base<T> { abstract T make(T from); public String toString() { return null; } }
        abstract class Made extends Base<Long> implements Comparable<Made>, java.util.function.Supplier<String> {
            Made(int size) { }
            protected Made(int size, String name) { }
            public int compareTo(Made other) { return 0; }
        }
        abstract class Again extends Base<Long> {
            Long make(Long from) { return from; }
            public abstract String toString();
        }
        sealed abstract class Closed permits Only { }
        final class Only extends Closed { }
        enum Each { ONE { int size() { return 1; } }; abstract int size(); }
        abstract class Private { private Private() { } abstract int size(); }
        interface Wide { void a(); void b(); void c(); void d(); void e(); void f(); void g(); void h(); void i(); }
    ";

    struct Classes {
        files: BTreeMap<ClassName, ClassFile>,
        types: TypeTable,
    }

    impl Classes {
        /// `None` where the platform's are not to be had.
        fn read() -> Option<Classes> {
            let is_used = |name: &&str| {
                let package = name.rsplit_once('/').map(|(package, _)| package);
                matches!(
                    package,
                    Some("java/lang" | "java/lang/constant" | "java/util" | "java/util/function" | "java/io")
                )
            };
            let jdk = testing::jdk_classes("java.base")?;
            let mut unpacked = jdk.clone();
            let mut bytes: Vec<Vec<u8>> = jdk.names().filter(is_used).filter_map(|name| unpacked.read(name)).collect();
            bytes.extend(testing::compile(TYPES, &["--release", "17"]).into_iter().map(|(_, bytes)| bytes));
            let files = bytes.iter().map(|bytes| classfile::parse(bytes).unwrap());
            let files: BTreeMap<ClassName, ClassFile> = files.map(|file| (file.name.clone(), file)).collect();
            let mut types = TypeTable::default();
            files.values().for_each(|file| types.insert(file.to_facts()));
            Some(Classes { files, types })
        }
    }

    #[test]
    fn abstract_methods_exclude_inherited_implementations() {
        let Some(classes) = Classes::read() else { return };
        let known = Known { file: &|name| classes.files.get(name), types: &classes.types };
        let check_as = |root: &Type, expected: Option<&[&str]>| {
            let name = root.class_name().unwrap();
            let found = abstract_methods(&classes.files[name], root, &known, Inherited::ImplementedElsewhere);
            let shown = |method: &Implemented| {
                let linked: Vec<String> = method.linked.iter().map(MethodDescriptor::to_string).collect();
                match linked == [method.descriptor.to_string()] {
                    true => format!("{}{}", method.name, method.descriptor),
                    false => format!("{}{} for {}", method.name, method.descriptor, linked.join(" ")),
                }
            };
            let found: Option<Vec<String>> = found.map(|methods| methods.iter().map(shown).collect());
            let expected = expected.map(|methods| methods.iter().map(|method| method.to_string()).collect());
            assert_eq!(found, expected, "{name}");
        };
        let check = |name: &str, expected: Option<&[&str]>| check_as(&Type::class(name), expected);
        let check_of = |name: &str, argument: &str, expected: Option<&[&str]>| {
            let argument = TypeArgument::Exact(Type::class(argument));
            check_as(&Type::parameterized(ClassName::new(name), vec![argument]), expected);
        };
        check("p/Plain", Some(&["size()I"]));
        check("p/Overridden", Some(&[]));
        // The compiler gives the interface a bridge.
        check("p/Narrowing", Some(&["get()Ljava/lang/String;"]));
        check(
            "p/Words",
            Some(&["apply(Ljava/lang/String;)[Ljava/lang/Integer; for (Ljava/lang/Object;)Ljava/lang/Object;"]),
        );
        check_of(
            "p/Bound",
            "java/lang/Long",
            Some(&["apply(Ljava/lang/String;)Ljava/lang/Long; for (Ljava/lang/Object;)Ljava/lang/Object;"]),
        );
        check_of("p/Bridged", "java/lang/Long", Some(&["text()Ljava/lang/String;"]));
        check("p/Bridged", None);
        check_of(
            "p/Self",
            "java/lang/Long",
            Some(&["apply(Ljava/lang/String;)Ljava/lang/Long; for (Ljava/lang/Object;)Ljava/lang/Object;"]),
        );
        check("p/Copied", Some(&["clone()Ljava/lang/Object;"]));
        check("p/Own", Some(&["own(Ljava/lang/Number;)Ljava/lang/Number;", "other(Ljava/util/List;)V"]));
        check(
            "p/Made",
            Some(&[
                "make(Ljava/lang/Long;)Ljava/lang/Long; for (Ljava/lang/Object;)Ljava/lang/Object;",
                "get()Ljava/lang/String; for ()Ljava/lang/Object;",
            ]),
        );
        check("p/Again", Some(&["toString()Ljava/lang/String;"]));
        check("java/util/Comparator", Some(&["compare(Ljava/lang/Object;Ljava/lang/Object;)I"]));
        check("java/util/AbstractList", Some(&["get(I)Ljava/lang/Object;", "size()I"]));
        check("java/io/InputStream", Some(&["read()I"]));
        check("java/lang/CharSequence", Some(&["length()I", "charAt(I)C", "subSequence(II)Ljava/lang/CharSequence;"]));
        check(
            "java/util/function/BinaryOperator",
            Some(&["apply(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;"]),
        );
    }

    #[test]
    fn implemented_methods_answer_an_input_a_parameter_or_a_default() {
        let Some(classes) = Classes::read() else { return };
        let known = Known { file: &|name| classes.files.get(name), types: &classes.types };
        let check = |name: &str, expected: &[&str]| {
            let found = operations(&classes.files[&ClassName::new(name)], &Type::class(name), true, &known);
            let found: Vec<String> = found.iter().map(Operation::to_string).collect();
            assert_eq!(found, expected);
        };
        check("p/Plain", &["new p.Plain() { size: input 0; }", "new p.Plain() { size: throws; }"]);
        check(
            "p/Made",
            &[
                "new p.Made(int) { make: input 1; get: input 2; }",
                "new p.Made(int, java.lang.String) { make: input 2; get: input 3; }",
            ],
        );
        check(
            "java/util/Comparator",
            &["new java.util.Comparator() { compare: input 0; }", "new java.util.Comparator() { compare: throws; }"],
        );
        check(
            "java/lang/Runnable",
            &[
                "new java.lang.Runnable() { run: default; }",
                "new java.lang.Runnable() { run: throws; }",
                "new java.lang.Runnable() { run: default, call to input 0; }",
                "new java.lang.Runnable() { run: default, adds input 1 to input 0; }",
            ],
        );
        check(
            "java/util/function/IntConsumer",
            &[
                "new java.util.function.IntConsumer() { accept: default; }",
                "new java.util.function.IntConsumer() { accept: throws; }",
                "new java.util.function.IntConsumer() { accept: default, adds to input 0; }",
                "new java.util.function.IntConsumer() { accept: default, adds input 1 to input 0; }",
            ],
        );
        check(
            "java/util/function/BinaryOperator",
            &[
                "new java.util.function.BinaryOperator() { apply: input 0; }",
                "new java.util.function.BinaryOperator() { apply: parameter 0; }",
                "new java.util.function.BinaryOperator() { apply: parameter 1; }",
                "new java.util.function.BinaryOperator() { apply: throws; }",
                "new java.util.function.BinaryOperator() { apply: held by input 0; }",
            ],
        );
        for closed in ["p/Closed", "p/Each", "p/Private", "p/Wide", "p/Only", "java/util/Map", "java/io/Serializable"] {
            check(closed, &[]);
        }
    }
}
