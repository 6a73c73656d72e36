//! From class files to what the search needs: the program, the probes, the workers' launch.

use crate::engine::EngineError;
use bytecode::classfile::{self, ClassFile, MethodMember};
use bytecode::instrument::{self, Mutation, Plan, ProbeKind};
use host::classpath::{Jdk, Module, PlatformRelease, feature_version_of};
use host::supervisor::{Admission, ClassReader, Launch, SupervisorError};
use model::execution::Edge;
use model::execution::mutant::{Mutant, Mutator};
use model::execution::trace::TracedMethod;
use model::jvm::types::{ClassFacts, access};
use model::jvm::{ClassName, MethodDescriptor};
use model::options::{Component, Options, StateRepresentation};
use oracle::Judge;
use oracle::rules::{self, Rule};
use program::{self, Program};
use protocol::setup::State;
use rustc_hash::FxHashMap;
use search::generator::ProbeMap;
use search::generator::suite::mutation::MutantSite;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The classes under test, ready to be searched.
pub struct Subject {
    /// The classes and their operations.
    pub program: Program,
    /// The edges of all classes, by the numbers of their probes.
    pub probes: ProbeMap,
    /// The probes of each class under test; `None` of one that cannot be instrumented.
    pub numbered: Vec<Option<Numbered>>,
    /// Of those that can.
    pub mutants: Vec<KnownMutant>,
    /// Classes whose file cannot be read, with the reason.
    pub unreadable: Vec<(ClassName, String)>,
    /// Finding rules that the settings switch off.
    pub disabled_rules: Vec<&'static Rule>,
}

impl Subject {
    /// Judges runs of the program.
    pub fn judge(&self) -> Judge<'_> {
        Judge::new(&self.program, &self.disabled_rules)
    }
}

/// A mutant, how it is reached, and where it is for people.
pub struct KnownMutant {
    /// The fault, and the edges by which it is reached.
    pub site: MutantSite,
    /// The class that it is in.
    pub class: ClassName,
    /// Name and descriptor.
    pub method: (Arc<str>, Arc<str>),
    /// Its line in the source; `None` without a table of line numbers.
    pub line: Option<u16>,
}

/// Class files by name.
pub type ClassFiles = BTreeMap<ClassName, Vec<u8>>;

/// Those of a module's class files that the options select and no annotation leaves out, and the others.
pub fn select(own: Vec<(ClassName, Vec<u8>)>, options: &Options) -> (ClassFiles, ClassFiles) {
    let may_be_annotated =
        |bytes: &[u8]| bytes.windows(program::DO_NOT_TEST.len()).any(|part| part == program::DO_NOT_TEST.as_bytes());
    // A class without annotations is left out with the one around it.
    let parsed: Vec<(ClassName, Option<ClassFile>)> = (own.iter())
        .map(|(name, bytes)| (name.clone(), may_be_annotated(bytes).then(|| classfile::parse(bytes).ok()).flatten()))
        .collect();
    let left_out = program::classes_left_out(parsed.iter().map(|(name, file)| (name, file.as_ref())));
    own.into_iter().partition(|(name, _)| options.selects_class(&name.binary()) && !left_out.contains(name))
}

/// The class files of the module's own tests where the search learns from them, or a warning. Those that an earlier run
/// wrote are none: what is written would depend on it.
pub fn read_tests(module: &Module, options: &Options, jdk: &Jdk) -> (ClassFiles, Option<String>) {
    if options.disable.contains(&Component::ExistingTests) {
        return (ClassFiles::new(), None);
    }
    match module.read_tests(jdk.feature_version) {
        Ok(tests) => (tests.into_iter().filter(|(name, _)| !emitter::is_test(name)).collect(), None),
        Err(error) => (ClassFiles::new(), Some(format!("nothing is learnt from existing tests: {error}"))),
    }
}

/// The Java release that tests of the module are compiled for.
pub fn source_level(module: &Module, classes: &ClassFiles, jdk: &Jdk) -> u16 {
    let of_classes = || {
        let levels = classes.values().filter_map(|bytes| feature_version_of(bytes));
        levels.max().unwrap_or(jdk.feature_version).max(8)
    };
    // A build that says 7 compiles tests as 7 too, so no lambda may be in them.
    module.source_level.unwrap_or_else(of_classes).min(jdk.feature_version)
}

