"""The site of the documentation: built by one command, whole, and asking nothing from elsewhere."""

import functools
import json
import os
import re
import subprocess
import sys
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import nbformat
import pytest

pytest.importorskip("mkdocs_jupyter", reason="the extra docs is not installed")
pytest.importorskip("material", reason="the extra docs is not installed")
pytest.importorskip("jupyterlite_pyodide_kernel", reason="the extra docs is not installed")

import verikit as vk
from verikit import widgets

DOCS = Path(__file__).resolve().parents[2] / "docs"
PARTS = re.compile(
    r"""<(?:link|script|img|iframe|source|video)\b[^>]*?\b(?:href|src)\s*=\s*["']?(?:\w+:)?//[^"'>]*""",
    re.IGNORECASE,
)
INSIDE = re.compile(r"""(?:@import\s+|url\()["']?(?:https?:)?//|import\(["']https?://""")
SCRIPT = re.compile(r"<script\b[^>]*>(?:(?!</script>).)*https?://", re.DOTALL)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, str(DOCS / "build.py"), str(folder), "--repository", "some/kit"]
    command += ["--only", "01_k_anonymity"]
    subprocess.run(command, check=True, cwd=folder)
    return folder


def test_readme_views_notebooks_and_docstrings_are_pages(site):
    pages = {str(page.relative_to(site)) for page in site.rglob("*.html")}
    assert {"index.html", "papers.html", "notebooks/01_k_anonymity.html"} <= pages
    assert {f"views/{name}.html" for name in widgets.__all__} <= pages
    assert "rank_swap" in (site / "reference/mask.html").read_text(encoding="utf-8")


def test_the_reference_tells_types_and_leads_to_them(site):
    page = (site / "reference/models.html").read_text(encoding="utf-8")
    told = page[page.index('<h2 id="k_anonymity"') :].partition("<h2")[2].partition("<h2")[0]
    plain = re.sub(r"<[^>]*>", "", told)
    assert "missing: Missing = 'refuse') -&gt; ModelVerdict" in plain
    assert 'href="models.html#modelverdict"' in told
    assert 'href="errors.html#schemaerror"' in told
    assert "-----" not in page


def test_every_link_of_the_reference_leads_to_a_name(site):
    pages = {page.name: page.read_text(encoding="utf-8") for page in site.glob("reference/*.html")}
    for name, page in pages.items():
        body = page[page.index('<article class="md-content') :].partition("</article>")[0]
        for place, anchor in re.findall(r'href="(\w*(?:\.html)?)#(\w+)"', body):
            assert f'id="{anchor}"' in pages[place or name], (name, place, anchor)


def test_views_are_shown_with_their_pictures(site):
    for name in ("GroupsView", "LatticeView", "TradeOff", "IntruderView"):
        page = (site / "views" / f"{name}.html").read_text(encoding="utf-8")
        assert "A copy of what this view showed" in page
        assert '<img src="data:image/svg+xml' in page


def test_stored_outputs_are_shown(site):
    page = (site / "notebooks/01_k_anonymity.html").read_text(encoding="utf-8")
    assert "jp-OutputArea-output" in page


def test_a_notebook_that_is_run_before_keeps_a_copy_of_each_view(tmp_path):
    cells = ["from verikit import widgets", "widgets.MondrianView()"]
    notebook = nbformat.v4.new_notebook(cells=list(map(nbformat.v4.new_code_cell, cells)))
    nbformat.write(notebook, tmp_path / "drawn.ipynb")
    code = (
        "import sys; from pathlib import Path; from build import run; run(*map(Path, sys.argv[1:]))"
    )
    command = [sys.executable, "-c", code, tmp_path / "drawn.ipynb", tmp_path / "run.ipynb"]
    subprocess.run(command, check=True, cwd=DOCS)
    (output,) = nbformat.read(tmp_path / "run.ipynb", as_version=4).cells[1].outputs
    assert set(output.data) == {"text/plain", "text/html"}
    assert 'src="data:image/svg+xml;base64,' in output.data["text/html"]


def test_no_page_fetches_anything_from_another_computer(site):
    foreign = []
    pages = [page for page in site.rglob("*.html") if "lite" not in page.parts]
    for page in pages:
        text = page.read_text(encoding="utf-8")
        foreign += [(page.name, found) for found in PARTS.findall(text) if "canonical" not in found]
        foreign += [(page.name, found[-200:]) for found in SCRIPT.findall(text)]
        foreign += [(page.name, found) for found in INSIDE.findall(text)]
    for style in site.rglob("*.css"):
        foreign += INSIDE.findall(style.read_text(encoding="utf-8"))
    assert foreign == []
    assert not (site / "assets" / "fonts").exists()


def test_no_link_of_a_page_leads_nowhere(site):
    lost = []
    for page in [*site.glob("*.html"), *site.glob("views/*.html"), *site.glob("reference/*.html")]:
        for link in re.findall(r'<a\b[^>]*href="([^"#?]+)', page.read_text(encoding="utf-8")):
            here = "://" not in link and not link.startswith(("data:", "mailto:"))
            if here and page.name != "404.html" and not (page.parent / link).exists():
                lost.append((page.name, link))
    assert lost == []


