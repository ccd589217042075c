"""Join or subtract two releases: complementary release and temporal attack."""

from __future__ import annotations

import numpy as np
import pandas as pd

from verikit._support.arrays import Ints
from verikit.cells import cell_text
from verikit.errors import SchemaError
from verikit.intruder._common_people import (
    Links,
    find_overlaps,
    find_settled_links,
    find_width,
    shared_columns,
)
from verikit.intruder._disclosure import JOINED, Disclosure
from verikit.intruder._ranked_tables import refuse_other
from verikit.matching import (
    Classes,
    CompatiblePairs,
    classes_of,
    group_rows,
    holdings_of,
)
from verikit.models import beside
from verikit.release import TableRelease
from verikit.words import count


def complementary_release(
    first: TableRelease, second: TableRelease, *, sensitive: str | None = None
) -> Disclosure:
    """Join two releases of the same people by everything they share.

    One release may blur the place and show the age, the other the reverse. A record of one that
    fits only one record of the other tells both: the joined table is finer than either.

    Parameters
    ----------
    first, second
        What was published; both of the same people.
    sensitive
        The sensitive column; the one with that role where there is just one.

    Returns
    -------
    Disclosure
        Each group of joined records that is smaller than in either release: its joined cells, how
        many ``records`` it has, how many looked alike before (``hidden among``), the most frequent
        sensitive ``value`` and the confidence that somebody with these cells has it; ``before`` is
        that confidence from the release that shows the value, alone. ``joined`` says which rows of
        the two releases are the same people's.

    Raises
    ------
    SchemaError
        If the releases have not as many records, share no column, or contradict each other.
    InfeasibleError
        If there are too many different records to compare.

    References
    ----------
    [KS]_ section 3.2

    Notes
    -----
    The survey describes the attack in words only. Records are joined where there is no choice: a
    class of one release has as many people of a class of the other as it has in every way to join
    all records of both. Records that could still go several ways count against the confidence,
    never for it, wherever they could have the same cells.

    Examples
    --------
    Pairs in both releases, but the join singles everybody out:

    >>> import pandas as pd
    >>> import verikit as vk
    >>> ill = ["flu", "ulcer", "angina", "asthma"]
    >>> one = pd.DataFrame({"Sex": list("FFMM"), "Ill": ill})
    >>> two = pd.DataFrame({"Ward": list("ABBA"), "Ill": ill})
    >>> releases = [vk.TableRelease.of(t, vk.Schema.guess(t, Ill="sensitive")) for t in (one, two)]
    >>> complementary_release(*releases)
    complementary release: 4 of 4 records can be joined without a choice, and 4 of them then stand
    in a smaller group than before.

    The man with asthma is the fourth of both; no other row of either could be his.

    >>> complementary_release(*releases).joined.iloc[3].to_dict()
    {'first': 3, 'second': 3, 'alike': 1}
    """
    refuse_other("complementary_release", first, second, kinds=(TableRelease,))
    if len(first) != len(second) or not len(first):
        raise SchemaError(
            f"The releases have {len(first)} and {len(second)} records; only releases of the same "
            "people, at least one, can be joined (see temporal for others)."
        )
    names = shared_columns(first.schema, second.schema)
    rows = group_rows(first.frame), group_rows(second.frame)
    cells = rows[0].cells(), rows[1].cells()
    meets = find_overlaps(*cells, names, (first.schema, second.schema))
    links = find_settled_links(meets, rows[0].sizes, rows[1].sizes)
    frame = _find_joined_groups((first, second), rows, links, sensitive)
    joined, people = int(links.people.sum()), int(frame["records"].sum())
    least = "" if links.exact else "At least "
    sentence = (
        f"{least}{joined:,} of {len(first):,} records can be joined without a choice, and "
        f"{people:,} of them then stand in a smaller group than before."
    )
    return Disclosure(
        "complementary release",
        sentence,
        frame,
        people,
        len(first),
        joined=_list_people(rows, links),
    )


def _list_people(rows: tuple[Classes, Classes], links: Links) -> pd.DataFrame:
    """One line for each person joined: her rows, and how many alike could stand for hers."""
    kinds = [np.repeat(links[at], links.people) for at in (0, 1)]
    alike = [side.sizes[kind] for side, kind in zip(rows, kinds, strict=True)]
    found = []
    for side, kind in zip(rows, kinds, strict=True):
        begin = np.cumsum(side.sizes) - side.sizes
        turn = pd.Series(kind).groupby(kind).cumcount().to_numpy()
        found.append(np.argsort(side.labels, kind="stable")[begin[kind] + turn])
    columns = dict(zip(JOINED, (*found, np.maximum(*alike)), strict=True))
    return pd.DataFrame(columns).sort_values("first", ignore_index=True)


