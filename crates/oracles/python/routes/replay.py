"""A route executed again, swap by swap, from its shares alone."""

from orders import curves

WHOLE = 10**12

# Pools whose curve is solved in real numbers here give what they say, but for
# this part of it and what roundings take: a few units of either token.
NEAR = 1e-9
UNITS = 40


def bought_exactly(pool, side, sold):
    """What a pool x * y = k gives, to the unit."""
    held, left = [int(held) for held in pool["reserves"]][:: 1 if side == 0 else -1]
    net = sold - sold * pool["fee"] // 100_000
    return left * net // (held + net)


def replayed(asked, route):
    """What goes in and comes out; an assertion fails where a swap is not what
    the route says, or something stays behind."""
    amount, legs = int(route["sold"]), route["legs"]
    assert asked.purchase or amount == (asked.one if len(legs) == 1 else asked.many)
    assert route["tokens"][:2] == [asked.sell, asked.buy]
    assert len(legs) <= asked.max_swaps, "too many swaps"
    assert len({leg["pool"] for leg in legs}) == len(legs), "a pool is used twice"
    balances = [0] * len(route["tokens"])
    balances[0] = amount
    for leg in legs:
        pool, side = asked.market["pools"][leg["pool"]], leg["side"]
        ends = [route["tokens"][leg["from"]], route["tokens"][leg["to"]]]
        assert ends == pool["tokens"][:: 1 if side == 0 else -1]
        sold = balances[leg["from"]] * leg["share"] // WHOLE
        bought = int(leg["bought"])
        assert sold == int(leg["sold"])
        if pool["kind"] == "product":
            assert bought == bought_exactly(pool, side, sold)
        else:
            there = curves(pool)[side]
            near, price = there.at(sold)[0], there.at(0.0)[1]
            assert abs(bought - near) <= near * NEAR + UNITS * (price + 1), (bought, near, pool)
        balances[leg["from"]] -= sold
        balances[leg["to"]] += bought
    bought = balances.pop(1)
    assert not any(balances), "something stays behind"
    assert bought == int(route["bought"])
    assert not asked.purchase or bought >= asked.many
    return amount, bought
