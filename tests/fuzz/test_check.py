"""The checker on its own: it passes a right gradient, and sees each way in which one can be wrong."""

from dataclasses import replace

import numpy as np
import pytest

from .arguments import ArrayLeaf, Node, NumberLeaf, Parameter, inner, tree_map
from .check import check
from .generate import Program

SOURCE = """\
import numpy as np


def f(x, params, s):
    y = np.tanh(params["W"] @ x) * s
    return np.sum(y * y) + np.sum(params["b"] * x[0]) - s * s
"""

LAYER = Node((("W", ArrayLeaf(("m", "n"))), ("b", ArrayLeaf(("m",)))), "dict")
PARAMETERS = (
    Parameter("x", ArrayLeaf(("n",))),
    Parameter("params", LAYER),
    Parameter("s", NumberLeaf("float")),
)


def program(argnums=(0, 1, 2), source=SOURCE):
    sizes = (("e", 0), ("m", 2), ("n", 3))
    return Program(3, source, PARAMETERS, argnums, sizes, (("e", 0), ("m", 4), ("n", 2)), frozenset())


def by_hand(x, params, s):
    W, b = params["W"], params["b"]
    z = np.tanh(W @ x)
    d_z = 2 * z * s * s
    d_a = d_z * (1 - z * z)
    d_x = W.T @ d_a
    d_x[0] += np.sum(b)
    d_s = float(np.sum(2 * z * z * s) - 2 * s)
    return d_x, {"W": np.outer(d_a, x), "b": np.full_like(b, x[0])}, d_s


class Refused(Exception):
    pass


class Honest:
    """A compiler that gives the gradient by hand."""

    refusal = Refused

    def interpret(self, f, args, stage, argnums=None):
        return f(*args) if stage == "lower" else self.value_and_grad(f, argnums)(*args)

    def value_and_grad(self, f, argnums, reuse=True, reuse_buffers=True):
        def compiled(*args):
            gradients = self.lie(by_hand(*args), args)
            picked = [gradients[i] for i in (argnums if isinstance(argnums, tuple) else (argnums,))]
            return f(*args), tuple(picked) if isinstance(argnums, tuple) else picked[0]

        return compiled

    def jvp(self, f, args, tangents, argnums):
        gradients = by_hand(*args)
        pairs = [(gradients[i], t) for i, t in zip(argnums, tangents, strict=True)]
        return f(*args), sum(inner(g, t) for g, t in pairs) * self.push

    def vjp(self, f, args, argnums, lazy=False, reuse_buffers=True):
        value, gradients = self.value_and_grad(f, argnums)(*tree_map(np.copy, args)) if self.keeps else (f(*args), None)

        def pullback(cotangent):
            there = gradients if self.keeps else self.value_and_grad(f, argnums)(*args)[1]
            scaled = tree_map(lambda d: d * cotangent, there)
            if not lazy:
                return scaled
            return tuple((lambda d=d: d) for d in scaled) if isinstance(argnums, tuple) else lambda: scaled

        return value, pullback

    interpreted_jvp = jvp
    keeps = True
    push = 1.0

    def second(self, program):
        return ""

    def module(self, f, signature, argnums):
        raise Refused("there are no modules here")

    def lie(self, gradients, args):
        return gradients


def test_a_right_gradient_passes():
    assert check(program(), Honest()).kind == "ok"
    assert check(program(argnums=1), Honest()).kind == "ok"


def lies():
    def scaled(gradients, args):
        return tree_map(lambda d: d * 1.0001, gradients)

    def one_entry(gradients, args):
        gradients[1]["W"][1, 2] *= 1.01
        return gradients

    def list_for_dict(gradients, args):
        return gradients[0], list(gradients[1].values()), gradients[2]

    def numpy_scalar(gradients, args):
        return *gradients[:2], np.float64(gradients[2])

    def dtype(gradients, args):
        return gradients[0].astype("float32"), *gradients[1:]

    def shape(gradients, args):
        return gradients[0][None], *gradients[1:]

    def overwrites(gradients, args):
        args[1]["b"][0] += 1e-15
        return gradients

    def shares_argument(gradients, args):
        return args[0], *gradients[1:]

    def read_only(gradients, args):
        gradients[0].flags.writeable = False
        return gradients

    def shares_results(gradients, args):
        gradients[1]["b"] = gradients[1]["W"][:, 0]
        return gradients

    def not_finite(gradients, args):
        gradients[0][0] = np.nan
        return gradients

    def unordered(gradients, args):
        d = gradients[1]
        return gradients[0], {"b": d["b"], "W": d["W"]}, gradients[2]

    store = {}

    def keeps_buffer(gradients, args):
        old = store.setdefault(gradients[0].shape, gradients[0])
        old[...] = gradients[0]
        return old, *gradients[1:]

    calls = []

    def drifts(gradients, args):
        calls.append(1)
        return gradients[0] * (1 + 1e-15 * len(calls)), *gradients[1:]

    return [value for value in locals().values() if callable(value)]


