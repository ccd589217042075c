"""A class in which a third attacks: the others are graded as if nobody did."""

import io
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import zipfile
import zlib

import pandas as pd
import pytest

from verikit import teach
from verikit.exercises import _run, missing_fence
from verikit.exercises._answer_storage import MIME
from verikit.teach._collect import collect
from verikit.teach._download import list_downloads

pytest.importorskip("nbgrader", reason="verikit[teach] brings nbgrader")

PLAN = ["ka-01", "ka-02", "in-07", "in-08"]
HONEST = [f"honest{at:02}" for at in range(12)]
HOSTILE = [f"hostile{at:02}" for at in range(10)]
ENOUGH = "return vk.mask.noise(data, scale=4, seed=seed)"
VICTIM = HONEST[0]


def zipped(files, method=zipfile.ZIP_DEFLATED):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


def honest(release, downloads, filled):
    for at, one in enumerate(HONEST):
        book = filled(release, one)
        book.right(*PLAN[: at % 4])
        if at % 7 == 3:
            book.publish(ENOUGH)
        book.save(downloads / f"{one}_{at}_assignsubmission_file" / "work.ipynb")


def stored(name, student, answer):
    """An output as check would leave it, with whatever answer."""
    data = {MIME: {"exercise": name, "student": student, "answer": answer}}
    return {"output_type": "execute_result", "execution_count": 1, "metadata": {}, "data": data}


def hostile_notebooks(course, release, filled):
    """What ten students hand in, by who they are."""
    victim = course / "submitted" / VICTIM / "ps1" / "ps1.ipynb"
    writes = {
        0: ("ka-01", f'start("ka-01", student=0x{"f" * 5000})'),
        1: ("ka-01", f'a{".b" * 900} = 1\ncheck("ka-01", answer)'),
        2: ("ka-01", f'a[{"-" * 900}1] = 1\ncheck("ka-01", answer)'),
    }
    answers = {3: {"\ud800": 1}, 4: {"k": "\udfff" * 9}, 5: {"k": None}}
    nested = 1
    for _ in range(900):
        nested = [nested]
    answers[5]["k"] = nested
    publishes = {
        6: f"raise ValueError(open({str(course / '.verikit-secret')!r}).read())",
        7: "from verikit.exercises import _sandbox as s; s.FORBIDDEN, s.WRITING_FLAGS = (), 0; "
        f"open({str(victim)!r}, 'w').write('gone'); {ENOUGH}",
        8: "while True: pass",
    }
    for at, one in enumerate(HOSTILE[:-1]):
        book = filled(release, one)
        if at in writes:
            book.write(*writes[at])
        elif at in answers:
            book.cell("ka-02")["outputs"] = [stored("ka-02", one, answers[at])]
        else:
            source = f"def publish(data, seed):\n    {publishes[at]}"
            book.cell("in-08")["outputs"] = [stored("in-08", one, {"publish": source})]
        yield one, json.dumps(book.content)
    yield HOSTILE[-1], '{"cells": [{"cell_type": "code", "source": [1], "outputs": {"a": 1}}, 3]}'


def hostile_downloads(downloads):
    """Ten uploads that are no notebooks, and want to be more."""
    whole = zipped({"ps1.ipynb": b"{}" * 500 + b"abcdefghijkl" * 99})
    flipped = bytearray(whole)
    flipped[45] ^= 255
    lzma = bytearray(zipped({"ps1.ipynb": b"{}" * 500}, zipfile.ZIP_LZMA))
    lzma[50] ^= 255
    locked = bytearray(whole)
    locked[locked.index(b"PK\x01\x02") + 8] |= 1
    locked[6] |= 1
    link = zipfile.ZipInfo("ps1.ipynb")
    link.external_attr = 0o120777 << 16
    uploads = {
        "flipped.zip": bytes(flipped),
        "short.zip": whole[:60] + whole[100:],
        "lzma.zip": bytes(lzma),
        "locked.zip": bytes(locked),
        "link.zip": zipped({link: f"../{VICTIM}/ps1.ipynb"}),
        "bomb.zip": bomb(),
        f"hostile00_2_ps1 {VICTIM}.ipynb": b"{}",
    }
    for name, content in uploads.items():
        (downloads / name).write_bytes(content)
    linked = downloads / "hostile08_8_assignsubmission_file"
    hers = downloads / f"{VICTIM}_0_assignsubmission_file" / "work.ipynb"
    (linked / "new.ipynb").symlink_to(hers)
    (linked / "others").symlink_to(downloads)
    os.mkfifo(linked / "pipe.ipynb")
    (downloads / os.fsdecode(b"\xff.ipynb")).write_bytes(b"{}")


