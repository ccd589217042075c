"""Exercises on anatomy and permutation anonymization: two tables joined by groups only."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd

import verikit as vk
from verikit.exercises import _blocks as blocks
from verikit.exercises._exercise import Answer, Data, explain, pose
from verikit.matching import presence_chance, printed_chance

VALUES = ("flu", "cancer", "gastritis", "asthma", "ulcer")


def draw_patients(
    rng: np.random.Generator, sizes: tuple[int, ...] = (5, 6)
) -> tuple[vk.Microdata, vk.Partition]:
    """Draw patients in groups of given sizes, one after the other."""
    n = sum(sizes)
    data = blocks.make_table(
        {
            "Age": rng.integers(4, 16, n) * 5,
            "Sex": rng.choice(["F", "M"], n),
            "Disease": rng.choice(VALUES, n, p=[0.3, 0.25, 0.2, 0.15, 0.1]),
        },
        "Disease",
    )
    return data, vk.Partition.of(np.repeat(np.arange(len(sizes)), sizes).tolist())


def draw_anatomy(rng: np.random.Generator) -> Data:
    """Draw patients and publish them by anatomy."""
    data, groups = draw_patients(rng)
    release = vk.mask.anatomize(data, partition=groups, seed=int(rng.integers(1000))).release
    return {"release": release, "_data": data}


def draw_patient(rng: np.random.Generator) -> Data:
    """Draw a release, and one of its patients."""
    data = draw_anatomy(rng)
    person = data["_data"].record(int(rng.integers(11)))
    return {**data, "person": person, "disease": person["Disease"]}


def find_patient(data: Data) -> int:
    """Find the first row with all the values of the patient."""
    frame = data["_data"].frame
    return int(np.flatnonzero((frame == pd.Series(data["person"])).all(axis=1))[0])


def mistake_chance(data: Data) -> dict[str, Answer]:
    """Answer with chances that count no repeated disease, or no group."""
    disease = data["_data"].frame["Disease"]
    own = disease[:5] if find_patient(data) < 5 else disease[5:]
    return {
        "one of the rows": {"chance": 1 / len(own)},
        "one of the values": {"chance": 1 / own.nunique()},
        "whole table": {"chance": float((disease == data["disease"]).mean())},
    }


READ = pose(
    "ap-01",
    make=draw_patient,
    right=lambda data: {
        "chance": float(
            vk.intruder.value_chance(data["_data"], data["release"]).own[find_patient(data)]
        )
    },
    wrong=mistake_chance,
)


def draw_question(rng: np.random.Generator) -> Data:
    """Draw a release, and a question about age and disease."""
    data = draw_anatomy(rng)
    low, disease = int(rng.integers(6, 11)) * 5, str(rng.choice(VALUES[:3]))
    return {**data, "low": low, "disease": disease}


def answer_question(data: Data) -> Answer:
    """Answer with the estimate and the bound of the analyst."""
    query = vk.Query.count({"Age": (data["low"], 200), "Disease": data["disease"]})
    found = vk.answer(query, data["release"])
    return {"estimate": float(found.estimate), "upper": float(found.upper)}


def mistake_question(data: Data) -> dict[str, Answer]:
    """Answer as if there were no groups, and with the estimate as a bound."""
    frame = data["_data"].frame
    old, ill = (
        int((frame["Age"] >= data["low"]).sum()),
        int((frame["Disease"] == data["disease"]).sum()),
    )
    return {
        "groups forgotten": {"estimate": old * ill / 11},
        "bound of the whole": {"upper": float(min(old, ill))},
        "estimate as bound": {"upper": data["_right"]["estimate"]},
    }


COMPUTE = pose("ap-02", make=draw_question, right=answer_question, wrong=mistake_question)


def draw_shuffled(rng: np.random.Generator) -> Data:
    """Draw a shuffled release, and an age and a sex of its first group."""
    data, groups = draw_patients(rng)
    release = vk.mask.permute_all(data, partition=groups, seed=int(rng.integers(1000))).release
    frame, at = data.frame, int(rng.integers(5))
    age, sex = int(frame["Age"][at]), str(frame["Sex"][at])
    counts = [int((frame["Age"][:5] == age).sum()), int((frame["Sex"][:5] == sex).sum())]
    alone = not (frame["Age"][5:] == age).any()  # only then is she known to be in the first group
    return {"release": release, "age": age, "sex": sex, "_counts": counts, "_alone": alone}


PRESENCE = pose(
    "ap-03",
    make=draw_shuffled,
    right=lambda data: {"chance": presence_chance(5, data["_counts"])},
    wrong=lambda data: {
        "one given row": {"chance": float(np.prod([c / 5 for c in data["_counts"]]))},
        "certain": {"chance": 1.0},
        "age only": {"chance": data["_counts"][0] / 5},
    },
    fits=lambda data: bool(data["_alone"]),
)


def draw_group(rng: np.random.Generator) -> Data:
    """Draw a shuffled release, and count the values of its first group."""
    sizes = (int(rng.integers(3, 7)), int(rng.integers(2, 6)))
    data, groups = draw_patients(rng, sizes)
    ages, sexes, ill = (int(data.frame[c][: sizes[0]].nunique()) for c in ("Age", "Sex", "Disease"))
    release = vk.mask.permute_all(data, partition=groups, seed=1).release
    return {"release": release, "n": sizes[0], "_distinct": [ages, sexes], "_illnesses": ill}


FORMULA = explain(
    "ap-04",
    draw_group,
    {
        1: lambda data: printed_chance(1, data["n"], data["_distinct"]) < 1 / data["n"],
        2: lambda data: printed_chance(data["n"], data["n"], data["_distinct"]) < 1,
        4: lambda data: data["_illnesses"] > 1,
    },
)


def draw_to_deal(rng: np.random.Generator) -> Data:
    """Draw nine patients, three of whom have one disease."""
    diseases = np.repeat(VALUES[:4], rng.permutation([3, 3, 2, 1]))
    return {"diseases": rng.permutation(diseases).tolist(), "ell": 3}


def judge_dealing(data: Data, given: Answer) -> str | None:
    """Tell whether three groups are diverse."""
    groups = blocks.read_groups(given, 9)
    if len(set(groups)) < 3:
        return "too few groups"
    made = blocks.make_table(
        {"Group": [str(g) for g in groups], "Disease": data["diseases"]}, "Disease"
    )
    return None if vk.models.frequency_diversity(made).value >= data["ell"] else "not diverse"


BUILD = pose(
    "ap-05",
    make=draw_to_deal,
    right=lambda data: {"groups": blocks.deal_sorted(data["diseases"], 3)},
    wrong=lambda data: {
        "too few groups": {"groups": [0] * 9},
        "not diverse": {"groups": blocks.cut_sorted(data["diseases"], 3)},
    },
    judge=judge_dealing,
)


def judge_counterexample(data: Data, given: Answer) -> str | None:
    """Tell whether the reconstruction error of one group is below the bound of the theorem."""
    rows = blocks.read_list(
        given,
        "rows",
        lambda rows: len(rows) == data["n"] and blocks.are_tuples(rows, 3),
        f"{data['n']} triples (first value, second value, disease)",
    )
    first, second, disease = ([f"v{row[at]}" for row in rows] for at in range(3))
    made = blocks.make_table({"A": first, "B": second, "Disease": disease}, "Disease")
    if len(set(disease)) == 1:
        return "one disease"
    # The theorem is about one permuted group, so all rows are in one.
    found = vk.utility.rce(made, vk.Partition.of([0] * len(rows)))
    if found.total < found.bound - 1e-9:
        return None
    return "bound holds" if len(set(disease)) < len(rows) else "no value repeats"


def find_counterexample(data: Data) -> Answer:
    """Search the groups of people alike in nothing for one for which the bound fails."""
    diseases = ((0, *codes) for codes in product((0, 1), repeat=data["n"] - 1))
    answers = ({"rows": [(i, i, own) for i, own in enumerate(some)]} for some in diseases)
    return blocks.find_answer(data, judge_counterexample, answers)


DISPROVE = pose(
    "ap-06",
    make=lambda rng: {"n": int(rng.integers(4, 7))},
    right=find_counterexample,
    wrong=lambda data: {
        "one disease": {"rows": [(i, i, "a") for i in range(data["n"])]},
        "no value repeats": {"rows": [(i, i, f"d{i}") for i in range(data["n"])]},
        "bound holds": {"rows": [(1, 1, "b")] + [(1, 1, "a")] * (data["n"] - 1)},
    },
    judge=judge_counterexample,
)
