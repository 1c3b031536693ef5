//! Copies of the store, and stores made of them.

use crate::{
    config::Config,
    console::{say, say_about},
    wiring::{self, backup as copies},
};
use std::path::Path;

pub(super) async fn backup(config: &Config, out: &Path, ledger_only: bool) -> anyhow::Result<()> {
    let halves = if ledger_only {
        copies::Halves::Ledger
    } else {
        copies::Halves::Both
    };
    for file in copies::backup(&wiring::location(config), out, halves).await? {
        say_about(&file.name, format_args!("{} bytes", file.bytes));
    }
    say_about("backup", out.display());
    Ok(())
}

pub(super) async fn restore(config: &Config, from: &Path) -> anyhow::Result<()> {
    let location = wiring::location(config);
    copies::restore(&location, from).await?;
    say_about("restored", &location);
    say(
        "Start the service with the same store: what happened since is read from the chains again.",
    );
    Ok(())
}
