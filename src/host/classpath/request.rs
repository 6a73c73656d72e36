//! Reads the request that a plugin hands over: one module as its build resolved it, and the settings of the build.
//!
//! ```toml
//! version = 1
//! [module]
//! name = "shop-core"
//! basedir = "/shop/core"
//! project-root = "/shop"
//! classes = ["/shop/core/target/classes"]
//! test-classes = "/shop/core/target/test-classes"
//! dependencies = ["/repository/junit-4.13.2.jar"]
//! build-directory = "/shop/core/target"
//! [flags]             # given on the build's command line: stronger than randgen.toml
//! seed = "7"
//! [configuration]     # given in the build file: weaker
//! targetClasses = ["shop.core.*"]
//! ```
//!
//! Values of settings are texts, as the build has them; their kinds are only known here.

use super::Module;
use crate::files;
use model::options::{PartialOptions, Raw, SettingError};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Raised when a key changes its meaning; plugin and binary of different versions must not misunderstand each other.
const VERSION: u32 = 1;

/// Why a request cannot be used.
#[derive(Debug, Error)]
pub enum RequestError {
    /// The file that a plugin wrote cannot be read.
    #[error("cannot read {path}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// It is not what plugins write.
    #[error("{path} is no request: {message}")]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        message: String,
    },
    /// The plugin is of another release than the binary.
    #[error(
        "{path} is a request of version {found}, but this randgen reads {VERSION}; use plugin and binary of the same version"
    )]
    OtherVersion {
        /// The file.
        path: PathBuf,
        /// The version that the plugin wrote.
        found: u32,
    },
    /// The build file has a setting that is unknown, or has a wrong value.
    #[error("in the build's settings: {0}")]
    Setting(SettingError),
}

/// What a plugin asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Its settings are those of the build file.
    pub module: Module,
    /// Settings from the build's command line.
    pub flags: PartialOptions,
    /// The JDK that the build itself runs on.
    pub java_home: Option<PathBuf>,
}

#[derive(Deserialize)]
struct VersionOnly {
    version: u32,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct File {
    #[serde(rename = "version")]
    _version: u32,
    module: ModuleTable,
    java_home: Option<PathBuf>,
    #[serde(default)]
    flags: BTreeMap<String, Text>,
    #[serde(default)]
    configuration: BTreeMap<String, Text>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct ModuleTable {
    name: String,
    basedir: PathBuf,
    project_root: PathBuf,
    classes: Vec<PathBuf>,
    test_classes: Option<PathBuf>,
    dependencies: Vec<PathBuf>,
    source_level: Option<String>,
    source_encoding: Option<String>,
    #[serde(default)]
    source_roots: Vec<PathBuf>,
    #[serde(default)]
    test_source_roots: Vec<PathBuf>,
    build_directory: PathBuf,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Text {
    One(String),
    Many(Vec<String>),
}

/// Reads a request file.
pub fn load(path: &Path) -> Result<Request, RequestError> {
    let text =
        files::read_text(path).map_err(|source| RequestError::Unreadable { path: path.to_path_buf(), source })?;
    parse(path, &text)
}

fn parse(path: &Path, text: &str) -> Result<Request, RequestError> {
    let malformed = |error: toml::de::Error| RequestError::Malformed {
        path: path.to_path_buf(),
        message: error.to_string().trim_end().to_string(),
    };
    // The version is read alone and first: the rest of a file of another version may mean something else.
    let VersionOnly { version } = toml::from_str(text).map_err(malformed)?;
    if version != VERSION {
        return Err(RequestError::OtherVersion { path: path.to_path_buf(), found: version });
    }
    let file: File = toml::from_str(text).map_err(malformed)?;
    let module = file.module;
    let source_level = module.source_level.as_deref().map(|level| level.strip_prefix("1.").unwrap_or(level));
    Ok(Request {
        flags: settings(&file.flags)?,
        java_home: file.java_home,
        module: Module {
            name: module.name,
            basedir: module.basedir,
            project_root: module.project_root,
            classes: module.classes,
            test_classes: module.test_classes,
            dependencies: module.dependencies,
            source_level: source_level.and_then(|level| level.parse().ok()),
            source_encoding: module.source_encoding,
            source_roots: module.source_roots,
            test_source_roots: module.test_source_roots,
            build_directory: module.build_directory,
            is_built: true,
            settings: settings(&file.configuration)?,
        },
    })
}

fn settings(table: &BTreeMap<String, Text>) -> Result<PartialOptions, RequestError> {
    let mut partial = PartialOptions::default();
    for (name, text) in table {
        let raw = match text {
            Text::One(text) => Raw::Bare(text.trim().to_string()),
            Text::Many(members) => {
                Raw::List(members.iter().map(|member| Raw::Bare(member.trim().to_string())).collect())
            }
        };
        partial.set(name, &raw).map_err(RequestError::Setting)?;
    }
    Ok(partial)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::options::Glob;

    const MODULE: &str = "[module]\nname = \"core\"\nbasedir = \"/shop/core\"\nproject-root = \"/shop\"\n\
        classes = [\"/shop/core/out\"]\ndependencies = [\"/a.jar\"]\nsource-level = \"1.8\"\nbuild-directory = \"/shop/core/target\"\n";

    fn check_error(text: &str, expected: &str) {
        let error = parse(Path::new("request.toml"), text).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }

    #[test]
    fn request_keeps_flags_and_build_settings_apart() {
        let text = format!(
            "version = 1\n{MODULE}[flags]\nseed = \"7\"\n[configuration]\nseed = \"8\"\ntargetClasses = [\"a.*\", \"b\"]\n"
        );
        let request = parse(Path::new("request.toml"), &text).unwrap();
        assert_eq!((request.flags.seed, request.module.settings.seed), (Some(7), Some(8)));
        assert_eq!(request.module.settings.target_classes, Some(vec![Glob::new("a.*"), Glob::new("b")]));
        assert_eq!(request.module.source_level, Some(8));
        assert_eq!(request.module.class_path(), [Path::new("/shop/core/out"), Path::new("/a.jar")]);
    }

    #[test]
    fn unknown_or_incomplete_request_is_refused() {
        check_error("version = 2\nmodules = []\n", "version 2, but this randgen reads 1");
        check_error("version = 1\n", "missing field `module`");
        check_error(&format!("version = 1\nseed = 3\n{MODULE}"), "unknown field `seed`");
        check_error(
            &format!("version = 1\n{MODULE}[configuration]\ntimeLimit = \"soon\"\n"),
            "in the build's settings: `timeLimit`: expected a positive number of seconds, found \"soon\"",
        );
    }

    #[test]
    fn documented_request_example_parses() {
        let page = include_str!("../../../docs/design/request-file.md");
        let example = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
        let request = parse(Path::new("request.toml"), example).unwrap();
        assert_eq!(request.flags.seed, Some(7));
        assert_eq!(request.module.settings.jvm_args, Some(vec!["-Xmx1g".to_string(), "-ea".to_string()]));
    }
}
