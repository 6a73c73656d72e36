//! What a test of a user's suite did: its *method executions*, the calls of code under test that the test itself made.
//!
//! A method execution is a method and its input: the receiver's state at entry and the arguments (Rostra,
//! docs/bibliography.md). Calls that code under test makes itself follow from these and are not among them.

use super::{EdgeHit, Fingerprint};
use crate::jvm::{ClassName, Literal};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A method of a class under test: its class's number and its index in the class file, as one number.
pub type TracedMethod = u32;

/// One run of one test that passed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestTrace {
    /// In the order of the calls.
    pub executions: Vec<MethodExecution>,
    /// Sorted.
    pub edges: Vec<EdgeHit>,
    /// Probes executed.
    pub cost: u64,
}

/// One call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodExecution {
    /// The method whose body ran; for a virtual call, that of the run-time class.
    pub method: TracedMethod,
    /// The statement of a sequence that made it; 0 in a test.
    pub statement: u32,
    /// The first input is the receiver. There is none to see at the entry of a constructor.
    pub has_receiver: bool,
    /// Receiver and arguments at entry, and the objects among them at the end too.
    pub inputs: Vec<Input>,
    /// What came back to the caller.
    pub end: End,
}

/// A receiver or an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// A null reference.
    Null,
    /// A value of a primitive type.
    Primitive {
        /// The letter of its type's descriptor.
        letter: u8,
        /// The value widened to 64 bits: integers with their sign, floats as `to_bits` has them.
        bits: u64,
    },
    /// A string, a boxed primitive, a constant of an enum or a class: its identity does not matter.
    Value(Fingerprint),
    /// Any other object, which has an identity and a state.
    Object {
        /// Tells it from other objects of the same test.
        object: ObjectId,
        /// At entry.
        before: State,
        /// When the call ended.
        after: State,
    },
}

impl Input {
    /// The value, of a primitive type.
    pub fn datum(self) -> Option<Datum> {
        let Input::Primitive { letter, bits } = self else { return None };
        Some(match letter {
            b'Z' => Datum::Boolean(bits != 0),
            b'F' => Datum::Real(f64::from(f32::from_bits(bits as u32)).to_bits()),
            b'D' => Datum::Real(bits),
            _ => Datum::Integer(bits as i64),
        })
    }
}

/// The same number for the same object all through one test.
pub type ObjectId = u32;

/// A state as the concrete representations see it; equal numbers, equal states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// Of the whole object graph.
    pub whole: Fingerprint,
    /// Of the part that `obj.equals(obj)` reads.
    pub monitored: Fingerprint,
    /// The whole state of the first object that `equals` did not tell from it.
    pub equal: Fingerprint,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// It returned, and not an object; `None` for void.
    Returned(Option<Input>),
    /// It returned, or as a constructor made, this object.
    Made {
        /// Tells it from other objects of the same test.
        object: ObjectId,
        /// When the call ended.
        state: State,
    },
    /// It threw an exception of this run-time class.
    Threw(ClassName),
}

/// What states and values hold that traces name by fingerprints, where that was asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Descriptions {
    /// By whole state.
    pub states: FxHashMap<Fingerprint, Description>,
    /// Of [`Input::Value`].
    pub values: FxHashMap<Fingerprint, Datum>,
}

impl Descriptions {
    /// Adds what another trace knows; where both have a fingerprint, the later description stays.
    pub fn extend(&mut self, more: Descriptions) {
        self.states.extend(more.states);
        self.values.extend(more.values);
    }
}

/// An object in a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// Run-time class.
    pub class: ClassName,
    /// Its fields by name, superclasses' first, and what observers returned, as `size()`. Of an array or a collection of the
    /// JDK itself, by an empty name.
    pub variables: Vec<(Arc<str>, Datum)>,
}

/// The value of a variable, as far as specifications speak of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Datum {
    /// No object.
    Null,
    /// A primitive or boxed `boolean`.
    Boolean(bool),
    /// Of all integral types, boxed ones too.
    Integer(i64),
    /// The bits of a `double`; a `float` is widened.
    Real(u64),
    /// A string; lone surrogates show as U+FFFD.
    Text(Arc<str>),
    /// A constant of an enum, or a class, as source names it.
    Constant(Arc<str>),
    /// An object of the class, named with dots.
    Object(Arc<str>),
    /// An array, or a collection of the JDK.
    Elements {
        /// The length of the array, or the size of the collection.
        size: u32,
        /// All of them, if they are few and in an order.
        all: Option<Arc<[Datum]>>,
    },
}

impl From<&Literal> for Datum {
    fn from(literal: &Literal) -> Datum {
        match *literal {
            Literal::Boolean(value) => Datum::Boolean(value),
            Literal::Byte(value) => Datum::Integer(value.into()),
            Literal::Short(value) => Datum::Integer(value.into()),
            Literal::Char(value) => Datum::Integer(value.into()),
            Literal::Int(value) => Datum::Integer(value.into()),
            Literal::Long(value) => Datum::Integer(value),
            Literal::Float(bits) => Datum::Real(f64::from(f32::from_bits(bits)).to_bits()),
            Literal::Double(bits) => Datum::Real(bits),
            Literal::String(ref text) => Datum::Text(text.to_string().into()),
            Literal::Class(_) | Literal::Null(_) => Datum::Null,
        }
    }
}
