"""Reference prices: one price per token and block, from all pools together.

Prices spread from the dollar, which is the middle of all stables, over tokens
that enough stands behind. Each is the weighted median of what pools to such
tokens say; a pool weighs what it costs to move it. The rules are those that the
price module of the program documents; they are written down here anew.
"""

from sys import float_info
from typing import NamedTuple

from curves import Quotation

ENTER = 1_000.0
LEAVE = 500.0
PER_HOP = 0.9
AGREEMENT = 0.02
JUMP = 1.3
CONFIRMATION = 0.5
LONGEST_HOLD = 5
TAKEOVER = 2.0
MOST = 1e18
LEAST = 1e-6
NEARLY = 0.999


class Quote(NamedTuple):
    """So many of a hub; without a hub, dollars."""

    hub: int | None
    ratio: float


class Published(NamedTuple):
    """A token's price in a block, and what stands behind it."""

    quote: Quote
    usd: float
    support: float
    trusted: bool
    held: int = 0


class Found(NamedTuple):
    """A price as pools have it now."""

    quote: Quote
    usd: float
    support: float
    backing: float
    discount: float


class View(NamedTuple):
    """A pool as one of its tokens sees it, in whole tokens."""

    mid: float
    theirs: float
    own: float


class Voucher(NamedTuple):
    """A token whose price others may be derived from."""

    usd: float
    quote: Quote
    backing: float
    discount: float

    def passes_on(self, views: list[View]) -> float:
        """What its pools to one token weigh together."""
        worth = sum(weight for view in views if sound(weight := min(view.own * self.usd, MOST)))
        return min(worth, self.backing) * self.discount


class Opinion(NamedTuple):
    """What one pool says of a token's price."""

    usd: float
    weight: float
    through: int
    mid: float
    anchored: bool


def sound(figure: float) -> bool:
    """Whether a figure can be reckoned with."""
    return float_info.min <= figure <= float_info.max


class Graph:
    """Which pools there are between which tokens."""

    def __init__(self) -> None:
        self.links: dict[int, dict[int, dict[object, View]]] = {}
        self.lists: dict[int, list[tuple[int, list[View]]]] = {}

    def put(self, pool: object, tokens: tuple[int, int], views: tuple[View, View] | None) -> None:
        """What a pool says from now on."""
        for (token, other), view in zip((tokens, tokens[::-1]), views or (None, None)):
            self.lists.pop(token, None)
            pools = self.links.setdefault(token, {}).setdefault(other, {})
            if view:
                pools[pool] = view
            else:
                pools.pop(pool, None)

    def of(self, token: int) -> list[tuple[int, list[View]]]:
        """The pools of a token, by the other token."""
        if token not in self.lists:
            links = self.links.get(token, {}).items()
            self.lists[token] = [(other, list(pools.values())) for other, pools in links if pools]
        return self.lists[token]


def views(quotation: Quotation | None, units: tuple[float, float]) -> tuple[View, View] | None:
    """A quotation in smallest units as both tokens see it; it is as deep as it
    is in its weaker direction."""
    if quotation is None:
        return None
    mid = quotation.mid * (units[0] / units[1])
    first, second = quotation.depth[0] / units[0], quotation.depth[1] / units[1]
    if not all(map(sound, (mid, 1 / mid, first, second))):
        return None
    own, theirs = min(first, second / mid), min(second, first * mid)
    return View(mid, theirs, own), View(1 / mid, own, theirs)


