"""How many people a model memorized: the counts are exact, and planted leaks are found."""

import itertools
from fractions import Fraction
from math import comb

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.cli import main
from verikit.intruder import memorized
from verikit.intruder._crowd import Crowd, find_alone, measure_nearness
from verikit.intruder._memorized import RATE, least_beyond

MODEL = "drawn from a model"


def people(n, seed):
    """Correlated numbers far from normal, two categories that hang together, and gaps."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 80, n)
    married = rng.random(n) < age / 100
    frame = {
        "age": age,
        "pay": np.round(20 * age + 900 * married + rng.gamma(2, 150, n)),
        "debt": np.where(rng.random(n) < 0.2, np.nan, np.round(rng.exponential(5 * age))),
        "married": np.where(married, "yes", "no"),
        "home": np.where(married & (rng.random(n) < 0.8), "own", rng.choice(["rent", "kin"], n)),
    }
    return vk.Microdata(pd.DataFrame(frame))


# -- the counts ------------------------------------------------------------------------------------


def law_of_found(learned_found, rest, others, allowed):
    """How often so many people are found, over every order of the rest and the others."""
    found = {}
    for places in itertools.combinations(range(rest + others), others):
        before = (
            places[allowed] - allowed
        )  # of the rest, before the first other who is one too many
        found[learned_found + before] = found.get(learned_found + before, 0) + 1
    return found, comb(rest + others, others)


def least_by_counting(found, size, wrong, others):
    """The least number learned, from the fractions of all draws."""
    for learned in range(found + 1):
        rest, drawn = size - learned, found - learned + wrong
        ways = sum(
            comb(rest, right) * comb(others, drawn - right)
            for right in range(found - learned, min(rest, drawn) + 1)
        )
        if Fraction(ways, comb(rest + others, drawn)) > Fraction(1, 100):
            return learned
    raise AssertionError("no number is left")


def test_the_least_number_is_that_of_all_draws():
    for size, others in itertools.product((1, 4, 9), (1, 5, 12)):
        for found, wrong in itertools.product(range(size + 1), range(others + 1)):
            told = least_beyond(found, size, wrong, others)
            assert told == least_by_counting(found, size, wrong, others), (found, wrong)
    assert least_beyond(9, 9, 0, 12) == 7, "two of two are 1 of 91 draws, three of three of 455"


@pytest.mark.parametrize("size", [3, 7])
@pytest.mark.parametrize("others", [4, 8])
def test_too_many_are_told_in_one_of_a_hundred_orders_at_most(size, others):
    """However many were memorized, and however many of these were found."""
    told = 0
    for learned, allowed in itertools.product(range(size), range(2)):
        for near in range(learned + 1):
            law, ways = law_of_found(near, size - learned, others, allowed)
            wrong = sum(
                times for found, times in law.items()
                if least_beyond(found, size, allowed, others) > learned
            )  # fmt: skip
            assert Fraction(wrong, ways) <= Fraction(1, 100)
            told += wrong
    assert (told > 0) == (size + others > 7), "of 35 orders none may be told wrongly"


def test_of_people_whom_the_model_did_not_learn_from_each_is_equally_likely_to_be_found():
    """Twenty others allow none as near: whoever of 21 is the person, one at most is found."""
    everybody, drawn = people(21, 5), people(300, 6)
    release = vk.TableRelease.of(drawn.frame, promise=MODEL)
    found = []
    for person in range(21):
        others = everybody.take(np.delete(np.arange(21), person))
        report = memorized(everybody.take(np.array([person])), release, control=others)
        assert (report.allowed, report.false_alarms) == (0, 1 / 21)
        found.append(report.found)
    assert sum(found) == 1


# -- the distances ---------------------------------------------------------------------------------


def apart(a, b, ordered):
    """How far two rows are apart, column by column, in columns."""
    gaps = []
    for name, column in ordered.items():
        x, y = a[name], b[name]
        if pd.isna(x) or pd.isna(y):
            gaps.append(float(pd.isna(x) != pd.isna(y)))
        elif column is None:
            gaps.append(float(x != y))
        else:
            below = [sum(v < z for v in column) + sum(v <= z for v in column) for z in (x, y)]
            parts = [round(z / np.std(column) * 2 * ordered["__all__"]) for z in (x, y)]
            fewest = min(abs(below[0] - below[1]), abs(parts[0] - parts[1]))
            gaps.append(fewest / 2 / ordered["__all__"])
    return gaps


@pytest.mark.parametrize("seed", range(6))
def test_nearness_links_and_guesses_are_those_found_one_by_one(seed):
    data, control, drawn = people(12, seed), people(20, seed + 50), people(25, seed + 90)
    release = vk.TableRelease.of(drawn.frame, promise=MODEL)
    names = data.schema.names
    crowd = Crowd.gather(data, release, control, names)
    near, far = measure_nearness(crowd), crowd.far
    both = pd.concat([data.frame, control.frame]).astype(object).to_dict("records")
    rows = drawn.frame.astype(object).to_dict("records")
    numbers = [n for n in names if data.schema[n].kind == "numeric"]
    columns = {
        n: [r[n] for r in both if not pd.isna(r[n])] if n in numbers else None for n in names
    }

    class Columns(dict):
        def items(self):
            return [(n, c) for n, c in super().items() if n != "__all__"]

    ordered = Columns(columns, __all__=len(both))
    place = {int(record): at for at, record in enumerate(crowd.who)}
    for record in range(12):
        at, own = place[record], both[record]
        gaps = np.array([apart(own, row, ordered) for row in rows])
        whole = gaps.sum(axis=1)
        assert near.rows[at] / far == pytest.approx(whole.min())
        others = sorted(
            sum(apart(own, other, ordered)) for j, other in enumerate(both) if j != record
        )
        assert near.neighbours[at] / far == pytest.approx(sum(others[:5]))
        halves = [np.round(gaps[:, side::2].sum(axis=1), 9) for side in (0, 1)]
        joint = (halves[0] == halves[0].min()) & (halves[1] == halves[1].min())
        assert near.linked[at] == joint.any()
        for j, name in enumerate(names):
            rest = np.round(whole - gaps[:, j], 9)
            if (rest == rest.min()).sum() == 1:
                shown = rows[int(rest.argmin())][name]
                gap = apart(own, {**own, name: shown}, ordered)[j]
                assert near.guessed[at, j] == (gap <= 0.05 + 1e-12), name
    fits = [
        [all(g <= 0.05 + 1e-12 for g in apart(own, row, ordered)) for own in both] for row in rows
    ]
    alone = {hits.index(True) for hits in fits if sum(hits) == 1}
    told = find_alone(crowd, crowd.rows)
    assert {int(crowd.who[at]) for at in np.flatnonzero(told[:12])} == {i for i in alone if i < 12}


# -- what is found ---------------------------------------------------------------------------------


def smoothed(data, size, seed):
    """Somebody else's generator: a person drawn at random, and every number moved far (a KDE)."""
    rng = np.random.default_rng(seed)
    frame = data.frame.iloc[rng.integers(0, len(data), size)].reset_index(drop=True)
    for name in ("age", "pay", "debt"):
        frame[name] = np.round(frame[name] + rng.normal(0, 0.5 * data.frame[name].std(), size))
    return frame.assign(home=rng.permutation(frame["home"]))


