//! A poller and an aggregator over real HTTP.

use super::{source::Source, *};
use axum::{
    Router,
    body::Body,
    extract::State,
    http::{HeaderMap, StatusCode, Uri, header::RETRY_AFTER},
    response::{IntoResponse as _, Response},
};
use futures_util::stream;
use market::Listings;
use primitives::{Clock as _, ManualClock, SignedDuration, short_string};
use serde_json::json;
use std::{io, sync::Mutex, time::Duration};
use tokio_util::sync::CancellationToken;
use url::Url;
use world::Log;

const INTERVAL: Duration = Duration::from_mins(1);

/// What the aggregator does with the next question.
#[derive(Debug, Clone)]
enum Manner {
    Says(String),
    Fails(StatusCode, Option<&'static str>),
    /// Says so much that it never ends.
    Babbles,
    /// Begins to answer, and goes on very slowly.
    Dawdles,
}

/// An aggregator, and what it was asked.
#[derive(Debug, Clone)]
struct Aggregator {
    manner: Arc<Mutex<Manner>>,
    asked: Arc<Mutex<Vec<(Uri, HeaderMap)>>>,
}

impl Aggregator {
    /// Serves it; the address has a path, as those of real ones have.
    async fn start(manner: Manner) -> (Self, Url) {
        let aggregator = Self {
            manner: Arc::new(Mutex::new(manner)),
            asked: Arc::default(),
        };
        let router = Router::new()
            .fallback(answer)
            .with_state(aggregator.clone());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        let url = format!("http://{address}/api/v3/").parse().unwrap();
        (aggregator, url)
    }

    fn behave(&self, manner: Manner) {
        *self.manner.lock().unwrap() = manner;
    }

    fn asked(&self) -> Vec<(Uri, HeaderMap)> {
        self.asked.lock().unwrap().clone()
    }
}

async fn answer(State(aggregator): State<Aggregator>, uri: Uri, headers: HeaderMap) -> Response {
    aggregator.asked.lock().unwrap().push((uri, headers));
    let manner = aggregator.manner.lock().unwrap().clone();
    let spaces = || Ok::<_, io::Error>(vec![b' '; 1 << 16]);
    match manner {
        Manner::Says(body) => body.into_response(),
        Manner::Fails(status, None) => status.into_response(),
        Manner::Fails(status, Some(wait)) => (status, [(RETRY_AFTER, wait)]).into_response(),
        Manner::Babbles => {
            let spaces = stream::repeat_with(spaces);
            Body::from_stream(spaces).into_response()
        }
        Manner::Dawdles => {
            let slow = stream::unfold((), move |()| async move {
                tokio::time::sleep(Duration::from_millis(20)).await;
                Some((Ok::<_, io::Error>(" "), ()))
            });
            Body::from_stream(slow).into_response()
        }
    }
}

/// Listings of tokens by their names at the aggregator.
fn listings(ids: impl Iterator<Item = String>) -> Listings {
    let tokens = ids.enumerate().map(|(index, id)| {
        let address = format!("{:#x}", index + 1);
        json!({"chainId": "SN_STOA", "address": address, "extensions": {"aggregatorId": id}})
    });
    let list = json!({"tokens": tokens.collect::<Vec<_>>()});
    Listings::parse(&list.to_string(), short_string("SN_STOA")).unwrap()
}

fn prices(prices: &[(&str, f64)]) -> Manner {
    let items = prices
        .iter()
        .map(|(id, price)| json!({"id": id, "current_price": price, "market_cap": 10}));
    Manner::Says(json!(items.collect::<Vec<_>>()).to_string())
}

fn options(url: Url, timeout: Duration) -> GlobalOptions {
    GlobalOptions {
        url,
        key: None,
        interval: INTERVAL,
        timeout,
        max_age: Duration::from_mins(5),
    }
}

/// A poller with everything around it.
struct Bench {
    aggregator: Aggregator,
    poller: GlobalPoller,
    feed: GlobalFeed,
    clock: Arc<ManualClock>,
}

impl Bench {
    async fn new(manner: Manner) -> Self {
        Self::with(
            manner,
            listings(["a", "b"].map(String::from).into_iter()),
            |_| {},
        )
        .await
    }

