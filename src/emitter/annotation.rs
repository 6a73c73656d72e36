//! Annotations as Java source (JLS §9.7).

use super::literal::literal_text;
use super::names::Names;
use model::jvm::annotations::{Annotation, ElementValue};

/// `@Parameter(names = "-a", arity = 2)`
pub(super) fn annotation_text(annotation: &Annotation, names: &mut Names<'_>) -> Result<String, String> {
    let of = names.class_name(&annotation.of)?;
    let mut elements = Vec::new();
    for (name, value) in &annotation.elements {
        let value = element_text(value, names)?;
        let is_lone_value = annotation.elements.len() == 1 && &**name == "value";
        elements.push(if is_lone_value { value } else { format!("{name} = {value}") });
    }
    Ok(if elements.is_empty() { format!("@{of}") } else { format!("@{of}({})", elements.join(", ")) })
}

fn element_text(value: &ElementValue, names: &mut Names<'_>) -> Result<String, String> {
    match value {
        ElementValue::Constant(literal) => literal_text(literal, names),
        ElementValue::Void => Ok("void.class".to_string()),
        ElementValue::Enum(class, name) => Ok(format!("{}.{name}", names.class_name(class)?)),
        ElementValue::Annotation(annotation) => annotation_text(annotation, names),
        ElementValue::Array(values) => match &values[..] {
            [value] => element_text(value, names),
            values => {
                let texts: Vec<String> =
                    values.iter().map(|value| element_text(value, names)).collect::<Result<_, _>>()?;
                Ok(format!("{{{}}}", texts.join(", ")))
            }
        },
    }
}
