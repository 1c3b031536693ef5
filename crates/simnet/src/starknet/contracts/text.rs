//! The two forms in which contracts return text.

use primitives::Felt;

/// Bytes in one element.
const WORD: usize = 31;

/// How a contract returns its name and symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Text {
    Short,
    Bytes,
}

impl Text {
    pub(crate) fn encode(self, text: &str) -> Vec<Felt> {
        match self {
            Self::Short => short(text),
            Self::Bytes => byte_array(text),
        }
    }
}

/// One element, as in early contracts: at most 31 bytes, the rest is lost.
pub(crate) fn short(text: &str) -> Vec<Felt> {
    let bytes = text.as_bytes();
    vec![Felt::from_bytes_be_slice(
        bytes.get(..WORD).unwrap_or(bytes),
    )]
}

/// A Cairo `ByteArray`: the full words with their number, then the bytes left
/// over with their number.
pub(crate) fn byte_array(text: &str) -> Vec<Felt> {
    let words = text.as_bytes().chunks_exact(WORD);
    let pending = words.remainder();
    let mut felts = vec![Felt::from(words.len())];
    felts.extend(words.map(Felt::from_bytes_be_slice));
    felts.extend([
        Felt::from_bytes_be_slice(pending),
        Felt::from(pending.len()),
    ]);
    felts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn byte_arrays_are_words_and_the_bytes_left_over() {
        assert_eq!(byte_array(""), [Felt::ZERO, Felt::ZERO, Felt::ZERO]);
        assert_eq!(
            byte_array("Ab"),
            [Felt::ZERO, Felt::from(0x4162), Felt::TWO]
        );
        let text = "0123456789012345678901234567890!";
        assert_eq!(
            byte_array(text),
            [
                Felt::ONE,
                Felt::from_bytes_be_slice(&text.as_bytes()[..31]),
                Felt::from(0x21),
                Felt::ONE
            ]
        );
    }
}
