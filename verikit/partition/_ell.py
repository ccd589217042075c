"""What every l-diverse partition needs first: the sensitive values, and whether ell can be met."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from verikit._support.arrays import Rows
from verikit._support.requests import whole
from verikit.errors import InfeasibleError, SchemaError
from verikit.partition._codes import value_codes
from verikit.table import Microdata, Missing, Schema, refuse_missing, require_table
from verikit.words import listed, text

__all__ = ["Request", "asked", "sensitive_name"]


class Request(NamedTuple):
    """A request for an l-diverse partition that can be met."""

    ell: int
    name: str
    codes: Rows
    values: int


def asked(
    data: Microdata, ell: object, sensitive: str | None, missing: Missing, who: str
) -> Request:
    """Check a request: no value may fill more than one in ``ell`` of the records.

    Raises
    ------
    InfeasibleError
        If one does; the message names the largest ``ell`` that can be reached.

    References
    ----------
    [LHCC]_ Theorem 3; Algorithm 1 line 1 with > in place of the printed ≥
    """
    require_table(data, who)
    least = whole(ell, "ell")
    name = sensitive_name(data.schema, sensitive)
    refuse_missing(data, [data.schema[name]], missing)
    codes, values = value_codes(data, name)
    counts = np.bincount(codes)
    most = int(counts.max())
    if most * least > len(data):
        value = values[int(counts.argmax())]
        raise InfeasibleError(
            f"ell was given as {least}, but {most} of {len(data)} records have "
            f"{text(value) if value is not None else 'no value'!r} in {name!r}; the largest ell "
            f"that can be reached is {len(data) // most}.",
            field="ell",
            value=least,
        )
    return Request(least, name, codes, len(values))


def sensitive_name(schema: Schema, name: str | None) -> str:
    """The column asked for, or the only one that is sensitive."""
    found = [column.name for column in schema.sensitive]
    if name is None and len(found) == 1:
        return found[0]
    if name is not None and schema[name].role in ("sensitive", "other"):
        return name
    if name is None:
        raise SchemaError(
            f"The table has {len(found)} sensitive columns ({listed(found) or 'none'}); name the "
            "one whose values each group must mix: sensitive='...'."
        )
    raise SchemaError(
        f"Column {name!r} cannot be the sensitive one, because its role is "
        f"{schema[name].role!r}; give it the role 'sensitive'."
    )
