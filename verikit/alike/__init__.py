"""Who looks like whom in a release: classes, candidates for a person, and what they hold."""

from verikit.alike._alignment import Alignment, Contents, Fit, presence_chance, printed_chance
from verikit.alike._candidates import absent, candidates, known_values
from verikit.alike._classes import Classes, Table, classes_of, grouped
from verikit.alike._classes import cell_text as cell_text
from verikit.alike._classes import coded as coded
from verikit.alike._classes import dense as dense
from verikit.alike._classes import seen as seen
from verikit.alike._classes import sensitive_name as sensitive_name
from verikit.alike._coarse import Coarse, shows_target
from verikit.alike._holdings import Holdings, held_by, held_in, holdings_of
from verikit.alike._meetings import Meetings, meetings, spread
from verikit.alike._people import People, held_by_people, rows_of_people
from verikit.alike._people import people_frame as people_frame
from verikit.alike._suppressed import hidden_rows, in_sight
from verikit.alike._unanimous import unanimous

__all__ = [
    "Alignment", "Classes", "Coarse", "Contents", "Fit", "Holdings", "Meetings", "People", "Table",
    "absent", "candidates", "classes_of", "grouped", "held_by", "held_by_people", "held_in",
    "hidden_rows", "holdings_of", "in_sight", "known_values", "meetings", "presence_chance",
    "printed_chance", "rows_of_people", "shows_target", "spread",
    "unanimous",
]  # fmt: skip
