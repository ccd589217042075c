"""Every face says the same of one answer, in one order: screen, slip, terminal and notebook."""

import re
import sys
from html import unescape
from pathlib import Path

import pytest
import released_kinds
from sources import WHOLE, every

import verikit as vk
from verikit.cli import main
from verikit.languages import card_text, texts_of, use_language
from verikit.subject import card

KINDS = {  # each kind of release, and a person who may be in it
    "masked": ("dm_table1_masked", {"X1": "100.87", "X2": "902.21", "X3": "5108.54"}),
    "generalized": ("ks_table4", {"Zip": "19552", "Marital Status": "Single"}),
    "split": ("lhcc_table3", {"Age": "65", "Sex": "M"}),
    "shuffled": ("lhcc_table4", {"Age": "65", "Sex": "M"}),
    "numbers": ("qz_table2_3", {"age": "25"}),
    "drawn anew": ("yq_figure5", {"Age": "[40-50]"}),
}


def plain(html):
    body = re.sub(r"<(style|svg)\b.*?</\1>|<span aria-hidden.*?</span>", " ", html, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", body)).split())


def is_said_in_order(report, shown):
    at = 0
    for _, text in report.parts:
        at = shown.find(" ".join(text.split()), at)
        assert at >= 0, text
    return True


@pytest.mark.parametrize("language", ["en", *every([name for name in WHOLE if name != "en"])])
@pytest.mark.parametrize("kind", KINDS)
def test_card_slip_terminal_and_notebook_say_one_answer_in_one_order(
    kind, language, capsys, tmp_path
):
    name, record = KINDS[kind]
    release = vk.published(name)
    slip = tmp_path / "slip.html"
    given = [f"--set={column}={value}" for column, value in record.items()]
    main(["check", name, *given, "--language", language, "--html", str(slip)])
    terminal = " ".join(capsys.readouterr().out.split())
    report = vk.check(record, release, language=language)
    names = [part.name for part in report.parts]
    assert names[:3] == ["tag", "harm", "headline"]
    assert names.index("now") < names.index("sure")
    assert is_said_in_order(report, plain(card.write_card(report, release.schema)))
    assert is_said_in_order(report, plain(report._repr_html_()))
    terms = [part.text for part in report.parts if part.name == "term"]
    assert not any(term in terminal for term in terms)
    for part in report.parts:
        assert part.name == "term" or " ".join(part.text.split()) in terminal
    shown = plain(slip.read_text(encoding="utf-8"))
    assert all(" ".join(t.split()) in shown for n, t in report.parts if n != "detail")


BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
EACH = (
    "masked", "generalized", "split", "together", "randomized", "numbers", "graph", "disguised",
    "indexed",
)  # fmt: skip


@pytest.mark.parametrize("kind", EACH)
def test_in_random_cases_every_face_says_all_parts_in_order_and_fills_in_every_place(kind):
    if not BENCHMARKS.is_dir():
        pytest.skip("the benchmarks are not beside the tests")
    sys.path.insert(0, str(BENCHMARKS))
    from face_cases import main as compare

    assert compare(8, 0, kind) == 0


FIRST = ("tag", "harm", "headline", "share", "now", "whom")  # and of what she can do the first


def said_first(report):
    """What a telephone shows before she scrolls, whichever language it is in."""
    told = dict(reversed([(part.name, part.text) for part in report.parts]))
    with use_language(report.headline.language):
        text = " ".join([card_text("next"), *(told[name] for name in FIRST if name in told)])
    return re.sub(r"(?<=\d)[\s.,](?=\d)", "", text).split()


@pytest.mark.parametrize("language", WHOLE)
@pytest.mark.parametrize("kind", released_kinds.KINDS)
def test_the_first_screen_has_at_most_60_words_and_6_numbers(kind, language):
    release, record = released_kinds.released(kind, records=200)
    found = [release]
    if hasattr(release, "reporting"):
        columns = [c.name for c in release.schema.quasi][:1]
        found += [release.reporting(60, luck=1.5), release.reporting(60, luck=1.5, without=columns)]
    names = {column.name for column in release.schema if column.role != "sensitive"}
    known = {name: value for name, value in record.items() if name in names}
    for part in found:
        words = said_first(vk.check(known, part, language=language))
        assert len([word for word in words if re.search(r"\w", word)]) <= 60, " ".join(words)
        assert len([word for word in words if re.search(r"\d", word)]) <= 6, " ".join(words)


@pytest.mark.parametrize("kind", released_kinds.KINDS)
def test_tables_and_pictures_of_a_card_leave_no_english_in_another_language(kind):
    release, record = released_kinds.released(kind, records=200)
    names = {column.name for column in release.schema if column.role != "sensitive"}
    known = {name: value for name, value in record.items() if name in names}
    report = vk.check(known, release, language="fr")
    with use_language("fr"):
        shown = unescape(card.write_card(report, release.schema))
    english, french = (texts_of(language, "card")["labels"] for language in ("en", "fr"))
    left = [text for name, text in english.items() if text != french[name]]
    parts = {part.strip() for text in left for part in re.split(r"\{.*?\}", text)}
    assert [part for part in parts if len(part) > 8 and part in shown] == []
