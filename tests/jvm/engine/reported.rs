//! What a run reports: values, exceptions, edges, and the operands of comparisons.

use super::{one_call, point, run};
use crate::subject::Subject;
use model::execution::described::Described;
use model::execution::{Detail, Execution, Observed, Outcome, Value};
use model::jvm::{ClassName, Literal, Primitive, Type};
use model::sequence::Sequence;
use testing::for_each_jdk;

#[test]
fn values_of_all_types_round_trip_exactly() {
    for_each_jdk(|jdk| {
        let mut subject = point();
        let create = subject.constructor("sample/Point", "(I)V");
        let twice = subject.method("sample/Point", "twice", "()I");
        let shift = subject.method("sample/Point", "move", "(I)V");
        let get = subject.field("sample/Point", "x", "I");
        let describe =
            subject.static_method("sample/Point", "describe", "(Ljava/lang/String;JCDFZBS)Ljava/lang/String;");
        let boxed = subject.static_method("sample/Point", "boxed", "()Ljava/lang/Integer;");
        let numbers = subject.static_method("sample/Point", "numbers", "()[I");
        let names = subject.static_method("sample/Point", "names", "()Ljava/util/Collection;");
        let holes = subject.static_method("sample/Point", "holes", "()Ljava/util/Map;");
        let state = subject.static_method("sample/Point", "state", "()Ljava/lang/Thread$State;");
        let strings = subject.array(Type::string());
        let cast = subject.cast(Type::class("java/util/List"));

        let mut sequence = Sequence::new();
        let three = sequence.push_literal(Literal::Int(3));
        let made = sequence.push_call(create, &[three]);
        sequence.push_call(twice, &[made]);
        sequence.push_call(shift, &[made, three]);
        sequence.push_call(get, &[made]);
        let text = sequence.push_literal(Literal::String("é\u{1F600}".into()));
        let arguments = [
            Literal::Long(i64::MIN),
            Literal::Char('ß' as u16),
            Literal::double(-0.0),
            Literal::float(1.5),
            Literal::Boolean(true),
            Literal::Byte(-1),
            Literal::Short(-2),
        ];
        let mut inputs = vec![text];
        inputs.extend(arguments.into_iter().map(|literal| sequence.push_literal(literal)));
        sequence.push_call(describe, &inputs);
        sequence.push_call(boxed, &[]);
        sequence.push_call(numbers, &[]);
        let list = sequence.push_call(names, &[]);
        sequence.push_call(state, &[]);
        let null = sequence.push_literal(Literal::Null(Type::string()));
        sequence.push_call(strings, &[text, null]);
        sequence.push_call(holes, &[]);
        sequence.push_call(cast, &[list]);

        let mut executor = subject.executor(jdk);
        let observed = run(&mut executor, &sequence, Detail::Observe);
        assert_eq!(observed.outcome, Outcome::Completed);
        let text = || Literal::String("é\u{1F600}".into());
        let object = |class: &str, observed| Value::Object { class: Type::class(class), observed };
        assert_eq!(observed.values[1], object("sample/Point", Observed::Nothing));
        assert_eq!(observed.values[2], Value::Literal(Literal::Int(6)));
        assert_eq!(observed.values[3], Value::Void);
        assert_eq!(observed.values[4], Value::Literal(Literal::Int(6)));
        let described = "é\u{1F600}-9223372036854775808ß-0.01.5true-1-2";
        assert_eq!(observed.values[13], Value::Literal(Literal::String(described.into())));
        assert_eq!(observed.values[14], object("java/lang/Integer", Observed::boxed(Literal::Int(5))));
        let ints = Type::array(Type::Primitive(Primitive::Int));
        let array = |of: &Type, elements: Vec<Described>| Value::Object {
            class: of.clone(),
            observed: Observed::Value(Described::Array(of.clone(), elements)),
        };
        let elements = [1, 2, 3].map(|number| Described::Literal(Literal::Int(number))).to_vec();
        assert_eq!(observed.values[15], array(&ints, elements));
        let Value::Object { observed: names, .. } = &observed.values[16] else { panic!("{:?}", observed.values[16]) };
        assert_eq!(names.size(), Some(2));
        let state = Described::Constant(ClassName::new("java/lang/Thread$State"), "NEW".to_string());
        assert_eq!(observed.values[17], object("java/lang/Thread$State", Observed::Value(state)));
        assert_eq!(observed.values[18], Value::Null);
        let strings = Type::array(Type::string());
        assert_eq!(observed.values[19], array(&strings, vec![Described::Literal(text()), Described::Null]));
        assert_eq!(observed.values.len(), 22);
        assert_eq!(observed.holding_null, [19, 20]);

        let searched = run(&mut executor, &sequence, Detail::Search);
        assert_eq!(searched.values[13], object("java/lang/String", Observed::Nothing));
        assert_eq!(searched.holding_null, [0; 0]);
        assert_eq!(searched.states.len(), 2);
        assert_eq!(searched.states[0], searched.states[1]);
        assert!(searched.states[0].is_some());
    });
}

