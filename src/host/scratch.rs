//! Directories for what a run needs for a while, most of it written by code under test.
//!
//! They go with the run, however it ends: by itself, at the user's second signal, or, if it was killed, when the next run
//! starts. Nothing in them is trusted: trees may be deep beyond any path or stack, and links lead anywhere.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

const PREFIX: &str = "randgen-";

/// Marks a directory as one of these, and is locked while its owner lives.
const OWNED: &str = ".randgen-scratch";

/// A younger directory may belong to a run that is about to lock it.
const YOUNG: Duration = Duration::from_secs(60);

/// The directories of this process.
static LIVE: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// A directory that goes with the value.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    /// Keeps other runs from sweeping it away.
    _lock: File,
}

impl Scratch {
    /// Makes a directory among the temporary ones, and removes those of runs that were killed.
    pub fn new() -> io::Result<Scratch> {
        Scratch::new_in(&std::env::temp_dir())
    }

    fn new_in(parent: &Path) -> io::Result<Scratch> {
        let path = tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent)?.keep();
        if sandbox::apart::changes_user() {
            // Nobody finds its own directory below, and cannot see what else there is.
            fs::set_permissions(&path, fs::Permissions::from_mode(0o711))?;
        }
        live().insert(path.clone());
        let lock =
            File::create_new(path.join(OWNED)).and_then(|lock| lock.try_lock().map(|()| lock).map_err(Into::into));
        let lock = lock.inspect_err(|_| remove_live(&path))?;
        sweep(parent, lock.metadata()?.uid());
        Ok(Scratch { path, _lock: lock })
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        remove_live(&self.path);
    }
}

/// Removes the directories of this process, which is about to end.
pub fn remove_all() {
    let paths = live().clone();
    paths.iter().for_each(|path| remove_live(path));
}

fn live() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    LIVE.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn remove_live(path: &Path) {
    if let Err(error) = remove_tree(path) {
        tracing::warn!(path = %path.display(), %error, "scratch directory is not removed");
    }
    live().remove(path);
}

/// Removes what runs of this user left that did not live to do it.
fn sweep(parent: &Path, user: u32) {
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    let is_ours = |name: &OsString| name.as_encoded_bytes().starts_with(PREFIX.as_bytes());
    for path in entries.filter(|entry| is_ours(&entry.file_name())).map(|entry| entry.path()) {
        let is_old = |about: &fs::Metadata| {
            let age = about.modified().ok().and_then(|modified| modified.elapsed().ok());
            about.uid() == user && age.is_some_and(|age| age > YOUNG)
        };
        let owned = fs::symlink_metadata(&path).ok().filter(|about| about.is_dir() && is_old(about));
        let marker = owned.and_then(|_| {
            let marker = OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW).open(path.join(OWNED)).ok()?;
            marker.metadata().ok().filter(|about| about.is_file() && is_old(about)).map(|_| marker)
        });
        if marker.is_some_and(|marker| marker.try_lock().is_ok()) {
            tracing::info!(path = %path.display(), "scratch directory of a dead run is removed");
            let _ = remove_tree(&path);
        }
    }
}

/// What a process that runs code under test may have in its directory: bytes, files and directories, and their depth.
const QUOTA: u64 = 256 << 20;
const MOST_FILES: u64 = 20_000;
const DEEPEST: usize = 64;

/// Whether a process has written more to its directory than it may. Files that it has removed count too, as long as it holds
/// them open or mapped.
pub fn is_full(directory: &Path, process: u32) -> bool {
    let mut bytes = 0;
    let mut files = 0;
    let mut counts = |about: &fs::Metadata| {
        files += 1;
        bytes += about.blocks() * 512;
        bytes > QUOTA || files > MOST_FILES
    };
    let entries = walkdir::WalkDir::new(directory).min_depth(1).max_open(8).into_iter().flatten();
    for entry in entries {
        if entry.depth() > DEEPEST || entry.metadata().is_ok_and(|about| counts(&about)) {
            return true;
        }
    }
    let open = fs::read_dir(format!("/proc/{process}/fd")).into_iter().flatten().flatten();
    let removed =
        open.filter_map(|entry| fs::metadata(entry.path()).ok().filter(|about| about.is_file() && about.nlink() == 0));
    let mut known = BTreeSet::new();
    for about in removed {
        if known.insert(about.ino()) && counts(&about) {
            return true;
        }
    }
    bytes + removed_and_mapped(directory, process, known) > QUOTA
}

/// The bytes of files of the directory that are removed and that the process still has mapped, but for those with known numbers.
fn removed_and_mapped(directory: &Path, process: u32, known: BTreeSet<u64>) -> u64 {
    let Ok(directory) = directory.canonicalize() else { return 0 };
    let maps = fs::read_to_string(format!("/proc/{process}/maps")).unwrap_or_default();
    removed_bytes(&maps, &format!("{}/", directory.display()), known)
}

