"""Masks take what can be ordered, taken from and counted: tables, and whatever else there is."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.mask import METHODS, masking
from verikit.mask._masking import Maskable
from verikit.release import Key


@dataclasses.dataclass(frozen=True)
class Purchases:
    """Who bought what: no table of persons, but pairs that can be ordered and counted."""

    pairs: tuple

    def __len__(self):
        return len(self.pairs)

    def canonical_order(self, *ties):
        return np.array(sorted(range(len(self)), key=self.pairs.__getitem__))

    def take(self, rows):
        return Purchases(tuple(self.pairs[row] for row in rows))


@pytest.fixture
def shuffled():
    @masking(promise="as it was", example={}, words="Pairs in another order.", takes=Purchases)
    def shuffled_pairs(data, *, seed):
        """Shuffle the pairs."""
        places = np.random.default_rng(seed).permutation(len(data))
        rows = [data.pairs[row] for row in np.argsort(places)]
        release = vk.TableRelease.of(pd.DataFrame(rows, columns=["who", "what"]))
        return vk.Masked(release, Key({"edges": places}))

    yield shuffled_pairs
    del METHODS._known["shuffled_pairs"]


PAIRS = (("eva", "wine"), ("adam", "beer"), ("eva", "beer"), ("bob", "milk"))


def test_a_mask_takes_data_that_can_be_ordered_taken_from_and_counted(shuffled):
    release, key = shuffled(Purchases(PAIRS), seed=3)
    rows = release.frame.astype(str).to_records(index=False).tolist()
    assert tuple(rows[place] for place in key.places["edges"]) == PAIRS
    assert (release.method, release.promise, key.seed) == ("shuffled_pairs", "as it was", 3)


def test_its_release_does_not_depend_on_the_order_of_the_data(shuffled):
    other, _ = shuffled(Purchases(PAIRS[::-1]), seed=3)
    assert other.frame.equals(shuffled(Purchases(PAIRS), seed=3).release.frame)


def test_a_mask_says_what_it_takes_and_refuses_the_rest(shuffled):
    assert METHODS["shuffled_pairs"].takes is Purchases
    assert METHODS["noise"].takes is vk.Microdata
    with pytest.raises(vk.SchemaError, match=r"mask\.shuffled_pairs was given Microdata; expected"):
        shuffled(vk.load("dm_table1"), seed=3)
    with pytest.raises(vk.SchemaError, match=r"mask\.noise was given Purchases; expected Microd"):
        vk.mask.noise(Purchases(PAIRS), scale=1, seed=3)


def test_nothing_to_mask_is_refused_for_all_data(shuffled):
    with pytest.raises(vk.SchemaError, match="no records, so there is nothing to mask"):
        shuffled(Purchases(()), seed=3)


@pytest.mark.parametrize("takes", [list, pd.DataFrame, "Microdata", None])
def test_data_that_cannot_be_ordered_cannot_be_masked(takes):
    with pytest.raises(vk.SchemaError, match="expected a class that can be ordered, taken from"):
        masking(promise="changed", example={}, words="", takes=takes)


def test_microdata_can_be_masked():
    assert isinstance(vk.load("dm_table1"), Maskable)
    assert not isinstance(vk.published("dm_table1_masked"), Maskable)
