"""A second mind: answers worked out from the text of a question and what it shows, by counting.

Nothing of verikit is called here but what hands the data out: no rank, no class, no measure.
"""

import math
import re
from collections import Counter
from fractions import Fraction
from itertools import combinations, pairwise, permutations, product

import pytest
from sources import THOROUGH

from verikit.exercises import EXERCISES, draw, judge

STUDENTS = [f"mind {number}" for number in range(200 if THOROUGH else 12)]
SLOW = {"in-01", "in-02", "cr-03"}


def rows(table):
    frame = getattr(table, "frame", table)
    return frame.to_dict("records")


def classes(table):
    found = {}
    for row in rows(table):
        found.setdefault((row["Age"], row["Zip"]), []).append(row["Illness"])
    return found


def share(values, value):
    return Fraction(values.count(value), len(values))


def rank(values, value):
    return sum(one < value for one in values) + 1


# --- one answer is right -----------------------------------------------------------------------


def ka_01(task):
    table = rows(task["table"])
    own = table[task["person"]]
    return {"people": sum(row["Age"] == own["Age"] and row["Zip"] == own["Zip"] for row in table)}


def ka_02(task):
    found = list(classes(task["table"]).values())
    return {
        "k": min(map(len, found)),
        "alone": sum(len(ill) for ill in found if len(ill) == 1),
        "open": sum(len(ill) for ill in found if len(set(ill)) == 1),
    }


def dc_01(task):
    return {"diversity": min(len(set(ill)) for ill in classes(task["table"]).values())}


def dc_02(task):
    counts = sorted(Counter(row["Illness"] for row in rows(task["table"])).values(), reverse=True)
    parts = [count / sum(counts) for count in counts]
    entropy = -sum(part * math.log(part) for part in parts)
    return {"entropy": math.exp(entropy), "recursive": counts[0] / sum(counts[1:])}


def dc_03(task):
    every = [row["Illness"] for row in rows(task["table"])]
    apart = [
        sum(abs(share(ill, value) - share(every, value)) for value in set(every)) / 2
        for ill in classes(task["table"]).values()
    ]
    return {"t": float(max(apart))}


def at_01(task):
    found = classes(task["release"]).values()
    return {"people": sum(len(i) for i in found if max(Counter(i).values()) * 4 >= 3 * len(i))}


def at_02(task):
    found = classes(task["release"]).values()
    return {"people": sum(len(i) for i in found if len(set(i) - {task["illness"]}) == 1)}


def at_03(task):
    every = [row["Illness"] for row in rows(task["release"])]
    found = classes(task["release"]).values()
    return {"times": float(max(share(i, v) / share(every, v) for i in found for v in set(i)))}


def ke_01(task):
    found = {}
    for row in rows(task["table"]):
        found.setdefault(row["Zip"], []).append(row["Pay"])
    return {
        "k": min(len(set(pay)) for pay in found.values()),
        "e": min(max(pay) - min(pay) for pay in found.values()),
    }


def bg_01(task):
    films = {}
    for row in rows(task["graph"].to_frame()):
        films.setdefault(row["person"], set()).add(row["film"])
    pairs = [pair for pair in combinations(sorted(films), 2) if films[pair[0]] & films[pair[1]]]
    assert len(films) == 6
    others = [name for name in films if name != task["person"]]
    return {
        "others": sum(not films[name] & films[task["person"]] for name in others),
        "pairs": len(pairs),
    }


def pp_01(task):
    masked = task["masked"]
    return {"value": sorted(task["original"])[rank(masked, masked[task["row"]]) - 1]}


def pp_02(task):
    both = zip(task["original"], task["masked"], strict=True)
    moved = [abs(rank(task["original"], o) - rank(task["masked"], m)) for o, m in both]
    return {"places": moved[task["row"]], "kept": moved.count(0)}


