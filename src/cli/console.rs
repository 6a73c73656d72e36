//! How a run looks while it works: bars on a terminal, a line every few seconds elsewhere, or nothing but warnings.
//!
//! Everything goes to standard error, so that standard output stays free for what a command answers. Findings are
//! counted, and what ended workers is in the report: a hostile class may cause hundreds of such events.

use super::args::{ConsoleArgs, Progress};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use model::progress::{Event, Listener, Stage};
use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The least time between two lines about the search where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(5);

/// What a user sees of progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Display {
    Bars,
    Plain,
    /// Warnings alone.
    Quiet,
}

impl Display {
    /// What the flags ask for.
    pub fn chosen(args: ConsoleArgs) -> Display {
        match args.progress {
            _ if args.quiet => Display::Quiet,
            Progress::Auto => Display::detect(),
            Progress::Bar => Display::Bars,
            Progress::Plain => Display::Plain,
            Progress::None => Display::Quiet,
        }
    }

    /// Bars on a terminal that can draw them, else plain lines.
    pub fn detect() -> Display {
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let ci = std::env::var_os("CI").is_some();
        if std::io::stderr().is_terminal() && !dumb && !ci { Display::Bars } else { Display::Plain }
    }
}

/// The console of one process.
pub struct Console {
    display: Display,
    started: Instant,
    state: Mutex<State>,
}

/// What was heard so far.
#[derive(Default)]
struct State {
    bar: Option<ProgressBar>,
    search_started: Option<Duration>,
    last_line: Option<Duration>,
}

impl Console {
    pub fn new(display: Display) -> Console {
        Console { display, started: Instant::now(), state: Mutex::default() }
    }

