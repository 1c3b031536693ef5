//! What transactions are paid with, on every Starknet network.

use market::following::FeeUnit;
use primitives::{Address, Felt};

/// The token that gas is paid in.
pub const STRK: Address = Address::new(Felt::from_hex_unchecked(
    "0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d",
));

/// What older transactions were paid with.
const ETH: Address = Address::new(Felt::from_hex_unchecked(
    "0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7",
));

/// The token that a fee was paid in.
#[must_use]
pub const fn fee_token(unit: FeeUnit) -> Address {
    match unit {
        FeeUnit::Wei => ETH,
        FeeUnit::Fri => STRK,
    }
}
