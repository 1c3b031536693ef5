//! Bookings over HTTP against the SQL transaction that they need.
//!
//! The transaction has the statements of a booking, with values of the same
//! size, made before: the key of the request is taken, the validator is locked,
//! the lease, its epochs, its payment and its row in the audit log are written,
//! the answer is kept with the key, and all is committed. None can be left out:
//! each row is promised, the lock keeps epochs from being booked twice, and
//! whether a key is free must be known before anything else is looked at. It
//! is run through the store, so that both sides have the same connections,
//! prepared statements and durability. What HTTP adds is the server, the look
//! at the bearer, its bucket, the reading of the body and the answer.
//!
//! What is compared is the time that one caller waits for one booking, turn by
//! turn: it has the work of both processes and the threads between which it is
//! handed over, and the middle of many short turns is not moved by a neighbour.
//! Once every commit is synced to the disk, as people run it, and once none is,
//! since the wait for a slow disk would hide everything else.

use crate::{
    Goal, Row,
    http::{Server, beside},
    marketplace, median,
};
use leasing::{EpochWindow, Lease, Memo, Payment};
use primitives::{Clock as _, SignedDuration, Timestamp, Ulid};
use serde_json::{Value, json};
use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};
use store::{
    Location, Store,
    leasing::{AuditRow, KeyClaim, KeyName, LedgerTx, StoredAnswer},
};
use tokio::{
    sync::{mpsc, oneshot},
    time::Instant,
};
use world::{Engine, Market, TestDatabase};

const TURNS: usize = 25;
const PER_TURN: usize = 30;

/// Bookings before the first turn: connections are made, statements prepared and
/// planned by then.
const WARMING: usize = 100;

const EPOCHS: i64 = 2;

/// Folders here are in memory.
const MEMORY: &str = "/dev/shm";

pub(crate) fn rows() -> Vec<Row> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let row = |what, baseline, ratio| Row {
        what,
        baseline,
        ratio,
        goal: Goal::AtMost(2.5),
    };
    let (synced, unsynced) = (
        "its SQL transaction, synced",
        "its SQL transaction, not synced",
    );
    let mut rows = Vec::new();
    runtime.block_on(async {
        let what = "booking on SQLite, time";
        rows.push(row(what, synced, in_folder(&std::env::temp_dir()).await));
        rows.push(row(what, unsynced, in_folder(MEMORY.as_ref()).await));
        if std::env::var_os("STOA_TEST_POSTGRES").is_none() {
            println!("bookings on PostgreSQL are left out: run ./bench where it is installed");
            return;
        }
        let what = "booking on PostgreSQL, time";
        rows.push(row(what, synced, on_postgres("on").await));
        rows.push(row(what, unsynced, on_postgres("off").await));
    });
    rows
}

async fn in_folder(folder: &std::path::Path) -> f64 {
    let folder = tempfile::tempdir_in(folder).unwrap();
    let dir = folder.path().join("market");
    ratio(&Location::Sqlite { dir }).await
}

async fn on_postgres(synchronous_commit: &str) -> f64 {
    let database = TestDatabase::new(Engine::Postgres).await;
    let Location::Postgres { url } = &database.location else {
        unreachable!("a database on a server");
    };
    let mut url = url::Url::parse(url).unwrap();
    url.query_pairs_mut()
        .append_pair("options[synchronous_commit]", synchronous_commit);
    ratio(&Location::Postgres { url: url.into() }).await
}

async fn ratio(location: &Location) -> f64 {
    let bench = Bench::new(location).await;
    let writer = Writer::start(location, bench.market.clock.now());
    bench.server.wait(bench.requests(WARMING)).await;
    writer.wait(bench.prepared_ones(WARMING)).await;
    let mut ratios = Vec::new();
    for _ in 0..TURNS {
        let bare = writer.wait(bench.prepared_ones(PER_TURN)).await;
        ratios.push(bench.server.wait(bench.requests(PER_TURN)).await / bare);
    }
    assert_eq!(
        bench.market.leasing.leases.check_calendar().await.unwrap(),
        []
    );
    median(ratios)
}

struct Bench {
    market: Arc<Market>,
    server: Server,
    validator: Ulid,
    bearer: String,
    /// The first epoch that nobody has.
    free: AtomicI64,
    like: Prepared,
}

/// The values of one booking.
#[derive(Clone)]
struct Prepared {
    name: KeyName,
    lease: Lease,
    audit: AuditRow,
    answer: StoredAnswer,
}

