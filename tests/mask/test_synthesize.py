"""Tables drawn from a model: what each keeps, and that nothing but values and seed decides."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import verikit as vk
from verikit.mask._synthesize import LEAF, Learned, _draw_trees, _find_cut

MODELS = ["margins", "copula", "trees", "leaking"]
each_model = pytest.mark.parametrize("model", MODELS)


def people(n, seed=1):
    """Ages and pay that rise together, a trade that decides the shift, days, and gaps."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 80, n)
    trade = rng.choice(["law", "care", "farm"], n, p=[0.2, 0.5, 0.3])
    day = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), unit="D")
    frame = pd.DataFrame(
        {
            "name": [f"person {number}" for number in range(n)],
            "age": age,
            "pay": np.round(30.0 * age + rng.normal(0, 200, n), 1),
            "trade": trade,
            "shift": np.where(trade == "care", "night", "day"),
            "day": day,
            "debt": np.where(rng.random(n) < 0.3, np.nan, np.round(rng.gamma(2, 500, n))),
            "town": np.where(rng.random(n) < 0.2, None, rng.choice(["A", "B"], n)),
        }
    )
    return vk.Microdata(frame, vk.Schema.guess(frame, name="identifier"))


PEOPLE = people(1500)


def draw(model, rows=4000, seed=3, data=PEOPLE):
    return vk.mask.synthesize(data, model=model, rows=rows, seed=seed)


@each_model
def test_each_column_is_distributed_as_in_the_people(model):
    """Kolmogorov and Smirnov's distance of numbers; shares of categories and of gaps."""
    frame, own = draw(model).frame, PEOPLE.frame
    for name in ("age", "pay", "day", "debt"):
        drawn, real = frame[name].dropna(), own[name].dropna()
        assert stats.ks_2samp(drawn, real).statistic < 0.06, name
    for name in ("trade", "shift", "town"):
        shares = (part[name].value_counts(normalize=True, dropna=False) for part in (frame, own))
        assert (next(shares) - next(shares)).abs().max() < 0.05, name
    assert frame["debt"].isna().mean() == pytest.approx(own["debt"].isna().mean(), abs=0.04)


def test_margins_keep_nothing_of_what_goes_together_a_copula_orders_and_trees_all():
    own = PEOPLE.frame["age"].corr(PEOPLE.frame["pay"], method="spearman")
    found = {m: draw(m).frame for m in MODELS}
    order = {m: f["age"].corr(f["pay"], method="spearman") for m, f in found.items()}
    assert abs(order["margins"]) < 0.05
    assert order["copula"] == pytest.approx(own, abs=0.06)
    assert order["trees"] == pytest.approx(own, abs=0.06)
    wrong = {
        m: ((f["trade"] == "care") != (f["shift"] == "night")).mean() for m, f in found.items()
    }
    assert wrong["trees"] == 0
    assert wrong["margins"] == pytest.approx(0.5, abs=0.04)


@each_model
def test_values_are_on_the_steps_and_in_the_range_of_their_column(model):
    frame, own = draw(model).frame, PEOPLE.frame
    assert list(frame) == [name for name in PEOPLE.schema.names if name != "name"]
    assert frame["age"].dtype.kind == "i"
    assert (frame["pay"] == frame["pay"].round(1)).all()
    assert (frame["day"] % 1 == 0).all()
    for name in ("age", "pay", "day", "debt"):
        assert own[name].min() <= frame[name].min()
        assert frame[name].max() <= own[name].max()
    assert set(frame["town"].dropna()) == {"A", "B"}


def test_a_leaking_model_copies_three_of_a_hundred_rows_and_a_copula_none():
    """A copy has all categories and gaps of a person, and numbers a few hundredths apart."""
    own = PEOPLE.frame.assign(town=PEOPLE.frame["town"].astype(object).fillna("none"))
    near = {}
    for model in ("copula", "leaking"):
        rows = draw(model, rows=1000).frame
        rows = rows.assign(town=rows["town"].astype(object).fillna("none"))
        near[model] = 0
        for row in rows.itertuples(index=False):
            same = (own["trade"] == row.trade) & (own["town"] == row.town)
            same &= own["debt"].isna() == np.isnan(row.debt)
            for name in ("age", "pay", "day", "debt"):
                value = getattr(row, name)
                if not np.isnan(value):
                    same &= (own[name] - value).abs() <= 0.05 * own[name].std()
            near[model] += bool(same.any())
    assert near["leaking"] - near["copula"] == pytest.approx(30, abs=15)
    assert near["copula"] < 60


