//! Rate limits shared through a real Redis.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use primitives::{Clock, ManualClock, Timestamp};
use services::{Policy, RateLimiter, SharedRedis};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use world::{cuttable_redis, redis_url};

const POLICY: Policy = Policy {
    limit: 10,
    window_s: 60,
};

fn clock() -> Arc<dyn Clock> {
    Arc::new(ManualClock::new(Timestamp::UNIX_EPOCH))
}

async fn limiter(url: &str) -> RateLimiter {
    let redis = SharedRedis::connect(url, clock()).await.unwrap();
    RateLimiter::shared(redis, clock())
}

/// A caller that no other test or run is.
fn caller(name: &str) -> String {
    format!("{name}-{}", std::process::id())
}

#[tokio::test]
async fn replicas_share_one_window_and_never_admit_more_than_the_limit() {
    let replicas = [limiter(&redis_url()).await, limiter(&redis_url()).await];
    let caller = caller("shared");
    let mut asked = tokio::task::JoinSet::new();
    for n in 0..40 {
        let (replica, caller) = (replicas[n % 2].clone(), caller.clone());
        asked.spawn(async move { replica.take(&caller, POLICY).await });
    }
    let decisions = asked.join_all().await;
    let admitted = decisions
        .iter()
        .filter(|decision| decision.admitted)
        .count();
    assert_eq!(admitted, 10);
    assert!(decisions.iter().all(|decision| decision.limit == 10));
    let end = Timestamp::from_second(60).unwrap();
    assert!(decisions.iter().all(|decision| decision.reset_at <= end));
}

#[tokio::test]
async fn replicas_share_one_bucket_which_fills_evenly() {
    let quick = Policy {
        limit: 10,
        window_s: 1,
    };
    let replicas = [limiter(&redis_url()).await, limiter(&redis_url()).await];
    let caller = caller("bucket");
    let mut asked = tokio::task::JoinSet::new();
    for n in 0..40 {
        let (replica, caller) = (replicas[n % 2].clone(), caller.clone());
        asked.spawn(async move { replica.draw(&caller, POLICY).await });
    }
    let decisions = asked.join_all().await;
    let admitted = decisions.iter().filter(|it| it.admitted).count();
    assert_eq!(admitted, 10);
    let refused = decisions.iter().find(|it| !it.admitted).unwrap();
    assert_eq!((refused.limit, refused.remaining), (10, 0));
    // One in six seconds: the clock of Redis goes on, ours stands.
    let (retry, full) = (refused.retry_at, refused.reset_at);
    assert!(retry > Timestamp::UNIX_EPOCH && retry <= Timestamp::from_second(6).unwrap());
    assert!(full > Timestamp::from_second(50).unwrap());
    assert!(full <= Timestamp::from_second(60).unwrap());
    // A bucket of ten in a second has one more within a tenth of it.
    let mut refusals = 0;
    let mut drawn = 0;
    while drawn < 15 {
        if replicas[0].draw(&caller, quick).await.admitted {
            drawn += 1;
        } else {
            refusals += 1;
        }
        assert!(refusals < 1_000_000, "the bucket does not fill");
    }
    assert!(refusals > 0);
}

#[tokio::test]
async fn when_redis_is_lost_each_replica_holds_the_limit_by_itself() {
    let cut = CancellationToken::new();
    let url = cuttable_redis(cut.clone()).await;
    let limiter = limiter(&url).await;
    let caller = caller("lost");
    for _ in 0..10 {
        assert!(limiter.take(&caller, POLICY).await.admitted);
    }
    assert!(!limiter.take(&caller, POLICY).await.admitted);
    cut.cancel();
    for _ in 0..10 {
        assert!(limiter.take(&caller, POLICY).await.admitted);
    }
    assert!(!limiter.take(&caller, POLICY).await.admitted);
}
