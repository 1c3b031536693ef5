//! Whether the key of a lease may be had: shown once, replaced at will.

use crate::{
    lease::{Lease, LeaseState},
    roles::Party,
};

/// Why there is no key, in the order of the checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyError {
    /// There is no such lease that the user may see.
    NotFound,
    /// The user did not book it.
    Forbidden,
    /// Only active leases have a key; this one is in this state.
    NotActive(LeaseState),
    /// Its epochs are over.
    Over,
}

impl Lease {
    /// Whether a user may have its key, in an epoch if that is known.
    pub fn may_have_key(&self, user: Party, epoch: Option<u64>) -> Result<(), KeyError> {
        if !self.is_visible_to(user) {
            return Err(KeyError::NotFound);
        }
        if self.trader != user.user {
            return Err(KeyError::Forbidden);
        }
        match self.state() {
            LeaseState::Active if epoch.is_some_and(|epoch| self.window.is_over(epoch)) => {
                Err(KeyError::Over)
            }
            LeaseState::Active => Ok(()),
            LeaseState::Completed => Err(KeyError::Over),
            other => Err(KeyError::NotActive(other)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Roles,
        lease::samples::{OWNER, STRANGER, TRADER, lease, party, stages},
    };

    #[test]
    fn only_an_active_lease_has_a_key_until_its_epochs_are_over() {
        let trader = party(TRADER, Roles::default());
        for (name, stage) in stages() {
            let lease = lease(stage);
            for (epoch, is_over) in [
                (None, false),
                (Some(0), false),
                (Some(7), false),
                (Some(8), true),
            ] {
                let expected = match name {
                    "active" if is_over => Err(KeyError::Over),
                    "active" => Ok(()),
                    "completed" => Err(KeyError::Over),
                    _ => Err(KeyError::NotActive(lease.state())),
                };
                assert_eq!(
                    lease.may_have_key(trader, epoch),
                    expected,
                    "{name} {epoch:?}"
                );
            }
            let owner = party(OWNER, Roles::default());
            assert_eq!(lease.may_have_key(owner, None), Err(KeyError::Forbidden));
            let stranger = party(STRANGER, Roles::default());
            assert_eq!(lease.may_have_key(stranger, None), Err(KeyError::NotFound));
        }
    }
}
