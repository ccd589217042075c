"""Example arguments of every public function that is held to a contract.

A new function needs one line here: its name with its room, and one or more ways to call it. As in
the example of a mask, a callable makes an argument from the table at hand.
"""

import warnings

import numpy as np
import pandas as pd

import verikit as vk

SEED = 918_273_645
ROOMS = ("partition", "lattice", "models", "utility", "intruder")


def itself(data):
    return data


def groups(data):
    return vk.partition.mondrian(data, k=2)


def two_values(_data):
    return vk.models.Requirement("frequency_diversity", ell=2)


def masked(data):
    """Every value makes way for another, by a rule that looks at nothing but the value."""
    frame = data.frame.copy()
    for column in data.schema:
        if column.kind == "numeric":
            frame[column.name] = frame[column.name] * 37 % 11
        else:
            codes, found = data.codes(column.name)
            names = np.array([*found, None], object)
            following = np.where(codes < 0, -1, (codes + 1) % max(len(found), 1))
            frame[column.name] = names[following]
    return vk.Microdata(frame, data.schema)


def released(data, method=""):
    """The records as they are, in an order of their own."""
    frame = data.frame.iloc[data.canonical_order()]
    return vk.TableRelease.of(frame, data.schema, method=method)


def moved(data):
    return released(masked(data))


def first_column(data):
    return data.only(data.schema.names[0])


def half(data):
    return data.take(data.canonical_order()[::2])


def any_column(data):
    return data.schema.names[-1]


def noisy(data):
    return vk.mask.noise(first_column(data), scale=0.5, seed=SEED).release


def swapped(data):
    return vk.mask.rank_swap(first_column(data), percent=40, seed=SEED).release


def exchanged(data):
    names = [data.schema.names[-1]]
    return vk.mask.swap(data, match=[], swap=names, rate=0.5, seed=SEED).release


def two_guarantees(data):
    return [vk.models.guarantee(exchanged(data))] * 2


def generalized(data):
    return vk.mask.generalize(data, partition=groups(data), seed=SEED).release


def buckets(data):
    return vk.partition.anatomy(data, ell=2, seed=SEED)


def anatomized(data):
    return vk.mask.anatomize(data, partition=buckets(data), seed=SEED).release


def learned(data):
    return vk.intruder.learned_values(anatomized(data))


def cut_by_entropy(data):
    cut = vk.partition.entropy_diverse(data, ell=2)
    return vk.mask.anatomize(data, partition=cut, seed=SEED).release


def permuted(data):
    return vk.mask.permute_all(data, partition=buckets(data), seed=SEED).release


def split_and_whole(data):
    """Two releases of the same people: by groups, and with what is known generalized."""
    return anatomized(data), generalized(data)


def entered(data):
    """What was published of the records before."""
    made = vk.mask.anatomize(data, partition=buckets(data), seed=SEED)
    return vk.release.Ledger().add(data, *made)


def graph(data):
    """Records by their place among the sorted ones, each linked to its values."""
    frame = data.frame.iloc[data.canonical_order()]
    pairs = [
        (f"record {place}", f"{name} {value}")
        for place, record in enumerate(frame.itertuples(index=False))
        for name, value in zip(data.schema.names, record, strict=True)
    ]
    return vk.BipartiteGraph.of(pd.DataFrame(pairs, columns=["record", "value"]))


def singles(data):
    return vk.Partition.of(np.arange(len(graph(data).left)))


def grouped(data):
    return vk.mask.group_nodes(graph(data), 1, 1, seed=SEED).release


def first_link(data):
    return [tuple(graph(data).to_frame().iloc[0])]


def target(data):
    return vk.mask.METHODS["disguise"].example["hierarchy"](data)


