"""What the exchange contract takes, and what tokens are worth."""

from dataclasses import dataclass

from node import Node

EXCHANGE = 0x04270219D365D6B017231B52E92B3FB5D7C8378B05E9ABC97724537A80E93B0F
WHOLE = 10_000


@dataclass(frozen=True)
class Terms:
    """The platform's fees in basis points, for one swap and for more, the
    tokens' weights, and decimals and prices of the listed ones that have one."""

    one: int
    many: int
    weights: dict[int, int]
    decimals: dict[int, int]
    prices: dict[int, float]

    def of_sold(self, sell: int, buy: int) -> bool:
        """Whether fees are taken of what is sold."""
        return self.weights.get(sell, 0) > self.weights.get(buy, 0)

    def fee(self, amount: int, swaps: int) -> int:
        """The fee on an amount."""
        return amount * (self.one if swaps == 1 else self.many) // WHOLE

    def sent(self, sell: int, buy: int, amount: int, swaps: int) -> int:
        """What goes through the pools of what is sold."""
        return amount - self.fee(amount, swaps) if self.of_sold(sell, buy) else amount

    def paid(self, sell: int, buy: int, gross: int, swaps: int) -> int:
        """What is paid of what the pools give."""
        return gross if self.of_sold(sell, buy) else gross - self.fee(gross, swaps)

    def worth(self, token: int) -> float:
        """What the smallest unit is worth in USD."""
        return self.prices.get(token, 0.0) / 10 ** self.decimals.get(token, 0)

    def units(self, token: int, usd: float) -> int:
        """How many units are worth so much; 0 if nobody knows."""
        worth = self.worth(token)
        return int(usd / worth) if worth else 0


def read(node: Node, decimals: dict[int, int], prices: dict[int, float]) -> Terms:
    """The terms at the newest block."""
    one, many = ((node.call(EXCHANGE, f"get_fees_bps_{n}") or [0])[0] for n in (0, 1))
    weights = {token: (node.call(EXCHANGE, "get_token_fee_config", token) or [0])[0] for token in decimals}
    return Terms(one, many, weights, {t: d for t, d in decimals.items() if t in prices}, prices)
