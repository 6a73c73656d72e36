//! Values that annotations give where a configuration or a request has none: 19 of `@Value("${tax:19}") int tax`. They are what
//! a field or parameter mostly is.

use crate::classfile::ClassFile;
use model::jvm::annotations::{Annotation, ElementValue};
use model::jvm::{Literal, Primitive, Type};

/// Spring's annotation whose text has the default behind a colon.
const VALUE: &str = "org/springframework/beans/factory/annotation/Value";

/// The defaults of fields and parameters of the class.
pub(super) fn defaults(class: &ClassFile) -> impl Iterator<Item = Literal> {
    let of_fields = class.fields.iter().map(|field| (&field.annotations, &field.field_type));
    let of_methods = class.methods.iter().flat_map(|method| {
        let parameters = &method.descriptor.parameters;
        method.parameter_annotations.iter().zip(parameters)
    });
    of_fields.chain(of_methods).flat_map(|(annotations, of)| annotations.iter().filter_map(move |it| default(it, of)))
}

/// The value that the annotation gives to what is of the type.
fn default(annotation: &Annotation, of: &Type) -> Option<Literal> {
    let text = |element: &str| {
        let (_, value) = annotation.elements.iter().find(|(name, _)| &**name == element)?;
        match value {
            ElementValue::Constant(Literal::String(text)) => String::from_utf16(text.units()).ok(),
            _ => None,
        }
    };
    let text = match annotation.of.internal() {
        VALUE => {
            let text = text("value")?;
            let (_, default) = text.strip_prefix("${")?.strip_suffix('}')?.split_once(':')?;
            default.to_string()
        }
        _ => text("defaultValue")?,
    };
    let is_boxed = |name: &str| of.class_name().is_some_and(|class| class.internal() == name);
    match of {
        Type::Primitive(Primitive::Int) => text.parse().ok().map(Literal::Int),
        Type::Primitive(Primitive::Long) => text.parse().ok().map(Literal::Long),
        Type::Primitive(Primitive::Short) => text.parse().ok().map(Literal::Short),
        Type::Primitive(Primitive::Double) => text.parse().ok().map(Literal::double),
        Type::Primitive(Primitive::Float) => text.parse().ok().map(Literal::float),
        Type::Primitive(_) => None,
        _ if is_boxed("java/lang/Integer") => text.parse().ok().map(Literal::Int),
        _ if is_boxed("java/lang/Long") => text.parse().ok().map(Literal::Long),
        // Of what is parsed, such as a `BigDecimal`, a text is made.
        _ => (!text.is_empty()).then(|| Literal::String(text.as_str().into())),
    }
}