/// What a subject is read from.
pub struct Source<'a> {
    /// Those under test.
    pub classes: &'a ClassFiles,
    /// The module's other classes, whose objects the ones under test may need.
    pub beside: &'a ClassFiles,
    /// The project's tests of them.
    pub tests: &'a ClassFiles,
    /// Of the platform, only what this release has is used.
    pub level: u16,
    /// Where workers find classes, those under test among them.
    pub class_path: Vec<PathBuf>,
}

/// Reads the classes under test and the tests of them; with the launch of workers that can run them.
pub fn open(
    source: Source,
    options: &Options,
    jdk: &Jdk,
    scratch: &Path,
    interrupt: &Arc<AtomicBool>,
) -> Result<(Subject, Launch), EngineError> {
    let Source { classes, beside, tests, level, class_path } = source;
    let mut launch = Launch::new(jdk.home.clone(), class_path, scratch.to_path_buf());
    launch.jvm_args = options.jvm_args.clone();
    launch.read_paths_of(options.typed_jvm_args());
    launch.sandbox = options.sandbox;
    launch.interrupt = interrupt.clone();
    let wanted = |class: &ClassName, member: &str| options.selects_method(&class.binary(), member);
    let contracts = |class: &ClassName, member: &str| options.is_contract_method(&class.binary(), member);
    // A JDK without the older releases cannot compile for them either, which verification will say.
    let is_older = level < jdk.feature_version;
    let mut platform = is_older.then(|| PlatformRelease::open(&jdk.home, level).ok()).flatten();
    let reader = &mut ClassReader::open(&launch)?;
    let selected: (&program::Selection, &program::Selection) = (&wanted, &contracts);
    let mut subject = read(classes, (beside, tests), options.mocks, selected, platform.as_mut(), reader)?;
    subject.disabled_rules = rules::find_all(&options.disabled_rules)?;
    launch.class_probes = subject.numbered.iter().flatten().map(Numbered::class_probe).collect();
    launch.state = match options.state_abstraction {
        StateRepresentation::MonitorEquals => State::Monitored,
        StateRepresentation::PairwiseEquals => State::Equal,
        _ => State::Whole,
    };
    if launch.state != State::Whole {
        launch.class_methods = subject.numbered.iter().flatten().map(|class| class.first_method).collect();
    }
    launch.probe_count = subject.probes.count;
    launch.operations = subject.program.operations.clone();
    let told = &subject.program.told;
    if !told.is_without_values() {
        let told = told.clone();
        launch.admission = Some(Admission::new(move |sequence| told.allows(sequence)));
    }
    Ok((subject, launch))
}

