"""What somebody guesses who learns from a table by groups, and how far his chances hold."""

import math

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.intruder import learned_values
from verikit.matching._learn_by_groups import Grouped, balance_chances, sum_log_chances
from verikit.matching._try_on_pairs import _weigh_values

KNOWN = ["Age", "Education", "Gender"]


def people(n, secret="Marital", seed=1):
    frame = vk.simulate("census", n, seed=seed).frame[[*KNOWN, secret]]
    return vk.Microdata(frame, vk.Schema.guess(frame, **{secret: "sensitive"}))


def anatomized(data, ell=2):
    """An anatomy, and the true value of each of its rows."""
    release, key = vk.mask.anatomize(
        data, partition=vk.partition.anatomy(data, ell=ell, seed=1), seed=1
    )
    truth = np.empty(len(data), object)
    truth[key.places[""]] = data.frame[data.schema.sensitive[0].name].astype(str)
    return release, truth


@pytest.fixture(scope="module")
def census():
    return people(3000)


@pytest.fixture(scope="module")
def published(census):
    return anatomized(census)


@pytest.fixture(scope="module")
def found(published):
    return learned_values(published[0])


def test_who_learns_from_the_table_guesses_better_than_by_the_group(found, published):
    right = found.guess == published[1]
    assert (found.by_group == 0.5).all()
    assert right.mean() > 0.65 > 0.5 == found.by_group.mean()
    assert (found.others == published[1]).mean() < right.mean()


def assert_as_many_are_right_as_told(found, truth):
    """In each tenth of the chances told at least as many guesses are right, but for luck."""
    right = found.guess == truth
    for tenth in range(10):
        told = np.minimum((found.chance * 10).astype(int), 9) == tenth
        mean = found.chance[told].mean() if told.any() else 0
        error = np.sqrt(mean * (1 - mean) / max(told.sum(), 1))
        assert not told.any() or right[told].mean() >= mean - 2.5 * error


def test_of_those_told_a_chance_as_many_are_right_in_each_tenth(found, published):
    assert found.chance.mean() > found.by_group.mean() + 0.02
    assert_as_many_are_right_as_told(found, published[1])


def test_the_chances_of_a_group_add_up_to_what_it_holds_at_most(found, published):
    release, _ = published
    names = np.array(found.values)[found.beliefs.value]
    group = release.labels.names[release.labels.quasi[found.beliefs.person]]
    told = pd.Series(found.beliefs.chance).groupby([group, names]).sum()
    held = release.sensitive.groupby(["Group-ID", "Marital"], observed=True).size()
    held.index = held.index.map(lambda pair: (pair[0], str(pair[1])))
    assert (told <= held.reindex(told.index) + 0.01).all()
    own = found.chance_of(found.guess)
    assert np.allclose(own, found.chance, atol=1e-9)


def test_from_a_shuffled_column_there_is_nothing_to_learn(census):
    shuffled = census.frame.assign(
        Marital=np.random.default_rng(5).permutation(census.frame["Marital"].astype(str))
    )
    data = vk.Microdata(shuffled, census.schema)
    found = learned_values(anatomized(data)[0])
    assert found.chance.mean() == pytest.approx(0.5, abs=0.01)


def test_too_few_groups_teach_nothing_and_it_is_said():
    found = learned_values(vk.published("lhcc_table3"))
    assert found.strength == found.tested == 0
    assert (found.chance == found.by_group).all()
    assert "the groups are too few to try, or none are alike" in repr(found)


def test_shuffled_rows_are_nobodys_so_people_are_asked_about(census):
    groups = vk.partition.anatomy(census, ell=2, seed=1)
    release, key = vk.mask.permute_all(census, partition=groups, seed=1)
    with pytest.raises(vk.VerikitError, match="its rows are nobody's; give the people asked about"):
        learned_values(release)
    hers = release.labels.names[release.labels.quasi[key.places["Age"]]]
    found = learned_values(release, census, groups=hers)
    truth = census.frame["Marital"].astype(str)
    assert (found.guess == truth).mean() > 0.6 > found.by_group.mean()
    alone = learned_values(release, census.take(range(100)))
    assert alone.chance.mean() < found.chance[:100].mean()
    assert len(alone) == 100


