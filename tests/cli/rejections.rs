//! Which rejections are worth a test.

use super::Scene;
use std::fs;

const SHELF: &str = "package shop; import java.util.*; public class Shelf {
    private final List<String> books = new ArrayList<>();
    public void add(String book) { books.add(book); }
    public int size() { return books.size(); }
    public String get(int place) {
        if (place < 0 || place >= books.size()) throw new IndexOutOfBoundsException(\"no place \" + place);
        return books.get(place);
    }
}";

/// Asks a shelf, and counts how often.
const COUNTED: &str = "package shop; public class CountedShelf {
    private final Shelf shelf;
    private int asked;
    public CountedShelf(Shelf shelf) { this.shelf = shelf; }
    public String get(int place) { String book = shelf.get(place); asked++; return book; }
    public int asked() { return asked; }
}";

/// Supports next to nothing.
const CLOSED: &str = "package shop; public class ClosedShelf {
    private final int size;
    public ClosedShelf(int size) { this.size = size; }
    public int twice() { return 2 * size; }
    public void add(String book) { throw new UnsupportedOperationException(\"closed\"); }
    public void remove(String book) { throw new UnsupportedOperationException(\"closed\"); }
    public void clear() { throw new UnsupportedOperationException(\"closed\"); }
    public String take(int place) { throw new UnsupportedOperationException(\"closed\"); }
    public void sort() { throw new UnsupportedOperationException(\"closed\"); }
}";

#[test]
fn what_a_namesake_rejects_and_what_is_never_supported_is_hardly_tested() {
    let scene = Scene::new();
    let sources = [("Shelf", SHELF), ("CountedShelf", COUNTED), ("ClosedShelf", CLOSED)].map(|(name, source)| {
        scene.write(&format!("src/shop/{name}.java"), source);
        scene.path(&format!("src/shop/{name}.java"))
    });
    scene.compile(&sources);
    let run = ["generate", "--classes", "classes", "--output", "out", "--sequence-limit", "4000", "--seed", "1"];
    assert!(scene.randgen(&run).output().unwrap().status.success());
    let rejections = |class: &str, exception: &str| {
        let tests = fs::read_to_string(scene.path(&format!("out/shop/{class}RandgenTest.java"))).unwrap();
        (tests.matches("@Test").count(), tests.matches(&format!("assertThrows({exception}.class")).count())
    };
    assert!(rejections("Shelf", "IndexOutOfBoundsException").1 > 0);
    let (tests, rejected) = rejections("CountedShelf", "IndexOutOfBoundsException");
    assert!(tests > 0 && rejected == 0, "{tests} {rejected}");
    assert_eq!(rejections("ClosedShelf", "UnsupportedOperationException").1, 2);
}
