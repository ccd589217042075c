"""Damaged, huge and hostile input: one sentence of ours, soon, and never a foreign error."""

import bz2
import gzip
import hashlib
import http.server
import inspect
import io
import json
import lzma
import os
import random
import shutil
import signal
import socket
import threading
import time
import zipfile
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit import FormatError, Hierarchy, RecordError, SchemaError, VerikitError
from verikit._support.files import LIMIT_MB
from verikit._support.guard import guard
from verikit.cli import main
from verikit.errors import quoted

TABLE = b"age,income\n" + b"".join(b"%d,%d\n" % (20 + i % 50, 1000 + 7 * i) for i in range(300))
pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")


def stream(content, name="t.csv"):
    found = io.BytesIO(content if isinstance(content, bytes) else content.encode())
    found.name = name
    return found


def ends_well(act, *given):
    """Whether it gives a result or one of our sentences, of at most 600 characters."""
    try:
        act(*given)
    except VerikitError as error:
        return len(str(error)) < 600
    return True


def refused(act, *given, match, **options):
    with pytest.raises(VerikitError, match=match) as caught:
        act(*given, **options)
    assert len(str(caught.value)) < 600


@pytest.fixture
def folder(tmp_path):
    """A saved release."""
    release, _ = vk.mask.noise(vk.simulate("dm", 200, seed=1), scale=0.5, seed=1)
    return release.save(tmp_path / "release")


@pytest.fixture
def describe(folder):
    """Change what a saved release says of itself."""

    def change(edit):
        path = folder / "datapackage.json"
        package = json.loads(path.read_text())
        edit(package)
        path.write_text(json.dumps(package))
        return folder

    return change


# -- damaged downloads (F12) ----------------------------------------------------------------------


def flipped(content, rng):
    changed = bytearray(content)
    for _ in range(rng.randint(1, 6)):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def test_two_hundred_damaged_zips_open_or_are_refused_in_a_sentence(folder):
    raw = folder.with_suffix(".zip")
    shutil.make_archive(str(folder), "zip", folder)
    rng = random.Random(1)
    for _ in range(200):
        assert ends_well(vk.open_release, stream(flipped(raw.read_bytes(), rng), "r.zip"))


@pytest.mark.parametrize(("ending", "pack"), [("xz", lzma.compress), ("bz2", bz2.compress)])
def test_twenty_damaged_packed_tables_are_read_or_refused_in_a_sentence(ending, pack, tmp_path):
    rng, file, raw = random.Random(2), tmp_path / f"t.csv.{ending}", pack(TABLE)
    for _ in range(20):
        file.write_bytes(flipped(raw, rng))
        assert ends_well(vk.read, file)
        assert ends_well(vk.open_release, file)


def test_twenty_damaged_parquet_files_are_read_or_refused_in_a_sentence(tmp_path):
    pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    rng, file = random.Random(3), tmp_path / "t.parquet"
    pd.read_csv(io.BytesIO(TABLE)).to_parquet(file)
    raw = file.read_bytes()
    for _ in range(20):
        file.write_bytes(flipped(raw, rng))
        assert ends_well(vk.read, file)


def test_a_small_parquet_file_of_very_many_records_is_refused_before_it_is_read(
    tmp_path, monkeypatch
):
    pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    file = tmp_path / "t.parquet"
    pd.DataFrame({"a": np.zeros(200_000), "b": 1}).to_parquet(file)
    assert len(vk.read(file)) == 200_000
    monkeypatch.setenv(LIMIT_MB, "3")
    said = "'t.parquet' comes to 3.2 MB or more, but 3 MB are allowed"
    monkeypatch.setattr(pd, "read_parquet", None)
    for source in (file, stream(file.read_bytes(), "t.parquet")):
        refused(vk.open_release, source, match=said)


def test_a_parquet_reader_that_fails_in_its_own_way_is_said_in_a_sentence(monkeypatch):
    def fail(*_, **__):
        raise KeyError("pandas")

    monkeypatch.setattr(pd, "read_parquet", fail)
    refused(
        vk.read, stream(b"PAR1", "t.parquet"), match=r"'t\.parquet' cannot be read as a table: "
    )


