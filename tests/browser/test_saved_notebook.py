"""A saved notebook, exported without Python: every view is there, at every width."""

import nbformat
import pytest

from verikit import widgets

pytestmark = pytest.mark.browser

IN_WORDS = {"Glossary", "Predict", "Quiz"}


UNSEEN = """async () => {
  const images = [...document.querySelectorAll(".vk-saved img")];
  await Promise.all(images.map((one) => one.decode().catch(() => 0)));
  return images.filter((one) => !one.naturalWidth).map((one) => one.alt);
}"""


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """A run notebook with every view as one HTML file, as a code host or a docs site shows it."""
    nbconvert = pytest.importorskip("nbconvert")
    runs = pytest.importorskip("nbconvert.preprocessors")
    cells = [nbformat.v4.new_code_cell("from verikit import widgets")]
    cells += [nbformat.v4.new_code_cell(f"widgets.{name}()") for name in widgets.__all__]
    notebook = nbformat.v4.new_notebook(cells=cells)
    run = runs.ExecutePreprocessor(timeout=300, store_widget_state=False)
    elsewhere = tmp_path_factory.mktemp("notebook")  # in the checkout verikit has no widgets
    run.preprocess(notebook, {"metadata": {"path": str(elsewhere)}})
    shown, _ = nbconvert.HTMLExporter().from_notebook_node(notebook)
    page = tmp_path_factory.mktemp("exported") / "views.html"
    page.write_text(shown, encoding="utf-8")
    return page


@pytest.mark.parametrize("width", [1280, 360])
def test_an_export_shows_every_view_with_nothing_from_the_network(browser, exported, width):
    context = browser.new_context(viewport={"width": width, "height": 900})
    context.route("http*://**", lambda route: route.abort())
    page = context.new_page()
    page.goto(exported.as_uri(), wait_until="domcontentloaded")
    copies = page.locator(".vk-saved")
    assert copies.count() == len(widgets.__all__)
    for at in range(copies.count()):
        copy = copies.nth(at)
        assert copy.locator(".vk-card h2").is_visible()
        drawn = copy.locator("img:not([alt='']):visible, table:visible").count()
        assert drawn or widgets.__all__[at] in IN_WORDS
        assert len(copy.inner_text()) > 60
        assert copy.evaluate("node => node.scrollWidth - node.clientWidth") <= 0
    assert page.locator(".vk-error:visible").count() == 0
    assert page.evaluate(UNSEEN) == []
    context.close()
