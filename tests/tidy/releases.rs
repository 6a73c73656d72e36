//! What `make dist` makes is as the page on releases says.

use std::fs;
use std::path::Path;

#[test]
fn the_makefile_checks_what_the_page_on_releases_promises() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let makefile = fs::read_to_string(root.join("Makefile")).expect("the file is there");
    let page = fs::read_to_string(root.join("docs/releasing.md")).expect("the file is there");
    let value = |name: &str| {
        let line = makefile.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(" := "));
        line.expect("the Makefile has it").to_owned()
    };
    let glibc = format!("glibc {}", value("OLDEST_GLIBC"));
    let megabytes = format!("{:.1} MB", value("LARGEST_BINARY").parse::<f64>().expect("bytes") / 1e6);
    for promise in [glibc, megabytes] {
        assert!(page.contains(&promise), "docs/releasing.md does not say {promise}");
    }
}
