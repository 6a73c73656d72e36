//! Small states of a class, made on purpose (Xie and Notkin, docs/bibliography.md: "Grow parameters", "Grow object
//! states").
//!
//! A search follows coverage and visits few of the neighbouring states, so equations that hold in the states it visited are
//! often wrong. Therefore each class gets a tree of states: its constructors with small arguments, then, level by level,
//! every method with every small argument on each new state. A state is new if `equals` distinguishes it from all others.
//! Some that `equals` does not distinguish are extended too, because methods may distinguish them.

use super::observations::StateId;
use model::execution::Fingerprint;
use model::jvm::{ClassName, JavaString, Literal, Primitive, Type};
use model::sequence::{Operation, OperationId, OperationKind, Sequence};
use program::Target;
use rustc_hash::{FxHashMap, FxHashSet};

/// States of one class that are grown from; all classes together may have so many sequences.
const STATES: usize = 200;
const SEQUENCES: usize = 30_000;

/// Further states of one class that are extended although `equals` does not distinguish them from earlier ones.
const LIKE_OTHERS: usize = 50;

/// Lists of arguments of one call.
const ARGUMENTS: usize = 16;

/// An operation is given up when it ended so many runs.
const MOST_ENDS: u32 = 2;

/// Objects of the class that are arguments of its own methods.
const OBJECTS: usize = 3;

/// An object in the making: what makes it, and the statement that it is.
#[derive(Clone, Debug)]
struct Object {
    sequence: Sequence,
    at: usize,
}

struct GrowthTree {
    class: ClassName,
    makers: Vec<OperationId>,
    methods: Vec<OperationId>,
    known: FxHashSet<Fingerprint>,
    /// All of them, and how many of those grown from are like others to `equals`.
    whole: FxHashSet<StateId>,
    like_others: usize,
    /// States that nothing was called on yet.
    frontier: Vec<Object>,
    /// The first ones, as arguments.
    first: Vec<Object>,
    has_begun: bool,
}

/// The trees of all classes under test.
pub struct Growth<'a> {
    operations: &'a [Operation],
    trees: Vec<GrowthTree>,
    /// The sequences handed out last: the tree, and the statement of the object that they are about.
    asked: Vec<(usize, usize)>,
    handed_out: usize,
    /// How often an operation ended a run, and which are not called any more.
    ended: FxHashMap<OperationId, u32>,
}

/// The state that the last call of a sequence left its object in, and that of what it returned, if that is of the class too;
/// each with what `equals` reads of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Grown {
    /// Of the object.
    pub left: Option<(StateId, Fingerprint)>,
    /// Of what was returned.
    pub returned: Option<(StateId, Fingerprint)>,
}

