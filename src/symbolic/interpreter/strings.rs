//! Strings: objects of the JDK's own class, with its own representation (JEP 254), so that its code runs on them.

use super::{Interpreter, RunResult};
use crate::heap::{HeapObject, Reference, SymbolicValue};
use model::jvm::{ClassName, Primitive, Type};

impl Interpreter<'_, '_, '_> {
    /// A new string of these UTF-16 units.
    pub fn text(&mut self, units: &[u16]) -> RunResult<Reference> {
        let is_latin = units.iter().all(|&unit| unit < 0x100);
        let bytes: Vec<SymbolicValue> = if is_latin {
            units.iter().map(|&unit| SymbolicValue::Int((unit as u8 as i8).into())).collect()
        } else {
            units
                .iter()
                .flat_map(|unit| unit.to_le_bytes())
                .map(|byte| SymbolicValue::Int((byte as i8).into()))
                .collect()
        };
        self.text_of_bytes(bytes, is_latin)
    }

    /// A new string that keeps its units in these bytes.
    pub fn text_of_bytes(&mut self, bytes: Vec<SymbolicValue>, is_latin: bool) -> RunResult<Reference> {
        let bytes = self.array(Type::array(Type::Primitive(Primitive::Byte)), bytes)?;
        let class = self.link(&ClassName::new("java/lang/String"))?;
        let text = self.allocate(class)?;
        let class = self.world.classes.get(class);
        let (value, coder) = (class.slot("value"), class.slot("coder"));
        if let Some(slot) = value {
            self.heap.set_field(text, slot, SymbolicValue::Reference(bytes));
        }
        if let Some(slot) = coder {
            self.heap.set_field(text, slot, SymbolicValue::Int((!is_latin).into()));
        }
        Ok(text)
    }

    /// The UTF-16 units of a string, made known where they are not; `None` of other objects.
    pub fn known_units(&mut self, text: Reference) -> RunResult<Option<Vec<u16>>> {
        if let Some(bytes) = self.bytes(text) {
            for index in 0..self.heap.elements(bytes).len() {
                let value = self.heap.elements(bytes)[index];
                let known = self.narrow(value, "a text")?;
                self.heap.elements_mut(bytes)[index] = known;
            }
        }
        Ok(self.units(text))
    }

    /// The array that a string keeps its units in.
    fn bytes(&self, text: Reference) -> Option<Reference> {
        match self.field_of_text(text, "value")? {
            SymbolicValue::Reference(bytes) => Some(bytes),
            _ => None,
        }
    }

    fn field_of_text(&self, text: Reference, field: &str) -> Option<SymbolicValue> {
        let HeapObject::Instance { class, fields } = self.heap.object(text) else { return None };
        let class = self.world.classes.get(*class);
        if class.file.name.internal() != "java/lang/String" {
            return None;
        }
        Some(fields[class.slot(field)?])
    }

    /// The UTF-16 units of a string; `None` of other objects, and of one with a symbolic unit.
    pub fn units(&self, text: Reference) -> Option<Vec<u16>> {
        let bytes: Option<Vec<u8>> = self
            .heap
            .elements(self.bytes(text)?)
            .iter()
            .map(|&value| if let SymbolicValue::Int(byte) = value { Some(byte as u8) } else { None })
            .collect();
        let bytes = bytes?;
        Some(match self.field_of_text(text, "coder") {
            Some(SymbolicValue::Int(1)) => {
                bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect()
            }
            _ => bytes.into_iter().map(u16::from).collect(),
        })
    }
}
