"""Quotes over HTTP, and what they are worth."""

import http.client
import json
import threading
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urlsplit

from failure import expect

TIMEOUT = 60


@dataclass(frozen=True)
class Quote:
    """A quote: amounts, worths in USD, gas in the smallest unit of STRK, and the
    tree of its swaps."""

    sold: int
    bought: int
    sold_usd: float
    bought_usd: float
    gas: int
    gas_usd: float
    gap: float | None
    routes: list[dict[str, Any]]

    def net(self, purchase: bool) -> float:
        """What is better the higher it is: what a sale brings after gas, or
        minus what a purchase costs with it."""
        return -self.sold_usd - self.gas_usd if purchase else self.bought_usd - self.gas_usd

    def chain(self) -> list[tuple[str, int, int]] | None:
        """Venue and tokens of each swap, where one follows the other."""
        found, routes = [], self.routes
        while routes:
            if len(routes) > 1:
                return None
            route = routes[0]
            ends = (int(route["sellTokenAddress"], 16), int(route["buyTokenAddress"], 16))
            found.append((route["name"], *ends))
            routes = route["routes"]
        return found


class Api:
    """The program's API, over a connection that each thread keeps."""

    def __init__(self, url: str) -> None:
        self.host = urlsplit(url).netloc
        self.local = threading.local()

    def ask(self, path: str, query: Any = None, body: Any = None) -> Any:
        """The answer to a request."""
        connection = getattr(self.local, "connection", None)
        if connection is None:
            connection = self.local.connection = http.client.HTTPConnection(self.host, timeout=TIMEOUT)
        method, sent = ("GET", None) if body is None else ("POST", json.dumps(body))
        target = f"{path}?{urlencode(query, doseq=True)}" if query else path
        connection.request(method, target, sent, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        text = answer.read()
        expect(answer.status == 200, f"{method} {target}: {answer.status} {text[:300]!r}")
        return json.loads(text)

    def quotes(self, sell: int, buy: int, amount: int, purchase: bool, **options: Any) -> list[Quote]:
        """Quotes for an amount that is sold, or bought by a purchase."""
        query = {"sellTokenAddress": hex(sell), "buyTokenAddress": hex(buy)}
        query["buyAmount" if purchase else "sellAmount"] = str(amount)
        return [quote(told) for told in self.ask("/swap/v3/quotes", {**query, **options})]

    def sources(self) -> list[str]:
        """Names of all venues."""
        return [source["name"] for source in self.ask("/swap/v3/sources")]

    def tokens(self) -> dict[int, int]:
        """Listed tokens and their decimals."""
        found, page, pages = {}, 0, 1
        while page < pages:
            told = self.ask("/v1/starknet/tokens", {"page": page, "size": 100})
            found |= {int(token["address"], 16): token["decimals"] for token in told["content"]}
            page, pages = page + 1, told["totalPages"]
        return found

    def prices(self, tokens: list[int]) -> dict[int, float]:
        """Prices in USD of those that have one."""
        found = {}
        for begin in range(0, len(tokens), 50):
            body = {"tokens": [hex(token) for token in tokens[begin : begin + 50]]}
            for told in self.ask("/v3/tokens/prices", body=body):
                found[int(told["address"], 16)] = told["networkMarket"]["usd"] if "networkMarket" in told else told["starknetMarket"]["usd"]
        return {token: usd for token, usd in found.items() if usd > 0}


def quote(told: dict[str, Any]) -> Quote:
    """A quote of an answer."""
    return Quote(
        sold=int(told["sellAmount"], 16),
        bought=int(told["buyAmount"], 16),
        sold_usd=told["sellAmountInUsd"],
        bought_usd=told["buyAmountInUsd"],
        gas=int(told["gasFees"], 16),
        gas_usd=told.get("gasFeesInUsd", 0.0),
        gap=told["gapBps"] / 1e4 if told.get("gapBps") is not None else None,
        routes=told["routes"],
    )
