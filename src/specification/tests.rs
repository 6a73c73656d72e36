//! Two stacks that are written down here stand for a program: their calls are traces, and their behaviour is the truth.

use super::algebraic::{self, Aspect, Equation, EquationCondition, Right};
use super::axiomatic::{self, Tables};
use super::observations::{CallId, Observations, ObservedTest};
use super::{Clause, Place, SpecifiedMethod, refine};
use model::execution::trace::{Datum, Description, Descriptions, End, Input, MethodExecution, State, TestTrace};
use model::jvm::ClassName;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The unique bounded stack of the paper (at most two elements), or one that grows and has equal elements.
#[derive(Clone, Copy, PartialEq)]
enum Stack {
    Unique,
    Plain,
}

const PUSH: u32 = 0;
const POP: u32 = 1;
const TOP: u32 = 2;
const IS_EMPTY: u32 = 3;
const IS_FULL: u32 = 4;
const MAX_SIZE: u32 = 5;
const NEW: u32 = 6;
const METHODS: [(&str, bool); 7] = [
    ("push", true),
    ("pop", false),
    ("top", false),
    ("isEmpty", false),
    ("isFull", false),
    ("maxSize", false),
    ("<init>", false),
];

impl Stack {
    fn methods(self) -> std::ops::Range<u32> {
        if self == Stack::Unique { 0..6 } else { 0..4 }
    }

    /// The stack after the call, and what that returns; `None` if it throws.
    fn call(self, elements: &[i64], method: u32, argument: i64) -> Option<(Vec<i64>, Option<Datum>)> {
        let mut after = elements.to_vec();
        let result = match method {
            PUSH => {
                let was = elements.iter().position(|element| *element == argument);
                match was.filter(|_| self == Stack::Unique) {
                    Some(at) => drop(after.remove(at)),
                    None if self == Stack::Unique && after.len() == 2 => return Some((after, None)),
                    None => {}
                }
                after.push(argument);
                None
            }
            POP => {
                if after.pop().is_none() && self == Stack::Plain {
                    return None;
                }
                None
            }
            TOP => Some(Datum::Integer(match elements.last() {
                Some(element) => *element,
                None if self == Stack::Unique => -1,
                None => return None,
            })),
            IS_EMPTY => Some(Datum::Boolean(elements.is_empty())),
            IS_FULL => Some(Datum::Boolean(elements.len() == 2)),
            MAX_SIZE => Some(Datum::Integer(2)),
            NEW => return Some((Vec::new(), None)),
            _ => unreachable!("there is no other method"),
        };
        Some((after, result))
    }

    fn execution(
        self,
        elements: &[i64],
        method: u32,
        argument: i64,
        descriptions: &mut Descriptions,
    ) -> MethodExecution {
        if method == NEW {
            let end = End::Made { object: 0, state: state(&[], descriptions) };
            return MethodExecution { method, statement: 0, has_receiver: false, inputs: Vec::new(), end };
        }
        let called = self.call(elements, method, argument);
        let after = called.as_ref().map_or(elements, |(after, _)| after);
        let receiver =
            Input::Object { object: 0, before: state(elements, descriptions), after: state(after, descriptions) };
        let argument = METHODS[method as usize].1.then_some(int(argument));
        let end = match &called {
            None => End::Threw(ClassName::new("java/lang/IllegalStateException")),
            Some((_, result)) => End::Returned(result.as_ref().map(|result| match result {
                Datum::Boolean(value) => Input::Primitive { letter: b'Z', bits: u64::from(*value) },
                Datum::Integer(value) => int(*value),
                other => panic!("{other:?}"),
            })),
        };
        let inputs = [receiver].into_iter().chain(argument).collect();
        MethodExecution { method, statement: 0, has_receiver: true, inputs, end }
    }

    /// Every call with these arguments of every stack of so many of them, a test each.
    fn tests(self, observations: &mut Observations, arguments: &[i64], depth: usize) -> Vec<ObservedTest> {
        let mut tests = Vec::new();
        for elements in self.all(arguments, depth) {
            for method in self.methods().chain([NEW]) {
                for argument in arguments.iter().take(if METHODS[method as usize].1 { usize::MAX } else { 1 }) {
                    let mut descriptions = Descriptions::default();
                    let execution = self.execution(&elements, method, *argument, &mut descriptions);
                    observations.describe(descriptions);
                    tests.push(observations.record(&TestTrace { executions: vec![execution], ..TestTrace::default() }));
                }
            }
        }
        tests
    }