@pytest.mark.parametrize(
    ("name", "pack"),
    [("t.csv.gz", gzip.compress), ("t.csv.xz", lzma.compress), ("t.csv.bz2", bz2.compress)],
)
def test_a_download_cut_short_is_said_to_be_so(name, pack):
    content = pack(os.urandom(50_000).hex().encode())[:-20_000]
    refused(vk.open_release, stream(content, name), match=f"'{name}' is damaged or was cut short")


# -- checksums (F13) ------------------------------------------------------------------------------


def promise(checksum):
    def edit(package):
        package["resources"][0]["hash"] = checksum

    return edit


@pytest.mark.parametrize(
    ("checksum", "sentence"),
    [
        ("sha512:00", r"'table\.csv' was changed after datapackage\.json was written"),
        ("SHA256:00", "was changed after"),
        ("sha1:00", "was changed after"),
        ("0" * 32, "was changed after"),  # an md5, as the standard has it
        ("sha256:", "promises the checksum 'sha256:' of 'table.csv', which cannot be checked"),
        ("", "promises the checksum ''"),
        (None, "promises the checksum None"),
        ("crc32:00", "promises the checksum 'crc32:00'"),
        ("x" * 10**6, "was changed after"),
    ],
)
def test_a_promised_checksum_is_checked_or_refused(checksum, sentence, describe):
    refused(vk.open_release, describe(promise(checksum)), match=sentence)


@pytest.mark.parametrize("kind", ["sha256", "sha512", "sha1", "md5"])
def test_each_known_kind_of_checksum_is_made(kind, folder, describe):
    found = hashlib.new(kind, (folder / "table.csv").read_bytes()).hexdigest()
    assert len(vk.open_release(describe(promise(f"{kind}:{found}")))) == 200
    wrong = f"{kind}:{found[:-1]}{'0' if found[-1] != '0' else '1'}"
    refused(vk.open_release, describe(promise(wrong)), match="was changed after")


def test_a_checksum_that_is_not_promised_is_not_asked_for(describe):
    assert (
        len(vk.open_release(describe(lambda package: package["resources"][0].pop("hash")))) == 200
    )


# -- what a file becomes (F14) --------------------------------------------------------------------


def bomb(records):
    return b"a,b\n" + b"1,2\n" * records


@pytest.fixture
def ten_megabytes(monkeypatch):
    monkeypatch.setenv(LIMIT_MB, "10")


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_a_small_file_that_becomes_a_large_one_is_refused_soon(pack, ten_megabytes):
    kind = {gzip.compress: "gz", bz2.compress: "bz2", lzma.compress: "xz"}[pack]
    packed, started = stream(pack(bomb(2_600_000)), f"t.csv.{kind}"), time.process_time()
    refused(vk.open_release, packed, match=f"10 MB are allowed; .* set .* {LIMIT_MB}")
    assert time.process_time() - started < 2


def test_a_zip_that_becomes_a_large_folder_is_refused_before_it_is_unpacked(ten_megabytes):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("datapackage.json", "{}")
        archive.writestr("table.csv", bomb(5_000_000))
    assert len(packed.getvalue()) < 25_000
    started = time.process_time()
    refused(
        vk.open_release, stream(packed.getvalue(), "r.zip"), match=r"'r\.zip' comes to 20\.0 MB"
    )
    assert time.process_time() - started < 1


def test_without_a_setting_two_hundred_times_its_size_is_the_most(monkeypatch):
    monkeypatch.delenv(LIMIT_MB, raising=False)
    small, large = gzip.compress(bomb(2_000_000)), gzip.compress(bomb(4_000_000))
    assert len(vk.open_release(stream(small, "t.csv.gz"))) == 2_000_000
    refused(vk.open_release, stream(large, "t.csv.gz"), match="10 MB are allowed")
    monkeypatch.setenv(LIMIT_MB, "20")
    assert len(vk.open_release(stream(large, "t.csv.gz"))) == 4_000_000


