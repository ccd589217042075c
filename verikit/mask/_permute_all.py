"""Permutation anonymization: every column shuffled on its own inside the groups."""

from __future__ import annotations

from verikit._support.seed import generator
from verikit.mask._masking import masking
from verikit.mask._splitting import group_numbers, places_within, split
from verikit.partition import Partition, diverse
from verikit.release import Masked
from verikit.table import Microdata, Missing

__all__ = ["permute_all"]


@masking(
    paper="LHCC",
    promise="another order",
    example={"partition": lambda data: diverse(data, ell=2, seed=1)},
    words="Two tables joined by groups only, columns shuffled inside them.",
)
def permute_all(
    data: Microdata, *, partition: Partition, missing: Missing = "refuse", seed: int
) -> Masked:
    """Publish two tables joined by groups, with every column shuffled inside the groups.

    As in anatomy nobody can tell from a group alone which of its sensitive values is whose; whoever
    learns from the whole table, or repeats the method that made the groups, may. Besides, a row of
    the first table is no person's any more, so that it is less certain who is in the data.

    Parameters
    ----------
    data
        The records.
    partition
        The groups, from any partitioner.
    missing
        Whether missing values are refused, or published as such with ``"own value"``.
    seed
        The secret randomness: the numbers of the groups, and for each column the order of its
        values inside each group.

    Returns
    -------
    Masked
        The release in two tables, and the key: the place of each record's values by column.

    Raises
    ------
    SchemaError
        If no column is sensitive, or none is not; if a value is missing, or the partition was
        made from another table.

    Notes
    -----
    One shuffle for each column, sensitive or not, where one place of the paper counts one for
    each group. O(d n log n) for d columns.

    References
    ----------
    [LHCC]_ Definition 1, section 3.2, Table 4

    Examples
    --------
    >>> import verikit as vk
    >>> data = vk.load("lhcc_table1")
    >>> groups = vk.Partition.of([1, 1, 1, 1, 1, 2, 2, 2, 2])
    >>> release, key = permute_all(data, partition=groups, seed=7)
    >>> release
    SplitRelease(9 records in 2 groups, of Age, Sex | Disease; method permute_all)
    """
    rng = generator(seed)
    groups = group_numbers(data, partition, missing, rng)
    places = {name: places_within(groups, rng) for name in data.schema.released.names}
    return split(data, groups, places, partition, missing, method="permute_all", permuted=True)
