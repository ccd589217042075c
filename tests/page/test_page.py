"""What the page beside a table holds, what it refuses, and what it can never do."""

import base64
import gzip
import hashlib
import json
import re
import subprocess
import sys
from dataclasses import fields, replace
from datetime import date
from itertools import accumulate

import numpy as np
import pandas as pd
import pytest
from released_kinds import released

import verikit as vk
from verikit.cli import main
from verikit.errors import FormatError, SchemaError
from verikit.languages import read_language
from verikit.page import _packed, _write
from verikit.page._kept import compared_columns
from verikit.page._packed import pack_release

HOSTILE = "</script><script>document.title='hijacked'</script>"
RUNNING = vk.published("dm_table1_masked")


def facts_of(page):
    return json.loads(re.search(r'id="facts">(.*?)</script>', page, re.DOTALL).group(1))


def languages_of(page):
    text = re.search(r'id="languages">(.*?)</script>', page, re.DOTALL).group(1)
    return json.loads(gzip.decompress(base64.b64decode(text)))


def columns_of(page):
    """The columns as the page holds them, read by hand."""
    release = facts_of(page)["release"]
    text = re.search(r'id="values">(.*?)</script>', page, re.DOTALL).group(1)
    content, found = gzip.decompress(base64.b64decode(text)), {}
    for column in release["columns"]:
        parts = []
        for count, width, joined in column["arrays"]:
            bytes_ = np.frombuffer(content[: count * width], np.uint8).reshape(width, count)
            content = content[count * width :]
            if width == 8:
                parts.append(np.ascontiguousarray(bytes_.T).view("<f8").ravel().tolist())
                continue
            whole = [sum(int(b) << 8 * at for at, b in enumerate(line)) for line in bytes_.T]
            if joined:
                start, modulus, divisor = joined
                whole = [start + part for part in accumulate(whole)]
                whole = [(part % modulus if modulus else part) / divisor for part in whole]
            parts.append(whole)
        *values, code = parts
        found[column["name"]] = [values[0][int(at)] for at in code] if values else code
    assert not content
    return found


def test_the_page_holds_the_published_values_and_no_others():
    page = vk.page.html(RUNNING)
    held = columns_of(page)
    assert list(held) == ["X1", "X2", "X3"]
    records = zip(*held.values(), strict=True)
    assert sorted(records) == sorted(RUNNING.frame.itertuples(index=False, name=None))


@pytest.mark.parametrize(
    ("distinct", "divisor"),
    [(1, 7), (2, -1000), (256, 1e300), (257, 2.0**-60), (257, 100), (65_537, 8)],
)
def test_values_come_back_whatever_their_number(distinct, divisor):
    frame = pd.DataFrame({"a": np.r_[np.arange(distinct) / divisor, 0.0]})
    held = columns_of(vk.page.html(vk.TableRelease.of(frame)))
    assert sorted(held["a"]) == sorted(frame["a"])


@pytest.mark.parametrize("kind", ["masked", "generalized", "split", "drawn", "numbers", "target"])
def test_a_page_does_not_tell_the_order_of_the_rows(kind):
    release, _ = released(kind, records=200)
    for name in {"frame", "quasi", "sensitive"} & {part.name for part in fields(release)}:
        table = getattr(release, name)
        turned = replace(release, **{name: table.sample(frac=1, random_state=1)})
        assert pack_release(turned).values == pack_release(release).values


def test_the_same_release_gives_the_same_page():
    day = date(2026, 1, 2)
    assert vk.page.html(RUNNING, day=day) == vk.page.html(RUNNING, day=day)
    assert "2026-01-02" in vk.page.html(RUNNING, day=day)


def test_sentences_stand_in_one_table_only():
    """Each sentence of the page is the table's; the program holds none of them."""
    page = vk.page.html(RUNNING)
    told, program = languages_of(page)["en"]["sentences"], page.split("<script>")[1]
    assert told == {
        name: {n: v for n, v in entry._asdict().items() if n not in _write.WORKED_OUT}
        for name, entry in read_language("en").sentences.items()
        if name.partition(".")[0] in ("common", "masked")
    }
    for entry in told.values():
        for piece in re.split(r"\{[^}]*\}", entry["text"]):
            assert len(piece) < 20 or piece not in program


