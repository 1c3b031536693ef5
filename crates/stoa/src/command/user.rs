//! Operators' chores with the people of the lease market.

use crate::{
    cli::{ListForm, RoleName, UserAction},
    config::Config,
    console::{say, say_about, say_json},
    wiring::{self, Accounts, ProfileError, Refused, Roles, User},
};
use anyhow::{anyhow, bail};
use primitives::Ulid;
use serde_json::json;

/// Users that are read at once.
const PAGE: u16 = 200;

pub(super) async fn run(action: UserAction, config: &Config) -> anyhow::Result<()> {
    let store = match &action {
        UserAction::Add { .. } => wiring::made_store(config).await?,
        UserAction::List { .. } | UserAction::Roles { .. } => {
            wiring::existing_store(config).await?
        }
    };
    let accounts = wiring::market_without_node(&store).accounts;
    let outcome = match action {
        UserAction::Add {
            name,
            email,
            wallet,
            roles,
        } => {
            let profile = wiring::Profile {
                display_name: Some(name),
                email,
            };
            let added = accounts.add_user(wallet, &profile, set(&roles)).await;
            added.map_err(why).map(|user| show(&user))
        }
        UserAction::List { form } => list(&accounts, form).await,
        UserAction::Roles { id, roles } => give(&accounts, id, set(&roles)).await,
    };
    store.close().await;
    outcome
}

fn why(refused: Refused<ProfileError>) -> anyhow::Error {
    match refused {
        Refused::Rejected(ProfileError::DisplayName) => {
            anyhow!("a user's name has 1 to 64 visible characters on one line")
        }
        Refused::Rejected(ProfileError::Email) => anyhow!("that is not an e-mail address"),
        Refused::Rejected(ProfileError::NoSession) => anyhow!("nobody has signed in"),
        Refused::Rejected(ProfileError::WalletTaken) => {
            anyhow!("another user has this wallet; `stoa user list` shows all")
        }
        Refused::Fault(fault) => fault.into(),
    }
}

async fn list(accounts: &Accounts, form: ListForm) -> anyhow::Result<()> {
    let users = all(accounts).await?;
    if form.json {
        return say_json(users.iter().map(|user| {
            json!({
                "id": user.id,
                "name": user.display_name,
                "wallet": user.address,
                "roles": user.roles.words().collect::<Vec<_>>(),
            })
        }));
    }
    if users.is_empty() {
        say("There are no users. Make one with `stoa user add --name NAME`.");
    }
    users.iter().for_each(show);
    Ok(())
}

/// Every user, read page by page.
async fn all(accounts: &Accounts) -> anyhow::Result<Vec<User>> {
    let mut all: Vec<User> = Vec::new();
    loop {
        let page = accounts.users(all.last().map(|user| user.id), PAGE).await?;
        let is_last = page.len() < usize::from(PAGE);
        all.extend(page);
        if is_last {
            return Ok(all);
        }
    }
}

async fn give(accounts: &Accounts, id: Ulid, roles: Roles) -> anyhow::Result<()> {
    if !accounts.set_roles(id, roles).await? {
        bail!("there is no user {id}; `stoa user list` shows all");
    }
    say_about("user", format_args!("{id}  {}", words(roles)));
    Ok(())
}

fn show(user: &User) {
    let name = user.display_name.as_deref().unwrap_or("-");
    let wallet = user.address.map(|wallet| wallet.to_string());
    let wallet = wallet.as_deref().unwrap_or("no wallet");
    let (id, roles) = (user.id, words(user.roles));
    say_about("user", format_args!("{id}  {roles:<24}  {wallet}  {name}"));
}

fn set(roles: &[RoleName]) -> Roles {
    Roles {
        trader: roles.contains(&RoleName::Trader),
        validator: roles.contains(&RoleName::Validator),
        staff: roles.contains(&RoleName::Staff),
    }
}

fn words(roles: Roles) -> String {
    let held: Vec<_> = roles.words().collect();
    if held.is_empty() {
        "none".to_owned()
    } else {
        held.join(",")
    }
}
