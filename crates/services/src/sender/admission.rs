//! Whether an account may send one more, and with which nonce. Pure.

use super::{SendRefused, SenderOptions};
use primitives::transaction_hash::ResourceBounds;
use primitives::{BlockRef, U256};
use store::TakenNonce;

/// What the chain says of an account.
#[derive(Debug, Clone, Copy)]
pub(super) struct AccountView {
    /// At this block.
    pub(super) head: BlockRef,
    /// Transactions that it has sent.
    pub(super) nonce: u64,
    /// What it can pay fees with.
    pub(super) balance: U256,
}

/// The first nonce from the chain's on that is not taken, given those that are, in order.
pub(super) fn next_nonce(
    taken: &[TakenNonce],
    view: &AccountView,
    max_fee: u128,
    options: &SenderOptions,
) -> Result<u64, SendRefused> {
    for it in taken {
        // Settled after the view was taken is not taken back.
        if let Some(block) = it.block_number.filter(|block| *block <= view.head.number) {
            return Err(SendRefused::TakenBack {
                nonce: it.nonce,
                block,
            });
        }
    }
    if taken.len() >= options.in_flight {
        return Err(SendRefused::InFlight(taken.len()));
    }
    let fees = taken.iter().map(|it| it.max_fee);
    let needed = fees
        .chain([max_fee, options.reserve])
        .fold(U256::ZERO, |sum, fee| sum.saturating_add(U256::from(fee)));
    if view.balance < needed {
        return Err(SendRefused::Balance {
            needed,
            balance: view.balance,
        });
    }
    let nonce = taken
        .iter()
        .fold(view.nonce, |free, it| free + u64::from(it.nonce == free));
    Ok(nonce)
}

/// The most that a transaction within bounds costs, with a tip for each unit of L2
/// gas; `None` beyond 128 bits.
pub(super) fn max_fee(bounds: &ResourceBounds, tip: u64) -> Option<u128> {
    let tipped = bounds.l2_gas.max_price_per_unit.checked_add(tip.into())?;
    [
        (bounds.l1_gas, bounds.l1_gas.max_price_per_unit),
        (bounds.l2_gas, tipped),
        (bounds.l1_data_gas, bounds.l1_data_gas.max_price_per_unit),
    ]
    .into_iter()
    .try_fold(0_u128, |sum, (bound, price)| {
        sum.checked_add(price.checked_mul(bound.max_amount.into())?)
    })
}
