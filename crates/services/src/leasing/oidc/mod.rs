//! Sessions that an external issuer vouches for, by `OpenID` Connect.
//!
//! Somebody signs in at the issuer and sends the JWT that it signed for this
//! market. [`Issuer`] says whom it is of, or why it is not good. It promises that
//! a token counts only if the issuer signed it for the configured audience and
//! its time is now; that the issuer is asked for its keys seldom, by one request
//! at a time and within bounds, whatever tokens are sent; and that keys which the
//! issuer withdraws are forgotten. How soon is in `docs/leasing.md`.

mod key;
mod key_ring;
mod provider;
mod secure_url;
mod token;

pub use provider::IssuerError;
pub use secure_url::{NotSecureUrl, SecureUrl};
pub use token::MAX_TOKEN_BYTES;

use crate::refused::Refused;
use key_ring::{Found, KeyRing};
use primitives::Timestamp;
use provider::Provider;
use store::leasing::ExternalIdentity;
use token::{Token, TokenFlaw};

/// Whom to believe, and for what.
#[derive(Debug, Clone)]
pub struct IssuerOptions {
    /// The issuer, exactly as its tokens name it.
    pub issuer: SecureUrl,
    /// For whom its tokens must be.
    pub audience: String,
    /// Where its keys are, if that is not to be read from its description.
    pub jwks_url: Option<SecureUrl>,
    /// The claim that lists the groups that somebody is in: a name, or a path
    /// with dots.
    pub groups_claim: String,
    /// The group whose members are staff.
    pub staff_group: Option<String>,
}

/// An issuer of sessions. Clones share its keys.
#[derive(Debug, Clone)]
pub struct Issuer {
    options: IssuerOptions,
    keys: KeyRing,
}

/// Somebody for whom an issuer vouches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Vouched {
    /// Whom.
    pub(super) identity: ExternalIdentity,
    /// Whether they are in the group of staff.
    pub(super) is_staff: bool,
}

/// What an issuer has to verify tokens with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssuerKeys {
    /// How many keys there are that can be used.
    pub count: usize,
}

impl Issuer {
    /// An issuer, which is asked for its keys when the first token comes.
    pub fn new(options: IssuerOptions) -> Result<Self, IssuerError> {
        let provider = Provider::new(options.issuer.clone(), options.jwks_url.clone())?;
        Ok(Self {
            keys: KeyRing::new(provider),
            options,
        })
    }

    /// Whether a bearer has the form of a token: no credentials of ours have a
    /// dot.
    pub(super) fn may_have_signed(bearer: &str) -> bool {
        bearer.contains('.')
    }

    /// Whom a token is of.
    pub(super) async fn verify(
        &self,
        text: &str,
        now: Timestamp,
    ) -> Result<Vouched, Refused<TokenFlaw>> {
        let token = Token::read(text).map_err(Refused::Rejected)?;
        let issuer = self.options.issuer.as_str();
        // What could never be good does not make anybody look for keys.
        let checked = token.check(issuer, &self.options.audience, now);
        checked.map_err(Refused::Rejected)?;
        let keys = match self.keys.having(token.kid(), now).await? {
            Found::Keys(keys) => keys,
            Found::NoSuchKey => return Err(Refused::Rejected(TokenFlaw::UnknownKey)),
        };
        if !keys.iter().any(|key| token.is_signed_by(key)) {
            return Err(Refused::Rejected(TokenFlaw::Signature));
        }
        let groups = &self.options.groups_claim;
        let staff = self.options.staff_group.as_deref();
        Ok(Vouched {
            identity: ExternalIdentity {
                issuer: issuer.to_owned(),
                subject: token.subject().to_owned(),
            },
            is_staff: staff.is_some_and(|group| token.is_in_group(groups, group)),
        })
    }

    /// Asks the issuer for its keys and keeps nothing: whether it can be used.
    pub async fn probe(&self) -> Result<IssuerKeys, IssuerError> {
        let keys = self.keys.provider().keys().await?;
        Ok(IssuerKeys { count: keys.len() })
    }
}
