"""Draw every exercise for 50 students: all solutions full, all mistakes known as themselves.

``python benchmarks/exercises.py [students] [first letters of a name]`` prints a line for each
exercise, with the milliseconds for one student, and fails where one does not hold.
"""

import sys
import time

from verikit.exercises import EXERCISES, draw, judge, mistaken


def held(exercise, data):
    """Whether the solution is full, a blank worth nothing, and every mistake caught by its hint."""
    full = judge(exercise, data, exercise.right(data))
    if full.points < full.most or judge(exercise, data, {}).points:
        return False
    keys = exercise.possible(data)
    found = {key: judge(exercise, data, mistaken(exercise, data, key)) for key in keys}
    return all(one.mistake == key and one.points < one.most for key, one in found.items())


def main(students=50, start=""):
    """Try all exercises whose names begin so, and count what held."""
    chosen = [one for name, one in EXERCISES.items() if name.startswith(start)]
    good = answers = 0
    for exercise in chosen:
        begin = time.process_time()
        drawn = [draw(exercise, f"student {number}") for number in range(students)]
        cost = (time.process_time() - begin) / students
        kept = sum(held(exercise, data) for data in drawn)
        good, answers = good + kept, answers + students * len(exercise.mistakes)
        print(f"{exercise.name} {exercise.kind:9} {kept} of {students}, {1000 * cost:.0f} ms each")
    print(f"{good} of {students * len(chosen)} held; {answers} wrong answers tried")
    return good < students * len(chosen)


if __name__ == "__main__":
    given = sys.argv[1:]
    sys.exit(main(*([int(given[0])] if given else []), *given[1:2]))
