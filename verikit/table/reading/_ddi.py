"""What a DDI codebook says of a table: words for its columns, and for the codes in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from xml.parsers import expat

import pandas as pd

from verikit._support.files import DESCRIPTION, open_regular, read_counted
from verikit._support.guard import named
from verikit.errors import FormatError, quoted
from verikit.table.reading._reading import ColumnHint, Reading
from verikit.words import listed, text

BETWEEN = "|"


@dataclass(slots=True)
class Variable:
    """What is said of one column.

    Parameters
    ----------
    label
        Words for the screen.
    nature
        ``"nominal"``, ``"ordinal"`` or another, as DDI has it.
    values
        The labels of codes, in their order.
    """

    label: str = ""
    nature: str = ""
    values: dict[str, str] = field(default_factory=dict)


class _Codebook:
    """Takes the elements of a codebook as they come; nothing else of it is held."""

    def __init__(self) -> None:
        self.variables: dict[str, Variable] = {}
        self.root = ""
        self._path: list[str] = []
        self._variable = Variable()
        self._code = ""
        self._words: list[str] = []

    def start_element(self, tag: str, about: Mapping[str, str]) -> None:
        name = tag.rpartition(BETWEEN)[2]
        self.root = self.root or name
        self._path.append(name)
        self._words = []
        if name == "var":
            self._variable = Variable(nature=about.get("nature", ""))
            self.variables[about.get("name", "").strip()] = self._variable
        if name == "catgry":
            self._code = ""

    def end_element(self, _: str) -> None:
        words = " ".join("".join(self._words).split())
        place = tuple(self._path[-2:])
        if place == ("var", "labl"):
            self._variable.label = self._variable.label or words
        elif place == ("catgry", "catValu"):
            self._code = words
        elif place == ("catgry", "labl") and self._code and words:
            self._variable.values.setdefault(self._code, words)
        self._path.pop()
        self._words = []

    def add_text(self, words: str) -> None:
        self._words.append(words)


def _refuse_entities(*_: Any) -> None:
    """Refuse what could unfold to gigabytes (billion laughs) or name other files."""
    raise FormatError(
        "The codebook declares a document type or entities, which are not read; remove the "
        "declaration."
    )


def read_codebook(source: Any) -> dict[str, Variable]:
    """The columns of a DDI codebook (2.5 or before) by their names.

    Entities and document types are refused, and so is more than 50 MB.

    Parameters
    ----------
    source
        Its path, or an open binary file.

    Raises
    ------
    FormatError
        If it is no codebook, or describes no column.
    """
    if isinstance(source, (str, Path)):
        with open_regular(Path(source)) as file:
            content = read_counted(file, named(source), DESCRIPTION)
    else:
        source.seek(0)
        content = read_counted(source, named(source), DESCRIPTION)
    found = _Codebook()
    parser = expat.ParserCreate(namespace_separator=BETWEEN)
    parser.StartElementHandler, parser.EndElementHandler = found.start_element, found.end_element
    parser.CharacterDataHandler = found.add_text
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = _refuse_entities
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        raise FormatError(
            f"{named(source)} is no XML ({error}); expected a DDI codebook."
        ) from error
    if found.root != "codeBook" or not found.variables:
        raise FormatError(
            f"{named(source)} is no DDI codebook that describes variables (its first element is "
            f"{quoted(found.root)}); expected a 'codeBook' of DDI 2.5."
        )
    return found.variables


def with_codebook(reading: Reading, codebook: Mapping[str, Variable]) -> Reading:
    """Give a table the words of its codebook; columns are found by their names, in any case.

    Codes become labels where each code of a column has one; what else the codebook says is left.

    Examples
    --------
    >>> told = {"sex": Variable("Sex of person", "nominal", {"1": "male", "2": "female"})}
    >>> found = with_codebook(Reading(pd.DataFrame({"SEX": [2, 1, 2]})), told)
    >>> found.frame["SEX"].tolist(), found.told["SEX"].label
    (['female', 'male', 'female'], 'Sex of person')
    """
    known = {name.casefold(): said for name, said in codebook.items()}
    told, changed = dict(reading.told), {}
    unknown = []
    for name, values in reading.frame.items():
        said = known.get(str(name).casefold())
        if said is None:
            unknown.append(name)
            continue
        told[str(name)] = (
            ColumnHint(said.label) if said.label else told.get(str(name), ColumnHint())
        )
        labelled = _replace_codes(values, said)
        if labelled is not None:
            changed[str(name)] = labelled
    notes = [f"The codebook says nothing of {listed(unknown)}."] if unknown else []
    frame = reading.frame.assign(**changed) if changed else reading.frame
    return replace(reading, frame=frame, told=told, notes=(*reading.notes, *notes))


def _replace_codes(values: pd.Series[Any], said: Variable) -> pd.Categorical | None:
    """Put labels in place of codes; nothing where a code has none, or two have the same."""
    if isinstance(values.dtype, pd.CategoricalDtype) or not said.values:
        return None
    plain = {_normalize_code(code): label for code, label in said.values.items()}
    codes, found = pd.factorize(values)
    names = [plain.get(_normalize_code(one)) for one in found]
    order = list(plain.values())
    if None in names or not names or len(set(order)) < len(order):
        return None
    place = [*(order.index(str(name)) for name in names), -1]
    places = [place[code] for code in codes]
    ordered = said.nature != "nominal"
    return pd.Categorical.from_codes(places, categories=order, ordered=ordered)


def _normalize_code(code: object) -> str:
    """Write a code as it is compared: 1, 1.0, "1" and "01" are the same."""
    try:
        return text(float(str(code)))
    except ValueError:
        return str(code).strip()
