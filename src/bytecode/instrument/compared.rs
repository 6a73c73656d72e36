//! What characters and texts are compared with by switches and calls: hooks that tell who reads a text what it wants there.

use super::body::Body;
use super::hook::Operands;
use crate::classfile::decode::Located;
use crate::classfile::reader::ConstantPool;
use crate::classfile::{EncodedConstant, Instruction};
use model::jvm::{JavaString, Literal, string_hash};

/// Keys of a switch that are told; more are those of a table.
const KEYS: usize = 200;
/// Longer strings are no words.
const WORD: usize = 40;

/// The first unit of [`keys`], by what follows: characters, or strings with their lengths before them.
const CHARACTERS: u16 = 0;
const STRINGS: u16 = 1;

/// What a switch compares with, for the class `Texts` of the worker: the characters among its keys, or the strings of the method
/// of which they are the hashes, as compilers write a switch over strings.
pub(super) fn keys(switch: &Located, body: &Body, constants: &ConstantPool) -> Vec<u16> {
    let Instruction::Switch(of) = switch.instruction else { return vec![CHARACTERS] };
    let keys: Vec<i32> = of.cases().filter(|case| case.1 != of.default()).map(|case| case.0).take(KEYS).collect();
    let is_key = |text: &&JavaString| keys.contains(&string_hash(text.units()));
    let mut strings: Vec<JavaString> = Vec::new();
    for text in body.instructions.iter().filter_map(|located| string(located, constants)) {
        if is_key(&&text) && !strings.contains(&text) {
            strings.push(text);
        }
    }
    if strings.is_empty() {
        return [CHARACTERS].into_iter().chain(keys.iter().filter_map(|&key| u16::try_from(key).ok())).collect();
    }
    let of_string = |text: &JavaString| [&[text.units().len() as u16], text.units()].concat();
    [STRINGS].into_iter().chain(strings.iter().flat_map(of_string)).collect()
}

/// The string that the instruction pushes, unless it is long.
fn string(located: &Located, constants: &ConstantPool) -> Option<JavaString> {
    let Instruction::Constant(constant) = located.instruction else { return None };
    let index = match constant {
        EncodedConstant::Pool(index) => u16::from(index),
        EncodedConstant::PoolWide(index) => index,
        _ => return None,
    };
    match constants.literal(index) {
        Ok(Some(Literal::String(text))) if text.units().len() <= WORD => Some(text),
        _ => None,
    }
}

/// The hook before a call that asks something of a character or of a part of a text: its name, descriptor and operands.
pub(super) fn call(class: &str, name: &str, descriptor: &str) -> Option<(&'static str, &'static str, Operands)> {
    const OF_CHARACTER: (&str, Operands) = ("(II)V", Operands::One);
    const OF_PART: (&str, Operands) = ("(Ljava/lang/Object;II)V", Operands::Two);
    let (method, (shown, operands)) = match (class, name, descriptor) {
        ("java/lang/Character", name, "(C)Z" | "(I)Z") => (predicate(name)?, OF_CHARACTER),
        ("java/lang/Character", "digit", "(CI)I" | "(II)I") => ("digit", ("(III)V", Operands::Two)),
        ("java/lang/Character", "getNumericValue", "(C)I" | "(I)I") => ("isDigit", OF_CHARACTER),
        ("java/lang/String", "indexOf" | "lastIndexOf", "(I)I") => ("indexOf", OF_PART),
        ("java/lang/String", "startsWith", "(Ljava/lang/String;I)Z") => ("startsWith", OF_PART),
        ("java/lang/String", "regionMatches", "(ILjava/lang/String;II)Z" | "(ZILjava/lang/String;II)Z") => {
            ("regionMatches", ("(ILjava/lang/Object;I)V", Operands::TwoBelowInts))
        }
        _ => return None,
    };
    Some((method, shown, operands))
}

/// The method that is told of a question about a character.
fn predicate(name: &str) -> Option<&'static str> {
    const PREDICATES: [&str; 9] = [
        "isDigit",
        "isLetter",
        "isAlphabetic",
        "isLetterOrDigit",
        "isWhitespace",
        "isSpaceChar",
        "isUpperCase",
        "isJavaIdentifierStart",
        "isJavaIdentifierPart",
    ];
    PREDICATES.into_iter().find(|known| *known == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hash_is_that_of_the_platform() {
        assert_eq!(string_hash(&"while".encode_utf16().collect::<Vec<_>>()), 113_101_617);
    }

    #[test]
    fn questions_about_characters_are_known() {
        assert_eq!(call("java/lang/Character", "isDigit", "(C)Z").map(|hook| hook.0), Some("isDigit"));
        assert_eq!(call("java/lang/Character", "isSurrogate", "(C)Z").map(|hook| hook.0), None);
        assert_eq!(call("java/lang/String", "indexOf", "(I)I").map(|hook| hook.1), Some("(Ljava/lang/Object;II)V"));
    }
}
