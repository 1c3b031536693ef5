//! Operators' chores with API keys.

use crate::{
    cli::{KeyAction, ListForm},
    config::Config,
    console::{say, say_about, say_json},
    wiring,
};
use anyhow::bail;
use primitives::is_hidden;
use serde_json::json;

/// Names longer than this are refused.
const MAX_NAME_CHARS: usize = 100;

pub(super) async fn run(action: KeyAction, config: &Config) -> anyhow::Result<()> {
    let store = match &action {
        KeyAction::Create { .. } => wiring::made_store(config).await?,
        KeyAction::List { .. } | KeyAction::Revoke { .. } => wiring::existing_store(config).await?,
    };
    let keys = wiring::keys(&store);
    let outcome = match action {
        KeyAction::Create { name } => create(&keys, &name).await,
        KeyAction::List { form } => list(&keys, form).await,
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

async fn list(keys: &wiring::Keys, form: ListForm) -> anyhow::Result<()> {
    let rows = keys.list().await?;
    if form.json {
        return say_json(rows.iter().map(|row| {
            json!({
                "id": row.id,
                "name": row.name,
                "created_at": row.created_at.to_string(),
                "revoked_at": row.revoked_at.map(|at| at.to_string()),
            })
        }));
    }
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
