//! Checks of contracts that relate states: which ones are enqueued, and how their runs are judged.

use super::pool::PoolValue;
use super::{Candidate, PENDING_LIMIT, Search};
use model::execution::{Execution, Outcome, Value};
use model::jvm::types::TypeTable;
use model::jvm::{ClassName, Type};
use model::sequence::{OperationId, Sequence};
use oracle::contract::{self, CONTRACT_METHOD, Promises, Subject};
use program::Program;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Most states of one class that contract checks use.
const CHECKED_STATES_PER_CLASS: u32 = 300;
/// The first of these states are each compared with all earlier ones.
const EARLY_STATES_PER_CLASS: u32 = 6;
/// Most objects of one class that contract methods check after calls of an operation that did not take them.
const OTHERS_PER_OPERATION: u32 = 60;

/// The contract that a candidate's last statements check.
#[derive(Clone, Copy, Debug)]
pub struct ContractCheck {
    contract: usize,
    first: usize,
}

impl Search<'_> {
    /// Enqueues the contract checks for a new state. States of sequences with generated implementations are not checked:
    /// the implementation may be what breaks the contract.
    pub fn plan_checks(&mut self, value: &PoolValue, runtime: &Type) {
        self.plan_contract_methods(value, runtime);
        let promises = self.promises_of(runtime);
        if promises == Promises::default() || self.model.has_implementation(&value.sequence) {
            return;
        }
        let states = self.checked_states.entry(runtime.clone()).or_default();
        *states += 1;
        if *states > CHECKED_STATES_PER_CLASS || self.pending.len() >= PENDING_LIMIT {
            return;
        }
        let is_early = *states <= EARLY_STATES_PER_CLASS;
        let mut rng = self.seed.child("check").nth(self.sequences).nth(u64::from(value.index)).rng();
        let values = self.checked_values_of_class.entry(runtime.clone()).or_default();
        values.push(value.clone());
        let values = values.len();
        for (index, contract) in contract::ALL.iter().enumerate() {
            if contract.arity() == 0 || !contract.applies(promises) {
                continue;
            }
            // A class of few states shows what it does only in the right pair of them.
            let tries = if is_early && contract.arity() > 1 { values } else { 1 };
            for at in 0..tries {
                let second = (tries > 1).then_some(at);
                let candidate = self.written_check(index, value, runtime, second, &mut rng);
                self.pending.extend(candidate);
            }
        }
    }

    /// Enqueues a call of each contract method of the value's class.
    fn plan_contract_methods(&mut self, value: &PoolValue, runtime: &Type) {
        let Type::Class(class) = runtime else { return };
        let methods = self.model.program.contract_methods_of(class);
        if methods.is_empty() || self.model.has_implementation(&value.sequence) {
            return;
        }
        let contract = contract::ALL.iter().position(|contract| contract.name() == CONTRACT_METHOD);
        let contract = contract.expect("a contract of that name");
        for method in methods {
            let package = self.model.package_of(method);
            if package.is_some() && value.package.is_some() && package != value.package {
                continue;
            }
            let mut sequence = (*value.sequence).clone();
            let check = ContractCheck { contract, first: sequence.len() };
            sequence.push_call(method, &[value.index as usize]);
            let mut candidate = Candidate::enqueued(sequence);
            candidate.about.check = Some(check);
            self.pending.push_back(candidate);
        }
    }

    /// Enqueues calls of the contract methods of objects that a call may have changed though it did not take them.
    pub fn plan_contract_methods_of_others(&mut self, made: &PoolValue, last: OperationId, execution: &Execution) {
        let program = self.model.program;
        if program.contract_methods.is_empty() || program.effects(last).is_pure() {
            return;
        }
        let end = made.sequence.len() - 1;
        let taken: Vec<usize> = made.sequence.inputs_of(end).chain([end]).collect();
        for at in (0..end).filter(|at| !taken.contains(at)) {
            let Some(Value::Object { class, .. }) = execution.values.get(at) else { continue };
            let Type::Class(name) = class else { continue };
            if made.sequence.call_at(at).is_none() || program.contract_methods_of(name).is_empty() {
                continue;
            }
            let checked = self.checked_others.entry((last, class.clone())).or_default();
            *checked += 1;
            if *checked <= OTHERS_PER_OPERATION {
                let value = PoolValue { index: at as u32, ..made.clone() };
                self.plan_contract_methods(&value, &class.clone());
            }
        }
    }

    /// The check of a contract on the value and others, drawn from those of its class but for the `second` if that is
    /// given; `None` where no package may use them all.
    fn written_check(
        &self,
        contract: usize,
        value: &PoolValue,
        runtime: &Type,
        second: Option<usize>,
        rng: &mut ChaCha8Rng,
    ) -> Option<Candidate> {
        let (index, contract) = (contract, contract::ALL[contract]);
        let of_class = &self.checked_values_of_class[runtime];
        let mut sequence = (*value.sequence).clone();
        let mut values = vec![value.index as usize];
        let mut package = value.package;
        while values.len() < contract.arity() {
            let other = match second {
                _ if contract.compares_any_class() => self.checked_value_of_any_class(rng),
                Some(second) if values.len() == 1 => &of_class[second],
                _ => &of_class[rng.random_range(0..of_class.len())],
            };
            if package.is_some() && other.package.is_some() && package != other.package {
                return None;
            }
            package = package.or(other.package);
            let offset = sequence.append(&other.sequence);
            values.push(offset + other.index as usize);
        }
        let check = ContractCheck { contract: index, first: sequence.len() };
        contract.check(&mut sequence, &values, &self.model.program.checks);
        let mut candidate = Candidate::enqueued(sequence);
        candidate.about.check = Some(check);
        Some(candidate)
    }

    /// A value of any class, as an argument of a comparator whose type argument is unknown.
    fn checked_value_of_any_class(&self, rng: &mut ChaCha8Rng) -> &PoolValue {
        let mut classes: Vec<&Type> = self.checked_values_of_class.keys().collect();
        classes.sort();
        let values = &self.checked_values_of_class[classes[rng.random_range(0..classes.len())]];
        &values[rng.random_range(0..values.len())]
    }

    fn promises_of(&mut self, runtime: &Type) -> Promises {
        if let Some(&known) = self.promises.get(runtime) {
            return known;
        }
        let promises = match runtime {
            Type::Class(name) => promises_of(self.model.program, &self.model.program.types, name),
            _ => Promises::default(),
        };
        self.promises.insert(runtime.clone(), promises);
        promises
    }

    /// Records what the run of a check says.
    pub fn record_check(&mut self, sequence: &Sequence, check: ContractCheck, execution: &Execution) {
        self.endless.note(sequence, execution, self.model.program);
        let contract = contract::ALL[check.contract];
        let judged = self.judge.judge_check(contract, sequence, check.first, execution);
        self.rule_hits.count(judged.as_ref().and_then(|judged| judged.as_ref().err().copied()));
        if let Some(Ok(violation)) = judged {
            let end = match &execution.outcome {
                Outcome::Threw { statement, .. } => statement + 1,
                _ => sequence.len(),
            };
            let (sequence, checks) = (sequence.prefix(end), end - check.first);
            self.findings.note(&sequence, checks, execution, violation, self.judge);
        }
    }
}

fn promises_of(program: &Program, types: &TypeTable, class: &ClassName) -> Promises {
    let mut promises = Promises::default();
    let is_target = |name: &ClassName| program.targets.binary_search_by(|target| target.name.cmp(name)).is_ok();
    let ancestry = types.ancestry(class);
    let own = ancestry.iter().filter(|facts| is_target(&facts.name));
    for method in own.flat_map(|facts| &facts.methods) {
        promises.equals |= Subject::Equals.is(method);
        promises.hash_code |= Subject::HashCode.is(method);
        promises.to_string |= Subject::ToString.is(method);
        promises.compare_to |= Subject::CompareTo.is(method);
        promises.compare |= Subject::Compare.is(method);
    }
    let implements = |interface: &str| ancestry.iter().any(|facts| facts.name.internal() == interface);
    promises.compare_to &= implements("java/lang/Comparable");
    promises.compare &= implements("java/util/Comparator");
    promises
}
