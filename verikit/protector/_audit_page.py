"""The audit as a page of its own, which asks nothing from outside and can be printed."""

from __future__ import annotations

import json
from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from verikit._support import html as _html
from verikit._support.html import element
from verikit.protector._exposure import ANEW, say_draw
from verikit.protector._population_risk import round_number
from verikit.words import chance, count, digits, joined, not_compared, share

if TYPE_CHECKING:
    from verikit.intruder import FoundRecords
    from verikit.protector._audit import Alike, AuditReport
    from verikit.protector._correct_links import CorrectLinks
    from verikit.protector._exposure import Exposure
    from verikit.utility import InformationLoss

Facts = dict[str, Any]
MAX_LINES, PAIRS = 100, 5
STYLE = """
.vk h1{font-size:1.5em;line-height:1.25}.vk h2{font-size:1.15em;margin:1.6em 0 .3em}
.vk-page{margin:0;padding:16px}.vk .wide{overflow-x:auto}.vk li{margin:.3em 0}
.vk p,.vk li,.vk h1{overflow-wrap:anywhere}
@page{margin:1.5cm}
@media print{:root{--ink:#000;--soft:#444;--line:#bbb;--blue:#0072b2;--warn:#9a4300}
.vk-page{background:#fff;padding:0}.vk{max-width:none;font-size:11pt}.vk .wide{overflow:visible}
.vk tr,.vk svg,.vk li{break-inside:avoid}.vk h2{break-after:avoid}
.vk svg,.vk .head{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
"""
PUBLIC = "For everybody: this page holds no value, no record and no link of anybody."
INTERNAL = (
    "Internal: this page says which rows can be linked to which people. Keep it as closely as the "
    "key."
)
NAMES = {
    "correct": "right links",
    "guessed": "by a draw",
    "attributes": "columns",
    "attribute": "column",
    "places": "places moved (mean)",
    "unmoved": "share unmoved",
    "residual": "spread left",
    "p": "as many by luck",
    "protector": "places moved",
    "subject": "places to the closest row",
    "own": "her own row",
    "rows": "rows",
}


def audit_page(told: Facts) -> str:
    """Write a page from the facts of an audit."""
    tag = INTERNAL if told["internal"] else PUBLIC
    kind = "head warning" if told["internal"] else "head"
    made = f"Made by {told['method']}." if told["method"] else "It is not told how it was made."
    names = joined(map(_html.name, [*told["columns"], *told["not_compared"]]))
    parts = [
        element("h1", "Audit of a release"),
        _html.write_paragraphs(
            not_compared(told["not_compared"]), *told["undefined"], told.get("doubt", "")
        ),
        element("div", _html.write_paragraphs(tag), class_=kind),
        _write_heading("What is published"),
        element("p", f"{count(told['records'], 'record')} of {names}. {escape(made)}"),
        *show_loss(told["lost"]),
        *_show_links(told),
        *_show_guesses(told),
        *_show_sample(told["sample"]),
        *_show_baselines(told),
        *_show_requirement(told),
        *(_show_records(told) if told["internal"] else ()),
        _write_heading("What this does not mean"),
        element("ul", "".join(element("li", escape(s)) for s in told["does_not_mean"])),
    ]
    body = element("main", "".join(parts), class_="vk")
    style = f"<style>{BAR_STYLE}{STYLE}</style>"
    title = "Audit of a release, internal" if told["internal"] else "Audit of a release"
    return _html.page(title, style + body)


def _write_heading(words: str) -> str:
    return element("h2", escape(words))


def _show_links(told: Facts) -> Iterable[str]:
    yield _write_heading("Can people be linked to their rows?")
    found = told["links"]
    if found is None:
        yield _html.write_paragraphs(NOT_COUNTED)
        yield from show_policies(told["policies"])
        return
    right = "more than half" if found["right"] is None else f"{found['right']:,}"
    lucky = f"about {digits(found['luck'], 2)}"
    known = f" of {joined(told['columns'])}" if told["not_compared"] else ""
    yield _html.write_paragraphs(
        f"The strongest of {count(found['attacks'], 'test attack')} knows all original values"
        f"{known} and links {right} of {count(found['of'], 'person', 'people')} "
        f"rightly, without knowing which of its links are right{found['more']}. Luck would give "
        f"{lucky}.",
        told["undone"],
        told["standing"]["said"] if told["standing"] else "",
    )
    length = 0.5 if found["right"] is None else found["right"] / found["of"]
    drawn = [
        Bar("linked rightly", length, f"{right} of {found['of']:,}"),
        Bar("by luck", found["luck"] / found["of"], f"{lucky} of {found['of']:,}", "open"),
    ]
    alt, standing = f"Right links: {right} of {found['of']:,}; by luck {lucky}.", told["standing"]
    if standing:
        most = standing["right"] is None
        some = "more than half" if most else f"{standing['right']:,}"
        length = 0.5 if most else standing["right"] / standing["of"]
        drawn.append(Bar("own record there", length, f"{some} of {standing['of']:,}", "striped"))
        alt += f" Own record there: {some} of {standing['of']:,}."
    yield draw_bars(drawn, alt, "links", "People who are found")
    yield from show_policies(told["policies"])


