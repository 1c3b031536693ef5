//! Where windows are kept: in memory, or in Redis when replicas share them.

use super::{
    local::LocalWindows,
    window::{Decision, Policy},
};
use primitives::{Clock, SignedDuration, Timestamp};
use redis::{RedisError, Script, aio::ConnectionManager};
use std::{fmt, sync::Arc, time::Duration};

/// A shared limiter that does not answer in this time is passed over.
const REDIS_TIMEOUT: Duration = Duration::from_millis(250);

/// Counts a request and begins the window with the first one; answers the
/// count and the milliseconds left. One round trip, atomic.
const COUNT: &str = r"
local used = redis.call('INCR', KEYS[1])
if used == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return {used, redis.call('PTTL', KEYS[1])}
";

/// Decides whether a caller's request is admitted.
#[derive(Clone)]
pub struct RateLimiter {
    clock: Arc<dyn Clock>,
    local: Arc<LocalWindows>,
    shared: Option<Shared>,
}

#[derive(Clone)]
struct Shared {
    redis: ConnectionManager,
    count: Arc<Script>,
}

impl fmt::Debug for RateLimiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RateLimiter")
            .field("shared", &self.shared.is_some())
            .finish_non_exhaustive()
    }
}

impl RateLimiter {
    /// A limiter of this process alone.
    pub fn local(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            local: Arc::default(),
            shared: None,
        }
    }

    /// A limiter shared by every replica that uses the same Redis.
    pub async fn redis(url: &str, clock: Arc<dyn Clock>) -> Result<Self, RedisError> {
        let redis = ConnectionManager::new(redis::Client::open(url)?).await?;
        Ok(Self {
            shared: Some(Shared {
                redis,
                count: Arc::new(Script::new(COUNT)),
            }),
            ..Self::local(clock)
        })
    }

    /// Counts one request of `caller`. When Redis does not answer, this
    /// process counts by itself: a lost cache must not stop the service, nor
    /// lift the limit.
    pub async fn take(&self, caller: &str, policy: Policy) -> Decision {
        let now = self.clock.now();
        if let Some(shared) = &self.shared {
            match shared.take(caller, policy, now).await {
                Ok(decision) => return decision,
                Err(reason) => {
                    metrics::counter!("stoa_rate_limit_redis_failures_total").increment(1);
                    tracing::debug!(reason, "redis does not count, limiting locally");
                }
            }
        }
        self.local.take(caller, policy, now)
    }
}

impl Shared {
    async fn take(&self, caller: &str, policy: Policy, now: Timestamp) -> Result<Decision, String> {
        let mut redis = self.redis.clone();
        let mut call = self.count.prepare_invoke();
        call.key(format!(
            "stoa:rate:{}:{}:{caller}",
            policy.limit, policy.window_s
        ));
        call.arg(u64::from(policy.window_s) * 1_000);
        let (used, left_ms): (u32, i64) =
            tokio::time::timeout(REDIS_TIMEOUT, call.invoke_async(&mut redis))
                .await
                .map_err(|_| "no answer in time".to_owned())?
                .map_err(|error| error.to_string())?;
        let left = SignedDuration::from_millis(left_ms.max(0));
        let reset_at = now.checked_add(left).unwrap_or(Timestamp::MAX);
        Ok(Decision::after(used, policy, reset_at))
    }
}
