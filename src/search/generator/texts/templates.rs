//! Sequences with room for a text, or for a list of words.

use crate::generator::program_model::ProgramModel;
use model::execution::MARKER;
use model::jvm::{JavaString, Literal, Primitive, Type, TypeArgument};
use model::sequence::{Action, Operation, OperationId, OperationKind, Sequence, TEMPORARY_FILES};
use rustc_hash::FxBuildHasher;
use std::collections::BTreeSet;
use std::hash::BuildHasher;
use std::sync::Arc;

use super::Place;

/// Longer sequences do more than to hand a text to a parser.
const STATEMENTS: usize = 12;

/// Between the words of a list, in the text that stands for it.
pub const SEPARATOR: u16 = b' ' as u16;
/// Markers behind a text: who looks for a word looks first whether there is room for it.
const MARKERS: usize = 8;

/// A sequence whose last call depends on a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    pub place: Place,
    pub sequence: Arc<Sequence>,
    /// The statement of the text, or of the array of its words.
    pub at: usize,
    /// What makes the array, if the words of the text are given one by one.
    pub words: Option<OperationId>,
}

impl Template {
    /// The sequence with the text.
    pub fn with(&self, units: &[u16]) -> Sequence {
        self.with_words_of(units, &[])
    }

    /// The sequence with the text and the marker behind it.
    pub fn probing(&self, units: &[u16]) -> Sequence {
        self.with_words_of(units, &[MARKER; MARKERS])
    }

    fn with_words_of(&self, units: &[u16], markers: &[u16]) -> Sequence {
        let text = |units: &[u16]| Literal::String(JavaString::from_units(units));
        let Some(array) = self.words else {
            return self.sequence.with_literal(self.at, text(&[units, markers].concat()));
        };
        let mut made = self.sequence.prefix(self.at);
        // Behind the last separator a word begins, which nobody has written yet.
        let marked = [units, markers].concat();
        let words = marked.split(|&unit| unit == SEPARATOR).filter(|word| !word.is_empty());
        let words: Vec<usize> = words.map(|word| made.push_literal(text(word))).collect();
        let moved = made.push_call(array, &words) - self.at;
        for at in self.at + 1..self.sequence.len() {
            let inputs = self.sequence.inputs_of(at).map(|input| if input < self.at { input } else { input + moved });
            let inputs: Vec<usize> = inputs.collect();
            made.push(self.sequence.statements()[at].action.clone(), &inputs);
        }
        made
    }

    /// What is around a list of words, as a parser of such a list often knows only what it was told before.
    pub fn surroundings(&self) -> u64 {
        let Some(array) = self.words else { return 0 };
        let called: BTreeSet<OperationId> = self.sequence.calls().filter(|&called| called != array).collect();
        FxBuildHasher.hash_one(called)
    }
}

/// Operations of the platform that make what parsers read of a text, where the program has them.
#[derive(Default)]
pub struct Wrappers {
    characters: Option<OperationId>,
    bytes: Option<(OperationId, OperationId)>,
    reader: Option<OperationId>,
    stream: Option<OperationId>,
    buffered: Option<OperationId>,
    buffer: Option<OperationId>,
    scanner: Option<OperationId>,
    /// In the directory of the sequence.
    path: Option<OperationId>,
    file: Option<OperationId>,
    /// Of strings.
    array: Option<OperationId>,
    list: Option<OperationId>,
}

impl Wrappers {
    pub fn of(operations: &[Operation]) -> Wrappers {
        let position =
            |is_it: &dyn Fn(&Operation) -> bool| operations.iter().position(is_it).map(|at| OperationId(at as u32));
        let find = |owner: &str, name: &str, parameters: &[Type]| {
            position(&|operation| {
                operation.owner.internal() == owner
                    && &*operation.name == name
                    && operation.descriptor.parameters == parameters
            })
        };
        let bytes = Type::Array(Arc::new(Type::Primitive(Primitive::Byte)));
        Wrappers {
            characters: find("java/lang/String", "toCharArray", &[]),
            bytes: find("java/nio/charset/StandardCharsets", "UTF_8", &[]).zip(find(
                "java/lang/String",
                "getBytes",
                &[Type::class("java/nio/charset/Charset")],
            )),
            reader: find("java/io/StringReader", "<init>", &[Type::string()]),
            stream: find("java/io/ByteArrayInputStream", "<init>", std::slice::from_ref(&bytes)),
            buffered: find("java/io/BufferedReader", "<init>", &[Type::class("java/io/Reader")]),
            buffer: find("java/nio/ByteBuffer", "wrap", &[bytes]),
            scanner: find("java/util/Scanner", "<init>", &[Type::string()]),
            path: find(TEMPORARY_FILES, "file", &[Type::string()]),
            file: find("java/nio/file/Path", "toFile", &[]),
            array: position(&|operation| {
                operation.kind == OperationKind::Array && operation.output.as_ref().is_some_and(is_strings)
            }),
            list: position(&|operation| {
                (operation.owner.internal(), &*operation.name) == ("java/util/Arrays", "asList")
                    && operation.inputs.first().is_some_and(is_strings)
            }),
        }
    }

