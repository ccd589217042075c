"""Whether the interval of S9 holds the truth: how often an attacker finds a person.

Run with  python benchmarks/repeated_figures.py [tables] [people]   (10 tables of 12 people take
about half an hour)

The truth of a person is the share of 400 fresh maskings of the *original* in which the attacker who
knows the method links her rightly; what she can compute rests on one masked table alone, which
`check(..., runs=100)` takes in place of the original. Tables of 300 records, m = 3.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd

import verikit as vk
from verikit.ranks import mid_ranks
from verikit.ranks._moves import balance_likelihoods
from verikit.subject.masked._repeat import Attacker

N, M = 300, 3
LEARN, TRUE, RUNS = 160, 400, 100
Mask = Callable[[vk.Microdata, int], vk.Masked]
MASKS: dict[str, Mask] = {
    **{
        f"noise {scale:g} sd": lambda d, s, scale=scale: vk.mask.noise(d, scale=scale, seed=s)
        for scale in (0.05, 0.1, 0.5)
    },
    **{
        f"cycles within {percent} %": lambda d, s, percent=percent: vk.mask.rank_swap(
            d, percent=percent, scheme="cycles", seed=s
        )
        for percent in (5, 10)
    },
}


def middles(frame: pd.DataFrame) -> np.ndarray:
    return np.column_stack([mid_ranks(frame[name].to_numpy(float)) for name in frame])


def truth(data: vk.Microdata, again: Mask) -> np.ndarray:
    """For each person, in what share of fresh maskings the attacker finds her."""
    before, moved, found = middles(data.frame), [], np.zeros(len(data))
    for seed in range(LEARN):
        masked = again(data, 10**6 + seed)
        moved.append(middles(masked.release.frame)[masked.key.rows])
    attacker = Attacker.learn([before] * LEARN, moved)
    every = np.broadcast_to(np.arange(len(data)), (len(data), len(data)))
    for seed in range(TRUE):
        masked = again(data, 2 * 10**6 + seed)
        likely = attacker.log_likelihood(before, middles(masked.release.frame), len(data))
        found += balance_likelihoods(likely, every).argmax(axis=1) == masked.key.rows
    return (found + 0.5) / (TRUE + 1)  # never found, or always, in so many is not known to be sure


def one(name: str, seed: int, people: int) -> Iterator[tuple[float, float, float, float]]:
    """For some people: the truth, what they find, and the ends of their interval."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(N, M)), columns=[f"a{j}" for j in range(M)])
    data = vk.Microdata(frame)
    release = MASKS[name](data, seed + 50).release.prepare()
    fixed = release.parameters  # the deviations that were published, not found anew

    def again(table: vk.Microdata, run: int) -> vk.Masked:
        if release.method == "noise":
            return vk.mask.noise(table, scale=fixed["scale"], seed=run)
        return MASKS[name](table, run)

    true = truth(data, again)
    for person in rng.choice(N, people, replace=False).tolist():
        found = vk.check(data.record(person), release, chance=False, runs=RUNS).facts["repeated"]
        yield true[person], found["found"] / RUNS, found["low"], found["high"]


def main() -> None:
    tables, people = (int(given) for given in (sys.argv + ["10", "12"][len(sys.argv) - 1 :])[1:3])
    for name in MASKS:
        found = np.array([list(one(name, seed, people)) for seed in range(tables)])
        true, said, low, high = np.moveaxis(found, -1, 0)
        inside = ((low <= true) & (true <= high)).mean(axis=1)
        error = inside.std(ddof=1) / np.sqrt(tables) if tables > 1 else np.nan
        print(
            f"{name}: holds the truth for {inside.mean():.3f} ({error:.3f}) of {found[..., 0].size}"
            f" people; found {said.mean():.3f}, true {true.mean():.3f}, "
            f"width {(high - low).mean():.3f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
