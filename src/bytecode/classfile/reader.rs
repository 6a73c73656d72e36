//! A bounded reader of big-endian bytes, and the constant pool; the splicer reads through both too.

use super::ClassFileError;
use super::writer::decode_units;
use model::jvm::{JavaString, Literal, Type};
use std::borrow::Cow;
use std::sync::Arc;

/// Constant pool tags (JVMS table 4.4-A).
pub(crate) mod tag {
    pub(crate) const UTF8: u8 = 1;
    pub(crate) const INTEGER: u8 = 3;
    pub(crate) const FLOAT: u8 = 4;
    pub(crate) const LONG: u8 = 5;
    pub(crate) const DOUBLE: u8 = 6;
    pub(crate) const CLASS: u8 = 7;
    pub(crate) const STRING: u8 = 8;
    pub(crate) const FIELD_REF: u8 = 9;
    pub(crate) const METHOD_REF: u8 = 10;
    pub(crate) const INTERFACE_METHOD_REF: u8 = 11;
    pub(crate) const NAME_AND_TYPE: u8 = 12;
    pub(crate) const METHOD_HANDLE: u8 = 15;
    pub(crate) const METHOD_TYPE: u8 = 16;
    pub(crate) const DYNAMIC: u8 = 17;
    pub(crate) const INVOKE_DYNAMIC: u8 = 18;
    pub(crate) const MODULE: u8 = 19;
    pub(crate) const PACKAGE: u8 = 20;
}

/// A window of a class file that is read front to back. Offsets in errors count from the file's start.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    end: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { bytes, at: 0, end: bytes.len() }
    }

    pub(crate) fn position(&self) -> usize {
        self.at
    }

    pub(crate) fn take(&mut self, length: usize) -> Result<&'a [u8], ClassFileError> {
        if length > self.end - self.at {
            return Err(ClassFileError::Truncated { offset: self.at });
        }
        let taken = &self.bytes[self.at..self.at + length];
        self.at += length;
        Ok(taken)
    }

    /// The next `length` bytes as a window of their own.
    pub(crate) fn window(&mut self, length: usize) -> Result<Reader<'a>, ClassFileError> {
        let at = self.at;
        self.take(length)?;
        Ok(Reader { bytes: self.bytes, at, end: at + length })
    }

    pub(crate) fn u1(&mut self) -> Result<u8, ClassFileError> {
        Ok(self.take(1)?[0])
    }

    pub(crate) fn u2(&mut self) -> Result<u16, ClassFileError> {
        let taken = self.take(2)?;
        Ok(u16::from_be_bytes([taken[0], taken[1]]))
    }

    pub(crate) fn u4(&mut self) -> Result<u32, ClassFileError> {
        let taken = self.take(4)?;
        Ok(u32::from_be_bytes([taken[0], taken[1], taken[2], taken[3]]))
    }

    /// What is left, as bytes.
    pub(crate) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..self.end]
    }

    pub(crate) fn malformed(&self, what: &'static str) -> ClassFileError {
        ClassFileError::Malformed { what, offset: self.at }
    }
}

/// A member that a constant names.
pub(crate) struct MemberRef<'a> {
    pub(crate) class: Cow<'a, str>,
    pub(crate) name: Cow<'a, str>,
    pub(crate) descriptor: Cow<'a, str>,
}

/// The constants that name a member.
pub(crate) struct MemberIndices {
    pub(crate) class: u16,
    pub(crate) name: u16,
    pub(crate) descriptor: u16,
}

/// The constant pool: where each constant lies and what kind it is (JVMS §4.4).
pub(crate) struct ConstantPool<'a> {
    bytes: &'a [u8],
    /// Tag and offset of what follows the tag; tag 0 where there is no constant.
    entries: Arc<[(u8, u32)]>,
}