@pytest.mark.parametrize("said", ["", "many", "-1", "1e3", "9" * 5000])
def test_a_limit_that_is_no_number_is_refused(said, monkeypatch):
    monkeypatch.setenv(LIMIT_MB, said)
    packed = stream(gzip.compress(TABLE), "t.csv.gz")
    refused(vk.open_release, packed, match=f"{LIMIT_MB} was set to .*; expected a whole number")


def test_a_huge_description_is_not_read(folder, ten_megabytes):
    (folder / "datapackage.json").write_bytes(b" " * 11_000_000)
    refused(vk.open_release, folder, match=r"'datapackage\.json' comes to 10\..* MB or more")


def test_a_hierarchy_of_forty_thousand_codes_is_described_within_the_limit(tmp_path):
    codes = [str(code) for code in range(10**5, 10**5 + 40_000)]
    column = vk.Column("zip", kind="nominal", hierarchy=Hierarchy.prefixes(codes))
    release = vk.TableRelease(pd.DataFrame({"zip": codes}), vk.Schema((column,)))
    assert len(vk.open_release(release.save(tmp_path / "release"))) == 40_000


# -- files only (F15) -----------------------------------------------------------------------------


@pytest.fixture
def soon():
    """Stop a test that waits; what is written here would be waited for without end."""

    def stop(*_):
        raise AssertionError("it waited")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(30)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pipes
@pytest.mark.usefixtures("soon")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "table.csv")
    for act in (vk.open_release, vk.read, Hierarchy.read_csv):
        refused(act, tmp_path / "table.csv", match=r"'table\.csv' cannot be read: it is a pipe")


@pipes
def test_a_socket_is_refused_for_what_it_is(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # its name may have some 100 letters
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("table.csv")
        for act in (vk.read, vk.open_release):
            refused(
                act, "table.csv", match=r"'table\.csv' cannot be read: it is a socket; expected"
            )


@pipes
@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("name", ["table.csv", "datapackage.json"])
def test_a_pipe_in_a_release_is_refused(name, folder):
    (folder / name).unlink()
    os.mkfifo(folder / name)
    refused(vk.open_release, folder, match="it is a pipe")


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="this system has no /dev/zero")
def test_a_device_is_refused(tmp_path):
    (tmp_path / "t.csv").symlink_to("/dev/zero")
    refused(vk.read, tmp_path / "t.csv", match=r"'t\.csv' cannot be read: it is a device")
    refused(vk.open_release, "/dev/zero", match="'zero' cannot be read: it is a device")


@pytest.mark.parametrize("name", ["table.csv", "datapackage.json"])
def test_a_link_in_a_release_is_refused(name, folder, tmp_path):
    (folder / name).rename(tmp_path / "elsewhere")
    (folder / name).symlink_to(tmp_path / "elsewhere")
    refused(vk.open_release, folder, match=f"'{name}' is a link; a release holds its files")


def test_a_link_to_a_whole_table_is_the_table(tmp_path):
    (tmp_path / "t.csv").write_bytes(TABLE)
    (tmp_path / "mine.csv").symlink_to(tmp_path / "t.csv")
    assert len(vk.read(tmp_path / "mine.csv")) == len(vk.open_release(tmp_path / "mine.csv")) == 300


# -- nothing from the network (X8) ----------------------------------------------------------------


def test_an_address_is_refused_and_nothing_is_asked(tmp_path):
    asked = []

    class Server(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_error(404)

    server = http.server.HTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        for name in ("x.csv", "x.parquet", "x.csv.gz", "x.zip"):
            address = f"http://127.0.0.1:{server.server_port}/{name}"
            for act in (vk.read, vk.open_release, Hierarchy.read_csv):
                refused(act, address, match="is an address, and nothing is asked from the network")
    finally:
        server.shutdown()
        server.server_close()
    assert asked == []
    refused(vk.read, "file:///etc/hostname", match="is an address")


# -- nonsense is no table (F18) -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("<!DOCTYPE html>\n<html><body>Not found, sorry</body></html>\n", "is a web page"),
        ("<html>\n", "is a web page"),
        ("age,<td>x</td>\n1,2\n", "names a column '<td>x</td>', as a web page or a damaged file"),
        ("age,inc\0ome\n1,2\n", r"names a column 'inc\\x00ome'"),
        ("age,income\n", "holds a line of names and no record; expected at least one record"),
    ],
)
def test_what_is_no_table_is_refused_where_a_person_opens_it(content, sentence, tmp_path):
    (tmp_path / "t.csv").write_text(content)
    for act, given in ((vk.open_release, stream(content)), (vk.read, tmp_path / "t.csv")):
        refused(act, given, match=sentence)


