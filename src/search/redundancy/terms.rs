//! Objects as terms of the calls that made them: `push(<init>().result, 3).receiver`.
//!
//! An object that no call made stands as the state that it was first seen in, and so does one that changed between two calls
//! it had a part in: something else was at work, which no term shows. The same goes for equal calls with equal inputs that
//! come to different states, as a default in a static field or the constructor of a subclass may have them do. So a term has
//! the state that the call left too, and equal terms are equal states.

use super::representation::{ExecutionKey, Executions, Numbers, first_place};
use model::execution::Fingerprint;
use model::execution::trace::{End, Input, MethodExecution, ObjectId, State, TestTrace};
use rustc_hash::FxHashMap;

#[derive(PartialEq, Eq, Hash)]
enum ValueTerm {
    Found(Fingerprint),
    /// What the input of the index is after the call, and its whole state.
    Input(ExecutionKey, usize, Fingerprint),
    /// What the call returned or, as a constructor, made, and its whole state.
    Result(ExecutionKey, Fingerprint),
}

/// The terms and executions met so far.
#[derive(Default)]
pub(super) struct ExecutionTerms {
    terms: Numbers<ValueTerm>,
    executions: Executions,
}

/// The objects of one test: the term of each, and its whole state when that was made.
type Objects = FxHashMap<ObjectId, (u32, Fingerprint)>;

impl ExecutionTerms {
    /// The numbers of a test's executions. A call becomes part of its receiver's term if `counts` agrees, given the state
    /// before and after; of an argument's only if it changed the argument.
    pub(super) fn executions(
        &mut self,
        test: &TestTrace,
        counts: impl Fn(&State, &State) -> bool,
    ) -> Vec<ExecutionKey> {
        let mut objects = Objects::default();
        test.executions.iter().map(|execution| self.execution(execution, &mut objects, &counts)).collect()
    }

    fn execution(
        &mut self,
        execution: &MethodExecution,
        objects: &mut Objects,
        counts: &impl Fn(&State, &State) -> bool,
    ) -> ExecutionKey {
        let ExecutionTerms { terms, executions } = self;
        let key = executions.key(execution, |_, input| {
            let Input::Object { object, before, .. } = input else { return 0 };
            let known = objects.get(object).filter(|(_, whole)| *whole == before.whole);
            let term = known.map_or_else(|| terms.of(ValueTerm::Found(before.whole)), |(term, _)| *term);
            objects.insert(*object, (term, before.whole));
            u64::from(term)
        });
        for (index, input) in execution.inputs.iter().enumerate() {
            let Input::Object { object, before, after } = input else { continue };
            if first_place(execution, index) < index {
                continue;
            }
            let is_receiver = index == 0 && execution.has_receiver;
            if before.whole != after.whole || is_receiver && counts(before, after) {
                objects.insert(*object, (terms.of(ValueTerm::Input(key, index, after.whole)), after.whole));
            }
        }
        if let End::Made { object, state } = execution.end {
            objects.entry(object).or_insert_with(|| (terms.of(ValueTerm::Result(key, state.whole)), state.whole));
        }
        key
    }
}
