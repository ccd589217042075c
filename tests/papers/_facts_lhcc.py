"""What the facts of [LHCC]_ come to, worked out anew: a text for each, as it stands in the list."""

import itertools
import math
from collections import Counter
from fractions import Fraction
from functools import cache

import numpy as np
import pandas as pd
from _lists import lists

import verikit as vk
from verikit.intruder import presence, value_chance
from verikit.matching import printed_chance
from verikit.models import frequency_diversity
from verikit.partition import anatomy
from verikit.partition._diversity import deal_records
from verikit.utility import ncp, rce, relative_error, workload

COMPUTED, NEAR, computes, near = lists()
QUERY = "select count(*) from t where age between 40 and 70 and sex = 'F' and disease = 'Flu'"
GROUPS = vk.Partition.of([1] * 5 + [2] * 4)
PATIENTS = vk.load("lhcc_table1")
AGES, SEXES = [50, 90, 70, 65, 55], ["F", "M", "F", "F", "M"]
DISEASES = ["Emphysema", "Flu", "Cancer", "Dyspepsia", "Gastritis"]


def published(number):
    return vk.published(f"lhcc_table{number}")


def fraction(value, most=1000):
    return str(Fraction(float(value)).limit_denominator(most))


def table(quasi, sensitive, kinds=None):
    frame = pd.DataFrame({name: list(part) for name, part in {**quasi, "S": sensitive}.items()})
    columns = [vk.Column(name, kind=(kinds or {}).get(name, "nominal")) for name in quasi]
    return vk.Microdata(frame, vk.Schema((*columns, vk.Column("S", "sensitive", "nominal"))))


def alignments(columns):
    """Every table that shuffling the columns of one group on their own may have come from."""
    first, *others = columns
    for orders in itertools.product(*(set(itertools.permutations(part)) for part in others)):
        yield list(zip(first, *orders, strict=True))


def multisets(frame, group):
    """By group and column the values, in whatever order."""
    return {
        (str(number), name): Counter(part[name].astype(str))
        for number, part in frame.groupby(group, observed=True)
        for name in frame.columns
        if name != group
    }


def original(*names):
    return PATIENTS.frame[list(names)].assign(g=[1] * 5 + [2] * 4)


# -- tables and examples ---------------------------------------------------------------------------


@computes("A01")
def all_different():
    pairs = len(PATIENTS.frame[["Age", "Sex"]].drop_duplicates())
    return f"{pairs} pairs for {len(PATIENTS)} patients"


@computes("A02")
def ranges_of_age():
    ages = PATIENTS.frame["Age"].groupby(GROUPS.labels).agg(["min", "max"]).to_numpy()
    return "; ".join(f"[{low}-{high}]" for low, high in ages)


@computes("A03")
def four_diverse():
    most = max(ell for ell in range(1, 10) if frequency_diversity(published(2), ell=ell).met)
    same = list(published(2).frame["Disease"]) == list(PATIENTS.frame["Disease"])
    those = "those" if same else "not those"
    return f"the largest l is {most}, and the diseases are {those} of Table 1"


@computes("A04")
def anatomy_of_table_1():
    made, printed = vk.mask.anatomize(PATIENTS, partition=GROUPS, seed=1).release, published(3)
    lines = [
        sorted(map(tuple, part[["Age", "Sex"]].astype(str).to_numpy()))
        for part in (made.quasi, printed.quasi)
    ]
    held = [
        sorted(map(repr, (sorted(c.items()) for c in multisets(p.sensitive, "Group-ID").values())))
        for p in (made, printed)
    ]
    return f"{'both' if lines[0] == lines[1] and held[0] == held[1] else 'not both'} agree"


@computes("A05")
def one_disease():
    names = set(PATIENTS.frame["Disease"]) | set(published(3).sensitive["Disease"])
    spelled = [name for name in names if name.startswith("Gastriti")]
    printed = set(vk.load("lhcc_table1", printed=True).frame["Disease"])
    assert "Gastritic" in printed
    return f"{ {1: 'one disease'}.get(len(spelled), 'two diseases') }"