def test_every_sentence_that_the_program_names_is_in_the_table():
    program = vk.page.html(RUNNING).split("<script>")[1]
    named = set(re.findall(r'"((?:masked|common|generalized|split)\.[\w-]+)"', program))
    assert len(named) > 40
    assert named <= set(read_language("en").sentences)


def test_scripts_and_styles_are_named_by_their_hash_and_everything_else_is_forbidden():
    page = vk.page.html(RUNNING)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page).group(1)
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for tag in ("script", "style"):
        content = re.search(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL).group(1)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy


def test_the_page_names_what_it_cannot_say_and_who_can():
    words = languages_of(vk.page.html(RUNNING))["en"]["words"]
    assert "does not repeat the publisher’s method" in words["cannot"]
    assert "verikit app" in words["cannot"]
    assert "verikit app" in words["cannot-other"]
    assert "--with OTHER puts them together" in words["several"]
    assert "learned nothing from the files" in words["cannot-learn"]


def test_every_word_that_the_program_names_is_there_and_none_is_idle():
    page = vk.page.html(RUNNING)
    program, words = page.split("<script>")[1], languages_of(page)["en"]["words"]
    named = set(re.findall(r'uiWords\(\s*"([\w-]+)"', program))
    assert named <= set(words)
    assert {name for name in words if f'"{name}"' not in program} <= {
        "script",
        "criteria",
        "measures",
        "meanings",
        "terms",
        "methods",
        "parameters",
        "refused",
    }


@pytest.mark.parametrize(
    "way_out",
    ["location", "<a ", "href", "window.open", "fetch(", "XMLHttp", "innerHTML", "eval(",
     "import(", "localStorage", "sessionStorage", "document.cookie", "history.", "src="],
)  # fmt: skip
def test_the_page_has_no_way_out_and_keeps_nothing(way_out):
    assert way_out not in vk.page.html(RUNNING)


def test_names_and_categories_cannot_end_the_element_they_stand_in():
    order = (HOSTILE, "b")
    frame = pd.DataFrame({HOSTILE: [1.0, 2.0], "grade": pd.Categorical(order, order)})
    schema = vk.Schema((vk.Column(HOSTILE), vk.Column("grade", kind="ordinal", order=order)))
    page = vk.page.html(vk.TableRelease.of(frame, schema, method=HOSTILE), title=HOSTILE)
    assert "hijacked'</script>" not in page
    assert page.count("<script") == 4
    assert facts_of(page)["release"]["columns"][0]["name"] == HOSTILE


@pytest.fixture
def not_judged(monkeypatch):
    """A release of a kind that no page judges, as one of another package."""
    monkeypatch.delitem(_packed.KINDS, "graph")
    links = pd.DataFrame({"who": [*"abcd"], "ill": [*"wxyz"]})
    return vk.mask.group_nodes(vk.BipartiteGraph.of(links), 2, 1, seed=1).release


def test_a_kind_that_the_page_cannot_judge_is_refused_in_words(not_judged):
    with pytest.raises(SchemaError, match=r"a published graph.*verikit app"):
        vk.page.html(not_judged)


def test_one_generalized_column_makes_a_generalized_table():
    frame = pd.DataFrame({"age": ["20-29", "30-39"], "pay": [1.5, 2.0]})
    facts, _ = pack_release(vk.TableRelease.of(frame))
    assert facts["kind"] == "generalized"
    assert [column["several"] for column in facts["columns"]] == ["'20-29'", None]


def test_a_table_in_which_nobody_can_be_looked_up_is_refused():
    frame = pd.DataFrame({"pay": [1.5, 2.0]})
    schema = vk.Schema((vk.Column("pay", "sensitive"),))
    with pytest.raises(SchemaError, match="nobody can be looked up"):
        vk.page.html(vk.TableRelease.of(frame, schema, promise="covers"))


def test_the_page_of_another_kind_holds_the_sentences_of_what_it_is_put_together_with():
    told = languages_of(vk.page.html(vk.published("lhcc_table4")))["en"]["sentences"]
    families = {"common", "generalized", "split", "together"}
    assert {name.partition(".")[0] for name in told} == families


