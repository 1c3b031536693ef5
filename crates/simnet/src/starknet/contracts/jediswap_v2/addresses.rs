//! Where the exchange's contracts are.

use primitives::Felt;

/// Creates pools and knows them all.
pub(crate) const FACTORY: Felt =
    Felt::from_hex_unchecked("0x01aa950c9b974294787de8df8880ecf668840a6ab8fa8290bf2952212b375148");

/// Sells for people.
pub(crate) const ROUTER: Felt =
    Felt::from_hex_unchecked("0x0359550b990167afd6635fa574f3bdadd83cb51850e1d00061fe693158c23f80");
