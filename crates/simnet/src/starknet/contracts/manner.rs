//! How tokens treat those who transfer them: not all do as they are told.

use super::account::Account;
use crate::starknet::contract::Env;
use crate::starknet::failure::Revert;
use primitives::{Felt, U256};

/// What a token does with a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    /// What is sent arrives.
    Plain,
    /// The owner gets so many thousandths of what anybody else sends.
    Taxed { owner: Felt, permille: u64 },
    /// People may pay each other and buy; only the owner may give anything to a
    /// contract, and so sell.
    Trapped { owner: Felt },
}

/// What a trapped token says to those who want to sell it.
pub(crate) const SALE_REFUSED: &str = "TRANSFER_NOT_ALLOWED";

/// A part of a transfer that goes to somebody else.
#[derive(Debug, Default)]
pub(super) struct Tax {
    pub(super) collector: Felt,
    pub(super) amount: U256,
}

impl Manner {
    /// What the token keeps of a transfer, if it allows it at all.
    pub(super) fn tax(
        self,
        env: &Env<'_, '_>,
        from: Felt,
        to: Felt,
        amount: U256,
    ) -> Result<Tax, Revert> {
        let is_person = |address| env.class_of(address) == Account::class_hash();
        match self {
            Self::Taxed { owner, permille } if from != owner => {
                let scaled = amount
                    .checked_mul(U256::from(permille))
                    .ok_or_else(|| Revert::new("u256_mul Overflow"))?;
                Ok(Tax {
                    collector: owner,
                    amount: scaled / U256::from(1_000),
                })
            }
            Self::Trapped { owner } if from != owner && is_person(from) && !is_person(to) => {
                Err(Revert::new(SALE_REFUSED))
            }
            _ => Ok(Tax::default()),
        }
    }
}
