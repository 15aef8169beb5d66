"""Arrays of which it depends on sizes, or on a library, whether they are copied."""

from typing import Any

from rules.rule import borrows, primitive, rule


@primitive
def lent(a: Any) -> Any:
    """The array, which may be a copy in the program: no store into it, or into what it is of, is followed."""
    return a


@rule("y = lent(a)", lent)
class lent_rule:
    view = "a"
    def kind(a): return a
    @borrows("d_y")
    def d_a(d_y): return d_y
    def t_y(t_a): return lent(t_a)
