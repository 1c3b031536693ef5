"""Orders and their quotes for the mixed-integer program of `crates/oracles`,
which says how much any route could have paid.

Ticks cost nothing there, which makes the optimum a little better than it is: by
about a hundred-thousandth of a trade of $10 for each.
"""

from typing import Any

from api import Quote
from gas import Gas
from orders import Order
from pools import Pool
from terms import WHOLE, Terms

MAX_SWAPS = 12


def exported(pools: list[Pool], terms: Terms, gas: Gas, asked: list[tuple[Order, Quote | None]]) -> dict[str, Any]:
    """A market in the form that `cargo run -p oracles --example export` writes,
    with quotes in the place of routes."""
    worths = reference(pools, terms)
    pools = [pool for pool in pools if gas.known(pool) and set(pool.tokens) <= worths.keys()]
    tokens = sorted({token for pool in pools for token in pool.tokens})
    places = {token: place for place, token in enumerate(tokens)}
    # Swaps that cost the same.
    kinds = sorted({(pool.venue, pool.extended) for pool in pools})
    costs = [gas.swap(next(p for p in pools if (p.venue, p.extended) == kind)) for kind in kinds]

    def query(order: Order, quote: Quote) -> dict[str, Any]:
        one, many = order.amount, order.amount
        fees = [0.0, 0.0]
        if not order.purchase:
            one, many = (terms.sent(order.sell, order.buy, order.amount, swaps) for swaps in (1, 2))
            if not terms.of_sold(order.sell, order.buy):
                fees = [terms.one / WHOLE, terms.many / WHOLE]
        # Of the open token for each unit of gas.
        rate = quote.gas_usd / quote.gas / worths[order.sell if order.purchase else order.buy]
        return {
            "sell": places[order.sell],
            "buy": places[order.buy],
            "exactOut": order.purchase,
            "direct": False,
            "worth": order.usd,
            "amountOne": str(one),
            "amountMany": str(many),
            "maxSwaps": MAX_SWAPS,
            "swapCosts": [cost * rate for cost in costs],
            "feeOne": fees[0],
            "feeMany": fees[1],
            "quoted": {
                "sold": str(quote.sold),
                "bought": str(quote.bought),
                "cost": (quote.gas - gas.base) * rate,
                "gap": quote.gap,
                "swaps": swaps(quote.routes),
            },
        }

    return {
        "tokens": [{"address": hex(token), "worth": worths[token]} for token in tokens],
        "pools": [
            {
                **pool.exported(),
                "name": pool.venue,
                "tokens": [places[token] for token in pool.tokens],
                "venue": kinds.index((pool.venue, pool.extended)),
            }
            for pool in pools
        ],
        "queries": [query(order, quote) for order, quote in asked if quote],
    }


def swaps(routes: list[dict[str, Any]], depth: int = 0) -> list[str]:
    """The tree of a quote, a line for each swap."""
    lines = []
    for route in routes:
        ends = f"{route['sellTokenAddress']} to {route['buyTokenAddress']}"
        lines.append(f"{'  ' * depth}{100 * route['percent']:.2f} % {route['name']} {ends}")
        lines += swaps(route["routes"], depth + 1)
    return lines


def reference(pools: list[Pool], terms: Terms) -> dict[int, float]:
    """What units of tokens are worth: by their prices, or by pools with tokens
    that have one."""
    worths = {token: terms.worth(token) for token in terms.decimals if terms.worth(token) > 0}
    for _ in range(MAX_SWAPS):
        for pool in pools:
            for side in (0, 1):
                sold, bought = pool.tokens[side], pool.tokens[1 - side]
                if sold not in worths and bought in worths and pool.spot(side) > 0:
                    worths[sold] = worths[bought] * pool.spot(side)
    return worths
