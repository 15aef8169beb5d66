"""Breaks a logical line that is too long inside its brackets, by the rules that the formatter black follows.

A line is a list of `Token`s that concatenate to its text. Breaking never changes what the text parses to: new
lines are put inside brackets only, a comma is added only behind the last of several items, and parentheses
are added only where the tokens carry a hidden pair. What cannot be broken (a long name, a long string) stays
as long as it is.
"""

from typing import NamedTuple

INDENT = 4

# A bracket's content is broken at its delimiters of the highest priority, those of inner brackets aside.
COMPREHENSION, COMMA, TERNARY, LOGIC, COMPARATOR = 20, 18, 16, 14, 10
OPERATOR = {
    "|": 9, "^": 8, "&": 7, "<<": 6, ">>": 6, "+": 5, "-": 5,
    "*": 4, "/": 4, "//": 4, "%": 4, "@": 4, "**": 1,
}  # fmt: skip


class Token(NamedTuple):
    """A piece of a line; `level` is 1 for an opening and -1 for a closing bracket."""

    text: str
    level: int = 0
    priority: int = 0
    #: An opening bracket of a display or a tuple: when broken, its items never share a line.
    display: bool = False
    #: The bracket that is written if the line is broken here, for a pair that is not shown otherwise.
    hidden: str = ""


Line = list[Token]


def text_of(line: Line) -> str:
    return "".join(token.text for token in line).strip()


def wrap(line: Line, indent: int, width: int, header: bool = False) -> list[str]:
    """The physical lines of a statement at `indent` levels; a `def` (`header`) breaks at its parameters."""
    return _Wrapper(width).lines(line, indent, header=header)


class _Wrapper:
    def __init__(self, width: int) -> None:
        self.width = width

    def lines(
        self, line: Line, indent: int, *, inside: bool = False, header: bool = False, explode: bool = False
    ) -> list[str]:
        flat = " " * INDENT * indent + text_of(line)
        if not explode and len(flat) <= self.width:
            return [flat]
        if inside and (items := _at_delimiters(line)):
            return [text for item in items for text in self.lines(item, indent, inside=True)]
        split = self.at_parameters(line) if header else self.at_bracket(line, indent)
        if split is None:
            return [flat]
        start, end = split
        opening, body, closing = line[start], line[start + 1 : end], line[end]
        explode = opening.display and _highest(body) == COMMA
        if header and _highest(body) != COMMA:
            body = [*body, Token(",")]
        before, after = line[:start], line[end + 1 :]
        if sum(token.level for token in before):  # a hidden pair around the bracket, which it makes needless
            before = [token for token in before if not (token.hidden and token.level > 0)]
            after = [token for token in after if not (token.hidden and token.level < 0)]
        head = self.lines([*before, Token(opening.text or opening.hidden)], indent, inside=inside)
        tail = self.lines([Token(closing.text or closing.hidden), *after], indent, inside=inside)
        return [*head, *self.lines(body, indent + 1, inside=True, explode=explode), *tail]

    def at_parameters(self, line: Line) -> tuple[int, int] | None:
        groups = _groups(line)
        return groups[0] if groups else None

    def at_bracket(self, line: Line, indent: int) -> tuple[int, int] | None:
        """The bracket to break: the last one for which the text before it fits on its line."""
        groups = _groups(line)[::-1]
        if not groups:
            return None
        start, end = groups[0]
        if not line[start].hidden:
            return self.first_that_fits(line, groups, indent) or groups[0]
        body = line[start + 1 : end]
        inner = [(start + 1 + first, start + 1 + last) for first, last in _groups(body)[::-1]]
        room = self.width - INDENT * (indent + 1)
        bare = self.needs_no_parentheses(line, start, end, indent)
        if bare and (fitting := self.first_that_fits(line, inner, indent)):
            return fitting
        if _highest(body) or len(text_of(body)) <= room:
            return start, end
        return inner[0] if inner else None

    def first_that_fits(self, line: Line, groups: list[tuple[int, int]], indent: int) -> tuple[int, int] | None:
        room = self.width - INDENT * indent
        for start, end in groups:
            if len(text_of(line[end:])) > room:
                return None
            if len(text_of(line[: start + 1])) <= room:
                return start, end
        return None

    def needs_no_parentheses(self, line: Line, start: int, end: int, indent: int) -> bool:
        """Whether what is in a hidden pair reads as well when one of its own brackets is broken instead."""
        body = line[start + 1 : end]
        highest = _highest(body)
        if not highest:
            return True
        if highest == COMMA or sum(t.priority == highest for t in _outer(body)) > 1:
            return False
        room = self.width - INDENT * indent
        groups = _groups(body)
        if groups and groups[0][0] == 0 and len(text_of(body[groups[0][1] :])) <= room:
            return True
        if groups and groups[-1][1] == len(body) - 1:
            opening, last = groups[-1]
            call_or_display = body[opening].display or body[last].text != "]"
            return call_or_display and len(text_of(line[: start + 1 + opening + 1])) <= room
        return False


def _outer(line: Line) -> Line:
    """The tokens that are in no bracket of the line."""
    depth, outer = 0, []
    for token in line:
        depth += token.level
        if depth == 0 and token.level == 0:
            outer.append(token)
    return outer


def _highest(line: Line) -> int:
    return max((token.priority for token in _outer(line)), default=0)


def _groups(line: Line) -> list[tuple[int, int]]:
    """(opening, closing) of the outermost brackets that have content, from left to right."""
    depth, start, groups = 0, 0, []
    for index, token in enumerate(line):
        if token.level > 0 and depth == 0:
            start = index
        depth += token.level
        if token.level < 0 and depth == 0 and index > start + 1:
            groups.append((start, index))
    return groups


def _at_delimiters(line: Line) -> list[Line] | None:
    """The items of a bracket's content: a comma ends its item, any other delimiter begins one."""
    highest = _highest(line)
    if not highest:
        return None
    depth = 0
    items: list[Line] = [[]]
    for token in line:
        depth += token.level
        if depth or token.priority != highest:
            items[-1].append(token)
        elif highest == COMMA:
            items[-1].append(Token(","))
            items.append([])
        else:
            items.append([token._replace(priority=0)])
    if highest == COMMA:
        items[-1].append(Token(","))
    return items
