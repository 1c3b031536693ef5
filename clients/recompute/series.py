"""Buckets of time, and what figures are in them."""

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from figures import Flow

LENGTHS = {
    "1": 60,
    "5": 300,
    "15": 900,
    "1H": 3_600,
    "4H": 14_400,
    "1D": 86_400,
    "1W": 604_800,
}

# 1 January 1970 was a Thursday; weeks begin on Monday.
SHIFTS = {"1W": 3 * 86_400}


# What a figure became, and when; it stays until the next.
Steps = list[tuple[int, float]]


@dataclass(frozen=True)
class Candle:
    """The course of a price in a bucket."""

    open: float
    high: float
    low: float
    close: float


def opens(resolution: str, time: int) -> int:
    """When the bucket begins that a time lies in."""
    if resolution in LENGTHS:
        return time - (time + SHIFTS.get(resolution, 0)) % LENGTHS[resolution]
    date = datetime.fromtimestamp(time, UTC)
    month = date.month if resolution == "1M" else 1
    return int(datetime(date.year, month, 1, tzinfo=UTC).timestamp())


def after(resolution: str, opened: int) -> int:
    """When the next bucket begins."""
    if resolution in LENGTHS:
        return opened + LENGTHS[resolution]
    # Longer than any month or year, and shorter than two.
    return opens(resolution, opened + (32 if resolution == "1M" else 367) * 86_400)


def buckets(resolution: str, first: int, end: int) -> list[int]:
    """The beginnings of all buckets from the one that a time lies in."""
    found, at = [], opens(resolution, first)
    while at < end:
        found.append(at)
        at = after(resolution, at)
    return found


def value_before(steps: Steps, time: int) -> float | None:
    """What a figure was just before a time."""
    place = bisect_left(steps, time, key=lambda step: step[0])
    return steps[place - 1][1] if place else None


def candles(steps: Steps, resolution: str, begins: list[int]) -> dict[int, Candle]:
    """The candles of buckets: what a price that stays until it changes did in
    each, beginning with the close of the one before."""
    made = {}
    first = bisect_left(steps, begins[0], key=lambda step: step[0])
    for begin in begins:
        end, last = after(resolution, begin), first
        while last < len(steps) and steps[last][0] < end:
            last += 1
        course = [usd for _, usd in steps[max(first - 1, 0) : last]]
        if course:
            made[begin] = Candle(course[0], max(course), min(course), course[-1])
        first = last
    return made


def sums(flows: Iterable[Flow], resolution: str) -> dict[int, tuple[int, int]]:
    """Units and worth of all that moved in each bucket in which anything did."""
    found: dict[int, tuple[int, int]] = {}
    for time, units, usd in flows:
        at = opens(resolution, time)
        before = found.get(at, (0, 0))
        found[at] = (before[0] + units, before[1] + usd)
    return found


def quotient(prices: Steps, quotes: Steps) -> Steps:
    """One step function by another, from where both are known."""
    end = after("1", opens("1", max(prices[0][0], quotes[0][0])))
    times = sorted({time for time, _ in [*prices, *quotes] if time >= end})
    found = first_quotients(prices, quotes, end)
    for time in times:
        one, other = value_before(prices, time + 1), value_before(quotes, time + 1)
        if one is not None and other is not None:
            found.append((time, one / other))
    return found


def first_quotients(prices: Steps, quotes: Steps, end: int) -> Steps:
    """Those of the first minute in which both are known, by docs/market-data.md:
    all if the older price stood still in it, and otherwise the last one."""

    def course(steps: Steps) -> Steps:
        before = value_before(steps, end - 60)
        within = [step for step in steps if end - 60 <= step[0] < end]
        return within if before is None else [(end - 60, before), *within]

    ones, others = course(prices), course(quotes)
    one, other = ones[-1][1], others[-1][1]
    if prices[0][0] < quotes[0][0] and all(value == one for _, value in ones):
        return [(time, one / value) for time, value in others]
    if quotes[0][0] < prices[0][0] and all(value == other for _, value in others):
        return [(time, value / other) for time, value in ones]
    return [(end - 1, one / other)]
