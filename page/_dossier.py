"""The dossier of a release: what whoever decides about it, or must answer for it, is to know."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import pandas as pd

from verikit._support import html as _html
from verikit.protector import BAR_STYLE, AuditReport, Bar, Goal, audit_facts, draw_bars, show_loss
from verikit.release import CONTEXT, Ledger, Release, to_json_value
from verikit.subject import method_words
from verikit.words import count, digits, joined, share

NOT_COUNTED = "not counted"
INTERNAL = (
    "Internal: counts that a public report rounds or leaves out stand here in full. It belongs to "
    "the files of the publisher and of whom he answers to, not into the published folder."
)
CRITERIA = (
    "Singling out, linkability and inference are the criteria of the Article 29 Working Party "
    "(Opinion 05/2014, WP216). Meeting all three by these tests proves no anonymity, and a table "
    "may be anonymous without; each number is a lower bound of what somebody may find."
)
ACTORS = {
    "subject": "her own values and the release",
    "analyst": "the release alone",
    "intruder": "all original values, the method and its parameters",
    "protector": "everything, the key too",
}
LINE = "_" * 24
CHECKS = ("Method and amount of masking decided by", "Tests read by", "Release approved by")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was tried: its criterion, of how many it found how many, beside what.

    ``luck`` is what a guess finds without the release, ``control`` what the same attack finds of
    people who are not in it, both as shares; None where nothing was counted.
    """

    criterion: str
    tried: str
    found: float | None
    luck: float | None = None
    control: float | None = None


def list_findings(report: AuditReport) -> list[Finding]:
    """List what an audit found, by criterion; what it did not count is there without a number."""
    one, two, three = "singling out", "linkability", "inference"
    standing, alike, found = [], [], []
    if report.standing is not None:
        people = len(report.standing.per_record)
        luck = max(report.standing.luck, report.standing.alike) / people
        standing = [Finding(one, "own record stands there", report.standing.count / people, luck)]
    if report.alike is not None:
        alone = report.alike.single / max(report.alike.rows, 1)
        alike = [Finding(one, "row alone with its quasi-identifiers", alone)]
    if report.exposure is not None:
        links = report.exposure.found
        luck = links.luck / links.records
        found = [Finding(two, f"row found by {links.attack}", links.guessed / links.records, luck)]
    beside = [] if report.baselines is None else list(report.baselines.all)
    told = [
        Finding(
            three if part.secret else two,
            f"{part.secret} guessed" if part.secret else "said to be in the table",
            part.found,
            part.naive,
            part.control,
        )
        for part in beside
    ]
    for part in report.guessed:
        outside = part.control_right / part.control if part.control and part.control_right else None
        others = part.by_others / part.people
        best = max(part.by_group, part.by_learning) / part.people
        told.append(Finding(three, f"{part.title} guessed", best, others, outside))
    lines = [*(standing or alike or [Finding(one, "", None)]), *(found or [Finding(two, "", None)])]
    lines += [*(alike if standing else []), *told]
    named = {line.criterion for line in lines}
    return [*lines, *([] if three in named else [Finding(three, "", None)])]


def list_untested(report: AuditReport, findings: Sequence[Finding]) -> list[str]:
    """Say what was not tested, which is to be read before all that was."""
    said = [f"Not tested: {line.criterion}." for line in findings if line.found is None]
    if all(line.control is None for line in findings):
        said.append("No attack stands beside one on people who are not in the table (no control).")
    if report.sample is None:
        said.append("No sampling weights were declared: all is of the people in the table.")
    said += ["Other tables about the same people were not looked at, but those in the ledger."]
    return [*said, *report.undefined]


def judge_goal(goal: Goal, report: AuditReport) -> list[dict[str, Any]]:
    """Hold what an audit found against what was said beforehand to be borne."""
    lines: list[dict[str, Any]] = []

    def judge(asked: str, found: float | None, met: bool | None) -> None:
        verdict = NOT_COUNTED if met is None else "met" if met else "not met"
        shown = NOT_COUNTED if found is None else digits(found, 3)
        lines.append({"asked": asked, "found": shown, "verdict": verdict})

    if goal.links is not None:
        people = report.people_linked
        met = None if people is None else people <= goal.links
        judge(f"at most {count(goal.links, 'person', 'people')} found", people, met)
    if goal.distance is not None or goal.diversity is not None:
        kept = 1 - float(report.failed.any(axis=1).mean())
        asked = f"distance and diversity kept for at least {share(goal.share)}"
        judge(asked, kept, kept >= goal.share - 1e-12)
    if goal.guessed is not None:
        shares = [part.share_guessed(goal.how) for part in report.guessed]
        met = max(shares) <= goal.guessed + 1e-12 if shares else None
        asked = f"at most {share(goal.guessed)} values guessed by {goal.how}"
        judge(asked, max(shares, default=None), met)
    return lines


