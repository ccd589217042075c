"""Exercises: data drawn for each student, and answers told what was misunderstood.

>>> from verikit import exercises
>>> task = exercises.start("ka-02", student="ada")
>>> task.title, task.parts
('How exposed are they?', ('k', 'alone', 'open'))
>>> print(exercises.check("ka-02", {"k": "two"}))
k was given as 'two'; expected a whole number.
"""

from verikit.exercises._answer_storage import LONGEST as LONGEST
from verikit.exercises._answer_storage import MIME as MIME
from verikit.exercises._exercise import TOPICS, Exercise, Judged, Mistake, judge
from verikit.exercises._glossary import glossary
from verikit.exercises._run import missing_fence, trusted, trusting
from verikit.exercises._task import EXERCISES, Task, check, draw, mistaken, start

__all__ = [
    "EXERCISES", "TOPICS", "Exercise", "Judged", "Mistake", "Task", "check", "draw", "glossary",
    "judge", "missing_fence", "mistaken", "start", "trusted", "trusting",
]  # fmt: skip
