"""The ``verikit`` command."""

from verikit.cli._main import main

__all__ = ["main"]
