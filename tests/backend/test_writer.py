import ast
import cmath
import copy
import math
from textwrap import dedent

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adcompiler.backend.writer import WriterError, write


def same(source, width=100):
    """What the writer makes of source, without the newline."""
    text = write(ast.parse(source), width=width)
    assert ast.dump(ast.parse(text)) == ast.dump(ast.parse(source))
    assert text.endswith("\n") and not text.endswith("\n\n")
    return text[:-1]


def statement(node):
    return write(ast.fix_missing_locations(node))[:-1]


def constant(value):
    return statement(ast.Expr(ast.Tuple([ast.Constant(value)], ast.Load())))[1:-2]


# Each of these is the form that is written, and the form black leaves alone.
CANONICAL = """
(a + b) * c
a + b * c
a - (b - c)
a - b - c
a @ b @ c
a * (b @ c)
-(a + b)
-a * b
-(a * b)
-a.T @ b
--a
~-+a
not not a
-a**b
(-a) ** b
a**-b
a**-1.5
(a**b) ** c
a ** b**c
a.b**2
f(a) ** 2
a[0] ** 2
2 ** (a + b)
(a**b).T
a << b | c & d ^ e
(a | b) & c
a < b < c
(a < b) < c
a < (b < c)
a is not b
a not in b
not a == b
(not a) == b
not (a and b) or c
(a and b) and c
a and (b and c)
a and b or c and d
(a or b) and c
a if b else c if d else e
(a if b else c) if d else e
a if (b if c else d) else e
(a if b else c) + 1
lambda: 1
lambda x, *y, z=1, **k: x
(lambda: 1)()
lambda: lambda: a
(lambda: a) if b else (lambda: c)[0]
(a, b)
f(a, (b, c))
x[i]
x[i, j]
x[i, :]
x[1:-1, ..., None]
x[:]
x[::-1]
x[::2, 1:]
x[:, 0][1]
x[()]
x[i,]
x[1:2,]
x[(i, j), k]
x[[1, 2]]
x[a + 1 : b]
x[a + 1 :]
x[: a + 1]
x[:: a + 1]
x[f(a) : f(b), 1:2]
x[-n:]
x[a if b else c]
(1).real
1.0.real
1j.imag
(-1).real
-(1).real
True.real
"a".join(b)
f(*a, *b, c=1, **d)
f(*(a or b))
f(x for x in y)
f((x for x in y), 1)
f((yield))
f(x=(y := 1))
[x for x, y in z if x if y for z in x]
[x for x in (a if b else c)]
[x for x in y if (a if b else c)]
[(x, y) for (x,) in z]
{x: y for x, y in z}
{x for x in y}
(x for x in y)
[]
{}
[a, *b]
{a, b}
{"a": 1, **b}
{**(a or b)}
a = b
a, b = b, a
a, (b, c) = d
(a,) = b
a = (b,)
a = ()
a = b = 1, 2
a, *b = c
[a, b] = c
a = *b, c
a = yield
a = yield from b
a = (yield) + 1
a[i, 1:] = b
a.b = c
a += b, c
a @= b
a //= b
a: int
a: int = 1
(a): int = 1
a.b: tuple[int, ...] = (1, 2)
return
return a, b
return (a,)
return (yield)
return {"W": d_W, "b": d_b}
pass
break
continue
del a, b[0]
del (a, b)
assert a
assert a, "b"
raise
raise A(b)
raise A from b
global a, b
nonlocal a
import a.b as c, d
from a import b as c, d
from . import a
from ..a import *
(a := 1)
yield
yield a
await_(a)
"""


@pytest.mark.parametrize("source", CANONICAL.strip().split("\n"))
def test_canonical_form_of(source):
    assert same(source) == source


