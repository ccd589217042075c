"""What is known of one record beside a table of single values, before it is put in words."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from verikit.release import TableRelease
from verikit.subject._check import Repeated
from verikit.subject._known import names_rows
from verikit.subject._requirement import Required
from verikit.subject.masked._chance import Candidates, Chance
from verikit.subject.masked._find import Copies, Findings
from verikit.table import Column


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """The closest records, what was tested beside their distance, and one line an attribute."""

    findings: Findings
    required: Required
    chance: Chance | None
    crowd: Candidates | None
    repeated: Repeated | None
    copies: Copies | None
    undone: bool
    lines: pd.DataFrame

    @property
    def release(self) -> TableRelease:
        """What was published."""
        return self.findings.release

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns she gave a value of."""
        return tuple(attribute.column for attribute in self.findings.attributes)

    @property
    def left_out(self) -> tuple[Column, ...]:
        """The published columns she gave no value of, but for those that name the rows."""
        given = {column.name for column in self.columns}
        others = (column for column in self.release.schema if column.name not in given)
        return tuple(column for column in others if not names_rows(self.release, column))

    @property
    def picked_out(self) -> bool:
        """Whether one record alone fits the bound that the publisher promises."""
        return self.crowd is not None and self.crowd.fitting == 1
