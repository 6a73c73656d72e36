//! Which members become operations, and what they are marked as.

use super::*;
use crate::BackDoor;
use crate::compiled::compile_and_parse;
use model::execution::{Observed, Value};
use model::sequence::Sequence;

/// The program of classes that are all under test.
fn read_all(targets: &BTreeMap<ClassName, ClassFile>, source: &mut ClassSource) -> Program {
    let none = BTreeMap::new();
    read(&Classes { targets, beside: &none, tests: &none, mocks: true }, &|_, _| true, &|_, _| false, source)
}

#[test]
fn fields_that_are_not_public_are_no_operations() {
    let classes = compile_and_parse(
        "public class Source {
            public int open; protected int half; int inner; private int own;
            public static Source first; static Source shared = new Source();
        }",
        &[],
    );
    let mut source = |names: &[ClassName]| vec![None; names.len()];
    let program = read_all(&classes, &mut source);
    let own = program.targets[0].operations.iter().map(|id| &program.operations[id.0 as usize]);
    let names: Vec<&str> = own.map(|operation| &*operation.name).collect();
    assert_eq!(names, ["open", "open", "first", "<init>"]);
    assert!(program.skipped.is_empty());
}

#[test]
fn methods_that_start_a_container_are_not_called() {
    let classes = compile_and_parse(
        "package org.springframework.boot;
        class SpringApplication {
            public static void run(Object of, String[] arguments) {}
            static class Main { static void main(String[] arguments) { SpringApplication.run(Main.class, arguments); } }
        }",
        &[],
    );
    let mut source = |names: &[ClassName]| vec![None; names.len()];
    let program = read_all(&classes, &mut source);
    let is_main = |skipped: &&Skipped| skipped.member.as_ref().is_some_and(|member| member.contains("Main.main("));
    let reasons: Vec<&SkipReason> = program.skipped.iter().filter(is_main).map(|skipped| &skipped.reason).collect();
    assert_eq!(reasons, [&SkipReason::StartsContainer]);
}

#[test]
fn results_of_libraries_are_shown_by_their_getters() {
    let mut classes = compile_and_parse(
        "public class Source {
            public Response<Message> send() { return null; }
            public String text() { return null; }
            public static class Message {
                public int getSize() { return 0; }
                public int getSize(int of) { return of; }
                public void clear() { }
            }
            public static class Response<T extends Message> extends Message {
                public T getBody() { return null; }
                public boolean hasBody() { return true; }
                @Deprecated public int getCode() { return 0; }
                public Response<T> copy() { return this; }
                String getSecret() { return null; }
            }
        }",
        &[],
    );
    let names = ["Source$Message", "Source$Response"].map(ClassName::new);
    let library: BTreeMap<ClassName, ClassFile> =
        names.into_iter().filter_map(|name| classes.remove_entry(&name)).collect();
    let mut source = |names: &[ClassName]| names.iter().map(|name| library.get(name).cloned()).collect();
    let program = read_all(&classes, &mut source);
    let getters: Vec<&Operation> = program.result_getters.iter().map(|id| &program.operations[id.0 as usize]).collect();
    assert_eq!(getters.iter().map(|it| &*it.name).collect::<Vec<_>>(), ["getBody", "hasBody", "getSize"]);
    assert_eq!(getters[0].output, Some(Type::class("Source$Message")));
}

