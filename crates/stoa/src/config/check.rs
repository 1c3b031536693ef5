//! Rules beyond a single value's form.

use super::{
    keys::{Config, Leasing, Oidc, Paymaster, Simnet, Swap, Webhooks},
    secret::SecretUrls,
};
use std::time::Duration;

/// No window is longer than a day: what a caller did before is not counted.
const MAX_WINDOW: Duration = Duration::from_hours(24);

/// No block of the simulated node has more transactions on average.
const MAX_TRANSACTIONS: u32 = 1_000;

/// The most pools that a simulated node makes.
const MAX_POOLS: u32 = 1_000;

/// More threads than any machine has processors for.
const MAX_WORKERS: u32 = 256;

/// A longer route costs more gas than it can bring.
const MAX_SWAPS: u32 = 24;

/// The highest fee that the exchange contract takes, in basis points.
const MAX_FEE: u32 = 100;

/// Nobody pays more than twice what it costs.
const MAX_MARGIN: u32 = 1_000;

/// Of one transaction by the same for more; below all that may be sent in its place.
const MAX_REPLACEMENTS: u32 = 6;

/// Nobody signs for more than a hundred times what is expected.
const MAX_MOST: u32 = 100_000;

/// A platform that takes more than half is not a platform.
const MAX_PLATFORM_FEE: u32 = 5_000;

/// The shortest time that a key of lease tokens signs.
const MIN_TOKEN_ROTATION: Duration = Duration::from_hours(1);

/// How many regions validators may choose from.
const MAX_REGIONS: usize = 256;

/// Nobody stays signed in for longer.
const MAX_SESSION: Duration = Duration::from_hours(24 * 90);

/// No attempt at a delivery takes longer.
const MAX_WEBHOOK_TIMEOUT: Duration = Duration::from_mins(1);

/// Slots of an epoch of a simulated node.
const EPOCH_SLOTS: std::ops::RangeInclusive<u64> = 64..=432_000;

/// No aggregator is asked more often.
const MIN_INTERVAL: Duration = Duration::from_secs(1);

/// The keys that break a rule, and what the rule is.
pub(super) fn check(config: &Config) -> Vec<(&'static str, String)> {
    let mut broken = Vec::new();
    let mut rule = |key, holds: bool, message: &str| {
        if !holds {
            broken.push((key, message.to_owned()));
        }
    };
    rule(
        "dca.keeper_key",
        config.dca.keeper_key.is_some() == config.dca.keeper_address.is_some(),
        "must be given together with dca.keeper_address",
    );
    check_paymaster(&config.paymaster, &mut rule);
    for (key, duration) in [
        ("server.request_timeout", config.server.request_timeout),
        ("store.statement_timeout", config.store.statement_timeout),
        ("starknet.poll", config.starknet.poll),
        ("starknet.timeout", config.starknet.timeout),
        ("starknet.max_head_age", config.starknet.max_head_age),
        ("swap.deadline", config.swap.deadline),
        ("solana.poll", config.solana.poll),
        ("solana.timeout", config.solana.timeout),
        ("global.timeout", config.global.timeout),
        ("simnet.block_time", config.simnet.block_time),
    ] {
        rule(key, !duration.is_zero(), "must be longer than 0s");
    }
    for (key, window) in [
        ("limits.public_window", config.limits.public_window),
        ("limits.key_window", config.limits.key_window),
    ] {
        let whole = window.subsec_nanos() == 0 && !window.is_zero() && window <= MAX_WINDOW;
        rule(
            key,
            whole,
            "must be whole seconds, at least 1s and at most 24h",
        );
    }
    for (key, requests) in [
        ("limits.public_requests", config.limits.public_requests),
        ("limits.key_requests", config.limits.key_requests),
        ("store.connections", config.store.connections),
        (
            "leasing.max_unpaid_bookings",
            config.leasing.max_unpaid_bookings,
        ),
    ] {
        rule(key, requests > 0, "must be at least 1");
    }
    rule(
        "server.max_body",
        config.server.max_body.0 > 0,
        "must be at least 1B",
    );
    check_simnet(&config.simnet, &mut rule);
    check_swap(&config.swap, &mut rule);
    rule(
        "swap.max_silence",
        config.swap.max_silence > config.starknet.poll,
        "must be longer than starknet.poll, the time between two questions to the node",
    );
    check_leasing(&config.leasing, &mut rule);
    check_oidc(&config.oidc, &mut rule);
    check_webhooks(&config.webhooks, &mut rule);
    rule(
        "leasing.platform_wallet",
        config.solana.rpc.is_none()
            || !config.leasing.enabled
            || config.leasing.platform_wallet.is_some(),
        "must be set when solana.rpc is: payments are found by it",
    );
    let nodes = config.starknet.rpc.as_ref().map_or(1, SecretUrls::len);
    let agreement = usize::try_from(config.starknet.agreement).unwrap_or(usize::MAX);
    rule(
        "starknet.agreement",
        (1..=nodes).contains(&agreement),
        "must be at least 1 and at most the number of nodes in starknet.rpc",
    );
    rule(
        "global.key",
        config.global.key.is_none() || config.global.url.is_some(),
        "needs global.url, the address that it is for",
    );
    rule(
        "global.interval",
        config.global.interval >= MIN_INTERVAL,
        "must be at least 1s",
    );
    rule(
        "global.max_age",
        config.global.max_age >= config.global.interval,
        "must be at least global.interval, or there would be gaps",
    );
    rule(
        "process.roles",
        !config.process.roles.is_empty(),
        "must name at least one role",
    );
    broken
}

