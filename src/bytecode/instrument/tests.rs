//! Splicing of classes made by javac and of those of the running JDK.

use super::*;
use crate::classfile::instruction::{Comparison, Condition, InvokeKind, Number, Order, StackOperation};
use crate::classfile::structure::read_head;
use crate::classfile::testing::{body, references};
use crate::classfile::writer::ClassWriter;
use crate::classfile::{self, EncodedConstant, EncodedInstruction, EncodedMethod, Instruction, Offset, encode_all};
use testing::{compile, jdk_classes};

/// Bodies of `code` as a static method `m` of a class without frames.
fn class_with(descriptor: &str, max_stack: u16, max_locals: u16, code: &[u8]) -> Vec<u8> {
    let mut writer = ClassWriter::new("p/Made", "java/lang/Object", &[], 0x21, 49);
    writer.add_method(access::STATIC, "m", descriptor, &NewCode { max_stack, max_locals, bytes: code });
    writer.finish().unwrap()
}

fn branch(condition: Condition, by: i32) -> EncodedInstruction<'static> {
    Instruction::Branch { condition, target: Offset { by, is_wide: false } }
}

fn kinds(bytes: &[u8]) -> Vec<ProbeKind> {
    plan(bytes).unwrap().probes.iter().map(|probe| probe.kind).collect()
}

/// Names of the probe methods that the spliced code of method `name` calls, in order.
fn calls(bytes: &[u8], name: &str) -> Vec<String> {
    calls_of(PROBES, bytes, name)
}

/// Likewise of another class of the worker.
fn calls_of(owner: &str, bytes: &[u8], name: &str) -> Vec<String> {
    let spliced = classfile::parse(&splice(bytes, &Insertion::default()).unwrap().bytes).unwrap();
    references(&body(&spliced, name)).into_iter().filter(|call| call.0 == owner).map(|call| call.1).collect()
}

/// Likewise of the tracer's methods, where calls are traced.
fn traced(bytes: &[u8], name: &str) -> Vec<String> {
    let spliced =
        classfile::parse(&splice(bytes, &Insertion { first_method: Some(0), ..Insertion::default() }).unwrap().bytes)
            .unwrap();
    references(&body(&spliced, name)).into_iter().filter(|call| call.0 == TRACER).map(|call| call.1).collect()
}

pub(super) fn compiled(body: &str) -> Vec<u8> {
    compile(&format!("class C {{ {body} }}"), &["-g"]).remove(0).1
}

#[test]
fn every_jump_kind_passes_its_operands_to_its_hook() {
    let class = compiled(
        "static int m(int a, int b, Object x, Object y, long l, float f, double d) {
            if (a < b) return 1;
            if (a != 0) return 2;
            if (x == y) return 3;
            if (x == null) return 4;
            if (l > 5L && f < 1f) return 5;
            while (d >= 2) d--;
            return 6;
        }",
    );
    let expected =
        ["hit", "icmpge", "ifeq", "acmpne", "ifnonnull", "longs", "ifle", "floats", "ifge", "doubles", "iflt"];
    assert_eq!(calls(&class, "m"), expected);
}

#[test]
fn switch_has_a_probe_per_target_and_a_value_hook() {
    let class =
        compiled("static int m(int a) { switch (a) { case 1: return 3; case 2: case 3: return 4; } return 5; }");
    assert_eq!(calls(&class, "m"), ["hit", "switchOn", "hit", "hit", "hit"]);
}

#[test]
fn arrays_that_are_made_or_copied_are_counted_by_their_elements() {
    let class = compiled(
        "static Object m(int n, byte[] a, String[] b) {
            char[] made = new char[n];
            Object[] texts = new Object[n];
            int[][] table = new int[n][n];
            a = java.util.Arrays.copyOf(a, n);
            return java.util.Arrays.copyOf(b, n, Object[].class);
        }",
    );
    assert_eq!(calls(&class, "m"), ["hit", "elements", "elements", "elements"]);
}

