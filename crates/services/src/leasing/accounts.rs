//! People: signing in, and users.

use super::{
    audit::Subject,
    caller::{Caller, Identity, Session},
    context::Context,
    names::is_name,
    secret::{self, Secret},
};
use crate::{fault::Fault, refused::Refused};
use leasing::{Roles, SignIn, verify_challenge};
use primitives::{PublicKey, Signature, Timestamp, Ulid, is_hidden};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use store::{
    StoreError,
    leasing::{Actor, ChallengeRow, SessionRow, TokenRow, User},
};

/// The people of a market. Clones share everything.
#[derive(Debug, Clone)]
pub struct Accounts(pub(super) Arc<Context>);

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

/// Why there is nothing here to sign out of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoSession {
    /// The credentials are no session.
    Lasting,
    /// The session is an issuer's, which alone can end it.
    External,
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
    /// It is empty, too long, or has hidden characters.
    DisplayName,
    /// The address.
    Email,
    /// Another user has this wallet (only for operators' users).
    WalletTaken,
    /// Nobody signed in.
    NoSession,
}

/// What a wallet shows above the fields.
const STATEMENT: &str = "Sign in to the lease market.";

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

impl Accounts {
    /// A text for the holder of `address` to sign.
    pub async fn challenge(&self, address: PublicKey) -> Result<Challenge, Fault> {
        let context = &*self.0;
        let now = context.now();
        let nonce = secret::random_word(&*context.entropy, 24);
        let expires_at = context.in_future(context.options.challenge_lifetime);
        let message = SignIn {
            domain: &context.options.domain,
            address,
            statement: STATEMENT,
            uri: &context.options.uri,
            chain_id: &context.options.chain_id,
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
        let mut tx = context.store.ledger().begin().await?;
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
        let context = &*self.0;
        let now = context.now();
        if !secret::is_word(nonce) {
            return Err(Refused::Rejected(NotSignedIn));
        }
        let mut tx = context.store.ledger().begin().await?;
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
        let secret = Secret::new(secret::SESSION, &*context.entropy);
        let session = SessionRow {
            digest: secret.digest(),
            id: secret.id,
            address,
            created_at: now,
            expires_at: context.in_future(context.options.session_lifetime),
        };
        tx.insert_session(&session).await?;
        tx.commit().await?;
        Ok(SignedIn {
            token: secret.text,
            expires_at: session.expires_at,
            user: context.store.ledger().user_of(address).await?,
        })
    }

    pub(super) async fn user_of(&self, identity: &Identity) -> Result<Option<User>, Fault> {
        let ledger = self.0.store.ledger();
        Ok(match identity {
            Identity::Wallet(address) => ledger.user_of(*address).await?,
            Identity::External(identity) => ledger.user_of_identity(identity).await?,
        })
    }

    /// Ends the session that a request came with.
    pub async fn sign_out(&self, caller: &Caller) -> Result<(), Refused<NoSession>> {
        let session = match caller {
            Caller::User { session, .. } => session.as_ref(),
            Caller::Unprovisioned(session) => Some(session),
            Caller::LeaseKey { .. } | Caller::Service { .. } => None,
        };
        let session = match session {
            Some(Session::Wallet { id, .. }) => id,
            Some(Session::External { .. }) => {
                return Err(Refused::Rejected(NoSession::External));
            }
            None => return Err(Refused::Rejected(NoSession::Lasting)),
        };
        let mut tx = self.0.store.ledger().begin().await?;
        // One that another request has ended is over, too.
        tx.delete_session(session).await?;
        Ok(tx.commit().await?)
    }

    /// Makes a user of somebody who signed in, a trader and a validator. Who is
    /// a user already stays as they are.
    pub async fn provision(
        &self,
        caller: &Caller,
        profile: &Profile,
    ) -> Result<User, Refused<ProfileError>> {
        let identity = match caller {
            Caller::User { user, .. } => return Ok(user.clone()),
            Caller::Unprovisioned(session) => session.identity(),
            Caller::LeaseKey { .. } | Caller::Service { .. } => {
                return Err(Refused::Rejected(ProfileError::NoSession));
            }
        };
        let roles = Roles {
            trader: true,
            validator: true,
            staff: false,
        };
        let made = self.insert_user(Some(&identity), profile, roles, None);
        match made.await {
            // The same one, twice at once: the other request was faster.
            Err(Refused::Rejected(ProfileError::WalletTaken)) => {
                let user = self.user_of(&identity).await?;
                user.ok_or(Refused::Rejected(ProfileError::WalletTaken))
            }
            made => made,
        }
    }

    /// Makes a user, with or without a wallet to sign in with.
    pub async fn add_user(
        &self,
        address: Option<PublicKey>,
        profile: &Profile,
        roles: Roles,
    ) -> Result<User, Refused<ProfileError>> {
        let identity = address.map(Identity::Wallet);
        self.insert_user(identity.as_ref(), profile, roles, Some(Actor::Operator))
            .await
    }

    /// Gives a user other roles. `false` if there is no such user.
    pub async fn set_roles(&self, user: Ulid, roles: Roles) -> Result<bool, Fault> {
        self.change_roles(user, roles, Actor::Operator).await
    }

    pub(super) async fn change_roles(
        &self,
        user: Ulid,
        roles: Roles,
        actor: Actor,
    ) -> Result<bool, Fault> {
        let context = &*self.0;
        let mut tx = context.store.ledger().begin().await?;
        if !tx.set_roles(user, roles).await? {
            return Ok(false);
        }
        let what = Subject::new("user", &user);
        context
            .audit(
                &mut tx,
                actor,
                "user.roles",
                what,
                &Value::Object(roles_json(roles)),
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
        let context = &*self.0;
        if let Some((_, mut user)) = context.store.ledger().token(token).await? {
            if user.roles != roles {
                self.set_roles(user.id, roles).await?;
                user.roles = roles;
            }
            return Ok(user);
        }
        let user = User {
            id: context.new_id(),
            address: None,
            display_name: Some(display_name.to_owned()),
            email: None,
            roles,
            created_at: context.now(),
        };
        let row = TokenRow {
            id: token.to_owned(),
            user: user.id,
            name: token.to_owned(),
            digest: secret::digest(token),
            created_at: context.now(),
            expires_at: None,
            revoked_at: None,
        };
        let mut tx = context.store.ledger().begin().await?;
        tx.insert_user(&user).await?;
        tx.insert_token(&row).await?;
        let what = Subject::new("user", &user.id);
        context
            .audit(
                &mut tx,
                Actor::Operator,
                "user.published",
                what,
                &Value::Object(roles_json(roles)),
            )
            .await?;
        tx.commit().await?;
        Ok(user)
    }

    /// Without an actor, the user did it.
    pub(super) async fn insert_user(
        &self,
        identity: Option<&Identity>,
        profile: &Profile,
        roles: Roles,
        actor: Option<Actor>,
    ) -> Result<User, Refused<ProfileError>> {
        let context = &*self.0;
        profile.check().map_err(Refused::Rejected)?;
        let (address, external) = match identity {
            Some(Identity::Wallet(address)) => (Some(*address), None),
            Some(Identity::External(external)) => (None, Some(external)),
            None => (None, None),
        };
        let user = User {
            id: context.new_id(),
            address,
            display_name: profile.display_name.clone(),
            email: profile.email.clone(),
            roles,
            created_at: context.now(),
        };
        let mut tx = context.store.ledger().begin().await?;
        let taken = |error| match error {
            StoreError::Exists { .. } => Refused::Rejected(ProfileError::WalletTaken),
            error => Refused::from(error),
        };
        tx.insert_user(&user).await.map_err(taken)?;
        let mut detail = roles_json(roles);
        if let Some(external) = external {
            tx.insert_identity(external, &user).await.map_err(taken)?;
            detail.insert("issuer".to_owned(), json!(external.issuer));
            detail.insert("subject".to_owned(), json!(external.subject));
        }
        let detail = Value::Object(detail);
        let actor = actor.unwrap_or(Actor::User(user.id));
        let what = Subject::new("user", &user.id);
        context
            .audit(&mut tx, actor, "user.added", what, &detail)
            .await?;
        tx.commit().await?;
        Ok(user)
    }
}

fn roles_json(roles: Roles) -> Map<String, Value> {
    let all = [
        ("trader", roles.trader),
        ("validator", roles.validator),
        ("staff", roles.staff),
    ];
    let all = all.map(|(role, is_held)| (role.to_owned(), json!(is_held)));
    all.into_iter().collect()
}