@pytest.mark.browser
def test_the_search_finds_a_function_where_the_pages_are_opened_as_files(site, browser):
    context = browser.new_context(viewport={"width": 1300, "height": 900}, offline=True)
    page = context.new_page()
    page.goto((site / "views" / "Quiz.html").as_uri())
    page.wait_for_function("() => document.querySelector('iframe')?.contentWindow.lunr")
    page.locator(".md-search__input").click()
    page.keyboard.type("k_anonymity")
    page.wait_for_selector(".md-search-result__link")
    found = page.locator(".md-search-result__link").evaluate_all("links => links.map(a => a.href)")
    assert any("reference/models.html" in link and "#k_anonymity" in link for link in found)
    context.close()


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def serve_folder(folder):
    """A server of files on this machine, as any room has one."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


@pytest.fixture(scope="module")
def lite(site, browser):
    """JupyterLab as the site serves it, in a room without network."""
    server = serve_folder(site)
    context = browser.new_context(viewport={"width": 1300, "height": 900})
    context.route("https://**", lambda route: route.abort())
    page = context.new_page()
    here = f"http://127.0.0.1:{server.server_port}/lite/lab/index.html"
    page.goto(f"{here}?path=01_k_anonymity.ipynb")
    yield page
    context.close()
    server.shutdown()
    server.server_close()


@pytest.mark.browser
def test_a_notebook_opens_in_the_page_and_begins_with_the_line_that_installs_verikit(lite):
    lite.wait_for_selector(".jp-Notebook h1:has-text('Hiding in a group')")
    lite.wait_for_selector(".jp-Notebook .jp-CodeCell .cm-line")
    first = lite.locator(".jp-Notebook .jp-Cell").first
    assert first.locator(".cm-content").text_content() == '%pip install -q "verikit[browser]"'


@pytest.mark.browser
def test_the_page_says_where_its_python_cannot_be_had(lite):
    said = lite.wait_for_selector("#no-python").text_content()
    assert "Python cannot be fetched from https://" in said
    assert "pyodide.mjs" in said


def test_the_site_brings_its_own_verikit_and_leads_to_where_it_can_be_tried(site):
    index = json.loads((site / "lite/pypi/all.json").read_text(encoding="utf-8"))
    (wheel,) = index["verikit"]["releases"][vk.__version__]
    assert (site / "lite/pypi" / wheel["filename"]).is_file()
    home = (site / "index.html").read_text(encoding="utf-8")
    for link in (
        "lite/lab/index.html?path=00_start.ipynb",
        "colab.research.google.com/github/some",
    ):
        assert f'href="{link}' in home or f'href="https://{link}' in home
    assert "mybinder.org/v2/gh/some/kit" in home


KERNEL = os.environ.get("VERIKIT_PYODIDE", "")
needs_kernel = pytest.mark.skipif(
    not KERNEL, reason="VERIKIT_PYODIDE names no folder or archive of Pyodide"
)


@pytest.fixture(scope="module")
def running(browser, tmp_path_factory):
    """Run a notebook of a site with its own Python from top to bottom, and give its page."""
    folder = tmp_path_factory.mktemp("own")
    code = "import sys; from pathlib import Path; from lite import build_lite; "
    code += "build_lite(Path(sys.argv[1]), sys.argv[2], sys.argv[3:])"
    names = ["00_start", "check_your_record_app"]
    command = [sys.executable, "-c", code, str(folder), KERNEL, *names]
    subprocess.run(command, check=True, cwd=DOCS)
    server = serve_folder(folder)
    context = browser.new_context(viewport={"width": 1300, "height": 900})
    context.route("https://**", lambda route: route.abort())

    def run(name):
        page = context.new_page()
        page.set_default_timeout(300_000)
        page.goto(f"http://127.0.0.1:{server.server_port}/lab/index.html?path={name}.ipynb")
        page.wait_for_selector(".jp-Notebook .jp-CodeCell")
        page.click(".lm-MenuBar-itemLabel:text-is('Run')")
        page.click(".lm-Menu-itemLabel:text-is('Run All Cells')")
        return page

    yield run
    context.close()
    server.shutdown()
    server.server_close()


@needs_kernel
@pytest.mark.browser
def test_the_self_check_runs_in_the_page_with_its_own_python(running):
    page = running("check_your_record_app")
    page.wait_for_selector(".vk-first")
    report = vk.check(vk.load("people").record(0), vk.published("people_masked"))
    assert report.headline.text in page.locator(".vk-answer").first.text_content()


ENDED = """() => {
  const numbers = [...document.querySelectorAll(".jp-CodeCell .jp-InputPrompt")];
  const failed = document.querySelector(".jp-OutputArea-output[data-mime-type$=stderr]");
  return failed || numbers.every((one) => /\\d/.test(one.textContent));
}"""


@needs_kernel
@pytest.mark.browser
def test_the_first_notebook_runs_to_its_end_in_the_page_with_its_own_python(running):
    if not any("scipy-1" in file.name for file in Path(KERNEL).rglob("scipy-*")):
        pytest.skip("the folder of VERIKIT_PYODIDE holds no scipy, which 00_start wants")
    page = running("00_start")
    page.wait_for_function(ENDED)
    assert page.locator(".jp-OutputArea-output[data-mime-type$=stderr]").count() == 0
    shown = page.locator(".jp-OutputArea-output[data-mime-type$=stdout]").all_text_contents()
    stored = json.loads((DOCS.parent / "notebooks/00_start.ipynb").read_text(encoding="utf-8"))
    for cell in stored["cells"]:
        for output in cell.get("outputs", ()):
            assert "".join(output["text"]) in shown
