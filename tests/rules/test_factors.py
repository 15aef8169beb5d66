"""What cotangents are multiplied by where a derivative may be infinite."""

import math
from typing import Any

import numpy as np
import pytest

from rules.cotangent import direction, strong, strong_divide


@pytest.mark.parametrize("function", [strong, strong_divide, direction])
def test_factors_of_cotangents_may_go_into_an_array(function: Any) -> None:
    d, q = np.array([[0.0, 1.0, -2.0]]), np.array([[0.0], [np.inf], [2.0], [np.nan]])
    out = np.full((4, 3), 7.0)
    with np.errstate(all="ignore"):
        assert function(d, q, out) is out
        np.testing.assert_array_equal(out, function(d, q))
    assert not out[:, 0].any() if function is not direction else not out[0].any()


def test_zeros_of_numbers_keep_type_and_sign() -> None:
    for zero in (0.0, -0.0, np.float64(-0.0), np.float32(0.0)):
        for function in (strong, strong_divide):
            for factor in (np.inf, 2.0, np.float64(0.0), 0.0):
                got = function(zero, factor)
                assert type(got) is type(zero) and got == 0 and math.copysign(1, got) == math.copysign(1, zero)
            single = function(zero, np.float32(2.0))
            assert type(single) is type(zero * np.float32(2.0)) and math.copysign(1, single) == math.copysign(1, zero)
