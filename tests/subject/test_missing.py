"""A missing value may be any value: it takes no attribute away, and no place is counted for it."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sources import WHOLE

import verikit as vk
from verikit.errors import SchemaError


def table(n, m, values, gaps, seed):
    """A small table with gaps; each column keeps a value."""
    rng = np.random.default_rng(seed)
    found = rng.integers(0, values, (n, m)).astype(float)
    found[rng.random((n, m)) < gaps] = np.nan
    found[rng.permutation(n)[:2]] = rng.integers(0, values, (2, m))
    return pd.DataFrame(found, columns=[f"a{j}" for j in range(m)])


def places(frame, record):
    """Per row the places to a record, by counting: the published values that lie between."""
    found = np.zeros(frame.shape, int)
    for j, name in enumerate(frame):
        known = np.sort(frame[name].dropna().to_numpy())
        apart = np.abs(known - record[name])
        near = known[apart == apart.min()]
        low, high = near.min(), near.max()
        for row, value in enumerate(frame[name]):
            below = np.count_nonzero((known > value) & (known < low)) + 1
            above = np.count_nonzero((known < value) & (known > high)) + 1
            found[row, j] = below if value < low else above if value > high else 0
    return found[frame.notna().any(axis=1)].max(axis=1)


cases = given(
    st.integers(0, 2**31), st.integers(4, 14), st.integers(2, 3), st.sampled_from([3, 30]),
    st.booleans(),
)  # fmt: skip


@settings(max_examples=60)
@cases
def test_places_are_counted_among_what_was_published(seed, n, m, values, prepared):
    frame = table(n, m, values, 0.3, seed)
    release = vk.TableRelease.of(frame)
    record = dict.fromkeys(frame, 1.5)
    report = vk.check(record, release.prepare() if prepared else release, chance=False)
    expected = places(frame, record)
    assert report.facts["distance"] == expected.min()
    assert report.facts["matches"] == np.count_nonzero(expected == expected.min())


@settings(max_examples=30)
@cases
def test_whatever_is_missing_she_is_at_least_as_far_as_is_said(seed, n, m, values, prepared):
    """The values that were there, had they been published: never closer than with the gaps."""
    frame = table(n, m, values, 0.0, seed)
    hidden = frame.mask(np.random.default_rng(seed).random(frame.shape) < 0.2)
    if hidden.notna().all(axis=1).sum() and hidden.notna().any().all():
        record = dict.fromkeys(frame, 1.0)
        told = [
            vk.check(record, vk.TableRelease.of(t), chance=False).facts for t in (hidden, frame)
        ]
        rows = hidden.notna().any(axis=1).all()
        assert not rows or told[0]["distance"] <= told[1]["distance"]


@settings(max_examples=30)
@cases
def test_strangers_without_gaps_are_asked_as_she_is(seed, n, m, values, prepared):
    frame = table(n + 4, m, values, 0.15, seed)
    whole = frame.index[frame.notna().all(axis=1)]
    if (frame.nunique() > 1).all() and all(frame[c].value_counts().max() > 0 for c in frame):
        report = vk.check(dict.fromkeys(frame, 1.0), vk.TableRelease.of(frame))
        found = report.facts.get("chance")
        if found is None:
            return
        without = [frame.drop(index=i) for i in whole]
        if any((t.notna().sum() == 0).any() for t in without):
            return
        distances = [
            places(rest, frame.loc[i].to_dict()).min()
            for i, rest in zip(whole, without, strict=True)
        ]
        as_close = sum(d <= report.facts["distance"] for d in distances)
        assert found["others"] == (1 + as_close) / (len(whole) + 1)


def test_a_missing_value_is_told_and_shown_as_missing():
    frame = pd.DataFrame({"x": [1.0, 2, None, 4], "y": [1.0, 2, 3, 4]})
    report = vk.check({"x": 1, "y": 3}, vk.TableRelease.of(frame))
    assert report.facts["distance"] == 0
    assert report.attributes["match"].isna().tolist() == [True, False]
    assert report.notes[0].startswith("x is missing in 25 of 100 published records: it may be any")
    assert report.sentence("S13") is None, "a missing value is no copy of hers"


def test_a_record_that_shows_nothing_is_nobodys_closest():
    frame = pd.DataFrame({"x": [1.0, 2, 3, None], "y": [5.0, 6, 7, None]})
    report = vk.check({"x": 1, "y": 7}, vk.TableRelease.of(frame))
    assert report.facts["distance"] == 1
    assert report.matches["row"].tolist() == [2]


ROWS = [(4, 0), (9, None), (4, 4), (1, 5), (None, None), (2, None), (2, 3)]
APART = [(4, 0), (9, 1), (8, 9), (7, 0)]
SHE = {"c0": 1, "c1": 4}
HERS_TOO = "1 other published record shows no value of c0 and c1: such a record has no distance"


def some_rows(rows):
    frame = pd.DataFrame(rows, columns=["c0", "c1"], dtype=float)
    return vk.TableRelease.of(frame, promise="another order")


def test_a_record_that_shows_nothing_can_be_hers_and_no_sentence_says_otherwise():
    report = vk.check(SHE, some_rows(ROWS), chance=False)
    assert report.sentence("S1").startswith("3 of 6 published records are closest, each 1 place")
    assert report.sentence("S1'") == f"{HERS_TOO}, and can be yours too."
    assert report.sentence("S2") == (
        "If you are in this table, and your own record shows any value of c0 and c1 there, it was "
        "moved by at least 1 place in at least one attribute."
    )
    whole = vk.check(SHE, some_rows([row for row in ROWS if row != (None, None)]), chance=False)
    assert whole.sentence("S1'") is None
    assert whole.sentence("S2").startswith("If you are in this table, your own record was moved")
    assert whole.sentence("S1") == report.sentence("S1")


@pytest.mark.parametrize("language", WHOLE)
def test_no_requirement_is_called_met_where_a_record_that_shows_nothing_can_be_hers(language):
    whole, gaps = some_rows(APART), some_rows([*APART, (None, None)])
    met = vk.check(SHE, whole, distance={"c1": 1}, chance=False, language=language)
    assert met.met is True
    unsure = vk.check(SHE, gaps, distance={"c1": 1}, chance=False, language=language)
    assert unsure.met is None
    said = unsure.sentence("R")
    assert "c0" in said
    assert said != met.sentence("R")
    assert all(f'class="{look}"' not in unsure.to_html() for look in ("vk-met", "vk-unmet"))
    assert vk.check(SHE, gaps, distance=9, chance=False, language=language).met is False


def test_what_is_met_among_records_that_show_a_value_is_said_of_these_alone():
    gaps = some_rows([*APART, (None, None)])
    assert vk.check(SHE, gaps, distance={"c1": 1}, chance=False).sentence("R") == (
        "Among the published records that show a value of c0 and c1, what you asked for is met. "
        "If yours is one of the others, nobody can tell."
    )


def test_a_value_beside_those_compared_does_not_make_a_record_hers_any_less():
    rows = [(*row, 7) for row in ROWS]
    frame = pd.DataFrame(rows, columns=["c0", "c1", "c2"], dtype=float)
    report = vk.check(SHE, vk.TableRelease.of(frame, promise="another order"), chance=False)
    assert report.sentence("S1'").startswith(HERS_TOO)


def test_a_column_without_any_value_is_refused():
    frame = pd.DataFrame({"x": [np.nan, np.nan], "y": [1.0, 2]})
    with pytest.raises(SchemaError, match="Column 'x' of the release has no value at all"):
        vk.check({"x": 1, "y": 2}, vk.TableRelease.of(frame))


def test_some_gaps_do_not_silence_the_warning_of_an_unmasked_table():
    """Of 1000 records a fifth misses one of three values; those who miss none are warned."""
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(rng.normal(size=(1000, 3)), columns=list("abc"))
    gaps = frame.copy()
    gaps.loc[rng.permutation(1000)[:60], "a"] = np.nan
    release = vk.TableRelease.of(gaps).prepare()
    for limit, least in ((0.05, 0.9), (0.01, 0.0)):
        states = [
            vk.check(frame.iloc[i].to_dict(), release, alpha=limit).headline.state
            for i in range(0, 1000, 40)
        ]
        assert np.mean([state == "warning-you" for state in states]) >= least
        assert "no-warning" not in states
