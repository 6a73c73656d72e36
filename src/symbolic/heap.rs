//! Objects and values of the interpreter. A heap is cheap to copy: objects are shared until one is written to.

use super::classes::ClassId;
use super::term::Term;
use bytecode::classfile::MethodMember;
use model::jvm::{JavaString, Literal, Primitive, Type};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::Arc;

/// What a local variable, a place on the stack, a field or an array's element holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SymbolicValue {
    /// An int, or what the JVM keeps as one.
    Int(i32),
    /// A long.
    Long(i64),
    /// As bits.
    Float(u32),
    /// As bits.
    Double(u64),
    /// No object.
    Null,
    /// An object, or an array.
    Reference(Reference),
    /// An int or a long that is not known.
    Symbol(Term),
}

/// Which object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reference(u32);

impl Reference {
    /// Another one for each object.
    pub fn number(self) -> i32 {
        self.0 as i32
    }
}

/// An object.
#[derive(Clone, Debug, PartialEq)]
pub enum HeapObject {
    /// An object of a class.
    Instance {
        /// Its class.
        class: ClassId,
        /// The fields' values in the order of the class's layout, superclasses' first.
        fields: Vec<SymbolicValue>,
    },
    /// An array.
    Array {
        /// Its type.
        of: Type,
        /// In their order.
        elements: Vec<SymbolicValue>,
    },
    /// A `Class` object.
    Mirror(Type),
    /// What a lambda expression or a method reference makes (JVMS §5.4.3.6).
    Lambda {
        /// The functional interface.
        interface: ClassId,
        /// What its method calls.
        method: Arc<MethodMember>,
        /// Values that go before the arguments.
        captured: Vec<SymbolicValue>,
    },
}

/// All objects, and the static fields of classes that are initialised or being so.
#[derive(Clone, Debug, Default)]
pub struct Heap {
    objects: Vec<Rc<HeapObject>>,
    statics: Rc<FxHashMap<ClassId, Vec<SymbolicValue>>>,
    /// String constants and what was interned.
    interned: Rc<FxHashMap<JavaString, Reference>>,
    mirrors: Rc<FxHashMap<Type, Reference>>,
}

impl SymbolicValue {
    /// A boolean, which is an int.
    pub const TRUE: SymbolicValue = SymbolicValue::Int(1);
    /// A boolean, which is an int.
    pub const FALSE: SymbolicValue = SymbolicValue::Int(0);

    /// A boolean, which is an int.
    pub fn boolean(value: bool) -> SymbolicValue {
        SymbolicValue::Int(value.into())
    }

    /// What fields and elements of the type hold first.
    pub fn zero(of: &Type) -> SymbolicValue {
        match of {
            Type::Primitive(Primitive::Long) => SymbolicValue::Long(0),
            Type::Primitive(Primitive::Float) => SymbolicValue::Float(0),
            Type::Primitive(Primitive::Double) => SymbolicValue::Double(0),
            Type::Primitive(_) => SymbolicValue::Int(0),
            _ => SymbolicValue::Null,
        }
    }

    /// A number as the arithmetic takes it; `None` of references and of what is not known.
    pub fn literal(self) -> Option<Literal> {
        Some(match self {
            SymbolicValue::Int(value) => Literal::Int(value),
            SymbolicValue::Long(value) => Literal::Long(value),
            SymbolicValue::Float(bits) => Literal::Float(bits),
            SymbolicValue::Double(bits) => Literal::Double(bits),
            SymbolicValue::Null | SymbolicValue::Reference(_) | SymbolicValue::Symbol(_) => return None,
        })
    }

    /// A number of the four kinds that stacks hold; `None` of texts and classes.
    pub fn of_literal(literal: &Literal) -> Option<SymbolicValue> {
        Some(match *literal {
            Literal::Boolean(value) => SymbolicValue::boolean(value),
            Literal::Byte(value) => SymbolicValue::Int(value.into()),
            Literal::Char(value) => SymbolicValue::Int(value.into()),
            Literal::Short(value) => SymbolicValue::Int(value.into()),
            Literal::Int(value) => SymbolicValue::Int(value),
            Literal::Long(value) => SymbolicValue::Long(value),
            Literal::Float(bits) => SymbolicValue::Float(bits),
            Literal::Double(bits) => SymbolicValue::Double(bits),
            Literal::Null(_) => SymbolicValue::Null,
            Literal::String(_) | Literal::Class(_) => return None,
        })
    }
}

impl Heap {
    /// Adds an object.
    pub fn add(&mut self, object: HeapObject) -> Reference {
        let reference = Reference(u32::try_from(self.objects.len()).expect("memory ends before references do"));
        self.objects.push(Rc::new(object));
        reference
    }

    /// How many objects there are.
    pub fn len(&self) -> usize {
        self.objects.len()
    }

    /// Whether there is no object yet.
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// What a reference leads to.
    pub fn object(&self, reference: Reference) -> &HeapObject {
        &self.objects[reference.0 as usize]
    }

    /// What a reference leads to, to be changed.
    pub fn object_mut(&mut self, reference: Reference) -> &mut HeapObject {
        Rc::make_mut(&mut self.objects[reference.0 as usize])
    }

    /// The fields of an instance; none of an array.
    pub fn fields(&self, reference: Reference) -> &[SymbolicValue] {
        match self.object(reference) {
            HeapObject::Instance { fields, .. } => fields,
            _ => &[],
        }
    }

    /// The elements of an array; none of other objects.
    pub fn elements(&self, reference: Reference) -> &[SymbolicValue] {
        match self.object(reference) {
            HeapObject::Array { elements, .. } => elements,
            _ => &[],
        }
    }

    /// The elements of an array, to be changed; none of other objects.
    pub fn elements_mut(&mut self, reference: Reference) -> &mut [SymbolicValue] {
        match self.object_mut(reference) {
            HeapObject::Array { elements, .. } => elements,
            _ => &mut [],
        }
    }

    /// Writes a field of an instance.
    pub fn set_field(&mut self, reference: Reference, slot: usize, value: SymbolicValue) {
        if let HeapObject::Instance { fields, .. } = self.object_mut(reference) {
            fields[slot] = value;
        }
    }

    /// The static fields of a class; `None` before its initialisation began.
    pub fn statics(&self, class: ClassId) -> Option<&[SymbolicValue]> {
        self.statics.get(&class).map(|values| &values[..])
    }

    /// The class's initialisation begins, with these static fields.
    pub fn begin_statics(&mut self, class: ClassId, values: Vec<SymbolicValue>) {
        Rc::make_mut(&mut self.statics).insert(class, values);
    }

    /// # Panics
    /// If the class's initialisation has not begun.
    pub fn set_static(&mut self, class: ClassId, slot: usize, value: SymbolicValue) {
        let values = Rc::make_mut(&mut self.statics).get_mut(&class);
        values.expect("static fields are written once initialisation began")[slot] = value;
    }

    /// The string object of a constant, or of a text that was interned.
    pub fn interned(&self, text: &JavaString) -> Option<Reference> {
        self.interned.get(text).copied()
    }

    /// Makes the object the one of this text.
    pub fn intern(&mut self, text: JavaString, reference: Reference) {
        Rc::make_mut(&mut self.interned).insert(text, reference);
    }

    /// The `Class` object of the type, always the same.
    pub fn mirror(&mut self, of: &Type) -> Reference {
        if let Some(&known) = self.mirrors.get(of) {
            return known;
        }
        let reference = self.add(HeapObject::Mirror(of.clone()));
        Rc::make_mut(&mut self.mirrors).insert(of.clone(), reference);
        reference
    }
}