def test_a_band_such_as_below_fifty_may_name_a_column():
    assert vk.open_release(stream("<50,80+\n1,2\n")).schema.names == ("<50", "80+")


# -- linear readers (F16) -------------------------------------------------------------------------


def test_forty_thousand_leaves_and_ten_thousand_columns_take_no_second():
    started = time.process_time()
    Hierarchy.of({"any": {f"g{i}": [f"{i}-{j}" for j in range(100)] for i in range(400)}})
    assert time.process_time() - started < 1
    names = ",".join(f"c{i}" for i in range(10_000))
    wide = stream(f"{names}\n" + "\n".join([",".join("1" * 10_000)] * 2))
    started = time.process_time()
    assert len(vk.open_release(wide).schema) == 10_000
    assert time.process_time() - started < 3  # one and a half on a quiet machine


# -- sentences that were missing (X10) ------------------------------------------------------------

MASKED = vk.published("dm_table1_masked")
SQL = "select count(*) from t where"
HUGE = "9" * 400


def nested(levels):
    tree = ["leaf"]
    for level in range(levels):
        tree = {f"level {level}": tree}
    return tree


@pytest.mark.parametrize(
    ("act", "sentence"),
    [
        (lambda: vk.check({"X1": 10**400}, MASKED), "'X1' was given as a number of 401 digits"),
        (lambda: vk.check({"X1": 10**5000}, MASKED), "a number of 5,001 digits; expected a finite"),
        (lambda: vk.check({"X1": HUGE}, MASKED), "expected a finite number"),
        (lambda: vk.check({"X1": True, "X2": 1}, MASKED), "given as True; expected a number"),
        (lambda: vk.check({"X1": "1_000"}, MASKED), "given as '1_000'; expected a number"),
        (lambda: vk.check({"X1": np.array(3.0), "X2": 1}, MASKED), "expected a number or a text"),
        (lambda: vk.check({"X1": Decimal("sNaN"), "X2": 1}, MASKED), "expected a number"),
        (
            lambda: vk.check({"X1": 1, "X2": 1}, MASKED, criterion=[]),
            r"no diversity criterion \[\]",
        ),
        (lambda: vk.check({"X1": 1, "X2": 1}, MASKED, alpha=10**400), "alpha was given as"),
        (lambda: vk.check({"X1": 1, "X2": 1}, MASKED, distance=10**400), "'required distance'"),
        (
            lambda: vk.check({"Race": "\udcff", "Zip": "19552"}, vk.published("ks_table4")),
            "which the table lacks|half a character",
        ),
        (lambda: vk.read("x" * 300), "cannot be read"),
        (lambda: vk.open_release("x" * 300), "File name too long"),
        (lambda: vk.open_release("a\0b.csv"), r"'a\\x00b\.csv' is no path: it holds a NUL"),
        (lambda: vk.open_release("\ud800.csv"), "characters that cannot be read or written|exist"),
        (lambda: vk.read(None), "A file was given as NoneType; expected a path"),
        (lambda: vk.open_release(5), "A file was given as int; expected a path"),
        (
            lambda: vk.open_release(io.StringIO("a,b\n1,2\n")),
            "was opened as text; open it as bytes",
        ),
        (lambda: Hierarchy.of(nested(5000)), "The hierarchy is nested too deeply"),
        (lambda: Hierarchy.prefixes(None), "codes to group were given as None; expected a list"),
        (lambda: Hierarchy.prefixes(["a"], 3), "prefix lengths were given as 3; expected a list"),
        (lambda: Hierarchy.prefixes(["ab"], ["a"]), "Prefix lengths \\['a'\\] do not fit"),
        (lambda: Hierarchy.intervals(None, [5]), "values to group were given as None"),
        (lambda: Hierarchy.of({"a": ["b"]}, weights=5), "weights of a hierarchy were given as 5"),
        (lambda: Hierarchy(5), "levels of a hierarchy were given as 5"),
        (
            lambda: vk.mask.generalize(vk.load("ks_table3"), partition=5, seed=1),
            "partition was given as 5; expected a Partition",
        ),
        (lambda: vk.TableRelease.of(MASKED.frame, method=True), "A method was given as True"),
        (lambda: vk.TableRelease.of(MASKED.frame, parameters="x"), "were given as 'x'; expected a"),
        (lambda: vk.Column("age", label=5), "Column 'age' has the label 5; expected text"),
        (lambda: vk.subject.Criterion("packing", "x"), "'apart' was given as 'x'"),
    ],
)
def test_input_that_only_a_stranger_gives_is_refused_in_a_sentence(act, sentence):
    refused(act, match=sentence)


