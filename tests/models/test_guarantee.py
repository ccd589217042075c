"""What methods guarantee, held to all outcomes of small tables, and to what intruders find."""

from functools import cache
from itertools import combinations, permutations
from math import exp, inf, log

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.models import guarantee
from verikit.protector import correct_links

RATES = (0.05, 0.2, 0.5, 0.8, 0.95)


def swapped(size, rate):
    """A release of one stratum: by its method and parameters alone it is judged."""
    frame = pd.DataFrame({"name": np.arange(size), "pay": np.arange(size)})
    schema = vk.Schema((vk.Column("name"), vk.Column("pay", "sensitive")))
    data = vk.Microdata(frame, schema)
    return vk.mask.swap(data, match=[], swap=["pay"], rate=rate, seed=1).release


@cache
def left_by_none(many):
    """How many orders of so many records leave none in its place."""
    return sum(all(a != b for a, b in enumerate(order)) for order in permutations(range(many)))


def log_chances(orders, rate, *, again=True):
    """The logarithm of the chance of each exchange: drawn by the rate, none left in its place."""
    size = orders.shape[1]
    chance = np.zeros(size + 1)
    for many in {*range(size + 1)} - {1}:
        chance[many] = rate**many * (1 - rate) ** (size - many) / left_by_none(many)
    if not again:
        chance[0] += size * rate * (1 - rate) ** (size - 1)
    with np.errstate(divide="ignore"):
        return np.log(chance)[(orders != np.arange(size)).sum(axis=1)]


@cache
def cycle_types(size):
    """One exchange of records for each way to cut them into cycles."""
    found = {}
    for order in permutations(range(size)):
        left, lengths = set(range(size)), []
        while left:
            at, length = left.pop(), 1
            while order[at] in left:
                at, length = order[at], length + 1
                left.discard(at)
            lengths.append(length)
        found.setdefault(tuple(sorted(lengths)), order)
    return [np.array(order) for lengths, order in found.items() if max(lengths) > 1]


@pytest.mark.parametrize("size", range(2, 8))
@pytest.mark.parametrize("again", [True, False], ids=["drawn again", "left as it is"])
def test_no_exchange_of_records_changes_a_chance_of_swapping_more_than_epsilon_allows(size, again):
    """All orders, and all originals up to names: d exchanged records cost d epsilon at most."""
    orders = np.array([*permutations(range(size))])
    for rate in RATES:
        chance = log_chances(orders, rate, again=again)
        epsilon, worst = guarantee(swapped(size, rate)).epsilon, 0.0
        for exchange in cycle_types(size):
            apart = (exchange != np.arange(size)).sum()
            other = log_chances(orders[:, exchange], rate, again=again)
            worst = max(worst, np.abs(chance - other).max() / apart)
        assert worst <= epsilon + 1e-9
        if again and (rate > 0.5 or size == 7):
            assert worst >= (1 - 1e-9 if rate > 0.5 else 0.89) * epsilon


def test_epsilon_goes_by_the_largest_stratum_and_is_nothing_where_nobody_can_swap():
    frame = pd.DataFrame({"home": list("aaabb"), "pay": range(5), "id": range(5)})
    data = vk.Microdata(frame, vk.Schema.guess(frame, pay="sensitive", home="quasi", id="quasi"))
    release = vk.mask.swap(data, match=["home"], swap=["pay"], rate=0.25, seed=1).release
    found = guarantee(release)
    assert found.epsilon == pytest.approx(log(4) - log(1 / 3))
    assert found.invariants == (
        "how often each combination of 'pay' occurs within equal 'home'",
        "'home', 'id', as published",
    )
    assert "'home'" in repr(found)
    single = vk.mask.swap(data, match=["id"], swap=["pay"], rate=0.25, seed=1).release
    assert guarantee(single).epsilon == 0
    for rate in (0, 1):
        other = vk.mask.swap(data, match=[], swap=["pay"], rate=rate, seed=1).release
        assert guarantee(other).epsilon is None


def discordant(orders):
    pairs = combinations(range(orders.shape[1]), 2)
    return sum((orders[:, a] > orders[:, b]).astype(int) for a, b in pairs)


def ordered(size, theta):
    data = vk.Microdata(pd.DataFrame({"a": np.arange(size), "b": np.arange(size)[::-1]}))
    return vk.mask.mallows(data, theta=theta, seed=1).release


@pytest.mark.parametrize("size", range(2, 8))
def test_exchanging_two_people_changes_the_chance_of_an_order_just_as_told(size):
    """Over all orders of one column, for each distance of the two by rank."""
    theta = {"a": 0.7, "b": 0.2}
    found = guarantee(ordered(size, theta))
    assert (found.by_column, found.epsilon) == (theta, pytest.approx(0.9))
    orders = np.array([*permutations(range(size))])
    for first, second in combinations(range(size), 2):
        exchange = np.arange(size)
        exchange[[first, second]] = second, first
        worst = np.abs(discordant(orders) - discordant(orders[:, exchange])).max()
        assert exp(found.epsilon * worst) == pytest.approx(found.odds(second - first))


