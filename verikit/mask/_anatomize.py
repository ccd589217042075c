"""Anatomy: exact quasi-identifiers in one table, sensitive values of each group in another."""

from __future__ import annotations

from verikit._support.seed import generator
from verikit.mask._masking import masking
from verikit.mask._splitting import group_numbers, places_within, split
from verikit.partition import Partition, anatomy
from verikit.release import Masked
from verikit.table import Microdata, Missing

__all__ = ["anatomize"]


@masking(
    paper="LHCC",
    promise="another order",
    example={"partition": lambda data: anatomy(data, ell=2, seed=1)},
    words="Two tables joined by groups only, rows kept.",
)
def anatomize(
    data: Microdata, *, partition: Partition, missing: Missing = "refuse", seed: int
) -> Masked:
    """Publish quasi-identifiers and sensitive values in two tables joined by groups only.

    Whoever knows a person's quasi-identifiers finds her group, and then the sensitive values of the
    group, but not, from the group alone, which of them is hers. Whoever learns from the whole table
    which values go with which, or repeats a method that made the groups from the sensitive values,
    may tell more. That she is in the data can be seen.

    Parameters
    ----------
    data
        The records.
    partition
        The groups, from any partitioner.
    missing
        Whether missing values are refused, or published as such with ``"own value"``.
    seed
        The secret randomness: the numbers of the groups and the order of the rows inside each,
        another one in each table.

    Returns
    -------
    Masked
        The release in two tables, and the key, which also tells each sensitive value's place.

    Raises
    ------
    SchemaError
        If no column is sensitive, or none is not; if a value is missing, or the partition was
        made from another table.

    References
    ----------
    [LHCC]_ section 1, Table 3

    Examples
    --------
    >>> import verikit as vk
    >>> data = vk.load("lhcc_table1")
    >>> groups = vk.Partition.of([1, 1, 1, 1, 1, 2, 2, 2, 2])
    >>> release, key = anatomize(data, partition=groups, seed=7)
    >>> release
    SplitRelease(9 records in 2 groups, of Age, Sex | Disease; method anatomize)
    >>> release.quasi.columns.tolist(), release.sensitive.columns.tolist()
    (['Age', 'Sex', 'Group-ID'], ['Group-ID', 'Disease'])
    """
    rng = generator(seed)
    groups = group_numbers(data, partition, missing, rng)
    known, hidden = places_within(groups, rng), places_within(groups, rng)
    places = {c.name: hidden if c.role == "sensitive" else known for c in data.schema.released}
    return split(data, groups, places, partition, missing, method="anatomize", permuted=False)
