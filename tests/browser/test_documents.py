"""The audit's documents in a browser: on a small screen, on paper, and for everybody."""

import re

import pandas as pd
import pytest

import verikit as vk
from verikit.game import _scoring
from verikit.game._scoring import Points
from verikit.page._report import Publication, public_report
from verikit.teach import _slides

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def report():
    data = vk.simulate("dm", 60, seed=1)
    return vk.audit(data, *vk.mask.noise(data, scale=0.1, seed=2), distance=3)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("internal", [False, True])
def test_axe_finds_nothing_and_nothing_is_wider_than_a_phone(
    browser, axe, report, internal, scheme
):
    page = browser.new_page(viewport={"width": 360, "height": 800}, color_scheme=scheme)
    page.set_content(report.html(internal=internal))
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    page.evaluate(axe)
    found = page.evaluate("axe.run()")["violations"]
    assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []
    page.close()


def test_on_paper_it_is_dark_on_white_whatever_the_screen_prefers(browser, report):
    page = browser.new_page(viewport={"width": 700, "height": 900}, color_scheme="dark")
    page.set_content(report.html())
    page.emulate_media(media="print")
    colours = page.evaluate(
        "[getComputedStyle(document.body).backgroundColor,"
        " getComputedStyle(document.querySelector('main p')).color]"
    )
    assert colours == ["rgb(255, 255, 255)", "rgb(0, 0, 0)"]
    page.close()


HOSTILE = "<script>document.title='hijacked'</script>"
BACKWARDS = "\u202eevil"


def feedback(name, _):
    one = {"points": 1, "most": 2, "answer": {name: name}, "sentence": name}
    told = {"assignment": "ps1", "student": name, "notes": [name], "exercises": {"ka-01": one}}
    return _slides._make_feedback_page(told)


def board(name, _):
    lines = [Points(1, 1, role, 1, 2.0, name, name) for role in ("protector", "intruder")]
    return _scoring._make_board(lines)


def released(name):
    frame = pd.DataFrame({name: [1.5, 2.5, 4.0, 7.0], "pay": [3.0, 1.0, 2.0, 9.0]})
    data = vk.Microdata(frame, vk.Schema((vk.Column(name), vk.Column("pay"))))
    return data, *vk.mask.noise(data, scale=0.1, seed=2)


def audited(name, _, *, internal=False):
    return vk.audit(*released(name)).html(internal=internal)


def published(name, folder):
    release = released(name)[1]
    release.save(folder / "release")
    return public_report(Publication(name, release, None, "Not counted."), folder / "release")


def slip(name, _):
    data, release, _ = released(name)
    return vk.check(data.record(0), release).to_html(schema=release.schema, table=name)


def slides(name, _):
    return _slides.page(
        "title",
        f"<main><section><p>{_scoring.name(name)}</p></section></main>{_slides.NAVIGATION}",
        style=_slides.STYLE,
        script=_slides.SCRIPT,
    )


DOCUMENTS = {
    "the feedback to a student": feedback,
    "the board of a game": board,
    "an audit": audited,
    "an internal audit": lambda name, folder: audited(name, folder, internal=True),
    "the report beside a release": published,
    "a slip": slip,
    "slides": slides,
}
each_document = pytest.mark.parametrize("make", DOCUMENTS.values(), ids=DOCUMENTS.keys())


@each_document
def test_what_leaves_the_house_may_load_send_and_run_nothing_but_its_own(make, tmp_path):
    content = make(HOSTILE, tmp_path)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', content).group(1)
    assert policy.startswith("default-src 'none'; ")
    assert "script-src 'unsafe-inline'" not in policy
    assert content.index("Content-Security-Policy") < content.index("<style")
    assert content.count("<!doctype html>") == 1
    assert content.count("<script") == policy.count("script-src")
    assert "<bdi>" in content


@each_document
def test_its_policy_lets_it_look_as_it_should_and_stops_what_slipped_in(make, browser, tmp_path):
    content, told = make("x", tmp_path), []
    page = browser.new_page()
    page.on("console", lambda message: told.append(message.text))
    path = tmp_path / "document.html"
    path.write_text(content, encoding="utf-8")
    page.goto(path.as_uri())
    assert told == []
    assert page.evaluate("getComputedStyle(document.body).fontFamily || 1")
    path.write_text(content.replace("</body>", f"{HOSTILE}</body>"), encoding="utf-8")
    page.goto(path.as_uri())
    assert "hijacked" not in page.title()
    assert any("Content Security Policy" in text for text in told)
    page.close()


@pytest.mark.parametrize("make", [feedback, board, audited, published])
def test_a_name_that_runs_from_right_to_left_does_not_turn_the_words_beside_it(make, tmp_path):
    content = make(BACKWARDS, tmp_path)
    inside = re.sub(r"<(bdi|td|th|pre|title|dd|text)\b[^>]*>.*?</\1>", "", content, flags=re.DOTALL)
    lines = re.findall(r">([^<]*\u202e[^<]*)<", inside)
    assert [line for line in lines if not line.startswith(BACKWARDS)] == []
