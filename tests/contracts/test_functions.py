"""What every partitioner, search, model, measure and attack must keep: newcomers are found here."""

import dataclasses
import functools
import importlib
import inspect
import itertools
import random
import re
import typing
import warnings

import numpy as np
import pandas as pd
import pytest
from _examples import BY_PLACE, EXAMPLES, ROOMS, SEED, SLOW
from _same import READINGS, plain, told
from _tables import DTYPES, LABELS, TABLES, UNLUCKY, again, tagged

import verikit as vk

GROUP = "Group-ID"  # what names a group is a name: 3 and "3" are two
PLACE = "tests/contracts/_examples.py"
SENTENCE = re.compile(r"""["'A-Za-z0-9-].{10,}\.""", re.DOTALL)


def public_functions():
    """The functions that the rooms offer, by name."""
    rooms = {room: importlib.import_module(f"verikit.{room}") for room in ROOMS}
    offered = ((f"{room}.{name}", getattr(module, name))
               for room, module in rooms.items() for name in module.__all__)  # fmt: skip
    return {name: part for name, part in offered if inspect.isfunction(part)}


FUNCTIONS = public_functions()
CASES = [(name, at) for name in FUNCTIONS for at in range(len(EXAMPLES.get(name, ())))]
names = [f"{name}-{at}" if at else name for name, at in CASES]
each_function = pytest.mark.parametrize("name", FUNCTIONS)
each_quick_example = pytest.mark.parametrize(
    "example", [case for case in CASES if case not in SLOW], ids=lambda case: "{}-{}".format(*case)
)
each_example = pytest.mark.parametrize("example", CASES, ids=names)
parameters = {name: inspect.signature(part).parameters for name, part in FUNCTIONS.items()}


def tables_for(example):
    """The stand-ins that an example is tried on; a slow one on one of them."""
    return TABLES[-1:] if example in SLOW else TABLES


def given_for(example, data):
    """The arguments of an example for a table."""
    name, at = example
    return {n: a(data) if callable(a) else a for n, a in EXAMPLES[name][at].items()}


def call(example, given):
    function = FUNCTIONS[example[0]]
    several = [n for n, p in parameters[example[0]].items() if p.kind is p.VAR_POSITIONAL]
    told = [given.get(name, ()) for name in several]
    parts = [part for one in told for part in (one if isinstance(one, tuple) else (one,))]
    return function(*parts, **{n: part for n, part in given.items() if n not in several})


def outcome(example, given):
    """What a call comes to, in an order of its own; the sentence where it is refused."""
    try:
        return told(call(example, given), given)
    except vk.VerikitError as error:
        return str(error)


def made(example, data):
    """The arguments of an example; nothing where the table allows none."""
    try:
        return given_for(example, data)
    except vk.VerikitError:
        return None


@functools.cache
def given_of(example, table):
    """The arguments of an example for a stand-in, made once: no call may change them."""
    return made(example, table())


@functools.cache
def outcome_of(example, table):
    """What an example comes to on a stand-in; nothing where the table allows no arguments."""
    given = given_of(example, table)
    return None if given is None else outcome(example, given)


@functools.cache
def taken(example):
    """The stand-in tables that an example runs on."""
    return [t for t in tables_for(example) if isinstance(outcome_of(example, t), dict)]


def first_taken(example):
    return taken(example)[0]()


def first_given(example):
    return given_of(example, taken(example)[0])


def expected(example):
    """What an example comes to on the first table that it runs on."""
    return outcome_of(example, taken(example)[0])


def on_frames(given, change):
    """The same arguments, every frame inside them changed."""

    def changed(part):
        if isinstance(part, vk.Microdata):
            return vk.Microdata(change(part.frame), part.schema)
        if isinstance(part, vk.TableRelease):
            return dataclasses.replace(part, frame=change(part.frame))
        if isinstance(part, vk.SplitRelease):
            frames = {name: change(getattr(part, name)) for name in ("quasi", "sensitive")}
            return dataclasses.replace(part, **frames)
        if isinstance(part, tuple):
            return tuple(map(changed, part))
        return change(part) if isinstance(part, pd.DataFrame) else part

    return {name: changed(part) for name, part in given.items()}


