"""Small tables of every kind of column, and unlucky ones: what the contracts are tried on."""

import numpy as np
import pandas as pd

import verikit as vk


def numbers():
    """Sixteen distinct records of numbers, exact in single precision, with ties in each column."""
    size = 16
    return vk.Microdata(
        pd.DataFrame(
            {
                "X1": np.arange(size) * 7 % 12,
                "X2": np.arange(size) * 5 % 16 / 4,
                "X3": np.arange(size) * 11 % 13 + 0.5,
            }
        )
    )


def people():
    """Twelve people with quasi-identifying and sensitive attributes of several kinds."""
    diseases = vk.Hierarchy.of({"any": {"lungs": ["flu", "asthma"], "other": ["ulcer", "angina"]}})
    sexes = vk.Hierarchy.of({"*": ["F", "M"]})
    ages = [23, 27, 35, 41, 44, 52, 58, 61, 66, 29, 37, 48]
    frame = pd.DataFrame(
        {
            "Age": ages,
            "Sex": list("MFMFFMMFMFFM"),
            "Disease": ["flu", "asthma", "ulcer", "angina"] * 3,
        }
    )
    schema = vk.Schema(
        (
            vk.Column("Age", hierarchy=vk.Hierarchy.intervals(ages, [10, 20])),
            vk.Column("Sex", kind="nominal", hierarchy=sexes),
            vk.Column("Disease", "sensitive", "nominal", diseases),
        )
    )
    return vk.Microdata(frame, schema)


def earners():
    """Twelve people with a number that is sensitive, three people to each number."""
    frame = people().frame.drop(columns="Disease").assign(Salary=[10, 20, 30, 40] * 3)
    columns = (vk.Column("Age"), people().schema["Sex"], vk.Column("Salary", "sensitive"))
    return vk.Microdata(frame, vk.Schema(columns))


def categories():
    """Twelve distinct records of categories only: without an order, in a hierarchy, in order."""
    towns = vk.Hierarchy.of({"any": {"north": ["p", "q"], "south": ["r"]}})
    stages = ("I", "II", "III")
    frame = pd.DataFrame(
        {
            "Blood": ["A", "B", "AB", "0"] * 3,
            "Town": list("pqr") * 4,
            "Stage": [stages[place * 5 % 7 % 3] for place in range(12)],
        }
    )
    columns = (
        vk.Column("Blood", kind="nominal"),
        vk.Column("Town", "sensitive", "nominal", towns),
        vk.Column("Stage", kind="ordinal", order=stages),
    )
    return vk.Microdata(frame, vk.Schema(columns))


def gaps():
    """Twelve people, one value missing in each column."""
    data = people()
    frame = data.frame.astype(object)
    for place, name in enumerate(frame):
        frame.loc[3 * place + 1, name] = None
    return vk.Microdata(frame, data.schema)


def alone():
    """Nine distinct numbers, and nothing beside them."""
    return vk.Microdata(pd.DataFrame({"X": [5, 3, 8, 1, 9, 2, 6, 7, 4]}))


def again(data, rows=slice(None), index=None, dtypes=None):
    """The same table from a frame with other rows, labels or dtypes."""
    frame = data.frame.iloc[rows].astype(dtypes or {})
    return vk.Microdata(frame if index is None else frame.set_axis(index), data.schema)


def tagged():
    """Eight people whose names of columns and values would be tags where HTML is not escaped."""
    ills = vk.Hierarchy.of({"<x>any": {"<x>lungs": ["<x>flu"], "<x>other": ["<x>ulcer", "<x>a"]}})
    frame = pd.DataFrame(
        {
            "<x>Age": [23, 27, 35, 41, 44, 52, 58, 61],
            "<x>Sex": ["<x>F", "<x>M"] * 4,
            "<x>Ill": ["<x>flu", "<x>ulcer", "<x>a", "<x>flu"] * 2,
        }
    )
    columns = (
        vk.Column("<x>Age", hierarchy=vk.Hierarchy.intervals(frame["<x>Age"], [10, 20])),
        vk.Column("<x>Sex", kind="nominal", hierarchy=vk.Hierarchy.of({"<x>": ["<x>F", "<x>M"]})),
        vk.Column("<x>Ill", "sensitive", "nominal", ills),
    )
    return vk.Microdata(frame, vk.Schema(columns))


def one_record():
    """A single person."""
    return again(people(), rows=[0])


def identical():
    """Six people of whom nothing tells one from another."""
    return again(people(), rows=[0] * 6)


def empty():
    """Columns, and nobody in them."""
    return again(people(), rows=[])


def one_value():
    """One column of categories, the same for everyone."""
    return vk.Microdata(pd.DataFrame({"Town": ["p"] * 4}))


def nothing_known():
    """Six people of whom one column is missing altogether, a number and a category in turn."""
    frame = people().frame.astype(object).head(6)
    frame["Age"], frame["Disease"] = None, None
    return vk.Microdata(frame, people().schema)


TABLES = (numbers, people, earners, categories, gaps, alone)
UNLUCKY = (one_record, identical, empty, one_value, nothing_known)
DTYPES = {
    "float": ("float64", "string"),
    "object": ("object", "object"),
    "arrow": ("double[pyarrow]", "string[pyarrow]"),
    "category": ("category", "category"),
}


LABELS = {
    "duplicated": lambda size: [7] * size,
    "text": lambda size: [f"row {place}" for place in range(size)],
}
