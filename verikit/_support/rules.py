"""The rules by which cells of text become values; the page beside a table has the same."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from types import SimpleNamespace
from typing import Any

RULES: Mapping[str, Any] = tomllib.loads(
    files("verikit._support").joinpath("rules.toml").read_text(encoding="utf-8")
)
LIMITS = SimpleNamespace(**RULES["limits"])
CELLS, PARTS = (
    SimpleNamespace(**{name: re.compile(one, re.ASCII) for name, one in RULES[kind].items()})
    for kind in ("cells", "parts")
)
