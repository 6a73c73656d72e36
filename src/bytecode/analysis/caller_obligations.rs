//! Caller obligations: asserted preconditions and fields to initialise.

use super::caches::FieldName;
use super::interpret::{AbstractFrame, Evaluate, is_wide, run_straight};
use super::null_provenance::{self, Returns, Uses, is_number, locals};
use super::rejections::{Rejection, rejections};
use super::rethrows::{Rethrow, rethrows};
use crate::classfile::instruction::{Comparison, Element, FieldAccess, InvokeKind, Kind};
use crate::classfile::{Body, ClassFile, Constant, Decoder, Instruction, Method, Step};
use model::jvm::types::access;
use model::jvm::{ClassName, Type};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What classes require of their callers.
#[derive(Clone, Debug, Default)]
pub struct CallerObligations {
    /// Classes with `assert` statements.
    pub asserting: BTreeSet<ClassName>,
    /// `assert` statements before which a method does nothing, so that they check what the caller passed: the lines on which
    /// nothing else is asserted, or −1 in a class without line numbers.
    pub preconditions: BTreeSet<(MethodName, i32)>,
    /// Fields that callers can set: public ones, those that a method sets to its parameter, and those that code of another
    /// class sets; also arrays in fields whose elements are set so. Each is named with the class that the code names.
    pub settable: BTreeSet<FieldName>,
    /// Fields that methods and constructors set to a number or string that they are given, without checking it.
    pub unchecked: BTreeMap<MethodName, BTreeSet<FieldName>>,
    /// Fields that methods and constructors set to a number or string that they are given, checked or not.
    pub stored: BTreeMap<MethodName, BTreeSet<FieldName>>,
    /// Fields of type `String`.
    pub string_fields: BTreeSet<FieldName>,
    /// Which methods read fields that hold numbers or strings, directly or through a call on `this`.
    pub reads: BTreeSet<(MethodName, FieldName)>,
    /// The objects that methods use, with the provenance of each.
    pub uses: Uses,
    /// The provenance of what methods return.
    pub returns: Returns,
    /// Where methods create exceptions that the JVM raises by itself too, to reject what they are given.
    pub rejections: BTreeSet<Rejection>,
    /// Which calls methods make whose exceptions they catch and throw on.
    pub rethrows: BTreeSet<Rethrow>,
}

/// Methods of a class that have one name.
pub type MethodName = (ClassName, Arc<str>);

/// How a value in a method depends on the method's parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
enum ParameterFlow {
    This,
    /// The parameter, by its local variable.
    Parameter(u16),
    /// Made of constants and parameters alone, the first of which it is.
    Computed(Option<u16>),
    /// The array that a field holds, of `this` or of another object.
    Array {
        field: FieldName,
        is_own: bool,
    },
    Other,
}