/// A class file's bytes with what else it takes to read its methods' bodies later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Constants {
    pub(crate) file: Arc<[u8]>,
    entries: Arc<[(u8, u32)]>,
    /// Index of the handle of each bootstrap method, and of its static arguments.
    pub(crate) bootstraps: Vec<(u16, Vec<u16>)>,
}

impl Constants {
    pub(crate) fn new(pool: &ConstantPool) -> Constants {
        Constants { file: Arc::from(pool.bytes), entries: pool.entries.clone(), bootstraps: Vec::new() }
    }

    pub(crate) fn pool(&self) -> ConstantPool<'_> {
        ConstantPool { bytes: &self.file, entries: self.entries.clone() }
    }
}

impl<'a> ConstantPool<'a> {
    /// Reads the pool, count first.
    pub(crate) fn read(reader: &mut Reader<'a>) -> Result<ConstantPool<'a>, ClassFileError> {
        let count = reader.u2()?;
        let mut entries = Vec::with_capacity(usize::from(count).min(reader.rest().len() / 3 + 2));
        entries.push((0, 0));
        while entries.len() < usize::from(count) {
            let tag = reader.u1()?;
            entries.push((tag, reader.position() as u32));
            let length = match tag {
                tag::UTF8 => usize::from(reader.u2()?),
                tag::CLASS | tag::STRING | tag::METHOD_TYPE | tag::MODULE | tag::PACKAGE => 2,
                tag::METHOD_HANDLE => 3,
                tag::INTEGER
                | tag::FLOAT
                | tag::FIELD_REF
                | tag::METHOD_REF
                | tag::INTERFACE_METHOD_REF
                | tag::NAME_AND_TYPE
                | tag::DYNAMIC
                | tag::INVOKE_DYNAMIC => 4,
                tag::LONG | tag::DOUBLE => 8,
                _ => return Err(reader.malformed("constant pool tag")),
            };
            reader.take(length)?;
            if matches!(tag, tag::LONG | tag::DOUBLE) {
                entries.push((0, 0));
            }
        }
        Ok(ConstantPool { bytes: reader.bytes, entries: entries.into() })
    }

    /// One more than the highest index, as the class file counts.
    pub(crate) fn count(&self) -> usize {
        self.entries.len()
    }

    /// The tag at `index`; 0 where there is no constant.
    pub(crate) fn tag(&self, index: u16) -> u8 {
        self.entries.get(usize::from(index)).map_or(0, |entry| entry.0)
    }

    /// Where what follows the tag of the constant at `index` begins in the file; `None` where there is no constant.
    pub(crate) fn offset(&self, index: u16) -> Option<usize> {
        self.entries.get(usize::from(index)).filter(|entry| entry.0 != 0).map(|entry| entry.1 as usize)
    }

    pub(crate) fn content(&self, index: u16, expected: &[u8]) -> Result<Reader<'a>, ClassFileError> {
        match self.entries.get(usize::from(index)) {
            Some(&(tag, at)) if expected.contains(&tag) => {
                Ok(Reader { bytes: self.bytes, at: at as usize, end: self.bytes.len() })
            }
            _ => Err(ClassFileError::BadConstant { index }),
        }
    }

