"""Check the types of all that is shipped: the folders are laid as they are installed."""

import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
PROJECT = CHECKOUT / "pyproject.toml"
FOLDERS = tomllib.loads(PROJECT.read_text("utf-8"))["tool"]["setuptools"]["package-dir"]

with tempfile.TemporaryDirectory() as folder:
    package = Path(folder) / "verikit"
    package.mkdir()
    for part in (CHECKOUT / "verikit").iterdir():
        (package / part.name).symlink_to(part)
    for name, place in FOLDERS.items():
        (package / name.removeprefix("verikit.")).symlink_to(CHECKOUT / place)
    command = [sys.executable, "-m", "mypy", "--config-file", str(PROJECT), "-p", "verikit"]
    done = subprocess.run(command, cwd=folder, check=False)
sys.exit(done.returncode)
