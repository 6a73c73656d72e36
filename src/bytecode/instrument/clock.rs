//! Leads calls that ask for the time, or let it pass, to a clock that the worker sets.
//!
//! Not the calls are changed but the constants that name their targets: no code changes its size, and method references
//! are led there too.

use super::{InstrumentError, PROBES};
use crate::classfile::reader::{Reader, tag};
use crate::classfile::structure::read_head;
use crate::classfile::writer::PoolWriter;
use std::borrow::Cow;

/// Static methods that [`PROBES`] has too, with the same name and descriptor.
const CLOCKS: &[(&str, &str, &str)] = &[
    ("java/lang/System", "currentTimeMillis", "()J"),
    ("java/lang/System", "nanoTime", "()J"),
    // What `java.time` reads, relative to a second near the current one.
    ("jdk/internal/misc/VM", "getNanoTimeAdjustment", "(J)J"),
    ("java/lang/Thread", "sleep", "(J)V"),
    ("java/lang/Thread", "sleep", "(JI)V"),
    ("java/lang/Thread", "sleep", "(Ljava/time/Duration;)V"),
];

/// The class with the clock of [`PROBES`] instead of the system's; as it was if it reads none itself.
pub fn still(bytes: &[u8]) -> Result<Cow<'_, [u8]>, InstrumentError> {
    let mut reader = Reader::new(bytes);
    let constants = read_head(&mut reader)?.pool;
    let end = reader.position();
    let reads_clock = |index: &u16| {
        constants.tag(*index) == tag::METHOD_REF
            && constants.member(*index).is_ok_and(|member| {
                CLOCKS.contains(&(member.class.as_ref(), member.name.as_ref(), member.descriptor.as_ref()))
            })
    };
    let places: Vec<usize> =
        (0..constants.count() as u16).filter(reads_clock).filter_map(|index| constants.offset(index)).collect();
    if places.is_empty() {
        return Ok(Cow::Borrowed(bytes));
    }
    let mut added = PoolWriter::starting_at(constants.count());
    let class = added.class(PROBES).to_be_bytes();
    let mut changed = bytes[..8].to_vec();
    changed.extend_from_slice(&added.count()?.to_be_bytes());
    changed.extend_from_slice(&bytes[10..end]);
    for place in places {
        changed[place..place + 2].copy_from_slice(&class);
    }
    changed.extend_from_slice(added.bytes());
    changed.extend_from_slice(&bytes[end..]);
    Ok(Cow::Owned(changed))
}
