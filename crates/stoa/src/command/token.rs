//! Operators' chores with bearer tokens of the lease market.

use crate::{
    cli::{ListForm, TokenAction},
    config::Config,
    console::{say, say_about, say_json},
    wiring::{self, ApiTokens, Refused, TokenError, TokenRevokeError},
};
use anyhow::{Context as _, anyhow};
use primitives::{SignedDuration, Ulid};
use serde_json::json;

pub(super) async fn run(action: TokenAction, config: &Config) -> anyhow::Result<()> {
    // Tokens are of users, who are in a ledger already.
    let store = wiring::existing_store(config).await?;
    let tokens = wiring::market_without_node(&store).tokens;
    let outcome = match action {
        TokenAction::Create {
            user,
            name,
            lifetime,
        } => create(&tokens, user, &name, lifetime).await,
        TokenAction::List { user, form } => list(&tokens, user, form).await,
        TokenAction::Revoke { user, id } => revoke(&tokens, user, &id).await,
    };
    store.close().await;
    outcome
}

async fn create(
    tokens: &ApiTokens,
    user: Ulid,
    name: &str,
    lifetime: Option<SignedDuration>,
) -> anyhow::Result<()> {
    let until = lifetime.map(|lifetime| wiring::clock().now().checked_add(lifetime));
    let until = until
        .transpose()
        .context("the token would outlive the calendar")?;
    let made = tokens.create(user, name, until).await;
    let made = made.map_err(|refused| match refused {
        Refused::Rejected(TokenError::Name) => {
            anyhow!("a token's name has 1 to 64 visible characters on one line")
        }
        Refused::Rejected(TokenError::Expiry) => anyhow!("the token would be over already"),
        Refused::Rejected(TokenError::TooMany) => {
            anyhow!("the user has as many tokens as one may have; revoke one first")
        }
        Refused::Rejected(TokenError::NoUser) => {
            anyhow!("there is no user {user}; `stoa user list` shows all")
        }
        Refused::Fault(fault) => fault.into(),
    })?;
    say_about("id", &made.id);
    say_about("token", &made.token);
    say(
        "This is the only time the token is shown. Callers send it as Authorization: Bearer TOKEN.",
    );
    Ok(())
}

async fn list(tokens: &ApiTokens, user: Ulid, form: ListForm) -> anyhow::Result<()> {
    let listed = tokens.list(user).await?;
    if form.json {
        return say_json(listed.iter().map(|token| {
            json!({
                "id": token.id,
                "name": token.name,
                "created_at": token.created_at.to_string(),
                "expires_at": token.expires_at.map(|at| at.to_string()),
                "revoked_at": token.revoked_at.map(|at| at.to_string()),
            })
        }));
    }
    if listed.is_empty() {
        say("The user has no tokens. Make one with `stoa token create --user ID --name NAME`.");
    }
    for token in listed {
        let state = match (token.revoked_at, token.expires_at) {
            (Some(at), _) => format!("revoked {at:.0}"),
            (None, Some(at)) => format!("until {at:.0}"),
            (None, None) => "valid".to_owned(),
        };
        say(format_args!(
            "{}  {:.0}  {state:<28}  {}",
            token.id, token.created_at, token.name
        ));
    }
    Ok(())
}

async fn revoke(tokens: &ApiTokens, user: Ulid, id: &str) -> anyhow::Result<()> {
    let revoked = tokens.revoke(user, id).await;
    revoked.map_err(|refused| match refused {
        Refused::Rejected(TokenRevokeError::Unknown | TokenRevokeError::NotOwner) => {
            anyhow!(
                "user {user} has no valid token {id}; `stoa token list --user {user}` shows all"
            )
        }
        Refused::Fault(fault) => fault.into(),
    })?;
    say(format_args!("{id} is revoked"));
    Ok(())
}
