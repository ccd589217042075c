"""Masks of other packages: one file, one registration, and the contract holds for them."""

import os
import subprocess
import sys
import textwrap
import warnings
from importlib.metadata import EntryPoint
from pathlib import Path

import pandas as pd
import pytest

import verikit as vk
from verikit.mask._masking import Methods

CONTRACT = Path(__file__).parent.parent / "contracts" / "test_masks.py"
PRAM = textwrap.dedent(
    '''
    """Post-randomization: each category stays, or makes way for one of its column's."""

    import numpy as np

    import verikit as vk
    from verikit.mask import Knob, masked_columns, masking, publish


    @masking(
        promise="changed",
        example={"keep": 0.7},
        words="Each category may make way for another one of its column.",
        knobs=[Knob("keep", 0.001, 1, downward=True)],
    )
    def pram(data, *, keep, seed):
        """Keep each category with a chance, else draw one of its column."""
        columns, rng = masked_columns(data, "pram"), np.random.default_rng(seed)
        if any(column.kind == "numeric" for column in columns):
            raise vk.SchemaError("mask.pram takes categories only; drop the numbers.")
        moved = {}
        for column in columns:
            codes, names = data.codes(column.name)
            drawn = rng.integers(0, len(names), len(data))
            taken = np.where(rng.random(len(data)) < keep, codes, drawn)
            moved[column.name] = np.array(names, object)[taken]
        return publish(data, moved, method="pram", parameters={"keep": keep}, rng=rng)
    '''
)


def package(folder, source=PRAM, points="pram = outside_pram:pram"):
    """A package as pip would install it: one file, and one line of registration."""
    (folder / "outside_pram.py").write_text(source)
    told = folder / "outside_pram-1.0.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: outside-pram\nVersion: 1.0\n")
    (told / "entry_points.txt").write_text(f"[verikit.masks]\n{points}\n")
    return folder


def beside(folder, *command):
    """What a fresh interpreter says that finds the package on its path."""
    found = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))
    return subprocess.run(
        [sys.executable, *command],
        capture_output=True, text=True, check=False, timeout=300, cwd=folder,
        env={**os.environ, "PYTHONPATH": found},
    )  # fmt: skip


def test_a_mask_of_another_package_keeps_the_contract_of_all_masks(tmp_path):
    options = ["-q", "-p", "no:cacheprovider", "--import-mode=importlib", f"--rootdir={tmp_path}"]
    done = beside(
        package(tmp_path), "-m", "pytest", str(CONTRACT), "-c", os.devnull, "-k", "pram", *options
    )
    assert done.returncode == 0, done.stdout[-3000:]
    assert "failed" not in done.stdout
    assert int(done.stdout.split(" passed")[0].split()[-1]) >= 30


def test_masks_of_other_packages_are_loaded_when_they_are_asked_for_and_not_before(tmp_path):
    code = (
        "import sys, verikit as vk\n"
        "own = vk.mask.METHODS['noise'], vk.mask.noise\n"
        "print('outside_pram' in sys.modules)\n"
        "print('pram' in vk.mask.METHODS, vk.mask.METHODS['pram'].function is vk.mask.pram)\n"
        "print('pram' in list(vk.mask.METHODS), vk.mask.METHODS.knobs()['pram'].parameter)\n"
    )
    done = beside(package(tmp_path), "-c", code)
    assert done.stdout.split() == ["False", "True", "True", "True", "keep"], done.stderr


def test_a_release_of_a_mask_that_names_no_promise_of_its_own_carries_the_declared_one(tmp_path):
    code = (
        "import pandas as pd, verikit as vk\n"
        "data = vk.Microdata(pd.DataFrame({'a': list('xyxyzz')}))\n"
        "release, key = vk.mask.pram(data, keep=0.5, seed=7)\n"
        "print(release.promise, release.method, release.parameters, key.seed, sep='|')\n"
    )
    done = beside(package(tmp_path), "-c", code)
    assert done.stdout.strip() == "changed|pram|{'keep': 0.5}|7", done.stderr


def registry(monkeypatch, *points):
    """A registry of its own, that finds these entry points."""
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: list(points))
    return Methods()


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ("no_such_module:mask", "ModuleNotFoundError"),
        ("json:no_such_mask", "AttributeError"),
        ("json:dumps", r"it is not registered; put @verikit.mask.masking\(\.\.\.\) above it"),
    ],
)
def test_a_mask_that_cannot_be_loaded_is_left_out_and_named(monkeypatch, value, sentence):
    methods = registry(monkeypatch, EntryPoint("broken", value, "verikit.masks"))
    methods.add(vk.mask.METHODS["noise"])
    with pytest.warns(UserWarning, match=f"The mask 'broken' of .* is left out: .*{sentence}"):
        assert list(methods) == ["noise"]
    assert "broken" not in methods


def test_our_own_masks_are_found_without_asking_other_packages(monkeypatch):
    methods = registry(monkeypatch, EntryPoint("broken", "no_such_module:mask", "verikit.masks"))
    methods.add(vk.mask.METHODS["noise"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "noise" in methods
        assert methods["noise"].function is vk.mask.noise


def test_a_name_belongs_to_one_module():
    def noise(data, *, seed):
        """Do nothing."""

    with pytest.raises(vk.SchemaError, match=r"already a mask 'noise', of verikit.mask._noise"):
        vk.mask.masking(promise="changed", example={}, words="Nothing.")(noise)
    assert vk.mask.METHODS["noise"].function is vk.mask.noise
    told = vk.models.guarantee(vk.mask.noise(vk.load("dm_table1"), scale=1, seed=1).release)
    assert "values may lie any distance apart" in told.rests


def test_an_unknown_promise_of_a_mask_is_refused():
    with pytest.raises(vk.SchemaError, match="given as 'exact'; expected one of 'as it was'"):
        vk.mask.masking(promise="exact", example={}, words="Nothing.")


def test_a_mask_that_builds_its_release_by_hand_keeps_its_promise(monkeypatch):
    known = dict(vk.mask.METHODS._known)
    monkeypatch.setattr(vk.mask.METHODS, "_known", known)

    @vk.mask.masking(promise="as it was", example={}, words="Everything as it was.")
    def bare(data, *, seed):
        """Publish all."""
        return vk.release.Masked(vk.TableRelease.of(data.frame), vk.Key.of(range(len(data))))

    data = vk.Microdata(pd.DataFrame({"a": [1, 2]}))
    release, key = vk.mask.bare(data, seed=3)
    assert (release.promise, release.method, key.seed) == ("as it was", "bare", 3)
    assert vk.answer(vk.Query.count({"a": 1}), release).exact


def test_there_is_no_mask_of_any_other_name():
    with pytest.raises(AttributeError, match="has no attribute 'prom'"):
        _ = vk.mask.prom
