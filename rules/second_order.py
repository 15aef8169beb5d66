"""What `check_rule` asks of second derivatives: of pullbacks and of forward mode, by the rules of what they call."""

from collections.abc import Callable
from typing import Any

import numpy as np

from rules.samples import any_nonzero, gathered, inner, random_like, shaped_like, zeros_of
from rules.tape import Pullbacks, Tape, Untraceable, fit, strip

#: What a derivative is taken by besides the arguments: the cotangent, a tangent of an argument.
COTANGENT, TANGENT = "d ", "t "


def check_pullback(check: Any, call: Pullbacks, arg: str, d: Any, tangents: dict[str, Any], form: str) -> None:
    """The derivative of <weight, J^T d> along the tangents, and along a change of d."""
    bound, weight = call.bound, random_like(call.bound[arg], np.random.default_rng(12))
    tape = Tape()
    traced = {k: tape.wrap(v) if k in check.wrt else v for k, v in bound.items()}
    y, d_y = tape.wrap(call.result), tape.wrap(d)
    found = _pulled(
        check, f"d_{arg}", form, tape, weight, lambda: Pullbacks(check.rule, traced, y).projected(arg, d_y)
    )
    d_move = random_like(d, np.random.default_rng(11))
    exact = inner(gathered(found, d_y), d_move) + _through(check, call, found, traced, y, tangents)

    def value(at: dict[str, Any]) -> Any:
        point = {k: v for k, v in at.items() if k != COTANGENT}
        return Pullbacks(check.rule, point, check.primal(point)).projected(arg, at[COTANGENT])

    change = check.difference(bound | {COTANGENT: d}, tangents | {COTANGENT: d_move}, value)
    _compare(check, f"d_{arg}", form, exact, inner(weight, change), "central differences of the pullback")


def check_pushforward(check: Any, call: Pullbacks, tangents: dict[str, Any], form: str) -> None:
    """The derivative of <weight, J t> along a change of the arguments and of t.

    Left out where an argument with a derivative does not move: a compiler leaves out its terms, and this would not.
    """
    rule, bound = check.rule, call.bound
    if any("t_" + k in rule.pushforward.wants for k in rule.pullbacks if k not in check.wrt):
        return
    weight, rng = random_like(call.result, np.random.default_rng(12)), np.random.default_rng(13)
    tape = Tape()
    traced = {k: tape.wrap(v) if k in check.wrt else v for k, v in bound.items()}
    y, t = tape.wrap(call.result), {k: tape.wrap(v) for k, v in tangents.items()}
    still = {k: zeros_of(v) for k, v in bound.items() if k not in check.wrt}
    found = _pulled(check, f"t_{rule.result}", form, tape, weight,
                    lambda: Pullbacks(rule, traced, y).pushed(still | t))  # fmt: skip
    move, t_move = ({k: random_like(v, rng) for k, v in tangents.items()} for _ in range(2))
    exact = _through(check, call, found, traced, y, move)
    exact += sum(inner(gathered(found, t[k]), t_move[k]) for k in tangents)

    def value(at: dict[str, Any]) -> Any:
        point = {k: v for k, v in at.items() if not k.startswith(TANGENT)}
        moving = {k: at[TANGENT + k] for k in tangents}
        return shaped_like(Pullbacks(rule, point, check.primal(point)).pushed(still | moving), call.result)

    named = lambda of: {TANGENT + k: v for k, v in of.items()}
    change = check.difference(bound | named(tangents), move | named(t_move), value)
    _compare(check, f"t_{rule.result}", form, exact, inner(weight, change), "central differences of forward mode")


def _pulled(check: Any, name: str, form: str, tape: Tape, weight: Any, trace: Callable[[], Any]) -> dict[Any, Any]:
    """The cotangents of what a traced body has been given, from the weights of what it gives."""
    what = f"the second derivative, of {name},"
    try:
        with np.errstate(all="ignore"):
            out = trace()
            return tape.pull(out, weight if isinstance(out, list | tuple) else fit(weight, strip(out)))
    except Untraceable as error:
        return dict(check.fail(what, form, f"cannot be taken by rules: {error}"))
    except Exception as error:
        return dict(check.fail(what, form, f"raises {type(error).__name__}: {error}"))


def _through(
    check: Any, call: Pullbacks, found: dict[Any, Any], traced: dict[str, Any], y: Any, move: dict[str, Any]
) -> Any:
    """The change along `move`, of the arguments as they are read and of the result, which changes with them."""
    along, exact = gathered(found, y), 0.0
    for k in sorted(check.wrt):
        through = call.projected(k, along) if any_nonzero(along) else zeros_of(call.bound[k])
        exact += inner(gathered(found, traced[k]), move[k]) + inner(through, move[k])
    return exact


def _compare(check: Any, name: str, form: str, exact: Any, wanted: Any, other: str) -> None:
    check.close(exact, wanted, max(check.tol, 1e-6), f"the second derivative, of {name},", form, other)
