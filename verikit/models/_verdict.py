"""What a privacy model says of a table: a value for it, for each class and for each record."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import ge
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from verikit._support import html as _html
from verikit._support.arrays import Flags, Values
from verikit._support.plotted import Plotted
from verikit.matching import Classes
from verikit.words import Said, count, text

if TYPE_CHECKING:
    from verikit.hierarchy import Hierarchy
    from verikit.models._target_privacy import TargetVerdict
    from verikit.partition import Partition
    from verikit.release import SplitRelease
    from verikit.table import Microdata

SAME = "In one class all have the same value: to know the class is to know the value."
ALONE = {
    "k-anonymity": "Somebody stands alone in the table.",
    "distinct diversity": SAME,
    "entropy diversity": SAME,
}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ModelVerdict(Plotted):
    """Whether a table meets a privacy model, and by how much.

    Parameters
    ----------
    model
        The model's name.
    value
        The value of the whole table: that of its worst class.
    threshold
        What was asked for; None where the table was only measured.
    met
        Whether the value meets it; None where nothing was asked for.
    why
        The worst class and its value, in a sentence.
    classes
        The classes of the table.
    per_class, met_per_class
        The value of each class, and whether it meets what was asked for.
    worst
        The number of the worst class; of equals the first.

    Examples
    --------
    >>> import verikit as vk
    >>> verdict = vk.models.k_anonymity(vk.published("ks_table1"), k=4)
    >>> verdict.value, verdict.met, verdict.per_class.tolist(), verdict.per_record[:3].tolist()
    (3, False, [3, 4, 3], [4, 3, 4])
    """

    model: str
    value: float
    threshold: float | None
    met: bool | None
    why: str
    classes: Classes
    per_class: Values
    met_per_class: Flags | None
    worst: int

    @property
    def per_record(self) -> Values:
        """The value of the class of each record, in the order of the records."""
        return self.per_class[self.classes.labels]

    @property
    def gives_away(self) -> bool:
        """Whether somebody stands alone in her class, or all of a class share one value."""
        return bool(self.value == 1) and self.model in ALONE

    @property
    def warns(self) -> bool:
        """Whether it is less than asked for; or, where nothing was asked, gives people away."""
        return self.gives_away if self.met is None else not self.met

    @property
    def means(self) -> str:
        """What the value of the worst class means for the people in it."""
        if self.gives_away:
            return ALONE[self.model]
        if self.model == "k-anonymity":
            others = count(int(self.value) - 1, "other person", "others")
            return f"Everybody looks like at least {others}."
        if self.model == "t-closeness":
            return f"The most unlike class is {self.value:.2f} away from the whole table."
        said = {
            "distinct diversity": f"{self.value:g} values",
            "entropy diversity": f"{self.value:.2f} equally frequent values",
        }.get(self.model)
        return f"Every class leaves at least {said} open." if said else self.why

    def to_frame(self) -> pd.DataFrame:
        """One line a class: its cells, its number of records, its value, and whether it is met."""
        columns: dict[str, Values] = {"records": self.classes.sizes, "value": self.per_class}
        if self.met_per_class is not None:
            columns["met"] = self.met_per_class
        return beside(self.classes.cells(), columns)

    def __repr__(self) -> str:
        asked = ""
        if self.threshold is not None:
            asked = f", {text(self.threshold)} asked for, {'met' if self.met else 'not met'}"
        value = text(round(float(self.value), 4)) if np.isfinite(self.value) else "without bound"
        return f"{self.model}: {value}{asked}. {self.why}"

    def _repr_html_(self) -> str:
        return _html.result(repr(self), worst_first(self.to_frame(), self.worst).head(12))


def worst_first(classes: pd.DataFrame, worst: int) -> pd.DataFrame:
    """The line of the worst class, and below it the others in their order.

    Examples
    --------
    >>> worst_first(pd.DataFrame({"value": [3, 1, 2]}), 1)["value"].tolist()
    [1, 3, 2]
    """
    return classes.take(np.argsort(np.arange(len(classes)) != worst, kind="stable"))


def beside(cells: pd.DataFrame, columns: Mapping[str, Values]) -> pd.DataFrame:
    """Put columns beside the cells; cells under the same name get an underscore.

    Examples
    --------
    >>> beside(pd.DataFrame({"value": ["a"]}), {"value": np.array([1])}).columns.tolist()
    ['value_', 'value']
    """
    frame = cells.rename(columns={name: f"{name}_" for name in columns})
    return frame.assign(**columns)


def make_verdict(
    model: str,
    classes: Classes,
    per_class: Values,
    worst: int,
    why: str,
    threshold: float | None,
    meets: Callable[[Any, Any], Any] = ge,
) -> ModelVerdict:
    """Put a verdict together; a class meets the threshold as ``meets`` compares the two."""
    met_per_class = None if threshold is None else meets(per_class, threshold)
    met = None if met_per_class is None else bool(met_per_class.all())
    value = per_class[worst].item()
    return ModelVerdict(model, value, threshold, met, why, classes, per_class, met_per_class, worst)


def describe_groups(made: Partition, verdict: ModelVerdict, data: Microdata) -> Said:
    """How many sensitive values every group holds, and how large the groups are."""
    name = ", ".join(column.title for column in data.schema.sensitive)
    least = count(int(verdict.value), "value")
    left = f" {count(made.residue, 'record')} left over and added." if made.residue else ""
    return Said(
        f"Every group holds at least {least} of {name}.",
        f"Groups of {_describe_sizes(made)}.{left}",
    )


def describe_boxes(made: Partition, data: Microdata) -> Said:
    """How many records the boxes hold, and along what they were cut."""
    told = ", ".join(column.title for column in data.schema)
    return Said(
        f"{count(len(made), 'box holds', 'boxes hold')} {_describe_sizes(made)} each.",
        f"{count(len(data), 'record')} cut along {told}, at the median of the wider side.",
    )


def _describe_sizes(made: Partition) -> str:
    low, high = int(made.sizes.min()), int(made.sizes.max())
    return count(low, "record") if low == high else f"{low:,} to {count(high, 'record')}"


class Target(NamedTuple):
    """Whether a release shows its target, and whether it leaves anything to see."""

    release: SplitRelease
    verdict: TargetVerdict
    target: Hierarchy
    asked: float

    @property
    def values(self) -> int:
        """How many values are published."""
        return len(self.release.sensitive)

    @property
    def at_root(self) -> int:
        """How many of them are the whole range."""
        return int(self.release.parameters["at the root"])

    @property
    def warns(self) -> bool:
        """Whether every published value is the whole range."""
        return self.at_root == self.values and len(self.target.levels) > 1

    @property
    def means(self) -> str:
        """Whether the target is shown, in one sentence."""
        if self.warns:
            return "This target leaves nothing to see: every published value is the whole range."
        if self.asked:
            worst = f"{100 * float(self.verdict.shift):.3g} %"
            return f"What is shown comes near the target: shares are off by {worst} at most."
        return "What is published shows the target, and nothing else."

    @property
    def why(self) -> str:
        """How much of it tells nothing, and what can be done."""
        share = f"{self.at_root:,} of {count(self.values, 'published value')}"
        told = f"{share} are the whole range {self.target.root}, which tells nothing."
        if self.warns:
            return f"{told} Use a simpler ratio, allow fakes or a tolerance."
        return f"Allowed were {100 * self.asked:.3g} %. {told}" if self.asked else told