@computes("A06")
def exact_count():
    found = relative_error(
        PATIENTS, vk.TableRelease.of(PATIENTS.frame.iloc[:, 1:]), [vk.Query.sql(QUERY)]
    )
    return f"{found.true[0]:g}"


@computes("A07")
def from_the_generalized_table():
    return fraction(vk.answer(QUERY, published(2), measured=True).estimate)


@computes("A08")
def range_without_length():
    spans = pd.arrays.IntervalArray.from_tuples([(50, 50)], closed="both")
    schema = vk.Schema((vk.Column("Age"),))
    release = vk.TableRelease.of(pd.DataFrame({"Age": spans}), schema, promise="covers")
    inside, outside = (
        vk.answer(vk.Query.count({"Age": asked}), release).estimate
        for asked in ((40, 70), (51, 70))
    )
    return f"it counts {inside:g} inside the asked range and {outside:g} outside"


@computes("A09")
def from_anatomy():
    return fraction(vk.answer(QUERY, published(3)).estimate)


@computes("A10")
def from_permuted_tables():
    found = vk.answer(QUERY, published(4)).estimate
    return f"{fraction(found)} = {found:.3f}"


@computes("A11")
def table_4_is_possible():
    release = published(4)
    fits = multisets(release.quasi, "Group-ID") == multisets(original("Age", "Sex"), "g")
    fits &= multisets(release.sensitive, "Group-ID") == multisets(original("Disease"), "g")
    return f"{'possible' if fits else 'impossible'}, checked by column and by group"


# -- theorem 1 and lemma 1 -------------------------------------------------------------------------


@computes("A12")
def bobs_disease():
    return fraction(value_chance(PATIENTS, published(3)).own[0])


@cache
def with_bob():
    return [
        way
        for way in alignments([AGES, SEXES, DISEASES])
        if any(row[:2] == (65, "M") for row in way)
    ]


@computes("A13")
def bobs_emphysema():
    counted = Fraction(sum((65, "M", "Emphysema") in w for w in with_bob()), len(with_bob()))
    formula = value_chance(PATIENTS, published(4)).printed[0]
    return f"formula (1) gives {fraction(formula)}; counting all arrangements gives {counted}"


@computes("A14")
def formula_1_adds_up_to():
    return f"in group 1 it adds up to {fraction(5 * printed_chance(1, 5, [5, 2]))}"


@computes("A15")
def with_repetition():
    release = vk.mask.anatomize(
        table({"X": "pqrs"}, "aabb"), partition=vk.Partition.of([0] * 4), seed=1
    ).release
    own = value_chance(table({"X": "pqrs"}, "aabb"), release).own[0]
    # Each of two values, counted twice, over two different ones: without repetition.
    return f"for a,a,b,b: {fraction(own)} with repetition, {fraction(2 / len(set('aabb')))} without"


@computes("A16")
def one_given_row():
    return fraction(presence(PATIENTS, published(4)).lemma[0])


@computes("A17")
def some_record():
    ways = list(alignments([AGES, SEXES]))
    counted = Fraction(sum((65, "M") in way for way in ways), len(ways))
    formula = fraction(presence(PATIENTS, published(4)).exact[0])
    assert str(counted) == formula
    return f"{formula} that some original record was (65, M), by formula and by counting"


# -- reconstruction error --------------------------------------------------------------------------


@computes("A18")
def one_sum():
    """The error of three records with three values, the double sum and the single one."""
    labels = np.zeros(3, int)
    delta = Fraction(1, 3)
    own = (1 - delta) ** 2 + 2 * delta**2
    found = rce(table({"X": "pqr"}, "abc"), vk.Partition.of(labels)).total
    assert not math.isclose(found, float(3 * 3 * own))
    return f"(9) sums {'once' if math.isclose(found, float(3 * own)) else 'twice'}"


