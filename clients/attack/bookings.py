"""Leases that are booked one after the other, and how long that takes."""

import asyncio
import json
import secrets
import time
from dataclasses import dataclass

from connection import Target
from failure import Surprise

# What the program gives its simulated market.
TRADER = "demo-trader-token"
DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
OPENED_WITHIN = 120.0


@dataclass(frozen=True)
class Times:
    """Of a run of bookings, in seconds."""

    count: int
    failed: int
    p99: float

    def __str__(self) -> str:
        failed = f", {self.failed} failed" if self.failed else ""
        return f"{self.count} with p99 {self.p99 * 1e3:.1f} ms{failed}"


class Market:
    """Where leases are booked; every booking is of epochs of its own."""

    def __init__(self, validator: str) -> None:
        self.validator = validator
        self.epoch = 1_000

    def lease(self) -> bytes:
        """The next lease."""
        self.epoch += 2
        lease = {"validator_id": self.validator, "epoch_start": self.epoch, "epoch_count": 1}
        return json.dumps(lease).encode()


async def market(target: Target) -> Market:
    """The market, once somebody offers something there."""
    deadline = time.monotonic() + OPENED_WITHIN
    while time.monotonic() < deadline:
        streams = await target.connect(9_998)
        told = await target.ask(streams, "GET /v1/validators HTTP/1.1")
        streams[1].close()
        offers = json.loads(told.body)["data"] if told.status == 200 else []
        if offers:
            return Market(offers[0]["public_id"])
        await asyncio.sleep(0.5)
    raise Surprise("nobody offers anything on the market")


async def book(target: Target, market: Market, seconds: float) -> Times:
    """Books leases for some time."""
    streams = await target.connect(9_998)
    begun, times, failed = time.monotonic(), [], 0
    while time.monotonic() < begun + seconds:
        key = "0" + "".join(secrets.choice(DIGITS) for _ in range(25))
        head = (
            f"POST /v1/leases HTTP/1.1\r\nauthorization: Bearer {TRADER}\r\n"
            f"content-type: application/json\r\nidempotency-key: {key}"
        )
        asked = time.monotonic()
        told = await target.ask(streams, head, market.lease())
        times.append(time.monotonic() - asked)
        failed += told.status != 201
        await asyncio.sleep(0.01)
    streams[1].close()
    times.sort()
    return Times(len(times), failed, times[len(times) * 99 // 100])
