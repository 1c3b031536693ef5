//! Where windows and buckets are kept: in memory, or in Redis when replicas
//! share them.

use super::{
    bucket::{Bucket, Drawn},
    local::Local,
    window::{Decision, Policy, Window},
};
use crate::shared_redis::{SharedRedis, Unanswered};
use primitives::{Clock, SignedDuration, Timestamp};
use redis::Script;
use std::{fmt, sync::Arc};

/// Counts a request and begins the window with the first one; answers the
/// count and the milliseconds left. One round trip, atomic.
const COUNT: &str = r"
local used = redis.call('INCR', KEYS[1])
if used == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return {used, redis.call('PTTL', KEYS[1])}
";

/// Draws from a bucket, by the clock of Redis; answers how many microseconds
/// of filling it missed before. One round trip, atomic.
const DRAW: &str = r"
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local missing = tonumber(redis.call('GET', KEYS[1]) or now) - now
local price, size = tonumber(ARGV[1]), tonumber(ARGV[2])
missing = math.min(math.max(missing, 0), size)
local after = missing + price
if after <= size then
    redis.call('SET', KEYS[1], string.format('%.0f', now + after), 'PX', math.ceil(after / 1000))
end
return missing
";

/// Decides whether a caller's request is admitted.
#[derive(Clone)]
pub struct RateLimiter {
    clock: Arc<dyn Clock>,
    windows: Arc<Local<Window>>,
    buckets: Arc<Local<Bucket>>,
    shared: Option<Shared>,
}

#[derive(Clone)]
struct Shared {
    redis: SharedRedis,
    count: Arc<Script>,
    draw: Arc<Script>,
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
            windows: Arc::default(),
            buckets: Arc::default(),
            shared: None,
        }
    }

    /// A limiter shared by every replica that uses the same Redis.
    pub fn shared(redis: SharedRedis, clock: Arc<dyn Clock>) -> Self {
        Self {
            shared: Some(Shared {
                redis,
                count: Arc::new(Script::new(COUNT)),
                draw: Arc::new(Script::new(DRAW)),
            }),
            ..Self::local(clock)
        }
    }

    /// Counts one request of `caller` in its window. When Redis does not
    /// answer, this process counts by itself: a lost cache must not stop the
    /// service, nor lift the limit.
    pub async fn take(&self, caller: &str, policy: Policy) -> Decision {
        let now = self.clock.now();
        if let Some(shared) = &self.shared
            && let Some(decision) = heard(Box::pin(shared.take(caller, policy, now)).await)
        {
            return decision;
        }
        self.windows
            .count(caller, |before| Window::take(before, policy, now))
    }

    /// Takes one request of `caller` from its bucket. The same holds for a
    /// Redis that does not answer.
    pub async fn draw(&self, caller: &str, policy: Policy) -> Decision {
        let now = self.clock.now();
        if let Some(shared) = &self.shared
            && let Some(decision) = heard(Box::pin(shared.draw(caller, policy, now)).await)
        {
            return decision;
        }
        self.buckets
            .count(caller, |before| Bucket::draw(before, policy, now))
    }
}

/// What Redis answered, if it did.
fn heard(answer: Result<Decision, Unanswered>) -> Option<Decision> {
    let failed = |reason: &Unanswered| {
        metrics::counter!("stoa_rate_limit_redis_failures_total").increment(1);
        tracing::debug!(%reason, "redis does not count, limiting locally");
    };
    answer.inspect_err(failed).ok()
}

impl Shared {
    async fn take(
        &self,
        caller: &str,
        policy: Policy,
        now: Timestamp,
    ) -> Result<Decision, Unanswered> {
        let mut call = self.count.prepare_invoke();
        call.key(format!(
            "stoa:rate:{}:{}:{caller}",
            policy.limit, policy.window_s
        ));
        call.arg(u64::from(policy.window_s) * 1_000);
        let (used, left_ms): (u32, i64) = self.answer(&call).await?;
        let left = SignedDuration::from_millis(left_ms.max(0));
        let reset_at = now.checked_add(left).unwrap_or(Timestamp::MAX);
        Ok(Decision::after(used, policy, reset_at))
    }

    async fn draw(
        &self,
        caller: &str,
        policy: Policy,
        now: Timestamp,
    ) -> Result<Decision, Unanswered> {
        let whole = Drawn::at(0, policy);
        let mut call = self.draw.prepare_invoke();
        call.key(format!(
            "stoa:bucket:{}:{}:{caller}",
            policy.limit, policy.window_s
        ));
        call.arg(whole.price).arg(whole.size);
        let missing = self.answer(&call).await?;
        Ok(Drawn::at(missing, policy).decision(policy, now))
    }

    async fn answer<T: redis::FromRedisValue>(
        &self,
        call: &redis::ScriptInvocation<'_>,
    ) -> Result<T, Unanswered> {
        let question = async |redis: &mut _| call.invoke_async(redis).await;
        self.redis.ask(question).await
    }
}
