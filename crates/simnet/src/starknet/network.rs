//! What everybody on the network knows: its id, the token that pays fees, and
//! the accounts that keep it running.

use primitives::Felt;

/// The network's id, in ASCII.
pub(crate) const CHAIN_ID: &str = "SN_STOA";

/// The token that pays fees.
pub(crate) const STRK: Felt =
    Felt::from_hex_unchecked("0x04718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d");

/// Bitcoin, as a token.
pub(crate) const WBTC: Felt =
    Felt::from_hex_unchecked("0x03fe2b97c1fd336e750087d68b9b867997fd64a2661ff3ca5a7c771641e8e7ac");

/// Who makes the blocks and receives the fees.
pub(crate) const SEQUENCER: Felt = Felt::from_hex_unchecked("0x5e90e4ce");

/// Who deployed the tokens and minted their supply, and owns the exchanges.
pub(crate) const DEPLOYER: Felt = Felt::from_hex_unchecked("0xde9107e4");
