//! How objects are written down: calls that make an equal object from what its fields contain.
//!
//! A class that has an own `equals` is a value to whoever uses it, and a test says `assertEquals(Money.euros("30.00"), total)`.
//! Constants of the class are tried, then constructors and static methods with the content of the fields, as it is or as text, the
//! shortest calls first. The first call counts that makes an object with the same content which equals another one of its kind.

use model::execution::described::{Described, ElementsKind, Made, Spelling};
use model::execution::duration::in_largest_unit;
use model::execution::{Detail, Execution, Executor, ExecutorError, Observed, Outcome, Value};
use model::jvm::{ClassName, JavaString, Literal, MethodDescriptor, Primitive, Type};
use model::sequence::{Operation, OperationId, OperationKind, Sequence};
use program::Program;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex};

/// Most calls that are tried for one object, and constants.
const MOST_TRIES: usize = 24;
/// Calls that are tried at once.
const BATCH: usize = 4;
/// Most parameters of a call.
const MOST_PARAMETERS: usize = 6;
/// Most values that are tried for one parameter.
const MOST_ARGUMENTS: usize = 6;
/// Most elements of an array that is written down, or of all its rows.
const MOST_ELEMENTS: usize = 16;
/// Methods of the platform that read what `toString` writes.
const READERS: [&str; 7] = ["<init>", "parse", "valueOf", "of", "getInstance", "fromString", "create"];

const DURATION: &str = "java/time/Duration";

/// Writes values down: sequences that make them.
#[derive(Debug)]
pub(crate) struct Writer {
    /// By the class of what they make: constructors and static methods that every test can call.
    makers: FxHashMap<ClassName, Vec<Maker>>,
    /// What makes a value of the platform from its text.
    readers: FxHashMap<ClassName, OperationId>,
    /// By class and name what makes a value of the platform from as many numbers: `LocalDate.of`, `Duration.ofMillis`.
    of_numbers: FxHashMap<(ClassName, Arc<str>, usize), OperationId>,
    /// By their class, in the order of the operations.
    constants: FxHashMap<ClassName, Vec<(Arc<str>, OperationId)>>,
    /// By its type what makes an array of its elements.
    arrays: FxHashMap<Type, OperationId>,
    /// What makes a list of strings, and the array that it takes.
    list: Option<(OperationId, OperationId)>,
}

#[derive(Debug)]
struct Maker {
    operation: OperationId,
    owner: ClassName,
    name: Arc<str>,
    descriptor: MethodDescriptor,
}

impl Writer {
    /// With what the operations make.
    pub(crate) fn new(operations: &[Operation]) -> Writer {
        let mut writer = Writer {
            makers: FxHashMap::default(),
            readers: FxHashMap::default(),
            of_numbers: FxHashMap::default(),
            constants: FxHashMap::default(),
            arrays: FxHashMap::default(),
            list: None,
        };
        let is_array = |(_, it): &(OperationId, &Operation)| it.kind == OperationKind::Array;
        for (id, array) in (0..).map(OperationId).zip(operations).filter(is_array) {
            if let Some(of) = &array.output {
                writer.arrays.entry(of.clone()).or_insert(id);
            }
        }
        let strings = Type::array(Type::string());
        let array = writer.arrays.get(&strings).copied();
        for (id, operation) in (0..).map(OperationId).zip(operations).filter(|(_, operation)| operation.public) {
            if operation.reads_own_constant() {
                let own = writer.constants.entry(operation.owner.clone()).or_default();
                own.push((operation.name.clone(), id));
            }
            let name = (operation.owner.internal(), &*operation.name);
            let is_list = matches!(name, ("java/util/List", "of") | ("java/util/Arrays", "asList"));
            if is_list && operation.inputs == [strings.clone()] {
                writer.list = writer.list.or(array.map(|array| (id, array)));
            }
            let is_maker = matches!(operation.kind, OperationKind::Constructor | OperationKind::StaticMethod);
            if is_maker && operation.injected.is_empty() {
                writer.add(id, operation);
            }
        }
        writer
    }