/// A file that is mapped in several parts counts with the largest one.
fn removed_bytes(maps: &str, below: &str, known: BTreeSet<u64>) -> u64 {
    let size = |line: &str| {
        let (range, rest) = line.split_once(' ')?;
        let path = &rest[rest.find('/')?..];
        let (first, last) =
            range.split_once('-').filter(|_| path.starts_with(below) && path.ends_with(" (deleted)"))?;
        let bytes = u64::from_str_radix(last, 16).ok()?.checked_sub(u64::from_str_radix(first, 16).ok()?)?;
        // Rights, offset, device, number of the file.
        let number: u64 = rest.split_ascii_whitespace().nth(3)?.parse().ok()?;
        (!known.contains(&number)).then_some((number, bytes))
    };
    let mut largest: BTreeMap<u64, u64> = BTreeMap::new();
    for (number, bytes) in maps.lines().filter_map(size) {
        let most = largest.entry(number).or_default();
        *most = bytes.max(*most);
    }
    largest.values().sum()
}

/// Removes a directory with all in it; none is fine too. It takes the same stack and as many open files for any depth:
/// directories in it are moved to its top before they are looked into. No link is followed.
pub fn remove_tree(root: &Path) -> io::Result<()> {
    let top = match open_directory(root) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => return fs::remove_file(root),
        opened => opened?,
    };
    let mut moved = 0_u64;
    let mut pending = Vec::new();
    empty(&top, &mut |name| {
        pending.push(name);
        Ok(())
    })?;
    while let Some(name) = pending.pop() {
        let path = below(&top, &name);
        let directory = open_directory(&path)?;
        empty(&directory, &mut |inner| {
            let from = below(&directory, &inner);
            loop {
                moved += 1;
                let name = OsString::from(format!("randgen-removed-{moved}"));
                match fs::rename(&from, below(&top, &name)) {
                    Ok(()) => {
                        pending.push(name);
                        return Ok(());
                    }
                    // Something else has the name.
                    Err(error) if is_taken(&error) => {}
                    // To be moved, a directory has to be writable itself.
                    Err(error) if error.kind() == io::ErrorKind::PermissionDenied => open_up(&from)?,
                    Err(error) => return Err(error),
                }
            }
        })?;
        fs::remove_dir(&path)?;
    }
    fs::remove_dir(root)
}

/// Removes all from a directory that is no directory, and hands over the names of the others.
fn empty(directory: &File, inner: &mut dyn FnMut(OsString) -> io::Result<()>) -> io::Result<()> {
    for entry in fs::read_dir(below(directory, ".".as_ref()))? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            inner(entry.file_name())?;
        } else {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// A path in an open directory, whatever became of the path that it was opened by.
fn below(directory: &File, name: &std::ffi::OsStr) -> PathBuf {
    Path::new("/proc/self/fd").join(directory.as_raw_fd().to_string()).join(name)
}

/// Opens a directory for listing and changing, whatever its mode says.
fn open_directory(path: &Path) -> io::Result<File> {
    let open = || OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW | libc::O_DIRECTORY).open(path);
    let is_open = |directory: &File| directory.metadata().is_ok_and(|about| about.mode() & 0o700 == 0o700);
    match open() {
        Ok(directory) if is_open(&directory) => Ok(directory),
        Ok(directory) => {
            directory.set_permissions(fs::Permissions::from_mode(0o700))?;
            Ok(directory)
        }
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            open_up(path)?;
            open()
        }
        Err(error) => Err(error),
    }
}

