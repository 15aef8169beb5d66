"""What the patterns of `match` ask of what a value denotes: see `matching`."""

from typing import Any

from adcompiler.frontend.kinds import Known, ListOf
from adcompiler.frontend.matching import WHOLE, is_instance, is_mapping, is_sequence, without
from adcompiler.frontend.trying import suppressed
from adcompiler.ir.core import Value
from rules.kind import Opaque, Seq


def _is_sequence(self: Any, node: Any, x: Any) -> Any:
    self.refuse_opaque(x)
    if isinstance(x, Known):
        return Known(is_sequence(x.value))
    return Known(isinstance(x, tuple | list | ListOf) or (isinstance(x, Value) and isinstance(x.kind, Seq)))


def _is_mapping(self: Any, node: Any, x: Any) -> Any:
    self.refuse_opaque(x)
    return Known(is_mapping(x.value) if isinstance(x, Known) else isinstance(x, dict))


def _is_instance(self: Any, node: Any, x: Any, cls: Any, positional: Any, keywords: Any) -> Any:
    known = isinstance(cls, Known) and isinstance(cls.value, type)
    if not known or keywords.value or positional.value > (cls.value in WHOLE) or _is_opaque(x):
        raise self.refuse(node, "the pattern of a class is that of a builtin class without attributes here",
                          "test isinstance(...) with `if`, and read the attributes there")  # fmt: skip
    return self.call(Known(isinstance), (x, cls), {}, node)


def _is_opaque(x: Any) -> bool:
    return isinstance(x, Value) and isinstance(x.kind, Opaque)


def _without(self: Any, node: Any, x: Any, keys: Any) -> Any:
    names = self.static(keys, node, "the key of a dict")
    items = {k: Known(v) for k, v in x.value.items()} if isinstance(x, Known) else x
    return {k: v for k, v in items.items() if k not in names}


def _suppressed(self: Any, node: Any, context: Any, classes: Any) -> Any:
    found = self.static(classes, node, "what is suppressed")
    return Known(suppressed(context.value if isinstance(context, Known) else None, found))


PATTERNS: dict[Any, Any] = {
    suppressed: _suppressed,
    is_sequence: _is_sequence,
    is_mapping: _is_mapping,
    is_instance: _is_instance,
    without: _without,
}
