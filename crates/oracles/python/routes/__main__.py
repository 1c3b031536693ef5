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
        self.number, self.asked = number, Asked(market, market["queries"][number])
        self.paid, self.gap, self.swaps = executed(self.asked)
        self.optimum = optimum(self.asked, self.paid, monotonic() + seconds)
        # What the better of the two is worth.
        best = max(self.paid, self.optimum.paid) if self.optimum else self.paid
        self.worth = abs(best) if best > -inf else TRADE

    def shortfall(self):
        """How much less the route pays than the optimum: at least and at most."""
        if self.optimum is None:
            return 0.0, 0.0
        if self.paid == -inf:
            # A sale that costs more than it brings need not be found.
            is_missed = self.optimum.paid > (-inf if self.asked.purchase else 0.0)
            return float(is_missed), float(is_missed)
        low, high = self.optimum.paid - self.paid, self.optimum.bound - self.paid
        return max(low, 0.0) / self.worth, max(high, 0.0) / self.worth

    def is_known(self):
        """Whether it is clear within which bars the route is, but for rounding."""
        low, high = self.shortfall()
        return high - low <= ROUNDING or all((low <= bar) == (high <= bar) for bar, _ in BARS)

    def short(self):
        """The shortfall as it counts: what is not known speaks for the route."""
        return self.shortfall()[0]

    def overclaims(self):
        """Whether the route's own bound is below what the optimum pays."""
        return self.shortfall()[0] > self.gap + ROUNDING

    def told(self):
        low, high = self.shortfall()
        order = {key: value for key, value in self.asked.query.items() if key not in ("routes", "quoted")}
        nets = f"nets {self.paid:.2f} of {TRADE:.0f}"
        return f"order {self.number}, {nets}, short by {low:.2e} to {high:.2e}: {json.dumps(order)}"

    def sets(self):
        """Prints the swaps of both, with what each sells in basis points."""
        print(f"    the route pays {self.paid:.3f} with")
        for line in self.swaps:
            print(f"      {line}")
        print(f"    the optimum pays {self.optimum.paid:.3f} with")
        for edge, sold in self.optimum.route:
            print(f"      {told_swap(self.asked, edge.pool, edge.side, sold)}")


def told_swap(asked, number, side, sold):
    pool, tokens = asked.market["pools"][number], asked.market["tokens"]
    ends = [pool["tokens"][side], pool["tokens"][1 - side]]
    if "name" in pool:
        return f"{sold:10.3f} {pool['name']} {tokens[ends[0]]['address']} to {tokens[ends[1]]['address']}"
    return f"{sold:10.3f} to pool {number} ({pool['kind']}) from {ends[0]} to {ends[1]}"


def executed(asked):
    """What the first route pays net, its own bound, and its swaps."""
    query = asked.query
    if "quoted" in query:
        quoted = query["quoted"]
        sold, bought = (int(quoted[side]) for side in ("sold", "bought"))
        cost = quoted["cost"] * asked.open
        # Fees are taken already.
        paid = -sold * asked.open - cost if asked.purchase else bought * asked.open - cost
        return paid, inf if quoted["gap"] is None else quoted["gap"], quoted["swaps"]
    if not query["routes"]:
        return -inf, inf, []
    route = query["routes"][0]
    sold, bought = replayed(asked, route)
    legs = route["legs"]
    cost = sum(asked.cost(leg["pool"]) for leg in legs)
    paid = asked.net((sold if asked.purchase else bought) * asked.open, len(legs), cost)
    swaps = []
    for leg in legs:
        source = asked.market["pools"][leg["pool"]]["tokens"][leg["side"]]
        sells = int(leg["sold"]) * asked.scales[source]
        swaps.append(told_swap(asked, leg["pool"], leg["side"], sells))
    return paid, inf if route["gap"] is None else route["gap"], swaps


def percentile(values, part):
    return sorted(values)[min(int(len(values) * part), len(values) - 1)]


def report(name, verdicts):
    """Prints the distribution; the shares within the bars."""
    known = [verdict for verdict in verdicts if verdict.is_known()]
    short = [verdict.short() for verdict in known]
    gaps = [verdict.gap for verdict in verdicts if verdict.paid > -inf]
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
            elif verdict.short() > BARS[0][0]:
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
            print(f"the bound {verdict.gap:.2e} is too low: {verdict.told()}")
    missed = [limit for limit, part in BARS if within.get(limit, 0.0) < part]
    if missed:
        sys.exit(f"too few routes within {missed} of the optimum")
    if any(verdict.overclaims() for verdict in everything):
        sys.exit("a route claims to be nearer to the optimum than it is")


main()