def test_equal_values_count_at_their_farthest_ends():
    """1, 2, 2, 2, 3 beside 2, 1, 2, 2, 3: as far as ranks 1 and 4 may be, and more than one."""
    theta, found = 0.7, guarantee(ordered(5, 0.35))

    def law(values):
        chances = {}
        for order in permutations(range(5)):  # each way to rank equal values, as likely
            told = [values[i] for i in order]
            if told != sorted(values):
                continue
            for drawn in permutations(range(5)):
                out = [0] * 5
                for rank, record in enumerate(order):
                    out[record] = told[drawn[rank]]
                weight = exp(-theta * discordant(np.array([drawn]))[0])
                chances[tuple(out)] = chances.get(tuple(out), 0) + weight
        return chances

    one, other = law((1, 2, 2, 2, 3)), law((2, 1, 2, 2, 3))
    worst = max(abs(log(one[out] / other[out])) for out in one)
    assert log(found.odds(1)) + 0.1 < worst <= log(found.odds(3))


@pytest.mark.parametrize("size", range(2, 8))
def test_nobody_finds_a_person_more_often_than_the_guarantee_allows_by_counting_all(size):
    orders = np.array([*permutations(range(size))])
    for rate in RATES:
        chance = np.exp(log_chances(orders, rate))
        own = chance[orders[:, 0] == 0].sum() / chance.sum()
        assert own <= guarantee(swapped(size, rate)).chance(size) + 1e-12
    for theta in (0.05, 0.5, 2):
        chance = np.exp(-2 * theta * discordant(orders))  # both columns, by whoever knows both
        found = guarantee(ordered(size, theta))
        for record in range(size):
            own = chance[orders[:, record] == record].sum() / chance.sum()
            apart = max(record, size - 1 - record)
            assert own <= found.chance(size, apart) + 1e-12


def test_links_of_intruders_stay_below_what_epsilon_allows():
    """The attack that knows method, parameters and every original; counts within their luck."""
    data = vk.simulate("dm", 150, seed=1)
    for theta in (0.002, 0.02, 0.2):
        release, key = vk.mask.mallows(data, theta=theta, seed=2)
        ranks = data.frame.rank().to_numpy()
        apart = np.abs(ranks[:, None] - ranks)  # of each two people, by column
        cost = (theta * (2 * apart - 1)).sum(axis=2)
        allowed = 1 / (1 + np.exp(-cost[~np.eye(150, dtype=bool)].reshape(150, 149)).sum(axis=1))
        found = correct_links(vk.link(data, release, attack="published_mechanism"), key).count
        assert found <= allowed.sum() + 5 * np.sqrt(allowed.sum() + 1)
        assert found > 0.3 * allowed.sum() or theta < 0.2, "the attack comes near what is allowed"
    for rate in (0.05, 0.5, 0.95):
        release, key = vk.mask.swap(data, match=[], swap=["X1", "X2"], rate=rate, seed=2)
        links = vk.link(data, release, attributes=["X1", "X2"])
        allowed = 150 * guarantee(release).chance(150)
        own = data.frame["X1"].to_numpy() == release.frame["X1"].to_numpy()[key.rows]
        assert own.sum() <= allowed + 5 * np.sqrt(allowed)
        assert correct_links(links, key).count <= allowed + 5 * np.sqrt(allowed)


@pytest.mark.parametrize(
    ("release", "said"),
    [
        (lambda d: vk.mask.noise(d, scale=1, seed=1).release, "values may lie any distance apart"),
        (lambda d: vk.mask.rank_swap(d, percent=20, seed=1).release, "some orders cannot come"),
        (
            lambda d: vk.mask.shuffle(d, correlation=0.9, seed=1).release,
            "of which nothing is proved",
        ),
        (lambda d: vk.mask.microaggregate(d, k=3, seed=1).release, "a mean is told as it is"),
        (lambda d: vk.mask.randomize(d, changed=1, seed=1).release, "just 1 of 3 attributes"),
        (lambda d: vk.TableRelease.of(d.frame, d.schema), "does not say how it was made"),
        (
            lambda d: vk.TableRelease.of(d.frame, d.schema, method="x"),
            "nothing is proved of what 'x",
        ),
    ],
)
def test_methods_without_a_guarantee_say_none_and_why(release, said):
    found = guarantee(release(vk.load("dm_table1")))
    assert (found.epsilon, found.odds(), found.chance(5)) == (None, inf, 1)
    assert said in repr(found)


def test_drawing_just_m_attributes_anew_leaves_some_originals_impossible():
    """All draws from two people of two attributes: one row rules out who differs in both."""
    before = [("a", "x"), ("b", "y")]
    outcomes = {
        person: {
            tuple(drawn if k == place else value for k, value in enumerate(person))
            for place in range(2)
            for drawn in {other[place] for other in before}
        }
        for person in before
    }
    assert before[1] not in outcomes[before[0]]
    data = vk.Microdata(pd.DataFrame(before, columns=["p", "q"]))
    assert guarantee(vk.mask.randomize(data, changed=1, seed=1).release).epsilon is None


def test_what_is_no_release_or_names_no_fitting_parameters_is_refused():
    with pytest.raises(vk.SchemaError, match="guarantee was given DataFrame; expected a release"):
        guarantee(pd.DataFrame({"a": [1]}))
    data = vk.load("dm_table1")
    wrong = vk.TableRelease.of(data.frame, data.schema, method="swap", parameters={"rate": 0.5})
    with pytest.raises(vk.SchemaError, match="names match None, swap None and rate"):
        guarantee(wrong)
    wrong = vk.TableRelease.of(data.frame, data.schema, method="mallows")
    with pytest.raises(vk.SchemaError, match="names theta None; expected a number for each"):
        guarantee(wrong)
