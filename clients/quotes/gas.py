"""What swaps cost in gas, learned from quotes.

Gas is a sum: something for the transaction, for each swap by its venue, for each
tick that a price passes and for each pool with an extension. The program tells
only the sum, in the smallest unit of STRK. Plain quotes are asked for at each
venue alone, those are kept that are one swap or one after the other, their pools
are found by what they pay to the last unit, and the parts follow from their sums
exactly: linear equations in whole numbers, of which a part that no quote has is
not known.
"""

from fractions import Fraction
from itertools import product

from api import Api, Quote
from failure import expect
from pools import Pool, RangePool
from terms import Terms

Counts = tuple[int, ...]

SIZES = (20, 500, 10_000)
ENOUGH = 60


class Gas:
    """The parts of gas, in the smallest unit of STRK."""

    def __init__(self, venues: list[str]) -> None:
        self.venues = venues
        self.rows: list[tuple[list[Fraction], Fraction]] = []

    def counts(self, swaps: list[tuple[Pool, int]]) -> Counts:
        """How often each part is in a list of swaps."""
        of_venues = [sum(pool.venue == venue for pool, _ in swaps) for venue in self.venues]
        ticks = sum(ticks for _, ticks in swaps)
        extended = sum(pool.extended for pool, _ in swaps)
        return (*of_venues, ticks, extended, 1)

    def take(self, counts: Counts, gas: int) -> None:
        """Takes a sum up; one that follows from others must be what it is."""
        row, sum_ = [Fraction(count) for count in counts], Fraction(gas)
        for known, value in self.rows:
            pivot = next(place for place, part in enumerate(known) if part)
            factor = row[pivot]
            row = [part - factor * other for part, other in zip(row, known)]
            sum_ -= factor * value
        if not any(row):
            return expect(sum_ == 0, f"gas is not the sum of its parts: {counts} off by {sum_}")
        pivot = next(place for place, part in enumerate(row) if part)
        row, sum_ = [part / row[pivot] for part in row], sum_ / row[pivot]
        self.rows = [
            ([part - known[pivot] * other for part, other in zip(known, row)], value - known[pivot] * sum_)
            for known, value in self.rows
        ] + [(row, sum_)]

    def solve(self) -> None:
        """Notes the parts that are known."""
        self.parts: list[int | None] = [None] * (len(self.venues) + 3)
        for row, value in self.rows:
            pivot = next(place for place, part in enumerate(row) if part)
            if sum(map(bool, row)) == 1:
                self.parts[pivot] = int(value)

    def known(self, pool: Pool) -> bool:
        """Whether it is known what a swap in a pool costs."""
        parts = [self.parts[self.venues.index(pool.venue)], self.parts[-1]]
        if isinstance(pool, RangePool):
            parts.append(self.parts[-3])
        if pool.extended:
            parts.append(self.parts[-2])
        return None not in parts

    def swap(self, pool: Pool, ticks: int = 0) -> int:
        """What a swap in a pool costs."""
        venue, extension = self.parts[self.venues.index(pool.venue)], self.parts[-2]
        return (venue or 0) + ticks * (self.parts[-3] or 0) + (extension or 0) * pool.extended

    @property
    def tick(self) -> int:
        """What a tick costs."""
        return self.parts[-3] or 0

    @property
    def base(self) -> int:
        """What a transaction costs without swaps."""
        return self.parts[-1] or 0


def learned(api: Api, pools: list[Pool], terms: Terms) -> Gas:
    """The parts of gas by quotes on these pools."""
    gas = Gas(api.sources())
    for venue in gas.venues:
        others = [other for other in gas.venues if other != venue]
        own = [pool for pool in pools if pool.venue == venue]
        taken = 0
        for pool in own:
            for size, side in product(SIZES, (0, 1)):
                if taken >= ENOUGH:
                    break
                ends = pool.tokens[side], pool.tokens[1 - side]
                amount = terms.units(ends[0], size)
                if not amount or ends[1] not in terms.decimals:
                    continue
                for direct in ("true", "false"):
                    quotes = api.quotes(*ends, amount, False, excludeSources=others, onlyDirect=direct)
                    swaps = followed(quotes[0], own, terms) if quotes else None
                    if swaps:
                        gas.take(gas.counts(swaps), quotes[0].gas)
                        taken += 1
    # Two swaps tell what a transaction costs beside them.
    hubs = sorted(terms.decimals, key=lambda token: -sum(token in pool.tokens for pool in pools))[:8]
    for sell, buy in product(hubs, hubs):
        for venue in gas.venues if sell != buy else ():
            others = [other for other in gas.venues if other != venue]
            quotes = api.quotes(sell, buy, terms.units(sell, 20), False, excludeSources=others)
            swaps = followed(quotes[0], [pool for pool in pools if pool.venue == venue], terms) if quotes else None
            if swaps:
                gas.take(gas.counts(swaps), quotes[0].gas)
    gas.solve()
    return gas


def followed(quote: Quote, pools: list[Pool], terms: Terms) -> list[tuple[Pool, int]] | None:
    """The pools of a quote whose swaps follow each other, with their ticks, if
    just one row of pools pays what it says."""
    chain = quote.chain()
    if not chain or len(chain) > 3:
        return None
    amounts: dict[tuple[Pool, ...], tuple[int, list[tuple[Pool, int]]]]
    ends = chain[0][1], chain[-1][2]
    amounts = {(): (terms.sent(*ends, quote.sold, len(chain)), [])}
    for _, sell, buy in chain:
        step = {}
        for way, (held, swaps) in amounts.items():
            for pool in pools:
                if {sell, buy} == set(pool.tokens) and pool not in way:
                    trade = pool.sell(pool.tokens.index(sell), held)
                    if trade:
                        step[*way, pool] = (trade[0], [*swaps, (pool, trade[1])])
        amounts = step
    right = [swaps for held, swaps in amounts.values() if terms.paid(*ends, held, len(chain)) == quote.bought]
    return right[0] if len(right) == 1 else None
