//! `cargo xtask simulate`: one seeded run of commands and faults on a cluster.
//! It needs PostgreSQL, Redis and HAProxy, which `./test` installs. `STOA_SIMULATE_LOG`
//! is what the processes log, `error` unless it is set.

use anyhow::{Result, ensure};
use std::process::Command;

/// The test that does it.
const TEST: &str = "fault_run::chosen_seed";

/// Runs the schedule of a seed and shows its steps.
pub(crate) fn run(seed: &str, steps: &str) -> Result<()> {
    let (seed, steps): (u64, u64) = (seed.parse()?, steps.parse()?);
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let ended = Command::new(cargo)
        .args(["test", "--package", "stoa", "--test", "process", "--"])
        .args(["--exact", TEST, "--ignored", "--nocapture"])
        .env("STOA_SIMULATE_SEED", seed.to_string())
        .env("STOA_SIMULATE_STEPS", steps.to_string())
        .status()?;
    ensure!(ended.success(), "seed {seed} with {steps} steps failed");
    Ok(())
}
