//! Has the JDK say what the sandbox denies, where it learns of it: a run in which something was denied is no ground for a
//! test, whether the code under test sees an exception, swallows it, or is told `false`.
//!
//! Exceptions of the system's are noticed where they are made, by their error number or its text. Methods of `File` tell
//! nothing but success: there the path decides, so that a run is judged alike with the sandbox and without.

use bytecode::instrument::{Prologue, Shows, with_prologues};

const IO_EXCEPTION: &str = "java/io/IOException";
const LINK_ERROR: &str = "java/lang/UnsatisfiedLinkError";
const UNIX_EXCEPTION: &str = "sun/nio/fs/UnixException";
const FILE: &str = "java/io/File";
const SOCKET_EXCEPTION: &str = "java/net/SocketException";
const UNKNOWN_HOST: &str = "java/net/UnknownHostException";
const PROCESS: &str = "java/lang/ProcessImpl";
const PROCESS_HANDLE: &str = "java/lang/ProcessHandleImpl";
const FILE_OUTPUT: &str = "java/io/FileOutputStream";
const RANDOM_ACCESS: &str = "java/io/RandomAccessFile";
/// What all of `java.nio` goes through.
const UNIX_CALLS: &str = "sun/nio/fs/UnixNativeDispatcher";
const SIGNAL: &str = "jdk/internal/misc/Signal";
const HEADLESS: &str = "java/awt/HeadlessException";
const SYSTEM: &str = "java/lang/System";

/// Classes of the JDK that are changed.
pub const CLASSES: &[&str] = &[
    IO_EXCEPTION,
    LINK_ERROR,
    UNIX_EXCEPTION,
    FILE,
    SOCKET_EXCEPTION,
    UNKNOWN_HOST,
    PROCESS,
    PROCESS_HANDLE,
    FILE_OUTPUT,
    RANDOM_ACCESS,
    UNIX_CALLS,
    SIGNAL,
    HEADLESS,
    SYSTEM,
];

const START: &str = "([Ljava/lang/String;Ljava/util/Map;Ljava/lang/String;[Ljava/lang/ProcessBuilder$Redirect;Z)\
                     Ljava/lang/Process;";

/// The class file of one of [`CLASSES`], changed; `None` if it cannot be read.
pub fn announced(name: &str, bytes: &[u8]) -> Option<Vec<u8>> {
    let prologue = |name, descriptor, calls, shows| Prologue { name, descriptor, calls, shows };
    let with_message = |calls| vec![prologue("<init>", "(Ljava/lang/String;)V", calls, Shows::Object(1))];
    let prologues = match name {
        IO_EXCEPTION | LINK_ERROR => with_message("refused"),
        SOCKET_EXCEPTION => with_message("socketRefused"),
        UNKNOWN_HOST => with_message("hostUnknown"),
        UNIX_EXCEPTION => vec![prologue("<init>", "(I)V", "refused", Shows::Int(1))],
        PROCESS => vec![prologue("start", START, "processUsed", Shows::Nothing)],
        PROCESS_HANDLE => {
            let uses = |name, descriptor| prologue(name, descriptor, "processUsed", Shows::Nothing);
            vec![
                uses("get", "(J)Ljava/util/Optional;"),
                uses("parent", "()Ljava/util/Optional;"),
                uses("children", "(J)Ljava/util/stream/Stream;"),
                uses("destroyProcess", "(Z)Z"),
            ]
        }
        FILE => {
            let touches = |name, descriptor| prologue(name, descriptor, "touched", Shows::Object(0));
            let marks = |name, descriptor| prologue(name, descriptor, "marked", Shows::Nothing);
            vec![
                touches("delete", "()Z"),
                touches("createNewFile", "()Z"),
                touches("mkdir", "()Z"),
                touches("list", "()[Ljava/lang/String;"),
                touches("normalizedList", "()[Ljava/lang/String;"),
                touches("renameTo", "(Ljava/io/File;)Z"),
                prologue("renameTo", "(Ljava/io/File;)Z", "touched", Shows::Object(1)),
                marks("setLastModified", "(J)Z"),
                marks("setReadOnly", "()Z"),
                marks("setWritable", "(ZZ)Z"),
                marks("setReadable", "(ZZ)Z"),
                marks("setExecutable", "(ZZ)Z"),
            ]
        }
        FILE_OUTPUT => vec![prologue("open", "(Ljava/lang/String;Z)V", "written", Shows::Object(1))],
        // Workers refuse signals that would end the JVM where the tests run (`-Xrs`).
        SIGNAL => vec![prologue("raise", "(Ljdk/internal/misc/Signal;)V", "processUsed", Shows::Nothing)],
        RANDOM_ACCESS => vec![prologue("open", "(Ljava/lang/String;I)V", "accessed", Shows::ObjectAndInt(1, 2))],
        UNIX_CALLS => {
            let changes = |name, descriptor, slot| prologue(name, descriptor, "changed", Shows::Object(slot));
            let both = "(Lsun/nio/fs/UnixPath;Lsun/nio/fs/UnixPath;)V";
            vec![
                prologue("open", "(Lsun/nio/fs/UnixPath;II)I", "opened", Shows::ObjectAndInt(0, 1)),
                changes("mkdir", "(Lsun/nio/fs/UnixPath;I)V", 0),
                changes("rmdir", "(Lsun/nio/fs/UnixPath;)V", 0),
                changes("unlink", "(Lsun/nio/fs/UnixPath;)V", 0),
                changes("rename", both, 0),
                changes("rename", both, 1),
                changes("link", both, 1),
                changes("symlink", "([BLsun/nio/fs/UnixPath;)V", 1),
            ]
        }
        // Workers have no display and no security manager; where the tests run there may be both.
        HEADLESS => vec![
            prologue("<init>", "()V", "environment", Shows::Nothing),
            prologue("<init>", "(Ljava/lang/String;)V", "environment", Shows::Nothing),
        ],
        SYSTEM => {
            let descriptor = "(Ljava/lang/SecurityManager;)V";
            vec![prologue("setSecurityManager", descriptor, "environment", Shows::Nothing)]
        }
        _ => return None,
    };
    with_prologues(bytes, &prologues).ok()
}
