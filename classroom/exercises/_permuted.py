"""Exercises on the permutation paradigm: masking is permuting, plus a little noise."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import Any

import numpy as np

import verikit as vk
from verikit.exercises._blocks import are_different, find_answer, numeric_table, read_list
from verikit.exercises._exercise import Answer, Data, Exercise, Statement, explain


def measure_noise(original: Sequence[float], masked: Sequence[float]) -> Any:
    """Measure by row the residual and the total noise."""
    found = vk.utility.residual_noise(
        numeric_table({"X": original}), numeric_table({"X": masked}), seed=1
    )
    return found.residual["X"], found.total["X"]


def draw_masked(rng: np.random.Generator) -> Data:
    """Draw a column and the same column masked, both without equal values, and a row."""
    original = masked = np.zeros(8)
    while not (are_different(original) and are_different(masked)):
        original = np.round(rng.normal(100, 10, 8), 1)
        masked = np.round(original + rng.normal(0, 7, 8), 1)
    return {"original": original.tolist(), "masked": masked.tolist(), "row": int(rng.integers(8))}


def map_back(data: Data) -> list[float]:
    """Map the masked column back to the original values."""
    return [float(v) for v in vk.ranks.reverse_map(data["original"], data["masked"], seed=1)]


def mistake_mapping(data: Data) -> dict[str, Answer]:
    """Answer with the nearest value, the own one and that of the opposite rank."""
    original, value = data["original"], data["masked"][data["row"]]
    # Reverse mapping goes by rank; so does this mistake, but from the other end.
    rank = sorted(data["masked"]).index(value)
    return {
        "nearest": {"value": min(original, key=lambda own: abs(own - value))},
        "its own": {"value": original[data["row"]]},
        "from the top": {"value": sorted(original, reverse=True)[rank]},
    }


READ = Exercise(
    name="pp-01",
    kind="read",
    title="Reverse mapping",
    text="A column and the same column masked, row by row. Which original value does reverse "
    "mapping (Algorithm 1) give to the masked value in row {row} (rows are counted from 0)? "
    "Original {original}; masked {masked}",
    make=draw_masked,
    right=lambda data: {"value": map_back(data)[data["row"]]},
    wrong=mistake_mapping,
    hints={
        "nearest": "You took the nearest original value. Take the one of the same rank.",
        "its own": "That is the original value of this row. The value of the same rank is asked "
        "for.",
        "from the top": "You counted one column from the bottom and the other from the top.",
    },
)


def count_places(data: Data) -> list[int]:
    """Count by row the places that its value was moved."""
    before, after = (vk.ranks.mid_ranks(np.array(data[name])) for name in ("original", "masked"))
    return [int(place) for place in np.abs(before - after)]


def mistake_places(data: Data) -> dict[str, Answer]:
    """Answer with another row's places, with a rank and with those that moved."""
    places, masked = count_places(data), data["masked"]
    return {
        "farthest": {"places": max(places)},
        "rank for distance": {"places": sorted(masked).index(masked[data["row"]]) + 1},
        "those moved": {"kept": len(places) - places.count(0)},
    }


MOVED = Exercise(
    name="pp-02",
    kind="compute",
    title="How far was it moved?",
    text="By how many places was the value in row {row} (rows are counted from 0) moved, and how "
    "many of the values kept their place? Original {original}; masked {masked}",
    make=draw_masked,
    right=lambda data: {
        "places": count_places(data)[data["row"]],
        "kept": count_places(data).count(0),
    },
    wrong=mistake_places,
    hints={
        "farthest": "That is how far the farthest was moved. Another row is asked for.",
        "rank for distance": "That is its new rank. How far is it from the old one?",
        "those moved": "You counted those that moved.",
    },
)


def answer_noise(data: Data) -> Answer:
    """Answer with the residual and the total noise of the row."""
    residual, total = measure_noise(data["original"], data["masked"])
    return {"residual": float(residual[data["row"]]), "total": float(total[data["row"]])}


def mistake_noise(data: Data) -> dict[str, Answer]:
    """Answer with the difference of the two, one for the other and a wrong sign."""
    residual, total = data["_right"]["residual"], data["_right"]["total"]
    return {
        "permutation": {"residual": total - residual},
        "total for residual": {"residual": total},
        "sign": {"total": -total},
    }


NOISE = Exercise(
    name="pp-03",
    kind="compute",
    title="Permuted, and then a little",
    text="Masking is a permutation and a residual noise on top of it. For row {row} (rows are "
    "counted from 0), how large is the residual noise (masked value minus reverse-mapped one) and "
    "the total noise (masked minus original)? Original {original}; masked {masked}",
    make=draw_masked,
    right=answer_noise,
    wrong=mistake_noise,
    hints={
        "permutation": "That is what the permutation did. The residual noise is what is left "
        "without it.",
        "total for residual": "You subtracted the original value of the row. Subtract the one of "
        "the same rank.",
        "sign": "You subtracted the other way round.",
    },
)


def keeps_correlation(data: Data) -> bool:
    """Tell whether the reverse-mapped column has the rank correlation of the masked one."""
    original, masked, mapped = (
        numeric_table({"X": values})
        for values in (data["original"], data["masked"], map_back(data))
    )
    kept = [float(vk.utility.rank_correlation(original, other)["X"]) for other in (masked, mapped)]
    return abs(kept[0] - kept[1]) < 1e-9


