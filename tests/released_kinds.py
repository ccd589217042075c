"""A table with people in it, published in each of the ways that the page can judge."""

from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd

import verikit as vk

RECORDS = 12_000
NAMES = ("age", "zip", "sex", "pay", "illness")
KINDS = (
    "masked",
    "generalized",
    "split",
    "shuffled",
    "drawn",
    "numbers",
    "graph",
    "target",
    "indexed",
)


@cache
def people(names=NAMES, records=RECORDS):
    """A table with a rare value, so that counts have five digits and shares are small."""
    rng = np.random.default_rng(1)
    values = (
        rng.integers(17, 91, records),
        rng.choice(["13053", "13068", "14850", "14853"], records),
        rng.choice(["Female", "Male"], records, p=[0.9, 0.1]),
        rng.integers(20_000, 90_000, records) / 8,
        rng.choice(["flu", "cancer", "ulcer"], records, p=[0.4, 0.4, 0.2]),
    )
    frame = pd.DataFrame(dict(zip(names, values, strict=True)))
    kinds = ("numeric", "nominal", "nominal", "numeric", "nominal")
    roles = ("quasi", "quasi", "quasi", "other", "sensitive")
    columns = [vk.Column(n, r, kind=k) for n, r, k in zip(names, roles, kinds, strict=True)]
    return vk.Microdata(frame, vk.Schema(tuple(columns)))


@cache
def released(kind, names=NAMES, records=RECORDS):
    """A release of a kind, or its index, and the record of one person in the table."""
    data = people(names, records)
    groups = {"partition": vk.partition.anatomy(data, ell=2, seed=2), "seed": 3}
    if kind == "generalized":
        found = vk.mask.generalize(data, partition=vk.partition.mondrian(data, k=50), seed=3)
    elif kind == "numbers":
        columns = [replace(c, role="sensitive") if c.name == names[3] else c for c in data.schema]
        columns = [replace(c, role="other") if c.name == names[4] else c for c in columns]
        data = vk.Microdata(data.frame, vk.Schema(tuple(columns)))
        found = vk.mask.anatomize(data, partition=vk.partition.mondrian(data, k=5), seed=3)
    elif kind == "target":
        tree = vk.Hierarchy.of({"ill": {"mild": ["flu", "ulcer"], "grave": ["cancer"]}})
        schema = [replace(c, hierarchy=tree) if c.name == names[4] else c for c in data.schema]
        found = vk.mask.disguise(
            vk.Microdata(data.frame, vk.Schema(tuple(schema))), hierarchy=tree, seed=3
        )
    elif kind == "graph":
        pairs = data.frame[[names[0], names[4]]].astype(str).drop_duplicates()
        graph = vk.BipartiteGraph.of(pairs.reset_index(drop=True))
        found = vk.mask.group_nodes(graph, 2, 1, groups="one", seed=3)
        return found.release, pairs.iloc[0].to_dict()
    elif kind == "drawn":
        found = vk.mask.randomize(data, changed=2, seed=3)
    elif kind in ("split", "shuffled"):
        found = (vk.mask.anatomize if kind == "split" else vk.mask.permute_all)(data, **groups)
    else:
        frame = data.frame[[names[0], names[3]]]
        data = vk.Microdata(frame, vk.Schema((vk.Column(names[0]), vk.Column(names[3]))))
        found = vk.mask.rank_swap(data, percent=5, seed=3)
    release = vk.index(found.release, bits=3) if kind == "indexed" else found.release
    return release, data.record(0)