def pp_03(task):
    masked, original = task["masked"][task["row"]], task["original"][task["row"]]
    return {"residual": masked - pp_01(task)["value"], "total": masked - original}


def closest_rows(task):
    """By published row how many places away in each column, from the closest published value."""
    table, own = rows(task["published"]), task["own"]
    found = []
    for row in table:
        places = {}
        for name, value in own.items():
            column = [one[name] for one in table]
            nearest = min(column, key=lambda one, value=value: abs(one - value))
            places[name] = abs(rank(column, row[name]) - rank(column, nearest))
        found.append(places)
    return found


def cr_01(task):
    worst = [max(places.values()) for places in closest_rows(task)]
    assert worst.count(min(worst)) == 1
    return {"row": worst.index(min(worst)), "distance": min(worst)}


def cr_02(task):
    column = [row[task["column"]] for row in rows(task["published"])]
    own = task["own"][task["column"]]
    value = min(column, key=lambda one: abs(one - own))
    return {"value": value, "rank": rank(column, value)}


def cr_03(task):
    places = closest_rows(task)[cr_01(task)["row"]]
    column = max(places, key=lambda name: places[name])
    return {"column": column, "places": places[column]}


def candidates(task):
    """By person the released rows whose worst column is the fewest places away."""
    people, released = rows(task["original"]), rows(task["release"])
    found = []
    for own in people:
        worst = [
            max(
                abs(rank([p[n] for p in people], own[n]) - rank([r[n] for r in released], row[n]))
                for n in "XYZ"
            )
            for row in released
        ]
        found.append([at for at, far in enumerate(worst) if far == min(worst)])
    return found


def in_01(task):
    (row,) = candidates(task)[task["person"]]
    return {"row": row}


def in_02(task):
    both = list(zip(candidates(task), task["key"], strict=True))
    return {
        "right": sum(found == [own] for found, own in both),
        "wrong": sum(own not in found for found, own in both),
    }


def in_03(task):
    right = [sum(a == b for a, b in enumerate(order)) for order in permutations(range(task["n"]))]
    return {"mean": sum(right) / len(right), "some": 1 - right.count(0) / len(right)}


# --- which one of four statements follows ------------------------------------------------------


def letter(task, truths):
    """The letter of the only statement that some rule of ours calls true."""
    found = []
    for at, text in task["statements"].items():
        (verdict,) = {truth for start, truth in truths.items() if start in text}
        found += [at] * bool(verdict)
    assert len(found) == 1, found
    return {"letter": found[0]}


def ka_03(task):
    found, k = list(classes(task["table"]).values()), task["k"]
    best = max(Fraction(max(Counter(ill).values()), len(ill)) for ill in found)
    certain = any(len(set(ill)) == 1 for ill in found)
    return letter(task, {
        "Everybody shares age": min(map(len, found)) >= 2,
        "Somebody shares age": min(map(len, found)) == 1,
        "Somebody's illness can be known": certain,
        "Nobody's illness can be known": not certain,
        "with a chance above": best > Fraction(1, k),
        "with a chance of at most": best <= Fraction(1, k),
        "Some class has more": max(map(len, found)) > k,
        "No class has more": max(map(len, found)) <= k,
    })  # fmt: skip


def dc_04(task):
    counts = Counter(row["Illness"] for row in rows(task["table"]))
    n, most = sum(counts.values()), max(counts.values())
    entropy = math.exp(-sum(c / n * math.log(c / n) for c in counts.values()))
    return letter(task, {
        "guesses the most frequent illness": 2 * most > n,
        "no guess is right more often than not": 2 * most <= n,
        "yet they are not equally likely": len(counts) == 3 and len(set(counts.values())) > 1,
        "every guess from the class alone right in one of three": len(set(counts.values())) == 1,
        "but not by entropy": len(counts) >= 3 > entropy,
        "by entropy, too": entropy >= 3,
        "is left with two illnesses": len(set(counts) - {"flu"}) == 2,
        "knows her illness": len(set(counts) - {"flu"}) == 1,
    })  # fmt: skip


