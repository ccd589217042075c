"""A reader of the Adult data set: people in a census, with what they earn."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from verikit.errors import FormatError
from verikit.hierarchy import Hierarchy
from verikit.table import Column, Microdata, Role, Schema
from verikit.words import listed

__all__ = ["adult"]

NAMES = (
    "age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation",
    "relationship", "race", "sex", "capital-gain", "capital-loss", "hours-per-week",
    "native-country", "salary-class",
)  # fmt: skip
QUASI = (
    "age", "workclass", "education", "marital-status", "occupation", "race", "sex",
    "native-country",
)  # fmt: skip
NUMERIC = ("age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week")
CLASSES = ("<=50K", ">50K")


def adult(
    path: str | Path, hierarchies: str | Path | None = None, *, complete: bool = True
) -> Microdata:
    """Read the Adult data set of the UCI repository from its own files.

    Eight columns are quasi-identifiers (age, work class, education, marital status, occupation,
    race, sex, country), the salary class is sensitive, the others have the role ``other``.

    Parameters
    ----------
    path
        ``adult.data`` or ``adult.test``, compressed or not, or a folder that holds the first.
    hierarchies
        A folder of files ``adult_hierarchy_<column>.csv``, one line a value, from the value to
        the root, separated by semicolons.
    complete
        Whether to leave out the records with an unknown value, as the papers do: 30,162 of the
        32,561 records of ``adult.data`` are complete. Otherwise unknown values are missing.

    Returns
    -------
    Microdata
        The records.

    Raises
    ------
    FormatError
        If a file is not there or not what it should be.

    Notes
    -----
    A column with the role ``other`` is published as it is, and some of these tell much: the
    weight ``fnlwgt`` is nearly unique, ``education-num`` repeats the education. Give them another
    role before publishing anything: ``data.schema.with_column("fnlwgt", role="identifier")``.

    References
    ----------
    [YQ]_ section 7.1

    Examples
    --------
    >>> adult("no/such/folder")
    Traceback (most recent call last):
    verikit.errors.FormatError: 'no/such/folder' does not exist; give the file adult.data or its
    folder.
    """
    frame = _records(Path(path))
    trees = {} if hierarchies is None else _trees(Path(hierarchies))
    schema = Schema(tuple(_column(name, trees.get(name)) for name in NAMES))
    return Microdata(frame.dropna() if complete else frame, schema)


def _records(path: Path) -> pd.DataFrame:
    found = [path, *(path / name for name in ("adult.data", "adult.data.gz"))]
    file = next((place for place in found if place.is_file()), None)
    if file is None:
        raise FormatError(
            f"{str(path)!r} {'holds no adult.data' if path.exists() else 'does not exist'}; give "
            "the file adult.data or its folder."
        )
    try:
        frame = pd.read_csv(
            file, header=None, names=list(NAMES), index_col=False, skipinitialspace=True,
            na_values=["?"], keep_default_na=False, comment="|",
        )  # fmt: skip
    except (OSError, ValueError) as error:
        raise FormatError(f"{file.name!r} cannot be read as a table: {error}.") from error
    salaries = frame["salary-class"].astype(str).str.rstrip(".")
    odd = sorted(set(salaries) - set(CLASSES))
    if odd or not len(frame):
        raise FormatError(
            f"{file.name!r} has {listed(odd) or 'nothing'} in its last column, so it is not the "
            f"Adult data set; expected {len(NAMES)} values a line, the last {' or '.join(CLASSES)}."
        )
    return frame.assign(**{"salary-class": salaries})


def _trees(folder: Path) -> dict[str, Hierarchy]:
    files = {name: folder / f"adult_hierarchy_{name}.csv" for name in NAMES}
    found = {name: Hierarchy.read_csv(file) for name, file in files.items() if file.is_file()}
    if not found:
        raise FormatError(
            f"{str(folder)!r} holds no hierarchy; expected files such as adult_hierarchy_age.csv."
        )
    return found


def _column(name: str, tree: Hierarchy | None) -> Column:
    role: Role = "quasi" if name in QUASI else "sensitive" if name == "salary-class" else "other"
    return Column(name, role, "numeric" if name in NUMERIC else "nominal", tree)
