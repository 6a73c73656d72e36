//! What calls of the front door may lead to, and what is behind each back door: by the calls in the class files.
//!
//! A call that the class of an object decides may lead to each method of that name and descriptor in a subclass or
//! superclass. What makes an object may lead to the public methods of its class, as code of the platform may call them. So
//! a method that is not found is never called, while one that is found may not be called either.

use crate::BackDoor;
use bytecode::classfile::instruction::{FieldAccess, InvokeKind};
use bytecode::classfile::{ClassFile, Decoder, Instruction, MethodMember};
use model::jvm::types::{TypeTable, access};
use model::jvm::{ClassName, MethodDescriptor};
use model::sequence::{Operation, OperationId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// The back doors among the operations, with what is behind each.
pub(super) fn back_doors(
    targets: &BTreeMap<ClassName, ClassFile>,
    operations: &[Operation],
    types: &TypeTable,
) -> BTreeMap<OperationId, BackDoor> {
    if !operations.iter().any(|operation| operation.back_door) {
        return BTreeMap::new();
    }
    let calls = Calls::of(targets, types);
    let is_code = |operation: &&Operation| operation.is_code() && targets.contains_key(&operation.owner);
    let own: FxHashSet<usize> = operations.iter().filter(is_code).filter_map(|one| calls.method_of(one)).collect();
    let front = operations.iter().filter(is_code).filter(|operation| !operation.back_door);
    let from_front = calls.reached(front.filter_map(|operation| calls.method_of(operation)), &|_| true);
    let door = |operation: &Operation| {
        let Some(method) = calls.method_of(operation).filter(|_| operation.is_code()) else {
            return BackDoor::default();
        };
        // What other operations run is behind them.
        let code = calls.reached([method], &|next| !own.contains(&next));
        let code = code.into_iter().map(|at| calls.methods[at].member.clone());
        BackDoor { is_called: from_front.contains(&method), code: code.collect() }
    };
    let ids = (0..).map(OperationId).zip(operations);
    ids.filter(|(_, operation)| operation.back_door).map(|(id, operation)| (id, door(operation))).collect()
}

/// A method under test.
struct Method {
    member: MethodMember,
    /// Code of other classes may call it on an object.
    is_open: bool,
    calls: Vec<Call>,
}

/// What an instruction may lead to.
enum Call {
    /// A method of the class or of a superclass.
    Fixed(MethodMember),
    /// A method that the class of an object decides.
    Virtual(MethodMember),
    /// The initialiser of the class.
    Initialiser(ClassName),
}

struct Calls {
    methods: Vec<Method>,
    by_name: FxHashMap<(Arc<str>, MethodDescriptor), Vec<usize>>,
    of_class: FxHashMap<ClassName, Vec<usize>>,
    /// Of each class under test, itself among them.
    ancestors: FxHashMap<ClassName, FxHashSet<ClassName>>,
    /// For each method those that it may call.
    leads_to: Vec<Vec<usize>>,
}

impl Calls {
    fn of(targets: &BTreeMap<ClassName, ClassFile>, types: &TypeTable) -> Calls {
        let mut calls = Calls {
            methods: Vec::new(),
            by_name: FxHashMap::default(),
            of_class: FxHashMap::default(),
            ancestors: FxHashMap::default(),
            leads_to: Vec::new(),
        };
        for (class, file) in targets {
            let ancestry = types.ancestry(class).into_iter().map(|facts| facts.name.clone());
            calls.ancestors.insert(class.clone(), ancestry.collect());
            let mut decoder = Decoder::new(file);
            for method in &file.methods {
                let at = calls.methods.len();
                calls.by_name.entry((method.name.clone(), method.descriptor.clone())).or_default().push(at);
                calls.of_class.entry(class.clone()).or_default().push(at);
                let body = method.code.as_ref().and_then(|code| decoder.body(code).ok());
                let instructions = body.iter().flat_map(|body| &body.steps).map(|step| &step.instruction);
                // What has no body is called on an object of another class.
                let overriding = method.code.is_none().then(|| {
                    let (name, descriptor) = (method.name.clone(), method.descriptor.clone());
                    Call::Virtual(MethodMember { owner: class.clone(), name, descriptor })
                });
                let further = overriding.into_iter().chain([Call::Initialiser(class.clone())]);
                let is_object_method = method.access & access::STATIC == 0 && !method.name.starts_with('<');
                calls.methods.push(Method {
                    member: MethodMember {
                        owner: class.clone(),
                        name: method.name.clone(),
                        descriptor: method.descriptor.clone(),
                    },
                    is_open: is_object_method && method.access & access::PUBLIC != 0,
                    calls: instructions.flat_map(calls_in).chain(further).collect(),
                });
            }
        }
        let led_to = |method: &Method| -> Vec<usize> {
            let found: BTreeSet<usize> = method.calls.iter().flat_map(|call| calls.targets_of(call)).collect();
            found.into_iter().collect()
        };
        let leads_to = calls.methods.iter().map(led_to).collect();
        Calls { leads_to, ..calls }
    }

    fn method_of(&self, operation: &Operation) -> Option<usize> {
        let own = self.of_class.get(&operation.owner)?.iter().copied();
        own.into_iter().find(|&at| {
            let member = &self.methods[at].member;
            member.name == operation.name && member.descriptor == operation.descriptor
        })
    }

    /// The methods, and all that they lead to through those that are `followed`.
    fn reached(&self, from: impl IntoIterator<Item = usize>, followed: &dyn Fn(usize) -> bool) -> BTreeSet<usize> {
        let mut waiting: VecDeque<usize> = from.into_iter().collect();
        let mut found: BTreeSet<usize> = waiting.iter().copied().collect();
        while let Some(at) = waiting.pop_front() {
            let next = self.leads_to[at].iter().copied();
            waiting.extend(next.filter(|&next| followed(next) && found.insert(next)));
        }
        found
    }

    fn targets_of(&self, call: &Call) -> Vec<usize> {
        let of_class = |class: &ClassName| self.of_class.get(class).into_iter().flatten().copied();
        let named = |of: &MethodMember| {
            let same = self.by_name.get(&(of.name.clone(), of.descriptor.clone()));
            same.into_iter().flatten().copied()
        };
        let class_of = |at: usize| &self.methods[at].member.owner;
        match call {
            Call::Initialiser(class) => {
                of_class(class).filter(|&at| &*self.methods[at].member.name == "<clinit>").collect()
            }
            Call::Fixed(of) if &*of.name == "<init>" => {
                let is_made = |&at: &usize| self.methods[at].is_open || self.methods[at].member == *of;
                of_class(&of.owner).filter(is_made).collect()
            }
            Call::Fixed(of) => named(of).filter(|&at| self.is_subtype(&of.owner, class_of(at))).collect(),
            Call::Virtual(of) => {
                let is_related =
                    |at: usize| self.is_subtype(&of.owner, class_of(at)) || self.is_subtype(class_of(at), &of.owner);
                named(of).filter(|&at| is_related(at)).collect()
            }
        }
    }

    fn is_subtype(&self, class: &ClassName, of: &ClassName) -> bool {
        self.ancestors.get(class).is_some_and(|ancestors| ancestors.contains(of))
    }
}

/// What an instruction leads to.
fn calls_in(instruction: &Instruction) -> Vec<Call> {
    match instruction {
        Instruction::Invoke { kind, method } => {
            let member = MethodMember::clone(method);
            vec![match kind {
                InvokeKind::Special | InvokeKind::Static => Call::Fixed(member),
                InvokeKind::Virtual | InvokeKind::Interface => Call::Virtual(member),
            }]
        }
        // Of which kind a handle is does not matter: both find more.
        Instruction::InvokeDynamic(site) => {
            let handles = site.handles.iter();
            handles.flat_map(|member| [Call::Fixed(member.clone()), Call::Virtual(member.clone())]).collect()
        }
        Instruction::Field { access: FieldAccess::GetStatic | FieldAccess::PutStatic, field } => {
            vec![Call::Initialiser(field.owner.clone())]
        }
        _ => Vec::new(),
    }
}
