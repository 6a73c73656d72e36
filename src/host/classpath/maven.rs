//! Asks Maven for modules and class paths: one run, whose answers stay in the build directory until a build file or a
//! settings file changes.
//!
//! The run compiles, as in a reactor one module's class path names the other's classes, and writes each module's class
//! path and the effective POM. All later reading is of these files, so a cached answer and a new one are the same.

use super::{BuildTool, Module, ResolveError};
use crate::files;
use crate::project::{Pom, ProjectError, read_effective};
use model::digest;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::SystemTime;

/// Fixed versions, so that no run depends on what a repository offers that day.
const CLASS_PATH_GOAL: &str = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:build-classpath";
const EFFECTIVE_POM_GOAL: &str = "org.apache.maven.plugins:maven-help-plugin:3.4.0:effective-pom";

/// What the files begin with, in the directory of the answer, to which Maven writes the modules' class paths.
const CLASS_PATH_FILE: &str = "class-path-";

/// Checks of style and licence that builds make before they compile: none says anything about classes, and generated tests
/// without the project's licence header would fail the next run.
const SKIPPED_CHECKS: [&str; 5] =
    ["-Drat.skip", "-Denforcer.skip", "-Dcheckstyle.skip", "-Dlicense.skip", "-Dspotless.check.skip"];

/// The modules of the project at `root` that have classes of their own, in Maven's order.
pub(super) fn resolve(root: &Path, poms: &[Pom], interrupted: &AtomicBool) -> Result<Vec<Module>, ResolveError> {
    let cache = Cache { directory: root.join("target/randgen/maven"), key: key(root, poms) };
    refuse_links(root, &cache)?;
    if let Some(modules) = cache.load(root, poms) {
        return Ok(modules);
    }
    ask_in_phases(root, &cache, interrupted)?;
    let modules = read_modules(root, poms, &cache)?;
    // Without it the next run asks again, no more.
    let _ = std::fs::write(cache.key_file(), &cache.key);
    Ok(modules)
}

/// Neither Maven nor this program follows a link that lies where they write what Maven answers: it could lead to any file.
fn refuse_links(root: &Path, cache: &Cache) -> Result<(), ResolveError> {
    let entries = std::fs::read_dir(&cache.directory).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut written = [root.join("target/randgen"), cache.directory.clone()].into_iter().chain(entries);
    match written.find(|path| path.is_symlink()) {
        Some(path) => Err(ResolveError::Link { path }),
        None => Ok(()),
    }
}

/// Compiles the classes alone if that is enough. A module may need the compiled tests of another (`test-jar`), which Maven has
/// only once it has compiled tests; if these do not compile, the first answer says what is wrong.
fn ask_in_phases(root: &Path, cache: &Cache, interrupted: &AtomicBool) -> Result<(), ResolveError> {
    let refusal = match ask("compile", root, cache, interrupted) {
        Err(ResolveError::BuildFailed { tool, root, lines }) if lacks_tests(&lines) => {
            ResolveError::BuildFailed { tool, root, lines }
        }
        answered => return answered,
    };
    match ask("test-compile", root, cache, interrupted) {
        Err(ResolveError::BuildFailed { .. }) => Err(refusal),
        answered => answered,
    }
}

/// Whether an artifact is missing that holds compiled tests, such as `shop:core:jar:tests:1`.
fn lacks_tests(lines: &[String]) -> bool {
    lines.iter().any(|line| line.contains("ould not ") && line.contains(":jar:tests:"))
}

fn ask(phase: &str, root: &Path, cache: &Cache, interrupted: &AtomicBool) -> Result<(), ResolveError> {
    let wrapper = root.join("mvnw");
    let mut command = if wrapper.is_file() { Command::new(&wrapper) } else { Command::new("mvn") };
    let _ = std::fs::remove_file(cache.key_file());
    command.current_dir(root).args(["-q", "-B", "-Dstyle.color=never", phase, CLASS_PATH_GOAL]);
    command.args(SKIPPED_CHECKS);
    let class_path = cache.directory.join(format!("{CLASS_PATH_FILE}${{project.groupId}}-${{project.artifactId}}"));
    command.arg(format!("-Dmdep.outputFile={}", class_path.display()));
    command.args(["-DincludeScope=test", EFFECTIVE_POM_GOAL]);
    command.arg(format!("-Doutput={}", cache.effective_pom().display()));
    super::build(BuildTool::Maven, &mut command, root, interrupted)
}

