//! Bytes as hexadecimal digits, two for each.

/// The digits of bytes, in lower case.
#[must_use]
pub fn bytes_to_hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    push_digits(&mut text, bytes);
    text
}

/// A number of big-endian bytes with `0x` before it and no zeros that say nothing.
#[must_use]
pub fn number_to_hex(big_endian: &[u8]) -> String {
    let zeros = big_endian.iter().take_while(|byte| **byte == 0).count();
    let mut text = String::with_capacity(2 + 2 * big_endian.len());
    text.push_str("0x");
    match big_endian.get(zeros..).and_then(<[u8]>::split_first) {
        None => text.push('0'),
        Some((first, rest)) => {
            if *first > 0xf {
                text.push(digit(first >> 4));
            }
            text.push(digit(first & 0xf));
            push_digits(&mut text, rest);
        }
    }
    text
}

fn push_digits(text: &mut String, bytes: &[u8]) {
    for byte in bytes {
        text.push(digit(byte >> 4));
        text.push(digit(byte & 0xf));
    }
}

/// Of a half byte.
const fn digit(nibble: u8) -> char {
    let first = if nibble < 10 { b'0' } else { b'a' - 10 };
    (first + nibble) as char
}

/// What a digit stands for, in either case.
pub(crate) const fn half_byte(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

/// The bytes of exactly as many digits as they need, in either case.
#[must_use]
pub fn bytes_from_hex<const COUNT: usize>(text: &str) -> Option<[u8; COUNT]> {
    let mut bytes = [0; COUNT];
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if pairs.len() != COUNT || !rest.is_empty() {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(pairs) {
        let [high, low] = pair.map(half_byte);
        *byte = high? << 4 | low?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_are_written_as_usual(any: u128, shift in 0_u32..129) {
            let number = any.checked_shr(shift).unwrap_or(0);
            let expected = format!("{number:#x}");
            prop_assert_eq!(number_to_hex(&number.to_be_bytes()), expected);
        }
    }

    #[test]
    fn bytes_are_read_as_they_are_written() {
        let bytes = [0, 1, 0x7f, 0xff];
        assert_eq!(bytes_to_hex(&bytes), "00017fff");
        assert_eq!(bytes_from_hex("00017fff"), Some(bytes));
        assert_eq!(bytes_from_hex("00017FfF"), Some(bytes));
        for wrong in [
            "",
            "00017ff",
            "00017fff0",
            "00017fff00",
            "+1+1+1+1",
            "üüüü",
            "0x017fff",
        ] {
            assert_eq!(bytes_from_hex::<4>(wrong), None, "{wrong}");
        }
    }
}
