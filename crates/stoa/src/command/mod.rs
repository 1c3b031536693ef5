//! What each command does.

mod audit;
mod backup;
mod classes;
mod doctor;
mod key;
mod lease_token;
mod manual;
mod paymaster;
mod serve;
mod simnet;
mod sponsor;
mod token;
mod user;
mod validator;
mod verify;

use crate::{
    cli::{AuditAction, Cli, Command, ConfigAction, LeaseTokenAction, Telling},
    config::{self, Config},
    console::{self, say},
    log, wiring,
};
use anyhow::Context as _;
use std::{fs, path::Path, process::ExitCode};

/// Does what the command line says.
pub(crate) async fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    match cli.command {
        Command::Serve {
            telling,
            store,
            settings,
        } => {
            let config = settings.load()?.config;
            start_telling(telling, &config);
            Box::pin(serve::serve(&config, store.ledger(), telling.accounts)).await?;
        }
        Command::Simnet { telling, settings } => {
            let config = settings.load()?.config;
            start_telling(telling, &config);
            simnet::simnet(&config, telling.accounts).await?;
        }
        Command::Migrate { store, settings } => {
            migrate(&settings.load()?.config, store.ledger()).await?;
        }
        Command::Backup {
            out,
            ledger_only,
            settings,
        } => backup::backup(&settings.load()?.config, &out, ledger_only).await?,
        Command::Restore { from, settings } => {
            backup::restore(&settings.load()?.config, &from).await?;
        }
        Command::Verify { from, to, settings } => {
            return verify::verify(&settings.load()?.config, from, to).await;
        }
        Command::Openapi { out } => openapi(out.as_deref())?,
        Command::Config { action, settings } => match action {
            ConfigAction::Print => say(settings.load()?.print().trim_end()),
            ConfigAction::Check => {
                settings.load()?;
                say("ok");
            }
            ConfigAction::Example => say(config::example()?.trim_end()),
        },
        Command::Doctor { replicas, settings } => {
            return doctor::doctor(&settings.load()?.config, &replicas).await;
        }
        Command::Classes { settings } => classes::print(&settings.load()?.config).await?,
        Command::Key { action, settings } => key::run(action, &settings.load()?.config).await?,
        Command::Sponsor { action, settings } => {
            sponsor::run(action, &settings.load()?.config).await?;
        }
        Command::Paymaster { action, settings } => {
            paymaster::run(action, &settings.load()?.config).await?;
        }
        Command::User { action, settings } => user::run(action, &settings.load()?.config).await?,
        Command::Token { action, settings } => token::run(action, &settings.load()?.config).await?,
        Command::Validator { action } => validator::run(action)?,
        Command::LeaseToken { action, settings } => match &action {
            LeaseTokenAction::Verify { .. } => lease_token::verify(&action).await?,
            LeaseTokenAction::Rotate => lease_token::rotate(&settings.load()?.config).await?,
        },
        Command::Audit { action, settings } => {
            let AuditAction::Verify { expect } = action;
            audit::verify(expect, &settings.load()?.config).await?;
        }
        Command::Completions { shell } => manual::completions(shell)?,
        Command::Man { out } => manual::pages(out.as_deref())?,
    }
    Ok(ExitCode::SUCCESS)
}

fn start_telling(telling: Telling, config: &Config) {
    if telling.quiet {
        console::hush();
    }
    log::start(&config.server, telling.quiet);
}

async fn migrate(config: &Config, ledger: wiring::Ledger) -> anyhow::Result<()> {
    let (store, report) = wiring::migrated_store(config, ledger).await?;
    store.close().await;
    for (schema, change) in [("chain", report.chain), ("ledger", report.ledger)] {
        if change.from == change.to {
            say(format_args!(
                "{schema}: version {}, nothing to do",
                change.to
            ));
        } else {
            say(format_args!(
                "{schema}: from version {} to {}",
                change.from, change.to
            ));
        }
    }
    Ok(())
}

fn openapi(out: Option<&Path>) -> anyhow::Result<()> {
    let documents = wiring::openapi_documents();
    let Some(folder) = out else {
        let mut all = serde_json::Map::new();
        for (name, text) in documents {
            all.insert(name.to_owned(), serde_json::from_str(&text)?);
        }
        say(serde_json::to_string_pretty(&all)?);
        return Ok(());
    };
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    for (name, text) in documents {
        let path = folder.join(name);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        say(path.display());
    }
    Ok(())
}
