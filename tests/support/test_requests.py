"""Requests are checked in one place, and what cannot be used is refused in one sentence."""

import ast
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import verikit as vk
from verikit._support.requests import flag, number, one_of, share, whole, within
from verikit.errors import RecordError, SchemaError

HOUSE = Path(vk.__file__).parent
SOURCES = [file for file in HOUSE.rglob("*.py") if "_notebooks" not in file.parts]
NO_WHOLE_NUMBER = [2.0, "2", None, True, np.True_, np.float64(2), [2], float("nan")]


@pytest.mark.parametrize("value", [2, np.int64(2), np.uint8(2)])
def test_a_whole_number_of_any_kind_is_taken_as_pythons(value):
    assert type(whole(value, "runs")) is int


@pytest.mark.parametrize("value", NO_WHOLE_NUMBER)
def test_what_only_looks_like_a_whole_number_is_refused(value):
    with pytest.raises(RecordError, match=r"^runs was given as .*; expected a whole number from 1"):
        whole(value, "runs")


def test_a_whole_number_must_lie_within_its_bounds():
    assert [whole(value, "level", 0, 2) for value in range(3)] == [0, 1, 2]
    for value in (-1, 3):
        with pytest.raises(RecordError, match="expected a whole number from 0 to 2"):
            whole(value, "level", 0, 2)


def test_a_number_too_large_to_be_told_from_infinity_is_refused():
    with pytest.raises(
        RecordError, match=r"^near was given as a number of 401 digits; expected a number from 0 up"
    ):
        within(10**400, "near")


@pytest.mark.parametrize("value", ["1", True, np.nan, np.inf, -0.1, 1.1, None, 1j])
def test_what_is_no_number_within_bounds_is_refused(value):
    with pytest.raises(RecordError, match=r"^correlation was .*; expected a number from 0 to 1\.$"):
        within(value, "correlation", 0, 1)
    with pytest.raises(RecordError, match="expected a share from 0 to 1"):
        share(value, "correlation")


def test_numbers_and_shares_of_all_kinds_are_taken_with_their_ends():
    for value in (0, 1, 0.5, np.float32(0.5), Fraction(1, 3)):
        assert within(value, "c", 0, 1) == share(value, "c") == float(value)
    assert within(10**300, "c") == 1e300


def test_a_share_may_leave_out_its_ends():
    for value, ends in ((0, {"above": True}), (1, {"below": True})):
        with pytest.raises(RecordError, match="expected a share"):
            share(value, "share", **ends)
    with pytest.raises(RecordError, match=r"share between 0 and 1 \(0\.05 for 5 %\)"):
        share(1, "alpha", above=True, below=True)


def test_a_word_is_one_of_those_known_and_a_flag_is_one_of_two():
    assert one_of("b", "cuts", ("a", "b", "c")) == "b"
    for value in ("d", None, ["a"], np.array(["a", "b"])):
        with pytest.raises(RecordError, match=r"cuts was given as .*; expected 'a', 'b' or 'c'\."):
            one_of(value, "cuts", ("a", "b", "c"))
    assert flag(np.False_, "permuted") is False
    with pytest.raises(RecordError, match="permuted was given as 'no'; expected True or False"):
        flag("no", "permuted")


def test_a_number_may_be_written_as_text_but_must_be_finite():
    assert number("2.5", "X1") == 2.5
    with pytest.raises(RecordError, match="expected a finite number"):
        number("1e999", "X1")


