"""What the facts of the survey [KS]_ come to, worked out anew: a text for each, as in the list."""

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pandas as pd
from _lists import lists

import verikit as vk
from verikit.intruder import background_knowledge, homogeneity, similarity, skewness
from verikit.models import (
    distinct_diversity,
    entropy_diversity,
    k_anonymity,
    recursive_diversity,
    t_closeness,
)

COMPUTED, NEAR, computes, _ = lists()


def sensitive(frame, name):
    return vk.Microdata(frame, vk.Schema.guess(frame, **{name: "sensitive"}))


def crimes(**counts):
    held = [crime for crime, count in counts.items() for _ in range(count)]
    return sensitive(pd.DataFrame({"Zip": ["36363"] * len(held), "Crime": held}), "Crime")


def of_table_2(race, code):
    levels = {"Race": race, "Zip": code}
    data = vk.load("ks_table2_unmasked")
    return k_anonymity(vk.mask.generalize(data, levels=levels, seed=1).release)


def lacking(race, code):
    """How many records stand alone at a node."""
    return int((of_table_2(race, code).per_record < 2).sum())


def node(levels):
    return f"<{','.join(map(str, levels))}>"


@computes("SV-01")
def table_1():
    verdict = k_anonymity(vk.published("ks_table1"))
    ids = pd.Series(range(1, 11)).groupby(verdict.classes.labels).apply(sorted)
    members = ", ".join("{" + ",".join(map(str, part)) + "}" for part in sorted(ids))
    return f"k={verdict.value}; {members}"


@computes("SV-03")
def levels_of_birth():
    births = sorted(
        set(vk.published("ks_table1").frame["DOB"].astype(str)), key=lambda b: b.count("*")
    )
    levels = {birth.count("*") for birth in births}
    *some, last = births
    where = "on different levels" if len(levels) == len(births) else "on one level"
    return f"{', '.join(some)} and {last} stand side by side, {where}"


@computes("SV-04")
def one_role():
    roles = Counter(column.name for column in vk.load("ks_table1").schema)
    return f"one attribute has {'one role' if set(roles.values()) == {1} else 'several'}"


@computes("SV-05")
def sensitive_attributes_stay():
    tables = ("ks_table1", "ks_table3_generalized", "ks_table4", "ks_table6")
    held = [bool(vk.published(name).schema.sensitive) for name in tables]
    held.append("Crime" in vk.load("ks_table5_st").schema.names)
    return f"they {'stay in every table of the survey' if all(held) else 'leave some'}"


@computes("SV-08")
def rows_of_stars():
    rows = vk.load("ks_table2").frame.astype(str).to_numpy().tolist()
    starred = [row for row in rows if all(set(cell) == {"*"} for cell in row)]
    return f"blacked-out rows {'rather than records' if len(starred) == 4 else 'are lacking'}"


@computes("SV-09")
def node_of_figure_2():
    alone = lacking(0, 3)
    said = {1: "one"}.get(alone, alone)
    return (
        f"a node gives one level per attribute, such as {node((0, 3))}; at k=2 that one still "
        f"needs {said} record suppressed"
    )


@computes("SV-12")
def datafly_stops():
    """It stops at the first table with at most k records in sequences that occur < k times."""
    data = vk.load("ks_table2_unmasked")
    stopped = {k: vk.lattice.datafly(data, k=k, complementary=False) for k in (2, 3)}
    within = all(len(found.suppressed) <= k for k, found in stopped.items())
    return f"at {'most' if within else 'least'} k records in sequences that occur < k times"


@computes("SV-13")
def complementary():
    data = vk.load("ks_table2_unmasked")
    alone = vk.lattice.datafly(data, k=2, complementary=False)
    more = len(vk.lattice.datafly(data, k=2).suppressed) - len(alone.suppressed)
    (turned,) = [name.lower() for name, level in alone.levels.items() if level]
    other = len(vk.lattice.samarati(data, k=2, suppression=0.2).suppressed)
    return (
        f"Table 2 at k=2: Datafly generalizes {turned}, suppresses {len(alone.suppressed)} and "
        f"{more} more; Samarati with MaxSup 1 suppresses {other}"
    )


def random_table(rng):
    """Some records of two columns of four values each, and their trees."""
    names = list("abcd")
    tree = vk.Hierarchy.of({"any": {"ab": ["a", "b"], "cd": ["c", "d"]}})
    frame = pd.DataFrame(rng.choice(names, (int(rng.integers(4, 12)), 2)), columns=["P", "Q"])
    columns = tuple(vk.Column(name, "quasi", "nominal", tree) for name in frame)
    return vk.Microdata(frame, vk.Schema(columns))