@pytest.mark.parametrize(
    "source, text",
    [
        ("((a) + (((b))))", "a + b"),
        ("x[(i, j)]", "x[i, j]"),
        ("x[(i,)]", "x[i,]"),
        ("for (a, b) in c: pass", "for a, b in c:\n    pass"),
        ("for a, (b, c) in zip(d, e): pass", "for a, (b, c) in zip(d, e):\n    pass"),
        ("for (a,) in b: pass", "for (a,) in b:\n    pass"),
        ("for a in (b, c): pass", "for a in b, c:\n    pass"),
        ("for a in (b,): pass", "for a in (b,):\n    pass"),
        ("for a in (yield): pass", "for a in (yield):\n    pass"),
        ("for a in *b, c: pass", "for a in *b, c:\n    pass"),
        ("while (a := f()): pass", "while a := f():\n    pass"),
        ("if (a, b): pass", "if (a, b):\n    pass"),
        ("if a: b\nelse:\n    if c: d\n    else: e", "if a:\n    b\nelif c:\n    d\nelse:\n    e"),
        ("if a: b\nelse:\n    if c: d\n    e", "if a:\n    b\nelse:\n    if c:\n        d\n    e"),
        ("for a in b: c\nelse: d", "for a in b:\n    c\nelse:\n    d"),
        ("while a: c\nelse: d", "while a:\n    c\nelse:\n    d"),
        ("with a: b", "with a:\n    b"),
        ("with (a as b, c): d", "with a as b, c:\n    d"),
        ("with (a, b): c", "with a, b:\n    c"),
        ("with ((a, b)): c", "with ((a, b)):\n    c"),
        ("with (a, b) as c: d", "with (a, b) as c:\n    d"),
        ("with (yield): a", "with (yield):\n    a"),
        (
            "try: a\nexcept (B, C) as d: e\nelse: f\nfinally: g",
            "try:\n    a\nexcept (B, C) as d:\n    e\nelse:\n    f\nfinally:\n    g",
        ),
        (
            "async def f(): \n  async for x in y: await z\n  async with a: [b async for b in c]",
            "async def f():\n    async for x in y:\n        (await z)\n"
            "    async with a:\n        [b async for b in c]",
        ),
    ],
)
def test_form_of(source, text):
    assert same(source) == text


def test_definitions():
    source = dedent('''\
        import numpy as np
        from a import b


        def f(a, /, b: int, c=1, *args: int, d, e: float = 2.0, **kwargs: str) -> tuple[int, ...]:
            """Adds.

            Two lines.
            """

            def inner(*, x):
                return x

            def empty():
                pass

            return inner


        @decorator
        def g(*a):
            x = 1

            def pullback(d):
                return d

            return pullback


        h = 1''')
    assert same(source) == source


# Literals


@pytest.mark.parametrize(
    "value, text",
    [
        (-1, "-1"),
        (-1.0, "-1.0"),
        (-0.0, "-0.0"),
        (1e300, "1e+300"),
        (math.inf, "1e309"),
        (-math.inf, "-1e309"),
        (2j, "2j"),
        (1 + 2j, "1.0 + 2j"),
        (1 - 2j, "1.0 - 2j"),
        (-1 + 2j, "-1.0 + 2j"),
        (complex(0, -2), "0.0 - 2j"),
        (complex(-0.0, -2), "-2j"),
        (complex(math.inf, 1), "1e309 + 1j"),
        (True, "True"),
        (None, "None"),
        (..., "..."),
        ((1, (-2.0, "a"), ()), '(1, (-2.0, "a"), ())'),
        ("a", '"a"'),
        ("it's", '"it\'s"'),
        ('say "a"', "'say \"a\"'"),
        ("'\"", '"\'\\""'),
        ("\\'\n\t\x00\ud800é", '"\\\\\'\\n\\t\\x00\\ud800é"'),
        (b"a'", 'b"a\'"'),
        (b'"', "b'\"'"),
    ],
)
def test_constant(value, text):
    assert constant(value) == text
    assert repr(eval(constant(value))) == repr(value)


def test_nan_is_an_expression_without_names():
    assert constant(math.nan) == "1e309 - 1e309" and math.isnan(eval(constant(math.nan)))


@given(st.complex_numbers(allow_nan=False))
def test_complex_numbers_are_exact_to_the_sign_of_zero(value):
    try:
        text = constant(value)
    except WriterError:
        assert not cmath.isfinite(value) or 0.0 in (value.real, value.imag)
    else:
        assert repr(eval(text)) == repr(value)


