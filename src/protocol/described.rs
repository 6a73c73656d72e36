//! The content of objects on its way from a worker, in the form that the class `Description` inside the JVM writes.

use super::outcomes::{Names, decode_literal};
use super::{BrokenMessage, Decoder};
use model::execution::described::{Described, ElementsKind, Spelling};
use model::jvm::{ClassName, JavaString, Literal, Type};

/// Deepest nesting of descriptions; a worker sends less.
const DEPTH: usize = 8;

/// Most parts of the description of one object; a worker sends less.
const PARTS: usize = 1024;

/// Reads a description.
pub(super) fn decode_described(decoder: &mut Decoder, names: &mut Names) -> Result<Described, BrokenMessage> {
    DescriptionReader { decoder, names, left: PARTS }.read(DEPTH)
}

struct DescriptionReader<'r, 'b> {
    decoder: &'r mut Decoder<'b>,
    names: &'r mut Names,
    left: usize,
}

impl DescriptionReader<'_, '_> {
    fn read(&mut self, depth: usize) -> Result<Described, BrokenMessage> {
        self.left = self.left.checked_sub(1).ok_or(BrokenMessage)?;
        let depth = depth.checked_sub(1).ok_or(BrokenMessage)?;
        Ok(match self.decoder.u8()? {
            0 => Described::Null,
            1 => Described::literal(decode_literal(self.decoder)?),
            2 => Described::Literal(Literal::Class(self.of_class()?)),
            3 => Described::Constant(self.class()?, self.names.read(self.decoder)?.text.to_string()),
            4 => Described::Text(self.class()?, JavaString::from_units(&self.decoder.units()?)),
            5 => {
                let class = self.class()?;
                let value = match self.decoder.u8()? {
                    0 => None,
                    _ => Some(Box::new(self.read(depth)?)),
                };
                Described::Optional(class, value)
            }
            6 => Described::elements(ElementsKind::List, self.parts(depth)?),
            7 => Described::elements(ElementsKind::Set, self.parts(depth)?),
            8 => Described::elements(ElementsKind::Collection, self.parts(depth)?),
            9 => {
                let parts = self.parts(depth)?;
                let entry = |pair: &[Described]| match pair {
                    [key, value] => Ok((key.clone(), value.clone())),
                    _ => Err(BrokenMessage),
                };
                Described::map(parts.chunks(2).map(entry).collect::<Result<_, _>>()?)
            }
            10 => Described::Entry(Box::new((self.read(depth)?, self.read(depth)?))),
            11 => Described::Record(self.class()?, self.parts(depth)?),
            12 => match self.of_class()? {
                of @ Type::Array(_) => Described::Array(of, self.parts(depth)?),
                _ => return Err(BrokenMessage),
            },
            13 => Described::Content(self.class()?, Box::new(self.read(depth)?)),
            14 => Described::Object(self.class()?, self.parts(depth)?, Spelling::default()),
            _ => return Err(BrokenMessage),
        })
    }

    fn parts(&mut self, depth: usize) -> Result<Vec<Described>, BrokenMessage> {
        let count = self.decoder.count(1)?;
        if count > self.left {
            return Err(BrokenMessage);
        }
        (0..count).map(|_| self.read(depth)).collect()
    }

    fn class(&mut self) -> Result<ClassName, BrokenMessage> {
        Ok(self.names.read(self.decoder)?.class.clone())
    }

    fn of_class(&mut self) -> Result<Type, BrokenMessage> {
        Ok(self.names.read(self.decoder)?.seen_as.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Encoder;

    fn decode(bytes: &[u8]) -> Result<Described, BrokenMessage> {
        decode_described(&mut Decoder::new(bytes), &mut Names::default())
    }

    /// A list of so many elements, each as given.
    fn list(count: u32, element: &[u8]) -> Vec<u8> {
        let mut encoder = Encoder::default();
        encoder.u8(6);
        encoder.u32(count);
        (0..count).for_each(|_| encoder.bytes.extend_from_slice(element));
        encoder.bytes
    }

    #[test]
    fn nested_elements_are_read() {
        let inner = list(2, &[0]);
        let nulls = Described::Elements(ElementsKind::List, vec![Described::Null, Described::Null]);
        assert_eq!(decode(&list(1, &inner)), Ok(Described::Elements(ElementsKind::List, vec![nulls])));
    }

    #[test]
    fn object_is_read_with_the_content_of_its_fields() {
        let mut encoder = Encoder::default();
        encoder.u8(14);
        encoder.u32(0);
        encoder.units(&"p.A".encode_utf16().collect::<Vec<_>>());
        encoder.u32(1);
        encoder.u8(0);
        let object = Described::Object(ClassName::new("p/A"), vec![Described::Null], Spelling::default());
        assert_eq!(decode(&encoder.bytes), Ok(object));
    }

    #[test]
    fn description_that_is_too_deep_or_too_large_is_refused() {
        let nested = |depth: usize| (0..depth).fold(vec![0], |inner, _| list(1, &inner));
        assert!(decode(&nested(DEPTH - 1)).is_ok());
        assert_eq!(decode(&nested(DEPTH)), Err(BrokenMessage));
        assert_eq!(decode(&nested(1000)), Err(BrokenMessage));
        assert!(decode(&list(PARTS as u32 - 1, &[0])).is_ok());
        assert_eq!(decode(&list(PARTS as u32, &[0])), Err(BrokenMessage));
        assert_eq!(decode(&list(40, &list(40, &[0]))), Err(BrokenMessage));
    }

    #[test]
    fn forged_description_never_panics() {
        let mut encoder = Encoder::default();
        encoder.u8(9);
        encoder.u32(2);
        encoder.u8(1);
        encoder.u8(5);
        encoder.u64(1);
        encoder.u8(4);
        encoder.u32(0);
        encoder.units(&[65]);
        encoder.units(&[66]);
        let mut bytes = encoder.bytes;
        assert!(decode(&bytes).is_ok());
        for at in 0..bytes.len() {
            for value in 0..=255 {
                let kept = std::mem::replace(&mut bytes[at], value);
                let _ = decode(&bytes);
                bytes[at] = kept;
            }
            assert_eq!(decode(&bytes[..at]), Err(BrokenMessage));
        }
    }
}