impl Bench {
    async fn new(location: &Location) -> Self {
        let market = Market::at(1, location).await.without_cap().await;
        let market = Arc::new(market);
        let owner = market.user("owner").await;
        let validator = market.validator(&owner, 0, 0).await.id;
        let trader = market.user("trader").await;
        let bearer = market.token(&trader).await;
        let server = marketplace::serve(&market, location);
        let body = server
            .body(&request(&bearer, market.key(), validator, 0))
            .await;
        let answer: Value = serde_json::from_slice(&body).unwrap();
        let id = answer.pointer("/data/lease_id").unwrap().as_str().unwrap();
        let ledger = market.store.ledger();
        let audit = ledger.audit_of("lease", id, 1).await.unwrap();
        let like = Prepared {
            name: KeyName {
                user: trader.id,
                method: "POST".to_owned(),
                path: "/v1/leases".to_owned(),
                key: market.key(),
            },
            lease: ledger.lease(id.parse().unwrap()).await.unwrap().unwrap(),
            audit: audit.into_iter().next().unwrap(),
            answer: StoredAnswer {
                status: 201,
                content_type: "application/json".to_owned(),
                body,
            },
        };
        Self {
            market,
            server,
            validator,
            bearer,
            free: AtomicI64::new(EPOCHS),
            like,
        }
    }

    fn next_start(&self) -> i64 {
        self.free.fetch_add(EPOCHS, Ordering::Relaxed)
    }

    fn requests(&self, count: usize) -> Vec<String> {
        let one = || {
            request(
                &self.bearer,
                self.market.key(),
                self.validator,
                self.next_start(),
            )
        };
        (0..count).map(|_| one()).collect()
    }

    /// Another booking like the first.
    fn prepared(&self) -> Prepared {
        let mut booking = self.like.clone();
        let (id, memo) = (self.market.key(), Memo::from(self.market.key()));
        booking.name.key = self.market.key();
        booking.lease.id = id;
        booking.lease.window = EpochWindow::new(self.next_start(), EPOCHS).unwrap();
        let asked = &self.like.lease.payment;
        let payment = Payment::new(memo, asked.payout(), asked.platform());
        booking.lease.payment = payment.unwrap();
        booking.audit.id = self.market.key();
        booking.audit.subject = id.to_string();
        booking
    }

    /// So many others.
    fn prepared_ones(&self, count: usize) -> Vec<Prepared> {
        (0..count).map(|_| self.prepared()).collect()
    }
}

/// Somebody who writes bookings to the ledger and does nothing else, with
/// connections of its own, as the server has.
struct Writer(mpsc::UnboundedSender<(Vec<Prepared>, oneshot::Sender<f64>)>);

impl Writer {
    fn start(location: &Location, now: Timestamp) -> Self {
        let (tell, mut told) = mpsc::unbounded_channel::<(Vec<Prepared>, oneshot::Sender<f64>)>();
        let location = location.clone();
        tokio::spawn(beside(async move {
            let store = Store::open(&location).await.unwrap();
            while let Some((bookings, answer)) = told.recv().await {
                let start = Instant::now();
                for booking in &bookings {
                    write(store.ledger().begin().await.unwrap(), booking, now).await;
                }
                let count = u32::try_from(bookings.len()).unwrap();
                let seconds = start.elapsed().as_secs_f64() / f64::from(count);
                answer.send(seconds).unwrap();
            }
        }));
        Self(tell)
    }

    /// Seconds that a bare transaction takes, one after another.
    async fn wait(&self, bookings: Vec<Prepared>) -> f64 {
        let (answer, answered) = oneshot::channel();
        self.0.send((bookings, answer)).unwrap();
        answered.await.unwrap()
    }
}

/// The bare transaction.
async fn write(mut tx: LedgerTx, booking: &Prepared, now: Timestamp) {
    let Prepared {
        name,
        lease,
        audit,
        answer,
    } = booking;
    let expires_at = now + SignedDuration::from_hours(24);
    let key = tx.claim_key(name, &[7; 32], now, expires_at).await.unwrap();
    assert_eq!(key, KeyClaim::Taken);
    assert!(tx.lock_validator(lease.validator).await.unwrap().is_some());
    tx.insert_lease(lease).await.unwrap();
    let taken = tx.claim_exclusive(lease.validator, lease.window, lease.id);
    assert_eq!(taken.await.unwrap(), None);
    tx.audit(audit).await.unwrap();
    tx.answer_key(name, answer).await.unwrap();
    tx.commit().await.unwrap();
}

fn request(bearer: &str, key: Ulid, validator: Ulid, start: i64) -> String {
    let body = json!({
        "validator_id": validator,
        "epoch_start": start,
        "epoch_count": EPOCHS,
    })
    .to_string();
    format!(
        "POST /v1/leases HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {bearer}\r\n\
         Idempotency-Key: {key}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}
