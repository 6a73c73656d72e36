//! The smallest sequence with the same verdict.
//!
//! A list of passes over the current best. A pass proposes candidates that are smaller in its own sense, in an order
//! that depends on the sequence and its run alone, and runs them in one batch; what is accepted one by one is tried
//! together, and if that fails the first alone becomes the best. A pass runs until it makes no progress, then the next
//! one does. Writing a pass means: propose changes of single statements, each strictly smaller by a statement, a call,
//! the rank of what it writes down, or a value that is taken for two things, so that every pass ends.

mod common;
mod drop;
mod examples;
mod gather;
mod graft;
mod inline;
mod knowledge;
mod literal;
mod plain;
mod respell;
mod separate;
mod shrink;
mod simplify;
mod vary;
mod words;

use common::common_texts;
use drop::{dead_statements, drop_statements, omit_elements};
use gather::{gather_elements, usual_factories};
use graft::{accepted_arguments, concrete_makers, fill_nulls, fold_values, plainer_makers};
use inline::{bypass_calls, bypass_calls_by_like, inline_nulls, inline_values, use_receivers};
pub use knowledge::Knowledge;
use model::execution::{Detail, Execution, Executor, ExecutorError};
use model::sequence::{Action, OperationId, Sequence};
use plain::{plain_objects, short_arrays, shorter_overloads};
use respell::{Respelling, letters_everywhere, names_everywhere, respelled};
use rustc_hash::{FxHashMap, FxHashSet};
use separate::{separate_operands, tell_apart};
use shrink::{
    fill_texts, halve_words, letters_for_signs, separate_literals, shorten_texts, shrink_equal_literals,
    shrink_literals,
};
use simplify::simplify_types;
use std::sync::Arc;
pub(crate) use vary::{argument, distance, plain_literals, variations};
use words::known_words;

/// Rounds of one pass at most; each is a batch or two.
const ROUND_LIMIT: usize = 25;

/// Things tried in place of one value: earlier values, makers of simpler ones.
const SUBSTITUTES: usize = 3;

/// Proposes changes of the first so many statements.
type Pass = fn(&Best, usize, &Knowledge) -> Vec<At>;

/// How much a smaller sequence is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Statements and literals that can be done without. Of joda-time, which has a thousand tests to make small before
    /// some are chosen, the other passes took twice the time that a run of a minute has for it.
    Least,
    /// Objects of the library in place of those of anonymous classes.
    Concrete,
    /// What makes a test easier to read that keeps its purpose: values without detours.
    Refine,
    /// All that makes it easier to read.
    Most,
}

impl Effort {
    /// In their order. What made a value that is not needed any more goes after it.
    fn passes(self) -> &'static [Pass] {
        match self {
            Effort::Least => &[drop_statements, bypass_calls_by_like, drop_statements, shrink_literals],
            Effort::Concrete => &[concrete_makers, drop_statements],
            Effort::Refine => &[
                drop_statements,
                use_receivers,
                inline_nulls,
                omit_elements,
                drop_statements,
                gather_elements,
                shorter_overloads,
                fill_nulls,
                plain_objects,
                plainer_makers,
                short_arrays,
                usual_factories,
                inline_values,
                fold_values,
                bypass_calls,
                drop_statements,
                fill_texts,
                separate_literals,
                shrink_equal_literals,
                shrink_literals,
                common_texts,
                shorten_texts,
                letters_for_signs,
                letters_everywhere,
                names_everywhere,
                known_words,
                accepted_arguments,
                separate_operands,
                shrink_equal_literals,
                shrink_literals,
                tell_apart,
                drop_statements,
            ],
            Effort::Most => &[
                drop_statements,
                bypass_calls,
                inline_values,
                simplify_types,
                omit_elements,
                drop_statements,
                shrink_literals,
                halve_words,
            ],
        }
    }
}

