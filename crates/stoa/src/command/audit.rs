//! Whether the audit log is as it was written.

use crate::{
    config::Config,
    console::say_about,
    wiring::{self, AuditBreak, Refused},
};
use anyhow::anyhow;
use leasing::AuditHash;

/// Checks the whole chain, and tells how far it is closed.
pub(super) async fn verify(
    expected: Option<(u64, AuditHash)>,
    config: &Config,
) -> anyhow::Result<()> {
    let store = wiring::existing_store(config).await?;
    let chain = wiring::market_without_node(&store).audit_chain();
    let verified = chain.verify(expected).await;
    store.close().await;
    let standing = verified.map_err(|refused| match refused {
        Refused::Rejected(broken) => anyhow!("the audit log is broken: {}", told(broken)),
        Refused::Fault(fault) => fault.into(),
    })?;
    match standing.last {
        Some((link, at)) => {
            say_about("closed", format_args!("{}:{}", link.position, link.hash));
            say_about("last row", format_args!("{}, of {at}", link.row));
        }
        None => say_about("closed", "nothing"),
    }
    say_about("waiting", format_args!("{} rows", standing.waiting));
    Ok(())
}

fn told(broken: AuditBreak) -> String {
    match broken {
        AuditBreak::NoLink(position) => format!("there is no link {position}, and a later one"),
        AuditBreak::NoRow(link) => {
            format!("the row {} of link {} is gone", link.row, link.position)
        }
        AuditBreak::Changed(link) => format!(
            "the row {} of link {} is not as it was, or the link is not",
            link.row, link.position
        ),
        AuditBreak::Unlinked(rows) => {
            format!("{rows} rows have no link and do not wait for one, or the other way round")
        }
        AuditBreak::Unexpected(position) => {
            format!("link {position} is not the one that was expected")
        }
    }
}
