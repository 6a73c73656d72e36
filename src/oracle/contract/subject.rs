//! The methods that contracts are about, and which class declares the one that is at fault.

use model::jvm::ClassName;
use model::jvm::types::{ClassFacts, MethodFacts, access};
use program::Program;

/// A method that contracts are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// `clone()`.
    Clone,
    /// `equals(Object)`.
    Equals,
    /// `hashCode()`.
    HashCode,
    /// `toString()`.
    ToString,
    /// `compareTo`, of whatever type.
    CompareTo,
    /// `compare`, of whatever types.
    Compare,
}

impl Subject {
    /// Whether the method is of this kind.
    pub fn is(self, method: &MethodFacts) -> bool {
        let parameters = &method.descriptor.parameters;
        match (self, &*method.name) {
            (Subject::Clone, "clone") | (Subject::HashCode, "hashCode") | (Subject::ToString, "toString") => {
                parameters.is_empty()
            }
            (Subject::Equals, "equals") => {
                matches!(&parameters[..], [parameter] if *parameter == model::jvm::Type::object())
            }
            (Subject::CompareTo, "compareTo") => parameters.len() == 1,
            (Subject::Compare, "compare") => parameters.len() == 2,
            _ => false,
        }
    }
}

/// The class under test whose declaration of one of the methods is at fault for what an object of the class did: of the
/// implementations that its calls select (JVMS §5.4.6), the one declared nearest to the class. An `equals` without a
/// `hashCode` beside it is the fault of the class that declares `equals`, whichever subclass shows it. `None` if the nearest
/// is not under test.
pub fn declaring_class(subjects: &[Subject], class: &ClassName, program: &Program) -> Option<ClassName> {
    let types = &program.types;
    let superclass = |facts: &&ClassFacts| types.get(facts.super_class.as_ref()?);
    // Methods of classes are selected before those of interfaces, whose class files name `Object` as their superclass.
    let classes = std::iter::successors(types.get(class), superclass);
    let interfaces = types.ancestry(class).into_iter().filter(|facts| facts.is_interface());
    let declares = |facts: &&ClassFacts| {
        let mut bodies = facts.methods.iter().filter(|method| method.access & access::ABSTRACT == 0);
        bodies.any(|method| subjects.iter().any(|subject| subject.is(method)))
    };
    let nearest = classes.chain(interfaces).find(declares)?;
    program.is_target(&nearest.name).then(|| nearest.name.clone())
}
