"""Chapter 4 of [QZ]_: its tables, examples, lemmas and theorems, and every erratum in them."""

import dataclasses
import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from sources import tries

import verikit as vk
from verikit.analyst import average_links, count_linked, count_links, most_links
from verikit.intruder import learned_links, permuted_links, signatures
from verikit.mask import group_nodes
from verikit.models import safe_grouping
from verikit.papers import errata, fact, facts
from verikit.partition import safe_groups

LEFT = vk.Partition.of([0, 0, 1, 0, 1, 1])
RIGHT = vk.Partition.of([0, 1, 1, 0, 1, 0])
PLACES, VENUES = ("US", "EU", "AS"), ("SIGMOD", "VLDB")


@pytest.fixture(scope="module")
def graph():
    links, *entities = (vk.load(f"qz_table4_1{part}") for part in "cab")
    return vk.BipartiteGraph.of(links.frame, *entities)


@pytest.fixture(scope="module")
def release(graph):
    return group_nodes(graph, 3, 3, groups=(LEFT, RIGHT), seed=11).release


def numbered(pairs, left, right):
    """A graph of numbered entities, of two kinds on each side."""
    sides = [
        pd.DataFrame(
            {name: [str(i) for i in range(size)], "kind": [str(i % 2) for i in range(size)]}
        )
        for name, size in (("a", left), ("p", right))
    ]
    links = pd.DataFrame([(str(i), str(j)) for i, j in pairs], columns=["a", "p"])
    return vk.BipartiteGraph.of(links, *sides)


def random_graph(rng):
    """A small random graph with random attributes."""
    left, right = rng.integers(2, 6, 2)
    pairs = np.argwhere(rng.random((left, right)) < rng.uniform(0.15, 0.6))
    sides = [
        pd.DataFrame({n: [str(i) for i in range(s)], "kind": rng.choice(["x", "y", "z"], s)})
        for n, s in (("a", left), ("p", right))
    ]
    for part in sides:
        part.loc[0, "kind"] = "x"
    links = pd.DataFrame([(str(i), str(j)) for i, j in pairs], columns=["a", "p"], dtype=object)
    return vk.BipartiteGraph.of(links, *sides)


def random_release(seed):
    """A small random graph in safe groups; None if there are none."""
    rng = np.random.default_rng(seed)
    graph, (k, ell) = random_graph(rng), rng.integers(1, 4, 2)
    try:
        return group_nodes(graph, k, ell, seed=seed).release
    except vk.InfeasibleError:
        return None


def assignments(release, side):
    """Every way to give the entities of a side to nodes of their groups, by exhaustion."""
    groups = range(len(release.sizes(side)))
    ways = []
    for group in groups:
        entities = np.flatnonzero(release.groups(side) == group)
        nodes = np.flatnonzero(release.nodes(side) == group)
        ways.append([list(zip(entities, p, strict=True)) for p in itertools.permutations(nodes)])
    for way in itertools.product(*ways):
        yield {int(node): int(entity) for part in way for entity, node in part}


def worlds(release):
    """The links by name in every world that fits what was published."""
    for left in assignments(release, "left"):
        for right in list(assignments(release, "right")):
            yield [(left[int(i)], right[int(j)]) for i, j in release.links]


def meant(release, side, column, value):
    return set(np.flatnonzero((release.side(side).frame[column] == value).to_numpy()))


def over_worlds(release, answer):
    """The least, mean and largest answer over all worlds."""
    found = [answer(links) for links in worlds(release)]
    return min(found), Fraction(sum(found), len(found)), max(found)


def papers_of(authors, papers):
    """In a world: how many of the papers have one of the authors."""
    return lambda links: len({j for i, j in links if i in authors and j in papers})


def links_of(authors, papers):
    """In a world: how many links there are between the authors and the papers."""
    return lambda links: sum(i in authors and j in papers for i, j in links)


def most_alone(authors, papers):
    """In a world: the most of these papers that one of the authors wrote alone."""

    def largest(links):
        degrees = Counter(j for _, j in links)
        mine = Counter(i for i, j in links if i in authors and j in papers and degrees[j] == 1)
        return max(mine.values(), default=0)

    return largest


def random_releases(count, start=0):
    found = (random_release(seed) for seed in range(start, start + 20 * count))
    return list(itertools.islice((release for release in found if release is not None), count))


# -- the facts -------------------------------------------------------------------------------------


def test_every_checked_statement_of_the_chapter_is_shipped_with_its_reading():
    of_chapter = [found for found in facts("QZ") if found.id.startswith("BG-")]
    assert Counter(found.verdict for found in of_chapter) == {
        "reproduced": 20, "erratum": 17, "ambiguous": 10, "not-checkable": 1,
    }  # fmt: skip
    assert all(found.reading for found in errata("QZ"))


