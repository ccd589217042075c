"""The page beside a generalized table and beside tables joined by groups, in a browser."""

import io
import re

import pandas as pd
import pytest
from screens import grave, resize
from sources import every, tries

import verikit as vk
from verikit.page import _write
from verikit.subject._card import LINES

pytestmark = pytest.mark.browser

DRAWN = tries(300)
EXAMPLES = {
    "generalized": "ks_table4", "split": "lhcc_table4", "randomized": "yq_figure5",
    "numbers": "qz_table2_3", "graph": None, "disguised": None,
}  # fmt: skip
TYPICAL = {
    "generalized": ("Single", "2001", "19552"), "split": ("65", "M"),
    "randomized": ("[40-50]", "Clerk"), "numbers": ("35", "27101"),
    "graph": ("a", "v"),
    "disguised": ("30",),
}  # fmt: skip
each_kind = pytest.mark.parametrize("kind", EXAMPLES)


@pytest.fixture(scope="module")
def drawn(cases):
    """By kind random cases, each with what `verikit.check` says."""
    return {kind: _drawn(cases, cases.kinds()[kind]) for kind in EXAMPLES}


def _drawn(cases, draw):
    found = [draw(seed) for seed in range(DRAWN)]
    return [(case, cases.expected(case)) for case in found]


def page_of(opened, kind, **options):
    return opened(example(kind), **options)


def example(kind):
    """A small release of a kind."""
    if EXAMPLES[kind]:
        return vk.published(EXAMPLES[kind])
    if kind == "disguised":
        frame = pd.DataFrame({"age": [30, 40] * 4, "pay": [10, 20, 30, 40] * 2})
        data = vk.Microdata(frame, vk.Schema((vk.Column("age"), vk.Column("pay", "sensitive"))))
        tree = vk.targets.balanced([10, 20, 30, 40])
        return vk.mask.disguise(data, hierarchy=tree, seed=1).release
    links = pd.DataFrame({"who": [*"aabbccdd"], "ill": [*"vwxyvzwx"]})
    return vk.mask.group_nodes(vk.BipartiteGraph.of(links), 2, 2, seed=1).release


@each_kind
def test_the_page_says_what_the_check_says_sentence_by_sentence(kind, opened, cases, drawn):
    page = page_of(opened, kind)
    told = cases.said(page, [case for case, _ in drawn[kind]])
    for seed, ((_, wanted), found) in enumerate(zip(drawn[kind], told, strict=True)):
        assert "fault" not in found, (seed, found)
        assert cases.differences(wanted, found) == [], seed
    assert page.problems == []


@each_kind
def test_the_cases_come_near_every_sentence(kind, cases, drawn):
    keys = {key for _, wanted in drawn[kind] for key in cases.keys_of(wanted)}
    told = _write.read_language("en").sentences.items()
    told = {entry.key for name, entry in told if name.startswith(f"{kind}.")}
    links = {"P11"}  # of links, which a page does not hold
    assert told - {"headline", "figure", "part", "note"} - links <= keys
    assert {"warning-you", "warning-table", "no-warning", "cannot-tell"} <= keys


