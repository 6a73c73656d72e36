//! Each string that code gets because it has the platform read one is one that the platform accepts.

use std::path::Path;
use std::process::Command;
use testing::for_each_jdk;

#[test]
fn each_string_is_accepted_by_its_reader() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for_each_jdk(|jdk| {
        let output = Command::new(jdk.join("bin/java"))
            .arg(root.join("tests/jvm/platform_strings/Accepted.java"))
            .arg(root.join("src/bytecode/analysis/platform_strings.txt"))
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(String::from_utf8_lossy(&output.stdout), "", "these are refused");
    });
}
