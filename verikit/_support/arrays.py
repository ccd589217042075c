"""The types of arrays, each under one name."""

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
