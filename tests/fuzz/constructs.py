"""The fixed list of constructs whose occurrence in accepted programs a fuzz run reports."""

ARGUMENTS = (
    "argument: array 1-D",
    "argument: array 2-D",
    "argument: array 3-D",
    "argument: axis of length 1",
    "argument: square array",
    "argument: empty array",
    "argument: not contiguous",
    "argument: float32",
    "argument: float",
    "argument: np.float64",
    "argument: 0-d array",
    "argument: int",
    "argument: dict",
    "argument: tuple",
    "argument: list",
    "argument: nested",
    "argument: static",
    "argument: default omitted",
)

NAMES = (
    "assignment",
    "rebinding",
    "self update",
    "view",
    "chained assignment",
    "tuple target",
    "starred target",
    "nested target",
    "swap",
    "augmented number",
    "augmented array",
    "annotated",
    "walrus",
)

OPERATORS = (
    "arithmetic",
    "broadcasting",
    "number with array",
    "comparison chain",
    "boolean operator",
    "ternary",
    "constant exponent",
    "active exponent",
    "matmul operator",
)

CONTROL = (
    "if",
    "elif",
    "else",
    "nested if",
    "condition: static",
    "condition: number",
    "condition: array",
    "for: range",
    "for: range with negative step",
    "for: zero trips",
    "for: rows",
    "for: elements",
    "for: list",
    "for: tuple",
    "for: dict items",
    "for: zip",
    "for: enumerate",
    "for: reversed",
    "nested loop",
    "carried array",
    "rotation",
    "while: counter",
    "while: data",
    "loop in branch",
    "branch in loop",
)

FUNCTIONS = (
    "helper",
    "call: keyword",
    "call: default",
    "call: star",
    "call: double star",
    "star parameter",
    "double star parameter",
    "tuple result",
    "nested function",
    "lambda",
    "closure",
    "late closure",
    "function as argument",
    "global number",
    "global array",
    "imported name",
    "loop in helper",
)

CONTAINERS = (
    "dict local",
    "list local",
    "tuple local",
    "list comprehension",
    "comprehension over range",
    "sum of list",
    "stack of list",
    "mixed list",
)

STATEMENTS = ("assert", "f-string", "docstring", "raise", "dead code", "pass")

SUBSCRIPTS = (
    "slice",
    "slice with step",
    "negative step",
    "ellipsis",
    "newaxis",
    "integer subscript",
    "row",
    "column",
    "gather",
    "mask",
)

ATTRIBUTES = ("attribute T", "attribute shape", "attribute ndim or size", "reducing method", "dot method")

NUMPY = (
    "exp or log",
    "sqrt",
    "sin or cos",
    "tanh",
    "hyperbolic",
    "abs",
    "maximum or minimum",
    "clip",
    "where",
    "sum",
    "mean",
    "prod",
    "max or min",
    "var",
    "std",
    "axis",
    "keepdims",
    "dot",
    "matmul",
    "outer",
    "inner",
    "trace",
    "reshape",
    "transpose",
    "swapaxes",
    "expand_dims",
    "squeeze",
    "ravel",
    "concatenate",
    "stack",
    "broadcast_to",
    "diag",
    "creation",
    "math",
    "number function",
)

CONSTRUCTS = (
    ARGUMENTS + NAMES + OPERATORS + CONTROL + FUNCTIONS + CONTAINERS + STATEMENTS + SUBSCRIPTS + ATTRIBUTES + NUMPY
)
