"""What a person can check: her own record against a release, and nothing else."""

from verikit.ranks.spread import Criterion
from verikit.subject import _card as card
from verikit.subject import disguised, generalized, graph, masked, numbers, randomized, split
from verikit.subject._answer import make_report as make_report
from verikit.subject._answer import name_better_guesser as name_better_guesser
from verikit.subject._card_words import make_ranked_table as make_ranked_table
from verikit.subject._card_words import measure_text as measure_text
from verikit.subject._card_words import method_words as method_words
from verikit.subject._card_words import methods_in as methods_in
from verikit.subject._card_words import name_columns as name_columns
from verikit.subject._card_words import nearest_words as nearest_words
from verikit.subject._card_words import tied_words as tied_words
from verikit.subject._card_words import write_cells as write_cells
from verikit.subject._check import Kind, Repeated, check, checking, kind_of
from verikit.subject._check import Tests as Tests
from verikit.subject._known import TABLES as TABLES
from verikit.subject._known import Given as Given
from verikit.subject._known import names_rows as names_rows
from verikit.subject._known import read_typed as read_typed
from verikit.subject._known import spellings_of as spellings_of
from verikit.subject._known import understand_record as understand_record
from verikit.subject._repeated_guess import find_repeated as find_repeated
from verikit.subject._repetition import repetition
from verikit.subject._report import Figure, Headline, Sentence, SubjectReport
from verikit.subject._requirement import Required as Required
from verikit.subject._requirement import Requirement as Requirement
from verikit.subject.disguised import check_disguised
from verikit.subject.disguised import find_tolerance as find_tolerance
from verikit.subject.generalized import check_generalized
from verikit.subject.graph import check_graph
from verikit.subject.split import check_split
from verikit.values.typed import BEHIND as BEHIND
from verikit.values.typed import to_plain_number as to_plain_number

__all__ = [
    "Criterion",
    "Figure",
    "Headline",
    "Kind",
    "Repeated",
    "Sentence",
    "SubjectReport",
    "card",
    "check",
    "check_disguised",
    "check_generalized",
    "check_graph",
    "check_split",
    "checking",
    "disguised",
    "generalized",
    "graph",
    "kind_of",
    "masked",
    "numbers",
    "randomized",
    "repetition",
    "split",
]
