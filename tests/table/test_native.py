"""What native libraries read comes over whole; whatever they do, the process that asked lives."""

import io
import json
import os
import random
import sys
import warnings
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from importlib import import_module

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit._support.told import Told
from verikit.languages import translate, use_language
from verikit.table.reading import Reading, _native, _open_file

DAY = datetime(2020, 5, 17, 3, 4, 5, 6)
COLUMNS = {
    "mixed": ["a", 1, 2**70, -0.0, 1.5, True, None, np.nan, float("inf"), DAY, date(1990, 1, 2)],
    "odd": [time(1, 2, 3), timedelta(-1, 5), Decimal("1.10"), b"\xff", pd.NaT, pd.NA, "\ud800"],
    "stamp": [pd.Timestamp("1990-05-01 12:00:00.000000001"), pd.Timestamp(DAY).as_unit("s"), "x"],
    "words": ["clerk", np.nan, "Bäcker"],
    "whole": pd.array([1, None, 2**62], dtype="Int64"),
    "truth": pd.array([True, None, False], dtype="boolean"),
    "zone": pd.to_datetime(["2020-01-01", None]).tz_localize("Europe/Berlin"),
    "day": pd.to_datetime(["1990-01-01", None]).as_unit("s"),
    "length": pd.to_timedelta([1, None], unit="s"),
    "single": np.array([0.1, np.nan], "float32"),
    "tiny": np.array([1, -2], "int8"),
    "ordered": pd.Categorical(["lo", None, "hi"], ["lo", "mid", "hi"], ordered=True),
    "coded": pd.Categorical([1.5, 2.0, None], [2.0, 1.5]),
    "nothing": pd.Series([], dtype="float64"),
    "many": [str(place) for place in range(_native.PART + 3)],
}


@pytest.mark.parametrize("name", COLUMNS)
def test_every_kind_of_column_comes_over_as_it_was(name, tmp_path):
    kind = object if name in ("mixed", "odd", "stamp") else None
    frame = pd.DataFrame({name: pd.Series(COLUMNS[name], dtype=kind)})
    note = Told("It has two titles.", "titles", lines=2)
    given = Reading(frame, {name: "Its label"}, (note, "plain"))
    with (tmp_path / "t").open("w+b") as file:
        _native.give_reading(given, file)
        file.seek(0)
        taken = _native.take_reading(file)
    pd.testing.assert_frame_equal(taken.frame, frame, check_exact=True)
    assert [*map(type, taken.frame[name].tolist())] == [*map(type, frame[name].tolist())]
    assert (taken.labels, taken.notes) == (given.labels, given.notes)
    assert (taken.notes[0].says, taken.notes[0].values) == ("titles", {"lines": 2})


READERS = {
    "crash": ("os.kill(os.getpid(), signal.SIGSEGV)", "the program for such files broke off"),
    "end": ("os._exit(1)", "the program for such files broke off"),
    "hang": ("while True:\n        pass", "the program for such files was not done in 1 second"),
    "fill": ("[bytes(10**8) for _ in range(100)]", "it needs more memory than a file of its"),
    "write": ("[result.write(bytes(10**6)) for _ in range(9)]", "it needs more memory than a"),
}
READER = """
import os, signal
import pandas as pd
from verikit.table.reading import Reading, _native

def act(_, result):
    {}

def run_reader(job, result):
    _native.read_format, _native.give_reading = lambda *_: Reading(pd.DataFrame()), act
    _native.run_reader(job, result)
"""


@pytest.fixture(params=READERS)
def reader(request, tmp_path, monkeypatch):
    """A reader that does the worst, and what is said of it."""
    if os.name != "posix" and request.param != "end":
        pytest.skip("this system holds a process to no limits")
    act, said = READERS[request.param]
    (tmp_path / "worst_reader.py").write_text(READER.format(act))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(_native, "run_reader", import_module("worst_reader").run_reader)
    monkeypatch.setattr(_native, "LIBRARIES", 10**9)
    monkeypatch.setattr(_native, "SECONDS", 1)
    monkeypatch.setenv("VERIKIT_UNPACKED_MB", "5")
    yield said
    sys.modules.pop("worst_reader")


def stream(content, name):
    source = io.BytesIO(content)
    source.name = name
    return source


def test_whatever_a_reader_does_is_one_sentence_in_any_language(reader):
    with pytest.raises(vk.FormatError, match=rf"^'t\.sav' cannot be read: {reader}") as caught:
        vk.read(stream(b"$FL2", "t.sav"))
    with use_language("de"):
        assert "lässt sich nicht lesen" in translate(caught.value.told)


def test_nothing_starts_where_no_process_can(monkeypatch):
    monkeypatch.setattr(sys, "executable", "")
    with pytest.raises(vk.FormatError, match=r"^'t\.sav' cannot be read"):
        vk.read(stream(b"$FL2", "t.sav"))


@pytest.mark.parametrize("reader", ["crash"], indirect=True)
def test_what_she_typed_stays_where_a_file_ends_its_reader(reader):
    pytest.importorskip("anywidget")
    panel = pytest.importorskip("verikit.widgets").SelfCheck()
    panel.record = {"X1": "103.5"}
    panel.on_upload(stream(b"$FL2", "t.sav"))
    assert reader in str(panel.last_error)
    assert panel.record["X1"] == "103.5"


def test_json_is_the_same_table_in_a_child(monkeypatch):
    column = {"id": [2**70, 1, None], "pay": [0.1, 1e300, 5], "job": ["clerk", "\u00e9", None]}
    column |= {"long": [0.1, 0.5, 0.25], "truth": [True, None, False], "odd": [1, "1", 2.5]}
    for content in (column, pd.DataFrame(column, dtype=object).to_dict("records")):
        stream = io.BytesIO(json.dumps(content).replace("0.25", "0.50000000000000000001").encode())
        found = []
        for at_once in (0, 2**20):
            monkeypatch.setattr(_open_file, "AT_ONCE", at_once)
            found.append(vk.read(stream))
        child, here = found
        assert (child.schema, child.notes) == (here.schema, here.notes)
        pd.testing.assert_frame_equal(child.frame, here.frame, check_exact=True)


def write_all(folder):
    """A table in each native format that can be written here."""
    frame = pd.DataFrame({"age": np.arange(99.0), "job": ["clerk", "smith", "baker"] * 33})
    frame.to_stata(folder / "t.dta", write_index=False)
    ways = {
        "pyarrow.feather": {"t.feather": lambda m, p: m.write_feather(frame, p, version=1)},
        "pyreadstat": {
            "t.sav": lambda m, p: m.write_sav(frame, p),
            "t.zsav": lambda m, p: m.write_sav(frame, p, compress=True),
            "t.por": lambda m, p: m.write_por(frame, p),
            "t.xpt": lambda m, p: m.write_xport(frame, p),
        },
        "pyreadr": {"t.rds": lambda m, p: m.write_rds(p, frame)},
        "openpyxl": {"t.xlsx": lambda _, p: frame.to_excel(p, index=False)},
    }
    for needs, files in ways.items():
        with suppress(ImportError), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # pyarrow gives the first version up
            for name, write in files.items():
                write(import_module(needs), str(folder / name))
    return sorted(folder.iterdir())


def test_a_damaged_file_of_each_format_is_a_table_or_a_sentence(tmp_path):
    rng = random.Random(7)
    for path in write_all(tmp_path):
        content = bytearray(path.read_bytes())
        for _ in range(rng.randint(1, 6)):
            content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        path.write_bytes(content)
        with suppress(vk.VerikitError):
            vk.read(path)
