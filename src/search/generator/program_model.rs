//! The program as the search sees it: what each operation takes, who makes what, which package a test must live in.

mod beans;
mod changing;
mod elements;

use super::guidance::Guidance;
use super::literals::{LiteralKind, Role};
use super::pool::Need;
use crate::reader_cost::{CLOCK, returns_clock};
use model::jvm::annotations::Annotation;
use model::jvm::types::{ClassFacts, access};
use model::jvm::{ClassName, Literal, Type, TypeArgument};
use model::options::Component;
use model::sequence::{Operation, OperationId, OperationKind, Recording, Sequence};
use program::{PlainValue, Program};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub use changing::Changing;
use elements::ElementMakers;

/// Statements that a candidate may have, literals included.
pub(super) const STATEMENT_LIMIT: usize = 48;
/// The same where objects have collaborators, which are made and told what to answer before the first call.
const COLLABORATION_LIMIT: usize = 96;

/// One input of an operation.
#[derive(Clone, Debug)]
pub struct OperationInput {
    pub of: Type,
    pub need: Need,
    /// A receiver, or the enclosing instance of `outer.new Inner()`: Java source cannot leave it null.
    pub never_null: bool,
    /// An annotation allows null, or code under test looks whether it is.
    pub nullable: bool,
    /// The literals that fit, where the type has some. Types wider than `String` take string literals too.
    pub literal: Option<LiteralKind>,
    /// Operations that make objects with annotations which the code that is given the input may look at.
    pub annotated: Arc<[OperationId]>,
    /// Of any object, or an array of such: what the code that is given the input tests for.
    pub tested: Arc<[OperationInput]>,
    /// Of any object: what makes one whose `toString` answers the text it is given.
    pub described: Option<OperationId>,
}

/// Tables derived from a [`Program`] once.
#[derive(Debug)]
pub struct ProgramModel<'a> {
    pub program: &'a Program,
    pub needs: Arc<[Type]>,
    pub inputs: Vec<Vec<OperationInput>>,
    /// Index of the class under test an operation belongs to.
    pub class_of: Vec<Option<u32>>,
    /// Index of the package whose tests alone may use the operation.
    pub package_of: Vec<Option<u16>>,
    /// Operations that make a value for the need, by need.
    pub producers: Vec<Vec<OperationId>>,
    /// Those of them that make no mocks, for needs where others do.
    unmocked: FxHashMap<Need, Vec<OperationId>>,
    /// Statements that a candidate may have, literals included.
    pub statement_limit: usize,
    /// Operations under test that take a value of the declared type, and at which input.
    pub consumers: FxHashMap<Type, Vec<(OperationId, usize)>>,
    /// Those of them that may change the value.
    pub changers: FxHashMap<Type, Vec<(OperationId, usize)>>,
    /// Operations of the platform that put something into a container, by the container's type.
    pub fillers: FxHashMap<Type, Vec<OperationId>>,
    /// Of objects under test that are made empty, what sets one property of them, by the type of the object.
    pub setters: FxHashMap<Type, Vec<OperationId>>,
    /// What makes arrays and containers of their elements.
    pub element_makers: ElementMakers,
    /// Calls that make plain values, by need.
    pub plain_values: FxHashMap<Need, Vec<PlainValue>>,
    /// For implementations those that do the same and note what they are told, and what makes the list for that.
    pub recording: Recorders,
    /// For those and these the ones that add a name to a list, likewise.
    pub labelled: Recorders,
    /// For collaborators with one answer, how to make them so that it can change.
    pub changing: FxHashMap<OperationId, Changing>,
    /// Class literals worth passing, by the needs that they serve.
    pub class_literals: FxHashMap<Need, Vec<Literal>>,
    /// The strings in annotations of the objects that operations make, of those that have some.
    annotated_strings: FxHashMap<OperationId, Vec<Literal>>,
    pub under_test: Vec<OperationId>,
    /// Whether the operation is a back door; empty where that does not matter.
    back_doors: Vec<bool>,
}

