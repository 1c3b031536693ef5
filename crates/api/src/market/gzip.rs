//! Gzip that is put together from pieces, most of which were deflated before.
//!
//! Deflated data is a row of blocks. A piece whose blocks end with a byte and
//! refer to nothing before them can follow any other, so that all pieces
//! together are one stream: readers of HTTP, browsers above all, ignore what
//! follows the first. Its checksum follows from those of the pieces.

use super::chunks::Chunks;
use bytes::Bytes;
use crc32fast::Hasher;
use flate2::{Compression, write::DeflateEncoder};
use std::{collections::VecDeque, io::Write as _};

/// A deflated stream, without a time and from no particular system.
const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];

/// An empty block that is the last one.
const LAST_BLOCK: [u8; 2] = [3, 0];

/// What a block of stored text takes beside the text, and the end of a stream.
const STORED_BYTES: usize = 16;

/// Text of more bytes than that is deflated although it is sent only once.
const MAX_STORED: u16 = 16 * 1024;

/// Text between deflated pieces, mostly.
const TEXT_BYTES: usize = 4 * 1024;

/// Adds text, deflated, as blocks that end with a byte and refer to nothing
/// before them.
pub(super) fn deflate(text: &[u8], out: &mut Vec<u8>, level: Compression) {
    let mut encoder = DeflateEncoder::new(Vec::new(), level);
    // Writing to memory cannot fail. What is dropped with the encoder is only
    // the end of a stream.
    let _ = encoder.write_all(text).and_then(|()| encoder.flush());
    out.append(encoder.get_mut());
}

/// The checksum of a text, and its length.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Checksum {
    value: u32,
    length: u64,
}

impl Checksum {
    /// That of this text and what follows it.
    pub(super) fn and(self, later: &[u8]) -> Self {
        let mut hasher = Hasher::new_with_initial(self.value);
        hasher.update(later);
        let length = u64::try_from(later.len()).unwrap_or(u64::MAX);
        Self {
            value: hasher.finalize(),
            length: self.length.saturating_add(length),
        }
    }

    /// That of this text and a piece of another one, whose checksums before and
    /// after the piece are known. What two texts differ in before a piece is all
    /// that their checksums differ in after it.
    fn and_piece(self, [before, after]: [Self; 2]) -> Self {
        let length = after.length.saturating_sub(before.length);
        if length == 0 {
            return self;
        }
        let mut differing = Hasher::new_with_initial(self.value ^ before.value);
        differing.combine(&Hasher::new_with_initial_len(after.value, length));
        Self {
            value: differing.finalize(),
            length: self.length.saturating_add(length),
        }
    }
}

/// Writes one stream.
#[derive(Debug)]
pub(super) struct GzipWriter {
    chunks: VecDeque<Bytes>,
    /// What is not yet among the chunks: blocks, and text after them.
    blocks: Vec<u8>,
    text: Vec<u8>,
    checksum: Checksum,
}

impl GzipWriter {
    pub(super) fn new() -> Self {
        Self {
            chunks: VecDeque::new(),
            blocks: HEADER.to_vec(),
            text: Vec::with_capacity(TEXT_BYTES),
            checksum: Checksum::default(),
        }
    }

    /// Adds text.
    pub(super) fn text(&mut self, text: &[u8]) {
        self.text.extend_from_slice(text);
    }

    /// Adds what [`deflate`] made of a piece of a text, which had one checksum
    /// before the piece and the other after it.
    pub(super) fn deflated(&mut self, blocks: Bytes, around: [Checksum; 2]) {
        self.close_text();
        if !self.blocks.is_empty() {
            let before = std::mem::take(&mut self.blocks);
            self.chunks.push_back(before.into());
        }
        self.chunks.push_back(blocks);
        self.checksum = self.checksum.and_piece(around);
    }

    /// The whole stream.
    pub(super) fn finish(mut self) -> Chunks {
        self.close_text();
        self.blocks.extend_from_slice(&LAST_BLOCK);
        let Checksum { value, length } = self.checksum;
        self.blocks.extend_from_slice(&value.to_le_bytes());
        // Of the length, only the last 32 bits are told.
        let [a, b, c, d, ..] = length.to_le_bytes();
        self.blocks.extend_from_slice(&[a, b, c, d]);
        self.chunks.push_back(self.blocks.into());
        Chunks::from(self.chunks)
    }

    /// Makes blocks of the text: it is short, and deflating it again with every
    /// answer would cost more than it saves.
    fn close_text(&mut self) {
        let Self { blocks, text, .. } = self;
        self.checksum = self.checksum.and(text);
        match u16::try_from(text.len()) {
            Ok(0) => {}
            Ok(length @ ..=MAX_STORED) => {
                blocks.reserve(text.len() + STORED_BYTES);
                blocks.push(0);
                blocks.extend_from_slice(&length.to_le_bytes());
                blocks.extend_from_slice(&(!length).to_le_bytes());
                blocks.extend_from_slice(text);
            }
            _ => deflate(text, blocks, Compression::fast()),
        }
        text.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn nothing_is_a_stream_too() {
        assert_eq!(GzipWriter::new().finish().unpacked(), b"");
    }

    #[test]
    fn what_was_deflated_is_not_copied() {
        let mut gzip = GzipWriter::new();
        let mut blocks = Vec::new();
        deflate(b"kept", &mut blocks, Compression::default());
        let blocks = Bytes::from(blocks);
        let around = [Checksum::default(), Checksum::default().and(b"kept")];
        gzip.text(b"a ");
        gzip.deflated(blocks.clone(), around);
        gzip.deflated(blocks.clone(), around);
        let memory = blocks.as_ptr();
        assert_eq!(
            gzip.chunks
                .iter()
                .filter(|it| it.as_ptr() == memory)
                .count(),
            2
        );
        assert_eq!(gzip.finish().unpacked(), b"a keptkept");
    }

    proptest! {
        // Each case is long.
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn pieces_unpack_to_their_texts(
            pieces in proptest::collection::vec(
                (any::<bool>(), prop_oneof![0..40_usize, 0..3_000_usize, 15_000..70_000_usize], any::<u8>()),
                0..8,
            ),
        ) {
            let mut gzip = GzipWriter::new();
            let mut all = Vec::new();
            for (is_kept, length, seed) in pieces {
                let text: Vec<u8> = (0..length).map(|it| seed ^ (it.to_le_bytes()[0] / 3)).collect();
                if is_kept {
                    let mut blocks = Vec::new();
                    deflate(&text, &mut blocks, Compression::default());
                    let before = Checksum::default().and(&all);
                    gzip.deflated(blocks.into(), [before, before.and(&text)]);
                } else {
                    gzip.text(&text);
                }
                all.extend(text);
            }
            prop_assert_eq!(gzip.finish().unpacked(), all);
        }

        #[test]
        fn a_piece_has_its_effect_on_every_checksum(
            text in any::<Vec<u8>>(), other in any::<Vec<u8>>(), piece in any::<Vec<u8>>(),
        ) {
            let [ours, before] = [&text, &other].map(|it| Checksum::default().and(it));
            let both = ours.and(&piece);
            prop_assert_eq!(both.value, crc32fast::hash(&[text, piece.clone()].concat()));
            prop_assert_eq!(ours.and_piece([before, before.and(&piece)]), both);
        }
    }
}