#[test]
fn back_doors_are_what_callers_elsewhere_cannot_use() {
    let classes = compile_and_parse(
        "public class Source {
            public static Shelf shelf() { return new Shelf(1); }
            protected void restock() {}
            void audit() { count(); }
            private int count() { return 1; }
            void forgotten() { Runnable hidden = () -> count(); hidden.run(); }
            public void open() { audit(); }
            static class Till { public void ring() {} }
            protected static class Door { protected Door() {} }
        }
        class Shelf extends Wood { Shelf(int size) {} public void put() {} void move() {} public static void build() {} }
        class Wood { public void saw() {} }",
        &[],
    );
    let mut source = |names: &[ClassName]| vec![None; names.len()];
    let program = read_all(&classes, &mut source);
    let under_test = program.targets.iter().flat_map(|target| &target.operations);
    let closed = under_test.filter(|id| program.operations[id.0 as usize].back_door);
    let shown = |id: &OperationId| {
        let BackDoor { is_called, code } = &program.back_doors[id];
        let called = if *is_called { "called" } else { "not called" };
        let code: Vec<&str> = code.iter().map(|method| &*method.name).collect();
        format!("{} {called}: {}", program.operations[id.0 as usize], code.join(", "))
    };
    let shown: Vec<String> = closed.map(shown).collect();
    let expected = [
        "Shelf(int) called: <init>",
        "Shelf.move() not called: move",
        "Shelf.build() not called: build",
        "Source.audit() called: audit, count",
        "Source.forgotten() not called: count, forgotten, lambda$forgotten$0",
        "Source$Till() not called: <init>",
        "Source$Till.ring() not called: ring",
        "Wood() called: <init>",
    ];
    assert_eq!(shown, expected);
}

#[test]
fn members_for_the_surrounding_code_are_internal_and_deprecated_ones_marked() {
    let classes = compile_and_parse(
        "public class Source {
            public void open() {}
            protected void restock() {}
            void audit() {}
            @Deprecated public void haggle() {}
        }
        abstract class Base { void grow() {} public void print() {} static void util() {} }
        class Helper { void help() {} protected void learn() {} }",
        &[],
    );
    let mut source = |names: &[ClassName]| vec![None; names.len()];
    let program = read_all(&classes, &mut source);
    let methods = || program.operations.iter().filter(|operation| operation.kind != OperationKind::Constructor);
    let internal = methods().filter(|operation| operation.internal).map(|operation| &*operation.name);
    assert_eq!(internal.collect::<BTreeSet<_>>(), BTreeSet::from(["audit", "grow", "learn", "restock"]));
    let deprecated = methods().filter(|operation| operation.deprecated).map(|operation| &*operation.name);
    assert_eq!(deprecated.collect::<Vec<_>>(), ["haggle"]);
}

#[test]
fn abstract_method_has_the_names_of_one_that_overrides_it() {
    let classes = compile_and_parse(
        "interface Source { void open(int first, int second); void close(int how); }
        abstract class Base { public void open(int high, int wide) {} }
        class Door extends Base implements Source {
            public void open(int height, int width) {}
            public void close(int hard) {}
        }
        class Gate extends Door {}",
        &["-g"],
    );
    let mut source = |names: &[ClassName]| vec![None; names.len()];
    let program = read_all(&classes, &mut source);
    let of_source = program.operations.iter().filter(|one| one.owner.internal() == "Source");
    let names: Vec<String> = of_source.map(|one| one.parameter_names.join(", ")).collect();
    assert_eq!(names, ["height, width", "hard"]);
}

#[test]
fn classes_beside_those_under_test_make_prepare_and_pass_on() {
    let all = compile_and_parse(
        "public class Source {
            public static class Garden extends Place {
                private Plot plot;
                public Plot getPlot() { return plot; }
                public void setPlot(Plot plot) { this.plot = plot; }
                public void plant(Plant plant) {}
                public int size() { return 0; }
            }
            public static class Place { public int visitors() { return 0; } public int size() { return 0; } }
            public static class Plot { public Plot(int size) {} public void water(int litres) {} public void look() {} }
            public interface Plant { Plant seed(int number); }
            public static class Rose implements Plant { public Plant seed(int number) { return this; } }
        }",
        &[],
    );
    let (targets, beside) = all.into_iter().partition(|(name, _)| name.internal() == "Source$Garden");
    let mut source = |names: &[ClassName]| vec![None; names.len()];
    let program = read(
        &Classes { targets: &targets, beside: &beside, tests: &BTreeMap::new(), mocks: true },
        &|_, _| true,
        &|_, _| false,
        &mut source,
    );
    let own = program.targets[0].operations.iter().map(|id| program.operations[id.0 as usize].to_string());
    let expected = [
        "Source$Garden()",
        "Source$Garden.getPlot()",
        "Source$Garden.setPlot(Source$Plot)",
        "Source$Garden.plant(Source$Plant)",
        "Source$Garden.size()",
        "Source$Garden.visitors()",
    ];
    assert_eq!(own.collect::<Vec<_>>(), expected);
    let others: Vec<String> = program.operations.iter().map(|operation| operation.to_string()).collect();
    for maker in ["Source$Plot(int)", "Source$Plot.water(int)", "Source$Rose()"] {
        assert!(others.iter().any(|other| other == maker), "{maker} is not in {others:?}");
    }
    assert!(!others.iter().any(|other| other == "Source$Plot.look()"));
}

