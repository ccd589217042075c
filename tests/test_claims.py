"""What verikit claims of itself still stands where it was said, and is shown by what is there."""

import ast
import re
import tomllib
from functools import cache
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parent.parent
REGISTER = CHECKOUT / "docs" / "claims.toml"
if not (CHECKOUT / "docs" / "verdicts.md").is_file():
    pytest.skip("only a checkout holds the pages that make claims", allow_module_level=True)
CLAIMS = tomllib.loads(REGISTER.read_text(encoding="utf-8"))
every_claim = pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)
SAID = ("README.md", "docs/verdicts.md", "docs/publishing.md", "docs/formats.md")


@cache
def words_of(place):
    """A text without its line breaks."""
    return re.sub(r"\s+", " ", (CHECKOUT / place).read_text(encoding="utf-8"))


@cache
def functions_in(place):
    """The names of the functions of a file."""
    tree = ast.parse((CHECKOUT / place).read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


@every_claim
def test_a_claim_stands_where_it_was_made(claim):
    assert claim["quote"] in words_of(claim["where"])


@every_claim
def test_what_shows_a_claim_is_there(claim):
    assert claim["evidence"]
    for shown in claim["evidence"]:
        place, _, name = shown.partition("::")
        assert (CHECKOUT / place).is_file(), shown
        assert not name or name in functions_in(place), shown


@every_claim
def test_a_claim_that_is_not_shown_as_a_whole_says_what_is_missing(claim):
    assert claim["state"] in {"supported", "partly", "limitation"}
    assert ("but" in claim) == (claim["state"] != "supported")


def test_each_page_that_promises_something_has_claims_and_no_sentence_is_claimed_twice():
    assert {claim["where"] for claim in CLAIMS.values()} >= set(SAID)
    quotes = [(claim["where"], claim["quote"]) for claim in CLAIMS.values()]
    assert len({*quotes}) == len(quotes) >= 30
