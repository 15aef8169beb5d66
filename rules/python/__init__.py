"""Rules for Python itself: operators, builtins, `math`, and the primitives of adjoints."""

import rules.sequences  # noqa: F401
from rules.python import cotangents as cotangents
from rules.python import higher_order as higher_order
from rules.python import instances as instances
from rules.python import math as math
