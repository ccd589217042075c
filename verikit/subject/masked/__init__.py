"""A table of single values: the closest records, how far they are, and whether that is chance."""

from verikit.subject.masked._chance import PLAIN as PLAIN
from verikit.subject.masked._chance import SAMPLE as SAMPLE
from verikit.subject.masked._chance import Chance as Chance
from verikit.subject.masked._chance import compare_with_chance as compare_with_chance
from verikit.subject.masked._chance import count_candidates as count_candidates
from verikit.subject.masked._chance import is_count as is_count
from verikit.subject.masked._chance import standard_error as standard_error
from verikit.subject.masked._check import JUDGES as JUDGES
from verikit.subject.masked._check import Compared as Compared
from verikit.subject.masked._check import attribute_table as attribute_table
from verikit.subject.masked._check import find_obstacle as find_obstacle
from verikit.subject.masked._check import list_headlines as list_headlines
from verikit.subject.masked._check import list_lines as list_lines
from verikit.subject.masked._check import list_links_lines as list_links_lines
from verikit.subject.masked._check import list_unmet as list_unmet
from verikit.subject.masked._check import titles_left_out as titles_left_out
from verikit.subject.masked._find import Findings as Findings
from verikit.subject.masked._find import attributes_near as attributes_near
from verikit.subject.masked._find import find_closest as find_closest
from verikit.subject.masked._find import find_copies as find_copies
from verikit.subject.masked._find import number_names as number_names
from verikit.subject.masked._find import read_given_values as read_given_values
from verikit.subject.masked._repeat import LARGEST as LARGEST
from verikit.subject.masked._repeat import Repetition as Repetition
from verikit.subject.masked._repeat import prepare_repetition as prepare_repetition
from verikit.subject.masked._repeat import repeat_method as repeat_method
from verikit.subject.masked._repeat import undone_pairs as undone_pairs

__all__: list[str] = []