#[test]
fn calls_of_the_platform_that_take_arrays_are_counted_by_their_elements() {
    let class = compiled(
        "static Object m(java.util.zip.CRC32 sum, byte[] bytes, char[] text, int n) {
            sum.update(bytes);
            sum.update(bytes, 0, n);
            System.arraycopy(text, 0, text, 1, n);
            sum.update(n);
            return new String(text);
        }",
    );
    assert_eq!(calls(&class, "m"), ["hit", "elementsOf", "elements", "elements", "elementsOf"]);
}

#[test]
fn added_members_follow_existing_members() {
    let class = compiled("int a; static void m() {}");
    let before = classfile::parse(&class).unwrap();
    let after = classfile::parse(&with_added_members(&class).unwrap()).unwrap();
    let names = |class: &classfile::ClassFile| {
        let fields = class.fields.iter().map(|field| field.name.to_string());
        let methods = class.methods.iter().map(|method| method.name.to_string());
        (fields.collect::<Vec<_>>(), methods.collect::<Vec<_>>())
    };
    let ((mut fields, mut methods), added) = (names(&before), names(&after));
    fields.push("$coverageData".to_string());
    methods.push("$coverageInit".to_string());
    assert_eq!(added, (fields, methods));
    assert!(after.methods.last().unwrap().access & access::SYNTHETIC != 0);
    let interface = compile("interface I { int A = 1; }", &[]).remove(0).1;
    assert_eq!(with_added_members(&interface).unwrap(), interface);
}

#[test]
fn methods_that_the_compiler_adds_have_no_edges() {
    let methods = |source: &str| -> Vec<String> {
        let plan = plan(&compile(source, &["--release", "17"]).remove(0).1).unwrap();
        let entered = plan.probes.iter().filter(|probe| probe.kind == ProbeKind::Entry);
        entered.map(|probe| plan.methods[usize::from(probe.method)].0.to_string()).collect()
    };
    assert_eq!(methods("record R(int a) { public String toString() { return \"\"; } }"), ["<init>", "toString", "a"]);
    assert_eq!(methods("enum E { A; int size() { return 1; } }"), ["<init>", "size", "<clinit>"]);
    let annotations = "@interface By { int value(); } @interface Made { By[] by(); char at(); Class<?> as(); }
        @interface ToolGenerated { }";
    let marked = "@Made(by = {@By(1), @By(2)}, at = 'c', as = int.class) @ToolGenerated";
    let class = format!("class A {{ {marked} int a() {{ return 1; }} @By(3) int b() {{ return 2; }} }} {annotations}");
    assert_eq!(methods(&class), ["<init>", "b"]);
    assert_eq!(methods(&format!("{marked} class A {{ int a() {{ return 1; }} }} {annotations}")), [""; 0]);
}

#[test]
fn writes_of_static_fields_are_announced_but_by_the_initialiser() {
    let source = "class C { static int a = Integer.getInteger(\"a\"); int b; void m() { b = 1; a = 2; D.c = a; } }
        class D { static int c; }";
    let class = compile(source, &[]).remove(0).1;
    assert_eq!(calls(&class, "m"), ["hit", "staticWrite", "staticWrite"]);
    assert_eq!(calls(&class, "<clinit>"), ["hit"]);
}

#[test]
fn string_comparisons_and_environment_dependent_calls_are_hooked() {
    let class = compiled(
        "static boolean m(String a, Object b, java.util.Map<String, String> map) {
            long now = System.currentTimeMillis();
            Object random = new java.util.Random();
            Object fixed = new java.util.Random(5L);
            random = a.getClass().getResource(a);
            return a.equals(b) | a.startsWith(\"x\") | b.equals(a) | map.containsKey(a) | a.charAt(0) == 'c' | b.hashCode() == now;
        }",
    );
    let calls: Vec<String> = calls(&class, "m").into_iter().filter(|name| name.len() > 5 && name != "icmpne").collect();
    let expected = ["currentTimeMillis", "unseeded", "resource", "strings", "strings", "strings", "lookup"];
    assert_eq!(calls, expected);
}

#[test]
fn reader_of_a_text_is_told_texts_that_it_reads() {
    let class = compiled(
        "static Object m(String text) {
            Object day = java.time.LocalDate.parse(text);
            day = new java.math.BigDecimal(text);
            return Integer.parseInt(text, 8) + Integer.parseInt(text);
        }",
    );
    // Who reads with a radix is told nothing.
    assert_eq!(calls_of(QUESTIONS, &class, "m"), ["reads"; 3]);
}

