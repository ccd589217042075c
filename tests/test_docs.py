"""The site of the documentation: built by one command, whole, and asking nothing from elsewhere."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mkdocs_jupyter", reason="the extra docs is not installed")
pytest.importorskip("material", reason="the extra docs is not installed")

from verikit import widgets

BUILD = Path(__file__).resolve().parents[1] / "docs" / "build.py"
PARTS = re.compile(
    r"""<(?:link|script|img|iframe|source|video)\b[^>]*?\b(?:href|src)\s*=\s*["']?(?:\w+:)?//[^"'>]*""",
    re.IGNORECASE,
)
INSIDE = re.compile(r"""(?:@import\s+|url\()["']?(?:https?:)?//|import\(["']https?://""")
SCRIPT = re.compile(r"<script\b[^>]*>(?:(?!</script>).)*https?://", re.DOTALL)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, str(BUILD), str(folder), "--only", "01_k_anonymity"]
    subprocess.run(command, check=True, cwd=folder)
    return folder


def test_readme_views_notebooks_and_docstrings_are_pages(site):
    pages = {str(page.relative_to(site)) for page in site.rglob("*.html")}
    assert {"index.html", "papers.html", "notebooks/01_k_anonymity.html"} <= pages
    assert {f"views/{name}.html" for name in widgets.__all__} <= pages
    assert "rank_swap" in (site / "reference/mask.html").read_text(encoding="utf-8")


def test_views_are_shown_with_their_pictures(site):
    for name in ("GroupsView", "LatticeView", "TradeOff", "IntruderView"):
        page = (site / "views" / f"{name}.html").read_text(encoding="utf-8")
        assert "A copy of what this view showed" in page
        assert 'role="img"' in page


def test_stored_outputs_are_shown_and_nothing_was_executed(site):
    page = (site / "notebooks/01_k_anonymity.html").read_text(encoding="utf-8")
    assert "jp-OutputArea-output" in page


def test_no_page_fetches_anything_from_another_computer(site):
    foreign = []
    for page in site.rglob("*.html"):
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
