"""Golden files: functions as users write them, with the IR and the adjoint that the compiler makes of each.

A folder is a case: `source.py` holds the user's functions, `case.py` says what is asked of them. Generated are
`ir.txt`, `adjoint.py`, which is the plain form, and `workspaces.py`, the form that runs by default. `make golden` writes these anew; what changed is then reviewed as a diff.
"""
