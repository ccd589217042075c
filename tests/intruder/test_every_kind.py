"""Plausibility, membership and inference go by attributes of every kind."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from counted import TREE, draw_table, find_distance

import verikit as vk
from verikit.intruder import attribute_inference, membership

KINDS = ("ranks", "tree", "equal")
NAMES = ("x", "job", "town")
TURNED = vk.Hierarchy.of({"all": {"law": ["clerk", "judge"], "care": ["aide", "doctor", "nurse"]}})


def schema_of(tree=TREE):
    job = vk.Column("job", kind="nominal", hierarchy=tree)
    return vk.Schema((vk.Column("x"), job, vk.Column("town", kind="nominal")))


def draw(seed, n, schema=None):
    table = draw_table(seed, KINDS, n)
    return table, vk.Microdata(
        pd.DataFrame(dict(zip(NAMES, table, strict=True))), schema or schema_of()
    )


@pytest.mark.parametrize("seed", range(8))
def test_all_made_up_records_and_the_records_themselves_are_as_near_as_counting_says(seed):
    """Both tables hold the same columns, each in an order of its own, so that ranks agree."""
    n = 7
    table, data = draw(seed, n)
    rng = np.random.default_rng(seed)
    shown = [[column[i] for i in rng.permutation(n)] for column in table]
    release = vk.TableRelease.of(pd.DataFrame(dict(zip(NAMES, shown, strict=True))), schema_of())
    found = vk.plausibility(data, release)
    wanted = [find_distance(own, shown, KINDS) for own in zip(*table, strict=True)]
    assert found.observed.tolist() == wanted
    made = np.array([find_distance(own, shown, KINDS) for own in product(*table)])
    share = [np.mean(made <= t) for t in found.points]
    assert found.share_others == pytest.approx(share)
    assert found.p == pytest.approx([np.mean(made <= d) for d in wanted])
    assert np.isnan(found.success)
    drawn = vk.plausibility(data, release, null="monte_carlo", draws=4000)
    at = np.searchsorted(drawn.points, found.points, "right") - 1
    assert np.abs(drawn.share_others[at] - share).max() < 0.05


@pytest.mark.parametrize("seed", range(6))
def test_people_are_told_by_their_places_and_guessed_from_the_closest_rows(seed):
    table, data = draw(seed, 9)
    others, control = draw(seed + 50, 8)
    release = vk.TableRelease.of(data.frame.iloc[::-1], schema_of())
    inside, outside = (
        [find_distance(own, table, KINDS) for own in zip(*part, strict=True)]
        for part in (table, others)
    )
    limit = sorted(inside + outside)[len(inside) - 1]
    found = membership(data, release, control=control)
    assert found.found == np.mean(np.array(inside) <= limit)
    assert found.control == np.mean(np.array(outside) <= limit)
    guessed = attribute_inference(data, release, secret="x", control=control, tolerance=0)
    alike = pd.DataFrame({"job": table[1], "town": table[2], "x": table[0]})
    right = alike.groupby(["job", "town"]).x.transform(lambda x: [(x == v).mean() for v in x])
    assert guessed.found == pytest.approx(right.mean())


def make_tables(turn=False, tree=TREE, rename=False, unit=1.0):
    rng, n = np.random.default_rng(4), 60
    jobs = rng.choice(["nurse", "doctor", "judge"], (3, n))
    towns = rng.choice(["a", "b", "c"], (3, n))
    x = rng.normal(size=(3, n)) * unit
    if rename:
        towns = np.vectorize({"a": "z", "b": "a", "c": "m"}.get)(towns)
    x[1] = x[0] + rng.normal(size=n) * unit / 5
    jobs[1], towns[1] = jobs[0], towns[0]
    schema = schema_of(tree)
    names = ["town", "job", "x"] if turn else list(NAMES)
    schema = vk.Schema(tuple(schema[name] for name in names))
    frames = [pd.DataFrame({"x": x[k], "job": jobs[k], "town": towns[k]})[names] for k in range(3)]
    data, control = vk.Microdata(frames[0], schema), vk.Microdata(frames[2], schema)
    return data, vk.TableRelease.of(frames[1], schema), control


def test_no_way_of_writing_the_same_tables_changes_what_is_found():
    def told(**change):
        data, release, control = make_tables(**change)
        found = [vk.plausibility(data, release, null=null) for null in ("exact", "leave_one_out")]
        inferred = attribute_inference(data, release, secret="job", control=control)
        member = membership(data, release, control=control)
        shares = [(f.observed.tolist(), f.share_others.round(12).tolist()) for f in found]
        return shares, inferred.found, inferred.control, member.found, member.control

    wanted = told()
    for change in ({"tree": TURNED}, {"rename": True}, {"turn": True}, {"unit": 1000.0}):
        assert told(**change) == wanted, change


def test_who_ranks_records_anew_needs_an_order():
    data, release, _ = make_tables()
    with pytest.raises(vk.RecordError, match="'job', 'town' came without a declared order"):
        vk.plausibility(data, release, null="conformal")
    assert vk.plausibility(data, release, null="conformal", attributes=["x"]).p.min() > 0