def test_a_table_with_a_number_of_four_hundred_digits_opens_or_is_refused():
    assert ends_well(vk.open_release, stream(f"x,y\n{HUGE},1\n2,3\n"))


def test_five_thousand_levels_make_a_tree_as_any_others():
    assert Hierarchy.of_rows([list(range(5000))]).height == 4999


def test_a_group_without_values_is_its_own_value():
    assert Hierarchy.of({"a": {"b": {}, "c": ["d"]}}).order() == ("b", "d")


def test_a_field_too_large_for_a_hierarchy_is_refused(tmp_path):
    (tmp_path / "h.csv").write_text(f"a;{'x' * 140_000};*\n")
    refused(Hierarchy.read_csv, tmp_path / "h.csv", match="field larger than field limit")


@pytest.mark.parametrize(
    "where",
    [
        "(" * 60 + "a = 1" + ")" * 60,
        "(" * 5000 + "a = 1" + ")" * 5000,
        "not " * 500 + "a = 1",
        "a = " + "x" * 90_000,
        "a = 1 or " * 20_000 + "a = 1",
        f"a > {'9' * 5000}",
    ],
)
def test_a_query_that_is_too_deep_or_too_long_is_refused_or_read(where):
    pytest.importorskip("sqlglot", reason="SQL needs sqlglot")
    assert ends_well(vk.Query.sql, f"{SQL} {where}")


def test_a_thousand_conditions_joined_by_and_are_read():
    pytest.importorskip("sqlglot", reason="SQL needs sqlglot")
    assert len(vk.Query.sql(f"{SQL} " + " and ".join(["a = 1"] * 1000)).where) == 1000


def fact(name, value):
    return lambda package: package["verikit"].update({name: value})


def field(name, value):
    return lambda package: package["resources"][0]["schema"]["fields"][0].update({name: value})


@pytest.mark.parametrize(
    ("edit", "sentence"),
    [
        (fact("parameters", "x"), "gives 'parameters' of the release as 'x'; expected an object"),
        (fact("method", True), "gives 'method' of the release as True; expected text"),
        (fact("format", "1"), "gives 'format' of the release as '1'; expected a whole number"),
        (fact("format", True), "gives 'format' of the release as True"),
        (fact("permutation", "no"), "gives 'permutation' of the release as 'no'; expected true or"),
        (fact("reported_links", "3"), "expected a whole number or null"),
        (fact("reported_without", "town"), "expected a list or null"),
        (fact("reported_without", [5]), "gives 'reported_without' of the release with 5 in it"),
        (fact("parameters", {"scale": 10**400}), "A parameter of a release was given as a number"),
        (field("title", 5), "gives 'title' of a column as 5; expected text"),
        (field("verikit", {"unit": []}), r"gives 'unit' of a column as \[\]; expected text"),
        (field("verikit", {"order": [1]}), "gives 'order' of a column with 1 in it"),
        (field("verikit", {"hierarchy": [[]]}), "gives 'hierarchy' of a column with None in it"),
        (field("verikit", 7), "gives 'verikit' of a column as 7; expected an object"),
        (
            lambda p: p["resources"][0].update(path="a\0b"),
            r"points outside its folder, to 'a\\x00b'",
        ),
        (lambda p: p["resources"][0].update(path="x" * 300), "but it is not there"),
        (lambda p: p["resources"][0].update(name=[]), "gives 'name' of a table as"),
        (lambda p: p.update(resources="x"), "gives 'resources' of the release as 'x'"),
    ],
)
def test_a_description_with_the_wrong_kind_of_value_is_refused_on_opening(edit, sentence, describe):
    refused(vk.open_release, describe(edit), match=sentence)


