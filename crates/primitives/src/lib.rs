//! Values that every part of Stoa shares: field elements, addresses, block
//! positions, transaction hashes, typed data, keys and lamports of Solana, ids, time and
//! randomness, and which characters names may have.
//!
//! Nothing here waits, performs I/O or logs. Parsers are strict: they accept
//! one documented form and say what is wrong with anything else.

mod address;
mod block;
mod clock;
mod contract_address;
mod entropy;
mod felt;
mod hex;
mod impossible;
mod selector;
mod solana;
mod text;
pub mod transaction_hash;
pub mod typed_data;
mod ulid;

pub use address::Address;
pub use block::BlockRef;
pub use clock::{Clock, ManualClock};
pub use contract_address::contract_address;
pub use entropy::{Entropy, SeededEntropy};
pub use felt::{FeltError, felt_from_hex, felt_to_hex, short_string};
pub use hex::{bytes_from_hex, bytes_to_hex, number_to_hex};
pub use impossible::{Impossible, OrImpossible, SourceLocation, impossible, report_impossible_to};
pub use jiff::{SignedDuration, Timestamp};
pub use ruint::aliases::U256;
pub use selector::{selector, starknet_keccak};
pub use solana::{Base58Error, Lamports, PublicKey, Signature, SolanaHash};
pub use starknet_types_core::felt::Felt;
pub use text::is_hidden;
pub use ulid::{NotUlid, Ulid};
