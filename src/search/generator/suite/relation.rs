//! Which classes a test is about: where another class only happens to make a text or a list that the test needs, the test is no
//! test of that class.
//!
//! A class and those that are declared in it are one family. A family is a *detour* of a test if all that the others are given
//! of it are values of the platform, and neither that family nor the one of the method that the test is about takes or returns
//! classes of the other: `IniFile.parse(new Loan(…).book())`. Mutants on a detour do not count, and edges only if
//! nothing else reaches them. A class of which a call changes something and returns nothing that is used is none: that may be what
//! the test is about.

use super::{TestCandidate, subject_of};
use model::execution::Value;
use model::jvm::{ClassName, Type};
use model::sequence::OperationId;
use program::Program;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// Families of the classes under test, by their numbers.
pub(super) struct Relations {
    /// Of each class under test.
    of_class: Vec<u32>,
    /// Of each operation that belongs to a class under test.
    of_operation: Vec<Option<u32>>,
    /// Of each family those whose classes it takes or returns, or their subclasses; itself too.
    knows: Vec<FxHashSet<u32>>,
}

impl Relations {
    pub(super) fn new(program: &Program) -> Relations {
        let mut numbers: BTreeMap<&str, u32> = BTreeMap::new();
        let mut of_class = Vec::with_capacity(program.targets.len());
        let mut of_operation = vec![None; program.operations.len()];
        let mut below: FxHashMap<&ClassName, FxHashSet<u32>> = FxHashMap::default();
        for target in &program.targets {
            let next = numbers.len() as u32;
            let family = *numbers.entry(target.name.outermost()).or_insert(next);
            of_class.push(family);
            target.operations.iter().for_each(|id| of_operation[id.0 as usize] = Some(family));
            let ancestors = program.types.ancestry(&target.name).into_iter().map(|ancestor| &ancestor.name);
            for class in ancestors.filter(|ancestor| program.is_target(ancestor)).chain([&target.name]) {
                below.entry(class).or_default().insert(family);
            }
        }
        let mut knows: Vec<FxHashSet<u32>> = vec![FxHashSet::default(); numbers.len()];
        for (target, family) in program.targets.iter().zip(&of_class) {
            let operations = target.operations.iter().map(|id| &program.operations[id.0 as usize]);
            let types = operations.flat_map(|operation| operation.inputs.iter().chain(&operation.output));
            let mentioned: FxHashSet<ClassName> = types.flat_map(|of| of.classes()).collect();
            let mentioned = mentioned.iter().chain([&target.name]).filter_map(|class| below.get(class));
            knows[*family as usize].extend(mentioned.flatten());
        }
        Relations { of_class, of_operation, knows }
    }

    /// The family of the class under test with the index.
    pub(super) fn family(&self, class: usize) -> u32 {
        self.of_class[class]
    }

    /// The family of the operation, if that belongs to a class under test.
    pub(super) fn family_of(&self, operation: OperationId) -> Option<u32> {
        self.of_operation[operation.0 as usize]
    }

    /// Whether neither of the families takes or returns classes of the other.
    pub(super) fn are_strangers(&self, one: u32, other: u32) -> bool {
        !self.knows[one as usize].contains(&other) && !self.knows[other as usize].contains(&one)
    }

    /// The families that are detours of the test.
    pub(super) fn detours(&self, one: &TestCandidate, program: &Program) -> BTreeSet<u32> {
        let sequence = &one.sequence;
        let end = sequence.len() - one.observers;
        let family = |at: usize| self.of_operation[sequence.call_at(at)?.0 as usize];
        let mut detours: BTreeSet<u32> = (0..end).filter_map(family).collect();
        if detours.len() < 2 {
            return BTreeSet::new();
        }
        let of_subject = subject_of(one).and_then(|id| self.of_operation[id.0 as usize]);
        let subject = of_subject.or_else(|| Some(self.of_class[program.class_of_sequence(sequence)?]));
        let Some(subject) = subject else { return BTreeSet::new() };
        let mut is_used = vec![false; end];
        // By statement the families whose objects it made, or that may be in the array or collection that it made.
        let mut holds: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); end];
        for at in 0..end {
            let inputs: Vec<usize> = sequence.inputs_of(at).collect();
            inputs.iter().for_each(|input| is_used[*input] = true);
            let held: BTreeSet<u32> = inputs.iter().flat_map(|input| &holds[*input]).copied().collect();
            match family(at) {
                Some(of) => {
                    // It may put its objects, and what it was given, into an array or a collection.
                    let is_filled = |input: &&usize| family(**input).is_none() && is_holder(one, **input, program);
                    inputs.iter().filter(is_filled).for_each(|input| {
                        holds[*input].extend(&held);
                        holds[*input].insert(of);
                    });
                    detours.retain(|other| *other == of || !held.contains(other));
                    holds[at].extend(Some(of).filter(|_| !is_of_platform(one, at, program)));
                }
                None => inputs.iter().chain([&at]).for_each(|held_by| holds[*held_by].extend(&held)),
            }
        }
        // A call whose result nobody takes is there for what it does, if it does something.
        let acts = |&at: &usize| !is_used[at] && sequence.call_at(at).is_some_and(|id| !program.effects(id).is_pure());
        for of in (0..end).filter(acts).filter_map(family) {
            detours.remove(&of);
        }
        detours.retain(|of| *of != subject && self.are_strangers(*of, subject));
        detours
    }
}