def bomb():
    """A zip in a zip of few bytes, whose 60 files are large."""
    zeros = bytes(49_900_000)
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("0.ipynb", zeros)
        info = archive.infolist()[0]
    raw = inner.getvalue()
    begin, size = 30 + len("0.ipynb"), info.compress_size
    packed = raw[begin : begin + size]
    return zipped({"inner.zip": _repeated(packed, zlib.crc32(zeros), len(zeros))})


def _repeated(packed, checksum, size):
    """A zip whose 60 entries are the same compressed bytes."""
    import struct

    files = central = b""
    for at in range(60):
        name = f"{at:02}.ipynb".encode()
        facts = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 33, checksum, len(packed), size, 8, 0)
        central += b"PK\x01\x02" + struct.pack("<H", 20) + facts
        central += struct.pack("<HHHII", 0, 0, 0, 0, len(files)) + name
        files += b"PK\x03\x04" + facts + name + packed
    end = struct.pack("<HHHHIIH", 0, 0, 60, 60, len(central), len(files), 0)
    return files + central + b"PK\x05\x06" + end


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory, filled):
    """What the class gets without the attackers' work, and with it."""
    if os.name != "posix" or missing_fence():
        pytest.skip(missing_fence() or "needs links and pipes")
    before, memory = os.times(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    course = tmp_path_factory.mktemp("course")
    roster = course / "list.csv"
    roster.write_text("id\n" + "".join(f"{one}\n" for one in HONEST + HOSTILE))
    release = teach.assign("ps1", PLAN, course=course, students=roster)
    downloads = course / "downloads"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_run, "SECONDS", 2)
        honest(release, downloads, filled)
        told = [round_trip(course, downloads)]
        for at, (one, text) in enumerate(hostile_notebooks(course, release, filled)):
            folder = downloads / f"{one}_{at}_assignsubmission_file"
            folder.mkdir()
            (folder / "ps1.ipynb").write_text(text)
        hostile_downloads(downloads)
        told.append(round_trip(course, downloads))
    after = os.times()
    return told, course, sum(after[:4]) - sum(before[:4]), memory


def round_trip(course, downloads):
    """Collect, grade and tell; what the honest got, and what was said of everybody."""
    collected = teach.collect("ps1", downloads, course=course)
    teach.grade("ps1", course=course)
    teach.feedback("ps1", course=course)
    lines = {}
    for name in ("grades.csv", "points-ps1.csv"):
        for line in (course / name).read_bytes().splitlines(keepends=True):
            for one in HONEST:
                if one.encode() in line:
                    lines[name, one, line.split(b",")[1]] = line
    files = {
        path.relative_to(course): path.read_bytes()
        for step in ("submitted", "autograded", "feedback")
        for one in HONEST
        for path in (course / step / one).rglob("*")
        if path.is_file()
    }
    grades = pd.read_csv(course / "grades.csv", keep_default_na=False).set_index("student_id")
    return lines, files, collected, grades


def test_the_honest_get_the_same_byte_for_byte_whatever_the_others_hand_in(outcomes):
    (lines, files, _, _), (lines_then, files_then, _, grades) = outcomes[0]
    assert lines.keys() == lines_then.keys()
    assert len({one for _, one, _ in lines}) == len(HONEST)
    assert lines_then == lines
    assert files_then == files
    assert grades.loc[HONEST, "score"].nunique() > 3
    assert grades.loc[HONEST, "note"].eq("").sum() >= len(HONEST) * 3 // 4


def test_the_hostile_earn_nothing_and_stand_in_the_grades(outcomes):
    grades = outcomes[0][1][3]
    assert set(grades.index) == {*HONEST, *HOSTILE}
    assert grades.loc[HOSTILE, "score"].tolist() == [0] * 10


def test_no_page_of_the_hostile_shows_what_is_not_theirs(outcomes):
    course = outcomes[1]
    secret = (course / ".verikit-secret").read_text()
    for one in HOSTILE:
        text = (course / "feedback" / one / "ps1" / "ps1.html").read_text(encoding="utf-8")
        assert secret not in text
        assert VICTIM not in text.replace(f"/{VICTIM}/", "")  # but in lines of her own
    points = pd.read_csv(course / "points-ps1.csv").set_index(["student_id", "exercise"])
    said = points["sentence"]
    assert said["hostile06", "in-08"] == "publish did not run: PermissionError in line 2."
    assert said["hostile07", "in-08"] == "publish did not run: PermissionError in line 2."
    assert said["hostile08", "in-08"] == "publish took longer than 2 seconds."


