"""Permuted sensitive values: quasi-identifiers as they are, numbers shuffled in their groups."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from verikit._support.seed import generator
from verikit.errors import SchemaError
from verikit.mask._masking import masking
from verikit.mask._splitting import group_numbers, places_within, split
from verikit.partition import Partition, max_groups, sensitive_name
from verikit.release import Masked, SplitRelease, make_help_table
from verikit.table import Microdata

__all__ = ["permute_sensitive"]


@masking(
    paper="QZ",
    promise="another order",
    example={"partition": lambda data: max_groups(data, k=2, e=0, seed=1)},
    words="What others may know as it is, sensitive numbers permuted in groups, bounds beside.",
)
def permute_sensitive(
    data: Microdata, *, partition: Partition, sensitive: str | None = None, seed: int
) -> Masked:
    """Publish quasi-identifiers as they are, sensitive numbers permuted in each group, and bounds.

    Whoever finds a person in the table learns the values of her group, but not, from the group
    alone, which is hers. Whoever learns from the whole table, or repeats a method that made the
    groups from the numbers, may tell more. How many people of a group a question selects can be
    counted exactly, so that sums, averages and extremes have narrow bounds; the help table holds
    them for every group and number of hits.

    Parameters
    ----------
    data
        The records.
    partition
        The groups, such as those of `partition.min_sum_error`, which keep numbers apart.
    sensitive
        The numeric column of the help table; needed only if several columns are sensitive, which
        are permuted together.
    seed
        The secret randomness: the numbers of the groups and the order of the rows inside each,
        another one for the sensitive values.

    Returns
    -------
    Masked
        The release with its help table, and the key, which also tells each value's place.

    Raises
    ------
    SchemaError
        If there is no one sensitive column of numbers, or no other column; if a value is missing,
        or the partition was made from another table.

    References
    ----------
    [QZ]_ Definition 2.4.2, section 2.5.2, Tables 2.3 and 2.4

    Notes
    -----
    The permutation is uniform, so a value may come to lie beside its own person; a rule against it
    would tell that the value beside her is not hers. The printed table lists the values in
    ascending order, which no random permutation does. The mapping table of the text is the column
    of groups. O(n log n).

    Examples
    --------
    >>> import verikit as vk
    >>> data = vk.load("qz_table2_1")
    >>> groups = vk.partition.max_groups(data, k=3, e=2000, seed=1)
    >>> release, key = permute_sensitive(data, partition=groups, seed=7)
    >>> release
    SplitRelease(9 records in 3 groups, of age, zipcode, gender | salary; method permute_sensitive)
    >>> release.help.columns.tolist()[:4], len(release.help)
    (['group', 'hits', 'sum_lower', 'sum_upper'], 9)
    """
    name = sensitive_name(data.schema, sensitive)
    if data.schema[name].kind != "numeric":
        raise SchemaError(
            f"mask.permute_sensitive publishes bounds of numbers, but column {name!r} is "
            f"{data.schema[name].kind}; name a numeric one, or use mask.anatomize for categories."
        )
    rng = generator(seed)
    groups = group_numbers(data, partition, "refuse", rng)
    known, hidden = places_within(groups, rng), places_within(groups, rng)
    places = {c.name: hidden if c.role == "sensitive" else known for c in data.schema.released}
    made, key = split(
        data, groups, places, partition, "refuse", method="permute_sensitive", permuted=False
    )
    release = cast("SplitRelease", made)
    bounds = make_help_table(
        release.sensitive[name], release.labels.sensitive, release.labels.names
    )
    told = {**release.parameters, "sensitive": name}
    return Masked(replace(release, parameters=told, help=bounds), key)
