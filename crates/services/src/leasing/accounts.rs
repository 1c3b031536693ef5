//! People: signing in with a wallet, users, and the tokens that stand for them.

use super::{
    Inner, Leasing,
    audit::Subject,
    secret::{self, Presented, Secret},
};
use crate::{fault::Fault, refused::Refused};
use leasing::{Roles, SignIn, verify_challenge};
use primitives::{PublicKey, Signature, Timestamp, Ulid, is_hidden};
use serde_json::{Value, json};
use store::{
    StoreError,
    leasing::{Actor, ChallengeRow, SessionRow, TokenRow, User},
};

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
    /// 1 to 64 characters, none of them hidden.
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

/// Living tokens that a user may have.
const MAX_TOKENS: usize = 100;

/// What a wallet shows above the fields.
const STATEMENT: &str = "Sign in to the lease market.";

const MAX_NAME_CHARS: usize = 64;
const EMAIL_LENGTH: std::ops::RangeInclusive<usize> = 3..=254;

impl Profile {
    fn check(&self) -> Result<(), ProfileError> {
        if self
            .display_name
            .as_deref()
            .is_some_and(|name| !is_name(name))
        {
            return Err(ProfileError::DisplayName);
        }
        let is_email = |text: &str| {
            EMAIL_LENGTH.contains(&text.len())
                && text.split_once('@').is_some_and(|(user, host)| {
                    !user.is_empty() && !host.is_empty() && !host.contains('@')
                })
                && !text
                    .chars()
                    .any(|letter| is_hidden(letter) || letter.is_whitespace())
        };
        if self.email.as_deref().is_some_and(|text| !is_email(text)) {
            return Err(ProfileError::Email);
        }
        Ok(())
    }
}

fn is_name(text: &str) -> bool {
    !text.trim().is_empty()
        && text.chars().count() <= MAX_NAME_CHARS
        && !text.chars().any(is_hidden)
}

impl Leasing {
    /// A text for the holder of `address` to sign.
    pub async fn challenge(&self, address: PublicKey) -> Result<Challenge, Fault> {
        let inner = &*self.0;
        let now = inner.now();
        let nonce = secret::random_word(&*inner.entropy, 24);
        let expires_at = inner.in_future(inner.options.challenge_lifetime);
        let message = SignIn {
            domain: &inner.options.domain,
            address,
            statement: STATEMENT,
            uri: &inner.options.uri,
            chain_id: &inner.options.chain_id,
            nonce: &nonce,
            issued_at: now,
            expires_at,
        }
        .message();
        let row = ChallengeRow {
            nonce,
            address,
            message,
            expires_at,
        };
        let mut tx = inner.store.ledger().begin().await?;
        tx.insert_challenge(&row).await?;
        tx.commit().await?;
        Ok(Challenge {
            message: row.message,
            nonce: row.nonce,
            expires_at,
        })
    }

    /// Signs in whoever signed a challenge, which is used up by it.
    pub async fn sign_in(
        &self,
        address: PublicKey,
        nonce: &str,
        signature: Signature,
    ) -> Result<SignedIn, Refused<NotSignedIn>> {
        let inner = &*self.0;
        let now = inner.now();
        let mut tx = inner.store.ledger().begin().await?;
        let challenge = tx.take_challenge(nonce).await?;
        let proven = challenge.is_some_and(|challenge| {
            challenge.address == address
                && now < challenge.expires_at
                && verify_challenge(address, &challenge.message, signature).is_ok()
        });
        if !proven {
            // Whoever guesses has one guess.
            tx.commit().await?;
            return Err(Refused::Rejected(NotSignedIn));
        }
        let secret = Secret::new(secret::SESSION, &*inner.entropy);
        let session = SessionRow {
            digest: secret.digest(),
            id: secret.id,
            address,
            created_at: now,
            expires_at: inner.in_future(inner.options.session_lifetime),
        };
        tx.insert_session(&session).await?;
        tx.commit().await?;
        Ok(SignedIn {
            token: secret.text,
            expires_at: session.expires_at,
            user: inner.store.ledger().user_of(address).await?,
        })
    }

