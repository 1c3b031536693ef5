//! Reports of usage taken against the bare insert of their rows, which nothing
//! could keep them without. What ingest adds is the look at their leases, which
//! of them are new, and the sums of leases and days.

use crate::{Goal, Row, median};
use leasing::{MAX_REPORTS, Mode, Usage, UsageBatch, UsageReport};
use primitives::{Clock as _, SignedDuration, Timestamp, Ulid};
use tokio::time::Instant;
use world::Market;

const TURNS: u64 = 25;

/// Leases that the reports of a batch are of.
const LEASES: u16 = 16;

pub(crate) fn ingest() -> Row {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let market = Market::new(1).await.without_cap().await;
        let owner = market.user("owner").await;
        let validator = market.validator(&owner, 0, 0).await.id;
        let leases = leases(&market, validator).await;
        let ledger = market.store.ledger();
        let now = market.clock.now();
        let mut shares = Vec::new();
        for turn in 0..TURNS {
            let bare = UsageBatch::new(reports(now, &leases, 2 * turn), now).unwrap();
            let start = Instant::now();
            let mut tx = ledger.begin().await.unwrap();
            let new = tx.insert_reports(validator, bare.reports(), now).await;
            tx.commit().await.unwrap();
            let inserting = start.elapsed().as_secs_f64();
            assert_eq!(new.unwrap().len(), MAX_REPORTS);
            let sent = reports(now, &leases, 2 * turn + 1);
            let start = Instant::now();
            let taken = market.leasing.usage.ingest(validator, sent).await;
            shares.push(start.elapsed().as_secs_f64() / inserting);
            assert_eq!(taken.unwrap().accepted, MAX_REPORTS);
        }
        Row {
            what: "1024 reports of usage, time",
            baseline: "the bare insert of their rows",
            ratio: median(shares),
            goal: Goal::AtMost(2.0),
        }
    })
}

/// Leases of a validator that are paid.
async fn leases(market: &Market, validator: Ulid) -> Vec<Ulid> {
    let trader = market.user("trader").await;
    let mut leases = Vec::new();
    for ahead in 0..i64::from(LEASES) {
        let booking = market.booking(validator, ahead, 1, Mode::Exclusive);
        let booked = market.book(&trader, &booking).await.unwrap();
        let memo = booked.lease.payment.memo().as_str();
        market.pay(memo, &market.wallet(2)).await;
        leases.push(booked.lease.id);
    }
    market.finalise();
    assert_eq!(market.settle().await.activated, u32::from(LEASES));
    leases
}

/// A full batch whose ids no other batch has.
fn reports(now: Timestamp, leases: &[Ulid], batch: u64) -> Vec<UsageReport> {
    let report = |(number, lease): (u16, &Ulid)| {
        let mut random = [0; 10];
        let (first, last) = random.split_at_mut(8);
        first.copy_from_slice(&batch.to_be_bytes());
        last.copy_from_slice(&number.to_be_bytes());
        UsageReport {
            id: Ulid::new(Timestamp::UNIX_EPOCH, random),
            lease: *lease,
            from: now - SignedDuration::from_mins(1),
            to: now,
            usage: Usage {
                signs: 100,
                failed: 1,
            },
        }
    };
    let leases = (0..).zip(leases.iter().cycle());
    leases.take(MAX_REPORTS).map(report).collect()
}
