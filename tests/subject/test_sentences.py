"""Each sentence of the table stands in a report exactly under its condition, and nothing else does.

A situation is the smallest that a condition needs, and names what must be said in it: of all lines
with the same number (of the headlines, of the figures that open alike, ...) just those.
"""

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.languages import read_language, spoken_language
from verikit.subject import check_generalized

ENGLISH = read_language("en").sentences
RECORD = {"X1": 100.87, "X2": 902.21, "X3": 5108.54}
SINGLE = {"Marital Status": "Single", "DOB": "2001", "Zip": "19552"}
MARRIED = {"Marital Status": "Married", "DOB": "1985", "Zip": "36363"}
SEPARATED = {"Marital Status": "Separated", "DOB": "1991", "Zip": "20001"}
BOB = {"Age": 65, "Sex": "M"}
CENSUS = {"Age": 24, "Education": 12, "Gender": "01"}
FORBIDDEN = re.compile(
    r"\b(safe|anonym\w*|exposed|equivalence|quasi|probabilit\w+|exactly 0|100 of 100)\b|"
    r"the match is yours|match is random|at least as much as the (releaser|publisher)",
    re.IGNORECASE,
)
LINKS = {  # inside S10 and S9 too
    "masked.links", "masked.links-luck", "masked.links-without", "masked.found-again",
}  # fmt: skip
ALL_OF_THEM = {
    "records that are all the same",
    "a method that finds her again",
    "a table of copies",
}  # here a share is 1


def table(promise="untold", parameters=None, **columns):
    return vk.TableRelease.of(
        pd.DataFrame(columns), promise=promise, parameters=parameters, method="made by hand"
    )


def covers(sensitive="Ill", **columns):
    frame = pd.DataFrame(columns)
    roles = {sensitive: "sensitive"} if sensitive in columns else {}
    return vk.TableRelease.of(frame, vk.Schema.guess(frame, **roles), promise="covers")


def with_jobs():
    tree = vk.Hierarchy.of({"all": {"care": ["nurse", "aide"], "law": ["judge"]}})
    jobs = vk.Column("job", kind="nominal", hierarchy=tree)
    frame = pd.DataFrame({"x": [1.0, 2, 3], "job": ["nurse", "aide", "judge"]})
    return vk.TableRelease.of(frame, vk.Schema((vk.Column("x"), jobs)))


def teaching():
    """Pairs of people, whose values go with age and sex; the first is a woman of 50."""
    rng = np.random.default_rng(5)
    age = np.append(50, rng.choice([20, 30, 40, 60, 70], 1999))
    sex = np.append("f", rng.choice(["f", "m"], 1999))
    old, young = np.where(sex == "f", "a", "b"), np.where(sex == "f", "c", "d")
    frame = pd.DataFrame({"age": age, "sex": sex, "ill": np.where(age > 45, old, young)})
    return in_pairs(frame, ill="sensitive")


def permuted_pay(follows, group):
    """Numbers permuted in groups; they follow age and sex, or only luck. The first is of 50."""
    rng = np.random.default_rng(5)
    age = np.append(50, rng.choice([20, 30, 40, 60, 70], 1999))
    sex = np.append("f", rng.choice(["f", "m"], 1999))
    pay = np.where(sex == "f", 100, 200) + age if follows else rng.integers(100, 300, 2000)
    pay = 100 * pay + rng.permutation(2000) % 97
    frame = pd.DataFrame({"age": age, "sex": sex, "pay": pay})
    data = vk.Microdata(frame, vk.Schema.guess(frame, pay="sensitive"))
    return vk.mask.permute_sensitive(data, partition=group(data), seed=1).release


