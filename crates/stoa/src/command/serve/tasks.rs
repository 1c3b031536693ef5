//! The parts that run. One that ends before it is told to is a failure of the
//! whole: there is no half-dead service.

use anyhow::anyhow;
use std::{future, time::Duration};
use tokio::{
    runtime::Handle,
    task::{JoinError, JoinSet},
};
use tokio_util::sync::CancellationToken;

/// How long the parts may take to end, besides draining: a node that does not
/// answer must not keep the process alive.
const PATIENCE: Duration = Duration::from_secs(5);

/// The parts in two groups: what the others stand on is stopped last.
#[derive(Debug)]
pub(crate) struct Tasks {
    upper: Group,
    ground: Group,
}

#[derive(Debug)]
struct Group {
    stop: CancellationToken,
    parts: JoinSet<(&'static str, anyhow::Result<()>)>,
}

impl Tasks {
    /// No parts yet; `stop` stops the upper ones.
    pub(crate) fn new(stop: CancellationToken) -> Self {
        let group = |stop| Group {
            stop,
            parts: JoinSet::new(),
        };
        Self {
            upper: group(stop),
            ground: group(CancellationToken::new()),
        }
    }

    /// Runs a part until the service stops.
    pub(super) fn spawn<F>(&mut self, name: &'static str, part: impl FnOnce(CancellationToken) -> F)
    where
        F: Future<Output = anyhow::Result<()>> + Send + 'static,
    {
        self.upper.spawn(name, part);
    }

    /// The same on the threads of another runtime.
    pub(super) fn spawn_on<F>(
        &mut self,
        runtime: &Handle,
        name: &'static str,
        part: impl FnOnce(CancellationToken) -> F,
    ) where
        F: Future<Output = anyhow::Result<()>> + Send + 'static,
    {
        self.upper.spawn_on(runtime, name, part);
    }

    /// Runs a part until all others have ended.
    pub(super) fn spawn_ground<F>(
        &mut self,
        name: &'static str,
        part: impl FnOnce(CancellationToken) -> F,
    ) where
        F: Future<Output = anyhow::Result<()>> + Send + 'static,
    {
        self.ground.spawn(name, part);
    }

    /// Waits until a part ends.
    pub(crate) async fn failure(&mut self) -> anyhow::Error {
        tokio::select! {
            error = self.upper.failure() => error,
            error = self.ground.failure() => error,
        }
    }

    /// Tells the parts to stop, and waits for them, but not forever.
    pub(crate) async fn finish(self, drain: Duration) {
        self.upper.finish(drain.saturating_add(PATIENCE)).await;
        self.ground.finish(PATIENCE).await;
    }
}

impl Group {
    fn spawn<F>(&mut self, name: &'static str, part: impl FnOnce(CancellationToken) -> F)
    where
        F: Future<Output = anyhow::Result<()>> + Send + 'static,
    {
        self.spawn_on(&Handle::current(), name, part);
    }

    fn spawn_on<F>(
        &mut self,
        runtime: &Handle,
        name: &'static str,
        part: impl FnOnce(CancellationToken) -> F,
    ) where
        F: Future<Output = anyhow::Result<()>> + Send + 'static,
    {
        let part = part(self.stop.clone());
        self.parts
            .spawn_on(async move { (name, part.await) }, runtime);
    }

    async fn failure(&mut self) -> anyhow::Error {
        match self.parts.join_next().await {
            Some(ended) => explain(ended),
            None => future::pending().await,
        }
    }

    async fn finish(mut self, patience: Duration) {
        self.stop.cancel();
        let ended = async {
            while let Some(ended) = self.parts.join_next().await {
                if !matches!(ended, Ok((_, Ok(())))) {
                    let error = explain(ended);
                    tracing::error!(error = format!("{error:#}"), "did not end well");
                }
            }
        };
        if tokio::time::timeout(patience, ended).await.is_err() {
            tracing::warn!(parts = self.parts.len(), "not waiting any longer");
        }
    }
}

fn explain(ended: Result<(&'static str, anyhow::Result<()>), JoinError>) -> anyhow::Error {
    match ended {
        Ok((name, Ok(()))) => anyhow!("the {name} ended unexpectedly"),
        Ok((name, Err(error))) => error.context(format!("the {name} failed")),
        Err(error) => anyhow::Error::new(error).context("a part of the service broke down"),
    }
}

/// A part that only ends when it is told to.
pub(super) async fn ending(part: impl Future<Output = ()>) -> anyhow::Result<()> {
    part.await;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    #[tokio::test]
    async fn a_part_that_ends_by_itself_is_a_failure() {
        let mut tasks = Tasks::new(CancellationToken::new());
        tasks.spawn("clockwork", |stop| async move {
            stop.cancelled().await;
            Ok(())
        });
        tasks.spawn_ground("foundation", |_| async { Ok(()) });
        assert_eq!(
            tasks.failure().await.to_string(),
            "the foundation ended unexpectedly"
        );
        tasks.spawn("roof", |_| async { Err(anyhow!("it rained")) });
        assert_eq!(
            format!("{:#}", tasks.failure().await),
            "the roof failed: it rained"
        );
    }

    #[tokio::test]
    async fn what_the_others_stand_on_ends_last() {
        let order = Arc::new(Mutex::new(Vec::new()));
        let part = |name| {
            let order = Arc::clone(&order);
            move |stop: CancellationToken| async move {
                stop.cancelled().await;
                tokio::task::yield_now().await;
                order.lock().unwrap().push(name);
                Ok(())
            }
        };
        let mut tasks = Tasks::new(CancellationToken::new());
        tasks.spawn_ground("node", part("node"));
        tasks.spawn("indexer", part("indexer"));
        tasks.finish(Duration::ZERO).await;
        assert_eq!(*order.lock().unwrap(), ["indexer", "node"]);
    }
}