MUTANTS = {
    "generalized": {
        "another limit of a sure guess": ("SURE = 0.9", "SURE = 0.97"),
        "suppressed records count": ("seen.length ? seen : rows", "rows"),
        "suppressed people are exposed": ("at) => !isHidden(first[at])", "at) => true"),
        "equal cells alone meet": ("if (!lead) return null;", "return null;"),
        "one column alone meets": ("if (others.every((", "if (true || others.every(("),
        "cells that are apart meet": ("all[at].apart), columns[0]", "false), columns[0]"),
        "ranges of one end meet": ("(a === b && both)", "a === b"),
        "gaps meet nobody": ("< 2 || !(gaps.length || beside)", "< 2 || !beside"),
        "codes meet equal ones": ("const compared = masked || other;", "const compared = false;"),
        "groups meet by their names": (": below.get(label) ?? []", ": []"),
        "codes of any length": ("if (a.length !== b.length) return false;", ""),
        "ends that belong to a range": ("right ? value <= high : value < high", "value <= high"),
        "ends that belong to no range": ("left ? value >= low : value > low", "value > low"),
        "padded codes are numbers": ("PADDED.test(plain) || ", ""),
        "equals in the order of rows": ("n - m || (a < b ? -1 : a > b ? 1 : 0)", "n - m"),
        "twice is once": ("everywhere.get(own) === 1", "everywhere.get(own) <= 2"),
        "the root says something": ("above[shared] < 0 ? null :", ""),
        "a gap shows a group": ("&& !part.gaps && here", "&& here"),
        "no group is told": ("here.size > 1 ? column.cover", "here.size > 9 ? column.cover"),
        "gaps give away": ("(column.blank(row) ? -1 : column.code[row])", "column.code[row]"),
        "gains in number": ("gain(other) > gain(best)", "gain(other) > 9 + gain(best)"),
        "groups above do not hold": ("path.has(label) ||", "label === name ||"),
        "sets hold nobody": ("|| inside;", ";"),
        "missing cells are nobody's": ("<= this.high[at]), true]", "<= this.high[at]), false]"),
        "suppressed one by one": ("&& !release.byClass &&", "&&"),
        "small numbers as a browser writes them": ("Math.abs(value) >= 1e-4", "true"),
        "too few by one": ("count < k)", "count <= k)"),
    },
    "split": {
        "another limit of a sure guess": ("SURE = 0.9", "SURE = 0.97"),
        "presence in the last group": ("absent *= 1 -", "absent = 1 -"),
        "chances of one mark more": ("- drawn + k + 1", "- drawn + k + 2"),
        "few rows cannot tell": ("drawn + marked - size, Math", "drawn + marked - size + 1, Math"),
        "groups weigh alike": ("part / total),", "1 / copies.length),"),
        "rows are columns": ("(hers) => permuted", "(hers) => !permuted"),
        "a guess right just as often": ("> 1 + 1e-12", ">= 1 - 1e-12"),
        "groups of two values": ("held.length === 1 &&", "held.length <= 2 &&"),
        "a formula of one column": ("distinctIn(columns, group) : []", "[] : []"),
        "the last of the likeliest": (
            "false)), top = named.findIndex(", "false)), top = named.findLastIndex("
        ),
        "coarse cells fit": (".slice(0, -1).some(Boolean)", ".some(() => false)"),
        "lines in the order of groups": ("orderByChance(weights).map", "[...weights.keys()].map"),
        "values that are nobody's": ("turn < 30", "turn < 1"),
        "all that was learned": ("? least[step] : most[step]", "? 1 : 1"),
        "a band too low": ("(cut) => cut <= code", "(cut) => cut < code"),
        "others of the same half": ("lesson.others[halfOf(", "lesson.others[1 - halfOf("),
    },
    "disguised": {
        "values alike whatever their weights": ("(held[node] > 0)", "(held[node] < 0)"),
        "nodes stand for nothing below": ("chances[node] += chances[this.above[node]];", ""),
        "groups weigh alike": ("count * weights[at] / size;", "count / size;"),
        "the target of one group": ("of ? of[group] : 0;", "of ? of[0] : 0;"),
        "a target may be off": ("|| count * whole !==", "|| 0n * whole ==="),
        "a node that is not shown": ("told;\n}\n\nfunction coverOf", "1;\n}\n\nfunction coverOf"),
        "the widest node covers": ("< tree.last[a] - tree", "> tree.last[a] - tree"),
        "a known kind may be hers": ("if (count) may.fill(true", "if (count > 1) may.fill(true"),
        "groups of one node": ("nodes.size === 1 && tree", "nodes.size === 2 && tree"),
        "far by twice": ("chance - target[at]), 0) / 2", "chance - target[at]), 0)"),
        "one column only": ("lines of all) yield", "lines of all.slice(0, 1)) yield"),
    },
    "graph": {
        "somebody is linked to herself": ("(held.group === own ? 1 : 0)", "0"),
        "learned ones count": ("sums.set(home, sums.get(home) - 1);", ""),
        "ways of one node": ("ways.get(node) / pairs", "1 / pairs"),
        "links both ways are two": ("mirrored ? Math.floor(found / 2) : found", "found"),
        "nodes without a link": ("while (degrees.length < found.size)", "while (false)"),
        "links apart": ("reached.size === ends.length", "reached.size <= ends.length"),
        "groups in the order of names": (".sort((a, b) => b.chance - a.chance), apart", ", apart"),
        "the largest group for certain": ("[b.group] < others", "[b.group] > others"),
        "her own name among others": ("(name) => name !== hers", "(name) => name"),
        "numbers of several nodes": ("one === 1).length, better", "one).length, better"),
        "other words for who guesses better": ("DATA.release.better ??", "null ??"),
    },
    "numbers": {
        "groups of any size": ("/ Math.max(sizes[owner[row]], 1) / rows", "/ rows"),
        "the likeliest number stands alone": ("value + reach)] - sums", "value)] - sums"),
        "a wider part of the range": ("PART = 10", "PART = 5"),
        "nearly is nearer": ("NEARLY = 0.01", "NEARLY = 0.0001"),
        "gaps leave nothing": ("length > 1 && !gaps && told.share", "length > 1 && told.share"),
        "a group may be empty": ("if (!column.blank(row)) held", "held"),
        "twice as likely is not enough": ("* values.length >= 2", "* values.length >= 3"),
        "many digits": ("general(value, 12, unit", "general(value, 9, unit"),
        "thousands in years": ("unit || Math.abs(value) >= MANY", "true"),
        "bands begin late": ("upperBound(cuts, code) : code", "lowerBound(cuts, code) : code"),
        "narrow enough": ("width < (e ?? 0)", "width <= (e ?? 0)"),
        "days without their plural": ("Number.isInteger(width) ? count(width, forms) :", ""),
    },
    "randomized": {
        "values that nobody has any more": ("Math.max(same, 1) / n", "same / n"),
        "columns that agree were kept": ("found[set] += found[set | 1 << k]", "found[set] += 0"),
        "columns are drawn alike": ("weights[names.indexOf(inside[0])] ??", "1 ||"),
        "several columns are one": ("changed === 1) found[set]", "changed < 9) found[set]"),
        "columns left out stay": ("choose(others, changed - size) /", "1 /"),
        "rows that nobody published": ("(counts[set] ? Math", "(true ? Math"),
        "cells that stand for hers show it": ("(at === code ? 1 : 0)", "1"),
        "one likeliest row": ("best * (1 - 1e-9) ? count", "best * (1 - 1e-9) ? 1"),
        "rows weigh alike": ("here[column.code[row]] += weights[at]", "here[0] += 0.1"),
        "missing values are no gaps": ("column.blank(row) && weights[at]", "false"),
        "one row more than required": ("possible < (k ?? 0)", "possible <= (k ?? 0)"),
    },
}  # fmt: skip