def at_05(task):
    found = [set(ill) for ill in classes(task["release"]).values()]
    sizes, out = map(len, classes(task["release"]).values()), task["illness"]
    open_now = any(len(ill) == 1 for ill in found)
    after = any(len(ill - {out}) == 1 for ill in found)
    spared = any(out not in ill for ill in found)
    return letter(task, {
        "learns some people's illness for certain": after,
        "learns nobody's illness for certain": not after,
        "Without more knowledge nobody's": not open_now,
        "Somebody's illness is certain already": open_now,
        "stays as mixed as it is": spared,
        "Every class has fewer": not spared,
        "yet knowledge about illnesses helps": min(sizes) >= 3 and after,
        "Nothing more can be learned": not after,
    })  # fmt: skip


def ke_05(task):
    pay = sorted(row["Pay"] for row in rows(task["table"]))
    k, e = len(set(pay)), pay[-1] - pay[0]
    near = max(sum(abs(guess - one) * 4 <= e for one in pay) for guess in range(pay[0], pay[-1]))
    apart = min(b - a for a, b in pairwise(pay))
    return letter(task, {
        "for at least half of the people": near * 2 >= len(pay),
        "for one person in": near * k <= len(pay),
        "lie less than": apart < e,
        "Any two of the values lie at least": apart >= e,
        "Everybody's pay can be estimated": e / 2 < e,
        "Nobody with the lowest or highest": e / 2 >= e,
        "could be others, and k and e the same": e > k - 1 or k > 2,
        "how far each value lies from the next": k == 2,
    })  # fmt: skip


def pp_04(task):
    original, masked = task["original"], task["masked"]
    mapped = [sorted(original)[rank(masked, value) - 1] for value in masked]
    ranks = [[rank(column, value) for value in column] for column in (original, masked, mapped)]
    apart = [sum((a - b) ** 2 for a, b in zip(ranks[0], r, strict=True)) for r in ranks[1:]]
    larger = any(
        abs(m - p) > abs(m - o) + 1e-9 for o, m, p in zip(original, masked, mapped, strict=True)
    )
    return letter(task, {
        "have the same rank correlation": apart[0] == apart[1],
        "has a higher rank correlation": apart[1] < apart[0],
        "holds just the values": set(mapped) == set(original),
        "holds values that do not occur": not set(mapped) <= set(original),
        "In some row the residual": larger,
        "In every row the residual": not larger,
        "Some reverse-mapped value is not": mapped != original,
        "is each person's own original": mapped == original,
    })  # fmt: skip


def cr_04(task):
    away, far = closest_rows(task), task["distance"]
    worst = [max(places.values()) for places in away]
    places = away[worst.index(min(worst))]
    return letter(task, {
        "Every released row is at least": min(worst) >= far,
        "Some released row is less than": min(worst) < far,
        "may be somebody else's": True,
        "The closest row is hers": False,
        "She may be found, although": far > 0,
        "She cannot be found": False,
        "In some column the closest row": min(places.values()) < far,
        "In every column the closest row": min(places.values()) == far,
    })  # fmt: skip


def in_04(task):
    return letter(task, {
        "It is more than luck gives": task["count"] >= 4,
        "It is what random links": task["count"] <= 1,
        "cannot tell which": True,
        "knows which": False,
        "Another attack may": task["count"] < 10,
        "The others are safe": False,
        "find one person on average": True,
        "find a tenth": False,
    })  # fmt: skip


def groups_of(release):
    """By group its rows of the first table, and its illnesses."""
    people, ill = {}, {}
    for at, row in enumerate(release.quasi.to_dict("records")):
        people.setdefault(row["Group-ID"], []).append((at, row["Age"]))
    for row in release.sensitive.to_dict("records"):
        ill.setdefault(row["Group-ID"], []).append(row["Illness"])
    return {group: (people[group], ill[group]) for group in people}


