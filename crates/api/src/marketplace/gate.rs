//! Who asks, and whether they may ask once more. Every handler begins with one
//! of these extractors, which says what it needs to know of its caller:
//! credentials are looked at first, then the bucket.

use super::{MarketplaceState, buckets::Bucket, catalog::Slug, problem::Problem};
use axum::{
    extract::{FromRequestParts, MatchedPath},
    http::{HeaderMap, header::AUTHORIZATION, request::Parts},
};
use leasing::Asker;
use primitives::Ulid;
use services::leasing::{Caller, MAX_TOKEN_BYTES, User};

/// Anyone, whatever credentials they send.
#[derive(Debug)]
pub(super) struct Anyone;

/// Somebody who may have credentials; if so, they must be good.
#[derive(Debug)]
pub(super) struct Visitor(pub(super) Option<Caller>);

/// Somebody who has signed in, a user or not.
#[derive(Debug)]
pub(super) struct SignedIn(pub(super) Caller);

/// A user.
#[derive(Debug)]
pub(super) struct Member(pub(super) User);

/// Whoever acts for staff: a user. That they are staff is still to be seen.
#[derive(Debug)]
pub(super) struct Acting(pub(super) User);

/// A user, or whoever has the key of a lease.
#[derive(Debug)]
pub(super) struct Holder(pub(super) Asker);

/// The gateway of this validator.
#[derive(Debug)]
pub(super) struct Reporter(pub(super) Ulid);

impl Visitor {
    /// The user, if it is one.
    pub(super) fn user(&self) -> Option<&User> {
        match &self.0 {
            Some(Caller::User { user, .. }) => Some(user),
            Some(Caller::Unprovisioned(_) | Caller::LeaseKey { .. } | Caller::Service { .. })
            | None => None,
        }
    }
}

/// The credentials that a request shows.
enum Bearer<'a> {
    None,
    One(&'a str),
    /// Several, or something that is no bearer token.
    Unreadable,
}

fn bearer(headers: &HeaderMap) -> Bearer<'_> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let (value, None) = (values.next(), values.next()) else {
        return Bearer::Unreadable;
    };
    let Some(value) = value else {
        return Bearer::None;
    };
    let split = value.to_str().ok().and_then(|text| text.split_once(' '));
    match split.map(|(scheme, token)| (scheme, token.trim())) {
        Some((scheme, token))
            if scheme.eq_ignore_ascii_case("bearer")
                && (1..=MAX_TOKEN_BYTES).contains(&token.len()) =>
        {
            Bearer::One(token)
        }
        _ => Bearer::Unreadable,
    }
}

/// The caller of good credentials; `None` if there are none.
///
/// Credentials are looked at first: good ones do not depend on what others at
/// their address have used up. Bad ones cost the address a request. Those that
/// were not seen before are looked up so often per address, and beyond that cost
/// a request before the store is asked: guessing is as limited as anything else.
async fn recognise(state: &MarketplaceState, parts: &Parts) -> Result<Option<Caller>, Problem> {
    let token = match bearer(&parts.headers) {
        Bearer::None => return Ok(None),
        Bearer::Unreadable => {
            state.count_address(parts, Bucket::Other).await.ok();
            return Err(Problem::plain(Slug::AuthRequired));
        }
        Bearer::One(token) => token,
    };
    let is_free = state.known_bearers().has(token) || state.may_look_up(parts).await;
    if !is_free {
        state.count_address(parts, Bucket::Other).await?;
    }
    let caller = state.leasing().accounts.recognise(token).await?;
    state.known_bearers().note(token, caller.is_some());
    if caller.is_none() {
        if is_free {
            state.count_address(parts, Bucket::Other).await?;
        }
        return Err(Problem::plain(Slug::AuthRequired));
    }
    Ok(caller)
}

fn bucket(parts: &Parts) -> Bucket {
    let path = parts.extensions.get::<MatchedPath>();
    Bucket::of(&parts.method, path.map_or("", MatchedPath::as_str))
}

impl FromRequestParts<MarketplaceState> for Anyone {
    type Rejection = Problem;

    async fn from_request_parts(
        parts: &mut Parts,
        state: &MarketplaceState,
    ) -> Result<Self, Problem> {
        state.count_address(parts, bucket(parts)).await?;
        Ok(Self)
    }
}

impl FromRequestParts<MarketplaceState> for Visitor {
    type Rejection = Problem;

    async fn from_request_parts(
        parts: &mut Parts,
        state: &MarketplaceState,
    ) -> Result<Self, Problem> {
        let caller = recognise(state, parts).await?;
        match &caller {
            Some(caller) => state.count_caller(parts, caller, bucket(parts)).await?,
            None => state.count_address(parts, bucket(parts)).await?,
        }
        if let Some(problem) = caller.as_ref().and_then(out_of_scope) {
            return Err(problem);
        }
        Ok(Self(caller))
    }
}

impl FromRequestParts<MarketplaceState> for SignedIn {
    type Rejection = Problem;

