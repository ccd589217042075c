"""The page as one file: a release, the sentences, the program, and a strict policy."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from html import escape
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from verikit._support.html import hashed
from verikit._support.requests import one_of
from verikit._support.rules import RULES
from verikit._support.seed import generator
from verikit._support.writing import together
from verikit.errors import FormatError
from verikit.languages import LANGUAGES, own_texts, read_language, texts_of
from verikit.mask import METHODS
from verikit.page._packed import KINDS, PACKED, PARTS, describe_empty_page, pack_release
from verikit.release import Release
from verikit.subject import methods_in
from verikit.subject.masked import LARGEST
from verikit.values.typed import BEHIND
from verikit.words import listed

if TYPE_CHECKING:
    from verikit.large import Index


KERNEL = (
    "say", "rules", "numbers", "days", "typed", "named", "columns", "related", "cells", "spread",
    "masked", "chance", "view", "verdict", "meetings", "generalized", "split", "together",
    "indexed", "lines", "drawn", "amounts", "linked", "target", "load", "work", "screen",
)  # fmt: skip
BORROWED = {
    "indexed": ["masked"],
    "disguised": ["split"],
    "numbers": ["split"],
    "randomized": ["masked", "split"],
}  # whose sentences it says, too
BY_VALUES = ("generalized", "split", "together")  # tables of some are put together with others
SEEDS = (0, 1)
NOTE = "note-"
WORKED_OUT = ("parts", "better")  # of a sentence, when it is said
DECLARED = re.compile(r"^(?:async )?(?:function\*?|class) +(\w+)", re.MULTILINE)
CONSTANTS = re.compile(
    r"^(?:const|let) (.*)", re.MULTILINE
)  # one or several on a line, in capitals


def write(
    release: Release | Index | None,
    path: str | Path,
    *,
    title: str = "",
    language: str | None = None,
    data: bool = True,
    replace: bool = False,
) -> str:
    """Write a page to publish beside a table, with which people check their own record.

    It opens by a double click and works without Python, server or network. What is typed stays in
    it: its policy forbids every connection. It says word for word what `verikit.check` says.

    Parameters
    ----------
    release
        What was published, of any kind that verikit makes; of a kind of another package it is said
        what to use instead. An index (`verikit.index`) gives a page that bounds the distance. None
        gives a page that takes the files of any.
    path
        The file, such as ``check.html``.
    title
        What stands first on the page; by default "Check your record".
    language
        In which language it opens; by default in that of the browser, if the page has it. The
        reader can choose another one on the page.
    data
        Whether it holds the published values. If not, it holds what is said of the release, and
        takes the published CSV from the reader's disk.
    replace
        Whether to replace a file that is there.

    Returns
    -------
    str
        The SHA-256 checksum of the file, to publish on a site of your own.

    Raises
    ------
    SchemaError
        If the page cannot judge such a release.
    FormatError
        If the file is there already, or cannot be written.

    Notes
    -----
    The page is our own. It holds the published values and nothing else of the release but its
    public description. The method is not repeated in it (`check` with ``runs``).

    Examples
    --------
    >>> import tempfile, verikit as vk
    >>> with tempfile.TemporaryDirectory() as home:
    ...     checksum = write(vk.published("dm_table1_masked"), f"{home}/check.html")
    >>> len(checksum)
    64
    """
    content = html(release, title=title, language=language, data=data).encode()
    with together() as new:
        new.file(path, content, replace=replace, advice="choose another name, or replace it")
    return hashlib.sha256(content).hexdigest()


def html(
    release: Release | Index | None,
    *,
    title: str = "",
    language: str | None = None,
    data: bool = True,
    day: date | None = None,
) -> str:
    """The page as text; the same for the same release, title and day.

    Parameters
    ----------
    release
        What was published; None for a page that takes the files of any release.
    title
        What stands first on the page.
    language
        In which language it opens; by default in that of the browser.
    data
        Whether it holds the published values; if not, it takes the published files.
    day
        When it was made; by default today.

    Returns
    -------
    str
        HTML that asks nothing from outside.

    Raises
    ------
    SchemaError
        If the page cannot judge such a release.

    Notes
    -----
    The page is our own.

    Examples
    --------
    >>> import verikit as vk
    >>> page = html(vk.published("dm_table1_masked"))
    >>> "default-src 'none'" in page, "http://" in page.replace("http://www.w3.org/2000/svg", "")
    (True, False)
    """
    if language is not None:
        one_of(language, "language", LANGUAGES)
    held = pack_release(release) if release is not None and data else None
    title = title or getattr(release, "about", {}).get("title", "")
    script = write_program(empty=held is None)
    style, first = read_own("page.css"), collect_words(language or "en")
    made = {
        "date": (day or date.today()).isoformat(),
        "version": version("verikit"),
    }
    facts = {
        "language": language,
        "title": title,
        "streams": [_seed_stream(seed) for seed in SEEDS],
        "made": made,
        "packed": PACKED,
        "units": BEHIND,
        "repeated": {"methods": [n for n, m in METHODS.items() if m.repeatable], "most": LARGEST},
        **({"release": held.facts} if held else describe_empty_page(release)),
    }
    kinds = [held.facts["kind"]] if held else [*KINDS]
    return fill_in_page(
        {
            "policy": write_policy(script, style),
            "language": language or "en",
            "title": escape(title or first["title"]),
            "style": style,
            "script": escape(first["script"]),
            "facts": _dump_json(facts),
            "values": held.text if held else "",
            "languages": write_languages(kinds, empty=held is None),
            "kernel": script,
        }
    )


def fill_in_page(parts: Mapping[str, str]) -> str:
    """The page from its parts, by their names."""
    return Template(read_own("page.html")).substitute(parts)


def write_program(*, empty: bool) -> str:
    """The program of a page; one without values reads files as well."""
    return _require_one_scope(write_kernel() + (_join_scripts(PARTS) if empty else ""))


def write_languages(kinds: Sequence[str], *, empty: bool) -> str:
    """What a page says in every language, packed."""
    return _compress_text(_dump_json(_list_languages(kinds, empty=empty)).encode())


def write_kernel() -> str:
    """The program of the page.

    Examples
    --------
    >>> "</script" in write_kernel()
    False
    """
    return f'"use strict";\nconst RULES = {_dump_json(RULES)};\n{_join_scripts(KERNEL)}'


def _join_scripts(names: Iterable[str]) -> str:
    return "\n".join(read_own(f"_{name}.js") for name in names)


def _require_one_scope(script: str) -> str:
    """The program, whose files share one scope: of two things of one name the later would win."""
    lines = " ".join(CONSTANTS.findall(script))
    names = [*DECLARED.findall(script), *re.findall(r"\b([A-Z][A-Z\d_]*) = ", lines)]
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise FormatError(f"Two files of the page declare {listed(twice)}; rename one of each.")
    return script


def write_policy(script: str, style: str) -> str:
    """Nothing may be loaded, sent or run but this one script, named by its hash.

    It may run beside the page as well, made of its own text: the same policy holds there.
    """
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {hashed(script)}",
            f"style-src {hashed(style)}",
            "worker-src blob:",
            "form-action 'none'",
            "base-uri 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types verikit",
        )
    )


def _list_languages(kinds: Sequence[str], *, empty: bool) -> dict[str, dict[str, Any]]:
    """By language its sentences, how it writes numbers, and the words of the page."""
    return {
        name: {
            "sentences": select_sentences(kinds, name),
            **read_language(name).words,
            "words": collect_words(name, empty=empty),
        }
        for name in LANGUAGES
    }


def select_sentences(kinds: Sequence[str], language: str = "en") -> dict[str, dict[str, str]]:
    """The sentences that such tables can give, from the table of sentences of a language."""
    families = {
        "common",
        *kinds,
        *(family for kind in kinds for family in BORROWED.get(kind, ())),
        *(BY_VALUES if {*BY_VALUES} & {*kinds} else []),
    }  # whose words it says
    return {
        name: {part: value for part, value in entry._asdict().items() if part not in WORKED_OUT}
        for name, entry in read_language(language).sentences.items()
        if name.partition(".")[0] in families
    }


def collect_words(language: str = "en", *, empty: bool = False) -> dict[str, Any]:
    """What the page says besides, in a language; what it shares with card and form is theirs.

    A page without data says more: how it takes files, and why it refuses one.

    Examples
    --------
    >>> collect_words()["check"]
    'Check'
    """
    card, form, own = (texts_of(language, section) for section in ("card", "form", "page"))
    said = {
        **form["shared"],
        **card["shared"],
        "measures": card["measures"],
        "meanings": card["spread"],
        "terms": card["terms"],
        "methods": methods_in(language),
        "parameters": card["parameters"],
        "refused": texts_of(language, "told")["refused"],
        **own["words"],
        "criteria": own["criteria"],
    }
    if empty:
        asked = ("missing", "promise")
        said |= {n: words for n, words in form["spelling"].items() if n.startswith(asked)}
        said |= own["empty"] | _list_notes(language)
    return said


def _list_notes(language: str) -> dict[str, str]:
    """How a file was read, in words that other rooms have, but where the page has its own."""
    own = own_texts(language, "page").get("empty", {})
    known = texts_of(language, "told")["read"]
    return {f"{NOTE}{name}": own.get(f"{NOTE}{name}", line) for name, line in known.items()}


def _compress_text(content: bytes) -> str:
    return b64encode(gzip.compress(content, mtime=0)).decode()


def _seed_stream(seed: int) -> list[str]:
    """Where a generator starts, so that the page draws what Python draws."""
    state: Any = generator(seed).bit_generator.state
    return [str(state["state"][name]) for name in ("state", "inc")]


def _dump_json(facts: Any) -> str:
    """JSON that cannot end its element, whatever names and categories hold."""
    written = json.dumps(facts, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return written.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def read_own(name: str) -> str:
    return files("verikit.page").joinpath(name).read_text(encoding="utf-8")
