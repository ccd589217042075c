"""Handing out exercises, collecting them, grading them outside the student's kernel.

The folders are nbgrader's: ``source/ps1``, ``release/ps1``, ``submitted/ada/ps1``,
``autograded/ada/ps1``, ``feedback/ada/ps1``, with its ``gradebook.db``.

>>> from verikit import teach
>>> teach.exercises_of(["ka", "in-08"])
('ka-01', 'ka-02', 'ka-03', 'ka-04', 'ka-05', 'ka-06', 'in-08')
"""

from verikit.teach._assign import assign, exercises_of
from verikit.teach._collect import collect
from verikit.teach._grade import grade
from verikit.teach._slides import feedback, slides

__all__ = ["assign", "collect", "exercises_of", "feedback", "grade", "slides"]