#[test]
fn inherited_methods_are_those_that_are_wanted_and_not_overridden() {
    let all = compile_and_parse(
        "public class Source {
            public static class Garden extends Place implements Closeable {
                public Small size() { return null; }
                public void shut() {}
            }
            public interface Closeable { void close(); }
            public static class Size {}
            public static class Small extends Size {}
            public static class Place {
                public Size size() { return null; }
                public void close() {}
                public void shut() {}
                public int visitors() { return 0; }
            }
            public interface Yard extends Fenced { int width(); }
            public interface Fenced { int height(); }
        }",
        &[],
    );
    let is_target = |name: &str| ["Source$Garden", "Source$Closeable", "Source$Yard"].contains(&name);
    let (targets, beside) = all.into_iter().partition(|(name, _)| is_target(name.internal()));
    let mut source = |names: &[ClassName]| vec![None; names.len()];
    let classes = Classes { targets: &targets, beside: &beside, tests: &BTreeMap::new(), mocks: true };
    let wanted = |class: &ClassName, member: &str| {
        member != "visitors" && (class.internal() != "Source$Garden" || member != "shut")
    };
    let program = read(&classes, &wanted, &|_, _| false, &mut source);
    let own = |class: &str| {
        let target = program.targets.iter().find(|target| target.name.internal() == class).unwrap();
        let operations = target.operations.iter().map(|id| &program.operations[id.0 as usize]);
        operations.map(|it| format!("{it} {}", it.owner_is_interface)).collect::<Vec<_>>()
    };
    assert_eq!(
        own("Source$Garden"),
        ["Source$Garden() false", "Source$Garden.size() false", "Source$Garden.close() false"]
    );
    assert_eq!(own("Source$Yard"), ["Source$Yard.width() true", "Source$Yard.height() true"]);
}

#[test]
fn what_makes_objects_from_others_of_their_class_is_no_maker() {
    let all = compile_and_parse(
        "public class Source {
            public static Money round(Money money) { return money; }
            public static class Money { public static Money of(int cents) { return null; } private Money() {} }
            public static Purse open() { return new Purse(); }
            public static int count(Purse purse) { return 0; }
            public static class Purse { Purse() {} public void fill(Money money) {} }
        }",
        &[],
    );
    let (targets, beside) = all.into_iter().partition(|(name, _)| name.internal() == "Source");
    let mut source = |names: &[ClassName]| vec![None; names.len()];
    let classes = Classes { targets: &targets, beside: &beside, tests: &BTreeMap::new(), mocks: true };
    let program = read(&classes, &|_, _| true, &|_, _| false, &mut source);
    let operations: Vec<String> = program.operations.iter().map(|operation| operation.to_string()).collect();
    for added in ["Source$Money.of(int)", "Source$Purse.fill(Source$Money)"] {
        assert!(operations.iter().any(|one| one == added), "{added} is not in {operations:?}");
    }
}

