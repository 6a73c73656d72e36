//! Small class files that name large things often: what is read of them stays in proportion, in memory and in time.

use crate::heap;
use bytecode::analysis::{caller_obligations, constants, null_provenance};
use bytecode::classfile::writer::{ClassWriter, NewCode};
use bytecode::classfile::{self, ClassFile, Decoder};
use model::jvm::annotations::{Annotation, ElementValue};
use model::jvm::{ClassName, JavaString, Literal};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

const PUBLIC: u16 = 1;
const STATIC: u16 = 8;

/// For each byte, and for all: a frame of variables, or a name, is many times larger than what mentions it.
const FOR_EACH_BYTE: isize = 64;
const FOR_ALL: isize = 64 << 20;

/// On a machine however busy.
const PATIENCE: Duration = Duration::from_secs(60);

fn check(what: &str, bytes: Vec<u8>, is_read: bool) {
    let (before, began) = (heap::begin(), Instant::now());
    let class = classfile::parse(&bytes);
    assert_eq!(class.is_ok(), is_read, "{what}");
    if let Ok(class) = class {
        analyse(class);
    }
    let taken = heap::most() - before;
    assert!(taken <= FOR_ALL + FOR_EACH_BYTE * bytes.len() as isize, "{what}: {taken} for {}", bytes.len());
    assert!(began.elapsed() < PATIENCE, "{what}: {:?}", began.elapsed());
    println!("{what}: {taken} bytes for {}, {:?}", bytes.len(), began.elapsed());
}

fn analyse(class: ClassFile) {
    let mut decoder = Decoder::new(&class);
    let codes = class.methods.iter().filter_map(|method| method.code.as_ref());
    // All of them at once, as analyses of a whole program have them.
    let bodies: Vec<_> = codes.map(|code| decoder.body(code)).collect();
    drop(bodies);
    class.to_facts();
    let classes = BTreeMap::from([(class.name.clone(), class)]);
    constants::mine(&classes);
    caller_obligations::caller_obligations(classes.values());
    null_provenance::uses(classes.values());
}

fn long() -> String {
    "n".repeat(60_000)
}

fn writer(interfaces: &[&str]) -> ClassWriter {
    ClassWriter::new("p/A", "java/lang/Object", interfaces, PUBLIC | 0x20, 49)
}

fn code(bytes: &[u8]) -> NewCode<'_> {
    NewCode { max_stack: u16::MAX, max_locals: u16::MAX, bytes }
}

/// A body that begins with a value in the last variable, and has a block for each three bytes.
fn many_blocks(last: u16) -> Vec<u8> {
    let [high, low] = last.to_be_bytes();
    let mut bytes = vec![0x03, 0xc4, 0x36, high, low];
    // iconst_0, ifeq to what follows.
    (0..15_000).for_each(|_| bytes.extend([0x03, 0x99, 0, 3]));
    bytes.push(0xb1);
    bytes
}

#[test]
fn names_that_are_mentioned_often_are_read_once() {
    let long = long();
    check("interfaces", writer(&vec![&*long; 30_000]).finish().unwrap(), true);
    let mut fields = writer(&[]);
    (0..30_000).for_each(|_| fields.add_field(PUBLIC, &long, &format!("L{long};"), None, &[]));
    check("fields", fields.finish().unwrap(), false);
    let mut methods = writer(&[]);
    let descriptor = format!("(L{long};)V");
    (0..3_000).for_each(|_| methods.add_method(PUBLIC | 0x400, &long, &descriptor, &code(&[])));
    check("methods", methods.finish().unwrap(), false);
    // Many members, as generated code has them.
    let mut many = writer(&[]);
    let name = |number: usize| format!("get{}{number}", "Value".repeat(20));
    (0..10_000).for_each(|number| many.add_method(PUBLIC | 0x400, &name(number), "(Ljava/lang/String;)V", &code(&[])));
    check("members", many.finish().unwrap(), true);
    let text = ElementValue::Constant(Literal::String(JavaString::from(&*long)));
    let texts = (0..3_000).map(|_| (Arc::from(&*long), text.clone())).collect();
    let mut annotated = writer(&[]);
    annotated.annotate(&[Annotation { of: ClassName::new(&long), elements: texts }], None);
    check("annotations", annotated.finish().unwrap(), true);
}

#[test]
fn constants_that_code_loads_often_are_read_once() {
    let long = long();
    let mut class = writer(&[]);
    let index = class.pool.string(&JavaString::from(&*long)).to_be_bytes();
    let of = class.pool.class(&long).to_be_bytes();
    // ldc_w, pop; new, pop.
    let text: Vec<u8> = (0..10_000).flat_map(|_| [0x13, index[0], index[1], 0x57]).chain([0xb1]).collect();
    let object: Vec<u8> = (0..10_000).flat_map(|_| [0xbb, of[0], of[1], 0x57]).chain([0xb1]).collect();
    class.add_method(PUBLIC | STATIC, "a", "()V", &code(&text));
    class.add_method(PUBLIC | STATIC, "b", "()V", &code(&object));
    check("constants", class.finish().unwrap(), true);
}

#[test]
fn descriptors_with_more_parameters_than_methods_have_are_refused() {
    let mut class = writer(&[]);
    class.add_method(PUBLIC | 0x400, "a", &format!("({})V", "I".repeat(256)), &code(&[]));
    check("parameters", class.finish().unwrap(), false);
    let mut class = writer(&[]);
    let descriptor = format!("({})V", "I".repeat(255));
    (0..60_000).for_each(|_| class.add_method(PUBLIC | 0x400, "a", &descriptor, &code(&[])));
    check("parameters of all methods", class.finish().unwrap(), false);
}

#[test]
fn frames_of_code_with_many_blocks_and_variables_are_given_up() {
    let mut class = writer(&[]);
    let blocks = many_blocks(65_534);
    (0..10).for_each(|number| class.add_method(PUBLIC | STATIC, &format!("m{number}"), "()V", &code(&blocks)));
    check("variables", class.finish().unwrap(), true);
    // As many on the stack: iconst_0, iconst_0, ifeq to what follows.
    let mut deep: Vec<u8> = (0..13_000).flat_map(|_| [0x03, 0x03, 0x99, 0, 3]).collect();
    deep.push(0xb1);
    let mut class = writer(&[]);
    class.add_method(PUBLIC | STATIC, "m", "()V", &code(&deep));
    check("stack", class.finish().unwrap(), true);
}

#[test]
fn attribute_that_no_compiler_writes_is_refused() {
    let class = |length: usize| {
        let bytes = writer(&[]).finish().unwrap();
        let mut pool = writer(&[]).pool;
        // In the place of the empty table at the end: one attribute, with the name of the class.
        let name = pool.utf8("p/A").to_be_bytes();
        let head = [&bytes[..bytes.len() - 2], &[0, 1], &name, &u32::try_from(length).unwrap().to_be_bytes()].concat();
        [head, vec![0; length]].concat()
    };
    check("attribute", class(1 << 20), true);
    check("large attribute", class((4 << 20) + 1), false);
}