fn check_paymaster(paymaster: &Paymaster, rule: &mut impl FnMut(&'static str, bool, &str)) {
    let keys = paymaster
        .relayer_keys
        .as_ref()
        .map_or(0, |keys| keys.0.len());
    rule(
        "paymaster.relayer_keys",
        keys == paymaster.relayers.len(),
        "must have a key for each of paymaster.relayers",
    );
    rule(
        "paymaster.replacements",
        paymaster.replacements <= MAX_REPLACEMENTS,
        "must be at most 6",
    );
    rule(
        "paymaster.margin",
        paymaster.margin <= MAX_MARGIN,
        "must be at most 1000",
    );
    rule(
        "paymaster.most",
        (1_000..=MAX_MOST).contains(&paymaster.most),
        "must be at least 1000 and at most 100000",
    );
}

fn check_swap(swap: &Swap, rule: &mut impl FnMut(&'static str, bool, &str)) {
    let lifetime = swap.quote_lifetime;
    rule(
        "swap.quote_lifetime",
        lifetime.subsec_nanos() == 0 && !lifetime.is_zero() && lifetime <= MAX_WINDOW,
        "must be whole seconds, at least 1s and at most 24h",
    );
    rule(
        "swap.workers",
        swap.workers <= MAX_WORKERS,
        "must be at most 256",
    );
    rule("swap.queue", swap.queue > 0, "must be at least 1");
    rule(
        "swap.max_swaps",
        (1..=MAX_SWAPS).contains(&swap.max_swaps),
        "must be at least 1 and at most 24",
    );
    for (key, fee) in [
        ("swap.fee_single", swap.fee_single),
        ("swap.fee_several", swap.fee_several),
        ("swap.fee_exact_out", swap.fee_exact_out),
    ] {
        rule(key, fee <= MAX_FEE, "must be at most 100");
    }
}

fn check_leasing(leasing: &Leasing, rule: &mut impl FnMut(&'static str, bool, &str)) {
    rule(
        "leasing.fee",
        leasing.fee <= MAX_PLATFORM_FEE,
        "must be at most 5000",
    );
    rule(
        "leasing.regions",
        leasing.regions.len() <= MAX_REGIONS,
        "must name at most 256 regions",
    );
    rule(
        "leasing.token_rotation",
        leasing.token_rotation >= MIN_TOKEN_ROTATION,
        "must be at least 1h",
    );
    rule(
        "leasing.next_token_key",
        leasing.next_token_key.is_none() || leasing.token_key.is_some(),
        "needs leasing.token_key, which it comes after",
    );
    rule(
        "leasing.token_signer",
        leasing.token_signer.is_none() || leasing.token_key.is_none(),
        "cannot be beside leasing.token_key: one of them signs",
    );
    let session = leasing.session;
    rule(
        "leasing.session",
        !session.is_zero() && session <= MAX_SESSION,
        "must be longer than 0s and at most 90 days",
    );
}

fn check_webhooks(webhooks: &Webhooks, rule: &mut impl FnMut(&'static str, bool, &str)) {
    let patience = webhooks.timeout;
    rule(
        "webhooks.timeout",
        !patience.is_zero() && patience <= MAX_WEBHOOK_TIMEOUT,
        "must be longer than 0s and at most 60s",
    );
}

fn check_oidc(oidc: &Oidc, rule: &mut impl FnMut(&'static str, bool, &str)) {
    let issuer = oidc.issuer.as_ref();
    rule(
        "oidc.issuer",
        issuer.is_none_or(|issuer| issuer.url().query().is_none()),
        "must have no ?",
    );
    rule(
        "oidc.audience",
        oidc.audience.is_some() == issuer.is_some(),
        "must be given together with oidc.issuer",
    );
    for (key, is_given) in [
        ("oidc.jwks_url", oidc.jwks_url.is_some()),
        ("oidc.staff_group", oidc.staff_group.is_some()),
    ] {
        rule(
            key,
            !is_given || issuer.is_some(),
            "needs oidc.issuer, whose it is",
        );
    }
}

fn check_simnet(simnet: &Simnet, rule: &mut impl FnMut(&'static str, bool, &str)) {
    rule(
        "simnet.transactions_per_block",
        simnet.transactions_per_block <= MAX_TRANSACTIONS,
        "must be at most 1000",
    );
    rule(
        "simnet.pools",
        simnet.pools <= MAX_POOLS,
        "must be at most 1000",
    );
    let slot = simnet.slot_time;
    rule(
        "simnet.slot_time",
        !slot.is_zero() && slot.subsec_nanos().is_multiple_of(1_000_000),
        "must be whole milliseconds, at least 1ms",
    );
    rule(
        "simnet.epoch_slots",
        EPOCH_SLOTS.contains(&simnet.epoch_slots),
        "must be 64 to 432000",
    );
}
