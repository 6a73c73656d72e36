//! Type arguments of operations: a member with type variables becomes one operation for each choice of types.
//!
//! What a need says decides first (`new ArrayList<E>()` makes a `List<String>` with `E` as `String`), what a receiver
//! has decides for the calls on it, and what nobody says is a plain type within the variable's bounds. So a sequence
//! is built as javac accepts it without an unchecked warning. A member whose variables cannot be chosen keeps its erased
//! types. That costs a pass over members and needs; generic code has some more operations than members.

use model::jvm::generics::{
    Bindings, GenericArgument, GenericClass, GenericMethod, GenericParameter, GenericType, satisfies_bounds,
};
use model::jvm::types::{TypeTable, access};
use model::jvm::{ClassName, Type, TypeArgument};
use model::sequence::{Operation, OperationKind};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Type arguments nested deeper than this are not made.
const NESTING: usize = 3;
/// Choices of type arguments for one class under test.
const CHOICES: usize = 4;

/// What a variable stands for if nobody says, in order of preference.
const PLAIN: [&str; 5] =
    ["java/lang/String", "java/lang/Integer", "java/lang/Long", "java/lang/Double", "java/math/BigDecimal"];
/// Enums for variables that nothing else satisfies.
const ENUMS: [&str; 2] = ["java/time/DayOfWeek", "java/math/RoundingMode"];

/// The classes of the platform that variables may stand for.
pub(super) fn plain_classes() -> impl Iterator<Item = ClassName> {
    PLAIN.iter().chain(&ENUMS).copied().map(ClassName::new)
}

/// Chooses type arguments.
pub(super) struct Instantiation<'a> {
    types: &'a TypeTable,
    /// Plain types, enums, and classes under test.
    candidates: Vec<Type>,
}

/// How a member with erased types is declared.
struct Declaration {
    /// The type parameters of its class, if they are in scope.
    class: Vec<GenericParameter>,
    method: GenericMethod,
}

