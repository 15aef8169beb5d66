"""What expressions denote, and the operations on it: a Value, something known, or a container of these.

params["W"] @ x       ->       %t = operator.matmul(%W, %x)          (params is {"W": %W, "b": %b})
"""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from adcompiler.errors import ELSEWHERE, Problem, Refusal, problem_at
from adcompiler.frontend.derived_numbers import plain, strong
from adcompiler.frontend.desugar import hint
from adcompiler.frontend.kinds import Known, ListOf
from adcompiler.frontend.records import Record
from adcompiler.frontend.scope import Closure, Frame, Method, Poison, Scope, poison_problem
from adcompiler.frontend.words import CONSTRUCTS, FUNCTIONS, SYMBOLS, construct, describe, no_number
from adcompiler.ir.build import Builder, kind_of_operand
from adcompiler.ir.callee import Bound
from adcompiler.ir.core import Loc, Op, Value, leaves
from adcompiler.ir.printer import target_name
from adcompiler.ir.structure import like
from rules.cotangent import length
from rules.exceptions import error_of, outcome
from rules.kind import Array, KindError, Lengths, Num, Opaque, Seq, Token, Unfilled
from rules.numpy.powers import real_power
from rules.rule import find


def no_rule(op: Op, d: Value | None = None) -> Problem:
    """What is said where something is done with a result, `d`, of a call that the compiler cannot see into."""
    target = op.args[1] if op.target is outcome and op.results.index(d or op.results[-1]) == 2 else op.target
    reason = "what an exception holds is not followed from where it is raised to its handler"
    if target in (outcome, error_of):
        return problem_at(op.loc, reason, "use in the handler what is known before this call")
    if isinstance(target, type) and issubclass(target, BaseException):
        remedy = "assign it to a variable before the `raise`, and use that in the handler"
        return problem_at(op.loc, reason, remedy)
    if op.regions:
        return problem_at(op.loc, "nothing is known of an object that is one of several, as paths are taken",
                          "use it on the path on which it is made")  # fmt: skip
    maker, rule = target_name(target), find(target)
    remedy = f"use functions that have rules (`adc rules`), give {maker} one, or call it outside"
    if rule is None:
        reason = f"{maker} has no rule, so it is not known what it returns"
    elif rule.why:
        reason = f"{maker} has no rule: {rule.why}"
    else:
        reason = f"what {maker} gives here is told by its values alone, so that it has no derivative"
        remedy = "compute it from the other results"
    if maker.rpartition(".")[2] in FUNCTIONS:
        remedy = FUNCTIONS[maker.rpartition(".")[2]]
    return problem_at(op.loc, reason, remedy)


#: What makes arrays of lists.
_ARRAYS = (np.array, np.asarray, np.asanyarray, np.ascontiguousarray)


def _told(items: Any) -> dict[str, Any]:
    """The dtype of an array of a list, where it must be told: NumPy takes an empty list for one of doubles."""
    kind = getattr(items, "kind", None)
    element = getattr(kind.element, "dtype", None) if isinstance(kind, Seq) and not kind.range else None
    double = element is None or element.kind not in "fc" or element.type is np.float64
    return {} if double else {"dtype": Known(element)}


