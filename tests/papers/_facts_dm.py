"""What the facts of [DM]_ come to, worked out anew: a text for each, as it stands in the list."""

import itertools
import math
from functools import cache

import numpy as np
from _lists import lists

import verikit as vk
from verikit.protector import correct_links
from verikit.ranks import blocks, closest, luck, reverse_map

NAMES = ["X1", "X2", "X3"]
KEY = vk.Key.of(range(20))
X, Y, Z = (vk.load(f"dm_table1{part}") for part in ("", "_masked", "_mapped"))
RELEASED, MAPPED = vk.published("dm_table1_masked"), vk.published("dm_table1_mapped")
RECORD_3 = X.record(2)
COMPUTED, NEAR, computes, near = lists()


def ranks(table):
    return np.column_stack([blocks(table.scores(name))[0] for name in NAMES])


def listed(values, form="{}", by=", "):
    return by.join(form.format(value) for value in values)


def agree(found, printed):
    found, printed = np.asarray(found), np.asarray(printed)
    assert found.shape == printed.shape
    same = np.isclose(found, printed, atol=1e-9).sum()
    return f"all {same} agree" if same == printed.size else f"{same} of {printed.size} agree"


@cache
def checked():
    return vk.check(RECORD_3, RELEASED)


@cache
def linked():
    return vk.link(X, MAPPED)


@cache
def printed(number):
    return vk.load(f"dm_table{number}").frame


def short(value, digits):
    return f"{value:.{digits}f}".rstrip("0")


# -- sections 2 and 3 ------------------------------------------------------------------------------


@computes("P01")
def all_ranks():
    told = vk.load("dm_table1_ranks").frame
    columns = [told[f"{kind}_{n}"] for kind in ("rank", "rank_masked") for n in NAMES]
    return agree(np.hstack([ranks(X), ranks(Y)]), np.column_stack(columns))


@computes("P02")
def mapped_values():
    found = [reverse_map(X.scores(n), Y.scores(n), seed=1) for n in NAMES]
    return agree(found, [Z.scores(n) for n in NAMES])


@computes("P03")
def first_value():
    mapped = reverse_map(X.scores("X1"), Y.scores("X1"), seed=1)[0]
    return f"{ranks(X)[0, 0]}; {ranks(Y)[0, 0]}; {mapped:.2f}"


for _name, _fact in zip(NAMES, ("P04", "P05", "P06"), strict=True):
    COMPUTED[_fact] = lambda name=_name: short(vk.utility.rank_correlation(X, Z)[name], 6)


@computes("P07")
def correlations_between():
    pairs = itertools.combinations(range(3), 2)
    of = [np.corrcoef(ranks(table).T) for table in (Y, Z)]
    return f"differ by {max(abs(of[0][pair] - of[1][pair]) for pair in pairs)} at most"


@computes("P08")
def ties_in_the_example():
    tied = any(len(set(t.scores(n))) < 20 for t in (X, Y) for n in NAMES)
    return f"the running example has {'some' if tied else 'no'} equal values"


def noise_of(data, masked):
    return vk.utility.residual_noise(data, masked, seed=1)


@computes("P09")
def residual():
    return agree(noise_of(X, Y).residual[NAMES], printed(2)[[f"residual_{n}" for n in NAMES]])


@computes("P10")
def total():
    return agree(noise_of(X, Y).total[NAMES], printed(2)[[f"total_{n}" for n in NAMES]])


@computes("P11")
def sizes_of_noise():
    sizes = noise_of(X, Y).to_frame()
    both = [listed(sizes[kind], "{:.2f}") for kind in ("total", "residual")]
    return f"mean sizes: in all {both[0]}; left {both[1]}"


@computes("P12")
def stretched():
    found = noise_of(X, vk.Microdata(X.frame * 3 + 1000))
    exactly = "exactly" if found.mapped.equals(X.frame) else "nearly"
    left = listed(found.to_frame()["residual"], "{:.1f}")
    return f"publishing 3X+1000 maps back to X {exactly} and leaves {left} on average"


# -- section 4 -------------------------------------------------------------------------------------


@computes("P14")
def closest_values():
    return listed(checked().attributes["closest"], "{:.2f}", "; ")


