//! What code leaves to its callers: conditions that it asserts, and fields that it wants set.

use super::caches::FieldName;
use super::interpret::is_wide;
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
    /// Fields that a method sets to what it is given, each by the class that the method names.
    pub settable: BTreeSet<FieldName>,
    /// Fields that one of several constructors sets, or no constructor but a method: without them they are null.
    pub late: BTreeSet<FieldName>,
    /// What a method without parameters returns, if it does nothing else.
    pub getters: BTreeMap<Getter, Source>,
    /// What methods keep of getters in local variables, by the method's class and name.
    pub kept: BTreeMap<(ClassName, Arc<str>), Vec<Kept>>,
}

/// A method without parameters, by its class and name.
pub type Getter = (ClassName, Arc<str>);

/// A getter whose value goes into a local variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    pub getter: Getter,
    /// What the variable is of.
    pub class: ClassName,
    pub local: u16,
}

/// Where a getter has its value from, as the last link of a chain that begins with `this`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    Field(FieldName),
    Getter(Getter),
}

/// Getters that a value may have come through.
const LINKS: usize = 4;

impl Duties {
    /// The field that a getter's value is from, through other getters; `family` is a class and what it inherits from.
    pub fn field_behind(
        &self,
        mut getter: Getter,
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
    for class in classes {
        // What javac makes of the statement reads this field.
        if class.fields.iter().any(|field| &*field.name == "$assertionsDisabled") {
            duties.asserting.insert(class.name.clone());
        }
        let mut decoder = Decoder::new(class);
        let mut setters: BTreeMap<FieldName, usize> = BTreeMap::new();
        let mut constructors = 0;
        for method in &class.methods {
            let Some(body) = method.code.as_ref().and_then(|code| decoder.body(code).ok()) else { continue };
            let kept = kept(&body);
            if !kept.is_empty() {
                duties.kept.entry((class.name.clone(), method.name.clone())).or_default().extend(kept);
            }
            if method.access & access::STATIC != 0 {
                continue;
            }
            let is_constructor = &*method.name == "<init>";
            constructors += usize::from(is_constructor);
            for field in body.steps.iter().filter_map(set_field).collect::<BTreeSet<_>>() {
                *setters.entry(field).or_default() += usize::from(is_constructor);
            }
            if is_constructor || method.access & access::PRIVATE != 0 {
                continue;
            }
            if method.descriptor.parameters.is_empty()
                && let Some(source) = returned(&body)
            {
                duties.getters.insert((class.name.clone(), method.name.clone()), source);
            }
            for pair in body.steps.windows(2) {
                if let (Operand::Local(local), Operand::Field(field)) = (&pair[0].operand, &pair[1].operand)
                    && pair[0].opcode == opcode::ALOAD
                    && pair[1].opcode == opcode::PUTFIELD
                    && is_parameter(*local, method)
                {
                    duties.settable.insert((field.owner.clone(), field.name.clone()));
                }
            }
        }
        let late = setters.into_iter().filter(|(field, times)| field.0 == class.name && *times < constructors);
        duties.late.extend(late.map(|(field, _)| field));
    }
    duties
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

/// Whether the local variable of an instance method is one of its parameters.
fn is_parameter(local: u16, method: &Method) -> bool {
    let slots: u16 = method.descriptor.parameters.iter().map(|of| 1 + u16::from(is_wide(of))).sum();
    (1..=slots).contains(&local)
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
                C(Object first, Object name) { this.first = first; this.name = name; }
                void setGiven(long count, Object given) { this.count = count; this.given = given; }
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
        let late: Vec<&str> = duties.late.iter().map(|(_, name)| &**name).collect();
        assert_eq!(late, ["count", "given", "made", "name", "own"]);
        assert_eq!(duties.asserting, BTreeSet::from([ClassName::new("D")]));
    }
}
