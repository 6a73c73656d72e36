//! What the project's own tests call, as sequences and constants of this program.
//!
//! Of a test's trace each call of code under test becomes a sequence: what it takes, how that was made, and what changed
//! it before. What takes an unknown value is left out, and so is what a test in the package could not write.

use super::Program;
use bytecode::analysis::traces::{self, Trace, TraceCall, TraceInput};
use bytecode::classfile::ClassFile;
use model::jvm::types::ClassFacts;
use model::jvm::{ClassName, Literal, MethodDescriptor, Type};
use model::sequence::{Operation, OperationId, OperationKind, Sequence};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Sequences taken from all tests; each class has its turn.
const SEQUENCE_LIMIT: usize = 5_000;
/// Statements of a sequence, literals included.
const STATEMENT_LIMIT: usize = 40;

/// What the tests that a project has give to the search.
#[derive(Clone, Debug, Default)]
pub struct ExistingTests {
    /// Test classes that sequences were taken from.
    pub classes: usize,
    /// Without duplicates; those of one class of tests in the order of its code.
    pub sequences: Vec<Sequence>,
    /// Literals that tests pass to code under test or to what they prepare for it, by class under test (an index into
    /// [`Program::targets`]), and how often each occurs.
    pub constants: Vec<Vec<(Literal, u32)>>,
}

/// Reads the tests' class files.
pub(super) fn read(program: &Program, tests: &BTreeMap<ClassName, ClassFile>) -> ExistingTests {
    let traces = traces::trace(tests);
    let operations = program.operations.iter().enumerate().filter(|(at, operation)| {
        !program.contract_methods.contains(&OperationId(*at as u32))
        && !matches!(operation.kind, OperationKind::Array | OperationKind::Cast | OperationKind::Implementation)
            // Tests set the fields after that, in ways of their own.
            && operation.injected.is_empty()
    });
    let under_test = program.targets.iter().flat_map(|target| &target.operations).copied().collect();
    let reader = Reader { program, index: index(operations), under_test };
    let by_class = traces.values().map(|traces| traces.iter().flat_map(|trace| reader.sequences(trace))).collect();
    let (classes, sequences) = in_turn(by_class, SEQUENCE_LIMIT);
    ExistingTests { classes, sequences, constants: constants(program, traces.values().flatten()) }
}

/// What each class has, one of each in turn and none twice, until there are `limit` or no more; and how many classes
/// had some. No more are made than one turn too many.
fn in_turn<T: Clone + Ord>(mut by_class: Vec<impl Iterator<Item = T>>, limit: usize) -> (usize, Vec<T>) {
    let (mut known, mut found) = (BTreeSet::new(), Vec::new());
    let mut classes = None;
    while !by_class.is_empty() && found.len() < limit {
        by_class.retain_mut(|items| {
            let new = items.find(|item| known.insert(item.clone()));
            let has_new = new.is_some();
            found.extend(new);
            has_new
        });
        classes.get_or_insert(by_class.len());
    }
    found.truncate(limit);
    (classes.unwrap_or_default(), found)
}

/// What a call of the class's code is worth trying with: what is passed to it, and what tests of it pass to the platform.
fn constants<'a>(program: &Program, traces: impl Iterator<Item = &'a Trace>) -> Vec<Vec<(Literal, u32)>> {
    let mut counts: Vec<BTreeMap<&Literal, u32>> = vec![BTreeMap::new(); program.targets.len()];
    let target_of = |call: &TraceCall| program.targets.binary_search_by(|target| target.name.cmp(&call.owner)).ok();
    for trace in traces {
        let called: BTreeSet<usize> = trace.iter().filter_map(target_of).collect();
        for call in trace {
            let classes = match target_of(call) {
                Some(class) => vec![class],
                None if call.owner.internal().starts_with("java/") => called.iter().copied().collect(),
                None => continue,
            };
            for input in &call.inputs {
                let TraceInput::Literal(literal) = input else { continue };
                if !matches!(literal, Literal::Null(_) | Literal::Boolean(_) | Literal::Class(_)) {
                    classes.iter().for_each(|&class| *counts[class].entry(literal).or_default() += 1);
                }
            }
        }
    }
    let list = |counts: BTreeMap<&Literal, u32>| counts.into_iter().map(|(of, times)| (of.clone(), times)).collect();
    counts.into_iter().map(list).collect()
}

