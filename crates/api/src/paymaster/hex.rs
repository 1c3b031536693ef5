//! Field elements as clients write them: hexadecimal, padded or not; and amounts.

use primitives::{Address, Felt, U256, felt_from_hex, felt_to_hex, number_to_hex};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use std::borrow::Cow;

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
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        felt_from_hex(&text)
            .map(Self)
            .map_err(|error| D::Error::custom(format_args!("{text:?} {error}")))
    }
}

/// An amount as clients read it.
pub(super) fn amount(amount: U256) -> String {
    number_to_hex(&amount.to_be_bytes::<32>())
}
