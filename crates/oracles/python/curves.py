"""Judges trades of pools that live on reserves.

Plain big integers, written from the rules in words, not from the Rust code:
products and roundings are checked by the inequality that a contract promises
wherever there is one, limits are found by bisection over what must fit, and
the amplified curve is solved by a square root instead of Newton's method.

Each line is a pool, a side, an amount to sell with its claimed answer, and an
amount to buy with its claimed answer. An answer is a number, `-` for a trade
of nothing, `?` for no solution, or `>most` for too much. Each line is answered
with `ok`, or with what would be right.
"""

import sys
from math import isqrt

WORD = 1 << 256
RESERVE = 1 << 128
E18 = 10**18


def ceil_div(a, b):
    return -(-a // b)


def largest(accepts, end):
    """The largest number below `end` that is accepted; all below it are."""
    low, high = 0, end
    while high - low > 1:
        middle = (low + high) // 2
        if accepts(middle):
            low = middle
        else:
            high = middle
    return low


class Pool:
    """What every pool shares; `takes` and `bought` are its rule."""

    solvable = True
    # No pool takes an amount with more bits.
    widest = 1 << 200

    def most(self):
        if not hasattr(self, "_most"):
            self._most = largest(self.takes, self.widest)
        return self._most

    def sell(self, amount):
        if amount == 0:
            return "-"
        if not self.solvable:
            return "?"
        if not self.takes(amount):
            return f">{self.most()}"
        bought = self.bought(amount)
        return "?" if bought is None else str(bought)

    def reaches(self, sold, wanted):
        bought = self.bought(sold)
        return bought is not None and bought >= wanted

    def buy(self, wanted, claim):
        """The claim where it is right: the smallest sale that reaches."""
        if wanted == 0:
            return "-"
        if not self.solvable:
            return "?"
        if claim.isdigit():
            sold = int(claim)
            enough = sold > 0 and self.takes(sold) and self.reaches(sold, wanted)
            spare = sold > 1 and self.reaches(sold - 1, wanted)
            return claim if enough and not spare else "another amount"
        top = self.bought(self.most()) if self.most() else 0
        if top is None:
            return "?"
        return f">{top}" if top < wanted else "a trade"


class ConstantProduct(Pool):
    SCALES = {"jedi": 1000, "tenk": 1000, "stark": 10**4, "sith": 10**6, "nostra": E18, "my": 10**5}

    def __init__(self, rule, reserve_in, reserve_out, fee):
        self.rule, self.held, self.left = rule, reserve_in, reserve_out
        self.fee, self.scale = fee, self.SCALES[rule]
        self.end = 1 << 112 if rule == "tenk" else RESERVE

    def set_aside(self, amount):
        if self.rule in ("stark", "sith", "my"):
            return amount * self.fee // self.scale
        return ceil_div(amount * self.fee, self.scale)

    def takes(self, amount):
        if self.held == 0 or self.left == 0:
            return amount == 0
        stays = amount - self.set_aside(amount) if self.rule in ("stark", "sith") else amount
        if self.rule in ("jedi", "tenk"):
            if amount * (self.scale - self.fee) * self.left >= WORD:
                return False
        return self.held + stays < self.end

    def bought(self, amount):
        # As much as leaves the product of reserves where it was.
        if self.rule in ("jedi", "tenk"):
            held = self.held * self.scale
            after = held + amount * (self.scale - self.fee)
        else:
            held = self.held
            after = held + amount - self.set_aside(amount)
        return self.left - ceil_div(held * self.left, after)

    def quotient_and_one(self, wanted):
        if wanted >= self.left or wanted * self.held * 1000 >= WORD or self.held == 0:
            return None
        sold = wanted * self.held * 1000 // ((self.left - wanted) * 997) + 1
        return sold if self.takes(sold) else None

    def buy(self, wanted, claim):
        if self.rule not in ("jedi", "tenk") or wanted == 0:
            return super().buy(wanted, claim)
        sold = self.quotient_and_one(wanted)
        if sold is not None:
            return str(sold)
        most = largest(lambda wanted: self.quotient_and_one(wanted) is not None, self.left + 1)
        return f">{most}"


class Solidly(Pool):
    def __init__(self, scale, reserve_in, reserve_out, decimals_in, decimals_out, fee):
        self.reserve, self.fee, self.scale = reserve_in, fee, scale
        self.unit_in, self.unit_out = 10 ** (18 - decimals_in), 10 ** (18 - decimals_out)
        self.held, self.left = reserve_in * self.unit_in, reserve_out * self.unit_out
        self.k = self.invariant(self.held, self.left)

    @staticmethod
    def invariant(x, y):
        a, b, c = x * y, x * x, y * y
        if a >= WORD or b >= WORD or c >= WORD:
            return None
        whole = (a // E18) * (b // E18 + c // E18)
        return whole // E18 if whole < WORD else None

    @staticmethod
    def slope(x, y):
        mixed, cube = 3 * x * (y * y // E18), (x * x // E18) * x
        return mixed // E18 + cube // E18 if mixed < WORD and cube < WORD else None

    def net(self, amount):
        return amount - amount * self.fee // self.scale

    def takes(self, amount):
        if not self.k:
            return amount == 0
        net = self.net(amount)
        if self.reserve + net >= RESERVE:
            return False
        held = self.held + net * self.unit_in
        return self.invariant(held, self.left) is not None and self.slope(held, self.left) is not None

    def settle(self, x, y):
        for _ in range(255):
            now, slope = self.invariant(x, y), self.slope(x, y)
            if now is None or not slope:
                return None
            gap = now - self.k
            step = abs(gap) * E18 // slope
            if step:
                y += step if gap < 0 else -step
            elif gap == 0:
                return y
            elif gap < 0:
                y += 1
                if self.invariant(x, y) > self.k:
                    return y
            else:
                if y and self.invariant(x, y - 1) < self.k:
                    return y
                y -= 1
            if y < 0:
                return None
        return None

    def bought(self, amount):
        x = self.held + self.net(amount) * self.unit_in
        y = self.settle(x, self.left)
        if y is None or y > self.left:
            return None
        # Whatever the way there, k is kept and one unit less would break it.
        now = self.invariant(x, y)
        assert now == self.k or now > self.k > self.invariant(x, y - 1)
        bought = (self.left - y) // self.unit_out
        return bought if bought * self.unit_out < self.left else None


class Amplified(Pool):
    END = 1 << 120

    def __init__(self, reserve_in, reserve_out, rate_in, rate_out, amplification, fee):
        self.reserve, self.fee = reserve_in, fee
        self.rate_in, self.rate_out = rate_in, rate_out
        self.held, self.left = reserve_in * rate_in // E18, reserve_out * rate_out // E18
        self.twice = 2 * amplification
        self.empty = self.held == 0 or self.left == 0
        if not self.empty:
            self.sum = self.balanced_sum()
            self.solvable = self.sum is not None

    def balanced_sum(self):
        x, y, total = self.held, self.left, self.held + self.left
        now = total
        for _ in range(255):
            product = now * now // (2 * x) * now // (2 * y)
            above = total * self.twice // 1000 + 2 * product
            below = now * (self.twice - 1000) // 1000 + 3 * product
            before, now = now, above * now // below
            if abs(now - before) <= 1:
                break
        else:
            return None
        # Where reserves are no dust, the roundings are those of a few units of
        # the sum, and of one of the first quotient, which y then divides.
        if min(x, y) > 10**9:
            def error(d):
                weight = 4 * x * y
                return 1000 * d**3 + weight * (d * (self.twice - 1000) - self.twice * total)
            few = 3 + now // y
            assert error(now - few) < 0 < error(now + few)
        return now

    def takes(self, amount):
        if self.empty:
            return amount == 0
        reserve = self.reserve + amount
        return reserve < RESERVE and reserve * self.rate_in // E18 < self.END

    def bought(self, amount):
        net = amount - ceil_div(amount * self.fee, E18)
        x = (self.reserve + net) * self.rate_in // E18
        p = x + 1000 * self.sum // self.twice - self.sum
        c = self.sum * self.sum // (2 * x) * 1000 * self.sum // (2 * self.twice)
        y = (isqrt(p * p + 4 * c) - p) // 2
        # The root is at most one unit off, and right of the parabola's bottom.
        if 2 * y + p < 0 or y * (y + p) < c:
            y += 1
        assert 2 * y + p >= 0 and y * (y + p) >= c
        assert 2 * (y - 1) + p < 0 or (y - 1) * (y - 1 + p) < c
        return max(self.left - y - 1, 0) * E18 // self.rate_out


class Deposit(Pool):
    def __init__(self, assets, shares, open_side):
        self.assets, self.shares = assets, shares
        self.open = open_side and assets > 0 and shares > 0

    def takes(self, amount):
        if not self.open:
            return amount == 0
        fits = self.assets + amount < RESERVE
        return fits and self.shares + self.bought(amount) < RESERVE

    def bought(self, amount):
        return self.shares * amount // self.assets


def read(kind, words, side):
    """A pool as a sale of this side sees it."""
    turn = (lambda pair: pair) if side == 0 else (lambda pair: pair[::-1])
    if kind == "constant":
        rule, numbers = words[0], [int(word) for word in words[1:]]
        return ConstantProduct(rule, *turn(numbers[:2]), turn(numbers[2:])[0])
    numbers = [int(word) for word in words]
    if kind == "solidly":
        return Solidly(numbers[0], *turn(numbers[1:3]), *turn(numbers[3:5]), turn(numbers[5:])[0])
    if kind == "amplified":
        return Amplified(*turn(numbers[:2]), *turn(numbers[2:4]), *numbers[4:])
    return Deposit(*numbers, side == 0)


def judge(line):
    kind, *words, side, sold, bought_claim, wanted, sold_claim = line.split()
    pool = read(kind, words, int(side))
    bought = pool.sell(int(sold))
    if bought != bought_claim:
        return f"selling: {bought}"
    sold = pool.buy(int(wanted), sold_claim)
    if sold != sold_claim:
        return f"buying: {sold}"
    return "ok"


for line in sys.stdin:
    try:
        print(judge(line))
    except (AssertionError, ArithmeticError, TypeError) as error:
        print(f"{type(error).__name__}: {error}")
