//! Reuse of the last run's results: its report, and the tests of unchanged classes.
//!
//! A class is unchanged if its hash in [`Inputs`] is: of its file, the module's classes that its tests call, the classes that
//! any of these refers to, and everything on which all classes depend. Classes that it reaches only by reflection do not count.

use crate::inputs::Inputs;
use host::classpath::Module;
use host::files;
use host::output::{self, GeneratedFile, Origin};
use model::digest;
use model::jvm::ClassName;
use model::options::{Accept, Options};
use report::{self, ClassReport, ReportFile, RunReport};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The directory of the tests of findings.
pub const FINDINGS: &str = "findings";

/// The record that a run writes beside its report.
#[derive(Debug, Deserialize, Serialize)]
struct Record {
    /// Hash of all inputs of the run.
    inputs: String,
    /// Hash of the JSON report.
    report: String,
    /// Of which classes it was, and where it wrote tests.
    #[serde(default)]
    place: Place,
    classes: BTreeMap<String, ClassRecord>,
}

/// What makes a later run the continuation of an earlier one: a run of another jar, or one that writes elsewhere, is none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Place {
    /// Directories and jars of the classes under test, relative to the module where they are below it.
    classes: Vec<String>,
    /// Likewise.
    output: String,
}

impl Place {
    /// Of a run over the module.
    pub fn of(module: &Module, options: &Options) -> Place {
        let relative = |path: &Path| path.strip_prefix(&module.basedir).unwrap_or(path).display().to_string();
        let classes = module.classes.iter().map(|path| relative(path)).collect();
        Place { classes, output: relative(&module.output_directory(options)) }
    }
}

#[derive(Debug, Deserialize, Serialize)]
struct ClassRecord {
    inputs: String,
    /// Hash of the inputs without the classes that it uses.
    #[serde(default)]
    own: String,
    /// Internal names of the classes that its tests call.
    called: BTreeSet<String>,
    /// Hashes of the files of its tests, and of those of its findings.
    tests: BTreeMap<String, String>,
    findings: BTreeMap<String, String>,
}

/// The last run over a module: its report and record.
pub struct LastRun {
    /// As it was read from the report file, whose hash is the recorded one.
    pub report: RunReport,
    record: Record,
}

/// The generated sources of a run.
#[derive(Default)]
pub struct Generated {
    /// Below the output directory.
    pub tests: Vec<GeneratedFile>,
    /// Below [`FINDINGS`].
    pub findings: Vec<GeneratedFile>,
    /// For each class of the run, the classes of the module that its tests call.
    pub called: BTreeMap<String, BTreeSet<ClassName>>,
}

impl Generated {
    /// Adds the sources of other classes.
    pub fn add(&mut self, other: Generated) {
        self.tests.extend(other.tests);
        self.findings.extend(other.findings);
        self.called.extend(other.called);
    }
}

/// The results of the last run that are still valid.
#[derive(Default)]
pub struct ReusedResults {
    /// The report of the reused classes.
    pub report: RunReport,
    /// Their sources; tests that the user edited are unchanged.
    pub generated: Generated,
    /// All classes are reused, so that nothing is left to do.
    pub is_whole: bool,
}

impl ReusedResults {
    /// Whether the last results for the class are used again.
    pub fn has(&self, class: &ClassName) -> bool {
        self.generated.called.contains_key(&class.binary())
    }
}

impl LastRun {
    /// Below the directory of reports; later runs read it, users need not.
    pub const FILE_NAME: &str = "run.json";

    /// The run that wrote the report in the directory, if that is as it was written.
    pub fn read(reports: &Path) -> Option<LastRun> {
        let record: Record = serde_json::from_slice(&files::read(&reports.join(LastRun::FILE_NAME)).ok()?).ok()?;
        let report = files::read_text(&reports.join(report::JSON)).ok()?;
        if record.report != hash(&report) {
            return None;
        }
        // The file lies in the project: others may have written it.
        Some(LastRun { report: RunReport::parse(&report)?, record })
    }

    /// Without the classes of which tests fail, where the user accepts that: these are searched again.
    pub fn without_accepted(mut self, accept: &Accept) -> LastRun {
        let classes = self.report.classes.iter().filter(|class| !class.changed.is_empty() && accept.has(&class.name));
        for class in classes {
            self.record.classes.remove(&class.name);
        }
        self
    }

    /// Whether a run at the place continues this one.
    pub fn is_continued_at(&self, place: &Place) -> bool {
        self.record.place == *place
    }

