"""`scipy.spatial.distance`."""

from scipy.spatial import distance

from rules.scipy.spatial.distance import METRICS, products, pulls
from tests.rules.case import case, normal

X, Z = normal(4, 3), normal(2, 3)
#: What the metrics are of: rows of one length.
ROWS = {"complex": False, "skip": "empty broadcast"}

CASES = [
    *[case(distance.cdist, X, Z, m).but(**ROWS) for m in METRICS if m != "minkowski"],
    *[case(distance.cdist, X, Z, "minkowski", p=p).but(wrt="XA XB", **ROWS) for p in (1, 2, 3, 1.5)],
    *[case(distance.pdist, X, m).but(**ROWS) for m in METRICS if m != "minkowski"],
    *[case(distance.pdist, X, "minkowski", p=p).but(wrt="X", **ROWS) for p in (2, 3)],
    case(distance.squareform, normal(6)),
    case(distance.squareform, normal(4, 4), checks=False).but(skip="broadcast"),
    case(pulls, normal(4, 2), X, Z).but(skip="broadcast"),
    case(products, X, X + 1, Z).but(skip="broadcast"),
]