/// The lines that say something about the project, not about Maven's flags.
pub(super) fn telling(lines: Vec<String>) -> Vec<String> {
    const ADVICE: [&str; 5] = [
        "To see the full stack trace",
        "Re-run Maven",
        "For more information about the errors",
        "After correcting the problems",
        "mvn <args> -rf",
    ];
    lines
        .into_iter()
        .map(|line| line.replace("[ERROR]", "").replace("[FATAL]", ""))
        .map(|line| line.split("-> [Help ").next().unwrap_or_default().trim().to_string())
        .filter(|line| {
            // Beside empty lines, Maven has some with a lone @.
            line.len() > 1 && !line.starts_with("[Help ") && !ADVICE.iter().any(|advice| line.starts_with(advice))
        })
        .collect()
}

/// Reads what Maven wrote.
fn read_modules(root: &Path, poms: &[Pom], cache: &Cache) -> Result<Vec<Module>, ResolveError> {
    let mut modules = Vec::new();
    for pom in read_effective(&cache.effective_pom())? {
        if pom.packaging != "pom" {
            modules.push(read_module(root, poms, &pom, cache)?);
        }
    }
    Ok(modules)
}

fn read_module(root: &Path, poms: &[Pom], pom: &Pom, cache: &Cache) -> Result<Module, ResolveError> {
    let directory =
        |name: &str, default: &str| pom.build(name).map_or_else(|| root.join(default), |path| root.join(path));
    let build_directory = directory("directory", "target");
    let own_file = poms
        .iter()
        .find(|own| own.artifact_id == pom.artifact_id && (own.group_id.is_none() || own.group_id == pom.group_id));
    // A module that only a profile names has no file here; almost all build in a directory of their own.
    let basedir = own_file.map(|own| own.basedir.clone());
    let basedir = basedir.or_else(|| build_directory.parent().map(Path::to_path_buf)).unwrap_or(root.to_path_buf());
    let class_path_file = cache.class_path_file(pom);
    let class_path = files::read_text(&class_path_file)
        .map_err(|source| ProjectError::Unreadable { path: class_path_file, source })?;
    let dependencies = std::env::split_paths(class_path.trim()).filter(|path| !path.as_os_str().is_empty());
    Ok(Module {
        name: pom.artifact_id.clone(),
        basedir,
        project_root: root.to_path_buf(),
        classes: vec![directory("outputDirectory", "target/classes")],
        test_classes: Some(directory("testOutputDirectory", "target/test-classes")),
        dependencies: dependencies.collect(),
        source_level: pom.source_level(),
        source_encoding: pom.source_encoding().map(str::to_string),
        source_roots: vec![directory("sourceDirectory", "src/main/java")],
        test_source_roots: vec![directory("testSourceDirectory", "src/test/java")],
        build_directory,
        is_built: true,
        settings: pom.settings()?,
    })
}

/// Maven's last answer.
struct Cache {
    directory: PathBuf,
    key: String,
}

impl Cache {
    fn class_path_file(&self, pom: &Pom) -> PathBuf {
        let group = pom.group_id.as_deref().unwrap_or_default();
        self.directory.join(format!("{CLASS_PATH_FILE}{group}-{}", pom.artifact_id))
    }

    fn effective_pom(&self) -> PathBuf {
        self.directory.join("effective-pom.xml")
    }

    /// Holds the key of the answer; written last, so its age is the answer's.
    fn key_file(&self) -> PathBuf {
        self.directory.join("key")
    }

    /// The answer, if it still holds: no build file differs, no source is newer, nothing that it names is gone.
    fn load(&self, root: &Path, poms: &[Pom]) -> Option<Vec<Module>> {
        if files::read_text(&self.key_file()).ok()? != self.key {
            return None;
        }
        let answered = std::fs::metadata(self.key_file()).ok()?.modified().ok()?;
        let modules = read_modules(root, poms, self).ok()?;
        let holds = |module: &Module| still_holds(module, answered) && reads_no_more_than_maven(module, root);
        modules.iter().all(holds).then_some(modules)
    }
}

