"""The attacks themselves."""

import asyncio
from collections import Counter
from random import Random

from connection import ETH, QUOTE, STRK, Target, answer
from failure import expect

LONG = f"/v3/tokens/{ETH}/prices/candle?resolution=1"
READS = [
    QUOTE,
    "/v1/starknet/tokens?size=50",
    f"/v1/starknet/tokens/{STRK}",
    f"/v3/tokens/{ETH}/prices/line?resolution=1H",
]

# Longer than a server lets a client not read, and a body not arrive.
CUT_OFF_WITHIN = 60.0


async def hoard(target: Target, count: int) -> None:
    """Holds connections of one address that do nothing."""
    held = [await target.connect() for _ in range(count)]
    for _ in range(10):
        await target.bystander("/healthz", "/readyz", QUOTE)
    for _, writer in held:
        writer.close()
    print(f"hoard: {count:,} connections held, everybody else answered")


async def readers(target: Target, count: int) -> None:
    """Asks for long answers, again and again, and reads none."""

    async def one() -> None:
        _, writer = await target.connect()
        request = f"GET {LONG} HTTP/1.1\r\nhost: {target.host}\r\n\r\n".encode()
        try:
            async with asyncio.timeout(CUT_OFF_WITHIN):
                while True:
                    writer.write(request * 100)
                    await writer.drain()
        except OSError:
            return
        finally:
            writer.transport.abort()

    attackers = [asyncio.create_task(one()) for _ in range(count)]
    while not all(attacker.done() for attacker in attackers):
        await target.bystander("/healthz", QUOTE)
        await asyncio.sleep(1.0)
    kept = sum(isinstance(attacker.exception(), TimeoutError) for attacker in attackers)
    expect(not kept, f"{kept} clients that read nothing were not cut off")
    print(f"readers: {count} clients that read nothing were cut off")


async def bodies(target: Target, count: int) -> None:
    """Sends bodies byte by byte."""
    head = (
        f"POST /swap/v3/build HTTP/1.1\r\nhost: {target.host}\r\n"
        "content-type: application/json\r\ncontent-length: 10000\r\n\r\n"
    )
    statuses: Counter[int] = Counter()

    async def one() -> None:
        reader, writer = await target.connect()
        writer.write(head.encode())
        told = asyncio.create_task(answer(reader))
        async with asyncio.timeout(CUT_OFF_WITHIN):
            while not told.done():
                writer.write(b" ")
                await asyncio.wait([told], timeout=0.5)
        statuses[(await told).status] += 1
        writer.close()

    attackers = asyncio.gather(*(one() for _ in range(count)))
    while not attackers.done():
        await target.bystander("/healthz", QUOTE)
        await asyncio.sleep(1.0)
    await attackers
    expect(set(statuses) == {408}, f"slow bodies were answered with {dict(statuses)}")
    print(f"bodies: {count} slow bodies were given up, with 408")


async def load(target: Target, count: int, seconds: float) -> None:
    """Asks trading routes on many connections, without a pause."""
    statuses: Counter[str] = Counter()
    dice = Random(1)

    async def one(number: int) -> None:
        while True:
            try:
                streams = await target.connect(number)
                while True:
                    path = dice.choice(READS)
                    told = await target.ask(streams, f"GET {path} HTTP/1.1")
                    statuses[str(told.status)] += 1
            except (OSError, EOFError) as error:
                statuses[type(error).__name__] += 1
                await asyncio.sleep(0.1)

    flood = [asyncio.create_task(one(number)) for number in range(count)]
    await asyncio.sleep(seconds)
    for connection in flood:
        connection.cancel()
    await asyncio.gather(*flood, return_exceptions=True)
    print(f"load: {count:,} connections for {seconds:.0f} s, {dict(statuses)}")
