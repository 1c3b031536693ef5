//! Validators: their vote accounts and stakes.

use super::client::{FINALIZED, SolanaClient};
use crate::error::RpcError;
use primitives::{Lamports, PublicKey};
use serde::Deserialize;

/// An account with which a validator votes, and to which stake is delegated.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VoteAccount {
    /// The account's address, not the validator's identity.
    #[serde(rename = "votePubkey")]
    pub key: PublicKey,
    /// The validator that votes with it. A validator may have several.
    #[serde(rename = "nodePubkey")]
    pub identity: PublicKey,
    /// The stake that counts in this epoch.
    pub activated_stake: Lamports,
    /// The last slot that it voted for.
    #[serde(default)]
    pub last_vote: u64,
    /// What it earned in the last epochs, the newest last.
    #[serde(default)]
    pub epoch_credits: Vec<EpochCredits>,
}

/// What votes earned in one epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Vec<u64>")]
pub struct EpochCredits {
    /// The epoch in which they were earned.
    pub epoch: u64,
    /// All credits at its end.
    pub credits: u64,
    /// All credits at its beginning.
    pub previous: u64,
}

impl TryFrom<Vec<u64>> for EpochCredits {
    type Error = &'static str;

    fn try_from(numbers: Vec<u64>) -> Result<Self, Self::Error> {
        match numbers.as_slice() {
            [epoch, credits, previous, ..] => Ok(Self {
                epoch: *epoch,
                credits: *credits,
                previous: *previous,
            }),
            _ => Err("credits are an epoch and two sums"),
        }
    }
}

/// All vote accounts of a cluster.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct VoteAccounts {
    /// Those that keep up.
    pub current: Vec<VoteAccount>,
    /// Those that fell behind.
    pub delinquent: Vec<VoteAccount>,
}

/// What a validator identity stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdentityStake {
    /// The stake of all its vote accounts.
    pub stake: Lamports,
    /// Whether every one of them fell behind.
    pub delinquent: bool,
    /// How many there are.
    pub vote_accounts: usize,
}

impl VoteAccounts {
    /// What an identity stands for; `None` if no vote account is its own.
    pub fn stake_of(&self, identity: PublicKey) -> Option<IdentityStake> {
        let own = |account: &&VoteAccount| account.identity == identity;
        let current = self.current.iter().filter(own).count();
        let accounts = || self.current.iter().chain(&self.delinquent).filter(own);
        let vote_accounts = accounts().count();
        let stake = accounts().try_fold(Lamports::ZERO, |sum, account| {
            sum.checked_add(account.activated_stake)
        })?;
        (vote_accounts > 0).then_some(IdentityStake {
            stake,
            delinquent: current == 0,
            vote_accounts,
        })
    }
}

impl SolanaClient {
    /// All vote accounts; of those that fell behind, the ones with stake.
    pub async fn vote_accounts(&self) -> Result<VoteAccounts, RpcError> {
        self.call("getVoteAccounts", &(FINALIZED,)).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn key(byte: u8) -> PublicKey {
        PublicKey::from_bytes([byte; 32])
    }

    #[test]
    fn the_stakes_of_one_identity_are_summed() {
        let account = |vote, identity, stake| {
            json!({
                "votePubkey": key(vote), "nodePubkey": key(identity), "activatedStake": stake,
                "epochVoteAccount": true, "commission": 5, "lastVote": 9, "rootSlot": 8,
                "epochCredits": [[1, 20, 10], [2, 35, 20, 99]], "somethingNew": {},
            })
        };
        let accounts: VoteAccounts = serde_json::from_value(json!({
            "current": [account(1, 10, 5), account(2, 11, 7), account(3, 10, 6)],
            "delinquent": [account(4, 10, 100), account(5, 12, 1)],
        }))
        .unwrap();
        let stake = |stake, delinquent, vote_accounts| {
            Some(IdentityStake {
                stake: Lamports::new(stake),
                delinquent,
                vote_accounts,
            })
        };
        assert_eq!(accounts.stake_of(key(10)), stake(111, false, 3));
        assert_eq!(accounts.stake_of(key(11)), stake(7, false, 1));
        assert_eq!(accounts.stake_of(key(12)), stake(1, true, 1));
        assert_eq!(accounts.stake_of(key(1)), None);
        let newest = EpochCredits {
            epoch: 2,
            credits: 35,
            previous: 20,
        };
        assert_eq!(accounts.current[0].epoch_credits.last(), Some(&newest));
    }

    #[test]
    fn accounts_may_lack_what_is_not_needed() {
        let account = json!({"votePubkey": key(1), "nodePubkey": key(2), "activatedStake": 3});
        assert!(serde_json::from_value::<VoteAccount>(account).is_ok());
        let credits = serde_json::from_value::<EpochCredits>(json!([1, 2]));
        assert!(credits.is_err());
    }
}