@pytest.mark.parametrize("lie", lies(), ids=lambda lie: lie.__name__)
def test_a_wrong_gradient_is_seen(lie):
    compiler = Honest()
    compiler.lie = lie
    assert check(program(), compiler).kind == "wrong"


def test_a_wrong_value_is_seen():
    class Off(Honest):
        def interpret(self, f, args, stage, argnums=None):
            return f(*args) + 1e-9 if stage == "lower" else super().interpret(f, args, stage, argnums)

    outcome = check(program(), Off())
    assert outcome.kind == "wrong"
    assert "lower" in outcome.message


def test_a_wrong_tangent_is_seen():
    compiler = Honest()
    compiler.push = 1.0001
    outcome = check(program(), compiler)
    assert outcome.kind == "wrong"
    assert "forward mode" in outcome.message


def test_a_pullback_that_sees_later_changes_is_found():
    compiler = Honest()
    compiler.keeps = False
    outcome = check(program(), compiler)
    assert outcome.kind == "wrong"
    assert "the pullback" in outcome.message


class Haunted(Honest):
    """A compiler whose gradients remember what they were first called with, where they may keep arrays."""

    def value_and_grad(self, f, argnums, reuse=True, reuse_buffers=True):
        compiled, seen = super().value_and_grad(f, argnums), []

        def haunted(*args):
            seen.append(args[0].tobytes())
            off = 1 + 2**-52 if reuse_buffers and seen[-1] != seen[0] else 1.0
            value, gradients = compiled(*args)
            return value, tree_map(lambda d: d * off, gradients)

        return haunted


def test_what_an_earlier_call_leaves_behind_is_seen():
    asked = replace(program(), seed=4)
    assert check(asked, Honest()).kind == "ok"
    outcome = check(asked, Haunted())
    assert (outcome.kind, outcome.message) == ("wrong", "arrays of earlier calls change the result")


def test_emitted_code_is_compared_with_the_interpreter():
    class Apart(Honest):
        def interpret(self, f, args, stage, argnums=None):
            result = super().interpret(f, args, stage, argnums)
            return result if stage == "lower" else (result[0], tree_map(lambda d: d * (1 + 1e-9), result[1]))

    outcome = check(program(), Apart())
    assert outcome.kind == "wrong"
    assert "interpreted" in outcome.message


def test_a_refusal_is_not_a_failure():
    class Refuses(Honest):
        def value_and_grad(self, f, argnums, reuse=True, reuse_buffers=True):
            raise Refused("the call `g(3)` has no rule")

    outcome = check(program(), Refuses())
    assert (outcome.kind, outcome.failed) == ("refused", False)
    assert outcome.group == "Refused: the call … has no rule"


def test_an_exception_of_the_compiler_is_a_crash():
    class Crashes(Honest):
        def value_and_grad(self, f, argnums, reuse=True, reuse_buffers=True):
            raise KeyError("x")

    assert check(program(), Crashes()).kind == "crash"


def test_a_kink_is_no_failure():
    source = SOURCE.replace("return ", "return (1e6 if x[0] > 0.0 else 0.0) + ")

    here = float(program().arguments()[0][0])
    assert check(program(source=source.replace("> 0.0", f"> {here!r}")), Honest()).kind == "kink"


def test_a_program_that_fails_is_invalid():
    assert check(program(source=SOURCE.replace("np.tanh", "np.thanh")), Honest()).kind == "invalid"


class Ahead(Honest):
    """Modules that call a gradient of their own."""

    factor = 1.0

    def value_and_grad(self, f, argnums, reuse=True, reuse_buffers=True):
        compiled = super().value_and_grad(f, argnums)
        Ahead.made = lambda *args: (compiled(*args)[0], tree_map(lambda d: d * self.factor, compiled(*args)[1]))
        return compiled

    def module(self, f, signature, argnums):
        self.value_and_grad(f, argnums)
        self.signature = signature
        return f"from {__name__} import Ahead\n__all__ = ['g']\ndef g(*args):\n    return Ahead.made(*args)\n"


def test_a_module_that_gives_other_bits_is_seen():
    right, wrong = Ahead(), Ahead()
    wrong.factor = 1 + 2**-52
    outcome = check(program(), right, ahead=True)
    assert (outcome.kind, outcome.ahead) == ("ok", "ok")
    assert right.signature == "f64[n0], {'W': f64[n1,n2], 'b': f64[n3]}, float"
    outcome = check(program(), wrong, ahead=True)
    assert outcome.kind == "wrong"
    assert "ahead of time" in outcome.message


def test_a_module_that_cannot_be_made_is_no_refusal_of_the_program():
    outcome = check(program(), Honest(), ahead=True)
    assert (outcome.kind, outcome.ahead) == ("ok", "refused")
