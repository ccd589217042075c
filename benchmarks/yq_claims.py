"""The claims of [YQ]_ section 7 on Adult, side by side over several seeds; Figures 6 to 8.

The paper prints curves without numbers and one run of each. Here each seed draws its own questions
and its own releases; what is written is the mean over the seeds, and the least and the most.

Run with  python benchmarks/yq_claims.py <folder of Adult> [--small]
It writes data/yq_adult_figures.csv, or prints what it would write with --small.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from random_anonymization import QI, people

import verikit as vk
from verikit.models import entropy_diversity
from verikit.partition import anatomy, entropy_diverse
from verikit.utility import RulesKept, relative_error, rules_kept

SMALL = "--small" in sys.argv
SEEDS, QUERIES = (range(1, 3), 20) if SMALL else (range(1, 6), 200)
TARGET = Path(__file__).resolve().parents[1] / "data" / "yq_adult_figures.csv"
GENERALIZED, PERMUTED, ANYBODY = "generalized", "permuted", "permuted, any people"
BLIND = 5
LEFT_OUT: list[int] = []
STANDS, UNDONE = "random, as it stands", "random, undone"
Line = tuple[str, str, int, int, float]


def questions(data: vk.Microdata, attributes: int, rng: np.random.Generator) -> list[vk.Query]:
    """Counts that ask for random sets of values of random attributes and of the occupation."""
    domains = {name: data.codes(name)[1] for name in data.schema.names}
    drawn = []
    for _ in range(QUERIES):
        names = [*rng.choice(QI, attributes, replace=False), "occupation"]
        sizes = {name: rng.integers(1, len(domains[name]) + 1) for name in names}
        drawn.append(
            vk.Query.count(
                {
                    n: rng.choice(domains[n], size, replace=False).tolist()
                    for n, size in sizes.items()
                }
            )
        )
    return drawn


def untold(release: vk.TableRelease) -> vk.TableRelease:
    """The same rows, without what is known of how they were made."""
    return vk.TableRelease.of(release.frame, release.schema)


def errors(data: vk.Microdata, figure: str, place: tuple[int, int], made: dict[str, object],
           asked: list[vk.Query]) -> Iterator[Line]:  # fmt: skip
    """By method the mean and the median relative error in per cent."""
    for method, release in made.items():
        found = relative_error(data, release, asked)
        LEFT_OUT.append(found.left_out)
        yield figure, method, *place, 100 * found.mean
        yield f"{figure} median", method, *place, 100 * found.median


def releases(data: vk.Microdata, ell: int, seed: int) -> dict[str, object]:
    """The three methods; groups are the same for the first two."""
    groups = entropy_diverse(data, ell=ell)
    generalized = vk.mask.generalize(data, partition=groups, seed=seed).release
    assert entropy_diversity(generalized, ell=ell).met
    redrawn = vk.mask.randomize(data, probabilities="equal", seed=seed).release
    return {
        GENERALIZED: generalized,
        PERMUTED: vk.mask.anatomize(data, partition=groups, seed=seed).release,
        STANDS: untold(redrawn),
        UNDONE: redrawn,
    }


def by_questions(data: vk.Microdata, seed: int) -> Iterator[Line]:
    """Figure 6: errors by the number of attributes at l = 10, and by l for five attributes."""
    rng = np.random.default_rng(seed)
    made = releases(data, 10, seed)
    for attributes in range(1, 9):
        yield from errors(data, "6a", (attributes, seed), made, questions(data, attributes, rng))
    asked = questions(data, 5, rng)
    for ell in (5, 8, 10):
        made = releases(data, ell, seed)
        if ell == BLIND:
            groups = anatomy(data, ell=ell, seed=seed)
            made[ANYBODY] = vk.mask.anatomize(data, partition=groups, seed=seed).release
        yield from errors(data, "6b", (ell, seed), made, asked)


def by_rules(data: vk.Microdata, seed: int) -> Iterator[Line]:
    """Figures 7 and 8: associations kept, by method, by lambda and by length."""
    groups = {(PERMUTED, ell): entropy_diverse(data, ell=ell) for ell in (5, 8, 10)}
    groups[ANYBODY, BLIND] = anatomy(data, ell=BLIND, seed=seed)
    for (method, ell), partition in groups.items():
        release = vk.mask.anatomize(data, partition=partition, seed=seed).release
        for what in ("rules", "sets"):
            kept = rules_kept(data, release, what=what)
            yield "7", f"{method}, {what}", ell, seed, 100 * kept.share
    for changed in (1, 3, 5, 7, 9):
        release = vk.mask.randomize(data, changed=changed, probabilities="equal", seed=seed).release
        for what in ("rules", "sets"):
            kept = rules_kept(data, release, what=what)
            total = kept.to_frame().sum()
            yield "8a", what, changed, seed, 100 * kept.share
            yield "8a", f"{what}, invented", changed, seed, 100 * total.invented / total.original
            if changed == 5:
                yield from by_length(kept, what, seed)


def by_length(kept: RulesKept, what: str, seed: int) -> Iterator[Line]:
    """Figure 8b: associations kept at lambda 5, by length."""
    for length, line in kept.to_frame().iterrows():
        if line.original:
            yield "8b", what, int(length), seed, 100 * line.kept / line.original


def main(folder: str) -> None:
    start, data, lines = time.time(), people(folder), []
    for seed in SEEDS:
        for measure in (by_rules, by_questions):
            lines += measure(data, seed)
            print(f"seed {seed}: {measure.__name__} after {time.time() - start:.0f} s", flush=True)
    frame = pd.DataFrame(lines, columns=["Figure", "Method", "Along", "Seed", "Percent"])
    spread = frame.groupby(["Figure", "Method", "Along"])["Percent"].agg(["mean", "min", "max"])
    spread.columns = ["Mean", "Least", "Most"]
    table = spread.round(1).reset_index()
    print(table.to_string(index=False))
    print(f"questions that found nobody: at most {max(LEFT_OUT)} of {QUERIES}")
    if not SMALL:
        table.to_csv(TARGET, index=False)


if __name__ == "__main__":
    main(sys.argv[1])
