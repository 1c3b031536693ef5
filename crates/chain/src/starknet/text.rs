//! Texts that contracts return.
//!
//! Old tokens answer with a short string, one element; newer ones with a byte
//! array: the number of full words, the words of 31 bytes, a last word and its
//! length. No answer has both forms.

use primitives::Felt;

const WORD_BYTES: usize = 31;

/// The text, if the elements are one of the two forms and hold UTF-8.
pub(super) fn decode(felts: &[Felt]) -> Option<String> {
    let bytes = match felts {
        [short] => {
            let word = word(*short)?;
            let zeros = word.iter().take_while(|byte| **byte == 0).count();
            word.get(zeros..)?.to_vec()
        }
        [count, words @ .., last, last_length] => {
            if usize::try_from(*count).ok()? != words.len() {
                return None;
            }
            let mut bytes = Vec::with_capacity(felts.len() * WORD_BYTES);
            for full in words {
                bytes.extend(word(*full)?);
            }
            let length = usize::try_from(*last_length)
                .ok()
                .filter(|length| *length < WORD_BYTES)?;
            let last = word(*last)?;
            let (padding, tail) = last.split_at_checked(WORD_BYTES - length)?;
            if padding.iter().any(|byte| *byte != 0) {
                return None;
            }
            bytes.extend(tail);
            bytes
        }
        _ => return None,
    };
    String::from_utf8(bytes).ok()
}

/// The low 31 bytes, if there is nothing above them.
fn word(felt: Felt) -> Option<[u8; WORD_BYTES]> {
    let [0, word @ ..] = felt.to_bytes_be() else {
        return None;
    };
    Some(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use primitives::short_string;
    use proptest::prelude::*;

    fn byte_array(text: &str) -> Vec<Felt> {
        let chunks = text.as_bytes().chunks_exact(WORD_BYTES);
        let last = chunks.remainder();
        let mut felts = vec![Felt::from(chunks.len())];
        felts.extend(chunks.map(Felt::from_bytes_be_slice));
        felts.extend([Felt::from_bytes_be_slice(last), Felt::from(last.len())]);
        felts
    }

    fn any_felt() -> impl Strategy<Value = Felt> {
        prop_oneof![
            any::<[u8; 32]>().prop_map(|bytes| Felt::from_bytes_be(&bytes)),
            (0_u64..70).prop_map(Felt::from),
            Just(Felt::MAX),
        ]
    }

    #[test]
    fn short_strings_and_byte_arrays_are_texts() {
        assert_eq!(decode(&[short_string("Ether")]).unwrap(), "Ether");
        assert_eq!(decode(&[Felt::ZERO]).unwrap(), "");
        assert_eq!(decode(&byte_array("")).unwrap(), "");
        let words = [
            Felt::ONE,
            short_string("Wrapped liquid staked Ether 2.0"),
            short_string(" wst"),
            Felt::from(4),
        ];
        assert_eq!(
            decode(&words).unwrap(),
            "Wrapped liquid staked Ether 2.0 wst"
        );
    }

    #[test]
    fn other_shapes_are_no_texts() {
        let a = short_string("a");
        let two_to_248 = Felt::TWO.pow(248_u32);
        for felts in [
            vec![],
            vec![Felt::ZERO, a],
            vec![Felt::ONE, a, Felt::ONE],
            vec![Felt::ZERO, a, a, Felt::ONE],
            vec![Felt::MAX, a, Felt::ONE],
            vec![Felt::ZERO, Felt::ZERO, Felt::from(31)],
            vec![Felt::ZERO, Felt::ZERO, Felt::MAX],
            vec![Felt::ZERO, short_string("ab"), Felt::ONE],
            vec![Felt::ZERO, a, Felt::ZERO],
            vec![Felt::ONE, two_to_248, a, Felt::ONE],
            vec![Felt::ZERO, two_to_248, Felt::from(30)],
            vec![two_to_248],
            vec![Felt::MAX],
            vec![Felt::from(0xff)],
            vec![Felt::ZERO, Felt::from(0xc3), Felt::ONE],
        ] {
            assert_eq!(decode(&felts), None, "{felts:?}");
        }
    }

    proptest! {
        #[test]
        fn a_byte_array_returns_its_text(text in "\\PC{0,80}") {
            prop_assert_eq!(decode(&byte_array(&text)), Some(text));
        }

        #[test]
        fn no_elements_make_the_decoder_panic(felts in prop::collection::vec(any_felt(), 0..70)) {
            let _ = decode(&felts);
        }

        #[test]
        fn a_wrong_frame_around_any_word_is_no_panic(count in any_felt(), word in any_felt(), length in any_felt()) {
            let _ = decode(&[count, word, length]);
            let _ = decode(&[word]);
        }
    }
}
