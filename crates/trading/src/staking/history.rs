//! What events of a pool tell of its members.
//!
//! A stake and a withdrawal both change a member's balance, which an event of
//! its own tells: behind one that tells of a withdrawal it belongs to that.

use primitives::{Address, Felt, Timestamp, selector};
use std::sync::LazyLock;

/// What a member did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Staked something.
    Staked {
        /// The stake before.
        old: u128,
        /// And after.
        new: u128,
    },
    /// Took something out of the stake.
    InitiatedWithdrawal {
        /// When it can be had.
        exit: Timestamp,
        /// How much, with what was to be withdrawn before.
        amount: u128,
        /// The stake before.
        old: u128,
        /// And after.
        new: u128,
    },
    /// Put it back.
    CancelledWithdrawal {
        /// The stake before.
        old: u128,
        /// And after.
        new: u128,
    },
    /// Was paid what had been taken out.
    Withdrew {
        /// How much.
        amount: u128,
    },
    /// Was paid rewards.
    ClaimedRewards {
        /// Where they went.
        to: Address,
        /// How much STRK.
        amount: u128,
    },
}

/// A member and what they did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deed {
    /// Who.
    pub member: Address,
    /// What the pool's events say that they did.
    pub action: Action,
}

static BALANCE: LazyLock<Felt> = LazyLock::new(|| selector("PoolMemberBalanceChanged"));
static INTENT: LazyLock<Felt> = LazyLock::new(|| selector("PoolMemberExitIntent"));
static EXIT: LazyLock<Felt> = LazyLock::new(|| selector("PoolMemberExitAction"));
static CLAIM: LazyLock<Felt> = LazyLock::new(|| selector("PoolMemberRewardClaimed"));

/// Reads the events of one pool in their order.
#[derive(Debug, Clone, Copy, Default)]
pub struct DeedReader {
    /// A withdrawal of which the balance is not told yet.
    intent: Option<Intent>,
}

#[derive(Debug, Clone, Copy)]
struct Intent {
    transaction: Felt,
    member: Felt,
    exit: Timestamp,
    amount: u128,
}

impl DeedReader {
    /// What one more event tells. Other events, and such of another layout, tell
    /// nothing.
    pub fn read(&mut self, transaction: Felt, keys: &[Felt], data: &[Felt]) -> Option<Deed> {
        let (event, member) = (*keys.first()?, *keys.get(1)?);
        let number = |index: usize| u128::try_from(*data.get(index)?).ok();
        if event == *INTENT {
            let second = i64::try_from(number(0)?).ok()?;
            self.intent = Some(Intent {
                transaction,
                member,
                exit: Timestamp::from_second(second).ok()?,
                amount: number(1)?,
            });
            return None;
        }
        let action = if event == *BALANCE {
            let (old, new) = (number(0)?, number(1)?);
            let fits = |it: &Intent| (it.transaction, it.member) == (transaction, member);
            match self.intent.take().filter(fits) {
                None => Action::Staked { old, new },
                Some(Intent { amount: 0, .. }) => Action::CancelledWithdrawal { old, new },
                Some(Intent { exit, amount, .. }) => Action::InitiatedWithdrawal {
                    exit,
                    amount,
                    old,
                    new,
                },
            }
        } else if event == *EXIT {
            Action::Withdrew { amount: number(0)? }
        } else if event == *CLAIM {
            Action::ClaimedRewards {
                to: Address::new(*keys.get(2)?),
                amount: number(0)?,
            }
        } else {
            return None;
        };
        Some(Deed {
            member: Address::new(member),
            action,
        })
    }
}
