//! Reads files that others may have put there: whoever writes in a project decides what lies at a path.
//!
//! A pipe would be waited for without end, a device read without end, and a name or a link may lead anywhere.

use std::fs::OpenOptions;
use std::io::{self, BufReader, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Component, Path, PathBuf};
use zip::ZipArchive;

/// No file that randgen reads as a whole is larger: the report of a large library has a few megabytes.
const MOST_BYTES: u64 = 256 << 20;

/// The bytes of a regular file.
///
/// # Errors
/// If it cannot be read, is no regular file, or is larger than any that randgen reads.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
    let about = file.metadata()?;
    if about.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !about.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    let too_large = || io::Error::new(io::ErrorKind::FileTooLarge, "it is larger than 256 MiB");
    if about.len() > MOST_BYTES {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(about.len() as usize);
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(too_large());
    }
    Ok(bytes)
}

/// The same of a file in UTF-8.
///
/// # Errors
/// As [`read`], and if it is not UTF-8.
pub fn read_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read(path)?).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.utf8_error()))
}

/// The bytes of a file that others named, if it is below `root` by its name and where its links lead.
pub fn read_below(root: &Path, named: &Path) -> Option<Vec<u8>> {
    let path = Some(root.join(named)).filter(|_| is_plain(named))?;
    let is_inside = path.canonicalize().ok()?.starts_with(root.canonicalize().ok()?);
    if is_inside { read(&path).ok() } else { None }
}

/// The regular files below a directory, in the order of their paths; a path to a file is that file.
///
/// Links are followed to files below the same directory alone: others lead to what code under test may not read, and directories
/// that link to one another have more paths than can be walked.
///
/// # Errors
/// If there is nothing at the path, or a directory that cannot be listed.
pub fn below(root: &Path) -> io::Result<impl Iterator<Item = PathBuf>> {
    let real = root.canonicalize()?;
    if real.is_dir() {
        std::fs::read_dir(&real)?;
    }
    let leads_to_file =
        move |path: &Path| path.canonicalize().is_ok_and(|target| target.starts_with(&real) && target.is_file());
    let entries = walkdir::WalkDir::new(root).sort_by_file_name().into_iter().flatten();
    let is_file = move |entry: &walkdir::DirEntry| {
        entry.file_type().is_file() || entry.path_is_symlink() && leads_to_file(entry.path())
    };
    Ok(entries.filter(is_file).map(walkdir::DirEntry::into_path))
}

/// Whether a file is a zip archive, as jars are. Of a pipe, opening would wait for a writer.
pub fn is_archive(path: &Path) -> bool {
    path.is_file() && std::fs::File::open(path).is_ok_and(|file| ZipArchive::new(BufReader::new(file)).is_ok())
}

/// The directory and those around it, nearest first, up to one like `/tmp`, in which every user of the machine can make files.
pub fn around(directory: &Path) -> impl Iterator<Item = &Path> {
    const STICKY_AND_OPEN: u32 = 0o1002;
    let is_shared = |directory: &Path| {
        std::fs::metadata(directory).is_ok_and(|about| about.mode() & STICKY_AND_OPEN == STICKY_AND_OPEN)
    };
    std::iter::once(directory).chain(directory.ancestors().skip(1).take_while(move |directory| !is_shared(directory)))
}

/// Whether the path leads down and nowhere else.
pub fn is_plain(path: &Path) -> bool {
    path.components().all(|component| matches!(component, Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::process::Command;

    #[test]
    fn pipes_and_devices_are_refused_at_once() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        fs::write(at("file"), "text").unwrap();
        assert!(Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
        symlink("/dev/zero", at("zeros")).unwrap();
        assert_eq!(read_text(&at("file")).unwrap(), "text");
        for name in ["pipe", "zeros"] {
            assert_eq!(read(&at(name)).unwrap_err().to_string(), "it is not a regular file", "{name}");
        }
        assert_eq!(read(directory.path()).unwrap_err().kind(), io::ErrorKind::IsADirectory);
        assert_eq!(read(&at("none")).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn file_larger_than_any_is_refused() {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(MOST_BYTES + 1).unwrap();
        assert_eq!(read(file.path()).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
    }

    #[test]
    fn links_of_a_directory_lead_to_its_own_files_alone() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        fs::create_dir_all(at("root/b")).unwrap();
        fs::write(at("root/b/file"), "text").unwrap();
        fs::write(at("secret"), "secret").unwrap();
        symlink("b/file", at("root/a")).unwrap();
        for (target, link) in
            [("../secret", "c"), ("/", "d"), (".", "e"), ("b", "f"), ("gone", "g"), ("/dev/zero", "h")]
        {
            symlink(target, at("root").join(link)).unwrap();
        }
        let found = |root: &str| below(&at(root)).map(|files| files.collect::<Vec<_>>());
        assert_eq!(found("root").unwrap(), [at("root/a"), at("root/b/file")]);
        assert_eq!(found("secret").unwrap(), [at("secret")]);
        assert_eq!(found("none").unwrap_err().kind(), io::ErrorKind::NotFound);
        symlink("root", at("by link")).unwrap();
        assert_eq!(found("by link").unwrap(), [at("by link/a"), at("by link/b/file")]);
        // Each of these directories has two ways to the next: 2^40 paths.
        fs::create_dir(at("many")).unwrap();
        for number in 0..40 {
            let level = at(&format!("many/{number}"));
            fs::create_dir(&level).unwrap();
            for link in ["x", "y"] {
                symlink(format!("../{}", number + 1), level.join(link)).unwrap();
            }
        }
        assert_eq!(found("many").unwrap(), [] as [PathBuf; 0]);
    }

    #[test]
    fn directory_in_which_all_users_make_files_is_not_around_a_project() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        fs::create_dir_all(at("shared/shop/core")).unwrap();
        fs::set_permissions(at("shared"), fs::Permissions::from_mode(0o1777)).unwrap();
        let (core, shared) = (at("shared/shop/core"), at("shared"));
        assert_eq!(around(&core).collect::<Vec<_>>(), [at("shared/shop/core"), at("shared/shop")]);
        assert_eq!(around(&shared).next(), Some(shared.as_path()), "a project of its own");
    }

    #[test]
    fn only_files_below_the_root_are_read() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        fs::create_dir(at("root")).unwrap();
        fs::write(at("root/inside"), "text").unwrap();
        fs::write(at("secret"), "secret").unwrap();
        symlink(at("secret"), at("root/link")).unwrap();
        symlink(at("root/inside"), at("root/harmless")).unwrap();
        let read = |named: &str| read_below(&at("root"), Path::new(named));
        assert_eq!([read("inside"), read("harmless")], [Some(b"text".to_vec()), Some(b"text".to_vec())]);
        let absolute = at("secret").display().to_string();
        for named in ["../secret", "link", &absolute, "inside/../../secret", "none"] {
            assert_eq!(read(named), None, "{named}");
        }
    }
}
