"""The exchanges of the simulated network, followed from their events alone.

Where they are and how they speak is described in docs/simnet.md and
docs/venues.md.
"""

from dataclasses import dataclass, field
from typing import Any

from curves import Quotation, product_quotation, range_quotation, stable_quotation
from failure import expect
from keccak import selector
from node import Event
from words import Words

NAMES = {
    selector(name): name
    for name in (
        "Burn Collect FeesAccumulated Initialize Mint PairBurn PairCreated PairMint PoolCreated "
        "PoolInitialized PositionFeesCollected PositionUpdated Swap Swapped Sync"
    ).split()
}

EKUBO_ORACLE = 0x005E470FF654D834983A46B8F29DFA99963D5044B993CB7B9C92243A69DAB38F

Pair = tuple[int, int]


@dataclass(frozen=True)
class Venue:
    """An exchange: its name, and how its contracts speak."""

    name: str
    kind: str


VENUES = {
    0x00DAD44C139A476C7A17FC8141E6DB680E9ABC9F56FE249A105094C44382C2FD: Venue("JediSwap", "jedi"),
    0x01C0A36E26A8F822E0D81F20A5A562B16A8F8A3DFD99801367DD2AEA8F1A87A2: Venue("10kSwap", "10k"),
    0x00EAF728D8E09BFBE5F11881F848CA647BA41593502347ED2EC5881E46B57A32: Venue("SithSwap", "sith"),
    int.from_bytes(b"StarkDefi factory", "big"): Venue("StarkDefi", "stark"),
    0x02A93EF8C7679A5F9B1FCF7286A6E1CADF2E9192BE4BCB5CB2D1B39062697527: Venue("Nostra", "nostra"),
    0x010884171BAF1914EDC28D7AFB619B40A4051CFAE78A094A55D230F19E944A28: Venue("mySwap", "my"),
    0x01AA950C9B974294787DE8DF8880ECF668840A6AB8FA8290BF2952212B375148: Venue("JediSwap v2", "v2"),
    0x00000005DD3D2F4429AF886CD1A3B08289DBCEA99A294197E9EB43B0E0325B4B: Venue("Ekubo", "ekubo"),
}


@dataclass(frozen=True)
class Trade:
    """A swap: what a pool gained of both tokens."""

    transaction: int
    pool: "Pool"
    gained: Pair


@dataclass(eq=False)
class Pool:
    """A pool: its venue, its tokens, and what it holds of both."""

    venue: Venue
    tokens: Pair
    held: Pair = (0, 0)

    def quotation(self, decimals: Pair) -> Quotation | None:
        """Price and depth in smallest units; none without anything to trade."""
        return product_quotation(self.held)

    def gain(self, gained: Pair) -> None:
        """Takes in tokens, or gives them out."""
        self.held = (self.held[0] + gained[0], self.held[1] + gained[1])
        expect(min(self.held) >= 0, f"a pool of {self.venue.name} gave more than it had")


class StablePool(Pool):
    """A pair on x³y + y³x."""

    def quotation(self, decimals: Pair) -> Quotation | None:
        """Price and depth on that curve."""
        return stable_quotation(self.held, decimals)


@dataclass(eq=False)
class RangePool(Pool):
    """A pool with liquidity in ranges of ticks."""

    step: float = 0.0
    root: float = 0.0
    tick: int = 0
    liquidity: int = 0
    net: dict[int, int] = field(default_factory=dict)
    opaque: bool = False

    def quotation(self, decimals: Pair) -> Quotation | None:
        """Price and depth; none where an unknown extension may do anything."""
        if self.opaque or not self.liquidity:
            return None
        return range_quotation(self.root, self.tick, self.liquidity, self.net, self.step)

    def move(self, root: float, tick: int) -> None:
        """Goes to another price."""
        self.root, self.tick = root, tick

    def position(self, lower: int, upper: int, liquidity: int) -> None:
        """Takes liquidity into a range, or out of it."""
        for tick, change in ((lower, liquidity), (upper, -liquidity)):
            self.net[tick] = self.net.get(tick, 0) + change
            if not self.net[tick]:
                del self.net[tick]
        if lower <= self.tick < upper:
            self.liquidity += liquidity
        expect(self.liquidity >= 0, "liquidity fell below zero")


