"""What Spark says of a large table is what is said in memory; one local session for all of it."""

import os
import shutil

import pandas as pd
import pytest
from sources import THOROUGH

import verikit as vk

ibis = pytest.importorskip("ibis")
pytest.importorskip("pyspark")

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
    same_reverse_map,
    tied,
)

from verikit import scale  # noqa: E402
from verikit.scale import _ranks  # noqa: E402

long = pytest.mark.skipif(not THOROUGH, reason="asked where thoroughness is, and of DuckDB always")
SMALL = {  # what makes a session for tiny tables quick
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
    "spark.log.level": "ERROR",
}


@pytest.fixture(scope="module")
def session():
    """A session with two workers in this process; skipped, with the reason, where none starts."""
    if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        pytest.skip("no Java was found, which Spark needs")
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]")
    for name, value in SMALL.items():
        builder = builder.config(name, value)
    try:
        found = builder.getOrCreate()
    except Exception as error:
        pytest.skip(f"Spark did not start: {' '.join(str(error).split())[:200]}")
    yield found
    found.stop()


@pytest.fixture(scope="module")
def engine(session):
    return scale.connect(session)


def test_a_check_says_what_it_says_in_memory(engine):
    held = scale.open_table(engine, ranked(1))
    assert held.held.table.get_backend().name == "pyspark"
    same_check(engine, 3, records=1, distance=3)


def test_models_judge_as_they_do_in_memory(engine):
    same_models(engine, 2, [("k_anonymity", {"k": 3}), ("ke_anonymity", {"k": 3, "e": 5})])


def test_every_record_moved_as_many_places_as_in_memory(engine, monkeypatch):
    monkeypatch.setattr(_ranks, "PART", 80)
    same_audit(engine, 1, n=100, names="bc")


def test_values_around_every_record_differ_as_much_as_in_memory(engine, monkeypatch):
    monkeypatch.setattr(_ranks, "PART", 30)
    same_diversity(engine, 1, n=50, names="c")


@long
def test_reverse_mapping_gives_the_value_of_the_same_rank(engine):
    same_reverse_map(engine, 1, n=60)


def test_releases_are_asked_as_in_memory(engine, tmp_path):
    frame, schema = classes(1, n=60, missing=0)
    data = vk.Microdata(frame, schema)
    groups = vk.partition.max_groups(data, k=3, e=3, seed=1)
    release = vk.mask.permute_sensitive(data, partition=groups, seed=1).release
    held = scale.open_table(engine, release.save(tmp_path / "r", parquet=True))
    same_answer("select avg(pay) from t where age >= 22", held, release)
    plain = scale.open_table(engine, frame, schema, promise="as it was")
    query = "select count(*) from t where age > 21 or not sex = 'f'"
    same_answer(query, plain, vk.TableRelease.of(frame, schema, promise="as it was"))


def test_both_engines_draw_the_same_noise(engine):
    frame = ranked(2, 40, missing=0).assign(n=range(40))
    lines = []
    with scale.connect() as other:
        for one in (engine, other):
            data = scale.open_table(one, frame, row="n")
            release, key = scale.noise(data, scale=0.5, seed=3)
            lines.append(one.fetch(release.held.table.inner_join(key, "row").order_by("row")))
    pd.testing.assert_frame_equal(*lines, check_like=True, rtol=1e-12)


def test_what_spark_keeps_is_worked_out_at_once_and_given_up(engine, session):
    held = session.sparkContext._jsc.sc().getPersistentRDDs
    before = held().size()
    first = engine.kept(engine.of_frame(pd.DataFrame({"a": range(9)})))
    second = engine.kept(first.mutate(b=first.a + 1))
    engine.drop(first)
    told = session.sparkContext._jsc.sc().getRDDStorageInfo()
    assert all(part.numCachedPartitions() == part.numPartitions() for part in told)
    assert held().size() == before + 1
    engine.drop(second)
    assert held().size() == before


