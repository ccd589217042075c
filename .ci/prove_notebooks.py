"""Run notebooks in what ``pip install verikit[jupyter]`` brings, one after the other.

Those that need a package beside the usual ones; what that extra does not bring must be asked for
in one sentence, before anything else is run.
"""

import sys
import time
from importlib.util import find_spec

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from verikit._support.resources import notebooks_dir

RUN = (
    "07_random_anonymization",
    "08_what_survives",
    "20_numeric_anonymity",
    "21_answers_with_guarantees",
    "22_disguised_distributions",
    "30_large_releases",
)
STOPS = {"30_large_releases": "This notebook needs"}


def stopped(name):
    """Run a notebook; give the error that ended it, or nothing."""
    path = notebooks_dir() / f"{name}.ipynb"
    folder = {"metadata": {"path": str(path.parent)}}
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(notebook, timeout=120, kernel_name="python3", resources=folder)
    try:
        client.execute()
    except CellExecutionError as error:
        return error
    return None


def main():
    """Run them all; the exit code is 1 if one did what it should not."""
    wrong = []
    for name in RUN:
        began = time.monotonic()
        error = stopped(name)
        asks = name in STOPS and find_spec("ibis") is None
        as_it_should = (
            error is not None and error.ename == "SystemExit" and STOPS[name] in error.evalue
            if asks
            else error is None
        )
        said = f"stops: {error.evalue}" if error else "ran"
        print(f"   {name} {said} ({time.monotonic() - began:.0f} s)", flush=True)
        wrong += [] if as_it_should else [name]
    return f"Not as they should: {', '.join(wrong)}." if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
