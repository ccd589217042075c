"""``verikit teach``: hand out exercises, collect, grade, and tell the students."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from inspect import getdoc

from verikit.cli import Command, Commands, declare
from verikit.words import count


def add(commands: Commands) -> None:
    """Add the subcommand, with steps of its own."""
    description = " ".join((getdoc(Grade) or "").split("\n\n")[1].split())
    command = commands.add_parser(
        "teach", help="hand out exercises, collect and grade them", description=description
    )
    steps = command.add_subparsers(metavar="step", required=True)
    kinds = {"assign": Assign, "collect": Collect, "grade": Grade}
    for name, kind in {**kinds, "feedback": Feedback, "slides": Slides}.items():
        declare(steps, name, kind)


@dataclass
class Step(Command):
    """What is done with an assignment of a course.

    Parameters
    ----------
    name
        the assignment
    course : DIR
        the folder of the course (default: the one you are in)
    """

    name: str
    _: KW_ONLY
    course: str = "."
    json: bool = False


@dataclass
class Assign(Step):
    """Make an assignment to hand out.

    Parameters
    ----------
    name
        its name, such as ps1
    exercises
        exercises such as ka-02, or topics such as ka
    students : CSV
        the roster: id, first_name, last_name …
    due : TIME
        when it is due, such as '2027-05-01 18:00'
    course : DIR
        the folder of the course (default: the one you are in)
    """

    exercises: list[str]
    _: KW_ONLY
    students: str | None = None
    due: str | None = None

    def execute(self) -> int:
        """Make it, and say where it lies."""
        from verikit.teach import assign

        told = {"course": self.course, "students": self.students, "due": self.due}
        path = assign(self.name, self.exercises, **told)  # type: ignore[arg-type]
        words = f"Hand out {path}; it holds neither solutions nor tests."
        self.show({"file": str(path)}, words)
        return 0


@dataclass
class Collect(Step):
    """Put downloaded notebooks where they can be graded.

    Parameters
    ----------
    name
        the assignment
    downloads
        a folder or a zip, any depth, any names
    course : DIR
        the folder of the course (default: the one you are in)
    """

    downloads: str

    def execute(self) -> int:
        """Say of each file what became of it; 1 where something needs a look."""
        from verikit.teach import collect

        found = collect(self.name, self.downloads, course=self.course)
        rows = found.itertuples(index=False, name=None)
        words = "\n".join(f"{f or '–'}  {s or '–'}  {b}" for f, s, b in rows)
        self.show(found.to_dict("records"), words)
        return int(found["became"].str.startswith(("not", "nothing", "taken,")).any())


@dataclass
class Grade(Step):
    """Grade everybody; writes grades.csv.

    Answers are data that the notebook keeps; no cell is run. Only of an answer that is a function
    the lines are run, in a process of its own: 20 seconds of computing, 3 GB, and no network, no
    other process, no writing and no reading but of Python's own files. The kernel of Linux holds
    it to that (5.13 or later); where it cannot, functions are not graded without --trust.

    Parameters
    ----------
    name
        the assignment
    trust
        run functions even where nothing holds them
    course : DIR
        the folder of the course (default: the one you are in)
    """

    _: KW_ONLY
    trust: bool = False

    def execute(self) -> int:
        """Say what each student has; 1 where something was not graded."""
        from verikit.teach import grade
        from verikit.teach._grade import NOT_GRADED

        lines = grade(self.name, course=self.course, trust=self.trust).to_dict("records")
        said = [
            f"{line['student_id']}  {line['score']} of {line['max_score']}  {line['note']}".rstrip()
            for line in lines
        ]
        many = count(len(lines), "student")
        said.append(f"{many} in grades.csv; by exercise in points-{self.name}.csv.")
        self.show(lines, "\n".join(said))
        return int(any(NOT_GRADED in line["note"] for line in lines))


@dataclass
class Feedback(Step):
    """Write a page for each student.

    Parameters
    ----------
    name
        the assignment
    course : DIR
        the folder of the course (default: the one you are in)
    """

    def execute(self) -> int:
        """Say where the pages lie."""
        from verikit.teach import feedback

        pages = feedback(self.name, course=self.course)
        done = f"{count(len(pages), 'page')} in {pages[0].parent.parent.parent}."
        self.show([str(page) for page in pages], done)
        return 0


@dataclass
class Slides(Command):
    """Write the slides of a notebook, one page for offline.

    Parameters
    ----------
    notebook
        a file, or a name such as 01_k_anonymity
    file
        the page, such as slides.html
    force
        replace what stands at FILE
    """

    notebook: str
    file: str
    _: KW_ONLY
    force: bool = False
    json: bool = False

    def execute(self) -> int:
        """Say how many slides there are, and how they are shown."""
        from verikit.teach import slides

        many = slides(self.notebook, self.file, replace=self.force)
        done = f"{count(many, 'slide')} in {self.file}: arrow keys move, s shows notes."
        self.show({"file": self.file, "slides": many}, done)
        return 0
