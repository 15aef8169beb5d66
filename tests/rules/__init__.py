"""Each rule against finite differences, forward mode and itself: tables of cases in `cases_*.py`."""