/// Reads the classes under test; `platform`, then `reader` find what they refer to.
fn read(
    classes: &ClassFiles,
    (beside, tests): (&ClassFiles, &ClassFiles),
    mocks: bool,
    (wanted, contracts): (&program::Selection, &program::Selection),
    mut platform: Option<&mut PlatformRelease>,
    reader: &mut ClassReader,
) -> Result<Subject, SupervisorError> {
    let mut files = BTreeMap::new();
    let mut unreadable = Vec::new();
    for (name, bytes) in classes {
        match classfile::parse(bytes) {
            Ok(file) if file.name == *name => drop(files.insert(name.clone(), file)),
            Ok(file) => unreadable.push((name.clone(), format!("the file holds the class {}", file.name))),
            Err(error) => unreadable.push((name.clone(), error.to_string())),
        }
    }
    let readable = |files: &ClassFiles| {
        let parsed = files.iter().filter_map(|(name, bytes)| Some((name.clone(), classfile::parse(bytes).ok()?)));
        parsed.filter(|(name, file)| file.name == *name).collect::<BTreeMap<ClassName, ClassFile>>()
    };
    let (beside, tests) = (&readable(beside), &readable(tests));
    let classes_read = program::Classes { targets: &files, beside, tests, mocks };
    let mut failure = None;
    let mut source = |names: &[ClassName]| -> Vec<Option<ClassFile>> {
        let parse = |bytes: Option<Vec<u8>>| bytes.and_then(|bytes| classfile::parse(&bytes).ok());
        let mut of_platform = |name: &ClassName| parse(platform.as_mut()?.class(name.internal()));
        let mut found: Vec<Option<ClassFile>> = names.iter().map(&mut of_platform).collect();
        let missing: Vec<usize> = (0..names.len()).filter(|&at| found[at].is_none()).collect();
        // What the release lacks or does not export may be met at run time, but no test can name it.
        let hide = |mut file: ClassFile| {
            if platform.is_some() && file.name.internal().starts_with("java/") {
                file.access &= !access::PUBLIC;
            }
            file
        };
        match reader.read(&missing.iter().map(|&at| names[at].clone()).collect::<Vec<_>>()) {
            Ok(files) => missing.into_iter().zip(files).for_each(|(at, bytes)| found[at] = parse(bytes).map(hide)),
            Err(error) => failure = Some(error),
        }
        found
    };
    let mut program = program::read(&classes_read, wanted, contracts, &mut source);
    if let Some(error) = failure {
        return Err(error);
    }
    if let Some(platform) = platform {
        program.types.know_release(platform.classes());
    }
    let numbered = number(program.targets.iter().map(|target| &classes[&target.name][..]));
    let probes = number_probes(&program, &numbered);
    let is_enum = |class: &ClassName| program.types.get(class).is_some_and(ClassFacts::is_enum);
    let mut mutants = mutants(numbered.iter().flatten(), classes, &Mutator::ALL, &is_enum);
    // No test is about a contract method.
    mutants.retain(|mutant| !is_contract_method(&program, &mutant.class, &mutant.method));
    Ok(Subject { program, probes, numbered, mutants, unreadable, disabled_rules: Vec::new() })
}

/// The mutants that the mutators make of the classes that are instrumented, in the order of the classes. `is_enum` tells enums from
/// other classes with constants.
pub fn mutants<'a>(
    numbered: impl IntoIterator<Item = &'a Numbered>,
    classes: &ClassFiles,
    mutators: &[Mutator],
    is_enum: &dyn Fn(&ClassName) -> bool,
) -> Vec<KnownMutant> {
    let mut mutants = Vec::new();
    let numbered: Vec<&Numbered> = numbered.into_iter().collect();
    for (number, Numbered { first_probe, plan, .. }) in numbered.iter().enumerate() {
        let class = &plan.class;
        let Ok(mut mutations) = instrument::mutants(&classes[class], mutators) else { continue };
        mutations.retain(|mutation| mutation.field_type.as_ref().is_none_or(is_enum));
        mutants.extend(mutations.into_iter().map(|mutation| {
            let Mutation { method, pc, mutator, line, reached_by, .. } = mutation;
            let mutant = Mutant { class: number as u32, method, pc, mutator };
            let reached_by = reached_by.into_iter().map(|probe| first_probe + probe).collect();
            let method = plan.methods[usize::from(method)].clone();
            KnownMutant { site: MutantSite { mutant, reached_by }, class: class.clone(), method, line }
        }));
        if mutators.contains(&Mutator::EnumData) {
            mutants.extend(enum_data(number as u32, &numbered, classes));
        }
    }
    mutants
}

/// The mutants of the data of an enum's constants. Code of the classes around it reads the fields, too (JVMS §4.7.28), and those
/// that are not private the code of its package (JVMS §5.4.4).
fn enum_data(number: u32, numbered: &[&Numbered], classes: &ClassFiles) -> Vec<KnownMutant> {
    let plan = &numbered[number as usize].plan;
    let Ok(Some(data)) = instrument::enum_data(&classes[&plan.class]) else { return Vec::new() };
    let is_near = |one: &&&Numbered| match data.is_private {
        true => one.plan.class.outermost() == plan.class.outermost(),
        false => one.plan.class.package() == plan.class.package(),
    };
    let mut reached_by: BTreeMap<Arc<str>, BTreeSet<Edge>> = BTreeMap::new();
    for near in numbered.iter().filter(is_near) {
        let reads =
            instrument::reads_of_fields(&classes[&near.plan.class], &near.plan, &plan.class).unwrap_or_default();
        for read in reads {
            let probes = read.reached_by.into_iter().map(|probe| near.first_probe + probe);
            reached_by.entry(read.field).or_default().extend(probes);
        }
    }
    let method = &plan.methods[usize::from(data.initializer)];
    let places = (0..data.constants * data.fields.len()).map(|at| (at as u16, &data.fields[at % data.fields.len()]));
    let known = places.filter_map(|(pc, field)| {
        let reached_by = reached_by.get(field)?.iter().copied().collect();
        let mutant = Mutant { class: number, method: data.initializer, pc, mutator: Mutator::EnumData };
        let site = MutantSite { mutant, reached_by };
        Some(KnownMutant { site, class: plan.class.clone(), method: method.clone(), line: None })
    });
    known.collect()
}

