//! What code leaves to its callers: conditions that it asserts, and fields that it wants set.

use super::caches::FieldName;
use super::interpret::{Evaluate, Frame, is_wide, run_straight};
use super::nulls::{self, Returns, Uses, is_number, locals};
use crate::classfile::{Body, ClassFile, Decoder, Method, Operand, Step, opcode};
use crate::jvm::types::access;
use crate::jvm::{ClassName, Type};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The duties of the callers of classes.
#[derive(Clone, Debug, Default)]
pub struct Duties {
    /// Classes with `assert` statements.
    pub asserting: BTreeSet<ClassName>,
    /// `assert` statements before which a method does nothing, so what it asks of whoever calls it: the lines on which nothing
    /// else is asserted, or −1 in a class without lines.
    pub demands: BTreeSet<(MethodName, i32)>,
    /// Fields that a method sets to what it is given, or code of another class does, each by the class that the code names,
    /// or arrays of which they set elements; and those that are public.
    pub settable: BTreeSet<FieldName>,
    /// Fields that methods and constructors set to a number or a text that they are given, without a look at it.
    pub unchecked: BTreeMap<MethodName, BTreeSet<FieldName>>,
    /// Fields that hold texts.
    pub texts: BTreeSet<FieldName>,
    /// Which methods read fields that hold numbers or texts, or call one on `this` that does.
    pub reads: BTreeSet<(MethodName, FieldName)>,
    /// What methods use, and where they have it from.
    pub uses: Uses,
    /// Where they have from what they return.
    pub returns: Returns,
}

/// Methods of a class that have one name.
pub type MethodName = (ClassName, Arc<str>);

/// What a value in a method is of what it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Given {
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

