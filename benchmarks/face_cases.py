"""The faces of one answer against each other, sentence by sentence, on random cases.

Run with  python benchmarks/face_cases.py [CASES] [FIRST] [KIND]

The cases are those of `page_cases.py`, each in a language drawn at random and at times with a
publisher. One report of `verikit.check` is drawn as the card of the app, as the slip, as a
notebook shows it, by `verikit check` on a terminal and as JSON; each must say the parts of the
answer, all of them and in their order, nothing that may not be said, and fill in every place.
What the page says, `page_cases.py` compares.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import redirect_stdout
from html import unescape
from io import StringIO
from typing import Any
from unittest.mock import patch

import numpy as np
from page_cases import as_typed, kinds

import verikit as vk
from verikit.cli import main as run
from verikit.errors import VerikitError
from verikit.languages import LANGUAGES, own_texts, use_language
from verikit.subject import card

KINDS = (
    "masked", "generalized", "split", "together", "randomized", "numbers", "graph", "disguised",
    "indexed",
)  # fmt: skip
UNFILLED = re.compile(
    r"\{\w*(?::[^{}]*)?\}|\b(?:undefined|None(?! need)|nan|NaN|NaT|Infinity|inf)\b|<NA>"
)
LEFT_OUT = {"terminal": ("term",), "slip": ("detail", "letter")}
ABOUT = {
    "title": "Pay of nurses", "publisher": "An office & friends", "contact": "a@b.org",
    "year": "2026", "people": "nurses", "law": "the data act",
}  # fmt: skip


def as_text(html: str) -> str:
    """The words of HTML as somebody reads them."""
    hidden = r"<(style|svg|title)\b.*?</\1>|<span aria-hidden.*?</span>"
    body = re.sub(hidden, " ", html, flags=re.DOTALL)
    return as_line(unescape(re.sub(r"<[^>]+>", " ", body)))


def as_line(text: str) -> str:
    """A text without line breaks, as HTML and a terminal may set some."""
    return " ".join(text.split())


def on_terminal(report: vk.SubjectReport, releases: list[Any]) -> str:
    """What `verikit check` prints of a report, which it does not make again."""
    given = ["check", *(f"--with={at}" for at in range(1, len(releases))), "0", "--set=a=1"]
    opened = patch("verikit.cli._check.Check._open_published", lambda _, at, __: releases[int(at)])
    told = StringIO()
    with opened, patch("verikit.subject.check", lambda *_, **__: report), redirect_stdout(told):
        run([*given, f"--language={report.headline.language}"])
    return told.getvalue()


def faces(report: vk.SubjectReport, releases: list[Any]) -> dict[str, str]:
    """The words of an answer by the face that shows them."""
    schema = releases[0].schema
    with use_language(report.headline.language):
        drawn = card.write_card(report, schema, "table.csv")
    return {
        "app": as_text(drawn),
        "slip": as_text(report.to_html(schema=schema, table="table.csv")),
        "notebook": as_text(report._repr_html_()),
        "terminal": as_line(on_terminal(report, releases)),
        "JSON": " ".join(as_line(part["text"]) for part in json.loads(report.to_json())["parts"]),
    }


def find_faults(report: vk.SubjectReport, releases: list[Any]) -> Iterator[str]:
    """What a face leaves out, says in another order, must not say or did not fill in."""
    language = report.headline.language
    forbidden = re.compile(own_texts(language, "checks")["forbidden"], re.IGNORECASE)
    parts = [(name, as_line(text)) for name, text in report.parts]
    for face, shown in faces(report, releases).items():
        at = 0
        for name, text in parts:
            if name not in LEFT_OUT.get(face, ()):
                at = shown.find(text, at)
                if at < 0:
                    yield f"{face} ({language}) lacks or moves {name}: {text}"
                    break
                at += len(text)
        for rule in (forbidden, UNFILLED):
            if found := rule.search(shown):
                near = shown[max(found.start() - 60, 0) : found.end() + 30]
                yield f"{face} ({language}): ...{near}..."


def main(cases: int = 500, first: int = 0, kind: str = "") -> int:
    """Compare so many cases of each kind; the number of those in which faces differ."""
    different = 0
    for name in [kind] if kind else KINDS:
        told, wrong = Counter(), 0
        for seed in range(first, first + cases):
            rng, one = np.random.default_rng([seed, KINDS.index(name)]), kinds()[name](seed)
            releases = one.release if isinstance(one.release, list) else [one.release]
            if rng.random() < 0.3 and name != "indexed":  # of an index nobody says more
                releases = [each.describing(**ABOUT) for each in releases]
            language, asked = str(rng.choice(LANGUAGES)), dict(one.question)
            if "apart" in asked:
                asked["criterion"] = vk.Criterion(asked["criterion"], asked.pop("apart"))
            try:
                report = vk.check(as_typed(one.record), releases, **asked, language=language)
            except VerikitError:
                told["refused"] += 1
                continue
            told[report.headline.state] += 1
            told["texts"] += len(report.parts)
            faults = [*find_faults(report, releases)]
            wrong += bool(faults)
            print(
                *(f"{name} {seed} {fault}" for fault in faults[:3]),
                sep="\n",
                end="\n" * bool(faults),
            )
        print(f"{name}: {', '.join(f'{state} {count}' for state, count in sorted(told.items()))}")
        print(f"{name}: {wrong} of {cases:,} cases differ", flush=True)
        different += wrong
    return different


if __name__ == "__main__":
    sys.exit(bool(main(*map(int, sys.argv[1:3]), *sys.argv[3:4])))