    /// All stacks of so many elements at most.
    fn all(self, elements: &[i64], depth: usize) -> BTreeSet<Vec<i64>> {
        let mut all = BTreeSet::from([Vec::new()]);
        for _ in 0..depth {
            let pushed = |stack: &Vec<i64>| {
                let call = |element: &i64| self.call(stack, PUSH, *element).expect("push returns").0;
                elements.iter().map(call).collect::<Vec<_>>()
            };
            all.extend(all.clone().iter().flat_map(pushed));
        }
        all
    }

    /// Whether the equation is true of the stack and these arguments; `None` where it says nothing.
    fn holds(self, equation: &Equation, start: &[i64], inner: i64, outer: i64) -> Option<bool> {
        let observed = |method| self.call(start, method, 0)?.1;
        let is_met = match &equation.condition {
            None => true,
            Some(EquationCondition::SameArguments(same)) => (inner == outer) == *same,
            Some(EquationCondition::Observer(method, value)) => observed(*method)? == Datum::Boolean(*value),
        };
        if !is_met {
            return None;
        }
        let of = |called: (Vec<i64>, Option<Datum>)| match equation.aspect {
            Aspect::State => Some(Err(called.0)),
            Aspect::Result => called.1.map(Ok),
        };
        let first = self.call(start, equation.inner, inner)?;
        let last = match equation.outer {
            None => first.clone(),
            Some(method) => self.call(&first.0, method, outer)?,
        };
        let right = match &equation.right {
            Right::Constant(datum) => Ok(datum.clone()),
            Right::InnerArgument(_) => Ok(Datum::Integer(inner)),
            Right::OuterArgument(_) => Ok(Datum::Integer(outer)),
            Right::Start => Err(start.to_vec()),
            Right::Inner => of(first)?,
            Right::Outer => of(self.call(start, equation.outer?, outer)?)?,
            Right::Commuted => {
                let other = self.call(start, equation.outer?, outer)?;
                of(self.call(&other.0, equation.inner, inner)?)?
            }
        };
        let right = match right {
            Ok(Datum::Integer(number)) => Ok(Datum::Integer(number + equation.difference)),
            other => other,
        };
        Some(of(last)? == right)
    }
}

fn int(value: i64) -> Input {
    Input::Primitive { letter: b'I', bits: value as u64 }
}

fn state(elements: &[i64], descriptions: &mut Descriptions) -> State {
    let number =
        elements.iter().fold(7, |number: u64, element| number.wrapping_mul(1009).wrapping_add((*element + 50) as u64));
    let size = || Datum::Integer(elements.len() as i64);
    let variables = vec![(Arc::from("size"), size()), (Arc::from("total"), size())];
    descriptions.states.insert(number, Description { class: ClassName::new("Stack"), variables });
    State { whole: number, monitored: number, equal: number }
}

fn methods() -> Vec<SpecifiedMethod> {
    let method = |(name, takes_element): (&str, bool)| SpecifiedMethod {
        class: ClassName::new("Stack"),
        name: name.into(),
        parameters: if takes_element { vec!["int".to_string()] } else { Vec::new() },
        parameter_names: if takes_element { vec!["e".into()] } else { Vec::new() },
    };
    METHODS.map(method).to_vec()
}

/// The equations of a stack, of which none is wrong: each is tried on larger stacks of more elements.
fn equations(stack: Stack) -> Vec<String> {
    let mut observations = Observations::default();
    let tests = stack.tests(&mut observations, &[0, 1, -1], 4);
    let calls: BTreeSet<CallId> = tests.iter().flatten().map(|(call, _)| *call).collect();
    let tables = Tables::new(&observations, &methods());
    let found = algebraic::infer(&tables, &methods(), &calls);
    let axioms: Vec<&Equation> = found.iter().filter(|found| found.fails == 0).map(|found| &found.equation).collect();
    let elements = [-2, -1, 0, 1, 2];
    for equation in &axioms {
        for start in stack.all(&elements, 5) {
            for (inner, outer) in elements.iter().flat_map(|inner| elements.iter().map(move |outer| (*inner, *outer))) {
                let holds = stack.holds(equation, &start, inner, outer) != Some(false);
                assert!(holds, "{} of {start:?} with {inner}, {outer}", equation.text(&methods()));
            }
        }
    }
    axioms.iter().map(|equation| equation.text(&methods())).collect()
}

