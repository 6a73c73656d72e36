//! What one method does with the objects it can reach.
//!
//! Objects are told apart by where they come from: each parameter, static fields, and each step that creates or gets an
//! object. Of each there are three *nodes*: the object itself, what its fields or elements hold, and what those lead
//! to. (With two, `this.list.add(a); this.list.clear()` would change `a`.) A value is the set of nodes it may be. That a
//! node may also be another one, as what a call returned may be a parameter, is found out when the summaries of the
//! callees are known.

use super::platform::Effect;
use crate::analysis::interpret::{AbstractFrame, Domain, Evaluate, interpret, is_wide};
use crate::classfile::instruction::{Element, FieldAccess, InvokeKind, Kind};
use crate::classfile::{Body, CallSite, ClassFile, Constant, Decoder, Instruction, Method, MethodMember, Step};
use model::jvm::types::{access, unboxed};
use model::jvm::{ClassName, MethodDescriptor, Type};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A set of nodes. Bit 0 is all that static fields lead to; the three bits from 3n + 1 are the nodes of object n.
type Nodes = u128;

const STATIC: Nodes = 1;
/// Objects 0 to 9 are the receiver and the parameters; the last stands for all further parameters too.
const PARAMETERS: usize = 10;
/// Objects 10 to 41 are those of the method's steps; the last stands for all further ones.
const LAST_OBJECT: usize = 41;
/// The nodes that callers know.
const OUTER: Nodes = (1 << (3 * PARAMETERS + 1)) - 1;
/// The objects themselves.
const ROOTS: Nodes = OBJECT_0 * (((1 << (3 * (LAST_OBJECT + 1))) - 1) / 0b111);
const OBJECT_0: Nodes = 0b10;

/// The index that an input shares with all that are too many to have their own.
pub(super) fn clamped(input: usize) -> usize {
    input.min(PARAMETERS - 1)
}

fn root(object: usize) -> Nodes {
    OBJECT_0 << (3 * object)
}

fn fields(object: usize) -> Nodes {
    root(object) << 1
}

fn deep(object: usize) -> Nodes {
    root(object) << 2
}

/// What the fields and elements of the nodes hold.
fn content(of: Nodes) -> Nodes {
    let ends = ROOTS << 2 | STATIC;
    (of & !ends) << 1 | (of & ends)
}

/// All that can be reached from the nodes, but not they.
fn reach(of: Nodes) -> Nodes {
    content(of) | content(content(of))
}

/// The bits of a set.
fn each(of: Nodes) -> impl Iterator<Item = usize> {
    let mut rest = of;
    std::iter::from_fn(move || {
        let node = rest.trailing_zeros() as usize;
        rest &= rest.checked_sub(1)?;
        Some(node)
    })
}

/// A method as a call names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Callee {
    pub(super) member: Arc<MethodMember>,
    /// The receiver's class decides what runs.
    pub(super) is_virtual: bool,
}

/// What a caller has to know of a method, in the nodes of its receiver and parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Summary {
    changed: Nodes,
    /// What the returned object may be, if it is not new.
    returned: Nodes,
    /// It may return something else than its receiver or null.
    returns_other: bool,
    /// What the returned object may lead to.
    returned_content: Nodes,
    /// What the fields of each parameter, and what those lead to, may be afterwards beside what they were.
    kept: [[Nodes; 2]; PARAMETERS],
    /// What static fields may lead to afterwards.
    escaped: Nodes,
}

impl Summary {
    /// Of code that may do anything.
    pub(super) fn unknown() -> Summary {
        Summary {
            changed: OUTER,
            returned: STATIC,
            returns_other: true,
            returned_content: STATIC,
            kept: [[0; 2]; PARAMETERS],
            escaped: OUTER,
        }
    }

    pub(super) fn of_platform(effect: Effect) -> Summary {
        let inputs = OUTER & !STATIC;
        let reader = Summary { returned: inputs, returns_other: true, returned_content: inputs, ..Summary::default() };
        let keep = |object: usize| [inputs & !(root(object) | fields(object) | deep(object)), 0];
        match effect {
            Effect::Pure => reader,
            Effect::Fresh => Summary { returned: 0, ..reader },
            Effect::First => {
                let mut kept = [[0; 2]; PARAMETERS];
                kept[0] = keep(0);
                Summary { changed: root(0), kept, ..reader }
            }
            Effect::Rest => {
                let mut kept = std::array::from_fn(keep);
                kept[0] = [0; 2];
                Summary { changed: inputs & ROOTS & !root(0), kept, ..reader }
            }
            Effect::All => Summary { changed: inputs & ROOTS, kept: std::array::from_fn(keep), ..reader },
        }
    }

