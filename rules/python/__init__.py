"""Rules for Python itself: operators, builtins, `math`, and the primitives of adjoints."""

from rules.python import cotangents as cotangents
