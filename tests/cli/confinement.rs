//! `randgen confine`, through which every JVM of the JDK's tools is started: what the program that it becomes can do.

use super::Scene;
use std::process::Output;

/// A shell, confined as strictly as a JVM is, does this.
fn confined(script: &str) -> Output {
    let scene = Scene::new();
    let own = scene.directory.path().display().to_string();
    let arguments =
        ["confine", "--sandbox", "strict", "--readable", "/usr", "--readable", "/bin", "--writable", &own, "--"];
    scene.randgen(&[&arguments[..], &["/bin/sh", "-c", script]].concat()).output().unwrap()
}

#[test]
fn confined_program_starts_and_sees_its_arguments_and_environment() {
    let output = confined("echo $0 $HOME; exit 3");
    let home = std::env::var("HOME").unwrap_or_default();
    assert_eq!(String::from_utf8_lossy(&output.stdout), format!("/bin/sh {home}\n"), "{output:?}");
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn confined_program_executes_no_other() {
    assert_eq!(confined("exec /bin/true").status.code(), Some(126));
    assert_eq!(confined("/bin/true; exit 4").status.code(), Some(2), "it cannot fork either");
}

#[test]
fn confined_program_has_no_capabilities_and_cannot_stop_itself() {
    let script = "while read name value; do case $name in Cap???:) echo $name $value;; esac; done < /proc/self/status";
    let said = String::from_utf8_lossy(&confined(script).stdout).into_owned();
    for set in ["CapInh", "CapPrm", "CapEff", "CapAmb"] {
        assert!(said.contains(&format!("{set}: 0000000000000000\n")), "{said}");
    }
    let output = confined("kill -STOP $$ || exit 5");
    assert_eq!(output.status.code(), Some(5), "{output:?}");
}

/// What a shell without other programs says of the process that it is.
fn said_of_itself(file: &str) -> String {
    let script = format!("while read line; do echo $line; done < /proc/self/{file}");
    String::from_utf8_lossy(&confined(&script).stdout).into_owned()
}

#[test]
fn confined_program_is_neither_root_nor_in_the_network_of_the_machine() {
    assert_eq!(said_of_itself("oom_score_adj"), "1000\n");
    let own = std::fs::read_to_string("/proc/self/status").unwrap();
    let is_root = own.contains("\nUid:\t0\t");
    let has_all = own.lines().any(|line| line.starts_with("CapPrm:\t000001ff"));
    if is_root && has_all {
        let said = said_of_itself("status");
        assert!(said.contains("Uid: 65534 65534 65534 65534\n") && said.contains("Gid: 65534 65534"), "{said}");
    }
    let flags = if is_root { "-n" } else { "-Un" };
    if std::process::Command::new("unshare").args([flags, "true"]).status().is_ok_and(|status| status.success()) {
        let devices = said_of_itself("net/dev");
        assert!(devices.lines().skip(2).all(|line| line.starts_with("lo:")), "{devices}");
        assert!(!said_of_itself("net/unix").contains('/'), "names of sockets of others");
    }
}

/// Tools that write to a temporary file and move it leave class files that their owner alone can read.
#[test]
fn file_that_root_alone_can_read_is_read_in_a_readable_directory() {
    use std::os::unix::fs::PermissionsExt;
    let scene = Scene::new();
    scene.write("classes/deep/file", "text\n");
    let closed = scene.path("classes/deep/file");
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o600)).unwrap();
    std::fs::set_permissions(scene.directory.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let classes = scene.path("classes").display().to_string();
    let arguments =
        ["confine", "--sandbox", "strict", "--readable", "/usr", "--readable", "/bin", "--readable", &classes];
    let script = format!("read line < {} && echo $line", closed.display());
    let output = scene.randgen(&[&arguments[..], &["--", "/bin/sh", "-c", &script]].concat()).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "text\n", "{output:?}");
}

/// Keeps the name of the machine, or what it says without a network.
const KEEPS_NAME: &str = r#"package net;
public class KeepsName {
    private static final int LIMIT = 9;
    private static final String NAME = name();
    private static String name() {
        try {
            return java.net.InetAddress.getLocalHost().getHostName();
        } catch (java.net.UnknownHostException offline) {
            return "offline";
        }
    }
    public static String size(int number) {
        return number == 0 ? "none" : number > LIMIT ? "many" : "few";
    }
    public static String host() {
        return NAME.trim();
    }
}
"#;

/// Cannot be used without a network.
const NEEDS_NAME: &str = r#"package net;
public class NeedsName {
    private static final String NAME;
    static {
        try {
            NAME = java.net.InetAddress.getByName("canary.invalid").getHostName();
        } catch (java.net.UnknownHostException offline) {
            throw new IllegalStateException(offline);
        }
    }
    public static String shown() {
        return NAME.trim();
    }
}
"#;

#[test]
fn class_whose_initialiser_is_denied_the_network_is_tested_without_what_it_keeps() {
    let scene = Scene::new();
    let paths = [("KeepsName", KEEPS_NAME), ("NeedsName", NEEDS_NAME)].map(|(name, source)| {
        scene.write(&format!("src/{name}.java"), source);
        scene.path(&format!("src/{name}.java"))
    });
    scene.compile(&paths);
    let generate = ["generate", "--classes", "classes", "--sequence-limit", "500", "--output", "tests"];
    let shown = super::text(&scene.randgen(&generate).output().unwrap());
    let tests = std::fs::read_to_string(scene.path("tests/net/KeepsNameRandgenTest.java")).unwrap();
    assert!(["\"many\"", "'many'"].iter().any(|value| tests.contains(value)), "{tests}");
    assert!(!tests.contains("host()"), "{tests}");
    assert!(shown.contains("needs-network (needs the network): net.KeepsName.host()"), "{shown}");
    let report = std::fs::read_to_string(scene.path("target/randgen/report.json")).unwrap();
    let why = "the static initialiser of net.NeedsName is denied java.net.InetAddress.getByName in line 6, \
               which --sandbox=off allows";
    assert!(report.contains(why), "{report}");
}
