"""Expressions as tokens of a line, with the parentheses they need and no others.

This corrects astunparse's `Unparser`, which parenthesises every operator, writes `x[1:-1, ..., None]` as a
syntax error on the syntax trees of today, and reads attributes that newer Pythons have removed.
"""

import ast
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from astunparse import Unparser

from .literals import INFINITY, WriterError, escaped, like
from .wrap import COMMA, COMPARATOR, COMPREHENSION, LOGIC, OPERATOR, TERNARY, Token

# Precedence, from what binds least; an operand that binds less than its place asks for gets parentheses.
(NAMED, TUPLE, YIELD, TEST, OR, AND, NOT, COMPARE, BIT_OR, BIT_XOR, BIT_AND, SHIFT, SUM, PRODUCT, UNARY,
 POWER, PRIMARY, ATOM) = range(18)  # fmt: skip

OPERATORS: dict[type[ast.operator], tuple[str, int]] = {
    ast.BitOr: ("|", BIT_OR), ast.BitXor: ("^", BIT_XOR), ast.BitAnd: ("&", BIT_AND),
    ast.LShift: ("<<", SHIFT), ast.RShift: (">>", SHIFT), ast.Add: ("+", SUM), ast.Sub: ("-", SUM),
    ast.Mult: ("*", PRODUCT), ast.Div: ("/", PRODUCT), ast.FloorDiv: ("//", PRODUCT),
    ast.Mod: ("%", PRODUCT), ast.MatMult: ("@", PRODUCT), ast.Pow: ("**", POWER),
}  # fmt: skip
_UNARY: dict[type[ast.unaryop], str] = {ast.Not: "not ", ast.USub: "-", ast.UAdd: "+", ast.Invert: "~"}
_PRECEDENCE: dict[type[ast.expr], int] = {
    ast.Tuple: TUPLE, ast.Yield: YIELD, ast.YieldFrom: YIELD, ast.NamedExpr: NAMED,
    ast.Lambda: TEST, ast.IfExp: TEST, ast.Compare: COMPARE,
}  # fmt: skip
#: What makes black put spaces around the colons of a slice.
_COMPLEX = (
    ast.BinOp,
    ast.BoolOp,
    ast.Compare,
    ast.IfExp,
    ast.Lambda,
    ast.Attribute,
    ast.Call,
    ast.Subscript,
    ast.Not,
)

_Item = TypeVar("_Item")


