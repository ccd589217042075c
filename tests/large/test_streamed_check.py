"""A check of a table that is not loaded says what a check in memory says."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sources import WHOLE

import verikit as vk
from verikit.large import located
from verikit.ranks import _closest_records

pytest.importorskip("pyarrow")


def same(one, other):
    """Whether two reports say the same: sentences, figures, tables, notes and facts."""
    assert one.headline == other.headline
    assert one.sentences == other.sentences
    assert one.figures == other.figures
    assert one.notes == other.notes
    assert one.met == other.met
    assert one.facts == other.facts
    assert one.tables.keys() == other.tables.keys()
    for name, table in one.tables.items():
        pd.testing.assert_frame_equal(table, other.tables[name])


def said(check):
    """The report, or the sentence that refuses."""
    try:
        return check()
    except vk.VerikitError as error:
        return str(error)


def agree(record, frame, path, schema=None, **asked):
    frame.to_parquet(path, row_group_size=50)
    release = vk.TableRelease.of(frame, schema)
    stream, memory = (said(lambda r=r: vk.check(record, r, **asked)) for r in (path, release))
    if isinstance(memory, str):
        assert stream == memory
    else:
        same(stream, memory)


@st.composite
def tables(draw):
    """Tables with ties and missing cells, and a record that need not be in them."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, m = draw(st.integers(1, 150)), draw(st.integers(1, 4))
    levels = [draw(st.sampled_from([1, 2, 5, 40, None])) for _ in range(m)]
    columns = [rng.normal(size=n) if k is None else rng.integers(0, k, n) for k in levels]
    frame = pd.DataFrame({f"c{at}": column for at, column in enumerate(columns)})
    share = draw(st.sampled_from([0, 0, 0.1, 0.5, 0.95]))
    if share:
        holes = rng.random((n, m)) < share
        holes[:, draw(st.integers(1, m)) :] = False
        frame = frame.astype(float).mask(holes)
    record = {name: float(rng.normal() * 2) for name in frame}
    if draw(st.booleans()):
        record = {name: v for name, v in frame.iloc[0].items() if not pd.isna(v)}
    dropped = draw(st.booleans()) and m > 1
    return frame, {n: v for n, v in record.items() if not (dropped and n == "c0")}


@settings(deadline=None)
@given(
    tables(),
    st.sampled_from([None, 0, 3, 500]),
    st.sampled_from(["variance", "robust variance", "distinct", "entropy", "t-closeness"]),
    st.sampled_from([1, 3, 6.0]),
)
def test_sentences_figures_and_tables_are_those_of_memory(made, places, criterion, hoped):
    import tempfile

    frame, record = made
    if not record:
        return
    with tempfile.TemporaryDirectory() as home, pytest.MonkeyPatch.context() as patch:
        patch.setattr(_closest_records, "HOPED", hoped)
        agree(record, frame, f"{home}/t.parquet", distance=places, criterion=criterion)