    fn add(&mut self, id: OperationId, operation: &Operation) {
        let Some(Type::Class(made)) = &operation.output else { return };
        let parameters = &operation.descriptor.parameters;
        if made.internal().starts_with("java/") {
            let reads = matches!(&parameters[..], [Type::Class(of)]
                if matches!(of.internal(), "java/lang/String" | "java/lang/CharSequence"));
            if reads && *made == operation.owner && READERS.contains(&&*operation.name) {
                self.readers.entry(made.clone()).or_insert(id);
            }
            let number = if made.internal() == DURATION { Primitive::Long } else { Primitive::Int };
            let numbers = !parameters.is_empty() && parameters.iter().all(|of| *of == Type::Primitive(number));
            if numbers && *made == operation.owner && operation.kind == OperationKind::StaticMethod {
                self.of_numbers.entry((made.clone(), operation.name.clone(), parameters.len())).or_insert(id);
            }
        } else if parameters.len() <= MOST_PARAMETERS {
            let maker = Maker {
                operation: id,
                owner: operation.owner.clone(),
                name: operation.name.clone(),
                descriptor: operation.descriptor.clone(),
            };
            self.makers.entry(made.clone()).or_default().push(maker);
        }
    }

    /// Statements that make the value, which is the last one's; `None` if no operations do.
    pub(crate) fn sequence_of(&self, value: &Described) -> Option<Sequence> {
        let mut sequence = Sequence::new();
        self.push(value, &Type::object(), &mut sequence)?;
        Some(sequence)
    }

    /// What makes the value of the platform with the text of numbers, and these.
    fn made_of_numbers(&self, class: &ClassName, text: &str) -> Option<(OperationId, Vec<Literal>)> {
        if class.internal() == DURATION {
            let (unit, number) = in_largest_unit(text)?;
            let maker = *self.of_numbers.get(&(class.clone(), format!("of{unit}").into(), 1))?;
            return Some((maker, vec![Literal::Long(number.into())]));
        }
        // Dates and times, but for those with a sign.
        if !class.internal().starts_with("java/time/") || !text.starts_with(|first: char| first.is_ascii_digit()) {
            return None;
        }
        let numbers: Option<Vec<i32>> = text.split(['-', ':', 'T']).map(|part| part.parse().ok()).collect();
        let numbers = numbers?;
        let maker = *self.of_numbers.get(&(class.clone(), "of".into(), numbers.len()))?;
        Some((maker, numbers.into_iter().map(Literal::Int).collect()))
    }

    fn constant(&self, class: &ClassName, name: &str) -> Option<OperationId> {
        let mut own = self.constants.get(class)?.iter();
        own.rfind(|(own, _)| &**own == name).map(|(_, constant)| *constant)
    }

    fn push_call(&self, operation: OperationId, made: &Made, sequence: &mut Sequence) -> Option<usize> {
        let arguments = made.arguments.iter().zip(&made.descriptor.parameters);
        let inputs: Option<Vec<usize>> = arguments.map(|(value, of)| self.push(value, of, sequence)).collect();
        Some(sequence.push_call(operation, &inputs?))
    }

