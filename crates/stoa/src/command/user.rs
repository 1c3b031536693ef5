//! Operators' chores with the people of the lease market.

use crate::{
    cli::{RoleName, UserAction},
    config::Config,
    console::{say, say_about},
    wiring::{self, Accounts, ProfileError, Refused, Roles, User},
};
use anyhow::{anyhow, bail};
use primitives::Ulid;

/// Users that are read at once.
const PAGE: u16 = 200;

pub(super) async fn run(action: UserAction, config: &Config) -> anyhow::Result<()> {
    let (store, _) = wiring::open_store(config, wiring::Ledger::Kept).await?;
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
        UserAction::List => list(&accounts).await,
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

async fn list(accounts: &Accounts) -> anyhow::Result<()> {
    let mut after = None;
    loop {
        let users = accounts.users(after, PAGE).await?;
        if users.is_empty() && after.is_none() {
            say("There are no users. Make one with `stoa user add --name NAME`.");
        }
        users.iter().for_each(show);
        match users.last() {
            Some(last) if users.len() == usize::from(PAGE) => after = Some(last.id),
            _ => return Ok(()),
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
