"""A process of its own: CPU seconds of the imports, and of the first gradient of a network after them."""

import json
import time

BEGAN = time.process_time()

import adcompiler  # noqa: E402
from benchmarks.measure import difference  # noqa: E402
from benchmarks.programs import mlp, mlp_arguments, mlp_by_hand  # noqa: E402


def main() -> None:
    arguments = mlp_arguments()
    imported = time.process_time()
    gradient = adcompiler.grad(mlp)(*arguments)
    done = time.process_time()
    error = difference(gradient, mlp_by_hand(*arguments))
    print(json.dumps({"imports": imported - BEGAN, "gradient": done - imported, "difference": error}))


if __name__ == "__main__":
    main()
