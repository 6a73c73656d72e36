//! A disk that exists in memory, and that is full, breaks or loses its power at the operation that its seed says.

use host::output::{DirectoryLock, Disk, Entry, NewFile, OutputError};
use model::seed::Seed;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

/// What happens at an operation that changes something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It fails, having done a part; those after it do not.
    Fails(io::ErrorKind),
    /// The program is killed; what it did until then is there.
    Killed,
    /// The machine loses its power; what was not synced is there in part.
    PowerCut,
}

pub const FAULTS: [Fault; 4] =
    [Fault::Fails(io::ErrorKind::StorageFull), Fault::Fails(io::ErrorKind::Other), Fault::Killed, Fault::PowerCut];

#[derive(Clone, Debug)]
struct File {
    bytes: Vec<u8>,
    is_synced: bool,
}

#[derive(Debug)]
struct State {
    directories: BTreeSet<PathBuf>,
    files: BTreeMap<PathBuf, u64>,
    /// The names that would last through a power cut.
    lasting: BTreeMap<PathBuf, u64>,
    contents: BTreeMap<u64, File>,
    next: u64,
    /// Which lock there is.
    lock: Option<u64>,
    fault: Option<(u64, Fault)>,
    operations: u64,
    /// The program is gone: whatever it does has no effect.
    is_over: bool,
    renames_failed: bool,
    rng: ChaCha8Rng,
}

#[derive(Clone, Debug)]
pub struct Simulated(Arc<Mutex<State>>);