# -- tables and definitions ------------------------------------------------------------------------


def test_bg_01_the_three_tables_join_to_eleven_rows(graph):
    joined = graph.to_frame().merge(graph.left.frame).merge(graph.right.frame)
    assert len(joined) == int(fact("QZ", "BG-01").printed.split()[0]) == 11
    assert joined.iloc[0].tolist() == ["a1", "p2", "US", "VLDB"]


def test_bg_08_the_printed_grouping_is_strict_and_safe(graph):
    groups = vk.load("qz_example4_2").frame
    for side, word, own in (("left", "author", LEFT), ("right", "paper", RIGHT)):
        printed = vk.Partition.of(groups.loc[groups["side"] == word, "group"].tolist())
        assert printed.labels.tolist() == own.labels.tolist()
        verdict = safe_grouping(graph, side, printed)
        assert (verdict.safe, verdict.strict, verdict.size) == (True, True, 3)


def test_bg_09_the_links_between_the_groups_are_3_2_3_and_3():
    links = pd.DataFrame(vk.load("qz_table4_1c").frame)
    between = Counter(
        (LEFT.labels[int(a[1]) - 1], RIGHT.labels[int(p[1]) - 1]) for a, p in links.to_numpy()
    )
    assert between == {(0, 1): 3, (0, 0): 2, (1, 1): 3, (1, 0): 3}


def test_bg_10_five_tables_are_published_besides_the_entities(release):
    assert len(release.tables()) - 2 == 5


def test_bg_11_a_strict_grouping_may_be_impossible_for_the_number_of_entities():
    five = numbered([(i, i) for i in range(5)], 5, 5)
    with pytest.raises(vk.InfeasibleError, match="5 entities cannot be put into groups of 3 and 4"):
        safe_groups(five, "left", 3, strict=True, seed=1)


def test_bg_12_a_grouping_of_a_complete_block_would_reveal_all_of_it_and_is_unsafe():
    block = numbered(list(itertools.product(range(3), range(3))), 3, 3)
    verdict = safe_grouping(block, "left", vk.Partition.of([0, 0, 0]))
    assert not verdict.safe
    assert verdict.violations == 9  # three pairs, each with three common neighbours


def test_bg_13_and_bg_19_no_link_is_likelier_than_one_over_the_larger_group(release):
    chances = Counter(link for links in worlds(release) for link in links)
    total = sum(1 for _ in worlds(release))
    assert total == 1296
    assert max(chances.values()) / total == pytest.approx(1 / 3)
    assert Fraction(chances[0, 0], total) == Fraction(2, 9)
    assert len(release) / 36 <= 1 / 3


def test_bg_21_and_bg_22_two_groups_without_a_link_leave_no_doubt():
    apart = group_nodes(numbered([(0, 0)], 4, 4), 2, 2, seed=3).release
    chances = Counter(link for links in worlds(apart) for link in links)
    assert len(chances) == 4  # of sixteen pairs, twelve are surely not linked
    alone = group_nodes(numbered([(0, 0)], 1, 1), 1, 1, seed=3).release
    assert all(links == [(0, 0)] for links in worlds(alone))


# -- Algorithm 5 -----------------------------------------------------------------------------------


def printed_algorithm(graph, side, k, passes, *, full=0, keep=0):
    """Algorithm 5 as printed; ``full=1`` or ``keep=1`` put one correction into it."""
    near = graph.neighbours(side)
    lists = [set(near.places[a:b]) for a, b in itertools.pairwise(near.starts)]
    groups, left = [], list(range(len(lists)))
    for cap in range(k, k + passes):
        for place in left:
            for group in groups:
                room = len(group) < cap if full else len(group) <= cap
                if room and not any(lists[place] & lists[other] for other in group):
                    group.append(place)
                    break
            else:
                groups.append([place])
        least = k if keep else cap + 1
        left = [place for group in groups if len(group) < least for place in group]
        groups = [group for group in groups if len(group) >= least]
        if not left:
            return groups
    return None


def test_bg_36_as_printed_groups_grow_by_one_too_many():
    six = numbered([(i, i) for i in range(8)], 8, 8)
    assert [len(g) for g in printed_algorithm(six, "left", 3, 40, keep=1)] == [4, 4]
    found = safe_groups(six, "left", 3, order=range(8), seed=1)
    assert sorted(found.sizes.tolist()) == [4, 4]
    assert found.residue == 2  # two groups of three were full, and two were placed again


