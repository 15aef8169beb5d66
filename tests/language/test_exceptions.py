"""`try`: what is caught is a branch; the derivative is that of the path taken."""

import contextlib
import math

import numpy as np
import pytest

from adcompiler import grad
from adcompiler.errors import UnsupportedError

from .checking import at, everywhere

X = np.array([0.7, 0.4, 1.3, 0.9])
#: Others take other paths.
POINTS = (X, 2.5 * X, -X, X[::-1].copy())


class Negative(ValueError):
    pass


def checked(v, low):
    if v < low:
        raise Negative("too small")
    if v > 2.0:
        raise KeyError(v)
    return v * v


# ------------------------------------------------------------------------------------------ what is raised here
def raises_here(x):
    y = x[1] * x[1]
    try:
        if x[0] > 0.8:
            raise ValueError("no")
        y = y * x[2]
    except ValueError:
        y = y + x[0] * x[0]
    return y


def several_handlers(x):
    y = x[3]
    try:
        y = y * x[0]
        if x[0] > 1.5:
            raise KeyError
        elif x[0] < 0.0:
            raise IndexError("i")
        y = y * x[1]
        if x[2] > 1.0:
            raise ArithmeticError
        y = y * x[2]
    except (KeyError, IndexError):
        y = y * y
    except Exception:
        y = y + x[3] ** 3
    else:
        y = y * 2.0
    return y * x[1]


def of_helpers(x):
    try:
        a = checked(x[0], 0.1)
        b = 2.0 * checked(x[2], 1.0) + checked(x[1], -5.0)
        c = a * b
    except Negative:
        c = x[0] * x[3]
    except KeyError as error:
        print(error)
        c = x[1] ** 3
    return c * x[2]


def nested(x):
    y = x[0]
    try:
        try:
            y = y * checked(x[2], 0.5)
        except KeyError:
            y = y * y
            y = y * checked(x[1], 0.5)
        else:
            y = y + checked(x[3], 1.0)
        y = y * 3.0
    except ValueError:
        y = y + x[1] ** 2
    return y


def in_a_loop(x):
    total = x[0]
    for i in range(4):
        try:
            total = total + checked(x[i], 0.5)
            if total > 9.0:
                break
        except Negative:
            total = total * 1.5
            continue
        except KeyError:
            return total * x[1]
        total = total * x[i]
    else:
        total = total * 0.5
    return total


def around_a_loop(x):
    total, last = 0.0, x[3]
    try:
        for v in x:
            last = v * v
            total = total + checked(v, 0.5) * last
        total = total * 2.0
    except ValueError:
        total = total * last
    except KeyError:
        total = last * x[0]
    return total + last


def around_a_while(x):
    y, n = x[0], 0
    try:
        while checked(y, 0.3) < 3.5:
            y = y * 1.2 + x[1] * 0.1
            n += 1
            if n > 6:
                raise ValueError
    except ValueError:
        return y * x[2]
    except KeyError:
        y = y * y
    return y


def with_returns(x):
    try:
        return checked(x[0], 0.5) * x[1]
    except Negative:
        return x[2] ** 2
    except KeyError:
        pass
    return x[3] * x[0]


def with_finally(x):
    y = x[0]
    try:
        y = y * checked(x[1], 0.5)
    except Negative:
        y = y * x[2]
    finally:
        y = y + x[3] ** 2
    return y * y


def returns_through_finally(x):
    log = x[:1] * 1.0

    def inner():
        try:
            log[0] = log[0] * x[1]
            return checked(x[0], 0.5)
        except Negative:
            log[0] = log[0] * 2.0
            return x[3] * 2.0
        except KeyError:
            log[0] = log[0] * 3.0
        finally:
            log[0] = log[0] + x[2]
        return x[2] ** 2

    y = inner()
    return y * log[0]