@pytest.mark.parametrize("content", ["[" * 5000, '{"a":' * 5000, "9" * 5000, '{"a": ' + "9" * 5000])
def test_json_that_is_too_deep_or_too_large_is_refused(content, folder, capsys, monkeypatch):
    (folder / "datapackage.json").write_text(content)
    refused(vk.open_release, folder, match=r"nested too deeply|holds no readable datapackage\.json")
    monkeypatch.setattr("sys.stdin", io.StringIO(content))
    assert main(["check", "dm_table1_masked", "--record", "-"]) == 2
    assert len(capsys.readouterr().err) < 600


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "dm_table1_masked", "--set", f"X1={HUGE}"],
        ["check", "x" * 300, "--set", "X1=1"],
        ["check", "a\0b", "--set", "X1=1"],
        ["check", "dm_table1_masked", "--record", "a\0b"],
        ["check", "dm_table1_masked", "--set", "X1=1", "--set", "X2=1", "--distance", HUGE],
        ["check", "http://127.0.0.1:9/x.csv", "--set", "X1=1"],
        ["mask", "noise", "{table}", "--set", f"scale={HUGE}", "--out", "{out}", "--key", "{key}"],
        [
            "mask",
            "noise",
            "{table}",
            "--set",
            "scale=" + "[" * 5000,
            "--out",
            "{out}",
            "--key",
            "k",
        ],
        ["mask", "noise", "{table}", "--schema", "{table}", "--out", "{out}", "--key", "{key}"],
    ],
)
def test_the_command_says_it_in_one_sentence_and_leaves_with_two(arguments, tmp_path, capsys):
    (tmp_path / "t.csv").write_bytes(TABLE)
    places = {"table": tmp_path / "t.csv", "out": tmp_path / "out", "key": tmp_path / "key"}
    given = [part.format(**places) if part[:1] == "{" else part for part in arguments]
    assert main(given) == 2
    said = capsys.readouterr().err
    assert said.splitlines()[-1].startswith("verikit: ")
    assert len(said) < 700
    assert not (tmp_path / "key").exists()


def test_a_column_that_spans_all_numbers_has_a_published_range():
    from verikit.widgets._form import published_range

    release = vk.TableRelease.of(pd.DataFrame({"x": [-1e308, 1.7e308]}))
    assert published_range(release, release.schema["x"]).startswith("published -1")


# -- the guard and its sentences (F17) ------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (MemoryError(), "needs more memory than there is"),
        (RecursionError(), "is nested too deeply"),
        (OverflowError(), "holds a number that is too large"),
        (EOFError(), "is damaged or was cut short"),
        (NotImplementedError(), "is packed in a way that cannot be read"),
        (OSError(28, "No space left on device"), "cannot be read or written: No space left"),
        (UnicodeEncodeError("utf-8", "x", 0, 1, "no"), "holds characters that cannot be"),
    ],
)
def test_an_error_of_a_library_becomes_a_sentence_that_names_what_came_in(error, sentence):
    with pytest.raises(RecordError, match=f"^'t' {sentence}"), guard("'t'", RecordError):
        raise error