def test_every_fault_can_be_made():
    program = _write.write_kernel()
    faults = [old for kind in MUTANTS.values() for old, _ in kind.values()]
    assert [old for old in faults if program.count(old) != 1] == []


@pytest.mark.parametrize(
    ("kind", "mutant"), every(((k, m) for k in MUTANTS for m in MUTANTS[k]), 9)
)
def test_a_fault_in_the_program_is_noticed(kind, mutant, monkeypatch, opened, cases, drawn):
    old, new = MUTANTS[kind][mutant]
    program = _write.write_kernel()
    assert program.count(old) == 1
    monkeypatch.setattr(_write, "write_kernel", lambda: program.replace(old, new))
    assert cases.noticed(page_of(opened, kind), drawn[kind])


def answered(page, values):
    for at, value in enumerate(values):
        select = page.locator(f"select#own-{at}").count()
        (page.select_option if select else page.fill)(f"#own-{at}", value)
    page.click("button[type=submit]")
    page.wait_for_selector("#answer:not(.stale) .first")
    return page


def test_a_person_reads_what_a_generalized_table_tells_of_her(opened):
    page = page_of(opened, "generalized")
    page.click("summary >> nth=1")
    page.fill("#k", "5")
    answered(page, ("Single", "2001", "19552"))
    record = {"Marital Status": "Single", "DOB": "2001", "Zip": "19552"}
    report = vk.check(record, vk.published("ks_table4"), k=5)
    assert page.inner_text(".first") == report.headline.text
    assert all(part.text in page.text_content("#card") for part in report.parts)
    assert "Theft" in page.inner_text("table >> nth=1")
    assert page.locator(".unmet").count() == 1
    assert page.problems == []