impl<'a> Growth<'a> {
    /// Calls none of the operations `given_up`.
    pub fn new(operations: &'a [Operation], targets: &[Target], given_up: &[OperationId]) -> Growth<'a> {
        let is_simple = |operation: &Operation, class: &ClassName| {
            let inputs = operation.inputs.iter().skip(usize::from(operation.has_receiver()));
            inputs.into_iter().all(|of| !literals(of).is_empty() || of.class_name() == Some(class))
        };
        let trees = targets.iter().map(|target| {
            let of = |wanted: &dyn Fn(&Operation) -> bool| -> Vec<OperationId> {
                let own = program::first_choices(operations, &target.operations).into_iter();
                own.filter(|id| {
                    let operation = &operations[id.0 as usize];
                    operation.is_code() && wanted(operation) && is_simple(operation, &target.name)
                })
                .collect()
            };
            let makes =
                |operation: &Operation| operation.output.as_ref().and_then(Type::class_name) == Some(&target.name);
            GrowthTree {
                class: target.name.clone(),
                makers: of(&|operation| operation.kind != OperationKind::InstanceMethod && makes(operation)),
                methods: of(&|operation| operation.kind == OperationKind::InstanceMethod),
                known: FxHashSet::default(),
                whole: FxHashSet::default(),
                like_others: 0,
                frontier: Vec::new(),
                first: Vec::new(),
                has_begun: false,
            }
        });
        let trees = trees.collect();
        let ended = given_up.iter().map(|operation| (*operation, MOST_ENDS)).collect();
        Growth { operations, trees, asked: Vec::new(), handed_out: 0, ended }
    }

    /// The next level of all trees; none when they are grown.
    pub fn next_level(&mut self) -> Vec<Sequence> {
        self.asked.clear();
        let mut sequences = Vec::new();
        for (index, tree) in self.trees.iter_mut().enumerate() {
            let grown: Vec<Object> = if tree.has_begun {
                let frontier = std::mem::take(&mut tree.frontier);
                let calls = |object: &Object| -> Vec<Object> {
                    tree.methods.iter().flat_map(|&method| tree.calls(self.operations, method, Some(object))).collect()
                };
                frontier.iter().flat_map(calls).collect()
            } else {
                tree.has_begun = true;
                tree.makers.iter().flat_map(|&maker| tree.calls(self.operations, maker, None)).collect()
            };
            for Object { sequence, at } in grown {
                let is_given_up = |operation| self.ended.get(&operation).is_some_and(|&times| times >= MOST_ENDS);
                if self.handed_out < SEQUENCES && !sequence.calls().any(is_given_up) {
                    self.handed_out += 1;
                    self.asked.push((index, at));
                    sequences.push(sequence);
                }
            }
        }
        sequences
    }

    /// What came of the sequence of the index in the last level; `None` if it did not end by itself.
    pub fn note(&mut self, index: usize, sequence: &Sequence, grown: Option<Grown>) {
        let Some(&(tree, at)) = self.asked.get(index) else { return };
        let Some(grown) = grown else {
            // What it was grown from did end.
            if let Some(last) = sequence.calls().last() {
                *self.ended.entry(last).or_default() += 1;
            }
            return;
        };
        let tree = &mut self.trees[tree];
        let last = sequence.len() - 1;
        for (state, at) in [(grown.left, at), (grown.returned, last)] {
            let Some((state, read)) = state else { continue };
            let is_whole_new = tree.whole.insert(state);
            let is_new = tree.known.len() < STATES && tree.known.insert(read);
            let object = || Object { sequence: sequence.clone(), at };
            if is_new && tree.first.len() < OBJECTS {
                tree.first.push(object());
            }
            let is_like_others = !is_new && is_whole_new && tree.like_others < LIKE_OTHERS;
            tree.like_others += usize::from(is_like_others);
            if is_new || is_like_others {
                tree.frontier.push(object());
            }
        }
    }
}

impl GrowthTree {
    /// Calls of the operation with all lists of small arguments.
    fn calls(&self, operations: &[Operation], id: OperationId, receiver: Option<&Object>) -> Vec<Object> {
        let operation = &operations[id.0 as usize];
        let start = receiver.map_or_else(Sequence::new, |receiver| receiver.sequence.clone());
        let mut lists = vec![(start, receiver.map(|receiver| receiver.at).into_iter().collect::<Vec<usize>>())];
        for of in operation.inputs.iter().skip(usize::from(operation.has_receiver())) {
            let mut longer = Vec::new();
            for (sequence, inputs) in &lists {
                let mut with = |sequence: Sequence, input: usize| {
                    let inputs = inputs.iter().copied().chain([input]).collect();
                    longer.push((sequence, inputs));
                };
                for literal in literals(of) {
                    let mut sequence = sequence.clone();
                    let input = sequence.push_literal(literal);
                    with(sequence, input);
                }
                if of.class_name() == Some(&self.class) {
                    for object in &self.first {
                        let mut sequence = sequence.clone();
                        let offset = sequence.append(&object.sequence);
                        with(sequence, offset + object.at);
                    }
                }
            }
            longer.truncate(ARGUMENTS);
            lists = longer;
        }
        let called = |(mut sequence, inputs): (Sequence, Vec<usize>)| {
            let made = sequence.push_call(id, &inputs);
            Object { sequence, at: receiver.map_or(made, |receiver| receiver.at) }
        };
        lists.into_iter().map(called).collect()
    }
}

/// Small values of a type; none of objects.
fn literals(of: &Type) -> Vec<Literal> {
    const NUMBERS: [i8; 3] = [0, 1, -1];
    match of {
        Type::Primitive(Primitive::Boolean) => vec![Literal::Boolean(false), Literal::Boolean(true)],
        Type::Primitive(Primitive::Byte) => NUMBERS.map(Literal::Byte).to_vec(),
        Type::Primitive(Primitive::Char) => ['a', 'b'].map(|letter| Literal::Char(letter as u16)).to_vec(),
        Type::Primitive(Primitive::Short) => NUMBERS.map(|number| Literal::Short(number.into())).to_vec(),
        Type::Primitive(Primitive::Int) => NUMBERS.map(|number| Literal::Int(number.into())).to_vec(),
        Type::Primitive(Primitive::Long) => NUMBERS.map(|number| Literal::Long(number.into())).to_vec(),
        Type::Primitive(Primitive::Float) => NUMBERS.map(|number| Literal::Float(f32::from(number).to_bits())).to_vec(),
        Type::Primitive(Primitive::Double) => NUMBERS.map(|number| Literal::double(number.into())).to_vec(),
        of if of.is_string() => ["", "a", "b"].map(|text| Literal::String(JavaString::from(text))).to_vec(),
        Type::Class(_) | Type::Array(_) | Type::Parameterized(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::jvm::MethodDescriptor;

    /// `p.A()` and `merge(int, p.A)`.
    fn operations() -> (Vec<Operation>, Vec<Target>) {
        let name = ClassName::new("p/A");
        let operation = |kind, method, parameters| {
            Operation::new(kind, name.clone(), method, MethodDescriptor { parameters, returns: None })
        };
        let operations = vec![
            operation(OperationKind::Constructor, "<init>", Vec::new()),
            operation(OperationKind::InstanceMethod, "merge", vec![Type::INT, Type::Class(name.clone())]),
        ];
        let own = vec![OperationId(0), OperationId(1)];
        let target = Target { annotated: Vec::new(), name, operations: own, constants: Vec::new(), tested: Vec::new() };
        (operations, vec![target])
    }

    fn note(growth: &mut Growth, level: &[Sequence], state: impl Fn(usize) -> Option<(StateId, Fingerprint)>) {
        for (index, sequence) in level.iter().enumerate() {
            let left = |left| Grown { left: Some(left), returned: None };
            growth.note(index, sequence, state(index).map(left));
        }
    }

    #[test]
    fn growth_calls_every_method_with_every_small_argument_on_every_new_state() {
        let (operations, targets) = operations();
        let mut growth = Growth::new(&operations, &targets, &[]);
        let first = growth.next_level();
        assert_eq!(first.len(), 1);
        note(&mut growth, &first, |_| Some((0, 0)));
        // With 0, 1 and -1 and the one object there is.
        let second = growth.next_level();
        let texts: FxHashSet<String> = second.iter().map(|sequence| sequence.describe(&operations)).collect();
        assert_eq!((second.len(), texts.len()), (3, 3), "{texts:#?}");
        // The second is a state that was there, the third one that `equals` does not tell from the first.
        note(&mut growth, &second, |index| Some([(1, 1), (0, 0), (2, 1)][index]));
        // On two objects, with three numbers and the two that `equals` tells apart.
        let third = growth.next_level();
        assert_eq!(third.len(), 2 * 3 * 2);
        note(&mut growth, &third, |_| Some((0, 0)));
        assert_eq!(growth.next_level(), []);
    }

    #[test]
    fn growth_skips_methods_that_end_runs() {
        let (operations, targets) = operations();
        let mut growth = Growth::new(&operations, &targets, &[]);
        let first = growth.next_level();
        note(&mut growth, &first, |_| Some((0, 0)));
        let second = growth.next_level();
        note(&mut growth, &second, |index| (index == 0).then_some((1, 1)));
        assert_eq!(growth.next_level(), []);
        let mut growth = Growth::new(&operations, &targets, &[OperationId(0)]);
        assert_eq!(growth.next_level(), []);
    }
}
