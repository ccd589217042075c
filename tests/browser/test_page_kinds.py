"""Every kind of table on the page that holds it and on the page without data, read as a person."""

import re

import numpy as np
import pytest
from released_kinds import KINDS, released
from sources import WHOLE, every

import verikit as vk
from verikit.languages import card_text, use_language
from verikit.page import _write
from verikit.subject._card_words import method_words
from verikit.subject._view import list_steps

pytestmark = pytest.mark.browser

INHERITED = ("constructor", "toString", "valueOf", "__proto__", "hasOwnProperty")
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
    for language in WHOLE if given == "in the page" else every(WHOLE):
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
    [("in the page", kind) for kind in KINDS]
    + every((("as files", kind) for kind in KINDS), 3)
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


ASK_TREES = """(asked) => asked.map(({ above, leaves, weights, held, top }) => {
  const tree = { names: above.map(String), above };
  const target = new Target({ leaves, tree }, weights.map(BigInt));
  return target.isEven(new Map(held), top);
})"""


def drawn_tree(rng):
    """A random tree as the parent of each node, what is published of each, and a node of it."""
    above = [-1, *(int(rng.integers(max(0, at - 3), at)) for at in range(1, rng.integers(3, 12)))]
    leaves = [at for at in range(len(above)) if at not in above]
    leaves.sort(key=lambda leaf: path_up(above, leaf)[::-1])
    weights = [int(weight) for weight in rng.integers(0, 4, len(leaves))]
    if not any(weights):
        weights[0] = 1
    held, top = {}, int(rng.choice([at for at in range(len(above)) if at not in leaves]))

    def publish(node, times):
        below = [at for at, parent in enumerate(above) if parent == node]
        kept = int(rng.integers(0, times + 1)) if below and node != top else times * (not below)
        size = weigh(node)
        if kept * size:
            held[node] = held.get(node, 0) + kept * size
        for child in below:
            if times > kept:
                publish(child, times - kept)

    def weigh(node):
        places = zip(leaves, weights, strict=True)
        return sum(weight for leaf, weight in places if node in path_up(above, leaf))

    publish(top, int(rng.integers(1, 4)))
    if rng.random() < 0.8:
        spoiled = int(rng.integers(0, len(above)))
        held[spoiled] = held.get(spoiled, 0) + 1
    asked = {"above": above, "leaves": leaves, "weights": weights, "top": top}
    return asked | {"held": list(held.items())}, weigh


def path_up(above, node):
    return [node, *path_up(above, above[node])] if node >= 0 else []


def is_even_below(above, held, top, weigh):
    """Wherever something is published below a node, each child has its part of all of it."""
    shown = {
        node: sum(count for one, count in held if node in path_up(above, one) and one != top)
        for node in range(len(above))
    }
    for node in range(len(above)):
        below = [at for at, parent in enumerate(above) if parent == node]
        total = sum(shown[at] for at in below)
        if top in path_up(above, node) and total:
            if any(shown[at] * weigh(node) != weigh(at) * total for at in below):
                return False
            if not weigh(node):
                return False
    return True


def test_what_is_published_is_compared_with_a_target_at_every_level(opened):
    rng = np.random.default_rng(7)
    drawn = [drawn_tree(rng) for _ in range(400)]
    wanted = [is_even_below(a["above"], a["held"], a["top"], weigh) for a, weigh in drawn]
    assert 100 < sum(wanted) < 300
    page = opened(released("target", records=200)[0])
    assert page.evaluate(ASK_TREES, [asked for asked, _ in drawn]) == wanted
