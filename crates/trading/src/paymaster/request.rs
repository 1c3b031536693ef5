//! What somebody wants built or executed, and who pays for it.

use super::selected_call::SelectedCall;
use primitives::{Address, Felt};

/// An account that is not there yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deployment {
    /// Where it will be.
    pub address: Address,
    /// What it will be.
    pub class_hash: Felt,
    /// What makes its address its own.
    pub salt: Felt,
    /// The arguments of its constructor.
    pub calldata: Vec<Felt>,
    /// What its owners signed for a factory, if it comes from one.
    pub sigdata: Vec<Felt>,
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transaction {
    /// An account is deployed.
    Deploy(Deployment),
    /// A user makes calls.
    Invoke {
        /// Whose account makes them.
        user: Address,
        /// The calls.
        calls: Vec<SelectedCall>,
    },
    /// Both.
    DeployAndInvoke {
        /// The user's account.
        deployment: Deployment,
        /// Its calls.
        calls: Vec<SelectedCall>,
    },
    /// Actions within a pool whose users stay private.
    ApplyAction {
        /// The pool.
        pool: Address,
    },
    /// The same, and calls of a user who does not.
    InvokeAndApplyAction {
        /// Whose account makes the calls.
        user: Address,
        /// The calls.
        calls: Vec<SelectedCall>,
        /// The pool.
        pool: Address,
    },
}

impl Transaction {
    /// The pool, if it is a private one.
    #[must_use]
    pub fn pool(&self) -> Option<Address> {
        match self {
            Self::ApplyAction { pool } | Self::InvokeAndApplyAction { pool, .. } => Some(*pool),
            Self::Deploy(_) | Self::Invoke { .. } | Self::DeployAndInvoke { .. } => None,
        }
    }

    /// The calls that a user signs.
    #[must_use]
    pub fn calls(&self) -> &[SelectedCall] {
        match self {
            Self::Invoke { calls, .. }
            | Self::DeployAndInvoke { calls, .. }
            | Self::InvokeAndApplyAction { calls, .. } => calls,
            Self::Deploy(_) | Self::ApplyAction { .. } => &[],
        }
    }
}

/// What is offered to those who make blocks, for each unit of gas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tip {
    /// A little less than most.
    Slow,
    /// What most offer.
    #[default]
    Normal,
    /// A little more than most.
    Fast,
    /// So much.
    Custom(u64),
}

/// By how much slow and fast differ from what most offer.
const STEP: u64 = 5;

impl Tip {
    /// What is offered where most offer `median`.
    #[must_use]
    pub fn amount(self, median: u64) -> u64 {
        match self {
            Self::Slow => median.saturating_sub(STEP),
            Self::Normal => median,
            Self::Fast => median.saturating_add(STEP),
            Self::Custom(amount) => amount,
        }
    }
}

/// Who pays what a private pool takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PoolFee {
    /// The user, in this token, out of the pool.
    User(Address),
    /// The sponsor.
    Sponsor,
}

/// Who pays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeeMode {
    /// The user, in this token.
    Default(Address),
    /// A sponsor; of private transactions also who pays what the pool takes.
    Sponsored(Option<PoolFee>),
    /// A sponsor, and the pool's fee is paid in this token, out of the pool.
    SponsoredPrivate(Address),
}

impl FeeMode {
    /// Whether a sponsor pays.
    #[must_use]
    pub fn is_sponsored(self) -> bool {
        !matches!(self, Self::Default(_))
    }

    /// The token that something is paid in, if it is named.
    #[must_use]
    pub fn token(self) -> Option<Address> {
        match self {
            Self::Default(token)
            | Self::SponsoredPrivate(token)
            | Self::Sponsored(Some(PoolFee::User(token))) => Some(token),
            Self::Sponsored(None | Some(PoolFee::Sponsor)) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tips_are_near_what_most_offer() {
        let tips = [Tip::Slow, Tip::Normal, Tip::Fast, Tip::Custom(3)];
        assert_eq!(tips.map(|tip| tip.amount(100)), [95, 100, 105, 3]);
        assert_eq!(tips.map(|tip| tip.amount(2)), [0, 2, 7, 3]);
        assert_eq!(Tip::Fast.amount(u64::MAX), u64::MAX);
    }
}
