"""Ctrl-C during long work: a clean end, nothing half-written, and no folder of spill left."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

pa = pytest.importorskip("pyarrow")
pytest.importorskip("ibis")
pytest.importorskip("duckdb")

from pyarrow import parquet  # noqa: E402

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs signals of a POSIX system")

RECORDS = 3_000_000
COMMAND = "import sys; from verikit.cli import main; sys.exit(main(sys.argv[1:]))"
SLOWLY = """
import sys, time
from verikit.cli import main
from verikit.large._source import ParquetFiles
batches = ParquetFiles.batches
def slow(self, names):
    for batch in batches(self, names):
        yield batch
        print("at work", flush=True)
        time.sleep(60)
ParquetFiles.batches = slow
sys.exit(main(sys.argv[1:]))
"""
SAVED = """
import ibis, sys
from verikit.scale import connect
with connect(memory_mb=300) as engine:
    table = engine.kept(ibis.range(6_000_000).unnest().name("record").as_table())
    wide = table.mutate(**{f"places {at}": table.record.hash() + at for at in range(9)})
    print("at work", flush=True)
    engine.save(wide.mutate(first=wide["places 1"]), sys.argv[1], "first")
"""
CHECKED = """
import sys, verikit as vk
from verikit.scale import connect, open_table
with connect(memory_mb=300) as engine:
    release = open_table(engine, sys.argv[1])
    print("at work", flush=True)
    while True:
        vk.check({"a": 0.1, "b": 0.2, "c": 0.3}, release)
"""


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("large") / "table.parquet"
    drawn = np.random.default_rng(1).normal(size=(3, RECORDS))
    parquet.write_table(pa.table(dict(zip("abc", drawn, strict=True))), path)
    return path


class Child:
    """A process at work, with a folder of its own for what is temporary."""

    def __init__(self, home, code, *arguments):
        self.spill = home / "temporary"
        self.spill.mkdir()
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-c", code, *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"TMPDIR": str(self.spill)},
        )

    def stopped(self, after=0.0):
        """How it ends, and what it says, if it is interrupted now."""
        time.sleep(after)
        assert self.process.poll() is None, self.process.communicate()
        self.process.send_signal(signal.SIGINT)
        _, said = self.process.communicate(timeout=120)
        return self.process.returncode, said


def until(found, seconds=120):
    end = time.time() + seconds
    while not found():
        assert time.time() < end
        time.sleep(0.01)


@pytest.mark.parametrize("after", [0.0, 1.0])
def test_an_index_that_is_stopped_is_not_there(table, tmp_path, after):
    out = tmp_path / "out"
    out.mkdir()
    child = Child(tmp_path, COMMAND, "index", table, out / "index")
    assert child.process.stderr.readline().startswith("Reading and sorting")
    code, said = child.stopped(after)
    assert code == 130, said
    assert said.strip().startswith("verikit: stopped;")
    assert "Traceback" not in said
    assert not [*out.iterdir(), *child.spill.iterdir()]


def test_a_check_of_a_file_that_is_stopped_says_so(table, tmp_path):
    child = Child(tmp_path, SLOWLY, "check", table, "--set", "a=0.1", "--set", "b=0.2")
    assert child.process.stdout.readline() == "at work\n"
    code, said = child.stopped()
    assert code == 130, said
    assert said.strip().startswith("verikit: stopped;")
    assert "Traceback" not in said
    assert [part.name for part in table.parent.iterdir()] == ["table.parquet"]
    assert not [*child.spill.iterdir()]


def test_what_is_saved_by_an_engine_and_stopped_is_not_there(tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "older").write_text("whole")
    child = Child(tmp_path, SAVED, out / "audit.parquet")
    until(lambda: len([*out.iterdir()]) > 1)
    assert [*child.spill.iterdir()]
    code, said = child.stopped()
    assert code in (-signal.SIGINT, 130), said
    assert said.strip().endswith("KeyboardInterrupt"), said
    assert [part.name for part in out.iterdir()] == ["older"]
    assert not [*child.spill.iterdir()]


def test_a_check_by_an_engine_that_is_stopped_leaves_nothing(table, tmp_path):
    child = Child(tmp_path, CHECKED, table)
    assert child.process.stdout.readline() == "at work\n"
    code, said = child.stopped(0.5)
    assert code in (-signal.SIGINT, 130), said
    assert said.strip().endswith("KeyboardInterrupt"), said
    assert not [*child.spill.iterdir()]