/// Reads what classes require of their callers.
pub fn caller_obligations<'a>(classes: impl IntoIterator<Item = &'a ClassFile> + Clone) -> CallerObligations {
    let (uses, returns) = null_provenance::uses(classes.clone());
    let mut obligations = CallerObligations { uses, returns, ..CallerObligations::default() };
    let mut calls = OwnCalls::default();
    for class in classes {
        calls.supers.extend(class.super_class.clone().map(|super_class| (class.name.clone(), super_class)));
        // The code that javac generates for `assert` reads this field.
        if class.fields.iter().any(|field| is_assertion_switch(&field.name)) {
            obligations.asserting.insert(class.name.clone());
        }
        for field in &class.fields {
            let name = (class.name.clone(), field.name.clone());
            if field.access & (access::PUBLIC | access::FINAL | access::STATIC) == access::PUBLIC {
                obligations.settable.insert(name.clone());
            }
            if field.field_type.is_string() {
                obligations.string_fields.insert(name);
            }
        }
        let mut decoder = Decoder::new(class);
        let (mut preconditions, mut late_asserts) = (BTreeSet::new(), BTreeSet::new());
        for method in &class.methods {
            let Some(body) = method.code.as_ref().and_then(|code| decoder.body(code).ok()) else { continue };
            let name = (class.name.clone(), method.name.clone());
            obligations.rejections.extend(method.code.iter().flat_map(|code| rejections(&name, code, &body)));
            obligations.rethrows.extend(method.code.iter().flat_map(|code| rethrows(&name, code, &body)));
            let asserted = asserted(method, &body);
            for &(at, is_late) in &asserted {
                let line = method.code.as_ref().and_then(|code| code.line(body.steps[at].pc)).map_or(-1, i32::from);
                let asserts = if is_late { &mut late_asserts } else { &mut preconditions };
                asserts.insert((name.clone(), line));
            }
            let writes = writes(method, &body);
            obligations.settable.extend(writes.set_on_others.iter().filter(|(owner, _)| *owner != class.name).cloned());
            obligations.reads.extend(body.steps.iter().filter_map(read_value).map(|field| (name.clone(), field)));
            if method.access & access::STATIC != 0 {
                continue;
            }
            let is_private = method.access & access::PRIVATE != 0;
            let checks = !asserted.is_empty() || body.steps.iter().any(|step| step.instruction == Instruction::Throw);
            let stored: BTreeSet<FieldName> = writes.unchecked(&body).collect();
            if !stored.is_empty() {
                obligations.stored.entry(name.clone()).or_default().extend(stored.iter().cloned());
            }
            if !checks {
                let unchecked = stored;
                if !unchecked.is_empty() {
                    obligations.unchecked.entry(name.clone()).or_default().extend(unchecked);
                }
                calls.handed.extend(writes.handed.into_iter().map(|callee| (callee, name.clone())));
            }
            calls.all.extend(writes.calls.into_iter().map(|callee| (callee, name.clone())));
            if &*method.name == "<init>" || is_private {
                continue;
            }
            obligations.settable.extend(writes.references_set);
            // Also if the path that was followed does not set it, such as the branch for a default value.
            for pair in body.steps.windows(2) {
                if let Instruction::Load { kind: Kind::Reference, local } = &pair[0].instruction
                    && let Instruction::Field { access: FieldAccess::Put, field } = &pair[1].instruction
                    && locals(&method.descriptor.parameters, false).any(|(parameter, _)| parameter == *local)
                {
                    obligations.settable.insert((field.owner.clone(), field.name.clone()));
                }
            }
        }
        obligations.preconditions.extend(preconditions.difference(&late_asserts).cloned());
    }
    calls.hand_on(&mut obligations.unchecked);
    calls.read_on(&mut obligations.reads);
    for (method, fields) in &obligations.unchecked {
        obligations.stored.entry(method.clone()).or_default().extend(fields.iter().cloned());
    }
    let names: BTreeSet<&str> = obligations.stored.values().flatten().map(|(_, field)| &**field).collect();
    obligations.reads.retain(|(_, (_, field))| names.contains(&**field));
    obligations
}

/// What methods call on `this`, constructors of superclasses included; each callee, by the class that the code names, with
/// its caller.
#[derive(Default)]
struct OwnCalls {
    all: BTreeSet<(MethodName, MethodName)>,
    /// Those that are given a parameter.
    handed: BTreeSet<(MethodName, MethodName)>,
    /// Classes and what they extend.
    supers: BTreeMap<ClassName, ClassName>,
}

impl OwnCalls {
    /// The method in the class that the code names, and those that it may inherit.
    fn places<'a>(&'a self, (class, method): &'a MethodName) -> impl Iterator<Item = MethodName> {
        let is_inherited = &**method != "<init>";
        let classes = std::iter::successors(Some(class), move |&class| self.supers.get(class).filter(|_| is_inherited));
        // Class files may extend each other in a circle.
        classes.take(self.supers.len() + 1).map(|class| (class.clone(), method.clone()))
    }

    /// A field that a method sets unchecked is also set unchecked by the methods that pass it their parameters.
    fn hand_on(&self, unchecked: &mut BTreeMap<MethodName, BTreeSet<FieldName>>) {
        loop {
            let mut has_grown = false;
            for (callee, caller) in &self.handed {
                let Some(fields) = self.places(callee).find_map(|place| unchecked.get(&place)).cloned() else {
                    continue;
                };
                let of_caller = unchecked.entry(caller.clone()).or_default();
                let before = of_caller.len();
                of_caller.extend(fields);
                has_grown |= of_caller.len() > before;
            }
            if !has_grown {
                return;
            }
        }
    }

    /// A field that a method reads is also read by the methods that call it.
    fn read_on(&self, reads: &mut BTreeSet<(MethodName, FieldName)>) {
        let mut by_method: BTreeMap<MethodName, Vec<FieldName>> = BTreeMap::new();
        for (reader, field) in reads.iter() {
            by_method.entry(reader.clone()).or_default().push(field.clone());
        }
        for (callee, caller) in &self.all {
            let fields = self.places(callee).find_map(|place| by_method.get(&place)).into_iter().flatten();
            reads.extend(fields.map(|field| (caller.clone(), field.clone())));
        }
    }
}

