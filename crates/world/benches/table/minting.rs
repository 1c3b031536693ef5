//! Lease tokens over HTTP against what each cannot be without: a signature and a row
//! in the audit log, committed. As with bookings, the time that one caller waits is
//! compared, and both sides have connections of their own.

use crate::{Goal, Row, http::beside, marketplace, median};
use leasing::{Mode, TokenSecret};
use primitives::Ulid;
use std::{hint::black_box, path::Path, sync::Arc};
use store::{Location, Store, leasing::AuditRow};
use tokio::time::Instant;
use world::Market;

const TURNS: usize = 25;
const PER_TURN: usize = 30;

/// About as long as what is signed.
const INPUT: [u8; 480] = [b'x'; 480];

/// Folders here are in memory.
const MEMORY: &str = "/dev/shm";

pub(crate) fn rows() -> Vec<Row> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let row = |baseline, ratio| Row {
        what: "lease token minted, time",
        baseline,
        ratio,
        goal: Goal::AtMost(2.5),
    };
    runtime.block_on(async {
        let synced = ratio(&std::env::temp_dir()).await;
        let unsynced = ratio(MEMORY.as_ref()).await;
        vec![
            row("a signature and its row, synced", synced),
            row("a signature and its row, not synced", unsynced),
        ]
    })
}

async fn ratio(folder: &Path) -> f64 {
    let folder = tempfile::tempdir_in(folder).unwrap();
    let dir = folder.path().join("market");
    let location = Location::Sqlite { dir };
    let market = Arc::new(Market::at(1, &location).await);
    let (lease, bearer) = leased(&market).await;
    let server = marketplace::serve(&market, &location);
    let request = format!(
        "POST /v1/leases/{lease}/token HTTP/1.1\r\nHost: bench\r\n\
         Authorization: Bearer {bearer}\r\nContent-Length: 0\r\n\r\n"
    );
    let requests = || vec![request.clone(); PER_TURN];
    server.wait(requests()).await;
    let subject = lease.to_string();
    let rows = market.store.ledger().audit_of("lease", &subject, 1).await;
    let like = rows.unwrap().into_iter().next().unwrap();
    let mut ratios = Vec::new();
    for _ in 0..TURNS {
        let rows = (0..PER_TURN).map(|_| AuditRow {
            id: market.key(),
            ..like.clone()
        });
        let bare = bare(location.clone(), rows.collect()).await;
        ratios.push(server.wait(requests()).await / bare);
    }
    median(ratios)
}

/// A lease in its first epoch, and whose it is.
async fn leased(market: &Market) -> (Ulid, String) {
    let owner = market.user("owner").await;
    let validator = market.validator(&owner, 0, 0).await.id;
    let trader = market.user("trader").await;
    let booking = market.booking(validator, 0, 2, Mode::Exclusive);
    let booked = market.book(&trader, &booking).await.unwrap();
    let memo = booked.lease.payment.memo();
    market.pay(memo.as_str(), &market.wallet(2)).await;
    market.finalise();
    assert_eq!(market.settle().await.activated, 1);
    (booked.lease.id, market.token(&trader).await)
}

/// Seconds for a signature and a row, one after another.
async fn bare(location: Location, rows: Vec<AuditRow>) -> f64 {
    beside(async move {
        let store = Store::open(&location).await.unwrap();
        let secret = TokenSecret::from_bytes(&[7; 32]).unwrap();
        let count = f64::from(u32::try_from(rows.len()).unwrap());
        // Statements are prepared by the first.
        let mut start = Instant::now();
        for (number, row) in rows.iter().enumerate() {
            if number == 1 {
                start = Instant::now();
            }
            black_box(secret.sign(&INPUT));
            let mut tx = store.ledger().begin().await.unwrap();
            tx.audit(row).await.unwrap();
            tx.commit().await.unwrap();
        }
        start.elapsed().as_secs_f64() / (count - 1.0)
    })
    .await
}
