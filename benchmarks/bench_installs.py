"""The same jobs in the default install, with the extra that compiles, and in the version before.

Run with  python benchmarks/bench_installs.py [--small] [--before TAG]

Each has a process of its own, and they take turns at each job; what is timed is one call after a
first one. The version before is that of the tag ``previous``, else of the newest one, else it is
left out. A floor is what numpy, or a tree, needs for the part that cannot be spared.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
AREA = "Default install beside the fast extra and the version before"
FLAT = {"widgets": "widgets", "_data": "data", "_notebooks": "notebooks"}
TURNS, LONG = 5, 1.0
Job = Callable[[], Any]
Made = tuple[Job, Job | None]


def numbers(n: int) -> Any:
    return vk.simulate("dm", n, seed=1)


def people(n: int) -> Any:
    return vk.simulate("census", n, seed=1).only(
        "Age", "Gender", "Education", "Marital", "Race", "Salary-class"
    )


def pay(n: int) -> Any:
    frame = numbers(n).frame
    return vk.Microdata(frame, vk.Schema.guess(frame, X3="sensitive"))


def columns(data: Any) -> list[np.ndarray]:
    return [data.scores(name) for name in data.schema.names]


def check(n: int, **asked: Any) -> Made:
    release = vk.mask.noise(numbers(n), scale=0.5, seed=2).release
    record = dict(zip(release.schema.names, (98.0, 900.0, 5000.0), strict=True))
    held = columns(release)
    return lambda: vk.check(record, release, **asked), lambda: [np.sort(v) for v in held]


def plausibility(n: int) -> Made:
    data = numbers(n)
    release = vk.mask.noise(data, scale=0.5, seed=2).release
    return lambda: vk.plausibility(data, release), None


def choose(n: int) -> Made:
    from verikit.protector import Goal

    data = numbers(n)
    return lambda: vk.choose(data, "noise", Goal(links=3), seed=1), None


def audit(n: int) -> Made:
    data = numbers(n)
    release, key = vk.mask.noise(data, scale=0.5, seed=2)
    held = columns(data) + columns(release)
    return (
        lambda: vk.audit(data, release, key, subject_view=False),
        lambda: [np.argsort(v) for v in held],
    )


def link(n: int) -> Made:
    from scipy.spatial import cKDTree

    data = numbers(n)
    release = vk.mask.noise(data, scale=0.5, seed=2).release
    ranks = [np.column_stack([np.argsort(np.argsort(v)) for v in columns(t)]) for t in
             (data, release)]  # fmt: skip
    return (
        lambda: vk.link(data, release, attack="maximum_rank"),
        lambda: cKDTree(ranks[1]).query(ranks[0], p=np.inf),
    )


def noise(n: int) -> Made:
    data = numbers(n)
    held = columns(data)

    def floor() -> Any:
        rng = np.random.default_rng(1)
        noisy = [v + rng.normal(0, v.std() / 2, n) for v in held]
        order = rng.permutation(n)
        return [v[order] for v in noisy]

    return lambda: vk.mask.noise(data, scale=0.5, seed=1), floor


def rank_swap(n: int) -> Made:
    data = numbers(n)
    held = columns(data)
    return (
        lambda: vk.mask.rank_swap(data, percent=5, seed=1),
        lambda: [np.argsort(v) for v in held],
    )


def mdav(n: int) -> Made:
    data = numbers(n)
    return lambda: vk.mask.microaggregate(data, k=3, method="mdav", seed=1), None


def mondrian(n: int) -> Made:
    data = numbers(n)
    held = columns(data)
    return lambda: vk.partition.mondrian(data, k=10), lambda: [np.argsort(v) for v in held]


def classes(n: int) -> Made:
    from verikit.models import k_anonymity

    data = people(n)
    return lambda: k_anonymity(data), None


def anatomized(n: int) -> Made:
    data = people(n)

    def job() -> Any:
        groups = vk.partition.anatomy(data, ell=5, seed=1)
        return vk.mask.anatomize(data, partition=groups, seed=1)

    return job, None


def diverse(n: int) -> Made:
    data = people(n)
    return lambda: vk.partition.diverse(data, ell=4, corners="table", seed=1), None


def apart(n: int, name: str) -> Made:
    data = pay(n)
    values = data.scores("X3")
    made = getattr(vk.partition, name)
    return lambda: made(data, k=5, e=1, seed=1), lambda: np.argsort(values)


def jobs(part: int) -> dict[str, Callable[[], Made]]:
    """What is timed, at full size or at a part of it; what is small stays as it is."""
    few, many, most = 1_000, 100_000 // part, 1_000_000 // part
    return {
        f"check, {few:,} x 3": lambda: check(few),
        f"check, {many:,} x 3": lambda: check(many),
        f"check without chance, {most:,} x 3": lambda: check(most, chance=False),
        f"plausibility, exact, {few:,} x 3": lambda: plausibility(few),
        f"choose, {few:,} x 3": lambda: choose(few),
        f"audit, {many:,} x 3": lambda: audit(many),
        f"link by maximum rank, {many:,} x 3": lambda: link(many),
        f"noise, {few:,} x 3": lambda: noise(few),
        f"noise, {most:,} x 3": lambda: noise(most),
        f"rank swap, {many:,} x 3": lambda: rank_swap(many),
        f"MDAV, {few:,} x 3": lambda: mdav(few),
        f"MDAV, {10_000 // part:,} x 3": lambda: mdav(10_000 // part),
        f"mondrian, {many:,} x 3": lambda: mondrian(many),
        f"k, {many:,} x 5": lambda: classes(many),
        f"anatomy and anatomize, {many:,} x 5": lambda: anatomized(many),
        f"diverse, {many:,} x 5": lambda: diverse(many),
        f"min_sum_error, {most:,}": lambda: apart(most, "min_sum_error"),
        f"min_max_error, {most:,}": lambda: apart(most, "min_max_error"),
        f"max_groups, {most:,}": lambda: apart(most, "max_groups"),
    }


def child(part: int) -> None:
    """Time one call of the job, or of its floor, that is named on each line."""
    made: dict[str, Made] = {}
    for line in sys.stdin:
        what, name = line.rstrip("\n").split(" ", 1)
        try:
            if name not in made:
                made = {name: jobs(part)[name]()}
                made[name][0]()
            job = made[name][what == "floor"]
            start = time.process_time()
            seconds = "nan" if job is None else (job(), time.process_time() - start)[1]
        except Exception as error:  # what the version before lacks
            print(f"{name}: {error}", file=sys.stderr, flush=True)
            seconds = "nan"
        print(f"TOLD {seconds}", flush=True)


class Contestant:
    """A process that times jobs."""

    def __init__(self, part: int, *, numba: bool, at: Path | None = None) -> None:
        given = ["--child", str(part), *([] if numba else ["--plain"])]
        found = {} if at is None else {"PYTHONPATH": str(at)}
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "bench_installs.py"), *given],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=os.environ | found,
        )  # fmt: skip

    def seconds(self, what: str, name: str) -> float:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            print(what, name, file=self.process.stdin, flush=True)
        for line in self.process.stdout:
            if line.startswith("TOLD "):
                return float(line.split()[1])
        return float("nan")  # it has ended

    def end(self) -> None:
        self.process.communicate()


def best(contestants: dict[str, Contestant], name: str) -> dict[str, float]:
    """The fewest seconds of each in turns, of the floor in the default install too."""
    found: dict[str, list[float]] = {}
    for _ in range(TURNS):
        for who, contestant in contestants.items():
            found.setdefault(who, []).append(contestant.seconds("job", name))
        found.setdefault("floor", []).append(contestants["default"].seconds("floor", name))
        if max(map(max, found.values())) > LONG:
            break
    return {who: min(seconds) for who, seconds in found.items()}


@contextlib.contextmanager
def version(tag: str | None) -> Iterator[Path | None]:
    """A folder from which the version of a tag is imported."""
    if tag is None:
        yield None
        return
    with tempfile.TemporaryDirectory() as name:
        packed = subprocess.run(
            ["git", "archive", tag, "verikit", *FLAT.values()],
            cwd=HERE.parent, capture_output=True, check=True,
        ).stdout  # fmt: skip
        subprocess.run(["tar", "-x", "-C", name], input=packed, check=True)
        for inside, flat in FLAT.items():
            Path(name, "verikit", inside).symlink_to(Path(name, flat))
        yield Path(name)


def tag_before() -> str | None:
    """The tag ``previous``, else the newest one before this commit, else none."""
    for asked in (["rev-parse", "--verify", "previous"], ["describe", "--tags", "--abbrev=0"]):
        told = subprocess.run(
            ["git", *asked], cwd=HERE, capture_output=True, text=True, check=False
        )
        if not told.returncode:
            return "previous" if asked[0] == "rev-parse" else told.stdout.strip()
    return None


def _ratio(one: float, other: float) -> str:
    return f"{one / other:.3g}" if one == one and other == other else "-"


def main(part: int, tag: str | None) -> None:
    from _timing import put

    heads = ["job", "before", "default", "fast", "floor", "default : before", "default : fast",
             "default : floor"]  # fmt: skip
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    with version(tag) as at:
        contestants = {
            "default": Contestant(part, numba=False),
            "fast": Contestant(part, numba=True),
        }
        if at is not None:
            contestants["before"] = Contestant(part, numba=False, at=at)
        for name in jobs(part):
            told = {"before": float("nan"), **best(contestants, name)}
            cells = [f"{told[who]:.4g}" if told[who] == told[who] else "-" for who in heads[1:5]]
            cells += [_ratio(told["default"], told[who]) for who in ("before", "fast", "floor")]
            lines.append(f"| {name} | {' | '.join(cells)} |")
            print(lines[-1], flush=True)
        for contestant in contestants.values():
            contestant.end()
    before = "no version before" if tag is None else f"before: {tag}"
    put(AREA, f"CPU seconds, taking turns; {before}", "\n".join(lines))


if __name__ == "__main__":
    if "--plain" in sys.argv:
        sys.modules["numba"] = None  # type: ignore[assignment]
    import verikit as vk

    if "--child" in sys.argv:
        child(int(sys.argv[sys.argv.index("--child") + 1]))
    else:
        chosen = (
            sys.argv[sys.argv.index("--before") + 1] if "--before" in sys.argv else tag_before()
        )
        main(10 if "--small" in sys.argv else 1, chosen)
