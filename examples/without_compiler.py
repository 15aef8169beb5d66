"""A gradient that was compiled ahead of time, in a process that cannot import the compiler.

`python without_compiler.py MODULE.py INPUTS.npz OUTPUTS.npz` calls the module's function with the arrays in INPUTS: a
dict of those called `params.<name>`, then the others. The demo calls it, and compares.
"""

import importlib
import sys
from pathlib import Path

import numpy as np


class NoCompiler:
    """Among the finders of modules: there is no adcompiler."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name.split(".")[0] == "adcompiler":
            raise ModuleNotFoundError(f"{name} is not to be imported")


def main(module: Path, inputs: Path, outputs: Path) -> None:
    """Write the value, and the gradients as `params.<name>`."""
    sys.meta_path.insert(0, NoCompiler())
    sys.path.insert(0, str(module.parent))
    compiled = importlib.import_module(module.stem)
    arguments = dict(np.load(inputs))
    decay = float(arguments.pop("decay"))
    params = {name.removeprefix("params."): arguments.pop(name) for name in [*arguments] if "." in name}
    value, gradient = getattr(compiled, compiled.__all__[0])(params, *arguments.values(), decay)
    assert "adcompiler" not in sys.modules
    np.savez(outputs, value=value, **{f"params.{name}": d for name, d in gradient.items()})


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
