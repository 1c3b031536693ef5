"""What ends the comparison."""


class Difference(Exception):
    """The program says something else than the recomputation."""


class Surprise(Exception):
    """The chain or the program did something that is not understood here."""


def expect(condition: bool, message: str) -> None:
    """Ends the run with a message unless something holds."""
    if not condition:
        raise Surprise(message)