def test_a_person_reads_what_tables_joined_by_groups_tell_of_her(opened):
    page = answered(page_of(opened, "split"), ("65", "M"))
    report = vk.check({"Age": 65, "Sex": "M"}, vk.published("lhcc_table4"))
    assert page.inner_text(".first") == report.headline.text
    assert all(part.text in page.text_content("#card") for part in report.parts)
    assert page.locator("#card > details > .scroll table").count() == 2


def test_a_formula_in_print_stands_under_the_details_and_not_among_what_concerns_her(opened):
    page = answered(page_of(opened, "split"), ("65", "M"))
    report = vk.check({"Age": 65, "Sex": "M"}, vk.published("lhcc_table4"))
    note = next(note for note in report.notes if "formula in print" in note)
    assert "formula" not in page.inner_text("#card")
    page.click("#card details details summary")
    details = page.inner_text("#card details details")
    assert note in details
    assert "formula in print" in details.partition(note)[2]


def test_of_a_long_table_the_first_lines_are_shown_and_the_rest_is_counted(opened):
    quasi = pd.DataFrame({"age": [30] * 60, "Group-ID": ["a"] * 60})
    ill = pd.DataFrame({"Group-ID": ["a"] * 60, "Ill": [f"illness {at}" for at in range(60)]})
    page = answered(opened(vk.SplitRelease.of(quasi, ill)), ("30",))
    assert page.locator("table >> nth=1").locator("tbody tr").count() == LINES
    assert f"and {60 - LINES} more lines" in page.inner_text("#card")


def test_values_that_were_not_generalized_alone_are_refused_with_what_else_to_give(opened):
    frame = pd.DataFrame({"age": ["20-29", "30-39"], "pay": [1.5, 2.0]})
    page = opened(vk.TableRelease.of(frame))
    page.fill("#own-1", "2")
    page.click("button[type=submit]")
    page.wait_for_selector("#form-error:not(:empty)")
    assert "give your age too" in page.inner_text("#form-error")
    page.fill("#own-0", "25")
    answered(page, ("25", "2"))


def test_of_groups_that_nobody_tells_of_the_page_says_no_more_than_the_check(opened, cases):
    told = vk.published("lhcc_table4")
    release = vk.SplitRelease.of(told.quasi, told.sensitive, told.schema, permuted=True)
    page = opened(release)
    asked = [cases.Case(release, {"Age": age}, {}) for age in (65, 50, 20, 7)]
    for case, found in zip(asked, cases.said(page, asked), strict=True):
        assert not cases.differences(cases.expected(case), found), case.record
        assert cases.expected(case)["state"] == "cannot-tell"


@each_kind
def test_everybody_can_use_the_page(kind, opened, axe):
    page, values = page_of(opened, kind), TYPICAL[kind]
    assert grave(page, axe) == []
    assert grave(answered(page, values), axe) == []
    page.emulate_media(color_scheme="dark")
    assert grave(page, axe, "color-contrast") == []  # what else is found is found in the light
    page.emulate_media(color_scheme="light")
    assert page.evaluate("document.documentElement.scrollWidth") <= 1080
    resize(page, 360, 740)
    assert grave(answered(page, values), axe) == []
    assert page.evaluate("document.documentElement.scrollWidth") == 360


def dated(promise="covers"):
    """A birthday beside a starred code, as an office writes them."""
    source = io.BytesIO(b"born;zip\n06.04.2011;640**\n30.04.2011;640**\n07.05.2012;641**\n")
    source.name = "people.csv"
    found = vk.open_release(source)
    return vk.TableRelease.of(found.frame, found.schema, promise=promise)


