"""An order's quote held against everything plainer, over HTTP."""

from collections import defaultdict
from dataclasses import dataclass, field
from math import inf
from threading import Lock

from api import Api, Quote
from orders import Order
from ways import Best, Ways

# Equal amounts may have other worths in their last digits.
ROUNDING = 1e-9

# In nearly all orders, and never by more.
SELDOM, SLIGHT = 0.001, 1e-4

# Buying what a sale gives, and selling more.
NEAR = 1e-5
MORE = ((105, 100), (2, 1))

EXACTLY = ("one swap", "one path", "direct pools", "first of five", "bought as sold")
NEARLY = ("one venue", "without one", "selling more")


@dataclass
class Tally:
    """How often something plainer was better, and by how much of the gross
    worth at most."""

    compared: int = 0
    worse: int = 0
    worst: float = 0.0
    case: str = ""

    def holds(self, exactly: bool) -> bool:
        """Whether the promise is kept. One rare exception proves nothing."""
        if exactly:
            return self.worse == 0
        return self.worst <= SLIGHT and self.worse <= max(1, SELDOM * self.compared)


@dataclass
class Tallies:
    """All tallies of a world, and the gaps that quotes tell of themselves."""

    by_check: dict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    gaps: list[float] = field(default_factory=list)
    asked: int = 0
    quoted: int = 0
    show: bool = False
    lock: Lock = field(default_factory=Lock)

    def note(self, check: str, short: float, order: Order, what: str) -> None:
        """Notes a comparison: by how much of the gross worth a quote is worse."""
        with self.lock:
            tally = self.by_check[check]
            tally.compared += 1
            tally.worse += short > ROUNDING
            if self.show and short > ROUNDING:
                print(f"  {check} is better by {short:.1e}: {order} ({what})", flush=True)
            if short > max(tally.worst, ROUNDING):
                tally.worst, tally.case = short, f"{order} ({what})"

    def report(self, name: str, exact_alone: bool) -> bool:
        """Prints the table; whether all promises are kept, or the exact ones."""
        gaps = sorted(self.gaps)
        middle = f", median gap {gaps[len(gaps) // 2] * 1e4:.2f} bps" if gaps else ""
        print(f"{name}: {self.asked} orders, {self.quoted} quoted{middle}")
        print(f"  {'plainer':<15}{'compared':>9}{'better':>8}{'worst':>10}")
        kept = True
        for check in EXACTLY + NEARLY:
            tally = self.by_check[check]
            holds = tally.holds(check in EXACTLY)
            kept &= holds or (exact_alone and check not in EXACTLY)
            mark = "" if holds else "  BROKEN"
            print(f"  {check:<15}{tally.compared:>9}{tally.worse:>8}{tally.worst:>10.1e}{mark}  {tally.case}")
        return kept


class Checker:
    """Holds orders of one block."""

    def __init__(self, api: Api, ways: Ways, tallies: Tallies) -> None:
        self.api, self.ways, self.tallies = api, ways, tallies
        self.venues = api.sources()

    def first(self, order: Order, **options: object) -> Quote | None:
        """The first quote of an order."""
        quotes = self.api.quotes(order.sell, order.buy, order.amount, order.purchase, **options)
        return quotes[0] if quotes else None

    def check(self, order: Order) -> Quote | None:
        """All checks of an order; its quote."""
        quote = self.first(order)
        with self.tallies.lock:
            self.tallies.asked += 1
            self.tallies.quoted += quote is not None
            if quote and quote.gap is not None:
                self.tallies.gaps.append(quote.gap)
        self.beside(order, quote, "first of five", self.first(order, size=5), "size=5", both=True)
        self.beside(order, quote, "direct pools", self.first(order, onlyDirect="true"), "onlyDirect")
        for venue in self.venues:
            others = [other for other in self.venues if other != venue]
            self.beside(order, quote, "one venue", self.first(order, excludeSources=others), venue)
            self.beside(order, quote, "without one", self.first(order, excludeSources=venue), venue)
        self.plain(order, quote)
        if quote and not order.purchase:
            self.bought_as_sold(order, quote)
            self.selling_more(order, quote)
        return quote

    def beside(self, order: Order, quote: Quote | None, check: str, other: Quote | None, what: str, both: bool = False) -> None:
        """A quote beside another; with `both` they must be worth the same."""
        if other is None:
            if both and quote:
                self.tallies.note(check, 1.0, order, f"{what} has none")
            return
        if quote is None:
            return self.tallies.note(check, 1.0, order, f"none, {what} has one")
        short = other.net(order.purchase) - quote.net(order.purchase)
        self.tallies.note(check, (abs(short) if both else short) / gross(quote, order), order, what)

    def plain(self, order: Order, quote: Quote | None) -> None:
        """The best of single swaps and ways."""
        strk = quote.gas_usd / quote.gas if quote and quote.gas else 0.0
        found = self.ways.best(order.sell, order.buy, order.amount, order.purchase, strk)
        for check, best in zip(("one swap", "one path"), found):
            if best.net == -inf:
                continue
            what = named(best)
            if quote is None:
                # What costs more gas than it brings need not be found.
                short = 1.0 if order.purchase or best.net > 0 else 0.0
                self.tallies.note(check, short, order, f"none, but {what}")
            else:
                worth = self.worth(order, quote)
                self.tallies.note(check, (best.net - worth) / gross(quote, order), order, what)

    def worth(self, order: Order, quote: Quote) -> float:
        """What a quote is worth by the same prices as ways are."""
        terms = self.ways.terms
        if order.purchase:
            return -quote.sold * terms.worth(order.sell) - quote.gas_usd
        return quote.bought * terms.worth(order.buy) - quote.gas_usd

    def bought_as_sold(self, order: Order, sale: Quote) -> None:
        """What a sale gives can be bought for no more."""
        quotes = self.api.quotes(order.sell, order.buy, sale.bought, True)
        check = "bought as sold"
        if not quotes:
            return self.tallies.note(check, 1.0, order, f"nothing buys {sale.bought}")
        unit = sale.sold_usd / sale.sold
        allowed = sale.sold_usd + sale.gas_usd + max(NEAR * sale.sold_usd, unit)
        short = (-quotes[0].net(True) - allowed) / sale.sold_usd
        self.tallies.note(check, short, order, f"{quotes[0].sold} sold instead of {sale.sold}")

    def selling_more(self, order: Order, sale: Quote) -> None:
        """More that is sold does not net less."""
        tick = self.ways.gas.tick * sale.gas_usd / sale.gas if sale.gas else 0.0
        for times, parts in MORE:
            amount = order.amount * times // parts
            quotes = self.api.quotes(order.sell, order.buy, amount, False)
            if quotes:
                allowed = sale.net(False) - NEAR * sale.bought_usd - tick
                short = (allowed - quotes[0].net(False)) / sale.bought_usd
                self.tallies.note("selling more", short, order, f"{times / parts:g} times as much")


def gross(quote: Quote, order: Order) -> float:
    """What a quote trades, in USD."""
    return (quote.sold_usd if order.purchase else quote.bought_usd) or inf


def named(best: Best) -> str:
    """The pools of a way."""
    return " then ".join(pool.venue for pool in best.way.pools) if best.way else ""
