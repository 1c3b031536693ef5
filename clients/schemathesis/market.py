"""A user with every role, and what it can ask about: names of things that exist."""

import http.client
import json
import subprocess
import tempfile
import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from failure import Surprise, expect
from program import Stoa, binary

LEASES = 4

# Seconds until the first blocks are served.
READY_WITHIN = 60.0

ETH = "0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7"
STRK = "0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d"
USDC = "0x53c91253bc9682c04929ca02ed00b3e423f6710d2ee7e0d5ebb06f3ecf368a8"

METHODS = [
    "paymaster_health",
    "paymaster_isAvailable",
    "paymaster_getSupportedTokens",
    "paymaster_buildTransaction",
    "paymaster_executeTransaction",
    "paymaster_trackingIdToLatestHash",
]

Names = dict[str, list[str]]


def chore(store: list[str], *arguments: str) -> str:
    """What an operator's command prints."""
    command = [binary(), *arguments, *store]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    expect(done.returncode == 0, f"{' '.join(arguments)}: {done.stderr}")
    return done.stdout


def said(printed: str, word: str) -> str:
    """The first value of the line that begins with a word."""
    for line in printed.splitlines():
        if line.split()[:1] == [word]:
            return line.split()[1]
    raise Surprise(f"no {word} in {printed!r}")


@dataclass(frozen=True)
class Credentials:
    """Of somebody who may do everything."""

    token: str
    key: str
    other: str
    """Another user, whose roles may change."""

    def settings(self, stopped: str) -> str:
        """The headers of all requests. What would end the token itself, take its roles
        away or the validator off the market is sent by another, or about another."""
        return f"""
[headers]
Authorization = "Bearer {self.token}"
x-api-key = "{self.key}"

[[operations]]
include-name = ["DELETE /v1/auth/session", "DELETE /v1/api-tokens/{{id}}"]
headers = {{ Authorization = "Bearer demo-trader-token" }}

[[operations]]
include-name = "PUT /v1/admin/users/{{id}}/roles"
parameters."path.id" = "{self.other}"

[[operations]]
include-path-regex = "^/v1/admin/validators/"
parameters."path.id" = "{stopped}"
"""


def credentials(store: list[str]) -> Credentials:
    """Has an operator make them."""
    roles = [word for role in ("trader", "validator", "staff") for word in ("--role", role)]
    user = said(chore(store, "user", "add", "--name", "Ada", *roles), "user")
    other = said(chore(store, "user", "add", "--name", "Eve"), "user")
    token = said(chore(store, "token", "create", "--user", user, "--name", "tests"), "token")
    key = said(chore(store, "key", "create", "--name", "tests"), "secret")
    return Credentials(token, key, other)


def ready(stoa: Stoa) -> None:
    """Waits until the program says that it is: before, 503 would be right."""
    deadline = time.monotonic() + READY_WITHIN
    while stoa.request("GET", "/readyz", None, {})[0] != 200:
        expect(time.monotonic() < deadline, "the program is not ready")
        time.sleep(0.1)


def names(market: "Market") -> Names:
    """What generated requests are about, most of the time."""
    # Nobody leases their own.
    other = Market(market.stoa, "demo-validator-token")
    validators = [other.register(0), market.register(1)]
    epoch = market.ask("GET", "/v1/epoch")["epoch"]
    leases = [market.book(validators[0], epoch + 10 + number) for number in range(LEASES)]
    hook = {"url": "https://hooks.example/stoa", "events": ["lease.activated"]}
    webhook = market.ask("POST", "/v1/webhooks", hook)
    pools = market.stoa.ask("/staking/v3")["delegationPools"]
    return {
        "tokens": [ETH, STRK, USDC],
        "pools": [pool["poolAddress"] for pool in pools],
        "amounts": ["1", "1000000", "0xde0b6b3a7640000", "5000000000000000000"],
        "times": [str(int(time.time()) - 86_400), "2026-01-01T00:00:00Z"],
        "methods": METHODS,
        "sponsors": ["demo-sponsor-key"],
        "validators": [validator["public_id"] for validator in validators],
        "identities": [validator["identity_pubkey"] for validator in validators],
        "leases": [lease["lease_id"] for lease in leases],
        "memos": [lease["payment"]["memo"] for lease in leases],
        "webhooks": [webhook["public_id"]],
        "wallets": [validator["identity_pubkey"] for validator in validators],
        "epochs": [str(epoch + ahead) for ahead in range(20, 60)],
        "counts": ["1", "2", "30"],
        "names": [ulid(number) for number in range(100, 110)],
    }


def ulid(number: int) -> str:
    """An idempotency key."""
    return f"01J{number:023d}"


class Market:
    """The lease market, as somebody."""

    def __init__(self, stoa: Stoa, bearer: str) -> None:
        self.stoa = stoa
        self.bearer = bearer

    def ask(self, method: str, path: str, body: Any = None, key: str = "") -> Any:
        """The data of an answer."""
        headers = {"Authorization": f"Bearer {self.bearer}", "Content-Type": "application/json"}
        if key:
            headers["Idempotency-Key"] = key
        sent = None if body is None else json.dumps(body)
        status, text = self.stoa.request(method, path, sent, headers)
        expect(status in (200, 201), f"{method} {path}: {status} {text[:300]!r}")
        return json.loads(text)["data"]

    def register(self, number: int) -> Any:
        """Lists a simulated validator, with a body that the program signs."""
        accounts = self.accounts()
        account = self.ask("GET", "/v1/me")["public_id"]
        with tempfile.NamedTemporaryFile("w", suffix=".json") as keypair:
            json.dump(accounts["validators"][number]["secret_key_bytes"], keypair)
            keypair.flush()
            signed = chore(
                ["--keypair", keypair.name, "--account", account]
                + ["--domain", urlsplit(self.stoa.found["api"]).netloc]
                + ["--payout-wallet", accounts["wallets"][1]["address"]]
                + ["--tier", "standard", "--region", "eu-central-1", "--price-sol", "1.5"],
                *("validator", "sign-challenge"),
            )
        return self.ask("POST", "/v1/validators", json.loads(signed))

    def accounts(self) -> Any:
        """Wallets and validators of the simulated node."""
        node = urlsplit(self.stoa.found["node"]).netloc
        question = {"jsonrpc": "2.0", "id": 1, "method": "sim_accounts", "params": {}}
        headers = {"Content-Type": "application/json"}
        connection = http.client.HTTPConnection(node)
        connection.request("POST", "/solana", json.dumps(question), headers)
        return json.loads(connection.getresponse().read())["result"]

    def book(self, validator: Any, epoch: int) -> Any:
        """One epoch."""
        wish = {"validator_id": validator["public_id"], "epoch_start": epoch, "epoch_count": 1}
        return self.ask("POST", "/v1/leases", wish, ulid(epoch))
