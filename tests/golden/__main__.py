"""`python -m tests.golden refresh | check [CASE ...]`: write the golden files anew, or compare them."""

import argparse
import sys
from collections.abc import Sequence

from tests.golden import cases, document


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status is 1 if `check` finds a difference."""
    parser = argparse.ArgumentParser(prog="python -m tests.golden", description=__doc__)
    parser.add_argument("action", choices=["refresh", "check"])
    parser.add_argument("cases", nargs="*", metavar="CASE", help="default: all, and the documents")
    given = parser.parse_args(arguments)
    names = given.cases or cases.NAMES
    if unknown := set(names) - set(cases.NAMES):
        parser.error(f"no such case: {', '.join(sorted(unknown))}")
    if given.action == "refresh":
        changed = [name for name in names if cases.refresh(name)]
        changed += [] if given.cases else document.refresh()
        print(f"{len(names)} cases; changed: {', '.join(changed) or 'none'}")
        return 0
    found = [text for name in names if (text := cases.differences(name))]
    if not given.cases and (text := document.differences()):
        found.append(text)
    for text in found:
        print(text)
    print(
        f"{len(names)} cases; " + (f"{len(found)} differ: {cases.REFRESH}" if found else "all as committed")
    )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
