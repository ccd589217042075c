"""Every kind of table on the page that holds it and on the page without data, read as a person."""

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest
from sources import WHOLE

import verikit as vk
from verikit.languages import card_text, use_language
from verikit.page import _write
from verikit.subject._card_words import method_words
from verikit.subject._view import list_steps

pytestmark = pytest.mark.browser

RECORDS = 12_000
NAMES = ("age", "zip", "sex", "pay", "illness")
INHERITED = ("constructor", "toString", "valueOf", "__proto__", "hasOwnProperty")
KINDS = (
    "masked",
    "generalized",
    "split",
    "shuffled",
    "drawn",
    "numbers",
    "graph",
    "target",
    "indexed",
)
MACHINE = re.compile(r"\[object|\b(undefined|NaN|None|null|Infinity)\b|\d[.,]?\d*e[+-]?\d")
READ = """async () => {
  while (document.getElementById("files-told").textContent.endsWith("…"))
    await new Promise((again) => setTimeout(again, 20));
}"""
SHOWN = """() => {
  document.querySelectorAll("details").forEach((one) => { one.open = true; });
  return document.querySelector("main").innerText;
}"""
PLACES = "() => SEEN.release.columns.map(({ name, role }) => [name, role])"


@cache
def people(names=NAMES, records=RECORDS):
    """A table with a rare value, so that counts have five digits and shares are small."""
    rng = np.random.default_rng(1)
    values = (
        rng.integers(17, 91, records),
        rng.choice(["13053", "13068", "14850", "14853"], records),
        rng.choice(["Female", "Male"], records, p=[0.9, 0.1]),
        rng.integers(20_000, 90_000, records) / 8,
        rng.choice(["flu", "cancer", "ulcer"], records, p=[0.4, 0.4, 0.2]),
    )
    frame = pd.DataFrame(dict(zip(names, values, strict=True)))
    kinds = ("numeric", "nominal", "nominal", "numeric", "nominal")
    roles = ("quasi", "quasi", "quasi", "other", "sensitive")
    columns = [vk.Column(n, r, kind=k) for n, r, k in zip(names, roles, kinds, strict=True)]
    return vk.Microdata(frame, vk.Schema(tuple(columns)))


@cache
def released(kind, names=NAMES, records=RECORDS):
    """A release of a kind, or its index, and the record of one person in the table."""
    data = people(names, records)
    groups = {"partition": vk.partition.anatomy(data, ell=2, seed=2), "seed": 3}
    if kind == "generalized":
        found = vk.mask.generalize(data, partition=vk.partition.mondrian(data, k=50), seed=3)
    elif kind == "numbers":
        columns = [replace(c, role="sensitive") if c.name == names[3] else c for c in data.schema]
        columns = [replace(c, role="other") if c.name == names[4] else c for c in columns]
        data = vk.Microdata(data.frame, vk.Schema(tuple(columns)))
        found = vk.mask.anatomize(data, partition=vk.partition.mondrian(data, k=5), seed=3)
    elif kind == "target":
        tree = vk.Hierarchy.of({"ill": {"mild": ["flu", "ulcer"], "grave": ["cancer"]}})
        schema = [replace(c, hierarchy=tree) if c.name == names[4] else c for c in data.schema]
        found = vk.mask.disguise(
            vk.Microdata(data.frame, vk.Schema(tuple(schema))), hierarchy=tree, seed=3
        )
    elif kind == "graph":
        pairs = data.frame[[names[0], names[4]]].astype(str).drop_duplicates()
        graph = vk.BipartiteGraph.of(pairs.reset_index(drop=True))
        found = vk.mask.group_nodes(graph, 2, 1, groups="one", seed=3)
        return found.release, pairs.iloc[0].to_dict()
    elif kind == "drawn":
        found = vk.mask.randomize(data, changed=2, seed=3)
    elif kind in ("split", "shuffled"):
        found = (vk.mask.anatomize if kind == "split" else vk.mask.permute_all)(data, **groups)
    else:
        frame = data.frame[[names[0], names[3]]]
        data = vk.Microdata(frame, vk.Schema((vk.Column(names[0]), vk.Column(names[3]))))
        found = vk.mask.rank_swap(data, percent=5, seed=3)
    release = vk.index(found.release, bits=3) if kind == "indexed" else found.release
    return release, data.record(0)


def files_of(release, folder):
    """What a person is given: a folder, or the file of an index."""
    release.save(folder)
    return sorted(folder.iterdir()) if folder.is_dir() else [folder]


def give(page, files):
    page.set_input_files("#files", [str(path) for path in files])
    page.evaluate(READ)
    assert page.inner_text("#files-error") == ""


def answered(page, record):
    """What stands on the page when she has given all that others may know of her."""
    for at, (name, role) in enumerate(page.evaluate(PLACES)):
        if role == "quasi" and name in record:
            select = page.locator(f"select#own-{at}").count()
            (page.select_option if select else page.fill)(f"#own-{at}", str(record[name]))
    page.click("button[type=submit]")
    page.wait_for_selector("#answer:not(.stale) .first, .error:not(:empty)")
    assert page.locator(".first").count() == 1, page.inner_text("main")
    return page.evaluate(SHOWN)


