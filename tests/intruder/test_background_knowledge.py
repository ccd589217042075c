"""Who has a value that exactly one of some people has: all ways to give them records, counted."""

from collections import Counter
from itertools import permutations

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.intruder import background_knowledge

CELLS = {"a": "a", "b": "b", "c": "c", "{a, b}": "ab", "{b, c}": "bc", "{a, b, c}": "abc"}


def release(rows):
    frame = pd.DataFrame(rows, columns=["q", "s"])
    return vk.TableRelease.of(frame, vk.Schema.guess(frame, s="sensitive"), promise="covers")


def known(values):
    return pd.DataFrame({"name": [f"p{i}" for i in range(len(values))], "q": list(values)})


def counted(rows, values):
    """By person, in how many of all ways she alone has u; people who fit no record play no part."""
    fits = [[r for r, (cell, _) in enumerate(rows) if v in CELLS[cell]] for v in values]
    playing = [at for at, own in enumerate(fits) if own]
    alone = Counter()
    for way in permutations(range(len(rows)), len(playing)):
        if all(row in fits[at] for at, row in zip(playing, way, strict=True)):
            have = [at for at, row in zip(playing, way, strict=True) if rows[row][1] == "u"]
            if len(have) == 1:
                alone[f"p{have[0]}"] += 1
    return alone


def drawn(seed, cells):
    rng = np.random.default_rng(seed)
    rows = [(str(rng.choice(cells)), str(rng.choice(list("uuvw")))) for _ in range(6)]
    rows += [("a", "u"), ("a", "v")]  # so that u occurs, and its column holds several values
    people = [str(rng.choice(list("abc"))) for _ in range(int(rng.integers(1, 6)))]
    return rows, people


@pytest.mark.parametrize("cells", [list("abc"), list(CELLS)], ids=["classes", "overlapping"])
def test_the_chances_are_those_of_all_ways_to_give_people_records(cells):
    told = refused = 0
    for seed in range(120):
        rows, people = drawn(seed, cells)
        alone = counted(rows, people)
        anybody = any(v in CELLS[cell] for cell, _ in rows for v in people)
        if not alone and anybody:
            with pytest.raises(vk.RecordError, match="which exactly one of these people has in"):
                background_knowledge(release(rows), known(people), value="u")
            refused += 1
            continue
        frame = background_knowledge(release(rows), known(people), value="u").frame
        found = dict(zip(frame["name"], frame["confidence"], strict=True))
        assert found == pytest.approx({n: k / alone.total() for n, k in alone.items()}), seed
        told += bool(alone)
    assert told > 70
    assert refused >= 4


def test_two_colleagues_of_one_class_and_one_of_another_are_equally_likely():
    rows = [("a", "u"), ("a", "v"), ("a", "w"), ("b", "u"), ("b", "w")]
    frame = background_knowledge(release(rows), known("aab"), value="u").frame
    assert frame["confidence"].tolist() == pytest.approx([1 / 3] * 3)


def test_whoever_fills_a_class_that_shows_the_value_leaves_none_to_others():
    rows = [("a", "u"), ("a", "v"), ("b", "u"), ("b", "w"), ("b", "w")]
    frame = background_knowledge(release(rows), known("aab"), value="u").frame
    assert frame[["name", "confidence"]].to_numpy().tolist() == [["p0", 0.5], ["p1", 0.5]]


@pytest.mark.parametrize("rows", [[("a", "u"), ("a", "u"), ("b", "v")], [("a", "u"), ("b", "v")]])
def test_two_who_must_both_have_it_or_share_a_record_contradict_what_is_known(rows):
    with pytest.raises(vk.RecordError, match="leave out whoever is not in the table"):
        background_knowledge(release(rows), known("aa"), value="u")


def test_a_value_that_nobody_of_these_people_can_have_is_refused():
    rows = [("a", "u"), ("a", "v"), ("b", "v")]
    with pytest.raises(vk.RecordError, match="value was given as 'u', which exactly one of these"):
        background_knowledge(release(rows), known("b"), value="u")


def test_many_people_of_many_classes_are_told_at_once():
    n = 20_000
    rows = [(f"q{i // 4}", "u" if i % 4 == 0 else "v") for i in range(n)]
    frame = pd.DataFrame(rows, columns=["q", "s"])
    table = vk.TableRelease.of(frame, vk.Schema.guess(frame, s="sensitive"))
    found = background_knowledge(table, known(frame["q"][::2]), value="u").frame
    assert np.allclose(found["confidence"], 2 / n)


def test_people_known_too_differently_to_count_all_ways_are_refused():
    rng = np.random.default_rng(1)
    cells = [
        "{" + ", ".join(f"v{k}" for k in range(40) if rng.random() < 0.5) + "}" for _ in range(60)
    ]
    table = release([(cell, "uvw"[i % 3]) for i, cell in enumerate(cells)])
    with pytest.raises(vk.InfeasibleError, match="give fewer people"):
        background_knowledge(table, known([f"v{k}" for k in range(40)]), value="u")
