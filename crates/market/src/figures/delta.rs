//! What one block does to figures, as it is kept.

use crate::{price::Standing, token_id::TokenId};
use amm::book::VenueId;
use primitives::{Address, OrImpossible as _};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The form of the bytes, so that another form is never misread.
const FORM: u8 = 1;

/// What one block does to figures, complete.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Delta {
    /// Tokens that figures are kept of from now on.
    pub(super) tokens: Vec<NewToken>,
    /// Prices that stand differently.
    pub(super) prices: Vec<PricePoint>,
    /// What moved.
    pub(super) flows: Vec<FlowPoint>,
    /// What lies somewhere else now.
    pub(super) stocks: Vec<StockPoint>,
}

/// A token that becomes known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct NewToken {
    pub(super) address: Address,
    pub(super) decimals: u8,
}

/// A change of a token's standing, in both directions.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct PricePoint {
    pub(super) token: TokenId,
    pub(super) before: Option<Standing>,
    pub(super) after: Standing,
}

impl PricePoint {
    /// Whether the price itself is another one.
    pub(super) fn is_new_quote(&self) -> bool {
        self.before.map(|before| before.quote) != Some(self.after.quote)
    }
}

/// How a token moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) enum Flow {
    /// Traded at a venue.
    Traded(VenueId),
    /// Traded, without what only passed through in one transaction.
    Net,
    /// Transferred by anybody.
    Transferred,
}

/// An amount that moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FlowPoint {
    pub(super) token: TokenId,
    pub(super) flow: Flow,
    pub(super) units: u128,
    pub(super) usd: u128,
}

/// Where a token lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) enum Stock {
    /// In a venue's pools.
    Locked(VenueId),
    /// Anywhere: all that there is.
    Supply,
}

/// An amount that lies somewhere from now on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct StockPoint {
    pub(super) token: TokenId,
    pub(super) stock: Stock,
    pub(super) units: u128,
}

/// Bytes that are no delta.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DeltaError {
    /// They were written by another program.
    #[error("the form {0:?} of a block's figures is not known")]
    Form(Option<u8>),
    /// They make no sense.
    #[error("a block's figures make no sense")]
    Sense(#[from] postcard::Error),
}

impl Delta {
    /// Whether nothing happens.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
            && self.prices.is_empty()
            && self.flows.is_empty()
            && self.stocks.is_empty()
    }

    /// As it is kept; nothing for nothing.
    pub fn to_bytes(&self) -> Vec<u8> {
        if self.is_empty() {
            return Vec::new();
        }
        // Numbers and lists of them: there is nothing that could fail.
        let bytes = postcard::to_extend(self, vec![FORM]);
        bytes
            .or_impossible("numbers and lists of them can be written")
            .unwrap_or_default()
    }

    /// What was kept.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DeltaError> {
        Ok(content(bytes)?.map_or(Ok(Self::default()), postcard::from_bytes)?)
    }

    /// The part of what was kept that taking the block back needs: it comes
    /// first, so that flows and stocks, which are most of it, are not read.
    pub fn to_take_back(bytes: &[u8]) -> Result<Self, DeltaError> {
        let Some(content) = content(bytes)? else {
            return Ok(Self::default());
        };
        let ((tokens, prices), _) = postcard::take_from_bytes(content)?;
        Ok(Self {
            tokens,
            prices,
            ..Self::default()
        })
    }
}

/// What follows the form, if there is anything.
fn content(bytes: &[u8]) -> Result<Option<&[u8]>, DeltaError> {
    match bytes.split_first() {
        None => Ok(None),
        Some((&FORM, content)) => Ok(Some(content)),
        Some((form, _)) => Err(DeltaError::Form(Some(*form))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_taking_back_needs_comes_first() {
        let token = NewToken {
            address: Address::new(primitives::Felt::TWO),
            decimals: 6,
        };
        let stock = StockPoint {
            token: TokenId(0),
            stock: Stock::Supply,
            units: 7,
        };
        let delta = Delta {
            tokens: vec![token],
            stocks: vec![stock],
            ..Delta::default()
        };
        let bytes = delta.to_bytes();
        assert_eq!(Delta::from_bytes(&bytes).unwrap(), delta);
        let part = Delta::to_take_back(&bytes).unwrap();
        assert_eq!(part.tokens, delta.tokens);
        assert_eq!(part.stocks, []);
        assert!(Delta::to_take_back(&[]).unwrap().is_empty());
        let other = Err(DeltaError::Form(Some(FORM + 1)));
        assert_eq!(Delta::to_take_back(&[FORM + 1]), other);
    }
}
