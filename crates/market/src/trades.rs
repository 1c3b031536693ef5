//! Trades as they are told: what a block's row keeps of them beside what
//! happened to pools, and which of them are a token's.

use crate::figures::{Trade, UsdE8};
use amm::book::Change;
use primitives::{Felt, OrImpossible as _};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The form of the bytes, so that another form is never misread.
const FORM: u8 = 1;

/// What a trade's event does not say, as the store has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeptTrade {
    /// The hash of its transaction, if the node told it.
    pub transaction: Option<Felt>,
    /// What it was worth; 0 if nobody knows.
    pub usd: UsdE8,
}

/// Hashes once each, since one transaction often makes several trades.
#[derive(Debug, Default, Serialize, Deserialize)]
struct PackedTrades {
    hashes: Vec<[u8; 32]>,
    /// Each trade's hash, counted from 1, or 0 for none; and its worth.
    trades: Vec<(u32, UsdE8)>,
}

/// Bytes that are no trades.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TradesError {
    /// They were written by another program.
    #[error("the form {0:?} of a block's trades is not known")]
    Form(Option<u8>),
    /// They make no sense.
    #[error("a block's trades make no sense")]
    Sense,
}

/// The trades of a block as bytes; nothing for nothing.
pub fn trades_to_bytes(trades: &[KeptTrade]) -> Vec<u8> {
    if trades.is_empty() {
        return Vec::new();
    }
    let mut kept = PackedTrades::default();
    for trade in trades {
        let place = trade.transaction.map_or(0, |hash| kept.place(hash));
        kept.trades.push((place, trade.usd));
    }
    let bytes = postcard::to_extend(&kept, vec![FORM]);
    bytes
        .or_impossible("numbers and lists of them can be written")
        .unwrap_or_default()
}

/// The trades of a block.
pub fn trades_from_bytes(bytes: &[u8]) -> Result<Vec<KeptTrade>, TradesError> {
    let content = match bytes.split_first() {
        Some((&FORM, content)) => content,
        other => return Err(TradesError::Form(other.map(|(form, _)| *form))),
    };
    let kept: PackedTrades = postcard::from_bytes(content).map_err(|_| TradesError::Sense)?;
    let trades = kept.trades.iter().map(|(place, usd)| {
        Ok(KeptTrade {
            transaction: kept.hash(*place)?,
            usd: *usd,
        })
    });
    trades.collect()
}

impl PackedTrades {
    /// The place of a hash, counted from 1. Trades of one transaction mostly
    /// follow one another.
    fn place(&mut self, hash: Felt) -> u32 {
        let hash = hash.to_bytes_be();
        let known = self.hashes.iter().rposition(|known| *known == hash);
        let place = known.unwrap_or_else(|| {
            self.hashes.push(hash);
            self.hashes.len() - 1
        });
        u32::try_from(place).map_or(0, |place| place.saturating_add(1))
    }

    fn hash(&self, place: u32) -> Result<Option<Felt>, TradesError> {
        let Some(place) = place.checked_sub(1) else {
            return Ok(None);
        };
        let hash = usize::try_from(place).ok();
        let hash = hash.and_then(|place| self.hashes.get(place));
        hash.map(|hash| Some(Felt::from_bytes_be(hash)))
            .ok_or(TradesError::Sense)
    }
}

/// The trades among what happened to pools in a block, in order.
pub fn trades_among(changes: &[Change]) -> Vec<Trade> {
    let trades = changes.iter().filter_map(|change| match change {
        // The place of its transaction is not kept; its hash is, elsewhere.
        Change::Moved { pool, movement } => Trade::of(0, *pool, movement),
        _ => None,
    });
    trades.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_kept_comes_back(
            trades in proptest::collection::vec((proptest::option::of(0_u64..4), any::<u128>()), 0..30),
        ) {
            let trades: Vec<KeptTrade> = trades.into_iter().map(|(hash, usd)| KeptTrade {
                transaction: hash.map(Felt::from),
                usd,
            }).collect();
            let bytes = trades_to_bytes(&trades);
            prop_assert_eq!(bytes.is_empty(), trades.is_empty());
            if !trades.is_empty() {
                prop_assert_eq!(trades_from_bytes(&bytes), Ok(trades));
            }
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            let _ = trades_from_bytes(&bytes);
        }
    }

    #[test]
    fn other_forms_and_hashes_that_are_not_there_are_refused() {
        assert_eq!(trades_from_bytes(&[]), Err(TradesError::Form(None)));
        assert_eq!(trades_from_bytes(&[9, 1]), Err(TradesError::Form(Some(9))));
        // One trade of a second hash, and no hash.
        assert_eq!(
            trades_from_bytes(&[FORM, 0, 1, 2, 5]),
            Err(TradesError::Sense)
        );
    }
}
