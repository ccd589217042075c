"""Published parameters give nobody away, not even to one who knows all others."""

import re
from collections.abc import Mapping

import numpy as np
import pandas as pd
import pytest

import verikit as vk

DIGITS = 2
each_mask = pytest.mark.parametrize("method", vk.mask.METHODS.values(), ids=lambda m: m.name)


def people():
    """Twelve people: numbers, categories with and without an order, one column sensitive."""
    ages = [23, 27, 35, 41, 44, 52, 58, 61, 66, 29, 37, 48]
    frame = pd.DataFrame(
        {"Age": ages, "Sex": list("MFMFFMMFMFFM"), "Ill": ["flu", "cold", "gout", "mumps"] * 3}
    )
    sexes = vk.Hierarchy.of({"*": ["F", "M"]})
    columns = (
        vk.Column("Age"),
        vk.Column("Sex", kind="nominal", hierarchy=sexes),
        vk.Column("Ill", "sensitive", "nominal"),
    )
    return vk.Microdata(frame, vk.Schema(columns))


def measurements():
    """Twelve records of uneven numbers."""
    rng = np.random.default_rng(4)
    return vk.Microdata(pd.DataFrame(rng.lognormal(3, 1, (12, 3)), columns=["X1", "X2", "X3"]))


def earners():
    """Twelve people with a number that is sensitive."""
    frame = people().frame.drop(columns="Ill").assign(Pay=[10, 20, 30, 40] * 3)
    columns = (*people().schema.quasi, vk.Column("Pay", "sensitive"))
    return vk.Microdata(frame, vk.Schema(columns))


def categories():
    """Twelve records of nothing but categories."""
    values = np.array(list("abc"))[np.arange(24).reshape(12, 2) * 7 % 5 % 3]
    return vk.Microdata(pd.DataFrame(values, columns=["P", "Q"]))


def published(method, data):
    """The parameters of the mask's example on a table; None where it refuses the table."""
    given = {n: a(data) if callable(a) else a for n, a in method.example.items()}
    return method.function(data, **given, seed=1).release.parameters


def leaves(told, path=""):
    """Every single parameter by the path to it."""
    if isinstance(told, Mapping):
        parts = told.items()
    elif isinstance(told, list):
        parts = enumerate(told)
    else:
        return {path: told}
    return {k: v for name, part in parts for k, v in leaves(part, f"{path}/{name}").items()}


def significant(number):
    """How many significant digits a number is written with."""
    digits = re.sub(r"e.*|[^\d]", "", f"{number!r}".removesuffix(".0")).lstrip("0")
    whole = float(number).is_integer()
    return len(digits.rstrip("0") if whole else digits)


def moved(data, row, name):
    """The same table with one value moved."""
    frame = data.frame.copy()
    if data.schema[name].kind == "numeric":
        frame[name] = frame[name].astype(float)
        frame.loc[row, name] += 3.3
    else:
        used = [v for v in frame[name].unique() if v != frame.loc[row, name]]
        frame.loc[row, name] = used[0]
    return vk.Microdata(frame, data.schema)


@pytest.mark.parametrize(("number", "digits"), [(0.5, 1), (12, 2), (4.03, 3), (1e-7, 1), (120, 2)])
def test_significant_digits_are_counted_as_they_are_written(number, digits):
    assert significant(number) == digits


@each_mask
def test_one_value_more_or_less_shows_in_no_parameter_beyond_two_digits(method):
    compared = 0
    for data in (measurements(), people(), earners(), categories()):
        try:
            before = leaves(published(method, data))
        except vk.VerikitError:
            continue
        for row in range(len(data)):
            name = data.schema.names[row % len(data.schema.names)]
            try:
                after = leaves(published(method, moved(data, row, name)))
            except vk.VerikitError:
                continue
            compared += 1
            assert before.keys() == after.keys()
            for path in before:
                if before[path] != after[path]:
                    assert significant(before[path]) <= DIGITS, (method.name, path, before[path])
                    assert significant(after[path]) <= DIGITS, (method.name, path, after[path])
    assert compared >= 12, "every mask takes one of the tables"


def solved(rest, deviation):
    """The values the last person may have, where all others and the deviation are known."""
    n, total, squares = len(rest) + 1, rest.sum(), (rest**2).sum()
    return np.roots([1 - 1 / n, -2 * total / n, squares - total**2 / n - n * deviation**2])


def test_the_published_noise_does_not_give_the_last_person_away():
    """The exact deviation gave the value of 9 of 9 to within 6e-10."""
    data = vk.load("dm_table1")
    scale = vk.mask.noise(data, scale=0.5, seed=1).release.parameters["scale"]
    errors = []
    for name in data.schema.names:
        values = data.scores(name)
        for row in (0, 2, 7):
            rest = np.delete(values, row)
            exact = solved(rest, values.std())
            assert np.abs(exact - values[row]).min() < 1e-6, "the attack itself works"
            found = solved(rest, scale[name] / 0.5)
            errors.append(np.abs(found - values[row]).min() / values.std())
    assert len(errors) == 9
    assert min(errors) > 1e-3


def test_the_noise_that_is_drawn_is_that_which_is_published():
    data = vk.simulate("dm", 4000, seed=3)
    release, _ = vk.mask.noise(data, scale=0.5, seed=1)
    again, _ = vk.mask.noise(data, scale=release.parameters["scale"], seed=1)
    pd.testing.assert_frame_equal(release.frame, again.frame)
    assert release.parameters["scale_digits"] == DIGITS
    assert all(significant(scale) <= DIGITS for scale in release.parameters["scale"].values())


def test_scales_in_units_are_used_and_published_as_they_are_given():
    given = {"X1": 5.125, "X2": 25, "X3": 100.0625}
    release = vk.mask.noise(vk.load("dm_table1"), scale=given, seed=1).release
    assert release.parameters == {"scale": given}