impl<'a> ProgramModel<'a> {
    /// What of the program the components of guidance ask for.
    pub fn new(program: &'a Program, guidance: &Guidance) -> ProgramModel<'a> {
        let operations = &program.operations;
        let needs = needs(program);
        let mut need_list = vec![Type::object(); needs.len()];
        for (of, need) in &needs {
            need_list[need.0 as usize] = of.clone();
        }
        let inputs = inputs(program, &needs, guidance);
        let (class_of, under_test) = classes(program);
        let assignable = Assignable::new(program, &need_list);
        let producers = (0..need_list.len() as u32).map(Need);
        let producers: Vec<Vec<OperationId>> =
            producers.map(|need| producers_of(program, (&need_list, need), &assignable, guidance)).collect();
        let makes_mock = |id: &OperationId| operations[id.0 as usize].mock;
        let unmocked = producers
            .iter()
            .enumerate()
            .filter(|(_, all)| all.iter().any(makes_mock))
            .map(|(need, all)| (Need(need as u32), all.iter().filter(|id| !makes_mock(id)).copied().collect()));
        let unmocked: FxHashMap<Need, Vec<OperationId>> = unmocked.collect();
        let consumers = consumers(&assignable, &inputs, &under_test);
        let knows_changers = guidance.has(Component::Impurity);
        let changes = |(id, at): &&(OperationId, usize)| !knows_changers || program.effects(*id).changes(*at);
        let changers = consumers.iter().map(|(of, all)| (of.clone(), all.iter().filter(changes).copied().collect()));
        let changers = changers.collect();
        let annotated_strings = operations.iter().enumerate().filter_map(|(at, operation)| {
            let strings: Vec<Literal> = operation.declared.all_annotations().flat_map(Annotation::strings).collect();
            (!strings.is_empty()).then_some((OperationId(at as u32), strings))
        });
        let annotated_strings = annotated_strings.collect();
        let (recording, labelled) = recorders(program);
        ProgramModel {
            program,
            needs: need_list.into(),
            inputs,
            class_of,
            package_of: packages(program),
            producers,
            statement_limit: if unmocked.is_empty() { STATEMENT_LIMIT } else { COLLABORATION_LIMIT },
            unmocked,
            consumers,
            changers,
            fillers: fillers(program),
            setters: beans::setters(program),
            element_makers: ElementMakers::new(operations),
            plain_values: if guidance.has(Component::Reuse) {
                plain_values(program, &needs)
            } else {
                FxHashMap::default()
            },
            recording,
            labelled,
            changing: if guidance.has(Component::Implementations) {
                changing::changing(program)
            } else {
                FxHashMap::default()
            },
            class_literals: class_literals(program, &needs, guidance.has(Component::ConstantMining)),
            annotated_strings,
            under_test,
            back_doors: Vec::new(),
        }
    }

    /// Tells back doors from the front door from now on.
    pub fn mark_back_doors(&mut self) {
        self.back_doors = self.program.operations.iter().map(|operation| operation.back_door).collect();
    }

    pub fn is_back_door(&self, operation: OperationId) -> bool {
        self.back_doors.get(operation.0 as usize).is_some_and(|&is_back_door| is_back_door)
    }

    pub fn calls_back_door(&self, sequence: &Sequence) -> bool {
        !self.back_doors.is_empty() && sequence.calls().any(|operation| self.is_back_door(operation))
    }

    pub fn inputs(&self, operation: OperationId) -> &[OperationInput] {
        &self.inputs[operation.0 as usize]
    }

    pub fn class_of(&self, operation: OperationId) -> Option<usize> {
        self.class_of[operation.0 as usize].map(|class| class as usize)
    }

    /// The operations that make a value for the need: for an object whose method is called no mocks, as those show nothing of
    /// the code under test.
    pub fn makers(&self, need: Need, is_receiver: bool) -> &[OperationId] {
        let unmocked = self.unmocked.get(&need).filter(|_| is_receiver);
        unmocked.unwrap_or_else(|| &self.producers[need.0 as usize])
    }

    /// Whether the statement makes a mock.
    pub fn is_mock(&self, sequence: &Sequence, statement: usize) -> bool {
        sequence.call_at(statement).is_some_and(|id| self.program.operations[id.0 as usize].mock)
    }

    /// Whether the sequence calls a method of a mock, which shows nothing of the code under test.
    pub fn calls_mock(&self, sequence: &Sequence) -> bool {
        let receiver = |at: usize| {
            let operation = &self.program.operations[sequence.call_at(at)?.0 as usize];
            sequence.inputs_of(at).next().filter(|_| operation.has_receiver())
        };
        !self.unmocked.is_empty()
            && (0..sequence.len()).filter_map(receiver).any(|receiver| self.is_mock(sequence, receiver))
    }

    /// Whether the input is the object whose method is called.
    pub fn is_receiver(&self, (operation, input): Role) -> bool {
        input == 0 && self.program.operations[operation.0 as usize].has_receiver()
    }

    /// Whether the input is the list in which a mock notes the calls that it gets, and no other one should.
    pub fn is_list_of_mock(&self, (operation, input): Role) -> bool {
        let operation = &self.program.operations[operation.0 as usize];
        operation.mock && Recording::list_of(&operation.implemented) == Some(input as u32)
    }

    pub fn package_of(&self, operation: OperationId) -> Option<u16> {
        self.package_of[operation.0 as usize]
    }

    /// The strings in annotations of the sequence's objects.
    pub fn annotated_strings(&self, sequence: &Sequence) -> Vec<&Literal> {
        // Asked for every string that is drawn, and most programs have no such objects.
        if self.annotated_strings.is_empty() {
            return Vec::new();
        }
        sequence.calls().filter_map(|operation| self.annotated_strings.get(&operation)).flatten().collect()
    }

    /// Whether code of the sequence may call what no class of the program has.
    pub fn has_implementation(&self, sequence: &Sequence) -> bool {
        let kind = |operation: OperationId| self.program.operations[operation.0 as usize].kind;
        sequence.calls().any(|operation| kind(operation) == OperationKind::Implementation)
    }

    /// The package whose tests alone can use the sequence's operations; an error if there are two.
    pub fn package_of_sequence(&self, sequence: &Sequence) -> Result<Option<u16>, ()> {
        let mut package = None;
        for own in sequence.calls().filter_map(|operation| self.package_of(operation)) {
            if package.is_some_and(|known| known != own) {
                return Err(());
            }
            package = Some(own);
        }
        Ok(package)
    }
}

/// The types of inputs, numbered in the order in which operations first take them, and then those that code tests for.
fn needs(program: &Program) -> BTreeMap<Type, Need> {
    let mut needs = BTreeMap::new();
    let taken = program.operations.iter().flat_map(|operation| &operation.inputs);
    for of in taken.chain(program.targets.iter().flat_map(|target| &target.tested)) {
        let next = needs.len() as u32;
        needs.entry(of.clone()).or_insert(Need(next));
    }
    needs
}

/// The inputs of each operation.
fn inputs(program: &Program, needs: &BTreeMap<Type, Need>, guidance: &Guidance) -> Vec<Vec<OperationInput>> {
    let operations = &program.operations;
    let has_annotated = guidance.has(Component::AnnotatedObjects);
    let input = |of: &Type, never_null: bool, any: &AnyObject| OperationInput {
        of: of.clone(),
        need: needs[of],
        never_null,
        nullable: false,
        annotated: if *of == Type::object() && !never_null { any.annotated.clone() } else { Arc::default() },
        tested: if of.is_any_object() && !never_null { any.tested.clone() } else { Arc::default() },
        described: any.described.filter(|_| *of == Type::object() && !never_null),
        literal: LiteralKind::of(of)
            .or_else(|| program.types.is_assignable(&Type::string(), of).then_some(LiteralKind::String)),
    };
    let none = AnyObject::default();
    let mut any_of = vec![none.clone(); operations.len()];
    for target in &program.targets {
        let annotated = if has_annotated { target.annotated.clone().into() } else { Arc::default() };
        let tested = target.tested.iter().map(|of| input(of, true, &none)).collect();
        let any = AnyObject { annotated, tested, described: program.checks.described };
        for id in &target.operations {
            any_of[id.0 as usize] = any.clone();
        }
        for id in &*any.annotated {
            any_of[id.0 as usize].annotated = any.annotated.clone();
        }
    }
    let mocked: BTreeSet<&Type> =
        operations.iter().filter(|it| it.mock).filter_map(|operation| operation.output.as_ref()).collect();
    let inputs_of = |(operation, any): (&Operation, &AnyObject)| {
        let is_inner = program.types.get(&operation.owner).is_some_and(ClassFacts::is_inner);
        let has_object = operation.has_receiver() || (operation.kind == OperationKind::Constructor && is_inner);
        // `equals` is content with any object.
        let any = if &*operation.name == "equals" { &none } else { any };
        let list = Recording::list_of(&operation.implemented);
        let label = Recording::label_of(&operation.implemented);
        // A stream around null fails as soon as its buffer is full: how much is written may depend on who calls.
        let is_stream = |of: &Type| of.class_name().is_some_and(|class| class.package() == "java.io");
        let wraps = operation.kind == OperationKind::Constructor && operation.owner.package() == "java.io";
        let never_null = |at: usize| {
            has_object && at == 0
                || is_collaborator(operation, at, &mocked)
                || operation.mock && is_container(&operation.inputs[at])
                || operation.implemented.iter().any(|method| method.thrown() == Some(at as u32))
                || [list, label].contains(&Some(at as u32))
                || wraps && is_stream(&operation.inputs[at])
        };
        let input = |(at, of)| OperationInput {
            nullable: operation.nullable.contains(&at) && !never_null(at),
            ..input(of, never_null(at), any)
        };
        operation.inputs.iter().enumerate().map(input).collect()
    };
    operations.iter().zip(&any_of).map(inputs_of).collect()
}

/// Whether a constructor takes an object that is there to be asked, and that tests can write as a mock.
fn is_collaborator(operation: &Operation, at: usize, mocked: &BTreeSet<&Type>) -> bool {
    operation.kind == OperationKind::Constructor
        && mocked.contains(&operation.inputs[at])
        && !operation.nullable.contains(&at)
}

/// Whether nobody who knows the type returns null for it: optionals, collections, streams.
fn is_container(of: &Type) -> bool {
    of.class_name().is_some_and(|class| class.internal().starts_with("java/util/"))
}

/// What to pass where any object will do.
#[derive(Clone, Default)]
struct AnyObject {
    annotated: Arc<[OperationId]>,
    tested: Arc<[OperationInput]>,
    described: Option<OperationId>,
}

/// The class under test of each operation, and all operations of such classes.
fn classes(program: &Program) -> (Vec<Option<u32>>, Vec<OperationId>) {
    let mut class_of = vec![None; program.operations.len()];
    let mut under_test = Vec::new();
    for (class, target) in program.targets.iter().enumerate() {
        for operation in &target.operations {
            class_of[operation.0 as usize] = Some(class as u32);
            under_test.push(*operation);
        }
    }
    (class_of, under_test)
}

/// The package of each operation that tests of one package alone may use; packages are numbered as they appear.
fn packages(program: &Program) -> Vec<Option<u16>> {
    let mut packages = BTreeMap::new();
    let package_of = |id: OperationId| {
        program.package_of(id).map(|package| {
            let next = packages.len() as u16;
            *packages.entry(package).or_insert(next)
        })
    };
    ids(program).map(package_of).collect()
}

fn ids(program: &Program) -> impl Iterator<Item = OperationId> {
    (0..program.operations.len() as u32).map(OperationId)
}

/// Which types of outputs, but for primitive ones, are assignable to which needs. There are far fewer types than operations, so
/// each pair of types is looked at once.
struct Assignable {
    /// For each type, whether it is assignable to the needs, by their numbers.
    outputs: Vec<(Type, Vec<bool>)>,
    /// The index of each operation's output among them.
    of_operation: Vec<Option<usize>>,
}

impl Assignable {
    fn new(program: &Program, needs: &[Type]) -> Assignable {
        let output = |operation: &Operation| operation.output.clone().filter(|output| !output.is_primitive());
        let distinct: BTreeSet<Type> = program.operations.iter().filter_map(output).collect();
        let numbers: BTreeMap<&Type, usize> = distinct.iter().zip(0..).collect();
        let of_operation = program.operations.iter().map(|it| numbers.get(&output(it)?).copied()).collect();
        let to_needs = |output: &Type| needs.iter().map(|need| program.types.is_assignable(output, need)).collect();
        let outputs = distinct.iter().map(|output| (output.clone(), to_needs(output))).collect();
        Assignable { outputs, of_operation }
    }