/// The operations of each member: several where it has type variables.
fn index<'a>(operations: impl Iterator<Item = (usize, &'a Operation)>) -> FxHashMap<Key<'a>, Vec<OperationId>> {
    let mut found: FxHashMap<Key<'a>, Vec<OperationId>> = FxHashMap::default();
    for (at, operation) in operations {
        found.entry(key_of(operation)).or_default().push(OperationId(at as u32));
    }
    found
}

type Key<'a> = (OperationKind, &'a ClassName, &'a str, &'a MethodDescriptor);

fn key_of(operation: &Operation) -> Key<'_> {
    (operation.kind, &operation.owner, &operation.name, &operation.descriptor)
}

struct Reader<'a> {
    program: &'a Program,
    index: FxHashMap<Key<'a>, Vec<OperationId>>,
    under_test: BTreeSet<OperationId>,
}

/// A call that sequences can have.
struct Usable {
    operation: OperationId,
    inputs: Vec<Input>,
}

enum Input {
    Literal(Literal),
    /// What an earlier call made, through a cast if there must be one.
    Call(usize, Option<OperationId>),
}

impl Usable {
    fn calls(&self) -> impl Iterator<Item = (usize, usize)> {
        self.inputs.iter().enumerate().filter_map(|(position, input)| match input {
            Input::Call(at, _) => Some((position, *at)),
            Input::Literal(_) => None,
        })
    }
}

