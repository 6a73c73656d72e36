//! Inserts probes into classes: edge counters, and hooks that see the operands of comparisons.
//!
//! A splicer, not an assembler: constants are appended, everything else is copied as it is, and straight-line calls of
//! static methods of [`PROBES`] are put before instructions, or behind one that makes a generator of random numbers. Only the switch of a method with mutants branches, to copies of
//! the body that begin as the method does, so that no frame has to be found out. What a class, or one of its methods, cannot
//! take is left alone and counted.
//!
//! Where each probe goes is decided in `probes`, what a trace of tests needs beside them in `tracing`, how a body makes room
//! in `relocate`, what mutants there are, and how a method has several, in `mutants`, what jumps say of a condition in `branches`. The numbers depend on the class
//! alone: [`plan`], [`splice`] and [`mutate`] count alike. Calls that ask for the time are led to a clock that stands still; `clock`
//! does that.

mod body;
mod branches;
mod class;
mod clock;
mod compared;
mod generated;
mod hook;
mod lines;
mod loops;
mod members;
mod mutants;
mod probes;
mod prologue;
mod readers;
mod relocate;
#[cfg(test)]
mod tests;
mod tracing;

use crate::classfile::ClassFileError;
use crate::classfile::reader::Reader;
use crate::classfile::writer::{ClassTooLarge, NewCode, PoolWriter};
use body::Body;
pub use branches::{Sides, branch_words};
use class::{Class, MethodParts};
pub use clock::still;
pub use lines::{LineState, lines};
pub use members::with_added_members;
use model::execution::mutant::Mutant;
use model::jvm::ClassName;
use model::jvm::types::access;
pub use mutants::{EnumData, FieldRead, Mutation, enum_data, mutant_filters, mutants, reads_of_fields};
pub use prologue::{Prologue, Shows, with_prologues};
use relocate::{Inserted, NewBody};
use std::sync::Arc;
pub use tracing::TRACER;

/// The class whose static methods the inserted code calls; it must be visible to every instrumented class.
pub const PROBES: &str = "randgen/runtime/Probes";

/// The class whose static methods are called before questions about characters and texts; it must be visible as [`PROBES`] is.
const QUESTIONS: &str = "randgen/runtime/Questions";

/// The class whose static methods say what code is told of the machine; it must be visible as [`PROBES`] is.
const MACHINE: &str = "randgen/runtime/Machine";

/// The class whose static methods the code of mutants calls; it must be visible as [`PROBES`] is.
const SUBSTITUTES: &str = "randgen/runtime/Substitutes";

/// The static field of [`PROBES`] with the number of the mutant that runs; 0 if none does.
pub const ACTIVE_MUTANT: &str = "mutant";

/// What a probe's number stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ProbeKind {
    /// The method was entered.
    Entry,
    /// An exception handler was entered.
    Handler,
    /// A target of a switch was reached, from the switch or otherwise.
    SwitchTarget,
    /// A loop without a condition went round.
    Loop,
    /// A conditional jump fell through. The next number is its [`ProbeKind::Taken`].
    NotTaken,
    /// A conditional jump jumped.
    Taken,
    /// The operands of a comparison by order were equal: of `<`, `<=`, `>` or `>=`, where the number is that after its
    /// [`ProbeKind::Taken`], or of a call such as `compareTo` or `isBefore` of a value of the platform, where it is that after
    /// its [`ProbeKind::Site`].
    Boundary,
    /// The place of a comparison: named in operands seen, never counted.
    Site,
}

impl ProbeKind {
    /// Whether it counts as an edge: a boundary lies on one, and a place is none.
    pub fn is_edge(self) -> bool {
        !matches!(self, ProbeKind::Boundary | ProbeKind::Site)
    }
}

/// One probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProbeInfo {
    /// What its number stands for.
    pub kind: ProbeKind,
    /// Index among the methods of the class file.
    pub method: u16,
    /// The instruction it stands before, by its offset in the unchanged code.
    pub pc: u16,
    /// The source line of the instruction.
    pub line: Option<u16>,
}

/// The probes of a class; its n-th probe has the number of the first plus n.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The class itself.
    pub class: ClassName,
    /// In the order of their numbers.
    pub probes: Vec<ProbeInfo>,
    /// Name and descriptor of every method of the class file, in its order.
    pub methods: Vec<(Arc<str>, Arc<str>)>,
    /// Those that have not all probes they could have.
    pub skipped_methods: Vec<SkippedMethod>,
}

/// A method that has no probes, or not all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedMethod {
    /// Its name.
    pub name: Arc<str>,
    /// Its descriptor.
    pub descriptor: Arc<str>,
    /// What is in the way of probes.
    pub reason: SkipReason,
}