@computes("A19")
def errors_of_the_example():
    permuted, anatomized = rce(PATIENTS, GROUPS), rce(PATIENTS, GROUPS, permuted=False)
    return (
        f"{fraction(permuted.total)} = {permuted.total:.2f}; right side of (7) with l = "
        f"{permuted.ell}: {permuted.bound:.3f}; anatomy {anatomized.total:g}, with bound "
        f"{fraction(anatomized.bound)}"
    )


@computes("A20")
def below_the_bound():
    found = rce(table({"X": "pqrs", "Y": "pqrs"}, "aabb"), vk.Partition.of([0] * 4))
    side = "below" if found.total < found.bound else "above"
    return (
        f"{found.ell}-diverse group of 4 different (x,y) with a,a,b,b: error {found.total:g} "
        f"{side} the bound {found.bound:g}"
    )


@computes("A21")
def anatomys_bound():
    """At delta = 1/l the term of a record is 1 + 1/l - 2/l, and the bound adds them up."""
    for ell in range(1, 20):
        one = Fraction(1, ell)
        assert 1 + ell * one**2 - 2 * one == 1 - one
    found = rce(PATIENTS, GROUPS, permuted=False)
    assert math.isclose(found.bound, len(PATIENTS) * (1 - 1 / found.ell))
    return "|T|(1 + 1/l - 2/l) = |T|(1 - 1/l)"


@computes("A22")
def smallest_at_one_over_l():
    ell = rce(PATIENTS, GROUPS).ell
    deltas = [Fraction(at, 1000) for at in range(1, 1001)]
    least = min(deltas, key=lambda delta: 1 - 2 * delta + ell * delta**2)
    permuted, anatomized = (rce(PATIENTS, GROUPS, permuted=p).total for p in (True, False))
    said = "1/l" if least == Fraction(1, ell) else str(least)
    return (
        f"1 - 2 delta + l delta^2 is smallest at delta = {said}, where it is anatomy's 1 - 1/l; "
        f"here {permuted:.2f} against {anatomized:g}"
    )


@computes("A23")
def no_density():
    """Formula (4) adds delta times the counts of a group, which are its rows in all."""
    lemma = presence(PATIENTS, published(4)).lemma[0]
    alike = table({"X": "pppp"}, "abcd")
    permuted = vk.mask.permute_all(alike, partition=vk.Partition.of([0] * 4), seed=1).release
    of_four = 4 * presence(alike, permuted).lemma[0]
    return (
        f"adds up to |QI| delta_t: {fraction(5 * lemma)} for Bob, {of_four:g} in a group of 4 "
        "equal records"
    )


# -- certainty penalty -----------------------------------------------------------------------------


@computes("A25")
def penalty_of_table_2():
    return fraction(ncp(PATIENTS, published(2)).total)


@computes("A26")
def penalty_of_a_category():
    """Read as a distance, two sexes next to each other in an order of two cost 1/2."""
    of_age = float(ncp(PATIENTS, GROUPS).columns["Age"].sum())
    distance = Fraction(1, 2)
    whole = of_age + float(distance * len(PATIENTS))
    printed = Fraction(2, PATIENTS.frame["Sex"].nunique())
    assert set(ncp(PATIENTS, GROUPS).columns["Sex"]) == {float(printed)}
    return (
        f"read so, sex costs {distance} and the table {whole:g}; Example 4 has "
        f"{PATIENTS.frame['Sex'].nunique()}/{PATIENTS.frame['Sex'].nunique()}"
    )


@computes("A27")
def size_of_a_domain():
    low, high = int(PATIENTS.frame["Age"].min()), int(PATIENTS.frame["Age"].max())
    share = ncp(PATIENTS, GROUPS).columns["Age"][0]
    width = high - low
    assert share == 40 / width
    assert width != PATIENTS.frame["Age"].nunique()
    return f"{high} - {low} = {width} in Example 4, its width and not its number of values"


