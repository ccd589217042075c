"""What DuckDB says of a large table is what is said in memory."""

import subprocess
import sys
from math import isnan
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import verikit as vk

ibis = pytest.importorskip("ibis")
pytest.importorskip("duckdb")

from _engines import (  # noqa: E402
    classes,
    ranked,
    same_answer,
    same_audit,
    same_check,
    same_dates,
    same_diversity,
    same_kinds,
    same_long_numbers,
    same_models,
    same_refusal,
    same_reverse_map,
)

from verikit import scale  # noqa: E402
from verikit.scale import _ranks  # noqa: E402

SEEDS = st.integers(0, 2**31)
DRAWN = [Phase.explicit, Phase.generate]  # a smaller table would tell no more, and take minutes


@pytest.fixture(scope="module")
def engine():
    with scale.connect(memory_mb=500) as found:
        yield found


@settings(deadline=None, phases=DRAWN, max_examples=6)
@given(SEEDS, st.sampled_from([{}, {"distance": 3}, {"criterion": "t-closeness"}]))
def test_a_check_says_what_it_says_in_memory(engine, seed, asked):
    same_check(engine, seed, **asked)


@settings(deadline=None, phases=DRAWN, max_examples=4)
@given(SEEDS)
def test_models_judge_as_they_do_in_memory(engine, seed):
    same_models(engine, seed)


@settings(deadline=None, phases=DRAWN, max_examples=5)
@given(SEEDS, st.sampled_from([10**6, 60, 7]))
def test_every_record_moved_as_many_places_as_in_memory(engine, seed, part):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_ranks, "PART", part)
        same_audit(engine, seed)


@settings(deadline=None, phases=DRAWN, max_examples=3)
@given(SEEDS, st.sampled_from([10**6, 60, 7]))
def test_values_around_every_record_differ_as_much_as_in_memory(engine, seed, part):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_ranks, "PART", part)
        same_diversity(engine, seed)


@settings(deadline=None, phases=DRAWN, max_examples=4)
@given(SEEDS)
def test_an_audit_refuses_missing_values_in_the_sentence_of_memory(engine, seed):
    same_refusal(engine, seed)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"diversity": 2, "distance": 3, "criterion": "entropy"}, "not as 'entropy'; choose one"),
        ({"diversity": {"a": 2}, "distance": {"b": 3}}, "of 'a' and no distance, so that"),
        ({"distance": {"z": 3}}, "names 'z', which is not among"),
    ],
)
def test_a_diversity_that_no_window_tells_is_refused(engine, asked, message):
    tables = [scale.open_table(engine, ranked(1, missing=0).assign(n=range(150)), row="n")] * 2
    with pytest.raises(vk.RecordError, match=message):
        scale.audit(*tables, pd.DataFrame({"record": range(150), "row": range(150)}), **asked)


@settings(deadline=None, phases=DRAWN, max_examples=4)
@given(SEEDS, st.sampled_from([10**6, 40]))
def test_reverse_mapping_gives_the_value_of_the_same_rank(engine, seed, part):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_ranks, "PART", part)
        same_reverse_map(engine, seed)


QUESTIONS = [
    "select count(*) from t",
    "select count(*) from t where age between 21 and 22",
    "select count(*) from t where age > 21 and sex = 'f'",
    "select count(*) from t where age > 21 or not sex = 'f'",
    "select count(*) from t where age >= 22 and pay < 9",
    "select avg(pay) from t where age >= 22",
    "select sum(pay) from t where age < 22 or sex = 'm'",
    "select avg(pay) from t where age > 500",
    "select sum(pay) from t where age > 500",
    "select max(pay) from t",
    "select avg(pay) from t",
]


@settings(deadline=None, phases=DRAWN, max_examples=3)
@given(SEEDS, st.sampled_from(["as it was", "changed", "untold"]))
def test_a_plain_table_is_asked_as_in_memory(engine, seed, promise):
    frame, schema = classes(seed)
    held = scale.open_table(engine, frame, schema, promise=promise)
    memory = vk.TableRelease.of(frame, schema, promise=promise)
    for query in QUESTIONS:
        same_answer(query, held, memory)


