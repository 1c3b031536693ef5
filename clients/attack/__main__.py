"""Attacks a server as a hostile client can, and watches whether others are still
answered.

    STOA_BIN=target/debug/stoa python3 clients/attack            a program of its own
    STOA_BIN=target/debug/stoa python3 clients/attack --short    the same, smaller
    python3 clients/attack --url http://127.0.0.1:8080           a server of yours

- hoard: far more connections than an address may have, held and left idle
- readers: requests whose answers nobody reads
- bodies: bodies that arrive byte by byte
- load: as many connections as a busy day has, all asking trading routes, while
  leases are booked; only against a program of its own, whose market is simulated

Beside each attack a bystander asks for health and quotes. It fails when the
bystander is not answered, when an attacker is not cut off, or when bookings take
more than 20 times as long under load as without it, in the median of a few turns.
A server behind a proxy sees the proxy's address alone: attack it directly.
"""

import argparse
import asyncio
import resource
import statistics
import sys
from multiprocessing import Process
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "recompute"))

import bookings
from connection import Target
from failure import Difference, Surprise, expect
from floods import bodies, hoard, load, readers
from program import Stoa

# How much longer bookings may take under load.
SLOWER = 20.0

# For so long bookings are timed in a turn, in seconds, and so long a flood takes to
# rise and to drain. One hiccup of the machine is the 99th percentile of a turn: the
# median of a few turns counts.
IDLE, BUSY, RISING, DRAINING = 4.0, 6.0, 2.0, 1.0
TURNS = 3

# Connections that load trading routes. They hardly outpace a released build, but a
# build for tests they do, and then a booking waits twice behind all of them: 50 make
# it some 9 times as slow, 100 some 13, 200 up to 38 (two cores). The short form has as
# many as leave the bound a factor of two.
BUSY_DAY, BUSY_DAY_IN_SHORT = 2_000, 50


def main() -> None:
    """Makes all attacks that fit the target."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--url", help="a server to attack, instead of a program of its own")
    parser.add_argument("--short", action="store_true", help="few connections, a minute")
    arguments = parser.parse_args()
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    scale = 5 if arguments.short else 1
    if arguments.url:
        asyncio.run(network(Target(arguments.url), scale))
        return
    # One trader books all the time and pays for nothing.
    with Stoa(STOA__LEASING__MAX_UNPAID_BOOKINGS="1000000") as stoa:
        target = Target(stoa.found["api"])
        asyncio.run(everything(target, scale))


async def network(target: Target, scale: int) -> None:
    """What any server can be attacked with."""
    await target.ready()
    await hoard(target, 2_000 // scale)
    await asyncio.gather(readers(target, 100 // scale), bodies(target, 100 // scale))


async def everything(target: Target, scale: int) -> None:
    """The same, and bookings under load."""
    await target.ready()
    market = await bookings.market(target)
    connections = BUSY_DAY if scale == 1 else BUSY_DAY_IN_SHORT
    # First: what attacks leave behind must not make idle look slow.
    ratios = [await slowdown(target, market, connections) for _ in range(TURNS)]
    await network(target, scale)
    ratio = statistics.median(ratios)
    expect(ratio <= SLOWER, f"bookings take {ratio:.0f} times as long under load")


async def slowdown(target: Target, market: bookings.Market, connections: int) -> float:
    """How many times as long bookings take under load, in one turn."""
    idle = await bookings.book(target, market, IDLE)
    # In a process of its own: who measures must not wait behind who attacks.
    flood = Process(target=attack, args=(target, connections, RISING + BUSY + DRAINING))
    flood.start()
    await asyncio.sleep(RISING)
    busy = await bookings.book(target, market, BUSY)
    await asyncio.to_thread(flood.join)
    await asyncio.sleep(DRAINING)
    ratio = busy.p99 / idle.p99
    print(f"bookings: {idle} idle, {busy} under load: {ratio:.1f} times")
    expect(busy.failed == idle.failed == 0, "bookings failed")
    return ratio


def attack(target: Target, count: int, seconds: float) -> None:
    """The load, as a process."""
    asyncio.run(load(target, count, seconds))


if __name__ == "__main__":
    try:
        main()
    except (Difference, Surprise) as failure:
        sys.exit(f"not withstood: {failure}")
