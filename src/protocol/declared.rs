//! What anonymous classes declare, on its way to a worker.

use super::outcomes::decode_literal;
use super::sequences::encode_literal;
use super::{BrokenMessage, Decoder, Encoder};
use model::jvm::annotations::{Annotation, ElementValue};
use model::jvm::{ClassName, Literal, Type};
use model::sequence::{Accessor, Declared, DeclaredField};
use std::sync::Arc;

/// Annotations in annotations at most; arrays count too.
const NESTING: u32 = 64;

pub(super) fn encode_declared(encoder: &mut Encoder, declared: &Declared) {
    encode_annotations(encoder, &declared.annotations);
    encoder.text(declared.beside.as_ref().map_or("", ClassName::internal));
    encoder.u32(declared.fields.len() as u32);
    for field in &declared.fields {
        encode_annotations(encoder, &field.annotations);
        encoder.u8(match field.accessor {
            None => 0,
            Some(Accessor::Getter) => 1,
            Some(Accessor::Setter) => 2,
        });
        encoder.text(&field.of.descriptor());
        encoder.u32(field.arguments.len() as u32);
        field.arguments.iter().for_each(|argument| encoder.text(&argument.descriptor()));
        encoder.text(&field.name);
        encoder.u8(u8::from(field.input.is_some()));
        encoder.u32(field.input.unwrap_or_default());
    }
}

pub(super) fn decode_declared(decoder: &mut Decoder) -> Result<Declared, BrokenMessage> {
    let annotations = decode_annotations(decoder)?;
    let beside = Some(decoder.text()?).filter(|name| !name.is_empty()).map(ClassName::new);
    let mut fields = Vec::new();
    for _ in 0..decoder.count(22)? {
        fields.push(DeclaredField {
            annotations: decode_annotations(decoder)?,
            accessor: match decoder.u8()? {
                0 => None,
                1 => Some(Accessor::Getter),
                2 => Some(Accessor::Setter),
                _ => return Err(BrokenMessage),
            },
            of: decode_type(decoder)?,
            arguments: (0..decoder.count(4)?).map(|_| decode_type(decoder)).collect::<Result<_, _>>()?,
            name: Arc::from(decoder.text()?),
            input: {
                let (has_input, input) = (decoder.u8()? != 0, decoder.u32()?);
                has_input.then_some(input)
            },
        });
    }
    // Type arguments are for source alone.
    Ok(Declared { annotations, fields, beside })
}

fn decode_type(decoder: &mut Decoder) -> Result<Type, BrokenMessage> {
    Type::parse(decoder.text()?).ok_or(BrokenMessage)
}

fn encode_annotations(encoder: &mut Encoder, annotations: &[Annotation]) {
    encoder.u32(annotations.len() as u32);
    annotations.iter().for_each(|annotation| encode_annotation(encoder, annotation));
}

fn decode_annotations(decoder: &mut Decoder) -> Result<Vec<Annotation>, BrokenMessage> {
    (0..decoder.count(8)?).map(|_| decode_annotation(decoder, 0)).collect()
}

fn encode_annotation(encoder: &mut Encoder, annotation: &Annotation) {
    encoder.text(annotation.of.internal());
    encoder.u32(annotation.elements.len() as u32);
    for (name, value) in &annotation.elements {
        encoder.text(name);
        encode_value(encoder, value);
    }
}

fn decode_annotation(decoder: &mut Decoder, depth: u32) -> Result<Annotation, BrokenMessage> {
    let of = ClassName::new(decoder.text()?);
    let mut elements = Vec::new();
    for _ in 0..decoder.count(5)? {
        elements.push((Arc::from(decoder.text()?), decode_value(decoder, depth)?));
    }
    Ok(Annotation { of, elements })
}

fn encode_value(encoder: &mut Encoder, value: &ElementValue) {
    match value {
        ElementValue::Constant(Literal::Class(of)) => {
            encoder.u8(5);
            encoder.text(&of.descriptor());
        }
        ElementValue::Constant(literal) => {
            encoder.u8(0);
            encode_literal(encoder, literal);
        }
        ElementValue::Void => encoder.u8(1),
        ElementValue::Enum(class, name) => {
            encoder.u8(2);
            encoder.text(class.internal());
            encoder.text(name);
        }
        ElementValue::Annotation(annotation) => {
            encoder.u8(3);
            encode_annotation(encoder, annotation);
        }
        ElementValue::Array(values) => {
            encoder.u8(4);
            encoder.u32(values.len() as u32);
            values.iter().for_each(|value| encode_value(encoder, value));
        }
    }
}

fn decode_value(decoder: &mut Decoder, depth: u32) -> Result<ElementValue, BrokenMessage> {
    if depth > NESTING {
        return Err(BrokenMessage);
    }
    Ok(match decoder.u8()? {
        0 => ElementValue::Constant(decode_literal(decoder)?),
        1 => ElementValue::Void,
        2 => ElementValue::Enum(ClassName::new(decoder.text()?), Arc::from(decoder.text()?)),
        3 => ElementValue::Annotation(decode_annotation(decoder, depth + 1)?),
        4 => {
            let values = (0..decoder.count(1)?).map(|_| decode_value(decoder, depth + 1));
            ElementValue::Array(values.collect::<Result<_, _>>()?)
        }
        5 => ElementValue::Constant(Literal::Class(decode_type(decoder)?)),
        _ => return Err(BrokenMessage),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_annotation_value_round_trips() {
        let one = ElementValue::Constant(Literal::Int(1));
        let values = [
            one.clone(),
            ElementValue::Constant(Literal::Class(Type::array(Type::string()))),
            ElementValue::Void,
            ElementValue::Enum(ClassName::new("p/Color"), Arc::from("RED")),
            ElementValue::Annotation(Annotation { of: ClassName::new("p/Inner"), elements: Vec::new() }),
            ElementValue::Array(vec![one.clone(), one]),
        ];
        let elements = values.into_iter().enumerate().map(|(at, value)| (Arc::from(format!("e{at}")), value));
        let annotation = Annotation { of: ClassName::new("p/Outer"), elements: elements.collect() };
        let field = |accessor| DeclaredField {
            annotations: vec![annotation.clone()],
            accessor,
            of: Type::class("java/util/List"),
            arguments: vec![Type::string()],
            name: Arc::from("list"),
            input: Some(2),
        };
        let fields = [None, Some(Accessor::Getter), Some(Accessor::Setter)].map(field).to_vec();
        let beside = Some(ClassName::new("p/Reader"));
        let declared = Declared { annotations: vec![annotation], fields, beside };
        for declared in [declared, Declared::default()] {
            let mut encoder = Encoder::default();
            encode_declared(&mut encoder, &declared);
            assert_eq!(decode_declared(&mut Decoder::new(&encoder.bytes)), Ok(declared));
        }
    }
}