@settings(deadline=None, phases=DRAWN, max_examples=3)
@given(SEEDS)
def test_a_generalized_table_with_withheld_cells_is_asked_as_in_memory(engine, seed):
    rng = np.random.default_rng(seed)
    frame, schema = classes(seed, missing=0)
    cells = np.array(["20-21", "22-23", "20-23", None], object)
    frame["age"] = rng.choice(cells, len(frame))
    schema = schema.with_column("age", kind="nominal")
    held = scale.open_table(engine, frame, schema, promise="covers")
    memory = vk.TableRelease.of(frame, schema, promise="covers")
    for query in [*QUESTIONS[:9], QUESTIONS[-1]]:
        same_answer(query, held, memory)


@pytest.mark.parametrize("name", ["anatomize", "permute_all", "permute_sensitive"])
@pytest.mark.parametrize("seed", range(2))
def test_a_release_in_two_tables_is_asked_and_judged_as_in_memory(engine, name, seed, tmp_path):
    frame, schema = classes(seed, n=120, missing=0)
    data = vk.Microdata(frame, schema)
    if name == "permute_sensitive":
        asked = {"partition": vk.partition.max_groups(data, k=3, e=3, seed=1)}
    else:
        asked = {"partition": vk.partition.anatomy(data, ell=3, seed=seed)}
    release = getattr(vk.mask, name)(data, **asked, seed=seed).release
    held = scale.open_table(engine, release.save(tmp_path / "r", parquet=True))
    for query in [q for q in QUESTIONS if "max" not in q and "pay <" not in q]:
        same_answer(query, held, release)
    same_answer("select count(*) from t where age >= 22 and pay < 9", held, release)
    for model, limits in (("k_anonymity", {"k": 3}), ("ke_anonymity", {"k": 3, "e": 3})):
        judge = getattr(vk.models, model)
        assert repr(judge(held, **limits)) == repr(judge(release, **limits))


@pytest.mark.parametrize("seed", range(3))
def test_bounds_hold_where_there_is_no_room_for_the_columns_of_a_part_that_is_asked_twice(
    engine, seed, tmp_path, monkeypatch
):
    frame, schema = classes(seed, n=60, missing=0)
    data = vk.Microdata(frame, schema)
    parts = vk.partition.anatomy(data, ell=3, seed=seed)
    release = vk.mask.anatomize(data, partition=parts, seed=seed).release
    held = scale.open_table(engine, release.save(tmp_path / "r", parquet=True))
    where = "(age >= 22 and pay < 9) or (sex = 'f' and pay > 4)"
    monkeypatch.setattr("verikit.scale._evidence.FEWEST", 10**9)
    one, other = (vk.answer(f"select count(*) from t where {where}", r) for r in (held, release))
    assert one.lower <= other.lower <= other.estimate <= other.upper <= one.upper
    assert isnan(one.estimate)
    assert (one.tight, other.tight, one.mean) == (False, True, None)
    assert "may be wider than need be" in repr(one)


TWICE = [
    "count(*) from t where (age >= 22 and pay < 9) or (sex = 'f' and pay > 4)",
    "count(*) from t where (age >= 22 or pay < 9) and not (sex = 'f' and pay > 4)",
    "count(*) from t where (age = 21 and pay = 5) or (age = 22 and pay = 6) or sex = 'm'",
    "sum(pay) from t where age >= 22 and pay < 9",
    "avg(age) from t where age < 23 and (pay < 9 or sex = 'f')",
    "max(pay) from t where pay < 9 and sex = 'f'",
]


@pytest.mark.parametrize("name", ["anatomize", "permute_all"])
@pytest.mark.parametrize("seed", range(4))
def test_what_asks_one_part_twice_has_the_bounds_and_the_estimate_of_memory(
    engine, name, seed, tmp_path
):
    frame, schema = classes(seed, n=60, missing=0)
    data = vk.Microdata(frame, schema)
    parts = vk.partition.anatomy(data, ell=3, seed=seed)
    release = getattr(vk.mask, name)(data, partition=parts, seed=seed).release
    held = scale.open_table(engine, release.save(tmp_path / "r", parquet=True))
    for query in TWICE:
        one, other = (vk.answer(f"select {query}", asked) for asked in (held, release))
        assert repr(one) == repr(other)
        assert (one.lower, one.upper, one.tight) == (other.lower, other.upper, other.tight)
        assert one.estimate == pytest.approx(other.estimate)


