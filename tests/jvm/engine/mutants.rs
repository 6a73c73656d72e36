//! Mutants of a class, run one after the other in the same worker.

use super::{one_call, run};
use crate::subject::Subject;
use bytecode::instrument::{self, Mutation};
use model::execution::mutant::{Mutant, Mutator};
use model::execution::{Detail, Execution, Observed, Outcome, Value};
use model::jvm::{Literal, Type};
use model::sequence::Sequence;
use std::collections::BTreeSet;
use testing::for_each_jdk;

const MUTABLE: &str = r#"
package sample;
public class Mutable {
    private int count;
    private int other = 7;
    private static java.util.List<String> names = new java.util.ArrayList<>();
    private final java.util.List<String> own = java.util.Arrays.asList("o");
    private final java.time.DayOfWeek day = java.time.DayOfWeek.FRIDAY;
    private final java.util.Set<java.time.DayOfWeek> days = java.util.EnumSet.of(day);
    private final java.util.SortedSet<String> sorted = new java.util.TreeSet<>(own);
    private final java.util.ArrayList<String> filled = new java.util.ArrayList<>(own);
    static final int TABLE = fill();
    private static int fill() { return 3 + 4; }
    static void add(long wide, String name, double real) { names.add(name); }
    void count() { count++; }
    public static Integer boxed(int a) { return a; }
    static String text(int a) { return "a" + a; }
    static java.util.Map<String, String> map() { return new java.util.HashMap<>(); }
    static boolean[] flags(boolean flag) { return new boolean[] {flag}; }
    static Boolean same(boolean a) { return a; }
    static float negated(float a) { return -a; }
    static double remainder(double a) { return a % 3; }
    static String first(String a, String b) { return a; }
    static String rounded(String a) {
        java.math.BigDecimal number = new java.math.BigDecimal(a);
        return number.setScale(2, java.math.RoundingMode.HALF_UP).toString().concat("!");
    }
    static boolean isLate(java.time.LocalDate day, java.time.LocalDate last) { return day.isAfter(last); }
    static boolean isPair(int a, int b) { return a == 1 && b == 2; }
    static String merged() {
        java.util.Map<String, String> all = new java.util.TreeMap<>();
        all.put("a", "old");
        all.putAll(java.util.Collections.singletonMap("a", trimmed(" new ")));
        return all.toString();
    }
    static String trimmed(String a) { return a.trim(); }
    public static String all() {
        Mutable made = new Mutable();
        made.count();
        names.clear();
        add(4L, "x", 2.0);
        int sum = made.count;
        for (int i = 0; i < 3; i++) { sum += i * 2; }
        for (String name : names) { sum += name.length(); }
        int back = 0;
        while (back > -4 && sum >= 0) { back -= 2; }
        long shifted = (5L << 2 | 1L) ^ sum;
        try { sum--; } finally { add(shifted, "y", 1.0); }
        return text(sum) + boxed(back) + map().size() + flags(sum < 9)[0] + same(true) + same(false) + negated(1f) + remainder(7)
            + shifted + names + TABLE + first("f", "s") + rounded("0.125") + made.own + Math.max(sum, 1 << 20)
            + made.day + java.util.EnumSet.copyOf(made.days)
            + isLate(java.time.LocalDate.of(2024, 1, 1), java.time.LocalDate.of(2024, 1, 1)) + isPair(1, 3) + isPair(1, 2) + merged() + made.sorted + made.filled;
    }
}
"#;

#[test]
fn every_mutant_runs_and_the_class_is_restored() {
    for_each_jdk(|jdk| {
        let mut subject = Subject::new(&[("sample/Mutable", MUTABLE)]);
        let all = one_call(&mut subject, "sample/Mutable", "all", "()Ljava/lang/String;");
        let mutations = instrument::mutants(&subject.class_file("sample/Mutable"), &Mutator::ALL).unwrap();
        let mut executor = subject.executor(jdk);
        let whole = run(&mut executor, &all, Detail::Observe);
        assert_eq!(whole.outcome, Outcome::Completed);
        let mut killed = BTreeSet::new();
        for Mutation { method, pc, mutator, reached_by, .. } in &mutations {
            let mutant = Mutant { class: 0, method: *method, pc: *pc, mutator: *mutator };
            let mutated = run(&mut executor, &all, Detail::Mutated(mutant));
            assert!(!matches!(mutated.outcome, Outcome::Unlinkable { .. }), "{mutant:?}: {:?}", mutated.outcome);
            // Of the constants of a conditional expression only one is reached.
            let is_reached = whole.edges.iter().any(|hit| reached_by.contains(&hit.edge));
            assert!(is_reached || *mutator == Mutator::InlineConstants, "{mutant:?} is reached");
            if (&mutated.outcome, &mutated.values) != (&whole.outcome, &whole.values) {
                killed.insert(*mutator);
            }
            let is_of_field = [Mutator::EmptyField, Mutator::EnumField].contains(mutator);
            assert!(!is_of_field || mutated.outcome == Outcome::Completed, "{mutant:?}: {:?}", mutated.outcome);
        }
        // The class is no enum.
        assert_eq!(killed, Mutator::ALL.into_iter().filter(|one| *one != Mutator::EnumData).collect(), "{killed:?}");
        let again = run(&mut executor, &all, Detail::Observe);
        assert_eq!((again.outcome, again.values), (whole.outcome, whole.values));
    });
}