/// The plan of a class, with the numbers of its first probe and method.
pub struct Numbered {
    /// Its other probes follow, in the order of the plan.
    pub first_probe: u32,
    /// Its other methods follow, in the order of the class file.
    pub first_method: TracedMethod,
    /// Where probes are spliced in.
    pub plan: Plan,
}

impl Numbered {
    /// For the workers: the class to instrument, and the number of its first probe.
    pub fn class_probe(&self) -> (ClassName, u32) {
        (self.plan.class.clone(), self.first_probe)
    }
}

/// Numbers the probes of classes, and their methods, one class after the other; nothing of one that cannot be planned.
pub fn number<'a>(classes: impl IntoIterator<Item = &'a [u8]>) -> Vec<Option<Numbered>> {
    let (mut first_probe, mut first_method) = (0, 0);
    let numbered = |bytes| {
        let plan = instrument::plan(bytes).ok()?;
        let class = Numbered { first_probe, first_method, plan };
        first_probe += class.plan.probes.len() as u32;
        first_method += class.plan.methods.len() as u32;
        Some(class)
    };
    classes.into_iter().map(numbered).collect()
}

/// Whether the method, given by name and descriptor, says whether objects of the class are as it wants them.
fn is_contract_method(program: &Program, class: &ClassName, (name, descriptor): &(Arc<str>, Arc<str>)) -> bool {
    MethodDescriptor::parse(descriptor).is_some_and(|descriptor| program.is_contract_method(class, name, &descriptor))
}

/// The numbers of all targets, in order of their names.
fn number_probes(program: &Program, numbered: &[Option<Numbered>]) -> ProbeMap {
    let mut probes = ProbeMap::default();
    let mut bodies = vec![Vec::new(); program.operations.len()];
    let mut of_class: FxHashMap<&ClassName, ProbesByMethod> = FxHashMap::default();
    for (target, numbered) in program.targets.iter().zip(numbered) {
        probes.first_of_class.push(probes.count);
        let Some(Numbered { first_probe, plan, .. }) = numbered else { continue };
        let mut by_method = ProbesByMethod::default();
        for (index, probe) in plan.probes.iter().enumerate() {
            let number = first_probe + index as u32;
            let method = &plan.methods[probe.method as usize];
            let is_check = !program.contract_methods.is_empty() && is_contract_method(program, &target.name, method);
            probes.is_edge.push(probe.kind.is_edge() && !is_check);
            probes.is_boundary.push(probe.kind == ProbeKind::Boundary && !is_check);
            let (name, descriptor) = method;
            by_method.entry((name.to_string(), descriptor.to_string())).or_default().push(number);
        }
        probes.count += plan.probes.len() as u32;
        for id in &target.operations {
            let operation = &program.operations[id.0 as usize];
            let key = (operation.name.to_string(), operation.descriptor.to_string());
            if operation.is_code()
                && let Some(numbers) = by_method.get(&key)
            {
                bodies[id.0 as usize] = numbers.clone();
            }
        }
        of_class.insert(&target.name, by_method);
    }
    let of_method = |member: &MethodMember| {
        let key = (member.name.to_string(), member.descriptor.to_string());
        of_class.get(&member.owner).and_then(|by_method| by_method.get(&key)).cloned().unwrap_or_default()
    };
    let behind = program.back_doors.iter().map(|(id, door)| (*id, door.code.iter().flat_map(of_method).collect()));
    probes.behind = behind.collect();
    probes.set_bodies(bodies);
    probes
}

/// By name and descriptor.
type ProbesByMethod = FxHashMap<(String, String), Vec<u32>>;
