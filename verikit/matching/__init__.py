"""Find whom a record may be: classes, candidates for a person, and what they hold."""

from verikit.matching._candidates import (
    People,
    candidates,
    drop_hidden,
    find_hidden_rows,
    find_known_values,
    find_people_rows,
    held_by_people,
    is_absent,
)
from verikit.matching._candidates import as_people_frame as as_people_frame
from verikit.matching._candidates import spell_people as spell_people
from verikit.matching._candidates import suppresses_classes as suppresses_classes
from verikit.matching._classes import (
    Classes,
    Holdings,
    Table,
    classes_of,
    group_rows,
    held_by,
    held_in,
    holdings_of,
)
from verikit.matching._classes import code_values as code_values
from verikit.matching._classes import number_rows as number_rows
from verikit.matching._classes import renumber as renumber
from verikit.matching._classes import require_quasi as require_quasi
from verikit.matching._classes import row_text as row_text
from verikit.matching._compatible_pairs import (
    CompatiblePairs,
    find_certain_classes,
    find_compatible_pairs,
)
from verikit.matching._graphs_together import MOST_NODES as MOST_NODES
from verikit.matching._graphs_together import LinksTogether as LinksTogether
from verikit.matching._graphs_together import put_graphs_together as put_graphs_together
from verikit.matching._group_contents import (
    Alignment,
    Coarse,
    Contents,
    Fit,
    presence_chance,
    printed_chance,
    shows_target,
)
from verikit.matching._learn_by_groups import ROUNDS as ROUNDS
from verikit.matching._learn_by_groups import Learned as Learned
from verikit.matching._left_open import HELD as HELD
from verikit.matching._left_open import LeftOpen, find_values_left
from verikit.matching._left_open import count_values_left as count_values_left
from verikit.matching._read_by_groups import Asked as Asked
from verikit.matching._read_by_groups import Tables as Tables
from verikit.matching._read_by_groups import ask_for_rows as ask_for_rows
from verikit.matching._read_by_groups import read_classes as read_classes
from verikit.matching._read_by_groups import read_split as read_split
from verikit.matching._settle_by_counts import find_exchangeable as find_exchangeable
from verikit.matching._taught_by_groups import Beliefs as Beliefs
from verikit.matching._taught_by_groups import LearnedGuess as LearnedGuess
from verikit.matching._taught_by_groups import Taught as Taught
from verikit.matching._taught_by_groups import believe as believe
from verikit.matching._taught_by_groups import find_best as find_best
from verikit.matching._taught_by_groups import find_chances as find_chances
from verikit.matching._taught_by_groups import find_lesson as find_lesson
from verikit.matching._taught_by_groups import guess_by_learning as guess_by_learning
from verikit.matching._taught_by_groups import guess_by_others as guess_by_others
from verikit.matching._taught_by_groups import learn_release as learn_release
from verikit.matching._taught_by_groups import name_failure as name_failure
from verikit.ranks import expand_ranges as expand_ranges

__all__ = [
    "Alignment",
    "Classes",
    "Coarse",
    "CompatiblePairs",
    "Contents",
    "Fit",
    "Holdings",
    "LeftOpen",
    "People",
    "Table",
    "candidates",
    "classes_of",
    "drop_hidden",
    "find_certain_classes",
    "find_compatible_pairs",
    "find_hidden_rows",
    "find_known_values",
    "find_people_rows",
    "find_values_left",
    "group_rows",
    "held_by",
    "held_by_people",
    "held_in",
    "holdings_of",
    "is_absent",
    "presence_chance",
    "printed_chance",
    "shows_target",
]  # fmt: skip
