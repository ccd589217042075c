"""Build the documentation as a site of files: ``python docs/build.py FOLDER``.

Its pages are the README, the views as they look without Python, the notebooks with the outputs
that are stored in them (with ``--execute`` with all, figures and views too), every public name
with its docstring, and what is told of the project. No page asks anything from another computer.
In ``lite`` the notebooks run, where the folder is served, by Python from the kernel's address.
"""

from __future__ import annotations

import argparse
import inspect
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import nbformat
from lite import INSTALL, build_lite
from nbclient import NotebookClient
from reference import write_reference

from verikit import widgets

ROOT = Path(__file__).resolve().parent.parent
PAGES = {
    "Home": "README.md",
    "Verdicts": "docs/verdicts.md",
    "Publishing": "docs/publishing.md",
    "The bench": "docs/bench.md",
    "Coming from": "docs/coming_from.md",
    "Formats": "docs/formats.md",
    "Papers": "docs/papers.md",
    "Reading": "docs/reading.md",
    "Specification": "docs/specification.md",
    "Index": "docs/INDEX.md",
    "Teaching": "TEACHING.md",
    "Contributing": "CONTRIBUTING.md",
    "Changes": "CHANGELOG.md",
}
WITHOUT = {"SelfCheck": "The page of `verikit app`: see the picture on the first page."}
FOREIGN = re.compile(
    r"<script\b[^>]*>(?:(?!</script>).)*https?://(?:(?!</script>).)*</script>", re.DOTALL
)
WORKER = "https://unpkg.com/iframe-worker/shim"  # what the theme asks for to search in files
CONFIGURATION = """\
site_name: verikit
docs_dir: {source}
site_dir: {target}
use_directory_urls: false
theme:
  name: material
  font: false
  language: en
  features: [navigation.indexes, search.highlight, toc.follow]
  palette:
    - media: "(prefers-color-scheme: light)"
      scheme: default
      primary: custom
      accent: indigo
    - media: "(prefers-color-scheme: dark)"
      scheme: slate
      primary: custom
      accent: indigo
extra_css: [house.css]
extra: {{generator: false}}
plugins:
  - search
  - offline
  - mkdocs-jupyter:
      execute: false
      include_source: true
      ignore_h1_titles: true
      include_requirejs: false
markdown_extensions: [admonition, tables, toc, pymdownx.superfences, pymdownx.highlight]
nav:
{nav}
"""
STYLE = """\
:root{--md-primary-fg-color:#005a8c;--md-primary-fg-color--dark:#004166;
--md-text-font:system-ui,"DejaVu Sans";--md-code-font:"DejaVu Sans Mono"}
.md-typeset .vk-panel{font-size:16px}
.md-typeset .vk-panel table:not([class]){display:table;box-shadow:none;background:none}
.celltoolbar{display:none}.jp-InputPrompt,.jp-OutputPrompt{visibility:hidden}
.jp-OutputArea-output,.jp-RenderedHTMLCommon{overflow-x:auto}
.md-typeset table:not([class]){display:block;max-width:100%;overflow-x:auto}
.md-typeset pre>code{overflow-x:auto}
.md-typeset .highlight pre>code{white-space:pre-wrap;overflow-wrap:anywhere}
.md-typeset p,.md-typeset li{overflow-wrap:anywhere}
"""


TRY = """\
**[Try it in this browser](lite/lab/index.html?path=00_start.ipynb)**: nothing is installed, and \
what you type stays here. It needs a web server, such as `python -m http.server` in this folder.
"""
ELSEWHERE = """\
Or run the notebooks on a computer that is not yours, with no record that is somebody's: \
[Colab](https://colab.research.google.com/github/{place}/blob/main/notebooks/00_start.ipynb), \
where `{line}` is to be the first line you run, or \
[Binder](https://mybinder.org/v2/gh/{place}/HEAD?labpath=notebooks/00_start.ipynb).
"""


def build(
    target: Path,
    notebooks: Sequence[str] | None = None,
    kernel: str = "",
    repository: str = "",
    *,
    execute: bool = False,
) -> None:
    """Build the site; of the notebooks only some, where they are named."""
    with tempfile.TemporaryDirectory() as scratch:
        source = Path(scratch, "pages")
        source.mkdir()
        nav = [
            *told(source, repository),
            *shown(source),
            *copied(source, notebooks, execute),
            "  - Reference:",
            *write_reference(source / "reference"),
        ]
        configuration = Path(scratch, "mkdocs.yml")
        text = CONFIGURATION.format(source=source, target=target.resolve(), nav="\n".join(nav))
        configuration.write_text(text, encoding="utf-8")
        command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--clean", "-f"]
        quiet = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
        subprocess.run([*command, str(configuration)], check=True, env=quiet)  # noqa: S603
    for page in target.rglob("*.html"):
        text = FOREIGN.sub("", page.read_text(encoding="utf-8"))
        here = "../" * (len(page.relative_to(target).parts) - 1)
        page.write_text(text.replace(WORKER, f"{here}worker.js"), encoding="utf-8")
    shutil.copy(ROOT / "docs" / "worker.js", target)
    build_lite(target / "lite", kernel, notebooks)