def le_01(task):
    groups = groups_of(task["release"]).values()
    fall = Counter()  # how much of each illness falls to an age
    for people, ill in groups:
        for (_, age), one in product(people, ill):
            fall[one, age] += Fraction(1, len(ill))
    every = Counter(one for _, ill in groups for one in ill)
    ((_, own),) = [part for part in groups if task["row"] in dict(part[0])]
    part = {one: share(own, one) * fall[one, task["age"]] / every[one] for one in set(own)}
    return {
        "share": float(fall[task["illness"], task["age"]] / every[task["illness"]]),
        "chance": float(part[task["illness"]] / sum(part.values())),
    }


def le_02(task):
    """Each group by itself: all but its oldest alike, and in the last one what is left over."""
    groups = sorted(groups_of(task["release"]).values(), key=lambda part: part[0][0][1])
    worlds, left, certain = 1, 1, []
    for people, ill in groups:
        ages = sorted(age for _, age in people)
        ways = set(permutations(ill))
        worlds *= len(ways)
        ends = {way: next(at for at, one in enumerate(way) if one != way[0]) for way in ways}
        last = people is groups[-1][0]
        rest = {way: way[ends[way] + 1 :] for way in ways}
        fits = [w for w in ways if (len(set(rest[w])) <= 1 if last else not rest[w])]
        left *= len(fits)
        certain += [age for age, *held in zip(ages, *fits, strict=True) if len(set(held)) == 1]
    return {"worlds": worlds, "left": left, "certain": certain}


def le_03(task):
    held = {}
    for name in ("first", "second"):
        for people, ill in groups_of(task[name]).values():
            for _, age in people:
                held.setdefault(age, []).append(set(ill))
    both = {age: one & other for age, (one, other) in held.items()}
    return {
        "certain": [age for age, ill in both.items() if len(ill) == 1],
        "left": sum(map(len, both.values())),
    }


def le_04(task):
    """Whatever the illnesses decide must not depend on who has them."""
    of_people, of_illness = r"\bages?\b|postal code", r"illness"
    return {
        "resist": [
            letter
            for letter, text in task["methods"].items()
            if not (re.search(of_people, text) and re.search(of_illness, text))
        ]
    }


def le_05(task):
    asked = [row for row in rows(task["table"]) if row["Half"] == "asked"]
    other = [row for row in rows(task["table"]) if row["Half"] == "other"]
    usual = {}
    for age in {row["Age"] for row in asked}:
        ill = [row["Illness"] for row in other if row["Age"] == age]
        usual[age] = max(set(ill), key=ill.count)
        assert [ill.count(one) for one in set(ill)].count(ill.count(usual[age])) == 1
    named = [row["Guess"] == row["Illness"] for row in asked]
    without = [usual[row["Age"]] == row["Illness"] for row in asked]
    return {
        "with": sum(named) / len(asked),
        "without": sum(without) / len(asked),
        "added": sum(one > two for one, two in zip(named, without, strict=True)),
    }


def dp_01(task):
    keep, values = Fraction(str(task["keep"])), task["values"]
    chances = []  # by own answer, of each published one: every way it comes about
    for own in range(values):
        comes = dict.fromkeys(range(values), Fraction(0))
        comes[own] += keep
        for drawn in range(values):
            comes[drawn] += (1 - keep) * Fraction(1, values)
        chances.append(comes)
    epsilon = max(
        math.log(one[seen] / two[seen]) for one in chances for two in chances for seen in one
    )
    return {"same": chances[0][0], "other": chances[0][1], "epsilon": epsilon}