def test_negative_constants_are_operands_like_any_other():
    power = ast.BinOp(ast.Constant(-1.0), ast.Pow(), ast.Constant(-2))
    assert statement(ast.Expr(power)) == "(-1.0) ** -2"
    assert statement(ast.Expr(ast.Attribute(ast.Constant(-1), "real", ast.Load()))) == "(-1).real"
    assert statement(ast.Expr(ast.BinOp(ast.Name("a"), ast.Sub(), ast.Constant(-1)))) == "a - -1"


@pytest.mark.parametrize(
    "source, text",
    [
        ("f'{a}'", 'f"{a}"'),
        ("f'{a!r:>{w}}{{}}'", 'f"{a!r:>{w}}{{}}"'),
        ("f'{d[\"k\"]}'", "f\"{d['k']}\""),
        ("f'say \"{a}\"'", "f'say \"{a}\"'"),
        ("f'{ {1: 2}[1] }\\n'", 'f"{ {1: 2}[1]}\\n"'),
        ("f'{(lambda: 1)()}{(a if b else c)}'", 'f"{(lambda: 1)()}{(a if b else c)}"'),
        ("f'''{f\"{x['a']}\"}'''", "no quotes left"),
        ("f'{a != b}{a:{b}.{c}}'", 'f"{a != b}{a:{b}.{c}}"'),
    ],
)
def test_fstring(source, text):
    if text == "no quotes left":
        with pytest.raises(WriterError, match=text):
            same(source)
    else:
        assert same(source) == text


@pytest.mark.parametrize(
    "value", ["a", "", "a\n  b\n", 'a"', '"""', '""""', "a\\", '\\"', "a \nb", "\r\t'é", "'''", 'a\\"\n"""\n']
)
def test_docstring(value):
    definition = ast.parse("def f(): pass").body[0]
    definition.body.insert(0, ast.Expr(ast.Constant(value)))
    text = write(definition)
    assert ast.get_docstring(ast.parse(text).body[0], clean=False) == value
    assert text.startswith('def f():\n    """')


# Comments


def commented(source, **attributes):
    """The tree of source, where `c3="x"` gives the statement in line 3 a comment, and `b3` one above."""
    tree = ast.parse(dedent(source))
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            node.comment = attributes.get(f"c{node.lineno}")
            node.comment_before = attributes.get(f"b{node.lineno}")
    return tree


def test_comments_are_shown_as_the_design_shows_them():
    source = """\
        def f(x, xs):
            z = x
            e = np.exp(z)
            s = 1 + e
            p = 1 / s
            for x, (h, h_next) in zip(reversed(xs), reversed(tape)):
                d = x
            return p
        """
    tree = commented(
        source,
        b2="forward",
        c2="f.py:5",
        c3="f.py:6",
        c4="f.py:6",
        b5="backward",
        c5="f.py:6",
        c6="f.py:7",
        c7="f.py:8",
    )
    assert write(tree) == dedent("""\
        def f(x, xs):
            # forward
            z = x                                         # f.py:5
            e = np.exp(z)                                 # f.py:6
            s = 1 + e
            # backward
            p = 1 / s                                     # f.py:6
            for x, (h, h_next) in zip(reversed(xs), reversed(tape)):  # f.py:7
                d = x                                     # f.py:8
            return p
        """)
    plain = write(tree, comments=False)
    assert "#" not in plain and ast.dump(ast.parse(plain)) == ast.dump(ast.parse(dedent(source)))


def shown(source, **attributes):
    return [line.partition("# ")[2] for line in write(commented(source, **attributes)).splitlines()]


def test_a_run_goes_from_a_header_into_its_block_but_not_out_of_it():
    source = "if a:\n    b\n    c\nelif d:\n    e\nelse:\n    f\ng\n"
    assert shown(source, c1="1", c2="1", c3="1", c4="1", c5="1", c7="1", c8="1") == [
        "1",
        "",
        "",
        "1",
        "",
        "",
        "1",
        "1",
    ]


def test_a_statement_without_comment_ends_a_run():
    assert shown("a\nb\nc\n", c1="1", c3="1") == ["1", "", "1"]


def test_comments_may_have_their_hash_and_several_lines():
    assert (
        write(commented("a\n", b1="# one\ntwo", c1="# three\nfour"))
        == "# one\n# two\na" + " " * 49 + "# three four\n"
    )


