//! What a test is about: the method, the condition under which it is called, and the outcome.
//!
//! Names, the order of tests and which of them belong together follow from it. The condition is known in several degrees,
//! from what is special about the arguments to everything that was said to the object before, so that a test needs to tell
//! no more than sets it apart from the others of its method.

use super::TestCase;
use super::argument::argument_word;
use super::compared::compared_word;
use super::facts::facts;
use super::literal::text_of_bytes;
use super::message::{Said, said};
use super::method::{ClassContext, extent, subject};
use super::outcome::{Says, outcome};
use super::text_kind::{alike_word, is_single_letter};
use super::unknown::unknown_word;
use super::variables::{capitalized, last_segment};
use super::words::{
    ArgumentWord, TEXT_SHOWN, all, constant_word, content_word, distinct, is_plain, joined, named_unless_vague,
    sized_word, special, type_word, value_word, words_of,
};
use model::execution::{Observed, Value};
use model::jvm::types::access;
use model::jvm::{Literal, Type};
use model::sequence::{Action, Operation, OperationKind};
use std::collections::BTreeSet;

/// Calls before that a condition names.
const CALLS_SHOWN: usize = 3;

/// What a test is about, in words of Java names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Purpose {
    /// `push`, `newStack`, `setLimit`.
    pub subject: String,
    /// The position of the subject among the operations; later ones stand later in the class.
    pub order: usize,
    /// `nullItem`, `onNewStack`, `afterPush`: from the most natural to the most telling, the first may be empty.
    pub conditions: Vec<String>,
    /// `nullItem`, `afterClear`: one thing each.
    pub facts: Vec<String>,
    /// `hoursAbove24`: what is so at the branches of the subject, in the order of its code.
    pub branches: Vec<String>,
    /// The first condition is what a message says, what is special about an argument, or what the outcome does not say yet.
    pub is_special: bool,
    /// `returnsTrue`, `throwsIllegalStateException`, `sizeIs3`.
    pub outcome: String,
    /// The subject throws.
    pub throws: bool,
}

/// What the test of a case is about that asserts the values of these statements.
pub(super) fn purpose(case: &TestCase, asserted: &BTreeSet<usize>, context: &ClassContext<'_>) -> Purpose {
    let Ok(at) = subject(case) else {
        let (subject, outcome) = ("nothing".to_string(), "runs".to_string());
        let (conditions, facts) = (vec![String::new()], Vec::new());
        let (branches, is_special) = (Vec::new(), false);
        return Purpose { subject, order: usize::MAX, conditions, facts, branches, is_special, outcome, throws: false };
    };
    let order = match &case.sequence.statements()[at].action {
        Action::Call(operation) => operation.0 as usize,
        Action::Literal(_) => usize::MAX,
    };
    let (mut conditions, is_special) = conditions(case, at, context);
    let (outcome, says) = outcome(case, at, asserted, context);
    let says_condition = says != Says::Outcome;
    // What was done to the receiver before is left to say, unless it is compared with an equal object or the outcome says it.
    if says_condition {
        let before = deciding(case, at, context).map(|deciding| deciding.before);
        let is_said = says == Says::All || context.operation(case, at).is_some_and(Operation::is_equals);
        conditions.insert(0, before.filter(|_| !is_said).unwrap_or_default());
    }
    Purpose {
        subject: tested(case, at, context),
        order,
        conditions,
        facts: facts(case, at, asserted, context),
        branches: case.branches.clone(),
        is_special: is_special || says_condition,
        outcome,
        throws: extent(case).is_ok_and(|(_, thrown)| thrown.is_some()),
    }
}

/// `push`, `newStack`, `setLimit`.
pub(super) fn tested(case: &TestCase, subject: usize, context: &ClassContext<'_>) -> String {
    let Some(operation) = context.operation(case, subject) else { return "value".to_string() };
    match operation.kind {
        OperationKind::Constructor | OperationKind::Implementation => {
            format!("new{}", capitalized(last_segment(&operation.owner)))
        }
        OperationKind::SetField | OperationKind::SetStatic => format!("set{}", capitalized(&operation.name)),
        OperationKind::Array => "newArray".to_string(),
        OperationKind::Cast => format!("castTo{}", capitalized(&type_word(operation.output.as_ref()))),
        _ => operation.name.to_string(),
    }
}