#[test]
fn number_of_the_machine_is_replaced_by_another() {
    let class = compiled(
        "static long m(Runtime r, boolean b) { r.gc(); return b ? r.freeMemory() / r.availableProcessors() : r.maxMemory(); }",
    );
    assert_eq!(calls_of(MACHINE, &class, "m"), ["freeMemory", "availableProcessors", "maxMemory"]);
}

#[test]
fn draws_and_variables_of_the_environment_are_the_workers() {
    let class = compiled(
        "static Object m(String name) throws Exception {
            double drawn = Math.random() + java.util.concurrent.ThreadLocalRandom.current().nextInt() + new java.util.SplittableRandom().nextInt();
            Object generator = java.security.SecureRandom.getInstance(name);
            Thread.sleep(5);
            return System.getenv(name) + System.getenv();
        }",
    );
    let told = ["random", "random", "random", "unseeded", "sleep", "environment"];
    let calls: Vec<String> = calls(&class, "m").into_iter().filter(|name| told.contains(&&**name)).collect();
    assert_eq!(calls, told);
    assert_eq!(calls_of(MACHINE, &class, "m"), ["getenv"]);
}

#[test]
fn name_that_is_looked_for_among_the_constants_of_an_enum_is_hooked() {
    let class = compiled(
        "static Object m(String name) {
            Object unit = Enum.valueOf(java.util.concurrent.TimeUnit.class, name);
            unit = java.util.concurrent.TimeUnit.valueOf(name);
            return Integer.valueOf(name);
        }",
    );
    assert_eq!(calls(&class, "m"), ["hit", "lookup", "enumName"]);
}

#[test]
fn traced_method_reports_its_inputs_and_every_exit() {
    let class = compiled("public String m(int a, long b, String[] c) { if (b > a) return c[a]; return null; }");
    let entered = ["enter", "receiver", "argument", "argument", "argument"];
    assert_eq!(traced(&class, "m"), [&entered[..], &["element", "returned", "returned", "threw"]].concat());
    let class = compiled("static synchronized void m(double a, byte b) { }");
    assert_eq!(traced(&class, "m"), ["enter", "argument", "argument", "left", "threw"]);
    let class = compiled("private int m(int a) { return a; }");
    assert_eq!(traced(&class, "m"), ["pass", "left", "threw"]);
}

#[test]
fn traced_constructor_reports_its_object_after_the_super_call() {
    let class = compiled("C(Object a) { super(); }");
    assert_eq!(traced(&class, "<init>"), ["enterConstructor", "argument", "begun", "made", "threw"]);
    let class = compiled("private C(int a) { }");
    assert_eq!(traced(&class, "<init>"), ["construct", "begun", "left", "threw"]);
    // Objects that its arguments are made of have constructors too.
    let class = compile("class C extends Exception { C() { super(new String(new char[0])); } }", &[]).remove(0).1;
    assert_eq!(traced(&class, "<init>"), ["enterConstructor", "begun", "made", "threw"]);
}

#[test]
fn text_that_the_platform_makes_is_told() {
    let class = compiled(
        "static String m(String a, int b) { return a + b; }
         static String n(String a) { return a.isEmpty() ? a.trim() : a.substring(1); }
         static Object o(StringBuilder a) { return a.append(1).insert(0, 'x').length(); }
         static Object p(Object a) { return a.toString(); }",
    );
    assert_eq!(calls(&class, "m"), ["hit", "text"]);
    assert_eq!(calls(&class, "n"), ["hit", "ifeq", "text", "text"]);
    assert_eq!(calls(&class, "o"), ["hit", "text"]);
    assert_eq!(calls(&class, "p"), ["hit"]);
}