impl<'a> Instantiation<'a> {
    /// Variables may stand for public classes under test too, where their bounds ask for that.
    pub fn new<'c>(types: &'a TypeTable, targets: impl Iterator<Item = &'c ClassName>) -> Instantiation<'a> {
        let is_usable = |class: &&ClassName| {
            types.is_public(class)
                && !types.is_generic(class)
                && types.get(class).is_some_and(|facts| !facts.is_inner())
        };
        let mut own: Vec<&ClassName> = targets.filter(is_usable).collect();
        // Of two that satisfy a bound, the one that can be made is the better one.
        own.sort_by_key(|class| types.get(class).is_some_and(|facts| facts.access & access::ABSTRACT != 0));
        let known = |names: &'static [&'static str]| {
            names.iter().copied().map(ClassName::new).filter(|class| types.get(class).is_some()).map(Type::Class)
        };
        let candidates = known(&PLAIN).chain(own.into_iter().cloned().map(Type::Class)).chain(known(&ENUMS)).collect();
        Instantiation { types, candidates }
    }

    /// The operation with the type arguments that make its output one that the needed type takes; `None` if there are none.
    pub fn for_need(&self, operation: &Operation, need: &Type) -> Option<Operation> {
        if let Type::Array(_) = need {
            // What a text is cut into.
            return (operation.descriptor.returns.as_ref() == Some(need)).then(|| self.for_class(operation, &[]));
        }
        let wanted = need.class_name()?;
        // Asked of each operation for each need: most make something else altogether, which erased types tell.
        let erased = operation.descriptor.returns.clone().unwrap_or_else(|| Type::Class(operation.owner.clone()));
        if !self.types.is_assignable(&erased, &Type::Class(wanted.clone())) {
            return None;
        }
        let declaration = self.declaration(operation);
        let marked = marked(declaration.variables());
        let output = match operation.kind {
            OperationKind::Constructor => Some(self.owner_type(operation, &marked)),
            // What is declared by a variable makes whatever is asked for, by giving it back.
            _ => declaration
                .method
                .output
                .as_ref()
                .filter(|output| !matches!(output, GenericType::Variable(_)))
                .and_then(|output| output.bind(&marked)),
        }?;
        let pattern = self.types.as_super(&output, wanted)?;
        let mut bindings = Bindings::new();
        match (&pattern, need) {
            (Type::Parameterized(_), Type::Class(_)) => self.bind_to_objects(&declaration, &mut bindings),
            _ => unify(&pattern, need, &mut bindings),
        }
        let made = self.instantiated(operation, &declaration, bindings)?;
        made.output.as_ref().is_some_and(|output| self.types.is_assignable(output, need)).then_some(made)
    }

    /// The operation on a receiver of the type; `None` if it has none or is of another class.
    pub fn for_receiver(&self, operation: &Operation, receiver: &Type) -> Option<Operation> {
        let declaration = self.declaration(operation);
        let seen = self.types.as_super(receiver, &operation.owner).filter(|_| operation.has_receiver())?;
        self.instantiated(operation, &declaration, self.types.bindings(&seen)?)
    }

    /// The operation with the type arguments of its class, and plain ones for its own parameters; with its erased types
    /// where there are none.
    pub fn for_class(&self, operation: &Operation, arguments: &[TypeArgument]) -> Operation {
        let declaration = self.declaration(operation);
        let bindings = declaration.class.iter().map(|parameter| parameter.name.clone()).zip(arguments.iter().cloned());
        let found = self.instantiated(operation, &declaration, bindings.collect());
        found.unwrap_or_else(|| operation.clone())
    }

    /// Whether the type arguments of its class make a difference to the operation beyond its receiver.
    pub fn depends_on_class(&self, operation: &Operation) -> bool {
        let declaration = self.declaration(operation);
        let method = &declaration.method;
        operation.kind == OperationKind::Constructor
            || method.inputs.iter().chain(&method.output).any(|of| of.mentions(&declaration.class))
    }

    /// Plain type arguments of a class, none if it has no parameters; `None` if no types satisfy their bounds.
    pub fn plain_arguments(&self, class: &ClassName) -> Option<Vec<TypeArgument>> {
        let parameters = self.types.generic(class).map_or(&[][..], |generic| &generic.parameters);
        let mut bindings = Bindings::new();
        self.complete(parameters, &mut bindings)?;
        Some(parameters.iter().map(|parameter| bindings[&parameter.name].clone()).collect())
    }

    /// The type arguments with which the class, or one that extends it, is what the type says.
    pub fn arguments_for(&self, class: &ClassName, need: &Type) -> Option<Vec<TypeArgument>> {
        let generic = self.types.generic(class)?;
        let marked = Type::parameterized(class.clone(), arguments_of(generic, &marked(generic.parameters.iter())));
        let mut bindings = Bindings::new();
        unify(&self.types.as_super(&marked, need.class_name()?)?, need, &mut bindings);
        self.complete(&generic.parameters, &mut bindings)?;
        Some(arguments_of(generic, &bindings))
    }

    /// A type without wildcards that the type takes (JLS §4.5.1); the type itself if it has none.
    pub fn witness(&self, of: &Type) -> Type {
        let Type::Parameterized(parameterized) = of else { return of.clone() };
        let Some(generic) = self.types.generic(&parameterized.class) else { return of.clone() };
        let mut bindings = Bindings::new();
        for (parameter, argument) in generic.parameters.iter().zip(&parameterized.arguments) {
            if let Some(bound) = argument.bound() {
                // `? extends Number` takes numbers, none of which is just a number.
                let is_open = matches!(argument, TypeArgument::Extends(_));
                let narrower = self.candidates.iter().find(|candidate| {
                    is_open && *bound != Type::object() && self.types.is_assignable(candidate, bound)
                });
                let bound = narrower.filter(|_| self.is_abstract(bound)).unwrap_or(bound);
                bindings.insert(parameter.name.clone(), TypeArgument::Exact(self.witness(bound)));
            }
        }
        match self.complete(&generic.parameters, &mut bindings) {
            Some(()) => Type::parameterized(parameterized.class.clone(), arguments_of(generic, &bindings)),
            None => of.clone(),
        }
    }

    /// The class with `Object` for each of its parameters, if their bounds allow that; else raw.
    pub fn of_objects(&self, class: &ClassName) -> Type {
        let parameters = self.types.generic(class).map_or(&[][..], |generic| &generic.parameters);
        let is_open = |parameter: &GenericParameter| {
            parameter.bounds.iter().all(|bound| bound.bind(&Bindings::new()) == Some(Type::object()))
        };
        match parameters.is_empty() || !parameters.iter().all(is_open) {
            true => Type::Class(class.clone()),
            false => Type::parameterized(class.clone(), vec![TypeArgument::Exact(Type::object()); parameters.len()]),
        }
    }

    fn is_abstract(&self, of: &Type) -> bool {
        of.class_name().and_then(|class| self.types.get(class)).is_some_and(|facts| facts.is_abstract())
    }

    fn declaration(&self, operation: &Operation) -> Declaration {
        let is_in_scope = !matches!(
            operation.kind,
            OperationKind::StaticMethod | OperationKind::GetStatic | OperationKind::SetStatic
        );
        let generic = self.types.generic(&operation.owner).filter(|_| is_in_scope);
        let class = generic.map_or_else(Vec::new, |generic| generic.parameters.clone());
        let erased = || GenericMethod {
            parameters: Vec::new(),
            inputs: operation.descriptor.parameters.iter().map(erased).collect(),
            output: operation.descriptor.returns.as_ref().map(erased),
        };
        let declared = operation.signature.as_deref().and_then(|signature| match operation.kind {
            OperationKind::GetField | OperationKind::GetStatic => {
                Some(GenericMethod { output: Some(GenericType::parse(signature)?), ..erased() })
            }
            OperationKind::SetField | OperationKind::SetStatic => {
                Some(GenericMethod { inputs: vec![GenericType::parse(signature)?], ..erased() })
            }
            _ => {
                let mut method = GenericMethod::parse(signature)?;
                // Constructors of inner classes and enums have leading parameters that the signature leaves out.
                let hidden = operation.descriptor.parameters.len().checked_sub(method.inputs.len())?;
                let leading = operation.descriptor.parameters[..hidden].iter().map(self::erased);
                method.inputs = leading.chain(method.inputs).collect();
                Some(method)
            }
        });
        Declaration { class, method: declared.unwrap_or_else(erased) }
    }

    fn owner_type(&self, operation: &Operation, bindings: &Bindings) -> Type {
        match self.types.generic(&operation.owner) {
            Some(generic) if !generic.parameters.is_empty() => {
                Type::parameterized(operation.owner.clone(), arguments_of(generic, bindings))
            }
            _ => Type::Class(operation.owner.clone()),
        }
    }

    /// The operation with the bindings and plain types for the other variables; `None` if some bound is not satisfied, or
    /// types become too deep.
    fn instantiated(&self, operation: &Operation, declaration: &Declaration, bindings: Bindings) -> Option<Operation> {
        let mut bindings = bindings;
        let needs_class = operation.kind == OperationKind::Constructor
            || declaration
                .method
                .inputs
                .iter()
                .chain(&declaration.method.output)
                .any(|of| of.mentions(&declaration.class));
        if needs_class {
            self.complete(&declaration.class, &mut bindings)?;
        }
        self.complete(&declaration.method.parameters, &mut bindings)?;
        let receiver = operation.has_receiver().then(|| match needs_class {
            true => self.owner_type(operation, &bindings),
            // Any of the class will do.
            false => self.types.of_any(&operation.owner),
        });
        // A variable of a class around an inner one is not in scope here.
        let bind = |(of, erased): (&GenericType, &Type)| of.bind(&bindings).unwrap_or_else(|| erased.clone());
        let inputs = declaration.method.inputs.iter().zip(&operation.descriptor.parameters).map(bind);
        let inputs: Vec<Type> = receiver.into_iter().chain(inputs).collect();
        let output = match operation.kind {
            OperationKind::Constructor => Some(self.owner_type(operation, &bindings)),
            _ => declaration.method.output.as_ref().zip(operation.descriptor.returns.as_ref()).map(bind),
        };
        let is_shallow = inputs.iter().chain(&output).all(|of| of.nesting() <= NESTING);
        is_shallow.then(|| Operation { inputs, output, ..operation.clone() })
    }

    /// Binds the parameters that are not bound to plain types within their bounds; `None` if there are none.
    fn complete(&self, parameters: &[GenericParameter], bindings: &mut Bindings) -> Option<()> {
        for parameter in
            parameters.iter().filter(|parameter| !bindings.contains_key(&parameter.name)).collect::<Vec<_>>()
        {
            let is_used = |of: &Type| {
                parameters.iter().any(|other| bindings.get(&other.name).and_then(TypeArgument::bound) == Some(of))
            };
            let fits = |of: &&Type| {
                let mut tried = bindings.clone();
                tried.insert(parameter.name.clone(), TypeArgument::Exact((*of).clone()));
                parameter.bounds.iter().all(|bound| {
                    // What a bound says of parameters that come later is looked at in the end.
                    bound.bind(&tried).is_none_or(|bound| self.types.is_assignable(of, &bound))
                })
            };
            let fresh = self.candidates.iter().filter(|of| !is_used(of)).find(fits);
            let chosen = fresh.or_else(|| self.candidates.iter().find(fits)).cloned();
            let chosen = chosen.or_else(|| self.own_bound(parameter, bindings))?;
            bindings.insert(parameter.name.clone(), TypeArgument::Exact(chosen));
        }
        satisfies_bounds(parameters, bindings, self.types).then_some(())
    }

    /// The first bound of a parameter, if it is a type that no candidate extends.
    fn own_bound(&self, parameter: &GenericParameter, bindings: &Bindings) -> Option<Type> {
        parameter.bounds[0].bind(bindings).map(|bound| self.witness(&bound))
    }

    /// For code that is raw itself: whatever its callers put in.
    fn bind_to_objects(&self, declaration: &Declaration, bindings: &mut Bindings) {
        for parameter in declaration.variables() {
            let object = parameter.bounds.iter().all(|bound| bound.bind(&Bindings::new()) == Some(Type::object()));
            if object {
                bindings.insert(parameter.name.clone(), TypeArgument::Exact(Type::object()));
            }
        }
    }
}