const RATE: &str = r#"
package sample;
public enum Rate {
    FULL("f", 19), HALF("h", 7), NONE("f", 0);
    private final String sign;
    private final int percent;
    Rate(String sign, int percent) { this.sign = sign; this.percent = percent; }
    public static String all() { String told = ""; for (Rate rate : values()) told += rate.sign + rate.percent + " "; return told; }
}
"#;

#[test]
fn field_of_an_enum_constant_has_the_value_of_another_one_for_one_run() {
    for_each_jdk(|jdk| {
        let mut subject = Subject::new(&[("sample/Rate", RATE)]);
        let all = one_call(&mut subject, "sample/Rate", "all", "()Ljava/lang/String;");
        let data = instrument::enum_data(&subject.class_file("sample/Rate")).unwrap().unwrap();
        assert_eq!((data.constants, &data.fields[..]), (3, &["sign".into(), "percent".into()][..]));
        let mut executor = subject.executor(jdk);
        let mut told = |detail| run(&mut executor, &all, detail).values[0].clone();
        let shown = |number| {
            Detail::Mutated(Mutant { class: 0, method: data.initializer, pc: number, mutator: Mutator::EnumData })
        };
        assert!(format!("{:?}", told(Detail::Observe)).contains("f19 h7 f0 "));
        assert!(format!("{:?}", told(shown(0))).contains("h19 h7 f0 "));
        assert!(format!("{:?}", told(shown(3))).contains("f19 h0 f0 "));
        // The next constant that has something else.
        assert!(format!("{:?}", told(shown(4))).contains("f19 h7 h0 "));
        assert!(format!("{:?}", told(Detail::Observe)).contains("f19 h7 f0 "));
    });
}

#[test]
fn it_makes_no_difference_which_other_mutants_a_class_has() {
    for_each_jdk(|jdk| {
        let mut subject = Subject::new(&[("sample/Mutable", MUTABLE)]);
        let call = one_call(&mut subject, "sample/Mutable", "all", "()Ljava/lang/String;");
        let mutations = instrument::mutants(&subject.class_file("sample/Mutable"), &Mutator::ALL).unwrap();
        let mutants: Vec<Mutant> = mutations
            .iter()
            .map(|one| Mutant { class: 0, method: one.method, pc: one.pc, mutator: one.mutator })
            .collect();
        let mut executor = subject.executor(jdk);
        let mut told = |detail| {
            let ended = run(&mut executor, &call, detail);
            (ended.outcome, ended.values)
        };
        let whole = told(Detail::Observe);
        let forward: Vec<_> = mutants.iter().map(|mutant| told(Detail::Mutated(*mutant))).collect();
        // The class has the mutants behind one that it does not have yet: each time others, from the back and in leaps.
        let mut backward: Vec<_> = mutants.iter().rev().map(|mutant| told(Detail::Mutated(*mutant))).collect();
        backward.reverse();
        assert!(forward == backward);
        for (at, mutant) in mutants.iter().enumerate().step_by(7) {
            assert!(told(Detail::Mutated(*mutant)) == forward[at], "{mutant:?}");
            assert!(told(Detail::Observe) == whole, "after {mutant:?}");
        }
        assert!(forward.iter().any(|one| *one != whole), "some are noticed");
    });
}