DATA, RELEASE = vk.load("dm_table1"), vk.published("dm_table1_masked")
GROUPED, RECORD = vk.load("lhcc_table1"), vk.load("dm_table1").record(2)
WRONG = {
    "check_runs": lambda: vk.check(RECORD, RELEASE, runs=2.0),
    "check_runs_flag": lambda: vk.check(RECORD, RELEASE, runs=True),
    "check_looks": lambda: vk.check(RECORD, RELEASE, looks="2"),
    "draws": lambda: vk.plausibility(DATA, RELEASE, null="monte_carlo", draws=2.5),
    "seed_text": lambda: vk.plausibility(DATA, RELEASE, seed="2"),
    "seed_flag": lambda: vk.plausibility(DATA, RELEASE, seed=True),
    "conditions": lambda: vk.utility.workload(GROUPED, queries=2, conditions=2.0, seed=1),
    "queries": lambda: vk.utility.workload(GROUPED, queries="2", conditions=1, seed=1),
    "tries": lambda: vk.partition.diverse(GROUPED, ell=2, tries=2.0, seed=1),
    "suppress": lambda: vk.mask.generalize(GROUPED, levels=0, suppress=True, seed=1),
    "links": lambda: vk.Goal(links=1.5),
    "record": lambda: vk.link(DATA, RELEASE).of(0.5),
    "k": lambda: vk.models.k_anonymity(GROUPED, k="2"),
    "n": lambda: vk.simulate("dm", 2.0, seed=1),
}


@pytest.mark.parametrize("name", WRONG)
def test_every_room_refuses_what_is_no_whole_number_in_the_same_sentence(name):
    with pytest.raises(RecordError, match=r"was given as .*; expected a whole number from \d"):
        WRONG[name]()


FRAME, KEY = DATA.frame, vk.Key.of(range(20))
NONE = FRAME.to_numpy()  # where a frame is taken for a table, this is not
FRAMES = {
    "audit": lambda: vk.audit(NONE, RELEASE, KEY),
    "audit_release": lambda: vk.audit(DATA, FRAME, KEY),
    "audit_key": lambda: vk.audit(DATA, RELEASE, [1]),
    "link": lambda: vk.link(NONE, RELEASE),
    "link_release": lambda: vk.link(DATA, FRAME),
    "link_by_subset": lambda: vk.intruder.link_by_subset(FRAME, RELEASE),
    "plausibility": lambda: vk.plausibility(FRAME, RELEASE),
    "rce": lambda: vk.utility.rce(GROUPED, vk.published("lhcc_table3")),
    "rank_correlation": lambda: vk.utility.rank_correlation(NONE, DATA),
    "residual_noise": lambda: vk.utility.residual_noise(NONE, DATA, seed=1),
    "lattice": lambda: vk.lattice.Lattice.of(FRAME),
    "unsorted_matching": lambda: vk.intruder.unsorted_matching(FRAME, RELEASE),
    "complementary_release": lambda: vk.intruder.complementary_release(FRAME, RELEASE),
    "temporal": lambda: vk.intruder.temporal(RELEASE, FRAME),
    "correct_links": lambda: vk.protector.correct_links(FRAME, KEY),
    "choose": lambda: vk.choose(FRAME, "noise", vk.Goal(links=1), seed=1),
    "check": lambda: vk.check(RECORD, FRAME),
}


@pytest.mark.parametrize("name", FRAMES)
def test_a_frame_in_place_of_a_table_is_answered_with_what_is_needed(name):
    with pytest.raises(SchemaError, match=r"was given|needs a release|expected a release"):
        FRAMES[name]()


def calls(file, name):
    """The lines of a module that call a function of this name, examples in docstrings aside."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [node for node in found if ast.unparse(node.func).split(".")[-1] == name]


def test_generators_of_random_numbers_are_made_in_one_place_only():
    makers = {file.relative_to(HOUSE).as_posix() for file in SOURCES if calls(file, "default_rng")}
    assert makers == {"_support/seed.py"}


def test_whole_numbers_that_are_asked_for_are_checked_in_one_place_only():
    asking = [
        "partition",
        "models",
        "mask",
        "intruder",
        "protector",
        "utility",
        "cli",
        "datasets",
    ]
    again = {
        f"{file.parent.name}/{file.name}"
        for room in asking
        for file in (HOUSE / room).rglob("*.py")
        for node in calls(file, "isinstance")
        if "np.integer" in ast.unparse(node)
    }
    assert again == set()