def dated_groups():
    born = pd.to_datetime(["2000-01-01", "2000-01-03", "2000-01-06", "1990-05-05"])
    quasi = pd.DataFrame({"born": born, "Group-ID": list("aabb")})
    hidden = pd.DataFrame({"Group-ID": list("aabb"), "ill": list("xyxz")})
    unit = vk.read(quasi).schema["born"].unit
    columns = vk.Column("born", unit=unit), vk.Column("ill", "sensitive", "nominal")
    return vk.SplitRelease.of(quasi, hidden, vk.Schema(columns))


TYPED = (
    "06.04.2011",
    "2011-04-30",
    "2000-01-03",
    "1/13/2000",
    "04/05/2011",
    "2011",
    "soon",
    "15070",
)


@pytest.mark.parametrize("made", [dated, dated_groups], ids=["generalized", "split"])
def test_a_birthday_is_typed_and_shown_as_a_date(made, opened, cases):
    release = made()
    page = opened(release)
    asked = [cases.Case(release, {"born": one}, {}) for one in TYPED]
    for case, found in zip(asked, cases.said(page, asked), strict=True):
        assert "fault" not in found
        assert not cases.differences(cases.expected(case, "en"), found), case.record
    form = page.inner_text("#form")
    assert "days since" not in form
    assert re.search(r"\d \w+ \d{4}", form)
    answered(page, ("2000-01-03" if made is dated_groups else "2011-04-30",))
    assert "15094" not in page.inner_text("#card")


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("2011", "'born' was given as '2011', but it holds dates; give day, month and year"),
        ("soon", "'born' was given as 'soon'; expected a date such as 2026-11-18."),
    ],
)
def test_what_is_no_date_is_asked_back_at_its_box(typed, said, opened):
    page = opened(dated())
    page.fill("#own-0", typed)
    page.click("#form button")
    page.wait_for_selector("#own-0-error:not(:empty)")
    assert page.inner_text("#own-0-error").startswith(said)


def test_a_date_typed_into_years_is_asked_back_however_it_is_written(opened):
    page = opened(vk.published("ks_table4"))
    for typed in ("14.05.2003", "May 14, 2003", "2003-05", "14.5.03", "20030514"):
        page.fill("#own-1", typed)
        page.click("#form button")
        page.wait_for_function(
            "(typed) => document.querySelector('#own-1-error').textContent.includes(typed)",
            arg=typed,
        )
        assert "holds years; give 2003" in page.inner_text("#own-1-error"), typed


def test_what_a_tree_holds_is_listed_on_the_page_as_in_the_app(opened):
    pytest.importorskip("anywidget")
    from verikit.widgets import SelfCheck

    release = vk.published("people_masked")
    page = opened(release)
    options = "#own-1 option"
    listed = page.eval_on_selector_all(options, "all => all.map((one) => one.value)")
    words = page.eval_on_selector_all(options, "all => all.map((one) => one.textContent)")
    fields = {field.id: field for field in SelfCheck(release).parts()[1].fields}
    assert [*zip(listed, words, strict=True)] == [*fields["record/postcode"].options]
    assert sorted(listed) == ["", "3101", "3104", "3107", "3202", "3205", "3209"]
    said = answered(page, ("34", "3104")).inner_text("#card")
    assert "learns your pay: all 4 records that fit them show 2400" in said


def test_a_date_is_asked_for_as_one(opened):
    assert opened(dated()).inner_text("label[for=own-0]") == "born (a date)"


def test_words_are_offered_and_others_asked_back(opened):
    schema = vk.Schema((vk.Column("sex", "quasi", "nominal"),))
    frame = pd.DataFrame({"sex": ["Female", "Female", "Male", "{Female, Male}"]})
    page = opened(vk.TableRelease.of(frame, schema, promise="covers"))
    offered = page.eval_on_selector_all("datalist option", "all => all.map((one) => one.value)")
    assert sorted(offered) == ["Female", "Male"]
    page.fill("#own-0", "Femal")
    page.click("#form button")
    page.wait_for_selector("#own-0-error:not(:empty)")
    assert "'Femal' stands nowhere in 'sex', unlike 'Female'" in page.inner_text("#own-0-error")
