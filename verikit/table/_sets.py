"""Sets of categories as one cell: ``{a, b}`` says that the value is a or b."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from verikit.words import text

__all__ = ["members", "set_label"]

PLAIN = r'[^,{}"\s](?:[^,{}"]*[^,{}"\s])?'
QUOTED = r'"(?:[^"\\]|\\.)*"'
MEMBER = re.compile(f"{QUOTED}|{PLAIN}")
SET = re.compile(rf"\{{(?:{QUOTED}|{PLAIN})(?:, (?:{QUOTED}|{PLAIN}))*\}}")


def set_label(values: Iterable[object]) -> str:
    """Write a set of categories as one label; a single one stands for itself.

    A name that could be misread, such as one with a comma, is quoted.

    Examples
    --------
    >>> set_label(["clerk", "nurse"]), set_label(["clerk"]), set_label(["a, b", "c"])
    ('{clerk, nurse}', 'clerk', '{"a, b", c}')
    """
    names = list(dict.fromkeys(map(text, values)))
    if len(names) == 1:
        return names[0]
    return "{" + ", ".join(map(_written, names)) + "}"


def members(label: str) -> tuple[str, ...]:
    """The categories that a label such as ``{a, b}`` names; none if it is no set.

    Examples
    --------
    >>> members("{clerk, nurse}"), members('{"a, b", c}'), members("clerk")
    (('clerk', 'nurse'), ('a, b', 'c'), ())
    """
    if not SET.fullmatch(label):
        return ()
    found = MEMBER.findall(label[1:-1])
    return tuple(json.loads(name) if name.startswith('"') else name for name in found)


def _written(name: str) -> str:
    return name if re.fullmatch(PLAIN, name) else json.dumps(name, ensure_ascii=False)
