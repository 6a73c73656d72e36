//! Sequences with room for a text.

use crate::generator::program_model::ProgramModel;
use model::jvm::{Literal, Primitive, Type};
use model::sequence::{Action, Operation, OperationId, Sequence};
use std::sync::Arc;

use super::Place;

/// Longer sequences do more than to hand a text to a parser.
const STATEMENTS: usize = 12;

/// A sequence whose last call depends on a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    pub place: Place,
    pub sequence: Arc<Sequence>,
    /// The statement of the text.
    pub at: usize,
}

/// Operations of the platform that make what parsers read of a text, where the program has them.
#[derive(Default)]
pub struct Wrappers {
    characters: Option<OperationId>,
    bytes: Option<(OperationId, OperationId)>,
    reader: Option<OperationId>,
    stream: Option<OperationId>,
}

impl Wrappers {
    pub fn of(operations: &[Operation]) -> Wrappers {
        let find = |owner: &str, name: &str, parameters: &[Type]| {
            let is_it = |operation: &Operation| {
                operation.owner.internal() == owner
                    && &*operation.name == name
                    && operation.descriptor.parameters == parameters
            };
            operations.iter().position(is_it).map(|at| OperationId(at as u32))
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
            stream: find("java/io/ByteArrayInputStream", "<init>", &[bytes]),
        }
    }

    /// Appends what makes a value of the type of the text; the statement, if there is a way.
    fn push(&self, of: &Type, text: usize, sequence: &mut Sequence) -> Option<usize> {
        let bytes = |sequence: &mut Sequence| {
            let (charset, bytes) = self.bytes?;
            let charset = sequence.push_call(charset, &[]);
            Some(sequence.push_call(bytes, &[text, charset]))
        };
        match of.descriptor().as_str() {
            "[C" => Some(sequence.push_call(self.characters?, &[text])),
            "[B" => bytes(sequence),
            "Ljava/io/Reader;" => Some(sequence.push_call(self.reader?, &[text])),
            "Ljava/io/InputStream;" => {
                let stream = self.stream?;
                let bytes = bytes(sequence)?;
                Some(sequence.push_call(stream, &[bytes]))
            }
            _ => None,
        }
    }
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
        let mut made = sequence.prefix(sequence.len() - 1);
        let text = made.push_literal(Literal::String("".into()));
        let Some(statement) = wrappers.push(of, text, &mut made) else { continue };
        let mut inputs = inputs.clone();
        inputs[position] = statement;
        made.push_call(last, &inputs);
        let needed = made.needed_by(|at| at + 1 == made.len());
        let Some(made) = made.retain(|at| needed[at]) else { continue };
        found.extend(with_texts(&Arc::new(made), last).into_iter().filter(is_empty));
    }
    found
}

fn is_empty(template: &Template) -> bool {
    matches!(template.sequence.literal_at(template.at), Some(Literal::String(text)) if text.units().is_empty())
}

fn with_texts(sequence: &Arc<Sequence>, last: OperationId) -> Vec<Template> {
    let is_text = |at: &usize| matches!(sequence.statements()[*at].action, Action::Literal(Literal::String(_)));
    let needed = sequence.needed_by(|at| at + 1 == sequence.len());
    let texts = (0..sequence.len()).filter(|&at| needed[at]).filter(is_text);
    let template = |at: usize| {
        let taker = (at + 1..sequence.len()).find(|&user| sequence.inputs_of(user).any(|input| input == at))?;
        let input = sequence.inputs_of(taker).position(|input| input == at)?;
        let place = (sequence.call_at(taker)?, input, last);
        Some(Template { place, sequence: sequence.clone(), at })
    };
    texts.filter_map(template).collect()
}