/// Why a method has not all probes it could have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, thiserror::Error)]
pub enum SkipReason {
    /// Hooks of comparisons are left out.
    #[error("comparisons are not seen, the method would exceed a limit of the class file format")]
    WithoutSites,
    /// All probes but that of the entry are left out.
    #[error("only its entry is seen, the method would exceed a limit of the class file format")]
    EntryOnly,
    /// It has no probes.
    #[error("the method would exceed a limit of the class file format")]
    TooLarge,
    /// Class files of Java 6 and later have none.
    #[error("the method has subroutines (jsr, ret)")]
    Subroutines,
    /// The JVM would reject it.
    #[error("the method's code is malformed")]
    Malformed,
}

/// Which numbers the probes of a class get, and its methods.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Insertion {
    /// The number of the class's first probe.
    pub first_probe: u32,
    /// Where calls of the class's methods are traced, the number of the first; the others follow in the class file's order.
    pub first_method: Option<u32>,
    /// Whether loops tell what they depend on; not where calls are traced.
    pub loops: bool,
}

/// A class with probes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spliced {
    /// The class file.
    pub bytes: Vec<u8>,
    /// Those that have not all probes they could have.
    pub skipped_methods: Vec<SkippedMethod>,
}

/// Why a class as a whole stays without probes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InstrumentError {
    /// It is no class file that can be read.
    #[error(transparent)]
    Unreadable(#[from] ClassFileError),
    /// Its constant pool is full.
    #[error("the class has no room for more constants")]
    PoolFull,
    /// A method to be changed is missing, or abstract.
    #[error("the class has no method {name}{descriptor} with a body")]
    NoSuchMethod {
        /// The name that was asked for.
        name: String,
        /// The descriptor that was asked for.
        descriptor: String,
    },
}

impl From<ClassTooLarge> for InstrumentError {
    fn from(_: ClassTooLarge) -> InstrumentError {
        InstrumentError::PoolFull
    }
}

/// Lists the probes that [`splice`] will insert.
pub fn plan(bytes: &[u8]) -> Result<Plan, InstrumentError> {
    instrument(bytes, &Insertion::default(), &[]).map(|made| made.plan)
}

/// Inserts the probes of [`plan`], numbered from `insertion.first_probe`; and the trace's hooks, if there is to be one, into
/// the methods that have room for both.
pub fn splice(bytes: &[u8], insertion: &Insertion) -> Result<Spliced, InstrumentError> {
    let Instrumented { plan, bytes, .. } = instrument(bytes, insertion, &[])?;
    Ok(Spliced { bytes, skipped_methods: plan.skipped_methods })
}

/// A class with some of its mutants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutated {
    /// The class file.
    pub bytes: Vec<u8>,
    /// The mutants that it has, by their numbers.
    pub numbers: Vec<i32>,
}

/// As [`splice`], of the class with those of its [`mutants`] that there is room for, the first ones of each method: the one whose
/// number is in [`ACTIVE_MUTANT`] runs. Their class is taken to be this one; each has a number of its own, which is not 0.
pub fn mutate(bytes: &[u8], insertion: &Insertion, mutants: &[(i32, Mutant)]) -> Result<Mutated, InstrumentError> {
    let Instrumented { bytes, numbers, .. } = instrument(bytes, insertion, mutants)?;
    Ok(Mutated { bytes, numbers })
}

/// A body that takes the place of a method's own.
pub struct Replacement<'a> {
    /// The method's name.
    pub name: &'a str,
    /// The method's descriptor.
    pub descriptor: &'a str,
    /// The most slots that the code has on the stack.
    pub max_stack: u16,
    /// At least what the parameters need.
    pub max_locals: u16,
    /// Makes the code, straight-line, with constants added to the pool it is given.
    pub code: &'a dyn Fn(&mut PoolWriter) -> Vec<u8>,
}

/// Replaces the bodies of methods; everything else of the class stays.
pub fn replace_bodies(bytes: &[u8], replacements: &[Replacement]) -> Result<Vec<u8>, InstrumentError> {
    let class = Class::read(bytes)?;
    let mut pool = PoolWriter::starting_at(class.pool.count());
    let mut bodies: Vec<Option<Vec<u8>>> = vec![None; class.methods.len()];
    for replacement in replacements {
        let found = class.methods.iter().position(|method| {
            method.code.is_some() && *method.name == *replacement.name && *method.descriptor == *replacement.descriptor
        });
        let Some(index) = found else {
            let (name, descriptor) = (replacement.name.to_string(), replacement.descriptor.to_string());
            return Err(InstrumentError::NoSuchMethod { name, descriptor });
        };
        let bytes = &(replacement.code)(&mut pool);
        let Replacement { max_stack, max_locals, .. } = *replacement;
        bodies[index] = Some(NewCode { max_stack, max_locals, bytes }.attribute());
    }
    class.write(&pool, &bodies)
}

/// A class with probes, and maybe mutants.
struct Instrumented {
    plan: Plan,
    bytes: Vec<u8>,
    /// The mutants that it has.
    numbers: Vec<i32>,
}

