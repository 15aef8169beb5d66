"""`python -m tests.rules`: write docs/rules.md and tests/rules/differentiable.txt anew."""

from tests.rules import listed, page

if __name__ == "__main__":
    listed.PATH.write_text("\n".join(listed.lines()) + "\n", encoding="utf-8")
    page.PATH.write_text(page.page(), encoding="utf-8")
