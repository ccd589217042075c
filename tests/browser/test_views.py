"""The views for learning in a browser: mouse and keyboard, and no width that hides anything."""

import os

import nbformat
import pytest

from verikit.cli._server import Server, running

pytestmark = pytest.mark.browser

VIEWS = (
    "AttackLab",
    "ClassesView",
    "GroupsView",
    "IntruderView",
    "LatticeView",
    "MondrianView",
    "PlausibilityView",
    "QueryBench",
    "TradeOff",
)


@pytest.fixture(scope="module")
def views(home, tmp_path_factory):
    """A page with every view, as Voila serves it."""
    folder = tmp_path_factory.mktemp("views")
    shown = "\n".join(f"display(widgets.{name}())" for name in VIEWS)
    cell = nbformat.v4.new_code_cell(f"from verikit import widgets\n{shown}")
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = nbformat.v4.new_notebook(cells=[cell], metadata={"kernelspec": kernel})
    nbformat.write(notebook, folder / "views.ipynb")
    options = ["views.ipynb", "--template=verikit", "--Voila.auto_token=True"]
    isolated = {name: value for name, value in home.items() if os.environ.get(name) != value}
    with running(Server("voila", "Voila", options, folder, environment=isolated)) as run:
        yield run.address


@pytest.fixture
def page(views, visit):
    """The page once every view has answered; no error may be left on its console."""
    said = []
    opened = visit(views, ready=f".vk-first >> nth={len(VIEWS) - 1}")
    opened.on("console", lambda message: said.append(message.text) * (message.type == "error"))
    yield opened
    assert said == []


def panel(page, title):
    return page.locator(".vk-panel", has=page.locator(".vk-card h2", has_text=title))


def shows(page, words):
    page.wait_for_function("words => document.body.innerText.includes(words)", arg=words)


def test_every_view_answers_at_once_with_pictures_in_words_and_fits_a_phone(page):
    assert page.locator(".vk-panel .vk-first").count() == len(VIEWS)
    assert page.locator(".vk-panel .vk-error:visible").count() == 0
    pictures = page.locator(".vk-panel svg[role=img]").all()
    assert len(pictures) >= len(VIEWS) - 1
    for picture in pictures:
        assert len(picture.get_attribute("aria-label")) > 20
        assert picture.locator("> title").count() == 1
    page.set_viewport_size({"width": 360, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_the_lattice_is_walked_by_arrow_keys_and_a_node_opened_by_a_click(page):
    lattice = panel(page, "What the search finds")
    lattice.locator("input[type=range]").focus()
    page.keyboard.press("Home")
    shows(page, "Step 0 of 6")
    page.keyboard.press("ArrowRight")
    shows(page, "Race level 0, Zip level 3: k missed.")
    assert page.evaluate("document.activeElement.type") == "range"  # the focus stays
    lattice.get_by_role("button", name="Next").click()
    shows(page, "Race level 1, Zip level 2: k met.")
    lattice.locator('[data-press="node/1,0"]').click()
    shows(page, "The table at Race level 1, Zip level 0")


def test_a_number_too_large_is_said_beside_its_box_and_put_right(page):
    lattice = panel(page, "What the search finds")
    box = lattice.get_by_role("textbox", name="Records that must look alike (k)")
    box.fill("9")
    box.press("Enter")
    shows(page, "the largest k that can be reached is 5.")
    assert box.get_attribute("aria-invalid") == "true"
    assert lattice.locator(".vk-stale").count() == 1
    box.fill("3")
    box.press("Enter")
    lattice.locator(".vk-stale").wait_for(state="detached")
    assert box.get_attribute("aria-invalid") is None


def test_groups_follow_the_slider_and_its_box(page):
    groups = panel(page, "The groups, before and after")
    groups.locator("input[type=range]").focus()
    page.keyboard.press("ArrowRight")
    shows(page, "Every group holds at least 3 values of disease.")
    box = groups.get_by_role("spinbutton")
    assert box.input_value() == "3"
    box.fill("4")
    box.press("Enter")
    shows(page, "Every group holds at least 4 values of disease.")


def test_progress_is_told_while_methods_are_compared(page):
    trade_off = panel(page, "What protection costs")
    trade_off.get_by_role("button", name="Find it").click()
    shows(page, "The least masking by noise")
    assert "is the least of" in trade_off.inner_text()
