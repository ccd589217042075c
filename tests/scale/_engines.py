"""What an engine says beside what is said in memory, for random tables with ties and gaps."""

from math import isclose, isnan

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit import scale
from verikit.errors import SchemaError

MODELS = [
    ("k_anonymity", {"k": 3}),
    ("distinct_diversity", {"ell": 2}),
    ("entropy_diversity", {"ell": 2}),
    ("recursive_diversity", {"c": 2, "ell": 2}),
    ("t_closeness", {"t": 0.3}),
    ("ke_anonymity", {"k": 3, "e": 5}),
]
PARTS = ("lower", "estimate", "upper", "mean", "variance")


def said(function, *given, **asked):
    """A result as it is printed, or the sentence that refuses."""
    try:
        return repr(function(*given, **asked))
    except vk.VerikitError as error:
        return str(error)


def ranked(seed, n=150, missing=0.15):
    """A table of numbers, some tied, some missing."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {"a": rng.normal(size=n), "b": rng.integers(0, 6, n), "c": rng.integers(0, 90, n) / 2}
    )
    frame = frame.astype(float).mask(rng.random(frame.shape) < missing)
    frame.iloc[0] = [0.5, 2, 20]
    return frame


def same_check(engine, seed, records=3, **asked):
    """A check in an engine and in memory: every sentence, figure, note, table and fact."""
    frame = ranked(seed, missing=[0.15, 0, 0.5][seed % 3])
    held = scale.open_table(engine, frame.assign(n=range(len(frame))), row="n")
    hers = ({"a": 0.1, "b": 2, "c": 20}, frame.iloc[0].to_dict(), {"b": 9, "c": 3.25})
    for record in hers[:records]:
        one = vk.check(record, held, **asked)
        other = vk.check(record, vk.TableRelease.of(frame), **asked)
        for part in ("headline", "sentences", "figures", "notes", "met", "facts"):
            assert getattr(one, part) == getattr(other, part), part
        for name, table in one.tables.items():
            pd.testing.assert_frame_equal(table, other.tables[name])


def classes(seed, n=200, missing=0.1):
    """A table with quasi-identifiers, some missing, and a number that is sensitive."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 24, n).astype(float),
            "sex": rng.choice(["f", "m"], n),
            "pay": rng.integers(0, 30, n),
        }
    )
    frame["age"] = frame["age"].mask(rng.random(n) < missing)
    frame["sex"] = frame["sex"].mask(rng.random(n) < missing)
    columns = (vk.Column("age"), vk.Column("sex", kind="nominal"), vk.Column("pay", "sensitive"))
    return frame, vk.Schema(columns)


def same_models(engine, seed, models=MODELS):
    """Every model on a table, its missing values refused or values of their own."""
    frame, schema = classes(seed, missing=[0.1, 0][seed % 2])
    held = scale.open_table(engine, frame, schema)
    memory = vk.TableRelease.of(frame, schema)
    for name, asked in models:
        model = getattr(vk.models, name)
        for missing in ("refuse", "own value"):
            told = dict(asked, missing=missing)
            assert said(model, held, **told) == said(model, memory, **told), name


def same_answer(query, held, memory):
    """An answer in all its parts, or the same refusal."""
    one, other = vk.answer(query, held), vk.answer(query, memory)
    for part in PARTS:
        here, there = getattr(one, part), getattr(other, part)
        if here is None or there is None:
            assert here is there is None, (query, part)
        else:
            both = isnan(here) and isnan(there)
            assert both or isclose(here, there, rel_tol=1e-9, abs_tol=1e-7), (query, part)
    assert (one.unit, one.rests_on) == (other.unit, other.rests_on), query


def same_audit(engine, seed, n=200, names="abc"):
    """The places of every record, and who fails."""
    frame = ranked(seed, n, missing=0)[list(names)]
    data = vk.Microdata(frame, vk.Schema.guess(frame))
    required = {"a": 3, "c": 1} if "a" in names else {"c": 1}
    scales = {"a": 0.3, "b": 0.0, "c": 2.0}
    asked = {
        "scale": {name: scales[name] for name in names},
        "grid": {"c": 0.5} if seed % 2 else None,
    }
    release, key = vk.mask.noise(data, **asked, seed=seed)
    tables = [
        scale.open_table(engine, t.frame.assign(n=range(n)), row="n") for t in (data, release)
    ]
    pairs = pd.DataFrame({"record": range(n), "row": key.rows})
    found = scale.audit(*tables, pairs, distance=required)
    expected = vk.audit(data, release, key, distance=required, subject_view=False)
    lines = engine.fetch(found.table.order_by("record"))
    places = lines[[f"places {name}" for name in names]].to_numpy()
    np.testing.assert_array_equal(places, expected.protector)
    np.testing.assert_array_equal(lines["failed"], expected.failed.any(axis=1))
    assert dict(found.largest) == dict(expected.largest)
    assert (found.met, found.failed) == (expected.met, expected.failed.any(axis=1).sum())
    return tables, key, release