impl Simulated {
    pub fn new(seed: Seed) -> Simulated {
        Simulated(Arc::new(Mutex::new(State {
            directories: [PathBuf::from("/"), "/project".into()].into(),
            files: BTreeMap::new(),
            lasting: BTreeMap::new(),
            contents: BTreeMap::new(),
            next: 0,
            lock: None,
            fault: None,
            operations: 0,
            is_over: false,
            renames_failed: false,
            rng: seed.child("disk").rng(),
        })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// How many operations changed something so far.
    pub fn operations(&self) -> u64 {
        self.state().operations
    }

    /// Has a fault come at an operation after so many others.
    pub fn inject(&self, at: u64, fault: Fault) {
        let state = &mut *self.state();
        state.fault = Some((state.operations + at, fault));
    }

    /// Whether a rename failed, so that some files may be new and others old.
    pub fn renames_failed(&self) -> bool {
        self.state().renames_failed
    }

    /// What lasts through a power cut is there.
    pub fn cut_power(&self) {
        let state = &mut *self.state();
        // Of each name, what it was when its directory was synced or what it became later.
        let names: BTreeSet<PathBuf> = state.files.keys().chain(state.lasting.keys()).cloned().collect();
        for name in names {
            if state.rng.random_range(0..2) == 0 {
                match state.lasting.get(&name).copied() {
                    Some(file) => state.files.insert(name, file),
                    None => state.files.remove(&name),
                };
            }
        }
        for file in state.contents.values_mut().filter(|file| !file.is_synced) {
            file.bytes.truncate(state.rng.random_range(0..=file.bytes.len()));
            file.is_synced = true;
        }
        state.lasting = state.files.clone();
    }

    /// Another program begins: after a power cut, with what lasted.
    pub fn begin_again(&self) {
        let was_cut = {
            let state = self.state();
            state.is_over && matches!(state.fault, Some((_, Fault::PowerCut)))
        };
        if was_cut {
            self.cut_power();
        }
        let state = &mut *self.state();
        // The system lets go of a dead program's lock.
        state.lock = None;
        (state.is_over, state.fault) = (false, None);
    }

    /// Somebody removes the lock's file, and another run takes a lock of its own.
    pub fn steal_lock(&self) {
        let state = &mut *self.state();
        state.next += 1;
        state.lock = Some(state.next);
    }

    pub fn is_locked(&self) -> bool {
        self.state().lock.is_some()
    }

    /// Whole files by their paths.
    pub fn all(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let state = self.state();
        state.files.iter().map(|(path, file)| (path.clone(), state.contents[file].bytes.clone())).collect()
    }

    /// Puts a file there that lasts.
    pub fn place(&self, path: &str, text: &str) {
        let state = &mut *self.state();
        state.directories.extend(Path::new(path).ancestors().skip(1).map(Path::to_path_buf));
        let file = state.add(path.into(), text.as_bytes().to_vec());
        state.contents.get_mut(&file).unwrap().is_synced = true;
        state.lasting.insert(path.into(), file);
    }
}

impl State {
    fn add(&mut self, path: PathBuf, bytes: Vec<u8>) -> u64 {
        self.next += 1;
        self.contents.insert(self.next, File { bytes, is_synced: false });
        self.files.insert(path, self.next);
        self.next
    }

    /// An operation that changes something comes; `Err` if it, or the program before it, comes to its end.
    fn change(&mut self) -> io::Result<()> {
        if self.is_over {
            return Err(io::ErrorKind::Interrupted.into());
        }
        self.operations += 1;
        match self.fault {
            Some((at, fault)) if at == self.operations => match fault {
                Fault::Fails(kind) => Err(kind.into()),
                Fault::Killed | Fault::PowerCut => {
                    self.is_over = true;
                    Err(io::ErrorKind::Interrupted.into())
                }
            },
            _ => Ok(()),
        }
    }

    fn name(&self, path: &Path) -> io::Result<u64> {
        self.files.get(path).copied().ok_or(io::ErrorKind::NotFound.into())
    }

    fn below<'a>(&'a self, directory: &'a Path) -> impl Iterator<Item = &'a PathBuf> {
        self.files.keys().chain(&self.directories).filter(move |path| path.starts_with(directory) && *path != directory)
    }
}

impl Disk for Simulated {
    fn entry(&self, path: &Path) -> io::Result<Entry> {
        let state = self.state();
        match () {
            () if state.files.contains_key(path) => Ok(Entry::File),
            () if state.directories.contains(path) => Ok(Entry::Directory),
            () => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn canonicalize(&self, path: &Path) -> io::Result<PathBuf> {
        self.entry(path).map(|_| path.to_path_buf())
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let state = self.state();
        Ok(state.contents[&state.name(path)?].bytes.clone())
    }

    fn files(&self, directory: &Path) -> io::Result<Vec<PathBuf>> {
        let state = self.state();
        Ok(state.below(directory).filter(|path| state.files.contains_key(*path)).cloned().collect())
    }

    fn create_directories(&self, path: &Path) -> io::Result<()> {
        let state = &mut *self.state();
        if !state.directories.contains(path) {
            state.change()?;
            state.directories.extend(path.ancestors().map(Path::to_path_buf));
        }
        Ok(())
    }

    fn remove_directory(&self, path: &Path) -> io::Result<()> {
        let state = &mut *self.state();
        state.change()?;
        if state.below(path).next().is_some() {
            return Err(io::ErrorKind::DirectoryNotEmpty.into());
        }
        state.directories.remove(path);
        Ok(())
    }

    fn create(&self, path: &Path, _like: &Path) -> io::Result<Box<dyn NewFile>> {
        let state = &mut *self.state();
        state.change()?;
        if state.files.contains_key(path) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        Ok(Box::new(Written { file: state.add(path.to_path_buf(), Vec::new()), disk: self.clone() }))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let state = &mut *self.state();
        state.name(path)?;
        state.change()?;
        state.files.remove(path);
        Ok(())
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let state = &mut *self.state();
        let file = state.name(from)?;
        state.change().inspect_err(|_| state.renames_failed = true)?;
        state.files.remove(from);
        state.files.insert(to.to_path_buf(), file);
        Ok(())
    }

    fn sync(&self, directory: &Path) -> io::Result<()> {
        let state = &mut *self.state();
        state.change()?;
        let is_in = |path: &PathBuf| path.parent() == Some(directory);
        state.lasting.retain(|path, _| !is_in(path));
        let now: Vec<_> =
            state.files.iter().filter(|(path, _)| is_in(path)).map(|(path, file)| (path.clone(), *file)).collect();
        state.lasting.extend(now);
        Ok(())
    }

    fn lock(&self, directory: &Path) -> Result<Box<dyn DirectoryLock>, OutputError> {
        let state = &mut *self.state();
        if state.lock.is_some() {
            return Err(OutputError::Busy { directory: directory.to_path_buf(), pid: None });
        }
        state.change().map_err(|source| OutputError::NotWritable { path: directory.to_path_buf(), source })?;
        state.next += 1;
        state.lock = Some(state.next);
        Ok(Box::new(Lock { number: state.next, disk: self.clone() }))
    }
}

struct Written {
    file: u64,
    disk: Simulated,
}

impl NewFile for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let state = &mut *self.disk.0.lock().unwrap();
        let was_over = state.is_over;
        let changed = state.change();
        let length = if changed.is_ok() { bytes.len() } else { state.rng.random_range(0..=bytes.len()) };
        if !was_over {
            state.contents.get_mut(&self.file).unwrap().bytes.extend(&bytes[..length]);
        }
        changed
    }

    fn sync(&mut self) -> io::Result<()> {
        let state = &mut *self.disk.0.lock().unwrap();
        state.change()?;
        state.contents.get_mut(&self.file).unwrap().is_synced = true;
        Ok(())
    }
}

#[derive(Debug)]
struct Lock {
    number: u64,
    disk: Simulated,
}

impl DirectoryLock for Lock {
    fn holds(&self) -> bool {
        self.disk.state().lock == Some(self.number)
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let state = &mut *self.disk.state();
        // Another's is not ours to remove.
        if state.lock == Some(self.number) && !state.is_over {
            state.lock = None;
        }
    }
}
