"""Starts the real program on free ports in a fresh folder, and asks it."""

import http.client
import json
import os
import re
import subprocess
import tempfile
import threading
import time
from decimal import Decimal
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import urlencode, urlsplit

from failure import Surprise, expect

STARTED_WITHIN = 60.0
CAUGHT_UP_WITHIN = 120.0
ENDED_WITHIN = 30.0


def binary() -> str:
    """Where the program is."""
    program = os.environ.get("STOA_BIN")
    expect(bool(program), "STOA_BIN is not set: run ./test, or set it to a built stoa")
    return str(program)


class Stoa:
    """A running program; it ends with the block of code that it is used in."""

    def __init__(self, *flags: str, **settings: str) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="stoa-clients-")
        data = str(Path(self.folder.name) / "data")
        ports = ["--listen", "127.0.0.1:0", "--sim-listen", "127.0.0.1:0"]
        self.process = subprocess.Popen(
            [binary(), "serve", *ports, "--data", data, "--no-rate-limit", *flags],
            stdout=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "STOA__SERVER__LOG": "warn", **settings},
        )
        self.found: dict[str, str] = {}
        self.started = threading.Event()
        threading.Thread(target=self.listen, daemon=True).start()

    def __enter__(self) -> "Stoa":
        if not self.started.wait(STARTED_WITHIN) or len(self.found) < 2:
            self.end()
            raise Surprise("stoa did not start")
        self.connection = http.client.HTTPConnection(urlsplit(self.found["api"]).netloc)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        status = self.end()
        expect(kind is not None or status == 0, f"stoa ended with status {status}")

    def listen(self) -> None:
        """Reads what the program prints: where it serves."""
        for line in self.process.stdout or []:
            said = re.match(r"\s*(api|node)\s+(http:\S+)", line)
            if said:
                self.found.setdefault(said[1], said[2])
            if len(self.found) == 2:
                self.started.set()
        self.started.set()

    def end(self) -> int:
        """Stops the program."""
        self.process.terminate()
        try:
            return self.process.wait(ENDED_WITHIN)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        finally:
            self.folder.cleanup()

    def ask(self, path: str, query: dict[str, str] | None = None, body: Any = None) -> Any:
        """The answer to a request; numbers are as exact as they are written."""
        method = "GET" if body is None else "POST"
        target = f"{path}?{urlencode(query)}" if query else path
        headers = {"Content-Type": "application/json"}
        sent = None if body is None else json.dumps(body)
        status, text = self.request(method, target, sent, headers)
        expect(status == 200, f"{method} {target}: {status} {text[:300]!r}")
        return json.loads(text, parse_float=Decimal)

    def request(
        self, method: str, target: str, body: str | None, headers: dict[str, str]
    ) -> tuple[int, bytes]:
        """Status and body of an answer."""
        self.connection.request(method, target, body, headers)
        answer = self.connection.getresponse()
        return answer.status, answer.read()

    def catch_up(self, number: int) -> None:
        """Waits until the program serves a block, whether or not it is fresh."""
        deadline = time.monotonic() + CAUGHT_UP_WITHIN
        while time.monotonic() < deadline:
            _, text = self.request("GET", "/readyz", None, {})
            if json.loads(text)["parts"]["starknet"]["blockNumber"] == number:
                return
            time.sleep(0.05)
        raise Surprise(f"stoa did not come to block {number}")
