"""Two tables joined by groups as the page keeps them."""

from __future__ import annotations

from typing import Any

import numpy as np

from verikit.cells import cells_of
from verikit.errors import SchemaError
from verikit.page._kept import Kept, KeptColumn, column_facts
from verikit.page._labelled import keep_cells
from verikit.release import SplitRelease, by_secrets
from verikit.table import Column
from verikit.words import listed, text


def keep_groups(release: SplitRelease) -> Kept:
    """The columns of both tables, and the group of each row; what was made coarser is left out."""
    known = [c for c in release.schema.quasi if cells_of(release.quasi[c.name], c).single]
    if not known:
        raise SchemaError(
            f"No column of {listed(release.schema.names)} shows single values that others may "
            "know, so nobody can be looked up in these tables; a page needs at least one."
        )
    groups = [
        KeptColumn({"role": "group"}, (np.asarray(part),))
        for part in (release.labels.quasi, release.labels.sensitive)
    ]
    columns = [_mark_strict(keep_cells(release.quasi[c.name], c)) for c in known]
    columns += [_keep_sensitive(release, c) for c in release.schema.sensitive]
    facts = {
        "permuted": release.permuted,
        "groups": [text(n) for n in release.labels.names],
        "bySecrets": by_secrets(release),
        "certain": release.promise in {"as it was", "covers", "another order"},
    }
    return Kept([*columns, *groups], release.schema.quasi, facts)


def _mark_strict(kept: KeptColumn) -> KeptColumn:
    return kept._replace(facts={**kept.facts, "strict": True})


def _keep_sensitive(release: SplitRelease, column: Column) -> KeptColumn:
    cells = cells_of(release.sensitive[column.name], column)
    facts: dict[str, Any] = {
        **column_facts(column),
        "labels": [*map(column.shown, cells.names[:-1])],
    }
    return KeptColumn(facts, (cells.codes,))
