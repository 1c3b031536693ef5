"""Orders and their quotes for the mixed-integer program of `crates/oracles`,
which says how much any route could have paid."""

from typing import Any

from api import Quote
from gas import Gas
from orders import Order
from pools import Pool
from terms import WHOLE, Terms

MAX_SWAPS = 12


def exported(pools: list[Pool], terms: Terms, gas: Gas, asked: list[tuple[Order, Quote | None]]) -> dict[str, Any]:
    """A market in the form that `cargo run -p oracles --example export` writes."""
    return {}
