//! Where randgen touches the world: child processes, build tools, class paths, written files, and workers' lives and deaths.

pub mod classpath;
pub mod files;
pub mod output;
pub mod process;
pub mod project;
pub mod scratch;
pub mod supervisor;
