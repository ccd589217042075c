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
    "Problem",
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
        "Figures 2.1 to 2.13, Figures 3.1 to 3.6, Figures 4.1 to 4.9, Definitions 2.3.1 to 2.3.3, "
        "Definitions 2.4.1 and 2.4.2, Definitions 3.3.1 and 3.3.2, Definition 3.4.1, "
        "Definition 4.2.1, Definitions 4.4.1 to 4.4.4, Definitions 5.3.1 and 5.3.2, "
        "Problems 2.6.1 to 2.6.3, Problem 3.4.1, Problem 3.5.1, Problem 5.4.1, "
        "Theorems 1 to 9, Lemmas 2.6.1 and 2.6.2, Lemma 4.4.1, Lemma 5.4.1, Algorithms 1 to 9, "
        "Examples 1 to 10"
    ),
}  # whatever a paper prints with a number, but formulas and sections
SECTIONS = {
    "DM": "1, 1.1 to 1.3, 2, 3, 4, 5, 5.1, 5.2, 6, 7",
    "LHCC": "1, 1.1, 1.2, 2, 2.1 to 2.4, 3, 3.1, 3.2, 4, 4.1, 4.2, 4.2.1 to 4.2.4, 4.3, 5, 6",
    "KS": "1, 2, 2.1 to 2.5, 3, 3.1 to 3.5, 4, 4.1 to 4.4, 5, 5.1 to 5.3, 6, 6.1, 7",
    "YQ": (
        "1, 2, 2.1, 2.2, 3, 4, 4.1, 4.2, 4.2.1, 4.2.2, 5, 5.1, 5.2, 6, 7, 7.1, 7.2, 7.2.1, "
        "7.2.2, 7.3, 8"
    ),
    "QZ": (
        "1, 1.1, 1.2, 1.2.1 to 1.2.5, 1.3, 1.4, 2.1 to 2.3, 2.3.1, 2.3.2, 2.4, 2.5, 2.5.1, 2.5.2, "
        "2.6, 2.6.1, 2.6.2, 2.7, 2.7.1 to 2.7.3, 2.8, 3.1 to 3.3, 3.3.1 to 3.3.3, 3.4, 3.4.1, "
        "3.4.2, 3.5 to 3.7, 3.7.1 to 3.7.6, 3.8, 4.1, 4.2, 4.2.1 to 4.2.3, 4.3, 4.3.1 to 4.3.3, "
        "4.4, 4.4.1 to 4.4.7, 4.5, 4.6, 5.1 to 5.5, 6, 6.1 to 6.3"
    ),
}  # all numbered sections
TOLD = {
    "DM": {
        "1.1": "not here: a survey of models; those it names are in [KS]",
        "1.2": "not here: why the paper was written; sections 4 to 6 answer it",
        "1.3": "not here: what the paper contains",
        "7": "not here: future research, on columns without an order among it",
    },
    "LHCC": {
        "1.1": "here: Tables 1 to 3",
        "1.2": "not here: what the paper contains",
        "2.1": "here: Table 1",
        "2.3": "here: Theorem 2",
        "2.4": "here: Definition 3",
        "3.1": "here: Algorithms 1 and 2",
        "4.1": "here: Tables 5 and 6, of made-up people; the paper's were never published",
        "4.2.1": "here: Figure 1",
        "4.2.2": "here: Figure 2",
        "4.2.3": "here: Figure 3",
        "4.2.4": "here: Figure 4",
        "4.3": "here: Figure 5",
    },
    "KS": {
        "4.4": "here: Table 5, by the anatomy of [LHCC]",
        "5.1": "not here: that diversity can be hard to reach, or needless, is an argument",
        "6.1": "not here: that nobody has a procedure for t-closeness; it is measured only",
        "7": "not here: a summary and a wish for models that reach l-diversity and t-closeness",
    },
    "YQ": {
        "2.1": "here: Definitions 1 to 5",
        "2.2": "here: Definition 5, beside what the paper proposes",
        "4.1": "here: Definition 6, Proposition 7",
        "4.2": "here: sections 4.2.1 and 4.2.2",
        "5.2": "here: Proposition 12",
        "7.2": "here: section 7.2.2, and formula 12",
        "7.2.1": "here: formula 12 in a test of its facts",
        "8": "not here: a summary; other knowledge and combined methods are future work there",
    },
    "QZ": {
        **dict.fromkeys(
            ("1", "1.1", "1.2", "1.3", "1.4", "3.8", "6"),
            "not here: an introduction or a summary of the chapters",
        ),
        "1.2.1": "not here: several correlated tables are only attacked, by complementary_release",
        "1.2.2": "not here: releases of a table that changes are only attacked, by temporal",
        "1.2.3": "here: Tables 2.1 to 2.3, with the queries of chapter 2",
        "1.2.4": "here: Definition 2.3.3, Definition 3.3.1, Definition 4.4.1, Definition 5.3.1",
        "1.2.5": "not here: a list of attacks; each has its own place",
        "2.3": "here: Definitions 2.3.1 to 2.3.3",
        "2.3.1": "here: Definitions 2.3.1 to 2.3.3",
        "2.3.2": "not here: a search for generalized groups that reach k and e",
        "2.5.1": "here: Theorem 2",
        "2.6.1": "here: Problem 2.6.1, Algorithm 1",
        "2.6.2": "here: Problems 2.6.2 and 2.6.3, Algorithm 2",
        "2.7.2": "here: Figures 2.11 and 2.12",
        "2.7.3": "here: Figure 2.13",
        "3.1": "not here: why the chapter was written",
        "3.3.2": "here: Definitions 3.3.1 and 3.3.2",
        "3.3.3": "not here: a help table for nodes; `answer` gives the bounds",
        "3.7.4": "here: Figure 3.5",
        "3.7.6": "not here: a discussion",
        "4.1": "here: Figure 4.1, Table 4.1",
        "4.2": "here: sections 4.2.1 to 4.2.3",
        "4.3": "here: Table 4.2, section 4.3.3",
        "4.3.1": "here: Table 4.2, its row counts only",
        "4.3.2": "not here: a generalized matrix; its counts are told in notebook 24",
        "4.4.1": "here: Definition 4.4.1",
        "4.4.2": "here: Definition 4.4.2",
        "4.4.3": "here: Definition 4.4.3, Theorem 7",
        "4.4.4": "here: Definition 4.4.4",
        "5.1": "here: Tables 5.1 and 5.2",
        "5.2": "here: Tables 5.1 and 5.2",
        "5.3": "here: Definitions 5.3.1 and 5.3.2",
        "5.4": "here: Problem 5.4.1, Algorithms 6 to 9",
        "5.5": "not here: a summary, and an open question",
        "6.2": "not here: related work",
        "6.3": "not here: future work",
    },
}  # sections that nothing cites by their number: where they are followed, or why not
QUERIES = {
    "QZ": {
        "queries 1 to 3 of section 2.2": (
            ("answer", "analyst.rewrite"),
            "tests/query/test_qz.py",
            ("20_numeric_anonymity", "2 · Three questions, and what is certain about them"),
        ),
        "queries 1 and 2 of section 3.1": (
            ("answer",),
            "tests/query/test_disguised.py",
            ("22_disguised_distributions", "4 · What a question still gets"),
        ),
        "queries A to C of section 4.5": (
            ("analyst.average_links", "analyst.count_linked"),
            "tests/papers/test_qz_graph_worlds.py",
            ("reproduce/qz_chapter_4", "3 · The groupings and the three questions"),
        ),
    },
}  # the questions that a paper numbers, which no docstring can cite by kind and number
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
            items(re.sub("S(?=ection)|F(?=ormula)", lambda found: found[0].lower(), where(fact)))
        )
        for fact in known(key)
    }
    wanted = {item for owner, item in itertools.chain(cited(), tables()) if owner == key}
    wanted |= set(every_item(key))
    for path in sorted((CHECKOUT / "tests" / "papers").glob(f"test_{key.lower()}*.py")):
        for name, text in functions_in(path).items():
            told = set().union(*(facts[short] for short in facts if tells(name, text, short)))
            shipped = {i for i in wanted for table in tables()[key, i] if f"'{table}'" in text}
            plain = {item for item in wanted if said_by(item).search(text.lower())}
            for item in (told | shipped | plain) & wanted:
                found[item].append(f"[{name[5:].replace('_', ' ')}](../tests/papers/{path.name})")
    return found