@computes("SV-15")
def incognito_finds_all():
    """Thirty random tables here, three thousand when the list was made."""
    rng = np.random.default_rng(15)
    same = 0
    for _ in range(30):
        data = random_table(rng)
        nodes = itertools.product(range(3), repeat=2)
        tried = {
            levels
            for levels in nodes
            if k_anonymity(
                vk.mask.generalize(
                    data, levels=dict(zip("PQ", levels, strict=True)), seed=1
                ).release,
                k=2,
            ).met
        }
        try:
            same += set(vk.lattice.incognito(data, k=2).safe) == tried
        except vk.InfeasibleError:
            same += not tried
    return f"{'equal to' if same == 30 else 'other than'} trying every node in 3000 random tables"


@computes("SV-18")
def single_persons():
    frame = k_anonymity(vk.published("ks_table4")).to_frame().set_index("Marital Status")
    return str(frame.loc["Single", "value"])


def shown(line, values):
    cells = ", ".join(line[["Marital Status", "DOB", "Zip"]].astype(str))
    return f"{cells}{values}"


@computes("SV-19")
def only_theft():
    (line,) = (row for _, row in homogeneity(vk.published("ks_table4")).frame.iterrows())
    return shown(line, f": only {line['value']}")


@computes("SV-20")
def indecency():
    release = vk.published("ks_table4")
    often = {1: "once"}.get(int((release.frame["Crime"] == "Indecency").sum()))
    found = background_knowledge(release, value="Indecency").frame
    (line,) = (row for _, row in found.iterrows())
    return f"{often}, in {shown(line, '')}"


@computes("SV-21")
def eight_of_ten():
    found = homogeneity(crimes(Murder=1, Piracy=1, Theft=8), least=0.7).frame
    return f"{100 * found['confidence'].iloc[0]:.0f} %"


@computes("SV-22")
def three_diverse():
    table = crimes(Murder=1, Piracy=1, Theft=8)
    entropy = entropy_diversity(table).value
    return (
        f"{distinct_diversity(table).value} distinct values, exponential of the entropy "
        f"{entropy:.4f}"
    )


@computes("SV-23")
def entropy_of_one_value():
    shares = [0.8, 0.1, 0.1]
    right = math.exp(-sum(p * math.log(p) for p in shares))
    value = entropy_diversity(crimes(Murder=1, Piracy=1, Theft=8)).value
    return f"log of p(q*,{'s' if math.isclose(value, right) else 'another'})"


@computes("SV-26")
def table_5():
    quasi, counts = vk.load("ks_table5_qit").frame, vk.load("ks_table5_st").frame
    people = Counter(quasi["Group-Id"].astype(str))
    held = counts.groupby("Group-Id", observed=True)["Count"].sum()
    return "; ".join(
        f"group {name}: {people[name]} persons, counts {held[name]}" for name in sorted(people)
    )


@computes("SV-27")
def zip_code():
    quasi = vk.load("ks_table5_qit").frame
    (group,) = quasi.loc[quasi["Zip"] == "789526", "Group-Id"]
    return f"group {group}"


@computes("SV-28")
def ninety_and_ten():
    def met(classes):
        tests = ["negative" if place < 10 else "positive" for place in range(100)]
        frame = pd.DataFrame({"Zip": [p % classes for p in range(100)], "Test": tests}).astype(str)
        return distinct_diversity(sensitive(frame, "Test"), ell=2).met

    most = max(classes for classes in range(1, 51) if met(classes))
    return f"no more than {most} classes can be 2-diverse"


@computes("SV-29")
def skewed():
    tests = ["positive"] * 49 + ["negative"] * 50 + ["positive"]
    table = sensitive(pd.DataFrame({"Zip": ["a"] * 50 + ["b"] * 50, "Test": tests}), "Test")
    likely = skewness(table, values=["positive"]).frame["confidence"].iloc[0]
    distance = Fraction(t_closeness(table).per_class[0]).limit_denominator(100)
    return f"{100 * likely:.0f} %; distance to a 50/50 split with equal steps {distance}"


@computes("SV-30")
def table_6():
    release = vk.published("ks_table6")
    distinct, entropy = (
        distinct_diversity(release).to_frame(),
        entropy_diversity(release).to_frame(),
    )
    of = entropy.set_index("Marital Status")["value"]
    lines = zip(distinct["Marital Status"], distinct["value"], strict=True)
    found = {name: f"{name} {count}, {round(float(of[name]), 4)}" for name, count in lines}
    order = ("Separated", "Married", "Single")
    return "distinct, exponential of the entropy: " + "; ".join(found[name] for name in order)