    /// Adds what the other does; whether that was more than this one did.
    pub(super) fn join(&mut self, other: &Summary) -> bool {
        let before = self.clone();
        self.changed |= other.changed;
        self.returned |= other.returned;
        self.returns_other |= other.returns_other;
        self.returned_content |= other.returned_content;
        let kept = self.kept.as_flattened_mut().iter_mut().zip(other.kept.as_flattened());
        kept.for_each(|(own, other)| *own |= other);
        self.escaped |= other.escaped;
        *self != before
    }

    /// Whether the state of the receiver or a parameter may change.
    pub(super) fn changes(&self, parameter: usize) -> bool {
        let object = clamped(parameter);
        self.changed & (root(object) | fields(object) | deep(object)) != 0
    }

    /// Whether what it returns is its receiver, or null.
    pub(super) fn returns_receiver(&self) -> bool {
        !self.returns_other
    }

    pub(super) fn changes_statics(&self) -> bool {
        self.changed & STATIC != 0
    }
}

/// A call and what it gets.
#[derive(Debug)]
pub(super) struct FlowCall {
    pub(super) callee: Callee,
    /// The receiver first.
    arguments: Vec<Nodes>,
    /// The object that stands for what is returned, if that can change.
    result: Option<usize>,
}

/// What a method does, in terms of its nodes and of what its callees do.
#[derive(Debug, Default)]
pub(super) struct Facts {
    pub(super) calls: Vec<FlowCall>,
    /// Interfaces that its lambdas and method references implement.
    pub(super) lambdas: Vec<ClassName>,
    changed: Nodes,
    returned: Nodes,
    /// What is written into what.
    stored: Vec<(Nodes, Nodes)>,
    /// It is native, or its body cannot be interpreted, or it calls what has no name.
    is_unknown: bool,
}

impl Facts {
    /// The method's summary if its calls do what `callees` say.
    pub(super) fn solve(&self, callees: &[&Summary]) -> Summary {
        if self.is_unknown {
            return Summary::unknown();
        }
        let mut solution = Solution { aliases: [0; 128], world: STATIC, grew: true };
        let mut changed = self.changed;
        while std::mem::take(&mut solution.grew) {
            for &(into, value) in &self.stored {
                solution.store(into, value);
            }
            for (call, callee) in self.calls.iter().zip(callees) {
                changed |= solution.call(call, callee);
            }
        }
        let outer = |nodes: Nodes| solution.all(nodes) & OUTER;
        // To callers, an object that escaped is part of the world.
        let brief = |nodes: Nodes| {
            let inside = if nodes & solution.world != 0 { STATIC } else { 0 };
            (outer(nodes) & !solution.world) | inside
        };
        let kept = |node: Nodes| if node & solution.world != 0 { 0 } else { brief(node) & !node };
        Summary {
            changed: outer(changed),
            returned: brief(solution.all(self.returned)),
            returns_other: self.returned != root(0),
            returned_content: brief(solution.all(reach(solution.all(self.returned)))),
            kept: std::array::from_fn(|object| [kept(fields(object)), kept(deep(object))]),
            escaped: solution.world & OUTER & !STATIC,
        }
    }
}

/// Which nodes may be others, as far as it is known.
struct Solution {
    aliases: [Nodes; 128],
    /// What static fields lead to, one for all others.
    world: Nodes,
    grew: bool,
}

impl Solution {
    /// The nodes and all that they may be.
    fn all(&self, nodes: Nodes) -> Nodes {
        let (mut all, mut new) = (nodes, nodes);
        while new != 0 {
            let mut found = each(new).fold(0, |found, node| found | self.aliases[node]);
            if new & self.world != 0 {
                found |= self.world;
            }
            new = found & !all;
            all |= new;
        }
        all
    }

    fn alias(&mut self, node: Nodes, others: Nodes) {
        let known = &mut self.aliases[node.trailing_zeros() as usize];
        self.grew |= others & !*known & !node != 0;
        *known |= others & !node;
    }

