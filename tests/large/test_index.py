"""An index bounds every distance from both sides, and tells nothing but the published table."""

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sources import tries

import verikit as vk
from verikit.large import open_index
from verikit.large._index import Buckets
from verikit.ranks import closest


def table(rng, n, levels):
    columns = [rng.normal(size=n) if k is None else rng.integers(0, k, n) for k in levels]
    return pd.DataFrame({f"c{at}": column for at, column in enumerate(columns)})


def gappy(rng, frame, share):
    """A table some of whose cells are missing, and no column wholly."""
    gaps = rng.random(frame.shape) < share
    gaps[rng.integers(len(frame), size=frame.shape[1]), np.arange(frame.shape[1])] = False
    return frame.astype(float).mask(gaps) if share else frame


LEVELS = st.lists(st.sampled_from([1, 3, 30, 200, None]), min_size=1, max_size=4)


@settings(deadline=None, max_examples=tries(150))
@given(
    st.integers(0, 2**32), LEVELS, st.integers(1, 400), st.integers(1, 7),
    st.sampled_from([0, 0.1, 0.8]),
)  # fmt: skip
def test_the_exact_distance_lies_between_the_bounds(seed, levels, n, bits, missing):
    rng = np.random.default_rng(seed)
    frame = gappy(rng, table(rng, n, levels), missing)
    release = vk.TableRelease.of(frame).prepare()
    index = vk.index(release, bits=bits)
    gaps = frame.isna().any()
    for part, missing in zip(index.buckets, gaps, strict=True):
        assert len(part.counts) + missing <= 2**bits
    for _ in range(20):
        at = int(rng.integers(n))
        shown = frame.iloc[at].fillna(0.0)
        record = {c: float(v + rng.choice([0, 0.5, 1e-9, 3])) for c, v in shown.items()}
        exact = vk.check(record, release, chance=False)
        found = vk.check(record, index).facts
        widest = max(part.widest for part in index.buckets)
        assert found["lower"] <= exact.facts["distance"] <= found["upper"]
        assert found["upper"] - found["lower"] <= 2 * (widest - 1)
        bounds = index.bounds(record)
        for name, places in zip(record, exact.attributes["distance"], strict=True):
            assert bounds.fewest[name] <= places <= bounds.most[name]
        assert bounds.near >= len(exact.matches)


@settings(deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([3, 20, 300, None]), st.integers(1, 5))
def test_the_block_of_the_closest_value_lies_within_what_is_told_of_it(seed, levels, bits):
    rng = np.random.default_rng(seed)
    ordered = np.sort(table(rng, 120, [levels])["c0"].to_numpy(float))
    buckets = Buckets.of(ordered, 1 << bits)
    for score in [*ordered[:20], *(ordered[:-1] + np.diff(ordered) / 2)[:40], *rng.normal(size=9)]:
        block, told = closest(ordered, score), buckets.find_nearest(score)
        assert told.first[0] <= block.first <= told.first[1]
        assert told.last[0] <= block.last <= told.last[1]


def test_a_value_that_fills_a_bucket_has_one_of_its_own():
    ordered = np.sort(np.r_[np.zeros(500), np.random.default_rng(1).normal(size=500)])
    buckets = Buckets.of(ordered, 16)
    assert buckets.counts[buckets.single & (buckets.lowest == 0)].tolist() == [500]


def test_an_index_is_a_function_of_the_published_table_alone(tmp_path):
    data = vk.simulate("dm", 300, seed=4)
    release, _ = vk.mask.noise(data, scale=0.5, seed=5)
    order = np.random.default_rng(6).permutation(300)
    again = vk.TableRelease(
        release.frame.iloc[order], release.schema, release.method, release.parameters,
        release.promise,
    )  # fmt: skip
    files = [
        vk.index(r, bits=5).save(tmp_path / f"{n}.vkx") for n, r in enumerate((release, again))
    ]
    assert files[0].read_bytes() == files[1].read_bytes()
    rows = open_index(files[0]).codes.tolist()
    assert rows == sorted(rows)


def test_a_file_keeps_what_is_missing_and_what_is_reported(tmp_path):
    rng = np.random.default_rng(3)
    frame = gappy(rng, table(rng, 200, [5, None]), 0.2)
    release = vk.TableRelease.of(frame).reporting(90, 2.5)
    made = vk.index(release, bits=4)
    opened = open_index(made.save(tmp_path / "i.vkx"))
    record = {"c0": 3, "c1": 0.2}
    assert repr(vk.check(record, opened)) == repr(vk.check(record, made))
    assert opened.codes.tolist() == made.codes.tolist()
    said = vk.check(record, opened)
    assert said.headline.text == vk.check(record, release).headline.text
    assert any("is missing in" in note for note in said.notes)


def test_a_file_gives_back_the_index_that_was_saved(tmp_path):
    release = vk.published("dm_table1_masked")
    made = vk.index(release, bits=3)
    opened = open_index(made.save(tmp_path / "i.vkx"))
    record = vk.load("dm_table1").record(2)
    assert repr(vk.check(record, tmp_path / "i.vkx")) == repr(vk.check(record, made))
    assert opened.parameters == release.parameters
    assert opened.schema.names == made.schema.names