def _find_joined_groups(
    releases: tuple[TableRelease, TableRelease],
    rows: tuple[Classes, Classes],
    links: Links,
    sensitive: str | None,
) -> pd.DataFrame:
    """Find the groups of joined records that are smaller than the classes they come from."""
    classes = [classes_of(release, "own value") for release in releases]
    schema = releases[0].schema
    shown = isinstance(sensitive, str) and sensitive in schema.names
    side = int(not (bool(schema.sensitive) if sensitive is None else shown))
    holdings = holdings_of(releases[side], sensitive, "own value")
    values = rows[side].cells()[holdings.column.name].map(cell_text).to_numpy(dtype=object)
    table = pd.DataFrame({"value": values[links[side]], "count": links.people})
    for at in (0, 1):
        table[at] = classes[at].labels[rows[at].first()][links[at]]
    finer = _intersect_cells(
        releases, classes, table
    )  # links of any classes may give the same cells
    table["cells"] = finer.groupby(list(finer), sort=False, dropna=False).ngroup()
    counts = table.groupby(["cells", "value"])["count"].sum().reset_index()
    counts["records"] = counts.groupby("cells")["count"].transform("sum")
    top = counts.sort_values(["cells", "count"], ascending=[True, False], kind="stable")
    top = top.drop_duplicates("cells").merge(table, on=["cells", "value"], suffixes=("", " here"))
    top = top.sort_values([0, 1], kind="stable").drop_duplicates("cells").reset_index(drop=True)
    sizes = np.array([classes[at].sizes[top[at]] for at in (0, 1)])
    loose = top["cells"].map(_count_unjoined(classes, table)).to_numpy()
    pairs = zip(holdings.owner.tolist(), holdings.named(holdings.place), strict=True)
    shares = holdings.count / holdings.classes.sizes[holdings.owner]
    known = dict(zip(pairs, shares, strict=True))
    found = {
        "hidden among": sizes.min(0),
        "records": top["records"].to_numpy(),
        "value": top["value"].to_numpy(),
        "confidence": (top["count"] / (top["records"] + loose)).to_numpy(),
        "before": [known[pair] for pair in zip(top[side].tolist(), top["value"], strict=True)],
    }
    frame = beside(_intersect_cells(releases, classes, top), found)
    smaller = (top["records"] + loose < sizes.min(0)).to_numpy()
    return frame[smaller].sort_values(
        "confidence", ascending=False, kind="stable", ignore_index=True
    )


def _count_unjoined(classes: list[Classes], table: pd.DataFrame) -> pd.Series[int]:
    """Find for each kind of joined cells, how many more may have them among those not joined."""
    pairs = table.drop_duplicates([0, 1])
    left = [
        (group.sizes - np.bincount(table[at], table["count"], len(group)))[pairs[at]]
        for at, group in enumerate(classes)
    ]
    found: pd.Series[int] = pairs.assign(left=np.minimum(*left)).groupby("cells")["left"].sum()
    return found


def _intersect_cells(
    releases: tuple[TableRelease, TableRelease], classes: list[Classes], top: pd.DataFrame
) -> pd.DataFrame:
    """Find the cells of joined records: of two that overlap the one that leaves less open."""
    one, two = (
        part.cells().take(top[at].to_numpy()).reset_index(drop=True)
        for at, part in enumerate(classes)
    )
    cells = {name: one[name].astype(object) for name in one}
    for name in two:
        other = two[name].astype(object)
        if name in cells:
            widths = [
                find_width(side[name], release.schema[name])
                for side, release in zip((one, two), releases, strict=True)
            ]
            other = other.where(widths[1] < widths[0], cells[name])
        cells[name] = other
    return pd.DataFrame(cells)


LINE = ("region", "change", "records", "value", "confidence", "before")
MOST_NAMES = 3


