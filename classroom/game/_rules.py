"""The rules, as players read them, with the numbers that count."""

__all__ = [
    "ALLOWED", "ALLOWED_MOST", "ASK", "CLAIMS", "DISTANCE", "FORBIDDEN", "FOUND", "KEPT", "NEAR",
    "OBJECTED", "RULES", "STAKE", "VAIN",
]  # fmt: skip

KEPT, FOUND, NEAR = 100, 3, 1
ASK = 10
DISTANCE, ALLOWED, ALLOWED_MOST, FORBIDDEN, OBJECTED, VAIN = 20, 5, 4, 10, 10, 5
CLAIMS, STAKE = 20, 5

RULES = f"""\
# Four people look at one table

Each team has a table in each round, and a role at the tables of others: `brief.json` of a round
says which. What belongs to a table lies in its folder, `round-1/team-1`. Twenty minutes each:

1. **Protector** (the team whose table it is). `original.csv` is yours. Publish it into the folder
   as `release`; the key stays with you until the end of the round:

       verikit mask noise original.csv --set scale=1.5 --out release --key ../../../my-key.json

2. **Subject** (a person of another team). Take the card `person.json`: these are your values. Check
   them against the release (`verikit check release --record person.json`; with `--json` each
   sentence of the verdict stands beside its key), and write
   `subject.json`: `{{"objects": false, "distance": 4, "says": ["S1", "S7"]}}`: do you object, how
   many places away is the closest record, and which sentences do you say, by their keys.
3. **Analyst** (another team). Answer `questions.sql`, a line each, from the release alone, and
   write ten numbers: `answers.json`, such as `[12, 5.5, ...]`. A beginning in Python, which takes
   the published values as they stand (can you do better?):

       import verikit as vk
       release = vk.open_release("release")
       print([vk.answer(line, release).estimate for line in open("questions.sql")])

4. **Intruder** (another team). You know `original.csv` and the release. Write `claims.csv` with
   `person,row,stake`: who (row of the original, from 1) became which row of the release (from 1),
   with a stake of 1 to {STAKE}; at most {CLAIMS} claims. A beginning, which names somebody for
   everybody (on whom would you stake something?):

       import verikit as vk
       print(vk.link(vk.read("original.csv"), vk.open_release("release")).to_frame())

Then the key is opened: copy it into the folder as `key.json`. `verikit game score` counts, and
writes `board.html`.

- **Protector**: {KEPT} x the rank correlation kept by the key, in the mean of the columns; {FOUND}
  less for each person whom the strongest attack of verikit finds above luck, or whose own record
  stands in the release above luck, within {NEAR} place in every column and whoever the key says it
  belongs to: whichever are more.
- **Subject**: {DISTANCE} for the right distance; {ALLOWED} for each sentence that the verdict says,
  up to {ALLOWED_MOST} of them; {FORBIDDEN} less for each that it does not say ("I am safe" is one
  of these); {OBJECTED} for an objection of somebody whom that attack finds, {VAIN} less for one in
  vain.
- **Analyst**: up to {ASK} for each answer: {ASK} x (1 - error / truth), never below 0.
- **Intruder**: the stake of each right claim, less the stake of each wrong one.

What is missing or broken earns nothing, is named on the board, and stops nobody else.
"""
