"""Compares routes with the best that any route could pay.

Reads markets with orders and the routes found for them, one to a line, as
`cargo run -p oracles --example export` writes them. Each route is executed
again, swap by swap, and held against the optimum of a linear program over all
pools. Ends with 1 if too many routes fall short of it.
"""

import json
import sys
from time import monotonic

from curves import curve
from optimum import Edge, Program
from replay import replayed

# So many routes of a hundred have to be within so much of the optimum.
BARS = [(1e-4, 0.99), (1e-3, 0.999)]

# Nothing is better than the best, but for what the solver tolerates.
IMPOSSIBLE = -1e-5

# Orders that move the price farther than this do not count.
MAX_IMPACT = 0.3


def directions(market):
    """Every pool in both directions: twice a pool's place, and its side."""
    for pool in market["pools"]:
        first, second = pool["tokens"]
        yield curve(pool, 0), first, second
        yield curve(pool, 1), second, first


def shortfall(market, curves, query):
    """How far the first route is from the optimum, as a part of it, and how far
    the optimum moves the price; `None` where there is no way, by the program."""
    sell, buy, exact_out = query["sell"], query["buy"], query["exactOut"]
    worth = [token["worth"] for token in market["tokens"]]
    # Everything in parts of what the named amount is worth.
    named = int(query["amount"]) * worth[buy if exact_out else sell]
    worth = [each / named for each in worth]
    cost = query["swapCost"] * worth[sell if exact_out else buy]
    edges = {}
    for place, (curve_of, source, target) in enumerate(curves):
        if curve_of.most > 0 and (not query["direct"] or {source, target} == {sell, buy}):
            edges[place] = Edge(curve_of, source, target, worth[source], worth[target])
    places = {place: number for number, place in enumerate(edges)}
    route = query["routes"][0] if query["routes"] else None
    hints = {}
    for leg in route["legs"] if route else []:
        place = 2 * leg["pool"] + leg["side"]
        hints[places[place]] = int(leg["sold"]) * edges[place].scale_in
    best = Program(list(edges.values()), sell, buy, exact_out, cost).bound(hints)
    if best is None or (best <= 0 and not exact_out):
        assert route is None or cost, "a route where the program has none"
        return None
    impact = 1 - 1 / best if exact_out else 1 - best
    if route is None:
        return 1.0, impact
    sold, bought = replayed(market, query, route)
    spent = cost * len(route["legs"])
    if exact_out:
        mine = sold * worth[sell] + spent
        return mine / best - 1, impact
    mine = bought * worth[buy] - spent
    return 1 - mine / best, impact


def report(name, gaps):
    gaps = sorted(gaps)
    within = {limit: sum(gap <= limit for gap in gaps) / len(gaps) for limit in (1e-5, 1e-4, 1e-3)}
    shares = ", ".join(f"{100 * part:.1f} % within {limit:g}" for limit, part in within.items())
    print(f"{name}: {len(gaps)} routes, {shares}, worst {gaps[-1]:.2e}", flush=True)
    return within


def main(lines):
    everything = []
    for line in lines:
        market, start, gaps = json.loads(line), monotonic(), []
        curves = list(directions(market))
        for number, query in enumerate(market["queries"]):
            found = shortfall(market, curves, query)
            if found is None or found[1] > MAX_IMPACT:
                continue
            gaps.append(found[0])
            if not IMPOSSIBLE < found[0] <= 1e-4:
                order = {key: value for key, value in query.items() if key != "routes"}
                print(f"  {found[0]:.2e} at order {number}, impact {found[1]:.1e}: {json.dumps(order)}")
        costs = ", costs" if market["queries"][0]["swapCost"] else ""
        name = f"{len(market['pools'])} pools{costs} ({monotonic() - start:.0f} s)"
        if gaps:
            report(name, gaps)
        everything += gaps
    within = report("all", everything)
    impossible = min(everything) < IMPOSSIBLE
    missed = [limit for limit, part in BARS if within[limit] < part]
    if impossible:
        sys.exit("a route is better than the best")
    if missed:
        sys.exit(f"too few routes within {missed} of the optimum")


main(sys.stdin)
