//! What a JVM that runs code under test has to read: its JDK, its class path, and what both lead to.
//!
//! A jar is written by others: its manifest may name jars beside itself, and nothing else is opened because of it.

use crate::files;
use std::collections::BTreeSet;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use zip::ZipArchive;

/// How deep in a JDK links lie: distributions keep its configuration elsewhere.
const DEPTH: usize = 4;

/// A manifest is not larger.
const MANIFEST: u64 = 1 << 20;

/// The JDK, what its links lead to, and the class path with what the manifests of its jars add.
///
/// A file on the class path that is no archive holds no class. `lib/*` may name one: a link called `a.jar` to a private key.
pub(super) fn of(java_home: &Path, class_path: &[PathBuf]) -> Vec<PathBuf> {
    let of_classes = class_path.iter().filter(|path| path.is_dir() || files::is_archive(path));
    let mut readable: BTreeSet<PathBuf> = of_classes.cloned().collect();
    readable.insert(java_home.to_path_buf());
    for part in ["bin", "conf", "lib"] {
        let found = walkdir::WalkDir::new(java_home.join(part)).max_depth(DEPTH).into_iter().flatten();
        let links = found.filter(|entry| entry.path_is_symlink());
        readable.extend(links.filter_map(|entry| entry.path().canonicalize().ok()));
    }
    let mut jars: Vec<PathBuf> = class_path.to_vec();
    // By where links and `..` lead: a jar can be named in more ways than can be tried.
    let mut seen: BTreeSet<PathBuf> = jars.iter().filter_map(|jar| jar.canonicalize().ok()).collect();
    while let Some(jar) = jars.pop() {
        let named = named_by_manifest(&jar).unwrap_or_default();
        let known = &mut seen;
        let beside =
            named.iter().filter_map(|path| real_jar_beside(path, &jar).filter(|real| known.insert(real.clone())));
        let beside: Vec<PathBuf> = beside.collect();
        readable.extend(beside.iter().cloned());
        jars.extend(beside);
    }
    readable.into_iter().collect()
}

/// The path without links if it is of a jar in the directory of the jar that names it, or below.
fn real_jar_beside(path: &Path, naming: &Path) -> Option<PathBuf> {
    let directory = naming.parent()?.canonicalize().ok()?;
    let real = path.canonicalize().ok().filter(|real| real.starts_with(directory))?;
    files::is_archive(&real).then_some(real)
}

/// Paths in arguments of the JVM, such as `-javaagent:/tools/agent.jar=/tools/agent.conf`: what the user names on the
/// command line is to be read.
pub fn named_by(jvm_args: &[String]) -> impl Iterator<Item = PathBuf> {
    let parts = jvm_args.iter().flat_map(|argument| argument.split(['=', ':', ',']));
    parts.filter(|part| part.starts_with('/') && part.len() > 1).map(PathBuf::from)
}