def dp_02(task):
    def worst(epsilon, counted):
        """Of a count with noise: how much likelier it gets by one person who is counted or not."""
        noise = [math.exp(-epsilon * abs(step)) for step in range(-30, 31)]
        return max(max(a / b, b / a) for a, b in pairwise(noise)) if counted else 1

    factor = max(
        math.prod(worst(task["each"], True) for _ in range(task["many"]))
        * math.prod(worst(task["town"], town == home) for town in range(task["towns"]))
        for home in range(task["towns"])
    )
    spent, left = Fraction(str(round(math.log(factor), 6))), 0
    while spent + (left + 1) * Fraction(str(task["more"])) <= Fraction(str(task["budget"])):
        left += 1
    return {"together": float(spent), "left": left, "factor": factor}


def dp_04(task):
    people, rate = range(task["people"]), Fraction(str(task["rate"]))
    chances = Counter()
    for drawn in product([True, False], repeat=len(people)):
        weight = math.prod(rate if one else 1 - rate for one in drawn)
        orders = [
            order
            for order in permutations(people)
            if all((order[one] != one) == drawn[one] for one in people)
        ]  # none where just one is drawn
        for order in orders:
            chances[order] += weight / len(orders)
    total = sum(chances.values())
    stay = tuple(people)
    factor = max(
        chances[(order[1], order[0], *order[2:])] / chances[order] for order in permutations(people)
    )
    two = (1, 0, *people[2:])
    return {"still": chances[stay] / total, "pair": chances[two] / total, "factor": factor}


def dp_05(task):
    tables = {name: [list(row.values())[1:] for row in rows(task[name])] for name in "ABC"}
    zeros = {name: sum(row.count(0) for row in table) for name, table in tables.items()}
    (none,) = (name for name in zeros if zeros[name])
    epsilons = [
        math.log(one[seen] / two[seen])
        for name in "ABC" if name != none
        for one in tables[name] for two in tables[name] for seen in range(4)
    ]  # fmt: skip
    return {"none": none, "ruled": zeros[none], "epsilon": max(epsilons)}


def dp_06(task):
    people, factor, links = task["people"], Fraction(str(task["factor"])), task["links"]
    ends = product([Fraction(1), factor], repeat=people)  # how likely each row is, up to a factor
    chance = max(max(weights) / sum(weights) for weights in ends)
    allowed = people * chance
    numbers = [Fraction(n) for n in range(people + 1)]
    often = [
        (allowed - few) / (many - few)
        for few in numbers for many in numbers if few <= allowed <= many and many >= links > few
    ]  # fmt: skip
    return {"chance": chance, "allowed": allowed, "rare": max(often)}


def ordered(task):
    table = rows(task["table"])
    return [
        sorted(row["Distance"] for row in table if row["Who"] == who) for who in ("person", "other")
    ]


def sy_01(task):
    people, others = ordered(task)
    allowed = max(
        k for k in range(len(others)) if Fraction(k + 1, len(others) + 1) <= Fraction(1, 20)
    )
    found = sum(sum(other < one for other in others) <= allowed for one in people)
    return {
        "allowed": allowed,
        "found": found,
        "luck": len(people) * Fraction(allowed + 1, len(others) + 1),
    }


def sy_02(task):
    people, others = task["people"], task["others"]
    places = list(combinations(range(people + others), people))
    first = [taken for taken in places if taken[: task["found"]] == tuple(range(task["found"]))]
    return {"orders": len(places), "chance": len(first) / len(places)}


def sy_03(task):
    people, others, drawn = (
        [tuple(row.values()) for row in rows(task[n])] for n in ("people", "others", "drawn")
    )
    stand = [at for at, row in enumerate(people) if row in drawn]
    alone = [
        at for at in stand
        if people[at] not in people[:at] + people[at + 1 :] and people[at] not in others
    ]  # fmt: skip
    return {"stand": len(stand), "alone": len(alone)}


