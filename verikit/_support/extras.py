"""What verikit can do only with packages that it does not bring by itself."""

from __future__ import annotations

from importlib.util import find_spec

from verikit.errors import FormatError
from verikit.words import joined


def needed(what: str, extra: str, *packages: str) -> None:
    """Refuse, with the way out, if a package is missing.

    Parameters
    ----------
    what
        What needs them, as the subject of the sentence.
    extra
        The extra of verikit that brings them.
    packages
        Their names as they are imported.

    Examples
    --------
    >>> needed("verikit lab", "jupyter", "json")
    >>> needed("verikit lab", "jupyter", "no_such_package")
    Traceback (most recent call last):
    verikit.errors.FormatError: verikit lab needs no_such_package; install it with  pip install
    'verikit[jupyter]'.
    """
    missing = [name for name in packages if find_spec(name) is None]
    if missing:
        raise FormatError(
            f"{what} needs {joined(missing)}; install it with  pip install 'verikit[{extra}]'."
        )