    /// The nodes and what they lead to become part of the world.
    fn escape(&mut self, nodes: Nodes) {
        let mut all = self.all(nodes);
        while all & !self.world != 0 {
            self.grew = true;
            self.world |= all;
            all = self.all(reach(self.world));
        }
    }

    fn store(&mut self, into: Nodes, value: Nodes) {
        if value == 0 {
            return;
        }
        let value = self.all(value);
        let into = self.all(into);
        if into & self.world != 0 {
            self.escape(value);
        }
        for node in each(into & !self.world) {
            let content_of_node = content(1 << node);
            self.alias(content_of_node, value);
            self.alias(content(content_of_node), self.all(reach(value)));
        }
    }

    /// What the call changes.
    fn call(&mut self, call: &FlowCall, callee: &Summary) -> Nodes {
        let count = call.arguments.len();
        let parameters = PARAMETERS.min(count);
        // The last parameter's object stands for all that follow.
        let argument = |object: usize| {
            let end = if object == PARAMETERS - 1 { count } else { object + 1 };
            call.arguments[object..end].iter().fold(0, |nodes, argument| nodes | argument)
        };
        for object in (0..parameters).filter(|&object| callee.kept[object] != [0; 2]) {
            let [in_fields, beyond] = callee.kept[object].map(|kept| self.here(kept, &argument, parameters));
            self.store(argument(object), in_fields);
            self.store(content(self.all(argument(object))), beyond);
        }
        self.escape(self.here(callee.escaped, &argument, parameters));
        if let Some(result) = call.result {
            let returned = self.here(callee.returned, &argument, parameters);
            let led_to = self.here(callee.returned_content, &argument, parameters) | self.all(reach(returned));
            self.alias(root(result), returned);
            self.alias(fields(result), led_to);
            self.alias(deep(result), self.all(led_to | reach(led_to)));
        }
        self.here(callee.changed, &argument, parameters)
    }

    /// A callee's nodes as nodes of its caller.
    fn here(&self, nodes: Nodes, argument: &impl Fn(usize) -> Nodes, parameters: usize) -> Nodes {
        let mut found = if nodes & STATIC != 0 { self.world } else { 0 };
        for object in (0..parameters).filter(|&object| nodes & (root(object) | fields(object) | deep(object)) != 0) {
            let value = self.all(argument(object));
            let held = self.all(content(value));
            let levels = [(root(object), value), (fields(object), held), (deep(object), self.all(reach(held)))];
            found = levels.iter().filter(|(node, _)| nodes & node != 0).fold(found, |found, (_, here)| found | here);
        }
        found
    }
}

/// The facts of each method of a class, in order.
pub(super) fn facts_of(class: &ClassFile) -> Vec<Arc<Facts>> {
    let mut decoder = Decoder::new(class);
    let facts = class.methods.iter().map(|method| {
        let body = method.code.as_ref().and_then(|code| decoder.body(code).ok());
        Arc::new(
            body.and_then(|body| interpreted(method, &body)).unwrap_or(Facts { is_unknown: true, ..Facts::default() }),
        )
    });
    facts.collect()
}

fn interpreted(method: &Method, body: &Body) -> Option<Facts> {
    let is_static = method.access & access::STATIC != 0;
    let receiver = (!is_static).then_some(root(0));
    let parameters = method.descriptor.parameters.iter().enumerate().map(|(at, of)| {
        let object = clamped(at + usize::from(!is_static));
        (if is_changeable(of) { root(object) } else { 0 }, is_wide(of))
    });
    let mut flow = Flow { facts: Facts::default(), objects: FxHashMap::default(), settled: false };
    interpret(body, AbstractFrame::at_entry(receiver, parameters), &mut flow)?;
    Some(flow.facts)
}

/// Whether objects of the type may have state that changes.
fn is_changeable(of: &Type) -> bool {
    match of {
        Type::Primitive(_) => false,
        Type::Array(_) | Type::Parameterized(_) => true,
        Type::Class(name) => {
            let plain = ["java/lang/String", "java/lang/Class", "java/math/BigInteger", "java/math/BigDecimal"];
            !plain.contains(&name.internal()) && unboxed(name).is_none()
        }
    }
}

struct Flow {
    facts: Facts,
    /// The object of each step that makes or gets one.
    objects: FxHashMap<usize, usize>,
    settled: bool,
}

