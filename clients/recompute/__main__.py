"""Recomputes market data from a node's events, and compares it with the
program's answers: candles, volumes and TVL of a few tokens, before and after a
reorganisation.

    STOA_BIN=target/debug/stoa python3 clients/recompute

It shares no code with the program, and ends with status 1 at the first
difference.
"""

import sys
import time
from copy import deepcopy

from compare import Comparison
from failure import Difference, Surprise
from figures import ETH, FAKE_USDC, MRBL, STOA, STRK, USDT, Figures
from node import Node
from program import Stoa

SEED = 5
REPLACED = 40

TOKENS = [ETH, STRK, USDT, STOA, MRBL, FAKE_USDC]
RESOLUTIONS = ["1", "5", "15", "1H", "4H", "1D", "1W", "1M", "1Y"]
RESOLUTIONS_AGAIN = ["1", "1H", "1D"]


def main() -> None:
    """Compares once, and once more after the newest blocks were replaced."""
    begun = time.monotonic()
    with Stoa("--sim-seed", str(SEED)) as stoa:
        node = Node(stoa.found["node"])
        node.ask("sim_pause", {})
        fork = node.head() - REPLACED
        figures = Figures(node, set(TOKENS))
        follow(figures, 0, fork)
        before = deepcopy(figures)
        compare(stoa, figures, RESOLUTIONS, "")
        node.ask("sim_reorg", {"depth": REPLACED})
        compare(stoa, before, RESOLUTIONS_AGAIN, f" after {REPLACED} blocks were replaced")
    print(f"{time.monotonic() - begun:.0f} s")


def compare(stoa: Stoa, figures: Figures, resolutions: list[str], when: str) -> None:
    """Takes up the rest of the chain, and compares all of it."""
    head = figures.node.head()
    follow(figures, figures.number + 1, head)
    stoa.catch_up(head)
    comparison = Comparison(stoa, figures)
    for token in TOKENS:
        comparison.token(token, resolutions)
    comparison.all_prices()
    counts = ", ".join(f"{count:,} {what}" for what, count in comparison.counts.items())
    apart = ", ".join(f"{what}s by {share:.1e}" for what, share in comparison.farthest.items())
    print(f"recomputed {head + 1:,} blocks with {len(figures.exchanges.pools)} pools{when}")
    print(f"equal: {counts}; amounts to the last unit, {apart} at most")


def follow(figures: Figures, first: int, last: int) -> None:
    """Takes up blocks."""
    for block in figures.node.blocks(first, last):
        figures.take(block)


if __name__ == "__main__":
    try:
        main()
    except Difference as difference:
        sys.exit(f"different: {difference}")
    except Surprise as surprise:
        sys.exit(f"cannot compare: {surprise}")