    /// Whose bearer token this is; `None` if it is no living one.
    pub async fn recognise(&self, bearer: &str) -> Result<Option<Caller>, Fault> {
        let (ledger, now) = (self.0.store.ledger(), self.0.now());
        match Presented::parse(bearer) {
            None => Ok(None),
            Some(Presented::Session(id)) => {
                let session = ledger.session(id).await?.filter(|session| {
                    secret::is_digest_of(&session.digest, bearer) && now < session.expires_at
                });
                let Some(session) = session else {
                    return Ok(None);
                };
                let user = ledger.user_of(session.address).await?;
                let caller = user.map_or(Caller::Unprovisioned(session.address), Caller::User);
                Ok(Some(caller))
            }
            Some(Presented::Token(id)) => {
                let token = ledger.token(id).await?.filter(|(token, _)| {
                    secret::is_digest_of(&token.digest, bearer)
                        && token.revoked_at.is_none()
                        && token.expires_at.is_none_or(|until| now < until)
                });
                Ok(token.map(|(_, user)| Caller::User(user)))
            }
        }
    }

    /// Makes a user of somebody who signed in, a trader and a validator. Who is
    /// a user already stays as they are.
    pub async fn provision(
        &self,
        caller: &Caller,
        profile: &Profile,
    ) -> Result<User, Refused<ProfileError>> {
        let address = match caller {
            Caller::User(user) => return Ok(user.clone()),
            Caller::Unprovisioned(address) => *address,
        };
        let roles = Roles {
            trader: true,
            validator: true,
            staff: false,
        };
        match self.insert_user(Some(address), profile, roles, None).await {
            // The same wallet, twice at once: the other request was faster.
            Err(Refused::Rejected(ProfileError::WalletTaken)) => {
                let user = self.0.store.ledger().user_of(address).await?;
                user.ok_or(Refused::Rejected(ProfileError::WalletTaken))
            }
            made => made,
        }
    }

    /// Makes an API token of a user.
    pub async fn create_token(
        &self,
        user: Ulid,
        name: &str,
        expires_at: Option<Timestamp>,
    ) -> Result<NewToken, Refused<TokenError>> {
        let inner = &*self.0;
        if !is_name(name) {
            return Err(Refused::Rejected(TokenError::Name));
        }
        let now = inner.now();
        if expires_at.is_some_and(|until| until <= now) {
            return Err(Refused::Rejected(TokenError::Expiry));
        }
        if inner.store.ledger().user(user).await?.is_none() {
            return Err(Refused::Rejected(TokenError::NoUser));
        }
        let tokens = inner.store.ledger().tokens_of(user).await?;
        let living = tokens.iter().filter(|token| token.revoked_at.is_none());
        if living.count() >= MAX_TOKENS {
            return Err(Refused::Rejected(TokenError::TooMany));
        }
        let secret = Secret::new(secret::TOKEN, &*inner.entropy);
        let row = TokenRow {
            digest: secret.digest(),
            id: secret.id,
            user,
            name: name.trim().to_owned(),
            created_at: now,
            expires_at,
            revoked_at: None,
        };
        inner.insert_token(&row).await?;
        Ok(NewToken {
            id: row.id,
            token: secret.text,
            expires_at,
        })
    }

    /// The API tokens of a user, the oldest first.
    pub async fn list_tokens(&self, user: Ulid) -> Result<Vec<TokenInfo>, Fault> {
        let tokens = self.0.store.ledger().tokens_of(user).await?;
        let info = |token: TokenRow| TokenInfo {
            id: token.id,
            name: token.name,
            created_at: token.created_at,
            expires_at: token.expires_at,
            revoked_at: token.revoked_at,
        };
        Ok(tokens.into_iter().map(info).collect())
    }

    /// Revokes a token of a user.
    pub async fn revoke_token(
        &self,
        user: Ulid,
        id: &str,
    ) -> Result<(), Refused<TokenRevokeError>> {
        let inner = &*self.0;
        let Some((token, _)) = inner.store.ledger().token(id).await? else {
            return Err(Refused::Rejected(TokenRevokeError::Unknown));
        };
        if token.user != user {
            return Err(Refused::Rejected(TokenRevokeError::NotOwner));
        }
        let mut tx = inner.store.ledger().begin().await?;
        if !tx.revoke_token(id, inner.now()).await? {
            return Err(Refused::Rejected(TokenRevokeError::Unknown));
        }
        let what = Subject::new("token", id);
        inner
            .audit(
                &mut tx,
                Actor::User(user),
                "token.revoked",
                what,
                &json!({}),
            )
            .await?;
        Ok(tx.commit().await?)
    }