@pytest.mark.parametrize("given", ["in the page", "as files"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_person_is_answered_in_words_whatever_kind_of_table_she_has(
    kind, given, opened, tmp_path
):
    release, record = released(kind)
    if given == "as files":
        page = opened(None, ready="#files")
        give(page, files_of(release, tmp_path / "release"))
    else:
        page = opened(release)
    assert not MACHINE.search(answered(page, record))
    for language in WHOLE:
        page.select_option("#language", language)
        page.wait_for_selector(f"html[lang={language}] #answer:not(.stale) .first")
        assert not MACHINE.search(page.evaluate(SHOWN))
    assert page.problems == []


def test_a_generalized_table_of_which_nothing_is_told_is_answered_too(opened, tmp_path):
    path = tmp_path / "k.csv"
    path.write_text("age,zip,illness\n[20-30],1305*,Flu\n[20-30],1305*,Ulcer\n[31-40],1485*,Flu\n")
    page = opened(None, ready="#files")
    give(page, [path])
    shown = answered(page, {"age": 25, "zip": "13053", "illness": "Flu"})
    assert "[20-30]" in shown
    assert not MACHINE.search(shown)
    assert page.problems == []


@pytest.mark.parametrize(
    ("given", "kind"),
    [(given, kind) for given in ("in the page", "as files") for kind in KINDS]
    + [("as a bare table", kind) for kind in ("masked", "generalized")],
)
def test_columns_may_be_called_as_what_every_object_has(kind, given, opened, tmp_path):
    names = ("{title}", *INHERITED[:4]) if given == "in the page" else INHERITED
    release, record = released(kind, names, 200)
    page = opened(release if given == "in the page" else None, ready="button, #files")
    if given == "as files":
        give(page, files_of(release, tmp_path / "release"))
    elif given == "as a bare table":
        release.frame.to_csv(tmp_path / "t.csv", index=False)
        give(page, [tmp_path / "t.csv"])
    page.wait_for_selector("button[type=submit]")
    shown = answered(page, record)
    assert not MACHINE.search(shown)
    assert names[0] in shown
    assert page.problems == []


@pytest.mark.parametrize("kind", KINDS)
def test_how_a_table_was_made_is_told_in_the_words_of_python(kind, opened):
    release, _ = released(kind, records=200)
    page = opened(release)
    for language in WHOLE:
        page.select_option("#language", language)
        page.wait_for_selector(f"html[lang={language}]")
        with use_language(language):
            wanted = method_words(release.method, release.parameters)
            assert f"{page.inner_text('#method')} {card_text('parameters')}" == wanted


FAULTS = {
    "what is read fails": (
        "async function releaseIn(files, told = DATA.package) {",
        "files.nothing.at(0);",
    ),
    "what is seen fails": ("function seenColumn(column) {", "column.nothing.at(0);"),
    "what is seen cannot be sent": ("function seenBare({", None),
    "drawing it fails": ("function drawForm() {", "document.nothing.at(0);"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_of_the_program_ends_the_reading_in_a_sentence(name, opened, monkeypatch, tmp_path):
    old, new = FAULTS[name]
    own = _write._join_scripts

    def faulty(names):
        program = own(names)
        if new is None:
            return program.replace("return { columns: kinds,", "return { columns: () => 0,")
        return program.replace(old, old + new)

    monkeypatch.setattr(_write, "_join_scripts", faulty)
    (tmp_path / "t.csv").write_text("age,pay\n31,5\n45,6\n")
    page = opened(None, ready="#files")
    page.set_input_files("#files", str(tmp_path / "t.csv"))
    page.wait_for_selector("#files-error:not(:empty)")
    assert "that is its fault, not yours; verikit app can." in page.inner_text("#files-error")
    assert not page.inner_text("#files-told").endswith("…")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("links", [None, 60])
def test_nobody_is_told_to_ask_for_what_the_page_tells(kind, links, opened):
    release, record = released(kind, records=200)
    if links is not None and hasattr(release, "reporting"):
        release = release.reporting(links)
    page = opened(release)
    answered(page, record)
    report = vk.check({name: record[name] for name in release_asks(page)}, release)
    wanted = [card_text(name) for name in list_steps(report)]
    first, *others = wanted
    assert page.inner_text("#card .now").endswith(first)
    assert page.locator("#card ul li").all_inner_texts() == others
    assert not any("how the table was made" in text for text in wanted)
    assert any("test attack" in text for text in wanted) == (report.facts["reported_links"] is None)


def release_asks(page):
    return [name for name, role in page.evaluate(PLACES) if role == "quasi"]


def test_who_fits_nothing_is_not_told_to_object(opened):
    release = vk.published("lhcc_table2")
    page = opened(release)
    shown = answered(page, {"Age": 95, "Sex": "F", "Zipcode": "1"})
    assert "No " in page.inner_text(".first")
    assert "right to object" not in shown
    assert "Ask the publisher" in shown


def test_a_column_of_ranges_is_hinted_at_by_its_ends(opened):
    page = opened(released("generalized")[0])
    at = [name for name, _ in page.evaluate(PLACES)].index("age")
    assert page.inner_text(f"#own-{at}-help") == "published 17 to 90"
