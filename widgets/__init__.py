"""Widgets: forms and pictures over verikit; they compute nothing themselves."""

from verikit.widgets._selfcheck import SelfCheck

__all__ = ["SelfCheck"]
