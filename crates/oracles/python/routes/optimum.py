"""The best that any route can pay, between what one does and what none exceeds.

The program of a few edges is solved, those that gain most; the others are left
out where prices prove that they cannot help. At any price of each token and of a
swap, what all edges would gain by trading at them bounds what any route pays
(Lagrange's dual); an edge whose use costs so much of that bound that less is left
than a known route pays is in no better route. If others remain, there are too
few, and more are taken in.
"""

from dataclasses import dataclass
from math import inf
from time import monotonic

from orders import TRADE
from program import Program

# The optimum is known well enough within so many basis points.
NEAR = 0.1

# Edges that are tried together at first.
CORE = 24


@dataclass
class Optimum:
    """What is known of the best route, net, in basis points of the trade."""

    # What a route pays, by the real curves, and its edges with what they sell.
    paid: float
    route: list
    # What none exceeds.
    bound: float

    def is_known(self):
        return self.bound - self.paid <= 2 * NEAR


def gain(edge, prices):
    """What an edge gains at most at prices of its tokens, without its cost."""
    source, target = prices.get(edge.source, 0.0), prices.get(edge.target, 0.0)
    if target <= 0:
        return 0.0
    sold = edge.until(source / target)
    return max(edge.at(sold)[0] * target - sold * source, 0.0) if sold < inf else inf


def dual(asked, edges, prices, swap):
    """What no route exceeds, by prices, and what is left of it for routes that
    use each edge."""
    fee = asked.fees[1]
    if asked.purchase:
        prices = {**prices, asked.sell: 1 + fee}
        ends = -prices[asked.buy] * TRADE
    else:
        prices = {**prices, asked.buy: 1 - fee}
        ends = prices[asked.sell] * TRADE
    gains = [gain(edge, prices) - edge.cost - swap for edge in edges]
    best = {}
    for edge, gained in zip(edges, gains):
        best[edge.pool] = max(best.get(edge.pool, 0.0), gained)
    bound = ends + asked.max_swaps * swap + sum(best.values())
    return bound, [bound - best[edge.pool] + gained for edge, gained in zip(edges, gains)]


def single(asked, edges):
    """The best of one swap."""
    best = Optimum(-inf, [], -inf)
    for edge in edges:
        if (edge.source, edge.target) != (asked.sell, asked.buy):
            continue
        if asked.purchase:
            sold = least(edge, TRADE)
        else:
            sold = TRADE * asked.one / asked.many
        if sold is None or sold > edge.most * (asked.one / asked.many if not asked.purchase else 1):
            continue
        amount = sold if asked.purchase else edge.at(sold)[0]
        paid = asked.net(amount, 1, edge.cost)
        if paid > best.paid:
            best = Optimum(paid, [(edge, sold)], paid)
    return best


def least(edge, bought):
    """The least sale that buys this, `None` without one."""
    low, high = 0.0, edge.most
    if high == inf or edge.at(high)[0] < bought:
        return None
    for _ in range(100):
        middle = (low + high) / 2
        if edge.at(middle)[0] < bought:
            low = middle
        else:
            high = middle
    return high


def divided(asked, edges, deadline):
    """What edges pay together, all of them used; with what each sells."""
    program = Program(asked, edges, fixed=True)
    value = program.relaxed(deadline)
    if value is None:
        return -inf, []
    columns = program.solver.getSolution().col_value
    sold = [(edge, columns[program.taken(number)]) for number, edge in enumerate(edges)]
    return value, sold


def circle(edges):
    """Whether edges lead from a token back to it."""
    after = {}
    for edge in edges:
        after.setdefault(edge.source, set()).add(edge.target)
    while after:
        ends = {token for nexts in after.values() for token in nexts if token not in after}
        kept = {token: nexts - ends for token, nexts in after.items()}
        kept = {token: nexts for token, nexts in kept.items() if nexts}
        if kept == after:
            return True
        after = kept
    return False


def together(asked, edges, known, deadline):
    """The best route over some edges, used or not, if it pays more than is known."""
    program = Program(asked, edges)
    found = Optimum(-inf, [], inf)
    relaxed = program.relaxed(deadline)
    if relaxed is None:
        return Optimum(-inf, [], -inf if monotonic() < deadline else inf)
    found.bound = relaxed
    while max(known, found.paid) + NEAR < found.bound and monotonic() < deadline:
        bound, used = program.whole(NEAR / 4, deadline)
        found.bound = min(found.bound, bound)
        if used is None:
            break
        used = [edges[number] for number in used]
        if circle(used):
            program.in_order()
            continue
        paid, route = divided(asked, used, deadline)
        if paid > found.paid:
            found.paid, found.route = paid, route
    return found


def optimum(asked, least_paid, deadline):
    """The optimum of an order for which a route is known that pays so much;
    `None` if there is no way at all."""
    edges = asked.edges(least_paid)
    best = single(asked, edges)
    everything = Program(asked, edges)
    if everything.relaxed(deadline) is None:
        return best if best.route else None
    bound, left = dual(asked, edges, *everything.prices())
    best.bound = max(best.paid, bound)
    ranked = sorted(zip(left, range(len(edges))), reverse=True)
    size = CORE
    while True:
        known = max(best.paid, least_paid)
        useful = [number for worth, number in ranked if worth > known + NEAR / 2]
        found = together(asked, [edges[number] for number in useful[:size]], known, deadline)
        if found.paid > best.paid:
            best.paid, best.route = found.paid, found.route
        known = max(best.paid, least_paid)
        # Those that were left out lead to no more than is known now.
        if all(worth <= known + NEAR / 2 for worth, _ in ranked[size:]):
            best.bound = min(best.bound, max(found.bound, known + NEAR / 2))
            return best
        if monotonic() > deadline:
            return best
        size *= 2
