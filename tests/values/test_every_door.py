"""What is typed in comes out again at the doors of library and command, or is refused.

Those of the app and of the page stand in tests/widgets and tests/browser.
"""

import json
from functools import cache

import pytest
from kinds_of_values import KINDS, count_fitting, list_typed, make_table, say_exactly, spoken
from sources import WHOLE

import verikit as vk
from verikit.cli import _main, main

LOOKS_ALIKE = "which look alike; put the one that is meant in quotes"


@pytest.mark.parametrize("kind", KINDS)
def test_each_value_is_taken_for_itself_in_every_language(kind):
    release = make_table(kind)
    for value in (value for value in KINDS[kind] if value is not None):
        found = vk.check({kind: say_exactly(kind, value)}, release)
        assert found.facts["fits"] == count_fitting(kind, value), value
    for language in WHOLE:
        for typed, fits in list_typed(kind, release, language):
            if fits is not None:
                found = vk.check({kind: typed}, release, language=language)
                assert found.facts["fits"] == fits, (typed, language)
                continue
            with pytest.raises(vk.RecordError) as refused:
                vk.check({kind: typed}, release, language=language)
            assert language != "en" or LOOKS_ALIKE in str(refused.value)


PARSER = cache(_main.make_parser)  # made once: most of a call is to make it


@pytest.mark.parametrize("kind", KINDS)
def test_the_command_takes_each_value_for_itself(kind, tmp_path, capsys, monkeypatch):
    """Each value by --set or in a file; all languages have their turn at both."""
    monkeypatch.setattr(_main, "make_parser", PARSER)
    release = make_table(kind)
    release.save(tmp_path / "r")
    for place, language in enumerate(spoken(kind), [*KINDS].index(kind)):
        for at, (typed, fits) in enumerate(list_typed(kind, release, language), place):
            given = ["--set", f"{kind}={typed}"]
            if at % 3 == 0:
                (tmp_path / "own.json").write_text(json.dumps({kind: typed}), encoding="utf-8")
                given = ["--record", str(tmp_path / "own.json")]
            main(["check", str(tmp_path / "r"), *given, "--language", language, "--json"])
            told = capsys.readouterr()
            if fits is None:
                assert told.out == ""
                assert told.err.count("\n") == 1
            else:
                assert json.loads(told.out)["facts"]["fits"] == fits, (typed, language, told.err)