def same_diversity(engine, seed, n=200, names="abc"):
    """The least diverse window around every record, and who fails."""
    frame = ranked(seed, n, missing=0)[list(names)]
    data = vk.Microdata(frame, vk.Schema.guess(frame))
    scales = {name: {"a": 0.3, "b": 0.0, "c": 2.0}[name] for name in names}
    grid = {name: 0.5 for name in names if name != "b"}
    release, key = vk.mask.noise(data, scale=scales, grid=grid, seed=seed)
    tables = [
        scale.open_table(engine, t.frame.assign(n=range(n)), row="n") for t in (data, release)
    ]
    pairs = pd.DataFrame({"record": range(n), "row": key.rows})
    required = (
        {"distance": {"c": 4}, "diversity": {"c": 3.217}},
        {"distance": {"b": 0, "c": 12}, "diversity": {"b": 1, "c": 6}, "criterion": "distinct"},
        {"distance": 2 * n, "diversity": {"a": 0.0123, "b": 2.02}},
    )
    for asked in required if len(names) == 3 else required[:1]:
        found = scale.audit(*tables, pairs, **asked)
        expected = vk.audit(data, release, key, **asked, subject_view=False)
        lines = engine.fetch(found.table.order_by("record"))
        for at, name in enumerate(names):
            if name in asked["diversity"]:
                told = lines[f"diversity {name}"].to_numpy()
                np.testing.assert_allclose(told, expected.diversity[:, at], 1e-9, 1e-12)
        np.testing.assert_array_equal(lines["failed"], expected.failed.any(axis=1))
        assert found.met == expected.met


def same_refusal(engine, seed, n=60):
    """What an audit says of missing values."""
    frame, rng = ranked(seed, n, missing=0), np.random.default_rng(seed)
    gaps = frame.mask(rng.random(frame.shape) < 0.03)
    pairs = pd.DataFrame({"record": range(n), "row": range(n)})
    schema = vk.Schema.guess(frame)
    for one, other in ((gaps, frame), (frame, gaps), (gaps, gaps)):
        tables = [scale.open_table(engine, t.assign(n=range(n)), row="n") for t in (one, other)]
        memory = vk.Microdata(one, schema), vk.TableRelease.of(other, schema)
        told = said(scale.audit, *tables, pairs)
        assert told == said(vk.audit, *memory, vk.Key.of(range(n)))
        assert "and so no ranks" in told or not gaps.isna().any(axis=None)


def same_reverse_map(engine, seed, n=120):
    """The original value of each rank; where masked values tie, the same values together."""
    rng = np.random.default_rng(seed)
    frame = ranked(seed, n, 0)
    masked = frame + rng.normal(size=(n, 3))
    masked["b"] = masked["b"].round()
    masked["c"] = (masked["c"] / 20).round()
    tables = [scale.open_table(engine, t.assign(n=range(n)), row="n") for t in (frame, masked)]
    found = scale.reverse_map(*tables, seed=4)
    lines = engine.fetch(found.held.table.order_by("n"))
    for name in "abc":
        original, shown = frame[name].to_numpy(), masked[name].to_numpy()
        expected = pd.Series(vk.ranks.reverse_map(original, shown, seed=1))
        for tied in masked.groupby(name).indices.values():
            assert sorted(lines[name].iloc[tied]) == sorted(expected.iloc[tied])
    assert masked["b"].duplicated().any()
    assert masked["c"].duplicated().any()
    assert found.permutation
    return lines


def tied(engine, n=90):
    """What two masks publish of a table with many ties."""
    frame = ranked(6, n, 0).round().assign(n=range(n))
    data = scale.open_table(engine, frame, row="n")
    other = scale.open_table(engine, (frame[::-1] / 7).round().assign(n=range(n)), row="n")
    mapped = scale.reverse_map(data, other, seed=5)
    release, key = scale.permute(data, places=8, seed=5)
    lines = release.held.table.inner_join(key, "row").order_by("row")
    return engine.fetch(mapped.held.table.order_by("n")), engine.fetch(lines)


