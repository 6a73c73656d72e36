//! Reading a program: from class files to operations.

mod beside;
mod callers;
mod checks;
mod contained;
mod containers;
mod contract_methods;
mod front_door;
mod injection;
mod inputs;
mod results;
mod tested;
mod told;

use super::asked::Asked;
use super::existing_tests::{self, ExistingTests};
use super::instantiation::{self, Instantiation};
use super::platform;
use super::told::named;
use super::{Program, SkipReason, Skipped, Target};
use bytecode::analysis::{caller_obligations, constants, purity};
use bytecode::classfile::{ClassFile, Field, Method};
use front_door::FrontDoor;
pub(crate) use injection::is_set_by_container;
use inputs::{close_over_elements, mentioned};
use model::jvm::types::{ClassFacts, TypeTable, access, is_java_identifier};
use model::jvm::{ClassName, Literal, MethodDescriptor, Type, generics};
use model::sequence::{Operation, OperationId, OperationKind, TEMPORARY_FILES};
use model::words::without_prefixes;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;
pub use told::classes_left_out;

/// How far producers of dependencies' types are followed.
const PRODUCER_DEPTH: usize = 4;
/// How often type arguments that members mention are taken up by other classes.
const INSTANTIATION_DEPTH: usize = 3;
/// Annotations, of whichever of the libraries that have one, that allow null.
const ALLOW_NULL: [&str; 3] = ["Nullable", "NullableDecl", "CheckForNull"];
/// Passes that add implementations, including those of types that earlier implementations return.
const IMPLEMENTATION_DEPTH: usize = 2;

/// Gives the class files of classes that are not under test, in the order asked; `None` for those on no path.
pub type ClassSource<'a> = dyn FnMut(&[ClassName]) -> Vec<Option<ClassFile>> + 'a;

/// The constants of the code of each class under test, and how often each occurs.
type Mined = BTreeMap<ClassName, Vec<(Literal, u32)>>;

/// Which members of the classes under test are wanted.
pub type Selection<'a> = dyn Fn(&ClassName, &str) -> bool + 'a;

/// The classes of a module.
pub struct Classes<'a> {
    /// Those under test.
    pub targets: &'a BTreeMap<ClassName, ClassFile>,
    /// The others: what is under test may need their objects.
    pub beside: &'a BTreeMap<ClassName, ClassFile>,
    /// The project's own tests.
    pub tests: &'a BTreeMap<ClassName, ClassFile>,
    /// Whether tests may write collaborators as mocks.
    pub mocks: bool,
}

