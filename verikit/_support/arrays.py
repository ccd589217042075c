"""The types of arrays, each under one name, and how often each code occurs in one."""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]  # counts and ranks
SmallInts: TypeAlias = npt.NDArray[np.int32]
AnyInts: TypeAlias = npt.NDArray[np.integer[Any]]
Rows: TypeAlias = npt.NDArray[np.intp]  # what indexes other arrays: rows, places, nodes
Codes: TypeAlias = npt.NDArray[np.unsignedinteger[Any]]
ShortCodes: TypeAlias = npt.NDArray[np.uint16]
Flags: TypeAlias = npt.NDArray[np.bool_]
Values: TypeAlias = npt.NDArray[Any]


def count_codes(codes: AnyInts, size: int, weights: Floats | None = None) -> npt.NDArray[Any]:
    """Count each code below ``size``, on a machine of 32 bits too, where codes may have 64.

    Examples
    --------
    >>> count_codes(np.array([1, 0, 1]), 3).tolist()
    [1, 2, 0]
    """
    return np.bincount(codes.astype(np.intp, copy=False), weights, size)