def same_dates(engine, folder, n=60):
    """A check and an audit by dates, with a missing one, from a file and from a frame."""
    rng = np.random.default_rng(3)
    days = np.datetime64("1950-01-01") + rng.integers(0, 400, n).astype("timedelta64[D]")
    frame = pd.DataFrame(
        {"born": pd.Series(days).dt.date, "seen": days.astype("datetime64[us]"), "a": range(n)}
    )
    gaps = frame.assign(born=frame["born"].where(rng.random(n) > 0.1))
    gaps.assign(n=range(n)).to_parquet(folder / "dates.parquet")
    memory = vk.TableRelease.of(gaps)
    record = {"born": "1950-06-01", "seen": "1950-05-02", "a": 30}
    expected = vk.check(record, memory)
    for given in (folder / "dates.parquet", gaps.assign(n=range(n))):
        held = scale.open_table(engine, given, row="n")
        assert held.schema == memory.schema
        found = vk.check(record, held)
        for part in ("headline", "sentences", "figures", "notes", "met", "facts"):
            assert getattr(found, part) == getattr(expected, part), part
    data = scale.open_table(engine, frame.assign(n=range(n)), row="n")
    rows = rng.permutation(n)
    audited = scale.audit(data, data, pd.DataFrame({"record": range(n), "row": rows}))
    original = vk.Microdata(frame, vk.Schema.guess(frame))
    told = vk.audit(original, vk.TableRelease.of(frame), vk.Key.of(rows), subject_view=False)
    lines = engine.fetch(audited.table.order_by("record"))
    places = lines[["places born", "places seen", "places a"]].to_numpy()
    np.testing.assert_array_equal(places, told.protector)


def same_long_numbers(engine, folder):
    """Whole numbers of which some are no float are names, wherever they stand."""
    ids = [110101199003070011 + at for at in range(4)]
    for values in (ids, [*range(1500), *ids], [-(2**63), -(2**63) + 1], [2**53, 2**53 + 1]):
        frame = pd.DataFrame({"id": values, "age": 30})
        frame.to_parquet(folder / "long.parquet")
        memory = vk.open_release(folder / "long.parquet")
        frame.assign(n=range(len(frame))).to_parquet(folder / "long.parquet")
        held = scale.open_table(engine, folder / "long.parquet", row="n")
        assert held.schema == memory.schema
        assert held.schema["id"].kind == "nominal"
        assert [note[:23] for note in held.notes] == ["'id' is read as names: "]
        asked = {"id": "110101199003070016", "age": 30}
        one, other = said(vk.check, asked, held), said(vk.check, asked, memory)
        assert one == other
        numeric = vk.Schema((vk.Column("id"), vk.Column("age")))
        with pytest.raises(SchemaError, match=r"'id' is numeric but holds -?\d{16,}, a whole"):
            scale.open_table(engine, folder / "long.parquet", numeric, row="n")
        named = scale.open_table(engine, folder / "long.parquet", memory.schema, row="n")
        for query in (f"select count(*) from t where id = '{values[-1]}'",):
            assert vk.answer(query, named) == vk.answer(query, held) == vk.answer(query, memory)
    for values in ([2**53, 2**53 + 2, -(2**60)], [2**63 - 2**10, 3], [5.0, None, 2.0**70]):
        pd.DataFrame({"id": values}).to_parquet(folder / "long.parquet")
        held = scale.open_table(engine, folder / "long.parquet")
        assert (held.schema["id"].kind, held.notes) == ("numeric", ())  # each of them is a float


def same_kinds(engine, n=80):
    """Ordered categories, a constant, values half-way between two, and a column without any."""
    rng = np.random.default_rng(8)
    frame = pd.DataFrame(
        {
            "level": pd.Categorical.from_codes(rng.integers(0, 4, n), list("dbca"), ordered=True),
            "same": 7.0,
            "step": rng.integers(0, 9, n) * 2.0,
            "gone": np.full(n, np.nan),
        }
    )
    gaps = frame.assign(level=frame["level"].mask(rng.random(n) < 0.1))
    memory = vk.TableRelease.of(gaps)
    held = scale.open_table(engine, gaps.assign(n=range(n)), memory.schema, row="n")
    asked = (
        {"level": "b", "step": 7},
        {"level": "a", "same": 7, "step": 40},
        {"same": 6.5, "step": -1},
        {"gone": 1, "step": 7},
        {"level": "e", "step": 7},
    )
    for record in asked:
        one, other = said(vk.check, record, held), said(vk.check, record, memory)
        assert one == other, record
    data = frame.drop(columns="gone")
    rows = rng.permutation(n)
    table = scale.open_table(engine, data.assign(n=range(n)), vk.Schema.guess(data), row="n")
    pairs = pd.DataFrame({"record": range(n), "row": rows})
    lines = engine.fetch(scale.audit(table, table, pairs).table.order_by("record"))
    original = vk.Microdata(data, vk.Schema.guess(data))
    told = vk.audit(original, vk.TableRelease.of(data), vk.Key.of(rows), subject_view=False)
    places = lines[[f"places {name}" for name in data]].to_numpy()
    np.testing.assert_array_equal(places, told.protector)
