//! Methods that start a container, such as the `main` of a Spring Boot application: each call of one takes seconds, and a server
//! that runs is no outcome that a test asserts.

use bytecode::classfile::{ClassFile, Decoder, Instruction, Method};

/// What starts containers: classes and their methods.
const STARTS: [(&str, &str); 6] = [
    ("io/micronaut/runtime/Micronaut", "run"),
    ("io/micronaut/runtime/Micronaut", "start"),
    ("io/quarkus/runtime/Quarkus", "run"),
    ("jakarta/enterprise/inject/se/SeContainerInitializer", "initialize"),
    ("org/springframework/boot/SpringApplication", "run"),
    ("org/springframework/boot/builder/SpringApplicationBuilder", "run"),
];

/// Whether the code of the method itself starts a container; what cannot be decoded does not.
pub(super) fn starts_container(file: &ClassFile, method: &Method) -> bool {
    let Some(Ok(body)) = method.code.as_ref().map(|code| Decoder::new(file).body(code)) else { return false };
    body.steps.iter().any(|step| match &step.instruction {
        Instruction::Invoke { method, .. } => STARTS.contains(&(method.owner.internal(), &*method.name)),
        _ => false,
    })
}
