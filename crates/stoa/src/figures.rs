//! What every figure of `/metrics` says: its `# HELP`. A new figure gets its
//! line here.

use metrics::{Unit, describe_counter, describe_gauge, describe_histogram};

/// Name and meaning of what only grows.
const COUNTERS: &[(&str, &str)] = &[
    (
        "stoa_class_changes_total",
        "Pools whose contract changed its class, by venue.",
    ),
    (
        "stoa_class_mismatches_total",
        "Classes with a swap that was not what their rule says, by venue.",
    ),
    (
        "stoa_doorbell_losses_total",
        "Times the announcements of new heads, or of commits to the store, were lost.",
    ),
    (
        "stoa_global_items_skipped_total",
        "Items of the aggregator that could not be read.",
    ),
    (
        "stoa_global_polls_total",
        "Polls of the aggregator, by outcome.",
    ),
    (
        "stoa_http_requests_total",
        "HTTP requests that were answered, by route, method and status.",
    ),
    (
        "stoa_impossible_total",
        "Things that cannot happen and did, by place. Report them.",
    ),
    ("stoa_indexer_blocks_total", "Blocks that were indexed."),
    (
        "stoa_indexer_failures_total",
        "Rounds of the indexer that failed and were tried again.",
    ),
    (
        "stoa_indexer_reorgs_total",
        "Reorganisations of the chain that were followed.",
    ),
    (
        "stoa_keeper_cycles_total",
        "Cycles of recurring orders that the keeper met, by outcome.",
    ),
    (
        "stoa_leasing_failures_total",
        "Rounds of the lease market's jobs that failed, by job.",
    ),
    (
        "stoa_oidc_key_reads_total",
        "Reads of the OpenID issuer's keys, by outcome.",
    ),
    (
        "stoa_paymaster_sponsored_total",
        "Sponsored transactions that ended, by outcome.",
    ),
    (
        "stoa_pool_drift_total",
        "Pools whose state differed from their contract's, by venue.",
    ),
    (
        "stoa_pool_events_ignored_total",
        "Events of contracts that are no known pools, by venue.",
    ),
    (
        "stoa_rate_limit_redis_failures_total",
        "Requests that were counted here because Redis failed.",
    ),
    (
        "stoa_recurring_nonsense_total",
        "Events of recurring orders that made no sense.",
    ),
    (
        "stoa_refused_connections_total",
        "Connections refused because their address has enough.",
    ),
    (
        "stoa_rpc_requests_total",
        "Calls of nodes, by method and outcome.",
    ),
    (
        "stoa_rpc_retries_total",
        "Calls of nodes that were repeated, by method.",
    ),
    (
        "stoa_sends_replaced_total",
        "Transactions that were sent again with a higher tip.",
    ),
    (
        "stoa_sends_total",
        "Transactions of our accounts that ended, by outcome.",
    ),
    (
        "stoa_staking_failures_total",
        "Reads of the staker that failed.",
    ),
    (
        "stoa_stream_events_total",
        "Events that streams have told, by name.",
    ),
    ("stoa_swap_builds_total", "Builds of quotes, by outcome."),
    (
        "stoa_swap_gas_trades_total",
        "Trades of others that said what swaps cost in gas.",
    ),
    (
        "stoa_swap_quotes_total",
        "Questions for quotes, by outcome.",
    ),
    (
        "stoa_swap_redis_failures_total",
        "Quotes that Redis did not take or give.",
    ),
    (
        "stoa_swap_stale_total",
        "Questions for quotes refused because the data was too old.",
    ),
    (
        "stoa_swap_terms_failures_total",
        "Reads of the exchange contract's terms that failed.",
    ),
    (
        "stoa_venue_events_malformed_total",
        "Events of venues that could not be read, by venue.",
    ),
    (
        "stoa_venue_events_unknown_total",
        "Events of venues of a kind that is not known, by venue.",
    ),
    (
        "stoa_venue_events_unplaced_total",
        "Events that fit no pool of their venue, by venue.",
    ),
    (
        "stoa_webhook_attempts_total",
        "Attempts to deliver to webhooks, by result.",
    ),
];

