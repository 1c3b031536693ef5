//! SIGTERM and SIGINT: the first lets requests end, the second ends the process at once. A file
//! that may not grow any more is an error of the write, not the end of the process.

use anyhow::Context as _;
use std::process;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// The status of a process that was interrupted, by the custom of shells.
const INTERRUPTED: i32 = 130;

/// "File size limit exceeded", which ends a process that does not listen for it.
const SIGXFSZ: i32 = 25;

/// Cancels `stop` at the first signal.
pub(crate) fn stop_on_signal(stop: CancellationToken) -> anyhow::Result<()> {
    let listen = |kind| signal(kind).context("cannot listen for signals");
    let mut terminate = listen(SignalKind::terminate())?;
    let mut interrupt = listen(SignalKind::interrupt())?;
    // Once listened for, it stays without effect.
    drop(listen(SignalKind::from_raw(SIGXFSZ))?);
    tokio::spawn(async move {
        either(&mut terminate, &mut interrupt).await;
        tracing::info!("stopping");
        stop.cancel();
        either(&mut terminate, &mut interrupt).await;
        process::exit(INTERRUPTED);
    });
    Ok(())
}

async fn either(one: &mut Signal, other: &mut Signal) {
    tokio::select! {
        _ = one.recv() => {}
        _ = other.recv() => {}
    }
}
