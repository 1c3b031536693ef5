//! Operators' chores with those who pay fees of others.

use crate::{
    cli::{ListForm, SponsorAction},
    config::Config,
    console::{say, say_about, say_json},
    wiring::{self, NewSponsor, SponsorError, Sponsors, Store},
};
use anyhow::{Context as _, anyhow, bail};
use primitives::{Felt, felt_to_hex, is_hidden};
use serde_json::json;
use trading::paymaster::{CallRule, Rules, SelectedCall, Verdict};

/// Names longer than this are refused.
const MAX_NAME_CHARS: usize = 100;

/// Digits of STRK after the point.
const UNIT: u128 = 1_000_000_000_000_000_000;

pub(super) async fn run(action: SponsorAction, config: &Config) -> anyhow::Result<()> {
    let store = match &action {
        SponsorAction::Create { .. } => wiring::made_store(config).await?,
        _ => wiring::existing_store(config).await?,
    };
    let outcome = act(action, config, &store).await;
    store.close().await;
    outcome
}

async fn act(action: SponsorAction, config: &Config, store: &Store) -> anyhow::Result<()> {
    let sponsors = wiring::sponsors(store);
    match action {
        SponsorAction::Create {
            name,
            credits,
            user_daily,
            allow,
            deny,
            pool,
        } => {
            let new = NewSponsor {
                name: name.trim().to_owned(),
                credits,
                user_daily,
                rules: Rules {
                    allowed: allow,
                    denied: deny,
                },
                pools: pool,
            };
            create(&sponsors, &new).await
        }
        SponsorAction::List { form } => list(&sponsors, form).await,
        SponsorAction::Credit { id, amount } => {
            let credits = sponsors.credit(&id, amount).await.map_err(told(&id))?;
            say(format_args!("{id} has {} STRK", shown(credits)));
            Ok(())
        }
        SponsorAction::Rotate { id } => {
            let secret = sponsors.rotate(&id).await.map_err(told(&id))?;
            say_about("secret", &secret);
            say(
                "This is the only time the key is shown. The former one works for ten seconds at most.",
            );
            Ok(())
        }
        SponsorAction::Disable { id } => {
            sponsors.disable(&id).await.map_err(told(&id))?;
            say(format_args!("{id} is disabled"));
            Ok(())
        }
        SponsorAction::Explain { id, call } => explain(&sponsors, &id, &call).await,
        SponsorAction::Audit { id } => audit(config, store, &sponsors, &id).await,
    }
}

async fn create(sponsors: &Sponsors, new: &NewSponsor) -> anyhow::Result<()> {
    let length = new.name.chars().count();
    if !(1..=MAX_NAME_CHARS).contains(&length) || new.name.chars().any(is_hidden) {
        bail!("a sponsor's name has 1 to {MAX_NAME_CHARS} visible characters on one line");
    }
    let (row, secret) = sponsors.create(new).await?;
    say_about("id", &row.id);
    say_about("secret", &secret);
    say(
        "This is the only time the key is shown. It is sent in the header x-paymaster-api-key, \
         and in api-key for the report of what was paid.",
    );
    Ok(())
}

async fn list(sponsors: &Sponsors, form: ListForm) -> anyhow::Result<()> {
    let rows = sponsors.list().await?;
    if form.json {
        return say_json(rows.iter().map(|row| {
            json!({
                "id": row.id,
                "name": row.name,
                "credits_strk": shown(row.credits),
                "user_daily_strk": row.user_daily.map(shown),
                "created_at": row.created_at.to_string(),
                "disabled_at": row.disabled_at.map(|at| at.to_string()),
            })
        }));
    }
    if rows.is_empty() {
        say("There are no sponsors. Make one with `stoa sponsor create --name NAME`.");
    }
    for row in rows {
        let state = match row.disabled_at {
            Some(at) => format!("disabled {at:.0}"),
            None => "valid".to_owned(),
        };
        say(format_args!(
            "{}  {:.0}  {state:<29}  {} STRK  {}",
            row.id,
            row.created_at,
            shown(row.credits),
            row.name
        ));
    }
    Ok(())
}

async fn explain(sponsors: &Sponsors, id: &str, calls: &[CallRule]) -> anyhow::Result<()> {
    let sponsor = sponsors.find(id).await.map_err(told(id))?;
    let called: Vec<SelectedCall> = calls
        .iter()
        .map(|call| SelectedCall {
            to: call.contract,
            selector: call.selector.unwrap_or(Felt::ZERO),
            calldata: Vec::new(),
        })
        .collect();
    let place = |call: usize| calls.get(call).map_or_else(String::new, rule_text);
    let decided = match sponsor.rules.judge(&called) {
        Verdict::Denied { call, by } => {
            format!("refused: {} is denied by {}", place(call), rule_text(&by))
        }
        Verdict::Unlisted { call } => {
            format!("refused: {} fits none of the allowed calls", place(call))
        }
        Verdict::Allowed if sponsor.row.disabled_at.is_some() => {
            "refused: the key is disabled".to_owned()
        }
        Verdict::Allowed if sponsor.row.credits == 0 => "refused: no credits are left".to_owned(),
        Verdict::Allowed => format!(
            "paid for, while {} STRK cover it{}",
            shown(sponsor.row.credits),
            match sponsor.row.user_daily {
                Some(most) => format!(" and the user has had less than {} today", shown(most)),
                None => String::new(),
            }
        ),
    };
    say(decided);
    Ok(())
}

fn rule_text(rule: &CallRule) -> String {
    match rule.selector {
        Some(selector) => format!("{}:{}", rule.contract, felt_to_hex(selector)),
        None => rule.contract.to_string(),
    }
}

/// Compares charges with receipts.
async fn audit(
    config: &Config,
    store: &Store,
    sponsors: &Sponsors,
    id: &str,
) -> anyhow::Result<()> {
    sponsors.find(id).await.map_err(told(id))?;
    let node = wiring::asked_node(config)?;
    let chain_id = node.chain_id().await.context("the node does not answer")?;
    let audit = wiring::audit_sponsor(store, &node, chain_id, id).await?;
    say_about("charges", audit.charges);
    say_about("charged", format_args!("{} STRK", shown(audit.charged)));
    say_about("receipts", format_args!("{} STRK", shown(audit.receipts)));
    if audit.wrong.is_empty() {
        say("Every charge is that of its receipt.");
        return Ok(());
    }
    for hash in &audit.wrong {
        say_about("wrong", felt_to_hex(*hash));
    }
    bail!("{} charges differ from their receipts", audit.wrong.len());
}

fn told(id: &str) -> impl Fn(SponsorError) -> anyhow::Error {
    let id = id.to_owned();
    move |error| match error {
        SponsorError::Unknown => {
            anyhow!("there is no sponsor {id} with a valid key; `stoa sponsor list` shows all")
        }
        SponsorError::TooMuch => anyhow!("that is more than a sponsor can have"),
        SponsorError::Fault(fault) => fault.into(),
    }
}

/// An amount in whole STRK.
fn shown(amount: u128) -> String {
    let (whole, rest) = (amount / UNIT, amount % UNIT);
    let text = format!("{whole}.{rest:018}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
