"""Making an assignment again without losing what its teacher wrote into it."""

from __future__ import annotations

from typing import Any

from verikit.errors import FormatError, quoted

__all__ = ["merged"]


def merged(made: dict[str, Any], old: dict[str, Any], plain: dict[str, Any]) -> dict[str, Any]:
    """A notebook made anew, with the teacher's cells of the old one at their places.

    Parameters
    ----------
    made
        The new notebook, as it would be without the old one.
    old
        The one that stands there.
    plain
        The old one as it was made, before anybody changed it.

    Raises
    ------
    FormatError
        If a cell that was rewritten has no place in the new notebook.

    Examples
    --------
    >>> made, old = (
    ...     {"cells": [{"id": one, "source": one} for one in ids]} for ids in ("ad", "abc")
    ... )
    >>> [cell["id"] for cell in merged(made, old, {"cells": [{"id": "a", "source": "a"}]})["cells"]]
    ['a', 'b', 'c', 'd']
    """
    ours = {cell["id"]: _source(cell) for cell in plain["cells"]}
    cells = {cell["id"]: cell for cell in made["cells"]}
    order, before = [*cells], ""
    for at, cell in enumerate(old["cells"]):
        name = cell.get("id") or f"cell-{at}"
        if name in ours and _source(cell) == ours[name]:
            before = name if name in cells else before
            continue
        if name in ours and name not in cells:
            raise FormatError(
                f"The cell {quoted(name)} was rewritten, and its exercise is not named any more; "
                "name it too, or delete the cell. Nothing was changed."
            )
        if name not in cells:
            order.insert(order.index(before) + 1 if before else 0, name)
        cells[name], before = cell, name
    return made | {"cells": [cells[name] for name in order]}


def _source(cell: dict[str, Any]) -> str:
    source = cell.get("source", "")
    return "".join(map(str, source)) if isinstance(source, list) else str(source)