/// Whether the statement makes an array, or a collection or map of the platform.
fn is_holder(one: &TestCandidate, at: usize, program: &Program) -> bool {
    one.sequence.output_of(at, &program.operations).is_some_and(|of| match &of {
        Type::Array(element) => !element.is_primitive(),
        of => of.class_name().is_some_and(|class| class.internal().starts_with("java/util/")),
    })
}

/// Whether the statement makes a value of the platform, which contains none of a class under test as far as its type tells. What
/// it is at run time counts, too: a comparator is code.
fn is_of_platform(one: &TestCandidate, at: usize, program: &Program) -> bool {
    let declared = one.sequence.output_of(at, &program.operations);
    declared.is_some_and(|of| !of.classes().iter().any(|class| program.is_target(class)))
        && match one.execution.values.get(at) {
            Some(Value::Object { class, .. }) => {
                class.classes().iter().all(|class| class.internal().starts_with("java/"))
            }
            _ => true,
        }
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::program_of;
    use super::*;
    use model::execution::{Execution, Outcome};
    use model::jvm::{MethodDescriptor, Type};
    use model::sequence::{Operation, OperationId, OperationKind, Sequence};

    /// Static methods `owner.name(parameters)`, each with what it returns.
    fn program(methods: &[(&str, &str, Vec<Type>, Option<Type>)]) -> Program {
        let operation = |(owner, name, parameters, returns): &(&str, &str, Vec<Type>, Option<Type>)| {
            let descriptor = MethodDescriptor { parameters: parameters.clone(), returns: returns.clone() };
            Operation::new(OperationKind::StaticMethod, ClassName::new(owner), *name, descriptor)
        };
        let mut program = program_of(methods.iter().map(operation).collect());
        let template = program.targets.remove(0);
        for (at, (owner, ..)) in methods.iter().enumerate() {
            let name = ClassName::new(owner);
            if program.targets.last().is_none_or(|last| last.name != name) {
                program.targets.push(program::Target { name, operations: Vec::new(), ..template.clone() });
            }
            let last = program.targets.last_mut().expect("one was pushed");
            last.operations.push(OperationId(at as u32));
        }
        program
    }

    /// The number of detours of a test of calls, each with the statements that it takes.
    fn detours(program: &Program, calls: &[(u32, &[usize])]) -> usize {
        let mut sequence = Sequence::new();
        for (operation, inputs) in calls {
            sequence.push_call(OperationId(*operation), inputs);
        }
        let one = TestCandidate::new(sequence, Execution::ended(Outcome::Completed), BTreeSet::new());
        Relations::new(program).detours(&one, program).len()
    }

    #[test]
    fn class_that_only_makes_a_text_is_a_detour() {
        let (text, loan) = (Type::string(), Type::class("p/Loan"));
        let program = program(&[
            ("p/Ini", "parse", vec![text.clone()], Some(text.clone())),
            ("p/Ini", "store", vec![Type::object()], None),
            ("p/Loan", "make", vec![], Some(loan.clone())),
            ("p/Loan", "book", vec![loan.clone()], Some(text.clone())),
            ("p/Shelf", "put", vec![text, loan], None),
        ]);
        assert_eq!(detours(&program, &[(2, &[]), (3, &[0]), (0, &[1])]), 1);
        // The object itself is given, what a call does is wanted, or loans are what shelves are about.
        assert_eq!(detours(&program, &[(2, &[]), (3, &[0]), (1, &[0]), (0, &[1])]), 0);
        assert_eq!(detours(&program, &[(2, &[]), (3, &[0]), (3, &[0]), (0, &[1])]), 0);
        assert_eq!(detours(&program, &[(2, &[]), (3, &[0]), (2, &[]), (4, &[1, 2])]), 0);
        assert_eq!(detours(&program, &[(2, &[]), (3, &[0])]), 0);
    }

    #[test]
    fn class_whose_objects_are_in_a_list_is_a_detour_unless_another_class_takes_the_list() {
        let (text, loan, list) = (Type::string(), Type::class("p/Loan"), Type::class("java/util/List"));
        let mut program = program(&[
            ("p/Ini", "parse", vec![text.clone()], Some(text.clone())),
            ("p/Ini", "store", vec![Type::object()], None),
            ("p/Loan", "make", vec![], Some(loan.clone())),
            ("p/Loan", "book", vec![list.clone()], Some(text)),
            ("java/util/List", "of", vec![loan], Some(list)),
        ]);
        program.targets.retain(|target| target.name.internal().starts_with("p/"));
        assert_eq!(detours(&program, &[(2, &[]), (4, &[0]), (3, &[1]), (0, &[2])]), 1);
        assert_eq!(detours(&program, &[(2, &[]), (4, &[0]), (3, &[1]), (1, &[1]), (0, &[2])]), 0);
    }
}
