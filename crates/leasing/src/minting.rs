//! Whether a token of a lease may be had now.

use crate::{
    lease::{Lease, LeaseState},
    roles::Asker,
    window::EpochWindow,
};

/// Why there is no token, in the order of the checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MintError {
    /// There is no such lease that the user may see.
    NotFound,
    /// The user did not book it.
    Forbidden,
    /// Tokens are minted for active leases alone; this one is in this state.
    NotActive(LeaseState),
    /// It does not have the current epoch.
    OutOfRange {
        /// The current epoch.
        epoch: i32,
        /// Those that it has.
        window: EpochWindow,
    },
}

impl Lease {
    /// Whether somebody may have a token of it in an epoch.
    pub fn may_mint(&self, asker: Asker, epoch: i32) -> Result<(), MintError> {
        if !self.is_shown_to(asker) {
            return Err(MintError::NotFound);
        }
        if matches!(asker, Asker::User(party) if party.user != self.trader) {
            return Err(MintError::Forbidden);
        }
        if self.state() != LeaseState::Active {
            return Err(MintError::NotActive(self.state()));
        }
        if !self.window.epochs().contains(&epoch) {
            return Err(MintError::OutOfRange {
                epoch,
                window: self.window,
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Roles,
        lease::samples::{OWNER, STRANGER, TRADER, id, lease, party, stages},
    };

    #[test]
    fn only_an_active_lease_gives_tokens_in_its_epochs() {
        let trader = Asker::User(party(TRADER, Roles::default()));
        for (name, stage) in stages() {
            let lease = lease(stage);
            let key = Asker::Key(lease.id);
            for epoch in 4..=8 {
                let expected = if name != "active" {
                    Err(MintError::NotActive(lease.state()))
                } else if (5..8).contains(&epoch) {
                    Ok(())
                } else {
                    Err(MintError::OutOfRange {
                        epoch,
                        window: lease.window,
                    })
                };
                assert_eq!(lease.may_mint(trader, epoch), expected, "{name} {epoch}");
                assert_eq!(lease.may_mint(key, epoch), expected, "{name} {epoch}");
            }
        }
    }

    #[test]
    fn whose_it_is_is_looked_at_before_its_state() {
        let staff = Roles {
            staff: true,
            ..Roles::default()
        };
        for (_, stage) in stages() {
            let lease = lease(stage);
            for (user, refusal) in [
                (party(STRANGER, Roles::default()), MintError::NotFound),
                (party(STRANGER, staff), MintError::Forbidden),
                (party(OWNER, Roles::default()), MintError::Forbidden),
            ] {
                assert_eq!(lease.may_mint(Asker::User(user), 5), Err(refusal));
            }
            // The key of another lease opens nothing here.
            let other = Asker::Key(id(77));
            assert_eq!(lease.may_mint(other, 5), Err(MintError::NotFound));
        }
    }
}
