//! What somebody wants built or executed, and who pays for it.

use super::selected_call::SelectedCall;
use primitives::{Address, Felt};

/// An account that is not there yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deployment {
    /// Where it will be: this must follow from its class, salt and calldata.
    pub address: Address,
    /// Its class, which is refused if it has no outside execution.
    pub class_hash: Felt,
    /// What makes its address its own.
    pub salt: Felt,
    /// The arguments of its constructor.
    pub calldata: Vec<Felt>,
    /// What its owners signed for a factory, if it comes from one.
    pub sigdata: Vec<Felt>,
}

/// What somebody wants relayed, before anything is added that pays for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transaction {
    /// An account is deployed, and calls nothing. Where its user pays, it is built as
    /// [`Transaction::DeployAndInvoke`], since the fee has to be signed.
    Deploy(Deployment),
    /// An account that is there already makes calls.
    Invoke {
        /// Whose account makes them.
        user: Address,
        /// What the user asks for, without the call that pays for it.
        calls: Vec<SelectedCall>,
    },
    /// An account is deployed, and makes its first calls in the same transaction.
    DeployAndInvoke {
        /// The account that is deployed and then makes the calls.
        deployment: Deployment,
        /// Without the one that pays; none where a deployment alone was asked for.
        calls: Vec<SelectedCall>,
    },
    /// Actions within a pool whose users stay private.
    ApplyAction {
        /// The pool's contract, one of those that the operator lists.
        pool: Address,
    },
    /// The same, and calls of a user who does not.
    InvokeAndApplyAction {
        /// Whose account makes the calls.
        user: Address,
        /// What the user signs; these calls are made before the actions.
        calls: Vec<SelectedCall>,
        /// As for [`Transaction::ApplyAction`].
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

    /// What a user asks for; nothing for a deployment, or for actions alone.
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
    /// So much, in the smallest unit of STRK, whatever others offer.
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
    /// The sponsor, out of its credits; nothing has to be withdrawn from the pool.
    Sponsor,
}

/// Who pays for a transaction, and the token of what its user pays.
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
    /// Whether a sponsor pays for the gas, whoever pays what a pool takes.
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