/// A class with a type parameter that is asked for with two type arguments, of which one is not public.
const GENERIC: &str = "public class Source<T extends Source.Base> {
    public Source() {}
    public T get() { return null; }
    public static void open(Source<Left> of) {}
    static void keep(Source<Hidden> of) {}
    public void put(T of) {}
    public static class Base { public Base() {} }
    public static class Left extends Base { public Left() {} }
    static class Hidden extends Base { Hidden() {} }
}";

#[test]
fn type_argument_that_one_package_may_name_binds_the_operation_to_it() {
    let classes = compile_and_parse(GENERIC, &[]);
    let program = read_all(&classes, &mut |names: &[ClassName]| vec![None; names.len()]);
    let package_of = |is_it: &dyn Fn(&Operation) -> bool| {
        let at = program.operations.iter().position(is_it).expect("there is such an operation");
        program.package_of(OperationId(at as u32))
    };
    let package_of_maker = |made: &str| {
        package_of(&|operation: &Operation| {
            operation.kind == OperationKind::Constructor
                && operation.output.as_ref().is_some_and(|output| output.to_string() == made)
        })
    };
    assert_eq!(package_of_maker("Source<Source$Left>"), None);
    assert_eq!(package_of_maker("Source<Source$Hidden>"), Some(String::new()));
    let package_of_put = |argument: &str| {
        package_of(&|operation: &Operation| &*operation.name == "put" && operation.inputs[1] == Type::class(argument))
    };
    assert_eq!(package_of_put("Source$Left"), None);
    assert_eq!(package_of_put("Source$Hidden"), Some(String::new()));
}

#[test]
fn value_of_another_class_than_the_type_argument_is_not_as_declared() {
    let classes = compile_and_parse(GENERIC, &[]);
    let program = read_all(&classes, &mut |names: &[ClassName]| vec![None; names.len()]);
    let returns_left =
        |operation: &Operation| &*operation.name == "get" && operation.output == Some(Type::class("Source$Left"));
    let get = program.operations.iter().position(returns_left).expect("the type argument is the result's type");
    let mut sequence = Sequence::new();
    let made = sequence.push_call(OperationId(0), &[]);
    let got = sequence.push_call(OperationId(get as u32), &[made]);
    let is_as_declared = |class: &str| {
        let value = Value::Object { class: Type::class(class), observed: Observed::Nothing };
        program.is_as_declared(&sequence, got, &value)
    };
    assert!(is_as_declared("Source$Left") && program.is_as_declared(&sequence, got, &Value::Null));
    assert!(!is_as_declared("Source$Hidden"));
    assert!(is_as_declared("Unknown"), "it may be a subclass");
}

#[test]
fn classes_that_are_their_own_ancestors_are_read() {
    let mut classes = compile_and_parse("class Ring { Object inner; Ring() {} } class Other extends Ring { }", &[]);
    classes.get_mut(&ClassName::new("Ring")).unwrap().super_class = Some(ClassName::new("Other"));
    let mut source = |names: &[ClassName]| vec![None; names.len()];
    assert_eq!(read_all(&classes, &mut source).targets.len(), 2);
}