@pytest.mark.parametrize("seed", range(6))
def test_a_table_of_many_batches_is_searched_as_exactly(seed, tmp_path, monkeypatch):
    monkeypatch.setattr(_closest_records, "SAMPLE", 300)
    rng = np.random.default_rng(seed)
    n = 300_000
    base = rng.normal(size=n)
    frame = pd.DataFrame({"a": base, "b": base + rng.normal(size=n) * [0.01, 1, 9][seed % 3]})
    frame["c"] = rng.integers(0, [50, 10**6][seed % 2], n)
    frame = frame.sort_values("a") if seed > 3 else frame
    record = {name: float(v) + 0.001 for name, v in frame.iloc[n // 3 + seed].items()}
    frame.to_parquet(tmp_path / "t.parquet", row_group_size=40_000)
    stream = vk.check(record, tmp_path / "t.parquet", chance=False)
    same(stream, vk.check(record, vk.TableRelease.of(frame), chance=False))


@pytest.mark.parametrize("language", ["de", "pl"])
def test_other_languages_are_spoken_as_in_memory(language, tmp_path):
    frame = pd.DataFrame({"a": [1.0, 2, 3, 4, 5] * 8, "b": np.arange(40.0)})
    agree({"a": 2, "b": 7.5}, frame, tmp_path / "t.parquet", language=language)


@pytest.mark.parametrize("given", ["2020-06-05", "05/06/2020", "18.11.2020", "13/6/2020", "soon"])
def test_dates_are_days_wherever_the_table_lies(given, tmp_path):
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(60) * 7 % 400, unit="D")
    frame = pd.DataFrame({"when": days, "x": np.arange(60.0)})
    agree({"when": given, "x": 7.5}, frame, tmp_path / "t.parquet")
    agree({"when": given, "x": 7.5}, frame.assign(when=days.date), tmp_path / "d.parquet")
    kept = vk.index(vk.TableRelease.of(frame))
    refused = said(lambda: vk.check({"when": given, "x": 7.5}, vk.TableRelease.of(frame)))
    if isinstance(refused, str):
        assert said(lambda: vk.check({"when": given, "x": 7.5}, kept)) == refused


def test_times_of_day_after_dates_are_refused(tmp_path):
    days = pd.date_range("2020-01-01", periods=1500).append(pd.DatetimeIndex(["2020-01-01 08:30"]))
    frame = pd.DataFrame({"when": days, "x": np.arange(1501.0)})
    frame.to_parquet(tmp_path / "t.parquet")
    with pytest.raises(vk.SchemaError, match="'when' holds dates at first, and times of day"):
        vk.check({"when": "2020-06-05", "x": 7.5}, tmp_path / "t.parquet")


def test_promise_bound_and_reported_links_are_told_as_in_memory(tmp_path):
    data = vk.simulate("dm", 400, seed=1)
    release = vk.mask.rank_swap(data, percent=5, seed=2).release.reporting(40, without=["X2"])
    saved = release.save(tmp_path / "r", parquet=True)
    for row in range(0, 400, 80):
        same(vk.check(data.record(row), saved), vk.check(data.record(row), release))
    assert type(located(saved)).__name__ == "Stream"


@pytest.mark.parametrize("attributes", [2, 3])
def test_a_bound_is_told_as_in_memory_where_values_are_missing(attributes, tmp_path):
    data = vk.simulate("dm", 400, seed=1)
    release = vk.mask.rank_swap(data, percent=5, seed=2).release
    rng = np.random.default_rng(attributes)
    names = data.schema.names[:attributes]
    frame = release.frame[list(names)].mask(rng.random((400, attributes)) < 0.2)
    frame.iloc[7] = np.nan
    told = {"parameters": dict(release.parameters), "promise": "another order"}
    held = vk.TableRelease.of(
        frame, vk.Schema(release.schema.columns[:attributes]), method="rank_swap", **told
    )
    saved = held.save(tmp_path / "r", parquet=True)
    seen = set()
    for row in range(0, 400, 40):
        record = {name: data.frame[name].iloc[row] for name in names}
        same(vk.check(record, saved), vk.check(record, held))
        seen |= {s.key for s in vk.check(record, saved).sentences}
    assert {"S8", "S14"} <= seen if attributes > 2 else "S8" in seen


def test_missing_cells_are_told_alike_wherever_the_table_lies(tmp_path, monkeypatch):
    duckdb = pytest.importorskip("duckdb")
    monkeypatch.setattr("verikit.large._open.LARGE_CSV", 0)
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(rng.normal(size=(300, 3)), columns=list("abc"))
    frame["c"] = rng.integers(0, 6, 300)
    frame = frame.mask(rng.random(frame.shape) < 0.15)
    frame.iloc[0] = [1.5, 2.5, 3]
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    (tmp_path / "parts").mkdir()
    for part in range(3):
        some = frame.iloc[part * 100 : part * 100 + 100]
        some.to_parquet(tmp_path / "parts" / f"{part}.parquet")
    for record in ({"a": 0.1, "b": -0.2, "c": 4}, {"a": 9, "c": 2}):
        expected = vk.check(record, vk.TableRelease.of(frame))
        places = tmp_path / "t.csv", tmp_path / "t.parquet", tmp_path / "parts"
        for place in (*places, duckdb.from_df(frame)):
            same(vk.check(record, place), expected)


def test_a_column_that_is_empty_in_many_batches_is_searched_as_exactly(tmp_path):
    rng = np.random.default_rng(3)
    n = 400_000
    frame = pd.DataFrame(rng.normal(size=(n, 3)), columns=list("abc"))
    frame.loc[: n // 2, "a"] = np.nan
    frame["b"] = frame["b"].mask(rng.random(n) < 0.3)
    frame.to_parquet(tmp_path / "t.parquet", row_group_size=40_000)
    record = {"a": 0.4, "b": 1.1, "c": -0.3}
    stream = vk.check(record, tmp_path / "t.parquet", chance=False)
    same(stream, vk.check(record, vk.TableRelease.of(frame), chance=False))


def test_a_number_as_people_write_it_is_read_as_in_memory(tmp_path):
    rng = np.random.default_rng(5)
    for low, high, typed in ((1, 3, "2,5"), (1000, 3000, "1 500")):
        frame = pd.DataFrame(rng.uniform(low, high, (60, 2)), columns=["a", "b"])
        record = {"a": "1,234", "b": typed}
        agree(record, frame, tmp_path / f"{low}.parquet")


def test_an_order_of_categories_is_the_order_of_ranks(tmp_path):
    rng = np.random.default_rng(4)
    words = pd.Categorical.from_codes(rng.integers(0, 4, 90), list("dbca"), ordered=True)
    agree(
        {"a": "b", "b": 0.3},
        pd.DataFrame({"a": words, "b": rng.normal(size=90)}),
        tmp_path / "t.parquet",
    )


def test_several_files_are_one_table_in_the_order_of_their_names(tmp_path):
    frame = pd.DataFrame(np.random.default_rng(1).normal(size=(90, 2)), columns=["a", "b"])
    for part in range(3):
        frame.iloc[part * 30 : part * 30 + 30].to_parquet(tmp_path / f"part-{part}.parquet")
    record = {"a": 0.1, "b": -0.2}
    same(vk.check(record, tmp_path), vk.check(record, vk.TableRelease.of(frame)))


def test_files_that_a_system_lays_beside_the_parts_are_no_parts(tmp_path):
    frame = pd.DataFrame(np.random.default_rng(1).normal(size=(90, 2)), columns=["a", "b"])
    frame.to_parquet(tmp_path / "part-0.parquet")
    for name in ("._part-0.parquet", "_metadata.parquet", "_SUCCESS", "README.md", "notes.csv"):
        (tmp_path / name).write_bytes(b"no table")
    record = {"a": 0.1, "b": -0.2}
    same(vk.check(record, tmp_path), vk.check(record, vk.TableRelease.of(frame)))


@pytest.mark.parametrize("given", [{"b": 0.2, "a": 0.1}, {"b": 0.2, "c": "v"}])
def test_a_named_index_is_a_column_wherever_the_table_lies(given, tmp_path):
    frame = pd.DataFrame(np.random.default_rng(1).normal(size=(90, 2)), columns=["a", "b"])
    frame["c"] = list("uv") * 45
    agree(given, frame.set_index("b"), tmp_path / "t.parquet")
    assert located(tmp_path / "t.parquet", ["a", "b"]).schema.names == ("b", "a", "c")


def test_a_relation_of_duckdb_is_checked_as_the_table_it_gives():
    duckdb = pytest.importorskip("duckdb")
    frame = pd.DataFrame(np.random.default_rng(1).integers(0, 30, (300, 3)), columns=list("abc"))
    record = {"a": 3, "b": 40, "c": 5.5}
    same(vk.check(record, duckdb.from_df(frame)), vk.check(record, vk.TableRelease.of(frame)))


def test_a_large_csv_is_read_in_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr("verikit.large._open.LARGE_CSV", 0)
    frame = pd.DataFrame(np.random.default_rng(1).normal(size=(500, 3)), columns=list("abc"))
    frame["c"] = frame["c"].round(1).mask(frame.index < 3)
    frame.to_csv(tmp_path / "t.csv", index=False)
    assert type(located(tmp_path / "t.csv")).__name__ == "Stream"
    record = {"a": 0.1, "b": -0.2}
    for path in (tmp_path / "t.csv", str(tmp_path / "t.csv")):
        same(vk.check(record, path), vk.check(record, vk.open_release(path)))


def test_what_cannot_be_ranked_is_loaded_and_checked_as_before(tmp_path):
    frame = pd.DataFrame({"age": ["20-29", "30-39"] * 10, "sex": list("fm") * 10})
    frame.to_parquet(tmp_path / "t.parquet")
    record = {"age": "31", "sex": "m"}
    same(vk.check(record, tmp_path / "t.parquet"), vk.check(record, vk.TableRelease.of(frame)))


def test_a_table_sorted_in_a_file_costs_another_pass_and_no_wrong_answer(tmp_path, monkeypatch):
    monkeypatch.setattr("verikit.large._open.LARGE_CSV", 0)
    monkeypatch.setenv("VERIKIT_MEMORY_MB", "1")
    n = 200_000
    frame = pd.DataFrame({"a": np.arange(n) * 0.5, "b": np.random.default_rng(2).normal(size=n)})
    frame.to_csv(tmp_path / "t.csv", index=False)
    record = {"a": 70_000.2, "b": 0.25}
    stream = vk.check(record, tmp_path / "t.csv", chance=False)
    same(stream, vk.check(record, vk.TableRelease.of(frame), chance=False))


def test_what_must_be_held_beyond_the_memory_allowed_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("VERIKIT_MEMORY_MB", "1")
    frame = pd.DataFrame(np.random.default_rng(2).normal(size=(200_000, 2)), columns=["a", "b"])
    frame.to_parquet(tmp_path / "t.parquet")
    with pytest.raises(vk.FormatError, match="but 1 MB may be held; give more of her values, or"):
        vk.check({"a": 0, "b": 0}, tmp_path / "t.parquet", distance=90_000, chance=False)


def test_copies_are_counted_in_parts_where_memory_is_small(tmp_path, monkeypatch):
    monkeypatch.setenv("VERIKIT_MEMORY_MB", "1")
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"a": rng.integers(0, 9000, 120_000), "b": rng.integers(0, 9, 120_000)})
    frame.to_parquet(tmp_path / "t.parquet")
    record = frame.iloc[5].to_dict()
    stream = vk.check(record, tmp_path / "t.parquet", chance=False)
    same(stream, vk.check(record, vk.TableRelease.of(frame), chance=False))


