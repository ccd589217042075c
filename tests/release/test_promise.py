"""What a publisher promises about the values: said once, kept, saved and opened."""

import ast
import json
from typing import get_args

import numpy as np
import pandas as pd
import pytest
from sources import MODULES, room

import verikit as vk
from verikit.release._kinds import Promise
from verikit.subject.generalized import find_fits

PROMISES = get_args(Promise)
FRAME = pd.DataFrame({"a": [1, 2, 3], "b": [4, 5, 6]})


def pair(promise="untold"):
    quasi = pd.DataFrame({"age": [20, 30, 40], "Group-ID": [1, 1, 2]})
    ill = pd.DataFrame({"Group-ID": [1, 1, 2], "ill": ["flu", "cold", "flu"]})
    return vk.SplitRelease.of(quasi, ill, promise=promise)


@pytest.mark.parametrize("promise", PROMISES)
@pytest.mark.parametrize("make", [lambda p: vk.TableRelease.of(FRAME, promise=p), pair])
def test_a_promise_is_opened_as_it_was_saved(make, promise, tmp_path):
    opened = vk.open_release(make(promise).save(tmp_path / "r"))
    assert opened.promise == promise


def test_a_prepared_release_promises_the_same():
    assert vk.TableRelease.of(FRAME, promise="changed").prepare().promise == "changed"
    assert vk.TableRelease.of(FRAME, promise="changed").reporting(2).promise == "changed"


@pytest.mark.parametrize("make", [lambda: vk.TableRelease.of(FRAME), pair])
def test_a_release_whose_folder_says_nothing_is_untold(make, tmp_path):
    folder = make().save(tmp_path / "r")
    package = json.loads((folder / "datapackage.json").read_text())
    assert package["verikit"].pop("promise") == "untold"
    (folder / "datapackage.json").write_text(json.dumps(package))
    assert vk.open_release(folder).promise == "untold"


@pytest.mark.parametrize("make", [lambda: vk.TableRelease.of(FRAME), pair])
@pytest.mark.parametrize("said", ["exact", None, 7, "", ["covers"], "x" * 500])
def test_an_unknown_promise_is_refused_in_a_sentence(make, said, tmp_path):
    folder = make().save(tmp_path / "r")
    package = json.loads((folder / "datapackage.json").read_text())
    package["verikit"]["promise"] = said
    (folder / "datapackage.json").write_text(json.dumps(package))
    with pytest.raises(vk.SchemaError, match=r"promise of a release was given as .* expected"):
        vk.open_release(folder)


def test_a_bare_table_promises_nothing(tmp_path):
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    assert vk.open_release(tmp_path / "a.csv").promise == "untold"
    assert vk.TableRelease.of(FRAME).promise == "untold"
    assert vk.TableRelease.of(FRAME, method="generalize").promise == "untold"


def test_a_permutation_and_its_promise_cannot_disagree():
    assert vk.TableRelease.of(FRAME, permutation=True).promise == "another order"
    assert vk.TableRelease.of(FRAME, promise="another order").permutation
    assert not vk.TableRelease.of(FRAME, promise="changed").permutation
    with pytest.raises(vk.SchemaError, match="A permutation was told with the promise 'changed'"):
        vk.TableRelease.of(FRAME, promise="changed", permutation=True)


def test_an_older_folder_that_tells_a_permutation_promises_another_order(tmp_path):
    folder = vk.TableRelease.of(FRAME).save(tmp_path / "r")
    package = json.loads((folder / "datapackage.json").read_text())
    del package["verikit"]["promise"]
    package["verikit"]["permutation"] = True
    (folder / "datapackage.json").write_text(json.dumps(package))
    assert vk.open_release(folder).permutation


def test_the_printed_releases_promise_what_their_papers_do_to_them():
    found = {name: vk.published(name).promise for name in (
        "dm_table1_masked", "dm_table1_mapped", "ks_table4", "lhcc_table2", "lhcc_table3",
        "lhcc_table4",
    )}  # fmt: skip
    assert list(found.values()) == [
        "changed", "another order", "covers", "covers", "another order", "another order",
    ]  # fmt: skip


# -- what a promise is worth ----------------------------------------------------------------------