def towns(n=4000):
    """Towns of four regions, and who works where the number of her town is even; mostly."""
    rng = np.random.default_rng(3)
    names = [f"{part}{at}" for part in "nesw" for at in range(6)]
    town = rng.choice(names, n)
    even = np.array([int(name[1]) % 2 == 0 for name in town])
    works = np.where(rng.random(n) < 0.85, even, ~even)
    columns = {"town": town, "age": rng.integers(20, 300, n), "works": works.astype(str)}
    tree = vk.Hierarchy.of({part: [t for t in names if t[0] == part] for part in "nesw"})
    schema = (
        vk.Column("town", kind="nominal", hierarchy=tree),
        vk.Column("age"),
        vk.Column("works", "sensitive", "nominal"),
    )
    data = vk.Microdata(pd.DataFrame(columns), vk.Schema(schema))
    labels = data.frame.groupby([data.frame["town"].str[0], "age"]).ngroup().to_numpy()
    return data, vk.Partition.of(labels)


def test_who_knows_all_people_learns_from_levels_of_a_tree_what_their_groups_teach():
    """Cells that cover a group say no more of its people, to him, than a number that they share."""
    data, groups = towns()
    levels, key = vk.mask.generalize(data, levels={"town": 1, "age": 0}, seed=1)
    apart, other = vk.mask.anatomize(data, partition=groups, seed=1)
    by_number = apart.labels.names[apart.labels.quasi[other.places[""]]]
    wanted = learned_values(apart, data, groups=by_number)
    truth = data.frame["works"].to_numpy(object)
    assert (wanted.guess == truth).mean() > 0.8 > 0.71 > wanted.by_group.mean()
    for rows in (key.rows, None):  # by their values they fit no other row
        found = learned_values(levels, data, groups=rows)
        assert (found.guess == wanted.guess).all()
        assert np.allclose(found.chance, wanted.chance)
        assert np.allclose(found.by_group, wanted.by_group)
    assert_as_many_are_right_as_told(found, truth)
    one = learned_values(levels, data.take([0]))  # who knows nobody else learns nothing
    assert one.strength == one.tested == 0
    assert one.chance == pytest.approx(found.by_group[:1])


@pytest.mark.parametrize("k", [2, 8])
def test_of_a_generalized_table_alone_nothing_beyond_the_share_is_claimed(census, k):
    boxes = vk.partition.mondrian(census, k=k, seed=1)
    release, key = vk.mask.generalize(census, partition=boxes, seed=1)
    held = {}
    for *box, state in release.frame[[*KNOWN, "Marital"]].astype(str).itertuples(index=False):
        held.setdefault(tuple(box), []).append(state)
    boxes = [held[tuple(box)] for box in release.frame[KNOWN].astype(str).to_numpy()]
    shares = [max(map(values.count, values)) / len(values) for values in boxes]
    found, row = learned_values(release), int(key.rows[7])
    one = learned_values(release, census.take([7]), groups=[row])
    for told, places in ((found, range(len(census))), (one, [row])):
        assert told.chance == pytest.approx([shares[at] for at in places])
        assert told.by_group == pytest.approx(told.chance)
        assert told.strength == 0
        assert all(
            boxes[at].count(guess) == shares[at] * len(boxes[at])
            for at, guess in zip(places, told.guess, strict=True)
        )
        assert "at times too sure where it was measured, so nothing beyond that is" in repr(told)
    assert not learned_values(release, census, groups=key.rows).alone


def test_by_her_group_alone_each_row_that_she_fits_is_as_likely(census):
    """Of 25 with two rows in one class and one in another: (1/2 + 0 + 1) / 3, by hand."""
    ages = pd.arrays.IntervalArray.from_tuples([(20, 29), (20, 29), (25, 34), (50, 59)], "both")
    cells = pd.DataFrame({"age": ages, "ill": ["flu", "gout", "flu", "gout"]})
    schema = vk.Schema((vk.Column("age"), vk.Column("ill", "sensitive", "nominal")))
    release = vk.TableRelease.of(cells, schema, promise="covers")
    people = vk.Microdata(pd.DataFrame({"age": [25, 55, 80]}), vk.Schema((vk.Column("age"),)))
    found = learned_values(release, people)
    assert found.guess.tolist() == ["flu", "gout", None]
    assert found.by_group.tolist() == pytest.approx([2 / 3, 1, 0])
    assert found.strength == 0


