//! A Redis that hangs, dies and comes back: requests go on without it at once,
//! and with it soon after.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use primitives::{Clock, ManualClock, SignedDuration, Timestamp};
use services::{Policy, RateLimiter, RedisState, SharedRedis};
use std::{sync::Arc, time::Duration};
use tokio::time::Instant;
use world::{Log, OwnRedis};

const POLICY: Policy = Policy {
    limit: 1_000,
    window_s: 60,
};

/// What one request waits for Redis at most.
const PATIENCE: Duration = Duration::from_millis(250);

struct Replica {
    redis: SharedRedis,
    limiter: RateLimiter,
    clock: Arc<ManualClock>,
}

impl Replica {
    async fn of(own: &OwnRedis) -> Self {
        let clock = Arc::new(ManualClock::new(Timestamp::UNIX_EPOCH));
        let time = || Arc::clone(&clock) as Arc<dyn Clock>;
        let redis = SharedRedis::connect(&own.url(), time()).await.unwrap();
        let limiter = RateLimiter::shared(redis.clone(), time());
        Self {
            redis,
            limiter,
            clock,
        }
    }

    /// How many requests are left to the caller after this one.
    async fn ask(&self) -> u32 {
        self.limiter.take("caller", POLICY).await.remaining
    }

    /// What 100 requests, one after another, wait for together.
    async fn hundred(&self) -> Duration {
        let began = Instant::now();
        for _ in 0..100 {
            self.ask().await;
        }
        began.elapsed()
    }

    /// Asks until Redis counts again, as somebody always does.
    async fn recover(&self) {
        for _ in 0..100 {
            self.clock.advance(SignedDuration::from_secs(2));
            self.ask().await;
            if self.redis.state() == RedisState::Asked {
                return;
            }
        }
        panic!("redis answers, but is not asked");
    }
}

/// Tests here take turns: what one thread logs first decides for all of them
/// whether a line is written.
static TURN: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

#[tokio::test]
async fn a_redis_that_hangs_costs_a_few_waits_and_counts_again_once_it_answers() {
    let _turn = TURN.lock().await;
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt()
        .with_ansi(false)
        .with_writer(log.clone())
        .finish();
    let recorder = metrics_exporter_prometheus::PrometheusBuilder::new().build_recorder();
    let _log = tracing::subscriber::set_default(subscriber);
    let _metrics = metrics::set_default_local_recorder(&recorder);
    let is_up = |up: u8| {
        let figures = recorder.handle().render();
        assert!(
            figures.contains(&format!("stoa_redis_up {up}")),
            "{figures}"
        );
    };

    let own = OwnRedis::start();
    let replica = Replica::of(&own).await;
    assert_eq!(replica.ask().await, 999);
    is_up(1);
    own.hang();
    let waited = replica.hundred().await;
    assert!(waited < 8 * PATIENCE, "{waited:?}");
    assert_eq!(replica.redis.state(), RedisState::LeftAlone);
    is_up(0);
    // One tries after each pause, and nobody else waits.
    for _ in 0..2 {
        replica.clock.advance(SignedDuration::from_secs(2));
        let waited = replica.hundred().await;
        assert!(waited < 4 * PATIENCE, "{waited:?}");
        assert_eq!(replica.redis.state(), RedisState::LeftAlone);
    }
    own.go_on();
    replica.recover().await;
    is_up(1);
    // 300 were counted here alone.
    assert!(replica.ask().await > 800);
    let log = log.text();
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].contains("WARN") && lines[0].contains("redis does not answer"));
    assert!(lines[1].contains("INFO") && lines[1].contains("redis answers again"));
}

#[tokio::test]
async fn a_redis_that_dies_costs_a_few_waits_and_counts_again_once_it_is_back() {
    let _turn = TURN.lock().await;
    let mut own = OwnRedis::start();
    let replica = Replica::of(&own).await;
    replica.ask().await;
    own.kill();
    let waited = replica.hundred().await;
    assert!(waited < 8 * PATIENCE, "{waited:?}");
    assert_eq!(replica.redis.state(), RedisState::LeftAlone);
    own.restart();
    replica.recover().await;
    assert!(replica.ask().await > 990);
}

#[tokio::test]
async fn requests_at_once_wait_for_a_hanging_redis_no_longer_than_one() {
    let _turn = TURN.lock().await;
    let own = OwnRedis::start();
    let replica = Replica::of(&own).await;
    own.hang();
    let began = Instant::now();
    let mut asked = tokio::task::JoinSet::new();
    for _ in 0..100 {
        let limiter = replica.limiter.clone();
        asked.spawn(async move { limiter.take("caller", POLICY).await.admitted });
    }
    assert!(asked.join_all().await.into_iter().all(|admitted| admitted));
    let waited = began.elapsed();
    assert!(waited < 4 * PATIENCE, "{waited:?}");
}
