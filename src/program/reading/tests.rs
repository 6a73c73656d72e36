//! Which members become operations, and what they are marked as.

use super::*;
use crate::BackDoor;
use crate::compiled::compile_and_parse;
use model::execution::{Observed, Value};
use model::sequence::Sequence;

/// The program of classes that are all under test.
fn read_all(targets: &BTreeMap<ClassName, ClassFile>, source: &mut ClassSource) -> Program {
    let none = BTreeMap::new();
    read(&Classes { targets, beside: &none, tests: &none, mocks: true }, &|_, _| true, source)
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
    let program = read(&classes, &wanted, &mut source);
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
    let program = read(&classes, &|_, _| true, &mut source);
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