#[test]
fn traced_code_reports_reads() {
    let class = compiled(
        "int f; static long s;
         private int m(int[] a, C c) { s = 1L; return c.f + a[0] + a.length; }",
    );
    assert_eq!(traced(&class, "m"), ["pass", "read", "element", "length", "left", "threw"]);
    let class = compiled("private void m(int[] a) { a.clone(); java.util.Arrays.hashCode(a); a.hashCode(); }");
    assert_eq!(traced(&class, "m"), ["pass", "whole", "whole", "left", "threw"]);
}

#[test]
fn watched_loop_tells_what_it_takes_from_round_to_round() {
    let class = compiled(
        "static int m(int a, long b, Object unused) {
            int sum = 0;
            while (b > 0) { int square = a * a; b -= square; for (int i = 0; i < a; i++) sum += i; }
            return sum;
        }
        static int each(java.util.List<String> all) { int n = 0; for (String one : all) n++; return n; }
        static void waiting(Object a) throws Exception { while (a != null) Thread.sleep(1); }
        static void server(Object a) { while (true) a.hashCode(); }",
    );
    let spliced = splice(&class, &Insertion { loops: true, ..Insertion::default() }).unwrap();
    let spliced = classfile::parse(&spliced.bytes).unwrap();
    let told = |name: &str| -> Vec<String> {
        let calls = references(&body(&spliced, name)).into_iter().filter(|call| call.0 == "randgen/runtime/Loops");
        calls.map(|call| call.1).collect()
    };
    let (entered, begin) = ("entered", "begin");
    let inner = [begin, "variable", "variable", "variable", "end"];
    let outer = [begin, "variable", "variable", "variable", "end"];
    assert_eq!(told("m"), [&[entered][..], &outer, &inner].concat());
    for unwatched in ["each", "waiting", "server"] {
        assert_eq!(told(unwatched), [entered], "{unwatched}");
    }
}

#[test]
fn tracing_keeps_the_probes() {
    let class = compiled("static int m(int a) { return a > 0 ? 1 : m(a + 1); }");
    let probes = |first_method| {
        let spliced = splice(&class, &Insertion { first_method, ..Insertion::default() }).unwrap();
        let spliced = classfile::parse(&spliced.bytes).unwrap();
        references(&body(&spliced, "m")).into_iter().filter(|call| call.0 == PROBES).collect::<Vec<_>>()
    };
    assert_eq!(probes(None), probes(Some(7)));
}

#[test]
fn clock_calls_and_clock_method_references_are_redirected() {
    let class = compiled(
        "static long m() { return System.currentTimeMillis() + System.nanoTime() + System.identityHashCode(null); }
         static java.util.function.LongSupplier now() { return System::nanoTime; }",
    );
    let owners = |bytes: &[u8]| {
        let calls = references(&body(&classfile::parse(bytes).unwrap(), "m"));
        calls.into_iter().map(|(owner, name)| format!("{owner}.{name}")).collect::<Vec<_>>()
    };
    let probes = "randgen/runtime/Probes";
    let mut expected = [
        format!("{probes}.currentTimeMillis"),
        format!("{probes}.nanoTime"),
        "java/lang/System.identityHashCode".to_string(),
    ];
    expected.sort();
    let stilled = still(&class).unwrap();
    let mut found = owners(&stilled);
    found.sort();
    assert_eq!(found, expected);
    let handle = |bytes: &[u8]| {
        let mut reader = Reader::new(bytes);
        let constants = read_head(&mut reader).unwrap().pool;
        (0..constants.count() as u16)
            .filter_map(|index| constants.handle_index(index).and_then(|member| constants.member(member)).ok())
            .any(|member| member.class == probes && member.name == "nanoTime")
    };
    assert!(handle(&stilled) && !handle(&class));
    // Once led there, nothing is left to lead.
    assert!(matches!(still(&stilled).unwrap(), std::borrow::Cow::Borrowed(_)));
    // The clock notes itself that it is read.
    assert!(!calls(&class, "m").contains(&"environment".to_string()));
    let other = compiled("static int m() { return 1; }");
    assert_eq!(*still(&other).unwrap(), *other);
}

