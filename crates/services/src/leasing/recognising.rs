//! Whose bearer something is.

use super::{
    accounts::Accounts,
    caller::{Caller, Session},
    lease_keys::LeaseKeys,
    oidc::Issuer,
    secret::{self, Presented},
    service_tokens::ServiceTokens,
};
use crate::{fault::Fault, refused::Refused};
use std::sync::Arc;

impl Accounts {
    /// Whose bearer token this is; `None` if it is no living one.
    pub async fn recognise(&self, bearer: &str) -> Result<Option<Caller>, Fault> {
        let (ledger, now) = (self.0.store.ledger(), self.0.now());
        if let Some(issuer) = &self.0.options.issuer
            && Issuer::may_have_signed(bearer)
        {
            return self.recognise_external(issuer, bearer).await;
        }
        match Presented::parse(bearer) {
            None => Ok(None),
            Some(Presented::Session(id)) => {
                let session = ledger.session(id).await?.filter(|session| {
                    secret::is_digest_of(&session.digest, bearer) && now < session.expires_at
                });
                let Some(session) = session else {
                    return Ok(None);
                };
                let session = Session::Wallet {
                    address: session.address,
                    id: session.id,
                };
                self.signed_in(session).await.map(Some)
            }
            Some(Presented::LeaseKey(id)) => {
                let keys = LeaseKeys(Arc::clone(&self.0));
                let lease = keys.recognise(id, bearer).await?;
                Ok(lease.map(|lease| Caller::LeaseKey {
                    lease,
                    id: id.to_owned(),
                }))
            }
            Some(Presented::Service(id)) => {
                let tokens = ServiceTokens(Arc::clone(&self.0));
                let validator = tokens.recognise(id, bearer).await?;
                Ok(validator.map(|validator| Caller::Service {
                    validator,
                    id: id.to_owned(),
                }))
            }
            Some(Presented::Published(_)) if !self.0.options.published_tokens => Ok(None),
            Some(Presented::Token(id) | Presented::Published(id)) => {
                let token = ledger.token(id).await?.filter(|(token, _)| {
                    secret::is_digest_of(&token.digest, bearer) && token.is_living(now)
                });
                Ok(token.map(|(_, user)| Caller::User {
                    user,
                    session: None,
                }))
            }
        }
    }

    /// Whose token of an issuer this is; `None` if it is not good.
    async fn recognise_external(
        &self,
        issuer: &Issuer,
        token: &str,
    ) -> Result<Option<Caller>, Fault> {
        match issuer.verify(token, self.0.now()).await {
            Ok(vouched) => {
                let session = Session::External {
                    identity: vouched.identity,
                    is_staff: vouched.is_staff,
                };
                self.signed_in(session).await.map(Some)
            }
            Err(Refused::Rejected(flaw)) => {
                tracing::debug!(%flaw, "a token of a session was refused");
                Ok(None)
            }
            Err(Refused::Fault(fault)) => Err(fault),
        }
    }

    /// Who is signed in by a session. What it proves of their roles holds for
    /// this request.
    async fn signed_in(&self, session: Session) -> Result<Caller, Fault> {
        let Some(mut user) = self.user_of(&session.identity()).await? else {
            return Ok(Caller::Unprovisioned(session));
        };
        user.roles.staff |= session.proves_staff();
        let session = Some(session);
        Ok(Caller::User { user, session })
    }
}