def test_bg_37_as_printed_the_search_of_the_example_never_ends(graph):
    for side in ("left", "right"):
        assert printed_algorithm(graph, side, 3, 200, full=1) is None
        assert printed_algorithm(graph, side, 3, 200, full=1, keep=1) is not None
        assert safe_groups(graph, side, 3, seed=1).sizes.tolist() == [3, 3]


def test_bg_37_six_entities_without_a_link_give_two_groups_of_three():
    alone = numbered([], 6, 1)
    assert safe_groups(alone, "left", 3, seed=1).sizes.tolist() == [3, 3]
    assert len(printed_algorithm(alone, "left", 3, 40)) == 1


def test_bg_38_the_complete_graph_of_three_and_three_ends_in_a_sentence():
    block = numbered(list(itertools.product(range(3), range(3))), 3, 3)
    assert printed_algorithm(block, "left", 2, 200, full=1, keep=1) is None
    with pytest.raises(vk.InfeasibleError, match="There are no safe groups of 2"):
        safe_groups(block, "left", 2, seed=1)
    with pytest.raises(vk.InfeasibleError, match="k was given as 4, but the left side has 3"):
        safe_groups(block, "left", 4, seed=1)


def test_bg_40_the_search_gives_the_printed_groups_in_two_given_orders(graph):
    authors = safe_groups(graph, "left", 3, order=range(6), seed=1)
    assert authors.labels.tolist() == LEFT.labels.tolist()
    papers = safe_groups(graph, "right", 3, order=[1, 2, 3, 4, 5, 0], seed=1)
    assert vk.Partition.of(papers.labels).labels.tolist() == RIGHT.labels.tolist()
    plain = safe_groups(graph, "right", 3, order=range(6), seed=1)
    assert plain.labels.tolist() == [0, 0, 0, 1, 1, 1]


# -- answers ---------------------------------------------------------------------------------------

EXAMPLE_7 = {
    ("US", "SIGMOD"): (0, "10/9", 2),
    ("US", "VLDB"): (1, "20/9", 4),
    ("EU", "SIGMOD"): (0, "28/27", 2),
    ("EU", "VLDB"): (0, "56/27", 4),
    ("AS", "SIGMOD"): (0, "4/3", 2),
    ("AS", "VLDB"): (2, "8/3", 4),
}
EXAMPLE_8 = {
    ("US", "SIGMOD"): (0, "0", 0),
    ("US", "VLDB"): (0, "0", 0),
    ("EU", "SIGMOD"): (0, "1/9", 1),
    ("EU", "VLDB"): (0, "2/9", 1),
    ("AS", "SIGMOD"): (0, "2/9", 1),
    ("AS", "VLDB"): (0, "4/9", 1),
}
EXAMPLE_10 = {
    ("US", "SIGMOD"): (0, "2/3", 1),
    ("US", "VLDB"): (0, "8/3", 4),
    ("EU", "SIGMOD"): (0, "8/9", 2),
    ("EU", "VLDB"): (0, "20/9", 4),
    ("AS", "SIGMOD"): (0, "4/3", 2),
    ("AS", "VLDB"): (0, "8/3", 4),
}


def bounds(answer):
    return answer.lower, answer.mean, answer.upper


def expected(values):
    lower, mean, upper = values
    return pytest.approx((lower, float(Fraction(mean)), upper))


@pytest.mark.parametrize(("place", "venue"), EXAMPLE_7)
def test_bg_29_and_bg_31_example_7_for_every_place_and_venue(release, place, venue):
    where = {"left": {"Location": place}, "right": {"Venue": venue}}
    assert bounds(count_linked(release, "right", **where)) == expected(EXAMPLE_7[place, venue])
    authors = meant(release, "left", "Location", place)
    papers = meant(release, "right", "Venue", venue)
    least, mean, most = over_worlds(release, papers_of(authors, papers))
    assert mean == Fraction(EXAMPLE_7[place, venue][1])
    assert bounds(count_linked(release, "right", **where, tight=True)) == expected(
        (least, mean, most)
    )


def test_bg_29_the_printed_expectation_of_eu_and_sigmod_is_94_81_and_the_exact_one_28_27():
    sizes, authors = 3, {0: 1, 1: 1}  # EU authors in each group of authors
    venues = {0: 1, 1: 1}  # SIGMOD papers in each group of papers
    links = {(0, 1): 3, (0, 0): 2, (1, 1): 3, (1, 0): 3}
    printed = Fraction(0)
    for j, b in venues.items():
        nobody = Fraction(1)
        for i, a in authors.items():
            nobody *= 1 - Fraction(a * b * links[i, j], sizes * sizes * sizes)
        printed += sizes * (1 - nobody)
    assert printed == Fraction(94, 81)
    assert printed != Fraction(EXAMPLE_7["EU", "SIGMOD"][1])