    /// Adds the statements that make a value.
    fn push(&self, value: &Described, of: &Type, sequence: &mut Sequence) -> Option<usize> {
        Some(match value {
            Described::Null => sequence.push_literal(Literal::Null(of.clone())),
            Described::Literal(literal) => sequence.push_literal(literal.clone()),
            Described::Constant(class, name) => sequence.push_call(self.constant(class, name)?, &[]),
            Described::Text(class, text) if !self.readers.contains_key(class) => {
                let (maker, numbers) = self.made_of_numbers(class, &text.to_string())?;
                let inputs: Vec<usize> = numbers.into_iter().map(|number| sequence.push_literal(number)).collect();
                sequence.push_call(maker, &inputs)
            }
            Described::Text(class, text) => {
                let reader = *self.readers.get(class)?;
                let text = sequence.push_literal(Literal::String(text.clone()));
                sequence.push_call(reader, &[text])
            }
            Described::Elements(ElementsKind::List, elements) => {
                let (list, array) = self.list?;
                let text = |element: &Described| matches!(element, Described::Literal(Literal::String(_)));
                if !elements.iter().all(text) {
                    return None;
                }
                let inputs: Option<Vec<usize>> =
                    elements.iter().map(|element| self.push(element, &Type::string(), sequence)).collect();
                let array = sequence.push_call(array, &inputs?);
                sequence.push_call(list, &[array])
            }
            Described::Array(of, elements) => {
                let Type::Array(element) = of else { return None };
                let array = *self.arrays.get(of)?;
                let inputs: Option<Vec<usize>> =
                    elements.iter().map(|part| self.push(part, element, sequence)).collect();
                sequence.push_call(array, &inputs?)
            }
            Described::Record(class, parts) => {
                let is_it =
                    |maker: &&Maker| &*maker.name == "<init>" && maker.descriptor.parameters.len() == parts.len();
                let maker = self.makers.get(class)?.iter().find(is_it)?;
                let parts = parts.iter().zip(&maker.descriptor.parameters);
                let inputs: Option<Vec<usize>> = parts.map(|(part, of)| self.push(part, of, sequence)).collect();
                sequence.push_call(maker.operation, &inputs?)
            }
            Described::Object(class, _, Spelling(Some(made))) if made.is_constant => {
                sequence.push_call(self.constant(class, &made.name)?, &[])
            }
            Described::Object(class, _, Spelling(Some(made))) => {
                let is_it = |maker: &&Maker| {
                    (&maker.owner, &maker.name, &maker.descriptor) == (&made.owner, &made.name, &made.descriptor)
                };
                let maker = self.makers.get(class)?.iter().find(is_it)?;
                self.push_call(maker.operation, made, sequence)?
            }
            _ => return None,
        })
    }
}

/// Finds spellings, and remembers them.
#[derive(Debug)]
pub struct Speller {
    writer: Writer,
    equals: OperationId,
    known: Mutex<FxHashMap<Described, Spelling>>,
}

impl Speller {
    /// With the calls that the program knows.
    pub fn new(program: &Program) -> Speller {
        Speller { writer: Writer::new(&program.operations), equals: program.checks.equals, known: Mutex::default() }
    }

    /// The content with spellings of the objects in it, as far as there are any.
    fn spelled(&self, content: &Described, executor: &mut dyn Executor) -> Result<Described, ExecutorError> {
        let mut all = |parts: &[Described]| -> Result<Vec<Described>, ExecutorError> {
            parts.iter().map(|part| self.spelled(part, executor)).collect()
        };
        Ok(match content {
            Described::Object(class, fields, _) => {
                let fields = all(fields)?;
                let spelling = self.spelling_of(class, &fields, executor)?;
                Described::Object(class.clone(), fields, spelling)
            }
            Described::Record(class, parts) => Described::Record(class.clone(), all(parts)?),
            Described::Elements(kind, parts) => Described::Elements(*kind, all(parts)?),
            Described::Array(of, parts) => Described::Array(of.clone(), all(parts)?),
            Described::Optional(class, Some(part)) => {
                Described::Optional(class.clone(), Some(Box::new(self.spelled(part, executor)?)))
            }
            Described::Content(class, part) => {
                Described::Content(class.clone(), Box::new(self.spelled(part, executor)?))
            }
            Described::Entry(pair) => {
                let (key, value) = &**pair;
                Described::Entry(Box::new((self.spelled(key, executor)?, self.spelled(value, executor)?)))
            }
            Described::Map(pairs) => {
                let mut spelled = Vec::with_capacity(pairs.len());
                for (key, value) in pairs {
                    spelled.push((self.spelled(key, executor)?, self.spelled(value, executor)?));
                }
                Described::Map(spelled)
            }
            Described::Null
            | Described::Literal(_)
            | Described::Constant(..)
            | Described::Text(..)
            | Described::Optional(_, None) => content.clone(),
        })
    }