def test_a_comment_above_a_definition_is_below_the_blank_lines():
    assert write(commented("a\ndef f():\n    pass\n", b2="now")) == "a\n\n\n# now\ndef f():\n    pass\n"


def test_comments_of_wrapped_lines_stay_with_their_statement():
    call = "function_of_some_length(argument_one, argument_two, argument_three)"
    tree = commented(f"x = {call}\nfor x in {call}:\n    pass\n", c1="one", c2="two")
    assert write(tree, width=50) == dedent("""\
        x = function_of_some_length(                      # one
            argument_one, argument_two, argument_three
        )
        for x in function_of_some_length(
            argument_one, argument_two, argument_three
        ):                                                # two
            pass
        """)


def test_the_tree_is_left_alone():
    tree = commented("def f():\n    return -1, a\n", c2="x")
    tree.body[0].body[0].value.elts[0] = ast.Constant(-1)
    before = ast.dump(tree)
    assert write(tree) == write(copy.deepcopy(tree))
    assert ast.dump(tree) == before


# Wrapping


@pytest.mark.parametrize(
    "text",
    [
        """\
        result = some_function(
            argument_one, argument_two
        )""",
        """\
        result = some_function(
            argument_number_one,
            argument_number_two,
            key=argument_number_three,
            **argument_number_four,
        )""",
        """\
        result = (
            term_number_one
            + term_number_two * factor
            - term_number_three
        )""",
        """\
        result = term_one + some_function(
            argument_one, argument_two
        )""",
        """\
        result[index_one, 1:] = (
            name_that_is_far_too_long_to_fit
        )""",
        """\
        result = [
            element_number_one,
            element_number_two,
            element_number_three,
        ]""",
        """\
        return {
            "W": cotangent_of_W,
            "U": cotangent_of_U,
            "b": cotangent_of_b,
        }""",
        """\
        return (
            cotangent_number_one,
            cotangent_number_two,
        )""",
        """\
        if (
            condition_number_one
            and condition_number_two
        ):
            pass""",
        """\
        def function(
            parameter_one, *, parameter_two
        ):
            pass""",
        """\
        def function(
            parameter_one: int,
            *args,
            parameter_two: float = 1.0,
            **kwargs,
        ) -> int:
            pass""",
        """\
        def function(
            parameter_of_considerable_length,
        ):
            pass""",
        """\
        result = [
            some_function(element)
            for element in sequence
            if condition
        ]""",
        """\
        result = (
            value_number_one
            if condition_number_one
            else value_number_two
        )""",
        """\
        from some_module import (
            first_name,
            second_name as name,
        )""",
        """\
        assert some_condition_of_length, (
            "a message of some length"
        )""",
        """\
        with (
            context_number_one as first,
            context_number_two as second,
        ):
            pass""",
        """\
        some_function(argument)(
            argument_one, argument_two
        )""",
        """\
        result = outer_function(
            inner_function(
                argument_number_one,
                argument_number_two,
            ),
            other,
        )""",
    ],
)
def test_wrapped_at_40(text):
    text = dedent(text)
    assert same(text, width=40) == text


def test_what_cannot_be_broken_stays():
    name = "x" * 120
    assert same(name) == name
    assert same(f"import {name}, b") == f"import {name}, b"


def test_a_line_of_the_width_is_not_wrapped():
    line = "f(" + "a" * 46 + ", b)"
    assert same(line, width=len(line)) == line
    assert "\n" in same(line, width=len(line) - 1)


# Every tree


NAMES = st.sampled_from(["a", "b", "W", "d_x", "x_1"])
VALUES = st.one_of(
    st.integers(-3, 100),
    st.floats(allow_nan=False),
    st.sampled_from([True, None, ..., "it's", 'a"b', "{}\n", b"b'", 2j, -1.5, math.inf, -3j]),
)


def operators(kind):
    """An operator of each class of `ast`; gast derives classes of its own from the same bases."""
    return [op() for op in kind.__subclasses__() if op.__module__ == "ast"]


def some(strategy, low=0, high=3):
    return st.lists(strategy, min_size=low, max_size=high)


