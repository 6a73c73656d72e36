//! What calls may change: for each operation the inputs whose state may be another afterwards, and static state.
//!
//! In the spirit of ReIm (which GRT §3.2 uses; docs/bibliography.md), but simpler. The body of each method is
//! summarized once, without regard to order ([`flow`]), in terms of its parameters: what it changes, keeps and returns
//! of them. The summaries of callers and callees are then brought to a fixpoint. A virtual call may lead to every
//! override among the classes that were read. Code of the platform is not analysed but listed ([`platform`]); what is
//! not listed, native, or on no class path may change everything it can reach. Initializers of classes and what
//! threads do later are not considered.

mod flow;
mod platform;

use crate::classfile::{ClassFile, MethodMember};
use flow::{Callee, Facts, Summary};
use model::jvm::ClassName;
use model::jvm::types::{TypeTable, access};
use model::sequence::{Operation, OperationKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Classes of dependencies that are read for their code alone.
const CLASS_LIMIT: usize = 3_000;
/// How often the classes are asked for that newly read code calls.
const READING_ROUNDS: usize = 3;

/// Gives class files in the order asked; `None` for those on no path.
type Source<'a> = dyn FnMut(&[ClassName]) -> Vec<Option<ClassFile>> + 'a;

/// What a call may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effects {
    /// A bit for each input; those from the tenth on share one.
    inputs: u32,
    /// It may change what static fields hold or lead to, or the world.
    pub statics: bool,
    /// It returns its receiver, unless it returns null: a fluent method.
    pub returns_receiver: bool,
}

impl Effects {
    /// Nothing changes.
    pub const NONE: Effects = Effects { inputs: 0, statics: false, returns_receiver: false };
    /// Anything may change.
    pub const ALL: Effects = Effects { inputs: u32::MAX, statics: true, returns_receiver: false };

    /// Whether the call changes nothing that existed before it.
    pub fn is_pure(self) -> bool {
        self.inputs == 0 && !self.statics
    }

    /// Whether the state of an input may be another afterwards; the receiver is input 0.
    pub fn changes(self, input: usize) -> bool {
        self.inputs & (1 << flow::clamped(input)) != 0
    }
}

/// The effects of each operation. `classes` are those whose code is known already; those that it calls are asked for.
pub fn effects<'a>(
    operations: &[Operation],
    classes: impl Iterator<Item = &'a ClassFile>,
    types: &TypeTable,
    source: &mut Source,
) -> Vec<Effects> {
    let classes = classes.filter(|class| !platform::is_platform(&class.name));
    let mut graph = Graph {
        classes: classes.map(|class| (class.name.clone(), Cow::Borrowed(class))).collect(),
        types,
        subtypes: FxHashMap::default(),
        facts: FxHashMap::default(),
        dispatches: Vec::new(),
        dispatch_ids: FxHashMap::default(),
        methods: Vec::new(),
        ids: FxHashMap::default(),
        asked: BTreeSet::new(),
    };
    let calls: Vec<Option<Callee>> = operations.iter().map(callee_of).collect();
    for round in 0..=READING_ROUNDS {
        graph.follow(calls.iter().flatten());
        if round == READING_ROUNDS || !graph.read_more(source) {
            break;
        }
    }
    graph.settle();
    operations.iter().zip(&calls).map(|(operation, callee)| graph.effects_of(operation, callee.as_ref())).collect()
}

/// Where a call may lead.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Target {
    /// Index of a method of the graph.
    Method(usize),
    Platform(platform::Effect),
    Unknown,
}

struct MethodNode {
    facts: Arc<Facts>,
    /// The dispatch of each call of its facts.
    calls: Vec<usize>,
    summary: Summary,
}

/// All calls of one method by one name.
struct Dispatch {
    targets: Vec<Target>,
    /// What all targets do together.
    summary: Summary,
}

/// The methods that the operations reach, and what calls what.
struct Graph<'a> {
    classes: BTreeMap<ClassName, Cow<'a, ClassFile>>,
    types: &'a TypeTable,
    /// Classes that have instances and that the key is an ancestor of (or the class itself).
    subtypes: FxHashMap<ClassName, Vec<ClassName>>,
    /// Of the methods of classes that were looked at, in order of their class files.
    facts: FxHashMap<ClassName, Vec<Arc<Facts>>>,
    dispatches: Vec<Dispatch>,
    dispatch_ids: FxHashMap<Callee, usize>,
    methods: Vec<MethodNode>,
    /// By class and position in it.
    ids: FxHashMap<(ClassName, usize), usize>,
    asked: BTreeSet<ClassName>,
}

