"""`verikit lab`: the same check in a notebook, and nothing of it in the saved file."""

import json
from pathlib import Path

import pandas as pd
import pytest
from screens import current, settle

import verikit as vk

pytestmark = pytest.mark.browser

NOTEBOOK = "check_your_record_app.ipynb"
SECRET = "98.76543"


@pytest.fixture(scope="module")
def lab(serve, home, tmp_path_factory):
    """JupyterLab in a fresh folder, told to save the state of widgets whenever it saves."""
    plugin = Path(home["JUPYTERLAB_SETTINGS_DIR"], "@jupyter-widgets", "jupyterlab-manager")
    plugin.mkdir(parents=True)
    settings = json.dumps({"saveState": True})
    (plugin / "plugin.jupyterlab-settings").write_text(settings, encoding="utf-8")
    folder = tmp_path_factory.mktemp("lab")
    served = serve("lab", folder=folder)
    served.notebook = folder / "verikit-work" / NOTEBOOK
    source = served.notebook.read_text(encoding="utf-8")
    assert source.count("SelfCheck(") == 1
    numbers = source.replace("SelfCheck(", "SelfCheck('dm_table1_masked', ")
    served.notebook.write_text(numbers, encoding="utf-8")
    return served


@pytest.fixture(scope="module")
def page(lab, stay):
    """The notebook of the self-check, run by keyboard, for all tests."""
    address = lab.address.replace("00_start.ipynb", NOTEBOOK)
    page = stay(address, width=1300, ready="text=Python 3 (ipykernel) | Idle")
    page.wait_for_selector(".jp-Notebook:focus-within .jp-Cell.jp-mod-selected")
    page.keyboard.press("Shift+Enter")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(".vk-first")
    return page


def tab_to(page, label):
    """Press Tab until the box with a label has the focus."""
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("() => document.activeElement.labels?.[0]?.innerText") == label:
            return
    pytest.fail(f"no number of Tab presses reaches {label!r}")


def test_a_person_types_her_record_by_keyboard_and_gets_the_verdict_on_it(page):
    record = vk.load("dm_table1").record(12)
    report = vk.check(record, vk.published("dm_table1_masked"))
    for name, value in record.items():
        tab_to(page, name)
        page.keyboard.press("Control+A")
        page.keyboard.type(str(value))
    page.keyboard.press("Enter")
    current(page)
    page.wait_for_function("() => document.querySelector('.vk-nums b').innerText === '3 places'")
    boxes = page.locator(".vk-nums b").all_inner_texts()
    assert boxes == [figure.value for figure in report.figures]


def test_letters_typed_into_a_choice_do_not_reach_the_notebook(page):
    cells = page.locator(".jp-Notebook .jp-Cell").count()
    page.locator("summary", has_text="Set a requirement").press("Enter")
    tab_to(page, "Diversity measured by")
    page.keyboard.type("dd")  # in a notebook: delete this cell
    page.keyboard.press("b")  # in a notebook: a new cell below
    settle(page)
    assert page.locator(".jp-Notebook .jp-Cell").count() == cells
    assert page.locator(".vk-panel").count() == 1


def test_neither_what_was_typed_nor_what_was_uploaded_is_in_the_saved_notebook(
    lab, page, tmp_path, saved
):
    path = tmp_path / "secret_file.csv"
    frame = pd.DataFrame({"secret_age": [11.25, 33.25, 93.25], "secret_weight": [44.25, 55, 96]})
    frame.to_csv(path, index=False)
    page.locator("summary", has_text="Choose another table").click()
    page.locator("input[type=file]").set_input_files(path)
    page.wait_for_selector("text=3 records, 2 attributes")
    for name in frame.columns:
        box = page.get_by_role("textbox", name=name, exact=True)
        box.fill(SECRET)
        box.press("Enter")
    page.wait_for_selector(".vk-card tbody tr:nth-child(2)")
    current(page)
    assert "98.77" in page.inner_text(".vk-card")
    content = saved(lab, page).read_text(encoding="utf-8")
    assert "application/vnd.jupyter.widget-state+json" in content  # state is indeed saved
    assert "SelfCheck" in content
    for secret in (SECRET, "98.77", "secret_file", "secret_age", "33.25", "data:text/html"):
        assert secret not in content


def test_no_question_about_news_stands_in_the_way(page):
    assert page.locator(".Toastify__toast, .jp-Dialog").count() == 0


def test_the_address_bar_shows_no_token(lab, page):
    assert page.url.endswith(f"/lab/tree/{NOTEBOOK}")
    assert "token" not in page.evaluate("location.href + document.referrer")