def temporal(
    before: TableRelease, after: TableRelease, *, sensitive: str | None = None
) -> Disclosure:
    """Subtract an earlier release from a later one: what is left belongs to newcomers.

    The attacker knows that his target came, or left, between the two releases. Classes that
    overlap, directly or through others, hold the same people; there the sensitive values that
    became more frequent are those of newcomers, and the others those of people who left.

    Parameters
    ----------
    before, after
        What was published at two times.
    sensitive
        The sensitive column; the one with that role where there is just one.

    Returns
    -------
    Disclosure
        For each group of overlapping classes that changed: ``who``, as the later classes name
        them (the earlier where no later one is left); the ``change``, came or left; how many
        ``records``; the ``value``; its share of the change as confidence, and its share of the
        group's records before the subtraction.

    Raises
    ------
    SchemaError
        If the releases share no quasi-identifier, or not the sensitive column.
    InfeasibleError
        If there are too many different classes to compare.

    References
    ----------
    [KS]_ section 3.3

    Notes
    -----
    The survey describes the attack in words only. Where one person left and another with the same
    value came, the two cancel: the confidence holds if people only came, or only left.

    Examples
    --------
    Everybody hides among three, and then a fourth comes:

    >>> import pandas as pd
    >>> import verikit as vk
    >>> frame = pd.DataFrame({"Zip": ["476**"] * 4, "Ill": ["flu", "ulcer", "flu", "angina"]})
    >>> schema = vk.Schema.guess(frame, Ill="sensitive")
    >>> temporal(vk.TableRelease.of(frame.head(3), schema), vk.TableRelease.of(frame, schema))
    temporal: 1 came and 0 left between the releases; Ill is certain for 1 of them, first angina
    for Zip 476**, who came.
    """
    refuse_other("temporal", before, after, kinds=(TableRelease,))
    name = before.schema.find_sensitive(sensitive)
    if name not in after.schema.names:
        raise SchemaError(
            f"The earlier release shows {name!r}, the later one does not; nothing can be "
            "subtracted."
        )
    names = [c.name for c in before.schema.quasi if c.name in after.schema.names]
    if not names or not len(before) or not len(after):
        raise SchemaError(
            "Two releases can be compared if both hold records and share a quasi-identifier; they "
            f"hold {len(before)} and {len(after)} records and share {len(names)}."
        )
    classes = group_rows(before.frame[names]), group_rows(after.frame[names])
    cells = classes[0].cells(), classes[1].cells()
    regions = _number_regions(find_overlaps(*cells, names, (before.schema, after.schema)))
    counts = [
        pd.crosstab(region[part.labels], release.frame[name].map(cell_text).astype(str).to_numpy())
        for region, part, release in zip(regions, classes, (before, after), strict=True)
    ]
    frame = _find_changes(*counts)
    frame.insert(
        0, "who", [_name_classes(region, classes, regions) for region in frame.pop("region")]
    )
    people = int(frame["records"].sum())
    left = int(frame["records"][frame["change"] == "left"].sum())
    return Disclosure("temporal", _write_sentence(frame, name), frame, people, len(after) + left)


def _number_regions(meets: CompatiblePairs) -> tuple[Ints, Ints]:
    """Number the groups of classes that overlap, directly or through others."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    rows, columns = meets.pairs()
    size = sum(meets.shape)
    ones = np.ones(len(rows), bool)
    table = coo_array((ones, (rows, columns + meets.shape[0])), shape=(size, size))
    # union-find over the classes that overlap, as connected components of a graph
    found = connected_components(table, directed=False)[1]
    both = np.concatenate([found[meets.first], found[meets.shape[0] + meets.second]])
    names, firsts, places = np.unique(both, return_index=True, return_inverse=True)
    numbers = np.empty(len(names), np.int64)
    numbers[np.argsort(firsts)] = np.arange(len(names))
    regions = numbers[places]
    return regions[: len(meets.first)], regions[len(meets.first) :]


def _find_changes(before: pd.DataFrame, after: pd.DataFrame) -> pd.DataFrame:
    """One line for each region and value that became more, or less, frequent."""
    net = after.sub(before, fill_value=0).fillna(0)
    lines = []
    for change, part, whole in (("came", net, after), ("left", -net, before)):
        more = part.clip(lower=0)
        for region, row in more.iterrows():
            held = whole.loc[region] if region in whole.index else row
            lines += [
                {
                    "region": region,
                    "change": change,
                    "records": int(count),
                    "value": value,
                    "confidence": count / row.sum(),
                    "before": held[value] / held.sum(),
                }
                for value, count in row.items()
                if count
            ]
    found = pd.DataFrame(lines, columns=LINE)
    return found.sort_values("confidence", ascending=False, kind="stable", ignore_index=True)


def _name_classes(region: int, classes: tuple[Classes, Classes], regions: tuple[Ints, Ints]) -> str:
    """Find the classes of a region in words: the later ones, or the earlier where none is left."""
    at = 1 if (regions[1] == region).any() else 0
    numbers = np.flatnonzero(regions[at] == region)
    names = [classes[at].name(int(number)) for number in numbers[:MOST_NAMES]]
    rest = len(numbers) - MOST_NAMES
    return " or ".join(names) + (
        f" or {count(rest, 'more class', 'more classes')}" if rest > 0 else ""
    )


def _write_sentence(frame: pd.DataFrame, name: str) -> str:
    counts = frame.groupby("change")["records"].sum()
    came, left = (int(counts.get(change, 0)) for change in ("came", "left"))
    sure = frame[frame["confidence"] == 1]
    said = (
        f"{came:,} came and {left:,} left between the releases; {name} is certain for "
        f"{int(sure['records'].sum()):,} of them"
    )
    if len(sure):
        said += f", first {sure['value'].iloc[0]} for {sure['who'].iloc[0]}, who "
        said += str(sure["change"].iloc[0])
    return f"{said}."
