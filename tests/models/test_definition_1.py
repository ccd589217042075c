"""[DM] Definition 1 whole: places, criterion and requirement by attribute, and any mapping f.

The brute force reads the definition's text: it sorts with every breaking of ties, counts ranks, and
measures the set of values around the closest one by the definition of each criterion.
"""

import itertools
import math
import statistics
from collections import Counter
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.errors import RecordError
from verikit.models import permuted_privacy

NAMES = ["X1", "X2", "X3"]


def recursive(values, c):
    """The largest ell with r1 < c (r_ell + ... + r_m); the counts fall from r1 to r_m."""
    r = sorted(Counter(values).values(), reverse=True)
    return max((ell for ell in range(1, len(r) + 1) if r[0] < c * sum(r[ell - 1 :])), default=0)


def unlikeness(values, column):
    """The earth mover's distance over equally spaced distinct values, by cumulative shares."""
    domain = sorted(set(column))
    moved = sum(
        abs(
            Fraction(sum(v <= at for v in values), len(values))
            - Fraction(sum(v <= at for v in column), len(column))
        )
        for at in domain
    )
    return moved / (len(domain) - 1) if len(domain) > 1 else Fraction(0)


def entropy(values):
    shares = [n / len(values) for n in Counter(values).values()]
    return -math.fsum(p * math.log(p) for p in shares)


def meets(name, values, column, least):
    """Whether the diversity of a set of values is what is asked, by the text of the criterion."""
    if name == "variance":
        return statistics.pvariance([Fraction(v) for v in values]) > Fraction(least)
    if name == "distinct":
        return len(set(values)) >= least
    if name == "entropy":
        return entropy(values) >= least - 1e-12
    if name == "recursive":
        return recursive(values, Fraction(3, 2)) >= least
    return unlikeness(values, column) <= Fraction(least)


def orders(column):
    """All sorted orders of the records, one for each breaking of ties."""
    blocks = [[i for i, v in enumerate(column) if v == at] for at in sorted(set(column))]
    for parts in itertools.product(*map(itertools.permutations, blocks)):
        yield [i for part in parts for i in part]


def conditions(own, column, taken, distance, name, least):
    """Both conditions on one attribute, for the least favourable breaking of ties."""
    far = diverse = True
    closest = min(abs(v - own) for v in column)
    for order in orders(column):
        rank = {record: place for place, record in enumerate(order, 1)}
        for star in (i for i, v in enumerate(column) if abs(v - own) == closest):
            far &= abs(rank[taken] - rank[star]) >= distance
            window = [column[i] for i in order if abs(rank[i] - rank[star]) <= distance]
            diverse &= least is None or meets(name, window, column, least)
    return far, diverse


def draw_case(rng):
    n, m = int(rng.integers(2, 6)), int(rng.integers(1, 4))
    data, masked = rng.integers(0, 6, (2, n, m)).tolist()
    asked = {
        "variance": (0, 0.5, 2),
        "distinct": (1, 2, 3),
        "entropy": (0, math.log(2), math.log(3)),
        "recursive": (1, 2, 3),
        "t-closeness": (0.1, 0.25, 0.5),
    }
    criteria = {name: str(rng.choice([*asked])) for name in NAMES[:m]}
    diversity = {x: float(rng.choice(asked[c])) for x, c in criteria.items() if rng.random() < 0.5}
    distance = {x: int(rng.integers(0, 3)) for x in criteria}
    return data, masked, criteria, diversity, distance, rng.integers(0, n, n).tolist()