/// The conditions, from the most natural to the most telling; and whether the first is what a message says, or special about an
/// argument.
fn conditions(case: &TestCase, subject: usize, context: &ClassContext<'_>) -> (Vec<String>, bool) {
    let arguments = arguments(case, subject, context);
    let state = state(case, subject, context, EarlierCalls::Short);
    let special = special(&arguments);
    let whole = all(&arguments);
    let long_state = self::state(case, subject, context, EarlierCalls::Long);
    let setup = setup(case, subject, context);
    let objects = all(&objects(case, subject, context));
    let Said { words: said, is_vague } = said(case).unwrap_or_default();
    // What the code itself says is wrong is the condition; what it wants is said where no argument stands out, as null does only
    // if the message is about it.
    let is_about_null =
        case.message.as_ref().is_some_and(|message| message.to_string().to_lowercase().contains("null"));
    let stands_out = |word: &ArgumentWord| match word {
        ArgumentWord::Special(word) => is_about_null || !word.starts_with("null"),
        ArgumentWord::Plain(_) => false,
    };
    let deciding = deciding(case, subject, context);
    let known = deciding.as_ref().map_or(&arguments, |deciding| &deciding.words);
    let is_said = !said.is_empty() && (!known.iter().any(stands_out) || !is_vague);
    // What a message says of a call says more than that its object is new.
    let with_said = |more: &str| match is_said && !more.starts_with("onNew") {
        true => add(&said, more),
        false => String::new(),
    };
    let (natural, is_special) = match &deciding {
        _ if let Some(word) = unknown_word(case, subject, context) => (word, true),
        _ if is_said => (said.clone(), true),
        Some(deciding) if !deciding.is_empty() => {
            (add(&deciding.given, &deciding.before), !self::special(&deciding.words).is_empty())
        }
        // Where nothing decides, no more is said than that an argument is none, unless there are few outcomes.
        Some(_) if !has_few_outcomes(case, subject) => {
            let none = special_of_none(&arguments);
            let is_special = !none.is_empty();
            // That the object is new may be all there is to say.
            let natural = if is_special || !state.starts_with("onNew") { none } else { state.clone() };
            (natural, is_special)
        }
        _ => {
            let made_of = called_on(case, subject, context).and_then(|on| content(case, on));
            let made_of = made_of.map_or(String::new(), |content| format!("of{content}"));
            let natural = match (special.is_empty(), state.starts_with("after")) {
                // What was done before may matter as much as the argument.
                (false, true) => add(&special, &state),
                (false, false) => special.clone(),
                (true, true) => state.clone(),
                // What an object is made of says less than that it is new where nothing of it decides.
                (true, false) => {
                    let of_object = if deciding.is_some() { [&state, &made_of] } else { [&made_of, &state] };
                    let mut all = [&whole, &objects].into_iter().chain(of_object);
                    all.find(|one| !one.is_empty()).cloned().unwrap_or_default()
                }
            };
            (natural, !special.is_empty())
        }
    };
    // Of a method that objects of several classes have, the class of this one says more than nothing.
    let of_class = || {
        let on = called_on(case, subject, context)?;
        let declared = context.operation(case, subject)?.inputs.first()?;
        kind_word(case, on, declared, context).map(|class| format!("of{class}"))
    };
    let natural = if natural.is_empty() { of_class().unwrap_or_default() } else { natural };
    let of_deciders = deciding.map_or_else(Vec::new, |Deciding { given, before, .. }| {
        [add(&given, &before), given, before].map(|more| if is_said { with_said(&more) } else { more }).to_vec()
    });
    let mut conditions = vec![natural];
    for condition in of_deciders.into_iter().chain([
        with_said(if special.is_empty() { &whole } else { &special }),
        with_said(&setup),
        with_said(&state),
        with_said(&objects),
        whole.clone(),
        add(&special, &state),
        add(&whole, &state),
        add(&whole, &setup),
        add(&objects, &setup),
        add(&whole, &long_state),
        add(&add(&whole, &long_state), &setup),
        add(&add(&whole, &others(case, subject, context)), &setup),
    ]) {
        if !condition.is_empty() && !conditions.contains(&condition) {
            conditions.push(condition);
        }
    }
    (conditions, is_special)
}