@pytest.mark.parametrize(("place", "venue"), EXAMPLE_8)
def test_example_8_for_every_place_and_venue(release, place, venue):
    where = {"left": {"Location": place}, "right": {"Venue": venue}, "degree": 1}
    answer = most_links(release, "left", **where)
    lower, mean, upper = EXAMPLE_8[place, venue]
    assert (answer.lower, answer.upper) == (lower, upper)
    assert answer.estimate == pytest.approx(float(Fraction(mean)))  # here the two are the same
    assert bounds(most_links(release, "left", **where, tight=True)) == expected(
        (lower, mean, upper)
    )


@pytest.mark.parametrize(("place", "venue"), EXAMPLE_10)
def test_bg_43_example_10_for_every_place_and_venue(graph, place, venue):
    alone = vk.Partition.of(range(6))
    known = group_nodes(graph, 3, 1, groups=(LEFT, alone), seed=2).release
    where = {"left": {"Location": place}, "right": {"Venue": venue}}
    assert bounds(count_linked(known, "right", **where)) == expected(EXAMPLE_10[place, venue])
    authors, papers = (meant(known, *part) for part in (
        ("left", "Location", place), ("right", "Venue", venue)
    ))  # fmt: skip
    exact = count_linked(known, "right", **where, tight=True)
    assert bounds(exact) == expected(over_worlds(known, papers_of(authors, papers)))


def test_bg_41_the_joint_paper_of_two_authors_is_one_of_three(graph):
    alone = vk.Partition.of(range(6))
    known = group_nodes(graph, 1, 3, groups=(alone, RIGHT), seed=2).release
    total = 0
    joint = Counter()
    for links in worlds(known):
        total += 1
        joint.update({j for i, j in links if i == 0} & {j for i, j in links if i == 2})
    assert {known.names("right")[j] for j in joint} == {"p2", "p3", "p5"}
    assert {Fraction(n, total) for n in joint.values()} == {Fraction(1, 3)}


def test_bg_52_and_bg_53_averages_of_types_0_and_1(release):
    assert average_links(release, "left").estimate == pytest.approx(11 / 6)
    assert average_links(release, "left", degree=1).estimate == pytest.approx(1 / 6)
    answer = average_links(release, "left", where={"Location": "US"})
    assert bounds(answer) == pytest.approx((3 / 2, 10 / 6, 4 / 2))


