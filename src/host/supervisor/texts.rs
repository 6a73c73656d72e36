//! A log of the texts that calls took, and whether they were accepted; for benchmarks of languages.

use model::execution::{Execution, Outcome};
use model::jvm::Literal;
use model::sequence::{Action, Operation, OperationKind, Sequence};
use std::fmt::Write;
use tracing::Level;

/// Logs the call with which the sequence ends, if it depends on exactly one text. Nothing but the filter
/// `randgen_host::supervisor::texts=trace` asks for it.
pub(super) fn log(sequence: &Sequence, execution: &Execution, operations: &[Operation]) {
    if !tracing::enabled!(Level::TRACE) {
        return;
    }
    let Some(last) = sequence.len().checked_sub(1) else { return };
    let (Some(text), Some(operation)) = (only_text(sequence, operations), sequence.call_at(last)) else { return };
    let outcome = match &execution.outcome {
        Outcome::Completed => "completed",
        Outcome::Threw { statement, .. } if *statement == last => "threw",
        _ => return,
    };
    let operation = &operations[operation.0 as usize];
    tracing::trace!(outcome, %operation, text = %quoted(&text), "text");
}

/// The units of the one text that the last statement depends on: a string, or an array of characters or bytes.
fn only_text(sequence: &Sequence, operations: &[Operation]) -> Option<Vec<u16>> {
    let needed = sequence.needed_by(|at| at + 1 == sequence.len());
    let texts = (0..sequence.len()).filter(|&at| needed[at]).filter_map(|at| match &sequence.statements()[at].action {
        Action::Literal(Literal::String(text)) => Some(text.units().to_vec()),
        Action::Call(operation) if operations[operation.0 as usize].kind == OperationKind::Array => {
            sequence.inputs_of(at).map(|element| unit(sequence.literal_at(element)?)).collect()
        }
        _ => None,
    });
    let mut texts = texts.fuse();
    let text = texts.next()?;
    texts.next().is_none().then_some(text)
}

fn unit(literal: &Literal) -> Option<u16> {
    match literal {
        Literal::Char(unit) => Some(*unit),
        Literal::Byte(byte) => Some(u16::from(*byte as u8)),
        _ => None,
    }
}

/// The text on one line of ASCII, as JSON writes it.
fn quoted(units: &[u16]) -> String {
    let mut quoted = String::from("\"");
    for &unit in units {
        match unit {
            0x20..0x7f if !matches!(unit, 0x22 | 0x5c) => quoted.push(char::from(unit as u8)),
            _ => write!(quoted, "\\u{unit:04x}").expect("a string takes all"),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::jvm::{ClassName, MethodDescriptor};
    use model::sequence::OperationId;

    #[test]
    fn text_is_known_if_the_last_call_depends_on_no_other() {
        let descriptor = MethodDescriptor::parse("()V").unwrap();
        let operation = Operation::new(OperationKind::StaticMethod, ClassName::new("A"), "take", descriptor);
        let only_text = |sequence: &Sequence| super::only_text(sequence, &vec![operation.clone(); 3]);
        let mut sequence = Sequence::new();
        let one = sequence.push_literal(Literal::String("a\n\"b".into()));
        sequence.push_literal(Literal::String("unused".into()));
        let reader = sequence.push_call(OperationId(0), &[one]);
        sequence.push_call(OperationId(1), &[reader]);
        assert_eq!(only_text(&sequence).map(|text| quoted(&text)).as_deref(), Some(r#""a\u000a\u0022b""#));
        let two = sequence.push_literal(Literal::String("c".into()));
        sequence.push_call(OperationId(2), &[reader, two]);
        assert_eq!(only_text(&sequence), None);
    }
}
