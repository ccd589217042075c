"""The claims of [LHCC]_ section 4 beside what we measure, on a census of our own making.

The paper's extract and its figures cannot be had, so the numbers stand for the claims' truth on
comparable data, not for the figures. What the partition does and what permuting does are told
apart: every estimator is tried on every partition.

Run with  python benchmarks/lhcc_claims.py [--small]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np
import pandas as pd

import verikit as vk
from verikit.partition import anatomy, diverse
from verikit.utility import ncp, rce, relative_error, workload

QUASI = ("Age", "Gender", "Education", "Marital", "Race", "Work-class", "Country")
SENSITIVE = {"SAL": "Salary-class", "OCC": "Occupation"}
PARTITIONS: dict[str, Callable[..., vk.Partition]] = {
    "anatomy's": lambda data, ell: anatomy(data, ell=ell, seed=1),
    "diverse": lambda data, ell: diverse(data, ell=ell, corners="table", seed=1),
    "diverse, own corners": lambda data, ell: diverse(data, ell=ell, corners="part", seed=1),
}
METHODS = {"anatomize": vk.mask.anatomize, "permute_all": vk.mask.permute_all}
SMALL = "--small" in sys.argv
N, QUERIES = (5_000, 150) if SMALL else (100_000, 1000)


def table(kind: str, n: int = N, d: int = 5) -> vk.Microdata:
    """SAL-d or OCC-d: the first d attributes and one of the two sensitive ones."""
    return vk.simulate("census", n, seed=1).only(*QUASI[:d], SENSITIVE[kind])


def measured(data: vk.Microdata, ell: int, conditions: int, s: float = 0.1) -> list[dict]:
    """The mean and the median error of both methods on every partition."""
    drawn = workload(data, queries=QUERIES, conditions=conditions, selectivity=s, seed=2)
    found = []
    for name, make in PARTITIONS.items():
        groups = make(data, ell)
        share = ncp(data, groups).share
        for method, mask in METHODS.items():
            release, _ = mask(data, partition=groups, seed=3)
            error = relative_error(data, release, drawn.queries)
            found.append(
                {
                    "groups": name,
                    "method": method,
                    "error": error.mean,
                    "median": error.median,
                    "ncp": share,
                    "rce": rce(data, groups, permuted=release.permuted).total / len(data),
                    "redrawn": drawn.redrawn,
                }
            )
    return found


def sweep(name: str, cases: dict[object, Callable[[], list[dict]]]) -> pd.DataFrame:
    """One line a case and partition, with the errors of both methods beside each other."""
    rows = [{name: case, **row} for case, run in cases.items() for row in run()]
    frame = pd.DataFrame(rows)
    wide = frame.pivot_table(
        index=[name, "groups"], columns="method", values="error", sort=False, observed=True
    )
    return wide.assign(ratio=wide["permute_all"] / wide["anatomize"]).reset_index()


def show(title: str, frame: pd.DataFrame) -> None:
    print(f"\n## {title}\n")
    print(frame.to_string(index=False, float_format=lambda value: f"{value:.3f}"))


def over_ell(kind: str) -> pd.DataFrame:
    data = table(kind)
    rows = [
        {"ell": ell, **row} for ell in (2, 4, 6, 8, 10) for row in measured(data, ell, conditions=4)
    ]
    frame = pd.DataFrame(rows)
    show(f"{kind}-5, {N:,} records, w = 4, s = 0.1, by ell (Figure 1)", frame)
    return frame


def claims(frames: dict[str, pd.DataFrame]) -> None:
    """The paper's claims and ours: its anatomy is blind, its permutation has its own partition."""
    lines = []
    for kind, frame in frames.items():
        errors = frame.pivot_table(index="ell", columns=["groups", "method"], values="error")
        blind = errors["anatomy's"]
        for corners in ("diverse", "diverse, own corners"):
            ours = errors[corners]
            gain = 1 - ours["permute_all"].mean() / blind["anatomize"].mean()
            same = ours["permute_all"].mean() / ours["anatomize"].mean()
            lines += [
                (f"{kind}: error of anatomy, l = 2..10", "14 to 25 %", spread(blind["anatomize"])),
                (f"{kind}: error of permutation, {corners}", "< 14 %", spread(ours["permute_all"])),
                (
                    f"{kind}: reduction, {corners}",
                    "25 %" if kind == "SAL" else "30 %",
                    f"{gain:.0%}",
                ),
                (f"{kind}: permuted / anatomized, same groups ({corners})", "-", f"{same:.2f}"),
            ]
        alone = blind["permute_all"].mean() / blind["anatomize"].mean()
        lines.append((f"{kind}: permuted / anatomized, blind groups", "-", f"{alone:.2f}"))
    frame = pd.DataFrame(list(dict.fromkeys(lines)), columns=["claim", "paper", "measured"])
    print("\n## Claims\n")
    print(frame.to_string(index=False))


def spread(errors: pd.Series) -> str:
    return f"{100 * errors.min():.1f} to {100 * errors.max():.1f} %"


def main() -> None:
    start = time.time()
    print(f"{QUERIES} queries each; errors are means; NCP and RCE per value and record.")
    frames = {kind: over_ell(kind) for kind in SENSITIVE}
    data = table("SAL", d=7)
    by = {
        "w (Figure 2; d = 7, ell 4)": sweep(
            "w", {w: lambda w=w: measured(data, 4, w) for w in range(4, 9)}
        ),
        "s (Figure 3; d = 7, w = 4, ell 4)": sweep(
            "s", {s: lambda s=s: measured(data, 4, 4, s) for s in (0.1, 0.15, 0.2, 0.25, 0.3)}
        ),
        "n (Figure 4; d = 5, w = 4, ell 4)": sweep(
            "n",
            {n: lambda n=n: measured(table("SAL", n), 4, 4) for n in np.array([1, 2, 3, 4, 5]) * N},
        ),
        "d (w = 4, ell 4)": sweep(
            "d", {d: lambda d=d: measured(table("SAL", d=d), 4, 4) for d in range(3, 8)}
        ),
    }
    for title, frame in by.items():
        show(f"Mean error by {title}", frame)
    claims(frames)
    print(f"\n{time.time() - start:.0f} s in all")


if __name__ == "__main__":
    main()
