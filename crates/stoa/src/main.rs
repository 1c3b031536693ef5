//! The program: configuration, commands, and the wiring of the parts.

mod ambient;
mod amount;
mod cli;
mod command;
mod config;
mod console;
mod exchange;
mod figures;
mod known;
mod log;
mod network;
mod people;
mod registration;
mod simulator;
mod staking;
mod wiring;

use clap::Parser as _;
use cli::Cli;
use config::Problems;
use std::process::ExitCode;
use wiring::NoStore;

/// Wrong use, a wrong configuration or a folder without a database, as clap has it too.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let outcome = runtime().and_then(|runtime| {
        let outcome = runtime.block_on(command::run(Cli::parse()));
        // Whatever still computes has nothing left to say.
        runtime.shutdown_background();
        outcome
    });
    match outcome {
        Ok(status) => status,
        Err(error) => {
            console::complain(&error);
            let usage = error.is::<Problems>() || error.is::<NoStore>();
            if usage {
                ExitCode::from(USAGE)
            } else {
                ExitCode::FAILURE
            }
        }
    }
}

fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build();
    anyhow::Context::context(runtime, "cannot start the runtime")
}
