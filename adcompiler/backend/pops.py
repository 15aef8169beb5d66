"""What is taken from the end of a list where it was read just before.

x = xs[-1]; xs.pop()       ->       x = xs.pop()
"""

import ast


def _is_last(node: ast.AST, variable: str) -> bool:
    """Is this `variable[-1]`?"""
    return (
        isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Name)
        and node.value.id == variable
        and isinstance(node.slice, ast.Constant)
        and node.slice.value == -1
    )


def mentions(node: ast.AST, variable: str) -> int:
    """How often a variable stands in the code."""
    return sum(1 for n in ast.walk(node) if isinstance(n, ast.Name) and n.id == variable)


def reads_last(node: ast.expr, variable: str) -> bool:
    """Does an expression surely read `variable[-1]`, once?"""
    inner = list(ast.walk(node))
    return any(_is_last(n, variable) for n in inner) and not any(
        isinstance(n, ast.ListComp | ast.IfExp | ast.BoolOp) for n in inner
    )


class Popped(ast.NodeTransformer):
    """Writes `variable.pop()` for `variable[-1]`."""

    def __init__(self, variable: str, pop: ast.expr) -> None:
        self.variable = variable
        self.pop = pop

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        return self.pop if _is_last(node, self.variable) else self.generic_visit(node)
