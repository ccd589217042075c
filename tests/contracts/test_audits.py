"""Every mask can be audited, and nothing that says nothing changes the result."""

from dataclasses import replace

import pytest
from _tables import TABLES
from test_masks import each_mask, refusal, run

import verikit as vk
from verikit.protector import correct_links

each_table = pytest.mark.parametrize("table", TABLES, ids=lambda table: table.__name__)


def figures(data, release, key):
    """What an audit and the paper's attack count, by column, whatever the order of columns."""
    report = vk.audit(data, release, key, subject_view=False)
    found = correct_links(vk.link(data, release), key)
    return {
        "places": {n: report.protector[:, j].tolist() for j, n in enumerate(report.attributes)},
        "links": (found.count, round(found.guessed, 9), found.several, found.wrong),
        "left": sorted(report.not_compared),
    }


@each_mask
@each_table
@pytest.mark.filterwarnings("ignore")
def test_each_mask_is_audited_whatever_the_table(method, table):
    data = table()
    if refusal(method, data) or data.frame.isna().any(axis=None):
        return
    release, key = run(method, data)
    report = vk.audit(data, release, key)
    shared = [name for name in data.schema.names if name in release.schema.names]
    assert sorted(report.attributes) == sorted(shared)
    assert report.not_compared == ()
    links = vk.link(data, release)
    by_rank = correct_links(links, key)
    assert 0 <= by_rank.guessed <= len(data)
    assert report.exposure.found.count >= by_rank.count  # the strongest attack is no weaker
    if method.promise == "covers" or release.by_groups:  # nobody left her cells or her group
        assert (report.protector == 0).all()
        own = [key.rows[i] in links.of(i)["row"].to_numpy() - 1 for i in range(len(data))]
        assert all(own)
        assert report.undefined
        assert repr(report).startswith("A row is read as any record that ")
    assert report.html() + report.html(internal=True) + report.json(internal=True)


def reorder_siblings(tree):
    return None if tree is None else vk.Hierarchy(dict(reversed(tree.levels.items())), tree.weights)


def with_columns(table, columns):
    """A table, or a release, under another description of its columns, in their order."""
    schema = vk.Schema(tuple(columns))
    if isinstance(table, vk.Microdata):
        return vk.Microdata(table.frame[list(schema.names)], schema)
    if not table.by_groups:
        return replace(table, frame=table.frame[list(schema.names)], schema=schema)
    return replace(table, schema=schema)


@each_mask
@each_table
@pytest.mark.filterwarnings("ignore")
def test_neither_the_order_of_columns_nor_of_siblings_changes_an_audit(method, table):
    data = table()
    if refusal(method, data) or data.frame.isna().any(axis=None):
        return
    release, key = run(method, data)
    plain = figures(data, release, key)
    for change in (
        lambda columns: columns[::-1],
        lambda columns: [replace(c, hierarchy=reorder_siblings(c.hierarchy)) for c in columns],
    ):
        changed = [with_columns(part, change(list(part.schema))) for part in (data, release)]
        assert figures(*changed, key) == plain


def other_names(data, factor=2):
    """Longer names for all categories, which sort as before, and numbers in halves of the unit."""
    frame, columns = data.frame.copy(), []
    for column in data.schema:
        values = data.frame[column.name]
        if column.kind == "numeric":
            frame[column.name] = values * factor
            columns.append(replace(column, hierarchy=None))
            continue
        frame[column.name] = values.astype(object).map(lambda value: f"n{value}")
        levels = {
            f"n{leaf}": tuple(f"n{name}" for name in path)
            for leaf, path in (column.hierarchy.levels if column.hierarchy else {}).items()
        }
        order = None if column.order is None else tuple(f"n{name}" for name in column.order)
        tree = vk.Hierarchy(levels) if levels else None
        columns.append(replace(column, hierarchy=tree, order=order))
    return vk.Microdata(frame, vk.Schema(tuple(columns)))


@each_mask
@each_table
@pytest.mark.filterwarnings("ignore")
def test_neither_names_of_categories_nor_units_change_an_audit(method, table):
    data = table()
    if refusal(method, data) or data.frame.isna().any(axis=None):
        return
    named, plain = other_names(data), run(method, data)
    if method.promise == "changed":  # such masks may round, which is not the audit's
        made = run(method, other_names(data, factor=1))
        numbers = [c.name for c in named.schema if c.kind == "numeric"]
        frame = made.release.frame.assign(**{n: made.release.frame[n] * 2 for n in numbers})
        changed = vk.release.Masked(replace(made.release, frame=frame), made.key)
    else:
        changed = run(method, named)
    if (plain.key.rows != changed.key.rows).any():
        return  # what the mask itself draws by names is not the audit's
    assert figures(named, *changed) == figures(data, *plain)
