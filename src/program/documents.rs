//! Documents that lie beside the classes, such as examples that the project's tests read: constants of the classes that may read
//! them.

use super::Program;
use model::jvm::{Literal, Type};
use model::sequence::{Operation, OperationId};

/// What documents are read from.
const SOURCES: [&str; 6] =
    ["[B", "[C", "Ljava/io/File;", "Ljava/io/InputStream;", "Ljava/io/Reader;", "Ljava/nio/file/Path;"];
/// Words in the names of parameters that are documents, as a whole or at their end.
const NAMES: [&str; 10] =
    ["content", "csv", "data", "document", "input", "json", "properties", "source", "text", "xml"];

impl Program {
    /// Offers the documents to each class under test that takes a reader, a stream, a file, or a text with the name of one.
    pub fn learn_documents(&mut self, documents: &[String]) {
        let reads = |operation: &OperationId| takes_document(&self.operations[operation.0 as usize]);
        let readers: Vec<usize> =
            (0..self.targets.len()).filter(|&at| self.targets[at].operations.iter().any(reads)).collect();
        let constants = &mut self.existing_tests.constants;
        constants.resize(self.targets.len(), Vec::new());
        for at in readers {
            for document in documents {
                let literal = Literal::String(document.as_str().into());
                if !constants[at].iter().any(|(known, _)| *known == literal) {
                    constants[at].push((literal, 1));
                }
            }
        }
    }
}

fn takes_document(operation: &Operation) -> bool {
    let named = |at: usize| {
        let name = operation.name_of_input(at).unwrap_or_default().to_ascii_lowercase();
        NAMES.iter().any(|word| name.ends_with(word))
    };
    let is_text = |of: &Type| of.is_string() || of.descriptor() == "Ljava/lang/CharSequence;";
    let mut inputs = operation.inputs.iter().enumerate();
    inputs.any(|(at, of)| SOURCES.contains(&of.descriptor().as_str()) || is_text(of) && named(at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::jvm::{ClassName, MethodDescriptor};
    use model::sequence::OperationKind;

    #[test]
    fn documents_are_for_what_takes_a_reader_or_a_text_named_as_one() {
        let operation = |descriptor: &str, name: &str| Operation {
            parameter_names: vec![name.into()],
            ..Operation::new(
                OperationKind::StaticMethod,
                ClassName::new("p/A"),
                "m",
                MethodDescriptor::parse(descriptor).unwrap(),
            )
        };
        for (descriptor, name, expected) in [
            ("(Ljava/io/Reader;)V", "a", true),
            ("(Ljava/lang/String;)V", "jsonText", true),
            ("(Ljava/lang/String;)V", "title", false),
            ("(I)V", "data", false),
        ] {
            assert_eq!(takes_document(&operation(descriptor, name)), expected, "{descriptor} {name}");
        }
    }
}
