"""Notebooks as students hand them in."""

import json
import re

import pytest

from verikit import exercises
from verikit.exercises import EXERCISES, draw

PUBLISH = "def publish(data, seed):\n    {}"


def right(name, student):
    return dict(EXERCISES[name].right(draw(EXERCISES[name], student)))


class Notebook:
    """A handed out notebook, filled in as a kernel would leave it."""

    def __init__(self, release, student):
        self.content = json.loads(release.read_text(encoding="utf-8"))
        self.student = student
        for cell in self.content["cells"]:
            text = "".join(cell["source"])
            cell["source"] = re.sub(r'student="somebody"', f'student="{student}"', text)

    def cell(self, name):
        cells = self.content["cells"]
        return next(c for c in cells if c["metadata"].get("nbgrader", {}).get("grade_id") == name)

    def write(self, name, source):
        """A cell that was written, and left nothing."""
        self.cell(name)["source"] = source

    def answer(self, name, answer):
        """A cell that was run: what check returned is shown below it."""
        exercises.start(name, student=self.student)
        shown = exercises.check(name, answer)._repr_mimebundle_()
        output = {"output_type": "execute_result", "execution_count": 1, "metadata": {}}
        self.cell(name)["outputs"] = [output | {"data": json.loads(json.dumps(shown))}]
        text = json.dumps(answer).replace("null", "None")
        self.write(name, f'answer = {text}\ncheck("{name}", answer)')

    def publish(self, line):
        """A function that is asked for, run by check in a process of its own."""
        source = PUBLISH.format(line)
        self.answer("in-08", {"publish": source})
        self.write("in-08", f'{source}\ncheck("in-08", publish)')

    def right(self, *names):
        for name in names:
            self.answer(name, right(name, self.student))

    def save(self, path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(self.content), encoding="utf-8")
        return path


@pytest.fixture(scope="session")
def filled():
    return Notebook