#[test]
fn unlocking_handler_has_no_probe() {
    let class = compiled("static void m(Object a) { synchronized (a) { a.notify(); } }");
    let own: Vec<ProbeKind> = kinds(&class)[1..].to_vec();
    assert_eq!(own, [ProbeKind::Entry]);
    let class = compiled("static void m(Object a) { try { a.notify(); } finally { a.hashCode(); } }");
    assert_eq!(kinds(&class)[1..], [ProbeKind::Entry, ProbeKind::Handler]);
}

#[test]
fn only_an_unconditional_loop_has_an_iteration_probe() {
    assert_eq!(kinds(&compiled("static void m() { while (true) m(); }"))[1..], [ProbeKind::Entry, ProbeKind::Loop]);
    let counted = kinds(&compiled("static void m(int a) { for (int i = 0; i < a; i++) m(i); }"));
    assert_eq!(counted[1..], [ProbeKind::Entry, ProbeKind::NotTaken, ProbeKind::Taken, ProbeKind::Boundary]);
}

#[test]
fn probes_have_lines_and_numbers_from_the_given_start() {
    let class = compiled("static int m(int a) {\n return a > 0 ?\n 1 : 2; }");
    let plan = plan(&class).unwrap();
    let shown: Vec<_> = plan.probes.iter().map(|probe| (probe.method, probe.pc, probe.line)).collect();
    assert_eq!(shown[1..], [(1, 0, Some(2)), (1, 1, Some(2)), (1, 1, Some(2)), (1, 1, Some(2))]);
    assert_eq!(&*plan.methods[1].0, "m");
    for first_probe in [0, 32_766, 70_000] {
        let spliced =
            classfile::parse(&splice(&class, &Insertion { first_probe, ..Insertion::default() }).unwrap().bytes)
                .unwrap();
        let steps = body(&spliced, "m").steps;
        // The number of the constructor's entry comes before.
        for expected in [first_probe + 1, first_probe + 2] {
            let number = model::jvm::Literal::Int(expected as i32);
            assert!(steps.iter().any(|step| step.instruction.literal() == Some(&number)), "{steps:?}");
        }
    }
}

#[test]
fn bridges_and_methods_with_subroutines_are_not_instrumented() {
    let class =
        compile("class C implements Comparable<C> { public int compareTo(C c) { return 0; } }", &[]).remove(0).1;
    assert_eq!(kinds(&class), [ProbeKind::Entry, ProbeKind::Entry]);
    let subroutine = [
        Instruction::JumpSubroutine { target: Offset { by: 4, is_wide: false } },
        Instruction::Return(None),
        Instruction::Stack(StackOperation::Pop),
        Instruction::Return(None),
    ];
    let class = class_with("()V", 1, 1, &encode_all(&subroutine));
    let spliced = splice(&class, &Insertion::default()).unwrap();
    assert_eq!(spliced.bytes, class);
    assert_eq!(spliced.skipped_methods[0].reason, SkipReason::Subroutines);
}

#[test]
fn uninitialized_object_is_not_passed_to_a_hook() {
    let mut writer = ClassWriter::new("p/Made", "java/lang/Object", &[], 0x21, 49);
    let made = Instruction::New(writer.pool.class("p/Made"));
    let code = encode_all(&[made, branch(Condition::Null, 3), Instruction::Return(None)]);
    writer.add_method(access::STATIC, "m", "()V", &NewCode { max_stack: 2, max_locals: 0, bytes: &code });
    assert_eq!(kinds(&writer.finish().unwrap()), [ProbeKind::Entry]);
}

#[test]
fn oversized_method_keeps_the_probes_that_fit() {
    // 5,000 comparisons of longs: 25,000 bytes, 19 more each with the hook of the comparison, 8 with that of the jump.
    let zero = Instruction::Constant(EncodedConstant::Implicit(Number::Long, 0));
    let is_zero = branch(Condition::Zero(Order::Equal), 3);
    let comparison = [zero, zero, Instruction::Compare(Comparison::Long), is_zero];
    let method =
        |comparisons: usize| encode_all(&[&comparison.repeat(comparisons)[..], &[Instruction::Return(None)]].concat());
    let reasons = |comparisons| {
        let class = class_with("()V", 4, 0, &method(comparisons));
        let reasons: Vec<_> = plan(&class).unwrap().skipped_methods.iter().map(|skipped| skipped.reason).collect();
        reasons
    };
    assert_eq!(reasons(2_000), []);
    assert_eq!(reasons(4_000), [SkipReason::WithoutSites]);
    assert_eq!(reasons(8_000), [SkipReason::EntryOnly]);
    assert_eq!(reasons(10_922), [SkipReason::TooLarge]);
}

