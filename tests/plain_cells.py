"""How the cells of two columns meet, compared one by one: what faster ways are held to."""

import numpy as np


def find_meeting_rows(first, second):
    """For each pair of rows whether some value may be both."""
    rows, places = first.meanings(), second.meanings()
    table = np.array([[one.meets(other) for other in places] for one in rows], dtype=bool)
    return table[np.ix_(first.codes, second.codes)]