impl Reader<'_> {
    fn sequences(&self, trace: &Trace) -> Vec<Sequence> {
        let mut usable: Vec<Option<Usable>> = Vec::with_capacity(trace.len());
        for call in trace {
            let found = self.usable(call, &usable);
            usable.push(found);
        }
        let is_end = |at: &usize| {
            let operation = usable[*at].as_ref().map(|usable| usable.operation);
            operation.is_some_and(|it| self.under_test.contains(&it) && self.operation(it).is_code())
        };
        (0..trace.len()).filter(is_end).filter_map(|end| self.sequence(&usable, end)).collect()
    }

    fn operation(&self, id: OperationId) -> &Operation {
        &self.program.operations[id.0 as usize]
    }

    /// The call as one of an operation of the program, of whose inputs all are known and fit. Of the choices of type
    /// arguments the first that fits is taken, as class files do not tell them.
    fn usable(&self, call: &TraceCall, earlier: &[Option<Usable>]) -> Option<Usable> {
        let operations = match call.kind {
            OperationKind::Array => vec![*self.program.arrays.get(call.descriptor.returns.as_ref()?)?],
            _ => self.find(call, earlier)?,
        };
        operations.into_iter().find_map(|operation| self.usable_as(operation, call, earlier))
    }

    fn usable_as(&self, operation: OperationId, call: &TraceCall, earlier: &[Option<Usable>]) -> Option<Usable> {
        let described = self.operation(operation);
        let is_inner = || self.program.types.get(&described.owner).is_some_and(ClassFacts::is_inner);
        let has_object = described.has_receiver() || (call.kind == OperationKind::Constructor && is_inner());
        let types = described.inputs.iter();
        let types: Vec<&Type> = match call.kind {
            OperationKind::Array => types.cycle().take(call.inputs.len()).collect(),
            _ => types.collect(),
        };
        let input = |(position, (given, of)): (usize, (&TraceInput, &&Type))| match given {
            TraceInput::Literal(Literal::Null(_)) if has_object && position == 0 => None,
            TraceInput::Literal(Literal::Null(_)) => Some(Input::Literal(Literal::Null((*of).clone()))),
            TraceInput::Literal(literal) => self.literal(literal, of).map(Input::Literal),
            TraceInput::Call(at) => self.output(*at, of, earlier),
            TraceInput::Unknown => None,
        };
        let inputs = call.inputs.iter().zip(&types).enumerate().map(input).collect::<Option<Vec<Input>>>()?;
        (inputs.len() == types.len()).then_some(Usable { operation, inputs })
    }

    /// The operations of the member that the class has which the call names, or an ancestor; else that of the receiver's own
    /// class.
    fn find(&self, call: &TraceCall, earlier: &[Option<Usable>]) -> Option<Vec<OperationId>> {
        let in_class = |owner: &ClassName| self.index.get(&(call.kind, owner, &*call.name, &call.descriptor)).cloned();
        if call.kind == OperationKind::Constructor {
            return in_class(&call.owner);
        }
        let inherited =
            |class: &ClassName| self.program.types.ancestry(class).iter().find_map(|facts| in_class(&facts.name));
        inherited(&call.owner).or_else(|| match call.inputs.first() {
            Some(TraceInput::Call(at)) if call.kind == OperationKind::InstanceMethod => {
                inherited(self.operation(earlier[*at].as_ref()?.operation).output.as_ref()?.class_name()?)
            }
            _ => None,
        })
    }

    fn literal(&self, literal: &Literal, of: &Type) -> Option<Literal> {
        let types = &self.program.types;
        let is_nameable = match literal {
            Literal::Class(named) => types.is_type_public(named),
            _ => true,
        };
        (is_nameable && types.is_assignable(&literal.literal_type(), of)).then(|| literal.clone())
    }

    fn output(&self, at: usize, of: &Type, earlier: &[Option<Usable>]) -> Option<Input> {
        let output = self.operation(earlier[at].as_ref()?.operation).output.as_ref()?;
        if self.program.types.is_assignable(output, of) {
            return Some(Input::Call(at, None));
        }
        // The trace does not tell casts: there is one where source needs it.
        let is_reference = !output.is_primitive() && !of.is_primitive();
        let cast = is_reference.then(|| self.program.casts.get(of))??;
        Some(Input::Call(at, Some(*cast)))
    }

    /// The call with what it needs and what may have changed that before; without the latter where that is too much.
    fn sequence(&self, usable: &[Option<Usable>], end: usize) -> Option<Sequence> {
        self.slice(usable, end, true).or_else(|| self.slice(usable, end, false))
    }

    fn slice(&self, usable: &[Option<Usable>], end: usize, with_changes: bool) -> Option<Sequence> {
        let mut needed = vec![false; end + 1];
        needed[end] = true;
        for at in (0..=end).rev() {
            let Some(call) = &usable[at] else { continue };
            let effects = self.program.effects(call.operation);
            needed[at] |=
                with_changes && call.calls().any(|(position, input)| needed[input] && effects.changes(position));
            if needed[at] {
                call.calls().for_each(|(_, input)| needed[input] = true);
            }
        }
        let mut sequence = Sequence::new();
        let mut moved = vec![0; end + 1];
        let mut package = None;
        for at in (0..=end).filter(|&at| needed[at]) {
            let call = usable[at].as_ref()?;
            let casts =
                call.inputs.iter().filter_map(|input| if let Input::Call(_, cast) = input { *cast } else { None });
            for own in casts.chain([call.operation]).filter_map(|operation| self.program.package_of(operation)) {
                if package.get_or_insert_with(|| own.clone()) != &own {
                    return None;
                }
            }
            let push = |input: &Input| match input {
                Input::Literal(literal) => sequence.push_literal(literal.clone()),
                Input::Call(made, None) => moved[*made],
                Input::Call(made, Some(cast)) => sequence.push_call(*cast, &[moved[*made]]),
            };
            let inputs: Vec<usize> = call.inputs.iter().map(push).collect();
            moved[at] = sequence.push_call(call.operation, &inputs);
            if sequence.len() > STATEMENT_LIMIT {
                return None;
            }
        }
        Some(sequence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiled::compile_and_parse;
    use std::sync::LazyLock;
    use testing::{JdkClasses, jdk_classes};

    const SOURCE: &str = "
        package org.junit;
        @java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME) @interface Test {}
        class Base {
            public int count;
            public Base add(int more) { count += more; return this; }
            public int count() { return count; }
        }
        class Sub extends Base {
            Sub(String name) {}
            boolean is(Object other) { return other == this; }
        }
    ";

    static JDK: LazyLock<Option<JdkClasses>> = LazyLock::new(|| jdk_classes("java.base"));

    /// `Base` and `Sub` with a test that has the body; `None` without a JDK to read.
    fn program(body: &str) -> Option<Program> {
        let mut jdk = JDK.clone()?;
        let test = format!("{SOURCE} class T {{ @Test public void test() {{ {body} }} }}");
        let mut classes = compile_and_parse(&test, &[]);
        let tests = classes.split_off(&ClassName::new("org/junit/T"));
        let mut read = |name: &ClassName| bytecode::classfile::parse(&jdk.read(name.internal())?).ok();
        let mut source = |names: &[ClassName]| names.iter().map(&mut read).collect();
        let classes = crate::Classes { targets: &classes, beside: &BTreeMap::new(), tests: &tests, mocks: true };
        Some(crate::read(&classes, &|_, _| true, &|_, _| false, &mut source))
    }

    /// The calls of each sequence of a test with the body.
    fn check(body: &str, expected: &[&str]) {
        let Some(program) = program(body) else { return };
        let name = |id: OperationId| {
            let operation = &program.operations[id.0 as usize];
            if operation.kind == OperationKind::Cast { "cast".to_string() } else { operation.name.to_string() }
        };
        let calls = |sequence: &Sequence| sequence.calls().map(name).collect::<Vec<String>>().join(" ");
        let tests = &program.existing_tests;
        assert_eq!(tests.sequences.iter().map(calls).collect::<Vec<String>>(), expected);
        assert_eq!(tests.classes, usize::from(!expected.is_empty()));
    }

    #[test]
    fn sequence_from_an_existing_test_includes_creation_and_changes_of_inputs() {
        check(
            "Sub sub = new Sub(\"x\"); Sub other = new Sub(\"y\"); sub.add(4); sub.count(); sub.add(5); sub.is(other);",
            &["<init>", "<init>", "<init> add", "<init> add count", "<init> add add", "<init> <init> add add is"],
        );
    }

    #[test]
    fn mined_values_are_cast_where_source_needs_it() {
        check("((Sub) new Sub(\"x\").add(1)).is(null);", &["<init>", "<init> add", "<init> add cast is"]);
    }

    #[test]
    fn call_with_an_unknown_argument_is_not_mined() {
        check(
            "Base base = new Base(); base.add(System.identityHashCode(base)); new Sub(System.getProperty(\"x\")).add(1);
             base.count();",
            &["<init>", "<init> count"],
        );
        check("new Sub(System.getProperty(\"x\")).add(1);", &[]);
    }

    #[test]
    fn long_mined_sequence_omits_earlier_changes() {
        let Some(program) = program(&format!("Base base = new Base(); {} base.count();", "base.add(1);".repeat(30)))
        else {
            return;
        };
        let lengths: Vec<usize> = program.existing_tests.sequences.iter().map(Sequence::len).collect();
        assert_eq!(lengths.iter().max(), Some(&39));
        assert_eq!(lengths.last(), Some(&2), "{lengths:?}");
    }

    #[test]
    fn interleaving_is_lazy_and_deduplicates() {
        let made = std::cell::Cell::new(0);
        let class = |from: u32| (from..from + 1_000).inspect(|_| made.set(made.get() + 1));
        assert_eq!(in_turn(vec![class(0), class(0), class(500)], 7), (3, vec![0, 1, 500, 2, 3, 501, 4]));
        assert!(made.get() < 20, "{}", made.get());
        assert_eq!(in_turn(vec![0..2, 0..2, 0..0, 5..6], 9), (3, vec![0, 1, 5]));
        assert_eq!(in_turn(Vec::<std::ops::Range<u32>>::new(), 9), (0, Vec::new()));
    }

    #[test]
    fn mined_constants_are_arguments_of_existing_tests() {
        let Some(program) = program(
            "Sub sub = new Sub(\"own\"); sub.is(java.util.Arrays.asList(\"listed\", null)); sub.add(7); sub.add(7);
             String text = \"unused\"; if (sub.count() == 8) { text = null; }",
        ) else {
            return;
        };
        let sub = program.targets.iter().position(|target| target.name.simple() == "Sub").unwrap();
        let text = |text: &str| Literal::String(text.into());
        let expected = [(Literal::Int(7), 2), (text("listed"), 1), (text("own"), 1)];
        assert_eq!(program.existing_tests.constants[sub], expected);
    }
}
