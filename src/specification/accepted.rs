//! Specifications that the user has accepted: a file that people review and commit, an entry for each clause and equation.
//!
//! Each entry has its text for people and its form for randgen. Entries can be deleted; what names a method that is gone is
//! told, as the program has changed.

use super::algebraic::Equation;
use super::axiom::Axiom;
use super::{Clause, Place, SpecifiedMethod};
use model::execution::trace::TracedMethod;
use model::jvm::ClassName;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Raised when an entry changes its meaning.
const VERSION: i64 = 1;

const HEADER: &str = "\
# What randgen inferred and somebody accepted: `specs --accept` writes this file, and from then on `specs` and `check` fail
# where it is broken. Entries can be deleted, and comments added; what counts of an entry is its form.
";

/// Why a file of accepted specifications is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AcceptedError {
    /// It is not TOML, or has other keys.
    #[error("it holds no specifications: {0}")]
    Malformed(String),
    /// A later or earlier randgen wrote it.
    #[error("it has format {found}, but this randgen reads {VERSION}; use the randgen that wrote it")]
    OtherVersion {
        /// The version in the file.
        found: i64,
    },
    /// An entry was edited to what no specification says.
    #[error("the form of the entry `{text}` cannot be read: {message}")]
    Form {
        /// The entry, as people read it.
        text: String,
        /// Why its form cannot be read.
        message: String,
    },
}

/// Clauses and equations that are to hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Accepted {
    /// Of classes and methods.
    pub clauses: Vec<Clause>,
    /// Between calls.
    pub equations: Vec<Equation>,
    /// The texts of entries about methods that are not there any more.
    pub gone: Vec<String>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: i64,
    #[serde(default, rename = "clause", skip_serializing_if = "Vec::is_empty")]
    clauses: Vec<ClauseEntry>,
    #[serde(default, rename = "equation", skip_serializing_if = "Vec::is_empty")]
    equations: Vec<EquationEntry>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct ClauseEntry {
    /// Modules may share a file.
    module: String,
    class: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    method: Option<String>,
    place: Place,
    text: String,
    form: String,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct EquationEntry {
    module: String,
    class: String,
    text: String,
    form: String,
}

impl Accepted {
    /// Reads the entries of the module.
    pub fn parse(text: &str, module: &str, methods: &[SpecifiedMethod]) -> Result<Accepted, AcceptedError> {
        let file: File = toml::from_str(text).map_err(|error| AcceptedError::Malformed(error.message().to_string()))?;
        if file.version != VERSION {
            return Err(AcceptedError::OtherVersion { found: file.version });
        }
        let number = |name: &String| methods.iter().position(|method| method.to_string() == *name);
        let number = |name: &String| number(name).map(|at| at as TracedMethod);
        let mut accepted = Accepted::default();
        for entry in file.clauses.into_iter().filter(|entry| entry.module == module) {
            let axiom: Axiom = read(&entry.text, &entry.form)?;
            let method = entry.method.as_ref().map(&number);
            if method == Some(None) {
                accepted.gone.push(entry.text);
                continue;
            }
            let (class, place) = (ClassName::from_binary(&entry.class), entry.place);
            accepted.clauses.push(Clause { method: method.flatten(), class, place, axiom, samples: 0 });
        }
        for entry in file.equations.into_iter().filter(|entry| entry.module == module) {
            let equation: Equation<String> = read(&entry.text, &entry.form)?;
            match equation.map(&number) {
                Some(equation) => accepted.equations.push(equation),
                None => accepted.gone.push(entry.text),
            }
        }
        Ok(accepted)
    }

    /// The same with other numbers of methods; without what is about methods that have none.
    pub fn renumbered(self, numbers: &[Option<TracedMethod>]) -> Accepted {
        let number = |method: &TracedMethod| numbers[*method as usize];
        let renumbered = |clause: Clause| match clause.method {
            Some(method) => Some(Clause { method: Some(number(&method)?), ..clause }),
            None => Some(clause),
        };
        Accepted {
            clauses: self.clauses.into_iter().filter_map(renumbered).collect(),
            equations: self.equations.iter().filter_map(|equation| equation.map(&number)).collect(),
            gone: self.gone,
        }
    }

    /// The file with these entries of the module in place of those that it had; `text` is the file as it is.
    pub fn render(
        &self,
        text: Option<&str>,
        module: &str,
        methods: &[SpecifiedMethod],
    ) -> Result<String, AcceptedError> {
        let mut file = match text {
            Some(text) => {
                toml::from_str(text).map_err(|error| AcceptedError::Malformed(error.message().to_string()))?
            }
            None => File { version: VERSION, clauses: Vec::new(), equations: Vec::new() },
        };
        file.clauses.retain(|entry| entry.module != module);
        file.equations.retain(|entry| entry.module != module);
        file.clauses.extend(self.clauses.iter().map(|clause| ClauseEntry {
            module: module.to_string(),
            class: clause.class.binary(),
            method: clause.method.map(|method| methods[method as usize].to_string()),
            place: clause.place,
            text: clause.text(),
            form: write(&clause.axiom),
        }));
        let name = |method: &TracedMethod| Some(methods[*method as usize].to_string());
        file.equations.extend(self.equations.iter().map(|equation| EquationEntry {
            module: module.to_string(),
            class: equation.class.binary(),
            text: equation.text(methods),
            form: write(&equation.map(&name)),
        }));
        Ok(format!("{HEADER}{}", toml::to_string(&file).expect("entries are tables of texts")))
    }
}

fn read<T: for<'a> Deserialize<'a>>(text: &str, form: &str) -> Result<T, AcceptedError> {
    serde_json::from_str(form)
        .map_err(|error| AcceptedError::Form { text: text.to_string(), message: error.to_string() })
}

fn write(form: &impl Serialize) -> String {
    serde_json::to_string(form).expect("forms have no maps")
}
