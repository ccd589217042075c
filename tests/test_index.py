"""From each printed item of a paper to what follows it: this file writes and checks the index."""

import ast
import importlib
import inspect
import itertools
import json
import re
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, unquote

import pytest
from sources import PUBLIC

from verikit import datasets, papers
from verikit._support.resources import notebooks_dir
from verikit._support.writing import together
from verikit.errors import VerikitError

CHECKOUT = Path(__file__).resolve().parent.parent
INDEX = CHECKOUT / "docs" / "INDEX.md"
KINDS = [
    "Definition",
    "Algorithm",
    "Theorem",
    "Lemma",
    "Proposition",
    "Example",
    "Note",
    "formula",
    "Table",
    "Figure",
    "section",
]
NUMBERS = r"\(?\d+(?:\.\d+)*\)?"
ITEMS = re.compile(rf"({'|'.join(KINDS)})s? ({NUMBERS}(?:(?:, | and | to ){NUMBERS})*)")
PRINTED = {
    "DM": "Tables 1 to 6, Figures 1 to 3, Definitions 1 to 4, Algorithms 1 to 3, Note 1",
    "LHCC": (
        "Tables 1 to 6, Figures 1 to 6, Definitions 1 to 4, Examples 1 to 4, Theorems 1 to 5, "
        "Lemma 1, Algorithms 1 and 2"
    ),
    "KS": "Tables 1 to 6, Figures 1 and 2, Definitions 1 to 3, Example 2.1",
    "YQ": (
        "Figures 1 to 8, Definitions 1 to 6, 8, 9 and 11, Algorithms 1 and 2, "
        "Propositions 7, 10, 12 and 13"
    ),
    "QZ": (
        "Tables 2.1 to 2.4, Tables 3.1 to 3.5, Tables 4.1 and 4.2, Tables 5.1 and 5.2, "
        "Figures 2.1 to 2.13, Figures 3.1 to 3.6, Figures 4.1 to 4.9, Definitions 2.3.1 and 2.3.2, "
        "Definitions 2.4.1 and 2.4.2, Definitions 3.3.1 and 3.3.2, Definition 3.4.1, "
        "Definition 4.2.1, Definitions 4.4.1 to 4.4.4, Definitions 5.3.1 and 5.3.2, "
        "Theorems 1 to 9, Lemmas 2.6.1 and 2.6.2, Lemma 4.4.1, Lemma 5.4.1, Algorithms 1 to 9, "
        "Examples 1 to 10"
    ),
}  # whatever a paper prints with a number, but formulas and sections
CLOSING = ("Summary", "Where the paper and we differ")
HEAD = """# From the papers to the code

Written by `python tests/test_index.py` from the citations in the docstrings; do not edit it.
A test fails where it is out of date.
"""


def items(text):
    """The printed items that a text names: 'Tables 4 to 6' and '3.4 to 3.6' are three each."""
    for kind, numbers in ITEMS.findall(text):
        parts = re.split(r"(, | and | to )", re.sub(r"[()]", "", numbers))
        yield f"{kind} {parts[0]}"
        for before, word, number in zip(parts[::2], parts[1::2], parts[2::2], strict=False):
            chapter, _, last = number.rpartition(".")
            first = int(before.rpartition(".")[2]) + 1
            between = range(first, int(last)) if word == " to " else ()
            within = f"{chapter}." if chapter else ""
            yield from (f"{kind} {found}" for found in (*(f"{within}{n}" for n in between), number))


def place(item):
    """The order of items: by kind, then by number."""
    kind, number = item.split()
    return KINDS.index(kind), [int(part) for part in number.split(".")]


@cache
def cited():
    """For each paper and item the public names that cite it, shortest path first."""
    found = defaultdict(dict)
    for module in map(importlib.import_module, PUBLIC):
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


class Walk(NamedTuple):
    """A notebook that names an item, and the heading under which it is best looked up."""

    notebook: str
    heading: str

    @property
    def link(self):
        anchor = quote(self.heading.replace(" ", "-"))
        return f"[{self.notebook}](../notebooks/{self.notebook}.ipynb#{anchor})"


class Piece(NamedTuple):
    """What stands below one heading in one cell of a notebook."""

    heading: str
    text: str
    head: bool


