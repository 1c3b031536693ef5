//! The Redis that replicas share, behind a circuit breaker: what does not
//! answer is soon not asked, so that callers go on by themselves at once.

mod breaker;

use arc_swap::ArcSwap;
use breaker::{Breaker, FAILURES, Turn};
use primitives::Clock;
use redis::{
    Client, RedisError,
    aio::{ConnectionManager, ConnectionManagerConfig},
};
use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

/// A Redis that does not answer in this time is passed over.
const PATIENCE: Duration = Duration::from_millis(250);

/// How long a start waits for it.
const FIRST_PATIENCE: Duration = Duration::from_secs(2);

/// Between attempts to connect; shorter than it is left alone, so that whoever
/// asks on trial finds a connection.
const LONGEST_BACKOFF: Duration = Duration::from_secs(1);

/// 1 while Redis is asked, 0 while it is left alone.
const REDIS_UP: &str = "stoa_redis_up";

/// A Redis that replicas share. Clones are the same one.
#[derive(Clone)]
pub struct SharedRedis(Arc<Parts>);

struct Parts {
    client: Client,
    /// Taken anew whenever the breaker opens: one that hangs may hang for as
    /// long as the system keeps its socket.
    connection: ArcSwap<ConnectionManager>,
    breaker: Mutex<Breaker>,
    clock: Arc<dyn Clock>,
}

/// Whether Redis is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedisState {
    /// It answers, or has not failed often enough to be spared.
    Asked,
    /// It failed too often, and is left alone for a while.
    LeftAlone,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unanswered {
    #[error("it is left alone, since it did not answer before")]
    LeftAlone,
    #[error("no answer in time")]
    Late,
    #[error(transparent)]
    Failed(#[from] RedisError),
}

impl fmt::Debug for SharedRedis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedRedis")
            .field("state", &self.state())
            .finish_non_exhaustive()
    }
}

impl SharedRedis {
    /// Connects to the Redis at `url`. One that is not there is left alone for a
    /// while, as it would be later; one that refuses us is an error.
    pub async fn connect(url: &str, clock: Arc<dyn Clock>) -> Result<Self, RedisError> {
        let client = Client::open(url)?;
        let connection = ConnectionManager::new_lazy_with_config(client.clone(), config())?;
        let redis = Self(Arc::new(Parts {
            client,
            connection: ArcSwap::from_pointee(connection),
            breaker: Mutex::default(),
            clock,
        }));
        metrics::gauge!(REDIS_UP).set(1.0);
        match tokio::time::timeout(FIRST_PATIENCE, redis.ping()).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) if !is_absence(&error) => return Err(error),
            Ok(Err(error)) => redis.leave_alone(&error.into()),
            Err(_) => redis.leave_alone(&Unanswered::Late),
        }
        Ok(redis)
    }

    async fn ping(&self) -> Result<(), RedisError> {
        let mut connection = ConnectionManager::clone(&self.0.connection.load());
        redis::cmd("PING").query_async(&mut connection).await
    }

    fn leave_alone(&self, reason: &Unanswered) {
        for _ in 0..FAILURES {
            self.note_failure(reason);
        }
    }

    /// Whether it is asked.
    pub fn state(&self) -> RedisState {
        if self.breaker(|breaker| breaker.is_closed()) {
            RedisState::Asked
        } else {
            RedisState::LeftAlone
        }
    }

    /// Asks, unless it is left alone; waits for [`PATIENCE`] at most.
    pub(crate) async fn ask<T>(
        &self,
        question: impl AsyncFnOnce(&mut ConnectionManager) -> Result<T, RedisError>,
    ) -> Result<T, Unanswered> {
        let now = self.0.clock.now();
        if !self.breaker(|breaker| breaker.admit(now)) {
            return Err(Unanswered::LeftAlone);
        }
        let mut connection = ConnectionManager::clone(&self.0.connection.load());
        let answer = tokio::time::timeout(PATIENCE, question(&mut connection)).await;
        let answer = answer
            .map_err(|_| Unanswered::Late)
            .and_then(|answer| answer.map_err(Unanswered::from));
        match &answer {
            Ok(_) => self.note_answer(),
            Err(reason) => self.note_failure(reason),
        }
        answer
    }

    fn note_answer(&self) {
        if self.breaker(Breaker::answered) == Some(Turn::Closed) {
            metrics::gauge!(REDIS_UP).set(1.0);
            tracing::info!("redis answers again");
        }
    }

    fn note_failure(&self, reason: &Unanswered) {
        let now = self.0.clock.now();
        if self.breaker(|breaker| breaker.failed(now)) == Some(Turn::Opened) {
            metrics::gauge!(REDIS_UP).set(0.0);
            tracing::warn!(
                %reason,
                "redis does not answer and is left alone for a while: this process counts and keeps quotes by itself"
            );
            self.reconnect();
        }
    }

    /// A new connection, made when it is first needed.
    fn reconnect(&self) {
        let client = self.0.client.clone();
        match ConnectionManager::new_lazy_with_config(client, config()) {
            Ok(connection) => self.0.connection.store(Arc::new(connection)),
            Err(error) => tracing::debug!(%error, "going on with the old connection to redis"),
        }
    }

    fn breaker<T>(&self, act: impl FnOnce(&mut Breaker) -> T) -> T {
        let breaker = self.0.breaker.lock();
        act(&mut breaker.unwrap_or_else(PoisonError::into_inner))
    }
}

/// Whether there is nobody who could have refused.
fn is_absence(error: &RedisError) -> bool {
    error.is_io_error() || error.is_timeout() || error.is_connection_refusal()
}

fn config() -> ConnectionManagerConfig {
    ConnectionManagerConfig::new().set_max_delay(LONGEST_BACKOFF)
}
