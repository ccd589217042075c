"""Additive noise: every number moves by a random amount."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from verikit._support.arrays import Floats
from verikit._support.requests import within
from verikit.errors import SchemaError, quoted
from verikit.mask._columns import Grid, Grids, Limits, numbers_by_column, numeric_columns
from verikit.mask._masking import Drawing, Knob, masking
from verikit.table import Microdata

DIGITS = 2
HUGE = 1e150  # beyond, a square is more than a number can hold
SCALE = Knob("scale", 0.001, 10, (0.1, 0.2, 0.5, 1, 2), "noise", "{:g} standard deviations")


@masking(
    paper="DM",
    promise="changed",
    example={"scale": 0.5},
    words="Every number moves by a random amount.",
    knobs=(SCALE,),
    repeatable=True,
    draws=True,
    guarantees=(
        "values may lie any distance apart, and normal noise tells two that are far enough apart "
        "as surely as one likes"
    ),
)
def noise(
    data: Microdata,
    *,
    scale: float | Mapping[str, float],
    grid: Grid = None,
    limits: Limits = None,
    seed: int,
) -> Drawing:
    """Add independent normal noise to each column.

    Parameters
    ----------
    data
        The records; their quasi-identifying and sensitive columns must be numbers.
    scale
        The standard deviation of the noise, by column in the column's unit; or one number, the
        share of each column's own standard deviation, rounded to two significant digits before
        it is used. 0 leaves a column as it is.
    grid
        To which step the masked values are rounded, by column; ``"own"`` takes for each column
        the largest power of ten of which all its values are multiples. None leaves all digits.
    limits
        The lowest and the highest value that a column may show; values beyond become these. Give
        bounds that everybody knows: the smallest value of the data is somebody's.
    seed
        The secret randomness.

    Returns
    -------
    Masked
        The release, which publishes the standard deviations, and the key.

    Raises
    ------
    SchemaError
        If a column holds categories or missing values, or has no scale.
    RecordError
        If a scale is negative or not a number, or a grid or limits do not fit the columns.

    References
    ----------
    [DM]_ section 2, Table 1

    Notes
    -----
    The exact deviation of a column and all of its values but one give that one away. So what is
    found in the data is rounded, and the parameters tell to how many digits; scales that are given
    in units are used and published as they are. Steps and limits are published too, so that whoever
    repeats the method, and every audit, sees what rounding does to ranks. They are our own
    addition: values at a limit are moved less than the scale tells.

    Examples
    --------
    >>> import verikit as vk
    >>> release, key = noise(vk.load("dm_table1"), scale={"X1": 5, "X2": 25, "X3": 100}, seed=7)
    >>> release
    TableRelease(20 records of X1, X2, X3; method noise)
    >>> release.parameters
    {'scale': {'X1': 5.0, 'X2': 25.0, 'X3': 100.0}}
    >>> noise(vk.load("dm_table1"), scale=0.5, seed=7).release.parameters
    {'scale': {'X1': 4.0, 'X2': 21.0, 'X3': 99.0}, 'scale_digits': 2}
    >>> release, key = noise(vk.load("dm_table1"), scale=0.5, grid="own", seed=7)
    >>> release.parameters["grid"], sorted(release.frame["X1"])[:2]
    ({'X1': 0.01, 'X2': 0.01, 'X3': 0.01}, [87.62, 91.68])
    """
    scores = {column.name: data.scores(column.name) for column in numeric_columns(data, "noise")}
    for name, values in scores.items():
        largest = float(np.abs(values).max(initial=0))
        if largest > HUGE:
            raise SchemaError(
                f"Column {quoted(name)} holds numbers up to {largest:.3g}, too large to add noise "
                f"to; give the column in a larger unit, so that they stay below {HUGE:g}."
            )
    if isinstance(scale, Mapping):
        scales, digits = numbers_by_column(scale, list(scores), "scale"), {}
    else:
        share, digits = within(scale, "scale"), {"scale_digits": DIGITS}
        exact = {name: share * float(np.sqrt(np.var(values))) for name, values in scores.items()}
        scales = {name: float(f"{deviation:.{DIGITS}g}") for name, deviation in exact.items()}
    moved = {name: scores[name] for name, deviation in scales.items() if deviation}
    grids = Grids.of(grid, limits, moved)

    def draw(rng: np.random.Generator) -> dict[str, Floats]:
        return {
            name: grids.round_values(name, values + rng.normal(0, scales[name], len(values)))
            for name, values in moved.items()
        }

    return Drawing(draw, {"scale": scales, **digits, **grids.parameters}, seed)