def test_a_table_without_a_record_or_single_values_is_refused():
    with pytest.raises(SchemaError, match="at least one"):
        vk.page.html(vk.TableRelease.of(pd.DataFrame({"a": np.array([], float)})))
    with pytest.raises(SchemaError, match="shows single values"):
        vk.page.html(vk.TableRelease.of(pd.DataFrame({"a": ["", " "]})))


def test_missing_cells_are_held_as_one_past_the_last_value():
    frame = pd.DataFrame({"a": [2.0, np.nan, 1.0, np.nan], "b": np.arange(4.0)})
    facts, values = pack_release(vk.TableRelease.of(frame))
    assert facts["columns"][0]["arrays"] == [[2, 1, [1, 0, 1]], [4, 1, None]]
    assert list(values[:6]) == [0, 1, 0, 1, 2, 2]


def test_a_column_without_any_value_is_not_asked_for():
    frame = pd.DataFrame({"a": [np.nan, np.nan], "b": [1.0, 2.0]})
    release = vk.TableRelease.of(frame)
    assert compared_columns(release) == ["b"]
    held = pack_release(release).facts
    assert [column["name"] for column in held["schema"]] == ["a", "b"]


def test_a_blank_category_is_not_asked_for():
    grade = pd.Categorical([" ", "b"], [" ", "b"], ordered=True)
    release = vk.TableRelease.of(pd.DataFrame({"a": [1.0, 2.0], "grade": grade}))
    assert compared_columns(release) == ["a"]


def test_the_command_writes_the_page_and_prints_the_checksum_of_the_file(tmp_path, capsys):
    path = tmp_path / "check.html"
    assert main(["page", "dm_table1_masked", str(path)]) == 0
    assert hashlib.sha256(path.read_bytes()).hexdigest() in capsys.readouterr().out
    assert main(["page", "dm_table1_masked", str(path)]) == 2
    assert "exists already" in capsys.readouterr().err
    assert main(["page", "dm_table1_masked", str(path), "--force", "--title", "Pay 2026"]) == 0
    assert "<title>Pay 2026</title>" in path.read_text(encoding="utf-8")


def test_the_command_refuses_what_the_page_cannot_judge(not_judged, tmp_path, capsys):
    not_judged.save(tmp_path / "links")
    assert main(["page", str(tmp_path / "links"), str(tmp_path / "check.html")]) == 2
    assert "verikit app" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["links"]


def test_a_page_beside_the_table_leaves_the_release_as_it_was(tmp_path):
    RUNNING.save(tmp_path / "release")
    vk.page.write(RUNNING, tmp_path / "release" / "check.html")
    opened = vk.open_release(tmp_path / "release")
    assert opened.frame.equals(RUNNING.frame)
    with pytest.raises(FormatError, match="exists already"):
        vk.page.write(RUNNING, tmp_path / "release" / "check.html")


def test_a_release_is_saved_with_its_page_or_not_at_all(not_judged, tmp_path):
    RUNNING.save(tmp_path / "release", page=True)
    RUNNING.save(tmp_path / "bare")
    page = (tmp_path / "release" / "check.html").read_text(encoding="utf-8")
    assert facts_of(page)["release"] == facts_of(vk.page.html(RUNNING))["release"]
    names = {path.name for path in (tmp_path / "release").iterdir()}
    assert names == {path.name for path in (tmp_path / "bare").iterdir()} | {"check.html"}
    for name in names - {"check.html", "datapackage.json"}:
        both = [(tmp_path / folder / name).read_bytes() for folder in ("release", "bare")]
        assert both[0] == both[1]
    assert vk.open_release(tmp_path / "release").frame.equals(RUNNING.frame)
    named = json.loads((tmp_path / "release" / "datapackage.json").read_text(encoding="utf-8"))
    assert named["name"] == "release"
    with pytest.raises(SchemaError):
        not_judged.save(tmp_path / "other", page=True)
    masked = vk.mask.noise(vk.load("dm_table1"), scale=5, seed=1)
    masked.save(tmp_path / "own", tmp_path / "own.key", page=True)
    assert (tmp_path / "own" / "check.html").is_file()
    assert {path.name for path in tmp_path.iterdir()} == {"release", "bare", "own", "own.key"}