/// Of a jar, the paths in its manifest's `Class-Path` (JAR File Specification).
fn named_by_manifest(jar: &Path) -> Option<Vec<PathBuf>> {
    if !jar.is_file() {
        return None;
    }
    let mut archive = ZipArchive::new(BufReader::new(std::fs::File::open(jar).ok()?)).ok()?;
    let mut text = String::new();
    archive.by_name("META-INF/MANIFEST.MF").ok()?.take(MANIFEST).read_to_string(&mut text).ok()?;
    // A line that begins with a space continues the one before.
    let text = text.replace("\r\n", "\n").replace("\n ", "");
    let paths = text.lines().find_map(|line| line.strip_prefix("Class-Path:"))?;
    let directory = jar.parent()?;
    let path = |url: &str| directory.join(url.strip_prefix("file:").unwrap_or(url).replace("%20", " "));
    Some(paths.split_whitespace().map(path).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn jar(path: &Path, manifest: &str) {
        let mut writer = zip::ZipWriter::new(std::fs::File::create(path).unwrap());
        writer.start_file("META-INF/MANIFEST.MF", zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(manifest.as_bytes()).unwrap();
        writer.finish().unwrap();
    }

    #[test]
    fn readable_paths_include_manifest_class_paths_and_symlink_targets() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        std::fs::create_dir_all(at("jdk/conf/security")).unwrap();
        std::fs::write(at("policy"), "").unwrap();
        std::os::unix::fs::symlink(at("policy"), at("jdk/conf/security/java.policy")).unwrap();
        jar(&at("main.jar"), "Manifest-Version: 1.0\r\nClass-Path: one.j\r\n ar gone.jar\r\n");
        jar(&at("one.jar"), "Class-Path: main.jar two%20words.jar\n");
        jar(&at("two words.jar"), "\n");
        let expected = ["jdk", "main.jar", "one.jar", "policy", "two words.jar"].map(at);
        assert_eq!(of(&at("jdk"), &[at("main.jar")]), expected);
    }

    #[test]
    fn manifest_makes_nothing_readable_but_jars_beside_it() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        std::fs::create_dir_all(at("lib/directory")).unwrap();
        std::fs::create_dir(at("jdk")).unwrap();
        jar(&at("above.jar"), "\n");
        std::fs::write(at("lib/secret.txt"), "secret").unwrap();
        std::os::unix::fs::symlink(at("above.jar"), at("lib/link.jar")).unwrap();
        for named in
            ["/", "/etc/passwd", "file:///etc", "../above.jar", "secret.txt", "directory/", "link.jar", ".", ""]
        {
            jar(&at("lib/main.jar"), &format!("Class-Path: {named}\n"));
            assert_eq!(of(&at("jdk"), &[at("lib/main.jar")]), [at("jdk"), at("lib/main.jar")], "{named}");
        }
        // What is on the class path is readable because it is there.
        jar(&at("lib/main.jar"), "Class-Path: ../above.jar\n");
        let expected = ["above.jar", "jdk", "lib/main.jar"].map(at);
        assert_eq!(of(&at("jdk"), &[at("lib/main.jar"), at("above.jar")]), expected);
    }

    #[test]
    fn file_on_the_class_path_that_is_no_archive_stays_closed() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        for name in ["jdk", "lib", "classes"] {
            std::fs::create_dir(at(name)).unwrap();
        }
        std::fs::write(at("id_rsa"), "secret").unwrap();
        std::os::unix::fs::symlink(at("id_rsa"), at("lib/a.jar")).unwrap();
        jar(&at("lib/b.jar"), "\n");
        let class_path = ["classes", "lib/a.jar", "lib/b.jar", "lib/gone.jar"].map(at);
        assert_eq!(of(&at("jdk"), &class_path), ["classes", "jdk", "lib/b.jar"].map(at));
    }

    /// `x/../x/../a.jar`, and so on: each is another path to the same jar, whose manifest is read relative to it.
    #[test]
    fn jar_that_manifests_name_in_many_ways_is_read_once() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        for name in ["jdk", "x", "y"] {
            std::fs::create_dir(at(name)).unwrap();
        }
        let named = ["x/../a.jar", "y/../a.jar", "x/../b.jar", "y/../b.jar"].join(" ");
        jar(&at("a.jar"), &format!("Class-Path: {named}\n"));
        jar(&at("b.jar"), &format!("Class-Path: {named}\n"));
        assert_eq!(of(&at("jdk"), &[at("a.jar")]), ["a.jar", "b.jar", "jdk"].map(at));
    }

    #[test]
    fn readable_paths_include_paths_in_jvm_arguments() {
        let arguments = ["-Xmx1g".to_string(), "-javaagent:/a/agent.jar=/b/conf,x".to_string(), "-Dhome=/".to_string()];
        assert_eq!(named_by(&arguments).collect::<Vec<_>>(), [PathBuf::from("/a/agent.jar"), "/b/conf".into()]);
    }
}
