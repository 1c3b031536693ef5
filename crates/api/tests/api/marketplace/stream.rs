//! `POST /v1/stream-tickets` and `GET /v1/stream`.

use super::{
    lease_tokens::{leased, pay_with},
    support::{Ask, Market, OFFER, Person, booking},
};
use crate::support::{Opened, get, open};
use api::StreamLimits;
use futures_util::future::join_all;
use primitives::{SeededEntropy, SignedDuration};
use rstest::rstest;
use serde_json::{Value, json};
use services::leasing::{Leasing, SolanaNodes};
use std::sync::Arc;
use world::{
    Engine::{self, Postgres, Sqlite},
    TestDatabase,
};

const TICKETS: &str = "/v1/stream-tickets";

impl Market {
    async fn ticket(&self, person: &Person) -> String {
        let made = self.send(Ask::post(TICKETS).by(person)).await.data(201);
        made["ticket"].as_str().unwrap().to_owned()
    }

    /// A stream of somebody's, with more in its query.
    async fn listen(&self, person: &Person, more: &str) -> Opened {
        let path = format!("/v1/stream?ticket={}{more}", self.ticket(person).await);
        let stream = self.bench.open(get(&path)).await;
        assert_eq!(stream.status, 200);
        stream
    }

    /// Links what happened, which is told from then on.
    async fn link(&self) {
        self.leasing.audit_chain().round().await.unwrap();
    }

    /// Where the audit log's chain ends.
    async fn position(&self) -> u64 {
        let standing = self.leasing.audit_chain().verify(None).await.unwrap();
        standing.last.map_or(0, |(link, _)| link.position)
    }
}

#[tokio::test]
async fn those_who_may_see_a_lease_are_told_what_happens_to_it_and_others_are_not() {
    let market = Market::new().await;
    let validator = market.register(0, OFFER).await;
    market.link().await;
    let before = market.position().await;
    let stranger = market.another_trader().await;
    let mut streams = Vec::new();
    for person in [&market.trader, &market.owner, &market.staff] {
        let mut stream = market.listen(person, "").await;
        assert_eq!(stream.headers["content-type"], "text/event-stream");
        assert_eq!(stream.headers["cache-control"], "no-store");
        assert_eq!(stream.block().await.unwrap(), "retry: 2000");
        streams.push(stream);
    }
    let mut others = market.listen(&stranger, "").await;
    let first = leased(&market, &validator, 0).await;
    market.link().await;
    for stream in &mut streams {
        let event = stream.next().await;
        assert_eq!(event.name, "lease");
        assert_eq!(event.data["leaseId"], first.as_str());
        assert_eq!(event.data["event"], "lease.activated");
        assert_eq!(event.data["sequence"].to_string(), event.id);
        assert!(event.data["sequence"].as_u64().unwrap() > before);
        assert!(event.data["at"].is_string());
    }
    // The stranger's first event is about the stranger's own lease.
    let body = booking(&validator, market.epoch() + 10, 2);
    let booked = market.ask_to_book(&stranger, &body).await.data(201);
    let memo = booked["payment"]["memo"].as_str().unwrap();
    pay_with(&market, memo, &market.wallet(5)).await;
    market.link().await;
    assert_eq!(others.next().await.data["leaseId"], booked["lease_id"]);
}

#[tokio::test]
async fn who_comes_back_is_told_what_was_missed() {
    let market = Market::new().await;
    let validator = market.register(0, OFFER).await;
    let lease = leased(&market, &validator, 0).await;
    market.link().await;
    let mut stream = market.listen(&market.trader, "&lastEventId=0").await;
    let told = stream.next().await;
    assert_eq!(told.data["leaseId"], lease.as_str());
    // After it there is nothing, so that the next event is the next lease's.
    let ticket = market.ticket(&market.trader).await;
    let path = format!("/v1/stream?ticket={ticket}&lastEventId=0");
    let mut again = market
        .bench
        .open(get(&path).header("last-event-id", told.id.as_str()))
        .await;
    // A place that nobody has reached yet is the newest one.
    let mut ahead = market.listen(&market.trader, "&lastEventId=999999").await;
    let stop = format!("/v1/validators/{validator}/leases/{lease}/revoke");
    let ask = Ask::post(&stop).by(&market.owner).key(&market.key());
    let body = json!({"reason": "maintenance"});
    let revoked = market.send(ask.json(&body)).await;
    assert_eq!(revoked.status, 200, "{}", revoked.text());
    market.link().await;
    for stream in [&mut again, &mut ahead, &mut stream] {
        assert_eq!(stream.next().await.data["event"], "lease.revoked");
    }
}