#[test]
fn exception_is_reported_with_class_message_and_stack() {
    for_each_jdk(|jdk| {
        let mut subject = point();
        let fail = subject.static_method("sample/Point", "fail", "(Ljava/lang/String;)V");
        let mut sequence = Sequence::new();
        let why = sequence.push_literal(Literal::String("because".into()));
        sequence.push_call(fail, &[why]);
        let execution = run(&mut subject.executor(jdk), &sequence, Detail::Observe);
        let Outcome::Threw { statement: 1, exception } = &execution.outcome else { panic!("{execution:?}") };
        assert_eq!(exception.class, ClassName::new("java/lang/IllegalStateException"));
        assert_eq!(exception.nameable, exception.class);
        assert_eq!(exception.superclasses.last(), Some(&ClassName::new("java/lang/Throwable")));
        assert_eq!(exception.message.as_ref().map(ToString::to_string).as_deref(), Some("because"));
        assert_eq!(exception.stack.len(), 1, "{:?}", exception.stack);
        assert_eq!((&*exception.stack[0].method, exception.stack[0].line), ("fail", 22));
    });
}

#[test]
fn a_run_goes_on_behind_a_rejected_call_and_only_there() {
    for_each_jdk(|jdk| {
        let mut subject = point();
        let create = subject.constructor("sample/Point", "(I)V");
        let fail = subject.static_method("sample/Point", "fail", "(Ljava/lang/String;)V");
        let twice = subject.method("sample/Point", "twice", "()I");
        let mut sequence = Sequence::new();
        let three = sequence.push_literal(Literal::Int(3));
        let point = sequence.push_call(create, &[three]);
        let why = sequence.push_literal(Literal::String("because".into()));
        sequence.push_call(fail, &[why]);
        sequence.push_call(twice, &[point]);
        let mut executor = subject.executor(jdk);
        let threw = |run: &Execution| matches!(run.outcome, Outcome::Threw { statement: 3, .. });

        let ended = run(&mut executor, &sequence, Detail::Observe);
        assert!(threw(&ended), "{ended:?}");
        assert_eq!((ended.values.len(), ended.states.len()), (3, 2));

        let gone_on = run(&mut executor, &sequence.clone().going_on_after(4), Detail::Observe);
        assert!(threw(&gone_on), "{gone_on:?}");
        assert_eq!(gone_on.values[3..], [Value::Null, Value::Literal(Literal::Int(6))]);

        sequence.push_call(fail, &[why]);
        sequence.push_call(twice, &[point]);
        let twice_ended = run(&mut executor, &sequence.going_on_after(4), Detail::Observe);
        assert!(threw(&twice_ended), "{twice_ended:?}");
        assert_eq!(twice_ended.values.len(), 5);
    });
}

#[test]
fn a_package_private_member_is_called_and_a_missing_one_does_not_link() {
    for_each_jdk(|jdk| {
        let mut subject = point();
        let create = subject.constructor("sample/Point", "(I)V");
        let hidden = subject.hidden_method("sample/Point", "hidden", "()I");
        let missing = subject.method("sample/Point", "missing", "()I");
        let absent = subject.static_method("sample/Absent", "call", "()I");
        let mut sequence = Sequence::new();
        let three = sequence.push_literal(Literal::Int(3));
        let made = sequence.push_call(create, &[three]);
        let mut other = sequence.clone();
        sequence.push_call(hidden, &[made]);
        other.push_call(missing, &[made]);
        let mut none = Sequence::new();
        none.push_call(absent, &[]);
        let mut literal = Sequence::new();
        literal.push_literal(Literal::Class(Type::class("sample/Absent")));
        let mut executor = subject.executor(jdk);
        assert_eq!(run(&mut executor, &sequence, Detail::Search).values[2], Value::Literal(Literal::Int(7)));
        for (sequence, at) in [(other, 2), (none, 0), (literal, 0)] {
            let execution = run(&mut executor, &sequence, Detail::Search);
            let Outcome::Unlinkable { statement, .. } = execution.outcome else { panic!("{execution:?}") };
            assert_eq!(statement, at);
        }
    });
}

