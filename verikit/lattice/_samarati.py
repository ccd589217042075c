"""Samarati: binary search for the lowest height at which some node is safe."""

from __future__ import annotations

from verikit.lattice._lattice import Node
from verikit.lattice._search import Search, Step, cheapest, found
from verikit.lattice._tally import Tally
from verikit.table import Microdata, Missing, most_records

__all__ = ["samarati"]


def samarati(
    data: Microdata, *, k: int, suppression: float = 0.0, missing: Missing = "refuse"
) -> Search:
    """Find the least total generalization that reaches k, by halving the heights of the lattice.

    If a node is safe, so is each of its parents. Hence no height below is safe where one is not,
    and a binary search over the heights finds the lowest.

    Parameters
    ----------
    data
        The records; each quasi-identifier needs a hierarchy.
    k
        The size that every class must reach.
    suppression
        The share of records that may be suppressed instead.
    missing
        ``"refuse"``, or ``"own value"``: missing counts as a value that the root covers too.

    Returns
    -------
    Search
        The cheapest of the safe nodes at the lowest safe height; `minimal` holds all of these.

    Raises
    ------
    SchemaError
        If there is no record or quasi-identifier, or a hierarchy or value is missing.
    RecordError
        If k or the share is no sensible number.
    InfeasibleError
        If k is more than there are records.

    Notes
    -----
    The allowed suppression is a maximum: a node is safe if its classes of fewer than k hold no
    more records than that. The paper calls it a minimum.

    References
    ----------
    [KS]_ section 2.2, Figure 2

    Examples
    --------
    >>> import verikit as vk
    >>> data = vk.load("ks_table2_unmasked")
    >>> samarati(data, k=2).levels
    {'Race': 1, 'Zip': 1}
    >>> samarati(data, k=2, suppression=0.2).minimal
    ((0, 1), (1, 0))
    """
    tally = Tally(data, k, missing)
    allowed = most_records(suppression, len(data))
    trail: list[Step] = []
    low, high = 0, tally.lattice.height
    while low < high:
        middle = (low + high) // 2
        if _first_safe(tally, middle, allowed, trail):
            high = middle
        else:
            low = middle + 1
    seen = {step.node for step in trail}
    rest = [node for node in tally.lattice.at(low) if node not in seen]
    trail += [_counted(tally, node, allowed) for node in rest]
    safe = {step.node for step in trail if step.verdict == "safe"}
    lowest = tuple(node for node in tally.lattice.at(low) if node in safe)
    chosen = cheapest(tally, lowest)
    return found("samarati", tally, allowed, chosen, trail, minimal=lowest)


def _first_safe(tally: Tally, height: int, allowed: int, trail: list[Step]) -> bool:
    for node in tally.lattice.at(height):
        trail.append(_counted(tally, node, allowed))
        if trail[-1].verdict == "safe":
            return True
    return False


def _counted(tally: Tally, node: Node, allowed: int) -> Step:
    short = tally.short(node)
    return Step(node, "safe" if short <= allowed else "unsafe", short)
