//! Methods and arguments as users write them: `remove(int)`, `put=1..4,null;5,"five"`.

use super::plan::short_type;
use model::jvm::Type;
use model::sequence::{Operation, OperationKind};

/// A method, a constructor (`new`) or a type by its name; of methods and constructors perhaps with the types they take.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct MethodPattern {
    name: String,
    types: Option<Vec<String>>,
}

impl MethodPattern {
    pub(super) fn read(text: &str) -> Option<MethodPattern> {
        let text: String = text.split_whitespace().collect();
        let Some((name, types)) = text.split_once('(') else {
            return (!text.is_empty()).then_some(MethodPattern { name: text, types: None });
        };
        let types = types.strip_suffix(')')?;
        let types = types.split(',').filter(|of| !of.is_empty()).map(str::to_string).collect();
        Some(MethodPattern { name: name.to_string(), types: Some(types) })
    }

    pub(super) fn matches(&self, operation: &Operation) -> bool {
        let name = if operation.kind == OperationKind::Constructor { "new" } else { &operation.name };
        let parameters = &operation.descriptor.parameters;
        let takes = |types: &Vec<String>| {
            types.len() == parameters.len() && types.iter().zip(parameters).all(|(name, of)| is_called(of, name))
        };
        self.name == name && self.types.as_ref().is_none_or(takes)
    }

    pub(super) fn is_type(&self, of: &Type) -> bool {
        self.types.is_none() && is_called(of, &self.name)
    }
}

/// Whether it is the type's name, with its package or without.
fn is_called(of: &Type, name: &str) -> bool {
    of.to_string() == name || short_type(of) == name
}

/// Lists of arguments for a method, or values of a type as lists of one.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ArgumentLists {
    pub(super) of: MethodPattern,
    pub(super) lists: Vec<Vec<String>>,
}

impl ArgumentLists {
    /// `None` if it is not of that form.
    pub(super) fn read(text: &str) -> Option<ArgumentLists> {
        let (of, lists) = text.split_once('=')?;
        let of = MethodPattern::read(of)?;
        let list = |text: &str| match text.trim() {
            "" => Some(Vec::new()),
            text => split(text, ','),
        };
        Some(ArgumentLists { of, lists: split(lists, ';')?.iter().map(|text| list(text)).collect::<Option<_>>()? })
    }
}

/// The parts between separators that are in no quotes; `None` if quotes do not end.
fn split(text: &str, separator: char) -> Option<Vec<String>> {
    let mut parts = vec![String::new()];
    let mut quote = None;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        let part = parts.last_mut().expect("there is one from the start");
        match quote {
            None if letter == separator => {
                parts.push(String::new());
                continue;
            }
            None if letter == '"' || letter == '\'' => quote = Some(letter),
            Some(_) if letter == '\\' => {
                part.push(letter);
                part.extend(letters.next());
                continue;
            }
            Some(open) if letter == open => quote = None,
            _ => {}
        }
        part.push(letter);
    }
    quote.is_none().then(|| parts.iter().map(|part| part.trim().to_string()).collect())
}

/// The text between the quotes, with Java's escapes (JLS §3.10.7) replaced; `None` if it is not so quoted.
pub(super) fn unquoted(text: &str, quote: char) -> Option<String> {
    let inside = text.strip_prefix(quote)?.strip_suffix(quote)?;
    let mut letters = inside.chars();
    let mut found = String::new();
    while let Some(letter) = letters.next() {
        found.push(match letter {
            '\\' => match letters.next()? {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'b' => '\u{8}',
                'f' => '\u{c}',
                '0' => '\0',
                'u' => {
                    let digits: String = letters.by_ref().take(4).collect();
                    char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?
                }
                other => other,
            },
            letter if letter == quote => return None,
            letter => letter,
        });
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lists(text: &str) -> Option<Vec<Vec<String>>> {
        ArgumentLists::read(text).map(|given| given.lists)
    }

    #[test]
    fn argument_lists_are_split_outside_quotes() {
        assert_eq!(lists("push=1;2").unwrap(), [["1"], ["2"]]);
        assert_eq!(lists("put=1..4, null ; 5,\"a;b,\\\"c\"").unwrap(), [["1..4", "null"], ["5", "\"a;b,\\\"c\""]]);
        assert_eq!(lists("pop=").unwrap(), [[""; 0]]);
        assert_eq!(lists("push"), None);
        assert_eq!(lists("put=\"a"), None);
    }

    #[test]
    fn method_pattern_has_a_name_and_optional_types() {
        let read = |text| MethodPattern::read(text).unwrap();
        assert_eq!(read("pop").types, None);
        assert_eq!(read("put( int, Object )").types.unwrap(), ["int", "Object"]);
        assert_eq!(read("pop()").types.unwrap(), [""; 0]);
        assert_eq!(MethodPattern::read("pop(").map(|_| ()), None);
    }

    #[test]
    fn argument_strings_use_java_escapes() {
        assert_eq!(unquoted(r#""a\n\"\u0041""#, '"').unwrap(), "a\n\"A");
        assert_eq!(unquoted("'x'", '\'').unwrap(), "x");
        assert_eq!(unquoted("x", '\''), None);
        assert_eq!(unquoted("\"a\"b\"", '"'), None);
    }
}