def show_policies(policies: list[Facts]) -> Iterable[str]:
    """Show how many are found by what an intruder is taken to know, one line a policy."""
    if policies:
        yield _write_heading("Risk by what an intruder is taken to know")
        yield element("div", _html.table(pd.DataFrame(policies)), class_="wide")


def show_loss(lost: Facts | None) -> Iterable[str]:
    """Show what is lost for users: in words, by column, and as a picture."""
    if not lost or not lost["columns"]:
        return
    yield _write_heading("What is kept for users")
    yield _html.write_paragraphs(*lost["said"], MEASURED)
    frame = pd.DataFrame(lost["columns"]).dropna(axis=1, how="all")
    yield element("div", _html.table(frame, LOSSES), class_="wide")
    drawn: list[Bar] = []
    for name, look in (("shape", "solid"), ("penalty", "striped")):
        lines = [line for line in lost["columns"] if line[name] is not None]
        drawn += [Bar(LOSSES[name])] if lines else []
        drawn += [Bar(n["column"], n[name], share(n[name]), look) for n in lines]
    yield draw_bars(drawn, _read_out(drawn), "lost", "What is lost of each column")


def _show_baselines(told: Facts) -> Iterable[str]:
    yield _write_heading("Does it matter to be in the table?")
    if not told["baselines"]:
        yield _html.write_paragraphs(
            "This was not measured: the method cannot be repeated on half of the people."
        )
        return
    yield _html.write_paragraphs(
        "The same attack was made on people of a table and on others who are not in it. What it "
        "finds out of the others follows from what the table says of people in general; only what "
        "goes beyond comes from being in it.",
        told["others"],
    )
    drawn: list[Bar] = []
    for line in told["baselines"]:
        drawn.append(Bar(_name_secret(line)))
        for name, column, look in (
            ("people of the table", "found", "solid"),
            ("others", "control", "striped"),
            ("naive guess", "naive", "open"),
        ):
            drawn.append(Bar(name, line[column], share(line[column]), look))
    alt = " ".join(
        f"{_name_secret(line)}: {share(line['found'])} people of the table, "
        f"{share(line['control'])} others, {share(line['naive'])} by a naive guess."
        for line in told["baselines"]
    )
    yield draw_bars(drawn, alt, "baselines", "People on whom an attack succeeds")
    items = (f"{_name_secret(line)}. {line['said'][1]}" for line in told["baselines"])
    yield element("ul", "".join(element("li", escape(words)) for words in items))


def _show_guesses(told: Facts) -> Iterable[str]:
    for at, part in enumerate(told["guessed"]):
        yield _write_heading(f"How rightly {part['title']} is guessed")
        yield _html.write_paragraphs(*part["said"])
        yield draw_guesses(part, f"guessed{at}")


def draw_guesses(part: Facts, name: str) -> str:
    """Draw of how many people a value is guessed rightly, by how it is guessed."""
    drawn: list[Bar] = []
    for words, key, of, look in GUESSES:
        if part.get(key) is not None and part[of]:
            length = part[key] / part[of]
            drawn.append(Bar(words, length, share(length), look))
    title = f"Right guesses of {part['title']}, of 100 people"
    return draw_bars(drawn, _read_out(drawn), name, title)


def _read_out(drawn: Iterable[Bar]) -> str:
    return "; ".join(f"{bar.label}: {bar.value}".removesuffix(": ") for bar in drawn) + "."


def _show_sample(sample: Facts | None) -> Iterable[str]:
    if sample is None:
        return
    yield _write_heading("How many people of the population are found")
    yield _html.write_paragraphs(sample["known"], *sample["said"], WEIGHTS)


def _name_secret(line: Facts) -> str:
    return f"Guessing {line['secret']}" if line["secret"] else "Said to be in the table"


