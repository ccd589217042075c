"""A language is one file: what lies in the folder is spoken, and English says what a file lacks."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import verikit.languages
from verikit.languages import LANGUAGES, find_missing_texts, own_texts, read_language, texts_of
from verikit.languages import _files as files

FOLDER = Path(verikit.languages.__file__).parent
ESPERANTO = """
[speech]
name = "Esperanto"
thousands = "."
decimal = ","
and = "kaj"
share = "{a} el {b}"

[sentences.masked]
one-record = "La tabelo havas nur unu rekordon."

[page.words]
check = "Kontrolu"
"""
# The tenth language, in a folder beside all others, which is looked at before verikit is opened.
SPEAK = """
import importlib.resources as resources, sys
from pathlib import Path
found = resources.files
resources.files = lambda name: Path(sys.argv[1]) if name == "verikit.languages" else found(name)
import verikit as vk
"""
ANSWER = (
    SPEAK
    + """
from verikit.languages import LANGUAGES, find_missing_texts
release = vk.published("dm_table1_masked")
record = {"X1": 100.87, "X2": 902.21, "X3": 5108.54}
mixed = vk.check(record, release, language="eo", distance=3)
english = vk.check(record, release, distance=3)
luck = release.reporting(9, luck=1.5)
told = [vk.check(record, luck, language=name).sentence("S10") for name in ("eo", "en")]
assert told[0] == told[1] and "about 1.5" in told[0]
assert LANGUAGES[0] == "en" and "eo" in LANGUAGES
assert mixed.sentences == english.sentences and mixed.figures == english.figures
assert mixed.headline.text == english.headline.text and mixed.headline.tag == english.headline.tag
slip = mixed.to_html(table="x.csv")
assert '<html lang="eo">' in slip and "What now" in slip
one = vk.TableRelease.of(release.frame[:1], release.schema)
assert vk.check(record, one, language="eo").headline.text == "La tabelo havas nur unu rekordon."
missing = find_missing_texts("eo")
assert "sentences.masked.one-value" in missing and "told.refused.no-number" in missing
assert "sentences.masked.one-record" not in missing and len(missing) > 500
try:
    vk.check({"X1": "many"}, release, language="eo")
except vk.RecordError as error:
    assert str(error) == "'X1' was given as 'many'; expected a number."
"""
)
PAGE = (
    SPEAK
    + """
import base64, gzip, json, re
page = vk.page.html(vk.published("dm_table1_masked"), language="eo")
packed = re.search(r'<script[^>]*id="languages"[^>]*>([^<]*)<', page)[1]
told = json.loads(gzip.decompress(base64.b64decode(packed)))
eo, en = told["eo"], told["en"]
assert eo["name"] == "Esperanto" and eo["words"]["check"] == "Kontrolu"
assert {name for name in en["words"] if eo["words"][name] != en["words"][name]} == {"check"}
changed = {name for name in en["sentences"] if eo["sentences"][name] != en["sentences"][name]}
assert changed == {"masked.one-record"}
empty = vk.page.html(None, language="eo")
assert "Kontrolu" not in page and len(empty) > 1000
"""
)


@pytest.fixture
def ten(tmp_path):
    """The folder of languages with one more, of which three texts are known."""
    for file in FOLDER.glob("*.toml"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "eo.toml").write_text(ESPERANTO, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("program", [ANSWER, PAGE], ids=["answer", "page"])
def test_a_language_of_three_texts_gets_a_whole_answer_and_a_page(ten, program):
    command = [sys.executable, "-P", "-c", program, str(ten)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_languages_are_those_that_lie_in_the_folder():
    codes = sorted(file.stem for file in FOLDER.glob("*.toml"))
    assert ("en", *[code for code in codes if code != "en"]) == LANGUAGES
    names = {read_language(code).words["name"] for code in LANGUAGES}
    assert len(names) == len(LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_sections_read_one_by_one_are_the_file(language):
    whole = tomllib.loads((FOLDER / f"{language}.toml").read_text(encoding="utf-8"))
    assert {*whole} == {*files._text_by_section(language)}
    for section in ("speech", "units", "bands", "checks"):  # which name no phrase of [speech.rests]
        assert own_texts(language, section) == whole.get(section, {})


def test_a_section_may_stand_anywhere_and_in_parts(monkeypatch, tmp_path):
    parts = '[card.spread]\none = "1"\n[speech.rests]\nlinks = "se"\n'
    parts += '[card.next]\nask = "{rests:links}"\n'
    (tmp_path / "xx.toml").write_text(parts, encoding="utf-8")
    (tmp_path / "en.toml").write_bytes((FOLDER / "en.toml").read_bytes())
    monkeypatch.setattr(files, "FOLDER", tmp_path)
    assert own_texts("xx", "card") == {"spread": {"one": "1"}, "next": {"ask": "se"}}
    assert texts_of("xx", "card")["spread"] == {**texts_of("en", "card")["spread"], "one": "1"}
    assert texts_of("xx", "card")["terms"] == texts_of("en", "card")["terms"]


def test_what_is_lacking_is_every_text_that_another_language_has(monkeypatch, tmp_path):
    before = {code: {*find_missing_texts(code)} for code in ("de", "pl")}
    for code in ("en", "de", "pl"):
        text = (FOLDER / f"{code}.toml").read_text(encoding="utf-8")
        if code == "pl":
            lines = [line for line in text.splitlines() if not line.startswith(("stop =", "k ="))]
            text = "\n".join(line for line in lines if not line.startswith("no-number"))
        (tmp_path / f"{code}.toml").write_text(text, encoding="utf-8")
    for reader in (files.own_texts, files.texts_of, files._text_by_section):
        reader.cache_clear()
    monkeypatch.setattr(files, "FOLDER", tmp_path)
    monkeypatch.setattr(files, "LANGUAGES", ("en", "de", "pl"))
    try:
        assert {*find_missing_texts("pl")} - before["pl"] == {
            "card.parameters.k", "form.screen.stop", "form.shared.k", "told.refused.no-number",
        }  # fmt: skip
        assert {*find_missing_texts("de")} == before["de"]
        assert find_missing_texts("en") == []
    finally:
        for reader in (files.own_texts, files.texts_of, files._text_by_section):
            reader.cache_clear()