def pieces(path):
    """A notebook, cut at its cells and at its headings: what stands above one is not below it."""
    heading = ""
    for at, cell in enumerate(json.loads(path.read_text(encoding="utf-8"))["cells"]):
        text, prose = "".join(cell["source"]), cell["cell_type"] == "markdown"
        for part in re.split(r"^(?=#+ )", text, flags=re.MULTILINE) if prose else [text]:
            told = re.match(r"#+ (.+)", part)
            heading = told[1] if prose and told else heading
            if part:
                yield Piece(heading, part, head=at == 0)


def distance(piece, item):
    """How far a place is from what is looked for: a heading with its name, any, a summary."""
    own = not piece.head and item in items(piece.heading)
    return piece.heading in CLOSING, not own


def papers_of(parts):
    """The papers that a notebook says it follows; the first is meant where none is named."""
    return [key for key in re.findall(r"\[([A-Z]+)\]", parts[0].text) if key in papers.PAPERS]


def named(text, key, first, *, head):
    """The items of one paper that a text names: an item belongs to the paper named before it.

    A section that follows no paper's name is one of the notebook's own, but for the first cell.
    """
    found = set()
    for part in re.split(r"(?=\[[A-Z]+\])", text):
        owner = re.match(r"\[([A-Z]+)\]", part)
        if (owner[1] if owner else first) == key:
            own = {item for item in items(part) if item.startswith("section")}
            found |= set(items(part)) - (set() if owner or head else own)
    return found


@cache
def walks():
    """For each paper and item the notebooks that name it, each at the place that suits it best."""
    found = defaultdict(lambda: defaultdict(list))
    for path in sorted(notebooks_dir().rglob("[0-9a-z]*.ipynb")):
        name = str(path.relative_to(notebooks_dir()).with_suffix(""))
        parts = list(pieces(path))
        keys = papers_of(parts)
        for part, key in itertools.product(parts, keys):
            for item in named(part.text, key, keys[0], head=part.head):
                found[key, item][name].append(part)
    return {(key, item): chosen(places, item) for (key, item), places in found.items()}


def chosen(places, item):
    """One place in each notebook; notebooks that only sum an item up come last."""
    best = {name: min(each, key=lambda part: distance(part, item)) for name, each in places.items()}
    order = sorted(best, key=lambda name: best[name].heading in CLOSING)
    return [Walk(name, best[name].heading) for name in order]


@cache
def functions_in(path):
    """The test functions of a file, by name, with their text."""
    text = path.read_text(encoding="utf-8")
    nodes = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    return {
        node.name: "\n".join(map(ast.unparse, [*node.decorator_list, node]))
        for node in nodes
        if node.name.startswith("test_")
    }


def said_by(item):
    """How a test may name an item: in its name, or in words."""
    kind, number = item.lower().split()
    return re.compile(rf"(?<![a-z]){kind}s?[_ ]\(?{number.replace('.', '[._]')}(?![\d_]?\d)")


@cache
def proofs(key):
    """For each item of a paper the tests of its printed numbers that name it, or a fact of it."""
    found = defaultdict(list)
    facts = {
        fact.id: set(
            items(re.sub("S(?=ection)|F(?=ormula)", lambda found: found[0].lower(), fact.where))
        )
        for fact in known(key)
    }
    wanted = {item for owner, item in itertools.chain(cited(), tables()) if owner == key}
    for path in sorted((CHECKOUT / "tests" / "papers").glob(f"test_{key.lower()}*.py")):
        for name, text in functions_in(path).items():
            told = set().union(*(facts[short] for short in facts if tells(name, text, short)))
            shipped = {i for i in wanted for table in tables()[key, i] if f"'{table}'" in text}
            plain = {item for item in wanted if said_by(item).search(text.lower())}
            for item in (told | shipped | plain) & wanted:
                found[item].append(f"[{name[5:].replace('_', ' ')}](../tests/papers/{path.name})")
    return found


def tells(name, text, short):
    """Whether a test names a fact, in its own name or by asking for it."""
    return f"'{short}'" in text or f"_{short.lower().replace('-', '_')}_" in name


def known(key):
    try:
        return papers.facts(key)
    except VerikitError:
        return ()


