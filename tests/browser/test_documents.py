"""The audit's documents in a browser: on a small screen, on paper, and for everybody."""

import pytest

import verikit as vk

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
