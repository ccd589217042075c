"""Write every public name of every room as a page: how it is called, with types, and what it does.

A name in back quotes that is public somewhere leads there.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path

import verikit

SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)
CALLED = re.compile(r"(?<!`)`{1,2}([^`\n]+)`{1,2}(?!`)")
LISTED = ("Parameters", "Returns", "Raises", "Attributes", "See Also")


class Plain:
    """A type as it is written, not as a text in quotes."""

    def __init__(self, written: object) -> None:
        self.written = written

    def __repr__(self) -> str:
        if isinstance(self.written, str):
            return self.written
        return inspect.formatannotation(self.written)


def write_reference(folder: Path) -> Iterator[str]:
    """Write a page for each room, and give its line of the navigation."""
    folder.mkdir()
    rooms = {room: list_names(room) for room in sorted({*verikit.ROOMS, "words"})}
    places = find_places(rooms)
    for room, things in rooms.items():
        said = inspect.getdoc(importlib.import_module(f"verikit.{room}")) or ""
        parts = [f"# verikit.{room}", write_text(said, places)]
        parts += [write_entry(name, thing, places) for name, thing in things.items()]
        (folder / f"{room}.md").write_text("\n\n".join(parts), encoding="utf-8")
        yield f"      - {room}: reference/{room}.md"


def find_places(rooms: Mapping[str, Mapping[str, object]]) -> dict[str, str]:
    """Where each name is told of that stands for one thing in all rooms."""
    places: dict[str, str] = {}
    for room, things in rooms.items():
        for name, thing in things.items():
            if all(others.get(name, thing) is thing for others in rooms.values()):
                places.setdefault(name, f"{room}.md#{name.lower()}")
    return places


def list_names(room: str) -> dict[str, object]:
    """The public names of a room, and what they stand for."""
    module = importlib.import_module(f"verikit.{room}")
    names = [name for name in getattr(module, "__all__", ()) if not name.startswith("_")]
    return {name: getattr(module, name) for name in names}


def write_entry(name: str, thing: object, places: Mapping[str, str]) -> str:
    """A name, how it is called, which types of verikit that takes, and what is said of it."""
    try:
        call = f"{name}{write_call(thing)}" if callable(thing) else name
    except (TypeError, ValueError):
        call = name
    words = dict.fromkeys(re.findall(r"\b[A-Z]\w+", call))
    used = [word for word in words if word in places and word != name]
    types = ", ".join(f"[`{word}`]({places[word]})" for word in used)
    said = inspect.getdoc(thing) if callable(thing) or inspect.ismodule(thing) else ""
    told = write_text(said, places) if said else write_code(repr(thing))
    return "\n\n".join([f"## {name}", write_code(call), *([f"Types: {types}"] * bool(types)), told])


def write_call(thing: object) -> inspect.Signature:
    """How something is called, with its types."""
    call = inspect.signature(thing)  # type: ignore[arg-type]
    given = [
        one if one.annotation is one.empty else one.replace(annotation=Plain(one.annotation))
        for one in call.parameters.values()
    ]
    back = call.return_annotation
    return call.replace(
        parameters=given, return_annotation=back if back is call.empty else Plain(back)
    )


def write_text(said: str, places: Mapping[str, str]) -> str:
    """A docstring as Markdown: its sections with headings, names as lists, examples as code."""
    first, *rest = SECTION.split(said)
    parts = [write_prose(first, places)]
    for title, body in zip(rest[::2], rest[1::2], strict=True):
        if title == "Examples":
            shown = write_code(body.strip(), "pycon")
        else:
            write = write_list if title in LISTED else write_prose
            shown = write(body, places)
        parts.append(f"**{title}**\n\n{shown}")
    return "\n\n".join(parts)


def write_list(body: str, places: Mapping[str, str]) -> str:
    """Names, and below each what is said of it."""
    items = re.split(r"\n(?=\S)", body.strip("\n"))
    lines = []
    for item in items:
        name, _, said = item.partition("\n")
        shown = write_prose(" ".join(said.split()), places)
        lines.append(f"- {write_prose(f'`{name.strip()}`', places)}{': ' * bool(shown)}{shown}")
    return "\n".join(lines)


def write_prose(text: str, places: Mapping[str, str]) -> str:
    """Sentences, whose names in back quotes lead to where they are told of."""

    def lead(found: re.Match[str]) -> str:
        name = found[1].rpartition(".")[2].removesuffix("()")
        code = f"`{found[1]}`"
        meant = name != found[1] or re.search("[A-Z_]", name)  # a word may be a parameter
        return f"[{code}]({places[name]})" if meant and name in places else code

    parts = CALLED.split(text.replace("]_", "]"))
    outside = [escape(part, quote=False) for part in parts[::2]]
    inside = [lead(found) for found in CALLED.finditer(text.replace("]_", "]"))]
    woven = [piece for pair in zip(outside, [*inside, ""], strict=True) for piece in pair]
    return "".join(woven).strip()


def write_code(text: str, language: str = "python") -> str:
    """A block of code."""
    return f"```{language}\n{text.replace('```', chr(39) * 3)}\n```"