const TOLD: &str = "public class Source {
    public @interface DoNotTest {}
    public @interface TestValues { String[] value(); }
    public @interface TestObjectFactory {}
    public @interface ThrowsOnPurpose { Class<?>[] value() default {}; }
    public enum Size { S, L }
    @DoNotTest public int code;
    public Source(int drawers) {}
    @DoNotTest public Source() {}
    public static Source of(int number) { return null; }
    @DoNotTest public void reset() {}
    public void add(@TestValues({\"2\", \"many\", \"-1\"}) int amount, @TestValues({\"S\", \"XL\"}) Size size, int other) {}
    public class Drawing { public Drawing(@TestValues(\"3\") int depth) {} }
    public void file(@TestValues(\"2\") int[] sizes) {}
    @ThrowsOnPurpose(IllegalStateException.class) public void close() {
        throw new IllegalStateException();
    }
    public void close(int times) {
        close();
    }
    @DoNotTest public static class Mailer { public static class Queue {} }
    public interface Drawer {}
    public static class Maker {
        @TestObjectFactory public static Drawer drawer() { return null; }
        @TestObjectFactory public static Source shop(int drawers) { return null; }
    }
}";

/// The program of the class and those nested in it.
fn program_with_annotations() -> Program {
    let none = BTreeMap::new();
    let mut targets = compile_and_parse(TOLD, &[]);
    let beside: BTreeMap<_, _> = targets
        .iter()
        .filter(|(name, _)| name.simple() == "Source$Maker")
        .map(|(name, file)| (name.clone(), file.clone()))
        .collect();
    targets.retain(|name, _| ["Source", "Source$Drawer", "Source$Drawing", "Source$Size"].contains(&name.simple()));
    let classes = Classes { targets: &targets, beside: &beside, tests: &none, mocks: true };
    read(&classes, &|_, _| true, &|_, _| false, &mut |names: &[ClassName]| vec![None; names.len()])
}

#[test]
fn annotations_leave_members_out_and_name_factories() {
    let program = program_with_annotations();
    let of_source = program.operations.iter().filter(|operation| operation.owner.internal().starts_with("Source"));
    let mut names: Vec<String> = of_source.map(|operation| operation.to_string()).collect();
    names.sort();
    let expected = [
        "Source$Drawing(Source, int)",
        "Source$Maker.drawer()",
        "Source$Maker.shop(int)",
        "Source$Size.L",
        "Source$Size.S",
        "Source$Size.values()",
        "Source.add(int, Source$Size, int)",
        "Source.close()",
        "Source.close(int)",
        "Source.file(int[])",
        "Source.of(int)",
    ];
    assert_eq!(names, expected);
}

#[test]
fn inputs_have_no_other_values_than_those_of_their_annotations() {
    let program = program_with_annotations();
    let at = |name: &str| {
        let found = program.operations.iter().position(|operation| operation.to_string().starts_with(name));
        OperationId(found.expect("there is such an operation") as u32)
    };
    let (add, size) = (at("Source.add("), at("Source$Size.S"));
    let values = |of, input| program.told.limit_of(of, input).map(|limit| limit.values().len());
    assert_eq!(values(add, 1), Some(2), "one text is no number");
    assert_eq!(values(add, 2), Some(1), "there is no other constant");
    let allows = |amount: Literal, size: OperationId| {
        let mut sequence = Sequence::new();
        let source = sequence.push_literal(Literal::Null(Type::class("Source")));
        let inputs = [source, sequence.push_literal(amount), sequence.push_call(size, &[])];
        let other = sequence.push_literal(Literal::Int(9));
        sequence.push_call(add, &[&inputs[..], &[other]].concat());
        program.told.allows(&sequence)
    };
    assert!(allows(Literal::Int(-1), size) && allows(Literal::Int(2), size));
    assert!(!allows(Literal::Int(3), size) && !allows(Literal::Int(2), at("Source$Size.L")));
}

#[test]
fn parameter_of_inner_class_is_limited() {
    let program = program_with_annotations();
    let drawing = program.operations.iter().position(|operation| operation.owner.simple() == "Source$Drawing");
    let drawing = OperationId(drawing.expect("there is such an operation") as u32);
    assert!(program.told.limit_of(drawing, 0).is_none() && program.told.limit_of(drawing, 1).is_some());
}

#[test]
fn elements_of_an_array_have_no_other_values_than_those_of_the_annotation() {
    let program = program_with_annotations();
    let file = program.operations.iter().position(|operation| operation.to_string().starts_with("Source.file("));
    let file = OperationId(file.expect("there is such an operation") as u32);
    let array = program.arrays[&Type::Array(Type::INT.into())];
    let allows = |sizes: &[i32]| {
        let mut sequence = Sequence::new();
        let source = sequence.push_literal(Literal::Null(Type::class("Source")));
        let sizes: Vec<usize> = sizes.iter().map(|&size| sequence.push_literal(Literal::Int(size))).collect();
        let sizes = sequence.push_call(array, &sizes);
        sequence.push_call(file, &[source, sizes]);
        program.told.allows(&sequence)
    };
    assert!(allows(&[]) && allows(&[2, 2]));
    assert!(!allows(&[2, 3]));
}

#[test]
fn exception_is_on_purpose_where_it_leaves_the_overload_with_the_annotation() {
    use model::execution::{StackFrame, Thrown};
    let program = program_with_annotations();
    let is_on_purpose = |class: &str, line: i32| {
        let class = ClassName::new(class);
        let frame = StackFrame { class: ClassName::new("Source"), method: "close".to_string(), line };
        let superclasses = vec![class.clone(), ClassName::new("java/lang/RuntimeException")];
        program.throws_on_purpose(&Thrown {
            nameable: class.clone(),
            class,
            superclasses,
            message: None,
            stack: vec![frame],
        })
    };
    let line = |part: &str| TOLD.lines().position(|line| line.contains(part)).unwrap() as i32 + 1;
    let (annotated, other) = (line("throw new IllegalStateException"), line("        close();"));
    assert!(is_on_purpose("java/lang/IllegalStateException", annotated));
    assert!(!is_on_purpose("java/lang/NullPointerException", annotated));
    assert!(!is_on_purpose("java/lang/IllegalStateException", other));
}

#[test]
fn class_is_left_out_with_those_nested_in_it() {
    let classes = compile_and_parse(TOLD, &[]);
    let left_out = classes_left_out(classes.iter().map(|(name, file)| (name, Some(file))));
    let left_out: Vec<&str> = left_out.iter().map(ClassName::internal).collect();
    assert_eq!(left_out, ["Source$Mailer", "Source$Mailer$Queue"]);
}

#[test]
fn contract_methods_are_checks_and_no_operations() {
    let classes = compile_and_parse(
        "import java.lang.annotation.*;
        public class Source extends Base {
            @CheckRep boolean repOk() { return true; }
            @CheckRep private boolean own() { return true; }
            @CheckRep boolean fits(int size) { return true; }
            @CheckRep static boolean works() { return true; }
            public void checkSize() {}
            public int size() { return 0; }
            public boolean isValid() { return true; }
            @Retention(RetentionPolicy.CLASS) @interface CheckRep {}
        }
        class Base { @Source.CheckRep public boolean isValid() { return false; } }",
        &[],
    );
    let none = BTreeMap::new();
    let classes = Classes { targets: &classes, beside: &none, tests: &none, mocks: true };
    let named = |class: &ClassName, method: &str| class.internal() == "Source" && method.starts_with("check");
    let program = read(&classes, &|_, _| true, &named, &mut |names: &[ClassName]| vec![None; names.len()]);
    let shown = |ids: &[OperationId]| -> Vec<String> {
        ids.iter().map(|id| program.operations[id.0 as usize].to_string()).collect()
    };
    assert_eq!(shown(&program.contract_methods), ["Base.isValid()", "Source.checkSize()", "Source.repOk()"]);
    let (source, base) = (ClassName::new("Source"), ClassName::new("Base"));
    assert_eq!(
        shown(&program.contract_methods_of(&source)),
        ["Source.checkSize()", "Source.repOk()", "Base.isValid()"]
    );
    assert_eq!(shown(&program.contract_methods_of(&base)), ["Base.isValid()"]);
    let own = shown(&program.target(&source).unwrap().operations);
    assert_eq!(own, ["Source()", "Source.fits(int)", "Source.works()", "Source.size()"]);
    assert!(program.contract_methods.iter().all(|id| !program.operations[id.0 as usize].internal));
    let skipped: Vec<&str> = program.skipped.iter().filter_map(|skipped| skipped.member.as_deref()).collect();
    assert_eq!(skipped, ["Source.own()"]);
}
