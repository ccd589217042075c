"""What releases by groups leave open, against all worlds of tiny tables.

Run with  python benchmarks/worlds_by_groups.py   (some 30 s)

Two questions. How far balanced chances lie from the exact ones, where every way to deal out the
values of a group is as likely as the product of its tables: 200 tables of at most nine people, the
tables those that were learned. And how many of the values that are certain in all worlds of two or
three anatomies `put_together` finds: 180 tables of two to four values.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

import verikit as vk
from verikit.matching import learn_release, read_split
from verikit.matching._learn_by_groups import balance_chances, sum_log_chances


def list_orders(values: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """All different orders of some values."""
    left = Counter(values)
    if not left:
        yield ()
    for value in sorted(left):
        rest = list(values)
        rest.remove(value)
        yield from ((value, *order) for order in list_orders(rest))


def deal_out(weights: np.ndarray, values: Sequence[int]) -> np.ndarray:
    """The chance of each value of each person of a group, over all ways to deal them out."""
    found = np.zeros(weights.shape)
    for order in list_orders([str(value) for value in values]):
        dealt = [int(value) for value in order]
        found[range(len(dealt)), dealt] += math.prod(weights[range(len(dealt)), dealt])
    return found / found.sum(axis=1, keepdims=True)


def draw_table(seed: int, size: int, values: int) -> vk.Microdata:
    """A few people with two known columns and a value that goes with the first."""
    rng = np.random.default_rng(seed)
    secret = rng.integers(0, values, size)
    known = np.where(rng.random(size) < 0.7, secret, rng.integers(0, values, size))
    frame = pd.DataFrame(
        {"a": known.astype(str), "b": rng.integers(0, 2, size).astype(str), "ill": secret}
    ).astype({"ill": str})
    return vk.Microdata(frame, vk.Schema.guess(frame, ill="sensitive"))


def compare_chances() -> None:
    """Balanced chances beside those of all ways to deal out the values."""
    off: list[float] = []
    above: list[float] = []
    wrong = 0
    for seed in range(200):
        rng = np.random.default_rng(10_000 + seed)
        data = draw_table(seed, int(rng.integers(4, 10)), int(rng.integers(2, 5)))
        groups = vk.Partition.of(rng.integers(0, 3, len(data)).tolist())
        release = vk.mask.anatomize(data, partition=groups, seed=1).release
        taught = learn_release(release, read_split(release, "ill"))
        people = taught.table.people
        logs = sum_log_chances(people, taught.learned.tables)
        told = balance_chances(people, logs, 300).chances
        at, person = people.slots
        weights = np.zeros((len(people.group), people.values))
        weights[person, people.value[at]] = np.exp(logs)
        for group in range(len(people.sizes)):
            members = np.flatnonzero(people.group == group)
            held = people.owner == group
            values = np.repeat(people.value[held], people.amount[held].astype(int)).tolist()
            exact = deal_out(weights[members], values)
            here = np.isin(person, members)
            true = exact[np.searchsorted(members, person[here]), people.value[at[here]]]
            off.append(float(np.abs(told[here] - true).max()))
            best = true >= exact.max(axis=1)[np.searchsorted(members, person[here])] - 1e-12
            above.append(float((told[here] - true)[best].max()))
            wrong += int(((told[here] > 1 - 1e-9) & (true < 1 - 1e-6)).sum())
    print(
        f"chances of {len(off)} groups: off by {np.mean(off):.3f} on average and {max(off):.3f} at "
        f"most, the likeliest above the exact one by {max(above):.3f} at most; called certain that "
        f"are not: {wrong}"
    )


def count_certain() -> None:
    """Values that are certain in all worlds of several anatomies, and those that are found."""
    for values in (2, 3, 4):
        total: Counter[str] = Counter()
        for seed in range(60):
            rng = np.random.default_rng(1000 * values + seed)
            size, many = int(rng.integers(4, 9)), int(rng.integers(2, 4))
            ill = rng.integers(0, values, size).astype(str)
            frame = pd.DataFrame({"age": 20 + np.arange(size), "ill": ill})
            data = vk.Microdata(frame, vk.Schema.guess(frame, ill="sensitive"))
            labels = [rng.permutation(np.arange(size) // 2) for _ in range(many)]
            releases = [
                vk.mask.anatomize(data, partition=vk.Partition.of(part.tolist()), seed=1).release
                for part in labels
            ]
            found = vk.intruder.put_together(*releases, people=frame[["age"]])
            worlds = [
                world
                for world in list_orders(ill.tolist())
                if all(
                    sorted(np.array(world)[part == group]) == sorted(ill[part == group])
                    for part in labels
                    for group in set(part.tolist())
                )
            ]
            for person in range(size):
                true, left = {world[person] for world in worlds}, set(found.list_values(person))
                total["certain"] += len(true) == 1
                total["found"] += len(left) == 1 == len(true)
                total["false"] += not true <= left
            total["apart"] += found.certain_apart
        print(
            f"{values} values: of {total['certain']} certain {total['found']} are found, "
            f"{total['apart']} without regard to the others; false: {total['false']}"
        )


if __name__ == "__main__":
    compare_chances()
    count_certain()