    /// Takes the bar away, so that other text can follow.
    pub fn finish(&self) {
        if let Some(bar) = self.lock().bar.take() {
            bar.finish_and_clear();
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        // A panic while printing leaves nothing half done that matters.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Listener for Console {
    fn announce(&self, event: Event) {
        match &event {
            Event::StageStarted(stage) => tracing::info!(?stage, "stage started"),
            Event::Warned(text) => tracing::warn!("{text}"),
            _ => {}
        }
        let now = self.started.elapsed();
        let state = &mut *self.lock();
        let notice = state.notice(&event, now);
        match self.display {
            Display::Bars => {
                state.draw(&event, now);
                if let Some(Notice::Important(text)) = notice {
                    match &state.bar {
                        Some(bar) => bar.suspend(|| eprintln!("{text}")),
                        None => eprintln!("{text}"),
                    }
                }
            }
            Display::Plain => {
                if let Some(Notice::Important(text) | Notice::Routine(text)) = notice {
                    eprintln!("{text}");
                }
            }
            Display::Quiet => {
                if let (Event::Warned(_), Some(Notice::Important(text))) = (&event, notice) {
                    eprintln!("{text}");
                }
            }
        }
    }
}

/// A line to print.
#[derive(Debug, PartialEq, Eq)]
enum Notice {
    /// Shown above a bar, too.
    Important(String),
    /// Shown only where no bar says it.
    Routine(String),
}

impl State {
    /// The line that the event is worth, if any.
    fn notice(&mut self, event: &Event, now: Duration) -> Option<Notice> {
        match event {
            Event::ModuleStarted { module, classes } => {
                let plural = if *classes == 1 { "class" } else { "classes" };
                Some(Notice::Important(format!("{}: {classes} {plural} under test", visible(module))))
            }
            Event::StageStarted(stage) => {
                if *stage == Stage::Generating {
                    self.search_started = Some(now);
                    self.last_line = Some(now);
                }
                Some(Notice::Routine(format!("{}…", stage_name(*stage))))
            }
            Event::RoundFinished { .. } | Event::TestRun { .. } | Event::MutantRun { .. } => {
                if self.last_line.is_some_and(|last| now.saturating_sub(last) < LINE_EVERY) {
                    return None;
                }
                self.last_line = Some(now);
                self.figures(event, now).map(|figures| Notice::Routine(format!("  {figures}")))
            }
            Event::Warned(text) => Some(Notice::Important(format!("warning: {}", visible(text)))),
        }
    }

    /// The figures of a finished round, as one short line.
    fn figures(&self, event: &Event, now: Duration) -> Option<String> {
        let (sequences, edges, total_edges, findings, used) = match event {
            Event::RoundFinished { sequences, edges, total_edges, findings, used } => {
                (sequences, edges, total_edges, findings, used)
            }
            Event::TestRun { done, total } => return Some(format!("{done} of {total} runs of tests")),
            Event::MutantRun { done, total } => return Some(format!("{done} of {total} mutants")),
            _ => return None,
        };
        let spent = now.saturating_sub(self.search_started.unwrap_or_default());
        let rate = *sequences as f64 / spent.as_secs_f64().max(0.001);
        let mut text = format!("edges {edges}/{total_edges}, {rate:.0} sequences/s");
        if *findings > 0 {
            text.push_str(&format!(", findings {findings}"));
        }
        if *used > 0 {
            let left = spent.as_secs_f64() * f64::from(1000 - (*used).min(1000)) / f64::from(*used);
            text.push_str(&format!(", {} left", clock(left.round() as u64)));
        }
        Some(text)
    }

    /// Moves the bar.
    fn draw(&mut self, event: &Event, now: Duration) {
        match event {
            Event::StageStarted(stage) => {
                if let Some(bar) = self.bar.take() {
                    bar.finish_and_clear();
                }
                let total = (*stage == Stage::Generating).then_some(1000);
                let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr());
                let template = if total.is_some() {
                    "{prefix:<11} [{bar:24}] {percent:>3} %  {msg}"
                } else {
                    "{prefix:<11} {spinner}  {msg}"
                };
                let style = ProgressStyle::with_template(template).expect("the template is well formed");
                bar.set_style(style.progress_chars("=> "));
                bar.set_prefix(stage_name(*stage));
                if total.is_none() {
                    bar.enable_steady_tick(Duration::from_millis(120));
                }
                self.bar = Some(bar);
            }
            Event::RoundFinished { used, .. } => {
                if let (Some(bar), Some(figures)) = (&self.bar, self.figures(event, now)) {
                    bar.set_position(u64::from(*used));
                    bar.set_message(figures);
                }
            }
            Event::TestRun { .. } | Event::MutantRun { .. } => {
                if let (Some(bar), Some(figures)) = (&self.bar, self.figures(event, now)) {
                    bar.set_message(figures);
                }
            }
            Event::ModuleStarted { .. } | Event::Warned(_) => {}
        }
    }
}

fn stage_name(stage: Stage) -> &'static str {
    match stage {
        Stage::Resolving => "resolving",
        Stage::Reading => "reading",
        Stage::Generating => "generating",
        Stage::Minimizing => "minimizing",
        Stage::Observing => "observing",
        Stage::Tracing => "tracing",
        Stage::Mutating => "mutating",
        Stage::Verifying => "verifying",
        Stage::Writing => "writing",
    }
}

/// `75` as `1:15`.
fn clock(seconds: u64) -> String {
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

/// Names come from class files: they must not steer the terminal.
fn visible(text: &str) -> String {
    text.chars().map(|character| if character.is_control() { '\u{fffd}' } else { character }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(sequences: u64, used: u16) -> Event {
        Event::RoundFinished { sequences, edges: 40, total_edges: 120, findings: 2, used }
    }

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn progress_line_rate_and_time_left_are_of_the_search_only() {
        let mut state = State::default();
        state.notice(&Event::StageStarted(Stage::Generating), seconds(10));
        let expected = "  edges 40/120, 1000 sequences/s, findings 2, 1:15 left";
        assert_eq!(state.notice(&round(25_000, 250), seconds(35)), Some(Notice::Routine(expected.to_string())));
    }

    #[test]
    fn progress_lines_of_rounds_are_rate_limited() {
        let mut state = State::default();
        state.notice(&Event::StageStarted(Stage::Generating), seconds(0));
        let told = |state: &mut State, at: u64| state.notice(&round(1, 1), seconds(at)).is_some();
        assert_eq!([2, 4, 5, 7, 10].map(|at| told(&mut state, at)), [false, false, true, false, true]);
    }

    #[test]
    fn control_characters_in_names_are_not_sent_to_the_terminal() {
        let event = Event::ModuleStarted { module: "a\u{1b}[2J".to_string(), classes: 1 };
        let Some(Notice::Important(text)) = State::default().notice(&event, seconds(0)) else { panic!("no notice") };
        assert_eq!(text, "a\u{fffd}[2J: 1 class under test");
    }
}