def one_of(*nodes):
    return st.one_of(*nodes)


NAME = st.builds(ast.Name, NAMES, st.builds(ast.Load))


def target(inner):
    return st.one_of(
        st.builds(ast.Name, NAMES, st.builds(ast.Store)),
        st.builds(
            lambda e: ast.Tuple(e, ast.Store()), some(st.builds(ast.Name, NAMES, st.builds(ast.Store)), 1)
        ),
        st.builds(lambda v, i: ast.Subscript(v, i, ast.Store()), inner, index(inner)),
        st.builds(lambda v, n: ast.Attribute(v, n, ast.Store()), inner, NAMES),
    )


def index(inner):
    optional = st.none() | inner
    piece = inner | st.builds(ast.Slice, optional, optional, optional)
    return piece | st.builds(lambda e: ast.Tuple(e, ast.Load()), some(piece, 1))


def parameters(inner):
    def build(groups, defaults, vararg, kwarg, keyword_only):
        args = [ast.arg(f"p{i}") for i in range(sum(groups))]
        return ast.arguments(
            posonlyargs=args[: groups[0]],
            args=args[groups[0] :],
            vararg=ast.arg("v") if vararg else None,
            kwonlyargs=[ast.arg(f"k{i}") for i in range(len(keyword_only))],
            kw_defaults=keyword_only,
            kwarg=ast.arg("kw") if kwarg else None,
            defaults=defaults[: len(args)],
        )

    counts = st.tuples(st.integers(0, 2), st.integers(0, 2))
    return st.builds(build, counts, some(inner), st.booleans(), st.booleans(), some(st.none() | inner, 0, 2))


def generators(inner):
    return some(st.builds(ast.comprehension, target(NAME), inner, some(inner, 0, 2), st.just(0)), 1, 2)


def fstring(inner):
    value = st.builds(ast.FormattedValue, inner, st.sampled_from([-1, 114, 115]), st.none())
    text = st.builds(ast.Constant, st.sampled_from(["a", "'", '"', "{}", "\n"]))
    return st.builds(lambda t, v: ast.JoinedStr([*t, v]), some(text, 0, 1), value)


def larger(inner):
    element = inner | st.builds(lambda v: ast.Starred(v, ast.Load()), inner)
    keywords = some(st.builds(ast.keyword, st.none() | NAMES, inner), 0, 2)
    unique = keywords.filter(lambda ks: len({k.arg for k in ks if k.arg}) == sum(bool(k.arg) for k in ks))
    return one_of(
        st.builds(ast.BinOp, inner, st.sampled_from(operators(ast.operator)), inner),
        st.builds(ast.UnaryOp, st.sampled_from(operators(ast.unaryop)), inner),
        st.builds(ast.BoolOp, st.sampled_from([ast.And(), ast.Or()]), some(inner, 2)),
        st.builds(
            lambda left, rest: ast.Compare(left, [op for op, _ in rest], [value for _, value in rest]),
            inner,
            some(st.tuples(st.sampled_from(operators(ast.cmpop)), inner), 1, 2),
        ),
        st.builds(ast.IfExp, inner, inner, inner),
        st.builds(ast.Lambda, parameters(inner), inner),
        st.builds(lambda n, v: ast.NamedExpr(ast.Name(n, ast.Store()), v), NAMES, inner),
        st.builds(lambda v, n: ast.Attribute(v, n, ast.Load()), inner, NAMES),
        st.builds(lambda v, i: ast.Subscript(v, i, ast.Load()), inner, index(inner)),
        st.builds(ast.Call, inner, some(element), unique),
        st.builds(lambda e: ast.Tuple(e, ast.Load()), some(element)),
        st.builds(lambda e: ast.List(e, ast.Load()), some(element)),
        st.builds(ast.Set, some(element, 1)),
        st.builds(
            lambda items: ast.Dict([k for k, _ in items], [v for _, v in items]),
            some(st.tuples(st.none() | inner, inner)),
        ),
        st.builds(ast.ListComp, inner, generators(inner)),
        st.builds(ast.GeneratorExp, inner, generators(inner)),
        st.builds(ast.DictComp, inner, inner, generators(inner)),
        st.builds(ast.Yield, st.none() | inner),
    )


