//! What code leaves to its callers: conditions that it asserts, and fields that it wants set.

use super::caches::FieldName;
use super::interpret::{Evaluate, Frame, is_wide, run_straight};
use crate::classfile::{Body, ClassFile, Decoder, Method, Operand, Step, opcode};
use crate::jvm::types::access;
use crate::jvm::{ClassName, Primitive, Type};
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
    /// Fields that a method sets to what it is given, each by the class that the method names.
    pub settable: BTreeSet<FieldName>,
    /// Fields that methods and constructors set to a number that they are given, without a look at it.
    pub unchecked: BTreeMap<MethodName, BTreeSet<FieldName>>,
    /// Which methods read fields that hold numbers, or call one on `this` that does.
    pub reads: BTreeSet<(MethodName, FieldName)>,
    /// Fields that one of several constructors sets, or no constructor but a method: without them they are null.
    pub late: BTreeSet<FieldName>,
    /// Fields that a constructor sets to what it is given, with the methods that set them to null.
    pub given_up: BTreeMap<FieldName, BTreeSet<Arc<str>>>,
    /// The classes of fields.
    pub types: BTreeMap<FieldName, ClassName>,
    /// What a method without parameters returns, if it does nothing else.
    pub getters: BTreeMap<MethodName, Source>,
    /// The arrays whose elements methods return, at positions that their callers know.
    pub elements: BTreeMap<MethodName, FieldName>,
    /// The arrays whose elements methods take at such positions.
    pub indexed: BTreeSet<(MethodName, FieldName)>,
    /// Arrays in which methods put elements, and no constructor does, with these methods and those of the class that
    /// call them.
    pub filled: BTreeMap<FieldName, BTreeSet<Arc<str>>>,
    /// What methods keep of getters in local variables.
    pub kept: BTreeMap<MethodName, Vec<Kept>>,
    /// What methods pass on of their own fields and parameters.
    pub passed: BTreeMap<MethodName, Vec<Passed>>,
    /// The parameters of methods that refer to objects and are never set anew.
    pub parameters: BTreeMap<MethodName, Vec<Parameter>>,
}

/// Methods of a class that have one name.
pub type MethodName = (ClassName, Arc<str>);

/// A getter whose value goes into a local variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    pub getter: MethodName,
    /// What the variable is of.
    pub class: ClassName,
    pub local: u16,
}

/// Where a getter has its value from, as the last link of a chain that begins with `this`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    Field(FieldName),
    Getter(MethodName),
}

/// An argument of a call that is a field of `this` or a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passed {
    /// The method that is called.
    pub to: MethodName,
    /// The local variable that the argument is there.
    pub local: u16,
    pub origin: Origin,
}

/// A parameter, as messages of the JVM may name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// `None` where the class file has no names.
    pub name: Option<Arc<str>>,
    pub local: u16,
}

/// What a value in a method is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    This,
    /// The parameter, by its local variable.
    Parameter(u16),
    /// A field of `this`.
    Field(FieldName),
    /// An element of an array that is one, at a position that callers know.
    Element(FieldName),
    /// Made of constants and parameters alone, the first of which it is.
    Computed(Option<u16>),
    Null,
    Other,
}

/// Getters that a value may have come through.
const LINKS: usize = 4;

impl Duties {
    /// The field that a getter's value is from, through other getters; `family` is a class and what it inherits from.
    pub fn field_behind(
        &self,
        mut getter: MethodName,
        family: &dyn Fn(&ClassName) -> Vec<ClassName>,
    ) -> Option<&FieldName> {
        for _ in 0..LINKS {
            let mut places = family(&getter.0).into_iter().map(|class| (class, getter.1.clone()));
            match places.find_map(|place| self.getters.get(&place))? {
                Source::Field(field) => return Some(field),
                Source::Getter(next) => getter = next.clone(),
            }
        }
        None
    }
}

