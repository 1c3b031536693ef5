"""Figures of all tokens, block by block, from events alone."""

from collections import defaultdict
from math import floor

from keccak import selector
from node import Block, Event, Node
from prices import Graph, Published, Settlement, View, views
from venues import Exchanges, Pool, Trade

TRANSFER = selector("Transfer")
MOST_UNITS = (1 << 128) - 1
MOST_DECIMALS = 36

USDC = 0x053C91253BC9682C04929CA02ED00B3E423F6710D2EE7E0D5EBB06F3ECF368A8
USDT = 0x068F5C6A61780768455DE69077E07E89787839BF8166DECFBF92B645209C0FB8
DAI = 0x05574EB6B8789A91466F902C380D978E472DB68170FF82A5B650B95A58DDF4AD
ETH = 0x049D36570D4E46F48E99674BD3FCC84644DDD6B96F7C741B1562B82F9E004DC7
STRK = 0x04718F5A0FC34CC1AF16A1CDEE98FFB20C31F5CD61D6AB07201858F4287C938D
WBTC = 0x03FE2B97C1FD336E750087D68B9B867997FD64A2661FF3CA5A7C771641E8E7AC

# Smaller tokens: one that is mostly trusted, one that is sometimes, and one that
# only looks like a well-known one.
STOA = 0x024D225BEE46E75F01CCC13F498CA749FC5A086752C634E56014009D6EE87552
MRBL = 0x0239EA25EE499DBF8D2A4EB89DC717D3D8898D8679AFA8541CAA0C72D69DECCA
FAKE_USDC = 0x02B59BEC55C631DC19770B405D6223828AB368F73D848C1B5A9DA17B96615F1A

STABLES = (USDC, USDT, DAI)
HUBS = (ETH, STRK, WBTC)

Flow = tuple[int, int, int]
"""When, smallest units, and hundred-millionths of a dollar."""