/// The answer lies in the project, so others may have written it; and what it names, code under test may read. Beside what is in
/// the project, Maven answers with jars alone.
fn reads_no_more_than_maven(module: &Module, root: &Path) -> bool {
    let Ok(root) = root.canonicalize() else { return false };
    let is_jar = |path: &Path| path.extension().is_some_and(|extension| extension == "jar") && files::is_archive(path);
    let leads_up = |path: &Path| path.components().any(|part| part == Component::ParentDir);
    let is_own = |path: &Path| match path.canonicalize() {
        Ok(real) => real.starts_with(&root),
        // What is not there is nothing to read, unless it comes to be.
        Err(_) => !leads_up(path) && std::path::absolute(path).is_ok_and(|path| path.starts_with(&root)),
    };
    module.class_path().iter().all(|path| is_own(path) || is_jar(path))
}

fn still_holds(module: &Module, answered: SystemTime) -> bool {
    // Directories count too: their time says that a file was removed.
    let sources = module.source_roots.iter().cloned().chain([module.basedir.join("src/main")]);
    let sources: Vec<PathBuf> = sources.filter(|directory| directory.exists()).collect();
    let is_older = |entry: walkdir::Result<walkdir::DirEntry>| {
        entry.ok().and_then(|entry| entry.metadata().ok()?.modified().ok()).is_some_and(|changed| changed <= answered)
    };
    module.dependencies.iter().all(|path| path.exists())
        && (sources.is_empty() || module.classes.iter().all(|path| path.exists()))
        && sources.iter().all(|directory| walkdir::WalkDir::new(directory).into_iter().all(is_older))
}

/// A hash of every file that decides Maven's answer, and of what the environment adds to its command line.
fn key(root: &Path, poms: &[Pom]) -> String {
    let mut files: Vec<PathBuf> = poms.iter().map(|pom| pom.basedir.join("pom.xml")).collect();
    files.extend(root.ancestors().skip(1).map(|around| around.join("pom.xml")).take_while(|pom| pom.is_file()));
    let dot_mvn = root.ancestors().map(|around| around.join(".mvn")).find(|directory| directory.is_dir());
    let dot_mvn = dot_mvn.unwrap_or_else(|| root.join(".mvn"));
    let names = ["maven.config", "jvm.config", "extensions.xml", "wrapper/maven-wrapper.properties"];
    files.extend(names.map(|name| dot_mvn.join(name)));
    let variables = ["MAVEN_ARGS", "MAVEN_OPTS"].map(|name| std::env::var(name).unwrap_or_default());
    let arguments = files::read_text(&dot_mvn.join("maven.config")).unwrap_or_default() + " " + &variables[0];
    files.extend(settings_in(&arguments).map(|file| root.join(file)));
    files.extend(settings_of_user_and_installation());
    let contents: BTreeMap<&PathBuf, Vec<u8>> =
        files.iter().filter_map(|file| Some((file, files::read(file).ok()?))).collect();
    let mut hasher = Sha256::new();
    hasher.update([CLASS_PATH_GOAL, EFFECTIVE_POM_GOAL, &variables[0], &variables[1]].join("\n"));
    for (file, bytes) in contents {
        hasher.update(format!("\n{} {}\n", file.display(), bytes.len()));
        hasher.update(bytes);
    }
    digest::hex(hasher)
}

/// The settings files that arguments of Maven name.
fn settings_in(arguments: &str) -> impl Iterator<Item = &str> {
    const FLAGS: [&str; 4] = ["-gs", "--global-settings", "-s", "--settings"];
    let mut words = arguments.split_whitespace();
    std::iter::from_fn(move || {
        loop {
            let word = words.next()?;
            if FLAGS.contains(&word) {
                return words.next();
            }
            if let Some((flag, file)) = word.split_once('=')
                && FLAGS.contains(&flag)
            {
                return Some(file);
            }
        }
    })
}

