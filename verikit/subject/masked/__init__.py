"""A table of single values: the closest records, how far they are, and whether that is chance."""

from verikit.subject.masked import _check as _check
from verikit.subject.masked import _tables as tables
from verikit.subject.masked import _words as words
from verikit.subject.masked._chance import Chance as Chance
from verikit.subject.masked._chance import Crowd as Crowd
from verikit.subject.masked._chance import chance as chance
from verikit.subject.masked._chance import crowd as crowd
from verikit.subject.masked._chance import is_count as is_count
from verikit.subject.masked._chance import more_than_luck as more_than_luck
from verikit.subject.masked._check import JUDGES as JUDGES
from verikit.subject.masked._compared import Compared as Compared
from verikit.subject.masked._find import Copies as Copies
from verikit.subject.masked._find import Findings as Findings
from verikit.subject.masked._find import attributes_near as attributes_near
from verikit.subject.masked._find import find as find
from verikit.subject.masked._find import given_values as given_values
from verikit.subject.masked._find import score_values as score_values
from verikit.subject.masked._pairs import undone_pairs as undone_pairs
from verikit.subject.masked._repeat import LARGEST as LARGEST
from verikit.subject.masked._repeat import Repetition as Repetition
from verikit.subject.masked._repeat import repeat as repeat
from verikit.subject.masked._repeat import repetition as repetition
from verikit.subject.masked._shares import PLAIN as PLAIN
from verikit.subject.masked._shares import SAMPLE as SAMPLE
from verikit.subject.masked._words import reported_links as reported_links
from verikit.subject.masked._words import titles_left_out as titles_left_out

__all__ = ["tables", "words"]