#[track_caller]
fn assert_has(axioms: &[String], axiom: &str) {
    assert!(axioms.iter().any(|found| found == axiom), "{axiom} is not among\n{}", axioms.join("\n"));
}

#[test]
fn unique_bounded_stack_gets_its_equations_and_no_wrong_one() {
    let axioms = equations(Stack::Unique);
    assert_has(&axioms, "isEmpty(push(S, e)).result == false");
    assert_has(&axioms, "maxSize(S).result == 2");
    assert_has(&axioms, "pop(Stack()).state == Stack().state");
    assert_has(&axioms, "top(Stack()).result == -1");
    assert_has(&axioms, "(!isFull(S)) ==> top(push(S, e)).result == e");
    assert!(!axioms.iter().any(|axiom| axiom == "pop(push(S, e)).state == S"));
}

#[test]
fn plain_stack_gets_its_equations_and_no_wrong_one() {
    let axioms = equations(Stack::Plain);
    assert_has(&axioms, "isEmpty(push(S, e)).result == false");
    assert_has(&axioms, "isEmpty(Stack()).result == true");
    assert_has(&axioms, "top(push(S, e)).result == e");
    assert_has(&axioms, "pop(push(S, e)).state == S");
    let commuted = "push(push(S, e1), e2).state == push(push(S, e2), e1).state";
    assert!(!axioms.iter().any(|axiom| axiom.ends_with(commuted)), "{axioms:?}");
}

/// The paper's example: nothing negative is pushed, until `push(-1); top()`.
#[test]
fn clause_inferred_from_a_suite_is_violated_by_a_further_test() {
    let mut observations = Observations::default();
    let tests = Stack::Unique.tests(&mut observations, &[0, 1, 2, 3, 4], 2);
    let base: BTreeSet<CallId> = tests.iter().flatten().map(|(call, _)| *call).collect();
    let more = Stack::Unique.tests(&mut observations, &[-1], 1);
    let tables = Tables::new(&observations, &methods());
    let specification = axiomatic::infer(&tables, &methods(), &base);
    let of_top = |place| {
        let clauses =
            specification.clauses.iter().filter(move |clause| clause.method == Some(TOP) && clause.place == place);
        clauses.map(|clause| clause.axiom.to_string()).collect::<Vec<_>>()
    };
    assert_has(&of_top(Place::Postcondition), "($result == -1) == (orig(this.size) == 0)");
    let breaches = refine::breaches(&tables, &methods(), &specification);
    let round = refine::select(&more, &tables, &specification, &breaches);
    let selected = round.with_guards.iter().chain(&round.without_guards);
    let broken: Vec<String> = selected
        .flat_map(|selected| &selected.breach.clauses)
        .map(|&clause| specification.clauses[clause].axiom.to_string())
        .collect();
    assert_has(&broken, "($result == -1) == (orig(this.size) == 0)");
    // What the test shows is learnt, and the loop ends.
    let all = base.into_iter().chain(more.iter().flatten().map(|(call, _)| *call)).collect();
    let specification = axiomatic::infer(&tables, &methods(), &all);
    assert!(refine::breaches(&tables, &methods(), &specification).values().all(|breach| !breach.is_guarded));
}

#[test]
fn invariants_changes_and_exceptions_are_found() {
    let mut observations = Observations::default();
    let tests = Stack::Plain.tests(&mut observations, &[0, 1, 2], 4);
    let calls: BTreeSet<CallId> = tests.iter().flatten().map(|(call, _)| *call).collect();
    let tables = Tables::new(&observations, &methods());
    let clauses: Vec<String> = (axiomatic::infer(&tables, &methods(), &calls).clauses.iter())
        .map(|clause| format!("{:?} {:?} {}", clause.place, clause.method, clause.axiom))
        .collect();
    assert_has(&clauses, &format!("Postcondition {:?} this.size == orig(this.size) + 1", Some(PUSH)));
    assert_has(&clauses, &format!("Postcondition {:?} this.size == orig(this.size) - 1", Some(POP)));
    assert_has(&clauses, &format!("Postcondition {:?} this == orig(this)", Some(TOP)));
    let empty = "(throws java.lang.IllegalStateException) == (orig(this.size) == 0)";
    assert_has(&clauses, &format!("Exceptional {:?} {empty}", Some(POP)));
}

