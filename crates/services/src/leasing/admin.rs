//! What staff does with people.

use super::{
    accounts::{Accounts, Profile, ProfileError},
    caller::Identity,
    page::Page,
    strays::NotStaff,
};
use crate::refused::Refused;
use leasing::Roles;
use primitives::{PublicKey, Ulid};
use store::leasing::{Actor, User};

/// What staff does with people. Clones share everything.
#[derive(Debug, Clone)]
pub struct Admin(pub(super) Accounts);

/// Why a user was not made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddUserError {
    /// Only staff may.
    NotStaff,
    /// Nobody could ever be told apart from them: neither a wallet nor an
    /// e-mail address.
    Nameless,
    /// A field of the profile is wrong, or another user's.
    Profile(ProfileError),
}

/// Why a user did not get other roles, in the order of the checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RolesError {
    /// Only staff may.
    NotStaff,
    /// There is no such user.
    NotFound,
    /// Staff does not lock itself out: somebody else has to.
    OwnRole,
}

impl Admin {
    /// All users, in the order in which they came.
    pub async fn users(
        &self,
        staff: &User,
        after: Option<Ulid>,
        limit: u16,
    ) -> Result<Page<User, Ulid>, Refused<NotStaff>> {
        if !staff.roles.staff {
            return Err(Refused::Rejected(NotStaff));
        }
        let more = limit.saturating_add(1);
        let users = self.0.users(after, more).await.map_err(Refused::Fault)?;
        Ok(Page::new(users, usize::from(limit), |user| user.id))
    }

    /// Makes a user who can sign in with a wallet, or is known by an address.
    pub async fn add_user(
        &self,
        staff: &User,
        address: Option<PublicKey>,
        profile: &Profile,
        roles: Roles,
    ) -> Result<User, Refused<AddUserError>> {
        if !staff.roles.staff {
            return Err(Refused::Rejected(AddUserError::NotStaff));
        }
        if address.is_none() && profile.email.is_none() {
            return Err(Refused::Rejected(AddUserError::Nameless));
        }
        let actor = Actor::User(staff.id);
        let identity = address.map(Identity::Wallet);
        let added = self
            .0
            .insert_user(identity.as_ref(), profile, roles, Some(actor))
            .await;
        added.map_err(|refused| refused.map(AddUserError::Profile))
    }

    /// Gives a user these roles and no others, from their next request on.
    pub async fn set_roles(
        &self,
        staff: &User,
        user: Ulid,
        roles: Roles,
    ) -> Result<User, Refused<RolesError>> {
        let reject = |error| Err(Refused::Rejected(error));
        if !staff.roles.staff {
            return reject(RolesError::NotStaff);
        }
        let Some(mut found) = self.0.0.store.ledger().user(user).await? else {
            return reject(RolesError::NotFound);
        };
        if user == staff.id && !roles.staff {
            return reject(RolesError::OwnRole);
        }
        let actor = Actor::User(staff.id);
        if !self.0.change_roles(user, roles, actor).await? {
            return reject(RolesError::NotFound);
        }
        found.roles = roles;
        Ok(found)
    }
}