@pytest.mark.parametrize(("given", "said"), [
    (lambda r, p: learned_values(r, groups=[0]), "Groups were given without the people"),
    (lambda r, p: learned_values(r, p, groups=[0]), "groups holds 1 for 3,000 people"),
    (lambda r, p: learned_values(r, p, groups=["x"] * 3000), "a group was given as 'x'"),
    (lambda r, p: learned_values(r, p.only("Age")), "lack 'Education' and 'Gender'|lack"),
    (lambda r, p: learned_values(vk.mask.noise(p.only("Age"), scale=1, seed=1).release, p),
     "promise 'changed'"),
])  # fmt: skip
def test_generalized_tables_that_teach_nothing_are_refused_in_a_sentence(census, given, said):
    boxes = vk.partition.mondrian(census, k=8, seed=1)
    release = vk.mask.generalize(census, partition=boxes, seed=1).release
    with pytest.raises(vk.VerikitError, match=said):
        given(release, census)


@pytest.mark.parametrize(("groups", "said"), [
    ([1], "groups holds 1 for 2 people; expected the group of each"),
    ([1, 7777], "The groups given name '7777', which the release lacks"),
])  # fmt: skip
def test_groups_that_cannot_be_meant_are_refused(census, published, groups, said):
    with pytest.raises(vk.VerikitError, match=said):
        learned_values(published[0], census.take([0, 1]), groups=groups)


@pytest.mark.filterwarnings("ignore")
def test_groups_of_neighbouring_numbers_and_groups_of_one_target_teach_nothing():
    data = people(2000)
    ages = vk.Microdata(data.frame, vk.Schema.guess(data.frame, Age="sensitive"))
    groups = vk.partition.min_sum_error(ages, k=5, e=5, seed=1)
    found = learned_values(vk.mask.permute_sensitive(ages, partition=groups, seed=1).release)
    assert found.strength == 0
    assert np.allclose(found.chance, found.by_group)
    assert np.allclose(
        found.chance_of([float(ages.frame["Age"].min())] * 2000),
        found.chance_of([found.values[0]] * 2000),
    )
    states = sorted(set(data.frame["Marital"].astype(str)))
    tree = vk.targets.of_values(vk.Hierarchy.of({"any": states}), states)
    shown = vk.mask.disguise(
        data, hierarchy=tree, groups=vk.partition.anatomy(data, ell=2, seed=1), seed=1
    ).release
    assert set(learned_values(shown).values) == {*states, "missing"}


def count_deals(known, groups, held, tables):
    """The chance of each value of each person, over all ways to deal out each group's values.

    A way is as likely as the product, over people and columns, of how likely what is known of her
    is with the value she is dealt. One person gets a value, the rest of the group all others.
    """

    def fits(person, value):
        return math.prod(table[known[person][at]][value] for at, table in enumerate(tables))

    def deal(people, left):
        if not people:
            return 1.0
        some = (at for at, amount in enumerate(left) if amount)
        return sum(fits(people[0], at) * deal(people[1:], less(left, at)) for at in some)

    def less(left, at):
        return (*left[:at], left[at] - 1, *left[at + 1 :])

    found = np.zeros((len(known), len(tables[0][0])))
    for members, values in zip(groups, held, strict=True):
        amounts = tuple(np.bincount(values, minlength=found.shape[1]))
        for person in members:
            others = [other for other in members if other != person]
            for value in set(values):
                found[person, value] = fits(person, value) * deal(others, less(amounts, value))
    return found / found.sum(axis=1, keepdims=True)


