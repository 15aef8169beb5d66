"""Views of single elements, which are arrays on a device and no numbers, and what is written through them."""

import numpy as np
import pytest

from adcompiler import UnsupportedError, grad, value_and_grad
from tests.device.library import counted, same, to_device, to_host
from tests.device.library import xp as cp

X = np.array([0.3, -0.7, 1.2, 0.5])


def element_before_and_after_a_store(x):
    y = x * 1.0
    v = y[1]
    y[1] = y[1] * 3.0  # v changes
    w = y[1]
    return v * w + cp.sum(y)


def products_in_a_list(x):
    s = cp.sum(x)
    hist = []
    for i in range(3):
        s = s * x[i]
        hist.append(s)
    return hist[0] * hist[1] + hist[2]


def written_through_an_element(x):
    y = x.copy()
    for i in range(3):
        e = y[i]
        e *= 2.0  # writes into y
    return cp.sum(y ** 2)


def written_through_each_element(x):
    y = x.copy()
    total = 0.0
    for e in y:
        e += 1.0  # writes into y
        total = total + e * e
    return total + cp.sum(y)


def written_by_a_function(x):
    def scale(v):
        v *= 2.0
        return v
    y = x * 1.0
    z = scale(y[0])
    return z * cp.sum(y)


def largest_by_comparing(x):
    m = x[0]
    for i in range(1, x.shape[0]):
        if x[i] > m:
            m = x[i]
    y = x * 1.0
    y[0] = 0.0
    return m * cp.sum(y)


def swapped_names(x):
    a, b = x[0], x[1]
    a, b = b, a
    return a * 2.0 + b * b


def swapped_elements(x):
    y = x * 1.0
    y[0], y[1] = y[1], y[0]
    return y[0] * 2.0 + y[1] ** 2 + cp.sum(y)


def an_array_as_the_state_of_a_loop(x):
    acc = cp.zeros(2)
    for i in range(3):
        acc[0] += x[i]
        acc[1] = acc[0] * x[i]
    return acc[0] * acc[1]


def bisected(x):
    lo, hi = x[0], x[1]
    for _ in range(3):
        mid = 0.5 * (lo + hi)
        if mid * mid > 0.01:
            hi = mid
        else:
            lo = mid
    return lo * hi


def own_sums(x):
    t = x.sum()
    t = t + 0.0
    u = t
    u = u * 2
    t -= 1
    return t * u


def written_into_the_argument_by_a_dict(x):
    d = {"a": x[0], "b": cp.sum(x)}
    d["a"] += 1.0  # writes into x on the device!
    return d["a"] * d["b"] + cp.sum(x)


def element_of_a_reshaped_view(x):
    y = x.reshape(2, 2)
    e = y[0, 1]
    y[0] = 5.0
    return e * cp.sum(y * y)


def element_before_all_are_written(x):
    y = x * 1.0
    s = y.sum()
    z = y[2]
    y += 1.0
    return z * s + y[0]


def counted_until(x):
    k = 0.0
    n = 0
    while k < 2.0:
        k = k + abs(x[0])
        n += 1
    return cp.sum(x) * n + k


def chosen_by_all(x):
    return cp.sum(x) if cp.all(x < 10) else cp.sum(x * x)


def chosen_by_any(x):
    if (x > 0).any() and not (x > 5).all():
        return (x ** 2).sum()
    return x.sum()


def summed_in_place(x):
    s = cp.asarray(0.0)
    for i in range(2):
        s += cp.dot(x, x)
    return s * s


def chosen_for_each_element(x):
    y = cp.empty_like(x)
    for i in range(x.shape[0]):
        y[i] = x[i] ** 2 if x[i] > 0 else -x[i]
    return y.sum()


def at_the_largest(x):
    i = cp.argmax(x)
    return x[i] * cp.sum(x) + x[cp.argmin(x)] ** 2


def up_to_the_largest(x):
    i = int(cp.argmax(x))
    return x[i] * cp.sum(x[:i + 1])


def folded(x):
    return cp.multiply.reduce(x) + cp.sum(cp.add.reduceat(x, [0, 2]) ** 2) * cp.add.reduce(x)


def accumulated(x):
    return cp.sum(cp.add.accumulate(x) ** 2) + cp.sum(cp.multiply.outer(x, cp.sin(x)) ** 2)


PROGRAMS = [
    element_before_and_after_a_store, products_in_a_list, written_through_an_element, written_through_each_element,
    written_by_a_function, largest_by_comparing, swapped_names, swapped_elements, an_array_as_the_state_of_a_loop,
    bisected, own_sums, written_into_the_argument_by_a_dict, element_of_a_reshaped_view,
    element_before_all_are_written, counted_until, chosen_by_all, chosen_by_any, summed_in_place,
    chosen_for_each_element, at_the_largest, up_to_the_largest, folded, accumulated,
]  # fmt: skip


@pytest.mark.parametrize("reuse", [True, False])
@pytest.mark.parametrize("f", PROGRAMS)
def test_program(f, reuse):
    with counted() as plain:
        value = f(to_device(X))
    compiled = value_and_grad(f, reuse_buffers=reuse)
    for _ in range(2):
        x = to_device(X)
        with counted() as count:
            found, d = compiled(x)
        same(to_host(value), found, 1e-12)
        same(X, x)  # the function itself may have written into it
        assert type(d) is cp.ndarray
        assert count.transfers == 0
        assert count.waits <= 2 * plain.waits
    direction = np.random.default_rng(5).standard_normal(4)
    ahead, behind = (float(to_host(f(to_device(X + h * direction)))) for h in (1e-6, -1e-6))
    assert np.sum(to_host(d) * direction) == pytest.approx((ahead - behind) / 2e-6, rel=1e-7, abs=1e-8)


def one_of_two_names(x):
    s = cp.sum(x)
    t = s if x.shape[0] > 2 else s * 1.0
    s += 2.0
    return t * s


def first_of_a_list(x):
    s = cp.sum(x)
    history = [s]
    for i in range(3):
        s += x[i]
        history.append(s)
    return history[0] * history[1]


@pytest.mark.parametrize("f", [one_of_two_names, first_of_a_list])
def test_sums_that_are_written_into_may_not_have_other_names(f):
    with pytest.raises(UnsupportedError, match="share memory"):
        grad(f)(to_device(X))
