"""What verikit made itself is not checked again, and is just what the checks would give."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.table import _fit

SIZES = vk.Hierarchy.of({"any": {"small": ["xs", "s"], "large": ["l", "xl"]}})
FRAME = pd.DataFrame(
    {
        "whole": [4, 2, 7, 7, 1, 9, 3, 5],
        "half": [1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
        "gap": [1.0, None, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
        "town": ["p", "q", "r", None, "p", "q", "p", "p"],
        "stage": ["I", "II", "I", "II", "II", "I", "II", "I"],
        "size": ["xs", "s", "l", "l", "s", "xs", "s", "l"],
    }
)
SCHEMA = vk.Schema(
    (
        vk.Column("whole"),
        vk.Column("half"),
        vk.Column("gap", "other"),
        vk.Column("town", "other", "nominal"),
        vk.Column("stage", "sensitive", "ordinal", order=("I", "II", "III")),
        vk.Column("size", "quasi", "nominal", SIZES),
    )
)
DATA = vk.Microdata(FRAME, SCHEMA)
FULL = vk.Microdata(
    FRAME.assign(gap=FRAME["half"], town=FRAME["town"].fillna("r")), SCHEMA
)  # where masks refuse what is missing


def alike(frame, other):
    """Whether frames are the same to the last dtype and category."""
    pd.testing.assert_frame_equal(frame, other, check_exact=True)
    return isinstance(frame.index, pd.RangeIndex)


ROWS = [[], [0], [3], [1, 2, 4], [7, 6, 5, 4, 3, 2, 1, 0], [2, 2, 2, 5], [-1, 0], list(range(8))]


@pytest.mark.parametrize("rows", ROWS, ids=str)
def test_records_taken_are_what_they_would_be_as_a_table_of_their_own(rows):
    rows = np.array(rows, np.intp)
    assert alike(DATA.take(rows).frame, vk.Microdata(DATA.frame.take(rows), SCHEMA).frame)


def test_some_columns_are_what_they_would_be_as_a_table_of_their_own():
    found = DATA.only("size", "half")
    assert found.schema.names == ("size", "half")
    assert alike(found.frame, vk.Microdata(FRAME[["size", "half"]], found.schema).frame)


def test_what_is_taken_is_a_copy():
    for found in (DATA.take(np.arange(8)), DATA.only(*SCHEMA.names)):
        found.frame.loc[0, "whole"] = 99
        assert DATA.frame["whole"].tolist()[0] == 4


def checked(release):
    """The same release, made anew from its fields with all checks."""
    fields = {f.name: getattr(release, f.name) for f in dataclasses.fields(release) if f.init}
    return type(release)(**fields)


TABLE_MASKS = {n: m for n, m in vk.mask.METHODS.items() if m.takes is vk.Microdata}


def masked():
    """A release of every mask, of all columns it takes, and its key."""
    pair = FULL.frame[["whole", "half"]]
    paid = vk.Microdata(pair, vk.Schema.guess(pair, half="sensitive"))
    for method in TABLE_MASKS.values():
        for data in (FULL, FULL.only("whole", "half"), DATA, paid):
            try:
                given = {n: a(data) if callable(a) else a for n, a in method.example.items()}
                yield method.name, method.function(data, **given, seed=5)
            except vk.VerikitError:
                continue


MASKED = list(masked())


def test_every_mask_is_tried():
    assert {name for name, _ in MASKED} == set(TABLE_MASKS)


@pytest.mark.parametrize("made", [made for _, made in MASKED], ids=lambda made: made.release.method)
def test_a_mask_publishes_what_the_checks_would_give(made):
    again = checked(made.release)
    for name, (frame, _) in made.release.tables().items():
        assert alike(frame, again.tables()[name][0])
    assert made.release.parameters == again.parameters


@pytest.mark.parametrize("made", [made for _, made in MASKED], ids=lambda made: made.release.method)
def test_undoing_gives_what_the_checks_would_give(made):
    try:
        found = made.key.undo(made.release)
    except vk.SchemaError:
        return  # cells that stand for several values, or two tables
    frame = made.release.frame.take(made.key.rows)
    assert alike(found.frame, vk.Microdata(frame, found.schema).frame)


def test_what_a_mask_makes_up_is_still_checked():
    rng = np.random.default_rng(1)
    values = np.array([1.0, np.inf, 3, 4, 5, 6, 7, 8])
    with pytest.raises(vk.SchemaError, match="Column 'half' holds an infinite value"):
        vk.mask.publish(FULL, {"half": values}, method="own", parameters={}, rng=rng)
    with pytest.raises(vk.SchemaError, match="A parameter of a release was given as"):
        vk.mask.publish(FULL, {}, method="own", parameters={"x": object()}, rng=rng)


def test_neither_taking_nor_preparing_nor_signing_fits_a_table_again(monkeypatch):
    release = vk.TableRelease.of(FULL.frame, SCHEMA)

    def refused(*_, **__):
        raise AssertionError("fitted again")

    for name in ("_fit_column", "_fit_numbers", "_fit_categories"):
        monkeypatch.setattr(_fit, name, refused)
    DATA.take(np.arange(8)[::-1])
    DATA.only("half")
    release.prepare()
    release.signed("own", "changed")
    release.reporting(2)
    with pytest.raises(AssertionError, match="fitted again"):
        vk.Microdata(FRAME, SCHEMA)


def test_a_count_of_links_is_still_checked():
    with pytest.raises(vk.SchemaError, match="9 correct links were reported of 8 records"):
        vk.TableRelease.of(FULL.frame, SCHEMA).reporting(9)