def finally_that_returns(x):
    for v in x:
        try:
            if v > 0.8:
                continue
            y = v * x[0]
            if v < 0.0:
                raise RuntimeError
            break
        finally:
            if v < -1.0:
                return v * v
            y = v * 3.0
    return y * x[1]


def raised_again(x):
    try:
        try:
            y = checked(x[0], 0.5)
        except Negative:
            y = x[1]
            raise
        except KeyError as error:
            raise ValueError("other") from error
    except ValueError:
        y = x[2] * x[0]
    return y * y


def asserted(x):
    try:
        assert x[0] > 0.5, "low"
        y = x[0] ** 2
        assert y < 2.0
        y = y * x[1]
    except AssertionError:
        y = x[2] * 4.0 * x[0]
    return y


def suppressed(x):
    y = x[0] * x[1]
    with contextlib.suppress(KeyError, Negative):
        y = y * 2.0
        y = y * checked(x[2], 1.0)
    return y * x[3]


def of_stores(x):
    """What has been changed before is seen in the handler."""
    y = x * x
    z = y[1:]
    try:
        y[0] = checked(x[0], 0.5)
        y[1] *= x[2]
        y[2] = checked(x[2], 1.0)
        z[2] = 0.0
    except Negative:
        y[3] *= z[0]
    except KeyError:
        z[1] = z[0] * x[1]
    return np.sum(y * x) + z[1]


def returns_on_every_path(x):
    try:
        if x[0] > 1.0:
            raise ValueError
        if x[1] > 0.8:
            raise KeyError
        return x[0] * x[1]
    except ValueError:
        return x[1] ** 3
    except KeyError:
        return x[2] * x[0]


def helper_returns_on_every_path(x):
    def part(v):
        try:
            return math.sqrt(v) * x[1]
        except ValueError:
            return x[1] * v

    def within(v):
        try:
            try:
                if v > 1.0:
                    raise ValueError
                return v * x[1]
            except KeyError:
                return x[0]
        except ValueError:
            return x[1] * 5.0

    return part(x[0]) * x[0] + part(x[2]) + within(x[3])


def ends_that_leave_otherwise(x):
    """A jump in `finally` takes the place of the one that was on its way."""
    total = x[0]

    def inner(v, w):
        y = v * x[1]
        for i in range(3):
            try:
                if v > 1.1:
                    return y * x[2]
                y = y * v
                if w > 1.2:
                    continue
            finally:
                if w > 0.8:
                    break
                y = y + x[i]
            y = y * x[3]
        else:
            y = y * 0.5
        return y * v

    for i in range(4):
        total = total + inner(x[i], x[3 - i])
    return total


def ends_that_raise(x):
    def inner(v):
        y = v
        try:
            try:
                return y * checked(v, 0.5)
            except KeyError:
                y = y * x[1]
            else:
                y = y * 2.0
            finally:
                if v > 0.8:
                    raise KeyError
                y = y * x[0]
            y = y * x[2]
        except LookupError:
            y = y * x[3]
        except ValueError:
            return y * x[1]
        return y * y

    return inner(x[0]) + inner(x[1]) * inner(x[2])


def a_handler_beside_one_outside(x):
    """What the helper does not catch is caught around it, and its own handlers do not run."""

    def inner(v):
        try:
            if v < 1.1:
                return v * x[0]
            else:
                raise Negative
        except (IndexError, KeyError):
            pass
        except LookupError:
            return x[1]
        else:
            return x[2]
        return v * v

    y = x[3] * x[0]
    try:
        y = y * inner(x[2])
    except Negative:
        y = y + x[1] * x[2]
    return y


def suppressed_returns(x):
    try:
        with contextlib.suppress(KeyError):
            return x[1] * checked(x[2], 0.5)
    except ValueError:
        return x[3] ** 3
    return x[0] * x[1]


RAISING = [ends_that_leave_otherwise, ends_that_raise, a_handler_beside_one_outside, suppressed_returns,
           returns_on_every_path, helper_returns_on_every_path, raises_here, several_handlers, of_helpers, nested,
           in_a_loop, around_a_loop, around_a_while, with_returns, with_finally, returns_through_finally,
           finally_that_returns, raised_again, asserted, suppressed, of_stores]  # fmt: skip