fn callee_of(operation: &Operation) -> Option<Callee> {
    let mut descriptor = operation.descriptor.clone();
    if operation.kind == OperationKind::Constructor {
        descriptor.returns = None;
    }
    let member = MethodMember { owner: operation.owner.clone(), name: operation.name.clone(), descriptor };
    operation
        .is_code()
        .then(|| Callee { member: Arc::new(member), is_virtual: operation.kind == OperationKind::InstanceMethod })
}

impl Graph<'_> {
    /// Finds all methods that the calls lead to, with what is known of the classes now.
    fn follow<'c>(&mut self, calls: impl Iterator<Item = &'c Callee>) {
        self.learn_hierarchy();
        self.dispatches.clear();
        self.dispatch_ids.clear();
        self.methods.clear();
        self.ids.clear();
        for callee in calls {
            self.dispatch_of(callee);
        }
        let mut at = 0;
        while at < self.methods.len() {
            let facts = self.methods[at].facts.clone();
            self.methods[at].calls = facts.calls.iter().map(|call| self.dispatch_of(&call.callee)).collect();
            at += 1;
        }
    }

    fn learn_hierarchy(&mut self) {
        let mut subtypes: FxHashMap<ClassName, Vec<ClassName>> = FxHashMap::default();
        for class in self.classes.values().filter(|class| class.access & access::ABSTRACT == 0) {
            let mut waiting = vec![&class.name];
            let mut seen = BTreeSet::new();
            while let Some(name) = waiting.pop() {
                if let Some(known) = self.classes.get(name)
                    && seen.insert(name)
                {
                    waiting.extend(known.super_class.iter().chain(&known.interfaces));
                }
            }
            for ancestor in seen {
                subtypes.entry(ancestor.clone()).or_default().push(class.name.clone());
            }
        }
        self.subtypes = subtypes;
    }

    /// Asks for the classes that are called or extended and not known; whether there are new ones.
    fn read_more(&mut self, source: &mut Source) -> bool {
        let called = self.methods.iter().flat_map(|method| &method.facts.calls).map(|call| &call.callee.member.owner);
        let extended = self.classes.values().flat_map(|class| class.super_class.iter().chain(&class.interfaces));
        let is_wanted = |name: &&ClassName| {
            !self.classes.contains_key(name)
                && !self.asked.contains(name)
                && !name.internal().starts_with('[')
                && !platform::is_platform(name)
        };
        let wanted: BTreeSet<ClassName> = called.chain(extended).filter(is_wanted).cloned().collect();
        let wanted: Vec<ClassName> = wanted.into_iter().take(CLASS_LIMIT - self.asked.len()).collect();
        if wanted.is_empty() {
            return false;
        }
        let found = source(&wanted).into_iter().flatten();
        let known = self.classes.len();
        self.classes.extend(found.map(|class| (class.name.clone(), Cow::Owned(class))));
        self.asked.extend(wanted);
        self.classes.len() > known
    }

    fn dispatch_of(&mut self, callee: &Callee) -> usize {
        if let Some(&known) = self.dispatch_ids.get(callee) {
            return known;
        }
        let member = &callee.member;
        let receivers = match self.subtypes.get(&member.owner) {
            Some(subtypes) if callee.is_virtual => subtypes.clone(),
            // If no known class implements an interface, an unknown one may.
            None if callee.is_virtual && self.classes.contains_key(&member.owner) => Vec::new(),
            _ => vec![member.owner.clone()],
        };
        let mut targets = Vec::new();
        for receiver in &receivers {
            let target = self.resolve(receiver, member);
            if !targets.contains(&target) {
                targets.push(target);
            }
        }
        if targets.is_empty() {
            targets.push(Target::Unknown);
        }
        self.dispatches.push(Dispatch { targets, summary: Summary::default() });
        self.dispatch_ids.insert(callee.clone(), self.dispatches.len() - 1);
        self.dispatches.len() - 1
    }

    /// What runs when the method is called on an object of the class itself (JVMS §5.4.6).
    fn resolve(&mut self, receiver: &ClassName, member: &MethodMember) -> Target {
        for name in self.ancestry(receiver) {
            let Some(class) = self.classes.get(&name) else {
                let known = self.types.ancestry(&name).into_iter().map(|facts| &facts.name);
                match platform::effect(std::iter::once(&name).chain(known), &member.name) {
                    Some(effect) => return Target::Platform(effect),
                    None => continue,
                }
            };
            let declared = class.methods.iter().position(|method| {
                let is_abstract = method.access & access::ABSTRACT != 0;
                !is_abstract && method.name == member.name && method.descriptor == member.descriptor
            });
            if let Some(at) = declared {
                return Target::Method(self.method_at(&name, at));
            }
        }
        Target::Unknown
    }

    /// The class, its superclasses, and the interfaces of all of them, as far as they are known.
    fn ancestry(&self, of: &ClassName) -> Vec<ClassName> {
        let known = |name: &ClassName| self.classes.get(name);
        let mut found: Vec<ClassName> =
            std::iter::successors(Some(of.clone()), |name| known(name)?.super_class.clone())
                .take(self.classes.len() + 1)
                .collect();
        let mut next = 0;
        while next < found.len() {
            let interfaces = known(&found[next]).map_or(&[][..], |class| &class.interfaces);
            let new: Vec<ClassName> = interfaces.iter().filter(|name| !found.contains(name)).cloned().collect();
            found.extend(new);
            next += 1;
        }
        found
    }

    fn method_at(&mut self, class: &ClassName, at: usize) -> usize {
        let key = (class.clone(), at);
        if let Some(&known) = self.ids.get(&key) {
            return known;
        }
        let file = &self.classes[class];
        let facts = self.facts.entry(class.clone()).or_insert_with(|| flow::facts_of(file))[at].clone();
        self.methods.push(MethodNode { facts, calls: Vec::new(), summary: Summary::default() });
        self.ids.insert(key, self.methods.len() - 1);
        self.methods.len() - 1
    }

    /// Computes the summaries: the least that agree with each other.
    fn settle(&mut self) {
        let lambdas: FxHashSet<&ClassName> = self.methods.iter().flat_map(|method| &method.facts.lambdas).collect();
        for (callee, &dispatch) in &self.dispatch_ids {
            if callee.is_virtual && lambdas.contains(&callee.member.owner) {
                self.dispatches[dispatch].targets.push(Target::Unknown);
            }
        }
        let mut dispatches_to = vec![Vec::new(); self.methods.len()];
        let mut callers = vec![BTreeSet::new(); self.dispatches.len()];
        for (at, dispatch) in self.dispatches.iter_mut().enumerate() {
            for target in &dispatch.targets {
                match target {
                    Target::Method(method) => dispatches_to[*method].push(at),
                    Target::Platform(effect) => drop(dispatch.summary.join(&Summary::of_platform(*effect))),
                    Target::Unknown => drop(dispatch.summary.join(&Summary::unknown())),
                }
            }
        }
        for (at, method) in self.methods.iter().enumerate() {
            for &call in &method.calls {
                callers[call].insert(at);
            }
        }
        let order = self.callees_first();
        let mut rank = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, &method)| rank[method] = at);
        let mut waiting: BTreeSet<usize> = (0..order.len()).collect();
        while let Some(next) = waiting.pop_first() {
            let at = order[next];
            let method = &mut self.methods[at];
            let callees: Vec<&Summary> = method.calls.iter().map(|&call| &self.dispatches[call].summary).collect();
            if !method.summary.join(&method.facts.solve(&callees)) {
                continue;
            }
            for &dispatch in &dispatches_to[at] {
                if self.dispatches[dispatch].summary.join(&method.summary) {
                    waiting.extend(callers[dispatch].iter().map(|&caller| rank[caller]));
                }
            }
        }
    }

    /// All methods, each after those that it calls as far as they do not call each other.
    fn callees_first(&self) -> Vec<usize> {
        let callees = |at: usize| -> Vec<usize> {
            let targets = self.methods[at].calls.iter().flat_map(|&call| &self.dispatches[call].targets);
            let method = |target: &Target| if let Target::Method(at) = target { Some(*at) } else { None };
            targets.filter_map(method).collect()
        };
        let mut order = Vec::with_capacity(self.methods.len());
        let mut seen = vec![false; self.methods.len()];
        for start in 0..self.methods.len() {
            let mut path = Vec::new();
            let mut next = Some(start);
            loop {
                if let Some(method) = next.take().filter(|&method| !std::mem::replace(&mut seen[method], true)) {
                    path.push((method, callees(method)));
                }
                let Some((method, rest)) = path.last_mut() else { break };
                next = rest.pop();
                if next.is_none() {
                    order.push(*method);
                    path.pop();
                }
            }
        }
        order
    }

    /// Whether the declared result can be the receiver and is tracked: of texts, numbers and what is caught the flow knows
    /// nothing.
    fn may_return_receiver(&self, operation: &Operation) -> bool {
        let returned = operation.descriptor.returns.as_ref().and_then(|of| of.class_name());
        operation.kind == OperationKind::InstanceMethod
            && returned.is_some_and(|of| !platform::is_platform(of) && self.ancestry(&operation.owner).contains(of))
    }

    fn effects_of(&self, operation: &Operation, callee: Option<&Callee>) -> Effects {
        match (operation.kind, callee) {
            (_, Some(callee)) => {
                let summary = &self.dispatches[self.dispatch_ids[callee]].summary;
                // What a constructor makes was not there before.
                let first = usize::from(operation.kind == OperationKind::Constructor);
                let changed = (0..operation.inputs.len()).filter(|input| summary.changes(input + first));
                Effects {
                    inputs: changed.fold(0, |bits, input| bits | 1 << flow::clamped(input)),
                    statics: summary.changes_statics(),
                    returns_receiver: summary.returns_receiver() && self.may_return_receiver(operation),
                }
            }
            (OperationKind::SetField, _) => Effects { inputs: 1, ..Effects::NONE },
            (OperationKind::SetStatic, _) => Effects { statics: true, ..Effects::NONE },
            _ => Effects::NONE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classfile::testing::compile_and_parse;

    /// The effects of the method `m` of class `C`. Of the classes those that `is_known` are known from the beginning.
    fn effects_of(source: &str, is_known: fn(&ClassName) -> bool) -> Effects {
        let classes = compile_and_parse(source, &[]);
        let mut types = TypeTable::default();
        classes.values().for_each(|class| types.insert(class.to_facts()));
        let class = &classes[&ClassName::new("C")];
        let method = class.methods.iter().find(|method| &*method.name == "m").unwrap();
        let is_static = method.access & access::STATIC != 0;
        let kind = if is_static { OperationKind::StaticMethod } else { OperationKind::InstanceMethod };
        let operation = Operation::new(kind, class.name.clone(), method.name.clone(), method.descriptor.clone());
        let source = &mut |names: &[ClassName]| names.iter().map(|name| classes.get(name).cloned()).collect();
        effects(&[operation], classes.values().filter(|class| is_known(&class.name)), &types, source)[0]
    }

    /// Checks which inputs of `m` change, and whether static state does.
    fn check(source: &str, inputs: &[usize], statics: bool) {
        let found = effects_of(source, |_| true);
        let changed: Vec<usize> = (0..4).filter(|&input| found.changes(input)).collect();
        assert_eq!((changed.as_slice(), found.statics), (inputs, statics), "{source}");
    }

    #[test]
    fn getter_is_pure_and_setter_changes_its_receiver() {
        check("class C { Object f; Object m() { return f; } }", &[], false);
        check("class C { Object f; void m(Object a) { f = a; } }", &[0], false);
        check("class C { static int f; int m() { return f; } }", &[], false);
        check("class C { static int f; void m() { f++; } }", &[], true);
        check("class C { void m(int[] a, int[] b) { b[0] = a[0]; } }", &[2], false);
    }

    #[test]
    fn fluent_method_returns_its_receiver() {
        let check = |source: &str, expected: bool| {
            assert_eq!(effects_of(source, |_| true).returns_receiver, expected, "{source}");
        };
        check("class C { int f; C m() { f++; return this; } }", true);
        check("class C { int f; C m(C a) { C own = this; return f > 0 ? own : null; } }", true);
        check("class C { int f; C m(C a) { return f > 0 ? this : a; } }", false);
        check("class C { C m() { return new C(); } }", false);
        check("class C { C m() { return this; } } class D extends C { C m() { return new C(); } }", false);
        check("class C { static C m(C a) { return a; } }", false);
        check("class C { void m() { } }", false);
        check("class C { int f; Object m(String s) { return f > 0 ? this : s; } }", false);
    }

    #[test]
    fn change_of_a_new_object_is_pure() {
        check(
            "class C { int f; C m() { C c = new C(); c.f = 5; int[] a = new int[4]; a[1] = c.f; return c; } }",
            &[],
            false,
        );
        check("class C { int f; void m(C a) { C c = f > 0 ? new C() : a; c.f = 5; } }", &[1], false);
    }

    #[test]
    fn change_of_an_object_reachable_from_a_parameter_changes_the_parameter() {
        check("class C { C f; int n; static void m(C a) { a.f.f.n = 1; } }", &[0], false);
        check("class C { int[][] f; static void m(C a, C b) { int[] row = b.f[1]; row[0] = 1; } }", &[1], false);
    }

    #[test]
    fn change_through_a_new_object_that_holds_a_parameter_changes_the_parameter() {
        let holder = "class H { C held; int own; H(C held) { this.held = held; } C get() { return held; } }
            class C { int n; ";
        check(&format!("{holder} static void m(C a) {{ new H(a).get().n = 1; }} }}"), &[0], false);
        check(&format!("{holder} static int m(C a) {{ H h = new H(a); h.own = 2; return h.get().n; }} }}"), &[], false);
    }

    #[test]
    fn effects_of_a_callee_are_effects_of_its_caller() {
        let callees = "class C { int n; void set(int n) { this.n = n; } int get() { return n; }
            static C same(C a) { return a; } static void count(C a) { if (a.n > 0) { a.n--; count(a); } } ";
        check(&format!("{callees} void m(C a) {{ a.set(get()); }} }}"), &[1], false);
        check(&format!("{callees} int m(C a) {{ return a.get(); }} }}"), &[], false);
        check(&format!("{callees} void m(C a) {{ same(a).set(1); }} }}"), &[1], false);
        check(&format!("{callees} void m(C a, C b) {{ count(b); }} }}"), &[2], false);
    }

    #[test]
    fn virtual_call_has_the_effects_of_every_override() {
        let shapes = "interface S { int area(); }
            class A implements S { public int area() { return 1; } }
            class B extends A { int calls; public int area() { return ++calls; } } ";
        check(&format!("{shapes} class C {{ int m(S a) {{ return a.area(); }} }}"), &[1], false);
        let pure = shapes.replace("++calls", "calls");
        check(&format!("{pure} class C {{ int m(S a) {{ return a.area(); }} }}"), &[], false);
    }

    #[test]
    fn unknown_callee_may_change_everything() {
        check("class C { native void n(C a); void m(C a) { n(a); } }", &[0, 1], true);
        check("interface S { void run(); } class C { void m(S a) { a.run(); } }", &[1], true);
        check("class C { void m() { System.exit(3); } }", &[], true);
        let lambda =
            "interface S { void run(); } class A implements S { public void run() {} } class C { static int n; ";
        check(&format!("{lambda} void m(S a) {{ a.run(); }} }}"), &[], false);
        check(
            &format!(
                "{lambda} static void o() {{ m(() -> n++); }} static void m(S a) {{ a.run(); if (n < 0) o(); }} }}"
            ),
            &[0],
            true,
        );
    }

    #[test]
    fn platform_methods_have_their_listed_effects() {
        let with =
            |body: &str| format!("import java.util.*; class C {{ List<C> list = new ArrayList<>(); int n; {body} }}");
        check(&with("int m() { int sum = 0; for (C c : list) sum += c.n; return sum; }"), &[], false);
        check(&with("void m(C a) { list.add(a); list.clear(); }"), &[0], false);
        check(&with("void m(C a) { list.add(a); list.get(0).n = 1; }"), &[0, 1], false);
        check(&with("void m(List<C> a) { for (C c : a) c.n = 0; }"), &[1], false);
        check(&with("List<C> m(List<C> a) { List<C> b = new ArrayList<>(a); b.remove(0); return b; }"), &[], false);
        check(&with("List<C> m() { return Collections.unmodifiableList(list); }"), &[], false);
        check(
            &with("String m(String a) { return new StringBuilder(a).append(n).reverse().toString().trim() + list; }"),
            &[],
            false,
        );
        check(&with("void m(int[] a, int[] b) { System.arraycopy(a, 0, b, 0, 3); }"), &[2], false);
        check(&with("void m() { throw new IllegalStateException(\"n \" + n); }"), &[], false);
    }

    #[test]
    fn inherited_platform_method_has_its_listed_effects() {
        check("class C extends java.util.ArrayList<String> { boolean m() { return contains(\"a\"); } }", &[], false);
        check("class C extends java.util.ArrayList<String> { void m() { clear(); } }", &[0], false);
    }

    #[test]
    fn called_classes_are_analysed() {
        let source = "class C { static int m(D a) { return a.next(); } } class D extends E {}
            class E { int n; int next() { return n++; } }";
        let found = effects_of(source, |name| name.internal() == "C");
        assert_eq!((found.changes(0), found.statics), (true, false));
    }
}