/// Name and meaning of what goes up and down.
const GAUGES: &[(&str, &str)] = &[
    (
        "stoa_classes",
        "Classes of pools' contracts, by venue and verdict.",
    ),
    (
        "stoa_contracts_followed",
        "Contracts whose events are followed.",
    ),
    (
        "stoa_duty_held",
        "Whether this process does what one of several does at a time: 1 or 0, by duty.",
    ),
    ("stoa_global_tokens", "Tokens that the aggregator knows."),
    (
        "stoa_history_block",
        "Number of the newest block of a history that is still indexed.",
    ),
    (
        "stoa_history_blocks_left",
        "Blocks of the history that are still to be indexed.",
    ),
    (
        "stoa_history_seconds_left",
        "How long that takes at the speed so far.",
    ),
    ("stoa_indexed_block", "Number of the newest indexed block."),
    (
        "stoa_leasing_parked_transactions",
        "Transactions that wait for a node to show them.",
    ),
    ("stoa_node_head_block", "Number of the node's newest block."),
    (
        "stoa_paymaster_paid_to_cost",
        "What users paid, as a share of what their transactions cost.",
    ),
    (
        "stoa_paymaster_sponsored_open",
        "Sponsored transactions that have not ended, by state.",
    ),
    ("stoa_pools", "Pools that are followed, by venue and state."),
    ("stoa_redis_up", "Whether Redis answers: 1 or 0."),
    (
        "stoa_sender_balance",
        "What an account of ours has for fees, in STRK.",
    ),
    (
        "stoa_sender_open",
        "Transactions of an account of ours that have not ended.",
    ),
    ("stoa_streams_open", "Streams of events that are open."),
    ("stoa_tokens_listed", "Tokens in the token list."),
    ("stoa_tokens_seen", "Token contracts that were seen."),
    ("stoa_tokens_shunned", "Tokens that no route passes."),
    (
        "stoa_webhook_deliveries_pending",
        "Deliveries to webhooks that are due or will be.",
    ),
];

/// Name and meaning of what is spread, in seconds unless said otherwise.
const SPREADS: &[(&str, Unit, &str)] = &[
    (
        "stoa_http_request_seconds",
        Unit::Seconds,
        "Time to answer a request, by route.",
    ),
    (
        "stoa_rpc_seconds",
        Unit::Seconds,
        "Time that a node took to answer, by method.",
    ),
    (
        "stoa_swap_quote_gap",
        Unit::Count,
        "How much better another way would have been, as a share.",
    ),
    (
        "stoa_swap_quote_seconds",
        Unit::Seconds,
        "Time to find a quote.",
    ),
];

/// Tells the recorder of this process what its figures mean.
pub(crate) fn describe() {
    for (name, help) in COUNTERS {
        describe_counter!(*name, *help);
    }
    for (name, help) in GAUGES {
        describe_gauge!(*name, *help);
    }
    for (name, unit, help) in SPREADS {
        describe_histogram!(*name, *unit, *help);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        collections::BTreeSet,
        fs,
        path::{Path, PathBuf},
    };

    /// Every text of the form `"stoa_…"` in the sources of the crates that measure.
    fn named_in_sources() -> BTreeSet<String> {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut folders: Vec<PathBuf> = ["api", "chain", "services"]
            .map(|name| crates.join(name).join("src"))
            .into();
        let mut found = BTreeSet::new();
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|ending| ending == "rs") {
                    let text = fs::read_to_string(&path).unwrap();
                    let texts = text.split('"').filter(|text| text.starts_with("stoa_"));
                    let is_name =
                        |text: &&str| text.bytes().all(|it| it.is_ascii_lowercase() || it == b'_');
                    found.extend(texts.filter(is_name).map(str::to_owned));
                }
            }
        }
        found
    }

    #[test]
    fn every_figure_is_explained_and_every_explanation_is_of_one() {
        let pairs = COUNTERS
            .iter()
            .chain(GAUGES)
            .map(|(name, help)| (*name, *help));
        let spreads = SPREADS.iter().map(|(name, _, help)| (*name, *help));
        let all: Vec<_> = pairs.chain(spreads).collect();
        for (name, help) in &all {
            assert!(help.ends_with('.'), "{name}: {help}");
        }
        let explained: BTreeSet<_> = all.iter().map(|(name, _)| (*name).to_owned()).collect();
        assert_eq!(explained.len(), all.len());
        let mut named = named_in_sources();
        // Written out by the page itself, with its meaning.
        named.remove("stoa_build_info");
        // The beginning of API keys.
        named.remove("stoa_");
        assert_eq!(explained, named);
    }
}