impl Declaration {
    fn variables(&self) -> impl Iterator<Item = &GenericParameter> {
        self.class.iter().chain(&self.method.parameters)
    }
}

/// The choices of type arguments for a class under test: plain ones, and those that the types say.
pub(super) fn choices(
    class: &ClassName,
    mentioned: &BTreeSet<Type>,
    instantiation: &Instantiation,
) -> Vec<Vec<TypeArgument>> {
    let mut found: Vec<Vec<TypeArgument>> = instantiation.plain_arguments(class).into_iter().collect();
    for of in mentioned.iter().filter(|of| matches!(of, Type::Parameterized(_))) {
        if found.len() >= CHOICES {
            break;
        }
        let arguments = instantiation.arguments_for(class, &instantiation.witness(of));
        let is_new = |arguments: &Vec<TypeArgument>| {
            arguments.iter().all(|argument| argument.bound().is_some_and(|of| of.nesting() < NESTING))
                && !found.contains(arguments)
        };
        found.extend(arguments.filter(is_new));
    }
    found
}

/// The type, and those of its type arguments.
pub(super) fn with_arguments(of: &Type) -> Vec<Type> {
    let nested = match of {
        Type::Primitive(_) | Type::Class(_) => Vec::new(),
        Type::Array(element) => with_arguments(element),
        Type::Parameterized(of) => {
            of.arguments.iter().filter_map(TypeArgument::bound).flat_map(with_arguments).collect()
        }
    };
    std::iter::once(of.clone()).chain(nested).collect()
}

