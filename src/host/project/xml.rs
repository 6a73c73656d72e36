//! XML as a tree of elements and texts, with places for messages; attributes are left out, as POMs have none that count.
//!
//! Document types and entities beyond XML's own five are refused: no POM needs them, and a few lines of them can grow to
//! gigabytes.

use quick_xml::Reader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::Event;
use thiserror::Error;

/// More than any POM nests; keeps recursion over the tree shallow.
const MAX_DEPTH: usize = 100;

/// Why a text is no XML that is read here.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{line}:{column}: {message}")]
pub struct XmlError {
    /// From 1.
    pub line: usize,
    /// From 1.
    pub column: usize,
    /// What is wrong there.
    pub message: String,
}

/// An element without its namespace prefix.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Element {
    /// Without the prefix.
    pub name: String,
    /// The texts directly in it, joined and trimmed.
    pub text: String,
    /// In their order.
    pub children: Vec<Element>,
    /// The line of its start tag, from 1.
    pub line: usize,
}

impl Element {
    /// Parses a document; returns its outermost element.
    pub fn parse(bytes: &[u8]) -> Result<Element, XmlError> {
        let text = decode(bytes)?;
        parse_text(&text)
    }

    /// The first child of that name.
    pub fn child(&self, name: &str) -> Option<&Element> {
        self.children_named(name).next()
    }

    /// All children of that name.
    pub fn children_named<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a Element> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// Goes down through the first child of each name.
    pub fn descend(&self, path: &[&str]) -> Option<&Element> {
        path.iter().try_fold(self, |element, name| element.child(name))
    }

    /// The text of the element that [`Element::descend`] finds, if it has one.
    pub fn text_at(&self, path: &[&str]) -> Option<&str> {
        self.descend(path).map(|element| element.text.as_str()).filter(|text| !text.is_empty())
    }
}

/// As UTF-8, or as the declaration says if that is a one-byte encoding.
fn decode(bytes: &[u8]) -> Result<String, XmlError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let declaration_end = bytes.iter().position(|byte| *byte == b'>').unwrap_or(0);
    let declaration = String::from_utf8_lossy(&bytes[..declaration_end]).to_ascii_lowercase();
    let one_byte = ["iso-8859-1", "iso-8859-15", "windows-1252", "us-ascii"];
    if declaration.starts_with("<?xml") && one_byte.iter().any(|name| declaration.contains(name)) {
        // These differ in letters that no name or path of a POM has.
        return Ok(bytes.iter().map(|byte| char::from(*byte)).collect());
    }
    String::from_utf8(bytes.to_vec()).map_err(|error| {
        let valid = String::from_utf8_lossy(&bytes[..error.utf8_error().valid_up_to()]).into_owned();
        error_at(&valid, valid.len(), "not UTF-8")
    })
}

fn parse_text(text: &str) -> Result<Element, XmlError> {
    let mut reader = Reader::from_str(text);
    // The elements that are open, the outermost first, below one that holds the document.
    let mut open = vec![Element::default()];
    // Counted on from event to event: effective POMs are long.
    let (mut line, mut counted) = (1, 0);
    loop {
        let start = reader.buffer_position() as usize;
        line += text.as_bytes()[counted..start].iter().filter(|byte| **byte == b'\n').count();
        counted = start;
        let event = reader
            .read_event()
            .map_err(|error| error_at(text, reader.error_position() as usize, &error.to_string()))?;
        let refuse = |message: &str| error_at(text, start, message);
        let innermost = open.last_mut().expect("the document stays open");
        match event {
            Event::Start(tag) => {
                let name = tag.local_name().into_inner().to_string();
                if open.len() > MAX_DEPTH {
                    return Err(refuse("elements are nested too deeply"));
                }
                open.push(Element { name, line, ..Element::default() });
            }
            Event::Empty(tag) => {
                let name = tag.local_name().into_inner().to_string();
                innermost.children.push(Element { name, line, ..Element::default() });
            }
            Event::End(_) => {
                let mut element = open.pop().expect("the reader matches tags");
                element.text = element.text.trim().to_string();
                open.last_mut().expect("the document stays open").children.push(element);
            }
            Event::Text(part) => innermost.text.push_str(&part.xml10_content()),
            Event::CData(part) => innermost.text.push_str(&part.xml10_content()),
            Event::GeneralRef(reference) => match reference.resolve_char_ref() {
                Ok(Some(letter)) => innermost.text.push(letter),
                Ok(None) => match resolve_predefined_entity(&reference) {
                    Some(resolved) => innermost.text.push_str(resolved),
                    None => return Err(refuse(&format!("the entity &{}; is not read here", &*reference))),
                },
                Err(error) => return Err(refuse(&error.to_string())),
            },
            Event::DocType(_) => return Err(refuse("document types are not read here")),
            Event::Eof => break,
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
        }
    }
    let end = |message: &str| Err(error_at(text, text.len(), message));
    if open.len() > 1 {
        return end(&format!("<{}> is not closed", open[open.len() - 1].name));
    }
    let document = open.pop().expect("the document stays open");
    match <[Element; 1]>::try_from(document.children) {
        Ok([outermost]) if document.text.trim().is_empty() => Ok(outermost),
        _ => end("expected one outermost element and nothing beside it"),
    }
}

fn error_at(text: &str, offset: usize, message: &str) -> XmlError {
    let before = &text.as_bytes()[..offset.min(text.len())];
    let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let column = String::from_utf8_lossy(&before[line_start..]).chars().count() + 1;
    XmlError { line, column, message: message.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_error(text: &str, expected: &str) {
        let error = Element::parse(text.as_bytes()).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    }

    #[test]
    fn xml_elements_keep_texts_and_line_numbers() {
        let text = "\u{feff}<?xml version=\"1.0\"?>\n<!-- c -->\n<m:a xmlns:m='x'>\n <b> 1 &lt; <![CDATA[<2>]]>&#33; </b>\n <b/>\n</m:a>";
        let root = Element::parse(text.as_bytes()).unwrap();
        assert_eq!((root.name.as_str(), root.line), ("a", 3));
        let shown: Vec<(&str, usize)> = root.children.iter().map(|child| (child.text.as_str(), child.line)).collect();
        assert_eq!(shown, [("1 < <2>!", 4), ("", 5)]);
        assert_eq!(root.text_at(&["b"]), Some("1 < <2>!"));
        assert_eq!(root.text_at(&["c", "d"]), None);
    }

    #[test]
    fn malformed_xml_is_refused_with_its_position() {
        check_error("<a>\n  <b></c>\n</a>", "2:");
        check_error("<a>\n<b>", "2:4: <b> is not closed");
        check_error("", "1:1: expected one outermost element");
        check_error("<a/><b/>", "1:9: expected one outermost element");
        check_error("text", "1:5: expected one outermost element");
    }

    #[test]
    fn document_types_and_entities_are_refused() {
        check_error("<!DOCTYPE a [<!ENTITY x 'xx'>]><a>&x;</a>", "1:1: document types");
        check_error("<a>\n&x;</a>", "2:1: the entity &x;");
        let deep = "<a>".repeat(200_000);
        check_error(&deep, "1:301: elements are nested too deeply");
    }

    #[test]
    fn single_byte_xml_encodings_are_read() {
        let root = Element::parse(b"<?xml version='1.0' encoding='ISO-8859-1'?><a>\xe9</a>").unwrap();
        assert_eq!(root.text, "é");
        assert_eq!(Element::parse(b"<a>\xe9</a>").unwrap_err().to_string(), "1:4: not UTF-8");
    }
}