/// What a pass does to one statement.
#[derive(Clone, Debug)]
enum StatementChange {
    Drop,
    /// One of its inputs, by its position: an element of an array.
    Omit(usize),
    /// Something else that takes no inputs.
    Replace(Action),
    /// The same, and for each other literal that is equal to it.
    ReplaceEqual(Action),
    /// Those that took its value take that of the earlier statement.
    Bypass(usize),
    /// The same, but it stays.
    Redirect(usize),
    /// The statements of the sequence, whose last one makes the value.
    Graft(Arc<Sequence>),
    /// A call of another operation with the same inputs, but for those at some positions.
    Recall {
        operation: OperationId,
        omitted: Vec<usize>,
    },
    /// A call of a factory with the elements of a collection, in place of the last statement that filled it or, if none did, of
    /// the one that made it; the others of these go.
    Gather {
        made: usize,
        fillers: Vec<usize>,
        maker: OperationId,
        elements: Vec<usize>,
    },
    /// Other values for inputs of later statements.
    Parts(Vec<Part>),
    /// The same, and each text and character of the sequence is spelled so.
    Respell(Respelling),
}

/// What the sequence makes last, for those inputs, each by its statement and its position there.
#[derive(Clone, Debug)]
struct Part {
    inputs: Vec<(usize, usize)>,
    maker: Arc<Sequence>,
}

impl StatementChange {
    /// Another value for some inputs: what the sequence makes last.
    fn part(inputs: Vec<(usize, usize)>, maker: Sequence) -> StatementChange {
        StatementChange::Parts(vec![Part { inputs, maker: Arc::new(maker) }])
    }
}

/// A change of one statement, by its index.
type At = (usize, StatementChange);

/// What a smaller sequence and its run have to be like.
pub(crate) type Accepts<'a> = &'a dyn Fn(&Sequence, &Execution) -> bool;

/// The smallest sequence so far, and its run.
struct Best {
    sequence: Sequence,
    execution: Execution,
}

/// Minimizes a sequence, given with its own run, while `accepts` holds of its run. The last `fixed` statements stay. The
/// run of the result is handed back.
pub fn minimize(
    (sequence, first): (&Sequence, Execution),
    fixed: usize,
    effort: Effort,
    knowledge: &Knowledge,
    executor: &mut dyn Executor,
    accepts: Accepts,
) -> Result<(Sequence, Execution), ExecutorError> {
    let mut best = Best { sequence: sequence.clone(), execution: first };
    let slices = dead_statements(sequence, fixed.max(1), knowledge);
    let candidates = slices.into_iter().filter_map(|drops| Some((drops[0].clone(), apply(sequence, &drops)?)));
    if let Some((_, slice)) = run(candidates.collect(), executor, accepts)?.into_iter().next() {
        best = slice;
    }
    for pass in effort.passes() {
        for _ in 0..ROUND_LIMIT {
            let end = best.sequence.len() - fixed.min(best.sequence.len());
            let changes = pass(&best, end, knowledge);
            let Some(smaller) = step(&best.sequence, changes, knowledge, executor, accepts)? else { break };
            best = smaller;
        }
    }
    Ok((best.sequence, best.execution))
}

/// Tries each change alone, then the accepted ones together: for each statement its first.
fn step(
    sequence: &Sequence,
    changes: Vec<At>,
    knowledge: &Knowledge,
    executor: &mut dyn Executor,
    accepts: Accepts,
) -> Result<Option<Best>, ExecutorError> {
    let candidate = |change: &At| Some((change.clone(), apply(sequence, std::slice::from_ref(change))?));
    let candidates: Vec<_> = changes.iter().filter_map(candidate).collect();
    let mut accepted = run(candidates, executor, accepts)?;
    accepted.dedup_by_key(|((at, _), _)| *at);
    let together: Vec<At> = accepted.iter().map(|(change, _)| change.clone()).collect();
    if together.len() > 1
        // A value that was to take another's place may have given way to one that does not fit there.
        && let Some(all) = apply(sequence, &together).filter(|all| knowledge.is_typed(all))
        && let Some((_, all)) = run(vec![(together[0].clone(), all)], executor, accepts)?.pop()
    {
        return Ok(Some(all));
    }
    Ok(accepted.into_iter().next().map(|(_, smaller)| smaller))
}