    pub(crate) fn utf8_bytes(&self, index: u16) -> Result<&'a [u8], ClassFileError> {
        let mut reader = self.content(index, &[tag::UTF8])?;
        let length = reader.u2()?;
        reader.take(usize::from(length))
    }

    /// The text at `index`; lone surrogates become U+FFFD.
    pub(crate) fn utf8(&self, index: u16) -> Result<Cow<'a, str>, ClassFileError> {
        let bytes = self.utf8_bytes(index)?;
        // Modified UTF-8 (JVMS §4.4.7) differs from UTF-8 only in sequences that UTF-8 forbids.
        Ok(match std::str::from_utf8(bytes) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => Cow::Owned(String::from_utf16_lossy(&decode_units(bytes))),
        })
    }

    /// The name that the class constant at `index` holds.
    pub(crate) fn class_name(&self, index: u16) -> Result<Cow<'a, str>, ClassFileError> {
        self.utf8(self.content(index, &[tag::CLASS])?.u2()?)
    }

    /// Indices of name and descriptor.
    fn name_and_type(&self, index: u16) -> Result<(u16, u16), ClassFileError> {
        let mut reader = self.content(index, &[tag::NAME_AND_TYPE])?;
        Ok((reader.u2()?, reader.u2()?))
    }

    /// The field, method or interface method at `index`.
    pub(crate) fn member(&self, index: u16) -> Result<MemberRef<'a>, ClassFileError> {
        let MemberIndices { class, name, descriptor } = self.member_indices(index)?;
        Ok(MemberRef { class: self.class_name(class)?, name: self.utf8(name)?, descriptor: self.utf8(descriptor)? })
    }

    /// The same by the constants that name it.
    pub(crate) fn member_indices(&self, index: u16) -> Result<MemberIndices, ClassFileError> {
        let mut reader = self.content(index, &[tag::FIELD_REF, tag::METHOD_REF, tag::INTERFACE_METHOD_REF])?;
        let class = reader.u2()?;
        let (name, descriptor) = self.name_and_type(reader.u2()?)?;
        Ok(MemberIndices { class, name, descriptor })
    }

    /// The constant that names the member to which the method handle at `index` leads.
    pub(crate) fn handle_index(&self, index: u16) -> Result<u16, ClassFileError> {
        let mut reader = self.content(index, &[tag::METHOD_HANDLE])?;
        reader.u1()?;
        reader.u2()
    }

    /// Bootstrap method number, and the constants of name and descriptor, of the call site or dynamic constant at `index`.
    pub(crate) fn dynamic_indices(&self, index: u16) -> Result<[u16; 3], ClassFileError> {
        let mut reader = self.content(index, &[tag::DYNAMIC, tag::INVOKE_DYNAMIC])?;
        let bootstrap = reader.u2()?;
        let (name, descriptor) = self.name_and_type(reader.u2()?)?;
        Ok([bootstrap, name, descriptor])
    }

    /// Bootstrap method number, name and descriptor of the call site or dynamic constant at `index`.
    pub(crate) fn dynamic(&self, index: u16) -> Result<(u16, Cow<'a, str>, Cow<'a, str>), ClassFileError> {
        let [bootstrap, name, descriptor] = self.dynamic_indices(index)?;
        Ok((bootstrap, self.utf8(name)?, self.utf8(descriptor)?))
    }

    /// The loadable constant at `index` as a literal; `None` for method handles and types and dynamic constants.
    pub(crate) fn literal(&self, index: u16) -> Result<Option<Literal>, ClassFileError> {
        let loadable = [
            tag::INTEGER,
            tag::FLOAT,
            tag::LONG,
            tag::DOUBLE,
            tag::STRING,
            tag::CLASS,
            tag::METHOD_HANDLE,
            tag::METHOD_TYPE,
            tag::DYNAMIC,
        ];
        let mut reader = self.content(index, &loadable)?;
        let wide = |reader: &mut Reader| Ok((u64::from(reader.u4()?) << 32) | u64::from(reader.u4()?));
        Ok(match self.tag(index) {
            tag::INTEGER => Some(Literal::Int(reader.u4()? as i32)),
            tag::FLOAT => Some(Literal::Float(reader.u4()?)),
            tag::LONG => Some(Literal::Long(wide(&mut reader)? as i64)),
            tag::DOUBLE => Some(Literal::Double(wide(&mut reader)?)),
            tag::STRING => {
                let bytes = self.utf8_bytes(reader.u2()?)?;
                Some(Literal::String(JavaString::from_units(&decode_units(bytes))))
            }
            tag::CLASS => {
                let name = self.class_name(index)?;
                let of = Type::from_class_constant(&name).ok_or(ClassFileError::BadConstant { index })?;
                Some(Literal::Class(of))
            }
            _ => None,
        })
    }
}
