//! Reads annotations (JVMS §4.7.16 to §4.7.22).

use super::Parser;
use crate::classfile::reader::Reader;
use crate::classfile::{ClassFileError, constant_of_type};
use model::jvm::annotations::{Annotation, ElementValue};
use model::jvm::{Literal, Primitive, Type};

/// Annotations by what they are on.
#[derive(Default)]
pub(super) struct Annotations {
    pub(super) on_declaration: Vec<Annotation>,
    pub(super) on_parameters: Vec<Vec<Annotation>>,
}

impl<'a> Parser<'_, 'a> {
    /// Adds what an attribute holds of annotations. The JVM does not check them, so a broken one ends the list.
    pub(super) fn annotations(
        &mut self,
        attribute: &[u8],
        body: Reader<'a>,
        parameters: usize,
        found: &mut Annotations,
    ) {
        let _ = match attribute {
            b"RuntimeVisibleAnnotations" | b"RuntimeInvisibleAnnotations" => {
                self.annotation_list(body, &mut found.on_declaration).map(|_| ())
            }
            b"RuntimeVisibleParameterAnnotations" | b"RuntimeInvisibleParameterAnnotations" => {
                self.parameter_annotations(body, parameters, found)
            }
            b"RuntimeVisibleTypeAnnotations" | b"RuntimeInvisibleTypeAnnotations" => self.type_annotations(body, found),
            _ => Ok(()),
        };
    }

    fn annotation_list(
        &mut self,
        mut reader: Reader<'a>,
        found: &mut Vec<Annotation>,
    ) -> Result<Reader<'a>, ClassFileError> {
        for _ in 0..reader.u2()? {
            found.extend(self.annotation(&mut reader, 0)?);
        }
        Ok(reader)
    }

    fn parameter_annotations(
        &mut self,
        mut reader: Reader<'a>,
        parameters: usize,
        found: &mut Annotations,
    ) -> Result<(), ClassFileError> {
        let listed = usize::from(reader.u1()?);
        // Compilers leave out the parameters they add in front: outer instances, an enum's name and ordinal.
        let added = parameters.saturating_sub(listed);
        for parameter in 0..listed {
            let mut on_parameter = Vec::new();
            reader = self.annotation_list(reader, &mut on_parameter)?;
            if let Some(list) = found.on_parameters.get_mut(added + parameter) {
                list.extend(on_parameter);
            }
        }
        Ok(())
    }

    /// Those on the whole type of a field, a return value or a parameter (JVMS §4.7.20).
    fn type_annotations(&mut self, mut reader: Reader<'a>, found: &mut Annotations) -> Result<(), ClassFileError> {
        for _ in 0..reader.u2()? {
            let target = reader.u1()?;
            let mut parameter = None;
            match target {
                0x13..=0x15 => {}
                0x00 | 0x01 => drop(reader.u1()?),
                0x16 => parameter = Some(reader.u1()?),
                0x10..=0x12 | 0x17 => drop(reader.u2()?),
                _ => return Err(reader.malformed("target of a type annotation")),
            }
            let steps = reader.u1()?;
            let path = reader.take(2 * usize::from(steps))?;
            // Kind 1 steps into a nested type, which is still the type itself.
            let whole = path.chunks_exact(2).all(|step| step[0] == 1);
            let Some(annotation) = self.annotation(&mut reader, 0)? else { continue };
            match (target, parameter) {
                (0x13 | 0x14, _) if whole => found.on_declaration.push(annotation),
                (_, Some(parameter)) if whole => {
                    if let Some(list) = found.on_parameters.get_mut(usize::from(parameter)) {
                        list.push(annotation);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Reads one annotation; `None` if its type is no class.
    fn annotation(&mut self, reader: &mut Reader<'a>, depth: u32) -> Result<Option<Annotation>, ClassFileError> {
        let of = reader.u2()?;
        let of = self.names.field_type(self.pool, of)?;
        let mut elements = Vec::new();
        for _ in 0..reader.u2()? {
            let name = self.text(reader.u2()?)?;
            elements.push((name, self.element_value(reader, depth)?));
        }
        Ok(match of {
            Some(Type::Class(of)) => Some(Annotation { of, elements }),
            _ => None,
        })
    }

    pub(super) fn element_value(
        &mut self,
        reader: &mut Reader<'a>,
        depth: u32,
    ) -> Result<ElementValue, ClassFileError> {
        // Deeper than any source nests annotations, far from the end of the stack.
        if depth > 64 {
            return Err(reader.malformed("nesting of annotations"));
        }
        let malformed = reader.malformed("value of an annotation");
        Ok(match reader.u1()? {
            b'e' => match self.names.field_type(self.pool, reader.u2()?)? {
                Some(Type::Class(of)) => ElementValue::Enum(of, self.text(reader.u2()?)?),
                _ => return Err(malformed),
            },
            b'@' => ElementValue::Annotation(self.annotation(reader, depth + 1)?.ok_or(malformed)?),
            b'[' => {
                let values = (0..reader.u2()?).map(|_| self.element_value(reader, depth + 1));
                ElementValue::Array(values.collect::<Result<_, _>>()?)
            }
            b's' => ElementValue::Constant(Literal::String(self.names.string(self.pool, reader.u2()?)?)),
            b'c' => {
                let of = reader.u2()?;
                match self.names.field_type(self.pool, of)? {
                    Some(of) => ElementValue::Constant(Literal::Class(of)),
                    None if self.pool.utf8_bytes(of)? == b"V" => ElementValue::Void,
                    None => return Err(malformed),
                }
            }
            letter => {
                let of = Primitive::from_descriptor(char::from(letter)).map(Type::Primitive);
                let literal = self.names.literal(self.pool, reader.u2()?)?;
                let constant = literal.zip(of).and_then(|(literal, of)| constant_of_type(literal, &of));
                ElementValue::Constant(constant.ok_or(malformed)?)
            }
        })
    }
}
