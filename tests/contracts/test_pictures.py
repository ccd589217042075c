"""Every result has a picture, or stands in a short list with the reason why it has none."""

import copy
import pickle
import subprocess
import sys

import pandas as pd
import pytest
from _examples import (
    EXAMPLES,
    anatomized,
    disguised,
    generalized,
    graph,
    grouped,
    permuted,
    redrawn,
)
from _same import READINGS, plain
from _tables import earners, numbers, people
from test_functions import call, given_for

import verikit as vk
from verikit._support.plotted import Plotted
from verikit.errors import FormatError, RecordError, SchemaError, VerikitError

pytest.importorskip("matplotlib", reason="the extra jupyter is not installed")

from verikit.plot import Picture
from verikit.plot._results import PICTURES

A_FEW_NUMBERS = "a few numbers, which its sentence says"
A_LIST = "a list of names, which a table shows"
WITHOUT = {
    "Classified": "the nodes of a lattice, which the widget LatticeView draws",
    "FoundRecords": A_FEW_NUMBERS,
    "GroupingVerdict": A_LIST,
    "Guarantee": A_FEW_NUMBERS,
    "MatrixPrice": A_FEW_NUMBERS,
    "LearnedLinks": A_LIST,
    "PermutedLinks": A_LIST,
    "PerturbationDiversity": A_FEW_NUMBERS,
    "Series": "pandas draws it",
    "SupportChange": A_FEW_NUMBERS,
    "Workload": A_LIST,
    "dict": "its parts have pictures",
    "float": A_FEW_NUMBERS,
}
NAMED = {kind.__name__ for kind in PICTURES}


def of_functions():
    """The first result with a picture of each function that has examples."""
    for name, examples in EXAMPLES.items():
        for at in range(min(len(examples), 3)):
            yield pytest.param(name, at, id=f"{name}-{at}")


def made(name, at):
    """A result on the first table that an example can be made of, and what it was made of."""
    for table in (people, earners, numbers):
        try:
            given = given_for((name, at), table())
            return call((name, at), given), given
        except VerikitError:
            continue
    return pytest.fail(f"no table serves {name}")


def titled(axis):
    """Whether it is said what an axis shows: by a title, or by a word at each tick."""
    words = [part.get_text() for part in axis.get_ticklabels()]
    return bool(axis.label.get_text()) or any(word.isalpha() for word in "".join(words).split())


def state(result):
    return repr(result) if isinstance(result, vk.Links) else plain(result)


def drawn(result, **options):
    """The figure of a result, which is left as it was; each panel has titled axes and marks."""
    before = state(result)
    figure = result.plot(**options)
    assert state(result) == before
    assert len(figure.get_label()) > 20
    for panel in figure.axes:
        inner = panel.get_subplotspec().colspan.start > 0
        assert titled(panel.xaxis)
        assert titled(panel.yaxis) or inner
        assert panel.lines or panel.patches or panel.collections
    return figure


def test_every_result_of_the_contracts_has_a_picture_or_a_reason():
    assert set(READINGS) - NAMED == set(WITHOUT)


def below(kind):
    """The classes of verikit that inherit from one, at any depth, by name."""
    own = {kind.__name__} if kind.__module__.startswith("verikit") else set()
    return own.union(*(below(part) for part in kind.__subclasses__()))


def test_every_type_with_a_picture_says_so_and_no_other_does():
    assert all(issubclass(kind, Plotted) for kind in PICTURES)
    assert below(Plotted) - {"Plotted", "Framed", "Published"} == NAMED


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "at"), list(of_functions()))
def test_what_a_function_finds_is_drawn_or_refused_in_a_sentence(name, at):
    result, _ = made(name, at)
    if type(result).__name__ in WITHOUT:
        assert not isinstance(result, Plotted)
        return
    empty = type(result).__name__ == "Disclosure" and not len(result.frame)
    if empty:
        with pytest.raises(RecordError, match="found nothing"):
            result.plot()
    else:
        drawn(result)


TABLES = [people, earners, numbers]
RELEASES = [anatomized, permuted, redrawn, disguised, grouped, graph]