def test_open_cells_that_are_asked_twice_are_as_in_memory(engine):
    frame, schema = classes(3, missing=0)
    cells = np.array(["20-21", "22-23", "20-23"], object)
    frame["age"] = np.random.default_rng(3).choice(cells, len(frame))
    schema = schema.with_column("age", kind="nominal")
    held = scale.open_table(engine, frame, schema, promise="covers")
    memory = vk.TableRelease.of(frame, schema, promise="covers")
    for where in ("(age < 22 and sex = 'f') or (age > 22 and sex = 'm')",
                  "age < 23 and (age > 21 or pay < 4)"):  # fmt: skip
        for measured in (False, True):
            query = f"select count(*) from t where {where}"
            one, other = (vk.answer(query, r, measured=measured) for r in (held, memory))
            assert repr(one) == repr(other)


def test_whole_numbers_are_measured_as_in_memory(engine):
    frame, schema = classes(3, missing=0)
    frame["age"] = np.random.default_rng(3).choice(["20-21", "22-23", "20-23"], len(frame))
    schema = schema.with_column("age", kind="nominal")
    held = scale.open_table(engine, frame, schema, promise="covers")
    memory = vk.TableRelease.of(frame, schema, promise="covers")
    query = "select count(*) from t where age between 21 and 22"
    for measured in (True, False):
        one, other = (vk.answer(query, r, measured=measured) for r in (held, memory))
        assert one.estimate == pytest.approx(other.estimate)


def test_a_permuted_table_is_counted_as_in_memory(engine):
    frame, schema = classes(1, missing=0)
    told = {"promise": "another order"}
    held = scale.open_table(engine, frame, schema, **told)
    for query in [q for q in QUESTIONS if "count" in q]:
        same_answer(query, held, vk.TableRelease.of(frame, schema, **told))


@pytest.mark.parametrize("name", ["lhcc_table3", "lhcc_table4", "qz_table2_2", "ks_table4"])
def test_releases_of_the_papers_are_judged_as_printed(engine, name, tmp_path):
    release = vk.published(name)
    held = scale.open_table(engine, release.save(tmp_path / "r", parquet=True))
    for model, asked in (("k_anonymity", {"k": 3}), ("t_closeness", {"t": 0.5})):
        judge = getattr(vk.models, model)
        assert repr(judge(held, **asked)) == repr(judge(release, **asked))


@pytest.mark.parametrize("mask", ["noise", "permute"])
def test_columns_of_another_role_are_published_as_they_are(engine, mask):
    frame = pd.DataFrame({"n": range(40), "region": list("NESW") * 10, "pay": np.arange(40.0)})
    schema = vk.Schema.guess(frame, region="other", n="identifier")
    data = scale.open_table(engine, frame, schema, row="n")
    asked = {"noise": {"scale": 0.5}, "permute": {"places": 4}}[mask]
    release, key = getattr(scale, mask)(data, **asked, seed=3)
    assert list(release.whole().frame) == ["region", "pay"]
    of = engine.fetch(key).sort_values("row")["record"].to_numpy()
    assert release.whole().frame["region"].tolist() == frame["region"].iloc[of].tolist()
    alone = scale.open_table(
        engine, frame, vk.Schema.guess(frame, **dict.fromkeys(frame, "other")), row="n"
    )
    with pytest.raises(vk.SchemaError, match="no quasi-identifying or sensitive column to mask"):
        getattr(scale, mask)(alone, **asked, seed=3)


def test_a_table_of_several_files_is_one(engine, tmp_path):
    frame = ranked(3)
    for part in range(3):
        frame.iloc[part * 50 : part * 50 + 50].to_parquet(tmp_path / f"{part}.parquet")
    held = scale.open_table(engine, tmp_path)
    record = {"a": 0.2, "b": 3, "c": 8}
    memory = vk.check(record, vk.TableRelease.of(frame))
    assert vk.check(record, held).sentences == memory.sentences
    assert vk.check(record, held).tables["matches"].equals(memory.tables["matches"])