/// Reads what classes leave to their callers.
pub fn duties<'a>(classes: impl IntoIterator<Item = &'a ClassFile>) -> Duties {
    let mut duties = Duties::default();
    let mut reads = BTreeSet::new();
    for class in classes {
        // What javac makes of the statement reads this field.
        if class.fields.iter().any(|field| is_assertion_switch(&field.name)) {
            duties.asserting.insert(class.name.clone());
        }
        let types = class.fields.iter().filter_map(|field| match &field.field_type {
            Type::Class(of) => Some(((class.name.clone(), field.name.clone()), of.clone())),
            _ => None,
        });
        duties.types.extend(types);
        let mut decoder = Decoder::new(class);
        let mut setters: BTreeMap<FieldName, usize> = BTreeMap::new();
        let mut own = OwnClass::default();
        let mut constructors = 0;
        for method in &class.methods {
            let Some(body) = method.code.as_ref().and_then(|code| decoder.body(code).ok()) else { continue };
            let name = (class.name.clone(), method.name.clone());
            let kept = kept(&body);
            if !kept.is_empty() {
                duties.kept.entry(name.clone()).or_default().extend(kept);
            }
            let asserted = asserted(method, &body);
            for &(at, is_late) in &asserted {
                let line = method.code.as_ref().and_then(|code| code.line(body.steps[at].pc)).map_or(-1, i32::from);
                let asserts = if is_late { &mut own.late_asserts } else { &mut own.demands };
                asserts.insert((name.clone(), line));
            }
            let uses = uses(method, &body);
            let numbers: BTreeSet<FieldName> = uses.unchecked_numbers(&body).collect();
            if !uses.passed.is_empty() {
                duties.passed.entry(name.clone()).or_default().extend(uses.passed);
            }
            let parameters = unchanged_parameters(method, &body);
            if !parameters.is_empty() {
                duties.parameters.entry(name.clone()).or_default().extend(parameters);
            }
            own.reads.extend(body.steps.iter().filter_map(read_number).map(|field| (name.clone(), field)));
            if method.access & access::STATIC != 0 {
                continue;
            }
            let is_constructor = &*method.name == "<init>";
            let checks = !asserted.is_empty() || body.steps.iter().any(|step| step.opcode == opcode::ATHROW);
            if !numbers.is_empty() && !checks && method.access & access::PRIVATE == 0 {
                duties.unchecked.entry(name.clone()).or_default().extend(numbers);
            }
            constructors += usize::from(is_constructor);
            for field in body.steps.iter().filter_map(set_field).collect::<BTreeSet<_>>() {
                *setters.entry(field).or_default() += usize::from(is_constructor);
            }
            duties.indexed.extend(uses.indexed.into_iter().map(|array| (name.clone(), array)));
            own.fillers.extend(uses.filled.into_iter().map(|field| (field, method.name.clone())));
            own.dropped.extend(uses.dropped.into_iter().map(|field| (field, method.name.clone())));
            if is_constructor {
                own.given.extend(uses.references_set.iter().cloned());
            }
            own.calls.extend(uses.calls.into_iter().map(|callee| (callee, method.name.clone())));
            if is_constructor || method.access & access::PRIVATE != 0 {
                continue;
            }
            if method.descriptor.parameters.is_empty()
                && let Some(source) = returned(&body)
            {
                duties.getters.insert(name.clone(), source);
            }
            if let [Origin::Element(array)] = &uses.returned[..] {
                duties.elements.insert(name.clone(), array.clone());
            }
            duties.settable.extend(uses.references_set);
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
        let late = setters.into_iter().filter(|(field, times)| field.0 == class.name && *times < constructors);
        duties.late.extend(late.map(|(field, _)| field));
        duties.filled.extend(own.filled());
        for (field, method) in own.dropped.iter().filter(|(field, _)| own.given.contains(field)) {
            duties.given_up.entry(field.clone()).or_default().insert(method.clone());
        }
        reads.extend(own.reads());
        duties.demands.extend(own.demands.difference(&own.late_asserts).cloned());
    }
    let names: BTreeSet<&str> = duties.unchecked.values().flatten().map(|(_, field)| &**field).collect();
    reads.retain(|(_, (_, field))| names.contains(&**field));
    duties.reads = reads;
    duties
}

/// What is said of the methods of one class together.
#[derive(Default)]
struct OwnClass {
    late_asserts: BTreeSet<(MethodName, i32)>,
    demands: BTreeSet<(MethodName, i32)>,
    reads: BTreeSet<(MethodName, FieldName)>,
    fillers: BTreeSet<(FieldName, Arc<str>)>,
    /// Fields that constructors set to what they are given.
    given: BTreeSet<FieldName>,
    /// Fields that methods set to null.
    dropped: BTreeSet<(FieldName, Arc<str>)>,
    /// Methods that are called on `this`, and by which.
    calls: BTreeSet<(Arc<str>, Arc<str>)>,
}

impl OwnClass {
    /// What methods read, with what those read that they call on `this`.
    fn reads(&self) -> BTreeSet<(MethodName, FieldName)> {
        let called = self.reads.iter().flat_map(|((class, reader), field)| {
            let callers = self.calls.iter().filter(move |(callee, _)| callee == reader);
            callers.map(move |(_, caller)| ((class.clone(), caller.clone()), field.clone()))
        });
        self.reads.iter().cloned().chain(called).collect()
    }

    fn filled(&self) -> BTreeMap<FieldName, BTreeSet<Arc<str>>> {
        let mut filled: BTreeMap<FieldName, BTreeSet<Arc<str>>> = BTreeMap::new();
        for (field, filler) in &self.fillers {
            let fillers = filled.entry(field.clone()).or_default();
            let mut waiting = vec![filler.clone()];
            while let Some(filler) = waiting.pop() {
                if fillers.insert(filler.clone()) {
                    let callers = self.calls.iter().filter(|(callee, _)| *callee == filler);
                    waiting.extend(callers.map(|(_, caller)| caller.clone()));
                }
            }
        }
        filled.retain(|_, fillers| !fillers.contains("<init>"));
        filled
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

/// What a method does with its fields and parameters.
#[derive(Default)]
struct Uses {
    passed: Vec<Passed>,
    references_set: BTreeSet<FieldName>,
    /// Fields set to a number that a parameter is, and where.
    numbers_set: Vec<(FieldName, u16, usize)>,
    looks: Vec<Look>,
    filled: BTreeSet<FieldName>,
    /// Fields set to null.
    dropped: BTreeSet<FieldName>,
    /// Arrays whose elements are taken at positions that callers know.
    indexed: BTreeSet<FieldName>,
    /// Methods that are called on `this`.
    calls: BTreeSet<Arc<str>>,
    returned: Vec<Origin>,
}

/// A parameter decides about something, or is passed on.
struct Look {
    parameter: u16,
    at: usize,
    /// The last step that may be next; `None` if others decide.
    until: Option<usize>,
}

impl Uses {
    /// Fields that are set to a number whatever that is.
    fn unchecked_numbers(&self, body: &Body) -> impl Iterator<Item = FieldName> {
        let unchecked = self.numbers_set.iter().filter(|&&(_, parameter, set)| {
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

fn uses(method: &Method, body: &Body) -> Uses {
    let mut uses = Uses::default();
    let is_static = method.access & access::STATIC != 0;
    let receiver = (!is_static).then_some(Origin::This);
    let locals = locals(&method.descriptor.parameters, is_static);
    let parameters = locals.map(|(local, of)| (Origin::Parameter(local), is_wide(of)));
    run_straight(body, Frame::at_entry(receiver, parameters), &mut uses);
    uses
}

/// The local variables that parameters are.
fn locals(parameters: &[Type], is_static: bool) -> impl Iterator<Item = (u16, &Type)> {
    parameters.iter().scan(u16::from(!is_static), |next, of| {
        let local = *next;
        *next += 1 + u16::from(is_wide(of));
        Some((local, of))
    })
}

impl Evaluate for Uses {
    type Value = Origin;

    fn evaluate(&mut self, at: usize, step: &Step, operands: &[Origin], _frame: &mut Frame<Origin>) -> Origin {
        use opcode::*;
        let looks =
            |until| operands.iter().filter_map(parameter_in).map(move |parameter| Look { parameter, at, until });
        match (step.opcode, &step.operand, operands) {
            (CHECKCAST, _, [value]) => return value.clone(),
            (GETFIELD, Operand::Field(field), [Origin::This]) => {
                return Origin::Field((field.owner.clone(), field.name.clone()));
            }
            (PUTFIELD, Operand::Field(field), [Origin::This, Origin::Parameter(local)]) => {
                let name = (field.owner.clone(), field.name.clone());
                match &field.field_type {
                    of if is_number(of) => self.numbers_set.push((name, *local, at)),
                    Type::Primitive(_) => {}
                    _ => _ = self.references_set.insert(name),
                }
            }
            (PUTFIELD, Operand::Field(field), [Origin::This, Origin::Null]) => {
                self.dropped.insert((field.owner.clone(), field.name.clone()));
            }
            (AALOAD, _, [Origin::Field(array), Origin::Parameter(_) | Origin::Computed(_)]) => {
                self.indexed.insert(array.clone());
                return Origin::Element(array.clone());
            }
            (AASTORE, _, [Origin::Field(array), _, element]) if *element != Origin::Null => {
                self.filled.insert(array.clone());
            }
            (ARETURN, _, [value]) => self.returned.push(value.clone()),
            (ACONST_NULL, ..) => return Origin::Null,
            (LDC, Operand::Constant(_), []) => return Origin::Computed(None),
            (IADD..=LCMP, _, _) => return computed(operands),
            (_, Operand::Jump(target), _) => self.looks.extend(looks(Some(*target))),
            (_, Operand::Switch { .. }, _) => self.looks.extend(looks(None)),
            (_, Operand::Method(callee), _) => {
                let is_static = step.opcode == INVOKESTATIC;
                if !is_static && operands.first() == Some(&Origin::This) {
                    self.calls.insert(callee.name.clone());
                }
                self.looks.extend(looks(None));
                let arguments = operands.iter().skip(usize::from(!is_static));
                for ((local, of), origin) in locals(&callee.descriptor.parameters, is_static).zip(arguments) {
                    if let (Type::Class(_), Origin::Field(_) | Origin::Parameter(_)) = (of, origin) {
                        let (to, origin) = ((callee.owner.clone(), callee.name.clone()), origin.clone());
                        self.passed.push(Passed { to, local, origin });
                    }
                }
            }
            _ => {}
        }
        Origin::Other
    }
}

/// What arithmetic makes.
fn computed(operands: &[Origin]) -> Origin {
    let is_known = |operand: &Origin| matches!(operand, Origin::Parameter(_) | Origin::Computed(_));
    if !operands.iter().all(is_known) {
        return Origin::Other;
    }
    Origin::Computed(operands.iter().find_map(parameter_in))
}

fn parameter_in(value: &Origin) -> Option<u16> {
    match value {
        Origin::Parameter(local) | Origin::Computed(Some(local)) => Some(*local),
        _ => None,
    }
}

/// Whether it may be a position, a size or a count.
fn is_number(of: &Type) -> bool {
    use Primitive::*;
    matches!(of, Type::Primitive(Int | Long | Short | Byte))
}

/// The field that a step reads a number from.
fn read_number(step: &Step) -> Option<FieldName> {
    match &step.operand {
        Operand::Field(field) if step.opcode == opcode::GETFIELD && is_number(&field.field_type) => {
            Some((field.owner.clone(), field.name.clone()))
        }
        _ => None,
    }
}

fn unchanged_parameters(method: &Method, body: &Body) -> Vec<Parameter> {
    let is_set = |local: u16| {
        body.steps.iter().any(|step| step.opcode == opcode::ASTORE && step.operand == Operand::Local(local))
    };
    let locals = locals(&method.descriptor.parameters, method.access & access::STATIC != 0).enumerate();
    let locals = locals.filter(|(_, (local, of))| matches!(of, Type::Class(_)) && !is_set(*local));
    locals.map(|(at, (local, _))| Parameter { name: method.parameter_names.get(at).cloned(), local }).collect()
}

/// The field that a step sets.
fn set_field(step: &Step) -> Option<FieldName> {
    match &step.operand {
        Operand::Field(field) if step.opcode == opcode::PUTFIELD => Some((field.owner.clone(), field.name.clone())),
        _ => None,
    }
}

/// What `return this.field` or `return this.other.get()` returns, if that is all the method does.
fn returned(body: &Body) -> Option<Source> {
    let [this, links @ .., back] = &*body.steps else { return None };
    if this.operand != Operand::Local(0) || back.opcode != opcode::ARETURN {
        return None;
    }
    links.iter().map(link).collect::<Option<Vec<Source>>>()?.pop()
}

/// What a step gets of the object on the stack.
fn link(step: &Step) -> Option<Source> {
    match &step.operand {
        Operand::Field(field) if step.opcode == opcode::GETFIELD => {
            Some(Source::Field((field.owner.clone(), field.name.clone())))
        }
        Operand::Method(method) if step.opcode != opcode::INVOKESTATIC && method.descriptor.parameters.is_empty() => {
            Some(Source::Getter((method.owner.clone(), method.name.clone())))
        }
        _ => None,
    }
}

fn kept(body: &Body) -> Vec<Kept> {
    let mut kept = Vec::new();
    for (at, step) in body.steps.iter().enumerate().filter(|(_, step)| step.opcode == opcode::ASTORE) {
        let Operand::Local(local) = step.operand else { continue };
        let (cast, get) = match &body.steps[..at] {
            [.., get, cast] if cast.opcode == opcode::CHECKCAST => (Some(&cast.operand), get),
            [.., get] => (None, get),
            [] => continue,
        };
        let (Some(Source::Getter(getter)), Operand::Method(method)) = (link(get), &get.operand) else { continue };
        let of = match cast {
            Some(Operand::Type(of)) => Some(of),
            _ => method.descriptor.returns.as_ref(),
        };
        if let Some(Type::Class(class)) = of {
            kept.push(Kept { getter, class: class.clone(), local });
        }
    }
    kept
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
                C next; C next() { return next; }
                Object nextGiven() { return next().given(); }
                Object firstOfNext() { return next.first; }
                static void use(C of) { String text = (String) of.given(); C next = of.next(); int hash = of.hashCode(); }
            }
            class D { void m(int a) { assert a > 0; } }",
            &[],
        );
        let duties = duties(classes.values());
        let settable: Vec<&str> = duties.settable.iter().map(|(_, name)| &**name).collect();
        assert_eq!(settable, ["given"]);
        let field = |name: &str| Source::Field((ClassName::new("C"), name.into()));
        let getter = |name: &str| (ClassName::new("C"), Arc::from(name));
        let getters = BTreeMap::from([
            (getter("given"), field("given")),
            (getter("next"), field("next")),
            (getter("nextGiven"), Source::Getter(getter("given"))),
            (getter("firstOfNext"), field("first")),
        ]);
        assert_eq!(duties.getters, getters);
        let kept = [("given", "java/lang/String", 1), ("next", "C", 2)];
        let kept = kept.map(|(name, class, local)| Kept { getter: getter(name), class: ClassName::new(class), local });
        assert_eq!(duties.kept, BTreeMap::from([(getter("use"), kept.to_vec())]));
        let given_up = BTreeMap::from([(getter("name"), BTreeSet::from(["close".into()]))]);
        assert_eq!(duties.given_up, given_up);
        let late: Vec<&str> = duties.late.iter().map(|(_, name)| &**name).collect();
        assert_eq!(late, ["count", "given", "made", "name", "own"]);
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
    fn what_is_given_kept_filled_and_passed_is_found() {
        let classes = compile_and_parse(
            "class C {
                int size, limit; C given; Object[] slots = new Object[4], ready = new Object[4];
                C() { ready[0] = this; }
                C(int limit) { this(); this.limit = limit; }
                void shrink(int size) { this.size = size; }
                void limit(int limit) { this.limit = Math.max(limit, 0); }
                void clear(int size) { for (int i = size; i < 4; i++) slots[i] = null; this.size = size; }
                void atLeast(int size) { if (size > this.size) this.size = size; }
                void atMost(int size) { if (size > this.size) return; this.size = size; }
                void grow(long size, int limit) { Math.max(limit, 0); this.size = (int) size; this.limit = limit; }
                int left() { return limit - size; }
                Object[] room() { return new Object[left()]; }
                void grow(int size) { if (size < this.size) throw new IllegalStateException(); this.size = size; }
                void put(int at, Object value) { slots[at] = value; ready[at] = value; }
                void putAll(Object value) { for (int i = 0; i < 4; i++) put(i, value); }
                Object at(int index) { return slots[(index + 1) >> 1]; }
                Object find(Object key) { return slots[key.hashCode() & 3]; }
                int sum() { int sum = 0; for (int i = 0; i < 4; i++) sum += slots[i].hashCode(); return sum; }
                Object first() { return given; }
                void run(long time, C other) { use(time, given, other); }
                void begin(C one, C other) { if (one == null) one = this; use(0, one, other); }
                static void use(long time, C one, C other) { }
            }",
            &[],
        );
        let duties = duties(classes.values());
        let method = |name: &str| (ClassName::new("C"), Arc::from(name));
        let field = method;
        let unchecked = BTreeMap::from([
            (method("<init>"), BTreeSet::from([field("limit")])),
            (method("clear"), BTreeSet::from([field("size")])),
            (method("shrink"), BTreeSet::from([field("size")])),
        ]);
        assert_eq!(duties.unchecked, unchecked);
        let reads = [
            ("atLeast", "size"),
            ("atMost", "size"),
            ("grow", "size"),
            ("left", "limit"),
            ("left", "size"),
            ("room", "limit"),
            ("room", "size"),
        ];
        assert_eq!(duties.reads, reads.map(|(by, of)| (method(by), field(of))).into());
        let indexed = ["at", "sum"].map(|by| (method(by), field("slots")));
        assert_eq!(duties.indexed, BTreeSet::from(indexed));
        assert_eq!(duties.elements, BTreeMap::from([(method("at"), field("slots"))]));
        let fillers = BTreeSet::from(["put".into(), "putAll".into()]);
        assert_eq!(duties.filled, BTreeMap::from([(field("slots"), fillers)]));
        assert_eq!(duties.types, BTreeMap::from([(field("given"), ClassName::new("C"))]));
        let passed = |local, origin| Passed { to: method("use"), local, origin };
        let passed = vec![passed(2, Origin::Field(field("given"))), passed(3, Origin::Parameter(3))];
        assert_eq!(duties.passed[&method("run")], passed);
        let given = |locals: &[u16]| locals.iter().map(|&local| Parameter { name: None, local }).collect::<Vec<_>>();
        assert_eq!(duties.parameters[&method("run")], given(&[3]));
        assert_eq!(duties.parameters[&method("begin")], given(&[2]));
    }
}
