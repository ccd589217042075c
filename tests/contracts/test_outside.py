"""What somebody else adds without touching the house: a partitioner, a mask, a kind of release."""

import dataclasses
import inspect
import json

import numpy as np
import pytest
from _same import plain
from _tables import again, earners, people

import verikit as vk
from verikit.mask import masking, publish
from verikit.release import KINDS


def neighbours(data, *, size):
    """Groups of neighbours in the order of all their values: a partitioner of somebody else."""
    labels = np.empty(len(data), np.intp)
    labels[data.canonical_order()] = np.minimum(np.arange(len(data)) // size, len(data) // size - 1)
    return vk.Partition(labels, "neighbours", {"size": size})


def taking_groups():
    """The masks and measures that take a partition, with what else they need."""
    masks = {f"mask.{m.name}": (m.function, {"seed": 7}) for m in vk.mask.METHODS.values()}
    measures = {f"utility.{n}": (getattr(vk.utility, n), {}) for n in vk.utility.__all__}
    return {
        name: (function, more)
        for name, (function, more) in (masks | measures).items()
        if inspect.isfunction(function) and "partition" in inspect.signature(function).parameters
    }


@pytest.mark.parametrize("name", taking_groups())
def test_groups_of_another_package_are_taken_wherever_groups_are(name):
    function, more = taking_groups()[name]
    data = earners() if name == "mask.permute_sensitive" else people()
    groups = neighbours(data, size=4)
    assert sorted(groups.sizes) == [4, 4, 4]
    found = function(data, partition=groups, **more)
    if name.startswith("mask."):
        release, key = found
        assert len(release) == len(data)
        assert sorted(key.rows) == list(range(len(data)))
        assert vk.models.k_anonymity(release).value >= 4
    assert repr(found)


def test_groups_of_another_package_are_the_same_whatever_order_the_records_have():
    data, rows = people(), np.random.default_rng(2).permutation(12)
    plain_labels = neighbours(data, size=4).labels
    assert np.array_equal(neighbours(again(data, rows), size=4).labels, plain_labels[rows])


@pytest.fixture
def turned():
    """A mask of somebody else, registered as an import would, and forgotten afterwards."""
    methods = vk.mask.METHODS
    before = dict(methods._known)

    @masking(promise="changed", example={"by": 1}, words="Every number is turned up by the same.")
    def turned(data, *, by, seed):
        """Add the same to every number."""
        rng = np.random.default_rng(seed)
        moved = {c.name: data.frame[c.name] + by for c in data.schema if c.kind == "numeric"}
        return publish(data, moved, method="turned", parameters={"by": by}, rng=rng)

    yield turned
    methods._known.clear()
    methods._known.update(before)


def test_a_mask_of_another_package_is_a_mask_like_ours(turned, tmp_path):
    data = vk.Microdata(earners().frame[["Age", "Salary"]])
    release, key = vk.mask.METHODS["turned"].function(data, by=3, seed=7)
    assert (release.method, release.promise, dict(release.parameters)) == (
        "turned", "changed", {"by": 3},
    )  # fmt: skip
    assert plain(key.undo(release).frame) == plain(data.frame + 3)
    opened = vk.open_release(release.save(tmp_path / "r"))
    assert plain(opened) == plain(release)
    links = vk.link(data, release, attack="published_mechanism")
    assert vk.protector.correct_links(links, key).records == len(data)


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class Sample(vk.TableRelease):
    """A release of somebody else's kind: a share of the records, as they are."""

    __hash__ = None

    def save(self, folder, *, parquet=False):
        """Write it as a table that says its kind."""
        path = vk.TableRelease.save(self, folder, parquet=parquet)
        package = path / "datapackage.json"
        told = json.loads(package.read_text())
        told["verikit"]["kind"] = "sample"
        package.write_text(json.dumps(told))
        return path


def sample():
    data = people().take(np.arange(6))
    return Sample(data.frame, data.schema, "sampled", {"share": 0.5}, "as it was")


def test_a_kind_of_release_of_another_package_comes_back_as_what_it_is(monkeypatch, tmp_path):
    monkeypatch.setitem(KINDS, "sample", Sample)
    opened = vk.open_release(sample().save(tmp_path / "r"))
    assert type(opened) is Sample
    assert plain(opened) == plain(sample())
    assert vk.models.k_anonymity(opened).value == 1
    assert vk.answer(vk.Query.count({"Sex": "F"}), opened).estimate == 3


def test_a_kind_of_release_that_nobody_here_knows_is_refused_in_a_sentence(tmp_path):
    folder = sample().save(tmp_path / "r")
    with pytest.raises(vk.FormatError, match=r"sample.*\."):
        vk.open_release(folder)