def _show_requirement(told: Facts) -> Iterable[str]:
    asked, classes = told["requirement"], told["classes"]
    if asked is None and not classes:
        return
    yield _write_heading("What was required")
    yield _html.write_paragraphs(*classes)
    if asked is None:
        return
    wanted = [
        f"{n} moved by at least {count(v, 'place')}" for n, v in asked["distance"].items() if v
    ]
    wanted += [
        f"{n} with {asked['criterion'][n]} {asked['direction'][n]} {v:g} around it"
        for n, v in asked["diversity"].items()
        if v is not None
    ]
    failed = f"not met for {count(asked['failed'], 'record')}" if "failed" in asked else "not met"
    met = "met for every record" if asked["met"] else failed
    yield _html.write_paragraphs(
        f"{joined(wanted) or 'no distance'}: {met}.", "Meeting it says nothing of links."
    )


def _show_records(told: Facts) -> Iterable[str]:
    """What only the protector may read; of single records those that fail a requirement."""
    yield _write_heading("How far values were moved")
    yield _html.write_paragraphs(
        "Of each column: the share of people whose value stayed in its place, and how many places "
        "it was moved for so many of 100 people at most."
    )
    yield _scrolling_table(told["places_moved"], "Places moved by column")
    least = joined(f"{name} {places:,}" for name, places in told["places_of_every_record"].items())
    tables = {
        "Right links by attack": "attacks",
        "Columns, the least masked first": "columns_least_masked_first",
        "Sets of columns, those that give most away first": "sets_of_columns",
        "Candidates, those who are found first": "candidates",
        "Records, the worst first": "records_one_by_one",
    }
    for words, name in tables.items():
        lines = told.get(name)
        if name == "records_one_by_one":
            lines = [line for line in told[name] if line["why"]]
        if lines:
            yield _write_heading(words)
            if name == "records_one_by_one":
                yield _html.write_paragraphs(
                    f"Every record was moved at least this many places: {least}."
                )
            yield _scrolling_table(lines, words)


def _scrolling_table(lines: list[Facts], words: str) -> str:
    """A table that scrolls by itself on a small screen; the JSON holds the lines left out."""
    frame = pd.DataFrame(lines[:MAX_LINES])
    if "p" in frame:
        frame["p"] = frame["p"].map(chance)
    held = _html.table(frame, NAMES)
    left = len(lines) - len(frame)
    more = _html.write_paragraphs(f"{left:,} more are in the JSON version.") if left else ""
    wide = element("div", held, class_="wide", role="region", aria_label=words, tabindex="0")
    return wide + more


WIDTH, HEIGHT, HEAD = 320, 34, 32
FILLS = ("solid", "striped", "open")
BAR_STYLE = """
.vk svg{display:block;width:100%;max-width:22rem;height:auto;margin:.6em 0}
.vk svg text{font:14px system-ui,"DejaVu Sans",sans-serif;fill:var(--ink)}
.vk figure{margin:1em 0}.vk figcaption,.vk svg .head{font-weight:600}
.vk svg rect{stroke:var(--blue);stroke-width:1.5}
.vk svg .solid{fill:var(--blue)}.vk svg .open{fill:none}.vk svg path{stroke:var(--blue)}
"""


class Bar(NamedTuple):
    """One bar: what it is of, its length as a share, what stands at it, and its look.

    A bar without a length is a heading.
    """

    label: str
    share: float | None = None
    value: str = ""
    look: str = FILLS[0]


def draw_bars(drawn: Iterable[Bar], alt: str, name: str, title: str) -> str:
    """Draw bars one below the other, each under its words; ``alt`` stands for the picture.

    Looks differ by their filling, never by colour alone. ``name`` is the picture's own, so that
    several may stand on one page.

    Examples
    --------
    >>> draw_bars([Bar("right", 0.5, "3 of 6")], "3 of 6 links are right.", "links", "Links")[:38]
    '<figure><figcaption>Links</figcaption>'
    """
    line = element("path", "", d="M0 6L6 0", stroke_width="1.5")
    tile = {"width": "6", "height": "6", "patternUnits": "userSpaceOnUse"}
    stripes = element("pattern", line, id=f"{name}-stripes", **tile)
    parts, top = [element("defs", stripes)], 0
    for bar in drawn:
        top += HEAD if bar.share is None else HEIGHT
        parts.append(_draw_bar(bar, top, name))
    content = element("title", escape(alt)) + "".join(parts)
    box = f"0 0 {WIDTH} {top + 6}"
    drawing = element("svg", content, role="img", aria_label=alt, viewBox=box)
    return element("figure", element("figcaption", escape(title)) + drawing)


