"""How many records of each block meet a tree: three-valued logic in a part, bounds across parts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from verikit._support.arrays import Values
from verikit.query._blocks import Blocks
from verikit.query._bound import Joined, Leaf, Tree
from verikit.query._cells import Three, all_of, any_of
from verikit.query._part import Known

__all__ = ["known", "rows_of"]


def known(blocks: Blocks, tree: Tree | None) -> Known:
    """By block at least, expected, at most how many records of people meet a tree.

    Inside a part rows are looked at one by one. Of records that meet one thing in one part and
    another in another no fewer meet both than cannot avoid it, and no more than meet the rarer;
    the expectation takes the parts for independent inside each block.

    Examples
    --------
    >>> import verikit as vk
    >>> from verikit.query._blocks import blocks
    >>> from verikit.query._bound import bound
    >>> seen = blocks(vk.published("lhcc_table3"))
    >>> where = vk.Query.count({"Age": (40, 70), "Disease": "Flu"}).where
    >>> [part.tolist() for part in known(seen, bound(where, seen.schema))[:3]]
    [[0.0, 0.0], [0.8, 0.75], [1, 1]]
    """
    if tree is None:
        return Known.exactly(blocks.sizes)
    homes = blocks.homes(tree)
    if len(homes) == 1 or isinstance(tree, Leaf):
        return blocks.parts[min(homes)].known(tree)
    branches = blocks.sorted_out(tree)
    parts = [known(blocks, branch) for _, branch in branches]
    apart = sum(len(found) for found, _ in branches) == len(homes)
    if tree.every:
        return _every(parts, blocks.sizes, apart=apart)
    return _opposite(
        _every([_opposite(part, blocks.sizes) for part in parts], blocks.sizes, apart=apart),
        blocks.sizes,
    )


def _every(parts: Sequence[Known], sizes: Values, *, apart: bool) -> Known:
    """Records that meet all parts; only blocks where some record may are worked out."""
    high = np.minimum.reduce([part.high for part in parts])
    alive = np.flatnonzero(high > 0)
    n = sizes[alive].astype(np.float64)
    links = np.maximum(n * (n - 1), 1)
    low, mean, pairs = n.copy(), n.copy(), links.copy()
    told = apart
    for part in parts:
        low += part.low[alive] - n
        mean *= part.mean[alive] / n
        found = part.pairs_of(alive) if told else None
        told = found is not None
        if found is not None:
            pairs *= found / links
    groups = len(sizes)
    least, pairs = _spread(np.maximum(low, 0), alive, groups), _spread(pairs, alive, groups)
    return Known(least, _spread(mean, alive, groups), high, pairs if told else None)


def _spread(values: Values, places: Values, length: int) -> Values:
    if len(values) == length:
        return values
    whole = np.zeros(length)
    whole[places] = values
    return whole


def _opposite(part: Known, sizes: Values) -> Known:
    """Records that do not meet a part."""
    if part.exact:
        return Known.exactly(sizes - part.low)
    pairs = part.pairs
    if pairs is not None:
        pairs = sizes * (sizes - 1.0) - 2 * (sizes - 1) * part.mean + pairs
    return Known(sizes - part.high, sizes - part.mean, sizes - part.low, pairs)


def rows_of(blocks: Blocks, place: int, tree: Tree) -> Three:
    """What the rows of one part say about a tree; what other parts say is the same in a block.

    Of a row that may be nobody's it is said for the case that it is a person's.
    """
    homes, part = blocks.homes(tree), blocks.parts[place]
    if homes == {place}:
        return part.columns.rows(tree)
    if place in homes and isinstance(tree, Joined):
        branches = [rows_of(blocks, place, branch) for _, branch in blocks.sorted_out(tree)]
        return all_of(branches) if tree.every else any_of(branches)
    found, sizes = known(blocks, tree), np.maximum(blocks.sizes, 1)
    by_block = Three(found.low == blocks.sizes, found.mean / sizes, found.high > 0)
    return by_block.at(part.blocks_of_rows())
