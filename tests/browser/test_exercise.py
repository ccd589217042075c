"""An exercise in JupyterLab, by keyboard: predict, be wrong, read the hint, be right, be graded."""

import json
import os

import pytest

from verikit.exercises import EXERCISES, draw
from verikit.teach._notebook import open_notebook, read_answers

pytestmark = pytest.mark.browser

TASK = EXERCISES["ka-02"]
RIGHT = TASK.right(draw(TASK, "ada"))
MISTAKE = TASK.mistakes["classes for people"]


def notebook():
    """The student's copy: a prediction, then the exercise."""
    import nbformat

    cells = [
        "from verikit.exercises import check, start\nfrom verikit.widgets import Predict",
        """Predict("Open or alone?", options=["more are open", "as many", "fewer"],
        answer="more are open", because="Company does not hide what all of it share.")""",
        'task = start("ka-02", student="ada")\ntask',
        "",
    ]
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    made.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    return nbformat.writes(made)


@pytest.fixture(scope="module")
def lab(serve, tmp_path_factory):
    folder = tmp_path_factory.mktemp("lab")
    (folder / "verikit-work").mkdir()
    (folder / "verikit-work" / "ps1.ipynb").write_text(notebook(), encoding="utf-8")
    served = serve("lab", folder=folder)
    served.notebook = folder / "verikit-work" / "ps1.ipynb"
    return served


def tab_until(page, there, key="Tab"):
    """Press Tab, or Shift+Tab, until the focus is where a condition in the page says."""
    for _ in range(60):
        if page.evaluate(f"() => {{ const at = document.activeElement; return {there}; }}"):
            return
        page.keyboard.press(key)
    pytest.fail(f"no number of {key} presses leads to {there}")


def answered(page, answer, said):
    """Type an answer into the last cell and run it, and wait for what is to be said below it."""
    from playwright.sync_api import expect

    page.keyboard.press("Enter")
    page.keyboard.press("Control+A")
    page.keyboard.press("Delete")
    page.keyboard.type(f"answer = {json.dumps(answer)}\n")
    page.keyboard.type('check("ka-02", answer)')
    cell = page.locator(".jp-CodeCell").nth(3)
    before = cell.locator(".jp-InputPrompt").inner_text()
    page.keyboard.press("Control+Enter")
    page.wait_for_function(
        "before => { const p = document.querySelectorAll('.jp-CodeCell')[3]"
        ".querySelector('.jp-InputPrompt').innerText; return /\\d/.test(p) && p !== before; }",
        arg=before,
    )
    expect(cell.locator(".jp-OutputArea-output").first).to_have_text(said, timeout=60_000)


def shot(page, name):
    """A picture for whoever looks at it, in the folder that VERIKIT_SHOTS names."""
    if folder := os.environ.get("VERIKIT_SHOTS"):
        page.locator(".jp-OutputArea-output:visible").last.scroll_into_view_if_needed()
        page.screenshot(path=f"{folder}/{name}.png")


def test_a_student_predicts_is_wrong_reads_the_hint_and_is_right(lab, visit, saved):
    address = lab.address.replace("00_start.ipynb", "ps1.ipynb")
    page = visit(address, width=1080, height=1000, ready="text=Python 3 (ipykernel) | Idle")
    page.wait_for_selector(".jp-Notebook:focus-within .jp-Cell.jp-mod-selected")
    page.keyboard.press("Shift+Enter")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(".vk-panel")
    assert page.locator(".vk-panel >> text=Company does not hide").count() == 0
    tab_until(page, "at.matches('.vk-panel select')")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    tab_until(page, "at.matches('.vk-panel button')")
    page.keyboard.press("Enter")
    page.wait_for_selector(".vk-panel >> text=Company does not hide")
    shot(page, "predicted")

    tab_until(page, "at.matches('.jp-Cell')", key="Shift+Tab")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Shift+Enter")
    page.wait_for_selector("text=How exposed are they?")
    said = f"{MISTAKE.hint} (2 of 3 points)"
    answered(page, {**RIGHT, **MISTAKE.gives(draw(TASK, "ada"))}, said)
    assert str(RIGHT["open"]) not in said
    shot(page, "hint")
    answered(page, RIGHT, "Right. (3 of 3 points)")
    shot(page, "right")

    (given,) = read_answers(open_notebook(saved(lab, page))).values()
    assert (given.student, given.answer, given.stored) == ("ada", RIGHT, True)