EXPRESSIONS = st.recursive(NAME | st.builds(ast.Constant, VALUES), larger, max_leaves=12)


def simple(inner):
    definite = st.builds(ast.Name, NAMES, st.builds(ast.Store))
    return one_of(
        st.builds(ast.Expr, inner),
        st.builds(lambda t, v: ast.Assign(t, v, lineno=1), some(target(inner), 1, 2), inner),
        st.builds(
            ast.AugAssign, definite, st.sampled_from(operators(ast.operator)), inner
        ),
        st.builds(lambda t, a, v: ast.AnnAssign(t, a, v, 1), definite, inner, st.none() | inner),
        st.builds(ast.Return, st.none() | inner),
        st.builds(ast.Assert, inner, st.none() | inner),
        st.builds(ast.Raise, inner, st.none() | inner),
        st.builds(ast.Delete, some(st.builds(lambda n: ast.Name(n, ast.Del()), NAMES), 1, 2)),
    )


def compound(body):
    block = some(body, 1, 2)
    orelse = some(body, 0, 1)
    item = st.builds(ast.withitem, EXPRESSIONS, st.none() | target(NAME))
    return one_of(
        st.builds(ast.If, EXPRESSIONS, block, orelse),
        st.builds(ast.While, EXPRESSIONS, block, orelse),
        st.builds(lambda t, i, b, o: ast.For(t, i, b, o, lineno=1), target(NAME), EXPRESSIONS, block, orelse),
        st.builds(lambda i, b: ast.With(i, b, lineno=1), some(item, 1, 2), block),
        st.builds(
            lambda n, p, b, r: ast.FunctionDef(
                name=n, args=p, body=b, decorator_list=[], returns=r, lineno=1
            ),
            NAMES,
            parameters(EXPRESSIONS),
            block,
            st.none() | EXPRESSIONS,
        ),
    )


STATEMENTS = st.recursive(simple(EXPRESSIONS), compound, max_leaves=4)
QUICK = settings(deadline=None, suppress_health_check=list(HealthCheck), derandomize=True, database=None)


def check(tree, width):
    source = write(tree, width=width)  # compares the tree with what it reads back
    again = write(ast.parse(source), width=width)
    assert source == again
    for line in source.split("\n"):
        assert line == line.rstrip() or '"""' in source


@settings(QUICK, max_examples=250)
@given(some(EXPRESSIONS, 4, 8), st.sampled_from([1, 20, 60, 100]))
def test_random_expressions_read_back(expressions, width):
    check(ast.Module([ast.Expr(expression) for expression in expressions], []), width)


@settings(QUICK, max_examples=150)
@given(some(STATEMENTS, 1, 4), st.sampled_from([1, 20, 60, 100]))
def test_random_statements_read_back(statements, width):
    check(ast.Module(statements, []), width)


@settings(QUICK, max_examples=150)
@given(fstring(EXPRESSIONS), st.sampled_from([20, 100]))
def test_random_fstrings_read_back_or_are_refused(string, width):
    try:
        check(ast.Module([ast.Expr(string)], []), width)
    except WriterError as error:
        assert "no quotes left" in str(error)


# What is refused


def test_a_tree_that_reads_back_differently_is_an_error():
    nested = ast.JoinedStr([ast.Constant("a"), ast.Constant("b")])  # the parser would merge the two
    with pytest.raises(WriterError, match="reads back as another tree"):
        statement(ast.Expr(nested))


@pytest.mark.parametrize(
    "node",
    [ast.Constant(frozenset()), ast.Name("not a name"), ast.Constant(complex(1, math.nan)), ast.Name("if")],
)
def test_a_tree_without_source_is_an_error(node):
    with pytest.raises(WriterError):
        statement(ast.Expr(node))


def test_syntax_that_is_not_covered_is_an_error():
    with pytest.raises(WriterError, match="no source form for Match"):
        write(ast.parse("match a:\n    case 1: pass"))


def test_fields_that_were_never_set_are_as_good_as_empty_ones():
    assert write(ast.Module([ast.Assign([ast.Name("a")], ast.Name("b"))])) == "a = b\n"
