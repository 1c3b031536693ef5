//! Elements and numbers as hexadecimal JSON strings, written without a detour
//! over the heap.

use primitives::{Felt, U256, felt_from_hex};
use serde::de::{Deserialize, Deserializer, Error as _};
use serde::{Serialize, Serializer};
use std::borrow::Cow;

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// An element, to be written in its shortest form.
pub(super) struct Hex<'a>(&'a Felt);

pub(super) fn hex(felt: &Felt) -> Hex<'_> {
    Hex(felt)
}

/// `serialize_with` of an element.
pub(super) fn felt<S: Serializer>(felt: &Felt, serializer: S) -> Result<S::Ok, S::Error> {
    Hex(felt).serialize(serializer)
}

/// `serialize_with` of a list of elements.
pub(super) fn felts<S: Serializer>(felts: &[Felt], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(felts.iter().map(Hex))
}

/// `serialize_with` of a number.
pub(super) fn number<T, S>(number: &T, serializer: S) -> Result<S::Ok, S::Error>
where
    T: Copy + Into<u128>,
    S: Serializer,
{
    serializer.collect_str(&format_args!("{:#x}", (*number).into()))
}

impl Serialize for Hex<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let digit = |value: u8| DIGITS.get(usize::from(value)).copied().unwrap_or(b'0');
        let mut text = [b'0'; 66];
        let digits = text.get_mut(2..).unwrap_or_default();
        for (pair, byte) in digits.chunks_exact_mut(2).zip(self.0.to_bytes_be()) {
            pair.copy_from_slice(&[digit(byte >> 4), digit(byte & 0xf)]);
        }
        let zeros = digits.iter().take(63).take_while(|d| **d == b'0').count();
        // The prefix moves up to the first digit that counts.
        if let Some(place) = text.get_mut(zeros + 1) {
            *place = b'x';
        }
        let short = text.get(zeros..).unwrap_or_default();
        serializer.serialize_str(std::str::from_utf8(short).map_err(serde::ser::Error::custom)?)
    }
}

/// An element in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FeltParam(pub(super) Felt);

impl<'de> Deserialize<'de> for FeltParam {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        felt_from_hex(&text)
            .map(Self)
            .map_err(|error| D::Error::custom(format!("{text:?} {error}")))
    }
}

/// A number in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NumberParam<T>(pub(super) T);

impl<'de, T: TryFrom<U256>> Deserialize<'de> for NumberParam<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let FeltParam(felt) = FeltParam::deserialize(deserializer)?;
        let number = U256::from_be_bytes(felt.to_bytes_be());
        T::try_from(number)
            .map(Self)
            .map_err(|_| D::Error::custom(format!("{number:#x} is too large")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use primitives::felt_to_hex;
    use proptest::prelude::*;

    fn written(felt: Felt) -> String {
        serde_json::to_string(&hex(&felt)).unwrap()
    }

    #[test]
    fn the_smallest_and_the_largest_elements_are_written_in_full() {
        for felt in [Felt::ZERO, Felt::ONE, Felt::from(16), Felt::MAX] {
            assert_eq!(written(felt), format!("\"{}\"", felt_to_hex(felt)));
        }
    }

    proptest! {
        #[test]
        fn elements_are_written_in_their_shortest_form(bytes in any::<[u8; 32]>(), zeros in 0_usize..32) {
            let mut bytes = bytes;
            bytes[..zeros].fill(0);
            let felt = Felt::from_bytes_be(&bytes);
            prop_assert_eq!(written(felt), format!("\"{}\"", felt_to_hex(felt)));
        }
    }
}