def test_noise_is_normal_independent_and_repeatable(engine):
    n = 4000
    frame = pd.DataFrame({"a": np.zeros(n), "b": np.arange(n) * 1.0})
    data = scale.open_table(engine, frame.assign(n=range(n)), row="n")
    release, key = scale.noise(data, scale={"a": 2.0, "b": 5.0}, seed=7)
    lines = engine.fetch(release.held.table.inner_join(key, "row").order_by("record"))
    moved = lines[["a", "b"]].to_numpy() - frame.to_numpy()
    assert np.abs(moved.mean(axis=0) / [2, 5]).max() < 4 / np.sqrt(n)
    assert np.abs(moved.std(axis=0) / [2, 5] - 1).max() < 0.06
    assert abs(np.corrcoef(moved.T)[0, 1]) < 4 / np.sqrt(n)
    inside = (np.abs(moved[:, 0]) < 2).mean()
    assert abs(inside - 0.6827) < 0.03
    assert sorted(lines["row"]) == list(range(n))
    assert np.abs(np.corrcoef(lines["row"], lines["record"])[0, 1]) < 4 / np.sqrt(n)
    again = scale.noise(data, scale={"a": 2.0, "b": 5.0}, seed=7)
    pd.testing.assert_frame_equal(
        engine.fetch(again.release.held.table.order_by("row")),
        engine.fetch(release.held.table.order_by("row")),
    )
    other = scale.noise(data, scale={"a": 2.0, "b": 5.0}, seed=8)
    assert not engine.fetch(other.key.order_by("record")).equals(
        engine.fetch(key.order_by("record"))
    )


def test_a_seed_only_deals_out_anew_what_ties_share(engine):
    frame = pd.DataFrame({"a": [3.0, 1, 2, 5, 4, 6, 8, 7]})
    masked = pd.DataFrame({"a": [1.0, 1, 1, 2, 3, 3, 3, 4]})
    tables = [scale.open_table(engine, t.assign(n=range(8)), row="n") for t in (frame, masked)]
    found = set()
    for seed in range(12):
        mapped = scale.reverse_map(*tables, seed=seed).held.table.order_by("n")
        found.add(tuple(engine.fetch(mapped)["a"]))
    assert len(found) > 3
    for lines in found:
        assert [sorted(lines[:3]), lines[3], sorted(lines[4:7]), lines[7]] == [
            [1, 2, 3], 4, [5, 6, 7], 8,
        ]  # fmt: skip


@pytest.mark.parametrize("part", [10**6, 50])
def test_a_permutation_moves_no_value_farther_than_it_publishes(engine, part, monkeypatch):
    monkeypatch.setattr(_ranks, "PART", part)
    frame = ranked(5, 200, missing=0)
    data = scale.open_table(engine, frame.assign(n=range(200)), row="n")
    release, key = scale.permute(data, places={"a": 9, "b": 9, "c": 0}, seed=3)
    found = scale.audit(data, release, key).to_frame(200)
    assert 5 < found["places a"].max() <= 9
    assert found["places b"].max() <= 9
    assert found["places c"].max() == 0
    for name in "abc":
        assert sorted(release.whole().frame[name]) == sorted(frame[name])
    told = vk.check(frame.iloc[4].to_dict(), release)
    assert told.sentence("S8").startswith("The publisher promises that no value was moved by more")


def test_dates_are_days_as_in_memory(engine, tmp_path):
    same_dates(engine, tmp_path)


def test_long_whole_numbers_are_names_as_in_memory(engine, tmp_path):
    same_long_numbers(engine, tmp_path)


def test_columns_of_every_kind_are_as_in_memory(engine):
    same_kinds(engine)


def test_times_of_day_among_dates_are_refused(engine, tmp_path):
    days = pd.Series(pd.date_range("1950-01-01", periods=1200))
    days.iloc[-1] += pd.Timedelta(hours=8)
    path = tmp_path / "days.parquet"
    pd.DataFrame({"day": days}).to_parquet(path)
    with pytest.raises(vk.SchemaError, match="'day' holds dates at first, and times of day furth"):
        scale.open_table(engine, path)


def test_the_memory_limit_is_that_of_duckdb_and_its_folder_goes():
    with scale.connect(memory_mb=64) as found:
        spill = found.spill
        assert found.memory_mb == pytest.approx(64, abs=1)
        bar = "select current_setting('enable_progress_bar')"
        assert found.backend.con.execute(bar).fetchone() == (False,)
        found.backend.con.execute(
            "create table t as select hash(range) as a, range as b from range(6000000)"
        )
        found.backend.con.execute("create table u as select * from t order by a")
        assert list(spill.glob("duckdb_temp*"))
    assert not spill.exists()


def work_that_is_interrupted(seen):
    from duckdb import InterruptException

    with scale.connect() as found:
        seen.append(found.spill)
        assert found.spill.is_dir()
        with found.refusing():
            raise InterruptException("Query interrupted")  # what Ctrl-C becomes inside DuckDB


