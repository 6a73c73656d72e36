//! Methods by what the suite would miss: the mutants of each that no test kills. Covered edges say what the tests run, and not
//! what they would notice.

use crate::summary::counted;
use crate::{Coverage, MutantStatus, RunReport};
use model::jvm::{MethodDescriptor, Type};
use std::collections::BTreeMap;

/// How many methods the reports for people show.
pub const WEAKEST: usize = 20;

/// A method with mutants that would go unnoticed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WeakMethod {
    /// Binary name.
    pub class: String,
    /// As [`MethodReport::name`](crate::MethodReport::name).
    pub method: String,
    /// Where the first of these mutants is.
    pub line: Option<u16>,
    /// Edges of the method that tests cover; `None` if the report does not have the method.
    pub edges: Option<Coverage>,
    /// Its mutants that tests kill.
    pub killed: usize,
    /// Its mutants but those for which no time was left.
    pub mutants: usize,
}

impl WeakMethod {
    /// The changes of the code that no test would notice.
    pub fn missed(&self) -> usize {
        self.mutants - self.killed
    }

    /// "28 of 28 edges, 3 of 9 mutants"
    pub fn figures(&self) -> String {
        let edges = self.edges.map(|edges| format!("{} of {}, ", edges.covered, counted(edges.total, "edge")));
        format!("{}{} of {}", edges.unwrap_or_default(), self.killed, counted(self.mutants as u64, "mutant"))
    }
}

/// The methods of which the suite would miss something, those of which it would miss most first.
pub fn weakest(report: &RunReport) -> Vec<WeakMethod> {
    let mut methods: BTreeMap<(&str, &str), WeakMethod> = BTreeMap::new();
    let mutants = report.mutants.iter().flat_map(|mutants| &mutants.mutants);
    for mutant in mutants.filter(|mutant| mutant.status != MutantStatus::NotRun) {
        let method = methods.entry((&mutant.class, &mutant.method)).or_insert_with(|| {
            let name = source_name(&mutant.class, &mutant.method);
            let class = report.classes.iter().find(|class| class.name == mutant.class);
            let of_report = class.and_then(|class| class.methods.iter().find(|method| method.name == name));
            let edges = of_report.map(|method| method.edges);
            WeakMethod { class: mutant.class.clone(), method: name, line: None, edges, killed: 0, mutants: 0 }
        });
        method.mutants += 1;
        match mutant.status {
            MutantStatus::Killed => method.killed += 1,
            _ => method.line = method.line.into_iter().chain(mutant.line).min(),
        }
    }
    let mut weak: Vec<WeakMethod> = methods.into_values().filter(|method| method.missed() > 0).collect();
    // Stable: methods that miss as many stay in the order of classes.
    weak.sort_by_key(|method| std::cmp::Reverse(method.missed()));
    weak
}

/// `indexOf(java.lang.Object)` of `indexOf(Ljava/lang/Object;)I`; a constructor has the class's name.
fn source_name(class: &str, method: &str) -> String {
    let (name, descriptor) = method.split_at(method.find('(').unwrap_or(method.len()));
    let parameters = MethodDescriptor::parse(descriptor).map(|descriptor| descriptor.parameters).unwrap_or_default();
    let parameters = parameters.iter().map(Type::to_string).collect::<Vec<_>>().join(", ");
    match name {
        "<init>" => format!("{}({parameters})", class.rsplit(['.', '$']).next().unwrap_or_default()),
        "<clinit>" => "static { }".to_string(),
        name => format!("{name}({parameters})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Mutant, Mutants, example};

    fn mutant(method: &str, line: u16, status: MutantStatus) -> Mutant {
        Mutant {
            class: "buffer.RingBuffer".to_string(),
            method: method.to_string(),
            line: Some(line),
            mutator: "NEGATE_CONDITIONALS".to_string(),
            status,
            killed_by: None,
            assertion: None,
        }
    }

    #[test]
    fn methods_are_ranked_by_the_mutants_that_no_test_kills() {
        let mutants = vec![
            mutant("<init>(I)V", 1, MutantStatus::Survived),
            mutant("enqueue(D)V", 9, MutantStatus::Survived),
            mutant("enqueue(D)V", 3, MutantStatus::NotReached),
            mutant("enqueue(D)V", 2, MutantStatus::Killed),
            mutant("enqueue(D)V", 2, MutantStatus::NotRun),
            mutant("isFull()Z", 4, MutantStatus::Killed),
        ];
        let report = RunReport { mutants: Some(Mutants::new(mutants)), ..example::run() };
        let weak = weakest(&report);
        let told: Vec<(&str, Option<u16>, String)> =
            weak.iter().map(|method| (method.method.as_str(), method.line, method.figures())).collect();
        let enqueue = "9 of 11 edges, 1 of 3 mutants".to_string();
        assert_eq!(
            told,
            [("enqueue(double)", Some(3), enqueue), ("RingBuffer(int)", Some(1), "0 of 1 mutant".to_string())]
        );
    }
}
