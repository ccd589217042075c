"""The page made from an index, or given one: it bounds the distance as `verikit.check` does."""

import hashlib
import json
import zlib

import numpy as np
import pytest
from screens import grave
from sources import WHOLE, every, tries

import verikit as vk
from verikit.errors import FormatError
from verikit.page import _write

pytestmark = pytest.mark.browser

DRAWN = tries(200)
RUNNING = vk.published("dm_table1_masked")
HERS = ("100.87", "902.21", "5108.54")


@pytest.fixture(scope="module")
def drawn(cases):
    """Random cases, each with what `verikit.check` says of the index."""
    found = [cases.kinds()["indexed"](seed) for seed in range(DRAWN)]
    return [(case, cases.expected(case)) for case in found]


@pytest.fixture(scope="module")
def index():
    return vk.index(RUNNING, bits=2)


def answered(page):
    for at, value in enumerate(HERS):
        page.fill(f"#own-{at}", value)
    page.press("#own-0", "Enter")
    page.wait_for_selector("#answer:not(.stale) .first")
    return page


def test_the_page_bounds_what_the_check_bounds_sentence_by_sentence(opened, index, cases, drawn):
    page = opened(index)
    told = cases.said(page, [case for case, _ in drawn])
    for seed, ((_, wanted), found) in enumerate(zip(drawn, told, strict=True)):
        assert "fault" not in found, (seed, found)
        assert cases.differences(wanted, found) == [], seed
    assert page.problems == []


def test_the_cases_come_near_every_sentence(drawn):
    drawn = [(case, wanted) for case, wanted in drawn if "refused" not in wanted]
    assert len(drawn) > 0.9 * DRAWN
    texts = [s["because"] for _, w in drawn for s in w["sentences"]]
    whens = {
        e.when
        for name, e in _write.read_language("en").sentences.items()
        if name.startswith("indexed.")
    }
    notes = {"your value lies beyond all published ones", "the bounds of your distance differ"}
    assert whens - notes - {"a distance is less than required, whatever the bounds leave open"} <= {
        *texts
    }
    assert any("lies beyond" in note for _, w in drawn for note in w["notes"])
    assert {w["met"] for _, w in drawn} == {True, False, None}


def test_the_page_says_it_in_every_language(opened, index, cases, drawn):
    page = opened(index)
    for at, language in enumerate(name for name in WHOLE if name != "en"):
        page.evaluate("(name) => speak(name)", language)
        part = [case for case, _ in drawn[15 * at : 15 * at + 15]]
        for case, found in zip(part, cases.said(page, part), strict=True):
            wanted = cases.expected(case, language)
            for name in ("refused", "text", "tag", "figures", "notes", "met"):
                assert cases.differences(wanted.get(name), found.get(name)) == [], language
            assert [s["text"] for s in wanted.get("sentences", [])] == [
                s["text"] for s in found.get("sentences", [])
            ]


MUTANTS = {
    "a value inside lies at an end": ("this.lowest[at] < score && score <", "false && score <"),
    "ends are in the middle": ("first], [first, last - 1]]", "last], [first, last]]"),
    "the last is the first": ("[[first + 1, last], [last, last]]", "[[first, last], [last, last]]"),
    "single buckets are mixed": ("value === highest[at])", "false)"),
    "fewest counts the far end": ("first - end[1]", "first - end[0]"),
    "most counts the near end": ("begin[1] - high", "begin[0] - high"),
    "missing values are far": ("1), most = new", "1).fill(9), most = new"),
    "records that show nothing count": ("column.code[row] !== column.none)) shown", "true)) shown"),
    "the closest only from below": ("fewest[at] <= upper", "fewest[at] < upper"),
    "an attribute's most is not cut": ("=> -most)), upper)", "=> -most)), Infinity)"),
    "what is open is met": ("asked.length && !parts.length ? null", "false ? null"),
    "what may be enough is too near": ("line.ends[1] < line", "line.ends[0] < line"),
    "beyond below only": ("score < low || score > high", "score < low"),
    "the widest of all is single": ("one ? most : Math.max", "!one ? most : Math.max"),
}  # fmt: skip


def test_every_fault_can_be_made():
    program = _write._join_scripts(["indexed"])
    assert [old for old, _ in MUTANTS.values() if program.count(old) != 1] == []


@pytest.mark.parametrize("mutant", every(MUTANTS, 9))
def test_a_fault_in_the_program_is_noticed(mutant, monkeypatch, opened, index, cases, drawn):
    old, new = MUTANTS[mutant]
    program, own = _write.write_kernel(), _write._join_scripts(["indexed"])
    assert own.count(old) == 1
    monkeypatch.setattr(_write, "write_kernel", lambda: program.replace(own, own.replace(old, new)))
    assert cases.noticed(opened(index), drawn)


def test_a_person_reads_between_what_her_distance_lies(opened, index):
    page = answered(opened(index))
    report = vk.check(vk.load("dm_table1").record(2), index)
    assert report.headline.text in page.inner_text(".first")
    assert all(part.text in page.text_content("#card") for part in report.parts)
    assert page.problems == []


