"""The best of the plainest trades, by trying all of them in exact integers: one
swap, and up to three swaps one after the other that meet no token twice.

Along a row of tokens, of all ways to its next token only those go on that no
other beats in both what they bring and what their gas costs. Rows are tried in
the order of what they could bring at first prices, until none could bring more
than the best.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from math import inf

from gas import Gas
from pools import Pool
from terms import Terms

MAX_SWAPS = 3

# First prices are without fees and roundings, but no unit is ever sold for more.
SLACK = 1 + 1e-9


@dataclass
class Way:
    """A trade: its open amount, its gas, and its pools."""

    amount: int
    gas: int
    pools: tuple[Pool, ...] = ()


@dataclass
class Best:
    """The best trade of a kind, and what it is worth net."""

    net: float = -inf
    way: Way | None = None
    tokens: tuple[int, ...] = field(default=())


class Ways:
    """The pools of a block by the tokens that they trade."""

    def __init__(self, pools: list[Pool], terms: Terms, gas: Gas) -> None:
        self.terms, self.gas = terms, gas
        self.pools: dict[tuple[int, int], list[tuple[Pool, int]]] = defaultdict(list)
        self.after: dict[int, set[int]] = defaultdict(set)
        for pool in pools:
            for side in (0, 1):
                pair = pool.tokens[side], pool.tokens[1 - side]
                if gas.known(pool) and pool.spot(side) > 0:
                    self.pools[pair].append((pool, side))
                    self.after[pair[0]].add(pair[1])
        self.spots = {
            pair: max(pool.spot(side) for pool, side in there) for pair, there in self.pools.items()
        }

    def rows(self, sell: int, buy: int) -> list[tuple[int, ...]]:
        """Rows of tokens from one to another."""
        rows = [(sell, buy)] if buy in self.after[sell] else []
        for first in self.after[sell] - {buy}:
            if buy in self.after[first]:
                rows.append((sell, first, buy))
            rows += [
                (sell, first, second, buy)
                for second in self.after[first] - {sell, buy}
                if buy in self.after[second]
            ]
        return [row for row in rows if len(row) <= MAX_SWAPS + 1]

    def best(self, sell: int, buy: int, amount: int, purchase: bool, strk: float) -> tuple[Best, Best]:
        """The best swap and the best way for an amount, where a unit of gas is
        worth so much."""
        single, any_way = Best(), Best()
        ranked = sorted(
            ((self.hope(row, amount, purchase), row) for row in self.rows(sell, buy)), reverse=True
        )
        for hope, row in ranked:
            if len(row) > 2 and hope < any_way.net:
                continue
            for way in self.along(row, amount, purchase):
                net = self.net(row, way, purchase, strk)
                if len(row) == 2 and net > single.net:
                    single = Best(net, way, row)
                if net > any_way.net:
                    any_way = Best(net, way, row)
        return single, any_way

    def hope(self, row: tuple[int, ...], amount: int, purchase: bool) -> float:
        """What a row could bring at first prices, without gas and fees."""
        spot = SLACK
        for pair in zip(row, row[1:]):
            spot *= self.spots[pair]
        if purchase:
            return -amount / spot * self.terms.worth(row[0])
        return amount * spot * self.terms.worth(row[-1])

    def along(self, row: tuple[int, ...], amount: int, purchase: bool) -> list[Way]:
        """The ways along a row that no other beats."""
        swaps = len(row) - 1
        start = amount if purchase else self.terms.sent(row[0], row[-1], amount, swaps)
        ways = [Way(start, self.gas.base)]
        pairs = list(zip(row, row[1:]))
        for pair in reversed(pairs) if purchase else pairs:
            ways = [
                Way(trade[0], way.gas + self.gas.swap(pool, trade[1]), (*way.pools, pool))
                for way in ways
                for pool, side in self.pools[pair]
                if (trade := (pool.buy if purchase else pool.sell)(side, way.amount)) and trade[0]
            ]
            ways = unbeaten(ways, purchase)
        return ways

    def net(self, row: tuple[int, ...], way: Way, purchase: bool, strk: float) -> float:
        """What a way is worth, gas and fees taken."""
        if purchase:
            return -way.amount * self.terms.worth(row[0]) - way.gas * strk
        paid = self.terms.paid(row[0], row[-1], way.amount, len(row) - 1)
        return paid * self.terms.worth(row[-1]) - way.gas * strk


def unbeaten(ways: list[Way], purchase: bool) -> list[Way]:
    """Those that no other beats in both amount and gas."""
    ways.sort(key=lambda way: (way.amount if purchase else -way.amount, way.gas))
    kept: list[Way] = []
    for way in ways:
        if not kept or way.gas < kept[-1].gas:
            kept.append(way)
    return kept