/// `nullName`, `emptyKey`: the first argument that is nothing or empty.
fn special_of_none(arguments: &[ArgumentWord]) -> String {
    let is_none = |word: &&ArgumentWord| match word {
        ArgumentWord::Special(word) => ["null", "empty", "blank"].iter().any(|none| word.starts_with(none)),
        ArgumentWord::Plain(_) => false,
    };
    arguments.iter().find(is_none).cloned().map_or(String::new(), ArgumentWord::into_word)
}

/// `nullNameAfterClose`
fn add(condition: &str, more: &str) -> String {
    match (condition.is_empty(), more.is_empty()) {
        (true, _) => more.to_string(),
        (_, true) => condition.to_string(),
        _ => format!("{condition}{}", capitalized(more)),
    }
}

/// What decides the outcome, in words.
struct Deciding {
    /// The arguments of the subject.
    words: Vec<ArgumentWord>,
    /// These together: `nullName`, `withWidth3`.
    given: String,
    /// What was done to its receiver, or that was made of: `afterSetWidth3`, `ofWidth3`.
    before: String,
}

impl Deciding {
    fn is_empty(&self) -> bool {
        self.given.is_empty() && self.before.is_empty()
    }
}

/// Whether the call returned true, false, null or nothing.
fn has_few_outcomes(case: &TestCase, subject: usize) -> bool {
    matches!(case.execution.values.get(subject), Some(Value::Null | Value::Void | Value::Literal(Literal::Boolean(_))))
}

/// What decides the outcome, if that is known.
fn deciding(case: &TestCase, subject: usize, context: &ClassContext<'_>) -> Option<Deciding> {
    case.deciders.as_ref()?;
    let words = given(case, subject, context);
    let past = state(case, subject, context, EarlierCalls::Deciding);
    let on = called_on(case, subject, context);
    let before = match on.filter(|_| past.is_empty()) {
        Some(on) if decides(case, on) => made_of(case, on, &given(case, on, context)),
        _ => past,
    };
    let given = all(&words);
    // Of two operands alike one says what they are.
    let is_said = before.strip_prefix("of").is_some_and(|of| given.strip_prefix("with") == Some(of));
    Some(Deciding { given, words, before: if is_said { String::new() } else { before } })
}

/// The arguments of a call that decide the outcome.
fn given(case: &TestCase, statement: usize, context: &ClassContext<'_>) -> Vec<ArgumentWord> {
    let is_wanted = |made_by: usize| decides(case, made_by);
    let words = argument_words(case, statement, &is_wanted, context);
    if words.is_empty() { object_words(case, statement, &is_wanted, context) } else { words }
}

/// Whether the outcome depends on the value: on a literal, or one of those that it was made of.
fn decides(case: &TestCase, statement: usize) -> bool {
    case.deciders.as_ref().is_none_or(|deciders| deciders.contains(&statement))
        || case.sequence.inputs_of(statement).any(|input| decides(case, input))
}

/// The arguments of a call, as far as there are words for them.
pub(super) fn arguments(case: &TestCase, statement: usize, context: &ClassContext<'_>) -> Vec<ArgumentWord> {
    argument_words(case, statement, &|_| true, context)
}

/// Words for those arguments of a call that are made by wanted statements.
fn argument_words(
    case: &TestCase,
    statement: usize,
    is_wanted: &dyn Fn(usize) -> bool,
    context: &ClassContext<'_>,
) -> Vec<ArgumentWord> {
    if let Some(word) = compared_word(case, statement, context) {
        return vec![ArgumentWord::Special(word)];
    }
    let taken = taken(case, statement, is_wanted, context);
    if let Some(word) = alike(case, statement, &taken, context) {
        return vec![ArgumentWord::Special(word)];
    }
    // What an object is made of is no condition by its kind.
    let is_own = subject(case).is_ok_and(|subject| subject == statement);
    let is_letter =
        |argument: &Argument| is_own && case.sequence.literal_at(argument.made_by).is_some_and(is_single_letter);
    let is_only_letter = taken.iter().filter(|argument| is_letter(argument)).count() == 1;
    let word = |argument: &Argument| match is_only_letter && is_letter(argument) {
        true => Some(ArgumentWord::Plain(format!("SingleLetter{}", named_unless_vague(&capitalized(&argument.word))))),
        false => argument_word(case, argument.made_by, &argument.word, context),
    };
    // `withTrim(false)` is called so by itself.
    let says = |with: String| is_own && context.operation(case, statement).is_some_and(|it| *it.name == *with);
    let own_truth = |argument: &Argument| match case.sequence.literal_at(argument.made_by) {
        Some(Literal::Boolean(is_true)) if says(format!("with{}", capitalized(&argument.word))) => {
            Some(ArgumentWord::Special(is_true.to_string()))
        }
        _ => None,
    };
    taken.iter().filter_map(|argument| own_truth(argument).or_else(|| word(argument))).collect()
}