/// The `assert` statements of a method, with whether it did something before, called a method, say.
fn asserted(method: &Method, body: &Body) -> Vec<(usize, bool)> {
    let mut asserted = Vec::new();
    // Actions in a branch that ends in an exception, as in other checks of arguments, do not come before later statements.
    let (mut acts, mut has_acted) = (false, false);
    let mut is_constructed = &*method.name != "<init>";
    let mut at = 0;
    while let Some(step) = body.steps.get(at) {
        match &step.instruction {
            Instruction::Field { access: FieldAccess::GetStatic, field } if is_assertion_switch(&field.name) => {
                asserted.push((at, acts || has_acted));
                match body.steps.get(at + 1).and_then(|step| step.instruction.jump()) {
                    Some(behind) if *behind > at => at = *behind,
                    _ => at += 1,
                }
                continue;
            }
            Instruction::Switch(_) => has_acted |= acts,
            Instruction::Invoke { method, .. } if !is_constructed && &*method.name == "<init>" => {
                is_constructed = true;
            }
            Instruction::Invoke { .. } | Instruction::InvokeDynamic(_) => acts = true,
            Instruction::Throw => acts = false,
            Instruction::Field { access, .. } => acts |= access.is_write(),
            Instruction::ArrayStore(_) => acts = true,
            other => {
                if let Some(target) = other.jump() {
                    has_acted |= acts || *target <= at;
                }
            }
        }
        at += 1;
    }
    asserted
}

/// Whether javac makes the field of `assert` statements.
fn is_assertion_switch(field: &str) -> bool {
    field == "$assertionsDisabled"
}

/// What a method writes to fields, and what it does with its parameters before.
#[derive(Default)]
struct FieldWrites {
    references_set: BTreeSet<FieldName>,
    /// Fields set to the number or string that a parameter is, and where.
    values_set: Vec<(FieldName, u16, usize)>,
    looks: Vec<Look>,
    /// Fields of other objects that are set.
    set_on_others: BTreeSet<FieldName>,
    /// Methods that are called on `this`.
    calls: BTreeSet<MethodName>,
    /// Those of them that are given a parameter.
    handed: BTreeSet<MethodName>,
}

/// A parameter decides about something, or is passed on.
struct Look {
    parameter: u16,
    at: usize,
    /// The last step that may be next; `None` if others decide.
    until: Option<usize>,
}

impl FieldWrites {
    /// Fields that are set to a number or a string whatever that is.
    fn unchecked(&self, body: &Body) -> impl Iterator<Item = FieldName> {
        let unchecked = self.values_set.iter().filter(|&&(_, parameter, set)| {
            let mut looks = self.looks.iter().filter(|look| look.parameter == parameter && look.at < set);
            let ends = |from: usize| body.steps[from..set].iter().any(|step| step.instruction.leaves_method());
            looks.all(|look| look.until.is_some_and(|until| until <= set) && !ends(look.at))
        });
        unchecked.map(|(field, ..)| field.clone())
    }
}

fn writes(method: &Method, body: &Body) -> FieldWrites {
    let mut writes = FieldWrites::default();
    let is_static = method.access & access::STATIC != 0;
    let receiver = (!is_static).then_some(ParameterFlow::This);
    let locals = locals(&method.descriptor.parameters, is_static);
    let parameters = locals.map(|(local, of)| (ParameterFlow::Parameter(local), is_wide(of)));
    run_straight(body, AbstractFrame::at_entry(receiver, parameters), &mut writes);
    writes
}

impl Evaluate for FieldWrites {
    type Value = ParameterFlow;

