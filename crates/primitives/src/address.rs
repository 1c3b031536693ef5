//! Contract addresses.

use crate::felt::{FeltError, felt_from_bytes, felt_from_hex, felt_to_hex};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use starknet_types_core::felt::Felt;
use std::{fmt, str::FromStr};

/// The address of a Starknet contract.
///
/// Two texts of one address, padded or not, are one value. It is written in its
/// shortest form.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Address(Felt);

impl Address {
    /// The address that is this element.
    pub const fn new(felt: Felt) -> Self {
        Self(felt)
    }

    /// The element that is this address.
    pub const fn felt(self) -> Felt {
        self.0
    }

    /// 32 bytes, big-endian: the form in which addresses are stored.
    pub fn to_bytes(self) -> [u8; 32] {
        self.0.to_bytes_be()
    }

    /// The address of 32 big-endian bytes, if they are below the field's prime.
    pub fn from_bytes(bytes: &[u8; 32]) -> Option<Self> {
        felt_from_bytes(bytes).map(Self)
    }

    /// `0x` and always 64 digits.
    pub fn to_padded_hex(self) -> String {
        self.0.to_fixed_hex_string()
    }
}

impl From<Felt> for Address {
    fn from(felt: Felt) -> Self {
        Self(felt)
    }
}

impl FromStr for Address {
    type Err = FeltError;

    fn from_str(text: &str) -> Result<Self, FeltError> {
        felt_from_hex(text).map(Self)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&felt_to_hex(self.0))
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Text for people, 32 bytes for machines.
impl Serialize for Address {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_str(self)
        } else {
            self.to_bytes().serialize(serializer)
        }
    }
}

impl<'de> Deserialize<'de> for Address {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if !deserializer.is_human_readable() {
            let bytes = <[u8; 32]>::deserialize(deserializer)?;
            let address = Self::from_bytes(&bytes);
            return address.ok_or_else(|| D::Error::custom("address beyond the field's prime"));
        }
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse()
            .map_err(|error| D::Error::custom(format!("address {error}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_at_or_above_the_prime_are_no_address() {
        let address: Address = "0x49d3".parse().unwrap();
        assert_eq!(Address::from_bytes(&address.to_bytes()), Some(address));
        assert_eq!(Address::from_bytes(&[0xff; 32]), None);
    }

    #[test]
    fn addresses_are_written_short_and_padded_on_request() {
        let address: Address = "0x0049D3".parse().unwrap();
        assert_eq!(address.to_string(), "0x49d3");
        assert_eq!(address.to_padded_hex(), format!("0x{:0>64}", "49d3"));
    }
}
