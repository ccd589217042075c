"""Write cases that another checker can be held to: releases on disk, records, and the answers.

Run with  python benchmarks/conformance.py FOLDER [CASES]

Each case is a folder with the release as it is saved, ``record.json`` (her values as she types
them, and what she requires), and ``answer.json``, what `verikit.check` says of them in English,
or that it refuses them. The cases are those to which the page is held (`page_cases.py`);
docs/specification.md says what is asked of a checker.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from page_cases import expected, kinds

from verikit.release import to_json_value

KINDS = ("masked", "generalized", "split", "randomized", "numbers", "graph", "disguised")


def write_suite(folder: Path, cases: int = 50) -> None:
    """Write so many cases of each kind."""
    drawn = kinds()
    for kind in KINDS:
        for seed in range(cases):
            one = drawn[kind](seed)
            place = folder / kind / f"{seed:04}"
            one.release.save(place / "release")
            asked = {"record": one.record, "options": one.question}
            for name, content in (("record", to_json_value(asked)), ("answer", expected(one))):
                text = json.dumps(content, indent=1, ensure_ascii=False)
                (place / f"{name}.json").write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    write_suite(Path(sys.argv[1]), *map(int, sys.argv[2:3]))
