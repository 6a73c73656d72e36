//! The versioned messages between supervisor and worker.
//!
//! A message is a frame: its length, its kind, its content, all little-endian. Sequences and outcomes are converted by
//! hand ([`sequences`], [`outcomes`]), so that the types of the search may change shape freely. What a worker sends
//! may have been forged by the code it runs: every read is bounded, and a broken frame is an error, never a panic.

mod declared;
mod described;
pub mod outcomes;
pub mod sequences;
pub mod setup;
pub mod traces;

use std::io::{self, Read, Write};

/// Both ends must have been built from the same source; this number changes with the meaning of any message.
pub const VERSION: u32 = 15;

/// No message of any kind is longer.
pub const MAX_FRAME: usize = 256 << 20;

/// A worker reports a sequence or a test in this much; its own buffer is no larger.
pub const MAX_OUTCOME: usize = 32 << 20;

/// A message holds no more values, calls, states and other things than this, strings not counted. Most of them take more
/// room once they are read, so this bounds the memory that a forged message costs.
const MOST_ITEMS: usize = 4 << 20;

/// Most bytes that are allocated for a frame before its content arrives.
const INITIAL_CAPACITY: usize = 64 << 10;

/// What a frame holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// To the worker, first: [`setup::Setup`].
    Setup = 1,
    /// To the worker: a detail and sequences to run in order.
    Run = 2,
    /// To the worker: names of resources to read.
    Resources = 3,
    /// From the worker: its JVM runs.
    Ready = 10,
    /// From the worker: why its JVM does not start, as text.
    Failed = 11,
    /// From the worker: what one sequence did.
    Outcome = 12,
    /// From the worker: the sequence after those reported did not return in time.
    Hanging = 13,
    /// From the worker: the resources asked for.
    Contents = 14,
}

impl Kind {
    /// The longest message of the kind; a longer one is broken or forged.
    fn longest(self) -> usize {
        match self {
            Kind::Setup | Kind::Run | Kind::Resources => MAX_FRAME,
            Kind::Outcome => MAX_OUTCOME,
            // The class files of a few names.
            Kind::Contents => 64 << 20,
            Kind::Ready | Kind::Failed | Kind::Hanging => 1 << 20,
        }
    }

    /// The kind with the number, if there is one.
    pub fn from_number(number: u8) -> Option<Kind> {
        [
            Kind::Setup,
            Kind::Run,
            Kind::Resources,
            Kind::Ready,
            Kind::Failed,
            Kind::Outcome,
            Kind::Hanging,
            Kind::Contents,
        ]
        .into_iter()
        .find(|kind| *kind as u8 == number)
    }
}

/// Appends a frame to `out`, so that several can leave in one write.
pub fn append_frame(out: &mut Vec<u8>, kind: Kind, parts: &[&[u8]]) {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    out.extend_from_slice(&(length as u32).to_le_bytes());
    out.push(kind as u8);
    for part in parts {
        out.extend_from_slice(part);
    }
}

/// Writes one frame.
pub fn write_frame(writer: &mut impl Write, kind: Kind, content: &[u8]) -> io::Result<()> {
    let mut header = [0; 5];
    header[..4].copy_from_slice(&(content.len() as u32).to_le_bytes());
    header[4] = kind as u8;
    writer.write_all(&header)?;
    writer.write_all(content)
}

