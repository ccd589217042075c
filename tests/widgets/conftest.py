"""What the tests of the views share: what a person sees, hears and sends."""

import re
import sys
from html import unescape
from importlib.util import find_spec
from pathlib import Path

import pytest

collect_ignore_glob = [] if find_spec("anywidget") else ["test_*.py"]  # of the extra jupyter

sys.path.append(str(Path(__file__).parent))  # the clock lies beside its tests


class Person:
    """A person before a view: she reads its card, and types and presses in its form."""

    def __init__(self, view):
        self.view = view

    @property
    def card(self):
        return unescape(re.sub(r"<[^>]*>", "", self.view.card().html.replace("</p>", "\n")))

    @property
    def pictures(self):
        """What each picture says to those who cannot see it."""
        return [
            unescape(said) for said in re.findall(r'role="img" aria-label="([^"]*)"', self.html)
        ]

    @property
    def html(self):
        return self.view.card().html

    def rows(self, at=0):
        """The lines of one of the tables, the heads first."""
        found = re.findall(r"<table>(.*?)</table>", self.html)[at]
        lines = re.findall(r"<tr>(.*?)</tr>", found)
        return [
            [unescape(c) for c in re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row)] for row in lines
        ]

    def types(self, field, value):
        self.view._on_message(None, {"kind": "set", "turn": 1, "field": field, "value": value}, [])

    def presses(self, field):
        self.view._on_message(None, {"kind": "press", "turn": 1, "field": field}, [])

    def field(self, name):
        return next(f for part in self.view.parts() for f in part.fields if f.id == name)


@pytest.fixture
def before():
    """A person before a view."""
    return Person
