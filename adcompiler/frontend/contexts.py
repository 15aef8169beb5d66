"""`with`: how NumPy handles errors goes with each operation; other contexts are entered and left, around the rest.

with np.errstate(all="ignore"): y = x / 0.0     ->       %y = %x / 0.0          (under the errstate, wherever it goes)
with lock: y = f(x)                             ->       entered(lock); %y = f(%x); left(lock)
"""

import ast
import contextlib
import sys
import types
from typing import Any

import gast
import numpy as np

from adcompiler.frontend.attributes import EMPTY
from adcompiler.frontend.calls import Calls
from adcompiler.frontend.instances import LIBRARIES, own_value
from adcompiler.frontend.joins import Diverges
from adcompiler.frontend.kinds import Known, is_array
from adcompiler.frontend.managers import Managing, generator_of, suppresses, within_generator
from adcompiler.frontend.records import Record
from adcompiler.frontend.scope import Closure
from adcompiler.frontend.surgery import hand_over, logged
from adcompiler.ir.core import Value
from adcompiler.passes.surgery import cotangent
from rules.contexts import entered, left
from rules.kind import Opaque

AS_DOCUMENTED = "use the keywords that NumPy documents"


class Contexts(Calls):
    """Lowers `with`."""

    late: bool

    def call(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
        if isinstance(function, Known) and function.value is contextlib.contextmanager and len(args) == 1:
            if isinstance(args[0], Closure):
                return Managing(args[0])
        return super().call(function, args, kwargs, node)

    def stmt_With(self, node: Any, rest: list[Any]) -> Any:
        return self.within(node, node.items)

    def within(self, node: Any, items: list[Any]) -> Any:
        """The body of a `with`, within the contexts that are left."""
        if not items:
            return self.block(node.body)
        item, *others = items
        made = item.context_expr
        f = self.expr(made.func) if isinstance(made, gast.Call) else None
        if isinstance(f, Known) and f.value is np.errstate:
            outer, self.errstate = self.errstate, (*self.errstate, self.error_handling(item))
            try:
                return self.within(node, others)
            finally:
                self.errstate = outer
        if isinstance(f, Known) and f.value is cotangent:
            hand_over(self, node, made, item.optional_vars, others)
            return None
        if isinstance(f, Known) and f.value in (contextlib.nullcontext, contextlib.suppress):
            args, kwargs = self.given(made)
            given = [*args, *kwargs.values(), Known(None)][0] if f.value is contextlib.nullcontext else Known(None)
            if item.optional_vars is not None:
                self.assign(item.optional_vars, given)
            return self.within(node, others)
        generator = generator_of(f)
        if generator is not None:
            followed = within_generator(self, node, item, others, f, generator)
            if followed is not NotImplemented:
                return followed
        with self.unfollowed(node):
            d = self.manager(made, f)
        cls = d.cls if isinstance(d, Record) else type(d.value) if isinstance(d, Known) else object
        if suppresses(cls):
            raise self.refuse(made, f"`__exit__` of {cls.__name__} may suppress what is raised in the `with`",
                              "write `try: ... except ...:`, and return None from `__exit__`")  # fmt: skip
        if isinstance(d, Record):
            return self.within_object(d, item, node, others)
        manager = self.operand(d)
        value = self.builder.effect(entered, manager, kind=Opaque("context"))
        self.defs[value] = self.builder.region.ops[-1]
        if item.optional_vars is not None:
            self.assign(item.optional_vars, value)
        status = self.within(node, others)
        self.builder.loc = self.loc(node)
        self.builder.effect(left, manager)
        return status

    def called_at(self, node: Any) -> Any:
        log = logged(self, node.func) if self.late else None
        return super().called_at(node) if log is None else self.opaque(log, *self.given(node), node)

    def within_object(self, manager: Record, item: Any, node: Any, others: list[Any]) -> Any:
        """The body of a `with` of an object of a class of the user's, whose methods are called before and after."""
        value = self.call(self.attribute(manager, "__enter__", item.context_expr), (), {}, item.context_expr)
        if item.optional_vars is not None:
            self.assign(item.optional_vars, value)
        if getattr(node, "attempt", None) is not None:
            raise self.refuse(item.context_expr, f"`__exit__` of {manager.cls.__name__} may be told of what is caught "
                              "around it", "put the `try` into the `with`")  # fmt: skip
        status = self.within(node, others)
        if not isinstance(status, Diverges):
            none = (Known(None),) * 3
            self.call(self.attribute(manager, "__exit__", item.context_expr), none, {}, item.context_expr)
        return status

    def manager(self, made: Any, f: Any) -> Any:
        """A context manager: an object, or what a call gives that the compiler does not look into."""
        if isinstance(f, Known) and callable(f.value) and not is_users(f.value):
            args, kwargs = self.given(made)
            return self.opaque(f.value, args, kwargs, made)
        users = isinstance(f, Known) and is_users(f.value)
        d = self.expr(made) if not isinstance(made, gast.Call) or users else None
        if isinstance(d, Record) and own_value(d.cls, "__enter__") is not EMPTY:
            return d
        entering = isinstance(d, Known) and hasattr(type(d.value), "__enter__") and not is_array(d.value)
        if not entering and not (isinstance(d, Value) and isinstance(d.kind, Opaque)):
            text = ast.unparse(gast.gast_to_ast(made))
            raise self.refuse(made, f"`with {text}` is of what is no context manager known when compiling",
                              "put it around the call, outside of the function")  # fmt: skip
        return d

    def error_handling(self, item: Any) -> tuple[tuple[str, str], ...]:
        """The keywords of a `np.errstate(...)`."""
        made = item.context_expr
        if made.args or item.optional_vars is not None:
            raise self.refuse(made, "`with np.errstate(...)` takes keywords, and has no `as` here",
                              'write np.errstate(divide="ignore")')  # fmt: skip
        handling = {}
        for k in made.keywords:
            how = self.static(self.expr(k.value), k.value, f"the argument {k.arg} of np.errstate")
            if k.arg == "call" or how == "call":
                raise self.refuse(made, "np.errstate with call= is not supported yet",
                                  'write how it handles each: divide="ignore", "warn" or "raise"')  # fmt: skip
            if how is not None:
                handling[str(k.arg)] = str(how)
        try:
            np.errstate(**handling)  # type: ignore[arg-type]
        except (TypeError, ValueError) as error:
            raise self.refuse(made, f"this raises {type(error).__name__}: {error}", AS_DOCUMENTED) from None
        return tuple(handling.items())


def is_users(x: Any) -> bool:
    """Is this a class of the user's, with `__enter__` written in Python?"""
    if not isinstance(x, type) or x.__module__.split(".")[0] in {*LIBRARIES, *sys.stdlib_module_names}:
        return False
    return isinstance(own_value(x, "__enter__"), types.FunctionType)
