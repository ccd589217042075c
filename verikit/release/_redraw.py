"""Redrawing: some attributes of each record get a value drawn from their column, by known chances.

What a release of this kind publishes says how likely one combination of values becomes another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any, Literal, TypeAlias

import numpy as np

from verikit._support.arrays import Floats
from verikit._support.requests import number, whole
from verikit.errors import RecordError, SchemaError, quoted
from verikit.release._kinds import whole_records
from verikit.words import listed

Probabilities: TypeAlias = Mapping[str, float] | Literal["equal"] | None

ROUNDING_ERROR = 0.05
MAX_COLUMNS = 20  # of which all sets can be held


@dataclass(frozen=True, slots=True)
class Redraw:
    """How many attributes of each record are drawn anew, and which with what chance.

    Parameters
    ----------
    names
        The attributes that may be.
    changed
        How many of them are, in each record.
    weights
        The chance of each where one is; all are equally likely where several are.

    Examples
    --------
    Of two attributes out of three, both are drawn anew in one record of three, each alone in one.

    >>> Redraw.of(["Age", "Job", "Country"], 2, "equal").chances_by_set(["Age", "Job"]).round(
    ...     4
    ... ).tolist()
    [0.0, 0.3333, 0.3333, 0.3333]
    """

    names: tuple[str, ...]
    changed: int
    weights: tuple[float, ...]

    @classmethod
    def of(cls, names: Sequence[str], changed: object, probabilities: Probabilities) -> Redraw:
        """Check both numbers; probabilities are used in proportion, so they may be rounded."""
        if not names:
            raise SchemaError(
                "No column is a quasi-identifier, so nothing can be drawn anew; give the columns "
                "that others may know the role 'quasi'."
            )
        count = whole(changed, "changed", most=len(names))
        if probabilities is None or isinstance(probabilities, str):
            if probabilities not in (None, "equal"):
                raise RecordError(
                    f"probabilities was given as {quoted(probabilities)}; expected 'equal', or a "
                    "number for each quasi-identifier."
                )
            return cls(tuple(names), count, (1 / len(names),) * len(names))
        if count > 1:
            raise RecordError(
                f"probabilities were given for {count} changed attributes, which are drawn with "
                "equal chances; leave them out, or change one."
            )
        return cls(tuple(names), 1, _check_weights(names, probabilities))

    def chances_by_set(self, asked: Sequence[str]) -> Floats:
        """Compute for each set of the columns asked the chance that just these are drawn anew.

        Set number ``s`` holds the columns whose bit is set in ``s``.
        """
        if len(asked) > MAX_COLUMNS:
            raise RecordError(
                f"{len(asked)} columns have too many sets; name at most {MAX_COLUMNS} of them."
            )
        sets = np.arange(2 ** len(asked))
        sizes = sum((sets >> k & 1 for k in range(len(asked))), start=np.zeros_like(sets))
        known = [name in self.names for name in asked]
        never = sum(1 << k for k, there in enumerate(known) if not there)
        if self.changed == 1:
            found = np.zeros(len(sets))
            chances = [self.weights[self.names.index(n)] if n in self.names else 0 for n in asked]
            found[[1 << k for k in range(len(asked))]] = chances
            found[0] = max(0.0, 1 - sum(chances)) if sum(known) < len(self.names) else 0.0
            return found
        m, others = len(self.names), len(self.names) - sum(known)
        of_size = [
            comb(others, self.changed - u) / comb(m, self.changed) if u <= self.changed else 0.0
            for u in range(len(asked) + 1)
        ]
        return np.where(sets & never, 0.0, np.array(of_size)[sizes])

    def transition_chances(self, asked: Sequence[str], shares: Floats) -> Floats:
        """Compute the chance that a combination becomes another, by the columns where they differ.

        Parameters
        ----------
        asked
            The columns of both combinations.
        shares
            The share of each value of the second in its column; one line for each of several.

        Returns
        -------
        numpy.ndarray
            One entry a set, as in `chances_by_set`, along the last axis.
        """
        found: Floats = np.broadcast_to(
            self.chances_by_set(asked), (*shares.shape[:-1], 2 ** len(asked))
        ).copy()
        # A zeta transform over supersets, one column after the other: the last axis is split by the
        # bit of that column, so that 2^k sets cost k passes and no sum over pairs of sets.
        for k in range(len(asked)):
            halves = found.reshape(*shares.shape[:-1], -1, 2, 2**k)
            halves[..., 1, :] *= shares[..., k, None, None]
        for k in range(len(asked)):  # a column where they agree may have been drawn anew or not
            halves = found.reshape(*shares.shape[:-1], -1, 2, 2**k)
            halves[..., 0, :] += halves[..., 1, :]
        return found


def redraw_of(release: object) -> Redraw | None:
    """Look up the chances that a release publishes; None where it was made in another way.

    Examples
    --------
    >>> import verikit as vk
    >>> redraw_of(vk.published("yq_figure5")).names
    ('Age', 'Job', 'Country')
    """
    if not whole_records(release) or release.promise != "changed":
        return None
    told: Mapping[str, Any] = release.parameters
    names = [column.name for column in release.schema.quasi]
    if not names or not {"changed", "probabilities"} <= set(told):
        return None
    return Redraw.of(names, told["changed"], told["probabilities"])


def require_redraw(release: object, who: str) -> Redraw:
    """Look up the chances that a release publishes, or refuse one made in another way.

    Examples
    --------
    >>> require_redraw(5, "amplification")
    Traceback (most recent call last):
    verikit.errors.SchemaError: amplification needs a release that tells with what probabilities
    its values were drawn anew, as mask.randomize makes it; it was given int.
    """
    found = redraw_of(release)
    if found is None:
        raise SchemaError(
            f"{who} needs a release that tells with what probabilities its values were drawn anew, "
            f"as mask.randomize makes it; it was given {type(release).__name__}."
        )
    return found


def _check_weights(names: Sequence[str], given: Mapping[str, float]) -> tuple[float, ...]:
    if not isinstance(given, Mapping):
        raise RecordError(
            f"probabilities was given as {quoted(given)}; expected 'equal', or a number for each "
            "quasi-identifier."
        )
    lacking = [name for name in names if name not in given]
    unknown = [name for name in given if name not in names]
    if lacking or unknown:
        raise SchemaError(
            f"probabilities must name each quasi-identifier once: they lack "
            f"{listed(lacking) or 'none'} and name {listed(unknown) or 'none'} that is none."
        )
    found = [number(given[name], f"probability of {name}", field="probabilities") for name in names]
    total = sum(found)
    if min(found) < 0 or abs(total - 1) > ROUNDING_ERROR:
        raise RecordError(
            f"probabilities were given as {listed([f'{p:g}' for p in found], 12)}; expected "
            "numbers from 0 up that add up to 1 (rounded ones may miss it by 0.05)."
        )
    return tuple(p / total for p in found)
