//! What the compiled tests of earlier runs name: the methods that they call, the constants that they read, and classes.

use bytecode::classfile::{self, ClassFile, Decoder, Instruction, MethodMember};
use emitter::WrittenFile;
use model::jvm::ClassName;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The code of test classes.
#[derive(Default)]
pub(super) struct TestCode {
    /// By the name of the test class, with dots, and that of the method.
    methods: BTreeMap<(String, String), MethodCode>,
    mentioned: BTreeMap<String, BTreeSet<ClassName>>,
}

/// What a test method names, with its lambdas.
#[derive(Default)]
struct MethodCode {
    calls: Vec<MethodMember>,
    /// Static fields by their classes.
    read: BTreeSet<(ClassName, String)>,
}

impl TestCode {
    /// The methods that a test calls, in order.
    pub fn calls(&self, class: &str, method: &str) -> &[MethodMember] {
        self.method(class, method).map_or(&[], |code| &code.calls)
    }

    /// Whether a test reads the static field.
    pub fn reads(&self, class: &str, method: &str, field: (&ClassName, &str)) -> bool {
        self.method(class, method).is_some_and(|code| code.read.iter().any(|(of, name)| (of, &**name) == field))
    }

    /// The classes that some of the files mention.
    pub fn mentioned(&self, files: &[WrittenFile]) -> BTreeSet<ClassName> {
        files.iter().filter_map(|file| self.mentioned.get(&file.binary_name())).flatten().cloned().collect()
    }

    fn method(&self, class: &str, method: &str) -> Option<&MethodCode> {
        self.methods.get(&(class.to_string(), method.to_string()))
    }
}

/// Reads the classes of the files below the directory; one that was not compiled has no code.
pub(super) fn read(classes: &Path, files: &BTreeMap<usize, Vec<WrittenFile>>) -> TestCode {
    let mut code = TestCode::default();
    for file in files.values().flatten() {
        let path = classes.join(file.relative_path()).with_extension("class");
        let Some(class) = host::files::read(&path).ok().and_then(|bytes| classfile::parse(&bytes).ok()) else {
            continue;
        };
        let name = file.binary_name();
        code.mentioned.insert(name.clone(), class.mentioned_classes().into_iter().collect());
        for (method, found) in methods(&class) {
            code.methods.insert((name.clone(), method), found);
        }
    }
    code
}

/// The methods of a class, each with the lambdas that javac made of its body: `lambda$push_full_throws$0`.
fn methods(class: &ClassFile) -> BTreeMap<String, MethodCode> {
    let mut methods: BTreeMap<String, MethodCode> = BTreeMap::new();
    let mut decoder = Decoder::new(class);
    for method in &class.methods {
        let Some(body) = method.code.as_ref().and_then(|code| decoder.body(code).ok()) else { continue };
        let lambda = method.name.strip_prefix("lambda$").and_then(|name| name.rsplit_once('$'));
        let name = lambda.map_or(&*method.name, |(name, _)| name);
        let code = methods.entry(name.to_string()).or_default();
        for step in &body.steps {
            if let Some(member) = step.instruction.invoked() {
                code.calls.push((**member).clone());
            }
            if let Instruction::Field { access, field } = &step.instruction
                && access.is_static()
            {
                code.read.insert((field.owner.clone(), field.name.to_string()));
            }
        }
    }
    methods
}
