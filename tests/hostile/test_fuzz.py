"""Whatever is thrown at a door: a result, or one sentence of ours."""

import importlib.util
import shutil
from pathlib import Path

import pytest

FUZZ = Path(__file__).resolve().parents[2] / "benchmarks" / "fuzz.py"
CASES = 500


@pytest.fixture(scope="module")
def fuzz():
    spec = importlib.util.spec_from_file_location("verikit_fuzz", FUZZ)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    shutil.rmtree(module.FOLDER, ignore_errors=True)


def test_five_hundred_hostile_inputs_end_in_a_result_or_in_a_sentence(fuzz):
    total, faults, examples = fuzz.run_all(CASES)
    assert total >= CASES
    assert not faults, "\n".join(f"{what}: {fuzz.short(examples[what])}" for what in faults)


@pytest.mark.parametrize(
    ("raised", "found"),
    [
        (KeyError("x"), "KeyError at"),
        (RecursionError(), "RecursionError at"),
        (None, None),
    ],
)
def test_the_counting_sees_what_is_no_sentence(fuzz, raised, found):
    def run(_):
        if raised is not None:
            raise raised

    assert found is None if fuzz.fault(run, 0) is None else found in fuzz.fault(run, 0)


def test_the_counting_sees_a_sentence_that_is_too_long(fuzz):
    class Long(fuzz.VerikitError):
        def __str__(self):
            return "x" * 601

    def run(_):
        raise Long

    assert fuzz.fault(run, 0) == "a sentence of 601 characters"
