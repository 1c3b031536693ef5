//! `GET /v3/stream`: what is new, as it happens.

mod events;
mod progress;
#[cfg(test)]
mod progress_tests;
mod query;
mod source;

use super::{MarketState, view::View};
use crate::http::{
    error::{QueryAnswers, Rejection},
    event_stream::{self, StreamEvent},
};
use axum::{extract::State, http::request::Parts, response::Response};
use events::{NewsBody, block_of};
use futures_util::stream;
use progress::StreamProgress;
use query::{StreamQuery, Wanted};
use services::RecurringOrders;
use source::Published;
use tokio::sync::watch;
use utoipa::IntoParams;
use utoipa_axum::{router::UtoipaMethodRouter, routes};

pub(super) fn routes() -> [UtoipaMethodRouter<MarketState>; 1] {
    [routes!(market_stream)]
}

/// What a client knows already.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "only describes the header")]
struct LastEventId {
    /// The id of the last event that the client got, which `EventSource` sends by
    /// itself. If its block is one of the newest 64, or was and has been replaced, the
    /// blocks since then are told; otherwise the stream begins with the newest one.
    #[param(rename = "Last-Event-ID", value_type = Option<String>, example = "123-0x2a1c")]
    last_event_id: String,
}

/// What is new, as it happens
///
/// Server-sent events, each with an `id`, a name (`event`) and one line of JSON
/// (`data`): `block` and `reorganisation` in any case, `prices`, `candle` and `orders`
/// as asked for. A reorganisation comes before the blocks that follow it, and what was
/// told of later blocks does not hold any more. Opening a stream counts as one request.
/// A reader that is slow is told less often, and never what is old; one that is far
/// behind is told so by `lagging`, and then everything anew.
#[utoipa::path(
    get,
    path = "/v3/stream",
    operation_id = "marketStream",
    tag = "Stream",
    params(StreamQuery, LastEventId),
    responses(
        (
            status = 200, description = "The events, until somebody hangs up.",
            body = NewsBody, content_type = "text/event-stream",
        ),
        QueryAnswers,
    ),
)]
async fn market_stream(
    State(state): State<MarketState>,
    request: Parts,
) -> Result<Response, Rejection> {
    let wanted = Wanted::of(&request.uri)?;
    if wanted.trader.is_some() && state.orders.is_none() {
        let message = "recurring orders are not offered here: no factory is configured";
        return Err(Rejection::invalid(message.to_owned()));
    }
    state.snapshots.load().ok_or(Rejection::NotReady)?;
    let seat = state.streams.admit(&request)?;
    let orders = state.orders.as_ref();
    let known = event_stream::last_event_id(&request.headers).and_then(block_of);
    let subscriber = Subscriber {
        snapshots: state.snapshots.changes(),
        orders: wanted.trader.and(orders).map(RecurringOrders::changes),
        progress: StreamProgress::new(wanted, known),
        state,
    };
    let events = stream::unfold(subscriber, Subscriber::next);
    Ok(event_stream::answer(events, seat))
}

/// One open stream.
struct Subscriber {
    state: MarketState,
    progress: StreamProgress,
    snapshots: watch::Receiver<()>,
    /// Of whoever wants to hear of them.
    orders: Option<watch::Receiver<()>>,
}

impl Subscriber {
    /// Waits until there is something to tell.
    async fn next(mut self) -> Option<(Vec<StreamEvent>, Self)> {
        loop {
            let events = self.look()?;
            if !events.is_empty() {
                return Some((events, self));
            }
            let changed = match &mut self.orders {
                None => self.snapshots.changed().await,
                Some(orders) => tokio::select! {
                    changed = self.snapshots.changed() => changed,
                    changed = orders.changed() => changed,
                },
            };
            changed.ok()?;
        }
    }

    /// What is new now. What cannot be written was told where it was found, and ends
    /// the stream.
    fn look(&mut self) -> Option<Vec<StreamEvent>> {
        let snapshot = self.state.snapshots.load()?;
        let clock = self.state.clock.now();
        let now = snapshot.figures.head_time().max(clock.as_second());
        let view = View {
            snapshot,
            clock,
            now,
        };
        let orders = self.state.orders.as_ref();
        let news = self.progress.next(&Published { view, orders });
        let dialect = self.state.dialect;
        let written = news.iter().map(|news| news.written(dialect));
        written.collect::<Result<_, _>>().ok()
    }
}
