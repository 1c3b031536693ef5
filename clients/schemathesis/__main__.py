"""Sends the program what its OpenAPI document allows, and much that it does not
(schemathesis), and holds every answer to that document: no failure of ours, no status,
body, header or content type that is not described, nothing accepted that is described
as wrong.

    STOA_BIN=target/debug/stoa python3 clients/schemathesis          a minute
    STOA_BIN=target/debug/stoa python3 clients/schemathesis --long   ten minutes

The short form asks as nobody on SQLite, and as a user with every role on PostgreSQL with
Redis; the long one asks as both on both, and more. The same seed sends the same requests,
but for names and times that the program gives.
"""

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent / "recompute"))

from failure import Difference, Surprise, expect
from market import Market, Names, credentials, names, ready
from program import Stoa

# Requests of each operation, beside those that the document's edges give.
SHORT, LONG = 2, 30

# Who asks. The short form has each of them once.
NOBODY, SOMEBODY = "as nobody", "with credentials"

# Streams do not end.
ENDLESS = "stream$"

# Seconds that Redis may take to listen.
LISTENS_WITHIN = 10.0


def main() -> None:
    """Asks both engines."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--long", action="store_true", help="many more requests")
    parser.add_argument("--seed", type=int, default=1, help="of the generated requests")
    arguments = parser.parse_args()
    options = ["--seed", str(arguments.seed)]
    if arguments.long:
        options += ["--max-examples", str(LONG), "--phases", "examples,coverage,fuzzing,stateful"]
    else:
        options += ["--max-examples", str(SHORT), "--phases", "examples,fuzzing", "--no-shrink"]
    callers = [NOBODY, SOMEBODY]
    plans = [
        ("SQLite", sqlite, callers if arguments.long else [NOBODY]),
        ("PostgreSQL and Redis", postgres, callers if arguments.long else [SOMEBODY]),
    ]
    # Beside each other: the program and its client wait for one another.
    with ThreadPoolExecutor() as pool:
        failures = [
            failure
            for found in pool.map(lambda plan: check(*plan, options), plans)
            for failure in found
        ]
    expect(not failures, "\n".join(failures))


Running = AbstractContextManager[tuple[Stoa, list[str]]]


def check(
    engine: str, start: Callable[[], Running], callers: list[str], options: list[str]
) -> list[str]:
    """Starts the program on an engine, asks it, and says which answers are wrong."""
    with start() as (stoa, store):
        ready(stoa)
        somebody = credentials(store)
        market = Market(stoa, somebody.token)
        known = dictionaries(names(market))
        stopped = market.register(2)["public_id"]
        settings = {NOBODY: known, SOMEBODY: known + somebody.settings(stopped)}
        return [
            failure
            for caller in callers
            for failure in ask(f"{engine}, {caller}", stoa, settings[caller], options)
        ]


@contextmanager
def sqlite() -> Iterator[tuple[Stoa, list[str]]]:
    """The program on SQLite, and the flags that name its store."""
    with Stoa("--no-sim-people") as stoa:
        yield stoa, ["--data", str(Path(stoa.folder.name) / "data")]


@contextmanager
def postgres() -> Iterator[tuple[Stoa, list[str]]]:
    """The program on a database of its own, with a Redis of its own."""
    server = os.environ.get("STOA_TEST_POSTGRES")
    expect(bool(server), "STOA_TEST_POSTGRES is not set: run ./test, which starts PostgreSQL")
    name = f"described_{os.getpid()}"
    query(str(server), f"CREATE DATABASE {name}")
    parts = urlsplit(str(server))
    store = ["--store", parts._replace(path=f"/{name}").geturl()]
    try:
        with redis() as url, Stoa("--no-sim-people", *store, "--redis", url) as stoa:
            yield stoa, store
    finally:
        query(str(server), f"DROP DATABASE {name} WITH (FORCE)")


def query(server: str, text: str) -> None:
    """Has the server do something."""
    subprocess.run(["psql", "--quiet", "--no-psqlrc", server, "-c", text], check=True)


@contextmanager
def redis() -> Iterator[str]:
    """A server on a free port."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    command = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", ""]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        listening(port)
        yield f"redis://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


def listening(port: int) -> None:
    """Waits until somebody answers there."""
    deadline = time.monotonic() + LISTENS_WITHIN
    while time.monotonic() < deadline:
        with socket.socket() as near:
            if near.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise Surprise("Redis does not listen")


def ask(what: str, stoa: Stoa, settings: str, options: list[str]) -> list[str]:
    """Generates requests, and says which answers are wrong."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "schemathesis.toml"
        file.write_text((HERE / "schemathesis.toml").read_text() + settings)
        command = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(file), "run"]
        command += [f"{stoa.found['api']}/openapi.json", "--exclude-path-regex", ENDLESS]
        command += ["--continue-on-failure", "--no-color", *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    told = done.stdout + done.stderr
    for line in told.splitlines():
        if " generated" in line:
            print(f"{what}: {line.strip()}", flush=True)
    return [] if done.returncode == 0 else [f"{what}:\n{told}"]


def dictionaries(known: Names) -> str:
    """The names, as schemathesis is configured with them."""
    return "".join(
        f"\n[dictionaries.{name}]\nvalues = {json.dumps(values)}\n"
        for name, values in known.items()
    )


if __name__ == "__main__":
    try:
        main()
    except (Difference, Surprise) as failure:
        sys.exit(f"not as described: {failure}")