def test_who_interrupts_the_work_finds_nothing_left_behind():
    seen = []
    with pytest.raises(KeyboardInterrupt):
        work_that_is_interrupted(seen)
    assert not seen[0].exists()


def test_a_folder_that_was_forgotten_goes_with_the_process():
    code = "from verikit import scale; print(scale.connect().spill)"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True
    )
    assert not Path(done.stdout.strip()).exists()


def test_too_little_memory_is_said_in_one_sentence():
    with scale.connect(memory_mb=4) as small:
        small.backend.con.execute("set temp_directory = ''")
        numbers = ibis.range(9_000_000).unnest().name("a").as_table()
        with pytest.raises(vk.FormatError, match="needs more memory than DuckDB may hold; connect"):
            small.kept(numbers.mutate(b=numbers.a.hash()).order_by("b"))


def test_what_was_closed_is_said_to_be_closed():
    with scale.connect() as closed:
        held = scale.open_table(closed, ranked(1))
    with pytest.raises(vk.FormatError, match="DuckDB was closed; connect again"):
        vk.check({"a": 1, "b": 2}, held)


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda e, t: scale.open_table(e, 5), "A table was given as int; expected a path"),
        (
            lambda e, t: scale.open_table(e, ranked(1), row="n"),
            "lacks the column 'n', which was to",
        ),
        (lambda e, t: scale.connect("spark"), "The session was given as 'str'; expected a running"),
        (lambda e, t: scale.connect(memory_mb=-1), "memory_mb"),
        (lambda e, t: scale.audit(t, t, pd.DataFrame({"record": [0]})), "records of the original"),
        (lambda e, t: scale.noise(t, scale=0.5, seed=1), "not counted, and noise has to find them"),
        (lambda e, t: scale.permute(t, places=2, seed=1), "not counted, and permute has to find"),
        (lambda e, t: vk.answer("select sum(a) from t where a > 1", t), None),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_sentence(engine, act, message):
    held = scale.open_table(engine, ranked(1, missing=0))
    if message is None:
        assert act(engine, held).lower is not None
        return
    with pytest.raises(vk.VerikitError, match=message) as refused:
        act(engine, held)
    assert "\n" not in str(refused.value)


def test_values_without_a_rank_and_a_key_of_others_are_refused(engine):
    tables = [scale.open_table(engine, ranked(1).assign(n=range(150)), row="n")] * 2
    pairs = pd.DataFrame({"record": range(150), "row": range(150)})
    with pytest.raises(vk.SchemaError, match=r"Column 'a' of the original has \d+ missing values"):
        scale.audit(*tables, pairs)
    with pytest.raises(vk.RecordError, match="The key joins 149 lines of 150 records"):
        scale.audit(*tables, pairs.iloc[1:])
    with pytest.raises(vk.RecordError, match="The key lacks 'row'"):
        scale.audit(*tables, pairs[["record"]])
    twice = pairs.assign(row=[1, *range(1, 150)])
    with pytest.raises(vk.RecordError, match="150 different records and 149 different rows; use"):
        scale.audit(*tables, twice)
    with pytest.raises(vk.SchemaError, match=r"missing value.*which have no rank"):
        scale.permute(tables[0], places=3, seed=1)


@pytest.mark.parametrize("wrong", [0, 1])
def test_records_that_are_counted_twice_are_refused(engine, wrong):
    frame, numbers = ranked(1, 60, missing=0), np.arange(60)
    twice = np.where(numbers == 7, 8, numbers)
    counted = [twice if at == wrong else numbers for at in range(2)]
    tables = [scale.open_table(engine, frame.assign(n=n), row="n") for n in counted]
    pairs = pd.DataFrame({"record": numbers, "row": numbers})
    with pytest.raises(vk.RecordError, match="from 59 of 60 records to a row; the columns that"):
        scale.audit(*tables, pairs)


def test_no_window_begins_inside_a_part(engine):
    """Spark works out anew, for each row, a frame that reaches from it to the end."""
    columns = {"record": "int64", "v": "float64", "here": "int64", "part": "int64"}
    found = _ranks._find_neighbours(ibis.table(columns, "parted"))
    told = ibis.to_sql(found, dialect="duckdb")
    frames = [line.split("BETWEEN ")[1] for line in told.splitlines() if "BETWEEN" in line]
    assert len(frames) > 4
    assert {frame.split(" AND ")[0] for frame in frames} == {"UNBOUNDED PRECEDING"}