/// The sequence with the changes, at most one for each statement; `None` if nothing or an orphan is left.
fn apply(sequence: &Sequence, changes: &[At]) -> Option<Sequence> {
    let change_of = |index: usize| changes.iter().find(|(at, _)| *at == index).map(|(_, change)| change);
    let is_gathering =
        |change: &StatementChange, of: usize| matches!(change, StatementChange::Gather { made, .. } if *made == of);
    let source_of = |mut index: usize, user: usize| {
        if let Some((place, _)) = changes.iter().find(|(place, change)| *place < user && is_gathering(change, index)) {
            index = *place;
        }
        while let Some(StatementChange::Bypass(substitute) | StatementChange::Redirect(substitute)) = change_of(index) {
            index = *substitute;
        }
        index
    };
    let equal_change_of = |action: &Action| {
        let is_of_it = |(at, _): &&At| sequence.statements()[*at].action == *action;
        changes.iter().filter(is_of_it).find_map(|(_, change)| match change {
            StatementChange::ReplaceEqual(other) => Some(other),
            _ => None,
        })
    };
    let mut changed = Sequence::new();
    let mut moved = Vec::with_capacity(sequence.len());
    let mut dropped = FxHashSet::default();
    // For an input what takes the place of the value that others take, too.
    let mut second: FxHashMap<(usize, usize), usize> = FxHashMap::default();
    for (index, statement) in sequence.statements().iter().enumerate() {
        let at = match (change_of(index), equal_change_of(&statement.action)) {
            (Some(StatementChange::Replace(action)), _)
            | (None | Some(StatementChange::ReplaceEqual(_)), Some(action)) => changed.push(action.clone(), &[]),
            (Some(StatementChange::Gather { made, fillers, maker, elements }), _) => {
                dropped.extend([*made].iter().chain(fillers).filter(|at| **at < index).map(|at| moved[*at]));
                let inputs: Vec<usize> = elements.iter().map(|input| moved[source_of(*input, index)]).collect();
                changed.push_call(*maker, &inputs)
            }
            (Some(StatementChange::Graft(maker)), _) => {
                changed.append(maker);
                changed.len().checked_sub(1)?
            }
            _ => {
                let source =
                    |(slot, input)| second.get(&(index, slot)).copied().unwrap_or(moved[source_of(input, index)]);
                let is_kept = |(slot, _): &(usize, usize)| match change_of(index) {
                    Some(StatementChange::Omit(omitted)) => omitted != slot,
                    Some(StatementChange::Recall { omitted, .. }) => !omitted.contains(slot),
                    _ => true,
                };
                let inputs: Vec<usize> = sequence.inputs_of(index).enumerate().filter(is_kept).map(source).collect();
                let action = match change_of(index) {
                    Some(StatementChange::Recall { operation, .. }) => Action::Call(*operation),
                    _ => respelled(&statement.action, changes),
                };
                changed.push(action, &inputs)
            }
        };
        if let Some(StatementChange::Parts(parts)) = change_of(index) {
            for Part { inputs, maker } in parts {
                changed.append(maker);
                let other = changed.len().checked_sub(1)?;
                second.extend(inputs.iter().map(|input| (*input, other)));
            }
        }
        moved.push(at);
        if matches!(change_of(index), Some(StatementChange::Drop | StatementChange::Bypass(_))) {
            dropped.insert(at);
        }
    }
    if let Some(at) = sequence.rejected() {
        changed = changed.going_on_after(moved[at] + 1);
    }
    let kept = changed.retain(|index| !dropped.contains(&index))?;
    let used: FxHashSet<usize> = (0..kept.len()).flat_map(|user| kept.inputs_of(user).collect::<Vec<_>>()).collect();
    let is_literal = |at: usize| matches!(kept.statements()[at].action, Action::Literal(_));
    kept.retain(|at| !is_literal(at) || used.contains(&at)).filter(|kept| !kept.is_empty())
}