GENERATORS = {
    **{
        model: lambda data, size, seed, model=model: (
            vk.mask.synthesize(data, model=model, rows=size, seed=seed).frame
        )
        for model in ("margins", "copula", "trees", "leaking")
    },
    "smoothed": smoothed,
}


def planted(make, data, leaks, seed=3):
    """A table with some of the people in it, their numbers moved by a hundredth of a deviation."""
    rng, drawn = np.random.default_rng(seed), make(data, 1_000, seed)
    copies = data.frame.iloc[:leaks].copy()
    for name in ("pay", "debt"):
        copies[name] = np.round(copies[name] + rng.normal(0, 0.01 * data.frame[name].std(), leaks))
    frame = pd.concat([drawn.iloc[leaks:], copies], ignore_index=True)
    return vk.TableRelease.of(frame.sample(frac=1, random_state=1), promise=MODEL)


@pytest.mark.parametrize("generator", GENERATORS)
def test_leaks_that_were_planted_are_found_whatever_drew_the_rest(generator):
    data, control = people(400, 1), people(400, 2)
    release = planted(GENERATORS[generator], data, 40)
    report = memorized(data, release, control=control)
    assert report.least >= 15
    assert len({*report.records} & {*range(40)}) >= 25
    assert f"At least {report.least} people were memorized" in repr(report)