def is_sometimes_larger(data: Data) -> bool:
    """Tell whether in some row the residual noise is larger than the total noise."""
    residual, total = measure_noise(data["original"], data["masked"])
    return bool((residual.abs() > total.abs()).any())


EXPLAIN = explain(
    "pp-04",
    "What reverse mapping keeps",
    "Original {original}; masked {masked}. The masked column is reverse-mapped.",
    draw_masked,
    [
        Statement(
            "Original and reverse-mapped column have the same rank correlation as original and "
            "masked one.",
            "The reverse-mapped column has a higher rank correlation with the original than the "
            "masked one has.",
            "Reverse mapping keeps the ranks of the masked column, and with them the correlation.",
            keeps_correlation,
        ),
        Statement(
            "The reverse-mapped column holds just the values of the original.",
            "The reverse-mapped column holds values that do not occur in the original.",
            "Sort both: reverse mapping hands out the original values again.",
            lambda data: sorted(map_back(data)) == sorted(data["original"]),
        ),
        Statement(
            "In some row the residual noise is larger than the total noise.",
            "In every row the residual noise is at most as large as the total noise.",
            "That is true in the mean, not in every row: compare them row by row.",
            is_sometimes_larger,
        ),
        Statement(
            "Some reverse-mapped value is not that person's own original value.",
            "The reverse-mapped value is each person's own original value.",
            "Values go by rank, and noise changes ranks.",
            lambda data: map_back(data) != data["original"],
        ),
    ],
)


def read_numbers(answer: Answer, part: str, n: int) -> list[float]:
    """Read a list of n numbers."""

    def fits(values: list[Any]) -> bool:
        return len(values) == n and all(
            isinstance(v, (int, float)) and np.isfinite(v) for v in values
        )

    return [float(v) for v in read_list(answer, part, fits, f"a list of {n} numbers")]


def judge_masking(data: Data, answer: Answer) -> str | None:
    """Tell whether every value is moved far in places, and not too far in value."""
    original = data["original"]
    masked = read_numbers(answer, "masked", len(original))
    if len(set(masked)) < len(masked):
        return "equal values"
    if min(count_places({**data, "masked": masked})) < data["least"]:
        return "too near"
    changes = [abs(new - old) for new, old in zip(masked, original, strict=True)]
    return None if max(changes) <= data["most"] else "too far"


def shift_far(original: list[float]) -> list[float]:
    """Give each person ten times the value three places away."""
    ordered = sorted(original)
    return [ordered[(ordered.index(value) + 3) % 6] * 10 for value in original]


def find_masking(data: Data) -> Answer:
    """Search for an order of the original values that moves everybody far enough."""
    answers = ({"masked": list(order)} for order in permutations(sorted(data["original"])))
    return find_answer(data, judge_masking, answers) or {"masked": None}


BUILD = Exercise(
    name="pp-05",
    kind="build",
    title="Move everybody",
    text="Give a masked column for {original}, row by row, with no equal values, in which every "
    "value is moved by at least {least} places and by no more than {most} in value.",
    make=lambda rng: {
        "original": (rng.permutation(np.arange(20, 60))[:6] * 1.0).tolist(),
        "least": 2,
        "most": 20.0,
    },
    right=find_masking,
    wrong=lambda data: {
        "equal values": {"masked": [1.0] * 6},
        "too near": {"masked": [value + 1 for value in data["original"]]},
        "too far": {"masked": shift_far(data["original"])},
    },
    hints={
        "equal values": "Equal values have no place of their own.",
        "too near": "Some value keeps its place, or nearly. Adding something to all of them moves "
        "nobody.",
        "too far": "The places are right, but some value is changed by more than allowed.",
    },
    judge=judge_masking,
)


def judge_columns(data: Data, answer: Answer) -> str | None:
    """Tell whether some residual noise is larger than the total noise of its row."""
    original, masked = (read_numbers(answer, part, data["n"]) for part in ("original", "masked"))
    if len(set(original)) < data["n"] or len(set(masked)) < data["n"]:
        return "equal values"
    residual, total = measure_noise(original, masked)
    return None if bool((residual.abs() > total.abs() + 1e-9).any()) else "never larger"


DISPROVE = Exercise(
    name="pp-06",
    kind="disprove",
    title="Residual noise is small?",
    text='"In every row the residual noise is at most as large as the total noise." Disprove it: '
    "give two columns, original and masked, of {n} different values each.",
    make=lambda rng: {"n": int(rng.integers(2, 7))},
    right=lambda data: {
        "original": [10.0 * at for at in range(data["n"])],
        "masked": [11.0, 10.5, *(10.0 * at for at in range(2, data["n"]))],
    },
    wrong=lambda data: {
        "equal values": {"original": [1.0] * data["n"], "masked": [2.0] * data["n"]},
        "never larger": {
            "original": [float(at) for at in range(data["n"])],
            "masked": [at + 0.1 for at in range(data["n"])],
        },
    },
    hints={
        "equal values": "Use different values, so that each has a place of its own.",
        "never larger": "Here it holds in every row. Let two values change places although one "
        "hardly moves.",
    },
    judge=judge_columns,
)
