//! The structure of a class file: where its members, their attributes and their code are (JVMS §4.1).
//!
//! The one reading that all others begin with: [`parse`](super::parse) makes the summary of it that analyses use, and
//! instrumentation cuts the file at these places.

use super::ClassFileError;
use super::reader::{ConstantPool, Reader};
use std::ops::Range;

/// No attribute is longer. The longest that compilers write, of code with all its tables, stay far below; what is beyond would be
/// copied for nothing.
const MOST_BYTES: usize = 4 << 20;

/// What a class file begins with.
pub(crate) struct Head<'a> {
    pub(crate) major: u16,
    pub(crate) pool: ConstantPool<'a>,
}

/// A class file whose names are still numbers in the constant pool.
pub(crate) struct ClassStructure<'a> {
    pub(crate) head: Head<'a>,
    pub(crate) access: u16,
    pub(crate) this_class: u16,
    /// 0 where there is none.
    pub(crate) super_class: u16,
    pub(crate) interfaces: Vec<u16>,
    pub(crate) fields: Vec<Member<'a>>,
    pub(crate) methods: Vec<Member<'a>>,
    pub(crate) attributes: Vec<Attribute<'a>>,
    pub(crate) places: Places,
}

/// Where parts of a class file begin.
pub(crate) struct Places {
    /// After the constants.
    pub(crate) access: usize,
    pub(crate) field_count: usize,
    pub(crate) methods: usize,
    /// After the last method.
    pub(crate) attributes: usize,
}

/// A field or a method.
pub(crate) struct Member<'a> {
    pub(crate) access: u16,
    pub(crate) name: u16,
    pub(crate) descriptor: u16,
    pub(crate) attributes: Vec<Attribute<'a>>,
    /// Where it is in the file.
    pub(crate) range: Range<usize>,
}

/// An attribute of a class, a member or code (JVMS §4.7).
pub(crate) struct Attribute<'a> {
    pub(crate) name_index: u16,
    pub(crate) name: &'a [u8],
    pub(crate) content: Reader<'a>,
}

/// The content of a Code attribute (JVMS §4.7.3).
pub(crate) struct CodeAttribute<'a> {
    pub(crate) max_stack: u16,
    pub(crate) max_locals: u16,
    /// Where the code is in the file.
    pub(crate) range: Range<usize>,
    pub(crate) code: &'a [u8],
    pub(crate) exceptions: Vec<ExceptionRange>,
    pub(crate) attributes: Vec<Attribute<'a>>,
}

/// A line of an exception table, in offsets of instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ExceptionRange {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) handler: usize,
    /// 0 for all exceptions.
    pub(crate) catch_type: u16,
}

impl ExceptionRange {
    /// It is of a `finally` or a `synchronized` block.
    pub(crate) fn catches_all(&self) -> bool {
        self.catch_type == 0
    }
}

/// Reads magic, version and constants.
pub(crate) fn read_head<'a>(reader: &mut Reader<'a>) -> Result<Head<'a>, ClassFileError> {
    if reader.u4().ok() != Some(0xCAFE_BABE) {
        return Err(ClassFileError::NotAClassFile);
    }
    reader.u2()?;
    Ok(Head { major: reader.u2()?, pool: ConstantPool::read(reader)? })
}

impl<'a> ClassStructure<'a> {
    pub(crate) fn read(bytes: &'a [u8]) -> Result<ClassStructure<'a>, ClassFileError> {
        let mut reader = Reader::new(bytes);
        let head = read_head(&mut reader)?;
        let access_place = reader.position();
        let (access, this_class, super_class) = (reader.u2()?, reader.u2()?, reader.u2()?);
        let interfaces = (0..reader.u2()?).map(|_| reader.u2()).collect::<Result<_, _>>()?;
        let field_count = reader.position();
        let fields = (0..reader.u2()?).map(|_| Member::read(&mut reader, &head.pool)).collect::<Result<_, _>>()?;
        let method_count = reader.u2()?;
        let methods_place = reader.position();
        let methods = (0..method_count).map(|_| Member::read(&mut reader, &head.pool)).collect::<Result<_, _>>()?;
        let places =
            Places { access: access_place, field_count, methods: methods_place, attributes: reader.position() };
        let attributes = Attribute::read_all(&mut reader, &head.pool)?;
        Ok(ClassStructure { head, access, this_class, super_class, interfaces, fields, methods, attributes, places })
    }
}

impl<'a> Member<'a> {
    /// Where in the file the number of attributes is.
    pub(crate) fn after_descriptor(&self) -> usize {
        self.range.start + 6
    }

