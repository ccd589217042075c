"""The board of the game and the slides: pages of their own that everybody can use."""

import json

import pytest

import verikit as vk
from verikit.game import new, score
from verikit.teach import slides

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def board(tmp_path_factory):
    home = tmp_path_factory.mktemp("game") / "shared"
    game = new(home, teams=4, seed=7, rounds=1)
    for team in range(1, 4):  # the fourth has published nothing
        place, hand = home / "round-1" / f"team-{team}", game.hand(1, team)
        vk.mask.noise(hand.original, scale=team, seed=1).save(place / "release", place / "key.json")
        (place / "answers.json").write_text(json.dumps([5] * 10))
        told = {"objects": False, "distance": 4, "says": ["S1"]}
        (place / "subject.json").write_text(json.dumps(told))
    score(home)
    return home / "board.html"


def problems(page, axe):
    page.evaluate(axe)
    found = page.evaluate("axe.run().then(r => r.violations)")
    return [(one["id"], one["nodes"][0]["html"]) for one in found]


@pytest.mark.parametrize("width", [1080, 360])
def test_the_board_can_be_read_by_everybody_at_every_width(browser, axe, board, width):
    page = browser.new_page(viewport={"width": width, "height": 800})
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(board.as_uri())
    assert asked == [board.as_uri()]
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    cut = page.eval_on_selector(".round", "part => part.scrollWidth > part.clientWidth")
    assert "she is" in page.inner_text(".round")
    assert cut == (width < 700)
    assert "team 4: nothing to score: There is no release" in page.inner_text("main")
    assert "team 1" in page.get_by_role("img").get_attribute("aria-label")
    assert problems(page, axe) == []
    page.close()


def test_slides_are_moved_by_keys_and_show_one_at_a_time(browser, axe, tmp_path):
    many = slides("01_k_anonymity", tmp_path / "slides.html")
    page = browser.new_page(viewport={"width": 1080, "height": 700})
    page.goto((tmp_path / "slides.html").as_uri())
    assert page.locator("#where").inner_text() == f"1 of {many}"
    for number in range(2, many + 1):
        page.keyboard.press("ArrowRight")
        assert page.locator("#where").inner_text() == f"{number} of {many}"
        assert page.locator("section:visible").count() == 1
        if page.locator("section:visible").inner_text().startswith("2 · "):
            break
    assert 2 < number < many
    page.keyboard.press("End")
    assert page.locator("#where").inner_text() == f"{many} of {many}"
    page.keyboard.press("Home")
    assert problems(page, axe) == []
    page.close()