/// The candidates whose run is accepted, each with its change.
fn run(
    candidates: Vec<(At, Sequence)>,
    executor: &mut dyn Executor,
    accepts: Accepts,
) -> Result<Vec<(At, Best)>, ExecutorError> {
    let sequences: Vec<Sequence> = candidates.iter().map(|(_, sequence)| sequence.clone()).collect();
    let executions = executor.execute(&sequences, Detail::Observe)?;
    Ok(candidates
        .into_iter()
        .zip(executions)
        .filter(|((_, sequence), execution)| accepts(sequence, execution))
        .map(|((change, sequence), execution)| (change, Best { sequence, execution }))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytecode::analysis::purity::Effects;
    use model::execution::{Observed, Outcome, Value};
    use model::jvm::types::{ClassFacts, TypeTable, access};
    use model::jvm::{ClassName, Literal, MethodDescriptor, Type};
    use model::sequence::{Operation, OperationKind};

    /// Runs anything at once; what is accepted is up to the test.
    struct NoOperation;

    impl Executor for NoOperation {
        fn execute(&mut self, sequences: &[Sequence], _: Detail) -> Result<Vec<Execution>, ExecutorError> {
            Ok(sequences.iter().map(|_| execution()).collect())
        }

        fn restart(&mut self) -> Result<(), ExecutorError> {
            Ok(())
        }
    }

    /// Minimizes calls of the first three static methods that make a value of one type.
    fn smallest(sequence: &Sequence, fixed: usize, accepts: Accepts) -> Sequence {
        let (operations, types) = (operations(3), TypeTable::default());
        let knowledge = Knowledge::new(&operations, &[Effects::ALL; 3], &types);
        minimize((sequence, execution()), fixed, Effort::Most, &knowledge, &mut NoOperation, accepts).unwrap().0
    }

    #[test]
    fn elements_that_nothing_needs_are_left_out_of_arrays() {
        let mut all = operations(1);
        let element = all[0].output.clone().unwrap();
        let mut array = all[0].clone();
        (array.kind, array.inputs) = (OperationKind::Array, vec![element.clone()]);
        array.output = Some(Type::array(element));
        all.push(array);
        let mut sequence = Sequence::new();
        let elements = [0; 3].map(|number| sequence.push_call(OperationId(number), &[]));
        sequence.push_call(OperationId(1), &elements);
        sequence.push_call(OperationId(0), &[]);
        let types = TypeTable::default();
        let knowledge = Knowledge::new(&all, &[Effects::ALL; 2], &types);
        let has_one = |sequence: &Sequence, _: &Execution| {
            let array = (0..sequence.len()).find(|&at| sequence.call_at(at) == Some(OperationId(1)));
            array.is_some_and(|array| sequence.inputs_of(array).count() > 0)
        };
        let (smallest, _) =
            minimize((&sequence, execution()), 1, Effort::Most, &knowledge, &mut NoOperation, &has_one).unwrap();
        assert_eq!(smallest.len(), 3, "{smallest:?}");
    }

    /// Static methods that make a value of one type.
    fn operations(count: u32) -> Vec<Operation> {
        let years = ClassName::new("sample/Years");
        let operation = |number: u32| {
            let descriptor = MethodDescriptor { parameters: Vec::new(), returns: Some(Type::Class(years.clone())) };
            Operation::new(OperationKind::StaticMethod, years.clone(), format!("m{number}"), descriptor)
        };
        (0..count).map(operation).collect()
    }

    fn execution() -> Execution {
        Execution::ended(Outcome::Completed)
    }

    #[test]
    fn minimized_sequence_contains_only_statements_the_verdict_needs() {
        let mut sequence = Sequence::new();
        for call in 0..3 {
            let literal = sequence.push_literal(Literal::String("abcxdef".into()));
            sequence.push_call(OperationId(call), &[literal]);
        }
        let holds = |sequence: &Sequence, _: &Execution| {
            let calls = |call: u32| {
                sequence.statements().iter().any(|statement| statement.action == Action::Call(OperationId(call)))
            };
            let has_x = |statement: &model::sequence::Statement| matches!(&statement.action, Action::Literal(Literal::String(text)) if text.to_string().contains('x'));
            calls(1) && sequence.statements().iter().any(has_x)
        };
        let smallest = smallest(&sequence, 0, &holds);
        assert_eq!(smallest.len(), 2);
        assert_eq!(smallest.statements()[0].action, Action::Literal(Literal::String("x".into())));
    }

    #[test]
    fn call_is_replaced_by_an_earlier_value_of_its_type() {
        let mut sequence = Sequence::new();
        let mut years = sequence.push_call(OperationId(0), &[]);
        for _ in 0..3 {
            years = sequence.push_call(OperationId(1), &[years]);
        }
        sequence.push_call(OperationId(2), &[years]);
        let holds = |sequence: &Sequence, _: &Execution| {
            sequence.statements().last().is_some_and(|last| last.action == Action::Call(OperationId(2)))
        };
        let smallest = smallest(&sequence, 1, &holds);
        assert_eq!(smallest.len(), 2);
        assert_eq!(smallest.statements()[0].action, Action::Call(OperationId(0)));
    }

    #[test]
    fn fixed_statements_are_not_removed() {
        let mut sequence = Sequence::new();
        sequence.push_call(OperationId(0), &[]);
        sequence.push_call(OperationId(1), &[]);
        let smallest = smallest(&sequence, 1, &|_, _| true);
        assert_eq!(smallest.len(), 1);
        assert_eq!(smallest.statements()[0].action, Action::Call(OperationId(1)));
    }

    const USE: OperationId = OperationId(0);
    const NEW_PLAIN: OperationId = OperationId(1);
    const NEW_FANCY: OperationId = OperationId(2);
    const FANCY_OF: OperationId = OperationId(3);
    const COUNT: OperationId = OperationId(4);
    const TO_FANCY: OperationId = OperationId(5);

    /// What is left of a sequence that ends with `use(Plain, int)`, where `Fancy` is a `Plain`, there are constructors of
    /// both, `Fancy(Plain)`, `count()` and a cast, and any run with that end is accepted.
    fn used(sequence: &Sequence, values: Vec<Value>) -> Vec<Action> {
        let [plain, fancy] = ["p/Plain", "p/Fancy"].map(ClassName::new);
        let mut types = TypeTable::default();
        for (name, super_class) in [(&plain, None), (&fancy, Some(plain.clone()))] {
            types.insert(ClassFacts {
                name: name.clone(),
                access: access::PUBLIC,
                super_class,
                interfaces: Vec::new(),
                outer: None,
                source_simple_name: None,
                signature: None,
                methods: Vec::new(),
                constants: Vec::new(),
            });
        }
        let operation = |kind, owner: &ClassName, parameters: Vec<Type>, returns: Option<Type>| {
            Operation::new(kind, owner.clone(), "m", MethodDescriptor { parameters, returns })
        };
        let (method, constructor) = (OperationKind::StaticMethod, OperationKind::Constructor);
        let of = |name: &ClassName| Type::Class(name.clone());
        let operations = [
            operation(method, &plain, vec![of(&plain), Type::INT], None),
            operation(constructor, &plain, Vec::new(), None),
            operation(constructor, &fancy, Vec::new(), None),
            operation(constructor, &fancy, vec![of(&plain)], None),
            operation(method, &plain, Vec::new(), Some(Type::INT)),
            operation(OperationKind::Cast, &fancy, vec![Type::object()], Some(of(&fancy))),
        ];
        let knowledge = Knowledge::new(&operations, &[Effects::ALL; 6], &types);
        let first = Execution { values, ..execution() };
        let ends_with_use = |sequence: &Sequence, _: &Execution| sequence.calls().last() == Some(USE);
        let (smallest, _) =
            minimize((sequence, first), 1, Effort::Most, &knowledge, &mut NoOperation, &ends_with_use).unwrap();
        assert!(knowledge.is_typed(&smallest));
        smallest.statements().iter().map(|statement| statement.action.clone()).collect()
    }

    #[test]
    fn call_is_replaced_by_a_literal_of_its_result() {
        let mut sequence = Sequence::new();
        let plain = sequence.push_call(NEW_PLAIN, &[]);
        let count = sequence.push_call(COUNT, &[]);
        sequence.push_call(USE, &[plain, count]);
        let seven = Literal::Int(7);
        let object = Value::Object { class: Type::object(), observed: Observed::Nothing };
        let left = used(&sequence, vec![object, Value::Literal(seven.clone()), Value::Void]);
        assert_eq!(left, [Action::Call(NEW_PLAIN), Action::Literal(seven), Action::Call(USE)]);
    }

    #[test]
    fn subclass_instance_is_replaced_by_the_declared_class() {
        let mut sequence = Sequence::new();
        let null = sequence.push_literal(Literal::Null(Type::class("p/Plain")));
        let fancy = sequence.push_call(FANCY_OF, &[null]);
        let number = sequence.push_literal(Literal::Int(3));
        sequence.push_call(USE, &[fancy, number]);
        let number = Action::Literal(Literal::Int(3));
        assert_eq!(used(&sequence, Vec::new())[..2], [Action::Call(NEW_PLAIN), number.clone()]);

        let mut sequence = Sequence::new();
        let fancy = sequence.push_call(NEW_FANCY, &[]);
        let cast = sequence.push_call(TO_FANCY, &[fancy]);
        let three = sequence.push_literal(Literal::Int(3));
        sequence.push_call(USE, &[cast, three]);
        assert_eq!(used(&sequence, Vec::new())[..2], [Action::Call(NEW_PLAIN), number]);
    }
}
