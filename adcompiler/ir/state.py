"""Calls of rules that keep a state, from a function to its pullbacks and from call to call.

    %x = np.linalg.solve(%A, %b); %s = solve.state(%A, %b) .. %d_b = solve.d_b((%d_x, %A), (%d_x, %s))
      ->   %x, %s = solve.forward(None, %A, %b) .. %d_b = solve.with_state_d_b(%d_x, %s)

As long as there is something to differentiate, the function is the pure one: the state is an operation beside it, and a
pullback has the operands of its pure form and of the one with the state. `passes.states` decides which it is.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from adcompiler.ir.core import Op, Value, leaves
from rules.kind import Opaque
from rules.rule import Derivative, Overlay, Rule

#: What a rule keeps: nothing but the rule knows what it is.
STATE = Opaque("state")


def overlay_of(rule: Rule) -> Overlay:
    """The forms of a rule that keep a state."""
    assert rule.overlay is not None
    return rule.overlay


def _operands(op: Op, form: Derivative, names: Collection[str]) -> Iterator[Value]:
    """The operands of a call of a form that it takes by these names."""
    return (v for name, x in zip(form.wants, op.args, strict=True) if name in names for v in leaves(x))


@dataclass(frozen=True)
class State:
    """Stands for the state that a call leaves, beside the call and with its arguments."""

    rule: Rule

    @property
    def __adc_name__(self) -> str:
        return f"{self.rule.name}.state"

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        """The pure pullbacks need none."""


@dataclass(frozen=True)
class Forward:
    """A function together with `State`: its results, then the state. The operand for the last state is None."""

    rule: Rule

    @property
    def __adc_name__(self) -> str:
        return f"{self.rule.name}.forward"

    @property
    def derivative(self) -> Derivative:
        return overlay_of(self.rule).forward

    @property
    def place(self) -> int:
        """Which operand is the last state."""
        return self.derivative.wants.index("state")

    def held(self, op: Op) -> Iterator[Value]:
        """The operands whose memory the state may hold."""
        holds = overlay_of(self.rule).holds
        return _operands(op, self.derivative, self.derivative.wants if holds is None else holds)

    def viewed(self, op: Op) -> Iterator[Value]:
        """The operands whose memory the function's results may share."""
        return _operands(op, self.derivative, self.rule.view)

    def __call__(self, *args: Any) -> tuple[Any, ...]:
        result, state = self.derivative.function(*args)
        return (*result, state) if isinstance(result, tuple | list) else (result, state)


@dataclass(frozen=True)
class FromState:
    """A pullback that takes the state."""

    rule: Rule
    arg: str

    @property
    def __adc_name__(self) -> str:
        return f"{self.rule.name}.with_state_d_{self.arg}"

    @property
    def derivative(self) -> Derivative:
        return overlay_of(self.rule).pullbacks[self.arg]

    def borrowed(self, op: Op) -> Iterator[Value]:
        """The operands whose memory the result may share: those declared, and scratch."""
        return _operands(op, self.derivative, {*overlay_of(self.rule).borrows[self.arg], *self.derivative.scratch})

    def __call__(self, *args: Any) -> Any:
        return self.derivative.function(*args)


WITH_STATE = (Forward, FromState)