    async fn with(manner: Manner, listings: Listings, change: impl Fn(&mut GlobalOptions)) -> Self {
        let (aggregator, url) = Aggregator::start(manner).await;
        let mut options = options(url, Duration::from_secs(10));
        change(&mut options);
        let feed = GlobalFeed::default();
        let clock = Arc::new(ManualClock::new(Timestamp::UNIX_EPOCH));
        let time = Arc::clone(&clock);
        let poller = GlobalPoller::new(&options, &listings, feed.clone(), time).unwrap();
        Self {
            aggregator,
            poller,
            feed,
            clock,
        }
    }

    fn usd(&self, id: &str) -> Option<f64> {
        self.feed
            .get(id, 0, self.clock.now())
            .map(|market| market.usd)
    }
}

#[tokio::test]
async fn what_the_aggregator_says_is_known_after_a_round() {
    let mut bench = Bench::new(prices(&[("a", 1.5), ("b", 2.0), ("c", 3.0)])).await;
    assert_eq!(bench.usd("a"), None);
    assert_eq!(bench.poller.round().await, INTERVAL);
    assert_eq!((bench.usd("a"), bench.usd("b")), (Some(1.5), Some(2.0)));
    assert_eq!(bench.usd("c"), None, "nobody asked for it");
    let (uri, headers) = bench.aggregator.asked().remove(0);
    assert_eq!(
        uri.to_string(),
        "/api/v3/coins/markets?vs_currency=usd&ids=a%2Cb&per_page=250&page=1"
    );
    assert!(!headers.keys().any(|name| name.as_str().ends_with("key")));
}

#[tokio::test]
async fn a_key_is_sent_in_the_header_of_its_plan_and_never_shown() {
    for (plan, header) in [
        (GlobalPlan::Demo, "x-cg-demo-api-key"),
        (GlobalPlan::Pro, "x-cg-pro-api-key"),
    ] {
        let list = listings(["a".to_owned()].into_iter());
        let key = GlobalKey {
            plan,
            secret: "hunter2".to_owned(),
        };
        assert!(!format!("{key:?}").contains("hunter2"));
        let set = |options: &mut GlobalOptions| {
            options.key = Some(key.clone());
            options.url.set_query(Some("token=hunter2"));
        };
        let mut bench = Bench::with(prices(&[]), list, set).await;
        bench.poller.round().await;
        let (uri, headers) = bench.aggregator.asked().remove(0);
        assert_eq!(headers[header], "hunter2");
        assert!(
            uri.query()
                .unwrap()
                .starts_with("token=hunter2&vs_currency")
        );
        assert!(!format!("{:?}", bench.poller).contains("hunter2"));
    }
}

#[tokio::test]
async fn a_key_that_no_header_can_have_is_refused() {
    let mut options = options("http://127.0.0.1:1".parse().unwrap(), INTERVAL);
    options.key = Some(GlobalKey {
        plan: GlobalPlan::Demo,
        secret: "hunter2\n".to_owned(),
    });
    let clock = Arc::new(ManualClock::new(Timestamp::UNIX_EPOCH));
    let poller = GlobalPoller::new(&options, &Listings::default(), GlobalFeed::default(), clock);
    assert!(matches!(poller, Err(GlobalSetupError::Key)));
}

#[tokio::test]
async fn an_answer_counts_for_its_time_and_not_longer() {
    let mut bench = Bench::new(prices(&[("a", 1.0)])).await;
    bench.poller.round().await;
    bench.clock.advance(SignedDuration::from_mins(5));
    assert_eq!(bench.usd("a"), Some(1.0));
    bench
        .aggregator
        .behave(Manner::Fails(StatusCode::BAD_GATEWAY, None));
    bench.poller.round().await;
    assert_eq!(bench.usd("a"), Some(1.0));
    bench.clock.advance(SignedDuration::from_millis(1));
    assert_eq!(bench.usd("a"), None);
    bench.aggregator.behave(prices(&[("a", 2.0)]));
    bench.poller.round().await;
    assert_eq!(bench.usd("a"), Some(2.0));
}

#[tokio::test]
async fn a_token_that_is_no_longer_spoken_of_is_unknown_at_once() {
    let mut bench = Bench::new(prices(&[("a", 1.0), ("b", 1.0)])).await;
    bench.poller.round().await;
    bench.aggregator.behave(prices(&[("b", 2.0)]));
    bench.poller.round().await;
    assert_eq!((bench.usd("a"), bench.usd("b")), (None, Some(2.0)));
}

#[tokio::test]
async fn an_answer_that_is_none_changes_nothing() {
    let timeout = Duration::from_millis(200);
    let list = listings(["a".to_owned()].into_iter());
    let hasty = |options: &mut GlobalOptions| options.timeout = timeout;
    let mut bench = Bench::with(prices(&[("a", 1.0)]), list, hasty).await;
    bench.poller.round().await;
    for manner in [
        Manner::Says("[".to_owned()),
        Manner::Says(r#"{"status": {"error_code": 10002}}"#.to_owned()),
        Manner::Says("<html>".to_owned()),
        Manner::Says(String::new()),
        Manner::Fails(StatusCode::INTERNAL_SERVER_ERROR, None),
        Manner::Fails(StatusCode::FOUND, None),
        Manner::Babbles,
        Manner::Dawdles,
    ] {
        bench.aggregator.behave(manner.clone());
        let pause = bench.poller.round().await;
        assert!(pause >= INTERVAL, "{manner:?}");
        assert_eq!(bench.usd("a"), Some(1.0), "{manner:?}");
    }
    assert_eq!(bench.aggregator.asked().len(), 9);
}

#[tokio::test]
async fn no_answer_is_waited_for_or_read_without_end() {
    for (manner, timeout, expected) in [
        (Manner::Babbles, Duration::from_mins(5), "an answer of more"),
        (
            Manner::Dawdles,
            Duration::from_millis(50),
            "no answer within",
        ),
    ] {
        let (_, url) = Aggregator::start(manner).await;
        let source = Source::new(&options(url, timeout)).unwrap();
        let error = source.ask(&["a".to_owned()]).await.unwrap_err();
        assert!(error.to_string().starts_with(expected), "{error}");
    }
}

#[tokio::test]
async fn pauses_double_with_failures_up_to_a_limit_and_success_ends_them() {
    let failing = Manner::Fails(StatusCode::SERVICE_UNAVAILABLE, None);
    let mut bench = Bench::new(failing).await;
    let mut pauses = Vec::new();
    for _ in 0..6 {
        pauses.push(bench.poller.round().await.as_secs());
    }
    assert_eq!(pauses, [60, 120, 240, 480, 600, 600]);
    bench.aggregator.behave(prices(&[]));
    assert_eq!(bench.poller.round().await, INTERVAL);
}

#[tokio::test]
async fn an_aggregator_that_wants_to_be_left_alone_is_left_alone_within_bounds() {
    for (wait, expected) in [
        (None, 60),
        (Some("30"), 60),
        (Some("90"), 90),
        (Some("86400"), 600),
        (Some("Wed, 21 Oct 2026 07:28:00 GMT"), 60),
    ] {
        let limited = Manner::Fails(StatusCode::TOO_MANY_REQUESTS, wait);
        let mut bench = Bench::new(limited).await;
        let pause = bench.poller.round().await;
        assert_eq!(pause.as_secs(), expected, "{wait:?}");
    }
}

#[tokio::test]
async fn many_tokens_are_asked_for_in_a_few_questions() {
    let ids = (0..1_200).map(|index| format!("token-{index:04}"));
    let strange = ["with,comma".to_owned(), "x".repeat(200), String::new()];
    let list = listings(ids.chain(strange));
    let mut bench = Bench::with(prices(&[("token-0999", 1.0)]), list, |_| {}).await;
    bench.poller.round().await;
    let asked = bench.aggregator.asked();
    let counts = asked
        .iter()
        .map(|(uri, _)| uri.query().unwrap().matches("token-").count());
    assert_eq!(counts.collect::<Vec<_>>(), [250; 4]);
    assert_eq!(bench.usd("token-0999"), Some(1.0));
    // One failure costs no other question, unless there were too many of them.
    bench
        .aggregator
        .behave(Manner::Fails(StatusCode::BAD_REQUEST, None));
    bench.poller.round().await;
    assert_eq!(bench.aggregator.asked().len(), 8);
    let limited = Manner::Fails(StatusCode::TOO_MANY_REQUESTS, None);
    bench.aggregator.behave(limited);
    bench.poller.round().await;
    assert_eq!(bench.aggregator.asked().len(), 9);
}

#[tokio::test]
async fn a_failure_is_told_once_and_counted_every_time() {
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt()
        .with_ansi(false)
        .with_writer(log.clone())
        .finish();
    let recorder = metrics_exporter_prometheus::PrometheusBuilder::new().build_recorder();
    let _log = tracing::subscriber::set_default(subscriber);
    let _metrics = metrics::set_default_local_recorder(&recorder);
    let mut bench = Bench::new(prices(&[("a", 1.0)])).await;
    for manner in [
        prices(&[("a", 1.0)]),
        Manner::Fails(StatusCode::BAD_GATEWAY, None),
        Manner::Fails(StatusCode::BAD_GATEWAY, None),
        Manner::Fails(StatusCode::FORBIDDEN, None),
        Manner::Says(r#"[{"id": "a", "current_price": -1}]"#.to_owned()),
        prices(&[("a", 1.0)]),
    ] {
        bench.aggregator.behave(manner);
        bench.poller.round().await;
    }
    let log = log.text();
    let told: Vec<&str> = log
        .lines()
        .filter(|line| line.contains("global market data"))
        .collect();
    assert_eq!(told.len(), 3, "{log}");
    assert!(told[0].contains("status 502 Bad Gateway"), "{log}");
    assert!(told[1].contains("status 403 Forbidden"), "{log}");
    assert!(told[2].contains("again"), "{log}");
    let metrics = recorder.handle().render();
    for line in [
        "stoa_global_polls_total{outcome=\"failed\"} 3",
        "stoa_global_polls_total{outcome=\"ok\"} 3",
        "stoa_global_items_skipped_total 1",
        "stoa_global_tokens 1",
    ] {
        assert!(metrics.contains(line), "{line}\n{metrics}");
    }
}

#[tokio::test]
async fn a_poller_works_until_it_is_told_to_stop() {
    for tokens in [0, 1] {
        let list = listings((0..tokens).map(|_| "a".to_owned()));
        let often = |options: &mut GlobalOptions| options.interval = Duration::from_millis(1);
        let bench = Bench::with(prices(&[("a", 1.0)]), list, often).await;
        let stop = CancellationToken::new();
        let running = tokio::spawn(bench.poller.run(stop.clone()));
        while tokens > 0 && bench.aggregator.asked().len() < 3 {
            tokio::task::yield_now().await;
        }
        assert!(!running.is_finished());
        stop.cancel();
        running.await.unwrap();
        assert_eq!(bench.aggregator.asked().is_empty(), tokens == 0);
    }
}

#[tokio::test]
async fn one_of_two_processes_asks_and_both_show_the_same_at_a_block() {
    let database = world::TestDatabase::new(world::Engine::Sqlite).await;
    let store = database.store().await;
    let duty = |bench: &Bench, holder: &str| {
        let fence = store.chain().fence("global");
        let clock = Arc::clone(&bench.clock) as Arc<dyn primitives::Clock>;
        let duty = crate::Duty::new(fence.clone(), holder.to_owned(), clock);
        (duty, store.with_fenced_chain(&fence))
    };
    let mut benches = Vec::new();
    for holder in ["one", "other"] {
        let mut bench = Bench::new(prices(&[("a", 1.0)])).await;
        let (duty, fenced) = duty(&bench, holder);
        duty.look().await.unwrap();
        bench.poller = bench.poller.sharing(duty, fenced);
        bench.poller.round().await;
        benches.push(bench);
    }
    let asked = |bench: &Bench| bench.aggregator.asked().len();
    assert_eq!((asked(&benches[0]), asked(&benches[1])), (1, 0));
    let shown = [GlobalFeed::default(), GlobalFeed::default()];
    let price = |feed: &GlobalFeed, block| {
        let market = feed.get("a", block, Timestamp::UNIX_EPOCH);
        market.map(|market| market.usd)
    };
    for feed in &shown {
        assert_eq!(price(feed, 0), None);
        feed.refresh(store.chain()).await.unwrap();
        assert_eq!(price(feed, 0), Some(1.0));
    }
    // What is new is shown from the next block on, whenever a process learns of it.
    benches[0].aggregator.behave(prices(&[("a", 2.0)]));
    benches[0].clock.advance(SignedDuration::from_secs(1));
    benches[0].poller.round().await;
    shown[0].refresh(store.chain()).await.unwrap();
    for feed in &shown {
        assert_eq!(price(feed, 0), Some(1.0));
    }
    shown[1].refresh(store.chain()).await.unwrap();
    for feed in &shown {
        assert_eq!(price(feed, 1), Some(2.0));
    }
}
