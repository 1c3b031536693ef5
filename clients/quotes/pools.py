"""Pools as their contracts describe them, and what they pay to the last unit.

Pools are found by their venues' events, their state is read from views, at the
newest block. What a pool pays is computed by the maths of `crates/oracles`,
which share nothing with the program.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from node import Event, Node
from venues import EKUBO_ORACLE, VENUES
from words import Words

Trade = tuple[int, int]
"""The amount that was sought, and ticks that the price passes."""

CONNECTIONS = 4
SKIP_AHEAD = 100
ORACLES = Path(__file__).parents[2] / "crates" / "oracles" / "python"


def maths(name: str) -> ModuleType:
    """A module of `crates/oracles`, under a name of its own."""
    spec = spec_from_file_location(f"exact_{name}", ORACLES / f"{name}.py")
    assert spec and spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


exact = maths("curves")
concentrated = maths("concentrated")


class Pool:
    """A pool; `sides` are the places of the token that is sold."""

    def __init__(self, venue: str, tokens: tuple[int, int], extended: bool = False) -> None:
        self.venue, self.tokens, self.extended = venue, tokens, extended

    def sell(self, side: int, amount: int) -> Trade | None:
        """What is bought for an amount; none if the pool does not take it."""
        raise NotImplementedError

    def spot(self, side: int) -> float:
        """What no unit is sold for more than, but for roundings."""
        raise NotImplementedError

    def guess(self, side: int, wanted: int) -> int | None:
        """About what has to be sold; none if it cannot be bought."""
        raise NotImplementedError

    def buy(self, side: int, wanted: int) -> Trade | None:
        """The least that has to be sold; none if it cannot be bought."""
        guess = self.guess(side, wanted)
        if guess is None:
            return None

        def enough(sold: int) -> bool:
            trade = self.sell(side, sold)
            return trade is not None and trade[0] >= wanted

        sold = least(enough, guess)
        trade = self.sell(side, sold) if sold else None
        return trade and (sold, trade[1])

    def exported(self) -> dict[str, Any]:
        """The pool for the mixed-integer program."""
        raise NotImplementedError


def least(enough: Callable[[int], bool], guess: int) -> int | None:
    """The least number that is enough, sought around a guess."""
    low, high, step = 0, max(guess, 1), 1
    while not enough(high):
        low, high, step = high, high + step, step * 4
        if step > max(guess, 1) << 4:
            return None
    step = 1
    while high - step > low and enough(high - step):
        high, step = high - step, step * 4
    low = max(low, high - step)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


class ReservePool(Pool):
    """A pool that trades on its reserves."""

    def __init__(self, venue: str, tokens: tuple[int, int], curves: list[Any], exported: dict[str, Any]) -> None:
        super().__init__(venue, tokens)
        self.curves, self.told = curves, exported

    def sell(self, side: int, amount: int) -> Trade | None:
        """By the curve."""
        curve = self.curves[side]
        if amount <= 0 or not curve.solvable or not curve.takes(amount):
            return None
        bought = curve.bought(amount)
        return None if bought is None else (bought, 0)

    def spot(self, side: int) -> float:
        """The slope of the curve at its beginning, the fee left out."""
        curve = self.curves[side]
        if not curve.held or not curve.left:
            return 0.0
        if isinstance(curve, exact.ConstantProduct):
            return curve.left / curve.held
        x, y = float(curve.held), float(curve.left)
        price = y * (3 * x * x + y * y) / (x * (x * x + 3 * y * y))
        return price * curve.unit_in / curve.unit_out

    def guess(self, side: int, wanted: int) -> int | None:
        """By the product, or by a few secants."""
        curve = self.curves[side]
        if isinstance(curve, exact.ConstantProduct):
            if not curve.held or wanted >= curve.left:
                return None
            kept = 1000 - 3 if curve.scale == 1000 else curve.scale - curve.fee
            return -(-wanted * curve.held * curve.scale // ((curve.left - wanted) * kept))
        spot = self.spot(side)
        if not spot or wanted * curve.unit_out >= curve.left:
            return None
        guess = int(wanted / spot) + 1
        for _ in range(12):
            trade = self.sell(side, guess)
            if trade is None or not trade[0] or abs(trade[0] - wanted) <= 1:
                break
            guess = max(guess * wanted // trade[0], 1)
        return guess

    def exported(self) -> dict[str, Any]:
        """Reserves and terms."""
        return self.told


class RangePool(Pool):
    """A pool with liquidity in ranges."""

    rounding = "exact"

    def __init__(self, venue: str, key: tuple[int, ...], price: tuple[int, int], liquidity: int, positions: list[tuple[int, int, int]]) -> None:
        super().__init__(venue, (key[0], key[1]), extended=key[4] != 0)
        self.fee, self.spacing = key[2], key[3]
        self.ratio, self.tick = price
        self.liquidity = liquidity
        self.ticks = concentrated.Ticks(self.spacing, positions)

    def walk(self, side: int, kind: str, amount: int) -> tuple[int, int, int] | None:
        """What is sold and bought and the ticks passed, if all of it is traded."""
        limit = concentrated.LOWEST if side == 0 else concentrated.HIGHEST
        if amount <= 0 or amount >= 1 << 128 or not self.ratio or self.ratio == limit:
            return None
        try:
            taken, given, _, crossed, *_ = concentrated.walk(
                self.rounding, self.fee, side, self.ratio, limit, kind, amount,
                self.tick, SKIP_AHEAD, self.ticks, self.liquidity,
            )
        except concentrated.Reverts:
            return None
        return (taken, given, crossed) if (taken if kind == "in" else given) == amount else None

    def sell(self, side: int, amount: int) -> Trade | None:
        """From tick to tick."""
        done = self.walk(side, "in", amount)
        return done and (done[1], done[2])

    def spot(self, side: int) -> float:
        """The price, the fee left out."""
        price = (self.ratio / (1 << 128)) ** 2
        return (price if side == 0 else 1 / price) if price else 0.0

    def guess(self, side: int, wanted: int) -> int | None:
        """By the contract's own purchases."""
        done = self.walk(side, "out", wanted)
        return done and done[0]

    def exported(self) -> dict[str, Any]:
        """Price, liquidity and ticks."""
        ticks = sorted((tick, net) for tick, net in self.ticks.net.items() if net)
        return {
            "kind": "ranges",
            "fee": str(self.fee),
            "sqrtRatio": str(self.ratio),
            "tick": self.tick,
            "liquidity": str(self.liquidity),
            "ticks": [[tick, str(net)] for tick, net in ticks],
        }


