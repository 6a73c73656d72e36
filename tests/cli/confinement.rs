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
