//! `GET /dca/v3/orders`.

use super::{
    super::{TradeState, rendered_orders::OrderLooks},
    list_query::{OrderList, OrderListQuery},
    offered::offered,
    order_body::{OrderBody, OrderPageBody},
};
use crate::http::error::{QueryAnswers, Rejection};
use axum::{
    extract::State,
    http::{Uri, header::CONTENT_TYPE},
    response::{IntoResponse, Response},
};
use axum_extra::extract::Query;
use primitives::{Impossible, OrImpossible as _};
use serde_json::value::{RawValue, to_raw_value};
use services::PastPrices;
use std::sync::Arc;
use trading::recurring::{Now, Order, OrderBook};

/// List the recurring orders of a trader
///
/// By what the chain told until its newest block, with every cycle: those that
/// were executed, those that were not and why, those that are ahead. A page past
/// the end is empty.
#[utoipa::path(
    get,
    path = "/dca/v3/orders",
    operation_id = "dcaOrders",
    tag = "Recurring orders",
    params(OrderListQuery),
    responses(
        (status = 200, description = "A page of orders.", body = OrderPageBody<'static>),
        QueryAnswers,
    ),
)]
pub(super) async fn list_orders(
    State(state): State<TradeState>,
    uri: Uri,
) -> Result<Response, Rejection> {
    let Query(query) = Query::<OrderListQuery>::try_from_uri(&uri)
        .map_err(|error| Rejection::invalid(format!("query: {error}")))?;
    let orders = offered(&state)?;
    let list = query.read()?;
    let found = orders.look(|book, now| found(book, now, &list, &state));
    let Found { page, total, now } = found.ok_or(Rejection::NotReady)?;
    let snapshot = state.snapshot()?;
    let prices = PastPrices::new(&snapshot);
    let render = |listed: Listed| listed.text(now, &prices, &state);
    let texts: Result<Vec<_>, Impossible> = page.into_iter().map(render).collect();
    let texts = texts?;
    let total = u64::try_from(total).unwrap_or(u64::MAX);
    let body = OrderPageBody {
        content: texts.iter().map(|text| &**text).collect(),
        size: list.size,
        number: list.page,
        total_elements: total,
        total_pages: total.div_ceil(list.size),
    };
    let text = state.dialect.json(&body)?;
    Ok(([(CONTENT_TYPE, "application/json")], text).into_response())
}

/// What is taken out of the book, which is not held while it is written down.
struct Found {
    page: Vec<Listed>,
    total: usize,
    now: Now,
}

/// An order of the page: its JSON if that is known, and otherwise itself.
enum Listed {
    Known(Arc<RawValue>),
    New(Box<Order>, OrderLooks),
}

fn found(book: &OrderBook, now: Now, list: &OrderList, state: &TradeState) -> Found {
    let (page, total) = list.page(book.of_trader(list.trader), now);
    let listed = |order: &Order| {
        let looks = OrderLooks::new(order, now);
        let known = state.rendered_orders.find(order.deployed.address, &looks);
        known.map_or_else(
            || Listed::New(Box::new(order.clone()), looks),
            Listed::Known,
        )
    };
    Found {
        page: page.into_iter().map(listed).collect(),
        total,
        now,
    }
}

impl Listed {
    fn text(
        self,
        now: Now,
        prices: &PastPrices<'_>,
        state: &TradeState,
    ) -> Result<Arc<RawValue>, Impossible> {
        let (order, looks) = match self {
            Self::Known(text) => return Ok(text),
            Self::New(order, looks) => (order, looks),
        };
        let body = OrderBody::new(&order, now, prices, state.dialect);
        let text: Arc<RawValue> = to_raw_value(&body)
            .or_impossible("an order can be written")?
            .into();
        let address = order.deployed.address;
        state
            .rendered_orders
            .keep(address, looks, Arc::clone(&text));
        Ok(text)
    }
}