@pytest.mark.parametrize("table", TABLES, ids=lambda part: part.__name__)
def test_a_table_is_drawn_column_by_column(table):
    data = table()
    assert len(drawn(data).axes) == len(data.columns)
    assert len(drawn(data, columns=[data.columns[0]]).axes) == 1


@pytest.mark.parametrize("release", RELEASES, ids=lambda part: part.__name__)
def test_a_release_is_drawn(release):
    drawn(release(people()))


def as_it_is(data):
    return vk.TableRelease.of(data.frame, data.schema)


@pytest.mark.parametrize(
    "release", [anatomized, generalized, permuted, redrawn, disguised, as_it_is]
)
def test_a_report_draws_the_persons_ranks_or_those_like_her_beside_the_others(release):
    data = people()
    drawn(vk.check(data.record(0), release(data)))


def audited(**options):
    return vk.audit(
        vk.load("dm_table1"), vk.published("dm_table1_masked"), vk.Key.of(range(20)), **options
    )


OTHERS = {
    "audit": audited,
    "audit without subjects": lambda: audited(subject_view=False),
    "choice": lambda: vk.choose(
        vk.load("dm_table1"), "rank_swap", vk.Goal(links=1, attack="maximum_rank"), seed=7
    ),
    "exposure": lambda: audited().exposure,
    "links counted": lambda: audited().exposure.found,
    "repeated": lambda: vk.subject.Repeated(12.0, 100, 0.05, 0.24, 0.001),
    "answer": lambda: vk.Answer("records", 0, 0.9, 2, 0.9, 0.49, "every link being equally likely"),
    "answer without an end": lambda: vk.Answer("pay in EUR", 3, 5, float("inf"), None, None, "it"),
}


@pytest.mark.parametrize("make", OTHERS.values(), ids=OTHERS)
def test_what_the_other_rooms_find_is_drawn(make):
    drawn(make())


def test_a_picture_shows_itself_with_its_words_in_a_notebook_and_can_be_kept():
    figure = drawn(vk.Partition.of([1, 1, 2]))
    assert figure.get_label() in figure._repr_html_()
    assert figure._repr_html_() == vk.plot.html(figure)._repr_html_()
    assert pickle.loads(pickle.dumps(figure)).get_label() == figure.get_label()
    assert isinstance(vk.plot.html(copy.deepcopy(figure)), Picture)


def test_an_answer_without_a_value_and_a_column_that_is_not_there_are_refused_in_a_sentence():
    nan = float("nan")
    with pytest.raises(SchemaError, match="no range to draw"):
        vk.Answer("pay", nan, nan, nan, None, None, "nobody is meant").plot()
    with pytest.raises(SchemaError, match="no column 'X9' to draw; the table has 'X1'"):
        numbers().plot(columns=["X9"])
    with pytest.raises(SchemaError, match="nothing to count"):
        vk.plot.frequencies(pd.DataFrame())


def test_without_the_room_plot_a_result_and_verikit_say_so(monkeypatch):
    monkeypatch.setattr("verikit._support.joined.points_of", lambda group: ())
    with pytest.raises(FormatError, match="without the room `plot`; install all of verikit"):
        vk.Partition.of([1, 1, 2]).plot()
    monkeypatch.setitem(sys.modules, "verikit.plot", None)
    monkeypatch.delitem(vars(vk), "plot", raising=False)
    with pytest.raises(AttributeError, match="without the room `plot`; install all of"):
        vk.plot  # noqa: B018 - looking at it opens the room


def test_without_matplotlib_a_result_names_the_extra_that_draws_it():
    code = (
        "import sys, importlib.util as u\n"
        "import verikit as vk\n"
        "groups = vk.Partition.of([1, 1, 2])\n"
        "assert not {'matplotlib', 'verikit.plot'} & set(sys.modules)\n"
        "find = u.find_spec\n"
        "u.find_spec = lambda name, *rest: None if name == 'matplotlib' else find(name, *rest)\n"
        "import verikit._support.extras as extras; extras.find_spec = u.find_spec\n"
        "try:\n    groups.plot()\nexcept vk.FormatError as error:\n    print(error)\n"
    )
    said = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True
    )
    assert said.stdout.strip().endswith("install it with  pip install 'verikit[jupyter]'.")
    assert FormatError.__name__ not in said.stderr
