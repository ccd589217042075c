"""With the key at hand: of whom it is said that her record is one of these, it is one of these."""

import random

import pandas as pd
import pytest

import verikit as vk
from verikit.matching import candidates

WORDS = [
    "a b", "a  b", "{x}", "x", "{x, y}", "*", "a*", "<=50K", "2-2", "20-29", "25", "02138", "2138",
    '"q"', "a, b", "[1, 2]", "٣١", "31", "None", "-0", "1e5", 2**53 + 1, 2**53 + 2, 10**30 + 1,
]  # fmt: skip


def people(rng, size=24):
    known = rng.sample(WORDS, 9)
    return vk.Microdata(
        pd.DataFrame(
            {
                "word": [rng.choice(known) for _ in range(size)],
                "pay": [rng.choice([0.1 + 0.2, 0.3, rng.random(), 1e5]) for _ in range(size)],
                "ill": rng.sample(["flu", "{x}", "*", "a, b"], 4) * (size // 4),
            }
        ),
        vk.Schema(
            (
                vk.Column("word", kind="nominal"),
                vk.Column("pay"),
                vk.Column("ill", "sensitive", "nominal"),
            )
        ),
    )


def asked_of(data, place, rng):
    """Her values as she types them, with blanks around some; in quotes what looks like another."""
    record = {name: data.record(place)[name] for name in ("word", "pay")}
    if record["word"] in ("a b", "a  b"):
        record["word"] = f'"{record["word"]}"'
    return {name: rng.choice([value, f" {value!s} "]) for name, value in record.items()}


def test_her_record_is_among_those_that_fit_for_a_hundred_people_and_all_others_are_refused():
    answered = 0
    for seed in range(12):
        rng = random.Random(seed)
        data = people(rng)
        made = vk.mask.generalize(data, partition=vk.partition.mondrian(data, k=3, seed=1), seed=1)
        for place in rng.sample(range(len(data)), 9):
            try:
                report = vk.check(asked_of(data, place, rng), made.release)
            except vk.RecordError as refused:
                assert "stands nowhere" in str(refused)  # noqa: PT017 - but in a cell of anything
                continue
            rows = candidates(data.record(place), made.release)
            assert made.key.places[""][place] in rows
            assert report.facts["fits"] == len(rows)
            answered += 1
    assert answered >= 100


@pytest.mark.parametrize("seed", range(12))
def test_her_group_is_among_those_that_fit(seed):
    rng = random.Random(seed)
    data = people(rng)
    made = vk.mask.anatomize(data, partition=vk.partition.anatomy(data, ell=2, seed=1), seed=1)
    labels = made.release.labels
    for place in rng.sample(range(len(data)), 9):
        report = vk.check(asked_of(data, place, rng), made.release)
        own = labels.names[labels.sensitive[made.key.places["ill"][place]]]
        assert own in report.tables["groups"]["group"].tolist()