@computes("P15")
def closest_ranks():
    return listed(checked().attributes["first_rank"], by="; ")


@computes("P16")
def deviations():
    own = checked().attributes["first_rank"].to_numpy()
    return agree(np.abs(ranks(Y) - own), printed(3)[[f"deviation_{n}" for n in NAMES]])


@computes("P17")
def subjects_record():
    found = checked().matches.to_numpy().tolist()
    return "; ".join(f"record {row}; {listed(places)}" for row, *places in found)


@computes("P18")
def protectors_record():
    return listed(vk.models.permuted_privacy(X, Y, distance=0).places[2])


@computes("P19")
def window_of_x1():
    first, last = checked().attributes.loc[0, ["window_first", "window_last"]]
    return listed(RELEASED.ordered("X1")[int(first) - 1 : int(last)].tolist())


for _at, (_fact, _digits) in enumerate({"P20": 5, "P21": 5, "P22": 5}.items()):
    COMPUTED[_fact] = lambda at=_at, d=_digits: short(checked().attributes["diversity"][at], d)


def keeps(limits, strict):
    """Whether record 3 keeps 4, 1, 4 places and more, or no less, than some variances."""
    found = vk.check(RECORD_3, RELEASED, distance=dict(zip(NAMES, (4, 1, 4), strict=True)))
    spread = found.attributes["diversity"]
    compare = spread.gt if strict else spread.ge
    return bool(compare(limits).all())


@computes("P23")
def printed_variances():
    rounded, exact = [24.70, 155.00, 20167.78], checked().attributes["diversity"]
    said = {True: "kept", False: "broken"}
    both = {said[keeps(rounded, strict)] for strict in (True, False)}
    assert len(both) == 1
    return (
        f"rounded limits: {both.pop()} under both readings; unrounded limits: "
        f"{said[keeps(exact, True)]} when 'greater' is strict, {said[keeps(exact, False)]} when not"
    )


@computes("P25")
def window_of_no_places():
    found = [vk.check(X.record(i), RELEASED, distance=0, diversity=0) for i in range(20)]
    spread = {d for report in found for d in report.attributes["diversity"]}
    held = {
        int(last - first + 1)
        for report in found
        for first, last in report.attributes[["window_first", "window_last"]].to_numpy()
    }
    exceeds = any(report.met for report in found)
    return (
        f"a window of 0 ranks holds {'one value' if held == {1} else held}, of variance "
        f"{listed(spread, '{:g}')}, which exceeds {'something' if exceeds else 'nothing'}"
    )


@computes("P27")
def windows_at_the_ends():
    asked = vk.check(RECORD_3, RELEASED, distance=20).attributes
    ends = asked[["window_first", "window_last"]].drop_duplicates().to_numpy().tolist()
    ((first, last),) = ends
    return f"cut off at ranks {first} and {'n' if last == 20 else last}"


@computes("P28")
def half_way():
    blocks_found = [closest(RELEASED.ordered(n), RECORD_3[n]) for n in NAMES]
    alone = all(first == last for first, last in blocks_found)
    return f"{'does not happen' if alone else 'happens'} for record 3"


@computes("P29")
def several_matches():
    counts = [len(vk.check(X.record(i), RELEASED).matches) for i in range(20)]
    *some, last = [i + 1 for i, count in enumerate(counts) if count > 1]
    return f"on the noisy table this happens to records {listed(some)} and {last}"


@computes("P30")
def overstated():
    report = vk.audit(X, RELEASED, KEY)
    never = int((report.subject <= report.protector.max(axis=1)).sum())
    larger = []
    for i in range(20):
        first = vk.check(X.record(i), RELEASED).matches.sort_values("row").iloc[0]
        if (first[NAMES].to_numpy() > report.protector[i]).any():
            larger.append(i + 1)
    return (
        f"the largest distance never overstates ({never} of 20); one attribute overstates for "
        f"records {listed(larger)}"
    )


@computes("P31")
def largest_of_the_table():
    found = vk.models.permuted_privacy(X, Y, distance=0).largest.values()
    seen = [vk.check(X.record(i), RELEASED).attributes["distance"] for i in range(20)]
    return f"protector {listed(found)}; subject {listed(np.min(seen, axis=0))}"


