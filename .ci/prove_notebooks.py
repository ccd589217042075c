"""Run every guided notebook in what ``pip install verikit[jupyter]`` brings, on all cores.

What that extra does not bring must be asked for in one sentence, before anything else is run.
"""

import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from importlib.util import find_spec

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from verikit._support.resources import notebooks_dir

STOPS = {"30_large_releases": "This notebook needs"}


def run(name):
    """Run a notebook; give the kind and the words of the error that ended it, and the time."""
    began = time.monotonic()
    path = notebooks_dir() / f"{name}.ipynb"
    folder = {"metadata": {"path": str(path.parent)}}
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(notebook, timeout=120, kernel_name="python3", resources=folder)
    try:
        client.execute()
    except CellExecutionError as error:
        return error.ename, error.evalue, time.monotonic() - began
    return "", "", time.monotonic() - began


def main():
    """Run them all; the exit code is 1 if one did what it should not."""
    names = sorted(path.stem for path in notebooks_dir().glob("[0-9][0-9]_*.ipynb"))
    wrong = []
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for name, (kind, words, took) in zip(names, pool.map(run, names), strict=True):
            asks = name in STOPS and find_spec("ibis") is None
            good = kind == "SystemExit" and STOPS[name] in words if asks else not kind
            print(f"   {name} {f'stops: {words}' if kind else 'ran'} ({took:.0f} s)", flush=True)
            wrong += [] if good else [name]
    return f"Not as they should: {', '.join(wrong)}." if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
