"""The turn: the place between the forward and the backward sweep, kept as an operation so that passes move with it."""


def turn() -> None:
    """Does nothing; the backward sweep begins here."""
