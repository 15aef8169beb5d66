"""Golden files: functions as users write them, with the IR and the adjoint that the compiler makes of each.

A folder is a case: `source.py` holds the user's functions, `case.py` says what is asked of them, `ir.txt` and
`adjoint.py` are generated. `make golden` writes these anew; what changed is then reviewed as a diff.
"""