@computes("A28")
def best_groups():
    diseases = list(PATIENTS.frame["Disease"])
    found = []
    for size in (4, 5):
        for part in itertools.combinations(range(1, 9), size - 1):
            labels = np.ones(9, int)
            labels[[0, *part]] = 0
            parts = [[d for d, g in zip(diseases, labels, strict=True) if g == k] for k in (0, 1)]
            if all(max(Counter(p).values()) * 4 <= len(p) for p in parts):
                found.append((ncp(PATIENTS, vk.Partition.of(labels)).total, labels.tolist()))
    total, labels = min(found)
    names = PATIENTS.frame["Name"]
    groups = [[n for n, label in zip(names, labels, strict=True) if label == k] for k in (1, 0)]
    ways = [", ".join(sorted(group, key=list(names).index)) for group in groups]
    small, large = sorted(groups, key=len)
    assert len(ways) == 2
    ordered = _as_listed(small, ("Jane", "Lily", "Andy", "Linda"))
    others = _as_listed(large, ("Bob", "Alex", "Mary", "Lucy", "Sarah"))
    return (
        f"penalty {fraction(total)} = {total:.3f}: {ordered} and {others}; {len(found)} candidates "
        "in two groups"
    )


def _as_listed(group, order):
    """The names of a group in the order of the list, which has none of its own."""
    return ", ".join(sorted(group, key=lambda name: order.index(name) if name in order else 9))


# -- algorithms ------------------------------------------------------------------------------------


@computes("A29")
def refused_though_possible():
    data = table({"X": "pqrs"}, "aabb")
    assert Counter("aabb")["a"] >= 4 / 2, "as line 1 has it, refused"
    groups = anatomy(data, ell=2, seed=1)
    parts = {"".join(sorted(data.frame["S"][groups.labels == g])) for g in np.unique(groups.labels)}
    split = ", ".join("{" + ",".join(part) + "}" for part in [*parts] * (3 - len(parts)))
    return f"a,a,b,b with l = 2 is refused, although {split} is a partition"


@cache
def sizes_of_groups():
    """All sizes of groups that Algorithm 1 makes, beside its number of records and its l."""
    found = []
    for ell in range(1, 12):
        for records in range(ell, 80):
            values = np.sort(np.arange(records) % max(ell, 3))
            if np.bincount(values).max() * ell <= records:
                groups = deal_records(np.zeros(records, int), values, ell, np.random.default_rng(1))
                found.append((records, ell, np.bincount(groups)))
    return found