@pytest.mark.parametrize(
    "error", [KeyError("x"), TypeError("x"), ZeroDivisionError(), KeyboardInterrupt()]
)
def test_a_mistake_of_our_own_goes_through_the_guard(error):
    with pytest.raises(type(error)), guard("'t'"):
        raise error


@pytest.mark.parametrize("door", [vk.open_release, vk.read, vk.check, vk.answer])
def test_the_guarded_doors_keep_their_names_and_signatures(door):
    assert door.__name__ in ("open_release", "read", "check", "answer")
    assert "args" not in inspect.signature(door).parameters


@pytest.mark.parametrize("door", ["read_people", "fit_frame"])
def test_running_out_of_memory_is_said(door, monkeypatch):
    def out(*_, **__):
        raise MemoryError

    monkeypatch.setattr(f"verikit.table._microdata.{door}", out)
    refused(vk.read, stream(TABLE), match=r"'t\.csv' needs more memory than there is")


# -- messages quote at most eighty characters -----------------------------------------------------

LONG = "x" * 1_000_000


@pytest.mark.parametrize(
    "act",
    [
        lambda: vk.check({"X1": LONG, "X2": 1}, MASKED),
        lambda: vk.check({LONG: 1, "X2": 1}, MASKED),
        lambda: vk.check({f"{i}{LONG[:1000]}": 1 for i in range(50)}, MASKED),
        lambda: vk.check({"X1": 1, "X2": 1}, MASKED, criterion=LONG),
        lambda: vk.check({"X1": 1, "X2": 1}, MASKED, distance=LONG),
        lambda: vk.open_release(LONG),
        lambda: vk.read(LONG),
        lambda: vk.open_release(stream(f"{LONG[:1000]},{LONG[:1000]}\n1,2\n")),
        lambda: vk.Schema((vk.Column(LONG), vk.Column(LONG))),
        lambda: vk.Column("a", LONG),
        lambda: vk.Query.sql(LONG[:90_000]),
        lambda: vk.Query.count({LONG: ()}),
        lambda: vk.load(LONG),
        lambda: Hierarchy.of({"all": {"a": [LONG], "b": [LONG]}}),
        lambda: Hierarchy.read_csv(LONG),
        lambda: vk.simulate("dm", LONG, seed=1),
    ],
)
def test_a_message_repeats_at_most_eighty_characters_of_a_value(act):
    with pytest.raises(VerikitError) as caught:
        act()
    assert "x" * 81 not in str(caught.value)
    assert len(str(caught.value)) < 600


@pytest.mark.parametrize(
    "value", ["x" * 81, "'" * 81, "\U0010ffff" * 81, [1] * 100, 10**80, 10**81]
)
def test_a_long_value_is_quoted_in_eighty_characters(value):
    assert len(quoted(value)) <= 80


@pytest.mark.parametrize(("digits", "said"), [(81, "81"), (100, "100"), (5001, "5,001")])
def test_a_huge_number_is_quoted_by_its_number_of_digits(digits, said):
    for number in (10 ** (digits - 1), 10**digits - 1, -(10 ** (digits - 1))):
        assert quoted(number) == f"a number of {said} digits"


def test_a_value_that_cannot_even_be_written_out_is_still_refused():
    class Odd:
        def __repr__(self):
            raise RuntimeError

    refused(vk.check, {"X1": Odd(), "X2": 1}, MASKED, match="'X1' was given as a Odd that cannot")


def test_a_sentence_that_is_too_long_keeps_its_beginning_and_its_end():
    said = str(SchemaError(f"Begin {LONG} end with what to do."))
    assert len(said) < 600
    assert said.startswith("Begin x")
    assert said.endswith("end with what to do.")
    assert issubclass(FormatError, VerikitError)


@pytest.mark.parametrize("record", [{"Zip": 10**5000}, {"DOB": 10**5000, "Zip": "19552"}])
def test_a_number_that_python_does_not_write_out_is_reported_shortened(record):
    report = vk.check(record, vk.published("ks_table4"))
    assert len(report.to_json()) < 20_000
    assert len(report.to_html()) < 40_000
