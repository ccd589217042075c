"""The views for learning in a browser: mouse and keyboard, and no width that hides anything."""

import os
from dataclasses import replace

import nbformat
import pytest
from screens import current, grave, resize

from verikit.page._server import Server, run_server

pytestmark = pytest.mark.browser

VIEWS = (
    "AttackLab",
    "Bench",
    "BoundedAnswer",
    "ClassesView",
    "GraphQuery",
    "GroupingView",
    "GroupsView",
    "GuaranteesView",
    "IntruderView",
    "LatticeView",
    "LearnedView",
    "MemorizedView",
    "MondrianView",
    "PartitionView",
    "PersonalView",
    "PlausibilityView",
    "QueryBench",
    "ReverseMapping",
    "TargetEditor",
    "RandomizeView",
    "RulesView",
    "TradeOff",
    "WorldsView",
)
GIVEN = {"TradeOff": "verikit.simulate('dm', 500, seed=1)"}  # long enough to be stopped


@pytest.fixture(scope="module")
def views(home, tmp_path_factory):
    """A page with all views and one with the slowest, as Voila serves them, by name."""
    folder = tmp_path_factory.mktemp("views")
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    for name, shown in {"all": VIEWS, "TradeOff": ("TradeOff",)}.items():
        lines = [f"display(widgets.{each}({GIVEN.get(each, '')}))" for each in shown]
        code = "\n".join(["import verikit", "from verikit import widgets", *lines])
        notebook = nbformat.v4.new_notebook(
            cells=[nbformat.v4.new_code_cell(code)], metadata={"kernelspec": kernel}
        )
        nbformat.write(notebook, folder / f"{name}.ipynb")
    options = ["--template=verikit", "--Voila.auto_token=True"]
    isolated = {name: value for name, value in home.items() if os.environ.get(name) != value}
    with run_server(Server("voila", "Voila", options, folder, environment=isolated)) as run:
        yield lambda name="all": replace(run, page=f"/voila/render/{name}.ipynb").address


@pytest.fixture(scope="module")
def shared(views, stay):
    """One page with all views, each of which is changed by its own tests only."""
    page = stay(views(), ready=f".vk-first >> nth={len(VIEWS) - 1}")
    page.said = []
    page.on("console", lambda m: page.said.append(m.text) if m.type == "error" else None)
    return page


@pytest.fixture
def page(shared):
    """The shared page as wide as at first; no error may be left on its console."""
    resize(shared, 1100, 900)
    current(shared)
    yield shared
    assert shared.said == []


def panel(page, title):
    return page.locator(".vk-panel", has=page.locator(".vk-card h2", has_text=title))


def shows(view, words):
    view.page.wait_for_function(
        "([view, words]) => view.innerText.includes(words)", arg=[view.element_handle(), words]
    )


def test_every_view_answers_at_once_with_pictures_in_words_and_fits_a_phone(page):
    assert page.locator(".vk-panel .vk-first").count() == len(VIEWS)
    assert page.locator(".vk-panel .vk-error:visible").count() == 0
    pictures = page.evaluate(PICTURES)
    assert len(pictures) >= len(VIEWS) - 1
    assert [words for words, titles in pictures if len(words) <= 20 or titles != 1] == []
    resize(page, 360, 800)
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


