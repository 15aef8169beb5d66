"""What sparse matrices that are followed refuse, with the way out."""

from typing import Any

from rules.scipy.forms import refused


class Refusing:
    """Indices, truth, length, powers and comparisons of a sparse matrix."""

    def __getitem__(self, index: Any) -> Any:
        refused("an index into a sparse matrix", "write A.toarray()[...], or choose among its data before it is made")

    def __bool__(self) -> bool:
        refused("the truth of a sparse matrix", "test its data")
        return True

    def __len__(self) -> int:
        refused("the length of a sparse matrix", "write A.shape[0]")
        return 0

    def __abs__(self) -> Any:
        refused("abs of a sparse matrix", "make another one of np.abs(data)")

    def __pow__(self, n: Any) -> Any:
        refused("a power of a sparse matrix", "write A @ A, or make another one of data**n")

    def __eq__(self, other: Any) -> Any:
        refused("a comparison of sparse matrices", "compare their data")

    def __ne__(self, other: Any) -> Any:
        refused("a comparison of sparse matrices", "compare their data")

    def __lt__(self, other: Any) -> Any:
        refused("a comparison of sparse matrices", "compare their data")

    def __le__(self, other: Any) -> Any:
        refused("a comparison of sparse matrices", "compare their data")

    def __gt__(self, other: Any) -> Any:
        refused("a comparison of sparse matrices", "compare their data")

    def __ge__(self, other: Any) -> Any:
        refused("a comparison of sparse matrices", "compare their data")