def where(fact):
    """Where a fact stands in print; a number in brackets is that of a formula."""
    return re.sub(r"(?<![\w.] )\((\d+)\)", r"formula (\1)", fact.where)


def tells(name, text, short):
    """Whether a test names a fact, in its own name or by asking for it."""
    plain = re.escape(short.lower()).replace(r"\-", "_?")
    return f"'{short}'" in text or re.search(rf"_{plain}_", name) is not None


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


def by_its_functions(key, item):
    """The tests of the functions that cite an item, where no test names the item itself."""
    found = {}
    for name in cited().get((key, item), []):
        room, _, short = name.rpartition(".")
        for path in users([name]):
            if path.parent.name == (room.partition(".")[0] or short):
                found.setdefault(
                    path, f"by `{short}`: [{path.stem}](../{path.relative_to(CHECKOUT)})"
                )
    return sorted(found.values())


def written(parts, most=3):
    """The first few of a cell's parts, and how many more there are."""
    rest = len(parts) - most
    return (", ".join(parts[:most]) or "–") + (f" and {rest} more" if rest > 0 else "")


def code(names):
    return [f"`{name}`" for name in names]


def every_item(key):
    """Whatever a paper prints with a number, its sections too."""
    return [*items(PRINTED.get(key, "")), *items(f"sections {SECTIONS.get(key, 0)}")]