/// Reads the program that the classes under test and everything they refer to make, and what the project's own tests do with
/// it. `contracts` selects methods that say whether an object is as its class wants it, besides those marked `@CheckRep`.
pub fn read(classes: &Classes, wanted: &Selection, contracts: &Selection, source: &mut ClassSource) -> Program {
    let Classes { targets, beside, tests, mocks } = *classes;
    let mut reader = Reader::new((targets, beside), source);
    reader.learn(targets.keys().cloned());
    reader.learn(beside.keys().cloned());
    reader.learn_test_libraries(mocks);
    reader.front_door = FrontDoor::of(targets, &reader.types);
    reader.types.know_packages(targets.keys().map(ClassName::package));
    let mut skipped = Vec::new();
    reader.find_contract_methods(contracts, &mut skipped);
    let members = reader.members_under_test(wanted, &mut skipped);
    reader.learn_signatures();
    let (mut operations, under_test) = reader.operations_under_test(&members);
    operations.extend(reader.factories_beside());
    operations.extend(reader.taking_out(&operations));

    let tested = reader.tested(&operations, &under_test);
    let all_tested: BTreeSet<Type> = tested.values().flatten().cloned().collect();
    let mut needed = reader.needs(&operations);
    needed.extend(all_tested.iter().cloned());
    reader.close(&mut needed);
    // What a clock that moves is made of, so that its own needs are met below.
    if needed.contains(&Type::class("java/time/Clock")) {
        needed.insert(Type::class("java/time/InstantSource"));
    }
    let mut considered = BTreeSet::new();
    for _ in 0..IMPLEMENTATION_DEPTH {
        operations.extend(reader.implementations(&mut needed, &mut considered));
    }
    let mut mined = constants::mine(targets);
    let annotated = reader.annotated(&mined, &mut operations);
    needed.extend(reader.needs(&operations));
    let offered = reader.platform_operations();
    let chosen = platform::relevant(&offered, &mut needed, &reader.instantiation(), &reader.types);
    operations.extend(chosen);
    reader.add_producers(&mut operations, needed.clone());
    // Also implement the interfaces that producers take. Types that these implementations return get no producers, so null
    // may be the only value.
    needed.extend(reader.needs(&operations));
    operations.extend(reader.implementations(&mut needed, &mut considered));
    let checks = reader.check_operations(&mut operations);
    let contract_methods = reader.add_contract_methods(&mut operations);

    let (casts, arrays) = add_casts_and_arrays(&mut operations, all_tested);
    let result_getters = reader.add_getters_of_results(&mut operations, under_test.values());

    skipped.sort();
    reader.learn(mentioned(&mined).into_iter());
    let targets = targets
        .keys()
        .map(|name| Target {
            name: name.clone(),
            operations: under_test[name].clone().map(|at| OperationId(at as u32)).collect(),
            annotated: annotated.get(&name.package()).cloned().unwrap_or_default(),
            constants: mined.remove(name).unwrap_or_default(),
            tested: tested.get(name).into_iter().flatten().cloned().collect(),
        })
        .collect();
    let (closed_fields, told) = (reader.closed_fields(), reader.told(&operations));
    let Reader { targets: classes, source, files, types, .. } = reader;
    let all = classes.values().chain(beside.values()).chain(files.values());
    let mut effects = purity::effects(&operations, all, &types, source);
    // What a sequence does with its own files concerns nothing else.
    let files = operations.iter().zip(&mut effects).filter(|(it, _)| it.owner.internal() == TEMPORARY_FILES);
    files.for_each(|(_, effects)| *effects = purity::Effects::NONE);
    let caller_obligations = caller_obligations::caller_obligations(classes.values());
    let plain_values = platform::plain_values(&operations);
    let back_doors = callers::back_doors(classes, &operations, &types);
    let mut program = Program {
        operations: operations.into(),
        plain_values,
        types,
        targets,
        skipped,
        casts,
        arrays,
        checks,
        contract_methods,
        result_getters,
        effects,
        back_doors,
        closed_fields,
        caller_obligations,
        told,
        existing_tests: ExistingTests::default(),
    };
    program.existing_tests = existing_tests::read(&program, tests);
    program
}

/// Adds a cast to each type that some operation takes or that is needed besides, and the creation of each array type among
/// them. `Object` needs no cast.
fn add_casts_and_arrays(
    operations: &mut Vec<Operation>,
    mut needed: BTreeSet<Type>,
) -> (BTreeMap<Type, OperationId>, BTreeMap<Type, OperationId>) {
    needed.extend(operations.iter().flat_map(|operation| operation.inputs.clone()));
    close_over_elements(&mut needed);
    let (mut casts, mut arrays) = (BTreeMap::new(), BTreeMap::new());
    // A cast to a type with arguments cannot be checked, and an array of such a type cannot be made (JLS §4.7).
    for need in needed.iter().filter(|need| !need.is_primitive() && need.is_reifiable()) {
        if *need != Type::object() {
            casts.insert(need.clone(), OperationId(operations.len() as u32));
            operations.push(made_of_types(OperationKind::Cast, Type::object(), need.clone()));
        }
        if let Type::Array(element) = need {
            arrays.insert(need.clone(), OperationId(operations.len() as u32));
            operations.push(made_of_types(OperationKind::Array, (**element).clone(), need.clone()));
        }
    }
    (casts, arrays)
}

fn made_of_types(kind: OperationKind, input: Type, output: Type) -> Operation {
    let descriptor = MethodDescriptor { parameters: vec![input], returns: Some(output) };
    Operation::new(kind, ClassName::new("java/lang/Object"), "", descriptor)
}