impl Flow {
    fn object_of(&mut self, at: usize) -> usize {
        let next = (PARAMETERS + self.objects.len()).min(LAST_OBJECT);
        *self.objects.entry(at).or_insert(next)
    }

    fn change(&mut self, nodes: Nodes) {
        if self.settled {
            self.facts.changed |= nodes;
        }
    }

    fn store(&mut self, into: Nodes, value: Nodes) {
        self.change(into);
        if self.settled && value != 0 {
            self.facts.stored.push((into, value));
        }
    }

    fn call(&mut self, at: usize, callee: Callee, descriptor: &MethodDescriptor, arguments: &[Nodes]) -> Nodes {
        let result = descriptor.returns.as_ref().is_some_and(is_changeable).then(|| self.object_of(at));
        if self.settled {
            self.facts.calls.push(FlowCall { callee, arguments: arguments.to_vec(), result });
        }
        result.map_or(0, root)
    }

    fn call_site(&mut self, at: usize, site: &CallSite, operands: &[Nodes]) -> Nodes {
        match site.bootstrap.internal() {
            "java/lang/invoke/LambdaMetafactory" => {
                let object = root(self.object_of(at));
                if let (true, Some(Type::Class(interface))) = (self.settled, &site.descriptor.returns) {
                    self.facts.lambdas.push(interface.clone());
                }
                operands.iter().for_each(|operand| self.store(object, *operand));
                object
            }
            // They read their operands at most.
            "java/lang/invoke/StringConcatFactory"
            | "java/lang/runtime/ObjectMethods"
            | "java/lang/runtime/SwitchBootstraps" => 0,
            _ => {
                self.facts.is_unknown = true;
                0
            }
        }
    }
}

impl Evaluate for Flow {
    type Value = Nodes;

    fn evaluate(&mut self, at: usize, step: &Step, operands: &[Nodes], _frame: &mut AbstractFrame<Nodes>) -> Nodes {
        match &step.instruction {
            Instruction::ArrayLoad(Element::Reference) => content(operands[0]),
            Instruction::ArrayStore(_) => {
                self.store(operands[0], operands[2]);
                0
            }
            Instruction::Return(Some(Kind::Reference)) => {
                self.facts.returned |= operands[0];
                0
            }
            Instruction::Field { access, field } => match access {
                FieldAccess::GetStatic if is_changeable(&field.field_type) => STATIC,
                FieldAccess::Get if is_changeable(&field.field_type) => content(operands[0]),
                FieldAccess::GetStatic | FieldAccess::Get => 0,
                FieldAccess::PutStatic => {
                    self.store(STATIC, operands[0]);
                    0
                }
                FieldAccess::Put => {
                    self.store(operands[0], operands[1]);
                    0
                }
            },
            Instruction::New(_) | Instruction::NewArray(_) | Instruction::NewMultiArray { .. } => {
                root(self.object_of(at))
            }
            Instruction::CheckCast(of) if is_changeable(of) => operands[0],
            Instruction::Invoke { kind, method } => {
                let is_virtual = matches!(kind, InvokeKind::Virtual | InvokeKind::Interface);
                self.call(at, Callee { member: method.clone(), is_virtual }, &method.descriptor, operands)
            }
            Instruction::InvokeDynamic(site) => self.call_site(at, site, operands),
            Instruction::Constant(Constant::Dynamic { .. }) => STATIC,
            _ => 0,
        }
    }
}

impl Domain for Flow {
    fn join(&mut self, one: &Nodes, other: &Nodes) -> Nodes {
        one | other
    }

    // What is thrown is taken for new: to change an object by way of an exception is beyond what this looks for.
    fn caught(&mut self) -> Nodes {
        0
    }

    fn settled(&mut self) {
        self.settled = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn field_edges_reach_deep_nodes_but_not_back() {
        for object in [0, PARAMETERS - 1, LAST_OBJECT] {
            assert_eq!(ROOTS & (root(object) | fields(object) | deep(object)), root(object));
            assert_eq!(content(root(object) | STATIC), fields(object) | STATIC);
            assert_eq!(reach(fields(object)), deep(object));
        }
        assert_eq!(each(OUTER).last(), Some(3 * PARAMETERS));
        assert_eq!(OUTER & root(PARAMETERS), 0);
    }
}