# -- the examples ----------------------------------------------------------------------------------


@each_function
def test_a_public_function_has_an_example_here(name):
    assert EXAMPLES.get(name), f"{name} is new: add a line with its example arguments to {PLACE}"


def test_no_example_is_left_of_a_function_that_is_gone():
    assert set(EXAMPLES) == set(FUNCTIONS), f"take the line out of {PLACE}"


@each_example
def test_an_example_runs_on_one_of_the_tables_at_least(example):
    assert taken(example), f"no table of tests/contracts/_tables.py suits {example}; add one"
    given = first_given(example)
    kind = type(call(example, given)).__name__
    assert kind in READINGS, f"{kind} is new: say how to compare it in tests/contracts/_same.py"


@each_function
def test_every_choice_that_a_function_offers_has_an_example(name):
    kinds = typing.get_type_hints(FUNCTIONS[name])
    for parameter in parameters[name]:
        choices = set(typing.get_args(kinds[parameter])) - {type(None)}
        if parameter != "missing" and typing.get_origin(kinds[parameter]) is typing.Literal:
            tried = {
                example.get(parameter, parameters[other][parameter].default)
                for other in FUNCTIONS
                for example in EXAMPLES[other]
                if kinds[parameter] == typing.get_type_hints(FUNCTIONS[other]).get(parameter)
            }
            assert choices <= tried, f"{parameter}: add an example to {PLACE}"


# -- a result, or a sentence -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("example", "table"),
    [(example, table) for example in CASES for table in tables_for(example) + UNLUCKY],
    ids=lambda part: part.__name__ if callable(part) else "{}-{}".format(*part),
)
def test_every_table_gives_a_result_or_a_sentence(example, table):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        said = outcome(example, given_of(example, table)) if given_of(example, table) else None
        if not isinstance(said, dict):
            assert said is None or SENTENCE.fullmatch(said)
            return
        for part in values_of(call(example, given_of(example, table))):
            assert repr(part)
            for view in ("to_frame", "_repr_html_"):
                assert getattr(part, view, lambda: "none")() is not None


@each_quick_example
@pytest.mark.filterwarnings("ignore")
def test_no_name_and_no_value_is_shown_as_a_tag(example):
    try:
        found = call(example, given_for(example, tagged()))
    except vk.VerikitError:
        return
    for part in values_of(found):
        assert "<x>" not in getattr(part, "_repr_html_", lambda: "")()


def tabular(name):
    """The parameters of a function that take a table, a release or groups."""
    wanted = {"data", "release", "masked", "partition", "first", "second", "before", "after"}
    return [parameter for parameter in parameters[name] if parameter in wanted]


ANY_TABLE = {  # what takes a frame as it is finds another number of records in this one
    "intruder.link": {"data"},
    "models.permuted_privacy": {"data", "masked"},
    "utility.rank_correlation": {"data", "masked"},
    "utility.residual_noise": {"data", "masked"},
}


@each_function
@pytest.mark.parametrize("wrong", [None, 5, pd.DataFrame({"X": [1, 2]})], ids=repr)
def test_what_is_no_table_is_refused_in_a_sentence(name, wrong):
    example = (name, 0)
    given = first_given(example)
    for parameter in tabular(name):
        with pytest.raises(vk.VerikitError) as refused:
            call(example, {**given, parameter: wrong})
        assert SENTENCE.fullmatch(str(refused.value)), parameter
        taken = isinstance(wrong, pd.DataFrame) and parameter in ANY_TABLE.get(name, ())
        found = (
            r"(records and the masked table 2;|has 2 records|is in both tables;)"
            if taken
            else type(wrong).__name__
        )
        assert re.search(found, str(refused.value)), parameter