def random_fours(data):
    return vk.Partition.of(np.random.default_rng(2).permutation(len(data)) // 4)


def neighbouring_threes(data):
    return vk.partition.min_sum_error(data, k=3, e=3, seed=1)


def census():
    """Pairs of people of whom the whole table teaches something; the first is `CENSUS`."""
    frame = vk.simulate("census", 3000, seed=1).frame[["Age", "Education", "Gender", "Marital"]]
    return in_pairs(frame, Marital="sensitive")


def in_pairs(frame, **roles):
    data = vk.Microdata(frame, vk.Schema.guess(frame, **roles))
    groups = vk.partition.anatomy(data, ell=2, seed=1)
    return vk.mask.anatomize(data, partition=groups, seed=1).release


def plain():
    return vk.TableRelease.of(vk.published("dm_table1_masked").frame)


def with_nothing():
    return vk.TableRelease.of(pd.DataFrame({"x": [1.0, 2, 3, None], "y": [5.0, 6, 7, None]}))


def masked(n, scale):
    data = vk.simulate("dm", n, seed=1)
    return data, vk.mask.noise(data, scale=scale, seed=2).release


def own(n, scale, promise="changed", **asked):
    data, release = masked(n, scale)
    return vk.check(data.record(0), replace(release, promise=promise), **asked)


def beside_nothing(data, release, place=0):
    """A record in a table to which one without any value was added."""
    frame = pd.concat([release.frame, pd.DataFrame([{}])], ignore_index=True)
    return vk.check(data.record(place), vk.TableRelease.of(frame, promise=release.promise))


def unrelated(n):
    """Independent columns, published as they are, for somebody in the middle of them."""
    values = np.random.default_rng(3).normal(size=(n, 3))
    release = vk.TableRelease.of(pd.DataFrame(values, columns=list("abc")))
    return vk.check({"a": 0.1, "b": 0.1, "c": 0.1}, release)


def alike():
    values = np.repeat(np.random.default_rng(3).normal(size=(100, 2)), 3, axis=0)
    release = vk.TableRelease.of(pd.DataFrame(values, columns=list("ab")))
    return vk.check({"a": 0.1, "b": 0.1}, release)


def bounded(a, b):
    return table("another order", {"places": {"a": a, "b": b}}, a=[1, 2, 3, 4], b=[1, 2, 3, 4])


def reordered():
    """Forty records, each column in its own order but for the record that is asked for."""
    values = np.random.default_rng(5).normal(size=(40, 3))
    release = vk.TableRelease.of(pd.DataFrame(values, columns=list("abc")), promise="another order")
    return vk.check(release.frame.iloc[0].to_dict(), release)


def swapped(scheme):
    data = vk.simulate("dm", 60, seed=1)
    release, _ = vk.mask.rank_swap(data, percent=20, scheme=scheme, seed=2)
    return vk.check(data.record(3), release, runs=10)


def prefixes(*cells, told=True, suppressed=0):
    """Codes cut to four digits; the widest cell is a suppressed record."""
    tree = vk.Hierarchy.prefixes(["94111", "94112", "94999", "95000"], [4])
    schema = vk.Schema((vk.Column("Zip", "quasi", "nominal", tree),))
    frame = pd.DataFrame({"Zip": [tree.root if cell == "*" else cell for cell in cells]})
    facts = {"levels": {"Zip": 1}} if told else {}
    return vk.TableRelease.of(
        frame,
        schema,
        promise="covers",
        method="generalize",
        parameters={**facts, "suppressed": suppressed},
    )


def groups(ages, values, labels):
    quasi = pd.DataFrame({"age": list(ages), "Group-ID": list(labels)})
    sensitive = pd.DataFrame({"Group-ID": list(labels), "illness": list(values)})
    return vk.SplitRelease.of(quasi, sensitive, promise="another order")


def permuted_links():
    graph = vk.BipartiteGraph.of(vk.load("qz_table4_1c").frame)
    pairs = vk.Partition.of([i // 2 for i in graph.edges[:, 0]])
    return vk.mask.permute_links(graph, groups=pairs, seed=3).release


def untold_groups(ills="aacc"):
    told = groups(range(4), ills, "xxyy")
    return vk.SplitRelease.of(told.quasi, told.sensitive)


def unread(count):
    return table(
        age=["<fifty"] * count + ["60-69"] * 2, sex=["f"] * count + ["m"] * 2
    )  # a label that nobody reads


def apart(ages, pay, labels):
    """Numbers permuted in groups."""
    quasi = pd.DataFrame({"age": list(ages), "Group-ID": list(labels)})
    sensitive = pd.DataFrame({"Group-ID": list(labels), "pay": list(pay)})
    return vk.SplitRelease.of(quasi, sensitive, promise="another order")


def salaries(people):
    """Salaries in dollars, permuted in groups of fifty people of one age."""
    ages, labels = np.arange(people) // 50 + 18, np.arange(people) // 50
    quasi = pd.DataFrame({"age": ages, "Group-ID": labels})
    pay = 20_000 + 7919 * np.arange(people) % 90_000
    columns = vk.Column("age"), vk.Column("pay", "sensitive", unit="$", label="annual salary")
    hidden = pd.DataFrame({"Group-ID": labels, "pay": pay})
    return vk.SplitRelease.of(quasi, hidden, vk.Schema(columns), promise="another order")


def redrawn(changed=1, sensitive="Ill", keep=None, **columns):
    """A table of which it is said that attributes of each row were drawn anew."""
    told = {"changed": changed, "probabilities": "equal"}
    frame = pd.DataFrame(columns)
    roles = {sensitive: "sensitive"} if sensitive in columns else {}
    return vk.TableRelease.of(
        frame,
        vk.Schema.guess(frame, **roles),
        method="randomize",
        parameters=told if keep is None else {"scheme": "each", "keep": keep},
        promise="changed",
    )


def both(release, **given):
    return vk.check({"a": 1, "b": 1, **given}, release)


SQUARE = {"a": [1, 1, 2, 2], "b": [1, 2, 1, 2]}


def columns(**kinds):
    return vk.Schema(tuple(vk.Column(name, *kind) for name, kind in kinds.items()))


def aimed(towns, pays, **asked):
    """A disguised release: people by town, whose pay shows an even target over 30 to 60."""
    frame = pd.DataFrame({"town": list(towns), "pay": pays})
    data = vk.Microdata(frame, columns(town=("quasi", "nominal"), pay=("sensitive",)))
    asked = {"hierarchy": vk.targets.balanced([30, 40, 50, 60]), **asked}
    return vk.mask.disguise(data, seed=7, **asked).release


def wished(towns, pays, wishes):
    """A release in which each person named what may be known of her."""
    frame = pd.DataFrame({"town": list(towns), "pay": pays, "wish": wishes})
    data = vk.Microdata(
        frame, columns(town=("quasi", "nominal"), pay=("sensitive",), wish=("other", "nominal"))
    )
    target = vk.targets.balanced([30, 40, 50, 60])
    found = vk.mask.personalize(data, hierarchy=target, requirement="wish", search="quasi", seed=7)
    return found.release


def shown(towns, cells, **told):
    """Two tables of the same towns that say they show an even target, whether they do or not."""
    tree = told.pop("tree", None) or vk.targets.balanced([30, 40, 50, 60])
    sensitive = pd.DataFrame({"Group-ID": list(towns), "pay": cells})
    people = list(towns)[: told.pop("people", None)]
    quasi = pd.DataFrame({"town": people, "Group-ID": people})
    schema = vk.Schema(
        (vk.Column("town", kind="nominal"), vk.Column("pay", "sensitive", hierarchy=tree))
    )
    facts = {"hierarchy": "the weights of the column", **told}
    return vk.SplitRelease(quasi, sensitive, schema, "by hand", facts, promise="covers")


SIX = [30, 30, 40, 40, 50, 60]
EVEN = ["30", "40", "50", "60"]
P = {"town": "p"}
BY_NODE = {"share": "0", "nodes": {"[50, 60]": "1/2"}}
SHOWING_TARGETS = {
    "a target shown to everybody": (
        lambda: vk.check(P, aimed("ppqqqq", SIX)),
        (
            "disguised.no-warning disguised.whole-table disguised.target disguised.values "
            "disguised.one-of-the-likeliest disguised.several-values disguised.figure-group "
            "disguised.figure-guess disguised.figure-away common.no-conclusion no:D5 no:note no:R"
        ),
    ),
    "nobody of the town": (
        lambda: vk.check({"town": '"z"'}, shown("pq", ["30", "40"])),
        (
            "disguised.none-fits disguised.figure-none common.no-conclusion no:D1 no:D2 no:D3 "
            "no:D4 no:D5 no:D6"
        ),
    ),
    "one pay in her town": (
        lambda: vk.check(P, shown("ppqq", ["30", "30", "40", "50"])),
        (
            "disguised.learns disguised.one-value disguised.off-target disguised.values no:S7 "
            "no:D6 disguised.figure-group disguised.figure-guess disguised.figure-away"
        ),
    ),
    "one pay nearly always": (
        lambda: vk.check(P, shown("p" * 10, ["30"] * 9 + ["60"])),
        "disguised.guesses disguised.likeliest disguised.two-values no:S7",
    ),
    "one kind of pay": (
        lambda: vk.check(P, shown("ppqq", ["30", "40", "50", "60"])),
        "disguised.learns-kind disguised.two-values disguised.one-of-the-likeliest no:S7",
    ),
    "one pay in another town": (
        lambda: vk.check({"town": "q"}, shown("ppqqqq", ["30", "30", *EVEN])),
        "disguised.table-gives-away disguised.one-group disguised.target",
    ),
    "two towns that fit": (
        lambda: vk.check({"town": "p", "age": None}, two_groups()),
        (
            "disguised.several-groups disguised.figure-groups disguised.figure-guess "
            "disguised.figure-away disguised.target"
        ),
    ),
    "a tolerance": (
        lambda: vk.check(P, shown("pppp", ["30", "40", "50", "50"], tolerance={"share": "1/2"})),
        "disguised.near-target disguised.likeliest",
    ),
    "a tolerance of one node": (
        lambda: vk.check(P, shown("pppp", ["30", "40", "50", "50"], tolerance=BY_NODE)),
        "disguised.near-target disguised.likeliest",
    ),
    "values that are nobody's": (
        lambda: vk.check({**P, "pay": 30}, shown("pppp", EVEN, people=3, fakes=1)),
        "disguised.values-and-nobodys disguised.own disguised.target",
    ),
    "her own pay nowhere": (
        lambda: vk.check({**P, "pay": 60}, shown("ppqq", ["30", "40", "50", "60"])),
        "disguised.learns-kind disguised.own-absent",
    ),
    "what people named": (
        lambda: vk.check(
            {"town": "q"}, wished("ppq", [30, 40, 60], ["[30, 40]", "[30, 40]", "60"])
        ),
        "disguised.learns disguised.name-yours disguised.own-way",
    ),
    "what she named, respected": (
        lambda: vk.check(
            P, wished("ppq", [30, 40, 60], ["[30, 40]", "[30, 40]", "60"]), node="[30, 40]"
        ),
        "disguised.some-give-away common.met disguised.own-way no:note",
    ),
    "what she named, not respected": (
        lambda: vk.check(P, shown("ppqq", ["30", "30", "50", "60"]), node="[30, 40]"),
        "common.unmet disguised.not-respected disguised.learns",
    ),
    "too sure a guess of her pay": (
        lambda: vk.check(P, aimed("ppqqqq", SIX), ell=5),
        "common.unmet disguised.too-sure",
    ),
    "more values than are shown": (
        lambda: vk.check(P, shown("p", ["[0, 255]"], tree=vk.targets.balanced(list(range(256))))),
        "disguised.cut disguised.no-warning",
    ),
}


def two_groups():
    """The people of one town in two groups, each of which shows the target."""
    frame = pd.DataFrame(
        {"town": list("pppppppp"), "age": [1] * 4 + [2] * 4, "pay": [30, 40, 50, 60] * 2}
    )
    data = vk.Microdata(
        frame, columns(town=("quasi", "nominal"), age=("quasi",), pay=("sensitive",))
    )
    target = vk.targets.balanced([30, 40, 50, 60])
    return vk.mask.disguise(data, hierarchy=target, groups="quasi", seed=7).release


def linked(pairs, left, right):
    """A published graph of authors a, b, ... and papers p, q, ..., with given groups."""
    frame = pd.DataFrame([tuple(pair) for pair in pairs.split()], columns=["author", "paper"])
    graph = vk.BipartiteGraph.of(frame)
    found = []
    for side, groups in (("left", left), ("right", right)):
        names = graph.names(side)
        column = vk.Column(graph.title(side), kind="nominal")
        held = vk.Microdata(pd.DataFrame({column.name: names}), vk.Schema((column,)))
        found.append((held, [int(number) for number in groups]))
    (authors, of_authors), (papers, of_papers) = found
    return vk.GraphRelease(
        authors, papers, of_authors, of_papers, graph.edges, of_authors, of_papers
    )


A = {"author": "a"}
STAR, BY_SIDE = "aw ax ay bw cz", ("000 0123", "012 0000")
RING = "ap aq bq br cr cs ds dp"
OF_GRAPHS = {
    "a name among others": (
        lambda: vk.check(A, linked(RING, "0101", "0101")),
        (
            "graph.no-warning graph.group graph.links graph.likeliest graph.one-of "
            "graph.learned-one graph.figure-group graph.figure-guess graph.figure-links "
            "common.no-conclusion common.limits no:L6 no:L7 no:R no:note"
        ),
    ),
    "no such name": (
        lambda: vk.check({"author": "z", "paper": "p"}, linked(RING, "0101", "0101")),
        (
            "graph.none common.figure-published common.no-conclusion no:L1 no:L2 no:L3 no:L4 no:L5 "
            "no:L6 no:L7"
        ),
    ),
    "a link that is certain": (
        lambda: vk.check(A, linked("ap aq bp bq", "00", "00")),
        (
            "graph.learns graph.likeliest graph.not-apart graph.links no:L4 no:S7 "
            "graph.figure-group graph.figure-guess graph.figure-links"
        ),
    ),
    "numbers of links that several have": (
        lambda: vk.check(A, linked("ap bq cr cs du dv", "0000", "000000")),
        "graph.links-shared graph.figure-between graph.figure-group graph.figure-guess",
    ),
    "a link that is nearly certain": (
        lambda: vk.check(A, linked(NEARLY, "0000", "0000")),
        (
            "graph.guesses graph.one-of graph.not-apart graph.links-between graph.figure-between "
            "graph.figure-group graph.figure-guess no:S7"
        ),
    ),
    "a name alone": (
        lambda: vk.check(A, linked("ap bq", "01", "00")),
        "graph.alone graph.alone-in graph.one-of no:L5 no:S7",
    ),
    "links of others that are certain": (
        lambda: vk.check(A, linked("ap bq cr", "001", "001")),
        "graph.table-certain graph.group",
    ),
    "others alone": (
        lambda: vk.check(A, linked("ap bq cr", "001", "000")),
        "graph.table-alone graph.learned-one",
    ),
    "three names": (
        lambda: vk.check(A, linked("ap bq cr", "000", "000")),
        "graph.no-warning graph.learned",
    ),
    "a group without a link": (
        lambda: vk.check(A, without_links()),
        "graph.no-links no:L3 no:L4 no:L5",
    ),
    "a link of hers": (
        lambda: vk.check({**A, "paper": "q"}, linked("ap aq bq br cr cp", "000", "001")),
        "graph.own graph.own-learned",
    ),
    "a link that tells her node": (
        lambda: vk.check({**A, "paper": "q"}, linked(RING, "0101", "0123")),
        "graph.own graph.own-learned-node",
    ),
    "the only link of hers": (
        lambda: vk.check({**A, "paper": "p"}, linked("ap bq cr", "000", "000")),
        "graph.own graph.own-learned-alone",
    ),
    "a link that cannot be": (
        lambda: vk.check({**A, "paper": "r"}, linked("ap bq cr ds", "0011", "0011")),
        "graph.own-impossible no:L7",
    ),
    "a link to nobody": (
        lambda: vk.check({**A, "paper": "z"}, linked("ap bq", "00", "00")),
        "graph.other-unknown no:L7",
    ),
    "too small a group": (
        lambda: vk.check(A, linked(RING, "0101", "0101"), k=3),
        "common.unmet graph.too-few",
    ),
    "too sure a guess of a link": (
        lambda: vk.check(A, linked(RING, "0101", "0101"), ell=9),
        "common.unmet graph.too-sure",
    ),
    "a hub": (lambda: vk.check(A, hub()), "graph.cut graph.learns graph.alone-in"),
}
NEARLY = " ".join(x + y for x in "abcd" for y in "pqrs" if x + y != "ds")


def without_links():
    """Two authors without a link beside two with one each."""
    pairs = pd.DataFrame({"author": ["c", "d"], "paper": ["p", "q"]})
    graph = vk.BipartiteGraph.of(pairs, pd.DataFrame({"author": list("abcd")}))
    parts = vk.Partition.of([0, 0, 1, 1]), vk.Partition.of([0, 0])
    return vk.mask.group_nodes(graph, 2, 2, groups=parts, seed=1).release


def hub():
    """One author of all papers, each in a group of its own with a paper of nobody else's."""
    papers = [f"p{number}" for number in range(150)]
    graph = vk.BipartiteGraph.of(pd.DataFrame({"author": "a", "paper": papers}))
    parts = vk.Partition.of([0]), vk.Partition.of(list(range(150)))
    return vk.mask.group_nodes(graph, 1, 1, groups=parts, seed=1).release


def cut_by_entropy(ill):
    frame = pd.DataFrame({"age": [20, 20, 21, 22, 24, 27], "ill": [*ill]})
    data = vk.Microdata(frame, vk.Schema.guess(frame, ill="sensitive"))
    cut = vk.partition.entropy_diverse(data, ell=2)
    return vk.mask.anatomize(data, partition=cut, seed=1).release


SITUATIONS = {
    # every kind
    "an empty table": (
        lambda: vk.check({"a": 1}, table(a=np.empty(0))),
        "common.empty",
    ),
    "nothing left out": (
        lambda: vk.check(RECORD, plain()),
        (
            "common.limits masked.blind-few masked.limit masked.closest-one masked.not-yours-one "
            "masked.figure-one masked.figure-distance masked.figure-others masked.made-up "
            "masked.others masked.diversity masked.diversity-of masked.no-conclusion no:S2 no:S8 "
            "no:S9 no:S10 no:S13 no:DM no:R no:note masked.spread-deviation"
        ),
    ),
    "one left out": (
        lambda: vk.check({"X1": 100.87, "X2": 902.21}, plain()),
        "common.limits-one-left-out common.left-out",
    ),
    "two left out": (
        lambda: vk.check({"X1": 100.87}, plain()),
        (
            "common.limits-several-left-out common.left-out masked.one-value "
            "common.figure-published masked.figure-one masked.figure-distance"
        ),
    ),
    "a requirement met": (lambda: vk.check(RECORD, plain(), distance=1), "common.met"),
    "a requirement met but for records without a value": (
        lambda: vk.check({"x": 1, "y": 7}, with_nothing(), distance=0, chance=False),
        "common.met-blank",
    ),
    "a distance missed": (
        lambda: vk.check(RECORD, plain(), distance=2),
        "common.unmet masked.too-near",
    ),
    "a diversity missed": (
        lambda: vk.check(RECORD, plain(), diversity={"X1": 1000}),
        "common.unmet masked.too-alike",
    ),
    "a record that she takes to be hers": (
        lambda: vk.check(RECORD, plain(), match=2),
        "masked.named masked.bound",
    ),
    "no variance within no places": (
        lambda: vk.check(RECORD, plain(), distance=0, diversity=1),
        "masked.hopeless",
    ),
    # single values
    "one record": (
        lambda: vk.check({"a": 1, "b": 2}, table(a=[1.0], b=[2.0])),
        "masked.one-record masked.copy-alone masked.constant masked.spread-none no:S4 no:S5 no:S6",
    ),
    "records that are all the same": (
        lambda: vk.check({"a": 1, "b": 2}, table(a=[1.0, 1], b=[2.0, 2])),
        (
            "masked.all-the-same masked.closest-several masked.not-yours-several masked.copies "
            "masked.figure-several masked.figure-distance common.figure-published"
        ),
    ),
    "one attribute that differs": (
        lambda: vk.check({"a": 1, "b": 2}, table(a=[1.0, 1], b=[2.0, 3])),
        "masked.one-differs masked.copy-alone",
    ),
    "a copy where others are copies": (
        lambda: vk.check({"a": 1, "b": 1}, table(a=[1.0, 2, 2], b=[1.0, 5, 5])),
        "masked.copy",
    ),
    "a value above": (lambda: vk.check({**RECORD, "X1": 150}, plain()), "masked.above"),
    "a value below": (lambda: vk.check({**RECORD, "X1": 1}, plain()), "masked.below"),
    "a value of a column without an order": (
        lambda: vk.check({"x": 1, "town": "a"}, table(x=[1.0, 2, 3], town=["a", "a", "b"])),
        "masked.equal",
    ),
    "a value that none is like": (
        lambda: vk.check({"x": 1, "town": '"z"'}, table(x=[1.0, 2, 3], town=["a", "a", "b"])),
        "masked.unlike masked.spread-marginality",
    ),
    "a value of a tree": (
        lambda: vk.check({"x": 1, "job": "nurse"}, with_jobs()),
        "masked.grouped",
    ),
    "no comparison": (
        lambda: vk.check(RECORD, plain(), chance=False),
        "masked.not-compared masked.no-conclusion no:S4 no:S5 no:S6 no:S6'",
    ),
    "a method that finds her again": (
        lambda: own(30, 0.01, runs=20),
        "masked.found-again masked.repeated masked.blind-few",
    ),
    "several looks": (
        lambda: vk.check(RECORD, plain(), looks=4),
        "masked.blind-few masked.limit-divided",
    ),
    "a table of copies": (alike, "masked.blind-alike"),
    "an unmasked record": (lambda: own(300, 0.001), "masked.closer masked.limit no:S6' no:S7"),
    "a record that a model repeated": (
        lambda: own(300, 0.001, promise="drawn from a model"),
        "masked.closer-drawn masked.drawn no:S6' no:S7",
    ),
    "a record lost in noise": (
        lambda: own(300, 3.0),
        "masked.no-warning masked.made-up-estimated masked.others masked.no-conclusion no:S6",
    ),
    "a record lost in noise, beside one without a value": (
        lambda: beside_nothing(*masked(300, 3.0)),
        "masked.no-warning-blank masked.blank masked.closest-one no:S6",
    ),
    "a large table": (lambda: unrelated(5000), "masked.others-estimated"),
    "reported links": (
        lambda: vk.check(RECORD, plain().reporting(12)),
        "masked.links masked.reported",
    ),
    "reported links and luck": (
        lambda: vk.check(RECORD, plain().reporting(12, luck=1.5)),
        "masked.links-luck masked.reported",
    ),
    "reported links that leave columns out": (
        lambda: vk.check(RECORD, plain().reporting(12, luck=1.5, without=["X2"])),
        "masked.links-without masked.links-luck masked.reported",
    ),
    "swapped in pairs": (
        lambda: swapped("pairs"),
        "masked.undone no:S9",
    ),
    "swapped in cycles": (
        lambda: swapped("cycles"),
        "masked.repeated masked.found-again no:S14",
    ),
    "a value missing elsewhere": (
        lambda: vk.check({"a": 1, "b": 1}, table(a=[1.0, 2, None], b=[1.0, 2, 3])),
        "masked.missing",
    ),
    "few reported links": (
        lambda: vk.check(RECORD, plain().reporting(1)),
        "masked.blind-few masked.links masked.reported",
    ),
    "a bound that one record fits": (
        lambda: vk.check({"a": 1, "b": 1}, bounded(0, 0)),
        (
            "masked.picked-out masked.crowd-of-one masked.figure-crowd masked.figure-distance "
            "masked.figure-others no:S3"
        ),
    ),
    "a bound that several fit": (
        lambda: vk.check({"a": 1, "b": 1}, bounded(2, 3)),
        "masked.crowd masked.bound masked.not-yours-one",
    ),
    "another order": (
        lambda: vk.check(vk.load("dm_table1").record(2), vk.published("dm_table1_mapped")),
        "masked.moved masked.paper-plausible",
    ),
    "another order, and a record without a value": (
        lambda: beside_nothing(vk.load("dm_table1"), vk.published("dm_table1_mapped"), 2),
        "masked.moved-blank masked.blank masked.closest-one",
    ),
    "another order, and a copy of hers": (
        reordered,
        "masked.paper-not-plausible no:S2 masked.copy-alone",
    ),
    **{
        f"diversity by {criterion}": (
            lambda criterion=criterion: vk.check(RECORD, plain(), criterion=criterion),
            f"masked.spread-{name}",
        )
        for criterion, name in {
            "variance": "deviation",
            "robust variance": "trimmed",
            "distinct": "distinct",
            "entropy": "entropy",
            "t-closeness": "unlike",
            vk.Criterion("packing", apart=2): "packing",
            vk.Criterion("recursive", c=2): "recursive",
        }.items()
    },
    # values drawn anew
    "no row that can be hers": (
        lambda: both(redrawn(a=[2, 3], b=[2, 3])),
        (
            "randomized.none-fits common.figure-published common.no-conclusion no:V1 no:V2 no:V3 "
            "no:V4 no:V5 no:V6 no:V7 no:V8 no:note"
        ),
    ),
    "one row that can be hers": (
        lambda: both(redrawn(a=[1, 2, 3], b=[1, 2, 3], Ill=list("xyz"))),
        (
            "randomized.picked-out randomized.one-row randomized.without randomized.with "
            "randomized.one-value randomized.others-known randomized.chances "
            "randomized.figure-equal randomized.figure-near randomized.figure-surest no:V2 no:V5 "
            "no:V7 no:S7 no:S10"
        ),
    ),
    "several rows that can be hers": (
        lambda: both(redrawn(**SQUARE, Ill=list("xyyz"))),
        (
            "randomized.no-warning randomized.rows randomized.drawn randomized.row randomized.best "
            "common.no-conclusion"
        ),
    ),
    "several likeliest rows, and her own value": (
        lambda: both(redrawn(a=[1, 1, 1, 2], b=[1, 1, 2, 1], Ill=list("xyyx")), Ill="y"),
        "randomized.one-of-the-rows randomized.own",
    ),
    "her own value in no row that can be hers": (
        lambda: both(redrawn(**SQUARE, Ill=list("xyyz")), Ill="z"),
        "randomized.own-absent",
    ),
    "no row that shows all her values": (
        lambda: both(redrawn(a=[1, 2, 2], b=[2, 1, 1])),
        "randomized.changed no:V4",
    ),
    "several attributes drawn anew": (
        lambda: both(redrawn(2, **SQUARE, c=[1, 1, 2, 2]), c=1),
        "randomized.rows-several",
    ),
    "each attribute kept or drawn anew by itself": (
        lambda: both(redrawn(keep=0.5, **SQUARE)),
        "randomized.rows-several randomized.drawn-each",
    ),
    "one value in all rows that can be hers": (
        lambda: both(redrawn(**SQUARE, Ill=list("xxxy"))),
        "randomized.learns randomized.one-value no:S7",
    ),
    "a nearly certain value": (
        lambda: both(
            redrawn(a=[1] * 20 + [2] * 20, b=[1] * 20 + [2] * 20, Ill=["x"] * 19 + ["y"] * 21)
        ),
        "randomized.guesses randomized.best no:S7",
    ),
    "reported links of rows drawn anew": (
        lambda: both(redrawn(**SQUARE).reporting(4)),
        "masked.links masked.reported",
    ),
    "a missing cell among rows drawn anew": (
        lambda: both(redrawn(a=[1, np.nan, 2], b=[1, 1, 1])),
        "randomized.chances randomized.gaps",
    ),
    "too few rows, too surely guessed": (
        lambda: vk.check({"a": 1, "b": 1}, redrawn(**SQUARE, Ill=list("xyyz")), k=9, ell=9),
        "common.unmet randomized.too-few randomized.row-too-sure split.too-sure",
    ),
    # generalized
    "nobody who fits": (
        lambda: vk.check({"Zip": '"99999"'}, vk.published("ks_table4")),
        "generalized.none-fits generalized.figure-fit common.figure-published no:G1 no:G2 no:G3",
    ),
    "one who fits": (
        lambda: vk.check(
            {"Zip": "47677"}, covers(Zip=["476**", "479**", "479**"], Ill=["flu", "flu", "ulcer"])
        ),
        (
            "generalized.only-one generalized.fits generalized.picked-out generalized.shows "
            "generalized.figure-fits generalized.figure-values generalized.figure-top no:G6 no:S7"
        ),
    ),
    "one value shown": (
        lambda: vk.check(SINGLE, vk.published("ks_table4")),
        (
            "generalized.learns generalized.fit generalized.cannot-pick generalized.show-the-same "
            "generalized.figure-fit generalized.figure-values generalized.figure-top no:G0 no:G4 "
            "no:G5 no:G6 no:G7 no:G8 no:G9 no:G10 no:S7"
        ),
    ),
    "a sample of more people": (
        lambda: vk.check(
            {"Zip": "47677"},
            covers(Zip=["476**", "476**", "479**"], Ill=["flu", "ulcer", "flu"]).describing(
                population="3000", weights="500 to 2000"
            ),
        ),
        "generalized.fit generalized.cannot-pick generalized.sample",
    ),
    "one value nearly always": (
        lambda: vk.check(
            {"Zip": "a"},
            covers(Zip=["a"] * 10 + ["b"] * 10, Ill=["x"] * 9 + ["y"] * 10 + ["x"]),
        ),
        "generalized.guesses generalized.most-frequent generalized.gains generalized.two-values",
    ),
    "values of one kind": (
        lambda: vk.check(SINGLE, vk.published("ks_table6")),
        "generalized.learns-kind generalized.of-one-kind generalized.several-values",
    ),
    "nothing to warn of": (
        lambda: vk.check({"Zip": "a"}, covers(Zip=list("aabb"), Ill=list("xyxy"))),
        (
            "generalized.no-warning-guess common.no-conclusion "
            "generalized.one-of-the-most-frequent "
            "generalized.figure-fit generalized.figure-values generalized.figure-top-tied no:G4"
        ),
    ),
    "nothing to warn of, and nothing sensitive": (
        lambda: vk.check({"Zip": "a"}, covers(Zip=list("aabb"))),
        (
            "generalized.no-warning common.no-conclusion generalized.figure-fit "
            "common.figure-published no:G3 no:G4"
        ),
    ),
    "other people alone": (
        lambda: vk.check({"Zip": "47911"}, covers(Zip=["476**", "479**", "479**"])),
        (
            "generalized.table-picked-out generalized.none-among generalized.figure-fit "
            "common.figure-published"
        ),
    ),
    "several alone among hers": (
        lambda: vk.check({"Zip": "1"}, covers(Zip=["1", "1", "1"], Sex=["m", "f", "x"])),
        "generalized.table-picked-out generalized.several-among common.left-out",
    ),
    "one alone among hers": (
        lambda: vk.check({"Zip": "1"}, covers(Zip=["1", "1", "1"], Sex=["m", "f", "f"])),
        "generalized.table-picked-out generalized.one-among",
    ),
    "other people's values": (
        lambda: vk.check(SEPARATED, vk.published("ks_table4")),
        "generalized.table-gives-away generalized.none-among",
    ),
    "two suppressed, she among them": (
        lambda: vk.check({"Zip": "95000"}, prefixes("9411*", "9411*", "*", "*", suppressed=2)),
        (
            "generalized.only-suppressed generalized.hidden-only generalized.hidden-several "
            "generalized.fit"
        ),
    ),
    "one suppressed, by class": (
        lambda: vk.check({"Zip": "94111"}, prefixes("9411*", "9411*", "*", suppressed=1)),
        "generalized.hidden-others generalized.hidden-one generalized.fit",
    ),
    "one suppressed, nobody said how": (
        lambda: vk.check(
            {"Zip": "94111"}, prefixes("9411*", "9411*", "*", told=False, suppressed=1)
        ),
        "generalized.hidden-perhaps generalized.hidden-one generalized.fit-unless",
    ),
    "one fits, one suppressed": (
        lambda: vk.check({"Zip": "94111"}, prefixes("9411*", "*", told=False, suppressed=1)),
        "generalized.hidden-perhaps generalized.fits-unless generalized.aside",
    ),
    "bands of unknown making": (
        lambda: vk.check({"age": 25}, table(age=["20-29", "20-29"])),
        "generalized.taken generalized.taken-cell",
    ),
    "one band of unknown making": (
        lambda: vk.check({"age": 25}, table(age=["20-29", "30-39"])),
        "generalized.untold generalized.untold-one no:G2 no:G3",
    ),
    "several bands of unknown making": (
        lambda: vk.check({"age": 25}, table(age=["20-29", "20-29", "30-39"])),
        "generalized.untold generalized.untold-several no:G2 no:G3",
    ),
    "no band of unknown making": (
        lambda: vk.check({"age": 45}, table(age=["20-29", "30-39"])),
        "generalized.untold-none no:G1",
    ),
    "a word that no label shows": (
        lambda: vk.check({"job": '"cook"'}, covers(job=["nurse", "*"])),
        (
            "generalized.unnamed generalized.unnamed-value generalized.figure-may-fit "
            "common.figure-published no:G1 no:G2"
        ),
    ),
    "an unread label": (
        lambda: vk.check({"age": 34, "sex": "f"}, unread(1)),
        (
            "generalized.unread generalized.unread-label generalized.at-most-one no:G2 "
            "generalized.figure-may-fit common.figure-published"
        ),
    ),
    "two unread labels": (
        lambda: vk.check({"age": 34, "sex": "f"}, unread(2)),
        "generalized.unread generalized.at-most-several no:G2",
    ),
    "her own value once": (
        lambda: vk.check({**MARRIED, "Crime": "Indecency"}, vk.published("ks_table4")),
        "generalized.own-once no:G8",
    ),
    "her own value among them": (
        lambda: vk.check({**MARRIED, "Crime": "Murder"}, vk.published("ks_table4")),
        "generalized.own-among no:G8",
    ),
    "her own value nowhere": (
        lambda: vk.check({**MARRIED, "Crime": "Theft"}, vk.published("ks_table4")),
        "generalized.own-absent no:G7",
    ),
    "too few records": (
        lambda: vk.check(SINGLE, vk.published("ks_table4"), k=5),
        "common.unmet generalized.too-few",
    ),
    "too few values": (
        lambda: vk.check(SINGLE, vk.published("ks_table4"), ell=2),
        "common.unmet generalized.too-alike",
    ),
    "a column without values": (
        lambda: check_generalized({"Zip": "a", "Age": 3}, covers(Zip=["a", "a"], Age=[None, None])),
        "generalized.empty-column",
    ),
    "a gap among the values": (
        lambda: vk.check({"Zip": "a"}, covers(Zip=["a", "a", "b"], Ill=["flu", None, "flu"])),
        "generalized.gaps",
    ),
    "a group whose row lacks her value": (
        lambda: vk.check({"age": 7}, groups([1, None, 2, 3], "aabb", "xxyy")),
        "split.perhaps-rows split.one-group",
    ),
    # numbers permuted in groups
    "numbers of one group": (
        lambda: vk.check({"age": 0}, apart(range(6), [10, 20, 30, 10, 50, 90], "aaabbb")),
        (
            "numbers.no-warning numbers.left numbers.of-all numbers.struck-out split.one-group "
            "split.published-rows split.one-of-the-likeliest "
            "split.figure-group numbers.figure-values numbers.figure-range no:E3 no:E4 no:E5 "
            "no:P6"
        ),
    ),
    "numbers of several groups": (
        lambda: vk.check({"age": 0}, apart([0, 0, 2, 3], [10, 30, 20, 90], "abab")),
        (
            "numbers.in-one-group split.several-groups split.figure-groups split.several-values "
            "numbers.figure-values "
            "numbers.figure-range no:E2 no:E6"
        ),
    ),
    "numbers with a unit in a large table": (
        lambda: vk.check({"age": 25}, salaries(5000)),
        "numbers.no-warning",
    ),
    "one number likelier than others": (
        lambda: vk.check({"age": 0}, apart(range(12), [10] * 8 + [20, 30, 0, 99], "a" * 10 + "bb")),
        "numbers.likelier no:E5 no:P3",
    ),
    "numbers close to each other": (
        lambda: vk.check({"age": 0}, apart(range(7), [100, 101, 102, 103, 200, 0, 900], "aaaaabb")),
        "numbers.close no:E4",
    ),
    "nearly the same number": (
        lambda: vk.check({"age": 0}, apart(range(4), [100, 101, 0, 1000], "aabb")),
        "numbers.learns-nearly no:S7",
    ),
    "groups without a number": (
        lambda: vk.check({"age": 0}, apart(range(4), [None, None, 1, 2], "aabb")),
        (
            "split.none-left split.gaps split.figure-group numbers.figure-values no:E1 no:E2 "
            "no:P3 no:P6"
        ),
    ),
    "a row without her values": (
        lambda: vk.check({"age": 0}, apart([None, 1, 2, 3], [10, 20, 30, 90], "aabb")),
        "numbers.perhaps-rows",
    ),
    "more numbers than a table shows": (
        lambda: vk.check({"age": 0}, apart([0] * 101, range(101), "a" * 101)),
        "common.cut split.whole-table",
    ),
    "too few numbers, too close": (
        lambda: vk.check({"age": 0}, apart(range(4), [10, 20, 30, 90], "aabb"), k=9, e=900),
        "common.unmet numbers.too-few numbers.too-narrow",
    ),
    # groups
    "groups made by who has which value": (
        lambda: vk.check({"age": 20}, cut_by_entropy("BAABCC")),
        "common.repetition split.one-of-the-likeliest no:P9",
    ),
    "no group that fits": (
        lambda: vk.check({"Age": 7, "Sex": "F"}, vk.published("lhcc_table4")),
        "split.none-fits split.figure-none common.no-conclusion no:P1 no:P2 no:P3 no:note",
    ),
    "a group with one value": (
        lambda: vk.check({"age": 0}, groups([0, 1, 2], "aab", "xxy")),
        (
            "split.learns split.one-value split.one-group split.published-rows split.figure-group "
            "split.figure-guess split.figure-presence no:P4 no:P5 no:P6 no:S7"
        ),
    ),
    "a nearly certain guess": (
        lambda: vk.check(
            {"age": 0}, groups(range(30), "a" * 9 + "b" + "cdefghijkl" * 2, "x" * 10 + "y" * 20)
        ),
        "split.guesses split.likeliest split.two-values common.unattacked no:S7",
    ),
    "other groups with one value": (
        lambda: vk.check({"age": 0}, groups(range(4), "abcc", "xxyy")),
        "split.table-gives-away split.one-of-the-likeliest",
    ),
    "groups that nobody told of": (
        lambda: vk.check({"age": 0}, untold_groups()),
        (
            "split.untold split.untold-groups split.untold-only split.figure-group "
            "common.unattacked common.no-conclusion no:P2 no:P4 no:P5 no:P6"
        ),
    ),
    "groups of several values that nobody told of": (
        lambda: vk.check({"age": 0}, untold_groups("abcc")),
        "split.untold split.untold-likeliest",
    ),
    "no group, and nobody told": (
        lambda: vk.check({"age": 9}, untold_groups()),
        "split.untold-none split.figure-none common.no-conclusion no:P1 no:P3",
    ),
    "shuffled groups": (
        lambda: vk.check({**BOB, "Disease": "Emphysema"}, vk.published("lhcc_table4")),
        (
            "split.no-warning split.possible-row split.own split.several-values split.formula "
            "split.one-of-the-likeliest common.no-conclusion no:P5"
        ),
    ),
    "a table that teaches": (
        lambda: vk.check({"age": 50, "sex": "f"}, teaching()),
        (
            "split.learned-guesses split.learned split.others split.figure-learned "
            "split.figure-group split.figure-presence split.two-values "
            "split.one-of-the-likeliest split.published-rows"
        ),
    ),
    "permuted numbers that teach": (
        lambda: vk.check({"age": 50, "sex": "f"}, permuted_pay(1, random_fours)),
        "split.learned-guesses split.learned split.others no:S16 numbers.left",
    ),
    "permuted numbers from which nothing can be learned": (
        lambda: vk.check({"age": 50, "sex": "f"}, permuted_pay(0, random_fours)),
        "common.not-learned numbers.no-warning no:P7 no:P8",
    ),
    "permuted numbers in groups none of which are alike": (
        lambda: vk.check({"age": 50, "sex": "f"}, permuted_pay(1, neighbouring_threes)),
        "common.not-tried numbers.no-warning no:P7 no:P8",
    ),
    "a table that teaches less": (
        lambda: vk.check(CENSUS, census()),
        (
            "split.learned-most split.learned split.others split.figure-learned "
            "split.figure-groups split.figure-presence"
        ),
    ),
    "links of a name": (
        lambda: vk.check({"Author": "a1"}, permuted_links()),
        "split.linked-rows split.figure-linked split.figure-guess split.figure-presence no:P6",
    ),
    "a link of hers that was learned": (
        lambda: vk.check({"Author": "a1", "Paper": "p2"}, permuted_links()),
        "split.learned-link no:P4 no:P5 no:P10",
    ),
    "rows of which nobody says what they are": (
        lambda: vk.check({"Author": "a1"}, replace(permuted_links(), rows="untold")),
        "split.no-warning-rows split.rows split.one-group",
    ),
    "an age that every way back shows": (
        lambda: vk.check({"Age": 65}, vk.published("lhcc_table4")),
        "split.certain-row",
    ),
    "two groups that fit": (
        lambda: vk.check({"Age": 50}, vk.published("lhcc_table3")),
        "split.several-groups split.figure-groups split.figure-guess split.figure-presence",
    ),
    "an own value of another group": (
        lambda: vk.check({**BOB, "Disease": "Pneumonia"}, vk.published("lhcc_table4")),
        "split.own-absent no:P4",
    ),
    "too sure a guess": (
        lambda: vk.check(BOB, vk.published("lhcc_table4"), ell=6),
        "common.unmet split.too-sure",
    ),
}


SITUATIONS |= SHOWING_TARGETS | OF_GRAPHS


def repeatable(ills, *ages):
    """A few people in groups that were cut by a method which looks at the sensitive values."""
    frame = pd.DataFrame({"age": ages, "ill": [*ills]})
    data = vk.Microdata(frame, vk.Schema.guess(frame, ill="sensitive"))
    groups = vk.partition.entropy_diverse(data, ell=2)
    return vk.mask.anatomize(data, partition=groups, seed=1).release


def twice(*values, **asked):
    """Four people of other ages by neighbours, and by every other one, and what one of them has."""
    releases = [
        groups(range(4), part, at) for part, at in zip(values, ("xxyy", "xyxy"), strict=True)
    ]
    return vk.check({"age": 0} | asked.pop("own", {}), releases, **asked)


SITUATIONS |= {
    "two releases that leave one value": (
        lambda: twice("abcd", "abcd", own={"illness": "c"}, ell=2),
        (
            "together.count together.one-value together.own-absent together.of-one "
            "together.unmet common.met no:T3 no:T4 no:T6"
        ),
    ),
    "two releases that leave two values": (
        lambda: twice("abcc", "acbc", own={"illness": "a"}),
        (
            "together.several-values together.one-of-the-likeliest together.own split.figure-group "
            "split.figure-guess split.figure-presence together.figure-left"
        ),
    ),
    "two releases of which the second makes a value likelier": (
        lambda: vk.check(
            {"age": 0}, [groups(range(6), "aabccc", "xxxyyy"), groups(range(6), "aabccc", "xxxyyy")]
        ),
        "together.several-values together.likeliest no:T4 no:T5",
    ),
    "two releases that contradict each other": (
        lambda: twice("aabb", "cccc"),
        "together.none-left no:T3",
    ),
    "releases that promise nothing": (
        lambda: vk.check({"age": 0}, [groups(range(4), "abab", "xxyy"), untold_groups()]),
        "together.nothing no:T3 no:T6",
    ),
    "two releases and one that promises nothing": (
        lambda: vk.check({"age": 0}, [*[groups(range(4), "abab", "xxyy")] * 2, untold_groups()]),
        "together.idle together.several-values",
    ),
    "two releases that show no value of hers": (
        lambda: twice([None, "a", "b", "c"], [None, "b", "a", "c"]),
        "together.all-open no:T3",
    ),
    "a method that tells more than its groups": (
        lambda: vk.check({"age": 27}, repeatable("BAABCC", 20, 20, 21, 22, 24, 27)),
        (
            "split.repeated-guesses split.repeated split.figure-repeated split.figure-group "
            "split.figure-presence split.likeliest no:P7 no:note"
        ),
    ),
    "a method that tells a little more than its groups": (
        lambda: vk.check({"age": 27}, repeatable("DDAAB", 25, 25, 26, 26, 27)),
        "split.repeated-most split.repeated split.one-of-the-likeliest no:P7",
    ),
    "two groupings that make links certain": (
        lambda: vk.check({**A, "paper": "w"}, [linked(STAR, *g.split()) for g in BY_SIDE]),
        (
            "together.certain-links together.figure-links together.graphs together.own-certain "
            "together.table-certain-links together.of-one "
            "graph.figure-group graph.figure-guess graph.figure-links graph.figure-between no:T3"
        ),
    ),
    "a link that is certain of two names that are alike": (
        lambda: vk.check({**A, "paper": "r"}, [linked("ap aq bp bq cr", "001", "001")] * 2),
        "together.not-recognised together.certain-links together.own-ruled-out",
    ),
    "two groupings that leave all links open": (
        lambda: vk.check({**A, "paper": "p"}, [linked(RING, "0000", "0000")] * 2),
        "together.no-certain-links together.own-open no:T3 no:T8",
    ),
    "two groupings of which no node can be hers": (
        lambda: vk.check(A, [linked(g, "012", "0000") for g in ("aw ax by cz", "aw bx by cz")]),
        "together.graphs-contradict no:T3 no:T4",
    ),
    "two graphs of other links": (
        lambda: vk.check(A, [linked(g, "0011", "0011") for g in (RING, "ap bq cr ds")]),
        "together.graphs-apart no:T3 no:T4",
    ),
}


def short(record, bits=2, **asked):
    """Forty different records, and an index of them."""
    columns = {"a": np.arange(40), "b": np.arange(40) * 7 % 40}
    return vk.check(record, vk.index(table(**columns), bits=bits), **asked)


SITUATIONS |= {
    "a coarse index": (
        lambda: short({"a": 3, "b": 4}),
        "indexed.cannot-tell indexed.figure-bounds indexed.figure-near indexed.bounds",
    ),
    "an index that leaves several records": (
        lambda: short({"a": 30, "b": 4}),
        "indexed.several indexed.no-conclusion",
    ),
    "an index of every value": (
        lambda: short({"a": 3, "b": 21}, bits=6),
        "indexed.cannot-tell indexed.exact indexed.one indexed.no-conclusion",
    ),
    "an index, and a value beyond it": (
        lambda: short({"a": 99, "b": 4}),
        "indexed.cannot-tell indexed.beyond",
    ),
    "an index, and more places required than there can be": (
        lambda: short({"a": 3, "b": 4}, distance=40),
        "indexed.cannot-tell common.unmet indexed.too-near",
    ),
}


class Watched(dict):
    """The table of sentences, which notes the lines that are taken from it."""

    def __init__(self, lines):
        super().__init__(lines)
        self.taken = set()

    def __getitem__(self, name):
        self.taken.add(name)
        return super().__getitem__(name)


@cache
def observed(situation):
    """The report of a situation, and the lines of the table that were taken for it."""
    english, patch = read_language("en"), pytest.MonkeyPatch()
    watched = Watched(ENGLISH)
    with patch.context() as patched:
        patched.setitem(vars(english), "sentences", watched)
        report = SITUATIONS[situation][0]()
    return report, watched.taken


def family(name):
    """The lines that exclude each other: those with the same number; parts stand alone."""
    key = ENGLISH[name].key
    return name if key in ("part", "figure") else key


@pytest.mark.parametrize("situation", SITUATIONS)
def test_what_is_said_in_a_situation_is_what_its_conditions_ask_for(situation):
    _, taken = observed(situation)
    wanted = SITUATIONS[situation][1].split()
    names = {name for name in wanted if not name.startswith("no:")}
    assert names <= taken
    headlines = {name for name in taken if ENGLISH[name].state} - LINKS
    for name in names - headlines - LINKS:
        alike = {other for other in taken if family(other) == family(name)}
        assert alike <= names | headlines, f"{family(name)}: {alike}"
    keys = {ENGLISH[name].key for name in taken}
    assert not keys & {name.removeprefix("no:") for name in wanted if name.startswith("no:")}
    if any(ENGLISH[name].key == "figure" for name in names):
        figures = {name for name in taken if ENGLISH[name].key == "figure"}
        assert figures == {name for name in names if ENGLISH[name].key == "figure"}


def test_every_line_of_the_table_has_a_situation_and_every_situation_a_line():
    named = {name for _, said in SITUATIONS.values() for name in said.split() if "no:" not in name}
    assert named == set(ENGLISH)


@pytest.mark.parametrize("name", ENGLISH)
def test_a_line_stands_in_some_report_and_not_in_all(name):
    without = [s for s in SITUATIONS if name not in observed(s)[1]]
    assert 0 < len(without) < len(SITUATIONS)


def pattern(text):
    parts = re.split(r"\{[^{}]*\}", text)
    return re.compile(".+".join(map(re.escape, parts)), re.DOTALL)


ASIDE = ENGLISH["generalized.aside"].text.removesuffix("{said}")


def of_the_table(key, text, part="text"):
    text = text.removeprefix(ASIDE)
    return any(
        pattern(getattr(entry, part)).fullmatch(text)
        for entry in ENGLISH.values()
        if entry.key == key or (key == "headline" and entry.state)
    )


@pytest.mark.parametrize("situation", SITUATIONS)
def test_every_sentence_of_a_report_comes_from_the_table(situation):
    report, _ = observed(situation)
    # of several releases a sentence stands first
    assert any(of_the_table(key, report.headline.text) for key in ("headline", "T2", "T3", "T7"))
    for said in report.sentences:
        assert of_the_table(said.key, said.text)
        assert of_the_table(said.key, said.because, "when")
    assert all(of_the_table("note", note) for note in report.notes)
    for figure in report.figures:
        assert of_the_table("figure", figure.words)
        assert of_the_table("figure", figure.value, "value")


@pytest.mark.parametrize("situation", SITUATIONS)
def test_no_situation_leads_to_a_claim_that_may_not_be_made(situation):
    report, _ = observed(situation)
    texts = [report.headline.text, *(said.text for said in report.sentences), *report.notes]
    certain = "100 of 100" if situation in ALL_OF_THEM else "in all cases"
    assert not [text for text in texts if FORBIDDEN.search(text.replace(certain, ""))]
    assert not [text for text in texts if "{" in text or "  " in text]


@pytest.mark.parametrize("name", ENGLISH)
def test_a_line_makes_no_claim_that_may_not_be_made_and_is_a_sentence(name):
    entry = ENGLISH[name]
    assert not FORBIDDEN.search(entry.text)
    assert entry.when
    assert entry.state in ("", "warning-you", "warning-table", "no-warning", "cannot-tell")
    assert (entry.key == "headline") <= bool(entry.state)
    assert (entry.key == "figure") == bool(entry.value)
    if entry.key not in ("part", "figure"):
        assert re.match(r"[A-Z{1-9]", entry.text)
        assert entry.text.endswith((".", "}"))


@pytest.mark.parametrize(
    ("part", "said"),
    [
        (1, "100 of 100, in all cases"),
        (1 + 2**-52, "100 of 100, in all cases"),
        (0.99999, "more than 99 of 100, in more than 99 of 100 cases"),
        (0.995, "more than 99 of 100, in more than 99 of 100 cases"),
        (0.811875, "81 of 100, in 81 of 100 cases"),
        (0.01, "1 of 100, in 1 of 100 cases"),
        (0.004, "4 of 1,000, in 1 of 250 cases"),
        (1e-6, "fewer than 1 of 1,000, in 1 of 1,000,000 cases"),
        (0, "0 of 100, in no case"),
    ],
)
def test_what_is_less_than_certain_is_never_rounded_to_certainty(part, said):
    assert spoken_language().fill_in("{p:share}, {p:chance}", {"p": part}) == said


def test_counts_take_their_plural_from_the_line():
    line = "{n:record}, {n:person/people}, {d:places}, {n}, {names}"
    told = {"n": 1, "d": 1, "names": ["a", "b"]}
    assert spoken_language().fill_in(line, told) == "1 record, 1 person, 1 place, 1, a and b"
    told = {"n": 1200, "d": 0, "names": ["{n}"]}
    assert (
        spoken_language().fill_in(line, told) == "1,200 records, 1,200 people, 0 places, 1,200, {n}"
    )
