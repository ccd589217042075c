"""Widgets: forms and pictures over verikit; they compute nothing themselves."""

from verikit._support.extras import needed

needed("verikit.widgets", "jupyter", "ipywidgets", "anywidget")

# ruff: noqa: E402 - what is missing is said before it is imported
from verikit.widgets._attack_lab import AttackLab
from verikit.widgets._bench import Bench
from verikit.widgets._classes import ClassesView
from verikit.widgets._graph_query import GraphQuery
from verikit.widgets._grouping import GroupingView
from verikit.widgets._groups import GroupsView
from verikit.widgets._guarantees import GuaranteesView
from verikit.widgets._intruder import IntruderView
from verikit.widgets._lattice import LatticeView
from verikit.widgets._learned import LearnedView
from verikit.widgets._memorized import MemorizedView
from verikit.widgets._partition_view import MondrianView, PartitionView
from verikit.widgets._personal import PersonalView
from verikit.widgets._plausibility import PlausibilityView
from verikit.widgets._query_bench import BoundedAnswer, QueryBench
from verikit.widgets._questions import Glossary, Predict, Quiz
from verikit.widgets._randomize import RandomizeView, RulesView
from verikit.widgets._reverse_mapping import ReverseMapping
from verikit.widgets._selfcheck import SelfCheck
from verikit.widgets._target_editor import TargetEditor
from verikit.widgets._trade_off import TradeOff
from verikit.widgets._worlds import WorldsView

__all__ = [
    "AttackLab", "Bench", "BoundedAnswer", "ClassesView", "Glossary", "GraphQuery", "GroupingView",
    "GroupsView", "GuaranteesView", "IntruderView", "LatticeView", "LearnedView", "MemorizedView",
    "MondrianView", "PartitionView", "PersonalView", "PlausibilityView", "Predict", "QueryBench",
    "Quiz", "RandomizeView", "ReverseMapping", "RulesView", "SelfCheck", "TargetEditor", "TradeOff",
    "WorldsView",
]  # fmt: skip
