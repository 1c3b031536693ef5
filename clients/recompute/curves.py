"""What a pool says of the price between its tokens.

A price is how many of the second token the next bit of the first one buys,
without the fee. A depth is how much of a token can be sold until its price has
fallen by two per cent, or until the pool takes no more.

Whether a price is still the same decides what stands behind it, so that prices
are made of the plainest floating-point operations, in the order of the formula.
"""

from dataclasses import dataclass
from functools import cache
from math import exp, log1p, sqrt

from failure import expect

FALL = 0.98


@dataclass(frozen=True)
class Quotation:
    """Price and both depths."""

    mid: float
    depth: tuple[float, float]


def product_quotation(held: tuple[int, int]) -> Quotation | None:
    """x·y = k: the price is y/x, and x grows by 1/√0.98."""
    if not all(held):
        return None
    x, y = map(float, held)
    growth = 1 / sqrt(FALL) - 1
    return Quotation(y / x, (x * growth, y * growth))


def stable_price(ratio: float) -> float:
    """The price on x³y + y³x, where y is so many times x: the slope of k."""
    return ratio * (3 + ratio * ratio) / (1 + 3 * ratio * ratio)


def stable_growth(ratio: float) -> float:
    """By how much of itself x grows until its price has fallen, by halving."""
    wanted = stable_price(ratio) * FALL
    low, high = 0.0, ratio
    for _ in range(200):
        middle = (low + high) / 2
        if stable_price(middle) > wanted:
            high = middle
        else:
            low = middle
    # k is x⁴(r + r³), and stays what it is.
    return ((ratio + ratio**3) / (high + high**3)) ** 0.25 - 1


def stable_quotation(held: tuple[int, int], decimals: tuple[int, int]) -> Quotation | None:
    """x³y + y³x = k, with 18 decimals."""
    if not all(held):
        return None
    units = [10 ** (18 - places) for places in decimals]
    x, y = (float(amount * unit) for amount, unit in zip(held, units))
    depth = (held[0] * stable_growth(y / x), held[1] * stable_growth(x / y))
    return Quotation(stable_price(y / x) * (units[0] / units[1]), depth)


@cache
def root_at(tick: int, step: float) -> float:
    """The square root of the price at a tick."""
    return exp(tick * log1p(step) / 2)


def range_quotation(
    root: float, tick: int, liquidity: int, net: dict[int, int], step: float
) -> Quotation:
    """Liquidity in ranges: amounts are differences of roots, tick by tick."""
    inside = root_at(tick, step) * (1 - 1e-9) <= root <= root_at(tick + 1, step) * (1 + 1e-9)
    expect(inside, f"the price {root**2} is not at tick {tick}")
    return Quotation(
        root * root,
        (sold_down(root, tick, liquidity, net, step), sold_up(root, tick, liquidity, net, step)),
    )


def sold_down(root: float, tick: int, liquidity: int, net: dict[int, int], step: float) -> float:
    """How much of the first token brings the price down."""
    bottom, sold = root * sqrt(FALL), 0.0
    for below in sorted((at for at in net if at <= tick), reverse=True):
        end = min(max(root_at(below, step), bottom), root)
        sold += liquidity * (1 / end - 1 / root)
        if end <= bottom:
            break
        root, liquidity = end, liquidity - net[below]
    return sold


def sold_up(root: float, tick: int, liquidity: int, net: dict[int, int], step: float) -> float:
    """How much of the second token brings the price up."""
    top, sold = root / sqrt(FALL), 0.0
    for above in sorted(at for at in net if at > tick):
        end = max(min(root_at(above, step), top), root)
        sold += liquidity * (end - root)
        if end >= top:
            break
        root, liquidity = end, liquidity + net[above]
    return sold