    /// Whether the operation makes a value for the need.
    fn serves(&self, operation: OperationId, need: Need) -> bool {
        self.of_operation[operation.0 as usize].is_some_and(|output| self.outputs[output].1[need.0 as usize])
    }
}

/// The operations that make a value for the need.
fn producers_of(
    program: &Program,
    (needs, number): (&[Type], Need),
    assignable: &Assignable,
    guidance: &Guidance,
) -> Vec<OperationId> {
    let need = &needs[number.0 as usize];
    if need.is_primitive() {
        return Vec::new();
    }
    let implements = guidance.has(Component::Implementations);
    // The release of the tests has the classes of Java 9 or it has not.
    let is_before_9 = !program.types.may_export(&ClassName::new("java/util/concurrent/Flow"));
    let fixes_clock = program.operations.iter().any(|it| it.owner.internal() == CLOCK && &*it.name == "fixed");
    let makes = |id: &OperationId| {
        let operation = &program.operations[id.0 as usize];
        // Where any object will do there are better ones.
        let is_misplaced = operation.kind == OperationKind::Implementation && (!implements || *need == Type::object());
        // A clock that can be given is given fixed.
        let is_of_machine = returns_clock(operation) && fixes_clock;
        let is_missing = is_before_9 && program::is_newer_than_8(operation);
        !matches!(operation.kind, OperationKind::Array | OperationKind::Cast)
            && !is_misplaced
            && !changing::is_for_changes_alone(operation)
            && !is_missing
            && !is_of_machine
            && program.result_getters.binary_search(id).is_err()
            && guidance.producing.asks(operation, need)
    };
    ids(program).filter(|id| assignable.serves(*id, number)).filter(makes).collect()
}

/// For each type of container that a constructor of the platform makes, what adds to it.
fn fillers(program: &Program) -> FxHashMap<Type, Vec<OperationId>> {
    let is_platform = |operation: &Operation| operation.owner.internal().starts_with("java/util/");
    let mut found: FxHashMap<Type, Vec<OperationId>> = FxHashMap::default();
    let made = program.operations.iter().filter(|it| it.kind == OperationKind::Constructor && is_platform(it));
    let made: BTreeSet<Type> = made.filter_map(|operation| operation.output.clone()).collect();
    for of in made {
        let adds = |id: &OperationId| {
            let operation = &program.operations[id.0 as usize];
            let is_kept = |output: &Type| output.is_primitive() || operation.inputs[1..].contains(output);
            operation.has_receiver()
                && !changing::is_for_changes_alone(operation)
                && is_platform(operation)
                && operation.inputs.len() > 1
                && program.types.is_assignable(&of, &operation.inputs[0])
                && operation.output.as_ref().is_none_or(is_kept)
        };
        let all: Vec<OperationId> = ids(program).filter(adds).collect();
        if !all.is_empty() {
            found.insert(of, all);
        }
    }
    found
}

/// For each need the plain values that serve it.
fn plain_values(program: &Program, needs: &BTreeMap<Type, Need>) -> FxHashMap<Need, Vec<PlainValue>> {
    let mut found: FxHashMap<Need, Vec<PlainValue>> = FxHashMap::default();
    for value in &program.plain_values {
        let Some(made) = &program.operations[value.operation.0 as usize].output else { continue };
        // What is wanted for a wider type is seldom one of these alone.
        if let Some(need) = needs.get(made) {
            found.entry(*need).or_default().push(value.clone());
        }
    }
    found
}

/// For each type of an output, the operations under test that take it, and at which input.
fn consumers(
    assignable: &Assignable,
    inputs: &[Vec<OperationInput>],
    under_test: &[OperationId],
) -> FxHashMap<Type, Vec<(OperationId, usize)>> {
    let mut consumers: FxHashMap<Type, Vec<(OperationId, usize)>> = FxHashMap::default();
    for (output, to_needs) in &assignable.outputs {
        let mut found = Vec::new();
        for &id in under_test {
            for (at, input) in inputs[id.0 as usize].iter().enumerate() {
                if input.of != Type::object() && to_needs[input.need.0 as usize] {
                    found.push((id, at));
                }
            }
        }
        consumers.insert(output.clone(), found);
    }
    consumers
}

/// For implementations other ones of the same type that record calls, with the constructor of their list.
type Recorders = FxHashMap<OperationId, (OperationId, OperationId)>;

/// Those that note what they are told; and those that add a name to a list, for these, too.
fn recorders(program: &Program) -> (Recorders, Recorders) {
    let of_kind = |kind| {
        let all = ids(program).map(|id| (id, &program.operations[id.0 as usize]));
        all.filter(move |(_, operation)| operation.kind == kind)
    };
    let list_of = |operation: &Operation| Recording::list_of(&operation.implemented);
    let (mut telling, mut labelled) = (Recorders::default(), Recorders::default());
    for (id, recording) in of_kind(OperationKind::Implementation) {
        let Some(list) = list_of(recording).map(|list| &recording.inputs[list as usize]) else { continue };
        let answers =
            |operation: &Operation| operation.implemented.iter().map(|method| method.answer).collect::<Vec<_>>();
        let is_plain = |plain: &Operation| {
            plain.output == recording.output
                && plain.descriptor == recording.descriptor
                && list_of(plain).is_none()
                && answers(plain) == answers(recording)
        };
        let makes_list =
            |maker: &Operation| maker.output.as_ref() == Some(list) && maker.inputs.is_empty() && maker.public;
        let plain = of_kind(OperationKind::Implementation).find(|(_, plain)| is_plain(plain));
        let maker = of_kind(OperationKind::Constructor).find(|(_, maker)| makes_list(maker));
        let found = plain.zip(maker).map(|((plain, _), (maker, _))| (plain, (id, maker)));
        let is_label = Recording::label_of(&recording.implemented).is_some();
        if is_label { &mut labelled } else { &mut telling }.extend(found);
    }
    let told: Vec<_> = telling.iter().filter_map(|(plain, (id, _))| Some((*id, *labelled.get(plain)?))).collect();
    labelled.extend(told);
    (telling, labelled)
}

/// For each need the class literals that serve it; for `Class<T>` of a class that nobody names, that of the class.
fn class_literals(program: &Program, needs: &BTreeMap<Type, Need>, mined: bool) -> FxHashMap<Need, Vec<Literal>> {
    let all = all_class_literals(program, mined);
    let class = Type::class("java/lang/Class");
    let serving = |of: &Type| -> Vec<Literal> {
        let fits = |literal: &&Literal| program.types.is_assignable(&literal.literal_type(), of);
        let fitting: Vec<Literal> = all.iter().filter(fits).cloned().collect();
        match of {
            Type::Parameterized(of) if fitting.is_empty() => {
                let bound = of.arguments.first().and_then(TypeArgument::bound).map(Type::erased);
                let named = bound.filter(|bound| !bound.classes().is_empty()).map(Literal::Class);
                named.filter(|literal| fits(&literal)).into_iter().collect()
            }
            _ => fitting,
        }
    };
    let is_class = |of: &&Type| program.types.is_assignable(&class, &of.erased());
    needs.keys().filter(is_class).map(|of| (needs[of], serving(of))).collect()
}

/// A few that any program has, those in the constants of classes if these are mined, and public classes under test.
fn all_class_literals(program: &Program, mined: bool) -> Vec<Literal> {
    let public = |target: &&program::Target| {
        program.types.get(&target.name).is_some_and(|facts| facts.access & access::PUBLIC != 0)
            && program.types.is_accessible(&target.name, "")
    };
    let constants = program.targets.iter().flat_map(|target| &target.constants).map(|(literal, _)| literal);
    let is_usable = |literal: &&Literal| match literal {
        Literal::Class(Type::Class(name)) => program.types.is_public(name),
        _ => false,
    };
    let mined_classes: BTreeSet<Literal> = constants.filter(|_| mined).filter(is_usable).cloned().collect();
    let mut class_literals: Vec<Literal> =
        ["java/lang/Object", "java/lang/String", "java/lang/Integer", "java/util/Date", "java/lang/Number"]
            .map(|name| Literal::Class(Type::class(name)))
            .to_vec();
    class_literals.extend([Literal::Class(Type::INT), Literal::Class(Type::array(Type::string()))]);
    class_literals.extend(mined_classes);
    class_literals
        .extend(program.targets.iter().filter(public).map(|target| Literal::Class(Type::Class(target.name.clone()))));
    class_literals
}

/// Calls in a sequence, literals left out.
pub fn call_count(sequence: &Sequence) -> u32 {
    sequence.calls().count() as u32
}
