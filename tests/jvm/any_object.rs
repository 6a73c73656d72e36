//! What code is given that takes any object.

use crate::fixture::Fixture;
use model::jvm::{ClassName, Type};
use model::sequence::{Operation, OperationKind};

const SOURCE: &str = "package p;
public class Sizes {
    public static int of(Object it) {
        if (it instanceof int[]) { return ((int[]) it).length; }
        return it instanceof java.util.Date ? 1 : it instanceof String ? 2 : 3;
    }
    public static class Shelf {
        @Override public boolean equals(Object other) { return other instanceof Shelf; }
        @Override public int hashCode() { return 1; }
    }
}";

#[test]
fn code_that_takes_any_object_is_given_what_it_tests_for() {
    let Some(fixture) = Fixture::compile("Sizes", SOURCE, 8) else { return };
    let program = &fixture.program;
    let tested = |class: &str| &program.target(&ClassName::new(class)).expect("it is under test").tested;
    let (date, numbers) = (Type::class("java/util/Date"), Type::array(Type::INT));
    assert_eq!(*tested("p/Sizes"), [date.clone(), numbers.clone()], "texts are literals");
    assert!(tested("p/Sizes$Shelf").is_empty(), "equals is content with any object");
    assert!(program.arrays.contains_key(&numbers));
    let makes_date = |operation: &Operation| {
        operation.kind == OperationKind::Constructor && operation.output.as_ref() == Some(&date)
    };
    assert!(program.operations.iter().any(makes_date));
}