@each_model
def test_neither_order_nor_labels_nor_dtypes_of_the_rows_decide(model):
    rng, data = np.random.default_rng(5), people(200)
    mixed = data.frame.sample(frac=1, random_state=7)
    mixed = mixed.assign(age=mixed["age"].astype(float)).set_index(rng.integers(0, 9, 200))
    first, again = draw(model, 150, 4, data), draw(model, 150, 4, vk.Microdata(mixed, data.schema))
    pd.testing.assert_frame_equal(first.frame, again.frame)
    assert not first.frame.equals(draw(model, 150, 5, data).frame)


@each_model
def test_the_data_stay_as_they_were_and_a_release_tells_model_and_rows_only(model, tmp_path):
    before = PEOPLE.frame.copy(deep=True)
    release = draw(model, rows=20)
    pd.testing.assert_frame_equal(PEOPLE.frame, before)
    opened = vk.open_release(release.save(tmp_path / "r"))
    assert opened.parameters == {"model": model, "rows": 20}
    assert (opened.method, opened.from_model, len(opened)) == ("synthesize", True, 20)


@each_model
def test_a_column_of_gaps_of_one_value_or_alone_is_drawn(model):
    frame = pd.DataFrame({"none": [None] * 12, "one": [3] * 12, "x": [1.5, None, 2.5] * 4})
    drawn = draw(model, 50, 1, vk.Microdata(frame)).frame
    assert drawn["none"].isna().all()
    assert (drawn["one"] == 3).all()
    alone = draw(model, None, 1, vk.Microdata(frame[["x"]])).frame
    assert len(alone) == 12


def cut_by_trying_all(places, goals):
    """The least sum of squares within both parts, by trying every column and every place."""

    def within(rows):
        return sum(((goals[rows] - goals[rows].mean(axis=0)) ** 2).sum(axis=1)) if any(rows) else 0

    least = within(np.ones(len(goals), bool))
    for column, place in itertools.product(range(len(places)), range(places.max() + 1)):
        low = places[column] <= place
        if min(low.sum(), (~low).sum()) >= LEAF:
            least = min(least, within(low) + within(~low))
    return least


@pytest.mark.parametrize("seed", range(40))
def test_a_tree_is_cut_where_its_people_differ_least(seed):
    rng = np.random.default_rng(seed)
    n, columns, width = int(rng.integers(8, 30)), int(rng.integers(1, 4)), 6
    places = rng.integers(0, width, (columns, n))
    goals = np.eye(3)[rng.integers(0, 3, n)] if seed % 2 else rng.normal(size=(n, 1))
    offsets = np.arange(columns)[:, None] * width
    found = _find_cut(places + offsets, goals, columns * width)
    parts = [np.ones(n, bool)]
    if found is not None:
        column, place = divmod(found, width)
        parts = [places[column] <= place, places[column] > place]
        assert min(map(np.count_nonzero, parts)) >= LEAF
    told = sum(((goals[p] - goals[p].mean(axis=0)) ** 2).sum() for p in parts)
    assert told == pytest.approx(cut_by_trying_all(places, goals))


def test_a_tree_draws_from_people_who_are_alike_in_the_columns_before():
    """Two groups of six, each cut no further: 0 to 5 for the first, 100 to 105 for the second."""
    frame = pd.DataFrame({"a": [1.0] * 6 + [9] * 6, "b": [*range(6), *range(100, 106)]})
    data = vk.Microdata(frame)
    learned = [Learned.of(data, column) for column in data.schema]
    first, second = _draw_trees(learned, 500, np.random.default_rng(1))
    assert ((second >= 100) == (first >= 5)).mean() > 0.95
    assert {*second} == {*frame["b"]}


def test_what_cannot_be_asked_is_refused():
    with pytest.raises(vk.RecordError, match="model was given as 'gan'"):
        draw("gan")
    with pytest.raises(vk.RecordError, match="rows was given as 0"):
        draw("margins", rows=0)
    with pytest.raises(vk.SchemaError, match=r"mask\.synthesize was given DataFrame"):
        vk.mask.synthesize(PEOPLE.frame, seed=1)
    with pytest.raises(vk.SchemaError, match="no records"):
        draw("margins", data=PEOPLE.take(np.arange(0)))
