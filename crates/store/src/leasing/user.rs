//! People.

use primitives::{PublicKey, Timestamp, Ulid};

/// What a user may do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Roles {
    /// Book leases.
    pub trader: bool,
    /// Register validators.
    pub validator: bool,
    /// See and end what is others'.
    pub staff: bool,
}

/// Somebody with an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// The public id.
    pub id: Ulid,
    /// The wallet that they sign in with.
    pub address: Option<PublicKey>,
    /// What they call themselves.
    pub display_name: Option<String>,
    /// Where they can be reached.
    pub email: Option<String>,
    /// What they may do.
    pub roles: Roles,
    /// Since when.
    pub created_at: Timestamp,
}
