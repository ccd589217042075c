"""Exercises on the permutation paradigm: masking is permuting, plus a little noise."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import Any

import numpy as np

import verikit as vk
from verikit.exercises._blocks import are_different, find_answer, numeric_table, read_list
from verikit.exercises._exercise import Answer, Data, explain, pose


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


READ = pose(
    "pp-01",
    make=draw_masked,
    right=lambda data: {"value": map_back(data)[data["row"]]},
    wrong=mistake_mapping,
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


MOVED = pose(
    "pp-02",
    make=draw_masked,
    right=lambda data: {
        "places": count_places(data)[data["row"]],
        "kept": count_places(data).count(0),
    },
    wrong=mistake_places,
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


NOISE = pose("pp-03", make=draw_masked, right=answer_noise, wrong=mistake_noise)


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
    draw_masked,
    {
        1: keeps_correlation,
        2: lambda data: sorted(map_back(data)) == sorted(data["original"]),
        3: is_sometimes_larger,
        4: lambda data: map_back(data) != data["original"],
    },
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


BUILD = pose(
    "pp-05",
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
    judge=judge_masking,
)


def judge_columns(data: Data, answer: Answer) -> str | None:
    """Tell whether some residual noise is larger than the total noise of its row."""
    original, masked = (read_numbers(answer, part, data["n"]) for part in ("original", "masked"))
    if len(set(original)) < data["n"] or len(set(masked)) < data["n"]:
        return "equal values"
    residual, total = measure_noise(original, masked)
    return None if bool((residual.abs() > total.abs() + 1e-9).any()) else "never larger"


DISPROVE = pose(
    "pp-06",
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
    judge=judge_columns,
)