#[test]
fn edges_are_reported_once_in_search_and_always_when_observed() {
    for_each_jdk(|jdk| {
        let mut subject = point();
        let loop_ = subject.static_method("sample/Point", "loop", "(I)I");
        let sequence = |times| {
            let mut sequence = Sequence::new();
            let times = sequence.push_literal(Literal::Int(times));
            sequence.push_call(loop_, &[times]);
            sequence
        };
        let mut executor = subject.executor(jdk);
        let first = run(&mut executor, &sequence(5), Detail::Search);
        // Entry, loop continued five times, loop left once, with equal operands.
        assert_eq!(first.edges.iter().map(|hit| hit.bucket).collect::<Vec<_>>(), [0, 3, 0, 0], "{:?}", first.edges);
        assert_eq!(first.cost, 7);
        assert_eq!(run(&mut executor, &sequence(5), Detail::Search).edges, []);
        let more = run(&mut executor, &sequence(9), Detail::Search);
        assert_eq!(more.edges.iter().map(|hit| hit.bucket).collect::<Vec<_>>(), [4]);
        assert_eq!(run(&mut executor, &sequence(5), Detail::Observe).edges, first.edges);
    });
}

#[test]
fn comparison_operands_and_environment_reads_are_seen() {
    for_each_jdk(|jdk| {
        let mut subject = point();
        let compare = subject.static_method("sample/Point", "compare", "(ILjava/lang/String;J)I");
        let now = one_call(&mut subject, "sample/Point", "now", "()J");
        let has = subject.static_method("sample/Point", "has", "(Ljava/lang/String;)Z");
        let mut sequence = Sequence::new();
        let inputs = [Literal::Int(17), Literal::String("abc".into()), Literal::Long(5)]
            .map(|literal| sequence.push_literal(literal));
        sequence.push_call(compare, &inputs);
        let mut executor = subject.executor(jdk);
        let execution = run(&mut executor, &sequence, Detail::Search);
        let pairs: Vec<(Literal, Literal)> =
            execution.comparisons.into_iter().map(|comparison| (comparison.left, comparison.right)).collect();
        assert!(pairs.contains(&(Literal::Int(17), Literal::Int(4711))), "{pairs:?}");
        assert!(pairs.contains(&(Literal::Long(5), Literal::Long(9_000_000_000))), "{pairs:?}");
        let strings = (Literal::String("abc".into()), Literal::String("magic".into()));
        assert!(pairs.contains(&strings), "{pairs:?}");
        assert!(!execution.environment_dependent);
        assert_eq!(run(&mut executor, &sequence, Detail::Search).comparisons, []);
        // Eight pairs are new to a worker whatever they are; after them only those that are clearly nearer.
        let reported: Vec<bool> = [1, 2, 3, 4, 5, 6, 7, 8, 9, 100, 4000, 4001, 4700]
            .into_iter()
            .map(|value| {
                let mut sequence = Sequence::new();
                let inputs = [Literal::Int(value), Literal::String("abc".into()), Literal::Long(5)]
                    .map(|literal| sequence.push_literal(literal));
                sequence.push_call(compare, &inputs);
                !run(&mut executor, &sequence, Detail::Search).comparisons.is_empty()
            })
            .collect();
        let expected = [true, true, true, true, true, true, true, true, false, false, true, false, true];
        assert_eq!(reported, expected);
        let now = run(&mut executor, &now, Detail::Search);
        assert!(now.timed && !now.environment_dependent);
        // Only what may come to lie at the class path's root elsewhere is up to the environment.
        for (name, is_environment) in
            [("/nothing", true), ("/", true), ("nothing", false), ("/sample/Point.class", false)]
        {
            let mut sequence = Sequence::new();
            let name = sequence.push_literal(Literal::String(name.into()));
            sequence.push_call(has, &[name]);
            assert_eq!(run(&mut executor, &sequence, Detail::Search).environment_dependent, is_environment);
        }
    });
}