class Settlement:
    """The prices of one block, from its pools and the block before."""

    def __init__(
        self,
        graph: Graph,
        order: dict[int, int],
        anchors: tuple[list[int], list[int]],
        before: dict[int, Published],
        asked: set[int],
    ) -> None:
        self.graph = graph
        self.order = order
        self.asked = asked
        self.stables, self.hubs = anchors
        self.anchors = {*self.stables, *self.hubs}
        self.before = before
        self.prices: dict[int, Published] = {}
        self.vouchers: dict[int, Voucher] = {}
        self.reach: dict[int, float] = {}
        self.waiting: dict[int, float] = {}
        self.lenient = False

    def settle(self) -> dict[int, Published]:
        """The prices of tokens that are asked about or were ever trusted; others
        change nothing else."""
        self.settle_stables()
        self.settle_waiting()
        rest = sorted(self.asked | self.before.keys(), key=self.place)
        rest = [token for token in rest if token not in self.stables]
        self.settle_lenient(rest)
        self.settle_held(rest)
        self.settle_rest(rest)
        return self.prices

    def place(self, token: int) -> tuple[bool, int]:
        """Hubs come before other tokens, and the earlier known before the later."""
        return (token not in self.hubs, self.order[token])

    def threshold(self, token: int) -> float:
        """What has to stand behind a token: less if it was trusted before."""
        last = self.before.get(token)
        return LEAVE if last and last.trusted else ENTER

    def needed(self, token: int) -> float:
        """The same at this point: at first, what was before does not count."""
        return self.threshold(token) if self.lenient else ENTER

    # The dollar

    def settle_stables(self) -> None:
        """Compares stables with each other, and calls their middle a dollar."""
        if not self.stables:
            return
        to_anchors = {token: self.depth(token, self.anchors) for token in self.stables}
        root = self.root(to_anchors)
        compared = self.compare(root)
        # The root is always heard: without it there would be no price at all.
        heard = {
            token: relative
            for token, (relative, support) in compared.items()
            if token == root or support >= self.threshold(token)
        }
        dollar = self.dollar(heard, to_anchors)
        for token in self.stables:
            relative, support = compared.get(token, (0.0, 0.0))
            usd, support = relative / dollar, support / dollar
            if token in heard and sound(usd) and support > 0:
                self.vouch(token, Found(Quote(None, usd), usd, support, support, 1.0))
            else:
                nominal = Published(Quote(None, 1.0), 1.0, 0.0, False)
                self.prices[token] = self.kept(token) or nominal

    def depth(self, token: int, others: set[int]) -> float:
        """How deep a token's pools to others are, in its own units."""
        return sum(
            min(view.own, MOST)
            for other, links in self.graph.of(token)
            if other in others
            for view in links
        )

    def root(self, to_anchors: dict[int, float]) -> int:
        """The stable that comparing begins at: the deepest among stables."""

        def rank(token: int) -> tuple[float, float, int]:
            among = sum(
                min(view.own, view.theirs, MOST)
                for other, links in self.graph.of(token)
                if other in self.stables
                for view in links
            )
            return (among if among >= ENTER else 0.0, to_anchors[token], -self.order[token])

        return max(self.stables, key=rank)

    def compare(self, root: int) -> dict[int, tuple[float, float]]:
        """Stables in units of the root, with what agrees, over pools among them."""
        compared: dict[int, tuple[float, float]] = {}
        vouchers: dict[int, Voucher] = {}
        reach: dict[int, float] = {}

        def admit(token: int, relative: float, support: float) -> None:
            compared[token] = (relative, support)
            reach.pop(token, None)
            backing = MOST if token == root else support
            voucher = Voucher(relative, Quote(None, relative), backing, 1.0)
            vouchers[token] = voucher
            for other, links in self.graph.of(token):
                if other in self.stables and other not in compared:
                    reach[other] = reach.get(other, 0.0) + voucher.passes_on(links)

        # All that is at stake in the root's pools is in its own units.
        admit(root, 1.0, self.depth(root, set(self.order)))
        while any(reach.values()):
            token = max(reach, key=lambda at: (reach[at], -self.order[at]))
            reach[token] = 0.0
            opinions = self.opinions(token, vouchers)
            if opinions:
                relative = median(opinions).usd
                admit(token, relative, agreeing(opinions, relative)[0])
        return compared

    def dollar(self, heard: dict[int, float], to_anchors: dict[int, float]) -> float:
        """The middle of the stables that are heard; of two the deeper one, and
        the one that was the dollar before counts twice."""
        votes = sorted((relative, token) for token, relative in heard.items())

        def depth(token: int) -> float:
            last = self.before.get(token)
            return to_anchors[token] * (TAKEOVER if last and last.usd == 1.0 else 1.0)

        half = len(votes) // 2
        if len(votes) % 2:
            return votes[half][0]
        below, above = votes[half - 1], votes[half]
        return below[0] if depth(below[1]) >= depth(above[1]) else above[0]

    # Everything else

    def settle_waiting(self) -> None:
        """Tokens that enough stands behind, hubs first and the deepest first."""
        while self.waiting:
            token = max(
                self.waiting,
                key=lambda at: (at in self.hubs, self.waiting[at], -self.order[at]),
            )
            del self.waiting[token]
            found = self.find(token)
            if found and found.support >= self.needed(token):
                self.vouch(token, found)

    def settle_lenient(self, tokens: list[int]) -> None:
        """Tokens that stay trusted with less, once all others are settled."""
        self.lenient = True
        for token in tokens:
            self.await_turn(token)
        self.settle_waiting()

    def settle_held(self, tokens: list[int]) -> None:
        """Tokens that stay trusted while a jump waits."""
        for token in tokens:
            last = self.before.get(token)
            if token in self.prices or not last or not last.trusted:
                continue
            found = self.find(token)
            if found and waits(found, last):
                self.vouch(token, found)
                self.settle_waiting()

    def settle_rest(self, tokens: list[int]) -> None:
        """Tokens that nothing is derived from."""
        for token in tokens:
            if token in self.prices:
                continue
            found = self.find(token)
            published = self.publish(token, found, False) if found else self.kept(token)
            if published:
                self.prices[token] = published

    def vouch(self, token: int, found: Found) -> None:
        """Publishes a trusted price and lets the token's neighbours see it."""
        published = self.publish(token, found, True)
        self.prices[token] = published
        backing = self.before[token].support if published.held else max(found.backing, LEAST)
        voucher = Voucher(published.usd, published.quote, backing, found.discount)
        self.vouchers[token] = voucher
        self.waiting.pop(token, None)
        for other, links in self.graph.of(token):
            self.reach[other] = self.reach.get(other, 0.0) + voucher.passes_on(links)
            self.await_turn(other)

    def await_turn(self, token: int) -> None:
        """Lets a token wait for its turn, if what has reached it may be enough."""
        reach = self.reach.get(token, 0.0)
        is_open = token not in self.vouchers and token not in self.stables
        if is_open and reach >= self.needed(token) * NEARLY:
            self.waiting[token] = reach

    def find(self, token: int) -> Found | None:
        """What pools to trusted tokens say of a price."""
        opinions = self.opinions(token, self.vouchers)
        if not opinions:
            return None
        picked = median(opinions)
        voucher = self.vouchers[picked.through]
        if picked.through in self.anchors:
            quote = Quote(picked.through, picked.mid)
        else:
            quote = Quote(voucher.quote.hub, picked.mid * voucher.quote.ratio)
        usd = self.in_usd(quote)
        if usd is None:
            return None
        if token in self.anchors:
            quote = Quote(None, usd)
        if not (sound(usd) and sound(quote.ratio)):
            return None
        support, backing = agreeing(opinions, picked.usd)
        return Found(quote, usd, support, backing, voucher.discount * PER_HOP)

    def opinions(self, token: int, vouchers: dict[int, Voucher]) -> list[Opinion]:
        """What pools to vouching tokens say; together they weigh no more than
        the token that vouches."""
        opinions: list[Opinion] = []
        for other, links in self.graph.of(token):
            voucher = vouchers.get(other)
            if not voucher:
                continue
            said = [
                (usd, weight, view.mid)
                for view in links
                if sound(weight := min(view.theirs * voucher.usd, MOST))
                and sound(usd := view.mid * voucher.usd)
            ]
            total = sum(weight for _, weight, _ in said)
            if said:
                share = min(voucher.backing / total, 1.0) * voucher.discount
                anchored = other in self.anchors
                opinions += [
                    Opinion(usd, weight * share, other, mid, anchored)
                    for usd, weight, mid in said
                ]
        return opinions

    def in_usd(self, quote: Quote) -> float | None:
        """A quote at the price that its hub has in this block."""
        if quote.hub is None:
            return quote.ratio
        hub = self.prices.get(quote.hub) if quote.hub in self.anchors else None
        return quote.ratio * hub.usd if hub else None

    def publish(self, token: int, found: Found, trusted: bool) -> Published:
        """What is published of a price that was found."""
        last = self.before.get(token)
        if last and waits(found, last):
            return last._replace(quote=Quote(None, last.usd), held=last.held + 1)
        published = Published(found.quote, found.usd, found.support, trusted)
        return renewed(published, last)

    def kept(self, token: int) -> Published | None:
        """The price of before, which no pool says anything of now."""
        last = self.before.get(token)
        if not last:
            return None
        usd = None if token in self.anchors else self.in_usd(last.quote)
        if usd is not None and sound(usd):
            return renewed(Published(last.quote, usd, 0.0, False), last)
        return renewed(Published(Quote(None, last.usd), last.usd, 0.0, False), last)