/// Reads what classes leave to their callers.
pub fn duties<'a>(classes: impl IntoIterator<Item = &'a ClassFile> + Clone) -> Duties {
    let (uses, returns) = nulls::uses(classes.clone());
    let mut duties = Duties { uses, returns, ..Duties::default() };
    let mut calls = OwnCalls::default();
    for class in classes {
        calls.supers.extend(class.super_class.clone().map(|super_class| (class.name.clone(), super_class)));
        // What javac makes of the statement reads this field.
        if class.fields.iter().any(|field| is_assertion_switch(&field.name)) {
            duties.asserting.insert(class.name.clone());
        }
        for field in &class.fields {
            let name = (class.name.clone(), field.name.clone());
            if field.access & (access::PUBLIC | access::FINAL | access::STATIC) == access::PUBLIC {
                duties.settable.insert(name.clone());
            }
            if field.field_type.is_string() {
                duties.texts.insert(name);
            }
        }
        let mut decoder = Decoder::new(class);
        let (mut demands, mut late_asserts) = (BTreeSet::new(), BTreeSet::new());
        for method in &class.methods {
            let Some(body) = method.code.as_ref().and_then(|code| decoder.body(code).ok()) else { continue };
            let name = (class.name.clone(), method.name.clone());
            let asserted = asserted(method, &body);
            for &(at, is_late) in &asserted {
                let line = method.code.as_ref().and_then(|code| code.line(body.steps[at].pc)).map_or(-1, i32::from);
                let asserts = if is_late { &mut late_asserts } else { &mut demands };
                asserts.insert((name.clone(), line));
            }
            let kept = kept(method, &body);
            duties.settable.extend(kept.set_on_others.iter().filter(|(owner, _)| *owner != class.name).cloned());
            duties.reads.extend(body.steps.iter().filter_map(read_value).map(|field| (name.clone(), field)));
            if method.access & access::STATIC != 0 {
                continue;
            }
            let is_private = method.access & access::PRIVATE != 0;
            let checks = !asserted.is_empty() || body.steps.iter().any(|step| step.opcode == opcode::ATHROW);
            if !checks {
                let unchecked: BTreeSet<FieldName> = kept.unchecked(&body).collect();
                if !unchecked.is_empty() {
                    duties.unchecked.entry(name.clone()).or_default().extend(unchecked);
                }
                calls.handed.extend(kept.handed.into_iter().map(|callee| (callee, name.clone())));
            }
            calls.all.extend(kept.calls.into_iter().map(|callee| (callee, name.clone())));
            if &*method.name == "<init>" || is_private {
                continue;
            }
            duties.settable.extend(kept.references_set);
            // Also where the path that was followed does not set it, as one with a default.
            for pair in body.steps.windows(2) {
                if let (Operand::Local(local), Operand::Field(field)) = (&pair[0].operand, &pair[1].operand)
                    && pair[0].opcode == opcode::ALOAD
                    && pair[1].opcode == opcode::PUTFIELD
                    && locals(&method.descriptor.parameters, false).any(|(parameter, _)| parameter == *local)
                {
                    duties.settable.insert((field.owner.clone(), field.name.clone()));
                }
            }
        }
        duties.demands.extend(demands.difference(&late_asserts).cloned());
    }
    calls.hand_on(&mut duties.unchecked);
    calls.read_on(&mut duties.reads);
    let names: BTreeSet<&str> = duties.unchecked.values().flatten().map(|(_, field)| &**field).collect();
    duties.reads.retain(|(_, (_, field))| names.contains(&**field));
    duties
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

    /// What a method keeps unchecked do those that hand it their parameters.
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

    /// What a method reads do those that call it.
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
    // What a branch does that ends in an exception, as other checks of arguments do, does not come before anything.
    let (mut acts, mut has_acted) = (false, false);
    let mut is_constructed = &*method.name != "<init>";
    let mut at = 0;
    while let Some(step) = body.steps.get(at) {
        match &step.operand {
            Operand::Field(field) if is_assertion_switch(&field.name) && step.opcode == opcode::GETSTATIC => {
                asserted.push((at, acts || has_acted));
                match body.steps.get(at + 1).map(|step| &step.operand) {
                    Some(Operand::Jump(behind)) if *behind > at => at = *behind,
                    _ => at += 1,
                }
                continue;
            }
            Operand::Jump(target) => has_acted |= acts || *target <= at,
            Operand::Switch { .. } => has_acted |= acts,
            Operand::Method(callee) if !is_constructed && &*callee.name == "<init>" => is_constructed = true,
            Operand::Method(_) | Operand::CallSite(_) => acts = true,
            _ if step.opcode == opcode::ATHROW => acts = false,
            _ => {
                acts |= matches!(step.opcode, opcode::PUTFIELD | opcode::PUTSTATIC | opcode::IASTORE..=opcode::SASTORE);
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

/// What a method keeps of its parameters.
#[derive(Default)]
struct Kept {
    references_set: BTreeSet<FieldName>,
    /// Fields set to the number or text that a parameter is, and where.
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

impl Kept {
    /// Fields that are set to a number or a text whatever that is.
    fn unchecked(&self, body: &Body) -> impl Iterator<Item = FieldName> {
        let unchecked = self.values_set.iter().filter(|&&(_, parameter, set)| {
            let mut looks = self.looks.iter().filter(|look| look.parameter == parameter && look.at < set);
            let ends = |from: usize| body.steps[from..set].iter().any(|step| ends_call(step.opcode));
            looks.all(|look| look.until.is_some_and(|until| until <= set) && !ends(look.at))
        });
        unchecked.map(|(field, ..)| field.clone())
    }
}

fn ends_call(of: u8) -> bool {
    matches!(of, opcode::IRETURN..=opcode::RETURN | opcode::ATHROW)
}

fn kept(method: &Method, body: &Body) -> Kept {
    let mut kept = Kept::default();
    let is_static = method.access & access::STATIC != 0;
    let receiver = (!is_static).then_some(Given::This);
    let locals = locals(&method.descriptor.parameters, is_static);
    let parameters = locals.map(|(local, of)| (Given::Parameter(local), is_wide(of)));
    run_straight(body, Frame::at_entry(receiver, parameters), &mut kept);
    kept
}

impl Evaluate for Kept {
    type Value = Given;

    fn evaluate(&mut self, at: usize, step: &Step, operands: &[Given], _frame: &mut Frame<Given>) -> Given {
        use opcode::*;
        let looks =
            |until| operands.iter().filter_map(parameter_in).map(move |parameter| Look { parameter, at, until });
        match (step.opcode, &step.operand, operands) {
            (CHECKCAST, _, [value]) => return value.clone(),
            (PUTFIELD, Operand::Field(field), [on, value]) => {
                let name = (field.owner.clone(), field.name.clone());
                if *on != Given::This {
                    self.set_on_others.insert(name);
                } else if let Given::Parameter(local) = value {
                    if is_value(&field.field_type) {
                        self.values_set.push((name.clone(), *local, at));
                    }
                    if !matches!(field.field_type, Type::Primitive(_)) {
                        self.references_set.insert(name);
                    }
                }
            }
            (GETFIELD, Operand::Field(field), [on]) if matches!(field.field_type, Type::Array(_)) => {
                let name = (field.owner.clone(), field.name.clone());
                return Given::Array { field: name, is_own: *on == Given::This };
            }
            (AASTORE, _, [Given::Array { field, is_own: false }, ..]) => {
                self.set_on_others.insert(field.clone());
            }
            (AASTORE, _, [Given::Array { field, is_own: true }, _, Given::Parameter(_)]) => {
                self.references_set.insert(field.clone());
            }
            (LDC, Operand::Constant(_), []) => return Given::Computed(None),
            (IADD..=LCMP, _, _) => return computed(operands),
            (_, Operand::Jump(target), _) => self.looks.extend(looks(Some(*target))),
            (_, Operand::Switch { .. }, _) => self.looks.extend(looks(None)),
            (_, Operand::Method(callee), _) => {
                if step.opcode != INVOKESTATIC && operands.first() == Some(&Given::This) {
                    let name = (callee.owner.clone(), callee.name.clone());
                    if operands[1..].iter().any(|operand| matches!(operand, Given::Parameter(_))) {
                        self.handed.insert(name.clone());
                    }
                    self.calls.insert(name);
                }
                self.looks.extend(looks(None));
            }
            _ => {}
        }
        Given::Other
    }
}

/// What arithmetic makes.
fn computed(operands: &[Given]) -> Given {
    let is_known = |operand: &Given| matches!(operand, Given::Parameter(_) | Given::Computed(_));
    if !operands.iter().all(is_known) {
        return Given::Other;
    }
    Given::Computed(operands.iter().find_map(parameter_in))
}

fn parameter_in(value: &Given) -> Option<u16> {
    match value {
        Given::Parameter(local) | Given::Computed(Some(local)) => Some(*local),
        _ => None,
    }
}

fn is_value(of: &Type) -> bool {
    is_number(of) || of.is_string()
}

/// The field that a step reads a number or a text from.
fn read_value(step: &Step) -> Option<FieldName> {
    match &step.operand {
        Operand::Field(field) if step.opcode == opcode::GETFIELD && is_value(&field.field_type) => {
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
    fn fields_that_setters_set_and_classes_that_assert_are_found() {
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
        let duties = duties(classes.values());
        let settable: Vec<&str> = duties.settable.iter().map(|(_, name)| &**name).collect();
        assert_eq!(settable, ["given", "own", "open"]);
        assert_eq!(duties.asserting, BTreeSet::from([ClassName::new("D")]));
    }

    #[test]
    fn asserts_that_come_first_are_told_from_those_that_look_at_what_was_done() {
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
        let demands = duties(classes.values()).demands;
        let places: Vec<(&str, i32)> = demands.iter().map(|((_, name), line)| (&**name, *line)).collect();
        assert_eq!(places, [("<init>", 3), ("first", 6), ("first", 7), ("mixed", 16), ("own", 11), ("twice", 10)]);
    }

    #[test]
    fn values_that_are_kept_unchecked_are_found_with_what_reads_them() {
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
        let duties = duties(classes.values());
        let method = |name: &str| (ClassName::new("C"), Arc::from(name));
        let field = method;
        let unchecked = [
            ("<init>", ["limit", "size"].as_slice()),
            ("clear", &["size"]),
            ("rename", &["name"]),
            ("shrink", &["size"]),
        ];
        let unchecked = unchecked.map(|(by, of)| (method(by), of.iter().map(|name| field(name)).collect()));
        assert_eq!(duties.unchecked, BTreeMap::from(unchecked));
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
        assert_eq!(duties.reads, reads.map(|(by, of)| (method(by), field(of))).into());
        assert_eq!(duties.texts, BTreeSet::from([field("name")]));
    }

    #[test]
    fn what_superclasses_keep_and_read_is_that_of_the_methods_that_call_them() {
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
        let duties = duties(classes.values());
        let method = |class: &str, name: &str| (ClassName::new(class), Arc::from(name));
        let size = method("A", "size");
        let unchecked = ["A", "B", "C"].map(|class| (method(class, "<init>"), BTreeSet::from([size.clone()])));
        assert_eq!(duties.unchecked, BTreeMap::from(unchecked));
        let reads = [method("A", "size"), method("C", "room")].map(|by| (by, size.clone()));
        assert_eq!(duties.reads, BTreeSet::from(reads));
    }

    #[test]
    fn elements_that_others_store_are_settable() {
        let classes = compile_and_parse(
            "class C {
                Object[] given = {1}, made = {1}, ends = {null}; int[] sizes = {1};
                void set(int at, Object given) { this.given[at] = given; sizes[at] = at; }
                void make(int at) { made[at] = new Object(); }
            }
            class D { void connect(C one) { one.ends[0] = this; } }",
            &[],
        );
        let duties = duties(classes.values());
        let settable: Vec<&str> = duties.settable.iter().map(|(_, name)| &**name).collect();
        assert_eq!(settable, ["ends", "given"]);
    }
}
