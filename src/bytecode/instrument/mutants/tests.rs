//! Tests of the mutants of a class: which there are, and how a method has them.

use crate::classfile::testing::body;
use crate::classfile::{self, Instruction};
use crate::instrument::tests::compiled;
use crate::instrument::*;
use model::execution::mutant::Mutator;
use model::jvm::ClassName;
use testing::compile;

/// The mutants of a class as `method: MUTATOR` in order, each with how often it follows.
fn mutants_of(class: &[u8]) -> Vec<String> {
    let methods = plan(class).unwrap().methods;
    let mutations = mutants(class, Mutator::DEFAULTS).unwrap();
    mutations.iter().map(|one| format!("{}: {}", methods[usize::from(one.method)].0, one.mutator.name())).collect()
}

fn assert_each_is_made(class: &[u8], found: Vec<Mutation>) {
    for Mutation { method, pc, mutator, .. } in found {
        let mutant = Mutant { class: 0, method, pc, mutator };
        assert_eq!(mutate(class, &Insertion::default(), &[(1, mutant)]).unwrap().numbers, [1]);
    }
}

#[test]
fn class_gets_the_mutants_of_the_default_mutators() {
    let class = compiled(
        "int field;
         int arithmetic(int a) { return -a + a; }
         boolean compare(int a) { return a < 3; }
         long wide(long a) { return a >>> 2; }
         void count() { int i = field; i++; field = i; }
         String text() { return field + \"\"; }
         Object any() { return this; }
         Boolean boxed() { return field == 0; }
         void call() { count(); }",
    );
    let expected = [
        "arithmetic: INVERT_NEGS",
        "arithmetic: MATH",
        "arithmetic: PRIMITIVE_RETURNS",
        "compare: CONDITIONALS_BOUNDARY",
        "compare: NEGATE_CONDITIONALS",
        "compare: TRUE_RETURNS",
        "wide: MATH",
        "wide: PRIMITIVE_RETURNS",
        "count: INCREMENTS",
        "text: EMPTY_RETURNS",
        "any: NULL_RETURNS",
        "boxed: NEGATE_CONDITIONALS",
        "boxed: TRUE_RETURNS",
        "call: VOID_METHOD_CALLS",
    ];
    assert_eq!(mutants_of(&class), expected);
}

#[test]
fn compiler_generated_code_and_equivalent_mutants_are_excluded() {
    let class = compiled(
        "static final int TABLE = fill();
         private static int fill() { return 3 + 4; }
         static int sum(java.util.List<String> texts, int[] numbers) {
             int sum = 0;
             for (String text : texts) sum += text.length();
             for (int number : numbers) sum += number;
             for (int i = 0; i < 3; i++) sum += i;
             return sum;
         }
         static int select(String text) { switch (text) { case \"a\": return 1; default: return 0; } }
         static void check(int a) { assert a > 3; }
         static Object nothing() { return null; }
         static void log() { java.util.logging.Logger.getGlobal().info(\"\"); }
         static boolean yes() { return true; }
         static void close(AutoCloseable a) throws Exception { try {
             a.wait();
         } finally { a.close(); } }",
    );
    let expected = [
        // Of each loop its sum, of the one that was written out its condition too.
        "sum: MATH",
        "sum: MATH",
        "sum: CONDITIONALS_BOUNDARY",
        "sum: NEGATE_CONDITIONALS",
        "sum: MATH",
        "sum: PRIMITIVE_RETURNS",
        "select: PRIMITIVE_RETURNS",
        "yes: FALSE_RETURNS",
        "close: VOID_METHOD_CALLS",
        "close: VOID_METHOD_CALLS",
    ];
    assert_eq!(mutants_of(&class), expected);
}

#[test]
fn further_mutators_leave_out_calls_and_take_what_lies_next_to_it() {
    let class = compiled(
        "int f;
         String m(String a, String b, java.util.List<String> list, long c) {
             list.add(a);
             f = Math.max(f, 3);
             return a.concat(b).trim() + list.get(7) + c;
         }",
    );
    let further = |one: &Mutation| !one.mutator.is_default();
    let found = mutants(&class, &Mutator::ALL).unwrap().into_iter().filter(further);
    let found: Vec<&str> = found.map(|one| one.mutator.name()).collect();
    let expected = [
        "WRONG_VARIABLE",
        "NON_VOID_METHOD_CALLS",
        "TRUE_CALLS",
        "INLINE_CONSTS",
        "EXPERIMENTAL_ARGUMENT_PROPAGATION",
        "LAST_ARGUMENT",
        "NON_VOID_METHOD_CALLS",
        "SIBLING_CALLS",
        "EXPERIMENTAL_MEMBER_VARIABLE",
        "WRONG_VARIABLE",
        "WRONG_VARIABLE",
        "EXPERIMENTAL_ARGUMENT_PROPAGATION",
        "EXPERIMENTAL_NAKED_RECEIVER",
        "EXPERIMENTAL_NAKED_RECEIVER",
        "INLINE_CONSTS",
    ];
    let mut sorted = (found.clone(), expected.to_vec());
    sorted.0.sort();
    sorted.1.sort();
    assert_eq!(sorted.0, sorted.1, "{found:?}");
}

#[test]
fn further_mutators_confuse_fields_and_sides_of_times_and_forget_conditions() {
    let class = compiled(
        "int f, g; static int h; String s; java.util.Set<String> t; java.util.SortedSet<String> u;
         int n() { return s.length() + t.size() + u.size(); }
         boolean m(java.time.LocalDate a, java.util.Date b) { f = 1; h = 2; s = null; return a.isAfter(null) || b.before(b); }",
    );
    let found = mutants(&class, &[Mutator::TrueCalls, Mutator::WrongField, Mutator::TimeBoundary, Mutator::EmptyField])
        .unwrap();
    let found: Vec<&str> = found.iter().map(|one| one.mutator.name()).collect();
    assert_eq!(
        found,
        ["EMPTY_FIELD", "EMPTY_FIELD", "WRONG_FIELD", "TRUE_CALLS", "TIME_BOUNDARY", "TRUE_CALLS", "TIME_BOUNDARY"]
    );
}

#[test]
fn field_of_an_enum_reads_as_its_first_constant() {
    let classes = compile(
        "class C { enum Kind { A, B } Kind kind = Kind.A; Object other; C next;
             Kind m() { return kind; } Object n() { return other; } C o() { return next.next; } }",
        &["-g"],
    );
    let (_, class) = classes.into_iter().find(|(name, _)| !name.contains('$')).unwrap();
    let found = mutants(&class, &[Mutator::EnumField]).unwrap();
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].field_type, Some(ClassName::new("C$Kind")));
}

#[test]
fn conditions_that_end_loops_or_are_called_are_not_forgotten() {
    let class = compiled(
        "boolean m(int a, Object b) { while (a > 0 && b != null) { a--; } return a == 3 && b == this && b.equals(b); }",
    );
    let found = mutants(&class, &[Mutator::ForgottenCondition]).unwrap();
    assert_eq!(found.len(), 2, "{found:?}");
}

#[test]
fn what_a_comparison_guards_is_forgotten_but_not_a_loop() {
    let class = compiled(
        "int m(int a, Object b) {
             if (a < 3) a++; if (a == 0) a++; if (b == null) a++; if (b != null) a++; if (b == this) a++; if (b != this) a++;
             do { a--; } while (a > 0);
             return a;
         }",
    );
    let found = mutants(&class, &[Mutator::ForgottenCase]).unwrap();
    assert_eq!(found.len(), 6, "{found:?}");
    assert_each_is_made(&class, found);
}

#[test]
fn argument_takes_the_place_of_what_a_static_method_makes_of_it_but_not_of_a_view() {
    let class = compiled(
        "static String trimmed(String a) { return a; } String m(String a) { return trimmed(a); }
         Object n(Object a) { return java.util.Objects.requireNonNull(a); }",
    );
    let found = mutants(&class, &[Mutator::ArgumentPropagation]).unwrap();
    assert_eq!(found.iter().map(|one| one.method).collect::<Vec<_>>(), [2]);
}

#[test]
fn last_argument_takes_the_place_of_what_a_static_method_makes_of_two_that_are_alike() {
    let class = compiled(
        "int m(int a) { return Math.max(0, a + 1); }
         long n(long a) { return Math.max(0, a); }
         String o(String a, int b) { return String.join(a, a) + a.concat(a) + Integer.toString(b, 8); }",
    );
    let found = mutants(&class, &[Mutator::LastArgument]).unwrap();
    assert_eq!(found.iter().map(|one| one.method).collect::<Vec<_>>(), [1], "{found:?}");
    assert_each_is_made(&class, found);
}

#[test]
fn wrong_variable_has_the_same_type_and_a_value() {
    // `m` has a receiver, `d` has no value yet where `c` is computed, and none has the type of `x`.
    let class = compiled("int m(int a, long x) { int c = a + 1; { int d = c; c = d; } return c + (int) x; }");
    let found = mutants(&class, &[Mutator::WrongVariable]).unwrap();
    // c = a + 1: only `a` has a value; then d = c, c = d and return c.
    assert_eq!(found.len(), 3, "{found:?}");
    assert_each_is_made(&class, found);
}

#[test]
fn sibling_calls_take_methods_of_the_platform_for_one_another() {
    let class = compiled(
        "boolean m(java.util.List<String> a) { return a.stream().allMatch(one -> true) && a.get(0).equalsIgnoreCase(null); }
         Object n(java.util.Map<String, String> a) { return java.util.Comparator.naturalOrder(); }
         boolean o(String a) { return a.startsWith(a, 1) || a.equals(a); }
         boolean allMatch(Object a) { return allMatch(a); }
         boolean p(java.util.List<String> a, java.util.ArrayList<String> b) { return a.remove(null) | b.remove(\"x\"); }
         void q(java.util.Map<String, String> a) { a.putAll(a); }",
    );
    let found = mutants(&class, &[Mutator::SiblingCalls]).unwrap();
    let methods: Vec<u16> = found.iter().map(|one| one.method).collect();
    assert_eq!(methods, [1, 1, 2, 5, 5, 6]);
    assert_each_is_made(&class, found);
}

#[test]
fn getters_of_a_class_are_taken_for_one_another() {
    let class = compiled(
        "int rows() { return 1; } long size() { return 2; } int columns() { return 3; } static int limit() { return 4; }
         public int hashCode() { return rows(); } int area() { return rows() * columns() + limit() + (int) size(); }",
    );
    let found = mutants(&class, &[Mutator::SiblingCalls]).unwrap();
    let methods: Vec<u16> = found.iter().map(|one| one.method).collect();
    assert_eq!(methods, [5, 6, 6]);
    assert_each_is_made(&class, found);
}

#[test]
fn mutant_is_reached_by_its_preceding_edges() {
    let class = compiled("static int m(int a) { if (a > 3) { return a; } return 5; }");
    let probes = plan(&class).unwrap().probes;
    let reached = |one: &Mutation| one.reached_by.iter().map(|&at| probes[at as usize].kind).collect::<Vec<_>>();
    let found: Vec<_> =
        mutants(&class, Mutator::DEFAULTS).unwrap().iter().map(|one| (one.mutator.name(), reached(one))).collect();
    let expected = [
        ("CONDITIONALS_BOUNDARY", vec![ProbeKind::Entry]),
        ("NEGATE_CONDITIONALS", vec![ProbeKind::Entry]),
        ("PRIMITIVE_RETURNS", vec![ProbeKind::NotTaken]),
        ("PRIMITIVE_RETURNS", vec![ProbeKind::Taken]),
    ];
    assert_eq!(found, expected);
}

/// The bodies of the method `m` by the numbers that its switch knows, and that for other numbers.
fn switched(bytes: &[u8]) -> (Vec<(i32, Vec<String>)>, Vec<String>) {
    let steps = body(&classfile::parse(bytes).unwrap(), "m").steps;
    let Instruction::Switch(switch) = &steps[1].instruction else { panic!("{steps:?}") };
    let mut starts: Vec<usize> = switch.cases.iter().map(|(_, start)| *start).chain([switch.default]).collect();
    starts.sort_unstable();
    starts.dedup();
    let from = |start: usize| {
        let end = starts.iter().copied().find(|other| *other > start).unwrap_or(steps.len());
        // Jumps are told by what they are, as their targets differ.
        let told = |step: &classfile::Step| match &step.instruction {
            Instruction::Branch { condition, .. } => format!("{condition:?}"),
            other => format!("{other:?}"),
        };
        steps[start..end].iter().map(told).collect::<Vec<_>>()
    };
    let cases = switch.cases.iter().map(|(number, start)| (*number, from(*start))).collect();
    (cases, from(switch.default))
}

#[test]
fn mutants_stand_behind_a_switch_with_the_probes_of_the_original() {
    let class = compiled("static int m(int a) { if (a > 3) { return a * 2; } return 5; }");
    let insertion = Insertion { first_probe: 7, ..Insertion::default() };
    let found = mutants(&class, &Mutator::ALL).unwrap();
    let numbered = |(at, of): (usize, &Mutation)| {
        (40 + at as i32, Mutant { class: 0, method: of.method, pc: of.pc, mutator: of.mutator })
    };
    let all: Vec<(i32, Mutant)> = found.iter().enumerate().map(numbered).collect();
    let mutated = mutate(&class, &insertion, &all).unwrap();
    let numbers: Vec<i32> = all.iter().map(|(number, _)| *number).collect();
    assert_eq!(mutated.numbers, numbers);
    let (cases, original) = switched(&mutated.bytes);
    let whole = body(&classfile::parse(&splice(&class, &insertion).unwrap().bytes).unwrap(), "m").steps;
    assert_eq!(original.len(), whole.len());
    let probes = |of: &[String]| of.iter().filter(|one| one.contains("Static")).count();
    for ((number, body), (expected, mutant)) in cases.iter().zip(&all) {
        assert_eq!(number, expected);
        assert_ne!(*body, original, "{mutant:?}");
        assert_eq!(probes(body), probes(&original), "{mutant:?}");
    }
}

#[test]
fn mutants_that_have_no_room_are_left_out() {
    let sums = "a += a * 3; ".repeat(60);
    let class = compiled(&format!("static int m(int a) {{ {sums} return a; }}"));
    let found = mutants(&class, &[Mutator::Math]).unwrap();
    let all: Vec<(i32, Mutant)> = (1..)
        .zip(&found)
        .map(|(number, of)| (number, Mutant { class: 0, method: of.method, pc: of.pc, mutator: of.mutator }))
        .collect();
    assert_eq!(all.len(), 120);
    let some = mutate(&class, &Insertion::default(), &all).unwrap().numbers;
    assert!((10..60).contains(&some.len()), "{}", some.len());
    assert_eq!(some, (1..=some.len() as i32).collect::<Vec<_>>());
    // Two bodies do not fit, yet there is a mutant.
    let class = compiled(&format!("static int m(int a) {{ {} return a; }}", sums.repeat(20)));
    assert!(!mutate(&class, &Insertion::default(), &all[..4]).unwrap().numbers.is_empty());
}

#[test]
fn data_of_enum_constants_is_known_with_the_code_that_reads_it() {
    let classes = compile(
        "enum C { A(1), B(2); private final int n; C(int n) { this.n = n; } int next() { return n + 1; }
            static class Near { int of(C c) { return c == null ? 0 : c.n; } } }",
        &["-g"],
    );
    let class = |name: &str| &classes.iter().find(|(of, _)| **of == *format!("{name}.class")).unwrap().1;
    let data = enum_data(class("C")).unwrap().unwrap();
    assert_eq!((data.constants, &data.fields[..]), (2, &["n".into()][..]));
    assert!(enum_data(class("C$Near")).unwrap().is_none());
    let owner = ClassName::new("C");
    let reads = |name: &str| reads_of_fields(class(name), &plan(class(name)).unwrap(), &owner).unwrap();
    assert_eq!(reads("C").len(), 1);
    // Behind the condition, not at the entry.
    let plan = plan(class("C$Near")).unwrap();
    let behind = |probe: &u32| plan.probes[*probe as usize].kind;
    let near = reads("C$Near");
    assert_eq!(near.len(), 1);
    assert_eq!(near[0].reached_by.iter().map(behind).collect::<Vec<_>>(), [ProbeKind::Taken]);
}