def test_any_distance_diversity_criterion_and_mapping_is_judged_as_the_definition_says():
    rng, alike = np.random.default_rng(1), Counter()
    for _ in range(200):
        data, masked, criteria, diversity, distance, match = draw_case(rng)
        expected = []
        for own, taken in zip(data, match, strict=True):
            each = [
                conditions(
                    own[j], [row[j] for row in masked], taken, distance[x], c, diversity.get(x)
                )
                for j, (x, c) in enumerate(criteria.items())
            ]
            expected.append(all(far and diverse for far, diverse in each))
        tables = [vk.Microdata(pd.DataFrame(t, columns=[*criteria])) for t in (data, masked)]
        asked = {"distance": distance, "diversity": diversity}
        asked["criterion"] = {
            x: vk.Criterion(c, c=1.5 if c == "recursive" else None) for x, c in criteria.items()
        }
        found = permuted_privacy(*tables, **asked, match=match)
        assert found.per_record.tolist() == expected
        release = vk.TableRelease.of(tables[1].frame)
        for at, row in enumerate(match):  # each subject, who takes that row for hers
            report = vk.check(tables[0].record(at), release, match=row + 1, chance=False, **asked)
            assert report.met in (None, expected[at])
            alike[report.met] += 1
        if sorted(match) == list(range(len(match))):  # the protector, who has such a key
            audited = vk.audit(tables[0], release, vk.Key.of(match), **asked, subject_view=False)
            assert (~audited.failed.any(axis=1)).tolist() == expected
            alike["audited"] += 1
    assert min(alike[True], alike[False]) > 30
    assert alike["audited"] > 10


def test_the_paper_s_record_3_has_both_distances_and_the_diversity_in_print():
    """Table 3: (4, 1, 4) as she finds it, (5, 1, 9) as the protector knows; section 4."""
    data, masked = vk.load("dm_table1"), vk.load("dm_table1_masked")
    record, release = data.record(2), vk.published("dm_table1_masked")
    assert vk.check(record, release).attributes["distance"].tolist() == [4, 1, 4]
    assert vk.check(record, release, match=10).attributes["distance"].tolist() == [4, 1, 4]
    report = vk.check(record, release, match=3)
    assert report.attributes["distance"].tolist() == [5, 1, 9]
    assert "row 3, lies 5 places in X1, 1 place in X2 and 9 places in X3" in report.sentence("S15")
    # five others: their worst rank deviations in Table 3 are at most 9
    rows = masked.frame.rank()
    worst = (rows - [8, 2, 16]).abs().max(axis=1)
    assert report.facts["named"]["nearer"] == (worst <= 9).sum() - 1
    asked = {"distance": {"X1": 4, "X2": 1, "X3": 4}}
    asked["diversity"] = {"X1": 24.69, "X2": 3, "X3": 20167}
    mixed = {"criterion": {"X2": "distinct"}}
    assert vk.check(record, release, **asked, **mixed).met is True
    assert vk.check(record, release, **asked, **mixed, match=3).met is True
    unmet = vk.check(record, release, **asked | {"diversity": {"X1": 24.71, "X2": 4}}, **mixed)
    assert "the diversity of X1 (± 4.97, more than ± 4.97 required)" in str(unmet)
    assert "the diversity of X2 (3 different values, at least 4 required)" in str(unmet)


def test_what_cannot_be_a_mapping_or_a_criterion_is_refused_in_one_sentence():
    data, masked = vk.load("dm_table1"), vk.load("dm_table1_masked")
    release, record = vk.published("dm_table1_masked"), data.record(2)
    for match, said in (([0, 1], "the row of each of the 20 records"), ([20] * 20, "the row 20")):
        with pytest.raises(RecordError, match=said):
            permuted_privacy(data, masked, distance=1, match=match)
    with pytest.raises(RecordError, match="The match was given as row 21, but the release has 20"):
        vk.check(record, release, match=21)
    with pytest.raises(RecordError, match="criterion names 'X9', which is not among"):
        vk.check(record, release, criterion={"X9": "distinct"}, diversity=1)
    with pytest.raises(RecordError, match="give c above 0"):
        vk.check(record, release, criterion="recursive", diversity=2)
    with pytest.raises(RecordError, match="set for match, but this is a generalized table"):
        vk.check({"Zip": "19552"}, vk.published("ks_table4"), match=1)