def test_a_page_without_data_holds_no_value_and_the_words_of_all_kinds():
    page = vk.page.html(None)
    assert re.search(r'id="values">(.*?)</script>', page, re.DOTALL).group(1) == ""
    assert facts_of(page)["release"] is None
    told = languages_of(page)["en"]["sentences"]
    assert {name.partition(".")[0] for name in told} == {
        "common", "masked", "generalized", "split", "together", "indexed", "randomized",
        "numbers", "graph", "disguised",
    }  # fmt: skip
    assert page == vk.page.html(None)


def test_a_page_without_data_names_words_that_are_there_and_none_is_idle():
    page = vk.page.html(None)
    program, words = page.split("<script>")[1], languages_of(page)["en"]["words"]
    named = set(re.findall(r'(?:uiWords|refused)\(\s*"([\w-]+)"', program))
    assert named <= set(words)
    made = {"role-", "promise-", "note-dates-"}
    idle = {name for name in words if f'"{name.removeprefix("note-")}"' not in program}
    assert {f"note-{name}" for name in re.findall(r'note\("([\w-]+)"', program)} <= set(words)
    assert {name for name in idle if not name.startswith(tuple(made))} <= {
        "script", "criteria", "measures", "meanings", "terms", "methods", "parameters",
        "refused",
    }  # fmt: skip


def test_a_page_without_data_may_know_one_release_but_not_its_values(not_judged):
    page = vk.page.html(RUNNING, data=False)
    package = json.loads(facts_of(page)["package"])
    assert package["verikit"]["method"] == "noise"
    assert package["resources"][0]["hash"].startswith("sha256:")
    assert "100.41" not in page
    with pytest.raises(SchemaError, match="verikit app"):
        vk.page.html(not_judged, data=False)


def test_the_command_writes_a_page_without_data(tmp_path, capsys):
    assert main(["page", "--empty", str(tmp_path / "any.html")]) == 0
    assert main(["page", "dm_table1_masked", str(tmp_path / "one.html"), "--empty"]) == 0
    texts = [(tmp_path / name).read_text(encoding="utf-8") for name in ("any.html", "one.html")]
    assert [facts_of(text)["package"] is None for text in texts] == [True, False]
    assert main(["page", str(tmp_path / "two.html")]) == 2
    assert "--empty" in capsys.readouterr().err


def test_a_page_made_from_an_index_holds_buckets_and_no_other_value(tmp_path):
    index = vk.index(RUNNING, bits=2)
    page = vk.page.html(index)
    told = facts_of(page)["release"]
    assert (told["kind"], told["n"], told["columns"][0]["arrays"][0][0]) == ("indexed", 20, 4)
    assert {name.partition(".")[0] for name in languages_of(page)["pl"]["sentences"]} == {
        "common", "masked", "indexed"
    }  # fmt: skip
    with pytest.raises(SchemaError, match="give the release itself"):
        vk.page.html(index, data=False)
    index.save(tmp_path / "table.index")
    assert main(["page", str(tmp_path / "table.index"), str(tmp_path / "check.html")]) == 0
    assert facts_of((tmp_path / "check.html").read_text(encoding="utf-8"))["release"] == told


@pytest.mark.parametrize(
    "more", ["async function headedTable() {}", "class Refused {}", "const NEW = 1, SIGNS = 2;"]
)
def test_a_name_that_two_files_of_the_program_declare_is_refused(more, monkeypatch):
    """The files share one scope, where the later one would win without a word."""
    program = _write.write_kernel()
    monkeypatch.setattr(_write, "write_kernel", lambda: f"{program}\n{more}\n")
    with pytest.raises(FormatError, match=r"declare '(headedTable|Refused|SIGNS)'; rename"):
        vk.page.html(None)


def test_looking_at_pages_does_not_load_what_large_tables_need():
    script = "import sys, verikit as vk; vk.page.html(vk.published('dm_table1_masked'))"
    script += "; assert 'verikit.large' not in sys.modules"
    subprocess.run([sys.executable, "-P", "-c", script], check=True)
