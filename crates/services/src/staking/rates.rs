//! Learns what stakes earned on the days of the past: the chain is asked at the
//! last block of each of them.

use super::{
    day_rates::{DAY_S, PoolRates},
    handle::Inner,
    staker::{Staker, StakingPool},
};
use crate::{fault::Fault, snapshot::Snapshot};
use market::{figures::Figures, series::Resolution};
use primitives::{Address, Timestamp};

/// Days that are told.
const DAYS: i64 = 30;

/// Days that are learned of at once.
const DAYS_AT_ONCE: usize = 8;

/// Learns of the newest days that are not known yet, if there are any.
pub(super) async fn learn_rates(inner: &Inner, snapshot: &Snapshot) -> Result<(), Fault> {
    if snapshot.provisional {
        // Days of the past are found by blocks that are not there yet.
        return Ok(());
    }
    let today = snapshot.head_time.as_second().div_euclid(DAY_S);
    for _ in 0..DAYS_AT_ONCE {
        let missing = inner.rates.missing(today.saturating_sub(DAYS)..=today);
        let Some(day) = missing else { break };
        let rates = rates_at(inner, day, snapshot).await?;
        inner.rates.learn(day, rates);
    }
    Ok(())
}

async fn rates_at(inner: &Inner, day: i64, snapshot: &Snapshot) -> Result<PoolRates, Fault> {
    let end = day.saturating_mul(DAY_S);
    let Ok(time) = Timestamp::from_second(end) else {
        return Ok(PoolRates::new());
    };
    let Some(block) = inner.store.chain().block_by(time).await? else {
        return Ok(PoolRates::new());
    };
    // Nodes that keep no old states refuse: such a day stays unknown.
    let answer = match inner.ask(block).await {
        Err(Fault::Node(error)) if error.is_block_not_found() => None,
        told => told?,
    };
    let Some(answer) = answer else {
        return Ok(PoolRates::new());
    };
    let staker = Staker::new(&inner.options, &answer, block);
    let strk = inner.options.reward_token;
    let rate = |pool: &StakingPool| {
        let price = relative_price(&snapshot.figures, strk, pool.token, end)?;
        Some((pool.address, pool.earnings.rate(price)))
    };
    Ok(staker.pools.iter().filter_map(rate).collect())
}

/// What a whole STRK was worth in whole tokens at the end of a day.
fn relative_price(figures: &Figures, strk: Address, token: Address, end: i64) -> Option<f64> {
    if token == strk {
        return Some(1.0);
    }
    let (strk, token) = (figures.token(strk)?, figures.token(token)?);
    let hour = Resolution::Hour.bucket(end.saturating_sub(1));
    let span = hour..hour.saturating_add(1);
    let closes = figures.closes(strk, Some(token), Resolution::Hour, span);
    closes.get(hour).copied()
}