    /// Makes a user, with or without a wallet to sign in with.
    pub async fn add_user(
        &self,
        address: Option<PublicKey>,
        profile: &Profile,
        roles: Roles,
    ) -> Result<User, Refused<ProfileError>> {
        self.insert_user(address, profile, roles, Some(Actor::Operator))
            .await
    }

    /// Gives a user other roles. `false` if there is no such user.
    pub async fn set_roles(&self, user: Ulid, roles: Roles) -> Result<bool, Fault> {
        let inner = &*self.0;
        let mut tx = inner.store.ledger().begin().await?;
        if !tx.set_roles(user, roles).await? {
            return Ok(false);
        }
        let what = Subject::new("user", &user);
        inner
            .audit(
                &mut tx,
                Actor::Operator,
                "user.roles",
                what,
                &roles_json(roles),
            )
            .await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Users in the order of their ids, after one, at most `limit`.
    pub async fn users(&self, after: Option<Ulid>, limit: u16) -> Result<Vec<User>, Fault> {
        Ok(self.0.store.ledger().users(after, limit).await?)
    }

    /// The user that a text which everybody knows stands for, with these
    /// roles; made if there is none. For simulated networks.
    pub async fn ensure_published(
        &self,
        display_name: &str,
        roles: Roles,
        token: &str,
    ) -> Result<User, Fault> {
        let inner = &*self.0;
        if let Some((_, mut user)) = inner.store.ledger().token(token).await? {
            if user.roles != roles {
                self.set_roles(user.id, roles).await?;
                user.roles = roles;
            }
            return Ok(user);
        }
        let user = User {
            id: inner.new_id(),
            address: None,
            display_name: Some(display_name.to_owned()),
            email: None,
            roles,
            created_at: inner.now(),
        };
        let row = TokenRow {
            id: token.to_owned(),
            user: user.id,
            name: token.to_owned(),
            digest: secret::digest(token),
            created_at: inner.now(),
            expires_at: None,
            revoked_at: None,
        };
        let mut tx = inner.store.ledger().begin().await?;
        tx.insert_user(&user).await?;
        tx.insert_token(&row).await?;
        let what = Subject::new("user", &user.id);
        inner
            .audit(
                &mut tx,
                Actor::Operator,
                "user.published",
                what,
                &roles_json(roles),
            )
            .await?;
        tx.commit().await?;
        Ok(user)
    }

    /// 32 random bytes under a name: made once, kept in the ledger, the same
    /// for all replicas.
    pub async fn kept_secret(&self, name: &'static str) -> Result<[u8; 32], Fault> {
        let fresh = self.0.entropy.bytes();
        Ok(self.0.store.ledger().secret(name, fresh).await?)
    }

    /// Without an actor, the user did it.
    async fn insert_user(
        &self,
        address: Option<PublicKey>,
        profile: &Profile,
        roles: Roles,
        actor: Option<Actor>,
    ) -> Result<User, Refused<ProfileError>> {
        let inner = &*self.0;
        profile.check().map_err(Refused::Rejected)?;
        let user = User {
            id: inner.new_id(),
            address,
            display_name: profile.display_name.clone(),
            email: profile.email.clone(),
            roles,
            created_at: inner.now(),
        };
        let mut tx = inner.store.ledger().begin().await?;
        match tx.insert_user(&user).await {
            Err(StoreError::Exists { .. }) => {
                return Err(Refused::Rejected(ProfileError::WalletTaken));
            }
            inserted => inserted?,
        }
        let actor = actor.unwrap_or(Actor::User(user.id));
        let what = Subject::new("user", &user.id);
        inner
            .audit(&mut tx, actor, "user.added", what, &roles_json(roles))
            .await?;
        tx.commit().await?;
        Ok(user)
    }
}

impl Inner {
    async fn insert_token(&self, token: &TokenRow) -> Result<(), Fault> {
        let mut tx = self.store.ledger().begin().await?;
        tx.insert_token(token).await?;
        let what = Subject::new("token", &token.id);
        let actor = Actor::User(token.user);
        self.audit(
            &mut tx,
            actor,
            "token.created",
            what,
            &json!({"name": token.name}),
        )
        .await?;
        Ok(tx.commit().await?)
    }
}

fn roles_json(roles: Roles) -> Value {
    json!({
        "trader": roles.trader,
        "validator": roles.validator,
        "staff": roles.staff,
    })
}