fn arguments_of(generic: &GenericClass, bindings: &Bindings) -> Vec<TypeArgument> {
    generic
        .parameters
        .iter()
        .map(|parameter| bindings.get(&parameter.name).cloned().unwrap_or(TypeArgument::Any))
        .collect()
}

fn erased(of: &Type) -> GenericType {
    match of {
        Type::Primitive(primitive) => GenericType::Primitive(*primitive),
        Type::Array(element) => GenericType::Array(Box::new(erased(element))),
        Type::Class(class) => GenericType::Class(class.clone(), Vec::new()),
        Type::Parameterized(of) => GenericType::Class(of.class.clone(), vec![GenericArgument::Any; of.arguments.len()]),
    }
}

/// A type that stands for each variable. No class has such a name.
fn marked<'p>(variables: impl Iterator<Item = &'p GenericParameter>) -> Bindings {
    let marker = |name: &str| TypeArgument::Exact(Type::Class(ClassName::new(&format!("\0{name}"))));
    variables.map(|parameter| (parameter.name.clone(), marker(&parameter.name))).collect()
}

/// Binds the variables marked in the pattern to what stands in their places in the type.
fn unify(pattern: &Type, of: &Type, found: &mut Bindings) {
    match (pattern, of) {
        (Type::Class(marker), of) if !of.is_primitive() => {
            if let Some(variable) = marker.internal().strip_prefix('\0') {
                found.entry(Arc::from(variable)).or_insert_with(|| TypeArgument::Exact(of.clone()));
            }
        }
        (Type::Array(pattern), Type::Array(of)) => unify(pattern, of, found),
        (Type::Parameterized(pattern), Type::Parameterized(of)) if pattern.class == of.class => {
            for (pattern, of) in pattern.arguments.iter().zip(&of.arguments) {
                if let (Some(pattern), Some(of)) = (pattern.bound(), of.bound()) {
                    unify(pattern, of, found);
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiled::compile_and_parse;
    use model::jvm::MethodDescriptor;

    const SOURCE: &str = "
        package p;
        class Box<T> {
            public Box() {}
            public void put(T of) {}
            public int size() { return 0; }
            public static <E> Box<E> of(E one) { return null; }
            public <U extends Comparable<? super U>> U most(java.util.Map<T, ? extends U> of) { return null; }
        }
        class Numbers<N extends Number> extends Box<N> { Numbers(N first) {} }
        class Words extends Box<String> { }
    ";

    /// The member of the class, with its erased types, and the program's classes.
    fn check(member: (&str, &str), ask: &dyn Fn(&Instantiation, &Operation) -> Option<Operation>, expected: &str) {
        let classes = compile_and_parse(SOURCE, &[]);
        let mut types = TypeTable::default();
        classes.values().for_each(|class| types.insert(class.to_facts()));
        for (name, parent, signature) in [
            ("java/lang/Object", None, None),
            ("java/lang/Comparable", Some("java/lang/Object"), Some("<T:Ljava/lang/Object;>Ljava/lang/Object;")),
            ("java/lang/Number", Some("java/lang/Object"), None),
            ("java/lang/Integer", Some("java/lang/Number"), None),
            ("java/lang/String", Some("java/lang/Comparable"), Some("Ljava/lang/Comparable<Ljava/lang/String;>;")),
            (
                "java/util/Map",
                Some("java/lang/Object"),
                Some("<K:Ljava/lang/Object;V:Ljava/lang/Object;>Ljava/lang/Object;"),
            ),
        ] {
            types.insert(model::jvm::types::ClassFacts {
                name: ClassName::new(name),
                access: access::PUBLIC,
                super_class: parent.map(ClassName::new),
                interfaces: Vec::new(),
                outer: None,
                source_simple_name: None,
                signature: signature.map(Arc::from),
                methods: Vec::new(),
                constants: Vec::new(),
            });
        }
        let (owner, name) = member;
        let class = &classes[&ClassName::new(owner)];
        let method = class.methods.iter().find(|method| &*method.name == name).unwrap();
        let kind = match (name, method.access & access::STATIC != 0) {
            ("<init>", _) => OperationKind::Constructor,
            (_, true) => OperationKind::StaticMethod,
            _ => OperationKind::InstanceMethod,
        };
        let descriptor = MethodDescriptor::clone(&method.descriptor);
        let operation = Operation {
            signature: method.signature.clone(),
            ..Operation::new(kind, class.name.clone(), name, descriptor)
        };
        let found = ask(&Instantiation::new(&types, std::iter::empty()), &operation);
        let shown = found.map_or("none".to_string(), |found| {
            let inputs: Vec<String> = found.inputs.iter().map(Type::to_string).collect();
            let output = found.output.map_or("void".to_string(), |output| output.to_string());
            format!("{} -> {output}", inputs.join(", ")).replace("java.lang.", "").replace("java.util.", "")
        });
        assert_eq!(shown, expected);
    }

    fn box_of(argument: TypeArgument) -> Type {
        Type::parameterized(ClassName::new("p/Box"), vec![argument])
    }

    #[test]
    fn producer_has_the_type_arguments_of_the_need() {
        let strings = || box_of(TypeArgument::Exact(Type::string()));
        let numbers = || box_of(TypeArgument::Extends(Type::class("java/lang/Number")));
        check(("p/Box", "<init>"), &|it, of| it.for_need(of, &strings()), " -> p.Box<String>");
        check(("p/Box", "of"), &|it, of| it.for_need(of, &strings()), "String -> p.Box<String>");
        check(("p/Words", "<init>"), &|it, of| it.for_need(of, &strings()), " -> p.Words");
        check(("p/Numbers", "<init>"), &|it, of| it.for_need(of, &strings()), "none");
        check(("p/Numbers", "<init>"), &|it, of| it.for_need(of, &numbers()), "Number -> p.Numbers<Number>");
        let raw = Type::class("p/Box");
        check(("p/Box", "of"), &|it, of| it.for_need(of, &raw), "Object -> p.Box<Object>");
    }

    #[test]
    fn call_has_the_type_arguments_of_its_receiver() {
        let words = Type::class("p/Words");
        check(("p/Box", "put"), &|it, of| it.for_receiver(of, &words), "p.Box<String>, String -> void");
        check(("p/Box", "size"), &|it, of| it.for_receiver(of, &words), "p.Box<?> -> int");
        let map = "p.Box<String>, Map<String, ? extends String> -> String";
        check(("p/Box", "most"), &|it, of| it.for_receiver(of, &words), map);
    }

    #[test]
    fn types_that_nobody_says_are_plain_ones_within_their_bounds() {
        let plain =
            |it: &Instantiation, of: &Operation| Some(it.for_class(of, &it.plain_arguments(&of.owner).unwrap()));
        check(("p/Box", "put"), &plain, "p.Box<String>, String -> void");
        check(("p/Numbers", "<init>"), &plain, "Integer -> p.Numbers<Integer>");
    }

    #[test]
    fn wildcards_are_replaced_by_types_within_their_bounds() {
        let witness = |it: &Instantiation, of: &Operation| {
            let need = box_of(TypeArgument::Super(Type::string()));
            Some(Operation { inputs: vec![it.witness(&need), it.witness(&box_of(TypeArgument::Any))], ..of.clone() })
        };
        check(("p/Words", "<init>"), &witness, "p.Box<String>, p.Box<String> -> p.Words");
    }
}
