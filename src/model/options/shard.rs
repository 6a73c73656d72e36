//! Parts of a module's classes, for runs on several machines.

use super::{Raw, SettingValue};
use crate::digest;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt;

/// One of so many parts, such as `3/8`.
///
/// A hash of its name says which part a class is in, so that it stays there when others come and go: what a machine keeps
/// of the last run of its part holds. Parts of equal size would have to move classes; with a score of classes for each,
/// hashes are even enough. Nested classes go with the one around them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(into = "String", try_from = "String")]
pub struct Shard {
    /// From 1.
    pub number: u32,
    /// At least 1, and at least `number`.
    pub count: u32,
}

impl Shard {
    /// Whether the class with this binary name is in the part. `Outer$Inner` is where an `OuterInner` is: which of the two
    /// has a test of that name must be known of both.
    pub fn has(self, binary: &str) -> bool {
        let hash = digest::number(Sha256::new_with_prefix(binary.replace('$', "")));
        hash % u64::from(self.count) == u64::from(self.number - 1)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.number, self.count)
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> String {
        shard.to_string()
    }
}

impl TryFrom<String> for Shard {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Shard, &'static str> {
        Shard::read(&Raw::Text(text)).ok_or(Shard::EXPECTED)
    }
}

impl SettingValue for Shard {
    const EXPECTED: &'static str = "a part and their number, such as 3/8";

    fn read(raw: &Raw) -> Option<Shard> {
        let (number, count) = raw.text()?.split_once('/')?;
        let shard = Shard { number: number.parse().ok()?, count: count.parse().ok()? };
        (shard.count <= 1024 && (1..=shard.count).contains(&shard.number)).then_some(shard)
    }

    fn show(&self) -> String {
        self.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Shard> {
        Shard::read(&Raw::Bare(text.to_string()))
    }

    #[test]
    fn shard_is_parsed_from_a_fraction() {
        assert_eq!(read("3/8"), Some(Shard { number: 3, count: 8 }));
        for wrong in ["", "3", "0/8", "9/8", "-1/8", "1/0", "3/8/2", "1/2000"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn classes_with_colliding_test_names_are_in_the_same_shard() {
        let shards: Vec<Shard> = (1..=8).map(|number| Shard { number, count: 8 }).collect();
        let of = |class: &str| shards.iter().filter(|shard| shard.has(class)).copied().collect::<Vec<_>>();
        let names: Vec<String> = (0..400).map(|number| format!("shop.Class{number}")).collect();
        for name in &names {
            assert_eq!(of(name).len(), 1, "{name}");
            assert_eq!(of(&format!("{name}$Inner$Deep")), of(&format!("{name}InnerDeep")));
        }
        for shard in shards {
            let size = names.iter().filter(|name| shard.has(name)).count();
            assert!((30..=70).contains(&size), "{size} of 400 classes are in {shard}");
        }
    }

    /// What machines keep of the last run would not hold any more.
    #[test]
    fn shard_of_a_class_is_stable_across_versions() {
        let names = ["a.A", "a.B", "a.C", "shop.Cart", "Main"];
        let numbers = names.map(|name| (1..=8).find(|&number| Shard { number, count: 8 }.has(name)).unwrap());
        assert_eq!(numbers, [4, 2, 2, 6, 1]);
    }
}
