//! What differs between two versions of a program's classes: methods whose code is another, and the methods that lead to them.
//!
//! Code is compared as decoded, so that neither line numbers nor the order of the constant pool count. A lambda belongs to
//! the method that its name says, as javac numbers lambdas anew when one is added before them.

use crate::classfile::{Body, CallSite, ClassFile, Decoder, Instruction, MethodMember};
use model::jvm::{ClassName, MethodDescriptor};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A method by its class, name and descriptor.
pub type MethodKey = (ClassName, Arc<str>, MethodDescriptor);

/// The classes of a program by name.
pub type Classes = BTreeMap<ClassName, ClassFile>;

/// What differs between two versions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// Classes that both have, with other members, code or ancestors; and those that only one has.
    pub classes: BTreeSet<ClassName>,
    /// Methods of these classes whose code differs or that only one version has. Of a class whose fields or ancestors
    /// differ and of a class that only one version has, all.
    pub methods: BTreeSet<MethodKey>,
    /// Methods that lead to them in either version, themselves among them.
    pub leading: BTreeSet<MethodKey>,
}

/// Compares two versions.
pub fn difference(older: &Classes, newer: &Classes) -> Difference {
    let mut difference = Difference::default();
    for name in older.keys().chain(newer.keys()).collect::<BTreeSet<_>>() {
        let changed = match (older.get(name), newer.get(name)) {
            (Some(older), Some(newer)) => changed_methods(older, newer),
            (Some(class), None) | (None, Some(class)) => Some(methods(class).collect()),
            (None, None) => None,
        };
        if let Some(changed) = changed {
            difference.classes.insert(name.clone());
            difference.methods.extend(changed);
        }
    }
    difference.leading = leading(&difference.methods, [older, newer]);
    difference
}

/// The methods that differ; `None` if nothing does.
fn changed_methods(older: &ClassFile, newer: &ClassFile) -> Option<BTreeSet<MethodKey>> {
    let [before, after] = [older, newer].map(bodies);
    let mut changed = BTreeSet::new();
    for name in before.keys().chain(after.keys()) {
        let (was, is) = (before.get(name), after.get(name));
        if was.map(|was| (was.access, &was.body)) != is.map(|is| (is.access, &is.body)) {
            changed.extend(was.into_iter().chain(is).map(|method| method.key.clone()));
        }
    }
    if shape(older) != shape(newer) && changed.is_empty() {
        return Some(methods(older).chain(methods(newer)).collect());
    }
    (!changed.is_empty()).then_some(changed)
}

fn key(class: &ClassFile, name: &Arc<str>, descriptor: &MethodDescriptor) -> MethodKey {
    (class.name.clone(), name.clone(), descriptor.clone())
}

fn methods(class: &ClassFile) -> impl Iterator<Item = MethodKey> + '_ {
    class.methods.iter().map(|method| key(class, &method.name, &method.descriptor))
}

/// What a class declares beside its methods, as far as it can show in behaviour.
fn shape(class: &ClassFile) -> impl PartialEq + use<> {
    let mut fields: Vec<_> = class
        .fields
        .iter()
        .map(|field| (field.name.clone(), field.field_type.to_string(), field.access, field.constant_value.clone()))
        .collect();
    fields.sort();
    let components = class.record_components.clone();
    (class.access, class.super_class.clone(), class.interfaces.clone(), fields, components)
}

/// A method as far as it can show in behaviour.
struct Compared {
    key: MethodKey,
    access: u16,
    /// Without the places of its instructions; a body that cannot be decoded is like none.
    body: Option<Body>,
}

/// The methods by name and descriptor, where lambdas are counted anew in each method: one more lambda changes the names of all
/// that follow.
fn bodies(class: &ClassFile) -> BTreeMap<(String, MethodDescriptor), Compared> {
    let mut names: Vec<&Arc<str>> = class.methods.iter().map(|method| &method.name).collect();
    names.sort_by_key(|name| lambda(name).map(|(_, number)| number));
    let (mut counts, mut counted) = (BTreeMap::new(), BTreeMap::new());
    for name in names {
        if let Some((around, _)) = lambda(name) {
            let count: &mut u32 = counts.entry(around).or_default();
            counted.insert(&**name, format!("lambda${around}${count}"));
            *count += 1;
        }
    }
    let rename = |name: &str| counted.get(name).cloned().unwrap_or_else(|| name.to_string());
    let mut decoder = Decoder::new(class);
    let compared = class.methods.iter().map(|method| {
        let mut body = method.code.as_ref().and_then(|code| decoder.body(code).ok());
        for step in body.iter_mut().flat_map(|body| &mut body.steps) {
            step.pc = 0;
            if let Instruction::InvokeDynamic(site) = &mut step.instruction {
                let mut renamed = CallSite::clone(site);
                renamed.handles.iter_mut().for_each(|handle| handle.name = rename(&handle.name).into());
                *site = renamed.into();
            }
        }
        let key = key(class, &method.name, &method.descriptor);
        ((rename(&method.name), method.descriptor.clone()), Compared { key, access: method.access, body })
    });
    compared.collect()
}