    fn evaluate(
        &mut self,
        at: usize,
        step: &Step,
        operands: &[ParameterFlow],
        _frame: &mut AbstractFrame<ParameterFlow>,
    ) -> ParameterFlow {
        let looks =
            |until| operands.iter().filter_map(parameter_in).map(move |parameter| Look { parameter, at, until });
        match (&step.instruction, operands) {
            (Instruction::CheckCast(_), [value]) => return value.clone(),
            (Instruction::Field { access: FieldAccess::Put, field }, [on, value]) => {
                let name = (field.owner.clone(), field.name.clone());
                if *on != ParameterFlow::This {
                    self.set_on_others.insert(name);
                } else if let ParameterFlow::Parameter(local) = value {
                    if is_value(&field.field_type) {
                        self.values_set.push((name.clone(), *local, at));
                    }
                    if !matches!(field.field_type, Type::Primitive(_)) {
                        self.references_set.insert(name);
                    }
                }
            }
            (Instruction::Field { access: FieldAccess::Get, field }, [on])
                if matches!(field.field_type, Type::Array(_)) =>
            {
                let name = (field.owner.clone(), field.name.clone());
                return ParameterFlow::Array { field: name, is_own: *on == ParameterFlow::This };
            }
            (Instruction::ArrayStore(Element::Reference), [ParameterFlow::Array { field, is_own: false }, ..]) => {
                self.set_on_others.insert(field.clone());
            }
            (
                Instruction::ArrayStore(Element::Reference),
                [ParameterFlow::Array { field, is_own: true }, _, ParameterFlow::Parameter(_)],
            ) => {
                self.references_set.insert(field.clone());
            }
            (Instruction::Constant(Constant::Literal(_)), []) => return ParameterFlow::Computed(None),
            (
                Instruction::Arithmetic(_) | Instruction::Increment { .. } | Instruction::Compare(Comparison::Long),
                _,
            ) => return computed(operands),
            (Instruction::Switch(_), _) => self.looks.extend(looks(None)),
            (Instruction::Invoke { kind, method: callee }, _) => {
                if *kind != InvokeKind::Static && operands.first() == Some(&ParameterFlow::This) {
                    let name = (callee.owner.clone(), callee.name.clone());
                    if operands[1..].iter().any(|operand| matches!(operand, ParameterFlow::Parameter(_))) {
                        self.handed.insert(name.clone());
                    }
                    self.calls.insert(name);
                }
                self.looks.extend(looks(None));
            }
            (other, _) => {
                if let Some(target) = other.jump() {
                    self.looks.extend(looks(Some(*target)));
                }
            }
        }
        ParameterFlow::Other
    }
}

/// What arithmetic makes.
fn computed(operands: &[ParameterFlow]) -> ParameterFlow {
    let is_known =
        |operand: &ParameterFlow| matches!(operand, ParameterFlow::Parameter(_) | ParameterFlow::Computed(_));
    if !operands.iter().all(is_known) {
        return ParameterFlow::Other;
    }
    ParameterFlow::Computed(operands.iter().find_map(parameter_in))
}

fn parameter_in(value: &ParameterFlow) -> Option<u16> {
    match value {
        ParameterFlow::Parameter(local) | ParameterFlow::Computed(Some(local)) => Some(*local),
        _ => None,
    }
}

fn is_value(of: &Type) -> bool {
    is_number(of) || of.is_string()
}

