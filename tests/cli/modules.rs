//! Classes of a module of the Java platform, whose tests builds run inside the module or on the class path.

use super::{Scene, said, text};
use std::fs;

const MODULE: &str = "module shapes {
    exports shapes;
    uses shapes.Shape;
    provides shapes.Shape with shapes.Square;
}
";
const SHAPE: &str = "package shapes;
public interface Shape {
    double area(double size);
}
";
const SQUARE: &str = "package shapes;
public class Square implements Shape {
    public double area(double size) {
        return size < 0 ? 0 : size * size;
    }
}
";
/// Finds a service in its module alone, and takes what only other modules extend.
const SHAPES: &str = "package shapes;
import java.util.Date;
import java.util.ServiceLoader;
public class Shapes {
    public static long count() {
        return ServiceLoader.load(Shape.class).stream().count();
    }
    public static boolean isLate(Date date) {
        return date.getTime() > 1_000;
    }
}
";

fn shapes() -> Scene {
    let scene = Scene::new();
    let sources =
        [("module-info", MODULE), ("shapes/Shape", SHAPE), ("shapes/Square", SQUARE), ("shapes/Shapes", SHAPES)];
    let paths = sources.map(|(name, source)| {
        scene.write(&format!("src/{name}.java"), source);
        scene.path(&format!("src/{name}.java"))
    });
    scene.compile(&paths);
    scene
}

#[test]
fn tests_of_a_module_hold_in_the_module_and_on_the_class_path() {
    let scene = shapes();
    let generate = ["generate", "--classes", "classes", "--sequence-limit", "500", "--output", "tests"];
    let output = scene.randgen(&generate).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    let tests = fs::read_to_string(scene.path("tests/shapes/ShapesRandgenTest.java")).unwrap();
    assert!(tests.contains("Shapes.isLate("), "{tests}");
    // One on the module path, none on the class path.
    assert!(tests.contains("Shapes.count();"), "{tests}");
    assert!(!tests.contains("(0L, Shapes.count())"), "{tests}");
}

#[test]
fn class_path_may_come_from_a_file_with_a_line_for_each_entry() {
    let scene = shapes();
    fs::create_dir(scene.path("other")).unwrap();
    let generate =
        ["generate", "--classes", "classes", "--classpath", "other\nanother.jar\n", "--sequence-limit", "100"];
    let shown = said(scene.randgen(&generate), &[], 0, &["classes"]);
    assert!(!shown.contains("ended early"), "{shown}");
}