def users(names):
    """The test files that use one of some public names."""
    wanted = {form for name in names for form in (f"vk.{name}", name, name.rpartition(".")[2])}
    files = (path for path in (CHECKOUT / "tests").rglob("test_*.py") if path != Path(__file__))
    return [path for path in files if wanted & words_in(path)]


@cache
def words_in(path):
    """Every name that a test uses, dotted names as they are written."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return {ast.unparse(node) for node in nodes if isinstance(node, (ast.Name, ast.Attribute))}


def written(parts, most=3):
    """The first few of a cell's parts, and how many more there are."""
    rest = len(parts) - most
    return (", ".join(parts[:most]) or "–") + (f" and {rest} more" if rest > 0 else "")


def code(names):
    return [f"`{name}`" for name in names]


def lines(key):
    """The rows of one paper."""
    printed = ((key, item) for item in items(PRINTED.get(key, "")))
    keys = {found for found in itertools.chain(cited(), tables(), printed) if found[0] == key}
    for _, item in sorted(keys, key=lambda found: place(found[1])):
        row = (
            written(code(cited().get((key, item), [])), 8),
            written(code(tables().get((key, item), [])), 8),
            written(proofs(key).get(item, [])),
            written([walk.link for walk in walks().get((key, item), [])], 5),
        )
        yield f"| {item} | {' | '.join(row)} |"


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
    untested = {name for names in cited().values() for name in names if not users([name])}
    assert untested == set()


def test_a_notebook_that_only_uses_a_function_does_not_show_its_items():
    assert {walk.notebook for walk in walks()["DM", "Table 5"]} == {
        "13_intruder",
        "reproduce/dm_figures",
    }


def test_an_item_is_looked_up_where_it_stands_and_not_below_the_next_heading():
    (example,) = walks()["LHCC", "Example 3"]
    assert example.heading == "4 · Is Bob in there? Count the ways"
    places = {place.notebook: place.heading for place in walks()["DM", "Figure 2"]}
    assert places["reproduce/dm_figures"] == "5 · Figure 2"


@pytest.mark.parametrize("key", PRINTED)
def test_whatever_a_paper_prints_with_a_number_is_shown_in_a_notebook_and_not_only_summed_up(key):
    told = {
        item
        for (owner, item), places in walks().items()
        if owner == key and any(place.heading not in CLOSING for place in places)
    }
    assert set(items(PRINTED[key])) - told == set()


@pytest.mark.parametrize("key", PRINTED)
def test_nothing_is_cited_that_the_paper_does_not_print(key):
    told = {item for owner, item in itertools.chain(cited(), tables()) if owner == key}
    loose = {item for item in told if item.startswith(("section", "formula", "Note"))}
    assert told - loose - set(items(PRINTED[key])) == set()


def test_every_link_of_the_index_leads_to_a_heading_whose_part_names_the_item():
    text = INDEX.read_text(encoding="utf-8")
    parts = re.split(r"^## \[([A-Z]+)\].*$", text, flags=re.MULTILINE)
    for key, part in zip(parts[1::2], parts[2::2], strict=True):
        for row in re.findall(r"^\| (\w+ [\d.]+) \|(.*)$", part, re.MULTILINE):
            for file, anchor in re.findall(r"\(\.\./(notebooks/[^)#]+)#([^)]*)\)", row[1]):
                assert row[0] in below(CHECKOUT / file, unquote(anchor), key), (row[0], file)
            for name, file in re.findall(r"\[([^\]]+)\]\(\.\./(tests/[^)]+)\)", row[1]):
                assert f"test_{name.replace(' ', '_')}" in functions_in(CHECKOUT / file)


def below(path, anchor, key):
    """The items that a notebook names under a heading."""
    parts = list(pieces(path))
    inside = [part for part in parts if part.heading.replace(" ", "-") == anchor]
    first = papers_of(parts)[0]
    return set().union(*(named(part.text, key, first, head=part.head) for part in inside))


def test_the_index_is_what_the_citations_say():
    current = INDEX.read_text(encoding="utf-8") if INDEX.is_file() else ""
    assert current == index(), "docs/INDEX.md is out of date; run  python tests/test_index.py"


if __name__ == "__main__":
    with together() as new:
        new.parents(INDEX.parent)
        new.file(INDEX, index(), replace=True)
