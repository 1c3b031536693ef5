"""What is asked of a market, in basis points of what the named amount is worth.

Every amount of every token is counted by its reference price, so that an amount
of 10,000 is the whole trade and one of 1 a ten-thousandth of it. Whatever is
asked, the most is sought: of a sale what it buys net of fees and costs, of a
purchase minus what it sells with them.
"""

from dataclasses import dataclass
from math import inf

from curves import curve

TRADE = 10_000.0


@dataclass(frozen=True)
class Edge:
    """A pool in one direction, and the most that a route can sell to it."""

    pool: int
    side: int
    source: int
    target: int
    curve: object
    scale_in: float
    scale_out: float
    cost: float
    most: float

    def at(self, sold):
        """What is bought, and the price of the next unit."""
        bought, price = self.curve.at(sold / self.scale_in)
        return bought * self.scale_out, price * self.scale_out / self.scale_in

    def until(self, price):
        """What is sold until the next unit is not worth this any more."""
        sold = self.curve.until(price * self.scale_in / self.scale_out)
        return min(sold * self.scale_in, self.most)


class Asked:
    """An order on a market."""

    def __init__(self, market, query):
        self.market, self.query = market, query
        self.sell, self.buy, self.purchase = query["sell"], query["buy"], query["exactOut"]
        self.max_swaps = query["maxSwaps"]
        worth = [token["worth"] for token in market["tokens"]]
        # A sale may send less through many pools than through one: the fee.
        self.one, self.many = int(query["amountOne"]), int(query["amountMany"])
        named = self.many * worth[self.buy if self.purchase else self.sell]
        self.scales = [each * TRADE / named for each in worth]
        self.open = self.scales[self.sell if self.purchase else self.buy]
        self.fees = query["feeOne"], query["feeMany"]

    def net(self, amount, swaps, cost):
        """What an open amount leaves, with so many swaps that cost so much."""
        fee = self.fees[0 if swaps == 1 else 1]
        return -(amount * (1 + fee) + cost) if self.purchase else amount * (1 - fee) - cost

    def cost(self, pool):
        """What a swap in a pool costs."""
        return self.query["swapCosts"][self.market["pools"][pool]["venue"]] * self.open

    def edges(self, least):
        """What a route may use that is worth at least so much."""
        edges = [edge for edge in self.everything() if self.may_use(edge)]
        edges = without_dead_ends(edges, self.sell, self.buy)
        reach = self.reach(edges, least)
        limited = []
        for edge in edges:
            most = min(edge.most, reach.get(edge.source, 0.0))
            if most > 0:
                limited.append(Edge(**{**vars(edge), "most": most}))
        return limited

    def everything(self):
        for number, pool in enumerate(self.market["pools"]):
            for side, curve_of in enumerate(curves(pool)):
                source, target = pool["tokens"][side], pool["tokens"][1 - side]
                scales = self.scales[source], self.scales[target]
                most = curve_of.most * scales[0]
                if most > 0:
                    cost = self.cost(number)
                    yield Edge(number, side, source, target, curve_of, *scales, cost, most)

    def may_use(self, edge):
        """No token is passed twice, so that none comes back to an end."""
        if edge.target == self.sell or edge.source == self.buy:
            return False
        return not self.query["direct"] or (edge.source, edge.target) == (self.sell, self.buy)

    def reach(self, edges, least):
        """The most that can ever be held of each token: what the first unit
        would become on the best way with no more swaps than are allowed."""
        start = TRADE
        if self.purchase:
            start = -least / (1 + min(self.fees)) if least > -inf else inf
        reach = {self.sell: start}
        spot = [(edge.source, edge.target, edge.at(0.0)[1]) for edge in edges]
        for _ in range(self.max_swaps):
            better = dict(reach)
            for source, target, price in spot:
                held = reach.get(source, 0.0) * price
                if held > better.get(target, 0.0):
                    better[target] = held
            if better == reach:
                break
            reach = better
        return reach


def curves(pool):
    """The curves of a pool's two directions, made once."""
    if "curves" not in pool:
        pool["curves"] = [curve(pool, side) for side in (0, 1)]
    return pool["curves"]


def without_dead_ends(edges, sell, buy):
    """Only what lies between the two tokens: a token with one neighbour is
    never passed."""
    while True:
        neighbours = {}
        for edge in edges:
            neighbours.setdefault(edge.source, set()).add(edge.target)
            neighbours.setdefault(edge.target, set()).add(edge.source)
        passed = {token for token, near in neighbours.items() if len(near) > 1} | {sell, buy}
        kept = [edge for edge in edges if {edge.source, edge.target} <= passed]
        if len(kept) == len(edges):
            return kept
        edges = kept