struct Reader<'a, 'b> {
    targets: &'a BTreeMap<ClassName, ClassFile>,
    /// Other classes of the module.
    beside: &'a BTreeMap<ClassName, ClassFile>,
    source: &'a mut ClassSource<'b>,
    files: BTreeMap<ClassName, ClassFile>,
    missing: BTreeSet<ClassName>,
    /// Classes whose members' types are known too.
    expanded: BTreeSet<ClassName>,
    types: TypeTable,
    /// Of the classes under test.
    front_door: FrontDoor,
    /// The classes that have a factory, which an annotation names.
    made: BTreeSet<ClassName>,
    /// What the classes under test ask of other objects, if tests can write these as mocks.
    asked: Option<Asked>,
    /// Methods that say whether an object is as its class wants it: the classes that declare them, and their names.
    contract_methods: BTreeSet<(ClassName, Arc<str>)>,
}

impl<'a, 'b> Reader<'a, 'b> {
    /// Knows nothing yet.
    fn new(
        (targets, beside): (&'a BTreeMap<ClassName, ClassFile>, &'a BTreeMap<ClassName, ClassFile>),
        source: &'a mut ClassSource<'b>,
    ) -> Reader<'a, 'b> {
        Reader {
            targets,
            beside,
            source,
            files: BTreeMap::new(),
            missing: BTreeSet::new(),
            expanded: BTreeSet::new(),
            types: TypeTable::default(),
            front_door: FrontDoor::default(),
            made: told::classes_with_factory(targets.iter().chain(beside)),
            asked: None,
            contract_methods: BTreeSet::new(),
        }
    }
}

impl Reader<'_, '_> {
    fn file(&self, name: &ClassName) -> Option<&ClassFile> {
        self.targets.get(name).or_else(|| self.beside.get(name)).or_else(|| self.files.get(name))
    }

    /// Reads the classes, all that their members' types name, and the ancestry of both.
    fn learn(&mut self, names: impl Iterator<Item = ClassName>) {
        let mut waiting: BTreeSet<ClassName> = names.collect();
        waiting.extend(["java/lang/Object", "java/lang/String"].map(ClassName::new));
        let mut first = true;
        while !waiting.is_empty() {
            let asked: Vec<ClassName> = (waiting.iter())
                .filter(|name| self.file(name).is_none() && !self.missing.contains(name))
                .cloned()
                .collect();
            if !asked.is_empty() {
                for (name, file) in asked.iter().zip((self.source)(&asked)) {
                    match file {
                        Some(file) => drop(self.files.insert(name.clone(), file)),
                        None => drop(self.missing.insert(name.clone())),
                    }
                }
            }
            let mut next = BTreeSet::new();
            for name in &waiting {
                let Some(file) = self.file(name).cloned() else { continue };
                if (first || self.targets.contains_key(name)) && self.expanded.insert(name.clone()) {
                    for method in &file.methods {
                        next.extend(
                            method.descriptor.parameters.iter().chain(&method.descriptor.returns).filter_map(class_in),
                        );
                        next.extend(method.exceptions.iter().cloned());
                    }
                    next.extend(file.fields.iter().filter_map(|field| class_in(&field.field_type)));
                }
                if self.types.get(name).is_none() {
                    let facts = file.to_facts();
                    next.extend(facts.super_class.iter().chain(&facts.interfaces).chain(&facts.outer).cloned());
                    self.types.insert(facts);
                }
            }
            next.retain(|name| self.types.get(name).is_none() && !self.missing.contains(name));
            waiting = next;
            first = false;
        }
    }

    /// The members of all classes under test that tests can use, with erased types.
    fn members_under_test(
        &self,
        wanted: &Selection,
        skipped: &mut Vec<Skipped>,
    ) -> BTreeMap<ClassName, Vec<Operation>> {
        let mut found = BTreeMap::new();
        for (name, file) in self.targets {
            let mut members = self.members_of(file, Some(wanted), skipped).unwrap_or_else(|reason| {
                skipped.push(Skipped { class: name.clone(), member: None, reason });
                Vec::new()
            });
            if !members.is_empty() {
                members.extend(self.inherited(file, wanted));
            }
            found.insert(name.clone(), members);
        }
        found
    }

    /// Reads the classes that signatures of the classes under test name, and the plain types that variables stand for.
    fn learn_signatures(&mut self) {
        let of_class = |file: &ClassFile| {
            let methods = file.methods.iter().filter_map(|method| method.signature.clone());
            let fields = file.fields.iter().filter_map(|field| field.signature.clone());
            methods.chain(fields).chain(file.signature.clone()).collect::<Vec<_>>()
        };
        let signatures: Vec<Arc<str>> = self.targets.values().flat_map(of_class).collect();
        let named = signatures.iter().flat_map(|signature| generics::classes_in(signature));
        let named: BTreeSet<ClassName> = named.chain(instantiation::plain_classes()).collect();
        self.learn(named.into_iter());
    }