/// `equalTexts`, `differentTexts`: the two arguments of a call that compares them.
pub(super) fn arguments_alike(case: &TestCase, statement: usize, context: &ClassContext<'_>) -> Option<String> {
    alike(case, statement, &taken(case, statement, &|_| true, context), context)
}

fn alike(case: &TestCase, statement: usize, taken: &[Argument], context: &ClassContext<'_>) -> Option<String> {
    let ([one, other], 2) = (taken, context.operation(case, statement)?.descriptor.parameters.len()) else {
        return None;
    };
    let literal = |argument: &Argument| case.sequence.literal_at(argument.made_by);
    let Some(Value::Literal(returned)) = case.execution.values.get(statement) else { return None };
    alike_word([literal(one)?, literal(other)?], returned)
}

/// The texts of a call by their letters, whatever their kind: `OptA`, `NameKeyValue`.
pub(super) fn letters(case: &TestCase, statement: usize, context: &ClassContext<'_>) -> Vec<ArgumentWord> {
    let word = |argument: Argument| {
        let Some(Literal::String(text)) = case.sequence.literal_at(argument.made_by) else { return None };
        let words = words_of(&text.to_string(), TEXT_SHOWN);
        let named = capitalized(&argument.word);
        (!words.is_empty()).then(|| ArgumentWord::Plain(format!("{}{words}", named_unless_vague(&named))))
    };
    taken(case, statement, &|_| true, context).into_iter().filter_map(word).collect()
}

/// An argument of a call.
struct Argument<'a> {
    /// The statement that makes it.
    made_by: usize,
    /// The declared type of its parameter; an array has one for all elements.
    taken_as: Option<&'a Type>,
    /// The word for its parameter.
    word: String,
}

/// The arguments of a call that are made by wanted statements.
fn taken<'a>(
    case: &TestCase,
    statement: usize,
    is_wanted: &dyn Fn(usize) -> bool,
    context: &ClassContext<'a>,
) -> Vec<Argument<'a>> {
    let Some(operation) = context.operation(case, statement) else { return Vec::new() };
    let inputs = case.sequence.inputs_of(statement).skip(usize::from(operation.has_receiver())).enumerate();
    let argument = |(slot, made_by)| {
        let taken_as = operation.descriptor.parameters.get(slot);
        Argument { made_by, taken_as, word: parameter_word(operation, slot, context) }
    };
    // What an anonymous class answers goes without saying.
    let is_declared = |slot: usize| {
        let is_anonymous = operation.kind == OperationKind::Implementation && !operation.is_functional();
        !is_anonymous || slot < operation.descriptor.parameters.len()
    };
    inputs.filter(|(slot, made_by)| is_declared(*slot) && is_wanted(*made_by)).map(argument).collect()
}

/// The arguments of a call that are objects, where their content can be said: `Amount5Euros`, `Other1And2`; or the elements of an
/// array, or a class: `DashA`, `PosixParser`.
pub(super) fn objects(case: &TestCase, statement: usize, context: &ClassContext<'_>) -> Vec<ArgumentWord> {
    object_words(case, statement, &|_| true, context)
}

fn object_words(
    case: &TestCase,
    statement: usize,
    is_wanted: &dyn Fn(usize) -> bool,
    context: &ClassContext<'_>,
) -> Vec<ArgumentWord> {
    let Some(operation) = context.operation(case, statement) else { return Vec::new() };
    let words = taken(case, statement, is_wanted, context).into_iter().filter_map(|argument| {
        let Argument { made_by, taken_as, word } = argument;
        if argument_word(case, made_by, &word, context).is_some() {
            return None;
        }
        let taken_as = taken_as?;
        let word = match content(case, made_by) {
            Some(content) => format!("{}{content}", capitalized(&word)),
            None => kind_word(case, made_by, taken_as, context)?,
        };
        Some((word, taken_as))
    });
    let words: Vec<(String, &Type)> = words.collect();
    match operation.descriptor.parameters.as_slice() {
        // Operands alike: how many there are says more than what each is.
        [first, rest @ ..] if rest.len() >= 2 && words.len() == 1 + rest.len() && rest.iter().all(|it| it == first) => {
            vec![ArgumentWord::Plain(format!("{}{}s", words.len(), capitalized(&type_word(Some(first)))))]
        }
        _ => distinct(words.into_iter().map(|(word, _)| word)).into_iter().map(ArgumentWord::Plain).collect(),
    }
}

