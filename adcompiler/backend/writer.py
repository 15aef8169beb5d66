"""Writes a Python syntax tree as source that a person would have written, and proves that it says the same.

astunparse's `Unparser` does part of the walk; expressions get only the parentheses they need
(`expressions.py`), long lines are wrapped (`wrap.py`). A statement may carry two comments, which whoever
built it sets as plain attributes of the node: `comment_before`, a line above it, and `comment`, behind it.
With an attribute `blank_before` there is a blank line above both. Of statements in a row with the same
`comment`, only the first shows it; a new block, the end of one and a `comment_before` begin a new row, except
that the header of a block and its first statement are one row.
"""

import ast
from collections.abc import Iterator
from typing import Any

from . import wrap
from .expressions import NAMED, OPERATORS, TEST, YIELD, ExpressionWriter, bare
from .literals import Literals, WriterError, docstring
from .wrap import Token

__all__ = ["WriterError", "write"]

#: The column of trailing comments, where the code before them is shorter.
COMMENT_COLUMN = 50

_Definition = ast.FunctionDef | ast.AsyncFunctionDef


def write(tree: ast.Module | ast.stmt, comments: bool = True, width: int = 100) -> str:
    """The source of `tree`, ending in one newline.

    Lines are wrapped at `width` columns, trailing comments not counted. Constants that no literal gives
    (negative and complex numbers, nan, tuples) become expressions with their value; infinity is 1e309.
    The text is parsed again and compared with the tree, but for contexts (`ctx`) and the `u` of strings.

    Raises:
        WriterError: the tree cannot be written, or its text parses to another tree.

    >>> print(write(ast.parse("y = ((-x) ** (2)) * (a[(i, slice)])")), end="")
    y = (-x) ** 2 * a[i, slice]
    """
    tree = Literals().visit(tree)
    writer = _Writer(tree, comments, width)
    writer.dispatch(tree)
    writer.end_line()
    source = "\n".join(writer.lines) + "\n"
    try:
        written = ast.parse(source)
    except (SyntaxError, ValueError) as error:
        raise WriterError(f"not Python: {error}\n{source}") from error
    if difference := _difference(_statements(tree), written.body):
        raise WriterError(f"reads back as another tree: {difference}\n{source}")
    return source


class _Writer(ExpressionWriter):
    def __init__(self, tree: ast.AST, comments: bool, width: int) -> None:
        super().__init__()
        self.comments = comments
        self.width = width
        self.lines: list[str] = []
        self.future_imports: list[str] = []
        self.docstrings = {
            id(node.body[0])
            for node in _blocks(tree)
            if isinstance(node, ast.Module | ast.ClassDef | _Definition) and _begins_with_string(node.body)
        }
        self._indent = 0
        self._line_indent = 0
        self._previous: ast.stmt | None = None  # the last statement of the same block
        self._comment: str | None = None
        self._run: str | None = None  # the comment that the next statement need not repeat

    # Lines

    def fill(self, text: str = "") -> None:
        self.end_line()
        self._line_indent = self._indent
        self.write(text)

    def end_line(self) -> None:
        tokens, self.tokens = self.tokens, []
        if not tokens:
            return
        if tokens[0].text.startswith('"""'):  # a docstring keeps the lines it has
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
        elif isinstance(tree, ast.stmt):
            self.statement(tree)
        else:
            super().dispatch(tree, precedence)

    def statement(self, tree: ast.stmt) -> None:
        self.end_line()
        self.lines += [""] * self.blank_lines(tree)
        self.announce(tree)
        self.node(tree)
        self.end_line()

    def announce(self, tree: ast.stmt) -> None:
        """Writes the comment above a statement; the one behind it follows when its next line ends."""
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
        between = isinstance(previous, imports) is not isinstance(tree, imports)
        module_docstring = not self._indent and id(previous) in self.docstrings
        return int(between or module_docstring or hasattr(tree, "blank_before"))

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
        match tree.value:
            case ast.Constant(value=str(text)) if id(tree) in self.docstrings:
                self.write(docstring(text))
            case value:
                self.value(value, YIELD)

    def _Assign(self, tree: ast.Assign) -> None:
        self.fill()
        for target in tree.targets:
            self.dispatch(target, bare(target))
            self.write(" = ")
        self.value(tree.value, min(YIELD, bare(tree.value)))

    def _AugAssign(self, tree: ast.AugAssign) -> None:
        self.fill()
        self.dispatch(tree.target)
        self.write(f" {OPERATORS[type(tree.op)][0]}= ")
        self.value(tree.value, min(YIELD, bare(tree.value)))

    def _Return(self, tree: ast.Return) -> None:
        self.fill("return")
        if tree.value is not None:
            self.write(" ")
            self.value(tree.value, bare(tree.value))

    def _Assert(self, tree: ast.Assert) -> None:
        self.fill("assert ")
        self.value(tree.test)
        if tree.msg is not None:
            self.tokens.append(Token(", "))
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
        self.dispatch(tree.target, bare(tree.target))
        self.write(" in ")
        self.value(tree.iter, bare(tree.iter))
        self.suite(tree.body)
        self.otherwise(tree.orelse)

    def _AsyncFor(self, tree: ast.AsyncFor) -> None:
        self._For(tree, "async for ")

    def _While(self, tree: ast.While) -> None:
        self.fill("while ")
        self.value(tree.test, NAMED if isinstance(tree.test, ast.NamedExpr) else TEST)
        self.suite(tree.body)
        self.otherwise(tree.orelse)

    def _If(self, tree: ast.If, keyword: str = "if ") -> None:
        self.fill(keyword)
        self.value(tree.test, NAMED if isinstance(tree.test, ast.NamedExpr) else TEST)
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


def _blocks(tree: ast.AST) -> Iterator[ast.AST]:
    """A tree and every statement in it."""
    yield tree
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.stmt | ast.excepthandler | ast.match_case):
            yield from _blocks(node)


def _begins_with_string(body: list[ast.stmt]) -> bool:
    match body:
        case [ast.Expr(value=ast.Constant(value=str())), *_]:
            return True
    return False


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
        for field in before._fields:
            if field in ("ctx", "kind", "type_comment"):
                continue
            one, two = getattr(before, field, None), getattr(after, field, None)
            if (one not in (None, []) or two not in (None, [])) and (found := _difference(one, two)):
                return f"{type(before).__name__}.{field}: {found}"
        return ""
    same = not isinstance(before, ast.AST) and type(before) is type(after) and repr(before) == repr(after)
    return "" if same else f"{before!r} became {after!r}"