@computes("SV-31")
def neurological():
    (line,) = (row for _, row in similarity(vk.published("ks_table6")).frame.iterrows())
    return shown(line, f": only {line['value']}")


def moved_by_a_program(share, whole, apart):
    """The earth mover's distance as a linear program."""
    from scipy.optimize import linprog

    m = len(share)
    rows = [np.kron(np.eye(m)[i], np.ones(m)) for i in range(m)]
    columns = [np.kron(np.ones(m), np.eye(m)[i]) for i in range(m)]
    return linprog(apart.ravel(), A_eq=rows + columns, b_eq=[*share, *whole]).fun


@computes("SV-33")
def ground_distances():
    """Thirty random tables here, three thousand when the list was made."""
    rng = np.random.default_rng(33)
    tree = vk.Hierarchy.of({"any": {"ab": ["a", "b"], "cd": ["c", "d"]}})
    places = np.arange(4)
    apart = {
        "equal": 1.0 - np.eye(4),
        "ordered": np.abs(places[:, None] - places) / 3,
        "hierarchical": (1 - np.eye(4)) * np.where(places[:, None] // 2 == places // 2, 0.5, 1),
    }
    agree = True
    for _ in range(30):
        values = [*"abcd", *rng.choice(list("abcd"), 8)]
        frame = pd.DataFrame({"Zip": ["x"] * 6 + ["y"] * 6, "S": rng.permutation(values)})
        for ground, distances in apart.items():
            kind = {"kind": "ordinal", "order": tuple("abcd")} if ground == "ordered" else {
                "kind": "nominal", "hierarchy": tree
            }  # fmt: skip
            schema = vk.Schema(
                (vk.Column("Zip", "quasi", "nominal"), vk.Column("S", "sensitive", **kind))
            )
            found = t_closeness(vk.Microdata(frame, schema), ground=ground).per_class
            whole = np.array([(frame["S"] == v).mean() for v in "abcd"])
            for at, name in enumerate("xy"):
                part = frame.loc[frame["Zip"] == name, "S"]
                share = np.array([(part == v).mean() for v in "abcd"])
                agree &= abs(found[at] - moved_by_a_program(share, whole, distances)) < 1e-7
    return (
        "formulas for equal, ordered and hierarchical values "
        f"{'agree' if agree else 'disagree'} with a linear program in 3000 random cases"
    )


@computes("SV-17")
def crime_is_sensitive():
    tables = [vk.published(name).schema for name in ("ks_table1", "ks_table4")]
    sensitive_in = all(schema["Crime"].role == "sensitive" for schema in tables)
    return f"crime is {'the sensitive' if sensitive_in else 'an'} attribute in the other tables"


@computes("SV-25")
def counts_or_weighs():
    """The one that counts lets a class pass in which nearly all have one value."""
    table = crimes(Theft=8, Murder=1)
    counting, weighing = distinct_diversity(table, ell=2).met, entropy_diversity(table, ell=2).met
    assert not weighing
    return f"Definition 2 counts {'distinct' if counting else 'other'} values"


@computes("SV-24")
def recursive():
    """Both parameters are needed, and m of the formula is the number of values of a class."""
    table = crimes(Theft=3, Murder=1)
    needs_both = (
        recursive_diversity(table, ell=2, c=4).met
        and not recursive_diversity(table, ell=2, c=3).met
    )
    too_few = recursive_diversity(table, ell=3, c=1000).met is False
    said = "recursive (c,l)-diversity" if needs_both else "recursive l-diversity"
    return f"{said}, m being the number of {'distinct values' if too_few else 'records'}"


@computes("SV-35")
def one_name():
    named = [n for n in vk.datasets.available() if n.startswith("ks_table5") and "qit" not in n]
    return f"{'one table' if len(named) == 1 else 'several'}"


@computes("SV-11")
def most_that_is_suppressed():
    data = vk.load("ks_table2_unmasked")
    found = [len(vk.lattice.samarati(data, k=2, suppression=s).suppressed) for s in (0, 0.2, 1)]
    most = all(count <= share * 5 for count, share in zip(found, (0, 0.2, 1), strict=True))
    return f"the {'most' if most else 'least'} that may be suppressed (MaxSup)"


IN_WORDS = {
    "SV-06": "a share of a population, without data",
    "SV-07": "two pictures that are not in the text",
    "SV-10": "hardness; test_sv_10 counts how the lattice grows",
    "SV-14": "a sentence that breaks off; tests/lattice holds the numbering",
    "SV-34": "two attacks without tables; test_sv_34 shows them on our own",
}
DRAWN = {
    "SV-16": "a count of random tables; tests/partition holds what Mondrian must keep",
}
