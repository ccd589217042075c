"""Where the tables and notebooks that ship with verikit lie, however it was installed."""

from importlib.resources import files
from pathlib import Path

from verikit.errors import FormatError


def data_path(name: str) -> Path:
    """Give the path of a shipped data file; the empty name gives their folder.

    Examples
    --------
    >>> data_path("dm_table1.csv").is_file()
    True
    """
    return _folder("data") / name


def notebooks_dir() -> Path:
    """Give the folder of the shipped notebooks.

    Examples
    --------
    >>> notebooks_dir().is_dir()
    True
    """
    return _folder("notebooks")


def _folder(name: str) -> Path:
    """Find a folder inside the installed package, else beside the package in a checkout."""
    package = Path(str(files("verikit")))
    for folder in (package / f"_{name}", package.parent / name):
        if (folder / "__init__.py").is_file():
            return folder
    raise FormatError(
        f"verikit's folder {name!r} is neither inside nor beside {str(package)!r}; "
        "install verikit again."
    )
