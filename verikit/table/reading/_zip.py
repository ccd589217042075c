"""The one table of a zip file that is no release."""

from __future__ import annotations

import zipfile
from io import BytesIO
from pathlib import PurePosixPath

from verikit._support.files import allowance, check_archive, read_counted
from verikit.errors import FormatError, quoted
from verikit.words import listed

__all__ = ["table_of_zip"]

SYSTEM = ("__MACOSX", ".")


def table_of_zip(content: bytes, name: str, wanted: str | None) -> tuple[bytes, bool]:
    r"""The table in a zip file that holds one, or the one asked for; whether it was asked for.

    Parameters
    ----------
    content
        The zip file.
    name
        What it is called in a sentence.
    wanted
        The name of the table, if somebody said it.

    Examples
    --------
    >>> packed = BytesIO()
    >>> with zipfile.ZipFile(packed, "w") as archive:
    ...     archive.writestr("people.csv", "age\n41\n")
    >>> table_of_zip(packed.getvalue(), "'people.zip'", None)
    (b'age\n41\n', False)
    """
    with zipfile.ZipFile(BytesIO(content)) as archive:
        check_archive(archive, name, len(content))
        files = [
            part.filename
            for part in archive.infolist()
            if not part.is_dir() and not part.filename.startswith(SYSTEM)
        ]
        asked = [one for one in files if wanted in (one, PurePosixPath(one).name)]
        if not files:
            raise FormatError("The zip file holds no file; expected a table, or one release.")
        if len(asked or files) != 1:
            held = f"the files {listed(files, 12)}"
            told = f", none of them {quoted(wanted)}" if wanted else ""
            raise FormatError(f"The zip file holds {held}{told}; say which one (sheet='...').")
        try:
            with archive.open((asked or files)[0]) as file:
                return read_counted(file, name, allowance(len(content))), bool(asked)
        except RuntimeError as error:
            if isinstance(error, (RecursionError, NotImplementedError)):
                raise
            raise FormatError(
                f"{name} asks for a password; unpack it, and give the table in it."
            ) from error
