//! The summary of a step of GitHub Actions, which `GITHUB_STEP_SUMMARY` names where there is one.

use super::console::Console;
use model::progress::{Event, Listener};
use std::fs::OpenOptions;
use std::io::Write;

/// GitHub shows no summary that is larger.
const LONGEST: usize = 1_000_000;

/// Appends Markdown, as other commands of the step do.
pub fn append(markdown: &str, console: &Console) {
    let Some(path) = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty()) else { return };
    let longest = markdown.len().min(LONGEST);
    let end = (0..=longest).rev().find(|&at| markdown.is_char_boundary(at)).unwrap_or_default();
    let file = OpenOptions::new().append(true).create(true).open(path);
    if let Err(error) = file.and_then(|mut file| writeln!(file, "{}", &markdown[..end])) {
        console.announce(Event::Warned(format!("cannot write the summary of this step: {error}")));
    }
}