def median(opinions: list[Opinion]) -> Opinion:
    """The opinion at the middle of all weight."""
    opinions.sort(key=lambda opinion: opinion.usd)
    total = sum(opinion.weight for opinion in opinions)
    below = 0.0
    for opinion in opinions:
        below += opinion.weight
        if below * 2 >= total:
            return opinion
    return opinions[-1]


def agreeing(opinions: list[Opinion], usd: float) -> tuple[float, float]:
    """The weight of all that agree with a price, and of anchors among them."""
    agree = [opinion for opinion in opinions if abs(opinion.usd - usd) <= usd * AGREEMENT]
    anchored = sum(opinion.weight for opinion in agree if opinion.anchored)
    return sum(opinion.weight for opinion in agree), anchored


def waits(found: Found, last: Published) -> bool:
    """Whether a price is a jump that too little stands behind."""
    moved = max(found.usd / last.usd, last.usd / found.usd)
    thin = found.support < last.support * CONFIRMATION
    return moved > JUMP and thin and last.held < LONGEST_HOLD


def renewed(published: Published, last: Published | None) -> Published:
    """What stands behind a price is renewed only with the price or its trust."""
    now = (published.quote, published.trusted, published.held)
    if last and now == (last.quote, last.trusted, last.held):
        return published._replace(support=last.support)
    return published
