//! The two versions of a module, read and numbered so that one search can look at both.
//!
//! A class that is the same in both has the same probes; of one that differs, those of the newer version follow those of the
//! older. So the union of what both runs of a sequence hit is one run to the search, and an edge that only one version has is
//! a goal like any other.

use crate::subject::{self, ClassFiles, Numbered, Source, Subject};
use crate::suites::TestTarget;
use crate::task::Task;
use crate::{PipelineError, suites};
use bytecode::analysis::versions::{self, Classes, Difference, MethodKey, source_name};
use bytecode::classfile;
use bytecode::instrument::ProbeKind;
use host::classpath::{ClassPath, Module};
use host::files;
use host::supervisor::Launch;
use model::execution::Edge;
use model::jvm::{ClassName, MethodDescriptor};
use model::progress::Event;
use model::sequence::Operation;
use rustc_hash::FxHashMap;
use search::generator::{Focus, ProbeMap};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// An option of the JVM: all objects have the same identity hash.
const SAME_HASHES: &str = "-XX:hashCode=2";

/// The class files of both versions.
pub struct Read {
    /// Of the older version.
    older: ClassFiles,
    /// Of the newer.
    newer: ClassFiles,
    /// What differs between them.
    pub difference: Difference,
    /// Methods of both, as [`Versions::changed`] names them.
    in_both: BTreeSet<String>,
}

/// Reads both versions; `None` if the settings select no class of the older.
pub fn read(task: &Task, older: &Module) -> Result<Option<Read>, PipelineError> {
    let of = |module: &Module| -> Result<ClassFiles, PipelineError> {
        let class_path = ClassPath::open(&module.classes, &module.dependencies, task.jdk.feature_version)?;
        Ok(subject::select(class_path.read_own()?, task.options).0)
    };
    let (older_files, newer_files) = (of(older)?, of(task.module)?);
    if older_files.is_empty() {
        return Ok(None);
    }
    let parsed = |files: &ClassFiles| -> Classes {
        let parse = |(name, bytes): (&ClassName, &Vec<u8>)| Some((name.clone(), classfile::parse(bytes).ok()?));
        files.iter().filter_map(parse).collect()
    };
    let [before, after] = [&older_files, &newer_files].map(parsed);
    let mut difference = versions::difference(&before, &after);
    if !has_same_dependencies(older, task.module) {
        // What the code does may differ everywhere.
        let all = before.values().flat_map(|class| {
            class.methods.iter().map(|method| (class.name.clone(), method.name.clone(), method.descriptor.clone()))
        });
        difference.methods.extend(all);
        difference.leading.extend(difference.methods.iter().cloned());
        difference.classes.extend(before.keys().cloned());
    }
    let names = |classes: &Classes| -> BTreeSet<String> {
        let methods =
            classes.values().flat_map(|class| class.methods.iter().map(|method| name(&class.name, &method.name)));
        methods.collect()
    };
    let in_both = names(&before).intersection(&names(&after)).cloned().collect();
    Ok(Some(Read { older: older_files, newer: newer_files, difference, in_both }))
}

impl Read {
    /// Whether both versions have a method of the name, which is one of [`Versions::changed`].
    pub fn is_in_both(&self, name: &str) -> bool {
        self.in_both.contains(name)
    }
}

/// Whether two modules are run with the same other classes.
fn has_same_dependencies(one: &Module, other: &Module) -> bool {
    let is_same = |(one, other): (&std::path::PathBuf, &std::path::PathBuf)| {
        one == other || matches!((files::read(one), files::read(other)), (Ok(one), Ok(other)) if one == other)
    };
    one.dependencies.len() == other.dependencies.len() && one.dependencies.iter().zip(&other.dependencies).all(is_same)
}

/// Both versions, ready to be run.
pub struct Versions {
    /// The version that sequences are made of.
    pub older: Subject,
    /// The other.
    pub newer: Subject,
    /// The probes of both.
    pub probes: ProbeMap,
    /// What each operation of the older version is to the search.
    pub focus: Vec<Focus>,
    /// The changed methods, as source names them; several of a class may have one name.
    pub changed: Vec<String>,
    /// Which of them each probe is in.
    pub changed_of: Vec<Option<u32>>,
}

/// What workers of both versions are started with, and what tests of the older look like.
pub struct Launches {
    /// Of the older version.
    pub older: Launch,
    /// Of the newer.
    pub newer: Launch,
    /// Of the older version.
    pub target: TestTarget,
}

/// Makes both versions ready to be run.
pub fn open(task: &Task, older: &Module, read: &Read, scratch: &Path) -> Result<(Versions, Launches), PipelineError> {
    let Task { module, options, jdk, listener, interrupt } = *task;
    let class_path = ClassPath::open(&older.classes, &older.dependencies, jdk.feature_version)?;
    class_path.warnings().into_iter().for_each(|warning| listener.announce(Event::Warned(warning)));
    let target = suites::target(&Task { module: older, ..*task }, &class_path, &read.older, scratch)?;
    let level = u16::from(target.style.source_level);
    let (tests, unread) = subject::read_tests(older, options, jdk);
    unread.into_iter().for_each(|warning| listener.announce(Event::Warned(warning)));
    let open = |classes: &ClassFiles, tests: &ClassFiles, of: &Module, name: &str| {
        let test_classes = scratch.join(name);
        std::fs::create_dir(&test_classes).map_err(PipelineError::Scratch)?;
        let class_path = [test_classes].into_iter().chain(of.class_path()).collect();
        let source = Source { classes, beside: &ClassFiles::new(), tests, level, class_path };
        subject::open(source, options, jdk, scratch, interrupt).map_err(PipelineError::from)
    };
    let (mut older, mut of_older) = open(&read.older, &tests, older, "older")?;
    let (mut newer, mut of_newer) = open(&read.newer, &ClassFiles::new(), module, "newer")?;
    let probes = number(&mut older, &mut newer);
    of_newer.admission = of_older.admission.clone();
    for (launch, subject) in [(&mut of_older, &older), (&mut of_newer, &newer)] {
        launch.class_probes = subject.numbered.iter().flatten().map(Numbered::class_probe).collect();
        launch.probe_count = probes.count;
        // Sequences call what the older version has; what the newer lacks does not link there.
        launch.operations = older.program.operations.clone();
        // Both versions allocate other objects, and no caller counts them.
        launch.jvm_args.push(SAME_HASHES.to_string());
    }
    older.probes = probes.clone();
    let focus = focus(&older, &read.difference);
    let (changed, changed_of) = changed(&[&older, &newer], &read.difference, probes.count);
    let versions = Versions { older, newer, probes, focus, changed, changed_of };
    Ok((versions, Launches { older: of_older, newer: of_newer, target }))
}