def _draw_bar(bar: Bar, foot: int, name: str) -> str:
    if bar.share is None:
        return element("text", escape(bar.label), x="0", y=str(foot - 4), class_="head")
    words = escape(f"{bar.label}: {bar.value}")
    said = element("text", words, x="0", y=str(foot - 16))
    look = (
        {"style": f"fill:url(#{name}-stripes)"} if bar.look == "striped" else {"class_": bar.look}
    )
    length = f"{max(1.0, (WIDTH - 2) * min(bar.share, 1)):.1f}"
    return said + element("rect", "", x="1", y=str(foot - 11), width=length, height="9", **look)


NOT_COUNTED = (
    "The right links were not counted for this audit. That tells nothing about how many people can "
    "be found."
)
MEASURED = (
    "Means and medians are told in twentieths of a standard deviation, the rest in hundredths. "
    "Analyses of other kinds, such as models of several columns, may lose more."
)
LOSSES = {
    "shape": "difference of shares",
    "mean": "mean moved (sd)",
    "median": "median moved (sd)",
    "penalty": "left open by cells",
}
GUESSES = (
    ("by the group alone", "by_group", "people", "open"),
    ("by learning, her group known", "by_learning", "people", "solid"),
    ("by learning from others", "by_others", "people", "striped"),
    ("people who are not in the table", "control_right", "control", "open"),
)
KERCKHOFFS = "knows all: every original value, the method and its parameters (Kerckhoffs)"
NEAREST = "compares records and takes the nearest, not knowing the method (handbooks)"
DRAWS = "knows the quasi-identifiers and draws one of the rows that fit (handbooks: k-anonymity)"
RELEASED = "What is published is taken to be all that is known of a person."
ORIGINAL = "The original values are taken to be known, as if they were published unmasked."
WEIGHTS = (
    "Weights and households are not published, as they tell strata and who lives together; what a "
    "report tells of them is rounded."
)
QUANTILES = (10, 50, 90, 100)
LIMITS = (
    "Few right links do not mean that nobody can be found: who knows more may find more.",
    "Numbers for all people say nothing of one person. Each can check her own record.",
    "Only the columns named here were compared, and no other table about the same people.",
    "Membership and guessed values are baselines: simple attacks that a skilled one exceeds.",
    "No test of this kind proves that people are protected.",
)


def audit_facts(report: AuditReport, internal: bool) -> Facts:
    """Collect what a document says; for the public without values, records and candidates."""
    exposure, baselines = report.exposure, report.baselines
    guesses: list[Facts] = []
    if baselines is not None:
        lines = baselines.to_frame().round(4).to_dict("records")
        guesses = [
            {**line, "said": part.sentences}
            for line, part in zip(lines, baselines.all, strict=True)
        ]
    found: Facts = {
        "document": "audit of a release",
        "internal": internal,
        "records": report.records,
        "columns": list(report.attributes),
        "not_compared": list(report.not_compared),
        "undefined": list(report.undefined),
        "method": report.method,
        "links": _link_facts(exposure, internal),
        "policies": list_policies(
            report.exposure.found if report.exposure else None, report.alike, internal
        ),
        "lost": loss_facts(report.lost),
        "sample": _sample_facts(report),
        "alike": None if report.alike is None else report.alike._asdict(),
        "standing": _standing_facts(report.standing, internal),
        "undone": exposure.undone if exposure else "",
        "baselines": guesses,
        "guessed": [
            {**part.facts, "said": part.sentences}
            for part in (p if internal else p.round() for p in report.guessed)
        ],
        "others": ANEW if baselines else "",
        "requirement": _requirement_facts(report, internal),
        "classes": [repr(v) if internal else repr(v)[: -len(v.why)] for v in report.classes],
        "does_not_mean": list(LIMITS),
    }
    if not internal:
        return found
    # what tells of single records, or how to attack them
    found["doubt"] = report.doubt
    found["places_of_every_record"] = report.largest
    found["places_moved"] = [
        {"column": name, "stayed": float((moved == 0).mean())}
        | {f"{q} of 100": int(np.percentile(moved, q, method="inverted_cdf")) for q in QUANTILES}
        for name, moved in zip(report.attributes, report.protector.T, strict=True)
        if len(moved)
    ]
    found["records_one_by_one"] = _to_lines(report.to_frame())
    if exposure is not None:
        found["attacks"] = _to_lines(exposure.found.to_frame())
        found["columns_least_masked_first"] = _to_lines(exposure.found.attributes)
        found["sets_of_columns"] = _to_lines(exposure.sets)
        found["candidates"] = _to_lines(exposure.candidates)
    return found