def tell_dossier(
    title: str, release: Release, report: AuditReport, goal: Goal | None, before: Sequence[str]
) -> dict[str, Any]:
    """Collect all that a dossier says; every number is one of the audit's."""
    facts, findings = audit_facts(report, internal=True), list_findings(report)
    seen = report.subject
    moved = [f"{name} {places:,}" for name, places in report.largest.items() if places]
    of_actors = {
        "subject": NOT_COUNTED
        if seen is None or not len(seen)
        else f"the middle record lies {digits(float(pd.Series(seen).median()), 3)} places from "
        "the closest published one",
        "analyst": " ".join(facts["lost"]["said"]) if facts["lost"] else NOT_COUNTED,
        "intruder": "; ".join(
            f"{line.tried}: {share(line.found)}" for line in findings if line.found is not None
        ),
        "protector": f"every record was moved by so many places at least: {joined(moved)}"
        if moved
        else "in no column was every record moved",
    }
    return {
        "document": "dossier of a release",
        "title": title,
        "about": dict(release.about),
        "method": release.method,
        "parameters": to_json_value(dict(release.parameters)),
        "records": len(release),
        "not_tested": list_untested(report, findings),
        "findings": [{name: getattr(f, name) for name in Finding.__slots__} for f in findings],
        "actors": [{"who": who, "has": ACTORS[who], "finds": of_actors[who]} for who in ACTORS],
        "policies": facts["policies"],
        "appetite": None if goal is None else judge_goal(goal, report),
        "sample": facts["sample"],
        "lost": facts["lost"],
        "before": list(before),
        "limits": facts["does_not_mean"],
    }


def write_dossier(told: dict[str, Any]) -> str:
    """Write the dossier as a page of its own, with room for signatures."""
    heading = "Dossier: " + (told["title"] or "a table to be published")
    how = method_words(told["method"], told["parameters"])
    made = f"{count(told['records'], 'record')}. {how}"
    counted = [line for line in told["findings"] if line["found"] is not None]
    drawn = []
    for line in counted:
        drawn.append(Bar(line["tried"]))
        for name, key, look in (
            ("found", "found", "solid"),
            ("luck, or without her", "luck", "open"),
            ("people not in it", "control", "striped"),
        ):
            if line[key] is not None:
                drawn.append(Bar(name, line[key], share(line[key]), look))
    spoken = "; ".join(f"{bar.label}: {bar.value}".removesuffix(": ") for bar in drawn)
    lines = [
        {n: share(v) if isinstance(v, float) else v or NOT_COUNTED for n, v in line.items()}
        for line in told["findings"]
    ]
    appetite = told["appetite"] or []
    no_appetite = "" if appetite else "No appetite was stated (--goal FILE)."
    nothing = "" if told["before"] else "The ledger beside the key knows of nothing before."
    parts = [
        _html.element("h1", _html.name(heading)),
        _html.element("div", _html.write_paragraphs(INTERNAL), class_="head warning"),
        _section("What was not tested", told["not_tested"]),
        _section("What is to be published", [made]),
        _section("The three criteria", [CRITERIA]),
        draw_bars(drawn, f"{spoken}.", "criteria", "Of 100 people") if drawn else "",
        _table(lines),
        _section("The motivated intruder, as each actor tells", []),
        _table(told["actors"]),
        _section("Risk by what an intruder is taken to know", []),
        _table(told["policies"]),
        _section("Residual risk and appetite", [no_appetite]),
        _table(appetite),
        _section("The population", told["sample"]["said"] if told["sample"] else [NOT_COUNTED]),
        *show_loss(told["lost"]),
        _section("What was published before", [*told["before"], nothing]),
        _section("Limits", told["limits"]),
        _html.element("h2", "Signatures"),
        _html.write_paragraphs(*(f"{who}: {LINE}  on: {LINE[:9]}" for who in CHECKS)),
    ]
    body = _html.element("main", "".join(parts), class_="vk")
    return _html.page(heading, f"<style>{BAR_STYLE}</style>{body}")


def _section(title: str, lines: Sequence[str]) -> str:
    return _html.element("h2", escape(title)) + _html.write_paragraphs(*lines)


def _table(lines: Sequence[dict[str, Any]]) -> str:
    return _html.element("div", _html.table(pd.DataFrame(lines)), class_="wide") if lines else ""


def link_dossier(told: dict[str, Any]) -> str:
    """Write the same facts as linked data: a report of schema.org on the risks of DPV."""
    risks = [
        {
            "@type": "dpv:Risk",
            "name": line["criterion"],
            "description": line["tried"] or NOT_COUNTED,
            "additionalProperty": [
                {"@type": "PropertyValue", "name": name, "value": line[name]}
                for name in ("found", "luck", "control")
                if line[name] is not None
            ],
        }
        for line in told["findings"]
    ]
    rest = {name: told[name] for name in told if name not in ("findings", "about", "title")}
    linked = {
        "@context": CONTEXT,
        "@type": "Report",
        "name": told["title"] or "Dossier of a release",
        "about": {"@type": ["Dataset", "dcat:Dataset"], "name": told["title"]},
        "dpv:hasTechnicalMeasure": {"@type": "dpv:Deidentification", "name": told["method"]},
        "dpv:hasRisk": risks,
        "additionalProperty": [
            {"@type": "PropertyValue", "name": name, "value": json.dumps(value, default=str)}
            for name, value in rest.items()
        ],
    }
    return json.dumps(linked, indent=1, ensure_ascii=False)


def list_before(ledger: Ledger, warnings: Sequence[str]) -> list[str]:
    """Tell what the ledger knows of releases beside its last, and what they tell together."""
    this = ledger.entries[-1].release
    named = [e.method or "an untold method" for e in ledger.entries if e.release != this]
    first = [f"{count(len(named), 'release')} before: {joined(named)}."] if named else []
    return [*first, *warnings]
