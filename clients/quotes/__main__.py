"""Holds quotes against everything plainer, as a user meets them: over HTTP, with
the settings that the program has by itself.

    STOA_BIN=target/debug/stoa python3 clients/quotes --orders 2000 --blocks 3

It starts the program, lets it get to know its tokens, stops the simulated chain at
a block, reads all pools from the node by itself, and asks for orders of hubs and
small tokens, of six sizes, for sales and purchases. Whatever is asked, the quote must be worth at least as much,
net of gas and fees, as the best single swap and the best single path, which are
found here by trying all of them in exact integers; as direct pools alone; as the
first of five quotes; and what a sale gives must be for sale for no more. With rare
and slight exceptions it is worth as much as with one venue alone and with all but
one, and selling more does not net less. A table says how often something plainer
was better, by how much of the gross worth at most, and where. Gas of swaps is
learned from quotes (`gas.py`).

Worlds are the shipped one, one with 24 pools, and the wild one. `--optima 60
--optimum FILE` also writes so many orders of the shipped one with their quotes for
the mixed-integer program: `crates/oracles/python/routes < FILE`.
"""

import argparse
import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from subprocess import run

sys.path.append(str(Path(__file__).parents[1] / "recompute"))

import gas
import optimum
import terms
from api import Api
from checks import Checker, Tallies
from failure import Surprise
from hostile import avoided
from node import Node
from orders import drawn
from pools import Reader
from program import Stoa, binary
from ways import Ways

# Flags and settings of each world.
WORLDS: dict[str, tuple[list[str], dict[str, str]]] = {
    "shipped": ([], {}),
    "24 pools": ([], {"STOA__SIMNET__POOLS": "24"}),
    "wild": (["--sim-wild"], {}),
}
CONNECTIONS = 4

# The program looks at gas prices this often, in seconds.
PRICES_AFTER = 11.0

# Blocks that pass between two at which quotes are held.
BETWEEN = 40

# Blocks in which the program gets to know tokens that do not do what they say, and
# the time that it takes for one.
LESSONS, LESSON = 24, 1.2

# Worlds in which there are none.
HONEST = {"24 pools"}


def held(world: str, arguments: argparse.Namespace) -> tuple[Tallies, list[dict]]:
    """Holds all orders of a world."""
    tallies, markets = Tallies(show=arguments.show), []
    random = Random(arguments.seed)
    flags, settings = WORLDS[world]
    with Stoa(*flags, **settings) as stoa:
        node, api = Node(stoa.found["node"]), Api(stoa.found["api"])
        node.ask("sim_pause", {})
        for _ in range(0 if world in HONEST else LESSONS):
            node.ask("sim_mine", {"blocks": 1})
            time.sleep(LESSON)
        for block in range(arguments.blocks):
            if block:
                node.ask("sim_mine", {"blocks": BETWEEN})
            stoa.catch_up(node.head())
            settled = time.monotonic() + PRICES_AFTER
            pools = Reader(node).pools()
            decimals = api.tokens()
            known = terms.read(node, decimals, api.prices(list(decimals)))
            hostile = avoided(api, pools, known, set(decimals))
            pools = [pool for pool in pools if not hostile.intersection(pool.tokens)]
            left_out = f"without {', '.join(map(hex, hostile))}" if hostile else "all tokens"
            print(f"{world}, block {node.head()}: {len(pools)} pools, {left_out}", flush=True)
            time.sleep(max(settled - time.monotonic(), 0))
            learned = gas.learned(api, pools, known)
            unpriced = sorted({pool.venue for pool in pools if not learned.known(pool)})
            if unpriced:
                print(f"  gas of some pools of {', '.join(unpriced)} is not known: not in ways")
            checker = Checker(api, Ways(pools, known, learned), tallies)
            orders = drawn(random, pools, known, arguments.orders // arguments.blocks)
            with ThreadPoolExecutor(CONNECTIONS) as threads:
                quotes = list(threads.map(checker.check, orders))
            asked = list(zip(orders, quotes))[: arguments.optima // arguments.blocks]
            if asked:
                markets.append(optimum.exported(pools, known, learned, asked))
    return tallies, markets


def main() -> None:
    """Holds the worlds that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--orders", type=int, default=2000, help="of each world")
    parser.add_argument("--blocks", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--worlds", nargs="*", default=list(WORLDS), choices=list(WORLDS))
    parser.add_argument("--exact", action="store_true", help="fail for promises that hold in every order alone")
    parser.add_argument("--show", action="store_true", help="print every order in which something plainer is better")
    parser.add_argument("--optima", type=int, default=0, help="orders of the shipped world for the program")
    parser.add_argument("--optimum", help="the file that they are written to")
    arguments = parser.parse_args()
    offers = run([binary(), "serve", "--help"], capture_output=True, text=True, check=True).stdout
    kept = True
    for world in arguments.worlds:
        if any(flag not in offers for flag in WORLDS[world][0]):
            print(f"{world}: this program has no such world")
            continue
        begun = time.monotonic()
        tallies, markets = held(world, arguments)
        kept &= tallies.report(world, arguments.exact)
        print(f"  {time.monotonic() - begun:.0f} s", flush=True)
        if world == "shipped" and arguments.optimum:
            Path(arguments.optimum).write_text("".join(json.dumps(market) + "\n" for market in markets))
    if not kept:
        sys.exit("a promise is broken")


if __name__ == "__main__":
    try:
        main()
    except Surprise as surprise:
        sys.exit(f"cannot compare: {surprise}")
