"""What has no derivative and is no constant either: refused where one would flow through it, with the reason."""

import numpy as np

from rules.rule import unsupported

JUMPS = "which elements there are changes by jumps; find the positions outside of what is differentiated, then index"
unsupported(np.unique, np.unique_all, np.unique_counts, np.unique_inverse, np.unique_values, np.intersect1d,
            np.setdiff1d, np.setxor1d, np.union1d, why=JUMPS)  # fmt: skip
unsupported(np.trim_zeros, why="how many zeros there are changes by jumps; write the slice")
unsupported(np.real_if_close, why="whether it is real changes with the values; write np.real(x)")

unsupported(np.histogram2d, np.histogramdd,
            why="the rule by weights is not written yet; use np.bincount of the places, by np.digitize")  # fmt: skip
unsupported(np.polydiv, why="how long the remainder is changes with the values; divide the values instead")
unsupported(np.roots, why="whether the roots are real changes with the values; write an iteration for the one wanted")
unsupported(*([np.unstack] if hasattr(np, "unstack") else []),
            why="how many arrays it makes is known when it runs; index the array, or loop over it")  # fmt: skip

CALLBACK = "the derivative of a function that it calls is not taken; write a loop, or the operations on whole arrays"
unsupported(np.apply_along_axis, np.fromfunction, np.frompyfunc, np.vectorize, np.nditer, np.nested_iters,
            np.ndenumerate, np.ndindex, np.broadcast, why=CALLBACK)  # fmt: skip

unsupported(np.matrix, np.asmatrix, np.bmat, np.poly1d, np.recarray, np.memmap,
            why="it makes an array of a class with rules of its own; use plain arrays")  # fmt: skip

BITS = "it reads the bits of integers, or of dates; call it outside of what is differentiated"
unsupported(np.packbits, np.unpackbits, np.base_repr, np.binary_repr, np.busday_count, np.busday_offset, np.is_busday,
            np.isnat, np.datetime_as_string, np.datetime_data, why=BITS)  # fmt: skip

FILES = "it reads or writes a file, a buffer or a text; call it outside of what is differentiated"
unsupported(np.frombuffer, np.fromfile, np.fromiter, np.fromregex, np.fromstring, np.from_dlpack, np.genfromtxt,
            np.load, np.loadtxt, np.save, np.savetxt, np.savez, np.savez_compressed, np.array2string, np.array_repr,
            np.array_str, np.format_float_positional, np.format_float_scientific, why=FILES)  # fmt: skip

COPIED = "it says what to do with memory, or which it is; use np.ascontiguousarray or a copy"
unsupported(np.require, np.may_share_memory, np.shares_memory, why=COPIED)
unsupported(np.mask_indices, why="it calls a function for the mask; write np.nonzero of the mask")
unsupported(np.einsum_path, why="it is a plan, not a value; give np.einsum optimize=True")

DTYPES = "it is of dtypes, which have to be known when compiling; write the dtype itself"
unsupported(np.can_cast, np.common_type, np.isdtype, np.min_scalar_type, np.mintypecode, np.promote_types,
            np.result_type, np.typename, np.iterable, why=DTYPES)  # fmt: skip
unsupported(np.broadcast_shapes, why="it is of shapes; use np.broadcast_arrays, or np.broadcast_to")

SETTINGS = "it is about NumPy and no number comes of it; call it outside of what is differentiated"
unsupported(np.get_include, np.get_printoptions, np.getbufsize, np.geterr, np.geterrcall, np.info, np.printoptions,
            np.set_printoptions, np.setbufsize, np.seterr, np.seterrcall, np.show_config, np.show_runtime, np.test,
            why=SETTINGS)  # fmt: skip

unsupported(*(getattr(np.lib.scimath, name) for name in np.lib.scimath.__all__),
            why="whether the result is complex changes with the values; make the argument complex, and write np.sqrt"
                " or its like")  # fmt: skip
unsupported(np.lib.stride_tricks.as_strided, np.lib.stride_tricks.sliding_window_view,
            why="its elements share memory; index with an array: x[i[:, None] + np.arange(n)]")  # fmt: skip
