//! What a worker is told first: its JVM, its limits, and the run's tables.

use super::declared::{decode_declared, encode_declared};
use super::{BrokenMessage, Decoder, Encoder};
use model::jvm::{MethodDescriptor, Type};
use model::sequence::{Answer, Declared, Implemented, Operation, OperationKind, Recorded, Recording};
use std::sync::Arc;

/// The first message to a worker, borrowed from its bytes.
pub struct Setup<'a> {
    /// Options to start the JVM with.
    pub jvm_options: Vec<&'a str>,
    /// Probes of all classes together.
    pub probe_count: u32,
    /// Probes that one sequence may execute.
    pub probe_budget: u64,
    /// Milliseconds after which a call has not returned in time.
    pub call_timeout_ms: u64,
    /// Classes to instrument: internal name and first probe.
    pub class_probes: Vec<(&'a str, u32)>,
    /// The number of each of these classes' first method; none unless calls are traced.
    pub class_methods: Vec<u32>,
    /// What is reported as the state of objects.
    pub state: State,
    /// Whether these classes get a field and a method more, as coverage tools add them.
    pub added_members: bool,
    /// Whether loops without an end are found out.
    pub watches_loops: bool,
    /// Fields that are no state, each as its class's binary name, a dot and its own.
    pub caches: Vec<&'a str>,
    /// Whether states and values are described, and methods without parameters that say more of them, named likewise.
    pub describes: bool,
    /// Methods without parameters that change nothing, each as its class's binary name, a dot and its own.
    pub observers: Vec<&'a str>,
    /// The operations that sequences call, by their numbers.
    pub operations: Vec<Target<'a>>,
}

/// What a worker reports as the state of an object that a sequence made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// All that can be reached from it.
    #[default]
    Whole,
    /// What `equals` reads of it; only where calls are traced, as the next.
    Monitored,
    /// The first state that `equals` says is the same.
    Equal,
    /// Nothing, to measure what states cost.
    None,
}

/// An operation as the worker links it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target<'a> {
    /// What linking and calling it means.
    pub kind: OperationKind,
    /// Internal name of the class that has it.
    pub owner: &'a str,
    /// Whether that class is an interface.
    pub owner_is_interface: bool,
    /// Whether anyone may call it.
    pub public: bool,
    /// Of the member.
    pub name: &'a str,
    /// Of arrays the element's type, of casts the type; else as the constant pool holds it.
    pub descriptor: &'a str,
    /// Whether calls of an implementation's methods are reported.
    pub mock: bool,
    /// Fields that are set when a constructor has made the object, each as its class and its name.
    pub injected: Vec<(&'a str, &'a str)>,
    /// Methods that an implementation has, in the order of their values.
    pub implemented: Vec<Implemented>,
    /// Fields and annotations of an implementation's class.
    pub declared: Declared,
}

const KINDS: [OperationKind; 10] = [
    OperationKind::Constructor,
    OperationKind::StaticMethod,
    OperationKind::InstanceMethod,
    OperationKind::GetStatic,
    OperationKind::SetStatic,
    OperationKind::GetField,
    OperationKind::SetField,
    OperationKind::Array,
    OperationKind::Cast,
    OperationKind::Implementation,
];

/// The numbers of a setup that come before its tables.
pub struct WorkerLimits {
    /// Probes of all classes together.
    pub probe_count: u32,
    /// Probes that one sequence may execute.
    pub probe_budget: u64,
    /// Milliseconds after which a call has not returned in time.
    pub call_timeout_ms: u64,
    /// What is reported as the state of objects.
    pub state: State,
    /// Whether classes get members more, as coverage tools add them.
    pub added_members: bool,
    /// Whether loops without an end are found out.
    pub watches_loops: bool,
    /// Whether states and values are described.
    pub describes: bool,
}

/// What a setup has where calls are traced; else empty.
pub struct Tracing<'a> {
    /// The number of each class's first method.
    pub class_methods: &'a [u32],
    /// Fields that are no state.
    pub caches: &'a [String],
    /// Methods without parameters that change nothing, for descriptions.
    pub observers: &'a [String],
}

