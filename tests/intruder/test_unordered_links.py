"""Attributes without an order take part in links, and nothing hangs on how they are written."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.protector import correct_links, exposure

TREE = {"all": {f"g{g}": [f"t{g}{v}" for v in range(5)] for g in range(6)}}
TURNED = {"all": {f"g{g}": [f"t{g}{v}" for v in (3, 1, 0, 4, 2)] for g in (4, 0, 5, 2, 1, 3)}}


def make_tables(seed=1, n=250, *, towns=TREE, turn=False, rename=False, unit=1.0):
    """Numbers lost in noise, a town kept in 7 of 10 rows, and a job in most."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 2))
    names = [f"t{g}{v}" for g, v in product(range(6), range(5))]
    town, job = rng.choice(names, n), rng.choice([f"j{k}" for k in range(12)], n)
    y = x + rng.normal(size=x.shape)
    moved = np.where(rng.random(n) < 0.7, town, rng.choice(names, n))
    again = np.where(rng.random(n) < 0.9, job, rng.choice(job, n))
    if rename:
        job, again = (
            np.char.add("x", np.char.translate(p, str.maketrans("0123456789", "7391582640")))
            for p in (job, again)
        )
    schema = [
        vk.Column("a"),
        vk.Column("b"),
        vk.Column("town", "other", "nominal", hierarchy=vk.Hierarchy.of(towns)),
        vk.Column("job", "other", "nominal"),
    ]
    before = pd.DataFrame({"a": x[:, 0] * unit, "b": x[:, 1], "town": town, "job": job})
    after = pd.DataFrame({"a": y[:, 0] * unit, "b": y[:, 1], "town": moved, "job": again})
    if turn:
        schema, before, after = (
            schema[::-1],
            before[before.columns[::-1]],
            after[after.columns[::-1]],
        )
    schema = vk.Schema(tuple(schema))
    order = rng.permutation(n)
    release = vk.TableRelease.of(after.iloc[order].reset_index(drop=True), schema)
    return vk.Microdata(before, schema), release, vk.Key.of(np.argsort(order))


def list_links(tables, attack):
    links = vk.link(*tables[:2], attack=attack)
    places = vk.audit(*tables, subject_view=False).protector.sum(axis=1)
    return links.starts.tolist(), links.rows.tolist(), places.tolist()


@pytest.mark.parametrize("attack", ["maximum_rank", "normal_scores"])
def test_no_way_of_writing_the_same_tables_changes_a_link_or_a_place(attack):
    told = list_links(make_tables(), attack)
    for change in ({"towns": TURNED}, {"rename": True}, {"turn": True}, {"unit": 1000.0}):
        assert list_links(make_tables(**change), attack) == told, change


@pytest.mark.parametrize("seed", range(12))
def test_the_paper_s_attack_takes_the_rows_that_agree_and_of_these_the_closest(seed):
    rng, n = np.random.default_rng(seed), 9
    own, shown = (
        pd.DataFrame(
            {"x": rng.permutation(n), "y": rng.permutation(n), "c": rng.choice([*"abc"], n)}
        )
        for _ in range(2)
    )
    schema = vk.Schema.guess(own)
    links = vk.link(vk.Microdata(own, schema), vk.TableRelease.of(shown, schema))
    for i in range(n):
        agree = [r for r in range(n) if shown.c[r] == own.c[i]] or range(n)
        far = {r: max(abs(own.x[i] - shown.x[r]), abs(own.y[i] - shown.y[r])) for r in agree}
        least = [r for r in agree if far[r] == min(far.values())]
        assert links.rows[links.starts[i] : links.starts[i + 1]].tolist() == least


def test_a_nominal_column_published_unchanged_finds_everybody_as_a_numeric_one_does():
    rng, n = np.random.default_rng(3), 300
    numbers = vk.simulate("dm", n, seed=1).frame
    codes = rng.permutation(n)
    for column, values in (("numeric", codes), ("nominal", [f"c{v}" for v in codes])):
        columns = (*map(vk.Column, numbers), vk.Column("open", "other", column))
        data = vk.Microdata(numbers.assign(open=values), vk.Schema(columns))
        release, key = vk.mask.noise(data, scale=3, seed=2)
        assert exposure(data, release, key).found.count == 300, column
        report = vk.audit(data, release, key, distance=1)
        assert report.largest["open"] == 0
        for mask in (
            vk.mask.noise(data, scale=3, seed=2),
            vk.mask.rank_swap(data, percent=30, seed=2),
        ):
            untold = vk.TableRelease.of(mask.release.frame, mask.release.schema)
            found = vk.link(data, untold, attack="strongest")
            assert correct_links(found, mask.key).count == 300, column


def test_only_categories_can_be_linked_and_audited_too():
    frame = pd.DataFrame({"town": [*"abcde"] * 4, "job": [f"j{k // 5}" for k in range(20)]})
    data = vk.Microdata(frame)
    key = vk.Key.of(range(20))
    release = vk.TableRelease.of(frame, data.schema)
    report = vk.audit(data, release, key)
    assert report.exposure.found.count == 20
    assert str(report).count("town 0, job 0") == 1


def test_what_the_repeated_method_redraws_of_categories_is_learned():
    """Learned chances link more than taking every value as it is shown."""
    rng, n = np.random.default_rng(5), 120
    frame = pd.DataFrame({c: rng.choice([f"{c}{k}" for k in range(9)], n) for c in "abcd"})
    data = vk.Microdata(frame)
    release, key = vk.mask.randomize(data, changed=2, seed=1)
    by_method = vk.link(data, release, attack="published_mechanism")
    plain = correct_links(vk.link(data, release), key)
    assert correct_links(by_method, key).count > 2 * max(plain.count, 5)


def test_a_place_of_all_attributes_is_not_required_where_values_are_equal_or_not():
    data, release, key = make_tables()
    asked = vk.audit(data, release, key, distance=2, subject_view=False).requirement.distance
    assert asked == {"a": 2, "b": 2, "town": 2, "job": None}
    named = vk.audit(data, release, key, distance={"job": 1}, subject_view=False)
    changed = data.frame["job"].to_numpy() != key.undo(release).frame["job"].to_numpy()
    assert (~named.failed.any(axis=1)).tolist() == changed.tolist()
    model = vk.models.permuted_privacy(data, key.undo(release), distance=2)
    assert model.required == {"a": 2, "b": 2, "town": 2, "job": 0}
    assert model.places.tolist() == named.protector.tolist()


def test_diversity_of_categories_is_required_by_name_and_judged_alike_by_audit_and_model():
    data, release, key = make_tables()
    asked = {"distance": {"town": 45}, "diversity": {"town": 3}, "criterion": "distinct"}
    report = vk.audit(data, release, key, **asked, subject_view=False)
    model = vk.models.permuted_privacy(data, key.undo(release), **asked)
    at = report.attributes.index("town")
    assert (report.diversity[:, at] == model.diversity[:, at]).all()
    assert set(report.diversity[:, at]) > {1.0}
    assert ((~report.failed).all(axis=1) == model.per_record).all()
    with pytest.raises(vk.RecordError, match="variance of values without an order"):
        vk.audit(data, release, key, diversity={"job": 1}, criterion="robust variance")