def test_a_file_that_was_cut_short_is_refused_in_one_sentence(tmp_path):
    path = tmp_path / "t.parquet"
    pd.DataFrame({"a": np.arange(9.0)}).to_parquet(path)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(vk.FormatError, match=r"^'t.parquet' cannot be read to its end, it may be"):
        vk.check({"a": 1}, path)


def test_a_file_with_a_hole_in_it_is_refused_in_one_sentence(tmp_path):
    path = tmp_path / "t.parquet"
    pd.DataFrame({"a": np.random.default_rng(1).normal(size=90_000)}).to_parquet(path)
    content = bytearray(path.read_bytes())
    content[4:3000] = b"\xff" * 2996
    path.write_bytes(bytes(content))
    with pytest.raises(vk.FormatError, match=r"^'t.parquet' cannot be read to its end, it may be"):
        vk.check({"a": 1}, path)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"a": [1]}, "'p2.parquet' lacks 'b', unlike 'p1.parquet'; the files are no parts of one"),
        ({"a": [1], "b": [1], "c": [1]}, "'p2.parquet' has 'c' besides, unlike 'p1.parquet'"),
        ({"a": ["x"], "b": [1]}, "Column 'a' is double in 'p1.parquet' and .*string in 'p2"),
    ],
)
def test_files_that_are_no_parts_of_one_table_are_refused(other, message, tmp_path):
    pd.DataFrame({"a": [1.5], "b": [2]}).to_parquet(tmp_path / "p1.parquet")
    pd.DataFrame(other).to_parquet(tmp_path / "p2.parquet")
    with pytest.raises(vk.FormatError, match=message):
        vk.check({"a": 1}, tmp_path)


