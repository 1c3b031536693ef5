"""Compares routes with the best that any route could pay.

Reads markets with orders and the routes found for them, one to a line, as
`cargo run -p oracles --example export` writes them, with everything that a user
pays: each swap costs something, and the platform takes more of several swaps
than of one. Each route is executed again, swap by swap, and held against the
optimum of a mixed-integer program over all pools. Shortfalls are parts of what
the optimum trades. Ends with 1 if too many routes fall short of it, or if a route
claims to be nearer to it than it is.
"""

import argparse
import json
import sys
from math import inf
from time import monotonic

from optimum import NEAR, optimum
from orders import TRADE, Asked
from replay import replayed

# So many routes of a hundred have to be within so much of the optimum.
BARS = [(1e-4, 0.95), (1e-3, 0.99), (1e-2, 1.0)]

# What the program's tolerances may make of nothing.
ROUNDING = 2 * NEAR / TRADE


class Verdict:
    """A route beside the optimum of its order."""

    def __init__(self, market, number, seconds):
        query = market["queries"][number]
        self.number, self.asked = number, Asked(market, query)
        self.route = query["routes"][0] if query["routes"] else None
        self.paid, swaps = self.executed()
        self.optimum = optimum(self.asked, self.paid, monotonic() + seconds)
        # What the optimum trades, gross.
        best = max(self.paid, self.optimum.paid) if self.optimum else self.paid
        self.gross = abs(best) if best > -inf else TRADE

    def executed(self):
        """What the route pays, net."""
        if self.route is None:
            return -inf, 0
        asked, legs = self.asked, self.route["legs"]
        sold, bought = replayed(asked, self.route)
        cost = sum(asked.cost(leg["pool"]) for leg in legs)
        amount = sold * asked.scales[asked.sell] if asked.purchase else bought * asked.scales[asked.buy]
        return asked.net(amount, len(legs), cost), len(legs)

    def shortfall(self):
        """How much less the route pays than the optimum: at least and at most."""
        if self.optimum is None:
            return 0.0, 0.0
        if self.route is None:
            # A sale that costs more than it brings need not be found.
            missed = 1.0 if self.optimum.paid > -inf and (self.asked.purchase or self.optimum.paid > 0) else 0.0
            return missed, missed
        low, high = self.optimum.paid - self.paid, self.optimum.bound - self.paid
        return max(low, 0.0) / self.gross, max(high, 0.0) / self.gross

    def is_known(self):
        low, high = self.shortfall()
        return high - low <= ROUNDING or high <= BARS[0][0]

    def overclaims(self):
        """Whether the route's own bound is below what the optimum pays."""
        if self.route is None or self.route["gap"] is None:
            return False
        return self.shortfall()[0] > self.route["gap"] + ROUNDING

    def told(self):
        low, high = self.shortfall()
        order = {key: value for key, value in self.asked.query.items() if key != "routes"}
        return f"order {self.number}, short by {low:.2e} to {high:.2e}: {json.dumps(order)}"

    def sets(self):
        """The edges of both, with what each sells in basis points of the trade."""
        scales, pools = self.asked.scales, self.asked.market["pools"]
        mine = [
            (leg["pool"], leg["side"], int(leg["sold"]) * scales[pools[leg["pool"]]["tokens"][leg["side"]]])
            for leg in (self.route["legs"] if self.route else [])
        ]
        best = [(edge.pool, edge.side, sold) for edge, sold in self.optimum.route]
        for name, swaps, paid in (("route", mine, self.paid), ("optimum", best, self.optimum.paid)):
            print(f"    {name} pays {paid:.3f} with {len(swaps)} swaps")
            for pool, side, sold in swaps:
                tokens = pools[pool]["tokens"]
                ends = f"{tokens[side]} to {tokens[1 - side]}"
                print(f"      pool {pool:>3} ({pools[pool]['kind']}) {ends:>12} sells {sold:10.3f}")


def percentile(values, part):
    return sorted(values)[min(int(len(values) * part), len(values) - 1)]


def report(name, verdicts):
    """Prints the distribution; the shares within the bars."""
    known = [verdict for verdict in verdicts if verdict.is_known()]
    short = [verdict.shortfall()[1] if verdict.shortfall()[1] <= BARS[0][0] else verdict.shortfall()[0] for verdict in known]
    gaps = [inf if v.route["gap"] is None else v.route["gap"] for v in verdicts if v.route]
    if not short:
        return {}
    within = {limit: sum(gap <= limit for gap in short) / len(short) for limit, _ in BARS}
    shares = ", ".join(f"{100 * part:.1f} % within {limit:g}" for limit, part in within.items())
    print(
        f"{name}: {len(verdicts)} orders, {len(verdicts) - len(known)} unsolved; {shares}, "
        f"worst {max(short):.1e}; their own bounds: p50 {percentile(gaps, 0.5):.1e} p90 {percentile(gaps, 0.9):.1e}",
        flush=True,
    )
    return within


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--seconds", type=float, default=30.0, help="for each order")
    arguments.add_argument("--show", action="store_true", help="print pools of orders that fall short")
    arguments = arguments.parse_args()
    everything = []
    for line in sys.stdin:
        market, start = json.loads(line), monotonic()
        verdicts = []
        for number in range(len(market["queries"])):
            verdict = Verdict(market, number, arguments.seconds)
            verdicts.append(verdict)
            if not verdict.is_known():
                print(f"  unsolved: {verdict.told()}", flush=True)
            elif verdict.shortfall()[1] > BARS[0][0]:
                print(f"  {verdict.told()}", flush=True)
            else:
                continue
            if arguments.show and verdict.optimum:
                verdict.sets()
        report(f"{len(market['pools'])} pools ({monotonic() - start:.0f} s)", verdicts)
        everything += verdicts
    within = report("all", everything)
    for verdict in everything:
        if verdict.overclaims():
            print(f"the bound {verdict.route['gap']:.2e} is too low: {verdict.told()}")
    missed = [limit for limit, part in BARS if within.get(limit, 0.0) < part]
    if missed:
        sys.exit(f"too few routes within {missed} of the optimum")
    if any(verdict.overclaims() for verdict in everything):
        sys.exit("a route claims to be nearer to the optimum than it is")


main()
