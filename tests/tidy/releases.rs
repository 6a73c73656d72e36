//! What `make dist` publishes is described as Maven Central demands it, in the version of the binary.

use std::fs;
use std::path::Path;

/// The project files that are published; none has a parent, which would have to be published, too.
const POMS: [&str; 5] = [
    ".ci/packaging/binary/pom.xml",
    "maven-plugin/pom.xml",
    "maven-plugin/annotations/pom.xml",
    "gradle-plugin/pom.xml",
    "gradle-plugin/marker/pom.xml",
];

#[test]
fn published_poms_have_what_maven_central_demands() {
    for file in POMS {
        let pom = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).expect("the file is there");
        // What comes before the first section that is about building.
        let head = ["<dependencies>", "<prerequisites>", "<properties>", "<build>"];
        let head = &pom[..head.iter().filter_map(|section| pom.find(section)).min().expect("a project is built")];
        let version = concat!("<version>", env!("CARGO_PKG_VERSION"), "</version>");
        let demanded = ["<name>", "<description>", "<url>", "<license>", "<developer>", "<scm>", "<connection>"];
        for element in demanded.into_iter().chain([version]) {
            assert!(head.contains(element), "{file} lacks {element}");
        }
    }
}

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
