"""Constants and strings as source: what has no literal becomes an expression with the same value."""

import ast
import copy
from math import isnan
from typing import Any

#: A float literal too large for a double: the only way to write infinity that depends on no name.
INFINITY = "1e309"


class WriterError(Exception):
    """An internal error: a tree that has no source form, or one that would not read back as the same tree."""


class Literals(ast.NodeVisitor):
    """The same tree, with expressions of the same value in the place of constants that have no literal.

    The nodes around those are copied, all others are the same nodes.
    """

    def generic_visit(self, node: ast.AST) -> ast.AST:
        changed = {}
        for name in node._fields:
            old = getattr(node, name, None)
            new = self.written(old)
            if new is not old:
                changed[name] = new
        if not changed:
            return node
        copied = type(node).__new__(type(node))
        vars(copied).update(vars(node), **changed)
        return copied

    def written(self, value: Any) -> Any:
        if isinstance(value, list):
            items = [self.written(item) for item in value]
            return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
        return self.visit(value) if isinstance(value, ast.AST) and value._fields else value

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        written = _literal(node.value)
        return node if isinstance(written, ast.Constant) and getattr(node, "kind", None) is None else written

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.JoinedStr:
        return ast.JoinedStr([part if isinstance(part, ast.Constant) else self.visit(part) for part in node.values])


def _literal(value: Any) -> ast.expr:
    if isinstance(value, tuple):
        return ast.Tuple([_literal(item) for item in value], ast.Load())
    if isinstance(value, bool) or not isinstance(value, int | float | complex):
        return ast.Constant(value)
    if isinstance(value, float) and isnan(value):
        return ast.BinOp(ast.Constant(float("inf")), ast.Sub(), ast.Constant(float("inf")))
    if not isinstance(value, complex):
        return _negative(ast.Constant(-value)) if repr(value).startswith("-") else ast.Constant(value)
    # Sums lose signs of zero: take the first of these expressions that has exactly the value.
    real, imaginary = _literal(abs(value.real)), ast.Constant(complex(0.0, abs(value.imag)))
    candidates: list[ast.expr] = [imaginary, _negative(imaginary)]
    for first in (_literal(value.real), real, _negative(real)):
        for operator in (ast.Add(), ast.Sub()):
            total = ast.BinOp(first, operator, imaginary)
            candidates += [total, _negative(total)]
    for candidate in candidates:
        code = compile(ast.fix_missing_locations(ast.Expression(copy.deepcopy(candidate))), "<literal>", "eval")
        if not isnan(value.imag) and repr(eval(code)) == repr(value):
            return candidate
    raise WriterError(f"no source form for the constant {value!r}")


def _negative(operand: ast.expr) -> ast.expr:
    return ast.UnaryOp(ast.USub(), operand)


def like(value: str | bytes, text: str) -> Any:
    return text.encode() if isinstance(value, bytes) else text


def escaped(value: str | bytes, quote: str = "") -> str:
    """The inside of a literal between `quote`s, on one line."""
    # With a double quote in front, repr always chooses single quotes, so that those are the ones it escapes.
    text = repr('"' + value if isinstance(value, str) else b'"' + value)
    text = text[text.index('"') + 1 : -1].replace("\\'", "'")
    return text.replace(quote[0], "\\" + quote[0]) if quote else text


def docstring(value: str) -> str:
    """A literal in triple quotes whose lines are those of the value, as black leaves them."""
    *lines, last = [escaped(line) for line in value.split("\n")]
    text = "\n".join([*(line[:-1] + "\\x20" if line.endswith(" ") else line for line in lines), last])
    if text.endswith('"'):
        text = text[:-1] + '\\"'
    return '"""' + text.replace('"""', '\\"\\"\\"') + '"""'