class Figures:
    """Everything that is compared, as of the last block that was taken up."""

    def __init__(self, node: Node, asked: set[int]) -> None:
        self.node = node
        self.asked = asked
        self.number = -1
        self.time = 0
        self.exchanges = Exchanges()
        self.graph = Graph()
        self.seen: set[int] = set()
        self.decimals: dict[int, int] = {}
        self.order: dict[int, int] = {}
        self.published: dict[int, Published] = {}
        self.counted: dict[Pool, dict[int, int]] = {}
        self.locked_now: dict[tuple[int, str], int] = defaultdict(int)
        self.prices: dict[int, list[tuple[int, float]]] = defaultdict(list)
        self.transferred: dict[int, list[Flow]] = defaultdict(list)
        self.traded: dict[tuple[int, str], list[Flow]] = defaultdict(list)
        self.net: dict[int, list[Flow]] = defaultdict(list)
        self.locked: dict[tuple[int, str], list[tuple[int, int]]] = defaultdict(list)

    def take(self, block: Block) -> None:
        """Takes up the next block."""
        self.number = block.number
        self.time = max(self.time, block.time)
        moved: dict[int, int] = defaultdict(int)
        for event in block.events:
            if event.name == TRANSFER:
                amount = transferred(event)
                if amount is not None:
                    moved[event.source] += amount
            else:
                self.exchanges.follow(event)
        new = self.meet(moved)
        self.look(new)
        before, self.published = self.published, self.settle()
        self.count_trades(before)
        self.count_transfers(before, moved)

    def meet(self, moved: dict[int, int]) -> set[int]:
        """Tokens that show themselves for the first time, if they can be read."""
        unseen = sorted(moved.keys() - self.seen)
        self.seen.update(unseen)
        new = set()
        for token in unseen:
            answers = [self.node.call(token, view) for view in ("name", "symbol", "decimals")]
            if all(answers) and answers[2][0] <= MOST_DECIMALS:
                self.decimals[token] = answers[2][0]
                self.order[token] = len(self.order)
                new.add(token)
        return new

    def look(self, new: set[int]) -> None:
        """Looks at the pools that changed, or whose tokens are new."""
        touched, self.exchanges.touched = self.exchanges.touched, set()
        if new:
            pools = self.exchanges.pools.values()
            touched.update(pool for pool in pools if new.intersection(pool.tokens))
        changed = set()
        for pool in touched:
            held = {
                token: amount
                for token, amount in zip(pool.tokens, pool.held)
                if token in self.decimals
            }
            for change, amounts in ((-1, self.counted.get(pool, {})), (1, held)):
                for token, amount in amounts.items():
                    self.locked_now[token, pool.venue.name] += change * amount
                    changed.add((token, pool.venue.name))
            self.counted[pool] = held
            if len(held) == 2:
                self.graph.put(pool, pool.tokens, self.views(pool))
        self.note_locked(changed)

    def views(self, pool: Pool) -> tuple[View, View] | None:
        """What a pool says of prices."""
        first, second = (self.decimals[token] for token in pool.tokens)
        return views(pool.quotation((first, second)), (float(10**first), float(10**second)))

    def note_locked(self, changed: set[tuple[int, str]]) -> None:
        """Notes what lies in exchanges where that is not what it was."""
        for key in changed:
            amount = self.locked_now[key]
            last = self.locked[key][-1][1] if key in self.locked else 0
            if amount != last:
                self.locked[key].append((self.time, amount))

    def settle(self) -> dict[int, Published]:
        """The prices of the block."""
        known = tuple(
            [token for token in anchors if token in self.decimals] for anchors in (STABLES, HUBS)
        )
        asked = self.asked & self.decimals.keys()
        settled = Settlement(self.graph, self.order, known, self.published, asked).settle()
        for token, published in settled.items():
            history = self.prices[token]
            if not history or history[-1][1] != published.usd:
                history.append((self.time, published.usd))
        return settled

    def worth(self, before: dict[int, Published], token: int) -> Published | None:
        """What a trusted token was worth in the block before; if it had no price
        then, in this one."""
        published = before.get(token) or self.published.get(token)
        return published if published and published.trusted else None

    def in_usd(self, token: int, units: int, published: Published) -> int:
        """What an amount is worth, in hundred-millionths of a dollar."""
        return floor(units / 10 ** self.decimals[token] * published.usd * 1e8 + 0.5)

    def leg(self, before: dict[int, Published], trade: Trade) -> int:
        """What a swap is worth: by the trusted token, of two by the one that
        more stands behind."""
        best = None
        for token, gained in zip(trade.pool.tokens, trade.gained):
            worth = self.worth(before, token) if token in self.decimals else None
            if worth and (best is None or worth.support > best[0]):
                best = (worth.support, self.in_usd(token, abs(gained), worth))
        return best[1] if best else 0

    def tvl_usd(self, token: int) -> float:
        """What lies of a token in all pools now; of a token that is not trusted
        at most what lies beside it, if that is trusted."""
        total = 0.0
        for pool in self.exchanges.pools.values():
            if token in pool.tokens:
                place = pool.tokens.index(token)
                own, own_trusted = self.side(pool, place)
                beside, beside_trusted = self.side(pool, 1 - place)
                if own_trusted:
                    total += own
                elif beside_trusted:
                    total += min(own, beside)
        return total

    def side(self, pool: Pool, place: int) -> tuple[float, bool]:
        """What one side of a pool is worth, and whether that is trusted."""
        token = pool.tokens[place]
        published = self.published.get(token)
        if not published:
            return 0.0, False
        whole = pool.held[place] / 10 ** self.decimals[token]
        return whole * published.usd, published.trusted

    def count_trades(self, before: dict[int, Published]) -> None:
        """Counts the swaps of the block, and what did not only pass through."""
        trades, self.exchanges.trades = self.exchanges.trades, []
        passing: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
        for trade in trades:
            usd = self.leg(before, trade)
            for token, gained in zip(trade.pool.tokens, trade.gained):
                if token in self.decimals:
                    flow = (self.time, abs(gained), usd)
                    self.traded[token, trade.pool.venue.name].append(flow)
                    passing[trade.transaction, token].append((gained, usd))
        for (_, token), legs in passing.items():
            gross = sum(abs(gained) for gained, _ in legs)
            net = abs(sum(gained for gained, _ in legs))
            usd = sum(usd for _, usd in legs)
            self.net[token].append((self.time, net, usd * net // gross if gross else usd))

    def count_transfers(self, before: dict[int, Published], moved: dict[int, int]) -> None:
        """Counts what was transferred in the block."""
        for token, units in moved.items():
            units = min(units, MOST_UNITS)
            if token not in self.decimals or not units:
                continue
            worth = self.worth(before, token)
            usd = self.in_usd(token, units, worth) if worth else 0
            self.transferred[token].append((self.time, units, usd))


def transferred(event: Event) -> int | None:
    """The amount of an ERC-20 transfer, with sender and receiver in front of it
    among the keys or the data; none if this is something else."""
    if event.keys not in (1, 3) or len(event.words) != 4:
        return None
    low, high = (int(word, 16) for word in event.words[2:])
    if max(low, high) > MOST_UNITS:
        return 0
    return low | high << 128