/// The method around a lambda and the lambda's number.
fn lambda(name: &str) -> Option<(&str, u32)> {
    let (around, number) = name.strip_prefix("lambda$")?.rsplit_once('$')?;
    Some((around, number.parse().ok()?))
}

/// The methods, and those from which calls may lead to them: a call is followed to every method of its name and descriptor,
/// as the class of an object decides which of them runs.
fn leading(changed: &BTreeSet<MethodKey>, versions: [&Classes; 2]) -> BTreeSet<MethodKey> {
    let mut callers: FxHashMap<(Arc<str>, MethodDescriptor), Vec<MethodKey>> = FxHashMap::default();
    for class in versions.into_iter().flat_map(BTreeMap::values) {
        let mut decoder = Decoder::new(class);
        for method in &class.methods {
            let Some(body) = method.code.as_ref().and_then(|code| decoder.body(code).ok()) else { continue };
            let caller = key(class, &method.name, &method.descriptor);
            for called in body.steps.iter().flat_map(|step| called(&step.instruction)) {
                let is_own = versions.iter().any(|classes| classes.contains_key(&called.owner));
                if is_own {
                    callers.entry((called.name, called.descriptor)).or_default().push(caller.clone());
                }
            }
        }
    }
    let mut found = changed.clone();
    let mut open: Vec<MethodKey> = changed.iter().cloned().collect();
    let mut seen: FxHashSet<(Arc<str>, MethodDescriptor)> = FxHashSet::default();
    while let Some((_, name, descriptor)) = open.pop() {
        let called = (name, descriptor);
        if !seen.insert(called.clone()) {
            continue;
        }
        for caller in callers.get(&called).into_iter().flatten() {
            if found.insert(caller.clone()) {
                open.push(caller.clone());
            }
        }
    }
    found
}

/// The methods that an instruction may call.
fn called(instruction: &Instruction) -> Vec<MethodMember> {
    match instruction {
        Instruction::Invoke { method, .. } => vec![MethodMember::clone(method)],
        Instruction::InvokeDynamic(site) => site.handles.clone(),
        _ => Vec::new(),
    }
}

/// The name of a method as source has it: that of the method around a lambda.
pub fn source_name(name: &str) -> &str {
    lambda(name).map_or(name, |(around, _)| around)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classfile::testing::compile_and_parse;

    fn changed(older: &str, newer: &str) -> (Vec<String>, Vec<String>) {
        let found = difference(&compile_and_parse(older, &["-g"]), &compile_and_parse(newer, &["-g"]));
        let names = |keys: &BTreeSet<MethodKey>| keys.iter().map(|(_, name, _)| name.to_string()).collect();
        (names(&found.methods), names(&found.leading))
    }

    const OLDER: &str = "class A {
        int size; boolean isFull() { return size >= 3; } void add() { if (!isFull()) size++; } int size() { return size; } }";

    #[test]
    fn changed_condition_is_found_with_its_callers() {
        let newer = OLDER.replace(">= 3", "> 3");
        assert_eq!(changed(OLDER, &newer), (vec!["isFull".into()], vec!["add".into(), "isFull".into()]));
    }

    #[test]
    fn moved_lines_and_constants_are_no_change() {
        let newer = OLDER.replace("int size;", "\n\nint size;").replace("int size() {", "\n int size() {");
        assert_eq!(changed(OLDER, &newer), (Vec::new(), Vec::new()));
    }

    #[test]
    fn caller_of_a_lambda_leads_to_it() {
        let older = "class A { Runnable run(int[] a) { return () -> a[0] = 1; } }";
        let (methods, leading) = changed(older, &older.replace("= 1", "= 2"));
        assert_eq!(methods, ["lambda$run$0"]);
        assert_eq!(leading, ["lambda$run$0", "run"]);
        assert_eq!((source_name("lambda$run$0"), source_name("run")), ("run", "run"));
    }

    #[test]
    fn lambda_that_is_numbered_anew_is_no_change() {
        let older = "class A { Runnable one() { return () -> {}; } Runnable two(int[] a) { return () -> a[0] = 1; } }";
        let newer = older.replace("Runnable one() { return () -> {}; }", "Runnable one() { return null; }");
        assert_eq!(changed(older, &newer).0, ["lambda$one$0", "one"]);
    }
}