    /// How an object with these fields is made; it depends on nothing else.
    fn spelling_of(
        &self,
        class: &ClassName,
        fields: &[Described],
        executor: &mut dyn Executor,
    ) -> Result<Spelling, ExecutorError> {
        let object = Described::Object(class.clone(), fields.to_vec(), Spelling::default());
        if let Some(known) = self.known.lock().expect("no search for a spelling panics").get(&object) {
            return Ok(known.clone());
        }
        let mut spelling = Spelling::default();
        for batch in self.tries(class, fields).chunks(BATCH) {
            let sequences: Vec<Sequence> = batch.iter().map(|(_, sequence)| sequence.clone()).collect();
            let runs = executor.execute(&sequences, Detail::Observe)?;
            let found = batch.iter().zip(&runs).find(|(_, run)| makes(run, &object));
            if let Some(((made, _), _)) = found {
                spelling = Spelling(Some(Arc::new(made.clone())));
                break;
            }
        }
        self.known.lock().expect("no search for a spelling panics").insert(object, spelling.clone());
        Ok(spelling)
    }

    /// Calls that may make the object, and sequences that make two and compare them; short calls come first.
    fn tries(&self, class: &ClassName, fields: &[Described]) -> Vec<(Made, Sequence)> {
        let constants = self.writer.constants.get(class).into_iter().flatten().take(MOST_TRIES);
        let constants = constants.map(|(name, constant)| {
            let descriptor = MethodDescriptor { parameters: Vec::new(), returns: Some(Type::Class(class.clone())) };
            let (owner, name) = (class.clone(), name.clone());
            let made = Made { owner, name, is_constant: true, descriptor, arguments: Vec::new() };
            let mut sequence = Sequence::new();
            let [one, other] = [0, 1].map(|_| sequence.push_call(*constant, &[]));
            sequence.push_call(self.equals, &[one, other]);
            (made, sequence)
        });
        let mut tries: Vec<(usize, Made, Sequence)> = Vec::new();
        for maker in self.writer.makers.get(class).into_iter().flatten() {
            let choices = maker.descriptor.parameters.iter().map(|of| arguments(fields, of));
            for arguments in product(&choices.collect::<Vec<_>>()) {
                let length = 8 * arguments.len() + arguments.iter().map(length).sum::<usize>();
                let made = Made {
                    owner: maker.owner.clone(),
                    name: maker.name.clone(),
                    is_constant: false,
                    descriptor: maker.descriptor.clone(),
                    arguments,
                };
                let mut sequence = Sequence::new();
                let one = self.writer.push_call(maker.operation, &made, &mut sequence);
                let other = self.writer.push_call(maker.operation, &made, &mut sequence);
                if let Some((one, other)) = one.zip(other) {
                    sequence.push_call(self.equals, &[one, other]);
                    tries.push((length, made, sequence));
                }
            }
        }
        tries.sort_by_key(|(length, ..)| *length);
        tries.truncate(MOST_TRIES);
        constants.chain(tries.into_iter().map(|(_, made, sequence)| (made, sequence))).collect()
    }
}

/// Whether the run made the object, and one that equals it.
fn makes(run: &Execution, object: &Described) -> bool {
    let is_quiet = run.outcome == Outcome::Completed && !run.may_vary() && run.residual_state.is_none();
    let is_it =
        |value: &Value| matches!(value, Value::Object { observed: Observed::Value(content), .. } if content == object);
    is_quiet
        && run.values.last() == Some(&Value::Literal(Literal::Boolean(true)))
        && run.values.get(run.values.len().wrapping_sub(2)).is_some_and(is_it)
}

/// What of the fields can be given to a parameter of the type, as it is or as text.
fn arguments(fields: &[Described], of: &Type) -> Vec<Described> {
    let mut found: Vec<Described> = Vec::new();
    for argument in fields.iter().filter_map(|field| argument(field, of)) {
        if !found.contains(&argument) {
            found.push(argument);
        }
    }
    found.truncate(MOST_ARGUMENTS);
    found
}

