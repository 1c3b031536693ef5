//! Endur: a vault's deposits.
//!
//! What a vault counts is read from its views, so that its events tell no more than
//! that there is something to be read; and what a deposit brought, which proves or
//! refutes its rule.

use super::{
    names::Name,
    words::{Untold, Words},
};
use amm::book::PoolEvent;

pub(super) const fn decode(name: Name) -> Result<PoolEvent, Untold> {
    Err(match name {
        Name::Deposit => Untold::Nothing,
        _ => Untold::Unknown,
    })
}

/// The assets and the shares of a deposit.
pub(super) fn deposited(mut words: Words<'_>) -> Result<[u128; 2], Untold> {
    // Who paid, and who owns the shares.
    words.skip(2)?;
    let deposit = [words.amount()?, words.amount()?];
    words.end()?;
    Ok(deposit)
}
