//! What the methods of an anonymous class do that an operation makes an object of.

use crate::jvm::MethodDescriptor;
use std::fmt;
use std::sync::Arc;

/// A method of the anonymous class that an [`Implementation`](super::OperationKind::Implementation) makes an object of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Implemented {
    /// As the supertype declares it.
    pub name: Arc<str>,
    /// Erased types as source declares them, the supertypes' type arguments put in.
    pub descriptor: MethodDescriptor,
    /// What callers may link to: several where an ancestor narrows another's result.
    pub linked: Vec<MethodDescriptor>,
    /// Public, protected or neither (JVMS table 4.6-A).
    pub access: u16,
    /// It has type parameters of its own, which no lambda can have (JLS §15.27.3).
    pub generic: bool,
    /// The whole of its body, but for what it records.
    pub answer: Answer,
    /// What it notes of each call, if it returns nothing.
    pub recording: Option<Recording>,
}

/// What a method that an operation implements adds to a list, so that a test sees the calls which the code under test made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Recording {
    /// The operation's input that is the list, of the class [`Recording::LIST`].
    pub list: u32,
    /// What is added.
    pub of: Recorded,
}

impl Recording {
    /// The class of the list.
    pub const LIST: &str = "java/util/ArrayList";

    /// The input of an operation with such methods that is the list, if any of them records.
    pub fn list_of(implemented: &[Implemented]) -> Option<u32> {
        implemented.iter().find_map(|method| method.recording).map(|recording| recording.list)
    }

    /// The input of an operation with such methods that one of them adds to the list, if any does.
    pub fn label_of(implemented: &[Implemented]) -> Option<u32> {
        implemented.iter().find_map(Implemented::label)
    }
}

/// What is added to a list for each call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Recorded {
    /// The only parameter, boxed if it is primitive.
    Parameter,
    /// A text as source calls the method: `moved(3, left)`.
    Call,
    /// The operation's input of the index, a text: it tells apart the objects that add to one list, so that their order shows.
    Label(u32),
}

/// What a method does that an operation implements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Answer {
    /// Returns zero, false, an empty string, null, or nothing.
    Default,
    /// Returns the operation's input of the index.
    Input(u32),
    /// Returns its own parameter of the index.
    Parameter(u32),
    /// Returns what the operation's input of the index holds at the time, which is of the class [`HOLDER`].
    Held(u32),
    /// Throws an `IllegalStateException` with the message [`FAILURE`], as a collaborator that fails.
    Throws,
    /// Throws the operation's input of the index, an exception; of mocks alone.
    Thrown(u32),
}

/// The class of an input that holds what a method answers, so that a test can change the answer.
pub const HOLDER: &str = "java/util/concurrent/atomic/AtomicReference";

/// The message of the exception that methods throw which an operation implements: no code under test has it.
pub const FAILURE: &str = "collaborator failed";

impl Implemented {
    /// The operation's input that holds the method's answer.
    pub fn holder(&self) -> Option<u32> {
        match self.answer {
            Answer::Held(index) => Some(index),
            Answer::Default | Answer::Input(_) | Answer::Parameter(_) | Answer::Throws | Answer::Thrown(_) => None,
        }
    }

    /// The operation's input that the method throws.
    pub fn thrown(&self) -> Option<u32> {
        match self.answer {
            Answer::Thrown(index) => Some(index),
            _ => None,
        }
    }

    /// The operation's input that the method adds to its list.
    pub fn label(&self) -> Option<u32> {
        match self.recording?.of {
            Recorded::Label(index) => Some(index),
            Recorded::Parameter | Recorded::Call => None,
        }
    }

    /// Whether null is what it returns, whatever the operation is given.
    pub fn answers_null(&self) -> bool {
        let returns = self.descriptor.returns.as_ref();
        self.answer == Answer::Default && returns.is_some_and(|of| !of.is_primitive() && !of.is_string())
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Answer::Default => formatter.write_str("default"),
            Answer::Input(index) => write!(formatter, "input {index}"),
            Answer::Parameter(index) => write!(formatter, "parameter {index}"),
            Answer::Held(index) => write!(formatter, "held by input {index}"),
            Answer::Throws => formatter.write_str("throws"),
            Answer::Thrown(index) => write!(formatter, "throws input {index}"),
        }
    }
}
