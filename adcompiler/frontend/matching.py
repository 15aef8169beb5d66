"""`match` -> `if` and `elif`: a pattern is a test of the subject, and the names that it binds.

    match p:                           subject = p
        case (a, *rest) if a > 0.0:    if is_sequence(subject) and len(subject) >= 1 and (a := subject[0], ..)[-1]:
            y = a                          y = a
        case {"kind": "none"}:   ->    elif is_mapping(subject) and "kind" in subject and subject["kind"] == "none":
            y = 0.0                        y = 0.0
        case _:                        else:
            y = 1.0                        y = 1.0

The subject is evaluated once, and has a name with a blank in it. Functions stand in the tree as constants.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import gast

#: The classes whose pattern may have one pattern in it, which the object itself has to match.
WHOLE = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)


def is_sequence(x: Any) -> bool:
    """May a sequence pattern match this?"""
    return isinstance(x, Sequence) and not isinstance(x, str | bytes | bytearray)


def is_mapping(x: Any) -> bool:
    """May a mapping pattern match this?"""
    return isinstance(x, Mapping)


def is_instance(x: Any, cls: type, positional: int, keywords: int) -> bool:
    """Is this an instance of the class of a pattern with as many patterns in it?"""
    assert positional <= (cls in WHOLE) and not keywords
    return isinstance(x, cls)


def without(x: Any, keys: tuple[Any, ...]) -> dict[Any, Any]:
    """What a mapping has besides these keys."""
    return {k: x[k] for k in x if k not in keys}


def branches(s: Any, subject: str) -> list[Any]:
    """The statements of a `match`, whose subject gets this name."""
    rest: list[Any] = []
    for case in reversed(s.cases):
        tests, bound = _pattern(case.pattern, _read(subject))
        body = list(case.body)
        if case.guard is not None:
            named = [gast.NamedExpr(_store(name), value) for name, value in bound.items()]
            everything = gast.Tuple([*named, case.guard], gast.Load())
            tests = [*tests, gast.Subscript(everything, _constant(-1), gast.Load()) if named else case.guard]
        else:
            body = [*(gast.Assign([_store(name)], value, None) for name, value in bound.items()), *body]
        rest = [gast.If(_all(tests), body, rest)] if tests else body
        for node in rest:
            _placed(node, case.pattern)
    return [_placed(gast.Assign([_store(subject)], s.subject, None), s), *rest]


def _pattern(p: Any, x: Any) -> tuple[list[Any], dict[str, Any]]:
    """The tests of a pattern on the object that the expression `x` gives, in order, and what its names are."""
    if isinstance(p, gast.MatchValue):
        return [gast.Compare(x, [gast.Eq()], [p.value])], {}
    if isinstance(p, gast.MatchSingleton):
        return [gast.Compare(x, [gast.Is()], [_constant(p.value)])], {}
    if isinstance(p, gast.MatchAs):
        tests, bound = _pattern(p.pattern, x) if p.pattern is not None else ([], {})
        return tests, {**bound, p.name: x} if p.name is not None else bound
    if isinstance(p, gast.MatchOr):
        return _either(p.patterns, x)
    if isinstance(p, gast.MatchSequence):
        return _sequence(p.patterns, x)
    if isinstance(p, gast.MatchMapping):
        return _mapping(p, x)
    counts = [_constant(len(p.patterns)), _constant(len(p.kwd_patterns))]
    tests, bound = [_call(is_instance, x, p.cls, *counts)], {}
    for inner in p.patterns:
        more, names = _pattern(inner, x)
        tests, bound = tests + more, {**bound, **names}
    return tests, bound


def _sequence(patterns: list[Any], x: Any) -> tuple[list[Any], dict[str, Any]]:
    star = next((i for i, p in enumerate(patterns) if isinstance(p, gast.MatchStar)), None)
    n = len(patterns) - (star is not None)
    enough = gast.Eq() if star is None else gast.GtE()
    tests: list[Any] = [_call(is_sequence, x), gast.Compare(_call(len, x), [enough], [_constant(n)])]
    bound: dict[str, Any] = {}
    for i, p in enumerate(patterns):
        if i == star:
            stop = i + 1 - len(patterns)
            between = gast.Slice(_constant(i), _constant(stop) if stop else None, None)
            if p.name is not None:
                bound[p.name] = _call(list, gast.Subscript(x, between, gast.Load()))
            continue
        place = i if star is None or i < star else i - len(patterns)
        more, names = _pattern(p, gast.Subscript(x, _constant(place), gast.Load()))
        tests, bound = tests + more, {**bound, **names}
    return tests, bound


def _mapping(p: Any, x: Any) -> tuple[list[Any], dict[str, Any]]:
    tests: list[Any] = [_call(is_mapping, x)]
    bound: dict[str, Any] = {}
    for key, inner in zip(p.keys, p.patterns, strict=True):
        more, names = _pattern(inner, gast.Subscript(x, key, gast.Load()))
        tests, bound = [*tests, gast.Compare(key, [gast.In()], [x]), *more], {**bound, **names}
    if p.rest is not None:
        bound[p.rest] = _call(without, x, gast.Tuple(list(p.keys), gast.Load()))
    return tests, bound


def _either(patterns: list[Any], x: Any) -> tuple[list[Any], dict[str, Any]]:
    """One of several patterns, which bind the same names: the first that matches says to what."""
    found = [_pattern(p, x) for p in patterns]
    if any(not tests for tests, _ in found):
        found = found[: next(i for i, (tests, _) in enumerate(found) if not tests) + 1]
    *before, (last, bound) = found
    for tests, names in reversed(before):
        bound = {n: gast.IfExp(_all(tests), names[n], bound[n]) for n in bound}
    if not last:
        return [], bound
    return [gast.BoolOp(gast.Or(), [_all(tests) for tests, _ in found])], bound


def _all(tests: list[Any]) -> Any:
    return tests[0] if len(tests) == 1 else gast.BoolOp(gast.And(), tests)


def _call(f: Any, *args: Any) -> Any:
    return gast.Call(_constant(f), list(args), [])


def _constant(value: Any) -> Any:
    return gast.Constant(value, None)


def _read(name: str) -> Any:
    return gast.Name(name, gast.Load(), None, None)


def _store(name: str) -> Any:
    return gast.Name(name, gast.Store(), None, None)


def _placed(made: Any, like: Any) -> Any:
    """A tree whose new nodes stand where `like` does."""
    for n in gast.walk(made):
        if not hasattr(n, "lineno"):
            gast.copy_location(n, like)
    return made
