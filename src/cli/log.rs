//! The log for maintainers: `--log FILTER` or `RANDGEN_LOG`, to stderr. It is apart from what the console says to users, and
//! nothing listens without a filter, so that spans and events cost a comparison.

use tracing_subscriber::filter::{ParseError, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Where the filter is taken from if there is no flag.
const VARIABLE: &str = "RANDGEN_LOG";

/// The environment's filter cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{VARIABLE} is {value:?}: {source}")]
pub struct WrongFilter {
    value: String,
    source: ParseError,
}

/// Begins to write what passes the flag's filter or, without one, the environment's.
pub fn start(flag: Option<Targets>) -> Result<(), WrongFilter> {
    let of_environment = || std::env::var(VARIABLE).ok().filter(|value| !value.is_empty());
    let filter = match (flag, of_environment) {
        (Some(filter), _) => Some(filter),
        (None, value) => {
            value().map(|value| value.parse().map_err(|source| WrongFilter { value, source })).transpose()?
        }
    };
    if let Some(filter) = filter {
        // Seconds since the start: what a reader asks is how long something took.
        let lines = tracing_subscriber::fmt::layer()
            .with_ansi(false)
            // It would panic where nobody reads stderr.
            .log_internal_errors(false)
            .with_timer(tracing_subscriber::fmt::time::uptime())
            .with_writer(std::io::stderr);
        tracing_subscriber::registry().with(lines).with(filter).init();
    }
    Ok(())
}
