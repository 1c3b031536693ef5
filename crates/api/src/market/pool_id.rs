//! What a pool is called on the wire.

use amm::book::{PoolView, Spot};
use primitives::felt_to_hex;
use sha2::{Digest as _, Sha256};

/// The name of a pool, the same wherever and whenever it is asked for: its own
/// contract's address or, where many pools share one, a digest of what tells
/// it from the others.
pub(super) fn pool_name(view: &PoolView<'_>) -> String {
    let contract = view.contract();
    match view.spot() {
        Spot::Contract(contract) => contract.to_string(),
        Spot::Numbered(number) => format!("{contract}-{number}"),
        Spot::Keyed {
            fee,
            tick_spacing,
            extension,
        } => {
            let [first, second] = view.tokens().map(|token| felt_to_hex(token.felt()));
            let key = format!("{contract} {first} {second} {fee} {tick_spacing} {extension}");
            let digest: [u8; 32] = Sha256::digest(key.as_bytes()).into();
            let (half, _) = digest.split_first_chunk().unwrap_or((&[0; 16], &[]));
            format!("{:032x}", u128::from_be_bytes(*half))
        }
    }
}
