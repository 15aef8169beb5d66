"""Arrays that are elsewhere: what runs on CuPy, run on a library as strict as it.

`strict` stands for CuPy where there is no GPU; `cp` is CuPy itself where the environment says `ADC_CUPY=1`.
"""
