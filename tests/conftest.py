"""What all tests share: the real data sets, where they are at hand, and calm property tests."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

CHECKOUT = Path(__file__).resolve().parent.parent

settings.register_profile(
    "calm", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("thorough", parent=settings.get_profile("calm"), max_examples=1000)
settings.load_profile(os.environ.get("VERIKIT_HYPOTHESIS", "calm"))


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