#[rstest]
#[tokio::test]
async fn a_ticket_opens_one_stream_at_any_replica(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let market = Market::at(&database.location).await;
    let other = Leasing::new(
        market.bench.store.clone(),
        SolanaNodes::default(),
        market.bench.clock.clone(),
        Arc::new(SeededEntropy::new(77)),
        market.leasing.options().clone(),
    );
    let replica = market.bench.with_leasing(other);
    let routers = [&market.bench.router, &replica];
    let path = format!("/v1/stream?ticket={}", market.ticket(&market.trader).await);
    let all = (0..8).map(|place: usize| open(routers[place % 2], get(&path)));
    let opened = join_all(all).await;
    let mut statuses: Vec<u16> = opened.iter().map(|it| it.status.as_u16()).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 401, 401, 401, 401, 401, 401, 401]);
}

#[tokio::test]
async fn a_ticket_that_is_none_or_over_opens_nothing() {
    let market = Market::new().await;
    for path in ["/v1/stream", "/v1/stream?ticket=", "/v1/stream?ticket=x"] {
        let refused = market.send(Ask::get(path)).await;
        let problem = refused.problem(401, "auth-required");
        let told = "the ticket is none, was used, or is over; get another one";
        assert_eq!(problem["detail"], told);
    }
    let ticket = market.ticket(&market.trader).await;
    market.bench.clock.advance(SignedDuration::from_secs(30));
    let path = format!("/v1/stream?ticket={ticket}");
    market
        .send(Ask::get(&path))
        .await
        .problem(401, "auth-required");
    // Bearers are for everything else, and tickets for nothing else.
    let bearer = Ask::get("/v1/stream").by(&market.trader);
    market.send(bearer).await.problem(401, "auth-required");
    let ticket = market.ticket(&market.trader).await;
    let me = Ask::get("/v1/me").bearer(&ticket);
    market.send(me).await.problem(401, "auth-required");
    let twice = Ask::get("/v1/stream?ticket=a&ticket=b");
    market.send(twice).await.problem(400, "malformed-request");
    let place = Ask::get("/v1/stream?ticket=a&lastEventId=-1");
    market.send(place).await.problem(400, "malformed-request");
    market
        .send(Ask::post(TICKETS))
        .await
        .problem(401, "auth-required");
}

#[tokio::test]
async fn tickets_that_nobody_used_are_swept() {
    let market = Market::new().await;
    let ticket = market.ticket(&market.trader).await;
    market.bench.clock.advance(SignedDuration::from_secs(30));
    market.leasing.sweeper().round().await.unwrap();
    market.bench.clock.advance(SignedDuration::from_secs(-20));
    let path = format!("/v1/stream?ticket={ticket}");
    market
        .send(Ask::get(&path))
        .await
        .problem(401, "auth-required");
}

#[tokio::test]
async fn there_are_only_so_many_and_a_refused_opening_leaves_its_ticket() {
    let market = Market::configured(|config| {
        config.marketplace.limits = None;
        config.streams = StreamLimits {
            total: 10,
            per_address: 1,
        };
    })
    .await;
    let first = market.listen(&market.trader, "").await;
    let path = format!("/v1/stream?ticket={}", market.ticket(&market.trader).await);
    let refused = market.send(Ask::get(&path)).await;
    let problem: Value = refused.problem(429, "rate-limit-exceeded");
    let told = "no more than 1 streams of one address; close one of them";
    assert_eq!(problem["detail"], told);
    assert!(refused.header("retry-after").is_some());
    drop(first);
    assert_eq!(market.bench.open(get(&path)).await.status, 200);
}