@each_function
@pytest.mark.parametrize("odd", [np.array([1, 2]), pd.NA], ids=["array", "NA"])
@pytest.mark.filterwarnings("ignore")
def test_what_no_parameter_takes_gives_a_result_or_a_sentence(name, odd):
    given = first_given((name, 0))
    for parameter in parameters[name]:
        said = outcome((name, 0), {**given, parameter: odd})
        assert not isinstance(said, str) or SENTENCE.fullmatch(said), parameter


@each_example
def test_a_missing_value_is_handled_or_refused_by_the_name_of_its_column(example):
    data = first_taken(example)
    for column, place in itertools.product(data.schema, (0, 3)):
        frame = data.frame.astype({column.name: object})
        frame.loc[place, column.name] = None
        given = made(example, vk.Microdata(frame, data.schema))
        found = "" if given is None else outcome(example, given)
        if isinstance(found, str) and found:
            assert repr(column.name) in found
            assert "missing" in found


# -- the same again --------------------------------------------------------------------------------


@each_example
def test_the_order_of_the_records_changes_nothing(example):
    if example[0] in BY_PLACE:
        return
    for table in taken(example):
        data = table()
        rows = np.random.default_rng(5).permutation(len(data))
        mixed = outcome(example, given_for(example, again(data, rows)))
        assert mixed == outcome_of(example, table), table.__name__


@each_example
def test_the_order_of_the_released_rows_changes_nothing(example):
    if example[0] in BY_PLACE:
        return
    rng = np.random.default_rng(6)
    for table in taken(example):
        given = given_of(example, table)
        releases = (vk.TableRelease, vk.SplitRelease)
        published = {name: part for name, part in given.items() if isinstance(part, releases)}
        if published:
            mixed = on_frames(published, lambda frame: frame.iloc[rng.permutation(len(frame))])
            assert outcome(example, given | mixed) == outcome_of(example, table), table.__name__


@each_quick_example
@pytest.mark.parametrize("index", LABELS)
def test_the_labels_of_the_index_change_nothing(example, index):
    given = first_given(example)
    other = on_frames(given, lambda frame: frame.set_axis(LABELS[index](len(frame))))
    assert outcome(example, other) == expected(example)


@each_quick_example
@pytest.mark.parametrize("dtypes", DTYPES)
def test_the_dtypes_of_the_columns_change_nothing(example, dtypes):
    if dtypes == "arrow":
        pytest.importorskip("pyarrow", reason="these dtypes need pyarrow")
    number, text = DTYPES[dtypes]

    def cast(frame):
        apart = {GROUP, *frame.select_dtypes("interval")}
        plain = [name for name in frame if name not in apart]
        numbers = {n for n in plain if pd.api.types.is_numeric_dtype(frame[n])}
        return frame.astype({n: number if n in numbers else text for n in plain})

    assert outcome(example, on_frames(first_given(example), cast)) == expected(example)


@each_quick_example
def test_neither_the_input_nor_the_global_state_is_touched(example):
    given = first_given(example)
    before = plain(given)
    state, python_state = np.random.get_state(), random.getstate()  # noqa: NPY002
    errors, filters = np.geterr(), list(warnings.filters)
    call(example, given)
    assert plain(given) == before
    assert all(map(np.array_equal, np.random.get_state(), state))  # noqa: NPY002
    assert random.getstate() == python_state
    assert (np.geterr(), list(warnings.filters)) == (errors, filters)


@each_quick_example
def test_the_same_call_gives_the_same_result(example):
    assert outcome(example, given_for(example, first_taken(example))) == expected(example)


SEEDED = [name for name in FUNCTIONS if "seed" in parameters[name]]


@pytest.mark.parametrize("name", SEEDED)
@pytest.mark.parametrize("seed", [True, -1, 7.0, "7", None])
def test_a_seed_that_is_no_whole_number_is_refused(name, seed):
    example = (name, 0)
    given = first_given(example)
    with pytest.raises(vk.VerikitError, match=rf"seed was given as {seed!r}; expected a whole"):
        call(example, {**given, "seed": seed})