def test_a_question_in_sql_is_answered_from_the_table_of_the_left_entities(release):
    answer = vk.answer("select count(*) from authors where Location = 'US'", release)
    assert (answer.lower, answer.estimate, answer.upper) == (2, 2, 2)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda r: count_linked(r, "top"), "A side of a graph was given as 'top'"),
        (lambda r: count_linked(r, "left", left={"Location": "UK"}), "No 'Location' is 'UK'"),
        (lambda r: count_linked(r, "left", left={"Place": "US"}), "There is no column 'Place'"),
        (lambda r: count_linked(r, "left", right="VLDB"), "The condition 'VLDB' is not understood"),
        (lambda r: most_links(r, "left", degree=-1), "degree was given as -1"),
        (lambda r: count_links(vk.load("qz_table4_1a")), "was put to Microdata"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused_in_a_sentence(release, ask, said):
    with pytest.raises(vk.VerikitError, match=said):
        ask(release)


def test_bounds_by_pairs_of_groups_are_refused_where_groups_are_not_safe():
    """Example 5: a complete block in one group on each side; only trying all choices is right."""
    block = numbered(list(itertools.product(range(3), range(3))), 3, 3)
    made = group_nodes(numbered([(0, 0)], 3, 3), 3, 3, seed=1).release
    unsafe = dataclasses.replace(made, links=block.edges)
    with pytest.raises(vk.SchemaError, match="not safe, so bounds by pairs of groups do not hold"):
        count_links(unsafe, left={"kind": "1"})
    answer = count_links(unsafe, left={"kind": "1"}, right={"kind": "1"}, tight=True)
    assert bounds(answer) == (1, 1, 1)


def test_bg_27_two_authors_who_share_a_paper_are_not_counted_twice():
    """Summed over the groups of authors, as printed, the bound of one paper would be two."""
    shared = group_nodes(numbered([(0, 0), (1, 0)], 2, 1), 1, 1, seed=1).release
    answer = count_linked(shared, "right")
    assert (answer.lower, answer.upper) == (1, 1)


def test_bg_32_a_link_is_certain_only_if_all_of_a_group_are_meant():
    """A group of two papers, one of them meant: fewer than two, yet nothing is certain."""
    found = group_nodes(numbered([(0, 0)], 1, 2), 1, 2, seed=1).release
    answer = most_links(found, "left", right={"kind": "0"})
    assert (answer.lower, answer.upper) == (0, 1)
    assert most_links(found, "left").lower == 1


def test_bg_33_the_maximum_over_candidates_is_no_lower_bound():
    """Of two authors in a group one is meant: the one with a paper, or the one without."""
    found = group_nodes(numbered([(0, 0)], 2, 1), 2, 1, seed=1).release
    answer = most_links(found, "left", left={"kind": "0"})
    assert (answer.lower, answer.upper) == (0, 1)


def test_bg_28_and_bg_30_bounds_and_expectations_hold_against_all_worlds_of_random_graphs():
    """Types 1 and 2, and links, on several hundred releases; the mean is exact in each."""
    tight = 0
    for release in random_releases(tries(300)):
        for first, second in (("x", "x"), ("x", "y")):
            authors = meant(release, "left", "kind", "x")
            papers = meant(release, "right", "kind", second)
            if not papers:
                continue
            where = {"left": {"kind": first}, "right": {"kind": second}}
            least, mean, most = over_worlds(release, papers_of(authors, papers))
            answer = count_linked(release, "right", **where)
            assert answer.lower <= least <= most <= answer.upper
            assert answer.mean == pytest.approx(float(mean))
            exact = count_linked(release, "right", **where, tight=True)
            assert bounds(exact) == pytest.approx((least, float(mean), most))
            tight += (answer.lower, answer.upper) == (least, most)
            between = over_worlds(release, links_of(authors, papers))
            answer = count_links(release, **where)
            assert answer.lower <= between[0] <= between[2] <= answer.upper
            assert answer.mean == pytest.approx(float(between[1]))
            assert bounds(count_links(release, **where, tight=True)) == pytest.approx(between)
    assert tight > 100


def test_bg_34_and_bg_35_the_bounds_of_the_largest_number_hold_in_all_worlds():
    below = 0
    for release in random_releases(tries(300), start=50_000):
        authors = meant(release, "left", "kind", "x")
        papers = meant(release, "right", "kind", "x")
        where = {"left": {"kind": "x"}, "right": {"kind": "x"}, "degree": 1}
        least, mean, most = over_worlds(release, most_alone(authors, papers))
        answer = most_links(release, "left", **where)
        assert answer.lower <= least
        assert answer.upper == most
        assert answer.estimate <= mean + 1e-12
        exact = most_links(release, "left", **where, tight=True)
        assert bounds(exact) == pytest.approx((least, float(mean), most))
        below += answer.estimate < mean - Fraction(1, 10**9)
    assert below > 10


def test_the_averages_of_random_graphs_are_bounded_tightly():
    for release in random_releases(tries(150), start=90_000):
        authors = meant(release, "left", "kind", "x")
        found = over_worlds(release, links_of(authors, range(10)))
        answer = average_links(release, "left", where={"kind": "x"})
        assert np.array(bounds(answer)) * len(authors) == pytest.approx([float(x) for x in found])


def test_in_the_fully_censored_graph_all_links_are_as_likely_against_all_worlds():
    """One group a side, most of them unsafe: what concerns everybody is exact, the rest tight."""
    rng = np.random.default_rng(5)
    unsafe = 0
    for seed in range(tries(40)):
        graph = random_graph(rng)
        sizes = len(graph.left), len(graph.right)
        if max(sizes) > 4 or not len(graph):
            continue
        release = group_nodes(graph, *sizes, groups="one", seed=seed).release
        unsafe += not (release.safe("left") and release.safe("right"))
        chances = posterior(release, [])
        likely = Fraction(len(graph), sizes[0] * sizes[1])
        assert (len(chances), set(chances.values())) == (sizes[0] * sizes[1], {likely})
        ell = int(1 / likely)
        met = [vk.check({"a": "0"}, release, ell=asked).met for asked in (ell, ell + 1)]
        assert met == [True, False]
        authors, papers = (meant(release, side, "kind", "x") for side in ("left", "right"))
        where = {"left": {"kind": "x"}, "right": {"kind": "x"}, "tight": True}
        for found, answer in (
            (count_linked(release, "right", **where), papers_of(authors, papers)),
            (count_links(release, **where), links_of(authors, papers)),
            (most_links(release, "left", degree=1, **where), most_alone(authors, papers)),
        ):
            assert bounds(found) == expected(over_worlds(release, answer))
        degrees = graph.degrees("left")
        assert bounds(average_links(release, "left")) == expected([degrees.mean()] * 3)
        most = most_links(release, "left", tight=True)
        assert bounds(most) == expected([degrees.max()] * 3)
    assert unsafe


# -- what known links give away --------------------------------------------------------------------


def posterior(release, known):
    """By exhaustion: how likely each pair of names is linked where some links are known."""
    fits = [set(links) for links in worlds(release) if set(known) <= set(links)]
    counts = Counter(link for links in fits for link in links)
    return {pair: Fraction(n, len(fits)) for pair, n in counts.items()}


def named(release, pairs):
    return [(release.names("left")[i], release.names("right")[j]) for i, j in pairs]


def true_links(graph):
    return list(graph.to_frame().itertuples(index=False, name=None))


def test_bg_23_example_6_two_learned_links_reveal_a_third():
    links = pd.DataFrame([("t", "v"), ("u", "v"), ("u", "w")], columns=["V", "W"])
    sides = [["t", "t2", "t3", "u", "u2", "u3"], ["v", "v2", "v3", "w", "w2", "w3"]]
    tables = [pd.DataFrame({name: part}) for name, part in zip("VW", sides, strict=True)]
    halves = vk.Partition.of([0, 0, 0, 1, 1, 1])
    graph = vk.BipartiteGraph.of(links, *tables)
    release = group_nodes(graph, 3, 3, groups=(halves, halves), seed=7).release
    for known, chance in (([], 1 / 9), ([("t", "v")], 1 / 3), ([("t", "v"), ("u", "w")], 1)):
        assert learned_links(release, known).chance("u", "v") == pytest.approx(chance)
    found = learned_links(release, [("t", "v"), ("u", "w")])
    assert found.certain.to_numpy().tolist() == [["u", "v"]]
    assert found.identified == {"left": ("t", "u"), "right": ("v", "w")}


def test_bg_24_theorem_7_and_every_chance_against_all_worlds_of_random_graphs():
    rng = np.random.default_rng(3)
    for release in random_releases(tries(120), start=130_000):
        links = next(worlds(release))
        size = min(len(links), int(rng.integers(0, 4)))
        known = [links[at] for at in rng.permutation(len(links))[:size]]
        expected_chances = posterior(release, known)
        found = learned_links(release, named(release, known))
        left = {i for i, _ in known}
        right = {j for _, j in known}
        sure, others = set(), [Fraction(0)]
        for i, j in itertools.product(range(len(release.left)), range(len(release.right))):
            (pair,) = named(release, [(i, j)])
            chance = expected_chances.get((i, j), Fraction(0))
            assert found.chance(*pair) == pytest.approx(float(chance))
            if chance == 1 and (i, j) not in known:
                sure.add(pair)
            if i not in left and j not in right:
                assert chance <= Fraction(found.bound).limit_denominator(100)
                others.append(chance)
        assert found.largest == pytest.approx(float(max(others)))
        assert set(found.certain.itertuples(index=False, name=None)) == sure


def test_where_no_two_others_can_be_linked_no_chance_is_told_for_them():
    """One link between two groups of two: whoever has learned it knows that there is no other."""
    tables = [pd.DataFrame({name: [f"{name}0", f"{name}1"]}) for name in "ap"]
    graph = vk.BipartiteGraph.of(pd.DataFrame({"a": ["a0"], "p": ["p0"]}), *tables)
    one = vk.Partition.of([0, 0])
    release = group_nodes(graph, 2, 2, groups=(one, one), seed=1).release
    found = learned_links(release, [("a0", "p0")])
    assert (found.bound, found.largest, found.chance("a1", "p1")) == (1.0, 0.0, 0.0)
    assert "No two names of which nothing was learned can be linked." in found.why
    assert repr(found).endswith("follow for certain; no two others can be linked")
    before = learned_links(release, [])
    assert (before.bound, before.largest) == (0.5, 0.25)
    assert before.means == (
        "Two names of which nothing was learned look linked in 25 of 100 cases at most, if within "
        "a group each node is equally likely for every name."
    )


def count_removed(groups, size):
    """Definition 4.4.4 as printed: the fewest whose removal leaves groups of so many only."""
    everybody = sorted(set().union(*groups))
    return next(
        number
        for number in range(len(everybody) + 1)
        for gone in itertools.combinations(everybody, number)
        if all(not group - {*gone} or len(group - {*gone}) >= size for group in groups)
    )


def test_definition_4_4_4_holds_for_groups_and_for_learned_links_against_all_worlds():
    rng = np.random.default_rng(4)
    outside = 0
    for release in random_releases(tries(120), start=170_000):
        links = next(worlds(release))
        learned = [links[at] for at in rng.permutation(len(links))[: int(rng.integers(0, 3))]]
        k, ell, p, q = learned_links(release, named(release, learned)).grouping
        names = [{pair[at] for pair in learned} for at in (0, 1)]
        sides = zip(("left", "right"), names, (k, ell), (p, q), strict=True)
        for side, apart, size, removed in sides:
            labels = release.groups(side)
            groups = [set(np.flatnonzero(labels == g).tolist()) for g in set(labels.tolist())]
            wanted = int(rng.integers(1, 5))
            assert release.count_outside(side, wanted) == count_removed(groups, wanted)
            refined = [group - apart for group in groups if group - apart]
            assert removed == count_removed([*refined, *({name} for name in apart)], size)
            assert not refined or size == min(map(len, refined))
        for (i, j), chance in posterior(release, learned).items():
            if i in names[0] and j in names[1]:
                continue  # between two groups of one everything may follow
            most = ell if i in names[0] else k if j in names[1] else max(k, ell)
            assert chance <= Fraction(1, most)
            outside += chance == Fraction(1, most) and (i in names[0] or j in names[1])
    assert outside, "the bound for names that were learned is reached"


def test_bg_25_k_minus_1_learned_links_can_make_another_certain_and_k_minus_2_cannot(
    graph, release
):
    links = true_links(graph)
    assert not any(len(learned_links(release, [link]).certain) for link in links)
    revealing = [
        pair for pair in itertools.combinations(links, 2)
        if len(learned_links(release, list(pair)).certain)
    ]  # fmt: skip
    assert (len(revealing), len(list(itertools.combinations(links, 2)))) == (9, 55)
    found = learned_links(release, [("a1", "p2"), ("a2", "p3")])
    assert ["a4", "p5"] in found.certain.to_numpy().tolist()


def test_bg_42_with_named_papers_the_last_author_of_a_group_is_placed_too(graph):
    alone = vk.Partition.of(range(6))
    release = group_nodes(graph, 3, 1, groups=(LEFT, alone), seed=7).release
    found = learned_links(release, [("a1", "p2"), ("a2", "p3")])
    assert set(found.certain.itertuples(index=False, name=None)) == {
        ("a1", "p6"), ("a2", "p4"), ("a4", "p5"),
    }  # fmt: skip


def test_links_that_cannot_all_be_true_are_refused(release):
    with pytest.raises(vk.RecordError, match="No way to place the names fits all known links"):
        learned_links(release, [(a, p) for a in ("a1", "a2") for p in ("p2", "p3", "p4")])
    with pytest.raises(vk.RecordError, match="There is no Author 'bob'"):
        learned_links(release, [("bob", "p1")])


def test_bg_46_and_bg_47_signatures_tell_four_nodes_of_the_example_apart(graph):
    found = signatures(graph)
    by_step = [
        sorted([*np.bincount(left), *np.bincount(right)])
        for left, right in zip(found.left, found.right, strict=True)
    ]
    assert by_step == [[6, 6], [1, 1, 5, 5], [1, 1, 1, 1, 4, 4]]
    assert graph.names("left")[found.unique("left")].tolist() == ["a4", "a5"]
    assert graph.names("right")[found.unique("right")].tolist() == ["p1", "p5"]


def test_bg_46_as_a_set_signatures_tell_nothing_apart(graph):
    near = [graph.neighbours(side) for side in ("left", "right")]
    codes = [dict.fromkeys(range(6), 0), dict.fromkeys(range(6), 0)]
    for _ in range(4):
        codes = [
            {i: hash(frozenset({codes[at][i], *(codes[1 - at][int(j)] for j in
             part.places[part.starts[i]:part.starts[i + 1]])})) for i in range(6)}
            for at, part in enumerate(near)
        ]  # fmt: skip
    assert [len(set(part.values())) for part in codes] == [1, 1]


def test_bg_48_three_links_of_the_example_are_certain_where_two_groupings_are_published(graph):
    """Every way to lay the graph onto itself keeps them; there are eight."""
    links = {(int(i), int(j)) for i, j in graph.edges}
    kept, total = Counter(), 0
    for left in itertools.permutations(range(6)):
        rows = {i: {j for a, j in links if a == i} for i in range(6)}
        if any(len(rows[i]) != len(rows[left[i]]) for i in range(6)):
            continue
        for right in itertools.permutations(range(6)):
            if {(left[i], right[j]) for i, j in links} == links:
                total += 1
                kept.update((i, j) for i, j in links if (left[i], j) in links)
    assert total == 8
    sure = {f"a{i + 1} p{j + 1}" for (i, j), n in kept.items() if n == total}
    assert sure == {"a4 p5", "a5 p1", "a5 p5"}


def test_bg_49_one_pair_apart_from_all_others_is_recognised_and_two_pairs_are_not():
    one = signatures(numbered([(0, 0), (1, 1), (1, 2)], 2, 3))
    assert 0 in one.unique("left")
    two = signatures(numbered([(0, 0), (1, 1)], 2, 2))
    assert len(two.unique("left")) == 0


# -- permutation of links --------------------------------------------------------------------------


def test_bg_05_and_bg_07_permuted_within_the_printed_groups_17_thirds_of_11_links_stay_true(graph):
    first = vk.Partition.of([0 if i < 2 else 1 if i < 4 else 2 for i in graph.edges[:, 0]])
    assert first.sizes.tolist() == [4, 3, 4]
    found = [permuted_links(graph, groups=first, seed=seed) for seed in range(tries(3000))]
    assert {part.together for part in found} == {5}
    assert np.mean([part.kept for part in found]) == pytest.approx(17 / 3, abs=0.15)
    assert np.mean([part.together_kept for part in found]) == pytest.approx(7 / 3, abs=0.15)


def test_bg_05_permuted_links_are_published_as_a_table_of_links_joined_by_groups(graph):
    """The multisets printed in 4.3.3; a name's link counts over her rows, not in one of them."""
    columns = vk.Column("Author", "quasi", "nominal"), vk.Column("Paper", "sensitive", "nominal")
    table = vk.Microdata(graph.to_frame(), vk.Schema(columns))
    links = true_links(graph)
    groups = vk.Partition.of([(int(author[1]) - 1) // 2 for author, _ in links])
    release, _ = vk.mask.anatomize(table, partition=groups, seed=3)
    shown = [
        frame.groupby(vk.release.GROUP)[name].agg(lambda part: sorted(map(str, part))).tolist()
        for name, frame in (("Author", release.quasi), ("Paper", release.sensitive))
    ]
    printed = {
        ("a1 a1 a2 a2", "p2 p3 p4 p6"), ("a3 a3 a4", "p2 p4 p5"), ("a5 a5 a6 a6", "p1 p3 p5 p6"),
    }  # fmt: skip
    assert {(" ".join(a), " ".join(p)) for a, p in zip(*shown, strict=True)} == printed
    ways, chances = 1, Counter()
    for left, right in printed:
        authors, papers = left.split(), itertools.permutations(right.split())
        dealt = [set(zip(authors, way, strict=True)) for way in papers]
        ways *= len(dealt)
        for pair in (pair for links in dealt for pair in links):
            chances[pair] += Fraction(1, len(dealt))
    assert ways == len(vk.worlds(release)) == 3456
    assert sum(chances[link] for link in links) == Fraction(17, 3)
    for author, paper in itertools.product(graph.names("left"), graph.names("right")):
        asked = vk.Query.count({"Author": author, "Paper": paper})
        assert vk.answer(asked, release).mean == pytest.approx(float(chances[author, paper]))


def test_bg_06_permuted_links_keep_everybodys_number_of_links_and_are_never_dropped(graph):
    repeated = 0
    for seed in range(tries(2000)):
        found = permuted_links(graph, seed=seed)
        assert len(found.links) == 11
        for name in ("Author", "Paper"):
            assert sorted(found.links[name]) == sorted(graph.to_frame()[name])
        assert found.repeated == int(found.links.duplicated().sum())
        repeated += found.repeated > 0
    assert repeated / tries(2000) == pytest.approx(7339 / 20000, abs=0.05)


def test_the_pairs_with_a_common_neighbour_are_counted_as_by_exhaustion():
    for seed in range(60):
        rng = np.random.default_rng(seed)
        pairs = np.argwhere(rng.random((7, 5)) < 0.4).tolist()
        near = {i: {j for a, j in pairs if a == i} for i in range(7)}
        together = sum(bool(near[i] & near[j]) for i, j in itertools.combinations(range(7), 2))
        assert permuted_links(numbered(pairs, 7, 5), seed=seed).together == together


def test_what_the_chapter_finds_comes_back_as_values_that_cannot_be_changed(graph, release):
    groups = safe_groups(graph, "left", 2, seed=1)
    found = {
        vk.models.GroupingVerdict: safe_grouping(graph, "left", groups),
        vk.intruder.LearnedLinks: learned_links(release, []),
        vk.intruder.Signatures: signatures(graph),
        vk.intruder.PermutedLinks: permuted_links(graph, seed=1),
    }
    for kind, value in found.items():
        assert isinstance(value, kind)
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(value, dataclasses.fields(value)[0].name, None)