# ------------------------------------------------------------------------------------------ what operations raise
def of_factors(x):
    A = np.outer(x, x) + np.diag(np.array([1.0, 1.0, 1.0, x[3]]))
    try:
        L = np.linalg.cholesky(A)
        y = np.sum(np.log(np.diag(L)))
    except np.linalg.LinAlgError:
        y = np.sum(A * A)
    return y * x[0]


def of_solutions(x):
    A = np.diag(np.where(x > 0.0, x, 0.0))
    b = x * x
    try:
        b[0] = x[1]
        y = np.linalg.solve(A, b)
        b[1] = 3.0 * x[0]
    except np.linalg.LinAlgError as error:
        print(error)
        y = b * x[2]
    return np.sum(y * b)


def of_divisions(x):
    a, n = float(x[0]), int(x[1] > 0.0)
    try:
        y = a * a / n + a % n
    except ZeroDivisionError:
        y = a**3
    return y * x[2]


def of_math(x):
    total = 0.0
    for i in range(4):
        try:
            total = total + math.sqrt(float(x[i])) * x[0]
        except ValueError:
            total = total + x[i] ** 2
    return total


def of_indices(x):
    total, i = x[0], 0
    while True:
        try:
            total = total + x[i] ** 2 * x[1]
            i += 1 + int(x[0] > 1.0)
        except IndexError:
            break
    return total


def of_calls_unseen(x):
    try:
        outside(float(x[0]))
        y = x[1] ** 2
    except KeyError:
        y = x[2] ** 3
    return y


outside = {0.7: 1, 1.75: 2}.__getitem__


def of_structure(x):
    p = {"w": x * x}
    y = 0.0
    try:
        b = p["b"]
    except KeyError:
        b = x[0]
    try:
        n = len(b)
    except TypeError:
        n = 3
    try:
        y = y + x.missing
    except AttributeError as error:
        print(type(error), error)
        y = y + x[1]
    try:
        (u, v) = (x[0], x[1], x[2])
    except ValueError:
        u = v = x[2]
    try:
        import no_such_module
    except ImportError:
        no_such_module = None
    try:
        w = (u, v)[2]
    except LookupError:
        w = u * v
    return np.sum(p["w"]) * b * n * y * w if no_such_module is None else 0.0


OPERATIONS = [of_factors, of_solutions, of_divisions, of_math, of_indices, of_calls_unseen, of_structure]


@pytest.mark.parametrize("f", RAISING + OPERATIONS, ids=lambda f: f.__name__)
def test_what_the_program_raises(f):
    everywhere(f, X, closed=False, twice=f in (in_a_loop, nested, of_stores, of_factors))
    at(f, *POINTS)


@pytest.mark.parametrize("f", [of_solutions, of_structure, of_helpers], ids=lambda f: f.__name__)
def test_exceptions_say_what_they_say(f, capsys):
    """Once, in the forward sweep."""
    for x in POINTS:
        f(x)
        wanted = capsys.readouterr().out
        grad(f)(x)
        assert capsys.readouterr().out == wanted


def messages(x):
    """Each as Python has it."""
    parts, table = (x[0], x[1]), {"a": x[2]}
    tries = [
        lambda: parts[2], lambda: table["b"], lambda: x.missing, lambda: parts.missing, lambda: len(x[0]),
        lambda: len(2.0), lambda: x[0][1], lambda: list(x[0]), lambda: table.missing,
    ]  # fmt: skip
    for f in tries:
        try:
            f()
        except Exception as error:
            print(type(error), error)
    try:
        a, b, c = parts
    except ValueError as error:
        print(error)
    try:
        (a,) = parts
    except ValueError as error:
        print(error)
    try:
        a, *b, c, d = parts
    except ValueError as error:
        print(error)
    try:
        import no_such_module  # noqa: F401
    except ImportError as error:
        print(error)
    return np.sum(x * x)


