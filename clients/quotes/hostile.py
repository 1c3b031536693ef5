"""Tokens that the program keeps away from.

Tokens that tax transfers or cannot be sold are in the simulated worlds on purpose,
and views of pools know nothing of that. A token of which the program quotes
nothing, although a pool would take it, counts as one, and is printed.
"""

from collections import defaultdict

from api import Api
from figures import HUBS, STABLES
from pools import Pool
from terms import Terms

USD = 10


def avoided(api: Api, pools: list[Pool], terms: Terms, listed: set[int]) -> set[int]:
    """Those tokens, and those that nobody can ask about."""
    pools_of: dict[int, list[Pool]] = defaultdict(list)
    for pool in pools:
        for token in pool.tokens:
            pools_of[token].append(pool)
    unknown = pools_of.keys() - listed
    return unknown | {
        token
        for token in pools_of.keys() & listed - {*STABLES, *HUBS}
        if is_avoided(api, token, pools_of[token], terms)
    }


def is_avoided(api: Api, token: int, pools: list[Pool], terms: Terms) -> bool:
    """Whether some pool sells a token, and the program never does."""
    offered = False
    for pool in pools:
        side = 1 - pool.tokens.index(token)
        other = pool.tokens[side]
        amount = terms.units(other, USD)
        trade = pool.sell(side, amount) if amount else None
        if trade and trade[0]:
            offered = True
            if api.quotes(other, token, amount, False, onlyDirect="true"):
                return False
    return offered
