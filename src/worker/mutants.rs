//! Makes the code under test run with a mutant, or without one.
//!
//! To redefine a class the JVM stops and looks at all its classes and all compiled code, which takes longer than a test. Therefore a
//! class gets many of its mutants at once, and a number says which of them runs. Those that are asked for again and again, such as the
//! few that a smaller form of a test has to notice, it keeps.

use super::jni::{Env, JavaError};
use super::jvmti::{self, Jvmti, JvmtiError, Request};
use bytecode::instrument;
use jni_sys::{jclass, jfieldID, jmethodID, jvalue};
use model::execution::mutant::{Mutant, Mutator};
use rustc_hash::{FxHashMap, FxHashSet};

/// The code under test does not get the mutant.
#[derive(Debug, thiserror::Error)]
pub enum MutantError {
    #[error(transparent)]
    Java(#[from] JavaError),
    #[error(transparent)]
    Jvmti(#[from] JvmtiError),
    #[error("there is no class for the mutant")]
    NoClass,
    #[error("the method has no room for the mutant")]
    NoRoom,
    #[error("the class did not take the mutant before")]
    Refused,
}

/// So many mutants does a class keep that it had to get again.
const MOST_IN_TURNS: usize = 12;

/// The mutants in the code under test.
pub struct Mutants {
    env: Env,
    jvmti: Jvmti,
    /// The instrumented classes by their numbers.
    classes: Vec<&'static str>,
    probes: jclass,
    active: jfieldID,
    executor: jclass,
    exchange_data: jmethodID,
    restore_data: jmethodID,
    /// What runs.
    current: Option<Mutant>,
    /// The numbers of the mutants that each class has.
    numbers: FxHashMap<u32, FxHashMap<Mutant, i32>>,
    /// The mutants that were active in this JVM.
    known: FxHashSet<Mutant>,
    /// By class the mutants that it had to get again, the last one first.
    in_turns: FxHashMap<u32, Vec<Mutant>>,
    /// Classes of which the JVM does not take many mutants at once, as it rejects one of them.
    one_by_one: FxHashSet<u32>,
    /// Mutants that their class cannot have.
    refused: FxHashSet<Mutant>,
}

impl Mutants {
    /// Of a JVM that has none yet.
    pub fn new(env: Env, jvmti: Jvmti, classes: Vec<&'static str>, executor: jclass) -> Result<Mutants, JavaError> {
        let probes = env.find_class(instrument::PROBES)?;
        Ok(Mutants {
            env,
            jvmti,
            classes,
            active: env.static_field(probes, instrument::ACTIVE_MUTANT, "I")?,
            probes,
            executor,
            exchange_data: env.static_method(executor, "exchangeData", "(Ljava/lang/Class;I)V")?,
            restore_data: env.static_method(executor, "restoreData", "()V")?,
            current: None,
            numbers: FxHashMap::default(),
            known: FxHashSet::default(),
            in_turns: FxHashMap::default(),
            one_by_one: FxHashSet::default(),
            refused: FxHashSet::default(),
        })
    }

    /// Sees to it that what runs next runs with the mutant, or with none.
    pub fn switch_to(&mut self, mutant: Option<Mutant>) -> Result<(), MutantError> {
        if mutant == self.current {
            return Ok(());
        }
        self.activate(0);
        if self.current.take().is_some_and(|before| before.mutator == Mutator::EnumData) {
            // SAFETY: the method takes nothing.
            unsafe { self.env.call_static_void(self.executor, self.restore_data, &[])? };
        }
        let Some(mutant) = mutant else { return Ok(()) };
        if mutant.mutator == Mutator::EnumData {
            self.exchange_data(mutant)?;
        } else {
            let number = self.number_of(mutant)?;
            self.activate(number);
        }
        self.current = Some(mutant);
        Ok(())
    }

    fn activate(&self, number: i32) {
        // SAFETY: the field is a static one of the class, of type int.
        unsafe { self.env.set_static_int_field(self.probes, self.active, number) };
    }

    /// The number of the mutant, which its class gets unless it has it.
    fn number_of(&mut self, mutant: Mutant) -> Result<i32, MutantError> {
        if let Some(number) = self.numbers.get(&mutant.class).and_then(|numbers| numbers.get(&mutant)) {
            self.known.insert(mutant);
            return Ok(*number);
        }
        if self.refused.contains(&mutant) {
            return Err(MutantError::Refused);
        }
        let in_turns = self.in_turns.entry(mutant.class).or_default();
        if !self.known.insert(mutant) {
            in_turns.retain(|other| *other != mutant);
            in_turns.insert(0, mutant);
            in_turns.truncate(MOST_IN_TURNS);
        }
        let request = Request { mutant, is_alone: self.one_by_one.contains(&mutant.class), in_turns: in_turns.clone() };
        let mut found = self.insert(request.clone());
        if matches!(found, Err(MutantError::Jvmti(_))) && self.one_by_one.insert(mutant.class) {
            found = self.insert(Request { is_alone: true, ..request });
        }
        if found.is_err() {
            self.refused.insert(mutant);
        }
        found
    }

    /// Redefines the mutant's class. If the JVM rejects it, the class stays as it is.
    fn insert(&mut self, request: Request) -> Result<i32, MutantError> {
        let Request { mutant, .. } = request;
        let number = mutant.class;
        let class = self.class(number)?;
        let inserted = jvmti::with_mutants(request, || self.jvmti.retransform(&[class]));
        self.env.delete_local(class);
        let numbers = self.numbers.entry(number).or_default();
        *numbers = inserted?.into_iter().collect();
        numbers.get(&mutant).copied().ok_or(MutantError::NoRoom)
    }

    /// Gives a constant of the enum what another one has in a field.
    fn exchange_data(&self, mutant: Mutant) -> Result<(), MutantError> {
        let class = self.class(mutant.class)?;
        let arguments = [jvalue { l: class }, jvalue { i: mutant.pc.into() }];
        // SAFETY: the method takes a class and an int.
        let exchanged = unsafe { self.env.call_static_void(self.executor, self.exchange_data, &arguments) };
        self.env.delete_local(class);
        Ok(exchanged?)
    }

    fn class(&self, number: u32) -> Result<jclass, MutantError> {
        let name = self.classes.get(number as usize).ok_or(MutantError::NoClass)?;
        Ok(self.env.find_class(name)?)
    }
}
