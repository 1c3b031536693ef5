//! Whose request it is.

use primitives::{PublicKey, Ulid};
use store::leasing::{ExternalIdentity, User};

/// Whose request it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Caller {
    /// A user's.
    User {
        /// The user, with the roles that they have by this request.
        user: User,
        /// The session, if that is how they are known.
        session: Option<Session>,
    },
    /// Of somebody who signed in and is no user yet.
    Unprovisioned(Session),
    /// Of whoever has the key of a lease: they read it and mint its tokens.
    LeaseKey {
        /// The only lease that the key opens.
        lease: Ulid,
        /// The key's public part.
        id: String,
    },
    /// Of a validator's gateway: it reports usage.
    Service {
        /// The only one whose leases it may report of.
        validator: Ulid,
        /// The token's public part.
        id: String,
    },
}

/// Somebody's being signed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Session {
    /// A wallet signed in here.
    Wallet {
        /// The wallet.
        address: PublicKey,
        /// By which it is kept.
        id: String,
    },
    /// An issuer vouches for them, until its token ends.
    External {
        /// Whom it vouches for.
        identity: ExternalIdentity,
        /// Whether it says that they are staff.
        is_staff: bool,
    },
}

impl Session {
    /// Whether it proves by itself that somebody is staff.
    pub fn proves_staff(&self) -> bool {
        match self {
            Self::Wallet { .. } => false,
            Self::External { is_staff, .. } => *is_staff,
        }
    }

    pub(super) fn identity(&self) -> Identity {
        match self {
            Self::Wallet { address, .. } => Identity::Wallet(*address),
            Self::External { identity, .. } => Identity::External(identity.clone()),
        }
    }
}

/// By what somebody is told apart from everybody else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Identity {
    /// The wallet that they sign in with.
    Wallet(PublicKey),
    /// What an issuer calls them.
    External(ExternalIdentity),
}
