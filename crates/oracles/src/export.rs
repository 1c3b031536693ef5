//! Markets, orders and routes as JSON, for programs in other languages.
//!
//! Tokens and pools are named by their places; amounts are decimal text. A pool
//! tells its state and its terms, nothing that was computed from them.

use crate::generated::{GeneratedMarket, Query};
use amm::Side;
use amm::book::{PoolView, Shape, Spot, State};
use routing::{Amount, Leg, Order, Route};
use serde_json::{Value, json};

/// An order, and the routes that were found for it.
#[derive(Debug, Clone)]
pub struct Answered {
    /// What was asked for.
    pub query: Query,
    /// How it was put.
    pub order: Order,
    /// What was found.
    pub routes: Vec<Route>,
}

/// A market with orders, those left out that name a token of no pool.
#[must_use]
pub fn market(market: &GeneratedMarket, answered: &[Answered]) -> Value {
    let tokens = market.tokens().iter().map(|token| {
        json!({
            "address": token.address,
            "decimals": token.decimals,
            "worth": token.worth,
        })
    });
    let pools = market.pools().iter();
    let queries = answered.iter().filter_map(|asked| query(market, asked));
    json!({
        "tokens": tokens.collect::<Vec<_>>(),
        "pools": pools.map(|view| pool(market, &view)).collect::<Vec<_>>(),
        "queries": queries.collect::<Vec<_>>(),
    })
}

fn pool(market: &GeneratedMarket, view: &PoolView<'_>) -> Value {
    let mut pool = curve(view);
    if let Some(fields) = pool.as_object_mut() {
        let tokens = view.tokens().map(|token| market.place(token));
        fields.insert("tokens".to_owned(), json!(tokens));
        fields.insert("venue".to_owned(), json!(view.pool.venue().index()));
    }
    pool
}

fn curve(view: &PoolView<'_>) -> Value {
    match (view.pool.state(), view.pool.shape(), view.spot()) {
        (State::Reserves(reserves), Shape::Charged { fee }, _) => json!({
            "kind": "product",
            "reserves": reserves.map(|held| held.to_string()),
            // Of 100,000.
            "fee": fee,
        }),
        (State::Concentrated(ranges), _, Spot::Keyed { fee, .. }) => json!({
            "kind": "ranges",
            // Of 2^128.
            "fee": fee.to_string(),
            "sqrtRatio": ranges.sqrt_ratio.to_string(),
            "tick": ranges.tick,
            "liquidity": ranges.liquidity.to_string(),
            "ticks": ranges.ticks.iter().map(|tick| json!([tick.index, tick.net.to_string()])).collect::<Vec<_>>(),
        }),
        (State::Reserves(reserves), ..) => {
            let facts = view.pool.facts().copied().unwrap_or_default();
            json!({
                "kind": view.venue.name,
                    "reserves": reserves.map(|held| held.to_string()),
                "decimals": facts.decimals,
                "amplification": facts.amplification,
                // Of 10,000 where the curve is flat, of 10^18 where it is amplified.
                "fee": facts.fees[0].to_string(),
            })
        }
        // Generated markets have none of these.
        (State::Concentrated(_) | State::Vault(_), ..) => Value::Null,
    }
}

fn query(market: &GeneratedMarket, asked: &Answered) -> Option<Value> {
    let Answered {
        query,
        order,
        routes,
    } = asked;
    let (one, many) = match order.amount {
        Amount::In { one, many } => (one, many),
        Amount::Out(bought) => (bought, bought),
    };
    Some(json!({
        "sell": market.place(query.sell)?,
        "buy": market.place(query.buy)?,
        "exactOut": query.exact_out,
        "direct": query.direct,
        "worth": query.worth,
        // What goes through the pools with one swap and with more.
        "amountOne": one.to_string(),
        "amountMany": many.to_string(),
        "maxSwaps": order.max_swaps,
        // Lost for each swap by its venue, of the token whose amount is open.
        "swapCosts": order.costs.swap,
        // Parts of the open amount.
        "feeOne": order.costs.fee_one,
        "feeMany": order.costs.fee_many,
        "routes": routes.iter().map(|found| route(market, found)).collect::<Vec<_>>(),
    }))
}

fn route(market: &GeneratedMarket, route: &Route) -> Value {
    let tokens = route.tokens.iter().map(|token| market.place(*token));
    json!({
        "tokens": tokens.collect::<Vec<_>>(),
        "sold": route.sold.to_string(),
        "bought": route.bought.to_string(),
        "gap": route.gap,
        "legs": route.legs.iter().map(leg).collect::<Vec<_>>(),
    })
}

fn leg(leg: &Leg) -> Value {
    json!({
        "pool": leg.pool.index(),
        // The place of the sold token among the pool's two.
        "side": u8::from(leg.side == Side::Token1),
        // Places in the tokens of the route.
        "from": leg.from,
        "to": leg.to,
        // Of 10^12 of what is there of the sold token.
        "share": leg.share.units(),
        "sold": leg.sold.to_string(),
        "bought": leg.bought.to_string(),
    })
}
