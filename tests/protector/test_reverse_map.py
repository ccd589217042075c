"""Algorithm 1 for whole tables: every column of the original, permuted."""

import numpy as np
import pandas as pd
import pytest

import verikit as vk

STAGES = ("I", "II", "III", "IV")


def by_the_paper(original, masked):
    """Algorithm 1 word for word, where nothing ties: the value of X of the rank of y."""
    ranked = sorted(original)
    return [ranked[sorted(masked).index(value)] for value in masked]


def test_the_running_example_comes_out_as_printed():
    data, release = vk.load("dm_table1"), vk.published("dm_table1_masked")
    printed = vk.load("dm_table1_mapped").frame
    found = vk.reverse_map(data, release, vk.Key.of(range(20)), seed=3)
    assert found.frame.to_numpy().tolist() == printed.to_numpy().tolist()
    order = np.random.default_rng(1).permutation(20)
    moved = vk.TableRelease.of(release.frame.iloc[order], release.schema)
    again = vk.reverse_map(data, moved, vk.Key.of(np.argsort(order)), seed=9)
    assert again.frame.equals(found.frame)


def test_ordered_words_are_mapped_as_words_by_every_way_to_reverse_map():
    own, masked = ["I", "III", "II", "IV"], ["II", "IV", "I", "III"]
    stage = vk.Column("stage", kind="ordinal", order=STAGES)
    schema = vk.Schema((stage, vk.Column("age")))
    data = vk.Microdata(pd.DataFrame({"stage": own, "age": [1, 2, 3, 4]}), schema)
    shown = pd.DataFrame({"stage": ["II", "IV", "I", "I"], "age": [30, 40, 10, 20]})
    expected = [STAGES[s] for s in (2, 3, 0, 1)], [STAGES[s] for s in (2, 3, 1, 0)]  # two tie
    found = vk.reverse_map(data, vk.TableRelease.of(shown, schema), vk.Key.of(range(4)), seed=1)
    assert found.frame["stage"].tolist() in expected
    assert found.frame["age"].tolist() == [3, 4, 1, 2]
    noise = vk.utility.residual_noise(data, vk.Microdata(shown, schema), seed=1)
    assert noise.mapped["stage"].tolist() in expected
    assert list(noise.residual) == ["age"]
    column = vk.ranks.reverse_map(own, masked, order=STAGES, seed=1)
    assert column.tolist() == by_the_paper(own, masked) == ["II", "IV", "I", "III"]
    with pytest.raises(vk.RecordError, match="'V' is not in the order given"):
        vk.ranks.reverse_map(own, ["I", "II", "III", "V"], order=STAGES, seed=1)


def test_values_without_an_order_are_ranked_by_how_central_they_are():
    # without a tree the most frequent is the most central: a, then b, then c
    town = vk.Schema((vk.Column("town", kind="nominal"),))
    data = vk.Microdata(pd.DataFrame({"town": list("aaabbc")}), town)
    shown = vk.TableRelease.of(pd.DataFrame({"town": list("aacccb")}), town)
    found = vk.reverse_map(data, shown, vk.Key.of(range(6)), seed=1).frame["town"].tolist()
    # ranks: a 1-2, b 3, c 4-6; the original has a at 1-3, b at 4 and 5, c at 6
    assert found[:2] == ["a", "a"]
    assert found[5] == "a"
    assert sorted(found[2:5]) == ["b", "b", "c"]


@pytest.mark.parametrize("method", vk.mask.METHODS.values(), ids=lambda m: m.name)
def test_every_method_leaves_a_permutation_of_every_column(method):
    rng = np.random.default_rng(4)
    tree = vk.Hierarchy.of({"any": {"care": ["nurse", "doctor"], "law": ["judge", "clerk"]}})
    frame = pd.DataFrame({"age": rng.permutation(24) + 20, "stage": [*STAGES] * 6})
    sensitive = "pay" if method.name == "permute_sensitive" else "job"
    columns = [vk.Column("age"), vk.Column("stage", kind="ordinal", order=STAGES)]
    if sensitive == "pay":
        frame["pay"] = rng.permutation(24) * 10
        columns.append(vk.Column("pay", "sensitive"))
    else:
        frame["job"] = ["nurse", "doctor", "judge", "clerk"] * 6
        columns.append(vk.Column("job", "sensitive", "nominal", tree))
    data = vk.Microdata(frame, vk.Schema(tuple(columns)))
    if method.name in ("noise", "microaggregate"):
        data = data.only("age")
    given = {n: a(data) if callable(a) else a for n, a in method.example.items()}
    release, key = method.function(data, **given, seed=7)
    found = vk.reverse_map(data, release, key, seed=2)
    assert found.schema.names == data.schema.names
    for name in data.frame:
        assert sorted(found.frame[name]) == sorted(data.frame[name])
    order = rng.permutation(24)
    mixed = vk.reverse_map(data.take(order), release, key.take(order), seed=2)
    assert mixed.frame.astype(str).equals(
        found.frame.iloc[order].reset_index(drop=True).astype(str)
    )
    if method.promise == "another order" and not release.by_groups:  # nothing but a permutation
        assert found.frame.astype(str).equals(key.undo(release).frame.astype(str))


def test_rows_that_no_rank_corresponds_to_are_refused():
    data = vk.load("dm_table1")
    sample = vk.TableRelease.of(data.frame.iloc[:19], data.schema)
    with pytest.raises(
        vk.RecordError, match="20 records, the release 19 rows and the key 19 pairs"
    ):
        vk.reverse_map(data, sample, vk.Key.of([*range(19), -1]), seed=1)