/// Reads one frame; `None` when the other end closed between frames.
pub fn read_frame(reader: &mut impl Read) -> io::Result<Option<(Kind, Vec<u8>)>> {
    let mut header = [0; 5];
    let mut filled = 0;
    while filled < header.len() {
        match reader.read(&mut header[filled..]) {
            Ok(0) if filled == 0 => return Ok(None),
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let (length, kind) = parse_header(&header)?;
    // A broken or forged length must not allocate its memory: the buffer grows as content arrives.
    let mut content = Vec::with_capacity(length.min(INITIAL_CAPACITY));
    if reader.take(length as u64).read_to_end(&mut content)? < length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(Some((kind, content)))
}

/// Splits a stream into frames. It is read in pieces, so that the reader can check its deadline in between.
#[derive(Default)]
pub struct Frames {
    buffer: Vec<u8>,
    taken: usize,
}

impl Frames {
    /// Appends what was read.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.taken > 0 && self.taken * 2 >= self.buffer.len() {
            self.buffer.drain(..self.taken);
            self.taken = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// The next complete frame.
    pub fn next_frame(&mut self) -> io::Result<Option<(Kind, &[u8])>> {
        let rest = &self.buffer[self.taken..];
        let Some(header) = rest.first_chunk::<5>() else { return Ok(None) };
        let (length, kind) = parse_header(header)?;
        if rest.len() < 5 + length {
            return Ok(None);
        }
        let start = self.taken + 5;
        self.taken = start + length;
        Ok(Some((kind, &self.buffer[start..start + length])))
    }
}

fn parse_header(header: &[u8; 5]) -> io::Result<(usize, Kind)> {
    let length = u32::from_le_bytes([header[0], header[1], header[2], header[3]]) as usize;
    match Kind::from_number(header[4]) {
        Some(kind) if length <= kind.longest() => Ok((length, kind)),
        _ => Err(io::Error::new(io::ErrorKind::InvalidData, "broken frame")),
    }
}

/// A message ended early, or says what cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("broken message")]
pub struct BrokenMessage;

/// Appends numbers and texts to a message.
#[derive(Default)]
pub struct Encoder {
    /// What was written so far.
    pub bytes: Vec<u8>,
}

impl Encoder {
    /// Appends a byte.
    pub fn u8(&mut self, value: u8) {
        self.bytes.push(value);
    }

    /// Appends a number in four bytes, the lowest first.
    pub fn u32(&mut self, value: u32) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    /// Appends a number in eight bytes, the lowest first.
    pub fn u64(&mut self, value: u64) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    /// A length and the text in UTF-8.
    pub fn text(&mut self, text: &str) {
        self.blob(text.as_bytes());
    }

    /// A length and the bytes.
    pub fn blob(&mut self, bytes: &[u8]) {
        self.u32(bytes.len() as u32);
        self.bytes.extend_from_slice(bytes);
    }

    /// A length and UTF-16 units.
    pub fn units(&mut self, units: &[u16]) {
        self.u32(units.len() as u32);
        for unit in units {
            self.bytes.extend_from_slice(&unit.to_le_bytes());
        }
    }
}

/// Takes numbers and texts off the front of a message.
pub struct Decoder<'a> {
    rest: &'a [u8],
    /// How many things were counted so far.
    items: usize,
}

impl<'a> Decoder<'a> {
    /// Reads from the first byte on.
    pub fn new(bytes: &'a [u8]) -> Decoder<'a> {
        Decoder { rest: bytes, items: 0 }
    }

    /// Whether all has been read.
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// The next `count` bytes.
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], BrokenMessage> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(BrokenMessage)?;
        self.rest = rest;
        Ok(taken)
    }

    /// What has not been read.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], BrokenMessage> {
        self.take(N)?.try_into().map_err(|_| BrokenMessage)
    }

    /// Takes a byte.
    pub fn u8(&mut self) -> Result<u8, BrokenMessage> {
        Ok(self.array::<1>()?[0])
    }

    /// Takes a number that [`Encoder::u32`] wrote.
    pub fn u32(&mut self) -> Result<u32, BrokenMessage> {
        self.array().map(u32::from_le_bytes)
    }

    /// Takes a number that [`Encoder::u64`] wrote.
    pub fn u64(&mut self) -> Result<u64, BrokenMessage> {
        self.array().map(u64::from_le_bytes)
    }

    /// A count of things of which each takes at least `least` bytes: never more than what is left can hold, nor more than
    /// a message can have.
    pub fn count(&mut self, least: usize) -> Result<usize, BrokenMessage> {
        let count = self.length(least)?;
        self.items += count;
        if self.items > MOST_ITEMS { Err(BrokenMessage) } else { Ok(count) }
    }

    /// A count, as above, of which there are never more than `most`.
    pub fn count_to(&mut self, least: usize, most: usize) -> Result<usize, BrokenMessage> {
        self.count(least).and_then(|count| if count > most { Err(BrokenMessage) } else { Ok(count) })
    }

    /// The length of a text or of bytes.
    fn length(&mut self, least: usize) -> Result<usize, BrokenMessage> {
        let length = self.u32()? as usize;
        if length.saturating_mul(least) > self.rest.len() { Err(BrokenMessage) } else { Ok(length) }
    }

    /// Takes bytes that [`Encoder::blob`] wrote.
    pub fn blob(&mut self) -> Result<&'a [u8], BrokenMessage> {
        let count = self.length(1)?;
        self.take(count)
    }

    /// Takes a text that [`Encoder::text`] wrote.
    pub fn text(&mut self) -> Result<&'a str, BrokenMessage> {
        std::str::from_utf8(self.blob()?).map_err(|_| BrokenMessage)
    }

    /// Takes units that [`Encoder::units`] wrote.
    pub fn units(&mut self) -> Result<Vec<u16>, BrokenMessage> {
        let count = self.length(2)?;
        let bytes = self.take(count * 2)?;
        Ok(bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_decoded_from_any_chunking_of_the_stream() {
        let mut stream = Vec::new();
        append_frame(&mut stream, Kind::Ready, &[]);
        append_frame(&mut stream, Kind::Failed, &[b"no", b" JVM"]);
        let mut frames = Frames::default();
        let mut seen = Vec::new();
        for byte in stream {
            frames.push(&[byte]);
            while let Some((kind, content)) = frames.next_frame().unwrap() {
                seen.push((kind, content.to_vec()));
            }
        }
        assert_eq!(seen, [(Kind::Ready, Vec::new()), (Kind::Failed, b"no JVM".to_vec())]);
    }

    #[test]
    fn unknown_frame_kind_is_refused() {
        let mut frames = Frames::default();
        frames.push(&[0, 0, 0, 0, 99]);
        assert!(frames.next_frame().is_err());
    }

    #[test]
    fn frame_longer_than_its_kind_allows_is_refused_before_its_content_comes() {
        for (kind, longest) in [(Kind::Outcome, MAX_OUTCOME), (Kind::Ready, 1 << 20), (Kind::Contents, 64 << 20)] {
            for (length, expected) in [(longest, true), (longest + 1, false)] {
                let mut frames = Frames::default();
                frames.push(&(length as u32).to_le_bytes());
                frames.push(&[kind as u8]);
                assert_eq!(frames.next_frame().is_ok(), expected, "{kind:?} of {length}");
            }
        }
    }

    #[test]
    fn message_with_too_many_items_is_refused() {
        let mut message = Vec::new();
        for _ in 0..5 {
            message.extend_from_slice(&(1_u32 << 20).to_le_bytes());
        }
        message.resize(6 << 20, 0);
        let mut decoder = Decoder::new(&message);
        for _ in 0..4 {
            assert_eq!(decoder.count(1), Ok(1 << 20));
        }
        assert_eq!(decoder.count(1), Err(BrokenMessage));
        assert_eq!(Decoder::new(&[3, 0, 0, 0, 1, 1, 1]).count_to(1, 2), Err(BrokenMessage));
    }

    #[test]
    fn count_beyond_the_end_of_the_message_is_refused() {
        assert_eq!(Decoder::new(&[255, 255, 255, 255, 0]).count(1), Err(BrokenMessage));
    }
}