def test_a_release_that_was_changed_or_is_not_there_is_refused(tmp_path):
    saved = vk.published("dm_table1_masked").save(tmp_path / "r", parquet=True)
    pd.DataFrame({"X1": [1.0]}).to_parquet(saved / "table.parquet")
    with pytest.raises(vk.FormatError, match=r"'table.parquet' was changed after datapackage"):
        vk.check({"X1": 1}, saved)
    with pytest.raises(vk.FormatError, match="does not exist"):
        vk.check({"X1": 1}, tmp_path / "nowhere.parquet")
    with pytest.raises(vk.SchemaError, match="The release was given as int; expected a release"):
        vk.check({"X1": 1}, 5)


def test_a_number_that_becomes_a_word_late_in_a_csv_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("verikit.large._open.LARGE_CSV", 0)
    lines = ["a,b", *(f"{n},{n * 7 % 13}" for n in range(200_000)), "x,1"]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    with pytest.raises(vk.FormatError, match=r"'t.csv' cannot be read to its end.*'x'"):
        vk.check({"a": 1, "b": 2}, tmp_path / "t.csv")


def test_a_query_that_may_not_have_enough_memory_says_so():
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(config={"memory_limit": "6MB", "temp_directory": ""}) as base:
        numbers = base.sql("select hash(range) % 999983 as a from range(3000000) order by a")
        with pytest.raises(vk.FormatError, match="needs more memory than it is allowed; set the"):
            vk.check({"a": 5}, numbers)


