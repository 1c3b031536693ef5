//! Values of Solana: keys, signatures, hashes, lamports.
//!
//! Text forms are base58 and strict: exactly the bytes of the value, nothing
//! around them. Base58 has one text for each value, so that texts compare like
//! values.

use serde::de::{Deserializer, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// Why a text is not such a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Base58Error {
    /// The text has more or fewer bytes in it than the value.
    #[error("must be {0} bytes in base58")]
    Length(usize),
    /// A character is not of the alphabet, which has no 0, O, I and l.
    #[error("has a character that is not base58")]
    Digit,
}

/// Reads exactly `N` bytes.
fn decode<const N: usize>(text: &str) -> Result<[u8; N], Base58Error> {
    // A byte takes less than 1.4 digits. Looking first keeps long texts cheap.
    if text.len() > N.saturating_mul(7).div_ceil(5) {
        return Err(Base58Error::Length(N));
    }
    let mut bytes = [0; N];
    match bs58::decode(text).onto(&mut bytes) {
        Ok(length) if length == N => Ok(bytes),
        Ok(_) | Err(bs58::decode::Error::BufferTooSmall) => Err(Base58Error::Length(N)),
        Err(_) => Err(Base58Error::Digit),
    }
}

/// A text that is read as a value, wherever a serialised form has one.
struct Text<T>(std::marker::PhantomData<T>);

impl<T: FromStr<Err = Base58Error>> Visitor<'_> for Text<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a base58 text")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(E::custom)
    }
}

/// A value of `$length` bytes whose text form is base58.
macro_rules! base58_value {
    ($(#[$meta:meta])* $name:ident, $length:literal) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name([u8; $length]);

        impl $name {
            /// Its length in bytes.
            pub const LENGTH: usize = $length;

            /// The value of these bytes.
            pub const fn from_bytes(bytes: [u8; $length]) -> Self {
                Self(bytes)
            }

            /// Its bytes.
            pub const fn as_bytes(&self) -> &[u8; $length] {
                &self.0
            }
        }

        impl TryFrom<&[u8]> for $name {
            type Error = Base58Error;

            fn try_from(bytes: &[u8]) -> Result<Self, Base58Error> {
                let bytes = bytes.try_into();
                bytes.map(Self).map_err(|_| Base58Error::Length($length))
            }
        }

        impl FromStr for $name {
            type Err = Base58Error;

            fn from_str(text: &str) -> Result<Self, Base58Error> {
                decode(text).map(Self)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&bs58::encode(self.0).into_string())
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({self})", stringify!($name))
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_str(Text(std::marker::PhantomData))
            }
        }
    };
}

base58_value!(
    /// An Ed25519 public key, or any other address of Solana: not every one is
    /// a point of the curve.
    PublicKey,
    32
);
base58_value!(
    /// An Ed25519 signature. The first one of a transaction is its name.
    Signature,
    64
);
base58_value!(
    /// The hash of a block or of a genesis.
    SolanaHash,
    32
);

/// An amount of Solana's smallest unit, of which a SOL has 10⁹.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Lamports(u64);

impl Lamports {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// One SOL.
    pub const PER_SOL: Self = Self(1_000_000_000);

    /// The amount of this many lamports.
    pub const fn new(lamports: u64) -> Self {
        Self(lamports)
    }

    /// As a number.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The sum, unless it is too large.
    pub const fn checked_add(self, other: Self) -> Option<Self> {
        match self.0.checked_add(other.0) {
            Some(sum) => Some(Self(sum)),
            None => None,
        }
    }

    /// What is left, unless `other` is more.
    pub const fn checked_sub(self, other: Self) -> Option<Self> {
        match self.0.checked_sub(other.0) {
            Some(rest) => Some(Self(rest)),
            None => None,
        }
    }
}

impl fmt::Display for Lamports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SYSTEM: &str = "11111111111111111111111111111111";
    const MEMO: &str = "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr";

    #[test]
    fn zeros_are_ones() {
        assert_eq!(PublicKey::from_bytes([0; 32]).to_string(), SYSTEM);
        assert_eq!(SYSTEM.parse(), Ok(PublicKey::from_bytes([0; 32])));
        assert_eq!(Signature::from_bytes([0; 64]).to_string(), "1".repeat(64));
    }

    #[test]
    fn each_malformed_text_has_its_own_error() {
        let longer = format!("1{MEMO}");
        let endless = "1".repeat(10_000);
        for (text, error) in [
            ("", Base58Error::Length(32)),
            (&SYSTEM[1..], Base58Error::Length(32)),
            (&longer, Base58Error::Length(32)),
            (&endless, Base58Error::Length(32)),
            (&MEMO.replace('M', "0"), Base58Error::Digit),
            (&MEMO.replace('M', " "), Base58Error::Digit),
            (&MEMO.replace('M', "é"), Base58Error::Digit),
        ] {
            assert_eq!(text.parse::<PublicKey>(), Err(error), "{text}");
        }
        let largest = bs58::encode([0xff; 32]).into_string();
        assert!(largest.parse::<PublicKey>().is_ok());
        assert!(largest.replace('J', "K").parse::<PublicKey>().is_err());
    }

    #[test]
    fn amounts_never_wrap() {
        let most = Lamports::new(u64::MAX);
        assert_eq!(most.checked_add(Lamports::new(1)), None);
        assert_eq!(Lamports::ZERO.checked_sub(Lamports::new(1)), None);
        assert_eq!(most.checked_sub(most), Some(Lamports::ZERO));
        assert_eq!(Lamports::ZERO.checked_add(most), Some(most));
    }

    proptest! {
        #[test]
        fn base58_round_trips(key in any::<[u8; 32]>(), half in any::<[u8; 32]>(), zeros in 0_usize..=32) {
            let mut key = key;
            key[..zeros].fill(0);
            let value = PublicKey::from_bytes(key);
            prop_assert_eq!(value.to_string().parse(), Ok(value));
            let mut signature = [0; 64];
            signature[..32].copy_from_slice(&key);
            signature[32..].copy_from_slice(&half);
            let value = Signature::from_bytes(signature);
            prop_assert_eq!(value.to_string().parse(), Ok(value));
        }

        #[test]
        fn no_text_makes_the_parser_panic(text in ".{0,100}") {
            let _ = text.parse::<PublicKey>();
            let _ = text.parse::<Signature>();
            let _ = text.parse::<SolanaHash>();
        }
    }
}