def test_files_that_are_damaged_or_no_parts_of_one_table_are_refused(engine, tmp_path):
    frame = ranked(1)
    frame.to_parquet(tmp_path / "1.parquet")
    frame.drop(columns="b").to_parquet(tmp_path / "2.parquet")
    with pytest.raises(vk.FormatError, match=r"'2.parquet' lacks 'b', unlike '1.parquet'"):
        scale.open_table(engine, tmp_path)
    frame.assign(b="x").to_parquet(tmp_path / "2.parquet")
    with pytest.raises(vk.FormatError, match=r"Column 'b' is double in '1.parquet' and .*string"):
        scale.open_table(engine, tmp_path)
    path = tmp_path / "1.parquet"
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(vk.FormatError, match=r"^'1.parquet' cannot be read to its end"):
        scale.open_table(engine, path)


def audited(engine, n=200):
    frame = ranked(4, n, missing=0)
    tables = [scale.open_table(engine, frame.assign(n=range(n)), row="n")] * 2
    return scale.audit(*tables, pd.DataFrame({"record": range(n), "row": range(n)}))


def test_an_audit_is_saved_whole_or_not_at_all(engine, tmp_path):
    found = audited(engine)
    path = found.save(tmp_path / "audit.parquet")
    written = pd.read_parquet(path)
    assert written["record"].tolist() == list(range(200))
    text = pd.read_csv(found.save(tmp_path / "audit.csv"))
    pd.testing.assert_frame_equal(text, written, check_dtype=False)
    with pytest.raises(vk.FormatError, match="exists already"):
        found.save(path)
    with pytest.raises(vk.FormatError, match="'lines'"):
        found.save(tmp_path / "none" / "lines")
    assert sorted(part.name for part in tmp_path.iterdir()) == ["audit.csv", "audit.parquet"]


def test_a_folder_with_an_apostrophe_is_written_to(engine, tmp_path):
    home = tmp_path / "O'Brien's; \"work\""
    home.mkdir()
    found = audited(engine, 20)
    for name, read in (("a.csv", pd.read_csv), ("a.parquet", pd.read_parquet)):
        assert read(found.save(home / name))["record"].tolist() == list(range(20))


def test_no_name_of_a_column_is_taken_for_one_of_ours(engine):
    rng = np.random.default_rng(1)
    names = ["record", "row", "place", "of", "c1", "a's; \""]
    columns = {name: rng.normal(size=60) for name in names}
    frame = pd.DataFrame(columns | {"zz": rng.integers(0, 9, 60), "at": range(60)})
    schema = vk.Schema.guess(frame.drop(columns="at"))
    for whose in (schema, schema.with_column("zz", role="other")):
        data = scale.open_table(engine, frame, whose, row="at")
        release, key = scale.permute(data, places=4, seed=3)
        of = engine.fetch(key).sort_values("row")["record"].to_numpy()
        shown = release.whole().frame
        places = scale.audit(data, release, key).to_frame()
        noisy, key = scale.noise(data, scale=0.001, seed=3)
        drawn = engine.fetch(key).sort_values("row")["record"].to_numpy()
        mapped = scale.reverse_map(data, data, seed=1).whole().frame
        assert list(shown) == [*names, "zz"]
        if whose is not schema:
            assert shown["zz"].tolist() == frame["zz"].iloc[of].tolist()
        for name in names:
            assert sorted(shown[name]) == sorted(frame[name])
            assert 0 < places[f"places {name}"].max() <= 4
            assert np.abs(noisy.whole().frame[name] - frame[name].to_numpy()[drawn]).max() < 0.01
            np.testing.assert_array_equal(mapped[name], frame[name])


def test_no_name_of_a_column_misleads_an_answer_or_a_check(engine):
    rng = np.random.default_rng(2)
    names = ["block_", "row_number_", "low_0", "mean_0"]
    columns = {name: rng.integers(0, 9, 60) * 1.0 for name in names}
    frame = pd.DataFrame(columns | {"zz": rng.normal(size=60)})
    memory = vk.TableRelease.of(frame, promise="another order")
    held = scale.open_table(engine, frame, promise="another order")
    for name in names:
        same_answer(f'select count(*) from t where "{name}" > 3 and zz > 0', held, memory)
    record = dict.fromkeys(names, 3) | {"zz": 0.2}
    assert vk.check(record, held).facts == vk.check(record, memory).facts


