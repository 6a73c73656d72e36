//! The sequences that a worker has run since its start, as they were sent: kept in a file, as they are many and only a
//! replay reads them.

use super::world::Storage;
use std::io;

/// Sequences per message of a replay.
pub const CHUNK: usize = 256;

/// A growing list of encoded sequences.
pub struct History {
    file: Box<dyn Storage>,
    /// Where full messages end in the file.
    ends: Vec<u64>,
    /// The message that is not full yet.
    last: Vec<u8>,
    /// Sequences in all.
    pub count: u64,
}

impl History {
    /// An empty one, in a file that is empty.
    pub fn new(file: Box<dyn Storage>) -> History {
        History { file, ends: Vec::new(), last: Vec::new(), count: 0 }
    }

    pub fn push(&mut self, encoded: &[u8]) -> io::Result<()> {
        append_sequence(&mut self.last, encoded);
        self.count += 1;
        if self.count.is_multiple_of(CHUNK as u64) {
            self.file.append(&self.last)?;
            self.ends.push(self.ends.last().unwrap_or(&0) + self.last.len() as u64);
            self.last.clear();
        }
        Ok(())
    }

    pub fn clear(&mut self) -> io::Result<()> {
        self.file.clear()?;
        (self.ends, self.last, self.count) = (Vec::new(), Vec::new(), 0);
        Ok(())
    }

    /// How many messages a replay takes.
    pub fn messages(&self) -> usize {
        self.ends.len() + usize::from(!self.last.is_empty())
    }

    /// A message and the number of its sequences.
    pub fn message(&self, index: usize) -> io::Result<(Vec<u8>, usize)> {
        let Some(&end) = self.ends.get(index) else {
            return Ok((self.last.clone(), self.count as usize % CHUNK));
        };
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        let mut message = vec![0; (end - start) as usize];
        self.file.read_exact_at(&mut message, start)?;
        Ok((message, CHUNK))
    }
}

/// Appends a sequence to a message.
pub fn append_sequence(message: &mut Vec<u8>, encoded: &[u8]) {
    message.extend_from_slice(&(encoded.len() as u32).to_le_bytes());
    message.extend_from_slice(encoded);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn history_messages_contain_every_pushed_sequence() {
        let mut history = History::new(Box::new(tempfile::tempfile().unwrap()));
        for round in 0..2 {
            let mut pushed = Vec::new();
            for number in 0..2 * CHUNK as u32 + 3 + round {
                history.push(&number.to_le_bytes()).unwrap();
                append_sequence(&mut pushed, &number.to_le_bytes());
            }
            let messages: Vec<_> = (0..history.messages()).map(|index| history.message(index).unwrap()).collect();
            let counts: Vec<usize> = messages.iter().map(|(_, count)| *count).collect();
            assert_eq!(counts, [CHUNK, CHUNK, 3 + round as usize]);
            assert_eq!(messages.into_iter().flat_map(|(bytes, _)| bytes).collect::<Vec<u8>>(), pushed);
            history.clear().unwrap();
            assert_eq!(history.messages(), 0);
        }
    }
}
