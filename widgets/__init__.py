"""Widgets: forms and pictures over verikit; they compute nothing themselves."""

from verikit.widgets._attack_lab import AttackLab
from verikit.widgets._classes import ClassesView
from verikit.widgets._groups import GroupsView
from verikit.widgets._intruder import IntruderView
from verikit.widgets._lattice import LatticeView
from verikit.widgets._mondrian import MondrianView
from verikit.widgets._plausibility import PlausibilityView
from verikit.widgets._query_bench import QueryBench
from verikit.widgets._randomize import RandomizeView
from verikit.widgets._reverse_mapping import ReverseMapping
from verikit.widgets._rules import RulesView
from verikit.widgets._selfcheck import SelfCheck
from verikit.widgets._trade_off import TradeOff

__all__ = [
    "AttackLab",
    "ClassesView",
    "GroupsView",
    "IntruderView",
    "LatticeView",
    "MondrianView",
    "PlausibilityView",
    "QueryBench",
    "RandomizeView",
    "ReverseMapping",
    "RulesView",
    "SelfCheck",
    "TradeOff",
]
