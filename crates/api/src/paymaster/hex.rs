//! Field elements as clients write them: hexadecimal, padded or not; and amounts.

use primitives::{Address, Felt, U256, felt_from_hex, felt_to_hex, number_to_hex};
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, Visitor},
};
use std::fmt;

/// A field element: read from `0x` and digits alone, written in the shortest form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hex(pub(super) Felt);

impl Hex {
    pub(super) fn address(self) -> Address {
        Address::new(self.0)
    }

    pub(super) fn felts(list: &[Self]) -> Vec<Felt> {
        list.iter().map(|Self(felt)| *felt).collect()
    }
}

impl Serialize for Hex {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&felt_to_hex(self.0))
    }
}

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(HexVisitor)
    }
}

/// Reads the text where it lies.
struct HexVisitor;

impl Visitor<'_> for HexVisitor {
    type Value = Hex;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Hex, E> {
        felt_from_hex(text)
            .map(Hex)
            .map_err(|error| E::custom(format_args!("{text:?} {error}")))
    }
}

/// An amount as clients read it.
pub(super) fn amount(amount: U256) -> String {
    number_to_hex(&amount.to_be_bytes::<32>())
}