@pytest.mark.parametrize(("end", "read"), [("parquet", pd.read_parquet), ("csv", pd.read_csv)])
def test_spark_writes_a_folder_of_parts_or_nothing(engine, tmp_path, end, read):
    kept = engine.kept(engine.of_frame(pd.DataFrame({"record": range(9), "places": 1})))
    place = engine.save(kept, tmp_path / f"audit.{end}", "record")
    parts = sorted(place.glob(f"*.{end}"))
    assert pd.concat([read(part) for part in parts])["record"].tolist() == list(range(9))
    with pytest.raises(vk.FormatError, match="exists already and is not empty"):
        engine.save(kept, place, "record")
    with pytest.raises(vk.FormatError, match="cannot be worked on by Spark"):
        engine.save(kept.mutate(b=ibis.literal("x").cast("int64")), tmp_path / "no", "record")
    assert [part.name for part in tmp_path.iterdir()] == [place.name]


@long
def test_both_engines_break_ties_alike(engine):
    with scale.connect() as other:
        for one, same in zip(tied(engine), tied(other), strict=True):
            pd.testing.assert_frame_equal(one, same, check_like=True)


@long
def test_dates_are_days_as_in_memory(engine, tmp_path):
    same_dates(engine, tmp_path)


@long
def test_columns_of_every_kind_are_as_in_memory(engine):
    same_kinds(engine, 30)


@long
def test_long_whole_numbers_are_names_as_in_memory(engine, tmp_path):
    same_long_numbers(engine, tmp_path)


def test_parts_of_unlike_numbers_in_another_order_are_one_table(engine, tmp_path):
    frame = ranked(1, 40, missing=0).assign(n=range(40))
    frame.iloc[:20].to_parquet(tmp_path / "0.parquet")
    other = frame.iloc[20:].astype({"b": int})[["n", "c", "b", "a"]]
    other.to_parquet(tmp_path / "1.parquet")
    with scale.connect() as embedded:
        for one in (engine, embedded):
            held = scale.open_table(one, tmp_path, row="n").held.table
            found = one.fetch(held.order_by("n"))[list(frame)]
            pd.testing.assert_frame_equal(found, frame, check_dtype=False)


@pytest.mark.parametrize(
    "named", ["t[1].parquet", "t*.parquet", "{t1,t2}.parquet", "year=2020/p.parquet", "d[1]"]
)
def test_the_file_that_was_named_is_opened_and_no_other(engine, named, tmp_path):
    people, path = pd.DataFrame({"age": [31.0, 45, 52]}), tmp_path / named
    for decoy in ("t1.parquet", "t2.parquet"):
        people[:1].to_parquet(tmp_path / decoy)
    path = path if path.suffix else path / "p.parquet"
    path.parent.mkdir(exist_ok=True)
    people.to_parquet(path)
    found = scale.open_table(engine, tmp_path / named)
    assert found.schema.names == ("age",)
    assert sorted(engine.fetch(found.source.table)["age"]) == [31, 45, 52]


def test_a_table_whose_records_are_not_counted_is_refused(engine, session):
    held = scale.open_table(engine, session.createDataFrame([(1.0, 2.0)], ["a", "b"]))
    with pytest.raises(vk.SchemaError, match="Spark have no order of their own; name the column"):
        vk.check({"a": 1, "b": 2}, held)
    with pytest.raises(vk.RecordError, match="memory_mb is for DuckDB"):
        scale.connect(session, memory_mb=5)


def test_a_session_that_has_ended_is_said_to_have_ended(engine, session, tmp_path):
    held = scale.open_table(engine, ranked(1, 9).assign(n=range(9)), row="n")
    session.stop()
    with pytest.raises(vk.FormatError, match="The Spark session has ended; start one"):
        engine.save(held.held.table, tmp_path / "saved", "n")
    assert not [*tmp_path.iterdir()]
    with pytest.raises(vk.FormatError, match="The Spark session has ended; start one"):
        vk.check({"a": 1, "b": 2}, held)
    with pytest.raises(vk.FormatError, match="The Spark session has ended; start one"):
        scale.connect(session)