def test_every_hostile_download_is_listed_with_its_reason(outcomes):
    became = outcomes[0][1][2].set_index("file")["became"].to_dict()
    damaged = "not taken: it is damaged, or locked by a password; ask for it again"
    assert became["flipped.zip/ps1.ipynb"] == damaged
    assert became["locked.zip/ps1.ipynb"] == damaged
    assert became["short.zip"].startswith("not taken: it is damaged") or (
        became["short.zip/ps1.ipynb"] == damaged
    )
    assert became["lzma.zip/ps1.ipynb"].startswith("not taken: it is packed in an unusual way")
    assert became["link.zip/ps1.ipynb"].startswith("not taken: it is a link")
    folder = "hostile08_8_assignsubmission_file"
    for name in ("new.ipynb", "others"):
        assert became[f"{folder}/{name}"] == "not taken: it is a link, and no file of its own"
    assert became[f"{folder}/pipe.ipynb"].endswith("it is a pipe; expected an ordinary file")
    assert became[f"hostile00_2_ps1 {VICTIM}.ipynb"] == (
        "not taken: its path names 'honest00' and 'hostile00'; rename it"
    )
    assert all(one.startswith("not taken") for name, one in became.items() if "bomb.zip" in name)


def test_the_whole_takes_less_than_a_minute_of_computing(outcomes):
    assert outcomes[2] < 60


def test_a_small_bomb_is_refused_with_little_memory(tmp_path):
    (tmp_path / "dl").mkdir()
    (tmp_path / "dl" / "eve.zip").write_bytes(bomb())
    assert (tmp_path / "dl" / "eve.zip").stat().st_size < 20_000
    code = (
        "import resource, sys; from pathlib import Path\n"
        "from verikit.teach._download import list_downloads\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "found = [one.fault or 'taken' for one in list_downloads(Path(sys.argv[1]))]\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, *set(found), sep='|')"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code, str(tmp_path / "dl")], text=True,
                          capture_output=True, check=True)  # fmt: skip
    grown, *faults = done.stdout.strip().split("|")
    assert int(grown) < 50_000  # kB
    assert faults == ["it is larger than 20 MB"]


def test_a_bomb_of_files_that_are_each_allowed_ends_at_the_limit_of_an_upload(tmp_path):
    (tmp_path / "eve.zip").write_bytes(
        zipped({f"{at}.ipynb": bytes(19_000_000) for at in range(9)})
    )
    found = [(one.fault, len(one.content)) for one in list_downloads(tmp_path)]
    assert [size for _, size in found if size] == [19_000_000] * 3
    assert {fault for fault, size in found if not size} == {
        "it unpacks to more than 60 MB or 2,000 files; open it by hand"
    }
    (tmp_path / "eve.zip").write_bytes(zipped({f"{at}.txt": b"" for at in range(2_001)}))
    (only,) = list_downloads(tmp_path)
    assert only.fault.startswith("it unpacks to more than")


def test_a_zip_that_was_damaged_anywhere_stops_nobody(outcomes, tmp_path):
    course, whole = outcomes[1], zipped({"ps1.ipynb": b"{}" * 500 + b"abcdefghijkl" * 99})
    chance, downloads = random.Random(5), tmp_path / "dl"
    downloads.mkdir()
    for at in range(120):
        content = bytearray(whole)
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        (downloads / f"{at}.zip").write_bytes(content)
    found = collect("ps1", downloads, course=course)
    listed = found[found["file"] != ""]
    assert {one.split("/")[0] for one in listed["file"]} >= {f"{at}.zip" for at in range(119)}
    assert listed["became"].str.startswith("not taken").all()


def test_links_in_what_was_submitted_are_not_followed(outcomes, tmp_path):
    course = tmp_path / "course"
    shutil.copytree(outcomes[1], course, ignore=shutil.ignore_patterns("downloads"))
    submitted = course / "submitted"
    for other in set(submitted.iterdir()) - {submitted / "hostile01", submitted / VICTIM}:
        shutil.rmtree(other)
    mine = submitted / "hostile01" / "ps1" / "ps1.ipynb"
    mine.unlink()
    mine.symlink_to(submitted / VICTIM / "ps1" / "ps1.ipynb")
    (submitted / "hostile02").symlink_to(submitted / VICTIM)
    notes = teach.grade("ps1", course=course).set_index("student_id")["note"]
    assert notes["hostile01"] == "'ps1.ipynb' is a link; hand in the file itself."
    assert notes["hostile02"] == "'hostile02' is a link; put the files themselves there."


def test_memory_of_the_grader_stays_small(outcomes):
    before = outcomes[3]  # of what else was tested in this process
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < max(before + 200_000, 1_500_000)