/// Encodes the first message.
pub fn encode<'a>(
    jvm_options: &[String],
    limits: &WorkerLimits,
    class_probes: impl ExactSizeIterator<Item = (&'a str, u32)>,
    tracing: Tracing,
    operations: &[Operation],
) -> Vec<u8> {
    let mut encoder = Encoder::default();
    encoder.u32(super::VERSION);
    encoder.u32(jvm_options.len() as u32);
    for option in jvm_options {
        encoder.text(option);
    }
    encoder.u32(limits.probe_count);
    encoder.u64(limits.probe_budget);
    encoder.u64(limits.call_timeout_ms);
    encoder.u8(limits.state as u8);
    encoder.u8(u8::from(limits.added_members));
    encoder.u8(u8::from(limits.watches_loops));
    encoder.u8(u8::from(limits.describes));
    encoder.u32(class_probes.len() as u32);
    for (name, first_probe) in class_probes {
        encoder.text(name);
        encoder.u32(first_probe);
    }
    encoder.u32(tracing.class_methods.len() as u32);
    tracing.class_methods.iter().for_each(|first| encoder.u32(*first));
    encoder.u32(tracing.caches.len() as u32);
    tracing.caches.iter().for_each(|field| encoder.text(field));
    encoder.u32(tracing.observers.len() as u32);
    tracing.observers.iter().for_each(|method| encoder.text(method));
    encoder.u32(operations.len() as u32);
    for operation in operations {
        encode_operation(&mut encoder, operation);
    }
    encoder.bytes
}

fn encode_operation(encoder: &mut Encoder, operation: &Operation) {
    let kind = KINDS.iter().position(|kind| *kind == operation.kind).expect("all kinds are listed");
    encoder.u8(kind as u8);
    encoder
        .u8(u8::from(operation.owner_is_interface) | u8::from(operation.public) << 1 | u8::from(operation.mock) << 2);
    encoder.text(operation.owner.internal());
    encoder.text(&operation.name);
    encoder.text(&linked_descriptor(operation));
    encoder.u32(operation.injected.len() as u32);
    for field in &operation.injected {
        encoder.text(field.class.internal());
        encoder.text(&field.name);
    }
    encoder.u32(operation.implemented.len() as u32);
    for method in &operation.implemented {
        encode_implemented(encoder, method);
    }
    encode_declared(encoder, &operation.declared);
}

fn encode_implemented(encoder: &mut Encoder, method: &Implemented) {
    encoder.text(&method.name);
    encoder.text(&method.descriptor.to_string());
    encoder.u32(method.linked.len() as u32);
    for linked in &method.linked {
        encoder.text(&linked.to_string());
    }
    encoder.u32(u32::from(method.access));
    encoder.u8(u8::from(method.generic));
    let (tag, index) = match method.answer {
        Answer::Default => (0, 0),
        Answer::Input(index) => (1, index),
        Answer::Parameter(index) => (2, index),
        Answer::Throws => (3, 0),
        Answer::Held(index) => (4, index),
        Answer::Thrown(index) => (5, index),
    };
    encoder.u8(tag);
    encoder.u32(index);
    let (tag, list, label) = match method.recording {
        None => (0, 0, 0),
        Some(Recording { list, of: Recorded::Parameter }) => (1, list, 0),
        Some(Recording { list, of: Recorded::Call }) => (2, list, 0),
        Some(Recording { list, of: Recorded::Label(label) }) => (3, list, label),
    };
    encoder.u8(tag);
    encoder.u32(list);
    encoder.u32(label);
}

