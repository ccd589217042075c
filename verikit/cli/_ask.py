"""Her values, asked for one by one on a terminal that does not show them."""

from __future__ import annotations

import getpass
import sys
import warnings
from collections.abc import Sequence

from verikit.errors import FormatError
from verikit.languages import form_text
from verikit.release import Release
from verikit.table import Column

__all__ = ["ask", "asked"]


def asked(release: Release) -> Sequence[Column]:
    """The columns by which a record can be compared.

    Examples
    --------
    >>> import verikit as vk
    >>> [column.name for column in asked(vk.published("lhcc_table3"))]
    ['Age', 'Sex']
    """
    return release.asked


def ask(release: Release) -> dict[str, str]:
    """Ask for each value; nothing typed is shown, kept by the shell, or seen by other users."""
    print(form_text("prompt"), file=sys.stderr)
    record: dict[str, str] = {}
    for column in asked(release):
        unit = f" [{column.unit}]" if column.unit else ""
        typed = _hidden(f"{column.title}{unit}: ")
        record |= {column.name: typed} if typed else {}
    return record


def _hidden(prompt: str) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("error", getpass.GetPassWarning)
        try:
            return getpass.getpass(prompt).strip()
        except getpass.GetPassWarning as error:
            raise FormatError(
                "This terminal cannot hide what is typed; give the record with --record FILE."
            ) from error
        except EOFError as error:
            raise FormatError("The values ended before all were asked for; try again.") from error
