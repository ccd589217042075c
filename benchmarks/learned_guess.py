"""How often a secret is guessed from the published tables alone, by anatomy and by shuffling.

One learner, one partition, two ways to publish. The learner starts from links that are equally
likely inside a group, counts with them how often which secret goes with which known value (a
naive Bayes), weighs the links anew, and repeats. Anatomy's rows are linked as wholes, shuffled
columns one by one. A person is guessed by all her known values. A better learner may exist.

Run with  python benchmarks/learned_guess.py   (needs VERIKIT_DATASETS; some 10 s)
"""

from __future__ import annotations

import os
from functools import reduce
from pathlib import Path

import numpy as np
import pandas as pd

import verikit as vk

FILE = Path(os.environ["VERIKIT_DATASETS"]) / "census-income-kdd" / "census-income.data.gz"
COLUMNS = {0: "Age", 12: "Gender", 4: "Education", 7: "Marital", 10: "Race", 1: "Work-class"}
COLUMNS |= {34: "Country", 3: "Occupation"}
KNOWN, SECRET = list(COLUMNS.values())[:-1], "Occupation"
N, ELL, ASKED, ROUNDS, PRIOR = 30_000, 4, 1500, 20, 20


def people() -> vk.Microdata:
    """The first people of census-income who have an occupation."""
    options = {"header": None, "usecols": list(COLUMNS), "dtype": str, "keep_default_na": False}
    read = pd.read_csv(FILE, skipinitialspace=True, **options).rename(columns=COLUMNS)
    frame = read[read[SECRET] != "0"].head(N)[[*KNOWN, SECRET]].astype({"Age": int})
    return vk.Microdata(frame, vk.Schema.guess(frame, **{SECRET: "sensitive"}))


class Tables:
    """What both ways of publishing say: who is in which group, and the secrets of each."""

    def __init__(self, data: vk.Microdata, groups: vk.Partition) -> None:
        self.frame = data.frame
        self.groups = groups.groups()
        self.secret = pd.factorize(self.frame[SECRET].astype(str))[0]
        aged = pd.cut(self.frame["Age"], 12, labels=False)
        coarse = [aged if name == "Age" else self.frame[name].astype(str) for name in KNOWN]
        self.values = np.array([pd.factorize(column)[0] for column in coarse]).T
        self.row = np.concatenate([np.repeat(rows, len(rows)) for rows in self.groups])
        self.other = np.concatenate([np.tile(rows, len(rows)) for rows in self.groups])

    def balanced(self, weights):
        """Links whose weights add up to 1 for each row, and nearly for each secret."""
        for _ in range(10):
            weights = weights / np.bincount(self.row, weights, N)[self.row]
            weights = weights / np.bincount(self.other, weights, N)[self.other]
        return weights / np.bincount(self.row, weights, N)[self.row]

    def ratios(self, at, weights):
        """By secret and value of one column: the log of how much likelier the value is with it."""
        values = self.values[:, at]
        known = np.bincount(values) / N
        counts = np.zeros((self.secret.max() + 1, len(known)))
        np.add.at(counts, (self.secret[self.other], values[self.row]), weights)
        return np.log((counts + PRIOR * known) / (counts.sum(1, keepdims=True) + PRIOR) / known)

    def found(self, at, ratios):
        """The logs of one column for all links."""
        return ratios[self.secret[self.other], self.values[self.row, at]]

    def learned(self, rows_kept):
        """The ratios of every column, and the weights of the links, after all rounds."""
        columns = range(len(KNOWN))
        links = [self.balanced(np.ones(len(self.row)))] * len(KNOWN)
        for _ in range(ROUNDS):
            told = [self.ratios(at, links[at]) for at in columns]
            logs = [self.found(at, told[at]) for at in columns]
            if rows_kept:
                links = [self.balanced(np.exp(sum(logs)))] * len(KNOWN)
            else:
                links = [self.balanced(np.exp(each)) for each in logs]
        return told, links[0]


def by_rows(tables, asked):
    """Anatomy: the rows with all her values, each with the secrets of its group."""
    _, links = tables.learned(rows_kept=True)
    same = tables.frame.groupby(KNOWN, observed=True).indices
    held = pd.Series(np.arange(len(links))).groupby(tables.row).indices
    right = np.zeros(2)
    for person in asked:
        hers = same[tuple(tables.frame.loc[person, KNOWN])]
        here = np.concatenate([held[row] for row in hers])
        codes, sizes = tables.secret[tables.other[here]], np.bincount(tables.row)[tables.row[here]]
        for turn, weights in enumerate((1 / sizes, links[here])):
            right[turn] += np.bincount(codes, weights).argmax() == tables.secret[person]
    return right / len(asked)


def by_columns(tables, asked):
    """Shuffled: the groups that hold all her values, each as likely as its counts say."""
    told, _ = tables.learned(rows_kept=False)
    group = np.empty(N, int)
    for at, rows in enumerate(tables.groups):
        group[rows] = at
    size = np.bincount(group)
    held = [tables.frame.groupby([name, group], observed=True).size() for name in KNOWN]
    shares = [{value: part.droplevel(0) for value, part in each.groupby(level=0)} for each in held]
    right = np.zeros(2)
    for person in asked:
        hers = [
            each[tables.frame.loc[person, name]] for each, name in zip(shares, KNOWN, strict=True)
        ]
        fits = reduce(lambda one, other: (one * other).dropna(), hers)
        fits = fits / size[fits.index] ** (len(KNOWN) - 1.0)
        logs = sum(part[:, value] for part, value in zip(told, tables.values[person], strict=True))
        plain, learned = np.zeros(len(logs)), np.zeros(len(logs))
        for at, weight in fits.items():
            codes = tables.secret[tables.groups[at]]
            odds = np.exp(logs[codes])
            np.add.at(plain, codes, weight / len(codes))
            np.add.at(learned, codes, weight * odds / odds.sum())
        right += [found.argmax() == tables.secret[person] for found in (plain, learned)]
    return right / len(asked)


def main() -> None:
    data = people()
    asked = np.random.default_rng(0).choice(N, ASKED, replace=False)
    for words, form in (("any", vk.partition.anatomy), ("alike", vk.partition.diverse)):
        tables = Tables(data, form(data, ell=ELL, seed=1))
        for way, ask in (("rows kept", by_rows), ("shuffled", by_columns)):
            equal, learned = 100 * ask(tables, asked)
            print(
                f"{words} people, {way:9}: guessed rightly with links that are equally likely "
                f"{equal:.1f} %, learned {learned:.1f} %"
            )


if __name__ == "__main__":
    main()
