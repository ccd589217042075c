"""An instant is the same day in every engine, whatever time zone DuckDB is set to."""

import numpy as np
import pandas as pd
import pytest

import verikit as vk

pytest.importorskip("ibis")
duckdb = pytest.importorskip("duckdb")

from verikit import scale  # noqa: E402
from verikit.large import located  # noqa: E402

SET = ("UTC", "America/New_York", "Asia/Tokyo")
DAYS = (  # around the changes of the clocks in New York and in Berlin, and before 1970
    "2026-03-07", "2026-03-08", "2026-03-09", "2026-03-29", "2026-10-25", "2026-10-31",
    "2026-11-01", "2026-11-02", "1969-12-31", "1970-01-01",
)  # fmt: skip
COUNTED = [(pd.Timestamp(day) - pd.Timestamp("1970-01-01")).days for day in DAYS]
TABLE = "create table t as select * from (values {}) as t(seen, born, clock, n)".format(
    ", ".join(
        f"(timestamptz '{day} 00:00:00+00', date '{day}', timestamp '{day}', {at})"
        for at, day in enumerate(DAYS)
    )
)


@pytest.fixture(params=SET)
def zone(request, monkeypatch):
    """The time zone of the machine, and of the connection."""
    monkeypatch.setenv("TZ", request.param)
    return request.param


def held(given, zone):
    """The days that an engine holds of a table, after its time zone was set."""
    with scale.connect() as engine:
        engine.backend.con.execute(f"set TimeZone = '{zone}'")
        opened = scale.open_table(engine, given, row="n")
        kinds = [(c.name, c.kind, c.dated) for c in opened.schema]
        return kinds, engine.fetch(opened.held.table.order_by("n")).drop(columns="n")


def test_instants_dates_and_times_of_duckdb_are_the_same_days_in_every_time_zone(zone):
    with scale.connect() as engine:
        engine.backend.con.execute(f"set TimeZone = '{zone}'")
        engine.backend.con.execute(TABLE)
        opened = scale.open_table(engine, engine.backend.table("t"), row="n")
        found = engine.fetch(opened.held.table.order_by("n"))
        assert all(column.dated for column in opened.schema)
    for name in ("seen", "born", "clock"):
        assert found[name].tolist() == COUNTED


def test_a_query_of_duckdb_is_read_alike_in_every_time_zone(zone, tmp_path):
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute(f"set TimeZone = '{zone}'")
        connection.execute(TABLE)
        stream = located(connection.sql("select * from t order by n"))
        assert [c.dated for c in stream.schema] == [True, True, True, False]
        (found,) = stream.scores(["seen", "born", "clock"])
        assert [part.tolist() for part in found] == [COUNTED] * 3
        record = {"seen": "2026-03-08", "born": "2026-11-01", "clock": "2026-10-25"}
        said = vk.check(record, connection.sql("select * from t order by n"))
        connection.execute(f"copy t to '{tmp_path}/t.parquet'")
        memory = vk.check(record, vk.open_release(tmp_path / "t.parquet"))
    assert said.attributes.equals(memory.attributes)


def test_instants_that_are_no_midnights_of_utc_are_no_dates_in_any_time_zone(zone):
    with duckdb.connect() as connection:
        connection.execute(f"set TimeZone = '{zone}'")
        told = (
            "select timestamptz '{} 00:00:00{}' + interval (24 * i) hour as t, i from range(3) r(i)"
        )
        for ahead in ("-05", "+09"):
            stream = located(connection.sql(told.format("2026-03-07", ahead)))
            assert [c.kind for c in stream.schema] == ["nominal", "numeric"]


@pytest.mark.parametrize(
    "named", ["UTC", "America/New_York", "Asia/Tokyo", "Europe/Berlin", "+05:30"]
)
def test_a_file_that_names_its_time_zone_shows_the_days_of_memory(named, zone, tmp_path):
    days = pd.Series(pd.to_datetime(list(DAYS)).tz_localize(named))
    frame = pd.DataFrame({"seen": days, "born": pd.to_datetime(list(DAYS)).date, "n": range(10)})
    frame.to_parquet(tmp_path / "t.parquet")
    memory = vk.open_release(tmp_path / "t.parquet")
    assert memory.frame["seen"].tolist() == memory.frame["born"].tolist() == COUNTED
    for given in (tmp_path / "t.parquet", frame):
        kinds, found = held(given, zone)
        assert kinds == [("seen", "numeric", True), ("born", "numeric", True)]
        np.testing.assert_array_equal(found.to_numpy().T, [COUNTED] * 2)
    (streamed,) = located(tmp_path / "t.parquet").scores(["seen", "born"])
    assert [part.tolist() for part in streamed] == [COUNTED] * 2