def disguised(data):
    """Two tables that show a target; where few records leave only the root, none the less."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return vk.mask.disguise(data, hierarchy=target(data), seed=SEED).release


def before(data):
    return released(data.take(data.canonical_order()[:-2]))


def after(data):
    return released(data.take(data.canonical_order()[2:]))


def every_other(start):
    """A release of every other column that is known, and of all that is sensitive."""

    def of(data):
        known = [c.name for c in data.schema if c.role != "sensitive"][start::2]
        return released(data.only(*known, *(c.name for c in data.schema.sensitive)))

    return of


def known_people(data):
    """What somebody knows of three people."""
    names = [column.name for column in data.schema.quasi]
    return data.frame[names].iloc[data.canonical_order()[:3]]


def one_value(data):
    return str(data.codes(data.schema.sensitive[0].name)[1][0]) if data.schema.sensitive else "x"


def questions(data):
    return vk.utility.workload(data, queries=4, conditions=1, selectivity=0.5, seed=SEED).queries


def redrawn(data):
    return vk.mask.randomize(data, changed=1, seed=SEED).release


def first_known(data):
    return [column.name for column in data.schema.quasi][:1]


def values_of(data, place):
    names = [column.name for column in data.schema.quasi]
    rows = data.frame[names].iloc[data.canonical_order()[place]]
    return next(iter(rows.to_dict("records")), {})


def first_person(data):
    """The quasi-identifying values of somebody."""
    return values_of(data, slice(None, 1))


def last_person(data):
    return values_of(data, slice(-1, None))


TABLES_OF_MODELS = (itself, generalized, permuted)
each_model = [{"release": table} for table in TABLES_OF_MODELS]
pair = {"data": itself, "release": moved}
LINKING = ("maximum_rank", "assignment", "normal_scores")

EXAMPLES = {
    "partition.anatomy": [
        {"data": itself, "ell": 2, "seed": SEED},
        {"data": itself, "ell": 2, "alike": 4, "seed": SEED},
    ],
    "partition.continued": [{"ledger": entered, "data": itself, "ell": 2, "seed": SEED}],
    "partition.diverse": [
        {"data": itself, **asked, "seed": SEED}
        for asked in (
            {"ell": 2, "corners": "table"},
            {"ell": 2, "corners": "part"},
            {"requirement": two_values},
        )
    ],
    "partition.entropy_diverse": [{"data": itself, "ell": 2}],
    "partition.max_groups": [{"data": itself, "k": 2, "e": 1, "seed": SEED}],
    "partition.min_max_error": [
        {"data": itself, "k": 2, "e": 1, "overlapping": wide, "seed": SEED}
        for wide in (False, True)
    ],
    "partition.min_sum_error": [{"data": itself, "k": 2, "e": 1, "seed": SEED}],
    "partition.mondrian": [
        {"data": itself, **asked, "seed": SEED}
        for asked in (
            {"k": 2, "relaxed": True},
            {"k": 2, "relaxed": False},
            {"requirement": two_values},
        )
    ],
    "partition.sequential": [{"data": itself, "k": 2, "e": 1, "seed": SEED}],
    "partition.safe_groups": [
        {"graph": graph, "side": side, "k": 1, "order": order, "seed": SEED}
        for side, order in (("left", "degree"), ("right", "random"))
    ],
    "lattice.classify": [
        {"data": itself, "k": 2},
        {"data": itself, "requirement": two_values, "suppression": 0.1},
    ],
    "lattice.datafly": [{"data": itself, "k": 2, "suppression": 0.2}],
    "lattice.incognito": [{"data": itself, "k": 2}],
    "lattice.k_optimize": [{"data": itself, "k": 2, "cuts": cuts} for cuts in ("levels", "values")],
    "lattice.samarati": [
        {"data": itself, "k": 2, "suppression": 0.2},
        {"data": itself, "requirement": two_values},
    ],
    "models.add_guarantees": [{"guarantees": two_guarantees}],
    "models.amplification": [{"release": redrawn}, {"release": redrawn, "original": itself}],
    "models.conversion_chance": [
        {"data": itself, "before": first_person, "after": last_person, "changed": changed}
        for changed in (1, 2)
    ],
    "models.distance": [{"values": list("aab"), "whole": list("abc")}],
    "models.distinct_diversity": [{**some, "ell": 2} for some in each_model],
    "models.entropy_diversity": [{**some, "ell": 1.5} for some in each_model],
    "models.frequency_diversity": [{**some, "ell": 2} for some in each_model],
    "models.guarantee": [{"release": table} for table in (swapped, exchanged, generalized)],
    "models.k_anonymity": [{**some, "k": 2} for some in each_model],
    "models.ke_anonymity": [{**some, "k": 2, "e": 1} for some in each_model],
    "models.permuted_privacy": [
        {"data": itself, "masked": masked, "distance": 1},
        {"data": itself, "masked": masked, "distance": 1, "diversity": 1, "criterion": "distinct"},
    ],
    "models.personal_respect": [{"release": disguised, "data": itself, "requirement": 1}],
    "models.perturbation_diversity": [
        {"table": itself},
        {"table": itself, "changed": 2},
        {"table": itself, "probabilities": "equal"},
        {"table": redrawn},
    ],
    "models.price_matrix": [{"matrix": redrawn, "names": first_known}],
    "models.recursive_diversity": [{**some, "ell": 2, "c": 2} for some in each_model],
    "models.safe_grouping": [{"graph": graph, "side": "left", "groups": singles}],
    "models.t_closeness": [
        {"release": generalized, "t": 0.2, "ground": ground}
        for ground in ("equal", "ordered", "hierarchical")
    ] + [{"release": permuted}],
    "models.target_privacy": [{"release": disguised}],
    "utility.information_loss": [
        {"data": itself, "release": release} for release in (moved, generalized, anatomized)
    ],
    "utility.ncp": [{"data": itself, "release": release} for release in (groups, generalized)],
    "utility.rank_correlation": [{"data": itself, "masked": masked}],
    "utility.rce": [
        {"data": itself, "partition": buckets, "permuted": permuted} for permuted in (True, False)
    ],
    "utility.relative_error": [
        {"data": itself, "release": release, "queries": questions}
        for release in (moved, anatomized, permuted)
    ],
    "utility.residual_noise": [{"data": itself, "masked": masked, "seed": SEED}],
    "utility.rules_kept": [
        {"data": itself, "release": release, "support": 0.15, "what": what}
        for release in (moved, anatomized, permuted)
        for what in ("rules", "sets")
    ],
    "utility.support_change": [
        {"data": itself, "values": first_person, "changed": changed} for changed in (1, 2)
    ],
    "utility.workload": [
        {"data": itself, "queries": 5, "conditions": 2, "exponent": exponent, "seed": SEED}
        for exponent in ("corrected", "printed")
    ],
    "intruder.attribute_inference": [
        {"data": itself, "release": moved, "secret": any_column, "control": half},
    ],
    "intruder.background_knowledge": [
        {"release": itself, "people": known_people, "value": one_value},
        {"release": moved, "ruled_out": lambda data: [one_value(data)]},
    ],
    "intruder.complementary_release": [{"first": every_other(0), "second": every_other(1)}],
    "intruder.explain_guess": [{"found": learned, "person": 0}],
    "intruder.find_records": [pair, {"data": itself, "release": released, "places": 0}],
    "intruder.fingerprints": [
        {"graph": graph, "release": grouped, "side": side, "by": by}
        for side in ("left", "right")
        for by in ("count", "neighbours", "names")
    ],
    "intruder.homogeneity": [
        {"release": itself},
        {"release": moved, "people": known_people},
        {"release": permuted, "least": 0.5},
    ],
    "intruder.learned_links": [{"release": grouped, "known": first_link}],
    "intruder.learned_values": [
        {"release": anatomized},
        {"release": permuted, "people": itself},
        {"release": generalized, "people": itself},
        {"release": generalized},
    ],
    "intruder.link": [
        *({**pair, "attack": attack} for attack in LINKING),
        {"data": first_column, "release": noisy, "attack": "published_mechanism"},
        {**pair, "attack": "strongest"},
        {"data": itself, "release": redrawn, "attack": "likelihood"},
        {"data": first_column, "release": swapped, "attack": "undo_pairs"},
    ],
    "intruder.link_by_subset": [
        *({**pair, "attack": attack} for attack in LINKING),
        {"data": itself, "release": redrawn, "attack": "likelihood"},
    ],
    "intruder.membership": [{"data": itself, "release": moved, "control": half}],
    "intruder.memorized": [{"data": itself, "release": moved, "control": itself}],
    "intruder.own_estimate": [pair, {"data": first_column, "release": noisy}],
    "intruder.permuted_links": [{"graph": graph, "seed": SEED}],
    "intruder.plausibility": [
        *({**pair, "null": null, "draws": 200, "seed": SEED} for null in (
            "exact", "karp_luby", "closed_form", "monte_carlo", "leave_one_out", "conformal"
        )),
        {"data": moved, "seed": SEED},
    ],
    "intruder.presence": [{"data": itself, "release": split} for split in (anatomized, permuted)],
    "intruder.repeated_partition": [{"release": anatomized}, {"release": cut_by_entropy}],
    "intruder.signatures": [{"graph": graph}],
    "intruder.prior_knowledge": [{"data": itself, "release": redrawn}],
    "intruder.proximity": [
        {"release": itself, "near": 1},
        {"release": moved, "near": 1, "ruled_out": 1, "least": 0.5, "people": known_people},
        {"release": permuted, "near": 0, "ruled_out": 1, "least": 0},
    ],
    "intruder.put_together": [
        {"releases": split_and_whole},
        {"releases": split_and_whole, "people": itself},
    ],
    "intruder.similarity": [{"release": itself, "least": 0.5}, {"release": generalized}],
    "intruder.skewness": [
        {"release": itself},
        {"release": generalized, "people": known_people, "gain": 0.1},
        {"release": permuted, "values": lambda data: [one_value(data)]},
    ],
    "intruder.target_chance": [{"data": itself, "release": disguised}],
    "intruder.temporal": [{"before": before, "after": after}],
    "intruder.undo_pairs": [
        {"data": itself, "release": released},
        {"data": first_column, "release": swapped},
    ],
    "intruder.unsorted_matching": [{"data": itself, "release": released}],
    "intruder.value_chance": [
        {"data": itself, "release": split} for split in (anatomized, permuted)
    ],
}  # fmt: skip

BY_PLACE = {  # the order of the rows is what is read; a person is named by her place
    "intruder.unsorted_matching",
    "intruder.explain_guess",
}
SLOW = {  # hundreds of masks; millions of cuts
    ("intruder.link", 3),
    ("intruder.own_estimate", 1),
    ("lattice.k_optimize", 1),
}
