"""``verikit teach``: hand out exercises, collect, grade, and tell the students."""

from __future__ import annotations

import argparse
import json
from typing import Any

from verikit.cli import Commands
from verikit.words import count

DESCRIPTION = (
    "Answers are data that the notebook keeps; no cell is run. Only of an answer that is a "
    "function the lines are run, in a process of its own: 20 seconds of computing, 3 GB, and no "
    "network, no other process, no writing and no reading but of Python's own files. The kernel "
    "of Linux holds it to that (5.13 or later); where it cannot, functions are not graded "
    "without --trust."
)


def add(commands: Commands) -> None:
    """Add the subcommand, with steps of its own."""
    command = commands.add_parser(
        "teach", help="hand out exercises, collect and grade them", description=DESCRIPTION
    )
    steps = command.add_subparsers(metavar="step", required=True)
    folder = "the folder of the course (default: the one you are in)"

    make = steps.add_parser("assign", help="make an assignment to hand out")
    make.add_argument("name", help="its name, such as ps1")
    make.add_argument("exercises", nargs="+", help="exercises such as ka-02, or topics such as ka")
    make.add_argument("--students", metavar="CSV", help="the roster: id, first_name, last_name …")
    make.add_argument("--due", metavar="TIME", help="when it is due, such as '2027-05-01 18:00'")
    make.set_defaults(run=run_assign)

    take = steps.add_parser("collect", help="put downloaded notebooks where they can be graded")
    take.add_argument("name", help="the assignment")
    take.add_argument("downloads", help="a folder or a zip, any depth, any names")
    take.set_defaults(run=run_collect)

    judge = steps.add_parser(
        "grade", help="grade everybody; writes grades.csv", description=DESCRIPTION
    )
    judge.add_argument("name", help="the assignment")
    judge.add_argument(
        "--trust", action="store_true", help="run functions even where nothing holds them"
    )
    judge.set_defaults(run=run_grade)

    tell = steps.add_parser("feedback", help="write a page for each student")
    tell.add_argument("name", help="the assignment")
    tell.set_defaults(run=run_feedback)

    show = steps.add_parser("slides", help="write the slides of a notebook, one page for offline")
    show.add_argument("notebook", help="a file, or a name such as 01_k_anonymity")
    show.add_argument("file", help="the page, such as slides.html")
    show.add_argument("--force", action="store_true", help="replace what stands at FILE")
    show.set_defaults(run=run_slides)

    for step in (make, take, judge, tell, show):
        step.add_argument("--json", action="store_true", help="print the result as JSON")
    for step in (make, take, judge, tell):
        step.add_argument("--course", default=".", metavar="DIR", help=folder)


def run_assign(given: argparse.Namespace) -> int:
    from verikit.teach import assign

    path = assign(
        given.name, given.exercises, course=given.course, students=given.students, due=given.due
    )
    _print_result(
        given, {"file": str(path)}, f"Hand out {path}; it holds neither solutions nor tests."
    )
    return 0


def run_collect(given: argparse.Namespace) -> int:
    from verikit.teach import collect

    found = collect(given.name, given.downloads, course=given.course)
    lines = [f"{f or '–'}  {s or '–'}  {b}" for f, s, b in found.itertuples(index=False, name=None)]
    _print_result(given, found.to_dict("records"), "\n".join(lines))
    return int(found["became"].str.startswith(("not", "nothing", "taken,")).any())


def run_grade(given: argparse.Namespace) -> int:
    from verikit.teach import grade
    from verikit.teach._grade import NOT_GRADED

    lines = grade(given.name, course=given.course, trust=given.trust).to_dict("records")
    said = [
        f"{line['student_id']}  {line['score']} of {line['max_score']}  {line['note']}".rstrip()
        for line in lines
    ]
    done = f"{count(len(lines), 'student')} in grades.csv; by exercise in points-{given.name}.csv."
    _print_result(given, lines, "\n".join([*said, done]))
    return int(any(NOT_GRADED in line["note"] for line in lines))


def run_feedback(given: argparse.Namespace) -> int:
    from verikit.teach import feedback

    pages = feedback(given.name, course=given.course)
    done = f"{count(len(pages), 'page')} in {pages[0].parent.parent.parent}."
    _print_result(given, [str(page) for page in pages], done)
    return 0


def run_slides(given: argparse.Namespace) -> int:
    from verikit.teach import slides

    many = slides(given.notebook, given.file, replace=given.force)
    done = f"{count(many, 'slide')} in {given.file}: arrow keys move, s shows notes."
    _print_result(given, {"file": given.file, "slides": many}, done)
    return 0


def _print_result(given: argparse.Namespace, found: Any, words: str) -> None:
    """Print what was found, in words or as JSON."""
    print(json.dumps(found, ensure_ascii=False, default=str) if given.json else words)