/// The field that a step reads a number or a string from.
fn read_value(step: &Step) -> Option<FieldName> {
    match &step.instruction {
        Instruction::Field { access: FieldAccess::Get, field } if is_value(&field.field_type) => {
            Some((field.owner.clone(), field.name.clone()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classfile::testing::compile_and_parse;

    #[test]
    fn setters_make_fields_settable_and_asserts_mark_their_class() {
        let classes = compile_and_parse(
            "class C {
                Object given, made, own; final Object first; long count;
                Object name;
                C(Object first) { this.first = first; }
                void close() { name = null; made = null; }
                C(Object first, Object name) { this.first = first; this.name = name; }
                void setGiven(long count, Object given) {
                    this.count = count;
                    if (given == null) this.given = \"\"; else this.given = given;
                }
                Object given() { return this.given; }
                Object same(Object of) { return of; }
                void make(Object of) { made = of.toString(); Object other = made; own = other; }
            }
            class D { public Object open; public final Object shut = null; Object in; C of; void m(int a) { assert a > 0; of.own = this; } }",
            &[],
        );
        let obligations = caller_obligations(classes.values());
        let settable: Vec<&str> = obligations.settable.iter().map(|(_, name)| &**name).collect();
        assert_eq!(settable, ["given", "own", "open"]);
        assert_eq!(obligations.asserting, BTreeSet::from([ClassName::new("D")]));
    }

    #[test]
    fn created_exceptions_of_the_jvm_are_rejections() {
        let classes = compile_and_parse(
            "class C {
                Object name;
                void check(Object name) {
                    if (name == null) throw new NullPointerException(\"name\");
                    this.name = name.toString();
                }
                int half(int of) {
                    if (of % 2 != 0) throw new ArithmeticException(); else return of / 2;
                }
                void other() { throw new IllegalStateException(); }
            }",
            &[],
        );
        let rejections = caller_obligations(classes.values()).rejections;
        let places: Vec<(&str, i32, &str)> =
            rejections.iter().map(|((_, name), line, class)| (&**name, *line, class.simple())).collect();
        assert_eq!(places, [("check", 4, "NullPointerException"), ("half", 8, "ArithmeticException")]);
    }

    #[test]
    fn values_that_code_requires_are_rejections_and_what_javac_checks_is_none() {
        let classes = compile_and_parse(
            "import java.util.Objects;
            class C {
                void statement(Object o) { Objects.requireNonNull(o); }
                Object value(Object o) { return Objects.requireNonNull(o, \"o\"); }
                Runnable reference(Object o) { return o::notify; }
            }",
            &[],
        );
        let rejections = caller_obligations(classes.values()).rejections;
        let methods: Vec<&str> = rejections.iter().map(|((_, name), ..)| &**name).collect();
        assert_eq!(methods, ["statement", "value"]);
    }

    #[test]
    fn calls_of_which_failures_are_caught_and_thrown_on_are_rethrows() {
        let classes = compile_and_parse(
            "class C {
                int tries;
                void retry(Runnable o) {
                    try { o.run(); } catch (RuntimeException failure) { if (++tries > 3) throw failure; }
                }
                void wrap(Runnable o) {
                    try { o.run(); } catch (RuntimeException failure) { throw new IllegalStateException(failure); }
                }
                void back(Runnable o, Runnable undo) {
                    try { o.run(); } catch (IllegalStateException failure) {
                        try { undo.run(); } catch (RuntimeException other) { failure.addSuppressed(other); }
                        throw failure;
                    }
                }
                void log(Runnable o) {
                    try { o.run(); } catch (RuntimeException failure) { tries++; }
                    IllegalStateException other = new IllegalStateException();
                    throw other;
                }
                void last(Runnable o) { try { o.run(); } finally { tries++; } }
                void close(AutoCloseable o) throws Exception { try (AutoCloseable own = o) { tries++; own.hashCode(); } }
            }",
            &[],
        );
        let rethrows = caller_obligations(classes.values()).rethrows;
        let places: Vec<(&str, i32, &str)> =
            rethrows.iter().map(|((_, name), line, class)| (&**name, *line, class.simple())).collect();
        assert_eq!(places, [("back", 10, "IllegalStateException"), ("retry", 4, "RuntimeException")]);
    }

    #[test]
    fn asserts_before_any_action_are_preconditions() {
        let classes = compile_and_parse(
            "class C {
                int n;
                C(int a) { super(); assert a > 0; n = a; }
                void first(int a) {
                    if (a > 9) throw new IllegalArgumentException(\"too much: \" + a);
                    assert a > 0 : \"too little\" + a;
                    assert hashCode() != a;
                    n = a;
                }
                void twice(int a) { assert a > 0; }
                private void own(int a) { assert a > 0; }
                void twice(int a, int b) { n = b; assert n > a; }
                int last(int a) { int b = Math.abs(a); assert b >= 0; return b; }
                void loop(int a) { while (a > 3) a--; assert a <= 3; }
                void mixed(int a) {
                    assert a > 0;
                    n = Math.abs(a);
                    assert n > 0;
                }
                void none() { }
            }",
            &[],
        );
        let preconditions = caller_obligations(classes.values()).preconditions;
        let places: Vec<(&str, i32)> = preconditions.iter().map(|((_, name), line)| (&**name, *line)).collect();
        assert_eq!(places, [("<init>", 3), ("first", 6), ("first", 7), ("mixed", 16), ("own", 11), ("twice", 10)]);
    }

    #[test]
    fn fields_set_without_a_check_are_found_with_their_readers() {
        let classes = compile_and_parse(
            "class C {
                int size, limit; String name;
                C() { }
                C(int limit) { this(); this.limit = limit; }
                C(int size, Object of) { shrink(size); }
                void rename(String name) { this.name = name; }
                void name(String name) { if (name.isEmpty()) name = \"a\"; this.name = name; }
                void shrink(int size) { this.size = size; }
                void limit(int limit) { this.limit = Math.max(limit, 0); }
                void clear(int size) { for (int i = size; i < 4; i++) limit = i; this.size = size; }
                void atLeast(int size) { if (size > this.size) this.size = size; }
                void atMost(int size) { if (size > this.size) return; this.size = size; }
                void grow(long size, int limit) { Math.max(limit, 0); this.size = (int) size; this.limit = limit; }
                int left() { return limit - size; }
                Object[] room() { return new Object[left()]; }
                void grow(int size) { if (size < this.size) throw new IllegalStateException(); this.size = size; }
                boolean isNamed() { return name != null; }
            }",
            &[],
        );
        let obligations = caller_obligations(classes.values());
        let method = |name: &str| (ClassName::new("C"), Arc::from(name));
        let field = method;
        let unchecked = [
            ("<init>", ["limit", "size"].as_slice()),
            ("clear", &["size"]),
            ("rename", &["name"]),
            ("shrink", &["size"]),
        ];
        let unchecked = unchecked.map(|(by, of)| (method(by), of.iter().map(|name| field(name)).collect()));
        assert_eq!(obligations.unchecked, BTreeMap::from(unchecked));
        let reads = [
            ("atLeast", "size"),
            ("atMost", "size"),
            ("grow", "size"),
            ("isNamed", "name"),
            ("left", "limit"),
            ("left", "size"),
            ("room", "limit"),
            ("room", "size"),
        ];
        assert_eq!(obligations.reads, reads.map(|(by, of)| (method(by), field(of))).into());
        assert_eq!(obligations.string_fields, BTreeSet::from([field("name")]));
    }

    #[test]
    fn unchecked_writes_and_reads_of_superclasses_count_for_their_callers() {
        let classes = compile_and_parse(
            "class A { int size; A(int size) { this.size = size; } int size() { return size; } }
            class B extends A { B(int size) { super(size); } }
            class C extends B {
                C(int of) { super(of); }
                C(long of) { super(of > 3 ? 3 : 0); }
                Object[] room() { return new Object[size()]; }
            }",
            &[],
        );
        let obligations = caller_obligations(classes.values());
        let method = |class: &str, name: &str| (ClassName::new(class), Arc::from(name));
        let size = method("A", "size");
        let unchecked = ["A", "B", "C"].map(|class| (method(class, "<init>"), BTreeSet::from([size.clone()])));
        assert_eq!(obligations.unchecked, BTreeMap::from(unchecked));
        let reads = [method("A", "size"), method("C", "room")].map(|by| (by, size.clone()));
        assert_eq!(obligations.reads, BTreeSet::from(reads));
    }

    #[test]
    fn array_elements_stored_by_setters_are_settable() {
        let classes = compile_and_parse(
            "class C {
                Object[] given = {1}, made = {1}, ends = {null}; int[] sizes = {1};
                void set(int at, Object given) { this.given[at] = given; sizes[at] = at; }
                void make(int at) { made[at] = new Object(); }
            }
            class D { void connect(C one) { one.ends[0] = this; } }",
            &[],
        );
        let obligations = caller_obligations(classes.values());
        let settable: Vec<&str> = obligations.settable.iter().map(|(_, name)| &**name).collect();
        assert_eq!(settable, ["ends", "given"]);
    }
}
