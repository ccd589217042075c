"""What a killed process leaves behind is removed by the next one, and by nobody while it lives."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from verikit.scale._engine import make_spill

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs processes of a POSIX system")

HOLDS = """
import sys
from verikit.scale._engine import make_spill
made = make_spill()
(made / "part").write_text("much")
print(made, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path, monkeypatch):
    """A process with a folder, and the folder."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", HOLDS], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"TMPDIR": str(tmp_path)},
    )  # fmt: skip
    yield process, Path(process.stdout.readline().strip())
    process.kill()
    process.communicate()


def test_a_folder_goes_with_the_process_that_follows_a_killed_one(holder):
    process, left = holder
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert (left / "part").is_file()
    make_spill()
    assert not left.exists()


def test_a_folder_that_is_in_use_is_left_alone(holder):
    _, used = holder
    one, other = make_spill(), make_spill()
    assert one != other
    assert one.is_dir()
    assert other.is_dir()
    assert (used / "part").is_file()


def test_what_is_not_ours_is_left_alone(holder, tmp_path):
    process, left = holder
    process.kill()
    process.wait()
    home = tmp_path / "home"
    left.rename(home)
    left.symlink_to(home)
    (tmp_path / "verikit-spill-of-an-older-version").mkdir()
    made = make_spill()
    assert {part.name for part in tmp_path.iterdir()} == {
        "home", left.name, "verikit-spill-of-an-older-version", made.name,
    }  # fmt: skip
    assert (home / "part").is_file()
