//! People: signing in with a wallet, users, and the tokens that stand for them.

use super::Leasing;
use crate::{fault::Fault, refused::Refused};
use primitives::{PublicKey, Signature, Timestamp, Ulid};
use store::leasing::{Roles, User};

/// A text to sign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Challenge {
    /// The text.
    pub message: String,
    /// By which it is named when signed.
    pub nonce: String,
    /// Until when it can be used.
    pub expires_at: Timestamp,
}

/// Somebody who signed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedIn {
    /// What they send from now on. Shown once.
    pub token: String,
    /// Until when.
    pub expires_at: Timestamp,
    /// Who they are here, if they are somebody yet.
    pub user: Option<User>,
}

/// A sign-in that proves nothing: the nonce is unknown, used or too old, or the
/// signature is not one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotSignedIn;

/// Whose request it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Caller {
    /// A user's.
    User(User),
    /// Of somebody who signed in with this wallet and is no user yet.
    Unprovisioned(PublicKey),
}

/// What a user says of themselves.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Profile {
    /// 1 to 64 characters.
    pub display_name: Option<String>,
    /// 3 to 254 characters with an `@`.
    pub email: Option<String>,
}

/// What is wrong with a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProfileError {
    /// The name.
    DisplayName,
    /// The address.
    Email,
    /// Another user has this wallet (only for operators' users).
    WalletTaken,
}

/// A token that was just made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewToken {
    /// Its public id.
    pub id: String,
    /// What callers send. Shown once.
    pub token: String,
    /// Until when, if not for ever.
    pub expires_at: Option<Timestamp>,
}

/// A token without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenInfo {
    /// Its public id.
    pub id: String,
    /// What its user calls it.
    pub name: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// Until when, if not for ever.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
}

/// Why no token was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenError {
    /// A name has 1 to 64 characters.
    Name,
    /// It would have expired already.
    Expiry,
    /// The user has as many living tokens as one may have.
    TooMany,
    /// There is no such user (only for operators).
    NoUser,
}

/// Why a token was not revoked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenRevokeError {
    /// There is no such token, or it was revoked before.
    Unknown,
    /// It is another user's.
    NotOwner,
}

impl Leasing {
    /// A text for the holder of `address` to sign.
    pub async fn challenge(&self, address: PublicKey) -> Result<Challenge, Fault> {
        let _ = (self, address);
        Err(Fault::NoSolanaNode)
    }

    /// Signs in whoever signed a challenge, which is used up by it.
    pub async fn sign_in(
        &self,
        address: PublicKey,
        nonce: &str,
        signature: Signature,
    ) -> Result<SignedIn, Refused<NotSignedIn>> {
        let _ = (self, address, nonce, signature);
        Err(Fault::NoSolanaNode.into())
    }

    /// Whose bearer token this is; `None` if it is no living one.
    pub async fn recognise(&self, bearer: &str) -> Result<Option<Caller>, Fault> {
        let _ = (self, bearer);
        Err(Fault::NoSolanaNode)
    }

    /// Makes a user of somebody who signed in, a trader and a validator. Who is
    /// a user already stays as they are.
    pub async fn provision(
        &self,
        caller: &Caller,
        profile: &Profile,
    ) -> Result<User, Refused<ProfileError>> {
        let _ = (self, caller, profile);
        Err(Fault::NoSolanaNode.into())
    }

    /// Makes an API token of a user.
    pub async fn create_token(
        &self,
        user: Ulid,
        name: &str,
        expires_at: Option<Timestamp>,
    ) -> Result<NewToken, Refused<TokenError>> {
        let _ = (self, user, name, expires_at);
        Err(Fault::NoSolanaNode.into())
    }

    /// The API tokens of a user, the oldest first.
    pub async fn list_tokens(&self, user: Ulid) -> Result<Vec<TokenInfo>, Fault> {
        let _ = (self, user);
        Err(Fault::NoSolanaNode)
    }

    /// Revokes a token of a user.
    pub async fn revoke_token(
        &self,
        user: Ulid,
        id: &str,
    ) -> Result<(), Refused<TokenRevokeError>> {
        let _ = (self, user, id);
        Err(Fault::NoSolanaNode.into())
    }

    /// Makes a user, with or without a wallet to sign in with.
    pub async fn add_user(
        &self,
        address: Option<PublicKey>,
        profile: &Profile,
        roles: Roles,
    ) -> Result<User, Refused<ProfileError>> {
        let _ = (self, address, profile, roles);
        Err(Fault::NoSolanaNode.into())
    }

    /// Gives a user other roles. `false` if there is no such user.
    pub async fn set_roles(&self, user: Ulid, roles: Roles) -> Result<bool, Fault> {
        let _ = (self, user, roles);
        Err(Fault::NoSolanaNode)
    }

    /// Users in the order of their ids, after one, at most `limit`.
    pub async fn users(&self, after: Option<Ulid>, limit: u16) -> Result<Vec<User>, Fault> {
        let _ = (self, after, limit);
        Err(Fault::NoSolanaNode)
    }

    /// Lets a text that everybody knows stand for a user. For simulated networks.
    pub async fn publish_token(&self, user: Ulid, text: &str) -> Result<(), Fault> {
        let _ = (self, user, text);
        Err(Fault::NoSolanaNode)
    }
}
