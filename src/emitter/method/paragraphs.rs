//! Arrange, act and assert: the order of lines, the blank ones between, and the comments above.

use super::{COLUMNS, Writer};
use crate::layout::wrapped;
use model::options::TestComments;
use std::ops::RangeInclusive;

/// Which paragraph a line belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Paragraph {
    Arrange,
    Act,
    Assert,
}

/// Where the call stands that a test is about.
#[derive(Clone, Copy)]
pub(super) struct Act {
    /// Index of the part.
    pub part: usize,
    /// The same statement asserts what the call does.
    pub asserts: bool,
}

/// Lines, those that assert values, with the statements that made these, and comments above lines.
type Lines = (Vec<String>, Vec<(RangeInclusive<usize>, usize)>, Vec<(usize, &'static str)>);

impl Writer<'_, '_> {
    /// Adds a line that asserts the value of statement `index`.
    pub(super) fn push_check(&mut self, index: usize, part: Paragraph, line: String) {
        self.checked_parts.push((self.parts.len(), index));
        self.parts.push((part, line));
    }

    /// Notes that a part has the call that the test is about, unless another one is known.
    pub(super) fn note_act(&mut self, part: usize) {
        let asserts = self.parts[part].0 == Paragraph::Assert || self.is_check(part);
        self.act = self.act.or(Some(Act { part, asserts }));
    }

    fn is_check(&self, part: usize) -> bool {
        self.checked_parts.iter().any(|(checked, _)| *checked == part)
    }

    /// The first of the assertions at the end, which stand together, whichever statement they are about. A call that is rejected
    /// is the act, also where the same statement checks the message.
    fn first_assertion(&self) -> Option<usize> {
        let asserts = |part: usize| match self.parts[part].0 {
            Paragraph::Assert => true,
            Paragraph::Arrange => self.is_check(part),
            Paragraph::Act => false,
        };
        (0..self.parts.len()).rev().take_while(|&part| asserts(part)).last()
    }

    /// What is written above which part.
    pub(super) fn headings(&self) -> Vec<(usize, &'static str)> {
        if self.context.style.comments == TestComments::None || self.parts.is_empty() {
            return Vec::new();
        }
        let unknown = || match self.first_assertion() {
            Some(part) => Act { part, asserts: true },
            None => Act { part: self.parts.len() - 1, asserts: false },
        };
        let act = self.act.unwrap_or_else(unknown);
        let given = (act.part > 0).then_some((0, "// given"));
        let when = (act.part, if act.asserts { "// when / then" } else { "// when" });
        let then = (!act.asserts && act.part + 1 < self.parts.len()).then_some((act.part + 1, "// then"));
        given.into_iter().chain([when]).chain(then).collect()
    }

    /// Arrange, act and assert, with blank lines between; above the headings if there are some.
    pub(super) fn paragraphs(&self, headings: &[(usize, &'static str)]) -> Lines {
        let (mut lines, mut checks, mut comments) = (Vec::new(), Vec::new(), Vec::new());
        let mut before = None;
        let few = self.parts.len() <= 2;
        let asserting = self.first_assertion();
        for (index, (part, line)) in self.parts.iter().enumerate() {
            let part = if asserting.is_some_and(|first| index >= first) { Paragraph::Assert } else { *part };
            let heading = headings.iter().find(|(above, _)| *above == index);
            let is_next = match headings {
                [] => !few && before.is_some_and(|before| before != part),
                _ => heading.is_some() && index > 0,
            };
            if is_next {
                lines.push(String::new());
            }
            before = Some(part);
            comments.extend(heading.map(|(_, comment)| (lines.len(), *comment)));
            let first = lines.len();
            lines.extend(wrapped(line, COLUMNS));
            if let Some((_, statement)) = self.checked_parts.iter().find(|(checked, _)| *checked == index) {
                checks.push((first..=lines.len() - 1, *statement));
            }
        }
        (lines, checks, comments)
    }
}
