//! Two workers as one: those runs with mutants for which it does not matter what else the JVM has run have a JVM of their own.

use model::execution::mutant::Mutant;
use model::execution::{Detail, Execution, Executor, ExecutorError};
use model::sequence::Sequence;

/// An executor with another one beside it, which runs mutants.
///
/// To run sequences with a mutant and without it by turns, one JVM has to redefine the mutant's class each time, and HotSpot
/// then gives up compiled code.
pub struct WithTwin {
    own: Box<dyn Executor>,
    twin: Box<dyn Executor>,
}

impl WithTwin {
    /// Both in the same environment.
    pub fn new(own: Box<dyn Executor>, twin: Box<dyn Executor>) -> WithTwin {
        WithTwin { own, twin }
    }
}

impl Executor for WithTwin {
    fn execute(&mut self, sequences: &[Sequence], detail: Detail) -> Result<Vec<Execution>, ExecutorError> {
        self.own.execute(sequences, detail)
    }

    fn execute_beside(&mut self, sequences: &[Sequence], mutant: Mutant) -> Result<Vec<Execution>, ExecutorError> {
        self.twin.execute(sequences, Detail::Mutated(mutant))
    }

    fn prepare(&mut self, mutants: &[Mutant]) -> Result<(), ExecutorError> {
        self.own.prepare(mutants)
    }

    fn restart(&mut self) -> Result<(), ExecutorError> {
        self.own.restart()?;
        self.twin.restart()
    }

    fn freshen(&mut self) -> Result<(), ExecutorError> {
        self.own.freshen()?;
        self.twin.freshen()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::execution::Outcome;
    use model::execution::mutant::Mutator;
    use std::sync::{Arc, Mutex};

    /// Notes its name for each sequence that it runs.
    struct Named(&'static str, Arc<Mutex<Vec<&'static str>>>);

    impl Executor for Named {
        fn execute(&mut self, sequences: &[Sequence], _: Detail) -> Result<Vec<Execution>, ExecutorError> {
            self.1.lock().unwrap().extend(vec![self.0; sequences.len()]);
            Ok(vec![Execution::ended(Outcome::Completed); sequences.len()])
        }

        fn restart(&mut self) -> Result<(), ExecutorError> {
            self.1.lock().unwrap().push(self.0);
            Ok(())
        }
    }

    #[test]
    fn only_mutants_for_which_it_does_not_matter_run_in_the_other_jvm() {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let named = |name| Box::new(Named(name, seen.clone())) as Box<dyn Executor>;
        let mut both = WithTwin::new(named("own"), named("twin"));
        let mutant = Mutant { class: 0, method: 0, pc: 0, mutator: Mutator::Math };
        let one = [Sequence::new()];
        both.execute(&one, Detail::Observe).unwrap();
        both.execute(&one, Detail::Mutated(mutant)).unwrap();
        both.execute_beside(&one, mutant).unwrap();
        both.restart().unwrap();
        assert_eq!(*seen.lock().unwrap(), ["own", "own", "twin", "own", "twin"]);
    }
}