@pytest.mark.parametrize("generator", ["margins", "copula"])
def test_nobody_is_memorized_by_a_model_that_learned_from_others(generator):
    """Ten times other people: luck finds one of a hundred each time, and the table never."""
    learned, found = people(300, 1), 0
    release = vk.TableRelease.of(GENERATORS[generator](learned, 800, 4), promise=MODEL)
    for seed in range(10):
        report = memorized(people(300, 100 + seed), release, control=people(300, 200 + seed))
        assert report.least == 0
        assert report.false_alarms <= RATE
        assert sum(bool(part.least) for part in report.criteria) == 0
        found += report.found
    assert found <= 50, "thirty by luck"


def test_a_table_that_memorized_people_passes_by_nearest_records():
    data, control = people(400, 1), people(400, 2)
    for generator, leaks in (("margins", 30), ("smoothed", 20)):
        release = planted(GENERATORS[generator], data, leaks)
        report = memorized(data, release, control=control)
        assert report.least >= 10
        assert report.nearest.passed
        assert report.nearest.score > 0.85
        assert "miss who was memorized" in repr(report)


def test_nearest_records_by_hand():
    """One row is the person, one the twenty others, who stand half of all places from her."""
    data, control = (vk.Microdata(pd.DataFrame({"x": x})) for x in ([0.5], [9.0] * 20))
    release = vk.TableRelease.of(pd.DataFrame({"x": [0.5, 9.0]}), promise=MODEL)
    found = memorized(data, release, control=control).nearest
    assert found.closer == 0.5
    assert found.rows == pytest.approx((0.025, 0.25))
    assert found.others == pytest.approx((0.5, 0.5))
    assert not found.passed


def test_the_table_itself_gives_everybody_away():
    data, control = people(200, 1), people(200, 2)
    report = memorized(data, vk.TableRelease.of(data.frame, promise=MODEL), control=control)
    assert report.least > 150
    assert not report.nearest.passed
    assert {part.attack for part in report.criteria if part.least} == {
        "singling out", "linkability", "inference",
    }  # fmt: skip


def test_what_cannot_be_compared_is_refused():
    data = people(30, 1)
    release = vk.TableRelease.of(data.frame, promise=MODEL)
    with pytest.raises(vk.SchemaError, match="The control has no records"):
        memorized(data, release, control=data.take(np.arange(0)))
    words = vk.TableRelease.of(data.frame.assign(age=data.frame["age"].map("{} years".format)))
    with pytest.raises(vk.SchemaError, match="'age' holds numbers in one of original, release"):
        memorized(data, words, control=people(30, 2))


def test_an_audit_of_a_table_drawn_from_a_model_takes_a_control_and_no_key(tmp_path, capsys):
    data, control = people(200, 1), people(200, 2)
    release = planted(GENERATORS["copula"], data, 40)
    report = vk.audit(data, release, control=control)
    assert report.least == memorized(data, release, control=control).least > 10
    with pytest.raises(vk.RecordError, match="give them as control"):
        vk.audit(data, release)
    with pytest.raises(vk.RecordError, match=r"no row is anybody's; leave out 'key'"):
        vk.audit(data, release, vk.Key.of(range(200)), control=control)
    with pytest.raises(vk.RecordError, match="leave out 'distance'"):
        vk.audit(data, release, distance=3, control=control)
    with pytest.raises(vk.RecordError, match="leave out 'criterion', 'subject_view'"):
        vk.audit(data, release, control=control, criterion="distinct", subject_view=False)
    files = [tmp_path / f"{name}.csv" for name in ("original", "drawn", "control")]
    for file, table in zip(files, (data, release, control), strict=True):
        table.frame.to_csv(file, index=False)
    asked = ["audit", *map(str, files[:2]), "--control", str(files[2])]
    assert main([*asked, "--promise", MODEL]) == 1
    assert f"At least {report.least} people were memorized" in capsys.readouterr().out
    assert main(asked) == 2
    assert "--key FILE is missing" in capsys.readouterr().err


def test_nothing_depends_on_the_order_the_labels_or_the_dtypes_of_the_rows():
    data, control = people(60, 1), people(60, 2)
    release = planted(GENERATORS["copula"], data, 9)
    plain = memorized(data, release, control=control)
    order = np.random.default_rng(4).permutation(60)
    mixed = data.frame.astype({"age": float}).iloc[order].set_index(np.arange(60) % 7)
    turned = vk.TableRelease.of(release.frame.iloc[::-1], promise=MODEL)
    again = memorized(vk.Microdata(mixed), turned, control=control.take(order[::-1]))
    assert sorted(order[again.records]) == [*plain.records]
    pd.testing.assert_frame_equal(again.to_frame(), plain.to_frame())
    assert again.nearest == plain.nearest
