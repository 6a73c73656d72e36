//! What a project says in annotations, by those of the jar and by its own ones.

use super::{Scene, said};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const TILL: &str = "package shop; import dev.randgen.annotations.*; import java.util.List; import java.util.Objects;
public class Till {
    public enum Currency { EUR, GBP, USD }
    private final String owner;
    private int drawers = 1;
    public Till(String owner, int drawers) { this.owner = owner; this.drawers = drawers; }
    @TestObjectFactory public static Till open(@TestValues({\"Ann\", \"Bob\"}) String owner) {
        if (!\"Ann\".equals(owner) && !\"Bob\".equals(owner)) throw new IllegalArgumentException(\"nobody\");
        return new Till(owner, 2);
    }
    public String owner() { return owner; }
    public int drawers() { return drawers; }
    public void refill() { drawers++; }
    @DoNotTest public void reset() { drawers = 0; }
    public int price(@TestValues({\"EUR\", \"GBP\"}) Currency currency, @TestValues({\"3\", \"40\", \"many\"}) int amount,
            @TestValues(\"7\") Integer discount) {
        if (amount != 3 && amount != 40) throw new IllegalArgumentException(\"amount\");
        if (!Objects.equals(discount, 7)) throw new IllegalArgumentException(\"discount\");
        return currency == Currency.USD ? 77777 : amount * 2;
    }
    public int sum(@TestValues({\"1\", \"2\"}) int[] coins, @TestValues({\"Ann\", \"Bob\"}) List<String> payers) {
        for (int coin : coins) if (coin != 1 && coin != 2) throw new IllegalArgumentException(\"coin\");
        for (String payer : payers) if (!\"Ann\".equals(payer) && !\"Bob\".equals(payer)) throw new IllegalArgumentException(\"payer\");
        return coins.length * 100 + payers.size();
    }
    @ThrowsOnPurpose(NullPointerException.class) public int close() { Object next = after(); return next.hashCode(); }
    public int audit() { Object next = after(); return next.hashCode() + 1; }
    private Object after() { return drawers > 0 ? null : owner; }
}";

/// A class that an annotation of the project itself leaves out.
const MAILER: &str = "package shop;
@Mailer.DoNotTest public class Mailer {
    @interface DoNotTest { }
    public static class Queue { public int waiting() { return 0; } }
    public int send(int number) { return number; }
}";

/// The classes, without those of the annotations.
fn scene() -> Scene {
    let scene = Scene::new();
    scene.write("src/Till.java", TILL);
    scene.write("src/Mailer.java", MAILER);
    let jar = Path::new(env!("CARGO_MANIFEST_DIR")).join("maven-plugin/annotations/src/main/java");
    let sources = [scene.path("src/Till.java"), scene.path("src/Mailer.java")];
    let mut javac = Command::new("javac");
    javac.arg("-g").arg("-d").arg(scene.path("classes")).arg("-sourcepath").arg(jar).args(sources);
    assert!(javac.status().unwrap().success());
    fs::remove_dir_all(scene.path("classes/dev")).unwrap();
    scene
}

#[test]
fn annotations_leave_members_out_give_values_and_factories_and_excuse_exceptions() {
    let scene = scene();
    let arguments =
        ["generate", "--classes", "classes", "--sequence-limit", "1500", "--seed", "1", "--output", "tests"];
    said(scene.randgen(&arguments), &[], 0, &[]);
    let files = walkdir::WalkDir::new(scene.path("tests")).into_iter().map(Result::unwrap);
    let files: Vec<PathBuf> =
        files.filter(|entry| entry.file_type().is_file()).map(|entry| entry.into_path()).collect();
    assert!(files.iter().all(|file| !file.to_string_lossy().contains("Mailer")), "{files:?}");
    let text: String = files.iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    for part in ["Till.open(", ".price(", ".sum(", ".refill(", "\"Ann\"", "assertThrows(NullPointerException.class"] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    for part in ["new Till(", ".reset(", "nobody", "\"amount\"", "\"discount\"", "\"coin\"", "\"payer\"", "77777"] {
        assert!(!text.contains(part), "{part} is in {text}");
    }
    let report = fs::read_to_string(scene.path("target/randgen/report.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    let classes = report["classes"].as_array().unwrap();
    let findings: Vec<&Value> = classes.iter().flat_map(|class| class["findings"].as_array().unwrap()).collect();
    let operations: Vec<&Value> = findings.iter().map(|finding| &finding["operation"]).collect();
    assert_eq!(operations, ["shop.Till.audit()"], "{findings:?}");
}