fn open_up(path: &Path) -> io::Result<()> {
    if !fs::symlink_metadata(path)?.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    let opened = fs::Permissions::from_mode(0o700);
    if fs::symlink_metadata(path)?.mode() & 0o777 == 0o700 {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    fs::set_permissions(path, opened)
}

fn is_taken(error: &io::Error) -> bool {
    use io::ErrorKind::{AlreadyExists, DirectoryNotEmpty, NotADirectory};
    matches!(error.kind(), AlreadyExists | DirectoryNotEmpty | NotADirectory)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::SystemTime;

    #[test]
    fn tree_deeper_than_any_stack_or_path_is_removed() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().join("root");
        fs::create_dir(&root).unwrap();
        // Built as it is removed: each level is put around the one before.
        let (inner, outer) = (root.join("d"), root.join("e"));
        fs::create_dir(&inner).unwrap();
        fs::write(inner.join("file"), "").unwrap();
        for _ in 0..5_000 {
            fs::create_dir(&outer).unwrap();
            fs::rename(&inner, outer.join("d")).unwrap();
            fs::rename(&outer, &inner).unwrap();
        }
        fs::write(root.join("randgen-removed-1"), "").unwrap();
        let removed = std::thread::Builder::new().stack_size(64 << 10).spawn(move || remove_tree(&root)).unwrap();
        removed.join().unwrap().unwrap();
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 0);
        remove_tree(&scratch.path().join("gone")).unwrap();
    }

    #[test]
    fn directory_is_full_by_bytes_files_depth_and_removed_files() {
        let is_full_with = |fill: &dyn Fn(&Path) -> Option<File>| {
            let scratch = tempfile::tempdir().unwrap();
            let _held = fill(scratch.path());
            is_full(scratch.path(), std::process::id())
        };
        let large = |path: &Path| {
            use std::io::Write;
            let mut file = File::create(path.join("large")).unwrap();
            (0..257).for_each(|_| file.write_all(&[1; 1 << 20]).unwrap());
            file
        };
        assert!(!is_full_with(&|path| fs::write(path.join("file"), "text").err().and(None)));
        // Sparse: nothing of it is on disk.
        assert!(!is_full_with(&|path| File::create(path.join("file")).unwrap().set_len(1 << 30).err().and(None)));
        assert!(is_full_with(&|path| Some(large(path))));
        assert!(is_full_with(&|path| {
            let file = large(path);
            fs::remove_file(path.join("large")).unwrap();
            Some(file)
        }));
        assert!(is_full_with(&|path| fs::create_dir_all(path.join("d/".repeat(70))).err().and(None)));
        assert!(is_full_with(&|path| {
            (0..=MOST_FILES).for_each(|number| drop(File::create(path.join(number.to_string())).unwrap()));
            None
        }));
    }

    #[test]
    fn files_that_are_removed_and_mapped_count() {
        let maps = "7f00-7f10 rw-s 00000000 fe:00 12                 /tmp/randgen-a/1/file (deleted)\n\
                    7f20-7f30 rw-s 00000000 fe:00 13                 /tmp/randgen-a/1/kept\n\
                    7f40-7f48 rw-s 00000000 fe:00 14                 /tmp/randgen-a/10/other (deleted)\n\
                    7f50-7f60 r--p 00000000 fe:00 15                 /home/u/a b.jar (deleted)\n\
                    7f70-7f80 rw-p 00000000 00:00 0 \n";
        let bytes = |known: &[u64]| removed_bytes(maps, "/tmp/randgen-a/1/", known.iter().copied().collect());
        assert_eq!(bytes(&[]), 16);
        assert_eq!(bytes(&[12]), 0, "what is open counts already");
    }

    #[test]
    fn links_are_removed_and_not_followed_and_modes_do_not_matter() {
        let scratch = tempfile::tempdir().unwrap();
        let (root, kept) = (scratch.path().join("root"), scratch.path().join("kept"));
        fs::create_dir_all(root.join("closed/inner/innermost")).unwrap();
        fs::create_dir(&kept).unwrap();
        fs::write(kept.join("file"), "text").unwrap();
        for link in [root.join("link"), root.join("closed/inner/link")] {
            std::os::unix::fs::symlink(&kept, link).unwrap();
        }
        for name in ["closed/inner/innermost", "closed/inner", "closed"] {
            fs::set_permissions(root.join(name), fs::Permissions::from_mode(0o000)).unwrap();
        }
        remove_tree(&root).unwrap();
        assert!(!root.exists());
        assert_eq!(fs::read_to_string(kept.join("file")).unwrap(), "text");
        // The directory itself may be a link: it goes, and what it leads to stays.
        let link = scratch.path().join("link");
        std::os::unix::fs::symlink(&kept, &link).unwrap();
        remove_tree(&link).unwrap();
        assert!(fs::symlink_metadata(&link).is_err() && kept.join("file").exists());
    }

    #[test]
    fn scratch_of_a_dead_run_is_removed_by_the_next_and_of_a_live_one_stays() {
        let parent = tempfile::tempdir().unwrap();
        let make = |name: &str, marker: &str| {
            let path = parent.path().join(name);
            fs::create_dir_all(path.join("worker/deep")).unwrap();
            fs::write(path.join(marker), "").unwrap();
            let age = |path: &Path| {
                let long_ago = fs::FileTimes::new().set_modified(SystemTime::now() - Duration::from_secs(3600));
                File::open(path).unwrap().set_times(long_ago).unwrap();
            };
            age(&path.join(marker));
            age(&path);
            path
        };
        let live = make("randgen-live", OWNED);
        let lock = File::open(live.join(OWNED)).unwrap();
        lock.try_lock().unwrap();
        let dead = make("randgen-dead", OWNED);
        let others = [make("randgen-results", "mine"), make("other", OWNED)];
        let young = parent.path().join("randgen-young");
        fs::create_dir(&young).unwrap();
        fs::write(young.join(OWNED), "").unwrap();
        let scratch = Scratch::new_in(parent.path()).unwrap();
        assert!(!dead.exists() && live.exists() && young.exists() && others.iter().all(|path| path.exists()));
        let path = scratch.path().to_path_buf();
        drop(scratch);
        assert!(!path.exists());
    }
}
