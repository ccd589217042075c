"""A notebook as a page of Voila: predictions by keyboard, and nothing wider than a telephone."""

import nbformat
import pytest
from screens import settle

from verikit.page._server import Server, run_server

pytestmark = pytest.mark.browser

WIDE = """import pandas as pd
columns = pd.MultiIndex.from_product([["mean", "median"], ["on average", "least", "most"]])
pd.DataFrame([[12.5] * 6] * 3, columns=columns, index=["permuted, alike people"] * 3)"""
ASKED = """from verikit.widgets import Predict
Predict("How many are found?", {"1": "So many finds luck.", "6": ""}, answer=6,
        because="He knows the originals.")"""
VIEW = """from verikit.widgets import ClassesView
ClassesView()"""


@pytest.fixture(scope="module")
def notebook(tmp_path_factory):
    pytest.importorskip("voila")
    folder = tmp_path_factory.mktemp("notebook")
    cells = [nbformat.v4.new_code_cell(source) for source in (WIDE, ASKED, VIEW)]
    words = nbformat.v4.new_markdown_cell("# A title\n\nAnd a sentence.")
    spec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    content = nbformat.v4.new_notebook(cells=[words, *cells], metadata={"kernelspec": spec})
    nbformat.write(content, folder / "one.ipynb")
    options = ["one.ipynb", "--template=verikit", "--Voila.auto_token=True"]
    with run_server(Server("voila", "Voila", options, folder, environment={})) as run:
        yield run.address


def test_a_wide_table_scrolls_by_itself_on_a_telephone(notebook, visit):
    page = visit(notebook, width=360, ready="table.dataframe")
    settle(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    table = page.locator("table.dataframe")
    assert table.bounding_box()["width"] > 360, "else this tests nothing"


def test_the_lines_of_a_views_table_are_blocks_with_all_their_values_in_sight(notebook, visit):
    page = visit(notebook, width=360, ready=".vk-rows td")
    settle(page)  # a table is folded by who watches its size
    wide = page.locator(".vk-rows:visible").evaluate_all(
        "tables => tables.map(table => table.getBoundingClientRect().right)"
    )
    assert wide
    assert max(wide) <= 360


def test_a_student_predicts_by_keyboard_and_is_told_what_she_overlooked(notebook, visit):
    page = visit(notebook, width=1080, ready=".vk-form select")
    answer = page.locator(".vk-card").nth(0)
    assert "So many finds luck" not in page.content()
    page.locator(".vk-form select").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_function("document.body.innerText.includes('you expected 1')")
    said = answer.inner_text()
    assert "It is 6; you expected 1." in said
    assert "So many finds luck. He knows the originals." in said


def test_when_a_prediction_is_locked_the_keyboard_goes_on_at_the_answer(notebook, visit):
    page = visit(notebook, width=1080, ready=".vk-form select")
    page.locator(".vk-form select").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_function("document.body.innerText.includes('you expected 1')")
    answer = page.locator(".vk-card").first
    page.wait_for_function("document.activeElement.matches('.vk-card')")
    assert answer.evaluate("card => card === document.activeElement")
    page.keyboard.press("Tab")
    following = page.evaluate(
        "document.querySelector('.vk-panel').compareDocumentPosition(document.activeElement)"
    )
    assert following & 4, "the next thing on the page comes after this prediction"