/// Elements of an array that a name says.
const ELEMENTS_SHOWN: usize = 2;

/// `DashAAndB`, `3Elements`: what an array holds; `PosixParser`: the class of an object where the parameter takes those of others, too.
pub(super) fn kind_word(case: &TestCase, input: usize, taken_as: &Type, context: &ClassContext<'_>) -> Option<String> {
    let operation = context.operation(case, input)?;
    if operation.kind == OperationKind::Array {
        let elements: Vec<usize> = case.sequence.inputs_of(input).collect();
        if let Some(text) = text_of_bytes(elements.iter().map(|at| case.sequence.literal_at(*at))) {
            return Some(capitalized(&value_word(&Literal::String(text), "").into_word()));
        }
        let word = |at: &usize| Some(capitalized(&value_word(case.sequence.literal_at(*at)?, "").into_word()));
        return match elements.len() {
            0..=ELEMENTS_SHOWN => {
                elements.iter().map(word).collect::<Option<Vec<String>>>().map(|words| joined(&words))
            }
            size => Some(sized_word(size, false)),
        };
    }
    let Some(Value::Object { class, .. }) = case.execution.values.get(input) else { return None };
    if *class == Type::object() {
        return Some("PlainObject".to_string());
    }
    // A class that is not public may have another name on another platform, or in another run: then the declared one says it.
    let is_public = |of: &&Type| {
        let facts = of.class_name().and_then(|name| context.types.get(name));
        facts.is_some_and(|facts| facts.access & access::PUBLIC != 0)
    };
    let class = [Some(class), operation.output.as_ref()].into_iter().flatten().find(is_public)?;
    let name = class.class_name().filter(|name| !name.internal().starts_with("java/util/"))?;
    let word = last_segment(name);
    let is_named = operation.kind != OperationKind::Implementation && is_plain(word);
    (is_named && class != taken_as && *class != Type::object()).then(|| word.to_string())
}

/// What the object that a statement made consists of.
pub(super) fn content(case: &TestCase, statement: usize) -> Option<String> {
    let Some(Value::Object { observed: Observed::Value(described), .. }) = case.execution.values.get(statement) else {
        return None;
    };
    content_word(described)
}

/// The statement that makes the object whose method is called.
pub(super) fn called_on(case: &TestCase, subject: usize, context: &ClassContext<'_>) -> Option<usize> {
    let receiver = context.operation(case, subject).filter(|operation| operation.has_receiver());
    receiver.and_then(|_| case.sequence.inputs_of(subject).next())
}

/// Which earlier calls on the receiver a condition names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EarlierCalls {
    /// The last two by their names.
    Short,
    /// All that are shown, with their arguments.
    Long,
    /// Those on which the outcome depends, with the arguments on which it does.
    Deciding,
}

/// What was called before on the object whose method is called: `afterPush`.
pub(super) fn calls_before(case: &TestCase, at: usize, context: &ClassContext<'_>) -> String {
    let state = state(case, at, context, EarlierCalls::Short);
    if state.starts_with("after") { state } else { String::new() }
}

