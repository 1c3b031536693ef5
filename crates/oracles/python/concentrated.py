"""Swaps of concentrated pools in exact integers, written from the rules alone.

Reads one case a line from standard input and answers with a line each. Shares
nothing with the Rust code: factors are computed, not tabled, amounts are single
quotients, ticks are kept in a bitmap that is searched word by word.

step ROUNDING FEE SOLD RATIO LIQUIDITY LIMIT KIND AMOUNT
    -> CONSUMED CALCULATED FEE RATIO
swap ROUNDING FEE SOLD RATIO LIMIT KIND AMOUNT TICK SPACING SKIP (LOWER UPPER LIQUIDITY)...
    -> SOLD BOUGHT FEE CROSSED RATIO TICK LIQUIDITY

ROUNDING is older or exact, SOLD is 0 or 1, KIND is in or out. A case that the
contract refuses is answered with "reverts".
"""

import sys
from decimal import Decimal, getcontext
from functools import cache

getcontext().prec = 300
ONE = 1 << 128
TOP = 1 << 256
LAST_TICK = 88722883
WORD = 251


class Reverts(Exception):
    pass


def fits(amount):
    """Amounts are unsigned integers of 128 bits."""
    if not 0 <= amount < ONE:
        raise Reverts
    return amount


def up(dividend, divisor):
    return -(-dividend // divisor)


ROOT = Decimal("1.000001").sqrt()
FACTORS = [int((ONE / ROOT ** (1 << bit)).to_integral_value()) for bit in range(27)]


@cache
def ratio_at(tick):
    ratio = ONE
    for bit, factor in enumerate(FACTORS):
        if abs(tick) >> bit & 1:
            ratio = ratio * factor >> 128
    return (TOP - 1) // ratio if tick > 0 else ratio


LOWEST, HIGHEST = ratio_at(-LAST_TICK), ratio_at(LAST_TICK)


def tick_at(ratio):
    low, high = -LAST_TICK, LAST_TICK
    while low < high:
        middle = (low + high + 1) // 2
        if ratio_at.__wrapped__(middle) <= ratio:
            low = middle
        else:
            high = middle - 1
    return low


def between(token, a, b, liquidity, rounded):
    """What the liquidity holds of a token between two ratios."""
    low, high = min(a, b), max(a, b)
    if token == 1:
        return fits(rounded(liquidity * (high - low), ONE))
    return fits(rounded(liquidity * (high - low) * ONE, high * low))


def down(dividend, divisor):
    return dividend // divisor


def ratio_after(rounding, sold, ratio, liquidity, kind, amount):
    """The ratio that the amount leads to, or None beyond all limits."""
    if amount == 0:
        return ratio
    held = liquidity * ONE
    if kind == "in":
        if sold == 1:
            end = ratio + amount * ONE // liquidity
        elif rounding == "older":
            end = up(held, held // ratio + amount)
        else:
            end = up(held * ratio, held + amount * ratio)
        return end if end < TOP else None
    if sold == 0:
        end = ratio - up(amount * ONE, liquidity)
        return end if end >= 0 else None
    rest = held - amount * ratio
    if rest <= 0:
        return None
    end = up(held * ratio, rest)
    return end if end < TOP else None


def step(rounding, fee, sold, ratio, liquidity, limit, kind, amount):
    if amount == 0 or ratio == limit:
        return 0, 0, 0, ratio
    if (limit > ratio) != (sold == 1):
        raise Reverts
    if liquidity == 0:
        return 0, 0, 0, limit
    charge = up(amount * fee, ONE) if kind == "in" else 0
    end = ratio_after(rounding, sold, ratio, liquidity, kind, amount - charge)
    beyond = end is None or (end > limit if sold == 1 else end <= limit)
    if not beyond and end == ratio:
        if kind == "out":
            raise Reverts
        return amount, 0, amount, ratio
    end = limit if beyond else end
    if kind == "in" and not beyond:
        return amount, between(1 - sold, ratio, end, liquidity, down), charge, end
    bought = between(1 - sold, ratio, end, liquidity, down) if beyond else amount
    net = between(sold, ratio, end, liquidity, up)
    gross = fits(up(net * ONE, ONE - fee))
    if kind == "in":
        return gross, bought, gross - net, end
    return bought, gross, gross - net, end


class Ticks:
    def __init__(self, spacing, positions):
        self.spacing, self.words, self.net, gross = spacing, {}, {}, {}
        for lower, upper, liquidity in positions:
            for tick, sign in ((lower, 1), (upper, -1)):
                self.net[tick] = self.net.get(tick, 0) + sign * liquidity
                gross[tick] = gross.get(tick, 0) + liquidity
        for tick in gross:
            word, bit = divmod(tick // spacing, WORD)
            self.words[word] = self.words.get(word, 0) | 1 << bit

    def next(self, sold, tick, skip):
        start = tick if sold == 0 else tick + self.spacing
        word, bit = divmod(start // self.spacing, WORD)
        while True:
            bits = self.words.get(word, 0)
            if sold == 0:
                bits &= (2 << bit) - 1
                found, edge = bits.bit_length() - 1, 0
            else:
                bits = bits >> bit << bit
                found, edge = (bits & -bits).bit_length() - 1, WORD - 1
            if bits:
                return (word * WORD + found) * self.spacing, True
            at = (word * WORD + edge) * self.spacing
            if abs(at) > LAST_TICK:
                return (-LAST_TICK if sold == 0 else LAST_TICK), False
            if skip == 0:
                return at, False
            skip -= 1
            word += -1 if sold == 0 else 1
            bit = WORD - 1 if sold == 0 else 0


def walk(rounding, fee, sold, ratio, limit, kind, amount, tick, skip, ticks, liquidity):
    """A swap on liquidity that is there at a tick; the tick that it ends at is
    none unless it is one that bounds a position or a word."""
    if (limit > ratio) != (sold == 1) or not LOWEST <= limit <= HIGHEST:
        raise Reverts
    left, calculated, fees, crossed = amount, 0, 0, 0
    while left and ratio != limit:
        target, bounds_a_position = ticks.next(sold, tick, skip)
        end = ratio_at(target)
        stop = max(end, limit) if sold == 0 else min(end, limit)
        used, other, charge, after = step(rounding, fee, sold, ratio, liquidity, stop, kind, left)
        left, calculated, fees = left - used, fits(calculated + other), fits(fees + charge)
        if after == end:
            tick = target - 1 if sold == 0 else target
            if bounds_a_position:
                crossed += 1
                gained = ticks.net[target]
                liquidity = fits(liquidity - gained if sold == 0 else liquidity + gained)
        elif after != ratio:
            # Here the amount or the limit is reached.
            tick = None
        ratio = after
    used = amount - left
    taken, given = (used, calculated) if kind == "in" else (calculated, used)
    return taken, given, fees, crossed, ratio, tick, liquidity


def swap(rounding, fee, sold, ratio, limit, kind, amount, tick, spacing, skip, positions):
    ticks = Ticks(spacing, positions)
    liquidity = sum(size for lower, upper, size in positions if lower <= tick < upper)
    *done, ratio, tick, liquidity = walk(
        rounding, fee, sold, ratio, limit, kind, amount, tick, skip, ticks, liquidity
    )
    return *done, ratio, tick_at(ratio) if tick is None else tick, liquidity


def answer(line):
    what, rounding, *rest = line.split()
    kind = next(word for word in rest if word in ("in", "out"))
    numbers = [word if word == kind else int(word) for word in rest]
    if what == "step":
        return step(rounding, *numbers)
    flat = numbers[9:]
    positions = list(zip(flat[0::3], flat[1::3], flat[2::3]))
    return swap(rounding, *numbers[:9], positions)


def answered(line):
    try:
        return " ".join(map(str, answer(line)))
    except Reverts:
        return "reverts"


def main():
    sys.stdout.write("".join(answered(line) + "\n" for line in sys.stdin))


if __name__ == "__main__":
    main()