/// Where Maven looks for settings that no argument names.
fn settings_of_user_and_installation() -> Vec<PathBuf> {
    let home = std::env::home_dir().map(|home| home.join(".m2/settings.xml"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let maven = std::env::split_paths(&path).find_map(|directory| directory.join("mvn").canonicalize().ok());
    let installation = maven.and_then(|maven| Some(maven.parent()?.parent()?.join("conf/settings.xml")));
    home.into_iter().chain(installation).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::Project;
    use std::fs;
    use std::time::Duration;

    /// A reactor as it is after Maven has answered; only Maven is missing.
    fn answered(root: &Path) -> (Vec<Pom>, Cache) {
        let root = root.canonicalize().unwrap();
        let shop = root.join("shop");
        fs::create_dir_all(shop.join("src/main/java")).unwrap();
        fs::create_dir_all(shop.join("build/out")).unwrap();
        fs::create_dir_all(shop.join("build/randgen")).unwrap();
        fs::write(root.join("a.jar"), "").unwrap();
        fs::create_dir_all(root.join(".mvn")).unwrap();
        fs::write(root.join(".mvn/maven.config"), "-T1 -s mirror.xml").unwrap();
        fs::write(root.join("mirror.xml"), "<settings/>").unwrap();
        fs::write(
            root.join("pom.xml"),
            "<project><artifactId>all</artifactId><modules><module>shop</module></modules></project>",
        )
        .unwrap();
        fs::write(shop.join("pom.xml"), "<project><artifactId>shop-core</artifactId></project>").unwrap();
        let Project::Maven { poms, .. } = Project::read(&root).unwrap() else { panic!("not Maven") };
        let cache = Cache { directory: root.join("target/randgen/maven"), key: key(&root, &poms) };
        fs::create_dir_all(&cache.directory).unwrap();
        let class_path = format!("{}\n", root.join("a.jar").display());
        fs::write(cache.directory.join("class-path--shop-core"), class_path).unwrap();
        let build = format!(
            "<directory>{0}</directory><outputDirectory>{0}/out</outputDirectory>",
            shop.join("build").display()
        );
        let source = format!("<sourceDirectory>{}</sourceDirectory>", shop.join("src/main/java").display());
        let effective = format!(
            "<projects><project><artifactId>all</artifactId><packaging>pom</packaging></project><project>\
             <artifactId>shop-core</artifactId><build>{build}{source}</build>\
             <properties><maven.compiler.release>11</maven.compiler.release></properties></project></projects>"
        );
        fs::write(cache.effective_pom(), effective).unwrap();
        fs::write(cache.key_file(), &cache.key).unwrap();
        (poms, cache)
    }

    #[test]
    fn maven_answer_lists_modules_with_classes() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().canonicalize().unwrap();
        let (poms, cache) = answered(&root);
        let modules = cache.load(&root, &poms).unwrap();
        let [module] = modules.as_slice() else { panic!("{modules:?}") };
        assert_eq!((module.name.as_str(), module.source_level), ("shop-core", Some(11)));
        assert_eq!(module.basedir, root.join("shop"));
        assert_eq!(module.classes, [root.join("shop/build/out")]);
        assert_eq!(module.dependencies, [root.join("a.jar")]);
    }

    #[test]
    fn cached_maven_answer_is_invalid_after_an_input_changes() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().canonicalize().unwrap();
        let check = |change: &dyn Fn()| {
            let (_, cache) = answered(&root);
            let Project::Maven { poms, .. } = Project::read(&root).unwrap() else { panic!("not Maven") };
            assert!(cache.load(&root, &poms).is_some());
            change();
            let Project::Maven { poms, .. } = Project::read(&root).unwrap() else { panic!("not Maven") };
            let cache = Cache { directory: cache.directory, key: key(&root, &poms) };
            assert!(cache.load(&root, &poms).is_none());
        };
        check(&|| fs::remove_file(root.join("a.jar")).unwrap());
        check(&|| {
            fs::write(root.join("shop/pom.xml"), "<project><artifactId>shop-core</artifactId><a/></project>").unwrap()
        });
        check(&|| fs::remove_dir_all(root.join("shop/build/out")).unwrap());
        check(&|| fs::write(root.join("mirror.xml"), "<settings><offline>true</offline></settings>").unwrap());
        check(&|| {
            let source = fs::File::create(root.join("shop/src/main/java/A.java")).unwrap();
            source.set_modified(SystemTime::now() + Duration::from_secs(10)).unwrap();
        });
    }

    #[test]
    fn forged_maven_answer_makes_nothing_outside_readable() {
        let (scratch, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let root = scratch.path().canonicalize().unwrap();
        let (poms, cache) = answered(&root);
        let outside = |name: &str, text: &str| {
            fs::write(outside.path().join(name), text).unwrap();
            outside.path().join(name)
        };
        let secret = outside("secret", "pSsT-4711");
        let holds = |entry: &Path| {
            fs::write(cache.directory.join("class-path--shop-core"), entry.display().to_string()).unwrap();
            cache.load(&root, &poms).is_some()
        };
        let jar = outside("b.jar", "");
        zip::ZipWriter::new(fs::File::create(&jar).unwrap()).finish().unwrap();
        assert!(holds(&root.join("a.jar")) && holds(&jar));
        assert!(!holds(&outside("c.jar", "PK\u{3}\u{4}")), "it is called so only");
        fs::copy(&jar, jar.with_extension("docx")).unwrap();
        assert!(!holds(&jar.with_extension("docx")) && !holds(&root.join("absent/../../absent")));
        std::os::unix::fs::symlink(&secret, root.join("link.jar")).unwrap();
        for entry in [secret.as_path(), secret.parent().unwrap(), Path::new("/"), &root.join("link.jar")] {
            assert!(!holds(entry), "{}", entry.display());
        }
        assert!(holds(&root.join("a.jar")));
        fs::remove_dir(root.join("shop/build/out")).unwrap();
        std::os::unix::fs::symlink(secret.parent().unwrap(), root.join("shop/build/out")).unwrap();
        assert!(!holds(&root.join("a.jar")), "classes");
    }

    #[test]
    fn links_where_maven_answers_are_refused() {
        let (scratch, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let root = scratch.path().canonicalize().unwrap();
        let (poms, _) = answered(&root);
        let interrupted = AtomicBool::new(true);
        let refused = |path: &str| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            let moved = root.join("moved");
            let is_moved = fs::rename(&path, &moved).is_ok();
            std::os::unix::fs::symlink(outside.path(), &path).unwrap();
            let answer = resolve(&root, &poms, &interrupted);
            assert!(matches!(&answer, Err(ResolveError::Link { path: link }) if *link == path), "{answer:?}");
            fs::remove_file(&path).unwrap();
            if is_moved {
                fs::rename(&moved, &path).unwrap();
            }
        };
        for path in [
            "target/randgen",
            "target/randgen/maven",
            "target/randgen/maven/key",
            "target/randgen/maven/class-path-a-b",
        ] {
            refused(path);
        }
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
    }

    #[test]
    fn maven_settings_file_is_found_in_short_and_long_arguments() {
        let found: Vec<&str> = settings_in("-B -s\nmine.xml --global-settings=all.xml -Ds=x -gs").collect();
        assert_eq!(found, ["mine.xml", "all.xml"]);
    }

    #[test]
    fn maven_error_omits_mavens_usage_hints() {
        let lines = [
            "[ERROR] [ERROR] Some problems were encountered while processing the POMs:",
            "[FATAL] Non-resolvable parent POM for b @ line 3, column 45",
            " @ ",
            "[ERROR] Failed to execute goal on project a: Could not resolve dependencies -> [Help 1]",
            "[ERROR] ",
            "[ERROR] To see the full stack trace of the errors, re-run Maven with the -e switch.",
            "[ERROR] [Help 1] http://cwiki.apache.org/",
        ];
        let lines = telling(lines.map(str::to_string).to_vec());
        let expected = [
            "Some problems were encountered while processing the POMs:",
            "Non-resolvable parent POM for b @ line 3, column 45",
            "Failed to execute goal on project a: Could not resolve dependencies",
        ];
        assert_eq!(lines, expected);
    }
}
