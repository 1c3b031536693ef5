//! The simulated node alone, for people who test their own programs.

use super::serve::{Room, Simulation, Sockets, Tasks, start_simulation, stop_on_signal};
use crate::{config::Config, console::say_about, network::Network, wiring};
use tokio_util::sync::CancellationToken;

/// Runs the node until told to stop.
pub(super) async fn simnet(config: &Config, shows_accounts: bool) -> anyhow::Result<()> {
    // At once: the rest takes a moment.
    say_about("stoa", env!("CARGO_PKG_VERSION"));
    let stop = CancellationToken::new();
    stop_on_signal(stop.clone())?;
    let listener = Sockets::bind_node(config).await?;
    let mut tasks = Tasks::new(stop.clone());
    let (simulation, url) =
        start_simulation(config, listener, &Room::new(config), &mut tasks).await?;
    say_about("network", Network::simulated());
    Simulation::say(&simulation);
    if shows_accounts {
        let node = wiring::client(config, url)?;
        simulation.say_accounts(&node).await?;
    } else {
        say_about("accounts", "add --accounts to see funded accounts");
    }
    say_about("ready", format_args!("block {}", simulation.head));
    let outcome = tokio::select! {
        biased;
        () = stop.cancelled() => Ok(()),
        error = tasks.failure() => Err(error),
    };
    tasks.finish(config.server.drain).await;
    outcome
}
