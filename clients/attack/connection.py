"""Connections to a server, from addresses of this machine."""

import asyncio
from dataclasses import dataclass
from urllib.parse import urlsplit

from failure import Surprise

ETH = "0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7"
STRK = "0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d"
QUOTE = (
    f"/swap/v3/quotes?sellTokenAddress={ETH}&buyTokenAddress={STRK}&sellAmount=0x16345785d8a0000"
)

# A bystander who waits longer has been locked out.
ANSWERED_WITHIN = 5.0

# Seconds that a start may take.
READY_WITHIN = 60

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@dataclass(frozen=True)
class Answer:
    """Status and body."""

    status: int
    body: bytes


class Target:
    """The server, and how it is reached."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self.host = parts.hostname or ""
        self.port = parts.port or 80

    async def connect(self, number: int | None = None) -> Streams:
        """A connection; on loopback from the address of that number."""
        local = None
        if number is not None and self.host.startswith("127."):
            local = (f"127.0.{1 + number // 200}.{1 + number % 200}", 0)
        return await asyncio.open_connection(self.host, self.port, local_addr=local)

    async def ask(self, streams: Streams, head: str, body: bytes = b"") -> Answer:
        """Sends a request, and reads its answer."""
        reader, writer = streams
        length = f"content-length: {len(body)}\r\n" if body else ""
        writer.write(f"{head}\r\nhost: {self.host}\r\n{length}\r\n".encode() + body)
        await writer.drain()
        return await answer(reader)

    async def ready(self) -> None:
        """Waits until the server says that it is."""
        for _ in range(READY_WITHIN):
            streams = await self.connect(9_999)
            told = await self.ask(streams, "GET /readyz HTTP/1.1")
            streams[1].close()
            if told.status == 200:
                return
            await asyncio.sleep(1.0)
        raise Surprise("the server is not ready")

    async def bystander(self, *paths: str) -> None:
        """Somebody else, who has to be answered."""
        for path in paths:
            try:
                async with asyncio.timeout(ANSWERED_WITHIN):
                    streams = await self.connect(9_999)
                    told = await self.ask(streams, f"GET {path} HTTP/1.1")
                    streams[1].close()
            except (OSError, EOFError, TimeoutError) as error:
                raise Surprise(f"a bystander got no answer to {path}: {error!r}") from error
            if told.status != 200:
                raise Surprise(f"a bystander got {told.status} for {path}")


async def answer(reader: asyncio.StreamReader) -> Answer:
    """An answer whose length is said."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
    length = 0
    for line in head.split("\r\n"):
        if line.startswith("content-length:"):
            length = int(line.partition(":")[2])
    return Answer(int(head[9:12]), await reader.readexactly(length))