    /// Whether it is known that the run was of other classes. Tests that lie where this run writes are none of earlier runs then.
    pub fn is_of_others(reports: &Path, place: &Place) -> bool {
        let record = files::read(&reports.join(LastRun::FILE_NAME)).ok();
        let record: Option<Record> = record.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        record.is_some_and(|record| !record.place.classes.is_empty() && record.place.classes != place.classes)
    }

    /// The tests of classes that are as they were, but use some that are not. A class that has findings, or of which a test
    /// fails or was edited, is none of them.
    pub fn dependents(
        &self,
        inputs: &Inputs,
        classes: &[&ClassName],
        tests: &Path,
        reports: &Path,
    ) -> BTreeMap<ClassName, Vec<GeneratedFile>> {
        let of_class = |class: &&ClassName| {
            let record = self.record.classes.get(&class.binary())?;
            let report = self.report.classes.iter().find(|report| report.name == class.binary())?;
            let is_changed = record.inputs != inputs.of(class, &record.called());
            // Without tests, it is covered by those of others, or there is nothing to test.
            let has_nothing_left = !record.tests.is_empty() || report.edges.covered > 0 || report.edges.total == 0;
            let is_settled = report.changed.is_empty() && report.findings.is_empty() && has_nothing_left;
            if !is_changed || !is_settled || record.own != inputs.of_itself(class) {
                return None;
            }
            let is_wanted = |origin| origin == Origin::Generated;
            let generated = record.generated(&class.binary(), Some(tests), reports, &is_wanted)?;
            (generated.tests.len() == record.tests.len()).then(|| ((*class).clone(), generated.tests))
        };
        classes.iter().filter_map(of_class).collect()
    }

    /// What holds for the given classes, of which some stand though others that they use have changed. Their tests are looked
    /// for below `tests`, or do not matter; a file that is gone, or of another run, is to be made again, and one that was
    /// edited is left alone.
    pub fn reuse(
        self,
        inputs: &Inputs,
        (classes, standing): (&[&ClassName], &BTreeSet<ClassName>),
        tests: Option<&Path>,
        reports: &Path,
    ) -> ReusedResults {
        let mut reused = ReusedResults::default();
        let holds = |class: &&ClassName| {
            let record = self.record.classes.get(&class.binary())?;
            let is_as_it_was = record.inputs == inputs.of(class, &record.called()) || standing.contains(*class);
            is_as_it_was.then(|| record.generated(&class.binary(), tests, reports, &|_| true)).flatten()
        };
        let found: Vec<(&ClassName, Option<Generated>)> = classes.iter().map(|class| (*class, holds(class))).collect();
        // Tests of `Outer$Inner` are called otherwise where there is an `OuterInner`, so they go together.
        let stem = |class: &ClassName| class.internal().replace('$', "");
        let searched = found.iter().filter(|(_, generated)| generated.is_none());
        let searched: BTreeSet<String> = searched.map(|(class, _)| stem(class)).collect();
        for (class, generated) in found {
            reused.generated.add(generated.filter(|_| !searched.contains(&stem(class))).unwrap_or_default());
        }
        let called = &reused.generated.called;
        let is_all = called.len() == classes.len() && classes.len() == self.record.classes.len();
        reused.is_whole = is_all && self.record.inputs == inputs.whole();
        reused.report = match reused.is_whole {
            true => self.report,
            false => self.report.of_classes(&|name| called.contains_key(name)),
        };
        reused
    }

    /// All that the run wrote and nobody edited; `None` if some of it is not there any more.
    pub fn generated(&self, tests: Option<&Path>, reports: &Path) -> Option<Generated> {
        let mut all = Generated::default();
        for (name, record) in &self.record.classes {
            all.add(record.generated(name, tests, reports, &|origin| origin == Origin::Generated)?);
        }
        Some(all)
    }

    /// Whether both were made from the same things.
    pub fn is_like(&self, other: &LastRun) -> bool {
        self.record.inputs == other.record.inputs
    }

    /// With what another run over other classes gave.
    pub fn join(mut self, other: LastRun) -> LastRun {
        self.record.classes.extend(other.record.classes);
        LastRun { report: self.report.join(other.report), record: self.record }
    }

    /// A note of the run beside its report; none of one that ended early or has no report in JSON.
    fn note(mut self, reports: &[ReportFile]) -> Option<ReportFile> {
        let report = reports.iter().find(|file| file.name == report::JSON)?;
        self.record.report = hash(&report.text);
        let text = serde_json::to_string_pretty(&self.record).ok()? + "\n";
        self.report.ended_early.is_none().then(|| ReportFile { name: LastRun::FILE_NAME.to_string(), text })
    }

