"""Exercises on the permutation paradigm: masking is permuting, plus a little noise."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import numpy as np
import pandas as pd

from verikit.errors import RecordError, quoted
from verikit.exercises._draw import different
from verikit.exercises._exercise import Answer, Data, Exercise, Mistake, Statement, explain
from verikit.ranks import mid_ranks, reverse_map
from verikit.table import Column, Microdata, Schema
from verikit.utility import rank_correlation, residual_noise

__all__ = ["EXERCISES"]


def column(values: Sequence[float]) -> Microdata:
    """A table of one numeric column."""
    frame = pd.DataFrame({"X": [float(value) for value in values]})
    return Microdata(frame, Schema((Column("X", kind="numeric"),)))


def _masked(rng: np.random.Generator, n: int = 8) -> Data:
    original = masked = np.zeros(n)
    while not (different(original) and different(masked)):
        original = np.round(rng.normal(100, 10, n), 1)
        masked = np.round(original + rng.normal(0, 7, n), 1)
    return {"original": original.tolist(), "masked": masked.tolist(), "row": int(rng.integers(n))}


def _mapped(data: Data) -> list[float]:
    return [float(v) for v in reverse_map(data["original"], data["masked"], seed=1)]


def _nearest(data: Data) -> Answer:
    original, value = np.array(data["original"]), data["masked"][data["row"]]
    return {"value": float(original[np.abs(original - value).argmin()])}


READ = Exercise(
    name="pp-01",
    kind="read",
    title="Reverse mapping",
    text="A column and the same column masked, row by row. Which original value does reverse "
    "mapping (Algorithm 1) give to the masked value in row {row} (rows are counted from 0)? "
    "Original {original}; masked {masked}",
    make=_masked,
    right=lambda data: {"value": _mapped(data)[data["row"]]},
    mistakes={
        "nearest": Mistake(
            _nearest, "You took the nearest original value. Take the one of the same rank."
        ),
        "its own": Mistake(
            lambda data: {"value": data["original"][data["row"]]},
            "That is the original value of this row. The value of the same rank is asked for.",
        ),
        "from the top": Mistake(
            lambda data: {
                "value": sorted(data["original"], reverse=True)[
                    sorted(data["masked"]).index(data["masked"][data["row"]])
                ]
            },
            "You counted one column from the bottom and the other from the top.",
        ),
    },
)


def _places(data: Data) -> list[int]:
    before, after = (mid_ranks(np.array(data[name])) for name in ("original", "masked"))
    return [int(place) for place in np.abs(before - after)]


MOVED = Exercise(
    name="pp-02",
    kind="compute",
    title="How far was it moved?",
    text="By how many places was the value in row {row} (rows are counted from 0) moved, and how "
    "many of the values kept their place? Original {original}; masked {masked}",
    make=_masked,
    right=lambda data: {"places": _places(data)[data["row"]], "kept": _places(data).count(0)},
    mistakes={
        "farthest": Mistake(
            lambda data: {"places": max(_places(data))},
            "That is how far the farthest was moved. Another row is asked for.",
        ),
        "rank for distance": Mistake(
            lambda data: {"places": int(mid_ranks(np.array(data["masked"]))[data["row"]])},
            "That is its new rank. How far is it from the old one?",
        ),
        "those moved": Mistake(
            lambda data: {"kept": len(data["masked"]) - _places(data).count(0)},
            "You counted those that moved.",
        ),
    },
)


def _noises(data: Data) -> tuple[float, float]:
    found = residual_noise(column(data["original"]), column(data["masked"]), seed=1)
    row = data["row"]
    return float(found.residual["X"].iloc[row]), float(found.total["X"].iloc[row])


NOISE = Exercise(
    name="pp-03",
    kind="compute",
    title="Permuted, and then a little",
    text="Masking is a permutation and a residual noise on top of it. For row {row} (rows are "
    "counted from 0), how large is the residual noise (masked value minus reverse-mapped one) and "
    "the total noise (masked minus original)? Original {original}; masked {masked}",
    make=_masked,
    right=lambda data: {"residual": _noises(data)[0], "total": _noises(data)[1]},
    mistakes={
        "permutation": Mistake(
            lambda data: {"residual": _noises(data)[1] - _noises(data)[0]},
            "That is what the permutation did. The residual noise is what is left without it.",
        ),
        "total for residual": Mistake(
            lambda data: {"residual": _noises(data)[1]},
            "You subtracted the original value of the row. Subtract the one of the same rank.",
        ),
        "sign": Mistake(
            lambda data: {"total": -_noises(data)[1]}, "You subtracted the other way round."
        ),
    },
)


def _shares(data: Data) -> tuple[float, float]:
    original, masked = column(data["original"]), column(data["masked"])
    mapped = column(_mapped(data))
    return (
        float(rank_correlation(original, masked)["X"]),
        float(rank_correlation(original, mapped)["X"]),
    )


def _smaller(data: Data) -> bool:
    found = residual_noise(column(data["original"]), column(data["masked"]), seed=1)
    return bool((found.residual["X"].abs() <= found.total["X"].abs()).all())


EXPLAIN = explain(
    "pp-04",
    "What reverse mapping keeps",
    "Original {original}; masked {masked}. The masked column is reverse-mapped.",
    _masked,
    [
        Statement(
            "Original and reverse-mapped column have the same rank correlation as original and "
            "masked one.",
            "The reverse-mapped column has a higher rank correlation with the original than the "
            "masked one has.",
            "Reverse mapping keeps the ranks of the masked column, and with them the correlation.",
            lambda data: abs(_shares(data)[0] - _shares(data)[1]) < 1e-9,
        ),
        Statement(
            "The reverse-mapped column holds just the values of the original.",
            "The reverse-mapped column holds values that do not occur in the original.",
            "Sort both: reverse mapping hands out the original values again.",
            lambda data: sorted(_mapped(data)) == sorted(data["original"]),
        ),
        Statement(
            "In some row the residual noise is larger than the total noise.",
            "In every row the residual noise is at most as large as the total noise.",
            "That is true in the mean, not in every row: compare them row by row.",
            lambda data: not _smaller(data),
        ),
        Statement(
            "Some reverse-mapped value is not that person's own original value.",
            "The reverse-mapped value is each person's own original value.",
            "Values go by rank, and noise changes ranks.",
            lambda data: _mapped(data) != data["original"],
        ),
    ],
)


def _list(answer: Answer, part: str, n: int) -> list[float]:
    given = answer[part]
    good = isinstance(given, (list, tuple, np.ndarray)) and len(given) == n
    if not good or not all(
        isinstance(v, (int, float, np.integer, np.floating)) and np.isfinite(v) for v in given
    ):
        raise RecordError(f"{part} was given as {quoted(given)}; expected a list of {n} numbers.")
    return [float(v) for v in given]


def _built(data: Data, answer: Answer) -> str | None:
    masked = _list(answer, "masked", len(data["original"]))
    if len(set(masked)) < len(masked):
        return "equal values"
    moved = _places({**data, "masked": masked})
    if min(moved) < data["least"]:
        return "too near"
    return None if max(abs(m - o) for m, o in zip(masked, data["original"], strict=True)) <= data[
        "most"] else "too far"  # fmt: skip


def _reference(data: Data) -> Answer:
    for order in permutations(sorted(data["original"])):
        if _built(data, {"masked": list(order)}) is None:
            return {"masked": list(order)}
    return {"masked": None}


def _to_mask(rng: np.random.Generator) -> Data:
    original = (rng.permutation(np.arange(20, 60))[:6] * 1.0).tolist()
    return {"original": original, "least": 2, "most": 20.0}


BUILD = Exercise(
    name="pp-05",
    kind="build",
    title="Move everybody",
    text="Give a masked column for {original}, row by row, with no equal values, in which every "
    "value is moved by at least {least} places and by no more than {most} in value.",
    make=_to_mask,
    right=_reference,
    mistakes={
        "equal values": Mistake(
            lambda data: {"masked": [1.0] * 6}, "Equal values have no place of their own."
        ),
        "too near": Mistake(
            lambda data: {"masked": [value + 1 for value in data["original"]]},
            "Some value keeps its place, or nearly. Adding something to all of them moves nobody.",
        ),
        "too far": Mistake(
            lambda data: {
                "masked": [
                    sorted(data["original"])[(sorted(data["original"]).index(v) + 3) % 6] * 10
                    for v in data["original"]
                ]
            },
            "The places are right, but some value is changed by more than allowed.",
        ),
    },
    judge=_built,
)


def _two_columns(data: Data, answer: Answer) -> str | None:
    original = _list(answer, "original", data["n"])
    masked = _list(answer, "masked", data["n"])
    if len(set(original)) < data["n"] or len(set(masked)) < data["n"]:
        return "equal values"
    found = residual_noise(column(original), column(masked), seed=1)
    larger = found.residual["X"].abs() > found.total["X"].abs() + 1e-9
    return None if bool(larger.any()) else "never larger"


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
    mistakes={
        "equal values": Mistake(
            lambda data: {"original": [1.0] * data["n"], "masked": [2.0] * data["n"]},
            "Use different values, so that each has a place of its own.",
        ),
        "never larger": Mistake(
            lambda data: {
                "original": [float(at) for at in range(data["n"])],
                "masked": [at + 0.1 for at in range(data["n"])],
            },
            "Here it holds in every row. Let two values change places although one hardly moves.",
        ),
    },
    judge=_two_columns,
)

EXERCISES = (READ, MOVED, NOISE, EXPLAIN, BUILD, DISPROVE)