class ExpressionWriter(Unparser):
    """Appends the tokens of the expressions it is given to the line that is being written."""

    def __init__(self) -> None:
        self.tokens: list[Token] = []
        self.quotes: tuple[str, ...] = ('"', "'", '"""', "'''")
        self.in_fstring = False

    def write(self, text: str) -> None:
        if text in ("(", "[", "{"):
            self.tokens.append(Token(text, level=1))
        elif text in (")", "]", "}"):
            self.tokens.append(Token(text, level=-1))
        elif text == ", ":
            self.tokens.append(Token(text, priority=COMMA))
        elif text and text != "\n":  # Unparser's blank lines; ours are placed where black has them
            self.tokens.append(Token(text))

    def delimiter(self, text: str, priority: int) -> None:
        self.tokens.append(Token(text, priority=priority))

    def dispatch(self, tree: Any, precedence: int = TEST) -> None:
        if not isinstance(tree, ast.expr):
            return self.node(tree)
        parenthesise = _precedence(tree) < precedence
        if parenthesise:
            self.open("(", display=isinstance(tree, ast.Tuple))
        self.node(tree)
        if parenthesise:
            self.write(")")

    def node(self, tree: ast.AST) -> None:
        method: Callable[[Any], None] | None = getattr(self, "_" + type(tree).__name__, None)
        if method is None:
            raise WriterError(f"no source form for {type(tree).__name__}")
        method(tree)

    # Pieces

    def open(self, text: str, display: bool = False) -> None:
        self.tokens.append(Token(text, level=1, display=display))

    def optional(self, write: Callable[[], None]) -> None:
        """Content that may be put in parentheses when its line is too long."""
        self.tokens.append(Token("", level=1, display=True, hidden="("))
        write()
        self.tokens.append(Token("", level=-1, hidden=")"))

    def value(self, tree: ast.expr, precedence: int = TEST) -> None:
        self.optional(lambda: self.dispatch(tree, precedence))

    def separated(self, items: Iterable[_Item], write: Callable[[_Item], None]) -> None:
        for index, item in enumerate(items):
            if index:
                self.write(", ")
            write(item)

    def flat(self, write: Callable[[], None]) -> str:
        """The text of what would have been written, for pieces that are never broken."""
        outside, self.tokens = self.tokens, []
        try:
            write()
            return "".join(token.text for token in self.tokens)
        finally:
            self.tokens = outside

    # Operators

    def _BinOp(self, tree: ast.BinOp) -> None:
        symbol, precedence = OPERATORS[type(tree.op)]
        power = isinstance(tree.op, ast.Pow)
        self.dispatch(tree.left, precedence + power)
        hugged = power and _is_simple(tree.left, signed=False) and _is_simple(tree.right)
        self.delimiter(symbol if hugged else f" {symbol} ", 0 if hugged else OPERATOR[symbol])
        self.dispatch(tree.right, UNARY if power else precedence + 1)

    def _UnaryOp(self, tree: ast.UnaryOp) -> None:
        self.write(_UNARY[type(tree.op)])
        self.dispatch(tree.operand, _precedence(tree))

    def _BoolOp(self, tree: ast.BoolOp) -> None:
        precedence = _precedence(tree)
        for index, operand in enumerate(tree.values):
            if index:
                self.delimiter(" and " if isinstance(tree.op, ast.And) else " or ", LOGIC)
            self.dispatch(operand, precedence + 1)

    def _Compare(self, tree: ast.Compare) -> None:
        self.dispatch(tree.left, COMPARE + 1)
        for operator, operand in zip(tree.ops, tree.comparators):
            self.delimiter(f" {self.cmpops[type(operator).__name__]} ", COMPARATOR)
            self.dispatch(operand, COMPARE + 1)

    def _IfExp(self, tree: ast.IfExp) -> None:
        self.dispatch(tree.body, OR)
        self.delimiter(" if ", TERNARY)
        self.dispatch(tree.test, OR)
        self.delimiter(" else ", TERNARY)
        self.dispatch(tree.orelse)

    def _Lambda(self, tree: ast.Lambda) -> None:
        parameters = self.flat(lambda: self.dispatch(tree.args))
        self.write(f"lambda {parameters}: " if parameters else "lambda: ")
        self.dispatch(tree.body)

    def _NamedExpr(self, tree: ast.NamedExpr) -> None:
        self.dispatch(tree.target)
        self.write(" := ")
        self.dispatch(tree.value)

    def _Yield(self, tree: ast.Yield) -> None:
        self.write("yield")
        if tree.value is not None:
            self.write(" ")
            self.dispatch(tree.value)

    def _YieldFrom(self, tree: ast.YieldFrom) -> None:
        self.write("yield from ")
        self.dispatch(tree.value)

    # Primaries

    def _Attribute(self, tree: ast.Attribute) -> None:
        whole = isinstance(tree.value, ast.Constant) and type(tree.value.value) is int
        self.dispatch(tree.value, ATOM + 1 if whole else PRIMARY)
        self.write(f".{tree.attr}")

    def _Call(self, tree: ast.Call) -> None:
        self.dispatch(tree.func, PRIMARY)
        match tree:
            case ast.Call(args=[ast.GeneratorExp() as only], keywords=[]):
                self.dispatch(only)
            case _:
                self.write("(")
                self.separated([*tree.args, *tree.keywords], self.dispatch)
                self.write(")")

    def _Subscript(self, tree: ast.Subscript) -> None:
        self.dispatch(tree.value, PRIMARY)
        self.write("[")
        bare = isinstance(tree.slice, ast.Tuple) and tree.slice.elts
        self.dispatch(tree.slice, TUPLE if bare else TEST)
        self.write("]")

    def _Slice(self, tree: ast.Slice) -> None:
        parts = [tree.lower, tree.upper] + ([tree.step] if tree.step is not None else [])
        spaced = any(isinstance(node, _COMPLEX) for node in ast.walk(tree))
        for index, part in enumerate(parts):
            if index:
                self.write(" :" if spaced and parts[index - 1] is not None else ":")
                if spaced and part is not None:
                    self.write(" ")
            if part is not None:
                self.dispatch(part)

    def _Starred(self, tree: ast.Starred) -> None:
        self.write("*")
        self.dispatch(tree.value, BIT_OR)

    def _Tuple(self, tree: ast.Tuple) -> None:
        if not tree.elts:
            self.write("()")
        self.separated(tree.elts, self.dispatch)
        if len(tree.elts) == 1:
            self.write(",")

    def _List(self, tree: ast.List) -> None:
        self.open("[", display=True)
        self.separated(tree.elts, self.dispatch)
        self.write("]")

    def _Set(self, tree: ast.Set) -> None:
        self.open("{", display=True)
        self.separated(tree.elts, self.dispatch)
        self.write("}")

    def _Dict(self, tree: ast.Dict) -> None:
        def item(pair: tuple[ast.expr | None, ast.expr]) -> None:
            key, value = pair
            if key is None:
                self.write("**")
                self.dispatch(value, BIT_OR)
            else:
                self.dispatch(key)
                self.write(": ")
                self.dispatch(value)

        self.open("{", display=True)
        self.separated(zip(tree.keys, tree.values), item)
        self.write("}")

    def _comprehension(self, tree: ast.comprehension) -> None:
        self.delimiter(" async for " if tree.is_async else " for ", COMPREHENSION)
        self.write(self.flat(lambda: self.dispatch(tree.target, bare(tree.target))))
        self.write(" in ")
        self.dispatch(tree.iter, OR)
        for condition in tree.ifs:
            self.delimiter(" if ", COMPREHENSION)
            self.dispatch(condition, OR)

    # Parameters

    def _arguments(self, tree: ast.arguments) -> None:
        positional = [*tree.posonlyargs, *tree.args]
        defaults: list[ast.expr | None] = [None] * (len(positional) - len(tree.defaults)) + [*tree.defaults]
        items: list[tuple[str, ast.arg | None, ast.expr | None]] = [
            ("", parameter, default) for parameter, default in zip(positional, defaults)
        ]
        if tree.posonlyargs:
            items.insert(len(tree.posonlyargs), ("/", None, None))
        if tree.vararg or tree.kwonlyargs:
            items.append(("*", tree.vararg, None))
        items += [("", parameter, default) for parameter, default in zip(tree.kwonlyargs, tree.kw_defaults)]
        if tree.kwarg:
            items.append(("**", tree.kwarg, None))
        self.separated(items, self.parameter)

    def parameter(self, item: tuple[str, ast.arg | None, ast.expr | None]) -> None:
        stars, parameter, default = item
        self.write(stars)
        if parameter is not None:
            self.dispatch(parameter)
            if default is not None:
                self.write(" = " if parameter.annotation else "=")
                self.dispatch(default)

    # Literals

    def _Constant(self, tree: ast.Constant) -> None:
        value = tree.value
        if isinstance(value, str | bytes):
            self.write(self.quoted(value))
        elif value is ...:
            self.write("...")
        elif value is None or isinstance(value, bool | int | float | complex):
            self.write(repr(value).replace("inf", INFINITY))
        else:
            raise WriterError(f"no source form for the constant {value!r}")

    def quoted(self, value: str | bytes) -> str:
        preferred = sorted(self.quotes, key=lambda quote: value.count(like(value, quote[0])))
        for quote in preferred:
            text = f"{'b' if isinstance(value, bytes) else ''}{quote}{escaped(value, quote)}{quote}"
            if not (self.in_fstring and "\\" in text):
                return text
        raise WriterError(f"no quotes left for {value!r} in an f-string")

    def _JoinedStr(self, tree: ast.JoinedStr) -> None:
        # Before Python 3.12, what is in the braces can have neither backslashes nor the quotes around it.
        quotes, in_fstring = self.quotes, self.in_fstring
        literal = "".join(str(part.value) for part in tree.values if isinstance(part, ast.Constant))
        for quote in sorted(quotes, key=lambda quote: literal.count(quote[0])):
            self.quotes = tuple(other for other in quotes if other not in quote and quote not in other)
            self.in_fstring = True
            try:
                text = f"f{quote}{self.in_braces(tree, quote)}{quote}"
            except WriterError:
                continue
            finally:
                self.quotes, self.in_fstring = quotes, in_fstring
            if not (in_fstring and "\\" in text):
                self.write(text)
                return
        raise WriterError("no quotes left for an f-string")

    def in_braces(self, tree: ast.JoinedStr, quote: str) -> str:
        pieces = []
        for part in tree.values:
            if isinstance(part, ast.FormattedValue):
                value = part.value
                text = self.flat(lambda value=value: self.dispatch(value, OR))  # type: ignore[misc]
                if quote in text:
                    raise WriterError(f"no quotes left for {text} in an f-string")
                conversion = f"!{chr(part.conversion)}" if part.conversion > 0 else ""
                style = part.format_spec
                spec = ":" + self.in_braces(style, quote) if isinstance(style, ast.JoinedStr) else ""
                pieces.append("{" + " " * text.startswith("{") + text + conversion + spec + "}")
            elif isinstance(part, ast.Constant):
                pieces.append(escaped(str(part.value), quote).replace("{", "{{").replace("}", "}}"))
        return "".join(pieces)


def _precedence(tree: ast.expr) -> int:
    match tree:
        case ast.BinOp():
            return OPERATORS[type(tree.op)][1]
        case ast.UnaryOp():
            return NOT if isinstance(tree.op, ast.Not) else UNARY
        case ast.BoolOp():
            return AND if isinstance(tree.op, ast.And) else OR
        case ast.Tuple(elts=[]):
            return ATOM
    return _PRECEDENCE.get(type(tree), ATOM)


def bare(tree: ast.expr) -> int:
    """What a place where tuples may be bare asks for: not those of one element, whose comma is missed."""
    return TUPLE if isinstance(tree, ast.Tuple) and len(tree.elts) > 1 else TEST


def _is_simple(tree: ast.expr, signed: bool = True) -> bool:
    """Whether black hugs `**` with this operand: a number, a name, its attributes, or their negative."""
    match tree:
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return signed and _is_simple(operand, signed=False)
        case ast.Attribute(value=ast.Name() | ast.Attribute() as value):
            return _is_simple(value)
        case ast.Constant(value=int() | float() | complex() as value):
            return not isinstance(value, bool)
    return isinstance(tree, ast.Name)
