//! Constants that stand for numbers: `Option.UNLIMITED_VALUES` for `-2`.

use super::Names;
use model::jvm::ClassName;

/// Numbers that mostly mean themselves.
const PLAIN_NUMBERS: std::ops::RangeInclusive<i32> = 0..=10;

impl<'a> Names<'a> {
    /// What is written where constants of the class stand for numbers.
    pub fn with_constants_of<R>(&mut self, class: Option<ClassName>, write: impl FnOnce(&mut Names<'a>) -> R) -> R {
        self.constants_of = class;
        let written = write(self);
        self.constants_of = None;
        written
    }

    /// `Option.UNLIMITED_VALUES` for `-2`: the one constant that has the value, of the class whose constants stand for numbers.
    pub fn constant(&mut self, value: i32) -> Option<String> {
        let class = self.constants_of.clone().filter(|_| !PLAIN_NUMBERS.contains(&value))?;
        let mut equal = self.types.get(&class)?.constants.iter().filter(|(_, known)| *known == value);
        let (name, _) = equal.next().filter(|_| equal.next().is_none())?;
        Some(format!("{}.{name}", self.class_name(&class).ok()?))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::table;
    use super::*;
    use model::jvm::types::TypeTable;

    #[test]
    fn constant_of_the_class_stands_for_a_number_that_only_it_has() {
        let option = ClassName::new("p/Option");
        let mut facts = table(&[("p/Option", None)]).get(&option).unwrap().clone();
        let constants = [("UNLIMITED", -2), ("WIDTH", 74), ("OTHER_WIDTH", 74), ("ONE", 1)];
        facts.constants = constants.map(|(name, value)| (name.into(), value)).to_vec();
        let mut types = TypeTable::default();
        types.insert(facts);
        let mut names = Names::new(&types, "p", "ATest");
        let written = names.with_constants_of(Some(option), |names| [-2, 74, 1].map(|value| names.constant(value)));
        assert_eq!(written, [Some("Option.UNLIMITED".to_string()), None, None]);
        assert_eq!(names.constant(-2), None);
    }
}