const LOTS: &str = r#"
package sample;
import java.security.SecureRandom;
import java.util.Random;
public class Lots {
    private static final SecureRandom SHARED = new SecureRandom();
    private final Random random = new Random();
    public static int kept() { return new Lots().hashCode() * 0; }
    public static int drawn() { return new Lots().random.nextInt(6) * 0; }
    public static int seeded() { Lots lots = new Lots(); lots.random.setSeed(5); return lots.random.nextInt(6) * 0; }
    public static int given(Random given) { return (given != null ? given : new Random()).nextInt(6) * 0; }
    public static int own() { return given(null); }
    public static int others() { return given(new Random(5)); }
    static Object either(boolean isOther, Object other) { return isOther ? other : new Random(); }
    public static int none() { return either(true, null) == null ? 1 : 2; }
    public static int text() { return either(true, "a").toString().length(); }
    public static int gaussian() { return (int) new Random().nextGaussian() * 0; }
    public static int bytes() { byte[] made = new byte[4]; SHARED.nextBytes(made); return made.length; }
    public static int elsewhere() {
        Random random = new Random();
        return java.util.concurrent.CompletableFuture.supplyAsync(() -> random.nextInt(6)).join() * 0;
    }
    static final Random STATIC = new Random();
    public static int staticSeeded() { STATIC.setSeed(5); return STATIC.nextInt(6) * 0; }
    public static int staticDrawn() { return STATIC.nextInt(6) * 0; }
    public static int chosen(boolean own) { return (own ? new Random() : new Random(5)).nextInt(6) * 0; }
    public static int fixed() { return chosen(false); }
    public static int free() { return chosen(true); }
    public static int shared() { return SHARED.nextInt(6) * 0; }
    public static int made(int elements) { return new byte[elements].length; }
    public static int copied() { return java.util.Arrays.copyOf(new byte[0], 640_000).length; }
    public static int small() { return made(10); }
    public static int large() { return made(6_400_000); }
}
"#;

#[test]
fn generator_of_random_numbers_depends_on_the_time_once_it_is_drawn_from_unseeded() {
    for_each_jdk(|jdk| {
        let mut subject = Subject::new(&[("sample/Lots", LOTS)]);
        let calls = [
            ("kept", false),
            ("drawn", true),
            ("seeded", false),
            ("fixed", false),
            ("free", true),
            ("shared", true),
            ("own", true),
            ("others", false),
            ("none", false),
            ("text", false),
            ("gaussian", true),
            ("bytes", true),
            ("elsewhere", true),
            ("staticSeeded", false),
            ("staticDrawn", true),
        ];
        let call = |(name, expected)| (one_call(&mut subject, "sample/Lots", name, "()I"), name, expected);
        let calls = calls.map(call);
        let mut executor = subject.executor(jdk);
        // The class is initialised once, by the first.
        for _ in 0..2 {
            for (sequence, name, expected) in &calls {
                let execution = run(&mut executor, sequence, Detail::Search);
                assert_eq!(execution.timed, *expected, "{name}");
                // What other threads draw is up to the machine.
                assert_eq!(execution.environment_dependent, *name == "elsewhere", "{name}");
            }
        }
    });
}

#[test]
fn memory_that_is_cleared_or_copied_costs() {
    for_each_jdk(|jdk| {
        let mut subject = Subject::new(&[("sample/Lots", LOTS)]);
        let calls = ["small", "large", "copied"].map(|name| one_call(&mut subject, "sample/Lots", name, "()I"));
        let mut executor = subject.executor(jdk);
        run(&mut executor, &calls[0], Detail::Search);
        let [small, large, copied] = calls.map(|sequence| run(&mut executor, &sequence, Detail::Search).cost);
        assert_eq!((small, large, copied), (2, 100_002, 10_001));
    });
}

const TABLES: &str = r#"
package sample;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
public class Tables {
    static class Key { }
    enum Colour { RED, BLUE }
    static Set<Object> of(Object... keys) { Set<Object> set = new HashSet<>(); for (Object key : keys) set.add(key); return set; }
    public static Set<Object> two() { return of(new Key(), new Key()); }
    public static Set<Object> one() { return of(new Key()); }
    public static Set<Object> texts() { return of("a", "b"); }
    public static Set<Object> constants() { return of(Colour.RED, Colour.BLUE); }
    public static Map<Object, String> table() { Map<Object, String> map = new HashMap<>(); map.put(Colour.RED, "r"); map.put(Colour.BLUE, "b"); return map; }
    public static String join(Set<Object> set) { return set.size() + " keys"; }
    public static String get(Map<Object, String> map) { return map.get(Colour.RED); }
    public static String text(Map<Object, String> map) { return map.size() + " entries"; }
}
"#;