@pytest.mark.parametrize("name", SEEDED)
def test_a_seed_may_be_a_numpy_integer_and_is_named_by_keyword(name):
    example = (name, 0)
    given = first_given(example)
    other = {**given, "seed": np.int64(given["seed"])}
    assert outcome(example, other) == outcome(example, given)
    assert parameters[name]["seed"].kind is inspect.Parameter.KEYWORD_ONLY


# -- what can be asked for -------------------------------------------------------------------------


SIZED = [
    (name, size)
    for name in FUNCTIONS
    for size in {"k", "ell"} & set(parameters[name])
    if name.startswith(("partition.", "lattice."))
]
OF_TABLES = [(name, size) for name, size in SIZED if "data" in parameters[name]]


@pytest.mark.parametrize(("name", "size"), OF_TABLES)
def test_groups_larger_than_the_table_are_refused_by_the_largest_that_can_be_reached(name, size):
    example = (name, 0)
    given = first_given(example)
    with pytest.raises(vk.InfeasibleError) as refused:
        call(example, {**given, size: len(given["data"]) + 1})
    most = int(re.search(rf"largest {size} that can be reached is (\d+)\.", str(refused.value))[1])
    call(example, {**given, size: most})
    with pytest.raises(vk.InfeasibleError, match=f"reached is {most}"):
        call(example, {**given, size: most + 1})


@pytest.mark.parametrize(("name", "size"), SIZED)
@pytest.mark.parametrize("wrong", [0, -1, 1.5, "2", True, None])
def test_a_size_that_is_no_whole_number_is_refused(name, size, wrong):
    example = (name, 0)
    given = first_given(example)
    with pytest.raises(vk.VerikitError, match=rf"{size} was given as {wrong!r}; expected a whole"):
        call(example, {**given, size: wrong})


@pytest.mark.parametrize("name", [n for n in FUNCTIONS if n.startswith("models.")])
def test_a_model_that_asks_for_more_than_there_are_records_is_not_met(name):
    example = (name, 0)
    given = first_given(example)
    for size in {"k", "ell"} & set(parameters[name]):
        assert call(example, {**given, size: len(given["release"]) + 1}).met is False


@pytest.mark.parametrize("name", [n for n in FUNCTIONS if n.startswith("partition.")])
def test_a_partition_holds_every_record_in_groups_as_large_as_asked_for(name):
    for at in range(len(EXAMPLES[name])):
        for table in taken((name, at)):
            given = given_for((name, at), table())
            found = call((name, at), given)
            assert isinstance(found, vk.Partition)
            held = given["data"] if "data" in given else given["graph"].side(given["side"])
            assert len(found.labels) == len(held)
            assert found.sizes.min() >= given.get("k", given.get("ell", 1))
            by = " by requirement" if "requirement" in given else ""
            assert found.method == name.partition(".")[2] + by
            told = set(parameters[name]) - {"data", "graph", "ledger", "seed", "missing"}
            told -= {"requirement"} if not by else {"ell"} if "diverse" in name else set()
            assert told <= set(found.parameters) <= told | {"sensitive"}


# -- what comes back -------------------------------------------------------------------------------


def values_of(found):
    """The results in a result; a bare number is none that could be changed or described."""
    if isinstance(found, float):
        return []
    return list(found.values()) if isinstance(found, dict) else [found]


@each_example
def test_a_result_is_frozen(example):
    for value in values_of(call(example, first_given(example))):
        if isinstance(value, pd.Series):
            continue
        for field in dataclasses.fields(value):
            with pytest.raises((AttributeError, TypeError)):
                setattr(value, field.name, getattr(value, field.name))
        with pytest.raises((AttributeError, TypeError)):
            value.added = 1


@each_example
def test_a_result_says_in_few_words_what_it_is_and_no_seed(example):
    for value in values_of(call(example, first_given(example))):
        said = repr(value)
        assert re.search(r"[A-Za-z]{3}", said)
        assert " at 0x" not in said
        assert len(said) <= 800
        assert str(SEED) not in said + str(getattr(value, "parameters", ""))
        if not isinstance(value, pd.Series):
            assert not re.match(rf"{type(value).__name__}\(\w+=", said), "a record of fields"
