//! The classes of a module of the running JDK, unpacked one by one: `java.base` has thousands, and most tests want few.

use std::collections::BTreeMap;
use std::io::{Cursor, Read};
use std::num::NonZero;
use std::path::Path;
use std::sync::Arc;
use std::thread;

/// A module of the JDK.
#[derive(Clone)]
pub struct JdkClasses {
    archive: zip::ZipArchive<Cursor<Arc<[u8]>>>,
    /// Indices in the archive, by internal names.
    classes: BTreeMap<String, usize>,
}

/// Opens a module such as `java.base`; `None` (and a word about it) where the JDK has no `jmods`.
pub fn jdk_classes(module: &str) -> Option<JdkClasses> {
    let home = java_locator::locate_java_home().unwrap();
    let path = Path::new(&home).join(format!("jmods/{module}.jmod"));
    let Ok(bytes) = std::fs::read(&path) else {
        crate::skip("jmods", format_args!("no class of the JDK is read: {} is missing", path.display()));
        return None;
    };
    // A jmod is a zip behind four bytes, which the reader skips by itself.
    let archive = zip::ZipArchive::new(Cursor::new(Arc::from(bytes))).unwrap();
    let names =
        (0..archive.len()).filter_map(|index| Some((class_name(&archive.name_for_index(index)?.ok()?)?, index)));
    let classes: BTreeMap<String, usize> = names.collect();
    assert!(!classes.is_empty());
    Some(JdkClasses { archive, classes })
}

/// Of an entry such as `classes/java/lang/Object.class`, the internal name.
fn class_name(entry: &str) -> Option<String> {
    entry.strip_prefix("classes/")?.strip_suffix(".class").map(str::to_string)
}

impl JdkClasses {
    /// Internal names in the order of the alphabet, `module-info` among them.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.classes.keys().map(String::as_str)
    }

    /// The class file of an internal name; `None` if the module lacks it.
    pub fn read(&mut self, name: &str) -> Option<Vec<u8>> {
        let mut entry = self.archive.by_index(*self.classes.get(name)?).unwrap();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        Some(bytes)
    }

    /// Checks each class by name and bytes, on all processors.
    ///
    /// # Panics
    /// If one of the checks does.
    pub fn check_each(&self, check: impl Fn(&str, &[u8]) + Sync) {
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        let check = &check;
        thread::scope(|scope| {
            for first in 0..threads {
                scope.spawn(move || {
                    let mut own = self.clone();
                    for name in self.names().skip(first).step_by(threads) {
                        check(name, &own.read(name).expect("the name is one of the module's"));
                    }
                });
            }
        });
    }
}