# -- section 5.1 -----------------------------------------------------------------------------------


def rows_of(record):
    links = linked()
    return (links.rows[links.starts[record] : links.starts[record + 1]] + 1).tolist()


@computes("P32")
def table_4():
    told = zip(printed(4)["matches"].astype(str), printed(4)["distance"], strict=True)
    same = sum(
        (listed(rows_of(i), by=";"), linked().distances[i]) == line for i, line in enumerate(told)
    )
    return f"all {same} agree" if same == 20 else f"{same} of 20 agree"


@computes("P33")
def which_match_is_shown():
    """The distances stand for one of the matches: that row of the table of records."""
    shown = {}
    for i, line in printed(4).iterrows():
        found = linked().of(i)
        if len(found) > 1:
            told = line[[f"distance_{n}" for n in NAMES]].tolist()
            (shown[i + 1],) = found.loc[(found[NAMES] == told).all(axis=1), "row"]
    *some, last = (f"{row} (row {record})" for record, row in shown.items())
    first, *rest = some
    return f"they belong to mapped record {listed([first, *rest])} and {last}"


@computes("P34")
def manifold():
    return listed(np.flatnonzero(linked().counts > 1) + 1)


@computes("P35")
def chosen_by_several():
    return listed(np.flatnonzero(linked().chosen > 1) + 1)


@computes("P36")
def chosen_by_none():
    return listed(np.flatnonzero(linked().chosen == 0) + 1)


@computes("P37")
def right_manifold_wrong():
    found = correct_links(linked(), KEY)
    return f"{found.count} / {found.several} / {found.wrong}"


@computes("P38")
def zeros():
    places = printed(4)[[f"distance_{n}" for n in NAMES]].to_numpy()
    return listed((places == 0).sum(axis=0), by="; ")


@computes("P39")
def mean_distances():
    places = printed(4)[[f"distance_{n}" for n in NAMES]].to_numpy()
    return listed(places.mean(axis=0).round(10).tolist())


@computes("P40")
def true_shifts():
    kept = correct_links(linked(), KEY).attributes.set_index("attribute")
    settings = vk.load("dm_generation").frame
    (share,) = set(settings["noise_sd"] / settings["sd"])
    shifts = listed(kept.loc[NAMES, "places"], "{:.1f}")
    return f"mean true shifts {shifts}; noise sd over attribute sd is {share:g} in all three"


# -- section 5.2 -----------------------------------------------------------------------------------


@computes("P41")
def made_up_record():
    own = {n: X.frame[n][at - 1] for n, at in zip(NAMES, (5, 19, 10), strict=True)}
    found = vk.check(own, MAPPED).matches.to_numpy().tolist()
    return "; ".join(f"record {row}; {max(places)}; {listed(places)}" for row, *places in found)


@computes("P42")
def originals_and_mapped():
    original, mapped = (set(map(tuple, ranks(table))) for table in (X, Z))
    return f"{len(original)}; {len(mapped)}; both at once {len(original & mapped)}"


@computes("P43")
def shares_of_the_originals():
    found = vk.plausibility(X, MAPPED).to_frame()["records"].tolist()
    whole = found + [0.0] * (11 - len(found))
    assert whole[6:] == [0.0] * 5
    return f"{listed(np.round(whole[:6], 10).tolist())}, then 0.0 up to distance 10"


@cache
def within():
    return luck.exact(ranks(Z), ranks(Z), range(9))


@computes("P44")
def shares_of_all():
    counts = np.diff(8000 * within(), prepend=0).round(6)
    return f"counts {listed(counts, '{:g}')}"


@computes("P45")
def how_alike():
    found = vk.plausibility(X, MAPPED)
    return f"total variation {found.total_variation:.3f}, Hellinger {found.hellinger:.3f}"


@near("P46", 0.1)
def luck_of_six():
    rng = np.random.default_rng(3)
    alone, rows = linked().counts == 1, linked().rows[linked().starts[:-1]]
    counts = np.array([np.sum((rows == rng.permutation(20)) & alone) for _ in range(100_000)])
    return [correct_links(linked(), KEY).count, counts.mean(), 6, round(np.mean(counts >= 6), 4)]


