//! The equations that `specs --accept` writes for real stacks, each tried on all small stacks, as they are written down here.

use super::suites::Suite;
use model::execution::trace::Datum;
use specification::algebraic::{Aspect, Equation, EquationCondition, Right};
use std::collections::BTreeSet;
use std::fs;

/// What is there after a call: the elements, and what was returned. `None` if it throws.
type After = Option<(Vec<i64>, Option<Datum>)>;

/// What a method of a stack does to these elements, with this argument.
type Stack = fn(&[i64], &str, i64) -> After;

/// `stack.IntStack`.
fn int_stack(elements: &[i64], method: &str, argument: i64) -> After {
    let mut after = elements.to_vec();
    let result = match method {
        "push" => {
            after.push(argument);
            None
        }
        "pop" => Some(Datum::Integer(after.pop()?)),
        "isEmpty" => Some(Datum::Boolean(elements.is_empty())),
        "IntStack" => {
            after.clear();
            None
        }
        other => panic!("{other}"),
    };
    Some((after, result))
}

/// `xie.UBStack`.
fn unique_bounded_stack(elements: &[i64], method: &str, argument: i64) -> After {
    let mut after = elements.to_vec();
    let result = match method {
        "push" if elements.contains(&argument) => {
            after.retain(|element| *element != argument);
            after.push(argument);
            None
        }
        "push" => {
            after.extend((elements.len() < 2).then_some(argument));
            None
        }
        "pop" => {
            after.pop();
            None
        }
        "top" => Some(Datum::Integer(elements.last().copied().unwrap_or(-1))),
        "getNumberOfElements" => Some(Datum::Integer(elements.len() as i64)),
        "maxSize" => Some(Datum::Integer(2)),
        "isEmpty" => Some(Datum::Boolean(elements.is_empty())),
        "isFull" => Some(Datum::Boolean(elements.len() == 2)),
        "isMember" => Some(Datum::Boolean(elements.contains(&argument))),
        "UBStack" => {
            after.clear();
            None
        }
        other => panic!("{other}"),
    };
    Some((after, result))
}

/// `push` of `stack.IntStack.push(int)`.
fn name(method: &str) -> &str {
    let method = method.split('(').next().unwrap();
    method.rsplit('.').next().unwrap()
}

/// Whether the equation is true of the stack and these arguments; `None` where it says nothing.
fn holds(stack: Stack, equation: &Equation<String>, start: &[i64], inner: i64, outer: i64) -> Option<bool> {
    let is_met = match &equation.condition {
        None => true,
        Some(EquationCondition::SameArguments(same)) => (inner == outer) == *same,
        Some(EquationCondition::Observer(method, value)) => stack(start, name(method), 0)?.1? == Datum::Boolean(*value),
    };
    if !is_met {
        return None;
    }
    let first = |elements: &[i64]| stack(elements, name(&equation.inner), inner);
    let second = |elements: &[i64]| stack(elements, name(equation.outer.as_ref()?), outer);
    // Of calls that end both are what the equation is about.
    let of = |(elements, result): (Vec<i64>, Option<Datum>)| match equation.aspect {
        Aspect::State => (Some(elements), None),
        Aspect::Result => (None, result),
    };
    let after = first(start)?;
    let left = if equation.outer.is_some() { second(&after.0)? } else { after.clone() };
    let of_number = |number: i64| (None, Some(Datum::Integer(number)));
    let right = match &equation.right {
        Right::Constant(datum) => (None, Some(datum.clone())),
        Right::InnerArgument(_) => of_number(inner),
        Right::OuterArgument(_) => of_number(outer),
        Right::Start => (Some(start.to_vec()), None),
        Right::Inner => of(after),
        Right::Outer => of(second(start)?),
        Right::Commuted => of(first(&second(start)?.0)?),
    };
    let right = match right {
        (None, Some(Datum::Integer(number))) => of_number(number + equation.difference),
        other => other,
    };
    Some(of(left) == right)
}

/// The texts of the equations that are accepted of the class, all of which are true.
fn axioms(suite: &Suite, class: &str, stack: Stack) -> BTreeSet<String> {
    let mut command = suite.scene.randgen(&["specs", "--classes", "classes", "--quiet", "--accept", "--seed", "1"]);
    command.args(["--classpath", &suite.class_path, "--sequence-limit", "2000", "--target-classes", class]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", super::stderr(&output));
    let accepted = fs::read_to_string(suite.scene.path("randgen-specs.toml")).unwrap();
    let accepted: toml::Table = toml::from_str(&accepted).unwrap();
    let elements = [-2, -1, 0, 1, 7];
    let mut stacks: BTreeSet<Vec<i64>> = BTreeSet::from([Vec::new()]);
    for _ in 0..4 {
        let pushed = |elements: &Vec<i64>, element| stack(elements, "push", element).unwrap().0;
        stacks.extend(stacks.clone().iter().flat_map(|stack| elements.map(|element| pushed(stack, element))));
    }
    let mut texts = BTreeSet::new();
    for entry in accepted["equation"].as_array().unwrap() {
        let text = entry["text"].as_str().unwrap();
        let equation: Equation<String> = serde_json::from_str(entry["form"].as_str().unwrap()).unwrap();
        for start in &stacks {
            for (inner, outer) in elements.iter().flat_map(|inner| elements.map(|outer| (*inner, outer))) {
                let judged = holds(stack, &equation, start, inner, outer);
                assert_ne!(judged, Some(false), "{text} of {start:?} with {inner}, {outer}");
            }
        }
        texts.insert(text.to_string());
    }
    texts
}

#[track_caller]
fn assert_has(axioms: &BTreeSet<String>, wanted: &[&str]) {
    for axiom in wanted {
        assert!(axioms.contains(*axiom), "{axiom} is not among {axioms:#?}");
    }
}

#[test]
fn stack_keeps_no_wrong_equation() {
    let axioms = axioms(&Suite::of_fixture("int-stack"), "stack.IntStack", int_stack);
    let empty = "isEmpty(push(S, argument1)).result == false";
    let popped = ["pop(push(S, argument1)).result == argument1", "pop(push(S, argument1)).state == S"];
    assert_has(&axioms, &[empty, popped[0], popped[1], "isEmpty(IntStack()).result == true"]);
}

#[test]
fn unique_bounded_stack_keeps_no_wrong_equation() {
    let axioms = axioms(&Suite::of_fixture("xie-notkin"), "xie.UBStack", unique_bounded_stack);
    let empty = "isEmpty(push(S, argument1)).result == false";
    let top = "(!isFull(S)) ==> top(push(S, argument1)).result == argument1";
    assert_has(&axioms, &[empty, top, "maxSize(S).result == 2"]);
    // As in the paper.
    assert_has(&axioms, &["pop(UBStack()).state == UBStack().state", "top(UBStack()).result == -1"]);
    assert!(!axioms.contains("pop(push(S, argument1)).state == S"));
}
