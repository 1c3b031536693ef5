"""Orders as users place them: hubs and small tokens, six sizes, sales and
purchases."""

from dataclasses import dataclass
from random import Random

from figures import HUBS, STABLES
from pools import Pool
from terms import Terms

SIZES = (10, 100, 1_000, 5_000, 20_000, 100_000)

# How often: two hubs, a hub and a small token, two small ones; purchases.
TWO_HUBS, ONE_HUB = 0.5, 0.9
PURCHASES = 0.35


@dataclass(frozen=True)
class Order:
    """What is asked: a sale of an amount, or the purchase of one."""

    sell: int
    buy: int
    amount: int
    purchase: bool
    usd: int

    def __str__(self) -> str:
        verb = "buying" if self.purchase else "selling"
        return f"{verb} ${self.usd:,}: {self.amount} of {self.sell:#x} to {self.buy:#x}"


def drawn(random: Random, pools: list[Pool], terms: Terms, count: int) -> list[Order]:
    """So many orders among the tokens that have a price and a pool."""
    traded = {token for pool in pools for token in pool.tokens}
    hubs = [token for token in (*STABLES, *HUBS) if terms.worth(token) and token in traded]
    small = sorted(token for token in terms.decimals if terms.worth(token) and token in traded and token not in hubs)
    orders: list[Order] = []
    while len(orders) < count:
        dice = random.random()
        if dice < TWO_HUBS or not small:
            pair = random.sample(hubs, 2)
        elif dice < ONE_HUB or len(small) < 2:
            pair = [random.choice(hubs), random.choice(small)]
        else:
            pair = random.sample(small, 2)
        random.shuffle(pair)
        purchase, usd = random.random() < PURCHASES, random.choice(SIZES)
        amount = terms.units(pair[1] if purchase else pair[0], usd)
        if amount:
            orders.append(Order(pair[0], pair[1], amount, purchase, usd))
    return orders
