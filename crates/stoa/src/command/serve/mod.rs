//! The life of the service. Everything is bound and opened first, so that what
//! is wrong is said in one line; then it runs until told to stop, or until a
//! part of it fails.

mod accounts;
mod apart;
mod banner;
mod market;
mod orders;
mod readers;
mod ready;
mod relaying;
mod room;
mod signals;
mod sockets;
mod start;
mod tasks;

use crate::{config::Config, console::say_about, wiring};
use apart::Apart;
pub(super) use banner::Simulation;
pub(super) use room::{Room, open_files};
pub(super) use signals::stop_on_signal;
pub(super) use sockets::{Sockets, addresses, advice};
pub(super) use start::start_simulation;
pub(super) use tasks::Tasks;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Runs the service until told to stop.
pub(super) async fn serve(
    config: &Config,
    ledger: wiring::Ledger,
    shows_accounts: bool,
) -> anyhow::Result<()> {
    let started = Instant::now();
    // At once: the rest takes a moment.
    say_about("stoa", env!("CARGO_PKG_VERSION"));
    let told_to_end = CancellationToken::new();
    stop_on_signal(told_to_end.clone())?;
    let room = Room::new(config);
    let sockets = Sockets::bind(config).await?;
    let apart = Apart::new()?;
    let store = wiring::open_store(config, ledger).await?;
    let _alone = wiring::sole_use(config, &store).await;
    let mut tasks = Tasks::new(CancellationToken::new());
    // Starting holds every part at once, which is much for a stack.
    let start = start::start(
        config,
        &store,
        sockets,
        &room,
        &apart,
        &mut tasks,
        shows_accounts,
    );
    let started_parts = Box::pin(told_to_end.run_until_cancelled(start))
        .await
        .transpose();
    let outcome = match started_parts {
        Ok(Some(health)) => {
            let ended = async {
                told_to_end.cancelled().await;
                health.leave();
                tokio::time::sleep(config.server.notice).await;
            };
            run(&health, ended, &mut tasks, started).await
        }
        Ok(None) => Ok(()),
        Err(error) => Err(error),
    };
    tasks.finish(config.server.drain).await;
    store.close().await;
    outcome
}

async fn run(
    health: &wiring::Health,
    ended: impl Future<Output = ()>,
    tasks: &mut Tasks,
    started: Instant,
) -> anyhow::Result<()> {
    tokio::select! {
        biased;
        () = ended => Ok(()),
        error = tasks.failure() => Err(error),
        never = ready::announce(health, started) => match never {},
    }
}
