//! Where the classes under test are in the project's sources.

use crate::subject::ClassFiles;
use bytecode::classfile;
use bytecode::instrument;
use host::classpath::Module;
use host::files;
use model::jvm::ClassName;
use report::{Position, RunReport, SourceTexts};
use std::path::Path;

/// The class files of a module, and the directories that its sources are in.
#[derive(Clone, Copy)]
pub struct Sources<'a> {
    /// The class files.
    pub classes: &'a ClassFiles,
    /// The module.
    pub module: &'a Module,
}

impl Sources<'_> {
    /// A line of a class; `None` of a class that does not say which file it is from.
    pub fn line(&self, class: &ClassName, line: u32) -> Option<Position> {
        Some(Position { file: self.file(class)?, line: Some(line) })
    }

    /// The first line of a method of one of these names, or of what there is of the class.
    pub fn method(&self, class: &ClassName, names: &[&str]) -> Option<Position> {
        let plan = instrument::plan(self.classes.get(class)?).ok()?;
        let is_named = |method: u16| names.contains(&&*plan.methods[usize::from(method)].0);
        let lines = |wanted: &dyn Fn(u16) -> bool| {
            let probes = plan.probes.iter().filter(|probe| wanted(probe.method));
            probes.filter_map(|probe| probe.line).min().map(u32::from)
        };
        let line = lines(&is_named).or_else(|| lines(&|_| true));
        Some(Position { file: self.file(class)?, line })
    }

    /// Relative to the whole project, with `/`; below a source root that is not known, where none has the file.
    pub fn file(&self, class: &ClassName) -> Option<String> {
        let file = classfile::parse(self.classes.get(class)?).ok()?.source_file?;
        let package = class.package().replace('.', "/");
        // An attribute of the class file: whoever wrote it may have put any path there.
        let below = Some(Path::new(&package).join(&*file)).filter(|below| files::is_plain(below))?;
        let found = self.module.source_roots.iter().map(|root| root.join(&below)).find(|path| path.is_file());
        let path = match &found {
            Some(path) => path.strip_prefix(&self.module.project_root).unwrap_or(path),
            None => &below,
        };
        Some(path.to_string_lossy().replace('\\', "/"))
    }
}

/// The sources of the classes of a report, as far as they are below the directory of the whole project.
pub fn texts(report: &RunReport, project_root: &Path) -> SourceTexts {
    let files = report.classes.iter().filter_map(|class| class.source.as_ref());
    let text = |file: &String| {
        let bytes = files::read_below(project_root, Path::new(file))?;
        Some((file.clone(), String::from_utf8_lossy(&bytes).into_owned()))
    };
    files.filter_map(text).collect()
}