fn decode_implemented(decoder: &mut Decoder) -> Result<Implemented, BrokenMessage> {
    let descriptor = |decoder: &mut Decoder| MethodDescriptor::parse(decoder.text()?).ok_or(BrokenMessage);
    let name = Arc::from(decoder.text()?);
    let declared = descriptor(decoder)?;
    let mut linked = Vec::new();
    for _ in 0..decoder.count(4)? {
        linked.push(descriptor(decoder)?);
    }
    Ok(Implemented {
        name,
        descriptor: declared,
        linked,
        access: decoder.u32()? as u16,
        generic: decoder.u8()? != 0,
        answer: match (decoder.u8()?, decoder.u32()?) {
            (0, _) => Answer::Default,
            (1, index) => Answer::Input(index),
            (2, index) => Answer::Parameter(index),
            (3, _) => Answer::Throws,
            (4, index) => Answer::Held(index),
            (5, index) => Answer::Thrown(index),
            _ => return Err(BrokenMessage),
        },
        recording: match (decoder.u8()?, decoder.u32()?, decoder.u32()?) {
            (0, _, _) => None,
            (1, list, _) => Some(Recording { list, of: Recorded::Parameter }),
            (2, list, _) => Some(Recording { list, of: Recorded::Call }),
            (3, list, label) => Some(Recording { list, of: Recorded::Label(label) }),
            _ => return Err(BrokenMessage),
        },
    })
}

fn linked_descriptor(operation: &Operation) -> String {
    let of = |found: Option<&Type>| found.map_or_else(String::new, Type::descriptor);
    match operation.kind {
        OperationKind::Array => match &operation.output {
            Some(Type::Array(element)) => element.descriptor(),
            _ => String::new(),
        },
        OperationKind::Cast => of(operation.output.as_ref()),
        OperationKind::GetStatic | OperationKind::GetField => of(operation.descriptor.returns.as_ref()),
        OperationKind::SetStatic | OperationKind::SetField => of(operation.descriptor.parameters.last()),
        OperationKind::Constructor
        | OperationKind::StaticMethod
        | OperationKind::InstanceMethod
        | OperationKind::Implementation => MethodDescriptor::to_string(&operation.descriptor),
    }
}

/// Reads the first message; `None` when it is of another version.
pub fn decode(bytes: &[u8]) -> Result<Option<Setup<'_>>, BrokenMessage> {
    let mut decoder = Decoder::new(bytes);
    if decoder.u32()? != super::VERSION {
        return Ok(None);
    }
    let mut jvm_options = Vec::new();
    for _ in 0..decoder.count(4)? {
        jvm_options.push(decoder.text()?);
    }
    let probe_count = decoder.u32()?;
    let probe_budget = decoder.u64()?;
    let call_timeout_ms = decoder.u64()?;
    let states = [State::Whole, State::Monitored, State::Equal, State::None];
    let state = *states.get(decoder.u8()? as usize).ok_or(BrokenMessage)?;
    let added_members = decoder.u8()? != 0;
    let watches_loops = decoder.u8()? != 0;
    let describes = decoder.u8()? != 0;
    let mut class_probes = Vec::new();
    for _ in 0..decoder.count(8)? {
        class_probes.push((decoder.text()?, decoder.u32()?));
    }
    let mut class_methods = Vec::new();
    for _ in 0..decoder.count(4)? {
        class_methods.push(decoder.u32()?);
    }
    let mut caches = Vec::new();
    for _ in 0..decoder.count(4)? {
        caches.push(decoder.text()?);
    }
    let mut observers = Vec::new();
    for _ in 0..decoder.count(4)? {
        observers.push(decoder.text()?);
    }
    let mut operations = Vec::new();
    for _ in 0..decoder.count(30)? {
        let kind = *KINDS.get(decoder.u8()? as usize).ok_or(BrokenMessage)?;
        let flags = decoder.u8()?;
        operations.push(Target {
            kind,
            owner_is_interface: flags & 1 != 0,
            public: flags & 2 != 0,
            mock: flags & 4 != 0,
            owner: decoder.text()?,
            name: decoder.text()?,
            descriptor: decoder.text()?,
            injected: {
                let mut injected = Vec::new();
                for _ in 0..decoder.count(8)? {
                    injected.push((decoder.text()?, decoder.text()?));
                }
                injected
            },
            implemented: {
                let mut implemented = Vec::new();
                for _ in 0..decoder.count(26)? {
                    implemented.push(decode_implemented(&mut decoder)?);
                }
                implemented
            },
            declared: decode_declared(&mut decoder)?,
        });
    }
    Ok(Some(Setup {
        jvm_options,
        probe_count,
        probe_budget,
        call_timeout_ms,
        class_probes,
        class_methods,
        state,
        added_members,
        watches_loops,
        caches,
        describes,
        observers,
        operations,
    }))
}
