"""How a masking of the bench is made again: its commands, the same in Python, and their files."""

from __future__ import annotations

import csv
import io
import shlex
from collections.abc import Mapping
from pathlib import Path

from verikit._support.writing import together
from verikit.cli import list_parameters, parse_value, write_schema
from verikit.hierarchy import Hierarchy
from verikit.widgets._bench_try import Try


def list_commands(
    tried: Try, original: str, stem: str, out: str, about: Mapping[str, str]
) -> list[list[str]]:
    """List what is typed to make and publish a masking: the arguments of two commands.

    The seed is read from its file, so that no screen and no saved notebook shows it.
    """
    known = list_parameters(tried.method)
    chosen = [
        ["--set", f"{name}={text}"] if name in known else [f"--{name}", text]
        for name, text in tried.settings.items()
        if text
    ]
    own = ["--schema", f"{stem}.toml"]
    mask = ["mask", tried.method, original, *own, *(part for pair in chosen for part in pair)]
    mask += [
        "--seed",
        f"$(cat {shlex.quote(stem + '.seed')})",
        "--out",
        stem,
        "--key",
        f"{stem}.key",
    ]
    named = [part for name, text in about.items() if text for part in (f"--{name}", text)]
    return [mask, ["publish", original, stem, *own, "--key", f"{stem}.key", *named, "--out", out]]


def write_shell(commands: list[list[str]]) -> str:
    """Write commands as they are typed into a shell."""
    lines = []
    for line in commands:
        quoted = [shlex.quote(part) for part in line]
        if "--seed" in line:
            at = line.index("--seed") + 1
            quoted[at] = f'"{line[at]}"'
        lines.append(" ".join(["verikit", *quoted]))
    return "\n".join(lines)


def write_python(tried: Try, commands: list[list[str]], stem: str) -> str:
    """Write what does the same in Python."""
    known, set_ = list_parameters(tried.method), {n: t for n, t in tried.settings.items() if t}
    given = {name: parse_value(text) for name, text in set_.items() if name in known}
    arguments = [f"{name}={value!r}" for name, value in given.items()]
    size = {name: int(set_[name]) for name in ("k", "ell") if name in set_ and name not in known}
    lines = [
        "from pathlib import Path",
        "",
        "import verikit as vk",
        "from verikit.cli import main, read_schema",
        "from verikit.mask import draw_grouping_seed, mix_values",
        "",
        f"data = vk.read({commands[0][2]!r}, read_schema({stem + '.toml'!r}))",
        f"seed = int(Path({stem + '.seed'!r}).read_text())",
    ]
    if "search" in set_:
        arguments.append(f"levels=vk.lattice.{set_['search']}(data, k={size.get('k')})")
    elif "partition" in known and "e" in set_:
        drawn = f"k={size.get('k')}, e={set_['e']}, seed=draw_grouping_seed(seed)"
        arguments.append(f"partition=vk.partition.min_sum_error(data, {drawn})")
    elif "ell" in size:
        arguments.append(f"partition=mix_values(data, {size['ell']}, draw_grouping_seed(seed))")
    elif size:
        gaps = f", missing={given['missing']!r}" if "missing" in given else ""
        arguments.append(f"partition=vk.partition.mondrian(data, k={size['k']}{gaps})")
    trees = [c.name for c in tried.data.schema.sensitive if c.hierarchy is not None]
    if "hierarchy" in known and trees:
        arguments.append(f"hierarchy=data.schema[{trees[0]!r}].hierarchy")
    lines += [
        f"masked = vk.mask.{tried.method}({', '.join(['data', *arguments, 'seed=seed'])})",
        f"masked.save({stem!r}, {stem + '.key'!r})",
        f"main({commands[1]!r})",
    ]
    return "\n".join(lines) + "\n"


def write_files(tried: Try, here: Path, original: str, stem: str, texts: Mapping[str, str]) -> None:
    """Write the private files of a masking: columns, trees, seed, the draft with its key, scripts.

    Parameters
    ----------
    here
        From where the paths are named.
    original
        The table; written too where it lies in no file yet.
    stem
        What their names begin with.
    texts
        Further files, by the end of their names.
    """
    data, trees = tried.data, {}
    with together() as new:
        new.parents((here / stem).parent)
        if not (here / original).exists():
            new.file(here / original, data.frame.to_csv(index=False), private=True)
        for at, column in enumerate(data.schema):
            if column.hierarchy is not None:
                trees[column.name] = f"{Path(stem).name}-tree-{at}.csv"
                text = _write_tree(column.hierarchy)
                new.file((here / stem).with_name(trees[column.name]), text, private=True)
        columns = write_schema(data, data.schema, Path(original).name, trees)
        for end, text in {".toml": columns, ".seed": f"{tried.seed}", **texts}.items():
            new.file(here / f"{stem}{end}", text, private=True)
    tried.masked.save(here / stem, here / f"{stem}.key")


def _write_tree(tree: Hierarchy) -> str:
    file = io.StringIO()
    csv.writer(file, delimiter=";", lineterminator="\n").writerows(map(tree.path, tree.order()))
    return file.getvalue()
