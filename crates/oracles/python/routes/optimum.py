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

# The optimum is known well enough within so many basis points of itself.
NEAR = 0.1

# What rounding may leave of a token, in basis points of the trade.
STRANDED = 1.0

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
    lost = [best[edge.pool] - gained for edge, gained in zip(edges, gains)]
    return bound, [bound - whole for whole in with_their_ways(asked, edges, lost)]


def with_their_ways(asked, edges, lost):
    """What is lost by using each edge, and some way to it and on from it: the
    least that all swaps of such a way lose together (Bellman and Ford)."""
    there, onwards = {asked.sell: 0.0}, {asked.buy: 0.0}
    for _ in range(asked.max_swaps):
        for edge, less in zip(edges, lost):
            before, after = there.get(edge.source, inf), onwards.get(edge.target, inf)
            there[edge.target] = min(there.get(edge.target, inf), before + less)
            onwards[edge.source] = min(onwards.get(edge.source, inf), less + after)
    return [
        there.get(edge.source, inf) + less + onwards.get(edge.target, inf)
        for edge, less in zip(edges, lost)
    ]


def single(asked, edges):
    """The best of one swap."""
    best = Optimum(-inf, [], -inf)
    # Of a sale, one pool may be sent more than many: the fee.
    share = 1.0 if asked.purchase else asked.one / asked.many
    for edge in edges:
        if (edge.source, edge.target) != (asked.sell, asked.buy):
            continue
        sold = least(edge, TRADE) if asked.purchase else TRADE * share
        if sold is None or sold > edge.most * share:
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


def strands(asked, route):
    """Whether some of a token on the way is bought and not sold again, which no
    contract does: what follows cannot take all of it."""
    left = {}
    for edge, sold in route:
        left[edge.target] = left.get(edge.target, 0.0) + edge.at(sold)[0]
        left[edge.source] = left.get(edge.source, 0.0) - sold
    ends = (asked.sell, asked.buy)
    return any(amount > STRANDED for token, amount in left.items() if token not in ends)


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


class Search:
    """The search for the optimum of an order for which a route is known that
    pays `least`."""

    def __init__(self, asked, least, deadline):
        self.asked, self.deadline = asked, deadline
        self.edges = asked.edges(least)
        self.best = single(asked, self.edges)
        self.known = max(least, self.best.paid)
        self.tangents = {}

    def program(self, edges, **how):
        return Program(self.asked, edges, self.tangents, **how)

    def take(self, paid, route):
        """Takes note of a route."""
        if strands(self.asked, route):
            return
        if paid > self.best.paid:
            self.best.paid, self.best.route = paid, route
        self.known = max(self.known, paid)

    def divided(self, edges):
        """What edges pay together, all of them used."""
        program = self.program(edges, fixed=True)
        value = program.relaxed(inf)
        if value is not None:
            columns = program.solver.getSolution().col_value
            self.take(value, [(edge, columns[program.taken(n)]) for n, edge in enumerate(edges)])

    def together(self, edges):
        """What no route over some edges exceeds."""
        program = self.program(edges)
        bound = program.relaxed(self.deadline)
        if bound is None:
            return -inf if monotonic() < self.deadline else inf
        while self.known + self.near < bound and monotonic() < self.deadline:
            start = {edge for edge, _ in self.best.route}
            value, used = program.whole(start, self.near / 4, self.deadline)
            bound = min(bound, value)
            if used is None:
                break
            used = [edges[number] for number in used]
            if circle(used):
                program.in_order()
            else:
                self.divided(used)
        return bound

    def optimum(self):
        """The optimum; `None` if there is no way at all."""
        everything = self.program(self.edges)
        relaxed = everything.relaxed(self.deadline)
        if relaxed is None:
            return self.best if self.best.route else None
        bound, left = dual(self.asked, self.edges, *everything.prices())
        bound = self.best.bound = max(self.best.paid, bound)
        self.near = NEAR * min(abs(bound) / TRADE, 1.0)
        assert self.known <= bound + self.near, "a route is better than the best"
        ranked = sorted(zip(left, range(len(self.edges))), reverse=True)
        size = CORE
        while True:
            useful = [number for worth, number in ranked if worth > self.known + self.near / 2]
            value = self.together([self.edges[number] for number in useful[:size]])
            # Those that were left out lead to no more than is known by now.
            if all(worth <= self.known + self.near / 2 for worth, _ in ranked[size:]):
                self.best.bound = min(bound, max(value, self.known + self.near / 2))
                return self.best
            if monotonic() > self.deadline:
                return self.best
            size = len(self.edges)


def optimum(asked, least, deadline):
    """The optimum of an order for which a route is known that pays so much;
    `None` if there is no way at all."""
    return Search(asked, least, deadline).optimum()
