//! Arrange, act and assert: the order of lines and the blank ones between.

use super::{COLUMNS, Writer};
use crate::layout::wrapped;
use std::ops::RangeInclusive;

/// Which paragraph a line belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Paragraph {
    Arrange,
    Act,
    Assert,
}

impl Writer<'_, '_> {
    /// Adds a line that asserts the value of statement `index`.
    pub(super) fn push_check(&mut self, index: usize, part: Paragraph, line: String) {
        self.checked_parts.push((self.parts.len(), index));
        self.parts.push((part, line));
    }

    /// Arrange, act and assert, with blank lines between; and where values are asserted.
    pub(super) fn paragraphs(&self) -> (Vec<String>, Vec<(RangeInclusive<usize>, usize)>) {
        let (mut lines, mut checks) = (Vec::new(), Vec::new());
        let mut before = None;
        let few = self.parts.len() <= 2;
        // A call that is rejected is the act, also where the same statement checks the message.
        let is_check = |index: usize| {
            self.parts[index].0 != Paragraph::Act && self.checked_parts.iter().any(|(checked, _)| *checked == index)
        };
        let asserts = |index: usize| is_check(index) || self.parts[index].0 == Paragraph::Assert;
        // Assertions at the end stand together, whichever statement they are about.
        let asserting = (0..self.parts.len()).rev().take_while(|&index| asserts(index)).last();
        for (index, (part, line)) in self.parts.iter().enumerate() {
            let part = if asserting.is_some_and(|first| index >= first) { Paragraph::Assert } else { *part };
            if before.is_some_and(|before| before != part) && !few {
                lines.push(String::new());
            }
            before = Some(part);
            let first = lines.len();
            lines.extend(wrapped(line, COLUMNS));
            if let Some((_, statement)) = self.checked_parts.iter().find(|(checked, _)| *checked == index) {
                checks.push((first..=lines.len() - 1, *statement));
            }
        }
        (lines, checks)
    }
}