/// Code of which a copy behind a switch is not the same at another place: jumps over padding, frames of all forms, handlers.
const VARIED: &str = r#"
package sample;
import java.util.*;
public class Varied<T extends Comparable<T>> {
    private final long size;
    private final List<T> all = new ArrayList<>();
    public Varied(long size, double factor) { this(size > 3 ? size : (long) (size * factor)); }
    private Varied(long size) { super(); this.size = size; }
    int dense(int a) { switch (a) { case 1: return 7; case 2: return a + 9; case 3: a++; default: return a; } }
    int sparse(int a) { switch (a) { case -5: return 1; case 1000: a += 2; break; case 70_000: return 3; } return a; }
    int text(String a) { switch (a) { case "Aa": return 1; case "BB": return 2; default: return a.length(); } }
    synchronized long loops(int[][] a, long b) {
        outer:
        for (int[] row : a) {
            for (int one : row) { if (one < 0) continue outer; if (one > 9) break outer; b += one; }
        }
        do { b--; } while (b > 100);
        while (true) { if (b-- < 3) return b; }
    }
    int handled(Object a) {
        int found = 0;
        try {
            synchronized (this) { found = a.hashCode() - a.toString().length(); }
            try { found /= dense(found) - found; } catch (ArithmeticException | IllegalStateException e) { found++; } finally { found += 2; }
        } catch (NullPointerException e) {
            return -1;
        }
        if (a == this || a != all) { found += 3; }
        return found > 0 ? 1 : found < 0 ? -1 : 0;
    }
    T most(List<? extends T> given) {
        T most = null;
        for (T one : given) { if (most == null || one.compareTo(most) > 0) { T better = one; most = better; } all.add(one); }
        return most;
    }
    public static String all() {
        Varied<String> one = new Varied<>(3L, 1.5);
        StringBuilder told = new StringBuilder().append(one.size).append(new Varied<String>(4, 0.5).size);
        for (int a : new int[] { -5, 1, 2, 3, 4, 1000, 70_000 }) { told.append(one.dense(a)).append(one.sparse(a)); }
        for (String a : new String[] { "Aa", "BB", "xyz" }) { told.append(one.text(a)); }
        told.append(one.loops(new int[][] { { 1, 2 }, { -1, 5 }, { 3, 10, 4 }, { 6 } }, 150L));
        told.append(one.handled("a")).append(one.handled(null)).append(one.handled(7));
        return told.append(one.most(Arrays.asList("b", "c", "a"))).append(one.all).toString();
    }
}
"#;

#[test]
fn mutants_of_code_with_switches_loops_and_handlers_are_taken_by_the_jvm() {
    for_each_jdk(|jdk| {
        let mut subject = Subject::new(&[("sample/Varied", VARIED)]);
        let call = one_call(&mut subject, "sample/Varied", "all", "()Ljava/lang/String;");
        let mut executor = subject.executor(jdk);
        let whole = run(&mut executor, &call, Detail::Observe);
        let mut changed = 0;
        let mutations = instrument::mutants(&subject.class_file("sample/Varied"), &Mutator::ALL).unwrap();
        for Mutation { method, pc, mutator, .. } in &mutations {
            let mutant = Mutant { class: 0, method: *method, pc: *pc, mutator: *mutator };
            let mutated = run(&mut executor, &call, Detail::Mutated(mutant));
            assert!(!matches!(mutated.outcome, Outcome::Unlinkable { .. }), "{mutant:?}: {:?}", mutated.outcome);
            changed += usize::from((&mutated.outcome, &mutated.values) != (&whole.outcome, &whole.values));
        }
        assert!(2 * changed > mutations.len(), "{changed} of {}", mutations.len());
        let again = run(&mut executor, &call, Detail::Observe);
        assert_eq!((again.outcome, again.values), (whole.outcome, whole.values));
    });
}

#[test]
fn mutant_does_not_leak_into_the_next_run() {
    for_each_jdk(|jdk| {
        let mut subject = Subject::new(&[("sample/Mutable", MUTABLE)]);
        let boxed = subject.static_method("sample/Mutable", "boxed", "(I)Ljava/lang/Integer;");
        let mutations = instrument::mutants(&subject.class_file("sample/Mutable"), &Mutator::ALL).unwrap();
        let first = mutations.iter().find(|one| one.mutator == Mutator::EmptyReturns).unwrap();
        let mutant = Mutant { class: 0, method: first.method, pc: first.pc, mutator: first.mutator };
        let mut sequence = Sequence::new();
        let five = sequence.push_literal(Literal::Int(5));
        sequence.push_call(boxed, &[five]);
        let value = |run: Execution| run.values[1].clone();
        let boxed = |number: i32| Value::Object {
            class: Type::class("java/lang/Integer"),
            observed: Observed::boxed(Literal::Int(number)),
        };
        let mut executor = subject.executor(jdk);
        assert_eq!(value(run(&mut executor, &sequence, Detail::Mutated(mutant))), boxed(0));
        assert_eq!(value(run(&mut executor, &sequence, Detail::Observe)), boxed(5));
        let unknown = Mutant { class: 9, ..mutant };
        assert!(matches!(run(&mut executor, &sequence, Detail::Mutated(unknown)).outcome, Outcome::Unlinkable { .. }));
        assert_eq!(value(run(&mut executor, &sequence, Detail::Observe)), boxed(5));
    });
}