def true_counts(data, release, seed=5):
    """The truth, and an answer, for 200 random ranges of one column."""
    rng = np.random.default_rng(seed)
    values = data.scores("X1")
    for low, high in np.sort(rng.uniform(values.min(), values.max(), (200, 2)), axis=1):
        answer = vk.answer(vk.Query.count({"X1": (float(low), float(high))}), release)
        yield int(((values >= low) & (values <= high)).sum()), answer


def test_a_table_whose_making_is_untold_is_certain_of_nothing_about_the_people(tmp_path):
    """Noise in a bare file was answered 'exactly', with an interval that missed 178 of 200."""
    data = vk.simulate("dm", 50, seed=1)
    masked = vk.mask.noise(data, scale=0.5, seed=1).release
    masked.frame.to_csv(tmp_path / "a.csv", index=False)
    for bare in (vk.TableRelease.of(masked.frame), vk.open_release(tmp_path / "a.csv")):
        found = list(true_counts(data, bare))
        assert sum(not answer.lower <= true <= answer.upper for true, answer in found) == 0
        assert not any(answer.exact for _, answer in found)
        counted = [answer.estimate for _, answer in true_counts(data, masked)]
        assert [answer.estimate for _, answer in found] == counted, "the count in the table"
    said = repr(vk.answer(vk.Query.count({"X1": (95, 105)}), bare))
    assert said == (
        "20 records, for certain from 0 to 50: the count in the table; how it was made is untold, "
        "so nothing more is certain about the people"
    )


def test_two_tables_whose_making_is_untold_are_certain_of_nothing_about_the_people():
    query = vk.Query.count({"age": (25, 50)})
    assert vk.answer(query, pair("another order")).exact
    untold = vk.answer(query, pair())
    assert (untold.lower, untold.estimate, untold.upper) == (0, 2, 3)


@pytest.mark.parametrize("promise", ["changed", "untold"])
def test_ranges_that_promise_nothing_are_still_counted_by_their_share(promise):
    spans = pd.arrays.IntervalArray.from_tuples([(40, 50), (40.5, 50)], closed="both")
    frame, schema = pd.DataFrame({"age": spans}), vk.Schema((vk.Column("age"),))
    query = vk.Query.count({"age": (45, 45.5)})
    sure = vk.answer(query, vk.TableRelease.of(frame, schema, promise="covers"))
    found = vk.answer(query, vk.TableRelease.of(frame, schema, promise=promise))
    assert found.estimate == sure.estimate
    assert (found.lower, found.upper) == (0, 2)


def test_what_was_left_as_it_was_is_counted_exactly():
    assert vk.answer(
        vk.Query.count({"a": (1, 2)}), vk.TableRelease.of(FRAME, promise="as it was")
    ).exact


def test_only_who_promises_to_cover_is_believed_that_whole_classes_were_suppressed():
    frame = pd.DataFrame({"town": ["p", "p", "*"], "ill": ["flu", "cold", "flu"]})
    schema = vk.Schema.guess(frame, ill="sensitive")
    for promise, believed in (("covers", True), ("untold", False), ("changed", False)):
        release = vk.TableRelease.of(
            frame, schema, parameters={"levels": {"town": 1}}, promise=promise
        )
        assert find_fits({"town": "p"}, release).by_class is believed


# -- told once ------------------------------------------------------------------------------------

OTHER_MEANINGS = {  # a slider, arguments and algorithms of these names, what the bench begins with
    ("_guarantees.py", "swap"),
    ("_bench.py", "generalize"),
    ("_bench_card.py", "from_key"),
    ("_plausibility.py", "noise"),
    ("_noisy_answer.py", "noise"),
    ("plain.py", "randomize"),
    ("plain.py", "disguise"),
}


def literals(tree):
    """Every text of a module but its docstrings."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    said = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
            yield node.value


def test_no_room_but_the_masks_own_knows_a_mask_by_its_name():
    names = {*vk.mask.METHODS, *vk.mask.METHODS.knobs()}
    assert {"noise", "mdav", "permute_all"} <= names
    found = {
        (file.name, text)
        for module, file in MODULES.items()
        if room(module) not in {"mask", "scale"}
        for text in literals(ast.parse(file.read_text(encoding="utf-8")))
        if text in names
    }
    assert found - OTHER_MEANINGS == set()
