"""What was published of a table is kept beside the key, and a second release is noticed."""

import pandas as pd
import pytest

import verikit as vk
from verikit.matching import count_values_left
from verikit.release import Ledger


@pytest.fixture
def data():
    return vk.load("lhcc_table1")


def masked(data, seed, labels=None):
    groups = vk.partition.anatomy(data, ell=2, seed=seed) if labels is None else labels
    return vk.mask.anatomize(data, partition=groups, seed=seed)


def test_a_second_grouping_is_noticed_and_the_same_one_is_not(data):
    book = Ledger().add(data, *masked(data, 1))
    assert book.warn(data, *masked(data, 1)) == ()
    assert book.warn(data, *masked(data, 7, vk.partition.anatomy(data, ell=2, seed=1))) == ()
    (said,) = book.warn(data, *masked(data, 2))
    assert "left fewer values of 'Disease' by this and what was made of them before" in said
    assert "partition.continued (--again)" in said
    drafts = book.add(data, *masked(data, 2))  # one more draft hides none of those before
    assert drafts.warn(data, *masked(data, 2)) == (said,)
    groups = vk.partition.continued(book, data, ell=2, seed=4)
    assert book.warn(data, *masked(data, 4, groups)) == ()


def test_what_is_left_for_others_is_reckoned_with_where_it_is_counted():
    # by their own groups alone Eva loses a value; but then Dan has gout, and Cem the other flu
    frame = pd.DataFrame({"name": [*"ABCDE"], "ill": ["flu", "gout", "flu", "gout", "flu"]})
    frame["age"] = 30
    roles = {"name": "identifier", "ill": "sensitive"}
    data = vk.Microdata(frame, vk.Schema.guess(frame, **roles))
    groups = [0, 0, 0, 1, 1], [0, 0, 1, 1, 2]
    first, second = (masked(data, 1, vk.Partition.of(labels)) for labels in groups)
    book = Ledger().add(data, *first)
    assert "At least 1 person is left fewer" in book.warn(data, *second)[0]
    (said,) = book.warn(data, *second, count_left=count_values_left)
    assert "At least 3 people are left fewer values of 'ill'" in said


def test_people_are_known_again_in_another_table_and_strangers_are_not(data):
    book = Ledger().add(data, *masked(data, 1))
    half = data.take(data.canonical_order()[:6])
    assert "left fewer values" in book.warn(half, *masked(half, 2))[0]
    by_values = data.only("Age", "Sex", "Disease")
    book = Ledger().add(by_values, *masked(by_values, 1))
    strangers = vk.Microdata(data.frame.assign(Age=data.frame["Age"] + 50), data.schema)
    strangers = strangers.only("Age", "Sex", "Disease")
    assert book.warn(strangers, *masked(strangers, 2)) == ()


@pytest.mark.parametrize("mask", ["noise", "generalize", "permute_all"])
def test_releases_of_every_kind_are_entered(mask, data):
    if mask == "noise":
        numbers = vk.load("dm_table1")
        made = [vk.mask.noise(numbers, scale=0.5, seed=seed) for seed in (1, 2)]
        data = numbers
    else:
        groups = [vk.partition.anatomy(data, ell=2, seed=seed) for seed in (1, 2)]
        made = [getattr(vk.mask, mask)(data, partition=g, seed=1) for g in groups]
    book = Ledger().add(data, *made[0])
    assert book.warn(data, *made[0]) == ()
    (said,) = book.warn(data, *made[1])
    assert ("how much was not tested" in said) == (mask == "noise")


def test_a_ledger_comes_back_from_its_file_and_nobody_else_may_read_it(data, tmp_path):
    book = Ledger().add(data, *masked(data, 1))
    path = book.save_beside(tmp_path / "my.key")
    assert path.stat().st_mode & 0o077 == 0
    again = Ledger.beside(tmp_path / "another.key")
    assert again.entries == book.entries
    assert again.warn(data, *masked(data, 2)) == book.warn(data, *masked(data, 2))
    assert not any(name in path.read_text() for name in data.frame["Name"])
    assert Ledger.beside(tmp_path / "elsewhere" / "my.key").entries == ()


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"entries": [{}]}'])
def test_what_is_no_ledger_is_refused(content, tmp_path):
    path = tmp_path / "ledger.json"
    path.write_text(content)
    with pytest.raises(vk.FormatError, match="is not a ledger"):
        Ledger.open(path)


def test_a_key_of_other_records_is_refused(data):
    release, _ = masked(data, 1)
    with pytest.raises(vk.RecordError, match="The key is of 2 records, and the data have 9"):
        Ledger().add(data, release, vk.Key.of([0, 1]))


def test_equal_records_have_a_signature_each():
    frame = pd.DataFrame({"age": [20, 20, 30, 40], "ill": ["flu", "flu", "gout", "ulcer"]})
    data = vk.Microdata(frame, vk.Schema.guess(frame, ill="sensitive"))
    groups = vk.Partition.of([0, 1, 0, 1])
    book = Ledger().add(data, *vk.mask.anatomize(data, partition=groups, seed=1))
    found = book.list_signatures(data, "ill")
    assert sorted(map(sorted, found[:2])) == [["flu", "gout"], ["flu", "ulcer"]]


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ([0, 0, 0, 0], "4 people share a group of more values of 'ill' than before, and 0 one"),
        ([0, 0, 1, 1, 0, 0], "0 people share a group of more values of 'ill' than before, and 4"),
    ],
)
def test_groups_that_are_not_even_are_told_though_nobody_is_left_fewer_values(labels, said):
    frame = pd.DataFrame({"id": [*"uvwxyz"], "age": 30, "ill": [*"abcdab"]}).head(len(labels))
    roles = {"id": "identifier", "ill": "sensitive"}
    data = vk.Microdata(frame, vk.Schema.guess(frame, **roles))
    book = Ledger().add(data, *masked(data, 1, vk.Partition.of([0, 0, 1, 1, 2, 2][: len(frame)])))
    made = masked(data, 2, vk.Partition.of(labels))
    (told,) = book.warn(data, *made)
    assert said in told
    assert book.add(data, *made).warn(data, *made) == (told,)