#[test]
fn method_with_a_jump_out_of_range_gets_only_an_entry_probe() {
    // A jump over 32,000 bytes; each `ifeq` in between would make it longer.
    let mut code = vec![Instruction::Goto { target: Offset { by: 32_763, is_wide: false } }];
    let zero = Instruction::Constant(EncodedConstant::Implicit(Number::Int, 0));
    code.extend([zero, branch(Condition::Zero(Order::Equal), 3)].repeat(8_190));
    code.push(Instruction::Return(None));
    let class = class_with("()V", 2, 0, &encode_all(&code));
    assert_eq!(plan(&class).unwrap().skipped_methods[0].reason, SkipReason::EntryOnly);
}

#[test]
fn replaced_method_bodies_are_written() {
    let class = compiled("void exit(int a) { System.exit(a); } int other() { return 1; }");
    let code = |pool: &mut PoolWriter| {
        let method = EncodedMethod { index: pool.method_ref(PROBES, "environment", "()V"), slots: 0 };
        encode_all(&[Instruction::Invoke { kind: InvokeKind::Static, method }, Instruction::Return(None)])
    };
    let replacement = Replacement { name: "exit", descriptor: "(I)V", max_stack: 1, max_locals: 2, code: &code };
    let replaced = classfile::parse(&replace_bodies(&class, &[replacement]).unwrap()).unwrap();
    assert_eq!(references(&body(&replaced, "exit")).len(), 1);
    let missing = Replacement { name: "gone", descriptor: "()V", max_stack: 1, max_locals: 1, code: &code };
    assert!(matches!(replace_bodies(&class, &[missing]), Err(InstrumentError::NoSuchMethod { .. })));
}

#[test]
fn every_jdk_class_is_instrumented() {
    let Some(classes) = jdk_classes("java.base") else { return };
    classes.check_each(check_instrumenting);
}

/// Probes can be spliced into all of its methods, and the result can be parsed.
fn check_instrumenting(name: &str, bytes: &[u8]) {
    let spliced = splice(bytes, &Insertion { first_probe: 100_000, ..Insertion::default() });
    let spliced = spliced.unwrap_or_else(|error| panic!("{name}: {error}"));
    let class = classfile::parse(&spliced.bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(name, class.name.internal());
    assert_eq!(spliced.skipped_methods, [], "{name}");
}

#[test]
fn class_file_with_a_changed_byte_never_panics_the_instrumenter() {
    let class = compiled(
        "static int m(String s, long l, int i) {
            switch (s) { case \"a\": return 1; default: }
            try { while (l > 5) { if (i == 3) m(s, l--, i + 1); } } catch (RuntimeException e) { i = new int[2].length; }
            return new C() == null ? 1 : i;
        }",
    );
    for at in 0..class.len() {
        for value in [0, 1, 0x7F, 0x80, 0xFF, class[at] ^ 1, class[at].wrapping_add(1)] {
            let mut changed = class.clone();
            changed[at] = value;
            let _ = splice(&changed, &Insertion::default());
        }
        assert!(splice(&class[..at], &Insertion::default()).is_err());
    }
}

#[test]
fn comparisons_of_values_are_hooked() {
    let class = compiled(
        "boolean m(java.time.LocalDate a, java.math.BigDecimal b, Comparable<String> c) {
            return a.isBefore(a) | b.compareTo(b) > 0 | a.equals(a) | c.compareTo(null) > 0; }",
    );
    let kinds: Vec<ProbeKind> = plan(&class).unwrap().probes.iter().map(|probe| probe.kind).collect();
    let count = |kind| kinds.iter().filter(|one| **one == kind).count();
    // Two by order, and two jumps by order; one by equality, and the texts that a `Comparable` may be.
    assert_eq!((count(ProbeKind::Boundary), count(ProbeKind::Site)), (4, 4));
}
