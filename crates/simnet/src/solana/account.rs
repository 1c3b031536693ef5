//! Accounts, and what they must hold to last.

use super::programs::SYSTEM;
use primitives::{Lamports, PublicKey};
use std::collections::HashMap;

/// What an account without data must hold is 128 bytes' worth of this.
const RENT_EXEMPT_LAMPORTS_PER_BYTE: u64 = 6_960;

/// Bytes that every account counts for, whatever it has.
const OVERHEAD_BYTES: u64 = 128;

/// The largest account.
pub(crate) const MAX_SPACE: u64 = 10 * 1_024 * 1_024;

/// An account. Its data are zeros: no program here writes any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Account {
    pub(crate) lamports: Lamports,
    pub(crate) owner: PublicKey,
    /// Bytes of data.
    pub(crate) space: u64,
    pub(crate) executable: bool,
}

impl Account {
    /// What is where nothing was ever sent.
    pub(crate) const NONE: Self = Self::wallet(Lamports::ZERO);

    pub(crate) const fn wallet(lamports: Lamports) -> Self {
        Self {
            lamports,
            owner: SYSTEM,
            space: 0,
            executable: false,
        }
    }

    pub(crate) fn is_wallet(&self) -> bool {
        self.owner == SYSTEM && self.space == 0
    }

    /// Whether the account may become `next`: one that holds too little to last
    /// may not come to be, nor grow without becoming large enough.
    pub(crate) fn may_become(&self, next: &Self) -> bool {
        let lasts = |account: &Self| account.lamports >= minimum_balance(account.space);
        next.lamports == Lamports::ZERO
            || lasts(next)
            || (self.lamports > Lamports::ZERO
                && !lasts(self)
                && self.space == next.space
                && next.lamports <= self.lamports)
    }
}

/// What an account with `space` bytes of data must hold to last.
pub(crate) fn minimum_balance(space: u64) -> Lamports {
    let bytes = space.saturating_add(OVERHEAD_BYTES);
    Lamports::new(bytes.saturating_mul(RENT_EXEMPT_LAMPORTS_PER_BYTE))
}

/// All accounts that hold something.
#[derive(Debug, Clone, Default)]
pub(crate) struct Accounts(HashMap<PublicKey, Account>);

impl Accounts {
    pub(crate) fn get(&self, key: &PublicKey) -> Account {
        self.0.get(key).copied().unwrap_or(Account::NONE)
    }

    /// An account without lamports is none.
    pub(crate) fn set(&mut self, key: PublicKey, account: Account) {
        if account.lamports == Lamports::ZERO {
            self.0.remove(&key);
        } else {
            self.0.insert(key, account);
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&PublicKey, &Account)> {
        self.0.iter()
    }

    /// All lamports that there are.
    #[cfg(test)]
    pub(crate) fn total(&self) -> u128 {
        self.0.values().map(|a| u128::from(a.lamports.get())).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_balance_is_the_networks() {
        assert_eq!(minimum_balance(0).get(), 890_880);
        assert_eq!(minimum_balance(165).get(), 2_039_280);
    }

    #[test]
    fn an_account_that_holds_too_little_may_only_shrink() {
        let wallet = |lamports| Account::wallet(Lamports::new(lamports));
        for (before, after, allowed) in [
            (0, 890_880, true),
            (0, 890_879, false),
            (0, 0, true),
            (890_880, 1, false),
            (890_880, 0, true),
            (10, 9, true),
            (10, 10, true),
            (10, 11, false),
            (10, 890_880, true),
        ] {
            let may = wallet(before).may_become(&wallet(after));
            assert_eq!(may, allowed, "{before} to {after}");
        }
    }
}
