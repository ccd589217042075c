"""A notebook that needs more than ``pip install verikit[jupyter]`` says so before anything else."""

import sys

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from verikit._support.resources import notebooks_dir

path = notebooks_dir() / "30_large_releases.ipynb"
folder = {"metadata": {"path": str(path.parent)}}
try:
    NotebookClient(
        nbformat.read(path, as_version=4), kernel_name="python3", resources=folder
    ).execute()
except CellExecutionError as error:
    good = error.ename == "SystemExit" and error.evalue.startswith("This notebook needs")
    print(f"   {path.name} stops: {error.evalue}")
else:
    good = False
    print(f"   {path.name} ran")
sys.exit(not good)
