//! The line of a finding, as a stack trace has it: consoles of IDEs and terminals make it a link to the source.

use super::Finding;

/// Such as `at buffer.RingBuffer.root(RingBuffer.java:27)`, of a finding of this class; `None` if the classes do not say
/// where.
pub fn frame(class: &str, finding: &Finding) -> Option<String> {
    let position = finding.position.as_ref()?;
    let line = position.line?;
    let file = position.file.rsplit('/').next().unwrap_or_default();
    let suffix = format!("({line})");
    let mut frames = finding.exception.iter().flat_map(|exception| &exception.stack);
    let path = position.file.rsplit_once('.').map_or("", |(path, _)| path);
    let outer = |class: &str| class.split('$').next().unwrap_or_default().to_string();
    let is_in_file = |class: &str| path.ends_with(&outer(class).replace('.', "/"));
    let is_there = |frame: &&str| frame.rsplit_once('.').is_some_and(|(class, _)| is_in_file(class));
    let code = match frames.find_map(|frame| frame.strip_suffix(&suffix).filter(is_there)) {
        Some(method) => method.to_string(),
        None if is_in_file(class) => outer(class),
        None => outer(file.split('.').next().unwrap_or_default()),
    };
    Some(format!("at {code}({file}:{line})"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example;

    fn check(change: impl Fn(&mut Finding), expected: Option<&str>) {
        let mut finding = example::run().classes.remove(1).findings.remove(0);
        change(&mut finding);
        assert_eq!(frame("buffer.RingBuffer", &finding).as_deref(), expected);
    }

    #[test]
    fn place_of_an_exception_names_the_method() {
        check(|_| {}, Some("at buffer.RingBuffer.enqueue(RingBuffer.java:27)"));
        let nested = |finding: &mut Finding| {
            let stack = &mut finding.exception.as_mut().unwrap().stack;
            *stack = vec!["java.util.Objects.requireNonNull(27)".into(), "buffer.RingBuffer$Slot.set(27)".into()];
        };
        check(nested, Some("at buffer.RingBuffer$Slot.set(RingBuffer.java:27)"));
    }

    #[test]
    fn place_without_an_exception_names_the_class_or_else_the_file() {
        check(|finding| finding.exception = None, Some("at buffer.RingBuffer(RingBuffer.java:27)"));
        let elsewhere = |finding: &mut Finding| {
            finding.exception = None;
            finding.position.as_mut().unwrap().file = "src/main/java/base/Queue.java".to_string();
        };
        check(elsewhere, Some("at Queue(Queue.java:27)"));
    }

    #[test]
    fn finding_without_a_line_has_no_place() {
        check(|finding| finding.position.as_mut().unwrap().line = None, None);
        check(|finding| finding.position = None, None);
    }
}
