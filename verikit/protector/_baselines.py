"""What a method gives away of those who are in its table, beside people who are not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import pandas as pd

from verikit._support import html as _html
from verikit._support.plotted import Plotted
from verikit._support.seed import generator
from verikit.errors import InfeasibleError, VerikitError
from verikit.intruder import Baseline, attribute_inference, membership, repeatable
from verikit.release import TableRelease
from verikit.table import Microdata

__all__ = ["Baselines", "baselines"]

LEAST = 20
ANEW = (
    "Half of the people were masked anew by the published method; the other half, who are not in "
    "that table, are the others."
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Baselines(Plotted):
    """Membership and the inference of each attribute, each beside its control.

    Parameters
    ----------
    membership
        Whether people can be told to be in the table.
    inference
        Of each attribute, whether it can be guessed from the others.
    note
        Who was attacked.

    Examples
    --------
    >>> import verikit as vk
    >>> data = vk.simulate("dm", 200, seed=1)
    >>> found = baselines(data, vk.mask.noise(data, scale=1, seed=2).release)
    >>> [part.secret for part in found.inference]
    ['X1', 'X2', 'X3']
    """

    membership: Baseline
    inference: tuple[Baseline, ...]
    note: str = ANEW

    @property
    def all(self) -> tuple[Baseline, ...]:
        """Membership first, then the attributes."""
        return (self.membership, *self.inference)

    def to_frame(self) -> pd.DataFrame:
        """One line an attack: the shares on whom it succeeds, and the risk with its interval."""
        lines = [
            {
                "attack": part.attack,
                "secret": part.secret,
                "found": part.found,
                "control": part.control,
                "naive": part.naive,
                "risk": part.risk,
                "low": part.interval[0],
                "high": part.interval[1],
            }
            for part in self.all
        ]
        return pd.DataFrame(lines)

    def __repr__(self) -> str:
        return "\n".join([*map(repr, self.all), self.note])

    def _repr_html_(self) -> str:
        return _html.result(repr(self), self.to_frame())


def baselines(
    data: Microdata, release: TableRelease, *, attributes: Sequence[str] | None = None
) -> Baselines:
    """Attack a table made anew from half of the people, with the other half as control.

    Parameters
    ----------
    data, release
        The original, and a release whose method can be repeated.
    attributes
        What to go by; by default all attributes with an order in both tables.

    Returns
    -------
    Baselines
        Membership, and the inference of each attribute from the others.

    Raises
    ------
    InfeasibleError
        If the method cannot be repeated, or there are fewer than 20 people.
    RecordError, SchemaError
        As `verikit.intruder.membership` raises them.

    References
    ----------
    [DM]_ section 5.2 asks that the release be checked before it is published.

    Notes
    -----
    The halves are drawn with a fixed seed, whatever the order of the records. Where people outside
    the table are known, `verikit.intruder.membership` and `attribute_inference` take them as their
    control.

    Examples
    --------
    >>> import verikit as vk
    >>> data = vk.simulate("dm", 200, seed=1)
    >>> release = vk.mask.rank_swap(data, percent=1, seed=2).release
    >>> baselines(data, release).membership.works
    True
    """
    repeat = repeatable(release)
    if repeat is None:
        raise InfeasibleError(
            f"The release names the method {release.method!r}, which cannot be repeated from what "
            "is published; give people who are not in the table to intruder.membership instead."
        )
    if len(data) < LEAST:
        raise InfeasibleError(
            f"The original has {len(data)} records; halves of fewer than {LEAST} tell nothing."
        )
    order = data.canonical_order()[generator(0).permutation(len(data))]
    inside, outside = data.take(order[: len(data) // 2]), data.take(order[len(data) // 2 :])
    try:
        again = cast("TableRelease", repeat(inside, 0).release)
    except VerikitError as error:
        raise InfeasibleError(
            f"The published method cannot be repeated on half of the records: {error}"
        ) from error
    told = membership(inside, again, control=outside, attributes=attributes)
    shared = [c.name for c in data.schema if c.ranked and c.name in release.schema.names]
    names = shared if attributes is None else list(attributes)
    known = {name: [other for other in names if other != name] for name in names}
    guessed = [
        attribute_inference(inside, again, secret=name, control=outside, known=others)
        for name, others in known.items()
        if others
    ]
    return Baselines(told, tuple(guessed))
