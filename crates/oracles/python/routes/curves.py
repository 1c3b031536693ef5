"""What a pool gives for an amount, and what it gives for a little more.

Real numbers, written from the rules in words, not from the Rust code. Every
curve is concave: whatever is sold, the next unit buys no more than the one
before. `at(sold)` is what is bought and the price of the next unit; `until(price)`
is what is sold until the next unit buys no more than this.
"""

from bisect import bisect_right
from math import exp, inf, log1p, sqrt



class Product:
    """x * y = k, the fee taken first."""

    def __init__(self, held, left, kept):
        self.held, self.left, self.kept = held, left, kept
        self.most = inf if held > 0 and left > 0 else 0.0

    def at(self, sold):
        net = self.kept * sold
        after = self.held + net
        return self.left * net / after, self.kept * self.left * self.held / (after * after)

    def until(self, price):
        if price <= 0:
            return inf
        return max(sqrt(self.kept * self.left * self.held / price) - self.held, 0.0) / self.kept


class Ranges:
    """Liquidity between ticks.

    In each range sqrt(price) and the amounts obey x = L / root, y = L * root of
    the pool's first and second token. Seen from the side that is sold, `u` is
    what is bought for a unit at the margin, squared: root itself if the first
    token is sold, its inverse if the second one is.
    """

    def __init__(self, root, tick, liquidity, ticks, step, kept, second):
        self.kept = kept
        half = log1p(step) / 2
        # Each range: where it begins in amounts net of fees and in u, its L.
        self.starts, self.pieces = [], []
        crossed = [mark for mark in ticks if (mark[0] > tick) == second]
        if not second:
            crossed.reverse()
        sold = bought = 0.0
        u = 1 / root if second else root
        for index, net in crossed:
            end = exp((-index if second else index) * half)
            if liquidity > 0 and end < u:
                self.starts.append(sold)
                self.pieces.append((sold, bought, u, end, float(liquidity)))
                sold += liquidity * (1 / end - 1 / u)
                bought += liquidity * (u - end)
            u = min(u, end)
            liquidity += net if second else -net
        self.most = sold / kept
        self.all = bought

    def at(self, sold):
        if not self.pieces or sold >= self.most:
            return (self.all, 0.0) if self.pieces else (0.0, 0.0)
        net = sold * self.kept
        start, bought, u, _, liquidity = self.pieces[bisect_right(self.starts, net) - 1]
        rest = net - start
        after = liquidity * u / (liquidity + rest * u)
        return bought + rest * u * after, self.kept * after * after

    def until(self, price):
        wanted, sold = sqrt(max(price, 0.0) / self.kept), 0.0
        for start, _, u, end, liquidity in self.pieces:
            if u <= wanted:
                break
            sold = start + liquidity * (1 / max(end, wanted) - 1 / u)
        return sold / self.kept


def until(curve, price):
    """By halving, for curves without a formula."""
    low, high = 0.0, curve.held / curve.scale_in
    while curve.at(high)[1] > price:
        if high > 1e12 * curve.held / curve.scale_in:
            return inf
        low, high = high, 4 * high
    for _ in range(60):
        middle = (low + high) / 2
        if curve.at(middle)[1] > price:
            low = middle
        else:
            high = middle
    return high


class Flat:
    """x^3 y + y^3 x = k on amounts with the same decimals, the fee first."""

    def __init__(self, held, left, scales, kept):
        self.scale_in, self.scale_out = scales
        self.held, self.left, self.kept = held * self.scale_in, left * self.scale_out, kept
        self.k = self.held * self.left * (self.held**2 + self.left**2)
        self.most = inf if held > 0 and left > 0 else 0.0

    def at(self, sold):
        x = self.held + self.kept * sold * self.scale_in
        y = self.left
        for _ in range(100):
            step = (x * y * (x * x + y * y) - self.k) / (x**3 + 3 * x * y * y)
            y -= step
            if abs(step) <= 1e-15 * y:
                break
        price = y * (3 * x * x + y * y) / (x * (x * x + 3 * y * y))
        scale = self.scale_in / self.scale_out
        return (self.left - y) / self.scale_out, self.kept * price * scale

    def until(self, price):
        return until(self, price)


class Amplified:
    """A (x + y) + D = A D + D^3 / (4 x y), the fee first."""

    def __init__(self, held, left, scales, amplification, kept):
        self.scale_in, self.scale_out = scales
        self.held, self.left, self.kept = held * self.scale_in, left * self.scale_out, kept
        self.weight = 2 * amplification / 1000
        self.most = inf if held > 0 and left > 0 else 0.0
        if self.most:
            self.sum = self.balanced(self.held, self.left)

    def balanced(self, x, y):
        low, high = 0.0, x + y
        for _ in range(200):
            d = (low + high) / 2
            if self.weight * (x + y) + d > self.weight * d + d**3 / (4 * x * y):
                low = d
            else:
                high = d
        return (low + high) / 2

    def at(self, sold):
        x, d = self.held + self.kept * sold * self.scale_in, self.sum
        # weight y^2 + (weight x + d - weight d) y = d^3 / (4 x)
        linear = self.weight * (x - d) + d
        root = sqrt(linear * linear + self.weight * d**3 / x)
        y = 2 * (d**3 / (4 * x)) / (linear + root) if linear > 0 else (root - linear) / (2 * self.weight)
        fall = (self.weight * y + d**3 / (4 * x * x)) / (2 * self.weight * y + linear)
        scale = self.scale_in / self.scale_out
        return max(self.left - y, 0.0) / self.scale_out, self.kept * fall * scale

    def until(self, price):
        return until(self, price)


def curve(pool, side):
    """The curve of an exported pool as a sale of one of its tokens sees it."""
    turn = (lambda pair: pair) if side == 0 else (lambda pair: pair[::-1])
    if pool["kind"] == "ranges":
        ticks = [(index, int(net)) for index, net in pool["ticks"]]
        root = int(pool["sqrtRatio"]) / 2**128
        kept = 1 - int(pool["fee"]) / 2**128
        return Ranges(root, pool["tick"], int(pool["liquidity"]), ticks, 1e-6, kept, side == 1)
    held, left = turn([int(held) for held in pool["reserves"]])
    if pool["kind"] == "product":
        return Product(held, left, 1 - pool["fee"] / 100_000)
    if pool["kind"] == "charged":
        return Product(held, left, 1 - pool["fees"][side])
    scales = turn([10.0 ** -decimals for decimals in pool["decimals"]])
    if pool["kind"] == "flat":
        fee = pool["fees"][side] if "fees" in pool else int(pool["fee"]) / 10_000
        return Flat(held, left, scales, 1 - fee)
    return Amplified(held, left, scales, pool["amplification"], 1 - int(pool["fee"]) / 10**18)
