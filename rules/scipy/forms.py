"""What functions that are followed in place of SciPy's refuse: forms of a call that they do not have."""

from rules.kind import KindError
from rules.rule import primitive, rule


@primitive
def refused(what: str, remedy: str) -> None:
    """Refuse, when it is compiled, a form of a call that is not supported."""
    raise NotImplementedError(f"{what} is not supported; {remedy}")


@rule("y = refused(what, remedy)", refused)
class refused_rule:
    static = "what remedy"
    why = "it refuses a form of a call that is not supported"
    def kind(what, remedy): raise KindError(f"{what} is not supported", remedy)
