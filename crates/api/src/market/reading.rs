//! Reads a request against the newest snapshot, and notes everything that is
//! wrong with it.

use super::{
    MarketState,
    query::{QuoteQuery, Range, RangeQuery},
    view::View,
};
use crate::http::error::{Problems, Rejection, shown};
use axum::{
    extract::{FromRequestParts, Path},
    http::{Uri, request::Parts},
};
use market::{Token, TokenId};
use primitives::{Address, Timestamp};
use services::Snapshot;
use std::sync::Arc;
use utoipa::IntoParams;

/// A request that is being read.
pub(super) struct RequestReader<'a> {
    state: &'a MarketState,
    snapshot: Option<Arc<Snapshot>>,
    clock: Timestamp,
    missing: Option<Rejection>,
    pub(super) problems: Problems,
}

/// A token that a request names.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) token: Arc<Token>,
    /// Its place among those that have figures.
    pub(super) id: Option<TokenId>,
}

/// What prices are quoted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Currency {
    Usd,
    /// A token, which may have no figures.
    Token(Option<TokenId>),
}

impl<'a> RequestReader<'a> {
    pub(super) fn new(state: &'a MarketState) -> Self {
        Self {
            snapshot: state.snapshots.load(),
            clock: state.clock.now(),
            state,
            missing: None,
            problems: Problems::default(),
        }
    }

    pub(super) fn snapshot(&self) -> Option<&Snapshot> {
        self.snapshot.as_deref()
    }

    /// The market's time.
    pub(super) fn now(&self) -> i64 {
        let head = self.snapshot.as_ref().map(|it| it.figures.head_time());
        head.unwrap_or_default().max(self.clock.as_second())
    }

    /// The token of the path.
    pub(super) fn token(&mut self, asked: &str) -> Option<Found> {
        let address = self.address("tokenAddress", asked)?;
        let found = self.find(address);
        if found.is_none() && self.snapshot.is_some() {
            let asked = asked.to_owned();
            self.missing = Some(Rejection::UnknownToken { asked });
        }
        found
    }

    /// What prices are quoted in.
    pub(super) fn currency(&mut self, uri: &Uri) -> Option<Currency> {
        let query = QuoteQuery::of(uri);
        let Some(asked) = query.read(&mut self.problems) else {
            return Some(Currency::Usd);
        };
        let address = self.address("in, which must be USD or a token,", asked)?;
        let found = self.find(address);
        if found.is_none() && self.snapshot.is_some() {
            self.problems.add(format!(
                "in must be USD or the address of a known token, not {}",
                shown(asked)
            ));
        }
        found.map(|it| Currency::Token(it.id))
    }

    pub(super) fn range(&mut self, uri: &Uri) -> Option<Range> {
        let now = self.now();
        RangeQuery::of(uri).read(now, &mut self.problems)
    }

    /// The token of the path and the part of a series, where nothing else is
    /// asked for.
    pub(super) fn ranged(
        mut self,
        asked: &str,
        uri: &Uri,
    ) -> Result<(View, Found, Range), Rejection> {
        let token = self.token(asked);
        let range = self.range(uri);
        let (view, (token, range)) = self.finish(token.zip(range))?;
        Ok((view, token, range))
    }

    /// What to answer from, if everything was read.
    pub(super) fn finish<T>(mut self, read: Option<T>) -> Result<(View, T), Rejection> {
        if let Some(missing) = self.missing.take() {
            if self.state.dialect.unknown_token_is_not_found() && self.problems.is_empty() {
                return Err(missing);
            }
            self.problems.absorb(missing);
        }
        let now = self.now();
        self.problems.none()?;
        let snapshot = self.snapshot.ok_or(Rejection::NotReady)?;
        let view = View {
            snapshot,
            clock: self.clock,
            now,
        };
        // Nothing is left unread without a problem or a missing snapshot.
        Ok((view, read.ok_or(Rejection::Internal)?))
    }

    fn address(&mut self, name: &str, asked: &str) -> Option<Address> {
        match asked.parse() {
            Ok(address) => Some(address),
            Err(error) => {
                self.problems
                    .add(format!("{name} {} {error}", shown(asked)));
                None
            }
        }
    }

    fn find(&self, address: Address) -> Option<Found> {
        let snapshot = self.snapshot()?;
        let (_, token) = snapshot.tokens.by_address(address)?;
        Some(Found {
            token: Arc::clone(token),
            id: snapshot.figures.token(address),
        })
    }
}

/// The token of a path.
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
#[expect(dead_code, reason = "only describes the parameter")]
pub(super) struct TokenAddress {
    /// The token's address, padded or not.
    #[param(
        rename = "tokenAddress",
        example = "0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7"
    )]
    token_address: String,
}

/// The `{tokenAddress}` of a path, as it was written.
pub(super) struct TokenPath(pub(super) String);

impl<S: Send + Sync> FromRequestParts<S> for TokenPath {
    type Rejection = Rejection;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Rejection> {
        let path = Path::<String>::from_request_parts(parts, state).await;
        let Path(asked) = path.map_err(|_| {
            Rejection::invalid("tokenAddress must be percent-encoded UTF-8".to_owned())
        })?;
        Ok(Self(asked))
    }
}
