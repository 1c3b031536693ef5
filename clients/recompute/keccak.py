"""Names of Starknet events as numbers: Keccak-256, cut to 250 bits."""

from functools import cache

LANES = [(x, y) for x in range(5) for y in range(5)]
WORD = (1 << 64) - 1
RATE = 136


def rotate(word: int, by: int) -> int:
    """A word of 64 bits, turned left."""
    by %= 64
    return ((word << by) | (word >> (64 - by))) & WORD


def round_constants() -> list[int]:
    """The constants of all rounds, from the shift register that defines them."""
    constants, register = [], 1
    for _ in range(24):
        constant = 0
        for j in range(7):
            if register & 1:
                constant |= 1 << ((1 << j) - 1)
            register = (register << 1) ^ (0x171 if register >> 7 else 0)
        constants.append(constant)
    return constants


CONSTANTS = round_constants()


def permute(state: dict[tuple[int, int], int]) -> dict[tuple[int, int], int]:
    """Keccak-f[1600]."""
    for constant in CONSTANTS:
        parity = [0] * 5
        for x, y in LANES:
            parity[x] ^= state[x, y]
        mixed = [parity[x - 1] ^ rotate(parity[(x + 1) % 5], 1) for x in range(5)]
        state = {(x, y): state[x, y] ^ mixed[x] for x, y in LANES}
        moved, place, word = {(0, 0): state[0, 0]}, (1, 0), state[1, 0]
        for step in range(24):
            place = (place[1], (2 * place[0] + 3 * place[1]) % 5)
            word, moved[place] = state[place], rotate(word, (step + 1) * (step + 2) // 2)
        state = {
            (x, y): moved[x, y] ^ (~moved[(x + 1) % 5, y] & moved[(x + 2) % 5, y] & WORD)
            for x, y in LANES
        }
        state[0, 0] ^= constant
    return state


def keccak(message: bytes) -> int:
    """Keccak-256 of a message of less than one block, as a number."""
    assert len(message) < RATE
    block = bytearray(message.ljust(RATE, b"\0"))
    block[len(message)] ^= 0x01
    block[RATE - 1] ^= 0x80
    state = {place: 0 for place in LANES}
    for lane in range(RATE // 8):
        state[lane % 5, lane // 5] = int.from_bytes(block[8 * lane : 8 * lane + 8], "little")
    state = permute(state)
    digest = b"".join(state[x, 0].to_bytes(8, "little") for x in range(4))
    return int.from_bytes(digest, "big")


@cache
def selector(name: str) -> int:
    """The number that stands for a name."""
    return keccak(name.encode()) & ((1 << 250) - 1)