class Exchanges:
    """All pools of all venues."""

    def __init__(self) -> None:
        self.pools: dict[Any, Pool] = {}
        self.owners: dict[int, Venue] = dict(VENUES)
        self.touched: set[Pool] = set()
        self.trades: list[Trade] = []

    def follow(self, event: Event) -> None:
        """Takes up an event, if it is one of a venue that tells of a pool."""
        venue = self.owners.get(event.source)
        name = NAMES.get(event.name)
        if venue is None or name is None:
            return
        words = Words(event.words)
        if venue.kind == "ekubo":
            self.ekubo(venue, name, words, event)
        elif venue.kind == "v2":
            self.jedi_v2(venue, name, words, event)
        elif venue.kind == "my":
            self.my_swap(venue, name, words, event)
        else:
            self.pair(venue, name, words, event)

    def create(self, key: Any, pool: Pool) -> None:
        """A new pool."""
        expect(key not in self.pools, "a pool came into being twice")
        self.pools[key] = pool
        self.touched.add(pool)

    def at(self, key: Any) -> Any:
        """The pool that an event is about."""
        pool = self.pools[key]
        self.touched.add(pool)
        return pool

    def trade(self, event: Event, pool: Pool, gained: Pair) -> None:
        """Notes a swap, in which one token goes in and the other comes out."""
        expect(min(gained) <= 0 <= max(gained), f"both tokens of a swap moved alike: {gained}")
        self.trades.append(Trade(event.transaction, pool, gained))

    def pair(self, venue: Venue, name: str, words: Words, event: Event) -> None:
        """Factories of pairs."""
        if name == "PairCreated":
            tokens = (words.felt(), words.felt())
            stable = venue.kind == "sith" and words.felt() == 1
            contract = words.felt()
            words.skip(1)
            stable = stable or venue.kind == "stark" and words.felt() == 1
            self.owners[contract] = venue
            self.create(contract, (StablePool if stable else Pool)(venue, tokens))
        elif name == "Sync":
            read = words.felt if venue.kind == "10k" else words.u256
            self.at(event.source).held = (read(), read())
        elif name == "Swap":
            words.skip(2 if venue.kind == "stark" else 1)
            into, out = ((words.u256(), words.u256()) for _ in range(2))
            words.skip(0 if venue.kind == "stark" else 1)
            self.trade(event, self.at(event.source), (into[0] - out[0], into[1] - out[1]))
        else:
            return
        words.end()

    def my_swap(self, venue: Venue, name: str, words: Words, event: Event) -> None:
        """One contract with numbered pools."""
        if name not in ("PoolCreated", "Sync", "Swap"):
            return
        key = (venue.name, words.felt())
        if name == "PoolCreated":
            self.create(key, Pool(venue, (words.felt(), words.felt())))
            words.skip(1)
        elif name == "Sync":
            self.at(key).held = (words.u256(), words.u256())
        else:
            words.skip(1)
            pool, sold = self.at(key), words.felt()
            into, out = words.u256(), words.u256()
            self.trade(event, pool, (into, -out) if sold == pool.tokens[0] else (-out, into))
        words.end()

    def jedi_v2(self, venue: Venue, name: str, words: Words, event: Event) -> None:
        """A factory of pools of the Uniswap v3 type."""
        if name == "PoolCreated":
            tokens = (words.felt(), words.felt())
            words.skip(2)
            contract = words.felt()
            self.owners[contract] = venue
            self.create(contract, RangePool(venue, tokens, step=1e-4))
            return words.end()
        pool = self.at(event.source)
        if name == "Initialize":
            pool.move(words.u256() / (1 << 96), words.signed())
        elif name == "Swap":
            words.skip(2)
            gained = (words.signed256(), words.signed256())
            root, pool.liquidity = words.u256() / (1 << 96), words.felt()
            pool.move(root, words.signed())
            pool.gain(gained)
            self.trade(event, pool, gained)
        elif name == "Mint":
            words.skip(2)
            pool.position(words.signed(), words.signed(), words.felt())
            pool.gain((words.u256(), words.u256()))
        elif name == "Burn":
            words.skip(1)
            pool.position(words.signed(), words.signed(), -words.felt())
            words.skip(4)
        elif name == "Collect":
            words.skip(6)
            pool.gain((-words.felt(), -words.felt()))
        else:
            return
        words.end()

    def ekubo(self, venue: Venue, name: str, words: Words, event: Event) -> None:
        """One contract, and the key of the pool in every event."""
        if name not in ("PoolInitialized", "Swapped", "PositionUpdated"):
            return expect(name not in ("FeesAccumulated", "PositionFeesCollected"), name)
        words.skip(0 if name == "PoolInitialized" else 1)
        key = tuple(words.felt() for _ in range(5))
        if name == "PoolInitialized":
            opaque = key[4] not in (0, EKUBO_ORACLE)
            pool = RangePool(venue, key[:2], step=1e-6, opaque=opaque)
            tick = words.signed()
            pool.move(words.u256() / (1 << 128), tick)
            self.create(key, pool)
            return words.end()
        pool = self.at(key)
        if name == "Swapped":
            words.skip(6)
            gained = (words.signed(), words.signed())
            root = words.u256() / (1 << 128)
            pool.move(root, words.signed())
            pool.liquidity = words.felt()
            self.trade(event, pool, gained)
        else:
            words.skip(1)
            pool.position(words.signed(), words.signed(), words.signed())
            gained = (words.signed(), words.signed())
        pool.gain(gained)
        words.end()
