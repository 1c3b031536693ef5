//! Bytes as hexadecimal digits, two for each.

/// The digits of bytes, in lower case.
#[must_use]
pub fn bytes_to_hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 0xf]);
    let mut text = String::with_capacity(2 * bytes.len());
    text.extend(digits.filter_map(|digit| char::from_digit(digit.into(), 16)));
    text
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
        let [high, low] = pair.map(|digit| char::from(digit).to_digit(16));
        *byte = u8::try_from(high? * 16 + low?).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

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