def is_shown(key, item):
    """Whether something cites an item, or a notebook or a table names it, by its number."""
    places = walks().get((key, item), [])
    return (
        (key, item) in cited()
        or (key, item) in tables()
        or any(place.heading not in CLOSING for place in places)
    )


def followed(key, item):
    """The public names that cite an item; or, of a section, where it is followed, or why not."""
    kind, number = item.split()
    told = TOLD.get(key, {}).get(number) if kind == "section" else None
    return told or written(code(cited().get((key, item), [])), 8)


def lines(key):
    """The rows of one paper."""
    printed = ((key, item) for item in every_item(key))
    keys = {found for found in itertools.chain(cited(), tables(), printed) if found[0] == key}
    for _, item in sorted(keys, key=lambda found: place(found[1])):
        row = (
            followed(key, item),
            written(code(tables().get((key, item), [])), 8),
            written(proofs(key).get(item, []) or by_its_functions(key, item)),
            written([walk.link for walk in walks().get((key, item), [])], 5),
        )
        yield f"| {item} | {' | '.join(row)} |"
    for asked, (names, test, notebook) in QUERIES.get(key, {}).items():
        shown = Walk(*notebook).link
        tested = f"[{Path(test).stem}](../{test})"
        yield f"| {asked} | {', '.join(code(names))} | – | {tested} | {shown} |"


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


@pytest.mark.parametrize("key", SECTIONS)
def test_every_section_is_followed_or_told_why_not_and_never_both(key):
    numbers = [item.split()[1] for item in items(f"sections {SECTIONS[key]}")]
    part_of = {number: [n for n in numbers if n.startswith(f"{number}.")] for number in numbers}
    shown = {number for number in numbers if is_shown(key, f"section {number}")}
    above = {number for number in numbers if shown & set(part_of[number])}
    assert set(TOLD[key]) <= set(numbers)
    assert set(numbers) - shown - above - set(TOLD[key]) == set()
    assert shown & set(TOLD[key]) == set()


@pytest.mark.parametrize("key", SECTIONS)
def test_a_section_that_is_here_by_its_items_names_items_that_are(key):
    for number, words in TOLD[key].items():
        assert words.startswith(("here: ", "not here: ")), number
        named = list(items(words)) if words.startswith("here: ") else []
        assert bool(named) == words.startswith("here: "), number
        known = {item for item in named if is_shown(key, item) or proofs(key).get(item)}
        assert set(named) == known, number


def test_tests_are_found_by_the_facts_they_name_with_or_without_a_hyphen():
    assert tells("test_ra13_the_diversity_of_a_column", "", "RA-13")
    assert tells("test_na70_groups_of_neighbours", "", "NA70")
    assert not tells("test_ra130_another", "", "RA-13")
    assert proofs("YQ")["Proposition 7"]


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
                functions = functions_in(CHECKOUT / file)
                assert f"test_{name.replace(' ', '_')}" in functions or name == Path(file).stem


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
