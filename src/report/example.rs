//! What the tests of the renderings render.

use crate::LineCoverage;
use crate::reason::{DropReason, Reason};
use crate::run::{
    ClassReport, Coverage, DroppedTest, EmittedTest, ExceptionReport, ExistingTests, FileChanges, Finding,
    MethodReport, NotTested, Obstacle, Position, RunReport, WorkerDeath,
};
use model::options::Confidence;
/// A run with one of everything, for the renderings' tests.
pub fn run() -> RunReport {
    RunReport {
        version: "0.1.0".to_string(),
        module: "ring-buffer".to_string(),
        seed: 1,
        sequence_limit: Some(20_000),
        sequences: 20_000,
        rounds: 4,
        progress: vec![(5_000, 6), (20_000, 9)],
        existing_tests: ExistingTests { classes: 1, sequences: 12 },
        unrefined_tests: 2,
        classes: vec![
            ClassReport {
                name: "buffer.Broken".to_string(),
                unusable: Some(Obstacle {
                    reason: Reason::InitialiserThrows,
                    detail: "java.lang.ArithmeticException: / by zero".to_string(),
                }),
                ..ClassReport::default()
            },
            ring_buffer(),
        ],
        worker_deaths: vec![WorkerDeath { reason: Reason::Signal, operation: None, times: 2 }],
        files: FileChanges {
            directory: "src/test/generated".to_string(),
            written: vec!["src/test/generated/buffer/RingBufferRandgenTest.java".to_string()],
            ..FileChanges::default()
        },
        ..RunReport::default()
    }
}

fn ring_buffer() -> ClassReport {
    ClassReport {
        name: "buffer.RingBuffer".to_string(),
        sequences: 20_000,
        edges: Coverage { covered: 9, total: 12 },
        source: Some("src/main/java/buffer/RingBuffer.java".to_string()),
        methods: vec![
            MethodReport {
                name: "enqueue(double)".to_string(),
                line: Some(2),
                edges: Coverage { covered: 9, total: 11 },
                not_tested: None,
            },
            MethodReport {
                name: "stop()".to_string(),
                line: Some(5),
                edges: Coverage { covered: 0, total: 1 },
                not_tested: Some(Reason::Exit),
            },
        ],
        lines: LineCoverage { covered: vec![2], partly: vec![3], missed: vec![5] },
        tests: vec![EmittedTest {
            name: "isFull_returnsFalse".to_string(),
            file: "buffer/RingBufferRandgenTest.java".to_string(),
            new_edges: 3,
            back_door: false,
        }],
        findings: vec![null_pointer()],
        below_threshold: 2,
        dropped: vec![DroppedTest {
            name: "dequeue_returnsZero".to_string(),
            reason: DropReason::Flaky,
            detail: "expected 0.0".to_string(),
        }],
        not_tested: vec![NotTested {
            operation: "buffer.RingBuffer.stop()".to_string(),
            reason: Reason::Exit,
            detail: String::new(),
        }],
        ..ClassReport::default()
    }
}

fn null_pointer() -> Finding {
    Finding {
        id: "0123456789ab".to_string(),
        contract: "no-null-pointer".to_string(),
        confidence: Confidence::Likely,
        message: "NullPointerException <without> a null argument".to_string(),
        cause: "java.lang.NullPointerException in buffer.RingBuffer.enqueue".to_string(),
        operation: "buffer.RingBuffer.enqueue(double)".to_string(),
        position: Some(Position { file: "src/main/java/buffer/RingBuffer.java".to_string(), line: Some(27) }),
        test: "enqueue_throwsNullPointerException".to_string(),
        file: "buffer/RingBufferFindingTest.java".to_string(),
        source: "RingBuffer ringBuffer = new RingBuffer(3);\nringBuffer.enqueue(-1.0);\n".to_string(),
        exception: Some(ExceptionReport {
            class: "java.lang.NullPointerException".to_string(),
            message: None,
            stack: vec!["buffer.RingBuffer.enqueue(27)".to_string()],
        }),
        occurrences: 812,
        shown_by: ["buffer.LoggedBuffer", "buffer.RingBuffer"].map(str::to_string).into(),
    }
}