    fn instantiation(&self) -> Instantiation<'_> {
        Instantiation::new(&self.types, self.targets.keys())
    }

    /// The operations of all classes under test, generic ones with several choices of type arguments, and for each class
    /// the range of them that is its own.
    fn operations_under_test(
        &self,
        members: &BTreeMap<ClassName, Vec<Operation>>,
    ) -> (Vec<Operation>, BTreeMap<ClassName, Range<usize>>) {
        let instantiation = self.instantiation();
        let mut mentioned = BTreeSet::new();
        // The supertypes of classes say with which arguments inherited members are called.
        for of in self.targets.keys().map(|class| self.types.of_any(class)) {
            let supers = of.class_name().map(|class| self.types.ancestry(class)).unwrap_or_default();
            mentioned.extend(supers.iter().filter_map(|facts| self.types.as_super(&of, &facts.name)));
        }
        let mut known = 0;
        for _ in 0..INSTANTIATION_DEPTH {
            let (operations, _) = self.instantiated(members, &mentioned, &instantiation);
            let types = operations.iter().flat_map(|operation| operation.inputs.iter().chain(&operation.output));
            mentioned.extend(types.flat_map(instantiation::with_arguments));
            if mentioned.len() == known {
                break;
            }
            known = mentioned.len();
        }
        self.instantiated(members, &mentioned, &instantiation)
    }

    fn instantiated(
        &self,
        members: &BTreeMap<ClassName, Vec<Operation>>,
        mentioned: &BTreeSet<Type>,
        instantiation: &Instantiation,
    ) -> (Vec<Operation>, BTreeMap<ClassName, Range<usize>>) {
        let mut operations: Vec<Operation> = Vec::new();
        let mut own = BTreeMap::new();
        for (name, members) in members {
            let first = operations.len();
            let choices = match self.types.is_generic(name) {
                true => instantiation::choices(name, mentioned, instantiation),
                false => vec![Vec::new()],
            };
            for member in members {
                // Without a choice the types stay erased.
                let count = if instantiation.depends_on_class(member) { choices.len().max(1) } else { 1 };
                let choice = |at: usize| choices.get(at).map_or(&[][..], Vec::as_slice);
                let made = (0..count).map(|at| instantiation.for_class(member, choice(at)));
                operations.extend(made.map(|operation| self.with_injected(&self.targets[name], operation)));
            }
            own.insert(name.clone(), first..operations.len());
        }
        (operations, own)
    }

    /// What the operations take: the types themselves, elements of arrays, and a type without wildcards for each with some.
    fn needs(&self, operations: &[Operation]) -> BTreeSet<Type> {
        let mut needed: BTreeSet<Type> = operations.iter().flat_map(|operation| operation.inputs.clone()).collect();
        self.close(&mut needed);
        needed
    }

    fn close(&self, needed: &mut BTreeSet<Type>) {
        close_over_elements(needed);
        let instantiation = self.instantiation();
        let witnesses: Vec<Type> = needed.iter().map(|need| instantiation.witness(need)).collect();
        needed.extend(witnesses);
    }

    /// Operations of a class that tests in its package can use.
    fn members_of(
        &self,
        file: &ClassFile,
        wanted: Option<&Selection>,
        skipped: &mut Vec<Skipped>,
    ) -> Result<Vec<Operation>, SkipReason> {
        let facts = self.types.get(&file.name).expect("the class was learnt");
        let package = file.name.package();
        if facts.source_simple_name.is_none() || facts.access & (access::SYNTHETIC | access::MODULE) != 0 {
            return Ok(Vec::new()); // Local, anonymous or made by the compiler: part of another class's code.
        }
        if !names_are_java(&self.types, &file.name) {
            return Err(SkipReason::NameNotJava);
        }
        if !self.types.is_accessible(&file.name, &package) {
            return Err(SkipReason::NotAccessible);
        }
        let mut operations = Vec::new();
        let mut skip = |member: String, reason| {
            skipped.push(Skipped { class: file.name.clone(), member: Some(member), reason });
        };
        // Fields that are not public are the code's own: no test sets or reads them.
        let is_open = |field: &&Field| field.access & access::PUBLIC != 0 && field.access & access::SYNTHETIC == 0;
        for field in file.fields.iter().filter(is_open) {
            if told::is_left_out(&field.annotations) || wanted.is_some_and(|wanted| !wanted(&file.name, &field.name)) {
                continue;
            }
            match self.usable(&field.name, &[], std::slice::from_ref(&field.field_type), &package) {
                Ok(()) => operations.extend(self.field_operations(file, field)),
                Err(reason) => skip(format!("{}.{}", file.name, field.name), reason),
            }
        }
        for method in &file.methods {
            let hidden = method.access & (access::PRIVATE | access::SYNTHETIC | access::BRIDGE) != 0;
            let is_constructor = &*method.name == "<init>";
            let uncallable = is_constructor && (facts.is_abstract() || facts.is_enum());
            let finalizer = &*method.name == "finalize" && method.descriptor.parameters.is_empty();
            let is_contract = self.is_contract_method(&file.name, method);
            if hidden || uncallable || finalizer || is_contract || &*method.name == "<clinit>" {
                continue;
            }
            if self.is_left_out(file, method) || wanted.is_some_and(|wanted| !wanted(&file.name, &method.name)) {
                continue;
            }
            let returns: Vec<Type> = method.descriptor.returns.iter().cloned().collect();
            let name = if is_constructor { "constructor" } else { &method.name };
            let usable = match containers::starts_container(file, method) {
                true => Err(SkipReason::StartsContainer),
                false => self.usable(name, &method.descriptor.parameters, &returns, &package),
            };
            match usable {
                Ok(()) => operations.push(self.method_operation(file, method)),
                Err(reason) => skip(self.method_operation(file, method).to_string(), reason),
            }
        }
        Ok(operations)
    }

    fn usable(&self, name: &str, takes: &[Type], makes: &[Type], package: &str) -> Result<(), SkipReason> {
        if !is_java_identifier(name) {
            return Err(SkipReason::NameNotJava);
        }
        for of in takes.iter().chain(makes) {
            if let Some(class) = class_in(of) {
                if self.types.get(&class).is_none() {
                    return Err(SkipReason::MissingClass(class));
                }
                if !self.types.is_type_accessible(of, package) || !names_are_java(&self.types, &class) {
                    return Err(SkipReason::NotAccessible);
                }
            }
        }
        Ok(())
    }

    /// Whether any package may name the class and all the types.
    fn is_public(&self, owner: &ClassName, member: u16, types: &[&Type]) -> bool {
        member & access::PUBLIC != 0
            && self.types.is_public(owner)
            && types.iter().all(|of| self.types.is_type_public(of))
    }

    /// Whether the member is there for the code around it. In a class that is not public itself, what a package has is its
    /// use, unless it is a base of others; a class inside a public one belongs to that.
    fn is_internal(&self, owner: &ClassName, member: u16) -> bool {
        let is_public = member & access::PUBLIC != 0;
        let mut outermost = owner;
        while let Some(outer) = self.types.get(outermost).and_then(|facts| facts.outer.as_ref()) {
            outermost = outer;
        }
        match self.types.is_public(outermost) {
            true => !(self.types.is_public(owner) && is_public),
            false => {
                let is_base = self.types.get(owner).is_some_and(ClassFacts::is_abstract);
                member & access::PROTECTED != 0 || is_base && !is_public && member & access::STATIC == 0
            }
        }
    }

    fn is_back_door(&self, owner: &ClassName, member: u16, kind: OperationKind) -> bool {
        self.targets.contains_key(owner) && self.front_door.is_closed_to(owner, member, kind)
    }

    fn field_operations(&self, file: &ClassFile, field: &Field) -> Vec<Operation> {
        let is_static = field.access & access::STATIC != 0;
        let of = &field.field_type;
        let operation = |kind, parameters: Vec<Type>, returns: Option<Type>| Operation {
            owner_is_interface: file.access & access::INTERFACE != 0,
            signature: field.signature.clone(),
            public: self.is_public(&file.name, field.access, &[of]),
            internal: self.is_internal(&file.name, field.access),
            back_door: self.is_back_door(&file.name, field.access, kind),
            ..Operation::new(kind, file.name.clone(), field.name.clone(), MethodDescriptor { parameters, returns })
        };
        if is_static {
            // Constants are literals already, and setting a static field would reach beyond the sequence.
            if field.constant_value.is_some() {
                return Vec::new();
            }
            let is_enum_constant = field.access & access::ENUM != 0;
            let read = operation(OperationKind::GetStatic, Vec::new(), Some(of.clone()));
            return vec![Operation { is_enum_constant, ..read }];
        }
        let mut operations = vec![operation(OperationKind::GetField, Vec::new(), Some(of.clone()))];
        if field.access & access::FINAL == 0 {
            operations.push(operation(OperationKind::SetField, vec![of.clone()], None));
        }
        operations
    }

    fn method_operation(&self, file: &ClassFile, method: &Method) -> Operation {
        let is_constructor = &*method.name == "<init>";
        let is_static = method.access & access::STATIC != 0;
        let kind = match (is_constructor, is_static) {
            (true, _) => OperationKind::Constructor,
            (_, true) => OperationKind::StaticMethod,
            _ => OperationKind::InstanceMethod,
        };
        let operation = Operation::new(kind, file.name.clone(), method.name.clone(), method.descriptor.clone());
        let types: Vec<&Type> = method.descriptor.parameters.iter().chain(&operation.output).collect();
        let annotated = method.parameter_annotations.iter().enumerate();
        let nullable =
            annotated.filter(|(_, annotations)| ALLOW_NULL.iter().any(|name| named(annotations, name).is_some()));
        let nullable = nullable.map(|(at, _)| at + usize::from(operation.has_receiver()));
        Operation {
            owner_is_interface: file.access & access::INTERFACE != 0,
            public: self.is_public(&file.name, method.access, &types),
            internal: self.is_internal(&file.name, method.access),
            back_door: self.is_back_door(&file.name, method.access, kind),
            deprecated: (file.deprecated || method.deprecated) && self.targets.contains_key(&file.name),
            varargs: method.access & access::VARARGS != 0,
            exceptions: method.exceptions.clone(),
            signature: method.signature.clone(),
            parameter_names: self.parameter_names(file, method),
            nullable: nullable.collect(),
            ..operation
        }
    }

    /// Compilers note the names where a method has a body (`LocalVariableTable`, JVMS §4.7.13), so those of an abstract method are those
    /// of one under test that overrides it.
    fn parameter_names(&self, file: &ClassFile, method: &Method) -> Vec<Arc<str>> {
        let named = |method: &Method| without_prefixes(method.parameter_names.iter().map(|name| &**name));
        if method.access & access::ABSTRACT == 0 || !method.parameter_names.is_empty() {
            return named(method);
        }
        let overrides = |other: &&Method| {
            (&other.name, &other.descriptor) == (&method.name, &method.descriptor) && !other.parameter_names.is_empty()
        };
        let declared = self.targets.values().filter_map(|other| Some((other, other.methods.iter().find(overrides)?)));
        let of = Type::class(file.name.internal());
        let mut overriding = declared.filter(|(other, _)| {
            let subtype = Type::class(other.name.internal());
            other.name != file.name && self.types.is_assignable(&subtype, &of)
        });
        overriding.next().map(|(_, other)| named(other)).unwrap_or_default()
    }
}

/// Adds the operation; its number.
fn added(operations: &mut Vec<Operation>, operation: Operation) -> OperationId {
    operations.push(operation);
    OperationId(operations.len() as u32 - 1)
}

/// The class that a type names, if it is one or an array of one.
pub(super) fn class_in(of: &Type) -> Option<ClassName> {
    match of {
        Type::Primitive(_) => None,
        Type::Class(_) | Type::Parameterized(_) => of.class_name().cloned(),
        Type::Array(element) => class_in(element),
    }
}

/// Whether source can write the class's name, package and outer classes included.
pub(super) fn names_are_java(types: &TypeTable, class: &ClassName) -> bool {
    let package = class.package();
    (package.is_empty() || package.split('.').all(is_java_identifier))
        && types.nested_source_name(class).is_some_and(|name| name.split('.').all(is_java_identifier))
}

#[cfg(test)]
mod tests;
