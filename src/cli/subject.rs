//! From class files to what the search needs: the program, the probes, the workers' launch.

use super::engine::EngineError;
use crate::classfile::{self, ClassFile};
use crate::classpath::Jdk;
use crate::generator::ProbeMap;
use crate::instrument::{self, ProbeKind};
use crate::jvm::ClassName;
use crate::options::Options;
use crate::program::{self, Program};
use crate::sequence::OperationKind;
use crate::supervisor::{ClassReader, Launch, SupervisorError};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The classes under test, ready to be searched.
pub struct Subject {
    pub program: Program,
    pub probes: ProbeMap,
    /// For the workers: the classes to instrument and the number of their first probe.
    pub class_probes: Vec<(ClassName, u32)>,
    /// Classes whose file cannot be read, with the reason.
    pub unreadable: Vec<(ClassName, String)>,
}

/// Reads the classes under test among those in `class_path`; with the launch of workers that can run them.
pub fn open(
    classes: &BTreeMap<ClassName, Vec<u8>>,
    options: &Options,
    jdk: &Jdk,
    class_path: Vec<PathBuf>,
    scratch: &Path,
    interrupt: &Arc<AtomicBool>,
) -> Result<(Subject, Launch), EngineError> {
    let mut launch = Launch::new(jdk.home.clone(), class_path, scratch.to_path_buf());
    launch.jvm_args = options.jvm_args.clone();
    launch.interrupt = interrupt.clone();
    let wanted = |class: &ClassName, member: &str| options.selects_method(&class.binary(), member);
    let subject = read(classes, &wanted, &mut ClassReader::open(&launch)?)?;
    launch.class_probes = subject.class_probes.clone();
    launch.probe_count = subject.probes.count;
    launch.operations = subject.program.operations.clone();
    Ok((subject, launch))
}

/// Reads the classes under test; `reader` finds what they refer to.
fn read(
    classes: &BTreeMap<ClassName, Vec<u8>>,
    wanted: &program::Selection,
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
    let mut failure = None;
    let mut source = |names: &[ClassName]| -> Vec<Option<ClassFile>> {
        let parse = |bytes: Option<Vec<u8>>| bytes.and_then(|bytes| classfile::parse(&bytes).ok());
        match reader.read(names) {
            Ok(found) => found.into_iter().map(parse).collect(),
            Err(error) => {
                failure = Some(error);
                vec![None; names.len()]
            }
        }
    };
    let program = program::read(&files, wanted, &mut source);
    if let Some(error) = failure {
        return Err(error);
    }
    let (probes, class_probes) = number_probes(&program, classes);
    Ok(Subject { program, probes, class_probes, unreadable })
}

/// Numbers the probes of all classes in order of their names.
fn number_probes(program: &Program, classes: &BTreeMap<ClassName, Vec<u8>>) -> (ProbeMap, Vec<(ClassName, u32)>) {
    let mut probes = ProbeMap { of_operation: vec![Vec::new(); program.operations.len()], ..ProbeMap::default() };
    let mut class_probes = Vec::new();
    for target in &program.targets {
        probes.first_of_class.push(probes.count);
        let Ok(plan) = instrument::plan(&classes[&target.name]) else { continue };
        class_probes.push((target.name.clone(), probes.count));
        let mut by_method: FxHashMap<(String, String), Vec<u32>> = FxHashMap::default();
        for (index, probe) in plan.probes.iter().enumerate() {
            let number = probes.count + index as u32;
            probes.is_edge.push(probe.kind != ProbeKind::Site);
            let (name, descriptor) = &plan.methods[probe.method as usize];
            by_method.entry((name.to_string(), descriptor.to_string())).or_default().push(number);
        }
        probes.count += plan.probes.len() as u32;
        for id in &target.operations {
            let operation = &program.operations[id.0 as usize];
            let is_code = matches!(
                operation.kind,
                OperationKind::Constructor | OperationKind::StaticMethod | OperationKind::InstanceMethod
            );
            let key = (operation.name.to_string(), operation.descriptor.to_string());
            if is_code && let Some(numbers) = by_method.get(&key) {
                probes.of_operation[id.0 as usize] = numbers.clone();
            }
        }
    }
    (probes, class_probes)
}
