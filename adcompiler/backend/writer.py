"""Writes a Python syntax tree as source that a person would have written, and proves that it says the same.

astunparse's `Unparser` does the walk over statements; expressions get only the parentheses they need, long lines are
wrapped (`wrap.py`), and a statement may carry two comments, set by whoever built it as plain attributes of the node:
`comment_before` (a line above it) and `comment` (behind it; in a row of statements with the same one, behind the first).
"""

import ast
import copy
from collections.abc import Callable, Iterable
from math import isinf, isnan
from typing import Any, TypeVar

from astunparse import Unparser

from . import wrap
from .wrap import COMMA, COMPARATOR, COMPREHENSION, LOGIC, OPERATOR, TERNARY, Token

#: The column of trailing comments, where the code before them is shorter.
COMMENT_COLUMN = 50

# Precedence, from what binds least; an operand that binds less than its place asks for is put in parentheses.
(TUPLE, YIELD, NAMED, TEST, OR, AND, NOT, COMPARE, BIT_OR, BIT_XOR, BIT_AND, SHIFT, SUM, PRODUCT, UNARY, POWER,
 PRIMARY, ATOM) = range(18)  # fmt: skip

_OPERATORS: dict[type[ast.operator], tuple[str, int]] = {
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
_COMPLEX = (ast.BinOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Lambda, ast.Attribute, ast.Call, ast.Subscript, ast.Not)
#: A float literal too large for a double: the only way to write infinity that depends on no name.
_INFINITY = "1e309"

_Definition = ast.FunctionDef | ast.AsyncFunctionDef
_Item = TypeVar("_Item")


class WriterError(Exception):
    """An internal error: a tree that has no source form, or one that would not read back as the same tree."""


def write(tree: ast.Module | ast.stmt, comments: bool = True, width: int = 100) -> str:
    """The source of `tree`, ending in one newline. Lines are wrapped at `width` columns, comments not counted.

    Constants that no literal gives (negative and complex numbers, nan, tuples) are written as the expressions with
    their value. The text is parsed again and compared with the tree, but for comments and contexts (`ctx`).

    Raises:
        WriterError: the tree cannot be written, or its text parses to another tree.

    >>> print(write(ast.parse("y = ((-x) ** (2)) * (a[(i, slice)])")), end="")
    y = (-x) ** 2 * a[i, slice]
    """
    tree = _Literals().visit(copy.deepcopy(tree))
    writer = _Writer(tree, comments, width)
    writer.dispatch(tree)
    writer.end_line()
    source = "\n".join(writer.lines) + "\n"
    try:
        written = ast.parse(source)
    except (SyntaxError, ValueError) as error:
        raise WriterError(f"not Python: {error}\n{source}") from error
    for before, after in zip(_statements(tree), written.body, strict=True):
        if difference := _difference(before, after):
            raise WriterError(f"reads back as another tree: {difference}\n{source}")
    return source


class _Writer(Unparser):  # type: ignore[misc]
    def __init__(self, tree: ast.AST, comments: bool, width: int) -> None:
        self.comments = comments
        self.width = width
        self.lines: list[str] = []
        self.future_imports: list[str] = []
        self.docstrings = {
            id(node.body[0])
            for node in ast.walk(tree)
            if isinstance(node, ast.Module | ast.ClassDef | _Definition) and node.body
        }
        self.quotes: tuple[str, ...] = ('"', "'", '"""', "'''")
        self.in_fstring = False
        self._indent = 0
        self._tokens: list[Token] = []
        self._line_indent = 0
        self._header: ast.stmt | None = None  # the compound statement whose header was written last
        self._previous: ast.stmt | None = None  # the last statement of the same block
        self._comment: str | None = None
        self._run: str | None = None  # the comment that the next statement need not repeat

    # Lines

    def fill(self, text: str = "") -> None:
        self.end_line()
        self._line_indent = self._indent
        self.write(text)

    def write(self, text: str) -> None:
        if text in ("(", "[", "{"):
            self._tokens.append(Token(text, level=1))
        elif text in (")", "]", "}"):
            self._tokens.append(Token(text, level=-1))
        elif text == ", ":
            self._tokens.append(Token(text, priority=COMMA))
        elif text.strip():
            self._tokens.append(Token(text))
        elif text == " ":
            self._tokens.append(Token(text))

    def delimiter(self, text: str, priority: int) -> None:
        self._tokens.append(Token(text, priority=priority))

    def end_line(self) -> None:
        tokens, self._tokens = self._tokens, []
        if not tokens:
            return
        if tokens[0].text.startswith(('"""', 'r"""')):  # a docstring keeps the lines it has
            lines = (" " * wrap.INDENT * self._line_indent + wrap.text_of(tokens)).split("\n")
        else:
            header = tokens[0].text.startswith(("def ", "async def "))
            lines = wrap.wrap(tokens, self._line_indent, self.width, header)
        if self._comment:
            # Behind the colon of a header; else on the first line, where the eye looks for it.
            at = 0 if tokens[-1].text != ":" and len(lines) > 1 and '"""' not in lines[0] else -1
            lines[at] = max(lines[at] + "  ", lines[at].ljust(COMMENT_COLUMN), key=len) + "# " + self._comment
            self._comment = None
        self.lines += lines

    def leave(self) -> None:
        super().leave()
        self._run = None

    # Blank lines and comments

    def dispatch(self, tree: Any, precedence: int = TEST) -> None:
        if isinstance(tree, list):
            self._previous = None
            for statement in tree:
                self.dispatch(statement)
                self._previous = statement
        elif isinstance(tree, ast.expr):
            parenthesise = _precedence(tree) < precedence
            if parenthesise:
                self.open("(", display=isinstance(tree, ast.Tuple))
            self.node(tree)
            if parenthesise:
                self.write(")")
        elif isinstance(tree, ast.stmt):
            self.statement(tree)
        else:
            self.node(tree)

    def node(self, tree: ast.AST) -> None:
        method: Callable[[Any], None] | None = getattr(self, "_" + type(tree).__name__, None)
        if method is None:
            raise WriterError(f"no source form for {type(tree).__name__}")
        method(tree)

    def statement(self, tree: ast.stmt) -> None:
        self.end_line()
        self.lines += [""] * self.blank_lines(tree)
        self.announce(tree)
        self.node(tree)
        self.end_line()

    def announce(self, tree: ast.stmt) -> None:
        """Writes the comment above a statement, and has the one behind it written at the end of its next line."""
        above: str | None = getattr(tree, "comment_before", None)
        behind: str | None = getattr(tree, "comment", None)
        if not self.comments:
            return
        if above:
            self.end_line()
            pad = " " * wrap.INDENT * self._indent
            self.lines += [f"{pad}# {line}".rstrip() for line in _comment(above).split("\n")]
            self._run = None
        behind = " ".join(_comment(behind).split("\n")) if behind else None
        self._comment = behind if behind != self._run else None
        self._run = behind

    def blank_lines(self, tree: ast.stmt) -> int:
        previous, spacious = self._previous, (ast.ClassDef, *_Definition.__args__)
        if previous is None:
            return 0
        if isinstance(tree, spacious) or isinstance(previous, spacious):
            return 1 if self._indent else 2
        imports = (ast.Import, ast.ImportFrom)
        module_docstring = not self._indent and id(previous) in self.docstrings and _is_string(previous)
        return int(isinstance(previous, imports) and not isinstance(tree, imports) or module_docstring)

    # Pieces

    def open(self, text: str, display: bool = False) -> None:
        self._tokens.append(Token(text, level=1, display=display))

    def optional(self, write: Callable[[], None]) -> None:
        """Content that may be put in parentheses when its line is too long."""
        self._tokens.append(Token("", level=1, display=True, hidden="("))
        write()
        self._tokens.append(Token("", level=-1, hidden=")"))

    def value(self, tree: ast.expr, precedence: int = TEST) -> None:
        # black shows the parentheses of a tuple of one
        single = isinstance(tree, ast.Tuple) and len(tree.elts) == 1
        self.optional(lambda: self.dispatch(tree, TEST if single else precedence))

    def separated(self, items: Iterable[_Item], write: Callable[[_Item], None]) -> None:
        for index, item in enumerate(items):
            if index:
                self.write(", ")
            write(item)

    def flat(self, write: Callable[[], None]) -> str:
        """The text of what would have been written, for pieces that are never broken."""
        outside, self._tokens = self._tokens, []
        write()
        text, self._tokens = "".join(token.text for token in self._tokens), outside
        return text

    def suite(self, body: list[ast.stmt]) -> None:
        self.enter()
        self.end_line()
        self.dispatch(body)
        self.leave()

    # Statements

    def _Module(self, tree: ast.Module) -> None:
        self.dispatch(tree.body)

    def _Expr(self, tree: ast.Expr) -> None:
        self.fill()
        if id(tree) in self.docstrings and _is_string(tree):
            self.write(_docstring(tree.value.value))  # type: ignore[attr-defined]
        else:
            self.value(tree.value, YIELD)

    def _Assign(self, tree: ast.Assign) -> None:
        self.fill()
        for target in tree.targets:
            self.dispatch(target, _bare(target))
            self.write(" = ")
        self.value(tree.value, TUPLE)

    def _AugAssign(self, tree: ast.AugAssign) -> None:
        self.fill()
        self.dispatch(tree.target)
        self.write(f" {_OPERATORS[type(tree.op)][0]}= ")
        self.value(tree.value, TUPLE)

    def _Return(self, tree: ast.Return) -> None:
        self.fill("return")
        if tree.value is not None:
            self.write(" ")
            self.value(tree.value, TEST if isinstance(tree.value, ast.Yield | ast.YieldFrom) else TUPLE)

    def _Assert(self, tree: ast.Assert) -> None:
        self.fill("assert ")
        self.value(tree.test)
        if tree.msg is not None:
            self._tokens.append(Token(", "))
            self.value(tree.msg)

    def _ImportFrom(self, tree: ast.ImportFrom) -> None:
        self.fill(f"from {'.' * tree.level}{tree.module or ''} import ")
        if tree.names[0].name == "*":
            self.write("*")
        else:
            self.optional(lambda: self.separated(tree.names, self.dispatch))

    def _FunctionDef(self, tree: _Definition, keyword: str = "def") -> None:
        for decorator in tree.decorator_list:
            self.fill("@")
            self.dispatch(decorator)
        self.fill(f"{keyword} {tree.name}")
        self.write("(")
        self.dispatch(tree.args)
        self.write(")")
        if tree.returns is not None:
            self.write(" -> ")
            self.dispatch(tree.returns)
        self.suite(tree.body)

    def _AsyncFunctionDef(self, tree: ast.AsyncFunctionDef) -> None:
        self._FunctionDef(tree, "async def")

    def _For(self, tree: ast.For | ast.AsyncFor, keyword: str = "for ") -> None:
        self.fill(keyword)
        self.dispatch(tree.target, _bare(tree.target))
        self.write(" in ")
        self.value(tree.iter, TUPLE)
        self.suite(tree.body)
        self.otherwise(tree.orelse)

    def _AsyncFor(self, tree: ast.AsyncFor) -> None:
        self._For(tree, "async for ")

    def _While(self, tree: ast.While) -> None:
        self.fill("while ")
        self.value(tree.test, NAMED)
        self.suite(tree.body)
        self.otherwise(tree.orelse)

    def _If(self, tree: ast.If, keyword: str = "if ") -> None:
        self.fill(keyword)
        self.value(tree.test, NAMED)
        self.suite(tree.body)
        match tree.orelse:
            case [ast.If() as other]:
                self.end_line()
                self.announce(other)
                self._If(other, "elif ")
            case orelse:
                self.otherwise(orelse)

    def otherwise(self, body: list[ast.stmt]) -> None:
        if body:
            self.fill("else")
            self.suite(body)

    def _generic_With(self, tree: ast.With | ast.AsyncWith, async_: bool = False) -> None:
        self.fill("async with " if async_ else "with ")
        match tree.items:
            case [ast.withitem(context_expr=ast.Tuple() as pair, optional_vars=None)]:
                self.write("(")  # a tuple in one pair of parentheses would be several items
                self.dispatch(pair)
                self.write(")")
            case items:
                self.optional(lambda: self.separated(items, self.dispatch))
        self.suite(tree.body)

    # Operators

    def _BinOp(self, tree: ast.BinOp) -> None:
        symbol, precedence = _OPERATORS[type(tree.op)]
        power = isinstance(tree.op, ast.Pow)
        self.dispatch(tree.left, precedence + power)
        hugged = power and _is_simple(tree.left) and _is_simple(tree.right)
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
        body = self.flat(lambda: self.dispatch(tree.body))
        self.write(f"lambda {parameters}: {body}" if parameters else f"lambda: {body}")

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
        self.dispatch(tree.target, _bare(tree.target))
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
            self.write(repr(value).replace("inf", _INFINITY))
        else:
            raise WriterError(f"no source form for the constant {value!r}")

    def quoted(self, value: str | bytes) -> str:
        preferred = sorted(self.quotes, key=lambda quote: value.count(_like(value, quote[0])))
        for quote in preferred:
            text = f"{'b' if isinstance(value, bytes) else ''}{quote}{_escaped(value, quote)}{quote}"
            if not (self.in_fstring and "\\" in text):
                return text
        raise WriterError(f"no quotes left for {value!r} in an f-string")

    def _JoinedStr(self, tree: ast.JoinedStr) -> None:
        # Before Python 3.12, what is in the braces can have neither backslashes nor the quotes around it.
        quotes, in_fstring = self.quotes, self.in_fstring
        for quote in quotes:
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
                conversion = f"!{chr(part.conversion)}" if part.conversion > 0 else ""
                style = part.format_spec
                spec = ":" + self.in_braces(style, quote) if isinstance(style, ast.JoinedStr) else ""
                pieces.append("{" + " " * text.startswith("{") + text + conversion + spec + "}")
            elif isinstance(part, ast.Constant):
                pieces.append(_escaped(part.value, quote).replace("{", "{{").replace("}", "}}"))
        return "".join(pieces)


class _Literals(ast.NodeTransformer):
    """Replaces constants that have no literal by the expressions with their value."""

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        return _literal(node.value)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.JoinedStr:
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                self.generic_visit(part)
        return node


def _literal(value: Any) -> ast.expr:
    if isinstance(value, tuple):
        return ast.Tuple([_literal(item) for item in value], ast.Load())
    if isinstance(value, bool) or not isinstance(value, int | float | complex):
        return ast.Constant(value)
    if isinstance(value, float) and isnan(value):
        return ast.BinOp(ast.Constant(float("inf")), ast.Sub(), ast.Constant(float("inf")))
    if not isinstance(value, complex):
        return _negative(ast.Constant(-value)) if repr(value).startswith("-") else ast.Constant(value)
    # Signs of zero are lost in sums: of the expressions for a complex number, the first that has its value exactly.
    real, imaginary = _literal(abs(value.real)), ast.Constant(complex(0.0, abs(value.imag)))
    candidates: list[ast.expr] = [imaginary, _negative(imaginary)]
    for first in (_literal(value.real), real):
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


def _precedence(tree: ast.expr) -> int:
    match tree:
        case ast.BinOp():
            return _OPERATORS[type(tree.op)][1]
        case ast.UnaryOp():
            return NOT if isinstance(tree.op, ast.Not) else UNARY
        case ast.BoolOp():
            return AND if isinstance(tree.op, ast.And) else OR
        case ast.Tuple(elts=[]):
            return ATOM
    return _PRECEDENCE.get(type(tree), ATOM)


def _bare(target: ast.expr) -> int:
    """The precedence of a target: a tuple is bare, unless it has one element, where a comma is easily overlooked."""
    return TEST if isinstance(target, ast.Tuple) and len(target.elts) == 1 else TUPLE


def _is_simple(tree: ast.expr) -> bool:
    """Whether black hugs `**` with this operand: a name, a number, attributes of a name, or their negative."""
    match tree:
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return not isinstance(operand, ast.UnaryOp) and _is_simple(operand)
        case ast.Attribute(value=value):
            return isinstance(value, ast.Name | ast.Attribute) and _is_simple(value)
        case ast.Constant(value=value):
            return isinstance(value, int | float | complex) and not isinstance(value, bool)
    return isinstance(tree, ast.Name)


def _is_string(tree: ast.stmt) -> bool:
    return isinstance(tree, ast.Expr) and isinstance(tree.value, ast.Constant) and isinstance(tree.value.value, str)


def _like(value: str | bytes, text: str) -> Any:
    return text.encode() if isinstance(value, bytes) else text


def _escaped(value: str | bytes, quote: str) -> str:
    """The inside of a literal between `quote`s, on one line."""
    # With a double quote in front, repr always chooses single quotes, so that those are the ones it escapes.
    text = repr(_like(value, '"') + value)  # type: ignore[operator]
    text = text[text.index('"') + 1 : -1].replace("\\'", "'")
    return text.replace(quote[0], "\\" + quote[0]) if quote[0] in text else text


def _docstring(value: str) -> str:
    lines = [_escaped(line, "'").replace("\\'", "'") for line in value.split("\n")]
    text = "\n".join(line[:-1] + "\\x20" if line.endswith(" ") else line for line in lines[:-1])
    text = "\n".join([text, lines[-1]]) if len(lines) > 1 else lines[-1]
    text = text.replace('"""', '\\"\\"\\"')
    return f'"""{text[:-1]}\\""""' if text.endswith('"') else f'"""{text}"""'


def _comment(text: str) -> str:
    """A comment's lines without the `# ` that it may have."""
    return "\n".join(line.removeprefix("#").strip() for line in text.splitlines())


def _statements(tree: ast.Module | ast.stmt) -> list[ast.stmt]:
    return tree.body if isinstance(tree, ast.Module) else [tree]


def _difference(before: Any, after: Any) -> str:
    """Where two trees differ, or nothing: a field that is missing, None or empty is the same."""
    if isinstance(before, list) and isinstance(after, list):
        if len(before) != len(after):
            return f"{len(before)} items became {len(after)}"
        return next(filter(None, map(_difference, before, after)), "")
    if isinstance(before, ast.AST) and type(before) is type(after):
        for field in set(before._fields) - {"ctx", "kind", "type_comment", "type_ignores"}:
            one, two = getattr(before, field, None), getattr(after, field, None)
            if (one not in (None, []) or two not in (None, [])) and (found := _difference(one, two)):
                return f"{type(before).__name__}.{field}: {found}" if "." not in found else found
        return ""
    same = not isinstance(before, ast.AST) and type(before) is type(after) and repr(before) == repr(after)
    return "" if same else f"{before!r} became {after!r}"