def told(source: Path, repository: str) -> Iterator[str]:
    """The README and what it leads to; links into the checkout are followed."""
    titles = {name: title for title, name in PAGES.items()}
    pages = {name: f"{Path(name).stem.lower()}.md" for name in titles}
    pages |= {"README.md": "index.md", "docs/INDEX.md": "by_paper.md"}
    (source / "docs").mkdir()
    for picture in (ROOT / "docs").glob("*.png"):
        shutil.copy(picture, source / "docs")
    (source / "house.css").write_text(STYLE, encoding="utf-8")
    for name, page in pages.items():
        text = _linked((ROOT / name).read_text(encoding="utf-8"), pages, name)
        if name == "README.md":
            more = ELSEWHERE.format(place=repository, line=INSTALL) if repository else ""
            text = text.replace("\n![", f"\n{TRY}{more}\n![", 1)
        (source / page).write_text(text, encoding="utf-8")
    for name, page in pages.items():
        yield f"  - {titles[name]}: {page}"


def _linked(text: str, pages: dict[str, str], name: str) -> str:
    """Links to files that are pages here lead to them; those to other files become their names."""

    def follow(found: re.Match[str]) -> str:
        words, link = found.groups()
        if link.startswith(("http", "#")) or link.endswith(".png"):
            return found.group()
        place = str((ROOT / name).parent.joinpath(link).resolve().relative_to(ROOT))
        if place in pages:
            return f"[{words}]({pages[place]})"
        if place.startswith("notebooks/") and place.endswith(".ipynb"):
            return f"[{words}]({place})"
        return words

    return re.sub(r"(?<!!)\[([^\]]+)\]\(([^)\s]+)\)", follow, text)


def shown(source: Path) -> Iterator[str]:
    """Every view as it looks in a saved notebook."""
    yield "  - Views:"
    (source / "views").mkdir()
    for name in sorted(widgets.__all__):
        view = getattr(widgets, name)
        said = inspect.getdoc(view) or ""
        copy = WITHOUT.get(name) or _still(view)
        page = f"# {name}\n\n{said.partition(chr(10))[0]}\n\n{copy}\n"
        (source / "views" / f"{name}.md").write_text(page, encoding="utf-8")
        yield f"      - {name}: views/{name}.md"


def _still(view: type) -> str:
    """The saved copy of a view with its own example, on one line, as Markdown leaves it alone."""
    try:
        copy = view().write_saved()
    except TypeError:  # it shows what it is given, and has no example
        return "It shows what it is given: see the notebooks."
    return re.sub(r"\s*\n\s*", " ", copy)


def copied(source: Path, only: Sequence[str] | None, execute: bool) -> Iterator[str]:
    """The notebooks as they are stored, or as they are after a run."""
    yield "  - Notebooks:"
    for file in sorted((ROOT / "notebooks").rglob("*.ipynb")):
        place = file.relative_to(ROOT)
        if file.name.startswith("_") or (only is not None and file.stem not in only):
            continue
        (source / place).parent.mkdir(parents=True, exist_ok=True)
        if execute:
            run(file, source / place)
        else:
            shutil.copy(file, source / place)
        title = " ".join([*place.parts[1:-1], file.stem.replace("_", " ")])
        yield f'      - "{title}": {place.as_posix()}'


def run(file: Path, copy: Path) -> None:
    """Run a notebook, and keep of each view the copy that needs no Python."""
    notebook = nbformat.read(file, as_version=4)
    NotebookClient(notebook, timeout=600, store_widget_state=False).execute()
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            output.get("data", {}).pop("application/vnd.jupyter.widget-view+json", None)
    nbformat.write(notebook, copy)


if __name__ == "__main__":
    asked = argparse.ArgumentParser(description="Build the documentation as a site of files.")
    asked.add_argument("folder", type=Path, help="where the pages are to lie")
    asked.add_argument("--only", nargs="*", help="notebooks by name, instead of all")
    asked.add_argument(
        "--kernel", default="", help="Pyodide for the notebooks: address, folder or archive"
    )
    asked.add_argument("--repository", default="", help="OWNER/NAME at GitHub, for Colab, Binder")
    asked.add_argument("--execute", action="store_true", help="run the notebooks before")
    given = asked.parse_args()
    build(given.folder, given.only, given.kernel, given.repository, execute=given.execute)