@computes("P50")
def columns_of_table_6():
    sums = [printed(6)[f"share_{kind}"].sum() for kind in ("original", "random")]
    return f"original {sums[0]:.4f}, random {sums[1]:.4f}"


@computes("P51")
def condition_turned_round():
    random, original = printed(6)[["share_random", "share_original"]].head(6).sum()
    equal, weighted = random / (random + original), 10 * random / (10 * random + original)
    return (
        f"{random:.4f} is the share of random records within 5; the stated probability is "
        f"{equal:.5f} with equal weights and {weighted:.4f} with weights 10000:1000"
    )


@computes("P52")
def distance_zero():
    five = np.random.default_rng(1).permuted(np.tile(np.arange(1, 6), (3, 1)), axis=1).T
    assert luck.exact(five, five, [0])[0] * 5**3 == 5, "each of n records is one of n^m"
    share = 1000 / 1000**3
    data = vk.simulate("dm", 50, seed=1)
    links = vk.link(data, vk.TableRelease.of(data.frame))
    wrong = correct_links(links, vk.Key.of(np.r_[1, 0, 2:50])).wrong
    distance = links.distances[:2].max()
    return (
        f"a random record reaches 0 with n/n^m = {share:.0e}".replace("e-06", "e-6")
        + f"; exchanging two whole records gives d = {distance} and a "
        + f"{'wrong' if wrong == 2 else 'right'} link"
    )


def mean_distance(table):
    return float(np.sum(1 - luck.exact(table, table, range(len(table)))))


@near("P53", 0.15)
def correlated_or_shuffled():
    line = np.tile(np.arange(1, 21)[:, None], (1, 2))
    shuffled = [
        np.column_stack([line[:, 0], np.random.default_rng(seed).permutation(20) + 1])
        for seed in range(20)
    ]
    return [20, 2, mean_distance(line), np.mean([mean_distance(table) for table in shuffled])]


@near("P54", 0.06)
def growing_distances():
    found = []
    for n, m in ((10, 3), (20, 3), (40, 3), (20, 2), (20, 4)):
        rngs = [np.random.default_rng(seed) for seed in range(10)]
        tables = [np.column_stack([rng.permutation(n) + 1 for _ in range(m)]) for rng in rngs]
        found += [n, m, np.mean([mean_distance(table) for table in tables])]
    return found


@computes("P55")
def share_within():
    return f"share of random records within 0 to 8: {listed(within().round(9).tolist())}"


@computes("P56")
def noisy_table():
    noisy = luck.exact(ranks(Y), ranks(Y), range(9))
    return f"the noisy table gives {'the same' if (noisy == within()).all() else 'other'} counts"


@computes("P57")
def one_attribute():
    found = vk.plausibility(X, MAPPED, attributes=["X1"])
    assert found.share_others[0] == 1
    (distance,) = set(found.observed.tolist())
    return f"real and random records all match at {distance}, {len(found.observed)} of 20"


@computes("P58")
def believable_draws():
    told = vk.load("dm_generation").frame
    errors = told["sd"].to_numpy() / math.sqrt(20)
    means = (X.frame.mean().to_numpy() - told["mean"].to_numpy()) / errors
    sizes = X.frame.std().to_numpy(), (Y.frame - X.frame).std().to_numpy()
    own, added = (listed(part.round(1).tolist()) for part in sizes)
    off = listed(means.round(2).tolist())
    return f"means off by {off} standard errors; sd {own}; sd of the noise {added}"


# What has no figure of its own, and why.
IN_WORDS = {
    "P13": "a slip of the pen",
    "P24": "a choice of words; tests/papers/test_dm.py holds each criterion's direction",
    "P26": "one symbol for two things",
    "P59": "the wording of a comment",
    "P60": "a rule that is missing",
}
DRAWN = {
    "P47": "means of a hundred simulated tables; two of test_dm_intruder hold their ranges",
    "P48": "how rare one printed run is; test_table_6_small_noise holds every share of it",
    "P49": "the same for the random records",
}