#[test]
fn implied_clauses_are_omitted() {
    let mut observations = Observations::default();
    let tests = Stack::Plain.tests(&mut observations, &[0, 1, 2], 4);
    let calls: BTreeSet<CallId> = tests.iter().flatten().map(|(call, _)| *call).collect();
    let specification = axiomatic::infer(&Tables::new(&observations, &methods()), &methods(), &calls);
    let texts = |is_wanted: &dyn Fn(&Clause) -> bool| -> Vec<String> {
        specification.clauses.iter().filter(|clause| is_wanted(clause)).map(Clause::text).collect()
    };
    let invariants = texts(&|clause| clause.place == Place::Invariant);
    assert_has(&invariants, "this.total == this.size");
    assert_has(&invariants, "this.size <= 5");
    let of_methods = texts(&|clause| clause.place != Place::Invariant);
    assert!(!of_methods.iter().any(|clause| invariants.contains(clause)), "{of_methods:#?}");
    assert!(!of_methods.iter().any(|clause| clause.contains("this.total")), "{of_methods:#?}");
    let left_by_top = texts(&|clause| clause.method == Some(TOP) && clause.place == Place::Postcondition);
    assert_has(&left_by_top, "this == orig(this)");
    assert!(!left_by_top.iter().any(|clause| clause.starts_with("this.")), "{left_by_top:#?}");
}

#[test]
fn refinement_ends_with_the_necessary_preconditions() {
    let mut observations = Observations::default();
    let mut tests = Stack::Plain.tests(&mut observations, &[0, 1, 2], 4);
    let base: BTreeSet<CallId> = tests.iter().flatten().map(|(call, _)| *call).collect();
    tests.extend(Stack::Plain.tests(&mut observations, &[40, -7], 3));
    let tables = Tables::new(&observations, &methods());
    let preconditions = |clauses: &[Clause]| -> Vec<String> {
        let of_push = |clause: &&Clause| clause.method == Some(PUSH) && clause.place == Place::Precondition;
        clauses.iter().filter(of_push).map(Clause::text).collect()
    };
    let refined = refine::refine(&tables, &methods(), &tests, base, 10, &|| true);
    assert_has(&preconditions(&refined.rounds[0].0.clauses), "e <= 2");
    assert!(refined.is_fixed_point);
    let left = preconditions(&refined.specification.clauses);
    assert!(!left.iter().any(|clause| clause.starts_with("e ")), "{left:?}");
}

/// One push of something large makes an invariant wrong, and all that is called then begins beyond it.
#[test]
fn invariant_violation_counts_once_and_excludes_later_states() {
    let mut observations = Observations::default();
    let tests = Stack::Plain.tests(&mut observations, &[0, 1, 2], 2);
    let base: BTreeSet<CallId> = tests.iter().flatten().map(|(call, _)| *call).collect();
    // Pushes onto three elements, and calls of stacks of four.
    let more = Stack::Plain.tests(&mut observations, &[0, 1, 2], 4);
    let tables = Tables::new(&observations, &methods());
    let specification = axiomatic::infer(&tables, &methods(), &base);
    let of_size = |clause: &&Clause| clause.method.is_none() && clause.text().starts_with("this.size");
    let invariant = specification.clauses.iter().find(of_size).expect("the size has a bound");
    let breaches = refine::breaches(&tables, &methods(), &specification);
    let round = refine::select(&more, &tables, &specification, &breaches);
    let selected: Vec<_> = round.with_guards.iter().chain(&round.without_guards).collect();
    let at = specification.clauses.iter().position(|clause| clause == invariant).unwrap();
    let showing = selected.iter().filter(|selected| selected.breach.clauses.contains(&at));
    let methods: Vec<u32> = showing.map(|selected| observations.call(selected.call).method).collect();
    assert_eq!(methods, [PUSH], "{}", invariant.text());
    let mut beyond = breaches.values().filter(|breach| !breach.is_guarded && breach.clauses.contains(&at));
    let is_invariant = |&clause: &usize| specification.clauses[clause].method.is_none();
    assert!(beyond.clone().count() > 0 && beyond.all(|breach| breach.clauses.iter().all(is_invariant)));
}
