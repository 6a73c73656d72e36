//! The platform's classes as an older release had them: what `javac --release` compiles against.
//!
//! A JDK carries the exported signatures of earlier releases in `lib/ct.sym` (JEP 247): a zip file with directories
//! named for the releases that share a class file, one letter each (`89A/java.base/java/util/Set.sig`).

use model::jvm::ClassName;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;
use zip::ZipArchive;

/// No signature file is larger: it has no code.
const MAX_BYTES: u64 = 4 << 20;

/// The exported classes of one release.
pub struct PlatformRelease {
    archive: ZipArchive<BufReader<File>>,
    members: HashMap<String, usize>,
}

impl PlatformRelease {
    /// Release `level` as the JDK in `home` knows it. Without `ct.sym`, as in stripped-down JDKs, an error.
    pub fn open(home: &Path, level: u16) -> io::Result<PlatformRelease> {
        let archive = ZipArchive::new(BufReader::new(File::open(home.join("lib").join("ct.sym"))?));
        let archive = archive.map_err(io::Error::other)?;
        let letter = char::from_digit(u32::from(level), 36).map(|letter| letter.to_ascii_uppercase());
        let mut members = HashMap::new();
        for index in 0..archive.len() {
            let Some(Ok(name)) = archive.name_for_index(index) else { continue };
            let mut parts = name.splitn(3, '/');
            if let (Some(releases), Some(_module), Some(path)) = (parts.next(), parts.next(), parts.next())
                && letter.is_some_and(|letter| releases.contains(letter))
                && let Some(class) = path.strip_suffix(".sig")
            {
                members.insert(class.to_string(), index);
            }
        }
        Ok(PlatformRelease { archive, members })
    }

    /// The exported classes below `java`.
    pub fn classes(&self) -> impl Iterator<Item = ClassName> {
        self.members.keys().filter(|name| name.starts_with("java/")).map(|name| ClassName::new(name))
    }

    /// The class file of an exported class, without code; `None` if the release does not export it.
    pub fn class(&mut self, internal_name: &str) -> Option<Vec<u8>> {
        let member = self.archive.by_index(*self.members.get(internal_name)?).ok()?;
        let mut bytes = Vec::new();
        member.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classpath::Jdk;
    use bytecode::classfile;

    #[test]
    fn java_8_has_no_factory_methods_of_sets() {
        let path = std::env::var_os("PATH");
        let jdk = Jdk::discover(std::env::var_os("JAVA_HOME").as_deref(), path.as_deref()).unwrap();
        let methods = |level: u16| {
            let mut release = PlatformRelease::open(&jdk.home, level).unwrap();
            assert!(release.class("sun/misc/Launcher").is_none());
            let set = classfile::parse(&release.class("java/util/Set").unwrap()).unwrap();
            set.methods.iter().map(|method| method.name.to_string()).collect::<Vec<_>>()
        };
        let (eight, nine) = (methods(8), methods(9));
        assert!(eight.contains(&"add".to_string()) && !eight.contains(&"of".to_string()), "{eight:?}");
        assert!(nine.contains(&"of".to_string()));
        let has = |level: u16, name: &str| {
            PlatformRelease::open(&jdk.home, level).unwrap().classes().any(|class| class.internal() == name)
        };
        assert!(has(8, "java/lang/ThreadDeath") && has(8, "java/sql/SQLWarning") && !has(8, "javax/naming/Name"));
        let later = "java/lang/reflect/InaccessibleObjectException";
        assert!(has(9, later) && !has(8, later));
    }
}
