//! Resolves real projects with the Gradle on PATH.

use host::classpath::{ClassPath, ResolveError, resolve};
use host::project::Project;
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

fn write(root: &Path, file: &str, text: &str) {
    let path = root.join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Two projects with classes, of which one needs the other, below one that has none.
fn shop(root: &Path) {
    write(root, "settings.gradle", "rootProject.name = 'shop'\ninclude 'money', 'invoice'\n");
    write(root, "money/build.gradle", "apply plugin: 'java'\nsourceCompatibility = 8\n");
    write(root, "money/src/main/java/Money.java", "public class Money {}\n");
    write(root, "money/src/main/resources/rates", "1\n");
    let invoice = "apply plugin: 'java'\nsourceCompatibility = 8\ntasks.withType(JavaCompile) { options.encoding = 'UTF-8' }\n\
        dependencies { compile project(':money')\ntestCompile files('lib') }\n";
    write(root, "invoice/build.gradle", invoice);
    write(root, "invoice/src/main/java/Invoice.java", "public class Invoice { Money sum; }\n");
    write(root, "invoice/lib/Lib.class", "");
}

#[test]
#[ignore = "needs Gradle: make test-gradle"]
fn each_project_of_gradle_has_its_own_class_path() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path().canonicalize().unwrap();
    shop(&root);
    let modules = resolve(&Project::read(&root).unwrap(), &AtomicBool::new(false)).unwrap();
    let [invoice, money] = modules.as_slice() else { panic!("{modules:?}") };
    assert_eq!((invoice.name.as_str(), money.name.as_str()), ("invoice", "money"));
    assert_eq!((invoice.source_level, invoice.source_encoding.as_deref()), (Some(8), Some("UTF-8")));
    assert_eq!(money.source_encoding, None);
    assert_eq!((&money.basedir, &money.project_root), (&root.join("money"), &root));
    assert_eq!(money.build_directory, root.join("money/build"));
    assert!(money.test_source_roots.contains(&root.join("money/src/test/java")), "{money:?}");
    // Classes and resources; what is not there is not named.
    assert_eq!(money.classes, ["classes/java/main", "resources/main"].map(|path| root.join("money/build").join(path)));
    assert_eq!(invoice.dependencies, [root.join("invoice/lib"), root.join("money/build/libs/money.jar")]);
    assert_eq!(ClassPath::open(&invoice.classes, &invoice.dependencies, 17).unwrap().warnings(), &[] as &[String]);

    // A project alone, whose settings are above it.
    let alone = resolve(&Project::read(&root.join("invoice")).unwrap(), &AtomicBool::new(false)).unwrap();
    assert_eq!(alone, std::slice::from_ref(invoice));
}

#[test]
#[ignore = "needs Gradle: make test-gradle"]
fn gradle_compile_error_is_reported_in_gradles_words() {
    let scratch = tempfile::tempdir().unwrap();
    shop(scratch.path());
    write(scratch.path(), "money/src/main/java/Money.java", "public class Money {\n");
    let error = resolve(&Project::read(scratch.path()).unwrap(), &AtomicBool::new(false)).unwrap_err();
    let ResolveError::BuildFailed { lines, .. } = &error else { panic!("{error:?}") };
    assert!(lines.iter().any(|line| line.contains("Money.java:1: error: reached end of file")), "{lines:?}");
    assert!(!lines.iter().any(|line| line.contains("--stacktrace")), "{lines:?}");
    assert!(error.to_string().ends_with("with --classpath"), "{error}");
}