    async fn from_request_parts(
        parts: &mut Parts,
        state: &MarketplaceState,
    ) -> Result<Self, Problem> {
        let caller = counted(state, parts).await?;
        match out_of_scope(&caller) {
            Some(problem) => Err(problem),
            None => Ok(Self(caller)),
        }
    }
}

/// Who asks with credentials of whatever kind, counted by them; without any it is
/// counted by the address, and refused.
async fn counted(state: &MarketplaceState, parts: &mut Parts) -> Result<Caller, Problem> {
    let Some(caller) = recognise(state, parts).await? else {
        state.count_address(parts, Bucket::Other).await.ok();
        return Err(Problem::plain(Slug::AuthRequired));
    };
    state.count_caller(parts, &caller, bucket(parts)).await?;
    Ok(caller)
}

/// Why credentials that are for one thing alone are not for anything else.
fn out_of_scope(caller: &Caller) -> Option<Problem> {
    match caller {
        Caller::User { .. } | Caller::Unprovisioned(_) => None,
        Caller::LeaseKey { .. } => Some(only_its_lease()),
        Caller::Service { .. } => Some(only_reports()),
    }
}

fn only_its_lease() -> Problem {
    let told = "the key of a lease reads that lease and mints its tokens, and nothing else";
    Problem::new(Slug::Forbidden, told)
}

fn only_reports() -> Problem {
    let told = "a service token reports the use of its validator's leases, and nothing else";
    Problem::new(Slug::Forbidden, told)
}

impl FromRequestParts<MarketplaceState> for Holder {
    type Rejection = Problem;

    async fn from_request_parts(
        parts: &mut Parts,
        state: &MarketplaceState,
    ) -> Result<Self, Problem> {
        match counted(state, parts).await? {
            Caller::User { user, .. } => Ok(Self(Asker::User(user.party()))),
            Caller::LeaseKey { lease, .. } => Ok(Self(Asker::Key(lease))),
            Caller::Unprovisioned(_) => Err(Problem::plain(Slug::UserNotProvisioned)),
            Caller::Service { .. } => Err(only_reports()),
        }
    }
}

impl FromRequestParts<MarketplaceState> for Reporter {
    type Rejection = Problem;

    async fn from_request_parts(
        parts: &mut Parts,
        state: &MarketplaceState,
    ) -> Result<Self, Problem> {
        match counted(state, parts).await? {
            Caller::Service { validator, .. } => Ok(Self(validator)),
            Caller::User { .. } | Caller::Unprovisioned(_) | Caller::LeaseKey { .. } => {
                let told = "usage is reported with a service token of the validator";
                Err(Problem::new(Slug::Forbidden, told))
            }
        }
    }
}

impl FromRequestParts<MarketplaceState> for Member {
    type Rejection = Problem;

    async fn from_request_parts(
        parts: &mut Parts,
        state: &MarketplaceState,
    ) -> Result<Self, Problem> {
        let SignedIn(caller) = SignedIn::from_request_parts(parts, state).await?;
        member(caller).map(Self)
    }
}

/// The user that a caller is.
fn member(caller: Caller) -> Result<User, Problem> {
    match caller {
        Caller::User { user, .. } => Ok(user),
        Caller::Unprovisioned(_) => Err(Problem::plain(Slug::UserNotProvisioned)),
        Caller::LeaseKey { .. } => Err(only_its_lease()),
        Caller::Service { .. } => Err(only_reports()),
    }
}

impl FromRequestParts<MarketplaceState> for Acting {
    type Rejection = Problem;

    async fn from_request_parts(
        parts: &mut Parts,
        state: &MarketplaceState,
    ) -> Result<Self, Problem> {
        let SignedIn(caller) = SignedIn::from_request_parts(parts, state).await?;
        match caller {
            Caller::Unprovisioned(session) if session.proves_staff() => {
                tracing::error!("staff by an issuer's word has no user: POST /v1/users makes one");
                Err(Problem::plain(Slug::AdminUserNotProvisioned))
            }
            caller => member(caller).map(Self),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn token(values: &[&'static str]) -> Option<String> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(AUTHORIZATION, HeaderValue::from_static(value));
        }
        match bearer(&headers) {
            Bearer::One(token) => Some(token.to_owned()),
            Bearer::None => Some(String::new()),
            Bearer::Unreadable => None,
        }
    }

    #[test]
    fn credentials_are_one_bearer_token() {
        assert_eq!(token(&["Bearer abc"]).as_deref(), Some("abc"));
        assert_eq!(token(&["bearer  abc "]).as_deref(), Some("abc"));
        assert_eq!(token(&[]).as_deref(), Some(""));
        for wrong in [
            &["Bearer"] as &[_],
            &["Bearer "],
            &["abc"],
            &["Basic abc"],
            &["Bearer a", "Bearer b"],
        ] {
            assert_eq!(token(wrong), None, "{wrong:?}");
        }
    }
}