@computes("A30")
def rounded_down():
    down = all(len(sizes) == n // ell for n, ell, sizes in sizes_of_groups())
    fits = all(ell <= s.min() and s.max() <= 2 * ell - 1 for _, ell, s in sizes_of_groups())
    sizes = "l to 2l-1" if fits else "other"
    return f"rounded {'down' if down else 'up'}, groups have {sizes} records"


@computes("A31")
def never_split():
    whole = all(
        sizes.max() <= math.ceil(n / (n // ell)) <= 2 * ell - 1
        for n, ell, sizes in sizes_of_groups()
    )
    return f"{'never' if whole else 'sometimes'} happens: no group exceeds ceil(|T|/g) <= 2l-1"


@computes("A35")
def diverse_in_random_tables():
    rng, broken = np.random.default_rng(35), 0
    for _ in range(200):
        records, ell = int(rng.integers(1, 80)), int(rng.integers(1, 9))
        values = rng.integers(0, 12, records)
        if np.bincount(values).max() * ell > records:
            continue
        groups = deal_records(np.zeros(records, int), values, ell, rng)
        held = [np.bincount(values[groups == group]) for group in range(groups.max() + 1)]
        broken += any(counts.max() * ell > counts.sum() for counts in held)
    return f"{'in' if not broken else 'not in'} 200 random tables of 1..79 records with l from 1..8"


@computes("A33")
def splits_cost_nothing():
    """Groups of eight, four diseases twice each, split so that no disease repeats too often."""
    cheaper = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        quasi = {"X": rng.integers(0, 9, 8), "Y": list(rng.choice(list("uvw"), 8))}
        data = table(quasi, rng.permutation(list("aabbccdd")), {"X": "numeric"})
        halves = deal_records(np.zeros(8, int), data.codes("S")[0], 4, rng)
        parts = [Counter(data.frame["S"][halves == half]) for half in np.unique(halves)]
        diverse = all(max(part.values()) * 4 <= part.total() for part in parts)
        whole = ncp(data, vk.Partition.of([0] * 8)).total
        cheaper += diverse and ncp(data, vk.Partition.of(halves)).total <= whole
    return (
        f"in {cheaper} random cases every l-diverse group of >= 2l splits into l-diverse parts "
        "without costing more"
    )


@computes("A42")
def which_link_is_cut():
    """Anatomy keeps age and sex of each person together; who has which disease it does not."""
    quasi = published(3).quasi
    whole = set(map(tuple, PATIENTS.frame[["Age", "Sex"]].astype(str).to_numpy()))
    together = set(map(tuple, quasi[["Age", "Sex"]].astype(str).to_numpy())) == whole
    apart = "Disease" not in quasi.columns
    return (
        f"by the paper's own numbers anatomy cuts the {'second' if apart else 'third'} (attributes "
        f"to disease) and {'leaves' if together else 'tears'} the attributes together (third)"
    )


@computes("A43")
def census():
    printed = vk.load("lhcc_table5").frame
    quasi = vk.simulate("census", 50, seed=1).schema.quasi
    return f"{len(printed)} rows, {len(quasi)} of them quasi-identifiers"


@computes("A44")
def width_of_a_condition():
    share = 0.1 ** (4 / 5)
    rng = np.random.default_rng(44)
    frame = pd.DataFrame({name: rng.permutation(20_000) % 1000 for name in ("A", "B", "C", "S")})
    schema = vk.Schema((*(vk.Column(n) for n in "ABC"), vk.Column("S", "sensitive")))
    drawn = workload(
        vk.Microdata(frame, schema), queries=100, conditions=4, exponent="printed", seed=1
    )
    answers = vk.answer(list(drawn.queries), vk.TableRelease.of(frame))
    selected = np.mean([answer.estimate for answer in answers]) / 20_000
    assert math.isclose(selected, share, rel_tol=0.05)
    return f"w such conditions select s^(w/(w+1)), {share:.3f} for s = 0.1 and w = 4"


@computes("A45")
def several_values():
    drawn = workload(PATIENTS, queries=20, conditions=2, selectivity=0.3, seed=1)
    several = all(len(query.where[-1].values) > 1 for query in drawn.queries)
    return f"A_w {'in' if several else '='} b_w"


@computes("A46")
def undefined_error():
    empty = [vk.Query.count({"Age": (0, 5)}), vk.Query.count({"Age": (0, 99)})]
    found = relative_error(PATIENTS, published(4), empty)
    assert (found.true == 0).sum() in (0, 1)
    return f"{'undefined' if found.left_out == 1 else 'defined'} where act = 0"


@near("A32", 0.1)
def random_splits():
    """Two of a, a, b, b at random: how often both are the same; and among how many, exactly."""
    rng = np.random.default_rng(32)
    halves = [rng.permutation(list("aabb"))[:2] for _ in range(3000)]
    splits = list(itertools.combinations("aabb", 2))
    exact = Fraction(sum(one == other for one, other in splits), len(splits))
    same = np.mean([one == other for one, other in halves])
    return [2, same, 3000, exact.numerator, exact.denominator]


IN_WORDS = {
    "A24": "slips of editing",
    "A34": "an order that the paper leaves open; test_a34 holds ours",
    "A36": "why no half may be empty; test_a36_a39 holds it",
    "A37": "what the paper leaves open; test_a37 holds our reading",
    "A38": "a count on data that are not published",
    "A39": "a recurrence that stands on both sides",
    "A40": "how many columns are shuffled; test_a40 counts them",
    "A41": "a slip of editing; test_a41 shows who improves on whom",
    "A47": "a word for another; test_a47 shows that the error goes down",
    "A49": "curves of data that are not published",
    "A50": "the same",
    "A51": "seconds of another computer",
    "A52": "the size of data that are not published",
}
DRAWN = {
    "A48": "errors on data of our own; reproduce/lhcc_figures measures them",
    "A53": "guesses by who learns, on data of our own; notebook 26 measures them",
}