    fn read(reader: &mut Reader<'a>, pool: &ConstantPool<'a>) -> Result<Member<'a>, ClassFileError> {
        let start = reader.position();
        let (access, name, descriptor) = (reader.u2()?, reader.u2()?, reader.u2()?);
        let attributes = Attribute::read_all(reader, pool)?;
        Ok(Member { access, name, descriptor, attributes, range: start..reader.position() })
    }
}

impl<'a> Attribute<'a> {
    /// Reads a table of attributes, its length first.
    pub(crate) fn read_all(
        reader: &mut Reader<'a>,
        pool: &ConstantPool<'a>,
    ) -> Result<Vec<Attribute<'a>>, ClassFileError> {
        let mut attributes = Vec::new();
        for _ in 0..reader.u2()? {
            let name_index = reader.u2()?;
            let name = pool.utf8_bytes(name_index)?;
            let length = reader.u4()? as usize;
            if length > MOST_BYTES {
                return Err(reader.malformed("length of an attribute"));
            }
            attributes.push(Attribute { name_index, name, content: reader.window(length)? });
        }
        Ok(attributes)
    }
}

impl<'a> CodeAttribute<'a> {
    pub(crate) fn read(mut reader: Reader<'a>, pool: &ConstantPool<'a>) -> Result<CodeAttribute<'a>, ClassFileError> {
        let (max_stack, max_locals) = (reader.u2()?, reader.u2()?);
        let length = reader.u4()? as usize;
        let start = reader.position();
        let code = reader.take(length)?;
        let mut exceptions = Vec::new();
        for _ in 0..reader.u2()? {
            exceptions.push(ExceptionRange {
                start: reader.u2()?.into(),
                end: reader.u2()?.into(),
                handler: reader.u2()?.into(),
                catch_type: reader.u2()?,
            });
        }
        let attributes = Attribute::read_all(&mut reader, pool)?;
        Ok(CodeAttribute { max_stack, max_locals, range: start..start + length, code, exceptions, attributes })
    }

    /// Where instructions of a line begin, and the line, in the order of the file (JVMS §4.7.12).
    pub(crate) fn lines(&self) -> Result<Vec<(u16, u16)>, ClassFileError> {
        let mut lines = Vec::new();
        for table in self.attributes.iter().filter(|attribute| attribute.name == b"LineNumberTable") {
            let mut content = table.content;
            for _ in 0..content.u2()? {
                lines.push((content.u2()?, content.u2()?));
            }
        }
        Ok(lines)
    }
}

/// An entry of a LocalVariableTable or LocalVariableTypeTable (JVMS §4.7.13, §4.7.14).
pub(crate) struct VariableEntry {
    pub(crate) start: u16,
    pub(crate) length: u16,
    /// Index of the constant, as that of the descriptor.
    pub(crate) name: u16,
    pub(crate) descriptor: u16,
    pub(crate) slot: u16,
}

impl VariableEntry {
    /// Where in the code the variable has a value.
    pub(crate) fn range(&self) -> Range<usize> {
        usize::from(self.start)..usize::from(self.start) + usize::from(self.length)
    }

    /// The entries of a table, in the order of the file.
    pub(crate) fn read_all(mut table: Reader) -> Result<Vec<VariableEntry>, ClassFileError> {
        let count = table.u2()?;
        let mut entries = Vec::new();
        for _ in 0..count {
            let [start, length, name, descriptor, slot] =
                [table.u2()?, table.u2()?, table.u2()?, table.u2()?, table.u2()?];
            entries.push(VariableEntry { start, length, name, descriptor, slot });
        }
        Ok(entries)
    }
}