    /// All that a run leaves in the directory of its reports: those, a note of itself, and the tests that show findings, as
    /// these fail.
    pub fn files(self, mut reports: Vec<ReportFile>, findings: &[GeneratedFile]) -> Vec<GeneratedFile> {
        reports.extend(self.note(&reports));
        let reports = reports.into_iter().map(|file| GeneratedFile { path: file.name.into(), text: file.text });
        let below = |file: &GeneratedFile| GeneratedFile { path: Path::new(FINDINGS).join(&file.path), ..file.clone() };
        reports.chain(findings.iter().map(below)).collect()
    }

    /// What is to be known of a run that ends.
    pub fn new(
        inputs: &Inputs,
        place: Place,
        report: RunReport,
        Generated { tests, findings, called }: &Generated,
    ) -> LastRun {
        let hashes = |files: &[GeneratedFile], names: &mut dyn Iterator<Item = &String>| -> BTreeMap<String, String> {
            let named = names.filter_map(|name| Some((name, files.iter().find(|file| file.path == Path::new(name))?)));
            named.map(|(name, file)| (name.clone(), hash(&file.text))).collect()
        };
        let of_class = |class: &ClassReport| {
            let called = called.get(&class.name)?;
            let name = ClassName::new(&class.name.replace('.', "/"));
            let record = ClassRecord {
                inputs: inputs.of(&name, called),
                own: inputs.of_itself(&name),
                called: called.iter().map(|name| name.internal().to_string()).collect(),
                tests: hashes(
                    tests,
                    &mut class.tests.iter().map(|test| &test.file).chain(class.changed.iter().map(|test| &test.file)),
                ),
                findings: hashes(findings, &mut class.findings.iter().map(|finding| &finding.file)),
            };
            Some((class.name.clone(), record))
        };
        let classes = report.classes.iter().filter_map(of_class).collect();
        LastRun { record: Record { inputs: inputs.whole(), report: String::new(), place, classes }, report }
    }
}

impl ClassRecord {
    fn called(&self) -> BTreeSet<ClassName> {
        self.called.iter().map(|name| ClassName::new(name)).collect()
    }

    /// The class's files as they are, of tests those of whose origin is wanted; `None` if one is neither as it was written
    /// nor somebody's edit.
    fn generated(
        &self,
        class: &str,
        tests: Option<&Path>,
        reports: &Path,
        is_wanted: &dyn Fn(Origin) -> bool,
    ) -> Option<Generated> {
        let mut generated = Generated { called: [(class.to_string(), self.called())].into(), ..Generated::default() };
        for (path, expected) in self.tests.iter().filter(|_| tests.is_some()) {
            let (origin, text) = output::read_source(tests?, Path::new(path))?;
            if origin == Origin::Generated && hash(&text) != *expected {
                return None;
            }
            if is_wanted(origin) {
                generated.tests.push(GeneratedFile { path: path.into(), text });
            }
        }
        for (path, expected) in &self.findings {
            let text = text_below(&reports.join(FINDINGS), path)?;
            if hash(&text) != *expected {
                return None;
            }
            generated.findings.push(GeneratedFile { path: path.into(), text });
        }
        Some(generated)
    }
}

/// A file that a record names, if it is below the directory.
pub fn text_below(directory: &Path, path: &str) -> Option<String> {
    String::from_utf8(files::read_below(directory, Path::new(path))?).ok()
}

fn hash(text: &str) -> String {
    digest::hex(Sha256::new_with_prefix(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::options::OutputFormat;
    use std::fs;

    #[test]
    fn last_run_is_ignored_if_its_report_changed_or_it_ended_early() {
        let scratch = tempfile::tempdir().unwrap();
        let run = RunReport { module: "shop".to_string(), ..RunReport::default() };
        let inputs = Inputs::default();
        let mut files = report::files(&run, None, &Default::default(), None, &[OutputFormat::Json]).unwrap();
        let early = RunReport { ended_early: Some("interrupted".to_string()), ..run.clone() };
        let note =
            |run: &RunReport| LastRun::new(&inputs, Place::default(), run.clone(), &Generated::default()).note(&files);
        assert_eq!(note(&early), None);
        let note = note(&run);
        files.extend(note);
        files.iter().for_each(|file| fs::write(scratch.path().join(&file.name), &file.text).unwrap());
        let last_run = LastRun::read(scratch.path()).unwrap();
        assert_eq!(last_run.report, run);
        assert!(last_run.reuse(&inputs, (&[], &BTreeSet::new()), None, scratch.path()).is_whole);
        fs::write(scratch.path().join(report::JSON), files[0].text.replace("shop", "stop")).unwrap();
        assert!(LastRun::read(scratch.path()).is_none());
    }
}