def test_a_requirement_may_stay_open_or_be_missed(opened, index):
    page = opened(index)
    page.click("summary")
    for asked in (5, 60):
        page.fill("#distance", str(asked))
        answered(page)
        report = vk.check(vk.load("dm_table1").record(2), index, distance=asked)
        assert page.locator(".unmet").count() == (report.met is False)


def test_the_file_of_an_index_is_taken_and_a_damaged_one_refused(opened, index, tmp_path):
    content = index.save(tmp_path / "table.index").read_bytes()
    page = opened(None, ready="#files")
    damaged, newer = content[:-4] + b"abcd", content.replace(b"index 1", b"index 2")
    for words, changed in {"damaged": damaged, "newer verikit": newer}.items():
        page.set_input_files("#files", {"name": "t", "mimeType": "", "buffer": changed})
        page.wait_for_selector(f"#files-error:has-text('{words}')")
    page.set_input_files("#files", str(tmp_path / "table.index"))
    page.wait_for_selector("#own-0")
    answered(page)
    report = vk.check(vk.load("dm_table1").record(2), index)
    assert all(part.text in page.text_content("#card") for part in report.parts)


def sealed(facts, parts):
    """A file of an index with a checksum of its own, whatever it holds."""
    packed = [zlib.compress(part) for part in parts]
    facts = {"packed": [len(part) for part in packed], **facts}
    told = json.dumps(facts).encode()
    content = len(told).to_bytes(8, "little") + told + b"".join(packed)
    return f"verikit index 1 {hashlib.sha256(content).hexdigest()}\n".encode() + content


def taken_apart(content):
    """What is told in the file of an index, and its parts unpacked."""
    content = content.partition(b"\n")[2]
    end = 8 + int.from_bytes(content[:8], "little")
    facts, parts = json.loads(content[8:end]), []
    for length in facts.pop("packed"):
        parts.append(zlib.decompress(content[end : end + length]))
        end += length
    return facts, parts


def told(**changed):
    return lambda facts, _: facts.update(changed)


def number(part, at, value):
    """Another end of a bucket, or another count."""

    def change(_, parts):
        kind = "<i8" if part % 5 == 0 else "<f8"
        found = np.frombuffer(parts[part], kind).copy()
        found[at] = value
        parts[part] = found.tobytes()

    return change


def part(at, make):
    def change(_, parts):
        parts[at] = make(parts[at])

    return change


def swapped(_, parts):
    parts[1], parts[2] = (np.frombuffer(p, "<f8")[::-1].tobytes() for p in (parts[1], parts[2]))


def immense(facts, parts):
    facts["records"] = 20_000_000
    for at in range(3, len(parts), 5):
        parts[at : at + 2] = [bytes(20_000_000)] * 2


def renamed(facts, _):
    facts["columns"][1]["name"] = facts["columns"][0]["name"]


def of_words(facts, _):
    facts["columns"][0]["type"] = 5


WRONG = {
    "ends in descending order": swapped,
    "an end that is no number": number(1, 0, float("nan")),
    "another count of records": told(records=19),
    "no record": told(records=0),
    "a count as text": told(records="x"),
    "another promise": told(promise="safe"),
    "links of another type": told(reported_links="x"),
    "links in parts": told(reported_links=1.5),
    "luck of another type": told(reported_luck="x"),
    "a method that is no text": told(method=5),
    "parameters that are a list": told(parameters=[1]),
    "no column": told(columns=[], buckets=[]),
    "a column of another type": of_words,
    "a name twice": renamed,
    "codes beyond the buckets": part(3, lambda codes: b"\xff" + codes[1:]),
    "codes in other buckets": part(3, lambda codes: bytes(len(codes))),
    "a short column": part(3, lambda codes: codes[:-1]),
    "a long column": part(3, lambda codes: codes + bytes(9)),
    "an empty bucket": number(0, 0, 0),
    "too much": immense,
}


@pytest.mark.parametrize("name", WRONG)
def test_an_index_that_python_refuses_is_refused(name, blank, index, tmp_path):
    facts, parts = taken_apart(index.save(tmp_path / "right").read_bytes())
    WRONG[name](facts, parts)
    path = tmp_path / "wrong.vkx"
    path.write_bytes(sealed(facts, parts))
    words = "MB are allowed" if name == "too much" else "does not describe an index"
    with pytest.raises(FormatError, match=words):
        vk.check(vk.load("dm_table1").record(2), path)
    page = blank
    page.set_input_files("#files", str(path))
    page.wait_for_function("() => SEEN.wrong && !byId('files-told').textContent")
    words = "far more memory" if name == "too much" else "“wrong.vkx” does not describe an index"
    assert words in page.inner_text("#files-error")
    assert page.locator("#form").is_hidden()


def test_everybody_can_use_the_page(opened, index, axe):
    page = opened(index, width=360, height=740)
    assert grave(page, axe) == []
    assert grave(answered(page), axe) == []
    assert page.evaluate("document.documentElement.scrollWidth") == 360
