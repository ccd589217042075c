"""Check the types of all that is shipped: the folders are laid as they are installed."""

import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
SETUP = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]  # fmt: skip

with tempfile.TemporaryDirectory() as folder:
    package = Path(folder) / "verikit"
    package.mkdir()
    for part in (CHECKOUT / "verikit").iterdir():
        (package / part.name).symlink_to(part)
    for name, place in SETUP["package-dir"].items():
        (package / name.removeprefix("verikit.")).symlink_to(CHECKOUT / place)
    command = [sys.executable, "-m", "mypy", "--config-file", str(CHECKOUT / "pyproject.toml"), "-p", "verikit"]
    done = subprocess.run(command, cwd=folder, check=False)
sys.exit(done.returncode)
