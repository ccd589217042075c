"""What all tests share: the real data sets, where they are at hand, and calm property tests."""

import os
import signal
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

CHECKOUT = Path(__file__).resolve().parent.parent
sys.path.append(str(CHECKOUT / "tests"))  # `sources` lies beside this file

# What looks at screens, pictures or every module needs the extra "jupyter".
ON_SCREEN = (
    "browser",
    "plot",
    "widgets",
    "contracts/test_views.py",
    "release/test_kinds.py",
    "release/test_promise.py",
    "support/test_words.py",
    "test_actors.py",
    "test_layers.py",
    "test_notebooks.py",
    "test_public_names.py",
)
CORE = any(find_spec(name) is None for name in ("anywidget", "ipywidgets", "matplotlib", "voila"))
collect_ignore = list(ON_SCREEN) if CORE else []

settings.register_profile(
    "calm", deadline=None, max_examples=15, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("thorough", parent=settings.get_profile("calm"), max_examples=1000)
settings.load_profile(os.environ.get("VERIKIT_HYPOTHESIS", "calm"))


def pytest_configure():
    """Let children hear Ctrl-C where the tests were started with it ignored, as by nohup or &."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_report_header():
    """Say what is left out where only the core is installed."""
    return f"without the extra 'jupyter': left out are {', '.join(ON_SCREEN)}" if CORE else None


@pytest.fixture(scope="session")
def datasets_dir():
    """The folder of the real data sets; tests that need it are skipped where it is not."""
    named = os.environ.get("VERIKIT_DATASETS")
    folder = Path(named) if named else CHECKOUT.parent / "shared" / "datasets"
    if not folder.is_dir():
        pytest.skip(
            f"the real data sets are not at hand ({folder} is no folder); set VERIKIT_DATASETS"
        )
    return folder