class Operations:
    """Lowers into the current region. A denotation is a Value, a Known, or a container of them."""

    def __init__(self, scope: Scope, frame: Frame, env: Lengths) -> None:
        self.scope = scope
        self.frame = frame
        self.env = env
        self.builder = Builder()
        self.defs: dict[Value, Op] = {}
        self.loop_elements: dict[Value, Any] = {}
        self.promotable: dict[Value, tuple[Any, ...]] = {}
        self.problems: list[Problem] = []
        #: The statements that stand in a `try`, the innermost last.
        self.attempts: list[Any] = []
        #: Conditions that hold on the path that is being lowered.
        self.surely: set[Value] = set()
        self.errstate: tuple[tuple[tuple[str, str], ...], ...] = ()
        #: What the statements and expressions around have evaluated so far: a list for each, the innermost last.
        self.evaluated: list[list[Any]] = [[]]
        #: Arrays made before these moments are not changed in place: what reads them then is no name.
        self.walls: list[int] = []
        #: Arrays whose elements have been read beside something of known structure, before the loop that reads them.
        self.read_early: list[Value] = []
        #: Lists and dicts of known structure whose elements a loop has read, or will when their turn comes.
        self.read_items: list[Any] = []
        #: Of these, those of comprehensions: attributes may be stored in one that is unrolled, True, and others become
        #: loops for that, False.
        self.comprehensions: dict[int, bool] = {}
        #: The lists that comprehensions over ranges have collected, with where these stand.
        self.comprehended: dict[Value, tuple[str, int, int]] = {}
        #: What a loop reads of a list, with the list.
        self.elements_of: dict[Value, Value] = {}

    def variable(self, d: Any, made: dict[Record, Record]) -> Any:
        """The same structure, in which floats that are known are values: something is to be differentiated by them.

        Objects in it are others, as `made` has them then.
        """
        if isinstance(d, tuple | list):
            return like(d, (self.variable(x, made) for x in d))
        if isinstance(d, dict):
            return {k: self.variable(x, made) for k, x in d.items()}
        if isinstance(d, Record):
            return self.remade(d, lambda x: self.variable(x, made), made)
        if not isinstance(d, Known) or type(d.value) not in (float, complex):
            return d
        kind = type(d.value)
        op = Op(kind, (d.value,), {}, [Value(Num(kind), "", self.builder.loc)], loc=self.builder.loc)
        self.builder.region.ops.append(op)
        self.defs[op.result] = op
        return op.result

    def remade(self, r: Record, f: Callable[[Any], Any], made: dict[Record, Record]) -> Record:
        """Another object whose attributes are what `f` makes of those of this one; `made` are such objects by now."""
        raise NotImplementedError

    def loc(self, node: Any) -> Loc:
        file = getattr(node, "file", None) or self.frame.source.file
        return Loc(file, node.lineno, node.col_offset, self.errstate)

    def told(self, d: Any) -> str:
        """An object as it is called where this is lowered, and its class."""
        return describe(d)

    def refuse(self, node: Any, reason: str, remedy: str = "") -> Refusal:
        return Refusal(problem_at(node if isinstance(node, Loc) else self.loc(node), reason, remedy or ELSEWHERE))

    def expr(self, node: Any) -> Any:
        """The denotation of an expression."""
        handler = getattr(self, f"expr_{type(node).__name__}", None)
        if handler is None:
            remedy = CONSTRUCTS.get(type(node).__name__, ELSEWHERE)
            raise self.refuse(node, f"{construct(node)} is not supported", remedy)
        before = self.builder.loc
        self.builder.loc = self.loc(node)
        self.evaluated.append([])
        try:
            d = handler(node)
        except KindError as error:
            raise self.refuse(node, str(error), error.remedy or ELSEWHERE) from None
        finally:
            self.evaluated.pop()
            self.builder.loc = before
        self.evaluated[-1].append(d)
        return d

    def emit(self, target: Any, *args: Any, hint: str = "", **kwargs: Any) -> Any:
        """An operation on denotations; the denotation of its result."""
        operands = strong([d.value if isinstance(d, Known) else d for d in args], tuple(self.operand(a) for a in args))
        if target not in (str.format, np.shape):
            for v in leaves((operands, kwargs)):
                if isinstance(v.kind, Seq) and isinstance(v.kind.element, Unfilled) and target is not length:
                    raise Refusal(self.unfilled_problem(v.kind.element, self.builder.loc or Loc("", 0)))
                self.refuse_opaque(v)
        if self.attempts:
            self.check_raises(target, operands, kwargs)
        if target in (operator.pow, pow) and len(operands) == 2 and _may_be_complex(*operands):
            target = real_power
        if target in _ARRAYS and len(operands) == 1 and not kwargs:
            kwargs = _told(operands[0])
        result = self.builder.call(target, *operands, hint=hint, **{k: self.operand(v) for k, v in kwargs.items()})
        self.check_numeric(result)
        if isinstance(result, Value):
            self.defs[result] = self.builder.region.ops[-1]
        elif isinstance(result, tuple) and all(isinstance(r, Value) for r in result) and result:
            for r in result:
                self.defs[r] = self.builder.region.ops[-1]
        else:
            return Known(result) if not isinstance(result, tuple) else tuple(map(Known, result))
        return result

    def check_numeric(self, result: Any) -> None:
        """Raise KindError for an array whose elements are no numbers: they would take the derivative with them."""
        for v in leaves(result):
            dtype = v.kind.dtype if isinstance(v.kind, Array | Num) else None
            if dtype is not None and dtype.kind not in "biufc":
                raise KindError(f"this has the dtype {dtype}: what its elements are is not followed",
                                "use a numeric dtype, a list or a dict")  # fmt: skip

    def check_raises(self, target: Any, operands: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Note that an operation may raise what is caught."""
        raise NotImplementedError

    def raise_here(self, cls: type[BaseException], *args: Any) -> None:
        """Go on in the handler that catches an exception of this class, which is raised here, if there is one."""

    def refuse_opaque(self, d: Any) -> None:
        """Refuse to do anything with what a function without a rule has returned."""
        if isinstance(d, Value) and isinstance(d.kind, Opaque) and not isinstance(d.kind, Token) and d in self.defs:
            raise Refusal(no_rule(*self.made_by(d)))

    def made_by(self, d: Value) -> tuple[Op, Value]:
        """The call that gives an object, or one of those that a branch or a loop gives, and what it gives."""
        op = self.defs[d]
        for region in op.regions:
            for x in region.results[op.results.index(d) :][:1]:
                if isinstance(x, Value) and isinstance(x.kind, Opaque) and x in self.defs:
                    return self.made_by(x)
        return op, d

    def unfilled_problem(self, kind: Unfilled, loc: Loc) -> Problem:
        """What is wrong with reading a list before its elements are known."""
        what = hint(kind.what)
        return problem_at(loc, f"the elements of {what} are not known where it is read: it is empty so far",
                          f"begin {what} with a first element, or read it after the append")  # fmt: skip

    def operand(self, d: Any) -> Any:
        """A denotation as an argument of an operation."""
        if isinstance(d, Value):
            return d
        if isinstance(d, Known):
            return plain(d.value)
        if isinstance(d, Bound):
            return d
        if isinstance(d, tuple | list):
            return tuple(map(self.operand, d)) if isinstance(d, tuple) else [self.operand(x) for x in d]
        if isinstance(d, dict):
            return {k: self.operand(v) for k, v in d.items()}
        if isinstance(d, slice):
            return slice(*(self.operand(x) for x in (d.start, d.stop, d.step)))
        if isinstance(d, Poison):
            raise Refusal(poison_problem(d, "this", self.builder.loc or Loc("", 0)))
        if isinstance(d, ListOf):
            raise KindError("a list of tuples or dicts cannot be passed to a library function",
                            "make a list of the one part that is wanted: [p[0] for p in ...]")  # fmt: skip
        if isinstance(d, Record):
            raise KindError(f"{self.told(d)} cannot be passed to a library function",
                            "pass the attributes that it reads")  # fmt: skip
        if isinstance(d, Method) and d.name == "flat":
            raise KindError("the iterator a.flat cannot be passed to a function here", "pass np.ravel(a)")
        if isinstance(d, Closure | Method):
            raise KindError(f"the function {d.name} cannot be passed to a library function",
                            "write out what it does: a loop, or a comprehension")  # fmt: skip
        return d

    def check_operands(self, target: Any, operands: tuple[Any, ...], node: Any) -> None:
        """Refuse an operand of an operator that is neither a number nor an array."""
        for remedy in filter(None, map(no_number, operands)):
            raise self.refuse(node, f"{SYMBOLS[target]} is applied to {' and '.join(map(describe, operands))}", remedy)


def _may_be_complex(x: Any, p: Any) -> bool:
    """Is this the power of a Python float, which may be negative, to an exponent that may be no integer?"""
    kinds = [kind_of_operand(x), kind_of_operand(p)]
    if not all(isinstance(k, Num) and k.type is float for k in kinds) or not any(isinstance(y, Value) for y in (x, p)):
        return False
    return (isinstance(x, Value) or x < 0) and (isinstance(p, Value) or p % 1 != 0)


def rebuild(d: Any, f: Callable[[Any], Any]) -> Any:
    """`f` over the leaves of a structured denotation."""
    if isinstance(d, tuple | list):
        return like(d, (rebuild(x, f) for x in d))
    if isinstance(d, dict):
        return {k: rebuild(v, f) for k, v in d.items()}
    if isinstance(d, ListOf):
        return ListOf(rebuild(d.element, f))
    return f(d)
