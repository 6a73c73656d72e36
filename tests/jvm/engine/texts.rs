//! What probed runs say of the end of a text.

use super::run;
use crate::subject::Subject;
use model::execution::{Detail, MARKER};
use model::jvm::Literal;
use model::sequence::Sequence;
use testing::for_each_jdk;

const READER: &str = r#"
package sample;
public class Reader {
    private static final java.util.Set<String> WORDS =
            new java.util.LinkedHashSet<>(java.util.Arrays.asList("let", "var"));

    public static int read(java.lang.String text) {
        int at = 0;
        while (at < text.length() && text.charAt(at) == ' ') {
            at++;
        }
        if (text.startsWith("//", at)) {
            return 1;
        }
        if (text.regionMatches(true, at, "end", 0, 3)) {
            return 2;
        }
        if (Character.isDigit(text.charAt(at)) || "+-".indexOf(text.charAt(at)) >= 0) {
            return 3;
        }
        switch (text.charAt(at)) {
            case '{': return 4;
            case '[': return 5;
            default:
        }
        String word = text.substring(at, at + 1);
        if (WORDS.contains(word)) {
            return 6;
        }
        switch (word) {
            case "if": return 7;
            case "do": return 8;
            default: throw new IllegalArgumentException(word);
        }
    }
}
"#;

#[test]
fn marker_and_words_are_told_with_what_they_are_compared_with() {
    for_each_jdk(|jdk| {
        let mut subject = Subject::new(&[("sample/Reader", READER)]);
        let read = subject.static_method("sample/Reader", "read", "(Ljava/lang/String;)I");
        let mut executor = subject.executor(jdk);
        let mut probed = |text: &str| {
            let mut sequence = Sequence::new();
            let text = sequence.push_literal(Literal::String(text.into()));
            sequence.push_call(read, &[text]);
            run(&mut executor, &sequence, Detail::Probed)
        };
        let told = probed("  \u{7f}");
        let of_marker = told.comparisons.iter().filter(|one| one.left == Literal::Char(MARKER));
        let characters: Vec<Literal> = of_marker.map(|one| one.right.clone()).collect();
        let expected = [' ', '1', '0', '+', '-', '[', '{'].map(|letter| Literal::Char(letter as u16));
        assert_eq!(characters, expected);
        let has = |left: Literal, right: &str| {
            told.comparisons.iter().any(|one| one.left == left && one.right == Literal::String(right.into()))
        };
        assert!(has(Literal::Long(2), "//") && has(Literal::Long(2), "end"));
        assert!(has(Literal::String("\u{7f}".into()), "let") && has(Literal::Int(0x7f), "do"));
        assert_eq!(told.edges, [], "other runs are still the first to reach them");
        assert!(matches!(told.states[..], [Some(state)] if state != 0));
        assert_eq!(probed(" \u{7f}").states, told.states, "the same code read it");
        assert_eq!(probed("a\u{7f}").states, [Some(0)], "a is rejected before the marker is read");
    });
}
