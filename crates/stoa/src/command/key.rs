//! Operators' chores with API keys.

use crate::{
    cli::KeyAction,
    config::Config,
    console::{say, say_about},
    wiring,
};
use anyhow::bail;
use primitives::is_hidden;

/// Names longer than this are refused.
const MAX_NAME_CHARS: usize = 100;

pub(super) async fn run(action: KeyAction, config: &Config) -> anyhow::Result<()> {
    let (store, _) = wiring::open_store(config, wiring::Ledger::Kept).await?;
    let keys = wiring::keys(&store);
    let outcome = match action {
        KeyAction::Create { name } => create(&keys, &name).await,
        KeyAction::List => list(&keys).await,
        KeyAction::Revoke { id } => revoke(&keys, &id).await,
    };
    store.close().await;
    outcome
}

async fn create(keys: &wiring::Keys, name: &str) -> anyhow::Result<()> {
    let name = name.trim();
    let length = name.chars().count();
    if !(1..=MAX_NAME_CHARS).contains(&length) || name.chars().any(is_hidden) {
        bail!("a key's name has 1 to {MAX_NAME_CHARS} visible characters on one line");
    }
    let key = keys.create(name).await?;
    say_about("id", &key.id);
    say_about("secret", &key.secret);
    say("This is the only time the secret is shown. Callers send it in the header x-api-key.");
    Ok(())
}

async fn list(keys: &wiring::Keys) -> anyhow::Result<()> {
    let rows = keys.list().await?;
    if rows.is_empty() {
        say("There are no keys. Make one with `stoa key create --name NAME`.");
    }
    for row in rows {
        let state = match row.revoked_at {
            Some(at) => format!("revoked {at:.0}"),
            None => "valid".to_owned(),
        };
        say(format_args!(
            "{}  {:.0}  {state:<28}  {}",
            row.id, row.created_at, row.name
        ));
    }
    Ok(())
}

async fn revoke(keys: &wiring::Keys, id: &str) -> anyhow::Result<()> {
    if !keys.revoke(id).await? {
        bail!("there is no valid key {id}; `stoa key list` shows all");
    }
    say(format_args!(
        "{id} is revoked; running servers refuse it within ten seconds"
    ));
    Ok(())
}