def test_names_that_are_ours_are_refused(engine):
    frame = ranked(1).rename(columns={"b": "verikit_block"})
    with pytest.raises(vk.SchemaError, match="'verikit_block' has a name as engines give it"):
        scale.open_table(engine, frame)


def test_an_audit_is_not_collected_to_be_saved(engine, tmp_path, monkeypatch):
    found = audited(engine)

    def collected(*_):
        raise AssertionError("the table was collected")

    for name in ("fetch", "arrow"):
        monkeypatch.setattr(scale.Engine, name, collected)
    assert found.save(tmp_path / "audit").stat().st_size


def test_what_was_saved_before_is_whole_where_saving_is_killed(engine, tmp_path):
    old = audited(engine).save(tmp_path / "old.parquet")
    content = old.read_bytes()
    code = (
        "import os, signal, sys\n"
        "from verikit.scale import connect, _engine\n"
        "engine = connect()\n"
        "table = engine.kept(__import__('ibis').range(10**6).unnest().name('record').as_table())\n"
        "write = engine._copy_table\n"
        "def killed(*given):\n"
        "    write(*given)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "engine._copy_table = killed\n"
        "engine.save(table, sys.argv[1] + '/new.parquet', 'record')\n"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, str(tmp_path)], capture_output=True, check=False
    )
    assert done.returncode == -9, done.stderr
    assert old.read_bytes() == content
    assert not (tmp_path / "new.parquet").exists()
    assert audited(engine).save(tmp_path / "new.parquet").is_file()


def test_ibis_and_duckdb_are_imported_where_they_are_used():
    code = (
        "import sys, verikit as vk, verikit.scale\n"
        "vk.check({'X1': 100, 'X2': 900}, vk.published('dm_table1_masked'))\n"
        "print(*(n for n in sys.modules if n in ('ibis', 'duckdb', 'pyspark')))"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == "\n"


NAMED = [
    "t[1].parquet", "t*.parquet", "a?b.parquet", "a]b.parquet", "[x]/d[1].parquet",
    "year=2020/p.parquet", "d[1]", "year=2020/d*", "{a,b}.parquet", "a\\b.parquet",
]  # fmt: skip


@pytest.mark.parametrize("named", NAMED)
def test_the_file_that_was_named_is_opened_and_no_other(engine, named, tmp_path):
    other = pd.DataFrame({"age": [99.0] * 7, "pay": [9.0] * 7})
    for decoy in ("t1.parquet", "t2.parquet", "axb.parquet", "x/d1.parquet", "d1/a.parquet",
                  "year=2020/d1/a.parquet", "a.parquet", "ab.parquet"):  # fmt: skip
        (tmp_path / decoy).parent.mkdir(exist_ok=True, parents=True)
        other.to_parquet(tmp_path / decoy)
    people = pd.DataFrame({"age": [31.0, 45, 52], "pay": [1.0, 2, 3]})
    path = tmp_path / named
    path.parent.mkdir(exist_ok=True, parents=True)
    if path.suffix:
        people.to_parquet(path)
    else:
        path.mkdir()
        people[:2].to_parquet(path / "a[1].parquet")
        people[2:].to_parquet(path / "b.parquet")
    found = scale.open_table(engine, path)
    assert found.schema.names == ("age", "pay")
    assert engine.fetch(found.source.table[["age", "pay"]]).to_dict("list") == people.to_dict(
        "list"
    )


def test_a_column_called_nearly_as_an_index_is_kept(engine, tmp_path):
    frame = pd.DataFrame({"__index_level_0__x": [1.0, 2, 3], "pay": [1.0, 2, 4]}, index=[3, 1, 2])
    frame.to_parquet(tmp_path / "t.parquet")
    found = scale.open_table(engine, tmp_path / "t.parquet")
    assert found.schema.names == ("__index_level_0__x", "pay")


def test_files_that_an_engine_counts_otherwise_are_refused(engine, tmp_path, monkeypatch):
    pd.DataFrame({"age": [31.0, 45, 52]}).to_parquet(tmp_path / "t.parquet")
    monkeypatch.setattr("verikit.large._source.ParquetFiles.rows", 4)
    with pytest.raises(vk.FormatError, match=r"DuckDB finds 3 records in 't.parquet'.*hold 4"):
        scale.open_table(engine, tmp_path / "t.parquet")
