"""From each printed item of a paper to what follows it: this file writes and checks the index."""

import ast
import importlib
import inspect
import itertools
import json
import pkgutil
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

import verikit
from verikit import datasets, papers
from verikit._resources import notebooks_dir
from verikit._support.writing import together

CHECKOUT = Path(__file__).resolve().parent.parent
INDEX = CHECKOUT / "docs" / "INDEX.md"
KINDS = "Definition Algorithm Theorem Lemma Example Note formula Table Figure section".split()  # noqa: SIM905
NUMBERS = r"\(?\d+(?:\.\d+)*\)?"
ITEMS = re.compile(rf"({'|'.join(KINDS)})s? ({NUMBERS}(?:(?:, | and | to ){NUMBERS})*)")
HEAD = """# From the papers to the code

Written by `python tests/test_index.py` from the citations in the docstrings; do not edit it.
A test fails where it is out of date.
"""


def items(text):
    """The printed items that a text names: 'Tables 4 to 6' are three."""
    for kind, numbers in ITEMS.findall(text):
        parts = re.split(r"(, | and | to )", re.sub(r"[()]", "", numbers))
        yield f"{kind} {parts[0]}"
        for before, word, number in zip(parts[::2], parts[1::2], parts[2::2], strict=False):
            first = int(before) + 1 if word == " to " else None
            between = range(first, int(number)) if first else ()
            yield from (f"{kind} {found}" for found in (*between, number))


def place(item):
    """The order of items: by kind, then by number."""
    kind, number = item.split()
    return KINDS.index(kind), [int(part) for part in number.split(".")]


@cache
def cited():
    """For each paper and item the public names that cite it, shortest path first."""
    found = defaultdict(dict)
    parts = pkgutil.walk_packages(verikit.__path__, "verikit.")
    names = {"verikit.widgets", *(part.name for part in parts if "._" not in part.name)}
    for module in map(importlib.import_module, ["verikit", *sorted(names)]):
        for name in getattr(module, "__all__", ()):
            part = getattr(module, name)
            text = inspect.getdoc(part) if inspect.isroutine(part) or inspect.isclass(part) else ""
            _, _, references = (text or "").partition("References\n----------\n")
            references = references.partition("\n\n")[0]
            for key, words in re.findall(r"\[([A-Z]+)\]_ ([^\[]+)", references):
                for item in items(words):
                    found[key, item].setdefault(part, f"{module.__name__}.{name}")
    return {
        key: [name.removeprefix("verikit.") for name in names.values()]
        for key, names in found.items()
    }


@cache
def tables():
    """For each paper and item the shipped tables that hold it."""
    found = defaultdict(list)
    for name in datasets.available():
        facts = datasets.describe(name)
        for item in items(facts["item"]):
            found[facts["paper"], item].append(name)
    return found


@cache
def words_in(path):
    """Every name that the code of a test or a notebook uses, dotted names as they are written."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        code = [cell["source"] for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
        text = "\n".join("".join(lines) for lines in code)
    nodes = list(ast.walk(ast.parse(text)))
    return {ast.unparse(node) for node in nodes if isinstance(node, (ast.Name, ast.Attribute))}


def users(names, folder, pattern):
    """The files of a folder that use one of some public names."""
    wanted = {form for name in names for form in (f"vk.{name}", name, name.rpartition(".")[2])}
    files = sorted(path for path in folder.rglob(pattern) if path.name != Path(__file__).name)
    return [
        str(path.relative_to(folder).with_suffix("")) for path in files if wanted & words_in(path)
    ]


def proofs(key, names):
    """The tests of a paper's printed numbers that use a name, and those of the name itself."""
    tests = CHECKOUT / "tests"
    own = [
        found
        for name in names
        for found in users([name], tests, f"test_{name.rpartition('.')[2]}.py")
    ]
    return sorted({*own, *users(names, tests, f"papers/test_{key.lower()}*.py")})


def written(names):
    return ", ".join(f"`{name}`" for name in names) or "–"


def lines(key):
    """The rows of one paper."""
    keys = {found for found in itertools.chain(cited(), tables()) if found[0] == key}
    for _, item in sorted(keys, key=lambda found: place(found[1])):
        names = cited().get((key, item), [])
        walks = users(names, notebooks_dir(), "*.ipynb")
        shipped = tables().get((key, item), [])
        row = (names, shipped, proofs(key, names), walks)
        yield f"| {item} | {' | '.join(map(written, row))} |"


def index():
    """The whole index as text."""
    parts = [HEAD]
    for key, paper in papers.PAPERS.items():
        rows = list(lines(key))
        if rows:
            head = "| item | follows it | holds it | tested in | shown in |\n|---|---|---|---|---|"
            parts.append(f"## [{key}] {paper.title}\n\n{head}\n" + "\n".join(rows) + "\n")
    return "\n".join(parts)


def test_items_are_read_one_by_one():
    text = "section 5.2, Tables 5 and 6, Figures 1 to 3, formulas (1), (2) and (4), Definition 1"
    assert list(items(text)) == [
        "section 5.2", "Table 5", "Table 6", "Figure 1", "Figure 2", "Figure 3",
        "formula 1", "formula 2", "formula 4", "Definition 1",
    ]  # fmt: skip


def test_the_heart_of_the_paradigm_is_found_by_its_number():
    assert "ranks.reverse_map" in cited()["DM", "Algorithm 1"]
    assert "check" in cited()["DM", "Algorithm 3"]
    assert tables()["DM", "Table 2"] == ["dm_table2"]


def test_whatever_cites_a_paper_is_used_by_a_test():
    untested = {
        name
        for names in cited().values()
        for name in names
        if not users([name], CHECKOUT / "tests", "test_*.py")
    }
    assert untested == set()


def test_the_index_is_what_the_citations_say():
    current = INDEX.read_text(encoding="utf-8") if INDEX.is_file() else ""
    assert current == index(), "docs/INDEX.md is out of date; run  python tests/test_index.py"


if __name__ == "__main__":
    with together() as new:
        new.parents(INDEX.parent)
        new.file(INDEX, index(), replace=True)