/// What the object has been through: `onNewStack`, `afterPush`, `afterPushAndPop`.
fn state(case: &TestCase, subject: usize, context: &ClassContext<'_>, which: EarlierCalls) -> String {
    let Some(on) = called_on(case, subject, context) else { return String::new() };
    let is_shown = |call: usize| {
        let is_decider = case.deciders.as_ref().is_none_or(|deciders| deciders.contains(&call));
        which != EarlierCalls::Deciding
            || is_decider
            || case.sequence.inputs_of(call).skip(1).any(|input| decides(case, input))
    };
    let calls: Vec<usize> = (on + 1..subject)
        .filter(|&index| {
            context.operation(case, index).is_some_and(|operation| operation.kind == OperationKind::InstanceMethod)
                && case.sequence.inputs_of(index).next() == Some(on)
                && is_shown(index)
        })
        .collect();
    let name = |index: usize| {
        let name = tested(case, index, context);
        let arguments = match which {
            EarlierCalls::Short => Vec::new(),
            EarlierCalls::Long => arguments(case, index, context),
            EarlierCalls::Deciding => given(case, index, context),
        };
        match all(&arguments) {
            given if given.is_empty() => name,
            given => format!("{name}{}", capitalized(&given)),
        }
    };
    let mut words: Vec<String> = Vec::new();
    for &call in &calls {
        let word = name(call);
        match words.last_mut() {
            Some(last) if *last == word => *last = format!("{word}Twice"),
            Some(last) if last.strip_suffix("Twice") == Some(&word) => *last = format!("{word}Repeatedly"),
            Some(last) if last.strip_suffix("Repeatedly") == Some(&word) => {}
            _ => words.push(word),
        }
    }
    if words.is_empty() && which == EarlierCalls::Deciding {
        return String::new();
    }
    if words.is_empty() {
        return match context.operation(case, on) {
            Some(operation) if operation.kind == OperationKind::Constructor => {
                format!("onNew{}", capitalized(last_segment(&operation.owner)))
            }
            Some(operation) if operation.kind == OperationKind::GetStatic && is_plain(&operation.name) => {
                format!("of{}", constant_word(&operation.name))
            }
            _ => String::new(),
        };
    }
    // The last ones say more.
    let shown = if which == EarlierCalls::Short { 2 } else { words.len() };
    let first = words.len().saturating_sub(shown.min(CALLS_SHOWN));
    format!("after{}", capitalized(&joined(&words[first..])))
}

/// What the receiver was made of: `ofCapacity0`, `of1And2`.
fn setup(case: &TestCase, subject: usize, context: &ClassContext<'_>) -> String {
    let Some(on) = called_on(case, subject, context) else { return String::new() };
    made_of(case, on, &arguments(case, on, context))
}

/// `ofCapacity0`, `of1And2`: what an object is made of, which these arguments say unless its content does.
fn made_of(case: &TestCase, made: usize, arguments: &[ArgumentWord]) -> String {
    if let Some(content) = content(case, made) {
        return format!("of{content}");
    }
    let given = all(arguments);
    let is_word = |rest: &&str| !rest.starts_with(char::is_lowercase);
    let given = given.strip_prefix("with").filter(is_word).unwrap_or(&given);
    if given.is_empty() { String::new() } else { format!("of{}", capitalized(given)) }
}

/// The other calls that made or changed what the subject uses: `usingOptionsAndAddOption`.
fn others(case: &TestCase, subject: usize, context: &ClassContext<'_>) -> String {
    let names = (0..subject).filter_map(|index| {
        let operation = context.operation(case, index)?;
        let is_call = matches!(
            operation.kind,
            OperationKind::Constructor | OperationKind::InstanceMethod | OperationKind::StaticMethod
        );
        let name = match operation.kind {
            OperationKind::Constructor => capitalized(last_segment(&operation.owner)),
            _ => operation.name.to_string(),
        };
        let given = all(&arguments(case, index, context));
        is_call.then(|| format!("{name}{}", capitalized(&given)))
    });
    let names = distinct(names);
    let last = names.len().saturating_sub(CALLS_SHOWN);
    if names.is_empty() { String::new() } else { format!("using{}", capitalized(&joined(&names[last..]))) }
}

/// Names of parameters that say no more than their types, which tell overloads apart.
const VAGUE_NAMES: [&str; 14] = [
    "array", "bytes", "chars", "content", "data", "input", "obj", "object", "source", "str", "string", "text", "val",
    "value",
];

/// The parameter's name, or its type's where that tells overloads apart.
pub(super) fn parameter_word(operation: &Operation, slot: usize, context: &ClassContext<'_>) -> String {
    let arity = operation.descriptor.parameters.len();
    let is_overloaded = || context.types.overloads(&operation.owner, &operation.name, arity).len() > 1;
    let says_something = |name: &str| {
        let is_word = name.len() > 1 && is_plain(name) && !name.ends_with(|last: char| last.is_ascii_digit());
        is_word && !(VAGUE_NAMES.contains(&name) && is_overloaded())
    };
    match operation.parameter_names.get(slot) {
        Some(name) if says_something(name) => name.to_string(),
        // What an anonymous class is made of beyond its parameters has no name.
        _ => operation.descriptor.parameters.get(slot).map_or_else(String::new, |of| type_word(Some(of))),
    }
}
