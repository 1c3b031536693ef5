"""The elements of an event, read one after the other."""

from failure import expect


class Words:
    """What is left to read."""

    def __init__(self, felts: list[str]) -> None:
        self.felts = felts
        self.place = 0

    def felt(self) -> int:
        """The next element."""
        expect(self.place < len(self.felts), "an event is shorter than its layout")
        self.place += 1
        return int(self.felts[self.place - 1], 16)

    def skip(self, count: int) -> None:
        """Leaves elements out."""
        self.place += count

    def u256(self) -> int:
        """A number in two halves, the low one first."""
        low = self.felt()
        return low | self.felt() << 128

    def signed(self) -> int:
        """A magnitude of one element, and whether it is negative."""
        magnitude = self.felt()
        return -magnitude if self.felt() else magnitude

    def signed256(self) -> int:
        """A magnitude of two elements, and whether it is negative."""
        magnitude = self.u256()
        return -magnitude if self.felt() else magnitude

    def end(self) -> None:
        """Nothing may be left."""
        expect(self.place == len(self.felts), "an event is not of its layout")
