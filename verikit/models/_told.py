"""What groups, boxes and shown targets come to, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from verikit.words import Said, count

if TYPE_CHECKING:
    from verikit.hierarchy import Hierarchy
    from verikit.models._target_privacy import TargetVerdict
    from verikit.models._verdict import ModelVerdict
    from verikit.partition import Partition
    from verikit.release import SplitRelease
    from verikit.table import Microdata

__all__ = ["Target", "boxes", "groups_told"]


def groups_told(made: Partition, verdict: ModelVerdict, data: Microdata) -> Said:
    """How many sensitive values every group holds, and how large the groups are."""
    name = ", ".join(column.title for column in data.schema.sensitive)
    least = count(int(verdict.value), "value")
    left = f" {count(made.residue, 'record')} left over and added." if made.residue else ""
    return Said(
        f"Every group holds at least {least} of {name}.", f"Groups of {_sizes(made)}.{left}"
    )


def boxes(made: Partition, data: Microdata) -> Said:
    """How many records the boxes hold, and along what they were cut."""
    told = ", ".join(column.title for column in data.schema)
    return Said(
        f"{count(len(made), 'box holds', 'boxes hold')} {_sizes(made)} each.",
        f"{count(len(data), 'record')} cut along {told}, at the median of the wider side.",
    )


def _sizes(made: Partition) -> str:
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
