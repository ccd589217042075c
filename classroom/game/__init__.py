"""A game of four roles in one shared folder: protector, subject, analyst, intruder.

>>> from verikit.game import Game
>>> game = Game(teams=4, seed=7)
>>> game.roles(1, 2)
{'protector': 2, 'subject': 3, 'analyst': 4, 'intruder': 1}
>>> game.roles(2, 2)
{'protector': 2, 'subject': 4, 'analyst': 1, 'intruder': 3}
"""

from verikit.game._deal import Game, Hand, new
from verikit.game._scoring import Points, score

__all__ = ["Game", "Hand", "Points", "new", "score"]