def sy_04(task):
    gaps = [
        [min(abs(row - one) for one in task[name]) for name in ("people", "others")]
        for row in task["rows"]
    ]
    closer = Fraction(sum(a < b for a, b in gaps), len(gaps))
    order = sorted(a for a, _ in gaps)
    return {
        "closer": closer,
        "score": min(Fraction(1), 2 - 2 * closer),
        "middle": (order[len(order) // 2] + order[(len(order) - 1) // 2]) / 2,
    }


def sy_05(task):
    shares = []
    for who in ("person", "other"):
        asked = [row for row in rows(task["asked"]) if row["Who"] == who]
        right = 0
        for row in asked:
            gaps = {abs(one["Age"] - row["Age"]): one["Illness"] for one in rows(task["drawn"])}
            right += gaps[min(gaps)] == row["Illness"]
        shares.append(Fraction(right, len(asked)))
    people, others = shares
    return {"people": people, "others": others, "risk": (people - others) / (1 - others)}


ONE = {one.__name__.replace("_", "-"): one for one in (
    ka_01, ka_02, ka_03, dc_01, dc_02, dc_03, dc_04, at_01, at_02, at_03, at_05, ke_01, ke_05,
    bg_01, pp_01, pp_02, pp_03, pp_04, cr_01, cr_02, cr_03, cr_04, in_01, in_02, in_03, in_04,
    le_01, le_02, le_03, le_04, le_05, dp_01, dp_02, dp_04, dp_05, dp_06,
    sy_01, sy_02, sy_03, sy_04, sy_05,
)}  # fmt: skip


def shown(name, student):
    """What a student sees, and what is kept for judging."""
    data = draw(EXERCISES[name], student)
    return {key: value for key, value in data.items() if not key.startswith("_")}, data


@pytest.mark.parametrize("name", ONE)
def test_what_a_second_mind_finds_in_the_text_is_right(name):
    for student in STUDENTS[: 6 if name in SLOW else None]:
        task, data = shown(name, student)
        found = judge(EXERCISES[name], data, ONE[name](task))
        assert (found.points, found.sentence) == (found.most, "Right."), student


# --- many answers are right --------------------------------------------------------------------


def ka_04(task, answer):
    own = rows(task["table"])[answer["row"]]
    ill = classes(task["table"])[own["Age"], own["Zip"]]
    return len(ill) > 1 and len(set(ill)) == 1


def dc_07(task, answer):
    def mixes(age, code):
        held = {}
        for row in rows(task["table"]):
            shown = [row["Age"], int(row["Age"][0]) < 4, "any"][age]
            place = [row["Zip"], row["Zip"][:3], "any"][code]
            held.setdefault((shown, place), []).append(row["Illness"])
        return all(2 * ill.count(one) <= len(ill) for ill in held.values() for one in ill)

    sums = [age + code for age, code in product(range(3), repeat=2) if mixes(age, code)]
    return mixes(answer["Age"], answer["Zip"]) and answer["Age"] + answer["Zip"] == min(sums)


def cr_05(task, answer):
    return max(closest_rows(task)[answer["row"]].values()) > task["most"]


def bg_07(task, answer):
    seen = Counter(person for person, _ in set(answer["links"]))
    if max(seen.values()) > 1 or not set(task["seen"]) <= set(answer["links"]):
        return False
    film = dict(answer["links"])
    people = ["ann", "ben", "cho", "dia", "eva", "fay"]
    return not any(
        all(
            film.get(one, one) != film.get(other, other)
            for half in (group, set(people) - set(group))
            for one, other in combinations(sorted(half), 2)
        )
        for group in combinations(people, 3)
    )


def in_07(task, answer):
    both = zip(task["original"], answer["masked"], strict=True)
    kept = [rank(task["original"], o) == rank(answer["masked"], m) for o, m in both]
    return len(set(answer["masked"])) == 6 and sum(kept) == task["right"]


def at_06(task, answer):
    labels = {
        "first": answer["first"], "second": answer["second"],
        "both": list(zip(answer["first"], answer["second"], strict=True)),
    }  # fmt: skip
    held = {
        name: [
            len({ill for ill, other in zip(task["ill"], of, strict=True) if other == own})
            for own in of
        ]
        for name, of in labels.items()
    }
    own = labels["both"][task["row"]]
    others = [n for n, of in zip(held["both"], labels["both"], strict=True) if of != own]
    return (
        min(held["first"] + held["second"]) >= 2
        and held["both"][task["row"]] == 1
        and all(n > 1 for n in others)
    )


def le_06(task, answer):
    table, second = rows(task["table"]), answer["groups"]
    for row, group in zip(table, second, strict=True):
        row["second"] = group
    held = {}
    for name in ("First group", "second"):
        for row in table:
            held.setdefault((name, row[name]), []).append(row["Illness"])
    if sorted(map(len, held.values())) != [3] * 6 or any(len(set(i)) < 3 for i in held.values()):
        return False
    open_to = [
        sum(ill in held["second", row["second"]] for ill in held["First group", row["First group"]])
        for row in table
    ]
    return open_to.count(1) >= task["many"]


def dp_03(task, answer):
    names = answer["names"]
    without = [[other for other in names if other != one] for one in names]
    gone = max(len(names) - len(rest) for rest in without)
    reached = math.prod([math.exp(task["epsilon"])] * gone) >= task["factor"]
    return reached and len(dict.fromkeys(names)) >= task["people"]


def sy_06(task, answer):
    def middle(values):
        return sorted(min(abs(one - other) for other in task["people"]) for one in values)[2]

    repeated = sum(person in answer["rows"] for person in task["people"])
    return middle(answer["rows"]) >= middle(task["others"]) and repeated >= 2


PEOPLE = ["ann", "ben", "cho", "dia", "eva", "fay"]
FILMS = ["p1", "p2"]
MANY = {
    "ka-04": (ka_04, lambda task: [{"row": row} for row in range(24)]),
    "dc-07": (dc_07, lambda task: [
        {"Age": age, "Zip": code} for age, code in product(range(3), repeat=2)
    ]),
    "cr-05": (cr_05, lambda task: [{"row": row} for row in range(12)]),
    "bg-07": (bg_07, lambda task: [
        {"links": [*task["seen"], (a, f), (b, g)]}
        for a, b in combinations(PEOPLE, 2) for f, g in product(FILMS, FILMS)
    ]),
    "in-07": (in_07, lambda task: [
        {"masked": list(order)} for order in list(permutations(task["original"]))[::24]
    ]),
    "at-06": (at_06, lambda task: [
        {"first": list(one), "second": list(other)}
        for one, other in list(combinations(
            list(product("AB", repeat=6)), 2))[::41]
    ]),
    "le-06": (le_06, lambda task: [
        {"groups": [0, *order]}
        for order in sorted(set(permutations([0, 0, 1, 1, 1, 2, 2, 2])))[::3]
    ]),
    "dp-03": (dp_03, lambda task: [
        {"names": ["eve"] * many + [f"p{at % others}" for at in range(task["rows"] - many)]}
        for many in range(1, task["rows"]) for others in range(1, task["rows"])
    ]),
    "sy-06": (sy_06, lambda task: [
        {"rows": [*repeated, *[task["people"][0] - far for far in (20, 1, 7)][: 5 - len(repeated)]]}
        for size in range(2, 6) for repeated in combinations(task["people"], size)
    ]),
}  # fmt: skip


@pytest.mark.parametrize("name", MANY)
def test_what_a_second_mind_calls_right_is_right_and_nothing_else_is(name):
    rule, answers = MANY[name]
    agreed = Counter()
    for at, student in enumerate(STUDENTS):
        task, data = shown(name, student)
        assert rule(task, EXERCISES[name].right(data)), student
        for answer in answers(task)[at % 2 :: 2]:
            found = judge(EXERCISES[name], data, answer)
            right = found.points == found.most
            assert right == rule(task, answer), (student, answer)
            agreed[right] += 1
    assert min(agreed[True], agreed[False]) > 1