def test_balanced_chances_stay_near_those_of_all_ways_and_call_nothing_certain_that_is_not():
    rng = np.random.default_rng(7)
    off, above = [], []
    for _ in range(200):
        size, values, columns = rng.integers(4, 10), rng.integers(2, 5), rng.integers(1, 4)
        tables = [rng.dirichlet(np.ones(3), size=values).T.clip(1e-4) for _ in range(columns)]
        known, secret = rng.integers(0, 3, (size, columns)), rng.integers(0, values, size)
        groups = [part for part in np.split(np.arange(size), [rng.integers(1, size)]) if len(part)]
        label = np.repeat(np.arange(len(groups)), [len(part) for part in groups])
        pairs, counts = np.unique(label * values + secret, return_counts=True)
        held = (pairs // values, pairs % values, counts.astype(float))
        people = Grouped(tuple(known.T), (3,) * columns, label, *held, int(values))
        logs = sum_log_chances(people, [np.log(table) for table in tables])
        at, person = people.slots
        exact = count_deals(known, groups, [secret[part] for part in groups], tables)
        told = balance_chances(people, logs, 300).chances
        true = exact[person, people.value[at]]
        off.append(np.abs(told - true).max())
        above.append((told - true)[true == exact.max(axis=1)[person]].max())
        assert not ((told > 1 - 1e-9) & (true < 1 - 1e-6)).any()
    assert np.mean(off) < 0.12
    assert max(off) < 0.3
    assert max(above) < 0.15


def test_two_people_with_two_values_have_the_square_roots_of_the_exact_odds():
    one = np.zeros(2, np.intp)
    people = Grouped((np.arange(2),), (3,), one, one, np.arange(2), np.ones(2), 2)
    told = balance_chances(people, np.log([0.9, 0.1, 0.3, 0.7]), 50).chances
    odds = np.sqrt(0.9 * 0.7 / (0.1 * 0.3))
    assert told == pytest.approx(
        [odds / (1 + odds), 1 / (1 + odds), 1 / (1 + odds), odds / (1 + odds)]
    )


def test_values_that_never_stand_in_one_group_teach_nothing_of_those_that_do():
    pairs = np.repeat(np.arange(4), 4)
    held = np.array([[0, 1, 2, 3]] * 4)  # {a, c} beside {b, d} in two pairs, {a, b} beside {c, d}
    first = np.array([[1, 0, 1, 0], [0, 1, 0, 1], [1, 1, 0, 0], [1, 1, 0, 0]], float)
    none = np.zeros(1, np.intp)
    both = Grouped((none,), (2,), none, pairs, held.ravel(), np.ones(16), 4)
    alike = _weigh_values(both, first.ravel()).reshape(4, 4)
    # a stands with b in two of eight groups, each of them in four: as often as by luck
    assert np.allclose(alike, [[0.5] * 4] * 4)
    apart = both.take(np.array([0, 1]), np.array([0, 1]))[0]
    assert (_weigh_values(apart, first[:2].ravel()) == 0).all()


def ages(n=6000):
    """A number in three columns, and a value that follows it."""
    rng = np.random.default_rng(4)
    age = rng.integers(18, 90, n)
    near = np.clip((age - 18) // 9 + rng.integers(-2, 3, n), 0, 8)
    columns = {"age": age, "five": age // 5, "ten": age // 10, "other": rng.integers(0, 50, n)}
    frame = pd.DataFrame({**columns, "secret": near.astype(str)})
    return vk.Microdata(frame, vk.Schema.guess(frame, secret="sensitive"))


def test_nothing_is_claimed_of_neighbourhoods_none_of_which_is_like_another():
    data = ages()
    groups = vk.partition.mondrian(data, k=80, seed=1)
    release, key = vk.mask.anatomize(data, partition=groups, seed=1)
    truth = np.empty(len(data), object)
    truth[key.places[""]] = data.frame["secret"]
    found = learned_values(release)
    assert found.strength == found.tested == 0
    assert_as_many_are_right_as_told(found, truth)


def adult(folder, secret, ell, form):
    known = ["age", "workclass", "education", "marital-status", "race", "sex", "native-country"]
    frame = vk.datasets.adult(folder / "adult").frame[[*known, secret]].reset_index(drop=True)
    data = vk.Microdata(frame, vk.Schema.guess(frame, **{secret: "sensitive"}))
    return data, form(data, ell=ell, seed=1)


@pytest.mark.parametrize(("secret", "ell", "form", "least"), [
    ("relationship", 2, vk.partition.anatomy, 0.97),
    ("occupation", 5, vk.partition.anatomy, 0.45),
    ("occupation", 5, vk.partition.diverse, 0.38),
])  # fmt: skip
def test_two_anatomized_tables_of_adult_tell_far_more_than_their_groups(
    datasets_dir, secret, ell, form, least
):
    data, groups = adult(datasets_dir, secret, ell, form)
    release, key = vk.mask.anatomize(data, partition=groups, seed=1)
    truth = np.empty(len(data), object)
    truth[key.places[""]] = data.frame[secret].astype(str)
    found = learned_values(release)
    right = found.guess == truth
    assert found.by_group.mean() == pytest.approx(1 / ell, abs=0.01)
    assert right.mean() >= least
    assert found.chance.mean() <= right.mean()
    assert_as_many_are_right_as_told(found, truth)


def test_columns_shuffled_one_by_one_tell_nearly_as_much_of_who_is_known_to_be_in_a_group(
    datasets_dir,
):
    data, groups = adult(datasets_dir, "relationship", 2, vk.partition.diverse)
    release, key = vk.mask.permute_all(data, partition=groups, seed=1)
    hers = release.labels.names[release.labels.quasi[key.places["age"]]]
    found = learned_values(release, data, groups=hers)
    right = (found.guess == data.frame["relationship"].astype(str)).mean()
    assert right >= 0.96
    assert found.by_group.mean() == pytest.approx(0.5, abs=0.01)
    assert found.chance.mean() <= right
