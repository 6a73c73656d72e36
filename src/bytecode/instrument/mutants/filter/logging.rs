//! Lines that log.

use super::{Candidate, ClassCode, Filter};
use rustc_hash::FxHashSet;

pub(super) struct Logging;

/// Prefixes of the loggers' classes: those of PIT, and Log4j 2.
const LOGGERS: [&str; 5] =
    ["java/util/logging", "org/apache/log4j", "org/apache/logging/log4j", "org/slf4j", "org/apache/commons/logging"];

impl Filter for Logging {
    fn name(&self) -> &'static str {
        "logging"
    }

    fn description(&self) -> &'static str {
        "Lines with a call of java.util.logging, Log4j, SLF4J or Commons Logging."
    }

    fn exclude(&self, class: &ClassCode, candidates: &mut Vec<Candidate>) {
        let mut lines = FxHashSet::default();
        for (_, method) in class.methods() {
            for (at, located) in method.body.instructions.iter().enumerate() {
                let logs = method
                    .called(at)
                    .is_some_and(|member| LOGGERS.iter().any(|logger| member.class.starts_with(logger)));
                lines.extend(method.body.line_at(located.pc).filter(|_| logs));
            }
        }
        candidates.retain(|candidate| candidate.line.is_none_or(|line| !lines.contains(&line)));
    }
}