class Reader:
    """Reads the pools of a node's newest block."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.contracts = {venue.kind: contract for contract, venue in VENUES.items()}
        self.names = {venue.kind: venue.name for venue in VENUES.values()}

    def pools(self) -> list[Pool]:
        """All pools that routes may pass."""
        with ThreadPoolExecutor(CONNECTIONS) as threads:
            found: list[Pool] = list(threads.map(self.ekubo, *zip(*self.ekubo_positions().items())))
            found += threads.map(self.my_swap, range(1, self.number("my", "get_total_number_of_pools") + 1))
            for kind in ("jedi", "10k", "sith", "stark", "nostra"):
                events = self.node.events(self.contracts[kind], ["PairCreated"])
                found += threads.map(lambda event: self.pair(kind, event), list(events))
        return found

    def number(self, kind: str, view: str) -> int:
        """What a view of a venue says, nothing if it has none."""
        answer = self.node.call(self.contracts[kind], view)
        return answer[0] if answer else 0

    def ekubo_positions(self) -> dict[tuple[int, ...], list[tuple[int, int, int]]]:
        """The pools of Ekubo that are not somebody else's, and all that was ever
        put into a range or taken out of it."""
        positions: dict[tuple[int, ...], list[tuple[int, int, int]]] = {}
        for event in self.node.events(self.contracts["ekubo"], ["PoolInitialized", "PositionUpdated"]):
            words = Words(event.words)
            is_new = len(event.words) == 9
            words.skip(0 if is_new else 1)
            key = tuple(words.felt() for _ in range(5))
            if key[4] not in (0, EKUBO_ORACLE):
                continue
            changes = positions.setdefault(key, [])
            if not is_new:
                words.skip(1)
                changes.append((words.signed(), words.signed(), words.signed()))
        return positions

    def ekubo(self, key: tuple[int, ...], changes: list[tuple[int, int, int]]) -> Pool:
        """A pool of Ekubo."""
        core = self.contracts["ekubo"]
        price = Words([hex(felt) for felt in self.node.call(core, "get_pool_price", *key) or []])
        ratio, tick = price.u256(), price.signed()
        liquidity = (self.node.call(core, "get_pool_liquidity", *key) or [0])[0]
        positions: dict[tuple[int, int], int] = {}
        for lower, upper, change in changes:
            positions[lower, upper] = positions.get((lower, upper), 0) + change
        held = [(lower, upper, size) for (lower, upper), size in positions.items() if size]
        return RangePool(self.names["ekubo"], key, (ratio, tick), liquidity, held)

    def my_swap(self, number: int) -> Pool:
        """A pool of mySwap."""
        words = self.words(self.contracts["my"], "get_pool", number)
        words.skip(1)
        first, held, second, left = words.felt(), words.u256(), words.felt(), words.u256()
        return self.product("my", "my", (first, second), (held, left), (words.felt(),) * 2)

    def pair(self, kind: str, event: Event) -> Pool:
        """A pair that a factory has made."""
        words = Words(event.words)
        tokens = (words.felt(), words.felt())
        stable = kind == "sith" and words.felt() == 1
        contract = words.felt()
        words.skip(1)
        stable = stable or kind == "stark" and words.felt() == 1
        view = "getReserves" if kind in ("10k", "sith") else "get_reserves"
        held = self.words(contract, view)
        read = held.felt if kind == "10k" else held.u256
        reserves = (read(), read())
        views = {"sith": ("fee0", "fee1"), "stark": ("fee_tier",) * 2, "nostra": ("swap_fee",) * 2}
        fees = tuple(self.words(contract, view).felt() for view in views.get(kind, ()))
        if stable:
            return self.stable(kind, tokens, reserves, fees)
        rule = "tenk" if kind == "10k" else kind
        return self.product(kind, rule, tokens, reserves, fees or (3, 3))

    def words(self, contract: int, view: str, *calldata: int) -> Words:
        """What a view answers, to be read."""
        return Words([hex(felt) for felt in self.node.call(contract, view, *calldata) or []])

    def product(self, kind: str, rule: str, tokens: Any, reserves: Any, fees: Any) -> Pool:
        """A pool x·y = k."""
        curves = [exact.ConstantProduct(rule, reserves[side], reserves[1 - side], fees[side]) for side in (0, 1)]
        shares = [fees[side] / curves[side].scale for side in (0, 1)]
        told = {"kind": "charged", "reserves": [str(held) for held in reserves], "fees": shares}
        return ReservePool(self.names[kind], tokens, curves, told)

    def stable(self, kind: str, tokens: Any, reserves: Any, fees: Any) -> Pool:
        """A pool x³y + y³x = k."""
        decimals = [self.words(token, "decimals").felt() for token in tokens]
        scale = 10**6 if kind == "sith" else 10**4
        curves = [
            exact.Solidly(scale, reserves[side], reserves[1 - side], decimals[side], decimals[1 - side], fees[side])
            for side in (0, 1)
        ]
        told = {
            "kind": "flat",
            "reserves": [str(held) for held in reserves],
            "decimals": decimals,
            "fees": [fee / scale for fee in fees],
        }
        return ReservePool(self.names[kind], tokens, curves, told)