# All at once: a view may be drawn again between two questions.
PICTURES = """[...document.querySelectorAll(".vk-panel svg[role=img]")].map((picture) =>
  [picture.getAttribute("aria-label") ?? "", picture.querySelectorAll(":scope > title").length])"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_in_any_view_at_either_width(page, axe, scheme):
    page.emulate_media(color_scheme=scheme)
    # what else is found in the dark is found in the light
    rules = ["color-contrast"] if scheme == "dark" else []
    for width in (1280, 360):
        resize(page, width, 800)
        assert grave(page, axe, *rules) == [], width
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        wide = page.evaluate(
            "[...document.querySelectorAll('.vk-panel section')].filter("
            "(part) => part.scrollWidth > part.clientWidth + 1).map((part) => part.innerText)"
        )
        assert wide == [], width


def test_the_learning_is_gone_through_round_by_round_with_arrow_keys(page):
    learned = panel(page, "What the table taught")
    learned.locator("input[type=range]").first.focus()
    page.keyboard.press("Home")
    shows(learned, "Nothing was learned yet.")
    page.keyboard.press("ArrowRight")
    shows(learned, "After 1 round of learning")


def test_all_methods_and_the_leak_of_a_model_follow_one_slider_each_by_keys(page):
    guarded = panel(page, "What is guaranteed, and who is found")
    guarded.locator("input[type=range]").focus()
    page.keyboard.press("End")
    shows(guarded, "one column swapped, rate 0.95")
    shows(guarded, "no epsilon")
    model = panel(page, "Who is memorized, and what the scores say")
    model.locator("input[type=range]").focus()
    page.keyboard.press("Home")
    shows(model, "0 people repeated in truth")
    page.keyboard.press("End")
    shows(model, "60 people repeated in truth")


def test_the_lattice_is_walked_by_arrow_keys_and_a_node_opened_by_a_click(page):
    lattice = panel(page, "What the search finds")
    lattice.locator("input[type=range]").focus()
    page.keyboard.press("Home")
    shows(lattice, "Step 0 of 6")
    page.keyboard.press("ArrowRight")
    shows(lattice, "Race level 0, Zip level 3: missed.")
    assert page.evaluate("document.activeElement.type") == "range"  # the focus stays
    lattice.get_by_role("button", name="Next").click()
    shows(lattice, "Race level 1, Zip level 2: met.")
    lattice.locator('[data-press="node/1,0"]').click()
    shows(lattice, "The table at Race level 1, Zip level 0")


def test_a_number_too_large_is_said_beside_its_box_and_put_right(page):
    lattice = panel(page, "What the search finds")
    box = lattice.get_by_role("textbox", name="Records that must look alike (k)")
    box.fill("9")
    box.press("Enter")
    shows(lattice, "the largest k that can be reached is 5.")
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
    shows(groups, "Every group holds at least 3 values of disease.")
    box = groups.get_by_role("spinbutton")
    assert box.input_value() == "3"
    box.fill("4")
    box.press("Enter")
    shows(groups, "Every group holds at least 4 values of disease.")


def test_progress_is_told_while_methods_are_compared(page):
    trade_off = panel(page, "What protection costs")
    trade_off.get_by_role("button", name="Find it").click()
    shows(trade_off, "The least masking by noise")
    current(page)
    assert "is the least of" in trade_off.inner_text()


def test_brackets_of_numbers_follow_both_sliders_by_keyboard(page):
    numbers = panel(page, "The groups, and their errors")
    sliders = numbers.locator("input[type=range]")
    assert sliders.count() == 2
    for k in (3, 4):
        sliders.nth(0).focus()
        page.keyboard.press("ArrowRight")
        shows(numbers, f"k = {k}, e = 1: met by every group")
    sliders.nth(1).focus()
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    shows(numbers, "k = 4, e = 5: met by every group")
    shows(numbers, "add up to 7 at best, and the widest is 5 at best")
    assert numbers.locator("svg[role=img] line").count() > 10


def test_a_question_about_numbers_is_answered_as_it_is_typed(page):
    asked = panel(page, "What is certain, and the truth")
    shows(asked, "The truth is 530,000; permuted says 530,000 to 540,000")
    asked.get_by_role("combobox", name="Asked for").select_option("min")
    current(page)
    asked.get_by_role("combobox", name="gender").select_option("F")
    for name in ("age (years) from", "age (years) to"):
        current(page)
        low = asked.get_by_role("textbox", name=name)
        low.fill("")
        low.press("Enter")
    shows(asked, "permuted says 65,000 to 70,000, generalized 54,000 to 85,000")


PLACE = """(line) => {
  line.scrollIntoView({block: "center"});
  const { x, y, width, height } = line.getBoundingClientRect();
  return { x, y, width, height };
}"""


def test_a_weight_is_dragged_on_the_tree_moved_by_keys_and_typed(page):
    from playwright.sync_api import expect

    editor = panel(page, "The tree, the target and what is published")
    line = editor.locator('[data-drag="weight/[50000, 60000]"]')
    current(page)  # none grows now
    place = line.evaluate(PLACE)
    middle = place["y"] + place["height"] / 2
    page.mouse.move(place["x"] + 0.1 * place["width"], middle)
    page.mouse.down()
    page.mouse.move(place["x"] + 0.2 * place["width"], middle, steps=4)
    page.mouse.move(place["x"] + 0.3 * place["width"], middle, steps=4)
    page.mouse.up()
    slider = editor.locator(".vk-range", has_text="50,000 to 60,000").locator("input[type=range]")
    expect(slider).to_have_value("3", timeout=60_000)
    box = editor.locator(".vk-range", has_text="50,000 to 60,000").locator("input[type=number]")
    slider.focus()
    page.keyboard.press("ArrowRight")
    expect(box).to_have_value("4", timeout=60_000)
    box.fill("1")
    box.press("Enter")
    typed = editor.locator("svg[aria-label*='50,000 to 60,000: weight 1,']")
    typed.wait_for()
    page.evaluate("window.dispatchEvent(new PointerEvent('pointercancel'))")
    page.wait_for_timeout(400)
    assert typed.count() == 1  # the drag that is over says nothing more


def test_a_node_of_the_tree_is_opened_by_a_click(page):
    editor = panel(page, "The tree, the target and what is published")
    current(page)
    editor.locator('[data-press="open/[30000, 40000]"]').click()
    editor.get_by_label("40,000, as a number").wait_for()


def test_a_person_asks_for_more_and_what_is_saved_is_told(page):
    personal = panel(page, "What is published of them")
    personal.get_by_label("Person", exact=True).select_option("3")
    current(page)
    wish = personal.get_by_label("Grace asks for")
    wish.select_option("[30000, 60000]")
    shows(personal, "Their nodes hold 7 values in all; published are 6 values")


def test_a_link_is_learned_by_mouse_and_by_keyboard_and_what_follows_is_said(page):
    grouping = panel(page, "The graph, and what is published")
    current(page)
    grouping.locator('[data-press="link/0"] line').last.click(force=True)
    shows(grouping, "Whoever knows 1 link is certain of")
    link = grouping.get_by_label("A link")
    link.focus()
    page.keyboard.press("ArrowDown")
    current(page)
    grouping.get_by_role("button", name="Somebody learns it").focus()
    page.keyboard.press("Enter")
    shows(grouping, "Whoever knows 2 links is certain of")
    grouping.get_by_role("button", name="Forget all").click()
    shows(grouping, "Nobody has learned a link")


def test_a_question_on_a_graph_is_changed_and_its_truth_shown(page):
    asked = panel(page, "What can be said about it")
    shows(asked, "the truth: 2")
    asked.get_by_label("Asked").select_option("links")
    current(page)
    asked.get_by_label("Author: where the author is").select_option("")
    shows(asked, "the truth: 8")


def test_the_slider_of_drawn_values_changes_the_table_by_keys_and_everybody_sees_no_marks(page):
    drawn = panel(page, "What was changed")
    drawn.locator("input[type=range]").focus()
    page.keyboard.press("ArrowRight")
    shows(drawn, "20 values drawn, 2 in each row")
    assert "→" in drawn.locator("table").inner_text()
    drawn.get_by_label("Seen by").select_option("everybody")
    shows(drawn, "nothing marks what was drawn anew")
    assert "→" not in drawn.locator("table").inner_text()


def test_a_threshold_of_rules_is_typed_and_a_wrong_one_said_beside_its_box(page):
    rules = panel(page, "Which rules survive")
    box = rules.get_by_role("textbox", name="Confidence, as a share")
    box.fill("7")
    box.press("Enter")
    shows(rules, "confidence was given as 7; expected a share")
    assert box.get_attribute("aria-invalid") == "true"
    box.fill("0.6")
    box.press("Enter")
    rules.locator(".vk-stale").wait_for(state="detached")
    shows(rules, "of 6 rules survive")


def test_while_the_least_masking_is_looked_for_stop_stays_in_view_and_ends_it(views, visit):
    page = visit(views("TradeOff"))
    resize(page, 1080, 500)
    costs = panel(page, "What protection costs")
    costs.get_by_role("button", name="Find it").click()
    stop = costs.get_by_role("button", name="Stop", exact=True)
    stop.wait_for()
    assert stop.evaluate("node => node.getBoundingClientRect().top") >= 0
    costs.locator(".vk-now", has_text="of at most 13 maskings tried").wait_for()
    stop.click()
    costs.locator(".vk-answer[aria-busy=false]").wait_for()
    costs.locator(".vk-now:empty").wait_for(state="attached")
    assert costs.get_by_text("The least masking by").count() == 0


CUT = """[...document.querySelectorAll(".vk-card .vk-scroll")]
.filter((box) => box.clientWidth && box.scrollWidth > box.clientWidth + 8)
.map((box) => [box.getAttribute("aria-label"), box.scrollWidth, box.clientWidth])"""


def test_no_column_of_any_table_lies_out_of_sight_at_any_width(page):
    page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")
    for width in (360, 900):
        resize(page, width, 800)
        assert page.evaluate(CUT) == [], width