def _link_facts(exposure: Exposure | None, internal: bool) -> Facts | None:
    """Tell the right links; in public never more than that they are more than half.

    Whoever is told that nearly all of his links are right knows which are.
    """
    if exposure is None:
        return None
    found = exposure.found
    many = 2 * found.count > found.records
    told: Facts = {
        "attack": found.attack,
        "attacks": len(found.attempts),
        "right": found.count if internal or not many else None,
        "more_than_half": many,
        "of": found.records,
        "more": say_draw(found) if internal or 2 * found.guessed <= found.records else "",
        "luck": round(found.luck, 2),
        "more_than_luck": found.more_than_luck,
    }
    more = {"p": found.p, "share": found.share, "low": found.low, "high": found.high}
    return told | more if internal else told


def loss_facts(lost: InformationLoss | None) -> Facts | None:
    """Tell what is lost for users; means and medians, close to some value, more coarsely."""
    if lost is None:
        return None
    columns, pairs = (_to_lines(part.round(2)) for part in (lost.columns, lost.pairs.head(PAIRS)))
    for line in columns:
        for name in ("mean", "median"):
            line[name] = None if line[name] is None else round(20 * line[name]) / 20
    kept = {"pairs": len(lost.pairs), "mean_change": round(lost.mean_change, 2)}
    return {"columns": columns, **kept, "most_changed": pairs, "said": lost.sentences}


def list_policies(
    found: CorrectLinks | None, alike: Alike | None, internal: bool = False
) -> list[Facts]:
    """List what an intruder finds by what he is taken to know; in public never all but a few."""
    lines = []
    if found is not None:
        lines.append((KERCKHOFFS, int(found.guessed + 1e-9), found.records))
        nearest = found.attempts.get("maximum_rank")
        if nearest is not None and len(found.attempts) > 1:
            lines.append((NEAREST, nearest, found.records))
    if alike is not None:
        lines.append((DRAWS, alike.kinds, alike.rows))
    return [
        {
            "an intruder who": who,
            "right": "more than half" if not internal and 2 * right > of else right,
            "of": of,
        }
        for who, right, of in lines
    ]


def _sample_facts(report: AuditReport) -> Facts | None:
    """Tell the risk in the population, without a record."""
    sample = report.sample
    if sample is None:
        return None
    told: Facts = {"known": ORIGINAL if report.alike is None else RELEASED}
    told |= {"attributes": list(sample.attributes), "population": round_number(sample.population)}
    told |= {"found": [round(end, 2) for end in sample.found], "alone": sample.alone}
    told["right"] = sample.right and [round(end, 3) for end in sample.right]
    for name, values in (("risk", sample.risk), ("household", sample.household)):
        if values is not None:
            ends = np.median(values), values.max()
            told[name] = dict(
                zip(("middle", "most"), (round(float(e), 3) for e in ends), strict=True)
            )
    return {**told, "said": sample.sentences}


def _standing_facts(found: FoundRecords | None, internal: bool) -> Facts | None:
    """Tell whose own record stands there; in public never more than that they are most."""
    if found is None:
        return None
    many = not internal and 2 * found.count > len(found.per_record)
    told: Facts = {
        "right": None if many else found.count,
        "of": len(found.per_record),
        "luck": round(max(found.luck, found.alike), 2),
        "said": say_standing(found, hidden=many),
    }
    return {**told, "whole": found.whole, "alike": found.alike} if internal else told


def say_standing(found: FoundRecords, *, hidden: bool = False) -> str:
    """Say whose own record stands in a release, wherever it does, beside what luck gives."""
    some = "more than half" if hidden else f"{found.count:,}"
    return (
        f"Whoever the key says it belongs to, the own record of {some} of "
        f"{count(len(found.per_record), 'person', 'people')} stands in the release, whole or "
        f"within {count(found.places, 'place')} in every column with an order; luck gives about "
        f"{digits(found.luck, 2)}, and {count(found.alike, 'is', 'are')} as near to somebody else."
    )


def _requirement_facts(report: AuditReport, internal: bool) -> Facts | None:
    if report.requirement.empty:
        return None
    required = report.requirement
    told: Facts = {
        "distance": dict(required.distance),
        "diversity": dict(required.diversity),
        "criterion": {name: c.name for name, c in required.criteria.items()},
        "direction": {name: c.direction for name, c in required.criteria.items()},
        "met": not report.failed.any(),
    }
    failed = int(report.failed.any(axis=1).sum())
    return {**told, "failed": failed} if internal else told


def _to_lines(frame: Any) -> list[Facts]:
    return [
        {str(name): _json_value(value) for name, value in line.items()}
        for line in frame.to_dict("records")
    ]


def _json_value(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not np.isfinite(value) else value


def to_json(told: Facts) -> str:
    """Write the facts as JSON, one fact a line."""
    return json.dumps(told, indent=1, ensure_ascii=False, default=_json_value)
