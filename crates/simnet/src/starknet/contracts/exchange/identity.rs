//! Which contract the exchange is: the type that its functions belong to, and its
//! address.

use primitives::Felt;

/// Where it is.
pub(crate) const EXCHANGE: Felt =
    Felt::from_hex_unchecked("0x04270219d365d6b017231b52e92b3fb5d7c8378b05e9abc97724537a80e93b0f");

/// The exchange. All of it is in its variables.
#[derive(Debug)]
pub(super) struct Exchange;