def test_columns_that_cannot_be_ranked_are_left_out():
    frame = pd.DataFrame({"a": [1, 2, 3], "b": [np.nan] * 3, "c": list("xyz")})
    assert vk.index(vk.TableRelease.of(frame)).schema.names == ("a",)
    with pytest.raises(vk.SchemaError, match="No column of this release has an order"):
        vk.index(vk.TableRelease.of(frame[["b", "c"]]))
    with pytest.raises(vk.SchemaError, match="a table of single values that holds records"):
        vk.index(vk.published("lhcc_table3"))
    with pytest.raises(vk.RecordError, match="bits was given as 17; expected a whole number"):
        vk.index(vk.published("dm_table1_masked"), bits=17)


@pytest.mark.parametrize("places", range(9))
def test_a_requirement_is_judged_only_where_the_bounds_leave_nothing_open(places):
    data = vk.simulate("dm", 200, seed=4)
    release, _ = vk.mask.noise(data, scale=0.5, seed=5)
    coarse, judged = vk.index(release, bits=4), 0
    for row in range(0, 200, 10):
        told = vk.check(data.record(row), coarse, distance=places).met
        if told is not None:
            assert told == vk.check(data.record(row), release, distance=places, chance=False).met
            judged += 1
    assert judged or places


@pytest.mark.parametrize("at", [0, 20, 40, 90, 200, -1])
def test_a_file_that_was_changed_anywhere_is_refused(at, tmp_path):
    path = vk.index(vk.published("dm_table1_masked")).save(tmp_path / "i.vkx")
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(bytes(content))
    with pytest.raises(vk.FormatError, match=r"'i\.vkx' (is|was|cannot|does)"):
        open_index(path)


@pytest.mark.parametrize("kept", [0, 10, 60, 90, 300])
def test_a_file_that_was_cut_short_is_refused(kept, tmp_path):
    path = vk.index(vk.published("dm_table1_masked")).save(tmp_path / "i.vkx")
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(vk.FormatError, match=r"'i\.vkx' (is damaged|is no index)"):
        open_index(path)


def test_a_file_of_a_newer_version_asks_for_an_update(tmp_path):
    path = vk.index(vk.published("dm_table1_masked")).save(tmp_path / "i.vkx")
    path.write_bytes(path.read_bytes().replace(b"verikit index 1", b"verikit index 2", 1))
    with pytest.raises(vk.FormatError, match="newer verikit"):
        vk.check({"X1": 1}, path)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("columns", [3]), ("columns", "x"), ("columns", {"a": 1}), ("parameters", 5),
        ("parameters", [[1]]), ("reported_links", "x"), ("reported_links", 1.5),
        ("reported_luck", "x"), ("reported_luck", []), ("method", 5), ("promise", [1]),
    ],
)  # fmt: skip
def test_a_file_that_was_sealed_with_other_facts_is_refused(name, wrong, tmp_path):
    """Whoever writes a file can write its checksum too."""
    path = vk.index(vk.published("dm_table1_masked")).save(tmp_path / "i.vkx")
    content = path.read_bytes().partition(b"\n")[2]
    end = 8 + int.from_bytes(content[:8], "little")
    told = json.dumps(json.loads(content[8:end]) | {name: wrong}).encode()
    forged = len(told).to_bytes(8, "little") + told + content[end:]
    seal = f"verikit index 1 {hashlib.sha256(forged).hexdigest()}\n"
    path.write_bytes(seal.encode() + forged)
    with pytest.raises(vk.FormatError, match=r"'i\.vkx' does not describe an index; fetch it"):
        vk.check({"X1": 1, "X2": 2}, path)


WRITES_FOREVER = """
import os, sys
import numpy as np, pandas as pd, verikit as vk
from verikit._support import writing
index = vk.index(vk.TableRelease.of(pd.DataFrame({"a": np.arange(9)})))
writing.os.fsync = lambda handle: (print("writing", flush=True), sys.stdin.read())
index.save(sys.argv[1], replace=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows kills otherwise")
def test_a_process_that_is_killed_while_it_writes_leaves_the_old_file(tmp_path):
    path = vk.index(vk.published("dm_table1_masked")).save(tmp_path / "i.vkx")
    before = path.read_bytes()
    writer = subprocess.Popen(
        [sys.executable, "-P", "-c", WRITES_FOREVER, path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert writer.stdout.readline() == b"writing\n"
    writer.send_signal(signal.SIGKILL)
    writer.communicate()
    time.sleep(0.01)
    assert path.read_bytes() == before
    assert len(open_index(path)) == 20


def test_a_million_records_of_five_values_make_a_few_megabytes(tmp_path):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(1_000_000, 5)), columns=list("abcde"))
    release = vk.TableRelease.of(frame)
    for bits, most in ((12, 8), (8, 3.5)):
        path = vk.index(release, bits=bits).save(tmp_path / f"{bits}.vkx")
        assert path.stat().st_size <= most * 1e6


def test_the_command_writes_an_index_and_checks_with_it(tmp_path, capsys):
    from verikit.cli import main

    saved = vk.published("dm_table1_masked").save(tmp_path / "r")
    out = str(tmp_path / "i.vkx")
    assert main(["index", str(saved), out, "--bits", "3"]) == 0
    assert "Index(20 records of X1, X2, X3" in capsys.readouterr().out
    assert main(["index", str(saved), out]) == 2
    assert "exists already" in capsys.readouterr().err
    assert main(["index", str(saved), out, "--force"]) == 0
    capsys.readouterr()
    assert main(["index", str(saved), out, "--force", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["bytes"] == Path(out).stat().st_size
    assert main(["check", out, "--set", "X1=100", "--set", "X2=900"]) in (0, 1)
    assert "The closest of the 20 published records is" in capsys.readouterr().out
