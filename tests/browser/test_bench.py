"""`verikit bench` as a protector meets it: by keyboard from a file to a folder, on any screen."""

import pytest
from screens import current, grave, resize

import verikit as vk

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("desk")
    vk.load("people").frame.to_csv(folder / "people.csv", index=False)
    return folder


@pytest.fixture(scope="module")
def page(serve, stay, folder):
    """The bench, after four maskings were tried by keyboard."""
    page = stay(serve("bench", "people.csv", folder=folder).address)
    current(page)
    press(page, "These are right")
    page.wait_for_selector("text=How it is masked")
    press(page, "Try from little to much")
    page.wait_for_selector('[data-press="show/3"]')
    current(page)
    return page


def press(page, name):
    page.get_by_role("button", name=name, exact=True).press("Enter")


def shows(page, words):
    page.wait_for_function(
        "words => document.querySelector('.vk-answer').innerText.includes(words)", arg=words
    )
    current(page)


@pytest.mark.parametrize("key", ["Enter", " "])
def test_a_point_of_the_map_is_reached_and_pressed_by_keyboard(page, key):
    point = page.locator('[data-press="show/0"]')
    point.focus()
    assert point.evaluate("node => node === document.activeElement")
    page.keyboard.press(key)
    shows(page, "Try 1: Generalize, k 2")
    press(page, "Undo")
    shows(page, "Try 4: Generalize, k 20")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_and_no_width_hides_anything(page, axe, scheme):
    page.emulate_media(color_scheme=scheme)
    for width in (1280, 360):
        resize(page, width, 800)
        current(page)
        assert grave(page, axe) == [], width
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_what_is_published_lies_where_the_person_stands_and_holds_no_seed(page, folder):
    press(page, "Publish")
    shows(page, "Published in release")
    assert (folder / "release" / "report.html").is_file()
    (seed,) = (folder / "bench-private").glob("*.seed")
    secret = seed.read_text(encoding="utf-8")
    assert len(secret) > 8
    assert secret not in page.content()
    for path in (folder / "release").iterdir():
        assert secret not in path.read_text(encoding="utf-8"), path
