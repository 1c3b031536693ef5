//! How many requests a caller may make, and who the caller is.

use super::{
    client_address::{AddressRange, ClientAddress},
    error::Rejection,
};
use axum::{
    extract::Request,
    http::{HeaderMap, HeaderName, HeaderValue},
};
use primitives::Clock;
use services::{ApiKeys, Decision, KeyCaller, Policy, RateLimiter, Recollection};
use std::sync::Arc;

pub(crate) const X_API_KEY: HeaderName = HeaderName::from_static("x-api-key");
const X_RATELIMIT_LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const X_RATELIMIT_REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const X_RATELIMIT_RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");

/// Keys of one address that are looked up in the store without costing it a
/// request. A key that is met for the first time must not depend on what others
/// at its address have used up; nor may guessing be free without end.
const LOOKUPS: Policy = Policy {
    limit: 100,
    window_s: 300,
};

/// The tiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimits {
    /// Callers without a key, each by address.
    pub public: Policy,
    /// Callers with a valid key, each by key.
    pub keyed: Policy,
}

impl RateLimits {
    /// What a key gives, if that is more.
    fn wider(self) -> Option<Policy> {
        let pace = |policy: Policy, other: Policy| {
            u64::from(policy.limit).saturating_mul(u64::from(other.window_s))
        };
        (pace(self.keyed, self.public) > pace(self.public, self.keyed)).then_some(self.keyed)
    }
}

impl Default for RateLimits {
    fn default() -> Self {
        Self {
            public: Policy {
                limit: 300,
                window_s: 300,
            },
            keyed: Policy {
                limit: 6_000,
                window_s: 300,
            },
        }
    }
}

/// Who asks.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    address: ClientAddress,
    key: PresentedKey,
}

#[derive(Debug, Clone)]
enum PresentedKey {
    None,
    One(String),
    /// Several, or something that is no text.
    Unreadable,
}

/// Counts requests and recognises keys.
#[derive(Debug)]
pub(crate) struct Limits {
    tiers: Option<RateLimits>,
    trusted: Vec<AddressRange>,
    limiter: RateLimiter,
    keys: ApiKeys,
    clock: Arc<dyn Clock>,
}

impl Limits {
    pub(crate) fn new(
        tiers: Option<RateLimits>,
        trusted: Vec<AddressRange>,
        limiter: RateLimiter,
        keys: ApiKeys,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            tiers,
            trusted,
            limiter,
            keys,
            clock,
        }
    }

    pub(crate) fn caller(&self, request: &Request) -> Caller {
        self.caller_with(request, &[])
    }

    /// The same where a key may also be in one of these headers.
    pub(crate) fn caller_with(&self, request: &Request, others: &[HeaderName]) -> Caller {
        let headers = request.headers();
        let others = others.iter().find(|name| headers.contains_key(*name));
        Caller {
            address: ClientAddress::of(request.extensions(), headers, &self.trusted),
            key: presented_key(headers, others.unwrap_or(&X_API_KEY)),
        }
    }

    /// Lets the caller pass or not. The window that counted the request is
    /// left in `counted`.
    ///
    /// A key that is not known yet is looked up first, and costs its address a
    /// request only if it is none. Beyond [`LOOKUPS`] it costs one before the
    /// store is asked: guessing keys is as limited as anything else.
    pub(crate) async fn admit(
        &self,
        caller: Caller,
        counted: &mut Option<Decision>,
    ) -> Result<(), Rejection> {
        let secret = match caller.key {
            PresentedKey::None => return self.count_address(&caller.address, counted).await,
            PresentedKey::Unreadable => {
                self.count_address(&caller.address, counted).await?;
                return Err(Rejection::UnknownKey);
            }
            PresentedKey::One(secret) => secret,
        };
        let costs_a_request = match self.keys.recall(&secret) {
            Recollection::Caller(key) => return self.count_key(&key, counted).await,
            Recollection::Former => false,
            Recollection::Stranger => true,
            Recollection::Nothing => !self.may_look_up(&caller.address).await,
        };
        if costs_a_request {
            self.count_address(&caller.address, counted).await?;
        }
        // Apart, since it is seldom asked and large.
        if let Some(key) = Box::pin(self.keys.recognise(&secret)).await? {
            return self.count_key(&key, counted).await;
        }
        if !costs_a_request {
            self.count_address(&caller.address, counted).await?;
        }
        Err(Rejection::UnknownKey)
    }

    /// Whether a further unknown key of an address is looked up for nothing.
    async fn may_look_up(&self, address: &ClientAddress) -> bool {
        if self.tiers.is_none() {
            return true;
        }
        let lookups = format!("lookups:{}", address.key());
        self.limiter.take(&lookups, LOOKUPS).await.admitted
    }

    async fn count_address(
        &self,
        address: &ClientAddress,
        counted: &mut Option<Decision>,
    ) -> Result<(), Rejection> {
        match self.tiers {
            Some(tiers) => {
                let caller = address.key();
                self.count(&caller, tiers.public, tiers.wider(), counted)
                    .await
            }
            None => Ok(()),
        }
    }

    async fn count_key(
        &self,
        key: &KeyCaller,
        counted: &mut Option<Decision>,
    ) -> Result<(), Rejection> {
        match self.tiers {
            Some(tiers) => {
                let caller = format!("key:{}", key.id);
                self.count(&caller, tiers.keyed, None, counted).await
            }
            None => Ok(()),
        }
    }

    async fn count(
        &self,
        caller: &str,
        policy: Policy,
        with_key: Option<Policy>,
        counted: &mut Option<Decision>,
    ) -> Result<(), Rejection> {
        let decision = self.limiter.take(caller, policy).await;
        *counted = Some(decision);
        if decision.admitted {
            Ok(())
        } else {
            Err(Rejection::TooManyRequests {
                policy,
                retry_after_s: decision.retry_after_s(self.clock.now()),
                with_key,
            })
        }
    }
}

fn presented_key(headers: &HeaderMap, name: &HeaderName) -> PresentedKey {
    let mut keys = headers.get_all(name).iter();
    match (keys.next(), keys.next()) {
        (None, _) => PresentedKey::None,
        (Some(key), None) => key.to_str().map_or(PresentedKey::Unreadable, |key| {
            PresentedKey::One(key.to_owned())
        }),
        (Some(_), Some(_)) => PresentedKey::Unreadable,
    }
}

/// Tells the caller where it stands.
pub(crate) fn write_headers(decision: &Decision, headers: &mut HeaderMap) {
    let reset = decision.reset_at;
    let up = i64::from(reset.subsec_nanosecond() > 0);
    let reset_s = reset.as_second().saturating_add(up);
    let reset_s = u64::try_from(reset_s).unwrap_or(0);
    headers.insert(X_RATELIMIT_LIMIT, number(decision.limit.into()));
    headers.insert(X_RATELIMIT_REMAINING, number(decision.remaining.into()));
    headers.insert(X_RATELIMIT_RESET, number(reset_s));
}

/// A number as a header has it. `HeaderValue::from` takes twice as long.
fn number(number: u64) -> HeaderValue {
    let mut digits = itoa::Buffer::new();
    HeaderValue::from_str(digits.format(number)).unwrap_or_else(|_| HeaderValue::from(number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_are_written_as_usual(any: u64, bits in 0_u32..64) {
            for it in [any >> bits, 0, u64::MAX] {
                prop_assert_eq!(number(it), HeaderValue::from(it));
            }
        }
    }
}