def test_reading_can_be_followed_and_stopped(tmp_path):
    frame = pd.DataFrame(np.random.default_rng(1).normal(size=(400_000, 2)), columns=["a", "b"])
    frame.to_parquet(tmp_path / "t.parquet")
    seen = []

    def progress(done, every):
        seen.append((done, every))
        if done > 200_000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        vk.check({"a": 0, "b": 0}, located(tmp_path / "t.parquet").watched(progress))
    assert seen == [(131_072, 400_000), (262_144, 400_000)]
    assert [part.name for part in tmp_path.iterdir()] == ["t.parquet"]


def test_the_command_reads_a_table_where_it_lies(tmp_path, capsys):
    from verikit.cli import main

    saved = vk.published("dm_table1_masked").save(tmp_path / "r", parquet=True)
    values = ["--set", "X1=100.87", "--set", "X2=902.21", "--set", "X3=5108.54"]
    assert main(["check", str(saved), *values]) == 1
    streamed = capsys.readouterr().out
    assert main(["check", "dm_table1_masked", *values]) == 1
    assert capsys.readouterr().out == streamed


def test_an_index_of_a_table_that_does_not_fit_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("VERIKIT_MEMORY_MB", "1")
    pd.DataFrame({"a": np.arange(90_000.0)}).to_parquet(tmp_path / "t.parquet")
    with pytest.raises(vk.FormatError, match="An index is made of a table in memory, whose cells"):
        vk.index(tmp_path / "t.parquet")


def test_only_what_is_checked_without_loading_needs_pyarrow(tmp_path, monkeypatch):
    vk.published("dm_table1_masked").save(tmp_path / "r")
    monkeypatch.setattr("verikit._support.extras.find_spec", lambda name: None)
    assert vk.check({"X1": 100, "X2": 900}, tmp_path / "r").facts["records"] == 20
    pd.DataFrame({"a": [1.0]}).to_parquet(tmp_path / "t.parquet")
    with pytest.raises(vk.FormatError, match=r"needs pyarrow; install it with .*verikit\[scale\]"):
        vk.check({"a": 1}, tmp_path / "t.parquet")


def test_a_plain_check_opens_no_room_for_large_tables():
    import subprocess
    import sys

    code = (
        "import sys, verikit as vk\n"
        "vk.check({'X1': 100, 'X2': 900}, vk.published('dm_table1_masked'))\n"
        "print(*(name for name in sys.modules if name in ('verikit.large', 'duckdb')))"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == "\n"


@pytest.mark.parametrize(
    "description", ["{", "[]", "{}", '{"verikit": {"format": 1}}', '{"verikit": 5, "resources": 1}']
)
def test_a_description_that_describes_nothing_is_refused_as_it_is_in_memory(description, tmp_path):
    saved = vk.published("dm_table1_masked").save(tmp_path / "r", parquet=True)
    (saved / "datapackage.json").write_text(description)
    told = [said(lambda r=r: vk.check({"X1": 1}, r())) for r in (
        lambda: saved, lambda: vk.open_release(saved)
    )]  # fmt: skip
    assert isinstance(told[0], str)
    assert told[0] == told[1]


def test_a_column_without_values_is_refused_in_the_same_words_in_every_language(tmp_path):
    frame = pd.DataFrame({"a": [1.0, 2, 3, 4], "b": [np.nan] * 4, "c": [4.0, 3, 2, 1]})
    frame.to_parquet(tmp_path / "t.parquet")
    for language in ("en", "de"):
        said = []
        for release in (vk.TableRelease.of(frame), tmp_path / "t.parquet"):
            with pytest.raises(vk.errors.SchemaError, match="'b'") as refused:
                vk.check({"a": 1, "b": 2, "c": 2}, release, language=language)
            said.append(str(refused.value))
        assert said[0] == said[1]
    assert said[0].startswith("In der Spalte")


@pytest.mark.parametrize("language", WHOLE)
def test_a_record_that_shows_nothing_is_said_to_be_hers_perhaps_by_every_check(language, tmp_path):
    rows = [(4, 0), (None, None), (1, 5), (None, None), (2, None), (2, 3)]
    frame = pd.DataFrame(rows, columns=["c0", "c1"], dtype=float)
    vk.TableRelease.of(frame, promise="another order").save(tmp_path / "t", parquet=True)
    release, record = vk.open_release(tmp_path / "t"), {"c0": 1, "c1": 4}
    memory, disk, short = (
        vk.check(record, source, chance=False, language=language)
        for source in (release, tmp_path / "t", vk.index(release))
    )
    assert memory.sentence("S1'").startswith("2 ")
    assert memory.sentence("S1'") == disk.sentence("S1'") == short.sentence("S1'")
    same(disk, memory)