def test_messages_of_what_is_raised_when_compiling(capsys):
    messages(X)
    wanted = capsys.readouterr().out
    grad(messages)(X)
    assert capsys.readouterr().out == wanted


def in_a_generator(x):
    def pieces():
        for v in x:
            yield checked(v, 0.5)

    total = 0.0
    try:
        for v in pieces():
            total = total + v
    except Negative:
        total = total * x[0]
    return total


def in_a_map(x):
    total = 0.0
    try:
        for v in map(lambda v: checked(v, 0.5), x):
            total = total + v
    except Negative:
        total = total * x[0]
    return total


def in_a_context(x):
    try:
        with outside(x[0]):
            y = x[1] * x[0]
    except Exception:
        y = x[2]
    return y


def in_a_recursion(x):
    def down(v, n):
        if v < 0.1:
            raise Negative
        return v if n == 0 else down(v * x[1], n - 1)

    try:
        y = down(x[0], int(x[3] * 5.0))
    except Negative:
        y = x[2]
    return y


def in_one_side(x):
    try:
        y = checked(x[0], 0.5) if x[1] > 0.1 else x[2]
    except Negative:
        y = x[3]
    return y


UNFOLLOWED = [in_a_generator, in_a_map, in_a_context, in_a_recursion, in_one_side]


@pytest.mark.parametrize("f", UNFOLLOWED, ids=lambda f: f.__name__)
def test_what_is_not_followed_is_refused(f):
    with pytest.raises(UnsupportedError, match="caught"):
        grad(f)(X)


def test_generators_with_a_try_of_their_own():
    def pieces(x):
        for v in x:
            try:
                yield checked(v, 0.5)
            except Negative:
                yield v

    def f(x):
        total = 0.0
        for v in pieces(x):
            total = total + v * x[0]
        return total

    everywhere(f, X, closed=False)


def swept(v):
    for i in range(1, len(v)):
        v[i] = 0.5 * v[i] + 0.3 * v[i - 1]


def swept_before_finally(x):
    q = x * 0.5
    try:
        swept(q)
    finally:
        q = q * 2.0
    return np.sum(q)


def test_what_is_refused_in_a_function_that_a_try_calls_is_told():
    with pytest.raises(UnsupportedError, match="which this changes in place"):
        grad(swept_before_finally)(np.array([0.3, 0.7]))


# ------------------------------------------------------------------------------------ what all ways out return
def returns_before_the_end(x):
    try:
        return math.log(x[0]) * x[1]
    finally:
        print("", end="")


def returns_on_all_ways_before_the_end(x):
    try:
        if x[1] > 0.5:
            return math.log(x[0]) * x[1]
        raise KeyError(2)
    except ValueError:
        return x[0] * x[2]
    except KeyError:
        return x[0] * x[3]
    finally:
        print("", end="")


def returns_in_else(x):
    try:
        y = math.log(x[0])
    except ValueError:
        return x[0] * x[0]
    else:
        return y * x[1]


def returns_in_branches_of_else(x):
    try:
        y = math.log(x[0])
        if y > 0.5:
            return y * y
    except ValueError:
        return x[0] * x[0]
    else:
        if x[1] > 0.5:
            return y * x[1]
        return y * x[2]
    finally:
        print("", end="")


def returns_in_else_in_a_loop(x):
    for i in range(4):
        try:
            y = math.log(x[i] - 0.8)
        except ValueError:
            x = x * 1.5
        else:
            return y * x[0]
    return x[0] * x[1]


@pytest.mark.parametrize("f", [returns_before_the_end, returns_on_all_ways_before_the_end, returns_in_else,
                               returns_in_branches_of_else, returns_in_else_in_a_loop])  # fmt: skip
def test_what_all_ways_out_of_a_try_return(f):
    at(f, *POINTS)