fn instrument(bytes: &[u8], insertion: &Insertion, mutants: &[(i32, Mutant)]) -> Result<Instrumented, InstrumentError> {
    let bytes = &still(bytes)?;
    let class = Class::read(bytes)?;
    let mut pool = PoolWriter::starting_at(class.pool.count());
    let mut plan = Plan {
        class: class.name.clone(),
        probes: Vec::new(),
        methods: class.methods.iter().map(|method| (method.name.clone(), method.descriptor.clone())).collect(),
        skipped_methods: Vec::new(),
    };
    let mut bodies = Vec::with_capacity(class.methods.len());
    let mut numbers = Vec::new();
    for (index, method) in class.methods.iter().enumerate() {
        // A bridge does nothing but call the method that the compiler made it for.
        let is_counted = method.access & access::BRIDGE == 0 && !generated::is_generated(&class, method);
        let Some(code) = method.code.filter(|_| is_counted) else {
            bodies.push(None);
            continue;
        };
        let next_probe = insertion.first_probe.wrapping_add(plan.probes.len() as u32);
        let traced = insertion.first_method.map(|first| tracing::Member {
            access: method.access,
            name: &method.name,
            descriptor: &method.descriptor,
            number: first + index as u32,
        });
        let of_method = mutants.iter().filter(|(_, mutant)| usize::from(mutant.method) == index);
        let wanted = Wanted {
            traced: traced.as_ref(),
            mutants: of_method.map(|(number, mutant)| (*number, mutant)).collect(),
            first_probe: next_probe,
            loops: insertion.loops,
        };
        let (made, reason) = instrument_method(&class, code, method, &wanted, &mut pool);
        bodies.push(made.map(|made| {
            plan.probes.extend(made.probes.iter().map(|probe| ProbeInfo { method: index as u16, ..*probe }));
            numbers.extend(made.numbers);
            made.body.attribute(&mut pool)
        }));
        plan.skipped_methods.extend(reason.map(|reason| SkippedMethod {
            name: method.name.clone(),
            descriptor: method.descriptor.clone(),
            reason,
        }));
    }
    // Large numbers need a constant each. Whether there is room must not depend on the numbers.
    if class.pool.count() + CONSTANTS_FOR_CALLS + plan.probes.len() > usize::from(u16::MAX) {
        return Err(InstrumentError::PoolFull);
    }
    let bytes = class.write(&pool, &bodies)?;
    Ok(Instrumented { plan, bytes, numbers })
}

/// More than the constants that name all methods of [`PROBES`].
const CONSTANTS_FOR_CALLS: usize = 128;

/// What a method gets beside probes.
struct Wanted<'a> {
    traced: Option<&'a tracing::Member<'a>>,
    mutants: Vec<(i32, &'a Mutant)>,
    first_probe: u32,
    loops: bool,
}

/// A method with probes, and maybe mutants.
struct MadeMethod {
    body: NewBody,
    probes: Vec<ProbeInfo>,
    /// The mutants that it has.
    numbers: Vec<i32>,
}

/// The method with as many kinds of probes as it has room for, and why these are not all; and with mutants, if there is room for
/// any beside them.
fn instrument_method(
    class: &Class,
    code: Reader,
    method: &MethodParts,
    wanted: &Wanted,
    pool: &mut PoolWriter,
) -> (Option<MadeMethod>, Option<SkipReason>) {
    let constants = &class.pool;
    let body = match Body::read(code, constants) {
        Ok(body) => body,
        Err(reason) => return (None, Some(reason)),
    };
    let made = |inserted: Inserted, pool: &mut PoolWriter| {
        let mut alone = NewBody::default();
        let probes = relocate::relocate(&body, inserted, &mut alone, pool)?;
        let length = alone.bytes.len();
        let (body, numbers) = mutants::with_mutants((class, method, &body), &wanted.mutants, inserted, length, pool)
            .unwrap_or((alone, Vec::new()));
        Ok(MadeMethod { body, probes, numbers })
    };
    let mut hooks = probes::hooks(&body, class, &method.name, pool);
    let first_probe = wanted.first_probe;
    if let Some(traced) = wanted.traced.and_then(|member| tracing::hooks(&body, constants, member, pool))
        && let Ok(made) = made(Inserted { hooks: &traced.among(&hooks), trap: traced.trap, first_probe }, pool)
    {
        return (Some(made), None);
    }
    if wanted.loops {
        loops::add(&mut hooks, &body, (&class.name, constants), method, pool);
    }
    for reduced in [None, Some(SkipReason::WithoutSites), Some(SkipReason::EntryOnly)] {
        match reduced {
            Some(SkipReason::WithoutSites) => hooks.retain(|(_, hook)| hook.kind != Some(ProbeKind::Site)),
            Some(_) => hooks.retain(|(_, hook)| hook.kind == Some(ProbeKind::Entry)),
            None => {}
        }
        match made(Inserted { hooks: &hooks, trap: None, first_probe }, pool) {
            Ok(made) => return (Some(made), reduced),
            Err(SkipReason::TooLarge) => {}
            Err(reason) => return (None, Some(reason)),
        }
    }
    (None, Some(SkipReason::TooLarge))
}
