//! Resolves real projects with the Maven on PATH.

use host::classpath::{ClassPath, JunitFound, ResolveError, resolve};
use host::project::Project;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;

fn copy_of_fixture(name: &str, to: &Path) {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name);
    let status = Command::new("cp").arg("-r").arg(fixture.join(".")).arg(to).status().unwrap();
    assert!(status.success());
}

#[test]
fn a_reactor_gives_each_module_its_own_class_path_and_the_answer_is_kept() {
    let scratch = tempfile::tempdir().unwrap();
    copy_of_fixture("reactor", scratch.path());
    let project = Project::read(scratch.path()).unwrap();
    let modules = resolve(&project, &AtomicBool::new(false)).unwrap();
    let names: Vec<&str> = modules.iter().map(|module| module.name.as_str()).collect();
    assert_eq!(names, ["money", "invoice"]);
    let mut found = Vec::new();
    for module in &modules {
        let class_path = ClassPath::open(&module.classes, &module.dependencies, 17).unwrap();
        assert_eq!(class_path.warnings(), &[] as &[String]);
        assert_eq!((module.source_level, module.source_encoding.as_deref()), (Some(8), Some("UTF-8")));
        found.push(JunitFound::on(&class_path));
    }
    assert_eq!(found, [JunitFound { four: true, five: false }, JunitFound { four: false, five: true }]);
    assert!(modules[1].dependencies.contains(&modules[0].classes[0]));
    // Maven is not asked again: what it would read is gone, but for the file that says nothing changed.
    let again = resolve(&project, &AtomicBool::new(true)).unwrap();
    assert_eq!(again, modules);
}

/// Needs the compiled tests of the first module for its own.
const SECOND: &str = "<project><modelVersion>4.0.0</modelVersion>
<parent><groupId>shop</groupId><artifactId>shop</artifactId><version>1</version></parent><artifactId>second</artifactId>
<dependencies><dependency><groupId>shop</groupId><artifactId>first</artifactId><version>1</version>
<type>test-jar</type><scope>test</scope></dependency></dependencies></project>";

#[test]
fn compiled_tests_of_another_module_are_on_the_class_path() {
    let scratch = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = scratch.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let parent = "<project><modelVersion>4.0.0</modelVersion><groupId>shop</groupId><artifactId>shop</artifactId>\
        <version>1</version><packaging>pom</packaging><modules><module>first</module><module>second</module></modules>\
        <properties><maven.compiler.source>8</maven.compiler.source><maven.compiler.target>8</maven.compiler.target>\
        <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties></project>";
    write("pom.xml", parent);
    let first = SECOND.replace("<artifactId>second", "<artifactId>first");
    write("first/pom.xml", &(first.split("<dependencies>").next().unwrap().to_string() + "</project>"));
    write("second/pom.xml", SECOND);
    write("first/src/main/java/A.java", "class A {}");
    write("first/src/test/java/Sample.java", "class Sample {}");
    write("second/src/main/java/B.java", "class B {}");
    let modules = resolve(&Project::read(scratch.path()).unwrap(), &AtomicBool::new(false)).unwrap();
    let tests = modules[0].test_classes.as_ref().unwrap();
    assert!(tests.join("Sample.class").is_file());
    assert_eq!(modules[1].dependencies.first(), Some(tests));
}

#[test]
fn unresolvable_dependency_is_reported_in_mavens_words() {
    let scratch = tempfile::tempdir().unwrap();
    let pom = "<project><modelVersion>4.0.0</modelVersion><groupId>g</groupId><artifactId>a</artifactId><version>1</version>\
        <dependencies><dependency><groupId>dev.randgen.nowhere</groupId><artifactId>absent</artifactId><version>1</version>\
        </dependency></dependencies></project>";
    fs::write(scratch.path().join("pom.xml"), pom).unwrap();
    let error = resolve(&Project::read(scratch.path()).unwrap(), &AtomicBool::new(false)).unwrap_err();
    let ResolveError::BuildFailed { lines, .. } = &error else { panic!("{error:?}") };
    assert!(lines.iter().any(|line| line.contains("dev.randgen.nowhere:absent:jar:1")), "{lines:?}");
    assert!(error.to_string().ends_with("with --classpath"), "{error}");
}

#[test]
fn interrupt_ends_maven() {
    let scratch = tempfile::tempdir().unwrap();
    copy_of_fixture("int-stack", scratch.path());
    let error = resolve(&Project::read(scratch.path()).unwrap(), &AtomicBool::new(true)).unwrap_err();
    assert!(matches!(error, ResolveError::Interrupted), "{error}");
}