    /// Appends what makes a value of the type of the text; the statement, if there is a way.
    fn push(&self, of: &Type, text: usize, sequence: &mut Sequence) -> Option<usize> {
        let bytes = |sequence: &mut Sequence| {
            let (charset, bytes) = self.bytes?;
            let charset = sequence.push_call(charset, &[]);
            Some(sequence.push_call(bytes, &[text, charset]))
        };
        // What makes the value of the one before, in turn.
        let made = |sequence: &mut Sequence, from: usize, makers: &[Option<OperationId>]| {
            makers.iter().try_fold(from, |from, maker| Some(sequence.push_call((*maker)?, &[from])))
        };
        match of.descriptor().as_str() {
            "Ljava/lang/CharSequence;" => Some(text),
            "[C" => made(sequence, text, &[self.characters]),
            "[B" => bytes(sequence),
            "Ljava/io/Reader;" | "Ljava/io/StringReader;" => made(sequence, text, &[self.reader]),
            "Ljava/io/BufferedReader;" => made(sequence, text, &[self.reader, self.buffered]),
            "Ljava/util/Scanner;" => made(sequence, text, &[self.scanner]),
            "Ljava/nio/file/Path;" => made(sequence, text, &[self.path]),
            "Ljava/io/File;" => made(sequence, text, &[self.path, self.file]),
            "Ljava/io/InputStream;" | "Ljava/io/ByteArrayInputStream;" => {
                let bytes = bytes(sequence)?;
                made(sequence, bytes, &[self.stream])
            }
            "Ljava/nio/ByteBuffer;" => {
                let bytes = bytes(sequence)?;
                made(sequence, bytes, &[self.buffer])
            }
            _ => None,
        }
    }
}

fn is_strings(of: &Type) -> bool {
    matches!(of, Type::Array(element) if element.is_string())
}

/// Whether a list of strings is asked for by that name, so that it is no list of anything.
fn takes_strings(of: &Type) -> bool {
    matches!(of, Type::Parameterized(of) if matches!(&of.arguments[..],
        [TypeArgument::Exact(element) | TypeArgument::Extends(element)] if element.is_string()))
}

/// The templates of a sequence that ends in a call of code under test: each text that the call depends on, and a text in place of
/// each input of it that could be made of one.
pub fn of(sequence: &Arc<Sequence>, wrappers: &Wrappers, model: &ProgramModel) -> Vec<Template> {
    let Some(last) = sequence.len().checked_sub(1).and_then(|at| sequence.call_at(at)) else { return Vec::new() };
    if sequence.len() > STATEMENTS || model.class_of(last).is_none() || sequence.rejected().is_some() {
        return Vec::new();
    }
    let mut found = with_texts(sequence, last);
    let operation = &model.program.operations[last.0 as usize];
    let inputs: Vec<usize> = sequence.inputs_of(sequence.len() - 1).collect();
    for (position, of) in operation.inputs.iter().enumerate() {
        // The sequence with what `push` makes at the position.
        let with = |push: &dyn Fn(&mut Sequence) -> Option<usize>| {
            let mut made = sequence.prefix(sequence.len() - 1);
            let statement = push(&mut made)?;
            let mut inputs = inputs.clone();
            inputs[position] = statement;
            made.push_call(last, &inputs);
            let needed = made.needed_by(|at| at + 1 == made.len());
            made.retain(|at| needed[at]).map(Arc::new)
        };
        let made = with(&|made| {
            let text = made.push_literal(Literal::String("".into()));
            wrappers.push(of, text, made)
        });
        found.extend(made.into_iter().flat_map(|made| with_texts(&made, last)).filter(is_empty));
        let Some(array) = wrappers.array else { continue };
        let made = with(&|made| {
            if is_strings(of) {
                return Some(made.push_call(array, &[]));
            }
            let list = wrappers.list.filter(|_| takes_strings(of))?;
            let output = model.program.operations[list.0 as usize].output.as_ref()?;
            model.program.types.is_assignable(output, of).then_some(())?;
            let words = made.push_call(array, &[]);
            Some(made.push_call(list, &[words]))
        });
        found.extend(made.into_iter().flat_map(|made| with_words(&made, array, last)));
    }
    found
}

/// The templates of a sequence with words in place of its arrays without elements.
fn with_words(sequence: &Arc<Sequence>, array: OperationId, last: OperationId) -> Vec<Template> {
    let is_array = |at: &usize| sequence.call_at(*at) == Some(array) && sequence.inputs_of(*at).len() == 0;
    let template = |at: usize| {
        let (taker, input) = place_of(sequence, at)?;
        Some(Template { place: (taker, input, last), sequence: sequence.clone(), at, words: Some(array) })
    };
    (0..sequence.len()).filter(is_array).filter_map(template).collect()
}

/// The first call that takes the value of the statement, and at which input.
fn place_of(sequence: &Sequence, at: usize) -> Option<(OperationId, usize)> {
    let taker = (at + 1..sequence.len()).find(|&user| sequence.inputs_of(user).any(|input| input == at))?;
    let input = sequence.inputs_of(taker).position(|input| input == at)?;
    Some((sequence.call_at(taker)?, input))
}

fn is_empty(template: &Template) -> bool {
    matches!(template.sequence.literal_at(template.at), Some(Literal::String(text)) if text.units().is_empty())
}

fn with_texts(sequence: &Arc<Sequence>, last: OperationId) -> Vec<Template> {
    let is_text = |at: &usize| matches!(sequence.statements()[*at].action, Action::Literal(Literal::String(_)));
    let needed = sequence.needed_by(|at| at + 1 == sequence.len());
    let texts = (0..sequence.len()).filter(|&at| needed[at]).filter(is_text);
    let template = |at: usize| {
        let (taker, input) = place_of(sequence, at)?;
        Some(Template { place: (taker, input, last), sequence: sequence.clone(), at, words: None })
    };
    texts.filter_map(template).collect()
}