#[test]
fn texts_made_of_tables_in_the_order_of_identities_are_not_observed() {
    for_each_jdk(|jdk| {
        let mut subject = Subject::new(&[("sample/Tables", TABLES)]);
        let set = "Ljava/util/Set;";
        let map = "Ljava/util/Map;";
        let calls = [
            ("two", set, "join", false),
            ("one", set, "join", true),
            ("texts", set, "join", true),
            ("constants", set, "join", false),
            ("table", map, "get", true),
            ("table", map, "text", false),
        ];
        let mut sequences = Vec::new();
        for (maker, of, user, is_observed) in calls {
            let made = subject.static_method("sample/Tables", maker, &format!("(){of}"));
            let used = subject.static_method("sample/Tables", user, &format!("({of})Ljava/lang/String;"));
            let mut sequence = Sequence::new();
            let table = sequence.push_call(made, &[]);
            sequence.push_call(used, &[table]);
            sequences.push((sequence, maker, is_observed));
        }
        let mut executor = subject.executor(jdk);
        for (sequence, maker, is_observed) in &sequences {
            let execution = run(&mut executor, sequence, Detail::Observe);
            assert_eq!(
                matches!(execution.values[1], Value::Literal(_)),
                *is_observed,
                "{maker}: {:?}",
                execution.values
            );
        }
    });
}

const SHELF: &str = r#"
package sample;
import java.util.*;
public class Shelf {
    public static boolean has(String one, String other) {
        Map<String, Integer> prices = new LinkedHashMap<>();
        prices.put(one, 1);
        Set<Object> keys = new TreeSet<Object>() { };
        keys.add(one);
        return prices.containsKey(other) | keys.contains(other);
    }

    private static final Map<?, ?> TRUTH = table(entry("true"), entry("yes"), entry("on"), entry("false"), entry("no"));

    private static Map.Entry<String, Boolean> entry(String word) {
        return new AbstractMap.SimpleEntry<>(word, true);
    }

    /** As `Map.of` makes it, which Java 8 has not. */
    private static Map<?, ?> table(Map.Entry<?, ?>... entries) {
        try {
            return (Map<?, ?>) Map.class.getMethod("ofEntries", Map.Entry[].class).invoke(null, (Object) entries);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    public static boolean truth(String word) {
        return Boolean.TRUE.equals(TRUTH.get(word));
    }
}
"#;

#[test]
fn keys_are_compared_with_those_that_a_collection_of_the_platform_has() {
    for_each_jdk(|jdk| {
        let mut subject = Subject::new(&[("sample/Shelf", SHELF)]);
        let has = subject.static_method("sample/Shelf", "has", "(Ljava/lang/String;Ljava/lang/String;)Z");
        let sequence = |other: &str| {
            let mut sequence = Sequence::new();
            let texts = ["pen", other].map(|text| sequence.push_literal(Literal::String(text.into())));
            sequence.push_call(has, &texts);
            sequence
        };
        let mut executor = subject.executor(jdk);
        let mut compared = |other, detail| -> Vec<(Literal, Literal)> {
            let found = run(&mut executor, &sequence(other), detail).comparisons;
            found.into_iter().map(|one| (one.left, one.right)).collect()
        };
        let pair = vec![(Literal::String("ink".into()), Literal::String("pen".into()))];
        // A set of a class that is not the platform's runs code of others.
        assert_eq!(compared("ink", Detail::Search), pair);
        assert_eq!(compared("ink", Detail::Search), [], "it is known");
        assert_eq!(compared("pen", Detail::Search), [], "it is there");
        for _ in 0..2 {
            assert_eq!(compared("ink", Detail::Compared), pair);
        }
        assert_eq!(compared("ink", Detail::Observe), []);
    });
}

#[test]
fn keys_of_a_table_without_an_order_are_the_same_in_each_jvm() {
    for_each_jdk(|jdk| {
        let mut subject = Subject::new(&[("sample/Shelf", SHELF)]);
        let truth = subject.static_method("sample/Shelf", "truth", "(Ljava/lang/String;)Z");
        let sequence = |word: &str| {
            let mut sequence = Sequence::new();
            let word = sequence.push_literal(Literal::String(word.into()));
            sequence.push_call(truth, &[word]);
            sequence
        };
        let told = || -> Vec<Vec<Literal>> {
            let mut executor = subject.executor(jdk);
            let mut told = |word| {
                let found = run(&mut executor, &sequence(word), Detail::Search).comparisons;
                found.into_iter().map(|one| one.right).collect()
            };
            vec![told("a"), told("b"), told("yes")]
        };
        let first = told();
        assert_eq!(first, told());
        assert_eq!(first.iter().map(Vec::len).collect::<Vec<_>>(), [3, 3, 0]);
        assert_ne!(first[0], first[1], "each key has its turn");
    });
}
