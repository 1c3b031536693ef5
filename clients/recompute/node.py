"""What a Starknet node says, over JSON-RPC."""

import http.client
import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from failure import Surprise, expect
from keccak import selector

CONNECTIONS = 2
AHEAD = 64
TIMEOUT = 30
PAGE = 1000


@dataclass(frozen=True)
class Event:
    """An event: who said it, its name as a number, and its other elements."""

    transaction: int
    source: int
    name: int
    keys: int
    words: list[str]


@dataclass(frozen=True)
class Block:
    """A block with everything that its transactions said, in order."""

    number: int
    time: int
    events: list[Event]


class Node:
    """A node at a URL."""

    def __init__(self, url: str) -> None:
        self.url = urlsplit(url)
        self.local = threading.local()

    def ask(self, method: str, params: Any) -> Any:
        """The result of a method."""
        answer = self.post({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        if "error" in answer:
            raise Surprise(f"{method}: {answer['error']}")
        return answer["result"]

    def post(self, request: dict[str, Any]) -> dict[str, Any]:
        """The answer to a request, over a connection that each thread keeps."""
        connection = getattr(self.local, "connection", None)
        if connection is None:
            connection = http.client.HTTPConnection(self.url.netloc, timeout=TIMEOUT)
            self.local.connection = connection
        headers = {"Content-Type": "application/json"}
        connection.request("POST", self.url.path, json.dumps(request), headers)
        return json.loads(connection.getresponse().read())

    def head(self) -> int:
        """The number of the newest block."""
        return self.ask("starknet_blockNumber", [])

    def __deepcopy__(self, known: dict[int, Any]) -> "Node":
        """Copies of figures ask the same node."""
        return self

    def blocks(self, first: int, last: int) -> Iterator[Block]:
        """Consecutive blocks in order; a few are asked for ahead."""
        with ThreadPoolExecutor(CONNECTIONS) as pool:
            for begin in range(first, last + 1, AHEAD):
                yield from pool.map(self.block, range(begin, min(begin + AHEAD, last + 1)))

    def block(self, number: int) -> Block:
        """One block."""
        told = self.ask("starknet_getBlockWithReceipts", [{"block_number": number}])
        expect(told["block_number"] == number, f"asked for block {number}, got another")
        events = [
            event(place, said)
            for place, transaction in enumerate(told["transactions"])
            for said in transaction["receipt"]["events"]
        ]
        return Block(number, told["timestamp"], events)

    def events(self, source: int, names: list[str]) -> Iterator[Event]:
        """Everything that a contract has said with these names, in order."""
        keys = [[hex(selector(name)) for name in names]]
        filter = {"address": hex(source), "keys": keys, "chunk_size": PAGE}
        filter |= {"from_block": {"block_number": 0}, "to_block": "latest"}
        while True:
            page = self.ask("starknet_getEvents", {"filter": filter})
            yield from (event(0, said) for said in page["events"])
            if "continuation_token" not in page:
                return
            filter["continuation_token"] = page["continuation_token"]

    def call(self, contract: int, entrypoint: str, *calldata: int) -> list[int] | None:
        """What a view answers; none if it fails."""
        request = {
            "contract_address": hex(contract),
            "entry_point_selector": hex(selector(entrypoint)),
            "calldata": [hex(felt) for felt in calldata],
        }
        params = [request, "latest"]
        answer = self.post(
            {"jsonrpc": "2.0", "id": 1, "method": "starknet_call", "params": params}
        )
        felts = answer.get("result")
        return None if felts is None else [int(felt, 16) for felt in felts]


def event(transaction: int, said: dict[str, Any]) -> Event:
    """An event of a receipt."""
    keys = said["keys"]
    name = int(keys[0], 16) if keys else 0
    source = int(said["from_address"], 16)
    return Event(transaction, source, name, len(keys), keys[1:] + said["data"])