fn argument(field: &Described, of: &Type) -> Option<Described> {
    let is_class = |class: &ClassName| of.class_name() == Some(class);
    let is_any = |classes: &[&str]| of.class_name().is_some_and(|class| classes.contains(&class.internal()));
    if of.is_string() {
        return text_of(field).map(|text| Described::Literal(Literal::String(text)));
    }
    let is_it = match field {
        Described::Null => !of.is_primitive(),
        Described::Literal(literal) => literal.literal_type() == *of,
        Described::Constant(class, _)
        | Described::Text(class, _)
        | Described::Record(class, _)
        | Described::Object(class, _, Spelling(Some(_))) => is_class(class),
        Described::Array(own, _) => own == of && elements_in(field) <= MOST_ELEMENTS,
        Described::Elements(ElementsKind::List, _) => {
            is_any(&["java/util/List", "java/util/Collection", "java/lang/Iterable"])
        }
        _ => false,
    };
    is_it.then(|| field.clone())
}

/// The elements of an array, or of its rows.
fn elements_in(array: &Described) -> usize {
    array.all().into_iter().filter(|part| !matches!(part, Described::Array(..))).count()
}

/// What a person would write between quotes.
fn text_of(field: &Described) -> Option<JavaString> {
    match field {
        Described::Literal(Literal::String(text)) | Described::Text(_, text) => Some(text.clone()),
        Described::Literal(Literal::Int(number)) => Some(number.to_string().as_str().into()),
        Described::Literal(Literal::Long(number)) => Some(number.to_string().as_str().into()),
        Described::Constant(_, name) => Some(name.as_str().into()),
        _ => None,
    }
}

/// How much there is to read.
fn length(value: &Described) -> usize {
    let own = match value {
        Described::Literal(Literal::String(text)) => 2 + text.units().len(),
        Described::Text(class, text) => 6 + class.simple().len() + text.units().len(),
        _ => 4,
    };
    own + value.parts().into_iter().map(length).sum::<usize>()
}

/// Each way to take one of each, the last ones changing first, at most [`MOST_TRIES`].
fn product(choices: &[Vec<Described>]) -> Vec<Vec<Described>> {
    let mut found = vec![Vec::new()];
    for choice in choices {
        let with = |front: &Vec<Described>| {
            choice.iter().map(|last| [&front[..], std::slice::from_ref(last)].concat()).collect::<Vec<_>>()
        };
        found = found.iter().flat_map(with).take(MOST_TRIES).collect();
    }
    found
}

/// Runs sequences as another executor does, and adds spellings to what is observed.
pub struct SpellingExecutor {
    inner: Box<dyn Executor>,
    speller: Arc<Speller>,
}

impl SpellingExecutor {
    /// An executor around another one.
    pub fn new(inner: Box<dyn Executor>, speller: Arc<Speller>) -> SpellingExecutor {
        SpellingExecutor { inner, speller }
    }
}

impl Executor for SpellingExecutor {
    fn execute(&mut self, sequences: &[Sequence], detail: Detail) -> Result<Vec<Execution>, ExecutorError> {
        let mut runs = self.inner.execute(sequences, detail)?;
        // What else is run in between would change what sequences leave behind for one another.
        if detail == Detail::Observe {
            for value in runs.iter_mut().flat_map(|run| &mut run.values) {
                if let Value::Object { observed: Observed::Value(content), .. } = value
                    && !content.can_be_made()
                {
                    *content = self.speller.spelled(content, self.inner.as_mut())?;
                }
            }
        }
        Ok(runs)
    }

    fn restart(&mut self) -> Result<(), ExecutorError> {
        self.inner.restart()
    }

    fn freshen(&mut self) -> Result<(), ExecutorError> {
        self.inner.freshen()
    }
}

#[cfg(test)]
mod tests;