/// By name and descriptor of the method.
type ProbesOfMethod = FxHashMap<MethodKey, Vec<Edge>>;

/// Numbers the probes of both versions.
fn number(older: &mut Subject, newer: &mut Subject) -> ProbeMap {
    let mut of_newer: BTreeMap<ClassName, &mut Numbered> =
        newer.numbered.iter_mut().flatten().map(|class| (class.plan.class.clone(), class)).collect();
    let (mut probes, mut by_method) = (ProbeMap::default(), ProbesOfMethod::default());
    for class in &mut older.numbered {
        probes.first_of_class.push(probes.count);
        let Some(class) = class else { continue };
        add(class, &mut probes, &mut by_method);
        let Some(other) = of_newer.remove(&class.plan.class) else { continue };
        if other.plan.probes.iter().map(place).eq(class.plan.probes.iter().map(place)) {
            other.first_probe = class.first_probe;
        } else {
            add(other, &mut probes, &mut by_method);
        }
    }
    of_newer.into_values().for_each(|class| add(class, &mut probes, &mut by_method));
    let program = &older.program;
    let of = |key: &MethodKey| by_method.get(key).cloned().unwrap_or_default();
    let of_operation = |operation: &Operation| match operation.is_code() {
        true => of(&(operation.owner.clone(), operation.name.clone(), operation.descriptor.clone())),
        false => Vec::new(),
    };
    probes.set_bodies(program.operations.iter().map(of_operation).collect());
    let behind = program.back_doors.iter().map(|(id, door)| {
        let code = door.code.iter();
        let edges = code.flat_map(|method| of(&(method.owner.clone(), method.name.clone(), method.descriptor.clone())));
        (*id, edges.collect())
    });
    probes.behind = behind.collect();
    probes
}

/// What makes a probe the same in both versions.
fn place(probe: &bytecode::instrument::ProbeInfo) -> (ProbeKind, u16, u16) {
    (probe.kind, probe.method, probe.pc)
}

/// Gives the probes of a class the next numbers.
fn add(class: &mut Numbered, probes: &mut ProbeMap, by_method: &mut ProbesOfMethod) {
    class.first_probe = probes.count;
    for (probe, number) in class.plan.probes.iter().zip(probes.count..) {
        probes.is_edge.push(probe.kind.is_edge());
        probes.is_boundary.push(probe.kind == ProbeKind::Boundary);
        if let Some(key) = method_of(class, probe.method) {
            by_method.entry(key).or_default().push(number);
        }
    }
    probes.count += class.plan.probes.len() as u32;
}

fn method_of(class: &Numbered, method: u16) -> Option<MethodKey> {
    let (name, descriptor) = &class.plan.methods[usize::from(method)];
    Some((class.plan.class.clone(), name.clone(), MethodDescriptor::parse(descriptor)?))
}

/// What each operation is to the search.
fn focus(older: &Subject, difference: &Difference) -> Vec<Focus> {
    let classes: BTreeSet<&str> = difference.classes.iter().map(ClassName::outermost).collect();
    let of = |operation: &Operation| {
        let key = (operation.owner.clone(), operation.name.clone(), operation.descriptor.clone());
        if operation.is_code() && difference.leading.contains(&key) {
            Focus::Changed
        } else if classes.contains(operation.owner.outermost()) {
            Focus::Beside
        } else {
            Focus::Elsewhere
        }
    };
    older.program.operations.iter().map(of).collect()
}

/// A method as source names it; a class stands for its constructors.
fn name(class: &ClassName, method: &str) -> String {
    match source_name(method) {
        "<init>" => class.binary(),
        "<clinit>" => format!("{} (static initialiser)", class.binary()),
        method => format!("{}.{method}", class.binary()),
    }
}

/// The changed methods as source names them, and for each probe which of them it is in.
fn changed(subjects: &[&Subject], difference: &Difference, probes: u32) -> (Vec<String>, Vec<Option<u32>>) {
    let name = |(class, method, _): &MethodKey| name(class, method);
    let names: BTreeSet<String> = difference.methods.iter().map(name).collect();
    let names: Vec<String> = names.into_iter().collect();
    let mut changed_of = vec![None; probes as usize];
    for class in subjects.iter().flat_map(|subject| subject.numbered.iter().flatten()) {
        for (probe, number) in class.plan.probes.iter().zip(class.first_probe..) {
            let Some(key) = method_of(class, probe.method) else { continue };
            if difference.methods.contains(&key) {
                changed_of[number as usize] = names.binary_search(&name(&key)).ok().map(|at| at as u32);
            }
        }
    }
    (names, changed_of)
}
