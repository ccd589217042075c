"""What a saved notebook keeps of every view: its picture and words, and nobody's own record."""

import re
from base64 import b64decode
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest

import verikit as vk

pytest.importorskip("anywidget", reason="the extra jupyter is not installed")

from test_views import QUICK, VIEWS

from verikit.widgets import SelfCheck

HTML, LIVE = "text/html", "application/vnd.jupyter.widget-view+json"
EMPTY = {"br", "img", "input", "meta", "link", "hr", "wbr"}
VALUE = "98.7654321"
each_view = pytest.mark.parametrize("name", VIEWS)


class Page(HTMLParser):
    """Counts the elements, holds their attributes, and sees whether they are closed in turn."""

    def __init__(self, source):
        super().__init__()
        self.tags, self.attributes, self.open = [], [], []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        self.open += [tag] * (tag not in EMPTY)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


class Pictures(HTMLParser):
    """The outer pictures of a page: what they are, the words for them, and where they lie."""

    def __init__(self, source):
        super().__init__()
        self.found, self.inside = [], 0
        self.feed(source)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag == "svg":
            if not self.inside:
                self.found.append((tag, given.get("aria-label", ""), ""))
            self.inside += 1
        elif tag == "img":
            self.found.append((tag, given["alt"], given["src"]))

    def handle_endtag(self, tag):
        self.inside -= tag == "svg"


def kept(view):
    """The copy that a notebook saves of a view."""
    bundle, _ = view._repr_mimebundle_()
    assert set(bundle) == {HTML, LIVE, "text/plain"}
    return bundle[HTML]


def texts(source):
    return re.sub(r"<style>.*?</style>|<[^>]*>", " ", source, flags=re.DOTALL)


@each_view
def test_a_saved_notebook_shows_a_view_with_its_picture_and_runs_nothing(name):
    view = VIEWS[name](**QUICK.get(name, {}))
    copy = kept(view)
    page = Page(copy)
    assert page.open == []
    assert "img" in page.tags or "table" in page.tags
    assert not {"svg", "script", "iframe", "object", "button", "input", "select", "a"} & set(
        page.tags
    )
    wrong = [n for n, _ in page.attributes if n.startswith(("on", "data-")) or n == "tabindex"]
    assert wrong == []
    assert not re.search(r"(?:src|href|url|@import)\W+(?:https?:)?//", copy)
    assert all(part.title in copy for part in view.parts())
    assert len(copy) < 300_000


@each_view
def test_a_picture_is_an_image_with_its_words_that_needs_nothing_of_the_page(name):
    """Hosts of code and untrusted notebooks take out drawings and styles, and leave images."""
    view = VIEWS[name](**QUICK.get(name, {}))
    live, saved = Pictures(view.card().html), Pictures(kept(view))
    assert [said for tag, said, _ in saved.found if tag == "img"] == [
        said for tag, said, _ in live.found if tag == "svg"
    ]
    for _, _, source in saved.found:
        kind, drawn = source.split(",")
        assert kind == "data:image/svg+xml;base64"
        picture = ET.fromstring(b64decode(drawn))  # a browser shows no other
        assert picture.tag == "{http://www.w3.org/2000/svg}svg"
        assert b"var(" not in b64decode(drawn)


@each_view
def test_the_copy_says_that_it_is_one_and_what_to_do(name):
    assert "Run the notebook to change it." in texts(kept(VIEWS[name](**QUICK.get(name, {}))))


def test_a_copy_shows_what_was_set_when_the_view_was_shown():
    view = VIEWS["MondrianView"]()
    first = kept(view)
    view.k = 4
    assert kept(view) != first


def test_the_check_of_the_shipped_example_is_kept_without_its_slip():
    copy = kept(SelfCheck("dm_table1_masked"))
    assert "What this does not tell you" in copy
    assert "download" not in copy
    assert "img" in Page(copy).tags


@pytest.mark.parametrize(
    "change",
    [
        lambda view: view.on_value("record/X1", VALUE),
        lambda view: setattr(view, "record", {"X1": VALUE}),
        lambda view: view.on_value("record/X1", f"about {VALUE}"),
        lambda view: view.on_value("path", f"/home/{VALUE}.csv"),
        lambda view: view.on_value("distance", VALUE),
    ],
    ids=["typed", "set in Python", "wrongly typed", "a path", "a requirement"],
)
def test_what_a_person_typed_is_never_kept(change):
    view = SelfCheck("dm_table1_masked")
    change(view)
    assert VALUE in repr(view.parts())
    assert VALUE not in str(view._repr_mimebundle_())


def test_a_table_of_ones_own_is_never_kept_not_even_with_the_values_of_the_example():
    release = vk.mask.noise(vk.load("dm_table1"), scale=0.5, seed=7).release
    view = SelfCheck(release)
    view.record = {name: str(value) for name, value in vk.load("dm_table1").record(2).items()}
    assert view.report is not None
    copy = kept(view)
    assert "<img" not in copy
    assert "not saved" in copy
